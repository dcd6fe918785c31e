"""The chart of shortest forms: one form of each value of a hand, for games with any operators.

Functions of operators such as powers and factorials are not rational, and fingerprints cannot
distinguish them. So this chart keeps for each value one cheapest expression: with the fewest
operator signs, then the fewest parentheses, then the fewest results below zero. It is a dynamic
program with key value and back pointers. For 4 4 with √ and !, the value 8 has the form 4 + 4,
and 22 the form 4! - √4, with three signs.

The cheapest expression of a value need not be part of the cheapest larger expression: another
one that binds more tightly can save parentheses later. So each sub-hand also keeps expressions
that bind more tightly and cost less than one pair of parentheses more. Operators with one operand
are applied to the results of each sub-hand, as often as the game allows them to nest.

Time and memory are proportional to the pairs of values of two parts, over all partitions;
`MAX_FORMS` limits the results of a hand.
"""

from collections.abc import Collection, Iterator, Sequence
from math import floor
from typing import Any, NamedTuple

import numpy as np

from crisps24.errors import RefusedError
from crisps24.hands.by_value import ValueFilter
from crisps24.hands.chart import (
    Chart,
    Level,
    Levels,
    OperandPlan,
    Partitions,
    levels_for,
    plans_for,
)
from crisps24.messages.message import Count, message
from crisps24.notation.trees import (
    Expression,
    NoOperand,
    Number,
    Operation,
    negate,
    negation_needs_parentheses,
)
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import Operator, obeys_result_rules
from crisps24.rules.partitions import sub_hand_closure, sub_hands
from crisps24.rules.ratios import (
    Column,
    Ints,
    Ratios,
    exact_values,
    group_rows,
    integer_columns,
    integer_dtype,
    join_columns,
    mask_indices,
    reduce_column,
    value_at,
)
from crisps24.rules.work import Budget

# Results in a chart, about 700 MB.
MAX_FORMS = 20_000_000
# Results of a sub-hand above which equal ones are merged.
_MIN_RESULTS_TO_MERGE = 2_000_000
# Time per pair if an operator computes one value at a time, in times per pair of columns.
_SCALAR_WEIGHT = 100
# Bytes per result that is not merged yet.
_BYTES_PER_RESULT = 120
# Results of a sub-hand that are joined with others at once.
_RESULTS_PER_PIECE = 500
# The costs of an operator sign, of a pair of parentheses, and of a result below zero.
_SIGN, _PARENTHESES, _BELOW_ZERO = 1 << 24, 1 << 16, 1 << 8
# The cost of a commuting operator with its smaller operand first.
_SMALLER_FIRST = 1
# The binding of numbers: tighter than any operator.
_NUMBER_BINDING = 1 << 10
# In place of an operator or of a position.
_NONE = -1
# Above the cost of any expression.
_NEVER = 1 << 32
# Bits for the index of a level.
_LEVEL_BITS = 5
# Above any value in a column of 64-bit integers.
_VALUE_LIMIT = 1 << 62


class _Forms(NamedTuple):
    """Results of one sub-hand, each with its cost and its last operator: columns."""

    values: Column
    costs: Ints
    levels: Ints
    codes: Ints
    """The index of the last operator, or -1 for a number dealt."""
    left: Ints
    """The positions of the left operands, or -1."""
    right: Ints

    def select(self, rows: Any) -> "_Forms":
        return _Forms(self.values[rows], *(column[rows] for column in self[1:]))

    def cheapest(self, allowance: int = 0) -> "_Forms":
        return self.select(self.cheapest_rows(np.arange(len(self.costs)), allowance))

    def cheapest_rows(self, rows: Ints, allowance: int) -> Ints:
        """Return the row of the cheapest form of each value among some rows, not sorted.

        Of equally cheap forms it is the one that binds most tightly. A form that binds more tightly
        than the cheapest can still be better as an operand, since it needs no parentheses: it is
        returned too if it costs less than `allowance` more (0: none are).
        """
        order, starts = group_rows(self.values[rows])
        order = rows[order]
        if not allowance:
            return _cheapest_of_groups(self.costs, order, starts)
        keys = self.costs << _LEVEL_BITS | self.levels
        cheapest = _cheapest_of_groups(keys, order, starts)
        if len(cheapest) < len(order):
            counts = np.diff(starts, append=len(order))
            [tighter] = (self.levels[order] < self.levels[cheapest].repeat(counts)).nonzero()
            groups = np.searchsorted(starts, tighter, "right") - 1
            limits = self.costs[cheapest[groups]] + allowance
            tighter = order[tighter][self.costs[order[tighter]] < limits]
            if len(tighter):
                more = self.cheapest_rows(tighter, allowance)
                cheapest = np.concatenate([cheapest, more])
        return cheapest


