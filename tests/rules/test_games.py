"""Games: the records, their names, and the validation of fields."""

import pickle
import re
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

import crisps24
from crisps24 import GAMES, Game
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, HAND_GAMES, find_game, less_restricted_games
from crisps24.rules.ids import format_id, parse_id
from crisps24.rules.rules import target_problem
from tests.sampling import in_one_test

CRISPS = GAMES["crisps"]


def test_rules_of_games() -> None:
    assert next(iter(GAMES)) == "crisps"
    assert replace(GAMES["game24"], name="crisps", grouping="standard") == CRISPS
    changed = replace(GAMES["digits"], name="make10", numbers=tuple(range(10)), target=10)
    assert GAMES["make10"] == changed
    # Single cards can be there twice; other numbers are sorted without duplicates.
    assert GAMES["countdown"].numbers.count(10) == 2
    assert GAMES["numble"].numbers.count(10) == 1
    assert replace(CRISPS, numbers=(5, 1, 5, 3)).numbers == (1, 3, 5)
    assert replace(CRISPS, about="Another sentence.") == CRISPS


@in_one_test(
    ("changes", "sentence"),
    ({"length": 0}, "invalid length 0 (expected 1 or more)"),
    ({"numbers": ()}, "crisps needs at least one number"),
    ({"numbers": (-3, 1)}, "-3 is less than zero, and the results"),
    ({"repeats": False, "length": 10}, "a hand has 10 numbers, but the game has fewer"),
    ({"grouping": "tail", "length": 5}, "crisps always has four numbers and no brackets"),
    ({"grouping": "tail", "parentheses": True}, "crisps always has four numbers and no brackets"),
    ({"operators": ()}, "an operator is missing (expected - + x : ^ √ !)"),
    ({"operators": ("+", "$")}, "unknown operator '$' (expected - + x : ^ √ !"),
    ({"operators": ("+", "|")}, "| is not an operator to choose: use join=True to join digits"),
    ({"join": True, "numbers": (1, 12, 3)}, "only single digits can be joined, not 12"),
    ({"join": True, "negatives": True, "numbers": (-1, 1)}, "digits can be joined, not -1"),
    ({"numbers": (1.5, 2)}, "have to be whole"),
    ({"length": 2.0}, "have to be whole"),
    ({"dice": (4, 2.5)}, "the dice of crisps have to be whole"),
    ({"dice": (9, 9, 9, 10)}, "the dice of crisps do not fit its numbers: use dice=()"),
    ({"dice": (9, 9, 9, 0)}, "the dice of crisps do not fit its numbers: use dice=()"),
    ({"grouping": "left"}, "unknown grouping 'left'"),
    (
        {"decimals": True, "numbers": (1, 12), "fractions": True},
        "a decimal point needs single digits, not 12",
    ),
    ({"bits": 63}, "invalid bits 63 (expected 1 to 62, or None)"),
    ({"nesting": 0}, "invalid nesting 0 (expected 1 to 4)"),
)
def test_invalid_fields_are_refused_in_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    assert [replace(FREE_GAME, nesting=nesting).nesting for nesting in (1, 4)] == [1, 4]
    with pytest.raises(ValueError, match=re.escape(sentence)):
        replace(CRISPS, **changes)


def test_operators_are_sorted_in_the_order_of_results_files() -> None:
    for size in range(1, 5):
        for names in permutations("-+x:", size):
            game = replace(CRISPS, operators=names + names[:1])
            assert game.operators == tuple(sorted(names, key="-+x:".index))
            assert game == replace(CRISPS, operators=game.operators)
    assert CRISPS.operators == ("-", "+", "x", ":")


def test_operators_of_rows_include_the_one_that_joins_digits() -> None:
    game = replace(GAMES["make10"], operators=("x", "-"))
    assert [operator.name for operator in game.row_operators] == ["-", "x"]
    joining = replace(game, join=True)
    assert [operator.name for operator in joining.row_operators] == ["-", "x", "|"]
    assert [level[0].name for level in joining.operator_levels] == ["|", "x", "-"]
    assert joining.operators == ("-", "x")


@in_one_test(
    ("fields", "positive"),
    ({}, False),
    ({"zero": False}, True),
    ({"zero": False, "numbers": (0, 1)}, False),
    ({"zero": False, "negatives": True}, False),
    ({"zero": False, "fractions": True}, True),
)
def test_a_game_is_positive_if_all_values_are(fields: dict[str, Any], positive: bool) -> None:
    assert replace(CRISPS, **fields).positive == positive


BELOW = "targets of crisps cannot be less than zero: allow negative numbers"


@in_one_test(
    ("target", "fields", "reason"),
    (24, {}, ""),
    (0, {}, ""),
    (-5, {}, BELOW),
    (-5, {"negatives": True}, ""),
    (Fraction(3, 4), {}, "crisps has only whole targets: allow fractions"),
    (Fraction(3, 4), {"fractions": True}, ""),
    (Fraction(-3, 4), {"fractions": True}, BELOW),
)
def test_impossible_target_is_explained(target: Exact, fields: dict[str, Any], reason: str) -> None:
    assert str(target_problem(target, replace(CRISPS, **fields)) or "") == reason


