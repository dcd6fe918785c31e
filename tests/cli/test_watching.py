"""The line of long commands on a terminal, with the work done; elsewhere nothing."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from crisps24.cli import progress
from crisps24.cli.program import main
from crisps24.messages.languages import LANGUAGES
from crisps24.rules.work import Budget
from tests.cli.test_progress import Terminal
from tests.cli.test_screen import all_of
from tests.extras import skip_without_extra
from tests.waiting import wait_until

# A call of each command that can take long. FILE is a file with a record, OUT a new file.
CALLS = {
    "solve": "solve 1 2 3 4 5 6 --game countdown --target 100",
    "reach": "reach 1 2 3 4 5 6 --game countdown",
    "deal": "deal countdown --count 3 --seed 1",
    "sheet": "sheet cards --count 12 --seed 1 --out OUT.pdf",
    "quiz": "quiz countdown --count 3 --seed 1 --out OUT.gift",
    "survey": "survey crisps --targets 0..50 --workers 1",
    "results": "results 24 --dir OUT --workers 1",
    "verify": "verify OUT/results.24",
    "count": "count 24 --length 12",
    "formulas": "formulas 24 --limit 1000",
    "equations": "equations --length 7 --count",
    "judge": "judge --file FILE --format jsonl",
    "audit": "audit FILE --workers 1",
}


@pytest.mark.parametrize(("command", "call"), CALLS.items(), ids=CALLS)
def test_every_command_reports_its_work(
    command: str, call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    skip_without_extra(call)
    record = '{"nums": [3, 3, 8, 8], "target": 24, "answer": "8/(3-8/3)", "text": "24"}\n'
    (tmp_path / "file.jsonl").write_text(record * 200)
    call = call.replace("FILE", str(tmp_path / "file.jsonl")).replace("OUT", str(tmp_path / "out"))
    if command == "verify":
        assert main(["results", "24", "--dir", str(tmp_path / "out"), "--workers", "1"]) == 0
    err = Terminal()
    monkeypatch.setattr(sys, "stderr", err)
    # Look all the time, and report any work.
    monkeypatch.setattr(progress, "SECONDS_UNTIL_DRAWN", 0)
    monkeypatch.setattr(progress, "_LOOK_SECONDS", 1e-4)
    monkeypatch.setattr(progress, "_MIN_CPU_SECONDS", -1)
    line = f"\r{command}: at work for"
    end = progress.WorkLine.end

    def end_after_a_look(work_line: progress.WorkLine) -> None:
        # Wait for the thread, even after a short call.
        wait_until(lambda: line in err.getvalue())
        end(work_line)

    monkeypatch.setattr(progress.WorkLine, "end", end_after_a_look)
    assert main(call.split()) in (0, 1)
    assert line in err.getvalue()


def test_line_has_the_work_done_in_the_language_of_the_call() -> None:
    meta: dict[str, object] = {}
    line = progress.WorkLine(lambda: "deal", meta)
    assert line.describe(5) == "deal: at work for 5 s"
    line.budget = Budget()
    line.budget.add_pairs(3000)
    assert line.describe(5) == "deal: at work for 5 s, 3,000 pairs of values"
    line.budget.expected = 10_000
    assert line.describe(5) == "deal: at work for 5 s, 3,000 of about 10,000 pairs of values"
    lines = set()
    for meta[progress.LANGUAGE_KEY] in LANGUAGES.values():
        lines.add(line.describe(7))
    assert len(lines) == len(LANGUAGES)


# A search of a second, with the line due earlier than usual.
CALL = """
from crisps24.cli import progress
from crisps24.cli.program import main
progress.SECONDS_UNTIL_DRAWN = 0.1
progress._LOOK_SECONDS = 0.01
progress._MIN_CPU_SECONDS = 0
main("reach 1 2 3 4 5 6 7 8 --game countdown --numbers 1..10".split())
"""


def test_long_search_prints_nothing_elsewhere() -> None:
    ran = subprocess.run([sys.executable, "-c", CALL], capture_output=True, timeout=60, check=True)
    assert b"at work" not in ran.stderr


def test_long_search_draws_a_line_on_a_terminal() -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", CALL], stdout=theirs, stderr=theirs) as search:
        os.close(theirs)
        said = all_of(ours)
    assert search.returncode == 0
    assert b"\rreach: at work for" in said
    # It is removed before the first line of output.
    assert b"at work" not in said.split(b"\r  ")[-1]
    assert re.search(rb"\r +\r[^\r ]", said)
