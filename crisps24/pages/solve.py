"""The solve page: all solutions of a hand for a target, or the closest values."""

from typing import Any

from crisps24.errors import RefusedError
from crisps24.messages.message import Spaced, message
from crisps24.notation.checking import working_lines
from crisps24.notation.trees import Expression, text_of
from crisps24.pages.addresses import RULE_NAMES, Parameters
from crisps24.pages.play import play_address
from crisps24.puzzle import Puzzle
from crisps24.rules.characters import split_words
from crisps24.rules.deals import deal_problem, format_hand, parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.queries import target_for
from crisps24.rules.words import format_value
from crisps24.rules.work import QUICK_WORK

NAMES = ("game", "hand", "target", "every", *RULE_NAMES)
# Solutions shown by default, and with the parameter `every`.
_DEFAULT_SOLUTIONS = 20
MAX_SOLUTIONS = 500


def page(params: Parameters) -> dict[str, Any]:
    """Return the values of the template; without a hand, only the game.

    Shows the first 20 solutions, or up to 500 with `every`; the closest values if none. Raises
    RefusedError as `parse_puzzle` does, for a game whose solutions cannot all be found, such as one
    with ^, and for a hand that needs too large a search.
    """
    if "hand" not in params:
        return {"game": params.game()}
    puzzle = parse_puzzle(params)
    hand, target, game = puzzle.hand, puzzle.target, puzzle.game
    has_id = params.puzzle_id("hand") is not None
    id_values = {"hand": format_hand(hand), "target": str(target)} if has_id else {}
    solutions = puzzle.exact_solutions
    problem = deal_problem(hand, game, complete=False)
    values = {"target": target, "hand": Spaced(hand)}
    limit = MAX_SOLUTIONS if params.value("every") else _DEFAULT_SOLUTIONS
    is_cut = _DEFAULT_SOLUTIONS < len(solutions) > limit
    return {
        "params": params.in_game(game, **id_values),
        "game": game,
        "hand": format_hand(hand),
        "task": message("task.card", **values),
        "impossible": message("round.none", **values),
        "odd": problem and message("page.solve_odd", reason=problem),
        "count": len(solutions),
        "graded": bool(solutions) and puzzle.difficulty is not None,
        "level": puzzle.level if solutions else None,
        "shown": [
            _formula_values(solution.expression, puzzle, percent=100 * solution.share)
            for solution in solutions[:limit]
        ],
        "likeliest": puzzle.hints() if solutions else [],
        "closest": [] if solutions else _closest(puzzle),
        "more": params.address("/solve", every="yes") if is_cut else "",
        "play": play_address(puzzle) if solutions else "",
    }


def parse_puzzle(params: Parameters) -> Puzzle:
    """Return the puzzle of an address, which shows its solutions in the style of the address.

    The parameter `hand` is the id of a puzzle, or numbers for the parameters `game` and `target`.
    The game need not deal these numbers. Raises RefusedError if the hand is missing, if `target`
    is missing and the game lacks a fixed one, or if a parameter is invalid.
    """
    if "hand" not in params:
        raise RefusedError(message("hand.empty"))
    game, hand, target = params.puzzle_id("hand") or _parse_parameters(params)
    return Puzzle(hand, target, game, work=QUICK_WORK, style=params.style)


def _parse_parameters(params: Parameters) -> tuple[Game, Hand, Exact]:
    game = params.game()
    hand = parse_hand(split_words(params["hand"]), game)
    target = params.value("target")
    return game, hand, target_for(game, target)


def _formula_values(expression: Expression, puzzle: Puzzle, **more: Any) -> dict[str, Any]:
    return {
        "formula": text_of(expression, puzzle.style),
        "steps": working_lines(expression, puzzle.game, style=puzzle.style),
    } | more


def _closest(puzzle: Puzzle) -> list[dict[str, Any]]:
    return [
        _formula_values(expression, puzzle, value=format_value(value))
        for value, expression in puzzle.closest.items()
    ]
