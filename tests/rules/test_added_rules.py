"""Rules that are added, of results and of operands: engines obey them, or refuse the game."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
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
from crisps24.rules.operators import OPERATORS, AnyRule, ResultRule, StepRule
from crisps24.rules.rules import FLAG, RULES, Rule
from crisps24.training.audits import sums_suffice
from tests.hand_oracle import function_of, stand_in

Value = int | Fraction
Obeys = Callable[[Value, Value, Value], bool]
Made = dict[tuple[Value, int], int]
"""Values and functions, with the number of written forms of each."""

# Each is written as a person writes it who has numbers in mind, and no columns of them.
OF_RESULTS: dict[str, Callable[[Value], Any]] = {
    "even": lambda result: result % 2 == 0,
    "some range": lambda result: 0 < result <= 30 or result == 48,
    "some numbers": lambda result: result not in (7, 23, Fraction(1, 2)),
    "halves": lambda result: result.denominator in (1, 2),
    "truth": lambda result: result,
}
OF_OPERANDS: dict[str, Obeys] = {
    "differ": lambda left, right, _: left != right,
    "alike": lambda left, right, _: left % 2 == right % 2,
    "no ones": lambda left, right, _: 1 not in (left, right),
    "grows": lambda left, right, result: result >= left or result >= right,
}
EVERY = [*OF_RESULTS, *OF_OPERANDS]


@dataclass(frozen=True)
class RuledGame(Game):
    """A game with a rule of its own."""

    own: bool = True


def rule_of(name: str, columns: bool = False) -> AnyRule:
    def broken(*step: Value) -> str:
        return f"breaks the rule {name}: {step}"

    if name in OF_RESULTS:
        return ResultRule(OF_RESULTS[name], broken, takes_columns=columns)
    of_step = OF_OPERANDS[name]
    return StepRule(
        lambda a, b, result, _game: of_step(a, b, result), broken, takes_columns=columns
    )


def obeying(name: str) -> Obeys:
    if name in OF_OPERANDS:
        return OF_OPERANDS[name]
    return lambda _left, _right, result: bool(OF_RESULTS[name](result))


def record(rule: AnyRule, reads_operands: bool) -> Rule:
    return Rule(
        "own",
        FLAG,
        lambda value: "a rule of its own" if value else "no rule of its own",
        restriction=lambda game: rule if game.own else None,
        reads_operands=reads_operands,
    )


@pytest.fixture(params=EVERY)
def name(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Add a rule to the table, and return its name."""
    added: str = request.param
    monkeypatch.setitem(RULES, "own", record(rule_of(added), added in OF_OPERANDS))
    # As the field of `Game` that it would be.
    monkeypatch.setattr(Game, "own", False, raising=False)
    return added


def games(name: str, **changes: Any) -> Iterator[Game]:
    """Yield games of few numbers, by other rules each.

    What is known of a game is kept for equal games, so that each rule has games of its own.
    """
    flags: list[dict[str, Any]] = [
        {},
        {"negatives": True},
        {"fractions": True},
        {"fractions": True, "negatives": True},
        {"fractions": True, "zero": False, "operators": ("-", "+", ":")},
        {"negatives": True, "zero": False, "operators": ("-", "+")},
        {"join": True},
    ]
    for some in flags:
        yield RuledGame(name, (1, 2, 3, 4, 6, 8), 3, **some, **changes)


def step(left: Value, sign: str, right: Value, game: Game, obeys: Obeys) -> Value | None:
    """Return what a step makes, None where it is illegal; written independently."""
    if sign == "|":
        made: Value | None = 10 * left + right if left else None
    elif sign == ":":
        made = Fraction(left) / right if right else None
    else:
        made = {"-": left - right, "+": left + right, "x": left * right}[sign]
    if made is None or (made.denominator > 1 and not game.fractions):
        return None
    made = int(made) if made.denominator == 1 else made
    if (made < 0 and not game.negatives) or (made == 0 and not game.zero):
        return None
    return made if obeys(left, right, made) else None


