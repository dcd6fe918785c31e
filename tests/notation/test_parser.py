"""The grammar: the trees of texts, and the errors of texts that are not formulas."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Formula, FormulaError, MalformedFormulaError, check, evaluate, parse
from crisps24.notation.parser import FormulaParser, parse_pattern
from crisps24.notation.statements import parse_statement
from crisps24.notation.trees import Operation, leaf_index, numbers_of, text_of
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from tests.drawing_helpers import SIGNS
from tests.notation.strategies import FREE, JOINING, nested, tree_facts
from tests.sampling import in_one_test

POWERS = replace(GAMES["digits"], operators=(*GAMES["digits"].operators, "^", "√", "!"))


@in_one_test(
    ("text", "game", "at", "reason"),
    ("", "crisps", 0, "there is no formula"),
    ("1 +", "crisps", 3, "a number is missing after +"),
    ("x", "crisps", 0, "a number is missing before x"),
    ("1 + + 2", "crisps", 4, "a number is missing between + and +"),
    ("1 + 2 3", "crisps", 6, "an operator is missing before 3"),
    ("1.5 + 2", "crisps", 1, "'.' cannot be part of a formula"),
    ("٣ + 1", "crisps", 0, "'٣' cannot be part of a formula"),
    ("1\0+ 2", "crisps", 1, r"'\x00' cannot be part of a formula"),
    ("1 Q", "cards", 2, "an operator is missing before Q"),
    ("1 + = 24", "crisps", 4, "a number is missing between + and ="),
    ("1 + 2 =", "crisps", 7, "a number is missing after ="),
    ("1 + 2 = 3 = 3", "crisps", 10, "use = only once, at the end"),
    ("1 + 2 = 3 + 0", "crisps", 10, "write only a number after ="),
    ("1 + 2 = 3/0", "crisps", 8, "'3/0' is not a number (write 24, -5, 3/4 or 0.75)"),
    ("((1)", "digits", 0, "this ( is never closed"),
    ("(1 + )", "digits", 5, "a number is missing between + and )"),
    ("3 (4)", "digits", 2, "an operator is missing before ("),
    ("- - (3)", "digits", 0, "a number is missing before -"),
    ("+2", "digits", 0, "a number is missing before +"),
    ("1 + 2]", "digits", 5, "this ] has no opening bracket"),
    ("［（1］＋2）", "digits", 3, "this ] does not match the ( before it"),
    ("1 ＋ ＋ 2", "digits", 4, "a number is missing between + and +"),
    ("2 ** 3", "digits", 2, "no powers in this game (**)"),
    ("2 * * 3", "digits", 4, "a number is missing between * and *"),
    ("5² - 1", "digits", 1, "no powers in this game (²)"),
)
def test_a_text_that_is_no_formula_is_malformed(text: str, game: str, at: int, reason: str) -> None:
    with pytest.raises(MalformedFormulaError) as caught:
        parse(text, game)
    error = caught.value
    assert (error.text, error.position, error.reason) == (text, at, reason)
    assert str(error) == f"malformed: {reason}"


SPELLINGS = """8-2x6:3; 8 − 2 X 6 / 3; 8 - 2 * 6 ÷ 3; 8 - 2 · 6 : 3; 8 -  2x 6\t:\n3
; 8\u00a0- 2\u2003x 6 : 3; ８ － ２ ｘ ６ ： ３; 8　–　2　⋅　6　∕　3; ８－２＊６／３
; 8 ‒ 2 ∙ 6 ∶ 3; 8 ‐ 2 ✕ 6 ⁄ 3; 8 ➖ 2 ✖ 6 ➗ 3"""


@in_one_test("text", *SPELLINGS.split(";"))
def test_spellings_and_spaces_do_not_change_the_formula(text: str) -> None:
    assert parse(text) == parse("8 - 2 x 6 : 3")


def test_a_formula_can_state_its_target() -> None:
    targets: dict[str, Exact | None] = {"1 + 2": None, "１＋２＝３": 3, "1 + 2 = – 3": -3}
    targets |= {"1 + 2 = 0.75": Fraction(3, 4), "1 + 2 = ３∕４": Fraction(3, 4), "(1 + 2) = 4": 4}
    assert {text: parse_statement(text, GAMES["digits"]).target for text in targets} == targets


@in_one_test(
    ("text", "same"),
    ("[1 + 2] x 3", "(1 + 2) x 3"),
    ("[(1 + 2) x 3 - 4] : 5", "((1 + 2) x 3 - 4) : 5"),
    ("（1 ＋ 2) × ［3 － 4］", "(1 + 2) x (3 - 4)"),
    ("- 3 + 4", "-3 + 4"),
    ("1 - - 3", "1 - -3"),
    ("2 x –  3", "2 x -3"),
    ("(− 1)", "-1"),
)
def test_square_brackets_and_spaces_after_a_minus_are_accepted(text: str, same: str) -> None:
    assert nested(parse(text, FREE)) == nested(parse(same, FREE))


def test_t_is_ten_in_a_game_with_letters() -> None:
    assert evaluate("T x t + Ｔ", "cards") == 110
    with pytest.raises(MalformedFormulaError, match="'T' cannot be part of a formula"):
        parse("T + 1", "crisps")


def test_a_formula_has_at_most_six_thousand_characters() -> None:
    assert evaluate("1" + " " * 5_999) == 1
    with pytest.raises(MalformedFormulaError, match=r"6,001 characters \(at most 6,000"):
        parse("1" + " " * 6_000)
    with pytest.raises(MalformedFormulaError, match="1,000,000 characters"):
        parse("(" * 1_000_000)


def test_parentheses_nest_at_most_a_hundred_levels_and_sums_of_products_fifty() -> None:
    assert evaluate("(" * 100 + "1 + 2" + ")" * 100, "digits") == 3
    with pytest.raises(MalformedFormulaError, match="nested more than 100 deep") as caught:
        parse("(" * 101 + "1" + ")" * 101, "digits")
    assert caught.value.position == 100
    assert evaluate("1+1x(" * 50 + "1" + ")" * 50, FREE) == 51
    with pytest.raises(MalformedFormulaError, match="nested more than 50 deep"):
        parse("1+1x(" * 100 + "1" + ")" * 100, FREE)
    assert evaluate("+".join(["(1)"] * 1500), FREE) == 1500
    assert evaluate("(1+" * 100 + "1" + ")" * 100, FREE) == 101


PIECES = st.sampled_from(["(1)", "(2 + 3)", "((4))", "5", "+", "-", " x ", "(", ")"])


@given(st.lists(PIECES, max_size=8).map("".join))
def test_every_number_of_the_text_is_in_the_tree(text: str) -> None:
    try:
        tree = parse(text, FREE)
    except FormulaError:
        return
    written = [*map(int, re.findall("[0-9]+", text))]
    assert [abs(number.value) for number in numbers_of(tree)] == written


@in_one_test(
    ("text", "tree"),
    ("12 + 3", ("+", ("|", 1, 2), 3)),
    ("123", ("|", ("|", 1, 2), 3)),
    ("1|23", ("|", ("|", 1, 2), 3)),
    ("12 x 34", ("x", ("|", 1, 2), ("|", 3, 4))),
    ("05", ("|", 0, 5)),
    ("-5 + 12", ("+", -5, ("|", 1, 2))),
    ("0", 0),
)
def test_a_number_is_parsed_as_joined_digits_in_a_game_that_joins(text: str, tree: Any) -> None:
    assert nested(parse(text, JOINING)) == tree


def test_each_joined_digit_has_its_own_span() -> None:
    tree = parse(" 12 + 345", JOINING)
    assert [leaf.span for leaf in numbers_of(tree)] == [(1, 2), (2, 3), (6, 7), (7, 8), (8, 9)]
    assert isinstance(tree, Operation)
    assert (tree.left.span, tree.right.span, tree.span) == ((1, 3), (6, 9), (1, 9))


@in_one_test(("text", "shown"), ("1 | (2 + 3)", "(2 + 3)"), ("4 + (1) | 2", "(1)"), ("1|-2", "-2"))
def test_joining_anything_except_digits_is_illegal(text: str, shown: str) -> None:
    error: Any = check(text, game=JOINING).error
    assert error.reason == f"{shown} is not a digit, and only digits can be joined"
    assert (error.code, error.position, error.length) == ("number", text.index(shown), len(shown))


def test_the_join_sign_is_malformed_in_a_game_that_does_not_join() -> None:
    errors: list[Any] = [check(text, game=FREE).error for text in ("1 | 2", "1 + | 2")]
    both = [(error.reason, error.position) for error in errors]
    assert both == [("'|' cannot be part of a formula", place) for place in (2, 4)]
    with pytest.raises(MalformedFormulaError, match=r"a number is missing between \| and \|"):
        parse("1 | | 2", JOINING)


def test_a_number_has_at_most_a_hundred_digits() -> None:
    assert evaluate("|".join(["12"] * 50), JOINING) == int("12" * 50)
    assert check("1" * 100).verdict == "illegal"
    for game in (GAMES["crisps"], JOINING):
        assert check("1" * 101, game=game).reason == "a number has more than 100 digits"


@given(st.lists(st.sampled_from(SIGNS), max_size=8))
def test_a_pattern_is_the_tree_of_its_row_with_positions_as_numbers(operators: list[str]) -> None:
    tree = parse_pattern(tuple(operators), JOINING)
    digits = [position % 9 + 1 for position in range(len(operators) + 1)]
    assert [leaf.value for leaf in numbers_of(tree)] == list(range(len(digits)))
    text = text_of(tree, "cards", lambda leaf: str(digits[leaf_index(leaf)]))
    assert text == text_of(parse(str(Formula(tuple(digits), tuple(operators))), JOINING))


@in_one_test(
    ("game", "most", "operands"),
    (GAMES["crisps"], 4, ("1", "-2")),
    (JOINING, 3, ("1", "-2", "1|2", "34")),
    (POWERS, 2, ("1", "-2", "√4", "3!", "√√4", "-√3!", "2^-3", "2^3^2")),
)
def test_parser_equals_the_grammar(game: Game, most: int, operands: tuple[str, ...]) -> None:
    signs = [sign for sign in "+-x:^" if sign in {*game.operators}]
    for size in range(1, most + 1):
        for words in product(*[operands, signs] * (size - 1), operands):
            text = " ".join(words)
            both = [FormulaParser(text, game, joins_digits=game.join) for _ in range(2)]
            by_grammar, by_parser = both
            tree = by_grammar.parse_by_grammar()
            assert tree is not None
            assert tree_facts(tree) == tree_facts(by_parser.parse_expression()), text
            assert by_grammar.number_spans == by_parser.number_spans, text
            assert by_grammar.column == by_parser.column == len(text), text


def test_positions_of_two_digits_in_a_pattern_are_not_split() -> None:
    tree = parse_pattern(("+",) * 11 + ("|",), JOINING)
    assert [leaf.value for leaf in numbers_of(tree)] == list(range(13))
    assert isinstance(tree, Operation)
    assert nested(tree.right) == ("|", 11, 12)


def test_a_pattern_has_the_grouping_of_its_game() -> None:
    operators = ("-", "x", "+")
    assert nested(parse_pattern(operators, GAMES["crisps"])) == ("+", ("-", 0, ("x", 1, 2)), 3)
    assert nested(parse_pattern(operators, GAMES["game24"])) == ("-", 0, ("+", ("x", 1, 2), 3))
