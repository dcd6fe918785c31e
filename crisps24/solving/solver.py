"""Distinct solutions of hands, likeliest first.

Two solutions are the same if they are equal as rational functions of the numbers of the hand; equal
numbers are interchangeable. For 3 3 8 8 and the target 24, the chart of functions (`hands`)
combines the functions of sub-hands, such as 8 / 3 and 3 - 8 / 3, up to the whole hand. It keeps
each function once, identified by its value modulo a prime at random points: its *fingerprint*. The
only function with the value 24 is 8 / (3 - 8 / 3). `forms` then finds the plainest expression of
each solution, and `ranking` orders the solutions by the weights of their routes.

Small hands (see `work`) that follow each other share one chart. A large hand has a chart of its own
with only the functions that a backward search from the target finds useful. With operators that are
not rational functions (powers, roots, factorials) equal solutions cannot be recognised.

`find_*` functions take a validated query; the others take the arguments of users. In a game that
allows unused numbers, each sub-hand with the target is a goal, and a function that several of them
make is one solution, that of the smallest.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import nlargest
from itertools import groupby
from typing import Any

import numpy as np

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.hands.by_function import FunctionChart, KeptResults
from crisps24.hands.chart import State
from crisps24.hands.forest import solution_weights
from crisps24.hands.goals import Goal, GoalSet
from crisps24.messages.message import Count, message
from crisps24.rules.deals import HandLike
from crisps24.rules.exact import Exact, to_exact
from crisps24.rules.games import Game, Hand, find_game
from crisps24.rules.machines import SOLUTIONS
from crisps24.rules.points import Points, scores_operators
from crisps24.rules.queries import HandQuery, target_for
from crisps24.rules.work import DEFAULT_WORK, Budget
from crisps24.solving.forms import Form, PlainestForms, plainness_key, simplicity_key
from crisps24.solving.ranking import (
    BY_SHARE,
    LIKELIEST,
    MOST_POINTS,
    PLAIN,
    RankedSolutions,
    Solution,
    Solutions,
    UnrankedSolution,
    rank_solutions,
)
from crisps24.solving.work import (
    SOLVE,
    backward_search_for,
    budget_for,
    is_small_query,
)

# The plainest forms of the solutions of a goal, by fingerprint and state (see `hands.chart`).
_Forms = dict[tuple[int, State], Form]

# Solutions of a large hand that are ranked if only the first are requested.
_MAX_RANKED = 20_000
# Steps of solutions whose routes are weighted if only the first are requested.
_MAX_WEIGHTED_STEPS = 500_000
# Solutions of a large hand that are listed if all are requested.
_MAX_LISTED = 250_000
# Work of the puzzles that share a chart, in n^n for a hand of n numbers: the limit is about two
# thousand hands of four numbers, or ten of six.
_WORK_PER_BATCH = 500_000


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

    The search is done in this call. Arguments and errors are those of `solve`.

    >>> [(str(each.expression), round(each.share, 2)) for each in solutions((2, 3, 4), 10)]
    [('4 x 3 - 2', 0.51), ('3 x 2 + 4', 0.49)]
    """
    query = HandQuery.from_arguments(numbers, game, in_order=in_order, work=work)
    return find_solutions(query, to_exact(target))


def find_solutions(query: HandQuery, target: Exact) -> list[Solution]:
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
    their common parts: (1, 2, 3, 4) and (1, 2, 3, 5) share those of 1, 2 and 3. The other arguments
    and the errors are those of `solve`; `work` limits the search of each puzzle.

    Args:
        puzzles: Pairs of a hand and a target. They can be endless; at most two thousand hands of
            four numbers are read ahead, so that an invalid puzzle can raise its error before the
            solutions of some earlier puzzles are yielded.

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
            query = HandQuery.from_arguments(puzzle[0], game, in_order=in_order, work=work)
            yield query, to_exact(puzzle[1])

    yield from find_many(queries())


