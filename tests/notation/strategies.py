"""Hypothesis strategies for expressions and formulas, and games without limits."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from crisps24 import Formula, Game
from crisps24.notation.evaluation import evaluation_steps
from crisps24.notation.trees import Expression, Number, Operation, leaf_index
from crisps24.rules.exact import Exact
from crisps24.rules.operators import OPERATORS
from crisps24.rules.ratios import Column, exact_values, make_column
from tests.drawing_helpers import ARITHMETIC_SIGNS, SIGNS

# All digits and no rules: only the text itself and a division by zero can be wrong.
FREE = Game("free", tuple(range(10)), 4, parentheses=True, fractions=True, negatives=True)
# The same, with joined digits.
JOINING = replace(FREE, name="joining", join=True)

OPERATIONS = st.sampled_from([operator for operator in OPERATORS.values() if not operator.joins])


def _join(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.builds(Operation, OPERATIONS, parts, parts)


_leaves = st.builds(Number, st.integers(-99, 99))
TREES: st.SearchStrategy[Expression] = st.recursive(_leaves, _join, max_leaves=25)
# Few digits, so that all values stay small.
_digits = st.builds(Number, st.integers(0, 9))
SHORT_TREES: st.SearchStrategy[Expression] = st.recursive(_digits, _join, max_leaves=6)
FORMULAS = st.integers(1, 12).flatmap(
    lambda length: st.builds(
        Formula,
        st.tuples(*[st.integers(0, 99)] * length),
        st.tuples(*[st.sampled_from(ARITHMETIC_SIGNS)] * (length - 1)),
    )
)


def nested(tree: Expression) -> Any:
    """Return a tree as nested tuples, to compare trees node by node."""
    if isinstance(tree, Number):
        return tree.value
    return tree.operator.name, nested(tree.left), nested(tree.right)


def tree_facts(part: Expression) -> Any:
    """Return all that a tree has, also the places of its parts in the text."""
    if isinstance(part, Number):
        return part.value, part.span
    return part.operator.name, part.style, tree_facts(part.left), tree_facts(part.right), part.span


@st.composite
def rows(draw: st.DrawFn, signs: str = SIGNS) -> Formula:
    """Draw a row of digits, some joined; no joined number starts with 0."""
    length = draw(st.integers(1, 8))
    operators = [draw(st.sampled_from(signs)) for _ in range(length - 1)]
    digits = []
    for before, after in zip(["+", *operators], [*operators, "+"], strict=True):
        digits.append(draw(st.integers(int(before != "|" and after == "|"), 9)))
    return Formula(tuple(digits), tuple(operators))


def rows_of_columns(
    tree: Expression, game: Game, rows: Sequence[Sequence[Any]], fractions: bool
) -> list[Exact | None]:
    """Return the value of a pattern in each row, from columns; None where it is illegal."""
    columns = [make_column(values, fractions, np.int64) for values in zip(*rows, strict=True)]
    legal = np.ones(len(rows), bool)
    results: Column = columns[leaf_index(tree)] if isinstance(tree, Number) else columns[0]
    for step in evaluation_steps(tree, game, lambda leaf: columns[leaf_index(leaf)]):
        legal &= step.legal
        results = step.result
    pairs = zip(exact_values(results), legal.tolist(), strict=True)
    return [value if is_legal else None for value, is_legal in pairs]


def number_in(row: Sequence[Exact]) -> Callable[[Number], Exact]:
    """Return a function from a leaf of a pattern to its number in a row."""
    return lambda leaf: row[leaf_index(leaf)]
