"""Solve hands: all distinct solutions, likeliest first; reachable values; numbers of solutions.

Two solutions are the same if they are equal as rational functions of the numbers of the hand; equal
numbers are interchangeable. For 3 3 8 8 and the target 24, the chart of functions (`hands`)
combines the functions of sub-hands, such as 8 / 3 and 3 - 8 / 3, up to the whole hand. It keeps
each function once, identified by its value modulo a prime at random points. The only function with
the value 24 is 8 / (3 - 8 / 3). `forms` then finds the plainest expression of each solution and
ranks the solutions by the weights of their routes.

Without targets all values of a hand are listed, by the faster chart of values. For large hands and
few targets a backward search first finds which values can lead to a target; see `work` for the
choice and the limits. `find_*` functions take a validated query; the others take the arguments of
users. With operators that are not rational functions (powers, roots, factorials) equal solutions
cannot be recognised: only `reachable` and `plainest` accept them.

Written forms are counted by notation: with parentheses (1 + 2) + 3 and 1 + (2 + 3) are one solution
and two written forms.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from heapq import nlargest
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

import numpy as np

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.hands.by_function import FunctionChart, KeptResults, ResultTable
from crisps24.hands.by_value import ValueChart
from crisps24.hands.forest import solution_weights
from crisps24.hands.goals import Goal, GoalSet, Selection, root_hands
from crisps24.hands.shortest import ShortestForms
from crisps24.messages.message import Count, Message, message
from crisps24.notation.trees import Expression, Number, Operation
from crisps24.rules.deals import HandLike
from crisps24.rules.exact import Exact, to_exact
from crisps24.rules.games import Game, Hand, find_game
from crisps24.rules.partitions import sub_hands
from crisps24.rules.queries import HandQuery, target_for
from crisps24.rules.ratios import (
    Column,
    Ints,
    Ratios,
    distinct_rows,
    exact_values,
    join_columns,
    largest_integer,
    reduce_column,
    run_start_mask,
    sum_weights,
    value_at,
)
from crisps24.rules.words import to_bounds, to_values
from crisps24.rules.work import DEFAULT_WORK, Budget
from crisps24.solving.forms import (
    BY_SHARE,
    PLAIN,
    Form,
    PlainestForms,
    RankedSolutions,
    Reducer,
    Solution,
    Solutions,
    UnrankedSolution,
    plainness_key,
    rank_solutions,
    simplicity_key,
)
from crisps24.solving.work import (
    COUNT_SOLUTIONS,
    LIST_FORMS,
    LIST_VALUES,
    REACH,
    SOLVE,
    SearchTask,
    backward_search_for,
    budget_for,
    is_rational,
    is_small_query,
    plan_targets,
)

# Solutions of a large hand that are ranked if only the first are requested.
_MAX_RANKED = 20_000
# Steps of solutions whose routes are weighted if only the first are requested.
_MAX_WEIGHTED_STEPS = 500_000
# Solutions of a large hand that are listed if all are requested.
_MAX_LISTED = 250_000
# Work of the puzzles that share a chart, in n^n for a hand of n numbers: the limit is about two
# thousand hands of four numbers, or ten of six.
_WORK_PER_BATCH = 500_000
# Values that are converted from a column to Python numbers at a time.
_VALUES_PER_BATCH = 1 << 16
# Floats count written forms exactly below this number.
_MAX_EXACT_COUNT = 1 << 53


def solve(
    numbers: HandLike,
    target: Exact | None = None,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    first: int | None = None,
    work: int | None = DEFAULT_WORK,
) -> Solutions:
    """Return all distinct solutions of a hand as a sequence of expressions, likeliest first.

    The solutions are computed when the sequence is first used; if the target cannot be made, it is
    empty. If the game allows unused numbers, solutions with fewer numbers come first; then the
    likelier equivalence classes. In a class, fewer divisions come first, then fewer parentheses,
    then the larger share (see `Solution`). A hand of four numbers takes milliseconds, of six up to
    a second, of seven cards some seconds.

    Args:
        numbers: The hand: 1 to 99 numbers, dealt by the game or not, or a text such as "3 3 8 8".
        target: The target, an int or a Fraction (default: the target of the game).
        game: A game, or its name.
        in_order: Whether the numbers keep their order.
        first: How many solutions to return, at least 1 (default: all). A limit saves work for
            hands with thousands of solutions; see `Solutions.order`.
        work: Largest search to attempt, in pairs of values (None: no limit).

    Raises:
        RefusedError: If the game is unknown or cannot have the hand (see `HandQuery`); without a
            target, if the game has no fixed one; if the forecast exceeds the limits; if the game
            has operators that are not rational functions; if `first` is below 1; at first use, if
            the search exceeds the limits, or if without `first` it finds more than 250,000
            solutions of a large hand.
        KindError: If an argument has the wrong type.

    >>> print(*solve((3, 3, 8, 8), 24, "cards"))
    8 / (3 - 8 / 3)
    >>> print(next(solve((2, 4, 8, 10), game="cards")))
    10 + 8 + 4 + 2
    """
    query = HandQuery.from_arguments(numbers, game, in_order=in_order, work=work)
    target = target_for(query.game, target)
    return find_first(query, target, first)


def find_first(query: HandQuery, target: Exact, first: int | None) -> Solutions:
    """Return the first solutions of a query, or all if `first` is None; see `solve`.

    The cost is forecast in this call; the search is done at first use. Both can raise
    RefusedError, and so does a `first` below 1.
    """
    if first is not None and (not isinstance(first, int) or first < 1):
        raise RefusedError(f"invalid number of solutions {quoted(first)} (expected 1 or more)")
    solving_budget(query)
    return Solutions(lambda: next(_solve_batch([(query, target)], first)), query.game)


def solutions(
    numbers: HandLike,
    target: Exact,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    work: int | None = DEFAULT_WORK,
) -> list[Solution]:
    """Return all distinct solutions of a hand as a list, with shares, in the order of `solve`.

    The list is empty if the target cannot be made. Arguments and errors are those of `solve`; the
    search is done, and its errors are raised, in this call.

    >>> [(str(each.expression), round(each.share, 2)) for each in solutions((2, 3, 4), 10)]
    [('4 x 3 - 2', 0.51), ('3 x 2 + 4', 0.49)]
    """
    query = HandQuery.from_arguments(numbers, game, in_order=in_order, work=work)
    return find_solutions(query, to_exact(target))


def find_solutions(query: HandQuery, target: Exact) -> list[Solution]:
    """Return the solutions of a query, in the order of `solve`; errors as in `solutions`."""
    [found] = find_many([(query, target)])
    return found


def solve_many(
    puzzles: Iterable[tuple[HandLike, Exact]],
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    work: int | None = DEFAULT_WORK,
) -> Iterator[list[Solution]]:
    """Yield the solutions of each of many puzzles, as `solutions` returns them.

    This is faster than `solutions` for each puzzle: hands that follow each other share the table of
    their common sub-hands.

    Args:
        puzzles: Pairs of a hand and a target. They can be endless; at most two thousand hands of
            four numbers are read ahead.
        game: A game, or its name.
        in_order: Whether the numbers keep their order.
        work: Largest search to attempt for each puzzle, in pairs of values (None: no limit).

    Raises:
        RefusedError: As `solve`, while iterating. Since puzzles are read ahead, an invalid puzzle
            can raise it before the solutions of some earlier puzzles are yielded.
        KindError: If a puzzle is not a pair, or an argument has the wrong type; also read ahead.

    >>> for ranked in solve_many([((3, 3, 8, 8), 24), ((1, 1, 1, 1), 24)], "cards"):
    ...     print(*(solution.expression for solution in ranked))
    8 / (3 - 8 / 3)
    <BLANKLINE>
    """
    game = find_game(game)

    def queries() -> Iterator[tuple[HandQuery, Exact]]:
        for puzzle in puzzles:
            if not isinstance(puzzle, tuple | list) or len(puzzle) != 2:
                example = "a hand and a target, such as ((4, 3, 8, 4), 24)"
                raise KindError(f"invalid puzzle {quoted(puzzle)} (expected {example})")
            hand, target = puzzle
            yield (
                HandQuery.from_arguments(hand, game, in_order=in_order, work=work),
                to_exact(target),
            )

    yield from find_many(queries())


def find_many(puzzles: Iterable[tuple[HandQuery, Exact]]) -> Iterator[list[Solution]]:
    """Yield the solutions of each puzzle, a query and its target; see `solve_many`.

    The queries must only differ in their hands. Puzzles are read ahead and solved in batches.
    RefusedError is raised while iterating; it can come before the solutions of earlier puzzles.
    """
    batch: list[tuple[HandQuery, Exact]] = []
    batch_work = 0
    for query, target in puzzles:
        solving_budget(query)
        batch.append((query, target))
        batch_work += len(query.hand) ** len(query.hand)
        if batch_work >= _WORK_PER_BATCH:
            yield from (list(ranked.solutions) for ranked in _solve_batch(batch))
            batch, batch_work = [], 0
    yield from (list(ranked.solutions) for ranked in _solve_batch(batch))


def solving_budget(query: HandQuery) -> Budget:
    """Return the budget to solve a query, after a forecast of up to a second; see `budget_for`.

    Raises:
        RefusedError: If the game has operators that are not rational functions, or if the forecast
            exceeds the limits.
    """
    check_rational(query.game)
    return budget_for(query, SOLVE)


def _solve_batch(
    puzzles: Sequence[tuple[HandQuery, Exact]], first: int | None = None
) -> Iterator[RankedSolutions]:
    """Yield the solutions of each puzzle, in the given order; small hands in a row share a chart.

    Raise RefusedError over a limit. `first`: how many solutions of a single puzzle (None: all).
    """
    are_small = [is_small_query(query) for query, _ in puzzles]
    for small, group in groupby(zip(puzzles, are_small, strict=True), itemgetter(1)):
        members = [puzzle for puzzle, _ in group]
        for batch in [members] if small else [[puzzle] for puzzle in members]:
            goals = [Goal(query.numbers, target) for query, target in batch]
            # The rules for the smallest number are valid for all others.
            lowest = min((query for query, _ in batch), key=lambda query: min(query.hand))
            # The first solutions of a large hand may not need any weights of routes.
            routes = small or first is None
            hands, targets = [goal.hand for goal in goals], [goals[0].target]
            budget = solving_budget(lowest)
            chart = make_chart(hands, targets, lowest, budget, routes=routes)
            limit = None if small or lowest.work is None else _MAX_LISTED
            goal_set = GoalSet(goals, chart.game, chart.in_order)
            yield from _solve_goals(chart, goal_set, first, limit)


def make_chart(
    hands: Sequence[Hand],
    targets: Collection[Exact] | None,
    query: HandQuery,
    budget: Budget,
    *,
    routes: bool = True,
) -> FunctionChart:
    """Return the chart of functions of hands, which is built when it is used.

    A backward search from the targets of a large hand is done in this call.

    Args:
        hands: The hands, sorted unless their order counts.
        targets: The targets that matter (None: all). For a large hand the chart then only has the
            functions that can lead to a target.
        query: Gives the rules, the order, and whether the hands are small.
        budget: Limits pairs and bytes.
        routes: Whether to keep the derivations that weights of routes need.

    Raises:
        RefusedError: If the backward search from the targets exceeds the budget.
    """
    search = None if targets is None else backward_search_for(query, targets, budget)
    options: Any = {"routes": routes, "search": search, "budget": budget}
    return FunctionChart(hands, query.effective_game, query.in_order, **options)


def _solve_goals(
    chart: FunctionChart,
    goals: GoalSet,
    first: int | None = None,
    limit: int | None = None,
) -> Iterator[RankedSolutions]:
    """Yield the solutions of each puzzle of `goals`, or the `first` ones of a single puzzle.

    Raise RefusedError over the budget of the chart and, if all solutions are requested, for more
    than `limit` solutions (None: no limit).
    """
    if first is not None:
        yield _first_solutions(chart, goals, _results_of_goals(chart, goals), first)
        return
    if limit is not None:
        # Solutions with a small part often exceed the limit already; counting them takes a tenth
        # of the memory.
        longest = max(len(goal.hand) for goal in goals) if len(goals) else 0
        for size in range(-(-longest // 2), longest):
            _refuse_above(limit, chart.count_known_solutions(size, goals, limit))
    goal_results = _results_of_goals(chart, goals)
    if limit is not None:
        _refuse_above(limit, len(_distinct_fingerprints(goal_results)))
    for ranked in _rank(chart, goals, goal_results):
        yield RankedSolutions(ranked, len(ranked))


def _refuse_above(limit: int, count: int) -> None:
    """Raise RefusedError if a count of solutions is above the limit."""
    if count > limit:
        raise RefusedError(message("work.solutions", most=Count(limit)), "advice.first")


def _results_of_goals(chart: FunctionChart, goals: GoalSet) -> list[KeptResults]:
    """Build the chart, and return its results that reach a goal; RefusedError over the budget."""
    return list(chart.kept_results(lambda hands: goals.query_for(hands).select, goals))


def _first_solutions(
    chart: FunctionChart, goals: GoalSet, goal_results: Sequence[KeptResults], first: int
) -> RankedSolutions:
    """Return the first solutions of the single puzzle of `goals`.

    Up to 20,000 solutions are all ranked. Of more, the first by share are chosen, or, if even their
    weights take too long, the first of the chart. Raise RefusedError over the budget of the chart:
    a chart without routes can be built again with them.
    """
    total = len(_distinct_fingerprints(goal_results))
    weighted = sum(len(results.table.left) for results in goal_results) <= _MAX_WEIGHTED_STEPS
    if weighted or total <= _MAX_RANKED:
        chart_with_routes = chart.with_routes()
        goal_results = (
            goal_results
            if chart_with_routes is chart
            else _results_of_goals(chart_with_routes, goals)
        )
        chart = chart_with_routes
    if total <= _MAX_RANKED:
        [ranked] = _rank(chart, goals, goal_results)
        return RankedSolutions(ranked[:first], total)
    fingerprints = [results.table.fingerprints[results.rows] for results in goal_results]
    order, weights = PLAIN, dict.fromkeys(np.concatenate(fingerprints).tolist(), 0.0)
    if weighted:
        order, [route_weights] = BY_SHARE, solution_weights(chart, goal_results, goals, [0])
        weights |= route_weights
    chosen = nlargest(first, weights, weights.__getitem__)
    selected = [
        results._replace(
            rows=rows, goals=np.asarray(results.goals)[np.isin(results.rows, rows)].tolist()
        )
        for results, column in zip(goal_results, fingerprints, strict=True)
        for rows in [
            np.asarray(results.rows)[np.isin(column, np.array(chosen, column.dtype))].tolist()
        ]
    ]
    [ranked] = _rank(chart, goals, selected, [weights])
    return RankedSolutions(ranked, total, order)


def _distinct_fingerprints(goal_results: Sequence[KeptResults]) -> Ints:
    """Return the fingerprints of results without duplicates, in ascending order."""
    columns = [results.table.fingerprints[results.rows] for results in goal_results]
    fingerprints = np.sort(np.concatenate(columns))
    return fingerprints[run_start_mask(fingerprints)]


def _rank(
    chart: FunctionChart,
    goals: GoalSet,
    goal_results: Sequence[KeptResults],
    weights: Sequence[dict[int, float]] = (),
) -> Iterator[list[Solution]]:
    """Yield the ranked solutions of each puzzle, in the order of `goals`; [] if it has none.

    `weights` are those of each puzzle, by fingerprint (default: computed where they matter, which
    needs a chart with routes). See `forms.rank_solutions`.
    """
    plainest_forms, reducer = PlainestForms(chart), Reducer(chart.game)
    forms_of_goal: list[dict[int, Form]] = [{} for _ in range(len(goals))]
    targets = [target for _, target in goals]
    for _, table, rows, row_goals in goal_results:
        for row, goal in zip(rows, row_goals, strict=True):
            form = plainest_forms.form_of(table, row, targets[goal])
            _add_plainest(forms_of_goal[goal], int(table.fingerprints[row]), form)
    unranked = [
        _merge_sub_hands([(len(root), forms_of_goal[goal]) for root, goal in goals.goals_of(place)])
        for place in range(len(goals.puzzles))
    ]
    # The share of a single solution is 1, without any weights.
    weighted_places = [
        place
        for place, solutions in enumerate(unranked)
        if weights or not _has_certain_share(solutions)
    ]
    if weighted_places and not weights:
        weights = solution_weights(chart, goal_results, goals, weighted_places)
    weights_of_place = dict(zip(weighted_places, weights, strict=True))
    for place, solutions in enumerate(unranked):
        equal_weights = {solution.fingerprint: 1.0 for solution in solutions}
        yield rank_solutions(solutions, weights_of_place.get(place, equal_weights), reducer)


def _has_certain_share(solutions: Sequence[UnrankedSolution]) -> bool:
    """Return whether there is at most one solution, and no negative result in it."""
    return len(solutions) < 2 and not any(solution.form.negatives for solution in solutions)


def _add_plainest(forms: dict[int, Form], fingerprint: int, form: Form) -> None:
    """Store a form in `forms` by its fingerprint, unless the stored form is as plain or plainer."""
    known = forms.get(fingerprint, form)
    forms[fingerprint] = min(known, form, key=plainness_key)


def _merge_sub_hands(
    forms_by_size: Sequence[tuple[int, dict[int, Form]]],
) -> list[UnrankedSolution]:
    """Return the distinct solutions of all sub-hands of a hand: smaller sub-hands first.

    Solutions of one size are sorted by simplicity. A function that several sub-hands make has the
    plainest form of the smallest ones.

    Args:
        forms_by_size: The number of numbers of each sub-hand, and its forms by fingerprint.
    """
    merged: dict[int, UnrankedSolution] = {}
    for size in sorted({size for size, _ in forms_by_size}):
        plainest: dict[int, Form] = {}
        for forms in (forms for count, forms in forms_by_size if count == size):
            for fingerprint, form in forms.items():
                if fingerprint not in merged:
                    _add_plainest(plainest, fingerprint, form)
        for fingerprint, form in sorted(plainest.items(), key=lambda item: simplicity_key(item[1])):
            merged[fingerprint] = UnrankedSolution(size, fingerprint, form)
    return list(merged.values())


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

    In games that allow unused numbers, values of sub-hands are included.

    Args:
        numbers: The hand: 1 to 99 numbers, dealt by the game or not, or a text such as "3 3 8 8".
        game: A game, or its name.
        in_order: Whether the numbers keep their order.
        within: The smallest and the largest value to return, both included (default: no limits).
            This saves little work.
        only: The values to return (default: all). Values that the hand cannot make are left out.
            For large hands this saves most of the work.
        work: Largest search to attempt, in pairs of values (None: no limit).

    Raises:
        RefusedError: If the game is unknown or cannot have the hand (see `HandQuery`), if the
            search exceeds the limits, if the game has operators that are not rational functions
            (powers, roots, factorials), or if `within` is not two values in ascending order.
        KindError: If an argument has the wrong type.

    >>> count_solutions((2, 3))
    {1: 1, 5: 1, 6: 1}
    """
    query = HandQuery.from_arguments(numbers, game, in_order=in_order, work=work)
    return find_solution_counts(query, to_bounds(within), None if only is None else to_values(only))


