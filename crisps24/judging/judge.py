"""The judge: from any text, as people and models write it, to a verdict on a puzzle.

It runs nothing, opens nothing and raises nothing. `extraction` finds the answer without seeing the
puzzle.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from crisps24.errors import RefusedError, WithReason, parse_language
from crisps24.judging.extraction import LONGEST_ANSWER, LONGEST_TEXT, Candidate, extract
from crisps24.messages.message import Count, Message, message, reason_row
from crisps24.notation.errors import FormulaError
from crisps24.notation.statements import Statement, parse_statement
from crisps24.notation.workings import is_rounded, parse_working
from crisps24.rules.deals import usage_problem
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, Game, Hand
from crisps24.rules.queries import HandQuery
from crisps24.rules.words import parse_value
from crisps24.rules.work import QUICK_WORK
from crisps24.solving.solver import find_closest, find_reachable, find_solutions
from crisps24.solving.work import is_rational, is_small_query

# The codes of each verdict, with the key of the message if the judge has one for it.
CODES = {
    "right": {"ok": "", "no-solution": "answer.no_solution"},
    "wrong": {
        "value": "answer.makes",
        "numbers": "",
        "numbers-missing": "",
        "stated": "answer.stated",
        "rounded": "answer.rounded",
        "solvable": "answer.solvable",
        "undecided": "answer.undecided",
    },
    "illegal": dict.fromkeys(
        (
            *("remainder", "below-zero", "zero", "division-by-zero", "sign", "operator"),
            *("number", "too-large", "rule"),
        ),
        "",
    ),
    "malformed": dict.fromkeys(
        ("character", "decimal", "power", "latex", "two-signs", "too-deep"), ""
    )
    | {
        "two-answers": "answer.two_answers",
        "too-long": "answer.too_long",
        "number": "answer.number_digits",
        "not-a-formula": "",
    },
    "none": {
        "no-answer": "answer.none",
        "not-text": "answer.not_text",
        "too-long": "answer.text_too_long",
    },
}
# The value `most` of the messages about texts that are too long.
_MOST = {"answer.too_long": Count(LONGEST_ANSWER), "answer.text_too_long": Count(LONGEST_TEXT)}


@dataclass(frozen=True, slots=True)
class Judgement(WithReason):
    """The verdict on an answer to a puzzle; `bool()` is True if the answer is right."""

    verdict: str
    """`right`, `wrong`, `illegal` (breaks a rule of the game), `malformed` (not a formula), or
    `none` (no answer found)."""
    code: str
    """The reason as one word for programs, one of `CODES`; it does not change between versions."""
    score: float = 0.0
    """1.0 if the answer is right, else 0.0, or the partial credit."""
    value: Exact | None = None
    """The value of the answer, if it has one."""
    answer: str = ""
    """The part of the text that was judged: `text[start:end]`."""
    start: int = 0
    end: int = 0
    formula: str = ""
    """The formula that was judged; the steps of a working as one formula."""
    message: Message | None = None
    """The reason as a key and values; None if the answer is right."""

    def row(self, language: str = "en") -> dict[str, Any]:
        """Return the judgement as a row for programs, with the reason in a language."""
        return {
            "verdict": self.verdict,
            "code": self.code,
            "score": self.score,
            "value": self.value,
            "formula": self.formula,
            **reason_row(self.message, parse_language(language)),
        }

    def __bool__(self) -> bool:
        return self.verdict == "right"


class Posed(NamedTuple):
    """What an answer is held to: the hand, the target, the game, and whether it can be made."""

    hand: Hand
    target: Exact
    game: Game
    solvable: Callable[[], bool]
    """Raises ValueError where that cannot be told."""
    work: int | None = QUICK_WORK
    """How many pairs of values may be looked at to prove that it cannot be made, None for any."""
    nearest: Callable[[], Sequence[Exact]] = tuple
    """The values of right answers, asked only if the game counts the closest value; as
    `right_values`."""


def judgement_of(text: object, posed: Posed, partial: float = 0.0) -> Judgement:
    """Return what a text is worth as the answer to a puzzle; see `Puzzle.judge`.

    Nothing is raised, whatever the text is.
    """
    said = _text_of(text)
    if said is None:
        return Judgement("none", "not-text", message=message("answer.not_text"))
    game = posed.game
    letters = "".join([letter for letter, _ in game.letters]) if game.letters else ""
    found = extract(said, letters, game.extra_operators)
    start, end = found.start, found.end
    try:
        verdict, code, value, formula, reason = _verdict(found, posed)
        if reason is None and (key := CODES[verdict][code]):
            reason = message(key, most=_MOST[key]) if key in _MOST else message(key)
    except FormulaError as error:
        verdict, code, value, reason = error.kind, error.code, None, error.message
        formula = error.text if error.text != found.text else ""
    score = float(verdict == "right")
    if code == "value" and partial and value is not None:
        gap = abs(Fraction(value) - posed.target)
        score = partial / (1 + float(min(gap, Fraction(10**9))))
    return Judgement(verdict, code, score, value, said[start:end], start, end, formula, reason)


def _text_of(text: object) -> str | None:
    """Return a text, decode bytes, or join the text parts of a chat's last assistant message."""
    if isinstance(text, list | tuple):
        said = (each for each in reversed(text) if isinstance(each, dict))
        last = next((each for each in said if each.get("role") == "assistant"), {})
        text = last.get("content")
        if isinstance(text, list | tuple) and text:
            parts = [each.get("text") for each in text if isinstance(each, dict)]
            text = "".join(each for each in parts if isinstance(each, str))
    if isinstance(text, bytes | bytearray):
        # What is too long need not be read.
        text = bytes(text[: 4 * LONGEST_TEXT + 4]).decode(errors="replace")
    return text if isinstance(text, str) else None


