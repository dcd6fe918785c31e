"""Shapes of expressions: how their steps branch, whatever the numbers and operators are.

The *tree* of an expression is a word, with a dot for each number and brackets around each step:
`(1 + 2) x (3 + 4)` has the tree `((..)(..))`. Joined digits are one number, and signs and operators
of one number are no steps. The *depth* is the most steps of which each needs the one before. The
*shape* is `left` if the right operand of each step is a number, `right` if the left operand of each
is one, `balanced` if both operands of each step have equally many numbers or differ by one, and
otherwise `mixed`. One step, or none, is balanced; three numbers are left or right.
"""

from functools import lru_cache
from typing import NamedTuple

from crisps24.errors import RefusedError, quoted
from crisps24.notation.trees import Expression, NoOperand, Number

SHAPES = ("balanced", "left", "right", "mixed")


class TreeShape(NamedTuple):
    name: str
    tree: str
    depth: int


def shape_of(expression: Expression) -> TreeShape:
    """Return the shape of an expression.

    >>> from crisps24 import parse
    >>> shape_of(parse("1 + 2 + 3", "digits")), shape_of(parse("(1 + 2) x (3 + 4)", "digits")).name
    (TreeShape(name='left', tree='((..).)', depth=2), 'balanced')
    """
    signs: list[str] = []
    stack: list[Expression | str] = [expression]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            signs.append(part)
        elif isinstance(part, Number) or part.operator.joins:
            signs.append(".")
        elif isinstance(part.left, NoOperand):
            stack.append(part.right)
        elif isinstance(part.right, NoOperand):
            stack.append(part.left)
        else:
            signs.append("(")
            stack += (")", part.right, part.left)
    return _shape("".join(signs))


@lru_cache(1_000)
def _shape(tree: str) -> TreeShape:
    # The numbers and the depth of each part, and the numbers of the two operands of each step.
    parts: list[tuple[int, int]] = []
    steps: list[tuple[int, int]] = []
    for sign in tree:
        if sign == ".":
            parts.append((1, 0))
        elif sign == ")":
            (right, depth), (left, other) = parts.pop(), parts.pop()
            steps.append((left, right))
            parts.append((left + right, 1 + max(depth, other)))
    name = "balanced" if all(abs(left - right) < 2 for left, right in steps) else "mixed"
    if steps[1:] and all(right == 1 for _, right in steps):
        name = "left"
    elif steps[1:] and all(left == 1 for left, _ in steps):
        name = "right"
    return TreeShape(name, tree, parts[0][1])


def parse_shape(text: str) -> str:
    if not isinstance(text, str) or text not in SHAPES:
        raise RefusedError(f"unknown shape {quoted(text)} (expected {', '.join(SHAPES)})")
    return text
