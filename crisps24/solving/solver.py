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
            has operators such as powers, which are not rational functions; if `first` is below 1;
            at first use, if the search exceeds the limits, or if without `first` it finds more than
            250,000 solutions of a large hand.
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
    """Return the first solutions of a hand, likeliest first, or all if `first` is None.

    The query has the hand, the game and the limit on work. The cost is forecast in this call; the
    search is done when the result is first used. Both can raise RefusedError, and so does a `first`
    below 1.
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

    The list is empty if the target cannot be made. The search is done in this call.

    Args:
        numbers: The hand: 1 to 99 numbers, dealt by the game or not, or a text such as "3 3 8 8".
        target: The target, an int or a Fraction.
        game: A game, or its name.
        in_order: Whether the numbers keep their order.
        work: Largest search to attempt, in pairs of values (None: no limit).

    Raises:
        RefusedError: If the game is unknown or cannot have the hand (see `HandQuery`), if the
            search exceeds the limits, if the game has operators such as powers, which are not
            rational functions, or if a large hand has more than 250,000 solutions.
        KindError: If an argument has the wrong type.
    >>> [(str(each.expression), round(each.share, 2)) for each in solutions((2, 3, 4), 10)]
    [('4 x 3 - 2', 0.51), ('3 x 2 + 4', 0.49)]
    """
    query = HandQuery.from_arguments(numbers, game, in_order=in_order, work=work)
    return find_solutions(query, to_exact(target))


def find_solutions(query: HandQuery, target: Exact) -> list[Solution]:
    """Return all distinct solutions of a hand for a target, likeliest first.

    The query has the hand, the game and the limit on work. Raises RefusedError if the search
    exceeds a limit, or if the game has operators that are not rational functions, such as powers.
    """
    [solutions_of_hand] = find_many([(query, target)])
    return solutions_of_hand


