"""Play: a puzzle, what was typed so far, and what the judge says of it.

The round is in the address: what it was before, and what was typed then. Owns how it is written
there, which puzzle is the next, and the score; the judge is `rounds`.
"""

import secrets
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from crisps24.errors import RefusedError
from crisps24.hands.puzzle import Puzzle, puzzle_of
from crisps24.notation.styles import STYLES
from crisps24.outside.cards import card_of
from crisps24.outside.drawings import svg_of
from crisps24.puzzles.conditions import Conditions
from crisps24.puzzles.dealing import Deal, deal
from crisps24.puzzles.rounds import KEYS, Reply, Round, is_scored, key_of
from crisps24.rules.characters import shown
from crisps24.rules.exact import Exact
from crisps24.rules.games import GAMES, PLAYED, Game
from crisps24.rules.rules import format_rules
from crisps24.rules.words import format_value
from crisps24.web import work
from crisps24.web.asking import (
    CHOOSING_NAMES,
    PAGE_WORK,
    RULE_NAMES,
    Asked,
    Field,
    number,
    parse_seconds,
)
from crisps24.web.check import marked
from crisps24.web.sentences import SENTENCES, say

# Puzzles of one seed, and the seconds of a round where points are given.
MOST_PUZZLES = 200
HALF_A_MINUTE = 30
# So many are dealt together at least: the first of a deal are those of a longer one.
_TOGETHER = (2, 5, 10, 20, 50, 100, MOST_PUZZLES)
_SEEDS = 1_000_000
# Kinds of replies that find a fault, and those that are no good news.
_JUDGED = ("wrong", "illegal", "malformed")
_BAD = (*_JUDGED, "stuck", "lost", "over")
_BETWEEN_STEPS = ", "

_ROUND = (
    number("wrong", 0, 9_999),
    number("hints", 0, 9_999),
    number("told", 0, 9_999),
    Field("steps", lambda text: tuple(text.split(_BETWEEN_STEPS))),
    Field("declared", str),
)
_TYPED = (Field("typed", str), Field("key", str), Field("seconds", parse_seconds))
FIELDS = (
    number("n", 1, MOST_PUZZLES),
    number("limit", 0, 3_600),
    number("score", 0, 1_000_000),
    Field("puzzle", str),
    *_ROUND,
    *_TYPED,
)
# What goes on from one puzzle to the next, and what of a round goes on from one try to the next.
_CHOICE = ("game", "seed", "limit", *CHOOSING_NAMES, *RULE_NAMES)
NAMES = (*_CHOICE, *(field.name for field in FIELDS if field.name != "limit"))
_OF_ROUND = tuple(field.name for field in (*_ROUND, *_TYPED))


def page(asked: Asked) -> dict[str, Any] | work.PageReply:
    """Return what the page shows; without a puzzle, the address of one."""
    named = puzzle_of(asked["puzzle"]).knowing(work=PAGE_WORK) if "puzzle" in asked else None
    asked.conditions(named.game if named else asked.game())
    if named is None and "seed" not in asked:
        return _dealt_new(asked)
    number = asked.value("n", 1)
    puzzle = named or _dealt(asked, number)
    before = _round_of(asked, puzzle)
    seconds = asked.value("seconds", 0.0)
    played, replies = _typed(asked, before, seconds)
    # Who goes on without an end skips what is left of it.
    ended = played if played.result else played.typed("", seconds)[0]
    score = asked.value("score", 0) + _points(ended)
    state = _state(asked, played)
    # Where nobody tells whether a target can be made, no level does, which the impossible lacks.
    hidden = played.scored and not (played.result or named) and "closest" in asked
    level = None if hidden else puzzle.level
    return {
        "asked": asked.in_game(puzzle.game),
        "puzzle": puzzle,
        "level": level,
        "rules": _rules(puzzle.game),
        "card": svg_of(card_of(puzzle.hand, puzzle.target, level)),
        "number": number,
        "played": played,
        "nearest": _nearest(played),
        "score": score if played.result else asked.value("score", 0),
        "replies": [_told(asked, reply) for reply in replies],
        # When time is over nothing is in focus that a key meant for the field would set off.
        "late": before.is_over(seconds),
        "entered": _entered(asked, replies),
        "state": state,
        "left": [format_value(value) for value in played.left],
        "keys": {kind: key for key, kind in KEYS.items()},
        "signs": _signs(puzzle.game),
        "next": _next(asked, puzzle, number, score),
        "again": asked.address("/play", without=_OF_ROUND),
        "unclocked": Asked(dict(state)).address("/play", limit=0),
    }


def clocked() -> list[str]:
    """Return the names of the games in which a puzzle has half a minute where nothing is said."""
    return [name for name in PLAYED if is_scored(GAMES[name])]


def _dealt_new(asked: Asked) -> work.PageReply:
    """Send to the first puzzle of a seed that is drawn."""
    place = asked.address("/play", seed=secrets.randbelow(_SEEDS))
    return work.PageReply(303, b"", headers=(("location", place),), lasting=False)


def _dealt(asked: Asked, number: int) -> Puzzle:
    game, target, targets = asked.game(), asked.value("target"), asked.value("targets")
    together = next(many for many in _TOGETHER if many >= number)
    choice = game, asked.value("seed"), target, targets, asked.conditions(game)
    try:
        dealt = _deal(*choice, together)
    except RefusedError:
        # There may be fewer than are dealt together.
        dealt = _deal(*choice, number)
    # Deals are kept; solutions, which are many, are not.
    return dealt[number - 1].without_solutions()


