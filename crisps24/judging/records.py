"""Files of formulas, answers or puzzles: plain lines, JSON Lines or csv.

Each line becomes a record: a dict from field to value. `4 + 4 = 8` is the record
{"formula": "4 + 4 = 8"}; `{"text": "3*8", "nums": [3, 8], "target": 24}` is the record that it
writes. A record becomes an `Attempt`: a formula with the target, card and game that it is checked
against; missing fields are those of the command line. Files are read line by line, so memory does
not grow with the file. No number becomes a float: 0.75 is 3/4.
"""

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from math import isfinite
from typing import Any, NamedTuple, Protocol

from crisps24.errors import RefusedError, quoted
from crisps24.judging.columns import (
    CARD_FIELDS,
    COLUMN_NAMES,
    PUZZLE_OBJECTS,
    with_standard_target,
)
from crisps24.judging.table_rows import TableLine, table_rows
from crisps24.output.encodings import BYTE_ORDER_MARK, encoding_of
from crisps24.output.tables import plain_cell
from crisps24.rules.characters import split_words
from crisps24.rules.deals import parse_hand, to_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand, find_game
from crisps24.rules.ids import is_id, with_rules
from crisps24.rules.operators import JOIN
from crisps24.rules.rules import FLAG, RULES, SIGNS, Rule
from crisps24.rules.words import parse_value

# Bytes of a line of formulas: ten times the longest formula.
MAX_INPUT_LINE_BYTES = 100_000
# Bytes of a record with any text: a million characters, with any escapes of JSON.
MAX_RECORD_BYTES = 8_000_000
# Bytes that are read at once.
_CHUNK_BYTES = 1 << 16
# Fields for an answer that can be any text; the first one in a record counts.
TEXT_FIELDS = ("completion", "response", "text")
# Fields for an answer in a record of JSON.
ANSWER_FIELDS = (*TEXT_FIELDS, "formula")
# Columns for an answer in a csv table. In JSON, "answer" is the solution of a puzzle.
ANSWER_COLUMNS = (*TEXT_FIELDS, "answer", "formula")
# Separators of the columns of a table.
_SEPARATORS = ",;\t"
# Levels of objects and lists in a record.
_MAX_DEPTH = 100
# The name of the column of a puzzle: its id, with or without a number in front.
_PUZZLE_COLUMN = re.compile(
    r"\s*(?:[0-9]{1,6}[.:]?\s+)?([A-Za-z][A-Za-z0-9]*:[-0-9./]+=[^\s;]+)\s*"
)
# White space at the ends of a line, except tabs: they separate cells, and the last can be empty.
_SPACE_WITHOUT_TAB = " \n\r\v\f"
# Surrogates, which stand for bytes that are not UTF-8, and the error for them.
_NOT_UTF_8 = re.compile(r"[\udc80-\udcff]")
_OTHER_ENCODING = "is not UTF-8: crisps24 mark reads other encodings"
# Whole numbers below this are accepted without a check of their digits.
_LARGE_NUMBER = 10**30


class Attempt(NamedTuple):
    """A formula with the target, card and game that it is checked against; see `puzzle.check`."""

    formula: str
    target: Exact | None
    card: Hand | None
    game: Game


# A function from the id of a puzzle to its game, hand and target, or a RefusedError.
IdParser = Callable[[str], tuple[Game, Hand, Exact]]


# A line of a file: its number, from 1; and its text, its record, or its error.
RecordLine = tuple[int, str | dict[str, Any] | RefusedError]


class ByteStream(Protocol):
    """A file that is open for reading bytes."""

    def read1(self, size: int, /) -> bytes:
        """Return 1 to `size` bytes that are available, or none at the end of the file."""


