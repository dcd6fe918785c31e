"""Play a round whose state is in the address, and compute the values that its page shows.

An address has the state of the round and one input: a typed text, a key or a tap. The pages
`play` and `daily` choose the puzzle.
"""

import re
import time
from collections.abc import Iterable
from typing import Any

from crisps24.drawing.cards import card_of
from crisps24.drawing.drawings import svg_of
from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import message
from crisps24.notation.styles import STYLES
from crisps24.pages.addresses import Field, Parameters, flags, number, parse_seconds
from crisps24.pages.check import mark_error
from crisps24.pages.replies import PageReply, redirect_to
from crisps24.pages.sentences import has_text
from crisps24.puzzle import Puzzle
from crisps24.puzzles.rounds import ROUND_KEYS, Reply, Round, is_scored, parse_key
from crisps24.puzzles.tiles import Board, Tap, board_of, format_places, parse_places, parse_tap
from crisps24.rules.characters import escape_unprintable
from crisps24.rules.games import GAMES, HAND_GAMES, Game
from crisps24.rules.operators import Operator
from crisps24.rules.rules import format_rules
from crisps24.rules.words import format_value

# The default time limit, in seconds, of rounds with points.
DEFAULT_LIMIT = 30
# Kinds of replies to wrong formulas, and to everything that does not help the player.
_JUDGED = ("wrong", "illegal", "malformed")
_BAD = (*_JUDGED, "stuck", "lost", "over")
# Kinds of replies that show the last step.
_MADE = ("step", "unused", "stuck")
_BETWEEN_STEPS = ", "
# A tile on which more signs stand has smaller ones.
_LONG, _LONGER = 4, 7


def parse_moment(text: str) -> float:
    """Return the seconds since 1970 of a text such as `1795356000.5`, with up to 3 decimals.

    Raises RefusedError for any other text.
    """
    if not re.fullmatch(r"[0-9]{1,11}(\.[0-9]{1,3})?", text):
        raise RefusedError(message("refused.moment", text=quoted(text)))
    return float(text)


_ROUND = (
    number("wrong", 0, 9_999),
    number("hints", 0, 9_999),
    number("told", 0, 9_999),
    Field("steps", lambda text: tuple(text.split(_BETWEEN_STEPS))),
    Field("declared", str),
)
_BESIDE = (Field("places", parse_places), Field("began", parse_moment))
_NOW = (
    *(Field("typed", str), Field("key", str), Field("tap", parse_tap)),
    *(Field("seconds", parse_seconds), *flags("start")),
)
# Fields of a round whose words in addresses differ.
_ROUND_FIELDS = {"told": "hints_since_step", "declared": "best_formula"}
# The time limit of a round in seconds; 0 for none.
LIMIT_FIELD = number("limit", 0, 3_600)
ROUND_FIELDS = (*_ROUND, *_BESIDE, *_NOW)
ROUND_NAMES = tuple(field.name for field in ROUND_FIELDS)


def timed_games() -> list[str]:
    """Return the names of the games whose rounds have a time limit by default."""
    return [name for name in HAND_GAMES if is_scored(GAMES[name])]


def redirect_to_start(params: Parameters, path: str) -> PageReply:
    """Return a redirect to `path` with the present time as `began`, and without `start`."""
    return redirect_to(params.address(path, without=("start",), began=f"{time.time():.1f}"))


