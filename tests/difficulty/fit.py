"""Fit the step costs to people's times again: `python -m tests.difficulty.fit`.

Every route of every timed hand is a row of its features, and bits are made of the rows as the
package makes them. Costs are fitted to the ranks of the mean times (their normal scores), in five
folds, with several seeds: each puzzle is judged by costs that have not seen it. Printed are the
costs, fitted and shipped, with what is left of Spearman's correlation without each of them, and
the estimate of seconds from bits. With `--log times.jsonl`, which `crisps24 play` wrote, one
player's own times are beside those of all, at the pace of all.
"""

from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crisps24.hands.costs import (
    COSTS,
    NOT_IN_THE_LAST,
    STEP,
    lure_bits,
    size_of,
    step_features,
)
from crisps24.hands.effort import Efforts, estimated, level_of
from crisps24.rules.games import GAMES, Hand
from crisps24.rules.operators import OPERATORS
from crisps24.rules.ratios import Ratios
from tests.difficulty.timed import Floats, Timed, beside, logged, ranks, spearman, timed

Ints = npt.NDArray[np.int64]
# What is left of the targets and what changes it, by parameter: residuals and their slopes.
Errors = Callable[[Floats], tuple[Floats, Floats]]

GAME = GAMES["cards"]
TARGET = 24
FOLDS = 5
SEEDS = range(6)
NAMES = tuple(COSTS)
SIZE, LURE = NAMES.index("size"), NAMES.index("lure")
SHIPPED = np.array([cost.bits for cost in COSTS.values()], float)
# Where the times say nothing a cost is 0; elsewhere this decides nothing.
PULL = 1e-4


class Ways(NamedTuple):
    """One order of work, done on all hands at once: columns."""

    values: Ratios
    legal: npt.NDArray[np.bool_]
    features: Floats
    """A column for each of `NAMES`."""


class Routes(NamedTuple):
    """All routes to the target: a row each, those of a hand together."""

    features: Floats
    hands: Ints
    """Of which hand each is."""
    starts: Ints
    """Where those of each hand begin."""


def routes_of(hands: Sequence[Hand]) -> Routes:
    """Find every route to the target, of hands that all have one."""
    dealt = np.array(hands, np.int64)
    lures = lure_bits(dealt, np.full(len(hands), TARGET)) / COSTS["lure"].bits
    rows: list[Floats] = []
    which: list[Ints] = []
    cards = tuple(range(dealt.shape[1]))
    for ways in _made_of(dealt, cards, {}):
        hits = np.flatnonzero(ways.legal & (ways.values == TARGET))
        rows.append(ways.features[hits])
        rows[-1][:, LURE] = lures[hits]
        which.append(hits)
    owners = np.concatenate(which)
    order = np.argsort(owners, kind="stable")
    starts = np.searchsorted(owners[order], np.arange(len(hands)))
    return Routes(np.concatenate(rows)[order], owners[order], starts)


def _made_of(
    dealt: Ints, cards: tuple[int, ...], known: dict[tuple[int, ...], list[Ways]]
) -> Iterator[Ways]:
    """Yield every order of work with some of the cards, which are told apart by their places."""
    if len(cards) == 1:
        column = dealt[:, cards[0]]
        ones = np.ones_like(column)
        yield Ways(Ratios(column, ones), ones > 0, np.zeros((len(column), len(NAMES))))
    last = len(cards) == dealt.shape[1]
    for size in range(len(cards) - 1):
        for others in combinations(cards[1:], size):
            left = (cards[0], *others)
            right = tuple(card for card in cards if card not in left)
            for part in (left, right):
                if part not in known:
                    known[part] = list(_made_of(dealt, part, known))
            for some in known[left]:
                for rest in known[right]:
                    yield from _steps(some, rest, last)


