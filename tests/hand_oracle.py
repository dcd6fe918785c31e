"""The slow, obvious program for hands: make every expression there is, and look at each.

It is the specification that the solver and the surveys are held to, and shares no code with
them. An expression is any binary tree over the numbers of a hand, or over what is left when some
of its digits are joined; one without parentheses is a tree that needs none to be written. Values
are exact: ints, or `Fraction`s once something is divided. Two expressions are the same solution
when they are equal as rational functions, which is when they agree modulo a prime on stand-ins
for the numbers dealt.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from random import Random
from typing import Any, NamedTuple

Exact = int | Fraction
Function = int
"""A rational function of the numbers dealt, as its value on their stand-ins."""

_PRIME = 2**89 - 1
# `~` is the mean of two numbers, and `v` the smaller one: operators that tests add.
_PRECEDENCE = {"+": 1, "-": 1, "x": 2, ":": 2, "~": 2, "v": 1}
_SIGNS = {"−": "-", "*": "x", "×": "x", "/": ":", "÷": ":"} | {sign: sign for sign in "+-x:~"}
_NUMBER = 3


class Rules(NamedTuple):
    """What may be done with a hand."""

    parentheses: bool
    fractions: bool
    negatives: bool
    all_numbers: bool
    in_order: bool = False
    operators: str = "+-x:"
    zero: bool = True
    join: bool = False


class Made(NamedTuple):
    """One expression: what it is worth, and how plain it is."""

    value: Exact
    function: Function
    parentheses: int
    below_zero: int
    """How many results on the way are below zero."""
    operands: tuple[Any, ...]
    """Those of the last sum or product: whether taken away, the value negated, its operands."""
    precedence: int
    broken: bool
    """Whether a result on the way is no whole number."""
    largest: Exact
    """The largest result on the way, that of the last step left out."""


class Solution(NamedTuple):
    """All expressions that are equal as rational functions, by their plainest form."""

    value: Exact
    used: int
    parentheses: int
    plainest: Made


@cache
def stand_in(number: int) -> int:
    return Random(f"stands for {number}").randrange(_PRIME)


def expressions(hand: tuple[int, ...], rules: Rules) -> Iterator[tuple[int, Made]]:
    """Yield every legal expression over a hand, with how many numbers it uses."""
    least = len(hand) if rules.all_numbers else 1
    for size in range(least, len(hand) + 1):
        for places in combinations(range(len(hand)), size):
            yield from ((size, made) for made in _over(tuple(hand[at] for at in places), rules))


@cache
def _over(hand: tuple[int, ...], rules: Rules) -> list[Made]:
    """Return every legal expression that uses each number of a hand once."""
    if len(hand) == 1:
        return [_dealt(hand[0])]
    operations = (
        _join(sign, left, right, rules)
        for left_hand, right_hand in _splits(hand, rules.in_order)
        for left in _over(left_hand, rules)
        for right in _over(right_hand, rules)
        for sign in rules.operators
    )
    numbers = sorted(_joined(hand, rules.in_order)) if rules.join else []
    return [*map(_dealt, numbers), *(made for made in operations if made is not None)]


def _joined(hand: tuple[int, ...], in_order: bool) -> set[int]:
    """Return the numbers that all digits of a hand make side by side."""
    arranged = [hand] if in_order else permutations(hand)
    return {int("".join(map(str, digits))) for digits in arranged if digits[0]}


def _dealt(number: int) -> Made:
    """Return a number as it is dealt, or joined."""
    operand = (False, -number, ())
    function = stand_in(number)
    return Made(number, function, 0, 0, (operand,), _NUMBER, False, 0)


def _splits(
    hand: tuple[int, ...], in_order: bool
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield every way to deal a hand to the left and the right of an operator."""
    places = range(len(hand))
    for size in range(1, len(hand)):
        lefts = [tuple(range(size))] if in_order else combinations(places, size)
        for left in lefts:
            right = [at for at in places if at not in left]
            yield tuple(hand[at] for at in left), tuple(hand[at] for at in right)


