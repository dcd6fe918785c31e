"""Fit the costs of steps to people's times: `python -m tests.difficulty.fit`.

A route is one order of steps from the numbers of a hand to the target. Each route has a row of
features; the cost of a route is the sum of features times costs, in bits. The difficulty of a hand
in bits is -log2 of the sum of 2 ** -cost over its routes, as in the package.

Costs are fitted by least squares (Levenberg-Marquardt) to the normal scores of the mean times, and
judged by cross-validation in `FOLDS` folds with several seeds. The output has Spearman's
correlations, shipped and fitted costs, the correlation without each cost, people's results by
level, and the curve from bits to seconds; `README.md` contains it.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crisps24.hands.costs import COSTS, STEP_FEATURES, log2_size, step_features
from crisps24.rules.games import GAMES, Hand
from crisps24.rules.operators import OPERATORS
from crisps24.rules.ratios import Ratios
from crisps24.solving.effort import DifficultyModel, level_of

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
# A function that computes derivatives by parameter, called only if they are needed.
Slopes = Callable[[], Floats]
# A function from parameters to residuals and their derivatives.
Residuals = Callable[[Floats], tuple[Floats, Slopes]]

GAME = GAMES["cards"]
TARGET = 24
FOLDS = 5
SEEDS = range(6)
# The column of each feature.
COLUMNS = {name: index for index, name in enumerate(COSTS)}
SHIPPED_COSTS = np.array([cost.bits for cost in COSTS.values()], float)
# Weight of the ridge penalty: gives 0 for a cost that the times do not determine, and has almost no
# effect on the others.
RIDGE = 1e-4


class TimedPuzzles(NamedTuple):
    """Solvable hands of four cards with target 24, and the results of the people who tried them."""

    hands: list[Hand]
    seconds: Floats
    """The mean time of the people who solved each hand."""
    solved: Floats
    """The percentage of people who solved each hand."""


@cache
def read_timed_puzzles() -> TimedPuzzles:
    with Path(__file__).with_name("timed-puzzles.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    return TimedPuzzles(
        [tuple(map(int, line["hand"].split())) for line in lines],
        np.array([float(line["mean_seconds"]) for line in lines]),
        np.array([float(line["solved_percent"]) for line in lines]),
    )


class Derivation(NamedTuple):
    """One expression over positions of cards, evaluated for all hands: one entry per hand."""

    values: Ratios
    legal: npt.NDArray[np.bool_]
    features: Floats
    """A row per hand, a column per feature in `COLUMNS`."""


class Routes(NamedTuple):
    """All routes to the target, sorted by hand; equal routes of a hand share one column."""

    features: Floats
    """A row per feature, a column per route."""
    counts: Ints
    """The number of routes that each column stands for."""
    hands: Ints
    """The index of the hand of each column."""
    starts: Ints
    """The first column of each hand."""


@cache
def find_routes(hands: tuple[Hand, ...]) -> Routes:
    """Return all routes to the target; each hand must have a solution."""
    dealt = np.array(hands, np.int64)
    rows: list[Floats] = []
    hand_indices: list[Ints] = []
    for derivation in _derivations(dealt, tuple(range(dealt.shape[1])), {}):
        solved = np.flatnonzero(derivation.legal & (derivation.values == TARGET))
        rows.append(derivation.features[solved])
        hand_indices.append(solved)
    table = np.column_stack([np.concatenate(hand_indices), np.concatenate(rows)])
    distinct, counts = np.unique(table, axis=0, return_counts=True)
    owners = distinct[:, 0].astype(np.int64)
    starts = np.searchsorted(owners, np.arange(len(hands)))
    return Routes(np.ascontiguousarray(distinct[:, 1:].T), counts, owners, starts)


def select_hands(routes: Routes, hands: Ints) -> Routes:
    """Return the routes of the given hands (ascending indices), which are numbered from 0."""
    new_index = np.full(len(routes.starts), -1)
    new_index[hands] = np.arange(len(hands))
    selected = np.flatnonzero(new_index[routes.hands] >= 0)
    owners = new_index[routes.hands[selected]]
    starts = np.searchsorted(owners, np.arange(len(hands)))
    return Routes(routes.features[:, selected], routes.counts[selected], owners, starts)


def _derivations(
    dealt: Ints, positions: tuple[int, ...], memo: dict[tuple[int, ...], list[Derivation]]
) -> Iterator[Derivation]:
    """Yield every expression over the cards at the given positions."""
    if len(positions) == 1:
        column = dealt[:, positions[0]]
        ones = np.ones_like(column)
        yield Derivation(Ratios(column, ones), ones > 0, np.zeros((len(column), len(COLUMNS))))
    is_last = len(positions) == dealt.shape[1]
    for size in range(len(positions) - 1):
        for others in combinations(positions[1:], size):
            left_part = (positions[0], *others)
            right_part = tuple(position for position in positions if position not in left_part)
            for part in (left_part, right_part):
                if part not in memo:
                    memo[part] = list(_derivations(dealt, part, memo))
            for left in memo[left_part]:
                for right in memo[right_part]:
                    yield from _steps(left, right, is_last)


def _steps(left: Derivation, right: Derivation, is_last: bool) -> Iterator[Derivation]:
    """Yield each operation on two expressions, in both orders if the order matters."""
    for name in GAME.operators:
        operator = OPERATORS[name]
        for a, b in [(left, right)] if operator.commutes else [(left, right), (right, left)]:
            results, legal = operator.operate(a.values, b.values, GAME)
            legal = legal & a.legal & b.legal & (results >= 0)
            numerators = np.where(legal, results.numerators, 0)
            denominators = np.where(legal, results.denominators, 1)
            values = Ratios(numerators, denominators).reduced()
            flags = step_features(operator, a.values, b.values, values)
            features = a.features + b.features
            for bit in range(len(STEP_FEATURES)):
                features[:, bit] += flags >> bit & 1
            if not is_last:
                features[:, COLUMNS["size"]] += log2_size(values)
            yield Derivation(values, legal, features)


def difficulty_bits(routes: Routes, costs: Floats) -> tuple[Floats, Slopes]:
    """Return the bits of each hand, up to a constant, and their derivatives by cost."""
    bits = costs @ routes.features
    least = np.minimum.reduceat(bits, routes.starts)
    weights = routes.counts * np.exp2(least[routes.hands] - bits)
    sums = np.add.reduceat(weights, routes.starts)

    def slopes() -> Floats:
        means: Floats = np.add.reduceat(routes.features * weights, routes.starts, axis=1) / sums
        return means.T

    return least - np.log2(sums), slopes


def fit_costs(routes: Routes, scores: Floats, training: Ints, start: Floats) -> Floats:
    """Return the costs whose bits fit the scores of the training hands best, by a line."""
    routes, scores = select_hands(routes, training), scores[training]

    def residuals(parameters: Floats) -> tuple[Floats, Slopes]:
        level, slope, costs = parameters[0], parameters[1], parameters[2:]
        bits, slopes_of_bits = difficulty_bits(routes, costs)
        differences = scores - level - slope * bits

        def slopes() -> Floats:
            by_line = np.stack([np.ones(len(training)), bits], axis=1)
            ridge = np.eye(len(costs), 2 + len(costs), 2) * np.sqrt(RIDGE)
            return np.concatenate([np.concatenate([by_line, slope * slopes_of_bits()], 1), ridge])

        return np.concatenate([differences, -np.sqrt(RIDGE) * costs]), slopes

    slope, level = fit_line(difficulty_bits(routes, start)[0], scores)
    return least_squares(residuals, np.array([level, slope, *start]))[2:]


def least_squares(residuals: Residuals, start: Floats) -> Floats:
    parameters, damping = start, 1e-2
    errors, slopes_of = residuals(parameters)
    slopes = slopes_of()
    for _ in range(100):
        square = slopes.T @ slopes
        damped = square + damping * np.diag(square.diagonal() + 1e-9)
        new_parameters = parameters + np.linalg.solve(damped, slopes.T @ errors)
        new_errors, slopes_of = residuals(new_parameters)
        gain = errors @ errors - new_errors @ new_errors
        if gain > 0:
            parameters, errors = new_parameters, new_errors
        if damping > 1e8 or 0 < gain < 1e-7 * (errors @ errors):
            break
        damping, slopes = (damping / 5, slopes_of()) if gain > 0 else (damping * 4, slopes)
    return parameters


def fit_line(x: Floats, y: Floats) -> tuple[float, float]:
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    return slope, float(y.mean() - slope * x.mean())


def folds(hands: Ints, seed: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield (training hands, test hands) for each of `FOLDS` folds."""
    fold_of_hand = np.random.default_rng(seed).permutation(len(hands)) % FOLDS
    for fold in range(FOLDS):
        yield hands[fold_of_hand != fold], hands[fold_of_hand == fold]