def row_value(
    numbers: tuple[int, ...], signs: tuple[str, ...], game: Game, obeys: Obeys
) -> Value | None:
    """Return the value of a row without parentheses, None where a step is illegal."""
    values: list[Value] = list(numbers)
    left = list(signs)
    for tight in ("|", "x:", "+-"):
        at = 0
        while at < len(left):
            if left[at] not in tight:
                at += 1
                continue
            made = step(values[at], left.pop(at), values.pop(at + 1), game, obeys)
            if made is None:
                return None
            values[at] = made
    [value] = values
    return value


@cache
def signs_of(game: Game) -> tuple[str, ...]:
    return (*game.operators, *("|" * game.join))


def rows_of(game: Game, obeys: Obeys) -> dict[Value, int]:
    """Return how many rows of a game make each value."""
    found: dict[Value, int] = {}
    for numbers in product(game.numbers, repeat=game.length):
        for signs in product(signs_of(game), repeat=game.length - 1):
            value = row_value(numbers, signs, game, obeys)
            if value is not None:
                found[value] = found.get(value, 0) + 1
    return found


def made_of(hand: tuple[int, ...], game: Game, obeys: Obeys, in_order: bool) -> Made:
    """Return what a hand makes with all its numbers and any parentheses."""
    if len(hand) == 1:
        return {(hand[0], stand_in(hand[0])): 1}
    found: Made = {}
    for mask in range(1, 2 ** len(hand) - 1):
        places = [[at for at in range(len(hand)) if mask >> at & 1 == side] for side in (1, 0)]
        if in_order and places[0] != [*range(len(places[0]))]:
            continue
        one, other = (tuple(hand[at] for at in side) for side in places)
        left, right = (made_of(side, game, obeys, in_order) for side in (one, other))
        for (a, f), (b, g), sign in product(left, right, game.operators):
            value = step(a, sign, b, game, obeys)
            if value is not None:
                made = value, function_of(sign, f, g)
                found[made] = found.get(made, 0) + left[a, f] * right[b, g]
    return found


def test_rows_obey_a_rule_that_is_added(name: str, tmp_path: Any) -> None:
    obeys = obeying(name)
    for at, game in enumerate(games(name)):
        expected = rows_of(game, obeys)
        assert crisps24.counts(game) == dict(sorted(expected.items()))
        for target in sorted({0, 1, 12, 24, *Random(1).sample([*expected], min(5, len(expected)))}):
            assert crisps24.count(target, game) == expected.get(target, 0)
            found = [*crisps24.formulas(target, game)]
            assert len(set(map(str, found))) == expected.get(target, 0)
            for each in found:
                assert row_value(each.numbers, each.operators, game, obeys) == target
                assert crisps24.check(str(each), target, game=game).verdict == "right"
        path = crisps24.write_results(12, tmp_path / str(at), game)
        assert crisps24.verify_results(path, game=game).verdict == "right"


def test_longer_rows_are_counted_backwards_by_the_same_rule(name: str) -> None:
    obeys = obeying(name)
    for game in games(name):
        long = replace(game, numbers=(1, 2, 4, 6), length=4)
        expected = rows_of(long, obeys)
        for target in range(13):
            assert crisps24.count(target, long) == expected.get(target, 0)


@pytest.mark.parametrize("in_order", [False, True])
def test_hands_obey_a_rule_that_is_added(name: str, in_order: bool) -> None:
    obeys, random = obeying(name), Random(24)
    for game in (each for each in games(name, parentheses=True) if not each.join):
        for size in (2, 3, 3, 4):
            hand = tuple(random.choices(range(1, 10), k=size))
            made = made_of(hand, game, obeys, in_order)
            ways: dict[Value, int] = {}
            for value, _ in made:
                ways[value] = ways.get(value, 0) + 1
            how: Any = {"game": game, "in_order": in_order}
            assert crisps24.reachable(hand, **how) == ways.keys()
            assert crisps24.count_solutions(hand, **how) == ways
            assert crisps24.plainest(hand, **how).keys() == ways.keys()
            target = random.choice([*ways, 24])
            found = [*crisps24.solve(hand, target, **how)]
            assert len(found) == ways.get(target, 0)
            for way in found:
                assert crisps24.check(str(way), target, hand, game).verdict == "right"
            if ways:
                gap = min(abs(Fraction(value) - target) for value in ways)
                near = crisps24.closest(hand, target, **how)
                assert near.keys() == {each for each in ways if abs(each - target) == gap}
            if in_order:
                written = sum(times for (value, _), times in made.items() if value == target)
                assert crisps24.count_written(hand, [target], game) == {target: written}
            elif not game.negatives:
                hard = crisps24.difficulty(hand, target, game)
                assert (hard is None) == (target not in ways)


