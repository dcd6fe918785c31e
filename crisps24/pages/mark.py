"""The mark page: the table of a class in, its marks out; a person decides what was not read.

Nothing is stored: the answers travel in the page, and each form sends them again.
"""

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any, NamedTuple

from crisps24.errors import MAX_COMPLAINTS, RefusedError
from crisps24.judging.class_tables import (
    ClassPuzzles,
    HeaderError,
    decode_all,
    read_all,
    read_class,
)
from crisps24.judging.columns import PLACE_FIELD
from crisps24.judging.phone_lines import has_phone_results, read_phone_page, read_phone_results
from crisps24.judging.records import Attempt
from crisps24.judging.sources import open_text
from crisps24.messages.message import Message, as_message, message
from crisps24.output.tables import Row
from crisps24.output.workbooks import check_workbook
from crisps24.pages.addresses import Field, Parameters, number, one_of
from crisps24.pages.puzzles import MAX_PUZZLES, deal_puzzles
from crisps24.pages.replies import TABLE_TYPES, PageReply, download, table_reply
from crisps24.paper.marks import Marks, collect_marks
from crisps24.paper.papers import marks_bytes
from crisps24.paper.phone_marks import PhoneMarks, phone_marks
from crisps24.paper.sheets import Sheet
from crisps24.rules.deals import format_hand
from crisps24.rules.games import FREE_GAME, Game
from crisps24.rules.ids import parse_id

MAX_ANSWERS = 10_000
_FOUND = ("ask", "give", "none")
_COMMAND = ("crisps24", "mark", "class.csv", "--out", "marks.pdf")
_PHONES_COMMAND = ("crisps24", "mark", "chat.txt", "--page", "puzzles.html", "--out", "marks.pdf")
# The last takes a decision back.
_DECISIONS = ("ok", "0", "?")
_DECIDED = re.compile(r"(?:ok|0)>")
_TO_LOOK_AT = ("unread", "malformed")


FIELDS = (
    *(Field(name, str) for name in ("own", "pasted", "answers", "decide", "title", "player")),
    one_of("found", _FOUND),
    number("count", 1, MAX_PUZZLES),
)
NAMES = ("game", "target", "seed", "level", *(field.name for field in FIELDS))


class _Answer(NamedTuple):
    name: str
    puzzle: str
    text: str
    place: str = ""
    """The version and the number of the puzzle in a test with versions, such as B3."""


class _Marked(NamedTuple):
    """The marks of a class, and the fields that a page sends again to have the same ones."""

    marks: Marks
    kept: Mapping[str, str]
    rows: Sequence[Row] = ()
    """The judged answers; none for the results of phones."""
    notes: Sequence[Message | str] = ()


def page(params: Parameters) -> dict[str, Any]:
    # Refuse a wrong choice also before there is a table.
    params.value("found")
    if not (marked := _read(params)):
        if params.sent:
            raise RefusedError(message("refused.no_table"))
        return {}
    is_of_phones = isinstance(marked.marks, PhoneMarks)
    placed = [*_placed(marked)]
    open_rows = [row for row in placed if not row["decided"]]
    game = ("--game", params["game"]) if "game" in params else ()
    command = _PHONES_COMMAND if is_of_phones else (*_COMMAND, *game)
    return {
        "notes": [as_message(note) for note in marked.notes],
        "kept": marked.kept,
        "looked": [row for row in open_rows if row["verdict"] in _TO_LOOK_AT and row["text"]],
        "mistakes": [
            row
            for row in open_rows
            if row["verdict"] not in ("right", *_TO_LOOK_AT) and row["code"] != "no-answer"
        ],
        "decided": [row for row in placed if row["decided"]],
        "marks": marked.marks,
        "listed": marked.marks.listed() if is_of_phones else [],
        "legend": marked.marks.legend,
        "command": shlex.join(command),
    }


def file(params: Parameters, form: str) -> PageReply:
    """Return the marks as a file: csv, xlsx or pdf."""
    if form == "xlsx":
        check_workbook()
    if not (marked := _read(params)):
        raise RefusedError(message("refused.no_table"))
    marks = marked.marks
    if form == "csv":
        rows = [*marks.rows()]
        return table_reply("marks.csv", rows, list(rows[0]), params.language)
    sheet = Sheet(title=params.get("title", ""), language=params.language.name)
    body = b"".join(marks_bytes(marks, form, sheet))
    return download(body, f"marks.{form}", TABLE_TYPES.get(form, "application/pdf"))


