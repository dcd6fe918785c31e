"""Messages: a sentence is a key and values, and its text is made when somebody reads it.

Texts are in one TOML file per language, in sections. `[round]` with `none = "{target} cannot be
made from {hand}"` is the text of the key `round.none`. A text has a `{place}` for each value that
it shows, and no other code. Where a text depends on a number of things, it has one form for each
plural category of Unicode's CLDR (`one`, `other`), and the value `count` chooses the form.

A file is read when a text of its language is needed for the first time.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

_FOLDER = Path(__file__).parent
# Longer numbers are described by their number of digits.
_MOST_BITS = 256
# Numbers below are written in full without a look at their length.
_SHORT = 10**18
# Unicode's first strong isolate and its end, around each value in a right-to-left text.
_ISOLATED = "\u2068{}\u2069"
_new = tuple.__new__
# Types of values that JSON has; most values are of these.
_PLAIN = {int, str}

# A text, or its forms by plural category.
Template = str | Mapping[str, str]


class Count(int):
    """A number of things: written with the thousands separators of a language.

    The value `count` of a message is written so too. Numbers of a puzzle have no separators.
    """


class Tenths(float):
    """A measured number, written with one decimal and the decimal sign of a language."""


class Spaced(tuple[int | Fraction, ...]):
    """Numbers with spaces between them, as hands are written; other tuples are lists: 3 and 8."""

    __slots__ = ()


class Quoted(str):
    """A text in Python's quotation marks; other languages have their own."""

    __slots__ = ()


class Clauses(tuple["Message", ...]):
    """Messages of which each is a clause of one sentence, with commas between them."""

    __slots__ = ()


def _one_or_other(count: int) -> str:
    return "one" if count == 1 else "other"


@dataclass(frozen=True)
class Language:
    """A language: its names, its numbers, its plurals and the style of its schools."""

    name: str
    """Its tag on the web (BCP 47), `nl`: what `--language`, an address and a page's `lang` use."""
    own: str
    """Its name in itself."""
    style: str = ""
    """The style in which its schools write formulas; empty for the style of each game."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """Words for levels of difficulty, in lower case."""
    plural: Callable[[int], str] = _one_or_other
    """A count to its plural category of CLDR."""
    decimal: str = "."
    """The sign before tenths."""
    thousands: str = ","
    """The sign between thousands."""
    quotes: str = ""
    """The quotation marks around {}; empty for Python's."""
    isolates: bool = False
    """Whether values are isolated from the text around them, for right-to-left scripts."""
    folder: Path = _FOLDER
    """Where its file `NAME.toml` is."""

    @cached_property
    def texts(self) -> dict[str, Template]:
        """Its texts by key; its file is read when they are needed for the first time."""
        import tomllib

        file = self.folder / f"{self.name}.toml"
        return dict(_flat(tomllib.loads(file.read_text(encoding="utf-8"))))

    def text(self, key: str, /, **values: Any) -> str:
        """Return the text of a message in this language; see `Message`.

        >>> dutch = Language("nl", "Nederlands", decimal=",", thousands=".")
        >>> dutch.text("page.solve_count", count=1234)
        '1.234 oplossingen'
        """
        return message(key, **values).text(self)

    def number(self, value: float, form: str) -> str:
        """Return a number in a format of Python's, with the signs of the language.

        >>> Language("nl", "Nederlands", decimal=",", thousands=".").number(1234.5, ",.2f")
        '1.234,50'
        """
        signs = str.maketrans({",": self.thousands, ".": self.decimal})
        return format(value, form).translate(signs)


ENGLISH = Language("en", "English", levels={"easy": 1, "medium": 3, "hard": 5})


class Message(NamedTuple):
    """A sentence as data; `str` of it is its English text.

    >>> unused = message("round.none", target=24, hand=Spaced((1, 1, 1, 1)))
    >>> str(unused), unused.values
    ('24 cannot be made from 1 1 1 1', {'target': 24, 'hand': (1, 1, 1, 1)})

    Two messages are equal if their keys and values are.
    """

    key: str
    """The section and the name of its text; empty if it has only an English text of its own."""
    values: Mapping[str, Any]
    """Its values by name: numbers, tuples of numbers or messages, texts and other messages."""
    english: str = ""
    """The English text if no file has one: of operators and rules that somebody adds."""

    def text(self, language: Language = ENGLISH) -> str:
        """Return the text in a language, or in English if the language lacks it."""
        return self.spoken(language)[0]

    def spoken(self, language: Language = ENGLISH) -> tuple[str, Language]:
        """Return the text in a language, and the language it is in: the given one or English."""
        key, values, english = self
        text = language.texts.get(key)
        if text is None:
            language = ENGLISH
            text = ENGLISH.texts.get(key, english)
        if not isinstance(text, str):
            # Without a count, the form of zero.
            text = text.get(language.plural(values.get("count", 0))) or text["other"]
        elif not values:
            return text, language
        return _filled(text, values, language), language

    def __str__(self) -> str:
        return self.spoken()[0]


def message(key: str, /, **values: Any) -> Message:
    """Return the message of a key of the files, with its values.

    >>> print(message("page.check_count", count=5, well=2))
    2 of 5 correct
    """
    # Three times as fast as the constructor of a named tuple; a judge makes them by the thousand.
    return _new(Message, (key, values, ""))