def read_text_lines(
    source: ByteStream,
    waiting: Callable[[], object] = lambda: None,
    max_bytes: int = MAX_INPUT_LINE_BYTES,
    errors: str = "replace",
    stripped: str | None = None,
) -> Iterator[tuple[int, str | None]]:
    r"""Read a file, and yield the number of each line, from 1, and its text.

    White space at both ends of a line is removed. The file is UTF-8, or UTF-16 with a byte order
    mark; the mark is removed. Lines end with a line feed. Blank lines are yielded. The text of a
    line of more than `max_bytes` bytes is None. At most `max_bytes` and 64 KB are held in memory.

    >>> import io
    >>> list(read_text_lines(io.BytesIO(b"1 + 1 \r\n\n2" + b" + 2" * 100_000)))
    [(1, '1 + 1'), (2, ''), (3, None)]

    Args:
        source: the file; a pipe too.
        waiting: called before each read of the source; a read of a pipe can block.
        max_bytes: the longest line, in bytes.
        errors: the error handler of `bytes.decode` for invalid UTF-8; by default it becomes U+FFFD.
            `strict` raises UnicodeDecodeError. Invalid UTF-16 always becomes U+FFFD.
        stripped: the characters to remove at both ends of a line, by default all white space.
    """
    # The number of the current line, its bytes so far, and whether they are more than `max_bytes`.
    number, pending, is_too_long = 1, b"", False
    waiting()
    chunk = source.read1(_CHUNK_BYTES)
    # A pipe can return half of a byte order mark.
    chunk += source.read1(1) if chunk in (b"\xff", b"\xfe") else b""
    is_utf_16 = encoding_of(chunk) == "utf-16"
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    while chunk:
        chunk = decoder.decode(chunk).encode() if is_utf_16 else chunk
        *line_ends, rest = chunk.split(b"\n")
        for line_end in line_ends:
            yield (
                number,
                _decode(pending + line_end, number, is_too_long, max_bytes, errors, stripped),
            )
            number, pending, is_too_long = number + 1, b"", False
        # A line that is too long is not kept in memory.
        is_too_long = is_too_long or len(pending) + len(rest) > max_bytes
        pending = b"" if is_too_long else pending + rest
        waiting()
        chunk = source.read1(_CHUNK_BYTES)
    if pending or is_too_long:
        yield number, _decode(pending, number, is_too_long, max_bytes, errors, stripped)


def _decode(
    line: bytes,
    number: int,
    is_too_long: bool,
    max_bytes: int,
    errors: str,
    stripped: str | None,
) -> str | None:
    if is_too_long or len(line) > max_bytes:
        return None
    if number == 1:
        line = line.removeprefix(BYTE_ORDER_MARK)
    return line.decode(errors=errors).strip(stripped)


def read_records(
    source: ByteStream, columns: Collection[str], waiting: Callable[[], object] = lambda: None
) -> Iterator[RecordLine]:
    r"""Yield the lines of a file of JSON Lines, or the records of a csv table, with line numbers.

    A file is a table unless its first line with text starts with `{` or `#`. JSON Lines are yielded
    as text, blank lines and comments included: `parse_record` parses them.

    The first line of a table has the names of the columns, separated by commas, semicolons or tabs;
    known names are yielded in lower case. Each row is yielded as a dict from these names to its
    cells; a short row lacks its last columns, and empty rows are left out. A row of several lines
    has the number of its last line. If a column is named after a puzzle (see `puzzle_column`), each
    of its cells gives one record: the `id`, the cell as `completion`, and the cells of the other
    columns. A line that cannot be read gives its error instead.

    >>> from io import BytesIO
    >>> list(read_records(BytesIO(b"name,target\nann,24\n"), ["target"]))
    [(2, {'name': 'ann', 'target': '24'})]

    Args:
        source: the file.
        columns: a table needs at least one such column, or one that is named after a puzzle.
        waiting: called before each read; a read of a pipe can block.

    Raises:
        RefusedError: at the first item, for an empty file and for a first line without such a
            column, with a repeated one or not in UTF-8.
    """
    lines: Iterator[TableLine] = (
        (number, _too_long() if line is None else line)
        for number, line in read_text_lines(
            source, waiting, MAX_RECORD_BYTES, "surrogateescape", _SPACE_WITHOUT_TAB
        )
    )
    first_line = next(
        ((number, line) for number, line in lines if not isinstance(line, str) or line.strip()),
        None,
    )
    if first_line is None:
        raise RefusedError("the file has no line")
    first_number, header = first_line
    # JSON Lines; a first line that is too long is an error, and no header of a table.
    if not isinstance(header, str) or header.lstrip().startswith(("{", "#")):
        for number, line in chain([first_line], lines):
            line = line.strip() if isinstance(line, str) else line
            is_plain = not isinstance(line, str) or line.isascii()
            yield number, line if is_plain else _NOT_UTF_8.sub("\ufffd", str(line))
        return
    # A table. Its separator is the first one that gives a known column.
    if _NOT_UTF_8.search(header) or "\0" in header:
        raise RefusedError(f"line {first_number} {_OTHER_ENCODING}")
    separator = table_separator(header, columns)
    if separator is None:
        expected = ", ".join(columns)
        raise RefusedError(f"line {first_number} is not JSON, and names no column of {expected}")
    yield from _read_table(chain([first_line], lines), first_number, columns, separator)


