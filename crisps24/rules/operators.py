"""Operators as records: one each, with all that is known of it, and the rules of steps.

A new operator is a new record: grammar, evaluator, printer, counting and hands read what they need
of it here, and refuse the game if they need more. No other module does arithmetic or decides
whether a step is legal.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from itertools import groupby
from math import factorial, lcm
from typing import Any, NamedTuple, Protocol

from crisps24.errors import RefusedError
from crisps24.messages.message import Message, as_message, message
from crisps24.rules.exact import DividesExactly, Exact, divide, int_if_whole
from crisps24.rules.powers import (
    MAX_FACTORIAL_OPERAND,
    exact_factorials,
    exact_power,
    exact_powers,
    exact_root,
    exact_square_roots,
    is_small_power,
)

# A value on the way: an int, a Fraction, or a numpy column of ints, of fractions (`ratios`) or of
# fingerprints. The arithmetic of an operator is written once, for all of them.
Value = Any
# Whether a step is legal: a bool, or a numpy column of them.
Legal = Any
# Places in columns, and the numerators and denominators there.
_Rows = tuple[Any, Any, Any]
# The least and the most of some values.
Bounds = tuple[int, int]


class StepContext(Protocol):
    """What an operator has to know of a game; see `games.Game`."""

    @property
    def fractions(self) -> bool:
        """Whether values may be fractions."""

    @property
    def positive(self) -> bool:
        """Whether every intermediate value is above zero."""

    @property
    def result_rules(self) -> "tuple[ResultRule, ...]":
        """The rules that the result of every step obeys."""

    @property
    def operand_rules(self) -> "tuple[StepRule, ...]":
        """The rules of the game that also read the operands of a step."""

    @property
    def max_bits(self) -> int | None:
        """How many bits a numerator or a denominator has at most, if there is a limit."""


class StepRule(NamedTuple):
    """A rule about the operands and the result of a step.

    Operators have such rules. A game has them only if the record of the rule says
    `reads_operands`.
    """

    is_obeyed: Callable[[Value, Value, Value, StepContext], Legal]
    """(left, right, result, game) to whether the step obeys the rule."""
    explain: Callable[[Any, Any, Any], Message | str]
    """(left, right, result) to the message about a step that breaks it, in which `{step}` is the
    step: `{step} leaves a remainder of {rest}`. A text is in English only."""
    never_broken: "Callable[[Operator, StepContext], bool]" = lambda _operator, _game: False
    """Whether no step of an operator can break it in a game: it is not looked at then."""
    code: str = "rule"
    """The code of the message, for programs."""
    takes_columns: bool = False
    """Whether `kept` also takes columns of values, which is faster. If not, it only gets ints and
    Fractions, one step at a time."""


class ResultRule(NamedTuple):
    """A rule of a game about the results of steps; its fields are those of `StepRule`.

    >>> is_odd = lambda left, right, result: "{step} is odd"
    >>> rule = ResultRule(lambda result: result % 2 == 0, is_odd)
    >>> rule.is_obeyed(4), rule.takes_columns
    (True, False)
    """

    is_obeyed: Callable[[Value], Legal]
    """A result to whether it obeys the rule."""
    explain: Callable[[Any, Any, Any], Message | str]
    never_broken: "Callable[[Operator, StepContext], bool]" = lambda _operator, _game: False
    code: str = "rule"
    takes_columns: bool = False


AnyRule = StepRule | ResultRule


def _says(key: str, **values: Any) -> Callable[[Any, Any, Any], Message]:
    """Return the function from any step that breaks a rule to the message of a key."""
    said = message(key, **values)
    return lambda _left, _right, _result: said


class CheckedRules(NamedTuple):
    """The rules that steps of an operator can break in a game."""

    step_rules: tuple[StepRule, ...]
    result_rules: tuple[ResultRule, ...]


# How tightly digits are joined: nothing else may come between them.
_JOINED = 9
# What binds more tightly than this does so than a minus before it: -2 ^ 2 is -(2 ^ 2).
SIGN_PRECEDENCE = 2
# So long is no game's longest numerator; what its limits are elsewhere.
MAX_BITS = 62
_ANY = (-(1 << MAX_BITS), 1 << MAX_BITS)

NOT_BELOW_ZERO = ResultRule(
    lambda result: result >= 0,
    _says("step.below_zero"),
    lambda operator, _game: operator.stays_positive,
    code="below-zero",
    takes_columns=True,
)
NOT_ZERO = ResultRule(
    lambda result: result != 0,
    _says("step.zero"),
    lambda operator, game: operator.stays_positive and game.positive,
    code="zero",
    takes_columns=True,
)
_WHOLE_QUOTIENT = StepRule(
    lambda left, right, result, game: game.fractions or result * right == left,
    lambda left, right, _result: message("step.remainder", rest=left % right),
    code="remainder",
    takes_columns=True,
)
_NOT_BY_ZERO = StepRule(
    lambda _left, right, _result, _game: right != 0,
    _says("step.division_by_zero"),
    code="division-by-zero",
    takes_columns=True,
)
_NO_ZERO_IN_FRONT = StepRule(
    lambda left, _right, _result, _game: left != 0,
    _says("step.leading_zero"),
    code="number",
    takes_columns=True,
)


@cache
def max_bits_rule(bits: int) -> ResultRule:
    """Return the rule that no numerator or denominator has more bits than so many."""
    most = (1 << bits) - 1

    def kept(result: Value) -> Legal:
        if isinstance(result, Fraction):
            return abs(result.numerator) <= most and result.denominator <= most
        if isinstance(result, DividesExactly):
            import numpy as np

            # A column of fractions is not in lowest terms, which those need that are too long.
            above, below = np.broadcast_arrays(*_parts_of(result))
            above = abs(above)
            short = np.asarray((above <= most) & (below <= most))
            rest = (~short).nonzero()
            shared = np.gcd(above[rest], below[rest])
            short[rest] = (above[rest] // shared <= most) & (below[rest] // shared <= most)
            return short
        return abs(result) <= most

    return ResultRule(
        kept,
        _says("step.too_many_bits", most=bits),
        code="too-large",
        takes_columns=True,
    )


_WHOLE = StepRule(
    lambda _left, _right, result, game: game.fractions or result.denominator == 1,
    _says("step.not_whole"),
    code="remainder",
)
_A_RESULT = StepRule(
    lambda _left, _right, result, _game: result is not None,
    _says("step.not_exact"),
)


@cache
def vectorize_rule(rule: AnyRule) -> AnyRule:
    """Return a rule that takes columns: the rule itself, or one that is asked step by step."""
    if rule.takes_columns:
        return rule
    if isinstance(rule, ResultRule):
        return rule._replace(is_obeyed=partial(_kept_by_each, rule.is_obeyed), takes_columns=True)
    of_step = rule.is_obeyed

    def kept(left: Value, right: Value, result: Value, game: StepContext) -> Legal:
        return _kept_by_each(lambda a, b, c: of_step(a, b, c, game), left, right, result)

    return rule._replace(is_obeyed=kept, takes_columns=True)


def _kept_by_each(kept: Callable[..., object], *step: Value) -> Legal:
    """Ask a rule that takes exact numbers only; of columns, ask for each distinct step once."""
    if all(isinstance(value, int | Fraction) for value in step):
        return bool(kept(*map(int_if_whole, step)))
    import numpy as np

    known = [value if hasattr(value, "numerators") else np.asarray(value) for value in step]
    parts = np.broadcast_arrays(*(part for value in known for part in _parts_of(value)))
    rows = list(zip(*(part.ravel().tolist() for part in parts), strict=True))
    answers = {
        row: bool(kept(*map(int_if_whole, map(Fraction, row[::2], row[1::2])))) for row in set(rows)
    }
    return np.array([answers[row] for row in rows], bool).reshape(parts[0].shape)


@cache
def _either_way(rule: StepRule, sign: str) -> StepRule:
    """Return a rule of operands for an operator whose operands may change places.

    Searches try such a step one way round only, so that the rule must agree on both.
    """

    def kept(left: Value, right: Value, result: Value, game: StepContext) -> Legal:
        one, other = (
            rule.is_obeyed(*sides, result, game) for sides in ((left, right), (right, left))
        )
        if (one ^ other) is not False and _any(one ^ other):
            raise RefusedError(
                f"a rule of the game must allow both a {sign} b and b {sign} a, or neither: "
                f"{sign} is tried one way round only"
            )
        return one

    return rule._replace(is_obeyed=kept)


def _any(legal: Legal) -> bool:
    return legal if isinstance(legal, bool) else bool(legal.any())


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """All that is known of one operator.

    >>> from crisps24 import GAMES
    >>> OPERATORS[":"].operate(9, 7, GAMES["crisps"])
    (1, False)
    >>> print(OPERATORS[":"].step_problem(9, 7, GAMES["crisps"], "9 : 7"))
    9 : 7 leaves a remainder of 2

    Raises ValueError for a name of other than one character, since results files have a column for
    it, and for what would make the grammar read something else.
    """

    name: str
    """Its sign in results files and in `Formula`, one character."""
    spellings: tuple[str, ...]
    """How it may be typed, in as many characters as it takes."""
    precedence: int
    """Higher where it binds tighter: 1 for sums, 2 for products, 9 for joined digits."""
    arithmetic: Callable[..., Value] = field(repr=False)
    """(left, right), or the one operand, to the result, legal or not, on whatever kind of
    values."""
    bounds: Callable[[Bounds, Bounds], Bounds] = field(default=lambda *_: _ANY, repr=False)
    """Limits of left and right to limits that no result of legal steps is outside of, where what
    stands on the right of a product or a quotient is whole."""
    rules: tuple[StepRule, ...] = field(default=(), repr=False)
    """What its steps have to keep to besides what every step has to."""
    arity: int = 2
    """How many operands it has, 2 or 1; of one, its arithmetic is `by_one`."""
    postfix: bool = False
    """Whether it stands after its one operand, and not before."""
    right_associative: bool = False
    """Whether it groups to the right: 2 ^ 3 ^ 2 is 2 ^ (3 ^ 2)."""
    scalar_only: bool = False
    """Whether its arithmetic is of exact values, one at a time, and gives None where there is no
    result. It is never a rational function, and its games have a limit of bits."""
    domain: tuple[StepRule, ...] = field(default=(), repr=False)
    """What its operands have to keep to before anything is worked out, where it is `by_one`."""
    column_arithmetic: Callable[..., _Rows] | None = field(default=None, repr=False)
    """Columns, numerators and denominators of the left and of the right in lowest terms, and the
    most that these may be, below 2^31, to where there is a result that may be legal, and these
    results, in the same way. It is quicker than one at a time, and says the same."""
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
    max_growth: int | None = None
    """Nothing that its arithmetic makes, numerator or denominator, is more than so many times the
    product of the two operands', each taken for a 2 at least (twice that in games with fractions);
    None where there is no such bound: values are then Python's own integers, slower."""
    denominator_factor: Callable[[Sequence[int]], int] | None = field(default=None, repr=False)
    """Whole right operands to a number that the denominators of its results grow by a divisor
    of; None where there is no such number."""
    rational: bool = True
    """Whether it is a rational function of its operands, which fingerprints can tell apart."""
    joins: bool = False
    """Whether it writes two digits as one number, which is no step of the working."""
    affixes: tuple[str, str] = ("", "")
    """What it writes before digits and behind them, where it `joins` and has one operand."""
    game_rule: str = ""
    """The rule of a game that lets it write numbers so; without, its sign is chosen."""
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
        if self.arity not in (1, 2) or (self.postfix and self.arity == 2):
            raise RefusedError(f"{self.name} has to stand between two operands, or beside one")
        object.__setattr__(self, "rules", tuple(map(vectorize_rule, self.rules)))
        if self.arity == 1 or self.scalar_only:
            object.__setattr__(self, "scalar_only", True)
            object.__setattr__(self, "rational", False)

    @property
    def grouping(self) -> tuple[Any, ...]:
        """What operators that bind as tightly as it does have in common with it."""
        return self.arity, self.postfix, self.right_associative

    @property
    def stays_whole(self) -> bool:
        """Whether it makes whole numbers of whole ones, whatever they are."""
        return (
            not self.divides
            and self.denominator_factor is not None
            and self.denominator_factor((2,)) == 1
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return operator_by_name, (self.name,)

    def operate(
        self, left: Value, right: Value, game: StepContext, asked: CheckedRules | None = None
    ) -> tuple[Value, Legal]:
        """Return what two values make, and whether that is legal in a game.

        Where it is not legal the value means nothing. `asked` are the rules to look at, see
        `asked_in`, where they are known.
        """
        if self.scalar_only:
            if not isinstance(left, int | Fraction):
                return self._operate_by_one(left, right, game)
            result, rule = self._worked_out(left, right, game)
            return result, rule is None
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
        of_steps, of_results = self.active_rules(game) if asked is None else asked
        for rule in of_steps:
            kept = rule.is_obeyed(left, right, result, game)
            if kept is not True:
                legal = kept if legal is True else legal & kept
        for of_result in of_results:
            kept = of_result.is_obeyed(result)
            if kept is not True:
                legal = kept if legal is True else legal & kept
        return result, legal

    def undo_step(self, result: Value, right: Value, game: StepContext) -> tuple[Value, Legal]:
        """Return the left operand that makes a result, and where the operands may meet.

        The operator has `undo`. It does not check the results: see `obeys_result_rules`.
        """
        assert self.undo is not None
        left = self.undo(result, right)
        legal: Legal = True
        for rule in self.active_rules(game).step_rules:
            legal = rule.is_obeyed(left, right, result, game) & legal
        return left, legal

    def step_problem(self, left: Value, right: Value, game: StepContext, step: str) -> Message:
        """Return the message about the rule of a game that a step on two exact values breaks.

        `step` is the step as it is written, `9 : 7`. The message is empty where none is broken.
        """
        result: Value
        if self.scalar_only:
            result, rule = self._worked_out(left, right, game)
        else:
            rule = self.broken_rule(left, right, game)
            result = None if rule in (None, _NOT_BY_ZERO) else self.arithmetic(left, right)
        if rule is None:
            return as_message("")
        broken = as_message(rule.explain(left, right, result))
        return broken._replace(values={"step": step, **broken.values})

    def broken_rule(self, left: Value, right: Value, game: StepContext) -> AnyRule | None:
        """Return the first rule of a game that a step on two exact values breaks."""
        if self.scalar_only:
            return self._worked_out(left, right, game)[1]
        if self.divides and right == 0:
            return _NOT_BY_ZERO
        return self._first_broken(left, right, self.arithmetic(left, right), game)

    def _first_broken(
        self, left: Exact, right: Exact, result: Exact, game: StepContext
    ) -> AnyRule | None:
        of_steps, of_results = self.active_rules(game)
        for rule in of_steps:
            if not rule.is_obeyed(left, right, result, game):
                return rule
        return next((each for each in of_results if not each.is_obeyed(result)), None)

    def _worked_out(
        self, left: Exact, right: Exact, game: StepContext
    ) -> tuple[Exact, AnyRule | None]:
        """Compute exact values, if they are in the domain; return the first broken rule too."""
        for rule in self.domain:
            if not rule.is_obeyed(left, right, None, game):
                return left, rule
        found = self.arithmetic(*self.operands(left, right))
        if found is None:
            return left, _A_RESULT
        result: Exact = int_if_whole(found)
        if game.fractions:
            result = Fraction(result)
        elif result.denominator != 1:
            return result, _WHOLE
        return result, self._first_broken(left, right, result, game)

    def spell(self, digits: str) -> str:
        """Return how it writes a number of digits, with what is around them."""
        before, after = self.affixes
        return f"{before}{digits}{after}"

    def operands(self, left: Any, right: Any) -> tuple[Any, ...]:
        """Return those of two sides that it has."""
        return (left, right) if self.arity == 2 else (left if self.postfix else right,)

    def _operate_by_one(self, left: Value, right: Value, game: StepContext) -> tuple[Value, Legal]:
        """Work out columns of whatever shape: at once where that is known, or value by value."""
        import numpy as np

        together = np.broadcast_arrays(*_parts_of(left), *_parts_of(right))
        kind, shape, parts = type(left), together[0].shape, [part.ravel() for part in together]
        columns, longest = self.column_arithmetic, game.max_bits
        if columns is None or longest is None or longest > 31 or parts[0].dtype == object:
            found = self._each(parts, game)
        else:
            found = self._legal_of(columns(*parts, (1 << longest) - 1), parts, kind, game)
        above, below = np.zeros_like(parts[0]), np.ones_like(parts[1])
        legal = np.zeros(len(above), bool)
        above[found[0]], below[found[0]], legal[found[0]] = *found[1:], True
        return _as_kind(kind, above.reshape(shape), below.reshape(shape)), legal.reshape(shape)

    def _each(self, parts: Sequence[Any], game: StepContext) -> _Rows:
        """Return which rows are legal, and what they make, each by itself."""
        make: Callable[[int, int], Exact] = Fraction if game.fractions else lambda above, _: above
        found: list[tuple[int, int, int]] = []
        for row, (a, b, c, d) in enumerate(zip(*(part.tolist() for part in parts), strict=True)):
            result, rule = self._worked_out(make(a, b), make(c, d), game)
            if rule is None:
                found.append((row, result.numerator, result.denominator))
        rows, above, below = map(list, zip(*found, strict=True)) if found else ([], [], [])
        return rows, above, below

    def _legal_of(self, found: _Rows, parts: Sequence[Any], kind: type, game: StepContext) -> _Rows:
        """Return of rows that were worked out together those that are legal."""
        rows, above, below = found
        legal: Legal = game.fractions | (below == 1)
        a, b, c, d = (part[rows] for part in parts)
        sides = _as_kind(kind, a, b), _as_kind(kind, c, d), _as_kind(kind, above, below)
        of_steps, of_results = self.active_rules(game)
        for rule in of_steps:
            legal = rule.is_obeyed(*sides, game) & legal
        for of_result in of_results:
            legal = of_result.is_obeyed(sides[2]) & legal
        return rows[legal], above[legal], below[legal]

    def active_rules(self, game: StepContext) -> CheckedRules:
        """Return the rules to look at; those that cannot be broken are left out for speed."""
        of_steps = self.rules
        if game.operand_rules:
            operands = [rule for rule in game.operand_rules if not rule.never_broken(self, game)]
            if self.commutes:
                operands = [_either_way(rule, self.name) for rule in operands]
            of_steps = (*of_steps, *operands)
        results = [rule for rule in game.result_rules if not rule.never_broken(self, game)]
        return CheckedRules(of_steps, tuple(results))


def obeys_result_rules(results: Value, game: StepContext) -> Legal:
    """Return where values can be results of a game, for all that its rules say of results.

    A rule that reads operands can still forbid the step: only `operate` and `undone` know.
    """
    legal: Legal = True
    for rule in game.result_rules:
        legal = rule.is_obeyed(results) & legal
    return legal


def operator_by_name(name: str) -> Operator:
    """Return the operator whose sign in results files is `name`; raise KeyError for no sign."""
    return OPERATORS[name] if name in OPERATORS else OPTIONAL_OPERATORS[name]


def all_operators() -> dict[str, Operator]:
    """Return all operators there are by their names, those first that all games know."""
    return OPERATORS | OPTIONAL_OPERATORS | OPERATORS


def _parts_of(column: Value) -> tuple[Any, Any]:
    """Return numerators and denominators of a column of ints or of fractions."""
    import numpy as np

    if isinstance(column, np.ndarray):
        return column, np.ones_like(column)
    if hasattr(column, "numerators"):
        return column.numerators, column.denominators
    raise TypeError(type(column).__name__)


def _as_kind(kind: type, above: Any, below: Any) -> Value:
    return kind(above, below) if hasattr(kind, "numerators") else above


def group_by_precedence(operators: Iterable[Operator]) -> tuple[tuple[Operator, ...], ...]:
    """Return operators by precedence, those that bind tightest first.

    >>> [[operator.name for operator in level] for level in group_by_precedence(OPERATORS.values())]
    [['|'], ['x', ':'], ['-', '+']]
    """
    ordered = sorted(operators, key=lambda operator: -operator.precedence)
    return tuple(tuple(level) for _, level in groupby(ordered, lambda each: each.precedence))


def is_inverse_pair(level: Sequence[Operator]) -> bool:
    """Return whether no parentheses are needed around the right of operators of one level.

    Where two are each other's inverse, a - (b - c) is a + c - b and a : (b : c) is a x c : b;
    where one has none beside it, as `-` alone, any grouping has to be tried.
    """
    names = {operator.name for operator in level}
    return len(names) == 2 and all(operator.inverse in names for operator in level)


def _is_spelling(text: str) -> bool:
    return re.fullmatch(r"[^\s0-9()\[\]=\0\1]+", text) is not None


def _product_limits(left: Bounds, right: Bounds) -> Bounds:
    corners = [a * b for a in left for b in right]
    return min(corners), max(corners)


def _quotient_limits(left: Bounds, right: Bounds) -> Bounds:
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
            max_growth=1,
            denominator_factor=lambda _: 1,
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
            max_growth=1,
            denominator_factor=lambda _: 1,
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
            max_growth=1,
            denominator_factor=lambda _: 1,
        ),
        Operator(
            ":",
            (":", "/", "÷", "∕", "⁄", "∶", "➗", r"\div"),
            2,
            divide,
            _quotient_limits,
            rules=(_WHOLE_QUOTIENT,),
            inverse="x",
            divides=True,
            stays_positive=True,
            max_growth=1,
            denominator_factor=_largest_divisor,
        ),
        Operator(
            "|",
            ("|",),
            _JOINED,
            lambda left, right: left * 10 + right,
            lambda left, right: (10 * left[0] + right[0], 10 * left[1] + right[1]),
            rules=(_NO_ZERO_IN_FRONT,),
            stays_positive=True,
            max_growth=6,
            joins=True,
        ),
    )
}