def solve_many(
    puzzles: Iterable[tuple[HandLike, Exact]],
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    work: int | None = DEFAULT_WORK,
) -> Iterator[list[Solution]]:
    """Yield the solutions of each of many puzzles, as `solutions` returns them.

    This is faster than a call of `solutions` for each puzzle, since hands share the results of
    their common parts: (1, 2, 3, 4) and (1, 2, 3, 5) share those of 1, 2 and 3.

    Args:
        puzzles: Pairs of a hand and a target. They can be endless; at most two thousand hands of
            four numbers are read ahead.
        game: A game, or its name.
        in_order: Whether the numbers keep their order.
        work: Largest search to attempt for each puzzle, in pairs of values (None: no limit).

    Raises:
        RefusedError: While iterating, if the game is unknown or cannot have a hand, if a search
            exceeds the limits, or if the game has operators that are not rational functions. Since
            puzzles are read ahead, an invalid puzzle can raise it before the solutions of some
            earlier puzzles are yielded.
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
    """Yield a list of solutions, likeliest first, for each pair of a query and a target.

    The list is empty if the target cannot be made. The queries must have the same game and limits,
    and only differ in their hands. Puzzles are read ahead and solved in batches, since hands share
    the results of common sub-hands.

    Raises:
        RefusedError: While iterating, if a search exceeds its limits, if a large hand has more than
            250,000 solutions, or if the game has operators that are not rational functions. It can
            be raised before the solutions of earlier puzzles are yielded.
    """
    batch: list[tuple[HandQuery, Exact]] = []
    batch_work = 0
    for query, target in puzzles:
        solving_budget(query)
        batch.append((query, target))
        # The work for a hand of n numbers grows about as n^n.
        batch_work += len(query.hand) ** len(query.hand)
        if batch_work >= _WORK_PER_BATCH:
            yield from (list(ranked.solutions) for ranked in _solve_batch(batch))
            batch, batch_work = [], 0
    yield from (list(ranked.solutions) for ranked in _solve_batch(batch))


def solving_budget(query: HandQuery) -> Budget:
    """Return the budget to solve a query, after a forecast of up to a second; see `budget_for`.

    Raises:
        RefusedError: If the game has operators such as powers, which are not rational functions, or
            if the forecast exceeds the limits.
    """
    check_rational(query.game)
    return budget_for(query, SOLVE)


def _solve_batch(
    puzzles: Sequence[tuple[HandQuery, Exact]], first: int | None = None
) -> Iterator[RankedSolutions]:
    """Yield the solutions of each puzzle, in the order of the puzzles.

    Small hands that follow each other are solved together, which is faster. Large hands are solved
    one at a time.

    Args:
        puzzles: Pairs of a query, which has the hand and the game, and a target.
        first: How many solutions to find, for a single puzzle only (None: all).

    Raises:
        RefusedError: If a search exceeds its limits.
    """
    are_small = [is_small_query(query) for query, _ in puzzles]
    for is_small, group in groupby(zip(puzzles, are_small, strict=True), itemgetter(1)):
        puzzles_of_group = [puzzle for puzzle, _ in group]
        batches = [puzzles_of_group] if is_small else [[puzzle] for puzzle in puzzles_of_group]
        for batch in batches:
            goals = [Goal(query.numbers, target) for query, target in batch]
            # A number of 0 or less needs other rules, which are valid for all hands of the batch.
            # So take the rules from the query with the smallest number.
            lowest = min((query for query, _ in batch), key=lambda query: min(query.hand))
            # Routes are all ways to make each result. Shares of solutions need them, but if only
            # the first solutions of a large hand are requested, shares may take too long.
            routes = is_small or first is None
            hands, targets = [goal.hand for goal in goals], [goals[0].target]
            budget = solving_budget(lowest)
            chart = make_chart(hands, targets, lowest, budget, routes=routes)
            limit = None if is_small or lowest.work is None else _MAX_LISTED
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
    """Return a chart of hands: a table of the distinct functions that their sub-hands make.

    For the hand 2 3 4, the chart has 3 + 2, 3 x 2, 4 + 2 and so on, then (3 + 2) x 4 and so on. It
    is built when it is used, but a backward search from the targets of a large hand is done in this
    call.

    Args:
        hands: The hands, sorted unless their order counts.
        targets: The targets that matter (None: all). For a large hand the chart then only has the
            functions that can lead to a target.
        query: Gives the rules, the order, and whether the hands are small.
        budget: Limits pairs and bytes.
        routes: Whether to keep all ways to make each result, which shares of solutions need.

    Raises:
        RefusedError: If the backward search takes more work or memory than allowed.
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
    """Yield the ranked solutions of each puzzle of `goals`.

    Args:
        chart: The chart of the hands, which is built in this call.
        goals: The hands with their targets.
        first: How many solutions to return, for a single puzzle only (None: all).
        limit: The largest number of solutions, if all are requested (None: no limit).

    Raises:
        RefusedError: If the search takes more work or memory than allowed, or if there are more
            solutions than `limit`.
    """
    if first is not None:
        yield _first_solutions(chart, goals, _results_of_goals(chart, goals), first)
        return
    if limit is not None:
        # Solutions with a small part often exceed the limit already; counting them takes a tenth
        # of the memory.
        longest = max(len(goal.hand) for goal in goals) if len(goals) else 0
        # The larger part of a solution has at least half of the numbers, rounded up.
        half = (longest + 1) // 2
        for size in range(half, longest):
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
    """Build the chart; return the results that reach the target of a goal, in groups of equal size.

    The chart is the table of all functions that the hands make. A goal is a hand with a target, or
    some of its numbers with a target. Raise RefusedError if the search takes more work or memory
    than allowed.
    """
    return list(chart.kept_results(lambda hands: goals.query_for(hands).select, goals))


