"""Cases for `compare.js`: formulas, taps, hints and rounds, with the answers of the Python package.

`python -m tests.player.cases --formulas 3000 --taps 300` writes them as lines of JSON. The first
line has the records of the games.
"""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import chain, islice, permutations, product
from typing import Any

from crisps24.errors import RefusedError
from crisps24.messages.message import Message, as_message
from crisps24.notation.checking import Check, check_against_target, parse_for_card
from crisps24.notation.styles import STYLES
from crisps24.notation.workings import is_working
from crisps24.player.records import game_record, puzzle_record
from crisps24.puzzle import Puzzle
from crisps24.puzzles.hints import next_steps
from crisps24.puzzles.rounds import Round
from crisps24.rules.exact import Exact, has_fractions, int_if_whole
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import OPERATORS
from crisps24.rules.words import with_decimal_points
from tests.player.formulas import EDGES, FRACTION_EDGES, other_numbers, random_formula, random_hand
from tests.player.games import PLAYED, case_of
from tests.player.messages import message_record
from tests.player.typed import round_cases

Case = dict[str, Any]
Board = list[Exact | None]
# The places of two tiles, and the sign between.
Tap = tuple[int, str, int]
_STYLES = [name for name, style in STYLES.items() if style.is_typeable]
# Longest text that the script judges; longer ones are too long for any reader.
_MAX_LENGTH = 6_000
# Formulas with the same shape.
_PER_SHAPE = 4
# Taps that are tried on each of the first boards of a puzzle.
_BRANCHES = (3, 3, 2, 2)


def formula_cases(count: int, draw: random.Random) -> Iterator[Case]:
    """Yield formulas with their verdict, value, reason and place.

    Python parses texts of the same shape once, so several formulas have the shape of one text.
    """
    names = list(PLAYED)
    text, name = "", names[0]
    for index in range(count):
        if index % _PER_SHAPE == 0:
            name = draw.choice(names)
        game = PLAYED[name]
        hand = random_hand(game, draw)
        is_shape = index % _PER_SHAPE == 0
        text = (
            random_formula(hand, game, draw) if is_shape else other_numbers(text, hand, game, draw)
        )
        style = draw.choice((game.style, draw.choice(_STYLES)))
        target = target_for(text, hand, game, draw)
        yield {"kind": "formula", **_formula_case(text, target, hand, name, style)}


def _formula_case(text: str, target: Exact | None, hand: Hand, name: str, style: str) -> Case:
    case: Case = {"game": name, "style": style, "text": text, "hand": [*map(str, hand)]}
    case["target"] = None if target is None else str(target)
    return case | {"expected": _expected(text, target, hand, PLAYED[name], style)}


def edge_cases() -> Iterator[Case]:
    """Yield texts at the limits of the grammar, and for each reason, in every game."""
    for name, game in PLAYED.items():
        for text in EDGES:
            yield {"kind": "edge", **_formula_case(text, 24, (4, 3, 8, 4), name, game.style)}
        for text in FRACTION_EDGES if has_fractions(game.numbers) else ():
            hand = (3, Fraction(3, 4), 3, 6)
            yield {"kind": "edge", **_formula_case(text, 24, hand, name, game.style)}


def _without_target(game: Game) -> Game:
    return _without_target_cached(game.name, game)


@cache
def _without_target_cached(_: str, game: Game) -> Game:
    return replace(game, target=None)


def target_for(text: str, hand: Hand, game: Game, draw: random.Random) -> Exact | None:
    if draw.random() < 0.5:
        # That of a formula with another target, since a minus only matters in a right one.
        value = check_against_target(text, hand, 10**40, _without_target(game)).value
        if value is not None:
            return value
    return draw.choice((24, Fraction(1, 2), 0, -7, 100, None))


def _expected(text: str, target: Exact | None, hand: Hand, game: Game, style: str) -> Case:
    """Return the judgement that the script has to return."""
    if len(text) <= _MAX_LENGTH and "\\" in text:
        return _record("unsupported", "latex", "script.latex")
    if is_working(text):
        return _record("unsupported", "working", "script.working")
    result = check_against_target(text, hand, target, _without_target(game), style=style)
    if result.error is not None:
        error = result.error
        place = [error.position, error.position + error.length]
        return _record(result.verdict, error.code, error.message, place=place)
    code = _wrong_code(text, result, hand, game) if result.verdict == "wrong" else ""
    reason = result.message or as_message("")
    return _record(result.verdict, code, reason, value=str(result.value))


def _record(
    verdict: str, code: str, reason: Message | str, value: str | None = None, place: Any = None
) -> Case:
    record = {"key": reason, "values": {}} if isinstance(reason, str) else message_record(reason)
    return {"verdict": verdict, "code": code, **record, "value": value, "place": place}


