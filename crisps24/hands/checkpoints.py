"""A checkpoint: a file with the values of a chart, from which a call that was stopped goes on.

The file has the sub-hands, the starts and stops of their runs, and all values, as arrays of numpy.
It is written at most once a minute, when the values of some sub-hands are complete, and replaces an
older one. So a call that is killed loses at most the sub-hand that it was computing; the last step,
whose values are not stored, starts again. A checkpoint is of one hand and one game with its rules.
"""

import time
from fractions import Fraction
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from crisps24.errors import RefusedError, quoted
from crisps24.hands.by_value import ValueChart
from crisps24.output.atomic_files import replace_file
from crisps24.rules.exact import int_if_whole
from crisps24.rules.games import Hand
from crisps24.rules.ratios import Column, Ints, Ratios, integer_columns

_SECONDS_BETWEEN = 60.0


class Checkpoint:
    """The file of the chart of a hand; opened, it fills the chart, and then follows it."""

    def __init__(self, path: Path, chart: ValueChart, hand: Hand) -> None:
        self._path, self._chart = path, chart
        self._puzzle = f"{' '.join(map(str, hand))} in {chart.game!r}"
        if path.exists():
            self._read()
        self._written = time.monotonic()
        chart.on_stored = self._write_if_due

    def _read(self) -> None:
        try:
            with self._path.open("rb") as file, np.load(file) as arrays:
                stored = dict(arrays)
            puzzle, hands = str(stored["puzzle"]), str(stored["hands"])
            entries, *columns = (_numbers(stored[name]) for name in _names(len(stored) - 2))
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            if isinstance(error, OSError) and error.errno:
                raise
            raise RefusedError(f"{quoted(str(self._path))} is no checkpoint") from None
        if puzzle != self._puzzle:
            raise RefusedError(
                f"the checkpoint {quoted(str(self._path))} is of {puzzle}, not of {self._puzzle}"
            )
        values: Column = Ratios(*columns) if columns[1:] else columns[0]
        self._chart.restore([*map(_hand_of, hands.split("\n"))], entries, values)

    def _write_if_due(self) -> None:
        if time.monotonic() - self._written < _SECONDS_BETWEEN:
            return
        hands, entries, values = self._chart.stored()
        arrays = [entries, *integer_columns(values)]
        # Python's integers are written as text.
        texts = [array.astype(str) if array.dtype == object else array for array in arrays]
        text = "\n".join(" ".join(map(str, hand)) for hand in hands)
        named: dict[str, Any] = dict(zip(_names(len(texts)), texts, strict=True))
        with replace_file(self._path) as file:
            np.savez(file, puzzle=self._puzzle, hands=text, **named)
        self._written = time.monotonic()


def _hand_of(line: str) -> Hand:
    return tuple(int_if_whole(Fraction(number)) for number in line.split())


def _names(count: int) -> tuple[str, ...]:
    return ("entries", "values", "denominators")[:count]


def _numbers(array: Ints) -> Ints:
    return np.array([*map(int, array)], object) if array.dtype.kind == "U" else array
