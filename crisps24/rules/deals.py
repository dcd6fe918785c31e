"""What a game can deal: every hand of it, each once, and how many there are.

Owns the order of hands; which numbers a game has, and how often, is `games`'.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement

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
    if game.length > LONGEST_HAND:
        raise RefusedError(
            f"a hand of {game.name} has {game.length:,} numbers; {LONGEST_HAND} are the most"
        )
    limit = MOST_HANDS + 1
    # How many hands there are of so many numbers, counted no further than it matters.
    counts = [1] + [0] * game.length
    for times in Counter(game.numbers).values():
        most = game.length if game.repeats else times
        counts = [
            min(limit, sum(counts[max(0, size - most) : size + 1])) for size in range(len(counts))
        ]
        if counts[-1] == limit:
            raise RefusedError(f"{game.name} has more than {MOST_HANDS:,} hands: too many")
    return counts[-1]


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
    """
    largest = sorted(game.numbers, key=abs)[-game.length :]
    return largest[-1:] * game.length if game.repeats else largest
