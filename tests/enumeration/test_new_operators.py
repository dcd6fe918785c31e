"""A new operator is counted, found and written like the four standard ones."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import crisps24
from crisps24 import GAMES, Game, count, counts, formulas
from crisps24.rules.exact import divide
from crisps24.rules.operators import OPERATORS, Operator, StepRule
from tests.oracle import BinaryFunction, rows, rows_of_card, sorted_by_value
from tests.sampling import some

CRISPS = GAMES["crisps"]
_HALVES = StepRule(
    lambda left, right, result, game: game.fractions or result * 2 == left + right,
    lambda _left, _right, _result: "{step} is not a whole number",
    takes_columns=True,
    reads_operands=True,
)


def _mean(left: Any, right: Any) -> Any:
    return divide(left + right, 2)


def _smaller(left: Any, right: Any) -> Any:
    first = left <= right
    return right + (left - right) * first


def _between(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    return min(left[0], right[0]), max(left[1], right[1])


def mean(precedence: int) -> Operator:
    rules: Any = {"rules": (_HALVES,), "commutes": True, "max_growth": 1}
    return Operator("~", ("~",), precedence, _mean, _between, **rules)


def smaller(precedence: int) -> Operator:
    rules: Any = {"commutes": True, "max_growth": 1, "rational": False}
    return Operator("<", ("min", "<"), precedence, _smaller, _between, **rules)


@contextmanager
def in_the_table(operator: Operator) -> Iterator[Operator]:
    OPERATORS[operator.name] = operator
    try:
        yield operator
    finally:
        del OPERATORS[operator.name]


WORK: dict[str, BinaryFunction] = {"~": lambda a, b: Fraction(a + b) / 2, "<": min}


@pytest.fixture(
    params=[mean(1), mean(2), mean(4), smaller(0), smaller(1), smaller(2)],
    ids=lambda operator: f"{operator.name}{operator.precedence}",
)
def operator(request: pytest.FixtureRequest) -> Iterator[Operator]:
    with in_the_table(request.param) as added:
        yield added


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
        assert counts(game) == {value: len(rows) for value, rows in expected.items()}
        for target in sorted(expected)[::5]:
            listed = [(row.numbers, row.operators) for row in formulas(target, game)]
            assert listed == expected.get(target, [])
            assert count(target, game) == len(listed)


def test_rows_of_a_card_match_brute_force(operator: Operator) -> None:
    more = {operator.name: (operator.precedence, WORK[operator.name])}
    for game in games_with(operator):
        for card, in_order in [((1, 5, 2), False), ((1, 5, 2, 6), True)]:
            expected = sorted_by_value(rows_of_card(card, game, in_order), game, more)
            counted = counts(game, card=card, in_order=in_order)
            assert counted == {value: len(rows) for value, rows in expected.items()}
            target = max(expected, key=lambda value: len(expected[value]), default=Fraction(0))
            listed = formulas(target, game, card=card, in_order=in_order)
            assert [(row.numbers, row.operators) for row in listed] == expected.get(target, [])


def test_files_are_written_read_and_verified(operator: Operator, tmp_path: Path) -> None:
    name = f"crisps {operator.precedence}"
    game = replace(CRISPS, name=name, operators=("-", "+", "x", ":", operator.name))
    path = crisps24.write_results(24, tmp_path, game)
    assert list(crisps24.read_results(path)) == list(formulas(24, game))
    assert crisps24.verify_results(path, game).verdict == "right"
    assert crisps24.verify_results(path).verdict == "wrong"
    assert any(operator.name in formula.operators for formula in crisps24.read_results(path))


def test_operator_without_max_growth_is_counted_only_in_whole_numbers() -> None:
    power = Operator(
        "^",
        ("^", "**"),
        3,
        lambda left, right: left**right,
        lambda left, right: (min(0, left[0]), max(map(abs, left)) ** right[1]),
        stays_positive=True,
        rational=False,
    )
    with in_the_table(power):
        game = Game("powers", (1, 2, 3, 9), 4, operators=("-", "+", "^"))
        more = {"^": (3, lambda a, b: a**b)}
        expected = sorted_by_value(rows(game), game, more)
        assert counts(game) == {value: len(rows) for value, rows in expected.items()}
        largest = max(expected)
        assert largest > 2**64
        listed = [(row.numbers, row.operators) for row in formulas(largest, game)]
        assert listed == expected[largest]
        with pytest.raises(ValueError, match=r"how large fractions grow under \^ is not known"):
            count(24, replace(game, fractions=True))


def test_operator_that_can_be_undone_is_counted_in_fractions() -> None:
    undo: Any = {"undo": lambda result, right: result + result - right}
    with in_the_table(Operator("~", ("~",), 1, _mean, _between, max_growth=1, **undo)):
        game = Game("halves", (1, 2, 3), 3, operators=("x", "~"), fractions=True)
        expected = sorted_by_value(rows(game), game, {"~": (1, WORK["~"])})
        assert counts(game) == {value: len(rows) for value, rows in expected.items()}
        assert count(Fraction(5, 4), game) == len(expected[Fraction(5, 4)])
