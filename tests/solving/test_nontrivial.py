"""Games in which a number alone is no formula: all engines agree with the brute forces.

`tests/test_friedman.py` has powers and a minus before a number.
"""

from collections import Counter, defaultdict
from dataclasses import replace
from random import Random

import pytest

import crisps24
from crisps24 import GAMES, Game, Puzzle, RefusedError, count, counts, plainest, reachable
from crisps24.rules.games import Hand
from tests import hand_oracle, oracle, shortest_oracle
from tests.sampling import in_one_test, some

_DIGITS = replace(GAMES["digits"], numbers=tuple(range(10)), join=True, nontrivial=True)
_TILES = replace(GAMES["countdown"], nontrivial=True)
RULED = {
    "digits": _DIGITS,
    "any subset": replace(_DIGITS, all_numbers=False),
    "no brackets": replace(_DIGITS, parentheses=False, fractions=False, negatives=False),
    "tiles": _TILES,
}
_SHORT = [(1, 2), (1, 2, 1), (2, 0, 4)]
_HANDS = {name: _SHORT + [(1, 2, 6, 4)] * (name == "tiles") for name in RULED}


def formulas_of(hand: Hand, game: Game) -> list[hand_oracle.Evaluated]:
    """Return all expressions of a hand with an operator."""
    flags = (game.parentheses, game.fractions, game.negatives, game.all_numbers, game.in_order)
    rules = hand_oracle.Rules(*flags)
    rules = rules._replace(zero=game.zero, join=game.join)
    every = (expression for _, expression in hand_oracle.expressions(hand, rules))
    return [expression for expression in every if expression.precedence < hand_oracle._NUMBER]


@pytest.mark.parametrize("in_order", [False, True])
@pytest.mark.parametrize("name", RULED)
def test_values_solutions_and_forms_agree_with_a_brute_force(name: str, in_order: bool) -> None:
    for hand in some(_HANDS[name], 3):
        game = replace(RULED[name], in_order=in_order)
        functions = defaultdict(set)
        for expression in formulas_of(hand, game):
            functions[expression.value].add(expression.function)
        ways = {value: len(made) for value, made in functions.items()}
        assert reachable(hand, game) == set(ways) == set(plainest(hand, game))
        assert reachable(hand, game, only=range(30)) == {*ways} & {*range(30)}
        assert crisps24.count_solutions(hand, game) == dict(sorted(ways.items()))
        for value, form in plainest(hand, game).items():
            assert Puzzle(hand, value, game).check(str(form)).verdict == "right"
        whole = [value for value in ways if value in range(30)]
        for value in some(sorted(whole), 4):
            assert len(crisps24.solutions(hand, value, game)) == ways[value]
        if in_order and game.parentheses:
            written = Counter(expression.value for expression in formulas_of(hand, game))
            expected = {each: written[each] for each in sorted(whole)}
            assert crisps24.count_written(hand, whole, game) == expected


@in_one_test("name", "digits", "any subset", "tiles")
def test_surveys_agree_with_reachable(name: str) -> None:
    game = replace(RULED[name], length=2, numbers=RULED[name].numbers[:5], dice=())
    found = crisps24.survey(game, range(30))
    for hand, made in zip(found.hands, found.solvable.tolist(), strict=True):
        values = {expression.value for expression in formulas_of(hand, game)} & {*range(30)}
        assert {target for target, is_made in enumerate(made) if is_made} == values


@in_one_test(
    ("hand", "operators", "decimals"),
    ((1,), "+-√!", False),
    ((1, 4, 4), "+-√", False),
    ((4, 4), "+x!√", True),
    ((2, 5), "-^", True),
)
def test_roots_and_decimals_match_brute_force(hand: Hand, operators: str, decimals: bool) -> None:
    game = replace(_DIGITS, operators=tuple(operators), decimals=decimals)
    rules = shortest_oracle.Rules(operators, join=True, decimals=decimals)
    table = shortest_oracle._table(tuple(sorted(hand)), rules)
    expected = {value for value, precedence, _ in table if precedence < shortest_oracle._POINT}
    assert reachable(hand, game) == expected == set(plainest(hand, game))


@in_one_test("length", 2, 3)
def test_counts_and_formulas_leave_out_the_joined_digits(length: int) -> None:
    game = replace(GAMES["crisps"], numbers=(0, 1, 2, 3), length=length, join=True, nontrivial=True)
    rows = (row for row in oracle.rows(game) if {*row[1]} != {"|"})
    values = (oracle.value_of(*row, game) for row in rows)
    expected = Counter(value for value in values if value is not None)
    assert counts(game) == dict(sorted(expected.items()))
    for target in (0, 3, 12, 21, 123, 33):
        listed = list(crisps24.formulas(target, game))
        assert len(listed) == count(target, game) == expected[target]
        assert all({*formula.operators} != {"|"} for formula in listed)
    card = (1, 2, 3)[:length]
    joined = int("".join(map(str, card)))
    plain = replace(game, nontrivial=False)
    for in_order in (False, True):
        left = count(joined, game, card=card, in_order=in_order)
        assert left == count(joined, plain, card=card, in_order=in_order) - 1
        assert count(1, game, card=card) == count(1, plain, card=card)


def test_closest_values_puzzles_and_hints_use_an_operator() -> None:
    assert [*crisps24.closest((1, 2, 4), 124, _DIGITS)] == [84]
    puzzle = crisps24.puzzle_of("countdown:1.2.25.75=25,nontrivial=yes")
    assert puzzle.id == "countdown:1.2.25.75=25,nontrivial=yes"
    assert str(puzzle.solutions()[0].expression) == "25 x 1"
    every = formulas_of((1, 2, 25, 75), _TILES)
    assert puzzle.count == len({each.function for each in every if each.value == 25})
    assert puzzle.check("25").reason == "a number alone has no operator"
    assert puzzle.check("25 x 1").verdict == "right"


@in_one_test(
    ("rules", "reason"),
    ({"length": 1}, "with one number has no operators"),
    ({"signed": True, "all_numbers": False}, "before anything and unused numbers"),
    ({"signed": True, "operators": ("-", "√")}, "before anything and operators of one"),
)
def test_games_that_cannot_need_an_operator_say_so(rules: dict[str, object], reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        replace(_DIGITS, **rules)  # type: ignore[arg-type]


def test_a_random_hand_of_six_tiles_is_as_without_the_rule_but_for_its_tiles() -> None:
    """A large hand: without the rule the backward search finds its values."""
    hand = tuple(Random(75).sample(_TILES.numbers, 6))
    plain = replace(_TILES, nontrivial=False)
    with_rule, without = (reachable(hand, game, only=range(1, 120)) for game in (_TILES, plain))
    assert without - with_rule <= {*hand}
    assert with_rule <= without
