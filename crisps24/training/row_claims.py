"""What the rows of a data set say about their puzzles: answer keys, closest values, levels.

A column is found by its common names, see `columns.COLUMN_NAMES`, or by a name that the user gives.
Columns can also be in an object `metadata`, as `deal` writes it.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from crisps24.errors import RefusedError, quoted
from crisps24.judging.columns import COLUMN_NAMES, find_column
from crisps24.judging.records import parse_number
from crisps24.puzzle import Puzzle
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, Game, Hand, find_game
from crisps24.rules.ids import is_id
from crisps24.training.rewards import puzzle_from_row

# Texts of a column that says whether a puzzle can be solved.
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
# The claims about a puzzle that few files have; attributes of `RowClaims`.
OPTIONAL_CLAIMS = ("solvable", "closest", "distance", "level")


class RowClaims(NamedTuple):
    """A puzzle in a row of a data set, and what the row says about it."""

    line: int
    """The number of the line, or of the row."""
    puzzle: Puzzle
    """The puzzle with its numbers in ascending order."""
    hand: Hand
    """The numbers in the order of the row."""
    names_game: bool
    """Whether the row or the user names the game."""
    columns: Mapping[str, str]
    """The name of the column for each kind of `COLUMN_NAMES` that the row has."""
    keys: tuple[str, ...] = ()
    """The answer keys; several if the column has a list."""
    has_key_list: bool = False
    solvable: bool | None = None
    """Whether the row says that the puzzle can be solved; None if it says nothing."""
    closest: Exact | None = None
    """The value that the row gives as the closest one."""
    distance: Exact | None = None
    """The distance from the target to the closest value, as the row gives it."""
    level: Exact | None = None
    """The difficulty that the row gives, only in rows with an id of this package."""

    @property
    def checked_claims(self) -> list[str]:
        """The kinds of `OPTIONAL_CLAIMS` that the row makes and that can be checked."""
        # Without a game, the rules for the closest value are unknown.
        unknown = () if self.names_game else ("closest", "distance")
        return [
            kind
            for kind in OPTIONAL_CLAIMS
            if kind not in unknown and getattr(self, kind) is not None
        ]


class ClaimReader:
    """Reads the claims of rows, with the columns that the user names.

    >>> reader = ClaimReader(columns={"key": "formula"})
    >>> claims = reader.read(1, {"starting": [8, 3], "goal": 24, "formula": "3*8", "note": "a"})
    >>> claims.puzzle.hand, claims.keys, claims.columns
    ((3, 8), ('3*8',), {'hand': 'starting', 'target': 'goal', 'key': 'formula'})
    """

    def __init__(
        self, game: Game | str | None = None, columns: Mapping[str, str] | None = None
    ) -> None:
        """Prepare to read rows.

        Args:
            game: the game of rows that do not name one. None is the free game, and then the rules
                of these rows are unknown: their closest values cannot be checked.
            columns: names of columns, by their kind: a key of `COLUMN_NAMES`.

        Raises RefusedError for an unknown game.
        """
        self.game = FREE_GAME if game is None else find_game(game)
        self.names_game = game is not None
        self.given_columns = dict(columns or {})
        self._columns_by_names: dict[tuple[str, ...], dict[str, str]] = {}

    def columns_of(self, names: Iterable[str]) -> dict[str, str]:
        """Return the column of each kind among the names of the columns of a row.

        >>> ClaimReader().columns_of(["hand", "goal", "note"])
        {'hand': 'hand', 'target': 'goal'}
        """
        names = tuple(names)
        if names not in self._columns_by_names:
            # A name that is given for another kind is not found by its common name.
            others = [name for name in names if name not in self.given_columns.values()]
            found = {
                kind: given
                if (given := self.given_columns.get(kind))
                else find_column(kind, others)
                for kind in COLUMN_NAMES
            }
            self._columns_by_names[names] = {
                kind: name for kind, name in found.items() if name in names
            }
        return self._columns_by_names[names]

    def check_given_columns(self, names: Iterable[str]) -> None:
        """Raise RefusedError if a column that the user names is not among the columns of a file."""
        known = list(names)
        for kind, name in self.given_columns.items():
            if name not in known:
                problem = f"--{kind}-column: the file has no column {quoted(name)}"
                raise RefusedError(f"{problem} (expected one of {', '.join(known)})")

    def read(self, line: int, record: Mapping[str, Any]) -> RowClaims:
        """Return the puzzle and the claims of a row.

        Raises RefusedError if the row has no puzzle, and for a closest value, distance or level
        that is not a number.
        """
        fields = fields_of_row(record)
        columns = self.columns_of(fields)
        puzzle = puzzle_from_row(self._with_common_names(fields, columns), self.game)
        sorted_puzzle = Puzzle(tuple(sorted(puzzle.hand)), puzzle.target, puzzle.game)
        has_id = isinstance(fields.get("id"), str) and is_id(fields["id"])
        key = fields.get(columns.get("key", ""))

        def number(kind: str) -> Exact | None:
            return parse_number(fields[columns[kind]], columns[kind]) if kind in columns else None

        return RowClaims(
            line,
            sorted_puzzle,
            puzzle.hand,
            self.names_game or has_id or "game" in fields,
            columns,
            keys=tuple(map(_key_text, key)) if isinstance(key, list) else _single_key(key),
            has_key_list=isinstance(key, list),
            solvable=_truth(fields[columns["solvable"]]) if "solvable" in columns else None,
            closest=number("closest"),
            distance=number("distance"),
            level=parse_number(fields["level"], "level") if has_id and "level" in fields else None,
        )

    def _with_common_names(
        self, fields: dict[str, Any], columns: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the fields of a row with common names for the columns that the user names."""
        if self.given_columns.keys().isdisjoint(("hand", "target")):
            return fields
        renamed = dict(fields)
        for kind, standard_name in (("hand", "nums"), ("target", "target")):
            if kind in self.given_columns and kind in columns:
                for name in COLUMN_NAMES[kind]:
                    renamed.pop(name, None)
                renamed[standard_name] = fields[columns[kind]]
        return renamed