def table_separator(header: str, columns: Collection[str]) -> str | None:
    """Return the character between the columns of a table; None if it has no known column.

    It is the first of the comma, the semicolon and the tab that gives the name of one of `columns`,
    of a puzzle, or, if `columns` is empty, of a field of a record.

    >>> table_separator("Name;Target;answer", ["answer"]), table_separator("a,b", ["answer"])
    (';', None)
    """
    known = set(columns or _field_names())
    for separator in _SEPARATORS:
        names = [column_name(name, columns) for name in header.split(separator)]
        if known & set(names) or any(map(id_of_column, names)):
            return separator
    return None


def is_known_column(name: str, columns: Collection[str]) -> bool:
    """Return whether a column is one of `columns` or has the name of a field of a record.

    >>> is_known_column("Target", ()), is_known_column("Class 3B", ())
    (True, False)
    """
    known = column_name(name, columns)
    return known in columns or known in _field_names()


def column_name(name: str, columns: Collection[str]) -> str:
    """Return the name of a column, without quotation marks, in lower case if that name is known.

    Known are `columns` and the names of the fields of a record, such as `target`.

    >>> column_name(' "Target"', ()), column_name("Class 3B", ())
    ('target', 'Class 3B')
    """
    name = name.strip().strip('"')
    lower = name.casefold()
    return lower if lower in columns or lower in _field_names() else name


@cache
def _field_names() -> frozenset[str]:
    """Return the names of all columns that are known, whatever the table is for."""
    puzzle_columns = chain.from_iterable(COLUMN_NAMES.values())
    others = ("name", "game", "id", "rules", "level", *(path[0] for path in PUZZLE_OBJECTS))
    return frozenset((*puzzle_columns, *others, *rule_fields()))


def _read_table(
    lines: Iterator[TableLine], first: int, columns: Collection[str], separator: str
) -> Iterator[RecordLine]:
    """Parse a csv table, and yield each record with the number of its line.

    A record is a dict from the names of the columns to the cells of a row. If columns are named
    after puzzles, it has only one of their cells, as in `_answers_of_row`. For a line that cannot
    be read, an error is yielded in place of the record.

    Args:
        lines: the lines with their numbers; the first one has the names of the columns.
        first: the number of that first line.
        columns: names of columns that the table can also have in upper case.
        separator: the character between the cells.

    Raises RefusedError for a repeated column, and for a first line that csv cannot read.
    """
    rows = table_rows(map(_without_other_bytes, lines), separator)
    _, header = next(rows)
    if isinstance(header, RefusedError):
        raise RefusedError(f"line {first}: {header}")
    names = [column_name(plain_cell(name), columns) for name in header]
    counts = Counter(filter(None, names))
    if repeated := [name for name, count in counts.items() if count > 1]:
        raise RefusedError(f"line {first} names the column {quoted(repeated[0])} twice")
    # Index of a column to the id of the puzzle that its name has.
    ids = {index: id_ for index, name in enumerate(names) if (id_ := id_of_column(name))}
    for number, cells in rows:
        if isinstance(cells, RefusedError):
            yield number, cells
            continue
        row = list(map(plain_cell, cells))
        if row[len(names) :]:
            problem = f"it has {len(row)} cells, and the first line names {len(names)}"
            yield number, RefusedError(problem)
        elif row and not ids:
            yield number, dict(zip(names, row, strict=False))
        elif any(row):
            yield from ((number, record) for record in _answers_of_row(row, names, ids))