def _cheapest_of_groups(costs: Ints, order: Ints, starts: Ints) -> Ints:
    """Return the cheapest row of each group, in the order of the groups; the first of several.

    Args:
        costs: The cost of each row.
        order: Rows in the order of their groups.
        starts: The index in `order` of the first row of each group.
    """
    if not len(order):
        return order
    bits = len(order).bit_length()
    keys = costs[order] << bits | np.arange(len(order))
    rows: Ints = order[np.minimum.reduceat(keys, starts) & ((1 << bits) - 1)]
    return rows


def _make_forms(
    values: Column, costs: Ints, level: int, code: int, left: Ints, right: Ints
) -> _Forms:
    """Return results of one operator, with the integers of the chart."""
    kinds = (np.full(len(costs), number, np.int8) for number in (level, code))
    return _Forms(values, costs, *kinds, *(side.astype(np.int32) for side in (left, right)))


def _join_forms(blocks: Sequence[_Forms]) -> _Forms:
    blocks = [block for block in blocks if len(block.costs)] or blocks[:1]
    if len(blocks) == 1:
        return blocks[0]
    values, *others = zip(*blocks, strict=True)
    return _Forms(join_columns(values), *(np.concatenate(columns) for columns in others))


class ShortestForms(Chart):
    """The values of the sub-hands of one hand, each with a cheapest expression.

    Args:
        game: The game; with a minus sign before any expression, it needs parentheses.
        numbers: The numbers of the hand.
        in_order: Whether the numbers keep their order.
        budget: Limits pairs and bytes.

    Raises:
        RefusedError: The game has such minus signs without parentheses. Every method that
            computes forms raises it too, for more than `MAX_FORMS` results or above the budget.
    """

    def __init__(
        self,
        game: Game,
        numbers: Sequence[int],
        in_order: bool = False,
        *,
        budget: Budget | None = None,
    ) -> None:
        if game.signed and not game.parentheses:
            raise RefusedError(message("rules.signed_brackets", game=game.name))
        levels = levels_for(game, in_order)
        unary = [(index, level) for index, level in enumerate(levels) if _is_unary(level)]
        # Operators that write a number from digits, such as decimal points, and the others.
        self._digit_levels = [pair for pair in unary if pair[1].operators[0].joins]
        self._unary_levels = [pair for pair in unary if pair not in self._digit_levels]
        self._plans = plans_for(
            levels, lambda level: [OperandPlan(level.lefts, level.rights, level.one_order)]
        )
        self._levels = tuple(range(len(levels)))
        sides = [self._levels, *(side for plan in self._plans for side in plan[:2])]
        self._sides: tuple[Levels, ...] = tuple(dict.fromkeys(sides))
        # Only numbers, dealt or written from digits, can be digits of other numbers.
        self._number_levels = [
            index for index, level in enumerate(levels) if not index or level.operators[0].joins
        ]
        bindings = [_NUMBER_BINDING, *(_binding_of(level.operators[0]) for level in levels[1:])]
        self._bindings = np.array(bindings)
        self._operators = tuple(operator for level in levels for operator in level.operators)
        # An expression that binds more tightly can save one pair of parentheses.
        self._allowance = _PARENTHESES if game.parentheses else 0
        runs_of_side = {side: [range(run, run + 1)] for run, side in enumerate(self._sides)}
        super().__init__(game, integer_dtype(numbers, game), in_order, runs_of_side, budget)
        self._weight *= operator_weight(game)

    @property
    def can_filter(self) -> bool:
        """Whether results of last steps can be filtered: no unary operator can follow them."""
        return not self._unary_levels

    def clear(self) -> None:
        """Remove all sub-hands and their results."""
        super().clear()
        # For each sub-hand, the entries that contain parts of its results.
        self._pieces: dict[int, list[int]] = {}
        dtypes = (np.int64, np.int8, np.int8, np.int32, np.int32)
        # The columns of `_Forms` after the values.
        self._columns = [self.new_column(np.empty(0, dtype)) for dtype in dtypes]

    def forms_of(self, hand: Hand, only: ValueFilter | None = None) -> tuple[Column, range]:
        """Return the values that a sub-hand makes with all its numbers, and their positions.

        A value is there several times if some of its forms bind more tightly. Results are computed
        unless they are in the chart.

        Args:
            hand: The sub-hand, sorted unless `in_order`.
            only: A filter of its values. With a filter, the sub-hand cannot be part of another hand
                later.

        Raises:
            RefusedError: More than `MAX_FORMS` results, or the budget is exceeded.
        """
        for part in sub_hand_closure([hand], self.in_order):
            if part not in self.index_of:
                self._add(part, only if part == hand else None)
        run = self.slice_of(self.index_of[hand])
        return self.values[run], range(run.start, run.stop)

    def best_forms(self, hand: Hand, wanted: Collection[Exact] | None = None) -> dict[Exact, int]:
        """Return each value that a hand makes, with the position of its cheapest form.

        If the game does not require all numbers, sub-hands count too.

        Args:
            hand: The hand, sorted unless `in_order`.
            wanted: If given, other values can be left out, to save time.

        Raises:
            RefusedError: More than `MAX_FORMS` results, or the budget is exceeded.
        """
        best: dict[Exact, int] = {}
        roots = [hand] if self.game.all_numbers else sub_hands(hand, self.in_order)
        only = None if wanted is None or not self.can_filter else self._filter_for(wanted)
        for root in sorted(dict.fromkeys(roots), key=len):
            values, positions = self.forms_of(root, only if root == hand else None)
            costs = self._columns[0]
            run = slice(positions.start, positions.stop)
            rows = _cheapest_of_groups(costs[run], *group_rows(values))
            forms = zip(exact_values(values[rows]), (rows + positions.start).tolist(), strict=True)
            if not best:
                best = dict(forms)
                continue
            for value, position in forms:
                if value not in best or costs[position] < costs[best[value]]:
                    best[value] = position
        return best

    def expression(self, position: int) -> Expression:
        """Return the expression of the result at a position, built from those of its operands."""
        _, _, code, left, right = (int(column[position]) for column in self._columns)
        if code == _NONE:
            return Number(int(value_at(self.values[:], position)))
        if code == len(self._operators):
            return negate(self.expression(right), self.game.style)
        before, after = (
            NoOperand(0) if operand == _NONE else self.expression(operand)
            for operand in (left, right)
        )
        return Operation(self._operators[code], before, after, style=self.game.style)

    def _filter_for(self, wanted: Collection[Exact]) -> ValueFilter:
        """Return a filter that keeps the wanted values; with unary minus, also their opposites.

        In a game without fractions, a wanted 7/2 keeps 3 too: the caller must compare again.
        """
        targets: set[Exact] = {*wanted}
        if self.game.signed:
            targets |= {-value for value in wanted}
        if self._dtype is not object:
            targets = {value for value in targets if -_VALUE_LIMIT < value < _VALUE_LIMIT}
        floors = np.array(sorted({floor(value) for value in targets}), self._dtype)
        has_fractions = any(value.denominator > 1 for value in targets)

        def is_wanted(values: Column, _: Ints) -> Any:
            if not isinstance(values, Ratios):
                return np.isin(values, floors)
            numerators, denominators = integer_columns(values)
            quotients = numerators // denominators
            mask = np.isin(quotients, floors)
            if not has_fractions:
                return mask & (quotients * denominators == numerators)
            rows = mask.nonzero()[0]
            mask[rows] = [value in targets for value in exact_values(values[rows])]
            return mask

        return is_wanted

    def _add(self, hand: Hand, only: ValueFilter | None = None) -> None:
        """Compute the results of a sub-hand and add them to the chart; its parts must be there.

        First all operators of two operands are applied to the parts, then those of one operand to
        the results, as often as the game allows nesting. Raises RefusedError over the budget, and
        for more than `MAX_FORMS` results.
        """
        # A game without binary operators makes nothing from several numbers.
        blocks = [self._number_forms(hand[0]).select(slice(0, 0))]
        max_count = _MIN_RESULTS_TO_MERGE
        for block in self._binary_steps(hand, only):
            blocks.append(block)
            if sum(len(forms.costs) for forms in blocks) > max_count:
                blocks = [self._merge(blocks)]
                max_count = max(_MIN_RESULTS_TO_MERGE, len(blocks[0].costs) * 4 // 3)
        first = len(self.values)
        forms = self._merge(blocks)
        # Writing a number from digits does not count as nesting.
        numbers = self._merge(self._unary_steps(forms, first, self._digit_levels))
        rounds = [self._with_minus(_join_forms([forms, numbers]))]
        for _ in range(self.game.nesting if self._unary_levels else 0):
            round_first = self._store(rounds[-1])
            steps = self._merge(self._unary_steps(rounds[-1], round_first, self._unary_levels))
            rounds.append(self._with_minus(self._only_better(rounds, steps)))
        self._store(rounds[-1])
        self._add_sides(hand, rounds, first)

    def _binary_steps(self, hand: Hand, only: ValueFilter | None) -> Iterator[_Forms]:
        """Yield the results of all operators of two operands on the two parts of a hand.

        Each batch has the cheapest form of each value only. A hand of one number yields that
        number. Raises RefusedError over the budget.
        """
        if len(hand) == 1:
            yield self._number_forms(hand[0])
            return
        costs = self._columns[0]
        for batch in self.batches(self._plans, self.partitions([hand])):
            for level, operator, pairs, rows, values in self.legal_steps(self._plans, batch, only):
                left, right = pairs.left[rows], pairs.right[rows]
                step = self._step_costs(operator, left, right)
                if operator.commutes and not self.in_order:
                    swapped = self._step_costs(operator, right, left)
                    is_cheaper, step = swapped < step, np.minimum(step, swapped)
                    left, right = (
                        np.where(is_cheaper, right, left),
                        np.where(is_cheaper, left, right),
                    )
                total = costs[left] + costs[right] + step
                values = reduce_column(values)
                yield self._cheapest_forms(level, operator, values, total, left, right)

    def _number_forms(self, number: int) -> _Forms:
        none = np.full(1, _NONE)
        return _make_forms(self._column([number]), np.zeros(1, np.int64), 0, _NONE, none, none)

    def _step_costs(self, operator: Operator, left: Ints, right: Ints) -> Any:
        """Return the cost of each step: of its sign, and of parentheses around its operands.

        The costs of the operands are not included. Joining digits costs nothing.

        Args:
            operator: The operator of all steps.
            left: The position in the chart of each left operand.
            right: The position of each right operand.
        """
        if operator.joins:
            return 0
        own, levels = operator.precedence, self._columns[1]
        pairs = (self._bindings[levels[left]] < own + operator.right_associative).astype(np.int64)
        pairs += self._bindings[levels[right]] < own + (not operator.right_associative)
        costs: Ints = _SIGN + _PARENTHESES * pairs
        if operator.commutes:
            costs += _SMALLER_FIRST * np.asarray(self.values[left] < self.values[right])
        return costs

    def _cheapest_forms(
        self, level: int, operator: Operator, values: Column, costs: Any, left: Ints, right: Ints
    ) -> _Forms:
        """Return the cheapest results of an operator; a result below zero costs more."""
        [numerators, *_] = integer_columns(values)
        costs = costs + _BELOW_ZERO * (numerators < 0)
        code = self._operators.index(operator)
        return _make_forms(values, costs, level, code, left, right).cheapest()

    def _unary_steps(
        self, forms: _Forms, first: int, levels: Sequence[tuple[int, Level]]
    ) -> list[_Forms]:
        """Return the results of operators of one operand, such as √ and !, on some results.

        Raises RefusedError over the budget.

        Args:
            forms: The operands.
            first: The position of the first operand in the chart.
            levels: The levels of the operators, each after its index.

        Returns:
            One block for each operator, after an empty block.
        """
        blocks = [forms.select(slice(0, 0))]
        self._check_bytes(len(forms.costs) * sum(len(level.operators) for _, level in levels))
        for index, level in levels:
            operands = np.flatnonzero(np.isin(forms.levels, level.lefts))
            for operator in level.operators:
                values = forms.values[operands]
                results, legal = operator.operate(values, values, self.game)
                legal_rows = mask_indices(legal, len(operands))
                rows = operands[legal_rows]
                pair = self._bindings[forms.levels[rows]] < level.operators[0].precedence
                pair |= operator.postfix & (forms.levels[rows] == index)
                costs = forms.costs[rows] + (0 if operator.joins else _SIGN) + _PARENTHESES * pair
                none, positions = np.full(len(rows), _NONE), rows + first
                sides = (positions, none) if operator.postfix else (none, positions)
                results = reduce_column(results[legal_rows])
                blocks.append(self._cheapest_forms(index, operator, results, costs, *sides))
        return blocks

    def _with_minus(self, forms: _Forms) -> _Forms:
        """Return results together with a minus sign before each, such as -(4 + 4).

        Only the cheaper form of each value is kept: a result is left out if a minus before its
        opposite costs no more. Without unary minus in the game, the results are returned unchanged.
        The caller must store the returned results next, since a minus refers to its operand by the
        position that it will have. Raises RefusedError over the budget.
        """
        if not self.game.signed or not len(forms.costs):
            return forms
        self._check_bytes(len(forms.costs))
        sizes: Any = abs(forms.values)
        order, starts = group_rows(sizes)
        [numerators, *_] = integer_columns(forms.values)
        in_parentheses = negation_needs_parentheses(self._bindings[forms.levels])
        negated_costs = forms.costs + _SIGN + _BELOW_ZERO * (numerators > 0)
        negated_costs += _PARENTHESES * in_parentheses
        is_kept, negated = np.ones(len(order), bool), []
        counts, loosest = np.diff(starts, append=len(order)), len(self._bindings) - 1
        for sign in (1, -1):
            # For each absolute value: the costs of this sign, and of minus before the other.
            has_sign, is_opposite = sign * numerators > 0, sign * numerators < 0
            costs = np.where(has_sign, forms.costs, _NEVER)
            minus_costs = np.where(is_opposite, negated_costs, _NEVER)
            rows = _cheapest_of_groups(minus_costs, order, starts)
            is_better = minus_costs[rows] < np.minimum.reduceat(costs[order], starts)
            negated.append(rows[is_better])
            limits = np.where(is_better, minus_costs[rows], _NEVER).repeat(counts)
            # Next to a product the minus sign goes before the product, and needs no more
            # parentheses than here.
            binds_tighter = forms.levels[order] < loosest
            both = in_parentheses[order] & in_parentheses[rows].repeat(counts)
            limits += _PARENTHESES * (binds_tighter & ~both)
            is_kept[order[has_sign[order] & (costs[order] >= limits)]] = False
        sources = np.concatenate(negated)
        values = forms.values[sources] * -1
        legal = mask_indices(obeys_result_rules(values, self.game), len(sources))
        sources, values = sources[legal], values[legal]
        positions = len(self.values) + (is_kept.cumsum() - 1)[sources]
        code, none = len(self._operators), np.full(len(sources), _NONE)
        minus = _make_forms(values, negated_costs[sources], loosest, code, none, positions)
        return _join_forms([forms.select(is_kept), minus])

    def _only_better(self, rounds: Sequence[_Forms], forms: _Forms) -> _Forms:
        """Return the results that are new or cheaper than before; all without parentheses."""
        if not self.game.parentheses:
            return forms
        # For equal costs, the earlier rounds come first.
        every = _join_forms([*rounds, forms])
        size = len(every.costs)
        rows = np.sort(every.cheapest_rows(np.arange(size), self._allowance))
        first = size - len(forms.costs)
        return forms.select(rows[rows >= first] - first)

    def _merge(self, blocks: list[_Forms]) -> _Forms:
        """Return the cheapest form of each value; of each value and level where levels matter.

        The list of blocks is emptied, to free memory. Raises RefusedError over the budget.
        """
        self._check_bytes(sum(len(forms.costs) for forms in blocks))
        every = _join_forms(blocks)
        blocks.clear()
        separate = self._number_levels if self.game.parentheses else self._levels
        groups = [every.levels == level for level in separate]
        groups.append(~np.any(groups, axis=0))
        rows = [every.cheapest_rows(mask.nonzero()[0], self._allowance) for mask in groups]
        return every.select(np.concatenate(rows))

    def _check_bytes(self, count: int) -> None:
        self.budget.check_bytes(count * _BYTES_PER_RESULT)

    def _store(self, forms: _Forms) -> int:
        """Append results to the chart, and return the position of the first of them.

        Raises RefusedError over the budget, and for more than `MAX_FORMS` results.
        """
        first = len(self.values)
        if first + len(forms.costs) > MAX_FORMS:
            raise RefusedError(message("work.values", most=Count(MAX_FORMS)))
        self.values.extend(forms.values)
        for column, more in zip(self._columns, forms[1:], strict=True):
            column.extend(more)
        return first

    def _add_sides(self, hand: Hand, rounds: Sequence[_Forms], first: int) -> None:
        """Add the entries of a sub-hand, whose results start at position `first` of the chart.

        An operator can limit the levels of its left or right operand. For each such set of levels
        the chart has one run of results; results are stored again if they are not all of them.
        Raises RefusedError as `_store`.
        """
        starts, stops = (np.zeros((1, len(self._sides)), np.int64) for _ in range(2))
        end = len(self.values)
        for run, side in enumerate(self._sides):
            if side == self._levels and self.game.parentheses:
                starts[0, run], stops[0, run] = first, end
                continue
            of_side = [forms.select(np.isin(forms.levels, side)) for forms in rounds]
            starts[0, run] = self._store(_join_forms(of_side).cheapest(self._allowance))
            stops[0, run] = len(self.values)
        [index] = self.add_entries([hand], starts, stops)
        self.index_of[hand] = index
        sizes = stops - starts
        count = -(-int(sizes.max()) // _RESULTS_PER_PIECE)
        pieces: list[int] = []
        for piece in range(count):
            ends = (starts + sizes * part // count for part in (piece, piece + 1))
            pieces += self.add_entries([hand], *ends)
        self._pieces[index] = pieces or [index]

    def partitions(self, hands: Sequence[Hand]) -> Partitions:
        """Return the partitions of hands; a side with many results is divided into pieces.

        Each partition is repeated for each pair of a left and a right piece, so that no batch is
        too large.
        """
        columns, pieces = super().partitions(hands), self._pieces
        sides = zip(columns.left, columns.right, strict=True)
        rows = [
            (row, left_piece, right_piece)
            for row, (left, right) in enumerate(sides)
            for left_piece in pieces[left]
            for right_piece in pieces[right]
        ]
        indices, left, right = np.array(rows, np.int64).reshape(-1, 3).T
        return columns.select(indices)._replace(left=left, right=right)


def operator_weight(game: Game) -> int:
    """Return how long one step of a game takes, compared with arithmetic on columns: 1 or 100.

    It is 100 if an operator, such as !, computes one value at a time.

    >>> from crisps24 import GAMES
    >>> from crisps24.rules.ids import with_rules
    >>> operator_weight(GAMES["digits"])
    1
    >>> changes = {"operators": "+-x:!", "decimals": "yes"}
    >>> operator_weight(with_rules(GAMES["digits"], changes))
    100
    """
    operators = game.row_operators
    # With unary operators, decimals get many times more values than three numbers have.
    nests = any(operator.arity == 1 and not operator.joins for operator in operators)
    counted = [operator for operator in operators if nests or not operator.joins]
    is_scalar = (each.scalar_only and not each.column_arithmetic for each in counted)
    return _SCALAR_WEIGHT if any(is_scalar) else 1


def _is_unary(level: Level) -> bool:
    return bool(level.operators) and level.operators[0].arity == 1


def _binding_of(operator: Operator) -> int:
    return _NUMBER_BINDING if operator.joins else operator.precedence
