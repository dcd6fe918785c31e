"""Added rules of results and of operands: every search obeys them or refuses the game."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import product
from random import Random
from typing import Any

import pytest

import crisps24
from crisps24 import GAMES, Equation, Game, RefusedError, equations
from crisps24.equation_puzzles.gaps import read_gaps
from crisps24.equation_puzzles.missing import count_fillings
from crisps24.puzzle import Puzzle
from crisps24.puzzles.hints import can_reach
from crisps24.rules.games import Hand
from crisps24.rules.operators import OPERATORS, StepRule
from crisps24.rules.partitions import partitions
from crisps24.rules.rules import FLAG, RULES, Rule
from crisps24.training.row_checks import sums_suffice
from tests import oracle
from tests.hand_oracle import function_of, stand_in
from tests.sampling import EVERY, some

Value = int | Fraction
Obeys = Callable[[Value, Value, Value, str], bool]
ResultCounts = dict[tuple[Value, int], int]
"""(value, function) to the number of written forms."""

# Functions of exact values, not of columns, as users would write them.
RESULT_PREDICATES: dict[str, Callable[[Value], Any]] = {
    "even": lambda result: result % 2 == 0,
    "some range": lambda result: 0 < result <= 30 or result == 48,
    "some numbers": lambda result: result not in (7, 23, Fraction(1, 2)),
    "halves": lambda result: result.denominator in (1, 2),
    "truth": lambda result: result,
}
OPERAND_PREDICATES: dict[str, Obeys] = {
    "differ": lambda left, right, *_: left != right,
    "alike": lambda left, right, *_: left % 2 == right % 2,
    "no ones": lambda left, right, *_: 1 not in (left, right),
    "grows": lambda left, right, result, _: result >= left or result >= right,
}
RULE_NAMES = [*RESULT_PREDICATES, *OPERAND_PREDICATES]


@dataclass(frozen=True)
class RuledGame(Game):
    own: bool = True


# A rule that reads the operands of a step.
operand_rule = partial(StepRule, reads_operands=True)


def make_rule(name: str, columns: bool = False) -> StepRule:
    def broken(*step: Value) -> str:
        return f"breaks the rule {name}: {step}"

    if name in RESULT_PREDICATES:
        return StepRule(RESULT_PREDICATES[name], broken, takes_columns=columns)
    of_step = OPERAND_PREDICATES[name]
    return operand_rule(lambda a, b, c, _: of_step(a, b, c, ""), broken, takes_columns=columns)


def predicate_of(name: str) -> Obeys:
    if name in OPERAND_PREDICATES:
        return OPERAND_PREDICATES[name]
    return lambda _left, _right, result, _sign: bool(RESULT_PREDICATES[name](result))


def add_rule(rule: StepRule, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add a rule to the table, for games that have it as a field of their own."""
    record = Rule("own", FLAG, str, restriction=lambda game: rule if game.own else None)
    monkeypatch.setitem(RULES, "own", record)
    # Without the field, other games would not have the rule.
    monkeypatch.setattr(Game, "own", False, raising=False)


