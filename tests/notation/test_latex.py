"""LaTeX: the output of the style can be parsed, and so can other common commands."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Formula, FormulaError, Game, check, evaluate, parse
from crisps24.notation.trees import numbers_of, text_of
from crisps24.notation.workings import parse_partial_working
from crisps24.rules.words import parse_operators
from tests.notation.strategies import FORMULAS, FREE, JOINING
from tests.sampling import in_one_test


@in_one_test(
    ("text", "value"),
    (r"3\times8", 24),
    (r"3 \cdot 8 \ast 1 \div 1", 24),
    (r"\left[3 + 5\right] \times \left( 3 \right)", 24),
    (r"\dfrac{8} {3-\tfrac{8}{3}}", 24),
    (r"2 \times \frac{6}{4} \times 8", 24),
    (r"3\,\times\;8\:\quad", 24),
    (r"\! 3 \qquad \times \ 8", 24),
    (r"-\frac{8}{2} + 8", 4),
    (r"9 - \frac{1}{2} = \dfrac{ 17 }{ 2 }", Fraction(17, 2)),
)
def test_latex_is_parsed(text: str, value: int) -> None:
    result = check(text, game=FREE)
    assert (result.value, result.verdict) == (value, "right" if "=" in text else "legal")


@in_one_test(
    ("text", "position", "reason"),
    (r"1\,2 + 3", 3, "an operator is missing before 2"),
    (r"1 \quad 2", 8, "an operator is missing before 2"),
    (r"\frac1", 0, "'\\' cannot be part of a formula"),
    (r"\frac{1 + 1}2", 0, "'\\' cannot be part of a formula"),
    (r"\frac{1}{2", 8, "this { is never closed"),
    (r"(\frac{1}{2)}", 11, "this ) does not match the { before it"),
    (r"2 + \frac{}{2}", 10, "'}' cannot be part of a formula"),
    ("{1}{2}", 0, "'{' cannot be part of a formula"),
    (r"3 \timesx 4", 2, "'\\' cannot be part of a formula"),
    (r"\left{3\right}", 0, "'\\' cannot be part of a formula"),
    (r"3 \times", 8, "a number is missing after x"),
    ("\ue000{1}{2} \\times 3", 0, r"'\ue000' cannot be part of a formula"),
    (r"1 = \frac{1}{0}", 4, "'1/0' is not a number (write 24, -5, 3/4 or 0.75)"),
    (r"1 = \frac{1 + 1}{2}", 4, "write only a number after ="),
)
def test_invalid_latex_is_malformed_at_a_place(text: str, position: int, reason: str) -> None:
    result = check(text, game=FREE)
    assert (result.verdict, result.reason) == ("malformed", reason)
    assert result.error is not None
    assert result.error.position == position


def test_spans_are_columns_of_the_latex_text() -> None:
    result = check(r"\left(2 + \frac{12}{3}\right) \times 4", game="digits")
    assert result.error is not None
    assert (result.error.position, result.error.length) == (16, 2)
    tree = parse(r"1 + \frac{8}{4}", FREE)
    assert [leaf.span for leaf in numbers_of(tree)] == [(0, 1), (10, 11), (13, 14)]
    assert tree.span == (0, 15)


@given(FORMULAS, st.sampled_from(["crisps", "game24"]))
def test_a_game_without_parentheses_parses_its_own_latex(formula: Formula, name: str) -> None:
    game: Game = GAMES[name]
    if name == "game24" and len(formula.numbers) != 4:
        return
    tree = parse(str(formula), game)
    try:
        result = str(parse(text_of(tree, "latex"), game))
    except FormulaError:
        # The original program groups from the right, which can need parentheses.
        assert name == "game24"
        assert "(" in text_of(tree) or "frac" in text_of(tree, "latex")
    else:
        assert result == str(tree)


def test_braces_are_accepted_in_a_game_without_parentheses_if_not_needed() -> None:
    for text in (r"\frac{8}{4} \times 3 \times 4", r"3 \times \frac{8}{4} \times 4"):
        assert check(text, (8, 4, 3, 4), 24, "crisps").right
    result = check(r"\frac{8 + 2}{5} \times 3 \times 4", game="crisps")
    assert result.verdict == "illegal"
    assert result.reason.endswith("needs them: (8 + 2) / 5 x 3 x 4")


def test_later_steps_use_latex_fractions_as_results() -> None:
    steps = r"\frac{8}{3} = \frac{8}{3}, 3 - \frac{8}{3} = \frac{1}{3}, 8 \div \frac{1}{3} = 24"
    assert check(steps, (3, 3, 8, 8), 24, "cards").formula == "8 / (3 - 8 / 3) = 24"
    left = parse_partial_working(r"8 \div 3 = \frac{8}{3}\,", GAMES["cards"], (3, 3, 8, 8)).left
    assert left == (3, 8, Fraction(8, 3))


def test_latex_commands_are_spellings_of_operators() -> None:
    assert parse_operators(r"\times\div") == ("x", ":")
    assert evaluate(r"12\times3", JOINING) == 36


def test_braces_nest_at_most_a_hundred_levels() -> None:
    deep = [r"\frac{" * depth + "1" + "}{1}" * depth for depth in (100, 101)]
    assert check(deep[0], game=FREE).value == 1
    assert check(deep[1], game=FREE).reason == "brackets are nested more than 100 deep"
