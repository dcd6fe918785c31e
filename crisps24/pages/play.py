"""Play: puzzles of a seed one after the other, or the one of an id, and the score."""

from functools import lru_cache, partial
from typing import Any

from crisps24.errors import RefusedError
from crisps24.pages.asking import CHOOSING_NAMES, DISPLAY_NAMES, RULE_NAMES, Asked, Field, number
from crisps24.pages.replies import PageReply, redirect_to
from crisps24.pages.table import LIMIT, OF_ROUND, ROUND_NAMES, begun_now, table_of
from crisps24.puzzle import Puzzle, puzzle_of
from crisps24.puzzles.dealing import candidate_targets, deal, to_seed
from crisps24.puzzles.rounds import Round
from crisps24.rules.work import QUICK_WORK

# Puzzles of one seed.
MOST_PUZZLES = 200
# So many are dealt together at least: the first of a deal are those of a longer one.
_TOGETHER = (2, 5, 10, 20, 50, 100, MOST_PUZZLES)

FIELDS = (
    number("n", 1, MOST_PUZZLES),
    LIMIT,
    number("score", 0, 1_000_000),
    Field("puzzle", str),
    *OF_ROUND,
)
# What goes on from one puzzle to the next.
_CHOICE = (*DISPLAY_NAMES, "game", "seed", "limit", *CHOOSING_NAMES, *RULE_NAMES)
NAMES = (*_CHOICE, *(field.name for field in FIELDS if field.name != "limit"))


def page(asked: Asked) -> dict[str, Any] | PageReply:
    """Return what the page shows; without a puzzle, the address of one."""
    named = puzzle_of(asked["puzzle"]).with_work(QUICK_WORK) if "puzzle" in asked else None
    asked.conditions(named.game if named else asked.game())
    if named is None and "seed" not in asked:
        return redirect_to(asked.address("/play", seed=to_seed()))
    if "start" in asked:
        return begun_now(asked, "/play")
    number = asked.value("n", 1)
    puzzle = named or _dealt(asked, number)
    secret = named is None and "closest" in asked
    choice = (*_CHOICE, "puzzle", "n", "score")
    table = table_of(asked, puzzle, "/play", choice, secret=secret)
    played: Round = table["played"]
    # Who goes on without an end skips what is left of it.
    ended = played if played.result else played.play("", asked.value("seconds", 0.0))[0]
    before = asked.value("score", 0)
    # One point in games without points.
    score = before + (ended.points if ended.scored else int(ended.result == "right"))
    return table | {
        "number": number,
        "score": score if played.result else before,
        "next": _next(asked, puzzle, number, score),
        "fresh": address_of(puzzle),
    }


_deal = lru_cache(64)(deal)


def _dealt(asked: Asked, number: int) -> Puzzle:
    game = asked.game()
    choice = {name: asked.value(name) for name in ("seed", "target", "targets")}
    deal_many = partial(_deal, game, **choice, conditions=asked.conditions(game), work=QUICK_WORK)
    try:
        dealt = deal_many(count=next(many for many in _TOGETHER if many >= number))
    except RefusedError:
        # There may be fewer than are dealt together.
        dealt = deal_many(count=number)
    # Deals are kept; solutions, which are many, are not.
    return dealt[number - 1].without_solutions()


def _next(asked: Asked, puzzle: Puzzle, number: int, score: int) -> str:
    """Return the address of the next puzzle: of the same seed, or of a new one after the last."""
    without = (*ROUND_NAMES, "puzzle", "n", "score")
    changes: dict[str, Any] = {"score": score or None}
    if "puzzle" in asked:
        # By the rules of this one, and for its target, whatever else the address has.
        targets = candidate_targets(puzzle.game, asked.value("target"), asked.value("targets"))
        if puzzle.target not in targets:
            changes |= {"target": puzzle.target, "targets": None}
        return asked.in_game(puzzle.game).address("/play", (*without, "seed"), **changes)
    if number == MOST_PUZZLES:
        return asked.address("/play", (*without, "seed"), **changes)
    return asked.address("/play", without, **changes, n=number + 1)


def address_of(puzzle: Puzzle) -> str:
    """Return the address at which a puzzle is played.

    >>> address_of(puzzle_of("cards:3.3.8.8=24"))
    '/play?game=cards&puzzle=cards%3A3.3.8.8%3D24'
    """
    return Asked({}).address("/play", game=puzzle.game.name, puzzle=puzzle.id)
