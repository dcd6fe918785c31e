"""Each operator at most once, and points: against brute force over all orders of steps."""

import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from itertools import product
from pathlib import Path

import pytest

import crisps24
from crisps24.hands.by_value import ValueChart
from crisps24.notation.trees import parts_of
from crisps24.puzzle import Puzzle
from crisps24.rules.exact import Exact
from crisps24.rules.games import GAMES, Game
from crisps24.rules.operators import OPERATORS
from crisps24.rules.queries import HandQuery
from crisps24.solving.effort import difficulty
from crisps24.solving.solver import solutions
from crisps24.solving.values import find_most_points, most_points_in
from tests.compiling import compiled
from tests.sampling import EVERY

MATHADOR = GAMES["mathador"]
# A value, the operators of its formula, and how many numbers it uses.
_Item = tuple[Fraction, tuple[str, ...], int]


def formulas_of(hand: tuple[Exact, ...], game: Game) -> set[_Item]:
    """Return what all formulas of a hand make, by trying all steps in all orders."""
    made: set[_Item] = set()
    seen: set[tuple[_Item, ...]] = set()

    def take(items: tuple[_Item, ...]) -> None:
        if items in seen:
            return
        seen.add(items)
        made.update(items if not game.all_numbers or len(items) == 1 else ())
        for i, j in ((i, j) for i in range(len(items)) for j in range(len(items)) if i != j):
            rest = [item for k, item in enumerate(items) if k not in (i, j)]
            for item in _steps(items[i], items[j], game):
                take(tuple(sorted([*rest, item])))

    take(tuple(sorted((Fraction(number), (), 1) for number in hand)))
    return made


def _steps(one: _Item, other: _Item, game: Game) -> Iterator[_Item]:
    for name in game.operators:
        used = tuple(sorted((*one[1], *other[1], name)))
        if game.once and len(set(used)) < len(used):
            continue
        if name == ":" and not other[0]:
            continue
        value = OPERATORS[name].arithmetic(one[0], other[0])
        is_whole = game.fractions or value.denominator == 1
        if is_whole and (game.negatives or value >= 0) and (game.zero or value):
            yield Fraction(value), used, one[2] + other[2]


@pytest.mark.parametrize("name", ["digits", "cards", "countdown", "krypto", "fractions24"])
def test_each_operator_once_is_a_rule_of_all_charts(name: str) -> None:
    game = replace(GAMES[name], once=True)
    draw = random.Random(name)
    for _ in range(60 if EVERY else 5):
        hand = tuple(draw.choice(game.numbers) for _ in range(draw.choice([1, 2, 3, 4, 4])))
        values = {value for value, _, _ in formulas_of(hand, game)}
        counts = crisps24.count_solutions(hand, game)
        answers = (crisps24.reachable(hand, game), set(counts), set(crisps24.plainest(hand, game)))
        assert answers == (values, values, values), hand
        for target in sorted(values)[:: max(1, len(values) // 3)]:
            found = solutions(hand, target, game)
            assert len(found) == counts[target], (hand, target)
            for solution in found:
                operations = parts_of(solution.expression).operations
                assert len({each.operator for each in operations}) == len(operations)
            if difficulty(hand, target, game):
                assert sum(solution.share for solution in found) == pytest.approx(1)


def test_most_points_of_throws() -> None:
    draw = random.Random(2)
    for index in range(60 if EVERY else 4):
        hand = tuple(draw.randint(1, faces) for faces in MATHADOR.dice)
        points = MATHADOR.points
        assert points
        most: dict[Exact, int] = {}
        for value, used, count in formulas_of(hand, MATHADOR):
            most[value] = max(points.of(0, used, uses_all=count == len(hand)), most.get(value, 0))
        targets = range(100)
        expected = {target: most[target] for target in targets if target in most}
        assert find_most_points(HandQuery(hand, MATHADOR), targets) == expected, hand
        for target in draw.sample(sorted(expected), min(len(expected), 20 if EVERY else 2)):
            puzzle = Puzzle(hand, target, MATHADOR)
            found = puzzle.solutions()
            assert puzzle.most_points == found[0].points == expected[target], (hand, target)
            for solution in found:
                assert puzzle.check(solution.expression).points == solution.points, (index, hand)
            assert len(found) == len(solutions(hand, target, replace(MATHADOR, points=None)))


def test_points_are_those_of_the_formula() -> None:
    assert Puzzle((2, 5, 7, 9, 13), 24, MATHADOR).answer() == "(7 + 5) x (13 - 9) / 2"
    # Two minus signs earn more than a sum in parentheses.
    assert Puzzle((1, 2, 3, 4), 0, replace(MATHADOR, dice=(), length=4)).most_points == 7


# The most points for all throws and targets from 0 to 99, as lines of `mathador.c`.
_TABLE = "3951e00f94ad117c6683853a391bce7efa75b61bd72e2a41d4cc65e308697af4"


def test_most_points_of_all_throws(tmp_path: Path) -> None:
    faces = (range(1, count + 1) for count in MATHADOR.dice)
    throws = Counter(tuple(sorted(throw)) for throw in product(*faces))
    hands = sorted(throws)[:: 1 if EVERY else 97]
    program = compiled(Path(__file__).with_name("mathador.c"), tmp_path)
    typed = "".join(f"{' '.join(map(str, hand))}\n" for hand in hands)
    ran = subprocess.run([program], input=typed, capture_output=True, text=True, check=True)
    lines = ran.stdout.splitlines()
    lined = zip(hands, lines, strict=True)
    coups = sum(throws[hand] * line.split().count("13") for hand, line in lined)
    if EVERY:
        assert sha256(ran.stdout.encode()).hexdigest() == _TABLE
        # 57.01 % of all pairs of a throw and a target.
        assert (sum(throws.values()), coups) == (46_080, 2_627_112)
    for start in range(0, len(hands), 100):
        chart = ValueChart(MATHADOR, [*MATHADOR.dice], by_operators=True)
        chart.add_hands(hands[start : start + 100])
        for hand, line in zip(hands[start : start + 100], lines[start:], strict=False):
            most = most_points_in(chart, hand, range(100))
            made = [most.get(target, -1) for target in range(100)]
            assert made == [*map(int, line.split())], hand


@pytest.mark.parametrize(("partial", "score"), [(0, 1), (0.5, 0.5 + 0.5 * 2 / 13), (1, 2 / 13)])
def test_partial_credit_grows_with_points(partial: float, score: float) -> None:
    puzzle = Puzzle((2, 5, 7, 9, 13), 24, MATHADOR)
    assert puzzle.judge("13 + 9 + 2", partial=partial).score == pytest.approx(score)
    assert puzzle.judge("(7 + 5) x (13 - 9) / 2", partial=partial).score == 1
    # An answer that is not right earns no points.
    assert puzzle.judge("13 + 9", partial=partial).score == pytest.approx(partial / 3)
