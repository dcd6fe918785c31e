"""Polish notation: the output of the style can be parsed, and errors have place and reason."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given

from crisps24 import GAMES, Formula, check
from crisps24.notation.parser import parse_pattern
from crisps24.notation.statements import parse_polish
from crisps24.notation.styles import STYLES, Style
from crisps24.notation.trees import leaf_index, text_of
from crisps24.rules.exact import Exact
from tests.notation.strategies import FREE, JOINING, rows
from tests.sampling import in_one_test

POLISH = "polish"


@given(rows())
def test_joined_digits_in_polish_are_parsed_again(formula: Formula) -> None:
    tree = parse_pattern(formula.operators, JOINING)
    text = text_of(tree, POLISH, lambda leaf: str(formula.numbers[leaf_index(leaf)]))
    assert parse_polish(text, JOINING).numbers == list(formula.numbers)


@in_one_test(
    ("text", "game", "target", "value"),
    ("/ 8 - 3 / 8 3 = 24", "cards", 24, 24),
    (" x  3\t8 ", "crisps", None, 24),
    ("x Q T", "cards", None, 120),
    ("＋ １ ２ ＝ ３", "crisps", 3, 3),
    ("+8 3", "crisps", None, 11),
    ("- -8 3", "digits", None, -11),
    ("÷ 1 2 = 1/2", "digits", Fraction(1, 2), Fraction(1, 2)),
)
def test_typed_polish_is_parsed(text: str, game: str, target: Exact | None, value: Exact) -> None:
    game_of = replace(GAMES[game], numbers=(*range(-9, 14),), negatives=True)
    result = check(text, game=game_of, style=POLISH)
    assert (result.value, result.formula) == (value, text)
    assert parse_polish(text, game_of).target == target
    assert result.verdict == ("legal" if target is None else "right")


REFUSED = [
    ("", "crisps", "malformed", 0, "there is no formula"),
    ("+ 1", "crisps", "malformed", 3, "a number is missing after 1"),
    ("+ 1 2 3", "crisps", "malformed", 6, "the formula is complete before 3"),
    ("+ 1 (2)", "crisps", "malformed", 4, "'(' cannot be part of a formula"),
    ("+ 1 2 =", "crisps", "malformed", 7, "a number is missing after ="),
    ("+ 1 2 = x", "crisps", "malformed", 8, "'x' is not a number (write 24, -5, 3/4 or 0.75)"),
    ("+ 9 : 9 7", "crisps", "illegal", 4, "9 : 7 leaves a remainder of 2"),
    ("x + 1 2 3", "crisps", "illegal", 0,
     "no brackets in this game, and this needs them: (1 + 2) x 3"),
    ("+ 1 2", "game24", "illegal", 0, "this game needs exactly 4 numbers, not 2"),
    ("1" * 101, "crisps", "malformed", 0, "a number has more than 100 digits"),
    ("+ " * 101 + "1 " * 102 + "x", "digits", "malformed", 406, "the formula is complete before x"),
    ("+ 1 " * 101 + "1", "digits", "malformed", 0, "brackets are nested more than 100 deep"),
    (" " * 6_001, "crisps", "malformed", 0, "the formula has 6,001 characters (at most 6,000)"),
]  # fmt: skip


@in_one_test("case", *REFUSED)
def test_invalid_polish_is_refused_with_place_and_reason(case: Any) -> None:
    text, game, verdict, position, reason = case
    result = check(text, game=game, style=POLISH)
    assert (result.verdict, result.reason) == (verdict, reason)
    assert result.error is not None
    assert (result.error.text, result.error.position) == (text, position)


def test_numbers_have_at_most_a_hundred_digits_and_chains_are_not_nested() -> None:
    game = replace(FREE, numbers=(int("1" * 100), 1))
    assert check("1" * 100, game=game, style=POLISH).verdict == "legal"
    for depth, verdict in ((100, "legal"), (101, "malformed")):
        # On the left, each change of precedence is one pair of parentheses.
        left = "".join("x+"[index % 2] + " " for index in range(depth)) + "1 " * (depth + 1)
        for text in ("- 1 " * depth + "1", left):
            assert check(text, game=FREE, style=POLISH).verdict == verdict
    # A long chain does not recurse.
    assert check("+ " * 1499 + "1 " * 1500, game=FREE, style=POLISH).value == 1500


def test_check_accepts_readable_styles_and_refuses_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STYLES, "spoken", Style("spoken", {"x": "times"}, readable=False))
    for style in STYLES.values():
        if style.readable:
            assert check("8 - 2 = 6", style=style.name).verdict == "right"
    with pytest.raises(ValueError, match=r"invalid style .spoken. \(formulas are only printed"):
        check("8", style="spoken")
    with pytest.raises(ValueError, match="unknown style 'roman'"):
        check("8", style="roman")
