"""Random draws that are the same on every machine and in every later version.

Version 5: draw n (from 0) of seed s is the SHA-256 digest of the UTF-8 text `crisps24 5 s n`, read
as a big-endian integer d of 256 bits. For seed 7, the first text is `crisps24 5 7 0`. A number
below m is d mod m; if d is not below the largest multiple of m in 256 bits, the next draw replaces
it, so that all numbers are equally likely. A named stream has its own draws: with hands of several
lengths, `crisps24 5 7 lengths 0` chooses the length, and `crisps24 5 7 length 3 turn 0 0` draws the
first hand of 3 numbers. Raise `VERSION` to change this, or any choice that uses it, such as the
levels; every output that shows a seed shows the version too.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import TypeVar

VERSION = 5
_DIGEST_VALUES = 1 << 256

_T = TypeVar("_T")


class Draws:
    """The random draws of a seed, in order. Each draw is used once."""

    def __init__(self, seed: int, stream: str = "") -> None:
        """Start at the first draw of a seed, or of a named stream of that seed."""
        self.seed, self.stream = seed, stream
        self._prefix = f"crisps24 {VERSION} {seed} {stream}{stream and ' '}"
        self._count = 0

    def below(self, end: int) -> int:
        """Return a number from 0 to `end` - 1, all equally likely; `end` is at least 1."""
        while True:
            text = f"{self._prefix}{self._count}"
            drawn = int.from_bytes(sha256(text.encode()).digest())
            self._count += 1
            # Beyond the largest multiple of `end`, low remainders would be likelier: draw again.
            if drawn < _DIGEST_VALUES - _DIGEST_VALUES % end:
                return drawn % end

    def throw(self, dice: Iterable[int]) -> list[int]:
        """Return one number of each die, in order, by the faces of the dice."""
        return [1 + self.below(die) for die in dice]

    def choose(self, items: Sequence[_T]) -> _T:
        return items[self.below(len(items))]

    def permutation(self, size: int) -> Iterator[int]:
        """Yield the numbers from 0 to `size` - 1 in random order, without a list of them."""
        # The places from which a number was moved to one that was drawn.
        moved: dict[int, int] = {}
        for left in range(size, 0, -1):
            place = self.below(left)
            last = moved.pop(left - 1, left - 1)
            yield last if place == left - 1 else moved.get(place, place)
            moved[place] = last

    def shuffled(self, items: Sequence[_T]) -> Iterator[_T]:
        """Yield all items in random order, all orders equally likely."""
        return map(items.__getitem__, self.permutation(len(items)))
