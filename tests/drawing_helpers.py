"""Hypothesis strategies that the tests of several packages share."""

from fractions import Fraction

from hypothesis import strategies as st

from crisps24.rules.operators import OPERATORS

# The signs of all operators.
SIGNS = "".join(OPERATORS)
# The signs of the operators that calculate; the others join digits.
ARITHMETIC_SIGNS = "".join(name for name, operator in OPERATORS.items() if not operator.joins)


def short_fractions(least: int, most: int, largest: int) -> st.SearchStrategy[Fraction]:
    """Draw fractions from `least` to `most` with denominators up to `largest`.

    This is many times faster than the strategy of Hypothesis.
    """
    fractions = {Fraction(top, below) for below in range(1, largest + 1) for top in range(below)}
    parts = (st.integers(least, most), st.sampled_from(sorted(fractions)))
    return st.builds(lambda whole, part: min(whole + part, Fraction(most)), *parts)
