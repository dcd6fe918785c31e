"""A copy of a game under another name behaves as the game: no code asks for the name."""

import json
import re
from dataclasses import fields, replace
from typing import Any

import pytest

from crisps24 import GAMES, Equation, Game
from crisps24.equation_puzzles.guesses import best_guess, remaining_equations
from crisps24.errors import RefusedError
from crisps24.paper.sheets import Sheet, sheet_pages
from crisps24.player.records import game_record, puzzle_record
from crisps24.puzzles.dealing import deal
from crisps24.rules.games import FREE_GAME, HAND_GAMES
from crisps24.solving.effort import difficulty, level_cutoffs
from tests.sampling import in_one_test

COPIED = [*(GAMES[name] for name in HAND_GAMES), FREE_GAME]


def copy_of(game: Game) -> Game:
    return replace(game, name="copied", aliases=())


def dealt(game: Game) -> list[dict[str, Any]]:
    return [*deal(game, 6, seed=7).rows(fields=["hand", "target", "level", "bits", "answer"])]


@in_one_test("game", *COPIED)
def test_copy_deals_and_grades_as_the_game(game: Game) -> None:
    copied = copy_of(game)
    assert (dealt(copied), level_cutoffs(copied)) == (dealt(game), level_cutoffs(game))
    for puzzle in deal(game, 3, seed=8):
        assert difficulty(puzzle.hand, puzzle.target, copied) == puzzle.difficulty


@in_one_test("game", *COPIED)
def test_copy_has_sheet_and_player_of_the_game(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    # A registered copy can have ids of its own.
    copied = copy_of(game)
    monkeypatch.setitem(GAMES, "copied", copied)
    if game is FREE_GAME:
        monkeypatch.setitem(GAMES, "free", game)
    texts = []
    for each in (game, copied):
        puzzles = deal(each, 4, seed=7)
        pages = [repr(page) for page in sheet_pages(puzzles, Sheet())]
        try:
            records: list[Any] = [game_record(each), *map(puzzle_record, puzzles)]
        except RefusedError as error:
            records = [str(error)]
        texts.append(re.sub(rf"\b{each.name}\b", "game", json.dumps([pages, records])))
    assert texts[0] == texts[1]


def test_copy_of_a_game_has_its_best_first_guess() -> None:
    for game in (FREE_GAME, GAMES["crisps"]):
        left = [remaining_equations(Equation(7, game=each)) for each in (game, copy_of(game))]
        assert best_guess(left[0], work=10**6) == best_guess(left[1], work=10**6)


def test_new_game_has_the_levels_that_it_states() -> None:
    krypto = GAMES["krypto"]
    own = Game(**{each.name: getattr(krypto, each.name) for each in fields(Game) if each.compare})
    assert level_cutoffs(own) is None
    assert level_cutoffs(replace(own, cutoffs=(1.0, 2.0, 3.0, 4.0))) == (1.0, 2.0, 3.0, 4.0)
    # Other rules have the levels of the game, unless they state cutoffs.
    assert level_cutoffs(replace(krypto, zero=False)) == krypto.cutoffs
    assert level_cutoffs(replace(krypto, zero=False, cutoffs=(1.0, 2.0, 3.0, 4.0))) == (1, 2, 3, 4)
