"""Solving hands: every distinct solution, likeliest first; what is reached, and how often.

Two solutions are the same when they are equal as rational functions of the numbers dealt, equal
numbers being interchangeable. Each is shown in its plainest legal form (see `forms`), and they come
in the order of `ranking`. Owns what is asked, of one hand or of many at a time.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.hands.asks import Ask, Asks, Matches
from crisps24.hands.by_function import ByFunction
from crisps24.hands.by_value import ByValue
from crisps24.hands.forest import weights_of
from crisps24.hands.forms import (
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
from crisps24.hands.shortest import Shortest
from crisps24.notation.evaluation import game_with
from crisps24.notation.trees import Expression
from crisps24.rules.deals import Numbers, dealt
from crisps24.rules.exact import Exact, exact
from crisps24.rules.games import Game, Hand, find_game
from crisps24.rules.ratios import Column, Ints, Ratios, exact_values
from crisps24.rules.splits import sub_hands
from crisps24.rules.words import ends_of, format_numbers

# Of puzzles that are solved together, the numbers of each to their own power are not much more
# than this together: two thousand hands of four, or ten of six.
_TOGETHER = 500_000


def solve(
    numbers: Numbers,
    target: Exact | None = None,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
) -> Solutions:
    """Return every distinct solution of a hand, the one that a person would find first first.

    They are found when one is first asked for. The target is the game's own where none is given.
    Fewer numbers come first where not all have to be used; then the idea that is likeliest, see
    `Solution`; of one idea first what divides less, then what has fewer parentheses, then what is
    likelier. `in_order` keeps the numbers in the order given.

    >>> print(*solve((3, 3, 8, 8), 24, "cards"))
    8 / (3 - 8 / 3)
    >>> print(next(solve((2, 4, 8, 10), game="cards")))
    10 + 8 + 4 + 2

    Raises ValueError for a hand that the game cannot have, see `check_hand`, for a game with an
    operator that is no rational function, and without a target for one that deals its targets.
    """
    game = find_game(game)
    wanted = game.target if target is None else exact(target)
    if wanted is None:
        raise RefusedError(f"{game.name} deals its targets: give one")
    puzzle = Ask(_playable(numbers, game, in_order), wanted)
    return Solutions(lambda: next(_solved([puzzle], game, in_order)), game)


def solutions(
    numbers: Numbers,
    target: Exact,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
) -> list[Solution]:
    """Return every distinct solution of a hand with its share, in the order of `solve`.

    >>> [(str(each.expression), round(each.share, 2)) for each in solutions((2, 3, 4), 10)]
    [('4 x 3 - 2', 0.51), ('3 x 2 + 4', 0.49)]

    Raises what `solve` raises.
    """
    game = find_game(game)
    puzzle = Ask(_playable(numbers, game, in_order), exact(target))
    [found] = _solved([puzzle], game, in_order)
    return found


def solve_many(
    puzzles: Iterable[tuple[Numbers, Exact]],
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
) -> Iterator[list[Solution]]:
    """Yield the solutions of each of many hands, with a target each, as `solutions` returns them.

    Hands share what they have in common: it is worked out once for some of them together.

    >>> for found in solve_many([((3, 3, 8, 8), 24), ((1, 1, 1, 1), 24)], "cards"):
    ...     print(*(each.expression for each in found))
    8 / (3 - 8 / 3)
    <BLANKLINE>

    Raises what `solve` raises, for the first hand of which it is so, where that is come to.
    """
    game = find_game(game)
    some: list[Ask] = []
    work = 0
    for each in puzzles:
        if not isinstance(each, tuple | list) or len(each) != 2:
            raise KindError(f"{quoted(each)} is no hand and target: ((4, 3, 8, 4), 24) is")
        numbers, target = each
        some.append(Ask(_playable(numbers, game, in_order), exact(target)))
        work += len(some[-1].hand) ** len(some[-1].hand)
        if work >= _TOGETHER:
            yield from _solved(some, game, in_order)
            some, work = [], 0
    yield from _solved(some, game, in_order)


def _solved(puzzles: Sequence[Ask], game: Game, in_order: bool) -> Iterator[list[Solution]]:
    """Yield the solutions of puzzles that are solved together."""
    if puzzles:
        game = game_with([min(puzzle.hand) for puzzle in puzzles], game)
        chart = ByFunction([puzzle.hand for puzzle in puzzles], game, in_order)
        yield from _answers(chart, Asks(puzzles, game, in_order))


def _answers(chart: ByFunction, asks: Asks) -> Iterator[list[Solution]]:
    """Yield the solutions of each puzzle that is asked, from a chart of their hands."""
    forms, ideas = Forms(chart), Ideas(chart.game)
    answers: list[dict[int, Form]] = [{} for _ in range(len(asks))]
    targets = [target for _, target in asks.pairs]
    kept = list(chart.kept(lambda hands: asks.among(hands).matches, asks))
    for _, results, which, answered in kept:
        for result, ask in zip(which, answered, strict=True):
            form = forms.of(results, result, targets[ask])
            _add_plainest(answers[ask], int(results.prints[result]), form)
    found = [
        _in_plain_order([(len(top), answers[ask]) for top, ask in asks.asks_of(place)])
        for place in range(len(asks.puzzles))
    ]
    # Where there is one solution there is nothing to be told from another.
    many = [place for place, each in enumerate(found) if not _is_plain(each)]
    known = dict(zip(many, weights_of(chart, kept, asks, many) if many else [], strict=True))
    for place, each in enumerate(found):
        weights = known.get(place, {fingerprint: 1.0 for _, fingerprint, _ in each})
        yield ranked(each, weights, ideas)


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
) -> dict[Exact, int]:
    """Return every value that a hand makes, with its number of distinct solutions.

    `within` limits the values, first and last, which is less work.

    >>> ways((2, 3))
    {1: 1, 5: 1, 6: 1}

    Raises ValueError for a hand that the game cannot have, see `check_hand`, and for a game with an
    operator that is no rational function.
    """
    game = find_game(game)
    hand, ends = _playable(numbers, game, in_order), ends_of(within)
    chart = ByFunction([hand], game_with(hand, game), in_order)
    found = list(chart.kept(lambda _: partial(_between, ends)))
    prints = np.concatenate([each.results.prints[each.which] for each in found])
    values = [value for each in found for value in exact_values(each.results.values[each.which])]
    _, once = np.unique(prints, return_index=True)
    return dict(sorted(Counter(values[place] for place in once.tolist()).items()))


def reachable(numbers: Numbers, game: Game | str = "crisps", in_order: bool = False) -> set[Exact]:
    """Return every value that a hand makes: ints, and Fractions where they are not whole.

    `in_order` keeps the numbers in the order given.

    >>> sorted(reachable((2, 3)))
    [1, 5, 6]
    >>> sorted(reachable((2, 3), in_order=True))
    [5, 6]

    Raises ValueError for a hand that the game cannot have, see `check_hand`.
    """
    game = find_game(game)
    hand = check_hand(numbers, game, in_order=in_order)
    game = game_with(hand, game)
    hand = hand if in_order else tuple(sorted(hand))
    if not told_apart(game):
        return set(Shortest(game, hand, in_order).best(hand))
    known = ByValue(game, hand, in_order, longest_right=len(hand) - 1)
    wholes = [hand] if game.all_numbers else sub_hands(hand, in_order)
    known.add(wholes)
    return set().union(*(exact_values(known.of(whole)) for whole in wholes))


def plainest(
    numbers: Numbers,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    within: tuple[Exact, Exact] | None = None,
) -> dict[Exact, Expression]:
    """Return every value that a hand makes with one form of it, whatever the operators.

    It has the fewest signs of operators, then the fewest parentheses, then the fewest results
    below zero. `within` limits the values, first and last.

    >>> game = replace(find_game("cards"), operators=("-", "+", "√", "!"))
    >>> print(plainest((4, 4), game)[22])
    4! - √4

    Raises ValueError for a hand that the game cannot have, see `check_hand`.
    """
    game, ends = find_game(game), ends_of(within)
    hand = check_hand(numbers, game, in_order=in_order)
    game = game_with(hand, game)
    hand = hand if in_order else tuple(sorted(hand))
    chart = Shortest(game, hand, in_order)
    return {
        value: replace(chart.expression(place), game=game)
        for value, place in sorted(chart.best(hand).items())
        if ends is None or ends[0] <= value <= ends[1]
    }


def closest(
    numbers: Numbers,
    target: Exact,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
) -> dict[Exact, Expression]:
    """Return the reachable values closest to a target, one or two, each with its first solution.

    A hand that makes nothing has none.

    >>> {value: str(way) for value, way in closest((1, 1, 1, 1), 24).items()}
    {4: '1 + 1 + 1 + 1'}

    Raises ValueError for a hand that the game cannot have, see `check_hand`, and for a game with an
    operator that is no rational function.
    """
    game, target = find_game(game), exact(target)
    hand = _playable(numbers, game, in_order)
    game = game_with(hand, game)
    chart = ByFunction([hand], game, in_order)
    near: set[Exact] = set()
    for _ in chart.kept(lambda _: partial(_gather_nearest, target, near)):
        pass
    gaps = {value: abs(Fraction(value) - target) for value in near}
    values = sorted(value for value, gap in gaps.items() if gap == min(gaps.values()))
    answers = _answers(chart, Asks([Ask(hand, value) for value in values], game, in_order))
    pairs = zip(values, answers, strict=True)
    return {value: replace(found[0].expression, game=game) for value, found in pairs}


def check_hand(numbers: Numbers, game: Game, *, in_order: bool = False) -> Hand:
    """Return the hand if the game can be played with it.

    Raises ValueError, in one sentence, for an empty hand, one of too many numbers or of others
    than whole ones, for a number below zero where the game has none, for one of more digits where
    they are joined, and for a game that has rows alone. What the game has not to deal is played
    all the same; see `games.why_not_dealt`.
    """
    check_grouping(game)
    hand = dealt(numbers, game)
    most, why = _most_numbers(game, in_order)
    if len(hand) > most:
        raise RefusedError(f"{len(hand)} numbers are too many: a hand has at most {most}; {why}")
    for number in hand:
        if game.join and not 0 <= number <= 9:
            raise RefusedError(f"only single digits can be joined, and {number} is none")
        if number < 0 <= game.numbers[0]:
            known = format_numbers(sorted(set(game.numbers)))
            raise RefusedError(f"{number} cannot be dealt: the numbers of {game.name} are {known}")
    return hand


def _most_numbers(game: Game, in_order: bool) -> tuple[int, str]:
    """Return how many numbers a hand may have, and why not more."""
    if not told_apart(game):
        return 6 if in_order else 5, "six numbers have too many values where none are told apart"
    if game.join and not in_order:
        return 5, "five digits can be joined to 325 numbers already (10 in order, no parentheses)"
    if not in_order or game.parentheses:
        rows = f"{10 if game.join else 12} in order, no parentheses"
        return 6, f"six have 793,002 different expressions already ({rows})"
    any_subset = game.fractions and not game.all_numbers
    if game.join:
        most = 9 if any_subset else 10
        return (
            most,
            "in order, where digits join, there are five times as many expressions with each",
        )
    if any_subset:
        return 10, "in order, with fractions and any subset, twelve have sixty million values"
    return 12, "in order there are four times as many expressions with each number"


def _playable(numbers: Numbers, game: Game, in_order: bool) -> Hand:
    """Return a hand that the game can be played with, where solutions can be told, as it is kept.

    It is sorted where the order does not matter.
    """
    hand = check_hand(numbers, game, in_order=in_order)
    if not told_apart(game):
        others = (each.name for each in game.row_operators if not each.rational)
        name = next(others, "a minus before anything")
        raise RefusedError(
            f"solutions are told apart as rational functions, and {name} is none: "
            f"what {game.name} reaches can be told, each value with one form of it"
        )
    return hand if in_order else tuple(sorted(hand))


def told_apart(game: Game) -> bool:
    """Return whether the solutions of a game can be told apart: as rational functions.

    >>> told_apart(find_game("cards")), told_apart(replace(find_game("cards"), signed=True))
    (True, False)
    """
    return not game.signed and all(operator.rational for operator in game.row_operators)


def check_grouping(game: Game) -> None:
    """Raise ValueError for a game that groups otherwise than precedence and parentheses do."""
    if game.grouping != "standard":
        raise RefusedError(f"{game.name} is for results files and formulas; hands are for crisps")


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
    largest = max(map(_largest, (numerators, denominators)))
    kind: Any = np.int64 if largest * max(abs(p), q) * parts < 2**60 else object
    numerators, denominators = numerators.astype(kind), denominators.astype(kind)
    return abs(numerators * q - p * denominators) * parts // (denominators * q)


def _largest(column: Ints) -> int:
    return max(int(column.max()), -int(column.min()), 1)
