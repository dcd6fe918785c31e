"""Hands of fractions, decimals and negative numbers, compared with brute force."""

import random
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import crisps24
from crisps24 import GAMES, Puzzle, check, count, evaluate, puzzle_of, solve
from crisps24.errors import KindError
from crisps24.notation.styles import STYLES
from crisps24.notation.trees import text_of
from crisps24.rules.deals import parse_hand
from crisps24.rules.exact import Exact, has_fractions
from crisps24.rules.games import HAND_GAMES, Hand
from tests import hand_oracle
from tests.hands.dealing import FREE, compare_solutions, rules_of
from tests.sampling import EVERY, in_one_test

CARDS = GAMES["cards"]
# 25 numbers, of which 12 are fractions, zero or negative.
FRACTIONS = [Fraction(above, 24) for above in (-12, -18, 3, 4, 8, 9, 12, 18, 40)]
NUMBERS: Hand = (-3, -1, 0, *FRACTIONS, *range(1, 14))
TYPEABLE_STYLES = [name for name, style in STYLES.items() if style.is_typeable]


def drawn_hands(count: int, length: int, seed: int) -> list[Hand]:
    """Return random hands of `NUMBERS`, each with a fraction or a negative number."""
    draw = random.Random(seed)
    hands: list[Hand] = []
    while len(hands) < count:
        hand = tuple(draw.choice(NUMBERS) for _ in range(length))
        if has_fractions(hand) or min(hand) < 0:
            hands.append(hand)
    return hands


FOUR = drawn_hands(60 if EVERY else 5, 4, seed=36)


@in_one_test("hand", *FOUR)
def test_values_solutions_and_nearest_values_of_four_numbers(hand: Hand) -> None:
    ways = hand_oracle.ways(hand, FREE)
    assert crisps24.reachable(hand, "cards") == set(ways)
    assert crisps24.count_solutions(hand, "cards") == ways
    distances = {value: abs(value - Fraction(24)) for value in ways}
    nearest = {value for value in ways if distances[value] == min(distances.values())}
    assert set(crisps24.closest(hand, 24, "cards")) == nearest
    for target in random.Random(str(hand)).sample(sorted(ways), 3):
        functions = [made.function for _, made, _ in compare_solutions(hand, FREE, target)]
        assert len(set(functions)) == len(functions) == ways[target]


@in_one_test("hand", *FOUR[:12])
def test_every_printed_solution_can_be_checked_and_judged(hand: Hand) -> None:
    target = random.Random(str(hand)).choice(sorted(hand_oracle.ways(hand, FREE)))
    puzzle = Puzzle(hand, target, CARDS)
    assert puzzle_of(puzzle.id) == puzzle
    game = replace(CARDS, numbers=tuple(sorted(set(hand))))
    for expression in solve(hand, target, "cards"):
        assert evaluate(str(expression), game) == target
        for style in TYPEABLE_STYLES:
            text = text_of(expression, style)
            assert check(text, hand, target, "cards").right, text
            assert puzzle.judge(f"{text} = {target}"), text
        assert puzzle.judge(text_of(expression, "latex"))
        assert check(text_of(expression, "polish"), hand, target, "cards", style="polish").right


@in_one_test("hand", *FOUR[:8])
def test_written_forms_in_order_are_counted(hand: Hand) -> None:
    expected: dict[Exact, int] = {}
    for _, expression in hand_oracle.expressions(hand, FREE._replace(in_order=True)):
        expected[expression.value] = expected.get(expression.value, 0) + 1
    assert crisps24.count_written(hand, list(expected), "cards") == expected


