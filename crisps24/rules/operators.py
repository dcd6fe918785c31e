"""Operators as records, and the rules that a step obeys.

An `Operator` has all that the rest of the package needs: its spellings for the grammar, its
arithmetic for the evaluator, its inverse and its bounds for the searches. A new operator is a new
record; a function that needs a property that the operator does not have refuses the game. Only this
module computes steps and decides whether they are legal: `OPERATORS[":"].operate(9, 7, game)` in
crisps computes 1, sees that 1 x 7 is not 9, and returns (1, False).

The operands of a step are numbers, or *columns* with one number for each of many steps: numpy
arrays of ints, or fractions (`ratios.Ratios`). Results and legality are then columns too. There are
two kinds of arithmetic. That of - + x : `takes_columns` as it takes numbers. All others, such as
that of ^ √ ! and decimal points, take exact numbers and return None if there is no exact result, as
for √2. On columns they run row by row, or faster by `column_arithmetic`.

No property is assumed that an operator does not state. A field switches on:

    takes_columns        fast searches and counts; without it, games limit the bits of results
    rational             solutions, which are recognised by fingerprints of their functions
    commutes             one order of operands instead of two
    inverse              the backward search, chains without parentheses, equations, the exact words
                         of solutions; with no rule of its own, counting from both sides
    window               surveys that only pair values near their target
    bounds, max_growth   small integers, and fractions of a known size in counts
    denominator_factor   fractions as fixed-point numbers in counts
    stays_positive       rules against zero and negative results are not checked
    column_arithmetic    searches of operators without takes_columns that take seconds, not minutes

A game forbids steps by rules. A `StepRule` reads only the result (not below zero, not zero), or
also the operands (a quotient without a remainder). Rules in `domain` read only operands, and are
checked before the arithmetic runs. A rule that only knows single steps is `vectorize_rule`d when
its operator or game is made.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import groupby
from math import factorial, lcm
from typing import Any, NamedTuple

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

# An int, a Fraction, or a column of ints, fractions (`ratios.Ratios`) or fingerprints. An operator
# has one arithmetic for all of them.
Value = Any
# Whether a step is legal: a bool, or a numpy column of bools. A bool also stands for all rows.
Legal = Any
# Row indices of columns, with the numerators and denominators of those rows.
_Results = tuple[Any, Any, Any]
Bounds = tuple[int, int]


# A `games.Game`: its module imports this one.
AnyGame = Any


class StepRule(NamedTuple):
    """A rule about the result of a step, and maybe about its operands."""

    is_obeyed: Callable[..., Legal]
    """Whether a result obeys the rule, or (left, right, result, game) if it `reads_operands`."""
    explain: Callable[[Any, Any, Any], Message | str]
    """Why (left, right, result) breaks the rule: a message, or an English text, in which `{step}`
    stands for the step: `{step} is odd`."""
    never_broken: "Callable[[Operator, AnyGame], bool]" = lambda _operator, _game: False
    """Whether no step of an operator can break the rule in a game. It is then not checked."""
    code: str = "rule"
    """The code of the message, for programs."""
    takes_columns: bool = False
    """Whether `is_obeyed` also takes columns, which is faster, or only ints and Fractions."""
    reads_operands: bool = False
    """A rule of a game that reads operands must treat a + b and b + a alike."""
    holds_above_zero: bool = False
    """Whether no result above zero breaks it."""


def _explain_by(key: str, **values: Any) -> Callable[[Any, Any, Any], Message]:
    """Return an `explain` function of a rule with the same message for all steps."""
    explanation = message(key, **values)
    return lambda _left, _right, _result: explanation


def are_obeyed(
    rules: Iterable[StepRule],
    left: Value,
    right: Value,
    result: Value,
    game: AnyGame,
    legal: Legal = True,
) -> Legal:
    """Return whether steps are `legal` and obey some rules."""
    for rule in rules:
        is_obeyed = rule.is_obeyed
        obeyed = is_obeyed(left, right, result, game) if rule.reads_operands else is_obeyed(result)
        # A True needs no `&`, which copies a column.
        if obeyed is not True:
            legal = obeyed if legal is True else legal & obeyed
    return legal


# The precedence of joined digits; no other operator binds as tightly.
_JOINED_PRECEDENCE = 9
# Operators of a higher precedence bind tighter than a minus sign.
SIGN_PRECEDENCE = 2
# The largest limit of a game for numerators and denominators, in bits.
MAX_BITS = 62
_UNBOUNDED = (-(1 << MAX_BITS), 1 << MAX_BITS)

NOT_BELOW_ZERO = StepRule(
    lambda result: result >= 0,
    _explain_by("step.below_zero"),
    lambda operator, _game: operator.stays_positive,
    code="below-zero",
    takes_columns=True,
    holds_above_zero=True,
)
NOT_ZERO = StepRule(
    lambda result: result != 0,
    _explain_by("step.zero"),
    lambda operator, game: operator.stays_positive and game.positive,
    code="zero",
    takes_columns=True,
    holds_above_zero=True,
)
_WHOLE_QUOTIENT = StepRule(
    lambda left, right, result, game: game.fractions or result * right == left,
    lambda left, right, _result: message("step.remainder", rest=left % right),
    code="remainder",
    takes_columns=True,
    reads_operands=True,
)
_NOT_BY_ZERO = StepRule(
    lambda _left, right, _result, _game: right != 0,
    _explain_by("step.division_by_zero"),
    code="division-by-zero",
    takes_columns=True,
    reads_operands=True,
)
_NO_LEADING_ZERO = StepRule(
    lambda left, _right, _result, _game: left != 0,
    _explain_by("step.leading_zero"),
    code="number",
    takes_columns=True,
    reads_operands=True,
)


@cache
def max_bits_rule(bits: int) -> StepRule:
    """Return a rule that limits numerators and denominators, in lowest terms, to some bits."""
    largest = (1 << bits) - 1

    def is_obeyed(result: Value) -> Legal:
        if isinstance(result, Fraction):
            return abs(result.numerator) <= largest and result.denominator <= largest
        if isinstance(result, DividesExactly):
            import numpy as np

            numerators, denominators = np.broadcast_arrays(*_numerators_and_denominators(result))
            numerators = abs(numerators)
            fits = np.asarray((numerators <= largest) & (denominators <= largest))
            # A column need not be in lowest terms: reduce the fractions that look too long.
            rows = (~fits).nonzero()
            divisors = np.gcd(numerators[rows], denominators[rows])
            fits[rows] = numerators[rows] // divisors <= largest
            fits[rows] &= denominators[rows] // divisors <= largest
            return fits
        return abs(result) <= largest

    return StepRule(
        is_obeyed,
        _explain_by("step.too_many_bits", most=bits),
        code="too-large",
        takes_columns=True,
    )


_WHOLE_RESULT = StepRule(
    lambda result: result.denominator == 1, _explain_by("step.not_whole"), code="remainder"
)
_HAS_RESULT = StepRule(lambda result: result is not None, _explain_by("step.not_exact"))


@cache
def vectorize_rule(rule: StepRule) -> StepRule:
    """Return a rule that also checks columns, from a rule that may check only single steps."""
    if rule.takes_columns:
        return rule
    check, count = rule.is_obeyed, 3 if rule.reads_operands else 1

    def is_obeyed(*arguments: Any) -> Legal:
        step, game = arguments[:count], arguments[count:]
        return _check_each_step(lambda *numbers: check(*numbers, *game), *step)

    return rule._replace(is_obeyed=is_obeyed, takes_columns=True)


def _check_each_step(check: Callable[..., object], *step: Value) -> Legal:
    """Check a step, or each different step of columns, by a function of single steps."""
    if all(isinstance(value, int | Fraction) for value in step):
        return bool(check(*map(int_if_whole, step)))
    import numpy as np

    columns = [value if hasattr(value, "numerators") else np.asarray(value) for value in step]
    arrays = np.broadcast_arrays(
        *(array for column in columns for array in _numerators_and_denominators(column))
    )
    # A row has the numerator and denominator of each number of a step: (1, 1, 3, 1) for 1 and 3.
    rows = list(zip(*(array.ravel().tolist() for array in arrays), strict=True))
    is_legal: dict[tuple[int, ...], bool] = {}
    for row in set(rows):
        numbers = map(Fraction, row[::2], row[1::2])
        is_legal[row] = bool(check(*map(int_if_whole, numbers)))
    return np.array([is_legal[row] for row in rows], bool).reshape(arrays[0].shape)


@cache
def _require_symmetry(rule: StepRule, sign: str) -> StepRule:
    """Return a rule that refuses steps legal in one order only, since searches compute only one."""

    def is_obeyed(left: Value, right: Value, result: Value, game: AnyGame) -> Legal:
        legal = rule.is_obeyed(left, right, result, game)
        legal_swapped = rule.is_obeyed(right, left, result, game)
        differs = legal ^ legal_swapped
        if differs is True or (differs is not False and differs.any()):
            raise RefusedError(
                f"a rule of the game must allow both a {sign} b and b {sign} a, or neither: "
                "only one of them is tried"
            )
        return legal

    return rule._replace(is_obeyed=is_obeyed)


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """An operator: its text, its arithmetic, and the properties that searches rely on.

    The defaults of optional fields are safe for each operator; the table above says what they cost.

    Raises RefusedError for a name that is not one character, and for spellings and precedences that
    the grammar cannot read.
    """

    name: str
    """Its sign in results files and in `Formula`: one character, not a digit or a space."""
    spellings: tuple[str, ...]
    """Its typed forms; `name` is one of them."""
    precedence: int
    """Higher for operators that bind tighter: 1 for sums, 2 for products, 9 for joined digits."""
    arithmetic: Callable[..., Value] = field(repr=False)
    """The result of (left, right), or of the only operand, even if the step is not legal; None if
    it has no exact one."""
    bounds: Callable[[Bounds, Bounds], Bounds] = field(default=lambda *_: _UNBOUNDED, repr=False)
    """Bounds of all legal results, from those of left and of right. Right operands of products and
    quotients are whole."""
    rules: tuple[StepRule, ...] = field(default=(), repr=False)
    """The rules of its steps in every game."""
    arity: int = 2
    """Its number of operands, 2 or 1. Only an operator with two can take columns."""
    postfix: bool = False
    """Whether its only operand precedes it, as in 4!."""
    right_associative: bool = False
    """Whether it groups from the right: 2 ^ 3 ^ 2 is 2 ^ (3 ^ 2)."""
    takes_columns: bool = False
    """Whether its arithmetic takes columns too, and always has a result."""
    domain: tuple[StepRule, ...] = field(default=(), repr=False)
    """Rules of the operands, checked before the result of one step is computed."""
    column_arithmetic: Callable[..., _Results] | None = field(default=None, repr=False)
    """A faster form of an arithmetic of numbers, for columns; see `powers`."""
    commutes: bool = False
    """Whether a + b is always b + a."""
    inverse: str = ""
    """The name of the operator that undoes it: (a - b) + b = a. Chains of both must regroup:
    a - (b - c) = a + c - b."""
    window: Callable[[Bounds, Value, bool], tuple[Value, Value]] | None = field(
        default=None, repr=False
    )
    """The bounds of the other operand, from (bounds of the result, above zero; an operand, not
    below zero; whether it is the right one), all whole. Exactly the operands within them give a
    result within its bounds, or a step that is not legal. It needs more than the inverse: that a
    larger operand never turns back the result. None if unknown."""
    divides: bool = False
    """Whether its right operand must not be zero."""
    stays_positive: bool = False
    """Whether its result is above zero if all operands are, and never below zero if none is."""
    max_growth: int | None = None
    """A bound of its results, as a factor: with s and t the largest of 2, the numerator and the
    denominator of each operand, the numerator and the denominator of the result are at most
    max_growth s t (2 max_growth s t in games with fractions). Without it, integers are Python's
    own, which is slower."""
    denominator_factor: Callable[[Sequence[int]], int] | None = field(default=None, repr=False)
    """A number f for whole right operands: with each of these, the denominator of the result
    divides f times the denominator of left. None if unknown."""
    rational: bool = False
    """Whether it is a rational function of its operands, so that fingerprints identify results. Its
    arithmetic takes columns of them."""
    joins: bool = False
    """Whether it writes digits as one number, which is not a step of the working."""
    affixes: tuple[str, str] = ("", "")
    """The texts before and after the digits, if it `joins` and has one operand: those of .4…"""
    game_rule: str = ""
    """The rule of a game that allows it, if it is not one of the operators that a game chooses."""
    signs: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Its sign in each style that has no sign for it itself."""

    def __post_init__(self) -> None:
        if len(self.name) != 1 or self.name.isdigit() or self.name.isspace():
            raise RefusedError(f"invalid operator name {self.name!r} (expected one character)")
        if self.name not in self.spellings or not all(map(_is_spelling, self.spellings)):
            raise RefusedError(
                f"invalid spellings of {self.name} (expected {self.name} and others, without "
                "spaces, digits, parentheses and =)"
            )
        if self.precedence >= _JOINED_PRECEDENCE and not self.joins:
            raise RefusedError(f"invalid precedence of {self.name} (expected less than 9)")
        if self.arity not in (1, 2) or (self.postfix and self.arity == 2):
            raise RefusedError(f"invalid arity of {self.name} (expected 1, or 2 without postfix)")
        object.__setattr__(self, "rules", tuple(map(vectorize_rule, self.rules)))
        if self.divides:
            object.__setattr__(self, "domain", (_NOT_BY_ZERO, *self.domain))
        object.__setattr__(self, "takes_columns", self.takes_columns or self.rational)
        if self.arity == 1 and self.takes_columns:
            raise RefusedError(f"{self.name} has one operand: it cannot take columns")

    @property
    def grouping(self) -> tuple[Any, ...]:
        """(arity, postfix, right_associative): equal for all operators of one precedence in a game.

        Otherwise a formula without parentheses could be read in two ways.
        """
        return self.arity, self.postfix, self.right_associative

    @property
    def undo(self) -> Callable[[Value, Value], Value] | None:
        """The left operand of (result, right), if the inverse has exactly one for all of them."""
        inverse = OPERATORS.get(self.inverse)
        if inverse is None or self.divides or inverse.divides or self.rules:
            return None
        return inverse.arithmetic

    @property
    def is_tight(self) -> bool:
        """Whether a minus before it stands in front of all of it: -2 ^ 2 is -(2 ^ 2)."""
        return self.precedence > SIGN_PRECEDENCE and not self.joins

    @property
    def stays_whole(self) -> bool:
        """Whether the result of whole operands is known to be whole; False for 4! and 2 ^ 3."""
        factor = self.denominator_factor
        return not self.divides and factor is not None and factor((2,)) == 1

    def __reduce__(self) -> tuple[Any, ...]:
        return operator_by_name, (self.name,)

    def operate(
        self, left: Value, right: Value, game: AnyGame, rules: Sequence[StepRule] | None = None
    ) -> tuple[Value, Legal]:
        """Compute a step; return (result, whether the step is legal in a game).

        The result of an illegal step has no meaning. Operands can be columns; one bool can then
        stand for all steps. `rules` is `active_rules(game)`, for callers with many steps.

        Raises RefusedError if the arithmetic does not take this kind of value, or if a rule of the
        game allows only one of a + b and b + a.
        """
        if not self.takes_columns:
            if not isinstance(left, int | Fraction):
                return self._operate_on_columns(left, right, game)
            result, broken_rule = self._compute(left, right, game)
            return result, broken_rule is None
        legal: Legal = True
        divisor = right
        if self.divides:
            legal = right != 0
            # A quotient by 0 is illegal: replace the 0 by 1, so that numpy does not warn.
            divisor = right + (right == 0)
        try:
            result = self.arithmetic(left, divisor)
        except (TypeError, ValueError):
            kind = type(left).__name__
            raise RefusedError(f"the arithmetic of {self.name} does not work on {kind}") from None
        rules = self.active_rules(game) if rules is None else rules
        return result, are_obeyed(rules, left, right, result, game, legal)

    def undo_step(self, result: Value, right: Value, game: AnyGame) -> tuple[Value, Legal]:
        """Return (left operand, whether the step is legal) from a result and a right operand.

        Rules that only read the result are not checked. The operator has `undo`, like + and -.
        """
        assert self.undo is not None
        left = self.undo(result, right)
        rules = [rule for rule in self.active_rules(game) if rule.reads_operands]
        return left, are_obeyed(rules, left, right, result, game)

    def step_problem(self, left: Value, right: Value, game: AnyGame, step: str) -> Message:
        """Return why a game forbids a step, shown as the text `step`; empty if it is legal."""
        result, broken_rule = self._compute(left, right, game)
        if broken_rule is None:
            return as_message("")
        key, values, english = as_message(broken_rule.explain(left, right, result))
        return Message(key, {"step": step, **values}, english)

    def broken_rule(self, left: Value, right: Value, game: AnyGame) -> StepRule | None:
        """Return the first rule of a game that a step of numbers breaks, or None if it is legal."""
        return self._compute(left, right, game)[1]

    def _compute(self, left: Exact, right: Exact, game: AnyGame) -> tuple[Exact, StepRule | None]:
        """Compute one step of numbers; return (result, the first rule that it breaks)."""
        for rule in self.domain:
            if not rule.is_obeyed(left, right, None, game):
                return left, rule
        result = self.arithmetic(*self.operands(left, right))
        if not self.takes_columns:
            if result is None:
                return left, _HAS_RESULT
            # Values are Fractions in games with fractions, also if they are whole.
            result = Fraction(result) if game.fractions else int_if_whole(result)
            if not game.fractions and result.denominator != 1:
                return result, _WHOLE_RESULT
        for rule in self.active_rules(game):
            if not are_obeyed((rule,), left, right, result, game):
                return result, rule
        return result, None

    def spell(self, digits: str) -> str:
        """Return a number as text: its digits between the affixes."""
        before, after = self.affixes
        return f"{before}{digits}{after}"

    def operands(self, left: Any, right: Any) -> tuple[Any, ...]:
        """Return (left, right), or (left,) of a postfix operator, or (right,) of a prefix one."""
        return (left, right) if self.arity == 2 else (left if self.postfix else right,)

    def _operate_on_columns(self, left: Value, right: Value, game: AnyGame) -> tuple[Value, Legal]:
        """Compute the steps of an arithmetic of numbers; the results of illegal steps are 0."""
        import numpy as np

        arrays = np.broadcast_arrays(
            *_numerators_and_denominators(left), *_numerators_and_denominators(right)
        )
        kind, shape = type(left), arrays[0].shape
        operands = [array.ravel() for array in arrays]
        compute_all, max_bits = self.column_arithmetic, game.max_bits
        # The fast arithmetic needs operands below 2^31.
        has_python_ints = operands[0].dtype == object
        if compute_all is None or max_bits is None or max_bits > 31 or has_python_ints:
            legal_steps = self._compute_rows(operands, game)
        else:
            computed_steps = compute_all(*operands, (1 << max_bits) - 1)
            legal_steps = self._select_legal(computed_steps, operands, kind, game)
        numerators, denominators = np.zeros_like(operands[0]), np.ones_like(operands[1])
        legal = np.zeros(len(numerators), bool)
        rows, numerators_of_rows, denominators_of_rows = legal_steps
        numerators[rows], denominators[rows] = numerators_of_rows, denominators_of_rows
        legal[rows] = True
        results = _as_kind(kind, numerators.reshape(shape), denominators.reshape(shape))
        return results, legal.reshape(shape)

    def _compute_rows(self, operands: Sequence[Any], game: AnyGame) -> _Results:
        """Compute steps one by one; return the results of the legal ones.

        `operands` are four arrays: numerators and denominators of left, then those of right.
        """
        rows: list[int] = []
        results: list[Exact] = []
        steps = zip(*(array.tolist() for array in operands), strict=True)
        for row, (a, b, c, d) in enumerate(steps):
            left, right = (Fraction(a, b), Fraction(c, d)) if game.fractions else (a, c)
            result, broken_rule = self._compute(left, right, game)
            if broken_rule is None:
                rows.append(row)
                results.append(result)
        return rows, [each.numerator for each in results], [each.denominator for each in results]

    def _select_legal(
        self, results: _Results, operands: Sequence[Any], kind: type, game: AnyGame
    ) -> _Results:
        """Return the computed results of steps without those that a game forbids."""
        rows, numerators, denominators = results
        a, b, c, d = (array[rows] for array in operands)
        left, right = _as_kind(kind, a, b), _as_kind(kind, c, d)
        result = _as_kind(kind, numerators, denominators)
        # Without fractions, a result must be whole.
        legal: Legal = game.fractions | (denominators == 1)
        legal = are_obeyed(self.active_rules(game), left, right, result, game, legal)
        return rows[legal], numerators[legal], denominators[legal]

    def active_rules(self, game: AnyGame) -> tuple[StepRule, ...]:
        """Return the rules to check in a game, without those that its steps can never break."""
        rules = [rule for rule in game.step_rules if not rule.never_broken(self, game)]
        if self.commutes:
            rules = [
                _require_symmetry(rule, self.name) if rule.reads_operands else rule
                for rule in rules
            ]
        return (*self.rules, *rules)