def find_many(puzzles: Iterable[tuple[HandQuery, Exact]]) -> Iterator[list[Solution]]:
    """Yield the solutions of each puzzle; they only differ in hand and target."""
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
    """Return the budget to solve a query, after a forecast of up to a second."""
    SOLUTIONS.check(query.game)
    return budget_for(query, SOLVE)


def _solve_batch(
    puzzles: Iterable[tuple[HandQuery, Exact]], first: int | None = None
) -> Iterator[RankedSolutions]:
    """Yield the solutions of each puzzle, or only the first ones of a single puzzle."""
    for is_small, group in groupby(puzzles, key=lambda puzzle: is_small_query(puzzle[0])):
        for together in [[*group]] if is_small else ([puzzle] for puzzle in group):
            yield from _solve_together(together, first, is_small=is_small)


def _solve_together(
    puzzles: Sequence[tuple[HandQuery, Exact]], first: int | None, *, is_small: bool
) -> Iterator[RankedSolutions]:
    # A number of 0 or less needs other rules, which are valid for all hands.
    lowest = min((query for query, _ in puzzles), key=lambda query: min(query.hand))
    budget = solving_budget(lowest)
    hands, targets = [query.numbers for query, _ in puzzles], [puzzles[0][1]]
    # If only the first solutions of a large hand are requested, shares may take too long.
    routes = is_small or first is None
    chart = make_chart(hands, targets, lowest, budget, routes=routes)
    pairs = [Goal(query.numbers, target) for query, target in puzzles]
    goals = GoalSet(pairs, chart.game)
    if first is not None:
        yield _first_solutions(chart, goals, first)
        return
    is_limited = not is_small and lowest.work is not None
    if is_limited:
        # Solutions with a small part often exceed the limit already; counting them takes a tenth
        # of the memory.
        longest = max(len(goal.hand) for goal in goals) if len(goals) else 0
        for size in range((longest + 1) // 2, longest):
            _check_count(chart.count_known_solutions(size, goals, _MAX_LISTED))
    goal_results = results_of_goals(chart, goals)
    if is_limited:
        _check_count(_count_functions(goal_results))
    for ranked in _rank(chart, goals, goal_results):
        yield RankedSolutions(ranked, len(ranked), _order_of(ranked))


def make_chart(
    hands: Sequence[Hand],
    targets: Collection[Exact] | None,
    query: HandQuery,
    budget: Budget,
    *,
    routes: bool = True,
) -> FunctionChart:
    """Return the chart of hands for some targets (None: all); shares need all `routes`."""
    search = None if targets is None else backward_search_for(query, targets, budget)
    options: Any = {"routes": routes, "search": search, "budget": budget}
    return FunctionChart(hands, query.effective_game, **options)


def _check_count(count: int) -> None:
    if count > _MAX_LISTED:
        raise RefusedError(message("work.solutions", most=Count(_MAX_LISTED)), "advice.first")


def solve_goals(chart: FunctionChart, goals: GoalSet) -> Iterator[list[Solution]]:
    """Yield the solutions of each goal, likeliest first."""
    return _rank(chart, goals, results_of_goals(chart, goals))


def results_of_goals(chart: FunctionChart, goals: GoalSet) -> list[KeptResults]:
    """Build the chart; return the results that reach the target of a goal, by size."""
    return list(chart.kept_results(goals.selector_for, goals))


def _first_solutions(chart: FunctionChart, goals: GoalSet, first: int) -> RankedSolutions:
    """Return the first solutions of a puzzle: ranked, or by share, or those of the chart."""
    goal_results = results_of_goals(chart, goals)
    total = _count_functions(goal_results)
    step_count = sum(len(results.table.left) for results in goal_results)
    can_compute_shares = step_count <= _MAX_WEIGHTED_STEPS
    if can_compute_shares or total <= _MAX_RANKED:
        chart_with_routes = chart.with_routes()
        if chart_with_routes is not chart:
            goal_results = results_of_goals(chart_with_routes, goals)
        chart = chart_with_routes
    if total <= _MAX_RANKED:
        [ranked] = _rank(chart, goals, goal_results)
        return RankedSolutions(ranked[:first], total, _order_of(ranked))
    fingerprints = [results.fingerprints for results in goal_results]
    order, weights = PLAIN, dict.fromkeys(np.concatenate(fingerprints).tolist(), 0.0)
    if can_compute_shares:
        order, [route_weights] = BY_SHARE, solution_weights(chart, goal_results, goals, [0])
        weights |= route_weights
    first_fingerprints = nlargest(first, weights, weights.__getitem__)
    first_results: list[KeptResults] = []
    for results, column in zip(goal_results, fingerprints, strict=True):
        mask = np.isin(column, np.array(first_fingerprints, column.dtype))
        rows, row_goals = np.asarray(results.rows)[mask], np.asarray(results.goals)[mask]
        first_results.append(results._replace(rows=rows.tolist(), goals=row_goals.tolist()))
    [ranked] = _rank(chart, goals, first_results, [weights])
    return RankedSolutions(ranked, total, order)


def _order_of(ranked: Sequence[Solution]) -> str:
    has_points = any(solution.points is not None for solution in ranked)
    return MOST_POINTS if has_points else LIKELIEST


def _count_functions(goal_results: Sequence[KeptResults]) -> int:
    return len(np.unique(np.concatenate([results.fingerprints for results in goal_results])))


def _rank(
    chart: FunctionChart,
    goals: GoalSet,
    goal_results: Sequence[KeptResults],
    weights: Sequence[dict[int, float]] = (),
) -> Iterator[list[Solution]]:
    """Yield the solutions of each puzzle, likeliest first; weights by fingerprint are optional."""
    # Several sub-hands can make the same function: keep its plainest form for each goal.
    plainest_forms = PlainestForms(chart)
    forms_of_goal: list[_Forms] = [{} for _ in range(len(goals))]
    targets = [target for _, target in goals]
    for _, table, rows, row_goals in goal_results:
        for row, goal in zip(rows, row_goals, strict=True):
            form = plainest_forms.form_of(table, row, targets[goal])
            key = int(table.fingerprints[row]), chart.state_of(table, row)
            stored = forms_of_goal[goal].get(key, form)
            forms_of_goal[goal][key] = min(stored, form, key=plainness_key)
    unranked = []
    for index, (hand, _) in enumerate(goals.puzzles):
        forms_by_size = [(len(root), forms_of_goal[goal]) for root, goal in goals.goals_of(index)]
        points = chart.game.operator_points if scores_operators(chart.game, len(hand)) else None
        unranked.append(_merge_sub_hands(forms_by_size, len(hand), points))
    # The share of a single solution without negative results is 1, without any weights.
    weighted_puzzles = [
        puzzle
        for puzzle, solutions in enumerate(unranked)
        if weights or len(solutions) > 1 or any(solution.form.negatives for solution in solutions)
    ]
    if weighted_puzzles and not weights:
        weights = solution_weights(chart, goal_results, goals, weighted_puzzles)
    weights_of_puzzle = dict(zip(weighted_puzzles, weights, strict=True))
    for puzzle, solutions in enumerate(unranked):
        equal_weights = {solution.fingerprint: 1.0 for solution in solutions}
        own_weights = weights_of_puzzle.get(puzzle, equal_weights)
        yield rank_solutions(solutions, own_weights, chart.game)


def _merge_sub_hands(
    forms_by_size: Sequence[tuple[int, _Forms]], hand_size: int, points: Points | None
) -> list[UnrankedSolution]:
    """Return the distinct solutions of a hand: smaller sub-hands first, then simpler forms."""
    best: dict[int, tuple[Any, UnrankedSolution]] = {}
    for size, forms in forms_by_size:
        for (fingerprint, state), form in forms.items():
            earned = points.of(0, state, uses_all=size == hand_size) if points else None
            # Of the forms of a function, most points come first, then the fewest numbers.
            key = -(earned or 0), size, plainness_key(form)
            if fingerprint not in best or key < best[fingerprint][0]:
                best[fingerprint] = key, UnrankedSolution(size, fingerprint, form, earned)
    solutions = (solution for _, solution in best.values())
    return sorted(solutions, key=lambda solution: (solution.size, simplicity_key(solution.form)))
