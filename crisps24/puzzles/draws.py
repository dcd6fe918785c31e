"""Draws that are the same on every machine and in every later version.

Drawing version 2: draw n, counted from 0, of seed s is the SHA-256 digest of the UTF-8 text
`crisps24 2 s n` (`crisps24 2 7 0` is the first of seed 7), read as one integer d of 256 bits, most
significant byte first. To choose below m it is d mod m, and where d is not below the largest
multiple of m that 256 bits hold, the next draw is taken in its place. Where hands are of several
lengths, draws of their own say which, `crisps24 2 7 lengths 0`, and what is dealt of each of them,
`crisps24 2 7 length 3 0`. Who changes this, or what is chosen with it, levels among it, raises
`VERSION`, which is told wherever a seed is.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import TypeVar

VERSION = 2
_ALL = 1 << 256

_T = TypeVar("_T")


class Draws:
    """The draws of a seed, one after the other.

    >>> draws = Draws(7)
    >>> [draws.below(6) for _ in range(5)]
    [4, 4, 1, 3, 2]
    """

    def __init__(self, seed: int, what: str = "") -> None:
        """Begin with the first draw of a seed, or of those of it that are for something alone."""
        self._named = f"crisps24 {VERSION} {seed} {what}{what and ' '}"
        self._count = 0

    def below(self, end: int) -> int:
        """Return a number from 0 to `end` - 1, each as likely; `end` is 1 or more."""
        while True:
            text = f"{self._named}{self._count}"
            drawn = int.from_bytes(sha256(text.encode()).digest())
            self._count += 1
            if drawn < _ALL - _ALL % end:
                return drawn % end

    def choose(self, things: Sequence[_T]) -> _T:
        """Return one of some things, each as likely."""
        return things[self.below(len(things))]

    def shuffled(self, things: Sequence[_T]) -> Iterator[_T]:
        """Yield all of some things in an order of which each is as likely, drawn as it is asked."""
        left = list(things)
        while left:
            place = self.below(len(left))
            left[place], left[-1] = left[-1], left[place]
            yield left.pop()
