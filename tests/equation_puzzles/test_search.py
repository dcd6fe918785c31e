"""Equations: all of them, none that is wrong, and what guesses leave of them."""

import os
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisps24 import GAMES, CrispsError, Equation, FormulaError, equations
from crisps24.enumeration.enumeration import DisagreementError
from crisps24.equation_puzzles import search as equations_room
from crisps24.equation_puzzles.guesses import (
    OPENINGS,
    best_guess,
    marks_for,
    read_marks,
    remaining_equations,
)
from crisps24.equation_puzzles.reading import read_equation
from crisps24.equation_puzzles.search import equation_keys, format_equations, symbol_codes
from crisps24.rules.games import FREE_GAME
from crisps24.rules.operators import OPERATORS, Operator
from tests.equation_puzzles.equations_oracle import all_equations, left_after, marks

CRISPS = GAMES["crisps"]
# Eight records, as different as they can be.
RECORDS: dict[str, dict[str, Any]] = {
    "classic": {},
    "crisps": {"game": CRISPS},
    "up to 20": {
        "game": replace(FREE_GAME, fractions=False, zero=False, most=20),
        "lone_zeros": True,
    },
    "above zero": {"game": replace(FREE_GAME, negatives=False, operators=("-", "x", ":"))},
    "zeros": {"lone_zeros": True},
    "both sides": {"left": "formula", "right": "formula"},
    "either, zeros": {"left": "either", "right": "either", "lone_zeros": True},
    "turned round": {"left": "number", "right": "formula", "leading_zeros": True},
}


# Eight characters of those that are most unlike; of the others with `CRISPS24_EVERY`.
EIGHT = ("classic", "crisps", "either, zeros", "turned round")


@pytest.mark.parametrize(
    ("name", "length"),
    [
        *product(RECORDS, range(5, 8)),
        *product(RECORDS if "CRISPS24_EVERY" in os.environ else EIGHT, [8]),
    ],
)
def test_they_are_those_of_looking_at_every_text(name: str, length: int) -> None:
    equation = Equation(length, **RECORDS[name])
    found = equations(equation)
    assert sorted(found) == sorted(all_equations(equation))
    assert len(set(found)) == len(found)


@st.composite
def records(draw: st.DrawFn) -> Equation:
    """Draw the rules of equations, each of them at random."""
    signs = draw(st.sets(st.sampled_from("-+x:"), min_size=1))
    flags: dict[str, Any] = {
        name: draw(st.booleans()) for name in ("fractions", "negatives", "zero")
    }
    most = draw(st.sampled_from([None, 1, 2, 20]))
    sides = [("formula", "number"), ("number", "formula"), ("formula", "formula")]
    left, right = draw(st.sampled_from([*sides, ("either", "either"), ("either", "number")]))
    return Equation(
        draw(st.sampled_from([5, 6, 6, 7])),
        left,
        right,
        lone_zeros=draw(st.booleans()),
        leading_zeros=draw(st.booleans()),
        game=replace(FREE_GAME, operators=tuple(signs), most=most, **flags),
    )


RANDOM = int(os.environ.get("CRISPS24_RECORDS", "80"))


@settings(max_examples=RANDOM, deadline=None)
@given(records(), st.randoms(use_true_random=False))
def test_random_records_are_those_of_looking_at_every_text(
    equation: Equation, random: Random
) -> None:
    found, expected = equations(equation), sorted(all_equations(equation))
    assert sorted(found) == expected
    if expected:
        guess, secret = random.choice(expected), random.choice(expected)
        left = remaining_equations(equation, [(guess, marks(guess, secret))]).texts
        assert sorted(left) == sorted(left_after(guess, marks(guess, secret), expected))


@pytest.mark.parametrize("signs", ["-+:", ":", "x:", "x"])
@pytest.mark.parametrize("sides", [("formula", "number"), ("either", "either")])
def test_zero_is_multiplied_and_divided_by_all_there_is(signs: str, sides: tuple[str, str]) -> None:
    game = replace(FREE_GAME, operators=tuple(signs))
    for length in (5, 6, 7):
        equation = Equation(length, *sides, lone_zeros=True, game=game)
        assert sorted(equations(equation)) == sorted(all_equations(equation))


@pytest.mark.parametrize(("length", "count"), {6: 238, 7: 7471, 8: 26_228, 9: 391_453}.items())
def test_zero_is_divided_where_nothing_is_multiplied(length: int, count: int) -> None:
    game = replace(FREE_GAME, operators=("-", "+", ":"))
    assert len(equation_keys(Equation(length, lone_zeros=True, game=game))) == count


PUBLISHED = {5: 127, 6: 206, 7: 6661, 8: 17_723, 9: 287_288}
LONG = "CRISPS24_LONG_EQUATIONS" in os.environ


@pytest.mark.parametrize(
    ("length", "count"),
    [
        *PUBLISHED.items(),
        pytest.param(
            10, 1_404_041, marks=pytest.mark.skipif(not LONG, reason="CRISPS24_LONG_EQUATIONS=1")
        ),
    ],
)
def test_there_are_as_many_as_were_published(length: int, count: int) -> None:
    assert len(equation_keys(Equation(length))) == count