def read_table_line(number: int, line: bytes) -> TableLine:
    r"""Return a line of a table as `read_records` reads it: its text, or its error.

    >>> read_table_line(2, b"3 8,24 \r\n")
    (2, '3 8,24')
    """
    text = _decode(
        line, number, False, MAX_RECORD_BYTES, "surrogateescape", stripped=_SPACE_WITHOUT_TAB
    )
    return _without_other_bytes((number, _too_long() if text is None else text))


def _too_long() -> RefusedError:
    return RefusedError(f"it is longer than {MAX_RECORD_BYTES:,} bytes")


def _without_other_bytes(line: TableLine) -> TableLine:
    """Return a line of a table, or its error if it is not UTF-8."""
    number, text = line
    if isinstance(text, str) and _NOT_UTF_8.search(text):
        return number, RefusedError(f"it {_OTHER_ENCODING}")
    return line


def _answers_of_row(
    row: Sequence[str], names: Sequence[str], ids: dict[int, str]
) -> Iterator[dict[str, Any]]:
    """Yield a record for each answer of a pupil, whose answers to several puzzles are in one row.

    `row` has the cells, and `names` the names of the columns. `ids` maps the index of a column with
    answers to the id of its puzzle. A record has the `id`, the answer as `completion` (empty if the
    row is too short), and the cells of the other columns. The first other cell is also the `name`
    of the pupil, unless a column has that name.

    >>> list(_answers_of_row(["Ann", "3 x 8"], ["Pupil", "1 cards:3.8=24"], {1: "cards:3.8=24"}))
    [{'Pupil': 'Ann', 'name': 'Ann', 'id': 'cards:3.8=24', 'completion': '3 x 8'}]
    """
    # Spreadsheets leave out the last cells of a row if they are empty.
    cells = [*row, *[""] * (len(names) - len(row))]
    other_cells = {name: cells[index] for index, name in enumerate(names) if index not in ids}
    if other_cells:
        # The first other column has the name of the pupil, in the language of the class.
        other_cells.setdefault("name", next(iter(other_cells.values())))
    for index, id_ in ids.items():
        yield other_cells | {"id": id_, ANSWER_FIELDS[0]: cells[index]}


def puzzle_column(number: int, puzzle: str) -> str:
    """Return the name of the column for a puzzle: its number on paper and its id.

    >>> puzzle_column(1, "cards:3.3.8.8=24")
    '1 cards:3.3.8.8=24'
    """
    return f"{number} {puzzle}"


def id_of_column(name: str) -> str | None:
    """Return the id of the puzzle in the name of a column; None for another name.

    >>> id_of_column("1 cards:3.3.8.8=24"), id_of_column("cards:3.8=24"), id_of_column("name")
    ('cards:3.3.8.8=24', 'cards:3.8=24', None)
    """
    match = _PUZZLE_COLUMN.fullmatch(name)
    return match[1] if match else None


def parse_record(line: str | dict[str, Any] | RefusedError | None) -> dict[str, Any] | None:
    r"""Parse a line of a file into a dict of its fields; None for a blank line or a # comment.

    A line that starts with `{` is JSON; any other line is a `formula`. A dict, which a table gives,
    is returned unchanged.

    >>> [parse_record(line) for line in ("1 x 2", '{"formula": "1 + 2", "target": 3}', "# 3")]
    [{'formula': '1 x 2'}, {'formula': '1 + 2', 'target': 3}, None]

    Raises:
        RefusedError: for a line that is too long (None), for invalid JSON, a repeated field, a
            number of more than 100 digits and more than 100 levels; an error given as the line is
            raised itself.
    """
    if isinstance(line, RefusedError):
        raise line
    if isinstance(line, dict):
        return line
    if line is None:
        raise RefusedError(f"it is longer than {MAX_INPUT_LINE_BYTES:,} bytes")
    if not line or line.startswith("#"):
        return None
    return _parse_object(line) if line.startswith("{") else {"formula": line}


