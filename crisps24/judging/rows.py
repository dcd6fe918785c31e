"""Judge the lines of a file: records of answers in, rows for tables out."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple

from crisps24.errors import CrispsError, RefusedError, parse_language
from crisps24.judging.columns import ANSWER_FIELDS, TEXT_FIELDS
from crisps24.judging.forms import answers_in, find_puzzle, form_of
from crisps24.judging.judge import (
    Judgement,
    JudgingContext,
    Verdict,
    can_make,
    decide,
    judge_text,
    right_values,
)
from crisps24.judging.records import Attempt, parse_record, to_json_value
from crisps24.judging.table_rows import RecordLine
from crisps24.messages.message import reason_row
from crisps24.output.tables import Row
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.ids import format_id
from crisps24.rules.queries import HandQuery
from crisps24.rules.work import QUICK_WORK

ROW_KEYS = ("verdict", "code", "score", "value", "formula", "reason")
# Those of json and jsonl alone.
NESTED_KEYS = ("values", "shape", "tree", "depth")
# The names of fields of a line that have the name of a result.
KEPT = {name: f"input_{name}" for name in ("line", *ROW_KEYS, *NESTED_KEYS)}
# The fields of an answer in the table of a class.
_CLASS_FIELDS = {"name", "id", ANSWER_FIELDS[0]}
# What a person decided about an answer, before it.
_DECISION = re.compile(r"\s*(ok|0)\s*>(.*)", re.DOTALL | re.IGNORECASE)
_CACHED_PUZZLES, _MAX_NAMES = 10_000, 12


class Task(NamedTuple):
    """How to judge the lines of a file, and the contents of their rows."""

    default_puzzle: Attempt
    language: str
    strict_equals: bool = False
    """Whether an equals sign cannot mean `then`."""
    found: str = ""
    """For marks of a class: the points for the right part of an answer that is unread. Then a row
    also has the id of its `puzzle` and the `text` that was judged."""


def judge_batch(lines: Sequence[RecordLine], task: Task) -> list[Row]:
    return list(judge_lines(lines, task))


def judge_lines(lines: Iterable[RecordLine], task: Task) -> Iterator[Row]:
    """Yield the row of each answer in the lines of a file."""
    # The contexts of puzzles that have an id and no other fields, as those of a class.
    known: dict[str, JudgingContext] = {}
    for number, line in lines:
        record: Row | None = {}
        judgements: list[tuple[object, Judgement]] = []
        try:
            record = parse_record(line)
            if record is None:
                continue
            form = form_of(tuple(record), isinstance(line, dict))
            id_ = str(record.get("id")) if record.keys() == _CLASS_FIELDS else ""
            if (context := known.get(id_)) is None:
                puzzle = (
                    find_puzzle(record, form, task.default_puzzle)
                    if number
                    else task.default_puzzle
                )
                context = judging_context(puzzle, task.strict_equals)
                if id_ and len(known) < _CACHED_PUZZLES:
                    known[id_] = context
            if not form.answers:
                raise _missing_answer(record)
            judgements = [
                (answer, _judge_answer(answer, context, task.found))
                for answer in answers_in(record, form)
            ]
        except CrispsError as error:
            record = record or {}
            row = dict.fromkeys(ROW_KEYS) | {"verdict": "unreadable"}
            rows = [row | reason_row(error.message, parse_language(task.language))]
        else:
            rows = [judgement.row(task.language) for _, judgement in judgements]
            if len(rows) > 1:
                # Each row has its sample in place of the list of all.
                root = form.answers[0].partition(".")[0]
                record = {name: value for name, value in record.items() if name != root}
                for index, (answer, _) in enumerate(judgements):
                    rows[index] = {"sample": index + 1, root: answer} | rows[index]
            if task.found:
                puzzle_id = _format_id(context.game, context.hand, context.target)
                for row, (answer, judgement) in zip(rows, judgements, strict=True):
                    row |= {"puzzle": puzzle_id, "text": judgement.answer or answer}
        for row in rows:
            # The number of a text in the call is 0: it is not a line of a file.
            results = {"line": number} | row if number else row
            fields = to_json_value(record)
            if not task.found and not results.keys().isdisjoint(fields):
                fields = {KEPT.get(name, name): value for name, value in fields.items()}
            yield fields | results
            # The objects of a long row take much memory: do not keep them beside the next row.
            del fields
        del record, rows, row, judgements


def _judge_answer(answer: object, context: JudgingContext, found: str) -> Judgement:
    """Judge an answer; in marks of a class, a person or `--found` decides about an unread one."""
    decision = _DECISION.fullmatch(answer) if found and isinstance(answer, str) else None
    if decision:
        return decide(decision[2].strip(), is_right=decision[1] != "0")
    judgement = judge_text(answer, context)
    if found in ("", "ask") or judgement.verdict != "unread":
        return judgement
    is_right = found == "give" and judgement.formula != ""
    verdict: Verdict = "right" if is_right else "wrong"
    return replace(judgement, verdict=verdict, score=float(is_right))


def _missing_answer(record: Row) -> RefusedError:
    answer = record.get("answer")
    names = ", ".join([*record][:_MAX_NAMES])
    expected = ", ".join(TEXT_FIELDS[:4])
    if isinstance(answer, dict):
        return RefusedError(f'"answer" is an object with {", ".join(answer)}: add a completion')
    if answer is None:
        return RefusedError(f"missing answer (expected {expected}, …; it has {names})")
    return RefusedError(
        f'missing answer (expected {expected}, …; it has {names}); "answer" is the key of a puzzle'
    )


def judging_context(puzzle: Attempt, strict_equals: bool) -> JudgingContext:
    _, hand, target, game = puzzle
    if hand is None:
        raise RefusedError("missing hand: add --card, or a column hand or id")
    if target is None:
        raise RefusedError("missing target: add --target, or a column target or id")
    solvable = partial(_can_make, hand, target, game)
    values = partial(_right_values, hand, target, game)
    return JudgingContext(hand, target, game, solvable, values, strict_equals=strict_equals)


_format_id = lru_cache(_CACHED_PUZZLES)(format_id)


@lru_cache(_CACHED_PUZZLES)
def _right_values(hand: Hand, target: Exact, game: Game) -> tuple[Exact, ...]:
    """Return the values that are right for a puzzle: the target, or else the closest values."""
    return right_values(HandQuery(hand, game, work=QUICK_WORK), target)


@lru_cache(_CACHED_PUZZLES)
def _can_make(hand: Hand, target: Exact, game: Game) -> bool:
    return can_make(HandQuery(hand, game, work=QUICK_WORK), target)
