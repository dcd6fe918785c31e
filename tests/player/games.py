"""The games that the script is compared in: eight named ones and many changed ones."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from crisps24.puzzle import Puzzle
from crisps24.rules.games import FREE_GAME, GAMES, Game

_CRISPS, _CARDS, _COUNTDOWN = (GAMES[name] for name in ("crisps", "cards", "countdown"))
_NAMED = (
    *("crisps", "digits", "cards", "numble", "countdown", "make10"),
    *("krypto", "fractions24", "mathador"),
)
_PARTS = tuple(Fraction(part) for part in ("1/2", "3/4", "5/3", "6/4", "1/12"))

PLAYED: dict[str, Game] = {name: GAMES[name] for name in _NAMED} | {
    "free": FREE_GAME,
    "crisps, most 30": replace(_CRISPS, most=30),
    "crisps, negatives": replace(_CRISPS, negatives=True),
    "crisps, any subset": replace(_CRISPS, all_numbers=False, zero=False),
    "crisps, fractions": replace(_CRISPS, fractions=True),
    "crisps, once": replace(_CRISPS, once=True),
    "cards, once": replace(_CARDS, once=True),
    "cards, once, any subset": replace(
        _CARDS, once=True, all_numbers=False, length=5, numbers=tuple(range(1, 7))
    ),
    "mathador, once": replace(GAMES["mathador"], once=True, dice=(), length=4),
    "crisps, sums": replace(_CRISPS, operators=("-", "+")),
    "crisps, closest": replace(_CRISPS, all_numbers=False, target=None, numbers=tuple(range(10))),
    "crisps, letters": replace(_CRISPS, letters=(("A", 1), ("N", 9))),
    "cards, no zero": replace(_CARDS, zero=False),
    "cards, sums": replace(_CARDS, operators=("-", "+"), negatives=False),
    "cards, no minus": replace(_CARDS, operators=("+", "x", ":")),
    "cards, products": replace(_CARDS, operators=("x", ":"), target=6),
    "cards, most 40": replace(_CARDS, most=40, fractions=False),
    "cards, negative cards": replace(_CARDS, numbers=(*range(-3, 0), *range(2, 9)), letters=()),
    "cards, any subset": replace(_CARDS, all_numbers=False),
    "cards, zero as target": replace(_CARDS, target=0, zero=True),
    "cards, three": replace(_CARDS, length=3, negatives=False),
    "countdown, negatives": replace(_COUNTDOWN, negatives=True, most=500),
    "countdown, zero": replace(_COUNTDOWN, zero=True, length=5),
    "countdown, small": replace(_COUNTDOWN, length=4, targets=(1, 40)),
    "countdown, fractions": replace(_COUNTDOWN, fractions=True, length=4),
    "countdown, all": replace(_COUNTDOWN, all_numbers=True, length=4),
    "countdown, all, closest": replace(_COUNTDOWN, all_numbers=True, length=4, closest=True),
    "krypto, one sign": replace(GAMES["krypto"], operators=("+",), length=3),
    "cards, fractions and negatives": replace(
        _CARDS, numbers=(-3, -1, Fraction(-3, 4), Fraction(-1, 2), *_PARTS, *range(1, 8), 10, 12)
    ),
    "cards, fractions, any subset": replace(
        _CARDS, numbers=(*_PARTS, 1, 2, 3, 4, 6, 12), negatives=False, all_numbers=False
    ),
    "crisps, fractions on cards": replace(_CRISPS, numbers=(*_PARTS, *range(1, 9)), fractions=True),
    "countdown, fractions on cards": replace(
        _COUNTDOWN, numbers=(*_PARTS, *range(1, 9), 25), fractions=True, length=5
    ),
    "make10, nine": replace(GAMES["make10"], most=9, zero=True),
}


def case_of(kind: str, name: str, puzzle: Puzzle) -> dict[str, Any]:
    """Return the fields of a case of `compare.js` that say its kind, its game and its puzzle."""
    case = {"kind": kind, "game": name, "style": puzzle.style, "target": str(puzzle.target)}
    best = puzzle.best if puzzle.game.accepts_closest else puzzle.target
    return case | {"hand": [*map(str, puzzle.hand)], "best": None if best is None else str(best)}
