"""What is claimed of formulas, a line each: plain text, or JSON with what it is to be held to.

Owns how such lines come from a file, of which no more than a line is ever held, and what is said
of one that claims nothing; whether a claim is right is for `checking` to say.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn, Protocol

from crisps24.errors import RefusedError
from crisps24.rules.characters import words_of
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand, find_game
from crisps24.rules.words import is_id, parse_hand, parse_value

# In bytes: the longest formula fits ten times.
LONGEST_LINE = 100_000
# As many bytes are asked for at once.
_MOUTHFUL = 1 << 16
# Whole numbers below need no second look.
_LARGE = 10**30
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Claim(NamedTuple):
    """A formula, and what it has to make of which numbers in which game; see `checking.check`."""

    formula: str
    target: Exact | None
    card: Hand | None
    game: Game
    posed: bool = False
    """Whether these are a puzzle's, so that the nearest counts where its target cannot be made."""


# Reads the id of a puzzle, or raises ValueError.
ReadId = Callable[[str], tuple[Game, Hand, Exact]]


class Source(Protocol):
    """A file that is open to be read as bytes."""

    def read1(self, size: int, /) -> bytes:
        """Return what is there, at most so many bytes and at least one, or none at the end."""


def lines_of(
    source: Source, waiting: Callable[[], object] = lambda: None
) -> Iterator[tuple[int, str | None]]:
    r"""Yield the lines of a file with their numbers, without white space at their ends.

    What is no UTF-8 is read as U+FFFD, and a byte order mark is left out. None stands for a line
    of more than `LONGEST_LINE` bytes, which is not kept. `waiting` is called each time before the
    file is asked for more, which may take as long as its writer likes.

    >>> import io
    >>> list(lines_of(io.BytesIO(b"1 + 1 \r\n\n2" + b" + 2" * 100_000)))
    [(1, '1 + 1'), (2, ''), (3, None)]
    """
    number, held, over = 1, b"", False
    waiting()
    while mouthful := source.read1(_MOUTHFUL):
        *ended, rest = mouthful.split(b"\n")
        for end in ended:
            yield number, _text(held + end, number, over)
            number, held, over = number + 1, b"", False
        # Of a line that is too long nothing is held.
        over = over or len(held) + len(rest) > LONGEST_LINE
        held = b"" if over else held + rest
        waiting()
    if held or over:
        yield number, _text(held, number, over)


def _text(line: bytes, number: int, over: bool) -> str | None:
    if over or len(line) > LONGEST_LINE:
        return None
    if number == 1:
        line = line.removeprefix(_BYTE_ORDER_MARK)
    return line.decode(errors="replace").strip()


def claim_of(line: str | None, otherwise: Claim, read_id: ReadId | None = None) -> Claim | None:
    r"""Return what a line claims, None for a blank one or a # comment.

    A line that begins with `{` is JSON with a `formula`, and if it likes a `card` (a list, or
    text), a `target` and the name of a `game`; what it does not say, and all of a plain formula
    but itself, is as in `otherwise`. A number is what its digits say: 0.75 is 3/4. A card may be
    called `hand`, and an `id` says card, target and game, where ids are read.

    >>> from crisps24 import GAMES
    >>> otherwise = Claim("", 24, None, GAMES["crisps"])
    >>> claim_of("1 x 2 x 3 x 4", otherwise)[:3]
    ('1 x 2 x 3 x 4', 24, None)
    >>> claim_of('{"formula": "A x 5", "card": ["A", 5], "target": "5", "game": "cards"}',
    ...          otherwise)[:3]
    ('A x 5', 5, (1, 5))

    Raises ValueError, in one sentence, for a line that is too long and for what is not such JSON.
    """
    if line is None:
        raise RefusedError(f"it is longer than {LONGEST_LINE:,} bytes")
    if not line or line.startswith("#"):
        return None
    if not line.startswith("{"):
        return otherwise._replace(formula=line)
    told = _object(line)
    formula = told.get("formula")
    if not isinstance(formula, str):
        raise RefusedError('"formula" has to be there, as text')
    card = told.get("card", told.get("hand"))
    named = card if isinstance(card, str) and is_id(card) else told.get("id")
    if named is not None and read_id is not None:
        return _of_puzzle(formula, named, told, read_id)
    if told.get("rules"):
        raise RefusedError('"rules" are read in an "id", such as cards:3.3.8.8=24,zero=no')
    target, game = told.get("target"), told.get("game")
    if target is card is game is None:
        return otherwise._replace(formula=formula)
    rules = otherwise.game if game is None else _game(game)
    return Claim(
        formula,
        otherwise.target if target is None else _target(target),
        otherwise.card if card is None else _card(card, rules),
        rules,
    )


def _of_puzzle(formula: str, named: Any, told: dict[str, Any], read_id: ReadId) -> Claim:
    """Return what is claimed of a puzzle, with which all agrees that is told besides."""
    if not isinstance(named, str):
        raise RefusedError('"id" has to be text, such as "cards:3.3.8.8=24"')
    game, hand, target = read_id(named)
    card = told.get("card", told.get("hand"))
    same: dict[str, Callable[[Any], bool]] = {
        "game": lambda name: _game(name).name == game.name,
        "target": lambda value: _target(value) == target,
        "card": lambda _: card == named or sorted(_card(card, game)) == sorted(hand),
    }
    for key, agrees in same.items():
        if told.get(key) is not None and not agrees(told[key]):
            raise RefusedError(f'"{key}" is another than that of the puzzle')
    return Claim(formula, target, hand, game, posed=True)


def _object(line: str) -> dict[str, Any]:
    try:
        told: dict[str, Any] = _JSON.decode(line)
    except json.JSONDecodeError as error:
        raise RefusedError(f"it is no JSON: {error.msg} (column {error.pos + 1})") from None
    except RecursionError:
        raise RefusedError("it is nested too deeply") from None
    return told


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


def _card(card: Any, game: Game) -> Hand:
    words = words_of(card) if isinstance(card, str) else card
    if not (isinstance(words, list) and all(type(word) in (int, str) for word in words)):
        raise RefusedError('"card" has to be a list of whole numbers, or text such as "4 3 8 4"')
    if not words:
        raise RefusedError("the card is empty")
    if all(type(word) is int and abs(word) < _LARGE for word in words):
        return tuple(words)
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