def _first_solutions(
    chart: FunctionChart, goals: GoalSet, goal_results: Sequence[KeptResults], first: int
) -> RankedSolutions:
    """Return the first solutions of a single puzzle, and the number of all its solutions.

    Up to 20,000 solutions are all ranked, and the best ones are returned. Of more, those with the
    largest shares are chosen, and only these are ranked. The share of a solution says how likely a
    person finds it. If even the shares take too long, the first solutions of the chart are chosen.

    Args:
        chart: The table of all results of the hand. Shares need all ways to make each result: if
            the chart does not have them, a new chart is built in this call.
        goals: The hand with its target.
        goal_results: The results of the chart that make the target.
        first: How many solutions to return.

    Raises:
        RefusedError: If the new chart takes more work or memory than allowed.
    """
    total = len(_distinct_fingerprints(goal_results))
    step_count = sum(len(results.table.left) for results in goal_results)
    can_compute_shares = step_count <= _MAX_WEIGHTED_STEPS
    if can_compute_shares or total <= _MAX_RANKED:
        chart_with_routes = chart.with_routes()
        if chart_with_routes is not chart:
            goal_results = _results_of_goals(chart_with_routes, goals)
        chart = chart_with_routes
    if total <= _MAX_RANKED:
        [ranked] = _rank(chart, goals, goal_results)
        return RankedSolutions(ranked[:first], total)
    fingerprints = [results.table.fingerprints[results.rows] for results in goal_results]
    order, weights = PLAIN, dict.fromkeys(np.concatenate(fingerprints).tolist(), 0.0)
    if can_compute_shares:
        order, [route_weights] = BY_SHARE, solution_weights(chart, goal_results, goals, [0])
        weights |= route_weights
    first_fingerprints = nlargest(first, weights, weights.__getitem__)
    # Keep only the results with these fingerprints.
    first_results: list[KeptResults] = []
    for results, column in zip(goal_results, fingerprints, strict=True):
        mask = np.isin(column, np.array(first_fingerprints, column.dtype))
        rows, row_goals = np.asarray(results.rows)[mask], np.asarray(results.goals)[mask]
        first_results.append(results._replace(rows=rows.tolist(), goals=row_goals.tolist()))
    [ranked] = _rank(chart, goals, first_results, [weights])
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
    """Yield the solutions of each puzzle, likeliest first; an empty list if it has none.

    Args:
        chart: The table of all results that the hands make.
        goals: The puzzles: pairs of a hand and a target. If a game does not require all numbers,
            each selection of numbers of a hand is a goal with this target, too.
        goal_results: The results of the chart that make a target, in groups of equal size. Each
            comes with the number of its goal.
        weights: For each puzzle, how likely people find each solution, by fingerprint (default:
            computed if a puzzle has several solutions, which needs a chart with routes).
    """
    # Several sub-hands can make the same function: keep its plainest form for each goal.
    plainest_forms, reducer = PlainestForms(chart), Reducer(chart.game)
    forms_of_goal: list[dict[int, Form]] = [{} for _ in range(len(goals))]
    targets = [target for _, target in goals]
    for _, table, rows, row_goals in goal_results:
        for row, goal in zip(rows, row_goals, strict=True):
            form = plainest_forms.form_of(table, row, targets[goal])
            _add_plainest(forms_of_goal[goal], int(table.fingerprints[row]), form)
    unranked = []
    for puzzle in range(len(goals.puzzles)):
        forms_by_size = [(len(root), forms_of_goal[goal]) for root, goal in goals.goals_of(puzzle)]
        unranked.append(_merge_sub_hands(forms_by_size))
    # The share of a single solution is 1, without any weights.
    weighted_puzzles = [
        puzzle
        for puzzle, solutions in enumerate(unranked)
        if weights or not _has_certain_share(solutions)
    ]
    if weighted_puzzles and not weights:
        weights = solution_weights(chart, goal_results, goals, weighted_puzzles)
    weights_of_puzzle = dict(zip(weighted_puzzles, weights, strict=True))
    for puzzle, solutions in enumerate(unranked):
        equal_weights = {solution.fingerprint: 1.0 for solution in solutions}
        yield rank_solutions(solutions, weights_of_puzzle.get(puzzle, equal_weights), reducer)


def _has_certain_share(solutions: Sequence[UnrankedSolution]) -> bool:
    """Return whether there is at most one solution, and no negative result in it."""
    return len(solutions) < 2 and not any(solution.form.negatives for solution in solutions)


