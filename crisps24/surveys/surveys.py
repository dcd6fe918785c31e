"""Surveys: each hand of a game against each target.

`by_value` computes the values of the hands of a chunk, and keeps those of the sub-hands that the
next hands share. `chunks` divides the work, and `store` writes the file. The time grows with the
pairs of values of all hands: 495 hands of four numbers take less than a second.
"""

import pickle
import socket
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import local
from typing import Any

import numpy as np
import numpy.typing as npt

from crisps24.about import __version__
from crisps24.errors import RefusedError, quoted
from crisps24.hands.by_value import SharedValues, ValueChart
from crisps24.hands.chart import Level, levels_for
from crisps24.hands.shortest import ShortestForms
from crisps24.output.atomic_files import to_path
from crisps24.output.executors import check_version
from crisps24.output.tables import Row
from crisps24.rules.deals import format_hand, largest_numbers
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand, find_game
from crisps24.rules.machines import VALUES
from crisps24.rules.partitions import largest_parts
from crisps24.rules.ratios import Ints, integer_bound, whole_values
from crisps24.rules.words import format_range
from crisps24.rules.work import DEFAULT_WORK
from crisps24.surveys.chunks import CHUNK_HANDS, run_chunks
from crisps24.surveys.deals import (
    check_distances,
    to_survey,
    to_target_range,
    with_neighbours,
    without_neighbours,
)
from crisps24.surveys.distances import Distances, group_by_large, measure_distances
from crisps24.surveys.hand_tables import HandTable
from crisps24.surveys.records import Bits, load_survey, unpack_rows
from crisps24.surveys.store import Store

# Eight targets per byte, the first in the highest bit.
_PackedBits = npt.NDArray[np.uint8]

# Numbers of a hand from which processes share the values of its largest parts, and most values
# that they share: 24 MB in each process.
_MIN_SHARING_HAND = 6
_MAX_SHARED_VALUES = 6_000_000
# Results with roots or decimals that are kept for the next hands.
_MAX_FORMS = 4_000_000


