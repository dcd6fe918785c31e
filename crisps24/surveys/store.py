"""The file of a survey in progress: hands are added in order, one transaction per chunk.

An interrupted survey continues after the last hand, and ends with the same file. Hands are graded
in the same way, once all are there.
"""

from collections.abc import Sequence
from itertools import count
from pathlib import Path

import numpy as np

from crisps24.about import __version__
from crisps24.errors import RefusedError
from crisps24.hands.costs import COSTS_VERSION
from crisps24.rules.deals import format_hand
from crisps24.rules.games import Game, Hand
from crisps24.surveys.deals import check_size
from crisps24.surveys.fields import json_of
from crisps24.surveys.grades import Packed, graded_rows, refuse_other_costs
from crisps24.surveys.records import (
    GRADES,
    MORE,
    SCHEMA,
    Bits,
    asked,
    connect,
    errors,
    rows,
    tables_in,
)
from crisps24.surveys.titles import name_of

# What SQLite holds as a number.
_LARGEST = (1 << 63) - 1


class Store:
    """The file of one survey, open for adding to; `done` is the number of its hands."""

    def __init__(self, path: Path, game: Game, targets: range) -> None:
        """Open the file, made if it is missing, and look at all that is in it.

        Raises ValueError where it is a survey of something else or no survey at all, OSError
        where it cannot be opened, or not be added to though hands are left.
        """
        self.path, self.game, self.targets = path, game, targets
        self._graded = 0
        text = json_of(game)
        if max(abs(targets[0]), abs(targets[-1])) > _LARGEST:
            raise RefusedError(f"{path}: a file keeps targets up to {_LARGEST:,}")
        self._connection = connect(path, make=True)
        try:
            if not tables_in(self._connection, path):
                self._create(text, targets)
            self._refuse_another(game, targets)
            self.done = sum(1 for _ in rows(self._connection, path, game, targets))
            if self.done < check_size(game, targets):
                self._try()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def add(self, hands: Sequence[Hand], solvable: Bits) -> None:
        """Add the next hands, all of them or none.

        Raises OSError if the disk is full, or if another survey has added them meanwhile.
        """
        made = zip(
            count(self.done + 1),
            map(format_hand, hands),
            solvable.sum(axis=1).tolist(),
            (row.tobytes() for row in np.packbits(solvable, axis=1)),
            strict=False,
        )
        with errors(self.path, "; what was stored before is kept"), self._connection:
            self._connection.executemany("INSERT INTO hands VALUES (?, ?, ?, ?)", made)
        self.done += len(hands)

    def count_graded(self) -> int:
        """Return how many hands are graded, and make the table of them where there is none.

        Raises what opening the file raises.
        """
        if GRADES not in tables_in(self._connection, self.path):
            with errors(self.path), self._connection:
                made = f"BEGIN; {MORE[GRADES]}; PRAGMA user_version = {COSTS_VERSION};"
                self._connection.executescript(made)
        refuse_other_costs(self._connection, self.path)
        found = graded_rows(self._connection, self.path, self.game, self.targets)
        self._graded = sum(1 for _ in found)
        if self._graded < self.done:
            self._try()
        return self._graded

    def grade(self, packed: Sequence[Packed]) -> None:
        """Add how hard the next hands are, all of them or none.

        Raises what `add` raises.
        """
        made = ((place, *row) for place, row in enumerate(packed, self._graded + 1))
        with errors(self.path, "; what was stored before is kept"), self._connection:
            self._connection.executemany(f"INSERT INTO {GRADES} VALUES (?, ?, ?)", made)
        self._graded += len(packed)

    def _create(self, text: str, targets: range) -> None:
        with errors(self.path), self._connection:
            self._connection.executescript(f"BEGIN; {'; '.join(SCHEMA.values())};")
            row = text, __version__, targets[0], targets[-1]
            self._connection.execute("INSERT INTO survey VALUES (?, ?, ?, ?)", row)

    def _try(self) -> None:
        """Check that the file can be written, before the work starts."""
        with errors(self.path):
            # What is taken back was never written to it, but to the journal beside it.
            self._connection.execute("UPDATE survey SET version = version")
            self._connection.rollback()

    def _refuse_another(self, game: Game, targets: range) -> None:
        made, span, version = asked(self._connection, self.path)
        both = (made, span), (game, targets)
        if both[0] != both[1]:
            there, wanted = (f"{name_of(one)}, {few[0]}..{few[-1]}" for one, few in both)
            changed = " with other rules" if there == wanted else ""
            raise RefusedError(
                f"{self.path} is a survey of {there}; it cannot hold one of {wanted}{changed}"
            )
        if version != __version__:
            this = f"crisps24 {__version__} does not go on with it"
            raise RefusedError(f"{self.path} was begun by crisps24 {version}; {this}")
