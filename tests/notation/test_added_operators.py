"""An operator that is added to the table, and nothing else: read, printed, worked out, refused."""

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
from crisps24.notation.evaluation import Violation, evaluate_tree, evaluation_steps
from crisps24.notation.grammar import parse_pattern
from crisps24.notation.styles import STYLES
from crisps24.notation.trees import Expression, Number, Operation, text_of
from crisps24.rules.exact import Exact
from crisps24.rules.operators import OPERATORS, Operator
from crisps24.rules.ratios import Column, Ratios, exact_values, make_column
from crisps24.rules.words import format_operators, parse_operators
from tests.hands import dealing
from tests.notation.drawn import nested, number_in

# The mean of two numbers: it binds as `x` does, and has to be whole where fractions are not.
MEAN = replace(dealing.MEAN, stays_positive=True, signs={"latex": r"\sim"})


def least_of(left: Any, right: Any) -> Any:
    """Return the smaller of two values, numbers or columns."""
    if isinstance(left, Ratios):
        smaller = left <= right
        tops = np.where(smaller, left.numerators, right.numerators)
        return Ratios(tops, np.where(smaller, left.denominators, right.denominators))
    return np.minimum(left, right) if isinstance(left, np.ndarray) else min(left, right)


# The smaller of two numbers, spelled in letters; it binds loosest of all.
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
# Its spelling begins as that of another operator, which binds less tightly.
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
    """Return a game with more operators than it has."""
    game = GAMES[name]
    return replace(game, operators=(*game.operators, *more), **fields)


@pytest.mark.parametrize(
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
def test_it_is_read_in_any_spelling_where_its_precedence_puts_it(text: str, tree: Any) -> None:
    assert nested(parse(text, playing("digits", "~", "m", "^"))) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("A mean K", ("~", 1, 13)),
        ("A min K", ("m", 1, 13)),
        ("Amink", ("m", 1, 13)),
        ("a mean a min j", ("m", ("~", 1, 1), 11)),
    ],
)
def test_its_letters_and_those_of_the_cards_are_told_apart(text: str, tree: Any) -> None:
    assert nested(parse(text, playing("cards", "~", "m"))) == tree


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
def test_a_missing_number_is_told_with_the_whole_sign(text: str, column: int, reason: str) -> None:
    with pytest.raises(MalformedFormulaError) as caught:
        parse(text, playing("digits", "~", "m", "^"))
    assert (caught.value.position, caught.value.reason) == (column, reason)


def test_it_is_printed_in_every_style() -> None:
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
    """Draw expressions of all operators, those that are added among them."""
    signs = st.sampled_from([*(OPERATORS[name] for name in "-+x:"), MEAN, LEAST])
    return st.recursive(
        st.builds(Number, st.integers(0, 9)),
        lambda parts: st.builds(Operation, signs, parts, parts),
        max_leaves=6,
    )


@given(st.data())
def test_every_style_that_says_so_can_be_read_again(data: st.DataObject) -> None:
    tree = data.draw(trees())
    for style in STYLES.values():
        if style.readable:
            assert nested(parse(text_of(tree, style.name), "digits")) == nested(tree)


def by_hand(tree: Expression, row: list[int], fractions: bool) -> Exact | None:
    """Work an expression out with rules of its own: None where it is illegal."""
    if isinstance(tree, Number):
        return Fraction(row[tree.value])
    left, right = by_hand(tree.left, row, fractions), by_hand(tree.right, row, fractions)
    if left is None or right is None or (tree.operator.name == ":" and right == 0):
        return None
    made: dict[str, Callable[[], Exact]] = {
        "-": lambda: left - right,
        "+": lambda: left + right,
        "x": lambda: left * right,
        ":": lambda: left / Fraction(right),
        "~": lambda: Fraction(left + right) / 2,
        "m": lambda: min(left, right),
    }
    value = made[tree.operator.name]()
    return value if value >= 0 and (fractions or value.denominator == 1) else None


@pytest.mark.parametrize("fractions", [False, True])
@given(data=st.data())
def test_it_is_worked_out_on_numbers_and_on_columns(fractions: bool, data: st.DataObject) -> None:
    game = playing("make10", "~", "m", negatives=False, fractions=fractions)
    tree = data.draw(trees())
    digits = st.lists(st.integers(0, 9), min_size=10, max_size=10)
    rows = data.draw(st.lists(digits, min_size=1, max_size=9))
    expected = [by_hand(tree, row, fractions) for row in rows]
    found = [evaluate_tree(tree, game, number_in(row)) for row in rows]
    assert [None if isinstance(each, Violation) else each for each in found] == expected
    columns = [make_column(values, fractions, np.int64) for values in zip(*rows, strict=True)]
    results: Column = columns[tree.value] if isinstance(tree, Number) else columns[0]
    legal = np.ones(len(rows), bool)
    for step in evaluation_steps(tree, game, lambda leaf: columns[leaf.value]):
        legal &= step.legal
        results = step.result
    assert legal.tolist() == [value is not None for value in expected]
    values = [value for value, good in zip(exact_values(results), legal, strict=True) if good]
    assert values == [value for value in expected if value is not None]


def test_what_it_breaks_is_told_by_its_own_rule() -> None:
    whole = playing("crisps", "~")
    assert check("1 ~ 3 = 2", game=whole).verdict == "right"
    found = check("5 x 1 + 1 ~ 2", game=whole)
    assert (found.verdict, found.reason) == ("illegal", "1 ~ 2 is not a whole number")
    assert found.error is not None
    assert (found.error.position, found.error.length) == (8, 5)
    assert working("5 x 1 + 1 ~ 2", whole) == ["5 x 1 = 5", "1 ~ 2 is not a whole number"]
    assert evaluate("1 ~ 2", playing("digits", "~")) == Fraction(3, 2)
    assert working("1 ~ 2 x 3", playing("digits", "~", style="latex")) == [
        r"1 \sim 2 = \frac{3}{2}",
        r"\frac{3}{2} \times 3 = \frac{9}{2}",
    ]
    assert check("0 ~ 0", game=playing("make10", "~", zero=False)).reason == "0 ~ 0 is zero"


def test_a_game_that_does_not_have_it_says_so_and_marks_its_sign() -> None:
    with pytest.raises(IllegalFormulaError) as caught:
        evaluate("1 + 2 mean 4", "crisps")
    assert caught.value.reason == "~ is not in this game (only - + x :)"
    assert (caught.value.position, caught.value.length) == (6, 4)


def test_it_is_among_the_operators_that_are_read_and_written() -> None:
    assert parse_operators("mean+min") == ("~", "+", "m")
    assert parse_operators("~ - min") == ("~", "-", "m")
    assert parse_operators("*** ") == ("^", "x")
    assert format_operators(OPERATORS) == "- + x : ~ m ^"
    assert playing("crisps", "m", "~").operators == ("-", "+", "x", ":", "~", "m")


def test_it_is_gone_again_where_it_is_not_added(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "~m^":
        monkeypatch.delitem(OPERATORS, name)
    for text in ("1 ~ 3", "1 mean 3", "1 min 3"):
        with pytest.raises(FormulaError, match="cannot be part of a formula"):
            parse(text, "digits")
    with pytest.raises(ValueError, match="unknown operator '~'"):
        playing("crisps", "~")
