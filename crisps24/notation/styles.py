"""Styles as records: how operators, operations and values are written."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import message
from crisps24.rules.exact import Exact, int_if_whole
from crisps24.rules.operators import OPERATORS, SIGN_PRECEDENCE, Operator
from crisps24.rules.words import format_value


class Frame(NamedTuple):
    """What stands before, between and after two operands, which it keeps together by itself."""

    before: str
    between: str
    after: str
    sides: tuple[int, ...] = (0, 1)
    """Which of them: that on the left (0), that on the right (1)."""


@dataclass(frozen=True, slots=True)
class Style:
    r"""One way to write expressions.

    >>> print(STYLES["latex"].format_operation(OPERATORS[":"], "8", "3"))
    \frac{8}{3}
    """

    name: str
    """How it is called on the command line."""
    signs: Mapping[str, str] = field(default_factory=dict)
    """Operators to their signs, where these are not their names in results files."""
    frames: Mapping[str, Frame] = field(default_factory=dict)
    """Operators to what holds their operands, which need no parentheses then."""
    parentheses: tuple[str, str] = ("(", ")")
    """How a pair is written."""
    prefix: bool = False
    """Whether expressions are in Polish notation, operators before their operands."""
    readable: bool = True
    """Whether the grammar reads what is written so."""

    @property
    def is_typeable(self) -> bool:
        """Whether it differs from others in its signs alone, which are as they are seen."""
        seen = "\\" not in "".join(self.signs.values())
        return seen and self.readable and not (self.prefix or self.frames)

    def sign(self, operator: Operator) -> str:
        """Return the sign of an operator; one that joins digits has none."""
        if operator.joins:
            return ""
        return self.signs.get(operator.name) or operator.signs.get(self.name, operator.name)

    def frames_sides(self, operator: Operator, *sides: int) -> bool:
        """Return whether an operator has a frame that holds what stands on some sides of it."""
        frame = self.frames.get(operator.name)
        return frame is not None and {*sides} <= {*frame.sides}

    def parenthesize(self, text: str) -> str:
        """Return a text in parentheses."""
        return f"{self.parentheses[0]}{text}{self.parentheses[1]}"

    def format_value(self, value: Exact) -> str:
        """Return an exact value as a result."""
        value = int_if_whole(value)
        if isinstance(value, int) or ":" not in self.frames:
            return format_value(value)
        above, below = format_value(abs(value.numerator)), format_value(value.denominator)
        return "-" * (value < 0) + self.format_operation(OPERATORS[":"], above, below)

    def format_operand(self, value: Exact) -> str:
        r"""Return an exact value as it stands beside a sign: a fraction is kept together.

        >>> from fractions import Fraction
        >>> print(*(STYLES[name].format_operand(Fraction(-1, 3)) for name in ("cards", "latex")))
        (-1/3) \left(-\frac{1}{3}\right)
        """
        text = self.format_value(value)
        framed = ":" in self.frames and value >= 0
        return text if framed or isinstance(int_if_whole(value), int) else self.parenthesize(text)

    def format_side(self, operator: Operator, side: int, value: Exact) -> str:
        """Return an exact value as it stands left (0) or right (1) of an operator."""
        frame = self.frames.get(operator.name)
        # In a frame nothing comes apart.
        if frame is not None and side in frame.sides:
            return self.format_value(value)
        text = self.format_operand(value)
        if (
            operator.precedence <= SIGN_PRECEDENCE
            or operator.joins
            or text[0] == self.parentheses[0][0]
        ):
            return text
        return self.parenthesize(text) if value < 0 or value.denominator > 1 else text

    def format_operation(self, operator: Operator, left: str, right: str) -> str:
        """Return what two operands, written already, and the operator between them make."""
        if operator.joins:
            return left + right if operator.arity == 2 else operator.spelled(left + right)
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
        # As schools write it in the Netherlands and in Spain, and in Germany.
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
# Those that write each operator as one character between its operands.
INLINE_STYLES = tuple(name for name, style in STYLES.items() if not (style.prefix or style.frames))


def style_named(name: str) -> Style:
    """Return the style of a name.

    Raises ValueError for an unknown style, listing the known ones.
    """
    if not isinstance(name, str) or name not in STYLES:
        raise RefusedError(message("refused.style", text=quoted(name), known=", ".join(STYLES)))
    return STYLES[name]


def typeable_style(name: str) -> Style:
    """Return the style of a name, for people who write by hand and type what they see.

    >>> typeable_style("dot").signs
    {'-': '−', 'x': '·'}

    Raises ValueError for an unknown style, and for one that is not of signs alone.
    """
    style = style_named(name)
    if not style.is_typeable:
        known = ", ".join(each.name for each in STYLES.values() if each.is_typeable)
        raise RefusedError(message("refused.style", text=quoted(name), known=known))
    return style
