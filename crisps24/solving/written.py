"""Written forms: formulas with their parentheses, of numbers in their order.

Other than solutions they count by notation: (1 + 2) + 3 and 1 + (2 + 3) are one solution and two
written forms. In the chart of values, the number of written forms is a weight like any other.
"""

from collections.abc import Collection, Iterator
from typing import Any

from crisps24.errors import RefusedError
from crisps24.hands.by_function import FunctionChart, ResultTable
from crisps24.hands.by_value import ValueChart
from crisps24.hands.goals import Goal, GoalSet
from crisps24.notation.trees import Expression, Number, Operation
from crisps24.rules.deals import HandLike
from crisps24.rules.exact import Exact, to_exact
from crisps24.rules.games import Game
from crisps24.rules.queries import HandQuery
from crisps24.rules.ratios import exact_values, value_at
from crisps24.rules.words import to_values
from crisps24.rules.work import DEFAULT_WORK
from crisps24.solving.solver import make_chart, results_of_goals, solving_budget
from crisps24.solving.work import plan_targets

# Floats count written forms exactly below this number.
_MAX_EXACT_COUNT = 1 << 53


def count_written(
    numbers: HandLike,
    targets: Collection[Exact],
    game: Game | str = "crisps",
    *,
    work: int | None = DEFAULT_WORK,
) -> dict[Exact, int]:
    """Return the number of written forms of each target, smallest target first.

    The numbers keep their order. Every placement of operators and parentheses is a written form:
    1 + (2 + 3) and 1 + 2 + 3 are two. In games that allow unused numbers, forms of sub-hands count
    too. A target that cannot be made has 0.

    The other arguments and the errors are those of `solve`. Games with unary operators or powers
    are refused, and values with 2^53 written forms or more.

    Args:
        targets: The targets: ints or Fractions.

    >>> count_written((1, 2, 3), [6, 7], "cards")
    {6: 4, 7: 1}
    """
    query = HandQuery.from_arguments(numbers, game, in_order=True, work=work)
    return find_written_counts(query, to_values(targets))


def find_written_counts(query: HandQuery, targets: Collection[Exact]) -> dict[Exact, int]:
    """Return the number of written forms of each target; its game must be `in_order`."""
    hand, sorted_targets = query.hand, sorted(targets)
    if not sorted_targets:
        return {}
    budget, backward_search = plan_targets(query, sorted_targets)
    within = sorted_targets[0], sorted_targets[-1]
    # With `count_routes`, the weight of a value is its number of written forms.
    options: Any = {"within": within, "count_routes": True, "budget": budget}
    filter_of = None if backward_search is None else backward_search.filter_for
    chart = ValueChart(query.effective_game, hand, filter_of=filter_of, **options)
    [counted] = chart.weighted_values([hand])
    if len(counted.weights) and counted.weights.max() >= _MAX_EXACT_COUNT:
        raise RefusedError(f"{len(hand)} numbers have more written forms than can be counted")
    counts = map(int, counted.weights.tolist())
    count_by_value = dict(zip(exact_values(counted.values), counts, strict=True))
    return {target: count_by_value.get(target, 0) for target in sorted_targets}


def written_forms(
    numbers: HandLike,
    target: Exact,
    game: Game | str = "crisps",
    *,
    work: int | None = DEFAULT_WORK,
) -> Iterator[Expression]:
    """Yield every written form of a target, with the numbers in their order, fewer numbers first.

    A written form is a formula with its parentheses: 1 + (2 + 3) and 1 + 2 + 3 are two forms. The
    arguments are checked, and the cost is forecast, when the function is called. The forms are
    computed while iterating, which can raise RefusedError too. Arguments and errors are those of
    `solve`.

    >>> print(*written_forms((1, 2, 3), 6, "cards"), sep=", ")
    1 x (2 x 3), 1 x 2 x 3, 1 + (2 + 3), 1 + 2 + 3
    """
    query = HandQuery.from_arguments(numbers, game, in_order=True, work=work)
    return find_written_forms(query, to_exact(target))


def find_written_forms(query: HandQuery, target: Exact) -> Iterator[Expression]:
    """Forecast the cost, and return an iterator over the forms; its game must be `in_order`."""
    budget = solving_budget(query)

    def forms() -> Iterator[Expression]:
        goals = GoalSet([Goal(query.hand, target)], query.effective_game)
        chart = make_chart([query.hand], [target], query, budget)
        for results in results_of_goals(chart, goals):
            for row in results.rows:
                yield from _written_forms_of(chart, results.table, row, target)

    return forms()


def _written_forms_of(
    chart: FunctionChart, table: ResultTable, row: int, value: Any
) -> Iterator[Expression]:
    """Yield every written form of a result, which is a row of a table of a chart with routes."""
    derivations = table.derivations(row)
    if not derivations:
        yield Number(value)
    for operator, left_position, right_position in derivations:
        left_table, left_row = chart.table_at(left_position)
        right_table, right_row = chart.table_at(right_position)
        left_value = value_at(left_table.values, left_row)
        right_value = value_at(right_table.values, right_row)
        for left_form in _written_forms_of(chart, left_table, left_row, left_value):
            for right_form in _written_forms_of(chart, right_table, right_row, right_value):
                yield Operation(operator, left_form, right_form, style=chart.game.style)
