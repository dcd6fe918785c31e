"""Fit the step costs to people's times again: `python -m tests.difficulty.fit`.

Every route of every timed hand is a row of its features, and bits are made of the rows as the
package makes them. Costs are fitted to the ranks of the mean times (their normal scores), in five
folds, with several seeds: each puzzle is judged by costs that have not seen it. In nested folds
it is also chosen without it which of the `candidates` are added. Printed are Spearman's
correlations, the costs, fitted and shipped, with what is left without each of them, what people did
at each level, and the estimate of seconds from bits: `README.md` has it all. With
`--log times.jsonl`, which `crisps24 play` wrote, one player's own times are beside those of all, at
the pace of all.
"""

from argparse import ArgumentParser
from collections import Counter
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
from crisps24.solving.effort import DifficultyModel, estimate_seconds, level_of
from tests.difficulty.candidates import OF_HANDS, OF_STEPS, TARGET
from tests.difficulty.timed import Floats, Timed, beside, logged, ranks, spearman, timed

Ints = npt.NDArray[np.int64]
# The slopes of something by parameter, worked out where they are asked for.
Slopes = Callable[[], Floats]
# What is left of the targets and what changes it, by parameter: residuals and their slopes.
Errors = Callable[[Floats], tuple[Floats, Slopes]]
# Which features are used.
Columns = tuple[int, ...]

GAME = GAMES["cards"]
FOLDS = 5
SEEDS = range(6)
# So much has each feature to gain that is added, of which there are so many at most.
GAIN, MOST_ADDED = 0.005, 2
NAMES = tuple(COSTS)
CANDIDATES = (*OF_STEPS, *OF_HANDS)
# The columns of features: those of the costs, then the candidates.
COLUMNS = {name: place for place, name in enumerate([*NAMES, *CANDIDATES])}
OWN = tuple(range(len(NAMES)))
SHIPPED = np.array([cost.bits for cost in COSTS.values()], float)
# Where a fit begins.
_START = np.concatenate([SHIPPED, np.full(len(CANDIDATES), 0.01)])
# Where the times say nothing a cost is 0; elsewhere this decides nothing.
PULL = 1e-4


class Ways(NamedTuple):
    """One order of work, done on all hands at once: columns."""

    values: Ratios
    legal: npt.NDArray[np.bool_]
    features: Floats
    """A column for each of `COLUMNS`."""


class Routes(NamedTuple):
    """All routes to the target: a column for those of a hand that are alike, its own together."""

    features: Floats
    """A row for each of `COLUMNS`, or for some of them."""
    times: Ints
    """How many routes each column is."""
    hands: Ints
    """Of which hand each is."""
    starts: Ints
    """Where those of each hand begin."""


@cache
def routes_of(hands: tuple[Hand, ...]) -> Routes:
    """Find every route to the target, of hands that all have one."""
    dealt = np.array(hands, np.int64)
    rows: list[Floats] = []
    which: list[Ints] = []
    cards = tuple(range(dealt.shape[1]))
    for ways in _made_of(dealt, cards, {}):
        hits = np.flatnonzero(ways.legal & (ways.values == TARGET))
        rows.append(ways.features[hits])
        for name, count in OF_HANDS.items():
            rows[-1][:, COLUMNS[name]] = count(dealt)[hits]
        which.append(hits)
    every = np.column_stack([np.concatenate(which), np.concatenate(rows)])
    unlike, times = np.unique(every, axis=0, return_counts=True)
    owners = unlike[:, 0].astype(np.int64)
    starts = np.searchsorted(owners, np.arange(len(hands)))
    return Routes(np.ascontiguousarray(unlike[:, 1:].T), times, owners, starts)


def with_columns(routes: Routes, columns: Columns) -> Routes:
    """Return routes with some of their features alone."""
    return routes._replace(features=routes.features[list(columns)])


def routes_among(routes: Routes, some: Ints) -> Routes:
    """Return the routes of some hands alone, which are in order."""
    place = np.full(len(routes.starts), -1)
    place[some] = np.arange(len(some))
    kept = np.flatnonzero(place[routes.hands] >= 0)
    hands = place[routes.hands[kept]]
    starts = np.searchsorted(hands, np.arange(len(some)))
    return Routes(routes.features[:, kept], routes.times[kept], hands, starts)