def obeys_result_rules(results: Value, game: AnyGame) -> Legal:
    """Return whether values obey the rules of a game for results, but not those for operands."""
    rules = [rule for rule in game.step_rules if not rule.reads_operands]
    return are_obeyed(rules, None, None, results, game)


def operator_by_name(name: str) -> Operator:
    """Return the operator with a name; raise KeyError if unknown."""
    return OPERATORS[name] if name in OPERATORS else OPTIONAL_OPERATORS[name]


def all_operators() -> dict[str, Operator]:
    """Return all operators by name: those of all games, then the optional ones."""
    # The first operand sets the order; the last one wins if an added operator is in both.
    return OPERATORS | OPTIONAL_OPERATORS | OPERATORS


def _numerators_and_denominators(column: Value) -> tuple[Any, Any]:
    """Return the two arrays of a column; raise TypeError for any other value."""
    import numpy as np

    if isinstance(column, np.ndarray):
        return column, np.ones_like(column)
    if hasattr(column, "numerators"):
        return column.numerators, column.denominators
    raise TypeError(type(column).__name__)


def _as_kind(kind: type, numerators: Any, denominators: Any) -> Value:
    """Return results as a column of the type `kind` of their operands."""
    return kind(numerators, denominators) if hasattr(kind, "numerators") else numerators


