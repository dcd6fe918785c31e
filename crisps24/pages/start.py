"""Start: what there is, and a card to begin with."""

from functools import cache
from typing import Any

from crisps24.drawing.cards import card_of
from crisps24.drawing.drawings import svg_of
from crisps24.pages.asking import DEFAULT_GAME, Asked
from crisps24.pages.play import address_of
from crisps24.puzzle import Puzzle
from crisps24.rules.games import GAMES

NAMES = ()
# The card of the package's first page.
_HAND, _TARGET = (8, 4, 4, 3), 24


def page(asked: Asked) -> dict[str, Any]:
    """Return what the page shows."""
    puzzle = _puzzle()
    card = card_of(puzzle.hand, puzzle.target, puzzle.level, language=asked.language)
    return {"card": svg_of(card), "play": address_of(puzzle)}


@cache
def _puzzle() -> Puzzle:
    return Puzzle(_HAND, _TARGET, GAMES[DEFAULT_GAME])
