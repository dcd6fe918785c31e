"""Messages: sentences stored as a key and values, and written in the language of the reader.

Each language has one TOML file of texts in sections, read when its first text is needed. The text
of the key `round.none` is `none = "{target} cannot be made from {hand}"` in the section `[round]`.
A text has a placeholder for each value that it shows, and no other code. A text that depends on a
number of things has one form for each plural category of Unicode's CLDR (`one`, `other`); the value
`count`, or 0, chooses the form.

A language without a text of a key has the English one; without that, the text is the field
`english` of the message. Keys and values are not checked: a placeholder without a value stays
`{name}`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from pkgutil import get_data
from typing import Any, NamedTuple

# A number with more bits is shown as its number of digits.
_MAX_BITS = 256
# Unicode's isolate characters around a value, so that it does not reorder right-to-left text.
_ISOLATES = "\u2068{}\u2069"

# A text with placeholders, or such texts by plural category: {"one": …, "other": …}.
Template = str | Mapping[str, str]


class Count(int):
    """A number of things, written with the thousands separators of a language.

    Numbers of a puzzle are plain integers and have none.
    """


class Tenths(float):
    """A measured number, written with one decimal and the decimal sign of a language."""


class Spaced(tuple[int | Fraction, ...]):
    """Numbers written with spaces, as in a hand: 3 8; other tuples become a list: 3 and 8."""

    __slots__ = ()


class Quoted(str):
    """A text in Python's quotation marks, which a language replaces by its own marks."""

    __slots__ = ()


class Clauses(tuple["Message", ...]):
    """Messages about several faults, which can have commas themselves."""

    __slots__ = ()


@dataclass(frozen=True)
class Language:
    """A language: its names, its numbers, its plurals and the style of its schools."""

    name: str
    """Its BCP 47 tag, such as `nl`: the value of `--language`, and `lang` of a page or address."""
    native_name: str
    """Its name in the language itself."""
    style: str = "unicode"
    """The style in which schools write formulas: that of paper, quizzes, pages and files to play.

    Commands and JSON write the signs of each game (`Game.style`), which a keyboard has.
    """
    levels: Mapping[str, int] = field(default_factory=dict)
    """Words for levels of difficulty, in lower case."""
    plural: Callable[[int], str] = lambda count: "one" if count == 1 else "other"
    """A function from a count to its plural category of CLDR."""
    decimal: str = "."
    thousands: str = ","
    quotes: str = ""
    """The quotation marks, with {} for the text between them; empty for those of Python."""
    isolates: bool = False
    """Whether to isolate values from the text around them, for right-to-left scripts."""
    folder: Path | None = None
    """The folder of its file `NAME.toml`; None for this package."""

    @cached_property
    def texts(self) -> dict[str, Template]:
        """The texts of the language by key; raises OSError if its file is missing."""
        import tomllib

        name = f"{self.name}.toml"
        data = (self.folder / name).read_bytes() if self.folder else get_data(__package__, name)
        sections = tomllib.loads((data or b"").decode())
        return {
            f"{section}.{name}": text
            for section, texts in sections.items()
            for name, text in texts.items()
            if isinstance(text, str) or "other" in text
        }

    def text(self, key: str, /, **values: Any) -> str:
        """Return the text of a key in this language, with values for its placeholders."""
        return message(key, **values).text(self)

    def number(self, value: float, form: str) -> str:
        """Return a number in a format of Python, with the separators of the language."""
        signs = str.maketrans({",": self.thousands, ".": self.decimal})
        return format(value, form).translate(signs)


ENGLISH = Language("en", "English", levels={"easy": 1, "medium": 3, "hard": 5})


class Message(NamedTuple):
    """A sentence as data; `str(message)` is its English text."""

    key: str
    """The section and name of its text, `round.none`; empty if it has only the text `english`."""
    values: Mapping[str, Any]
    """Its values by name: numbers, texts, messages, and tuples of numbers or messages."""
    english: str = ""
    """The English text if no file has one, as for operators and rules that a user adds."""

    def text(self, language: Language = ENGLISH) -> str:
        return self.translate(language)[0]

    def translate(self, language: Language = ENGLISH) -> tuple[str, Language]:
        """Return the text of the message, and its language: the given one or English."""
        key, values, english = self
        text = language.texts.get(key)
        if text is None:
            language = ENGLISH
            text = ENGLISH.texts.get(key, english)
        if not isinstance(text, str):
            # A language without a form for the category of this count has the form `other`.
            text = text.get(language.plural(values.get("count", 0))) or text["other"]
        elif not values:
            return text, language
        return _fill(text, values, language), language

    def __str__(self) -> str:
        return self.translate()[0]


