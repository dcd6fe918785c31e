"""Every interface gives one verdict on a formula, also where the target cannot be made."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import crisps24
from crisps24 import GAMES, Puzzle, puzzle_of
from crisps24.cli.program import main
from crisps24.judging.records import Attempt
from crisps24.judging.rows import Task, judge_batch
from crisps24.notation.checking import working
from crisps24.notation.styles import STYLES
from crisps24.notation.trees import text_of
from crisps24.pages.addresses import Parameters
from crisps24.pages.check import check_lines as check_by_page
from crisps24.pages.solve import page
from crisps24.puzzles.rounds import Round
from crisps24.rules.deals import format_hand
from crisps24.solving.likeliest import hints
from crisps24.training.rewards import trl_reward, verl_score
from tests.commands import Run
from tests.player.cases import target_for
from tests.player.formulas import random_formula, random_hand
from tests.player.games import PLAYED
from tests.sampling import EVERY, in_one_test

# A puzzle, a formula, and whether it is right. Only Countdown and Numble count the closest value.
CASES = [
    ("cards:1.1.1.1=24", "1 + 1 + 1 + 1", False),
    ("cards:3.3.8.8=24", "8 / (3 - 8 / 3)", True),
    ("make10:0.0.1.3=10", "3 x 1 + 0 + 0", False),
    ("make10:0.0.1.3=10", "(3 + 1) x 1", False),
    ("krypto:1.1.1.1.1=25", "(1 + 1) x (1 + 1 + 1)", False),
    ("countdown:1.1.1.1=101", "1 + 1 + 1 + 1", True),
    ("countdown:1.1.1.1=101", "1 + 1 + 1", False),
    ("countdown:1.1.1.1=101", "(1 + 1) x (1 + 1)", True),
    ("countdown:1.2.4.100=106", "100 + 4 + 2", True),
    ("countdown:1.2.4.100=106", "100 + 4 + 1", False),
    ("mathador:1.1.1.1.1=99", "(1 + 1 + 1) x (1 + 1)", False),
    ("mathador:3.7.9.12.20=24", "20 + 7 - 3", True),
    ("numble:1.1.1.1=101", "1 + 1 + 1 + 1", True),
    ("numble:1.1.1.1=101", "1 + 1 + 1 - 1", False),
]


def by_file(puzzle: Puzzle, formula: str, **fields: Any) -> bool:
    task = Task(Attempt("", None, None, puzzle.game), "en")
    [row] = judge_batch([(1, json.dumps({"text": formula, **fields}))], task)
    return bool(row["verdict"] == "right")


def by_command(puzzle: Puzzle, formula: str) -> bool:
    words = ("check", formula, "--card", format_hand(puzzle.hand), "--target", str(puzzle.target))
    return main([*words, "--game", puzzle.game.name]) == 0


def fields_of(puzzle: Puzzle) -> dict[str, Any]:
    return {"hand": [*puzzle.hand], "target": puzzle.target, "game": puzzle.game.name}


def by_page(formula: str, **words: str) -> bool:
    [(_, found)] = check_by_page(Parameters({"formula": formula, **words})).lines
    return bool(found)


def by_round(puzzle: Puzzle, formula: str) -> bool:
    return Round(puzzle).play(formula, 1.0)[0].result == "right"


INTERFACES: dict[str, Callable[[Puzzle, str], bool]] = {
    "Puzzle.check": lambda puzzle, formula: puzzle.check(formula).right,
    "Puzzle.judge": lambda puzzle, formula: bool(puzzle.judge(formula)),
    "check": lambda one, formula: crisps24.check(formula, one.hand, one.target, one.game).right,
    "judge": lambda puzzle, formula: bool(crisps24.judge(formula, puzzle.id)),
    "check --card ID": lambda puzzle, formula: main(["check", formula, "--card", puzzle.id]) == 0,
    "check --card NUMBERS": by_command,
    "judge --card ID": lambda puzzle, formula: main(["judge", formula, "--card", puzzle.id]) == 0,
    "a line with an id": lambda puzzle, formula: by_file(puzzle, formula, id=puzzle.id),
    "a line with fields": lambda puzzle, formula: by_file(puzzle, formula, **fields_of(puzzle)),
    "a page with an id": lambda puzzle, formula: by_page(formula, card=puzzle.id),
    "a page with fields": lambda puzzle, formula: by_page(
        formula, card=format_hand(puzzle.hand), target=str(puzzle.target), game=puzzle.game.name
    ),
    "a round": by_round,
    "verl": lambda one, text: verl_score(solution_str=text, ground_truth=fields_of(one)) == 1,
    "trl": lambda puzzle, formula: trl_reward([formula], id=[puzzle.id]) == [1.0],
}


@pytest.mark.parametrize("interface", INTERFACES)
def test_all_interfaces_agree_if_a_formula_is_right(interface: str) -> None:
    found = [(id_, text, INTERFACES[interface](puzzle_of(id_), text)) for id_, text, _ in CASES]
    assert found == CASES


@pytest.mark.parametrize(("name", "closest"), [("countdown", False), ("cards", True)])
def test_a_game_says_if_the_closest_value_is_right(name: str, closest: bool) -> None:
    game = replace(GAMES[name], closest=closest)
    assert replace(game, closest=None) == GAMES[name] != game
    assert game.accepts_closest is closest is not GAMES[name].accepts_closest
    assert crisps24.check("1 + 1 + 1 + 1", (1, 1, 1, 1), 101, game).right is closest
    assert by_round(Puzzle((1, 1, 1, 1), 101, game), "1 + 1 + 1 + 1") is closest


def route_of_round(puzzle: Puzzle) -> list[str]:
    current, route = Round(puzzle), []
    while not current.result:
        current, hint = current.play("?", 1.0)
        route.append(hint.formula)
        current, _ = current.play(hint.formula, 1.0)
    return route


ROUTES = {
    "crisps:3.4.4.8=24": ["8 x 3 = 24", "24 + 4 = 28", "28 - 4 = 24"],
    "cards:3.6.8.13=24": ["6 - 3 = 3", "8 + 3 = 11", "13 + 11 = 24"],
    "cards:5.5.11.13=24": ["13 + 11 = 24", "24 + 5 = 29", "29 - 5 = 24"],
    "countdown:2.5.8.10.25.75=431": None,
    "krypto:1.2.7.12.25=24": None,
    "countdown:1.1.1.1=101": None,
}


@pytest.mark.parametrize(("puzzle_id", "route"), ROUTES.items())
def test_all_interfaces_show_one_route(puzzle_id: str, route: list[str] | None, run: Run) -> None:
    puzzle = puzzle_of(puzzle_id)
    shown = puzzle.hints()
    assert route in (None, shown)
    assert shown == hints(puzzle.solutions(nearest=True)[0].expression, puzzle.game)
    assert crisps24.check(", ".join(shown), puzzle.hand, puzzle.best, puzzle.game).right
    assert route_of_round(puzzle) == shown
    if puzzle.solvable:
        found = page(Parameters({"hand": puzzle.id, "style": puzzle.game.style}))
        assert found["likeliest"] == shown
        ran = run(f"solve {puzzle.id} --hints 9")
        assert (ran.status, ran.out.splitlines()) == (0, shown)


_NUMBERS = st.sampled_from([1, 2, 3, 4, 6, 8, -1, -5, *map(Fraction, ("1/2", "3/4", "-1/2"))])
_CARDS = crisps24.GAMES["cards"]
_ROWS = replace(_CARDS, parentheses=False)


@given(st.lists(_NUMBERS, min_size=1, max_size=4), st.sampled_from([_CARDS, _ROWS]), st.integers(0))
def test_what_is_printed_is_read(hand: list[int | Fraction], game: crisps24.Game, at: int) -> None:
    assume(len(hand) > 1 or hand[0] > 0)
    values = list(crisps24.reachable(hand, game))
    puzzle = Puzzle(tuple(hand), values[at % len(values)], game)
    for solution, style in product(puzzle.solutions()[:3], STYLES):
        text = text_of(solution.expression, style)
        assert puzzle.check(text, style=style).right, text
        if STYLES[style].readable:
            steps = ", ".join(working(solution.expression, game, hand, style)) or text
            # Without brackets, the order of two equal results is not read from the steps.
            assert puzzle.check(steps, style=style).right or not game.parentheses, steps
            assert puzzle.judge(text), text


@in_one_test("seed", *range(100 if EVERY else 1))
def test_player_and_judge_agree(seed: int) -> None:
    draw = random.Random(seed)
    names, agreed = list(PLAYED), 0
    for _ in range(600):
        game = PLAYED[draw.choice(names)]
        hand = random_hand(game, draw)
        text = random_formula(hand, game, draw)
        target = target_for(text, hand, game, draw)
        if target is not None and (game.negatives or min(hand) >= 0):
            puzzle = Puzzle(hand, target, game)
            right = puzzle.check(text).right
            # The judge reads LaTeX, lines, and bullets before a formula, and no decimal comma.
            differ = not {"\\", ",", "\n"}.isdisjoint(text) or text.lstrip().startswith("- ")
            assert bool(puzzle.judge(text)) == right or differ, (text, puzzle)
            agreed += right
    assert agreed > 60


@in_one_test(
    ("text", "hand", "target", "game"),
    ("8+4+0x3", (8, 4, 0, 3), 12, _CARDS),
    ("- 5-((-1/2)-2)+1", (-5, Fraction(-1, 2), 2, 1), Fraction(-3, 2), _CARDS),
    ("8 x 7 x 8 - 3", (8, 3, 7, 8), 431, PLAYED["crisps, closest"]),
    ("6 * 3 + 1 + 2", (3, 1, 6, 2), 24, PLAYED["crisps, closest"]),
    (r"\frac{6}{-5} = -\frac{6}{5}, \frac{6}{-\frac{6}{5}} = -5", (6, -5, 6), -5, _CARDS),
    ("-2/3 - 2/3 = -4/3, -4/3 * -18 = 24", (Fraction("2/3"), Fraction("2/3"), 18), 24, _CARDS),
    (r"2 + 3 \times \frac{1}{2} - 1", (1, 2, 3, Fraction("1/2")), Fraction("5/2"), _ROWS),
)
def test_player_and_judge_say_right(text: str, hand: Any, target: int, game: crisps24.Game) -> None:
    puzzle = Puzzle(hand, target, game)
    assert (puzzle.check(text).verdict, puzzle.judge(text).verdict) == ("right", "right")
