"""The file of a survey in progress: hands are added in order, one transaction per chunk.

An interrupted survey continues after the last stored hand, and ends with the same file. Hands are
graded in the same way, once all are stored.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from crisps24.about import __version__
from crisps24.errors import RefusedError
from crisps24.hands.costs import COSTS_VERSION
from crisps24.rules.deals import format_hand
from crisps24.rules.games import Game, Hand
from crisps24.surveys.deals import check_size
from crisps24.surveys.fields import game_to_json
from crisps24.surveys.grades import PackedBits, read_grades, refuse_other_costs
from crisps24.surveys.records import (
    GRADES_TABLE,
    OPTIONAL_SCHEMA,
    SCHEMA,
    Bits,
    connect,
    read_hands,
    read_subject,
    sqlite_errors,
    table_names,
)
from crisps24.surveys.titles import game_title

# The largest integer in SQLite.
_MAX_INTEGER = (1 << 63) - 1


class Store:
    """The file of one survey, open for adding hands; a context manager that closes it."""

    def __init__(self, path: Path, game: Game, targets: range) -> None:
        self.path, self.game, self.targets = path, game, targets
        self._graded = 0
        existed = path.exists()
        text = game_to_json(game)
        if max(abs(targets[0]), abs(targets[-1])) > _MAX_INTEGER:
            raise RefusedError(f"{path}: a file keeps targets up to {_MAX_INTEGER:,}")
        self._connection = connect(path, create=True)
        try:
            if not table_names(self._connection, path):
                with sqlite_errors(path), self._connection:
                    self._connection.executescript(f"BEGIN; {'; '.join(SCHEMA.values())};")
                    row = text, __version__, targets[0], targets[-1]
                    self._connection.execute("INSERT INTO survey VALUES (?, ?, ?, ?)", row)
            self._refuse_another(game, targets)
            self.hand_count = sum(1 for _ in read_hands(self._connection, path, game, targets))
            """The number of hands in the file."""
            if self.hand_count < check_size(game, targets):
                self._check_writable()
        except BaseException:
            self._connection.close()
            if not existed and path.exists() and not path.stat().st_size:
                # The disk is full: leave no file that has nothing.
                path.unlink()
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def add(self, hands: Sequence[Hand], solvable: Bits) -> None:
        """Write the results of the next hands to the file, all or none."""
        reached = solvable.sum(axis=1).tolist()
        packed = (row.tobytes() for row in np.packbits(solvable, axis=1))
        rows = zip(map(format_hand, hands), reached, packed, strict=True)
        self.hand_count = self._insert("hands VALUES (?, ?, ?, ?)", self.hand_count, rows)

    def count_graded(self) -> int:
        """Return how many hands of the file have difficulties."""
        if GRADES_TABLE not in table_names(self._connection, self.path):
            with sqlite_errors(self.path), self._connection:
                schema = OPTIONAL_SCHEMA[GRADES_TABLE]
                script = f"BEGIN; {schema}; PRAGMA user_version = {COSTS_VERSION};"
                self._connection.executescript(script)
        refuse_other_costs(self._connection, self.path)
        grades = read_grades(self._connection, self.path, self.game, self.targets)
        self._graded = sum(1 for _ in grades)
        if self._graded < self.hand_count:
            self._check_writable()
        return self._graded

    def add_grades(self, grades: Sequence[PackedBits]) -> None:
        """Write the difficulties of the next hands to the file, all or none."""
        self._graded = self._insert(f"{GRADES_TABLE} VALUES (?, ?, ?)", self._graded, grades)

    def _insert(self, into: str, stored: int, rows: Iterable[tuple[Any, ...]]) -> int:
        """Write rows after those stored, with their numbers; return how many are stored now."""
        numbered = [(number, *row) for number, row in enumerate(rows, stored + 1)]
        with sqlite_errors(self.path, "; what was stored before is kept"), self._connection:
            self._connection.executemany(f"INSERT INTO {into}", numbered)
        return stored + len(numbered)

    def _check_writable(self) -> None:
        """Check that the file can be written, before the work starts."""
        with sqlite_errors(self.path):
            # A change that is rolled back is written to the journal, never to the file.
            self._connection.execute("UPDATE survey SET version = version")
            self._connection.rollback()

    def _refuse_another(self, game: Game, targets: range) -> None:
        """Raise RefusedError if the file has another game, other targets or another version."""
        stored_game, stored_targets, version = read_subject(self._connection, self.path)
        if (stored_game, stored_targets) != (game, targets):
            stored = f"{game_title(stored_game)}, {stored_targets[0]}..{stored_targets[-1]}"
            wanted = f"{game_title(game)}, {targets[0]}..{targets[-1]}"
            changed = " with other rules" if stored == wanted else ""
            raise RefusedError(
                f"{self.path} is a survey of {stored}; it cannot hold one of {wanted}{changed}"
            )
        if version != __version__:
            raise RefusedError(
                f"{self.path} was started by crisps24 {version}; "
                f"crisps24 {__version__} does not continue it"
            )
