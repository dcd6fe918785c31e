"""The difficulty of all hands of a game for people, for one target or a range of targets.

`solving.effort` grades a hand; `grades` packs the bits and reads them from a file.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from crisps24.about import __version__
from crisps24.errors import RefusedError, quoted
from crisps24.output.atomic_files import to_path
from crisps24.output.executors import check_version
from crisps24.output.tables import Row, render
from crisps24.rules.deals import format_hand, largest_numbers, list_hands
from crisps24.rules.games import Game, Hand, find_game
from crisps24.rules.queries import check_grouping
from crisps24.rules.ratios import Floats, Ints, whole_values
from crisps24.rules.work import DEFAULT_WORK
from crisps24.solving.effort import DifficultyModel, difficulties_from_bits, level_cutoffs, level_of
from crisps24.surveys.chunks import in_chunks
from crisps24.surveys.deals import check_asked, check_size, place_of, range_of
from crisps24.surveys.grades import Packed, load_grades, packed, unpacked_bits
from crisps24.surveys.store import Store
from crisps24.surveys.surveys import places_among, survey

if TYPE_CHECKING:
    from concurrent.futures import Executor

# The percentages of `by_share`.
_PERCENTS = range(5, 100, 5)


@dataclass(frozen=True, slots=True, eq=False)
class Difficulties:
    """How hard targets are to make from the hands of a game.

    `hands` are sorted tuples of numbers, in order; `targets` is a range; `bits` is an array with a
    row for each hand and a column for each target: NaN where there is no way, or none but by
    results below zero. In a notebook it shows itself as the table by level.
    """

    game: Game
    targets: range
    hands: list[Hand] = field(repr=False)
    bits: Floats = field(repr=False)

    def by_level(self) -> list[Row]:
        """Return a row for each level: number of puzzles, their bits, and an example.

        The number is in `hands` if there is one target, else in `puzzles` of a hand and a target.
        `share` is the share of all puzzles, `example` the median puzzle. The last row counts the
        puzzles without a solution.
        """
        flat = self.bits.ravel()
        rows: list[Row] = []
        for level, places in self._levels():
            bits = flat[places]
            median = places[np.argsort(bits, kind="stable")[len(bits) // 2]]
            row = self._counted(level, places)
            row |= {"least bits": float(bits.min()), "most bits": float(bits.max())}
            rows.append(row | {"example": self._puzzle_at(median)})
        others = np.isnan(flat).nonzero()[0]
        if len(others):
            row = dict.fromkeys(rows[0] if rows else ())
            row |= self._counted(None, others) | {"example": self._puzzle_at(others[0])}
            rows.append(row)
        return rows

    def by_target(self) -> list[Row]:
        """Return a row for each target: number of hands that make it, and their difficulty."""
        return [
            {"target": target, "hands": len(bits), **self._summary(bits)}
            for target, bits in zip(self.targets, self.bits_by_target(), strict=True)
        ]

    def by_hand(self) -> list[Row]:
        """Return a row for each hand: number of targets it makes, and their difficulty.

        Of one target: a row for each hand that makes it, from easy to hard.
        """
        if len(self.targets) > 1:
            return [
                {"numbers": format_hand(hand), "targets": len(bits), **self._summary(bits)}
                for hand, bits in zip(self.hands, _known(self.bits), strict=True)
            ]
        column = self.bits[:, 0]
        order = np.argsort(column, kind="stable")[: len(column) - np.isnan(column).sum()]
        rows: list[Row] = []
        for place in order.tolist():
            hand = self.hands[place]
            pair = self.targets[0], float(column[place])
            [found] = difficulties_from_bits([pair], hand, self.game).values()
            told = {"bits": found.bits, "level": found.level, "seconds": found.seconds}
            rows.append({"numbers": format_hand(hand)} | told)
        return rows

    def by_share(self) -> list[Row]:
        """Return the quantiles of bits in steps of 5 %, a row for each.

        Levels are cut at such shares: see `solving.effort`.
        """
        return [
            {"share": percent / 100, "bits": bits, "level": level_of(bits, self.game)}
            for percent, bits in zip(_PERCENTS, self.parted(_PERCENTS), strict=False)
        ]

    def parted(self, percents: Sequence[int]) -> list[float]:
        """Return the quantiles of bits at some percentages; empty if no target can be made.

        >>> survey_difficulty("cards").parted([20, 50, 75, 90])
        [1.722, 3.88, 5.567, 7.13]

        Raises ValueError for what is no percent, from 1 to 100.
        """
        if not isinstance(percents, Sequence) or any(one not in range(1, 101) for one in percents):
            raise RefusedError(f"{quoted(percents)} are no percents: [20, 50] are")
        bits = np.sort(self.bits[~np.isnan(self.bits)])
        return [float(bits[-(-len(bits) * each // 100) - 1]) for each in percents if len(bits)]

    def bits_by_level(self) -> dict[int | None, Floats]:
        """Return the bits of the puzzles of each level (level None: the game has no levels)."""
        flat = self.bits.ravel()
        return {level: flat[places] for level, places in self._levels()}

    def bits_by_target(self) -> list[Floats]:
        """Return for each target the bits of the hands that make it."""
        return _known(self.bits.T)

    def only(self, target: int) -> "Difficulties":
        """Return the difficulties of one of the targets.

        Raises ValueError for a target that was not asked for.
        """
        at = place_of(target, self.targets)
        one = self.bits[:, at : at + 1]
        return Difficulties(self.game, self.targets[at : at + 1], self.hands, one)

    @classmethod
    def load(cls, path: str | Path) -> "Difficulties":
        """Read what `survey_difficulty` stored.

        Raises ValueError for a file that is no whole survey of difficulty, or one by other costs
        of steps than today's; OSError where it cannot be read.
        """
        game, targets, hands, bits = load_grades(to_path(path))
        if len(hands) < (count := check_size(game, targets)):
            left = f"{len(hands):,} of {count:,} hands are graded; the same command goes on"
            raise RefusedError(f"{path} is a survey that was interrupted: {left}")
        return cls(game, targets, hands, bits)

    def _levels(self) -> Iterator[tuple[int | None, Ints]]:
        """Yield each level that puzzles have, and the places of these puzzles."""
        flat = self.bits.ravel()
        for begin, end in pairwise([-np.inf, *(level_cutoffs(self.game) or ()), np.inf]):
            places = ((flat >= begin) & (flat < end)).nonzero()[0]
            if len(places):
                yield level_of(flat[places[0]], self.game), places

    def _counted(self, level: int | None, places: Ints) -> Row:
        what = "hands" if len(self.targets) == 1 else "puzzles"
        return {"level": level, what: len(places), "share": round(len(places) / self.bits.size, 6)}

    def _puzzle_at(self, place: int) -> str:
        hand, target = divmod(int(place), len(self.targets))
        numbers = format_hand(self.hands[hand])
        return numbers if len(self.targets) == 1 else f"{numbers} = {self.targets[target]}"

    def _summary(self, bits: Floats) -> Row:
        row: Row = dict.fromkeys(("mean bits", "median bits"))
        if len(bits):
            row["mean bits"] = round(float(bits.mean()), 3)
            row["median bits"] = round(float(np.median(bits)), 3)
        cuts = level_cutoffs(self.game)
        if cuts is not None:
            levels = np.searchsorted(cuts, bits, side="right")
            counts = np.bincount(levels, minlength=len(cuts) + 1).tolist()
            row |= {f"level {level}": count for level, count in enumerate(counts, 1)}
        return row

    def _repr_html_(self) -> str:
        return render(self.by_level(), "html")


def _known(rows: Floats) -> list[Floats]:
    """Return each row without its NaN."""
    return [row[~np.isnan(row)] for row in np.ascontiguousarray(rows)]


def survey_difficulty(
    game: Game | str,
    targets: range | Sequence[int] | int | None = None,
    *,
    executor: "Executor | None" = None,
    progress: Callable[[int], object] | None = None,
    store: str | Path | None = None,
    work: int | None = DEFAULT_WORK,
) -> Difficulties:
    """Find how hard the targets are for people to make from each hand of a game.

    Without targets they are the game's target, or its own range where it has none. `executor`,
    `progress`, `store` and `work` are those of `survey`; what the hands make at all is kept in the
    same file, and found first where it is not there yet.

    >>> [(row["level"], row["hands"]) for row in survey_difficulty("crisps").by_level()][:2]
    [(1, 22), (2, 31)]

    Raises what `survey` raises, sooner for many targets: at most some 33 million pairs of a hand
    and a target are graded.
    """
    game = find_game(game)
    check_grouping(game)
    wanted = range_of(game.target if targets is None else targets, game)
    check_asked(game, wanted, graded=True, work=work)
    hands = list_hands(game)
    asked = __version__, game, wanted
    if store is None:
        found = in_chunks(grade_chunk, asked, hands, executor, progress)
        bits = np.array([unpacked_bits(each, len(wanted)) for _, chunk in found for each in chunk])
        return Difficulties(game, wanted, hands, bits)
    survey(game, wanted, executor=executor, store=store, work=work)
    with Store(to_path(store), game, wanted) as kept:
        done = kept.count_graded()
        if progress is not None:
            progress(done)
        for _, each in in_chunks(grade_chunk, asked, hands[done:], executor, progress):
            kept.grade(each)
    return Difficulties.load(store)


def grade_chunk(version: str, game: Game, targets: range, hands: Sequence[Hand]) -> list[Packed]:
    """Return for each hand how hard it is to make each of the targets.

    Raises `executors.VersionError` where this is not the version that asks.
    """
    check_version(__version__, "that was asked", version)
    efforts = DifficultyModel(game, largest_numbers(game), within=(targets[0], targets[-1]))
    found = []
    for values, bits in efforts.surprisals(hands):
        made, rows = whole_values(values)
        every = np.full(len(targets), np.nan)
        every[places_among(targets, made)] = bits[rows]
        found.append(packed(every))
    return found
