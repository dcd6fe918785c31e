"""Versions of a test: different puzzles with the same level at each place.

A first deal says how many puzzles of each level a version has. A second deal, by the same seed, has
four times as many of each; in each level, its puzzles are sorted by bits, and each place gets four
neighbours, one for each version. So the version that gets the easier one changes from place to
place. Puzzles without levels are sorted by bits alone. A later version for those who were ill is no
other version again: A and B are the same if there are three, unless the game has too few puzzles.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from crisps24.errors import RefusedError
from crisps24.messages.message import message
from crisps24.puzzle import Puzzle
from crisps24.puzzles.dealing import Deal
from crisps24.puzzles.parameters import LEVELS
from crisps24.puzzles.rows import bits_of

_LETTERS = "ABCD"
MAX_VERSIONS = len(_LETTERS)


def letters_of(version_count: int) -> Sequence[str]:
    """Return the names of the versions of a test; a single one has none."""
    return _LETTERS[:version_count] if version_count > 1 else [""]


DealAll = Callable[[int, Sequence[int] | None], Deal]
"""Deals so many puzzles by the seed of a first deal; the mix of levels can be None."""


def deal_versions(first: Deal, deal_all: DealAll, version_count: int) -> list[Deal]:
    """Return the versions of a test with the levels of a first deal, place by place."""
    try:
        dealt = _neighbours(first, deal_all, MAX_VERSIONS)[:version_count]
    except RefusedError:
        dealt = _neighbours(first, deal_all, version_count)
    command = first.command.replace("crisps24 deal ", "crisps24 sheet ", 1)
    return [
        replace(first, puzzles=puzzles, command=f"{command} --versions {version_count}")
        for puzzles in dealt
    ]


def _neighbours(first: Deal, deal_all: DealAll, version_count: int) -> list[tuple[Puzzle, ...]]:
    levels = [puzzle.level for puzzle in first]
    counts = Counter(levels)
    mix = [version_count * counts[level] for level in LEVELS]
    dealt = deal_all(version_count * len(levels), None if None in counts else mix)
    if len({puzzle.id for puzzle in dealt}) < len(dealt):
        raise RefusedError(message("deal.versions"))
    # The puzzles of each level; the key is None for all of them if a level is missing.
    by_level = defaultdict[int | None, list[Puzzle]](list)
    for puzzle in sorted(dealt, key=bits_of):
        by_level[None if None in counts else puzzle.level].append(puzzle)
    places, used = list[list[Puzzle]](), Counter[int | None]()
    for place, level in enumerate(levels):
        key = None if None in counts else level
        start = version_count * used[key]
        together = by_level[key][start : start + version_count]
        turn = place % version_count
        places.append(together[turn:] + together[:turn])
        used[key] += 1
    return [*zip(*places, strict=True)]
