"""The script judges formulas, steps, hints and typed rounds as the Python package does.

A comparison takes 4 seconds, to make and to judge its cases. With `CRISPS24_EVERY` 200,000 formulas
20,000 sequences of taps and 40,000 rounds are compared.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.player.games import PLAYED
from tests.player.node import NODE, needs_node
from tests.sampling import EVERY

pytestmark = needs_node
FOLDER = Path(__file__).parent
# Cases of one process; each process has its own seed.
BATCHES = 8 if EVERY else 1
# How many formulas, sequences of taps, hints, puzzles of each game, puzzles with zeros, and rounds.
COUNTS = (
    {"formulas": 25_000, "taps": 2_500, "hints": 50, "best": 12, "zeros": 500, "rounds": 5_000}
    if EVERY
    else {"formulas": 800, "taps": 80, "hints": 10, "best": 2, "zeros": 30, "rounds": 150}
)
# Of the processor. Twice the limit of a hint, since the first one compiles the script.
MAX_HINT_MILLISECONDS = 600


def compare(seed: int, **counts: int) -> dict[str, Any]:
    """Return the counts of a comparison; fail if a judgement differs."""
    options = [word for name, count in counts.items() for word in (f"--{name}", str(count))]
    command = [sys.executable, "-m", "tests.player.cases", "--seed", str(seed), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=FOLDER.parents[1]) as cases:
        script = [str(NODE), str(FOLDER / "compare.js")]
        compared = subprocess.run(script, stdin=cases.stdout, capture_output=True, check=False)
    *differences, last = compared.stdout.decode().splitlines() or [""]
    assert (cases.returncode, compared.returncode) == (0, 0), "\n".join(differences)[:4000]
    totals: dict[str, Any] = json.loads(last)
    return totals | {"printed": differences}


@pytest.fixture(scope="module")
def runs() -> list[dict[str, Any]]:
    with ThreadPoolExecutor(os.cpu_count() if EVERY else 1) as pool:
        return list(pool.map(lambda seed: compare(seed, **COUNTS), range(BATCHES)))


def test_script_judges_as_python_does(runs: list[dict[str, Any]]) -> None:
    totals = Counter[str]()
    for run in runs:
        totals.update({name: count for name, count in run.items() if isinstance(count, int)})
    printed = "\n".join(runs[-1]["printed"])
    for name, counted in (("formula", "formulas"), ("taps", "taps"), ("round", "rounds")):
        assert totals[name] == BATCHES * COUNTS[counted]
    # One more hint comes with the best values.
    assert totals["hint"] + totals["words"] == BATCHES * (COUNTS["hints"] + 1)
    assert totals["best"] == BATCHES * (COUNTS["zeros"] + COUNTS["best"] * len(PLAYED))
    assert totals["differences"] == 0, printed
    assert totals["wrongPlaces"] == totals["wrongReasons"] == 0, printed


def test_hints_are_fast(runs: list[dict[str, Any]]) -> None:
    assert max(run["slowestHint"] for run in runs) < MAX_HINT_MILLISECONDS


def test_cases_have_all_verdicts(runs: list[dict[str, Any]]) -> None:
    verdicts = runs[0]["verdicts"]
    assert set(verdicts) == {"right", "legal", "wrong", "illegal", "malformed", "unsupported"}
    assert min(verdicts[name] for name in ("right", "wrong", "illegal", "malformed")) > 40
