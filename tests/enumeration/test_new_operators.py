"""A new operator is counted, found and written like the four standard ones."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import crisps24
from crisps24 import GAMES, Game, count, formulas
from crisps24.rules.operators import OPERATORS, Operator
from tests.enumeration.test_cards import assert_rows_are
from tests.hands.dealing import MEAN, MINIMUM
from tests.oracle import BinaryFunction, rows, rows_of_card, sorted_by_value
from tests.sampling import some

CRISPS = GAMES["crisps"]

WORK: dict[str, BinaryFunction] = {"~": lambda a, b: Fraction(a + b) / 2, "v": min}


@pytest.fixture(
    params=[*((MEAN, level) for level in (1, 2, 4)), *((MINIMUM, level) for level in (0, 1, 2))]
)
def operator(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Operator:
    base, precedence = request.param
    added: Operator = replace(base, precedence=precedence, max_growth=1)
    monkeypatch.setitem(OPERATORS, added.name, added)
    return added


def games_with(operator: Operator) -> Iterator[Game]:
    game = replace(CRISPS, numbers=(0, 1, 2, 5), length=3)
    bare = {"negatives": True, "zero": False}
    rules: list[dict[str, Any]] = [{}, {"fractions": True}, bare, {"join": True}]
    for signs in some((operator.name, f"-+x:{operator.name}", f"-{operator.name}"), 2):
        for flags in rules:
            # Tables are cached by game: the names differ, so that operators share no table.
            name = f"{signs} {flags} {operator.precedence}"
            yield replace(game, name=name, operators=tuple(signs), **flags)


def test_rows_match_brute_force(operator: Operator) -> None:
    more = {operator.name: (operator.precedence, WORK[operator.name])}
    for game in games_with(operator):
        expected = sorted_by_value(rows(game), game, more)
        assert_rows_are(expected, sorted(expected)[::5], game)


def test_rows_of_a_card_match_brute_force(operator: Operator) -> None:
    more = {operator.name: (operator.precedence, WORK[operator.name])}
    for game in games_with(operator):
        for card, in_order in [((1, 5, 2), False), ((1, 5, 2, 6), True)]:
            expected = sorted_by_value(rows_of_card(card, game, in_order), game, more)
            target = max(expected, key=lambda value: len(expected[value]), default=Fraction(0))
            assert_rows_are(expected, [target], game, card=card, in_order=in_order)


def test_files_are_written_read_and_verified(operator: Operator, tmp_path: Path) -> None:
    name = f"crisps {operator.precedence}"
    game = replace(CRISPS, name=name, operators=("-", "+", "x", ":", operator.name))
    path = crisps24.write_results(24, tmp_path, game)
    assert list(crisps24.read_results(path)) == list(formulas(24, game))
    assert crisps24.verify_results(path, game).verdict == "right"
    assert crisps24.verify_results(path).verdict == "wrong"
    assert any(operator.name in formula.operators for formula in crisps24.read_results(path))


def test_operator_without_max_growth_counts_whole_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds = lambda left, right: (min(0, left[0]), max(map(abs, left)) ** right[1])  # noqa: E731
    flags: Any = {"stays_positive": True, "takes_columns": True}
    power = Operator("^", ("^", "**"), 3, lambda left, right: left**right, bounds, **flags)
    monkeypatch.setitem(OPERATORS, "^", power)
    game = Game("powers", (1, 2, 3, 9), 4, operators=("-", "+", "^"))
    more = {"^": (3, lambda a, b: a**b)}
    expected = sorted_by_value(rows(game), game, more)
    largest = max(expected)
    assert largest > 2**64
    assert_rows_are(expected, [largest], game)
    with pytest.raises(ValueError, match=r"how large fractions grow under \^ is not known"):
        count(24, replace(game, fractions=True))


def test_operator_with_inverse_is_counted_in_fractions(monkeypatch: pytest.MonkeyPatch) -> None:
    changes: Any = {"rules": (), "commutes": False, "precedence": 1, "max_growth": 1}
    mirror = Operator("<", ("<",), 1, lambda a, b: a + a - b, rational=True, inverse="~")
    monkeypatch.setitem(OPERATORS, "~", replace(MEAN, inverse="<", **changes))
    monkeypatch.setitem(OPERATORS, "<", mirror)
    game = Game("halves", (1, 2, 3), 3, operators=("x", "~"), fractions=True)
    expected = sorted_by_value(rows(game), game, {"~": (1, WORK["~"])})
    assert_rows_are(expected, [Fraction(5, 4)], game)
