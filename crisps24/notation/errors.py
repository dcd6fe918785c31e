"""What can be wrong with a formula, and where: the errors that reading and checking raise."""

import unicodedata
from typing import Any

from crisps24.errors import CrispsError
from crisps24.messages.message import ENGLISH, Language, Message
from crisps24.rules.characters import escape_unprintable


class FormulaError(CrispsError, ValueError):
    """Base class of the errors of a formula.

    Attributes: `text`, the formula; `position`, the 0-based column where the marked part begins;
    `length`, how many characters are marked, at least 1; `message`, the problem as a key and
    values; `reason`, the same in English; `code`, the problem as one word for programs, which
    does not change between versions.
    """

    kind = "wrong"
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
        """Return the kind and the reason, the reason in a language."""
        return f"{self.kind}: {self.message.text(language)}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.text, self.position, self.length, self.code)

    def marked(self, width: int = 78) -> str:
        """Return the formula with carets under the marked part, at most `width` columns wide.

        >>> from crisps24.messages.message import message
        >>> print(IllegalFormulaError(message("step.zero", step="4 - 4"), "4 - 4", 0, 5).marked())
        4 - 4
        ^^^^^
        """
        first = 0
        if len(self.text) > width or sum(_columns(_cell(each)) for each in self.text) > width:
            before = [_columns(_cell(each)) for each in self.text[: self.position][-width:]]
            while before and sum(before) > width // 3:
                before.pop(0)
            first = max(0, min(self.position, len(self.text)) - len(before))
        line, left, marked = "", 0, 0
        for place, each in enumerate(self.text[first : first + width], first):
            cell = _cell(each)
            columns = _columns(cell)
            if _columns(line) + columns > width:
                break
            line += cell
            left += columns if place < self.position else 0
            marked += columns if self.position <= place < self.position + self.length else 0
        return f"{line}\n{' ' * left}{'^' * max(1, marked)}"


def _cell(character: str) -> str:
    """Return a character of a formula as it is shown above carets: white space is a space."""
    if character.isspace():
        return " "
    # What has no width of its own would not be where its caret is.
    return (
        escape_unprintable(character)
        if unicodedata.category(character)[0] != "M"
        else f"\\u{ord(character):04x}"
    )


def _columns(text: str) -> int:
    """Return how many columns a text takes on a terminal."""
    return sum(1 + (unicodedata.east_asian_width(each) in "WF") for each in text)


class MalformedFormulaError(FormulaError):
    """The text is not a formula."""

    kind = "malformed"
    code = "not-a-formula"


class IllegalFormulaError(FormulaError):
    """The formula breaks a rule of the game."""

    kind = "illegal"
    code = "operator"
