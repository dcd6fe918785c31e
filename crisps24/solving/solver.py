"""Solving hands: every distinct solution, likeliest first; what is reached, and how often.

Two solutions are the same when they are equal as rational functions of the numbers dealt, equal
numbers being interchangeable. Each is shown in its plainest legal form (see `forms`), and they come
in the order of `ranking`. With parentheses (1 + 2) + 3 and 1 + (2 + 3) are one solution, and two
written forms. Owns the queries about hands, of one hand or of many at a time.
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
from crisps24.hands.asks import Ask, Asks, Matches, tops_of
from crisps24.hands.by_function import ByFunction, Kept, Results
from crisps24.hands.by_value import ByValue
from crisps24.hands.forest import weights_of
from crisps24.hands.shortest import Shortest
from crisps24.messages.message import Count, Message, message
from crisps24.notation.trees import Expression, Number, Operation
from crisps24.rules.deals import Numbers
from crisps24.rules.exact import Exact, exact
from crisps24.rules.games import Game, Hand, find_game
from crisps24.rules.queries import HandQuery, target_for
from crisps24.rules.ratios import (
    Column,
    Ints,
    Ratios,
    differ,
    distinct,
    exact_at,
    exact_values,
    joined,
    largest_of,
    reduced,
    summed,
)
from crisps24.rules.splits import sub_hands
from crisps24.rules.words import ends_of, values_from
from crisps24.rules.work import MOST_WORK, Budget
from crisps24.solving.forms import (
    BY_SHARE,
    PLAIN,
    Answers,
    Form,
    Forms,
    Found,
    Ideas,
    Solution,
    Solutions,
    plainness,
    rank,
    ranked,
)
from crisps24.solving.work import (
    FORMS,
    REACH,
    SOLVE,
    TELL,
    WAYS,
    Aim,
    check_targets,
    check_work,
    is_small,
    told_apart,
    useful_for,
)

# So many solutions are put in order all together, and routes to so many ends are weighed, where
# only the first ones are wanted; and so many are told where all are.
_MOST_RANKED, _MOST_WEIGHED, _MOST_TOLD = 20_000, 500_000, 250_000
# Of puzzles that are solved together, the numbers of each to their own power are not much more
# than this together: two thousand hands of four, or ten of six.
_TOGETHER = 500_000
# So many values of a column are made Python's numbers at a time.
_AT_ONCE = 1 << 16
# Floats count written forms exactly below this.
_MOST_EXACT = 1 << 53


def solve(
    numbers: Numbers,
    target: Exact | None = None,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    first: int | None = None,
    work: int | None = MOST_WORK,
) -> Solutions:
    """Return all distinct solutions of a hand, likeliest first.

    They are found when one is first asked for. The target is the game's own where none is given.
    Fewer numbers come first where not all have to be used; then the idea that is likeliest, see
    `Solution`; of one idea first what divides less, then what has fewer parentheses, then what is
    likelier. `in_order` keeps the numbers in the order given. `first` is how many are wanted, which
    is less work where there are thousands: see `Solutions.order`. `work` is how many pairs of
    values may be looked at, None for any.

    >>> print(*solve((3, 3, 8, 8), 24, "cards"))
    8 / (3 - 8 / 3)
    >>> print(next(solve((2, 4, 8, 10), game="cards")))
    10 + 8 + 4 + 2

    Raises ValueError for a hand that the game cannot have, see `HandQuery`, for more work than is
    allowed, for a game with an operator that is no rational function, and without a target for one
    that deals its targets.
    """
    query = HandQuery.of(numbers, game, in_order=in_order, work=work)
    wanted = target_for(query.game, target)
    if first is not None and (not isinstance(first, int) or first < 1):
        raise RefusedError(f"{quoted(first)} solutions cannot be shown: from 1 on can")
    return find_first(query, wanted, first)


def find_first(query: HandQuery, target: Exact, first: int | None) -> Solutions:
    """Return the first solutions of a query, or all, as `solve` does."""
    check_solving(query)
    return Solutions(lambda: next(_solved([(query, target)], first)), query.game)


def solutions(
    numbers: Numbers,
    target: Exact,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    work: int | None = MOST_WORK,
) -> list[Solution]:
    """Return all distinct solutions of a hand as a list, in the order of `solve`.

    `work` is as in `solve`.

    >>> [(str(each.expression), round(each.share, 2)) for each in solutions((2, 3, 4), 10)]
    [('4 x 3 - 2', 0.51), ('3 x 2 + 4', 0.49)]

    Raises what `solve` raises.
    """
    query = HandQuery.of(numbers, game, in_order=in_order, work=work)
    return find_solutions(query, exact(target))


def find_solutions(query: HandQuery, target: Exact) -> list[Solution]:
    """Return the solutions of a query, as `solutions` does."""
    [found] = find_each([(query, target)])
    return found


def solve_many(
    puzzles: Iterable[tuple[Numbers, Exact]],
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    work: int | None = MOST_WORK,
) -> Iterator[list[Solution]]:
    """Yield the solutions of each of many (hand, target) pairs, as `solutions` returns them.

    Hands share what they have in common: it is worked out once for some of them together. `work` is
    what each of them may be, as in `solve`.

    >>> for found in solve_many([((3, 3, 8, 8), 24), ((1, 1, 1, 1), 24)], "cards"):
    ...     print(*(each.expression for each in found))
    8 / (3 - 8 / 3)
    <BLANKLINE>

    Raises what `solve` raises, for the first hand of which it is so, where that is come to.
    """
    game = find_game(game)

    def asked() -> Iterator[tuple[HandQuery, Exact]]:
        for each in puzzles:
            if not isinstance(each, tuple | list) or len(each) != 2:
                raise KindError(f"{quoted(each)} is no hand and target: ((4, 3, 8, 4), 24) is")
            yield HandQuery.of(each[0], game, in_order=in_order, work=work), exact(each[1])

    yield from find_each(asked())


def find_each(asked: Iterable[tuple[HandQuery, Exact]]) -> Iterator[list[Solution]]:
    """Yield the solutions of queries that differ only in their hands, with a target each."""
    some: list[tuple[HandQuery, Exact]] = []
    size = 0
    for query, target in asked:
        check_solving(query)
        some.append((query, target))
        size += len(query.hand) ** len(query.hand)
        if size >= _TOGETHER:
            yield from (list(found.told) for found in _solved(some))
            some, size = [], 0
    yield from (list(found.told) for found in _solved(some))


def check_solving(query: HandQuery) -> Budget:
    """Return the budget of solving a query.

    Raises ValueError for a hand whose solutions cannot be told apart, or are too much work.
    """
    check_rational(query.game)
    return check_work(query, SOLVE)


def _solved(
    asked: Sequence[tuple[HandQuery, Exact]], first: int | None = None
) -> Iterator[Answers]:
    """Yield the solutions of queries that are solved together, but of large hands alone."""
    usual = [is_small(query) for query, _ in asked]
    for small, group in groupby(zip(asked, usual, strict=True), itemgetter(1)):
        every = [each for each, _ in group]
        for some in [every] if small else [[each] for each in every]:
            asks = [Ask(query.numbers, target) for query, target in some]
            # The rules for the least number hold for the others.
            least = min((query for query, _ in some), key=lambda query: min(query.hand))
            # Of many solutions of a large hand not all are weighed.
            routes = small or first is None
            hands, targets = [ask.hand for ask in asks], [asks[0].target]
            budget = check_solving(least)
            chart = chart_of(hands, targets, least, budget, routes=routes)
            most = None if small or least.work is None else _MOST_TOLD
            yield from _answers(chart, Asks(asks, chart.game, chart.in_order), first, most)


def chart_of(
    hands: Sequence[Hand],
    targets: Collection[Exact] | None,
    query: HandQuery,
    budget: Budget,
    *,
    routes: bool = True,
) -> ByFunction:
    """Return the chart of hands by the rules of a query; of a large one only what targets use.

    `routes` is as in `ByFunction`.
    """
    useful = None if targets is None else useful_for(query, targets, budget)
    how: Any = {"routes": routes, "useful": useful, "budget": budget}
    return ByFunction(hands, query.rules, query.in_order, **how)


def _answers(
    chart: ByFunction,
    asks: Asks,
    first: int | None = None,
    most: int | None = None,
) -> Iterator[Answers]:
    """Yield the solutions of each puzzle that is asked, from a chart of their hands.

    Raises ValueError where all are wanted and there are more than `most` of the one that is asked.
    """
    if first is not None:
        yield _first_of(chart, asks, _kept(chart, asks), first)
        return
    if most is not None:
        # What the smaller parts make is often enough to refuse, and takes a tenth of the memory.
        longest = max(len(ask.hand) for ask in asks.pairs) if len(asks) else 0
        for size in range(-(-longest // 2), longest):
            _refuse_above(most, chart.known_answers(size, asks, most))
    kept = _kept(chart, asks)
    if most is not None:
        _refuse_above(most, len(_prints(kept)))
    for found in _ranked(chart, asks, kept):
        yield Answers(found, len(found))


def _refuse_above(most: int, known: int) -> None:
    """Raise RefusedError if so many solutions are known, which is more than can be put in order."""
    if known > most:
        raise RefusedError(message("work.solutions", most=Count(most)), "advice.first")


def _kept(chart: ByFunction, asks: Asks) -> list[Kept]:
    return list(chart.kept(lambda hands: asks.among(hands).matches, asks))


def _first_of(chart: ByFunction, asks: Asks, kept: Sequence[Kept], first: int) -> Answers:
    """Return the first solutions of the one puzzle of `asks`."""
    total = len(_prints(kept))
    weighed = sum(len(each.results.left) for each in kept) <= _MOST_WEIGHED
    if weighed or total <= _MOST_RANKED:
        routed = chart.with_routes()
        kept = kept if routed is chart else _kept(routed, asks)
        chart = routed
    prints = [each.results.prints[each.which] for each in kept]
    if total <= _MOST_RANKED:
        [found] = _ranked(chart, asks, kept)
        return Answers(found[:first], total)
    order, weights = PLAIN, dict.fromkeys(np.concatenate(prints).tolist(), 0.0)
    if weighed:
        order, [known] = BY_SHARE, weights_of(chart, kept, asks, [0])
        weights |= known
    few = nlargest(first, weights, weights.__getitem__)
    some = [
        each._replace(which=rows, asks=np.asarray(each.asks)[np.isin(each.which, rows)].tolist())
        for each, of in zip(kept, prints, strict=True)
        for rows in [np.asarray(each.which)[np.isin(of, np.array(few, of.dtype))].tolist()]
    ]
    [found] = _ranked(chart, asks, some, [weights])
    return Answers(found, total, order)


def _prints(kept: Sequence[Kept]) -> Ints:
    """Return the fingerprints of what was kept, each once."""
    prints = np.sort(np.concatenate([each.results.prints[each.which] for each in kept]))
    return prints[differ(prints)]


def _ranked(
    chart: ByFunction,
    asks: Asks,
    kept: Sequence[Kept],
    weights: Sequence[dict[int, float]] = (),
) -> Iterator[list[Solution]]:
    """Yield the solutions of each puzzle, in order; see `forms.ranked`."""
    forms, ideas = Forms(chart), Ideas(chart.game)
    answers: list[dict[int, Form]] = [{} for _ in range(len(asks))]
    targets = [target for _, target in asks.pairs]
    for _, results, which, answered in kept:
        for result, ask in zip(which, answered, strict=True):
            form = forms.of(results, result, targets[ask])
            _add_plainest(answers[ask], int(results.prints[result]), form)
    found = [
        _in_plain_order([(len(top), answers[ask]) for top, ask in asks.asks_of(place)])
        for place in range(len(asks.puzzles))
    ]
    # Where there is one solution there is nothing to be told from another.
    many = [place for place, each in enumerate(found) if weights or not _is_plain(each)]
    if many and not weights:
        weights = weights_of(chart, kept, asks, many)
    known = dict(zip(many, weights, strict=True))
    for place, each in enumerate(found):
        yield ranked(each, known.get(place, {of: 1.0 for _, of, _ in each}), ideas)


def _is_plain(found: Sequence[Found]) -> bool:
    """Return whether there is at most one solution, and one that stays above zero."""
    return len(found) < 2 and not any(each.form.negatives for each in found)


def _add_plainest(answers: dict[int, Form], fingerprint: int, form: Form) -> None:
    known = answers.get(fingerprint, form)
    answers[fingerprint] = min(known, form, key=plainness)


def _in_plain_order(tops: Sequence[tuple[int, dict[int, Form]]]) -> list[Found]:
    """Return what sub-hands of so many numbers make, each function once, the plainest first."""
    found: dict[int, Found] = {}
    for size in sorted({size for size, _ in tops}):
        plainest: dict[int, Form] = {}
        for answers in (answers for count, answers in tops if count == size):
            for fingerprint, form in answers.items():
                if fingerprint not in found:
                    _add_plainest(plainest, fingerprint, form)
        for fingerprint, form in sorted(plainest.items(), key=lambda each: rank(each[1])):
            found[fingerprint] = Found(size, fingerprint, form)
    return list(found.values())


def ways(
    numbers: Numbers,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    within: tuple[Exact, Exact] | None = None,
    only: Collection[Exact] | None = None,
    work: int | None = MOST_WORK,
) -> dict[Exact, int]:
    """Return every value that a hand makes, with its number of distinct solutions.

    `within` limits the values, first and last, which is less work, and `only` names them, which is
    the least for large hands. `work` is how many pairs of values may be looked at, None for any.

    >>> ways((2, 3))
    {1: 1, 5: 1, 6: 1}

    Raises ValueError for a hand that the game cannot have, see `HandQuery`, for more work than is
    allowed, and for a game with an operator that is no rational function.
    """
    query = HandQuery.of(numbers, game, in_order=in_order, work=work)
    return find_ways(query, ends_of(within), None if only is None else values_from(only))


def find_ways(
    query: HandQuery, ends: tuple[Exact, Exact] | None, wanted: Collection[Exact] | None
) -> dict[Exact, int]:
    """Return the number of solutions of each value of a query, as `ways` does."""
    if wanted is not None:
        ends = ends or (min(wanted, default=0), max(wanted, default=0))
        wanted = {value for value in wanted if ends[0] <= value <= ends[1]}
    check_rational(query.game)
    budget = check_work(query, WAYS if wanted is None else SOLVE, targets=wanted or ())
    chart = chart_of([query.numbers], wanted, query, budget, routes=False)
    found = list(chart.kept(lambda _: partial(_between, ends)))
    prints = np.concatenate([each.results.prints[each.which] for each in found])
    values = joined([each.results.values[each.which] for each in found])
    _, once = np.unique(prints, return_index=True)
    [made], counts = summed(np.ones(len(once)), values[once])
    counted = zip(exact_values(made), counts.astype(int).tolist(), strict=True)
    return {value: count for value, count in sorted(counted) if wanted is None or value in wanted}


def reachable(
    numbers: Numbers,
    game: Game | str = "crisps",
    in_order: bool = False,
    *,
    only: Collection[Exact] | None = None,
    work: int | None = MOST_WORK,
) -> set[Exact]:
    """Return every value that a hand makes: ints, or Fractions if they are not whole.

    `in_order` keeps the numbers in the order given; `only` names the values that are asked about,
    which is less work. `work` is how many pairs of values may be looked at, None for any.

    >>> sorted(reachable((2, 3)))
    [1, 5, 6]
    >>> sorted(reachable((2, 3), in_order=True))
    [5, 6]

    Raises ValueError for a hand that the game cannot have, see `HandQuery`, and for more work than
    is allowed.
    """
    query = HandQuery.of(numbers, game, in_order=in_order, work=work)
    return find_reached(query, None if only is None else values_from(only))


def find_reached(query: HandQuery, wanted: Collection[Exact] | None) -> set[Exact]:
    """Return the values that a query makes, as `reachable` does."""
    if not told_apart(query.game):
        return set(_plainest(query, wanted, REACH)[0])
    if wanted is None:
        return set(chain.from_iterable(_each_once(_made_of(query, check_work(query, TELL)))))
    budget, useful = check_targets(query, wanted)
    if useful is None:
        made = _made_of(query, budget, (min(wanted), max(wanted)) if wanted else None)
        return set(chain.from_iterable(_each_once(made))) & set(wanted)
    tops = tops_of(query.numbers, query.rules, query.in_order)
    return set().union(*map(useful.of, tops)) & set(wanted)


def _made_of(
    query: HandQuery, budget: Budget, within: tuple[Exact, Exact] | None = None
) -> Iterator[Column]:
    """Yield what a hand makes as a whole, in columns, of large ones not each value once.

    `within` is the first value and the last that a large hand has to make.
    """
    hand, game, in_order = query.numbers, query.rules, query.in_order
    how: Any = {"longest_right": len(hand) - 1, "within": within, "budget": budget}
    chart = ByValue(game, hand, in_order, **how)
    wholes = [hand] if game.all_numbers else sub_hands(hand, in_order)
    usual = is_small(query)
    if usual:
        chart.add(wholes)
    for whole in wholes:
        if usual or len(whole) == 1:
            yield chart.of(whole)
            continue
        for _, values in chart.last_steps([whole]):
            yield distinct(reduced(values))[0]


def _each_once(columns: Iterable[Column]) -> Iterator[list[Exact]]:
    """Yield the values of columns, each once, some at a time."""
    held: list[Column] = []
    for column in columns:
        held.append(column)
        # So that no value is sorted more often than the columns double, and few are sorted once.
        if sum(map(len, held[1:])) > max(len(held[0]), _AT_ONCE):
            held = distinct(joined(held))
    values: Any = distinct(joined(held))[0] if held else ()
    for first in range(0, len(values), _AT_ONCE):
        yield exact_values(values[first : first + _AT_ONCE])


def plainest(
    numbers: Numbers,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    within: tuple[Exact, Exact] | None = None,
    only: Collection[Exact] | None = None,
    work: int | None = MOST_WORK,
) -> dict[Exact, Expression]:
    """Return every value that a hand makes, each with its plainest form, for any operators.

    It has the fewest signs of operators, then the fewest parentheses, then the fewest results below
    zero. `within` limits the values, first and last, and `only` names them, which is less work.
    `work` is how many pairs of values may be looked at, None for any.

    >>> game = replace(find_game("cards"), operators=("-", "+", "√", "!"))
    >>> print(plainest((4, 4), game)[22])
    4! - √4

    Raises ValueError for a hand that the game cannot have, see `HandQuery`, and for more work than
    is allowed.
    """
    query = HandQuery.of(numbers, game, in_order=in_order, work=work)
    return find_plainest(query, ends_of(within), None if only is None else values_from(only))


def find_plainest(
    query: HandQuery, ends: tuple[Exact, Exact] | None, wanted: Collection[Exact] | None
) -> dict[Exact, Expression]:
    """Return the values that a query makes, each with a form, as `plainest` does."""
    found, chart = _plainest(query, wanted, FORMS)
    return {
        value: replace(chart.expression(place), game=chart.game)
        for value, place in sorted(found.items())
        if ends is None or ends[0] <= value <= ends[1]
    }


def _plainest(
    query: HandQuery, wanted: Collection[Exact] | None, aim: Aim
) -> tuple[dict[Exact, int], Shortest]:
    """Return where the plainest form of each value is that is wanted: all where none is named."""
    chart = Shortest(query.rules, query.numbers, query.in_order)
    told = aim.told and wanted is None
    aim = aim._replace(forms=True, last=wanted is not None and chart.can_match, told=told)
    budget = check_work(query, aim)
    chart = Shortest(query.rules, query.numbers, query.in_order, budget=budget)
    found = chart.best(query.numbers, wanted)
    if wanted is not None:
        found = {value: place for value, place in found.items() if value in wanted}
    return found, chart


def closest(
    numbers: Numbers,
    target: Exact,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    work: int | None = MOST_WORK,
) -> dict[Exact, Expression]:
    """Return the one or two reachable values closest to a target, each with its likeliest solution.

    A hand that makes nothing has none. `work` is how many pairs of values may be looked at, None
    for any.

    >>> {value: str(way) for value, way in closest((1, 1, 1, 1), 24).items()}
    {4: '1 + 1 + 1 + 1'}

    Raises ValueError for a hand that the game cannot have, see `HandQuery`, for more work than is
    allowed, and for a game with an operator that is no rational function.
    """
    query = HandQuery.of(numbers, game, in_order=in_order, work=work)
    return find_closest(query, exact(target))


def find_closest(query: HandQuery, target: Exact) -> dict[Exact, Expression]:
    """Return the values of a query that are closest to a target, as `closest` does."""
    check_rational(query.game)
    budget = check_work(query, REACH)
    hand, game, in_order = query.numbers, query.rules, query.in_order
    usual = is_small(query)
    near: set[Exact] = set()
    if usual:
        chart = ByFunction([hand], game, in_order, budget=budget)
        for _ in chart.kept(lambda _: partial(_gather_nearest, target, near)):
            pass
    else:
        for made in _made_of(query, budget):
            _gather_nearest(target, near, made, np.zeros(0, np.int64))
    gaps = {value: abs(Fraction(value) - target) for value in near}
    values = sorted(value for value, gap in gaps.items() if gap == min(gaps.values()))
    answers = (
        _answers(chart, Asks([Ask(hand, value) for value in values], game, in_order))
        if usual
        else (each for value in values for each in _solved([(query, value)], 1))
    )
    pairs = zip(values, answers, strict=True)
    return {value: replace(found.told[0].expression, game=game) for value, found in pairs}


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
    if not wanted:
        return {}
    budget, useful = check_targets(query, wanted)
    how: Any = {"within": (wanted[0], wanted[-1]), "counted": True, "budget": budget}
    filtered = None if useful is None else useful.among_of
    chart = ByValue(query.rules, hand, True, useful=filtered, **how)
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
    return _written(query, target, check_solving(query))


def _written(query: HandQuery, target: Exact, budget: Budget) -> Iterator[Expression]:
    asks = Asks([Ask(query.hand, target)], query.rules, True)
    chart = chart_of([query.hand], [target], query, budget)
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


def check_rational(game: Game) -> None:
    """Raise ValueError for a game whose solutions are not all rational functions."""
    if not told_apart(game):
        others: Iterator[Message | str]
        others = (each.name for each in game.row_operators if not each.rational)
        sign = next(others, message("line.signed"))
        raise RefusedError(message("rules.no_solutions", sign=sign))


def _between(within: tuple[Exact, Exact] | None, values: Column, _: Ints) -> Matches:
    rows = np.arange(len(values))
    if within is not None:
        rows = ((values >= within[0]) & (values <= within[1])).nonzero()[0]
    return Matches(rows, np.zeros_like(rows))


def _gather_nearest(target: Exact, near: set[Exact], values: Column, _: Ints) -> Matches:
    """Add the values nearest to the target to `near`; keep no row."""
    if len(values):
        gaps = _gaps(values, target)
        near.update(exact_values(values[np.flatnonzero(gaps == gaps.min())]))
    none = np.zeros(0, np.int64)
    return Matches(none, none)


def _gaps(values: Column, target: Exact) -> Any:
    """Return how far values are from the target, rounded down to so many parts of 1.

    Rounding down keeps the order, so that the nearest value is always among the least.
    """
    parts, (p, q) = 1 << 20, Fraction(target).as_integer_ratio()
    if isinstance(values, Ratios):
        numerators, denominators = values.numerators, values.denominators
    else:
        numerators, denominators = values, np.ones_like(values)
    # Python's own integers where those of a machine might not hold what is made here.
    kind: Any = np.int64 if largest_of(values) * max(abs(p), q) * parts < 2**60 else object
    numerators, denominators = numerators.astype(kind), denominators.astype(kind)
    return abs(numerators * q - p * denominators) * parts // (denominators * q)
