"""Written forms: every way to write a hand, in its order, so that it makes a target.

With parentheses (1 + 2) + 3 and 1 + (2 + 3) are two written forms, and one distinct solution: forms
are told apart as they are written, solutions as functions of the numbers dealt. Owns these forms,
counted by value, and one after the other as a chart by function has them.
"""

from collections.abc import Collection, Iterator
from typing import Any

from crisps24.errors import RefusedError
from crisps24.hands.asks import Ask, Asks
from crisps24.hands.by_function import ByFunction, Results
from crisps24.hands.by_value import ByValue
from crisps24.notation.trees import Expression, Number, Operation
from crisps24.rules.deals import Numbers
from crisps24.rules.exact import Exact, exact
from crisps24.rules.games import Game
from crisps24.rules.queries import HandQuery
from crisps24.rules.ratios import exact_at, exact_values
from crisps24.rules.words import values_from
from crisps24.rules.work import MOST_WORK
from crisps24.solving.solver import chart_of, check_rational
from crisps24.solving.work import SOLVE, check_work, useful_for

# Floats count exactly below this.
_MOST_EXACT = 1 << 53


def count_written(
    numbers: Numbers,
    targets: Collection[Exact],
    game: Game | str = "crisps",
    *,
    work: int | None = MOST_WORK,
) -> dict[Exact, int]:
    """Return for each target the number of written forms of a hand in its order.

    `work` is how many pairs of values may be looked at, None for any.

    >>> count_written((1, 2, 3), [6, 7], "cards")
    {6: 4, 7: 1}

    Raises ValueError for a hand that the game cannot have, see `HandQuery`, and for more
    work than is allowed.
    """
    query = HandQuery.of(numbers, game, in_order=True, work=work)
    return find_written_counts(query, values_from(targets))


def find_written_counts(query: HandQuery, targets: Collection[Exact]) -> dict[Exact, int]:
    """Return the number of written forms of each target of a query, as `count_written` does."""
    hand, wanted = query.hand, sorted(targets)
    check_work(query, SOLVE)
    if not wanted:
        return {}
    useful = useful_for(query, wanted)
    within, among = (wanted[0], wanted[-1]), None if useful is None else useful.among_of
    chart = ByValue(query.rules, hand, True, within=within, counted=True, useful=among)
    [found] = chart.sums([hand])
    if len(found.weights) and found.weights.max() >= _MOST_EXACT:
        raise RefusedError(f"{len(hand)} numbers have more written forms than can be counted")
    counted = dict(zip(exact_values(found.values), map(int, found.weights.tolist()), strict=True))
    return {target: counted.get(target, 0) for target in wanted}


def written_forms(
    numbers: Numbers,
    target: Exact,
    game: Game | str = "crisps",
    *,
    work: int | None = MOST_WORK,
) -> Iterator[Expression]:
    """Yield every written form of a hand in its order that makes a target, fewer numbers first.

    >>> print(*written_forms((1, 2, 3), 6, "cards"), sep=", ")
    1 x (2 x 3), 1 x 2 x 3, 1 + (2 + 3), 1 + 2 + 3

    Raises ValueError for what `count_written` does, and for a game with an operator that is no
    rational function.
    """
    query = HandQuery.of(numbers, game, in_order=True, work=work)
    return find_written(query, exact(target))


def find_written(query: HandQuery, target: Exact) -> Iterator[Expression]:
    """Return the written forms of a query, as `written_forms` yields them."""
    check_rational(query.game)
    check_work(query, SOLVE)
    return _written(query, target)


def _written(query: HandQuery, target: Exact) -> Iterator[Expression]:
    asks = Asks([Ask(query.hand, target)], query.rules, True)
    chart = chart_of([query.hand], [target], query)
    for _, results, which, _ in chart.kept(lambda hands: asks.among(hands).matches, asks):
        for result in which:
            yield from _forms_of(chart, results, result, target)


def _forms_of(chart: ByFunction, results: Results, result: int, value: Any) -> Iterator[Expression]:
    """Yield the written forms of a result, which is a value."""
    derived = results.derivations(result)
    if not derived:
        yield Number(int(value))
    for operator, *places in derived:
        left, right = (chart.results_at(place) for place in places)
        for one in _forms_of(chart, *left, exact_at(left[0].values, left[1])):
            for other in _forms_of(chart, *right, exact_at(right[0].values, right[1])):
                yield Operation(operator, one, other, signs=chart.game.style)
