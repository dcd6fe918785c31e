"""Records of games and puzzles for the script, and the games that it cannot play."""

import json
from dataclasses import dataclass, fields, replace

import pytest

from crisps24.errors import RefusedError
from crisps24.messages.message import Language
from crisps24.player.files import REASON_KEYS
from crisps24.player.records import check_playable, game_record, puzzle_record
from crisps24.puzzle import puzzle_of
from crisps24.rules.games import GAMES, Game
from crisps24.rules.operators import StepRule
from crisps24.rules.rules import FLAG, RULES, Rule
from tests.languages import IN_SOME_LANGUAGES
from tests.player.games import PLAYED
from tests.sampling import in_one_test

CARDS, MAKE10 = GAMES["cards"], GAMES["make10"]


@in_one_test(
    ("game", "reason"),
    (replace(MAKE10, join=True), "digits can be joined"),
    (replace(MAKE10, decimals=True), "decimals allowed"),
    (replace(MAKE10, repeating=True), "recurring decimals allowed"),
    (replace(CARDS, signed=True), "a minus sign before any number or bracket"),
    (replace(CARDS, bits=8), "no numerator or denominator above 255"),
    (replace(CARDS, operators=("+", "^")), "it has the operator ^"),
    (GAMES["game24"], "it has its own order of operations"),
    (replace(CARDS, numbers=(1, 10**15)), "numbers of more than 15 digits"),
    (replace(CARDS, most=10**15), "numbers of more than 15 digits"),
    (replace(CARDS, length=8), "its hands have more than 7 numbers"),
    (replace(CARDS, letters=(("é", 1),)), "it has the rule letters é"),
    (replace(CARDS, letters=(("X", 10),)), "it has the rule letters X"),
)
def test_other_rules_are_refused_by_name(game: Game, reason: str) -> None:
    with pytest.raises(RefusedError) as refused:
        check_playable(game)
    assert str(refused.value).startswith(f"{game.name} cannot be played here: ")
    assert reason in str(refused.value)


def test_rule_of_a_user_is_refused_if_it_restricts_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    is_odd = StepRule(lambda result: result % 2 == 1, lambda *_: "{step} is even")
    rule = Rule("odd", FLAG, str, restriction=lambda game: is_odd if game.name == "odd" else None)
    monkeypatch.setitem(RULES, "odd", rule)
    check_playable(CARDS)
    with pytest.raises(RefusedError, match="it has the rule odd"):
        check_playable(replace(CARDS, name="odd"))


@dataclass(frozen=True)
class PairedGame(Game):
    paired: bool = False


def test_added_rule_about_formulas_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    # As `once`, it restricts no single step.
    monkeypatch.setitem(RULES, "paired", Rule("paired", FLAG, str))
    values = {each.name: getattr(CARDS, each.name) for each in fields(CARDS)}
    check_playable(CARDS)
    with pytest.raises(RefusedError, match="it has the rule paired"):
        check_playable(PairedGame(**values, paired=True))


@in_one_test("name", *PLAYED)
def test_record_of_a_game_is_json(name: str) -> None:
    record = game_record(PLAYED[name])
    assert json.loads(json.dumps(record)) == record
    assert {"x", "*", "×", "·", ":", "÷", "−"} <= record["spellings"].keys()


def test_long_hand_is_refused() -> None:
    with pytest.raises(RefusedError, match="its hands have more than 7 numbers"):
        puzzle_record(puzzle_of("cards:1.2.3.4.5.6.7.8=24"))


def test_puzzle_without_a_solution_has_no_answer() -> None:
    assert puzzle_record(puzzle_of("cards:1.1.1.1=24"))["ways"] == 0
    nearest = puzzle_record(puzzle_of("countdown:1.1.2.2.3.3=999"))
    assert (nearest["best"], nearest["answer"]) == ("81", "3 x 3 x (2 + 1) x (2 + 1)")


@IN_SOME_LANGUAGES
def test_reasons_have_texts(language: Language) -> None:
    assert set(REASON_KEYS) <= language.texts.keys()
    assert len(set(REASON_KEYS)) == len(REASON_KEYS)
