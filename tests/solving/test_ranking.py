"""The order of solutions, and which of them are one idea: held to a plain definition on trees."""

import os
import pickle
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from crisps24 import GAMES, RefusedError, count_solutions, evaluate, solve
from crisps24.notation.checking import working
from crisps24.notation.trees import Expression, Number, parts_of
from crisps24.rules.exact import Exact
from crisps24.solving import solver
from crisps24.solving.forms import RankedSolutions, Solution, canonical_solutions
from crisps24.solving.solver import solutions, solve_many
from tests.hand_oracle import Function, Rules, function_of, read, stand_in
from tests.hands.dealing import FEW, FREE, HALF, game_of, numbers_used, solvable

FIRST: list[tuple[tuple[int, ...], Exact, str, str]] = [
    ((2, 4, 8, 10), 24, "cards", "10 + 8 + 4 + 2"),
    ((4, 4, 8, 8), 24, "cards", "8 + 8 + 4 + 4"),
    ((2, 6, 8, 8), 24, "cards", "8 + 8 + 6 + 2"),
    ((2, 5, 8, 9), 24, "cards", "9 + 8 + 5 + 2"),
    ((2, 3, 9, 10), 24, "cards", "10 + 9 + 3 + 2"),
    ((1, 2, 4, 5), 10, "make10", "5 + 4 + 2 - 1"),
    ((1, 2, 4, 5), 10, "crisps", "5 + 4 + 2 - 1"),
    ((1, 2, 7, 9), 10, "make10", "9 x 2 - 7 - 1"),
    ((1, 2, 7, 9), 10, "crisps", "9 x 2 - 7 - 1"),
    ((1, 2, 3), Fraction(3, 2), "cards", "3 x 1 / 2"),
]


@pytest.mark.parametrize(("hand", "target", "game", "first"), FIRST)
def test_what_people_find_first_comes_first(
    hand: tuple[int, ...], target: Exact, game: str, first: str
) -> None:
    assert str(next(solve(hand, target, game))) == first
    assert str(solutions(hand, target, game)[0].expression) == first


# What solutions come down to, by a plain definition.

Reduced = tuple[Fraction, Function, Counter[Function]]


def reduced(expression: Expression) -> Reduced:
    """Return what a tree makes, what remains without steps by 1 or 0, and what these took."""
    if isinstance(expression, Number):
        return Fraction(expression.value), stand_in(expression.value), Counter()
    sign = expression.operator.name
    a, left, left_taken = reduced(expression.left)
    b, right, right_taken = reduced(expression.right)
    if sign == "|":
        number = int(a) * 10 + int(b)
        return Fraction(number), stand_in(number), Counter()
    value = {"+": a + b, "-": a - b, "x": a * b, ":": a / (b or 1)}[sign]
    taken = left_taken + right_taken
    neutral = 0 if sign in "+-" else 1
    if b == neutral:
        return value, left, taken + Counter([right])
    if a == neutral and sign in "+x":
        return value, right, taken + Counter([left])
    return value, function_of(sign, left, right), taken


def idea_of(solution: Solution) -> tuple[Function, frozenset[tuple[Function, int]]]:
    _, remains, taken = reduced(solution.expression)
    return remains, frozenset(taken.items())


def is_in_order(found: list[Solution]) -> bool:
    """Return whether solutions come by what they are sorted by, and ideas are numbered so."""
    ideas = [idea_of(each) for each in found]
    shares: Counter[object] = Counter()
    for idea, each in zip(ideas, found, strict=True):
        shares[idea] += each.share  # type: ignore[assignment]  # a counter of floats
    keys = [
        (
            len(numbers_used(each.expression)),
            -round(shares[idea], 3),
            [part.operator.name for part in parts_of(each.expression).operations].count(":"),
            str(each.expression).count("("),
            -round(each.share, 9),
        )
        for idea, each in zip(ideas, found, strict=True)
    ]
    numbered = {idea: number for number, idea in enumerate(dict.fromkeys(ideas))}
    assert [each.equivalence_class for each in found] == [numbered[idea] for idea in ideas]
    return keys == sorted(keys)


def test_the_solutions_of_all_card_hands_come_in_order() -> None:
    apart, solvable = (1, 1362) if "CRISPS24_EVERY" in os.environ else (11, 126)
    hands = list(combinations_with_replacement(range(1, 14), 4))[::apart]
    every = list(solve_many([(hand, 24) for hand in hands], "cards"))
    assert all(map(is_in_order, every))
    assert sum(map(bool, every)) == solvable
    counts = [count_solutions(hand, "cards", within=(24, 24)).get(24, 0) for hand in hands]
    assert [len(found) for found in every] == counts
    sums = [sum(each.share for each in found) for found in every if found]
    assert sums == pytest.approx([1] * solvable)


def test_countdown_comes_in_order() -> None:
    assert is_in_order(solutions((1, 3, 4, 6, 9, 25), 137, "countdown"))
    assert is_in_order(solutions((2, 5, 8, 10, 25, 75), 500, "numble"))


@HALF
@given(solvable())
def test_any_solutions_come_in_order(drawn: tuple[tuple[int, ...], Rules, Exact]) -> None:
    hand, rules, target = drawn
    found = solutions(hand, target, game_of(hand, rules), in_order=rules.in_order)
    assert is_in_order(found)
    assert [*solve(hand, target, game_of(hand, rules), in_order=rules.in_order)] == [
        each.expression for each in found
    ]
    assert all(each.value == target for each in found)


# Ideas.


def test_1_4_7_13_has_twenty_solutions_and_two_ideas() -> None:
    found = solutions((1, 4, 7, 13), 24, "cards")
    assert len(found) == 20
    assert [str(each.expression) for each in canonical_solutions(found)] == [
        "13 + 7 + 4 x 1",
        "(13 - 7) x 4 x 1",
    ]


