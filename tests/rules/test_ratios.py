"""Columns of fractions, compared with `Fraction`: 64-bit integers and Python ints."""

from fractions import Fraction
from operator import add, eq, ge, le, mul, ne, sub, truediv
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24.rules import ratios
from crisps24.rules.exact import Exact
from tests.sampling import examples

SMALL = st.builds(Fraction, st.integers(-(10**6), 10**6), st.integers(1, 1000))
LARGE = st.builds(Fraction, st.integers(-(10**30), 10**30), st.integers(1, 10**30))
# A numpy type with pairs of fractions that fit into it.
_KINDS = {"int64": st.tuples(SMALL, SMALL), "object": st.tuples(LARGE, LARGE)}
PAIRS = st.one_of(*(st.tuples(st.just(k), st.lists(v, max_size=20)) for k, v in _KINDS.items()))
INTS = st.one_of(
    st.lists(st.integers(-50, 50), max_size=30),
    st.lists(st.integers(-(2**31) + 1, 2**31 - 1), max_size=300),
    st.lists(st.integers(-20, 20000), min_size=250, max_size=400),
)

HALF = examples(20)


def unreduced(values: list[Fraction], dtype: str) -> ratios.Ratios:
    """Return a column of fractions that are not in lowest terms."""
    factors = [place % 5 + 1 for place in range(len(values))]
    tops = [value.numerator * factor for value, factor in zip(values, factors, strict=True)]
    bottoms = [value.denominator * factor for value, factor in zip(values, factors, strict=True)]
    return ratios.Ratios(np.array(tops, dtype), np.array(bottoms, dtype))


def make_columns(drawn: tuple[str, list[tuple[Fraction, Fraction]]]) -> tuple[Any, ...]:
    dtype, pairs = drawn
    left, right = ([pair[side] for pair in pairs] for side in (0, 1))
    return left, right, unreduced(left, dtype), unreduced(right, dtype)


@pytest.mark.parametrize("operate", [add, sub, mul])
@HALF
@given(drawn=PAIRS)
def test_arithmetic_of_columns_equals_that_of_fractions(operate: Any, drawn: Any) -> None:
    left, right, lefts, rights = make_columns(drawn)
    assert ratios.exact_values(operate(lefts, rights)) == list(map(operate, left, right))


@HALF
@given(drawn=PAIRS)
def test_division_of_columns_has_positive_denominators(drawn: Any) -> None:
    left, right, lefts, rights = make_columns((drawn[0], [pair for pair in drawn[1] if pair[1]]))
    quotients = lefts / rights
    assert ratios.exact_values(quotients) == list(map(truediv, left, right))
    assert (quotients.denominators > 0).all()


@pytest.mark.parametrize("compare", [eq, ne, ge, le])
@HALF
@given(drawn=PAIRS, other=st.one_of(st.integers(-3, 3), st.integers(), SMALL, LARGE))
def test_columns_are_compared_as_fractions(compare: Any, drawn: Any, other: Exact) -> None:
    left, right, lefts, rights = make_columns(drawn)
    assert compare(lefts, rights).tolist() == list(map(compare, left, right))
    assert compare(lefts, other).tolist() == [compare(value, other) for value in left]


@HALF
@given(PAIRS)
def test_reduced_columns_are_in_lowest_terms(drawn: Any) -> None:
    left, _, lefts, _ = make_columns(drawn)
    lowest = ratios.reduce_column(lefts)
    assert isinstance(lowest, ratios.Ratios)
    assert lowest.numerators.tolist() == [value.numerator for value in left]
    assert lowest.denominators.tolist() == [value.denominator for value in left]


@HALF
@given(PAIRS)
def test_equal_fractions_are_in_one_group(drawn: Any) -> None:
    left, _, lefts, _ = make_columns(drawn)
    repeated = ratios.reduce_column(ratios.join_columns([lefts, lefts]))
    order, starts = ratios.group_rows(repeated)
    assert sorted(ratios.exact_values(repeated[order[starts]])) == sorted(set(left))


@HALF
@given(INTS, st.sampled_from(["int32", "int64", "object"]))
def test_distinct_ints_are_ascending(values: list[int], dtype: str) -> None:
    column = np.array(values, dtype)
    order, starts = ratios.group_rows(column)
    assert ratios.exact_values(column[order[starts]]) == sorted(set(values))
    [distinct] = ratios.distinct_rows(column)
    assert ratios.exact_values(distinct) == sorted(set(values))
    assert distinct.dtype == column.dtype


