"""Columns of integers have 64 bits, whatever the types of what they are made from."""

import numpy as np

from crisps24.rules.widths import int_range, repeat_rows, running_sums, sum_by_index


def test_integers_have_64_bits() -> None:
    short = np.array([2, 0, 1], np.uint8)
    columns = [int_range(3), int_range(1, 3), running_sums(short), sum_by_index(short)]
    assert [column.tolist() for column in columns] == [[0, 1, 2], [1, 2], [2, 2, 3], [1, 1, 1]]
    assert {column.dtype for column in columns} == {np.dtype(np.int64)}
    assert repeat_rows(int_range(3), short).tolist() == [0, 0, 2]
    assert sum_by_index(short, np.array([0.5, 2, 1]), 4).tolist() == [2, 1, 0.5, 0]
