"""A brute force for hands: enumerates and evaluates every expression.

It is the specification of the solver and the surveys and shares no code with them. An expression is
a binary tree over the numbers of a hand; some digits can be joined first. Without parentheses,
only trees that can be written without them count. Values are exact: ints, or `Fraction`s after a
division. Two expressions are the same solution if they are equal as rational functions. The test
for this replaces each number dealt by a random number modulo a prime (Schwartz-Zippel).
"""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from random import Random
from typing import Any, NamedTuple

Exact = int | Fraction
Hand = tuple[Exact, ...]
Function = int
"""A fingerprint of a rational function: its value if stand-ins replace the numbers dealt."""

_PRIME = 2**89 - 1
# Tests add the operators `~` (the mean of two numbers) and `v` (the smaller number).
_PRECEDENCE = {"+": 1, "-": 1, "x": 2, ":": 2, "~": 2, "v": 1}
_SIGNS = {"−": "-", "*": "x", "×": "x", "/": ":", "÷": ":"} | {sign: sign for sign in "+-x:~"}
_NUMBER = 3


class Rules(NamedTuple):
    parentheses: bool
    fractions: bool
    negatives: bool
    all_numbers: bool
    in_order: bool = False
    operators: str = "+-x:"
    zero: bool = True
    join: bool = False


class Evaluated(NamedTuple):
    """An expression, with its value and the properties that decide which form is plainest."""

    value: Exact
    function: Function
    parentheses: int
    """The number of pairs of parentheses."""
    below_zero: int
    """The number of negative results of steps."""
    operands: tuple[Any, ...]
    """The operands of the last sum or product: (is subtracted or a divisor, -value, operands)."""
    precedence: int
    broken: bool
    """Whether the result of a step is a fraction."""
    largest: Exact
    """The largest absolute result before the last step."""


class Solution(NamedTuple):
    """All expressions that are equal as rational functions."""

    value: Exact
    used: int
    parentheses: int
    plainest: Evaluated


@cache
def stand_in(number: Exact) -> int:
    """Return the random number modulo the prime that replaces a number."""
    return Random(f"stands for {number}").randrange(_PRIME)


def expressions(hand: Hand, rules: Rules) -> Iterator[tuple[int, Evaluated]]:
    """Yield (count of numbers used, expression) for every legal expression over a hand."""
    for size in range(len(hand) if rules.all_numbers else 1, len(hand) + 1):
        for positions in combinations(range(len(hand)), size):
            sub_hand = tuple(hand[position] for position in positions)
            yield from ((size, expression) for expression in _expressions(sub_hand, rules))


@cache
def _expressions(hand: Hand, rules: Rules) -> list[Evaluated]:
    if len(hand) == 1:
        return [_number(hand[0])]
    operations = (
        _operate(sign, left, right, rules)
        for left_hand, right_hand in splits(hand, rules.in_order)
        for left in _expressions(left_hand, rules)
        for right in _expressions(right_hand, rules)
        for sign in rules.operators
    )
    numbers = sorted(_joined_numbers(hand, rules.in_order)) if rules.join else []
    legal = (operation for operation in operations if operation is not None)
    return [*map(_number, numbers), *legal]


def _joined_numbers(hand: Hand, in_order: bool) -> set[int]:
    orders = [hand] if in_order else permutations(hand)
    return {int("".join(map(str, digits))) for digits in orders if digits[0]}


def _number(number: Exact) -> Evaluated:
    return Evaluated(number, stand_in(number), 0, 0, ((False, -number, ()),), _NUMBER, False, 0)


def splits(hand: Hand, in_order: bool) -> Iterator[tuple[Hand, Hand]]:
    """Yield every partition of a hand into the operands left and right of an operator."""
    positions = range(len(hand))
    for size in range(1, len(hand)):
        for left in [tuple(range(size))] if in_order else combinations(positions, size):
            right = [position for position in positions if position not in left]
            yield tuple(hand[i] for i in left), tuple(hand[i] for i in right)


