"""The order of solutions and their equivalence classes, compared with a definition on trees."""

import pickle
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from crisps24 import GAMES, count_solutions, evaluate, solve
from crisps24.notation.checking import working
from crisps24.notation.trees import Expression, Number, parts_of
from crisps24.rules.exact import Exact
from crisps24.solving.ranking import Solution, canonical_solutions
from crisps24.solving.solver import solutions, solve_many
from tests.hand_oracle import Function, Rules, function_of, read, stand_in
from tests.hands.dealing import FEW, FREE, HALF, game_of, numbers_used, solvable
from tests.sampling import EVERY, in_one_test


@in_one_test(
    ("hand", "target", "game", "first"),
    ((2, 4, 8, 10), 24, "cards", "10 + 8 + 4 + 2"),
    ((1, 2, 4, 5), 10, "make10", "5 + 4 + 2 - 1"),
    ((1, 2, 7, 9), 10, "make10", "9 x 2 - 7 - 1"),
    ((1, 2, 3), Fraction(3, 2), "cards", "3 x 1 / 2"),
)
def test_likeliest_comes_first(hand: tuple[int, ...], target: Exact, game: str, first: str) -> None:
    assert str(next(solve(hand, target, game))) == first
    assert str(solutions(hand, target, game)[0].expression) == first


def reduced(expression: Expression) -> tuple[Fraction, Function, Counter[Function]]:
    """Return the value of a tree, its function without neutral steps, and their operands."""
    if isinstance(expression, Number):
        return Fraction(expression.value), stand_in(expression.value), Counter()
    sign = expression.operator.name
    a, left, left_removed = reduced(expression.left)
    b, right, right_removed = reduced(expression.right)
    if sign == "|":
        number = int(a) * 10 + int(b)
        return Fraction(number), stand_in(number), Counter()
    value = {"+": a + b, "-": a - b, "x": a * b, ":": a / (b or 1)}[sign]
    removed = left_removed + right_removed
    neutral = 0 if sign in "+-" else 1
    if b == neutral:
        return value, left, removed + Counter([right])
    if a == neutral and sign in "+x":
        return value, right, removed + Counter([left])
    return value, function_of(sign, left, right), removed


def class_of(solution: Solution) -> tuple[Function, frozenset[tuple[Function, int]]]:
    _, residue, removed = reduced(solution.expression)
    return residue, frozenset(removed.items())


def is_in_order(ranked: list[Solution]) -> bool:
    """Return whether solutions are sorted, and assert the numbers of their classes."""
    classes = [class_of(solution) for solution in ranked]
    shares: Counter[object] = Counter()
    for key, solution in zip(classes, ranked, strict=True):
        shares[key] += solution.share  # type: ignore[assignment]  # a counter of floats
    keys = [
        (
            len(numbers_used(solution.expression)),
            -round(shares[key], 3),
            [part.operator.name for part in parts_of(solution.expression).operations].count(":"),
            str(solution.expression).count("("),
            -round(solution.share, 9),
        )
        for key, solution in zip(classes, ranked, strict=True)
    ]
    numbered = {key: number for number, key in enumerate(dict.fromkeys(classes))}
    assert [solution.equivalence_class for solution in ranked] == [numbered[key] for key in classes]
    return keys == sorted(keys)


def test_solutions_of_card_hands_are_sorted() -> None:
    apart, solvable = (1, 1362) if EVERY else (11, 126)
    hands = list(combinations_with_replacement(range(1, 14), 4))[::apart]
    results = list(solve_many([(hand, 24) for hand in hands], "cards"))
    assert all(map(is_in_order, results))
    assert sum(map(bool, results)) == solvable
    counts = [count_solutions(hand, "cards", within=(24, 24)).get(24, 0) for hand in hands]
    assert [len(ranked) for ranked in results] == counts
    sums = [sum(solution.share for solution in ranked) for ranked in results if ranked]
    assert sums == pytest.approx([1] * solvable)


def test_solutions_of_countdown_are_sorted() -> None:
    assert is_in_order(solutions((1, 3, 4, 6, 9, 25), 137, "countdown"))
    assert is_in_order(solutions((2, 5, 8, 10, 25, 75), 500, "numble"))