def find_solution_counts(
    query: HandQuery, within: tuple[Exact, Exact] | None, only: Collection[Exact] | None
) -> dict[Exact, int]:
    """Return the number of solutions of each value of a query, smallest value first.

    `within` and `only` are those of `count_solutions`, checked by the caller. Raises RefusedError
    if the search exceeds the limits, or for operators that are not rational functions.
    """
    if only is not None:
        within = within or (min(only, default=0), max(only, default=0))
        only = {value for value in only if within[0] <= value <= within[1]}
    check_rational(query.game)
    budget = budget_for(query, COUNT_SOLUTIONS if only is None else SOLVE, targets=only or ())
    chart = make_chart([query.numbers], only, query, budget, routes=False)
    selected = list(chart.kept_results(lambda _: partial(_select_within, within)))
    fingerprints = np.concatenate(
        [results.table.fingerprints[results.rows] for results in selected]
    )
    values = join_columns([results.table.values[results.rows] for results in selected])
    _, distinct = np.unique(fingerprints, return_index=True)
    [column], counts = sum_weights(np.ones(len(distinct)), values[distinct])
    counted = zip(exact_values(column), counts.astype(int).tolist(), strict=True)
    return {value: count for value, count in sorted(counted) if only is None or value in only}


def reachable(
    numbers: HandLike,
    game: Game | str = "crisps",
    in_order: bool = False,
    *,
    only: Collection[Exact] | None = None,
    work: int | None = DEFAULT_WORK,
) -> set[Exact]:
    """Return every value that a hand makes, as a set: ints, or Fractions if they are not whole.

    In games that allow unused numbers, values of sub-hands are included.

    Args:
        numbers: The hand: 1 to 99 numbers, dealt by the game or not, or a text such as "3 3 8 8".
        game: A game with any operators, or its name.
        in_order: Whether the numbers keep their order.
        only: The values to return (default: all). Values that the hand cannot make are left out.
            For large hands this saves most of the work.
        work: Largest search to attempt, in pairs of values (None: no limit).

    Raises:
        RefusedError: If the game is unknown or cannot have the hand (see `HandQuery`), or if the
            search exceeds the limits.
        KindError: If an argument has the wrong type.

    >>> sorted(reachable((2, 3)))
    [1, 5, 6]
    >>> sorted(reachable((2, 3), in_order=True))
    [5, 6]
    """
    query = HandQuery.from_arguments(numbers, game, in_order=in_order, work=work)
    return find_reachable(query, None if only is None else to_values(only))


