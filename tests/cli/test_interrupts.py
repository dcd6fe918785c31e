"""Ctrl-C at any moment, once or twice, as a terminal sends it to all processes of a command.

The command ends at once, in one line, without a process that stays or a half-written file.
"""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.sampling import EVERY, some
from tests.waiting import wait_until

# Seconds until the command has ended; the machine can have other work.
PATIENCE = 10
COMMANDS = [
    "audit rows.jsonl --fix out/fixed.jsonl --workers 2",
    "survey countdown --workers 2",
    "judge --file rows.jsonl --format jsonl --workers 2",
    "deal countdown --count 30000 --repeat --out out/dealt.jsonl",
    "survey countdown --out out/survey.db --workers 2",
    "solve --file hands.txt --game cards --workers 2 --format jsonl",
    "audit rows.jsonl",
    "judge --file rows.jsonl --format jsonl",
    "deal countdown --count 3000 --out out/dealt.jsonl",
    "check --file rows.jsonl --format jsonl",
    "results 0..700 --dir out",
    "count 24 --length 12",
    "page cards --count 300 --out out/page.html",
    "quiz cards --count 3000 --out out/quiz.gift",
    "survey countdown --difficulty --targets 100..999",
]
# Python itself prints a traceback if a signal comes before it has started.
PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from crisps24.__main__ import main
print("started", file=sys.stderr, flush=True)
sys.exit(main())
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("interrupts")
    (path / "out").mkdir()
    row = {"nums": [3, 3, 8, 8], "target": 24, "answer": "8 / (3 - 8 / 3)"}
    lines = (json.dumps(row | {"response": f"{row['answer']} {n}"}) for n in range(30_000))
    (path / "rows.jsonl").write_text("\n".join(lines))
    hands = "".join(f"{1 + n % 13} {1 + n // 13} 8 8\n" for n in range(169))
    (path / "hands.txt").write_text(hands)
    return path


def is_running(group: int) -> bool:
    """Return whether a process group has a process that has not ended."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, own_group = status.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(own_group) == group and state not in "ZX":
            return True
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize(
    ("command", "times"), some([*product(COMMANDS, (1, 2))], 4), ids=lambda value: str(value)[:20]
)
def test_ctrl_c_ends_the_command(command: str, times: int, folder: Path) -> None:
    dice = Random(f"{command} {times}")
    for _ in range(3 if EVERY else 1):
        call = [sys.executable, "-c", PROGRAM, *command.split()]
        pipes: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
        with subprocess.Popen(call, **pipes, start_new_session=True, cwd=folder) as running:
            assert running.stderr
            assert running.stderr.readline() == "started\n"
            with pytest.raises(subprocess.TimeoutExpired):
                running.wait(dice.uniform(0, 1.5))
            os.killpg(running.pid, signal.SIGINT)
            if times == 2:
                time.sleep(dice.uniform(0, 0.3))
                if running.poll() is None:
                    os.killpg(running.pid, signal.SIGINT)
            _, err = running.communicate(timeout=PATIENCE)
        assert "Traceback" not in err
        if running.returncode not in (0, 1):  # Else it was done when the signal came.
            start, lines = err.startswith("crisps24: stopped"), err.count("\n")
            assert (running.returncode, start, lines) == (130, True, 1)
        wait_until(lambda: not is_running(running.pid))
        assert not [path for path in (folder / "out").iterdir() if path.name.startswith(".")]
