"""Hints: the steps from a player's position to the best value.

At the start, and after its own first steps, the hint is the likeliest route to the likeliest
solution. After other steps, the remaining numbers are solved as a hand if all are whole: after
`10 - 6 = 4` in the puzzle 4 6 8 10, the hand 4 4 8. Otherwise a depth-first search tries all orders
of the remaining steps. The judge checks every route before it is returned.
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


def next_steps(puzzle: Puzzle, taken: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the likeliest remaining steps to the best value, as text; () if it is out of reach.

    The best value is the target, or the closest value if the game accepts it. If it is already one
    of the remaining numbers and no step is needed, the only item is that number.

    Args:
        puzzle: the puzzle that is played.
        taken: the steps taken so far, with their results: `10 - 6 = 4`.

    >>> from crisps24.puzzle import puzzle_of
    >>> next_steps(puzzle_of("cards:4.6.8.10=24"), ["10 - 6 = 4"])
    ('4 x 4 = 16', '16 + 8 = 24')
    >>> next_steps(puzzle_of("cards:4.6.8.10=24"), ["10 + 8 = 18"])
    ()
    >>> next_steps(puzzle_of("crisps:5.6.8=8,all=no"), ["5 + 6 = 11"])
    ('8',)

    Raises:
        FormulaError: a step taken is not legal.
        RefusedError: solving needs more work than the limit of the puzzle, or the game has an
            operator, such as `!`, with which not all solutions can be found.
    """
    for best in puzzle.accepted_values:
        for route in _routes(puzzle, taken, best):
            working = ", ".join([*taken, *route])
            if check_against_target(working, best, puzzle.hand, puzzle.game).verdict == "right":
                return tuple(route)
    return ()


def can_reach(left: Sequence[Exact], best: Exact, game: Game) -> bool:
    """Return whether legal steps can reach the value `best` from numbers, each used at most once.

    If the game uses all numbers, every number must be used. Steps can group as with parentheses,
    even in games without them, so False means that no formula makes the value, except with joined
    digits, decimals or a unary minus, which are not tried. All operators of the game must be in
    `OPERATORS`, unlike `!`. A depth-first search tries all orders of steps: intended for up to 5
    numbers.

    >>> from crisps24 import GAMES
    >>> [can_reach(left, 24, GAMES["cards"]) for left in ((2, 4, 8), (1, 8, 8))]
    [True, False]
    """
    return next(_step_sequences(tuple(left), game, best), None) is not None


def first_steps(
    hand: Sequence[int], game: Game, style: str | None = None
) -> Iterator[tuple[str, tuple[Exact, ...]]]:
    """Yield each distinct legal first step of a hand as text, and the numbers left after it.

    The numbers left are the others in the order of the hand, then the result. Of a + b and b + a,
    only that in the order of the hand is a step; joining digits is not a step. The operators are
    those of `can_reach`. The default style is that of the game.

    Raises RefusedError for an unknown style.

    >>> from crisps24 import GAMES
    >>> dict(first_steps((3, 8), GAMES["cards"]))["8 - 3 = 5"]
    (5,)
    """
    game = game_for_numbers(hand, game)
    for step, rest in _legal_steps(tuple(hand), game):
        yield describe_step(step, game, style=style), (*rest, int_if_whole(step.result))


