"""Times to list, count, write and verify rows; brute force in C and Python for comparison."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice, product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from crisps24 import GAMES, Equation, count, counts, formulas, write_results
from crisps24.enumeration.enumeration import RowQuery, blocks_for_targets
from crisps24.equation_puzzles.gaps import read_gaps
from crisps24.equation_puzzles.guesses import remaining_equations
from crisps24.equation_puzzles.missing import count_fillings
from crisps24.equation_puzzles.search import equation_keys
from tests.benchmarks.goals import IMPORTS

CRISPS = GAMES["crisps"]
SKIP_SEVEN_DIGITS = pytest.mark.skipif(
    "CRISPS24_SEVEN" not in os.environ, reason="7 digits take minutes: set CRISPS24_SEVEN=1"
)
ROWS = {4: 48, 5: 2153, 6: 80_686, 7: 2_806_216}


def run(*arguments: str) -> None:
    """Run Python with the given arguments, without its output."""
    # An installed package has compiled files, so processes must be able to write them.
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def measure(
    benchmark: Any, name: str, function: Callable[[], Any], *, long: bool = False, **options: Any
) -> Any:
    """Return the result of a function and measure it under the name that its goal uses.

    `long` benchmarks run only with --benchmark-enable. `options` are those of `pedantic`.
    """
    if long and benchmark.disabled:
        pytest.skip("it takes seconds: add --benchmark-enable")
    benchmark.name = name
    return benchmark.pedantic(function, **({"rounds": 5} | options))


@pytest.mark.parametrize("length", [4, 5, 6, pytest.param(7, marks=SKIP_SEVEN_DIGITS)])
def test_brute_force_in_c(benchmark: Any, brute_force: Any, length: int) -> None:
    rows = measure(
        benchmark,
        f"C {length}",
        lambda: brute_force(length, 143),
        long=length > 5,
        rounds=20 if length == 4 else 3 if length < 7 else 1,
    )
    assert len(rows) == ROWS[length] * (2 * length - 1)


def test_brute_force_in_python(benchmark: Any) -> None:
    def search() -> int:
        row_count = 0
        for numbers in product(range(1, 10), repeat=4):
            for operators in product("-+x:", repeat=3):
                row_count += is_solution(numbers, operators, 143)
        return row_count

    assert measure(benchmark, "Python 4", search, rounds=1) == 48


def is_solution(numbers: tuple[int, ...], operators: tuple[str, ...], target: int) -> bool:
    total, sign, term = 0, 1, numbers[0]
    for operator, number in zip(operators, numbers[1:], strict=True):
        if operator == "x":
            term *= number
        elif operator == ":":
            if term % number:
                return False
            term //= number
        else:
            total += sign * term
            if total < 0:
                return False
            sign, term = (1 if operator == "+" else -1), number
    return total + sign * term == target


def test_formulas(benchmark: Any, cold: Any) -> None:
    rows = measure(benchmark, "formulas 4", lambda: list(formulas(143)), setup=cold, rounds=20)
    assert len(rows) == 48


@pytest.mark.parametrize("length", [5, 6, pytest.param(7, marks=SKIP_SEVEN_DIGITS)])
def test_rows(benchmark: Any, cold: Any, length: int) -> None:
    game = replace(CRISPS, length=length)
    row_count = measure(
        benchmark,
        f"rows {length}",
        lambda: sum(len(block) for _, block in blocks_for_targets([143], RowQuery(game))),
        setup=cold,
    )
    assert row_count == ROWS[length]


def test_first_formulas(benchmark: Any, cold: Any) -> None:
    game = replace(CRISPS, length=9)
    rows = measure(
        benchmark, "first 10 of 9", lambda: list(islice(formulas(24, game), 10)), setup=cold
    )
    assert len(rows) == 10


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (8, 94_314_319),
        (10, 99_562_577_090),
        (12, 99_324_917_812_252),
        (14, 95_492_550_018_473_121),
        (16, 89_371_384_356_649_804_654),
        (18, 81_925_812_791_415_994_876_933),
    ],
)
def test_count(benchmark: Any, cold: Any, length: int, expected: int) -> None:
    game = replace(CRISPS, length=length)
    rounds = 5 if length < 14 else 2 if length == 14 else 1
    name = f"count {length}"
    work = partial(count, 143, game)
    result = measure(benchmark, name, work, long=length > 14, setup=cold, rounds=rounds)
    assert result == expected


@pytest.mark.parametrize(("length", "targets"), [(7, 23_290), (9, 158_258)])
def test_counts(benchmark: Any, cold: Any, length: int, targets: int) -> None:
    game = replace(CRISPS, length=length)
    count_by_target = measure(benchmark, f"counts {length}", lambda: counts(game), setup=cold)
    assert len(count_by_target) == targets


def test_counts_with_fractions(benchmark: Any, cold: Any) -> None:
    game = replace(CRISPS, numbers=tuple(range(10)), fractions=True, negatives=True)
    count_by_target = measure(benchmark, "counts A357272", lambda: counts(game), setup=cold)
    assert count_by_target[0] == 29_235


@pytest.mark.parametrize(
    ("name", "card", "in_order", "expected"),
    [
        ("12 in order", (*range(1, 10), 1, 2, 3), True, 6921),
        ("7 in any order", (9, 8, 7, 6, 5, 4, 2), False, 40_359),
    ],
)
def test_cards(
    benchmark: Any, cold: Any, name: str, card: tuple[int, ...], in_order: bool, expected: int
) -> None:
    game = replace(CRISPS, join=True, fractions=True, negatives=True)
    result = measure(
        benchmark,
        f"count {name}",
        lambda: count(100, game, card=card, in_order=in_order),
        setup=cold,
        rounds=2,
    )
    assert result == expected


def test_bare_imports(benchmark: Any) -> None:
    measure(benchmark, IMPORTS, lambda: run("-c", "import numpy, click"))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("results 143", ["143"]),
        ("results all", ["all"]),
        ("results 24, 5 digits", ["24", "--length", "5"]),
        ("results 24, 6 digits", ["24", "--length", "6"]),
    ],
)
def test_results(benchmark: Any, tmp_path: Path, name: str, arguments: list[str]) -> None:
    command = ["-m", "crisps24", "results", *arguments, "--dir", str(tmp_path)]
    long = arguments[0] == "all" or "6" in arguments
    measure(benchmark, name, lambda: run(*command), long=long)
    assert list(tmp_path.iterdir())


def swapped(rows: list[bytes]) -> list[bytes]:
    return [rows[0], rows[-2], *rows[2:-2], rows[1], rows[-1]]


def shuffled(rows: list[bytes]) -> list[bytes]:
    return Random(24).sample(rows, len(rows))


# Kinds of damage to a results file of six digits: functions from rows to rows.
DAMAGE: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "right": lambda rows: rows,
    "one row missing": lambda rows: [*rows[:900_000], *rows[900_001:]],
    "one row changed": lambda rows: [
        *rows[:900_000],
        rows[900_000].replace(b"-", b"+", 1),
        *rows[900_001:],
    ],
    "one row twice": lambda rows: [*rows[:900_000], rows[600_000], *rows[900_000:]],
    "two rows swapped": swapped,
    "every tenth row missing": lambda rows: [row for index, row in enumerate(rows) if index % 10],
    "all rows shuffled": shuffled,
}


@pytest.fixture(scope="module")
def six_digits(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> list[bytes]:
    """Return the lines of the results file of six digits for 24."""
    if not pytestconfig.getoption("benchmark_enable"):
        pytest.skip("it takes seconds: add --benchmark-enable")
    path = write_results(24, tmp_path_factory.mktemp("six"), replace(CRISPS, length=6))
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("name", DAMAGE)
def test_verify(benchmark: Any, six_digits: list[bytes], tmp_path: Path, name: str) -> None:
    path = tmp_path / "results.24"
    path.write_bytes(b"".join([*six_digits[:2], *DAMAGE[name](six_digits[2:])]))

    def verify() -> int:
        command = [sys.executable, "-m", "crisps24", "verify", str(path)]
        return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode

    status = measure(benchmark, f"verify, {name}", verify, rounds=3)
    assert status == (name != "right")


@pytest.mark.parametrize(("length", "size"), {8: 17_723, 9: 287_288, 10: 1_404_041}.items())
def test_equations(benchmark: Any, cold: Callable[[], None], length: int, size: int) -> None:
    keys = measure(
        benchmark,
        f"equations {length}",
        lambda: equation_keys(Equation(length)),
        setup=cold,
        long=length > 8,
    )
    assert len(keys) == size


def test_guess(benchmark: Any) -> None:
    remaining = remaining_equations(Equation())
    guess = remaining.codes[1234].tolist()
    assert len(measure(benchmark, "guess", lambda: remaining.marks(guess), rounds=50)) == 17_723


def test_best_guess(benchmark: Any) -> None:
    arguments = ("equations", "--guess", "9*8-7=65", "--seen", "gyybbgyb", "--best")
    measure(benchmark, "best guess", partial(run, "-m", "crisps24", *arguments), long=True)


def test_missing_signs(benchmark: Any) -> None:
    joined = replace(CRISPS, join=True)
    gaps = read_gaps("1_2_3_4_5_6_7_8_9_1_2_3_4", joined)
    assert measure(benchmark, "signs", lambda: count_fillings(gaps, joined), long=True) == 36_562
