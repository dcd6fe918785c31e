"""Messages: sentences stored as a key and values, and written in the language of the reader.

Each language has one TOML file of texts in sections. The text of the key `round.none` is `none =
"{target} cannot be made from {hand}"` in the section `[round]`. A text has a placeholder for each
value that it shows, and no other code. A text that depends on a number of things has one form for
each plural category of Unicode's CLDR (`one`, `other`); the value `count` chooses the form.

The file of a language is read when its first text is needed.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

_FOLDER = Path(__file__).parent
# A number with more bits is shown as its number of digits.
_MAX_BITS = 256
# Integers below this limit are short enough to be written without counting their bits.
_PLAIN_INT_LIMIT = 10**18
# Unicode's isolate characters around a value, so that it does not reorder right-to-left text.
_ISOLATES = "\u2068{}\u2069"
# Makes a named tuple without its own constructor, which is slower.
_new_tuple = tuple.__new__
# Types of values that JSON has, for a fast test: most values have these types.
_JSON_TYPES = {int, str}

# A text with placeholders, or such texts by plural category: {"one": …, "other": …}.
Template = str | Mapping[str, str]


class Count(int):
    """A number of things, written with the thousands separators of a language.

    The value `count` of a message is also written in this way. Numbers of a puzzle are plain
    integers and have no separators.
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
    """Messages that are the clauses of one sentence, with commas between them."""

    __slots__ = ()


def _one_or_other(count: int) -> str:
    """Return the name of the plural form for a number of things, in English and many languages."""
    return "one" if count == 1 else "other"


