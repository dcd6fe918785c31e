"""What a game can deal: every hand of it, each once, and how many there are.

Owns the order of hands; which numbers a game has, and how often, is `games`'.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from operator import neg

from crisps24.errors import RefusedError
from crisps24.rules.games import Game, Hand

# Nobody looks at more hands than these, and longer ones are none that anybody holds.
MOST_HANDS, LONGEST_HAND = 1_000_000, 99


def hands_of(game: Game) -> list[Hand]:
    """Return every hand of a game, each once, in order.

    >>> from crisps24 import GAMES
    >>> len(hands_of(GAMES["crisps"])), len(hands_of(GAMES["countdown"]))
    (495, 13243)

    Raises ValueError where they are more than a million, or have more than 99 numbers.
    """
    count_hands(game)
    return list(each_hand(game))


def count_hands(game: Game) -> int:
    """Return how many hands a game has, without dealing them.

    >>> from crisps24 import GAMES
    >>> count_hands(GAMES["countdown"])
    13243

    Raises what `hands_of` raises.
    """
    _check_length(game)
    counts: list[int] = []
    for counts in _counted(numbers_of(game), game.length):
        if counts[-1] > MOST_HANDS:
            raise RefusedError(f"{game.name} has more than {MOST_HANDS:,} hands: too many")
    return counts[-1]


def _check_length(game: Game) -> None:
    if game.length > LONGEST_HAND:
        raise RefusedError(
            f"a hand of {game.name} has {game.length:,} numbers; {LONGEST_HAND} are the most"
        )


class Hands:
    """Hands of some numbers, each once, in order: how many there are, and any by its place.

    None is dealt before it is asked for, however many they are.

    >>> from crisps24 import GAMES
    >>> hands = Hands.of(GAMES["krypto"])
    >>> hands.count, hands.at(0), hands.at(118754)
    (118755, (1, 1, 1, 1, 1), (25, 25, 25, 25, 25))
    """

    def __init__(self, times: Sequence[tuple[int, int]], length: int) -> None:
        """Begin with numbers, ascending, how often each may come, and how many a hand has."""
        self._times = times
        self._length = length
        # Of each length, how many hands there are of the numbers from each one on: ever fewer.
        counts = [[1] + [0] * length, *_counted(times[::-1], length)]
        self._from = list(zip(*counts[::-1], strict=True))
        self.count = counts[-1][length]

    @classmethod
    def of(cls, game: Game) -> "Hands":
        """Return all hands of a game, in the order of `hands_of`."""
        return cls(numbers_of(game), game.length)

    def at(self, place: int) -> Hand:
        """Return the hand at a place, counted from 0."""
        hand: list[int] = []
        at, left = 0, self._length
        while left:
            # Hands without a number come behind those with it: it is had if they are too few.
            behind = self._from[left][at] - place
            at = bisect_right(self._from[left], -behind, lo=at + 1, key=neg) - 1
            place = self._from[left][at] - behind
            number, most = self._times[at]
            at += 1
            for many in range(min(most, left), 0, -1):
                if place < self._from[left - many][at]:
                    break
                place -= self._from[left - many][at]
            hand += [number] * many
            left -= many
        return tuple(hand)


def numbers_of(game: Game) -> list[tuple[int, int]]:
    """Return the numbers of a game, ascending, each with how often a hand may have it.

    >>> from crisps24 import GAMES
    >>> numbers_of(GAMES["countdown"])[-5:]
    [(10, 2), (25, 1), (50, 1), (75, 1), (100, 1)]
    """
    times = sorted(Counter(game.numbers).items())
    return [(number, game.length) for number, _ in times] if game.repeats else times


def _counted(times: Iterable[tuple[int, int]], length: int) -> Iterator[list[int]]:
    """Yield how many hands of each length there are, of ever more of some numbers."""
    counts = [1] + [0] * length
    for _, most in times:
        counts = [sum(counts[max(0, size - most) : size + 1]) for size in range(length + 1)]
        yield counts


def each_hand(game: Game) -> Iterator[Hand]:
    """Yield every hand of a game as `hands_of` has them, dealt as they are asked for."""
    if game.repeats:
        return combinations_with_replacement(game.numbers, game.length)
    times = Counter(game.numbers)
    if len(times) == len(game.numbers):
        return combinations(game.numbers, game.length)
    return _of_several(sorted(times.items()), game.length)


def _of_several(times: Sequence[tuple[int, int]], length: int) -> Iterator[Hand]:
    """Yield the hands of numbers that come so many times each."""
    if length == 0:
        yield ()
    elif sum(many for _, many in times) >= length:
        (number, many), others = times[0], times[1:]
        for taken in range(min(many, length), -1, -1):
            for rest in _of_several(others, length - taken):
                yield (*[number] * taken, *rest)


def largest_numbers(game: Game) -> list[int]:
    """Return numbers of which each is at least as large as that of any hand of a game.

    >>> from crisps24 import GAMES
    >>> largest_numbers(GAMES["crisps"]), largest_numbers(GAMES["numble"])
    ([9, 9, 9, 9], [9, 10, 25, 50, 75, 100])

    Raises ValueError where they are more than 99.
    """
    _check_length(game)
    largest = sorted(game.numbers, key=abs)[-game.length :]
    return largest[-1:] * game.length if game.repeats else largest