_NO_LONG_POWER = StepRule(
    lambda left, right, _result, game: is_small_power(left, right, game.max_bits),
    _says("step.power_too_large"),
    code="too-large",
)
_OF_WHOLE = StepRule(
    lambda left, _right, _result, _game: (
        left.denominator == 1 and 0 <= left <= MAX_FACTORIAL_OPERAND
    ),
    _says("step.factorial_range", most=MAX_FACTORIAL_OPERAND),
)
_OF_DIGITS = StepRule(
    lambda _left, right, _result, _game: right > 0,
    _says("step.no_decimal"),
    code="number",
)
# More digits that repeat might be all of them or the last.
_OF_A_DIGIT = _OF_DIGITS._replace(
    is_obeyed=lambda _left, right, _result, _game: 0 < right <= 9,
    explain=_says("step.no_decimal_digit"),
)

# What games have that choose it (`--operators`, and the rule of decimals), and no text of another.
OPTIONAL_OPERATORS: dict[str, Operator] = {
    operator.name: operator
    for operator in (
        Operator(
            "^",
            ("^", "**"),
            3,
            exact_power,
            right_associative=True,
            scalar_only=True,
            domain=(_NO_LONG_POWER,),
            column_arithmetic=exact_powers,
        ),
        Operator(
            "√",
            ("√", "sqrt", r"\sqrt"),
            4,
            lambda value: exact_root(value, 2),
            arity=1,
            column_arithmetic=exact_square_roots,
        ),
        Operator(
            "!",
            ("!",),
            5,
            lambda value: factorial(int(value)),
            arity=1,
            postfix=True,
            domain=(_OF_WHOLE,),
            column_arithmetic=exact_factorials,
        ),
        Operator(
            ".",
            (".",),
            _JOINED - 1,
            lambda value: Fraction(int(value), 10 ** len(str(value))),
            arity=1,
            domain=(_OF_DIGITS,),
            joins=True,
            affixes=(".", ""),
            game_rule="decimals",
        ),
        Operator(
            "…",
            ("…",),
            _JOINED - 1,
            lambda value: Fraction(int(value), 9),
            arity=1,
            domain=(_OF_A_DIGIT,),
            joins=True,
            affixes=(".", "…"),
            game_rule="repeating",
        ),
    )
}
JOIN = OPERATORS["|"]
# Stands before a formula as well, which is below zero then.
MINUS = OPERATORS["-"]
# What a number below zero begins with: a set of characters, for patterns.
MINUS_PATTERN = f"[{''.join(map(re.escape, MINUS.spellings))}]"
