"""The solve page: all solutions of a hand for a target, or the closest values."""

from typing import Any

from crisps24.messages.message import Spaced, message
from crisps24.notation.checking import working_lines
from crisps24.notation.styles import STYLES
from crisps24.notation.trees import Expression, text_of
from crisps24.pages.addresses import RULE_NAMES, Parameters
from crisps24.pages.play import play_address
from crisps24.puzzle import Puzzle
from crisps24.rules.deals import deal_problem, format_hand

NAMES = ("game", "hand", "target", "every", *RULE_NAMES)
_DEFAULT_SOLUTIONS = 20
MAX_SOLUTIONS = 500


def page(params: Parameters) -> dict[str, Any]:
    if "hand" not in params:
        return {"game": params.game()}
    puzzle = params.puzzle("hand")
    hand, target, game = puzzle.hand, puzzle.target, puzzle.game
    # The form shows the numbers and the target of a puzzle id, not the id.
    has_id = params.puzzle_id("hand") is not None
    id_values = {"hand": format_hand(hand), "target": str(target)} if has_id else {}
    solutions = puzzle.solutions()
    # The reason for which the game never deals this hand, or None; the hand is solved anyway.
    problem = deal_problem(hand, game, complete=False)
    values = {"target": target, "hand": Spaced(hand)}
    max_shown = MAX_SOLUTIONS if params.value("every") else _DEFAULT_SOLUTIONS
    has_more = len(solutions) > max_shown
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
            for solution in solutions[:max_shown]
        ],
        "likeliest": puzzle.hints() if solutions else [],
        "closest": [
            _formula_values(expression, puzzle, value=STYLES[puzzle.style].format_value(value))
            for value, expression in ({} if solutions else puzzle.closest).items()
        ],
        "more": params.address("/solve", every="yes") if has_more else "",
        "play": play_address(puzzle) if solutions else "",
    }


def _formula_values(expression: Expression, puzzle: Puzzle, **more: Any) -> dict[str, Any]:
    return {
        "formula": text_of(expression, puzzle.style),
        "steps": working_lines(expression, puzzle.game, style=puzzle.style),
    } | more