@HALF
@given(PAIRS, st.lists(st.integers(-(2**31), 2**31 - 1), min_size=2), st.booleans())
def test_distinct_rows_are_first_of_groups(drawn: Any, ints: list[int], fractions: bool) -> None:
    _, _, lefts, _ = make_columns(drawn)
    int_column = np.resize(np.array(ints, np.int64), len(lefts) if fractions else len(ints))
    columns: list[ratios.Column] = [int_column[::-1].astype(np.int32), int_column]
    columns = [int_column, lefts] if fractions else columns
    order, starts = ratios.group_rows(*columns)
    expected = [ratios.exact_values(column[order[starts]]) for column in columns]
    assert list(map(ratios.exact_values, ratios.distinct_rows(*columns))) == expected


@HALF
@given(PAIRS, INTS, st.sampled_from(["ints", "rows", "fractions"]), st.integers(0, 9))
def test_weights_of_equal_rows_are_added(drawn: Any, ints: list[int], kind: str, seed: int) -> None:
    _, _, lefts, _ = make_columns(drawn)
    int_column = np.array(ints, np.int32)
    columns: list[ratios.Column] = [int_column]
    if kind == "rows":
        columns = [np.arange(len(ints)) // 3, int_column]
    elif kind == "fractions":
        columns = [np.arange(len(lefts)) // 3, ratios.reduce_column(lefts)]
    weights = np.random.default_rng(seed).random(len(columns[0]))
    expected: dict[Any, float] = {}
    for *row, weight in zip(*map(ratios.exact_values, columns), weights.tolist(), strict=True):
        expected[tuple(row)] = expected.get(tuple(row), 0) + weight
    distinct_columns, sums = ratios.sum_weights(weights, *columns)
    rows = zip(*map(ratios.exact_values, distinct_columns), strict=True)
    result = dict(zip(rows, sums.tolist(), strict=True))
    assert len(result) == len(sums)
    assert result == pytest.approx(expected)
    order, starts = ratios.group_rows(*columns)
    firsts = (ratios.exact_values(column[order[starts]]) for column in columns)
    assert list(result) == [*zip(*firsts, strict=True)]


@pytest.mark.parametrize("step", [1, 1 << 20, 1 << 45])
def test_many_fingerprints_are_sorted_like_lexsort(step: int) -> None:
    # Different fingerprints can have equal first bits; equal rows must keep their order.
    random = np.random.default_rng(24)
    nodes = random.integers(0, 5, 40_000)
    prints = np.uint64(1 << 60) + random.integers(0, 4_000, 40_000).astype(np.uint64) * step
    order, starts = ratios.group_rows(nodes, prints)
    assert order.tolist() == np.lexsort((prints, nodes)).tolist()
    assert len(starts) == len(set(zip(nodes.tolist(), prints.tolist(), strict=True)))
    order, _ = ratios.group_rows(prints)
    assert order.tolist() == np.argsort(prints, kind="stable").tolist()


@HALF
@given(PAIRS, st.integers(1, 2000))
def test_equal_fractions_have_equal_float_bits(drawn: Any, factor: int) -> None:
    _, _, lefts, _ = make_columns(drawn)
    assert isinstance(lefts, ratios.Ratios)
    multiples = ratios.Ratios(lefts.numerators * factor, lefts.denominators * factor)
    bits = [ratios.float_bits(column) for column in (lefts, multiples)]
    lists = [None if each is None else each.tolist() for each in bits]
    assert lists[0] == lists[1]
    assert (lists[0] is None) == (drawn[0] == "object")


@HALF
@given(PAIRS)
def test_whole_values_are_ints_with_their_rows(drawn: Any) -> None:
    left, _, lefts, _ = make_columns(drawn)
    rows = [row for row, value in enumerate(left) if value.denominator == 1]
    whole, places = (array.tolist() for array in ratios.whole_values(lefts))
    assert (whole, places) == ([int(left[row]) for row in rows], rows)


def test_rows_of_more_than_64_bits_are_sorted() -> None:
    column = np.array([2**32, 2, 0])
    assert ratios.distinct_rows(column, column)[0].tolist() == [0, 2, 2**32]
