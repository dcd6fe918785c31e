"""Progress bars: position, rate, and a width that fits the terminal."""

import io
import re
import sys
from pathlib import Path

import pytest

from crisps24.cli.program import main
from crisps24.cli.progress import progress_bar


class Terminal(io.StringIO):
    """The output of a terminal."""

    def isatty(self) -> bool:
        return True

    def message(self) -> list[str]:
        """Return the successive contents of the line, without control sequences."""
        plain = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", self.getvalue())
        return [line.rstrip() for line in re.split("[\r\n]+", plain) if line.strip()]


@pytest.mark.parametrize(("shown", "terminal"), [(False, Terminal()), (True, io.StringIO())])
def test_no_bar_if_hidden_or_not_on_a_terminal(
    shown: bool, terminal: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress_bar("rows", 5, shown=shown) as advance:
        assert advance is None
    assert terminal.getvalue() == ""


# The targets, and whether a bar is shown: a single small file has none.
BARS = [("143", False), ("24", False), ("143 24", True)]


@pytest.mark.parametrize(("words", "shown"), BARS)
def test_small_file_has_no_progress_bar(
    words: str, shown: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["results", *words.split(), "--dir", str(tmp_path)]) == 0
    assert bool(terminal.getvalue()) == shown
