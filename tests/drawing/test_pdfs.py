"""PDF: texts are read back, equal drawings have equal bytes, and missing letters are refused."""

import io
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from crisps24.drawing import pdfs
from crisps24.drawing.drawings import Circle, Drawing, Line, Rectangle, Text
from crisps24.drawing.pdfs import check_letters, check_pdf, needs_reader_font, pdf_of

pypdf = pytest.importorskip("pypdf", reason="the extra crisps24[test] is missing")
FOLDERS = pdfs._FONT_FOLDERS
LETTERS = "Zoë’s ½ × ÷ − “24” ž"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(pdfs, "_FONT_FOLDERS", (str(tmp_path),))
    pdfs._font_of.cache_clear()
    yield tmp_path
    pdfs._font_of.cache_clear()


def drawings() -> Sequence[Drawing]:
    shapes = (
        *(Circle(50, 25, 20, fill="#ffffff"), Circle(50, 25, 2, line=0, fill="#a11d21")),
        *(Rectangle(5, 5, 90, 40, corner=3), Line(0, 0, 100, 50, dash=1)),
        *(Text(95, 40, LETTERS, 4, "end", colour="#707070"), Text(20, 20, "turned", 4, turn=90)),
    )
    names = [Text(50, 25, f"page {page}", 6, "middle", bold=True) for page in range(3)]
    return [Drawing(100 + page, 50, (*shapes, name)) for page, name in enumerate(names)]


def fonts_of(page: Any) -> dict[str, Any]:
    fonts = [font.get_object() for font in page["/Resources"]["/Font"].values()]
    return {font["/BaseFont"].strip("/").rpartition("+")[2]: font for font in fonts}


@pytest.mark.usefixtures("_reportlab")
def test_texts_of_drawings_are_read_back() -> None:
    pdf = pdf_of(drawings(), "Zoë’s <sheet>")
    read = pypdf.PdfReader(io.BytesIO(pdf))
    assert read.metadata.title == "Zoë’s <sheet>"
    assert len(read.pages) == 3
    for number, page in enumerate(read.pages):
        assert float(page.mediabox.width) == pytest.approx((100 + number) * 72 / 25.4, abs=0.01)
        text = page.extract_text()
        assert all(each in text for each in (f"page {number}", LETTERS, "turned"))
        fonts = fonts_of(page)
        assert sorted(fonts) == ["BitstreamVeraSans-Bold", "BitstreamVeraSans-Roman"]
        assert all("/FontFile2" in font["/FontDescriptor"] for font in fonts.values())
    # The file has no other font.
    assert count_fonts(read) == 2


def count_fonts(read: Any) -> int:
    found = [read.get_object(number) for number in range(1, read.trailer["/Size"])]
    return sum(isinstance(each, dict) and each.get("/Type") == "/Font" for each in found)


@pytest.mark.usefixtures("_reportlab")
def test_equal_drawings_result_in_equal_bytes_and_no_unused_font() -> None:
    assert pdf_of(drawings(), "a") == pdf_of(drawings(), "a")
    assert pdf_of(drawings(), "a") != pdf_of(drawings(), "b")
    read = pypdf.PdfReader(io.BytesIO(pdf_of([Drawing(9, 9, (Line(0, 0, 9, 9),))], "a")))
    assert count_fonts(read) == 0


@pytest.mark.usefixtures("_reportlab", "folder")
def test_letters_that_the_first_font_lacks_use_another_font() -> None:
    pytest.importorskip("matplotlib", reason="the extra crisps24[plot] is missing")
    names = "Śliwa, Ő, Жанна, Ελένη, Նարե, 王, Zoë"
    shapes = (Text(1, 10, names, 4), Text(99, 20, names, 4, "end", bold=True))
    read = pypdf.PdfReader(io.BytesIO(pdf_of([Drawing(99, 30, shapes)], names)))
    assert read.metadata.title == names
    words = read.pages[0].extract_text()
    assert "".join(words.split()) == "".join(names.split()) * 2
    used = fonts_of(read.pages[0])
    vera = ["BitstreamVeraSans-Bold", "BitstreamVeraSans-Roman"]
    assert sorted(used) == [*vera, "DejaVuSans", "DejaVuSans-Bold", "STSong-Light"]
    assert all("/FontFile2" in used[name]["/FontDescriptor"] for name in used if name[0] in "BD")


def chinese_page(names: str) -> bytes:
    shapes = (Text(1, 10, names, 4), Text(1, 20, names, 4, bold=True))
    return pdf_of([Drawing(99, 30, shapes)], "a")


@pytest.mark.usefixtures("_reportlab")
def test_a_subset_of_a_font_for_chinese_is_embedded(folder: Path) -> None:
    folders = [Path(place).expanduser() for place in FOLDERS]
    paths = (path for folder_ in folders for path in folder_.rglob("*"))
    font_files = [path for path in paths if path.name in pdfs._CHINESE_FONT_FILES]
    # The file of the preferred name is broken; the others are in a subfolder.
    (folder / "msyh.ttc").write_bytes(b"ttcf\0\1\0\0\0\0\0\1")
    (folder / "below").mkdir()
    for path in font_files:
        (folder / "below" / path.name).symlink_to(path)
    if not pdfs._load_chinese(False):
        pytest.skip("this machine has no font for Chinese that can be embedded")
    pdf = chinese_page("王小明, Zoë，答案")
    assert not needs_reader_font(pdf)
    assert pdf == chinese_page("王小明, Zoë，答案")
    read = pypdf.PdfReader(io.BytesIO(pdf))
    assert "".join(read.pages[0].extract_text().split()) == "王小明,Zoë，答案" * 2
    fonts = [font.get_object() for font in read.pages[0]["/Resources"]["/Font"].values()]
    assert ["+" in font["/BaseFont"] for font in fonts] == [True] * 3
    for font in fonts:
        assert 0 < len(font["/FontDescriptor"]["/FontFile2"].get_data()) < 100_000


@pytest.mark.usefixtures("_reportlab")
def test_without_a_font_to_embed_a_pdf_uses_the_font_of_the_reader(folder: Path) -> None:
    for broken in (None, b"", b"OTTO\0\1", b"\0\1\0\0\0\7", b"ttcf\0\1\0\0"):
        pdfs._font_of.cache_clear()
        if broken is not None:
            (folder / "simsun.ttc").write_bytes(broken)
        assert needs_reader_font(chinese_page("王"))
        assert not needs_reader_font(chinese_page("Wang"))
        with pytest.raises(ValueError, match="the letter '龍'"):
            check_letters("龍")


@pytest.mark.usefixtures("_reportlab", "folder")
def test_the_error_for_a_letter_without_font_names_it() -> None:
    for letter in "ฉאع\u0301😴𐌀ﬗ가":
        drawn = [Drawing(9, 9, (Text(1, 1, letter, 2),))]
        for refused in (partial(check_letters, f"a{letter}"), partial(pdf_of, drawn, "a")):
            with pytest.raises(
                ValueError, match=rf"the letter '{letter}' \(U\+{ord(letter):04X}\)"
            ):
                refused()


def test_error_without_reportlab_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "reportlab.pdfbase", None)
    with pytest.raises(ValueError, match=r'^a PDF needs .*: pip install "crisps24\[sheets\]"$'):
        check_pdf()