@pytest.mark.parametrize(("length", "count"), {5: 127, 6: 206, 7: 6327, 8: 17_162}.items())
def test_there_are_fewer_by_the_rules_of_the_cards(length: int, count: int) -> None:
    assert len(equation_keys(Equation(length, game=CRISPS))) == count


def test_they_are_in_order_of_their_characters_digits_first() -> None:
    found = equations(Equation(7))
    order = {sign: place for place, sign in enumerate("0123456789-+*/=")}
    assert found == sorted(found, key=lambda text: [order[sign] for sign in text])


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(RECORDS)), st.integers(5, 7), st.randoms(use_true_random=False))
def test_each_is_read_and_is_right(name: str, length: int, random: Random) -> None:
    equation = Equation(length, **RECORDS[name])
    found = equations(equation)
    for text in random.sample(found, min(5, len(found))):
        assert format_equations(np.array([read_equation(text, equation)]), equation) == [text]


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(RECORDS)), st.text("0123456789+-*/=", min_size=5, max_size=5))
def test_what_is_read_as_right_is_one_of_them(name: str, text: str) -> None:
    equation = Equation(5, **RECORDS[name])
    if text in equations(equation):
        assert read_equation(text, equation)
    else:
        with pytest.raises(CrispsError, match=r"^[^\n]+$"):
            read_equation(text, equation)


@pytest.mark.parametrize(
    ("text", "told", "marked"),
    [
        ("9*8-7=66", "the left side is 65, the right side is 66", "9*8-7=66"),
        ("9*8-7+65", "= is missing", "9"),
        ("9*8=7=65", "use = only once", "="),
        ("9*80-07=", "07 starts with 0", "07"),
        ("72=9*8+1", "the left side is only a number", "72"),
        ("9*8=70+2", "the right side has an operator", "70+2"),
        ("1+0*8=12", "a number cannot be only 0", "0"),
        ("9-8+0=01", "a number cannot be only 0", "0"),
        ("9-08+0=1", "08 starts with 0", "08"),
        ("9-8+1=02", "02 starts with 0", "02"),
        ("12+0*8=9", "a number cannot be only 0", "0"),
        ("-9+8+7=6", "numbers cannot have a sign", "-"),
        ("9*-8+7=6", "numbers cannot have a sign", "-"),
        ("17/0+8=9", "a number cannot be only 0", "0"),
        ("1234=123", "the left side is only a number", "1234"),
        ("9*/8+7=6", "a number is missing", "/"),
        ("9**8+7=6", "no powers in this game (**)", "**"),
    ],
)
def test_what_is_wrong_is_told_where_it_is(text: str, told: str, marked: str) -> None:
    with pytest.raises(FormulaError) as caught:
        read_equation(text, Equation())
    error = caught.value
    assert told in error.reason
    assert error.text == text
    assert text[error.position : error.position + error.length].startswith(marked)


