"""Tiles: a round that is played by tapping a number, a sign and a number, without typing.

Every number of the hand has a place. A step leaves its result in the place of its last number; the
other places become empty. A tap is text: `3` is the tile in the third place, `3x` adds a sign, by
the name of the operator, and `3x1` is a step; `-3` lets go of the tile; `u` and `r` are keys of a
round.
"""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import message
from crisps24.notation.styles import STYLES
from crisps24.notation.workings import parse_partial_working
from crisps24.puzzles.rounds import ROUND_KEYS, Round
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from crisps24.rules.operators import OPERATORS

_TAP = re.compile(r"(-?)([0-9]{1,2})(?:([^0-9.,])([0-9]{1,2})?)?")
_KEYS = {key: kind for key, kind in ROUND_KEYS.items() if kind in ("undo", "restart")}
# Of more steps or numbers nobody writes the places.
_LONGEST = 500

TilePlaces = tuple[int, ...]
"""The places of the numbers of a step; the last is that of its result."""


class Tap(NamedTuple):
    """What was tapped, up to the last of it."""

    tile: int = 0
    """The place of the first number, from 1; 0 where none is held."""
    operator: str = ""
    """The name of the operator, once it is tapped."""
    other: int = 0
    """The place of the second number, once it is tapped."""
    key: str = ""
    """A key of a round, `u` or `r`."""
    freed: int = 0
    """The place of the tile that was let go of."""

    @property
    def last(self) -> int | str:
        """The place or the name of the operator or of the key that was tapped last."""
        return self.key or self.freed or self.other or self.operator or self.tile

    @property
    def held(self) -> "Tap":
        """What of it waits for more."""
        return self if self.tile and not self.other else Tap()


def parse_tap(text: str) -> Tap:
    """Return what was tapped, of its text.

    >>> parse_tap("3x1")[:3], parse_tap("u").key, parse_tap("-3").freed
    ((3, 'x', 1), 'u', 3)

    Raises ValueError, in one sentence, for what is no tap.
    """
    if text in _KEYS:
        return Tap(key=text)
    found = _TAP.fullmatch(text)
    # A sign may be tapped before a number, which does nothing yet.
    early = found is not None and int(found[2]) == 0
    if found is None or (found[1] and found[3]) or (early and not found[3]) or (early and found[4]):
        raise RefusedError(message("tap.invalid", text=quoted(text)))
    if found[1]:
        return Tap(freed=int(found[2]))
    return Tap(int(found[2]), found[3] or "", int(found[4] or 0))


def parse_places(text: str) -> tuple[TilePlaces, ...]:
    """Return the places of steps, as `format_places` writes them.

    >>> parse_places("1.3,2.3")
    ((1, 3), (2, 3))

    Raises ValueError, in one sentence, for what are none.
    """
    if len(text) > _LONGEST or not re.fullmatch(r"[0-9]{1,2}([.,][0-9]{1,2})*", text):
        raise RefusedError(message("tap.places", text=quoted(text)))
    return tuple(tuple(map(int, step.split("."))) for step in text.split(","))


def format_places(steps: Sequence[TilePlaces]) -> str:
    """Write the places of steps in one word."""
    return ",".join(".".join(map(str, places)) for places in steps)


class Board(NamedTuple):
    """Where the numbers of a round lie."""

    tiles: tuple[Exact | None, ...]
    """What lies in each place of the hand; None where it was used."""
    places: tuple[TilePlaces, ...]
    """The places of each step that was taken."""
    usual: bool = True
    """Whether these are the places that nobody has to tell."""

    def check(self, tap: Tap, game: Game) -> None:
        """Raise ValueError, in one sentence, for a tap of what is not there."""
        for place in filter(None, (tap.tile, tap.other)):
            if place > len(self.tiles) or self.tiles[place - 1] is None:
                raise RefusedError(message("tap.no_tile", place=place))
        if tap.operator and tap.operator not in game.operators:
            known = {"sign": quoted(tap.operator), "known": " ".join(game.operators)}
            raise RefusedError(message("formula.no_operator", **known))
        if tap.other and tap.other == tap.tile:
            raise RefusedError(message("tap.two"))

    def written(self, tap: Tap, style: str = "cards") -> str:
        """Return what was tapped as a person would type it, as far as it goes.

        >>> from fractions import Fraction
        >>> Board((10, None, Fraction(8, 3)), ()).written(Tap(1, "-", 3))
        '10 - (8/3)'
        """
        if not tap.tile:
            return ""
        # As it can be read again, whatever the style is.
        known = STYLES[style if STYLES[style].is_typeable else "cards"]
        one, other = (
            known.format_operand(value)
            if place and (value := self.tiles[place - 1]) is not None
            else ""
            for place in (tap.tile, tap.other)
        )
        if not tap.operator:
            return one
        return known.format_operation(OPERATORS[tap.operator], one, other).strip()


def board_of(played: Round, known: Sequence[TilePlaces] = ()) -> Board:
    """Return where the numbers of a round lie after its steps.

    Equal numbers are told apart by the places that are `known` of each step; where they are not, or
    do not fit, it was done with the first numbers that do.

    >>> from crisps24.puzzle import puzzle_of
    >>> played = Round(puzzle_of("cards:3.3.8.8=24"), steps=("8 / 3 = 8/3",))
    >>> board_of(played)
    Board(tiles=(None, 3, Fraction(8, 3), 8), places=((1, 3),), usual=True)
    >>> board_of(played, [(2, 4)]).tiles
    (3, None, 8, Fraction(8, 3))
    """
    hand, game = played.puzzle.hand, played.puzzle.game
    tiles: list[Exact | None] = list(hand)
    done: list[TilePlaces] = []
    usual = True
    for count in range(1, len(played.steps) + 1):
        there = parse_partial_working(", ".join(played.steps[:count]), game, hand)
        result = there.results[-1][0]
        before = Counter(tile for tile in tiles if tile is not None)
        used = before + Counter([result]) - Counter(there.left)
        hint = known[count - 1] if count <= len(known) else ()
        first = _first(used, tiles)
        places = hint if _fits(hint, used, tiles) else first
        usual = usual and places == first
        for place in places:
            tiles[place - 1] = None
        tiles[places[-1] - 1] = result
        done.append(places)
    return Board(tuple(tiles), tuple(done), usual)


def _fits(places: TilePlaces, used: Counter[Exact], tiles: Sequence[Exact | None]) -> bool:
    """Return whether these are the places of numbers that were used."""
    if len({*places}) != len(places) or not all(1 <= place <= len(tiles) for place in places):
        return False
    return Counter(tiles[place - 1] for place in places) == used


def _first(used: Counter[Exact], tiles: Sequence[Exact | None]) -> TilePlaces:
    """Return the first places that have the numbers that were used."""
    left = Counter(used)
    places = []
    for place, tile in enumerate(tiles, 1):
        if tile is not None and left[tile] > 0:
            left[tile] -= 1
            places.append(place)
    return tuple(places)
