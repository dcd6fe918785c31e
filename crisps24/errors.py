"""The errors of the package: all are `CrispsError`; and reading the tag of a language."""

import re
import reprlib
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from crisps24.messages.languages import LANGUAGES, find_language
from crisps24.messages.message import (
    ENGLISH,
    Language,
    Message,
    Quoted,
    as_message,
    english,
    message,
)

# So much of a value is shown.
_LONGEST = 40
_SHORT = reprlib.Repr()
_SHORT.maxother = _SHORT.maxlong = _LONGEST


class WithReason:
    """Base of errors and verdicts: the reason is the text of their message."""

    __slots__ = ()
    message: Message | None

    @property
    def reason(self) -> str:
        """The reason in one sentence, in English; empty if there is none."""
        return self.message.spoken()[0] if self.message else ""

    def reason_in(self, language: str) -> str:
        """Return the reason in a language, such as `nl`.

        Raises RefusedError for an unknown language.
        """
        return self.message.text(parse_language(language)) if self.message else ""


class CrispsError(WithReason, Exception):
    """Base class of all errors of this package; its text is one sentence for the user.

    Attributes: `message`, the sentence as a key and values; `reason`, the same in English.
    """

    def __init__(self, reason: Message | str = "") -> None:
        super().__init__(reason)
        self.message: Message = as_message(reason)

    def sentence(self, language: Language = ENGLISH) -> str:
        """Return the text of the error in a language: the reason, and what precedes it."""
        return self.message.text(language)

    def __str__(self) -> str:
        return self.sentence()


class RefusedError(CrispsError, ValueError):
    """A request cannot be answered; the text gives the reason and a way to an answer.

    `advice` is the key of the text that commands print, with the reason and other values: pages
    and `reason` lack the advice in it.
    """

    def __init__(self, reason: Message | str = "", advice: str = "", **values: object) -> None:
        super().__init__(reason)
        self._advice, self._values = advice, values

    def sentence(self, language: Language = ENGLISH) -> str:
        """Return the text of the error in a language, with advice for commands."""
        if not self._advice:
            return super().sentence(language)
        return language.text(self._advice, reason=self.message, **self._values)


class KindError(CrispsError, TypeError):
    """An argument has the wrong type; the text gives the expected one."""


class Clash(NamedTuple):
    """Options or words that exclude each other, or that need another one."""

    given: tuple[str, ...]
    """The names that are refused if all of them are given."""
    reason: Message | str
    """The message, whose values are names; in a text for commands, each place is a name."""
    without: tuple[str, ...] = ()
    """Names of which one is needed besides; nothing is refused if one is given."""


def refuse_clashes(
    clashes: Iterable[Clash], given: Collection[str], written: Callable[[str], Message | str] = str
) -> None:
    """Raise RefusedError for the first clash of the given names; `written` returns their labels.

    >>> table = [Clash(("a", "b"), "{a} and {b}: give one"), Clash(("c",), "{c}: no {d}", ("d",))]
    >>> refuse_clashes(table, ["a", "c"], "--{}".format)
    Traceback (most recent call last):
    crisps24.errors.RefusedError: --c: no --d
    """
    for clash in clashes:
        if not set(clash.given) - set(given) and set(given).isdisjoint(clash.without):
            reason = clash.reason
            if isinstance(reason, str):
                reason = english(reason, **{name: name for name in re.findall(r"{(\w+)}", reason)})
            labels = {place: written(name) for place, name in reason.values.items()}
            raise RefusedError(reason._replace(values=labels))


def quoted(value: object) -> str:
    """Return any value as a sentence shows it: on one line, and short.

    >>> print(quoted("4 + 3"), quoted([1.5] * 1000), quoted(range(10**9)))
    '4 + 3' [1.5, 1.5, 1.5, 1.5, 1.5, 1.5, ...] range(0, 1000000000)
    """
    if isinstance(value, str):
        return Quoted(repr(value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"))
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
        raise RefusedError(message("refused.language", text=quoted(text), known=known))
    return language
