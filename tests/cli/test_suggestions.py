"""A refusal that suggests a call suggests one that works."""

import re
import shlex
from pathlib import Path
from random import Random

import pytest

from tests.cli.calls import BASES, option_calls, write_files
from tests.commands import Run
from tests.sampling import EVERY
from tests.tables import lines_of


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    write_files(tmp_path)


def check_lines(err: str, run: Run) -> int:
    """Run the lines of a refusal; fail if one is refused as a wrong call; return how many."""
    lines = re.findall(r"\buse crisps24 (.*?)(?:; |$)", err.strip())
    for line in lines:
        ran = run(line)
        assert ran.status in (0, 1), f"{err}{line}: {ran.err}"
    return len(lines)


def test_suggested_line_works(run: Run) -> None:
    # Calls that are refused with a line to copy.
    for line in lines_of("cli/suggested.txt"):
        ran = run(line)
        assert (ran.status, check_lines(ran.err, run) > 0) == (2, True), line


@pytest.mark.parametrize("name", [each for each in BASES if each != "serve"])
def test_two_options_work_or_suggest_a_line_that_works(name: str, run: Run) -> None:
    random, base = Random(24), shlex.split(BASES[name])
    calls = [shlex.split(call.line)[1:] for call in option_calls() if call.name.split()[0] == name]
    options = [words[len(base) - 1 :] for words in calls if words[: len(base) - 1] == base[1:]]
    for _ in range(12 if EVERY else 2):
        first, second = random.sample(options, 2)
        ran = run("", *base, *first, *second)
        if ran.status == 2:
            check_lines(ran.err, run)