def find_reachable(query: HandQuery, only: Collection[Exact] | None) -> set[Exact]:
    """Return the set of values that a query makes, or only the ones in `only` (None: all).

    Raises RefusedError if the search exceeds the limits.
    """
    if not is_rational(query.game):
        return set(_find_shortest(query, only, REACH)[0])
    if only is None:
        columns = _value_columns(query, budget_for(query, LIST_VALUES))
        return set(chain.from_iterable(_distinct_values(columns)))
    budget, backward_search = plan_targets(query, only)
    if backward_search is None:
        columns = _value_columns(query, budget, (min(only), max(only)) if only else None)
        return set(chain.from_iterable(_distinct_values(columns))) & set(only)
    roots = root_hands(query.numbers, query.effective_game, query.in_order)
    return set().union(*map(backward_search.values_of, roots)) & set(only)


def _value_columns(
    query: HandQuery, budget: Budget, within: tuple[Exact, Exact] | None = None
) -> Iterator[Column]:
    """Yield the values of a hand in columns; columns can share values.

    If unused numbers are allowed, the values of its sub-hands are included. For a large hand,
    values outside of `within` (smallest, largest) can be missing. Raise RefusedError over the
    budget.
    """
    hand, game, in_order = query.numbers, query.effective_game, query.in_order
    options: Any = {"max_right_size": len(hand) - 1, "within": within, "budget": budget}
    chart = ValueChart(game, hand, in_order, **options)
    roots = [hand] if game.all_numbers else sub_hands(hand, in_order)
    small = is_small_query(query)
    if small:
        chart.add_hands(roots)
    for root in roots:
        if small or len(root) == 1:
            yield chart.values_of(root)
            continue
        for _, values in chart.last_step_values([root]):
            yield distinct_rows(reduce_column(values))[0]


