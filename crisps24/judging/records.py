"""The lines of a file of formulas: plain text, JSON or csv, with what each is checked against."""

import codecs
import csv
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from math import isfinite
from typing import Any, NamedTuple, NoReturn, Protocol

from crisps24.errors import RefusedError, quoted
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

# In bytes: the longest formula fits ten times.
LONGEST_LINE = 100_000
# Of a row that has any text: a million characters, however JSON writes them.
LONGEST_RECORD = 8_000_000
# As many bytes are asked for at once.
_MOUTHFUL = 1 << 16
# The names that what was said goes by, where it may be any text, the first that is there.
SPOKEN = ("completion", "response", "text")
ANSWERS = (*SPOKEN, "formula")
# In a table of a class as well; in JSON it is the key of a puzzle.
TABLED_ANSWERS = (*SPOKEN, "answer", "formula")
# What may stand between the columns of a table.
_SEPARATORS = ",;\t"
# The names that a card goes by.
_CARDS = ("card", "hand", "numbers", "nums")
# Objects and lists of a line are nested no deeper.
_DEEPEST = 100
# What a puzzle has for the name of its column: its id, with a number before it or none.
_COLUMN = re.compile(r"\s*(?:[0-9]{1,6}[.:]?\s+)?([A-Za-z][A-Za-z0-9]*:[0-9.]+=[^\s;]+)\s*")
# The surrogates that stand for bytes that are not UTF-8, and the error for them.
_NOT_UTF_8 = re.compile(r"[\udc80-\udcff]")
_OTHER_ENCODING = "is not UTF-8: crisps24 mark reads other encodings"
# Whole numbers below need no second look.
_LARGE = 10**30


class Attempt(NamedTuple):
    """A formula, and what it has to make of which numbers in which game; see `puzzle.check`."""

    formula: str
    target: Exact | None
    card: Hand | None
    game: Game


# Reads the id of a puzzle, or raises ValueError.
ReadId = Callable[[str], tuple[Game, Hand, Exact]]


# A line of a file: its number, and its text, what it tells, or why it tells nothing.
RecordLine = tuple[int, str | dict[str, Any] | RefusedError]


class ByteStream(Protocol):
    """A file that is open to be read as bytes."""

    def read1(self, size: int, /) -> bytes:
        """Return what is there, at most so many bytes and at least one, or none at the end."""


def lines_of(
    source: ByteStream,
    waiting: Callable[[], object] = lambda: None,
    longest: int = LONGEST_LINE,
    errors: str = "replace",
) -> Iterator[tuple[int, str | None]]:
    r"""Yield the lines of a file with their numbers, without white space at their ends.

    The file is UTF-8, or UTF-16 with a byte order mark, which is left out. Other bytes of UTF-8 are
    read as `errors` says: by default as U+FFFD. None stands for a line of more than `longest`
    bytes, which is not kept. `waiting` is called each time before the file is asked for more,
    which may take as long as its writer likes.

    >>> import io
    >>> list(lines_of(io.BytesIO(b"1 + 1 \r\n\n2" + b" + 2" * 100_000)))
    [(1, '1 + 1'), (2, ''), (3, None)]
    """
    number, held, over = 1, b"", False
    waiting()
    mouthful = source.read1(_MOUTHFUL)
    # Of a byte order mark a pipe may give half.
    mouthful += source.read1(1) if mouthful in (b"\xff", b"\xfe") else b""
    is_wide = encoding_of(mouthful) == "utf-16"
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    while mouthful:
        mouthful = decoder.decode(mouthful).encode() if is_wide else mouthful
        *ended, rest = mouthful.split(b"\n")
        for end in ended:
            yield number, _text(held + end, number, over, longest, errors)
            number, held, over = number + 1, b"", False
        # Of a line that is too long nothing is held.
        over = over or len(held) + len(rest) > longest
        held = b"" if over else held + rest
        waiting()
        mouthful = source.read1(_MOUTHFUL)
    if held or over:
        yield number, _text(held, number, over, longest, errors)


