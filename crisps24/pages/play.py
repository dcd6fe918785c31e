"""The play page: the puzzles of a seed, one after another, or the puzzle of an id, with a score."""

from functools import lru_cache, partial
from typing import Any

from crisps24.errors import RefusedError
from crisps24.messages.message import Spaced, message
from crisps24.pages.addresses import (
    CHOOSING_NAMES,
    DISPLAY_NAMES,
    RULE_NAMES,
    Field,
    Parameters,
    number,
)
from crisps24.pages.replies import PageReply, redirect_to
from crisps24.pages.table import (
    LIMIT_FIELD,
    ROUND_FIELDS,
    ROUND_NAMES,
    player_data,
    round_values,
)
from crisps24.puzzle import Puzzle, puzzle_of
from crisps24.puzzles.dealing import candidate_targets, deal, to_seed
from crisps24.puzzles.rounds import Round
from crisps24.rules.work import QUICK_WORK

# Puzzles per seed.
MAX_PUZZLES = 200
# Sizes of deals. A longer deal starts with the puzzles of a shorter one, so that few sizes suffice.
_DEAL_SIZES = (2, 5, 10, 20, 50, 100, MAX_PUZZLES)

FIELDS = (
    number("n", 1, MAX_PUZZLES),
    LIMIT_FIELD,
    number("score", 0, 1_000_000),
    Field("puzzle", str),
    *ROUND_FIELDS,
)
# Parameters that are kept from one puzzle to the next.
_PUZZLE_PARAMETERS = (*DISPLAY_NAMES, "game", "seed", "limit", *CHOOSING_NAMES, *RULE_NAMES)
NAMES = (*_PUZZLE_PARAMETERS, "card", *(field.name for field in FIELDS if field.name != "limit"))


def page(params: Parameters) -> dict[str, Any] | PageReply:
    """Return the values of the template, or a redirect.

    An address with a card is redirected to its puzzle, and one that has neither the id of a puzzle
    nor a seed to a new seed. Raises RefusedError for an invalid parameter, and if the game has too
    few such puzzles.
    """
    if "card" in params:
        puzzle = _puzzle_of_card(params)
        kept = {name: params[name] for name in ("limit", *DISPLAY_NAMES) if name in params}
        texts = {"game": puzzle.game.name, "puzzle": puzzle.id} | kept
        return redirect_to(Parameters(texts).address("/play"))
    named = puzzle_of(params["puzzle"]).with_work(QUICK_WORK) if "puzzle" in params else None
    params.conditions(named.game if named else params.game())
    if named is None and "seed" not in params:
        return redirect_to(params.address("/play", seed=to_seed()))
    number = params.value("n", 1)
    puzzle = named or _dealt_puzzle(params, number)
    secret = named is None and "closest" in params
    choice = (*_PUZZLE_PARAMETERS, "puzzle", "n", "score")
    table = round_values(params, puzzle, "/play", choice, secret=secret)
    played: Round = table["played"]
    # A player who follows the link to the next puzzle gives up a round that has not ended.
    ended = played if played.result else played.play("")[0]
    before = params.value("score", 0)
    # In games without points, the score is the number of right answers.
    score = before + (ended.points if ended.scored else int(ended.result == "right"))
    address = play_address(puzzle)
    links = {
        "next": _next_address(params, puzzle, number, 0),
        "link": address,
        "solution": params.address("/play", ROUND_NAMES, key=table["keys"]["shown"]),
    }
    facts = {"number": None if named else number}
    return table | {
        "number": number,
        "score": score if played.result else before,
        "next": _next_address(params, puzzle, number, score),
        "fresh": address,
        "data": player_data(params, puzzle, facts, links, secret=secret),
    }


def _puzzle_of_card(params: Parameters) -> Puzzle:
    """Return the puzzle of the numbers of a player.

    The game need not deal these numbers. Raises RefusedError for more or fewer numbers than those
    of the game, and if they cannot make the target.
    """
    puzzle = params.puzzle("card")
    game, given = puzzle.game, len(puzzle.hand)
    if given != game.length:
        raise RefusedError(message("answer.deals", game=game.name, count=game.length, given=given))
    if not game.accepts_closest and not puzzle.solvable:
        values = {"target": puzzle.target, "hand": Spaced(puzzle.hand)}
        raise RefusedError(message("round.none", **values))
    return puzzle


_deal = lru_cache(64)(deal)


def _dealt_puzzle(params: Parameters, number: int) -> Puzzle:
    """Return the puzzle of this number, from 1, of the seed.

    Raises RefusedError for invalid parameters, and if the game has too few such puzzles.
    """
    game = params.game()
    choice = {name: params.value(name) for name in ("seed", "target", "targets")}
    deal_many = partial(_deal, game, **choice, conditions=params.conditions(game), work=QUICK_WORK)
    try:
        puzzles = deal_many(count=next(size for size in _DEAL_SIZES if size >= number))
    except RefusedError:
        # The game can have enough puzzles for this number, but not for the deal size.
        puzzles = deal_many(count=number)
    # The deal is cached: drop the solutions, which take memory.
    return puzzles[number - 1].without_solutions()


def _next_address(params: Parameters, puzzle: Puzzle, number: int, score: int) -> str:
    """Return the address of the next puzzle, with `score` as the score before it.

    After an id, and after puzzle 200 of a seed, it lacks a seed, so that the page chooses one.
    """
    without = (*ROUND_NAMES, "puzzle", "n", "score")
    changes: dict[str, Any] = {"score": score or None}
    if "puzzle" in params:
        # The next puzzle keeps the rules and, unless the game has it anyway, the target.
        targets = candidate_targets(puzzle.game, params.value("target"), params.value("targets"))
        if puzzle.target not in targets:
            changes |= {"target": puzzle.target, "targets": None}
        return params.in_game(puzzle.game).address("/play", (*without, "seed"), **changes)
    if number == MAX_PUZZLES:
        return params.address("/play", (*without, "seed"), **changes)
    return params.address("/play", without, **changes, n=number + 1)


def play_address(puzzle: Puzzle) -> str:
    """Return the address of the play page for a puzzle.

    >>> play_address(puzzle_of("cards:3.3.8.8=24"))
    '/play?game=cards&puzzle=cards%3A3.3.8.8%3D24'
    """
    return Parameters({}).address("/play", game=puzzle.game.name, puzzle=puzzle.id)