def test_hands_of_whom_only_one_value_is_wanted_obey_it(name: str) -> None:
    # Seven numbers are searched backwards.
    obeys, hand = obeying(name), (1, 2, 3, 4, 6, 8, 8)
    game = RuledGame(name, (1, 2, 3, 4, 6, 8), 7, parentheses=True, operators=("-", "+", ":"))
    values: dict[tuple[int, ...], set[Value]] = {}

    def made(hand: tuple[int, ...]) -> set[Value]:
        if len(hand) == 1:
            return {*hand}
        if hand not in values:
            values[hand] = set()
            for mask in range(1, 2 ** len(hand) - 1):
                sides = [
                    tuple(n for at, n in enumerate(hand) if mask >> at & 1 == s) for s in (0, 1)
                ]
                for a, b, sign in product(made(sides[0]), made(sides[1]), game.operators):
                    value = step(a, sign, b, game, obeys)
                    values[hand] |= set() if value is None else {value}
        return values[hand]

    for target in (24, 31):
        reached = crisps24.reachable(hand, game, only=[target], work=None)
        assert reached == {target} & made(hand)
        ways = crisps24.count_solutions(hand, game, only=[target], work=None)
        assert ways.keys() == reached


def test_puzzles_obey_a_rule_that_is_added(name: str) -> None:
    game = RuledGame(name, tuple(range(1, 10)), 4, parentheses=True, fractions=True)
    obeys = obeying(name)
    for puzzle in crisps24.deal(game, 3, seed=5):
        values = {value for value, _ in made_of(puzzle.hand, game, obeys, False)}
        assert puzzle.target in values
        assert can_reach(puzzle.hand, puzzle.target, game)
        assert crisps24.check(", ".join(puzzle.hints()), puzzle.target, puzzle.hand, game)
        sums = replace(game, operators=("-", "+"))
        by_sums = {value for value, _ in made_of(puzzle.hand, sums, obeys, False)}
        for target in range(40):
            assert sums_suffice(puzzle.hand, target, game) == (target in by_sums)
        for wrong in (Puzzle(puzzle.hand, target, game) for target in range(20, 25)):
            assert wrong.solvable == (wrong.target in values)


def test_equations_obey_a_rule_that_is_added(name: str) -> None:
    obeys = obeying(name)
    rules: dict[str, Any] = {
        "parentheses": False,
        "operators": ("-", "+", ":"),
        "numbers": (1, 2, 3),
    }
    for game in games(name):
        ruled = replace(game, join=False, **rules)
        free = replace(ruled, own=False)  # type: ignore[call-arg]
        for length in (6, 7):
            found = equations(Equation(length, game=ruled, lone_zeros=True))
            every = equations(Equation(length, game=free, lone_zeros=True))
            assert found == [text for text in every if holds(text, ruled, obeys)]
        gaps = read_gaps("8 _ 4 _ 2 = 6 _ 2 _ 4", ruled)
        written = ("8", "4", "2", "=", "6", "2", "4")
        tried = 0
        for signs in product(ruled.operators, repeat=4):
            texts = [written[0], signs[0], written[1], signs[1], written[2], "="]
            texts += [written[4], signs[2], written[5], signs[3], written[6]]
            tried += holds("".join(texts).replace(":", "/"), ruled, obeys)
        assert count_fillings(gaps, ruled) == tried


