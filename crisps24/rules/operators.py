"""Operators as records, and the rules that a step obeys.

An `Operator` has all that the rest of the package needs: its spellings for the grammar, its
arithmetic for the evaluator, its inverse and its bounds for the searches. A new operator is a new
record; a function that needs a property that the operator does not have refuses the game. Only this
module computes steps and decides whether they are legal. 9 : 7 in crisps, for example:
`OPERATORS[":"].operate(9, 7, game)` computes 1, sees that 1 x 7 is not 9, and returns (1, False).
The same call on columns computes all steps at once.

A game forbids steps by rules. A `ResultRule` reads only the result (not below zero, not zero), a
`StepRule` also the operands (a quotient without a remainder).
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

# An int, a Fraction, or a column of ints, fractions (`ratios.Ratios`) or fingerprints. An operator
# has one arithmetic for all of them.
Value = Any
# Whether a step is legal: a bool, or a numpy column of bools. A bool also stands for all rows.
Legal = Any
# Row indices of columns, with the numerators and denominators of those rows.
_Results = tuple[Any, Any, Any]
# The least and the largest of several values.
Bounds = tuple[int, int]


class StepContext(Protocol):
    """The properties of a game that an operator reads; `games.Game` has them."""

    @property
    def fractions(self) -> bool:
        """Whether values can be fractions."""

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
        """The largest length of a numerator or a denominator in bits; None for no limit."""


class StepRule(NamedTuple):
    """A rule about the operands and the result of a step.

    Operators have such rules. A game has them only if the record of the rule (`rules.Rule`) has
    `reads_operands`.
    """

    is_obeyed: Callable[[Value, Value, Value, StepContext], Legal]
    """A function of (left, right, result, game) that returns whether the step obeys the rule."""
    explain: Callable[[Any, Any, Any], Message | str]
    """A function of (left, right, result) that returns why the step breaks the rule: a message, or
    an English text, in which `{step}` stands for the step: `{step} is odd`."""
    never_broken: "Callable[[Operator, StepContext], bool]" = lambda _operator, _game: False
    """A function of (operator, game) that returns whether no step of the operator can break the
    rule in that game. Such rules are not checked."""
    code: str = "rule"
    """The code of the message, for programs."""
    takes_columns: bool = False
    """Whether `is_obeyed` also takes columns, which is faster. If not, it is called with one step
    at a time, as ints and Fractions."""


class ResultRule(NamedTuple):
    """A rule of a game about the results of steps; its fields are those of `StepRule`.

    >>> is_odd = lambda left, right, result: "{step} is odd"
    >>> rule = ResultRule(lambda result: result % 2 == 0, is_odd)
    >>> rule.is_obeyed(4), rule.takes_columns
    (True, False)
    """

    is_obeyed: Callable[[Value], Legal]
    """A function of the result that returns whether it obeys the rule."""
    explain: Callable[[Any, Any, Any], Message | str]
    never_broken: "Callable[[Operator, StepContext], bool]" = lambda _operator, _game: False
    code: str = "rule"
    takes_columns: bool = False


AnyRule = StepRule | ResultRule


def _explain_by(key: str, **values: Any) -> Callable[[Any, Any, Any], Message]:
    """Return an `explain` function of a rule: it returns the same message for all steps.

    `key` is the key of the message in the files of texts, and `values` are its placeholders.
    """
    explanation = message(key, **values)
    return lambda _left, _right, _result: explanation


class CheckedRules(NamedTuple):
    """The rules that a step of an operator can break in a game."""

    step_rules: tuple[StepRule, ...]
    result_rules: tuple[ResultRule, ...]


# The precedence of joined digits; no other operator binds as tightly.
_JOINED_PRECEDENCE = 9
# Operators of a higher precedence bind tighter than a minus sign: -2 ^ 2 is -(2 ^ 2).
SIGN_PRECEDENCE = 2
# The largest limit of a game for numerators and denominators, in bits.
MAX_BITS = 62
_UNBOUNDED = (-(1 << MAX_BITS), 1 << MAX_BITS)

NOT_BELOW_ZERO = ResultRule(
    lambda result: result >= 0,
    _explain_by("step.below_zero"),
    lambda operator, _game: operator.stays_positive,
    code="below-zero",
    takes_columns=True,
)
NOT_ZERO = ResultRule(
    lambda result: result != 0,
    _explain_by("step.zero"),
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
    _explain_by("step.division_by_zero"),
    code="division-by-zero",
    takes_columns=True,
)
_NO_LEADING_ZERO = StepRule(
    lambda left, _right, _result, _game: left != 0,
    _explain_by("step.leading_zero"),
    code="number",
    takes_columns=True,
)


@cache
def max_bits_rule(bits: int) -> ResultRule:
    """Return a rule that forbids results with a numerator or denominator of more than `bits` bits.

    The function `is_obeyed` of the rule takes one result, or a numpy column of results. Fractions
    are checked in lowest terms. With 3 bits, the largest integer is 7:

    >>> max_bits_rule(3).is_obeyed(7), max_bits_rule(3).is_obeyed(Fraction(1, 8))
    (True, False)
    """
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
        # An int, or an array of ints.
        return abs(result) <= largest

    return ResultRule(
        is_obeyed,
        _explain_by("step.too_many_bits", most=bits),
        code="too-large",
        takes_columns=True,
    )


_WHOLE_RESULT = StepRule(
    lambda _left, _right, result, game: game.fractions or result.denominator == 1,
    _explain_by("step.not_whole"),
    code="remainder",
)
_HAS_RESULT = StepRule(
    lambda _left, _right, result, _game: result is not None,
    _explain_by("step.not_exact"),
)


@cache
def vectorize_rule(rule: AnyRule) -> AnyRule:
    """Return a rule that checks whole columns of steps, from a rule that may check only one step.

    A column is a numpy array with one entry for each step, or two arrays for fractions. A rule with
    `takes_columns` is returned unchanged. Another rule gets a new function `is_obeyed`, which calls
    the old one for each step of a column; it checks equal steps only once.

    >>> import numpy as np
    >>> rule = ResultRule(lambda result: result % 2 == 0, lambda *_: "{step} is odd")
    >>> vectorize_rule(rule).is_obeyed(np.array([4, 7, 4])).tolist()
    [True, False, True]
    """
    if rule.takes_columns:
        return rule
    if isinstance(rule, ResultRule):
        is_obeyed = partial(_check_each_step, rule.is_obeyed)
        return rule._replace(is_obeyed=is_obeyed, takes_columns=True)
    check = rule.is_obeyed

    def step_is_obeyed(left: Value, right: Value, result: Value, game: StepContext) -> Legal:
        return _check_each_step(lambda a, b, c: check(a, b, c, game), left, right, result)

    return rule._replace(is_obeyed=step_is_obeyed, takes_columns=True)


def _check_each_step(check: Callable[..., object], *step: Value) -> Legal:
    """Check one step, or many steps in columns, by a function that checks one step.

    `step` has the arguments of `check`: numbers, or columns with one number for each step (numpy
    arrays of ints, or columns of fractions). If all are numbers, the result is a bool. Otherwise it
    is an array with a bool for each step. Here 1 and 5 are each compared with 3:

    >>> import numpy as np
    >>> _check_each_step(lambda left, right: left > right, np.array([1, 5]), np.array([3, 3]))
    array([False,  True])
    """
    if all(isinstance(value, int | Fraction) for value in step):
        return bool(check(*map(int_if_whole, step)))
    import numpy as np

    columns = [value if hasattr(value, "numerators") else np.asarray(value) for value in step]
    # Two arrays for each column, its numerators and its denominators, all of the same shape.
    arrays = np.broadcast_arrays(
        *(array for column in columns for array in _numerators_and_denominators(column))
    )
    # A row has the numerator and denominator of each number of a step: (1, 1, 3, 1) for 1 and 3.
    rows = list(zip(*(array.ravel().tolist() for array in arrays), strict=True))
    # Check equal rows only once.
    is_legal: dict[tuple[int, ...], bool] = {}
    for row in set(rows):
        numbers = map(Fraction, row[::2], row[1::2])
        is_legal[row] = bool(check(*map(int_if_whole, numbers)))
    return np.array([is_legal[row] for row in rows], bool).reshape(arrays[0].shape)


@cache
def _require_symmetry(rule: StepRule, sign: str) -> StepRule:
    """Return a rule that raises an error if it does not treat a + b and b + a alike.

    Searches compute only one of a + b and b + a, so a rule must allow both or neither. The returned
    rule allows the same steps as `rule`, but raises RefusedError for a step that is only allowed in
    one order. `sign` is the sign of the operator, for the error. This rule allows 3 + 2 but not
    2 + 3:

    >>> larger_first = StepRule(lambda left, right, result, game: left > right, lambda *_: "")
    >>> _require_symmetry(larger_first, "+").is_obeyed(3, 2, 5, None)
    Traceback (most recent call last):
        ...
    crisps24.errors.RefusedError: a rule of the game must allow both a + b and b + a, or neither: \
