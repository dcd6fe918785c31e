"""Rounds that somebody types: steps, formulas of the numbers left and of the hand, undo and hints.

Each input has the reply of Python's rounds, for `compare.js`. A brute force confirms it. Its trees
are tuples, `(number,)` or `(operator, left, right)`, and a text can mean any of equal numbers.
"""

import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import cycle, islice, permutations
from typing import Any

from crisps24.puzzle import Puzzle
from crisps24.puzzles.rounds import Round
from crisps24.rules.exact import has_fractions, int_if_whole
from crisps24.rules.games import Game
from tests.oracle import step
from tests.player.formulas import SPELLINGS, random_hand
from tests.player.games import PLAYED, case_of

Tree = Any
_LEVELS = {"+": 1, "-": 1, "x": 2, ":": 2}
_FAULTS = ("wrong", "illegal", "malformed")
# Python takes seconds for a hint of more numbers.
_MAX_HINT_NUMBERS = 4


def round_cases(count: int, draw: random.Random) -> Iterator[dict[str, Any]]:
    """Yield rounds of all games in turn."""
    for name in islice(cycle(PLAYED), count):
        yield _round_case(name, draw)


def _round_case(name: str, draw: random.Random) -> dict[str, Any]:
    game = PLAYED[name]
    plan: list[Tree] = []
    while not plan:
        board: list[Tree] = [(number,) for number in random_hand(game, draw)]
        plan = _plan(board, game, draw)
    target = int_if_whole(_value(plan[-1], game) or Fraction(0))
    if game.accepts_closest and draw.random() < 0.5:
        target += draw.randint(-9, 9)
    puzzle = Puzzle(tuple(number for (number,) in board), target, game)
    typist = _Typist(puzzle, board, draw)
    count = draw.randrange(len(plan) + (not game.all_numbers)) if game.parentheses else 0
    for tree in plan[:count]:
        if draw.random() < 0.3:
            typist.type_noise()
        if not typist.type_step(tree):
            break
    if draw.random() < 0.3:
        typist.type_noise()
    # In games that accept the closest value, a formula of the hand takes steps back in the script.
    is_of_hand = not game.accepts_closest and draw.random() < 0.1
    typist.type_formula(plan[-1], [*typist.boards[0 if is_of_hand else -1]])
    if not typist.round.result:
        typist.play("!")
    case = case_of("round", name, puzzle)
    return case | {"inputs": typist.inputs, "expected": typist.replies}