def _steps(left: Ways, right: Ways, last: bool) -> Iterator[Ways]:
    """Yield what two orders of work make in one step more."""
    for name in GAME.operators:
        operator = OPERATORS[name]
        for a, b in [(left, right)] if operator.commutes else [(left, right), (right, left)]:
            made, legal = operator.operate(a.values, b.values, GAME)
            legal = legal & a.legal & b.legal & (made >= 0)
            parts = np.where(legal, made.numerators, 0), np.where(legal, made.denominators, 1)
            values = Ratios(*parts).reduced()
            flags = step_features(operator, a.values, b.values, values)
            features = a.features + b.features
            for place, feature in enumerate(STEP):
                if not (last and feature in NOT_IN_THE_LAST):
                    features[:, place] += flags >> place & 1
            if not last:
                features[:, SIZE] += size_of(values)
            yield Ways(values, legal, features)


def bits_of(routes: Routes, costs: Floats) -> tuple[Floats, Floats]:
    """Return bits by hand, but for a constant, and their slopes by cost."""
    bits = routes.features @ costs
    least = np.minimum.reduceat(bits, routes.starts)
    weights = np.exp2(least[routes.hands] - bits)
    sums = np.add.reduceat(weights, routes.starts)
    slopes = np.add.reduceat(routes.features * weights[:, None], routes.starts) / sums[:, None]
    return least - np.log2(sums), slopes


def fitted(routes: Routes, scores: Floats, seen: Ints, start: Floats) -> Floats:
    """Return the costs that fit the scores of some hands best, in bits that fit a line."""

    def errors(parameters: Floats) -> tuple[Floats, Floats]:
        level, slope, costs = parameters[0], parameters[1], parameters[2:]
        bits, slopes = bits_of(routes, costs)
        bits, slopes = bits[seen], slopes[seen]
        left = scores[seen] - level - slope * bits
        by_line = np.stack([np.ones(len(seen)), bits], axis=1)
        pulled = np.concatenate([left, -np.sqrt(PULL) * costs])
        pull = np.concatenate([np.zeros((len(costs), 2)), np.eye(len(costs)) * np.sqrt(PULL)], 1)
        return pulled, np.concatenate([np.concatenate([by_line, slope * slopes], 1), pull])

    slope, level = np.polyfit(bits_of(routes, start)[0][seen], scores[seen], 1)
    return least_squares(errors, np.array([level, slope, *start]))[2:]


def least_squares(errors: Errors, start: Floats) -> Floats:
    """Return the parameters with the least squares of errors, by Levenberg and Marquardt."""
    found, damping = start, 1e-2
    left, slopes = errors(found)
    for _ in range(100):
        square = slopes.T @ slopes
        damped = square + damping * np.diag(square.diagonal() + 1e-9)
        there = found + np.linalg.solve(damped, slopes.T @ left)
        left_there, slopes_there = errors(there)
        gain = left @ left - left_there @ left_there
        if gain > 0:
            found, left, slopes, damping = there, left_there, slopes_there, damping / 5
        else:
            damping *= 4
        if damping > 1e8 or 0 < gain < 1e-7 * (left @ left):
            break
    return found


def unseen(routes: Routes, scores: Floats, seed: int, without: Sequence[int] = ()) -> Floats:
    """Return scores of each hand by costs that were fitted to the other folds."""
    features = np.delete(routes.features, without, axis=1)
    routes = routes._replace(features=features)
    start = np.delete(SHIPPED, without)
    folds = np.random.default_rng(seed).permutation(len(scores)) % FOLDS
    judged = np.zeros(len(scores))
    for fold in range(FOLDS):
        others = np.flatnonzero(folds != fold)
        bits = bits_of(routes, fitted(routes, scores, others, start))[0]
        slope, level = np.polyfit(bits[others], scores[others], 1)
        judged[folds == fold] = (level + slope * bits)[folds == fold]
    return judged


def normal_scores(values: Floats) -> Floats:
    """Return the values' ranks as places on the normal curve."""
    share = (ranks(values) + 0.5) / len(values)
    return np.array([NormalDist().inv_cdf(each) for each in share.tolist()])


