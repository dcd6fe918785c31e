"""Games as data: the table of named games, and which fields make a game."""

import pickle
import re
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

import crisps24
from crisps24 import GAMES, Game
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, HAND_GAMES, find_game, less_restricted_games
from crisps24.rules.ids import format_id, parse_id
from crisps24.rules.operators import OPERATORS
from crisps24.rules.rules import target_problem

CRISPS = GAMES["crisps"]


def test_every_game_is_found_by_its_own_name() -> None:
    assert [find_game(name) for name in GAMES] == list(GAMES.values())
    assert [game.name for game in GAMES.values()] == list(GAMES)


def test_the_bag_of_crisps_is_the_default_and_has_its_rules() -> None:
    rules = (CRISPS.numbers, CRISPS.length, CRISPS.parentheses, CRISPS.fractions, CRISPS.negatives)
    assert rules == (tuple(range(1, 10)), 4, False, False, False)
    assert next(iter(GAMES)) == "crisps"


def test_the_original_differs_in_how_operators_group_only() -> None:
    assert replace(GAMES["game24"], name="crisps", grouping="standard") == CRISPS


def test_a_game_is_frozen_hashable_and_changed_by_a_copy() -> None:
    with pytest.raises(FrozenInstanceError):
        CRISPS.length = 5  # type: ignore[misc]
    longer = replace(CRISPS, length=5)
    assert (longer.length, CRISPS.length) == (5, 4)
    assert len({CRISPS, replace(longer, length=4), longer}) == 2


def test_numbers_are_sorted_and_each_once_where_they_repeat() -> None:
    assert replace(CRISPS, numbers=(5, 1, 5, 3)).numbers == (1, 3, 5)


def test_numbers_keep_their_copies_where_each_card_is_its_own() -> None:
    assert GAMES["countdown"].numbers.count(10) == 2
    assert GAMES["numble"].numbers.count(10) == 1


NO_GAMES: list[tuple[dict[str, Any], str]] = [
    ({"length": 0}, "invalid length 0 (expected 1 or more)"),
    ({"numbers": ()}, "crisps needs at least one number"),
    ({"numbers": (-3, 1)}, "-3 is less than zero, and the results"),
    ({"repeats": False, "length": 10}, "a hand has 10 numbers, but the game has fewer"),
    ({"grouping": "tail", "length": 5}, "crisps always has four numbers and no brackets"),
    ({"grouping": "tail", "parentheses": True}, "crisps always has four numbers and no brackets"),
    ({"grouping": "tail", "join": True}, "crisps always has four numbers and no brackets"),
    ({"operators": ()}, "an operator is missing (expected - + x : ^ √ !)"),
    ({"operators": ("+", "$")}, "unknown operator '$' (expected - + x : ^ √ !"),
    ({"operators": ("*",)}, "unknown operator '*' (expected - + x : ^ √ !"),
    ({"operators": ("+", "|")}, "| is not an operator to choose: use join=True to join digits"),
    ({"join": True, "numbers": (1, 12, 3)}, "only single digits can be joined, not 12"),
    (
        {"join": True, "negatives": True, "numbers": (-1, 1)},
        "only single digits can be joined, not -1",
    ),
]


@pytest.mark.parametrize(("changes", "sentence"), NO_GAMES)
def test_fields_that_make_no_game_are_refused_in_a_sentence(
    changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        replace(CRISPS, **changes)


@pytest.mark.parametrize(
    "fields", [{"numbers": (1.5, 2)}, {"length": 2.0}, {"grouping": "left"}], ids=str
)
def test_what_is_no_game_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"have to be whole|unknown grouping 'left'"):
        replace(CRISPS, **fields)


def test_operators_are_in_the_order_of_files_however_they_are_given() -> None:
    for size in range(1, 5):
        for names in permutations("-+x:", size):
            game = replace(CRISPS, operators=names + names[:1])
            assert game.operators == tuple(sorted(names, key="-+x:".index))
            assert game == replace(CRISPS, operators=game.operators)
    assert CRISPS.operators == ("-", "+", "x", ":")


def test_a_row_has_the_operators_of_its_game_and_that_of_joined_digits() -> None:
    game = replace(GAMES["make10"], operators=("x", "-"))
    assert [operator.name for operator in game.row_operators] == ["-", "x"]
    joining = replace(game, join=True)
    assert [operator.name for operator in joining.row_operators] == ["-", "x", "|"]
    assert [[operator.name for operator in level] for level in joining.operator_levels] == [
        ["|"],
        ["x"],
        ["-"],
    ]
    assert joining.operators == ("-", "x")


