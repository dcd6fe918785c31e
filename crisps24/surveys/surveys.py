"""Surveys: every hand of a game against every target.

`by_value` computes what a hand makes, `chunks` shares out the work, `store` writes the file.
"""

import socket
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, islice
from pathlib import Path
from threading import local
from typing import Any

import numpy as np
import numpy.typing as npt

from crisps24.about import __version__
from crisps24.errors import RefusedError, quoted
from crisps24.hands.by_value import ValueChart
from crisps24.hands.chart import Level, levels_for
from crisps24.output.atomic_files import to_path
from crisps24.output.executors import check_version
from crisps24.output.tables import Row, render
from crisps24.rules.deals import format_hand, largest_numbers, list_hands
from crisps24.rules.games import Game, Hand, find_game
from crisps24.rules.queries import check_grouping
from crisps24.rules.ratios import Column, Ints, integer_bound, whole_values
from crisps24.rules.work import DEFAULT_WORK
from crisps24.surveys.chunks import CHUNK_HANDS, in_chunks
from crisps24.surveys.deals import check_asked, check_size, place_of, range_of
from crisps24.surveys.records import Bits, load, unpacked
from crisps24.surveys.store import Store

# Eight targets a byte, the first in the highest bit.
_Packed = npt.NDArray[np.uint8]


@dataclass(frozen=True, eq=False)
class Survey:
    """Which hands of a game make which targets.

    `hands` are sorted tuples of numbers, in order; `targets` is a range; `solvable` is a boolean
    array with a row for each hand and a column for each target. In a notebook it shows itself
    as the table by target.
    """

    game: Game
    targets: range
    hands: list[Hand] = field(repr=False)
    solvable: Bits = field(repr=False)

    def by_target(self) -> list[Row]:
        """Return a row for each target: hands that make it, their share, and other hands."""
        count = len(self.hands)
        return [
            {"target": target, "solvable": made, "share": _share(made, count), "fail": count - made}
            for target, made in zip(self.targets, self.solvable.sum(axis=0).tolist(), strict=True)
        ]

    def by_hand(self) -> list[Row]:
        """Return a row for each hand: its numbers, how many targets it makes, and their share."""
        count = len(self.targets)
        return [
            {"numbers": format_hand(hand), "reached": made, "share": _share(made, count)}
            for hand, made in zip(self.hands, self.solvable.sum(axis=1).tolist(), strict=True)
        ]

    def by_large(self) -> list[Row]:
        """Return a row for each count of large numbers in a hand, and one for all hands.

        `share` is that of the solvable among all pairs of a hand and a target; `every_target`
        counts the hands that make all targets; `hardest` is the target that fewest hands make.
        """
        large = np.array([sum(number in self.game.large for number in hand) for hand in self.hands])
        groups = {str(count): large == count for count in np.unique(large).tolist()}
        return [self._group(*each) for each in [*groups.items(), ("all", large >= 0)]]

    def _group(self, name: str, which: Bits) -> Row:
        solvable = self.solvable[which]
        made = solvable.sum(axis=0)
        hardest = int(np.argmin(made))
        return {
            "large": name,
            "hands": len(solvable),
            "share": _share(int(made.sum()), solvable.size),
            "every_target": int(solvable.all(axis=1).sum()),
            "hardest": self.targets[hardest],
            "hardest_share": _share(int(made[hardest]), len(solvable)),
        }

    def hardest(self, count: int) -> list[Row]:
        """Return the rows of the targets that the fewest hands make, hardest first.

        Raises ValueError for a number below zero.
        """
        if not isinstance(count, int) or count < 0:
            raise RefusedError(f"{quoted(count)} targets cannot be told")
        return sorted(self.by_target(), key=lambda row: row["solvable"])[:count]

    def unsolvable(self, target: int) -> list[Hand]:
        """Return the hands that do not make a target.

        Raises ValueError for a target that was not asked for.
        """
        column = self.only(target).solvable[:, 0]
        return [hand for hand, made in zip(self.hands, column.tolist(), strict=True) if not made]

    def only(self, target: int) -> "Survey":
        """Return the survey of one of its targets.

        Raises ValueError for a target that was not asked for.
        """
        at = place_of(target, self.targets)
        one = self.solvable[:, at : at + 1]
        return Survey(self.game, self.targets[at : at + 1], self.hands, one)

    def save(self, path: str | Path) -> None:
        """Write the survey to a SQLite file, as `Survey.load` reads it.

        Raises ValueError for a file that is something else, OSError where it cannot be written.
        """
        with Store(to_path(path), self.game, self.targets) as store:
            left = islice(zip(self.hands, self.solvable, strict=True), store.done, None)
            for chunk in iter(lambda: list(islice(left, CHUNK_HANDS)), []):
                hands, rows = zip(*chunk, strict=True)
                store.add(hands, np.array(rows))

    @classmethod
    def load(cls, path: str | Path) -> "Survey":
        """Read a survey that `save` or `survey(store=...)` wrote.

        Raises ValueError for a file that is no whole survey, OSError where it cannot be read.
        """
        game, targets, hands, solvable = load(to_path(path))
        if len(hands) < (count := check_size(game, targets)):
            left = f"{len(hands):,} of {count:,} hands are done; the same command goes on"
            raise RefusedError(f"{path} is a survey that was interrupted: {left}")
        return cls(game, targets, hands, solvable)

    def _repr_html_(self) -> str:
        return render(self.by_target(), "html")


def _share(part: int, count: int) -> float:
    return round(part / count, 6)