def held_out(
    routes: Routes, seconds: Floats, without: Sequence[int] = (), seeds: Sequence[int] = SEEDS
) -> float:
    """Return Spearman's correlation with puzzles that the costs have not seen, over the seeds."""
    scores = normal_scores(seconds)
    return float(
        np.mean([spearman(unseen(routes, scores, seed, without), seconds) for seed in seeds])
    )


def shipped_bits(hands: Sequence[Hand]) -> Floats:
    """Return the bits that the package tells."""
    found = Efforts(GAME, [13] * 4, within=(TARGET, TARGET)).bits(hands)
    return np.concatenate([bits for _, bits in found])


def time_curve(bits: Floats, seconds: Floats) -> Floats:
    """Return least, factor and rate of seconds = least + factor * 2 ** (rate * bits).

    They are fitted to the logarithms of seconds.
    """

    def errors(parameters: Floats) -> tuple[Floats, Floats]:
        least, factor, rate = parameters
        power = np.exp2(rate * bits)
        told = least + factor * power
        slopes = np.stack([np.ones(len(bits)), power, factor * np.log(2) * bits * power], axis=1)
        return np.log(seconds / told), slopes / told[:, None]

    return least_squares(errors, np.array([5, 0.3, 0.8]))


def tell_costs(told: Timed) -> None:
    """Print the costs, and what is left without each."""
    routes = routes_of(told.hands)
    scores = normal_scores(told.seconds)
    every = fitted(routes, scores, np.arange(len(scores)), SHIPPED)
    shipped = spearman(shipped_bits(told.hands), told.seconds)
    print(f"{len(told.hands):,} hands, {len(routes.hands):,} routes")
    print(f"Spearman, costs as shipped: {shipped:.4f}")
    print(f"Spearman, fitted in {FOLDS} folds, {len(SEEDS)} seeds:", end=" ")
    print(f"{held_out(routes, told.seconds):.4f}\n")
    print("| cost | shipped | fitted | without it |\n|---|---|---|---|")
    for place, name in enumerate(NAMES):
        left = held_out(routes, told.seconds, [place])
        print(f"| {name} | {SHIPPED[place]:+.2f} | {every[place]:+.2f} | {left:.4f} |")


def tell_levels(told: Timed) -> None:
    """Print what people did with the puzzles of each level, and the estimate of their times."""
    bits = shipped_bits(told.hands)
    levels = np.array([level_of(each, GAME) for each in bits.tolist()])
    print("\n| level | hands | median of the mean seconds | solved |\n|---|---|---|---|")
    for level in range(1, 6):
        of = levels == level
        seconds, solved = np.median(told.seconds[of]), told.solved[of].mean()
        print(f"| {level} | {of.sum()} | {seconds:.1f} | {solved:.0f} % |")
    least, factor, rate = time_curve(bits, told.seconds).tolist()
    print(f"\nseconds = {least:.2f} + {factor:.3f} * 2 ** ({rate:.3f} * bits)")


def told_with(log: Path | None) -> Timed:
    """Return the timed puzzles, with those of a log beside them; print how these agree."""
    reference = timed()
    if log is None:
        return reference
    with log.open(encoding="utf-8") as lines:
        own = logged(lines)
    print(f"{len(own.hands):,} hands of {log.name}")
    if not own.hands:
        return reference
    bits = shipped_bits(own.hands)
    if len(own.hands) > 2:
        print(f"Spearman, costs as shipped, of these alone: {spearman(bits, own.seconds):.4f}")
    return beside(reference, own, np.array([estimated(each) for each in bits.tolist()]))


def main(argv: Sequence[str] | None = None) -> None:
    """Fit, and print what is found."""
    parser = ArgumentParser(description="Fit the step costs to people's times.")
    parser.add_argument("--log", type=Path, help="times.jsonl of crisps24 play, beside the others")
    try:
        told = told_with(parser.parse_args(argv).log)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    tell_costs(told)
    tell_levels(told)


if __name__ == "__main__":
    main()
