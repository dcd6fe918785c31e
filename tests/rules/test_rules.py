"""Rules as records: the limit of results, and an added rule, obeyed or refused everywhere."""

import json
import pickle
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest

import crisps24
from crisps24 import GAMES, Game, RefusedError
from crisps24.messages.message import english
from crisps24.rules.ids import format_id, parse_id
from crisps24.rules.operators import StepRule
from crisps24.rules.rules import FLAG, RULES, Rule, format_rules, format_task, rules_with_options
from tests.sampling import in_one_test

TWENTY = replace(GAMES["crisps"], most=20)


def test_a_step_above_the_limit_is_explained() -> None:
    result = crisps24.check("9 x 8 : 3", target=24, game=replace(TWENTY, most=30))
    assert (result.verdict, result.reason) == ("illegal", "9 x 8 is 72, more than 30")
    assert crisps24.check("8 x 3", target=24, game=TWENTY).verdict == "illegal"
    assert crisps24.check("9 + 9", target=18, game=TWENTY).verdict == "right"


def test_terms_are_not_reordered_if_a_result_would_exceed_the_limit() -> None:
    # No result of 9 - 3 + 8 is above 14, but 9 + 8 is 17.
    game = replace(GAMES["cards"], most=14)
    solutions = [*map(str, crisps24.solve((3, 8, 9), 14, game))]
    assert (solutions != [], [each for each in solutions if "9 + 8" in each]) == (True, [])
    assert 14 in crisps24.reachable((3, 8, 9), game)
    assert 14 not in crisps24.reachable((3, 8, 9), replace(game, most=13))
    # The closest value to a target above the limit is below it.
    assert max(crisps24.closest((6, 6, 6, 6), 24, replace(GAMES["cards"], most=23))) <= 23


def test_a_limit_that_is_not_whole_is_refused() -> None:
    for most in (2.5, "20", Fraction(1, 2)):
        with pytest.raises(RefusedError, match="the most of crisps ha"):
            replace(GAMES["crisps"], most=most)  # type: ignore[arg-type]


@dataclass(frozen=True)
class EvenGame(Game):
    even: bool = False


_EVEN_RESULT = StepRule(
    lambda result: result % 2 == 0,
    lambda _left, _right, result: english("{step} makes {result}, which is odd", result=result),
)
EVEN_RECORD = Rule(
    "even",
    FLAG,
    lambda even: "even results" if even else "odd results too",
    label="Even results only",
    help="Every result is even.",
    line=lambda game: "even results" if game.even else "",
    restriction=lambda game: _EVEN_RESULT if game.even else None,
)


@pytest.fixture
def even(monkeypatch: pytest.MonkeyPatch) -> EvenGame:
    monkeypatch.setitem(RULES, "even", EVEN_RECORD)
    # Without the field, other games would not have the rule.
    monkeypatch.setattr(Game, "even", False, raising=False)
    return EvenGame("even", tuple(range(1, 10)), 4, parentheses=True, even=True)


def test_descriptions_and_files_of_rules(even: EvenGame, tmp_path: Any) -> None:
    said = "no brackets, whole numbers only, no result above 20, all numbers must be used"
    assert format_rules(TWENTY) == said
    assert format_task(TWENTY, "+-", 9).endswith("No result can be greater than 20.")
    assert format_rules(even).endswith("even results")
    assert crisps24.check("1 + 2", target=3, game=even).reason == "1 + 2 makes 3, which is odd"
    assert crisps24.deal(even, 1, seed=1)[0].level is None
    # Files only store the fields of `Game`.
    with pytest.raises(RefusedError, match="a file cannot keep even"):
        crisps24.survey(even, 24).save(tmp_path / "survey.sqlite")


def test_a_pickled_game_has_equal_rules(even: EvenGame) -> None:
    for game in (TWENTY, even, *GAMES.values()):
        again = pickle.loads(pickle.dumps(game))
        assert (again, again.step_rules) == (game, game.step_rules)


@in_one_test(
    "game",
    TWENTY,
    replace(GAMES["countdown"], all_numbers=True, length=5),
    replace(GAMES["digits"], bits=40, nesting=2, signed=True, decimals=True, repeating=True),
)
def test_the_text_of_each_rule_is_read_as_the_same_value(game: Game) -> None:
    for rule in RULES.values():
        assert rule.kind.read(rule.kind.write(rule.value_in(game))) == rule.value_in(game)
    hand = game.numbers[: game.length]
    assert parse_id(format_id(game, hand, 24)) == (game, hand, 24)
    json.dumps({name: rule.value_in(game) for name, rule in RULES.items()})


def test_rules_with_options_have_help_and_change_an_answer() -> None:
    named = [name for name, rule in RULES.items() if rule.help and "values" in rule.queries]
    assert rules_with_options("values") == tuple(named)
    assert "repeats" not in rules_with_options("rows", "hands")


def test_a_rule_has_a_word_that_ids_can_have() -> None:
    with pytest.raises(ValueError, match="invalid word 'times_one' of a rule"):
        Rule("times_one", FLAG, str)