def message(key: str, /, **values: Any) -> Message:
    """Return a message with the text of a key, and with values for its placeholders."""
    return Message(key, values)


def as_message(text: Message | str) -> Message:
    """Return a message unchanged, and an English text as a message."""
    return english(text) if isinstance(text, str) else text


def english(text: str, /, **values: Any) -> Message:
    """Return a message that has only an English text, as for operators and rules that users add."""
    return Message("", values, text)


def add_texts(language: Language, texts: Mapping[str, Template]) -> None:
    """Add texts to a language while the program runs, for operators and rules of users.

    They replace texts with the same keys. Only this object has them: for the language of all pages,
    give the object of `LANGUAGES`. A text with plural forms needs the form `other`.

    >>> dutch = Language("nl", "Nederlands")
    >>> add_texts(dutch, {"added.odd": "{step} is oneven"})
    >>> message("added.odd", step="4 + 3").text(dutch)
    '4 + 3 is oneven'
    """
    language.texts.update(texts)


@cache
def _parse_template(text: str) -> tuple[str, list[str]]:
    """Return a text as a pattern for Python's operator `%`, and the names of its placeholders."""
    parts = re.split(r"{(\w+)}", text)
    pattern, names = "%s".join(part.replace("%", "%%") for part in parts[::2]), parts[1::2]
    return pattern, names


def _fill(text: str, values: Mapping[str, Any], language: Language) -> str:
    pattern, names = _parse_template(text)
    texts = []
    for name in names:
        value: Any = values.get(name)
        kind = type(value)
        # Most values are texts and short numbers, which `%s` writes without a formatter.
        if kind is not str and (kind is not int or not -1000 < value < 1000):
            if value is None:
                value = f"{{{name}}}"
            elif name == "count":
                value = language.number(value, ",")
            else:
                value = _format_value(value, language)
        texts.append(value)
    return pattern % tuple(map(_ISOLATES.format, texts) if language.isolates else texts)


def _format_value(value: Any, language: Language) -> str:
    kind = next(base for base in type(value).__mro__ if base in _FORMATTERS)
    return _FORMATTERS[kind](value, language)


def digits_message(value: int | Fraction) -> Message | None:
    """Return the number of digits of a number of 256 bits or more, to show instead, or None."""
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits < _MAX_BITS:
        return None
    # A bit is log10(2) = 0.30103 digits.
    return message("list.digits", count=bits * 30103 // 100000 + 1)


def _format_number(value: int | Fraction, language: Language) -> str:
    digits = digits_message(value)
    return str(value) if digits is None else digits.text(language)


def join_clauses(clauses: Iterable[Message], language: Language, key: str = "list.clauses") -> str:
    comma = language.text(key)
    return comma.join([clause.translate(language)[0] for clause in clauses])


_FORMATTERS: dict[type, Callable[[Any, Language], str]] = {
    Quoted: lambda value, language: language.quotes.format(value[1:-1]) or value,
    Message: lambda value, language: value.translate(language)[0],
    Clauses: lambda value, language: join_clauses(value, language, "list.faults"),
    Spaced: lambda value, language: " ".join([_format_value(each, language) for each in value]),
    tuple: lambda value, language: join_list(
        [_format_value(each, language) for each in value], language
    ),
    Count: lambda value, language: language.number(value, ","),
    Tenths: lambda value, language: language.number(value, ".1f"),
    int: _format_number,
    Fraction: _format_number,
    object: lambda value, _: str(value),
}


def values_of(message: Message | None) -> dict[str, Any]:
    """Return the values of a message by name, as values that JSON can contain."""
    if message is None:
        return {}
    return {name: _to_json(value) for name, value in message.values.items()}


def reason_row(message: Message | None, language: Language = ENGLISH) -> dict[str, Any]:
    """Return the columns of a row for a reason: its text, and its values for programs."""
    if message is None:
        return {"reason": "", "values": {}}
    return {"reason": message.translate(language)[0], "values": values_of(message)}


def _to_json(value: Any) -> Any:
    if isinstance(value, int | str):
        return value
    if isinstance(value, Message):
        return {"key": value.key, **values_of(value)} if value.key else value.english
    if isinstance(value, tuple):
        return [_to_json(item) for item in value]
    return str(value)


def join_list(texts: list[str], language: Language = ENGLISH) -> str:
    """Join texts by commas and the word `and` of a language: 3, 5 and 8."""
    if len(texts) < 2:
        return "".join(texts)
    items = language.text("list.comma").join(texts[:-1])
    return language.text("list.last", some=items, last=texts[-1])
