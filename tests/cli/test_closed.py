"""Output to a closed pipe: status 141 and no error message."""

import io
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from crisps24.cli.program import main

# A call, and the start of its output on stderr.
CALLS: list[tuple[str, str]] = [
    *((call, "") for call in ("count 24", "games", "check '1 + 1 = 2'", "formulas 6561")),
    ("check '1 + 1 = 2' --format jsonl", ""),
    *((call, "") for call in ("equations", "equations --count", "check '1 + 1 = 3'")),
    ("solve '4 _ 3 _ 8 _ 4 = 24' --format jsonl", ""),
    ("check '1 + 1 = 3' --format jsonl", ""),
    ("check --file lines --format csv", "crisps24: line 2: "),
    ("check --file lines", "crisps24: line 2: "),
    *((call, "") for call in ("verify results.1", "judge '3 x 8' --card cards:3.8=24")),
    ("judge --file said --format csv --game cards", ""),
    *((call, "") for call in ("audit said --game cards", "deal cards", "play cards --seed 1")),
    ("deal cards --out rows.csv", ""),
    ("sheet cards --out cards.svg --class class.csv", ""),
    ("quiz cards --out quiz.gift", ""),
    ("mark said --game cards --out marks.csv", ""),
]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lines").write_text('1 + 1 = 2\n{"formula": 5}\n')
    Path("results.1").write_text("")
    Path("said").write_text("hand,answer\n3 8,3 x 8\n")


def open_closed_pipe() -> int:
    reading, writing = os.pipe()
    os.close(reading)
    return writing


@pytest.mark.parametrize(("call", "start"), CALLS)
def test_closed_pipe_ends_a_call(call: str, start: str, capsys: pytest.CaptureFixture[str]) -> None:
    # Closing the stream flushes it, as at the end of a program.
    with pytest.MonkeyPatch.context() as patch, os.fdopen(open_closed_pipe(), "w") as unread:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
        patch.setattr(sys, "stdout", unread)
        assert main(shlex.split(call)) == 141
    err = capsys.readouterr().err
    assert (err[: len(start)], err.count("\n")) == (start, bool(start))


# A call that prints immediately, one that prints at its end, and one that prints an error.
@pytest.mark.parametrize(("call", "start"), [CALLS[index] for index in (4, 3, 11)])
def test_closed_pipe_ends_a_process_without_an_error(call: str, start: str) -> None:
    writing = open_closed_pipe()
    command = [sys.executable, "-m", "crisps24", *shlex.split(call)]
    try:
        ran = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writing)
    found = (ran.returncode, ran.stderr[: len(start)], ran.stderr.count("\n"))
    assert found == (141, start, bool(start))