@pytest.mark.parametrize(
    ("fields", "positive"),
    [
        ({}, False),
        ({"zero": False}, True),
        ({"zero": False, "numbers": (0, 1)}, False),
        ({"zero": False, "negatives": True}, False),
        ({"zero": False, "fractions": True}, True),
    ],
)
def test_a_game_is_positive_where_neither_numbers_nor_results_are_zero_or_below(
    fields: dict[str, Any], positive: bool
) -> None:
    assert replace(CRISPS, **fields).positive == positive


def test_countdown_is_played_without_zero_and_numble_with() -> None:
    assert (GAMES["countdown"].zero, GAMES["numble"].zero) == (False, True)
    assert GAMES["countdown"].positive


def test_a_game_has_all_four_operators_and_joins_nothing_where_nothing_is_said() -> None:
    game = Game("said", (1, 2), 2)
    assert (game.join, game.zero, game.operators) == (False, True, ("-", "+", "x", ":"))


def test_the_railway_ticket_is_the_digits_with_0_and_makes_10() -> None:
    changed = replace(GAMES["digits"], name="make10", numbers=tuple(range(10)), target=10)
    assert GAMES["make10"] == changed


def test_krypto_is_five_whole_numbers_of_1_to_25_and_deals_its_target() -> None:
    krypto = GAMES["krypto"]
    assert (krypto.numbers, krypto.length, krypto.repeats) == (tuple(range(1, 26)), 5, True)
    assert (krypto.parentheses, krypto.fractions, krypto.negatives) == (True, False, False)
    assert (krypto.zero, krypto.all_numbers) == (True, True)
    assert (krypto.target, krypto.targets) == (None, (1, 25))


def test_every_game_says_in_a_sentence_or_two_of_its_own_what_it_is() -> None:
    told = [str(game.about) for game in GAMES.values()]
    assert len(set(told)) == len(told)
    for about in told:
        assert re.fullmatch(r"[A-Z].*[a-z0-9]\.", about), about
        assert about.count(". ") <= 1
        assert len(about) <= 150
    assert "cards or digits" in str(GAMES["game24"].about)


def test_what_is_told_of_a_game_is_no_rule_of_it() -> None:
    assert replace(CRISPS, about="Another sentence.") == CRISPS


NO_TARGETS: list[tuple[Exact, dict[str, Any], str]] = [
    (24, {}, ""),
    (0, {}, ""),
    (-5, {}, "targets of crisps cannot be less than zero: allow negative numbers"),
    (-5, {"negatives": True}, ""),
    (Fraction(3, 4), {}, "crisps has only whole targets: allow fractions"),
    (Fraction(3, 4), {"fractions": True}, ""),
    (
        Fraction(-3, 4),
        {"fractions": True},
        "targets of crisps cannot be less than zero: allow negative numbers",
    ),
]


@pytest.mark.parametrize(("target", "fields", "reason"), NO_TARGETS)
def test_a_target_that_a_game_cannot_have_is_told_in_a_sentence(
    target: Exact, fields: dict[str, Any], reason: str
) -> None:
    assert str(target_problem(target, replace(CRISPS, **fields)) or "") == reason


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Countdown", "countdown"),
        ("CARDS", "cards"),
        (" crisps ", "crisps"),
        ("ｍａｋｅ１０", "make10"),
        ("24", "cards"),
        ("２４", "cards"),
        ("10", "make10"),
        ("Chiffres", "countdown"),
        ("cifras", "numble"),
    ],
)
def test_a_game_is_found_by_any_of_its_names_in_letters_of_any_size(typed: str, name: str) -> None:
    assert find_game(typed) is GAMES[name]


def test_no_name_is_that_of_two_games() -> None:
    names = [known for game in GAMES.values() for known in (game.name, *game.aliases)]
    assert len(set(names)) == len(names)
    assert all(known == known.casefold() for known in names)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("cuntdown", "countdown"), ("card", "cards"), ("Digit", "digits"), ("chifres", "countdown")],
)
def test_a_name_that_is_almost_right_is_told_what_it_may_mean(typed: str, meant: str) -> None:
    with pytest.raises(
        ValueError, match=rf"unknown game '{typed}' \(did you mean {meant}\? expected "
    ):
        find_game(typed)


def test_a_game_that_is_not_offered_is_not_named_but_found() -> None:
    with pytest.raises(ValueError, match=r"\(expected crisps, cards\)$") as caught:
        find_game("game25", ("crisps", "cards"))
    assert "did you mean" not in str(caught.value)
    assert find_game("game24", ("crisps", "cards")).name == "game24"


