"""Calls made to break the program, each a process of its own."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import click

from crisps24 import GAMES
from crisps24.cli.program import cli
from tests.hostile.readers import Report, made

COMMANDS = tuple(name for name in cli.list_commands(click.Context(cli)) if name != "serve")
OPTIONS = (
    *("--target", "--game", "--length", "--numbers", "--card", "--format", "--operators", "--top"),
    *("--file", "--dir", "--work", "--style", "--seed", "--level", "--count", "--all", "--join"),
    *("--out", "--title", "--per-page", "--rising", "--solutions", "--large", "--plain", "--log"),
    *("--in-order", "--fractions", "--negatives", "--any-subset", "--parentheses", "--steps"),
    *("--guess", "--seen", "--known", "--with", "--best", "--left", "--signs", "--equals"),
)
WORDS = (
    *("24", "143", "3", "8", "cards", "crisps", "4 + 3 x 8 - 4", "-5", "3/4", "0..9", "json"),
    *("cards:3.3.8.8=24", "countdown:75.50.2.3.8.7=812,zero=no", "countdown", "a.pdf", "a.html"),
    *("4 _ 3 _ 8 _ 4 = 24", "9*8-7=65", "gyybbgyb", "equation", "either"),
)
# Values that options take, so that many calls are answered.
RANGES = ("1..13", "1..100", "-5..5", "0..9", "24", "3,7,25")
FILES = ("a.csv", "a.txt", "a.svg", "a.gift", "a.pdf", "a.html", "-", "/no/such/folder/a")
VALUES = {
    "--game": (*GAMES, "chess"),
    "--target": ("24", "101..999", "0..9", "2026", "3/4", "-5", "all"),
    "--targets": ("24", "101..999", "0..9", "2026"),
    "--numbers": RANGES,
    "--format": ("table", "csv", "json", "jsonl", "markdown", "github", "latex", "html"),
    "--operators": ("+-", "+-x:", "+-x:^!v", "!"),
    "--out": FILES,
    "--file": FILES,
    "--log": FILES,
    "--style": ("python", "latex", "polish", "unicode", "cards"),
    "--card": ("3 3 8 8", "4 3 8 4", "100 75 50 25 9 8"),
    "--signs": ("+-", "cards"),
}
COUNTS = ("0", "1", "2", "5", "7", "24", "2026", "none", "1.5", "x")
# What a command may be asked for.
ARGUMENTS = {
    "solve": ("3 3 8 8", "100 75 50 25 9 8", "1 2 3 4 5 6 7 8", "4 3 8 4", "0 0 0 0"),
    "reach": ("3 3 8 8", "100 75 50 25 9 8", "1 2 3 4 5 6 7 8", "4 3 8 4", "0 0 0 0"),
    "check": ("4+3x8-4", "8/(3-8/3)", "cards:3.3.8.8=24"),
    "judge": ("cards:3.3.8.8=24", "4+3x8-4"),
    "verify": (".", "a.csv"),
    "mark": ("a.csv", "-"),
    "audit": ("a.csv", "-"),
    "games": ("", "cards"),
    "equations": ("", "9*8-7=65"),
    "count": ("24", "0..9", ""),
    "formulas": ("24", "143"),
    "results": ("24", "143"),
}
STATUSES = (0, 1, 2)
SECONDS = 60
# In megabytes: what no call without `--work` may take.
MEMORY = 2_048


def call(random: Random) -> list[str]:
    """Return the words of a call."""
    words = _likely(random) if random.random() < 0.5 else _any(random)
    return [word.replace("\0", "").encode(errors="replace").decode() for word in words]


def _any(random: Random) -> list[str]:
    """Return words of all kinds in any order."""
    words = [random.choice((*COMMANDS, made(random)[:50]))]
    for _ in range(random.randint(0, 5)):
        kind = random.random()
        word = random.choice(OPTIONS) if kind < 0.4 else random.choice(WORDS)
        words.append(made(random)[:200] if kind > 0.75 else word)
    return words


def _likely(random: Random) -> list[str]:
    """Return a command with options that it has, and arguments and values that it might take."""
    name = random.choice(COMMANDS)
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    options = [each for each in command.params if isinstance(each, click.Option)]
    words = [name, *random.choice(ARGUMENTS.get(name, [*GAMES])).split()]
    for option in random.sample(options, min(len(options), random.randint(0, 3))):
        words.append(random.choice((*option.opts, *option.secondary_opts)))
        if not option.is_flag:
            choices = getattr(option.type, "choices", None) or VALUES.get(option.opts[0], COUNTS)
            words.append(made(random)[:99] if random.random() < 0.1 else random.choice([*choices]))
    return [str(word) for word in words if word != "--open"]


def calls(count: int, seed: int, folder: Path) -> Report:
    """Make so many calls in a folder; return how they ended, and what no call may do."""
    random, report = Random(seed), Report()
    for _ in range(count):
        words = call(random)
        began = time.perf_counter()
        status, err, memory = _ended(words, folder)
        report.timed(time.perf_counter() - began, repr(" ".join(words)[:100]))
        report.kinds[f"{words[0] if words[0] in COMMANDS else 'other'}: {status}"] += 1
        report.memory = max(report.memory, memory)
        if status not in STATUSES or "Traceback" in err:
            report.wrong.append(f"{words}: {status}: {err[-300:]}")
        if memory > MEMORY and "--work" not in words:
            report.wrong.append(f"{words}: {memory} MB")
        if any(not each.isprintable() for each in err.replace("\n", "")):
            report.wrong.append(f"{words}: what a terminal obeys in {err[:200]!r}")
    return report


def _ended(words: Sequence[str], folder: Path) -> tuple[int | None, str, int]:
    """Call the program; return its exit status, its complaints and its peak memory in megabytes.

    The status is None if the call took longer than `SECONDS` and was stopped.
    """
    with tempfile.TemporaryFile() as complaints:
        running = subprocess.Popen(
            [sys.executable, "-m", "crisps24", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=complaints,
            cwd=folder,
        )
        stop = threading.Timer(SECONDS, running.kill)
        stop.start()
        # The memory is that of the largest of its processes.
        _, ended, usage = os.wait4(running.pid, 0)
        stop.cancel()
        running.returncode = status = os.waitstatus_to_exitcode(ended)
        complaints.seek(0)
        err = complaints.read().decode(errors="replace")
        return None if status == -9 else status, err, usage.ru_maxrss // 1024