def _text(line: bytes, number: int, over: bool, longest: int, errors: str) -> str | None:
    if over or len(line) > longest:
        return None
    if number == 1:
        line = line.removeprefix(BYTE_ORDER_MARK)
    return line.decode(errors=errors).strip()


def rows_of_file(
    source: ByteStream, columns: Collection[str], waiting: Callable[[], object] = lambda: None
) -> Iterator[RecordLine]:
    r"""Yield the lines of a file of JSON, or what those of a csv table tell, with their numbers.

    A file is a table where its first line is no JSON: it names the columns, one of `columns` among
    them, in any size of letters and between commas, semicolons or tabs; a row may go on over
    several lines, and has the number of its last. Where columns are named by puzzles, see
    `column_for`, a cell of each is the answer to it, and tells as much as a line of its own.

    >>> from io import BytesIO
    >>> list(rows_of_file(BytesIO(b"name,target\nann,24\n"), ["target"]))
    [(2, {'name': 'ann', 'target': '24'})]

    Raises ValueError, in one sentence, for a file without a line, and for what is no such table.
    """
    too_long = RefusedError(f"it is longer than {LONGEST_RECORD:,} bytes")
    lines: Iterator[RecordLine] = (
        (number, too_long if line is None else line)
        for number, line in lines_of(source, waiting, LONGEST_RECORD, "surrogateescape")
    )
    first = next(((number, line) for number, line in lines if line != ""), None)
    if first is None:
        raise RefusedError("the file has no line")
    if not isinstance(first[1], str) or first[1].startswith(("{", "#")):
        for number, line in chain([first], lines):
            is_plain = not isinstance(line, str) or line.isascii()
            yield number, line if is_plain else _NOT_UTF_8.sub("\ufffd", str(line))
        return
    if _NOT_UTF_8.search(first[1]) or "\0" in first[1]:
        raise RefusedError(f"line {first[0]} {_OTHER_ENCODING}")
    for separator in _SEPARATORS:
        names = [_column(name, columns) for name in first[1].split(separator)]
        if set(names) & set(columns) or any(map(id_of_column, names)):
            yield from _rows_of_table(chain([first], lines), first[0], columns, separator)
            return
    known = ", ".join(columns)
    raise RefusedError(f"line {first[0]} is no JSON, and names no column of {known}")


def _column(name: str, columns: Collection[str]) -> str:
    """Return a column as it is named, or as one of those is that are known."""
    name = name.strip().strip('"')
    known = (*columns, *_CARDS, "name", "target", "game", "id", "rules", *rule_fields())
    return small if (small := name.casefold()) in known else name


def _rows_of_table(
    lines: Iterator[RecordLine], first: int, columns: Collection[str], separator: str
) -> Iterator[RecordLine]:
    """Yield what the rows of a csv table tell; what is no row of it is told in its place."""
    lost: list[RecordLine] = []

    def texts() -> Iterator[str]:
        for number, line in lines:
            if isinstance(line, str) and _NOT_UTF_8.search(line):
                line = RefusedError(f"it {_OTHER_ENCODING}")
            if not isinstance(line, str):
                lost.append((number, line))
            yield f"{line if isinstance(line, str) else ''}\n"

    rows = csv.reader(texts(), delimiter=separator)
    try:
        names = [_column(plain_cell(name), columns) for name in next(rows)]
        if twice := [name for name, times in Counter(filter(None, names)).items() if times > 1]:
            raise RefusedError(f"line {first} names the column {quoted(twice[0])} twice")
        ids = {at: found for at, name in enumerate(names) if (found := id_of_column(name))}
        for row in (list(map(plain_cell, cells)) for cells in rows):
            yield from lost
            lost.clear()
            number = first - 1 + rows.line_num
            if row[len(names) :]:
                more = f"it has {len(row)} cells, and the first line names {len(names)}"
                yield number, RefusedError(more)
            elif row and not ids:
                yield number, dict(zip(names, row, strict=False))
            elif any(row):
                yield from ((number, told) for told in _answers_of(row, names, ids))
    except csv.Error as error:
        raise RefusedError(f"line {first - 1 + rows.line_num}: {error}") from None


