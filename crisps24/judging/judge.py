r"""The judge: from any text, as people and models write it, to a verdict on a puzzle.

`extraction` finds the answer without knowing the puzzle; the answer is parsed, evaluated and
compared with the hand and the target. `Let me see. \boxed{(4 + 4) \times 3 = 24}.` is right for the
hand 3 4 4 and the target 24. A claim that there is no solution is right if the solver proves it
within the limit of work. The judge executes nothing, opens no files and raises no errors. Without
claims, the cost is linear in the length of the text.

An answer `3 x 8 = 20 + 4 = 24` has three sides: the first that is not a number is judged, and the
others are values that it is stated to have. They need not follow the rules of the game.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import Any, Literal, NamedTuple, cast

from crisps24.errors import RefusedError, WithReason, parse_language
from crisps24.judging.candidates import (
    MAX_ANSWER_LENGTH,
    Candidate,
    blank_bullets,
    formula_candidate,
    strip_decoration,
)
from crisps24.judging.extraction import MAX_TEXT_LENGTH, answer_part, extract
from crisps24.judging.patterns import BARE_NUMBER, EQUALS_SIGNS, SEPARATOR, UNFINISHED_STEP
from crisps24.judging.readings import (
    ILLEGAL_CODES,
    MAX_LENGTH,
    Exercise,
    Reading,
    find_right_part,
    has_numbers,
    read,
    unrestricted_game,
)
from crisps24.judging.retractions import MAX_RETRACTION_LENGTH, is_contradicted, is_retracted
from crisps24.messages.message import Count, Message, message, reason_row
from crisps24.notation.checking import formula_points, parse_for_card
from crisps24.notation.errors import FormulaError
from crisps24.notation.shapes import shape_of
from crisps24.notation.statements import Statement, fit_to_game, statement_of
from crisps24.notation.trees import Expression, text_of
from crisps24.notation.workings import is_rounded, is_working, parse_working
from crisps24.rules.deals import usage_problem
from crisps24.rules.exact import Exact, to_json
from crisps24.rules.games import Game, Hand
from crisps24.rules.machines import SOLUTIONS
from crisps24.rules.queries import HandQuery
from crisps24.rules.words import parse_value
from crisps24.solving.solver import find_solutions
from crisps24.solving.values import find_closest, find_reachable
from crisps24.solving.work import is_small_query

Verdict = Literal["right", "wrong", "illegal", "malformed", "unread", "none"]
Code = Literal[
    "ok", "no-solution", "value", "numbers", "numbers-missing", "stated", "rounded", "solvable",
    "undecided", "remainder", "below-zero", "zero", "division-by-zero", "sign", "operator",
    "number", "too-large", "rule", "character", "decimal", "power", "latex", "two-signs",
    "too-deep", "two-answers", "too-long", "not-a-formula", "no-answer", "retracted", "not-text",
    "no-formula", "unread", "found", "decided",
]  # fmt: skip
# The codes of each verdict, with the key of the message if the judge has one for it.
CODES: dict[Verdict, dict[str, str]] = {
    "right": {"ok": "", "no-solution": "answer.no_solution"},
    "wrong": {
        "value": "answer.makes",
        "numbers": "",
        "numbers-missing": "",
        "no-formula": "answer.no_formula",
        "stated": "answer.stated",
        "rounded": "answer.rounded",
        "solvable": "answer.solvable",
        "undecided": "answer.undecided",
        "decided": "answer.decided",
    },
    "illegal": dict.fromkeys(ILLEGAL_CODES, ""),
    "malformed": dict.fromkeys(
        ("character", "decimal", "power", "latex", "two-signs", "too-deep"), ""
    )
    | {
        "too-long": "answer.too_long",
        "number": "answer.number_digits",
        "not-a-formula": "",
    },
    "unread": {
        "unread": "answer.unread",
        "found": "answer.found",
        "two-answers": "answer.two_answers",
    },
    "none": {
        "no-answer": "answer.none",
        "retracted": "answer.retracted",
        "not-text": "answer.not_text",
        "too-long": "answer.text_too_long",
    },
}
# The value `most` of the messages about texts that are too long.
_MAX_LENGTHS = {
    "answer.too_long": Count(MAX_ANSWER_LENGTH),
    "answer.text_too_long": Count(MAX_TEXT_LENGTH),
}
# Codes after which no other reading is tried, and those that are true whatever else a text says.
_FINAL_CODES = {"not-text", "retracted", "solvable", "undecided", "no-solution"}
_CERTAIN = {"value", "stated", "rounded"}
# The code of a wrong answer, with its message.
_Problem = tuple[Code, Message | None]


@dataclass(frozen=True, slots=True)
class Judgement(WithReason):
    """The verdict on an answer to a puzzle; `bool()` is True if the answer is right."""

    verdict: Verdict
    """`right`, `wrong`, `illegal` (breaks a rule of the game), `malformed` (not a formula),
    `unread` (it has something like a formula, and not all of it is clear), or `none` (no answer
    found, or the text takes it back)."""
    code: Code
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
    """The formula that was judged; the steps of a working as one formula. If the answer is
    `unread`, the part that is right by itself (code `found`)."""
    message: Message | None = None
    """The reason as a key and values. If the answer is right, None, or a remark about its form."""
    points: int | None = None
    """What the answer earns, in a game that gives points for operators."""
    tree: Expression | None = field(default=None, repr=False, compare=False)
    """The formula that was judged as a tree, if it is legal."""

    def row(self, language: str = "en") -> dict[str, Any]:
        """Return the judgement as a dictionary, with the reason in a language such as `en` or `nl`.

        Fractions are texts, as in JSON. `values` has the numbers that the reason mentions.
        Raises RefusedError for an unknown language.

        >>> reason = message("answer.makes", value=28, target=24)
        >>> row = Judgement("wrong", "value", value=28, message=reason).row()
        >>> row["verdict"], row["code"], row["value"], row["reason"]
        ('wrong', 'value', 28, 'it makes 28, not 24')
        """
        shape = None if self.tree is None else shape_of(self.tree)
        return {
            "verdict": self.verdict,
            "code": self.code,
            "score": self.score,
            "value": to_json(self.value),
            "formula": self.formula,
            **reason_row(self.message, parse_language(language)),
            **({} if self.points is None else {"points": self.points}),
            "shape": shape and shape.name,
            "tree": shape and shape.tree,
            "depth": shape and shape.depth,
        }

    def __bool__(self) -> bool:
        return self.verdict == "right"


class JudgingContext(NamedTuple):
    """The puzzle that an answer is compared with."""

    hand: Hand
    target: Exact
    game: Game
    solvable: Callable[[], bool]
    """Returns whether the hand can make the target; raises RefusedError for too much work."""
    right_values: Callable[[], Sequence[Exact]] = tuple
    """Returns the values of right answers (see the function `right_values`). Called only if the
    game accepts the values closest to the target."""
    most_points: Callable[[], int] = lambda: 0
    """Returns the most points of an answer. Called only for partial credit, where operators give
    points."""
    strict_equals: bool = False
    """Whether `8 - 4 = 4 x 3 = 12`, where = means `then`, is wrong."""


def judge_text(text: object, context: JudgingContext, partial: float = 0.0) -> Judgement:
    """Find the answer in a text, and judge whether it is right for a puzzle. Never raises.

    A text is a string, UTF-8 bytes, or the messages of a chat, of which the last one of the
    assistant counts. A legal formula with the right numbers and a wrong value has the score
    `partial` / (1 + distance to the target). Where operators give points, `partial` is the part of
    the score of a right answer that grows with its points, up to the most points.
    """
    answer_text = _text_of(text)
    if answer_text is None:
        return Judgement("none", "not-text", message=message("answer.not_text"))
    judgement = _judge_reading(answer_text, context, partial)
    is_final = judgement or judgement.code in _FINAL_CODES or len(answer_text) > MAX_LENGTH
    if not is_final:
        judgement = _read_statements(answer_text, judgement, context)
    if judgement and judgement.formula and len(answer_text) > len(judgement.answer):
        before, after = answer_text[: judgement.start], answer_text[judgement.end :]
        if is_contradicted(before, after, context.target):
            reason = message("answer.two_answers")
            found = judgement.answer, judgement.start, judgement.end
            return Judgement("unread", "two-answers", 0.0, None, *found, message=reason)
    return judgement


def _read_statements(text: str, judgement: Judgement, context: JudgingContext) -> Judgement:
    """Return the judgement of a text as a set of statements, if it says more than the given one."""
    # Most wrong answers are a formula alone, so that no marks have to be looked for.
    if _has_all_numbers(judgement, text) and _is_certain(judgement):
        return judgement
    game = context.game
    letters = "".join(letter for letter, _ in game.letters)
    whole, start, end, depth, *_ = answer_part(text, letters, game.extra_operators)
    part = whole[start:end]
    first = start + len(part) - len(part.lstrip())
    found = part.strip(), first, first + len(part.strip())
    taken_back = message("answer.retracted")
    retracted = Judgement("none", "retracted", 0.0, None, *found, message=taken_back)
    is_whole = _has_all_numbers(judgement, part, start)
    if is_whole and _is_certain(judgement):
        return judgement
    # Steps in order, and all signs of the game, are read by the grammar.
    steps = blank_bullets(whole[slice(*strip_decoration(whole, start, end))])
    reading, why = Reading("unread"), None
    if is_working(steps):
        tree, why = _check_steps(context, steps)
        reading = Reading("right" if tree else "wrong" if why else "unread", tree, why)
    exercise = _exercise_for(context, is_marked=depth > 0)
    is_read = game.extra_operators == () and not game.join
    if reading.tree is None and is_read:
        reading = read(part, exercise)
    if reading.tree is not None:
        if _is_taken_back(text, part, start):
            return retracted
        formula = text_of(reading.tree, game.style)
        remark = message("answer.runs_on") if reading.runs_on else None
        value = statement_of(formula, reading.tree).value_in(game, context.hand)
        points = _points_of(reading.tree, context)
        return Judgement("right", "ok", 1.0, value, *found, formula, remark, points, reading.tree)
    # The reason is that of a reading of the whole text: `4 x 3 = 12` alone has too few numbers.
    codes = {judgement.code, reading.problem[0]} if reading.problem else {judgement.code}
    is_sure = len(codes) == 1 or judgement.code in _CERTAIN
    may_be_read = judgement.verdict in ("malformed", "unread") or judgement.code == "operator"
    if is_whole and is_sure and not may_be_read:
        return judgement
    if reading.verdict == "none":
        return judgement
    if reading.verdict == "wrong" and reading.problem is not None:
        code, reason = reading.problem
        kind = next(kind for kind, codes in CODES.items() if code in codes)
        made = reason.values["value"] if reason and code == "value" else None
        return Judgement(kind, cast(Code, code), 0.0, made, *found, message=reason)
    if reading.problem and is_whole:
        return Judgement("unread", "unread", 0.0, None, *found, message=reading.problem[1])
    tree = find_right_part(part, exercise) if is_read else None
    finished = UNFINISHED_STEP.sub(" ", part) if is_read else part
    if tree is None and finished != part:
        tree = read(finished, exercise).tree
    if tree is None:
        is_one = judgement.code == "operator" or not SEPARATOR.search(part)
        if judgement.code == "two-answers" or (is_whole and is_one and finished == part):
            return judgement
        return Judgement("unread", "unread", 0.0, None, *found, message=message("answer.unread"))
    if _is_taken_back(text, part, start):
        return retracted
    formula = text_of(tree, game.style)
    if judgement.code == "two-answers":
        return replace(judgement, formula=formula)
    reason = message("answer.found", formula=formula)
    return Judgement("unread", "found", 0.0, None, *found, formula, reason)


def _has_all_numbers(judgement: Judgement, part: str, start: int = 0) -> bool:
    """Return whether a part that starts at a column has no numbers outside a judged answer."""
    before, after = (max(place - start, 0) for place in (judgement.start, judgement.end))
    return judgement.verdict != "none" and not has_numbers(part[:before] + part[after:])


def _is_taken_back(text: str, part: str, start: int) -> bool:
    """Return whether the text after the last number of a part takes it back."""
    last_number = max(part.rfind(sign) for sign in "0123456789)]}")
    return is_retracted(text[start + last_number + 1 :])


def _is_certain(judgement: Judgement) -> bool:
    """Return whether no other reading of an answer that is wrong can be right."""
    sides = EQUALS_SIGNS.split(judgement.answer)
    is_formula = sum(not BARE_NUMBER.fullmatch(side) for side in sides) == 1
    is_plain = is_formula and not SEPARATOR.search(judgement.answer)
    is_rule = judgement.verdict == "illegal" and judgement.code != "operator"
    return is_rule or (is_plain and judgement.verdict in ("wrong", "illegal"))


def _exercise_for(context: JudgingContext, *, is_marked: bool) -> Exercise:
    checks = partial(_problem_of_tree, context), partial(_check_steps, context)
    goals: Sequence[Exact] = ()
    with suppress(RefusedError):
        goals = context.right_values() if context.game.accepts_closest else ()
    goals = goals or (context.target,)
    return Exercise(context.hand, goals, context.game, *checks, context.strict_equals, is_marked)


def _check_steps(context: JudgingContext, text: str) -> tuple[Expression | None, _Problem | None]:
    """Return the tree of a working, if it is right, or what is wrong with it."""
    try:
        statement = parse_working(text, context.game, context.hand)
        target = statement.target
        sides = [] if target is None else [(text.rpartition("=")[2], target)]
        judgement = _judge_statement(statement, sides, context)
    except FormulaError as error:
        is_known = error.kind != "malformed" and text != ""
        return None, (cast(Code, error.code), error.message) if is_known else None
    return (statement.tree, None) if judgement else (None, (judgement.code, judgement.message))


def _problem_of_tree(context: JudgingContext, tree: Expression) -> _Problem | None:
    """Return what is wrong with a tree as an answer, None if it is right."""
    game = context.game
    try:
        tree = fit_to_game(tree, game, "", 0, 0)
        judgement = _judge_statement(statement_of(text_of(tree, game.style), tree), (), context)
    except FormulaError as error:
        return cast(Code, error.code), error.message
    return None if judgement else (judgement.code, judgement.message)


def _judge_reading(answer_text: str, context: JudgingContext, partial: float) -> Judgement:
    # Find the answer. For this, only the letters and operators of the game are needed.
    game = context.game
    letters = "".join([letter for letter, _ in game.letters]) if game.letters else ""
    candidate = later = extract(answer_text, letters, game.extra_operators)
    while later.kind != "none":
        candidate, end = later, later.end
        after = answer_text[end : end + MAX_RETRACTION_LENGTH]
        if not is_retracted(after, is_claim=candidate.kind == "claim"):
            break
        # Another answer can follow on a line of its own. Spaces keep its columns.
        rest = " " * end + after if "\n" in after.strip() else ""
        later = extract(rest, letters, game.extra_operators) if rest else Candidate()
    start, end = candidate.start, candidate.end
    if later is not candidate:
        retracted = message(CODES["none"]["retracted"])
        answer = answer_text[start:end]
        return Judgement("none", "retracted", 0.0, None, answer, start, end, message=retracted)
    # Judge it. Most codes have one message; a reason with values is made in `_verdict`.
    try:
        judgement = _verdict(candidate, context)
    except FormulaError as error:
        formula = error.text if error.text != candidate.text else ""
        judgement = Judgement(
            error.kind, cast(Code, error.code), formula=formula, message=error.message
        )
    if not judgement and (typed := _as_typed(answer_text, candidate)):
        with suppress(FormulaError):
            if as_typed := _verdict(typed, context):
                judgement, start = as_typed, typed.start
    code, value, reason = judgement.code, judgement.value, judgement.message
    if reason is None and (key := CODES[judgement.verdict][code]):
        max_length = _MAX_LENGTHS.get(key)
        reason = message(key) if max_length is None else message(key, most=max_length)
    # Score it.
    score = float(bool(judgement))
    if code == "value" and partial and value is not None:
        score = partial_credit(value, context.target, partial)
    points = (judgement.points or 0) if game.operator_points else None
    if points and partial:
        score -= partial * (1 - points / max(points, context.most_points()))
    found = judgement.verdict, code, score, value, answer_text[start:end], start, end
    return Judgement(*found, judgement.formula, reason, points, judgement.tree)


def decide(answer: str, *, is_right: bool) -> Judgement:
    """Return the judgement of a person on an answer."""
    reason, score = message("answer.decided"), float(is_right)
    code: Code = "ok" if is_right else "decided"
    verdict: Verdict = "right" if is_right else "wrong"
    return Judgement(verdict, code, score, answer=answer, message=reason)


def partial_credit(value: Exact, target: Exact, partial: float) -> float:
    """Return the score of a legal answer with a wrong value; at most `partial`."""
    # The limit keeps the distance within the range of a float.
    return partial / (1 + float(min(abs(Fraction(value) - target), Fraction(10**9))))


def _as_typed(text: str, candidate: Candidate) -> Candidate | None:
    """Return an answer as a player reads it, if that differs: 0x3 is a product, - 5 no bullet."""
    before = text[: candidate.start].strip()
    start = 0 if len(before) in (1, 2) else candidate.start
    is_other = candidate.code == "number" or (start == 0 and before)
    return formula_candidate(text, start, candidate.end) if is_other else None


def _text_of(text: object) -> str | None:
    """Return the text to judge, or None; of a chat, the last reply of the assistant."""
    if isinstance(text, list | tuple):
        messages = (entry for entry in reversed(text) if isinstance(entry, dict))
        replies = (entry for entry in messages if entry.get("role") == "assistant")
        text = next(replies, {}).get("content")
        if isinstance(text, list | tuple) and text:
            # The content of a message can be a list of parts, such as texts and images.
            parts = [part.get("text") for part in text if isinstance(part, dict)]
            text = "".join(part for part in parts if isinstance(part, str))
    if isinstance(text, bytes | bytearray):
        # Up to four bytes per character; one more shows that the text is too long.
        text = bytes(text[: 4 * MAX_TEXT_LENGTH + 4]).decode(errors="replace")
    return text if isinstance(text, str) else None


def _verdict(candidate: Candidate, context: JudgingContext) -> Judgement:
    """Return the verdict on an answer; raises FormulaError for one that is malformed or illegal."""
    if candidate.kind == "none":
        return Judgement("none", cast(Code, candidate.code))
    if candidate.code:
        verdict: Verdict = "unread" if candidate.code == "two-answers" else "malformed"
        return Judgement(verdict, cast(Code, candidate.code))
    if candidate.kind == "claim":
        return _judge_claim(candidate, context)
    # Malformed sides are reported first, then illegal ones, then wrong ones.
    game, hand = context.game, context.hand
    statement = parse_for_card(candidate.formula, game, hand)
    sides = _parse_other_sides(candidate, statement, context)
    formula = statement.formula or candidate.formula
    judgement = _judge_statement(statement, sides, context)
    return replace(judgement, formula=formula, tree=statement.tree)


def _judge_statement(
    statement: Statement, sides: Sequence[tuple[str, Exact | Statement]], context: JudgingContext
) -> Judgement:
    """Return the verdict on a formula and the other sides of its equals signs."""
    game, hand = context.game, context.hand
    used_numbers = statement.card_numbers(game, hand)
    # Numbers that are not in the hand are wrong, not illegal, whether or not the game has them.
    value = statement.value_in(game, [*hand, *map(_magnitude, used_numbers)])
    stated = [(text, _value_of_side(side, game)) for text, side in sides]
    code, problem = (
        _problem_of_numbers(statement, used_numbers, context)
        or _problem_of_value(value, context)
        or _problem_of_stated(stated, value)
        or ("ok", None)
    )
    if problem:
        return Judgement("wrong", code, value=value, message=problem)
    statement = statement.as_judged(game, hand)
    return Judgement("right", code, value=value, points=_points_of(statement.tree, context))


def _points_of(tree: Expression, context: JudgingContext) -> int | None:
    scoring = context.game.operator_points
    return formula_points(tree, scoring, len(context.hand)) if scoring else None


def _problem_of_numbers(
    statement: Statement, used: Sequence[Exact], context: JudgingContext
) -> _Problem | None:
    problem = usage_problem(used, context.hand, all_numbers=context.game.all_numbers)
    if problem is None:
        return None
    if statement.unbracketed:
        problem = message("answer.unbracketed", quotient=statement.unbracketed)
    is_part_of_hand = Counter(used) <= Counter(context.hand)
    return "numbers-missing" if is_part_of_hand else "numbers", problem


def _problem_of_value(value: Exact, context: JudgingContext) -> _Problem | None:
    if value == context.target:
        return None
    # A search that takes too much work accepts no other value.
    with suppress(RefusedError):
        if context.game.accepts_closest and value in context.right_values():
            return None
    return "value", message("answer.makes", value=value, target=context.target)


def _problem_of_stated(stated: Sequence[tuple[str, Exact]], value: Exact) -> _Problem | None:
    """Return the problem of the first stated value, given with its text, that is not the value."""
    for text, stated_value in stated:
        if stated_value != value:
            if is_rounded(value, text):
                return "rounded", message("answer.rounded", value=value, stated=text.strip())
            return "stated", message("answer.stated", value=value, stated=stated_value)
    return None


def _judge_claim(candidate: Candidate, context: JudgingContext) -> Judgement:
    """Judge the claim that a puzzle cannot be solved; too much work is `undecided`."""
    if candidate.target not in (None, context.target):
        stated = candidate.target or 0  # It is not None here.
        reason = message("answer.stated", value=context.target, stated=stated)
        return Judgement("wrong", "stated", message=reason)
    try:
        solvable = context.solvable()
    except RefusedError as error:
        reason = message("answer.undecided", why=error.message)
        return Judgement("wrong", "undecided", message=reason)
    return Judgement("wrong", "solvable") if solvable else Judgement("right", "no-solution")


def right_values(query: HandQuery, target: Exact) -> tuple[Exact, ...]:
    """Return the values of the right answers to a puzzle, smallest first: usually the target.

    If a game accepts the closest values and the target cannot be made, it is the one or two values
    closest to the target, or none if the hand makes no value.
    """
    if not query.game.accepts_closest or can_make(query, target):
        return (target,)
    return tuple(find_closest(query, target))


def can_make(query: HandQuery, target: Exact) -> bool:
    # With few numbers, usually up to 6, a search for all solutions is cheap.
    if is_small_query(query) and SOLUTIONS.can_do(query.game):
        return bool(find_solutions(query, target))
    return target in find_reachable(query, [target])


def _magnitude(number: Exact) -> Exact:
    return max(number, -number)


def _parse_other_sides(
    candidate: Candidate, statement: Statement, context: JudgingContext
) -> list[tuple[str, Exact | Statement]]:
    """Parse the sides of an answer that are not judged; the result of a working comes first."""
    sides: list[tuple[str, Exact | Statement]] = []
    if statement.target is not None:
        sides = [(candidate.formula.rpartition("=")[2], statement.target)]
    for text in candidate.stated:
        try:
            sides.append((text, parse_value(text)))
        except ValueError:
            unrestricted = unrestricted_game(context.game)
            sides.append((text, parse_for_card(text, unrestricted, context.hand)))
    return sides


def _value_of_side(side: Exact | Statement, game: Game) -> Exact:
    if isinstance(side, Exact):
        return side
    return side.value_in(unrestricted_game(game), list(map(_magnitude, side.numbers)))
