"""Drawings as PDF, painted by reportlab, which is imported only when it is needed.

The font of reportlab is embedded. Letters that it lacks, such as Greek and Cyrillic, are in the
font of matplotlib, if it is installed. Chinese is in a font of this machine, and only the
letters that are used are embedded; without one, it is in a font that PDF readers have or fetch. No
font sets combining characters, or scripts written from right to left.
"""

import io
import os
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from crisps24.drawing.drawings import (
    MIDDLE,
    PART_BEFORE_ANCHOR,
    Circle,
    Drawing,
    Group,
    Line,
    Rectangle,
    Shape,
    StackedFraction,
    Text,
)
from crisps24.drawing.lettering import is_wide, width_of
from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import ENGLISH, message

# Points per millimetre.
_MILLIMETRE = 72 / 25.4
# The last character whose code has four digits.
_LAST_CODE = 0xFFFF
# Font folders of Linux, macOS and Windows, and font files with Chinese, the preferred one first.
# Only fonts with TrueType outlines can be embedded.
_FONT_FOLDERS: tuple[str, ...] = (
    *("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts"),
    *("/System/Library/Fonts", "/Library/Fonts", "~/Library/Fonts"),
    *("C:/Windows/Fonts", "~/AppData/Local/Microsoft/Windows/Fonts"),
)
_CHINESE_FONT_FILES = (
    *("msyh.ttc", "msyh.ttf", "PingFang.ttc", "NotoSansSC-Regular.ttf", "wqy-zenhei.ttc"),
    *("wqy-microhei.ttc", "DroidSansFallbackFull.ttf", "DroidSansFallback.ttf", "simhei.ttf"),
    *("STHeiti Light.ttc", "simsun.ttc", "Songti.ttc", "Arial Unicode.ttf"),
    *("NotoSansCJK-Regular.ttc", "NotoSansCJKsc-Regular.ttf"),
)
# The font for Chinese of PDF readers.
_READER_FONT = "STSong-Light"


def _load_vera(bold: bool) -> str:
    """Load the font that reportlab includes, and return its name."""
    return _embedded("VeraBd" if bold else "Vera", Path())


def _load_dejavu(bold: bool) -> str:
    """Load the font that matplotlib includes into reportlab, and return its name."""
    name = "DejaVuSans-Bold" if bold else "DejaVuSans"
    # Only the font files of matplotlib are needed; some distributions leave them out.
    package = find_spec("matplotlib")
    for location in (package and package.submodule_search_locations) or ():
        folder = Path(location, "mpl-data", "fonts", "ttf")
        if (folder / f"{name}.ttf").exists():
            return _embedded(name, folder)
    raise ImportError(name)


def _embedded(name: str, folder: Path) -> str:
    """Load the font file `NAME.ttf` of a folder into reportlab; return its name."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    if name not in pdfmetrics.getRegisteredFontNames():
        pdfmetrics.registerFont(TTFont(name, str(folder / f"{name}.ttf")))
    return name


def _load_chinese(_: bool) -> str:
    return _load_chinese_in(_FONT_FOLDERS)


@cache
def _load_chinese_in(folders: tuple[str, ...]) -> str:
    """Load a font file with Chinese of this computer; return its path, or "" if there is none."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    path_by_name: dict[str, str] = {}
    for folder in folders:
        # os.walk yields no files for a folder that is missing or unreadable.
        for subfolder, _, file_names in os.walk(os.path.expanduser(folder)):  # noqa: PTH111
            for file_name in file_names:
                path_by_name.setdefault(file_name.lower(), str(Path(subfolder, file_name)))
    for font_file in _CHINESE_FONT_FILES:
        path = path_by_name.get(font_file.lower())
        if path is None:
            continue
        try:
            pdfmetrics.registerFont(TTFont(path, path, subfontIndex=0))
        # reportlab raises various errors for a broken font file: try the next one.
        except Exception:
            continue
        return path
    return ""


