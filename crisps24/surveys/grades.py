"""The difficulty of hands in few bytes per target, as workers return it and files store it."""

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from crisps24.about import __version__
from crisps24.errors import RefusedError
from crisps24.hands.costs import COSTS_VERSION
from crisps24.rules.games import Game, Hand
from crisps24.rules.ratios import Floats
from crisps24.surveys.deals import check_size
from crisps24.surveys.records import (
    GRADES_TABLE,
    open_survey,
    read_hands,
    read_subject,
    sqlite_errors,
)

if TYPE_CHECKING:
    from sqlite3 import Connection

# Bits are stored in thousandths.
_PARTS_PER_BIT = 1000
# Thousandths above the bits of any weight that a float can hold.
_MAX_PARTS = 2_000_000


class PackedBits(NamedTuple):
    """The bits of the targets of a hand, in thousandths."""

    least: int
    """The bits of the easiest target; 0 if people can make none."""
    above: bytes
    """For each target the bits above `least`, as a big-endian integer of two bytes, or of four if
    two are too few for any target. All ones mean that people cannot make the target."""


def pack_bits(bits: Floats) -> PackedBits:
    r"""Pack the difficulties of all targets of one hand into few bytes.

    >>> pack_bits(np.array([1.5, np.nan, 1.756]))
    PackedBits(least=1500, above=b'\x00\x00\xff\xff\x01\x00')
    """
    thousandths = np.rint(bits * _PARTS_PER_BIT)
    graded = thousandths[~np.isnan(bits)]
    least, most = (int(graded.min()), int(graded.max())) if len(graded) else (0, 0)
    # The largest integer of the type means that people cannot make the target.
    dtype = ">u2" if most - least < np.iinfo(">u2").max else ">u4"
    above = np.where(np.isnan(bits), np.iinfo(dtype).max, thousandths - least)
    return PackedBits(least, above.astype(dtype).tobytes())


def unpack_bits(packed: PackedBits, width: int) -> Floats:
    """Return the difficulties that `pack_bits` packed, as an array with one for each target."""
    dtype = f">u{len(packed.above) // width}"
    above = np.frombuffer(packed.above, dtype)
    is_missing = above == np.iinfo(dtype).max
    bits = (above.astype(np.float64) + packed.least) / _PARTS_PER_BIT
    return np.where(is_missing, np.nan, bits)


def load_grades(path: Path) -> tuple[Game, range, list[Hand], Floats]:
    """Read the file of a survey of difficulty: its game, targets, hands, and an array of bits."""
    with open_survey(path) as (connection, names):
        game, targets, _ = read_subject(connection, path)
        if GRADES_TABLE not in names:
            raise RefusedError(f"{path} is a survey without difficulties: no hand is graded in it")
        refuse_other_costs(connection, path)
        count = check_size(game, targets, graded=True)
        hands: list[Hand] = []
        table = np.empty((count, len(targets)))
        for hand, bits in read_grades(connection, path, game, targets):
            table[len(hands)] = bits
            hands.append(hand)
    return game, targets, hands, table[: len(hands)]


def refuse_other_costs(connection: "Connection", path: Path) -> None:
    """Raise RefusedError if the hands of a file were graded with other costs of steps."""
    with sqlite_errors(path):
        [(version,)] = connection.execute("PRAGMA user_version")
    if version != COSTS_VERSION:
        reason = f"its bits are not those of crisps24 {__version__}, whose steps have other costs"
        raise RefusedError(f"{path}: {reason}; survey it again in a new file")


def read_grades(
    connection: "Connection", path: Path, game: Game, targets: range
) -> Iterator[tuple[Hand, Floats]]:
    """Read the file of a survey, and yield each hand that has grades, with these, in order."""
    hands = read_hands(connection, path, game, targets)
    with sqlite_errors(path):
        query = f"SELECT hand, least, above FROM {GRADES_TABLE} ORDER BY hand"
        for number, row in enumerate(connection.execute(query), 1):
            hand, solvable = next(hands, (None, b""))
            if hand is None:
                raise RefusedError(f"{path} is damaged: it grades more hands than it has")
            bits = _row_bits(row, len(targets))
            if row[0] != number or bits is None:
                raise RefusedError(f"{path} is damaged: its hand {number:,} is not graded")
            is_graded = ~np.isnan(bits)
            made = np.unpackbits(np.frombuffer(solvable, np.uint8), count=len(bits)).view(bool)
            # People avoid negative results, with which more targets can be made.
            if (is_graded > made).any() or (not game.negatives and (is_graded < made).any()):
                grades = f"the difficulties of its hand {number:,}"
                raise RefusedError(f"{path} is damaged: {grades} are not of the targets it makes")
            yield hand, bits
    deque(hands, maxlen=0)


def _row_bits(row: tuple[Any, ...], width: int) -> Floats | None:
    _, least, above = row
    if type(least) is not int or abs(least) > _MAX_PARTS or type(above) is not bytes:
        return None
    if len(above) not in (2 * width, 4 * width):
        return None
    bits = unpack_bits(PackedBits(least, above), width)
    is_too_large = np.nanmax(bits, initial=0) > _MAX_PARTS / _PARTS_PER_BIT
    # Packing the bits again gives the same bytes, unless they are damaged.
    is_damaged = is_too_large or pack_bits(bits) != (least, above)
    return None if is_damaged else bits