def _wrong_code(text: str, result: Check, hand: Hand, game: Game) -> str:
    statement = parse_for_card(with_decimal_points(text), game, hand)
    used = Counter(statement.card_numbers(game, hand))
    if not used <= Counter(hand):
        return "numbers"
    if game.all_numbers and used != Counter(hand):
        return "numbers-missing"
    return "value" if statement.target in (None, result.value) else "stated"


@cache
def _puzzles(name: str, seed: int) -> list[Puzzle]:
    game, draw = PLAYED[name], random.Random(f"{name} {seed}")
    puzzles: list[Puzzle] = []
    while len(puzzles) < 12:
        hand = random_hand(game, draw)
        target: Exact = draw.randint(*game.targets) if game.target is None else game.target
        if draw.random() < 0.1 and game.fractions:
            target = Fraction(draw.randint(1, 30), draw.randint(2, 9))
        if min(hand) >= 0 or game.negatives:
            puzzles.append(Puzzle(hand, target, game))
    return puzzles


def _games_with(*, parentheses: bool) -> list[str]:
    return [name for name, game in PLAYED.items() if game.parentheses == parentheses]


def tap_cases(count: int, draw: random.Random, seed: int) -> Iterator[Case]:
    """Yield sequences of taps on the tiles of a hand, with the replies of a round."""
    names = _games_with(parentheses=True)
    cases = (
        case
        for name in iter(lambda: draw.choice(names), "")
        for case in islice(_tap_cases_of(name, draw.choice(_puzzles(name, seed)), draw), 9)
    )
    yield from islice(cases, count)


def _tap_cases_of(name: str, puzzle: Puzzle, draw: random.Random) -> Iterator[Case]:
    """Yield sequences of taps on one hand; the first taps are shared, which saves time."""
    case = case_of("taps", name, puzzle)
    stack: list[tuple[Round, Board, list[Any], list[Any]]]
    stack = [(Round(puzzle), [*puzzle.hand], [], [])]
    while stack:
        played, board, taps, replies = stack.pop()
        results = [reply["value"] for reply in replies if "value" in reply]
        # A step as text does not say which of two equal numbers it takes. With each operator once
        # it matters: a result has used some.
        numbers = {*map(str, puzzle.hand)}
        is_unclear = puzzle.game.once and len({*results, *numbers}) < len(results) + len(numbers)
        is_over = len(taps) == 12 or sum(tile is not None for tile in board) < 2
        if played.result or is_over or is_unclear:
            yield case | {"taps": taps, "expected": replies}
            continue
        for _ in range(_BRANCHES[len(taps)] if len(taps) < len(_BRANCHES) else 1):
            tap = _next_tap(board, taps, puzzle, draw)
            after, reply = _play(played, board, tap)
            left = _board_after(board, tap, reply)
            stack.append((after, left, [*taps, tap], [*replies, reply]))


def _board_after(board: Board, tap: Tap, reply: Case) -> Board:
    after, (place, _, other) = [*board], tap
    if "value" in reply:
        after[place], after[other] = None, int_if_whole(Fraction(reply["value"]))
    return after


def _next_tap(board: Board, taps: list[Any], puzzle: Puzzle, draw: random.Random) -> Tap:
    route = _route(puzzle)
    if len(taps) < len(route) and draw.random() < 0.6:
        left, name, right = route[len(taps)]
        texts = [None if tile is None else str(tile) for tile in board]
        if left in texts and right in texts[::-1][: -1 - texts.index(left)]:
            return texts.index(left), name, len(texts) - 1 - texts[::-1].index(right)
    return _random_tap(board, puzzle.game, draw)


@cache
def _route(puzzle: Puzzle) -> list[list[str]]:
    route: list[list[str]] = puzzle_record(puzzle).get("route", [])
    return route


def _random_tap(board: Board, game: Game, draw: random.Random) -> Tap:
    places = [place for place, tile in enumerate(board) if tile is not None]
    place, other = draw.sample(places, 2)
    return place, draw.choice(game.operators), other


def _play(played: Round, board: Board, tap: Tap) -> tuple[Round, Case]:
    place, name, other = tap
    left, right = (Fraction(board[index] or 0) for index in (place, other))
    operands = (f"({x})" if x < 0 or x.denominator > 1 else x for x in (left, right))
    after, reply = played.play(f" {name} ".join(map(str, operands)) + " =")
    if reply.error is not None:
        return after, {"code": reply.error.code, **message_record(reply.error.message)}
    value, legal = OPERATORS[name].operate(left, right, played.puzzle.game)
    assert legal, (played, tap)
    return after, {"state": reply.kind, "value": str(value)}


def hint_cases(count: int, draw: random.Random, seed: int) -> Iterator[Case]:
    """Yield positions, with whether the best value is in reach."""
    named, rows = _games_with(parentheses=True), _games_with(parentheses=False)
    for _ in range(count):
        names, make = (rows, _word_case) if draw.random() < 0.25 else (named, _hint_case)
        name = draw.choice(names)
        yield make(name, draw.choice(_puzzles(name, seed)), draw)


