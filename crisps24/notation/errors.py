"""What can be wrong with a formula, and where: the errors that reading and checking raise."""

from typing import Any


class FormulaError(ValueError):
    """A formula is not right; the kinds say how.

    Attributes: `text`, the formula; `position`, the 0-based column where the marked part begins;
    `length`, how many characters are marked, at least 1; `reason`, what is wrong.
    """

    kind = "wrong"

    def __init__(self, reason: str, text: str, position: int, length: int = 1) -> None:
        super().__init__(f"{self.kind}: {reason}")
        self.text = text
        self.position = position
        self.length = max(1, length)
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reason, self.text, self.position, self.length)

    def marked(self, width: int = 78) -> str:
        """Return the formula with carets under the marked part, at most `width` columns wide.

        >>> print(IllegalFormulaError("9 : 7 leaves a remainder of 2", "9 : 7 + 2", 0, 5).marked())
        9 : 7 + 2
        ^^^^^
        """
        first = 0 if len(self.text) <= width else max(0, self.position - width // 3)
        shown = self.text[first : first + width]
        line = "".join(character if character.isprintable() else " " for character in shown)
        column = self.position - first
        return f"{line}\n{' ' * column}{'^' * max(1, min(self.length, len(line) - column))}"


class MalformedFormulaError(FormulaError):
    """The text is no formula at all."""

    kind = "malformed"


class IllegalFormulaError(FormulaError):
    """The formula breaks a rule of the game."""

    kind = "illegal"