def _distinct_values(columns: Iterable[Column]) -> Iterator[list[Exact]]:
    """Yield the distinct values of columns, in any order, in lists of at most 65,536.

    All columns are read before the first list is yielded.
    """
    merged: list[Column] = []
    for column in columns:
        merged.append(column)
        # Merge when the new columns are as long as the merged one: each value is sorted a
        # logarithmic number of times.
        if sum(map(len, merged[1:])) > max(len(merged[0]), _VALUES_PER_BATCH):
            merged = distinct_rows(join_columns(merged))
    values: Any = distinct_rows(join_columns(merged))[0] if merged else ()
    for start in range(0, len(values), _VALUES_PER_BATCH):
        yield exact_values(values[start : start + _VALUES_PER_BATCH])


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
    negative results. Any operators are supported, also powers, roots and factorials. In games that
    allow unused numbers, values of sub-hands are included.

    Args:
        numbers: The hand: 1 to 99 numbers, dealt by the game or not, or a text such as "4 4 4 4".
        game: A game, or its name.
        in_order: Whether the numbers keep their order.
        within: The smallest and the largest value to return, both included (default: no limits).
        only: The values to return (default: all). Values that the hand cannot make are left out.
            This saves work.
        work: Largest search to attempt, in pairs of values (None: no limit).

    Raises:
        RefusedError: If the game is unknown or cannot have the hand (see `HandQuery`), if the
            search exceeds the limits, or if `within` is not two values in ascending order.
        KindError: If an argument has the wrong type.

    >>> game = replace(find_game("cards"), operators=("-", "+", "√", "!"))
    >>> print(plainest((4, 4), game)[22])
    4! - √4
    """
    query = HandQuery.from_arguments(numbers, game, in_order=in_order, work=work)
    return find_plainest(query, to_bounds(within), None if only is None else to_values(only))


def find_plainest(
    query: HandQuery, within: tuple[Exact, Exact] | None, only: Collection[Exact] | None
) -> dict[Exact, Expression]:
    """Return the values that a query makes, smallest first, each with its plainest form.

    `within` and `only` are those of `plainest`, checked by the caller. Raises RefusedError if the
    search exceeds the limits.
    """
    place_of, chart = _find_shortest(query, only, LIST_FORMS)
    return {
        value: replace(chart.expression(place), game=chart.game)
        for value, place in sorted(place_of.items())
        if within is None or within[0] <= value <= within[1]
    }


def _find_shortest(
    query: HandQuery, only: Collection[Exact] | None, task: SearchTask
) -> tuple[dict[Exact, int], ShortestForms]:
    """Return the position of the plainest form of each value in a chart, and the chart.

    The chart is built in this call; RefusedError over the limits. `only`: the values to return.
    """
    chart = ShortestForms(query.effective_game, query.numbers, query.in_order)
    task = task._replace(
        with_forms=True,
        filters_last_step=only is not None and chart.can_filter,
        lists_results=task.lists_results and only is None,
    )
    budget = budget_for(query, task)
    chart = ShortestForms(query.effective_game, query.numbers, query.in_order, budget=budget)
    place_of = chart.best_forms(query.numbers, only)
    if only is not None:
        place_of = {value: place for value, place in place_of.items() if value in only}
    return place_of, chart


def closest(
    numbers: HandLike,
    target: Exact,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    work: int | None = DEFAULT_WORK,
) -> dict[Exact, Expression]:
    """Return the one or two reachable values closest to a target, each with its likeliest solution.

    If the target can be made, it is the only value. Of two equally distant values the smaller comes
    first. The result is empty if the hand makes no value.

    Args:
        numbers: The hand: 1 to 99 numbers, dealt by the game or not, or a text such as "3 3 8 8".
        target: The target, an int or a Fraction.
        game: A game, or its name.
        in_order: Whether the numbers keep their order.
        work: Largest search to attempt, in pairs of values (None: no limit).

    Raises:
        RefusedError: If the game is unknown or cannot have the hand (see `HandQuery`), if the
            search exceeds the limits, or if the game has operators that are not rational functions.
        KindError: If an argument has the wrong type.

    >>> {value: str(solution) for value, solution in closest((1, 1, 1, 1), 24).items()}
    {4: '1 + 1 + 1 + 1'}
    """
    query = HandQuery.from_arguments(numbers, game, in_order=in_order, work=work)
    return find_closest(query, to_exact(target))


def find_closest(query: HandQuery, target: Exact) -> dict[Exact, Expression]:
    """Return the one or two values of a query closest to a target, with their likeliest solutions.

    Order, empty result and errors are those of `closest`.
    """
    check_rational(query.game)
    budget = budget_for(query, REACH)
    hand, game, in_order = query.numbers, query.effective_game, query.in_order
    small = is_small_query(query)
    nearest: set[Exact] = set()
    if small:
        chart = FunctionChart([hand], game, in_order, budget=budget)
        for _ in chart.kept_results(lambda _: partial(_collect_nearest, target, nearest)):
            pass
    else:
        for column in _value_columns(query, budget):
            _collect_nearest(target, nearest, column, np.zeros(0, np.int64))
    distances = {value: abs(Fraction(value) - target) for value in nearest}
    shortest = min(distances.values(), default=None)
    values = sorted(value for value, distance in distances.items() if distance == shortest)
    results = (
        _solve_goals(chart, GoalSet([Goal(hand, value) for value in values], game, in_order))
        if small
        else (ranked for value in values for ranked in _solve_batch([(query, value)], 1))
    )
    return {
        value: replace(ranked.solutions[0].expression, game=game)
        for value, ranked in zip(values, results, strict=True)
    }


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

    Args:
        numbers: The hand: 1 to 99 numbers, dealt by the game or not, or a text such as "1 2 3".
        targets: The targets: ints or Fractions.
        game: A game, or its name.
        work: Largest search to attempt, in pairs of values (None: no limit).

    Raises:
        RefusedError: If the game is unknown or cannot have the hand (see `HandQuery`), if the
            search exceeds the limits, if the game has unary operators or powers, or if a value has
            2^53 written forms or more.
        KindError: If an argument has the wrong type.

    >>> count_written((1, 2, 3), [6, 7], "cards")
    {6: 4, 7: 1}
    """
    query = HandQuery.from_arguments(numbers, game, in_order=True, work=work)
    return find_written_counts(query, to_values(targets))