def parse_attempt(
    record: dict[str, Any], default: Attempt, parse_id: IdParser | None = None
) -> Attempt:
    r"""Return the formula of a record, with the card, target and game to check it against.

    Fields that the record lacks have the values of `default`. The `card` of the result has the
    numbers of the record's card in ascending order: an ace and a 5 are `(1, 5)`.

    >>> from crisps24 import GAMES
    >>> default = Attempt("", 24, None, GAMES["crisps"])
    >>> record = {"formula": "A x 5", "card": ["A", 5], "target": "5", "game": "cards"}
    >>> parse_attempt(record, default)[:3]
    ('A x 5', 5, (1, 5))

    Args:
        record: a dict with a `formula`, and optionally a card, a target, a game, rules or an id.
        default: the attempt whose values are used for missing fields.
        parse_id: returns the game, hand and target of an id; without it, ids are ignored.

    Raises RefusedError if `formula` is missing or not a string, for an invalid value, and for
    fields that contradict each other.
    """
    formula = record.get("formula")
    if not isinstance(formula, str):
        raise RefusedError('"formula" has to be there, as text')
    return apply_record(record, default._replace(formula=formula), parse_id)


def apply_record(
    record: dict[str, Any], default: Attempt, parse_id: IdParser | None = None
) -> Attempt:
    """Return `default` with the card, target and game of a record.

    >>> from crisps24 import GAMES
    >>> default = Attempt("", 24, (3, 8), GAMES["cards"])
    >>> apply_record({"operators": "+-", "fractions": False}, default).game.operators
    ('-', '+')

    Args:
        record: `nums`, or another field of `columns.CARD_FIELDS`, is a list of numbers, or text;
            `target` or `goal` a number or text; `game` a name; an `id` gives card, target and game
            of a puzzle. The fields of `rule_fields`, and `rules`, an object of them, change rules
            of the game; a rule is text, a boolean, a whole number or a list of texts. Other fields,
            and null, are ignored.
        default: a formula with a card, target and game; fields that the record lacks stay.
        parse_id: returns the game, hand and target of an id; without it, ids are ignored. An id
            that is not that of a puzzle is ignored too.

    Raises:
        RefusedError: for an invalid value, and for fields that contradict each other or the id.
    """
    given = {name: value for name, value in record.items() if value is not None}
    record = with_standard_target(given)
    # "id" can also be an id of the writer of the file.
    names = (*CARD_FIELDS, "id")
    id_fields = [
        name for name in names if isinstance(record.get(name), str) and is_id(record[name])
    ]
    # An id gives card, target and game at once.
    if id_fields and parse_id is not None:
        return _attempt_at_puzzle(default.formula, id_fields, record, parse_id)
    changes = _rule_changes(record)
    if not changes and record.keys().isdisjoint((*CARD_FIELDS, "target", "game")):
        # Keep the game of the default, which can be that of a puzzle.
        return default
    game = _parse_game(record["game"]) if "game" in record else default.game
    game = with_rules(game, changes) if changes else game
    target = parse_number(record["target"], "target") if "target" in record else default.target
    cards = {name: _parse_card(record[name], game, name) for name in CARD_FIELDS if name in record}
    if len({tuple(sorted(card)) for card in cards.values()}) > 1:
        fields = " and ".join(f'"{name}"' for name in cards)
        raise RefusedError(f"{fields} are not the same numbers")
    # All fields for the card have the same numbers: take those of the first.
    card = next(iter(cards.values()), default.card)
    return Attempt(default.formula, target, card, game)


def rule_fields() -> dict[str, Rule]:
    """Return a dict from names of fields to the rules of the game that they change in a record.

    A record is a line of JSON with a puzzle; `"fractions": false` in it changes a rule. Most rules
    have two names: `all_numbers`, as in `Game`, and `all`, as in the ids of puzzles. Rules that
    only change how hands are dealt are left out, since a record has its hand. So is the rule
    `bits`, because `deal` writes the difficulty of a puzzle in a field of that name.

    >>> list(rule_fields())[:3]
    ['operators', 'parentheses', 'fractions']
    """
    return {
        name: rule
        for rule in RULES.values()
        if not rule.deals and rule.field != "bits"
        for name in (rule.word, rule.field)
    }