class _Typist:
    """A player, with the trees on the board after each step."""

    def __init__(self, puzzle: Puzzle, board: list[Tree], draw: random.Random) -> None:
        self.puzzle, self.game, self.draw = puzzle, puzzle.game, draw
        self.boards = [board]
        self.round = Round(puzzle)
        self.inputs: list[str] = []
        self.replies: list[dict[str, Any]] = []

    def play(self, text: str) -> None:
        self.round, reply = self.round.play(text)
        self.inputs.append(text)
        made, record = self.round, {"fault": reply.kind in _FAULTS, "lost": reply.kind == "lost"}
        left = [] if made.result else sorted(map(str, made.left))
        self.replies.append(record | {"result": made.result, "points": made.points, "left": left})

    def type_noise(self) -> None:
        """Type a wrong step, which is undone, a formula that leaves numbers, or a hint."""
        board = self.boards[-1]
        if self.round.result or len(board) < 2:
            return
        roll = self.draw.random()
        known = self.game.operators if self.draw.random() < 0.9 else [*_LEVELS]
        if roll < 0.2 and len(board) <= _MAX_HINT_NUMBERS:
            self.play("?")
        elif roll < 0.6 and len(board) > 2:
            trees = self.draw.sample(board, len(board))
            names = [self.draw.choice(known) for _ in trees[1:]]
            self.type_formula(_row(trees, names), board)
        elif self.game.parentheses:
            left, right = self.draw.sample(board, 2)
            tree = (self.draw.choice(known), left, right)
            if self.type_step(tree) and not self.round.result:
                self.play("u")
                self.boards.pop()

    def type_step(self, tree: Tree) -> bool:
        """Type a step, unless it is unclear which number it takes; return whether it is taken."""
        board = self.boards[-1]
        if self.round.result or self._is_unclear(tree[1:], board):
            return False
        ways = _ways(tree, tree[1:], board, self.game)
        legal = [way for way in ways if _is_legal(way, self.game)]
        # The last step without = is a formula for Python.
        end = self.draw.choice((" =", "=") if len(board) == 2 else ("", "", " =", "="))
        if legal and self.draw.random() < 0.2:
            end = f" = {_value(legal[0], self.game)}"
        self.play(self._write(tree, board) + end)
        of_hand = _ways(tree, tree[1:], self.boards[0], self.game)
        is_right = any(map(self._is_answer, [*legal, *of_hand]))
        assert (self.replies[-1]["result"] == "right") == is_right, (self.puzzle, self.inputs)
        after = [*(each for each in board if each is not tree[1] and each is not tree[2]), tree]
        if is_right:
            return True
        values = sorted(str(_value(each, self.game)) for each in (after if legal else board))
        assert self.replies[-1]["left"] == values, (self.puzzle, self.inputs)
        if legal:
            self.boards.append(after)
        return bool(legal)

    def type_formula(self, tree: Tree, board: list[Tree]) -> None:
        """Type a formula of the numbers on a board, and compare the reply with all its readings."""
        if self.round.result:
            return
        leaves = _leaves(tree, board)
        tiles = self.boards[-1]
        if len(leaves) == 2 and self.game.parentheses:
            if all(any(leaf is tile for tile in tiles) for leaf in leaves):
                self.type_step(tree)
            return
        points: set[int] = set()
        for tiles in (self.boards[0], self.boards[-1]):
            ways = filter(self._is_answer, _ways(tree, leaves, tiles, self.game))
            points = {_points(way, self.puzzle) for way in ways} or points
        # A wrong formula with = is a step for Python.
        is_step = points and self.draw.random() < 0.3
        self.play(self._write(tree, board) + (" =" if is_step else ""))
        is_right = self.replies[-1]["result"] == "right"
        values = [Fraction(_value(leaf, self.game) or 0) for leaf in leaves]
        if self.game.once and any(value.denominator > 1 for value in values):
            # As a formula of the hand, 5/4 is a quotient, and can be legal.
            return
        assert is_right == bool(points), (self.puzzle, self.inputs)
        assert not is_right or self.round.points in points, (self.puzzle, self.inputs)

    def _is_answer(self, tree: Tree) -> bool:
        is_whole = len(_leaves(tree, ())) == len(self.puzzle.hand)
        value = _value(tree, self.game)
        is_complete = is_whole or not self.game.all_numbers
        return is_complete and _is_legal(tree, self.game) and value in self.puzzle.accepted_values

    def _is_unclear(self, sides: Sequence[Tree], board: list[Tree]) -> bool:
        """Return whether it matters later which of several equal numbers a step takes."""
        if not (self.game.once or self.game.operator_points):
            return False
        values = [_value(each, self.game) for each in board]
        used = [_value(each, self.game) for each in sides]
        return any(values.count(value) > used.count(value) for value in used)

    def _number(self, value: Fraction | None, sign: str) -> str:
        """Return a number, in brackets if it is below zero, or a fraction in a division."""
        text = str(value)
        # With each operator once, a quotient can be right where the number 5/4 is not.
        is_clear = "-" not in text and sign != ":" and not self.game.once
        is_bare = text.isdigit() or (is_clear and self.draw.random() < 0.3)
        return text if is_bare else f"({text})"

    def _write(self, tree: Tree, board: Sequence[Tree], level: int = 0, sign: str = "") -> str:
        """Return a text of a tree, with the values of trees on a board."""
        if any(tree is each for each in board):
            return self._number(_value(tree, self.game), sign)
        name, left, right = tree
        own, spellings = _LEVELS[name], SPELLINGS[name]
        if level and has_fractions(self.puzzle.hand):
            # In a formula, Python reads 2/4 as the number 1/2, if the hand has it.
            spellings = [each for each in spellings if each not in "/∕⁄／"]
        sign = spellings[0] if self.draw.random() < 0.6 else self.draw.choice(spellings)
        sides = self._write(left, board, own, name), self._write(right, board, own + 1, name)
        space = self.draw.choice((" ", " ", ""))
        text = f"{sides[0]}{space}{sign}{space}{sides[1]}"
        is_loose = level > own or (self.game.parentheses and level and self.draw.random() < 0.1)
        return f"({text})" if is_loose else text


