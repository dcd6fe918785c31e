"""Puzzles without a solution look like the others; what solutions need equals brute force.

Only many puzzles show a difference: 400 take 3 seconds.
"""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import prod
from typing import Any

import pytest

from crisps24 import GAMES, Puzzle, deal
from crisps24.errors import RefusedError
from crisps24.notation.shapes import shape_of
from crisps24.output.tables import render
from crisps24.puzzles.conditions import Conditions
from crisps24.puzzles.parameters import parse_percent
from crisps24.rules.deals import list_hands
from crisps24.training.audits import audit
from crisps24.training.rewards import judge_row
from tests.sampling import in_one_test, some

# A value, whether a number or result is a fraction, and whether one is below zero.
_State = tuple[Fraction, bool, bool]
_FIELDS = ("id", "target", "nums", "answer", "solvable", "level", "solutions", "steps")


def _share_told_apart(with_solution: Iterable[float], without: Iterable[float]) -> float:
    """Return the area under the curve of a feature, at least 0.5."""
    others = list(without)
    pairs = [(mine > other) + (mine == other) / 2 for mine in with_solution for other in others]
    return max(sum(pairs), len(pairs) - sum(pairs)) / len(pairs)


@pytest.mark.parametrize("name", some(["krypto", "cards", "mathador", "numble", "countdown"], 1))
def test_unsolvable_puzzles_look_like_the_others(name: str) -> None:
    features: dict[bool | None, list[Any]] = {True: [], False: []}
    for one in deal(name, 400, seed=3, conditions=Conditions(unsolvable=50)):
        hand = one.hand
        features[one.solvable].append((one.target, sum(hand), prod(hand), *sorted(hand)))
    assert len(features[True]) == 200
    for columns in zip(*(zip(*rows, strict=True) for rows in features.values()), strict=True):
        assert _share_told_apart(*columns) < 0.57


@in_one_test(
    ("name", "count", "share", "unsolvable"),
    ("cards", 10, 20, 2),
    ("digits", 9, 50, 4),
    ("countdown", 5, 100, 5),
    ("crisps", 30, 10, 3),
)
def test_judge_and_audit_know_answers(name: str, count: int, share: int, unsolvable: int) -> None:
    dealt = deal(name, count, seed=1, conditions=Conditions(unsolvable=share))
    rows = list(dealt.rows(fields=_FIELDS))
    assert sum(not row["solvable"] for row in rows) == unsolvable
    assert f"--unsolvable {share}%" in dealt.command
    for puzzle, row in zip(dealt, rows, strict=True):
        assert row["solvable"] == bool(Puzzle(puzzle.hand, puzzle.target, puzzle.game).solutions())
        assert judge_row(row, row["answer"]).code == ("ok" if row["solvable"] else "no-solution")
        assert (row["answer"] == "no solution") == (row["solutions"] == 0) == (not row["solvable"])
    assert not audit(enumerate(render(rows, "jsonl").split("\n"), 1)).has_errors


def test_a_mixture_deals_all_that_exist_and_a_refusal_says_how_many() -> None:
    game = replace(GAMES["cards"], length=3, numbers=tuple(range(1, 9)))
    hands = list_hands(game)
    makes = {hand for hand in hands if any(value == 24 for value, *_ in _states(hand))}
    with_, without = len(makes), len(hands) - len(makes)
    share = without * 100 // len(hands)
    # The largest deal of both kinds.
    most = next(
        count
        for count in range(len(hands), 0, -1)
        if (few := round(Fraction(count * share, 100))) <= without and count - few <= with_
    )
    wanted = Conditions(unsolvable=share, mixture=True)
    dealt = deal(game, most, seed=3, conditions=wanted)
    assert len({puzzle.hand for puzzle in dealt}) == most
    assert {puzzle.hand for puzzle in dealt if puzzle.solvable} <= makes
    assert {puzzle.hand for puzzle in dealt if not puzzle.solvable}.isdisjoint(makes)
    said = f"of all hands, {with_} have a solution and {without} have none; "
    with pytest.raises(RefusedError, match=f"{said}ask for fewer puzzles, or another share"):
        deal(game, most + 1, seed=3, conditions=wanted)
    with pytest.raises(RefusedError, match=said + "here each is one of two similar") as error:
        deal(game, most, seed=3, conditions=Conditions(unsolvable=share))
    with pytest.raises(RefusedError, match="mixture"):
        Conditions(mixture=True)
    assert f"--unsolvable {share}% --mixture" in str(error.value.sentence())