def _rule_changes(record: dict[str, Any]) -> dict[str, str]:
    """Return the rules that a record changes: a dict from the names of rules to values as text.

    A record can have rules as fields of its own, and in an object `rules`. Empty values are left
    out. Names in `rules` that are not rules are kept, so that the caller can refuse them. Raises
    RefusedError if `rules` is not an object, and for a rule with two different values or an invalid
    one.

    >>> _rule_changes({"rules": {"fractions": False}, "operators": "+-"})
    {'fractions': 'no', 'operators': '+-'}
    """
    rules = record.get("rules") or {}
    if isinstance(rules, str) and rules.startswith("{"):
        # A cell of a table that `deal` wrote.
        rules = _parse_object(rules)
    if not isinstance(rules, dict):
        raise RefusedError('"rules" has to be an object, such as {"operators": "+-", "zero": "no"}')
    fields = rule_fields()
    changes: dict[str, str] = {}
    own_fields = ((name, value) for name, value in record.items() if name in fields)
    for name, value in (*rules.items(), *own_fields):
        rule = fields.get(name)
        word = name if rule is None else rule.word
        text = _rule_text(name, value)
        if rule is not None and rule.kind is SIGNS:
            # A row of the command `formulas` has operators such as "+;|": drop the ; and the |.
            text = text.replace(";", " ").replace(JOIN.name, " ")
        if not text.strip():
            continue
        if changes.setdefault(word, text) != text:
            raise RefusedError(f'"{name}" is there twice, and differs')
    return changes


def _rule_text(name: str, value: Any) -> str:
    """Return the value of a rule as text: `no` for False, "" for null.

    A boolean becomes `yes` or `no`, as do the texts TRUE and FALSE in upper or lower case; a list
    of texts is joined with spaces. Other texts are not checked. Raises RefusedError for a value
    that is not text, a whole number, a boolean or a list of texts; the message has the name of the
    rule.

    >>> _rule_text("fractions", False), _rule_text("operators", ["+", "-"])
    ('no', '+ -')
    """
    if isinstance(value, str):
        # Spreadsheets write TRUE and FALSE.
        value = {"true": True, "false": False}.get(value.strip().casefold(), value)
    if isinstance(value, bool):
        return FLAG.write(value)
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return " ".join(value)
    if value is None or isinstance(value, str) or type(value) is int:
        return "" if value is None else str(value)
    raise RefusedError(f'"{name}" has to be a rule as an id has it: text, a number, true or false')


def _attempt_at_puzzle(
    formula: str, id_fields: list[str], record: dict[str, Any], parse_id: IdParser
) -> Attempt:
    """Return a formula with the card, target and game of the puzzle whose id is in a record.

    `id_fields` are the names of the fields that have an id; the first one is used. Raises
    RefusedError if any other field of the record contradicts it, such as a `target` of 10 next to
    the id cards:3.8=24. `parse_id` returns the game, hand and target of an id.
    """
    puzzle_id = record[id_fields[0]]
    game, hand, target = parse_id(puzzle_id)

    def is_same_puzzle(other_id: str) -> bool:
        other_game, other_hand, other_target = parse_id(other_id)
        other = other_game, other_target, sorted(other_hand)
        return other == (game, target, sorted(hand))

    def has_card(name: str) -> Callable[[Any], bool]:
        return lambda card: sorted(_parse_card(card, game, name)) == sorted(hand)

    def has_rules(rules: Any) -> bool:
        # `deal` writes only the rules that differ from those of the game.
        changes = "".join(f",{name}={text}" for name, text in rules.items())
        return is_same_puzzle(puzzle_id.partition(",")[0] + changes)

    def has_rule(name: str) -> Callable[[Any], bool]:
        return lambda value: with_rules(game, _rule_changes({name: value})) == game

    # For each field, a function that returns whether the value of the field agrees with the puzzle.
    # A field for the card can also have an id.
    checks: dict[str, Callable[[Any], bool]] = {
        "game": lambda name: _parse_game(name).name == game.name,
        "target": lambda value: parse_number(value, "target") == target,
        **{name: has_card(name) for name in CARD_FIELDS},
        **dict.fromkeys(id_fields, lambda text: text == puzzle_id or is_same_puzzle(text)),
        "rules": lambda rules: not isinstance(rules, dict) or has_rules(rules),
        **{name: has_rule(name) for name in rule_fields()},
    }
    for name, agrees in checks.items():
        if name in record and not agrees(record[name]):
            raise RefusedError(f'"{name}" is another than that of the puzzle')
    return Attempt(formula, target, hand, game)


