"""The errors of the package: all are `CrispsError`; and reading the tag of a language."""

import re
import reprlib
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from crisps24.messages.languages import LANGUAGES, find_language
from crisps24.messages.message import ENGLISH, Language, Message, as_message

# So much of a value is shown.
_LONGEST = 40
_SHORT = reprlib.Repr()
_SHORT.maxother = _SHORT.maxlong = _LONGEST


class CrispsError(Exception):
    """Base class of all errors of this package; its text is one sentence for the user.

    Attributes: `message`, the sentence as a key and values; `reason`, the same in English.
    """

    def __init__(self, reason: Message | str = "") -> None:
        super().__init__(reason)
        self.message = as_message(reason)

    @property
    def reason(self) -> str:
        """The problem, in English."""
        return str(self.message)

    def reason_in(self, language: str) -> str:
        """Return the problem in a language, such as `nl`; see `Message.text`.

        Raises RefusedError for an unknown language.
        """
        return text_in(self.message, language)

    def sentence(self, language: Language = ENGLISH) -> str:
        """Return the text of the error in a language: the reason, and what precedes it."""
        return self.message.text(language)

    def __str__(self) -> str:
        return self.sentence()


class RefusedError(CrispsError, ValueError):
    """A request cannot be answered; the text gives the reason and a way to an answer."""


class KindError(CrispsError, TypeError):
    """An argument has the wrong type; the text gives the expected one."""


class Clash(NamedTuple):
    """What cannot be asked for together: it is a row of a table, and so is read as one."""

    given: tuple[str, ...]
    """What is asked for, by name."""
    told: str
    """The sentence that refuses it, in which {name} is how a name is written."""
    without: tuple[str, ...] = ()
    """What has to be there besides; nothing is refused where one of these is."""


def refuse_clashes(
    clashes: Iterable[Clash], given: Collection[str], written: Callable[[str], str] = str
) -> None:
    """Raise ValueError for the first of some clashes that is given; `written` tells its names.

    >>> table = [Clash(("a", "b"), "{a} and {b}: give one"), Clash(("c",), "{c}: no {d}", ("d",))]
    >>> refuse_clashes(table, ["a", "c"], "--{}".format)
    Traceback (most recent call last):
    crisps24.errors.RefusedError: --c: no --d
    """
    for clash in clashes:
        if not set(clash.given) - set(given) and set(given).isdisjoint(clash.without):
            raise RefusedError(re.sub(r"{(\w+)}", lambda name: written(name[1]), clash.told))


def quoted(value: object) -> str:
    """Return any value as a sentence shows it: on one line, and short.

    >>> print(quoted("4 + 3"), quoted([1.5] * 1000), quoted(range(10**9)))
    '4 + 3' [1.5, 1.5, 1.5, 1.5, 1.5, 1.5, ...] range(0, 1000000000)
    """
    if isinstance(value, str):
        return repr(value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…")
    try:
        return " ".join(_SHORT.repr(value).split())
    except Exception:
        # Whoever gives it may have written how it is shown; and no int of 5,000 digits is.
        return f"<{type(value).__name__}>"


def parse_language(text: object) -> Language:
    """Return a language by its tag, such as `nl` or `nl-BE`, in any case.

    >>> parse_language("nl-BE").own
    'Nederlands'

    Raises RefusedError for an unknown language; the message lists the known ones.
    """
    language = find_language(text) if isinstance(text, str) else None
    if language is None:
        known = ", ".join(f"{each.name} ({each.own})" for each in LANGUAGES.values())
        raise RefusedError(f"unknown language {quoted(text)} (expected {known})")
    return language


def text_in(message: Message | None, language: str) -> str:
    """Return the text of a message in a language by its tag; empty for no message.

    Raises RefusedError for an unknown language.
    """
    return message.text(parse_language(language)) if message else ""
