"""Operators as records: results, broken rules and their messages, and declared properties."""

import copy
import pickle
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import compress, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Game
from crisps24.rules import operators
from crisps24.rules.exact import Exact
from crisps24.rules.operators import OPERATORS, Operator, is_inverse_pair
from crisps24.rules.ratios import Ratios, exact_values, make_column
from tests.drawing_helpers import short_fractions
from tests.rules.test_ratios import unreduced
from tests.sampling import in_one_test

DIGITS = GAMES["digits"]
NAMES = "-+x:|"


def games() -> list[Game]:
    """Return games whose numbers are above zero, from zero, or below, with any rules of steps."""
    return [
        replace(DIGITS, numbers=numbers, fractions=fractions, negatives=negatives, zero=zero)
        for fractions, negatives, zero in product((False, True), repeat=3)
        for numbers in ((1, 2, 9), (0, 1, 9), (-3, 1, 9))
        if negatives or numbers[0] >= 0
    ]


@cache
def values_of(game: Game) -> st.SearchStrategy[Exact]:
    least = -60 if game.negatives else 1 if game.positive else 0
    if not game.fractions:
        return st.integers(least, 60)
    fractions = short_fractions(min(least, 0), 60, 9)
    return fractions.filter(bool) if game.positive else fractions


SAMPLED_GAMES = st.sampled_from(games())
STEPS = SAMPLED_GAMES.flatmap(lambda g: st.tuples(st.just(g), values_of(g), values_of(g)))
COLUMNS = SAMPLED_GAMES.flatmap(
    lambda g: st.tuples(st.just(g), st.lists(st.tuples(*[values_of(g)] * 2), max_size=12))
)


def expected_step(name: str, left: Exact, right: Exact, game: Game) -> tuple[Exact | None, str]:
    """Return (value, problem) of a step; independent of the package."""
    if name == ":" and right == 0:
        return None, "divides by zero"
    if name == ":" and not game.fractions and left % right:
        return None, f"leaves a remainder of {left % right}"
    if name == "|" and left == 0:
        return None, "starts with 0"
    results = {"-": left - right, "+": left + right, "x": left * right, "|": 10 * left + right}
    result = Fraction(left) / right if name == ":" else results[name]
    if result < 0 and not game.negatives:
        return None, "is less than zero"
    if result == 0 and not game.zero:
        return None, "is zero"
    return result, ""


@pytest.mark.parametrize("name", NAMES)
@given(STEPS)
def test_a_step_is_legal_or_names_a_broken_rule(name: str, step: tuple[Game, Exact, Exact]) -> None:
    game, left, right = step
    value, reason = expected_step(name, left, right, game)
    result, legal = OPERATORS[name].operate(left, right, game)
    problem = OPERATORS[name].step_problem(left, right, game, "step")
    assert str(problem) == (reason and f"step {reason}")
    assert bool(legal) == (reason == "")
    assert value is None or result == value


@pytest.mark.parametrize("name", NAMES)
@given(drawn=COLUMNS)
def test_columns_step_as_values(name: str, drawn: tuple[Game, list[tuple[Exact, Exact]]]) -> None:
    game, steps = drawn
    operator = OPERATORS[name]
    is_legal = [str(operator.step_problem(*step, game, "")) == "" for step in steps]
    expected = [expected_step(name, *step, game)[0] for step in steps]
    make: Any = unreduced if game.fractions else np.array
    for dtype in ("int64", "object"):
        columns = ([step[side] for step in steps] for side in (0, 1))
        lefts, rights = (make(each, dtype) for each in columns)
        results, legal = operator.operate(lefts, rights, game)
        assert np.broadcast_to(np.asarray(legal, bool), len(steps)).tolist() == is_legal
        legal = [result for result in expected if result is not None]
        assert list(compress(exact_values(results), is_legal)) == legal


