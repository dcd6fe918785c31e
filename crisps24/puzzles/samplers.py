"""A sampler deals puzzles that a learner solves at a wanted rate, by what it solved so far.

It keeps a *set point* in bits, the measure of difficulty, and deals a puzzle of about that many. A
success moves it up by step x (1 - rate), a failure down by step x rate: the weighted up-down method
(Kaernbach, 1991). So after n reports, successes - rate x n is the way of the set point divided by
the step. The way is at most the range of the bits, 24 steps: the rate of 500 reports is within 5
percent points of the wanted one, whatever the learner is like, unless the easiest or the hardest
puzzles miss it. If many puzzles are open at once, a step is smaller.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from numbers import Real

from crisps24.errors import RefusedError, quoted
from crisps24.puzzle import Puzzle
from crisps24.puzzles.conditions import Conditions, to_conditions
from crisps24.puzzles.dealing import deal
from crisps24.puzzles.draws import Draws
from crisps24.puzzles.rows import bits_of
from crisps24.rules.games import Game

# Steps in the range of the bits, and steps of full size in a batch.
_STEPS, _FULL_STEPS = 24, 8


class Sampler(Iterator[Puzzle]):
    """An endless iterator of puzzles, whose difficulty follows the successes that are reported.

    The learner solves the part `success_rate` of all, within 5 percent points after 500 puzzles, if
    puzzles of the pool allow this. Puzzles can be taken in batches of up to 8 before their reports;
    larger ones take longer. A puzzle comes again after all others of about its difficulty. The same
    seed and reports give the same puzzles.

    Args:
        game: as for `deal`, and so is the seed.
        success_rate: above 0 and below 1.
        conditions: those of all puzzles; not `unsolvable`.
        pool: how many puzzles are dealt first, to choose from.

    >>> from crisps24 import Sampler
    >>> sampler = Sampler("cards", success_rate=0.5, seed=7)
    >>> puzzle = next(sampler)
    >>> sampler.report(puzzle, True)
    >>> round(sampler.bits, 2), round(puzzle.difficulty.bits, 2), next(sampler).level
    (4.16, 4.4, 3)

    Raises KindError and RefusedError as `deal` does, and for a rate out of range.
    """

    bits: float
    """The set point: about the difficulty of the next puzzle."""

    def __init__(
        self,
        game: Game | str,
        success_rate: float = 0.5,
        *,
        seed: int | None = None,
        conditions: Conditions | None = None,
        pool: int = 1000,
    ) -> None:
        if not isinstance(success_rate, float) or not 0 < success_rate < 1:
            raise RefusedError(f"invalid rate {quoted(success_rate)} (expected between 0 and 1)")
        conditions = to_conditions(conditions)
        if conditions.unsolvable:
            raise RefusedError("a sampler deals puzzles with a solution: leave out unsolvable")
        dealt = deal(game, pool, seed=seed, conditions=replace(conditions, repeat=True))
        self.seed, self.success_rate = dealt.seed, success_rate
        self._draws = Draws(dealt.seed, "sampler")
        self._pool = sorted(set(dealt), key=lambda puzzle: (bits_of(puzzle), puzzle.id))
        self._bits = [*map(bits_of, self._pool)]
        self._step = (self._bits[-1] - self._bits[0]) / _STEPS
        self.bits = self._bits[len(self._bits) // 2]
        # How often each puzzle came, the puzzles without a report, and the most of these at once.
        self._times, self._open, self._batch = Counter[int](), Counter[Puzzle](), 1

    def __next__(self) -> Puzzle:
        """Return a puzzle of about `bits`, one of those that came least often."""
        first = bisect_left(self._bits, self.bits - self._step)
        end = bisect_right(self._bits, self.bits + self._step)
        if first == end:
            distances = [abs(bits - self.bits) for bits in self._bits]
            first = distances.index(min(distances))
            end = first + 1
        least = min(self._times[index] for index in range(first, end))
        chosen = self._draws.choose([i for i in range(first, end) if self._times[i] == least])
        puzzle = self._pool[chosen]
        self._times[chosen] += 1
        self._open[puzzle] += 1
        self._batch = max(self._batch, self._open.total())
        return puzzle

    def report(self, puzzle: Puzzle, success: float | None) -> None:
        """Report whether a puzzle was solved, or the part of several tries; None: not tried.

        Raises RefusedError for a puzzle that is not open, or a success below 0 or above 1.
        """
        if not isinstance(puzzle, Puzzle) or not self._open[puzzle]:
            raise RefusedError(f"{quoted(puzzle)} is not open (expected a puzzle of the sampler)")
        if success is not None:
            if not isinstance(success, Real) or not 0 <= success <= 1:
                raise RefusedError(f"invalid success {quoted(success)} (expected 0 to 1)")
            step = self._step * min(1, _FULL_STEPS / self._batch)
            bits = self.bits + step * (success - self.success_rate)
            self.bits = min(max(bits, self._bits[0]), self._bits[-1])
        self._open[puzzle] -= 1
        if not self._open.total():
            self._open.clear()
            self._batch = 1
