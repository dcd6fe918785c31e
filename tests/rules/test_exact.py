"""Exact values: what they are, and how two are divided."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24.rules.exact import divide, int_if_whole, to_exact
from crisps24.rules.ratios import exact_values, make_column


def test_a_target_is_never_a_float() -> None:
    for target in (24.0, "24", None):
        with pytest.raises(TypeError, match="is not exact: a target is an int or a Fraction"):
            to_exact(target)  # type: ignore[arg-type]


@given(st.fractions())
def test_a_value_is_an_int_where_it_is_whole(value: Fraction) -> None:
    for found in (to_exact(value), int_if_whole(value)):
        assert found == value
        assert isinstance(found, int) == (value.denominator == 1)


def test_an_int_of_numpy_is_a_target_as_any_int_is() -> None:
    assert type(to_exact(np.int64(24))) is int  # type: ignore[arg-type]


@given(st.integers(-99, 99), st.integers(-99, 99).filter(bool))
def test_ints_are_divided_rounding_down_and_fractions_exactly(left: int, right: int) -> None:
    assert divide(left, right) == left // right
    assert divide(np.array([left]), np.array([right])).tolist() == [left // right]
    assert divide(Fraction(left), right) == Fraction(left, right)
    columns = [make_column([value], True, np.int64) for value in (left, right)]
    assert exact_values(divide(*columns)) == [Fraction(left, right)]