def _made_of(
    dealt: Ints, cards: tuple[int, ...], known: dict[tuple[int, ...], list[Ways]]
) -> Iterator[Ways]:
    """Yield every order of work with some of the cards, which are told apart by their places."""
    if len(cards) == 1:
        column = dealt[:, cards[0]]
        ones = np.ones_like(column)
        yield Ways(Ratios(column, ones), ones > 0, np.zeros((len(column), len(COLUMNS))))
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
            for place in range(len(STEP_FEATURES)):
                features[:, place] += flags >> place & 1
            if not last:
                features[:, COLUMNS["size"]] += log2_size(values)
            for name, (has, where) in OF_STEPS.items():
                if last in where:
                    features[:, COLUMNS[name]] += legal & has(operator, a.values, b.values)
            yield Ways(values, legal, features)


def bits_of(routes: Routes, costs: Floats) -> tuple[Floats, Slopes]:
    """Return bits by hand, but for a constant, and their slopes by cost."""
    bits = costs @ routes.features
    least = np.minimum.reduceat(bits, routes.starts)
    weights = routes.times * np.exp2(least[routes.hands] - bits)
    sums = np.add.reduceat(weights, routes.starts)

    def slopes() -> Floats:
        weighted = np.add.reduceat(routes.features * weights, routes.starts, axis=1)
        found: Floats = weighted / sums
        return found.T

    return least - np.log2(sums), slopes


def fitted(routes: Routes, scores: Floats, seen: Ints, start: Floats) -> Floats:
    """Return the costs that fit the scores of some hands best, in bits that fit a line."""
    routes, scores = routes_among(routes, seen), scores[seen]

    def errors(parameters: Floats) -> tuple[Floats, Slopes]:
        level, slope, costs = parameters[0], parameters[1], parameters[2:]
        bits, slopes_of_bits = bits_of(routes, costs)
        left = scores - level - slope * bits

        def slopes() -> Floats:
            by_line = np.stack([np.ones(len(seen)), bits], axis=1)
            pull = np.eye(len(costs), 2 + len(costs), 2) * np.sqrt(PULL)
            return np.concatenate([np.concatenate([by_line, slope * slopes_of_bits()], 1), pull])

        return np.concatenate([left, -np.sqrt(PULL) * costs]), slopes

    slope, level = line_through(bits_of(routes, start)[0], scores)
    return least_squares(errors, np.array([level, slope, *start]))[2:]


def least_squares(errors: Errors, start: Floats) -> Floats:
    """Return the parameters with the least squares of errors, by Levenberg and Marquardt."""
    found, damping = start, 1e-2
    left, slopes_of = errors(found)
    slopes = slopes_of()
    for _ in range(100):
        square = slopes.T @ slopes
        damped = square + damping * np.diag(square.diagonal() + 1e-9)
        there = found + np.linalg.solve(damped, slopes.T @ left)
        left_there, slopes_of = errors(there)
        gain = left @ left - left_there @ left_there
        if gain > 0:
            found, left = there, left_there
        if damping > 1e8 or 0 < gain < 1e-7 * (left @ left):
            break
        damping, slopes = (damping / 5, slopes_of()) if gain > 0 else (damping * 4, slopes)
    return found


def line_through(places: Floats, values: Floats) -> tuple[float, float]:
    """Return slope and level of the line with the least squares of errors."""
    apart = places - places.mean()
    slope = float(apart @ values / (apart @ apart))
    return slope, float(values.mean() - slope * places.mean())


