"""The fields of a game as JSON in a file, and back; each field is checked by its type in `Game`."""

import json
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from crisps24.errors import RefusedError
from crisps24.notation.styles import STYLES
from crisps24.rules.deals import count_hands
from crisps24.rules.games import Game
from crisps24.rules.queries import check_grouping

# Characters of the JSON of a game, and of a word in it.
MOST_TEXT, LONGEST_WORD = 1 << 16, 100

# What is said of a game is none of its rules.
_KINDS: dict[str, Any] = {
    each.name: get_type_hints(Game)[each.name] for each in fields(Game) if each.compare
}
# Files have the style of a game by this name.
_KINDS["signs"] = str
_NAMES: dict[str, str] = {"signs": "style"}


def json_of(game: Game) -> str:
    """Return the fields of a game as JSON.

    Raises ValueError for a game that could not be read back.
    """
    try:
        text = json.dumps({name: getattr(game, _NAMES.get(name, name)) for name in _KINDS})
        if game_of(text) != game:
            raise RefusedError("it has rules that no file has")
    except (TypeError, ValueError) as error:
        raise RefusedError(f"a file cannot keep {game.name}: {error}") from None
    return text


def game_of(text: str) -> Game:
    """Return the game with the fields in a text; one that was not there yet has its default.

    >>> from crisps24 import GAMES
    >>> game_of(json_of(GAMES["countdown"])) == GAMES["countdown"]
    True

    Raises ValueError, which says why, for a text of no game, and for a game without surveys.
    """
    if len(text) > MOST_TEXT:
        raise RefusedError(f"its game has more than {MOST_TEXT:,} characters")
    try:
        values: dict[str, Any] = json.loads(text)
    except (ValueError, RecursionError):
        raise RefusedError("its game is no JSON") from None
    if type(values) is not dict:
        raise RefusedError("its game has no fields")
    for name in values:
        if name not in _KINDS:
            raise RefusedError(f"no game has {_shown(name)}")
    for each in ("name", "numbers", "length"):
        if each not in values:
            raise RefusedError(f"its game has no {each}")
    game = Game(**{_NAMES.get(name, name): _field(name, value) for name, value in values.items()})
    check_grouping(game)
    count_hands(game)
    return game


def _field(name: str, value: Any) -> Any:
    try:
        read = _read(value, _KINDS[name])
    except ValueError:
        raise RefusedError(f"{name} of its game cannot be {_shown(value)}") from None
    if (name == "signs" and read not in STYLES) or (name == "targets" and read[0] > read[1]):
        raise RefusedError(f"{name} of its game cannot be {_shown(value)}")
    return read


def _read(value: Any, kind: Any) -> Any:
    """Return a value of a kind, a list as a tuple; raise ValueError if it has another kind."""
    if isinstance(kind, UnionType):
        [kind] = [NoneType] if value is None else [one for one in get_args(kind) if one != NoneType]
    if get_origin(kind) is tuple and type(value) is list:
        kinds = get_args(kind)
        if kinds[-1] is Ellipsis:
            kinds = kinds[:1] * len(value)
        return tuple(_read(one, own) for one, own in zip(value, kinds, strict=True))
    # A truth is no number here, though Python has it as one.
    if type(value) is not kind or (kind is str and not is_word(value)):
        raise ValueError
    return value


def is_word(text: str) -> bool:
    """Return whether a text is short and printable."""
    return len(text) <= LONGEST_WORD and text.isprintable()


def _shown(value: Any) -> str:
    """Return a value as JSON, cut if it is long."""
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
