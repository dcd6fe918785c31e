"""The unary minus in front of a number, a formula in parentheses or a fraction."""

import pickle
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Episode, Game, Puzzle, RefusedError, check, evaluate, judge, parse
from crisps24.notation.checking import working
from crisps24.notation.styles import STYLES
from crisps24.notation.trees import (
    Expression,
    NoOperand,
    Number,
    Operation,
    numbers_of,
    parts_of,
    text_of,
)
from crisps24.puzzles.rounds import Round
from crisps24.rules.exact import Exact
from crisps24.rules.operators import MINUS
from tests.notation.strategies import FREE, JOINING, SHORT_TREES, nested
from tests.sampling import in_one_test

READABLE = st.sampled_from([style.name for style in STYLES.values() if style.readable])


def negated(tree: Expression) -> Operation:
    return Operation(MINUS, NoOperand(0), tree)


def folded(tree: Expression) -> Expression:
    """Return a tree as its text is read: a minus before a number is part of the number."""
    if isinstance(tree, Number):
        return tree
    right = folded(tree.right)
    if tree.is_unary_minus and isinstance(tree.right, Number) and tree.right.value >= 0:
        return replace(tree.right, value=-tree.right.value)
    return replace(tree, left=folded(tree.left), right=right)


@in_one_test(
    ("text", "value", "printed"),
    ("- 3 + 9", 6, "-3 + 9"),
    ("- (3 + 4) x 2", -14, "(-(3 + 4)) x 2"),
    ("2 x -(3 + 4)", -14, "2 x (-(3 + 4))"),
    ("-(3 + 4) / -(1 + 6)", 1, "(-(3 + 4)) / (-(1 + 6))"),
    ("-(-(3 + 4))", 7, "-(-(3 + 4))"),
    ("-[1 + 2]", -3, "-(1 + 2)"),
    ("-(1 / 2) + 9", Fraction(17, 2), "-(1 / 2) + 9"),
)
def test_unary_minus_is_parsed_evaluated_and_printed(text: str, value: Exact, printed: str) -> None:
    assert (evaluate(text, FREE), text_of(parse(text, FREE))) == (value, printed)
    assert nested(parse(printed, FREE)) == nested(parse(text, FREE))


@given(SHORT_TREES, SHORT_TREES, st.sampled_from("-+x:"), READABLE)
def test_printed_minus_is_read(tree: Expression, other: Expression, sign: str, style: str) -> None:
    combined = parse(f"({text_of(negated(tree))}) {sign} -({text_of(other)})", FREE)
    for example in (negated(tree), negated(negated(tree)), combined):
        again = parse(text_of(example, style), FREE)
        assert nested(again) == nested(folded(example))
        assert again == folded(example)
        assert example == pickle.loads(pickle.dumps(example))
    leaves = (*numbers_of(tree), *numbers_of(other))
    found = [abs(leaf.value) for leaf in parts_of(combined).numbers]
    assert found == [abs(leaf.value) for leaf in leaves]


@in_one_test(
    ("text", "game", "place"),
    ("5 - -(1 + 2)", "countdown", (4, 8)),
    (r"-\frac{8}{2}", "countdown", (0, 12)),
    ("-(3 + 5)", replace(FREE, negatives=False), (0, 8)),
)
def test_a_minus_is_illegal_without_negative_numbers(text: str, game: Any, place: Any) -> None:
    result = check(text, game=game)
    assert (result.verdict, result.reason) == ("illegal", "no negative numbers in this game")
    assert result.error is not None
    assert (result.error.position, result.error.length) == place


@in_one_test(
    ("text", "card", "right"),
    *(("-3 + 27", (3, 27), True), ("-3 + 27", (-3, 27), True), ("-K + 37", (13, 37), True)),
    *(("-3 + -3 + 30", (3, -3, 30), True), ("-3 + -3 + 30", (3, 30, 1), False)),
    *(("3 + 21", (-3, 21), False), ("-(3 - 27)", (3, 27), True)),
)
def test_negatives_use_cards_of_either_sign(text: str, card: tuple[int, ...], right: bool) -> None:
    assert check(text, card, 24, "cards").right is right
    game = replace(GAMES["cards"], numbers=(*card, 13))
    assert check(text, None, 24, game).right is (text != "3 + 21")


_CARDS = GAMES["cards"]


