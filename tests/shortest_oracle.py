"""A brute force for the plainest forms with any operators, such as powers and roots.

It is the specification of the shortest forms and shares no code with them. The state of an
expression is its value, the precedence of its last operator, and the number of unary operators at
its end. For each state the table has the lowest cost: signs, then parentheses, then negative
results. Integer values are ints, which are faster than `Fraction`s.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import permutations
from math import factorial
from typing import NamedTuple

from tests.hand_oracle import splits

Exact = int | Fraction
# Signs, pairs of parentheses, negative results.
Cost = tuple[int, int, int]
# The lowest cost by value, precedence and number of unary operators at the end.
Table = dict[tuple[Exact, int, int], Cost]

_NUMBER, _POINT = 9, 8
_PRECEDENCE = {"+": 1, "-": 1, "x": 2, ":": 2, "^": 3, "√": 4, "!": 5}


class Rules(NamedTuple):
    operators: str
    join: bool = False
    decimals: bool = False
    repeating: bool = False
    signed: bool = False
    parentheses: bool = True
    fractions: bool = True
    negatives: bool = True
    in_order: bool = False
    nesting: int = 2
    bits: int = 31


def power(base: Exact, exponent: Exact, bits: int) -> Exact | None:
    if not -1001 < exponent < 1001:
        return None
    if exponent.denominator > 1:
        base_root = None if base < 0 else root(base, exponent.denominator)
        return None if base_root is None else _integer_power(base_root, exponent.numerator, bits)
    return _integer_power(base, exponent, bits)


def _integer_power(base: Exact, exponent: Exact, bits: int) -> Exact | None:
    if base == 0:
        return 0 if exponent > 0 else None
    if abs(base) == 1:
        return base if exponent % 2 else 1
    # The numerator or denominator of the base is at least 2.
    return None if not -bits < exponent < bits else Fraction(Fraction(base) ** int(exponent))


def root(value: Exact, degree: int) -> Exact | None:
    parts: list[int] = []
    for part in (value.numerator, value.denominator):
        guess = round(float(part) ** (1 / degree))
        # For large degrees, only the powers of 0 and 1 are small enough to compute.
        near = [base for base in (guess - 1, guess, guess + 1) if 0 <= base < 2 or degree < 64]
        exact = [base for base in near if base >= 0 and base**degree == part]
        if not exact:
            return None
        parts += exact
    return Fraction(*parts)


def evaluate_step(sign: str, values: tuple[Exact, ...], rules: Rules) -> Exact | None:
    """Return the result of an operator, or None if it is not legal."""
    result: Exact | None
    if sign == "√":
        result = None if values[0] < 0 else root(values[0], 2)
    elif sign == "!":
        has_factorial = values[0].denominator == 1 and 0 <= values[0] <= 20
        result = factorial(int(values[0])) if has_factorial else None
    elif sign == "^":
        result = power(values[0], values[1], rules.bits)
    elif sign == ":":
        result = Fraction(values[0]) / values[1] if values[1] else None
    else:
        left, right = values
        result = left + right if sign == "+" else left - right if sign == "-" else left * right
    if result is None or (result < 0 and not rules.negatives):
        return None
    if result.denominator > 1 and not rules.fractions:
        return None
    result = int(result) if result.denominator == 1 else result
    return result if max(abs(result.numerator), result.denominator) < 2**rules.bits else None


def plainest(hand: tuple[int, ...], rules: Rules) -> dict[Exact, Cost]:
    costs: dict[Exact, Cost] = {}
    hand = hand if rules.in_order else tuple(sorted(hand))
    for (value, *_), cost in _table(hand, rules).items():
        costs[value] = min(cost, costs.get(value, cost))
    return costs


@cache
def _table(hand: tuple[int, ...], rules: Rules) -> Table:
    table: Table = {}

    def add(value: Exact | None, precedence: int, depth: int, cost: Cost) -> None:
        if value is not None:
            signs, parentheses, negatives = cost
            cost = signs, parentheses, negatives + (signs > 0 and value < 0)
            key = (value, precedence, depth)
            table[key] = min(cost, table.get(key, cost))

    for number in _numbers(hand, rules):
        add(number, _NUMBER, 0, (0, 0, 0))
        # Only a single digit can repeat.
        repeating = rules.repeating and len(hand) == 1
        for allowed, divisor in ((rules.decimals, 10 ** len(hand)), (repeating, 9)):
            if allowed and 0 < number < 10 ** len(hand):
                decimal = Fraction(number, divisor)
                add(int(decimal) if decimal == 1 else decimal, _POINT, 0, (0, 0, 0))
    for left_hand, right_hand in {*splits(hand, rules.in_order)}:
        for (left, left_precedence), left_cost in _operands(left_hand, rules):
            for (right, right_precedence), right_cost in _operands(right_hand, rules):
                for sign in rules.operators:
                    if sign in "√!":
                        continue
                    pairs = _parentheses(sign, left_precedence, right_precedence)
                    if rules.parentheses or not pairs:
                        cost = _add_costs(left_cost, right_cost, pairs)
                        add(evaluate_step(sign, (left, right), rules), _PRECEDENCE[sign], 0, cost)
    for depth in range(rules.nesting + 1):
        if rules.signed:
            for (value, precedence, own_depth), cost in list(table.items()):
                if own_depth == depth:
                    needs_parentheses = precedence <= _PRECEDENCE["x"]
                    add(-value, 1, depth, _add_costs(cost, (0, 0, 0), needs_parentheses))
        if depth == rules.nesting:
            break
        for (value, precedence, own_depth), cost in list(table.items()):
            for sign in "√!" if own_depth == depth else "":
                fits = precedence >= 4 if sign == "√" else precedence > 5
                if sign in rules.operators and (fits or rules.parentheses):
                    new_cost = _add_costs(cost, (0, 0, 0), not fits)
                    result = evaluate_step(sign, (value,), rules)
                    add(result, _PRECEDENCE[sign], depth + 1, new_cost)
    return table


@cache
def _operands(hand: tuple[int, ...], rules: Rules) -> list[tuple[tuple[Exact, int], Cost]]:
    costs: dict[tuple[Exact, int], Cost] = {}
    for (value, precedence, _), cost in _table(hand, rules).items():
        costs[value, precedence] = min(cost, costs.get((value, precedence), cost))
    return list(costs.items())


def _add_costs(left: Cost, right: Cost, pairs: int) -> Cost:
    return left[0] + right[0] + 1, left[1] + right[1] + pairs, left[2] + right[2]


def _parentheses(sign: str, left_precedence: int, right_precedence: int) -> int:
    precedence, right_associative = _PRECEDENCE[sign], sign == "^"
    left_needs = left_precedence < precedence + right_associative
    return left_needs + (right_precedence < precedence + (not right_associative))


def _numbers(hand: tuple[int, ...], rules: Rules) -> Iterator[int]:
    if len(hand) == 1:
        yield hand[0]
    elif rules.join:
        for digits in {hand} if rules.in_order else set(permutations(hand)):
            if digits[0]:
                yield int("".join(map(str, digits)))
