"""The errors of parsing and checking a formula: the problem and its place.

`MalformedFormulaError`: the text is not a formula. `IllegalFormulaError`: the formula breaks a rule
of the game. Other problems, such as a step with a wrong result, are a `FormulaError` itself.
"""

import unicodedata
from typing import Any, Literal

from crisps24.errors import CrispsError
from crisps24.messages.message import ENGLISH, Language, Message
from crisps24.rules.characters import escape_unprintable


class FormulaError(CrispsError, ValueError):
    """Base class of the errors of a formula.

    Attributes: `text`, the formula; `position`, the 0-based column where the marked part starts;
    `length`, the number of marked characters, at least 1; `message`, the problem as a key and
    values; `reason`, the same in English; `code`, the problem as one word for programs, which
    does not change between versions.
    """

    kind: Literal["wrong", "malformed", "illegal"] = "wrong"
    code = "numbers"

    def __init__(
        self, message: Message, text: str, position: int, length: int = 1, code: str = ""
    ) -> None:
        super().__init__(message)
        self.text = text
        self.position = position
        self.length = max(1, length)
        self.code = code or type(self).code

    def sentence(self, language: Language = ENGLISH) -> str:
        """Return the kind in English and the reason in a language: `illegal: 1 - 2 is ...`."""
        return f"{self.kind}: {self.message.text(language)}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.text, self.position, self.length, self.code)

    def marked(self, width: int = 78) -> str:
        """Return the formula on one line, and below it carets (^) under the faulty part.

        The lines are at most `width` columns wide, or one more for a caret after the end. A formula
        that is too long is cut so that the faulty part starts in the first third.

        >>> from crisps24.messages.message import message
        >>> print(IllegalFormulaError(message("step.zero", step="4 - 4"), "4 - 4", 0, 5).marked())
        4 - 4
        ^^^^^
        """
        first_shown = 0
        if len(self.text) > width or sum(_width(_printable(char)) for char in self.text) > width:
            # Of the text before the faulty part, keep at most a third of the width.
            text_before = self.text[: self.position][-width:]
            widths_before = [_width(_printable(char)) for char in text_before]
            while widths_before and sum(widths_before) > width // 3:
                widths_before.pop(0)
            first_shown = max(0, min(self.position, len(self.text)) - len(widths_before))
        line, indent, caret_count = "", 0, 0
        for index, char in enumerate(self.text[first_shown : first_shown + width], first_shown):
            printable = _printable(char)
            columns = _width(printable)
            if _width(line) + columns > width:
                break
            line += printable
            if index < self.position:
                indent += columns
            elif index < self.position + self.length:
                caret_count += columns
        return f"{line}\n{' ' * indent}{'^' * max(1, caret_count)}"


def _printable(character: str) -> str:
    """Return a text that can be printed for a character: itself, a space or an escape."""
    if character.isspace():
        return " "
    if unicodedata.category(character)[0] == "M":
        # A combining mark is zero columns wide, so a caret could not point at it.
        return f"\\u{ord(character):04x}"
    return escape_unprintable(character)


def _width(text: str) -> int:
    """Return the width of a text on a terminal, in columns; wide characters take two."""
    return sum(1 + (unicodedata.east_asian_width(char) in "WF") for char in text)


class MalformedFormulaError(FormulaError):
    """The text is not a formula."""

    kind = "malformed"
    code = "not-a-formula"


class IllegalFormulaError(FormulaError):
    """The formula breaks a rule of the game."""

    kind = "illegal"
    code = "operator"
