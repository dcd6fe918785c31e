"""The slow, obvious program for operators that games choose: all that a hand makes, by fractions.

It is the specification that the shortest forms are held to, and shares no code with them. What a
hand makes is told by its value, by how tightly its last operator binds, and by how many operators
of one number were the last; of each the fewest signs are kept, then the fewest parentheses, then
the fewest results below zero. Values are ints where they are whole, which are quicker.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import factorial
from typing import NamedTuple

Exact = int | Fraction
# Signs, pairs of parentheses, results below zero.
Cost = tuple[int, int, int]
Made = dict[tuple[Exact, int, int], Cost]

_NUMBER, _POINT = 9, 8
_BINDS = {"+": 1, "-": 1, "x": 2, ":": 2, "^": 3, "√": 4, "!": 5}


class Rules(NamedTuple):
    """What may be done with a hand."""

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
    """Return a power where it is exact and may be short enough."""
    if not -1001 < exponent < 1001:
        return None
    if exponent.denominator > 1:
        found = None if base < 0 else root(base, exponent.denominator)
        return None if found is None else _raised(found, exponent.numerator, bits)
    return _raised(base, exponent, bits)


def _raised(base: Exact, exponent: Exact, bits: int) -> Exact | None:
    """Return a power of a whole exponent that may be short enough."""
    if base == 0:
        return 0 if exponent > 0 else None
    if abs(base) == 1:
        return base if exponent % 2 else 1
    # Its numerator or denominator is 2 at least.
    return None if not -bits < exponent < bits else Fraction(Fraction(base) ** int(exponent))


def root(value: Exact, degree: int) -> Exact | None:
    """Return a root where it is exact."""
    parts: list[int] = []
    for part in (value.numerator, value.denominator):
        guess = round(float(part) ** (1 / degree))
        # Of a large degree nothing but 0 and 1 is short enough to be looked at.
        near = [each for each in (guess - 1, guess, guess + 1) if 0 <= each < 2 or degree < 64]
        exact = [each for each in near if each >= 0 and each**degree == part]
        if not exact:
            return None
        parts += exact
    return Fraction(*parts)


def worked_out(sign: str, values: tuple[Exact, ...], rules: Rules) -> Exact | None:
    """Return what an operator makes, or None where that is not legal."""
    made: Exact | None
    if sign == "√":
        made = None if values[0] < 0 else root(values[0], 2)
    elif sign == "!":
        whole = values[0].denominator == 1 and 0 <= values[0] <= 20
        made = factorial(int(values[0])) if whole else None
    elif sign == "^":
        made = power(values[0], values[1], rules.bits)
    elif sign == ":":
        made = Fraction(values[0]) / values[1] if values[1] else None
    else:
        left, right = values
        made = left + right if sign == "+" else left - right if sign == "-" else left * right
    if made is None or (made < 0 and not rules.negatives):
        return None
    if made.denominator == 1:
        made = int(made)
    elif not rules.fractions:
        return None
    return made if max(abs(made.numerator), made.denominator) < 2**rules.bits else None


def plainest(hand: tuple[int, ...], rules: Rules) -> dict[Exact, Cost]:
    """Return every value that a hand makes, with what its plainest form costs."""
    found: dict[Exact, Cost] = {}
    for (value, *_), cost in _over(hand if rules.in_order else tuple(sorted(hand)), rules).items():
        found[value] = min(cost, found.get(value, cost))
    return found


@cache
def _over(hand: tuple[int, ...], rules: Rules) -> Made:
    made: Made = {}

    def keep(value: Exact | None, binds: int, depth: int, cost: Cost) -> None:
        if value is not None:
            signs, pairs, below = cost
            cost = signs, pairs, below + (signs > 0 and value < 0)
            key = (value, binds, depth)
            if key not in made or cost < made[key]:
                made[key] = cost

    for number in _numbers(hand, rules):
        keep(number, _NUMBER, 0, (0, 0, 0))
        # What repeats is one digit.
        repeating = rules.repeating and len(hand) == 1
        for allowed, below in ((rules.decimals, 10 ** len(hand)), (repeating, 9)):
            if allowed and 0 < number < 10 ** len(hand):
                point = Fraction(number, below)
                keep(int(point) if point == 1 else point, _POINT, 0, (0, 0, 0))
    for left_hand, right_hand in _splits(hand, rules.in_order):
        for (left, before), some in _sides(left_hand, rules):
            for (right, behind), more in _sides(right_hand, rules):
                for sign in rules.operators:
                    if sign in "√!":
                        continue
                    pairs = _pairs(sign, before, behind)
                    if rules.parentheses or not pairs:
                        result = worked_out(sign, (left, right), rules)
                        keep(result, _BINDS[sign], 0, _with(some, more, pairs))
    for depth in range(rules.nesting + 1):
        if rules.signed:
            for (value, binds, deep), cost in list(made.items()):
                if deep == depth:
                    keep(-value, 1, depth, _with(cost, (0, 0, 0), binds <= _BINDS["x"]))
        if depth == rules.nesting:
            break
        for (value, binds, deep), cost in list(made.items()):
            for sign in "√!" if deep == depth else "":
                close = binds >= 4 if sign == "√" else binds > 5
                if sign in rules.operators and (close or rules.parentheses):
                    made_of = worked_out(sign, (value,), rules)
                    keep(made_of, _BINDS[sign], depth + 1, _with(cost, (0, 0, 0), not close))
    return made


@cache
def _sides(hand: tuple[int, ...], rules: Rules) -> list[tuple[tuple[Exact, int], Cost]]:
    """Return what may stand beside an operator, however many of one number were the last."""
    found: dict[tuple[Exact, int], Cost] = {}
    for (value, binds, _), cost in _over(hand, rules).items():
        found[value, binds] = min(cost, found.get((value, binds), cost))
    return list(found.items())


def _with(some: Cost, more: Cost, pairs: int) -> Cost:
    """Return what two sides cost, and one sign more."""
    return some[0] + more[0] + 1, some[1] + more[1] + pairs, some[2] + more[2]


def _pairs(sign: str, before: int, behind: int) -> int:
    """Return how many operands need parentheses."""
    own, turned = _BINDS[sign], sign == "^"
    return (before < own + turned) + (behind < own + (not turned))


def _numbers(hand: tuple[int, ...], rules: Rules) -> Iterator[int]:
    if len(hand) == 1:
        yield hand[0]
    elif rules.join:
        for digits in {hand} if rules.in_order else set(permutations(hand)):
            if digits[0]:
                yield int("".join(map(str, digits)))


def _splits(hand: tuple[int, ...], in_order: bool) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    places = range(len(hand))
    found = set()
    for size in range(1, len(hand)):
        for left in [tuple(range(size))] if in_order else combinations(places, size):
            right = tuple(at for at in places if at not in left)
            found.add((tuple(hand[at] for at in left), tuple(hand[at] for at in right)))
    return found
