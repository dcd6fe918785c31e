"""All equations of a record: found from both sides and checked by the grammar.

Only short formulas are built, by levels of precedence and numbers of characters. For longer ones
the last step is matched instead: a wanted value and the shorter operand give the value of the
longer operand, and so on recursively. The grammar evaluates every equation again, those of one
shape in columns, before any is returned.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from crisps24.enumeration.enumeration import DisagreementError, evaluate_rows
from crisps24.enumeration.value_codec import FractionCodec, ValueCodec, WholeNumberCodec
from crisps24.equation_puzzles.reading import symbol_signs
from crisps24.equation_puzzles.records import (
    DIGITS,
    EQUALS,
    FORMULA,
    MAX_CHARACTERS,
    NUMBER,
    Equation,
)
from crisps24.errors import KindError, quoted
from crisps24.hands.chart import Runs
from crisps24.rules.games import Game
from crisps24.rules.operators import OPERATORS, Operator
from crisps24.rules.ratios import Column, Ints, Ratios, group_rows, run_start_mask

# Pairs of values that meet at once, some MB.
_TOGETHER = 1 << 19
# About so many formulas there are for each of one character less.
_GROWTH = 12
# No numerator and no denominator that the longest side has on its way is above it.
_BOUND = 10 ** (MAX_CHARACTERS - 2)


class _Lines(NamedTuple):
    """Formulas of one size: the values that there are, ascending, and the keys of each."""

    values: Ints
    runs: Runs
    """Where the keys of each value are among all keys."""
    keys: Ints


class _Pairs(NamedTuple):
    """What steps make, and the places of the values on their left and right."""

    values: Ints
    left: Ints
    right: Ints


def _gathered(found: Iterable[tuple[Ints, Ints]]) -> _Lines:
    """Gather columns of (values, keys) of formulas."""
    columns = [(_NOTHING, _NOTHING), *found]
    value, key = (np.concatenate(each) for each in zip(*columns, strict=True))
    order, starts = group_rows(value)
    runs = Runs(starts, np.diff(starts, append=len(value)))
    return _Lines(value[order[starts]], runs, key[order])


_NOTHING = np.empty(0, np.int64)


class _Finder:
    """Finds the keys of formulas of some characters, in as many bits each."""

    def __init__(self, equation: Equation) -> None:
        self.equation = equation
        self.game = equation.game
        self.levels = self.game.operator_levels
        self.bits = bits_per_symbol(equation)
        self.codes = {name: code for code, name in enumerate(equation.symbols)}
        self.codec: ValueCodec = (
            FractionCodec(_BOUND) if self.game.fractions else WholeNumberCodec((-_BOUND, _BOUND))
        )
        self._made: dict[tuple[int, int], _Lines] = {}

    def keys(self) -> Ints:
        """Return the keys of all equations, ascending."""
        length = self.equation.length - 1
        found = [
            self._equal(left, size, right, length - size)
            for left, right in self.equation.sides
            for size in range(1, length)
        ]
        keys = np.concatenate(found)
        keys.sort()
        return keys

    def _equal(self, left: str, size: int, right: str, rest: int) -> Ints:
        """Return the keys of equations of two sides: the shorter is made, the other is found."""
        if size <= rest:
            first = self.side(left, size)
            second = self.side(right, rest, first.values)
        else:
            second = self.side(right, rest)
            first = self.side(left, size, second.values)
        both = np.intersect1d(first.values, second.values, assume_unique=True)
        places = [np.searchsorted(lines.values, both) for lines in (first, second)]
        _, keys = self.crossed(_Pairs(both, *places), first, second, EQUALS, rest)
        return keys

    def side(self, kind: str, size: int, wanted: Ints | None = None) -> _Lines:
        """Return what may stand on a side in so many characters, of all values or those wanted."""
        if kind == NUMBER:
            return self.numbers(size, wanted, 0)
        levels = range(1, len(self.levels) + 1)
        steps = [step for level in levels for step in self.steps(level, size, wanted)]
        return _gathered(steps)

    def chains(self, level: int, size: int, wanted: Ints | None = None) -> _Lines:
        """Return formulas of the operators of a level and of what binds tighter, numbers too."""
        if wanted is None and (level, size) in self._made:
            return self._made[level, size]
        least = 0 if self.equation.lone_zeros else 1
        found = self.numbers(size, wanted, least)
        if level:
            steps = [(np.repeat(found.values, found.runs.lengths), found.keys)]
            for each in range(1, level + 1):
                steps += self.steps(each, size, wanted)
            found = _gathered(steps)
        if wanted is None:
            self._made[level, size] = found
        return found

    def numbers(self, size: int, wanted: Ints | None, least: int) -> _Lines:
        """Return the numbers of so many digits, at least so large."""
        first = least if size == 1 or self.equation.leading_zeros else 10 ** (size - 1)
        last = 10**size
        if wanted is None:
            numbers = np.arange(first, last)
            values, _ = self.held(_column(numbers, self.game))
        else:
            column = self.codec.decode(wanted)
            whole = np.ones(len(wanted), bool)
            if isinstance(column, Ratios):
                whole, column = column.denominators == 1, column.numerators
            numbers = column
            kept = whole & (numbers >= first) & (numbers < last)
            numbers, values = numbers[kept], wanted[kept]
        keys = np.zeros(len(numbers), np.int64)
        for after in range(size):
            keys |= numbers // 10**after % 10 << self.bits * after
        return _gathered([(values, keys)])

    def held(self, values: Any) -> tuple[Ints, Any]:
        """Return values as integers, and which of them are small enough to be a formula's."""
        if not isinstance(values, Ratios):
            return np.asarray(values), abs(values) <= _BOUND
        assert isinstance(self.codec, FractionCodec)
        values = values.reduced()
        above, below = values.numerators, values.denominators
        return (above << self.codec.bits) + below, (abs(above) <= _BOUND) & (below <= _BOUND)

    def steps(self, level: int, size: int, wanted: Ints | None) -> Iterator[tuple[Ints, Ints]]:
        """Yield (values, keys) of formulas whose last step is by an operator of a level."""
        for left_size in range(1, size - 1):
            right_size = size - 1 - left_size
            pairs = 0 if wanted is None else len(wanted) * _GROWTH ** min(left_size, right_size)
            if wanted is None or _GROWTH ** (size - 1) <= pairs:
                left, right = self.chains(level, left_size), self.chains(level - 1, right_size)
                yield from self._met(level, left, right, right_size, wanted)
            elif len(wanted):
                yield from self._matched(level, left_size, right_size, wanted)

    def _met(
        self, level: int, left: _Lines, right: _Lines, right_size: int, wanted: Ints | None
    ) -> Iterator[tuple[Ints, Ints]]:
        """Yield the steps of all there is on the left with all there is on the right."""
        of = self.codec.decode
        for operator in self.levels[level - 1]:
            for some, others in _blocks(len(left.values), len(right.values)):
                values, legal = operator.operate(
                    of(left.values[some, None]), of(right.values[None, others]), self.game
                )
                made, fits = self.held(values)
                kept = fits & legal
                if wanted is not None:
                    kept &= _among(made, wanted)
                i, j = kept.nonzero()
                pairs = _Pairs(made[i, j], i + some.start, j + others.start)
                yield self.crossed(pairs, left, right, operator.name, right_size)

    def _matched(
        self, level: int, left_size: int, right_size: int, wanted: Ints
    ) -> Iterator[tuple[Ints, Ints]]:
        """Yield the steps to wanted values, found from these and from the shorter side."""
        from_right = right_size <= left_size
        sides = [(level, left_size), (level - 1, right_size)]
        known, operators = self.chains(*sides[from_right]), self.levels[level - 1]
        found = [
            (operator, *columns)
            for operator in operators
            for columns in self._needed(operator, known.values, wanted, from_right=from_right)
        ]
        needed = np.sort(np.concatenate([_NOTHING, *(values for _, values, _, _ in found)]))
        needed = needed[run_start_mask(needed)]
        other = self.chains(*sides[not from_right], needed)
        for operator, values, places, results in found:
            met = _among(values, other.values)
            there, places = np.searchsorted(other.values, values[met]), places[met]
            left, right = (other, known) if from_right else (known, other)
            pairs = _Pairs(results[met], *((there, places) if from_right else (places, there)))
            yield self.crossed(pairs, left, right, operator.name, right_size)
        zero = _only(known, self.codec.encode(0))
        # 0 x a and 0 : a are 0 for any a, which no inverse finds. Nothing else that multiplies or
        # divides makes 0, and sums and differences with 0 are found like all others.
        if len(zero.values) and _among(zero.values, wanted).any() and _has_quotients(operators):
            every = self.chains(*sides[not from_right])
            left, right = (every, zero) if from_right else (zero, every)
            yield from self._met(level, left, right, right_size, wanted)

    def _needed(
        self, operator: Operator, known: Ints, wanted: Ints, *, from_right: bool
    ) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Yield (missing operand, place of the known operand, result), without divisions by 0."""
        of = self.codec.decode
        for some, others in _blocks(len(wanted), len(known)):
            undone, one, other = _inverse(operator), of(wanted[some, None]), of(known[None, others])
            if not (from_right or operator.commutes):
                # a - (a - b) is b, where there is something to be taken away.
                undone, one, other = operator, other, one
            there: Any = True
            if undone.divides:
                there = other != 0
                other = other + (other == 0)
            values, fits = self.held(undone.arithmetic(one, other))
            i, j = (fits & there).nonzero()
            values, i, j = values[i, j], i + some.start, j + others.start
            left, right = of(known[j]), of(values)
            left, right = (right, left) if from_right else (left, right)
            made, legal = operator.operate(left, right, self.game)
            results, fits = self.held(made)
            kept = legal & fits & (results == wanted[i])
            yield values[kept], j[kept], wanted[i][kept]

    def crossed(
        self, pairs: _Pairs, left: _Lines, right: _Lines, sign: str, right_size: int
    ) -> tuple[Ints, Ints]:
        """Return (values, keys) of all that a pair of values stands for, each with each."""
        lefts, rights = left.runs.select(pairs.left), right.runs.select(pairs.right)
        counts, values = lefts.lengths * rights.lengths, pairs.values
        firsts, seconds = lefts.starts, rights.starts
        if len(counts) and counts.max() > 1:
            firsts, times, seconds = lefts.cross_join(rights)
            values, firsts = values.repeat(counts), firsts.repeat(times)
        shift = self.bits * right_size
        sign_key = self.codes[sign] << shift
        keys = left.keys[firsts] << (shift + self.bits) | right.keys[seconds] | sign_key
        return values, keys


def _inverse(operator: Operator) -> Operator:
    return OPERATORS[operator.inverse]


def _has_quotients(operators: Iterable[Operator]) -> bool:
    """Return whether one of some operators divides, or undoes one that does."""
    return any(each.divides or _inverse(each).divides for each in operators)


def _only(lines: _Lines, value: int | None) -> _Lines:
    """Return the formulas of one value alone."""
    at = np.flatnonzero(lines.values == value)
    return _Lines(lines.values[at], lines.runs.select(at), lines.keys)


def _among(values: Ints, known: Ints) -> Any:
    """Return which values are among ascending ones."""
    if not len(known):
        return np.zeros(values.shape, bool)
    at = np.searchsorted(known, values)
    at[at == len(known)] = 0
    return known[at] == values


def _blocks(rows: int, columns: int) -> Iterator[tuple[slice, slice]]:
    """Yield a table of pairs in pieces that are held at once."""
    wide = max(1, min(columns, _TOGETHER))
    high = max(1, _TOGETHER // wide)
    for row in range(0, rows, high):
        for column in range(0, columns, wide):
            yield slice(row, row + high), slice(column, column + wide)


def bits_per_symbol(equation: Equation) -> int:
    """Return how many bits hold a character in a key."""
    return (len(equation.symbols) - 1).bit_length()


@lru_cache(maxsize=4)
def equation_keys(equation: Equation) -> Ints:
    """Return the keys of all equations, ascending; the grammar has agreed to each.

    A key is the characters, as places in `Equation.symbols`, the first in the highest bits.
    """
    keys = _Finder(equation).keys()
    _check(keys, equation)
    keys.flags.writeable = False
    return keys


def symbol_codes(keys: Ints, equation: Equation) -> Ints:
    """Return the characters of equations, a row each, as places in `Equation.symbols`."""
    bits, mask = bits_per_symbol(equation), (1 << bits_per_symbol(equation)) - 1
    codes = np.empty((len(keys), equation.length), np.uint8)
    for place in range(equation.length):
        codes[:, place] = keys >> bits * (equation.length - 1 - place) & mask
    return codes


def _check(keys: Ints, equation: Equation) -> None:
    """Have the grammar agree to all equations, those of one shape together, or name one."""
    bits = bits_per_symbol(equation)
    shapes = np.zeros(len(keys), np.int64)
    for place in range(equation.length):
        code = keys >> bits * place & ((1 << bits) - 1)
        shapes |= np.where(code < len(DIGITS), 0, code) << bits * place
    order, starts = group_rows(shapes)
    for start, end in pairwise([*starts.tolist(), len(keys)] if len(keys) else []):
        rows = keys[order[start:end]]
        agreed = _agreed(rows, equation)
        if not agreed.all():
            [text] = format_equations(symbol_codes(rows[~agreed][:1], equation), equation)
            raise DisagreementError(f"internal error: the grammar does not agree to {text}")


def _agreed(keys: Ints, equation: Equation) -> Any:
    """Return which equations of one shape the grammar agrees to."""
    shape = [equation.symbols[code] for code in symbol_codes(keys[:1], equation)[0]]
    at = shape.index(EQUALS)
    one, left, first = _worked_out(keys, shape, range(at), equation)
    other, right, second = _worked_out(keys, shape, range(at + 1, len(shape)), equation)
    return first & second & (one == other) & ((left, right) in equation.sides)


def _worked_out(
    keys: Ints, shape: Sequence[str], side: range, equation: Equation
) -> tuple[Column, str, Any]:
    """Return what a side of equations of one shape makes, what it is, and where it is right."""
    signs = [place for place in side if shape[place] not in DIGITS]
    numbers, agreed = [], np.ones(len(keys), bool)
    for before, after in pairwise([side.start - 1, *signs, side.stop]):
        size = after - before - 1
        numbers.append(_number(keys, bits_per_symbol(equation), len(shape) - after, size))
        agreed &= size > 0
        if size > 1 and not equation.leading_zeros:
            agreed &= numbers[-1] >= 10 ** (size - 1)
        if signs and not equation.lone_zeros:
            agreed &= numbers[-1] > 0
    names = [operator.name for operator in equation.operators]
    codes = [names.index(shape[place]) for place in signs]
    columns = [_column(number, equation.game) for number in numbers]
    value, legal = evaluate_rows(codes, columns, equation.game)
    return value, FORMULA if signs else NUMBER, agreed & legal


def _number(keys: Ints, bits: int, after: int, size: int) -> Ints:
    """Return the number of some digits that so many characters of each key stand after."""
    number = np.zeros(len(keys), np.int64)
    for place in range(size):
        number += 10**place * (keys >> bits * (after + place) & ((1 << bits) - 1))
    return number


def _column(numbers: Ints, game: Game) -> Column:
    return Ratios(numbers, np.ones_like(numbers)) if game.fractions else numbers


def format_equations(codes: Ints, equation: Equation, style: str = "ascii") -> list[str]:
    """Return equations as texts, from their characters."""
    points = np.array([ord(sign) for sign in symbol_signs(equation, style)], np.uint32)
    found: list[str] = points[codes].view(f"U{equation.length}").ravel().tolist()
    return found


def equations(equation: Equation | None = None) -> list[str]:
    """Return all equations of a record as text, sorted with digits before signs.

    >>> from crisps24.equation_puzzles.records import Equation
    >>> found = equations(Equation(length=5))
    >>> len(found), found[0], found[-1]
    (127, '1-1=0', '9/9=1')
    """
    equation = Equation() if equation is None else equation
    if not isinstance(equation, Equation):
        raise KindError(f"{quoted(equation)} is no record of equations: Equation(length=8) is")
    return format_equations(symbol_codes(equation_keys(equation), equation), equation)
