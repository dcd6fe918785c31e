"""Styles: expressions printed in every style, and parsed again from the readable ones."""

import re
from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Formula, check, parse
from crisps24.notation.checking import working
from crisps24.notation.statements import _parse_shape
from crisps24.notation.styles import INLINE_STYLES, STYLES, style_by_name
from crisps24.notation.trees import Expression, Number, text_of
from crisps24.rules.exact import Exact
from crisps24.rules.operators import OPERATORS
from tests.notation.strategies import JOINING, TREES, nested, rows
from tests.sampling import in_one_test

READABLE = st.sampled_from([style.name for style in STYLES.values() if style.readable])


def test_a_tree_is_printed_in_every_style() -> None:
    # Digits are joined without a sign.
    tree = parse("8:(3-8:3)x12+1", JOINING)
    assert {name: text_of(tree, name) for name in STYLES} == {
        "crisps": "8 : (3 - 8 : 3) x 12 + 1",
        "cards": "8 / (3 - 8 / 3) x 12 + 1",
        "ascii": "8 / (3 - 8 / 3) * 12 + 1",
        "unicode": "8 ÷ (3 − 8 ÷ 3) × 12 + 1",
        "colon": "8 : (3 − 8 : 3) × 12 + 1",
        "dot": "8 : (3 − 8 : 3) · 12 + 1",
        "polish": "+ x / 8 - 3 / 8 3 12 1",
        "latex": r"\frac{8}{3 - \frac{8}{3}} \times 12 + 1",
    }


@given(TREES, READABLE)
def test_every_readable_style_can_be_parsed_again(tree: Expression, style: str) -> None:
    assert nested(parse(text_of(tree, style), "digits")) == nested(tree)


@given(rows(), READABLE)
def test_joined_digits_are_parsed_again_in_readable_styles(formula: Formula, style: str) -> None:
    tree = parse(str(formula), JOINING)
    assert nested(parse(text_of(tree, style), JOINING)) == nested(tree)


@in_one_test(
    ("text", "printed"),
    ("2 x (3 - (4 - 1))", r"2 \times \left(3 - \left(4 - 1\right)\right)"),
    ("(1 + 2) / (3 x 4)", r"\frac{1 + 2}{3 \times 4}"),
    ("2 x (3 / 4)", r"2 \times \frac{3}{4}"),
    ("1 / 2 / 3 x 4", r"\frac{\frac{1}{2}}{3} \times 4"),
    ("1 / (2 / 3)", r"\frac{1}{\frac{2}{3}}"),
    ("1 - (2 - 3) / 4", r"1 - \frac{2 - 3}{4}"),
)
def test_a_latex_fraction_needs_no_parentheses_inside(text: str, printed: str) -> None:
    assert text_of(parse(text, "digits"), "latex") == printed


@in_one_test(
    ("style", "value", "result", "operand"),
    ("cards", 8, "8", "8"),
    ("cards", Fraction(8, 3), "8/3", "(8/3)"),
    ("latex", -8, "-8", "-8"),
    ("latex", Fraction(-1, 3), r"-\frac{1}{3}", r"\left(-\frac{1}{3}\right)"),
)
def test_fraction_operand_is_bracketed(style: str, value: Exact, result: str, operand: str) -> None:
    found = STYLES[style]
    assert (found.format_value(value), found.format_operand(value)) == (result, operand)


def test_a_working_is_printed_in_latex() -> None:
    game, half = replace(GAMES["digits"], style="latex"), r"\frac{1}{2}"
    for sign, last in (
        ("x", r"\left(-\frac{1}{2}\right) \times 3 = -\frac{3}{2}"),
        ("/", r"\frac{-\frac{1}{2}}{3} = -\frac{1}{6}"),
    ):
        steps = [f"{half} = {half}", f"{half} - 1 = -{half}", last]
        assert working(f"(1 / 2 - 1) {sign} 3", game) == steps


def test_the_style_of_a_game_does_not_change_its_identity_or_the_cache() -> None:
    cards = GAMES["cards"]
    restyled = replace(cards, style="unicode")
    assert (restyled, hash(restyled)) == (cards, hash(cards))
    known = _parse_shape.cache_info().currsize
    texts = ["8 / 3 x 3 + 77", "8 / 3 x 3 + 78"]
    assert [str(parse(text, cards)) for text in texts] == texts
    assert [str(parse(text, restyled)) for text in texts] == ["8 ÷ 3 × 3 + 77", "8 ÷ 3 × 3 + 78"]
    assert _parse_shape.cache_info().currsize <= known + 1
    reason = "2 ÷ 4 leaves a remainder of 2"
    assert check("2 / 4 + 75", game="countdown", style="unicode").reason == reason
    assert check("2 / 4 + 75", game="countdown").reason == reason.replace("÷", "/")


def test_numbers_have_the_minus_sign_of_their_style() -> None:
    for name in INLINE_STYLES:
        sign = style_by_name(name).sign(OPERATORS["-"])
        lines = working("(5 - 9) : 3 + (-2)", "digits", style=name)
        assert {*re.findall("[-−]", "".join(lines))} == {sign}, lines
        assert text_of(Number(-4), name) == f"{sign}4"
    assert style_by_name("latex").format_value(Fraction(-4, 3)) == r"-\frac{4}{3}"