only one of them is tried
    """

    def is_obeyed(left: Value, right: Value, result: Value, game: StepContext) -> Legal:
        legal = rule.is_obeyed(left, right, result, game)
        legal_swapped = rule.is_obeyed(right, left, result, game)
        # Both are one bool, or columns with one bool for each step.
        differs = legal ^ legal_swapped
        if _is_any_true(differs):
            raise RefusedError(
                f"a rule of the game must allow both a {sign} b and b {sign} a, or neither: "
                "only one of them is tried"
            )
        return legal

    return rule._replace(is_obeyed=is_obeyed)


def _is_any_true(legal: Legal) -> bool:
    """Return whether a bool is true, or any bool of a column."""
    return legal if isinstance(legal, bool) else bool(legal.any())


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """An operator: its text, its arithmetic, and the properties that searches rely on.

    >>> from crisps24 import GAMES
    >>> OPERATORS[":"].operate(9, 7, GAMES["crisps"])
    (1, False)
    >>> print(OPERATORS[":"].step_problem(9, 7, GAMES["crisps"], "9 : 7"))
    9 : 7 leaves a remainder of 2

    The defaults of optional fields are safe for each operator, except `rational`. More properties
    make searches faster.

    Raises RefusedError for a name that is not one character, for spellings and precedences that the
    grammar cannot read, and for `undo` together with rules.
    """

    name: str
    """Its sign in results files and in `Formula`: one character, not a digit or a space."""
    spellings: tuple[str, ...]
    """Its typed forms, each of one or more characters; `name` is one of them."""
    precedence: int
    """Higher for operators that bind tighter: 1 for sums, 2 for products, 9 for joined digits."""
    arithmetic: Callable[..., Value] = field(repr=False)
    """A function of (left, right), or of the only operand, that returns the result, even if the
    step is not legal. It takes each kind of `Value`."""
    bounds: Callable[[Bounds, Bounds], Bounds] = field(default=lambda *_: _UNBOUNDED, repr=False)
    """A function of the bounds of left and of right that returns bounds of all legal results. Right
    operands of products and quotients are whole."""
    rules: tuple[StepRule, ...] = field(default=(), repr=False)
    """The rules of its steps in every game."""
    arity: int = 2
    """Its number of operands, 2 or 1. An operator with one is `scalar_only`."""
    postfix: bool = False
    """Whether its only operand precedes it, as in 4!."""
    right_associative: bool = False
    """Whether it groups from the right: 2 ^ 3 ^ 2 is 2 ^ (3 ^ 2)."""
    scalar_only: bool = False
    """Whether its arithmetic takes one step of exact values at a time, and returns None if there is
    no exact result. It is then not `rational`, and its games limit the bits of results."""
    domain: tuple[StepRule, ...] = field(default=(), repr=False)
    """Rules of the operands, checked before the result is computed if it is `scalar_only`."""
    column_arithmetic: Callable[..., _Results] | None = field(default=None, repr=False)
    """A faster form of a `scalar_only` arithmetic, for columns: a function of the numerators and
    denominators of left and right, in lowest terms, and of the largest integer of a result, below
    2^31. It returns (rows, numerators, denominators) of all results that can be legal."""
    commutes: bool = False
    """Whether a + b is always b + a."""
    inverse: str = ""
    """The name of the operator that undoes it: (a - b) + b = a. Chains of both must regroup:
    a - (b - c) = a + c - b."""
    undo: Callable[[Value, Value], Value] | None = field(default=None, repr=False)
    """A function of (result, right) that returns the left operand, if there is exactly one for all
    results and right operands; otherwise None. The operator then has no `rules`."""
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
    """A function of whole right operands that returns a number f: with each of these, the
    denominator of the result divides f times the denominator of left. None if unknown."""
    rational: bool = True
    """Whether it is a rational function of its operands, so that fingerprints identify results."""
    joins: bool = False
    """Whether it writes digits as one number, which is not a step of the working."""
    affixes: tuple[str, str] = ("", "")
    """The texts before and after the digits, if it `joins` and has one operand: those of .4…"""
    game_rule: str = ""
    """The rule of a game that allows it, if it is not one of the operators that a game chooses."""
    signs: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Its sign in each style that has no sign for it itself: style name to sign."""

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
        if self.undo is not None and (self.rules or self.divides):
            raise RefusedError(f"{self.name} cannot have `undo`: its steps have rules")
        if self.arity not in (1, 2) or (self.postfix and self.arity == 2):
            raise RefusedError(f"invalid arity of {self.name} (expected 1, or 2 without postfix)")
        object.__setattr__(self, "rules", tuple(map(vectorize_rule, self.rules)))
        if self.arity == 1 or self.scalar_only:
            object.__setattr__(self, "scalar_only", True)
            object.__setattr__(self, "rational", False)

    @property
    def grouping(self) -> tuple[Any, ...]:
        """(arity, postfix, right_associative): equal for all operators of one precedence in a game.

        Otherwise a formula without parentheses could be read in two ways.
        """
        return self.arity, self.postfix, self.right_associative

    @property
    def stays_whole(self) -> bool:
        """Whether the result of whole operands is known to be whole; False for 4! and 2 ^ 3."""
        return (
            not self.divides
            and self.denominator_factor is not None
            and self.denominator_factor((2,)) == 1
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return operator_by_name, (self.name,)

    def operate(
        self, left: Value, right: Value, game: StepContext, rules: CheckedRules | None = None
    ) -> tuple[Value, Legal]:
        """Compute a step, such as 9 : 7; return (result, whether the step is legal in a game).

        The result of an illegal step has no meaning. Operands can also be columns with one number
        for each of many steps. The result is then a column too, and so are the bools; but one bool
        can stand for all steps.

        Args:
            left: The left operand, or the only operand of a postfix operator.
            right: The right operand, or the only operand of a prefix operator; of the same kind.
            game: The game, whose rules can forbid the step.
            rules: The result of `active_rules(game)`; None to compute it here. Callers with many
                steps compute it once.

        Raises RefusedError if the arithmetic does not take this kind of value, or if a rule of the
        game allows only one of a + b and b + a.
        """
        # This arithmetic computes one step at a time, and returns None without an exact result.
        if self.scalar_only:
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
        except TypeError:
            kind = type(left).__name__
            raise RefusedError(f"the arithmetic of {self.name} does not work on {kind}") from None
        step_rules, result_rules = self.active_rules(game) if rules is None else rules
        # Combine what the rules return. A True needs no `&`, which copies a column.
        for step_rule in step_rules:
            obeyed = step_rule.is_obeyed(left, right, result, game)
            if obeyed is not True:
                legal = obeyed if legal is True else legal & obeyed
        for result_rule in result_rules:
            obeyed = result_rule.is_obeyed(result)
            if obeyed is not True:
                legal = obeyed if legal is True else legal & obeyed
        return result, legal

    def undo_step(self, result: Value, right: Value, game: StepContext) -> tuple[Value, Legal]:
        """Return the left operand of a step, given its result and its right operand.

        The result is a tuple (left operand, whether the step is legal). Only rules about the
        operands are checked, not rules that only read the result. All arguments are numbers, or all
        are columns with one number for each of many steps. The operator must have `undo`, like +
        and -.

        If left - 3 is 5, then left is 8:

        >>> from crisps24 import GAMES
        >>> OPERATORS["-"].undo_step(5, 3, GAMES["crisps"])
        (8, True)
        """
        assert self.undo is not None
        left = self.undo(result, right)
        legal: Legal = True
        for rule in self.active_rules(game).step_rules:
            legal = rule.is_obeyed(left, right, result, game) & legal
        return left, legal

    def step_problem(self, left: Value, right: Value, game: StepContext, step: str) -> Message:
        """Return a message that explains why a game forbids a step, or an empty message.

        The message is empty if the step is legal. `step` is the text that the message shows for the
        step:

        >>> from crisps24 import GAMES
        >>> print(OPERATORS[":"].step_problem(9, 7, GAMES["crisps"], "9 : 7"))
        9 : 7 leaves a remainder of 2

        Raises RefusedError if a rule of the game allows only one of a + b and b + a.
        """
        result: Value
        if self.scalar_only:
            result, broken_rule = self._compute(left, right, game)
        else:
            broken_rule = self.broken_rule(left, right, game)
            # The explanation can show the result, except that of a division by zero.
            needs_result = broken_rule not in (None, _NOT_BY_ZERO)
            result = self.arithmetic(left, right) if needs_result else None
        if broken_rule is None:
            return as_message("")
        key, values, english = as_message(broken_rule.explain(left, right, result))
        return Message(key, {"step": step, **values}, english)

    def broken_rule(self, left: Value, right: Value, game: StepContext) -> AnyRule | None:
        """Return the first rule of a game that a step breaks, or None if the step is legal.

        `left` and `right` are ints or Fractions. An operator with one operand, such as the
        factorial 4!, ignores the other one. A division by zero also breaks a rule, and so does a
        step without an exact result, such as the square root of 2:

        >>> from crisps24 import GAMES
        >>> OPERATORS[":"].broken_rule(9, 0, GAMES["crisps"]).code
        'division-by-zero'

        Raises RefusedError if a rule of the game allows only one of a + b and b + a.
        """
        if self.scalar_only:
            return self._compute(left, right, game)[1]
        if self.divides and right == 0:
            return _NOT_BY_ZERO
        return self._first_broken_rule(left, right, self.arithmetic(left, right), game)

    def _first_broken_rule(
        self, left: Exact, right: Exact, result: Exact, game: StepContext
    ) -> AnyRule | None:
        """Return the first rule of a game that a computed step breaks, or None if it is legal.

        Args:
            left: The left operand, such as 3 in 3 - 4.
            right: The right operand.
            result: The result of the step, here -1, which a game without negatives does not allow.
            game: The game.
        """
        step_rules, result_rules = self.active_rules(game)
        for rule in step_rules:
            if not rule.is_obeyed(left, right, result, game):
                return rule
        return next((rule for rule in result_rules if not rule.is_obeyed(result)), None)

    def _compute(
        self, left: Exact, right: Exact, game: StepContext
    ) -> tuple[Exact, AnyRule | None]:
        """Compute one step of an operator such as ^; return (result, the first rule it breaks).

        The operator is `scalar_only`: it computes one step of ints or Fractions at a time, not many
        steps at once. The rule is None if the step is legal. The result of an illegal step has no
        meaning. 2 ^ (1/2) is illegal because it is irrational:

        >>> from crisps24 import GAMES
        >>> power = OPTIONAL_OPERATORS["^"]
        >>> power._compute(2, 3, GAMES["cards"])
        (Fraction(8, 1), None)
        >>> power._compute(2, Fraction(1, 2), GAMES["cards"])[1] is _HAS_RESULT
        True
        """
        # These rules only read the operands: for example, a factorial needs a small whole number.
        for rule in self.domain:
            if not rule.is_obeyed(left, right, None, game):
                return left, rule
        value = self.arithmetic(*self.operands(left, right))
        if value is None:
            return left, _HAS_RESULT
        # Values are Fractions in games with fractions, also if they are whole.
        result: Exact = int_if_whole(value)
        if game.fractions:
            result = Fraction(result)
        elif result.denominator != 1:
            return result, _WHOLE_RESULT
        return result, self._first_broken_rule(left, right, result, game)

    def spell(self, digits: str) -> str:
        """Return a number as text: its digits between the affixes."""
        before, after = self.affixes
        return f"{before}{digits}{after}"

    def operands(self, left: Any, right: Any) -> tuple[Any, ...]:
        """Return (left, right), or (left,) of a postfix operator, or (right,) of a prefix one."""
        return (left, right) if self.arity == 2 else (left if self.postfix else right,)

    def _operate_on_columns(
        self, left: Value, right: Value, game: StepContext
    ) -> tuple[Value, Legal]:
        """Compute many steps of an operator such as ^ at once; return (results, legal).

        The operator is `scalar_only`: its own arithmetic computes one step at a time. `left` and
        `right` are columns with one operand for each step: numpy arrays of ints, or columns of
        fractions. `results` is a column of the same type, with 0 for each illegal step. `legal` is
        an array with one bool for each step. The square root of 2 is illegal:

        >>> import numpy as np
        >>> from crisps24 import Game
        >>> operands, game = np.array([9, 2, 16]), Game("roots", (2, 9, 16), 1, operators=("√",))
        >>> results, legal = OPTIONAL_OPERATORS["√"]._operate_on_columns(operands, operands, game)
        >>> results.tolist(), legal.tolist()
        ([3, 0, 4], [True, False, True])
        """
        import numpy as np

        arrays = np.broadcast_arrays(
            *_numerators_and_denominators(left), *_numerators_and_denominators(right)
        )
        kind, shape = type(left), arrays[0].shape
        operands = [array.ravel() for array in arrays]
        compute_all, max_bits = self.column_arithmetic, game.max_bits
        # The fast arithmetic needs operands below 2^31; otherwise compute one step at a time.
        has_python_ints = operands[0].dtype == object
        if compute_all is None or max_bits is None or max_bits > 31 or has_python_ints:
            legal_steps = self._compute_rows(operands, game)
        else:
            computed_steps = compute_all(*operands, (1 << max_bits) - 1)
            legal_steps = self._select_legal(computed_steps, operands, kind, game)
        # Start with the result 0/1 for each step, and fill in the results of the legal steps.
        numerators, denominators = np.zeros_like(operands[0]), np.ones_like(operands[1])
        legal = np.zeros(len(numerators), bool)
        rows, numerators_of_rows, denominators_of_rows = legal_steps
        numerators[rows], denominators[rows] = numerators_of_rows, denominators_of_rows
        legal[rows] = True
        results = _as_kind(kind, numerators.reshape(shape), denominators.reshape(shape))
        return results, legal.reshape(shape)

    def _compute_rows(self, operands: Sequence[Any], game: StepContext) -> _Results:
        """Compute many steps one by one; return (rows, numerators, denominators) of legal steps.

        `operands` are four arrays with one entry for each step: the numerators and the denominators
        of the left operands, then those of the right operands. `rows` are the indices of the legal
        steps, and the other lists have their results.
        """
        rows: list[int] = []
        numerators: list[int] = []
        denominators: list[int] = []
        steps = zip(*(array.tolist() for array in operands), strict=True)
        for row, step in enumerate(steps):
            left_numerator, left_denominator, right_numerator, right_denominator = step
            left: Exact = left_numerator
            right: Exact = right_numerator
            if game.fractions:
                left = Fraction(left_numerator, left_denominator)
                right = Fraction(right_numerator, right_denominator)
            result, broken_rule = self._compute(left, right, game)
            if broken_rule is None:
                rows.append(row)
                numerators.append(result.numerator)
                denominators.append(result.denominator)
        return rows, numerators, denominators

    def _select_legal(
        self, results: _Results, operands: Sequence[Any], kind: type, game: StepContext
    ) -> _Results:
        """Return the computed results of steps without those that a game forbids.

        Args:
            results: Three arrays (rows, numerators, denominators): the indices of the computed
                steps, and their results. The return value has the same form.
            operands: Four arrays with one entry for each step: the numerators and the denominators
                of the left operands, then those of the right operands.
            kind: The type that the rules of the game expect: a column of fractions, or an array.
            game: The game.
        """
        rows, numerators, denominators = results
        left_numerators, left_denominators, right_numerators, right_denominators = (
            array[rows] for array in operands
        )
        left = _as_kind(kind, left_numerators, left_denominators)
        right = _as_kind(kind, right_numerators, right_denominators)
        result = _as_kind(kind, numerators, denominators)
        # Without fractions, a result must be whole.
        legal: Legal = game.fractions | (denominators == 1)
        step_rules, result_rules = self.active_rules(game)
        for step_rule in step_rules:
            legal = step_rule.is_obeyed(left, right, result, game) & legal
        for result_rule in result_rules:
            legal = result_rule.is_obeyed(result) & legal
        return rows[legal], numerators[legal], denominators[legal]

    def active_rules(self, game: StepContext) -> CheckedRules:
        """Return the rules to check in a game, without those that its steps can never break.

        The rules about operands are those of this operator, then those of the game.
        """
        step_rules = self.rules
        if game.operand_rules:
            game_rules = [rule for rule in game.operand_rules if not rule.never_broken(self, game)]
            if self.commutes:
                game_rules = [_require_symmetry(rule, self.name) for rule in game_rules]
            step_rules = (*step_rules, *game_rules)
        result_rules = [rule for rule in game.result_rules if not rule.never_broken(self, game)]
        return CheckedRules(step_rules, tuple(result_rules))


def obeys_result_rules(results: Value, game: StepContext) -> Legal:
    """Return whether values obey the result rules of a game: a bool, or a column of bools.

    A step rule can still forbid the step to such a value: see `Operator.operate` and `undo_step`.
    """
    legal: Legal = True
    for rule in game.result_rules:
        legal = rule.is_obeyed(results) & legal
    return legal


def operator_by_name(name: str) -> Operator:
    """Return the operator with a name (its sign in results files); raise KeyError if unknown."""
    return OPERATORS[name] if name in OPERATORS else OPTIONAL_OPERATORS[name]


def all_operators() -> dict[str, Operator]:
    """Return all operators by name: those of all games, then the optional ones."""
    # The first operand sets the order; the last one wins if an added operator is in both.
    return OPERATORS | OPTIONAL_OPERATORS | OPERATORS


def _numerators_and_denominators(column: Value) -> tuple[Any, Any]:
    """Return a column of numbers as two arrays: numerators and denominators.

    The column is a numpy array of ints, whose denominators are ones, or a column of fractions, such
    as `ratios.Ratios`. Raises TypeError for any other value.

    >>> import numpy as np
    >>> [array.tolist() for array in _numerators_and_denominators(np.array([3, 8]))]
    [[3, 8], [1, 1]]
    """
    import numpy as np

    if isinstance(column, np.ndarray):
        return column, np.ones_like(column)
    if hasattr(column, "numerators"):
        return column.numerators, column.denominators
    raise TypeError(type(column).__name__)


def _as_kind(kind: type, numerators: Any, denominators: Any) -> Value:
    """Return the results of many steps as a column of the type of their operands.

    Args:
        kind: The type: that of columns of fractions, or a numpy array of ints.
        numerators: The numerators of the results; for ints, they are the results.
        denominators: The denominators of the results, not used for ints.
    """
    return kind(numerators, denominators) if hasattr(kind, "numerators") else numerators


def group_by_precedence(operators: Iterable[Operator]) -> tuple[tuple[Operator, ...], ...]:
    """Return operators in groups of equal precedence, highest precedence first.

    The precedence says which operator is applied first, such as x before +. A group keeps the order
    of the argument.

    >>> groups = group_by_precedence(OPERATORS.values())
    >>> [[operator.name for operator in group] for group in groups]
    [['|'], ['x', ':'], ['-', '+']]
    """
    ordered = sorted(operators, key=lambda operator: -operator.precedence)
    groups = groupby(ordered, lambda operator: operator.precedence)
    return tuple(tuple(group) for _, group in groups)


def is_inverse_pair(operators: Sequence[Operator]) -> bool:
    """Return whether operators of equal precedence are exactly an inverse pair, such as + and -.

    Each undoes the other. Formulas of such a pair need no parentheses: a - (b - c) is a + c - b. If
    - is the only operator, a - (b - c) cannot be written without parentheses.

    >>> is_inverse_pair([OPERATORS["-"], OPERATORS["+"]]), is_inverse_pair([OPERATORS["-"]])
    (True, False)
    """
    names = {operator.name for operator in operators}
    return len(names) == 2 and all(operator.inverse in names for operator in operators)


def _is_spelling(text: str) -> bool:
    """Return whether a text can be the sign of an operator: no spaces, digits, brackets or =."""
    return re.fullmatch(r"[^\s0-9()\[\]=\0\1]+", text) is not None


def _product_bounds(left: Bounds, right: Bounds) -> Bounds:
    """Return the least and the largest product of operands within given bounds (low, high)."""
    corners = [a * b for a in left for b in right]
    return min(corners), max(corners)


def _quotient_bounds(left: Bounds, right: Bounds) -> Bounds:
    """Return bounds (low, high) of the quotients of whole operands within given bounds."""
    # Right operands are whole, so a quotient is at most as large as the left operand.
    largest = max(map(abs, left))
    return (min(0, left[0]) if right[0] >= 0 else -largest), largest


def _common_multiple(numbers: Sequence[int]) -> int:
    """Return the least common multiple of the numbers that are not 0; 1 if there are none."""
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
            _product_bounds,
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
            _quotient_bounds,
            rules=(_WHOLE_QUOTIENT,),
            inverse="x",
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
)
_SMALL_WHOLE_OPERAND = StepRule(
    lambda left, _right, _result, _game: (
        left.denominator == 1 and 0 <= left <= MAX_FACTORIAL_OPERAND
    ),
    _explain_by("step.factorial_range", most=MAX_FACTORIAL_OPERAND),
)
_POSITIVE_DIGITS = StepRule(
    lambda _left, right, _result, _game: right > 0,
    _explain_by("step.no_decimal"),
    code="number",
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
