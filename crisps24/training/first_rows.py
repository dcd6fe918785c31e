"""The first row of each puzzle in files of millions of rows: 64-bit hashes with 32-bit numbers.

Two different puzzles have the same hash with a chance of one in a million in a file of six million
puzzles: then the second one is taken for the first. The hashes are sorted in parts by their first
byte, so that a new one moves only few others: the index takes 12 bytes for each puzzle.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand


def puzzle_hash(hand: Hand, target: Exact, game: Game | None = None) -> int:
    """Return a 64-bit hash of a puzzle: of its numbers in their order, its target and its rules."""
    text = f"{hand} {target} {game and rules_text(game)}"
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest())


@lru_cache(256)
def rules_text(game: Game) -> str:
    return repr(game)


class FirstRows:
    """For each hash, the number of the first row that had it."""

    def __init__(self) -> None:
        self._parts = [(np.empty(0, np.uint64), np.empty(0, np.uint32))] * 256

    def __len__(self) -> int:
        return sum(len(hashes) for hashes, _ in self._parts)

    def add(self, hashes: Sequence[int], numbers: Sequence[int], *, keep: bool = True) -> list[int]:
        """Return the number of the first row with each hash: for a new hash, that of its own row.

        Numbers ascend, and are below 2^32.
        """
        new_hashes, firsts = np.array(hashes, np.uint64), np.array(numbers, np.uint32)
        part_numbers = (new_hashes >> np.uint64(56)).astype(np.uint8)
        for part in np.unique(part_numbers):
            rows = np.flatnonzero(part_numbers == part)
            known_hashes, known_numbers = self._parts[part]
            all_numbers = np.concatenate([known_numbers, firsts[rows]])
            # `indices` has the first place of each hash, and `places` its place among them.
            kept_hashes, indices, places = np.unique(
                np.concatenate([known_hashes, new_hashes[rows]]),
                return_index=True,
                return_inverse=True,
            )
            kept_numbers = all_numbers[indices]
            firsts[rows] = kept_numbers[places[len(known_hashes) :]]
            if keep:
                self._parts[part] = kept_hashes, kept_numbers
        return [int(first) for first in firsts]

    def find(self, hashes: Sequence[int]) -> list[int]:
        """Return the number of the first row with each hash, from 1; 0 for an unknown hash."""
        return self.add(hashes, [0] * len(hashes), keep=False)
