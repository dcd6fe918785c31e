"""Friedman numbers to 10,000: the command, the OEIS and a brute force without its code agree."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from pathlib import Path

from crisps24 import GAMES, reachable
from tests.commands import Run
from tests.sampling import EVERY, only_in_long_run

CALL = "--game digits --join --operators +-x:^ --signed --nontrivial"
# Values with whether their formula has an operator.
Values = frozenset[tuple[Fraction, bool]]


def published(name: str) -> list[int]:
    """Return the numbers in a file of `tests/data`."""
    text = (Path(__file__).parent / "data" / f"{name}.txt").read_text()
    return [*map(int, text.partition("\n")[2].split())]


KNOWN, NICE = published("friedman-numbers"), published("orderly-friedman-numbers")


def found(run: Run, options: str) -> list[int]:
    """Return the numbers that a call of the command lists."""
    ran = run(f"reach {CALL} --format csv --own-digits {options}")
    assert ran.status == 0
    return [int(line.split(",")[0]) for line in ran.out.splitlines()[1:]]


def test_the_command_lists_oeis_a036057_and_a080035(run: Run) -> None:
    first, last = (1, 9999) if EVERY else (110, 159)
    assert found(run, f"{first}..{last}") == [n for n in KNOWN if first <= n <= last]
    assert found(run, f"{first}..{last} --in-order") == [n for n in NICE if first <= n <= last]


@only_in_long_run
def test_the_command_lists_the_friedman_primes_of_five_digits(run: Run) -> None:
    # All 2,001 hands of five digits take minutes; 16387 is the only number that needs a minus
    # before the first number.
    large = found(run, "10000..99999")
    assert len(large) == 844 - len(KNOWN)
    assert 16387 in large
    primes = [number for number in large if _is_prime(number)]
    assert primes == [each for each in published("friedman-primes") if 10000 < each < 100000]


def test_a_brute_force_finds_the_same_numbers() -> None:
    """In the default run, those of three digits, and a sample of four in their order."""
    of_hand = defaultdict(list)
    for number in range(10, 10000 if EVERY else 1000):
        of_hand[tuple(sorted(map(int, str(number))))].append(number)
    owned = ((number, hand) for hand, own in of_hand.items() for number in own)
    made = [number for number, hand in owned if (Fraction(number), True) in any_order(hand)]
    assert sorted(made) == [each for each in KNOWN if each < (10000 if EVERY else 1000)]
    for number in range(10, 10000) if EVERY else (*range(100, 160), 736, *NICE[3:6], 1023, 2593):
        digits = tuple(map(int, str(number)))
        assert ((Fraction(number), True) in in_order(digits)) == (number in NICE), number


def test_a_number_with_a_minus_hides_no_formula_of_its_value() -> None:
    game = replace(GAMES["digits"], operators=(*"-+x:^",), join=True, signed=True, nontrivial=True)
    for hand in ((1, 2, 6), (2, 5)):
        expected = {value for value, is_formula in any_order(hand) if is_formula}
        small = {each for each in expected if max(abs(each.numerator), each.denominator) < 2**31}
        assert reachable(hand, game) == small


@cache
def any_order(hand: tuple[int, ...]) -> Values:
    """Return the values of sorted digits in any order."""
    places, pairs = range(len(hand)), set[tuple[Values, Values]]()
    for size in range(1, len(hand)):
        for chosen in combinations(places, size):
            rest = [place for place in places if place not in chosen]
            parts = [any_order(tuple(hand[place] for place in each)) for each in (chosen, rest)]
            pairs.add((parts[0], parts[1]))
    return _values({*permutations(hand)}, pairs)


@cache
def in_order(hand: tuple[int, ...]) -> Values:
    """Return the values of digits in their order."""
    pairs = {(in_order(hand[:size]), in_order(hand[size:])) for size in range(1, len(hand))}
    return _values({hand}, pairs)


def _values(orders: set[tuple[int, ...]], pairs: set[tuple[Values, Values]]) -> Values:
    written = ("".join(map(str, digits)) for digits in orders if digits[0] or len(digits) == 1)
    made = {(Fraction(int(number)), False) for number in written}
    for lefts, rights in pairs:
        operands = {value for value, _ in rights}
        for left in {value for value, _ in lefts}:
            made |= {(value, True) for right in operands for value in _results(left, right)}
    return frozenset(made | {(-value, is_formula) for value, is_formula in made})


def _results(left: Fraction, right: Fraction) -> Iterator[Fraction]:
    yield left + right
    yield left * right
    # Each value is there with both signs, so that a - b is a + (-b).
    if right:
        yield left / right
    degree = right.denominator
    if left < 0 and degree > 1:
        return
    parts = (abs(left.numerator), left.denominator)
    root = Fraction(*(round(part ** (1 / degree)) for part in parts)) * (-1 if left < 0 else 1)
    bits = max(abs(root.numerator), root.denominator).bit_length() - 1
    if root**degree == left and (left or right > 0) and bits * abs(right.numerator) <= 31:
        yield root**right.numerator


def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, int(number**0.5) + 1))
