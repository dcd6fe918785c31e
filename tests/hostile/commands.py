"""Random calls that try to break the program; each call runs in a new process."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import click

from crisps24 import GAMES
from crisps24.cli.program import cli
from tests.commands import command_of
from tests.hostile.files import RUN
from tests.hostile.readers import Report, random_input

COMMANDS = tuple(name for name in cli.list_commands(click.Context(cli)) if name != "serve")
# Values that fit an option, so that many calls succeed.
RANGES = ("1..13", "1..100", "-5..5", "0..9", "24", "3,7,25")
FILES = ("a.csv", "a.txt", "a.svg", "a.gift", "a.pdf", "a.html", "-", "/no/such/folder/a")
VALUES = {
    **dict.fromkeys(("--out", "--file", "--log"), FILES),
    **{"--game": (*GAMES, "chess"), "--numbers": RANGES},
    "--target": ("24", "101..999", "0..9", "2026", "3/4", "-5", "all"),
    "--targets": ("24", "101..999", "0..9", "2026"),
    "--format": ("table", "csv", "json", "jsonl", "markdown", "github", "latex", "html"),
    "--operators": ("+-", "+-x:", "+-x:^!v", "!"),
    "--style": ("python", "latex", "polish", "unicode", "cards"),
    "--card": ("3 3 8 8", "4 3 8 4", "100 75 50 25 9 8"),
    "--signs": ("+-", "cards"),
}
# Values for all other options.
COUNTS = ("0", "1", "2", "5", "7", "24", "2026", "none", "1.5", "x")
# Arguments that fit a command, as one text; other commands get the name of a game.
HANDS = ("3 3 8 8", "100 75 50 25 9 8", "1 2 3 4 5 6 7 8", "4 3 8 4", "0 0 0 0")
ARGUMENTS = {
    **{"solve": HANDS, "reach": HANDS, "mark": ("a.csv", "-"), "audit": ("a.csv", "-")},
    **{"check": ("4+3x8-4", "8/(3-8/3)", "cards:3.3.8.8=24"), "verify": (".", "a.csv")},
    **{"judge": ("cards:3.3.8.8=24", "4+3x8-4"), "games": ("", "cards")},
    **{"equations": ("", "9*8-7=65"), "count": ("24", "0..9", "")},
    **{"formulas": ("24", "143"), "results": ("24", "143")},
}
STATUSES = (0, 1, 2)
TIMEOUT_SECONDS = 60
# Limit for calls without `--work`.
MAX_MEGABYTES = 2_048


def call(random: Random) -> list[str]:
    """Return a command with some of its options, and mostly plausible arguments and values."""
    name = random.choice(COMMANDS)
    options = [option for option in command_of(name).params if isinstance(option, click.Option)]
    words = [name, *random.choice(ARGUMENTS.get(name, [*GAMES])).split()]
    for option in random.sample(options, min(len(options), random.randint(0, 3))):
        words.append(random.choice((*option.opts, *option.secondary_opts)))
        if not option.is_flag:
            choices = getattr(option.type, "choices", None) or VALUES.get(option.opts[0], COUNTS)
            is_odd = random.random() < 0.1
            words.append(random_input(random)[:99] if is_odd else random.choice([*choices]))
    texts = (str(word).replace("\0", "") for word in words if word != "--open")
    return [text.encode(errors="replace").decode() for text in texts]


def calls(count: int, seed: int, folder: Path) -> Report:
    """Return a report of `count` random calls in a folder."""
    random, report = Random(seed), Report()
    for _ in range(count):
        words = call(random)
        status, err, memory = _run(words, folder)
        report.kinds[f"{words[0]}: {status}"] += 1
        is_large = memory > MAX_MEGABYTES and "--work" not in words
        is_unprintable = not err.replace("\n", "").isprintable()
        if status not in STATUSES or "Traceback" in err or is_large or is_unprintable:
            report.wrong.append(f"{words}: {status}, {memory} MB: {err[-300:]!r}")
    return report


def _run(words: Sequence[str], folder: Path) -> tuple[int | None, str, int]:
    """Run the program; return its exit status, its stderr and its peak memory in megabytes.

    The status is None if the call was stopped after `TIMEOUT_SECONDS`.
    """
    # -1: no limit of its address space.
    command = [sys.executable, "-c", RUN, "-1", *words]
    with tempfile.TemporaryFile() as stderr:
        streams: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": stderr}
        with subprocess.Popen(command, **streams, cwd=folder, start_new_session=True) as process:
            try:
                out, _ = process.communicate(timeout=TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out = b""
        stderr.seek(0)
        err = stderr.read().decode(errors="replace")
    status, memory = map(int, out.split()) if out else (-9, 0)
    return None if status == -9 else status, err, memory
