"""How far the closest values of all hands are from the targets of a survey.

Games such as Countdown also give points for a value near the target. Distances are measured up to
a limit: a survey then needs only a few more targets on both sides.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from crisps24.output.tables import Row, render
from crisps24.rules.games import Game, Hand
from crisps24.surveys.records import Bits

_Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Distances:
    """How far the closest value of each hand of a game is from each target.

    `Survey.distances` returns it. `hands` and `targets` are as in `Survey`; `table` is an array
    with a row for each hand and a column for each target: the distance, or `most` + 1 for any
    distance above `most`. A notebook displays the table by the number of large numbers.
    """

    game: Game
    targets: range
    most: int
    hands: list[Hand] = field(repr=False)
    table: _Bytes = field(repr=False)

    def by_large(self) -> list[Row]:
        """Return how many pairs of a hand and a target have each distance: a row for each distance.

        Hands are grouped by their large numbers, as in `Survey.by_large`. The keys are `large` and
        `hands` (of the group), `away` (the distance as text: from `0` to `most`, and `11+` for all
        above 10), `pairs` (the number of pairs with this distance) and `share` (of all pairs of the
        group, from 0 to 1).
        """
        counts = np.stack(
            [np.count_nonzero(self.table == away, axis=1) for away in range(self.most + 2)], axis=1
        )
        names = [*map(str, range(self.most + 1)), f"{self.most + 1}+"]
        rows: list[Row] = []
        for large, is_in_group in group_by_large(self.game, self.hands).items():
            hand_count = int(is_in_group.sum())
            pair_count = hand_count * len(self.targets)
            for away, pairs in zip(names, counts[is_in_group].sum(axis=0).tolist(), strict=True):
                row: Row = {"large": large, "hands": hand_count, "away": away, "pairs": pairs}
                rows.append(row | {"share": round(pairs / pair_count, 6)})
        return rows

    def _repr_html_(self) -> str:
        return render(self.by_large(), "html")


def measure_distances(solvable: Bits, first: int, count: int, most: int) -> _Bytes:
    """Return how far the closest value of each hand is from `count` targets from index `first`."""
    table = np.full((len(solvable), count), most + 1, np.uint8)
    # Smaller distances overwrite larger ones.
    for distance in range(most, -1, -1):
        for start in {first - distance, first + distance}:
            # The columns start at the first target of the survey: leave out values below it.
            is_value = solvable[:, max(0, start) : max(0, start + count)]
            table[:, max(0, -start) :][is_value] = distance
    return table


def group_by_large(game: Game, hands: Sequence[Hand]) -> dict[str, Bits]:
    """Return masks of the hands with 0 large numbers, with 1, and so on, and of `all` hands."""
    counts = np.array([sum(map(game.large.__contains__, hand)) for hand in hands], np.int64)
    groups = {str(count): counts == count for count in np.unique(counts).tolist()}
    return groups | {"all": counts >= 0}
