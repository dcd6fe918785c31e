"""What a survey is called: short enough for a picture, and told from others of its game."""

from dataclasses import replace

from crisps24 import GAMES
from crisps24.surveys.titles import name_of

CRISPS = GAMES["crisps"]


def test_changed_rules_are_named_up_to_sixty_characters() -> None:
    game = replace(
        CRISPS, parentheses=True, fractions=True, negatives=True, all_numbers=False, join=True
    )
    said = "parentheses, fractions, negatives, any subset, joined digits"
    assert len(said) == 60
    assert name_of(game) == f"crisps ({said})"
    assert name_of(replace(game, length=5)) == "crisps (other rules)"
    # Sixty characters, and one more: a digit of the length.
    others = replace(game, negatives=False)
    assert len(name_of(replace(others, length=3))) == 60 + len("crisps ()")
    assert name_of(replace(others, length=10)) == "crisps (other rules)"
    numbers = replace(CRISPS, numbers=(1,), operators=("-", "+"), length=1, negatives=True)
    assert name_of(numbers) == "crisps (numbers 1, 1 number, operators - +, negatives)"
    assert name_of(replace(CRISPS, name="ours")) == "ours"
