"""Text to tree: what is read, and what is said where it cannot be."""

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import (
    FormulaError,
    Game,
    IllegalFormulaError,
    MalformedFormulaError,
    check,
    evaluate,
    formulas,
    parse,
)
from crisps24.notation.grammar import parse_statement
from crisps24.notation.trees import numbers_of
from crisps24.rules.games import Exact

# Any digit, any rule: what is left to go wrong is the text itself, and dividing by zero.
FREE = Game("free", tuple(range(10)), 4, parentheses=True, fractions=True, negatives=True)

MALFORMED: list[tuple[str, str, int, str]] = [
    ("", "crisps", 0, "there is no formula"),
    ("   ", "crisps", 3, "there is no formula"),
    ("1 +", "crisps", 3, "a number is missing after +"),
    ("1 + ", "crisps", 4, "a number is missing after +"),
    ("+ 1", "crisps", 0, "a number is missing before +"),
    ("x", "crisps", 0, "a number is missing before x"),
    ("1 + x 2", "crisps", 4, "a number is missing between + and x"),
    ("1 + + 2", "crisps", 4, "a number is missing between + and +"),
    ("1 2", "crisps", 2, "an operator is missing before 2"),
    ("1 + 2 3", "crisps", 6, "an operator is missing before 3"),
    ("a + b", "crisps", 0, "'a' is not part of a formula"),
    ("1 + b", "crisps", 4, "'b' is not part of a formula"),
    ("1.5 + 2", "crisps", 1, "'.' is not part of a formula"),
    ("1e5", "crisps", 1, "'e' is not part of a formula"),
    ("1_0", "crisps", 1, "'_' is not part of a formula"),
    ("1 + ²", "crisps", 4, "'²' is not part of a formula"),
    ("٣ + 1", "crisps", 0, "'٣' is not part of a formula"),
    ("1\0+ 2", "crisps", 1, r"'\x00' is not part of a formula"),
    ("Q + 1", "crisps", 0, "'Q' is not part of a formula"),
    ("1 Q", "cards", 2, "an operator is missing before Q"),
    ("= 24", "crisps", 0, "a number is missing before ="),
    ("1 + = 24", "crisps", 4, "a number is missing between + and ="),
    ("1 + 2 =", "crisps", 7, "after = comes a target, and nothing more"),
    ("1 + 2 = 3 = 3", "crisps", 10, "after = comes a target, and nothing more"),
    ("1 + 2 = 3 + 0", "crisps", 10, "after = comes a target, and nothing more"),
    ("1 + 2 = x", "crisps", 8, "after = comes a target, and nothing more"),
    ("1 + 2 = 3/0", "crisps", 8, "'3/0' is not a number: 24, -5, 3/4 or 0.75 would be"),
    ("(1 + 2", "digits", 0, "this ( is never closed"),
    ("((1)", "digits", 0, "this ( is never closed"),
    ("1 + 2)", "digits", 5, "this ) closes nothing"),
    ("(1 + 2", "crisps", 0, "this ( is never closed"),
    ("()", "digits", 1, "a number is missing between ( and )"),
    ("(1 + )", "digits", 5, "a number is missing between + and )"),
    ("3 (4)", "digits", 2, "an operator is missing before ("),
    ("(3) 4", "digits", 4, "an operator is missing before 4"),
    ("(1) (2)", "digits", 4, "an operator is missing before ("),
    ("(1)(2)", "digits", 3, "an operator is missing before ("),
    ("2 x (3)((4))", "digits", 7, "an operator is missing before ("),
    ("- (3)", "digits", 0, "a number is missing before -"),
]

