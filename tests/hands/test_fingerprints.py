"""Test the arithmetic of fingerprints against Python's own integers."""

from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24.hands import fingerprints
from crisps24.hands.fingerprints import PRIME, FingerprintColumn, inverses
from crisps24.rules.operators import OPERATORS

_LIMITS = [0, 1, 2**30, 2**31 - 1, 2**31, 2**60, PRIME - 2, PRIME - 1]
ELEMENTS = st.one_of(st.integers(0, PRIME - 1), st.sampled_from(_LIMITS))


def column(values: list[int]) -> Any:
    return np.array(values, np.uint64)


ARITHMETIC: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: (a + b) % PRIME,
    "-": lambda a, b: (a - b) % PRIME,
    "x": lambda a, b: a * b % PRIME,
    ":": lambda a, b: a * pow(b, -1, PRIME) % PRIME,
}


@pytest.mark.parametrize("name", ARITHMETIC)
@given(pairs=st.lists(st.tuples(ELEMENTS, ELEMENTS), max_size=60))
def test_column_arithmetic_equals_arithmetic_of_ints_modulo_the_prime(
    name: str, pairs: list[tuple[int, int]]
) -> None:
    if OPERATORS[name].divides:
        pairs = [(a, b) for a, b in pairs if b]
    left, right = (FingerprintColumn(column([pair[side] for pair in pairs])) for side in (0, 1))
    results = OPERATORS[name].arithmetic(left, right)
    assert results.elements.tolist() == [ARITHMETIC[name](a, b) for a, b in pairs]


@given(values=st.lists(ELEMENTS, max_size=30), number=st.integers(-20, 20).filter(bool))
def test_fingerprints_and_ints_can_be_combined(values: list[int], number: int) -> None:
    operand = FingerprintColumn(column(values))
    sums = [(value + number) % PRIME for value in values]
    products = [value * number % PRIME for value in values]
    assert (operand + number).elements.tolist() == (number + operand).elements.tolist() == sums
    assert (operand - number).elements.tolist() == [(value - number) % PRIME for value in values]
    assert (operand * number).elements.tolist() == (number * operand).elements.tolist() == products
    assert (operand / number * number).elements.tolist() == values


def test_known_inverses_are_requested_only_for_division() -> None:
    known = Mock(return_value=inverses(column([3, 3])))
    left, right = FingerprintColumn(column([6, 9])), FingerprintColumn(column([3, 3]), known)
    for _ in (left + right, left - right, left * right, right / left):
        assert not known.called
    assert (left / right).elements.tolist() == [2, 3]
    assert known.call_count == 1


def test_only_equal_numbers_share_an_evaluation_point() -> None:
    numbers = list(range(-100, 1000))
    points = fingerprints.fingerprints_of([*numbers, *numbers]).tolist()
    expected = list(map(fingerprints.evaluation_point, numbers))
    assert points[: len(numbers)] == points[len(numbers) :] == expected
    assert len(set(points)) == len(numbers)
    assert all(1 < point < PRIME for point in points)