@dataclass(frozen=True, eq=False)
class Survey(HandTable):
    """Which hands of a game make which targets.

    `hands` are sorted tuples of numbers, in lexicographic order; `targets` is a range; `solvable`
    is a boolean array with a row for each hand and a column for each target. A notebook displays
    the table by target. A target that is not among `targets` raises RefusedError.
    """

    solvable: Bits = field(repr=False)
    _cells, _first_view, _done, _read = "solvable", "by_target", "done", load_survey

    def by_target(self) -> list[Row]:
        """Return a row for each target, ascending: how many hands make it.

        The keys are `target`, `solvable` (the number of these hands), `share` (of all hands, from 0
        to 1) and `fail` (the number of other hands).
        """
        total = len(self.hands)
        counts = self.solvable.sum(axis=0).tolist()
        return [
            {"target": target, "solvable": count, "share": _share(count, total)}
            | {"fail": total - count}
            for target, count in zip(self.targets, counts, strict=True)
        ]

    def by_hand(self) -> list[Row]:
        """Return a row for each hand, in the order of `hands`.

        The keys are `numbers` (a text), `reached` (how many targets it makes), `share` (their share
        from 0 to 1) and, if 1 is a target, `run`: the largest of the targets 1, 2, 3 and so on that
        it makes without a gap, or 0 if it does not make 1.
        """
        total = len(self.targets)
        counts = self.solvable.sum(axis=1).tolist()
        rows: list[Row] = [
            {"numbers": format_hand(hand), "reached": count, "share": _share(count, total)}
            for hand, count in zip(self.hands, counts, strict=True)
        ]
        if 1 in self.targets:
            made = self.solvable[:, self.targets.index(1) :]
            runs = np.where(made.all(axis=1), made.shape[1], made.argmin(axis=1)).tolist()
            for row, run in zip(rows, runs, strict=True):
                row["run"] = run
        return rows

    def by_large(self) -> list[Row]:
        """Return a row for the hands with no large number, with one, and so on, and one for all.

        The large numbers of a game are in `Game.large`, such as 25, 50, 75 and 100. The keys are
        `large` (how many, as text, or `all`), `hands` (the number of hands), `share` (of the pairs
        of a hand and a target, those that are solvable), `every_target` (the number of hands that
        make all targets), `hardest` (the smallest target that the fewest hands make) and
        `hardest_share` (the share of hands that make it).
        """
        rows: list[Row] = []
        for name, is_in_group in group_by_large(self.game, self.hands).items():
            makes_target = self.solvable[is_in_group]
            hand_count = len(makes_target)
            hands_by_target = makes_target.sum(axis=0)
            hardest_index = int(np.argmin(hands_by_target))
            row: Row = {
                "large": name,
                "hands": hand_count,
                "share": _share(int(hands_by_target.sum()), makes_target.size),
                "every_target": int(makes_target.all(axis=1).sum()),
                "hardest": self.targets[hardest_index],
                "hardest_share": _share(int(hands_by_target[hardest_index]), hand_count),
            }
            rows.append(row)
        return rows

    def distances(
        self, most: int = 10, targets: range | Sequence[int] | int | None = None
    ) -> Distances:
        """Return how far the closest value of each hand is from each target, up to a limit.

        The survey needs `most` more targets on both sides of the targets to measure from. Targets
        below the least value of a game are not needed: countdown only has values from 1.

        >>> from dataclasses import replace
        >>> from crisps24 import GAMES
        >>> two_tiles = replace(GAMES["countdown"], length=2)
        >>> distances = survey(two_tiles, range(91, 112)).distances(10)
        >>> rows = distances.by_large()
        >>> distances.targets, [row["pairs"] for row in rows if row["large"] == "all"]
        (range(101, 102), [1, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 84])

        Args:
            most: The limit, 1 to 100. Larger distances are counted together, as `most` + 1.
            targets: As for `survey`; None means all targets with enough others on both sides.

        Raises RefusedError also for a game with fractions: its closest value can be a fraction.
        """
        check_distances(self.game, most)
        measurable = without_neighbours(self.targets, most, self.game)
        measured = measurable if targets is None else to_target_range(targets, self.game)
        if measured[0] < measurable[0] or measured[-1] > measurable[-1]:
            needed = format_range(with_neighbours(measured, most, self.game))
            raise RefusedError(
                f"distances up to {most} from {format_range(measured)} need a survey of {needed}, "
                f"not {format_range(self.targets)}"
            )
        first = self.targets.index(measured[0])
        table = measure_distances(self.solvable, first, len(measured), most)
        return Distances(self.game, measured, most, self.hands, table)

    def hardest(self, count: int) -> list[Row]:
        """Return the `count` targets that the fewest hands make, a row for each, hardest first.

        The rows are those of `by_target`; of equally hard targets, the smallest is first.
        """
        if not isinstance(count, int) or count < 0:
            raise RefusedError(f"invalid number of targets {quoted(count)} (expected 0 or more)")
        return sorted(self.by_target(), key=lambda row: row["solvable"])[:count]

    def unsolvable(self, target: int) -> list[Hand]:
        """Return the hands that do not make a target, in the order of `hands`."""
        column = self.only(target).solvable[:, 0]
        hands = zip(self.hands, column.tolist(), strict=True)
        return [hand for hand, is_solvable in hands if not is_solvable]

    def save(self, path: str | Path) -> None:
        """Write the survey to a SQLite file, which `Survey.load` reads.

        If the file is the same survey, interrupted before its end, the missing hands are added;
        any other file raises RefusedError.
        """
        with Store(to_path(path), self.game, self.targets) as store:
            rows = zip(self.hands, self.solvable, strict=True)
            missing = islice(rows, store.hand_count, None)
            for chunk in iter(lambda: list(islice(missing, CHUNK_HANDS)), []):
                hands, solvable = zip(*chunk, strict=True)
                store.add(hands, np.array(solvable, bool))


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
    """Find which hands of a game make which targets.

    Args:
        game: The game, or its name.
        targets: A target, a range, or a sequence of consecutive ascending integers. None means the
            range of the game, `Game.targets`, even if the game has one target.
        executor: Runs the search in other processes, some hands at a time; None runs it here.
        progress: Called with the number of hands that are newly done, again and again; with
            `store`, first with the number of hands in the file.
        store: A SQLite file for the results. Hands that it already has are not computed again.
        work: How many pairs of values, such as 3 and 8 before 3 + 8, the search of ten hands can
            combine; None for no limit. It does not limit small hands, of up to 6 numbers in most
            games.

    >>> survey("crisps", 24).by_target()
    [{'target': 24, 'solvable': 195, 'share': 0.393939, 'fail': 300}]

    Raises:
        RefusedError: No targets, gaps between targets, too many hands or targets, too much work,
            or a file of another survey.
        KindError: An argument of another type.
        VersionError: A worker has another version.
        OSError: The file cannot be read or written.
    """
    game = find_game(game)
    target_range, hands = to_survey(game, targets, work=work)

    def surveyed(hands: Sequence[Hand]) -> Iterator[tuple[Sequence[Hand], _PackedBits]]:
        arguments = __version__, game, target_range
        with _shared_parts(arguments, hands, executor) as path:
            work = survey_chunk if path is None else partial(survey_chunk, shared=path)
            yield from run_chunks(work, arguments, hands, executor, progress)

    if store is None:
        packed = np.concatenate([rows for _, rows in surveyed(hands)])
        return Survey(game, target_range, hands, unpack_rows(packed, len(target_range)))
    with Store(to_path(store), game, target_range) as file:
        if progress is not None:
            progress(file.hand_count)
        for chunk, rows in surveyed(hands[file.hand_count :]):
            file.add(chunk, unpack_rows(rows, len(target_range)))
    return Survey.load(store)