@HALF
@given(solvable())
def test_solutions_under_any_rules_are_sorted(drawn: tuple[tuple[int, ...], Rules, Exact]) -> None:
    hand, rules, target = drawn
    ranked = solutions(hand, target, game_of(hand, rules), in_order=rules.in_order)
    assert is_in_order(ranked)
    listed = [*solve(hand, target, game_of(hand, rules), in_order=rules.in_order)]
    assert listed == [solution.expression for solution in ranked]
    assert all(solution.value == target for solution in ranked)


def test_1_4_7_13_has_twenty_solutions_in_two_classes() -> None:
    ranked = solutions((1, 4, 7, 13), 24, "cards")
    assert len(ranked) == 20
    assert [*map(str, canonical_solutions(ranked))] == ["13 + 7 + 4 x 1", "(13 - 7) x 4 x 1"]


@in_one_test(
    ("hand", "target", "game", "classes"),
    ((0, 3, 8), 24, "make10", [
        ["8 x 3 + 0", "8 x (3 + 0)", "(8 + 0) x 3", "8 x 3 - 0", "8 x (3 - 0)", "(8 - 0) x 3"],
    ]),
    ((3, 4, 24), 24, "cards", [["24 x (4 - 3)", "24 / (4 - 3)"]]),
    ((3, 3, 24), 24, "cards", [["24 + 3 - 3"]]),
    ((2, 3, 4), 24, "cards", [["4 x 3 x 2"]]),
)  # fmt: skip
def test_neutral_steps_do_not_change_the_class(
    hand: tuple[int, ...], target: int, game: str, classes: list[list[str]]
) -> None:
    texts: dict[int, list[str]] = {}
    for solution in solutions(hand, target, game):
        texts.setdefault(solution.equivalence_class, []).append(str(solution))
    assert [sorted(members) for members in texts.values()] == list(map(sorted, classes))


@FEW
@given(solvable())
def test_canonical_solutions_come_first(drawn: tuple[tuple[int, ...], Rules, Exact]) -> None:
    hand, rules, target = drawn
    ranked = solutions(hand, target, game_of(hand, rules), in_order=rules.in_order)
    canonical = canonical_solutions(ranked)
    assert [solution.equivalence_class for solution in canonical] == list(range(len(canonical)))
    assert {*map(class_of, canonical)} == {*map(class_of, ranked)}
    classes = [solution.equivalence_class for solution in ranked]
    assert [ranked[classes.index(own)] for own in range(len(canonical))] == canonical


def test_expression_of_solution_has_its_game() -> None:
    [solution] = solve((3, 3, 8, 8), 24, "cards")
    assert evaluate(solution) == 24
    expression = solve((75, 50, 2, 3, 8, 7), 812, "countdown")[0]
    assert evaluate(expression) == 812
    assert repr(expression) == "parse('(50 + 8) x 7 x 2', 'countdown')"
    again = pickle.loads(pickle.dumps(expression))
    assert (again, evaluate(again)) == (expression, 812)
    assert working(solution)[-1] == "8 / (1/3) = 24"
    [number] = solve((7,), 7, "digits")
    assert (number, evaluate(number), number.game) == (Number(7), 7, GAMES["digits"])


@st.composite
def negative_targets(draw: st.DrawFn) -> tuple[tuple[int, ...], Rules, Exact]:
    """Draw a hand, rules and a negative target; the shares of its solutions are 0."""
    size = draw(st.sampled_from([3, 4, 4]))
    hand = tuple(draw(st.lists(st.integers(1, 9), min_size=size, max_size=size)))
    rules = FREE._replace(all_numbers=draw(st.booleans()))
    values = [value for value in sorted(count_solutions(hand, game_of(hand, rules))) if value < 0]
    assume(values)
    return hand, rules, draw(st.sampled_from(values))


@HALF
@given(negative_targets())
@example(((2, 2, 3, 5), FREE, -7))
@example(((2, 3, 5, 9), FREE, -1))
@example(((3, 6, 7, 9), FREE, -7))
def test_share_zero_is_sorted_by_simplicity(drawn: tuple[tuple[int, ...], Rules, Exact]) -> None:
    hand, rules, target = drawn
    ranked = solutions(hand, target, game_of(hand, rules))
    assert {solution.share for solution in ranked} == {0}
    keys = []
    for solution in ranked:
        form = read(str(solution.expression), rules)
        divisions = [part.operator.name for part in parts_of(solution.expression).operations]
        simple = (form.parentheses, form.broken, form.largest, form.below_zero, form.operands)
        keys.append((len(numbers_used(solution.expression)), divisions.count(":"), *simple))
    assert keys == sorted(keys)
