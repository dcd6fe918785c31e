"""The start page: links to the other pages, and a card to play."""

from functools import cache
from typing import Any

from crisps24.drawing.cards import card_of
from crisps24.drawing.drawings import svg_of
from crisps24.pages.addresses import DEFAULT_GAME, Parameters
from crisps24.pages.play import play_address
from crisps24.puzzle import Puzzle
from crisps24.puzzles.dealing import deal
from crisps24.rules.games import GAMES

NAMES = ()
_HAND, _TARGET = (8, 4, 4, 3), 24


def page(params: Parameters) -> dict[str, Any]:
    puzzle = _puzzle(params.site.games[0])
    card = card_of(puzzle.hand, puzzle.target, puzzle.level, language=params.language)
    return {"card": svg_of(card), "play": play_address(puzzle)}


@cache
def _puzzle(name: str) -> Puzzle:
    """Return the puzzle of the start page; its level is computed only once per process."""
    return (
        Puzzle(_HAND, _TARGET, GAMES[name]) if name == DEFAULT_GAME else deal(name, 1, seed=24)[0]
    )
