"""The mark page: the table of a class in, its marks out; a person decides what was not read.

Nothing is stored: the answers travel in the page, and each form sends them again.
"""

import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from itertools import chain
from typing import Any, NamedTuple

from crisps24.errors import RefusedError, quoted
from crisps24.judging.class_tables import ClassPuzzles, read_class
from crisps24.judging.records import Attempt
from crisps24.judging.rows import Task, judge_lines
from crisps24.judging.sources import open_text
from crisps24.messages.message import message
from crisps24.output.encodings import BYTE_ORDER_MARK
from crisps24.output.tables import Row, spreadsheet
from crisps24.pages.addresses import Field, Parameters, number
from crisps24.pages.replies import PageReply, download
from crisps24.pages.sheet import MAX_PUZZLES, deal_puzzles
from crisps24.paper.marks import Marks, collect_marks, marks_pages, marks_title
from crisps24.paper.papers import SHEET_FORMATS
from crisps24.paper.sheets import Sheet
from crisps24.rules.games import Game

MAX_ANSWERS = 10_000
_FOUND = ("ask", "give", "none")
_COMMAND = ("crisps24", "mark", "class.csv", "--out", "marks.pdf", "--game")
_DECISIONS = ("ok", "0")
_TO_LOOK_AT = ("unread", "malformed")


def _read_found(text: str) -> str:
    if text not in _FOUND:
        raise RefusedError(message("refused.one_of", text=quoted(text), known=", ".join(_FOUND)))
    return text


FIELDS = (
    *(Field(name, str) for name in ("own", "pasted", "answers", "decide", "title")),
    Field("found", _read_found),
    number("count", 1, MAX_PUZZLES),
)
NAMES = ("game", "target", "seed", "level", *(field.name for field in FIELDS))


class _Answer(NamedTuple):
    name: str
    puzzle: str
    text: str


def page(params: Parameters) -> dict[str, Any]:
    # Refuse a wrong choice also before there is a table.
    params.value("found")
    notes: list[str] = []
    answers = _answers(params, notes.append)
    if not answers:
        return {}
    rows, marks = _marked(params, answers)
    looked = [
        row | {"place": place}
        for place, row in enumerate(rows)
        if row["verdict"] in _TO_LOOK_AT and row["text"]
    ]
    return {
        "notes": notes,
        "answers": json.dumps(answers, ensure_ascii=False),
        "looked": looked,
        "mistakes": [row | {"place": place} for place, row in enumerate(rows) if _is_mistake(row)],
        "marks": marks,
        "command": shlex.join([*_COMMAND, params.game().name]),
        "head": [*range(1, len(marks.puzzles) + 1)],
    }


def csv_file(params: Parameters) -> PageReply:
    _, marks = _marked(params, _given(params))
    rows = [*marks.rows()]
    lines = spreadsheet(rows, list(rows[0]), "csv", params.language.decimal)
    body = BYTE_ORDER_MARK + "".join(f"{line}\n" for line in lines).encode()
    return download(body, "marks.csv", "text/csv; charset=utf-8")


def pdf_file(params: Parameters) -> PageReply:
    _, marks = _marked(params, _given(params))
    sheet = Sheet(title=params.get("title", ""), language=params.language.name)
    body = b"".join(SHEET_FORMATS["pdf"].paint(marks_pages(marks, sheet), marks_title(sheet)))
    return download(body, "marks.pdf", "application/pdf")


def _is_mistake(row: Row) -> bool:
    return row["verdict"] not in ("right", *_TO_LOOK_AT) and row["code"] != "no-answer"


def _given(params: Parameters) -> Sequence[_Answer]:
    answers = _answers(params, lambda _: None)
    if not answers:
        raise RefusedError(message("refused.no_table"))
    return answers


def _answers(params: Parameters, note: Callable[[str], object]) -> Sequence[_Answer]:
    """Return the answers of a table, or those that the page has sent, with a decision."""
    if "answers" in params:
        return _decided(_sent_answers(params["answers"]), params.get("decide", ""))
    upload = params.files.get("table")
    data = upload.data if upload else params.get("pasted", "").encode()
    if not data:
        return ()
    game = params.game()
    known = ClassPuzzles(game, params.value("target", game.target), _listed(params))
    source = open_text(BytesIO(data), None, None, note, all_sheets=True)
    text = b"".join(iter(lambda: source.read1(1 << 20), b""))
    answers: list[_Answer] = []
    for _, record in read_class(text, known, note):
        if isinstance(record, RefusedError):
            raise record
        if isinstance(record, dict) and record.get("id"):
            text = record.get("completion", "")
            answers.append(_Answer(str(record.get("name") or ""), record["id"], str(text or "")))
        if len(answers) > MAX_ANSWERS:
            raise RefusedError(message("refused.many_answers", most=MAX_ANSWERS))
    return answers


def _listed(params: Parameters) -> Sequence[str]:
    """Return the ids of the puzzles that headers such as 1, 2, 3 count."""
    if not params.has_any(("own", "seed")):
        return ()
    return [puzzle.id for puzzle in deal_puzzles(params)]


def _sent_answers(text: str) -> list[_Answer]:
    try:
        answers = [_Answer(*map(str, each)) for each in json.loads(text)]
    except (ValueError, TypeError):
        raise RefusedError(message("refused.no_table")) from None
    if len(answers) > MAX_ANSWERS:
        raise RefusedError(message("refused.many_answers", most=MAX_ANSWERS))
    return answers


def _decided(answers: list[_Answer], decision: str) -> list[_Answer]:
    """Return the answers with the decision of a person, such as `12 ok`, before one of them."""
    place, _, word = decision.partition(" ")
    if word in _DECISIONS and place.isdecimal() and int(place) < len(answers):
        answer = answers[int(place)]
        # A decision replaces an earlier one.
        text = answer.text.split(">", 1)[-1] if answer.text[:3] in ("ok>", "0> ") else answer.text
        answers[int(place)] = answer._replace(text=f"{word}> {text.strip()}")
    return answers


def _marked(params: Parameters, answers: Sequence[_Answer]) -> tuple[list[Row], Marks]:
    game: Game = params.game()
    default = Attempt("", None, game.target, game)
    task = Task(default, params.language.name, found=params.value("found", "ask"))
    records: Iterator[Any] = (
        (0, {"name": each.name, "id": each.puzzle, "completion": each.text}) for each in answers
    )
    rows = [*judge_lines(records, task)]
    if unreadable := next((row for row in rows if "puzzle" not in row), None):
        raise RefusedError(str(unreadable["reason"]))
    return rows, collect_marks(chain(rows), params.style, params.language)
