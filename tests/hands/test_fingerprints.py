"""The arithmetic of fingerprints, against Python's own ints."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24.hands.fingerprints import PRIME, combined, inverses, prints_of, stand_in
from crisps24.notation.trees import DIVIDE, MINUS, PLUS, TIMES, Operator

ELEMENTS = st.one_of(
    st.integers(0, PRIME - 1),
    st.sampled_from([0, 1, 2**30, 2**31 - 1, 2**31, 2**60, PRIME - 2, PRIME - 1]),
)


def column(values: list[int]) -> Any:
    return np.array(values, np.uint64)


@pytest.mark.parametrize("operator", [PLUS, MINUS, TIMES, DIVIDE])
@given(pairs=st.lists(st.tuples(ELEMENTS, ELEMENTS), max_size=60))
def test_operations_are_those_of_ints_modulo_the_prime(
    operator: Operator, pairs: list[tuple[int, int]]
) -> None:
    if operator is DIVIDE:
        pairs = [(a, b) for a, b in pairs if b]
    left, right = column([a for a, _ in pairs]), column([b for _, b in pairs])
    expected = {
        PLUS: [(a + b) % PRIME for a, b in pairs],
        MINUS: [(a - b) % PRIME for a, b in pairs],
        TIMES: [a * b % PRIME for a, b in pairs],
        DIVIDE: [a * pow(b or 1, -1, PRIME) % PRIME for a, b in pairs],
    }
    second = inverses(right) if operator is DIVIDE else right
    assert combined(operator, left, second).tolist() == expected[operator]


@given(st.lists(st.integers(1, PRIME - 1), max_size=200))
def test_inverses_are_those_of_ints_modulo_the_prime(values: list[int]) -> None:
    assert inverses(column(values)).tolist() == [pow(value, -1, PRIME) for value in values]


def test_equal_numbers_share_a_stand_in_and_others_do_not() -> None:
    numbers = list(range(-100, 1000))
    prints = prints_of([*numbers, *numbers]).tolist()
    assert prints[: len(numbers)] == prints[len(numbers) :] == list(map(stand_in, numbers))
    assert len(set(prints)) == len(numbers)


def test_no_stand_in_is_a_number_that_might_be_dealt_by_accident() -> None:
    assert all(1 < stand_in(number) < PRIME for number in range(1000))


def test_the_modulus_is_a_prime_of_mersenne() -> None:
    # Lucas and Lehmer: 2^p - 1 is prime where this ends at 0.
    value = 4
    for _ in range(61 - 2):
        value = (value * value - 2) % PRIME
    assert value == 0