def folds(among: Ints, seed: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield some hands in two, `FOLDS` times: those that a fit sees, and those that it does not."""
    of = np.random.default_rng(seed).permutation(len(among)) % FOLDS
    for fold in range(FOLDS):
        yield among[of != fold], among[of == fold]


def judged(routes: Routes, scores: Floats, seen: Ints, others: Ints, columns: Columns) -> Floats:
    """Return scores of other hands by costs of some columns that were fitted to those seen."""
    routes = with_columns(routes, columns)
    bits = bits_of(routes, fitted(routes, scores, seen, _START[list(columns)]))[0]
    slope, level = line_through(bits[seen], scores[seen])
    found: Floats = level + slope * bits[others]
    return found


def unseen(routes: Routes, scores: Floats, seed: int, columns: Columns, among: Ints) -> Floats:
    """Return scores of some hands, each by costs that were fitted to the other folds of them."""
    found = np.zeros(len(scores))
    for seen, others in folds(among, seed):
        found[others] = judged(routes, scores, seen, others, columns)
    return found[among]


def chosen(routes: Routes, scores: Floats, seen: Ints) -> Columns:
    """Return the columns that some hands alone would choose: those shipped, and what each gains."""

    def told(columns: Columns) -> float:
        return spearman(unseen(routes, scores, 0, columns, seen), scores[seen])

    columns, least = OWN, told(OWN) + GAIN
    while len(columns) < len(OWN) + MOST_ADDED:
        more = [(*columns, at) for at in COLUMNS.values() if at not in columns]
        found, best = max((told(each), each) for each in more)
        if found < least:
            break
        columns, least = best, found + GAIN
    return columns


def nested(
    routes: Routes, seconds: Floats, seeds: Sequence[int] = SEEDS
) -> tuple[float, Counter[str]]:
    """Return Spearman's correlation where the features too are chosen without the hands judged.

    And how many folds of all have chosen each of the candidates.
    """
    scores, picked = normal_scores(seconds), Counter[str]()
    found = []
    for seed in seeds:
        told = np.zeros(len(scores))
        for seen, others in folds(np.arange(len(scores)), seed):
            columns = chosen(routes, scores, seen)
            picked.update(name for name in CANDIDATES if COLUMNS[name] in columns)
            told[others] = judged(routes, scores, seen, others, columns)
        found.append(spearman(told, seconds))
    return float(np.mean(found)), picked


def normal_scores(values: Floats) -> Floats:
    """Return the values' ranks as places on the normal curve."""
    share = (ranks(values) + 0.5) / len(values)
    return np.array([NormalDist().inv_cdf(each) for each in share.tolist()])


def held_out(
    routes: Routes, seconds: Floats, columns: Columns = OWN, seeds: Sequence[int] = SEEDS
) -> float:
    """Return Spearman's correlation with puzzles that the costs have not seen, over the seeds."""
    scores, every = normal_scores(seconds), np.arange(len(seconds))
    told = [unseen(routes, scores, seed, columns, every) for seed in seeds]
    return float(np.mean([spearman(each, seconds) for each in told]))


def shipped_bits(hands: Sequence[Hand]) -> Floats:
    """Return the bits that the package tells."""
    found = DifficultyModel(GAME, [13] * 4, within=(TARGET, TARGET)).surprisals(hands)
    return np.concatenate([bits for _, bits in found])


def time_curve(bits: Floats, seconds: Floats) -> Floats:
    """Return least, factor and rate of seconds = least + factor * 2 ** (rate * bits).

    They are fitted to the logarithms of seconds.
    """

    def errors(parameters: Floats) -> tuple[Floats, Slopes]:
        least, factor, rate = parameters
        power = np.exp2(rate * bits)
        told = least + factor * power
        slopes = np.stack([np.ones(len(bits)), power, factor * np.log(2) * bits * power], axis=1)
        return np.log(seconds / told), lambda: slopes / told[:, None]

    return least_squares(errors, np.array([5, 0.3, 0.8]))


def tell_costs(told: Timed) -> None:
    """Print how well costs rank the hands, what they are, and what is left without each."""
    routes = routes_of(tuple(told.hands))
    scores = normal_scores(told.seconds)
    own = with_columns(routes, OWN)
    every = fitted(own, scores, np.arange(len(scores)), SHIPPED)
    with_more, picked = nested(routes, told.seconds)
    found = {
        "the costs as shipped": spearman(shipped_bits(told.hands), told.seconds),
        f"costs fitted in {FOLDS} folds, {len(SEEDS)} seeds": held_out(routes, told.seconds),
        f"nested: up to {MOST_ADDED} of {len(CANDIDATES)} candidates added in each fold": with_more,
    }
    print(f"| {len(told.hands):,} hands, {routes.times.sum():,} routes | Spearman |\n|---|---|")
    print("".join(f"| {what} | {value:.4f} |\n" for what, value in found.items()))
    print("| candidate | chosen, of all folds | added to the costs |\n|---|---|---|")
    for name in CANDIDATES:
        left = held_out(routes, told.seconds, (*OWN, COLUMNS[name]))
        print(f"| {name} | {picked[name]} of {FOLDS * len(SEEDS)} | {left:.4f} |")
    print("\n| cost | shipped | fitted | without it |\n|---|---|---|---|")
    for place, name in enumerate(NAMES):
        left = held_out(routes, told.seconds, tuple(at for at in OWN if at != place))
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
    return beside(reference, own, np.array([estimate_seconds(each) for each in bits.tolist()]))


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
