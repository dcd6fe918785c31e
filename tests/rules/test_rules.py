"""Rules as records: one that ships and one that is added, obeyed or refused wherever games go."""

import json
import pickle
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import crisps24
from crisps24 import GAMES, Game, RefusedError
from crisps24.messages.message import english
from crisps24.rules.ids import format_id, parse_id
from crisps24.rules.operators import ResultRule
from crisps24.rules.rules import FLAG, RULES, Rule, format_rules, format_task
from tests.drawing_helpers import WORKED

Value = int | Fraction
# The rules of a step, written independently of the package.
Allowed = Callable[[Value], bool]


def steps_of(
    left: Value, right: Value, game: Game, allowed: Allowed
) -> Iterator[tuple[str, Value]]:
    """Yield what two values make by each operator, by the rules of the game."""
    made: dict[str, Value] = {"-": left - right, "+": left + right, "x": left * right}
    if right != 0 and (game.fractions or Fraction(left) / right == left // right):
        made[":"] = Fraction(left) / right
    for sign in game.operators:
        if sign in made and allowed(made[sign]):
            value = made[sign]
            if (game.negatives or value >= 0) and (game.zero or value != 0):
                yield sign, value


def made_by_hand(hand: tuple[int, ...], game: Game, allowed: Allowed) -> set[Value]:
    """Return what a hand makes with all its numbers and any parentheses, by brute force."""
    if len(hand) == 1:
        return {hand[0]}
    found: set[Value] = set()
    for mask in range(1, 2 ** len(hand) - 1):
        sides: tuple[list[int], list[int]] = ([], [])
        for place, number in enumerate(hand):
            sides[mask >> place & 1].append(number)
        left, right = (made_by_hand(tuple(side), game, allowed) for side in sides)
        for one, other in product(left, right):
            found |= {value for _, value in steps_of(one, other, game, allowed)}
    return found


def row_value(
    numbers: tuple[int, ...], signs: tuple[str, ...], game: Game, allowed: Allowed
) -> Value | None:
    """Return the value of a row without parentheses, None where a step is illegal."""
    values: list[Value] = [numbers[0]]
    loose: list[str] = []

    def step(left: Value, sign: str, right: Value) -> Value | None:
        return dict(steps_of(left, right, game, allowed)).get(sign)

    for sign, number in zip(signs, numbers[1:], strict=True):
        if sign in "x:":
            made = step(values[-1], sign, number)
            if made is None:
                return None
            values[-1] = made
        else:
            loose.append(sign)
            values.append(number)
    total = values[0]
    for sign, value in zip(loose, values[1:], strict=True):
        made = step(total, sign, value)
        if made is None:
            return None
        total = made
    return total


def counted(game: Game, allowed: Allowed) -> dict[Value, int]:
    """Return how many rows of a game make each value, by brute force."""
    found: dict[Value, int] = {}
    for numbers in product(game.numbers, repeat=game.length):
        for signs in product(game.operators, repeat=game.length - 1):
            value = row_value(numbers, signs, game, allowed)
            if value is not None:
                found[value] = found.get(value, 0) + 1
    return found


def up_to(most: int | None) -> Allowed:
    return lambda value: most is None or value <= most


GAMES_WITH_MOST = st.builds(
    lambda numbers, length, operators, flags, most: Game(
        "mine",
        tuple(numbers),
        length,
        operators=tuple(operators),
        fractions=flags[0],
        negatives=flags[1],
        zero=flags[2],
        most=most,
    ),
    st.lists(st.integers(0, 12), min_size=1, max_size=3, unique=True),
    st.integers(1, 3),
    st.lists(st.sampled_from(WORKED), min_size=1, unique=True),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
    st.none() | st.integers(0, 60),
)
HANDS = st.lists(st.integers(1, 13), min_size=1, max_size=4).map(tuple)


@given(GAMES_WITH_MOST)
def test_rows_are_those_of_which_no_result_is_above_the_most(game: Game) -> None:
    expected = counted(game, up_to(game.most))
    assert crisps24.counts(game) == dict(sorted(expected.items()))
    for target in [*expected][:3]:
        rows = list(crisps24.formulas(target, game))
        assert len(rows) == crisps24.count(target, game) == expected[target]
        assert all(crisps24.evaluate(str(row), game) == target for row in rows[:5])


@given(GAMES_WITH_MOST, HANDS)
def test_a_hand_makes_what_brute_force_makes_of_it(game: Game, hand: tuple[int, ...]) -> None:
    game = replace(game, numbers=tuple(range(14)), parentheses=True, length=len(hand))
    expected = made_by_hand(hand, game, up_to(game.most))
    assert crisps24.reachable(hand, game) == expected
    assert crisps24.count_solutions(hand, game).keys() == expected
    for target in sorted(expected)[:2]:
        for way in crisps24.solve(hand, target, game):
            judged = crisps24.check(str(way), target, hand, game)
            assert (judged.verdict, judged.reason) == ("right", "")


TWENTY = replace(GAMES["crisps"], most=20)


def test_a_step_above_the_most_says_so() -> None:
    found = crisps24.check("9 x 8 : 3", 24, game=replace(TWENTY, most=30))
    assert (found.verdict, found.reason) == ("illegal", "9 x 8 is 72, more than 30")
    assert crisps24.check("8 x 3", 24, game=TWENTY).verdict == "illegal"
    assert crisps24.check("9 + 9", 18, game=TWENTY).verdict == "right"


def test_terms_change_places_only_where_no_result_is_too_large() -> None:
    # 9 - 3 + 8 stays within 14, and 9 + 8 - 3 does not.
    game = replace(GAMES["cards"], most=14)
    ways = crisps24.solve((3, 8, 9), 14, game)
    assert ways
    assert all("9 + 8" not in str(way) for way in ways)
    assert 14 in crisps24.reachable((3, 8, 9), game)
    assert replace(game, most=13).most == 13
    assert 14 not in crisps24.reachable((3, 8, 9), replace(game, most=13))


def test_a_puzzle_with_a_most_is_one_everywhere(tmp_path: Any) -> None:
    game = replace(GAMES["cards"], most=30)
    for puzzle in crisps24.deal(game, 5, seed=3):
        assert parse_id(puzzle.id) == (game, puzzle.hand, puzzle.target)
        assert crisps24.puzzle_of(puzzle.id) == puzzle
        assert puzzle.level is None
        assert puzzle.check(str(puzzle.solutions()[0].expression)).verdict == "right"
        assert puzzle.difficulty is not None
        assert puzzle.difficulty.bits > 0
    found = crisps24.survey(replace(game, numbers=tuple(range(1, 6)), length=3), range(20, 25))
    for hand, row in zip(found.hands, found.solvable.tolist(), strict=True):
        made = made_by_hand(hand, found.game, up_to(30))
        assert row == [target in made for target in found.targets]
    found.save(tmp_path / "survey.sqlite")
    assert crisps24.Survey.load(tmp_path / "survey.sqlite").game == found.game
    path = crisps24.write_results(18, tmp_path, TWENTY)
    assert crisps24.verify_results(path, game=TWENTY).verdict == "right"
    assert crisps24.verify_results(path).verdict != "right"


def test_what_is_above_the_most_is_neared() -> None:
    game = replace(GAMES["cards"], most=23)
    assert crisps24.reachable((1, 2, 3, 4), game) == made_by_hand((1, 2, 3, 4), game, up_to(23))
    near = crisps24.closest((6, 6, 6, 6), 24, game)
    assert max(near) <= 23


def test_a_limit_is_a_whole_number() -> None:
    wrong: list[Any] = [2.5, "20", Fraction(1, 2)]
    for most in wrong:
        with pytest.raises(RefusedError, match="the most of crisps ha"):
            replace(GAMES["crisps"], most=most)


def test_rules_are_told_in_their_order() -> None:
    assert (
        format_rules(TWENTY)
        == "no brackets, whole numbers only, no result above 20, all numbers must be used"
    )
    assert format_task(TWENTY, "+-", 9).endswith("No result can be greater than 20.")


@dataclass(frozen=True)
class OddGame(Game):
    """A game that may forbid results that are odd."""

    even: bool = False


_EVEN = ResultRule(
    lambda result: result % 2 == 0,
    lambda _left, _right, result: english("{step} makes {result}, which is odd", result=result),
)
EVEN = Rule(
    "even",
    FLAG,
    lambda even: "even results" if even else "odd results too",
    label="Even results alone",
    help="Every result is even.",
    line=lambda game: "even results" if game.even else "",
    restriction=lambda game: _EVEN if game.even else None,
)


@pytest.fixture
def even(monkeypatch: pytest.MonkeyPatch) -> OddGame:
    monkeypatch.setitem(RULES, "even", EVEN)
    # As the field of `Game` that it would be.
    monkeypatch.setattr(Game, "even", False, raising=False)
    return OddGame("even", tuple(range(1, 10)), 4, parentheses=True, even=True)


def is_even(value: Value) -> bool:
    return value % 2 == 0


def test_a_rule_that_is_added_is_obeyed_or_refused(even: OddGame, tmp_path: Any) -> None:
    rows = replace(even, parentheses=False, length=3)
    assert crisps24.counts(rows) == dict(sorted(counted(rows, is_even).items()))
    assert crisps24.check("1 + 2", 3, game=even).reason == "1 + 2 makes 3, which is odd"
    for hand in [(1, 3, 5, 7), (2, 4, 6, 9), (1, 1, 2, 8), (5, 5, 5, 1)]:
        made = made_by_hand(hand, even, is_even)
        assert crisps24.reachable(hand, even) == made
        assert crisps24.count_solutions(hand, even).keys() == made
        for way in crisps24.solve(hand, 24, even):
            assert crisps24.check(str(way), 24, hand, even).verdict == "right"
    [puzzle] = crisps24.deal(even, 1, seed=1)
    assert puzzle.level is None
    assert puzzle.target in made_by_hand(puzzle.hand, even, is_even)
    path = crisps24.write_results(24, tmp_path, rows)
    assert crisps24.verify_results(path, game=rows).verdict == "right"
    assert format_rules(even).endswith("even results")
    # A file keeps the fields of `Game` alone.
    with pytest.raises(RefusedError, match="a file cannot keep even"):
        crisps24.survey(even, 24).save(tmp_path / "survey.sqlite")


def test_a_game_is_the_same_after_it_was_away(even: OddGame) -> None:
    for game in (TWENTY, even, *GAMES.values()):
        again = pickle.loads(pickle.dumps(game))
        assert again == game
        assert again.result_rules == game.result_rules


@pytest.mark.parametrize(
    "game",
    [
        TWENTY,
        replace(GAMES["countdown"], all_numbers=True, length=5),
        replace(GAMES["digits"], bits=40, nesting=2, signed=True, decimals=True, repeating=True),
    ],
)
def test_each_rule_is_written_and_read_again(game: Game) -> None:
    for rule in RULES.values():
        value = rule.value_in(game)
        assert rule.kind.read(rule.kind.write(value)) == value
    hand = game.numbers[: game.length]
    assert parse_id(format_id(game, hand, 24)) == (game, hand, 24)
    json.dumps({name: rule.value_in(game) for name, rule in RULES.items()})
