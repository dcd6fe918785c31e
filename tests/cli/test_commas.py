"""A comma is read in one way: whatever the command and the language."""

import re
from fractions import Fraction
from random import Random

import pytest

from crisps24 import GAMES
from crisps24.cli.options import read_card
from crisps24.errors import RefusedError
from crisps24.messages.languages import LANGUAGES
from crisps24.pages.addresses import Parameters
from crisps24.rules.words import parse_value
from tests.commands import Run
from tests.sampling import EVERY

WORDS = ("3", "8", "3,8", "0,75", "4,3,8", "3,", ",8", "1;2", "4;3,8")
SEPARATORS = (" ", ", ", "; ", ",")


def numbers_in(text: str) -> list[int]:
    """Return the numbers of a list, as version 4.2.0 read it."""
    return [int(word) for word in re.split(r"[\s,;]+", text) if word]


def lists() -> list[str]:
    chance = Random(54)
    made: set[str] = set()
    while len(made) < (300 if EVERY else 60):
        words = chance.choices(WORDS, k=chance.randrange(1, 4))
        text = words[0] + "".join(chance.choice(SEPARATORS) + word for word in words[1:])
        if 1 < len(numbers_in(text)) < 6:
            made.add(text)
    return sorted(made)


@pytest.mark.parametrize("name", ["crisps", "cards", "countdown"])
def test_a_list_is_read_as_before_in_each_command_and_language(run: Run, name: str) -> None:
    game, texts = GAMES[name], lists()
    for index, text in enumerate(texts):
        expected, words = numbers_in(text), text.split()
        assert read_card(text, game) == tuple(expected)
        address = Parameters({"hand": text, "game": name, "target": "24"})
        assert list(address.puzzle("hand").hand) == expected
        language = [*LANGUAGES][index % len(LANGUAGES)]
        ran = run(f"solve --target 24 --game {name} --format json --language {language} --", *words)
        has_decimal = any(re.fullmatch("[0-9]+,[0-9]+", word) for word in words)
        if game.fractions and has_decimal and any("," not in word for word in words):
            assert "can be a decimal or two numbers (write " in ran.err
        else:
            assert all(row["numbers"] == expected for row in ran.rows)
            assert ran.status < 2
    for language in LANGUAGES:
        line = f"solve --file - --game {name} --target 24 --format json --language {language}"
        rows = run(line, typed="\n".join(texts).encode()).rows
        # A line of a file has as many numbers as the game, of its numbers.
        read = [(row["numbers"], numbers_in(text)) for row, text in zip(rows, texts, strict=True)]
        assert all(row in (None, expected) for row, expected in read)


def test_one_number_can_have_a_decimal_comma() -> None:
    for text, value in (
        *(("0,75", Fraction(3, 4)), ("-,5", Fraction(-1, 2)), ("0,125", Fraction(1, 8))),
        *(("24,0", 24), ("１，５", Fraction(3, 2)), ("1000,5", Fraction(2001, 2))),
    ):
        assert parse_value(text) == parse_value(re.sub("[,，]", ".", text)) == value
    for text in ("1,000", "-24,000", "1,2,3", "0, 75", "1,", ",", "1.000,5", "3/4,5"):
        with pytest.raises(RefusedError):
            parse_value(text)
    # No offered number has a comma or point, which languages read differently.
    for text, offers in (("1,234", "617/500 or 1234"), ("−1,000", "-1 or −1000")):
        with pytest.raises(RefusedError, match=rf"\(write {offers}\)"):
            parse_value(text)


def test_targets_can_have_a_decimal_comma(run: Run) -> None:
    lines = '3 4 1 1 -> 0,75\n{"nums": [3, 4, 1, 1], "target": "0,75"}\n3 4 1 1 = 1,000\n'
    rows = run("solve --file - --game cards --format json", typed=lines.encode()).rows
    rows += run("solve 3 4 --target 0,75 --game cards --format json").rows
    assert [row["target"] for row in rows] == ["3/4", "3/4", None, "3/4"]
    table = b"hand;target;answer\n3 4;0,75;3/4\n"
    assert run("judge --file - --format json", typed=table).status == 0
    assert run("check '3 / 4' --target 0,75 --card '3 4' --game cards").status == 0


FORMULAS = {
    "6 / (3/3 - 0,75)": "right",
    "3/3 = 1, 1 - 0,75 = 0,25, 6 / 0,25 = 24": "right",
    "6 / (3/3 - 0,5)": "wrong",
    "6 / (3 - 3) x 0,75": "illegal",
    "6 / 3/3 - 0,75 = 0,7": "wrong",
    "3 + 3 = 6,6 x 3/4 = 4,5": "wrong",
    "1,000 x 24": "malformed",
}


def test_a_comma_in_a_formula_is_a_point_where_that_makes_it_right(run: Run) -> None:
    call = "check --file - --card '3 3/4 3 6' --game fractions24 --format json"
    rows = run(call, typed="\n".join(FORMULAS).encode()).rows
    found = {row["formula"]: row["verdict"] for row in rows}
    assert all(found[text] == FORMULAS[text] for text in FORMULAS if "=" not in text)
    assert [row["verdict"] for row in rows] == list(FORMULAS.values())
    steps = run("check '75 + 50 = 125,125 x 6 = 750' --game cards --numbers 1..100")
    assert (steps.status, "750" in steps.out) == (0, True)
