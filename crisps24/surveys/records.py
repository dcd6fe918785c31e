"""The SQLite file of a survey: its schema, and reading it with a check of each value.

One row has the game and the targets. Then each hand has a row, in order, with one bit for each
target: 1 2 5 8 with targets 20 to 27 and the byte 0b00001000 makes only 24. A survey of difficulty
also has the table `difficulties`, which `grades` reads. Rows are checked one by one, so that
reading stops at the first damaged row and never takes more memory than the largest survey.
"""

import errno
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from crisps24.surveys.fields import game_from_json, is_word

if TYPE_CHECKING:
    from sqlite3 import Connection

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
# The table of a survey of difficulty.
GRADES_TABLE = "difficulties"
OPTIONAL_SCHEMA = {
    GRADES_TABLE: """CREATE TABLE difficulties (
    hand INTEGER PRIMARY KEY,     -- its place among the hands of the game, from 1
    least INTEGER NOT NULL,       -- bits of its easiest target, in thousandths; 0 if it makes none
    above BLOB NOT NULL           -- thousandths above these: two bytes a target, the high one
                                  -- first, or four where two hold too little; all set for none
)"""
}
# Bytes of a row and its values, more than any survey has.
_MAX_ROW_BYTES = 1 << 22
# A survey has application id 0. Its user version is the `COSTS_VERSION` of its grades, or 0.
_PRAGMAS = ("application_id", "user_version")
# The kinds of things in a SQLite file.
_KINDS = ("table", "index", "view", "trigger")


def load_survey(path: Path) -> tuple[Game, range, list[Hand], Bits]:
    """Read the file of a survey: its game, its targets, its hands, and a table of booleans."""
    with open_survey(path) as (connection, _):
        game, targets, _ = read_subject(connection, path)
        hands: list[Hand] = []
        packed = bytearray()
        for hand, bits in read_hands(connection, path, game, targets):
            hands.append(hand)
            packed += bits
    table = np.frombuffer(packed, np.uint8).reshape(len(hands), -(-len(targets) // 8))
    return game, targets, hands, unpack_rows(table, len(targets))


@contextmanager
def open_survey(path: Path) -> Iterator[tuple["Connection", set[str]]]:
    """Open the file of a survey; yield a connection to it and the names of its tables."""
    with closing(connect(path, create=False)) as connection:
        names = table_names(connection, path)
        if not names:
            raise RefusedError(f"{path} is empty: it is not a survey")
        yield connection, names


def unpack_rows(table: npt.NDArray[np.uint8], width: int) -> Bits:
    """Return rows of bytes as rows of `width` booleans, the highest bit of a byte first."""
    return np.unpackbits(table, axis=1, count=width).view(np.bool_)


def connect(path: Path, *, create: bool) -> "Connection":
    """Open a SQLite file, and create it on request; no code in it is run."""
    try:
        import sqlite3
    except ImportError:
        raise RefusedError("files of surveys need SQLite, which a browser lacks") from None
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder, not a survey", str(path))
    if path.exists() and not path.is_file():
        # Reading a pipe would wait.
        raise OSError(errno.EINVAL, "it is not a regular file", str(path))
    if create and not path.exists():
        check_place(path)
    else:
        path.open("rb").close()
    with sqlite_errors(path):
        uri = f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}"
        connection = sqlite3.connect(uri, uri=True)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_ROW_BYTES)
        # Invalid text becomes a damaged value, not an error of SQLite.
        connection.text_factory = lambda text: text.decode(errors="replace")
        # SQLite then reports some kinds of damage earlier, as an error.
        connection.execute("PRAGMA cell_size_check = ON")
    return connection


def table_names(connection: "Connection", path: Path) -> set[str]:
    """Return the names of the tables of a survey; an empty set for an empty file."""
    schema = SCHEMA | OPTIONAL_SCHEMA
    with sqlite_errors(path):
        query = "SELECT type, name, sql FROM sqlite_schema"
        # One more than a survey can have is enough to see that the file is something else.
        entries = connection.execute(query).fetchmany(len(schema) + 1)
        pragmas = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in _PRAGMAS]
    # The rows of a view may never end.
    for kind, name, _ in entries:
        if name in schema and kind != "table":
            raise RefusedError(f"{path} is not a survey: its {name} is not a table")
    names = {name for _, name, _ in entries}
    application_id, costs_version = pragmas
    is_known = not application_id and 0 <= costs_version <= COSTS_VERSION
    if not is_known or (entries and not set(SCHEMA) <= names):
        raise RefusedError(f"{path} is not a survey: it is another SQLite file")
    for kind, name, sql in entries:
        if name not in schema:
            extra = kind if kind in _KINDS else "entry"
            raise RefusedError(f"{path} is not a survey: it has an extra {extra}")
        if _normalize_sql(sql) != _normalize_sql(schema[name]):
            raise RefusedError(f"{path} is not a survey: its table {name} has other columns")
    return names