def test_a_name_of_any_length_is_refused_shortly() -> None:
    with pytest.raises(ValueError, match=r"unknown game 'x{40}…' \(expected ") as caught:
        find_game("x" * 50_000)
    assert len(str(caught.value)) < 200


def test_a_hand_without_parentheses_may_be_meant_for_freer_games_of_the_same_target() -> None:
    assert [game.name for game in less_restricted_games(CRISPS)] == ["cards", "digits"]
    assert less_restricted_games(GAMES["cards"]) == []
    assert [game.name for game in less_restricted_games(GAMES["countdown"])] == ["numble"]


def test_an_unknown_game_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"unknown game 'chess' \(expected crisps, game24"):
        find_game("chess")


@pytest.mark.parametrize(
    ("game", "told"),
    [
        (GAMES["cards"], "GAMES['cards']"),
        (GAMES["countdown"], "GAMES['countdown']"),
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
    ],
)
def test_a_game_is_told_by_its_name_and_what_differs(game: Game, told: str) -> None:
    assert repr(game) == told
    assert eval(told, {"Game": Game, "GAMES": GAMES, "replace": replace}) == game


def test_every_game_is_rebuilt_by_its_repr() -> None:
    names = {"Game": Game, "GAMES": GAMES, "replace": replace}
    assert all(eval(repr(game), names) == game for game in GAMES.values())


def test_a_game_may_have_an_operator_that_is_added_to_the_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    power = replace(OPERATORS["x"], name="^", spellings=("**", "^"), precedence=3)
    monkeypatch.setitem(OPERATORS, "^", power)
    game = replace(CRISPS, operators=("^", "+"))
    assert game.operators == ("+", "^")
    assert [[each.name for each in level] for level in game.operator_levels] == [["^"], ["+"]]


def test_a_name_of_forty_characters_is_quoted_whole() -> None:
    with pytest.raises(ValueError, match=r"unknown game 'x{40}' \(expected "):
        find_game("x" * 40)
    with pytest.raises(ValueError, match=r"unknown game 'x{40}…' \(expected "):
        find_game("x" * 41)


# Hands that no game deals, targets of all kinds, and rules that are changed.
FREED = [
    *("free:3.8=24", "free:0=0", "free:44.19.35=98", "free:1000000.7=1/7", "free:1.1.1.1.1=-5"),
    *("free:3.8=24,zero=no", "free:3.8=24,operators=-+,fractions=no,most=9"),
]


@pytest.mark.parametrize("text", FREED)
def test_an_id_that_names_no_game_of_the_table_is_one_of_any_numbers(text: str) -> None:
    game, hand, target = parse_id(text)
    assert game.name == "free"
    assert format_id(game, hand, target) == text
    assert crisps24.puzzle_of(text).id == text
    assert repr(crisps24.puzzle_of(text)) == f"puzzle_of({text!r})"


def test_the_game_of_any_numbers_is_named_and_never_offered() -> None:
    assert find_game("free") is FREE_GAME
    assert find_game(FREE_GAME) is FREE_GAME
    assert "free" not in (*GAMES, *HAND_GAMES)
    assert FREE_GAME.all_numbers
    assert FREE_GAME.fractions
    assert FREE_GAME.negatives
    with pytest.raises(ValueError, match="unknown game 'fre'") as error:
        find_game("fre")
    assert "free" not in str(error.value).replace("'fre'", "")
    names = {"find_game": find_game, "replace": replace}
    for game in (FREE_GAME, replace(FREE_GAME, zero=False)):
        assert eval(repr(game), names) == pickle.loads(pickle.dumps(game)) == game


@pytest.mark.parametrize("nesting", [0, 5])
def test_depth_one_past_its_limits_is_refused(nesting: int) -> None:
    with pytest.raises(ValueError, match=r"invalid nesting . \(expected 1 to 4\)"):
        replace(FREE_GAME, nesting=nesting)


@pytest.mark.parametrize("nesting", [1, 4])
def test_depth_at_its_limits_is_taken(nesting: int) -> None:
    assert replace(FREE_GAME, nesting=nesting).nesting == nesting


def test_longest_id_is_read_and_one_past_it_is_not() -> None:
    longest = "cards:3.3.8.8=24".ljust(2_000)
    assert parse_id(longest)[1:] == ((3, 3, 8, 8), 24)
    with pytest.raises(ValueError, match="is not the id of a puzzle"):
        parse_id(longest + " ")
