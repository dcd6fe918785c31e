"""Figures drawn with matplotlib, which is imported only when it is needed."""

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
# Inches.
_SIZE = (9, 5)
# More targets than these are drawn as points, fewer than those as large ones.
_MANY, _FEW = 200, 5
# Targets beyond this are far from the small ones.
_LARGE = 1000
# Characters of a title that stand in one line.
_WIDEST = 80
# What bits mean, and the percentiles that are drawn of a target.
_BITS = "bits: one more is found half as often"
_FIFTHS = (20, 50, 80)
# So much of the height stays free above and below what is drawn.
_MARGIN = 0.05
# Where all of it is in so small a part of the height, or less, the axis does not begin at 0.
_UPPER = 0.5


class Curve(NamedTuple):
    """What is drawn of one survey."""

    label: str
    """What the line is called in the legend."""
    targets: Sequence[int]
    """Its targets, ascending."""
    shares: Sequence[float]
    """The share of hands that make each of them, 0 to 1."""


def plot_counts(
    counts: Mapping[int | Fraction, int], path: Path, title: str, mark: int | None = None
) -> None:
    """Draw how many combinations each target has, on logarithmic scales where they read better.

    The title names the targets; `mark` is a target to highlight if it is in their range. Raises
    ValueError for a file name that does not end in .png, .svg or .pdf or if matplotlib is missing,
    OSError if the file cannot be written.
    """
    ends = dict.fromkeys(str(end(counts)) for end in (min, max)) if counts else ["none"]
    targets = "target" if len(ends) == 1 else "targets"
    with _saved(path, f"{title}, {targets} {'..'.join(ends)}") as axes:
        axes.set(xlabel="target", ylabel="combinations")
        if len(counts) == 1:
            [(target, ways)] = counts.items()
            _draw_bars(axes, [str(target)], [ways], "{:,}")
        elif counts:
            _draw_counts(axes, counts)
            _mark(axes, mark, [float(target) for target in counts])
        axes.yaxis.set_major_formatter("{x:,.0f}")


def plot_shares(
    lines: Sequence[Curve], path: Path, title: str = "", mark: int | None = None
) -> None:
    """Draw the share of hands that make each target, and the line of all hands.

    If all shares are above one half, the axis starts at the smallest one, and its label says so.
    Raises what `plot_counts` raises.
    """
    with _saved(path, title) as axes:
        from matplotlib import ticker

        if all(len(line.targets) == 1 for line in lines):
            names, shares = [line.label for line in lines], [line.shares[0] for line in lines]
            _draw_bars(axes, names, shares, "{:.2%}")
            axes.set(xlabel=f"target {lines[0].targets[0]}", ylabel="share of hands that make it")
        else:
            _draw_shares(axes, lines)
            _mark(axes, mark, [target for line in lines for target in line.targets])
            axes.legend()
        axes.yaxis.set_major_formatter(ticker.PercentFormatter(1))


def plot_levels(bits: Mapping[str, _Floats], path: Path, title: str, what: str = "hands") -> None:
    """Draw a histogram of difficulty, each level in its own grey.

    `bits` has the bits of each level by its name, from easy to hard; `what` names what is counted.
    Raises what `plot_counts` raises.
    """
    with _saved(path, title) as axes:
        if bits:
            _draw_levels(axes, bits, what)
        axes.set(xlabel=_BITS, ylabel=what)
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.xaxis.grid(visible=False)


def plot_bits(
    targets: Sequence[int], bits: Sequence[_Floats], path: Path, title: str, mark: int | None = None
) -> None:
    """Draw the difficulty of each target: its median hand and the middle three fifths of hands.

    `bits` has the bits of the hands that make each target. Raises what `plot_counts` raises.
    """
    none = [np.nan] * len(_FIFTHS)
    parts = [np.percentile(each, _FIFTHS) if len(each) else none for each in bits]
    least, middle, most = np.array(parts).T
    size = _size(len(targets))
    with _saved(path, title) as axes:
        width, told = size / 3, "three fifths of the hands"
        axes.vlines(targets, least, most, color="0.8", linewidth=width, label=told)
        axes.plot(targets, middle, "k.", markersize=size, label="the hand in the middle")
        axes.set(xlabel="target", ylabel=_BITS)
        _scale_targets(axes, targets)
        _mark(axes, mark, targets)
        # Larger targets are harder, as a rule.
        axes.legend(loc="upper left")


def check_plot(path: Path) -> None:
    """Raise what `plot_counts` raises, before any work for the figure is done."""
    _figure(path)
    check_place(path)


