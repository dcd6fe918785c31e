"""All interfaces agree whether a hand makes a target, and what a minus before brackets is.

A brute force of all steps decides, for hands under each rule that reads operators, results or the
order of the numbers. Typed formulas have a minus at random places: what is accepted is solvable.
"""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations

import pytest

from crisps24 import GAMES, Episode, Game, Puzzle, RefusedError, survey
from crisps24.notation.trees import Expression, Operation
from crisps24.puzzles.rounds import Round
from crisps24.rules.deals import list_hands
from crisps24.rules.games import Hand
from tests.sampling import EVERY, in_one_test

_CARDS = GAMES["cards"]
_NUMBERS = tuple(range(1, 14)) if EVERY else (1, 4, 6, 10, 12)
RULED = {
    **{"cards": _CARDS, "order": _CARDS, "once": replace(_CARDS, once=True)},
    **{f"most {most}": replace(_CARDS, most=most) for most in (24, 30)},
    "most 30, once": replace(_CARDS, most=30, once=True),
    "whole": replace(_CARDS, fractions=False),
    "no negatives": replace(_CARDS, negatives=False),
    "no zero": replace(_CARDS, zero=False),
    "no minus": replace(_CARDS, operators=("+", "x", ":")),
    "any subset": replace(_CARDS, all_numbers=False, once=True),
    "order, any subset": replace(_CARDS, all_numbers=False, most=40),
    "no brackets": replace(GAMES["crisps"], numbers=_CARDS.numbers, negatives=True, most=30),
}
# A value, the operators used if they matter, and the last operator if there are no brackets.
_State = tuple[Fraction, tuple[str, ...], str]


@cache
def states(hand: Hand, name: str) -> set[_State]:
    """Return what all numbers of a hand make by legal steps of two numbers."""
    if len(hand) == 1:
        return {(Fraction(hand[0]), (), "")}
    game, found, places = RULED[name], set[_State](), range(len(hand))
    for size in range(1, len(hand)):
        for part in [tuple(range(size))] if "order" in name else combinations(places, size):
            other = [place for place in places if place not in part]
            lefts, rights = (states(tuple(hand[i] for i in each), name) for each in (part, other))
            for (a, used, last), (b, also, end) in ((one, two) for one in lefts for two in rights):
                for sign in game.operators:
                    is_sum = sign in "+-"
                    needs_brackets = (last and last in "+-" and not is_sum) or (
                        end and (end in "+-" or not is_sum)
                    )
                    if (sign == ":" and not b) or (needs_brackets and not game.parentheses):
                        continue
                    value = a + b if sign == "+" else a - b if is_sum else a * b
                    value = a / b if sign == ":" else value
                    state = tuple(sorted((*used, *also, sign))) if game.once else ()
                    if (
                        len({*state}) == len(state)
                        and (game.fractions or value.denominator == 1)
                        and (game.negatives or value >= 0)
                        and (game.zero or value)
                        and (game.most is None or value <= game.most)
                    ):
                        found.add((value, state, "" if game.parentheses else sign))
    return found


def can_make(hand: Hand, name: str) -> bool:
    sizes = [len(hand)] if RULED[name].all_numbers else range(1, len(hand) + 1)
    parts = (part for size in sizes for part in combinations(hand, size))
    return any(value == 24 for part in parts for value, *_ in states(part, name))


def with_minus(tree: Expression, negative: bool, draw: random.Random) -> str:
    """Return a formula for a tree, or for its opposite, with a minus at random places."""
    if not isinstance(tree, Operation):
        return f"-{tree}" if negative else str(tree)
    if draw.random() < 0.25:
        return f"-({with_minus(tree, not negative, draw)})"
    name, turned = tree.operator.name, draw.random() < 0.3
    if name in "+-":
        sign = "-+"[(name == "+") != turned]
        signs = negative, negative != turned
    else:
        sign, signs = name, (negative != turned, turned)
    parts = zip((tree.left, tree.right), signs, strict=True)
    left, right = (with_minus(part, minus, draw) for part, minus in parts)
    return " ".join([f"({left})" if " " in left else left, sign, f"({right})"])


def typed(hand: Hand, game: Game, draw: random.Random) -> Iterator[str]:
    """Yield formulas of a hand that can make 24, with a minus at random places."""
    if game.parentheses:
        for solution in Puzzle(hand, 24, _CARDS).solutions()[:3]:
            yield from (with_minus(solution.expression, False, draw) for _ in range(4))
    for _ in range(0 if game.parentheses else 30):
        numbers = [draw.choice(("", "", "-")) + str(n) for n in draw.sample(hand, len(hand))]
        yield " ".join([f"{n} {draw.choice(game.operators)}" for n in numbers]).rstrip("+-x: ")


@pytest.fixture(scope="module")
def accepted() -> Counter[bool]:
    return Counter()


@in_one_test("name", *RULED)
def test_all_interfaces_agree_with_brute_force(name: str, accepted: Counter[bool]) -> None:
    game, in_order = RULED[name], "order" in name
    draw, hands = random.Random(name), list_hands(replace(game, numbers=_NUMBERS))
    unsolvable = set() if in_order else {*survey(replace(game, numbers=_NUMBERS)).unsolvable(24)}
    for hand in draw.sample(hands, 1000 if EVERY else 3):
        hand = tuple(draw.sample(hand, len(hand)) if in_order else hand)
        puzzle = Puzzle(hand, 24, game, in_order=in_order)
        expected = can_make(hand, name)
        found = {
            "solvable": puzzle.solvable,
            "solve": bool(Puzzle(hand, 24, game, in_order=in_order).solutions()),
            "closest": 24 in puzzle.closest,
            "judge": puzzle.judge("no solution").code == "solvable",
            "survey": expected if in_order else hand not in unsolvable,
        }
        with suppress(RefusedError):
            found["episode"] = Episode(puzzle).observation.can_still_win
        if expected and not in_order:
            hinted = Round(puzzle)
            while not hinted.result:
                hinted, reply = hinted.play("?")
                hinted, _ = hinted.play(reply.formula)
            found["hints"] = hinted.result == "right"
        if expected:
            found["answer"] = puzzle.check(puzzle.answer()).right
        assert set(found.values()) == {expected}, (puzzle, found)
        for text in typed(hand, game, draw):
            right = puzzle.check(text).right
            assert expected or not right, (puzzle, text)
            assert bool(puzzle.judge(f"<answer>{text}</answer>")) == right, (puzzle, text)
            played = None if in_order else Round(puzzle).play(text)[0]
            assert played is None or (played.result == "right") == right, (puzzle, text)
            accepted[right] += 1


def test_some_formulas_are_accepted_and_some_refused(accepted: Counter[bool]) -> None:
    assert min(accepted[True], accepted[False]) > 20
