"""Drawings as PDF, painted by reportlab, which is imported when one is asked for.

The fonts are those that reportlab carries, and are embedded, so that every printer has them. What
is Chinese is in a font that readers of PDF have or fetch, and is not embedded.
"""

import io
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import Any

from crisps24.errors import RefusedError
from crisps24.languages.english import ENGLISH
from crisps24.outside.drawings import MIDDLE, Circle, Drawing, Group, Line, Rectangle, Shape, Text

# Points in a millimetre.
_MILLIMETRE = 72 / 25.4
_FONTS = {False: "Vera", True: "VeraBd"}
_CHINESE = "STSong-Light"
_DRAW = {"start": "drawString", "middle": "drawCentredString", "end": "drawRightString"}
# Which part of a text is before its point.
_BEFORE = {"start": 0, "middle": 0.5, "end": 1}


def check_pdf() -> None:
    """Raise ValueError, in one sentence, where reportlab is missing."""
    _fonts()


def check_letters(text: str) -> None:
    """Raise ValueError, in one sentence, for a letter that the fonts lack, and where they do."""
    for bold, font in _fonts().items():
        _runs(text, font, bold)


def pdf_of(drawings: Iterable[Drawing], title: str) -> bytes:
    """Return drawings as the pages of a PDF, each in its own size: the same bytes every time.

    Raises ValueError, in one sentence, where reportlab is missing, and for a letter that its fonts
    lack.
    """
    fonts = _fonts()
    from reportlab.pdfgen.canvas import Canvas

    out = io.BytesIO()
    # Else each page would name a font that nothing is written in, and that is not embedded.
    canvas = Canvas(out, invariant=1, pageCompression=1, initialFontName=_FONTS[False])
    canvas.setTitle(title)
    canvas.setCreator("crisps24")
    for drawing in drawings:
        if drawing.language != ENGLISH.name:
            canvas.setCatalogEntry("Lang", drawing.language)
        canvas.setPageSize((drawing.width * _MILLIMETRE, drawing.height * _MILLIMETRE))
        canvas.scale(_MILLIMETRE, _MILLIMETRE)
        # Here y runs upwards.
        canvas.translate(0, drawing.height)
        for shape in drawing.shapes:
            _paint(canvas, shape, fonts)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def _fonts() -> dict[bool, Any]:
    """Return the font and its bold one, known to reportlab by their names."""
    try:
        from reportlab.pdfbase import pdfmetrics
        from reportlab.pdfbase.ttfonts import TTFont
    except ImportError:
        install = 'pip install "crisps24[sheets]"'
        raise RefusedError(f"a PDF needs reportlab, which is missing: {install}") from None
    for name in _FONTS.values():
        if name not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(TTFont(name, f"{name}.ttf"))
    return {bold: pdfmetrics.getFont(name) for bold, name in _FONTS.items()}


def _paint(canvas: Any, shape: Shape, fonts: dict[bool, Any]) -> None:
    if isinstance(shape, Text):
        _letter(canvas, shape, fonts[shape.bold])
        return
    if isinstance(shape, Group):
        canvas.saveState()
        canvas.translate(shape.x, -shape.y)
        canvas.scale(shape.scale, shape.scale)
        for each in shape.shapes:
            _paint(canvas, each, fonts)
        canvas.restoreState()
        return
    canvas.setLineWidth(shape.line)
    canvas.setStrokeColor(shape.colour)
    canvas.setDash(*([shape.dash, shape.dash] if isinstance(shape, Line) and shape.dash else []))
    match shape:
        case Line():
            canvas.line(shape.x, -shape.y, shape.to_x, -shape.to_y)
        case Circle():
            canvas.circle(shape.x, -shape.y, shape.radius, **_filled(canvas, shape))
        case Rectangle():
            place = (shape.x, -shape.y - shape.height, shape.width, shape.height)
            canvas.roundRect(*place, shape.corner, **_filled(canvas, shape))


def _filled(canvas: Any, shape: Circle | Rectangle) -> dict[str, int]:
    if shape.fill:
        canvas.setFillColor(shape.fill)
    return {"stroke": int(shape.line > 0), "fill": int(shape.fill is not None)}


def _letter(canvas: Any, shape: Text, font: Any) -> None:
    runs = _runs(shape.text, font, shape.bold)
    canvas.saveState()
    canvas.setFont(runs[0][0], shape.size)
    canvas.setFillColor(shape.colour)
    canvas.translate(shape.x, -shape.y)
    canvas.rotate(-shape.turn)
    if len(runs) == 1:
        getattr(canvas, _DRAW[shape.anchor])(0, -MIDDLE * shape.size, shape.text)
    else:
        wide = [canvas.stringWidth(run, name, shape.size) for name, run in runs]
        x = -sum(wide) * _BEFORE[shape.anchor]
        for (name, run), along in zip(runs, wide, strict=True):
            canvas.setFont(name, shape.size)
            canvas.drawString(x, -MIDDLE * shape.size, run)
            x += along
    canvas.restoreState()


def _runs(text: str, font: Any, bold: bool) -> list[tuple[str, str]]:
    """Return a text in parts, each with the name of the font that has its letters.

    Raises ValueError, in one sentence, for a letter that none has.
    """
    runs: list[tuple[str, str]] = []
    for character in text:
        name = font.fontName
        if ord(character) not in font.face.charToGlyph:
            name = _chinese_font() if _is_chinese(character) else ""
        if not name:
            kind = " in bold" if bold else ""
            code = f"U+{ord(character):04X}"
            raise RefusedError(
                f"the font of a PDF has no letter {character!r} ({code}){kind}: "
                "leave it out, or write .html, which takes the fonts that are there"
            )
        if runs and runs[-1][0] == name:
            runs[-1] = name, runs[-1][1] + character
        else:
            runs.append((name, character))
    return runs or [(font.fontName, "")]


@cache
def _chinese_font() -> str:
    """Return the name of the Chinese font, known to reportlab from now on."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont

    pdfmetrics.registerFont(UnicodeCIDFont(_CHINESE))
    return _CHINESE


def _is_chinese(character: str) -> bool:
    """Return whether a character is one of those that the Chinese font has: those of GB 2312."""
    if unicodedata.east_asian_width(character) not in "WF":
        return False
    try:
        character.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True