@contextmanager
def _shared_parts(
    arguments: tuple[str, Game, range], hands: Sequence[Hand], executor: Executor | None
) -> Iterator[Path | None]:
    """Yield a file with the values of the largest parts of long hands, or None.

    Two processes take 17 seconds with it for countdown, and 23 if each computes what it needs.
    """
    is_long = arguments[1].length >= _MIN_SHARING_HAND and not arguments[1].fractions
    if executor is not None and is_long:
        from concurrent.futures import ProcessPoolExecutor
    if executor is None or not is_long or not isinstance(executor, ProcessPoolExecutor):
        yield None
        return
    parts = {part for hand in hands for part in largest_parts(hand, in_order=False)}
    with TemporaryDirectory(prefix="crisps24-", ignore_cleanup_errors=True) as folder:
        count, path = 0, Path(folder, "values")
        with path.open("wb") as file:
            for _, shared in run_chunks(share_chunk, arguments[1:], sorted(parts), executor, None):
                pickle.dump(shared, file)
                count += len(shared[-1])
                if count > _MAX_SHARED_VALUES:
                    break
        yield path if count <= _MAX_SHARED_VALUES else None


def share_chunk(game: Game, targets: range, parts: Sequence[Hand]) -> SharedValues:
    """Compute, in a worker, the values of some parts of hands."""
    return _thread_cache.rows_for(game, targets).chart.share(parts)


def survey_chunk(
    version: str, game: Game, targets: range, hands: Sequence[Hand], shared: Path | None = None
) -> _PackedBits:
    """Find, in a worker, which targets some hands of a survey make; return a row for each hand."""
    check_version(__version__, f"on {socket.gethostname()}", version)
    rows = _thread_cache.rows_for(game, targets)
    if shared is not None:
        rows.load(shared)
    return rows.packed_rows(hands)


