"""Positions: the state of a play of a puzzle, and what an input does to it.

A `Position` is immutable: a puzzle with the steps taken. A `Move` is the outcome of an input, which
is a text (a step, steps, a formula or a working) or a triple (left, operator, right). Rounds for
people and episodes for programs share both, and with them the rules of play.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, Self

from crisps24.messages.message import Message, message
from crisps24.notation.checking import Check, check_against_target
from crisps24.notation.errors import FormulaError
from crisps24.notation.statements import chain_of
from crisps24.notation.trees import Expression, parts_of, text_of
from crisps24.notation.workings import (
    PartialWorking,
    combine,
    ends_with_result,
    parse_partial_working,
    start_of,
)
from crisps24.puzzle import Puzzle
from crisps24.puzzles.reach import Term
from crisps24.rules.exact import VALUE_LIMIT, Exact, int_if_whole
from crisps24.rules.games import Hand
from crisps24.rules.operators import Operator


class Move(NamedTuple):
    """The outcome of an input."""

    kind: str
    """`right`; `near`, a legal answer with another value in games that accept the closest one;
    `step`, `unused` or `stuck`, as of `rounds.Reply`; or a verdict: `wrong`, `illegal`,
    `malformed`."""
    position: "Position"
    """The position after the input; the same one unless steps were taken."""
    value: Exact | None = None
    formula: str = ""
    """The formula of an answer."""
    reason: Message | None = None
    error: FormulaError | None = None


class Position(NamedTuple):
    """The steps taken in a puzzle, and the numbers and results that are left."""

    puzzle: Puzzle
    working: PartialWorking

    @classmethod
    def start(cls, puzzle: Puzzle) -> Self:
        return cls(puzzle, start_of(puzzle.hand))

    @property
    def left(self) -> tuple[Exact, ...]:
        """The numbers that are not used yet: numbers of the hand, then results of steps."""
        return self.working.left if self.working.texts else self.puzzle.hand

    def terms(self, with_numbers: bool = True) -> list[Term]:
        """Return what is left, as `Reach` takes it, with or without the numbers of each term."""
        needs_chain = not self.puzzle.game.parentheses
        terms = [Term(number, "", (number,)) for number in self.working.numbers_left]
        for result in self.working.unused:
            chain = chain_of(result.tree) if needs_chain else ""
            numbers = _numbers_of(result.tree) if with_numbers else ()
            terms.append(Term(result.value, chain, numbers))
        return terms

    def parse(self, text: str) -> PartialWorking:
        """Return the steps taken and those in a text; FormulaError if it has others."""
        puzzle = self.puzzle
        return parse_partial_working(text, puzzle.game, puzzle.hand, puzzle.style, self.working)

    def combine(self, left: Exact, operator: Operator, right: Exact) -> Move:
        """Return the outcome of one step of two values."""
        game, style = self.puzzle.query.effective_game, self.puzzle.style
        try:
            return self._take(combine(self.working, left, operator, right, game, style))
        except FormulaError as error:
            return self._refuse(error)

    def judge(self, text: str) -> Move:
        """Return the outcome of a text."""
        return self._judge_steps(text) if ends_with_result(text) else self._judge_formula(text)

    def answers(self, skip_count: int = 0) -> Sequence[tuple[Exact, Expression]]:
        """Return (value, formula) for each step whose result can be the answer to the puzzle."""
        results = self.working.results[skip_count:]
        if self.puzzle.game.all_numbers:
            return results[-1:] if self.working.is_complete else ()
        return results

    def check_formula(self, text: str) -> Check:
        """Check a formula of the whole hand; it is legal whatever its value is."""
        game = replace(self.puzzle.game, target=None)
        return check_against_target(text, None, self.puzzle.hand, game, style=self.puzzle.style)

    def distance(self, value: Exact) -> Exact:
        return int_if_whole(abs(Fraction(value) - self.puzzle.target))

    def _refuse(self, error: FormulaError) -> Move:
        return Move(error.kind, self, reason=error.message, error=error)

    def _judge_steps(self, text: str) -> Move:
        """Return the outcome of steps that end with a result."""
        try:
            return self._take(self.parse(text))
        except FormulaError as error:
            # The steps can start again with the whole hand.
            start = Position.start(self.puzzle)
            try:
                move = start._take(start.parse(text))
            except FormulaError:
                return self._refuse(error)
            return move if move.kind == "right" else self._refuse(error)

    def _take(self, working: PartialWorking) -> Move:
        """Return the outcome of some more steps."""
        old_count, puzzle = len(self.working.texts), self.puzzle
        position = Position(puzzle, working)
        for value, tree in position.answers(old_count):
            if value in puzzle.accepted_values:
                return Move("right", position, value, text_of(tree, puzzle.style))
        if working.is_complete:
            return Move("stuck", position)
        new_values = [value for value, _ in working.results[old_count:]]
        has_unused = puzzle.game.all_numbers and puzzle.target in new_values
        return Move("unused" if has_unused else "step", position)

    def _judge_formula(self, text: str) -> Move:
        # Check the formula as the rest of the working so far, then as one of the whole hand.
        check = self.check_formula(", ".join([*self.working.steps, text]))
        if self.working.steps and check.verdict != "legal":
            check_of_whole_hand = self.check_formula(text)
            if check_of_whole_hand.verdict == "legal":
                check = check_of_whole_hand
        value = check.value if check.verdict == "legal" else None
        formula = " ".join(check.formula.split())
        if value is not None and value in self.puzzle.accepted_values:
            return Move("right", self, value, formula)
        working = self._unfinished_step(text)
        if working is not None:
            return self._take(working)
        if check.error is not None:
            return self._refuse(check.error)
        if value is None:
            return Move(check.verdict, self, reason=check.message)
        kind = "near" if self.puzzle.game.accepts_closest else "wrong"
        reason = message("answer.makes", value=value, target=self.puzzle.target)
        return Move(kind, self, value, formula, reason)

    def _unfinished_step(self, text: str) -> PartialWorking | None:
        """Return the working with a step typed without its result, such as `75 + 50`, or None."""
        try:
            working = self.parse(text)
        except FormulaError:
            return None
        # Each step replaces two numbers by one.
        step_count = len(self.left) - len(working.left)
        max_steps = len(self.left) if self.puzzle.game.all_numbers else 1
        leaves_numbers = len(working.left) > 1
        return working if 1 <= step_count <= max_steps and leaves_numbers else None


def _numbers_of(tree: Expression) -> Hand:
    parts = parts_of(tree)
    numbers = [number.value for number in parts.numbers]
    # The number of no hand: `Reach` knows the values of formulas without a unary minus.
    numbers += [-VALUE_LIMIT for each in parts.operations if each.is_unary_minus]
    return tuple(sorted(numbers))


def position_of(puzzle: Puzzle, steps: tuple[str, ...]) -> Position:
    """Return the position after some steps; RefusedError or FormulaError if they are not legal."""
    return _cached_position(puzzle, puzzle.style, steps)


@lru_cache(maxsize=256)
def _cached_position(puzzle: Puzzle, style: str, steps: tuple[str, ...]) -> Position:
    if not steps:
        return Position.start(puzzle)
    return Position(puzzle, _cached_position(puzzle, style, steps[:-1]).parse(steps[-1]))
