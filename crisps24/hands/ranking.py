"""The order of solutions: the likeliest first, and which of them are one idea.

Owns `Solution` and its order: fewer numbers; then by the share of all solutions that are the same
idea; then, among these, fewer divisions, fewer parentheses, and the larger share of its own. What
is found is found otherwise: `pools` has the solutions, `forms` how they are shown, `shares` their
weights, and `essence` which are one idea.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, overload

from crisps24.hands.essence import Essences
from crisps24.hands.forms import Form
from crisps24.notation.trees import Expression, text_of
from crisps24.outside.tables import Row, render
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game

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


class Solutions(Sequence[Expression]):
    """The solutions of one hand, likeliest first, found when one is first asked for.

    `next` gives one after the other; in a notebook they show themselves as a table.
    """

    def __init__(self, find: Callable[[], Sequence[Solution]], game: Game) -> None:
        """Begin with a function that finds them, in order."""
        self._find = find
        self.game = game
        self._next = 0

    @cached_property
    def every(self) -> Sequence[Solution]:
        """The same with what is known of each."""
        return self._find()

    def __getstate__(self) -> dict[str, Any]:
        # How they are found can be told to nobody else; they can.
        return {"every": self.every, "game": self.game, "_next": self._next}

    def __len__(self) -> int:
        return len(self.every)

    @overload
    def __getitem__(self, place: int) -> Expression: ...

    @overload
    def __getitem__(self, place: slice) -> list[Expression]: ...

    def __getitem__(self, place: int | slice) -> Expression | list[Expression]:
        if isinstance(place, slice):
            return [replace(each.expression, game=self.game) for each in self.every[place]]
        return replace(self.every[place].expression, game=self.game)

    def __next__(self) -> Expression:
        if self._next == len(self):
            raise StopIteration
        self._next += 1
        return self[self._next - 1]

    def __repr__(self) -> str:
        return render(self._rows()) if self.every else "no solution"

    def _repr_html_(self) -> str:
        return render(self._rows(), "html", ["expression", "value", "share"])

    def _rows(self) -> list[Row]:
        return [
            {
                "expression": text_of(each.expression, self.game.signs),
                "value": each.value,
                "share": round(each.share, 6),
            }
            for each in self.every
        ]


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
