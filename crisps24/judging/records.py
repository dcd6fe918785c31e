"""Records of formulas, answers or puzzles: a dict from field to value, from a line of a file.

`4 + 4 = 8` is the record {"formula": "4 + 4 = 8"}; `{"text": "3*8", "nums": [3, 8], "target": 24}`
is the record that it writes. A record becomes an `Attempt`: a formula with the target, card and
game that it is checked against; missing fields are those of the command line. No number becomes a
float: 0.75 is 3/4. Errors are RefusedError: "it is not JSON", or two fields that contradict each
other.
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
from crisps24.judging.columns import CARD_FIELDS, COLUMN_NAMES, PUZZLE_OBJECTS, with_standard_target
from crisps24.judging.table_rows import TableLine, table_rows
from crisps24.output.encodings import BYTE_ORDER_MARK, encoding_of
from crisps24.output.tables import plain_cell
from crisps24.rules.characters import split_words
from crisps24.rules.deals import parse_hand, to_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, Game, Hand, find_game
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


# The last record that was applied, with the default it was applied to; and the result.
_last_applied: tuple[Any, Attempt] = (None, Attempt("", None, None, FREE_GAME))
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
    r"""Yield the number of each line of a file, from 1, and its text without white space around it.

    The file is UTF-8, or UTF-16 with a byte order mark; the mark is removed. Lines end with a line
    feed. Blank lines are yielded. The text of a line of more than `max_bytes` bytes is None. At
    most `max_bytes` and 64 KB are held in memory. `waiting` is called before each read, since a
    read of a pipe can block. `errors` is for invalid UTF-8; invalid UTF-16 always becomes U+FFFD.
    `stripped` are other characters to remove around a line.

    >>> import io
    >>> list(read_text_lines(io.BytesIO(b"1 + 1 \r\n\n2" + b" + 2" * 100_000)))
    [(1, '1 + 1'), (2, ''), (3, None)]
    """
    # The number of the current line, and its bytes so far, at most one more than allowed.
    number, pending = 1, b""
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
            yield number, _decode(pending + line_end, number, max_bytes, errors, stripped)
            number, pending = number + 1, b""
        if len(pending) <= max_bytes:
            pending = (pending + rest)[: max_bytes + 1]
        waiting()
        chunk = source.read1(_CHUNK_BYTES)
    if pending:
        yield number, _decode(pending, number, max_bytes, errors, stripped)


def _decode(
    line: bytes, number: int, max_bytes: int, errors: str, stripped: str | None
) -> str | None:
    if len(line) > max_bytes:
        return None
    line = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
    return line.decode(errors=errors).strip(stripped)


def read_records(
    source: ByteStream, columns: Collection[str], waiting: Callable[[], object] = lambda: None
) -> Iterator[RecordLine]:
    r"""Yield the lines of a file of JSON Lines, or the records of a csv table, with line numbers.

    A file is a table unless its first line with text starts with `{` or `#`. JSON Lines are yielded
    as text, blank lines and comments included: `parse_record` parses them.

    The first line of a table has the names of the columns, separated by commas, semicolons or tabs;
    known names are yielded in lower case. It needs one of `columns`. Each row is yielded as a dict
    from these names to its cells; a short row lacks its last columns, and empty rows are left out.
    A row of several lines has the number of its last line. If a column is named after a puzzle (see
    `puzzle_column`), each of its cells gives one record: the `id`, the cell as `completion`, and
    the cells of the other columns. A line that cannot be read gives its error instead.

    >>> from io import BytesIO
    >>> list(read_records(BytesIO(b"name,target\nann,24\n"), ["target"]))
    [(2, {'name': 'ann', 'target': '24'})]
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
    """Return the character between the columns of a table; None if it has no known column."""
    known = set(columns or _field_names())
    for separator in _SEPARATORS:
        names = [column_name(name, columns) for name in header.split(separator)]
        if known & set(names) or any(map(id_of_column, names)):
            return separator
    return None


def is_known_column(name: str, columns: Collection[str]) -> bool:
    """Return whether a column is one of `columns` or has the name of a field of a record."""
    known = column_name(name, columns)
    return known in columns or known in _field_names()


def column_name(name: str, columns: Collection[str]) -> str:
    """Return the name of a column, without quotation marks, in lower case if that name is known."""
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
    """Yield the records of a csv table, whose header is line `first`."""
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
    """Return a line of a table as `read_records` reads it: its text, or its error."""
    text = _decode(line, number, MAX_RECORD_BYTES, "surrogateescape", _SPACE_WITHOUT_TAB)
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
    """Yield a record for each answer of a pupil; `ids` has puzzles by index of their column."""
    # Spreadsheets leave out the last cells of a row if they are empty.
    cells = [*row, *[""] * (len(names) - len(row))]
    other_cells = {name: cells[index] for index, name in enumerate(names) if index not in ids}
    if other_cells:
        # The first other column has the name of the pupil, in the language of the class.
        other_cells.setdefault("name", next(iter(other_cells.values())))
    for index, id_ in ids.items():
        yield other_cells | {"id": id_, ANSWER_FIELDS[0]: cells[index]}


def puzzle_column(number: int, puzzle: str) -> str:
    """Return the name of the column for a puzzle: its number on paper and its id."""
    return f"{number} {puzzle}"


def id_of_column(name: str) -> str | None:
    """Return the id of the puzzle in the name of a column; None for another name."""
    match = _PUZZLE_COLUMN.fullmatch(name)
    return match[1] if match else None


