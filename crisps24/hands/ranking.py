"""The order of solutions: the likeliest first, and which of them are one idea.

Owns `Solution` and its order: fewer numbers; then by the share of all solutions that are the same
idea; then, among these, fewer divisions, fewer parentheses, and the larger share of its own. What
is found is found otherwise: `pools` has the solutions, `forms` how they are shown, `shares` their
weights, and `essence` which are one idea.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from crisps24.hands.essence import Essences
from crisps24.hands.forms import Form
from crisps24.notation.trees import Expression
from crisps24.rules.exact import Exact

# Shares of ideas that differ by less are alike; those of solutions where floats may differ.
_ALIKE, _THE_SAME = 3, 9


@dataclass(frozen=True, slots=True)
class Solution:
    """One distinct solution of a hand."""

    expression: Expression
    """Its plainest form."""
    value: Exact
    """What it makes: the target."""
    share: float
    """How likely it is to be the one that a person finds, 0 to 1; those of all solutions add up
    to 1. 0 where it is reached by results below zero alone."""
    essential: int
    """Which idea it is: 0 for that of the first solution, and so on. Solutions of one idea differ
    only in steps by 1 (in products and quotients) or 0 (in sums and differences)."""


class Found(NamedTuple):
    """A solution as it is found: how many numbers it uses, its function, and its form."""

    size: int
    fingerprint: int
    form: Form


def ranked(
    found: Sequence[Found], weights: Mapping[int, float], essences: Essences
) -> list[Solution]:
    """Return solutions in order, each with its share.

    They come by size, plainer forms first, which decides at last; `weights` are by fingerprint.
    """
    total = sum(weights.values())
    shares = [weights.get(each.fingerprint, 0.0) / (total or 1.0) for each in found]
    ideas = [
        essences.of(form.expression).idea if form.idle else (fingerprint,)
        for _, fingerprint, form in found
    ]
    of_idea: dict[tuple[int, ...], float] = {}
    for idea, share in zip(ideas, shares, strict=True):
        of_idea[idea] = of_idea.get(idea, 0.0) + share

    def order(place: int) -> tuple[float, ...]:
        size, _, form = found[place]
        return (
            size,
            -round(of_idea[ideas[place]], _ALIKE),
            form.divisions,
            form.parentheses,
            -round(shares[place], _THE_SAME),
        )

    places = sorted(range(len(found)), key=order)
    index = {idea: at for at, idea in enumerate(dict.fromkeys(ideas[place] for place in places))}
    return [
        Solution(form.expression, form.value, shares[place], index[ideas[place]])
        for place in places
        for form in [found[place].form]
    ]


def essential(solutions: Iterable[Solution]) -> list[Solution]:
    """Return the first solution of each idea, in the order that they come in.

    >>> from crisps24.hands.solver import solutions
    >>> found = solutions((1, 4, 7, 13), 24, "cards")
    >>> len(found), len(essential(found))
    (20, 2)
    """
    first: dict[int, Solution] = {}
    for solution in solutions:
        first.setdefault(solution.essential, solution)
    return list(first.values())
