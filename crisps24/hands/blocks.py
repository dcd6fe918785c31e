"""Blocks: runs of places that meet, as columns, and every pair in them.

What sub-hands make stands in columns, a place each, those of a sub-hand together. To meet one
side with the other a few numbers are enough: where each begins, and how many there are. Owns how
these become pairs, some at a time; `pools` and `shares` say what meets what.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from crisps24.rules.ratios import Ints

# So many pairs are worked out at a time, so that they stay near the processor.
AT_ONCE = 100_000


class Blocks(NamedTuple):
    """So many results from one place on, each of which meets so many from another: columns.

    `nodes` says for each block of what it is.
    """

    nodes: Ints
    left: Ints
    lefts: Ints
    right: Ints
    rights: Ints


class Pairs(NamedTuple):
    """Places that meet, and what they are of: columns."""

    nodes: Ints
    left: Ints
    right: Ints


def pairs_of(blocks: Blocks) -> Pairs:
    """Return every pair in the blocks.

    >>> blocks = Blocks(*(np.array([each]) for each in (7, 10, 2, 20, 3)))
    >>> [column.tolist() for column in pairs_of(blocks)]
    [[7, 7, 7, 7, 7, 7], [10, 10, 10, 11, 11, 11], [20, 21, 22, 20, 21, 22]]
    """
    # First each place on the left by itself, then as often as there are on the right.
    left = _runs(blocks.left, blocks.lefts)
    rights = blocks.rights.repeat(blocks.lefts)
    return Pairs(
        blocks.nodes.repeat(blocks.lefts * blocks.rights),
        left.repeat(rights),
        _runs(blocks.right.repeat(blocks.lefts), rights),
    )


def _runs(first: Ints, counts: Ints) -> Ints:
    """Return so many integers from each first one on."""
    ends = counts.cumsum()
    runs: Ints = np.arange(ends[-1] if len(ends) else 0) + (first - ends + counts).repeat(counts)
    return runs


def portions(blocks: Blocks) -> Iterator[Blocks]:
    """Yield the blocks, some at a time, so that not too many pairs meet at once."""
    ends = (blocks.lefts * blocks.rights).cumsum()
    if not len(ends) or ends[-1] <= AT_ONCE:
        yield blocks
        return
    start = done = 0
    while start < len(ends):
        stop = max(start + 1, int(np.searchsorted(ends, done + AT_ONCE, "right")))
        yield Blocks(*(column[start:stop] for column in blocks))
        start, done = stop, int(ends[stop - 1])
