r"""Styles as records: how operators, operations and values are written.

A style maps operators to signs, or to frames such as LaTeX's \frac{8}{3}, which show where their
operands end, so that these need no parentheses. The style `latex` writes `8 / (3 - 8 / 3)` as
\frac{8}{3 - \frac{8}{3}}, `polish` as `/ 8 - 3 / 8 3`. `trees.text_of` prints whole expressions.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import message
from crisps24.rules.exact import Exact, int_if_whole
from crisps24.rules.games import Game
from crisps24.rules.operators import OPERATORS, Operator
from crisps24.rules.words import format_value


class Frame(NamedTuple):
    """The texts before, between and after two operands, which mark where framed operands end."""

    before: str
    between: str
    after: str
    sides: tuple[int, ...] = (0, 1)
    """The operands that are framed: 0 is the left one, 1 the right one."""


@dataclass(frozen=True, slots=True)
class Style:
    """One way to write expressions."""

    name: str
    """Its name on the command line."""
    signs: Mapping[str, str] = field(default_factory=dict)
    """Operator name to sign, if the sign differs from the name."""
    frames: Mapping[str, Frame] = field(default_factory=dict)
    """Operator name to frame, for operators whose operands are framed."""
    parentheses: tuple[str, str] = ("(", ")")
    """The opening and the closing parenthesis."""
    prefix: bool = False
    """Whether the style is Polish notation: operators in front of their operands."""
    readable: bool = True
    """Whether the grammar of infix formulas can parse the style."""

    @property
    def is_typeable(self) -> bool:
        """Whether a user can type formulas as they are displayed: infix, without LaTeX commands."""
        displayed_as_typed = "\\" not in "".join(self.signs.values())
        return displayed_as_typed and self.readable and not (self.prefix or self.frames)

    def sign(self, operator: Operator) -> str:
        """Return the sign of an operator; empty for an operator that joins digits."""
        if operator.joins:
            return ""
        return self.signs.get(operator.name) or operator.signs.get(self.name, operator.name)

    def frames_sides(self, operator: Operator, *sides: int) -> bool:
        """Return whether all these operands (0: left, 1: right) of an operator are framed."""
        frame = self.frames.get(operator.name)
        return frame is not None and {*sides} <= {*frame.sides}

    def parenthesize(self, text: str) -> str:
        return f"{self.parentheses[0]}{text}{self.parentheses[1]}"

    def with_minus(self, number: str) -> str:
        """Return the text of a number with the minus sign of the style, unless that is a word."""
        sign = self.sign(OPERATORS["-"])
        return number.replace("-", sign) if len(sign) == 1 else number

    def format_value(self, value: Exact) -> str:
        """Return an exact value as the result of a step: `-1/3`, or a frame in LaTeX."""
        value = int_if_whole(value)
        if isinstance(value, int) or ":" not in self.frames:
            return self.with_minus(format_value(value))
        parts = format_value(abs(value.numerator)), format_value(value.denominator)
        return self.with_minus("-" * (value < 0)) + self.format_operation(OPERATORS[":"], *parts)

    def format_operand(self, value: Exact) -> str:
        """Return an exact value as an operand, a fraction in parentheses if it has no frame."""
        text = self.format_value(value)
        framed = ":" in self.frames and value >= 0
        return text if framed or isinstance(int_if_whole(value), int) else self.parenthesize(text)

    def format_side(self, operator: Operator, side: int, value: Exact) -> str:
        """Return the text of a number as the left (0) or right (1) operand of an operator.

        Negative numbers are in parentheses next to an operator that binds tighter than a minus
        sign.
        """
        frame = self.frames.get(operator.name)
        if frame is not None and side in frame.sides:
            return self.format_value(value)
        text = self.format_operand(value)
        if not operator.is_tight or text[0] == self.parentheses[0][0]:
            return text
        is_whole_and_positive = value >= 0 and value.denominator == 1
        return text if is_whole_and_positive else self.parenthesize(text)

    def format_operation(self, operator: Operator, left: str, right: str) -> str:
        """Return the text of an operation from the texts of its operands; one can be empty."""
        if operator.joins:
            return left + right if operator.arity == 2 else operator.spell(left + right)
        if operator.name in self.frames:
            before, between, after, _ = self.frames[operator.name]
            return f"{before}{left}{between}{right}{after}"
        if operator.arity == 1:
            return f"{left}{self.sign(operator)}{right}"
        return f"{left} {self.sign(operator)} {right}"


STYLES: dict[str, Style] = {
    style.name: style
    for style in (
        Style("crisps"),
        Style("cards", {":": "/"}),
        Style("ascii", {"x": "*", ":": "/"}),
        Style("unicode", {"-": "−", "x": "×", ":": "÷"}),
        # Schools in the Netherlands and Spain write ×, schools in Germany write ·; all write :.
        Style("colon", {"-": "−", "x": "×"}),
        Style("dot", {"-": "−", "x": "·"}),
        Style("polish", {":": "/"}, prefix=True, readable=False),
        Style(
            "latex",
            {"x": r"\times"},
            {
                ":": Frame(r"\frac{", "}{", "}"),
                "^": Frame("", "^{", "}", sides=(1,)),
                "√": Frame("", r"\sqrt{", "}", sides=(1,)),
            },
            (r"\left(", r"\right)"),
        ),
    )
}
# The styles that write each operator as one character between its operands.
INLINE_STYLES = tuple(name for name, style in STYLES.items() if not (style.prefix or style.frames))


def style_by_name(name: str) -> Style:
    """Return the style with a name, or raise RefusedError."""
    if not isinstance(name, str) or name not in STYLES:
        raise RefusedError(message("refused.style", text=quoted(name), known=", ".join(STYLES)))
    return STYLES[name]


def typeable_style(name: str) -> Style:
    """Return the style with a name, if a user can type formulas exactly as the style shows them."""
    style = style_by_name(name)
    if not style.is_typeable:
        known = ", ".join(other.name for other in STYLES.values() if other.is_typeable)
        raise RefusedError(message("refused.style", text=quoted(name), known=known))
    return style


def list_signs(game: Game, style: str | None) -> list[str]:
    """Return the signs of the operators in a style: + and - before x and :, as people list them."""
    operators = sorted(
        (operator for operator in game.row_operators if not operator.joins),
        key=lambda operator: (operator.precedence, not operator.commutes),
    )
    return [STYLES[style or game.style].sign(operator) for operator in operators]
