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

import pytest

from crisps24 import GAMES
from crisps24.cli.program import main
from crisps24.output.tables import own_formats

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
]


def lines_on_a_terminal(columns: int, *words: str, status: int = 0) -> list[str]:
    """Return the lines sent to a terminal of some columns, without control sequences."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with ThreadPoolExecutor(1) as threads, pytest.MonkeyPatch.context() as patch:
        patch.delenv("COLUMNS", raising=False)
        sent = threads.submit(all_of, master)
        with os.fdopen(slave, "w", encoding="utf-8") as terminal:
            for name in ("stdout", "__stdout__", "stderr"):
                patch.setattr(sys, name, terminal)
            assert main(words) == status
    text = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", sent.result().decode())
    return re.split("[\r\n]+", text)


def all_of(master: int) -> bytes:
    """Return the output of a terminal until its other end closes."""
    sent = b""
    with suppress(OSError):
        while some := os.read(master, 1 << 16):
            sent += some
    os.close(master)
    return sent


@pytest.mark.parametrize("form", [*own_formats(), "github"])
def test_control_characters_are_escaped_on_a_terminal(form: str) -> None:
    hostile = "4 + \x9b31m\x07\u202e3"
    sent = "\n".join(lines_on_a_terminal(80, "check", hostile, "--format", form, status=1))
    assert sent.replace("\n", "").replace("\t", "").isprintable()
    assert "x9b" in sent or "u009b" in sent


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("line", SHOWN)
def test_no_line_of_output_is_wider_than_the_terminal(
    columns: int, line: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    lines = lines_on_a_terminal(columns, *line.split())
    # The terminal wraps the sentence below the table.
    tables = [each for each in lines if not each.startswith("hardest targets")]
    assert max(map(len, tables)) <= columns


def test_wide_terminal_shows_each_row_in_one_line() -> None:
    lines = lines_on_a_terminal(200, "games")
    assert [line.split()[0] for line in lines[2 : 2 + len(GAMES)]] == list(GAMES)


def test_bar_shows_progress_and_ends_full() -> None:
    words = ("survey", "crisps", "--targets", "20..24", "--workers", "1")
    bars = [line for line in lines_on_a_terminal(60, *words) if "hands" in line and "[" in line]
    assert "0/495" in bars[0]
    assert bars[-1].endswith("495/495")
    assert "-" not in bars[-1].partition("[")[2]
