"""Progress bars: position, rate, and a width that fits the terminal."""

import io
import os
import re
import shutil
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def bar_output(label: str, total: int, columns: int, steps: list[tuple[int, float]]) -> list[str]:
    """Return the output of a bar after reports of progress at given seconds."""
    terminal, clock = Terminal(), [100.0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", terminal)
        size = os.terminal_size((columns, 24))
        patch.setattr(shutil, "get_terminal_size", lambda *_: size)
        patch.setattr(time, "monotonic", lambda: clock[0])
        with progress_bar(label, total) as advance:
            assert advance is not None
            for done, seconds in steps:
                clock[0] += seconds
                advance(done)
    return terminal.message()


@given(
    st.integers(0, 90).map(lambda size: ("rows of it " * 9)[:size]),
    st.integers(1, 10**9),
    st.integers(50, 120),
    st.lists(st.tuples(st.integers(0, 10**7), st.floats(0, 50)), min_size=1, max_size=5),
)
def test_progress_bar_fits_the_terminal(
    label: str, total: int, columns: int, steps: list[tuple[int, float]]
) -> None:
    output = bar_output(label, total, columns, steps)
    assert max(map(len, output)) <= columns
    assert all(re.search(r"\[[#-]{4,}\] +[0-9]+/[0-9]+", line) for line in output)


@given(st.integers(1, 90).map(lambda size: ("rows of it " * 9)[:size]), st.integers(50, 120))
def test_label_is_shortened_to_the_width_of_the_terminal(name: str, columns: int) -> None:
    [line, *_] = bar_output(name, 100, columns, [(1, 0)])
    # The label has the columns without position, time, brackets and a bar of 8.
    width = columns - len("100/100") - len("  [] 00:00:00  ") - 8
    label = name if len(name) <= width else name[: width - 1] + "…"
    assert line.partition("  [")[0].strip() == label.strip()


def test_rate_excludes_the_first_report() -> None:
    # An earlier run may have done the first 1,000; then 10 take 2 seconds, and 40 take 4.
    output = bar_output("rows", 2000, 80, [(1000, 0), (10, 2), (40, 4), (1, 1)])
    labels = [line.partition("  [")[0] for line in output]
    assert labels[:2] == ["rows", "rows"]
    assert "rows, 5 a second" in labels
    assert labels[-1] == "rows, 8 a second"
    assert [int(line.rpartition(" ")[2].partition("/")[0]) for line in output] == sorted(
        int(line.rpartition(" ")[2].partition("/")[0]) for line in output
    )
    assert output[-1].endswith("1051/2000")


def test_rate_is_shown_after_a_second_if_it_fits() -> None:
    quick = bar_output("rows", 2000, 80, [(1000, 0), (10, 0.5), (10, 0.5), (1, 0)])
    assert not any("a second" in line for line in quick)
    narrow = bar_output("rows of a long name", 2000, 55, [(1, 0), (1000, 2), (1, 1)])
    assert not any("a second" in line for line in narrow)
    wide = bar_output("rows of a long name", 2000, 80, [(1, 0), (1000, 2), (1, 1)])
    assert any("rows of a long name, 500 a second" in line for line in wide)


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
