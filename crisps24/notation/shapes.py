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
# Characters of a tree that is cached: 40 numbers.
_MAX_CACHED = 120


class TreeShape(NamedTuple):
    """The shape of an expression."""

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
    tree = "".join(signs)
    return (_cached_shape if len(tree) <= _MAX_CACHED else _shape)(tree)


def _shape(tree: str) -> TreeShape:
    # For each part: its numbers, its depth, whether it leans left, right, and is even.
    stack: list[tuple[int, int, bool, bool, bool]] = []
    for sign in tree:
        if sign == ".":
            stack.append((1, 0, True, True, True))
        elif sign == ")":
            right, left = stack.pop(), stack.pop()
            is_left, is_right = left[2] and right[0] == 1, right[3] and left[0] == 1
            is_even = left[4] and right[4] and abs(left[0] - right[0]) <= 1
            size, depth = left[0] + right[0], 1 + max(left[1], right[1])
            stack.append((size, depth, is_left, is_right, is_even))
    [(size, depth, is_left, is_right, is_even)] = stack
    if size > 2 and (is_left or is_right):
        return TreeShape("left" if is_left else "right", tree, depth)
    return TreeShape("balanced" if is_even else "mixed", tree, depth)


_cached_shape = lru_cache(10_000)(_shape)


def parse_shape(text: str) -> str:
    """Return the name of a shape; raise RefusedError for another text."""
    if not isinstance(text, str) or text not in SHAPES:
        raise RefusedError(f"unknown shape {quoted(text)} (expected {', '.join(SHAPES)})")
    return text
