"""Exact values: conversion and division."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24.rules.exact import divide, int_if_whole, to_exact
from crisps24.rules.ratios import exact_values, make_column


def test_a_target_that_is_not_exact_is_refused() -> None:
    for target in (24.0, "24", None):
        with pytest.raises(TypeError, match="is not exact"):
            to_exact(target)  # type: ignore[arg-type]


@given(st.fractions())
def test_a_whole_value_becomes_an_int(value: Fraction) -> None:
    for result in (to_exact(value), int_if_whole(value)):
        assert result == value
        assert isinstance(result, int) == (value.denominator == 1)


def test_a_numpy_int_becomes_an_int() -> None:
    assert type(to_exact(np.int64(24))) is int  # type: ignore[arg-type]


@given(st.integers(-99, 99), st.integers(-99, 99).filter(bool))
def test_ints_are_divided_rounding_down_and_fractions_exactly(left: int, right: int) -> None:
    assert divide(left, right) == left // right
    assert divide(np.array([left]), np.array([right])).tolist() == [left // right]
    assert divide(Fraction(left), right) == Fraction(left, right)
    columns = [make_column([value], True, np.int64) for value in (left, right)]
    assert exact_values(divide(*columns)) == [Fraction(left, right)]
