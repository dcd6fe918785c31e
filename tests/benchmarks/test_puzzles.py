"""Times to deal puzzles and to print sheets, mostly as commands."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crisps24 import GAMES
from crisps24.puzzles.conditions import Conditions
from crisps24.puzzles.dealing import deal
from tests.benchmarks.goals import UNIFORM_PUZZLES
from tests.benchmarks.test_rows import measure, run

JSONL = ("--format", "jsonl")


@pytest.mark.parametrize(
    ("name", "arguments", "rounds"),
    [
        ("deal 20 cards", ["cards", "--count", "20"], 5),
        ("deal 20 countdown", ["countdown", "--count", "20", "--level", "3"], 3),
        ("deal 1000 countdown, levels", ["countdown", "--count", "1000"], 1),
        ("deal all cards", ["cards", "--count", "1362", *JSONL], 3),
        ("deal 1000 countdown", ["countdown", "--count", "1000", *JSONL], 1),
    ],
)
def test_deal(benchmark: Any, name: str, arguments: Sequence[str], rounds: int) -> None:
    command = ["-m", "crisps24", "deal", *arguments, "--seed", "7"]
    measure(benchmark, name, lambda: run(*command), long=rounds < 5, rounds=rounds)


def test_deal_from_uniform_numbers(benchmark: Any) -> None:
    game = replace(GAMES["countdown"], numbers=tuple(range(1, 100)), all_numbers=True)
    conditions = Conditions(lengths=range(3, 5))
    targets = range(10, 101)

    def deal_puzzles() -> None:
        assert (
            len(deal(game, UNIFORM_PUZZLES, seed=7, targets=targets, conditions=conditions))
            == UNIFORM_PUZZLES
        )

    measure(benchmark, "deal uniform", deal_puzzles, rounds=3)


def test_sheet(benchmark: Any, tmp_path: Path) -> None:
    pytest.importorskip("reportlab", reason="the extra crisps24[sheets] is missing")
    path = tmp_path / "sheet.pdf"
    # Without --benchmark-enable, a few cards show that the benchmark works.
    count = "20" if benchmark.disabled else "200"
    command = ["-m", "crisps24", "sheet", "cards", "--count", count, "--seed", "7"]
    measure(benchmark, "sheet of 200", lambda: run(*command, "--out", str(path)), rounds=3)
    assert path.read_bytes().startswith(b"%PDF")
