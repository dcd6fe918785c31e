"""Counts: against published figures, against looking at every formula, and past 64 bits."""

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Game, count, counts, formulas
from crisps24.rules.exact import Exact
from crisps24.rules.words import parse_numbers
from tests.drawing_helpers import short_fractions
from tests.oracle import small_games, solutions

CRISPS = GAMES["crisps"]
GOLDEN = Path(__file__).parent.parent / "data" / "golden-counts.csv"


def golden() -> Iterator[tuple[Game, str, int]]:
    """Yield the rows of the data file as (game, what is counted, combinations)."""
    with GOLDEN.open() as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            game = replace(
                GAMES[row["game"]],
                numbers=parse_numbers(row["numbers"]),
                length=int(row["length"]),
                fractions="fractions" in row["options"],
                negatives="negatives" in row["options"],
            )
            yield game, row["target"], int(row["combinations"])


@pytest.mark.parametrize(
    ("game", "what", "expected"),
    list(golden()),
    ids=lambda value: value if isinstance(value, str) else getattr(value, "name", None),
)
def test_a_published_count_is_found(game: Game, what: str, expected: int) -> None:
    if what == "legal":
        assert sum(counts(game).values()) == expected
    elif what == "targets":
        assert len(counts(game)) == expected
    else:
        found = count(int(what), game)
        # Where a count is off, the first operators show in which branch.
        branches = found != expected and game.length <= 5 and firsts(int(what), game)
        assert found == expected, branches


def firsts(target: int, game: Game) -> Counter[str]:
    """Count the formulas that make a target by their first operator."""
    return Counter(formula.operators[0] for formula in formulas(target, game))


def test_the_original_is_off_for_0_to_17_only() -> None:
    crisps, game24 = counts("crisps"), counts("game24")
    off = [target for target in crisps | game24 if crisps.get(target) != game24.get(target)]
    assert sorted(off) == list(range(18))


def test_the_counts_of_the_published_sequence_are_those_of_looking_at_every_formula() -> None:
    game = replace(CRISPS, numbers=tuple(range(4)), fractions=True, negatives=True)
    found = counts(game)
    assert found == {target: len(rows) for target, rows in solutions(game).items()}
    assert any(isinstance(target, Fraction) for target in found)
    assert min(found) < 0


def test_a_game_of_one_number_reaches_its_numbers() -> None:
    assert counts(replace(CRISPS, length=1)) == dict.fromkeys(range(1, 10), 1)


@given(small_games())
def test_the_counts_of_a_small_game_are_those_of_looking_at_every_formula(game: Game) -> None:
    expected = {target: len(rows) for target, rows in solutions(game).items()}
    found = counts(game)
    assert found == expected
    assert list(found) == sorted(found)
    assert all(isinstance(target, int) == (target.denominator == 1) for target in found)
    assert {target: count(target, game) for target in list(found)[:20]} == {
        target: expected[Fraction(target)] for target in list(found)[:20]
    }


@given(small_games(), short_fractions(-30, 60, 12) | st.integers(-30, 200))
def test_the_count_of_any_target_is_that_of_looking_at_every_formula(
    game: Game, target: Exact
) -> None:
    assert count(target, game) == len(solutions(game).get(Fraction(target), []))


def plain_count(target: int, numbers: tuple[int, ...], length: int, negatives: bool) -> int:
    """Count in plain Python's integers, from the last term to the first."""
    terms: list[dict[int, int]] = [{}, dict.fromkeys(numbers, 1)]
    for _ in range(2, length + 1):
        longer: Counter[int] = Counter()
        for term, ways in terms[-1].items():
            for number in numbers:
                longer[term * number] += ways
                if number and term % number == 0:
                    longer[term // number] += ways
        terms.append(dict(longer))
    most = [sum(max(map(abs, terms[k])) for k in range(1, n + 1)) for n in range(length + 1)]

    @cache
    def sums(value: int, n: int) -> int:
        if abs(value) > most[n] or (value < 0 and not negatives):
            return 0
        ways = terms[n].get(value, 0)
        for k in range(1, n):
            for term, each in terms[k].items():
                ways += each * (sums(value - term, n - k) + sums(value + term, n - k))
        return ways

    return sums(target, length)


LARGE = [
    # numbers, length, target, negatives
    ((1,), 40, 1, False),
    ((1,), 40, 3, True),
    ((0, 1), 24, 2, False),
    ((1, 2), 16, 24, False),
    ((2,), 16, 24, False),
    ((1, 2, 3), 12, 24, False),
    ((1, -1), 30, 0, True),
    ((1, 10**6), 6, 10**12, False),
    ((1, 10**12), 5, 10**24, False),
]


@pytest.mark.parametrize(("numbers", "length", "target", "negatives"), LARGE)
def test_a_long_count_is_that_of_plain_python(
    numbers: tuple[int, ...], length: int, target: int, negatives: bool
) -> None:
    game = Game("long", numbers, length, negatives=negatives)
    assert count(target, game) == plain_count(target, game.numbers, length, negatives)


def test_a_count_past_64_bits_is_exact() -> None:
    ones = Game("ones", (1,), 40, negatives=True)
    assert count(1, ones) == plain_count(1, (1,), 40, True) > 2**63
    assert sum(counts(ones).values()) == 4**39 > 2**64


def test_counts_past_64_bits_add_up_to_the_legal_formulas() -> None:
    game = replace(CRISPS, numbers=(0, 1, 2), negatives=True)
    assert sum(counts(replace(game, length=8)).values()) == plain_total((0, 1, 2), 8)
    found = counts(replace(game, numbers=(0, 1), length=26))
    assert sum(found.values()) == plain_total((0, 1), 26) > 2**63


def plain_total(numbers: tuple[int, ...], length: int) -> int:
    """Count the legal formulas of a game with negatives: those whose terms are all legal."""
    terms: list[Counter[int]] = [Counter(), Counter(numbers)]
    for _ in range(2, length + 1):
        longer: Counter[int] = Counter()
        for term, ways in terms[-1].items():
            for number in numbers:
                longer[term * number] += ways
                if number and term % number == 0:
                    longer[term // number] += ways
        terms.append(longer)
    totals = [1]
    for n in range(1, length + 1):
        ended = (terms[k].total() * totals[n - k] * (2 if k < n else 1) for k in range(1, n + 1))
        totals.append(sum(ended))
    return totals[length]


def test_numbers_too_large_for_64_bits_are_counted_exactly() -> None:
    for numbers in ((3, 7, 10**9), (2, 10**30), (1, 2**62)):
        game = Game("large", numbers, 3)
        assert counts(game) == {value: len(rows) for value, rows in solutions(game).items()}


def test_denominators_too_large_for_64_bits_are_counted_exactly() -> None:
    game = Game("large", (10**9 + 7, 10**9 + 9), 3, fractions=True, negatives=True)
    assert counts(game) == {value: len(rows) for value, rows in solutions(game).items()}


def test_only_what_a_game_allows_is_reached() -> None:
    assert count(Fraction(1, 2)) == count(-1) == count(10**40) == count(-(10**40)) == 0
    assert count(Fraction(24, 1)) == count(24)


@pytest.mark.parametrize("name", ["digits", "cards", "numble", "countdown"])
def test_a_game_with_parentheses_has_no_rows_to_count(name: str) -> None:
    for ask in (count, formulas):
        with pytest.raises(ValueError, match=f"{name} has parentheses"):
            list([ask(24, name)] if ask is count else formulas(24, name))


def test_a_float_is_no_target() -> None:
    with pytest.raises(TypeError, match="is not exact"):
        count(24.0)  # type: ignore[arg-type]