@lru_cache(64)
def _deal(
    game: Game,
    seed: int,
    target: Exact | None,
    targets: range | None,
    conditions: Conditions,
    count: int,
) -> Deal:
    return deal(
        game,
        count,
        seed=seed,
        target=target,
        targets=targets,
        conditions=conditions,
        work=PAGE_WORK,
    )


def _round_of(asked: Asked, puzzle: Puzzle) -> Round:
    """Return the round as it was before something was typed."""
    state = {field.name: asked.value(field.name) for field in _ROUND if field.name in asked}
    limit = asked.value("limit", HALF_A_MINUTE if is_scored(puzzle.game) else 0)
    return Round(puzzle, limit or None, **state)


def _typed(asked: Asked, before: Round, seconds: float) -> tuple[Round, list[Reply]]:
    """Return the round after what was typed, and what is said of it."""
    typed = asked.get("key", asked.get("typed"))
    if before.limit is not None and before.is_over(seconds):
        return _when_over(before, asked.get("typed", ""), before.limit, seconds)
    if typed is None:
        return before, []
    played, reply = before.typed(typed, seconds)
    return played, [reply]


def _when_over(
    before: Round, typed: str, limit: float, seconds: float
) -> tuple[Round, list[Reply]]:
    """End a round whose time is over; what stood in the field is judged as it stood."""
    if key_of(typed) is not None:
        played, reply = before.typed("", seconds)
        return played, [reply]
    played, reply = before.typed(typed, limit)
    if played.result:
        return played, [reply]
    played, over = played.typed("", seconds)
    return played, [reply, over] if reply.kind in _JUDGED else [over]


def _points(played: Round) -> int:
    """Return what a round adds to the score: its points, or 1 where there are none to be had."""
    return played.points if played.scored else int(played.result == "right")


def _nearest(played: Round) -> str:
    """Return the formula that came closest, with what it makes."""
    if played.nearest is None:
        return ""
    value, formula = played.nearest
    return f"{formula} = {format_value(value)}"


def _told(asked: Asked, reply: Reply) -> dict[str, Any]:
    return {
        "line": asked.get("typed", "") if reply.kind in _JUDGED else "",
        "good": reply.kind == "right",
        "bad": reply.kind in _BAD,
        "word": word if (word := f"verdict_{reply.kind}") in SENTENCES else "",
        "text": shown(reply.text),
        "marked": reply.error and marked(reply.error),
    }


def _entered(asked: Asked, replies: Iterable[Reply]) -> str:
    """Return what stays in the field: what was typed and is to be mended."""
    mended = any(reply.kind in _JUDGED for reply in replies)
    return asked.get("typed", "") if mended else ""


def _state(asked: Asked, played: Round) -> list[tuple[str, str]]:
    """Return the words of an address at which the round goes on."""
    choice = [(name, asked[name]) for name in (*_CHOICE, "puzzle", "n", "score") if name in asked]
    state = {
        "wrong": played.wrong,
        "hints": played.hints,
        "told": played.told,
        "steps": _BETWEEN_STEPS.join(played.steps),
        "declared": played.declared,
    }
    return choice + [(name, str(value)) for name, value in state.items() if value]


def _signs(game: Game) -> list[str]:
    """Return what a formula of a game is typed with, besides numbers."""
    return [*_operators(game), *("()" if game.parentheses else "")]


def _operators(game: Game) -> list[str]:
    style = STYLES[game.signs]
    return [style.sign(operator) for operator in game.row_operators if not operator.joins]


def _rules(game: Game) -> str:
    """Say in a line what a game allows."""
    if game.operators == GAMES[game.name].operators:
        return format_rules(game)
    signs = " ".join(_operators(game))
    return say("play_operators", rules=format_rules(game), signs=signs)


def _next(asked: Asked, puzzle: Puzzle, number: int, score: int) -> str:
    """Return the address of the next puzzle: of the same seed, or of a new one after the last."""
    without = (*_OF_ROUND, "puzzle", "n", "score")
    changes: dict[str, Any] = {"score": score or None}
    if "puzzle" in asked:
        # By the rules of this one, and for its target, whatever else the address has.
        if puzzle.target not in _targets(asked, puzzle.game):
            changes |= {"target": puzzle.target, "targets": None}
        return asked.in_game(puzzle.game).address("/play", (*without, "seed"), **changes)
    if number == MOST_PUZZLES:
        return asked.address("/play", (*without, "seed"), **changes)
    return asked.address("/play", without, **changes, n=number + 1)


def _targets(asked: Asked, game: Game) -> Sequence[Exact]:
    """Return the targets that puzzles of a game are dealt with."""
    if "targets" in asked:
        targets: range = asked.value("targets")
        return targets
    target = asked.target(game)
    return range(game.targets[0], game.targets[1] + 1) if target is None else (target,)


def address_of(puzzle: Puzzle) -> str:
    """Return the address at which a puzzle is played.

    >>> address_of(puzzle_of("cards:3.3.8.8=24"))
    '/play?game=cards&puzzle=cards%3A3.3.8.8%3D24'
    """
    return Asked({}).address("/play", game=puzzle.game.name, puzzle=puzzle.id)
