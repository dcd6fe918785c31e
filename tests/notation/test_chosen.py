"""Optional operators and decimals, compared with verdicts of an independent parser."""

import csv
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from crisps24 import GAMES, FormulaError, check, evaluate, judge, parse, puzzle_of
from crisps24.notation.checking import working
from crisps24.notation.statements import parse_polish
from crisps24.notation.styles import STYLES
from crisps24.notation.trees import text_of
from tests.sampling import in_one_test

GAME = replace(GAMES["digits"], numbers=tuple(range(10)), operators=(*"-+x:^√!",))
GAME = replace(GAME, join=True, decimals=True, repeating=True)


@in_one_test(
    ("text", "value", "printed"),
    ("2 ^ 3 ^ 2", 512, ("2 ^ 3 ^ 2", "2^{3^{2}}")),
    ("(2 ^ 3) ^ 2", 64, ("(2 ^ 3) ^ 2", r"\left(2^{3}\right)^{2}")),
    ("-2 ^ 2", -4, ("-2 ^ 2", "-2^{2}")),
    ("(-2) ** 2", 4, ("(-2) ^ 2", r"\left(-2\right)^{2}")),
    ("2^-1", Fraction(1, 2), ("2 ^ (-1)", "2^{-1}")),
    ("(1/2)^3", Fraction(1, 8), ("(1 / 2) ^ 3", r"\left(\frac{1}{2}\right)^{3}")),
    ("8 ^ (1 / 3)", 2, ("8 ^ (1 / 3)", r"8^{\frac{1}{3}}")),
    ("sqrt(4 + 5)", 3, ("√(4 + 5)", r"\sqrt{4 + 5}")),
    (r"\sqrt{4}^{2^{3}}", 256, ("√4 ^ 2 ^ 3", r"\sqrt{4}^{2^{3}}")),
    ("(3!)!", 720, ("(3!)!", r"\left(3!\right)!")),
    ("2 x -√4", -4, ("2 x (-√4)", r"2 \times \left(-\sqrt{4}\right)")),
    ("√.4… - 44^0", Fraction(-1, 3), ("√.4… - 44 ^ 0", r"\sqrt{.4…} - 44^{0}")),
    ("√.49 + .100", Fraction(4, 5), ("√.49 + .100", r"\sqrt{.49} + .100")),
)
def test_optional_operators_are_read_and_printed(text: str, value: Fraction, printed: Any) -> None:
    tree = parse(text, GAME)
    assert evaluate(text, GAME) == value
    assert (text_of(tree), text_of(tree, "latex")) == printed
    for style in STYLES.values():
        if style.readable:
            assert parse(text_of(tree, style.name), GAME) == tree
    assert parse_polish(text_of(tree, "polish"), GAME).value_in(GAME) == value


@in_one_test(
    ("text", "reason"),
    ("9^9^9", "9 ^ 387420489 is too large to compute"),
    ("99!", "99! takes a whole number from 0 to 20"),
    ("13!", "13! has more than 31 bits"),
    ("√8", "√8 is not an exact number"),
    ("(-8)^(1/3)", "(-8) ^ (1/3) is not an exact number"),
    ("0^0", "0 ^ 0 is not an exact number"),
    ("√√√1", "operators with one number in a row: at most 2 in this game"),
    ("4!!", "a number is missing between ! and !"),
    ("√" * 200 + "4", "operators are nested more than 100 deep"),
    (".0", ".0 is not a decimal"),
    (".44…", ".44… is not a decimal of one digit"),
    (".04", "04 starts with 0"),
)
def test_an_error_has_its_reason(text: str, reason: str) -> None:
    with pytest.raises(FormulaError) as caught:
        evaluate(text, GAME)
    assert caught.value.reason == reason


def test_a_game_without_optional_operators_refuses_them() -> None:
    reasons = {"2 ^ 3": "no powers in this game (^)"}
    reasons |= {f"{sign}4 + 4": f"'{sign}' cannot be part of a formula" for sign in "√."}
    reasons["4! + 4"] = "'!' cannot be part of a formula"
    assert {text: check(text, game="digits").reason for text in reasons} == reasons


def test_workings_and_the_judge_accept_optional_operators() -> None:
    lines = ["3 ^ 2 = 9", "2 ^ 9 = 512", "4! = 24", "512 - 24 = 488"]
    assert working("2 ^ 3 ^ 2 - 4!", GAME) == lines
    assert working("4 / .4 + 44 / .44", GAME)[:2] == ["4 / .4 = 10", "44 / .44 = 100"]
    puzzle = puzzle_of((4, 4, 4, 4), 24, GAME)
    answers = ("Answer: 4! x 4 ^ (4 - 4)", r"\boxed{4! \cdot 4^{4-4}}", "4!+4-√4×√4 = 4!")
    for answer in (*answers, "4! = 24, 4 - 4 = 0, 24 + 0 x 4 = 24"):
        assert judge(answer, puzzle).verdict == "right", answer
    assert judge("4! + 4 - 4 + √4", puzzle).code == "value"
    assert judge("no solution", puzzle).code == "solvable"
    hundred = replace(puzzle, target=100)
    assert judge("Answer: 44/.44.", hundred).verdict == "right"
    assert judge("4 / .4 + .44", hundred).code == "value"
    assert judge("44 / .444", hundred).code == "numbers"


def test_verdicts_equal_those_of_an_independent_parser() -> None:
    # The parser is in the history of the repository, up to version 4.0.0.
    with (Path(__file__).parents[1] / "data" / "optional-operators.csv").open() as file:
        rows = list(csv.DictReader(file))
    differ = []
    for row in rows:
        has_minus = row["negatives"] == "yes"
        found = check(row["text"], game=replace(GAME, negatives=has_minus, signed=has_minus))
        value = "" if found.value is None else str(found.value)
        if (found.verdict, value) != (row["verdict"], row["value"]):
            differ.append((row, str(found)))
    assert differ == []
    assert len(rows) == 900


@in_one_test("tens", *range(1, 10))
def test_decimals_of_a_step_are_shown_as_written(tens: int) -> None:
    for ones in range(1, 10):
        first, second = f".{tens}{ones}", f".{ones}…"
        product = Fraction(25 * (10 * tens + ones), 100)
        lines = working(f"25 x {first} / {second}", GAME)
        shown = product if product.denominator == 1 else f"({product})"
        quotient = product / Fraction(ones, 9)
        assert lines == [f"25 x {first} = {product}", f"{shown} / {second} = {quotient}"]
        zero = f"1 / ({first} - {first})"
        assert working(zero, GAME) == [f"{first} - {first} = 0", "1 / 0 divides by zero"]
