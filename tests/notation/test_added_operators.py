"""Operators that a record adds: they are parsed, printed, evaluated and refused without code."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from crisps24 import GAMES, FormulaError, Game, MalformedFormulaError, check, evaluate, parse
from crisps24.notation.checking import working
from crisps24.notation.parser import parse_pattern
from crisps24.rules.operators import OPERATORS, Operator
from tests.hands import dealing
from tests.notation.strategies import nested
from tests.sampling import in_one_test

# The mean of two numbers, with the precedence of `x`; whole in games without fractions.
MEAN = replace(dealing.MEAN, stays_positive=True, signs={"latex": r"\sim"})

# The smaller of two numbers, spelled in letters, with the lowest precedence.
LEAST = Operator(
    "m",
    ("min", "m"),
    0,
    min,
    lambda left, right: (min(left[0], right[0]), min(left[1], right[1])),
    commutes=True,
    stays_positive=True,
    takes_columns=True,
    signs=dict.fromkeys(("crisps", "cards", "ascii", "unicode"), "min"),
)


@pytest.fixture(autouse=True)
def _added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for operator in (MEAN, LEAST):
        monkeypatch.setitem(OPERATORS, operator.name, operator)
    yield
    parse_pattern.cache_clear()


def playing(name: str, *more: str, **fields: Any) -> Game:
    return replace(GAMES[name], operators=(*GAMES[name].operators, *more), **fields)


@in_one_test(
    ("text", "tree"),
    ("1 ~ 3", ("~", 1, 3)),
    ("1mean3", ("~", 1, 3)),
    ("5 + 1 ~ 3", ("+", 5, ("~", 1, 3))),
    ("2 x 4 ~ 6 : 7", (":", ("~", ("x", 2, 4), 6), 7)),
    ("2 ~ (4 ~ 6)", ("~", 2, ("~", 4, 6))),
    ("1 + 2 min 3 x 4", ("m", ("+", 1, 2), ("x", 3, 4))),
    ("2 ** 3 * 4", ("x", ("^", 2, 3), 4)),
    ("2**3*4**2", ("x", ("^", 2, 3), ("^", 4, 2))),
)
def test_an_added_operator_has_its_precedence_in_any_spelling(text: str, tree: Any) -> None:
    assert nested(parse(text, playing("digits", "~", "m", "^"))) == tree


def test_letters_of_operators_and_of_cards_are_distinguished() -> None:
    texts = ("A mean K", "Amink", "a mean a min j")
    trees = [nested(parse(text, playing("cards", "~", "m"))) for text in texts]
    assert trees == [("~", 1, 13), ("m", 1, 13), ("m", ("~", 1, 1), 11)]


@in_one_test(
    ("text", "column", "reason"),
    ("min 1", 0, "a number is missing before min"),
    ("1 + min 2", 4, "a number is missing between + and min"),
    ("1 min mean 2", 6, "a number is missing between min and mean"),
    ("2 ** ** 3", 5, "a number is missing between ** and **"),
)
def test_error_of_missing_number_quotes_the_sign(text: str, column: int, reason: str) -> None:
    with pytest.raises(MalformedFormulaError) as caught:
        parse(text, playing("digits", "~", "m", "^"))
    assert (caught.value.position, caught.value.reason) == (column, reason)


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
    error: Any = check("1 + 2 mean 4", game="crisps").error
    assert error.reason == "~ is not in this game (only - + x :)"
    assert (error.code, error.position, error.length) == ("operator", 6, 4)


def test_a_removed_operator_is_unknown_again(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "~m":
        monkeypatch.delitem(OPERATORS, name)
    for text in ("1 ~ 3", "1 mean 3", "1 min 3"):
        with pytest.raises(FormulaError, match="cannot be part of a formula"):
            parse(text, "digits")
    with pytest.raises(ValueError, match="unknown operator '~'"):
        playing("crisps", "~")
