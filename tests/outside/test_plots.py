"""Figures: made of counts and of shares, in three formats, and refused before any work."""

import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from crisps24 import survey
from crisps24.cli.program import main
from crisps24.outside.plots import Line, plot_counts, plot_shares

# What a file of each format begins with.
MAGIC = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<?xml", "pdf": b"%PDF-"}
COMMANDS = [
    ["count", "0..50"],
    ["count", "all"],
    ["survey", "crisps", "--targets", "0..30"],
    ["survey", "crisps", "digits", "--targets", "20..30"],
    ["survey", "digits", "--targets", "0..300"],
]


@pytest.fixture
def _matplotlib() -> None:
    pytest.importorskip("matplotlib", reason="the extra crisps24[plot] is missing")


@pytest.mark.usefixtures("_matplotlib")
@pytest.mark.parametrize("form", MAGIC)
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_figure_is_made_in_the_format_of_its_name(
    tmp_path: Path, words: Sequence[str], form: str
) -> None:
    path = tmp_path / f"figure.{form}"
    assert main([*words, "--plot", str(path)]) == 0
    contents = path.read_bytes()
    assert contents.startswith(MAGIC[form])
    assert len(contents) > 3000
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.usefixtures("_matplotlib")
def test_a_format_in_capitals_is_one_too(tmp_path: Path) -> None:
    path = tmp_path / "figure.PNG"
    assert main(["count", "0..9", "--plot", str(path)]) == 0
    assert path.read_bytes().startswith(MAGIC["png"])


@pytest.mark.usefixtures("_matplotlib")
@pytest.mark.parametrize("form", MAGIC)
@pytest.mark.parametrize("words", COMMANDS[1:3], ids=" ".join)
def test_the_same_figure_twice_is_the_same_file(
    tmp_path: Path, words: Sequence[str], form: str
) -> None:
    first, second = tmp_path / f"first.{form}", tmp_path / f"second.{form}"
    for path in (first, second):
        assert main([*words, "--plot", str(path)]) == 0
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.usefixtures("_matplotlib")
def test_a_survey_is_drawn_with_its_name_and_the_line_of_all_hands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import matplotlib as mpl

    monkeypatch.setitem(mpl.rcParams, "svg.fonttype", "none")
    path = tmp_path / "figure.svg"
    assert main(["survey", "crisps", "digits", "--targets", "0..9", "--plot", str(path)]) == 0
    drawn = path.read_text()
    for text in ("crisps, 495 hands", "digits, 495 hands", "all hands", "target"):
        assert f">{text}<" in drawn
    assert "stroke-dasharray" in drawn


@pytest.mark.usefixtures("_matplotlib")
def test_a_figure_is_drawn_of_plain_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import matplotlib as mpl

    monkeypatch.setitem(mpl.rcParams, "svg.fonttype", "none")
    path = tmp_path / "figure.svg"
    lines = [Line("one line", range(3), [0.0, 0.25, 1.0]), Line("another", [0, 7], [0.5, 0.5])]
    plot_shares(lines, path)
    drawn = path.read_text()
    for text in ("one line", "another", "all hands", "share of hands that make it"):
        assert f">{text}<" in drawn
    plot_counts({1: 2, Fraction(3, 2): 5}, path, "a title")
    assert ">a title<" in path.read_text()


@pytest.mark.usefixtures("_matplotlib")
def test_the_line_of_a_survey_is_the_share_of_its_hands(tmp_path: Path) -> None:
    told, plain = tmp_path / "told.svg", tmp_path / "plain.svg"
    assert main(["survey", "crisps", "--targets", "20..30", "--plot", str(told)]) == 0
    rows = survey("crisps", range(20, 31)).by_target()
    shares = [row["solvable"] / 495 for row in rows]
    plot_shares([Line("crisps, 495 hands", range(20, 31), shares)], plain)
    assert plain.read_bytes() == told.read_bytes()


@pytest.mark.usefixtures("_matplotlib")
def test_targets_that_no_hand_makes_are_left_out_where_there_are_many(tmp_path: Path) -> None:
    made = [float(target % 7 == 0) for target in range(301)]
    every, some = tmp_path / "every.svg", tmp_path / "some.svg"
    plot_shares([Line("a line", range(301), made)], every)
    plot_shares([Line("a line", range(0, 301, 7), [1.0] * 43)], some)
    assert every.read_bytes() == some.read_bytes()


@pytest.mark.usefixtures("_matplotlib")
def test_a_figure_is_drawn_from_a_stored_survey(tmp_path: Path) -> None:
    store, direct, later = (tmp_path / name for name in ("a.sqlite", "direct.svg", "later.svg"))
    words = ["--targets", "0..9", "--out", str(store), "--plot", str(direct)]
    assert main(["survey", "digits", *words]) == 0
    assert main(["survey", "--from", str(store), "--plot", str(later)]) == 0
    assert later.read_bytes() == direct.read_bytes()


@pytest.fixture
def _idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where anything is worked out."""

    def work(*_: Any, **__: Any) -> None:
        raise AssertionError("nothing is to be worked out")

    monkeypatch.setattr("crisps24.rows.enumeration.counts_by_target", work)
    monkeypatch.setattr("crisps24.surveys.surveys.survey", work)


@pytest.mark.usefixtures("_idle")
@pytest.mark.parametrize("name", ["figure.gif", "figure", "png", "figure.svg.txt"])
@pytest.mark.parametrize("words", [["count", "all"], ["survey"]], ids=" ".join)
def test_a_name_of_another_format_is_refused_before_any_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: Sequence[str], name: str
) -> None:
    path = tmp_path / name
    assert main([*words, "--plot", str(path)]) == 2
    told = f"crisps24: {path}: a figure's name ends in .png, .svg or .pdf\n"
    assert capsys.readouterr() == ("", told)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("_idle")
@pytest.mark.parametrize("words", [["count", "all"], ["survey"]], ids=" ".join)
def test_without_matplotlib_it_says_how_to_install_it_before_any_work(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: Sequence[str],
) -> None:
    missing: Any = None
    monkeypatch.setitem(sys.modules, "matplotlib", missing)
    assert main([*words, "--plot", str(tmp_path / "figure.png")]) == 2
    told = 'crisps24: figures need matplotlib, which is missing: pip install "crisps24[plot]"\n'
    assert capsys.readouterr() == ("", told)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("_matplotlib")
def test_a_figure_in_no_directory_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["count", "24", "--plot", str(tmp_path / "nowhere" / "figure.png")]) == 2
    err = capsys.readouterr().err
    assert err.endswith(": there is no such folder\n")
    assert len(err.splitlines()) == 1
