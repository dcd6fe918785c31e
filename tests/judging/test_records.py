"""Records of formulas and answers, and the errors of invalid ones."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from crisps24 import GAMES
from crisps24.errors import RefusedError
from crisps24.judging import records
from crisps24.judging.columns import rule_fields
from crisps24.judging.records import Attempt, apply_record, parse_record, to_json_value
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from crisps24.rules.ids import format_id, parse_id
from crisps24.rules.rules import RULES
from tests.sampling import in_one_test

CRISPS = GAMES["crisps"]
DEFAULT = Attempt("", (4, 3, 8, 4), 24, CRISPS)


def attempt_of(line: str | None, default: Attempt, parse: records.IdParser | None = None) -> Any:
    """Return the attempt of a line, None for a blank line or a comment."""
    record = parse_record(line)
    return None if record is None else records.parse_attempt(record, default, parse)


def json_line(**keys: Any) -> str:
    return json.dumps({"formula": "1 + 2"} | keys)


ATTEMPTS: list[tuple[str, Exact | None, tuple[int, ...] | None, str]] = [
    (json_line(), 24, (4, 3, 8, 4), "crisps"),
    (json_line(target="3/2"), Fraction(3, 2), (4, 3, 8, 4), "crisps"),
    (json_line(target=-5), -5, (4, 3, 8, 4), "crisps"),
    ('{"formula": "1 + 2", "target": 1.00000000000000000001}',
     1 + Fraction(1, 10**20), (4, 3, 8, 4), "crisps"),
    (json_line(target=10**99), 10**99, (4, 3, 8, 4), "crisps"),
    (json_line(card=["1", -2]), 24, (1, -2), "crisps"),
    (json_line(card="4384"), 24, (4, 3, 8, 4), "crisps"),
    (json_line(hand=["4384"]), 24, (4, 3, 8, 4), "crisps"),
    (json_line(digits=4384, game="cards"), 24, (4, 3, 8, 4), "cards"),
    (json_line(card=[4384]), 24, (4384,), "crisps"),
    (json_line(card="0075", game="make10"), 24, (0, 0, 7, 5), "make10"),
    (json_line(card=7), 24, (7,), "crisps"),
    (json_line(card=[1, 2], hand="2 1"), 24, (1, 2), "crisps"),
    (json_line(hand=[2, 2], id=None, rules=None), 24, (2, 2), "crisps"),
    (json_line(card="1，2、 ３"), 24, (1, 2, 3), "crisps"),
    (json_line(card="T 1", game="24"), 24, (10, 1), "cards"),
    (json_line(game="Chiffres"), 24, (4, 3, 8, 4), "countdown"),
    (json_line(card=["K", "a", 10], game="cards"), 24, (13, 1, 10), "cards"),
    (json_line(game="numble", id=17, by={"nobody": [1.5]}), 24, (4, 3, 8, 4), "numble"),
]  # fmt: skip


@in_one_test("case", *ATTEMPTS)
def test_fields_of_a_line_override_the_default(case: Any) -> None:
    line, target, card, game = case
    result = attempt_of(line, DEFAULT)
    assert result == Attempt("1 + 2", card, target, GAMES[game])
    assert type(result.target) is type(target)


def test_other_lines_are_a_formula_or_no_attempt() -> None:
    for line in ("1 + 2", "[1]", "1 {", "'{'", '"1 + 2"'):
        assert attempt_of(line, DEFAULT) == DEFAULT._replace(formula=line)
    for line in ("", "# 1 + 2", '#{"formula": "1"}'):
        assert attempt_of(line, DEFAULT) is None


NO_NUMBER = "is not a number (write 24, -5, 3/4 or 0.75)"
NO_TEXT = '"formula" has to be there, as text'
NO_TARGET = '"target" has to be a number, or text such as "3/2"'
NO_CARD = '"card" has to be a list of numbers, or text such as "4 3 8 4"'
NO_ATTEMPTS: list[tuple[str | None, str]] = [
    (None, "it is longer than 100,000 bytes"),
    ("{}", NO_TEXT),
    (json_line(formula=7), NO_TEXT),
    (json_line(target=True), NO_TARGET),
    (json_line(target="24 "), f"'24 ' {NO_NUMBER}"),
    ('{"formula": "1", "target": NaN}', f"'NaN' {NO_NUMBER}"),
    ('{"formula": "1", "target": ' + "9" * 50_000 + "}", "9999999999… has more than 100 digits"),
    (json_line(card=[]), "the card is empty"),
    (json_line(card=" , "), "the card is empty"),
    (json_line(hand=4.5), NO_CARD.replace("card", "hand")),
    (json_line(card="3388", game="cards"), "3388 is one number (did you mean 3 3 8 8?)"),
    (json_line(card=[1, 2], hand=[1, 3]), '"card" and "hand" are not the same numbers'),
    (json_line(card=[1, 2], hand=[]), "the card is empty"),
    (json_line(card=[4, True]), NO_CARD),
    (json_line(card=[10**40]), "a number has more than 30 digits"),
    (json_line(card="K"), "'K' is not a whole number"),
    (json_line(game=24), '"game" has to be a name'),
    (json_line(formula="1")[:-1] + ', "formula": "2"}', "one of its names is there twice"),
    ('{"formula": "1"', "it is not JSON: Expecting ',' delimiter (column 16)"),
    ('{"formula": ' + "[" * 20_000, "it is nested too deeply"),
    (json_line(by=eval("[" * 100 + "]" * 100)), "it is nested too deeply"),
]  # fmt: skip


@in_one_test(("line", "sentence"), *NO_ATTEMPTS)
def test_an_invalid_line_is_refused_with_its_reason(line: str | None, sentence: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(sentence)}\Z"):
        attempt_of(line, DEFAULT)


@pytest.mark.parametrize("name", ["chess", "x" * 50_000])
def test_the_error_for_an_unknown_game_is_short(name: str) -> None:
    with pytest.raises(ValueError, match="unknown game") as caught:
        attempt_of(json_line(game=name), DEFAULT)
    assert len(str(caught.value)) < 200


SAME, CARD = '"%s" is another than that of the puzzle', "cards:3.3.8.8=24"


@in_one_test(
    ("line", "sentence"),
    (json_line(id=CARD, card=None, target=None, game=None, rules=None), ""),
    (json_line(id=CARD, card=[8, 3, 8, 3], hand="8 8 3 3", target=24, game="24"), ""),
    (json_line(id=CARD, card="cards:8.3.8.3=24"), ""),
    (json_line(id=CARD, rules={}), ""),
    (json_line(id=f"{CARD},zero=no", rules={"zero": "no"}), ""),
    (json_line(id=CARD, card=[3, 3, 8, 8], hand=[3, 3, 8, 9]), SAME % "hand"),
    (json_line(id=CARD, card="cards:3.3.8.8=25"), SAME % "id"),
    (json_line(card=CARD, hand=f"{CARD},zero=no"), SAME % "hand"),
    (json_line(id=CARD, target=25), SAME % "target"),
    (json_line(id=CARD, game="digits"), SAME % "game"),
    (json_line(id=CARD, rules={"zero": "no"}), SAME % "rules"),
    (json_line(id=f"{CARD},zero=no", rules={}), SAME % "rules"),
    (json_line(id=17, card=CARD), ""),
    (json_line(id="cards:3388=24"), "3388 is one number (did you mean 3 3 8 8?)"),
)
def test_fields_besides_an_id_have_to_agree_with_it(line: str, sentence: str) -> None:
    if sentence:
        with pytest.raises(ValueError, match=rf"^{re.escape(sentence)}\Z"):
            attempt_of(line, DEFAULT, parse_id)
    else:
        result = attempt_of(line, DEFAULT, parse_id)
        assert (result.target, sorted(result.card)) == (24, [3, 3, 8, 8])
        assert result.game.name == "cards"


CARDS = GAMES["cards"]
SUMS = replace(CARDS, operators=("+", "-"))


# Rule fields of a line, and the game with these rules.
@in_one_test(
    ("fields", "game"),
    ({"operators": "− +"}, SUMS),
    # As the command `formulas` writes the operators of a formula.
    ({"operators": ["-", "+", "-", "|"]}, SUMS),
    ({"operators": "-; +; |"}, SUMS),
    ({"operators": "|"}, CARDS),
    ({"operators": None, "fractions": None}, CARDS),
    ({"parentheses": "no"}, replace(CARDS, parentheses=False)),
    ({"fractions": False, "negatives": "no"}, replace(CARDS, fractions=False, negatives=False)),
    # As spreadsheets write them.
    ({"zero": "TRUE", "negatives": " FALSE"}, replace(CARDS, negatives=False)),
    ({"most": 50}, replace(CARDS, most=50)),
    ({"all_numbers": False, "all": False}, replace(CARDS, all_numbers=False)),
    ({"signed": True, "nesting": 2}, replace(CARDS, signed=True, nesting=2)),
    ({"rules": {"zero": "no", "bits": "8"}}, replace(CARDS, zero=False, bits=8)),
    ({"rules": '{"zero": "no"}', "fractions": False}, replace(CARDS, zero=False, fractions=False)),
    # The hand, the difficulty and the rules of the deal do not change the game.
    ({"numbers": [3, 3, 8, 8], "bits": 1.5, "length": 128, "repeats": 0}, CARDS),
)
def test_rule_fields_change_the_game(fields: dict[str, Any], game: Game) -> None:
    result = attempt_of(json_line(game="cards", hand=[3, 3, 8, 8], **fields), DEFAULT)
    assert (result.game, result.card) == (game, (3, 3, 8, 8))
    # Without a game, the fields change the game of the default.
    assert attempt_of(json_line(**fields), DEFAULT._replace(game=CARDS)).game == game
    # With an id, the fields have to agree with its rules.
    puzzle = format_id(game, (3, 3, 8, 8), 24)
    line = json_line(id=puzzle, **{name: fields[name] for name in fields if name != "rules"})
    assert attempt_of(line, DEFAULT, parse_id).game == game


def test_every_rule_except_those_of_the_deal_is_a_field() -> None:
    fields = {rule.field for rule in rule_fields().values()}
    assert fields == {name for name, rule in RULES.items() if not rule.deals} - {"bits"}


@in_one_test(
    ("fields", "sentence"),
    ({"parentheses": "maybe"}, "invalid value 'maybe' (expected yes or no)"),
    ({"operators": "+!?"}, "unknown operator '?' (expected"),
    ({"operators": [1]}, '"operators" has to be a rule as an id has it: text, a number, true'),
    ({"zero": {}}, '"zero" has to be a rule as an id has it: text, a number, true or false'),
    ({"most": 1.5}, '"most" has to be a rule as an id has it: text, a number, true or false'),
    ({"all": True, "all_numbers": False}, '"all_numbers" is there twice, and differs'),
    ({"rules": {"colour": "red"}}, "unknown rule 'colour' (expected numbers"),
    ({"rules": "no zero"}, '"rules" has to be an object, such as {"operators": "+-", "zero'),
    ({"id": "cards:3.3.8.8=24", "zero": False}, SAME % "zero"),
    ({"id": "cards:3.3.8.8=24,operators=+-", "operators": "+-x"}, SAME % "operators"),
)
def test_a_rule_that_cannot_be_applied_is_refused(fields: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        attempt_of(json_line(game="cards", **fields), DEFAULT, parse_id)


def test_a_record_keeps_its_values_as_json() -> None:
    line = '{"formula": "1", "by": {"ann": [0.75, -2, 1e400, null, "\\ud800", true]}, "n": 2.0}'
    by = {"ann": [0.75, -2, "1e400", None, "\ud800", True]}
    assert to_json_value(parse_record(line)) == {"formula": "1", "by": by, "n": 2.0}


def test_a_record_after_one_with_equal_fields_is_not_read_as_that_one() -> None:
    default = Attempt("1", (3, 8), 24, GAMES["cards"])
    assert not apply_record({"fractions": False}, default).game.fractions
    with pytest.raises(RefusedError):
        apply_record({"fractions": 0}, default)
    assert apply_record({"target": 1, "id": "a"}, default).target == 1
    with pytest.raises(RefusedError):
        apply_record({"target": True}, default)
    later = default._replace(formula="2", card=(4, 6))
    assert apply_record({"target": 1, "id": "b"}, later) == later._replace(target=1)
