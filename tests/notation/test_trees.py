"""Trees: how they are printed, read again, and worked out step by step."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Formula, parse
from crisps24.notation.grammar import working
from crisps24.notation.trees import (
    OPERATORS,
    STYLES,
    Expression,
    Number,
    Operation,
    exact_leaf,
    numbers_of,
    steps,
    text_of,
    text_of_value,
)

OPERATIONS = st.sampled_from(OPERATORS)


def _join(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.builds(Operation, OPERATIONS, parts, parts)


TREES: st.SearchStrategy[Expression] = st.recursive(
    st.builds(Number, st.integers(-99, 99)), _join, max_leaves=25
)
FORMULAS = st.integers(1, 12).flatmap(
    lambda length: st.builds(
        Formula,
        st.tuples(*[st.integers(0, 99)] * length),
        st.tuples(*[st.sampled_from("-+x:")] * (length - 1)),
    )
)


def nested(tree: Expression) -> Any:
    """Return the tree as tuples, equal when two trees are the same node by node."""
    if isinstance(tree, Number):
        return tree.value
    return tree.operator.name, nested(tree.left), nested(tree.right)


PRINTED = [
    ("1 + 2 x 3", "1 + 2 x 3"),
    ("(1 + 2) x 3", "(1 + 2) x 3"),
    ("1 + (2 x 3)", "1 + 2 x 3"),
    ("(1 - 2) - 3", "1 - 2 - 3"),
    ("1 - (2 - 3)", "1 - (2 - 3)"),
    ("1 + (2 + 3)", "1 + (2 + 3)"),
    ("8 : (4 : 2)", "8 / (4 / 2)"),
    ("(8 : 4) : 2", "8 / 4 / 2"),
    ("((((7))))", "7"),
    ("8 - (3 x (2 - 1))", "8 - 3 x (2 - 1)"),
    ("-3 + -4 x (-2 - 1)", "-3 + -4 x (-2 - 1)"),
]


@pytest.mark.parametrize(("text", "printed"), PRINTED)
def test_a_tree_is_printed_with_the_fewest_parentheses_that_keep_it(
    text: str, printed: str
) -> None:
    assert str(parse(text, "digits")) == printed


@pytest.mark.parametrize(
    ("style", "printed"),
    [
        ("crisps", "8 : (3 - 8 : 3) x 2 + 1"),
        ("cards", "8 / (3 - 8 / 3) x 2 + 1"),
        ("ascii", "8 / (3 - 8 / 3) * 2 + 1"),
        ("unicode", "8 ÷ (3 − 8 ÷ 3) × 2 + 1"),
        ("polish", "+ x / 8 - 3 / 8 3 2 1"),
    ],
)
def test_a_tree_is_printed_in_every_style(style: str, printed: str) -> None:
    assert text_of(parse("8:(3-8:3)x2+1", "digits"), style) == printed


def test_a_tree_is_printed_in_the_style_of_its_game() -> None:
    assert [str(parse("6 / 3", game)) for game in ("crisps", "digits")] == ["6 : 3", "6 / 3"]


def test_an_unknown_style_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=f"the styles are {', '.join(STYLES)}"):
        text_of(Number(1), "roman")


@given(TREES)
def test_parsing_what_is_printed_gives_the_same_tree(tree: Expression) -> None:
    again = parse(str(tree), "digits")
    assert again == tree
    assert nested(again) == nested(tree)
    assert hash(again) == hash(tree)


@given(TREES, st.sampled_from(sorted(set(STYLES) - {"polish"})))
def test_every_style_but_the_polish_one_can_be_read_again(tree: Expression, style: str) -> None:
    assert nested(parse(text_of(tree, style), "digits")) == nested(tree)


@given(TREES)
def test_the_repr_of_a_tree_rebuilds_it(tree: Expression) -> None:
    assert nested(eval(repr(tree), {"parse": parse, "Number": Number})) == nested(tree)


@given(FORMULAS)
def test_a_formula_is_read_again_and_rebuilt(formula: Formula) -> None:
    assert str(parse(str(formula))) == str(formula)
    assert eval(repr(formula), {"Formula": Formula}) == formula


def test_a_tree_in_the_original_grouping_is_read_again() -> None:
    tree = parse("9 - 2 x 1 + 5", "game24")
    assert str(tree) == "9 - (2 x 1 + 5)"
    assert parse(str(tree), "digits") == tree


def test_trees_that_differ_in_grouping_are_different() -> None:
    assert parse("1 + 2 + 3") == parse("(1+2)+3", "digits")
    assert parse("1 + 2 + 3") != parse("1 + (2 + 3)", "digits")
    assert parse("1 + 2") != parse("2 + 1")
    assert parse("3") != parse("3 + 0")


def test_numbers_are_listed_from_left_to_right() -> None:
    tree = parse("(1 + 2) x (3 - 4 : 5) + 6", "digits")
    assert [number.value for number in numbers_of(tree)] == [1, 2, 3, 4, 5, 6]


WORKINGS: list[tuple[str, str, list[str]]] = [
    ("4 + 3 x 8 - 4", "crisps", ["3 x 8 = 24", "4 + 24 = 28", "28 - 4 = 24"]),
    ("4 x 3 : 3 x 6", "crisps", ["4 x 3 = 12", "12 : 3 = 4", "4 x 6 = 24"]),
    ("3 + 1 - 2", "crisps", ["3 + 1 = 4", "4 - 2 = 2"]),
    ("1 - 2 + 3", "crisps", ["1 - 2 goes below zero"]),
    ("3 : 2 x 4", "crisps", ["3 : 2 leaves a remainder of 1"]),
    ("9 - 2 x 1 + 5", "crisps", ["2 x 1 = 2", "9 - 2 = 7", "7 + 5 = 12"]),
    ("9 - 2 x 1 + 5", "game24", ["2 x 1 = 2", "2 + 5 = 7", "9 - 7 = 2"]),
    ("9 + 1 x 2 - 5", "game24", ["1 x 2 = 2", "2 - 5 goes below zero"]),
    ("1 x 2 + 3 x 4", "game24", ["1 x 2 = 2", "3 x 4 = 12", "2 + 12 = 14"]),
    ("1 - 9 : (2 + 1)", "digits", ["2 + 1 = 3", "9 / 3 = 3", "1 - 3 = -2"]),
    ("8 : (3 - 8 : 3)", "digits", ["8 / 3 = 8/3", "3 - (8/3) = 1/3", "8 / (1/3) = 24"]),
    ("8 : (3 - 3)", "digits", ["3 - 3 = 0", "8 / 0 divides by zero"]),
    ("7", "crisps", []),
]


@pytest.mark.parametrize(("text", "game", "lines"), WORKINGS)
def test_the_working_is_in_the_order_of_precedence(text: str, game: str, lines: list[str]) -> None:
    assert working(text, game) == lines


def test_the_values_of_a_game_with_fractions_are_exact() -> None:
    game = GAMES["digits"]
    [*_, last] = steps(parse("1 : 3 x 3"), game, exact_leaf(game))
    assert (last.result, last.legal) == (Fraction(1), True)


def test_a_value_too_long_to_read_is_named_by_its_size() -> None:
    assert text_of_value(2**254) == str(2**254)
    assert text_of_value(10**5000) == "a number of about 5001 digits"


def test_a_very_long_formula_does_not_recurse() -> None:
    for operator in OPERATORS:
        tree = parse(f" {operator.name} ".join(["1"] * 2500))
        assert len(numbers_of(tree)) == 2500
        assert tree == parse(str(tree))
        assert len(text_of(tree, "polish").split()) == 4999
