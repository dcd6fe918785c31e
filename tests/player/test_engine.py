"""The script judges formulas, steps and hints as the Python package does.

With `CRISPS24_EVERY` a million formulas and 100,000 sequences of taps are compared.
"""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.player.games import PLAYED

NODE = shutil.which("node")
EVERY = bool(os.environ.get("CRISPS24_EVERY"))
FOLDER = Path(__file__).parent
# Cases of one process; each process has its own seed.
BATCHES = 40 if EVERY else 1
FORMULAS, TAPS, HINTS = (25_000, 2_500, 50) if EVERY else (3_000, 300, 100)
# Small puzzles whose best values are compared.
SMALL = 500 if EVERY else 60
# Of the processor. Twice the limit of a hint, since the first one compiles the script.
MAX_HINT_MILLISECONDS = 600

pytestmark = pytest.mark.skipif(NODE is None, reason="the script is run by node")


def compare(seed: int, **counts: int) -> dict[str, Any]:
    """Return the counts of a comparison; fail if a judgement differs."""
    options = [word for name, count in counts.items() for word in (f"--{name}", str(count))]
    command = [sys.executable, "-m", "tests.player.cases", "--seed", str(seed), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=FOLDER.parents[1]) as cases:
        compared = subprocess.run(
            [str(NODE), str(FOLDER / "compare.js")],
            stdin=cases.stdout,
            capture_output=True,
            check=False,
        )
    *differences, last = compared.stdout.decode().splitlines() or [""]
    assert (cases.returncode, compared.returncode) == (0, 0), "\n".join(differences)[:4000]
    totals: dict[str, Any] = json.loads(last)
    return totals | {"printed": differences}


def test_formulas_and_taps_have_the_judgements_of_python() -> None:
    with ThreadPoolExecutor(os.cpu_count() if EVERY else 1) as pool:
        runs = list(
            pool.map(lambda seed: compare(seed, formulas=FORMULAS, taps=TAPS), range(BATCHES))
        )
    totals = Counter[str]()
    for run in runs:
        totals.update({name: count for name, count in run.items() if isinstance(count, int)})
        printed = run["printed"]
    print(dict(totals), *printed, sep="\n")
    assert totals["formula"] == BATCHES * FORMULAS
    assert totals["taps"] == BATCHES * TAPS
    assert totals["differences"] == 0
    assert totals["wrongPlaces"] == 0
    assert totals["wrongReasons"] == 0


def test_hints_reach_the_best_value_wherever_python_does() -> None:
    with ThreadPoolExecutor(os.cpu_count() if EVERY else 1) as pool:
        runs = list(pool.map(lambda seed: compare(seed, hints=HINTS), range(BATCHES)))
    assert all(run["differences"] == 0 for run in runs)
    assert max(run["slowestHint"] for run in runs) < MAX_HINT_MILLISECONDS
    assert sum(run.get("hint", 0) + run.get("words", 0) for run in runs) == BATCHES * HINTS


def test_best_values_are_as_near_as_those_of_python() -> None:
    assert compare(1, best=1, small=SMALL)["best"] >= SMALL + 10 * len(PLAYED)


def test_cases_have_all_verdicts() -> None:
    verdicts = compare(2, formulas=400)["verdicts"]
    assert set(verdicts) == {"right", "legal", "wrong", "illegal", "malformed", "unsupported"}
    assert min(verdicts[name] for name in ("right", "wrong", "illegal", "malformed")) > 40