def find_written_counts(query: HandQuery, targets: Collection[Exact]) -> dict[Exact, int]:
    """Return the number of written forms of each target, smallest target first.

    A target that cannot be made has 0. `query.in_order` must be True, which is not checked. Raises
    RefusedError as `count_written`.
    """
    hand, sorted_targets = query.hand, sorted(targets)
    if not sorted_targets:
        return {}
    budget, backward_search = plan_targets(query, sorted_targets)
    within = sorted_targets[0], sorted_targets[-1]
    options: Any = {"within": within, "count_routes": True, "budget": budget}
    filter_of = None if backward_search is None else backward_search.filter_for
    chart = ValueChart(query.effective_game, hand, True, filter_of=filter_of, **options)
    [counted] = chart.weighted_values([hand])
    if len(counted.weights) and counted.weights.max() >= _MAX_EXACT_COUNT:
        raise RefusedError(f"{len(hand)} numbers have more written forms than can be counted")
    counts = map(int, counted.weights.tolist())
    count_of = dict(zip(exact_values(counted.values), counts, strict=True))
    return {target: count_of.get(target, 0) for target in sorted_targets}


def written_forms(
    numbers: HandLike,
    target: Exact,
    game: Game | str = "crisps",
    *,
    work: int | None = DEFAULT_WORK,
) -> Iterator[Expression]:
    """Yield every written form of a target, with the numbers in their order, fewer numbers first.

    The arguments are checked, and the cost is forecast, when the function is called; the forms are
    computed while iterating, which can raise RefusedError too.

    Args:
        numbers: The hand: 1 to 99 numbers, dealt by the game or not, or a text such as "1 2 3".
        target: The target, an int or a Fraction.
        game: A game, or its name.
        work: Largest search to attempt, in pairs of values (None: no limit).

    Raises:
        RefusedError: If the game is unknown or cannot have the hand (see `HandQuery`), if the
            search exceeds the limits, or if the game has operators that are not rational functions.
        KindError: If an argument has the wrong type.

    >>> print(*written_forms((1, 2, 3), 6, "cards"), sep=", ")
    1 x (2 x 3), 1 x 2 x 3, 1 + (2 + 3), 1 + 2 + 3
    """
    query = HandQuery.from_arguments(numbers, game, in_order=True, work=work)
    return find_written_forms(query, to_exact(target))


