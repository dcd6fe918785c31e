"""Equations: complete and right; their marks, remaining equations and best guesses."""

import os
from collections import Counter
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, CrispsError, Equation, FormulaError, equations
from crisps24.enumeration.enumeration import DisagreementError
from crisps24.equation_puzzles import guesses
from crisps24.equation_puzzles import search as search_module
from crisps24.equation_puzzles.guesses import OPENINGS, best_guess, remaining_equations
from crisps24.equation_puzzles.reading import read_equation
from crisps24.equation_puzzles.search import equation_keys, format_equations
from crisps24.rules.games import FREE_GAME
from crisps24.rules.operators import OPERATORS, Operator
from tests.equation_puzzles.equations_oracle import all_equations, left_after, marks
from tests.sampling import EVERY, examples, in_one_test
from tests.tables import cells_of

CRISPS = GAMES["crisps"]
# Records that differ in as many rules as possible.
RECORDS: dict[str, dict[str, Any]] = {
    "classic": {},
    "crisps": {"game": CRISPS},
    "up to 20": {"game": replace(FREE_GAME, zero=False, most=20), "lone_zeros": True},
    "above zero": {"game": replace(FREE_GAME, negatives=False, operators=("-", "x", ":"))},
    "zeros": {"lone_zeros": True},
    "both sides": {"left": "formula", "right": "formula"},
    "either, zeros": {"left": "either", "right": "either", "lone_zeros": True},
    "turned round": {"left": "number", "right": "formula", "leading_zeros": True},
}


@in_one_test(
    ("name", "length"),
    *product(RECORDS, range(5, 8) if EVERY else [5, 7]),
    *product(RECORDS if EVERY else ("classic", "crisps"), [8]),
)
def test_equations_match_brute_force(name: str, length: int) -> None:
    equation = Equation(length, **RECORDS[name])
    texts = equations(equation)
    assert sorted(texts) == sorted(all_equations(equation))
    assert len(set(texts)) == len(texts)


@st.composite
def records(draw: st.DrawFn) -> Equation:
    signs = draw(st.sets(st.sampled_from("-+x:"), min_size=1))
    names = ("fractions", "negatives", "zero")
    flags: dict[str, Any] = {name: draw(st.booleans()) for name in names}
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


@examples(int(os.environ.get("CRISPS24_RECORDS", "80")))
@given(records(), st.randoms(use_true_random=False))
def test_equations_of_random_records_match_brute_force(equation: Equation, random: Random) -> None:
    expected = sorted(all_equations(equation))
    assert sorted(equations(equation)) == expected
    if expected:
        guess, secret = random.choice(expected), random.choice(expected)
        left = remaining_equations(equation, [(guess, marks(guess, secret))]).texts
        assert sorted(left) == sorted(left_after(guess, marks(guess, secret), expected))


LONG = "CRISPS24_LONG_EQUATIONS" in os.environ
PUBLISHED = (127, 206, 6661, 17_723, 287_288, *((1_404_041,) if LONG else ()))
# Quotients of zero without products.
_DIVIDED = replace(FREE_GAME, operators=("-", "+", ":"))
QUOTIENTS: dict[str, Any] = {"lone_zeros": True, "game": _DIVIDED}


@in_one_test(
    ("rules", "length", "count"),
    *(({}, length, count) for length, count in enumerate(PUBLISHED, 5)),
    *(({"game": CRISPS}, n, count) for n, count in enumerate((127, 206, 6327, 17_162), 5)),
    *((QUOTIENTS, n, count) for n, count in enumerate((238, 7471, 26_228, 391_453), 6)),
)
def test_number_of_equations(rules: dict[str, Any], length: int, count: int) -> None:
    assert len(equation_keys(Equation(length, **rules))) == count


def test_equations_are_sorted_with_digits_before_signs() -> None:
    texts = equations(Equation(7))
    order = {sign: index for index, sign in enumerate("0123456789-+*/=")}
    assert texts == sorted(texts, key=lambda text: [order[sign] for sign in text])


@examples(60)
@given(st.sampled_from(sorted(RECORDS)), st.integers(5, 7), st.randoms(use_true_random=False))
def test_equations_are_read_as_right(name: str, length: int, random: Random) -> None:
    equation = Equation(length, **RECORDS[name])
    texts = equations(equation)
    for text in texts and random.sample(texts, min(5, len(texts))):
        assert format_equations(np.array([read_equation(text, equation)]), equation) == [text]


@examples(100)
@given(st.sampled_from(sorted(RECORDS)), st.text("0123456789+-*/=", min_size=5, max_size=5))
def test_text_is_read_only_if_it_is_an_equation(name: str, text: str) -> None:
    equation = Equation(5, **RECORDS[name])
    if text in equations(equation):
        assert read_equation(text, equation)
    else:
        with pytest.raises(CrispsError, match=r"^[^\n]+$"):
            read_equation(text, equation)


@in_one_test(("text", "reason", "marked"), *cells_of("unread-equations.txt"))
def test_wrong_equation_is_refused_with_its_position(text: str, reason: str, marked: str) -> None:
    with pytest.raises(FormulaError) as caught:
        read_equation(text, Equation())
    error = caught.value
    assert reason in error.reason
    assert error.text == text
    assert text[error.position : error.position + error.length].startswith(marked)


def test_steps_obey_the_rules_of_the_game() -> None:
    assert read_equation("7/2*4=14", Equation())
    with pytest.raises(FormulaError, match="7 / 2 leaves a remainder of 1"):
        read_equation("7/2*4=14", Equation(game=CRISPS))
    with pytest.raises(FormulaError, match="1 - 9 is less than zero"):
        read_equation("1-9+10=2", Equation(game=CRISPS))


