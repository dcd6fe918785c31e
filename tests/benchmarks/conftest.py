"""Fixtures of the benchmarks, and the table of ratios at the end of a run."""

import ctypes
import importlib
import shutil
import subprocess
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.goals import GOALS, Goal

HERE = Path(__file__).parent
# Bytes that hold the rows of 7 digits for 143.
BUFFER_BYTES = 1 << 26
# Caches that are cleared between calls, by module.
CACHES = {
    "rules.partitions": ("_selectors",),
    "notation.grammar": ("parse_pattern",),
    "notation.tokens": ("run_grammar_cached",),
    "notation.statements": ("_locate_shape", "_parse_shape_cached"),
    "enumeration.counting": ("_tables_of", "suffix_tables_of"),
    "enumeration.finding": ("_chain_finders_of", "_row_finder_of"),
    "enumeration.enumeration": ("_enumerate_rows",),
    "equation_puzzles.search": ("equation_keys",),
    "hands.fingerprints": ("evaluation_point",),
    "surveys.surveys": ("_thread_cache.rows_for",),
}


@pytest.fixture
def cold() -> Callable[[], None]:
    """Return a function that clears all caches."""

    def clear_caches() -> None:
        for module, names in CACHES.items():
            for name in names:
                attrgetter(name)(importlib.import_module(f"crisps24.{module}")).cache_clear()

    return clear_caches


@pytest.fixture(scope="session")
def brute_force(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int, int], bytes]:
    """Compile brute force in C with gcc -O2: (length, target) → the rows in order."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc is missing")
    library = tmp_path_factory.mktemp("brute_force") / "brute_force.so"
    source = str(HERE / "brute_force.c")
    subprocess.run([gcc, "-O2", "-shared", "-fPIC", "-o", str(library), source], check=True)
    function = ctypes.CDLL(str(library)).brute_force
    function.restype = ctypes.c_long
    # The buffer for all rows is allocated once, before the measurement.
    buffer = ctypes.create_string_buffer(BUFFER_BYTES)

    def rows(length: int, target: int) -> bytes:
        count = function(length, ctypes.c_long(target), buffer)
        return ctypes.string_at(buffer, count * (2 * length - 1))

    return rows


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the measurements and their limits as a table for the README."""
    session = getattr(config, "_benchmarksession", None)
    medians = (
        {entry.name: entry.stats.median for entry in session.benchmarks if entry} if session else {}
    )
    rows = [
        row_of(goal, medians[goal.benchmark], medians.get(goal.reference))
        for goal in GOALS
        if goal.benchmark in medians and (not goal.reference or goal.reference in medians)
    ]
    if rows:
        terminalreporter.write_line("")
        terminalreporter.write_line("| measurement | result | limit | |")
        terminalreporter.write_line("|---|---|---|---|")
        for row in rows:
            terminalreporter.write_line(row)


def row_of(goal: Goal, median: float, reference: float | None) -> str:
    """Return a row of the table: a time, a rate, or a ratio to another measurement."""
    if goal.hands or goal.formulas:
        rate = (goal.hands or goal.formulas) / median
        if goal.at_least is None:
            return f"| {goal.label} | {rate:,.0f} a second | | |"
        status = "met" if rate >= goal.at_least else "**missed**"
        return f"| {goal.label} | {rate:,.0f} a second | {goal.at_least:,} a second | {status} |"
    figure, text = (median, _time) if reference is None else (median / reference, _ratio)
    if goal.at_most is None:
        return f"| {goal.label} | {text(figure)} | | |"
    status = "met" if figure <= goal.at_most else "**missed**"
    return f"| {goal.label} | {text(figure)} | {text(goal.at_most)} | {status} |"


def _time(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms" if seconds < 0.1 else f"{seconds:.2f} s"


def _ratio(ratio: float) -> str:
    return f"{ratio:.2f} times" if ratio >= 1 / 3 else f"{1 / ratio:.0f} times faster"