def group_by_precedence(operators: Iterable[Operator]) -> tuple[tuple[Operator, ...], ...]:
    """Return operators in groups of equal precedence, highest first; a group keeps their order."""
    ordered = sorted(operators, key=lambda operator: -operator.precedence)
    groups = groupby(ordered, lambda operator: operator.precedence)
    return tuple(tuple(group) for _, group in groups)


def is_inverse_pair(operators: Sequence[Operator]) -> bool:
    """Return whether operators are an inverse pair, so that a - (b - c) is a + c - b."""
    names = {operator.name for operator in operators}
    return len(names) == 2 and all(operator.inverse in names for operator in operators)


def _is_spelling(text: str) -> bool:
    return re.fullmatch(r"[^\s0-9()\[\]=\0\1]+", text) is not None


def _product_bounds(left: Bounds, right: Bounds) -> Bounds:
    corners = [a * b for a in left for b in right]
    return min(corners), max(corners)


def _quotient_bounds(left: Bounds, right: Bounds) -> Bounds:
    # Right operands are whole, so a quotient is at most as large as the left operand.
    largest = max(map(abs, left))
    return (min(0, left[0]) if right[0] >= 0 else -largest), largest


def _product_window(result: Bounds, operand: Value, _: bool) -> tuple[Value, Value]:
    """Return the bounds of one factor, given the bounds of a product and the other factor."""
    divisor = operand + (operand == 0)
    # No number times 0 is above zero: the upper bound is then 0, and below the lower one.
    return -(-result[0] // divisor), result[1] * (operand > 0) // divisor


def _quotient_window(result: Bounds, operand: Value, is_right: bool) -> tuple[Value, Value]:
    """Return the bounds of the dividend, given those of a quotient and the divisor, or reversed."""
    if is_right:
        return result[0] * operand, result[1] * operand
    return -(-operand // result[1]), operand // result[0]


def _common_multiple(numbers: Sequence[int]) -> int:
    return lcm(*(abs(number) for number in numbers if number))


# Keyboards, editors and phones replace a hyphen by these characters.
_DASHES = ("−", "–", "‐", "‑", "‒", "➖")

# The operators of all games by name, in the order of results files. Users can add records.
OPERATORS: dict[str, Operator] = {
    operator.name: operator
    for operator in (
        Operator(
            "-",
            ("-", *_DASHES),
            1,
            lambda left, right: left - right,
            lambda left, right: (left[0] - right[1], left[1] - right[0]),
            window=lambda result, operand, is_right: (
                (result[0] + operand, result[1] + operand)
                if is_right
                else (operand - result[1], operand - result[0])
            ),
            inverse="+",
            rational=True,
            max_growth=1,
            denominator_factor=lambda _: 1,
        ),
        Operator(
            "+",
            ("+", "➕"),
            1,
            lambda left, right: left + right,
            lambda left, right: (left[0] + right[0], left[1] + right[1]),
            window=lambda result, operand, _: (result[0] - operand, result[1] - operand),
            commutes=True,
            inverse="-",
            rational=True,
            stays_positive=True,
            max_growth=1,
            denominator_factor=lambda _: 1,
        ),
        Operator(
            "x",
            ("x", "X", "*", "×", "·", "⋅", "∙", "∗", "✕", "✖", "х", r"\times", r"\cdot", r"\ast"),
            2,
            lambda left, right: left * right,
            _product_bounds,
            window=_product_window,
            commutes=True,
            inverse=":",
            rational=True,
            stays_positive=True,
            max_growth=1,
            denominator_factor=lambda _: 1,
        ),
        Operator(
            ":",
            (":", "/", "÷", "∕", "⁄", "∶", "➗", r"\div"),
            2,
            divide,
            _quotient_bounds,
            window=_quotient_window,
            rules=(_WHOLE_QUOTIENT,),
            inverse="x",
            rational=True,
            divides=True,
            stays_positive=True,
            max_growth=1,
            denominator_factor=_common_multiple,
        ),
        Operator(
            "|",
            ("|",),
            _JOINED_PRECEDENCE,
            lambda left, right: left * 10 + right,
            lambda left, right: (10 * left[0] + right[0], 10 * left[1] + right[1]),
            rules=(_NO_LEADING_ZERO,),
            rational=True,
            stays_positive=True,
            max_growth=6,
            joins=True,
        ),
    )
}


_NO_LONG_POWER = StepRule(
    lambda left, right, _result, game: is_small_power(left, right, game.max_bits),
    _explain_by("step.power_too_large"),
    code="too-large",
    reads_operands=True,
)
_SMALL_WHOLE_OPERAND = StepRule(
    lambda left, _right, _result, _game: (
        left.denominator == 1 and 0 <= left <= MAX_FACTORIAL_OPERAND
    ),
    _explain_by("step.factorial_range", most=MAX_FACTORIAL_OPERAND),
    reads_operands=True,
)
_POSITIVE_DIGITS = StepRule(
    lambda _left, right, _result, _game: right > 0,
    _explain_by("step.no_decimal"),
    code="number",
    reads_operands=True,
)
# With several digits it would be unclear whether all of them repeat or only the last.
_ONE_POSITIVE_DIGIT = _POSITIVE_DIGITS._replace(
    is_obeyed=lambda _left, right, _result, _game: 0 < right <= 9,
    explain=_explain_by("step.no_decimal_digit"),
)

# The operators of games that choose them, by `--operators` or by the rule for decimals. In other
# games their signs have no meaning.
OPTIONAL_OPERATORS: dict[str, Operator] = {
    operator.name: operator
    for operator in (
        Operator(
            "^",
            ("^", "**"),
            3,
            exact_power,
            right_associative=True,
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
            domain=(_SMALL_WHOLE_OPERAND,),
            column_arithmetic=exact_factorials,
        ),
        Operator(
            ".",
            (".",),
            _JOINED_PRECEDENCE - 1,
            lambda value: Fraction(int(value), 10 ** len(str(value))),
            arity=1,
            domain=(_POSITIVE_DIGITS,),
            joins=True,
            affixes=(".", ""),
            game_rule="decimals",
        ),
        Operator(
            "…",
            ("…",),
            _JOINED_PRECEDENCE - 1,
            lambda value: Fraction(int(value), 9),
            arity=1,
            domain=(_ONE_POSITIVE_DIGIT,),
            joins=True,
            affixes=(".", "…"),
            game_rule="repeating",
        ),
    )
}
JOIN = OPERATORS["|"]
# The sign of negative numbers, and of a negated formula.
MINUS = OPERATORS["-"]
# A regular expression for the minus sign of a number, in any spelling.
MINUS_PATTERN = f"[{''.join(map(re.escape, MINUS.spellings))}]"
