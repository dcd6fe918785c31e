"""Backward search: which values of which sub-hands lie on a path to a target.

For large hands, whose full tables are too large. Meet in the middle, in four passes:

1. forward: all values of sub-hands of up to half the numbers (`ValueChart`);
2. backward: a value wanted of a sub-hand and a known value of its smaller part give, by the inverse
   operator, the one value that the larger part must have (any, where that divides zero by zero);
3. forward: which of the wanted values are reachable;
4. backward: which of these are on a path to a target, with the steps between them.

The result, `BackwardSearch`, is an exact filter of values by sub-hand, by which `by_function` and
`by_value` prune. Lookups are joins on sorted 64-bit hashes (`_Table`) behind a Bloom filter
(`asks.Likely`).
Takes games with parentheses in which every operator has an inverse (`has_inverses`).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from crisps24.hands.by_value import ValueChart, ValueFilter
from crisps24.hands.chart import MAX_PAIRS_PER_SPLIT, PAIRS_PER_BATCH, Runs, batches_of, split_runs
from crisps24.hands.goals import BloomFilter, hash_column
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import OPERATORS, Operator, ResultRule, StepRule, obeys_result_rules
from crisps24.rules.ratios import (
    Column,
    Ints,
    Ratios,
    distinct_rows,
    equal_mask,
    exact_values,
    integer_bound,
    integer_columns,
    join_columns,
    largest_integer,
    make_column,
    mask_indices,
    reduce_column,
    run_start_mask,
)
from crisps24.rules.splits import partitions, sub_hand_closure
from crisps24.rules.work import Budget, pair_weight

_WORD = (1 << 64) - 1
# Bytes per value that is looked for, with its sub-hand and keys.
_WANTED_BYTES = 60
# Bytes per value of a table, with its sub-hand and keys.
_TABLE_BYTES = 60
# Values that are looked for are merged as soon as there are twice as many as before, and so many.
_MERGED = 1_000_000
_NONE = np.zeros(0, np.int64)


class _Undoing(NamedTuple):
    """The rules of a step that is taken back: the arithmetic has to come out, no more."""

    fractions: bool
    positive: bool = False
    result_rules: tuple[ResultRule, ...] = ()
    operand_rules: tuple[StepRule, ...] = ()
    max_bits: int | None = None


class _Cuts(NamedTuple):
    """Sub-hands cut in two, by their places among all of them: columns."""

    whole: Ints
    small: Ints
    """The part of fewer numbers, of which all values are known."""
    large: Ints
    sizes: tuple[int, int]
    """How many numbers the smaller parts have, and the larger ones."""
    on_right: bool
    """Whether the smaller part stands on the right."""

    def at(self, rows: Any) -> "_Cuts":
        """Return some of them."""
        return self._replace(**{name: getattr(self, name)[rows] for name in self._fields[:3]})


class _Undone(NamedTuple):
    """What larger parts have to make, beside values of smaller ones, for what is asked: columns."""

    sizes: tuple[int, int]
    """How many numbers the smaller parts have, and the larger ones."""
    operator: Operator
    on_right: bool
    """Whether the smaller part stands on the right."""
    asked: Ints
    """The places of the values asked for."""
    small: Ints
    """Those of what the smaller part makes."""
    large: Ints
    """The larger parts, by their places among the sub-hands."""
    values: Column | None
    """What they have to make; None where anything will do."""


class _Steps(NamedTuple):
    """Steps that make what is asked: columns of places of values."""

    sizes: tuple[int, int]
    operator: Operator
    on_right: bool
    asked: Ints
    small: Ints
    large: Ints


class BackwardSteps(NamedTuple):
    """Steps by one operator between values of use, which make others: columns.

    Values are told by their places among those of use of all sub-hands of a size.
    """

    operator: Operator
    sizes: tuple[int, int]
    """How many numbers the parts on the left have, and those on the right."""
    made: Ints
    left: Ints
    right: Ints


def has_inverses(game: Game) -> bool:
    """Return whether steps of a game can be taken back, whatever stands beside what.

    >>> from crisps24 import GAMES
    >>> has_inverses(GAMES["cards"]), has_inverses(GAMES["crisps"])
    (True, False)
    """
    return game.parentheses and all(operator.inverse for operator in game.row_operators)


class BackwardSearch:
    """The values of sub-hands that lead to targets.

    >>> from crisps24 import GAMES
    >>> useful = BackwardSearch({(3, 3, 8, 8): [24]}, GAMES["cards"])
    >>> {hand: useful.values_of(hand) for hand in useful.hands if len(hand) == 2}
    {(3, 3): [], (3, 8): [Fraction(8, 3)], (8, 8): []}
    """

    def __init__(
        self,
        tops: Mapping[Hand, Collection[Exact]],
        game: Game,
        in_order: bool = False,
        *,
        budget: Budget | None = None,
    ) -> None:
        """Find them; `tops` are the sub-hands that may end with targets, with those of each.

        `budget` limits the search.
        """
        self.hands = sub_hand_closure(tops, in_order)
        self._game = game
        self._in_order = in_order
        self._tops = tops
        self._at = {hand: at for at, hand in enumerate(self.hands)}
        self._sizes = np.array([len(hand) for hand in self.hands])
        self._longest = len(self.hands[-1])
        widest = self.hands[-1]
        self._bound = integer_bound(widest, game)
        self._chart = ValueChart(game, widest, in_order, budget=budget)
        self._budget = self._chart.budget
        self._weight = pair_weight(game.fractions, self._bound is None)
        known = max(1, self._longest // 2)
        while (wanted := self._begin(known)) > known:
            # Where anything will do all of it has to be known.
            known = wanted
        for size in range(known + 1, self._longest + 1):
            self._reach(size)
        self._used: dict[int, tuple[Ints, Column]] = {}
        self._steps_of: dict[int, list[_Steps]] = {}
        self._useful = self._marked()

    def values_of(self, hand: Hand) -> list[Exact]:
        """Return the values of use of a sub-hand, in ascending order."""
        return self._useful[len(hand)].of(self._at[hand])

    def values(self, size: int) -> tuple[Ints, Column]:
        """Return the values of use of the sub-hands of a size, and of which each is: columns."""
        return self._used[size]

    def steps(self, size: int) -> Iterator[BackwardSteps]:
        """Yield the steps that make the values of use of the sub-hands of a size."""
        for sizes, operator, on_right, asked, small, large in self._steps_of[size]:
            few, many = self._among[small], self._among[large]
            ends = (many, few) if on_right else (few, many)
            told = BackwardSteps(operator, sizes[::-1] if on_right else sizes, asked, *ends)
            yield told
            if operator.commutes and not self._in_order and sizes[0] < sizes[1]:
                yield told._replace(sizes=told.sizes[::-1], left=told.right, right=told.left)

    def places_of(self, hands: Sequence[Hand]) -> Ints:
        """Return the places among some sub-hands of those that `values` tells by their own."""
        places = np.zeros(len(self.hands), np.int64)
        places[[self._at[hand] for hand in hands]] = np.arange(len(hands))
        return places

    def find(self, hands: Sequence[Hand], of: Ints, values: Column) -> tuple[Ints, Ints]:
        """Return which values of sub-hands of a size, by their places, are of use, and as which."""
        table, at = self._of_use(hands)
        return table.find(at[of], values)

    def filter_for(self, hands: Sequence[Hand]) -> ValueFilter:
        """Return what says of values of sub-hands of a size, by their places, which are of use."""
        table, at = self._of_use(hands)

        def among(values: Column, places: Ints) -> Any:
            mask = np.zeros(len(values), bool)
            mask[table.find(at[places], values)[0]] = True
            return mask

        return among

    def _of_use(self, hands: Sequence[Hand]) -> "tuple[_Table, Ints]":
        """Return what is of use of sub-hands of a size, and by which places it tells them."""
        return self._useful[len(hands[0])], np.array([self._at[hand] for hand in hands])

    def _of_size(self, size: int) -> slice:
        return slice(*np.searchsorted(self._sizes, (size, size + 1)).tolist())

    def _begin(self, known: int) -> int:
        """Know all values of sub-hands up to a size, and ask from above for those of the others.

        Return up to which size they have to be known.
        """
        chart, game = self._chart, self._game
        small = [hand for hand in self.hands if len(hand) <= known]
        chart.add_hands(small)
        # The values that sub-hands are known to make, and those that are asked for: runs.
        self._made, self._asked = (Runs(*np.zeros((2, len(self.hands)), int)) for _ in range(2))
        for at, hand in enumerate(small):
            run = chart.slice_of(chart.index_of[hand])
            self._made.starts[at], self._made.lengths[at] = run.start, run.stop - run.start
        self._tables: dict[int, _Table] = {}
        none = self._wanted([])
        found = [_Wanted(none, self._budget) for _ in range(self._longest + 1)]
        for top, targets in self._tops.items():
            wanted = self._wanted(targets)
            found[len(top)].add(np.full(len(wanted), self._at[top]), wanted)
        for size in range(self._longest, known, -1):
            self._put(self._asked, size, *found[size].taken())
            for undone in self._undone(size, known):
                if undone.values is None:
                    return undone.sizes[1]
                values = reduce_column(undone.values)
                legal = obeys_result_rules(values, game) & self._fits(values)
                rows = mask_indices(legal, len(undone.large))
                found[undone.sizes[1]].add(*_once([(undone.large[rows], values[rows])]))
        return known

    def _wanted(self, targets: Collection[Exact]) -> Column:
        """Return targets as a column, those that are not too large to be made."""
        fractions = self._game.fractions
        among = [each for each in sorted(targets) if fractions or isinstance(each, int)]
        values = make_column(among, fractions, object)
        return values[mask_indices(self._fits(values), len(among))]

    def _fits(self, values: Column) -> Any:
        """Return which of some values are not too large to be made."""
        fits: Any = True
        for part in integer_columns(values):
            fits = (self._bound is None or abs(part) <= self._bound) & fits
        return fits

    def _put(self, runs: Runs, size: int, hands: Ints, values: Column) -> None:
        """Add values of the sub-hands of a size to the chart, each sub-hand's as a run."""
        of_size, begin = self._of_size(size), len(self._chart.values)
        self._chart.values.extend(values)
        ends = begin + np.searchsorted(hands, np.arange(of_size.start, of_size.stop + 1))
        runs.starts[of_size], runs.lengths[of_size] = ends[:-1], np.diff(ends)

    def _undone(self, size: int, beyond: int) -> Iterator[_Undone]:
        """Yield what larger parts of more than so many numbers have to make for what is asked."""
        for cuts in self._cuts(size, beyond):
            for some in self._portions(cuts, self._asked.select(cuts.whole)):
                yield from self._undone_of(*some)

    def _cuts(self, size: int, beyond: int = 0) -> Iterator[_Cuts]:
        """Yield the cuts of the sub-hands of a size of which something is asked, of some at a time.

        The larger part has more than so many numbers.
        """
        of_size = self._of_size(size)
        asked = [at for at in range(of_size.start, of_size.stop) if self._asked.lengths[at]]
        taken = {at: partitions(self.hands[at], self._in_order) for at in asked}
        for small in range(1, min(size // 2, size - beyond - 1) + 1):
            # Two parts of one size are there both ways round.
            for on_right in (True, False)[: 1 + (2 * small < size)]:
                found = [
                    (at, self._at[part], self._at[rest])
                    for at in asked
                    for part, rest in (parts[::-1] if on_right else parts for parts in taken[at])
                    if len(part) == small
                ]
                whole, few, many = np.array(found, np.int64).reshape(-1, 3).T
                yield _Cuts(whole, few, many, (small, size - small), on_right)

    def _portions(self, cuts: _Cuts, runs: Runs) -> Iterator[tuple[_Cuts, Runs]]:
        """Yield cuts with a run each, some at a time, so that not too many pairs meet at once.

        All of a run meets all values of the smaller part.
        """
        pairs = runs.lengths * self._made.lengths[cuts.small]
        if pairs.max(initial=0) > MAX_PAIRS_PER_SPLIT:
            of, runs = split_runs(runs, -(-pairs // PAIRS_PER_BATCH))
            cuts = cuts.at(of)
            pairs = runs.lengths * self._made.lengths[cuts.small]
        for some in batches_of(pairs):
            yield cuts.at(some), runs.select(some)

    def _pairs(self, cuts: _Cuts, runs: Runs) -> tuple[Ints, Ints, Ints]:
        """Return all pairs of places in runs, and in those of smaller parts, and how many each."""
        known = self._made.select(cuts.small)
        places, each, beside = runs.cross_join(known)
        operators = len(self._beside(cuts.on_right))
        self._budget.add_pairs(len(beside) * operators, self._weight)
        return places.repeat(each), beside, runs.lengths * known.lengths

    def _beside(self, on_right: bool) -> list[Operator]:
        """Return the operators of cuts with the smaller part on a side."""
        # Where it commutes the same cut is there the other way round as well.
        operators = self._game.row_operators
        return [each for each in operators if on_right or self._in_order or not each.commutes]

    def _undone_of(self, cuts: _Cuts, runs: Runs) -> Iterator[_Undone]:
        """Yield what larger parts have to make for what is asked, by its runs."""
        asked, small, pairs = self._pairs(cuts, runs)
        large, values = cuts.large.repeat(pairs), self._chart.values
        results, beside = _widened(values[asked], values[small])
        for operator in self._beside(cuts.on_right):
            by, ends = operator, (beside, results)
            if cuts.on_right or operator.commutes:
                by, ends = OPERATORS[operator.inverse], (results, beside)
            found, legal = by.operate(*ends, _Undoing(self._game.fractions))
            rows = mask_indices(legal, len(large))
            told = partial(_Undone, cuts.sizes, operator, cuts.on_right)
            yield told(asked[rows], small[rows], large[rows], found[rows])
            if by.divides:
                rows = ((ends[0] == 0) & (ends[1] == 0)).nonzero()[0]
                if len(rows):
                    yield told(asked[rows], small[rows], large[rows], None)

    def _steps(self, size: int) -> Iterator[_Steps]:
        """Yield the steps that make what is asked of the sub-hands of a size.

        Of each cut what is asked meets the smaller part, or the parts meet, whatever is less.
        """
        asked = self._table_of(self._asked, size)
        for cuts in self._cuts(size):
            up = self._made.lengths[cuts.large] < self._asked.lengths[cuts.whole]
            for some in self._portions(cuts.at(up), self._made.select(cuts.large[up])):
                yield from self._made_of(*some, asked)
            for some in self._portions(cuts.at(~up), self._asked.select(cuts.whole[~up])):
                for undone in self._undone_of(*some):
                    yield self._made_again(undone)

    def _made_of(self, cuts: _Cuts, runs: Runs, asked: "_Table") -> Iterator[_Steps]:
        """Yield the steps by which parts that meet make what is asked, by runs of larger ones."""
        large, small, pairs = self._pairs(cuts, runs)
        whole, values = cuts.whole.repeat(pairs), self._chart.values
        ends = values[large], values[small]
        left, right = ends if cuts.on_right else ends[::-1]
        for operator in self._beside(cuts.on_right):
            found, legal = operator.operate(left, right, self._game)
            rows = mask_indices(legal, len(whole))
            some, places = asked.find(whole[rows], found[rows])
            ends = small[rows[some]], large[rows[some]]
            yield _Steps(cuts.sizes, operator, cuts.on_right, places, *ends)

    def _made_again(self, undone: _Undone) -> _Steps:
        """Return the steps of what was taken back, where larger parts make it and it is legal."""
        values = self._chart.values
        if undone.values is None:
            known = self._made.select(undone.large)
            rows, large = np.arange(len(undone.large)).repeat(known.lengths), known.positions
        else:
            rows, large = self._table(undone.sizes[1]).find(undone.large, undone.values)
        asked, small = undone.asked[rows], undone.small[rows]
        left, right = (large, small) if undone.on_right else (small, large)
        found, legal = undone.operator.operate(values[left], values[right], self._game)
        some = mask_indices(legal & equal_mask(reduce_column(found), values[asked]), len(rows))
        return _Steps(*undone[:3], asked[some], small[some], large[some])

    def _table(self, size: int) -> "_Table":
        """Return the values that the sub-hands of a size are known to make."""
        if size not in self._tables:
            self._tables[size] = self._table_of(self._made, size)
            self._budget.add_bytes(len(self._tables[size]) * _TABLE_BYTES)
        return self._tables[size]

    def _table_of(self, runs: Runs, size: int) -> "_Table":
        hands, places = self._places(runs, size)
        self._budget.check_bytes(len(places) * _TABLE_BYTES)
        return _Table(hands, self._chart.values[places], places)

    def _places(self, runs: Runs, size: int) -> tuple[Ints, Ints]:
        """Return all places in the runs of the sub-hands of a size, and of which each is."""
        of_size = self._of_size(size)
        some = runs.select(of_size)
        return np.arange(of_size.start, of_size.stop).repeat(some.lengths), some.positions

    def _flagged(self, runs: Runs, size: int, flags: Ints) -> tuple[Ints, Ints]:
        """Return the flagged places in the runs of the sub-hands of a size, and whose each is."""
        hands, places = self._places(runs, size)
        some = flags[places].nonzero()[0]
        return hands[some], places[some]

    def _reach(self, size: int) -> None:
        """Find which of the values that are asked of the sub-hands of a size are made."""
        made = np.zeros(len(self._chart.values), bool)
        for step in self._steps(size):
            made[step.asked] = True
        hands, places = self._flagged(self._asked, size, made)
        self._put(self._made, size, hands, self._chart.values[places])

    def _marked(self) -> "dict[int, _Table]":
        """Return the values that are of use, of sub-hands by size, from the targets down."""
        self._budget.add_bytes(9 * len(self._chart.values))
        used = np.zeros(len(self._chart.values), bool)
        self._among = np.zeros(len(used), np.int64)
        for top, targets in self._tops.items():
            wanted = self._wanted(targets)
            _, found = self._table(len(top)).find(np.full(len(wanted), self._at[top]), wanted)
            used[found] = True
        useful = {}
        for size in range(self._longest, 0, -1):
            hands, places = self._flagged(self._made, size, used)
            self._among[places] = np.arange(len(places))
            values = self._chart.values[places]
            self._used[size] = hands, values
            self._budget.add_bytes(len(hands) * 2 * _TABLE_BYTES)
            useful[size] = _Table(hands, values, np.arange(len(hands)))
            begin = len(self._chart.values)
            self._put(self._asked, size, hands, values)
            self._steps_of[size] = []
            for step in self._steps(size):
                self._budget.add_bytes(3 * step.asked.nbytes)
                used[step.small] = used[step.large] = True
                self._steps_of[size].append(step._replace(asked=step.asked - begin))
        return useful


class _Wanted:
    """Values that are looked for in sub-hands of one size, each of a sub-hand once."""

    def __init__(self, none: Column, budget: Budget) -> None:
        self._budget = budget
        self._found = [(_NONE, none)]
        self._count, self._most = 0, _MERGED

    def add(self, hands: Ints, values: Column) -> None:
        """Add values, and the places of the sub-hands that each is looked for in."""
        self._found.append((hands, values))
        self._charge(len(hands))
        if self._count > self._most:
            self._merge()
            self._most = max(_MERGED, 2 * self._count)

    def taken(self) -> tuple[Ints, Column]:
        """Return each value of a sub-hand once, the sub-hands in order, and keep nothing."""
        self._merge()
        self._charge(-self._count)
        return self._found.pop()

    def _charge(self, more: int) -> None:
        self._count += more
        self._budget.add_bytes(more * _WANTED_BYTES)

    def _merge(self) -> None:
        self._budget.check_bytes(self._count * _WANTED_BYTES)
        self._found = [_once(self._found)]
        self._charge(len(self._found[0][0]) - self._count)


class _Table:
    """Values of sub-hands, to be looked up: each once, by keys that are mixed of them."""

    def __init__(self, hands: Ints, values: Column, places: Ints) -> None:
        self._salt, keys = 0, _keys(hands, values, 0)
        while not run_start_mask(np.sort(keys)).all():
            # Two agree by a wild chance: by other keys they do not.
            self._salt += 1
            keys = _keys(hands, values, self._salt)
        order = np.argsort(keys)
        self._keys, self._hands = keys[order], hands[order]
        self._values, self._places = values[order], places[order]
        # Most values that are looked for are not there.
        self._likely = BloomFilter(values, hands)

    def __len__(self) -> int:
        return len(self._keys)

    def of(self, hand: int) -> list[Exact]:
        return sorted(exact_values(self._values[self._hands == hand]))

    def find(self, hands: Ints, values: Column) -> tuple[Ints, Ints]:
        """Return which of some values are there, and their places."""
        if not len(self):
            return _NONE, _NONE
        some = self._likely.rows(values, hands)
        hands, values = hands[some], reduce_column(values[some])
        keys = _keys(hands, values, self._salt)
        at = np.minimum(np.searchsorted(self._keys, keys), len(self) - 1)
        rows = (self._keys[at] == keys).nonzero()[0]
        at = at[rows]
        there = (self._hands[at] == hands[rows]) & equal_mask(self._values[at], values[rows])
        return some[rows[there]], self._places[at[there]]


def _keys(hands: Ints, values: Column, salt: int) -> Ints:
    """Return keys of values of sub-hands, equal for equal ones, and hardly ever for others."""
    keys = hash_column(hands + (salt << 32))
    for part in integer_columns(values):
        keys = hash_column(
            keys ^ (part & _WORD if part.dtype == object else part).astype(np.uint64)
        )
    return keys


def _once(found: Sequence[tuple[Ints, Column]]) -> tuple[Ints, Column]:
    """Return each value of a sub-hand once, the sub-hands in order."""
    hands, values = distinct_rows(
        np.concatenate([of for of, _ in found]), join_columns([each for _, each in found])
    )
    return hands, values


def _widened(values: Column, others: Column) -> tuple[Column, Column]:
    """Return two columns as integers that hold what steps between them make."""
    wide = np.int64 if 4 * largest_integer(values) * largest_integer(others) < 2**62 else object
    return _as(values, wide), _as(others, wide)


def _as(values: Column, dtype: Any) -> Column:
    if isinstance(values, Ratios):
        return Ratios(*(part.astype(dtype) for part in integer_columns(values)))
    return values.astype(dtype)
