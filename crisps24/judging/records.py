"""Records of formulas, answers or puzzles: a dict from field to value, from a line of a file.

`4 + 4 = 8` is the record {"formula": "4 + 4 = 8"}; `{"text": "3*8", "nums": [3, 8], "target": 24}`
is the record that it writes. A record becomes an `Attempt`: a formula with the target, card and
game that it is checked against; missing fields are those of the command line. No number becomes a
float: 0.75 is 3/4.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from itertools import accumulate
from math import isfinite
from typing import Any, NamedTuple

from crisps24.errors import RefusedError
from crisps24.judging.columns import (
    CARD_FIELDS,
    COLUMN_NAMES,
    PUZZLE_OBJECTS,
    rule_fields,
    with_standard_target,
)
from crisps24.judging.table_rows import MAX_INPUT_LINE_BYTES, too_long
from crisps24.rules.characters import split_words
from crisps24.rules.deals import parse_hand, to_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, Game, Hand, find_game
from crisps24.rules.ids import is_id, with_rules
from crisps24.rules.operators import JOIN
from crisps24.rules.rules import FLAG, SIGNS
from crisps24.rules.words import parse_value

# Digits of a number, and levels of objects and lists, in a record.
_MAX_DIGITS = 100
_NUMBER_LIMIT = 10**_MAX_DIGITS
_LONG_NUMBER = re.compile(f"[0-9]{{{_MAX_DIGITS}}}")
MAX_DEPTH = 100
TOO_DEEP = "it is nested too deeply"
# A string that does not end goes to the end of the text, so that it is looked for once.
_BRACKET_OR_STRING = re.compile(r'[][{}]|"(?:[^"\\]++|\\.)*+"?')
_PLAIN_TYPES = {int, str, bool, type(None)}
_BRACKET_DEPTHS = {"{": 1, "[": 1, "}": -1, "]": -1}
# Whole numbers below this are accepted without a check of their digits.
_LARGE_NUMBER = 10**30


class Attempt(NamedTuple):
    """A formula with the target, card and game that it is checked against; see `puzzle.check`."""

    formula: str
    card: Hand | None
    target: Exact | None
    game: Game


# Fields that can have the id of a puzzle.
_ID_FIELDS = (*CARD_FIELDS, "id")
# Fields of a record that changes no rules and has the usual name for its target.
_STANDARD_FIELDS = frozenset((*_ID_FIELDS, "target", "game"))
# The last record that was applied, with the default it was applied to; and the result.
_last_applied: tuple[Any, Attempt] = (None, Attempt("", None, None, FREE_GAME))
# A function from the id of a puzzle to its game, hand and target, or a RefusedError.
IdParser = Callable[[str], tuple[Game, Hand, Exact]]


def parse_record(line: str | dict[str, Any] | RefusedError | None) -> dict[str, Any] | None:
    """Parse a line of a file into a dict of its fields; None for a blank line or a # comment.

    Text that starts with `{` is JSON; any other is a `formula`. None is a line that is too long.
    """
    if line is None or isinstance(line, RefusedError):
        raise line or too_long(MAX_INPUT_LINE_BYTES)
    if isinstance(line, dict):
        return line
    if not line or line.startswith("#"):
        return None
    return _parse_object(line) if line.startswith("{") else {"formula": line}


def parse_filled(line: str | dict[str, Any] | RefusedError) -> dict[str, Any] | None:
    """Return the fields of a line as `parse_record` does, without the empty cells of a table."""
    record = parse_record(line)
    if isinstance(line, dict):
        return {name: cell for name, cell in line.items() if cell}
    return record


def parse_attempt(
    record: dict[str, Any], default: Attempt, parse_id: IdParser | None = None
) -> Attempt:
    """Return the formula of a record, with the card, target and game to check it against."""
    formula = record.get("formula")
    if not isinstance(formula, str):
        raise RefusedError('"formula" has to be there, as text')
    _, card, target, game = apply_record(record, default, parse_id)
    return Attempt(formula, card, target, game)


def puzzle_objects(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the objects in a row that can have fields of its puzzle, the first ones first."""
    for path in PUZZLE_OBJECTS:
        value: Mapping[str, Any] | None = record
        for name in path:
            # Most rows have no such field.
            value = as_object(value[name]) if value is not None and name in value else None
        if value is not None:
            yield value