class _RowMaker:
    """Finds which targets hands make, as rows: one boolean for each target."""

    def __init__(self, game: Game, targets: range) -> None:
        self.game, self.targets = game, targets
        numbers = largest_numbers(game)
        self._forms = None if VALUES.can_do(game) else ShortestForms(game, numbers)
        if self._forms is not None:
            return
        # After this array is freed, the C library keeps memory between hands. Without it a new
        # process returns memory to the system, and requests it again, a million times.
        np.empty(1 << 24, np.uint8)
        # Whether steps such as 9 - 5, with a small number on the left, never make a target. Then a
        # survey of six numbers takes a sixth less.
        small_left_is_useless = targets[0] > 0 and _small_left_is_useless(
            levels_for(game), game, targets[0], numbers
        )
        # If all numbers are below the targets, a number on the left of the result of all others
        # never makes a target. So a right operand never has all numbers but one.
        single_left_is_useless = small_left_is_useless and max(game.numbers) < targets[0]
        self.chart = ValueChart(
            game,
            numbers,
            within=(targets[0], targets[-1]),
            max_right_size=game.length - 1 - single_left_is_useless,
        )
        # The targets that a small hand makes, as an integer: the bytes of its packed row.
        self._bits: dict[Hand, int] = {}
        self._loaded: Path | None = None

    def load(self, path: Path) -> None:
        """Copy the values in a file of `_shared_parts` to the chart, once."""
        if path != self._loaded:
            self._loaded = path
            with path.open("rb") as file, suppress(EOFError):
                while True:
                    self.chart.add_shared(pickle.load(file))

    def packed_rows(self, hands: Sequence[Hand]) -> _PackedBits:
        rows = np.zeros((len(hands), len(self.targets)), bool)
        if self._forms is not None:
            for hand, row in zip(hands, rows, strict=True):
                made = self._forms.best_forms(hand, self.targets)
                row[[self.targets.index(int(value)) for value in made if value in self.targets]] = 1
                if len(self._forms.values) > _MAX_FORMS:
                    self._forms.clear()
            return np.packbits(rows, axis=1)
        if len(hands[0]) > 1:
            flat = rows.ravel()
            for indices, values in self.chart.last_step_values(hands):
                # All values are between the first and the last target; targets are whole.
                values, is_whole = whole_values(values)
                places = target_indices(self.targets, values)
                places += indices[is_whole] * len(self.targets)
                flat[places] = True
        packed = np.packbits(rows, axis=1)
        # In games that need not use all numbers, fewer numbers can make a target too.
        bits = map(self._bits_of if len(hands[0]) == 1 else self._bits_of_parts, hands)
        row_size = packed.shape[1]
        rows_of_parts = b"".join(integer.to_bytes(row_size, "big") for integer in bits)
        return packed | np.frombuffer(rows_of_parts, np.uint8).reshape(packed.shape)

    def _bits_of(self, hand: Hand) -> int:
        if hand not in self._bits:
            row = np.zeros(len(self.targets), bool)
            values, _ = whole_values(self.chart.values_of(hand))
            row[target_indices(self.targets, values)] = True
            bits = int.from_bytes(np.packbits(row).tobytes(), "big")
            self._bits[hand] = bits | self._bits_of_parts(hand)
        return self._bits[hand]

    def _bits_of_parts(self, hand: Hand) -> int:
        bits = 0
        if not self.game.all_numbers:
            for smaller in largest_parts(hand, in_order=False):
                bits |= self._bits_of(smaller)
        return bits


def target_indices(targets: range, values: Ints) -> Ints:
    """Return the index of each value in a range of targets; all values must be targets."""
    if not len(values):
        # The first target can be too large for 64 bits.
        return np.empty(0, np.int64)
    wide: Any = object if values.dtype == object else np.int64
    return (values.astype(wide) - targets[0]).astype(np.int64, copy=False)


def _small_left_is_useless(
    levels: Sequence[Level], game: Game, target: int, numbers: Sequence[Exact]
) -> bool:
    """Return whether a step never makes the target if its left operand is a smaller number."""
    largest_value = integer_bound(numbers, game)
    if game.fractions or game.negatives or largest_value is None:
        return False
    left_range, right_range = (0, target - 1), (0, largest_value)
    return all(
        (operator.commutes and level.one_order)
        or operator.bounds(left_range, right_range)[1] < target
        for level in levels
        for operator in level.operators
    )


class _ThreadCache(local):
    """Keeps the values computed for the last game of a thread, which threads cannot share."""

    def __init__(self) -> None:
        self.rows_for = lru_cache(maxsize=1)(_RowMaker)


_thread_cache = _ThreadCache()
