"""Whether the numbers that are left can still make a target, exactly.

A *term* is what a step combines: a number of the hand, or the result of steps. `Reach` tries all
steps between terms, depth first, and caches what it finds by the values of the terms. For hands of
more than `_MAX_SMALL_HAND` numbers it skips each value that is on no path to a target; the backward
search of the whole hand (`hands.backward`) finds the others once.

In games without parentheses the formula of a term decides which steps are legal. Only its `chain`
matters, the operators of its last steps: after 1 + 2 = 3, with the chain "+", 3 x 8 needs
parentheses. So equal values with other chains are other terms. `_join` is the only place that knows
this: a rule about the operators that a formula has would add to `Term.chain` there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from crisps24.errors import RefusedError
from crisps24.hands.backward import BackwardSearch, allows_backward_search
from crisps24.hands.goals import root_hands
from crisps24.notation.statements import join_chains
from crisps24.rules.exact import Exact, int_if_whole
from crisps24.rules.games import Game, Hand, game_for_numbers
from crisps24.rules.operators import OPERATORS
from crisps24.rules.work import Budget

_MAX_SMALL_HAND = 4
# Entries of the cache of one hand.
_MAX_CACHED = 4096
# Pairs of terms that one search combines: some seconds.
_MAX_PAIRS = 1_000_000


class Term(NamedTuple):
    """A number of the hand, or the result of steps."""

    value: Exact
    chain: str = ""
    """The operators of the last steps, in games without parentheses."""
    numbers: Hand = ()
    """The numbers of the hand that it uses, ascending."""


class Reach:
    """Whether the terms of a position can still make one of some targets of a hand.

    >>> from crisps24 import GAMES
    >>> reach = Reach((4, 6, 8, 10), GAMES["cards"], [24])
    >>> [reach.can_make([Term(4), Term(value), Term(8)]) for value in (4, 5)]
    [True, False]
    """

    def __init__(self, hand: Sequence[Exact], game: Game, targets: Sequence[Exact]) -> None:
        is_fixed = set(game.operators) <= OPERATORS.keys() and not game.extra_operators
        if not is_fixed or game.join or game.signed:
            raise RefusedError(f"{game.name} has steps of one number, or joins digits")
        if not (game.parentheses or game.reorders_chains):
            raise RefusedError(f"the order of the steps of {game.name} counts")
        game = game_for_numbers(hand, game)
        self._game, self._targets = game, frozenset(targets)
        self._operators = [
            (operator, operator.active_rules(game), operator.stays_whole or not game.fractions)
            for operator in map(OPERATORS.__getitem__, game.operators)
        ]
        self._budget = Budget(work=_MAX_PAIRS)
        self._results: dict[tuple[Term, Term], list[Term]] = {}
        self._known: dict[tuple[tuple[Exact, str], ...], bool] = {}
        self.useful: dict[Hand, frozenset[Exact]] | None = None
        """The values on a path to a target by numbers; None for small hands."""
        with_parentheses = replace(game, parentheses=True)
        if len(hand) > _MAX_SMALL_HAND and allows_backward_search(with_parentheses):
            roots = dict.fromkeys(root_hands(tuple(sorted(hand)), game), tuple(targets))
            search = BackwardSearch(roots, with_parentheses)
            self.useful = {part: frozenset(search.values_of(part)) for part in search.hands}

    def can_make(self, terms: Sequence[Term]) -> bool:
        """Return whether legal steps make a target from all terms, or any if the game allows it.

        Raises RefusedError if it takes too much work.
        """
        self._budget.pairs = 0
        if self.useful is None:
            return self._search(terms)
        kept = [term for term in terms if self._is_useful(term)]
        is_lost = len(kept) < len(terms) and self._game.all_numbers
        return not is_lost and self._search(kept)

    def _is_useful(self, term: Term) -> bool:
        # Unknown numbers are those of a formula with a unary minus.
        useful = self.useful and self.useful.get(term.numbers)
        return useful is None or term.value in useful

    def _search(self, terms: Sequence[Term]) -> bool:
        if len(terms) == 1 or not self._game.all_numbers:
            for term in terms:
                if term.value in self._targets:
                    return True
        if len(terms) < 2:
            return False
        if len(terms) == 2 and not self._may_make(terms[0].value, terms[1].value):
            return False
        # Any order that does not depend on that of the terms.
        key = tuple(sorted([(term.value, term.chain) for term in terms], key=hash))
        known = self._known.get(key)
        if known is None:
            known = any(self._search(rest) for rest in self._next_terms(terms))
            if len(self._known) + len(self._results) > _MAX_CACHED:
                self._known.clear()
                self._results.clear()
            self._known[key] = known
        return known

    def _may_make(self, one: Exact, other: Exact) -> bool:
        """Return False if no step of two values makes a target, whatever the rules are."""
        for operator, *_ in self._operators:
            for left, right in ((one, other), (other, one))[operator.commutes :]:
                if not operator.divides:
                    if operator.arithmetic(left, right) in self._targets:
                        return True
                elif not operator.inverse:
                    return True
                else:
                    # A product of ints is faster than a quotient of fractions.
                    undo = OPERATORS[operator.inverse].arithmetic
                    for target in self._targets:
                        if undo(target, right) == left:
                            return True
        return False

    def _next_terms(self, terms: Sequence[Term]) -> Iterator[list[Term]]:
        for left, right in combinations(range(len(terms)), 2):
            pair = terms[left], terms[right]
            others = [term for index, term in enumerate(terms) if index not in (left, right)]
            results = self._results.get(pair)
            if results is None:
                self._budget.add_pairs(1)
                results = self._results[pair] = [*dict.fromkeys(self._join(*pair))]
            for term in results:
                yield [*others, term]

    def _join(self, one: Term, other: Term) -> Iterator[Term]:
        """Yield the useful results of all legal steps of two terms."""
        game = self._game
        numbers = () if self.useful is None else tuple(sorted(one.numbers + other.numbers))
        for operator, rules, is_whole in self._operators:
            # Without parentheses, the places of equal operands matter.
            one_order = operator.commutes and game.parentheses
            for left, right in ((one, other),) if one_order else ((one, other), (other, one)):
                chain = "" if game.parentheses else join_chains(left.chain, operator, right.chain)
                if chain is None:
                    continue
                a, b = left.value, right.value
                operands = (a, b) if is_whole else (Fraction(a), Fraction(b))
                result, legal = operator.operate(*operands, game, rules)
                if legal:
                    term = Term(int_if_whole(result), chain, numbers)
                    if self._is_useful(term):
                        yield term