def test_a_game_forbids_what_its_steps_may_not_make() -> None:
    assert read_equation("7/2*4=14", Equation())
    with pytest.raises(FormulaError, match="7 / 2 leaves a remainder of 1"):
        read_equation("7/2*4=14", Equation(game=CRISPS))
    with pytest.raises(FormulaError, match="1 - 9 is less than zero"):
        read_equation("1-9+10=2", Equation(game=CRISPS))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"length": 11}, "5 to 10 characters, not 11: there are too many longer ones"),
        ({"length": 4}, "5 to 10 characters, not 4"),
        ({"length": 10, "leading_zeros": True}, "5 to 9 characters if numbers can start with 0"),
        ({"left": "number"}, "needs an operator"),
        ({"left": "words"}, "invalid side 'words' .expected one of: number, formula, either"),
        ({"game": GAMES["game24"]}, "does not group by precedence"),
    ],
)
def test_what_makes_no_equation_is_refused(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(CrispsError, match=told):
        Equation(**changes)


def test_an_operator_that_nothing_undoes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    power = Operator("^", ("^",), 3, lambda a, b: a * a * b, lambda a, b: (0, a[1] ** 2 * b[1]))
    monkeypatch.setitem(OPERATORS, "^", power)
    with pytest.raises(CrispsError, match=r"^equations cannot use \^: it has no inverse operator"):
        Equation(game=replace(CRISPS, operators=("+", "^")))


def test_a_key_that_the_grammar_does_not_agree_to_is_named() -> None:
    keys = equation_keys(Equation(5)).copy()
    keys[3] += 1
    with pytest.raises(DisagreementError, match=r"does not agree to 1\+3=5"):
        equations_room._check(keys, Equation(5))


STATES = int(os.environ.get("CRISPS24_STATES", "300"))


def test_what_is_left_is_what_brute_force_leaves() -> None:
    random, every = Random(2024), {}
    for length in (5, 6, 7, 8):
        every[length] = equations(Equation(length))
    for _ in range(STATES):
        length = random.choice([5, 6, 7, 8, 8])
        texts = every[length]
        secret, *tried = random.sample(texts, random.randint(2, 5))
        guesses = [(guess, marks(guess, secret)) for guess in tried]
        left = remaining_equations(Equation(length), guesses).texts
        expected = list(texts)
        for guess, seen in guesses:
            expected = left_after(guess, seen, expected)
        assert left == expected
        assert secret in left


@settings(max_examples=100, deadline=None)
@given(st.text("0123+=", min_size=5, max_size=5), st.text("0123+=", min_size=5, max_size=5))
def test_marks_are_those_of_crossing_characters_out(guess: str, secret: str) -> None:
    symbols = "0123456789-+*/="
    codes = [[symbols.index(sign) for sign in text] for text in (guess, secret)]
    assert marks_for(codes[0], codes[1], Equation(5)) == marks(guess, secret)


def test_the_puzzle_of_the_day() -> None:
    left = remaining_equations(Equation(), [("9*8-7=65", "gyybbgyb")])
    assert left.texts == ["9/2*8=36", "9/3*6=18", "9/6*8=12"]
    assert remaining_equations(Equation(), known="__*8____", having="22", lacking="79").texts[
        :3
    ] == [
        "25*8=200",
        "26*8=208",
        "28*8=224",
    ]


def best_of(texts: list[str]) -> tuple[int, int, str]:
    """Return the best guess by holding each text against each."""
    found = []
    for place, guess in enumerate(texts):
        sizes: dict[str, int] = {}
        for text in texts:
            seen = marks(guess, text)
            sizes[seen] = sizes.get(seen, 0) + 1
        squares = sum(size * size for size in sizes.values())
        found.append((squares, max(sizes.values()), place))
    squares, worst, place = min(found)
    return squares, worst, texts[place]


@pytest.mark.parametrize(
    ("length", "guesses"),
    [(5, []), (6, []), (7, [("12+35=47", "")]), (8, [("48-32=16", "bybbbgby")])],
)
def test_the_best_guess_leaves_the_fewest(length: int, guesses: list[tuple[str, str]]) -> None:
    guesses = [each for each in guesses if each[1]]
    equation = Equation(length)
    left = remaining_equations(equation, guesses)
    if len(left) > 300:
        left = left.select(np.arange(0, len(left), len(left) // 150))
    found = best_guess(left)
    squares, worst, text = best_of(left.texts)
    assert (found.text, found.worst) == (text, worst)
    assert found.expected * len(left) == squares


@pytest.mark.parametrize(("length", "name"), [each for each in OPENINGS if LONG or each[0] < 7])
def test_a_stored_opening_is_what_is_found_again(length: int, name: str) -> None:
    left = remaining_equations(Equation(length, game=GAMES.get(name, FREE_GAME)))
    assert best_guess(left) == best_guess(left, work=None)


@pytest.mark.parametrize(("length", "name"), OPENINGS)
def test_of_a_stored_opening_it_is_known_what_is_left_after_it(length: int, name: str) -> None:
    left = remaining_equations(Equation(length, game=GAMES.get(name, FREE_GAME)))
    found = best_guess(left)
    sizes = np.bincount(left.marks(left.codes[left.texts.index(found.text)].tolist()))
    assert found.expected * len(left) == int(sizes @ sizes)
    assert found.worst == int(sizes.max())


def test_an_opening_is_that_of_its_rules_alone() -> None:
    whole = Equation(6, game=replace(FREE_GAME, fractions=False, operators=("-", "+")))
    left = remaining_equations(whole)
    assert best_guess(left).text in left.texts
    assert best_guess(left) != best_guess(remaining_equations(Equation(6)))


def test_too_many_to_be_held_against_each_other_are_refused() -> None:
    left = remaining_equations(Equation(right="formula"))
    told = "best of 8,934 guesses .* pairs of values \\(limit 1,000\\): 31 equations"
    with pytest.raises(CrispsError, match=told):
        best_guess(left, work=1000)
    with pytest.raises(TypeError, match="no limit of work"):
        best_guess(left, work="all")  # type: ignore[arg-type]
    with pytest.raises(CrispsError, match="no equation is left"):
        best_guess(remaining_equations(Equation(5), known="9+9=_"))


@pytest.mark.parametrize(
    ("read", "told"),
    [
        (lambda: remaining_equations(Equation(5), [("1+2=", "ggggg")]), "has 4 characters"),
        (lambda: remaining_equations(Equation(5), [("1+2=3", "gggg")]), "has 4 marks"),
        (lambda: remaining_equations(Equation(5), [("1+2=3", "ggggr")]), "invalid mark 'r'"),
        (
            lambda: remaining_equations(Equation(5), known="^____"),
            "'\\^' is not in these equations",
        ),
        (lambda: read_marks("", Equation(5)), "has 0 marks"),
    ],
)
def test_what_cannot_be_read_is_refused(read: Any, told: str) -> None:
    with pytest.raises(CrispsError, match=told):
        read()


def test_keys_are_their_characters() -> None:
    equation = Equation(5)
    assert symbol_codes(equation_keys(equation)[:1], equation).tolist() == [[1, 10, 1, 14, 0]]
