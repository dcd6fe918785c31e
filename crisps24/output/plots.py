"""Figures drawn with matplotlib, which is imported only when it is needed.

Each `plot_` function writes a figure with a title to a path, whose suffix is the format: .png, .svg
or .pdf. The target `mark` is highlighted if it is in the range. All raise RefusedError for another
suffix or without matplotlib, and OSError if the file cannot be written. Equal figures have equal
files.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crisps24.errors import RefusedError
from crisps24.output.atomic_files import check_place, remove_abandoned, replace_file

_Floats = Sequence[float] | npt.NDArray[np.float64]

FORMATS = ("png", "svg", "pdf")
# Width and height of a figure in inches.
_FIGURE_SIZE = (9, 5)
# Above this number of targets, shares are drawn as points without lines.
_MAX_TARGETS_WITH_LINE = 200
# Above this number of targets, points are small.
_MAX_TARGETS_WITH_LARGE_POINTS = 5
# A range with a larger target and small ones gets a logarithmic axis.
_MAX_LINEAR_TARGET = 1000
_TITLE_WIDTH = 80
_BITS_LABEL = "bits: one more is found half as often"
_PERCENTILES = (20, 50, 80)
# Part of the height that stays free above and below the data.
_MARGIN = 0.05
# If all shares are above this one, the axis does not start at 0.
_MIN_UPPER_SHARE = 0.5


_MARKERS = "os^Dv*Pp"


class Curve(NamedTuple):
    """The data of one survey."""

    label: str
    """The name of the line in the legend."""
    targets: Sequence[int]
    """The targets in ascending order."""
    shares: Sequence[float]
    """The share of hands that make each target, from 0 to 1."""


def plot_counts(
    counts: Mapping[int | Fraction, int], path: Path, title: str, mark: int | None = None
) -> None:
    """Draw the number of combinations of each target, whose range is added to the title.

    Each axis is logarithmic if its range is wide; a logarithmic axis of counts has no dots for
    counts of 0. One target is drawn as a bar; without targets the figure is empty.
    """
    if len(counts) > 1:
        target_text = f"targets {min(counts)}..{max(counts)}"
    else:
        target_text = f"target {min(counts, default='none')}"
    with _saved_figure(path, f"{title}, {target_text}") as axes:
        axes.set(xlabel="target", ylabel="combinations")
        if len(counts) == 1:
            [(target, count)] = counts.items()
            _draw_bars(axes, [str(target)], [count], "{:,}")
        elif counts:
            targets = [float(target) for target in counts]
            size = _dot_size(len(targets))
            axes.plot(targets, list(counts.values()), ".", markersize=size, color="tab:blue")
            positive = [count for count in counts.values() if count]
            axes.set_ylim(bottom=0)
            if positive and max(positive) > 100 * min(positive):
                axes.set_yscale("log")
                axes.set_ylim(min(positive) / 2, max(positive) * 2)
                if len(positive) < len(targets):
                    axes.set_ylabel("combinations, where there are any")
            _scale_targets(axes, targets)
            _highlight_target(axes, mark, targets)
        axes.yaxis.set_major_formatter("{x:,.0f}")


def plot_shares(
    lines: Sequence[Curve], path: Path, title: str = "", mark: int | None = None
) -> None:
    """Draw the share of hands that make each target: a line for each survey, a bar for one target.

    A dashed line shows 100 % if a share is above one half; if all are, the axis starts below them.
    """
    with _saved_figure(path, title) as axes:
        from matplotlib import ticker

        if all(len(line.targets) == 1 for line in lines):
            names, shares = [line.label for line in lines], [line.shares[0] for line in lines]
            _draw_bars(axes, names, shares, "{:.2%}")
            axes.set(xlabel=f"target {lines[0].targets[0]}", ylabel="share of hands that make it")
        else:
            _draw_shares(axes, lines)
            _highlight_target(axes, mark, [target for line in lines for target in line.targets])
            axes.legend()
        axes.yaxis.set_major_formatter(ticker.PercentFormatter(1))


def plot_levels(bits: Mapping[str, _Floats], path: Path, title: str, what: str = "hands") -> None:
    """Draw a histogram of the bits of hands, or `what` they are, with a grey for each level."""
    with _saved_figure(path, title) as axes:
        if bits:
            every = np.concatenate([*map(np.asarray, bits.values())])
            axes.hist(
                list(bits.values()),
                bins=np.arange(
                    np.floor(every.min()), np.floor(every.max()) + 1.25, 0.5, dtype=float
                ),
                stacked=True,
                label=[f"{name}: {len(level):,} {what}" for name, level in bits.items()],
                color=[str(grey) for grey in np.linspace(0.8, 0.2, len(bits))],
                edgecolor="black",
                linewidth=0.3,
            )
            axes.legend()
        axes.set(xlabel=_BITS_LABEL, ylabel=what)
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.xaxis.grid(visible=False)


def plot_bits(
    targets: Sequence[int], bits: Sequence[_Floats], path: Path, title: str, mark: int | None = None
) -> None:
    """Draw a dot for the median hand of each target, and a bar for three fifths of its hands."""
    gap = [np.nan] * len(_PERCENTILES)
    percentiles = [
        np.percentile(hand_bits, _PERCENTILES) if len(hand_bits) else gap for hand_bits in bits
    ]
    low_ends, medians, high_ends = np.array(percentiles, float).T
    size = _dot_size(len(targets))
    with _saved_figure(path, title) as axes:
        look: dict[str, Any] = {"color": "0.8", "linewidth": size / 3}
        axes.vlines(targets, low_ends, high_ends, label="three fifths of the hands", **look)
        axes.plot(targets, medians, "k.", markersize=size, label="the hand in the middle")
        axes.set(xlabel="target", ylabel=_BITS_LABEL)
        _scale_targets(axes, targets)
        _highlight_target(axes, mark, targets)
        # The upper left is mostly free, since larger targets are harder.
        axes.legend(loc="upper left")


def plot_distances(shares: Mapping[str, Sequence[float]], path: Path, title: str) -> None:
    """Draw the share of pairs at each distance, a line for each group; all larger are a dot."""
    with _saved_figure(path, title) as axes:
        from matplotlib import colormaps, ticker

        last = max(map(len, shares.values())) - 1
        # The colours differ in brightness, and the markers in shape: both can be told apart
        # without seeing colours.
        colors = colormaps["viridis"](np.linspace(0, 0.85, len(shares)))
        for number, (label, values) in enumerate(shares.items()):
            heights = np.array(values, float)
            heights[heights == 0] = np.nan
            look: dict[str, Any] = {"color": colors[number], "markersize": _dot_size(last)}
            look |= {"marker": _MARKERS[number % len(_MARKERS)], "linewidth": 0.8}
            axes.plot(range(last), heights[:last], label=label, **look)
            axes.plot([last], heights[last:], **look)
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda share, _: f"{share * 100:g}%"))
        step = next(step for step in (1, 5, 10) if last <= 20 * step or step == 10)
        # The ticks in front of the last one keep a distance from its label.
        ticks = [*range(0, last - step // 2, step), last]
        axes.set_xticks(ticks, [*map(str, ticks[:-1]), f"{last}+"])
        axes.set_xlim(-_MARGIN * last, (1 + _MARGIN) * last)
        axes.set(xlabel="distance of the closest value", ylabel="share of pairs (hand, target)")
        axes.legend()


def check_plot(path: Path) -> None:
    """Raise RefusedError or OSError as `plot_counts` would, before any work for the figure."""
    _figure(path)
    check_place(path)


@contextmanager
def _saved_figure(path: Path, title: str) -> Iterator[Any]:
    """Yield the axes of a new figure to draw on, and save the figure when the block succeeds."""
    figure = _figure(path)
    axes = figure.subplots()
    # The padding leaves space for the name of the highlighted target.
    axes.set_title(textwrap.fill(title, _TITLE_WIDTH), pad=16)
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    yield axes
    form = _form_of(path)
    # Without dates, equal figures have equal files.
    no_dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    remove_abandoned([path])
    with replace_file(path) as file:
        figure.savefig(file, format=form, dpi=150, metadata=no_dates.get(form))


def _scale_targets(axes: Any, targets: Sequence[float]) -> None:
    """Make the axis of targets logarithmic if the targets have very different sizes."""
    sizes = [abs(target) for target in targets]
    if max(sizes) > _MAX_LINEAR_TARGET and max(sizes) > 100 * min(sizes):
        # The scale is linear up to 10, so that it contains 0; it starts at the first target.
        axes.set_xscale("symlog", linthresh=10)
        axes.set_xlim(left=min(targets) - 1)
        axes.xaxis.set_major_formatter("{x:,.0f}")
    else:
        axes.xaxis.get_major_locator().set_params(integer=True)


def _draw_shares(axes: Any, lines: Sequence[Curve]) -> None:
    for line in lines:
        targets, shares = np.array(line.targets, np.int64), np.array(line.shares, float)
        has_many_targets = len(targets) > _MAX_TARGETS_WITH_LINE
        if has_many_targets:
            # Targets that no hand makes would form a line at 0.
            targets, shares = targets[shares > 0], shares[shares > 0]
        look = {"markersize": _dot_size(len(targets)), "linewidth": 0.8, "label": line.label}
        axes.plot(targets, shares, "." if has_many_targets else ".-", **look)
    every = [share for line in lines for share in line.shares]
    bottom = max(0, np.ceil(min(every) * 20 - 1) / 20) if min(every) > _MIN_UPPER_SHARE else 0
    # The axis starts and ends at a multiple of 5 %, which is one twentieth, or above 100 %.
    is_upper = max(every) > _MIN_UPPER_SHARE
    top = 1 + _MARGIN * (1 - bottom) if is_upper else np.floor(max(every) * 20 + 1) / 20
    if top > 1:
        axes.axhline(1, linestyle="--", color="gray", label="all hands")
    start = f" (from {bottom:.0%})" if bottom else ""
    axes.set(xlabel="target", ylabel=f"share of hands that make it{start}", ylim=(bottom, top))
    _scale_targets(axes, [target for line in lines for target in line.targets])


def _draw_bars(
    axes: Any, names: Sequence[str], heights: Sequence[float], height_format: str
) -> None:
    bars = axes.bar(names, heights, width=0.4, color="tab:blue")
    axes.bar_label(bars, list(map(height_format.format, heights)), padding=3)
    axes.xaxis.grid(visible=False)
    axes.set_xlim(-1, len(names))
    axes.set_ylim(0, max(heights) * (1 + 2 * _MARGIN) or 1)


def _highlight_target(axes: Any, mark: int | None, targets: Sequence[float]) -> None:
    if mark is None or not min(targets) <= mark <= max(targets):
        return
    axes.axvline(mark, color="tab:red", linewidth=0.8, zorder=1)
    # Its number is just above the axes: x is in the unit of the data, and y a share of the height.
    transform = axes.get_xaxis_transform()
    look = {"color": "tab:red", "fontsize": "small", "ha": "center", "va": "bottom"}
    axes.text(mark, 1.005, str(mark), transform=transform, **look)


def _dot_size(target_count: int) -> int:
    return 3 if target_count > _MAX_TARGETS_WITH_LARGE_POINTS else 9


def _form_of(path: Path) -> str:
    return path.suffix.lstrip(".").lower()


def _figure(path: Path) -> Any:
    if _form_of(path) not in FORMATS:
        raise RefusedError(f"{path}: a figure's name ends in .png, .svg or .pdf")
    try:
        import matplotlib
    except ImportError:
        install = 'pip install "crisps24[plot]"'
        raise RefusedError(f"figures need matplotlib, which is missing: {install}") from None
    # With a fixed salt, equal figures have equal files.
    matplotlib.rcParams["svg.hashsalt"] = "crisps24"
    from matplotlib.figure import Figure

    return Figure(figsize=_FIGURE_SIZE, layout="constrained")
