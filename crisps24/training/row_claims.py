"""The claims of the rows of a data set about their puzzles: answer keys, closest values, levels.

A column is found by its common names, see `columns.COLUMN_NAMES`, or by a name that the user gives.
Columns can also be in an object `metadata`, as `deal` writes it.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, NamedTuple

from crisps24.errors import CrispsError, RefusedError, quoted
from crisps24.judging import records
from crisps24.judging.columns import CARD_FIELDS, COLUMN_NAMES, column_name, find_column
from crisps24.judging.forms import form_of, prompt_fields
from crisps24.judging.table_rows import RecordLine
from crisps24.puzzle import Puzzle
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, Game, Hand, find_game
from crisps24.rules.ids import is_id
from crisps24.training.rewards import puzzle_from_row

# Texts of a column that says whether a puzzle can be solved.
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_MAX_CACHED_NAMES = 1_000
_MAX_KEYS = 1_000
OPTIONAL_CLAIMS = ("prompt", "solvable", "closest", "distance", "level")


class RowClaims(NamedTuple):
    """A puzzle in a row of a data set, and the claims of the row about it."""

    line: int
    puzzle: Puzzle
    """The puzzle with its numbers in ascending order."""
    hand: Hand
    names_game: bool
    columns: Mapping[str, str]
    """The name of the column for each kind of `COLUMN_NAMES` that the row has."""
    keys: tuple[str, ...] = ()
    has_key_list: bool = False
    solvable: bool | None = None
    """Whether the row says that the puzzle can be solved; None without such a claim."""
    closest: Exact | None = None
    distance: Exact | None = None
    prompt: str | None = None
    """The puzzle of the prompt, if it is not that of the row; empty if it is; None if not read."""
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
    """Reads the claims of rows, with the columns that the user names."""

    def __init__(
        self,
        game: Game | str | None = None,
        columns: Mapping[str, str] | None = None,
        target: Exact | None = None,
    ) -> None:
        """Prepare to read rows; `game` and `target` are those of rows without one."""
        self.game = FREE_GAME if game is None else find_game(game)
        self.names_game = game is not None
        self.target = target
        # Known names are in lower case, as in the rows of a `DataFile`.
        self.given_columns = {kind: column_name(name, ()) for kind, name in (columns or {}).items()}
        # Each row can have other names.
        self._columns_of = lru_cache(_MAX_CACHED_NAMES)(self._find_columns)

    def read_all(self, rows: Iterable[RecordLine]) -> Iterator[tuple[int, RowClaims | CrispsError]]:
        """Yield the claims of each row, or why it cannot be read, with its number."""
        for number, row in rows:
            try:
                record = records.parse_record(row)
                if record is not None:
                    yield number, self.read(number, record)
            except CrispsError as error:
                yield number, error

    def columns_of(self, names: Iterable[str]) -> dict[str, str]:
        return self._columns_of(tuple(names))

    def _find_columns(self, names: tuple[str, ...]) -> dict[str, str]:
        # A name that is given for another kind is not found by its common name.
        others = [name for name in names if name not in self.given_columns.values()]
        found = {
            kind: self.given_columns.get(kind) or find_column(kind, others) for kind in COLUMN_NAMES
        }
        return {kind: name for kind, name in found.items() if name in names}

    def check_given_columns(self, names: Iterable[str]) -> None:
        """Raise RefusedError if a column that the user names is not among the columns of a file."""
        known = list(names)
        for kind, name in self.given_columns.items():
            if name not in known:
                problem = f"--{kind}-column: the file has no column {quoted(name)}"
                raise RefusedError(f"{problem} (expected one of {', '.join(known)})")

    def read(self, line: int, record: Mapping[str, Any]) -> RowClaims:
        """Return the puzzle and the claims of a row."""
        fields = fields_of_row(record)
        asked = self.prompt_of(record)
        has_id = isinstance(fields.get("id"), str) and is_id(fields["id"])
        if not has_id and "hand" not in self.columns_of(fields):
            fields = asked | fields
        for value in fields.values():
            if type(value) is int:
                records.check_digits(value)
        columns = self.columns_of(fields)
        named = self._with_common_names(fields, columns)
        puzzle = puzzle_from_row(named, self.game, target=self.target)
        columns = self._with_right_key(columns, fields, puzzle)
        hand = puzzle.hand if puzzle.in_order else tuple(sorted(puzzle.hand))
        sorted_puzzle = Puzzle(hand, puzzle.target, puzzle.game)
        key = fields.get(columns.get("key", ""))
        if isinstance(key, list) and len(key) > _MAX_KEYS:
            raise RefusedError(f"it has more than {_MAX_KEYS:,} keys")

        return RowClaims(
            line,
            sorted_puzzle,
            puzzle.hand,
            self.names_game or has_id or "game" in fields,
            columns,
            keys=tuple(
                _text(each)
                for each in (key if isinstance(key, list) else [key])
                if not isinstance(each, Mapping) and not _is_empty(each)
            ),
            has_key_list=isinstance(key, list),
            solvable=_TRUTHS.get(_text(fields.get(columns.get("solvable", ""))).strip().casefold()),
            closest=_number(fields.get(columns.get("closest", ""))),
            distance=_number(fields.get(columns.get("distance", ""))),
            prompt=_other_puzzle(asked, sorted_puzzle) if asked else None,
            level=_number(fields.get("level")) if has_id else None,
        )

    def prompt_of(self, record: Mapping[str, Any]) -> dict[str, Any]:
        form = form_of(tuple(record))
        with suppress(RefusedError):
            # Rules in the prompt do not change the numbers and the target.
            return prompt_fields(record, form, has_rules=True) if form.prompts else {}
        return {}

    def _with_right_key(
        self, columns: dict[str, str], fields: Mapping[str, Any], puzzle: Puzzle
    ) -> dict[str, str]:
        """Return the columns of a row, with another one for the key if the first is the target."""
        key = fields.get(columns.get("key", ""))
        is_target = isinstance(key, int | str) and _number(key) == puzzle.target
        if "key" in self.given_columns or not is_target or puzzle.target in puzzle.hand:
            return columns
        other = find_column("key", [name for name in fields if name != columns["key"]])
        return columns if other is None else columns | {"key": other}

    def _with_common_names(
        self, fields: dict[str, Any], columns: Mapping[str, str]
    ) -> dict[str, Any]:
        """Return the fields of a row with common names for the columns that the user names."""
        renamed = {
            name: value
            for name, value in fields.items()
            if name not in CARD_FIELDS or name == columns.get("hand") or _number(value) is None
        }
        for kind, standard_name in (("hand", "nums"), ("target", "target")):
            if kind in self.given_columns and kind in columns:
                for name in COLUMN_NAMES[kind]:
                    renamed.pop(name, None)
                renamed[standard_name] = fields[columns[kind]]
        return renamed


def fields_of_row(record: Mapping[str, Any]) -> dict[str, Any]:
    fields = {
        name: value
        for name, value in record.items()
        if name != "metadata" and not _is_empty(value) and not _is_object(name, value)
    }
    for values in records.puzzle_objects(record):
        for name, value in values.items():
            if name not in fields and not _is_empty(value):
                fields[name] = value
    if isinstance(rules := record.get("rules"), Mapping):
        fields["rules"] = rules
    return fields


def _other_puzzle(asked: Mapping[str, Any], puzzle: Puzzle) -> str:
    """Return the puzzle of a prompt as text, if it is not that of its row."""
    numbers = asked["nums"]
    is_same = sorted(numbers) == sorted(puzzle.hand) and asked["target"] == puzzle.target
    return "" if is_same else f"{' '.join(map(str, numbers))} -> {asked['target']}"


def _is_object(name: str, value: Any) -> bool:
    if name == "ground_truth":
        return records.as_object(value) is not None
    # The check of an abstract class is slow, and most values have one of these types.
    return not isinstance(value, str | int | list) and isinstance(value, Mapping)


def _is_empty(value: Any) -> bool:
    # A number of JSON that is not whole has its digits in `text`.
    value = getattr(value, "text", value)
    is_nan = value == "NaN" or (isinstance(value, float) and value != value)
    return value is None or is_nan or value == ""


def _number(value: Any) -> Exact | None:
    try:
        return records.parse_number(value, "")
    except RefusedError:
        return None


def _text(value: Any) -> str:
    value = getattr(value, "text", value)
    # Lists can be deep or endless, and numbers longer than Python writes.
    return value if isinstance(value, str) else quoted(value)


def describe_columns(reader: ClaimReader, records: Iterable[Mapping[str, Any]]) -> str:
    """Return which columns of some rows are read as what, in one line."""
    # The names of the columns for each kind, without repetition.
    names_by_kind: dict[str, dict[str, None]] = {}
    # Columns that can have keys.
    others = dict[str, None]()
    for record in records:
        fields = fields_of_row(record)
        columns = dict(reader.columns_of(fields))
        if "game" in fields:
            columns["game"] = "game"
        if isinstance(fields.get("id"), str) and is_id(fields["id"]):
            columns["puzzle"] = "id"
            columns |= {"level": "level"} if "level" in fields else {}
        for kind, name in columns.items():
            is_number = kind in ("closest", "distance", "level")
            if not is_number or _number(fields[name]) is not None:
                names_by_kind.setdefault(kind, {})[name] = None
        others |= dict.fromkeys(name for name in COLUMN_NAMES["key"] if name in fields)
        if "hand" not in columns and "puzzle" not in columns and reader.prompt_of(record):
            names_by_kind.setdefault("hand and target", {})["prompt"] = None
    texts = [f"{kind} = {' or '.join(names)}" for kind, names in names_by_kind.items()]
    unread = [name for name in others if name not in names_by_kind.get("key", {})]
    note = f"; keys that are not read: {', '.join(unread)}" if unread else ""
    return f"columns read: {', '.join(texts) or 'none'}{note}"
