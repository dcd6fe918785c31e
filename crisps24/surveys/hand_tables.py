"""A table with a row for each hand of a game and a column for each target.

Surveys and difficulties differ in their cells, and in how these are computed and stored.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from crisps24.errors import RefusedError
from crisps24.output.atomic_files import to_path
from crisps24.output.tables import Row, render
from crisps24.rules.games import Game, Hand
from crisps24.surveys.deals import check_size, target_index


@dataclass(frozen=True, eq=False)
class HandTable:
    """Hands of a game and a range of targets; a subclass adds an array of cells."""

    game: Game
    targets: range
    hands: list[Hand] = field(repr=False)
    _cells: ClassVar[str]
    """The name of the array."""
    _first_view: ClassVar[str]
    """The name of the method whose rows a notebook displays."""
    _done: ClassVar[str]
    """What hands in its file are: done."""
    _read: ClassVar[Callable[[Path], tuple[Any, ...]]]
    """The function that reads the fields from a file."""

    def only(self, target: int) -> Self:
        """Return the table of one of its targets."""
        index = target_index(target, self.targets)
        columns = slice(index, index + 1)
        cells = getattr(self, self._cells)[:, columns]
        return replace(self, targets=self.targets[columns], **{self._cells: cells})

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read the file that `survey`, `survey_difficulty` or `Survey.save` stored.

        Raises RefusedError if it is not complete, or its grades are those of another version.
        """
        game, targets, hands, cells = cls._read(to_path(path))
        if len(hands) < (count := check_size(game, targets)):
            done = f"{len(hands):,} of {count:,} hands are {cls._done}; the same command goes on"
            raise RefusedError(f"{path} is a survey that was interrupted: {done}")
        return cls(game, targets, hands, **{cls._cells: cells})

    def _repr_html_(self) -> str:
        rows: Sequence[Row] = getattr(self, self._first_view)()
        return render(rows, "html")