def _normalize_sql(sql: Any) -> str:
    """Return the SQL that creates a table without its comments, with single spaces."""
    return re.sub(r"\s+", " ", re.sub(r"--.*", "", str(sql))).strip()


def read_subject(connection: "Connection", path: Path) -> tuple[Game, range, str]:
    """Return the game and the targets of a survey, and the version that started it."""
    with sqlite_errors(path):
        query = "SELECT game, version, first_target, last_target FROM survey"
        # A survey has one row; a second one shows damage.
        entries = connection.execute(query).fetchmany(2)
    try:
        if len(entries) != 1:
            raise RefusedError("it does not have exactly one game")
        text, version, first, last = entries[0]
        for name, value in (("game", text), ("version", version)):
            if type(value) is not str:
                raise RefusedError(f"its {name} is not a text")
        if not is_word(version):
            raise RefusedError("its version is not a version")
        if type(first) is not int or type(last) is not int:
            raise RefusedError("its first and last target are not whole numbers")
        if last < first:
            raise RefusedError(f"its targets {first}..{last} run downwards")
        if last - first >= MAX_RANGE_LENGTH:
            raise RefusedError(f"its targets {first}..{last} are more than {MAX_RANGE_LENGTH:,}")
        targets = range(first, last + 1)
        game = game_from_json(text)
        check_size(game, targets)
    except ValueError as error:
        reason = f"{path} is not a survey that crisps24 {__version__} can read"
        raise RefusedError(f"{reason}: {error}") from None
    return game, targets, version


def read_hands(
    connection: "Connection", path: Path, game: Game, targets: range
) -> Iterator[tuple[Hand, bytes]]:
    """Yield each hand of the file of a survey, in order, with bytes that say what it makes."""
    hands = iter_hands(game)
    width = len(targets)
    with sqlite_errors(path):
        query = "SELECT hand, numbers, reached, targets FROM hands ORDER BY hand"
        for number, row in enumerate(connection.execute(query), 1):
            hand = next(hands, None)
            if hand is None:
                raise RefusedError(f"{path} is damaged: it has more hands than {game.name}")
            if problem := _row_problem(number, row, hand, width):
                raise RefusedError(f"{path} is damaged: {problem}")
            yield hand, row[3]


def _row_problem(number: int, row: tuple[Any, ...], hand: Hand, width: int) -> str:
    """Return how a row of the file is damaged, or "" if it is right."""
    row_number, numbers, reached, bits = row
    if row_number != number:
        return f"its hand {number:,} is missing"
    if numbers != format_hand(hand):
        return f"its hand {number:,} is not {format_hand(hand)}"
    if type(bits) is not bytes or len(bits) != -(-width // 8):
        return f"the targets of its hand {number:,} are not {width:,} bits"
    mask = int.from_bytes(bits, "big")
    # The unused bits at the end of the last byte must be 0.
    if mask & ((1 << -width % 8) - 1):
        return f"the targets of its hand {number:,} are more than {width:,} bits"
    if type(reached) is not int or mask.bit_count() != reached:
        return f"its hand {number:,} does not make as many targets as it says"
    return ""


@contextmanager
def sqlite_errors(path: Path, note: str = "") -> Iterator[None]:
    """Convert the errors of SQLite in a block to errors that name the file."""
    import sqlite3

    try:
        yield
    except sqlite3.IntegrityError:
        raise OSError(f"{path}: another survey is writing to it{note}") from None
    except sqlite3.OperationalError as error:
        raise OSError(f"{path}: {_printable(error)}{note}") from None
    except sqlite3.Error as error:
        raise RefusedError(f"{path} is not a survey: {_printable(error)}") from None
    except UnicodeDecodeError:
        # The message of SQLite quotes a damaged file, which need not be text.
        raise RefusedError(f"{path} is not a survey: it is damaged") from None


def _printable(error: Exception) -> str:
    """Return a message without control characters, since SQLite quotes from files."""
    return "".join(char if char.isprintable() else "?" for char in str(error))