ILLEGAL: list[tuple[str, str, int, int, str]] = [
    ("9 : 7 + 2 x 3", "crisps", 0, 5, "9 : 7 leaves a remainder of 2"),
    ("1 + 9 : 7", "crisps", 4, 5, "9 : 7 leaves a remainder of 2"),
    ("3 : 2 x 4", "crisps", 0, 5, "3 : 2 leaves a remainder of 1"),
    ("2 x 3 x 3 : 4", "crisps", 0, 13, "18 : 4 leaves a remainder of 2"),
    ("1 - 2 + 3", "crisps", 0, 5, "1 - 2 goes below zero"),
    ("3 + 1 - 2 x 4", "crisps", 0, 13, "4 - 8 goes below zero"),
    ("12 + 1", "crisps", 0, 2, "12 is not a number of crisps (1..9)"),
    ("1 + 0", "crisps", 4, 1, "0 is not a number of crisps (1..9)"),
    ("1 - -2", "crisps", 4, 2, "-2 is not a number of crisps (1..9)"),
    ("1 + 11", "numble", 4, 2, "11 is not a number of numble (1..10,25,50,75,100)"),
    ("(1 + 2) x 3", "crisps", 0, 1, "crisps has no parentheses"),
    ("1 + (2 x 3)", "game24", 4, 1, "game24 has no parentheses"),
    ("9 + 1 x 2 - 5", "game24", 4, 9, "2 - 5 goes below zero"),
    ("1 + 2", "game24", 0, 5, "game24 is defined for four numbers only; here are 2"),
    ("8 : (3 - 3)", "digits", 0, 11, "8 / 0 divides by zero"),
]


@pytest.mark.parametrize(("text", "game", "position", "reason"), MALFORMED)
def test_what_is_no_formula_is_malformed_and_says_where_and_why(
    text: str, game: str, position: int, reason: str
) -> None:
    with pytest.raises(MalformedFormulaError) as caught:
        parse(text, game)
    error = caught.value
    assert (error.text, error.position, error.reason) == (text, position, reason)
    assert str(error) == f"malformed: {reason}"


@pytest.mark.parametrize(("text", "game", "position", "length", "reason"), ILLEGAL)
def test_what_breaks_a_rule_is_illegal_and_says_where_and_why(
    text: str, game: str, position: int, length: int, reason: str
) -> None:
    with pytest.raises(IllegalFormulaError) as caught:
        evaluate(text, game)
    error = caught.value
    assert (error.text, error.position, error.length) == (text, position, length)
    assert error.reason == reason


def test_both_kinds_are_formula_errors_and_value_errors() -> None:
    for kind in (MalformedFormulaError, IllegalFormulaError):
        assert issubclass(kind, FormulaError)
    assert issubclass(FormulaError, ValueError)


LEGAL: list[tuple[str, str, Exact]] = [
    ("1 x 2 x 3 x 4", "crisps", 24),
    ("4 x 3 : 3 x 6", "crisps", 24),
    ("4 + 3 x 8 - 4", "crisps", 24),
    ("3 + 1 - 2", "crisps", 2),
    ("2 - 2 : 1", "crisps", 0),
    ("7", "crisps", 7),
    ("007", "crisps", 7),
    ("9 - 2 x 1 + 5", "crisps", 12),
    ("9 - 2 x 1 + 5", "game24", 2),
    ("2 x 3 - 1 x 5", "game24", 1),
    ("8 / (3 - 8 / 3)", "digits", 24),
    ("7 x (3 + 3 : 7)", "digits", 24),
    ("1 - 2", "digits", -1),
    ("(3 : (5 x 6) - 2) : 4", "digits", Fraction(-19, 40)),
    ("A + J + q + K", "cards", 37),
]