@contextmanager
def _saved(path: Path, title: str) -> Iterator[Any]:
    """Give axes under a title, and save the figure when the block ends."""
    figure = _figure(path)
    axes = figure.subplots()
    # Above the name of the target that is marked.
    axes.set_title(textwrap.fill(title, _WIDEST), pad=16)
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    yield axes
    form = _form_of(path)
    dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    remove_abandoned([path])
    with replace_file(path) as file:
        figure.savefig(file, format=form, dpi=150, metadata=dated.get(form))


def _draw_counts(axes: Any, counts: Mapping[int | Fraction, int]) -> None:
    targets = [float(target) for target in counts]
    axes.plot(targets, list(counts.values()), ".", markersize=_size(len(targets)), color="tab:blue")
    ways = [count for count in counts.values() if count]
    axes.set_ylim(bottom=0)
    if ways and max(ways) > 100 * min(ways):
        axes.set_yscale("log")
        axes.set_ylim(min(ways) / 2, max(ways) * 2)
        if len(ways) < len(targets):
            axes.set_ylabel("combinations, where there are any")
    _scale_targets(axes, targets)


def _scale_targets(axes: Any, targets: Sequence[float]) -> None:
    """Choose the axis of targets: logarithmic for a range from small to large ones."""
    sizes = [abs(target) for target in targets]
    if max(sizes) > _LARGE and max(sizes) > 100 * min(sizes):
        # Linear up to 10, so that 0 has a place; nothing is drawn left of the first target.
        axes.set_xscale("symlog", linthresh=10)
        axes.set_xlim(left=min(targets) - 1)
        axes.xaxis.set_major_formatter("{x:,.0f}")
    else:
        axes.xaxis.get_major_locator().set_params(integer=True)


def _draw_shares(axes: Any, lines: Sequence[Curve]) -> None:
    for line in lines:
        targets, shares = np.array(line.targets), np.array(line.shares)
        many = len(targets) > _MANY
        if many:
            # Targets that no hand makes would be a line of their own.
            targets, shares = targets[shares > 0], shares[shares > 0]
        look = {"markersize": _size(len(targets)), "linewidth": 0.8, "label": line.label}
        axes.plot(targets, shares, "." if many else ".-", **look)
    bottom, top = _limits([share for line in lines for share in line.shares])
    if top > 1:
        axes.axhline(1, linestyle="--", color="gray", label="all hands")
    begin = f" (from {bottom:.0%})" if bottom else ""
    axes.set(xlabel="target", ylabel=f"share of hands that make it{begin}", ylim=(bottom, top))
    _scale_targets(axes, [target for line in lines for target in line.targets])


def _limits(shares: Sequence[float]) -> tuple[float, float]:
    """Return the limits of the axis of shares: whole twentieths, or above the line of 1."""
    least, most = min(shares), max(shares)
    bottom = max(0, np.ceil(least * 20 - 1) / 20) if least > _UPPER else 0
    top = min(1, np.floor(most * 20 + 1) / 20)
    return float(bottom), float(top if most <= _UPPER else 1 + _MARGIN * (1 - bottom))


def _draw_levels(axes: Any, bits: Mapping[str, _Floats], what: str) -> None:
    levels = [np.asarray(level) for level in bits.values()]
    least, most = min(level.min() for level in levels), max(level.max() for level in levels)
    axes.hist(
        levels,
        bins=np.arange(np.floor(least), np.floor(most) + 1.25, 0.5),
        stacked=True,
        label=[f"{name}: {len(level):,} {what}" for name, level in bits.items()],
        color=[str(grey) for grey in np.linspace(0.8, 0.2, len(bits))],
        edgecolor="black",
        linewidth=0.3,
    )
    axes.legend()


def _draw_bars(axes: Any, names: Sequence[str], heights: Sequence[float], form: str) -> None:
    """Draw a bar for each name, from 0, with its height above it."""
    bars = axes.bar(names, heights, width=0.4, color="tab:blue")
    axes.bar_label(bars, list(map(form.format, heights)), padding=3)
    axes.xaxis.grid(visible=False)
    axes.set_xlim(-1, len(names))
    axes.set_ylim(0, max(heights) * (1 + 2 * _MARGIN) or 1)


def _mark(axes: Any, mark: int | None, targets: Sequence[float]) -> None:
    """Highlight a target if it is in the range drawn."""
    if mark is None or not min(targets) <= mark <= max(targets):
        return
    axes.axvline(mark, color="tab:red", linewidth=0.8, zorder=1)
    place = axes.get_xaxis_transform()
    look = {"color": "tab:red", "fontsize": "small", "ha": "center", "va": "bottom"}
    axes.text(mark, 1.005, str(mark), transform=place, **look)


def _size(targets: int) -> int:
    return 3 if targets > _FEW else 9


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
    # The same figure gives the same file.
    matplotlib.rcParams["svg.hashsalt"] = "crisps24"
    from matplotlib.figure import Figure

    return Figure(figsize=_SIZE, layout="constrained")
