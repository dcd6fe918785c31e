"""The verdict and the working of a formula: right, legal, wrong, illegal or malformed."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Game, IllegalFormulaError, check, evaluate, parse
from crisps24.notation.checking import working
from crisps24.rules.exact import Exact
from crisps24.rules.games import find_game
from tests.sampling import in_one_test

TICKET = replace(GAMES["make10"], join=True)
SUMS = replace(GAMES["crisps"], operators=("+", "-"))
TELEVISION = GAMES["countdown"]


@in_one_test(
    ("text", "game", "value"),
    ("1 x 2 x 3 x 4", "crisps", 24),
    ("2 - 2 : 1", "crisps", 0),
    ("007", "crisps", 7),
    ("9 - 2 x 1 + 5", "crisps", 12),
    ("9 - 2 x 1 + 5", "game24", 2),
    ("2 x 3 - 1 x 5", "game24", 1),
    ("8 / (3 - 8 / 3)", "digits", 24),
    ("(3 : (5 x 6) - 2) : 4", "digits", Fraction(-19, 40)),
    ("A + J + q + K", "cards", 37),
)
def test_a_legal_formula_has_its_value(text: str, game: str, value: Exact) -> None:
    result = evaluate(text, game)
    assert (result, type(result)) == (value, type(value))
    assert evaluate(parse(text, game), game) == value


@in_one_test(
    ("text", "game", "place", "reason"),
    ("2 x 3 x 3 : 4", "crisps", (0, 13), "18 : 4 leaves a remainder of 2"),
    ("3 + 1 - 2 x 4", "crisps", (0, 13), "4 - 8 is less than zero"),
    ("12 + 1", "crisps", (0, 2), "12 is not in this game (only 1..9)"),
    ("1 - -2", "crisps", (4, 2), "-2 is not in this game (only 1..9)"),
    ("-3 + 5", "countdown", (0, 2), "-3 is not in this game (only 1..10,25,50,75,100)"),
    ("1 + 11", "numble", (4, 2), "11 is not in this game (only 1..10,25,50,75,100)"),
    ("(1 + 2) x 3", "crisps", (0, 1), "no brackets in this game"),
    ("9 + 1 x 2 - 5", "game24", (4, 9), "2 - 5 is less than zero"),
    ("1 + 2", "game24", (0, 5), "this game needs exactly 4 numbers, not 2"),
    ("8 : (3 - 3)", "digits", (0, 11), "8 / 0 divides by zero"),
)
def test_a_broken_rule_is_illegal(text: str, game: str, place: Any, reason: str) -> None:
    with pytest.raises(IllegalFormulaError) as caught:
        evaluate(text, game)
    error = caught.value
    assert (error.text, (error.position, error.length), error.reason) == (text, place, reason)


@in_one_test(
    "case",
    ("4 + 3 x 8 - 4", None, None, "legal", ""),
    ("4 + 3 x 8 - 4", None, (4, 3, 8, 4), "right", ""),
    ("4 + 3 + 8 + 4", None, (4, 3, 8, 4), "wrong", "it makes 19, not 24"),
    ("4 + 3 + 8 + 4 = 19", None, (4, 3, 8, 4), "right", ""),
    ("4 + 3 + 8 + 4", 19, (4, 3, 8, 4), "right", ""),
    ("4 + 3 x 8 - 4 = 24", 25, None, "wrong", "it makes 24, not 25"),
    ("4 + 3", None, (4, 3, 3), "wrong", "3 is used once, not twice"),
    ("4 + 4", None, (4, 3), "wrong", "4 is used twice, 3 is not used"),
    ("9 : 7", 24, (9, 7), "illegal", "9 : 7 leaves a remainder of 2"),
    ("9 :", 24, (9, 7), "malformed", "a number is missing after :"),
    ("10 x 9 + 8", 98, (9, 8, 1), "illegal", "10 is not in this game (only 1..9)"),
)
def test_a_check_gives_the_verdict_and_the_reason(case: Any) -> None:
    text, target, card, verdict, reason = case
    result = check(text, card, target)
    assert (result.verdict, result.reason) == (verdict, reason)
    assert (result.value is None) == (verdict in ("illegal", "malformed"))


@in_one_test(
    ("text", "game", "lines"),
    ("4 x 3 : 3 x 6", "crisps", ["4 x 3 = 12", "12 : 3 = 4", "4 x 6 = 24"]),
    ("9 - 2 x 1 + 5", "crisps", ["2 x 1 = 2", "9 - 2 = 7", "7 + 5 = 12"]),
    ("9 - 2 x 1 + 5", "game24", ["2 x 1 = 2", "2 + 5 = 7", "9 - 7 = 2"]),
    ("9 + 1 x 2 - 5", "game24", ["1 x 2 = 2", "2 - 5 is less than zero"]),
    ("1 - 9 : (2 + 1)", "digits", ["2 + 1 = 3", "9 / 3 = 3", "1 - 3 = -2"]),
    ("8 : (3 - 8 : 3)", "digits", ["8 / 3 = 8/3", "3 - (8/3) = 1/3", "8 / (1/3) = 24"]),
    ("8 : (3 - 3)", "digits", ["3 - 3 = 0", "8 / 0 divides by zero"]),
    ("7", "crisps", []),
    # Joined digits are not a step, and a broken rule ends the working.
    ("123", TICKET, []),
    ("1 + 23 x 45", TICKET, ["23 x 45 = 1035", "1 + 1035 = 1036"]),
    ("2 x 3 - 05 + 1", TICKET, ["2 x 3 = 6", "05 starts with 0"]),
    ("9 - 3 - 6 + 2", TELEVISION, ["9 - 3 = 6", "6 - 6 is zero"]),
)
def test_the_working_follows_precedence(text: str, game: str | Game, lines: list[str]) -> None:
    assert working(text, game) == lines


FORMULA_LIKE = st.text("0123456789 +-x*:/()=.,\t−×÷·AQ\0", max_size=60)


@in_one_test(
    "case",
    ("12 + 3", TICKET, "legal", "", ""),
    ("05 + 5", TICKET, "illegal", "05", "05 starts with 0"),
    ("1 + 2 * 3 - 4", SUMS, "illegal", "*", "x is not in this game (only - +)"),
    ("1 ÷ 3", replace(TICKET, operators=("x",)), "illegal", "÷", "/ is not in this game (only x)"),
    ("5 + (3 - 3)", TELEVISION, "illegal", "(3 - 3)", "3 - 3 is zero"),
    ("0 x 5", replace(TICKET, zero=False), "illegal", "0 x 5", "0 x 5 is zero"),
    ("5 : 0", replace(TICKET, zero=False), "illegal", "5 : 0", "5 / 0 divides by zero"),
    ("0", replace(TICKET, zero=False), "legal", "", ""),
)
def test_an_illegal_part_is_marked_with_the_broken_rule(case: Any) -> None:
    text, game, verdict, marked, reason = case
    result = check(text, game=game)
    assert (result.verdict, result.reason) == (verdict, reason)
    if result.error is not None:
        assert text[result.error.position :][: result.error.length] == marked


@in_one_test(
    "case",
    ("12 + 3", TICKET, (1, 2, 3), "legal", ""),
    ("12 + 3", TICKET, (12, 3), "wrong", "1 and 2 are not in the hand, 12 is not used"),
    ("12 + 3", TICKET, (1, 2, 3, 4), "wrong", "4 is not used"),
    ("0 x 5", TELEVISION, (0, 5), "illegal", "0 x 5 is zero"),
    ("0 + 5", TELEVISION, (0, 5), "legal", ""),
    ("0 x 5", "numble", (0, 5), "legal", ""),
    ("1 + 2", "crisps", (-3, 5), "wrong", "1 and 2 are not in the hand, -3 and 5 are not used"),
    ("5 - 4", TICKET, (0, 12), "wrong", "4 and 5 are not in the hand, 0 and 12 are not used"),
)
def test_the_numbers_used_are_compared_with_the_card(case: Any) -> None:
    text, game, card, *expected = case
    result = check(text, hand=card, game=replace(find_game(game), target=None))
    assert [result.verdict, result.reason] == expected


@given(st.sampled_from([TICKET, SUMS, TELEVISION, GAMES["crisps"]]), FORMULA_LIKE)
def test_last_line_of_a_working_is_the_reason_of_an_illegal_formula(game: Game, text: str) -> None:
    result = check(text, game=game)
    if result.verdict in ("right", "legal"):
        assert evaluate(text, game) == result.value
        assert not [line for line in working(text, game) if " = " not in line]
    elif result.message and result.message.key.startswith("step."):
        assert working(text, game)[-1] == result.reason


# Formula, card, game, strict, verdict and reason.
AS_PLAYED: list[tuple[str, tuple[int, ...] | None, Game | str, bool, str, str]] = [
    ("75 + 50 = 125", (75, 50, 6, 25, 3, 1), "numble", False, "right", ""),
    ("75 + 75 = 150", (75, 50, 6, 25, 3, 1), "countdown", False,
     "wrong", "75 is used twice"),
    ("(75 + 50) x 6", (75, 50, 6), "countdown", False, "legal", ""),
    ("(75 + 50) x 6 = 750", (75, 50, 6, 1), replace(GAMES["countdown"], all_numbers=True), False,
     "wrong", "1 is not used"),
    ("4 x (8 - 3 + 1)", (4, 3, 8, 1), "cards", False, "right", ""),
    ("6 + 4 = 10", (6, 4), replace(GAMES["make10"], target=24), False, "right", ""),
    ("1 + 2 + 3 + 4 + 5", None, "crisps", True, "wrong", "crisps deals 4 numbers, not 5"),
    ("1 + 2 = 3", None, "crisps", True, "wrong", "crisps deals 4 numbers, not 2"),
    ("1 + 2 = 3", None, "countdown", True, "right", ""),
    ("1 + 2 + 3 + 4 + 5 + 6 + 7", None, "countdown", True,
     "wrong", "countdown deals 6 numbers, not 7"),
    ("25 + 25 = 50", None, "countdown", True, "wrong", "countdown has 25 once, not twice"),
    ("10 + 9 + 4 + 1 = 24", (10, 9, 4, 1), "crisps", False, "right", ""),
    ("10 + 9 + 4 + 1 = 24", (10, 9, 4, 1), "crisps", True,
     "wrong", "10 is not in this game (only 1..9)"),
    ("50 - 25", (25, 50, 25, 100, 3, 6), "countdown", True,
     "wrong", "countdown has 25 once, not twice"),
    ("1 + 2 - 4 + 5 + 6", None, "crisps", True, "illegal", "3 - 4 is less than zero"),
    ("5 + 5 = 10, 10 + 25 = 35, 35 + 25 = 60", None, "countdown", True,
     "wrong", "countdown has 25 once, not twice"),
]  # fmt: skip


@in_one_test("case", *AS_PLAYED)
def test_a_formula_is_checked_by_the_card_and_the_target_of_the_game(case: Any) -> None:
    text, card, game, strict, *expected = case
    result = check(text, hand=card, game=game, strict=strict)
    assert [result.verdict, result.reason] == expected


def test_a_card_can_be_text() -> None:
    for card in ("4384", "4 3 8 4", "8，3,4;4", "４３８４"):
        assert check("4 + 3 x 8 - 4", hand=card).verdict == "right"
    steps = "12 + 12 = 24, 24 x 1 = 24, 24 x 1 = 24"
    assert check(steps, hand="Q Q A A", game="cards").verdict == "right"
    assert working(steps, "cards", "Q Q A A") == working(steps, "cards", (12, 12, 1, 1))
    with pytest.raises(ValueError, match="'x' is not a whole number"):
        check("4 + 3 + 8 + 4", hand="x")
    with pytest.raises(ValueError, match=r"3388 is one number \(did you mean 3 3 8 8\?\)"):
        check("3 + 3 + 8 + 8", hand="3388", game="cards")


@given(st.sampled_from(list(GAMES.values())), st.data())
def test_unused_numbers_are_wrong_if_games_use_all_numbers(game: Game, data: st.DataObject) -> None:
    numbers = data.draw(st.lists(st.sampled_from(game.numbers), min_size=4, max_size=4))
    more = data.draw(st.lists(st.sampled_from(game.numbers), max_size=3))
    text = " + ".join(map(str, numbers))
    verdict = check(f"{text} = {sum(numbers)}", hand=[*numbers, *more], game=game).verdict
    assert verdict == ("right" if not (more and game.all_numbers) else "wrong")