@pytest.mark.parametrize("name", HAND_GAMES)
def test_three_numbers_in_every_game(name: str) -> None:
    game = GAMES[name]
    for hand in drawn_hands(100 if EVERY else 5, 3, seed=7):
        for changed in (game, replace(game, fractions=True), replace(game, negatives=True)):
            is_legal = changed.fractions or not has_fractions(hand)
            if is_legal and (changed.negatives or min(hand) >= 0):
                expected = hand_oracle.values(hand, rules_of(changed))
                assert crisps24.reachable(hand, changed) == expected
            else:
                with pytest.raises(ValueError, match=r"is a fraction|is less than zero"):
                    crisps24.reachable(hand, changed)


def test_the_numbers_of_a_hand_are_exact() -> None:
    hand = (3, Decimal("0.75"), 3, 6)
    assert [*map(str, solve(hand, 24, "cards"))] == ["6 / (3 / 3 - (3/4))"]
    assert puzzle_of(hand, 24, "cards") == puzzle_of("cards:3.3/4.3.6=24")
    for words in ("3 .75 3 6", "3 ¾ 3 6", "3 6/8 3 6", "３ ３／４ 3 6"):
        assert puzzle_of(words, 24, "cards").hand == (3, Fraction(3, 4), 3, 6)
    for inexact in (0.75, Decimal("nan"), "x"):
        with pytest.raises((KindError, ValueError)):
            crisps24.reachable((3, inexact, 3, 6), CARDS)


def test_hands_without_known_costs_have_no_level() -> None:
    for hand in ((3, Fraction(3, 4), 3, 6), (2, 2, 6, 14)):
        found: Any = crisps24.difficulty(hand, 24, "cards")
        assert found.level is None
    with pytest.raises(ValueError, match="only known for whole numbers"):
        crisps24.deal("fractions24", 1, seed=1, conditions=crisps24.Conditions(levels=range(2, 3)))


def test_rows_refuse_fractions_with_the_command_for_a_hand() -> None:
    game = replace(GAMES["crisps"], fractions=True)
    with pytest.raises(ValueError, match=r"lists formulas of whole numbers only: .* solve 3 3/4"):
        count(24, game, card=(3, Fraction(3, 4)))
    with pytest.raises(ValueError, match="lists formulas of whole numbers only"):
        count(24, replace(game, numbers=(1, Fraction(1, 2))))


def test_without_a_hand_numbers_are_those_of_the_game() -> None:
    game = replace(CARDS, numbers=(2, 4, Fraction(-1, 2)), length=3)
    assert evaluate("2 / 4 / (-1/2)", game) == -1
    assert evaluate("4 / (-1/2)", game) == -8


def test_numbers_side_by_side_are_not_one_number() -> None:
    hand = (Fraction(1, 2), Fraction(3, 4), 2)
    for name in ("cards", "crisps"):
        game = replace(GAMES[name], numbers=hand, length=3, fractions=True, all_numbers=False)
        for text in ("½½", "½¾", "(3/4)½", "½(3/4)", "2(3/4)", "(3/4)2", "(1/2)(3/4)"):
            assert check(text, hand, Fraction(3, 4), game).verdict in ("malformed", "illegal"), text
        assert check("2 x (3/4) - ½", hand, 1, game).right


def test_a_quotient_after_a_fraction_of_latex_can_be_a_card() -> None:
    for text, card in [
        (r"\frac{3}{2} x 3/2", "3/2 3/2"),
        (r"\frac{6}{3} x 3/2", "6 3 3/2"),
        (r"\frac{3}{2} x 3/4", "3/2 3/4"),
        (r"\frac{6}{2} x 3/4 x 3/2", "6 2 3/4 3/2"),
    ]:
        assert check(text, hand=card, game="cards").verdict == "wrong"
        assert check(text, card, evaluate(text, "cards"), "cards").right, text


def test_a_hand_as_text_can_start_with_a_fraction_or_a_sign() -> None:
    for text in ("½ 2 3 4", "-2 3 4 5", ".75 3 3 6", "−½ 2 3 4"):
        assert puzzle_of(text, 24, "cards").hand == parse_hand(text.split(), CARDS)
