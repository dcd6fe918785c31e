"""A sampler meets the wanted rate of success with learners whose skill is known."""

import pickle
from collections.abc import Callable, Iterator
from itertools import islice
from math import exp
from random import Random
from typing import Any

import pytest

from crisps24 import Conditions, Puzzle, Sampler, deal
from crisps24.errors import CrispsError
from tests.sampling import in_one_test

_ROUNDS = 500
# The chance of a learner to solve a puzzle after some others.
_Solver = Callable[[Puzzle, int], float]


def _bits(puzzle: Puzzle) -> float:
    assert puzzle.difficulty
    return puzzle.difficulty.bits


def _logistic(first: float, scale: float, last: float | None = None) -> _Solver:
    def chance(puzzle: Puzzle, done: int) -> float:
        skill = first + ((first if last is None else last) - first) * done / _ROUNDS
        return 1 / (1 + exp((_bits(puzzle) - skill) / scale))

    return chance


SOLVERS: dict[str, _Solver] = {
    "weak": _logistic(1, 1),
    "middle": _logistic(4, 1.5),
    "threshold": lambda puzzle, _: _bits(puzzle) < 5,
    "by level": lambda puzzle, _: (0.95, 0.8, 0.6, 0.3, 0.1)[(puzzle.level or 5) - 1],
}


def _played(sampler: Sampler, solver: _Solver, seed: int, batch: int = 1) -> Iterator[bool]:
    random, done = Random(seed), 0
    while done < _ROUNDS:
        for puzzle in list(islice(sampler, min(batch, _ROUNDS - done))):
            solved = random.random() < solver(puzzle, done)
            sampler.report(puzzle, solved)
            done += 1
            yield solved


@in_one_test("name", *SOLVERS)
def test_the_rate_is_met_within_5_points_in_500_puzzles(name: str) -> None:
    for rate, seed, batch in ((0.5, 1, 1), (0.3, 2, 1), (0.7, 3, 8)):
        solved = sum(_played(Sampler("cards", rate, seed=seed), SOLVERS[name], seed, batch))
        assert abs(solved / _ROUNDS - rate) <= 0.05, (rate, solved)


@in_one_test("game", "crisps", "krypto", "mathador")
def test_other_games_meet_the_rate(game: str) -> None:
    middle = sorted(map(_bits, deal(game, 99, seed=1)))[49]
    solved = sum(_played(Sampler(game, seed=4), _logistic(middle, 1), seed=4))
    assert abs(solved / _ROUNDS - 0.5) <= 0.05


def test_puzzles_depend_on_the_seed_and_the_reports_only() -> None:
    ids = []
    for seed, solver in ((5, 1), (5, 1), (5, 2), (6, 1)):
        sampler = Sampler("cards", seed=seed)
        list(_played(sampler, SOLVERS["middle"], solver))
        ids.append([puzzle.id for puzzle in islice(pickle.loads(pickle.dumps(sampler)), 20)])
    assert ids[0] == ids[1]
    assert ids[1] != ids[2] != ids[3] != ids[0]


def test_a_rate_out_of_reach_gives_the_easiest_or_the_hardest_puzzles() -> None:
    for chance, level in ((0, 1), (1, 5)):
        sampler = Sampler("cards", seed=1)
        list(_played(sampler, lambda *_, chance=chance: chance, 1))
        puzzles = list(islice(sampler, 9))
        assert {puzzle.level for puzzle in puzzles} == {level}
        assert len({puzzle.id for puzzle in puzzles}) > 1


def test_no_puzzle_comes_again_before_others_of_its_difficulty() -> None:
    near = [each.id for each in islice(Sampler("digits", seed=1, pool=60), 100)]
    size = len({*near})
    assert 1 < size < 60
    assert all(len({*near[start : start + size]}) == size for start in (0, size))


@in_one_test(
    ("call", "message"),
    (lambda: Sampler("cards", 1.0), "invalid rate 1.0 .expected between 0 and 1"),
    (lambda: Sampler("cards", "0.5"), "0.5"),  # type: ignore[arg-type]
    (lambda: Sampler("cards", conditions=Conditions(unsolvable=9)), "leave out unsolvable"),
    (lambda: Sampler("cards", seed=1).report(Puzzle((3, 8), 24, "free"), True), "is not open"),
    (lambda: Sampler("cards", seed=1).report("cards:3.3.8.8=24", True), "is not open"),  # type: ignore[arg-type]
)
def test_wrong_calls_are_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(CrispsError, match=message):
        call()
    sampler = Sampler("cards", seed=1)
    puzzle = next(sampler)
    with pytest.raises(CrispsError, match=r"invalid success 2 .expected 0 to 1"):
        sampler.report(puzzle, 2)
    bits = sampler.bits
    sampler.report(puzzle, None)
    assert sampler.bits == bits
    with pytest.raises(CrispsError, match="is not open"):
        sampler.report(puzzle, True)
