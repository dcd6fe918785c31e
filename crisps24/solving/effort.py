"""How hard a hand is for people: difficulty in bits, levels from 1 to 5, and mean seconds.

The difficulty is the surprisal of success, -log2(p), for the probability p that a random but
sensible attempt reaches the target. One more bit means that success is half as likely. For a hand:

    bits = log2(arrangements of the hand) - log2(weights of all routes to the target) + size

A route is an order of steps; its weight is 2^-b for a cost of b bits (`hands.costs` has the table
of costs, `hands.by_value` sums the weights). `size` is 1/2 bit for each
doubling of 1 + target; in games with a fixed target it is measured from that target, in the others
from 0. For example, 3 3 8 8 makes 24 only by 8 / (3 - 8 / 3): 10.23 bits, level 5.

The costs were fitted to the mean times that people took for 1,000 hands of four cards (1 to 13) at
24, from the statistics of the 24 game at 4nums.com as kept in princeton-nlp/tree-of-thought-llm
(MIT); `tests/difficulty/` has the data and the fit. For other games and targets the difficulty is
an extrapolation.

The cutoffs of a game are the least bits of levels 2, 3, 4 and 5. For games with a fixed target they
are the 20th, 50th, 75th and 90th percentiles of the 1,362 hands of four cards that make 24. For the
others they are the quintiles of all solvable pairs of hand and target, each distinct hand once.
They come from `crisps24 survey cards --difficulty --by share` and the like, and depend on the
costs.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import log2
from sys import float_info
from typing import Any

import numpy as np

from crisps24.hands.backward import BackwardSearch
from crisps24.hands.by_value import ValueChart
from crisps24.hands.costs import log2_size
from crisps24.hands.goals import bounding_hand
from crisps24.rules.deals import HandLike
from crisps24.rules.exact import Exact
from crisps24.rules.games import GAMES, Game, Hand, playing_rules
from crisps24.rules.queries import HandQuery, target_for
from crisps24.rules.ratios import Column, Floats, exact_values, join_columns
from crisps24.rules.work import DEFAULT_WORK, Budget
from crisps24.solving.work import LIST_VALUES, budget_for, is_small_query, plan_targets

# Bits added when 1 + target doubles.
_BITS_PER_DOUBLING = 0.5
# The weights of routes with numbers of sixty digits underflow a float.
_MIN_WEIGHT = float_info.min

# Mean seconds as a function of bits: offset + factor * 2^(rate * bits), fitted to 1,000 hands by
# `python -m tests.difficulty.fit`.
_TIME_OFFSET, _TIME_FACTOR, _TIME_RATE = 5.4, 0.54, 0.66
# The numbers of the 1,000 hands.
_FITTED_NUMBERS = range(1, 14)


@dataclass(frozen=True, slots=True)
class Difficulty:
    """How hard a target is for people to make from a hand."""

    bits: float
    """How unlikely a sensible attempt is to succeed; one more bit is half as likely.

    A scale, not a probability: it is negative for a hand if nearly all its routes reach the target.
    """
    level: int | None
    """From 1 (easy) to 5; None if the game has no levels: see `level_cutoffs`."""
    seconds: float | None
    """Estimated mean time of people who find a solution.

    None unless times were measured for the game, at its own target, with a hand that it deals."""


class DifficultyModel:
    """Computes the difficulties of hands of one game; hands share the values of common parts."""

    def __init__(
        self,
        game: Game,
        numbers: Sequence[Exact],
        *,
        within: tuple[Exact, Exact] | None = None,
        backward_search: BackwardSearch | None = None,
        budget: Budget | None = None,
    ) -> None:
        """Create a model for hands of at most `numbers`, and for targets `within` two limits.

        With a backward search, only its targets get a difficulty.
        """
        self.game = game
        filter_of = None if backward_search is None else backward_search.filter_for
        # A weighted table has, next to each value, the sum of the weights of its routes.
        options: Any = {"weighted": True, "within": within, "filter_of": filter_of}
        self._chart = ValueChart(game, numbers, **options, budget=budget)
        # A game with changed rules keeps the reference target.
        reference_target = game.original_game.target or 0
        self._reference_bits = _BITS_PER_DOUBLING * log2(1 + max(reference_target, 0))

    def surprisals(self, hands: Sequence[Hand]) -> list[tuple[Column, Floats]]:
        """Return for each hand two columns: the targets that people can make, and bits."""
        # The values of each hand with their weights; a larger weight means an easier target.
        values_by_hand = list(self._chart.weighted_values(hands))
        # Compute the bits of all hands in one column, one hand after the other.
        targets = join_columns([weighted.values for weighted in values_by_hand])
        weights = np.concatenate([weighted.weights for weighted in values_by_hand])
        weight_bits = -np.log2(np.maximum(weights, _MIN_WEIGHT))
        # Add 0.0, so that -0.0 becomes 0.0.
        size_bits = _BITS_PER_DOUBLING * log2_size(targets) - self._reference_bits
        bits = np.round(size_bits + weight_bits, 3) + 0.0
        # Split the columns at the ends of the hands.
        bounds = [0, *accumulate(len(weighted.weights) for weighted in values_by_hand)]
        return [(targets[start:end], bits[start:end]) for start, end in pairwise(bounds)]

    def difficulties(self, hands: Sequence[Hand]) -> Iterator[dict[Exact, Difficulty]]:
        """Yield a mapping of targets to difficulties for each hand, smaller targets first."""
        for hand, (targets, bits) in zip(hands, self.surprisals(hands), strict=True):
            pairs = zip(exact_values(targets), bits.tolist(), strict=True)
            yield difficulties_from_bits(sorted(pairs), hand, self.game)


def difficulty(
    numbers: HandLike,
    target: Exact | None = None,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    work: int | None = DEFAULT_WORK,
) -> Difficulty | None:
    """Return how hard a target is for people to make from a hand.

    Return None if no solution exists, or if every solution has a negative result, as for a negative
    target. A hand of six numbers takes less than a second, one of seven some seconds. Arguments and
    errors are those of `solve`; games with operators without costs, such as powers, are refused.

    >>> difficulty((1, 2, 3, 4), 24, "cards").level
    1
    >>> difficulty((3, 3, 8, 8), 24, "cards").level
    5
    >>> difficulty((1, 1, 1, 1), 24, "cards")
    """
    query = HandQuery.from_arguments(numbers, game, in_order=in_order, work=work)
    return grade(query, target_for(query.game, target))


def grade(query: HandQuery, target: Exact) -> Difficulty | None:
    return grade_targets(query, (target, target), [target]).get(target)


def grade_targets(
    query: HandQuery,
    within: tuple[Exact, Exact] | None = None,
    only: Collection[Exact] | None = None,
) -> dict[Exact, Difficulty]:
    """Return every target that people can make of a hand, with its difficulty, smallest first."""
    if only is None:
        budget, backward_search = budget_for(query, LIST_VALUES), None
    else:
        budget, backward_search = plan_targets(query, only)
    model = DifficultyModel(
        query.effective_game,
        query.numbers,
        within=within,
        backward_search=backward_search,
        budget=budget,
    )
    [graded] = model.difficulties([query.numbers])
    return {target: graded[target] for target in graded if only is None or target in only}


def grade_many(puzzles: Sequence[tuple[HandQuery, Exact]]) -> list[Difficulty | None]:
    """Return the difficulty of each puzzle; the queries must only differ in their hands."""
    if not puzzles:
        return []
    # A search skips some checks if all numbers are above zero. The game of the hand with the
    # smallest number makes all checks that any hand needs, and is valid for the others too.
    lowest, _ = min(puzzles, key=lambda puzzle: min(puzzle[0].hand))
    game = lowest.effective_game
    difficulties: list[Difficulty | None] = [None] * len(puzzles)
    small = [index for index, (query, _) in enumerate(puzzles) if is_small_query(query)]
    # A backward search from one target is cheaper than a table shared by large hands.
    for index in set(range(len(puzzles))).difference(small):
        query, target = puzzles[index]
        difficulties[index] = grade(replace(query, work=None), target)
    if not small:
        return difficulties
    hands = [puzzles[index][0].numbers for index in small]
    targets = [puzzles[index][1] for index in small]
    model = DifficultyModel(game, bounding_hand(hands), within=(min(targets), max(targets)))
    columns = model.surprisals(hands)
    for index, hand, target, (values, bits) in zip(small, hands, targets, columns, strict=True):
        [rows] = np.nonzero(values == target)
        if len(rows):
            pairs = [(target, float(bits[rows[0]]))]
            difficulties[index] = difficulties_from_bits(pairs, hand, game)[target]
    return difficulties


def difficulties_from_bits(
    pairs: Iterable[tuple[Exact, float]], hand: Hand, game: Game
) -> dict[Exact, Difficulty]:
    """Return the difficulty of each target, with level and seconds, from its bits.

    Both are None where no people were measured; in order, there are no levels.
    """
    cutoffs = None if not has_known_costs(hand, game) else level_cutoffs(game)
    original = game.original_game
    is_timed = (
        not game.in_order
        and game.timed
        # The copy is only made of a renamed game: that halves the time of a deal by levels.
        and (game == original or game == replace(original, name=game.name))
        and len(hand) == game.length
        and set(hand) <= set(game.numbers)
    )
    timed_target = game.target if is_timed else None
    difficulties = {}
    for target, bits in pairs:
        seconds = estimate_seconds(bits) if target == timed_target else None
        difficulties[target] = Difficulty(bits, _level(bits, cutoffs), seconds)
    return difficulties


def difficulty_of_nearest(difficulty: Difficulty) -> Difficulty:
    return replace(difficulty, level=None, seconds=None)


def has_known_costs(numbers: Iterable[Exact], game: Game) -> bool:
    """Return whether all numbers are 1 to 13, whose costs were fitted, or in the cutoffs."""
    known = game.original_game.numbers if game.cutoffs else ()
    return all(n in _FITTED_NUMBERS or (isinstance(n, int) and n in known) for n in numbers)


def level_of(bits: float, game: Game) -> int | None:
    """Return the level (1 to 5) of a difficulty in bits, or None if the game has no levels."""
    return _level(bits, level_cutoffs(game))


def _level(bits: float, cutoffs: tuple[float, ...] | None) -> int | None:
    return None if cutoffs is None else bisect_right(cutoffs, bits) + 1


def level_cutoffs(game: Game) -> tuple[float, ...] | None:
    """Return the four limits in bits between the five levels of a game, or None if it has none.

    Those of a game hold for its copies with other rules, length or target, since bits measure how
    hard a solution is for people in any game. A game without cutoffs has those of a game with the
    same rules of play if both have a fixed target. All numbers must be from 1 to 13, or dealt by
    the game that has the cutoffs.

    >>> level_cutoffs(replace(GAMES["cards"], fractions=False))
    (1.7, 3.9, 5.6, 7.1)
    >>> print(level_cutoffs(GAMES["fractions24"]))
    None
    """
    if game.in_order or not has_known_costs(game.numbers, game):
        return None
    if game.cutoffs or game.target is None:
        return game.cutoffs or None
    rules = playing_rules(game)
    levelled = (other for other in GAMES.values() if other.cutoffs and other.target is not None)
    return next((other.cutoffs for other in levelled if rules == playing_rules(other)), None)


def estimate_seconds(bits: float) -> float:
    """Return the mean seconds that people take for a puzzle of the 24 game, to 1 decimal."""
    seconds = _TIME_OFFSET + _TIME_FACTOR * 2 ** (_TIME_RATE * bits)
    return round(seconds, 1)
