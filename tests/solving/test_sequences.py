"""Sequences of the OEIS, which the guide for mathematicians lists, from first terms on."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from crisps24 import GAMES, Game, count_solutions, reachable
from tests.compiling import compiled
from tests.sampling import EVERY, in_one_test
from tests.tables import DATA

_CARDS, _TILES = GAMES["cards"], GAMES["countdown"]
_POWERS = replace(_CARDS, operators=("-", "+", "x", ":", "^"), all_numbers=False)
_ONES = replace(_CARDS, operators=("+", "x", ":"))
# Distinct large primes: no solution has the value of another one by chance.
_PRIMES = (101, 1009, 10007, 100003, 1000003)
_TERMS = map(str.split, (DATA / "oeis-terms.txt").read_text().splitlines()[1:])
_KNOWN = {name: dict(enumerate(map(int, terms), int(first))) for name, first, *terms in _TERMS}


def _missing(hand: tuple[int, ...], game: Game, most: int) -> int:
    """Return the smallest number from 1 on that a hand does not make."""
    targets = range(1, most + 1)
    made = reachable(hand, game, only=targets, work=None)
    return next(number for number in targets if number not in made)


def _missing_of_parts(n: int) -> int:
    parts = combinations(range(1, n + 1), n - 1) if n > 1 else ()
    made = set[object]().union(*(reachable(part, _TILES, work=None) for part in parts))
    return next(number for number in range(1, 20000) if number not in made)


def _whole_values(n: int) -> int:
    values = reachable((n,) * n, _CARDS, work=None)
    return sum(value >= 0 and value.denominator == 1 for value in values)


def _solutions(n: int) -> int:
    solutions = count_solutions(_PRIMES[:n], _CARDS)
    assert {*solutions.values()} == {1}
    return len(solutions)


@in_one_test(
    ("name", "terms", "term"),
    ("A060315", (2, 9 if EVERY else 7), lambda n: _missing((*range(n),), _TILES, 8000)),
    ("A069765", (1, 20 if EVERY else 12), lambda n: len(reachable((1,) * n, _ONES))),
    ("A071603", (1, 9 if EVERY else 7), lambda n: len(reachable((*range(1, n + 1),), _TILES))),
    ("A071794", (1, 6 if EVERY else 4), lambda n: _missing((*range(1, n + 1),), _POWERS, 999)),
    ("A071985", (1, 8 if EVERY else 6), _missing_of_parts),
    ("A140606", (1, 5), _solutions),
    ("A258097", (1, 11 if EVERY else 8), _whole_values),
    ("A182002", (1, 11 if EVERY else 8), lambda n: _missing((n,) * n, _CARDS, 2000)),
)
def test_terms_are_in_oeis(name: str, terms: tuple[int, int], term: Callable[[int], int]) -> None:
    for n in range(terms[0], terms[1] + 1):
        assert term(n) == _KNOWN[name][n], (name, n)


def test_tiles_equal_an_independent_program(tmp_path: Path) -> None:
    program = compiled(Path(__file__).with_name("tile_values.c"), tmp_path)
    for n in range(1, 10 if EVERY else 9):
        ran = subprocess.run([program, str(n)], capture_output=True, text=True, check=True)
        values = {int(value) for value in reachable(range(1, n + 1), _TILES, work=None)}
        missed = next(number for number in range(1, 99999) if number not in values)
        expected = [len(values), sum(map(_hash_of, values)) % 2**64, missed, _missing_of_parts(n)]
        assert [*map(int, ran.stdout.split())] == expected, n


def _hash_of(value: int) -> int:
    mixed = value * 0x9E3779B97F4A7C15 % 2**64
    return (mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9 % 2**64