def mean_correlation(routes: Routes, seconds: Floats, without: int | None = None) -> float:
    """Return the mean of Spearman's correlations of cross-validated scores, without a feature."""
    scores, hands = normal_scores(seconds), np.arange(len(seconds))
    columns = [column for column in COLUMNS.values() if column != without]
    routes = routes._replace(features=routes.features[columns])
    correlations, predicted = [], np.zeros(len(scores))
    for seed in SEEDS:
        for training, test in folds(hands, seed):
            costs = fit_costs(routes, scores, training, SHIPPED_COSTS[columns])
            bits = difficulty_bits(routes, costs)[0]
            slope, level = fit_line(bits[training], scores[training])
            predicted[test] = level + slope * bits[test]
        correlations.append(spearman(predicted, seconds))
    return float(np.mean(correlations))


def ranks(values: Floats) -> Floats:
    """Return the ranks of values, from 0; equal values get their mean rank."""
    _, indices, counts = np.unique(values, return_inverse=True, return_counts=True)
    means: Floats = counts.cumsum() - (counts + 1) / 2
    return means[indices]


def spearman(left: Floats, right: Floats) -> float:
    """Return Spearman's rank correlation.

    >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([2.0, 5.0, 99.0]))
    1.0
    """
    return float(np.corrcoef(ranks(left), ranks(right))[0, 1])


