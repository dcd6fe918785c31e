"""Parse the parameters of addresses with the parsers of the command line, and write addresses."""

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
# Characters of a value, and parameters of an address.
MAX_VALUE_LENGTH = 5_000
_MAX_PARAMETERS = 60
# Parameters of the targets, which are not part of `Conditions`.
_TARGETS = ("target", "targets")
_MAX_HAND_SIZE = 12
# Control characters, except tabs and line ends, and surrogates.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class AddressError(RefusedError):
    """An address cannot be parsed, or has unknown, repeated or too long parameters."""


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter of an address, and its input field in a form."""

    name: str
    read: Callable[[str], Any]
    """Parses a value; raises RefusedError for an invalid one."""
    kind: str = "text"
    """`text`, `number`, `flag` (a checkbox) or `either` (default of the game, yes or no)."""
    limits: tuple[int, int] | None = None
    """The smallest and the largest number."""


def number(name: str, least: int, most: int) -> Field:
    """Return the field of a whole number from `least` to `most`; other texts are refused."""

    def read(text: str) -> int:
        if not re.fullmatch("[0-9]{1,9}", text) or not least <= int(text) <= most:
            limits = {"least": least, "most": Count(most)}
            raise RefusedError(message("refused.number", text=quoted(text), **limits))
        return int(text)

    return Field(name, read, "number", (least, most))


def parse_seconds(text: str) -> float:
    """Return the seconds of a text such as `12.5`: up to 5 digits, and up to 3 decimals.

    Raises RefusedError for any other text.
    """
    if not re.fullmatch(r"[0-9]{1,5}(\.[0-9]{1,3})?", text):
        raise RefusedError(message("refused.seconds", text=quoted(text)))
    return float(text)


def _field_of(rule: Rule) -> Field:
    """Return the field of a rule: `either` for a flag; numbers have at most 12 as their limit."""
    if rule.kind is FLAG:
        return Field(rule.word, rule.kind.read, "either")
    if rule.kind.bounds:
        least, most = rule.kind.bounds
        return number(rule.word, least, min(most, _MAX_HAND_SIZE))
    return Field(rule.word, rule.kind.read)


def flags(*names: str) -> list[Field]:
    """Return the fields of checkboxes."""
    return [Field(name, FLAG.read, "flag") for name in names]


# Fields that choose puzzles, like the options of the command `deal`.
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
RULE_FIELDS = tuple(map(_field_of, _OFFERED))
_TEXT = ("game", "hand", "formula", "card")
# Fields of language and style, which every page has.
DISPLAY_FIELDS = (Field("language", parse_language), Field("style", typeable_style))
DISPLAY_NAMES = tuple(field.name for field in DISPLAY_FIELDS)
_FIELDS = {
    field.name: field
    for field in (
        *(Field(name, str) for name in _TEXT),
        Field("seed", parse_seed),
        *CHOOSING,
        *RULE_FIELDS,
        *DISPLAY_FIELDS,
        *flags("every"),
    )
}
# The levels in the list of a form; an address can also have a range.
LEVEL_WORDS = tuple(map(str, LEVELS))
CHOOSING_NAMES = tuple(field.name for field in CHOOSING)
# Fields that a form hides until they are used.
CONDITION_NAMES = tuple(name for name in CHOOSING_NAMES if name not in ("level", "target"))
RULE_NAMES = tuple(field.name for field in RULE_FIELDS)


class Parameters(Mapping[str, str]):
    """The parameters of an address, without empty ones: a mapping from names to texts.

    A text is parsed when its value is used.
    """

    def __init__(
        self,
        texts: Mapping[str, str],
        fields: Iterable[Field] = (),
        reader: Language = ENGLISH,
        *,
        labels: bool = True,
    ) -> None:
        """Store parameters.

        Args:
            texts: the texts by name, none empty.
            fields: fields that only one page has.
            reader: the language if the parameters have none.
            labels: whether messages name parameters by their labels in forms, not by their names.
        """
        self._texts = dict(texts)
        self._fields = _FIELDS | {field.name: field for field in fields}
        self._reader = reader
        self._labels = labels

    def __getitem__(self, name: str) -> str:
        return self._texts[name]

    def __iter__(self) -> Any:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def value(self, name: str, default: Any = None) -> Any:
        """Return the parsed value of a parameter, or `default` if the address lacks it.

        Raises RefusedError, with the label of the parameter and the reason, for an invalid text,
        and KeyError for a parameter of the address without a field.
        """
        if name not in self._texts:
            return default
        try:
            return self._fields[name].read(self._texts[name])
        except RefusedError as error:
            reason = message("list.label", label=self.label(name), text=error.message)
            raise RefusedError(reason) from None

    def label(self, name: str) -> Message | str:
        """Return the name of a parameter in messages: its label in forms, or its own name."""
        return label_of(name) if self._labels else name

    @property
    def language(self) -> Language:
        """The language of the page: that of the parameter if valid, else that of the reader."""
        try:
            language: Language = self.value("language", self._reader)
        except RefusedError:
            return self._reader
        return language

    def say(self, name: str, count: int | None = None, /, **words: object) -> str:
        """Return a text of the pages in the language of the page; see `sentences.say`."""
        return say(name, count, language=self.language, **words)

    @property
    def style(self) -> str:
        """The name of the style in the address, else of the language; empty for that of the game.

        Raises RefusedError for an invalid style.
        """
        style = self.value("style")
        return style.name if style else self.language.style

    def with_display_settings(self, address: str) -> str:
        """Return an address with the language and the style of these parameters added, if any."""
        texts = {name: self[name] for name in DISPLAY_NAMES if name in self}
        if not texts:
            return address
        return f"{address}{'&' if '?' in address else '?'}{urlencode(texts)}"

    def has_any(self, names: Iterable[str]) -> bool:
        """Return whether the address has any of these parameters."""
        return any(name in self for name in names)

    def game(self, offered: Collection[str] = HAND_GAMES) -> Game:
        """Return the game of the address, by default `cards`, with its changed rules.

        Raises RefusedError for an unknown game, a game not in `offered`, or an invalid rule.
        """
        game = find_game(self.get("game", DEFAULT_GAME), offered)
        if game.name not in offered:
            known = ", ".join(offered)
            raise RefusedError(message("rules.no_hands", game=game.name, known=known))
        changes = {rule.field: self.value(rule.word) for rule in _OFFERED if rule.word in self}
        return replace(game, **changes) if changes else game

    def conditions(self, game: Game) -> Conditions:
        """Return the conditions for puzzles of a game, without its targets; by default all levels.

        Raises RefusedError for invalid conditions and targets, for conflicting ones, and for
        conditions that the game cannot have.
        """
        values = {name: self.value(name) for name in CHOOSING_NAMES if name in self}
        refuse_conflicting_conditions(values, game, self.label)
        others = {name: values[name] for name in values if name not in ("level", *_TARGETS)}
        return Conditions(levels=values.get("level", LEVELS), **others)

    def puzzle_id(self, name: str) -> tuple[Game, Hand, Exact] | None:
        """Return the game, hand and target of a parameter that is a puzzle id.

        Returns None if the parameter is missing or has another form, such as a hand. Raises
        RefusedError for an invalid id.
        """
        return parse_id(self[name]) if is_id(self.get(name, "")) else None

    def in_game(self, game: Game, **changes: str) -> "Parameters":
        """Return these parameters with another game and its rules, and with `changes`."""
        others = {name: text for name, text in self.items() if name not in ("game", *RULE_NAMES)}
        texts = words_for(game) | others | changes
        return Parameters(texts, self._fields.values(), self._reader, labels=self._labels)

    def address(self, path: str, without: Collection[str] = (), **changes: object) -> str:
        """Return an address with these parameters in the same order, some removed or changed.

        A change to None or to an empty text removes a parameter; a new parameter comes last.
        """
        texts: dict[str, object] = {
            name: text for name, text in self.items() if name not in without
        } | changes
        texts = {name: text for name, text in texts.items() if text not in ("", None)}
        return f"{path}?{urlencode(texts)}" if texts else path

    def addresses(self, path: str, name: str, texts: Iterable[str]) -> list[str]:
        """Return one address per text of a parameter, with the other parameters unchanged.

        >>> Parameters({"hand": "3 8"}).addresses("/solve", "style", ["dot", "colon"])
        ['/solve?hand=3+8&style=dot', '/solve?hand=3+8&style=colon']
        """
        # NUL marks the place of the text: `read_address` refuses it in parameters.
        pattern, mark = self.address(path, **{name: "\0"}), quote_plus("\0")
        return [pattern.replace(mark, quote_plus(text)) for text in texts]


def words_for(game: Game) -> dict[str, str]:
    """Return the parameters of a game: its name and its changed rules.

    >>> words_for(replace(find_game("cards"), numbers=(1, 2, 7), zero=False))
    {'game': 'cards', 'numbers': '1,2,7', 'zero': 'no'}
    """
    rules = {rule.word: rule.kind.write(value) for rule, value in changed_rules(game) if rule.label}
    return {"game": game.name} | rules


def read_address(
    query: str,
    names: Collection[str],
    fields: Iterable[Field] = (),
    reader: Language = ENGLISH,
    *,
    labels: bool = True,
) -> Parameters:
    """Parse the query string of an address, and return its parameters without empty ones.

    Texts lose spaces at both ends. Their values are parsed later, by `Parameters.value`.

    Args:
        query: the query string, without the question mark.
        names: the names of the allowed parameters.
        fields: as in `Parameters`, like `reader` and `labels`.

    >>> dict(read_address("game=cards&hand=3+3+8+8&target=", ("game", "hand", "target")))
    {'game': 'cards', 'hand': '3 3 8 8'}

    Raises:
        AddressError: the encoding is invalid, a parameter is unknown or repeated, a text has
            control characters or more than 5,000 characters, or the address has more than 60
            parameters.
    """
    try:
        pairs = parse_qsl(
            query, keep_blank_values=True, errors="strict", max_num_fields=_MAX_PARAMETERS
        )
    except UnicodeDecodeError:
        raise AddressError(message("address.encoding")) from None
    except ValueError:
        raise AddressError(message("address.words", most=_MAX_PARAMETERS)) from None
    texts: dict[str, str] = {}
    for name, value in pairs:
        text = quoted(name)
        if name not in names:
            known = ", ".join(names)
            raise AddressError(message("address.unknown", text=text, known=known))
        if name in texts:
            raise AddressError(message("refused.twice", text=text))
        if _CONTROL.search(value):
            raise AddressError(message("address.control", text=text))
        if len(value) > MAX_VALUE_LENGTH:
            raise AddressError(message("address.too_long", text=text, most=Count(MAX_VALUE_LENGTH)))
        texts[name] = value.strip()
    filled = {name: text for name, text in texts.items() if text}
    return Parameters(filled, fields, reader, labels=labels)