def round_values(
    params: Parameters, puzzle: Puzzle, path: str, choice: Iterable[str], *, secret: bool = False
) -> dict[str, Any]:
    """Return the values of the template for a round, after the input of the address.

    Args:
        params: the parameters of the address.
        puzzle: the puzzle of the round.
        path: the path of the page.
        choice: the names of the parameters that choose the puzzle.
        secret: whether to hide the level until the end of a round with points. Unsolvable puzzles
            lack a level, so that it would show whether the target can be made.

    Raises RefusedError for invalid parameters, and for steps that do not fit the puzzle.
    """
    puzzle = puzzle.with_style(params.style or puzzle.style)
    limit = params.value("limit", DEFAULT_LIMIT if is_scored(puzzle.game) else 0)
    fields = {
        _ROUND_FIELDS.get(field.name, field.name): params.value(field.name)
        for field in _ROUND
        if field.name in params
    }
    before = Round(puzzle, limit or None, **fields, language=params.language)
    seconds = params.value("seconds", 0.0)
    tap = params.value("tap", Tap())
    lying = board_of(before, params.value("places", ()))
    lying.check(tap, puzzle.game)
    tapped = lying.written(tap, puzzle.style)
    # A tap that is not a whole step types nothing.
    step = f"{tapped} =" if tap.other else None
    played, replies = _typed(params, before, seconds, tap.key or step)
    board = _board_after(played, lying, tap)
    state = _state(params, played, board, choice)
    hides = secret and played.scored and not played.result
    level = None if hides else puzzle.level
    return {
        "params": params.in_game(puzzle.game),
        "puzzle": puzzle,
        "level": level,
        "rules": _rules(params, puzzle),
        "card": svg_of(card_of(puzzle.hand, puzzle.target, level, language=params.language)),
        "played": played,
        "nearest": _nearest(played),
        "replies": [
            _reply_values(reply, played, params.get("typed", ""), tapped) for reply in replies
        ],
        # After the time limit no button has the focus: a key for the field would press it.
        "late": before.is_time_up(seconds),
        "waits": bool(limit) and not params.has_any(ROUND_NAMES),
        "began": params.value("began"),
        "limit": limit,
        "entered": _entered(params, replies, tap),
        "state": state,
        "left": [format_value(value) for value in played.left],
        "keys": {kind: key for key, kind in ROUND_KEYS.items()},
        "typing": [*_signs(puzzle), *("()" if puzzle.game.parentheses else "")],
        **_tapping(board, tap, puzzle),
        "doing": _doing(params, tap, tapped),
        "again": params.address(path, without=ROUND_NAMES),
        "unclocked": Parameters(dict(state)).address(path, without=("began",), limit=0),
    }


def _typed(
    params: Parameters, before: Round, seconds: float, tapped: str | None
) -> tuple[Round, list[Reply]]:
    """Return the round after the input of the address, and its replies.

    The list is empty without input, unless the time limit is over. `seconds` is the time since the
    start; `tapped` the key or the step of a tap, or None.
    """
    typed = tapped
    if "tap" not in params:
        typed = params.get("key", params.get("typed"))
    if before.limit is not None and before.is_time_up(seconds):
        return _when_over(before, tapped or params.get("typed", ""), before.limit, seconds)
    if typed is None:
        return before, []
    played, reply = before.play(typed, seconds)
    return played, [reply]


def _when_over(
    before: Round, typed: str, limit: float, seconds: float
) -> tuple[Round, list[Reply]]:
    """Return the round ended after its time limit, and its replies.

    A formula in the input field still counts as an answer: if it ends the round, its reply is the
    only one; if it is wrong or malformed, its reply is the first, and `over` the second. Other
    texts, such as a step or the key `?`, have only the reply `over`.
    """
    if parse_key(typed) is not None:
        played, reply = before.play("", seconds)
        return played, [reply]
    played, reply = before.play(typed, limit)
    if played.result:
        return played, [reply]
    played, over = played.play("", seconds)
    return played, [reply, over] if reply.kind in _JUDGED else [over]


def _board_after(played: Round, lying: Board, tap: Tap) -> Board:
    """Return where numbers lie after what was tapped or typed."""
    here = (tap.tile, tap.other)
    taken = tap.other and len(played.steps) > len(lying.places)
    return board_of(played, (*lying.places, here) if taken else lying.places)


def _nearest(played: Round) -> str:
    """Return the closest formula so far, such as `8 x 3 = 24`, or an empty text."""
    if played.best_attempt is None:
        return ""
    value, formula = played.best_attempt
    return f"{formula} = {format_value(value)}"