def _operate(sign: str, left: Evaluated, right: Evaluated, rules: Rules) -> Evaluated | None:
    precedence = _PRECEDENCE[sign]
    new_parentheses = (left.precedence < precedence) + (right.precedence <= precedence)
    if new_parentheses and not rules.parentheses:
        return None
    result = _evaluate(sign, left, right)
    if result is None:
        return None
    value, function = result
    is_integer = value.denominator == 1
    if (value < 0 and not rules.negatives) or not (is_integer or rules.fractions):
        return None
    if value == 0 and not rules.zero:
        return None
    steps = [operand.value for operand in (left, right) if operand.precedence < _NUMBER]
    first = (False, -left.value, left.operands)
    operands = left.operands if left.precedence == precedence else (first,)
    return Evaluated(
        value,
        function % _PRIME,
        left.parentheses + right.parentheses + new_parentheses,
        left.below_zero + right.below_zero + (value < 0),
        (*operands, (sign in "-:", -right.value, right.operands)),
        precedence,
        left.broken or right.broken or not is_integer,
        max(left.largest, right.largest, *(max(value, -value) for value in steps), 0),
    )


def _evaluate(sign: str, left: Evaluated, right: Evaluated) -> tuple[Exact, Function] | None:
    """Return value and function of an operation, legal or not; None for a division by zero."""
    if sign == ":" and not right.value:
        return None
    value_of: dict[str, Callable[[], Exact]] = {
        "+": lambda: left.value + right.value,
        "-": lambda: left.value - right.value,
        "x": lambda: left.value * right.value,
        ":": lambda: Fraction(left.value) / right.value,
        "~": lambda: Fraction(left.value + right.value) / 2,
        "v": lambda: min(left.value, right.value),
    }
    return value_of[sign](), function_of(sign, left.function, right.function)


def function_of(sign: str, a: Function, b: Function) -> Function:
    if sign == ":":
        return a * pow(b, -1, _PRIME) % _PRIME
    functions = {"+": a + b, "-": a - b, "x": a * b, "~": (a + b) * pow(2, -1, _PRIME)}
    # The minimum is not a rational function, so any symmetric function can stand for it.
    return functions.get(sign, a * a + b * b) % _PRIME


def values(hand: Hand, rules: Rules) -> set[Exact]:
    return {expression.value for _, expression in expressions(hand, rules)}


@cache
def solutions(hand: Hand, rules: Rules) -> dict[Function, Solution]:
    by_function: dict[Function, Solution] = {}
    for used, new in expressions(hand, rules):
        known = by_function.get(new.function)
        if known is not None and known.used == used:
            old = known.plainest
            old_key = old.parentheses, old.below_zero, old.operands
            if old_key <= (new.parentheses, new.below_zero, new.operands):
                continue
        if known is None or known.used >= used:
            by_function[new.function] = Solution(new.value, used, new.parentheses, new)
    return by_function


def ways(hand: Hand, rules: Rules) -> dict[Exact, int]:
    """Return the number of solutions of each value."""
    return dict(Counter(solution.value for solution in solutions(hand, rules).values()))


def read(text: str, rules: Rules) -> Evaluated:
    """Return a printed expression; raise ValueError if it is not legal."""
    tokens = text.replace("(", "( ").replace(")", " )").split()

    def chain(precedence: int) -> Evaluated:
        if precedence == _NUMBER:
            token = tokens.pop(0)
            if token != "(":
                value = Fraction(token)
                return _number(int(value) if value.denominator == 1 else value)
            expression = chain(1)
            if tokens.pop(0) != ")":
                raise ValueError(f"missing ) in {text}")
            return expression
        expression = chain(precedence + 1)
        while tokens and _PRECEDENCE.get(_SIGNS.get(tokens[0], "")) == precedence:
            sign = _SIGNS[tokens.pop(0)]
            operation = _operate(sign, expression, chain(precedence + 1), rules)
            if operation is None:
                raise ValueError(f"illegal step in {text}")
            expression = operation
        return expression

    expression = chain(1)
    if tokens:
        raise ValueError(f"unexpected {tokens} in {text}")
    return expression