def _answers_of(
    row: Sequence[str], names: Sequence[str], ids: dict[int, str]
) -> Iterator[dict[str, Any]]:
    """Yield what a row tells in which a cell is the answer to a puzzle, one after the other."""
    cells = [*row, *[""] * (len(names) - len(row))]
    about = {name: cells[at] for at, name in enumerate(names) if at not in ids}
    if about:
        # Whatever it is called, in a language of the class.
        about.setdefault("name", next(iter(about.values())))
    for at, named in ids.items():
        yield about | {"id": named, ANSWERS[0]: cells[at]}


def column_for(number: int, puzzle: str) -> str:
    """Return the name of the column of a puzzle by its id, with its number on paper before it.

    >>> column_for(1, "cards:3.3.8.8=24")
    '1 cards:3.3.8.8=24'
    """
    return f"{number} {puzzle}"


def id_of_column(name: str) -> str | None:
    """Return the id of the puzzle by which a column is named; None for another name.

    >>> id_of_column("1 cards:3.3.8.8=24"), id_of_column("cards:3.8=24"), id_of_column("name")
    ('cards:3.3.8.8=24', 'cards:3.8=24', None)
    """
    found = _COLUMN.fullmatch(name)
    return found[1] if found else None


def told_in(line: str | dict[str, Any] | RefusedError | None) -> dict[str, Any] | None:
    r"""Return what a line tells, by name; None for a blank one or a # comment.

    A line that begins with `{` is JSON; any other one is a `formula`.

    >>> told_in("1 x 2 x 3 x 4"), told_in('{"formula": "1 + 2", "target": 3}'), told_in("# 3")
    ({'formula': '1 x 2 x 3 x 4'}, {'formula': '1 + 2', 'target': 3}, None)

    Raises ValueError, in one sentence, for a line that is too long and for what is no such JSON.
    """
    if isinstance(line, RefusedError):
        raise line
    if isinstance(line, dict):
        return line
    if line is None:
        raise RefusedError(f"it is longer than {LONGEST_LINE:,} bytes")
    if not line or line.startswith("#"):
        return None
    return _object(line) if line.startswith("{") else {"formula": line}


def attempt_of(told: dict[str, Any], otherwise: Attempt, read_id: ReadId | None = None) -> Attempt:
    r"""Return what is attempted in a line that tells this: a `formula`, held to what it tells.

    It may tell besides what `asked_of` reads; what it does not tell is as in `otherwise`.

    >>> from crisps24 import GAMES
    >>> otherwise = Attempt("", 24, None, GAMES["crisps"])
    >>> attempt_of({"formula": "A x 5", "card": ["A", 5], "target": "5", "game": "cards"},
    ...          otherwise)[:3]
    ('A x 5', 5, (1, 5))

    Raises ValueError, in one sentence, for what attempts nothing and for what contradicts itself.
    """
    formula = told.get("formula")
    if not isinstance(formula, str):
        raise RefusedError('"formula" has to be there, as text')
    return asked_of(told, otherwise._replace(formula=formula), read_id)