def _hint_case(name: str, puzzle: Puzzle, draw: random.Random) -> Case:
    played = Round(puzzle)
    board: Board = [*puzzle.hand]
    used: list[list[str]] = [[] for _ in board]
    for _ in range(draw.randrange(2 * len(board))):
        tap = _random_tap(board, puzzle.game, draw)
        after, reply = _play(played, board, tap)
        if after.result or sum(tile is not None for tile in board) < 3:
            break
        played, board = after, _board_after(board, tap, reply)
        if "value" in reply:
            place, operator, other = tap
            used[other] = [*used[place], operator, *used[other]]
    shown = [None if tile is None else str(tile) for tile in board]
    case = case_of("hint", name, puzzle) | {"used": used, "board": shown}
    return case | {"expected": bool(next_steps(puzzle, played.steps))}


def _word_case(name: str, puzzle: Puzzle, draw: random.Random) -> Case:
    """Return the first words of a formula without parentheses, and whether they lead to a value."""
    words = draw.choice(_rows(puzzle.hand, puzzle.game))
    if draw.random() < 0.5 and (right := _right_rows(puzzle)):
        words = draw.choice(right)
    first = words[: draw.randrange(len(words) + 1)]
    reached = any(row[: len(first)] == first for row in _right_rows(puzzle))
    return case_of("words", name, puzzle) | {"words": first, "expected": reached}


@cache
def _rows(hand: Hand, game: Game) -> list[tuple[str, ...]]:
    """Return all formulas without parentheses of a hand, as words."""
    rows = (
        chain.from_iterable(zip(map(str, numbers), (*signs, ""), strict=True))
        for size in range(len(hand) if game.all_numbers else 1, len(hand) + 1)
        for numbers in permutations(hand, size)
        for signs in product(game.operators, repeat=size - 1)
    )
    return sorted({tuple(row)[:-1] for row in rows})


def _formula_of(words: tuple[str, ...]) -> str:
    return " ".join(f"({word})" if len(word) > 1 and "/" in word else word for word in words)


@cache
def _right_rows(puzzle: Puzzle) -> list[tuple[str, ...]]:
    """Return the formulas without parentheses that make the best value."""
    game = _without_target(puzzle.game)

    def value(row: tuple[str, ...]) -> Exact | None:
        return check_against_target(_formula_of(row), puzzle.hand, None, game).value

    return [row for row in _rows(puzzle.hand, game) if value(row) in puzzle.accepted_values]


def best_cases(count: int, seed: int) -> Iterator[Case]:
    """Yield puzzles of each game with the distance of the best value from the target."""
    for name in PLAYED:
        yield from (_best_case(name, puzzle) for puzzle in _puzzles(name, seed)[:count])
    # A board with a fraction and a zero.
    case: Case = {"kind": "hint", "game": "cards", "style": "cards", "target": "24", "best": "24"}
    case |= {"hand": ["1", "2", "0", "48"], "board": ["1/2", "0", "48", None]}
    yield case | {"expected": True}


def zero_cases(count: int, draw: random.Random) -> Iterator[Case]:
    """Yield puzzles with zeros among the numbers, which have their own rules in the search."""
    for _ in range(count):
        name, size = draw.choice(_games_with(parentheses=True)), draw.choice((2, 3, 4, 4, 5))
        hand = tuple(draw.choice((0, 0, 1, 2, 3, 5, 6)) for _ in range(size))
        yield _best_case(name, Puzzle(hand, draw.choice((0, 0, 0, 1, 2, 5, 30)), PLAYED[name]))


def _best_case(name: str, puzzle: Puzzle) -> Case:
    try:
        best: Exact | None = puzzle.best
    except RefusedError:
        # The numbers make no value at all.
        best = None
    case: Case = {"kind": "best", "game": name, "style": puzzle.style}
    case |= {"hand": [*map(str, puzzle.hand)], "target": str(puzzle.target)}
    reached = best is not None and (puzzle.game.accepts_closest or best == puzzle.target)
    return case | {"expected": str(abs(Fraction(best or 0) - puzzle.target)) if reached else None}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for each in ("formulas", "taps", "hints", "best", "zeros", "rounds"):
        parser.add_argument(f"--{each}", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw, seed = random.Random(options.seed), options.seed
    records = {name: game_record(game) for name, game in PLAYED.items()}
    operators = OPERATORS.values()
    signs = {
        name: {each.name: style.sign(each) for each in operators} for name, style in STYLES.items()
    }
    cases = chain(
        edge_cases() if options.formulas else (),
        formula_cases(options.formulas, draw),
        tap_cases(options.taps, draw, seed),
        hint_cases(options.hints, draw, seed),
        best_cases(options.best, seed) if options.best else (),
        zero_cases(options.zeros, draw),
        round_cases(options.rounds, draw),
    )
    for line in chain([{"games": records, "signs": signs}], cases):
        sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
