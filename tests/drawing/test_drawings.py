"""Drawings: text fits its width, and special characters are escaped."""

import re
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24.drawing.drawings import Circle, Drawing, Line, Rectangle, Shape, Text, html_of, svg_of
from crisps24.drawing.lettering import fitting, width_of, wrapped

SVG = "{http://www.w3.org/2000/svg}"
SHAPES: tuple[Shape, ...] = (
    *(Circle(10, 10, 5, fill="#ffffff"), Circle(10, 10, 1, line=0, fill="#000000")),
    *(Rectangle(1, 2, 3, 4, corner=1), Line(0, 0, 20, 10, dash=1.5), Text(5, 5, "24", 4)),
    Text(5, 5, "a < b & c", 4, "middle", bold=True, turn=90, colour="#707070"),
)
DRAWING = Drawing(20, 30, SHAPES, "what <there> is & more")
printable = st.text(st.characters(exclude_categories=["C", "Z"]) | st.just(" "), max_size=60)


class Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_svg_has_all_shapes_in_order() -> None:
    root = ElementTree.fromstring(svg_of(DRAWING))
    assert (root.tag, root.get("width"), root.get("viewBox")) == (f"{SVG}svg", "20mm", "0 0 20 30")
    names = ["title", "circle", "circle", "rect", "line", "text", "text"]
    assert [each.tag for each in root] == [SVG + name for name in names]
    assert root[0].text == "what <there> is & more"
    assert root[2].get("stroke") is None
    assert root[4].get("stroke-dasharray") == "1.5"
    turned = [root[6].get(name) for name in ("transform", "text-anchor", "font-weight")]
    assert [root[6].text, *turned] == ["a < b & c", "rotate(90 5 5)", "middle", "bold"]


@given(printable)
def test_special_characters_of_text_are_escaped(text: str) -> None:
    drawing = Drawing(9, 9, (Text(1, 1, text, 2),), text)
    root = ElementTree.fromstring(svg_of(drawing))
    assert [each.tag for each in root] == [SVG + "title", SVG + "text"][not text :]
    assert (root[-1].text or "") == text
    page = Elements("\n".join(html_of([drawing], text)))
    around = ["html", "head", "meta", "title", "style", "body", "main", "h1", "svg"]
    assert page.names == [*around, *["title"] * bool(text), "text", "script"]


@pytest.mark.parametrize("character", ["\x1b", "\0", "\n", "\u202e", "\u2066", "\ud800", "\ufeff"])
def test_unprintable_characters_are_refused(character: str) -> None:
    code = re.escape(character.encode("unicode_escape").decode())
    with pytest.raises(ValueError, match=rf"^the character {code} cannot be printed"):
        Text(0, 0, f"a{character}b", 3)


def test_html_is_complete_prints_itself_and_loads_nothing() -> None:
    page = "\n".join(html_of([DRAWING, DRAWING], "a <b> & c"))
    found = Elements(page)
    assert found.names.count("svg") == 2
    for name in ("title", "h1"):
        assert f"<{name}>a &lt;b&gt; &amp; c</{name}>" in page
    assert "@page { size: 20mm 30mm; margin: 0 }" in page
    assert "print()" in page
    assert not {"link", "img", "iframe"} & set(found.names)
    assert set(re.findall(r"\w+://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"(?i)url\(|@import|\b(src|href)=", page)
    assert list(html_of([], "none")) == []


def test_a_placed_drawing_is_a_scaled_and_moved_group() -> None:
    inner = Drawing(20, 30, (SHAPES[0], Drawing(9, 9, SHAPES[4:]).placed(1, 2, 0.5)))
    group = inner.placed(3.5, 40, 1.25)
    root = ElementTree.fromstring(svg_of(Drawing(90, 90, (group, SHAPES[3]))))
    assert [child.tag for child in root] == [f"{SVG}g", f"{SVG}line"]
    assert root[0].get("transform") == "translate(3.5 40) scale(1.2500)"
    circle, within = root[0]
    assert (circle.get("cx"), circle.get("r")) == ("10", "5")
    assert within.get("transform") == "translate(1 2) scale(0.5000)"
    assert [child.text for child in within] == ["24", "a < b & c"]


@pytest.mark.parametrize("bold", [False, True])
def test_characters_of_the_widest_common_font_are_within_the_bounds(bold: bool) -> None:
    pytest.importorskip("reportlab", reason="the extra crisps24[sheets] is missing")
    from reportlab.pdfbase import pdfmetrics

    from crisps24.drawing import pdfs

    def check(name: str, is_common: Callable[[str], bool]) -> None:
        font = pdfmetrics.getFont(name)
        letters = [chr(code) for code in font.face.charToGlyph if code < sys.maxunicode]
        for letter in filter(is_common, letters):
            width = width_of(letter, 1000, bold=bold)
            assert font.stringWidth(letter, 1000) <= width + 1, letter

    check(pdfs._load_vera(bold), str.isprintable)
    pytest.importorskip("matplotlib", reason="the extra crisps24[plot] is missing")
    # Latin, Greek and Cyrillic letters.
    codes = (*range(0xC0, 0x180), *range(0x386, 0x460))
    check(pdfs._load_dejavu(bold), lambda letter: ord(letter) in codes and letter.isalpha())


@given(printable, st.floats(1, 9), st.floats(10, 200), st.booleans())
def test_wrapped_lines_fit_with_all_text(text: str, size: float, width: float, bold: bool) -> None:
    lines = wrapped(text, size, width, bold=bold)
    assert "".join(lines).replace(" ", "") == "".join(text.split())
    for line in lines:
        assert len(line) == 1 or width_of(line, size, bold=bold) <= width
        assert width_of(line, fitting(line, size, width)) <= width + 0.01
