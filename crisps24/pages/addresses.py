"""Parse the parameters of addresses with the parsers of the command line, and write addresses."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

from crisps24.errors import RefusedError, parse_language, quoted
from crisps24.messages.message import ENGLISH, Count, Language, Message, message
from crisps24.notation.styles import typeable_style
from crisps24.pages.sentences import FORM_EXAMPLES, RULE_LABELS, RULE_PARAMETERS, label_of
from crisps24.puzzle import Puzzle
from crisps24.puzzles.conditions import Conditions, parse_seed
from crisps24.puzzles.parameters import EITHER, LEVELS, PARAMETERS, refuse_conflicting_conditions
from crisps24.rules.characters import split_words
from crisps24.rules.deals import MAX_HAND_SIZE, parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import HAND_GAMES, Game, Hand, change_rules, find_game
from crisps24.rules.ids import changed_rules, is_id, parse_id
from crisps24.rules.queries import target_for
from crisps24.rules.rules import FLAG, RULES, Kind
from crisps24.rules.work import QUICK_WORK

DEFAULT_GAME = HAND_GAMES[0]
MAX_VALUE_LENGTH = 5_000
_MAX_PARAMETERS = 60
# Parameters of the targets, which are not part of `Conditions`.
_TARGETS = ("target", "targets")
_MAX_HAND_SIZE = 12
# Control characters, except tabs and line ends, and surrogates.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Site:
    """What the owner of a site chooses: the pages follow it."""

    title: str = "crisps24"
    language: str = ""
    """The language of all readers; empty for that of each browser."""
    games: tuple[str, ...] = HAND_GAMES
    """The names of the games that the menus offer; the first is the usual one."""
    in_tab: bool = False
    """Whether the pages are computed in the browser, so that nothing leaves it."""


SITE = Site()


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that was sent with a form."""

    name: str
    data: bytes


