"""The SQLite file of a survey: its schema, and reading it with every value checked.

One row has the game and the targets; then comes a row for each hand that is done, in order. Rows
are checked one by one, so that no more are read than the survey can have.
"""

import errno
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crisps24.about import __version__
from crisps24.errors import RefusedError
from crisps24.hands.costs import COSTS_VERSION
from crisps24.output.atomic_files import check_place
from crisps24.rules.deals import format_hand, iter_hands
from crisps24.rules.games import Game, Hand
from crisps24.rules.words import MAX_RANGE_LENGTH
from crisps24.surveys.deals import check_size
from crisps24.surveys.fields import game_of, is_word

Bits = npt.NDArray[np.bool_]

SCHEMA = {
    "survey": """CREATE TABLE survey (
    game TEXT NOT NULL,           -- the fields of the game, as json
    version TEXT NOT NULL,        -- of the program that made the file
    first_target INTEGER NOT NULL,
    last_target INTEGER NOT NULL
)""",
    "hands": """CREATE TABLE hands (
    hand INTEGER PRIMARY KEY,     -- its place among the hands of the game, from 1
    numbers TEXT NOT NULL,        -- such as 1 2 5 8
    reached INTEGER NOT NULL,     -- how many targets it makes
    targets BLOB NOT NULL         -- a bit a target, the first in the highest bit of byte 1
)""",
}
# The table that is there once the survey is one of difficulty.
GRADES = "difficulties"
MORE = {
    GRADES: """CREATE TABLE difficulties (
    hand INTEGER PRIMARY KEY,     -- its place among the hands of the game, from 1
    least INTEGER NOT NULL,       -- bits of its easiest target, in thousandths; 0 if it makes none
    above BLOB NOT NULL           -- thousandths above these: two bytes a target, the high one
                                  -- first, or four where two hold too little; all set for none
)""",
}
# Bytes of a row and of all in it, beyond what any survey has.
_LONGEST_ROW = 1 << 22


