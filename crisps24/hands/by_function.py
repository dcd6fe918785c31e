"""One row for each distinct rational function that a sub-hand makes, with its derivations.

The reading of the chart with the key (level, fingerprint). Two expressions are the same solution if
they are equal as rational functions of the numbers dealt, which is decided by polynomial identity
testing (`fingerprints`). Tables are built bottom-up, all sub-hands of one size together, and shared
by all hands of a batch. Derivations are stored in CSR form (`Results.first`, `operators`, `left`,
`right`): a packed forest, from which `forms` takes the plainest tree and `forest` sums weights.

Derivations outside the normal form (see `chart`) add no function, only weight. With `routes` they
are made too, marked by the complement of their operator code. With a value filter (`useful`) rows
are joined along its steps alone instead of by all pairs.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from crisps24.hands.backward import BackwardSearch, BackwardSteps
from crisps24.hands.chart import (
    Chart,
    Level,
    Levels,
    OperandPlan,
    OperandPlans,
    Runs,
    batches_of,
    levels_for,
    plans_for,
)
from crisps24.hands.fingerprints import Elements, FingerprintTable, fingerprints_of
from crisps24.hands.goals import GoalSet, Selector, bounding_hand, one_step_filter, root_hands
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import Operator
from crisps24.rules.ratios import (
    Column,
    Ints,
    group_rows,
    integer_dtype,
    join_columns,
    reduce_column,
    run_start_mask,
)
from crisps24.rules.splits import sub_hand_closure
from crisps24.rules.work import Budget

# Time of a pair of functions, in pairs of values.
FUNCTION_WEIGHT = 10
# Bytes per way to a function, while equal functions are merged.
_WAY_BYTES = 170

# One way to a result: an operator, and the places in the chart that it joins.
Derivation = tuple[Operator, int, int]


class Made(NamedTuple):
    """Results as they are made, a column each: of which node, from which places, what.

    A node is a level of a sub-hand, counted through all sub-hands of one size.
    """

    nodes: Ints
    operators: Ints
    left: Ints
    right: Ints
    prints: Elements
    values: Column


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The distinct results of all sub-hands of one size.

    The derivations of result r are entries `first[r]` to `first[r + 1]` of `operators` (places
    in `known`, those outside the normal form as -1 - place), `left` and `right` (places in the
    chart). `nodes` says of which node each is, in ascending order. `at` is the place of result 0.
    """

    offset: int
    values: Column
    fingerprints: Elements
    nodes: Ints
    starts: Ints
    known: Sequence[Operator]
    codes: Ints
    left: Ints
    right: Ints

    def derivations(self, result: int) -> list[Derivation]:
        """Return each way to a result in the normal form; nothing for a number as it is dealt."""
        at, known = slice(*self.starts[result : result + 2].tolist()), self.known
        codes, left = self.codes[at].tolist(), self.left[at].tolist()
        rows = zip(codes, left, self.right[at].tolist(), strict=True)
        return [(known[code], one, other) for code, one, other in rows if code >= 0]