def test_no_puzzle_of_a_mixture_has_a_solution_below_zero() -> None:
    game = replace(GAMES["cards"], length=3, numbers=tuple(range(-3, 7)))
    without = {hand for hand in list_hands(game) if all(value != 24 for value, *_ in _states(hand))}
    wanted = Conditions(unsolvable=100, mixture=True)
    assert {each.hand for each in deal(game, len(without), seed=3, conditions=wanted)} == without
    with pytest.raises(RefusedError, match="ask for fewer puzzles"):
        deal(game, len(without) + 1, seed=3, conditions=wanted)


@pytest.mark.parametrize("share", [-1, 101, True, "20%"])
def test_invalid_share_is_refused(share: Any) -> None:
    with pytest.raises(RefusedError, match="expected a whole number from 0 to 100"):
        Conditions(unsolvable=share)
    assert parse_percent(" 20 % ") == parse_percent("20") == 20


@cache
def _states(hand: tuple[int, ...]) -> set[_State]:
    """Return what formulas with all numbers of a hand make, by brute force."""
    if len(hand) == 1:
        return {(Fraction(hand[0]), False, hand[0] < 0)}
    found: set[_State] = set()
    places = range(len(hand))
    for size in range(1, len(hand)):
        for part in combinations(places, size):
            left = _states(tuple(hand[place] for place in part))
            right = _states(tuple(hand[place] for place in places if place not in part))
            for a, *flags in left:
                for b, *others in right:
                    for value in (a + b, a - b, a * b, *([a / b] if b else [])):
                        fraction = flags[0] or others[0] or value.denominator > 1
                        found.add((value, fraction, flags[1] or others[1] or value < 0))
    return found


@pytest.mark.parametrize(("numbers", "count"), [(range(1, 14), 40), (range(-3, 4), 20)])
def test_what_solutions_need_equals_brute_force(numbers: range, count: int) -> None:
    game = replace(GAMES["cards"], numbers=tuple(numbers))
    for hand in some(list_hands(game), count):
        for target in (24, -1):
            states = [state for state in _states(hand) if state[0] == target]
            needs = [all(state[flag] for state in states) if states else None for flag in (1, 2)]
            puzzle = Puzzle(hand, target, game)
            assert [puzzle.needs_fractions, puzzle.needs_negatives] == needs
            assert puzzle.steps == (3 if states else None)
            assert puzzle.used == (4 if states else None)


@in_one_test("name", "countdown", "mathador")
def test_steps_and_numbers_used_equal_brute_force(name: str) -> None:
    dealt = deal(name, 12, seed=5, conditions=Conditions(unsolvable=20))
    # The form of 12 + 8 with most points has 3 steps.
    for puzzle in (*dealt, Puzzle((3, 3, 6, 8, 12), 20, GAMES[name])):
        parts = [part for size in range(1, 4) for part in combinations(puzzle.hand, size)]
        plain = ([value for value, *flags in _states(part) if not any(flags)] for part in parts)
        found = zip(parts, plain, strict=True)
        sizes = [len(part) for part, made in found if puzzle.target in made]
        if sizes or (puzzle.used or 9) < 4:
            assert (puzzle.used, puzzle.steps) == (min(sizes), min(sizes) - 1)


@in_one_test(
    ("name", "conditions"),
    ("cards", {"needs_fractions": True}),
    ("digits", {"needs_fractions": False, "needs_negatives": False}),
    ("cards", {"shape": "balanced", "depth": range(2, 3)}),
    ("cards", {"some_shape": "right", "some_depth": range(2, 3)}),
    ("countdown", {"steps": range(2, 4), "used": range(3, 5)}),
)
def test_dealt_puzzles_have_what_the_conditions_ask(name: str, conditions: dict[str, Any]) -> None:
    for puzzle in deal(name, 5, seed=2, conditions=Conditions(**conditions)):
        for field, allowed in conditions.items():
            if field.startswith("some_"):
                trees = (solution.expression for solution in puzzle.solutions())
                shapes = [shape_of(tree) for tree in trees]
                found = {value for each in shapes for value in (each.name, each.depth)}
                assert not found.isdisjoint([allowed] if field == "some_shape" else allowed)
                continue
            value = getattr(puzzle, field)
            assert value in allowed if isinstance(allowed, range) else value == allowed
