"""Operators that a record adds: they are parsed, printed, evaluated and refused without code."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import (
    GAMES,
    FormulaError,
    Game,
    IllegalFormulaError,
    MalformedFormulaError,
    check,
    evaluate,
    parse,
)
from crisps24.notation.checking import working
from crisps24.notation.evaluation import Violation, evaluate_tree
from crisps24.notation.grammar import parse_pattern
from crisps24.notation.styles import STYLES
from crisps24.notation.trees import Expression, Number, Operation, leaf_index, text_of
from crisps24.rules.exact import Exact
from crisps24.rules.operators import OPERATORS, Operator
from crisps24.rules.ratios import Ratios
from crisps24.rules.words import format_operators, parse_operators
from tests.hands import dealing
from tests.notation.strategies import nested, number_in, rows_of_columns
from tests.sampling import in_one_test

# The mean of two numbers, with the precedence of `x`; whole in games without fractions.
MEAN = replace(dealing.MEAN, stays_positive=True, signs={"latex": r"\sim"})


def least_of(left: Any, right: Any) -> Any:
    """Return the smaller of two values, numbers or columns."""
    if isinstance(left, Ratios):
        smaller = left <= right
        tops = np.where(smaller, left.numerators, right.numerators)
        return Ratios(tops, np.where(smaller, left.denominators, right.denominators))
    return np.minimum(left, right) if isinstance(left, np.ndarray) else min(left, right)


# The smaller of two numbers, spelled in letters, with the lowest precedence.
LEAST = Operator(
    "m",
    ("min", "m"),
    0,
    least_of,
    lambda left, right: (min(left[0], right[0]), min(left[1], right[1])),
    commutes=True,
    stays_positive=True,
    rational=False,
    signs=dict.fromkeys(("crisps", "cards", "ascii", "unicode"), "min"),
)
# Its spelling ** starts with the spelling * of an operator of lower precedence.
POWER = Operator(
    "^",
    ("**", "^"),
    3,
    lambda left, right: left**right,
    lambda left, right: (min(0, left[0]), max(map(abs, left)) ** right[1]),
    signs=dict.fromkeys(STYLES, "**"),
)


@pytest.fixture(autouse=True)
def _added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for operator in (MEAN, LEAST, POWER):
        monkeypatch.setitem(OPERATORS, operator.name, operator)
    yield
    parse_pattern.cache_clear()


def playing(name: str, *more: str, **fields: Any) -> Game:
    game = GAMES[name]
    return replace(game, operators=(*game.operators, *more), **fields)


@in_one_test(
    ("text", "tree"),
    [
        ("1 ~ 3", ("~", 1, 3)),
        ("1~3", ("~", 1, 3)),
        ("1 mean 3", ("~", 1, 3)),
        ("1mean3", ("~", 1, 3)),
        ("5 + 1 ~ 3", ("+", 5, ("~", 1, 3))),
        ("2 x 4 ~ 6 : 7", (":", ("~", ("x", 2, 4), 6), 7)),
        ("2 ~ (4 ~ 6)", ("~", 2, ("~", 4, 6))),
        ("1 + 2 min 3 x 4", ("m", ("+", 1, 2), ("x", 3, 4))),
        ("1 min 2 min 3", ("m", ("m", 1, 2), 3)),
        ("2 ** 3 * 4", ("x", ("^", 2, 3), 4)),
        ("2**3*4**2", ("x", ("^", 2, 3), ("^", 4, 2))),
        ("2 * 3 ** 4", ("x", 2, ("^", 3, 4))),
    ],
)
def test_an_added_operator_is_parsed_by_its_precedence_in_any_spelling(
    text: str, tree: Any
) -> None:
    assert nested(parse(text, playing("digits", "~", "m", "^"))) == tree


def test_letters_of_operators_and_of_cards_are_distinguished() -> None:
    texts = ("A mean K", "Amink", "a mean a min j")
    trees = [nested(parse(text, playing("cards", "~", "m"))) for text in texts]
    assert trees == [("~", 1, 13), ("m", 1, 13), ("m", ("~", 1, 1), 11)]


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("1 mean", 6, "a number is missing after mean"),
        ("min 1", 0, "a number is missing before min"),
        ("1 + min 2", 4, "a number is missing between + and min"),
        ("1 min + 2", 6, "a number is missing between min and +"),
        ("1 min mean 2", 6, "a number is missing between min and mean"),
        ("1 gcd 2", 2, "'g' cannot be part of a formula"),
        ("2 ** ** 3", 5, "a number is missing between ** and **"),
    ],
)
def test_the_error_of_a_missing_number_quotes_the_complete_sign(
    text: str, column: int, reason: str
) -> None:
    with pytest.raises(MalformedFormulaError) as caught:
        parse(text, playing("digits", "~", "m", "^"))
    assert (caught.value.position, caught.value.reason) == (column, reason)


def test_an_added_operator_is_printed_in_every_style() -> None:
    tree = parse("(2 + 4) ~ (6 ~ 8) - 1", playing("digits", "~"))
    assert {name: text_of(tree, name) for name in STYLES} == {
        **dict.fromkeys(("crisps", "cards", "ascii"), "(2 + 4) ~ (6 ~ 8) - 1"),
        **dict.fromkeys(("unicode", "colon", "dot"), "(2 + 4) ~ (6 ~ 8) − 1"),
        "polish": "- ~ + 2 4 ~ 6 8 1",
        "latex": r"\left(2 + 4\right) \sim \left(6 \sim 8\right) - 1",
    }
    tree = parse("(2 min 4) x 6 min 8", playing("digits", "m"))
    assert text_of(tree, "unicode") == "(2 min 4) × 6 min 8"
    assert text_of(tree, "polish") == "m x m 2 4 6 8"


def trees() -> st.SearchStrategy[Expression]:
    signs = st.sampled_from([*(OPERATORS[name] for name in "-+x:"), MEAN, LEAST])
    return st.recursive(
        st.builds(Number, st.integers(0, 9)),
        lambda parts: st.builds(Operation, signs, parts, parts),
        max_leaves=6,
    )


@given(st.data())
def test_every_readable_style_can_be_parsed_again(data: st.DataObject) -> None:
    tree = data.draw(trees())
    for style in STYLES.values():
        if style.readable:
            assert nested(parse(text_of(tree, style.name), "digits")) == nested(tree)


def expected_value(tree: Expression, row: list[int], fractions: bool) -> Exact | None:
    """Return the value of an expression by rules of this module; None if it is illegal."""
    if isinstance(tree, Number):
        return Fraction(row[leaf_index(tree)])
    left, right = (expected_value(part, row, fractions) for part in (tree.left, tree.right))
    if left is None or right is None or (tree.operator.name == ":" and right == 0):
        return None
    results: dict[str, Callable[[], Exact]] = {
        "-": lambda: left - right,
        "+": lambda: left + right,
        "x": lambda: left * right,
        ":": lambda: left / Fraction(right),
        "~": lambda: Fraction(left + right) / 2,
        "m": lambda: min(left, right),
    }
    value = results[tree.operator.name]()
    return value if value >= 0 and (fractions or value.denominator == 1) else None


@pytest.mark.parametrize("fractions", [False, True])
@given(data=st.data())
def test_numbers_and_columns_give_the_values_of_independent_rules(
    fractions: bool, data: st.DataObject
) -> None:
    game = playing("make10", "~", "m", negatives=False, fractions=fractions)
    tree = data.draw(trees())
    digits = st.lists(st.integers(0, 9), min_size=10, max_size=10)
    rows = data.draw(st.lists(digits, min_size=1, max_size=9))
    expected = [expected_value(tree, row, fractions) for row in rows]
    outcome = [evaluate_tree(tree, game, number_in(row)) for row in rows]
    assert [None if isinstance(value, Violation) else value for value in outcome] == expected
    assert rows_of_columns(tree, game, rows, fractions) == expected


def test_an_illegal_step_is_reported_by_the_rule_of_the_operator() -> None:
    game = playing("crisps", "~")
    assert check("1 ~ 3 = 2", game=game).verdict == "right"
    outcome = check("5 x 1 + 1 ~ 2", game=game)
    assert (outcome.verdict, outcome.reason) == ("illegal", "1 ~ 2 is not a whole number")
    assert outcome.error is not None
    assert (outcome.error.position, outcome.error.length) == (8, 5)
    assert working("5 x 1 + 1 ~ 2", game) == ["5 x 1 = 5", "1 ~ 2 is not a whole number"]
    assert evaluate("1 ~ 2", playing("digits", "~")) == Fraction(3, 2)
    lines = [r"1 \sim 2 = \frac{3}{2}", r"\frac{3}{2} \times 3 = \frac{9}{2}"]
    assert working("1 ~ 2 x 3", playing("digits", "~", style="latex")) == lines
    assert check("0 ~ 0", game=playing("make10", "~", zero=False)).reason == "0 ~ 0 is zero"


def test_an_operator_that_the_game_lacks_is_illegal_and_marked() -> None:
    with pytest.raises(IllegalFormulaError) as caught:
        evaluate("1 + 2 mean 4", "crisps")
    assert caught.value.reason == "~ is not in this game (only - + x :)"
    assert (caught.value.position, caught.value.length) == (6, 4)


def test_an_added_operator_is_parsed_and_formatted_in_lists() -> None:
    assert parse_operators("mean+min") == ("~", "+", "m")
    assert parse_operators("~ - min") == ("~", "-", "m")
    assert parse_operators("*** ") == ("^", "x")
    assert format_operators(OPERATORS) == "- + x : ~ m ^"
    assert playing("crisps", "m", "~").operators == ("-", "+", "x", ":", "~", "m")


def test_a_removed_operator_is_unknown_again(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "~m^":
        monkeypatch.delitem(OPERATORS, name)
    for text in ("1 ~ 3", "1 mean 3", "1 min 3"):
        with pytest.raises(FormulaError, match="cannot be part of a formula"):
            parse(text, "digits")
    with pytest.raises(ValueError, match="unknown operator '~'"):
        playing("crisps", "~")
