"""Hands and rules for the tests: drawn, and played by the game that they make."""

from collections.abc import Iterable, Iterator

import pytest
from hypothesis import assume, settings
from hypothesis import strategies as st

from crisps24 import GAMES, Game, solve
from crisps24.notation.trees import Expression, numbers_of
from crisps24.rules.exact import Exact, divide
from crisps24.rules.games import Hand
from crisps24.rules.operators import OPERATORS, Operator, StepRule
from tests import hand_oracle
from tests.hand_oracle import Made, Rules, Solution

FREE = Rules(parentheses=True, fractions=True, negatives=True, all_numbers=True)
ROWS = FREE._replace(parentheses=False)

MEAN = Operator(
    "~",
    ("~", "mean"),
    2,
    lambda left, right: divide(left + right, 2),
    lambda left, right: (min(left[0], right[0]), max(left[1], right[1])),
    rules=(
        StepRule(
            lambda left, right, result, game: game.fractions or result + result == left + right,
            lambda _left, _right, _result: "{step} is not a whole number",
            takes_columns=True,
        ),
    ),
    commutes=True,
)
LEAST = Operator(
    "v",
    ("v",),
    1,
    lambda left, right: left * (left < right) + right * (right <= left),
    lambda left, right: (min(left[0], right[0]), min(left[1], right[1])),
    commutes=True,
    rational=False,
)


@pytest.fixture(autouse=True, scope="module")
def added() -> Iterator[None]:
    """Add operators to the table, and take them away again, where this is imported."""
    for operator in (MEAN, LEAST):
        OPERATORS[operator.name] = operator
    yield
    for operator in (MEAN, LEAST):
        del OPERATORS[operator.name]


# One game of those whose steps are alike, but for parentheses and whether all numbers are used.
APART = sorted(
    {
        (game.operators, game.fractions, game.negatives, game.zero, game.join): name
        for name, game in GAMES.items()
    }.values()
)
# Hands whose weights are worked out by those games, with and without equal numbers.
NAMED: list[Hand] = [
    (7,),
    (1, 1),
    (2, 2, 2),
    (1, 1, 2, 2),
    (4, 4, 4, 4),
    (1, 2, 3, 4),
    (2, 5, 5, 9),
]
FIVE: list[tuple[str, Hand]] = [
    ("krypto", (1, 2, 7, 12, 25)),
    ("krypto", (3, 3, 3, 5, 5)),
    ("crisps", (1, 2, 2, 8, 9)),
    ("countdown", (1, 2, 2, 6, 100)),
    ("numble", (5, 6, 7, 25, 50)),
]

# For what is slow to look at, and for what is slower still; more where the profile looks further.
HALF = settings(max_examples=settings().max_examples // 2)
FEW = settings(max_examples=settings().max_examples // 8)

Dealt = tuple[tuple[int, ...], Rules]

ALL_FOUR = "-+x:"
# Sorted, so that the same examples are drawn each time.
SOME = st.one_of(
    st.just(ALL_FOUR),
    st.sets(st.sampled_from(ALL_FOUR), min_size=1).map(sorted).map("".join),
)


@st.composite
def rules_drawn(draw: st.DrawFn, operators: st.SearchStrategy[str]) -> Rules:
    """Draw rules, with some of the operators."""
    parentheses, fractions, negatives, all_numbers, in_order, zero, join = (
        draw(st.booleans()) for _ in range(7)
    )
    return Rules(
        parentheses,
        fractions,
        negatives,
        all_numbers,
        in_order,
        operators=draw(operators),
        zero=zero,
        join=join,
    )


@st.composite
def dealt(draw: st.DrawFn, operators: st.SearchStrategy[str] = SOME) -> Dealt:
    """Draw a hand of up to four numbers, with zero and equal ones among them, and rules."""
    rules = draw(rules_drawn(operators))
    lowest = draw(st.sampled_from([0, 1, -9 if rules.negatives and not rules.join else 1]))
    highest = draw(st.sampled_from([4, 9] if rules.join else [4, 12, 120]))
    numbers = st.integers(lowest, highest)
    size = draw(st.sampled_from([1, 2, 3, 3, 4]))
    return tuple(draw(st.lists(numbers, min_size=size, max_size=size))), rules


@st.composite
def solvable(draw: st.DrawFn) -> tuple[tuple[int, ...], Rules, Exact]:
    """Draw a hand, rules and a target that can be made."""
    hand, rules = draw(dealt())
    made = sorted(hand_oracle.ways(hand, rules))
    assume(made)
    return hand, rules, draw(st.sampled_from(made))


def game_of(hand: Iterable[int], rules: Rules) -> Game:
    """Make the game with these rules that has the numbers of a hand."""
    hand = tuple(hand)
    return Game(
        "small",
        hand,
        len(hand),
        parentheses=rules.parentheses,
        fractions=rules.fractions,
        negatives=rules.negatives,
        all_numbers=rules.all_numbers,
        operators=tuple(rules.operators),
        zero=rules.zero,
        join=rules.join,
    )


def shown(hand: tuple[int, ...], rules: Rules, target: Exact) -> list[Expression]:
    return list(solve(hand, target, game_of(hand, rules), in_order=rules.in_order))


def compared(
    hand: tuple[int, ...], rules: Rules, target: Exact
) -> Iterator[tuple[Expression, Made, Solution]]:
    """Yield each solution as it is shown, as it is read, and the plainest of its equals."""
    known = hand_oracle.solutions(hand, rules)
    for expression in shown(hand, rules, target):
        made = hand_oracle.read(str(expression), rules)
        yield expression, made, known[made.function]


def used(expression: Expression) -> list[int]:
    return [number.value for number in numbers_of(expression)]