@in_one_test(
    ("text", "game", "target", "reason"),
    ("-4 + 28", _CARDS, 24, ""),
    ("-(-4 - 20)", _CARDS, 24, ""),
    ("-4 - 3 + 31", replace(GAMES["crisps"], negatives=True), 24, ""),
    ("-3 x 8", _CARDS, -24, "in this game, a minus can only subtract"),
    ("-(3 + 21)", _CARDS, -24, "in this game, a minus can only subtract"),
    ("-3", _CARDS, -3, "in this game, a minus can only subtract"),
    ("-6 + 10 x (4 - 1)", replace(_CARDS, once=True), 24, "- is used more than once in this"),
    ("-(12 + 3 x (1 - 13))", replace(_CARDS, most=30), 24, "3 x 12 is 36, more than 30"),
    ("-(12 + 3 x (1 - 13))", replace(_CARDS, most=36), 24, ""),
    ("8 + -3", replace(_CARDS, operators=("+", "x")), 5, "- is not in this game"),
    ("2 ^ -3", replace(_CARDS, operators=("-", "^")), Fraction(1, 8), "in this game, a minus"),
    ("2 ^ -(1 - 4)", replace(_CARDS, operators=("-", "^")), 8, ""),
    ("-3 x 8", replace(_CARDS, signed=True), -24, ""),
)
def test_a_minus_has_to_be_a_subtraction(text: str, game: Game, target: Exact, reason: str) -> None:
    card = tuple(max(each.value, -each.value) for each in numbers_of(parse(text, game)))
    result, judgement = check(text, card, target, game), judge(text, card, target, game)
    assert result.verdict == judgement.verdict == ("illegal" if reason else "right")
    assert (result.reason or "").startswith(reason)
    # Another value is wrong as before.
    assert check(text, card, 10**6, game).verdict == "wrong"


def test_the_result_of_a_step_in_a_round_can_be_made_without_a_minus() -> None:
    played = Round(Puzzle((3, 8, 48), 24, "cards"))
    after, reply = played.play("-3 x 8 = -24")
    assert (after.steps, reply.text) == ((), "in this game, a minus can only subtract")
    assert played.play("-3 x 8 = -24, -24 + 48 = 24")[0].best_formula == "-3 x 8 + 48"
    assert played.play("-8 + 48")[0].steps == ("-8 + 48 = 40",)
    assert Episode(played.puzzle).step("-8 + 48").formulas == ("3", "48 - 8")
    with pytest.raises(RefusedError, match="does not keep the order"):
        Round(Puzzle((3, 8, 48), 24, "cards", in_order=True))


def test_a_minus_has_to_be_a_subtraction_for_the_closest_value_too() -> None:
    puzzle = Puzzle((1, 5, 6), -7, replace(GAMES["countdown"], negatives=True))
    assert puzzle.check("1 - 6").right
    assert puzzle.check("-5").verdict == puzzle.judge("-5").verdict == "illegal"


def test_a_formula_keeps_the_order_of_the_numbers() -> None:
    puzzle = Puzzle((1, 2, 3, 4), 24, "cards", in_order=True)
    for text, right in (("(1 + 2 + 3) x 4", True), ("4 x 3 x 2 x 1", False)):
        assert bool(puzzle.check(text)) is bool(puzzle.judge(text)) is right
    # Without a minus, it is 4 - 1.
    ordered = Puzzle((1, 4), 3, "cards", in_order=True)
    assert (ordered.solvable, bool(ordered.check("-1 + 4"))) == (False, False)


def test_a_negative_number_has_to_be_dealt_with_either_sign() -> None:
    assert check("-5 + 9 + 9 + 9", hand=None, game="cards", strict=True)
    reason = "-14 is not in this game (only 1..13)"
    assert check("-14 + 20 + 9 + 9", target=24, game="cards").reason == reason
    assert check("-14 + 20 + 9", (9, 9, 9), 24, "cards").verdict == "illegal"


def test_digits_can_be_joined_after_a_unary_minus() -> None:
    make10 = replace(GAMES["make10"], join=True)
    assert check("-12 + 22", (1, 2, 2, 2), None, make10).right
    assert check("-12 + 22", (1, 2, 2, 3), None, make10).verdict == "wrong"
    assert str(parse("-12 + 22", JOINING)) == "-12 + 22"
    assert evaluate("2 x -12", JOINING) == -24


def test_a_unary_minus_is_not_a_step_of_the_working() -> None:
    assert working("-(3 + 4) + 31", "cards") == ["3 + 4 = 7", "-7 + 31 = 24"]
    assert working("-(3)", "cards") == []


@in_one_test(
    ("text", "formula"),
    ("3 - 8 = -5, -5 + 29 = 24", "3 - 8 + 29 = 24"),
    ("8 - 3 = 5, -5 + 29 = 24", "-(8 - 3) + 29 = 24"),
    ("-3 + 8 = 5, 29 - 5 = 24", "29 - (-3 + 8) = 24"),
)
def test_steps_can_use_negative_results(text: str, formula: str) -> None:
    result = check(text, (3, 8, 29), 24, "cards")
    assert (result.verdict, result.formula) == ("right", formula)
    assert check(formula, (3, 8, 29), 24, "cards").right


def test_a_step_uses_a_negative_number_only_once() -> None:
    result = check("-3 + 8 = 5, 3 + 5 = 8", (3, 8, 1), None, "cards")
    assert result.reason == "3 is not available (left: 1 5)"
    assert check("-4 + 8 = 4", (4, 8), 4, "countdown").verdict == "illegal"
