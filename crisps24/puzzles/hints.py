"""Hints: the steps from a player's position to the best value.

At the start, and after its own first steps, the hint is the likeliest route to the likeliest
solution. After other steps, the remaining numbers are solved as a hand if all are whole: after
`10 - 6 = 4` in the puzzle 4 6 8 10, the hand 4 4 8. Otherwise a depth-first search tries all orders
of the remaining steps. The judge checks every route before it is returned.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations

from crisps24.notation.checking import check_against_target
from crisps24.notation.evaluation import Step, describe_step, evaluation_steps, leaf_evaluator
from crisps24.notation.trees import Expression, Number, Operation
from crisps24.notation.workings import PartialWorking, Term, parse_partial_working, terms_of
from crisps24.puzzle import Puzzle
from crisps24.puzzles.reach import legal_steps
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, game_for_numbers
from crisps24.rules.machines import STEPS
from crisps24.rules.queries import HandQuery
from crisps24.rules.words import format_value
from crisps24.solving.likeliest import hints, step_cost
from crisps24.solving.solver import find_solutions


def next_steps(puzzle: Puzzle, taken: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the likeliest remaining steps to the best value, as text; () if it is out of reach."""
    for best in puzzle.accepted_values:
        for route in _candidate_routes(puzzle, taken, best):
            # A candidate can break a rule of the game: the judge decides.
            working = ", ".join([*taken, *route])
            if check_against_target(working, puzzle.hand, best, puzzle.game).verdict == "right":
                return tuple(route)
    return ()


def can_reach(left: Sequence[Exact], best: Exact, game: Game) -> bool:
    """Return whether legal steps reach the value `best` from numbers, each used at most once."""
    STEPS.check(game)
    return next(_step_sequences(terms_of(left), game, best), None) is not None


def first_steps(
    hand: Sequence[Exact], game: Game, style: str | None = None
) -> Iterator[tuple[str, tuple[Exact, ...]]]:
    """Yield each distinct legal first step of a hand as text, and the numbers left after it."""
    STEPS.check(game)
    game = game_for_numbers(hand, game)
    for step, terms in _legal_steps(terms_of(hand), game):
        yield describe_step(step, game, style=style), tuple(term.value for term in terms)


def _candidate_routes(puzzle: Puzzle, taken: Sequence[str], best: Exact) -> Iterator[list[str]]:
    """Yield lists of further steps that can turn the steps taken into the value `best`."""
    game, style = puzzle.game, puzzle.style
    # First the rest of the likeliest solution, if the player has followed it so far.
    if best == puzzle.best:
        full_route, taken_count = puzzle.hints(), len(taken)
        if taken_count < len(full_route) and full_route[:taken_count] == list(taken):
            yield full_route[taken_count:]
    # Before the first step, try the solutions; the puzzle only keeps those of its best value.
    if not taken:
        is_best = best == puzzle.best
        kept = puzzle.solutions(nearest=True) if is_best else []
        for solution in kept or find_solutions(puzzle.query, best):
            yield from _routes_of_solution(solution.expression, game, style)
        return
    position = parse_partial_working(", ".join(taken), game, puzzle.hand)
    whole_numbers = tuple(value for value in position.left if isinstance(value, int))
    all_are_whole = len(whole_numbers) == len(position.left)
    # After other steps, the remaining numbers are a new hand if all are whole, unless the steps
    # must fit into one formula without parentheses or with each operator once, or digits can be
    # joined.
    if all_are_whole and game.parentheses and not (game.join or game.once):
        length = len(whole_numbers)
        game_of_rest = replace(game, numbers=whole_numbers, length=length, repeats=True, dice=())
        for solution in find_solutions(HandQuery(whole_numbers, game_of_rest), best):
            yield from _routes_of_solution(solution.expression, game_of_rest, style)
    else:
        yield from _searched_routes(position, puzzle, best)


def _searched_routes(position: PartialWorking, puzzle: Puzzle, best: Exact) -> Iterator[list[str]]:
    """Yield every list of steps, as text, that makes a value from the numbers left."""
    game = puzzle.game
    STEPS.check(game)
    search_game = game_for_numbers(puzzle.hand, game)
    sequences = [
        steps
        for terms in _possible_terms(position, game)
        for steps in _step_sequences(terms, search_game, best)
    ]

    def cost(steps: Sequence[Step]) -> tuple[bool, float]:
        # A position that needs no step comes first, then the easiest steps.
        return steps != (), sum(step_cost(each, game, last=each is steps[-1]) for each in steps)

    for steps in sorted(sequences, key=cost):
        route = [describe_step(step, game, style=puzzle.style) for step in steps]
        yield route or [format_value(best)]


def _routes_of_solution(expression: Expression, game: Game, style: str) -> Iterator[list[str]]:
    """Yield two lists of the steps of a formula, as text: in the easiest order, and as written."""
    yield hints(expression, game, style=style)
    written = evaluation_steps(expression, game, leaf_evaluator(game))
    yield [
        describe_step(step, game, style=style)
        for step in written
        if not step.operation.operator.joins
    ]


def _possible_terms(position: PartialWorking, game: Game) -> Iterator[tuple[Term, ...]]:
    """Yield what a player can have left, as tuples, with the longest tuple first."""
    if not game.join:
        yield position.terms
        return
    possible: set[tuple[Exact, ...]] = set()
    for digits in permutations(map(str, position.numbers_left)):
        # Cut the row of digits at some of the places between them: 1 | 2 3 makes (1, 23).
        for cut_count in range(len(digits)):
            for cuts in combinations(range(1, len(digits)), cut_count):
                spans = zip((0, *cuts), (*cuts, len(digits)), strict=True)
                numbers = sorted(int("".join(digits[start:end])) for start, end in spans)
                possible.add((*numbers, *position.results_left))
    yield from map(terms_of, sorted(possible or {position.results_left}, key=len, reverse=True))


def _step_sequences(
    terms: tuple[Term, ...], game: Game, best: Exact, taken: tuple[Step, ...] = ()
) -> Iterator[tuple[Step, ...]]:
    """Yield every sequence of legal steps that makes the value `best` from some terms."""
    has_best = any(term.value == best for term in terms)
    if has_best and (len(terms) == 1 or not game.all_numbers):
        yield taken
        return
    for step, terms_after in _legal_steps(terms, game):
        yield from _step_sequences(terms_after, game, best, (*taken, step))


def _legal_steps(terms: tuple[Term, ...], game: Game) -> Iterator[tuple[Step, tuple[Term, ...]]]:
    """Yield each legal step that combines two of the terms, and all terms after it."""
    for left, operator, right, term, others in legal_steps(terms, game):
        # Only the operator and the values are used, so the formula has placeholders.
        operation = Operation(operator, Number(0), Number(0))
        yield Step(operation, left.value, right.value, term.value, True), (*others, term)
