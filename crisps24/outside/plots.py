"""Figures, drawn with matplotlib, which is imported when one is asked for."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crisps24.outside.whole_files import check_place, remove_left, replacing

FORMATS = ("png", "svg", "pdf")
# More targets than these are drawn as points, fewer than those as large ones.
_MANY, _FEW = 200, 5


class Line(NamedTuple):
    """What is drawn of one survey."""

    label: str
    """What the line is called in the legend."""
    targets: Sequence[int]
    """Its targets, ascending."""
    shares: Sequence[float]
    """The share of hands that make each of them, 0 to 1."""


def plot_counts(counts: Mapping[int | Fraction, int], path: Path, title: str) -> None:
    """Draw how many combinations each target has, on logarithmic scales where they read better.

    Raises ValueError for a file name that does not end in .png, .svg or .pdf and where
    matplotlib is missing, OSError where the file cannot be written.
    """
    plt = _pyplot(path)
    figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
    targets = [float(target) for target in counts]
    axes.plot(targets, list(counts.values()), ".", markersize=3, color="tab:blue")
    ways = [count for count in counts.values() if count]
    if ways and max(ways) > 100 * min(ways):
        axes.set_yscale("log")
    if targets and max(targets) > 1000:
        # Linear up to 10, so that 0 has a place; nothing is drawn left of the first target.
        axes.set_xscale("symlog", linthresh=10)
        axes.set_xlim(left=min(targets) - 1)
    else:
        axes.xaxis.get_major_locator().set_params(integer=True)
    axes.set(xlabel="target", ylabel="combinations", title=title)
    axes.grid(alpha=0.3)
    _save(plt, figure, path)


def plot_shares(lines: Sequence[Line], path: Path) -> None:
    """Draw the share of hands that make each target, and the line of all hands.

    Raises what `plot_counts` raises.
    """
    plt = _pyplot(path)
    from matplotlib import ticker

    figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
    for line in lines:
        targets, shares = np.array(line.targets), np.array(line.shares)
        if len(targets) > _MANY:
            # Targets that no hand makes would be a line of their own.
            targets, shares = targets[shares > 0], shares[shares > 0]
        style, size = ("." if len(targets) > _MANY else ".-"), (3 if len(targets) > _FEW else 9)
        axes.plot(targets, shares, style, markersize=size, linewidth=0.8, label=line.label)
    axes.axhline(1, linestyle="--", color="gray", label="all hands")
    axes.set(xlabel="target", ylabel="share of hands that make it", ylim=(0, 1.05))
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.yaxis.set_major_formatter(ticker.PercentFormatter(1))
    axes.legend()
    axes.grid(alpha=0.3)
    _save(plt, figure, path)


def plot_levels(bits: Mapping[str, Sequence[float]], path: Path, title: str) -> None:
    """Draw how many hands are how hard, in bits, each level in a grey of its own.

    `bits` has those of each level by its name, from easy to hard. Raises what `plot_counts`
    raises.
    """
    plt = _pyplot(path)
    figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
    every = [one for level in bits.values() for one in level] or [0.0]
    edges = np.arange(np.floor(min(every)), np.ceil(max(every)) + 0.5, 0.5)
    greys = np.linspace(0.8, 0.2, max(1, len(bits)))
    axes.hist(
        [list(level) for level in bits.values()],
        bins=edges,
        stacked=True,
        label=[f"{name}: {len(level):,} hands" for name, level in bits.items()],
        color=[str(grey) for grey in greys[: len(bits)]],
        edgecolor="black",
        linewidth=0.3,
    )
    axes.set(xlabel="bits: one more is found half as often", ylabel="hands", title=title)
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.grid(alpha=0.3, axis="y")
    axes.set_axisbelow(True)
    if bits:
        axes.legend()
    _save(plt, figure, path)


def check_plot(path: Path) -> None:
    """Raise what `plot_counts` raises, before any work for the figure is done."""
    _pyplot(path)
    check_place(path)


def _pyplot(path: Path) -> Any:
    if path.suffix.lstrip(".").lower() not in FORMATS:
        raise ValueError(f"{path}: a figure's name ends in .png, .svg or .pdf")
    try:
        import matplotlib
    except ImportError:
        install = 'pip install "crisps24[plot]"'
        raise ValueError(f"figures need matplotlib, which is missing: {install}") from None
    matplotlib.use("Agg")
    # The same figure gives the same file.
    matplotlib.rcParams["svg.hashsalt"] = "crisps24"
    import matplotlib.pyplot as plt

    return plt


def _save(plt: Any, figure: Any, path: Path) -> None:
    form = path.suffix.lstrip(".").lower()
    dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    remove_left([path])
    with replacing(path) as file:
        figure.savefig(file, format=form, dpi=150, metadata=dated.get(form))
    plt.close(figure)