def normal_scores(values: Floats) -> Floats:
    quantiles = (ranks(values) + 0.5) / len(values)
    return np.array([NormalDist().inv_cdf(quantile) for quantile in quantiles.tolist()])


def shipped_bits(hands: Sequence[Hand]) -> Floats:
    surprisals = DifficultyModel(GAME, [13] * 4, within=(TARGET, TARGET)).surprisals(hands)
    return np.concatenate([bits for _, bits in surprisals])


def fit_time_curve(bits: Floats, seconds: Floats) -> Floats:
    """Return least, factor and rate of seconds = least + factor * 2 ** (rate * bits).

    The fit minimizes the squares of differences of log(seconds).
    """

    def residuals(parameters: Floats) -> tuple[Floats, Slopes]:
        least, factor, rate = parameters
        power = np.exp2(rate * bits)
        expected = least + factor * power
        slopes = np.stack([np.ones(len(bits)), power, factor * np.log(2) * bits * power], axis=1)
        return np.log(seconds / expected), lambda: slopes / expected[:, None]

    return least_squares(residuals, np.array([5, 0.3, 0.8]))


def print_costs(puzzles: TimedPuzzles) -> None:
    routes, seconds = find_routes(tuple(puzzles.hands)), puzzles.seconds
    fitted = fit_costs(routes, normal_scores(seconds), np.arange(len(seconds)), SHIPPED_COSTS)
    correlations = {
        "the costs as shipped": spearman(shipped_bits(puzzles.hands), seconds),
        f"costs fitted in {FOLDS} folds, {len(SEEDS)} seeds": mean_correlation(routes, seconds),
    }
    print(f"| {len(puzzles.hands):,} hands, {routes.counts.sum():,} routes | Spearman |\n|---|---|")
    print("".join(f"| {name} | {value:.4f} |\n" for name, value in correlations.items()))
    print("| cost | shipped | fitted | without it |\n|---|---|---|---|")
    for name, column in COLUMNS.items():
        without = mean_correlation(routes, seconds, column)
        print(f"| {name} | {SHIPPED_COSTS[column]:+.2f} | {fitted[column]:+.2f} | {without:.4f} |")


def print_levels(puzzles: TimedPuzzles) -> None:
    bits = shipped_bits(puzzles.hands)
    levels = np.array([level_of(hand_bits, GAME) for hand_bits in bits.tolist()])
    print("\n| level | hands | median of the mean seconds | solved |\n|---|---|---|---|")
    for level in range(1, 6):
        mask = levels == level
        seconds, solved = np.median(puzzles.seconds[mask]), puzzles.solved[mask].mean()
        print(f"| {level} | {mask.sum()} | {seconds:.1f} | {solved:.0f} % |")
    least, factor, rate = fit_time_curve(bits, puzzles.seconds).tolist()
    print(f"\nseconds = {least:.2f} + {factor:.3f} * 2 ** ({rate:.3f} * bits)")


if __name__ == "__main__":
    print_costs(read_timed_puzzles())
    print_levels(read_timed_puzzles())