class _Having:
    """Which results have each of the values that are of use.

    Where few of the values that meet lead anywhere, far fewer meet than functions would.
    """

    def __init__(self, useful: BackwardSearch) -> None:
        self._useful = useful
        # By size: the places of results, and the runs of those that have each value.
        self._of: dict[int, tuple[Ints, Runs]] = {}

    def add(self, hands: Sequence[Hand], results: ResultTable, count: int) -> None:
        """Add the results of all sub-hands of a size, of so many levels each."""
        rows, values = self._useful.find(hands, results.nodes // count, results.values)
        order = np.argsort(values, kind="stable")
        known, _ = self._useful.values(len(hands[0]))
        begins = np.searchsorted(values[order], np.arange(len(known) + 1))
        self._of[len(hands[0])] = results.offset + rows[order], Runs(begins[:-1], np.diff(begins))

    def count(self, steps: BackwardSteps) -> int:
        """Return the number of pairs of results of some steps."""
        (_, left), (_, right) = (self._of[size] for size in steps.sizes)
        return int(left.lengths[steps.left] @ right.lengths[steps.right])

    def pairs(self, steps: BackwardSteps, rows: Ints) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Yield all pairs of results of some of the steps: of which of these, and their places."""
        (lefts, left_runs), (rights, right_runs) = (self._of[size] for size in steps.sizes)
        left, right = left_runs.select(steps.left[rows]), right_runs.select(steps.right[rows])
        sizes = left.lengths * right.lengths
        for some in batches_of(sizes):
            at_left, each, at_right = left.select(some).cross_join(right.select(some))
            of = np.arange(some.start, some.stop).repeat(sizes[some])
            yield of, lefts[at_left].repeat(each), rights[at_right]


# What is made: of which level, by which operator, of which sub-hands, from which places, and what.
_Meeting = tuple[int, Operator, Ints, Ints, Ints, Column]


class KeptResults(NamedTuple):
    """What is kept of the results of a size: which of them, and what each answers."""

    size: int
    table: ResultTable
    rows: Sequence[int]
    goals: Sequence[int]


class FunctionChart(Chart):
    """The functions of the sub-hands of some hands under one game, built size by size.

    The hands are sorted where the order does not matter.
    """

    def __init__(
        self,
        hands: Sequence[Hand],
        game: Game,
        in_order: bool = False,
        *,
        routes: bool = True,
        useful: BackwardSearch | None = None,
        budget: Budget | None = None,
    ) -> None:
        """Begin with the numbers that are dealt.

        Where `routes` are not asked for, what is outside the normal form is left out. Of sub-hands
        only what is `useful` is made. `budget` limits the search.
        """
        self._dealt, self._useful = hands, useful
        self.levels = levels_for(game, in_order)
        # Where the numbers keep their order any grouping is tried, and so it is on all routes.
        free = levels_for(game, in_order=True)
        self._routes = routes or free == self.levels
        free = free if routes else self.levels
        self._beside = _table(free)
        self._normal = _table(self.levels) if free != self.levels else None
        self.level_count = len(self.levels)
        self.known = [operator for level in self.levels for operator in level.operators]
        self._code = {operator: code for code, operator in enumerate(self.known)}
        self._plans, runs_of = _plans_of(free)
        super().__init__(game, integer_dtype(bounding_hand(hands), game), in_order, runs_of, budget)
        self._weight *= FUNCTION_WEIGHT
        tops = dict.fromkeys(top for hand in hands for top in root_hands(hand, game, in_order))
        self._tops = sorted({len(top) for top in tops})
        self._wanted = self._wanted_of(tops)
        # Without parentheses the last operators of a row have only its start on their left, so
        # that no other span needs a result of theirs.
        rows = in_order and not game.parentheses
        self._starts = {top[:size] for top in tops for size in range(1, len(top) + 1) if rows}
        dealt = [number for (number,) in self._wanted[1]]
        self.prints = FingerprintTable(fingerprints_of(dealt))
        none = np.empty(0, np.int64)
        self.tables: list[ResultTable] = []
        self._having = _Having(useful) if useful else None
        self._levels_at = self.new_column(np.zeros(0, np.int8))
        self._add(
            1,
            ResultTable(
                offset=0,
                values=self._column(dealt),
                fingerprints=self.prints.elements,
                nodes=np.arange(len(dealt)) * self.level_count,
                starts=np.zeros(len(dealt) + 1, np.int64),
                known=self.known,
                codes=none,
                left=none,
                right=none,
            ),
        )

    def with_routes(self) -> "FunctionChart":
        """Return the chart of the same hands with all routes: itself if it has them."""
        if self._routes:
            return self
        how: Any = {"useful": self._useful, "budget": self.budget}
        return FunctionChart(self._dealt, self.game, self.in_order, **how)

    def _wanted_of(self, tops: Iterable[Hand]) -> list[list[Hand]]:
        """Return the sub-hands by size that some are taken apart into, themselves among them."""
        wanted: list[list[Hand]] = [[] for _ in range(self._tops[-1] + 1)]
        for part in sub_hand_closure(tops, self.in_order):
            wanted[len(part)].append(part)
        return wanted

    def hands_of_size(self, size: int) -> list[Hand]:
        """Return the sub-hands of a size, in the order of their places."""
        return self._wanted[size] if size < len(self._wanted) else []

    def build(self, size: int) -> None:
        """Fill the chart with the results of all sub-hands up to a size."""
        for larger in range(len(self.tables) + 1, size + 1):
            self._add(larger, self._make(larger))

    def _add(self, size: int, results: ResultTable) -> None:
        """Add the results of all sub-hands of a size."""
        hands = self.hands_of_size(size)
        nodes = np.arange(len(hands) * self.level_count + 1)
        ends = results.offset + np.searchsorted(results.nodes, nodes)
        starts, stops = (each.reshape(-1, self.level_count) for each in (ends[:-1], ends[1:]))
        self.index_of.update(zip(hands, self.add_entries(hands, starts, stops), strict=True))
        self.values.extend(results.values)
        if size > 1:
            self.prints.extend(results.fingerprints)
        self.tables.append(results)
        self._levels_at.extend((results.nodes % self.level_count).astype(np.int8))
        if self._having is not None:
            self._having.add(hands, results, self.level_count)

    def kept_results(
        self, keep_of: Callable[[Sequence[Hand]], Selector], goals: GoalSet | None = None
    ) -> Iterator[KeptResults]:
        """Yield what to keep of each size, smaller ones first; `keep_of` tells it of sub-hands.

        Larger sub-hands are looked at only when they are asked for; as the whole of a solution
        only the results that are kept are made at all, and what only leads to these only where
        it does, if it is told what is asked.
        """
        for size in self._tops:
            leading = self._useful is None and not self.game.negatives
            if size == self._tops[-1] and goals is not None and leading:
                self._build_leading(size - 1, goals)
            self.build(size - 1)
            keep = keep_of(self.hands_of_size(size))
            if size == 1:
                results = self.tables[0]
                rows, found = keep(results.values, np.arange(len(results.fingerprints)))
            else:
                results = self._make(size, keep)
                rows, found = np.arange(len(results.nodes)), results.nodes // self.level_count
            yield KeptResults(size, results, rows.tolist(), found.tolist())

    def count_known_solutions(self, size: int, goals: GoalSet, enough: int) -> int:
        """Return how many answers have parts of at most so many numbers, 0 if below `enough`.

        Only answers that use all numbers are counted. This is less work than all answers are.
        """
        hands = self.hands_of_size(self._tops[-1])
        if self._having is None or self._useful is None or len(hands[0]) == 1:
            return 0
        self.build(size)
        steps = [each for each in self._useful.steps(len(hands[0])) if max(each.sizes) <= size]
        # Few pairs make the same function: half as many again are nearly always enough.
        if 2 * sum(map(self._having.count, steps)) < 3 * enough:
            return 0
        made = self._made(hands, goals.query_for(hands).select, size)
        self.budget.add_bytes(-len(made.nodes) * _WAY_BYTES)
        prints = np.sort(made.prints)
        return int(run_start_mask(prints).sum())

    def _build_leading(self, size: int, goals: GoalSet) -> None:
        """Fill the chart up to a size of which only what leads to a target is of use."""
        self.build(size - 1)
        if size > len(self.tables):
            self._add(
                size, self._make(size, one_step_filter(goals, size, self.hands_of_size(size)))
            )

    def table_at(self, place: int) -> tuple[ResultTable, int]:
        """Return the results of the size that a place of the chart is of, and which one it is."""
        results = next(results for results in reversed(self.tables) if results.offset <= place)
        return results, place - results.offset

    def level_at(self, places: Ints) -> Ints:
        """Return of which levels places of the chart are."""
        levels: Ints = self._levels_at[places]
        return levels

    def _make(self, size: int, keep: Selector | None = None) -> ResultTable:
        """Make the distinct results of every sub-hand of a size, or those to keep."""
        made = self._made(self.hands_of_size(size), keep)
        order, first = group_rows(made.nodes, made.prints)
        operators, left, right = (column[order] for column in made[1:4])
        if self._normal is not None:
            normal = self._normal[operators, self.level_at(right)]
            operators = np.where(normal, operators, ~operators)
        each = order[first]
        return ResultTable(
            len(self.values),
            made.values[each],
            made.prints[each],
            made.nodes[each],
            np.append(first, len(order)),
            self.known,
            operators,
            left,
            right,
        )

    def _made(
        self, hands: Sequence[Hand], keep: Selector | None, longest: int | None = None
    ) -> Made:
        """Make every result of some hands that is legal and to keep, equal ones each time.

        With a value filter, parts have at most `longest` numbers.
        """
        none = np.zeros(0, np.int64)
        found = [Made(none, none, none, none, self.prints.elements[:0], self.values[:0])]
        meeting = (
            self._meeting(hands, keep)
            if self._useful is None
            else self._leading(hands, keep, longest)
        )
        for own, operator, of, left, right, values in meeting:
            prints = self.prints.combine(operator, left, right, values)
            code = np.full(len(of), self._code[operator], np.int8)
            found.append(Made(of * self.level_count + own, code, left, right, prints, values))
        *columns, made = zip(*found, strict=True)
        nodes, codes, at_left, at_right, prints = map(np.concatenate, columns)
        return Made(nodes, codes, at_left, at_right, prints, join_columns(made))

    def _meeting(self, hands: Sequence[Hand], keep: Selector | None) -> Iterator[_Meeting]:
        """Yield what results that meet make that is legal and to keep."""
        every = self.partitions(hands)
        starts = np.array([not self._starts or hand in self._starts for hand in hands])
        for plan, operators in self._plans.items():
            of_plan, taken = {plan: operators}, every
            if operators[0][0] == self.level_count - 1 and not starts.all():
                taken = every.select(starts[every.hands].nonzero()[0])
            for some in self.batches(of_plan, taken):
                for own, operator, pairs, rows, values in self.legal_steps(of_plan, some):
                    of = pairs.hands[rows]
                    if keep is not None:
                        # What is kept is told apart by what it answers, not by its sub-hand.
                        held, of = keep(values, of)
                        rows, values = rows[held], values[held]
                    if len(rows):
                        self.budget.add_bytes(len(rows) * _WAY_BYTES)
                        left, right = pairs.left[rows], pairs.right[rows]
                        yield own, operator, of, left, right, reduce_column(values)

    def _leading(
        self, hands: Sequence[Hand], keep: Selector | None, longest: int | None
    ) -> Iterator[_Meeting]:
        """Yield what results make whose values lead to what is of use, and to keep."""
        assert self._useful is not None
        assert self._having is not None
        owns = {each: own for own, level in enumerate(self.levels) for each in level.operators}
        of_all, values_of = self._useful.values(len(hands[0]))
        places = self._useful.places_of(hands)[of_all]
        for steps in self._useful.steps(len(hands[0])):
            if longest is not None and max(steps.sizes) > longest:
                continue
            self.budget.add_pairs(len(steps.made), self._weight)
            of, values = places[steps.made], values_of[steps.made]
            rows = np.arange(len(of))
            if keep is not None:
                rows, of = keep(values, of)
                values = values[rows]
            may = self._beside[self._code[steps.operator]]
            for at, left, right in self._having.pairs(steps, rows):
                some = may[self.level_at(right)].nonzero()[0]
                self.budget.add_bytes(len(some) * _WAY_BYTES)
                at, left, right = at[some], left[some], right[some]
                yield owns[steps.operator], steps.operator, of[at], left, right, values[at]

    def mirrored(self, operators: Ints, left: Ints) -> Any:
        """Return which ways by operators are there the other way round, too, on all routes."""
        if self.in_order:
            return np.zeros(len(left), bool)
        commutes = np.array([operator.commutes for operator in self.known], bool)
        return commutes[operators] & self._beside[operators, self.level_at(left)]


@lru_cache(64)
def _plans_of(levels: Sequence[Level]) -> tuple[OperandPlans, dict[Levels, list[range]]]:
    """Return what meets by levels, and the runs of each side."""
    plans = plans_for(levels, lambda level: [OperandPlan(level.lefts, level.rights)])
    sides = {side for plan in plans for side in plan[:2]}
    return plans, {side: _runs(side) for side in (*sides, tuple(range(len(levels))))}


@lru_cache(64)
def _table(levels: Sequence[Level]) -> Any:
    """Return for each operator, in order, whether each level may stand on its right."""
    return np.array(
        [
            [own in level.rights for own in range(len(levels))]
            for level in levels
            for _ in level.operators
        ],
        bool,
    ).reshape(-1, len(levels))


def _runs(side: Levels) -> list[range]:
    """Return levels as runs."""
    of = {own: own - at for at, own in enumerate(side)}
    runs = (list(run) for _, run in groupby(side, of.__getitem__))
    return [range(run[0], run[-1] + 1) for run in runs]
