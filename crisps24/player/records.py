"""Games and puzzles as JSON values for the script `engine.js`, which knows no game by name.

The script has whole numbers and fractions, the four operators that every game has, parentheses, and
the rules in `_PLAYED_RULES`. `check_playable` refuses a game with any other rule, known or not.
"""

import re
from dataclasses import fields
from typing import Any, cast

from crisps24.errors import RefusedError
from crisps24.messages.message import Message, as_message, message
from crisps24.notation.spellings import all_spellings
from crisps24.notation.styles import style_by_name
from crisps24.puzzle import Puzzle
from crisps24.rules.exact import size_of
from crisps24.rules.games import Game, Hand
from crisps24.rules.machines import HANDS
from crisps24.rules.operators import operator_by_name
from crisps24.rules.rules import RULES
from crisps24.rules.words import format_numbers
from crisps24.solving.likeliest import likeliest_route

# Digits of an integer that JSON parsers of browsers keep exact.
MAX_JSON_DIGITS = 15
# Numbers of a hand: a hint for 7 numbers takes up to 1 s, for 8 numbers up to 10 s.
MAX_PLAYED_NUMBERS = 7
# The operators of the script: those that a game has by default.
_OPERATORS = cast("tuple[str, ...]", Game.__dataclass_fields__["operators"].default)
# Rules that the script has. It plays a game with another rule only if that changes the deal alone,
# or has no effect: the game has the default value of its field.
_PLAYED_RULES = (
    *("operators", "parentheses", "fractions", "negatives", "zero", "most", "all_numbers"),
    *("once", "nesting"),
)


def check_playable(game: Game, hand: Hand = ()) -> None:
    """Raise RefusedError for a game or hand that the script cannot play, with the rule."""
    if reason := _game_refusal(game):
        raise RefusedError(reason)
    if max(game.length, len(hand)) > MAX_PLAYED_NUMBERS:
        raise RefusedError(message("script.length", game=game.name, most=MAX_PLAYED_NUMBERS))


def _game_refusal(game: Game) -> Message | None:
    """Return why the script cannot play a game, apart from the length of its hands, or None."""
    for name in game.operators:
        if name not in _OPERATORS:
            return message("script.operator", game=game.name, sign=name)
    defaults = {each.name: each.default for each in fields(Game)}
    for name, rule in RULES.items():
        if name in _PLAYED_RULES or rule.deals:
            continue
        is_off = getattr(game, name, None) == defaults.get(name) and not rule.restriction(game)
        if not is_off and (text := rule.line(game)):
            return message("script.rule", game=game.name, rule=as_message(text))
        if not is_off:
            return message("script.added_rule", game=game.name, rule=name)
    if not HANDS.can_do(game):
        return message("script.order", game=game.name)
    if max(map(size_of, (*game.numbers, game.most or 0))) >= 10**MAX_JSON_DIGITS:
        return message("script.number", game=game.name, most=MAX_JSON_DIGITS)
    # In a formula, the letter of a card, such as Q for 12, must differ from all signs.
    for letter, _ in game.letters:
        is_sign = {letter, letter.lower()} & _spellings().keys()
        if is_sign or not re.fullmatch("[A-Z]", letter):
            return message("script.added_rule", game=game.name, rule=f"letters {letter}")
    return None


def game_record(game: Game, style: str | None = None) -> dict[str, Any]:
    """Return the rules of a game as the script reads them, in a dict that JSON can write."""
    check_playable(game)
    numbers, sign_style = sorted(set(game.numbers)), style_by_name(style or game.style)
    points, operators = game.scoring, map(operator_by_name, game.operators)
    # As buttons: plus, minus, times, divided by.
    buttons = sorted(operators, key=lambda each: (each.precedence, not each.commutes))
    return {
        "name": game.name,
        "parentheses": bool(game.parentheses),
        "fractions": bool(game.fractions),
        "negatives": bool(game.negatives),
        "zero": bool(game.zero),
        "most": game.most,
        "all_numbers": bool(game.all_numbers),
        "accepts_closest": game.accepts_closest,
        "once": bool(game.once),
        "points": points
        and {
            "by_distance": [list(pair) for pair in points.by_distance],
            "by_operator": dict(points.by_operator),
            "bonus": points.bonus,
        },
        "tracks_operators": bool(game.once or game.operator_points),
        "operators": [operator.name for operator in buttons],
        "numbers": [number if isinstance(number, int) else str(number) for number in numbers],
        "known_numbers": format_numbers(numbers),
        "letters": dict(game.letters),
        "spellings": _spellings(),
        "signs": {name: sign_style.sign(operator_by_name(name)) for name in _OPERATORS},
    }


def _spellings() -> dict[str, str]:
    """Return the operator of each sign of one character that can be typed."""
    return {
        spelling: name
        for name in _OPERATORS
        for spelling in all_spellings(operator_by_name(name))
        if len(spelling) == 1
    }


def puzzle_record(puzzle: Puzzle, *, solutions: bool = True) -> dict[str, Any]:
    """Return a puzzle as the script reads it: its id, hand, target and level, by these names."""
    check_playable(puzzle.game, puzzle.hand)
    record: dict[str, Any] = {
        "id": puzzle.id,
        "hand": [str(number) for number in puzzle.hand],
        "target": str(puzzle.target),
        "level": puzzle.level,
    }
    return record | _solution_record(puzzle) if solutions else record


def _solution_record(puzzle: Puzzle) -> dict[str, Any]:
    if not puzzle.game.accepts_closest and not puzzle.solvable:
        return {"ways": 0}
    expression = puzzle.solutions(nearest=True)[0].expression
    steps = likeliest_route(expression, puzzle.game)
    return {
        "best": str(puzzle.best),
        "answer": puzzle.answer(),
        "route": [
            [str(step.left), step.operation.operator.name, str(step.right)] for step in steps
        ],
        "ways": puzzle.count,
        **({"most": puzzle.most_points} if puzzle.game.operator_points else {}),
    }
