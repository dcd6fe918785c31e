"""Reports of long commands on stderr: a line that changes on a terminal, one line elsewhere."""

import io
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crisps24.cli import options, progress
from crisps24.cli.program import main
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import Language, as_message, message
from crisps24.rules.work import Budget
from tests.cli.test_progress import Terminal

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
    "count": "count 24 --length 16",
    "formulas": "formulas 24 --limit 1000",
    "equations": "equations --length 7 --count",
    "judge": "judge --file FILE --format jsonl",
    "audit": "audit FILE --workers 1",
}


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "file"])
@pytest.mark.parametrize(("command", "call"), CALLS.items(), ids=CALLS)
def test_every_command_reports_its_work(
    command: str, call: str, terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = '{"nums": [3, 3, 8, 8], "target": 24, "answer": "8/(3-8/3)", "text": "24"}\n'
    (tmp_path / "file.jsonl").write_text(record * 200)
    call = call.replace("FILE", str(tmp_path / "file.jsonl")).replace("OUT", str(tmp_path / "out"))
    if command == "verify":
        assert main(["results", "24", "--dir", str(tmp_path / "out"), "--workers", "1"]) == 0
    err = Terminal() if terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", err)
    # Check the command all the time, and report any of its work.
    for name, value in {
        "SECONDS_UNTIL_DRAWN": 0,
        "SECONDS_UNTIL_PRINTED": 0,
        "_CHECK_SECONDS": 1e-4,
        "_MIN_CPU_SECONDS": -1,
    }.items():
        monkeypatch.setattr(progress, name, value)
    # Without a terminal, the line can come before the name of the command is known.
    line = f"{command}: at work for" if terminal else "at work for"
    end = progress.ActivityReporter.end

    def end_after_a_look(watch: progress.ActivityReporter) -> None:
        # Wait for the thread, even after a short call.
        give_up = time.monotonic() + 10
        while line not in err.getvalue() and time.monotonic() < give_up:
            time.sleep(0.001)
        end(watch)

    monkeypatch.setattr(progress.ActivityReporter, "end", end_after_a_look)
    assert main(call.split()) in (0, 1)
    if terminal:
        assert f"\r{line}" in err.getvalue()
    else:
        assert err.getvalue().count(line) == 1


def test_line_has_an_estimate_after_the_first_progress() -> None:
    watch = progress.ActivityReporter(lambda: "deal")
    assert watch.describe(5) == "deal: at work for 5 s"
    watch.budget = Budget(expected=1000)
    watch.budget.add_pairs(300)
    assert watch.describe(5) == "deal: at work for 5 s, 300 of about 1,000 pairs of values"
    watch.label, watch.total = as_message("puzzles"), 100
    assert watch.describe(5) == "deal: at work for 5 s, 0 of 100 puzzles"
    watch.done = 20
    assert watch.describe(5) == "deal: at work for 5 s, 20 of 100 puzzles, about 20 s left"


def test_line_is_in_the_language_of_the_call() -> None:
    watch = progress.ActivityReporter(lambda: "play")
    watch.label, watch.total, watch.done = message("progress.dealt"), 2000, 1000
    assert (
        watch.describe(7) == "play: at work for 7 s, 1,000 of 2,000 puzzles dealt, about 7 s left"
    )
    lines = set()
    for language in LANGUAGES.values():
        watch.language = language
        lines.add(watch.describe(7))
        for key in ("progress.dealt", "progress.left"):
            assert str(language.texts[key]).partition("{")[0] in watch.describe(7)
    assert len(lines) == len(LANGUAGES)


def test_language_option_sets_the_language_of_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    languages: list[Language] = []
    monkeypatch.setattr(options, "set_progress_language", languages.append)
    assert main(["check", "1 + 1 = 2", "--language", "nl"]) == 0
    assert [language.name for language in languages][-1] == "nl"


# A search of a second, with the first line due earlier than usual.
CALL = """
from crisps24.cli import progress
from crisps24.cli.program import main
progress.SECONDS_UNTIL_DRAWN = progress.SECONDS_UNTIL_PRINTED = 0.1
progress._CHECK_SECONDS = 0.01
progress._MIN_CPU_SECONDS = 0
main("reach 1 2 3 4 5 6 7 8 --game countdown --numbers 1..10".split())
"""


def test_long_search_prints_one_line_without_a_terminal() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", CALL], capture_output=True, text=True, timeout=60, check=False
    )
    lines = [line for line in ran.stderr.splitlines() if "at work for" in line]
    assert len(lines) == 1
    assert lines[0].startswith("crisps24: reach: at work for ")


def test_long_search_draws_a_line_on_a_terminal() -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", CALL], stdout=subprocess.DEVNULL, stderr=theirs
    ) as search:
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 1000):
                said += part
        except OSError:
            # The end of a terminal.
            pass
    os.close(ours)
    assert search.returncode == 0
    assert b"\rreach: at work for" in said
    # It is removed at the end.
    assert b"at work" not in said.split(b"\r  ")[-1]
