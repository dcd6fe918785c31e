"""The difficulty of all hands of a game for people, for one target or a range of targets.

`solving.effort` grades a hand in bits: how unlikely a sensible attempt is to succeed. `grades`
packs the bits and reads them from a file. Grading takes about as long as a survey of the game
with all orders of steps.
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
from crisps24.output.tables import Row
from crisps24.rules.deals import format_hand, largest_numbers
from crisps24.rules.games import Game, Hand, find_game
from crisps24.rules.ratios import Floats, Ints, whole_values
from crisps24.rules.widths import sum_by_index
from crisps24.rules.work import DEFAULT_WORK
from crisps24.solving.effort import DifficultyModel, difficulties_from_bits, level_cutoffs, level_of
from crisps24.surveys.chunks import run_chunks
from crisps24.surveys.deals import to_survey
from crisps24.surveys.grades import PackedBits, load_grades, pack_bits, unpack_bits
from crisps24.surveys.hand_tables import HandTable
from crisps24.surveys.store import Store
from crisps24.surveys.surveys import survey, target_indices

if TYPE_CHECKING:
    from concurrent.futures import Executor

# The percentages of `by_share`.
_PERCENTAGES = range(5, 100, 5)


@dataclass(frozen=True, eq=False)
class Difficulties(HandTable):
    """How hard targets are to make from the hands of a game, in bits.

    With one more bit, people find a solution half as often. `hands` and `targets` are as in
    `Survey`; `bits` is an array with a row for each hand and a column for each target: NaN if no
    solution stays at or above zero. A notebook displays the table by level. A target that is
    not among `targets` raises RefusedError.
    """

    bits: Floats = field(repr=False)
    _cells, _first_view, _done, _read = "bits", "by_level", "graded", load_grades

    def by_level(self) -> list[Row]:
        """Return a row for each level from 1 (easy) to 5 that has puzzles: their number and bits.

        A puzzle is a hand with one of the targets. The keys are `level` (None for a game without
        levels), `puzzles` (their number; `hands` if the survey has one target), `share` (of all
        puzzles, from 0 to 1), `least bits` and `most bits`, and `example` (the puzzle in the
        middle, as text: `1 2 5 8 = 24`). The last row counts the puzzles without a solution, if
        there are any; its level and bits are None.
        """
        flat = self.bits.ravel()
        rows: list[Row] = []
        for level, indices in self._levels():
            bits = flat[indices]
            median = indices[np.argsort(bits, kind="stable")[len(bits) // 2]]
            row = self._count_row(level, indices)
            row |= {"least bits": float(bits.min()), "most bits": float(bits.max())}
            rows.append(row | {"example": self._puzzle_text(median)})
        unsolved = np.isnan(flat).nonzero()[0]
        if len(unsolved):
            row = dict.fromkeys(rows[0] if rows else ())
            row |= self._count_row(None, unsolved) | {"example": self._puzzle_text(unsolved[0])}
            rows.append(row)
        return rows

    def by_target(self) -> list[Row]:
        """Return a row for each target: how many hands make it, and how hard that is.

        The keys are `target`, `hands` (the number of these hands), `mean bits` and `median bits`
        (None without any) and, if the game has levels, `level 1` to `level 5` (the number of hands
        of each level).
        """
        return [
            {"target": target, "hands": len(bits), **self._summary(bits)}
            for target, bits in zip(self.targets, self.bits_by_target(), strict=True)
        ]

    def by_hand(self) -> list[Row]:
        """Return a row for each hand: how many targets it makes, and how hard that is.

        The keys are `numbers` (the hand as text), `targets` (their number), and the others of
        `by_target`, for targets. If the survey has only one target, return only the hands that make
        it, from easy to hard, with `numbers`, `bits`, `level` and `seconds` (that a person needs).
        """
        if len(self.targets) > 1:
            return [
                {"numbers": format_hand(hand), "targets": len(bits), **self._summary(bits)}
                for hand, bits in zip(self.hands, _without_nan(self.bits), strict=True)
            ]
        column = self.bits[:, 0]
        # NaN is sorted to the end: leave out the hands that do not make the target.
        order = np.argsort(column, kind="stable")[: len(column) - np.isnan(column).sum()]
        rows: list[Row] = []
        for index in order.tolist():
            hand, pair = self.hands[index], (self.targets[0], float(column[index]))
            [grade] = difficulties_from_bits([pair], hand, self.game).values()
            row = {"bits": grade.bits, "level": grade.level, "seconds": grade.seconds}
            rows.append({"numbers": format_hand(hand)} | row)
        return rows

    def by_share(self) -> list[Row]:
        """Return how hard the easiest 5 %, 10 %, ... 95 % of the solvable puzzles are: a row each.

        The keys are `share` (0.05 to 0.95), `bits` (of the hardest puzzle of that share) and
        `level`. The list is empty if no target can be made.
        """
        # Without any solvable puzzle the list of quantiles is empty, so the lengths can differ.
        return [
            {"share": percent / 100, "bits": bits, "level": level_of(bits, self.game)}
            for percent, bits in zip(_PERCENTAGES, self.quantiles(_PERCENTAGES), strict=False)
        ]

    def quantiles(self, percents: Sequence[int]) -> list[float]:
        """Return how hard the easiest part of the solvable puzzles is at most, in bits.

        The result has a number for each percentage, an integer from 1 to 100. The list is empty if
        no target can be made.

        >>> survey_difficulty("cards").quantiles([20, 50, 75, 90])
        [1.722, 3.88, 5.567, 7.13]
        """
        if not isinstance(percents, Sequence) or any(
            percent not in range(1, 101) for percent in percents
        ):
            raise RefusedError(
                f"invalid percentages {quoted(percents)} (expected integers from 1 to 100)"
            )
        sorted_bits = np.sort(self.bits[~np.isnan(self.bits)])
        if not len(sorted_bits):
            return []
        # The number of puzzles in each part, rounded up. The last puzzle of a part is the hardest.
        counts = [-(-len(sorted_bits) * percent // 100) for percent in percents]
        return [float(sorted_bits[count - 1]) for count in counts]

    def bits_by_level(self) -> dict[int | None, Floats]:
        """Return a dict from each level that has puzzles, easy first, to the bits of its puzzles.

        In a game without levels, the only key is None. The bits of a level are not sorted.
        """
        flat = self.bits.ravel()
        return {level: flat[indices] for level, indices in self._levels()}

    def bits_by_target(self) -> list[Floats]:
        """Return for each target, ascending, the bits of the hands that make it."""
        return _without_nan(self.bits.T)

    def _levels(self) -> Iterator[tuple[int | None, Ints]]:
        """Yield each level that has puzzles, easy first, with the indices of its puzzles."""
        flat = self.bits.ravel()
        cutoffs = level_cutoffs(self.game) or ()
        # A level has the bits from its cutoff up to the next one; NaN is in no level.
        for first, end in pairwise([-np.inf, *cutoffs, np.inf]):
            indices = ((flat >= first) & (flat < end)).nonzero()[0]
            if len(indices):
                yield level_of(flat[indices[0]], self.game), indices

    def _count_row(self, level: int | None, indices: Ints) -> Row:
        key = "hands" if len(self.targets) == 1 else "puzzles"
        count = len(indices)
        return {"level": level, key: count, "share": round(count / self.bits.size, 6)}

    def _puzzle_text(self, index: int) -> str:
        """Return a puzzle as text: `1 2 5 8 = 24`, or only its numbers if there is one target."""
        hand_index, column = divmod(int(index), len(self.targets))
        numbers = format_hand(self.hands[hand_index])
        return numbers if len(self.targets) == 1 else f"{numbers} = {self.targets[column]}"

    def _summary(self, bits: Floats) -> Row:
        """Return the mean and the median of some bits, and how many are in each level."""
        row: Row = dict.fromkeys(("mean bits", "median bits"))
        if len(bits):
            row["mean bits"] = round(float(bits.mean()), 3)
            row["median bits"] = round(float(np.median(bits)), 3)
        cutoffs = level_cutoffs(self.game)
        if cutoffs is not None:
            levels = np.searchsorted(cutoffs, bits, side="right")
            counts = sum_by_index(levels, length=len(cutoffs) + 1).tolist()
            row |= {f"level {level}": count for level, count in enumerate(counts, 1)}
        return row


def _without_nan(rows: Floats) -> list[Floats]:
    """Return each row of a table without its NaN items, which are puzzles without a solution."""
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

    The other arguments and the errors are those of `survey`; the limit is 33 million pairs of a
    hand and a target.

    Args:
        targets: As for `survey`; None means the target of the game, or its range if it has none.
        store: As for `survey`; the file also gets which hands make which targets, computed first.

    >>> [(row["level"], row["hands"]) for row in survey_difficulty("crisps").by_level()][:2]
    [(1, 22), (2, 31)]
    """
    game = find_game(game)
    targets = game.target if targets is None else targets
    target_range, hands = to_survey(game, targets, graded=True, work=work)

    def graded(hands: Sequence[Hand]) -> Iterator[tuple[Sequence[Hand], list[PackedBits]]]:
        arguments = __version__, game, target_range
        return run_chunks(grade_chunk, arguments, hands, executor, progress)

    if store is None:
        width = len(target_range)
        rows = [unpack_bits(packed, width) for _, grades in graded(hands) for packed in grades]
        return Difficulties(game, target_range, hands, np.array(rows, float))
    survey(game, target_range, executor=executor, store=store, work=work)
    with Store(to_path(store), game, target_range) as file:
        graded_count = file.count_graded()
        if progress is not None:
            progress(graded_count)
        for _, grades in graded(hands[graded_count:]):
            file.add_grades(grades)
    return Difficulties.load(store)


def grade_chunk(
    version: str, game: Game, targets: range, hands: Sequence[Hand]
) -> list[PackedBits]:
    """Compute, in a worker, how hard each target is for some hands of a survey."""
    check_version(__version__, "that was asked", version)
    model = DifficultyModel(game, largest_numbers(game), within=(targets[0], targets[-1]))
    grades = []
    for values, bits in model.surprisals(hands):
        # Fractions between the first and the last target are not targets.
        whole_numbers, is_whole = whole_values(values)
        target_bits = np.full(len(targets), np.nan, float)
        target_bits[target_indices(targets, whole_numbers)] = bits[is_whole]
        grades.append(pack_bits(target_bits))
    return grades
