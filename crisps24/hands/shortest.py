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
    answer_levels,
    levels_for,
    one_plan_of,
    plans_for,
    plans_of_size,
    states_of,
)
from crisps24.hands.goals import root_hands
from crisps24.hands.rows import RowBuffer, join, select
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
from crisps24.rules.machines import SHORTEST_FORMS
from crisps24.rules.operators import Operator, obeys_result_rules
from crisps24.rules.partitions import sub_hand_closure
from crisps24.rules.ratios import (
    Column,
    Ints,
    Ratios,
    exact_values,
    group_rows,
    integer_columns,
    integer_dtype,
    mask_indices,
    reduce_column,
    value_at,
)
from crisps24.rules.widths import int_range, repeat_rows, running_sums
from crisps24.rules.work import Budget

# Results in a chart, about 700 MB.
MAX_FORMS = 20_000_000
# Time per pair if an operator computes one value at a time, in times per pair of columns.
_SCALAR_WEIGHT = 100
# Bytes per result that is not merged yet.
_BYTES_PER_RESULT = 120
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

    def cheapest(self, allowance: int = 0) -> "_Forms":
        return select(self, self.cheapest_rows(int_range(len(self.costs)), allowance))

    def cheapest_rows(self, rows: Ints, allowance: int) -> Ints:
        """Return the rows of the cheapest expression of each value, in any order.

        Expressions that bind more tightly and cost less than `allowance` more are returned too.
        """
        order, starts = group_rows(self.values[rows])
        order = rows[order]
        if not (allowance and len(rows)):
            return _cheapest_of_groups(self.costs, order, starts)
        # Of equally cheap expressions, the one that binds most tightly is the cheapest.
        # The rows have one state, so that their levels differ by less than the number of classes.
        costs_with_levels = self.costs << _LEVEL_BITS | (self.levels - self.levels[rows].min())
        cheapest = _cheapest_of_groups(costs_with_levels, order, starts)
        if len(cheapest) < len(order):
            group_sizes = np.diff(starts, append=len(order))
            cheapest_levels = repeat_rows(self.levels[cheapest], group_sizes)
            [indices] = (self.levels[order] < cheapest_levels).nonzero()
            tighter_rows = order[indices]
            groups = np.searchsorted(starts, indices, "right") - 1
            cost_limits = self.costs[cheapest[groups]] + allowance
            tighter_rows = tighter_rows[self.costs[tighter_rows] < cost_limits]
            if len(tighter_rows):
                cheapest_tighter = self.cheapest_rows(tighter_rows, allowance)
                cheapest = np.concatenate([cheapest, cheapest_tighter])
        return cheapest


def _cheapest_of_groups(costs: Ints, order: Ints, starts: Ints) -> Ints:
    """Return for each group of rows the row with the least cost, or the first of such rows."""
    if not len(order):
        return order
    # The lowest bits of a key are an index in `order`, so that the least key shows its row.
    index_bits = len(order).bit_length()
    keys = costs[order] << index_bits | int_range(len(order))
    least_keys = np.minimum.reduceat(keys, starts)
    rows: Ints = order[least_keys & ((1 << index_bits) - 1)]
    return rows


def _make_forms(
    values: Column, costs: Ints, level: int, code: int, left: Ints, right: Ints
) -> _Forms:
    levels = np.full(len(costs), level, np.int16)
    codes = np.full(len(costs), code, np.int8)
    return _Forms(values, costs, levels, codes, left.astype(np.int32), right.astype(np.int32))


