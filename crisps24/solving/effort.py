"""How hard a hand is for people: bits, and levels from 1 to 5.

A hand is as hard as a random, sensible try is unlikely to succeed: its bits are log2 of the
arrangements of the hand, minus log2 of the weights of all routes to the target together (`costs`
has the table, `by_value` the recursion). The costs were fitted to the mean
times that people took for 1,000 hands of four cards (1 to 13) at 24, from the statistics of the
24 game at 4nums.com as kept in princeton-nlp/tree-of-thought-llm (MIT); `tests/difficulty/` has
the data and the fit. Other games and other targets are carried over, not measured.

Owns what is added to the bits beside the routes, the levels, and the estimate in seconds. What is
added: a larger target is harder, by 1/2 bit each time that 1 + target doubles. In a game with a
target of its own that is counted from this target, so that its bits and cut-offs are those of the
puzzle that is played; in the others from 0.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise
from math import log2
from sys import float_info
from typing import Any, NamedTuple

import numpy as np

from crisps24.hands.backward import BackwardSearch
from crisps24.hands.by_value import ValueChart
from crisps24.hands.costs import log2_size
from crisps24.hands.goals import bounding_hand
from crisps24.rules.deals import HandLike
from crisps24.rules.exact import Exact, to_exact
from crisps24.rules.games import GAMES, Game, Hand, playing_rules
from crisps24.rules.queries import HandQuery
from crisps24.rules.ratios import Column, Floats, exact_values, join_columns
from crisps24.rules.work import DEFAULT_WORK, Budget
from crisps24.solving.work import LIST_VALUES, budget_for, is_small_query, plan_targets

# The bits from which levels 2, 3, 4 and 5 begin. Where a game has a target of its own: the 20th,
# 50th, 75th and 90th percentile of the 1,362 hands of four cards that make 24. The others: fifths
# of all solvable pairs of hand and target, each distinct hand once. Found by
# `crisps24 survey cards --difficulty --by share` and the like, from the costs as they are; new
# costs need new ones.
OWN_TARGET = (1.7, 3.9, 5.6, 7.1)
DEALT_TARGET = {
    "numble": (11.0, 13.8, 16.2, 19.0),
    "countdown": (10.9, 13.8, 16.4, 19.3),
    "krypto": (1.9, 4.0, 6.0, 8.6),
}

# More targets than these are found in one pass.
_FEW_TARGETS = 3
# What it costs that 1 + target is twice as large.
_TARGET_SIZE = 0.5
_LEAST_WEIGHT = float_info.min


class _Times(NamedTuple):
    """Mean seconds as `least` + `factor` times 2 to `rate` times bits."""

    least: float
    factor: float
    rate: float


# Fitted to the 1,000 hands by `python -m tests.difficulty.fit`, for the games they were played in.
_TIMES = _Times(5.4, 0.54, 0.66)
_TIMED = ("cards", "digits")


@dataclass(frozen=True, slots=True)
class Difficulty:
    """How hard a target is for people to make from a hand."""

    bits: float
    """How unlikely a sensible attempt is to succeed; one more bit is half as likely.

    A scale, not a probability: a hand of which nearly all ways lead to the target is below 0.
    """
    level: int | None
    """From 1 (easy) to 5; None if the game has no levels: see `level_cutoffs`."""
    seconds: float | None
    """Estimated mean time of people who find a solution; None for games without measured times."""


class DifficultyModel:
    """The difficulties of hands of one game, which share what their sub-hands make."""

    def __init__(
        self,
        game: Game,
        numbers: Sequence[int],
        *,
        in_order: bool = False,
        within: tuple[Exact, Exact] | None = None,
        useful: BackwardSearch | None = None,
        budget: Budget | None = None,
    ) -> None:
        """Begin with nothing known.

        `numbers` are those of a hand, or the largest that a hand may have; `within` limits the
        targets, first and last, which is less work, and so does what is `useful`. `budget`
        limits all of it.
        """
        self.game = game
        self.in_order = in_order
        among = None if useful is None else useful.filter_for
        how: Any = {"weighted": True, "within": within, "filter_of": among, "budget": budget}
        self._routes = ValueChart(game, numbers, in_order, **how)
        # A changed game is counted as the one it was made from.
        self._own = GAMES.get(game.name, game).target

    def surprisals(self, hands: Sequence[Hand]) -> list[tuple[Column, Floats]]:
        """Return the targets of each hand and their bits: columns, in no particular order.

        A hand is one that the game can have, sorted where the order does not matter.
        """
        found = list(self._routes.weighted_values(hands))
        counts = [len(routes.weights) for routes in found]
        targets = join_columns([routes.values for routes in found])
        # The weight of numbers of sixty digits is nothing that a float can hold.
        sums = np.maximum(np.concatenate([routes.weights for routes in found]), _LEAST_WEIGHT)
        bits = np.round(self._beside(targets) - np.log2(sums), 3) + 0.0
        ends = [0, *accumulate(counts)]
        return [(targets[i:j], bits[i:j]) for i, j in pairwise(ends)]

    def difficulties(self, hands: Sequence[Hand]) -> Iterator[dict[Exact, Difficulty]]:
        """Yield the difficulty of every target of each hand, smaller targets first."""
        for hand, (targets, bits) in zip(hands, self.surprisals(hands), strict=True):
            found = zip(exact_values(targets), bits.tolist(), strict=True)
            yield difficulties_from_bits(sorted(found), hand, self.game, in_order=self.in_order)

    def _beside(self, targets: Column) -> Floats:
        """Return what makes targets harder beside the routes to them."""
        size = _TARGET_SIZE * log2_size(targets)
        if self._own is None:
            return size
        return size - _TARGET_SIZE * log2(1 + max(self._own, 0))


def difficulty(
    numbers: HandLike,
    target: Exact,
    game: Game | str = "crisps",
    *,
    in_order: bool = False,
    work: int | None = DEFAULT_WORK,
) -> Difficulty | None:
    """Return how hard a target is for people to make from a hand.

    None where there is no solution, or none but by results below zero. `in_order` keeps the
    numbers in the order given. `work` is how many pairs of values may be looked at, None for any.

    >>> difficulty((1, 2, 3, 4), 24, "cards").level
    1
    >>> difficulty((3, 3, 8, 8), 24, "cards").level
    5
    >>> difficulty((1, 1, 1, 1), 24, "cards")

    Raises ValueError for a hand that the game cannot have, see `HandQuery`, and for more
    work than is allowed.
    """
    return grade(HandQuery.of(numbers, game, in_order=in_order, work=work), to_exact(target))


def grade(query: HandQuery, target: Exact) -> Difficulty | None:
    """Return how hard it is to make a target of a query, as `difficulty` does."""
    return grade_targets(query, (target, target), [target]).get(target)


def grade_targets(
    query: HandQuery,
    within: tuple[Exact, Exact] | None = None,
    only: Collection[Exact] | None = None,
) -> dict[Exact, Difficulty]:
    """Return every target that people can make of a query, with how hard it is: one pass for all.

    `within` limits the targets, first and last, which is less work, and `only` names them, which is
    the least for large hands.

    >>> graded = grade_targets(HandQuery.of((2, 3), "crisps"))
    >>> {target: difficulty.level for target, difficulty in graded.items()}
    {1: 1, 5: 1, 6: 1}
    """
    budget, useful = (
        (budget_for(query, LIST_VALUES), None) if only is None else plan_targets(query, only)
    )
    how: Any = {"in_order": query.in_order, "within": within, "useful": useful, "budget": budget}
    [found] = DifficultyModel(query.rules, query.numbers, **how).difficulties([query.numbers])
    return {target: each for target, each in found.items() if only is None or target in only}


def grade_many(asked: Sequence[tuple[HandQuery, Exact]]) -> list[Difficulty | None]:
    """Return how hard queries that differ only in their hands are, with a target each.

    Hands share what their sub-hands make.

    >>> hands = [HandQuery.of(hand, "cards") for hand in ((1, 2, 3, 4), (3, 3, 8, 8))]
    >>> [found.level for found in grade_many([(hand, 24) for hand in hands]) if found]
    [1, 5]
    """
    if not asked:
        return []
    # The rules for the least number hold for the others.
    lowest, _ = min(asked, key=lambda each: min(each[0].hand))
    game, in_order = lowest.rules, lowest.in_order
    places: dict[Exact, list[int]] = {}
    found: list[Difficulty | None] = [None] * len(asked)
    for place, (query, target) in enumerate(asked):
        if is_small_query(query):
            places.setdefault(target, []).append(place)
        else:
            # To go back from its target is less work than any that it shares.
            found[place] = grade(replace(query, work=None), target)
    groups = [(target, target, which) for target, which in places.items()]
    if len(groups) > _FEW_TARGETS:
        # One pass gives every target of a hand.
        groups = [(min(places), max(places), sorted(chain(*places.values())))]
    for least, most, which in groups:
        hands = [asked[place][0].numbers for place in which]
        efforts = DifficultyModel(
            game, bounding_hand(hands), in_order=in_order, within=(least, most)
        )
        for place, hand, (targets, bits) in zip(
            which, hands, efforts.surprisals(hands), strict=True
        ):
            target = asked[place][1]
            [rows] = np.nonzero(targets == target)
            if len(rows):
                told = [(target, float(bits[rows[0]]))]
                found[place] = difficulties_from_bits(told, hand, game, in_order=in_order)[target]
    return found


def difficulties_from_bits(
    found: Iterable[tuple[Exact, float]], hand: Hand, game: Game, *, in_order: bool = False
) -> dict[Exact, Difficulty]:
    """Return the difficulty of targets of a hand, each with the bits that it takes.

    >>> difficulties_from_bits([(24, 5.0)], (1, 2, 3, 4), GAMES["cards"])
    {24: Difficulty(bits=5.0, level=3, seconds=10.7)}
    """
    cuts = None if in_order else level_cutoffs(game)
    timed = game.target if not in_order and _is_timed(hand, game) else None
    return {
        target: Difficulty(
            bits, _level(bits, cuts), estimate_seconds(bits) if target == timed else None
        )
        for target, bits in found
    }


def difficulty_of_nearest(found: Difficulty) -> Difficulty:
    """Return how hard it is to come near a target that cannot be made, by what is made then.

    What is impossible has bits, those of the nearest value, and no level.

    >>> difficulty_of_nearest(Difficulty(5.0, 3, 10.4))
    Difficulty(bits=5.0, level=None, seconds=None)
    """
    return replace(found, level=None, seconds=None)


def _is_timed(hand: Hand, game: Game) -> bool:
    """Return whether people were timed at such hands, at the game's own target."""
    as_it_stands = game.name in _TIMED and game == GAMES[game.name]
    return as_it_stands and len(hand) == game.length and set(hand) <= set(game.numbers)


