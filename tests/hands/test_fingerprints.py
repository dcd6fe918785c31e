"""The arithmetic of fingerprints, against Python's own ints."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24.hands.fingerprints import (
    PRIME,
    FingerprintColumn,
    evaluation_point,
    fingerprints_of,
    inverses,
)
from crisps24.rules.operators import OPERATORS

ELEMENTS = st.one_of(
    st.integers(0, PRIME - 1),
    st.sampled_from([0, 1, 2**30, 2**31 - 1, 2**31, 2**60, PRIME - 2, PRIME - 1]),
)


def column(values: list[int]) -> Any:
    return np.array(values, np.uint64)


BY_NAME: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: (a + b) % PRIME,
    "-": lambda a, b: (a - b) % PRIME,
    "x": lambda a, b: a * b % PRIME,
    ":": lambda a, b: a * pow(b, -1, PRIME) % PRIME,
}


@pytest.mark.parametrize("name", BY_NAME)
@given(pairs=st.lists(st.tuples(ELEMENTS, ELEMENTS), max_size=60))
def test_operations_are_those_of_ints_modulo_the_prime(
    name: str, pairs: list[tuple[int, int]]
) -> None:
    if OPERATORS[name].divides:
        pairs = [(a, b) for a, b in pairs if b]
    left, right = (
        FingerprintColumn(column([a for a, _ in pairs])),
        FingerprintColumn(column([b for _, b in pairs])),
    )
    made = OPERATORS[name].arithmetic(left, right)
    assert made.elements.tolist() == [BY_NAME[name](a, b) for a, b in pairs]


@given(values=st.lists(ELEMENTS, max_size=30), number=st.integers(-20, 20).filter(bool))
def test_whole_numbers_may_stand_beside_fingerprints(values: list[int], number: int) -> None:
    prints = FingerprintColumn(column(values))
    assert (prints + number).elements.tolist() == [(each + number) % PRIME for each in values]
    assert (number + prints).elements.tolist() == [(each + number) % PRIME for each in values]
    assert (prints - number).elements.tolist() == [(each - number) % PRIME for each in values]
    assert (prints * number).elements.tolist() == [each * number % PRIME for each in values]
    assert (number * prints).elements.tolist() == [each * number % PRIME for each in values]
    back = prints / number * number
    assert back.elements.tolist() == values


def test_inverses_that_are_known_are_asked_for_where_something_is_divided_and_not_before() -> None:
    asked: list[str] = []
    threes = inverses(column([3, 3]))

    def known() -> Any:
        asked.append("inverses")
        return threes

    left, right = FingerprintColumn(column([6, 9])), FingerprintColumn(column([3, 3]), known)
    for _ in (left + right, left - right, left * right, right / left):
        assert not asked
    assert (left / right).elements.tolist() == [2, 3]
    assert asked == ["inverses"]


@given(st.lists(st.integers(1, PRIME - 1), max_size=200))
def test_inverses_are_those_of_ints_modulo_the_prime(values: list[int]) -> None:
    assert inverses(column(values)).tolist() == [pow(value, -1, PRIME) for value in values]


def test_equal_numbers_share_a_stand_in_and_others_do_not() -> None:
    numbers = list(range(-100, 1000))
    prints = fingerprints_of([*numbers, *numbers]).tolist()
    assert prints[: len(numbers)] == prints[len(numbers) :] == list(map(evaluation_point, numbers))
    assert len(set(prints)) == len(numbers)


def test_no_stand_in_is_a_number_that_might_be_dealt_by_accident() -> None:
    assert all(1 < evaluation_point(number) < PRIME for number in range(1000))


def test_the_modulus_is_a_prime_of_mersenne() -> None:
    # Lucas and Lehmer: 2^p - 1 is prime where this ends at 0.
    value = 4
    for _ in range(61 - 2):
        value = (value * value - 2) % PRIME
    assert value == 0