def asked_of(told: dict[str, Any], otherwise: Attempt, read_id: ReadId | None = None) -> Attempt:
    """Return an attempt as a line that tells this has it.

    It tells a `card` (a list, or text; `hand`, `numbers` and `nums` are the same), a `target` and
    the name of a `game`; what it does not tell is as in `otherwise`, and what is null is not told.
    A number is what its digits say: 0.75 is 3/4. An `id` says card, target and game, where ids
    are read; one that is no puzzle's is let be. The fields of `rule_fields`, and `rules`, an object
    of them, change rules of the game; beside an `id` they have to agree with it.

    Raises ValueError, in one sentence, for what contradicts itself.

    >>> from crisps24 import GAMES
    >>> otherwise = Attempt("", 24, (3, 8), GAMES["cards"])
    >>> asked_of({"operators": "+-", "fractions": False}, otherwise).game.operators
    ('-', '+')
    """
    told = {name: value for name, value in told.items() if value is not None}
    # Whoever writes the lines may have ids of their own.
    names = (*_CARDS, "id")
    ids = [name for name in names if isinstance(told.get(name), str) and is_id(told[name])]
    if ids and read_id is not None:
        return _of_puzzle(otherwise.formula, ids, told, read_id)
    changes = _rules_of(told)
    if not changes and told.keys().isdisjoint((*_CARDS, "target", "game")):
        # As the call has it, which may be a puzzle's.
        return otherwise
    rules = _game(told["game"]) if "game" in told else otherwise.game
    rules = with_rules(rules, changes) if changes else rules
    target = _target(told["target"]) if "target" in told else otherwise.target
    cards = {name: _card(told[name], rules, name) for name in _CARDS if name in told}
    if len({tuple(sorted(card)) for card in cards.values()}) > 1:
        named = " and ".join(f'"{name}"' for name in cards)
        raise RefusedError(f"{named} are not the same numbers")
    card = next(iter(cards.values()), otherwise.card)
    return Attempt(otherwise.formula, target, card, rules)


def rule_fields() -> dict[str, Rule]:
    """Return the rules that a field of a line can change, by the names of the field.

    Rules of what is dealt are left out, since a line has its hand. So is `bits`, in which `deal`
    writes the difficulty of a puzzle.

    >>> list(rule_fields())[:3]
    ['operators', 'parentheses', 'fractions']
    """
    return {
        name: rule
        for rule in RULES.values()
        if not rule.deals and rule.field != "bits"
        for name in (rule.word, rule.field)
    }


def _rules_of(told: dict[str, Any]) -> dict[str, str]:
    """Return the rules that a line changes, as an id writes them: a text for each word."""
    rules = told.get("rules") or {}
    if isinstance(rules, str) and rules.startswith("{"):
        # A cell of a table, as `deal` writes it.
        rules = _object(rules)
    if not isinstance(rules, dict):
        raise RefusedError('"rules" has to be an object, such as {"operators": "+-", "zero": "no"}')
    fields = rule_fields()
    changes: dict[str, str] = {}
    for name, value in (*rules.items(), *(each for each in told.items() if each[0] in fields)):
        rule = fields.get(name)
        text, word = _rule_text(name, value), name if rule is None else rule.word
        if rule is not None and rule.kind is SIGNS:
            # A row of `formulas` has the operators of its formula, and JOIN among them.
            text = text.translate(dict.fromkeys(map(ord, f";{JOIN.name}"), " "))
        if not text.strip():
            continue
        if changes.setdefault(word, text) != text:
            raise RefusedError(f'"{name}" is there twice, and differs')
    return changes


def _rule_text(name: str, value: Any) -> str:
    """Return a rule of a line as an id writes it; empty for an empty cell, and for null."""
    if isinstance(value, str):
        # Spreadsheets write TRUE and FALSE.
        value = {"true": True, "false": False}.get(value.strip().casefold(), value)
    if isinstance(value, bool):
        return FLAG.write(value)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return " ".join(value)
    if value is None or isinstance(value, str) or type(value) is int:
        return "" if value is None else str(value)
    raise RefusedError(f'"{name}" has to be a rule as an id has it: text, a number, true or false')