def fields_of_row(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a row and of its `metadata`, without empty ones.

    A field of the row itself comes before one of the metadata.

    >>> fields_of_row({"answer": "3*8", "note": "", "metadata": {"answer": "", "nums": [3, 8]}})
    {'answer': '3*8', 'nums': [3, 8]}
    """
    fields = {name: value for name, value in record.items() if not _is_empty(value)}
    metadata = fields.pop("metadata", None)
    if isinstance(metadata, Mapping):
        for name, value in metadata.items():
            if name not in fields and not _is_empty(value):
                fields[name] = value
    return fields


def _is_empty(value: Any) -> bool:
    is_nan = isinstance(value, float) and value != value
    return value is None or is_nan or (isinstance(value, str) and not value)


def _single_key(key: Any) -> tuple[str, ...]:
    """Return the text of a key as a tuple, empty for an object and for no key."""
    return () if key is None or isinstance(key, Mapping) else (_key_text(key),)


def _key_text(key: Any) -> str:
    # A number of JSON that is not whole has its digits in `text`.
    return str(getattr(key, "text", key))


def _truth(value: Any) -> bool | None:
    """Return whether a value means that a puzzle can be solved; None for other values."""
    return _TRUTHS.get(str(value).strip().casefold())


def describe_columns(reader: ClaimReader, records: Iterable[Mapping[str, Any]]) -> str:
    """Return which columns of some rows are read as what, in one line.

    >>> rows = [{"nums": [3, 8], "answer": "3*8"}, {"hand": [3, 8], "answer": ""}]
    >>> describe_columns(ClaimReader(), rows)
    'columns read: hand = nums or hand, key = answer'
    """
    # The names of the columns for each kind, without repetition.
    names_by_kind: dict[str, dict[str, None]] = {}
    for record in records:
        fields = fields_of_row(record)
        columns = dict(reader.columns_of(fields))
        if "game" in fields:
            columns["game"] = "game"
        if isinstance(fields.get("id"), str) and is_id(fields["id"]):
            columns["puzzle"] = "id"
            columns |= {"level": "level"} if "level" in fields else {}
        for kind, name in columns.items():
            names_by_kind.setdefault(kind, {})[name] = None
    texts = [f"{kind} = {' or '.join(names)}" for kind, names in names_by_kind.items()]
    return f"columns read: {', '.join(texts) or 'none'}"
