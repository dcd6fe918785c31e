"""The values that a hand makes: all, with numbers of solutions or plainest forms; the closest.

All values are listed by the chart of values; numbers of solutions need that of functions, and
plainest forms that of shortest forms (all in `hands`). For a large hand and few targets a backward
search can be cheaper: `work` chooses. Only `reachable` and `plainest` accept operators that are not
rational functions, such as powers. In games that allow unused numbers, values that only some of the
numbers make are included.
"""

import os
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from crisps24.hands.by_value import ValueChart
from crisps24.hands.goals import Goal, GoalSet, Selection, root_hands
from crisps24.hands.shortest import ShortestForms, has_unary_operator
from crisps24.notation.trees import Expression
from crisps24.output.atomic_files import to_path
from crisps24.rules.deals import HandLike
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.machines import SOLUTIONS
from crisps24.rules.partitions import largest_parts
from crisps24.rules.queries import HandQuery, target_for
from crisps24.rules.ratios import (
    Column,
    Ints,
    distinct_rows,
    exact_values,
    integer_columns,
    join_columns,
    largest_integer,
    reduce_column,
    sum_weights,
)
from crisps24.rules.widths import int_range
from crisps24.rules.words import to_bounds, to_values
from crisps24.rules.work import DEFAULT_WORK, Budget
from crisps24.solving.ranking import Solution
from crisps24.solving.solver import find_first, make_chart, solve_goals
from crisps24.solving.work import (
    COUNT_SOLUTIONS,
    LIST_FORMS,
    LIST_VALUES,
    REACH,
    SOLVE,
    SearchTask,
    budget_for,
    is_small_query,
    plan_targets,
)

# Values of new columns that are merged at once, at least.
_VALUES_PER_MERGE = 1 << 16


def count_solutions(
    numbers: HandLike,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    within: tuple[Exact, Exact] | None = None,
    only: Collection[Exact] | None = None,
    work: int | None = DEFAULT_WORK,
) -> dict[Exact, int]:
    """Return every value that a hand makes, with its number of distinct solutions, smallest first.

    In games that allow unused numbers, values that only some of the numbers make are included. The
    other arguments and the errors are those of `solve`.

    Args:
        within: The smallest and the largest value to return, both included, in ascending order
            (default: no limits). This saves little work.
        only: The values to return (default: all). Values that the hand cannot make are left out.
            For large hands this saves most of the work.

    >>> count_solutions((2, 3))
    {1: 1, 5: 1, 6: 1}
    """
    query = HandQuery.from_arguments(numbers, game, in_order=in_order, work=work)
    return find_solution_counts(query, to_bounds(within), None if only is None else to_values(only))


def find_solution_counts(
    query: HandQuery, within: tuple[Exact, Exact] | None, only: Collection[Exact] | None
) -> dict[Exact, int]:
    if only is not None:
        within = within or (min(only, default=0), max(only, default=0))
        only = {value for value in only if within[0] <= value <= within[1]}
    SOLUTIONS.check(query.game)
    budget = budget_for(query, COUNT_SOLUTIONS if only is None else SOLVE, targets=only or ())
    chart = make_chart([query.numbers], only, query, budget, routes=False)

    def select(values: Column, _: Ints) -> Selection:
        rows = int_range(len(values))
        if within is not None:
            rows = ((values >= within[0]) & (values <= within[1])).nonzero()[0]
        return Selection(rows, np.zeros_like(rows))

    selected = list(chart.kept_results(lambda _hands: select))
    fingerprints = np.concatenate([results.fingerprints for results in selected])
    values = join_columns([results.table.values[results.rows] for results in selected])
    # Count each function once, also if several sub-hands make it.
    _, distinct = np.unique(fingerprints, return_index=True)
    [column], counts = sum_weights(np.ones(len(distinct)), values[distinct])
    counted = zip(exact_values(column), counts.astype(np.int64).tolist(), strict=True)
    return {value: count for value, count in sorted(counted) if only is None or value in only}


def reachable(
    numbers: HandLike,
    game: Game | str = "crisps",
    in_order: bool = False,
    *,
    only: Collection[Exact] | None = None,
    work: int | None = DEFAULT_WORK,
    checkpoint: str | os.PathLike[str] | None = None,
) -> set[Exact]:
    """Return every value that a hand makes, as a set: ints, or Fractions if they are not whole.

    The game can have any operators. Arguments and errors are those of `count_solutions`. A search
    of more than a minute keeps what it has computed in the file `checkpoint`, and goes on from it
    after it was stopped; only games of + - x : can.

    >>> sorted(reachable((2, 3)))
    [1, 5, 6]
    >>> sorted(reachable((2, 3), in_order=True))
    [5, 6]
    """
    query = HandQuery.from_arguments(numbers, game, in_order=in_order, work=work)
    path = None if checkpoint is None else to_path(checkpoint)
    return find_reachable(query, None if only is None else to_values(only), path)


