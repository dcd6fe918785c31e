"""What a progress bar tells: how far it is, how fast it goes, and never more than fits."""

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
from crisps24.cli.screen import progress_bar


class Terminal(io.StringIO):
    """What a terminal is sent."""

    def isatty(self) -> bool:
        return True

    def told(self) -> list[str]:
        """Return what stood in its line, one after the other, without what it obeys."""
        plain = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", self.getvalue())
        return [each.rstrip() for each in re.split("[\r\n]+", plain) if each.strip()]


def told_of(what: str, total: int, columns: int, steps: list[tuple[int, float]]) -> list[str]:
    """Return what a bar shows that is told of so much done, after so many seconds each."""
    terminal, clock = Terminal(), [100.0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", terminal)
        size = os.terminal_size((columns, 24))
        patch.setattr(shutil, "get_terminal_size", lambda *_: size)
        patch.setattr(time, "monotonic", lambda: clock[0])
        with progress_bar(what, total) as advance:
            assert advance is not None
            for done, seconds in steps:
                clock[0] += seconds
                advance(done)
    return terminal.told()


@given(
    st.integers(0, 90).map(lambda size: ("rows of it " * 9)[:size]),
    st.integers(1, 10**9),
    st.integers(50, 120),
    st.lists(st.tuples(st.integers(0, 10**7), st.floats(0, 50)), min_size=1, max_size=5),
)
def test_no_line_is_wider_than_the_terminal(
    what: str, total: int, columns: int, steps: list[tuple[int, float]]
) -> None:
    told = told_of(what, total, columns, steps)
    assert max(map(len, told)) <= columns
    assert all(re.search(r"\[[#-]{4,}\] +[0-9]+/[0-9]+", line) for line in told)


@given(st.integers(1, 90).map(lambda size: ("rows of it " * 9)[:size]), st.integers(50, 120))
def test_what_is_done_is_told_whole_where_there_is_room_and_as_far_as_there_is(
    what: str, columns: int
) -> None:
    [line, *_] = told_of(what, 100, columns, [(1, 0)])
    # The position of a hundred, the time, the brackets and a bar of eight.
    width = columns - len("100/100") - len("  [] 00:00:00  ") - 8
    label = what if len(what) <= width else what[: width - 1] + "…"
    assert line.partition("  [")[0].strip() == label.strip()


def test_the_rate_is_of_what_was_done_since_the_first_was_told() -> None:
    # A thousand may have been done by an earlier run; ten take two seconds, then forty four more.
    told = told_of("rows", 2000, 80, [(1000, 0), (10, 2), (40, 4), (1, 1)])
    labels = [line.partition("  [")[0] for line in told]
    assert labels[:2] == ["rows", "rows"]
    assert "rows, 5 a second" in labels
    assert labels[-1] == "rows, 8 a second"
    assert [int(line.rpartition(" ")[2].partition("/")[0]) for line in told] == sorted(
        int(line.rpartition(" ")[2].partition("/")[0]) for line in told
    )
    assert told[-1].endswith("1051/2000")


def test_no_rate_is_told_of_the_first_second_and_none_that_has_no_room() -> None:
    quick = told_of("rows", 2000, 80, [(1000, 0), (10, 0.5), (10, 0.5), (1, 0)])
    assert not any("a second" in line for line in quick)
    narrow = told_of("rows of a long name", 2000, 55, [(1, 0), (1000, 2), (1, 1)])
    assert not any("a second" in line for line in narrow)
    wide = told_of("rows of a long name", 2000, 80, [(1, 0), (1000, 2), (1, 1)])
    assert any("rows of a long name, 500 a second" in line for line in wide)


@pytest.mark.parametrize(("shown", "terminal"), [(False, Terminal()), (True, io.StringIO())])
def test_nothing_is_shown_where_nobody_asked_or_looks(
    shown: bool, terminal: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress_bar("rows", 5, shown=shown) as advance:
        assert advance is None
    assert terminal.getvalue() == ""


# The targets, and whether a bar is shown: where it is one file and soon written, none is.
BARS = [("143", False), ("24", False), ("143 24", True)]


@pytest.mark.parametrize(("words", "shown"), BARS)
def test_a_file_that_is_soon_written_has_no_bar(
    words: str, shown: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["results", *words.split(), "--dir", str(tmp_path)]) == 0
    assert bool(terminal.getvalue()) == shown
