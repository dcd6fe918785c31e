"""Dealt rows with missing signs: one answer each, the same for the same seed."""

import re
from dataclasses import replace

import pytest

from crisps24 import GAMES, CrispsError, Equation, Game
from crisps24.equation_puzzles import deals as deals_module
from crisps24.equation_puzzles.deals import deal_gaps
from crisps24.rules.deals import deal_problem
from tests.commands import Run
from tests.equation_puzzles.equations_oracle import signs_for


@pytest.mark.parametrize("equals", [False, True])
@pytest.mark.parametrize("name", ["crisps", "krypto", "mathador"])
def test_puzzles_have_one_answer_by_brute_force(name: str, equals: bool) -> None:
    game = GAMES[name]
    puzzles = deal_gaps(game, 4, seed=3, equals=equals).puzzles
    assert len({str(puzzle.gaps) for puzzle in puzzles}) == 4
    equation = Equation(8, "either", "either", lone_zeros=True, game=game)
    for puzzle in puzzles:
        text = str(puzzle.gaps).replace(" ", "")
        assert text.count("=") == (not equals)
        [answer] = signs_for(text, equation, equals=equals)
        equation_text = f"{puzzle.sides[0]}={puzzle.sides[1]}".replace(" ", "")
        assert equation_text.translate(str.maketrans("x:", "*/")) == answer
        assert deal_problem(puzzle.gaps.numbers[: game.length], game) is None


def test_printed_command_deals_the_same_puzzles(run: Run) -> None:
    first = run("deal krypto --signs --count 3 --targets 1..20 --length 3 --answers")
    assert first.status == 0
    command = re.search(r"^drawing 5: crisps24 (.*)$", first.out, re.M)
    assert command
    assert run(f"{command[1]} --answers").out == first.out


def test_too_few_puzzles_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deals_module, "_MAX_FAILED_DRAWS", 30)
    with pytest.raises(CrispsError, match=r"only \d puzzles with one answer: 30 draws"):
        deal_gaps(replace(GAMES["crisps"], length=2), 10, seed=7)
    draws: list[int] = []
    monkeypatch.setattr(deals_module, "_draw_puzzle", lambda *_, **__: draws.append(1))
    with pytest.raises(CrispsError, match="no puzzle with one answer: 30 draws"):
        deal_gaps(GAMES["crisps"], seed=7)
    assert len(draws) == 30


def test_numbers_below_zero_are_refused() -> None:
    game = Game("below", (-2, 3), 3, negatives=True, target=5)
    with pytest.raises(CrispsError, match="cannot have numbers below zero"):
        deal_gaps(game)
