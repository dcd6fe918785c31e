"""Shapes of expressions: how their steps branch, whatever the numbers and operators are.

The *tree* of an expression is a word, with a dot for each number and brackets around each step:
`(1 + 2) x (3 + 4)` has the tree `((..)(..))`. Joined digits are one number, and signs and operators
of one number are no steps. The *depth* is the most steps of which each needs the one before. The
*shape* is `left` if the right operand of each step is a number, `right` if the left operand of each
is one, `balanced` if both operands of each step have equally many numbers or differ by one, and
otherwise `mixed`. One step, or none, is balanced; three numbers are left or right.
"""

from typing import NamedTuple

from crisps24.errors import RefusedError, quoted
from crisps24.notation.trees import Expression, NoOperand, Number, to_postfix

SHAPES = ("balanced", "left", "right", "mixed")
_SIDES = frozenset({"left", "right"})


class TreeShape(NamedTuple):
    """The shape of an expression."""

    tree: str = "."
    depth: int = 0
    size: int = 1
    """The number of numbers."""
    sides: frozenset[str] = _SIDES
    """Whether it leans to the left and to the right."""
    is_even: bool = True

    @property
    def name(self) -> str:
        if self.size > 2 and self.sides:
            return min(self.sides)
        return "balanced" if self.is_even else "mixed"


def shape_of(expression: Expression) -> TreeShape:
    """Return the shape of an expression.

    >>> from crisps24 import parse
    >>> [shape_of(parse(text, "digits"))[:2] for text in ("1 + 2 + 3", "(1 + 2) x (3 + 4)")]
    [('((..).)', 2), ('((..)(..))', 2)]
    """
    stack: list[TreeShape | None] = []
    for item in to_postfix(expression):
        if isinstance(item, Number):
            stack.append(None if isinstance(item, NoOperand) else TreeShape())
            continue
        right, left = stack.pop(), stack.pop()
        if left is None or right is None:
            stack.append(left or right)
        elif item[0].joins:
            stack.append(TreeShape())
        else:
            sides = {"left"} if right.size == 1 and "left" in left.sides else set()
            sides |= {"right"} if left.size == 1 and "right" in right.sides else set()
            is_even = left.is_even and right.is_even and abs(left.size - right.size) <= 1
            tree, depth = f"({left.tree}{right.tree})", 1 + max(left.depth, right.depth)
            size = left.size + right.size
            stack.append(TreeShape(tree, depth, size, frozenset(sides), is_even))
    [shape] = stack
    return shape or TreeShape()


def parse_shape(text: str) -> str:
    """Return the name of a shape; raise RefusedError for another text."""
    if not isinstance(text, str) or text not in SHAPES:
        raise RefusedError(f"unknown shape {quoted(text)} (expected {', '.join(SHAPES)})")
    return text