def _routes(puzzle: Puzzle, taken: Sequence[str], best: Exact) -> Iterator[list[str]]:
    """Yield candidate routes from the taken steps to a value, likeliest first; not yet checked."""
    game, style = puzzle.game, puzzle.style
    if best == puzzle.best:
        route, count = puzzle.hints(), len(taken)
        if count < len(route) and route[:count] == list(taken):
            yield route[count:]
    if not taken:
        is_cached = best == puzzle.best
        for solution in puzzle.solutions() if is_cached else find_solutions(puzzle.query, best):
            yield from _routes_of_solution(solution.expression, game, style)
        return
    position = parse_partial_working(", ".join(taken), game, puzzle.hand)
    hand = [value for value in position.left if isinstance(value, int)]
    # Without parentheses, or with joined digits, the rest cannot be solved as a hand.
    if game.parentheses and not game.join and len(hand) == len(position.left):
        rest = replace(game, numbers=tuple(hand), length=len(hand), repeats=True)
        for solution in find_solutions(HandQuery(tuple(hand), rest), best):
            yield from _routes_of_solution(solution.expression, rest, style)
    else:
        rules = game_for_numbers(puzzle.hand, game)
        sequences = [
            steps
            for left in _possible_numbers(position, game)
            for steps in _step_sequences(left, rules, best)
        ]
        # A position that needs no step comes first, then the easiest steps.
        for steps in sorted(sequences, key=lambda steps: (steps != (), _total_cost(steps, game))):
            route = [describe_step(step, game, style=style) for step in steps]
            yield route or [format_value(best)]


def _routes_of_solution(expression: Expression, game: Game, style: str) -> Iterator[list[str]]:
    """Yield the likeliest route to a solution, then the route in the written order."""
    yield hints(expression, game, style=style)
    written = evaluation_steps(expression, game, leaf_evaluator(game))
    yield [
        describe_step(step, game, style=style)
        for step in written
        if not step.operation.operator.joins
    ]


def _possible_numbers(position: PartialWorking, game: Game) -> Iterator[tuple[Exact, ...]]:
    """Yield the remaining numbers; if digits can be joined, one tuple for each way to join them."""
    if not game.join:
        yield position.left
        return
    seen: set[tuple[Exact, ...]] = set()
    for digits in permutations(map(str, position.numbers_left)):
        for cut_count in range(len(digits)):
            for cuts in combinations(range(1, len(digits)), cut_count):
                spans = zip((0, *cuts), (*cuts, len(digits)), strict=True)
                numbers = sorted(int("".join(digits[start:end])) for start, end in spans)
                seen.add((*numbers, *position.results_left))
    yield from sorted(seen or {position.results_left}, key=len, reverse=True)


def _step_sequences(
    left: tuple[Exact, ...], game: Game, best: Exact, taken: tuple[Step, ...] = ()
) -> Iterator[tuple[Step, ...]]:
    """Yield `taken` with every sequence of legal steps that makes a value from the numbers.

    If the value is one of the numbers and no step is needed, `taken` is the only item.
    """
    if best in left and (len(left) == 1 or not game.all_numbers):
        yield taken
        return
    for step, rest in _legal_steps(left, game):
        numbers = (*rest, int_if_whole(step.result))
        yield from _step_sequences(numbers, game, best, (*taken, step))


def _legal_steps(left: tuple[Exact, ...], game: Game) -> Iterator[tuple[Step, tuple[Exact, ...]]]:
    """Yield each distinct legal step on two of the numbers, with the other numbers.

    Raises KeyError for an operator that is not in `OPERATORS`, such as `!`.
    """
    tried: set[tuple[str, Exact, Exact]] = set()
    for first, second in permutations(range(len(left)), 2):
        a, b = left[first], left[second]
        rest = tuple(left[index] for index in range(len(left)) if index not in (first, second))
        for name in game.operators:
            operator = OPERATORS[name]
            if (name, a, b) in tried or (operator.commutes and (name, b, a) in tried):
                continue
            tried.add((name, a, b))
            # The evaluator uses the same types.
            values = (Fraction(a), Fraction(b)) if game.fractions else (a, b)
            result, legal = operator.operate(*values, game)
            if legal:
                step = Step(Operation(operator, Number(0), Number(0)), *values, result, legal)
                yield step, rest


def _total_cost(steps: Sequence[Step], game: Game) -> float:
    """Return the difficulty of a sequence of steps for a person, in bits."""
    return sum(step_cost(step, game, last=step is steps[-1]) for step in steps)