def parse_record(line: str | dict[str, Any] | RefusedError | None) -> dict[str, Any] | None:
    """Parse a line of a file into a dict of its fields; None for a blank line or a # comment.

    A line that starts with `{` is JSON; any other text is a `formula`. A dict is returned
    unchanged, an error is raised, and None is a line that is too long.

    >>> [parse_record(line) for line in ("1 x 2", '{"formula": "1 + 2", "target": 3}', "# 3")]
    [{'formula': '1 x 2'}, {'formula': '1 + 2', 'target': 3}, None]
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
    """Return the formula of a record, with the card, target and game to check it against.

    >>> from crisps24 import GAMES
    >>> default = Attempt("", 24, None, GAMES["crisps"])
    >>> record = {"formula": "A x 5", "card": ["A", 5], "target": "5", "game": "cards"}
    >>> parse_attempt(record, default)[:3]
    ('A x 5', 5, (1, 5))
    """
    formula = record.get("formula")
    if not isinstance(formula, str):
        raise RefusedError('"formula" has to be there, as text')
    return apply_record(record, default._replace(formula=formula), parse_id)


def apply_record(
    record: dict[str, Any], default: Attempt, parse_id: IdParser | None = None
) -> Attempt:
    """Return `default` with the card, target and game of a record.

    `nums`, or another field of `columns.CARD_FIELDS`, is a list of numbers, or text; `target` or
    `goal` a number or text; `game` a name; an `id` gives card, target and game of a puzzle. The
    fields of `rule_fields`, and `rules`, an object of them, change rules of the game; a rule is
    text, a boolean, a whole number or a list of texts. Other fields, and null, are ignored; so is
    an id without `parse_id`, and one that is not that of a puzzle.
    """
    global _last_applied
    names = _puzzle_fields()
    given = {name: record[name] for name in record if name in names and record[name] is not None}
    record = with_standard_target(given)
    # "id" can also be an id of the writer of the file.
    id_fields = [
        name
        for name in (*CARD_FIELDS, "id")
        if isinstance(value := record.get(name), str) and is_id(value)
    ]
    # An id gives card, target and game at once.
    if id_fields and parse_id is not None:
        return _attempt_at_puzzle(default.formula, id_fields, record, parse_id)
    record.pop("id", None)
    # Neighbouring records often differ only in their formula. In text, 1 is not True.
    key = repr(record), default[1:]
    last_key, attempt = _last_applied
    if key != last_key:
        attempt = _apply_fields(record, default)
        _last_applied = key, attempt
    return attempt._replace(formula=default.formula)


@cache
def _puzzle_fields() -> frozenset[str]:
    return frozenset((*CARD_FIELDS, *COLUMN_NAMES["target"], "id", "game", "rules", *rule_fields()))


def _apply_fields(record: dict[str, Any], default: Attempt) -> Attempt:
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


@cache
def rule_fields() -> dict[str, Rule]:
    """Return the rules of the game that fields of a record change, by the names of the fields.

    Most rules have two names: `all_numbers`, as in `Game`, and `all`, as in ids. A record has its
    hand, so rules that only change how hands are dealt are left out; so is `bits`, which `deal`
    writes.
    """
    return {
        name: rule
        for rule in RULES.values()
        if not rule.deals and rule.field != "bits"
        for name in (rule.word, rule.field)
    }


def _rule_changes(record: dict[str, Any]) -> dict[str, str]:
    """Return the rules that a record changes, as text by name.

    Names in `rules` that are not rules are kept, so that the caller can refuse them.
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
    """Return the value of a rule as text: `no` for False, "" for null."""
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
    """Return a formula with the puzzle whose id is in a record; other fields must agree with it."""
    puzzle_id = record[id_fields[0]]
    game, hand, target = parse_id(puzzle_id)

    def is_same_puzzle(other_id: str) -> bool:
        other_game, other_hand, other_target = parse_id(other_id)
        other = other_game, other_target, sorted(other_hand)
        return other == (game, target, sorted(hand))

    def agrees(name: str, value: Any) -> bool:
        if name == "game":
            return _parse_game(value).name == game.name
        if name in id_fields:
            return value == puzzle_id or is_same_puzzle(value)
        if name == "rules":
            # `deal` writes only the rules that differ from those of the game.
            changes = [f",{rule}={text}" for rule, text in value.items()]
            return is_same_puzzle("".join((puzzle_id.partition(",")[0], *changes)))
        applied = _apply_fields({name: value}, puzzle)
        is_same_card = sorted(applied.card or ()) == sorted(hand)
        return is_same_card and (applied.game, applied.target) == (game, target)

    puzzle = Attempt(formula, target, hand, game)
    for name in ("game", "target", *CARD_FIELDS, "id", "rules", *rule_fields()):
        is_text = name == "rules" and not isinstance(record.get(name), dict)
        if name in record and not is_text and not agrees(name, record[name]):
            raise RefusedError(f'"{name}" is another than that of the puzzle')
    return puzzle


def to_json_value(value: Any) -> Any:
    """Replace the exact decimal numbers in a value of a record by floats, for `json.dumps`."""
    if isinstance(value, _Decimal):
        number = float(value.text)
        return number if isfinite(number) else value.text
    if isinstance(value, dict):
        return {name: to_json_value(item) for name, item in value.items()}
    return [to_json_value(item) for item in value] if isinstance(value, list) else value


def _parse_object(line: str) -> dict[str, Any]:
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
    """Count the levels of objects and lists in a record."""
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
    """Return the number in a field of a record: a whole number, or text such as "3/2"."""
    if type(value) is int:
        return value
    text = value.text if isinstance(value, _Decimal) else value
    if not isinstance(text, str):
        raise RefusedError(f'"{name}" has to be a number, or text such as "3/2"')
    return parse_value(text)


def _parse_card(card: Any, game: Game, name: str) -> Hand:
    """Return the numbers of a card, from a list, text such as "4 3 8 4", or one int."""
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
