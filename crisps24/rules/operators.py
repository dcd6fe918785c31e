"""Operators as records: one each, with all that is known of it.

Owns the table `OPERATORS`, in the order of results files, and every rule that a step can break,
each with its reason in words. A new operator is a new record: the grammar, the evaluator, the
printer, counting and hands read what they need of it here, and whoever needs more than it says
refuses the game in a sentence. No other room does arithmetic or judges legality.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import lcm
from typing import Any, NamedTuple, Protocol

from crisps24.errors import RefusedError
from crisps24.rules.exact import quotient

# A value on the way: an int, a Fraction, or a numpy column of ints, of fractions (`ratios`) or of
# fingerprints. The arithmetic of an operator is written once, for all of them.
Value = Any
# Whether a step is legal: a bool, or a numpy column of them.
Legal = Any
# The least and the most of some values.
Limits = tuple[int, int]


class Rules(Protocol):
    """What an operator has to know of a game; see `games.Game`."""

    @property
    def fractions(self) -> bool:
        """Whether values may be fractions."""

    @property
    def positive(self) -> bool:
        """Whether every value on the way is above zero."""

    @property
    def step_rules(self) -> "tuple[StepRule, ...]":
        """What every step has to keep to."""


class StepRule(NamedTuple):
    """What a step has to keep to."""

    kept: Callable[[Value, Value, Value, Rules], Legal]
    """(left, right, result, game) to whether it does; True where the game does not ask."""
    broken: Callable[[Any, Any, Any], str]
    """(left, right, result) to what is said of a step that does not: `goes below zero`."""
    unbroken: "Callable[[Operator, Rules], bool]" = lambda _operator, _game: False
    """Whether no step of an operator can break it in a game: it is not looked at then."""
    code: str = "rule"
    """What a program tells it by that is told of a step which breaks it."""


# How tightly digits are joined: nothing else may come between them.
_JOINED = 9

NOT_BELOW_ZERO = StepRule(
    lambda _left, _right, result, _game: result >= 0,
    lambda _left, _right, _result: "goes below zero",
    lambda operator, _game: operator.stays_positive,
    "below-zero",
)
NOT_ZERO = StepRule(
    lambda _left, _right, result, _game: result != 0,
    lambda _left, _right, _result: "makes zero",
    lambda operator, game: operator.stays_positive and game.positive,
    "zero",
)
_WHOLE_QUOTIENT = StepRule(
    lambda left, right, result, game: game.fractions or result * right == left,
    lambda left, right, _result: f"leaves a remainder of {left % right}",
    code="remainder",
)
_NOT_BY_ZERO = StepRule(
    lambda _left, right, _result, _game: right != 0,
    lambda _left, _right, _result: "divides by zero",
    code="division-by-zero",
)
_NO_ZERO_IN_FRONT = StepRule(
    lambda left, _right, _result, _game: left != 0,
    lambda _left, _right, _result: "begins with 0",
    code="number",
)


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """All that is known of one operator.

    >>> from crisps24 import GAMES
    >>> OPERATORS[":"].operate(9, 7, GAMES["crisps"])
    (1, False)
    >>> OPERATORS[":"].objection(9, 7, GAMES["crisps"])
    'leaves a remainder of 2'

    Raises ValueError for a name of other than one character, since results files have a column for
    it, and for what would make the grammar read something else.
    """

    name: str
    """Its sign in results files and in `Formula`, one character."""
    spellings: tuple[str, ...]
    """How it may be typed, in as many characters as it takes."""
    precedence: int
    """Higher where it binds tighter: 1 for sums, 2 for products, 9 for joined digits."""
    arithmetic: Callable[[Value, Value], Value] = field(repr=False)
    """(left, right) to the result, legal or not, on whatever kind of values."""
    limits: Callable[[Limits, Limits], Limits] = field(repr=False)
    """Limits of left and right to limits that no result of legal steps is outside of, where what
    stands on the right of a product or a quotient is whole."""
    rules: tuple[StepRule, ...] = field(default=(), repr=False)
    """What its steps have to keep to besides what every step has to."""
    commutes: bool = False
    """Whether its operands may change places."""
    inverse: str = ""
    """The operator that undoes it, as (a - b) + b = a, where the two make one chain in which
    terms may change places and a - (b - c) is a + c - b."""
    undo: Callable[[Value, Value], Value] | None = field(default=None, repr=False)
    """(result, right) to the one left operand there can be, whatever the right one is; None
    where there may be none or many. It has no rules of its own then."""
    divides: bool = False
    """Whether its right operand must not be zero."""
    stays_positive: bool = False
    """Whether it makes of values above zero one above zero, and of others not below zero one
    not below zero."""
    growth: int | None = None
    """Nothing that its arithmetic makes, numerator or denominator, is more than so many times the
    product of the two operands', each taken for a 2 at least (twice that in games with fractions);
    None where there is no such bound: values are then Python's own integers, slower."""
    unit: Callable[[Sequence[int]], int] | None = field(default=None, repr=False)
    """Whole right operands to a number that the denominators of its results grow by a divisor
    of; None where there is no such number."""
    rational: bool = True
    """Whether it is a rational function of its operands, which fingerprints can tell apart."""
    joins: bool = False
    """Whether it writes two digits as one number, which is no step of the working."""
    signs: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Its sign by the name of a style, for styles that do not have one for it."""

    def __post_init__(self) -> None:
        if len(self.name) != 1 or self.name.isdigit() or self.name.isspace():
            raise RefusedError(f"{self.name!r} is no sign: results files have one character for it")
        if self.name not in self.spellings or not all(map(_is_spelling, self.spellings)):
            raise RefusedError(
                f"{self.name} has to be spelled so, without spaces, digits, ( ) and ="
            )
        if self.precedence >= _JOINED and not self.joins:
            raise RefusedError(f"{self.name} cannot bind as tightly as the digits of a number do")
        if self.undo is not None and (self.rules or self.divides):
            raise RefusedError(f"{self.name} has rules of its own: no step can be undone unseen")

    @property
    def stays_whole(self) -> bool:
        """Whether it makes whole numbers of whole ones, whatever they are."""
        return not self.divides and self.unit is not None and self.unit((2,)) == 1

    def __reduce__(self) -> tuple[Any, ...]:
        return operator_named, (self.name,)

    def operate(self, left: Value, right: Value, game: Rules) -> tuple[Value, Legal]:
        """Return what two values make, and whether that is legal in a game.

        Where it is not legal the value means nothing.
        """
        legal: Legal = True
        divisor = right
        if self.divides:
            legal = right != 0
            # What comes of a division by 0 is illegal whatever it is, so there it is by 1.
            divisor = right + (right == 0)
        try:
            result = self.arithmetic(left, divisor)
        except TypeError:
            kind = type(left).__name__
            raise RefusedError(f"the arithmetic of {self.name} does not work on {kind}") from None
        for rule in self._asked(game):
            kept = rule.kept(left, right, result, game)
            if kept is not True:
                legal = kept if legal is True else legal & kept
        return result, legal

    def objection(self, left: Value, right: Value, game: Rules) -> str:
        """Say which rule of a game a step on two exact values breaks; nothing where none."""
        rule = self.broken_rule(left, right, game)
        if rule is None:
            return ""
        return rule.broken(
            left, right, None if rule is _NOT_BY_ZERO else self.arithmetic(left, right)
        )

    def broken_rule(self, left: Value, right: Value, game: Rules) -> StepRule | None:
        """Return the first rule of a game that a step on two exact values breaks."""
        if self.divides and right == 0:
            return _NOT_BY_ZERO
        result = self.arithmetic(left, right)
        return next(
            (rule for rule in self._asked(game) if not rule.kept(left, right, result, game)), None
        )

    def _asked(self, game: Rules) -> tuple[StepRule, ...]:
        """Return the rules to look at; those that cannot be broken are left out for speed."""
        asked = self.rules
        for rule in game.step_rules:
            if not rule.unbroken(self, game):
                asked = (*asked, rule)
        return asked


def allowed(results: Value, game: Rules) -> Legal:
    """Return whether values may be results of a game, whatever operator made them."""
    legal: Legal = True
    for rule in game.step_rules:
        legal = rule.kept(0, 0, results, game) & legal
    return legal


def operator_named(name: str) -> Operator:
    """Return the operator whose sign in results files is `name`; raise KeyError for no sign."""
    return OPERATORS[name]


def levels_of(operators: Iterable[Operator]) -> tuple[tuple[Operator, ...], ...]:
    """Return operators by precedence, those that bind tightest first.

    >>> [[operator.name for operator in level] for level in levels_of(OPERATORS.values())]
    [['|'], ['x', ':'], ['-', '+']]
    """
    ordered = sorted(operators, key=lambda operator: -operator.precedence)
    return tuple(tuple(level) for _, level in groupby(ordered, lambda each: each.precedence))


def regroups(level: Sequence[Operator]) -> bool:
    """Return whether no parentheses are needed around the right of operators of one level.

    Where two are each other's inverse, a - (b - c) is a + c - b and a : (b : c) is a x c : b;
    where one has none beside it, as `-` alone, any grouping has to be tried.
    """
    names = {operator.name for operator in level}
    return len(names) == 2 and all(operator.inverse in names for operator in level)


def _is_spelling(text: str) -> bool:
    return re.fullmatch(r"[^\s0-9()\[\]=\0\1]+", text) is not None


def _product_limits(left: Limits, right: Limits) -> Limits:
    corners = [a * b for a in left for b in right]
    return min(corners), max(corners)


def _quotient_limits(left: Limits, right: Limits) -> Limits:
    # Nothing is divided by less than 1 but by something below zero.
    most = max(map(abs, left))
    return (min(0, left[0]) if right[0] >= 0 else -most), most


def _largest_divisor(numbers: Sequence[int]) -> int:
    return lcm(*(abs(number) for number in numbers if number))


# Minus, hyphen, dashes, and what phones have: all that keyboards and editors make of a `-`.
_DASHES = ("−", "–", "‐", "‑", "‒", "➖")

# In the order of results files. A maintainer, or a test, may add to it.
OPERATORS: dict[str, Operator] = {
    operator.name: operator
    for operator in (
        Operator(
            "-",
            ("-", *_DASHES),
            1,
            lambda left, right: left - right,
            lambda left, right: (left[0] - right[1], left[1] - right[0]),
            inverse="+",
            undo=lambda result, right: result + right,
            growth=1,
            unit=lambda _: 1,
        ),
        Operator(
            "+",
            ("+", "➕"),
            1,
            lambda left, right: left + right,
            lambda left, right: (left[0] + right[0], left[1] + right[1]),
            commutes=True,
            inverse="-",
            undo=lambda result, right: result - right,
            stays_positive=True,
            growth=1,
            unit=lambda _: 1,
        ),
        Operator(
            "x",
            ("x", "X", "*", "×", "·", "⋅", "∙", "∗", "✕", "✖", "х", r"\times", r"\cdot", r"\ast"),
            2,
            lambda left, right: left * right,
            _product_limits,
            commutes=True,
            inverse=":",
            stays_positive=True,
            growth=1,
            unit=lambda _: 1,
        ),
        Operator(
            ":",
            (":", "/", "÷", "∕", "⁄", "∶", "➗", r"\div"),
            2,
            quotient,
            _quotient_limits,
            rules=(_WHOLE_QUOTIENT,),
            inverse="x",
            divides=True,
            stays_positive=True,
            growth=1,
            unit=_largest_divisor,
        ),
        Operator(
            "|",
            ("|",),
            _JOINED,
            lambda left, right: left * 10 + right,
            lambda left, right: (10 * left[0] + right[0], 10 * left[1] + right[1]),
            rules=(_NO_ZERO_IN_FRONT,),
            stays_positive=True,
            growth=6,
            joins=True,
        ),
    )
}
JOIN = OPERATORS["|"]
# Stands before a formula as well, which is below zero then.
MINUS = OPERATORS["-"]
# What a number below zero begins with: a set of characters, for patterns.
BELOW_ZERO = f"[{''.join(map(re.escape, MINUS.spellings))}]"
