"""Play a round whose state is in the address, and compute the values that its page shows.

A browser with scripts plays the record of the puzzle; others send the state of the round and one
input: a typed text or a key. The pages `play` and `daily` choose the puzzle.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from crisps24.drawing.cards import card_of
from crisps24.drawing.drawings import svg_of
from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import message
from crisps24.notation.styles import STYLES
from crisps24.pages.addresses import Field, Parameters, flags, number
from crisps24.pages.check import mark_error
from crisps24.pages.sentences import has_text
from crisps24.player.files import data_text, page_record
from crisps24.puzzle import Puzzle
from crisps24.puzzles.rounds import ROUND_KEYS, Reply, Round, parse_key
from crisps24.rules.characters import escape_unprintable
from crisps24.rules.games import GAMES, plain_name
from crisps24.rules.rules import format_rules

# The default time limit, in seconds, of rounds in which near values count.
DEFAULT_LIMIT = 30
# Kinds of replies to wrong formulas, and to everything that does not help the player.
_JUDGED = ("wrong", "illegal", "malformed")
_BAD = (*_JUDGED, "stuck", "lost")
_MADE = ("step", "unused", "stuck")
_BETWEEN_STEPS = ", "


def parse_moment(text: str) -> float:
    """Return the seconds since 1970 of a text such as `1795356000.5`, with up to 3 decimals."""
    if not re.fullmatch(r"[0-9]{1,11}(\.[0-9]{1,3})?", text):
        raise RefusedError(message("refused.moment", text=quoted(text)))
    return float(text)


_STATE = (
    number("wrong", 0, 9_999),
    number("hints", 0, 9_999),
    number("told", 0, 9_999),
    Field("steps", lambda text: tuple(text.split(_BETWEEN_STEPS))),
    Field("declared", str),
    *flags("seen"),
)
# Fields of a round whose words in addresses differ.
_ROUND_FIELDS = {"told": "hints_since_step", "declared": "best_formula"}
# The time limit of a round in seconds; 0 for none. Only the script has a clock.
LIMIT_FIELD = number("limit", 0, 3_600)
ROUND_FIELDS = (*_STATE, Field("began", parse_moment), Field("typed", str), Field("key", str))
ROUND_NAMES = tuple(field.name for field in ROUND_FIELDS)


def round_values(
    params: Parameters, puzzle: Puzzle, path: str, choice: Iterable[str], *, secret: bool = False
) -> dict[str, Any]:
    """Play the input of an address in its round."""
    puzzle = puzzle.with_style(params.style or puzzle.style)
    round_state = {
        _ROUND_FIELDS.get(field.name, field.name): params.value(field.name)
        for field in _STATE
        if field.name in params
    }
    played = Round(puzzle, **round_state, language=params.language)
    player_input, replies = params.get("key", params.get("typed")), []
    if player_input is not None:
        played, reply = played.play(player_input)
        replies = [_reply_values(reply, played, params.get("typed", ""))]
    nearest = ""
    if best := played.best_attempt:
        nearest = f"{best[1]} = {STYLES[puzzle.style].format_value(best[0])}"
    is_shown = played.seen or played.result in ("shown", "over")
    level = None if secret and puzzle.game.accepts_closest and not played.result else puzzle.level
    return {
        "params": params.in_game(puzzle.game),
        "puzzle": puzzle,
        "level": level,
        # With a clock, only the player shows the numbers, after its start.
        "waits": _limit_of(params, puzzle) > 0 and not params.has_any(ROUND_NAMES),
        "rules": _rules(params, puzzle),
        "card": svg_of(card_of(puzzle.hand, puzzle.target, level, language=params.language)),
        "played": played,
        "nearest": nearest,
        "replies": replies,
        # A wrong formula stays, so that the player can correct it.
        "entered": params.get("typed", "") if any(reply["judged"] for reply in replies) else "",
        "state": _state(params, played, choice),
        "keys": {kind: key for key, kind in ROUND_KEYS.items()},
        "again": params.address(path, ROUND_NAMES, seen="yes" if is_shown else None),
    }


def player_data(
    params: Parameters,
    puzzle: Puzzle,
    facts: Mapping[str, Any],
    links: Mapping[str, str],
    *,
    secret: bool = False,
    key: str = "",
) -> str:
    """Return the data of a puzzle for the script as JSON; empty if it cannot play it."""
    queries = {name: f"?{link.partition('?')[2]}" for name, link in links.items() if link}
    clock = {"limit": _limit_of(params, puzzle), "began": params.value("began")}
    try:
        return data_text(
            page_record(
                puzzle,
                params.language,
                title=plain_name(puzzle.game.name).text(params.language),
                style=params.style,
                key=key,
                score=params.value("score", 0),
                secret=secret and puzzle.game.accepts_closest,
                solution=parse_key(params.get("key", "")) == "shown",
                page={**facts, **queries, **clock},
            )
        )
    except RefusedError:
        return ""


def _limit_of(params: Parameters, puzzle: Puzzle) -> int:
    limit: int = params.value("limit", DEFAULT_LIMIT if puzzle.game.accepts_closest else 0)
    return limit


def _reply_values(reply: Reply, played: Round, typed: str) -> dict[str, Any]:
    is_judged = reply.kind in _JUDGED
    last_step = played.steps[-1] if reply.kind in _MADE and played.steps else ""
    return {
        "line": last_step or (typed if is_judged and played.result else ""),
        "judged": is_judged,
        "good": reply.kind == "right",
        "bad": reply.kind in _BAD,
        "spoken": (reply.language or played.language).name,
        "word": word if has_text(word := f"verdict_{reply.kind}") else "",
        "text": escape_unprintable(reply.text),
        "marked": reply.error and mark_error(reply.error),
    }


def _state(params: Parameters, played: Round, choice: Iterable[str]) -> list[tuple[str, str]]:
    puzzle_parameters = [(name, params[name]) for name in choice if name in params]
    names = [field.name for field in _STATE]
    state = {name: getattr(played, _ROUND_FIELDS.get(name, name)) for name in names}
    state |= {"steps": _BETWEEN_STEPS.join(played.steps), "seen": "yes" if played.seen else ""}
    return puzzle_parameters + [(name, str(value)) for name, value in state.items() if value]


def _rules(params: Parameters, puzzle: Puzzle) -> str:
    game = puzzle.game
    rules = format_rules(game, params.language)
    if game.operators == GAMES[game.name].operators:
        return rules
    sign = STYLES[puzzle.style].sign
    signs = " ".join(sign(operator) for operator in game.row_operators if not operator.joins)
    return params.say("play_operators", rules=rules, signs=signs)