def holds(text: str, game: Game, obeys: Obeys) -> bool:
    """Return whether both sides of an equation are legal, worked out independently."""
    sides: list[Value | None] = []
    for side in text.split("="):
        signs = tuple(sign.replace("/", ":") for sign in side if not sign.isdigit())
        spaced = "".join(each if each.isdigit() else " " for each in side)
        sides.append(row_value(tuple(map(int, spaced.split())), signs, game, obeys))
    return None not in sides and sides[0] == sides[1]


def test_a_rule_of_operands_counts_as_brute_force_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULES, "own", record(rule_of("differ"), True))
    monkeypatch.setattr(Game, "own", False, raising=False)
    game = RuledGame("differ 182", tuple(range(1, 10)), 3)
    assert crisps24.count(12, game) == rows_of(game, OF_OPERANDS["differ"])[12] == 182


@pytest.mark.parametrize("columns", [False, True])
def test_a_rule_that_tells_sides_of_a_sum_apart_is_refused(
    columns: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = StepRule(
        lambda a, b, _result, _game: a > b, lambda *_: "is too small", takes_columns=columns
    )
    monkeypatch.setitem(RULES, "own", record(rule, True))
    monkeypatch.setattr(Game, "own", False, raising=False)
    name = f"apart {columns}"
    game = RuledGame(name, tuple(range(1, 10)), 3, parentheses=True, operators=("+", "-"))
    calls: list[Callable[[], object]] = [
        lambda: crisps24.reachable((1, 2, 8), game),
        lambda: crisps24.counts(replace(game, parentheses=False)),
        lambda: crisps24.check("8 + 2", 10, (8, 2), game),
    ]
    for call in calls:
        with pytest.raises(RefusedError, match=r"must allow both a \+ b and b \+ a, or neither"):
            call()
    less = replace(game, operators=("-",))
    assert crisps24.reachable((1, 2, 8), less) == {5, 7}


def test_a_record_says_whether_its_rule_reads_operands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Game, "own", False, raising=False)
    for name, reads in (("even", True), ("differ", False)):
        monkeypatch.setitem(RULES, "own", record(rule_of(name), reads))
        with pytest.raises(RefusedError, match=r"the rule own .*: it needs a (Step|Result)Rule"):
            RuledGame("own", (1, 2), 2)
    monkeypatch.setitem(RULES, "own", record(rule_of("differ"), True))
    for changes in ({"operators": ("+", "√"), "fractions": True}, {"signed": True}):
        with pytest.raises(RefusedError, match="the rule own reads two operands: own cannot"):
            RuledGame("own", (1, 2), 2, parentheses=True, negatives=True, **changes)


def test_a_rule_of_an_operator_is_asked_step_by_step_if_it_takes_no_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rule = StepRule(
        lambda a, b, _result, _game: a % 2 == 0 and b in (1, 2, 3), lambda *_: "{step} is odd"
    )
    minus = OPERATORS["-"]
    monkeypatch.setitem(OPERATORS, "-", replace(minus, rules=(rule,), undo=None))
    for fractions in (False, True):
        game = replace(GAMES["crisps"], length=3, operators=("-", ":"), fractions=fractions)

        def obeys(left: Value, right: Value, _: Value, sign: str) -> bool:
            return sign == ":" or (left % 2 == 0 and right in (1, 2, 3))

        found: dict[Value, int] = {}
        for numbers in product(game.numbers, repeat=3):
            for signs in product("-:", repeat=2):
                value = signed_value(numbers, signs, game, obeys)
                if value is not None:
                    found[value] = found.get(value, 0) + 1
        assert crisps24.counts(game) == dict(sorted(found.items()))


def signed_value(
    numbers: tuple[int, ...],
    signs: tuple[str, ...],
    game: Game,
    obeys: Callable[[Value, Value, Value, str], bool],
) -> Value | None:
    """Return the value of a row of three numbers where rules are those of operators."""
    first = 0 if signs != ("-", ":") else 1
    one = numbers[first : first + 2]
    made = step(one[0], signs[first], one[1], game, lambda a, b, c: obeys(a, b, c, signs[first]))
    if made is None:
        return None
    ends = (made, numbers[2]) if first == 0 else (numbers[0], made)
    other = signs[1 - first]
    return step(ends[0], other, ends[1], game, lambda a, b, c: obeys(a, b, c, other))