@in_one_test(
    ("typed", "name"),
    ("Countdown", "countdown"),
    ("CARDS", "cards"),
    (" crisps ", "crisps"),
    ("ｍａｋｅ１０", "make10"),
    ("24", "cards"),
    ("２４", "cards"),
    ("10", "make10"),
    ("Chiffres", "countdown"),
    ("cifras", "numble"),
)
def test_a_game_is_found_by_name_or_alias_in_any_case(typed: str, name: str) -> None:
    assert find_game(typed) is GAMES[name]
    assert find_game("free") is find_game(" Free ") is FREE_GAME


def test_a_game_found_in_order_keeps_the_fields_that_are_not_compared() -> None:
    for style in ("cards", "latex"):
        game = replace(GAMES["cards"], style=style)
        ordered = find_game(game, in_order=True)
        assert (ordered.style, ordered.in_order) == (style, True)
        assert pickle.loads(pickle.dumps(game)) == game != ordered


def test_names_and_aliases_of_games_are_unique() -> None:
    names = [name for game in GAMES.values() for name in (game.name, *game.aliases)]
    assert len(set(names)) == len(names)
    assert all(name == name.casefold() for name in names)


@in_one_test(
    ("typed", "message"),
    ("cuntdown", r"unknown game 'cuntdown' \(did you mean countdown\? expected "),
    ("card", r"unknown game 'card' \(did you mean cards\? expected "),
    ("Digit", r"unknown game 'Digit' \(did you mean digits\? expected "),
    ("chifres", r"unknown game 'chifres' \(did you mean countdown\? expected "),
    ("chess", r"unknown game 'chess' \(expected crisps, game24"),
    ("x" * 41, r"unknown game 'x{40}…' \(expected "),
    ("x" * 50_000, r"unknown game 'x{40}…' \(expected "),
)
def test_an_error_quotes_a_name_and_suggests_a_game(typed: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        find_game(typed)
    assert len(str(caught.value)) < 200


def test_an_error_lists_only_offered_games() -> None:
    with pytest.raises(ValueError, match=r"\(expected crisps, cards\)$") as caught:
        find_game("game25", ("crisps", "cards"))
    assert "did you mean" not in str(caught.value)
    assert find_game("game24", ("crisps", "cards")).name == "game24"


def test_less_restricted_games_have_the_same_target() -> None:
    assert [game.name for game in less_restricted_games(CRISPS)] == ["cards", "digits"]
    assert less_restricted_games(GAMES["cards"]) == []
    assert [game.name for game in less_restricted_games(GAMES["countdown"])] == ["numble"]


@in_one_test(
    ("game", "expression"),
    *((game, f"GAMES['{name}']") for name, game in GAMES.items()),
    (replace(GAMES["cards"], fractions=False), "replace(GAMES['cards'], fractions=False)"),
    (replace(GAMES["cards"], about="mine"), "GAMES['cards']"),
    (
        replace(GAMES["crisps"], operators=("+", "-"), target=10),
        "replace(GAMES['crisps'], operators=('-', '+'), target=10)",
    ),
    (Game("two", (1, 2), 2), "Game(name='two', numbers=(1, 2), length=2)"),
    (
        replace(GAMES["make10"], name="mine", numbers=(3, 1)),
        "Game(name='mine', numbers=(1, 3), length=4, parentheses=True, fractions=True, "
        "negatives=True, target=10)",
    ),
)
def test_the_repr_of_a_game_is_its_name_with_changes(game: Game, expression: str) -> None:
    assert repr(game) == expression
    assert eval(expression, {"Game": Game, "GAMES": GAMES, "replace": replace}) == game


# Ids with hands that no other game deals, all kinds of targets, and changed rules.
FREE_IDS = [
    *("free:3.8=24", "free:0=0", "free:44.19.35=98", "free:1000000.7=1/7", "free:1.1.1.1.1=-5"),
    *("free:3.8=24,zero=no", "free:3.8=24,operators=-+,fractions=no,most=9"),
]


@pytest.mark.parametrize("text", FREE_IDS)
def test_an_id_of_the_game_free_is_read_and_written(text: str) -> None:
    game, hand, target = parse_id(text)
    assert (game.name, format_id(game, hand, target)) == ("free", text)
    assert crisps24.puzzle_of(text).id == text
    assert repr(crisps24.puzzle_of(text)) == f"puzzle_of({text!r})"


def test_the_game_free_is_found_but_never_listed() -> None:
    assert find_game(FREE_GAME) is FREE_GAME
    assert "free" not in (*GAMES, *HAND_GAMES)
    assert all((FREE_GAME.all_numbers, FREE_GAME.fractions, FREE_GAME.negatives))
    with pytest.raises(ValueError, match="unknown game 'fre'") as error:
        find_game("fre")
    assert "free" not in str(error.value).replace("'fre'", "")
    names = {"find_game": find_game, "replace": replace}
    for game in (FREE_GAME, replace(FREE_GAME, zero=False)):
        assert eval(repr(game), names) == pickle.loads(pickle.dumps(game)) == game