def find_written_forms(query: HandQuery, target: Exact) -> Iterator[Expression]:
    """Return an iterator over the written forms of a target, fewer numbers first.

    `query.in_order` must be True, which is not checked. The cost is forecast in this call; each
    size of sub-hand is searched when its first form is requested. Both can raise RefusedError.
    """
    return _iterate_written(query, target, solving_budget(query))


def _iterate_written(query: HandQuery, target: Exact, budget: Budget) -> Iterator[Expression]:
    """Yield the written forms of a target, fewer numbers first; RefusedError over the budget."""
    goals = GoalSet([Goal(query.hand, target)], query.effective_game, True)
    chart = make_chart([query.hand], [target], query, budget)
    for _, table, rows, _ in chart.kept_results(lambda hands: goals.query_for(hands).select, goals):
        for row in rows:
            yield from _written_forms_of(chart, table, row, target)


def _written_forms_of(
    chart: FunctionChart, table: ResultTable, row: int, value: Any
) -> Iterator[Expression]:
    """Yield the written forms of a result: its derivations, recursively.

    A result without derivations is a number of the hand, `value`.
    """
    derivations = table.derivations(row)
    if not derivations:
        yield Number(int(value))
    for operator, *places in derivations:
        left, right = (chart.table_at(place) for place in places)
        for left_form in _written_forms_of(chart, *left, value_at(left[0].values, left[1])):
            for right_form in _written_forms_of(chart, *right, value_at(right[0].values, right[1])):
                yield Operation(operator, left_form, right_form, style=chart.game.style)


