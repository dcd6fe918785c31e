"""Workings: steps as people write them, and the formula that they make.

`75 + 50 = 125, 125 x 6 = 750, 750 - 25 = 725` is (75 + 50) x 6 - 25.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple, TypeVar

from crisps24.messages.message import Count, Spaced, message
from crisps24.notation.errors import FormulaError, IllegalFormulaError, MalformedFormulaError
from crisps24.notation.grammar import (
    CLOSING_BRACKETS,
    FRACTION_MARK,
    LATEX_FRACTION,
    MAX_FORMULA_LENGTH,
    MAX_NESTING,
    MAX_NUMBER_LENGTH,
    TextSpan,
    normalise_formula,
)
from crisps24.notation.spellings import DIVISION
from crisps24.notation.statements import Statement, fit_to_game, parse_statement, statement_of
from crisps24.notation.trees import (
    Expression,
    NoOperand,
    Number,
    Operation,
    parts_of,
    split_chain,
    text_of,
)
from crisps24.rules.characters import normalise
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from crisps24.rules.operators import MINUS, MINUS_PATTERN, OPERATORS
from crisps24.rules.words import format_value, parse_value

_Done = TypeVar("_Done")

MAX_WORKING_STEPS = 100
_MINUS = "".join(MINUS.spellings) + " "
_STATED = message("working.states_none")
# A step is shown in a sentence where it is no longer.
_LONGEST_SHOWN = 40

# What comes between steps: commas, semicolons, lines and arrows.
_BETWEEN = re.compile(r"(?:[,;、→⇒\n\r]|[-=]>)[\s,;、→⇒]*")
# A result that is not whole, as it stands in a later step, alone or in parentheses.
_PART = rf"(?:[0-9]+[/∕⁄][0-9]+|[0-9]*\.[0-9]+|{LATEX_FRACTION.pattern.replace('(', '(?:')})"


def _not_whole(part: str, after: str) -> re.Pattern[str]:
    # The braces of LaTeX keep a fraction together behind a division: 8/\\frac{1}{3}.
    # A decimal is one number behind it as well: 8/0.25.
    begins = rf"(?:(?<![0-9./∕⁄])|(?={FRACTION_MARK})|(?<=[/∕⁄])(?=[0-9]*\.))"
    return re.compile(
        rf"[(\[]\s*({MINUS_PATTERN}?\s*{part})\s*[)\]]|{begins}({part})(?!{after}[0-9./∕⁄])"
    )


_NOT_WHOLE = _not_whole(_PART, "")
# The same with spaces in it, where it comes after no other division.
_SPACED = _not_whole(_PART.replace("[/∕⁄]", r"\s*[/∕⁄]\s*", 1), r"\s*")
_APART = re.compile(r"\s[/∕⁄]|[/∕⁄]\s")
_DIVIDES = tuple(OPERATORS[DIVISION].spellings)


class _Step(NamedTuple):
    """A step as it was read."""

    statement: Statement
    """With what it says that it makes, if it does."""
    stated: TextSpan
    """Where it says so; where it does not, its end."""
    span: TextSpan


class PartialWorking(NamedTuple):
    """Where a working stands that may go on."""

    steps: tuple[str, ...]
    """Its steps, as they were written, each with what it makes."""
    results: tuple[tuple[Exact, Expression], ...]
    """What each of them makes, and the formula by which that is made of numbers dealt."""
    numbers_left: tuple[int, ...]
    """The numbers of the card that are not used yet."""
    results_left: tuple[Exact, ...]
    """The results that are not used yet."""

    @property
    def left(self) -> tuple[Exact, ...]:
        """All numbers that are not used yet."""
        return (*self.numbers_left, *self.results_left)


class _Made(NamedTuple):
    """What a step made."""

    value: Exact
    tree: Expression
    depth: int
    stated: TextSpan


def is_working(text: str) -> bool:
    """Return whether a text has several steps, of which the first says what it makes.

    >>> is_working("1 + 2 = 3; 3 x 4 = 12"), is_working("1 + 2 = 3"), is_working("1, 2")
    (True, False, False)
    """
    line = normalise_formula(text)
    if len(text) > MAX_FORMULA_LENGTH or not _BETWEEN.search(line):
        return False
    spans = _spans(line)
    _, sign, result = line[slice(*spans[0])].partition("=") if len(spans) > 1 else ("", "", "")
    return sign != "" and result.strip() != ""


def is_rounded(value: Exact, stated: str) -> bool:
    """Return whether a text states a value with a decimal point, rounded or cut off.

    >>> is_rounded(Fraction(8, 3), "2.67"), is_rounded(Fraction(8, 3), "2.6"), is_rounded(8, "8.5")
    (True, True, False)
    """
    _, point, decimals = normalise(stated).strip(" .").partition(".")
    written = _value_or_none(normalise(stated).strip().removesuffix("."))
    if not point or not decimals or written in (None, value):
        return False
    return abs(Fraction(value) - Fraction(written or 0)) < Fraction(1, 10 ** len(decimals))


def ends_with_result(text: str) -> bool:
    """Return whether a text is of steps of which the last ends with what it makes, or with `=`.

    >>> [ends_with_result(text) for text in ("75 + 50 = 125", "75 + 50 =", "75 + 50 = 125, 6 x 3")]
    [True, True, False]
    """
    line = normalise_formula(text)
    spans = _spans(line)
    return spans != [] and "=" in line[slice(*spans[-1])]


def parse_working(
    text: str, game: Game, card: Sequence[int] | None = None, style: str | None = None
) -> Statement:
    """Read a working into one tree, and the target that its last step states.

    A number is the result of an earlier step where there is one that is not used yet, and else
    one that is dealt: of the card, where there is one. A fraction that an earlier step made is one
    number: below `3 - 8/3 = 1/3`, `8 / 1/3` is 8 / (1/3), and so is `8 ÷ 1/3`. The formula, and
    errors, are written in `style`, by default that of the game.

    >>> from crisps24 import GAMES
    >>> reading = parse_working("75 + 50 = 125, 125 x 6 = 750", GAMES["countdown"])
    >>> reading.formula, reading.target
    ('(75 + 50) x 6 = 750', 750)

    Raises what `evaluate` raises, and `FormulaError` for a step that makes something else than
    it says, or is done with a number that is not there.
    """
    tree, target = _either_way(_finished, text, game, card, style)
    formula = text_of(tree, style or game.style)
    if target is not None:
        formula += f" = {target}"
    return statement_of(text, tree)._replace(target=target, formula=formula)


def parse_partial_working(
    text: str, game: Game, card: Sequence[int], style: str | None = None
) -> PartialWorking:
    """Do the steps of a working that may go on, with the numbers of a card.

    The last of them need not say what it makes: `75 + 50 =` and `75 + 50` are steps as well.

    >>> from crisps24 import GAMES
    >>> text, card = "75 + 50 = 125, 6 - 1 = 5", (75, 50, 25, 6, 1)
    >>> parse_partial_working(text, GAMES["countdown"], card).left
    (25, 125, 5)

    Raises what `parse_working` raises, but for what is not used at the end, and in a game without
    parentheses for a step that needs them already.
    """
    return _either_way(_begun, text, game, card, style)


def _spans(line: str) -> list[TextSpan]:
    """Return where the steps of a line stand."""
    ends = [found.span() for found in _BETWEEN.finditer(line)]
    starts = [0, *(end for _, end in ends)]
    stops = [*(start for start, _ in ends), len(line)]
    spans = zip(starts, stops, strict=True)
    return [(start, end) for start, end in spans if line[start:end].strip()]


class _Desk:
    """Where a working is done: the numbers that are there, and what was made of them."""

    def __init__(
        self,
        text: str,
        game: Game,
        card: Sequence[int] | None,
        style: str | None,
        *,
        dealt_first: bool = False,
        spaced: bool = False,
    ) -> None:
        self.text = text
        self.style = style
        self.dealt_first = dealt_first
        self.spaced = spaced
        self.line = normalise_formula(text, game.extra_operators)
        self.game = game
        # Steps are not what a game groups in its own way.
        standard = game.grouping == "standard"
        self.rules = game if standard else replace(game, grouping="standard")
        self.card = card
        self.left = Counter(card or ())
        self.made: list[_Made] = []
        """What is not used yet."""
        self.seen: list[Exact] = []
        """What was ever made."""
        self.depth = 0
        """How deep what a step uses is nested."""

    def parse_steps(self, *, more: bool = False) -> Iterator[_Step]:
        """Read all steps, before any is worked out; where `more` may follow, = may end the last."""
        spans = _spans(self.line)
        if len(spans) > MAX_WORKING_STEPS:
            reason = message(
                "working.too_many_steps", count=len(spans), most=Count(MAX_WORKING_STEPS)
            )
            raise MalformedFormulaError(reason, self.text, *spans[MAX_WORKING_STEPS])
        results: set[Exact] = set()
        for place, (start, end) in enumerate(spans):
            last = place == len(spans) - 1
            step = self.read_step(start, self.end_of(start, end) if more and last else end, results)
            target = step.statement.target
            if target is None and not last:
                raise MalformedFormulaError(_STATED, self.text, start, end - start)
            if target is not None:
                results.add(target)
            yield step

    def end_of(self, start: int, end: int) -> int:
        """Return where the formula of a step ends, of which an = at the end is no part."""
        words = self.line[start:end].rstrip()
        formula = words.removesuffix("=")
        return start + len(formula) if formula.strip() else end

    def read_step(self, start: int, end: int, results: set[Exact]) -> _Step:
        """Read a step where it stands: what is before it is left blank."""
        words = self.line[start:end]
        # By where they end, since a minus may stand before.
        values: dict[int, tuple[int, Any]] = {}
        # What is behind = is the target.
        ends = words.find("=") if "=" in words else len(words)
        digits = self.game.join or any(each.game_rule for each in self.game.extra_operators)
        parts = _SPACED if self.spaced else _NOT_WHOLE
        for part in parts.finditer(words, 0, ends) if not digits else ():
            written = "".join(LATEX_FRACTION.sub(r"\1/\2", part[1] or part[2]).split())
            value = _value_or_none(written)
            # A fraction in braces that is all of a step is what it does, and so is one with spaces.
            braced = self.spaced or FRACTION_MARK in part[0]
            step = braced and part[0].strip() == words[:ends].strip()
            if self.spaced and part[2] and words[: part.start(2)].rstrip().endswith(_DIVIDES):
                continue
            if value in results and not isinstance(value, int) and not step:
                first, last = part.span()
                values[start + last] = start + first, value
                # To the grammar it is a number like any other.
                words = f"{words[:first]}{'0' * (last - first)}{words[last:]}"
        try:
            blank = " " * start
            found = parse_statement(
                blank + normalise(self.text[start:end]), self.rules, blank + words
            )
        except FormulaError as error:
            place, length = error.position, error.length
            raise type(error)(error.message, self.text, place, length, error.code) from None

        def number_of(leaf: Number) -> Any:
            first, value = values.get(leaf.span[1], (leaf.span[0], leaf.value))
            return value if first == leaf.span[0] else -value

        statement = statement_of(self.text, found.expression)._replace(
            number_of=number_of, target=found.target, negative_zero=found.negative_zero
        )
        stated = words.find("=") + 1
        if not stated:
            return _Step(statement, (end, end), (start, end))
        stated += len(words[stated:]) - len(words[stated:].lstrip())
        return _Step(statement, (start + stated, start + len(words.rstrip())), (start, end))

    def work(self, step: _Step) -> None:
        """Do a step with the numbers that are there; raise what is wrong with it."""
        statement = step.statement
        # Of a card any number is asked for below, whether or not the game has it.
        numbers = statement.numbers if self.card is not None else []
        least = min(numbers, default=0) if self.game.negatives else 0
        there = [*(each for each in numbers if each >= least), *self.seen]
        value = statement.value_in(self.rules, there, self.style)
        # Parentheses of the step itself, and one pair around what it uses.
        self.depth = 0
        tree = self.filled(statement.tree, statement.number_of)
        depth = self.depth + 1 + _nesting(self.line[slice(*step.span)])
        if depth > MAX_NESTING:
            reason = message("working.too_deep", most=MAX_NESTING)
            raise MalformedFormulaError(reason, self.text, step.span[0])
        self.made.append(_Made(value, tree, depth, step.stated))
        self.seen.append(value)

    def say_what_is_made(self, step: _Step) -> None:
        """Refuse a step that makes something else than it says."""
        value, target = self.made[-1].value, step.statement.target
        if target is None or target == value:
            return
        words = " ".join(self.text[step.span[0] : step.stated[0]].rstrip(" =＝").split())
        start, end = step.stated
        code, stated = "stated", format_value(target)
        if is_rounded(value, self.text[start:end]):
            code, stated = "rounded", " ".join(self.text[start:end].split())
        values = {"value": value, "stated": stated}
        if len(words) <= _LONGEST_SHOWN:
            reason = message(f"working.{code}", step=words, **values)
        else:
            reason = message(f"working.{code}_long", **values)
        raise FormulaError(reason, self.text, start, end - start, code)

    def written(self, step: _Step) -> str:
        """Return the step that was done last as it can be read again: with what it makes."""
        start, end = step.span
        if step.statement.target is not None:
            return self.text[start:end]
        result = str(self.made[-1].value)
        if len(result) > MAX_NUMBER_LENGTH:
            raise MalformedFormulaError(_STATED, self.text, start, end - start)
        return f"{self.text[start:end].strip()} = {result}"

    def tree(self, last: _Step) -> Expression:
        """Return what the last step made, where nothing else is left that has to be used."""
        result = self.made.pop()
        if self.made and self.game.all_numbers:
            unused = self.made[0]
            start, end = unused.stated
            reason = message("working.result_not_used", value=unused.value)
            raise FormulaError(reason, self.text, start, end - start, "numbers-missing")
        return fit_to_game(result.tree, self.game, self.text, *last.span)

    def filled(self, part: Expression, number_of: Callable[[Number], Exact]) -> Expression:
        """Return a tree with what earlier steps made in the place of its results."""
        if isinstance(part, NoOperand):
            return part
        # A letter is a card.
        letter = self.line[slice(*part.span)].lstrip(_MINUS)[:1].isalpha()
        value = None if letter else _written(part, number_of)
        if self.dealt_first and isinstance(part, Number) and self.left[part.value] > 0:
            value = None
        if value is not None and (tree := self.made_before(value)):
            return tree
        if isinstance(part, Number):
            # Below zero may be what was made above zero.
            below = self.game.negatives and value is not None and value < 0
            if below and value and not self.is_left(part.value):
                above = self.made_before(-value)
                if above:
                    return Operation(MINUS, NoOperand(0), above, part.span, self.game.style)
            self.take(part)
            return part
        if part.operator.joins:
            # What is made is no digit.
            for digit in parts_of(part).numbers:
                self.take(digit)
            return part
        first, links = split_chain(part)
        tree = self.filled(first, number_of)
        for link in links:
            right = self.filled(link.right, number_of)
            tree = Operation(link.operator, tree, right, link.span, link.style)
        return tree

    def made_before(self, value: Exact) -> Expression | None:
        """Use what an earlier step made, if one made this."""
        for place, made in enumerate(self.made):
            if made.value == value:
                self.depth = max(self.depth, made.depth)
                return self.made.pop(place).tree
        return None

    def is_left(self, number: int) -> bool:
        """Return whether a number is dealt and not used yet."""
        return number in self.game.numbers if self.card is None else self.left[number] > 0

    def take(self, number: Number) -> None:
        """Use a number that is dealt, which no later step can use again."""
        value = number.value
        if value < 0 and self.game.negatives and not self.is_left(value):
            value = -value
        there = self.is_left(value)
        self.left[value] -= there and self.card is not None
        if not there:
            value = number.value
            start, end = number.span
            left = sorted([*self.left.elements(), *(made.value for made in self.made)])
            if self.card is None:
                reason = message("working.used_already", value=value)
            elif left:
                reason = message("working.not_left", value=value, left=Spaced(left))
            else:
                reason = message("working.none_left", value=value)
            raise FormulaError(reason, self.text, start, end - start)


def _finished(desk: _Desk) -> tuple[Expression, Exact | None]:
    """Do all steps, and return what the last makes, and what it says that it makes."""
    *earlier, last = list(desk.parse_steps())
    for step in earlier:
        desk.work(step)
        desk.say_what_is_made(step)
    desk.work(last)
    return desk.tree(last), last.statement.target


def _begun(desk: _Desk) -> PartialWorking:
    """Do all steps, and return what is there then."""
    written, results = [], []
    for step in list(desk.parse_steps(more=True)):
        desk.work(step)
        desk.say_what_is_made(step)
        value, tree = desk.made[-1].value, desk.made[-1].tree
        results.append((value, fit_to_game(tree, desk.game, desk.text, *step.span)))
        written.append(desk.written(step))
    made = tuple(made.value for made in desk.made)
    return PartialWorking(tuple(written), tuple(results), tuple(desk.left.elements()), made)


def _either_way(
    work: Callable[[_Desk], _Done],
    text: str,
    game: Game,
    card: Sequence[int] | None,
    style: str | None,
) -> _Done:
    """Try the results of earlier steps first; then dealt numbers, or fractions with spaces."""
    try:
        return work(_Desk(text, game, card, style))
    except MalformedFormulaError:
        raise
    except IllegalFormulaError:
        if game.parentheses or card is None:
            raise
        with suppress(FormulaError):
            return work(_Desk(text, game, card, style, dealt_first=True))
        raise
    except FormulaError:
        if not _APART.search(normalise_formula(text, game.extra_operators)):
            raise
        with suppress(FormulaError):
            return work(_Desk(text, game, card, style, spaced=True))
        raise


def _value_or_none(text: str) -> Exact | None:
    try:
        return parse_value(text)
    except ValueError:
        return None


def _written(part: Expression, number_of: Callable[[Number], Exact]) -> Exact | None:
    """Return the number that a part of a step is written as, if it is one."""
    if isinstance(part, Number):
        return number_of(part)
    if not part.operator.joins or part.operator.arity == 1:
        return None
    return int("".join(str(number.value) for number in parts_of(part).numbers))


def _nesting(line: str) -> int:
    """Return how deep the parentheses of a line are nested."""
    changes = [(each in CLOSING_BRACKETS) - (each in CLOSING_BRACKETS.values()) for each in line]
    return max(accumulate(changes), default=0)
