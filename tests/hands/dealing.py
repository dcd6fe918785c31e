"""Hands, rules and operators for the tests of hands, and strategies that draw them."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, settings
from hypothesis import strategies as st

from crisps24 import GAMES, Game, solve
from crisps24.notation.trees import Expression, numbers_of
from crisps24.rules.exact import Exact, divide
from crisps24.rules.games import Hand
from crisps24.rules.operators import OPERATORS, Operator, StepRule
from tests import hand_oracle
from tests.hand_oracle import Evaluated, Rules, Solution
from tests.sampling import EVERY, examples

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
            reads_operands=True,
        ),
    ),
    commutes=True,
    rational=True,
)
MINIMUM = Operator(
    "v",
    ("v",),
    1,
    lambda left, right: left * (left < right) + right * (right <= left),
    lambda left, right: (min(left[0], right[0]), min(left[1], right[1])),
    commutes=True,
    takes_columns=True,
)


@pytest.fixture(autouse=True, scope="module")
def added_operators() -> Iterator[None]:
    """Add two operators to the table for the tests of the module that imports this."""
    for operator in (MEAN, MINIMUM):
        OPERATORS[operator.name] = operator
    yield
    for operator in (MEAN, MINIMUM):
        del OPERATORS[operator.name]


# One game for each set of rules of steps, not counting parentheses and required numbers.
_BY_RULES = {(g.operators, g.fractions, g.negatives, g.zero, g.join): n for n, g in GAMES.items()}
DISTINCT_GAMES = sorted(_BY_RULES.values())
# Hands whose weights the tests compute by these games, with and without equal numbers.
WEIGHED_HANDS: list[Hand] = [(7,), (1, 1), (2, 2, 2), (1, 1, 2, 2), (4, 4, 4, 4)]
WEIGHED_HANDS += [(1, 2, 3, 4), (2, 5, 5, 9)]
FIVE_NUMBER_HANDS: list[tuple[str, Hand]] = [
    ("krypto", (1, 2, 7, 12, 25)),
    ("krypto", (3, 3, 3, 5, 5)),
    ("crisps", (1, 2, 2, 8, 9)),
    ("countdown", (1, 2, 2, 6, 100)),
    ("numble", (5, 6, 7, 25, 50)),
]

# Fewer examples, for slow tests and for slower ones; more if the profile has more.
HALF = examples(20)
FEW = settings(max_examples=5 if EVERY else 3)

Dealt = tuple[Hand, Rules]

ALL_FOUR = "-+x:"
# Sorted, so that each run draws the same examples.
_SOME = st.sets(st.sampled_from(ALL_FOUR), min_size=1).map(sorted).map("".join)
OPERATOR_SETS = st.one_of(st.just(ALL_FOUR), _SOME)

# Fractions of hands: below and above 1, with equal and with different denominators.
_ABOVE, _BELOW = (1, 1, 2, 3, 5, 7, 9, -1, -3, -5), (2, 3, 3, 4, 4, 2, 5, 2, 4, 3)
FRACTIONS = [*map(Fraction, _ABOVE, _BELOW)]

FLAGS = ("parentheses", "fractions", "negatives", "all_numbers", "in_order", "zero", "join")


@st.composite
def drawn_rules(draw: st.DrawFn, operators: st.SearchStrategy[str]) -> Rules:
    flags: Any = {name: draw(st.booleans()) for name in FLAGS}
    return Rules(operators=draw(operators), **flags)


@st.composite
def dealt(draw: st.DrawFn, operators: st.SearchStrategy[str] = OPERATOR_SETS) -> Dealt:
    """Draw a hand of up to four numbers, also zeros, fractions and equal numbers, and rules."""
    rules = draw(drawn_rules(operators))
    lowest = draw(st.sampled_from([0, 1, -9 if rules.negatives and not rules.join else 1]))
    highest = draw(st.sampled_from([4, 9] if rules.join else [4, 12, 120]))
    numbers: st.SearchStrategy[Exact] = st.integers(lowest, highest)
    if rules.fractions and not rules.join:
        fractions = FRACTIONS if rules.negatives else [*filter(lambda value: value > 0, FRACTIONS)]
        numbers |= st.sampled_from(fractions)
    size = draw(st.sampled_from([1, 2, 3, 3, 4]))
    return tuple(draw(st.lists(numbers, min_size=size, max_size=size))), rules


@st.composite
def solvable(draw: st.DrawFn) -> tuple[Hand, Rules, Exact]:
    hand, rules = draw(dealt())
    values = sorted(hand_oracle.ways(hand, rules))
    assume(values)
    return hand, rules, draw(st.sampled_from(values))


def game_of(hand: Iterable[Exact], rules: Rules) -> Game:
    hand, fields = tuple(hand), rules._asdict()
    del fields["in_order"]
    return Game("small", hand, len(hand), **fields | {"operators": tuple(rules.operators)})


def rules_of(game: Game) -> Rules:
    flags = game.parentheses, game.fractions, game.negatives, game.all_numbers
    return Rules(*flags, operators="".join(game.operators), zero=game.zero)


def solve_with_rules(hand: Hand, rules: Rules, target: Exact) -> list[Expression]:
    return list(solve(hand, target, game_of(hand, rules), in_order=rules.in_order))


def compare_solutions(
    hand: Hand, rules: Rules, target: Exact
) -> Iterator[tuple[Expression, Evaluated, Solution]]:
    """Yield each solution, its evaluation by the oracle, and the oracle's solution."""
    expected = hand_oracle.solutions(hand, rules)
    for expression in solve_with_rules(hand, rules, target):
        evaluated = hand_oracle.read(str(expression), rules)
        yield expression, evaluated, expected[evaluated.function]


def numbers_used(expression: Expression) -> list[Exact]:
    return [number.value for number in numbers_of(expression)]
