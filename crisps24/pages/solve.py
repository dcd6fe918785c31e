"""Solve: a hand and a target, answered with every solution, or with the closest."""

from typing import Any

from crisps24.errors import RefusedError
from crisps24.messages.message import Spaced, message
from crisps24.notation.checking import working_lines
from crisps24.notation.trees import Expression, text_of
from crisps24.pages.asking import RULE_NAMES, Asked
from crisps24.pages.play import address_of
from crisps24.puzzle import Puzzle
from crisps24.rules.characters import split_words
from crisps24.rules.deals import deal_problem, format_hand, parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.queries import target_for
from crisps24.rules.words import format_value
from crisps24.rules.work import QUICK_WORK

NAMES = ("game", "hand", "target", "every", *RULE_NAMES)
# Solutions that are shown at first, and at most.
_FEW, MOST_SHOWN = 20, 500


def page(asked: Asked) -> dict[str, Any]:
    """Return what the page shows: nothing but a form where no hand is asked for."""
    if "hand" not in asked:
        return {"game": asked.game()}
    puzzle = puzzle_asked(asked)
    hand, target, game = puzzle.hand, puzzle.target, puzzle.game
    named = asked.named("hand")
    told = {"hand": format_hand(hand), "target": str(target)} if named else {}
    found = puzzle.exact_solutions
    odd = deal_problem(hand, game, complete=False)
    places = {"target": target, "hand": Spaced(hand)}
    shown = MOST_SHOWN if asked.value("every") else _FEW
    return {
        "asked": asked.in_game(game, **told),
        "game": game,
        "hand": format_hand(hand),
        "task": message("task.card", **places),
        "impossible": message("round.none", **places),
        "odd": odd and message("page.solve_odd", reason=odd),
        "count": len(found),
        "graded": bool(found) and puzzle.difficulty is not None,
        "level": puzzle.level if found else None,
        "shown": [
            _told(each.expression, puzzle, percent=100 * each.share) for each in found[:shown]
        ],
        "likeliest": puzzle.hints() if found else [],
        "closest": [] if found else _closest(puzzle),
        "more": asked.address("/solve", every="yes") if _FEW < len(found) > shown else "",
        "play": address_of(puzzle) if found else "",
    }


def puzzle_asked(asked: Asked) -> Puzzle:
    """Return the puzzle of an id or of a hand, in the signs that are asked for.

    Raises ValueError, in one sentence, for what is none.
    """
    if "hand" not in asked:
        raise RefusedError(message("hand.empty"))
    game, hand, target = asked.named("hand") or _asked_for(asked)
    return Puzzle(hand, target, game, work=QUICK_WORK, style=asked.style)


def _asked_for(asked: Asked) -> tuple[Game, Hand, Exact]:
    game = asked.game()
    hand = parse_hand(split_words(asked["hand"]), game)
    target = asked.value("target")
    return game, hand, target_for(game, target)


def _told(expression: Expression, puzzle: Puzzle, **more: Any) -> dict[str, Any]:
    return {
        "formula": text_of(expression, puzzle.style),
        "steps": working_lines(expression, puzzle.game, style=puzzle.style),
    } | more


def _closest(puzzle: Puzzle) -> list[dict[str, Any]]:
    return [_told(way, puzzle, value=format_value(value)) for value, way in puzzle.closest.items()]
