"""Figures of counts, shares and difficulty, in three formats."""

import struct
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crisps24 import GAMES, survey
from crisps24.cli.program import main
from crisps24.output import plots
from tests.sampling import in_one_test
from tests.tables import cells_of

# The first bytes of a file of each format.
MAGIC = {"png": b"\x89PNG\r\n\x1a\n", "svg": b"<?xml", "pdf": b"%PDF-"}


class Figures(list[Any]):
    """Figures that are collected instead of saved; other tests read saved files."""

    @property
    def axes(self) -> Any:
        [axes] = self[-1].axes
        return axes

    @property
    def labels(self) -> tuple[str, str, str]:
        return self.axes.get_title(), self.axes.get_xlabel(), self.axes.get_ylabel()

    @property
    def texts(self) -> list[str]:
        return [text.get_text() for text in self.axes.texts]

    @property
    def legend(self) -> list[str]:
        return [text.get_text() for text in self.axes.get_legend().get_texts()]

    def gridded(self, which: str) -> bool:
        return any(line.get_visible() for line in getattr(self.axes, f"get_{which}gridlines")())

    def ticks(self, which: str) -> list[str]:
        self[-1].draw_without_rendering()
        axis = getattr(self.axes, f"{which}axis")
        first, last = sorted(axis.get_view_interval())
        inside = [tick for tick in axis.get_major_ticks() if first <= tick.get_loc() <= last]
        return [tick.label1.get_text() for tick in inside]


# Figures are kept instead of saved, or the folder has the only file.
PATH = Path("figure.svg")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> Figures:
    module = pytest.importorskip("matplotlib.figure", reason="the extra crisps24[plot] is missing")
    kept = Figures()
    monkeypatch.setattr(module.Figure, "savefig", lambda figure, *_, **__: kept.append(figure))
    return kept


@pytest.fixture
def _matplotlib() -> None:
    pytest.importorskip("matplotlib", reason="the extra crisps24[plot] is missing")


