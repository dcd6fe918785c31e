"""Hints: the steps from where a player stands to the best value.

From the start, they are the likeliest route to the likeliest solution, and after its first steps
they are the rest of it. After other steps, the numbers that are left are solved as a hand if they
are whole; otherwise every order of the few steps left is tried. Each way is checked before it is
returned.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations

from crisps24.notation.checking import check_against_target
from crisps24.notation.evaluation import Step, describe_step, evaluation_steps, leaf_evaluator
from crisps24.notation.trees import Expression, Number, Operation
from crisps24.notation.workings import PartialWorking, parse_partial_working
from crisps24.puzzle import Puzzle
from crisps24.rules.exact import Exact, int_if_whole
from crisps24.rules.games import Game, game_for_numbers
from crisps24.rules.operators import OPERATORS
from crisps24.rules.queries import HandQuery
from crisps24.rules.words import format_value
from crisps24.solving.likeliest import hints, step_cost
from crisps24.solving.solver import find_solutions


def next_steps(puzzle: Puzzle, evaluation_steps: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the likeliest steps from where some lead to what can be made; none where none do.

    Where it is among the numbers that are left, the only one is that number.

    >>> from crisps24.puzzle import puzzle_of
    >>> next_steps(puzzle_of("cards:4.6.8.10=24"), ["10 - 6 = 4"])
    ('4 x 4 = 16', '16 + 8 = 24')
    >>> next_steps(puzzle_of("cards:4.6.8.10=24"), ["10 + 8 = 18"])
    ()
    >>> next_steps(puzzle_of("crisps:5.6.8=8,all=no"), ["5 + 6 = 11"])
    ('8',)
    """
    for best in puzzle.accepted_values:
        for way in _ways(puzzle, evaluation_steps, best):
            working = ", ".join([*evaluation_steps, *way])
            if check_against_target(working, best, puzzle.hand, puzzle.game).verdict == "right":
                return tuple(way)
    return ()


def can_reach(left: Sequence[Exact], best: Exact, game: Game) -> bool:
    """Return whether some order of work leads from numbers to a target, each once at most.

    Parentheses stand wherever they are needed, so that where none does, no formula does.

    >>> from crisps24 import GAMES
    >>> [can_reach(left, 24, GAMES["cards"]) for left in ((2, 4, 8), (1, 8, 8))]
    [True, False]
    """
    return next(_walks(tuple(left), game, best), None) is not None


def first_steps(
    hand: Sequence[int], game: Game, style: str | None = None
) -> Iterator[tuple[str, tuple[Exact, ...]]]:
    """Yield each legal step that a hand may begin with, as it is told, and what is then left.

    >>> from crisps24 import GAMES
    >>> dict(first_steps((3, 8), GAMES["cards"]))["8 - 3 = 5"]
    (5,)
    """
    game = game_for_numbers(hand, game)
    for step, rest in _steps_of(tuple(hand), game):
        yield describe_step(step, game, style=style), (*rest, int_if_whole(step.result))


def _ways(puzzle: Puzzle, evaluation_steps: Sequence[str], best: Exact) -> Iterator[list[str]]:
    """Yield ways to what can be made, the likeliest first."""
    game, style = puzzle.game, puzzle.style
    if best == puzzle.best:
        route, taken = puzzle.hints(), len(evaluation_steps)
        if taken < len(route) and route[:taken] == list(evaluation_steps):
            yield route[taken:]
    if not evaluation_steps:
        known = best == puzzle.best
        for each in puzzle.solutions() if known else find_solutions(puzzle.query, best):
            yield from _routes(each.expression, game, style)
        return
    there = parse_partial_working(", ".join(evaluation_steps), game, puzzle.hand)
    hand = [value for value in there.left if isinstance(value, int)]
    # A step that needs parentheses is none there, whatever its numbers.
    if game.parentheses and not game.join and len(hand) == len(there.left):
        rest = replace(game, numbers=tuple(hand), length=len(hand), repeats=True)
        for each in find_solutions(HandQuery(tuple(hand), rest), best):
            yield from _routes(each.expression, rest, style)
    else:
        rules = game_for_numbers(puzzle.hand, game)
        found = [walk for left in _readings(there, game) for walk in _walks(left, rules, best)]
        # Nothing to be done comes before what is done lightly.
        for walk in sorted(found, key=lambda walk: (walk != (), _bits(walk, game))):
            yield [describe_step(step, game, style=style) for step in walk] or [format_value(best)]


def _routes(expression: Expression, game: Game, style: str) -> Iterator[list[str]]:
    """Yield the likeliest route to a solution, then the one in the order in which it is written."""
    yield hints(expression, game, style=style)
    written = evaluation_steps(expression, game, leaf_evaluator(game))
    yield [
        describe_step(step, game, style=style)
        for step in written
        if not step.operation.operator.joins
    ]


def _readings(there: PartialWorking, game: Game) -> Iterator[tuple[Exact, ...]]:
    """Yield the numbers that are left; where digits are joined, those of each way to join them."""
    if not game.join:
        yield there.left
        return
    seen: set[tuple[Exact, ...]] = set()
    for digits in permutations(map(str, there.numbers_left)):
        for many in range(len(digits)):
            for cuts in combinations(range(1, len(digits)), many):
                ends = zip((0, *cuts), (*cuts, len(digits)), strict=True)
                numbers = sorted(int("".join(digits[start:end])) for start, end in ends)
                seen.add((*numbers, *there.results_left))
    yield from sorted(seen or {there.results_left}, key=len, reverse=True)


def _walks(
    left: tuple[Exact, ...], game: Game, best: Exact, done: tuple[Step, ...] = ()
) -> Iterator[tuple[Step, ...]]:
    """Yield every order of work that leads from numbers to a target; none where it is there."""
    if best in left and (len(left) == 1 or not game.all_numbers):
        yield done
        return
    for step, rest in _steps_of(left, game):
        yield from _walks((*rest, int_if_whole(step.result)), game, best, (*done, step))


def _steps_of(left: tuple[Exact, ...], game: Game) -> Iterator[tuple[Step, tuple[Exact, ...]]]:
    """Yield each legal step on two of some numbers, with the others."""
    tried: set[tuple[str, Exact, Exact]] = set()
    for one, other in permutations(range(len(left)), 2):
        a, b = left[one], left[other]
        rest = tuple(left[place] for place in range(len(left)) if place not in (one, other))
        for name in game.operators:
            operator = OPERATORS[name]
            if (name, a, b) in tried or (operator.commutes and (name, b, a) in tried):
                continue
            tried.add((name, a, b))
            # Exact, as the evaluator has them.
            values = (Fraction(a), Fraction(b)) if game.fractions else (a, b)
            result, legal = operator.operate(*values, game)
            if legal:
                step = Step(Operation(operator, Number(0), Number(0)), *values, result, legal)
                yield step, rest


def _bits(walk: Sequence[Step], game: Game) -> float:
    """Return what an order of work costs a person."""
    return sum(step_cost(step, game, last=step is walk[-1]) for step in walk)
