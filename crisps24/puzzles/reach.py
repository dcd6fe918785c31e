"""Whether the numbers that are left can still make a target, exactly.

A *term* is what a step combines: a number of the hand, or the result of steps. `Reach` tries all
steps between terms, depth first, and caches what it finds by the values of the terms. For hands of
more than `_MAX_SMALL_HAND` numbers it skips each value that is on no path to a target; the backward
search of the whole hand (`hands.backward`) finds the others once. It is exact: if only one term is
a result, a value on a path can still make a target.

In games without parentheses the formula of a term decides which steps are legal. Only its `chain`
matters, the operators of its last steps: after 1 + 2 = 3, with the chain "+", 3 x 8 needs
parentheses. So equal values with other chains are other terms. `Term.join` is the only place that
knows this.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

from crisps24.errors import RefusedError
from crisps24.hands.backward import BackwardSearch
from crisps24.hands.goals import root_hands
from crisps24.notation.workings import Term
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand, game_for_numbers
from crisps24.rules.machines import BACKWARD_SEARCH, EPISODES
from crisps24.rules.operators import OPERATORS, Operator

# The most numbers that are searched: without a filter, without parentheses, and in other games.
_MAX_SMALL_HAND, _MAX_FLAT_HAND, _MAX_HAND = 4, 6, 8
# Entries of the cache of one hand.
_MAX_CACHED = 4096


def legal_steps(
    terms: Sequence[Term], game: Game
) -> Iterator[tuple[Term, Operator, Term, Term, list[Term]]]:
    """Yield (left, operator, right, result, other terms) for each legal step of two terms."""
    tried: set[tuple[Any, Any]] = set()
    for one, other in permutations(range(len(terms)), 2):
        left, right = terms[one], terms[other]
        # The values and the chains.
        pair = left[:2], right[:2]
        # With chains, both orders of a sum can be needed.
        is_mirrored = pair[::-1] in tried and not (left.chain or right.chain)
        if pair not in tried:
            tried.add(pair)
            others = [term for place, term in enumerate(terms) if place not in (one, other)]
            for operator in map(OPERATORS.__getitem__, game.operators):
                if not (operator.commutes and is_mirrored):
                    result = left.join(operator, right, game)
                    if not isinstance(result, str):
                        yield left, operator, right, result, others


class Reach:
    """Whether the terms of a position can still make one of some targets of a hand."""

    def __init__(self, hand: Sequence[Exact], game: Game, targets: Sequence[Exact]) -> None:
        EPISODES.check(game)
        if len(hand) > (_MAX_HAND if BACKWARD_SEARCH.can_do(game) else _MAX_FLAT_HAND):
            raise RefusedError(f"{game.name} with {len(hand)} numbers has no episodes by its rules")
        self._game, self._targets = game_for_numbers(hand, game), frozenset(targets)
        self._known, self._hand_size = dict[Any, bool](), len(hand)
        # The values on a path to a target, by numbers; empty for small hands.
        self._useful: dict[Hand, frozenset[Exact]] = {}
        with_parentheses = replace(self._game, parentheses=True)
        if len(hand) > _MAX_SMALL_HAND and BACKWARD_SEARCH.can_do(with_parentheses):
            roots = dict.fromkeys(root_hands(tuple(sorted(hand)), game), tuple(targets))
            search = BackwardSearch(roots, with_parentheses)
            self._useful = {part: frozenset(search.values_of(part)) for part in search.hands}

    def can_make(self, terms: Sequence[Term]) -> bool:
        """Return whether legal steps make a target of all terms, or of some if the game allows."""
        kept = [term for term in terms if self._is_useful(term)] if self._useful else terms
        return (len(kept) == len(terms) or not self._game.all_numbers) and self._search(kept)

    def _is_useful(self, term: Term) -> bool:
        # Unknown numbers are those of a formula with a unary minus.
        return term.value in self._useful.get(term.numbers, (term.value,))

    def _search(self, terms: Sequence[Term]) -> bool:
        is_answer = len(terms) == 1 or not self._game.all_numbers
        if is_answer and not self._targets.isdisjoint([term.value for term in terms]):
            return True
        # All that a useful value needs to make a target is the other numbers of the hand.
        numbers = [term.numbers for term in terms if len(term.numbers) > 1]
        is_whole = len(terms) + sum(map(len, numbers)) - len(numbers) == self._hand_size
        if is_whole and self._game.parentheses and len(numbers) == 1 and numbers[0] in self._useful:
            return True
        if len(terms) == 2 and not self._may_make(terms[0].value, terms[1].value):
            return False
        # Any order that does not depend on that of the terms.
        key = tuple(sorted([term[:2] for term in terms], key=hash))
        if key not in self._known:
            if len(self._known) >= _MAX_CACHED:
                self._known.clear()
            steps = legal_steps(terms, self._game)
            next_terms = ([*rest, term] for *_, term, rest in steps if self._is_useful(term))
            self._known[key] = any(map(self._search, next_terms))
        return self._known[key]

    def _may_make(self, one: Exact, other: Exact) -> bool:
        """Return False if no step of two values makes a target; much faster than the steps."""
        for operator in map(OPERATORS.__getitem__, self._game.operators):
            for left, right in ((one, other), (other, one)):
                # A product of ints is faster than a quotient of fractions.
                undo = OPERATORS[operator.inverse].arithmetic if operator.inverse else None
                if operator.divides and undo is not None:
                    found = [undo(target, right) == left for target in self._targets]
                else:
                    found = [operator.divides or operator.arithmetic(left, right) in self._targets]
                if True in found:
                    return True
        return False