@in_one_test(
    ("changes", "message"),
    ({"length": 10, "leading_zeros": True}, "5 to 9 characters if numbers can start with 0"),
    ({"left": "words"}, "invalid side 'words' .expected one of: number, formula, either"),
)
def test_invalid_record_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(CrispsError, match=message):
        Equation(**changes)


@in_one_test("fields", {}, {"inverse": "-", "max_growth": 2})
def test_operator_without_inverse_is_refused(monkeypatch: pytest.MonkeyPatch, fields: Any) -> None:
    bounds = lambda a, b: (0, a[1] ** 2 * b[1])  # noqa: E731
    power = Operator("^", ("^",), 3, lambda a, b: a * a * b, bounds, **fields)
    monkeypatch.setitem(OPERATORS, "^", power)
    with pytest.raises(CrispsError, match=r"^equations cannot use \^: it has no inverse operator"):
        Equation(game=replace(CRISPS, operators=("+", "^")))


def test_wrong_key_is_named() -> None:
    keys = equation_keys(Equation(5)).copy()
    keys[3] += 1
    with pytest.raises(DisagreementError, match=r"does not agree to 1\+3=5"):
        search_module._check(keys, Equation(5))


def test_remaining_equations_match_brute_force() -> None:
    random, every = Random(2024), {length: equations(Equation(length)) for length in (5, 6, 7, 8)}
    for _ in range(int(os.environ.get("CRISPS24_STATES", "300"))):
        length = random.choice([5, 6, 7, 8, 8])
        texts = every[length]
        secret, *tried = random.sample(texts, random.randint(2, 5))
        guesses = [(guess, marks(guess, secret)) for guess in tried]
        left, expected = remaining_equations(Equation(length), guesses).texts, list(texts)
        for guess, seen in guesses:
            expected = left_after(guess, seen, expected)
        assert left == expected
        assert secret in left


@examples(100)
@given(st.text("0123+=", min_size=5, max_size=5), st.text("0123+=", min_size=5, max_size=5))
def test_marks_match_brute_force(guess: str, secret: str) -> None:
    codes = [["0123456789-+*/=".index(sign) for sign in text] for text in (guess, secret)]
    assert guesses.marks_for(codes[0], codes[1], Equation(5)) == marks(guess, secret)


def test_remaining_equations_of_the_daily_puzzle() -> None:
    left = remaining_equations(Equation(), [("9*8-7=65", "gyybbgyb")])
    assert left.texts == ["9/2*8=36", "9/3*6=18", "9/6*8=12"]
    left = remaining_equations(Equation(), known="__*8____", having="22", lacking="79")
    assert left.texts[:3] == ["25*8=200", "26*8=208", "28*8=224"]


def best_by_brute_force(texts: list[str]) -> tuple[int, int, str]:
    """Return (squares, worst, text) of the best guess, comparing each text with each."""
    results = []
    for row, guess in enumerate(texts):
        sizes = Counter(marks(guess, text) for text in texts).values()
        results.append((sum(size * size for size in sizes), max(sizes), row))
    squares, worst, row = min(results)
    return squares, worst, texts[row]


@in_one_test(("length", "guesses"), (5, []), (6, []), (7, []), (8, [("48-32=16", "bybbbgby")]))
def test_best_guess_matches_brute_force(length: int, guesses: list[tuple[str, str]]) -> None:
    left = remaining_equations(Equation(length), guesses)
    if len(left) > 300:
        left = left.select(np.arange(0, len(left), len(left) // 150))
    best = best_guess(left)
    squares, worst, text = best_by_brute_force(left.texts)
    assert (best.text, best.worst) == (text, worst)
    assert best.expected * len(left) == squares


@pytest.mark.parametrize(("length", "name"), [key for key in OPENINGS if LONG or key[0] < 7])
def test_stored_opening_is_the_best_guess(length: int, name: str) -> None:
    left = remaining_equations(Equation(length, game=GAMES.get(name, FREE_GAME)))
    assert best_guess(left) == best_guess(left, work=None)


def test_opening_is_used_only_for_its_own_rules() -> None:
    changed = Equation(6, game=replace(FREE_GAME, fractions=False, operators=("-", "+")))
    left = remaining_equations(changed)
    assert best_guess(left).text in left.texts
    assert best_guess(left) != best_guess(remaining_equations(Equation(6)))


def test_best_guess_over_the_limit_is_refused() -> None:
    left = remaining_equations(Equation(right="formula"))
    message = "best of 8,934 guesses .* pairs of values \\(limit 1,000\\): 31 equations"
    with pytest.raises(CrispsError, match=message):
        best_guess(left, work=1000)
    with pytest.raises(TypeError, match="invalid work limit"):
        best_guess(left, work="all")  # type: ignore[arg-type]
    with pytest.raises(CrispsError, match="no equation is left"):
        best_guess(remaining_equations(Equation(5), known="9+9=_"))


@in_one_test(
    ("read", "message"),
    (lambda: remaining_equations(Equation(5), [("1+2=3", "gggg")]), "has 4 marks"),
    (lambda: remaining_equations(Equation(5), [("1+2=3", "ggggr")]), "invalid mark 'r'"),
    (lambda: guesses.read_marks("", Equation(5)), "has 0 marks"),
)
def test_invalid_guesses_and_marks_are_refused(read: Any, message: str) -> None:
    with pytest.raises(CrispsError, match=message):
        read()