def find_reachable(
    query: HandQuery, only: Collection[Exact] | None, checkpoint: Path | None = None
) -> set[Exact]:
    if checkpoint is not None:
        SOLUTIONS.check(query.game)
    if not SOLUTIONS.can_do(query.game):
        return set(_find_shortest(query, only, REACH)[0])
    if only is None:
        budget = budget_for(query, LIST_VALUES)
        return _distinct_values(_value_columns(query, budget, checkpoint=checkpoint))
    if checkpoint is None:
        budget, backward_search = plan_targets(query, only)
    else:
        # A backward search has no chart of all parts.
        budget, backward_search = budget_for(query, REACH), None
    if backward_search is None:
        # It is cheaper to compute all values between the smallest and the largest target.
        within = (min(only), max(only)) if only else None
        columns = _value_columns(query, budget, within, checkpoint)
        return _distinct_values(columns).intersection(only)
    roots = root_hands(query.numbers, query.effective_game)
    return set().union(*map(backward_search.values_of, roots)) & set(only)


def _value_columns(
    query: HandQuery,
    budget: Budget,
    within: tuple[Exact, Exact] | None = None,
    checkpoint: Path | None = None,
) -> Iterator[Column]:
    """Yield columns, which overlap, of the values of a hand; of a large one, those `within`."""
    hand, game = query.numbers, query.effective_game
    options: Any = {"max_right_size": len(hand) - 1, "within": within, "budget": budget}
    chart = ValueChart(game, hand, **options)
    if checkpoint is not None:
        from crisps24.hands.checkpoints import Checkpoint

        Checkpoint(checkpoint, chart, hand)
    # A root is a choice of numbers that a formula can use.
    roots = root_hands(hand, game)
    chart.add_hands(roots if is_small_query(query) else largest_parts(hand, game.in_order))
    for root in roots:
        if len(root) == 1 or root in chart.index_of:
            yield chart.values_of(root)
            continue
        # The values of a large root are not stored: yield them as soon as they are computed.
        for _, values in chart.last_step_values([root]):
            yield distinct_rows(reduce_column(values))[0]


def _distinct_values(columns: Iterable[Column]) -> set[Exact]:
    merged: list[Column] = []
    for column in columns:
        merged.append(column)
        # So each value is sorted a logarithmic number of times.
        if sum(map(len, merged[1:])) > max(len(merged[0]), _VALUES_PER_MERGE):
            merged = distinct_rows(join_columns(merged))
    return set(exact_values(distinct_rows(join_columns(merged))[0])) if merged else set()


def find_most_points(query: HandQuery, targets: Collection[Exact]) -> dict[Exact, int]:
    """Return the most points for each target that a hand makes, in a game that scores operators."""
    hand, game = query.numbers, query.effective_game
    budget = budget_for(query, LIST_VALUES)
    chart = ValueChart(game, hand, by_operators=True, budget=budget)
    return most_points_in(chart, hand, targets)


def most_points_in(chart: ValueChart, hand: Hand, targets: Collection[Exact]) -> dict[Exact, int]:
    game = chart.game
    roots = root_hands(hand, game)
    chart.add_hands(roots)
    most: dict[Exact, int] = {}
    for root in roots:
        for state, values in chart.values_by_state(root):
            points = game.points.of(0, state, uses_all=len(root) == len(hand)) if game.points else 0
            for value in set(exact_values(values)).intersection(targets):
                most[value] = max(points, most.get(value, 0))
    return most


def plainest(
    numbers: HandLike,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    within: tuple[Exact, Exact] | None = None,
    only: Collection[Exact] | None = None,
    work: int | None = DEFAULT_WORK,
) -> dict[Exact, Expression]:
    """Return every value that a hand makes, each with its plainest form, smallest value first.

    The plainest form has the fewest operators, then the fewest parentheses, then the fewest
    negative results. Any operators are supported, also powers, roots and factorials. Arguments and
    errors are those of `count_solutions`.

    >>> from crisps24 import GAMES
    >>> game = replace(GAMES["cards"], operators=("-", "+", "√", "!"))
    >>> print(plainest((4, 4), game)[22])
    4! - √4
    """
    query = HandQuery.from_arguments(numbers, game, in_order=in_order, work=work)
    return find_plainest(query, to_bounds(within), None if only is None else to_values(only))


def find_plainest(
    query: HandQuery, within: tuple[Exact, Exact] | None, only: Collection[Exact] | None
) -> dict[Exact, Expression]:
    positions, chart = _find_shortest(query, only, LIST_FORMS)
    return {
        value: replace(chart.expression(position), game=chart.game)
        for value, position in sorted(positions.items())
        if within is None or within[0] <= value <= within[1]
    }


