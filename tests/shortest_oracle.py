"""The slow, obvious program for operators that games choose: all that a hand makes, by fractions.

It is the specification that the shortest forms are held to, and shares no code with them. What a
hand makes is told by its value, by how tightly its last operator binds, and by how many operators
of one number were the last; of each the fewest signs are kept.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import factorial
from typing import NamedTuple

Made = dict[tuple[Fraction, int, int], int]

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


def power(base: Fraction, exponent: Fraction, bits: int) -> Fraction | None:
    """Return a power where it is exact and may be short enough."""
    if abs(exponent) >= 1001:
        return None
    if exponent.denominator > 1:
        if base < 0:
            return None
        found = root(base, exponent.denominator)
        if found is None:
            return None
        return power(found, Fraction(exponent.numerator), bits)
    if base == 0:
        return Fraction(0) if exponent > 0 else None
    if abs(base) == 1:
        return base if exponent % 2 else Fraction(1)
    # Its numerator or denominator is 2 at least.
    return None if abs(exponent) >= bits else base ** int(exponent)


def root(value: Fraction, degree: int) -> Fraction | None:
    """Return a root where it is exact."""
    parts = []
    for part in (value.numerator, value.denominator):
        guess = round(part ** (1 / degree))
        near = [each for each in (guess - 1, guess, guess + 1) if each >= 0]
        exact = [each for each in near if each**degree == part]
        if not exact:
            return None
        parts += exact
    return Fraction(*parts)


def worked_out(sign: str, values: tuple[Fraction, ...], rules: Rules) -> Fraction | None:
    """Return what an operator makes, or None where that is not legal."""
    made: Fraction | None
    if sign == "√":
        made = None if values[0] < 0 else root(values[0], 2)
    elif sign == "!":
        whole = values[0].denominator == 1 and 0 <= values[0] <= 20
        made = Fraction(factorial(int(values[0]))) if whole else None
    elif sign == "^":
        made = power(values[0], values[1], rules.bits)
    elif sign == ":":
        made = values[0] / values[1] if values[1] else None
    else:
        left, right = values
        made = {"+": left + right, "-": left - right, "x": left * right}[sign]
    if made is None or (made < 0 and not rules.negatives):
        return None
    if made.denominator > 1 and not rules.fractions:
        return None
    return made if max(abs(made.numerator), made.denominator) < 2**rules.bits else None


def fewest(hand: tuple[int, ...], rules: Rules) -> dict[Fraction, int]:
    """Return every value that a hand makes, with the fewest signs that it takes."""
    found: dict[Fraction, int] = {}
    for (value, *_), signs in _over(hand if rules.in_order else tuple(sorted(hand)), rules).items():
        found[value] = min(signs, found.get(value, signs))
    return found


@cache
def _over(hand: tuple[int, ...], rules: Rules) -> Made:
    made: Made = {}

    def keep(value: Fraction | None, binds: int, depth: int, signs: int) -> None:
        if value is not None:
            key = (value, binds, depth)
            made[key] = min(signs, made.get(key, signs))

    for number in _numbers(hand, rules):
        keep(Fraction(number), _NUMBER, 0, 0)
    if len(hand) == 1 and 0 < hand[0] < 10:
        for allowed, below in ((rules.decimals, 10), (rules.repeating, 9)):
            keep(Fraction(hand[0], below) if allowed else None, _POINT, 0, 0)
    for left_hand, right_hand in _splits(hand, rules.in_order):
        for (left, before, _), some in _over(left_hand, rules).items():
            for (right, behind, _), more in _over(right_hand, rules).items():
                for sign in rules.operators:
                    if sign in "√!" or not _stands(sign, before, behind, rules):
                        continue
                    result = worked_out(sign, (left, right), rules)
                    keep(result, _BINDS[sign], 0, some + more + 1)
    for depth in range(rules.nesting + 1):
        if rules.signed:
            for (value, _, deep), signs in list(made.items()):
                if deep == depth:
                    keep(-value, 1, depth, signs + 1)
        if depth == rules.nesting:
            break
        for (value, binds, deep), signs in list(made.items()):
            for sign in "√!" if deep == depth else "":
                close = binds >= 4 if sign == "√" else binds > 5
                if sign in rules.operators and (close or rules.parentheses):
                    keep(worked_out(sign, (value,), rules), _BINDS[sign], depth + 1, signs + 1)
    return made


def _stands(sign: str, before: int, behind: int, rules: Rules) -> bool:
    """Return whether operands need no parentheses, or may have them."""
    own = _BINDS[sign]
    turned = sign == "^"
    return rules.parentheses or (before >= own + turned and behind >= own + (not turned))


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
