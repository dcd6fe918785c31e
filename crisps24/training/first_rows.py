"""The first row of each puzzle in files of millions of rows: sorted 64-bit hashes in numpy.

Two different puzzles have the same hash with a chance of one in a million in a file of six million
puzzles: then the second one is taken for the first.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand

# The hashes are divided into as many arrays, so that a new hash moves only few others.
_PARTS = 256


def puzzle_hash(hand: Hand, target: Exact, game: Game | None = None) -> int:
    """Return a 64-bit hash of a puzzle: of its numbers in their order, its target and its rules.

    >>> puzzle_hash((3, 8), 24) == puzzle_hash((8, 3), 24)
    False
    """
    rules = "" if game is None else _rules_text(game)
    text = f"{' '.join(map(str, hand))}={target} {rules}"
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


@lru_cache(256)
def _rules_text(game: Game) -> str:
    return repr(game)


class FirstRows:
    """For each hash, the number of the first row that had it; 12 bytes for each hash.

    >>> rows = FirstRows()
    >>> rows.add([5, 7, 5], [1, 2, 3]).tolist(), rows.add([7, 9], [4, 5]).tolist(), len(rows)
    ([1, 2, 1], [2, 5], 3)
    """

    def __init__(self) -> None:
        # For each part, its hashes in ascending order, and the number of the row of each.
        self._hashes = [np.empty(0, np.uint64) for _ in range(_PARTS)]
        self._numbers = [np.empty(0, np.uint32) for _ in range(_PARTS)]

    def __len__(self) -> int:
        """Return the number of different hashes."""
        return sum(map(len, self._hashes))

    def add(self, hashes: Sequence[int], numbers: Sequence[int]) -> NDArray[np.uint32]:
        """Add rows; return for each one the number of the first row with its hash.

        For a new hash, that is the number of the row itself.

        Args:
            hashes: the hash of each row, from 0 to 2^64 - 1.
            numbers: the number of each row, from 0 to 2^32 - 1, in ascending order.
        """
        new_numbers = np.array(numbers, np.uint32)
        firsts = np.empty(len(new_numbers), np.uint32)
        for part, rows, part_hashes in _by_part(hashes):
            firsts[rows] = self._add_to_part(part, part_hashes, new_numbers[rows])
        return firsts

    def find(self, hashes: Sequence[int]) -> NDArray[np.int64]:
        """Return for each hash the number of the first row that had it; -1 for an unknown hash.

        >>> rows = FirstRows()
        >>> _ = rows.add([5, 7], [1, 2])
        >>> rows.find([7, 9]).tolist()
        [2, -1]
        """
        firsts = np.full(len(hashes), -1, np.int64)
        for part, rows, part_hashes in _by_part(hashes):
            places, is_known = self._find_in_part(part, part_hashes)
            firsts[rows[is_known]] = self._numbers[part][places[is_known]]
        return firsts

    def _add_to_part(
        self, part: int, hashes: NDArray[np.uint64], numbers: NDArray[np.uint32]
    ) -> NDArray[np.uint32]:
        """Add rows with sorted hashes to one part; return the first numbers, as in `add`."""
        # Rows with the same hash are neighbours: the first one has the smallest number.
        is_first = np.ones(len(hashes), bool)
        is_first[1:] = hashes[1:] != hashes[:-1]
        firsts: NDArray[np.uint32] = numbers[is_first][np.cumsum(is_first) - 1]
        places, is_known = self._find_in_part(part, hashes)
        firsts[is_known] = self._numbers[part][places[is_known]]
        is_new = is_first & ~is_known
        places = places[is_new]
        self._hashes[part] = np.insert(self._hashes[part], places, hashes[is_new])
        self._numbers[part] = np.insert(self._numbers[part], places, numbers[is_new])
        return firsts

    def _find_in_part(
        self, part: int, hashes: NDArray[np.uint64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the place of each hash in a part, and whether the part has it there."""
        known_hashes = self._hashes[part]
        places = np.searchsorted(known_hashes, hashes)
        is_known = np.zeros(len(hashes), bool)
        inside = places < len(known_hashes)
        is_known[inside] = known_hashes[places[inside]] == hashes[inside]
        return places, is_known


def _by_part(
    hashes: Sequence[int],
) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.uint64]]]:
    """Yield each part that has some of the hashes: its number, their indices, the sorted hashes.

    The first 8 bits of a hash are the number of its part.
    """
    array = np.array(hashes, np.uint64)
    # Equal hashes keep their order.
    order = np.argsort(array, kind="stable")
    parts = (array[order] >> np.uint64(56)).astype(np.int64)
    bounds = np.searchsorted(parts, np.arange(_PARTS + 1))
    for part in np.unique(parts).tolist():
        rows = order[bounds[part] : bounds[part + 1]]
        yield part, rows, array[rows]