def _join(sign: str, left: Made, right: Made, rules: Rules) -> Made | None:
    """Return the operation on two expressions, or None where it is not legal."""
    own = _PRECEDENCE[sign]
    around = (left.precedence < own) + (right.precedence <= own)
    if around and not rules.parentheses:
        return None
    worked_out = _worked_out(sign, left, right)
    if worked_out is None:
        return None
    value, function = worked_out
    whole = value.denominator == 1
    if (value < 0 and not rules.negatives) or not (whole or rules.fractions):
        return None
    if value == 0 and not rules.zero:
        return None
    inside = [max(made.value, -made.value) for made in (left, right) if made.precedence < _NUMBER]
    same = left.operands if left.precedence == own else ((False, -left.value, left.operands),)
    return Made(
        value,
        function % _PRIME,
        left.parentheses + right.parentheses + around,
        left.below_zero + right.below_zero + (value < 0),
        (*same, (sign in "-:", -right.value, right.operands)),
        own,
        left.broken or right.broken or not whole,
        max(left.largest, right.largest, *inside, 0),
    )


def _worked_out(sign: str, left: Made, right: Made) -> tuple[Exact, Function] | None:
    """Return what an operation makes, be it allowed or not; None for a division by zero."""
    if sign == ":" and not right.value:
        return None
    made: dict[str, Callable[[], Exact]] = {
        "+": lambda: left.value + right.value,
        "-": lambda: left.value - right.value,
        "x": lambda: left.value * right.value,
        ":": lambda: Fraction(left.value) / right.value,
        "~": lambda: Fraction(left.value + right.value) / 2,
        "v": lambda: min(left.value, right.value),
    }
    return made[sign](), function_of(sign, left.function, right.function)


def function_of(sign: str, a: Function, b: Function) -> Function:
    """Return the function that an operation makes of two."""
    if sign == ":":
        return a * pow(b, -1, _PRIME) % _PRIME
    made = {"+": a + b, "-": a - b, "x": a * b}
    made["~"] = (a + b) * pow(2, -1, _PRIME)
    # No rational function: the value alone means something, and any other one will do.
    made["v"] = a * a + b * b
    return made[sign] % _PRIME


def values(hand: tuple[int, ...], rules: Rules) -> set[Exact]:
    """Return every value that a hand makes."""
    return {made.value for _, made in expressions(hand, rules)}


@cache
def solutions(hand: tuple[int, ...], rules: Rules) -> dict[Function, Solution]:
    """Return every distinct solution of a hand, for whatever target."""
    found: dict[Function, Solution] = {}
    for used, made in expressions(hand, rules):
        plain = made.parentheses, made.below_zero, made.operands
        known = found.get(made.function)
        if known is not None and known.used == used:
            best = known.plainest
            if (best.parentheses, best.below_zero, best.operands) <= plain:
                continue
        if known is None or known.used >= used:
            found[made.function] = Solution(made.value, used, made.parentheses, made)
    return found


def ways(hand: tuple[int, ...], rules: Rules) -> dict[Exact, int]:
    """Count the distinct solutions of each value."""
    counted: dict[Exact, int] = {}
    for solution in solutions(hand, rules).values():
        counted[solution.value] = counted.get(solution.value, 0) + 1
    return counted


def read(text: str, rules: Rules) -> Made:
    """Read a printed expression; ValueError where it is not legal."""
    tokens = text.replace("(", "( ").replace(")", " )").split()

    def chain(precedence: int) -> Made:
        if precedence == _NUMBER:
            token = tokens.pop(0)
            if token != "(":
                return _dealt(int(token))
            made = chain(1)
            if tokens.pop(0) != ")":
                raise ValueError(f"{text} closes nothing")
            return made
        made = chain(precedence + 1)
        while tokens and _PRECEDENCE.get(_SIGNS.get(tokens[0], "")) == precedence:
            sign = _SIGNS[tokens.pop(0)]
            joined = _join(sign, made, chain(precedence + 1), rules)
            if joined is None:
                raise ValueError(f"{text} breaks a rule")
            made = joined
        return made

    made = chain(1)
    if tokens:
        raise ValueError(f"{text} goes on with {tokens}")
    return made
