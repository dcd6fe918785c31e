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
from crisps24.pages.table import LIMIT_FIELD, ROUND_FIELDS, ROUND_NAMES, player_data, round_values
from crisps24.puzzle import Puzzle, puzzle_of
from crisps24.puzzles.dealing import candidate_targets, deal, to_seed
from crisps24.puzzles.rounds import Round
from crisps24.rules.work import QUICK_WORK

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
    if "card" in params:
        puzzle = _puzzle_of_card(params)
        others = {name: params[name] for name in ("limit", *DISPLAY_NAMES) if name in params}
        texts = {"game": puzzle.game.name, "puzzle": puzzle.id} | others
        return redirect_to(Parameters(texts).address("/play"))
    named_puzzle = puzzle_of(params["puzzle"]).with_work(QUICK_WORK) if "puzzle" in params else None
    # Refuse invalid conditions also if the puzzle is named by its id.
    params.conditions(named_puzzle.game if named_puzzle else params.game())
    if named_puzzle is None and "seed" not in params:
        return redirect_to(params.address("/play", seed=to_seed()))
    number = params.value("n", 1)
    puzzle = named_puzzle or _dealt_puzzle(params, number)
    # The level of a target that can only be approached would show that it cannot be made.
    secret = named_puzzle is None and "closest" in params
    choice = (*_PUZZLE_PARAMETERS, "puzzle", "n", "score")
    table = round_values(params, puzzle, "/play", choice, secret=secret)
    played: Round = table["played"]
    # The score after the round. A player who follows the link to the next puzzle gives up a round
    # that has not ended.
    ended = played if played.result else played.play("")[0]
    score_before = params.value("score", 0)
    # In games without points, the score is the number of right answers.
    score = score_before + (ended.points if ended.scored else int(ended.result == "right"))
    # The links of the page; the script adds the score to that of the next puzzle.
    address = play_address(puzzle)
    links = {
        "next": _next_address(params, puzzle, number, 0),
        "link": address,
        "solution": params.address("/play", ROUND_NAMES, key=table["keys"]["shown"]),
    }
    facts = {"number": None if named_puzzle else number}
    return table | {
        "number": number,
        "score": score if played.result else score_before,
        "next": _next_address(params, puzzle, number, score),
        "fresh": address,
        "data": player_data(params, puzzle, facts, links, secret=secret),
    }


def _puzzle_of_card(params: Parameters) -> Puzzle:
    """Return the puzzle of the numbers that a player typed, such as 3 3 8 8 with target 24."""
    puzzle = params.puzzle("card")
    game, typed_count = puzzle.game, len(puzzle.hand)
    if typed_count != game.length:
        values = {"game": game.name, "count": game.length, "given": typed_count}
        raise RefusedError(message("answer.deals", **values))
    if not game.accepts_closest and not puzzle.solvable:
        reason = message("round.none", target=puzzle.target, hand=Spaced(puzzle.hand))
        raise RefusedError(reason)
    return puzzle


_deal = lru_cache(64)(deal)


def _dealt_puzzle(params: Parameters, number: int) -> Puzzle:
    """Return the puzzle with this number, from 1, among the puzzles of the seed in the address."""
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
    removed = (*ROUND_NAMES, "puzzle", "n", "score")
    changes: dict[str, Any] = {"score": score or None}
    if "puzzle" in params:
        # The next puzzle keeps the rules and, unless the game has it anyway, the target.
        targets = candidate_targets(puzzle.game, params.value("target"), params.value("targets"))
        if puzzle.target not in targets:
            changes |= {"target": puzzle.target, "targets": None}
        return params.in_game(puzzle.game).address("/play", (*removed, "seed"), **changes)
    if number == MAX_PUZZLES:
        return params.address("/play", (*removed, "seed"), **changes)
    return params.address("/play", removed, **changes, n=number + 1)


def play_address(puzzle: Puzzle) -> str:
    return Parameters({}).address("/play", game=puzzle.game.name, puzzle=puzzle.id)
