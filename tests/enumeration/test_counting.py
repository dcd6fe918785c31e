"""Counts: compared with published counts and with brute force, also over 64 bits."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

from hypothesis import given

from crisps24 import GAMES, Game, count, counts
from crisps24.rules.exact import whole_numbers
from crisps24.rules.words import parse_numbers
from tests.oracle import small_games, solutions
from tests.sampling import in_one_test
from tests.tables import rows_of


def test_counts_match_published_counts() -> None:
    for row in rows_of("golden-counts.csv"):
        rules: Any = {name: name in row["options"] for name in ("fractions", "negatives")}
        numbers = parse_numbers(row["numbers"])
        game = replace(GAMES[row["game"]], numbers=numbers, length=int(row["length"]), **rules)
        if row["target"] == "legal":
            found = sum(counts(game).values())
        elif row["target"] == "targets":
            found = len(counts(game))
        else:
            found = count(int(row["target"]), game)
        assert found == int(row["combinations"]), row


def test_crisps_and_game24_differ_only_for_targets_0_to_17() -> None:
    crisps, game24 = counts("crisps"), counts("game24")
    differ = [target for target in crisps | game24 if crisps.get(target) != game24.get(target)]
    assert sorted(differ) == list(range(18))


@given(small_games())
def test_counts_of_a_small_game_match_brute_force(game: Game) -> None:
    expected = {target: len(rows) for target, rows in solutions(game).items()}
    counted = counts(game)
    assert counted == expected
    assert list(counted) == sorted(counted)
    assert all(isinstance(target, int) == (target.denominator == 1) for target in counted)
    for target in list(counted)[:20]:
        assert count(target, game) == expected[Fraction(target)]


def terms_in_plain_python(numbers: tuple[int, ...], length: int) -> list[Counter[int]]:
    """Return the ways to make each value as a product or quotient, by the count of numbers."""
    terms = [Counter[int](), Counter(numbers)]
    for _ in range(2, length + 1):
        longer: Counter[int] = Counter()
        for term, ways in terms[-1].items():
            for number in numbers:
                longer[term * number] += ways
                if number and term % number == 0:
                    longer[term // number] += ways
        terms.append(longer)
    return terms


def count_in_python(target: int, numbers: tuple[int, ...], length: int, negatives: bool) -> int:
    """Return the count of a target with Python integers, from the last term to the first."""
    terms = terms_in_plain_python(numbers, length)
    bounds = [sum(max(map(abs, terms[k])) for k in range(1, n + 1)) for n in range(length + 1)]

    @cache
    def sums(value: int, n: int) -> int:
        if abs(value) > bounds[n] or (value < 0 and not negatives):
            return 0
        ways = terms[n].get(value, 0)
        for k in range(1, n):
            for term, term_ways in terms[k].items():
                ways += term_ways * (sums(value - term, n - k) + sums(value + term, n - k))
        return ways

    return sums(target, length)


@in_one_test(
    ("numbers", "length", "target", "negatives"),
    *(((1,), 40, 1, False), ((1,), 40, 3, True), ((0, 1), 24, 2, False), ((1, 2), 16, 24, False)),
    *(((2,), 16, 24, False), ((1, 2, 3), 12, 24, False), ((1, -1), 30, 0, True)),
    *(((1, 10**6), 6, 10**12, False), ((1, 10**12), 5, 10**24, False)),
)
def test_count_of_long_rows_matches_plain_python(
    numbers: tuple[int, ...], length: int, target: int, negatives: bool
) -> None:
    game = Game("long", numbers, length, negatives=negatives)
    drawn = (whole_numbers(game.numbers), length, negatives)
    assert count(target, game) == count_in_python(target, *drawn)


def test_count_over_64_bits_is_exact() -> None:
    assert sum(counts(Game("ones", (1,), 40, negatives=True)).values()) == 4**39 > 2**64
    assert count(1, Game("signs", (1, -1), 65, operators=("x",), negatives=True)) == 2**64


def test_numbers_too_large_for_64_bits_are_counted_exactly() -> None:
    games = [Game("large", numbers, 3) for numbers in ((3, 7, 10**9), (2, 10**30), (1, 2**62))]
    for game in (*games, Game("large", (10**9 + 7, 10**9 + 9), 3, fractions=True, negatives=True)):
        assert counts(game) == {value: len(rows) for value, rows in solutions(game).items()}


def test_targets_that_the_game_does_not_allow_have_count_0() -> None:
    assert count(Fraction(1, 2)) == count(-1) == count(10**40) == count(-(10**40)) == 0
    assert count(Fraction(24, 1)) == count(24)