@pytest.mark.usefixtures("figures")
@in_one_test(
    ("line", "name"),
    ("count 0..9 --plot", "a.svg"),
    ("survey crisps --targets 20..30 --plot", "b.svg"),
    ("survey crisps --length 2 --difficulty --plot", "c.svg"),
    ("survey crisps --target 24 --answers", "d.tsv"),
)
def test_overwriting_is_reported(line: str, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for old in (None, "equal", "other"):
        if old == "other":
            Path(name).write_text(old)
        assert main([*line.split(), name]) == 0
        assert (f"replaced {name}\n" in capsys.readouterr().err) == (old == "other")


@pytest.mark.usefixtures("_matplotlib")
@pytest.mark.parametrize("form", MAGIC)
def test_figure_has_the_format_of_its_suffix_and_is_reproducible(form: str) -> None:
    first, second = Path(f"first.{form}"), Path(f"second.{form.upper()}")
    for path in (first, second):
        assert main(["count", "0..9", "--plot", str(path)]) == 0
    contents = first.read_bytes()
    assert contents.startswith(MAGIC[form])
    assert len(contents) > 3000
    assert contents == second.read_bytes()
    assert {*Path().iterdir()} == {first, second}
    # The file contains no date.
    assert b"<dc:date>" not in contents
    assert b"/CreationDate" not in contents


def test_figure_names_its_lines_and_that_of_all_hands(figures: Figures) -> None:
    main(["survey", "crisps", "digits", "--targets", "0..9", "--plot", "figure.svg"])
    assert figures.legend == ["crisps, 495 hands", "digits, 495 hands", "all hands"]
    assert figures.axes.get_lines()[-1].get_linestyle() == "--"
    plots.plot_counts({1: 2, Fraction(3, 2): 5}, PATH, "a title")
    assert figures.axes.get_title() == "a title, targets 1..3/2"


@pytest.mark.usefixtures("_matplotlib")
def test_line_of_a_survey_direct_or_stored_is_the_share_of_hands() -> None:
    for line in (
        "survey crisps --targets 20..30 --out a.sqlite --plot direct.svg",
        "survey --from a.sqlite --plot later.svg",
    ):
        assert main(line.split()) == 0
    rows = survey("crisps", range(20, 31)).by_target()
    shares = [row["solvable"] / 495 for row in rows]
    title = "crisps: hands that make 20..30"
    plots.plot_shares([plots.Curve("crisps, 495 hands", range(20, 31), shares)], PATH, title, 24)
    drawn = [Path(name).read_bytes() for name in ("direct.svg", "later.svg", PATH)]
    assert drawn == drawn[:1] * 3


def test_counts_are_points_on_an_axis_from_0(figures: Figures) -> None:
    counts: dict[int | Fraction, int] = {target: target * 7 for target in range(9)}
    plots.plot_counts(counts, PATH, "a title", 24)
    axes = figures.axes
    [line] = axes.get_lines()
    assert line.get_xydata().tolist() == [[target, target * 7] for target in range(9)]
    assert (line.get_marker(), line.get_linestyle(), line.get_markersize()) == (".", "None", 3)
    assert figures.labels == ("a title, targets 0..8", "target", "combinations")
    assert (axes.get_xscale(), axes.get_yscale(), axes.get_ylim()[0]) == ("linear", "linear", 0)
    assert (figures.gridded("x"), figures.gridded("y")) == (True, True)
    assert figures.ticks("x") == [*"012345678"]
    assert not axes.texts
    assert tuple(figures[-1].get_size_inches()) == (9, 5)


def test_wide_range_of_counts_has_a_logarithmic_scale_with_tick_10(figures: Figures) -> None:
    plots.plot_counts({1: 101, 2: 1, 3: 0, 4: 5000}, PATH, "a title")
    assert (figures.axes.get_xscale(), figures.axes.get_yscale()) == ("linear", "log")
    assert figures.axes.get_ylim() == (0.5, 10_000)
    assert figures.ticks("y") == ["1", "10", "100", "1,000", "10,000"]
    assert figures.axes.get_ylabel() == "combinations, where there are any"
    for most, least, scale in ((101, 1, "log"), (100, 1, "linear"), (0, 0, "linear")):
        plots.plot_counts({1: most, 2: least}, PATH, "a title")
        assert (figures.axes.get_ylabel(), figures.axes.get_yscale()) == ("combinations", scale)


def test_single_target_is_a_bar_from_0(figures: Figures) -> None:
    plots.plot_counts({24: 2374}, PATH, "a title", 24)
    axes = figures.axes
    [bar] = axes.patches
    assert (bar.get_height(), bar.get_y()) == (2374, 0)
    assert (figures.texts, figures.ticks("x")) == (["2,374"], ["24"])
    assert (axes.get_xlim(), axes.get_ylim()) == ((-1, 1), (0, pytest.approx(2374 * 1.1)))
    assert axes.get_title() == "a title, target 24"
    assert not axes.get_lines()
    assert (figures.gridded("x"), figures.gridded("y")) == (False, True)


def test_single_target_of_several_surveys_has_one_bar_per_survey(figures: Figures) -> None:
    lines = [plots.Curve("one", [7], [0.25]), plots.Curve("two", [7], [0.5])]
    plots.plot_shares(lines, PATH, "a title")
    assert [bar.get_height() for bar in figures.axes.patches] == [0.25, 0.5]
    assert (figures.texts, figures.ticks("x")) == (["25.00%", "50.00%"], ["one", "two"])
    assert figures.labels[1:] == ("target 7", "share of hands that make it")
    assert figures.axes.get_ylim() == (0, pytest.approx(0.55))
    assert figures.ticks("y")[:2] == ["0%", "10%"]
    plots.plot_shares([plots.Curve("none", [7], [0.0])], PATH)
    assert figures.axes.get_ylim() == (0, 1)


@in_one_test(
    ("shares", "limits", "label_end"),
    *(([0.0, 1.0], (0, 1.05), ""), ([0.5, 1.0], (0, 1.05), "")),
    *(([0.68, 0.99], (0.65, 1.0175), " (from 65%)"), ([0.7, 0.99], (0.65, 1.0175), " (from 65%)")),
    *(([1.0, 1.0], (0.95, 1.0025), " (from 95%)"), ([0.1, 0.51], (0, 1.05), "")),
    *(([0.1, 0.44], (0, 0.45), ""), ([0.1, 0.5], (0, 0.55), ""), ([0.0, 0.0], (0, 0.05), "")),
)
def test_axis_of_shares_starts_near_the_smallest_share_and_says_so(
    figures: Figures, shares: list[float], limits: tuple[float, float], label_end: str
) -> None:
    plots.plot_shares([plots.Curve("one", [1, 2], shares)], PATH)
    axes = figures.axes
    assert axes.get_ylim() == pytest.approx(limits)
    assert axes.get_ylabel() == f"share of hands that make it{label_end}"
    # The line of all hands is drawn if it is in the range.
    assert len(axes.get_lines()) == 1 + (limits[1] > 1)


def test_target_is_highlighted_if_it_is_in_range(figures: Figures) -> None:
    share = [1 / (1 + target) for target in range(20, 31)]
    for mark, marked in ((24, True), (20, True), (30, True), (19, False)):
        plots.plot_shares([plots.Curve("one", range(20, 31), share)], PATH, "", mark)
        for _ in range(2):
            assert figures.texts == [str(mark)] * marked
            places = [line.get_xdata() for line in figures.axes.get_lines()[1:]]
            assert [set(place) for place in places] == [{mark}] * marked
            plots.plot_counts({20: 5, 30: 2}, PATH, "", mark)
    plots.plot_counts({20: 5, 30: 2}, PATH, "a title")
    assert not figures.axes.texts
    plots.plot_counts({}, PATH, "a title", 24)
    assert figures.axes.get_title() == "a title, target none"


@in_one_test(("line", "shown"), *cells_of("plots.txt"))
def test_title_names_game_rules_and_targets_and_the_target_is_highlighted(
    figures: Figures, line: str, shown: str
) -> None:
    assert main([*line.split(), "--plot", "figure.png"]) == 0
    title, _, label = figures.labels
    assert " | ".join([title, label, *figures.texts]) == shown


def test_levels_are_stacked_in_bins_of_half_a_bit_in_darker_greys(figures: Figures) -> None:
    bits = {"level 1": [-0.2, 0.1, 0.4], "level 2": [0.4, 2.0]}
    plots.plot_levels(bits, PATH, "a title")
    assert figures.labels == ("a title", "bits: one more is found half as often", "hands")
    first, second = figures.axes.containers
    assert [bar.get_x() for bar in first] == [-1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    assert [bar.get_height() for bar in first] == [0, 1, 2, 0, 0, 0, 0, 0]
    assert [bar.get_height() for bar in second] == [0, 0, 1, 0, 0, 0, 1, 0]
    assert [bar.get_y() for bar in second][2] == 2
    light, dark = (bars[0].get_facecolor()[0] for bars in (first, second))
    assert (light, dark) == (pytest.approx(0.8), pytest.approx(0.2))
    assert {*figures.legend} == {"level 1: 3 hands", "level 2: 2 hands"}
    assert figures.ticks("y") == ["0", "1", "2", "3"]
    assert (figures.gridded("x"), figures.gridded("y")) == (False, True)
    plots.plot_levels({}, PATH, "a title")
    assert figures.axes.get_legend() is None


def test_difficulty_of_target_is_a_line_of_three_fifths_and_a_median(figures: Figures) -> None:
    bits = [[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [], [7.0]]
    plots.plot_bits(range(5, 8), bits, PATH, "a title", 6)
    assert figures.labels == ("a title", "target", "bits: one more is found half as often")
    [spans] = figures.axes.collections
    [first, _, last] = [path.vertices.tolist() for path in spans.get_paths()]
    assert (first, last) == ([[5, 1.0], [5, 4.0]], [[7, 7.0], [7, 7.0]])
    points = figures.axes.lines[0].get_xydata().tolist()
    assert (points[0], points[2]) == ([5, 2.5], [7, 7.0])
    assert figures.legend == ["three fifths of the hands", "the hand in the middle"]
    assert (figures.texts, figures.ticks("x")) == (["6"], ["5", "6", "7"])
    plots.plot_bits(range(5, 7), [[], []], PATH, "unreachable targets")
    assert figures.axes.get_title() == "unreachable targets"


def test_picture_is_1350_by_750_and_needs_no_screen() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    before = matplotlib.get_backend()
    matplotlib.use("svg")
    try:
        plots.plot_counts({1: 2, 2: 3}, Path("figure.png"), "a title")
        # The backend of the caller, such as that of a notebook, is unchanged.
        assert matplotlib.get_backend().lower() == "svg"
    finally:
        matplotlib.use(before)
    assert struct.unpack(">II", Path("figure.png").read_bytes()[16:24]) == (1350, 750)


def test_distances_have_a_line_for_each_number_of_large_tiles(figures: Figures) -> None:
    line = "survey countdown --length 3 --targets 101..120 --distances 3 --plot figure.svg"
    assert main(line.split()) == 0
    axes = figures.axes
    # A line, and a dot for all larger distances.
    lines, rests = axes.get_lines()[::2], axes.get_lines()[1::2]
    rows = survey(replace(GAMES["countdown"], length=3), range(98, 124)).distances(3).by_large()
    for name, line, rest in zip("0123", lines, rests, strict=True):
        shares = [row["share"] or np.nan for row in rows if row["large"] == name]
        np.testing.assert_array_equal(line.get_ydata(), shares[:-1])
        np.testing.assert_array_equal(rest.get_ydata(), shares[-1:])
        assert [each.get_xdata().tolist() for each in (line, rest)] == [[0, 1, 2, 3], [4]]
        assert (rest.get_color() == line.get_color()).all()
        assert rest.get_marker() == line.get_marker()
    assert len({line.get_marker() for line in lines}) == 4
    # The lines also differ in a grey picture.
    greys = [np.dot(line.get_color()[:3], (0.299, 0.587, 0.114)) for line in lines]
    assert min(np.diff(greys)) > 0.1
    counts = (210, 220, 60, 4)
    assert figures.legend == [f"{large} large: {count} hands" for large, count in enumerate(counts)]
    assert figures.labels == (
        "countdown (3 numbers): distance of the closest value from 101..120",
        *("distance of the closest value", "share of pairs (hand, target)"),
    )
    assert axes.get_yscale() == "log"
    assert figures.ticks("x") == ["0", "1", "2", "3", "4+"]
    assert {"1%", "10%", "100%"} >= set(figures.ticks("y")) >= {"10%", "100%"}