def survey(
    game: Game | str,
    targets: range | Sequence[int] | int | None = None,
    *,
    executor: Executor | None = None,
    progress: Callable[[int], object] | None = None,
    store: str | Path | None = None,
    work: int | None = DEFAULT_WORK,
) -> Survey:
    """Find which hands of a game make which targets (default: the game's own).

    The work goes in chunks to `executor`, or is done here where there is none. `progress` is
    called with the number of hands just done. What is found is kept in the SQLite file `store`,
    and hands that are in it already are not worked out again. `work` is how many pairs of values
    may be looked at for a hand, None for any.

    >>> survey("crisps", 24).by_target()
    [{'target': 24, 'solvable': 195, 'share': 0.393939, 'fail': 300}]

    Raises ValueError for an empty range, targets that are no range, too many hands or targets
    and a file made for another survey; `executors.VersionError` where a worker has another version.
    """
    game = find_game(game)
    check_grouping(game)
    wanted = range_of(targets, game)
    check_asked(game, wanted, work=work)
    hands = list_hands(game)
    asked = __version__, game, wanted
    if store is None:
        found = in_chunks(survey_chunk, asked, hands, executor, progress)
        packed = [each for _, each in found]
        return Survey(game, wanted, hands, _unpacked(packed, len(wanted)))
    with Store(to_path(store), game, wanted) as kept:
        done = kept.done
        if progress is not None:
            progress(done)
        for chunk, each in in_chunks(survey_chunk, asked, hands[done:], executor, progress):
            kept.add(chunk, _unpacked([each], len(wanted)))
    return Survey.load(store)


def _unpacked(packed: Sequence[_Packed], width: int) -> Bits:
    return unpacked(np.concatenate([np.empty((0, -(-width // 8)), np.uint8), *packed]), width)


def survey_chunk(version: str, game: Game, targets: range, hands: Sequence[Hand]) -> _Packed:
    """Return a row of packed bits for each hand: the targets that it makes.

    Raises `executors.VersionError` where this is not the version that asks.
    """
    check_version(__version__, f"on {socket.gethostname()}", version)
    # Once freed, this teaches the C library to keep memory between hands; without it a fresh
    # process gives it back and asks for it again a million times.
    np.empty(1 << 24, np.uint8)
    return _of_thread.marks_of(game, targets).of(hands)


class _Marks:
    """The rows of hands, a bit per target, with a cache of the sub-hands that they share."""

    def __init__(self, game: Game, targets: range) -> None:
        self.game = game
        self.targets = targets
        numbers = largest_numbers(game)
        shrinks = targets[0] > 0 and _shrinks(levels_for(game), game, targets[0], numbers)
        # Where all numbers are below the targets, none of them has to be on the left of what
        # all the others make.
        alone = shrinks and max(game.numbers) < targets[0]
        self._chart = ValueChart(
            game,
            numbers,
            within=(targets[0], targets[-1]),
            max_right_size=game.length - 1 - alone,
        )
        self._rows: dict[Hand, Bits] = {}

    def of(self, hands: Sequence[Hand]) -> _Packed:
        """Return the rows of whole hands, packed."""
        rows = np.zeros((len(hands), len(self.targets)), bool)
        if len(hands[0]) > 1:
            flat = rows.ravel()
            for places, values in self._chart.last_step_values(hands):
                # They are within the targets already.
                values, made = whole_values(values)
                begins = places[made].astype(np.intp) * len(self.targets)
                flat[begins + places_among(self.targets, values)] = True
        for row, hand in zip(rows, hands, strict=True):
            row |= self._of_sub_hand(hand) if len(hand) == 1 else self._of_smaller(hand)
        return np.packbits(rows, axis=1)

    def _of_sub_hand(self, hand: Hand) -> Bits:
        if hand not in self._rows:
            row = self._of_smaller(hand)
            row[self._among(self._chart.values_of(hand))] = True
            self._rows[hand] = row
        return self._rows[hand]

    def _of_smaller(self, hand: Hand) -> Bits:
        """Return the targets a hand makes without one of its numbers, if the game allows it."""
        row = np.zeros(len(self.targets), bool)
        if not self.game.all_numbers and len(hand) > 1:
            for smaller in set(combinations(hand, len(hand) - 1)):
                row |= self._of_sub_hand(smaller)
        return row

    def _among(self, column: Column) -> Ints:
        """Return the places of values that are among the targets."""
        values, _ = whole_values(column)
        held = (values >= self.targets[0]) & (values <= self.targets[-1])
        return places_among(self.targets, values[held])


def places_among(targets: range, values: Ints) -> Ints:
    """Return the places of values among targets, each of which is one of them."""
    if not len(values):
        # The first target may be beyond what a machine word holds.
        return np.empty(0, np.intp)
    wide: Any = object if values.dtype == object else np.int64
    return (values.astype(wide) - targets[0]).astype(np.intp, copy=False)


def _shrinks(levels: Sequence[Level], game: Game, target: int, numbers: Sequence[int]) -> bool:
    """Return whether a value below a target, on the left of an operator, never makes the target.

    In natural numbers `-` and `:` never make a larger value. An operator that commutes needs no
    smaller sub-hand on its left.
    """
    bound = integer_bound(numbers, game)
    if game.fractions or game.negatives or bound is None:
        return False
    below, every = (0, target - 1), (0, bound)
    return all(
        (operator.commutes and level.one_order) or operator.bounds(below, every)[1] < target
        for level in levels
        for operator in level.operators
    )


class _OfThread(local):
    """The chart of a thread, kept from one chunk to the next; threads cannot share one."""

    def __init__(self) -> None:
        self.marks_of = lru_cache(maxsize=1)(_Marks)


_of_thread = _OfThread()
