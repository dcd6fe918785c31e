"""Trees: printed with as few parentheses as possible, and parsed again."""

import copy
import pickle
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given

from crisps24 import Formula, IllegalFormulaError, evaluate, parse
from crisps24.notation import trees
from tests.notation.strategies import JOINING, TREES, nested
from tests.sampling import in_one_test, some


@in_one_test(
    ("text", "printed"),
    ("(1 + 2) x 3", "(1 + 2) x 3"),
    ("1 + (2 x 3)", "1 + 2 x 3"),
    ("1 - (2 - 3)", "1 - (2 - 3)"),
    ("1 + (2 + 3)", "1 + (2 + 3)"),
    ("8 : (4 : 2)", "8 / (4 / 2)"),
    ("((((7))))", "7"),
    ("8 - (3 x (2 - 1))", "8 - 3 x (2 - 1)"),
    ("-3 + -4 x (-2 - 1)", "-3 + -4 x (-2 - 1)"),
)
def test_a_tree_is_printed_with_as_few_parentheses_as_possible(text: str, printed: str) -> None:
    assert str(parse(text, "digits")) == printed


@given(TREES)
def test_parsing_a_printed_tree_gives_the_same_tree(tree: trees.Expression) -> None:
    again = parse(str(tree), "digits")
    assert (again, nested(again), hash(again)) == (tree, nested(tree), hash(tree))
    copies = (eval(repr(tree), {"parse": parse, "Number": trees.Number}), copy.deepcopy(tree))
    assert [*map(nested, (*copies, pickle.loads(pickle.dumps(tree))))] == [nested(tree)] * 3


def test_trees_that_differ_in_grouping_are_different() -> None:
    assert parse("1 + 2 + 3") == parse("(1+2)+3", "digits") != parse("1 + (2 + 3)", "digits")
    assert parse("1 + 2") != parse("2 + 1")
    assert parse("3") != parse("3 + 0")
    # The original grouping is printed with parentheses.
    tree = parse("9 - 2 x 1 + 5", "game24")
    assert (str(tree), parse(str(tree), "digits")) == ("9 - (2 x 1 + 5)", tree)


def test_a_tree_is_split_along_its_left_edge_at_its_own_precedence() -> None:
    first, links = trees.split_chain(parse("2 x 3 - 4 : 5 + (6 - 7)", "digits"))
    split = [(each.operator.name, str(each.right)) for each in links]
    assert (str(first), split) == ("2 x 3", [("-", "4 / 5"), ("+", "6 - 7")])
    assert trees.split_chain(trees.Number(5)) == (trees.Number(5), [])


@in_one_test(
    ("numbers", "signs", "printed"),
    ((1, 2, 3), "|+", "12 + 3"),
    ((1, 2, 3), "+|", "1 + 23"),
    ((1, 2, 3, 4), "||x", "123 x 4"),
    ((0, 5), "|", "05"),
)
def test_joined_digits_are_printed_as_one_number(numbers: Any, signs: str, printed: str) -> None:
    formula = Formula(numbers, tuple(signs))
    assert (str(formula), eval(repr(formula), {"Formula": Formula})) == (printed, formula)
    assert [leaf.value for leaf in trees.numbers_of(parse(printed, JOINING))] == list(numbers)


def test_a_formula_has_an_operator_between_each_two_numbers() -> None:
    with pytest.raises(ValueError, match="invalid formula: 2 numbers and 2 operators"):
        Formula((1, 2), ("+", "+"))


@pytest.mark.parametrize("signs", some(["+:x-", "-", "+", "x", ":", "-x"], 2))
def test_a_formula_of_1500_numbers_is_copied_and_pickled(signs: str) -> None:
    text = "1" + "".join(f" {sign} 1" for sign, _ in zip(cycle(signs), range(1499), strict=False))
    tree = parse(text)
    spans = [leaf.span for leaf in trees.numbers_of(tree)]
    for again in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree), copy.copy(tree)):
        assert (again, again.span) == (tree, tree.span)
        assert [leaf.span for leaf in trees.numbers_of(again)] == spans
    assert parse(str(tree)) == tree
    assert len(trees.text_of(tree, "polish").split()) == 2999


def test_a_number_that_was_not_parsed_is_marked_at_its_start() -> None:
    with pytest.raises(IllegalFormulaError) as caught:
        evaluate(trees.Number(12), "crisps")
    error = caught.value
    assert (error.position, error.length, error.marked()) == (0, 1, "12\n^")