def puzzle_values(
    record: Mapping[str, Any], plain: Callable[[Any], Any] | None = None
) -> dict[str, Any]:
    """Return the fields of the puzzle in a row and in the objects of the row, as plain values."""
    fields: dict[str, Any] = {}
    names = puzzle_field_names()
    # The first objects are read last, and replace the fields of the others.
    for source in (*reversed([*puzzle_objects(record)]), record):
        cells = [(name, cell) for name, cell in source.items() if name in names]
        cells = [(name, plain(cell)) for name, cell in cells] if plain else cells
        fields |= {name: cell for name, cell in cells if cell is not None}
    return fields


def as_object(value: Any) -> Mapping[str, Any] | None:
    """Return a value that is an object, or JSON text of one, as an object; None for another."""
    if isinstance(value, str) and value.startswith("{"):
        with suppress(RefusedError):
            return _parse_object(value)
    return value if isinstance(value, Mapping) else None


def apply_record(
    record: dict[str, Any], default: Attempt, parse_id: IdParser | None = None
) -> Attempt:
    """Return `default` with the card, target and game of a record.

    `nums`, or another field of `columns.CARD_FIELDS`, is a list of numbers, or text; `target` or
    `goal` a number or text; `game` a name; an `id` gives card, target and game of a puzzle. The
    fields of `rule_fields`, and `rules`, an object of them, change rules of the game. Fields of
    objects in the record count too; others, and null, are ignored; so is an id without `parse_id`.
    """
    global _last_applied
    record = puzzle_values(record)
    if not _STANDARD_FIELDS.issuperset(record):
        record = with_standard_target(record)
    # "id" can also be an id of the writer of the file.
    id_fields = [n for n in _ID_FIELDS if isinstance(record.get(n), str) and is_id(record[n])]
    # An id gives card, target and game at once.
    if id_fields and parse_id is not None:
        return _attempt_at_puzzle(default.formula, id_fields, record, parse_id)
    record.pop("id", None)
    # Neighbouring records often differ only in their formula. In text, 1 is not True.
    key = repr(record), default
    # Another thread can replace the last record.
    last_key, attempt = _last_applied
    if key != last_key:
        attempt = _apply_fields(record, default)
        _last_applied = key, attempt
    return attempt


@cache
def puzzle_field_names() -> frozenset[str]:
    return frozenset((*CARD_FIELDS, *COLUMN_NAMES["target"], "id", "game", "rules", *rule_fields()))


def _apply_fields(record: dict[str, Any], default: Attempt) -> Attempt:
    changes = {} if _STANDARD_FIELDS.issuperset(record) else _rule_changes(record)
    if not changes and record.keys().isdisjoint((*CARD_FIELDS, "target", "game")):
        # Keep the game of the default, which can be that of a puzzle.
        return default
    game = _parse_game(record["game"]) if "game" in record else default.game
    game = with_rules(game, changes) if changes else game
    target = parse_number(record["target"], "target") if "target" in record else default.target
    cards = {name: _parse_card(record[name], game, name) for name in CARD_FIELDS if name in record}
    if len(cards) > 1 and len({tuple(sorted(card)) for card in cards.values()}) > 1:
        fields = " and ".join(f'"{name}"' for name in cards)
        raise RefusedError(f"{fields} are not the same numbers")
    # All fields for the card have the same numbers: take those of the first.
    card = next(iter(cards.values()), default.card)
    return Attempt(default.formula, card, target, game)


def _rule_changes(record: dict[str, Any]) -> dict[str, str]:
    """Return the rules that a record changes, as text by name; also unknown names in `rules`."""
    rules = record.get("rules") or {}
    if isinstance(rules, str) and rules.startswith("{"):
        # A cell of a table that `deal` wrote.
        rules = _parse_object(rules)
    if not isinstance(rules, dict):
        raise RefusedError('"rules" has to be an object, such as {"operators": "+-", "zero": "no"}')
    fields = rule_fields()
    changes: dict[str, str] = {}
    for name, value in (*rules.items(), *(item for item in record.items() if item[0] in fields)):
        rule, text = fields.get(name), _rule_text(name, value)
        if rule is not None and rule.kind is SIGNS:
            # A row of the command `formulas` has operators such as "+;|": drop the ; and the |.
            text = text.replace(";", " ").replace(JOIN.name, " ")
        if text.strip() and changes.setdefault(rule.word if rule else name, text) != text:
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
    if value is None or isinstance(value, str | int):
        return "" if value is None else str(value)
    raise RefusedError(f'"{name}" has to be a rule as an id has it: text, a number, true or false')