class ShortestForms(Chart):
    """The values of the sub-hands of one hand, each with a cheapest expression."""

    def __init__(
        self, game: Game, numbers: Sequence[Exact], *, budget: Budget | None = None
    ) -> None:
        SHORTEST_FORMS.check(game)
        levels = levels_for(game)
        unary = [
            (index, level)
            for index, level in enumerate(levels)
            if index and level.operators[0].arity == 1
        ]
        # Operators that write a number from digits, such as decimal points, and the others.
        self._digit_levels = [pair for pair in unary if pair[1].operators[0].joins]
        self._unary_levels = [pair for pair in unary if pair not in self._digit_levels]
        states = states_of(game)
        self._plans = plans_for(levels, one_plan_of, states)
        self._class_count, self._state_count = len(levels), len(states)
        self._levels = tuple(range(len(levels) * len(states)))
        answers = answer_levels(game, levels, len(states))
        sides = [answers, *(side for plan in self._plans for side in plan[:2])]
        self._sides: tuple[Levels, ...] = tuple(dict.fromkeys(sides))
        # Only numbers, dealt or written from digits, can be digits of other numbers.
        self._number_levels = [
            index for index, level in enumerate(levels) if not index or level.operators[0].joins
        ]
        firsts = (level.operators[0] for level in levels[1:])
        bindings = [_NUMBER_BINDING]
        bindings += [_NUMBER_BINDING if op.joins else op.precedence for op in firsts]
        self._bindings = np.tile(bindings, len(states))
        self._operators = tuple(operator for level in levels for operator in level.operators)
        # An expression that binds more tightly can save one pair of parentheses.
        self._allowance = _PARENTHESES if game.parentheses else 0
        runs_of_side = {side: [range(run, run + 1)] for run, side in enumerate(self._sides)}
        super().__init__(game, integer_dtype(numbers, game), runs_of_side, budget)
        self._weight *= relative_step_time(game)
        self._hand_size = len(numbers)

    def clear(self) -> None:
        super().clear()
        dtypes = (np.int64, np.int16, np.int8, np.int32, np.int32)
        self._columns = [self.new_column(np.empty(0, dtype)) for dtype in dtypes]

    def forms_of(self, hand: Hand, value_filter: ValueFilter | None = None) -> tuple[Column, range]:
        """Return the values that a hand makes with all its numbers, and their positions.

        A value can come again. With a filter, the hand cannot be part of a larger hand later.
        """
        for part in sub_hand_closure([hand], self.game.in_order):
            if part not in self.index_of:
                self._add(part, value_filter if part == hand else None)
        run = self.slice_of(self.index_of[hand])
        return self.values[run], range(run.start, run.stop)

    def best_forms(self, hand: Hand, wanted: Collection[Exact] | None = None) -> dict[Exact, int]:
        """Return the values of a hand (others than `wanted` can lack), with cheapest positions."""
        best: dict[Exact, int] = {}
        # With √, unwanted results can lead to wanted ones.
        is_filtered = wanted is not None and not self._unary_levels
        value_filter = self._filter_for(wanted or ()) if is_filtered else None
        for root in root_hands(hand, self.game):
            # Only the whole hand can be filtered: larger hands need all values of the others.
            values, positions = self.forms_of(root, value_filter if root == hand else None)
            costs = self._columns[0]
            root_costs = costs[positions.start : positions.stop]
            rows = _cheapest_of_groups(root_costs, *group_rows(values))
            cheapest_positions = (rows + positions.start).tolist()
            # An expression with fewer numbers of the hand can be cheaper.
            for value, position in zip(exact_values(values[rows]), cheapest_positions, strict=True):
                if value not in best or costs[position] < costs[best[value]]:
                    best[value] = position
        return best

    def expression(self, position: int) -> Expression:
        _, _, code, left, right = (int(column[position]) for column in self._columns)
        if code == _NONE:
            return Number(value_at(self.values[:], position))
        # The code after the last operator stands for a minus sign before an expression.
        if code == len(self._operators):
            return negate(self.expression(right), self.game.style)
        left_operand, right_operand = (
            NoOperand(0) if operand == _NONE else self.expression(operand)
            for operand in (left, right)
        )
        operator = self._operators[code]
        return Operation(operator, left_operand, right_operand, style=self.game.style)

    def _filter_for(self, wanted: Collection[Exact]) -> ValueFilter:
        """Return a function that returns a mask of the wanted values, and of a few others."""
        targets: set[Exact] = {*wanted}
        if self.game.signed:
            targets |= {-value for value in wanted}
        if self._dtype is not object:
            # The values in 64-bit columns are below this limit.
            targets = {value for value in targets if -_VALUE_LIMIT < value < _VALUE_LIMIT}
        # Whole parts are compared first, since most values differ in these already.
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

    def _add(self, hand: Hand, value_filter: ValueFilter | None = None) -> None:
        """Compute and store the forms of a hand: of two operands, then of one."""
        no_forms = select(self._number_forms(hand[0]), slice(0, 0))
        buffer = RowBuffer(no_forms, self._merge, self.budget, _BYTES_PER_RESULT, growth=4 / 3)
        for block in self._binary_steps(hand, value_filter):
            buffer.add(block)
        first = len(self.values)
        forms = self._merge(buffer.pop_all())
        # Writing a number from digits does not count as nesting.
        numbers = self._merge(join(self._unary_steps(forms, first, self._digit_levels)))
        if self.game.nontrivial and self.game.signed and len(hand) == self._hand_size:
            # A number with a minus would hide formulas of the same value, and nothing follows.
            forms, numbers = self._without_numbers(forms), select(numbers, slice(0, 0))
        rounds = [self._with_minus(join([forms, numbers]))]
        # Each round applies the operators with one operand to the results of the round before.
        for _ in range(self.game.nesting if self._unary_levels else 0):
            round_first = self._store(rounds[-1])
            steps = self._unary_steps(rounds[-1], round_first, self._unary_levels)
            rounds.append(self._with_minus(self._only_better(rounds, self._merge(join(steps)))))
        self._store(rounds[-1])
        self._add_sides(hand, rounds, first)

    def _binary_steps(self, hand: Hand, value_filter: ValueFilter | None) -> Iterator[_Forms]:
        """Yield the cheapest results of each operator with two operands, or a single number."""
        if len(hand) == 1:
            yield self._number_forms(hand[0])
            return
        all_costs = self._columns[0]
        plans = plans_of_size(self._plans, len(hand))
        steps = self.steps(plans, self.partitions([hand]), value_filter)
        for level, operator, pairs, rows, values in steps:
            left, right = pairs.left[rows], pairs.right[rows]
            step_costs = self._step_costs(operator, left, right)
            if operator.commutes and not self.game.in_order:
                # 3 + 2 and 2 + 3 are the same step: take the cheaper order of the operands.
                swapped_costs = self._step_costs(operator, right, left)
                is_cheaper = swapped_costs < step_costs
                step_costs = np.minimum(step_costs, swapped_costs)
                left, right = np.where(is_cheaper, right, left), np.where(is_cheaper, left, right)
            costs = all_costs[left] + all_costs[right] + step_costs
            values = reduce_column(values)
            yield self._cheapest_forms(level, operator, values, costs, left, right)

    def _number_forms(self, number: Exact) -> _Forms:
        """Return a table with one row: a number of the hand, which costs nothing."""
        no_operand = np.full(1, _NONE, np.int64)
        values, costs = self._column([number]), np.zeros(1, np.int64)
        return _make_forms(values, costs, 0, _NONE, no_operand, no_operand)

    def _step_costs(self, operator: Operator, left: Ints, right: Ints) -> Any:
        """Return the cost of each step: for its sign, and for parentheses around its operands."""
        if operator.joins:
            return 0
        precedence, levels = operator.precedence, self._columns[1]
        left_bindings, right_bindings = self._bindings[levels[left]], self._bindings[levels[right]]
        # Operands of equal precedence need parentheses on one side: on the right in 5 - (3 - 2),
        # on the left in (2 ^ 3) ^ 2.
        parentheses = (left_bindings < precedence + operator.right_associative).astype(np.int64)
        parentheses += right_bindings < precedence + (not operator.right_associative)
        costs: Ints = _SIGN + _PARENTHESES * parentheses
        if operator.commutes:
            is_smaller_first = np.asarray(self.values[left] < self.values[right])
            costs += _SMALLER_FIRST * is_smaller_first
        return costs

    def _cheapest_forms(
        self, level: int, operator: Operator, values: Column, costs: Any, left: Ints, right: Ints
    ) -> _Forms:
        """Return the values that one operator makes, with only the cheapest row of each."""
        [numerators, *_] = integer_columns(values)
        costs = costs + _BELOW_ZERO * (numerators < 0)
        code = self._operators.index(operator)
        return _make_forms(values, costs, level, code, left, right).cheapest()

    def _unary_steps(
        self, forms: _Forms, first: int, levels: Sequence[tuple[int, Level]]
    ) -> list[_Forms]:
        """Apply operators with one operand to results from a position on; a table for each."""
        blocks = [select(forms, slice(0, 0))]
        operator_count = sum(len(level.operators) for _, level in levels)
        self._check_bytes(len(forms.costs) * operator_count)
        for index, level in levels:
            operands = np.flatnonzero(np.isin(forms.levels, level.lefts))
            precedence = level.operators[0].precedence
            for operator in level.operators:
                values = forms.values[operands]
                # An operator with one operand ignores the second argument.
                results, is_legal = operator.operate(values, values, self.game)
                legal_rows = mask_indices(is_legal, len(operands))
                rows = operands[legal_rows]
                needs_parentheses = self._bindings[forms.levels[rows]] < precedence
                # (4!)! is not written as 4!!.
                needs_parentheses |= operator.postfix & (forms.levels[rows] == index)
                sign_cost = 0 if operator.joins else _SIGN
                costs = forms.costs[rows] + sign_cost + _PARENTHESES * needs_parentheses
                no_operands, positions = np.full(len(rows), _NONE, np.int64), rows + first
                sides = (positions, no_operands) if operator.postfix else (no_operands, positions)
                results = reduce_column(results[legal_rows])
                blocks.append(self._cheapest_forms(index, operator, results, costs, *sides))
        return blocks

    def _with_minus(self, forms: _Forms) -> _Forms:
        """Return results, and those with a minus sign before them, the cheaper of each value.

        The caller stores them next: a row with a minus has the position that its operand will have.
        """
        if not self.game.signed or not len(forms.costs):
            return forms
        self._check_bytes(len(forms.costs))
        magnitudes: Any = abs(forms.values)
        order, starts = group_rows(magnitudes)
        group_sizes = np.diff(starts, append=len(order))
        [numerators, *_] = integer_columns(forms.values)
        needs_parentheses = negation_needs_parentheses(self._bindings[forms.levels])
        negated_costs = forms.costs + _SIGN + _BELOW_ZERO * (numerators > 0)
        negated_costs += _PARENTHESES * needs_parentheses
        is_kept, negated_rows = np.ones(len(order), bool), []
        loosest_level = len(self._bindings) - 1
        for sign in (1, -1):
            # In each group, compare the results of this sign with minus before the opposite ones.
            has_sign, is_opposite = sign * numerators > 0, sign * numerators < 0
            plain_costs = np.where(has_sign, forms.costs, _NEVER)
            minus_costs = np.where(is_opposite, negated_costs, _NEVER)
            opposites = _cheapest_of_groups(minus_costs, order, starts)
            least_minus_costs = minus_costs[opposites]
            is_better = least_minus_costs < np.minimum.reduceat(plain_costs[order], starts)
            negated_rows.append(opposites[is_better])
            cost_limits = repeat_rows(np.where(is_better, least_minus_costs, _NEVER), group_sizes)
            # Next to a product the minus sign goes before the product, and needs no more
            # parentheses than here.
            binds_tighter = forms.levels[order] < loosest_level
            opposites_need_parentheses = repeat_rows(needs_parentheses[opposites], group_sizes)
            both_need_parentheses = needs_parentheses[order] & opposites_need_parentheses
            cost_limits += _PARENTHESES * (binds_tighter & ~both_need_parentheses)
            is_too_costly = has_sign[order] & (plain_costs[order] >= cost_limits)
            is_kept[order[is_too_costly]] = False
        operands = np.concatenate(negated_rows)
        values = forms.values[operands] * -1
        is_legal = mask_indices(obeys_result_rules(values, self.game), len(operands))
        operands, values = operands[is_legal], values[is_legal]
        # The kept results are stored first: the n-th of them gets the n-th free position.
        positions = len(self.values) + (running_sums(is_kept) - 1)[operands]
        code, no_operands = len(self._operators), np.full(len(operands), _NONE, np.int64)
        costs = negated_costs[operands]
        negated = _make_forms(values, costs, loosest_level, code, no_operands, positions)
        return join([select(forms, is_kept), negated])

    def _only_better(self, rounds: Sequence[_Forms], forms: _Forms) -> _Forms:
        """Return those results that are new, or cheaper than the same value of earlier rounds."""
        if not self.game.parentheses:
            return forms
        if self.game.nontrivial:
            # √1 is an answer, and the number 1 is not.
            rounds = [*map(self._without_numbers, rounds)]
        # For equal costs, the earlier rounds come first.
        all_forms = join([*rounds, forms])
        count = len(all_forms.costs)
        rows = np.sort(all_forms.cheapest_rows(int_range(count), self._allowance))
        first = count - len(forms.costs)
        return select(forms, rows[rows >= first] - first)

    def _without_numbers(self, forms: _Forms) -> _Forms:
        is_number = np.isin(forms.levels % self._class_count, self._number_levels)
        return select(forms, ~is_number)

    def _merge(self, all_forms: _Forms) -> _Forms:
        """Return only the cheapest expressions of each value and state."""
        # Numbers are compared only with numbers, next to which more digits can be put; without
        # parentheses all expressions only with those of their level.
        self._check_bytes(len(all_forms.costs))
        separate_levels = self._number_levels if self.game.parentheses else self._levels
        groups = [all_forms.levels == level for level in separate_levels]
        is_other = ~np.any(groups, axis=0)
        states = all_forms.levels // self._class_count
        groups += [is_other & (states == state) for state in range(self._state_count)]
        cheapest_rows = [
            all_forms.cheapest_rows(group.nonzero()[0], self._allowance) for group in groups
        ]
        return select(all_forms, np.concatenate(cheapest_rows))

    def _check_bytes(self, count: int) -> None:
        self.budget.check_bytes(count * _BYTES_PER_RESULT)

    def _store(self, forms: _Forms) -> int:
        """Append results to the chart; return the position of the first."""
        first = len(self.values)
        if first + len(forms.costs) > MAX_FORMS:
            raise RefusedError(message("work.values", most=Count(MAX_FORMS)))
        self.values.extend(forms.values)
        for column, new_rows in zip(self._columns, forms[1:], strict=True):
            column.extend(new_rows)
        return first

    def _add_sides(self, hand: Hand, rounds: Sequence[_Forms], first: int) -> None:
        """Record a run of the results of a hand for each side."""
        starts = np.zeros((1, len(self._sides)), np.int64)
        stops = starts.copy()
        end = len(self.values)
        for run_index, side in enumerate(self._sides):
            if side == self._levels and self.game.parentheses:
                starts[0, run_index], stops[0, run_index] = first, end
                continue
            side_forms = [select(forms, np.isin(forms.levels, side)) for forms in rounds]
            side_results = join(side_forms).cheapest(self._allowance)
            starts[0, run_index] = self._store(side_results)
            stops[0, run_index] = len(self.values)
        [self.index_of[hand]] = self.add_entries([hand], starts, stops)


def relative_step_time(game: Game) -> int:
    """Return the time of a step relative to an addition: 100 if it often runs in Python."""
    # Operators that write numbers from digits, such as the decimal point, are used rarely. Only
    # with other operators of one operand, such as !, they get many more values.
    has_slow_operator = any(
        not operator.takes_columns and operator.column_arithmetic is None
        for operator in game.row_operators
        if has_unary_operator(game) or not operator.joins
    )
    return _SCALAR_WEIGHT if has_slow_operator else 1


def has_unary_operator(game: Game) -> bool:
    return any(operator.arity == 1 and not operator.joins for operator in game.row_operators)