def _add_plainest(forms: dict[int, Form], fingerprint: int, form: Form) -> None:
    """Store a form in `forms` by its fingerprint, unless the stored form is as plain or plainer."""
    stored = forms.get(fingerprint, form)
    forms[fingerprint] = min(stored, form, key=plainness_key)


def _merge_sub_hands(
    forms_by_size: Sequence[tuple[int, dict[int, Form]]],
) -> list[UnrankedSolution]:
    """Return the distinct solutions of a hand, from the solutions of its sub-hands.

    Solutions with fewer numbers come first, then simpler forms. If several sub-hands make the same
    function, it is one solution: the plainest form of the smallest sub-hands. From 2 2 3, for
    instance, (3 x 2 x 2) / 2 is the same function as 3 x 2, so it is left out.

    Args:
        forms_by_size: For each sub-hand, how many numbers it has, and its forms by fingerprint.
    """
    merged: dict[int, UnrankedSolution] = {}
    for size in sorted({size for size, _ in forms_by_size}):
        plainest: dict[int, Form] = {}
        forms_of_size = [forms for forms_size, forms in forms_by_size if forms_size == size]
        for fingerprint, form in chain.from_iterable(forms.items() for forms in forms_of_size):
            # A function that fewer numbers make is in `merged` already.
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

    In games that allow unused numbers, values that only some of the numbers make are included.

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
    """Return every value that a hand makes, with its number of distinct solutions, smallest first.

    Raises RefusedError if the search exceeds the limits, or if the game has operators other than
    + - x and :, such as powers.

    Args:
        query: The hand, the game and the limit on work.
        within: The smallest and the largest value to return, checked by the caller (None: no
            limits).
        only: The values to return (None: all).

    >>> find_solution_counts(HandQuery.from_arguments((2, 3), "crisps"), None, None)
    {1: 1, 5: 1, 6: 1}
    """
    if only is not None:
        within = within or (min(only, default=0), max(only, default=0))
        only = {value for value in only if within[0] <= value <= within[1]}
    check_rational(query.game)
    budget = budget_for(query, COUNT_SOLUTIONS if only is None else SOLVE, targets=only or ())
    chart = make_chart([query.numbers], only, query, budget, routes=False)
    # The bounds are the same for all hands, so that the argument of the function is not used.
    selected = list(chart.kept_results(lambda _hands: partial(_select_within, within)))
    fingerprints = np.concatenate(
        [results.table.fingerprints[results.rows] for results in selected]
    )
    values = join_columns([results.table.values[results.rows] for results in selected])
    # Count each function once, also if several sub-hands make it.
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

    In games that allow unused numbers, values that only some of the numbers make are included.

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
    """Return the set of values that a hand makes, limited to `only` (None: all values).

    Raises RefusedError if the search exceeds the limits.

    >>> sorted(find_reachable(HandQuery.from_arguments((2, 3), "crisps"), None))
    [1, 5, 6]
    """
    if not is_rational(query.game):
        return set(_find_shortest(query, only, REACH)[0])
    if only is None:
        columns = _value_columns(query, budget_for(query, LIST_VALUES))
        return set(chain.from_iterable(_distinct_values(columns)))
    budget, backward_search = plan_targets(query, only)
    if backward_search is None:
        # It is cheaper to compute all values between the smallest and the largest target.
        columns = _value_columns(query, budget, (min(only), max(only)) if only else None)
        return set(chain.from_iterable(_distinct_values(columns))) & set(only)
    roots = root_hands(query.numbers, query.effective_game, query.in_order)
    return set().union(*map(backward_search.values_of, roots)) & set(only)