def check_rational(game: Game) -> None:
    """Raise RefusedError if a game has operators or signs that are not rational functions."""
    if not is_rational(game):
        irrational: Iterator[Message | str]
        irrational = (operator.name for operator in game.row_operators if not operator.rational)
        sign = next(irrational, message("line.signed"))
        raise RefusedError(message("rules.no_solutions", sign=sign))


def _select_within(within: tuple[Exact, Exact] | None, values: Column, _: Ints) -> Selection:
    """Select the rows whose values are within the bounds, both included; all rows for None.

    Each row gets the goal 0, so that a function that several sub-hands make counts once.
    """
    rows = np.arange(len(values))
    if within is not None:
        rows = ((values >= within[0]) & (values <= within[1])).nonzero()[0]
    return Selection(rows, np.zeros_like(rows))


def _collect_nearest(target: Exact, nearest: set[Exact], values: Column, _: Ints) -> Selection:
    """Add those of `values` nearest to the target to `nearest`; return an empty selection.

    Distances are rounded to 2^-20, so a few more can be added. None is removed from `nearest`: the
    caller compares.
    """
    if len(values):
        distances = _rounded_distances(values, target)
        nearest.update(exact_values(values[np.flatnonzero(distances == distances.min())]))
    no_rows = np.zeros(0, np.int64)
    return Selection(no_rows, no_rows)


def _rounded_distances(values: Column, target: Exact) -> Any:
    """Return the distances of values to the target, in units of 2^-20, rounded down.

    Rounding down keeps the order: the nearest value is always among those with the least distance.
    """
    units, (p, q) = 1 << 20, Fraction(target).as_integer_ratio()
    if isinstance(values, Ratios):
        numerators, denominators = values.numerators, values.denominators
    else:
        numerators, denominators = values, np.ones_like(values)
    # Python integers if 64 bits could overflow.
    dtype: Any = np.int64 if largest_integer(values) * max(abs(p), q) * units < 2**60 else object
    numerators, denominators = numerators.astype(dtype), denominators.astype(dtype)
    return abs(numerators * q - p * denominators) * units // (denominators * q)
