"""Progress bars: position, rate, and a width that fits the terminal."""

import io
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24.cli.program import main
from crisps24.cli.progress import progress_bar
from tests.commands import Run
from tests.sampling import in_one_test


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
        size = os.terminal_size((columns, 24))
        patch.setattr(shutil, "get_terminal_size", lambda *_: size)
        with progress_bar(label, total) as advance:
            assert advance is not None
            for done in steps:
                advance(done)
    return terminal.message()


@given(
    st.integers(0, 90).map(lambda size: ("rows of it " * 9)[:size]),
    st.integers(1, 10**9),
    st.integers(50, 120),
    st.lists(st.integers(0, 10**7), min_size=1, max_size=5),
)
def test_bar_fits_the_terminal(label: str, total: int, columns: int, steps: list[int]) -> None:
    output = bar_output(label, total, columns, steps)
    assert max(map(len, output)) <= columns
    assert all(re.search(r"\[[#-]{4,}\] +[0-9]+/[0-9]+", line) for line in output)


@given(st.integers(1, 90).map(lambda size: ("rows of it " * 9)[:size]), st.integers(50, 120))
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