def level_of(bits: float, game: Game) -> int | None:
    """Return the level of so many bits in a game, or None where it has none.

    >>> level_of(0.5, GAMES["cards"]), level_of(20, GAMES["cards"])
    (1, 5)
    """
    return _level(bits, level_cutoffs(game))


def _level(bits: float, cuts: tuple[float, ...] | None) -> int | None:
    return None if cuts is None else bisect_right(cuts, bits) + 1


def level_cutoffs(game: Game) -> tuple[float, ...] | None:
    """Return the bits from which levels 2 to 5 of a game begin, or None where it has no levels.

    They are those of the operators and rules that a game came with: with others it has bits alone.
    Other numbers, more of them, and other targets keep them. A game of one's own has them where it
    has a target, and the rules of a game that has one.

    >>> level_cutoffs(replace(GAMES["cards"], length=5)) == level_cutoffs(GAMES["cards"])
    True
    >>> level_cutoffs(replace(GAMES["cards"], operators=("-", "+")))
    """
    named = GAMES.get(game.name)
    if named is not None:
        known = game is named or playing_rules(game) == playing_rules(named)
        return DEALT_TARGET.get(game.name, OWN_TARGET) if known else None
    rules = [playing_rules(each) for each in GAMES.values() if each.target is not None]
    return None if game.target is None or playing_rules(game) not in rules else OWN_TARGET


def estimate_seconds(bits: float) -> float:
    """Return about how many seconds people take on average at a puzzle of the 24 game.

    >>> estimate_seconds(0) < estimate_seconds(5) < estimate_seconds(10)
    True
    """
    return round(_TIMES.least + _TIMES.factor * 2 ** (_TIMES.rate * bits), 1)
