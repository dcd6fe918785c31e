"""Missing signs that are dealt: one answer each, the same for the same seed."""

import re
import shlex
from dataclasses import replace

import pytest

from crisps24 import GAMES, CrispsError, Equation, Game
from crisps24.cli.program import main
from crisps24.equation_puzzles import deals as signs
from crisps24.equation_puzzles.deals import deal_gaps
from tests.equation_puzzles.equations_oracle import signs_for


@pytest.mark.parametrize("equals", [False, True])
@pytest.mark.parametrize("game", [GAMES["crisps"], GAMES["krypto"]], ids=lambda game: game.name)
def test_each_has_one_answer_by_trying_every_sign(game: Game, equals: bool) -> None:
    found = deal_gaps(game, 4, seed=3, equals=equals).puzzles
    assert len({str(each.gaps) for each in found}) == 4
    equation = Equation(8, "either", "either", lone_zeros=True, game=game)
    for each in found:
        text = str(each.gaps).replace(" ", "")
        assert text.count("=") == (not equals)
        [answer] = signs_for(text, equation, equals=equals)
        told = f"{each.sides[0]}={each.sides[1]}".replace(" ", "")
        assert told.translate(str.maketrans("x:", "*/")) == answer


def test_the_same_seed_deals_the_same_and_tells_how(capsys: pytest.CaptureFixture[str]) -> None:
    asked = "deal krypto --signs --count 3 --targets 1..20 --length 3 --answers"
    assert main(shlex.split(asked)) == 0
    first = capsys.readouterr().out
    command = re.search(r"^drawing 2: crisps24 (.*)$", first, re.M)
    assert command
    assert main([*shlex.split(command[1]), "--answers"]) == 0
    assert capsys.readouterr().out == first


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--equals", "--equals also leaves out the =: add --signs"),
        ("--signs --level 2", "no --level"),
        ("--signs --out a.csv", "no --out"),
        ("--signs --parentheses", "no --parentheses"),
        ("--signs --length 2..3", "--signs takes one --length, not a range"),
        ("--signs --length 1", "a row with missing signs needs at least two numbers"),
        ("--signs --count 0", "cannot deal 0 puzzles (expected 1 to 100,000)"),
        ("--signs --length 13", "at most 12 numbers in order"),
    ],
)
def test_what_cannot_be_dealt_is_refused(
    words: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["deal", "--seed", "7", *shlex.split(words)]) == 2
    said = capsys.readouterr()
    assert told in said.err
    assert not said.out


def test_too_few_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signs, "_MAX_FAILED_DRAWS", 30)
    with pytest.raises(CrispsError, match=r"only \d puzzles with one answer: 30 draws"):
        deal_gaps(replace(GAMES["crisps"], length=2), 10, seed=7)


def test_numbers_below_zero_have_no_signs_between_them() -> None:
    game = Game("below", (-2, 3), 3, negatives=True, target=5)
    with pytest.raises(CrispsError, match="cannot have numbers below zero"):
        deal_gaps(game)
