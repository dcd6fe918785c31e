"""Workings: steps as people write them, and the errors of wrong steps."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, FormulaError, Game, MalformedFormulaError, check, evaluate
from crisps24.notation.checking import working
from crisps24.notation.parser import MAX_FORMULA_LENGTH
from crisps24.notation.trees import Expression, numbers_of, text_of
from crisps24.notation.workings import MAX_WORKING_STEPS as MOST
from crisps24.notation.workings import is_rounded, is_working, parse_partial_working, parse_working
from tests.notation.strategies import FREE, JOINING, SHORT_TREES
from tests.sampling import in_one_test

PAPER = "75 + 50 = 125, 125 x 6 = 750, 750 - 25 = 725"
TILES = (75, 50, 6, 25, 3, 1)
TICKET = replace(GAMES["make10"], join=True)


@in_one_test(
    "text",
    PAPER,
    "75 + 50 = 125\n125 x 6 = 750\n750 - 25 = 725\n",
    "75 + 50 = 125 => 125 x 6 = 750 ⇒ 750 - 25 = 725;",
    "７５＋５０＝１２５、１２５×６＝７５０，７５０－２５＝７２５",
    "75 + 50 = 125,\n6 x 125 = 750,\n750 - 25 = 725,",
)
def test_a_working_is_read_as_people_write_it(text: str) -> None:
    result = check(text, hand=TILES, game="countdown")
    assert (result.value, result.verdict, result.reason) == (725, "right", "")
    assert result.formula in ("(75 + 50) x 6 - 25 = 725", "6 x (75 + 50) - 25 = 725")
    assert evaluate(text, "countdown") == 725
    assert working(text, "countdown")[-1] == "750 - 25 = 725"


@in_one_test(
    ("text", "is_one"),
    (PAPER, True),
    ("1 + 2 = 3", False),
    ("1 + 2, 3 + 4 = 7", False),
    (PAPER + " " * MAX_FORMULA_LENGTH, False),
)
def test_a_working_has_several_steps_and_the_first_has_a_result(text: str, is_one: bool) -> None:
    assert is_working(text) == is_one


# Text, game, and the formula of the working.
@in_one_test(
    ("text", "game", "formula"),
    ("75 + 50 = 125, 125 x 6", "countdown", "(75 + 50) x 6"),
    ("6 : 3 = 2, 8 - 1 = 7, 7 + 2 = 9", "crisps", "8 - 1 + 6 : 3 = 9"),
    ("2 x 3 = 6, 6 - 4 = 2, 1 + 2 = 3", "game24", "1 + (2 x 3 - 4) = 3"),
    ("8 / 3 = 8/3; 3 - 8/3 = 1/3; 8 / [ 1/3 ] = 24", "cards", "8 / (3 - 8 / 3) = 24"),
    ("3 : 4 = 0.75, 0.75 x 8 = 6", "cards", "3 / 4 x 8 = 6"),
    ("1 - 2 = -1, -1 : 3 = -1/3, (-1/3) x 6 = -2", "digits", "(1 - 2) / 3 x 6 = -2"),
    ("Q + A = 13, K x 13 = 169", "cards", "13 x (12 + 1) = 169"),
    ("4 + 4 = 8, 8 x 8 = 64", "crisps", ""),
    ("1 + 2 = 3, 12 + 3 = 15", TICKET, "12 + (1 + 2) = 15"),
    ("5 + 7 = 12, 12 x 3 = 36", TICKET, "(5 + 7) x 3 = 36"),
    ("(1 + 2) x 3 = 9, 9 - 4 = 5", "digits", "(1 + 2) x 3 - 4 = 5"),
)
def test_a_working_is_converted_to_its_formula(text: str, game: Game | str, formula: str) -> None:
    result = check(text, game=game)
    assert (result.formula if formula else "") == formula
    if formula and game != "game24":
        assert evaluate(formula, game) == result.value


def marked(error: FormulaError | None) -> str:
    assert error is not None
    return error.text[error.position : error.position + error.length]


# Text, game, card, verdict, marked part, reason.
REFUSED: list[tuple[str, Game | str, tuple[int, ...] | None, str, str, str]] = [
    ("75 + 50 = 126, 126 x 6 = 756", "countdown", None,
     "wrong", "126", "75 + 50 makes 125, not 126"),
    ("75 + 50 = 125, 125 x 6 = 75０, 750 - 25 = 725", "countdown", (75, 50, 6),
     "wrong", "25", "25 is not available (no numbers are left)"),
    (PAPER, "countdown", (75, 50, 6, 3, 1), "wrong", "25", "25 is not available (left: 1 3)"),
    ("75 + 50 = 125, 125 x 6 = 750, 750 - 125 = 625", "countdown", None,
     "wrong", "125", "125 is already used"),
    ("6 + 6 = 12, 12 x 3 = 36", "cards", (6, 3), "wrong", "6", "6 is not available (left: 3)"),
    ("1 + 2 = 3, 3 + 11 = 14", "crisps", None,
     "illegal", "11", "11 is not in this game (only 1..9)"),
    ("2 x 3 = 6, 1 + 6 = 7, 7 - 4 = 3", "game24", None,
     "illegal", "7 - 4 = 3", "this game computes 1 + 2 x 3 - 4 in another order"),
    ("1 + 2 = 3, (3 + 1) x 4 = 12", "crisps", None, "illegal", "(", "no brackets in this game"),
    ("1 + 2 = 3, 3 + 4, 7 + 1 = 8", "crisps", None,
     "malformed", "3 + 4", "write the result of a step, for example 1 + 2 = 3"),
    ("1 + 2 = 3, 3 x 4 = x, 1 + 1 = 2", "crisps", None,
     "malformed", "x", "write only a number after ="),
    ("3 - 1 = 2, 8 - 2 = 6", "crisps", None, "illegal", "8 - 2 = 6",
     "no brackets in this game, and this needs them: 8 - (3 - 1)"),
    ("8 x 2 = 16, 16 : 4 = 4, 9 : 4 = 2", "crisps", None,
     "illegal", "9 : 4", "9 : 4 leaves a remainder of 1"),
    ("1 : 2 = 1/2, 1/0 + 1/2 = 1", "digits", None,
     "illegal", "0", "0 is not in this game (only 1..9)"),
    ("1 + 1 = 2, " * MOST + "3", "digits", None,
     "malformed", "3", f"{MOST + 1} steps (at most {MOST})"),
    ("   3 - 1 = 2, 8 - 2 = 6 , 6 + 1 = 7", "crisps", None, "illegal", "6 + 1 = 7",
     "no brackets in this game, and this needs them: 8 - (3 - 1) + 1"),
    ("1 + 2 = 3, 3 + 3 = 6", "game24", None,
     "illegal", "3 + 3 = 6", "this game needs exactly 4 numbers, not 3"),
    ("1 + 1 = 2, 2 - 1", "game24", None,
     "illegal", "2 - 1", "this game needs exactly 4 numbers, not 3"),
]  # fmt: skip


@in_one_test("case", *REFUSED)
def test_a_wrong_step_is_marked_in_the_text_with_its_reason(case: Any) -> None:
    text, game, card, verdict, part, reason = case
    result = check(text, hand=card, game=game)
    assert (result.verdict, result.reason) == (verdict, reason)
    assert (result.formula, result.value) == (text, None)
    assert result.error is not None
    assert (result.error.text, marked(result.error)) == (text, part)


def test_the_result_of_the_last_step_is_the_target() -> None:
    result = check("75 + 50 = 125, 125 x 6 = 751", game="countdown")
    assert (result.verdict, result.reason, result.value) == ("wrong", "it makes 750, not 751", 750)
    assert check("75 + 50 = 125, 125 x 6", target=750, game="countdown").verdict == "right"
    assert check("75 + 50 = 125, 125 x 6", game="countdown").verdict == "legal"
    assert check("8 x 2 = 16, 16 + 8", hand=(2, 8, 8), game="cards").verdict == "right"


def test_an_error_does_not_quote_a_long_step() -> None:
    game, step = replace(FREE, numbers=(1, 11)), "1+" * 19
    assert check(f"{step}11=0, 1", game=game).reason == f"{step}11 makes 30, not 0"
    assert check(f"{step}1+1=0, 1", game=game).reason == "this step makes 21, not 0"


def test_a_step_can_be_unused_in_a_game_that_does_not_use_all_numbers() -> None:
    result = check("3 + 1 = 4, 75 + 50 = 125", hand=TILES, game="countdown")
    assert (result.formula, result.verdict) == ("75 + 50 = 125", "right")


def test_a_working_nests_at_most_a_hundred_levels() -> None:
    steps, game = ["1 + 1 = 2"], replace(FREE, numbers=(1,))
    for value in range(2, 52):
        steps += [f"{value} x 1 = {value}", f"{value} + 1 = {value + 1}"]
    assert check(", ".join(steps[:100]), game=game).value == 51
    steps[40] = steps[40].replace("1 =", f"{'(' * 50}1{')' * 50} =")
    result = check(", ".join(steps[:100]), game=game)
    reason = "the steps are nested more than 100 deep"
    assert (result.verdict, result.reason) == ("malformed", reason)


@given(SHORT_TREES, st.sampled_from(["cards", "latex"]), st.sampled_from([", ", "; ", "\n", " → "]))
def test_a_printed_working_is_read_again(tree: Expression, style: str, between: str) -> None:
    text, game = text_of(tree, style), replace(FREE, style=style)
    if check(text, game=game).error:
        return
    lines = working(tree, game)
    assert working(text, game) == lines
    if len(lines) > 1:
        card = [number.value for number in numbers_of(tree)]
        result = check(between.join(lines), hand=card, game=game)
        assert (result.verdict, result.reason) == ("right", "")
        assert result.value == evaluate(tree, FREE) == evaluate(result.formula, FREE)


STEPS = st.lists(st.text("0123456789 +-x:/()=.,;\n→→>Q１＝", max_size=12), max_size=6)


@given(STEPS.map(",".join), st.sampled_from([FREE, JOINING, *GAMES.values()]), st.booleans())
def test_any_text_is_parsed_or_refused(text: str, game: Game, dealt: bool) -> None:
    result = check(text, hand=(1, 2, 3, 4) if dealt else None, game=game)
    if result.error is not None:
        assert (result.error.text, result.formula) == (text, text)
        assert 0 <= result.error.position <= len(text)
    else:
        again = check(result.formula, hand=(1, 2, 3, 4) if dealt else None, game=game)
        assert again.value == result.value or game.name == "game24"


def test_a_partial_working_has_results_and_numbers_left() -> None:
    partial = parse_partial_working(PAPER, GAMES["countdown"], TILES)
    assert partial.steps == ("75 + 50 = 125", "125 x 6 = 750", "750 - 25 = 725")
    assert [value for value, _ in partial.results] == [125, 750, 725]
    assert text_of(partial.results[1][1]) == "(75 + 50) x 6"
    assert (partial.numbers_left, partial.results_left) == ((3, 1), (725,))
    assert partial.left == (3, 1, 725)


@in_one_test(
    ("text", "reason"),
    ("75 + 50, 125 x 6 = 750", "write the result of a step, for example 1 + 2 = 3"),
    ("75 + 50 =, 125 x 6 = 750", "a number is missing after ="),
    ("=", "a number is missing before ="),
    ("75 + 50 = 126", "75 + 50 makes 125, not 126"),
    ("75 + 51 = 126", "51 is not available (left: 1 3 6 25 50)"),
    ("75 - 75 = 0", "75 - 75 is zero"),
)
def test_a_partial_working_with_a_wrong_step_is_refused(text: str, reason: str) -> None:
    with pytest.raises(FormulaError) as caught:
        parse_partial_working(text, GAMES["countdown"], TILES)
    assert caught.value.reason == reason


@in_one_test("text", "75+50", " 75 + 50 = ", "6 - 1 = 5, 75 + 50 =", "6 - 1 = 5;75 ＋ 50＝")
def test_the_last_step_of_a_partial_working_can_lack_its_result(text: str) -> None:
    partial = parse_partial_working(text, GAMES["countdown"], TILES)
    assert partial.left[-1] == 125
    assert partial.steps[-1] == f"{text.rpartition(';')[2].rpartition(', ')[2].strip(' =＝')} = 125"
    # The steps can be parsed again and continued.
    assert parse_partial_working(", ".join(partial.steps), GAMES["countdown"], TILES) == partial


def test_results_of_steps_are_exact() -> None:
    for text, value in (("8 : 3", Fraction(8, 3)), ("3 - 8 =", -5), ("3 - 8 : 3", Fraction(1, 3))):
        partial = parse_partial_working(text, GAMES["cards"], (3, 3, 8, 8))
        assert partial.results_left == (value,)
        assert parse_partial_working(partial.steps[0], GAMES["cards"], (3, 3, 8, 8)) == partial
    with pytest.raises(FormulaError, match="write the result of a step"):
        parse_partial_working(f"{10**60} x {10**60}", GAMES["cards"], (10**60, 10**60, 1))


def test_a_step_uses_a_dealt_number_if_a_result_needs_parentheses() -> None:
    result = check("8 - 4 = 4, 4 x 3 = 12, 12 + 4 = 16", target=16, hand=(3, 4, 4, 8))
    assert (result.verdict, result.formula) == ("right", "4 x 3 + 8 - 4 = 16")
    result = check("8 - 5 = 3, 3 x 4 = 12, 12 + 4 = 16", target=16, hand=(5, 4, 4, 8))
    assert result.reason == "no brackets in this game, and this needs them: (8 - 5) x 4 + 4"
    # Of two results, the one that needs no parentheses; and one of each.
    result = check("9 - 1 = 8, 2 x 4 = 8, 8 x 3 = 24, 24 + 8 = 32", target=32, hand=(1, 2, 3, 4, 9))
    assert (result.verdict, result.formula) == ("right", "2 x 4 x 3 + 9 - 1 = 32")
    game = replace(GAMES["cards"], once=True, all_numbers=False)
    result = check("2 + 3 = 5, 9 - 4 = 5, 5 + 5 = 10", target=10, hand=(2, 3, 4, 5, 9), game=game)
    assert (result.verdict, result.formula) == ("right", "9 - 4 + 5 = 10")


def test_a_result_cannot_be_joined_as_a_digit() -> None:
    result = check("9 - 7 = 2, 20 : 2 = 10", (0, 2, 7, 9), 10, TICKET)
    assert (result.verdict, result.formula) == ("right", "20 / (9 - 7) = 10")
    result = check("9 - 7 = 2, 20 : 2 = 10", (0, 1, 7, 9), 10, TICKET)
    assert (result.verdict, result.reason) == ("wrong", "2 is not available (left: 0 1 2)")


@in_one_test(
    ("text", "target", "verdict"),
    ("8 / 3 = 8/3, 3 - 8 / 3 = 1/3, 8 / (1 / 3) = 24", 24, "right"),
    ("8/3 = 8/3, 8/3 = 8/3, 8/3 - 8/3 = 0", 0, "right"),
    # There is a second 8 and a second 3, and a fraction that is a complete step is a division.
    ("8 / 3 = 8/3, 8 / 3 = 8/3, 8/3 - 8 / 3 = 0", 0, "right"),
    # 8 / 8 / 3 is grouped from the left: (8 / 8) / 3.
    ("8 / 3 = 8/3, 8 / 8 / 3 = 1/3, 3 x 1/3", 1, "wrong"),
)
def test_a_fraction_can_be_written_with_spaces(text: str, target: int, verdict: str) -> None:
    assert check(text, (3, 3, 8, 8), target, "cards").verdict == verdict


def test_working_without_steps_is_refused() -> None:
    with pytest.raises(MalformedFormulaError, match="no formula"):
        parse_working(" \n ; ", GAMES["cards"])


def test_decimal_near_a_fraction_is_a_rounded_value() -> None:
    stated = ["0.5", ".5", ".53.", "0.6", ".4", "5"]
    assert [text for text in stated if is_rounded(Fraction(8, 15), text)] == stated[:4]