def _of_puzzle(formula: str, ids: list[str], told: dict[str, Any], read_id: ReadId) -> Attempt:
    """Return an attempt at a puzzle, with which all agrees that is told besides."""
    named = told[ids[0]]
    game, hand, target = read_id(named)

    def is_it(text: str) -> bool:
        other, numbers, wanted = read_id(text)
        return (other, wanted, sorted(numbers)) == (game, target, sorted(hand))

    def same_card(name: str) -> Callable[[Any], bool]:
        return lambda card: sorted(_card(card, game, name)) == sorted(hand)

    def has_rules(rules: Any) -> bool:
        # As `deal` writes them, who changes no rule of its game none.
        changes = "".join(f",{name}={text}" for name, text in rules.items())
        return is_it(named.partition(",")[0] + changes)

    def has_rule(name: str) -> Callable[[Any], bool]:
        return lambda value: with_rules(game, _rules_of({name: value})) == game

    same: dict[str, Callable[[Any], bool]] = {
        "game": lambda name: _game(name).name == game.name,
        "target": lambda value: _target(value) == target,
        **{name: same_card(name) for name in _CARDS},
        **dict.fromkeys(ids, lambda text: text == named or is_it(text)),
        "rules": lambda rules: not isinstance(rules, dict) or has_rules(rules),
        **{name: has_rule(name) for name in rule_fields()},
    }
    for name, agrees in same.items():
        if name in told and not agrees(told[name]):
            raise RefusedError(f'"{name}" is another than that of the puzzle')
    return Attempt(formula, target, hand, game)


def written(told: Any) -> Any:
    """Return what a line tells as JSON can write it again; what no float holds is text.

    >>> written(told_in('{"formula": "1", "weight": [0.75, 1e999]}'))
    {'formula': '1', 'weight': [0.75, '1e999']}
    """
    if isinstance(told, _Decimal):
        return number if isfinite(number := float(told.written)) else told.written
    if isinstance(told, dict):
        return {name: written(value) for name, value in told.items()}
    return [written(value) for value in told] if isinstance(told, list) else told


def _object(line: str) -> dict[str, Any]:
    try:
        told: dict[str, Any] = _JSON.decode(line)
        # It is no deeper than it has brackets.
        depth = _depth(told) if line.count("{") + line.count("[") > _DEEPEST else 0
    except json.JSONDecodeError as error:
        raise RefusedError(f"it is no JSON: {error.msg} (column {error.pos + 1})") from None
    except RecursionError:
        depth = _DEEPEST + 1
    if depth > _DEEPEST:
        raise RefusedError("it is nested too deeply")
    return told


def _depth(told: dict[str, Any]) -> int:
    """Return how deep objects and lists are nested."""
    depth = 0
    level: list[Iterable[Any]] = [told.values()]
    while level:
        depth += 1
        inner = [each for every in level for each in every if isinstance(each, dict | list)]
        level = [each.values() if isinstance(each, dict) else each for each in inner]
    return depth


def _game(name: Any) -> Game:
    if not isinstance(name, str):
        raise RefusedError('"game" has to be a name')
    return find_game(name)


def _target(target: Any) -> Exact:
    if type(target) is int:
        return target
    written = target.written if isinstance(target, _Decimal) else target
    if not isinstance(written, str):
        raise RefusedError('"target" has to be a number, or text such as "3/2"')
    return parse_value(written)


def _card(card: Any, game: Game, name: str) -> Hand:
    text = str(card) if type(card) is int else card
    words: Any = split_words(text) if isinstance(text, str) else card
    if not (isinstance(words, list) and all(type(word) in (int, str) for word in words)):
        raise RefusedError(f'"{name}" has to be a list of whole numbers, or text such as "4 3 8 4"')
    if not words:
        raise RefusedError("the card is empty")
    if all(type(word) is int and abs(word) < _LARGE for word in words):
        return to_hand(words, game)
    return parse_hand([str(word) for word in words], game)


class _Decimal(NamedTuple):
    """A number that is not whole, as it is written; a float would not be exact."""

    written: str


def _whole(digits: str) -> int:
    if len(digits) > 100:
        raise RefusedError(f"{digits[:10]}… has more than 100 digits")
    return int(digits)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    told = dict(pairs)
    if len(told) < len(pairs):
        raise RefusedError("one of its names is there twice")
    return told


def _no_number(name: str) -> NoReturn:
    raise RefusedError(f"{name} is no number")


_JSON = json.JSONDecoder(
    object_pairs_hook=_once, parse_float=_Decimal, parse_int=_whole, parse_constant=_no_number
)
