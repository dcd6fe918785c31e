"""The errors of the package, conflicts between options, and language tags.

All errors are `CrispsError`, except OSError for files. Each contains a message: a key with values,
which can have a text in every language of `messages`. A reason given as a str has only English.
"""

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

# Complaints about a file that are shown; the others are counted.
MAX_COMPLAINTS = 20
# Longest part of a value that a message shows, in characters.
_MAX_SHOWN = 40
_SHORT_REPR = reprlib.Repr()
_SHORT_REPR.maxother = _SHORT_REPR.maxlong = _MAX_SHOWN


class WithReason:
    """Base of errors and verdicts: the reason is the text of their message."""

    __slots__ = ()
    message: Message | None

    @property
    def reason(self) -> str:
        """The reason in one sentence, in English; empty without a message."""
        return self.message.translate()[0] if self.message else ""

    def reason_in(self, language: str) -> str:
        """Return the reason in a language, such as `nl`; empty without a message.

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
        """Return the text that commands print in a language: the reason, and maybe advice."""
        return self.message.text(language)

    def __str__(self) -> str:
        return self.sentence()


class RefusedError(CrispsError, ValueError):
    """A request cannot be answered; the text gives the reason and a way to an answer.

    `advice` is the key of a text for commands, which contains the reason and other values; pages
    and `reason` do not show it.
    """

    def __init__(self, reason: Message | str = "", advice: str = "", **values: object) -> None:
        super().__init__(reason)
        self._advice, self._values = advice, values

    def sentence(self, language: Language = ENGLISH) -> str:
        if not self._advice:
            return super().sentence(language)
        return language.text(self._advice, reason=self.message, **self._values)


class KindError(CrispsError, TypeError):
    """An argument has the wrong type; the text gives the expected one."""


class ConflictRule(NamedTuple):
    """Options or words that exclude each other, or that need another one."""

    names: tuple[str, ...]
    """The names that are refused together."""
    reason: Message | str
    """The message, whose values are names; in a text for commands, each place is a name."""
    unless: tuple[str, ...] = ()
    """Names that allow the others; one is enough."""


def refuse_conflicts(
    rules: Iterable[ConflictRule],
    given: Collection[str],
    label_of: Callable[[str], Message | str] = str,
) -> None:
    """Raise RefusedError for the first rule of which all `names` are given, and none of `unless`.

    `label_of` returns the label of a name for the message.

    >>> excludes = ConflictRule(("a", "b"), "{a} and {b}: give one")
    >>> needs = ConflictRule(("c",), "{c}: no {d}", unless=("d",))
    >>> refuse_conflicts([excludes, needs], ["a", "c"], "--{}".format)
    Traceback (most recent call last):
    crisps24.errors.RefusedError: --c: no --d
    """
    for rule in rules:
        if not set(rule.names) - set(given) and set(given).isdisjoint(rule.unless):
            reason = rule.reason
            if isinstance(reason, str):
                reason = english(reason, **{name: name for name in re.findall(r"{(\w+)}", reason)})
            labels = {place: label_of(name) for place, name in reason.values.items()}
            raise RefusedError(reason._replace(values=labels))


def quoted(value: object) -> str:
    """Return the text of any value for a message: on one line, and shortened. It never raises."""
    if isinstance(value, str):
        return Quoted(repr(value if len(value) <= _MAX_SHOWN else f"{value[:_MAX_SHOWN]}…"))
    try:
        return " ".join(_SHORT_REPR.repr(value).split())
    except Exception:
        # The value's own `__repr__` may raise, and that of an int of 5,000 digits does.
        return f"<{type(value).__name__}>"


def parse_language(text: object) -> Language:
    """Return a language by its tag, such as `nl` or `nl-BE`; the error lists the known ones."""
    language = find_language(text) if isinstance(text, str) else None
    if language is None:
        known = ", ".join(f"{entry.name} ({entry.native_name})" for entry in LANGUAGES.values())
        raise RefusedError(message("refused.language", text=quoted(text), known=known))
    return language