class _Verdict(NamedTuple):
    """The verdict on an answer, and the message for it if it has values."""

    verdict: str
    code: str
    value: Exact | None = None
    formula: str = ""
    message: Message | None = None


def _verdict(found: Candidate, posed: Posed) -> _Verdict:
    """Return the verdict on what was found; raise FormulaError for what the grammar says."""
    if found.kind == "none":
        return _Verdict("none", found.code)
    if found.code:
        return _Verdict("malformed", found.code)
    if found.kind == "claim":
        return _of_claim(found, posed)
    game, formula = posed.game, found.formula
    if found.kind == "working":
        statement = parse_working(formula, game, posed.hand)
    else:
        statement = parse_statement(formula, game)
    # What cannot be read comes first, then what is illegal, then what is wrong.
    sides = _other_sides(found, statement, game)
    used = statement.card_numbers(game, posed.hand)
    wrong_numbers = _wrong_numbers(used, posed)
    # What nobody dealt is told below, whether or not the game has it.
    value = statement.value_in(game, (*posed.hand, *map(abs, used)))
    stated = [
        side
        if isinstance(side, Exact)
        else side.value_in(_free_for(game), [*map(abs, side.numbers)])
        for side in sides
    ]
    formula = statement.formula or formula

    def wrong(code: str, **values: object) -> _Verdict:
        reason = message(CODES["wrong"][code], value=value, **values)
        return _Verdict("wrong", code, value, formula, reason)

    if wrong_numbers:
        why = usage_problem(used, posed.hand, all_numbers=game.all_numbers)
        return _Verdict("wrong", wrong_numbers, value, formula, why)
    if value != posed.target and not _is_nearest(value, posed):
        return wrong("value", target=posed.target)
    texts = [] if statement.target is None else [_last_stated(found)]
    for other, text in zip(stated, [*texts, *found.stated], strict=True):
        if other != value and is_rounded(value, text):
            return wrong("rounded", stated=text.strip())
        if other != value:
            return wrong("stated", stated=other)
    return _Verdict("right", "ok", value, formula)


def _last_stated(found: Candidate) -> str:
    """Return what the last step of a working says that it makes."""
    return found.formula.rpartition("=")[2]


def _of_claim(found: Candidate, posed: Posed) -> _Verdict:
    """Return the verdict on a claim that there is no solution, which the solver has to prove."""
    if found.target not in (None, posed.target):
        reason = message("answer.stated", value=posed.target, stated=found.target or 0)
        return _Verdict("wrong", "stated", message=reason)
    try:
        if not is_rational(posed.game):
            # A minus may stand before anything where results may be below zero.
            game = replace(posed.game, signed=posed.game.negatives)
            solvable = is_made(HandQuery(posed.hand, game, work=posed.work), posed.target)
            return _Verdict("wrong", "solvable") if solvable else _Verdict("right", "no-solution")
        solvable = posed.solvable()
        if posed.game.negatives and not solvable:
            # With a minus in front, of what makes a value the opposite is made.
            solvable = is_made(HandQuery(posed.hand, posed.game, work=posed.work), -posed.target)
    except RefusedError as error:
        return _Verdict(
            "wrong", "undecided", message=message("answer.undecided", why=error.message)
        )
    return _Verdict("wrong", "solvable") if solvable else _Verdict("right", "no-solution")


def _is_nearest(value: Exact, posed: Posed) -> bool:
    """Return whether a value is right because the game counts the closest one."""
    try:
        return posed.game.accepts_closest and value in posed.nearest()
    except RefusedError:
        # Too much work to prove that nothing is closer.
        return False


def right_values(query: HandQuery, target: Exact) -> tuple[Exact, ...]:
    """Return the values that answer a puzzle: the target, or the closest where these count.

    Raises ValueError for more work than is allowed.
    """
    if not query.game.accepts_closest or is_made(query, target):
        return (target,)
    return tuple(find_closest(query, target))


def is_made(query: HandQuery, target: Exact) -> bool:
    """Return whether a hand makes a target.

    Raises ValueError for more work than is allowed.
    """
    if is_small_query(query) and is_rational(query.game):
        return bool(find_solutions(query, target))
    return target in find_reachable(query, [target])


def _wrong_numbers(used: Sequence[int], posed: Posed) -> str:
    """Return the code of what is wrong with the numbers of a formula, if something is."""
    if sorted(used) == sorted(posed.hand):
        return ""
    if not Counter(used) <= Counter(posed.hand):
        return "numbers"
    return "numbers-missing" if posed.game.all_numbers else ""


def _other_sides(found: Candidate, statement: Statement, game: Game) -> list[Exact | Statement]:
    """Return what the formula is said to be equal to, as it was read."""
    told: list[Exact | Statement] = [] if statement.target is None else [statement.target]
    for side in found.stated:
        try:
            told.append(parse_value(side))
        except ValueError:
            told.append(parse_statement(side, _free_for(game)))
    return told


@lru_cache(maxsize=16)
def _free_for(game: Game) -> Game:
    """Return the rules of no game, with the letters and the operators that a game has chosen."""
    free = replace(FREE_GAME, letters=game.letters)
    if not game.extra_operators:
        return free
    operators = (*free.operators, *(each.name for each in game.extra_operators if not each.joins))
    return replace(
        free,
        numbers=game.numbers if game.decimals or game.repeating else free.numbers,
        operators=operators,
        decimals=game.decimals,
        repeating=game.repeating,
        nesting=game.nesting,
        bits=game.bits,
    )
