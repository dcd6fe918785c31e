"""Hints lead to the target, and exist exactly if a route does."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, RefusedError
from crisps24.puzzle import Puzzle, puzzle_of
from crisps24.puzzles.dealing import Deal, deal
from crisps24.puzzles.hints import can_reach, first_steps, next_steps
from crisps24.puzzles.rounds import Round
from tests.puzzles.test_episodes import can_win, steps_of, text_of_step
from tests.puzzles.test_rounds import GAME_NAMES, play_lines
from tests.sampling import EVERY, examples, in_one_test

# Games with changed rules that affect hints.
CHANGED_GAMES = {
    "join": replace(GAMES["make10"], join=True),
    "no parentheses, fractions": replace(GAMES["digits"], parentheses=False),
    "five": replace(GAMES["crisps"], length=5),
    "any subset": replace(GAMES["crisps"], all_numbers=False),
    "only + and -": replace(GAMES["cards"], operators=("-", "+")),
    "some cards": replace(GAMES["cards"], numbers=tuple(range(1, 9)), all_numbers=False),
}


@cache
def dealt(name: str) -> Deal:
    return deal((GAMES | CHANGED_GAMES)[name], 12 if EVERY else 6, seed=5)


@in_one_test("name", *GAME_NAMES, *CHANGED_GAMES)
def test_typing_all_hints_solves_the_puzzle(name: str) -> None:
    for puzzle in dealt(name):
        current, hints = Round(puzzle), 0
        while not current.result:
            current, reply = current.play("?")
            assert reply.kind == "hint", (puzzle.id, current.steps)
            current, reply = current.play(reply.formula)
            hints += 1
            assert hints <= len(puzzle.hand)
        assert (current.result, current.wrong, current.hints) == ("right", 0, hints), puzzle.id
        assert puzzle.check(current.best_formula).verdict == "right"
        assert reply.formula == current.best_formula


def test_hints_after_a_step_know_its_formula() -> None:
    # 22 + 13 - 11 is too large on the way: after 11 x 2, only 22 - 11 + 13 is legal.
    game = replace(GAMES["crisps"], numbers=tuple(range(1, 14)), negatives=True, most=30)
    current = Round(Puzzle((2, 11, 11, 13), 24, game))
    while not current.result:
        current, reply = current.play("?")
        current, _ = current.play(reply.formula)
    assert current.result == "right"


@pytest.mark.parametrize(
    "name", ["cards", "digits", "make10", "krypto", "only + and -", "some cards"]
)
@given(draws=st.lists(st.integers(0, 10**6), min_size=1, max_size=2), index=st.integers(0, 5))
@examples(25)
def test_hint_exists_exactly_if_a_route_exists(name: str, draws: list[int], index: int) -> None:
    puzzle = dealt(name)[index]
    current, left = Round(puzzle), list(map(Fraction, puzzle.hand))
    # At most 3 numbers are left after the steps, so the search over sequences is short.
    for draw in [*draws, *draws][: max(len(draws), len(left) - 3)]:
        steps = list(steps_of(left, puzzle))
        step, left = steps[draw % len(steps)]
        current, reply = current.play(f"{text_of_step(step)} = {left[-1]}")
        if not puzzle.game.all_numbers and left[-1] == puzzle.target:
            assert reply.kind == "right"
            return
        assert reply.kind in ("step", "unused"), (puzzle.id, step, reply.text)
        assert sorted(current.left) == sorted(left)
    _, reply = current.play("?")
    assert (reply.kind == "hint") == can_win(left, puzzle, (), {}), (puzzle.id, current.steps)


@in_one_test("name", *GAME_NAMES, *CHANGED_GAMES)
def test_hints_in_a_row_belong_to_one_route_and_its_formula_gets_the_same_result(name: str) -> None:
    for puzzle in dealt(name)[:3]:
        steps = next_steps(puzzle)
        current = Round(puzzle)
        for step in steps:
            current, reply = current.play("?")
            assert reply.formula == step
        by_steps, _ = play_lines(puzzle, *steps)
        by_line, _ = play_lines(puzzle, ", ".join(steps))
        by_formula, _ = play_lines(puzzle, by_steps.best_formula)
        assert by_steps.result == by_line.result == by_formula.result == "right"
        assert by_steps.best_formula == by_line.best_formula == by_formula.best_formula


def test_search_of_steps_refuses_operators_that_it_lacks() -> None:
    game = replace(GAMES["cards"], operators=("+", "!"))
    for search in (lambda: list(first_steps((4, 3), game)), lambda: can_reach((4, 3), 24, game)):
        with pytest.raises(RefusedError, match="with !, not all solutions can be found"):
            search()


def test_hint_leads_to_either_of_two_closest_values() -> None:
    puzzle = puzzle_of("cards:1.2.4=11")
    assert puzzle.accepted_values == (11,)
    assert next_steps(puzzle) == ()
    puzzle = Puzzle((1, 2, 4), 11, replace(puzzle.game, target=None, all_numbers=False))
    assert puzzle.accepted_values == (10, 12)
    assert next_steps(puzzle, ["4 + 1 = 5"]) == ("5 x 2 = 10",)
    assert next_steps(puzzle, ["2 + 1 = 3"]) == ("4 x 3 = 12",)
    assert play_lines(puzzle, "2 + 1 = 3", "4 x 3 = 12")[0].result == "right"