def _placed(marked: _Marked) -> Iterator[Row]:
    """Yield the judged answers with their places in the list of all, and what is asked."""
    answers = json.loads(marked.kept.get("answers", "[]"))
    numbers = {puzzle: number for number, puzzle in marked.marks.numbered()}
    for place, (row, answer) in enumerate(zip(marked.rows, answers, strict=True)):
        _, hand, _ = parse_id(row["puzzle"])
        asked = f"{numbers[row['puzzle']]} ({format_hand(hand)})"
        is_decided = bool(_DECIDED.match(_Answer(*answer).text))
        yield row | {"place": place, "asked": asked, "decided": is_decided}


def _read(params: Parameters) -> _Marked | None:
    """Return the marks of a table, of results of phones, or of what the page has sent again."""
    if "answers" in params:
        return _marked(params, _sent_answers(params))
    upload = params.files.get("table")
    data = upload.data if upload else params.get("pasted", "").encode()
    if not data:
        return None
    notes: list[Message | str] = []
    source = open_text(BytesIO(data), None, None, notes.append, all_sheets=True)
    data = read_all(source)
    text = decode_all(data)
    if has_phone_results(text):
        return _of_phones(params, text)
    return _marked(params, [*_answers_in(params, data, notes.append)], notes)


def _of_phones(params: Parameters, text: str) -> _Marked:
    """Return the marks of result lines; the file that was played names its puzzles."""
    upload = params.files.get("player")
    played = upload.data.decode(errors="replace") if upload else params.get("player", "")
    results = read_phone_results(text, read_phone_page(played.encode()) if played else None)
    marks = phone_marks(results, params.style, params.language)
    kept = {"pasted": text} | ({"player": played} if played else {})
    notes = [*results.notes, *results.damaged[:MAX_COMPLAINTS]]
    if others := len(results.damaged[MAX_COMPLAINTS:]):
        notes.append(message("refused.more", count=others))
    return _Marked(marks, kept, notes=notes)


def _answers_in(
    params: Parameters, data: bytes, note: Callable[[Message | str], object]
) -> Iterator[_Answer]:
    game = _game_of(params)
    if game is FREE_GAME and params.has_any(("own", "seed")):
        raise RefusedError(message("refused.no_headers"))
    # The puzzles that headers such as 1, 2, 3 count.
    counted = deal_puzzles(params) if params.has_any(("own", "seed")) else ()
    listed = [puzzle.id for puzzle in counted]
    known = ClassPuzzles(game, params.value("target", game.target), listed)
    try:
        records = [record for _, record in read_class(data, known, note)]
    except HeaderError:
        raise RefusedError(message("refused.no_headers")) from None
    for record in records:
        if isinstance(record, RefusedError):
            raise record
        if isinstance(record, dict) and record.get("id"):
            text = str(record.get("completion") or "")
            name, place = str(record.get("name") or ""), str(record.get(PLACE_FIELD) or "")
            yield _Answer(name, record["id"], text, place)


def _game_of(params: Parameters) -> Game:
    """Return the game of headers that are hands; FREE_GAME, in which none are, unless chosen."""
    is_chosen = "game" in params or len(params.site.games) == 1
    return params.game() if is_chosen else FREE_GAME


def _sent_answers(params: Parameters) -> list[_Answer]:
    """Return the answers of the page, one with the decision of a person, such as `12 ok`."""
    try:
        answers = [_Answer(*map(str, each)) for each in json.loads(params["answers"])]
    except (ValueError, TypeError):
        raise RefusedError(message("refused.no_table")) from None
    place, _, word = params.get("decide", "").partition(" ")
    if word in _DECISIONS and place.isdecimal() and int(place) < len(answers):
        answer = answers[int(place)]
        # A decision replaces an earlier one.
        text = _DECIDED.sub("", answer.text, count=1).strip()
        answers[int(place)] = answer._replace(text=text if word == "?" else f"{word}> {text}")
    return answers


def _marked(
    params: Parameters, answers: Sequence[_Answer], notes: Sequence[Message | str] = ()
) -> _Marked | None:
    # It takes a fifth of the time in which all pages are imported.
    from crisps24.judging.rows import Task, judge_lines

    if len(answers) > MAX_ANSWERS:
        raise RefusedError(message("refused.many_answers", most=MAX_ANSWERS))
    game = _game_of(params)
    default = Attempt("", None, game.target, game)
    task = Task(default, params.language.name, found=params.value("found", "ask"))
    records: Iterator[Any] = (
        (number, {"name": name, "id": puzzle, "completion": text, PLACE_FIELD: place})
        for number, (name, puzzle, text, place) in enumerate(answers, 1)
    )
    rows = [*judge_lines(records, task)]
    if unreadable := next((row for row in rows if "puzzle" not in row), None):
        raise RefusedError(str(unreadable["reason"]))
    marks = collect_marks(rows, params.style, params.language)
    return _Marked(marks, {"answers": json.dumps(answers, ensure_ascii=False)}, rows, notes)