def _plan(board: list[Tree], game: Game, draw: random.Random) -> list[Tree]:
    """Return legal steps that make a tree of a board, or of a part of it; [] without any."""
    trees, steps = draw.sample(board, len(board)), list[Tree]()
    if not game.parentheses:
        tree = _row(trees, [draw.choice(game.operators) for _ in trees[1:]])
        return [tree] if _is_legal(tree, game) else []
    for _ in range(40):
        if len(trees) == 1 or (steps and not game.all_numbers and draw.random() < 0.1):
            break
        tree = (draw.choice(game.operators), *draw.sample(trees, 2))
        if _value(tree, game) is not None:
            trees = [each for each in trees if each is not tree[1] and each is not tree[2]]
            trees.append(tree)
            steps.append(tree)
    return [] if game.all_numbers and len(trees) > 1 else steps


def _row(trees: list[Tree], names: Sequence[str]) -> Tree:
    """Return the tree of a formula without parentheses."""
    places = [place for place, name in enumerate(names) if name in "+-"] or range(len(names))
    if not places:
        return trees[0]
    last = places[-1]
    sides = _row(trees[: last + 1], names[:last]), _row(trees[last + 1 :], names[last + 1 :])
    return (names[last], *sides)


def _value(tree: Tree, game: Game) -> Fraction | None:
    """Return the value of a tree, None if a step breaks a rule about its result."""
    if len(tree) == 1:
        return Fraction(tree[0])
    left, right = _value(tree[1], game), _value(tree[2], game)
    if left is None or right is None or tree[0] not in game.operators:
        return None
    value = step(tree[0], left, right, game, {})
    return None if value is None or value > (game.most or value) else Fraction(value)


def _operators(tree: Tree) -> list[str]:
    return [tree[0], *_operators(tree[1]), *_operators(tree[2])] if len(tree) > 1 else []


def _is_legal(tree: Tree, game: Game) -> bool:
    used = _operators(tree)
    return _value(tree, game) is not None and not (game.once and len({*used}) < len(used))


def _points(tree: Tree, puzzle: Puzzle) -> int:
    points = puzzle.game.scoring
    if points is None:
        return 0
    distance = abs(Fraction(_value(tree, puzzle.game) or 0) - puzzle.target)
    used, scored = sorted(_operators(tree)), dict(points.by_operator)
    is_complete = len(used) == len(puzzle.hand) - 1 and used == sorted(scored)
    near = next((earned for most, earned in points.by_distance if distance <= most), None)
    of_operators = sum(scored.get(name, 0) for name in used) + points.bonus * is_complete
    return 0 if near is None else near + of_operators


def _leaves(tree: Tree, board: Sequence[Tree]) -> list[Tree]:
    """Return the parts of a tree that are on a board, or numbers."""
    if len(tree) == 1 or any(tree is each for each in board):
        return [tree]
    return [*_leaves(tree[1], board), *_leaves(tree[2], board)]


def _ways(tree: Tree, leaves: Sequence[Tree], tiles: Sequence[Tree], game: Game) -> Iterator[Tree]:
    """Yield a tree with each choice of tiles that have the values of its leaves."""
    values = [_value(leaf, game) for leaf in leaves]
    known = {_value(tile, game) for tile in tiles}
    # The number -3 is the card 3, if no other number is -3.
    below = {value for value in values if value is not None and value < 0} - known
    for chosen in permutations(tiles, len(leaves)):
        signed = [
            (value,) if game.negatives and value in below and tile == (-(value or 0),) else tile
            for tile, value in zip(chosen, values, strict=True)
        ]
        if [_value(tile, game) for tile in signed] == values:
            yield _replaced(tree, dict(zip(map(id, leaves), signed, strict=True)))


def _replaced(tree: Tree, tile_of: dict[int, Tree]) -> Tree:
    if id(tree) in tile_of:
        return tile_of[id(tree)]
    return tree if len(tree) == 1 else (tree[0], *(_replaced(side, tile_of) for side in tree[1:]))
