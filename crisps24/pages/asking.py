"""Read the words of an address into values, with the readers of the command line."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, quote_plus, urlencode

from crisps24.errors import RefusedError, parse_language, quoted
from crisps24.messages.message import ENGLISH, Count, Language, Message, message
from crisps24.notation.styles import typeable_style
from crisps24.pages.sentences import label_of, say
from crisps24.puzzles.conditions import (
    LEVELS,
    Conditions,
    parse_levels,
    parse_seed,
    refuse_conflicting_conditions,
)
from crisps24.rules.exact import Exact
from crisps24.rules.games import HAND_GAMES, Game, Hand, find_game
from crisps24.rules.ids import changed_rules, is_id, parse_id
from crisps24.rules.rules import FLAG, RULES, Rule
from crisps24.rules.words import parse_range, parse_value

DEFAULT_GAME = HAND_GAMES[0]
# A word of an address has at most so many characters, and an address so many words.
LONGEST_WORD = 5_000
_MOST_WORDS = 60
# Which targets are dealt is no condition of a puzzle, to the library.
_TARGETS = ("target", "targets")
# Numbers of a hand.
_MOST_NUMBERS = 12
# What no keyboard types, lines and tabs apart.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class AddressError(RefusedError):
    """An address is none of this server's: it cannot be taken apart, or has other words."""


@dataclass(frozen=True, slots=True)
class Field:
    """A word that an address may have, and what it is in a form."""

    name: str
    read: Callable[[str], Any]
    kind: str = "text"
    """`text`, `number`, `flag` (a box to tick), `either` (as the game has it, yes or no)."""
    limits: tuple[int, int] | None = None
    """The least and the largest number."""


def number(name: str, least: int, most: int) -> Field:
    """Return the field of a whole number within limits."""

    def read(text: str) -> int:
        if not re.fullmatch("[0-9]{1,9}", text) or not least <= int(text) <= most:
            limits = {"least": least, "most": Count(most)}
            raise RefusedError(message("refused.number", text=quoted(text), **limits))
        return int(text)

    return Field(name, read, "number", (least, most))


def parse_seconds(text: str) -> float:
    """Return the seconds of a text, `12.5`, fewer than a day's.

    Raises ValueError, in one sentence, for what are none.
    """
    if not re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,3})?", text):
        raise RefusedError(message("refused.seconds", text=quoted(text)))
    return float(text)


def _field_of(rule: Rule) -> Field:
    """Return the field of a rule of a game."""
    if rule.kind is FLAG:
        return Field(rule.word, rule.kind.read, "either")
    if rule.kind.bounds:
        least, most = rule.kind.bounds
        return number(rule.word, least, min(most, _MOST_NUMBERS))
    return Field(rule.word, rule.kind.read)


def flags(*names: str) -> list[Field]:
    """Return the fields of boxes to tick."""
    return [Field(name, FLAG.read, "flag") for name in names]


# What chooses puzzles, as the command `deal` has it, and the rules that can be changed.
CHOOSING = (
    Field("level", parse_levels),
    Field("target", parse_value),
    Field("targets", parse_range),
    Field("solutions", parse_range),
    *flags("essential", "plain"),
    number("large", 0, 99),
    *flags("closest", "repeat", "trivial"),
)
_OFFERED = tuple(rule for rule in RULES.values() if rule.label)
OF_RULES = tuple(map(_field_of, _OFFERED))
_TEXT = ("game", "hand", "formula", "card")
# How everything is said and written, on every page.
DISPLAY_FIELDS = (Field("language", parse_language), Field("style", typeable_style))
DISPLAY_NAMES = tuple(field.name for field in DISPLAY_FIELDS)
_FIELDS = {
    field.name: field
    for field in (
        *(Field(name, str) for name in _TEXT),
        Field("seed", parse_seed),
        *CHOOSING,
        *OF_RULES,
        *DISPLAY_FIELDS,
        *flags("every"),
    )
}
# As they are offered; a range may be asked for besides.
LEVEL_WORDS = tuple(map(str, LEVELS))
CHOOSING_NAMES = tuple(field.name for field in CHOOSING)
# Those that are not in sight until they are asked for.
CONDITION_NAMES = tuple(name for name in CHOOSING_NAMES if name not in ("level", "target"))
RULE_NAMES = tuple(field.name for field in OF_RULES)


