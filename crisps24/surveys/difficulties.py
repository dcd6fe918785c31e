"""How hard the hands of a game are for people, all of them against one target.

Owns how this work is shared out and put together; what is hard is for `hands.effort` to say.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crisps24.about import __version__
from crisps24.errors import RefusedError
from crisps24.hands.effort import Difficulty, Efforts
from crisps24.hands.solver import check_grouping
from crisps24.outside.executors import refuse_another_version, taking_results
from crisps24.outside.tables import Row, render
from crisps24.rules.deals import hands_of, largest_numbers
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand, find_game
from crisps24.rules.words import format_hand
from crisps24.surveys.deals import chunks_of

if TYPE_CHECKING:
    from concurrent.futures import Executor


@dataclass(frozen=True, slots=True, eq=False)
class Difficulties:
    """How hard it is to make one target of each hand of a game.

    `graded` are the hands that people can make it of, from easy to hard; `others` those of which
    there is no way, or none but by results below zero.
    """

    game: Game
    target: Exact
    graded: list[tuple[Hand, Difficulty]]
    others: list[Hand]

    def by_level(self) -> list[Row]:
        """Return a row for each level that hands have: how many, their bits, and one of them.

        `share` is that of all hands; the `example` is the one in the middle.
        """
        groups: dict[int | None, list[tuple[Hand, Difficulty]]] = {}
        for hand, found in self.graded:
            groups.setdefault(found.level, []).append((hand, found))
        rows = [self._row(level, group) for level, group in groups.items()]
        if self.others:
            row = dict.fromkeys(rows[0] if rows else ("level", "hands", "share", "example"))
            told = {"hands": len(self.others), "share": self._share(self.others)}
            rows.append(row | told | {"example": format_hand(self.others[0])})
        return rows

    def by_hand(self) -> list[Row]:
        """Return a row for each hand that can be made the target of, from easy to hard."""
        return [
            {
                "numbers": format_hand(hand),
                "bits": found.bits,
                "level": found.level,
                "seconds": found.seconds,
            }
            for hand, found in self.graded
        ]

    def _row(self, level: int | None, group: Sequence[tuple[Hand, Difficulty]]) -> Row:
        return {
            "level": level,
            "hands": len(group),
            "share": self._share(group),
            "least bits": group[0][1].bits,
            "most bits": group[-1][1].bits,
            "example": format_hand(group[len(group) // 2][0]),
        }

    def _share(self, some: Sequence[Any]) -> float:
        return round(len(some) / (len(self.graded) + len(self.others)), 6)

    def _repr_html_(self) -> str:
        return render(self.by_level(), "html")


def difficulties_of_hands(
    game: Game | str,
    target: Exact | None = None,
    *,
    executor: "Executor | None" = None,
    progress: Callable[[int], object] | None = None,
) -> Difficulties:
    """Say how hard it is to make a target, or the game's own, of each hand of a game.

    `executor` and `progress` are those of `survey`.

    >>> [(row["level"], row["hands"]) for row in difficulties_of_hands("crisps").by_level()][:2]
    [(1, 23), (2, 28)]

    Raises ValueError for a game without a target of its own where none is given, and for one with
    too many hands; `executors.VersionError` where a worker has another version.
    """
    game = find_game(game)
    check_grouping(game)
    wanted = game.target if target is None else target
    if wanted is None:
        raise RefusedError(f"{game.name} deals its targets: give one")
    graded, others = [], []
    for hand, found in _in_order(game, wanted, hands_of(game), executor, progress):
        if found is None:
            others.append(hand)
        else:
            graded.append((hand, found))
    graded.sort(key=lambda pair: pair[1].bits)
    return Difficulties(game, wanted, graded, others)


def _in_order(
    game: Game,
    target: Exact,
    hands: Sequence[Hand],
    executor: "Executor | None",
    progress: Callable[[int], object] | None,
) -> Iterator[tuple[Hand, Difficulty | None]]:
    chunks = chunks_of(hands)
    count = len(chunks)
    each: Callable[..., Iterator[Any]] = map if executor is None else executor.map
    versions, games, targets = [__version__] * count, [game] * count, [target] * count
    with taking_results():
        for chunk, found in zip(
            chunks, each(grade_chunk, versions, games, targets, chunks), strict=True
        ):
            yield from zip(chunk, found, strict=True)
            if progress is not None:
                progress(len(chunk))


def grade_chunk(
    version: str, game: Game, target: Exact, hands: Sequence[Hand]
) -> list[Difficulty | None]:
    """Return how hard it is to make a target of each hand, None where it is not to be had.

    Raises `executors.VersionError` where this is not the version that asks.
    """
    refuse_another_version(__version__, "that was asked", version)
    found = Efforts(game, largest_numbers(game), within=(target, target)).of(hands)
    return [each.get(target) for each in found]
