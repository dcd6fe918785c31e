"""A language as a record: its words, its plurals, its numbers and the signs of its schools."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import Any

# What is said of anything, or the forms of what is said of several.
Words = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Language:
    """What is said in one language; another language is another record.

    Where a text has a `{place}` in English, each of its translations has it as well, once or more.
    """

    name: str
    """As the web has it, `nl`: what `--language`, an address and the `lang` of a page say."""
    own: str
    """What it is called in itself."""
    pages: Mapping[str, Words]
    """What the pages say, by the names that `english` has."""
    sheets: Mapping[str, Words]
    """What is on paper and on cards."""
    rounds: Mapping[str, Words]
    """What is said while somebody plays."""
    phrases: Mapping[str, str] = field(default_factory=dict)
    """What games and their rules say of themselves, by the English of their records."""
    levels: Mapping[str, int] = field(default_factory=dict)
    """Words for levels of difficulty, in lower case."""
    style: str = ""
    """The style in which its schools write formulas; without one, that of each game."""
    form: Callable[[int], int] = lambda count: int(count != 1)
    """A count to the place of its form, where there are several."""
    decimal: str = "."
    """What stands before tenths."""
    thousands: str = ","
    """What stands between thousands."""

    def tell(self, words: Words, count: int | None = None, /, **values: Any) -> str:
        """Return words with values put in their places, in the form of a count.

        Numbers with a format, `{count:,}`, are written as the language writes them.

        >>> dutch = Language("nl", "Nederlands", {}, {}, {}, decimal=",", thousands=".")
        >>> dutch.tell(("1 kaart", "{count:,} kaarten"), 1234)
        '1.234 kaarten'
        """
        if not isinstance(words, str):
            words = words[self.form(0 if count is None else count)]
        if "{" not in words:
            return words
        return _Filler(self).vformat(words, (), {"count": count} | values)

    def phrase(self, english: str, **values: Any) -> str:
        """Return what a game or a rule says of itself; in English where nothing else is known."""
        return self.tell(self.phrases.get(english, english), **values)

    def number(self, value: float, form: str) -> str:
        """Return a number in a format of Python's, with the signs of the language.

        >>> dutch = Language("nl", "Nederlands", {}, {}, {}, decimal=",", thousands=".")
        >>> dutch.number(1234.5, ",.2f")
        '1.234,50'
        """
        signs = str.maketrans({",": self.thousands, ".": self.decimal})
        return format(value, form).translate(signs)


class _Filler(Formatter):
    """What puts values in their places."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def format_field(self, value: Any, format_spec: str) -> str:
        if format_spec and isinstance(value, int | float):
            return self._language.number(value, format_spec)
        return format(value, format_spec)