def find_own_digits(
    numbers: Iterable[Exact],
    game: Game,
    work: int | None,
    progress: Callable[[int], object] | None = None,
) -> dict[Exact, Expression]:
    """Return which numbers, 0 or more, their own digits make, each with its plainest form."""
    if game.in_order:
        # What digits make in their order, they also make in any order.
        numbers = find_own_digits(numbers, replace(game, in_order=False), work, progress)
        progress = None
    numbers_by_hand: dict[Hand, list[Exact]] = {}
    for number in numbers:
        hand = HandQuery(tuple(map(int, str(number))), game).numbers
        numbers_by_hand.setdefault(hand, []).append(number)
    found: dict[Exact, Expression] = {}
    for hand, made in numbers_by_hand.items():
        found |= find_plainest(HandQuery(hand, game, work), None, made)
        if progress is not None:
            progress(len(made))
    return dict(sorted(found.items()))


def _find_shortest(
    query: HandQuery, only: Collection[Exact] | None, task: SearchTask
) -> tuple[dict[Exact, int], ShortestForms]:
    """Return the positions of the plainest forms of values in a chart, by value, and the chart."""
    task = task._replace(
        with_forms=True,
        filters_last_step=only is not None and not has_unary_operator(query.game),
        lists_results=task.lists_results and only is None,
    )
    budget = budget_for(query, task)
    chart = ShortestForms(query.effective_game, query.numbers, budget=budget)
    positions = chart.best_forms(query.numbers, only)
    if only is not None:
        positions = {value: position for value, position in positions.items() if value in only}
    return positions, chart


def closest(
    numbers: HandLike,
    target: Exact | None = None,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    work: int | None = DEFAULT_WORK,
) -> dict[Exact, Expression]:
    """Return the one or two reachable values closest to a target, each with its likeliest solution.

    If the target can be made, it is the only value. Of two equally distant values the smaller comes
    first. The result is empty if the hand makes no value. Arguments and errors are those of
    `solve`.

    >>> {value: str(solution) for value, solution in closest((1, 1, 1, 1), 24).items()}
    {4: '1 + 1 + 1 + 1'}
    """
    query = HandQuery.from_arguments(numbers, game, in_order=in_order, work=work)
    return find_closest(query, target_for(query.game, target))


def find_closest(query: HandQuery, target: Exact) -> dict[Exact, Expression]:
    SOLUTIONS.check(query.game)
    budget = budget_for(query, REACH)
    nearest: set[Exact] = set()

    def collect(values: Column, hand_indices: Ints) -> Selection:
        if len(values):
            distances = _rounded_distances(values, target)
            nearest.update(exact_values(values[np.flatnonzero(distances == distances.min())]))
        return Selection(hand_indices[:0], hand_indices[:0])

    is_small = is_small_query(query)
    if is_small:
        # The chart has the solutions of the nearest values, too.
        chart = make_chart([query.numbers], None, query, budget)
        deque(chart.kept_results(lambda _hands: collect), maxlen=0)
    else:
        for column in _value_columns(query, budget):
            collect(column, np.zeros(0, np.int64))
    # The distances above are rounded, so compare the candidates exactly.
    distance_of = {value: abs(Fraction(value) - target) for value in nearest}
    least_distance = min(distance_of.values(), default=None)
    values = sorted(value for value in nearest if distance_of[value] == least_distance)
    ranked: Iterable[Sequence[Solution]]
    if is_small:
        goals = [Goal(query.numbers, value) for value in values]
        ranked = solve_goals(chart, GoalSet(goals, chart.game))
    else:
        ranked = (find_first(query, value, 1).details for value in values)
    game = query.effective_game
    return {
        value: replace(solutions[0].expression, game=game)
        for value, solutions in zip(values, ranked, strict=True)
    }


def _rounded_distances(values: Column, target: Exact) -> Any:
    """Return the distances of values to the target in units of 1 / 2^20, rounded down."""
    units = 1 << 20
    target_numerator, target_denominator = Fraction(target).as_integer_ratio()
    # Whole numbers have the denominators 1.
    numerators, denominators = (*integer_columns(values), np.ones(len(values), np.int64))[:2]
    # Use Python integers if 64 bits could overflow.
    largest_factor = max(abs(target_numerator), target_denominator)
    fits_64_bits = largest_integer(values) * largest_factor * units < 2**60
    dtype: Any = np.int64 if fits_64_bits else object
    numerators, denominators = numerators.astype(dtype), denominators.astype(dtype)
    difference = abs(numerators * target_denominator - target_numerator * denominators)
    return difference * units // (denominators * target_denominator)
