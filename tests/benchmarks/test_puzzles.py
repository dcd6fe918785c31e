"""How long puzzles take: dealt, answered and laid out on paper, as whole processes."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crisps24 import GAMES
from crisps24.puzzles.conditions import Conditions
from crisps24.puzzles.dealing import deal
from tests.benchmarks.goals import UNIFORM
from tests.benchmarks.test_rows import measure, run

JSONL = ("--format", "jsonl")


@pytest.mark.parametrize(
    ("name", "words", "rounds"),
    [
        ("deal 20 cards", ["cards", "--count", "20"], 5),
        ("deal 20 countdown", ["countdown", "--count", "20", "--level", "3"], 3),
        ("deal 1000 countdown, levels", ["countdown", "--count", "1000"], 1),
        ("deal all cards", ["cards", "--count", "1362", *JSONL], 3),
        ("deal 1000 countdown", ["countdown", "--count", "1000", *JSONL], 1),
    ],
)
def test_deal(benchmark: Any, name: str, words: Sequence[str], rounds: int) -> None:
    command = ["-m", "crisps24", "deal", *words, "--seed", "7"]
    measure(benchmark, name, lambda: run(*command), long=rounds < 5, rounds=rounds)


def test_deal_of_uniform_games(benchmark: Any) -> None:
    game = replace(GAMES["countdown"], numbers=tuple(range(1, 100)), all_numbers=True)
    asked = Conditions(lengths=range(3, 5))
    targets = range(10, 101)

    def dealt() -> None:
        assert len(deal(game, UNIFORM, seed=7, targets=targets, conditions=asked)) == UNIFORM

    measure(benchmark, "deal uniform", dealt, rounds=3)


def test_sheet(benchmark: Any, tmp_path: Path) -> None:
    pytest.importorskip("reportlab", reason="the extra crisps24[sheets] is missing")
    path = tmp_path / "sheet.pdf"
    # Where nothing is measured a few show that it would be.
    count = "20" if benchmark.disabled else "200"
    command = ["-m", "crisps24", "sheet", "cards", "--count", count, "--seed", "7"]
    measure(benchmark, "sheet of 200", lambda: run(*command, "--out", str(path)), rounds=3)
    assert path.read_bytes().startswith(b"%PDF")