def values_and_bounds(game: Game, whole: bool) -> st.SearchStrategy[tuple[Exact, tuple[int, int]]]:
    """Draw a value and bounds around it."""
    floor = -(10**9) if game.negatives else 1 if game.positive and not game.fractions else 0

    def around(value: Exact, below: int, above: int) -> tuple[Exact, tuple[int, int]]:
        return value, (max(floor, value // 1 - below), -(-value // 1) + above)

    values = values_of(replace(game, fractions=False)) if whole else values_of(game)
    return st.builds(around, values, st.integers(0, 9), st.integers(0, 9))


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_results_of_legal_steps_are_within_the_bounds(name: str, data: st.DataObject) -> None:
    """Right operands of products, quotients and joined digits are whole."""
    game = data.draw(SAMPLED_GAMES)
    left, lefts = data.draw(values_and_bounds(game, whole=False))
    right, rights = data.draw(values_and_bounds(game, whole=OPERATORS[name].precedence > 1))
    result, legal = OPERATORS[name].operate(left, right, game)
    least, most = OPERATORS[name].bounds(lefts, rights)
    if legal:
        assert least <= result <= most


@given(short_fractions(-99, 99, 9), short_fractions(-99, 99, 9))
def test_operators_have_the_properties_of_their_records(left: Fraction, right: Fraction) -> None:
    sizes = [max(abs(value.numerator), value.denominator, 2) for value in (left, right)]
    for operator in OPERATORS.values():
        assert (operator.undo is None) == (operator.name in "x:|")
        if operator.undo:
            assert operator.undo(operator.arithmetic(left, right), right) == left
            assert operator.arithmetic(operator.undo(left, right), right) == left
        assert operator.commutes == (operator.name in "+x")
        if operator.divides and right == 0:
            continue
        result = operator.arithmetic(left, right)
        if operator.inverse and not (right == 0 and operator.name == "x"):
            inverse = OPERATORS[operator.inverse]
            assert inverse.inverse == operator.name
            assert inverse.arithmetic(result, right) == left
        assert not operator.commutes or result == operator.arithmetic(right, left)
        assert operator.max_growth is not None
        most = 2 * operator.max_growth * sizes[0] * sizes[1]
        assert max(abs(result.numerator), result.denominator) <= most
        if operator.stays_positive:
            positive = operator.arithmetic(abs(left), abs(right))
            assert positive >= 0
            assert positive > 0 or not (left and right)


@given(short_fractions(-99, 99, 9), st.lists(st.integers(-20, 20), min_size=1, max_size=5))
def test_denominators_grow_by_a_divisor_of_their_factor(left: Fraction, numbers: list[int]) -> None:
    for operator in OPERATORS.values():
        if operator.denominator_factor is not None:
            most = left.denominator * operator.denominator_factor(numbers)
            for right in numbers:
                if right or not operator.divides:
                    assert most % operator.arithmetic(left, right).denominator == 0


def test_two_operators_are_an_inverse_pair_if_each_undoes_the_other() -> None:
    for names, is_pair in (("-+", True), ("x:", True), ("-", False), (":", False), ("|", False)):
        assert is_inverse_pair([OPERATORS[name] for name in names]) == is_pair, names
    mean = Operator("~", ("~",), 2, OPERATORS["x"].arithmetic, OPERATORS["x"].bounds)
    assert not is_inverse_pair([OPERATORS["x"], OPERATORS[":"], mean])


def test_records_are_in_the_order_of_results_files() -> None:
    assert "".join(OPERATORS) == NAMES
    assert [operators.operator_by_name(name) for name in NAMES] == list(OPERATORS.values())
    assert operators.JOIN is OPERATORS["|"]
    assert [operator.name for operator in OPERATORS.values() if operator.joins] == ["|"]


def test_spellings_of_operators_are_unique() -> None:
    spellings = [spelling for operator in OPERATORS.values() for spelling in operator.spellings]
    assert len(set(spellings)) == len(spellings)
    assert all(operator.name in operator.spellings for operator in OPERATORS.values())


def test_a_copied_or_pickled_operator_is_the_same_object() -> None:
    for operator in OPERATORS.values():
        assert pickle.loads(pickle.dumps(operator)) is operator
        assert copy.deepcopy(operator) is operator


@in_one_test(
    ("changes", "sentence"),
    ({"name": "ab"}, r"invalid operator name 'ab' \(expected one character\)"),
    *(({"name": name}, "invalid operator name") for name in ("", "min", "7", " ")),
    ({"spellings": ("plus",)}, "invalid spellings of ~ .expected ~ and others, without spaces"),
    ({"spellings": ("~", "")}, "invalid spellings of ~"),
    ({"spellings": ("~", "a (")}, "invalid spellings of ~"),
    ({"precedence": 9}, r"invalid precedence of ~ \(expected less than 9\)"),
    ({"arity": 1, "takes_columns": True}, "~ has one operand: it cannot take columns"),
)
def test_record_that_no_grammar_reads_is_refused(changes: dict[str, Any], sentence: str) -> None:
    fields: dict[str, Any] = {"name": "~", "spellings": ("~",), "precedence": 1, "arithmetic": max}
    Operator(**fields)
    with pytest.raises(ValueError, match=sentence):
        Operator(**(fields | changes))


def test_an_arithmetic_that_fails_on_columns_is_refused_in_a_sentence() -> None:
    rest = Operator("%", ("%",), 2, lambda a, b: a % b, lambda a, _: a, takes_columns=True)
    column = Ratios(np.array([1]), np.array([2]))
    with pytest.raises(ValueError, match="the arithmetic of % does not work on Ratios"):
        rest.operate(column, column, GAMES["digits"])


SMALL = st.integers(-40, 40)
_POWERS = st.builds(pow, st.integers(2, 9), st.integers(0, 9))
SHORT = st.one_of(SMALL, st.integers(1 - 2**31, 2**31 - 1), _POWERS)
_BELOW = st.one_of(st.integers(1, 40), SHORT.filter(lambda v: v > 0))
SHORT_RATIO = st.builds(Fraction, SHORT, _BELOW)
OPERAND = st.one_of(SHORT_RATIO, st.builds(Fraction, SMALL, st.integers(1, 9)))


@given(
    st.sampled_from("^√!"),
    st.lists(st.tuples(SHORT_RATIO, OPERAND)),
    st.sampled_from([31, 10, 3]),
    st.booleans(),
    st.booleans(),
)
def test_column_arithmetic_equals_the_arithmetic_of_values(
    name: str, pairs: list[tuple[Fraction, Fraction]], bits: int, fractions: bool, negatives: bool
) -> None:
    operator = operators.OPTIONAL_OPERATORS[name]
    game = replace(GAMES["digits"], bits=bits, fractions=fractions, negatives=negatives)
    game = replace(game, operators=("+", name))
    steps = [pair if fractions else tuple(map(int, pair)) for pair in pairs]
    columns = ([pair[side] for pair in steps] for side in (0, 1))
    lefts, rights = (make_column(column, fractions, np.int64) for column in columns)
    results, legal = operator.operate(lefts, rights, game)
    for (left, right), result, is_row in zip(steps, exact_values(results), legal, strict=True):
        expected, is_legal = operator.operate(left, right, game)
        assert bool(is_row) == is_legal, (left, right)
        assert not is_legal or result == expected, (left, right)


@pytest.mark.parametrize("bits", [1, 3, 8, 61, 62])
def test_a_limit_of_bits_allows_its_largest_value_and_no_larger_one(bits: int) -> None:
    is_obeyed, largest = operators.max_bits_rule(bits).is_obeyed, (1 << bits) - 1
    above = largest + 1
    within: list[Exact] = [0, 1, largest, -largest]
    beyond: list[Exact] = [above, -above, Fraction(1, above), Fraction(above + 1, above)]
    if bits > 1:
        within += [Fraction(largest, largest - 1), Fraction(-1, largest)]
    assert [is_obeyed(value) for value in within] == [True] * len(within)
    assert [is_obeyed(value) for value in beyond] == [False] * len(beyond)
    for values, legal in ((within, True), (beyond, False)):
        for kind in (np.int64, object) if bits < 62 else (object,):
            column: Any = make_column(values, True, kind)
            assert is_obeyed(column).tolist() == [legal] * len(values)
    # Fractions of a column are reduced before they are compared with the limit.
    double = np.array([2 * largest, 2 * above], object)
    for column in (Ratios(double, np.array([2, 2])), Ratios(np.array([2, 2]), double)):
        assert is_obeyed(column).tolist() == [True, False]


@in_one_test("operator", *(each for each in OPERATORS.values() if each.window))
def test_a_window_has_exactly_the_operands_of_results_within_bounds(operator: Operator) -> None:
    assert operator.window
    game, numbers = GAMES["countdown"], range(25)
    for low, high, known, right in product((1, 4, 12), (4, 12, 30), numbers, (True, False)):
        first, last = operator.window((low, high), known, right)
        for other in numbers:
            operands = (other, known) if right else (known, other)
            result, is_legal = operator.operate(*operands, game)
            assert not is_legal or (first <= other <= last) == (low <= result <= high)
