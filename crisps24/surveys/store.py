"""The SQLite file of a survey: what was asked, and a row for each hand that is done.

Owns the schema. Hands are added in order, a chunk a transaction, so that a survey that was
interrupted goes on behind the last one and ends with the same file.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crisps24.about import __version__
from crisps24.rules.games import Game, Hand
from crisps24.rules.words import format_hand

Bits = npt.NDArray[np.bool_]

_SCHEMA = """
CREATE TABLE survey (
    game TEXT NOT NULL,           -- the fields of the game, as json
    version TEXT NOT NULL,        -- of the program that made the file
    first_target INTEGER NOT NULL,
    last_target INTEGER NOT NULL
);
CREATE TABLE hands (
    hand INTEGER PRIMARY KEY,     -- its place among the hands of the game, from 1
    numbers TEXT NOT NULL,        -- such as 1 2 5 8
    reached INTEGER NOT NULL,     -- how many targets it makes
    targets BLOB NOT NULL         -- a bit a target, the first in the highest bit of byte 1
);
"""


class Store:
    """The file of one survey, open for adding to."""

    def __init__(self, path: Path, game: Game, targets: range) -> None:
        """Open the file, made if it is missing.

        Raises ValueError where it is a survey of something else or no survey at all, OSError
        where it cannot be opened.
        """
        self.path = path
        self._connection = _connect(path)
        try:
            with _errors(path):
                if not _tables(self._connection, path):
                    self._create(game, targets)
                self._refuse_another(game, targets)
            self._done = self.count()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def count(self) -> int:
        """Return how many hands are done."""
        with _errors(self.path):
            query = "SELECT count(*), coalesce(max(hand), 0) FROM hands"
            [(count, last)] = self._connection.execute(query)
        if count != last:
            raise ValueError(f"{self.path} is damaged: of its {last:,} hands {count:,} are there")
        return int(count)

    def add(self, hands: Sequence[Hand], solvable: Bits) -> None:
        """Add the next hands, all of them or none.

        Raises OSError where there is no room for them, or another survey has added them
        meanwhile; what was there before stays.
        """
        rows = zip(
            count(self._done + 1),
            map(format_hand, hands),
            solvable.sum(axis=1).tolist(),
            (row.tobytes() for row in np.packbits(solvable, axis=1)),
            strict=False,
        )
        with _errors(self.path, "; what was stored before is kept"), self._connection:
            self._connection.executemany("INSERT INTO hands VALUES (?, ?, ?, ?)", rows)
        self._done += len(hands)

    def _create(self, game: Game, targets: range) -> None:
        with self._connection:
            self._connection.executescript("BEGIN;" + _SCHEMA)
            row = _text_of(game), __version__, targets[0], targets[-1]
            self._connection.execute("INSERT INTO survey VALUES (?, ?, ?, ?)", row)

    def _refuse_another(self, game: Game, targets: range) -> None:
        asked = _name(game, targets)
        row = self._connection.execute("SELECT * FROM survey").fetchone()
        with _readable(self.path):
            text, version, first, last = row
            made, span = _game_of(text), _targets_of(first, last)
            there = _name(made, span)
        if (made, span) != (game, targets):
            changed = " with other rules" if there == asked else ""
            raise ValueError(
                f"{self.path} is a survey of {there}; it cannot hold one of {asked}{changed}"
            )
        if version != __version__:
            this = f"crisps24 {__version__} does not go on with it"
            raise ValueError(f"{self.path} was begun by crisps24 {version}; {this}")


def load(path: Path) -> tuple[Game, range, list[Hand], Bits]:
    """Return what is in the file of a survey: game, targets, hands and what they make.

    Raises ValueError where it is no survey, OSError where it cannot be read.
    """
    with path.open("rb"):
        pass
    with _errors(path), closing(_connect(path)) as connection:
        if not _tables(connection, path):
            raise ValueError(f"{path} is empty: it is no survey")
        asked = connection.execute("SELECT * FROM survey").fetchone()
        query = "SELECT numbers, targets FROM hands ORDER BY hand"
        rows = connection.execute(query).fetchall()
    with _readable(path):
        made, _, first, last = asked
        game, targets = _game_of(made), _targets_of(first, last)
        width = len(targets)
        packed = np.frombuffer(b"".join(bits for _, bits in rows), np.uint8)
        packed = packed.reshape(len(rows), -(-width // 8))
        hands = [tuple(map(int, numbers.split())) for numbers, _ in rows]
        solvable = np.unpackbits(packed, axis=1, count=width).astype(bool)
        return game, targets, hands, solvable


def _name(game: Game, targets: range) -> str:
    return f"{game.name}, {targets[0]}..{targets[-1]}"


def _targets_of(first: int, last: int) -> range:
    """Return the targets of a survey; raise ValueError where there are none."""
    if last < first:
        raise ValueError(f"{first}..{last} runs downwards")
    return range(first, last + 1)


def _text_of(game: Game) -> str:
    """Return the fields of a game as json; what is said of it is none of its rules."""
    return json.dumps({name: value for name, value in asdict(game).items() if name != "about"})


def _game_of(text: str) -> Game:
    """Return the game with the fields in a text; one that was not there yet has its default.

    Raises TypeError for a field that no game has: what it asks is not known.
    """
    values: dict[str, Any] = json.loads(text)
    for name, value in values.items():
        if isinstance(value, list):
            values[name] = tuple(tuple(v) if isinstance(v, list) else v for v in value)
    return Game(**values)


@contextmanager
def _errors(path: Path, also: str = "") -> Iterator[None]:
    """Tell what SQLite complains of as an error of the file."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise OSError(f"{path}: another survey is writing to it{also}") from None
    except sqlite3.OperationalError as error:
        raise OSError(f"{path}: {error}{also}") from None
    except sqlite3.DatabaseError as error:
        raise ValueError(f"{path} is no survey: {error}") from None


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Tell what cannot be made sense of in a file as what it is no survey for."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ValueError(f"{path} is no survey that crisps24 {__version__} can read") from None


def _connect(path: Path) -> sqlite3.Connection:
    with _errors(path):
        return sqlite3.connect(path)


def _tables(connection: sqlite3.Connection, path: Path) -> bool:
    """Return whether the file has the tables of a survey; False where it is empty."""
    with _errors(path):
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema")}
    if names and not {"survey", "hands"} <= names:
        raise ValueError(f"{path} is no survey: it is a SQLite file of something else")
    return bool(names)