@pytest.mark.parametrize(("text", "game", "value"), LEGAL)
def test_a_legal_formula_has_its_value(text: str, game: str, value: Exact) -> None:
    found = evaluate(text, game)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "text",
    [
        "8 - 2 x 6 : 3",
        "8-2x6:3",
        "8 − 2 X 6 / 3",
        "8 - 2 * 6 ÷ 3",
        "8 - 2 × 6 : 3",
        "8 - 2 · 6 : 3",
        "  8 -  2x 6\t:\n3  ",
        "8\u00a0- 2\u2003x 6 : 3",
    ],
)
def test_every_spelling_and_spacing_is_the_same_formula(text: str) -> None:
    assert parse(text) == parse("8 - 2 x 6 : 3")


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("1 + 2", None),
        ("1 + 2 = 3", 3),
        ("1+2=3", 3),
        ("1 + 2 = -3", -3),
        ("1 + 2 = −3", -3),
        ("1 + 2 = 3/4", Fraction(3, 4)),
        ("1 + 2 = 0.75", Fraction(3, 4)),
        ("(1 + 2) = 4", 4),
    ],
)
def test_a_formula_may_state_its_target(text: str, target: Exact | None) -> None:
    assert parse_statement(text, "digits").target == target


CHECKS: list[tuple[str, Exact | None, tuple[int, ...] | None, str, str]] = [
    ("4 + 3 x 8 - 4", None, None, "right", ""),
    ("4 + 3 x 8 - 4 = 24", 24, (4, 3, 8, 4), "right", ""),
    ("4 + 3 x 8 - 4 = 25", None, None, "wrong", "it makes 24, not 25"),
    ("4 + 3 x 8 - 4", 25, None, "wrong", "it makes 24, not 25"),
    ("4 + 3 x 8 - 4 = 24", 25, None, "wrong", "it makes 24, not 25"),
    ("4 + 3", None, (4, 3, 3), "wrong", "it uses 4 3, and the card is 4 3 3"),
    ("4 + 4", None, (4, 3), "wrong", "it uses 4 4, and the card is 4 3"),
    ("8 x 3", 24, (3, 8), "right", ""),
    ("9 : 7", 24, (9, 7), "illegal", "9 : 7 leaves a remainder of 2"),
    ("9 :", 24, (9, 7), "malformed", "a number is missing after :"),
]


def test_a_card_brings_its_own_numbers() -> None:
    assert check("10 x 9 + 8", card=(10, 9, 8)).verdict == "right"
    assert check("10 x 9 + 8", card=(9, 8, 1)).verdict == "illegal"


@pytest.mark.parametrize(("text", "target", "card", "verdict", "reason"), CHECKS)
def test_a_check_gives_the_verdict_and_the_reason(
    text: str, target: Exact | None, card: tuple[int, ...] | None, verdict: str, reason: str
) -> None:
    found = check(text, target, card)
    assert (found.verdict, found.reason) == (verdict, reason)
    assert (found.value is None) == (verdict in ("illegal", "malformed"))


def test_the_caret_line_marks_what_is_wrong() -> None:
    error = check("9 : 7 + 2 x 3").error
    assert error is not None
    shown = f"{error.marked()}\n{error}"
    assert shown == "9 : 7 + 2 x 3\n^^^^^\nillegal: 9 : 7 leaves a remainder of 2"


def test_the_caret_line_of_a_long_formula_shows_the_marked_part_only() -> None:
    with pytest.raises(MalformedFormulaError) as caught:
        parse("1 + " * 500 + "? + 1")
    shown, carets = caught.value.marked().splitlines()
    assert len(shown) <= 78
    assert shown[carets.index("^")] == "?"
    assert carets.strip() == "^"


def test_the_caret_line_keeps_its_column_whatever_the_characters_are() -> None:
    with pytest.raises(MalformedFormulaError) as caught:
        parse("1\t+\n\x07")
    assert caught.value.marked() == "1 +  \n    ^"


def test_a_formula_has_at_most_ten_thousand_characters() -> None:
    assert evaluate("1" + " " * 9_999) == 1
    with pytest.raises(MalformedFormulaError, match=r"10,001 characters.* at most 10,000"):
        parse("1" + " " * 10_000)
    with pytest.raises(MalformedFormulaError, match="1,000,000 characters"):
        parse("(" * 1_000_000)


