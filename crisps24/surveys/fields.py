"""The fields of a game as JSON in a file, and back; `Game` has the type of each field."""

import json
import re
from dataclasses import fields, replace
from fractions import Fraction
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from crisps24.errors import RefusedError
from crisps24.notation.styles import STYLES
from crisps24.rules.deals import MAX_SURVEYED_HANDS, count_hands
from crisps24.rules.exact import Exact, to_exact
from crisps24.rules.games import GAMES, Game
from crisps24.rules.machines import HANDS

# Characters of the JSON of a game.
MAX_GAME_CHARACTERS = 1 << 16
# Characters of a text in it.
MAX_WORD_CHARACTERS = 100
_FRACTION = re.compile(r"-?[0-9]{1,50}/0*[1-9][0-9]{0,50}")

# The types of the fields that are rules; others, such as a description, are not compared.
_TYPES: dict[str, Any] = {
    field.name: get_type_hints(Game)[field.name] for field in fields(Game) if field.compare
}
# No survey is in order.
del _TYPES["in_order"]
# In files, the field `style` is named `signs`.
_TYPES["signs"] = str
_ATTRIBUTES: dict[str, str] = {"signs": "style"}


def game_to_json(game: Game) -> str:
    """Return the rules of a game as a JSON object: `{"name": "crisps", "numbers": [1, 2, ...]}`."""
    try:
        values = {name: getattr(game, _ATTRIBUTES.get(name, name)) for name in _TYPES}
        text = json.dumps(values, default=_fraction_to_text)
        if game_from_json(text) != game:
            raise RefusedError("it has rules that no file has")
    except (TypeError, ValueError) as error:
        raise RefusedError(f"a file cannot keep {game.name}: {error}") from None
    return text


def game_from_json(text: str) -> Game:
    """Return the game whose rules are in a JSON object; missing rules have their defaults."""
    if len(text) > MAX_GAME_CHARACTERS:
        raise RefusedError(f"its game has more than {MAX_GAME_CHARACTERS:,} characters")
    try:
        values: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError):
        raise RefusedError("its game is not JSON") from None
    if type(values) is not dict:
        raise RefusedError("its game has no fields")
    for name in values:
        if name not in _TYPES:
            raise RefusedError(f"no game has {_shorten(name)}")
    for name in ("name", "numbers", "length"):
        if name not in values:
            raise RefusedError(f"its game has no {name}")
    game = Game(**{_ATTRIBUTES.get(name, name): _field(name, values[name]) for name in values})
    HANDS.check(game)
    count_hands(game, MAX_SURVEYED_HANDS)
    known = GAMES.get(game.name, game)
    return replace(game, cutoffs=known.cutoffs, timed=known.timed)


def _field(name: str, value: Any) -> Any:
    """Return the value of a field of a game from JSON; raise RefusedError if it is invalid."""
    try:
        result = _convert(value, _TYPES[name])
    except ValueError:
        raise RefusedError(f"{name} of its game cannot be {_shorten(value)}") from None
    if (name == "signs" and result not in STYLES) or (name == "targets" and result[0] > result[1]):
        raise RefusedError(f"{name} of its game cannot be {_shorten(value)}")
    return result


def _convert(value: Any, kind: Any) -> Any:
    """Check that a value from JSON has a type, and return it with tuples instead of lists."""
    if kind == Exact:
        # A fraction is a text, such as "3/4".
        if type(value) is str and _FRACTION.fullmatch(value):
            return to_exact(Fraction(value))
        kind = int
    if isinstance(kind, UnionType):
        # The type is one type or None: choose the one that the value can have.
        types = [NoneType] if value is None else get_args(kind)
        [kind] = [member for member in types if value is None or member != NoneType]
    if get_origin(kind) is tuple and type(value) is list:
        item_kinds = get_args(kind)
        if item_kinds[-1] is Ellipsis:
            item_kinds = item_kinds[:1] * len(value)
        pairs = zip(value, item_kinds, strict=True)
        return tuple(_convert(item, item_kind) for item, item_kind in pairs)
    # In Python, True is an instance of int; here it is not.
    if type(value) is not kind or (kind is str and not is_word(value)):
        raise ValueError
    return value


def _fraction_to_text(value: object) -> str:
    if not isinstance(value, Fraction):
        raise TypeError(f"a {type(value).__name__} cannot be written as JSON")
    return str(value)


def is_word(text: str) -> bool:
    """Return whether a text has at most 100 characters, all printable."""
    return len(text) <= MAX_WORD_CHARACTERS and text.isprintable()


def _shorten(value: Any) -> str:
    """Return a value as JSON of at most 41 characters."""
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