@dataclass(frozen=True)
class Language:
    """A language: its names, its numbers, its plurals and the style of its schools."""

    name: str
    """Its BCP 47 tag, such as `nl`: the value of `--language`, and `lang` of a page or address."""
    native_name: str
    """Its name in the language itself, such as `Nederlands`."""
    style: str = ""
    """The name of the style in which schools write formulas; empty for the style of each game."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """Words for levels of difficulty, in lower case."""
    plural: Callable[[int], str] = _one_or_other
    """A function from a count to its plural category of CLDR."""
    decimal: str = "."
    """The decimal separator."""
    thousands: str = ","
    """The thousands separator."""
    quotes: str = ""
    """The quotation marks, with {} for the text between them; empty for those of Python."""
    isolates: bool = False
    """Whether to isolate values from the text around them, for right-to-left scripts."""
    folder: Path = _FOLDER
    """The folder of its file `NAME.toml`."""

    @cached_property
    def texts(self) -> dict[str, Template]:
        """The texts of the language by key, such as `round.none`.

        A text with plural forms is a dict from category to form. The file of the language is read
        at the first use; raises OSError if it is missing.
        """
        import tomllib

        file = self.folder / f"{self.name}.toml"
        return dict(_flatten(tomllib.loads(file.read_text(encoding="utf-8"))))

    def text(self, key: str, /, **values: Any) -> str:
        """Return the text of a key in this language, with values in the places of its placeholders.

        If the language has no text for the key, the text is English; for an unknown key it is
        empty. A placeholder without a value stays: `{name}`.

        >>> dutch = Language("nl", "Nederlands", decimal=",", thousands=".")
        >>> dutch.text("page.solve_count", count=1234)
        '1.234 oplossingen'
        """
        return message(key, **values).text(self)

    def number(self, value: float, form: str) -> str:
        """Return a number as text, with the decimal and thousands separators of the language.

        `form` is a format of Python: `,.2f` has two decimals, and its comma adds thousands
        separators. Raises ValueError for an invalid format.

        >>> Language("nl", "Nederlands", decimal=",", thousands=".").number(1234.5, ",.2f")
        '1.234,50'
        """
        signs = str.maketrans({",": self.thousands, ".": self.decimal})
        return format(value, form).translate(signs)


ENGLISH = Language("en", "English", levels={"easy": 1, "medium": 3, "hard": 5})


class Message(NamedTuple):
    """A sentence as data; `str(message)` is its English text.

    >>> unused = message("round.none", target=24, hand=Spaced((1, 1, 1, 1)))
    >>> str(unused), unused.values
    ('24 cannot be made from 1 1 1 1', {'target': 24, 'hand': (1, 1, 1, 1)})

    Two messages are equal if their keys, values and own English texts are equal.
    """

    key: str
    """The section and name of its text, `round.none`; empty if it has only the text `english`."""
    values: Mapping[str, Any]
    """Its values by name: numbers, texts, messages, and tuples of numbers or messages."""
    english: str = ""
    """The English text if no file has one, as for operators and rules that a user adds."""

    def text(self, language: Language = ENGLISH) -> str:
        """Return the text of the message in a language, or in English if the language has none.

        >>> message("round.none", target=24, hand=Spaced((1, 1, 1, 1))).text()
        '24 cannot be made from 1 1 1 1'
        """
        return self.translate(language)[0]

    def translate(self, language: Language = ENGLISH) -> tuple[str, Language]:
        """Return (text, language): the text of the message, and the language in which it is.

        The language is the given one, or English if that language has no text for the key. If
        English has no text for the key either, the text is the field `english`. The value `count`,
        0 if it is missing, chooses among the plural forms of a text.
        """
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
    """Return a message with the text of a key, and with values for the placeholders of the text.

    The text is looked up when the message is written in a language. Neither the key nor the values
    are checked: the text of an unknown key is empty, and a placeholder without a value stays:
    `{name}`.

    >>> print(message("page.check_count", count=5, well=2))
    2 of 5 correct
    """
    # Three times as fast as the constructor of the named tuple: a judge makes thousands of them.
    return _new_tuple(Message, (key, values, ""))


def as_message(text: Message | str) -> Message:
    """Return a message unchanged, and an English text as a message.

    >>> as_message("numbers left over") == english("numbers left over")
    True
    """
    return english(text) if isinstance(text, str) else text


def english(text: str, /, **values: Any) -> Message:
    """Return a message that has only an English text, without a key in the files of texts.

    Users write these messages for their own operators and rules. A placeholder without a value
    stays: `{name}`.

    >>> print(english("{step} makes {result}, which is odd", step="4 + 3", result=7))
    4 + 3 makes 7, which is odd
    """
    return Message("", values, text)


def add_texts(language: Language, texts: Mapping[str, Template]) -> None:
    """Add texts to a language while the program runs, for operators and rules of users.

    A text replaces the text of the language with the same key. Only this object has the texts: for
    the language of all pages, give the object of `LANGUAGES`. A text with plural forms needs at
    least the form `other`, which is not checked here: a message without it raises KeyError. The
    language must have its file: see `Language.texts`.

    >>> dutch = Language("nl", "Nederlands")
    >>> add_texts(dutch, {"added.odd": "{step} is oneven"})
    >>> message("added.odd", step="4 + 3").text(dutch)
    '4 + 3 is oneven'
    """
    language.texts.update(texts)


# Parsed texts: for each text its pattern for `%` and the names of its placeholders.
_patterns: dict[str, tuple[str, list[str]]] = {}


def _parse_template(text: str) -> tuple[str, list[str]]:
    """Return a text as a pattern for Python's operator `%`, and the names of its placeholders.

    Both are cached in `_patterns`, since the same texts are filled many times.

    >>> _parse_template("{hand} makes {target}")
    ('%s makes %s', ['hand', 'target'])
    """
    # Splitting gives texts at even indices and names of placeholders at odd indices.
    parts = re.split(r"{(\w+)}", text)
    texts, names = parts[::2], parts[1::2]
    pattern = "%s".join(part.replace("%", "%%") for part in texts)
    pattern_and_names = _patterns[text] = (pattern, names)
    return pattern_and_names


def _fill(text: str, values: Mapping[str, Any], language: Language) -> str:
    """Return a text with its placeholders, such as `{hand}`, replaced by values.

    Values are written as in the language: `count` with its thousands separators, for example. A
    placeholder without a value stays, since an error page must not fail because a translator
    misspelled it.

    >>> _fill("{count} hands, not {other}", {"count": 1234}, ENGLISH)
    '1,234 hands, not {other}'
    """
    pattern, names = _patterns.get(text) or _parse_template(text)
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
    """Return the text of a value of a message in a language, such as `3 and 8` for a tuple."""
    kind = type(value)
    return (_FORMATTERS.get(kind) or _formatter_of(kind))(value, language)


def _formatter_of(kind: type) -> Callable[[Any, Language], str]:
    """Return the function that writes values of a type that is not in `_FORMATTERS` itself.

    It is the function of the nearest base class in it, or `_format_other` without one.
    """
    return next((_FORMATTERS[base] for base in kind.__mro__ if base in _FORMATTERS), _format_other)


def _format_other(value: object, _: Language) -> str:
    """Return the text of a value of a type without a formatter, the same in each language."""
    return str(value)


def digits_message(value: int | Fraction) -> Message | None:
    """Return a message with the number of digits of a very long number, which is shown instead.

    For a number of fewer than 256 bits, about 77 digits, return None. Of a fraction, the longer of
    numerator and denominator counts.

    >>> print(digits_message(24), digits_message(10**100))
    None a number of about 101 digits
    """
    if type(value) is int and -_PLAIN_INT_LIMIT < value < _PLAIN_INT_LIMIT:
        return None
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits < _MAX_BITS:
        return None
    # A bit is log10(2) = 0.30103 digits.
    return message("list.digits", count=bits * 30103 // 100000 + 1)


def _format_number(value: int | Fraction, language: Language) -> str:
    """Return a number as text, without thousands separators; of a very long one, its length."""
    digits = digits_message(value)
    return str(value) if digits is None else digits.text(language)


def _format_list(values: Iterable[Any], language: Language) -> str:
    """Return values as a list in a sentence of a language, such as `3, 5 and 8`."""
    return join_list([_format_value(value, language) for value in values], language)


def join_clauses(clauses: Iterable[Message], language: Language) -> str:
    """Return the texts of messages, joined to one sentence by the comma of the language."""
    comma = language.text("list.clauses")
    return comma.join([clause.translate(language)[0] for clause in clauses])


def _format_quoted(value: Quoted, language: Language) -> str:
    """Return a quoted text with the quotation marks of a language in place of those of Python."""
    return language.quotes.format(value[1:-1]) or value


_FORMATTERS: dict[type, Callable[[Any, Language], str]] = {
    Quoted: _format_quoted,
    Message: lambda value, language: value.translate(language)[0],
    Clauses: join_clauses,
    Spaced: lambda value, language: " ".join([_format_value(each, language) for each in value]),
    tuple: _format_list,
    Count: lambda value, language: language.number(value, ","),
    Tenths: lambda value, language: language.number(value, ".1f"),
    int: _format_number,
    Fraction: _format_number,
}


def values_of(message: Message | None) -> dict[str, Any]:
    """Return the values of a message by name, as values that JSON can contain.

    Integers and texts stay, tuples become lists, and messages become objects. Other values, such as
    fractions and floats, become texts, the same in each language. For None, the result is empty.

    >>> values_of(message("round.none", target=24, hand=Spaced((1, 1, 1, 1))))
    {'target': 24, 'hand': [1, 1, 1, 1]}
    """
    if message is None:
        return {}
    return {
        name: value if type(value) in _JSON_TYPES else _to_json(value)
        for name, value in message.values.items()
    }


def reason_row(message: Message | None, language: Language = ENGLISH) -> dict[str, Any]:
    """Return the two columns that a row of results has for a reason: its text, and its values.

    The text is in the language, and the values are by name, for programs. For None, both are empty.

    >>> reason_row(message("answer.makes", value=28, target=24))
    {'reason': 'it makes 28, not 24', 'values': {'value': 28, 'target': 24}}
    """
    if message is None:
        return {"reason": "", "values": {}}
    return {"reason": message.translate(language)[0], "values": values_of(message)}


def _to_json(value: Any) -> Any:
    """Return a value of a message as a value that JSON can contain.

    Integers and texts stay, and a tuple becomes a list. A message becomes a dict with its `key` and
    its values by name next to it, or its English text if it has only that. Other values, such as
    fractions and floats, become texts.

    >>> _to_json((3, Fraction(8, 3)))
    [3, '8/3']
    """
    if isinstance(value, int | str):
        return value
    if isinstance(value, Message):
        return {"key": value.key, **values_of(value)} if value.key else value.english
    if isinstance(value, tuple):
        return [_to_json(item) for item in value]
    return str(value)


def join_list(texts: list[str], language: Language = ENGLISH) -> str:
    """Join texts by commas and the word `and` of a language, as a list in a sentence.

    A single text stays as it is, and the result for no texts is empty.

    >>> join_list(["3", "5", "8"])
    '3, 5 and 8'
    """
    if len(texts) < 2:
        return "".join(texts)
    items = language.text("list.comma").join(texts[:-1])
    return _fill(str(language.texts["list.last"]), {"some": items, "last": texts[-1]}, language)


def _flatten(sections: Mapping[str, Mapping[str, Template]]) -> Iterator[tuple[str, Template]]:
    """Yield (key, text) pairs of the sections of a file of texts; a key is `section.name`.

    >>> list(_flatten({"round": {"none": "no solution"}}))
    [('round.none', 'no solution')]
    """
    for section, texts in sections.items():
        for name, text in texts.items():
            yield f"{section}.{name}", text