def to_json_value(value: Any) -> Any:
    """Replace the exact decimal numbers in a value of a record by floats, for `json.dumps`.

    A number that is too large for a float becomes text; other values are unchanged. Objects and
    lists are copied.

    >>> to_json_value(parse_record('{"formula": "1", "weight": [0.75, 1e999]}'))
    {'formula': '1', 'weight': [0.75, '1e999']}
    """
    if isinstance(value, _Decimal):
        number = float(value.text)
        return number if isfinite(number) else value.text
    if isinstance(value, dict):
        return {name: to_json_value(item) for name, item in value.items()}
    return [to_json_value(item) for item in value] if isinstance(value, list) else value


def _parse_object(line: str) -> dict[str, Any]:
    """Parse a JSON object; numbers that are not whole keep their text, so that they stay exact.

    Raises RefusedError for invalid JSON and for more than 100 levels of objects and lists.
    """
    try:
        record: dict[str, Any] = _JSON.decode(line)
        # The depth is at most the number of opening brackets, which is faster to count.
        depth = _depth(record) if line.count("{") + line.count("[") > _MAX_DEPTH else 0
    except json.JSONDecodeError as error:
        raise RefusedError(f"it is not JSON: {error.msg} (column {error.pos + 1})") from None
    except RecursionError:
        depth = _MAX_DEPTH + 1
    if depth > _MAX_DEPTH:
        raise RefusedError("it is nested too deeply")
    return record


def _depth(record: dict[str, Any]) -> int:
    """Count the levels of objects and lists in a record.

    >>> _depth({"nums": [3, 8]}), _depth({"target": 24})
    (2, 1)
    """
    depth = 0
    # The values of all objects and lists of one level.
    level: list[Iterable[Any]] = [record.values()]
    while level:
        depth += 1
        inner = [item for items in level for item in items if isinstance(item, dict | list)]
        level = [item.values() if isinstance(item, dict) else item for item in inner]
    return depth


def _parse_game(name: Any) -> Game:
    if not isinstance(name, str):
        raise RefusedError('"game" has to be a name')
    return find_game(name)


def parse_number(value: Any, name: str) -> Exact:
    """Return the number in a field of a record: a whole number, or text such as "3/2".

    >>> parse_number(24, "target"), parse_number("3/2", "target")
    (24, Fraction(3, 2))

    Raises RefusedError for any other value, with the `name` of the field.
    """
    if type(value) is int:
        return value
    text = value.text if isinstance(value, _Decimal) else value
    if not isinstance(text, str):
        raise RefusedError(f'"{name}" has to be a number, or text such as "3/2"')
    return parse_value(text)


def _parse_card(card: Any, game: Game, name: str) -> Hand:
    """Return the numbers of a card as a tuple, from a list, text such as "4 3 8 4", or one int.

    Letters of the game, such as A for 1, are numbers too. Raises RefusedError for an empty card,
    for any other value, with the `name` of the field, and for numbers that are not valid.
    """
    text = str(card) if type(card) is int else card
    if isinstance(text, str):
        # pandas writes a list as "[3, 8]".
        text = text.strip().removeprefix("[").removesuffix("]")
    words: Any = split_words(text) if isinstance(text, str) else card
    if name == "digits" and isinstance(text, str) and len(words) == 1:
        # "4384" in a column of digits is four numbers.
        words = list(words[0])
    if not (isinstance(words, list) and all(type(word) in (int, str, _Decimal) for word in words)):
        raise RefusedError(f'"{name}" has to be a list of numbers, or text such as "4 3 8 4"')
    if not words:
        raise RefusedError("the card is empty")
    if all(type(word) is int and abs(word) < _LARGE_NUMBER for word in words):
        return to_hand(words, game)
    texts = [word.text if isinstance(word, _Decimal) else str(word) for word in words]
    return parse_hand(texts, game)


class _Decimal(NamedTuple):
    """A number of JSON that is not whole, as text, since a float would not be exact."""

    text: str


def _parse_int(digits: str) -> int:
    if len(digits) > 100:
        raise RefusedError(f"{digits[:10]}… has more than 100 digits")
    return int(digits)


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise RefusedError("one of its names is there twice")
    return record


_JSON = json.JSONDecoder(
    object_pairs_hook=_unique_fields,
    parse_float=_Decimal,
    parse_int=_parse_int,
    # NaN, Infinity and -Infinity, which Python writes: they are refused where a number is needed.
    parse_constant=_Decimal,
)