def test_parentheses_nest_a_hundred_deep_and_no_deeper() -> None:
    assert evaluate("(" * 100 + "1 + 2" + ")" * 100, "digits") == 3
    with pytest.raises(MalformedFormulaError, match="nested deeper than 100") as caught:
        parse("(" * 101 + "1" + ")" * 101, "digits")
    assert caught.value.position == 100


def test_a_number_has_at_most_a_hundred_digits() -> None:
    with pytest.raises(IllegalFormulaError, match="is not a number of crisps"):
        evaluate("1" * 100)
    with pytest.raises(MalformedFormulaError, match="a number of more than 100 digits"):
        evaluate("1" * 101)


@pytest.mark.parametrize("sign", "-+x:")
def test_the_longest_chains_are_worked_out_without_recursion(sign: str) -> None:
    expected = {"-": -4998, "+": 5000, "x": 1, ":": 1}
    assert evaluate(sign.join(["1"] * 5000), FREE) == expected[sign]


def test_many_parentheses_side_by_side_and_inside_each_other_are_read() -> None:
    assert evaluate("+".join(["(1)"] * 2500), FREE) == 2500
    assert evaluate("(1+" * 100 + "1" + ")" * 100, FREE) == 101


def test_a_product_of_thousands_of_numbers_is_exact() -> None:
    assert evaluate("x".join(["9"] * 5000)) == 9**5000


@pytest.mark.parametrize("game", ["crisps", "game24"])
def test_what_the_enumerator_finds_the_grammar_evaluates_to_the_target(game: str) -> None:
    for target in (0, 10, 143):
        assert {evaluate(formula, game) for formula in formulas(target, game)} == {target}


def test_a_tree_is_worked_out_as_the_text_it_was_read_from() -> None:
    for text, game, value in LEGAL:
        assert evaluate(parse(text, game), game) == value


FORMULA_LIKE = st.text("0123456789 +-x*:/()=.,\t−×÷·AQ\0", max_size=60)
GAMES_READ = st.sampled_from(["crisps", "game24", "digits", "cards", "numble"])


@given(st.one_of(st.text(max_size=300), FORMULA_LIKE), GAMES_READ)
def test_arbitrary_text_raises_nothing_but_formula_errors(text: str, game: str) -> None:
    error = check(text, game=game).error
    if error is not None:
        assert (error.text, error.reason != "") == (text, True)
        assert 0 <= error.position <= len(text)
        line, carets = error.marked().split("\n")
        assert len(line) <= 78
        assert set(carets) <= {" ", "^"}


PIECES = st.sampled_from(["(1)", "(2 + 3)", "((4))", "5", "+", "-", " x ", "(", ")"])


@given(st.lists(PIECES, max_size=8).map("".join))
def test_every_number_that_is_written_is_in_the_tree(text: str) -> None:
    try:
        tree = parse(text, FREE)
    except FormulaError:
        return
    written = re.findall("[0-9]+", text)
    assert [abs(number.value) for number in numbers_of(tree)] == list(map(int, written))


@st.composite
def texts(draw: st.DrawFn, depth: int = 3) -> str:
    """Draw a formula with parentheses, signs and spaces as they come."""
    parts = [draw(st.sampled_from("0123456789"))]
    for _ in range(draw(st.integers(0, 3))):
        operand = draw(st.sampled_from("0123456789"))
        if depth and draw(st.booleans()):
            operand = f"({draw(texts(depth=depth - 1))})"
        parts += [draw(st.sampled_from(["-", "+", "x", ":", "−", "÷", "*"])), operand]
    return draw(st.sampled_from(["", " "])).join(parts)


@given(texts())
def test_the_value_is_the_one_that_python_works_out(text: str) -> None:
    python = text.translate(str.maketrans("x:÷−", "*//-"))
    expected: Fraction | None
    try:
        expected = eval(re.sub("([0-9])", r"Fraction(\1)", python), {"Fraction": Fraction})
    except ZeroDivisionError:
        expected = None
    found = check(text, game=FREE)
    assert found.value == expected
    assert found.verdict == ("illegal" if expected is None else "right")
