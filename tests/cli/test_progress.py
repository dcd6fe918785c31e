"""Progress of long commands: bars of files, and the line with the work done, on a terminal only."""

import io
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24.cli import progress
from crisps24.cli.program import main
from crisps24.cli.progress import progress_bar
from crisps24.messages.languages import LANGUAGES
from crisps24.rules.work import Budget
from tests.cli.test_screen import all_of
from tests.commands import Run
from tests.extras import skip_without_extra
from tests.sampling import in_one_test
from tests.waiting import wait_until


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def message(self) -> list[str]:
        """Return the successive contents of the line, without control sequences."""
        plain = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", self.getvalue())
        return [line.rstrip() for line in re.split("[\r\n]+", plain) if line.strip()]


def bar_output(label: str, total: int, columns: int, steps: list[int]) -> list[str]:
    terminal = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", terminal)
        patch.setattr(shutil, "get_terminal_size", lambda *_: os.terminal_size((columns, 24)))
        with progress_bar(label, total) as advance:
            assert advance is not None
            for done in steps:
                advance(done)
    return terminal.message()


NAMES = st.integers(0, 90).map(lambda size: ("rows of it " * 9)[:size])
STEPS = st.lists(st.integers(0, 10**7), min_size=1, max_size=5)


@given(NAMES, st.integers(1, 10**9), st.integers(50, 120), STEPS)
def test_bar_fits_the_terminal(label: str, total: int, columns: int, steps: list[int]) -> None:
    output = bar_output(label, total, columns, steps)
    assert max(map(len, output)) <= columns
    assert all(re.search(r"\[[#-]{4,}\] +[0-9]+/[0-9]+", line) for line in output)


@given(NAMES.filter(bool), st.integers(50, 120))
def test_label_is_shortened_to_the_width_of_the_terminal(name: str, columns: int) -> None:
    [line, *_] = bar_output(name, 100, columns, [1])
    # The label has the columns without position, time, brackets and a bar of 8.
    width = columns - len("100/100") - len("  [] 00:00:00  ") - 8
    label = name if len(name) <= width else name[: width - 1] + "…"
    assert line.partition("  [")[0].strip() == label.strip()


def test_no_bar_if_hidden_or_not_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for shown, terminal in ((False, Terminal()), (True, io.StringIO())):
        monkeypatch.setattr(sys, "stderr", terminal)
        with progress_bar("rows", 5, shown=shown) as advance:
            assert advance is None
        assert terminal.getvalue() == ""


def test_small_file_has_no_progress_bar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for words, shown in (("143", False), ("24", False), ("143 24", True)):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        assert main(["results", *words.split(), "--dir", str(tmp_path)]) == 0
        assert bool(terminal.getvalue()) == shown, words


# The pairs of a count are an estimate.
@in_one_test(
    ("call", "least_share"),
    ("count 24 --length 8", 0.5),
    ("equations --guess 9*8-7=65 --seen gyybbgyb --best", 1),
)
def test_long_search_has_a_bar_unless_refused(call: str, least_share: float, run: Run) -> None:
    bars: list[tuple[int, bool, list[int]]] = []

    @contextmanager
    def bar(_what: str, total: int, *, shown: bool) -> Iterator[Callable[[int], object]]:
        bars.append((total, shown, []))
        yield bars[-1][2].append

    with pytest.MonkeyPatch.context() as patch:
        for name in ("crisps24.cli.rows", "crisps24.cli.equations"):
            patch.setattr(f"{name}.progress_bar", bar)
            patch.setattr(f"{name}._MIN_PAIRS_FOR_PROGRESS", 1)
        assert run(f"{call} --work none").status == 0
        pairs = bars[0][0]
        assert [run(f"{call} --work {work}").status for work in (pairs, pairs - 1)] == [0, 2]
    assert [shown for _, shown, _ in bars] == [True, True, False]
    assert pairs * least_share <= sum(bars[0][2]) <= pairs


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
    lines = {line.describe(7) for meta[progress.LANGUAGE_KEY] in LANGUAGES.values()}
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