def _attempt_at_puzzle(
    formula: str, id_fields: list[str], record: dict[str, Any], parse_id: IdParser
) -> Attempt:
    """Return a formula with the puzzle whose id is in a record; other fields must agree with it."""
    puzzle_id = record[id_fields[0]]
    game, hand, target = parse_id(puzzle_id)

    def is_same(other_game: Game, other_hand: Hand | None, other_target: Exact | None) -> bool:
        is_same_hand = sorted(other_hand or ()) == sorted(hand)
        return is_same_hand and (other_game, other_target) == (game, target)

    def agrees(name: str, value: Any) -> bool:
        if name == "game":
            return _parse_game(value).name == game.name
        if name in id_fields:
            return value == puzzle_id or is_same(*parse_id(value))
        if name == "rules":
            # `deal` writes only the rules that differ from those of the game.
            changes = [f",{rule}={text}" for rule, text in value.items()]
            return is_same(*parse_id("".join((puzzle_id.partition(",")[0], *changes))))
        _, card, own_target, own_game = _apply_fields({name: value}, puzzle)
        return is_same(own_game, card, own_target)

    puzzle = Attempt(formula, hand, target, game)
    for name in ("game", "target", *CARD_FIELDS, "id", "rules", *rule_fields()):
        is_text = name == "rules" and not isinstance(record.get(name), dict)
        if name in record and not is_text and not agrees(name, record[name]):
            raise RefusedError(f'"{name}" is another than that of the puzzle')
    return puzzle


def to_json_value(value: Any) -> Any:
    """Replace the exact decimal numbers in a value of a record by floats, for `json.dumps`."""
    if isinstance(value, _Decimal):
        return number if isfinite(number := float(value.text)) else value.text
    if isinstance(value, dict):
        return dict(zip(value, to_json_value([*value.values()]), strict=True))
    if isinstance(value, list):
        # Most values are plain, and a call for each takes longer than this test.
        return [item if type(item) in _PLAIN_TYPES else to_json_value(item) for item in value]
    return value


def _parse_object(line: str) -> dict[str, Any]:
    # The depth is at most the number of opening brackets, which is faster to count.
    if line.count("{") + line.count("[") > MAX_DEPTH:
        changes = (_BRACKET_DEPTHS.get(token[0], 0) for token in _BRACKET_OR_STRING.finditer(line))
        if max(accumulate(changes)) > MAX_DEPTH:
            raise RefusedError(TOO_DEEP)
    # A function for each whole number takes longer than to look for a long one.
    decoder = _JSON_WITH_LONG_NUMBERS if _LONG_NUMBER.search(line) else _JSON
    try:
        record: dict[str, Any] = decoder.decode(line)
    except json.JSONDecodeError as error:
        raise RefusedError(f"it is not JSON: {error.msg} (column {error.pos + 1})") from None
    return record


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
    if type(card) is list and {*map(type, card)} == {int} and max(map(abs, card)) < _LARGE_NUMBER:
        return to_hand(card, game)
    words = card
    if isinstance(card, str) or type(card) is int:
        # pandas writes a list as "[3, 8]".
        words = split_words(str(card).strip().removeprefix("[").removesuffix("]"))
        if name == "digits" and len(words) == 1:
            # "4384" in a column of digits is four numbers.
            words = list(words[0])
    if not (isinstance(words, list) and all(type(word) in (int, str, _Decimal) for word in words)):
        raise RefusedError(f'"{name}" has to be a list of numbers, or text such as "4 3 8 4"')
    if not words:
        raise RefusedError("the card is empty")
    return parse_hand([w.text if isinstance(w, _Decimal) else str(w) for w in words], game)


class _Decimal(NamedTuple):
    """A number of JSON that is not whole, as text, since a float would not be exact."""

    text: str


def _parse_int(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise RefusedError(f"{digits[:10]}… has more than {_MAX_DIGITS} digits")
    return int(digits)


def check_digits(number: int) -> None:
    """Raise RefusedError for a number of a row that is too long; Python may not write it."""
    if abs(number) >= _NUMBER_LIMIT:
        raise RefusedError(f"a number in it has more than {_MAX_DIGITS} digits")


def _unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise RefusedError("one of its names is there twice")
    return record


# NaN and Infinity, which Python writes, are refused where a number is needed.
_decoder_with = partial(
    json.JSONDecoder,
    object_pairs_hook=_unique_fields,
    parse_float=_Decimal,
    parse_constant=_Decimal,
)
_JSON, _JSON_WITH_LONG_NUMBERS = _decoder_with(), _decoder_with(parse_int=_parse_int)