def _value_columns(
    query: HandQuery, budget: Budget, within: tuple[Exact, Exact] | None = None
) -> Iterator[Column]:
    """Yield the values that a hand makes, in arrays; the same value can be in several arrays.

    For 2 3 in natural numbers these are 1, 5 and 6. In games that allow unused numbers, 2 and 3 are
    included, too. Raise RefusedError if the search takes more work or memory than allowed.

    Args:
        query: The hand and the game.
        budget: Limits pairs and bytes.
        within: The smallest and the largest value that matter. For a large hand, other values can
            be missing.
    """
    hand, game, in_order = query.numbers, query.effective_game, query.in_order
    options: Any = {"max_right_size": len(hand) - 1, "within": within, "budget": budget}
    chart = ValueChart(game, hand, in_order, **options)
    # A root is a choice of numbers that a formula can use.
    roots = [hand] if game.all_numbers else sub_hands(hand, in_order)
    is_small = is_small_query(query)
    if is_small:
        chart.add_hands(roots)
    for root in roots:
        if is_small or len(root) == 1:
            yield chart.values_of(root)
            continue
        # The values of a large root are not stored: yield them as soon as they are computed.
        for _, values in chart.last_step_values([root]):
            yield distinct_rows(reduce_column(values))[0]


def _distinct_values(columns: Iterable[Column]) -> Iterator[list[Exact]]:
    """Yield all values of some arrays once, as Python numbers, in lists of at most 65,536.

    The arrays 1 5 6 and 5 7 give the one list [1, 5, 6, 7]; the order is not guaranteed. All arrays
    are read before the first list is yielded.
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
    allow unused numbers, values that only some of the numbers make are included.

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
    """Return every value that a hand makes, each with its plainest form, smallest value first.

    The plainest form has the fewest operators, then the fewest parentheses. Raises RefusedError if
    the search exceeds the limits.

    Args:
        query: The hand, the game and the limit on work.
        within: The smallest and the largest value to return, checked by the caller (None: no
            limits).
        only: The values to return (None: all).
    """
    positions, chart = _find_shortest(query, only, LIST_FORMS)
    return {
        value: replace(chart.expression(position), game=chart.game)
        for value, position in sorted(positions.items())
        if within is None or within[0] <= value <= within[1]
    }


def _find_shortest(
    query: HandQuery, only: Collection[Exact] | None, task: SearchTask
) -> tuple[dict[Exact, int], ShortestForms]:
    """Find the plainest formula of each value that a hand makes.

    The plainest formula of a value has the fewest operators, then the fewest parentheses. The
    search is done in this call; RefusedError is raised if it exceeds the limits.

    Args:
        query: The hand, the game and the limit on work.
        only: The values to return (None: all).
        task: The kind of search, for the forecast of its cost.

    Returns:
        (positions, chart): a dictionary from each value to the position of its formula, and the
            table of formulas: `chart.expression(position)` returns the formula.
    """
    # This chart only shows whether it can filter values, which the forecast of the cost needs. The
    # forecast gives the budget of the chart that is used.
    chart = ShortestForms(query.effective_game, query.numbers, query.in_order)
    task = task._replace(
        with_forms=True,
        filters_last_step=only is not None and chart.can_filter,
        lists_results=task.lists_results and only is None,
    )
    budget = budget_for(query, task)
    chart = ShortestForms(query.effective_game, query.numbers, query.in_order, budget=budget)
    positions = chart.best_forms(query.numbers, only)
    if only is not None:
        positions = {value: position for value, position in positions.items() if value in only}
    return positions, chart


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
            search exceeds the limits, or if the game has operators such as powers, which are not
            rational functions.
        KindError: If an argument has the wrong type.

    >>> {value: str(solution) for value, solution in closest((1, 1, 1, 1), 24).items()}
    {4: '1 + 1 + 1 + 1'}
    """
    query = HandQuery.from_arguments(numbers, game, in_order=in_order, work=work)
    return find_closest(query, to_exact(target))


