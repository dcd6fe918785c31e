"""Strategies of this package's tests: expressions, formulas, and games without limits."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from crisps24 import Formula, Game
from crisps24.notation.trees import Expression, Number, Operation
from crisps24.rules.operators import OPERATORS
from tests.drawing_helpers import SIGNS, WORKED

# Any digit, any rule: what is left to go wrong is the text itself, and dividing by zero.
FREE = Game("free", tuple(range(10)), 4, parentheses=True, fractions=True, negatives=True)
# Any digits, joined as well.
JOINING = replace(FREE, name="joining", join=True)

OPERATIONS = st.sampled_from([each for each in OPERATORS.values() if not each.joins])


def _join(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.builds(Operation, OPERATIONS, parts, parts)


TREES: st.SearchStrategy[Expression] = st.recursive(
    st.builds(Number, st.integers(-99, 99)), _join, max_leaves=25
)
# Of so few digits that no value on the way is long.
SHORT_TREES: st.SearchStrategy[Expression] = st.recursive(
    st.builds(Number, st.integers(0, 9)), _join, max_leaves=6
)
FORMULAS = st.integers(1, 12).flatmap(
    lambda length: st.builds(
        Formula,
        st.tuples(*[st.integers(0, 99)] * length),
        st.tuples(*[st.sampled_from(WORKED)] * (length - 1)),
    )
)


def nested(tree: Expression) -> Any:
    """Return the tree as tuples, equal when two trees are the same node by node."""
    if isinstance(tree, Number):
        return tree.value
    return tree.operator.name, nested(tree.left), nested(tree.right)


@st.composite
def rows(draw: st.DrawFn, signs: str = SIGNS) -> Formula:
    """Draw digits in a row, joined or not, none that begins with 0."""
    length = draw(st.integers(1, 8))
    operators = [draw(st.sampled_from(signs)) for _ in range(length - 1)]
    digits = []
    for before, after in zip(["+", *operators], [*operators, "+"], strict=True):
        digits.append(draw(st.integers(int(before != "|" and after == "|"), 9)))
    return Formula(tuple(digits), tuple(operators))


def number_in(row: Sequence[int]) -> Callable[[Number], int]:
    """Return what takes the number of a place from a row."""
    return lambda place: row[place.value]
