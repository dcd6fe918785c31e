"""Questions as QTI 1.2, a zip archive that Canvas imports: a manifest, and a file of all questions.

`qti.toml` has their templates. Canvas reads HTML in texts. So a text is escaped twice: as HTML, and
as XML around it.
"""

import io
import tomllib
import zipfile
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from pkgutil import get_data

from crisps24.drawing.gift import Question

_FILE = "quiz/quiz.xml"


def qti_of(questions: Iterable[Question], title: str) -> bytes:
    """Return the bytes of an archive with a quiz; the same questions give the same bytes."""
    templates = tomllib.loads((get_data(__package__, "qti.toml") or b"").decode())
    questions = list(questions)
    # Canvas replaces a quiz by a later one with the same identifier.
    ident = f"quiz_{sha256(repr((title, questions)).encode()).hexdigest()[:16]}"
    quiz = [templates["start"].format(ident=ident, title=escape(title))]
    for number, question in enumerate(questions, 1):
        answers = (
            templates["answer"].format(number=number, index=index, text=escape(escape(answer)))
            for index, answer in enumerate(question.answers)
        )
        item = templates["item"].format(
            ident=ident,
            number=number,
            title=escape(question.title),
            text=escape(escape(question.text)),
            answers="".join(answers),
            right=question.right,
        )
        quiz.append(item)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in (
            ("imsmanifest.xml", templates["manifest"].format(ident=ident, file=_FILE)),
            (_FILE, "".join([*quiz, templates["end"]])),
        ):
            # Without a date, ZipInfo has the year 1980.
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return file.getvalue()