def load(path: Path) -> tuple[Game, range, list[Hand], Bits]:
    """Return what is in the file of a survey: game, targets, hands and what they make.

    Raises ValueError where it is no survey, OSError where it cannot be read.
    """
    with opened(path) as (connection, _):
        game, targets, _ = asked(connection, path)
        hands: list[Hand] = []
        packed = bytearray()
        for hand, bits in rows(connection, path, game, targets):
            hands.append(hand)
            packed += bits
    table = np.frombuffer(packed, np.uint8).reshape(len(hands), -(-len(targets) // 8))
    return game, targets, hands, unpacked(table, len(targets))


@contextmanager
def opened(path: Path) -> Iterator[tuple[sqlite3.Connection, set[str]]]:
    """Give the file of a survey to be read, and the names of its tables.

    Raises ValueError where it is no survey, OSError where it cannot be read.
    """
    with closing(connect(path, make=False)) as connection:
        names = tables_in(connection, path)
        if not names:
            raise RefusedError(f"{path} is empty: it is no survey")
        yield connection, names


def unpacked(table: npt.NDArray[np.uint8], width: int) -> Bits:
    """Return rows of bits as rows of truths, so many in each."""
    return np.unpackbits(table, axis=1, count=width).view(np.bool_)


def connect(path: Path, *, make: bool) -> sqlite3.Connection:
    """Open a file, made if it is missing where that is wanted; nothing in it is run.

    Raises OSError where that cannot be done.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder, and no survey", str(path))
    if path.exists() and not path.is_file():
        # Reading a pipe would wait.
        raise OSError(errno.EINVAL, "it is no regular file", str(path))
    if make and not path.exists():
        check_place(path)
    else:
        path.open("rb").close()
    with errors(path):
        place = f"{path.absolute().as_uri()}?mode={'rwc' if make else 'rw'}"
        connection = sqlite3.connect(place, uri=True)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_ROW)
        # What is no text is told as what it is read as, not by SQLite.
        connection.text_factory = lambda text: text.decode(errors="replace")
        connection.execute("PRAGMA cell_size_check = ON")
    return connection


def tables_in(connection: sqlite3.Connection, path: Path) -> set[str]:
    """Return the names of the tables of a survey that a file has; none where it is empty.

    Raises ValueError where it has something else, such as a view, which may have no end.
    """
    known = SCHEMA | MORE
    with errors(path):
        query = "SELECT type, name, sql FROM sqlite_schema"
        found = connection.execute(query).fetchmany(len(known) + 1)
        marks = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _MARKS]
    for kind, name, _ in found:
        if name in known and kind != "table":
            raise RefusedError(f"{path} is no survey: its {name} is no table")
    names = {name for _, name, _ in found}
    if marks[0] or not 0 <= marks[1] <= COSTS_VERSION or (found and not set(SCHEMA) <= names):
        raise RefusedError(f"{path} is no survey: it is a SQLite file of something else")
    for kind, name, sql in found:
        if name not in known:
            other = kind if kind in _KINDS else "thing"
            raise RefusedError(f"{path} is no survey: it has another {other} beside its tables")
        if _bare(sql) != _bare(known[name]):
            raise RefusedError(f"{path} is no survey: its table {name} has other columns")
    return names


# By which programs tell their files: a survey has no first one, and in the second the version of
# the costs that it is graded by.
_MARKS = ("application_id", "user_version")
# What a file of SQLite may hold.
_KINDS = ("table", "index", "view", "trigger")


def _bare(sql: Any) -> str:
    """Return a definition without its comments, with single spaces."""
    return re.sub(r"\s+", " ", re.sub(r"--.*", "", str(sql))).strip()


def asked(connection: sqlite3.Connection, path: Path) -> tuple[Game, range, str]:
    """Return the game and the targets of a survey, and the version that started it.

    Raises ValueError if one of them is damaged, or the survey is larger than a survey can be.
    """
    with errors(path):
        query = "SELECT game, version, first_target, last_target FROM survey"
        found = connection.execute(query).fetchmany(2)
    try:
        if len(found) != 1:
            raise RefusedError("it does not say what it is a survey of, once")
        text, version, first, last = found[0]
        for name, value in (("game", text), ("version", version)):
            if type(value) is not str:
                raise RefusedError(f"its {name} is no text")
        if not is_word(version):
            raise RefusedError("its version is none")
        targets = _targets_of(first, last)
        game = game_of(text)
        check_size(game, targets)
    except ValueError as error:
        told = f"{path} is no survey that crisps24 {__version__} can read"
        raise RefusedError(f"{told}: {error}") from None
    return game, targets, version


def _targets_of(first: object, last: object) -> range:
    if type(first) is not int or type(last) is not int:
        raise RefusedError("its first and last target are no whole numbers")
    if last < first:
        raise RefusedError(f"its targets {first}..{last} run downwards")
    if last - first >= MAX_RANGE_LENGTH:
        raise RefusedError(f"its targets {first}..{last} are more than {MAX_RANGE_LENGTH:,}")
    return range(first, last + 1)


def rows(
    connection: sqlite3.Connection, path: Path, game: Game, targets: range
) -> Iterator[tuple[Hand, bytes]]:
    """Yield each hand that is done, with a bit for each target.

    Raises ValueError at the first that is not as it has to be.
    """
    hands = iter_hands(game)
    width = len(targets)
    with errors(path):
        query = "SELECT hand, numbers, reached, targets FROM hands ORDER BY hand"
        for place, row in enumerate(connection.execute(query), 1):
            hand = next(hands, None)
            if hand is None:
                raise RefusedError(f"{path} is damaged: it has more hands than {game.name}")
            if why := _why_damaged(place, row, hand, width):
                raise RefusedError(f"{path} is damaged: {why}")
            yield hand, row[3]


def _why_damaged(place: int, row: tuple[Any, ...], hand: Hand, width: int) -> str:
    """Return the reason why a row is not that of a hand, or nothing."""
    found, numbers, reached, bits = row
    if found != place:
        return f"its hand {place:,} is missing"
    if numbers != format_hand(hand):
        return f"its hand {place:,} is not {format_hand(hand)}"
    if type(bits) is not bytes or len(bits) != -(-width // 8):
        return f"the targets of its hand {place:,} are not {width:,} bits"
    made = int.from_bytes(bits, "big")
    if made & ((1 << -width % 8) - 1):
        return f"the targets of its hand {place:,} are more than {width:,} bits"
    if type(reached) is not int or made.bit_count() != reached:
        return f"its hand {place:,} does not make as many targets as it says"
    return ""


@contextmanager
def errors(path: Path, also: str = "") -> Iterator[None]:
    """Tell what SQLite complains of as an error of the file."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise OSError(f"{path}: another survey is writing to it{also}") from None
    except sqlite3.OperationalError as error:
        raise OSError(f"{path}: {_plain(error)}{also}") from None
    except sqlite3.Error as error:
        raise RefusedError(f"{path} is no survey: {_plain(error)}") from None
    except UnicodeDecodeError:
        # What SQLite quotes of a damaged file need be no text.
        raise RefusedError(f"{path} is no survey: it is damaged") from None


def _plain(error: Exception) -> str:
    """Return what SQLite says without what would move a terminal: it quotes from files."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(error))
