"""Output at terminals of 60, 80 and 100 columns: no line is wider."""

import fcntl
import os
import pty
import re
import struct
import sys
import termios
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from crisps24 import GAMES
from crisps24.cli.program import main
from crisps24.output.tables import own_formats
from tests.cli.conftest import text_of
from tests.commands import Run
from tests.sampling import in_one_test

WIDTHS = [60, 80, 100]
SHOWN = [
    "games",
    "solve 2 5 8 10 25 75 --game countdown --target 431 --all --steps",
    "survey crisps digits --targets 22..24",
    "survey cards --targets 20..40 --workers 1",
    "reach 2 5 8 10 25 75 --game numble --ways --targets 101..105",
    "survey cards --difficulty",
    "survey crisps --targets 20..22 --difficulty --by hand",
    "survey crisps --targets 20..22 --difficulty --by target",
    "survey countdown --length 4 --targets 101..120 --distances",
    "results 0..9 --dir folder-with-quite-a-long-name-for-results-of-all-kinds",
    "judge --file answers",
    "audit answers --solutions",
]
HOSTILE = "\x1b[31m\x07\u202e\x9b31m"
PUZZLE = {"nums": [3, 3, 8, 8], "target": 24, "answer": "8 * 3", "text": "3 x 3 x 8 x 8 + 100"}
FILES: dict[str, list[Any]] = {
    "answers": [PUZZLE | {"name": f"a person with a long name {line}"} for line in range(3)],
    "hostile": [
        PUZZLE | {"name": HOSTILE, "text": f"3 x {HOSTILE}", HOSTILE: 8},
        {"game": HOSTILE},
    ],
    "puzzles": [{"nums": HOSTILE, "target": 3, "answer": "\x9b31m"}, PUZZLE, "# comment"],
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, lines in FILES.items():
        Path(name).write_text(text_of(lines))


def lines_on_a_terminal(columns: int, *words: str, typed: str = "") -> list[str]:
    """Return the lines sent to a terminal of some columns, without control sequences."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with ThreadPoolExecutor(1) as threads, pytest.MonkeyPatch.context() as patch:
        patch.delenv("COLUMNS", raising=False)
        os.write(master, typed.encode())
        sent = threads.submit(all_of, master)
        keyboard = os.fdopen(os.dup(slave), encoding="utf-8")
        with keyboard, os.fdopen(slave, "w", encoding="utf-8") as terminal:
            patch.setattr(sys, "stdin", keyboard)
            for name in ("stdout", "__stdout__", "stderr"):
                patch.setattr(sys, name, terminal)
            assert main(words) in (0, 1, 2)
    return re.split("[\r\n]+", re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", sent.result().decode()))


def all_of(master: int) -> bytes:
    """Return the output of a terminal until its other end closes."""
    sent = b""
    with suppress(OSError):
        while some := os.read(master, 1 << 16):
            sent += some
    os.close(master)
    return sent


@in_one_test("line", "judge --file hostile", "audit puzzles", f"check 4+{HOSTILE}")
@in_one_test("form", *own_formats(), "github")
def test_control_characters_are_escaped_on_a_terminal(form: str, line: str) -> None:
    sent = "\n".join(lines_on_a_terminal(80, *line.split(), "--format", form))
    assert sent.replace("\n", "").replace("\t", "").isprintable()
    assert "x1b[31m" in sent or "u001b[31m" in sent


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("line", SHOWN)
def test_no_line_of_output_is_wider_than_the_terminal(columns: int, line: str) -> None:
    lines = lines_on_a_terminal(columns, *line.split())
    # The terminal wraps the sentence below the table.
    widths = [len(each) for each in lines if not each.startswith("hardest targets")]
    assert (len(widths) > 3, max(widths) <= columns) == (True, True)


def test_wide_terminal_shows_each_row_in_one_line() -> None:
    lines = lines_on_a_terminal(200, "games")
    assert [line.split()[0] for line in lines[2 : 2 + len(GAMES)]] == list(GAMES)


@in_one_test(
    ("line", "count"),
    ("survey crisps --targets 20..24 --workers 1", "495/495"),
    ("audit puzzles", "2/2"),
)
def test_bar_shows_progress_and_ends_full(line: str, count: str) -> None:
    bars = [each for each in lines_on_a_terminal(60, *line.split()) if re.search(r"\[[#-]", each)]
    assert re.search("hands|puzzles", bars[0])
    assert bars[-1].endswith(count)
    assert "-" not in bars[-1].partition("[")[2]


@pytest.mark.parametrize("columns", [10, 30, 47, 80])
def test_reach_wraps_between_numbers(capsys: pytest.CaptureFixture[str], columns: int) -> None:
    words = ["reach", "2", "5", "8", "--game", "cards", "--targets", "0..90"]
    main(words)
    reached, missed = capsys.readouterr().out.splitlines()
    lines = [line for line in lines_on_a_terminal(columns, *words) if line]
    assert "".join(line[9:] for line in lines) == reached[9:] + missed[9:]
    assert [line[:9] for line in lines if line[0] != " "] == ["reached  ", "missed   "]
    assert max(map(len, lines)) <= max(columns, 29)
    assert all(line.endswith(",") for line in lines if not line.endswith(("80", "90")))


@in_one_test(
    "words",
    *(f"solve {form}--file lines" for form in ("", "--format json ")),
    *(f"judge {form}--file lines" for form in ("", "--format jsonl ")),
    *("mark lines --out a.csv", "check --file lines", "deal cards --file lines"),
    *("check --card '1 2' --format csv --file lines", "play cards --file lines"),
)
def test_complaints_about_a_file_have_a_limit(words: str, run: Run) -> None:
    Path("lines").write_text('{"nums": []}\n' * 25)
    ran = run(words)
    said = [line for line in ran.err.splitlines() if line.startswith("crisps24: ")]
    assert (ran.status, " line 20: " in said[19], said[20]) == (2, True, "crisps24: and 5 more")


def test_formulas_that_are_marked_have_a_limit(run: Run) -> None:
    Path("lines").write_text("3 +\n" * 25)
    lines = run("check --file lines").err.splitlines()
    assert (lines.count("3 +"), lines[-1]) == (20, "crisps24: and 5 more")
