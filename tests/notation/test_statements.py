"""Statements: the cache of shapes changes neither trees nor errors."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, FormulaError, Game, check, evaluate, parse
from crisps24.notation import statements
from crisps24.notation.parser import MAX_CACHED_LENGTH, MAX_FORMULA_LENGTH, MAX_NUMBER_LENGTH
from crisps24.notation.statements import parse_statement
from crisps24.notation.trees import parts_of
from crisps24.rules.operators import OPERATORS, Operator
from tests.notation.strategies import FREE, JOINING, tree_facts
from tests.sampling import in_one_test

LETTERS = (("A", 1), ("B", 2))
READ: list[Game] = [
    *GAMES.values(),
    FREE,
    JOINING,
    replace(JOINING, letters=LETTERS),
    replace(JOINING, zero=False, negatives=False, fractions=False),
    # A letter that is also a spelling of an operator.
    replace(GAMES["cards"], letters=(("X", 10), *LETTERS)),
    replace(GAMES["crisps"], operators=("+", "-")),
]
SPACES = st.sampled_from(["", "", " ", " ", "  ", "\t", " \u00a0", "\u2003", "\u3000", "\r\n"])
NUMBERS = st.one_of(
    st.integers(0, 13).map(str),
    st.sampled_from([*"AJQKakXb", "12", "007", "00", "-3", "−12", "1" * 99, "1" * 101, "²", "٣"]),
    st.sampled_from(["１２", "1２", "- 3", "–  12", "－５", "Ｑ", "t", "9²"]),
)
SIGNS = st.sampled_from([*"-+x:-+x:−X*×·/÷|–⋅∕＋－：＊", "", "+ +", "**", "^"])
TARGETS = ["", "=", "= 24", " =  3/4", "=-5", "= −5", "=.5", "= 1/0", "= 5.", "= 1 2", "= x"]
TARGETS += ["＝ ２４", "= - 5"]
GARBAGE = st.sampled_from([*"0123456789+-x:/()[]（］＝= .,aAQ?|é*^²あ\0\1\t", "(((", ")", "\ud800"])


@st.composite
def formula_texts(draw: st.DrawFn, depth: int = 2) -> str:
    """Draw a formula with random numbers, signs and spaces."""
    parts = []
    for _ in range(draw(st.integers(1, 4))):
        operand = draw(NUMBERS)
        if depth and draw(st.integers(0, 3)) == 0:
            pair = draw(st.sampled_from(["()", "()", "[]", "（）", "([", "（)"]))
            operand = f"{pair[0]}{draw(formula_texts(depth=depth - 1))}{pair[1]}"
        parts += [draw(SPACES), operand, draw(SPACES), draw(SIGNS)]
    return "".join(parts[:-1])


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """Draw a formula, with or without a target, with up to two random changes."""
    text = draw(formula_texts()) + draw(st.sampled_from(TARGETS))
    for _ in range(draw(st.integers(0, 2))):
        column = draw(st.integers(0, len(text)))
        text = text[:column] + draw(GARBAGE) + text[column + draw(st.integers(0, 2)) :]
    return text


GARBLED = st.lists(GARBAGE, max_size=30).map("".join)
TEXTS = st.one_of(damaged(), GARBLED, st.text(max_size=MAX_CACHED_LENGTH))


@pytest.fixture(autouse=True)
def _clear_caches() -> Iterator[None]:
    yield
    statements._parse_shape.cache_clear()


def error_facts(error: FormulaError) -> tuple[Any, ...]:
    return type(error), error.text, error.position, error.length, error.reason


def parse_facts(text: str, game: Game) -> Any:
    """Return the target, the text, the tree with spans and the verdict of a text; or the error."""
    try:
        result = parse_statement(text, game)
    except FormulaError as error:
        return error_facts(error)
    numbers, operations = parts_of(result.expression)
    assert result.numbers == [leaf.value for leaf in numbers]
    assert [result.span_of(part) for part in result.leaves] == [leaf.span for leaf in numbers]
    spans = [result.span_of(part) for part in parts_of(result.tree).operations]
    assert spans == [operation.span for operation in operations]
    found = check(text, (4, 3, 8), 24, game)
    verdict = str(found), found.formula, found.error and error_facts(found.error)
    return result.target, type(result.target), result.text, tree_facts(result.expression), verdict


@given(text=TEXTS, game=st.sampled_from(READ))
def test_cached_shapes_give_the_same_parse_as_the_grammar(text: str, game: Game) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statements, "MAX_CACHED_LENGTH", -1)
        statements._parse_shape.cache_clear()
        expected = parse_facts(text, game)
        assert statements._parse_shape.cache_info().currsize == 0
    # First as a new shape, then as a cached one.
    assert [parse_facts(text, game), parse_facts(text, game)] == [expected, expected]


def test_texts_of_one_shape_are_parsed_once() -> None:
    statements._parse_shape.cache_clear()
    for texts, game in (
        (("1 + 12 x 3", "9  +  8 x\t7", " 25 + 1 x 100 ", "0 + 007 x 0"), "numble"),
        (("A x (Q - 3)", "k x (A - 10)"), "cards"),
    ):
        known = statements._parse_shape.cache_info().misses
        for text in texts:
            check(text, game=game)
        assert statements._parse_shape.cache_info().misses == known + 1
    # Each joined digit is a number, so these texts have different shapes.
    assert [evaluate(text, JOINING) for text in ("12 + 3", "1 + 23")] == [15, 24]


def test_long_texts_are_parsed_and_not_cached() -> None:
    # A longer text could have a number of too many digits.
    assert MAX_CACHED_LENGTH <= MAX_NUMBER_LENGTH
    statements._parse_shape.cache_clear()
    longest = "1" + " " * (MAX_FORMULA_LENGTH - 1)
    for text in ("1 + 2" + " " * MAX_CACHED_LENGTH, "1" * MAX_NUMBER_LENGTH, longest):
        assert check(text, game=FREE).verdict in ("legal", "illegal")
    assert check(longest + " ").reason.startswith("the formula has 6,001 characters")
    assert statements._parse_shape.cache_info().currsize == 0


@in_one_test(
    ("text", "game", "place", "reason"),
    ("  8\t:  ( 3 -  3 )", "digits", (2, 15), "8 / 0 divides by zero"),
    ("10 +  + 3", "cards", (6, 1), "a number is missing between + and +"),
    ("10 + Q k", "cards", (7, 1), "an operator is missing before k"),
    ("  10 + 2 = 1/0 ", "cards", (11, 3), "'1/0' is not a number (write 24, -5, 3/4 or 0.75)"),
    ("  12  +  3 ", "game24", (0, 11), "this game needs exactly 4 numbers, not 2"),
    ("12  -  345", JOINING, None, ""),
    ("4+(12 -  3) | 2", JOINING, (2, 9), "(12 -  3) is not a digit, and only digits can be joined"),
)
def test_error_columns_are_those_of_the_text(text: str, game: Any, place: Any, reason: str) -> None:
    for _ in range(2):
        result = check(text, game=game)
        found = result.error and (result.error.position, result.error.length)
        assert (result.reason, found) == (reason, place)


def test_a_tree_parsed_from_a_spaced_text_is_evaluated() -> None:
    assert evaluate(parse("  1   +   2  x  3"), "crisps") == 7
    with pytest.raises(FormulaError, match="1 - 2 is less than zero"):
        evaluate(parse("      1     -     2"), "crisps")


def test_added_operator_is_parsed_after_a_cached_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert check("1 ~ 3", game="digits").verdict == "malformed"
    mean = Operator("~", ("~",), 2, lambda a, b: (a + b) / 2, lambda a, b: (a[0], b[1]))
    monkeypatch.setitem(OPERATORS, "~", mean)
    assert check("1 ~ 3", game=replace(GAMES["digits"], operators=("+", "~"))).value == 2
    assert check("1 ~ 3", game="digits").verdict == "illegal"
    monkeypatch.undo()
    assert check("1 ~ 3", game="digits").verdict == "malformed"
