"""The judge: from any text, as people and models write them, to a verdict on a posed.

Which part of the text is the answer `notation.extraction` says, which never sees the puzzle; the
grammar reads it and the evaluator works it out, as for everything else, and here it is held to the
hand and the target. Nothing is run, nothing is opened, nothing is raised. Owns the verdicts and
their codes.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from crisps24.errors import RefusedError
from crisps24.hands.solver import solutions
from crisps24.notation.errors import FormulaError
from crisps24.notation.extraction import LONGEST_ANSWER, LONGEST_TEXT, Candidate, extract
from crisps24.notation.statements import Statement, read
from crisps24.notation.workings import read_working
from crisps24.rules.deals import format_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.words import format_value

# What a judgement is told by, with what is said of it where nobody else says it.
CODES = {
    "right": {"ok": "", "no-solution": "there is no solution"},
    "wrong": {
        "value": "it makes {value}, not {target}",
        "numbers": "it uses {used}, and the hand is {hand}",
        "numbers-missing": "it uses {used}, and the hand is {hand}",
        "stated": "it is {value}, and {stated} is stated",
        "solvable": "there is a solution",
        "undecided": "whether there is a solution cannot be told: {why}",
    },
    "illegal": dict.fromkeys(
        (
            *("remainder", "below-zero", "zero", "division-by-zero", "sign", "operator"),
            *("number", "too-large", "rule"),
        ),
        "",
    ),
    "malformed": dict.fromkeys(
        ("character", "number", "decimal", "power", "latex", "two-signs", "too-deep"), ""
    )
    | {
        "two-answers": "there are several answers, and they differ",
        "too-long": f"an answer has at most {LONGEST_ANSWER:,} characters",
        "not-a-formula": "it is no formula",
    },
    "none": {
        "no-answer": "there is no answer in it",
        "not-text": "it is no text",
        "too-long": f"a text has at most {LONGEST_TEXT:,} characters",
    },
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a text is worth as the answer to a puzzle; true, as `bool` has it, where it is right."""

    verdict: str
    """`right`, `wrong`, `illegal` (it breaks a rule of the game), `malformed` (what is given as an
    answer is none), or `none` (no answer is given)."""
    code: str
    """What a program tells it by, one word of `CODES` that stays."""
    score: float = 0.0
    """1.0 where it is right, else 0.0; more where partial credit was asked for."""
    value: Exact | None = None
    """What the answer makes, where it makes something."""
    answer: str = ""
    """The part of the text that was judged: `text[start:end]`."""
    start: int = 0
    end: int = 0
    formula: str = ""
    """The formula that was judged, or what a working was turned into."""
    reason: str = ""
    """What is wrong, in a sentence; empty where nothing is."""

    def __bool__(self) -> bool:
        return self.verdict == "right"


class Posed(NamedTuple):
    """What an answer is held to: the hand, the target, the game, and how to find the solutions."""

    hand: Hand
    target: Exact
    game: Game
    solutions: Callable[[], Sequence[object]]
    """Raises ValueError where they cannot be found."""


def judgement_of(text: object, posed: Posed, partial: float = 0.0) -> Judgement:
    """Return what a text is worth as the answer to a puzzle; see `Puzzle.judge`.

    Nothing is raised, whatever the text is.
    """
    said = _text_of(text)
    if said is None:
        return _judged("none", "not-text")
    found = extract(said)
    try:
        judgement = _verdict(found, posed)
    except FormulaError as error:
        formula = error.text if error.text != found.text else ""
        judgement = Judgement(error.kind, error.code, reason=error.reason, formula=formula)
    judgement = replace(judgement, answer=found.text, start=found.start, end=found.end)
    if judgement.code == "value" and partial and judgement.value is not None:
        gap = abs(Fraction(judgement.value) - posed.target)
        judgement = replace(judgement, score=partial / (1 + float(min(gap, Fraction(10**9)))))
    return judgement


def _text_of(text: object) -> str | None:
    """Return what is said in a text, in bytes, or last by the assistant of a chat."""
    if isinstance(text, list | tuple):
        said = (each for each in reversed(text) if isinstance(each, dict))
        last = next((each for each in said if each.get("role") == "assistant"), {})
        text = last.get("content")
    if isinstance(text, bytes | bytearray):
        # What is too long need not be read.
        text = bytes(text[: 4 * LONGEST_TEXT + 4]).decode(errors="replace")
    return text if isinstance(text, str) else None


def _verdict(found: Candidate, posed: Posed) -> Judgement:
    """Return the verdict on what was found; raise FormulaError for what the grammar says."""
    if found.kind == "none":
        return _judged("none", found.code)
    if found.code:
        return _judged("malformed", found.code)
    if found.kind == "claim":
        return _of_claim(found, posed)
    game = posed.game
    if found.kind == "working":
        statement = read_working(found.formula, game, posed.hand)
    else:
        statement = read(found.formula, game)
    value = _value_of(statement, posed)
    told: dict[str, Any] = {"value": value, "formula": statement.formula or found.formula}
    used = statement.used(game, posed.hand)
    if code := _wrong_numbers(used, posed):
        told |= {"used": format_hand(used), "hand": format_hand(posed.hand)}
        return _judged("wrong", code, **told)
    if value != posed.target:
        return _judged("wrong", "value", target=format_value(posed.target), **told)
    for stated in _stated(found, statement, posed):
        if stated != value:
            return _judged("wrong", "stated", stated=format_value(stated), **told)
    return _judged("right", "ok", **told)


def _of_claim(found: Candidate, posed: Posed) -> Judgement:
    """Return the verdict on a claim that there is no solution, which the solver has to prove."""
    if found.target not in (None, posed.target):
        stated = format_value(found.target or 0)
        return _judged("wrong", "stated", value=posed.target, stated=stated)
    try:
        solvable = bool(posed.solutions())
        if posed.game.negatives and not solvable:
            # With a minus in front, of what makes a value the opposite is made.
            solvable = bool(solutions(posed.hand, -posed.target, posed.game))
    except RefusedError as error:
        return _judged("wrong", "undecided", why=str(error))
    return _judged("wrong", "solvable") if solvable else _judged("right", "no-solution")


def _wrong_numbers(used: Sequence[int], posed: Posed) -> str:
    """Return the code of what is wrong with the numbers of a formula, if something is."""
    if sorted(used) == sorted(posed.hand):
        return ""
    if not Counter(used) <= Counter(posed.hand):
        return "numbers"
    return "numbers-missing" if posed.game.all_numbers else ""


def _value_of(statement: Statement, posed: Posed) -> Exact:
    """Return the value of a formula by the rules of the game, whatever its numbers are."""
    return statement.value_in(posed.game, (*posed.hand, *map(abs, statement.numbers)))


def _stated(found: Candidate, statement: Statement, posed: Posed) -> list[Exact]:
    """Return what the formula is said to be equal to."""
    values = [] if statement.target is None else [statement.target]
    for side in found.stated:
        values.append(_value_of(read(side, posed.game), posed))
    return values


def _judged(verdict: str, code: str, **told: Any) -> Judgement:
    value, formula = told.get("value"), told.get("formula", "")
    words = told | ({} if value is None else {"value": format_value(value)})
    reason = CODES[verdict][code].format(**words)
    return Judgement(
        verdict, code, float(verdict == "right"), value, formula=formula, reason=reason
    )