class AddressError(RefusedError):
    """An address cannot be parsed, or has unknown, repeated or too long parameters."""


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter of an address, and its input field in a form."""

    name: str
    read: Callable[[str], Any]
    """Parses a value; raises RefusedError for an invalid one."""
    kind: str = "text"
    """`flag` is a checkbox, `either` a list of yes and no; others are a text."""
    limits: tuple[int, int] | None = None


def number(name: str, least: int, most: int) -> Field:
    def read(text: str) -> int:
        if not re.fullmatch("[0-9]{1,9}", text) or not least <= int(text) <= most:
            limits = {"least": least, "most": Count(most)}
            raise RefusedError(message("refused.number", text=quoted(text), **limits))
        return int(text)

    return Field(name, read, "number", (least, most))


def one_of(name: str, words: Sequence[str]) -> Field:
    def read(text: str) -> str:
        if text not in words:
            raise RefusedError(message("refused.one_of", text=quoted(text), known=", ".join(words)))
        return text

    return Field(name, read)


def _field_of(name: str, kind: Kind, most: int = MAX_HAND_SIZE) -> Field:
    if kind.bounds:
        return number(name, kind.bounds[0], min(kind.bounds[1], most))
    return Field(name, kind.read, kind.name)


def flags(*names: str) -> list[Field]:
    """Return a field with each of these names: a checkbox, whose value is True or False."""
    return [Field(name, FLAG.read, "flag") for name in names]


CHOOSING = tuple(_field_of(each.name, each.kind) for each in PARAMETERS if each.in_pages)
_OFFERED = tuple(rule for rule in RULES.values() if rule.label)
RULE_FIELDS = tuple(
    _field_of(
        RULE_PARAMETERS[rule.field], EITHER if rule.kind is FLAG else rule.kind, _MAX_HAND_SIZE
    )
    for rule in _OFFERED
)
_TEXT = ("game", "hand", "formula", "card")
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


class Parameters(dict[str, str]):
    """The parameters of an address, without empty ones: their texts by name."""

    def __init__(
        self,
        texts: Mapping[str, str],
        fields: Iterable[Field] = (),
        reader: Language = ENGLISH,
        *,
        labels: bool = True,
        site: Site = SITE,
    ) -> None:
        """Store parameters, which are checked only when `value` parses them."""
        super().__init__(texts)
        self.site = site
        self.files: Mapping[str, Upload] = {}
        self.sent = False
        """Whether a form with files was sent."""
        self._fields = _FIELDS | {field.name: field for field in fields}
        self._reader = reader
        self._labels = labels

    def value(self, name: str, default: Any = None) -> Any:
        """Return the parsed value of a parameter, or `default` if the address lacks it."""
        if name not in self:
            return default
        try:
            return self._fields[name].read(self[name])
        except RefusedError as error:
            reason = message("list.label", label=self.label(name), text=error.message)
            raise RefusedError(reason) from None

    def label(self, name: str) -> Message | str:
        """Return how messages call a parameter: by its label in forms, or by its own name."""
        return label_of(name) if self._labels else name

    @property
    def language(self) -> Language:
        try:
            language: Language = self.value("language", self._reader)
        except RefusedError:
            return self._reader
        return language

    def say(self, name: str, count: int | None = None, /, **words: object) -> str:
        if name in FORM_EXAMPLES:
            return FORM_EXAMPLES[name]
        if name in RULE_LABELS:
            return RULE_LABELS[name].text(self.language)
        counted = {} if count is None else {"count": count}
        return self.language.text(f"page.{name}", **counted, **words)

    @property
    def style(self) -> str:
        """The name of the style in which the page writes formulas; empty for that of the game."""
        style, usual = self.value("style"), self.language.style if self._labels else ""
        return style.name if style else usual

    def with_display_settings(self, address: str) -> str:
        """Return an address with the language and the style of these parameters added, if any."""
        texts = {name: self[name] for name in DISPLAY_NAMES if name in self}
        if not texts:
            return address
        return f"{address}{'&' if '?' in address else '?'}{urlencode(texts)}"

    def has_any(self, names: Iterable[str]) -> bool:
        return any(name in self for name in names)

    def game(self, offered: Collection[str] = HAND_GAMES) -> Game:
        game = find_game(self.get("game", self.site.games[0]), offered)
        if game.name not in offered:
            known = ", ".join(offered)
            raise RefusedError(message("rules.no_hands", game=game.name, known=known))
        names = ((rule.field, RULE_PARAMETERS[rule.field]) for rule in _OFFERED)
        changes = {field: self.value(name) for field, name in names if name in self}
        return change_rules(game, changes) if changes else game

    def conditions(self, game: Game) -> Conditions:
        values = {name: self.value(name) for name in CHOOSING_NAMES if name in self}
        refuse_conflicting_conditions(values, game, self.label)
        wanted = {each.field: values[each.name] for each in PARAMETERS if each.name in values}
        return Conditions(**{name: wanted[name] for name in wanted if name not in _TARGETS})

    def puzzle_id(self, name: str) -> tuple[Game, Hand, Exact] | None:
        """Return (game, hand, target) of a parameter that is a puzzle id, else None."""
        return parse_id(self[name]) if is_id(self.get(name, "")) else None

    def puzzle(self, name: str) -> Puzzle:
        if name not in self:
            raise RefusedError(message("hand.empty"))
        if id_parts := self.puzzle_id(name):
            game, hand, target = id_parts
        else:
            game = self.game()
            hand = parse_hand(split_words(self[name]), game)
            target = target_for(game, self.value("target"))
        return Puzzle(hand, target, game, work=QUICK_WORK, style=self.style)

    def in_game(self, game: Game, **changes: str) -> "Parameters":
        """Return a copy with the name and the changed rules of another game, as in `words_for`."""
        game_names = ("game", *RULE_NAMES)
        other_texts = {name: text for name, text in self.items() if name not in game_names}
        texts = words_for(game) | other_texts | changes
        settings: dict[str, Any] = {"labels": self._labels, "site": self.site}
        return Parameters(texts, self._fields.values(), self._reader, **settings)

    def address(self, path: str, without: Collection[str] = (), **changes: object) -> str:
        """Return an address with a path and these parameters, some of them removed or changed."""
        kept: dict[str, Any] = {name: self[name] for name in self if name not in without}
        values = {name: each for name, each in (kept | changes).items() if each not in ("", None)}
        return f"{path}?{urlencode(values)}" if values else path

    def addresses(self, path: str, name: str, texts: Iterable[str]) -> list[str]:
        """Return addresses that differ only in the parameter `name`: one for each of its texts."""
        return [self.address(path, **{name: text}) for text in texts]


def words_for(game: Game) -> dict[str, str]:
    """Return the parameters by which an address describes a game, as texts by name."""
    rules = {
        RULE_PARAMETERS[rule.field]: rule.kind.write(value)
        for rule, value in changed_rules(game)
        if rule.label
    }
    return {"game": game.name} | rules


def read_address(
    query: str,
    names: Collection[str],
    fields: Iterable[Field] = (),
    reader: Language = ENGLISH,
    form: tuple[Sequence[tuple[str, str]], Mapping[str, Upload]] | None = None,
    *,
    labels: bool = True,
    site: Site = SITE,
) -> Parameters:
    """Split the query string of an address into parameters, and return those that are not empty.

    `form` has the fields and the files of a form.
    """
    # `parse_qsl` raises UnicodeDecodeError for an invalid encoding, and any other ValueError only
    # for too many parameters.
    try:
        pairs = parse_qsl(
            query, keep_blank_values=True, errors="strict", max_num_fields=_MAX_PARAMETERS
        )
    except UnicodeDecodeError:
        raise AddressError(message("address.encoding")) from None
    except ValueError:
        raise AddressError(message("address.words", most=_MAX_PARAMETERS)) from None
    fields_of_form, sent = form or ((), {})
    texts: dict[str, str] = {}
    for name, text in [*pairs, *fields_of_form]:
        quoted_name = quoted(name)
        if name not in names:
            known = ", ".join(names)
            raise AddressError(message("address.unknown", text=quoted_name, known=known))
        if name in texts:
            raise AddressError(message("refused.twice", text=quoted_name))
        if _CONTROL.search(text):
            raise AddressError(message("address.control", text=quoted_name))
        if len(text) > MAX_VALUE_LENGTH and not form:
            limit = Count(MAX_VALUE_LENGTH)
            raise AddressError(message("address.too_long", text=quoted_name, most=limit))
        texts[name] = text.strip()
    filled = {name: text for name, text in texts.items() if text}
    params = Parameters(filled, fields, reader, labels=labels, site=site)
    params.files, params.sent = sent, form is not None
    return params
