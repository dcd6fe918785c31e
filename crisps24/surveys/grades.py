"""The difficulty of hands in few bytes per target, as workers return it and files keep it."""

import sqlite3
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crisps24.about import __version__
from crisps24.errors import RefusedError
from crisps24.hands.costs import COSTS_VERSION
from crisps24.rules.games import Game, Hand
from crisps24.rules.ratios import Floats
from crisps24.surveys.deals import check_size
from crisps24.surveys.records import GRADES, asked, errors, opened, rows

# What bits are told to, and what none that a float has a weight for come to, in thousandths.
_TOLD, _MOST = 1000, 2_000_000


class Packed(NamedTuple):
    """The bits of the targets of a hand, in thousandths."""

    least: int
    """Those of the easiest; 0 where there is none."""
    above: bytes
    """What each has above these: two bytes a target, the high one first, or four where two do not
    hold them. All bits are set where people cannot make it."""


def packed(bits: Floats) -> Packed:
    r"""Return the bits of a hand, a target each and NaN where there are none, in few bytes.

    >>> packed(np.array([1.5, np.nan, 1.756]))
    Packed(least=1500, above=b'\x00\x00\xff\xff\x01\x00')
    """
    thousandths = np.rint(bits * _TOLD)
    known = thousandths[~np.isnan(bits)]
    least, most = (int(known.min()), int(known.max())) if len(known) else (0, 0)
    kind = ">u2" if most - least < np.iinfo(">u2").max else ">u4"
    above = np.where(np.isnan(bits), np.iinfo(kind).max, thousandths - least)
    return Packed(least, above.astype(kind).tobytes())


def unpacked_bits(each: Packed, width: int) -> Floats:
    """Return the bits of so many targets as they were packed.

    >>> unpacked_bits(Packed(1500, bytes([0, 0, 255, 255, 1, 0])), 3).tolist()
    [1.5, nan, 1.756]
    """
    kind = f">u{len(each.above) // width}"
    above = np.frombuffer(each.above, kind)
    none = above == np.iinfo(kind).max
    return np.where(none, np.nan, (above.astype(np.float64) + each.least) / _TOLD)


def load_grades(path: Path) -> tuple[Game, range, list[Hand], Floats]:
    """Return what is in the file of a survey of difficulty: game, targets, hands and their bits.

    Raises ValueError where it is none, OSError where it cannot be read.
    """
    with opened(path) as (connection, names):
        game, targets, _ = asked(connection, path)
        if GRADES not in names:
            raise RefusedError(f"{path} is a survey without difficulties: no hand is graded in it")
        refuse_other_costs(connection, path)
        count = check_size(game, targets, graded=True)
        hands: list[Hand] = []
        table = np.empty((count, len(targets)))
        for hand, bits in graded_rows(connection, path, game, targets):
            table[len(hands)] = bits
            hands.append(hand)
    return game, targets, hands, table[: len(hands)]


def refuse_other_costs(connection: sqlite3.Connection, path: Path) -> None:
    """Raise ValueError where the hands of a file are graded by costs that are not today's."""
    with errors(path):
        [(version,)] = connection.execute("PRAGMA user_version")
    if version != COSTS_VERSION:
        told = f"its bits are not those of crisps24 {__version__}, whose steps have other costs"
        raise RefusedError(f"{path}: {told}; survey it again in a new file")


def graded_rows(
    connection: sqlite3.Connection, path: Path, game: Game, targets: range
) -> Iterator[tuple[Hand, Floats]]:
    """Yield each hand that is graded, with the bits of its targets, and look at all others.

    Raises ValueError at the first that is not as it has to be, or grades what the hand does not
    make.
    """
    done = rows(connection, path, game, targets)
    with errors(path):
        query = f"SELECT hand, least, above FROM {GRADES} ORDER BY hand"
        for place, row in enumerate(connection.execute(query), 1):
            hand, made = next(done, (None, b""))
            if hand is None:
                raise RefusedError(f"{path} is damaged: it grades more hands than there are in it")
            bits = _bits_in(row, len(targets))
            if row[0] != place or bits is None:
                raise RefusedError(f"{path} is damaged: its hand {place:,} is not graded")
            if not _is_of(bits, made, game):
                of_it = f"the difficulties of its hand {place:,}"
                raise RefusedError(f"{path} is damaged: {of_it} are not of the targets it makes")
            yield hand, bits
    # The rows that are not graded are checked too.
    deque(done, maxlen=0)


def _bits_in(row: tuple[Any, ...], width: int) -> Floats | None:
    """Return the bits in a row; None if the row is damaged."""
    _, least, above = row
    if type(least) is not int or abs(least) > _MOST or type(above) is not bytes:
        return None
    if len(above) not in (2 * width, 4 * width):
        return None
    bits = unpacked_bits(Packed(least, above), width)
    too_many = np.nanmax(bits, initial=0) > _MOST / _TOLD
    return None if too_many or packed(bits) != (least, above) else bits


def _is_of(bits: Floats, made: bytes, game: Game) -> bool:
    """Return whether the targets that a hand makes have bits, and no others.

    People avoid results below zero, so some targets that need them have no bits.
    """
    easy = ~np.isnan(bits)
    makes = np.unpackbits(np.frombuffer(made, np.uint8), count=len(bits)).view(bool)
    return not (easy & ~makes).any() and (game.negatives or not (makes & ~easy).any())