def as_message(text: Message | str) -> Message:
    """Return a message; a text becomes one that is in English only."""
    return english(text) if isinstance(text, str) else text


def english(text: str, /, **values: Any) -> Message:
    """Return a message of an English text without a key, for operators and rules that are added.

    >>> print(english("{step} makes {result}, which is odd", step="4 + 3", result=7))
    4 + 3 makes 7, which is odd
    """
    return Message("", values, text)


def add_texts(language: Language, texts: Mapping[str, Template]) -> None:
    """Add texts to a language while the program runs, for operators and rules that are added.

    >>> dutch = Language("nl", "Nederlands")
    >>> add_texts(dutch, {"added.odd": "{step} is oneven"})
    >>> message("added.odd", step="4 + 3").text(dutch)
    '4 + 3 is oneven'
    """
    language.texts.update(texts)


# Patterns of `%` by text, with the names of their places: a text is parsed once.
_patterns: dict[str, tuple[str, list[str]]] = {}


def _pattern(text: str) -> tuple[str, list[str]]:
    """Return the pattern of a text, and the names of its places."""
    # The parts at odd places are names.
    parts = re.split(r"{(\w+)}", text)
    pattern = "%s".join(part.replace("%", "%%") for part in parts[::2])
    found = _patterns[text] = (pattern, parts[1::2])
    return found


def _filled(text: str, values: Mapping[str, Any], language: Language) -> str:
    """Return a text with its values; a place without a value stays visible.

    An error page must not fail because of a place that a translator misspelled.
    """
    pattern, names = _patterns.get(text) or _pattern(text)
    shown = []
    for name in names:
        value: Any = values.get(name)
        kind = type(value)
        # Most values are texts and short numbers, which `%s` writes.
        if kind is not str and (kind is not int or not -1000 < value < 1000):
            if value is None:
                value = f"{{{name}}}"
            elif name == "count":
                value = language.number(value, ",")
            else:
                value = _shown(value, language)
        shown.append(value)
    return pattern % tuple(map(_ISOLATED.format, shown) if language.isolates else shown)


def _shown(value: Any, language: Language) -> str:
    """Return a value as a text shows it."""
    kind = type(value)
    return (_FORMATS.get(kind) or _format_of(kind))(value, language)


def _format_of(kind: type) -> Callable[[Any, Language], str]:
    """Return the function that writes values of a type that is derived from a known one."""
    return next((_FORMATS[each] for each in kind.__mro__ if each in _FORMATS), _written)


def _written(value: object, _: Language) -> str:
    return str(value)


def _number(value: int | Fraction, language: Language) -> str:
    if type(value) is int and -_SHORT < value < _SHORT:
        return str(value)
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits < _MOST_BITS:
        return str(value)
    return language.text("list.digits", count=bits * 30103 // 100000 + 1)


def _list(values: Iterable[Any], language: Language) -> str:
    return listed([_shown(each, language) for each in values], language)


def _clauses(clauses: Iterable[Message], language: Language) -> str:
    comma = language.text("list.clauses")
    return comma.join([each.spoken(language)[0] for each in clauses])


def _quoted(value: Quoted, language: Language) -> str:
    return language.quotes.format(value[1:-1]) or value


_FORMATS: dict[type, Callable[[Any, Language], str]] = {
    Quoted: _quoted,
    Message: lambda value, language: value.spoken(language)[0],
    Clauses: _clauses,
    Spaced: lambda value, language: " ".join([_shown(each, language) for each in value]),
    tuple: _list,
    Count: lambda value, language: language.number(value, ","),
    Tenths: lambda value, language: language.number(value, ".1f"),
    int: _number,
    Fraction: _number,
}


def values_of(message: Message | None) -> dict[str, Any]:
    """Return the values of a message for JSON: numbers, texts and lists of them.

    >>> values_of(message("round.none", target=24, hand=Spaced((1, 1, 1, 1))))
    {'target': 24, 'hand': [1, 1, 1, 1]}
    """
    if message is None:
        return {}
    return {
        name: value if type(value) in _PLAIN else _plain(value)
        for name, value in message.values.items()
    }


def reason_row(message: Message | None, language: Language = ENGLISH) -> dict[str, Any]:
    """Return the columns of a row about a reason: its text in a language, and its values.

    >>> reason_row(message("answer.makes", value=28, target=24))
    {'reason': 'it makes 28, not 24', 'values': {'value': 28, 'target': 24}}
    """
    if message is None:
        return {"reason": "", "values": {}}
    return {"reason": message.spoken(language)[0], "values": values_of(message)}


def _plain(value: Any) -> Any:
    if isinstance(value, int | str):
        return value
    if isinstance(value, Message):
        return {"key": value.key, **values_of(value)} if value.key else value.english
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return str(value)


def listed(texts: list[str], language: Language = ENGLISH) -> str:
    """Return texts as a list in a sentence.

    >>> listed(["3", "5", "8"])
    '3, 5 and 8'
    """
    if len(texts) < 2:
        return "".join(texts)
    some = language.text("list.comma").join(texts[:-1])
    return _filled(str(language.texts["list.last"]), {"some": some, "last": texts[-1]}, language)


def _flat(sections: Mapping[str, Mapping[str, Template]]) -> Iterator[tuple[str, Template]]:
    for section, texts in sections.items():
        for name, text in texts.items():
            yield f"{section}.{name}", text