def _load_chinese_of_readers(_: bool) -> str:
    """Return the name of a Chinese font that PDF readers have or fetch; it is never embedded."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont

    if _READER_FONT not in pdfmetrics.getRegisteredFontNames():
        pdfmetrics.registerFont(UnicodeCIDFont(_READER_FONT))
    return _READER_FONT


def _has_character(name: str, character: str, _: bool) -> bool:
    from reportlab.pdfbase import pdfmetrics

    return ord(character) in pdfmetrics.getFont(name).face.charToGlyph


def _can_write(font_name: str, character: str, bold: bool) -> bool:
    """Return whether a loaded font can write a character, not wider than drawings assume."""
    # PDF readers do not understand the longer codes that reportlab writes.
    if ord(character) > _LAST_CODE or not _is_by_itself(character):
        return False
    if not _has_character(font_name, character, bold):
        return False
    from reportlab.pdfbase import pdfmetrics

    own_width = pdfmetrics.stringWidth(character, font_name, 1)
    return bool(own_width <= width_of(character, 1, bold=bold))


def _is_by_itself(character: str) -> bool:
    """Return whether a character is written from the left and does not combine with others."""
    from_right = unicodedata.bidirectional(character) in ("R", "AL")
    return not from_right and not unicodedata.category(character).startswith("M")


def _can_write_wide(name: str, character: str, bold: bool) -> bool:
    return name != "" and is_wide(character) and _can_write(name, character, bold)


def _reader_font_has(_name: str, character: str, _: bool) -> bool:
    return is_wide(character) and character.encode("gb2312", "ignore") != b""


# Fonts, the preferred one first. A function of `bold` loads the font into reportlab and returns its
# name, or raises ImportError; a function of name, character and `bold` returns whether it shows it.
_FONTS: tuple[tuple[Callable[[bool], str], Callable[[str, str, bool], bool]], ...] = (
    (_load_vera, _has_character),
    (_load_chinese, _can_write_wide),
    (_load_chinese_of_readers, _reader_font_has),
    (_load_dejavu, _can_write),
)


def check_pdf() -> None:
    """Raise RefusedError if PDFs cannot be made, since the package reportlab is missing."""
    try:
        _load_vera(False)
    except ImportError:
        command = 'pip install "crisps24[sheets]"'
        raise RefusedError(message("paper.no_pdf"), "advice.install", command=command) from None


def check_letters(text: str) -> None:
    """Raise RefusedError if a PDF cannot show a text, normal or bold."""
    check_pdf()
    for is_bold in (False, True):
        # This finds a font for each character, or raises the error.
        _split_by_font(text, is_bold)


def pdf_of(drawings: Iterable[Drawing], title: str) -> bytes:
    """Return the bytes of a PDF file with a page for each drawing, in the size of the drawing."""
    check_pdf()
    from reportlab.pdfgen.canvas import Canvas

    file = io.BytesIO()
    # The default of reportlab is a font that is not embedded, and each page would name it.
    canvas = Canvas(file, invariant=1, pageCompression=1, initialFontName=_load_vera(False))
    canvas.setTitle(title)
    canvas.setCreator("crisps24")
    for drawing in drawings:
        if drawing.language != ENGLISH.name:
            canvas.setCatalogEntry("Lang", drawing.language)
        canvas.setPageSize((drawing.width * _MILLIMETRE, drawing.height * _MILLIMETRE))
        canvas.scale(_MILLIMETRE, _MILLIMETRE)
        # In a PDF, y increases upwards.
        canvas.translate(0, drawing.height)
        for shape in drawing.shapes:
            _paint(canvas, shape)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def needs_reader_font(pdf: bytes) -> bool:
    """Return whether a PDF file of `pdf_of` needs a Chinese font, since it embeds none."""
    return f"/BaseFont /{_READER_FONT}".encode() in pdf


def _paint(canvas: Any, shape: Shape) -> None:
    """Paint a shape on a page of reportlab; a group or a fraction paints each of its shapes."""
    match shape:
        case Text():
            _paint_text(canvas, shape)
        case StackedFraction():
            for part in shape.parts():
                _paint(canvas, part)
        case Group():
            canvas.saveState()
            canvas.translate(shape.x, -shape.y)
            canvas.scale(shape.scale, shape.scale)
            for inner_shape in shape.shapes:
                _paint(canvas, inner_shape)
            canvas.restoreState()
        case Line():
            # The lengths of dashes and gaps; without arguments, the line is solid.
            _set_line(canvas, shape, *[shape.dash, shape.dash] if shape.dash else [])
            canvas.line(shape.x, -shape.y, shape.to_x, -shape.to_y)
        case Circle() | Rectangle():
            _set_line(canvas, shape)
            if shape.fill:
                canvas.setFillColor(shape.fill)
            look = {"stroke": int(shape.line > 0), "fill": int(shape.fill is not None)}
            if isinstance(shape, Circle):
                canvas.circle(shape.x, -shape.y, shape.radius, **look)
            else:
                # reportlab places a rectangle by its lower left corner.
                size = shape.width, shape.height, shape.corner
                canvas.roundRect(shape.x, -shape.y - shape.height, *size, **look)


def _set_line(canvas: Any, shape: Circle | Rectangle | Line, *dashes: float) -> None:
    canvas.setLineWidth(shape.line)
    canvas.setStrokeColor(shape.colour)
    canvas.setDash(*dashes)


def _paint_text(canvas: Any, text: Text) -> None:
    """Paint a text on a page of reportlab, in the fonts that have its characters."""
    parts = _split_by_font(text.text, text.bold)
    widths = [canvas.stringWidth(part, font_name, text.size) for font_name, part in parts]
    canvas.saveState()
    canvas.setFillColor(text.colour)
    # Move the origin to the anchor of the text, about which the text turns.
    canvas.translate(text.x, -text.y)
    canvas.rotate(-text.turn)
    # The baseline is below the anchor, which is halfway up the capital letters.
    baseline_y = -MIDDLE * text.size
    x = 0 - sum(widths) * PART_BEFORE_ANCHOR[text.anchor]
    for (font_name, part), width in zip(parts, widths, strict=True):
        canvas.setFont(font_name, text.size)
        canvas.drawString(x, baseline_y, part)
        x += width
    canvas.restoreState()


def _split_by_font(text: str, bold: bool) -> list[tuple[str, str]]:
    """Split a text into parts that one font can write; return (name of the font, part) pairs."""
    parts: list[tuple[str, str]] = []
    for character in text:
        font_name = _font_of(character, bold)
        if parts and parts[-1][0] == font_name:
            parts[-1] = font_name, parts[-1][1] + character
        else:
            parts.append((font_name, character))
    return parts or [(_load_vera(bold), "")]


@lru_cache(10_000)
def _font_of(character: str, bold: bool) -> str:
    """Find a font that can write a character, load it into reportlab, and return its name."""
    advice = "advice.html"
    for load_font, can_write in _FONTS:
        try:
            font_name = load_font(bold)
        except ImportError:
            if _is_by_itself(character):
                advice = "advice.font"
        else:
            if can_write(font_name, character, bold):
                return font_name
    values = {"text": quoted(character), "code": f"U+{ord(character):04X}"}
    raise RefusedError(message("paper.letter", **values), advice)