def find_closest(query: HandQuery, target: Exact) -> dict[Exact, Expression]:
    """Return the values of a hand that are closest to a target, each with its likeliest solution.

    For 1 1 1 1 and the target 24, this is {4: 1 + 1 + 1 + 1}. If the hand makes the target, the
    target is the only value. Otherwise these are one value, or two that are equally far from it,
    the smaller first. The result is empty if the hand makes no value. Raises RefusedError if the
    search exceeds the limits, or if the game has operators other than + - x and :, such as powers.
    """
    check_rational(query.game)
    # The budget limits a search for all values (REACH); one that is too large is refused here.
    budget = budget_for(query, REACH)
    hand, game, in_order = query.numbers, query.effective_game, query.in_order
    is_small = is_small_query(query)
    # Collect the values that can be the nearest, in the set `nearest`.
    nearest: set[Exact] = set()
    if is_small:
        # A chart has the formulas of all values, which the search for solutions below uses again.
        chart = FunctionChart([hand], game, in_order, budget=budget)
        collect = partial(_collect_nearest, target, nearest)
        # The chart passes its results to `collect`, which selects none, so that the loop has
        # nothing to do. The same function serves all hands.
        for _ in chart.kept_results(lambda _hands: collect):
            pass
    else:
        # For large hands, a table of values without their formulas is much smaller.
        for column in _value_columns(query, budget):
            _collect_nearest(target, nearest, column, np.zeros(0, np.int64))
    # The distances above are rounded, so compare the candidates exactly.
    distances = {value: abs(Fraction(value) - target) for value in nearest}
    least_distance = min(distances.values(), default=None)
    values = sorted(value for value, distance in distances.items() if distance == least_distance)
    # Solve for the nearest values: a small hand in the same chart, a large one for each value.
    results = (
        _solve_goals(chart, GoalSet([Goal(hand, value) for value in values], game, in_order))
        if is_small
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
    """Return in how many ways each target can be written with the numbers in their order.

    The smallest target comes first; a target that cannot be made has 0. Each placement of operators
    and parentheses counts: 1 + (2 + 3) and 1 + 2 + 3 are two. `query.in_order` must be True, which
    is not checked. Raises RefusedError if the search exceeds the limits, if the game has unary
    operators or powers, or if a value has 2^53 written forms or more.
    """
    hand, sorted_targets = query.hand, sorted(targets)
    if not sorted_targets:
        return {}
    budget, backward_search = plan_targets(query, sorted_targets)
    within = sorted_targets[0], sorted_targets[-1]
    # With `count_routes`, the weight of a value is its number of written forms.
    options: Any = {"within": within, "count_routes": True, "budget": budget}
    filter_of = None if backward_search is None else backward_search.filter_for
    chart = ValueChart(query.effective_game, hand, True, filter_of=filter_of, **options)
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
    computed while iterating, which can raise RefusedError too.

    Args:
        numbers: The hand: 1 to 99 numbers, dealt by the game or not, or a text such as "1 2 3".
        target: The target, an int or a Fraction.
        game: A game, or its name.
        work: Largest search to attempt, in pairs of values (None: no limit).

    Raises:
        RefusedError: If the game is unknown or cannot have the hand (see `HandQuery`), if the
            search exceeds the limits, or if the game has operators such as powers, which are not
            rational functions.
        KindError: If an argument has the wrong type.

    >>> print(*written_forms((1, 2, 3), 6, "cards"), sep=", ")
    1 x (2 x 3), 1 x 2 x 3, 1 + (2 + 3), 1 + 2 + 3
    """
    query = HandQuery.from_arguments(numbers, game, in_order=True, work=work)
    return find_written_forms(query, to_exact(target))


def find_written_forms(query: HandQuery, target: Exact) -> Iterator[Expression]:
    """Return an iterator over all formulas of a target with the numbers in their order.

    For 1 2 3 and the target 6 these are 1 x (2 x 3), 1 x 2 x 3, 1 + (2 + 3) and 1 + 2 + 3. Formulas
    with fewer numbers come first. `query.in_order` must be True, which is not checked. The cost is
    forecast in this call, the search is done while iterating; both can raise RefusedError.
    """
    return _iterate_written(query, target, solving_budget(query))


def _iterate_written(query: HandQuery, target: Exact, budget: Budget) -> Iterator[Expression]:
    """Yield all formulas of a target with the numbers in their order, fewer numbers first.

    For 1 2 3 and the target 6 the first is 1 x (2 x 3). Raise RefusedError if the search takes more
    work or memory than allowed.
    """
    goals = GoalSet([Goal(query.hand, target)], query.effective_game, True)
    chart = make_chart([query.hand], [target], query, budget)
    for _, table, rows, _ in chart.kept_results(lambda hands: goals.query_for(hands).select, goals):
        for row in rows:
            yield from _written_forms_of(chart, table, row, target)


def _written_forms_of(
    chart: FunctionChart, table: ResultTable, row: int, value: Any
) -> Iterator[Expression]:
    """Yield every formula that makes one result of a hand, with its parentheses.

    A result is made by an operator from two smaller results, and these in the same way, down to
    numbers of the hand. From 1 2 3, the product yields 1 x (2 x 3), 1 x 2 x 3 and so on.

    Args:
        chart: All results of the hand, in one table for each number of cards. It must have been
            created with `routes`: then it has all ways to make each result.
        table: The table of the chart that has the result.
        row: The row of the result in the table.
        value: The value of the result.
    """
    derivations = table.derivations(row)
    if not derivations:
        # The result is a number of the hand.
        yield Number(value)
    for operator, left_position, right_position in derivations:
        left_table, left_row = chart.table_at(left_position)
        right_table, right_row = chart.table_at(right_position)
        left_value = value_at(left_table.values, left_row)
        right_value = value_at(right_table.values, right_row)
        # Combine each form of the left operand with each form of the right one.
        for left_form in _written_forms_of(chart, left_table, left_row, left_value):
            for right_form in _written_forms_of(chart, right_table, right_row, right_value):
                yield Operation(operator, left_form, right_form, style=chart.game.style)


def check_rational(game: Game) -> None:
    """Raise RefusedError if a game has operators or signs that are not rational functions."""
    if not is_rational(game):
        irrational: Iterator[Message | str]
        irrational = (operator.name for operator in game.row_operators if not operator.rational)
        sign = next(irrational, message("line.signed"))
        raise RefusedError(message("rules.no_solutions", sign=sign))


def _select_within(within: tuple[Exact, Exact] | None, values: Column, _: Ints) -> Selection:
    """Return the rows whose values are within the bounds, both included, as a Selection.

    Without bounds, these are all rows. Each row gets the goal 0, so that a function that several
    sub-hands make counts once. The last argument is not used.
    """
    rows = np.arange(len(values))
    if within is not None:
        rows = ((values >= within[0]) & (values <= within[1])).nonzero()[0]
    return Selection(rows, np.zeros_like(rows))


def _collect_nearest(target: Exact, nearest: set[Exact], values: Column, _: Ints) -> Selection:
    """Add the values nearest to the target to the set `nearest`; return an empty selection.

    For the target 24 and the values 20, 28 and 30, it adds 20 and 28. Distances are rounded, so it
    can also add values that are slightly farther. It never removes values: the caller compares all
    values of the set. The last argument is ignored; it makes this function a selector of results,
    which is called for each batch of values.
    """
    if len(values):
        distances = _rounded_distances(values, target)
        nearest.update(exact_values(values[np.flatnonzero(distances == distances.min())]))
    no_rows = np.zeros(0, np.int64)
    return Selection(no_rows, no_rows)


def _rounded_distances(values: Column, target: Exact) -> Any:
    """Return the distances of values to the target, in units of 1 / 2^20, rounded down.

    For the target 24 and the value 20 this is 4 x 2^20. Rounding down keeps the order: the nearest
    value is always among those with the least rounded distance.
    """
    units = 1 << 20
    target_numerator, target_denominator = Fraction(target).as_integer_ratio()
    if isinstance(values, Ratios):
        numerators, denominators = values.numerators, values.denominators
    else:
        numerators, denominators = values, np.ones_like(values)
    # Use Python integers if 64 bits could overflow.
    largest_factor = max(abs(target_numerator), target_denominator)
    fits_64_bits = largest_integer(values) * largest_factor * units < 2**60
    dtype: Any = np.int64 if fits_64_bits else object
    numerators, denominators = numerators.astype(dtype), denominators.astype(dtype)
    difference = abs(numerators * target_denominator - target_numerator * denominators)
    return difference * units // (denominators * target_denominator)