class Asked(Mapping[str, str]):
    """The words of an address, blank ones left out, each read when it is asked for."""

    def __init__(
        self,
        words: Mapping[str, str],
        more: Iterable[Field] = (),
        reader: Language = ENGLISH,
        *,
        labels: bool = True,
    ) -> None:
        """Start with words; `more` are fields that only one page has.

        `reader` is the language of the reader, if the words have none. With `labels`, messages
        name words as forms do, and without as the address does, for programs.
        """
        self._words = dict(words)
        self._fields = _FIELDS | {field.name: field for field in more}
        self._reader = reader
        self._labels = labels

    def __getitem__(self, name: str) -> str:
        return self._words[name]

    def __iter__(self) -> Any:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)

    def value(self, name: str, otherwise: Any = None) -> Any:
        """Return what a word means, or `otherwise` where it is not there.

        Raises RefusedError with the name of the word and the reason.
        """
        if name not in self._words:
            return otherwise
        try:
            return self._fields[name].read(self._words[name])
        except RefusedError as error:
            reason = message("list.label", label=self.label(name), text=error.message)
            raise RefusedError(reason) from None

    def label(self, name: str) -> Message | str:
        """Return what messages call a word of the address."""
        return label_of(name) if self._labels else name

    @property
    def language(self) -> Language:
        """The language of the answer: that of who asks where none that there is is said."""
        try:
            found: Language = self.value("language", self._reader)
        except RefusedError:
            return self._reader
        return found

    def say(self, name: str, count: int | None = None, /, **words: object) -> str:
        """Return a sentence of the pages in that language: see `sentences.say`."""
        return say(name, count, language=self.language, **words)

    @property
    def style(self) -> str:
        """The name of the style asked for, else of that of the language; empty for the game's."""
        style = self.value("style")
        return style.name if style else self.language.style

    def faced(self, address: str) -> str:
        """Return an address with the language and the signs that this one has."""
        words = {name: self[name] for name in DISPLAY_NAMES if name in self}
        if not words:
            return address
        return f"{address}{'&' if '?' in address else '?'}{urlencode(words)}"

    def has_any(self, names: Iterable[str]) -> bool:
        """Return whether one of some words is there."""
        return any(name in self for name in names)

    def game(self, offered: Collection[str] = HAND_GAMES) -> Game:
        """Return the game that is asked for, its rules changed as they are asked."""
        game = find_game(self.get("game", DEFAULT_GAME), offered)
        if game.name not in offered:
            known = ", ".join(offered)
            raise RefusedError(message("rules.no_hands", game=game.name, known=known))
        changes = {rule.field: self.value(rule.word) for rule in _OFFERED if rule.word in self}
        return replace(game, **changes) if changes else game

    def conditions(self, game: Game) -> Conditions:
        """Return what is asked of puzzles of a game."""
        asked = {name: self.value(name) for name in CHOOSING_NAMES if name in self}
        refuse_conflicting_conditions(asked, game, self.label)
        others = {name: asked[name] for name in asked if name not in ("level", *_TARGETS)}
        return Conditions(levels=asked.get("level", LEVELS), **others)

    def named(self, name: str) -> tuple[Game, Hand, Exact] | None:
        """Return the game, the hand and the target of a word that is an id; None for another."""
        return parse_id(self[name]) if is_id(self.get(name, "")) else None

    def in_game(self, game: Game, **words: str) -> "Asked":
        """Return the same words but for those of another game, and of some others."""
        kept = {name: word for name, word in self.items() if name not in ("game", *RULE_NAMES)}
        words = words_for(game) | kept | words
        return Asked(words, self._fields.values(), self._reader, labels=self._labels)

    def address(self, path: str, without: Collection[str] = (), **changes: object) -> str:
        """Return an address with the same words but for some, in the same order."""
        words: dict[str, object] = {
            name: word for name, word in self.items() if name not in without
        } | changes
        kept = {name: word for name, word in words.items() if word not in ("", None)}
        return f"{path}?{urlencode(kept)}" if kept else path

    def addresses(self, path: str, name: str, words: Iterable[str]) -> list[str]:
        """Return an address with the same words but for one, for each of those that it may be.

        >>> Asked({"hand": "3 8"}).addresses("/solve", "style", ["dot", "colon"])
        ['/solve?hand=3+8&style=dot', '/solve?hand=3+8&style=colon']
        """
        # What nobody can type stands in its place.
        pattern, place = self.address(path, **{name: "\0"}), quote_plus("\0")
        return [pattern.replace(place, quote_plus(word)) for word in words]


def words_for(game: Game) -> dict[str, str]:
    """Return the words of an address that asks for a game, with the rules that are changed in it.

    >>> words_for(replace(find_game("cards"), numbers=(1, 2, 7), zero=False))
    {'game': 'cards', 'numbers': '1,2,7', 'zero': 'no'}
    """
    rules = {rule.word: rule.kind.write(value) for rule, value in changed_rules(game) if rule.label}
    return {"game": game.name} | rules


def read_address(
    query: str,
    names: Collection[str],
    more: Iterable[Field] = (),
    reader: Language = ENGLISH,
    *,
    labels: bool = True,
) -> Asked:
    """Return the words of an address, of which the names are known; see `Asked`.

    >>> dict(read_address("game=cards&hand=3+3+8+8&target=", ("game", "hand", "target")))
    {'game': 'cards', 'hand': '3 3 8 8'}

    Raises `AddressError` for what cannot be taken apart, for a word that is there twice, and for
    one that nothing would be asked by.
    """
    try:
        pairs = parse_qsl(
            query, keep_blank_values=True, errors="strict", max_num_fields=_MOST_WORDS
        )
    except UnicodeDecodeError:
        raise AddressError(message("address.encoding")) from None
    except ValueError:
        raise AddressError(message("address.words", most=_MOST_WORDS)) from None
    words: dict[str, str] = {}
    for name, word in pairs:
        text = quoted(name)
        if name not in names:
            known = ", ".join(names)
            raise AddressError(message("address.unknown", text=text, known=known))
        if name in words:
            raise AddressError(message("refused.twice", text=text))
        if _CONTROL.search(word):
            raise AddressError(message("address.control", text=text))
        if len(word) > LONGEST_WORD:
            raise AddressError(message("address.too_long", text=text, most=Count(LONGEST_WORD)))
        words[name] = word.strip()
    given = {name: word for name, word in words.items() if word}
    return Asked(given, more, reader, labels=labels)
