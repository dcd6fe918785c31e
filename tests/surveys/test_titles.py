"""Test the titles of surveys: short enough for a picture, with the changed rules."""

from dataclasses import replace

from crisps24 import GAMES, Game
from crisps24.surveys.titles import game_title
from tests.sampling import in_one_test

CRISPS, DIGITS = GAMES["crisps"], GAMES["digits"]


def test_titles_list_changed_rules_up_to_sixty_characters() -> None:
    game = replace(CRISPS, parentheses=True, fractions=True, negatives=True, join=True)
    game = replace(game, all_numbers=False)
    said = "parentheses, fractions, negatives, any subset, joined digits"
    assert len(said) == 60
    assert game_title(game) == f"crisps ({said})"
    assert game_title(replace(game, length=5)) == "crisps (other rules)"
    # Sixty characters, and one more by another digit of the length.
    others = replace(game, negatives=False)
    assert len(game_title(replace(others, length=3))) == 60 + len("crisps ()")
    assert game_title(replace(others, length=10)) == "crisps (other rules)"
    numbers = replace(CRISPS, numbers=(1,), operators=("-", "+"), length=1, negatives=True)
    assert game_title(numbers) == "crisps (numbers 1, 1 number, operators - +, negatives)"
    assert game_title(replace(CRISPS, name="ours")) == "ours"


@in_one_test(
    ("game", "name"),
    (CRISPS, "crisps"),
    (replace(DIGITS, name="own"), "own"),
    (replace(DIGITS, length=1), "digits (1 number)"),
    (replace(DIGITS, repeats=False, zero=False), "digits (numbers at most once, no zero)"),
    (replace(GAMES["numble"], repeats=True), "numble (numbers more than once)"),
    (replace(DIGITS, parentheses=False, negatives=False), "digits (no parentheses, no negatives)"),
    (replace(DIGITS, numbers=(1, 2, 3, 9)), "digits (numbers 1..3,9)"),
    (replace(DIGITS, numbers=tuple(range(1, 99, 2))), "digits (other rules)"),
)
def test_the_title_of_a_changed_game_has_its_changed_rules(game: Game, name: str) -> None:
    assert game_title(game) == name
