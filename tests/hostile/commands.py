"""Calls made to break the program, each a process of its own."""

import subprocess
import sys
import time
from pathlib import Path
from random import Random

from tests.hostile.readers import Report, made

COMMANDS = (
    *("results", "count", "formulas", "check", "verify", "games", "solve", "reach", "survey"),
    *("deal", "sheet", "quiz", "play", "judge", "mark", "audit", "equations"),
)
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
STATUSES = (0, 1, 2)


def call(random: Random) -> list[str]:
    """Return the words of a call."""
    words = [random.choice((*COMMANDS, made(random)[:50]))]
    for _ in range(random.randint(0, 5)):
        kind = random.random()
        word = random.choice(OPTIONS) if kind < 0.4 else random.choice(WORDS)
        words.append(made(random)[:200] if kind > 0.75 else word)
    return [word.replace("\0", "").encode(errors="replace").decode() for word in words]


def calls(count: int, seed: int, folder: Path) -> Report:
    """Make so many calls in a folder; return how they ended, and what no call may do."""
    random, report = Random(seed), Report()
    for _ in range(count):
        words = call(random)
        began = time.perf_counter()
        try:
            done = subprocess.run(
                [sys.executable, "-m", "crisps24", *words],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                cwd=folder,
                timeout=30,
                check=False,
            )
        except subprocess.TimeoutExpired:
            report.wrong.append(f"{words}: more than 30 s")
            continue
        err = done.stderr.decode(errors="replace")
        report.timed(time.perf_counter() - began, repr(" ".join(words)[:100]))
        report.kinds[f"{words[0] if words[0] in COMMANDS else 'other'}: {done.returncode}"] += 1
        if done.returncode not in STATUSES or "Traceback" in err:
            report.wrong.append(f"{words}: {done.returncode}: {err[-300:]}")
        if any(not each.isprintable() for each in err.replace("\n", "")):
            report.wrong.append(f"{words}: what a terminal obeys in {err[:200]!r}")
    return report
