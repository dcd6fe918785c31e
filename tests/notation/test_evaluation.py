"""The evaluator: the order of steps, on numbers and on columns."""

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Game, evaluate, parse
from crisps24.notation.evaluation import Violation, evaluate_tree, evaluation_steps, leaf_evaluator
from crisps24.notation.trees import Expression
from crisps24.rules.games import game_for_numbers
from tests.drawing_helpers import ARITHMETIC_SIGNS
from tests.notation.strategies import FREE, SHORT_TREES
from tests.sampling import some


@pytest.mark.parametrize("sign", some(ARITHMETIC_SIGNS, 2))
def test_the_longest_chains_are_evaluated_without_recursion(sign: str) -> None:
    expected = {"-": -2998, "+": 3000, "x": 1, ":": 1}
    assert evaluate(sign.join(["1"] * 3000), FREE) == expected[sign]
    assert evaluate("x".join(["9"] * 3000)) == 9**3000


def rules() -> list[Game]:
    """Return games with every combination of rules, with the digits 0 to 9 or 1 to 9."""
    return [
        replace(FREE, fractions=fractions, negatives=negatives, zero=zero, numbers=numbers)
        for fractions, negatives, zero in product((False, True), repeat=3)
        for numbers in (tuple(range(10)), tuple(range(1, 10)))
    ]


@given(SHORT_TREES, st.sampled_from(rules()))
def test_a_violation_is_the_first_illegal_step_with_its_rule(tree: Expression, game: Game) -> None:
    outcome = evaluate_tree(tree, game, dealt=(0,))
    for step in evaluation_steps(tree, game_for_numbers((0,), game), leaf_evaluator(game)):
        operator, played = step.operation.operator, game_for_numbers((0,), game)
        broken = operator.step_problem(step.left, step.right, played, "")
        assert bool(step.legal) == (str(broken) == "")
        if not step.legal:
            assert isinstance(outcome, Violation)
            assert outcome.part is step.operation
            assert outcome.message.key == broken.key
            return
    assert not isinstance(outcome, Violation)


def test_numbers_are_checked_before_operators_and_operators_before_steps() -> None:
    game = replace(GAMES["countdown"], numbers=tuple(range(1, 10)), operators=("-", "+"), large=())
    reasons = []
    for text in ("1 - 2 x 3 + 0", "1 - 2 x 3 + 4", "1 - 2 + 4", "2 - 2", "2 - 1"):
        outcome = evaluate_tree(parse(text, FREE), game)
        reasons.append(str(outcome.message) if isinstance(outcome, Violation) else str(outcome))
    reasons_of = ["0 is not in this game (only 1..9)", "x is not in this game (only - +)"]
    assert reasons == [*reasons_of, "1 - 2 is less than zero", "2 - 2 is zero", "1"]


def test_the_leftmost_operator_that_the_game_lacks_is_reported() -> None:
    game = replace(FREE, operators=("-",))
    texts = ("1 x 2 + 3", "1 + 2 x 3", "1 - (2 x 3) + 4")
    outcomes: list[Any] = [evaluate_tree(parse(text, FREE), game) for text in texts]
    assert [outcome.part.span for outcome in outcomes] == [(0, 5), (0, 9), (4, 11)]