SAME: list[tuple[tuple[int, ...], int, str, list[list[str]]]] = [
    ((0, 3, 8), 24, "make10", [
        ["8 x 3 + 0", "8 x (3 + 0)", "(8 + 0) x 3", "8 x 3 - 0", "8 x (3 - 0)", "(8 - 0) x 3"],
    ]),
    ((3, 4, 24), 24, "cards", [["24 x (4 - 3)", "24 / (4 - 3)"]]),
    ((3, 3, 24), 24, "cards", [["24 + 3 - 3"]]),
    ((2, 3, 4), 24, "cards", [["4 x 3 x 2"]]),
]  # fmt: skip


@pytest.mark.parametrize(("hand", "target", "game", "ideas"), SAME)
def test_steps_by_one_and_by_zero_dealt_or_made_change_no_idea(
    hand: tuple[int, ...], target: int, game: str, ideas: list[list[str]]
) -> None:
    found: dict[int, list[str]] = {}
    for each in solutions(hand, target, game):
        found.setdefault(each.equivalence_class, []).append(str(each.expression))
    assert [sorted(each) for each in found.values()] == [sorted(each) for each in ideas]


def test_what_a_step_takes_makes_a_difference() -> None:
    # 24 x (3 - 2) takes other numbers than 24 x (2 - 1) does, of 1 2 3 24 with any of them left.
    game = game_of((1, 2, 3, 24), FREE._replace(all_numbers=False))
    of_three = [each for each in solutions((1, 2, 3, 24), 24, game)
                if len(numbers_used(each.expression)) == 3]  # fmt: skip
    ideas = {str(each.expression): each.equivalence_class for each in of_three}
    assert ideas["24 x (3 - 2)"] == ideas["24 / (3 - 2)"]
    assert ideas["24 x (3 - 2)"] != ideas["24 x (2 - 1)"]


@FEW
@given(solvable())
def test_the_essential_ones_are_the_first_of_each_idea(
    drawn: tuple[tuple[int, ...], Rules, Exact],
) -> None:
    hand, rules, target = drawn
    found = solutions(hand, target, game_of(hand, rules), in_order=rules.in_order)
    some = canonical_solutions(found)
    assert [each.equivalence_class for each in some] == list(range(len(some)))
    assert {idea_of(each) for each in some} == {idea_of(each) for each in found}
    assert all(found[[each.equivalence_class for each in found].index(own)] == first
               for own, first in enumerate(some))  # fmt: skip


def test_solve_is_a_sequence_that_finds_when_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    solved = solver._solve_batch

    def counted(*words: Any) -> Iterator[RankedSolutions]:
        asked.append(1)
        return solved(*words)

    monkeypatch.setattr(solver, "_solve_batch", counted)
    found = solve((2, 4, 8, 10), game="cards")
    assert asked == []
    assert (str(next(found)), str(next(found))) == (str(found[0]), str(found[1]))
    assert len(found) == len(list(found)) == 11
    assert [str(each) for each in found[:2]] == [str(found[0]), str(found[1])]
    assert asked == [1]
    assert [each.expression for each in found.details] == list(found)
    assert repr(found).splitlines()[2].startswith("10 + 8 + 4 + 2 ")
    assert "<table>" in found._repr_html_()
    assert repr(solve((1, 1, 1, 1))) == "no solution"
    assert next(solve((1, 1, 1, 1)), None) is None
    with pytest.raises(RefusedError, match="countdown has no fixed target"):
        solve((75, 50), game="countdown")


def test_a_solution_knows_its_game() -> None:
    [found] = solve((3, 3, 8, 8), 24, "cards")
    assert evaluate(found) == 24
    way = solve((75, 50, 2, 3, 8, 7), 812, "countdown")[0]
    assert evaluate(way) == 812
    assert repr(way) == "parse('(50 + 8) x 7 x 2', 'countdown')"
    again = pickle.loads(pickle.dumps(way))
    assert (again, evaluate(again)) == (way, 812)
    assert working(found)[-1] == "8 / (1/3) = 24"
    [alone] = solve((7,), 7, "digits")
    assert (alone, evaluate(alone), alone.game) == (Number(7), 7, GAMES["digits"])


@st.composite
def below_zero(draw: st.DrawFn) -> tuple[tuple[int, ...], Rules, Exact]:
    """Draw a hand, rules and a target below zero, which nobody is thought to find."""
    size = draw(st.sampled_from([3, 4, 4]))
    hand = tuple(draw(st.lists(st.integers(1, 9), min_size=size, max_size=size)))
    rules = FREE._replace(all_numbers=draw(st.booleans()))
    made = [value for value in sorted(count_solutions(hand, game_of(hand, rules))) if value < 0]
    assume(made)
    return hand, rules, draw(st.sampled_from(made))


@HALF
@given(below_zero())
@example(((2, 2, 3, 5), FREE, -7))
@example(((2, 3, 5, 9), FREE, -1))
@example(((3, 6, 7, 9), FREE, -7))
def test_what_nobody_finds_comes_whole_first_and_with_the_smallest_results(
    drawn: tuple[tuple[int, ...], Rules, Exact],
) -> None:
    hand, rules, target = drawn
    found = solutions(hand, target, game_of(hand, rules))
    assert {each.share for each in found} == {0}
    keys = []
    for each in found:
        made = read(str(each.expression), rules)
        divisions = [part.operator.name for part in parts_of(each.expression).operations]
        keys.append(
            (
                len(numbers_used(each.expression)),
                divisions.count(":"),
                made.parentheses,
                made.broken,
                made.largest,
                made.below_zero,
                made.operands,
            )
        )
    assert keys == sorted(keys)