def _reply_values(reply: Reply, played: Round, typed: str, tapped: str) -> dict[str, Any]:
    fault = reply.error and mark_error(reply.error)
    if fault and tapped:
        # What a tap types ends with a sign that nobody sees.
        fault = fault._replace(after=fault.after.removesuffix(" ="))
    made = played.steps[-1] if reply.kind in _MADE and played.steps else ""
    return {
        "line": made or ((tapped or typed) if reply.kind in _JUDGED else ""),
        "made": made,
        "good": reply.kind == "right",
        "bad": reply.kind in _BAD,
        "spoken": (reply.language or played.language).name,
        "word": word if has_text(word := f"verdict_{reply.kind}") else "",
        "text": escape_unprintable(reply.text),
        "marked": fault,
    }


def _entered(params: Parameters, replies: Iterable[Reply], tap: Tap) -> str:
    """Return the text that stays in the input field after a wrong formula or a tap, or empty."""
    is_wrong = any(reply.kind in _JUDGED for reply in replies)
    return params.get("typed", "") if is_wrong or tap != Tap() else ""


def _state(
    params: Parameters, played: Round, board: Board, choice: Iterable[str]
) -> list[tuple[str, str]]:
    """Return the names and texts of the parameters that continue the round, without empty ones."""
    chosen = [(name, params[name]) for name in (*choice, "began") if name in params]
    state = {
        "wrong": played.wrong,
        "hints": played.hints,
        "told": played.hints_since_step,
        "steps": _BETWEEN_STEPS.join(played.steps),
        "places": "" if board.usual else format_places(board.places),
        "declared": played.best_formula,
    }
    return chosen + [(name, str(value)) for name, value in state.items() if value]


def _operators(game: Game) -> list[Operator]:
    return [operator for operator in game.row_operators if not operator.joins]


def _signs(puzzle: Puzzle) -> list[str]:
    """Return the signs for typing a formula of the game."""
    return [STYLES[puzzle.style].sign(operator) for operator in _operators(puzzle.game)]


def _doing(params: Parameters, tap: Tap, tapped: str) -> str:
    """Say what is to be tapped next."""
    held = tap.held
    if not held.tile:
        return params.say("tap_first")
    if not held.operator:
        return params.say("tap_sign", tapped=tapped)
    return params.say("tap_number", tapped=tapped)


def _tapping(board: Board, tap: Tap, puzzle: Puzzle) -> dict[str, Any]:
    """Return the tiles and the signs, with their taps; the last one tapped has the focus."""
    held = tap.held
    tiles = [
        None if tile is None else _tile(place, format_value(tile), tap)
        for place, tile in enumerate(board.tiles, 1)
    ]
    signs = [
        {
            "name": operator.name,
            "word": word if has_text(word := f"operator_{operator.name}") else "",
            "sign": STYLES[puzzle.style].sign(operator),
            # The one that is held is let go of.
            "tap": f"{held.tile}{operator.name if operator.name != held.operator else ''}",
            "held": operator.name == held.operator,
            "focus": operator.name == tap.last,
        }
        for operator in sorted(
            _operators(puzzle.game), key=lambda each: (each.precedence, not each.commutes)
        )
    ]
    return {"tiles": tiles, "signs": signs, "held": held.tile, "tapped": tap.last}


def _tile(place: int, text: str, tap: Tap) -> dict[str, Any]:
    held = tap.held
    if place == held.tile:
        says = f"-{place}"
    else:
        says = f"{held.tile}{held.operator}{place}" if held.operator else str(place)
    size = sum(len(text) > most for most in (_LONG, _LONGER))
    return {
        "place": place,
        "text": text,
        "tap": says,
        "held": place == held.tile,
        "focus": place == tap.last,
        "size": ("", "long", "longer")[size],
    }


def _rules(params: Parameters, puzzle: Puzzle) -> str:
    """Return the rules of the game as one line."""
    game = puzzle.game
    rules = format_rules(game, params.language)
    if game.operators == GAMES[game.name].operators:
        return rules
    return params.say("play_operators", rules=rules, signs=" ".join(_signs(puzzle)))