@pytest.fixture(params=some(RULE_NAMES, 3))
def name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Add a rule to the table, and return its name."""
    add_rule(make_rule(request.param), monkeypatch)
    return str(request.param)


def games(name: str, **changes: Any) -> Iterator[Game]:
    """Yield small games with different rules.

    Caches keep results of equal games, so each rule has games of its own: every second one, or with
    CRISPS24_EVERY all of them.
    """
    flags: list[dict[str, Any]] = [
        *({}, {"negatives": True}, {"fractions": True}, {"fractions": True, "negatives": True}),
        {"fractions": True, "zero": False, "operators": ("-", "+", ":")},
        {"negatives": True, "zero": False, "operators": ("-", "+")},
        *({"join": True}, {"most": 30, "negatives": True}),
    ]
    first, step = (0, 1) if EVERY else (RULE_NAMES.index(name) % 2, 2)
    for changed_rules in flags[first::step]:
        yield RuledGame(name, (1, 2, 3, 4, 6, 8), 3, **changed_rules, **changes)


def ruled_operations(game: Game, obeys: Obeys) -> dict[str, tuple[int, oracle.BinaryFunction]]:
    """Return the precedence and the function of each sign: None if a step breaks a rule."""

    def compute(sign: str, left: Value, right: Value) -> Value | None:
        value = oracle.OPERATIONS[sign](left, right)
        if value is None or (game.most is not None and value > game.most and sign != "|"):
            return None
        return value if obeys(left, right, value, sign) else None

    return {sign: (oracle.PRECEDENCE[sign], partial(compute, sign)) for sign in oracle.OPERATIONS}


def count_rows_by_value(game: Game, obeys: Obeys) -> dict[Value, int]:
    rows = oracle.sorted_by_value(oracle.rows(game), game, ruled_operations(game, obeys))
    return {value: len(some_rows) for value, some_rows in rows.items()}


def count_results(hand: Hand, game: Game, obeys: Obeys, in_order: bool) -> ResultCounts:
    """Return the results of a hand with all its numbers and any parentheses."""
    if len(hand) == 1:
        return {(hand[0], stand_in(hand[0])): 1}
    counts: ResultCounts = {}
    operations = ruled_operations(game, obeys)
    for mask in range(1, 2 ** len(hand) - 1):
        places = [[at for at in range(len(hand)) if mask >> at & 1 == side] for side in (1, 0)]
        if in_order and places[0] != [*range(len(places[0]))]:
            continue
        one, other = (tuple(hand[index] for index in side) for side in places)
        left, right = (count_results(side, game, obeys, in_order) for side in (one, other))
        for (a, f), (b, g), sign in product(left, right, game.operators):
            value = oracle.step(sign, a, b, game, operations)
            if value is not None:
                key = value, function_of(sign, f, g)
                counts[key] = counts.get(key, 0) + left[a, f] * right[b, g]
    return counts


def test_rows_obey_an_added_rule(name: str, tmp_path: Any) -> None:
    obeys = predicate_of(name)
    for index, game in enumerate(games(name)):
        operations = ruled_operations(game, obeys)
        expected = count_rows_by_value(game, obeys)
        assert crisps24.counts(game) == dict(sorted(expected.items()))
        for target in sorted({0, 1, 12, 24, *Random(1).sample([*expected], min(5, len(expected)))}):
            assert crisps24.count(target, game) == expected.get(target, 0)
            rows = [*crisps24.formulas(target, game)]
            assert len(set(map(str, rows))) == expected.get(target, 0)
            for row in rows:
                assert oracle.value_of(row.numbers, row.operators, game, operations) == target
                assert crisps24.check(str(row), target=target, game=game).verdict == "right"
        path = crisps24.write_results(12, tmp_path / str(index), game)
        assert crisps24.verify_results(path, game=game).verdict == "right"


def test_rows_that_are_counted_backwards_obey_an_added_rule(name: str) -> None:
    obeys = predicate_of(name)
    for game in games(name):
        long = replace(game, numbers=(1, 2, 4, 6), length=4)
        expected = count_rows_by_value(long, obeys)
        for target in range(13):
            assert crisps24.count(target, long) == expected.get(target, 0)


@pytest.mark.parametrize("in_order", [False, True])
def test_results_of_hands_obey_an_added_rule(name: str, in_order: bool) -> None:
    obeys, random = predicate_of(name), Random(24)
    for game in (other for other in games(name, parentheses=True) if not other.join):
        for size in (2, 3, 3, 4):
            hand = tuple(random.choices(range(1, 10), k=size))
            counts = count_results(hand, game, obeys, in_order)
            functions = dict(Counter(value for value, _ in counts))
            options: Any = {"game": game, "in_order": in_order}
            assert crisps24.reachable(hand, **options) == functions.keys()
            assert crisps24.count_solutions(hand, **options) == functions
            assert crisps24.plainest(hand, **options).keys() == functions.keys()
            target = random.choice([*functions, 24])
            solutions = [*crisps24.solve(hand, target, **options)]
            assert len(solutions) == functions.get(target, 0)
            for solution in solutions:
                assert crisps24.check(str(solution), hand, target, game).verdict == "right"
            if functions:
                gap = min(abs(Fraction(value) - target) for value in functions)
                nearest = {other for other in functions if abs(other - target) == gap}
                assert crisps24.closest(hand, target, **options).keys() == nearest
            if in_order:
                written = sum(times for (value, _), times in counts.items() if value == target)
                assert crisps24.count_written(hand, [target], game) == {target: written}
            elif not game.negatives:
                hard = crisps24.difficulty(hand, target, game)
                assert (hard is None) == (target not in functions)


def test_backward_search_obeys_an_added_rule(name: str) -> None:
    # Hands of seven numbers are searched backwards.
    hand = (1, 2, 3, 4, 6, 8, 8)
    game = RuledGame(name, (1, 2, 3, 4, 6, 8), 7, parentheses=True, operators=("-", "+", ":"))
    operations = ruled_operations(game, predicate_of(name))

    @cache
    def results_of(hand: Hand) -> set[Value]:
        if len(hand) == 1:
            return {*hand}
        values: set[Value | None] = set()
        for left, right in partitions(hand):
            for a, b, sign in product(results_of(left), results_of(right), game.operators):
                values.add(oracle.step(sign, a, b, game, operations))
        return {value for value in values if value is not None}

    for target in (24, 31):
        reached = crisps24.reachable(hand, game, only=[target], work=None)
        assert reached == {target} & results_of(hand)
        assert crisps24.count_solutions(hand, game, only=[target], work=None).keys() == reached


def test_puzzles_obey_an_added_rule(name: str) -> None:
    game = RuledGame(name, tuple(range(1, 10)), 4, parentheses=True, fractions=True)
    obeys = predicate_of(name)
    for puzzle in crisps24.deal(game, 3, seed=5):
        values = {value for value, _ in count_results(puzzle.hand, game, obeys, False)}
        assert puzzle.target in values
        assert can_reach(puzzle.hand, puzzle.target, game)
        assert crisps24.check(", ".join(puzzle.hints()), puzzle.hand, puzzle.target, game)
        sums = replace(game, operators=("-", "+"))
        by_sums = {value for value, _ in count_results(puzzle.hand, sums, obeys, False)}
        for target in range(40):
            assert sums_suffice(puzzle.hand, target, game) == (target in by_sums)
        for other in (Puzzle(puzzle.hand, target, game) for target in range(20, 25)):
            assert other.solvable == (other.target in values)


def test_equations_obey_an_added_rule(name: str) -> None:
    obeys = predicate_of(name)
    for game in games(name):
        ruled = replace(game, join=False, operators=("-", "+", ":"), numbers=(1, 2, 3))
        free = replace(ruled, own=False)  # type: ignore[call-arg]
        for length in (6, 7) if EVERY else (6,):
            free_equations = equations(Equation(length, game=free, lone_zeros=True))
            true = [text for text in free_equations if is_true_equation(text, ruled, obeys)]
            assert equations(Equation(length, game=ruled, lone_zeros=True)) == true
        gaps = read_gaps("8 _ 4 _ 2 = 6 _ 2 _ 4", ruled)
        solutions = 0
        for signs in product([sign.replace(":", "/") for sign in ruled.operators], repeat=4):
            text = "8{}4{}2=6{}2{}4".format(*signs)
            solutions += is_true_equation(text, ruled, obeys)
        assert count_fillings(gaps, ruled) == solutions


def is_true_equation(text: str, game: Game, obeys: Obeys) -> bool:
    """Return whether both sides of an equation are legal and equal, by brute force."""
    sides: list[Value | None] = []
    for side in text.split("="):
        signs = tuple(sign.replace("/", ":") for sign in side if not sign.isdigit())
        spaced = "".join(character if character.isdigit() else " " for character in side)
        numbers = tuple(map(int, spaced.split()))
        sides.append(oracle.value_of(numbers, signs, game, ruled_operations(game, obeys)))
    return None not in sides and sides[0] == sides[1]


@pytest.mark.parametrize("columns", [False, True])
def test_asymmetric_rule_of_sums_is_refused(columns: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = operand_rule(lambda a, b, *_: a > b, lambda *_: "is small", takes_columns=columns)
    add_rule(rule, monkeypatch)
    name = f"apart {columns}"
    game = RuledGame(name, tuple(range(1, 10)), 3, parentheses=True, operators=("+", "-"))
    calls: list[Callable[[], object]] = [
        lambda: crisps24.reachable((1, 2, 8), game),
        lambda: crisps24.counts(replace(game, parentheses=False)),
        lambda: crisps24.check("8 + 2", (8, 2), 10, game),
    ]
    for call in calls:
        with pytest.raises(RefusedError, match=r"must allow both a \+ b and b \+ a, or neither"):
            call()
    assert crisps24.reachable((1, 2, 8), replace(game, operators=("-",))) == {5, 7}


def test_rule_of_two_operands_is_refused_with_unary_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    add_rule(make_rule("differ"), monkeypatch)
    for changes in ({"operators": ("+", "√"), "fractions": True}, {"signed": True}):
        with pytest.raises(RefusedError, match="the rule own reads two operands: own cannot"):
            RuledGame("own", (1, 2), 2, parentheses=True, negatives=True, **changes)


def test_rule_without_columns_is_checked_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    def obeys(left: Value, right: Value, _: Value, sign: str) -> bool:
        return sign == ":" or (left % 2 == 0 and right in (1, 2, 3))

    rule = operand_rule(lambda a, b, c, _: obeys(a, b, c, "-"), lambda *_: "{step} is odd")
    monkeypatch.setitem(OPERATORS, "-", replace(OPERATORS["-"], rules=(rule,)))
    for fractions in (False, True):
        game = replace(GAMES["crisps"], length=3, operators=("-", ":"), fractions=fractions)
        assert crisps24.counts(game) == dict(sorted(count_rows_by_value(game, obeys).items()))
