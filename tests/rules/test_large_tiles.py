"""Other large tiles: they replace those of the game, in ids, commands, files and pages."""

import json
from dataclasses import replace
from typing import Any

import pytest

from crisps24 import GAMES, CrispsError, Game, Puzzle, Survey, deal, puzzle_of, survey
from crisps24.puzzles.conditions import Conditions
from crisps24.rules.deals import list_hands
from crisps24.rules.games import change_rules
from crisps24.rules.ids import changed_rule_texts, format_id, has_exact_id, parse_id, with_rules
from tests.commands import Run
from tests.sampling import in_one_test

CARDS, COUNTDOWN, NUMBLE = GAMES["cards"], GAMES["countdown"], GAMES["numble"]
SMALL = tuple(sorted((*range(1, 11), *range(1, 11))))
OTHER = change_rules(COUNTDOWN, {"large": (12, 37, 62, 87)})


def test_large_tiles_replace_those_of_the_game() -> None:
    assert replace(COUNTDOWN, numbers=(*SMALL, 12, 37, 62, 87), large=(12, 37, 62, 87)) == OTHER
    assert len(list_hands(OTHER)) == len(list_hands(COUNTDOWN)) == 13_243
    assert change_rules(OTHER, {"large": COUNTDOWN.large}) == COUNTDOWN


@in_one_test(
    ("game", "changes", "expected"),
    (NUMBLE, {"large": (37, 12)}, ((*range(1, 11), 12, 37), (12, 37))),
    (COUNTDOWN, {"large": (25, 25, 50)}, ((*SMALL, 25, 25, 50), (25, 25, 50))),
    (COUNTDOWN, {"large": ()}, (SMALL, ())),
    # The numbers are the small tiles, or have the large ones too.
    (NUMBLE, {"large": (12,), "numbers": range(1, 6)}, ((1, 2, 3, 4, 5, 12), (12,))),
    (NUMBLE, {"large": (12,), "numbers": (1, 2, 3, 4, 5, 12)}, ((1, 2, 3, 4, 5, 12), (12,))),
    (NUMBLE, {"large": (5,), "numbers": (1, 2, 3, 4, 5, 12)}, ((1, 2, 3, 4, 5, 12), (5,))),
    (CARDS, {"large": (11, 12, 13), "numbers": CARDS.numbers}, (CARDS.numbers, (11, 12, 13))),
)
def test_numbers_follow_the_large_tiles(game: Game, changes: Any, expected: Any) -> None:
    changed = change_rules(game, {**changes, "length": 2})
    assert (changed.numbers, changed.large) == expected


@in_one_test(
    ("game", "changes", "message"),
    (CARDS, {"large": (25,)}, "cards has no large tiles"),
    (CARDS, {"large": (14,), "numbers": (1, 2, 3, 4)}, "cards has no large tiles"),
    (COUNTDOWN, {"large": (10, 25)}, "10 is already a small tile of countdown"),
    (NUMBLE, {"large": (5, 12), "numbers": (1, 2, 3, 4, 5)}, "5 is already a small tile of numble"),
    (COUNTDOWN, {"large": (-25,)}, "-25 is less than zero"),
    (COUNTDOWN, {"large": (2.5,)}, "have to be whole"),
)
def test_wrong_large_tiles_are_refused(game: Game, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(CrispsError, match=message):
        change_rules(game, changes)


# Games of Python, and the rules of their ids.
@in_one_test(
    ("game", "rules"),
    (OTHER, {"large": "12+37+62+87"}),
    (replace(OTHER, zero=True, length=5), {"large": "12+37+62+87", "length": "5", "zero": "yes"}),
    (change_rules(COUNTDOWN, {"large": (20, 21, 22, 23)}), {"large": "20..23"}),
    (change_rules(COUNTDOWN, {"large": (25, 25, 50, 50)}), {"large": "25+25+50+50"}),
    (change_rules(COUNTDOWN, {"large": ()}), {"large": "none"}),
    (replace(NUMBLE, large=(10, 25)), {"numbers": "1..10+25+50+75+100", "large": "10+25"}),
    (replace(NUMBLE, large=()), {"numbers": "1..10+25+50+75+100", "large": "none"}),
    (replace(NUMBLE, numbers=(1, 2, 3, 4, 5, 25)), {"numbers": "1..5+25"}),
    (replace(CARDS, large=(11, 12, 13)), {"numbers": "1..13", "large": "11..13"}),
    (
        replace(NUMBLE, numbers=(1, 2, 3, 4, 9, 25), large=(9, 25)),
        {"numbers": "1..4+9+25", "large": "9+25"},
    ),
)
def test_the_id_of_a_game_gives_the_same_game(game: Game, rules: dict[str, str]) -> None:
    assert changed_rule_texts(game) == rules
    assert with_rules(GAMES[game.name], rules) == game
    # The order of the rules in an id does not matter.
    assert with_rules(GAMES[game.name], dict(reversed(rules.items()))) == game
    assert has_exact_id(game)
    hand = game.numbers[-game.length :]
    assert parse_id(format_id(game, hand, 500)) == (game, hand, 500)
    puzzle = Puzzle(hand, 500, game)
    assert eval(repr(puzzle), {"puzzle_of": puzzle_of}) == puzzle


def test_large_tiles_that_are_never_dealt_are_in_no_id() -> None:
    game = replace(COUNTDOWN, large=(12, 37))
    assert (changed_rule_texts(game), has_exact_id(game)) == ({}, False)
    assert repr(Puzzle((25, 50), 75, game)).startswith("Puzzle(")


def test_invalid_large_tiles_of_an_id_are_refused() -> None:
    for text in ("12+x", "2.5", "", "none+12", "10", "1..2000"):
        with pytest.raises(CrispsError):
            with_rules(COUNTDOWN, {"large": text})


def test_deals_draw_these_tiles() -> None:
    dealt = deal(OTHER, 20, seed=3, conditions=Conditions(large=4))
    for puzzle in dealt:
        assert (puzzle.hand[:4], puzzle_of(puzzle.id)) == ((87, 62, 37, 12), puzzle)
    # The number of large tiles is drawn first.
    dealt = deal(OTHER, 40, seed=3, targets=range(500, 501))
    assert {sum(number in OTHER.large for number in each.hand) for each in dealt} == {*range(5)}


def test_a_survey_is_grouped_by_these_tiles(run: Run) -> None:
    call, options = "survey countdown --length 3", "--by large --format json"
    rows = run(f"{call} --large-tiles 12,37,62,87 {options} --out a.sqlite").rows
    assert rows == survey(replace(OTHER, length=3)).by_large()
    assert [row["hands"] for row in rows] == [210, 220, 60, 4, 494]
    assert Survey.load("a.sqlite").game == replace(OTHER, length=3)
    assert run(f"survey --from a.sqlite {options}").rows == rows
    status, _, err = run(f"{call} --out a.sqlite")
    said = "survey of countdown (large tiles 12,37,62,87, 3 numbers), 101..999"
    assert (status, said in err) == (2, True)


def test_pages_have_these_tiles() -> None:
    pytest.importorskip("jinja2", reason="the pages need the extra `web`")
    from crisps24.pages.addresses import Parameters, words_for
    from crisps24.pages.answering import answer

    words = {"game": "countdown", "large_tiles": "12,37,62,87"}
    assert words_for(OTHER) == words
    params = Parameters(words | {"large": "4"})
    assert (params.game(), params.conditions(OTHER).large) == (OTHER, 4)
    assert dict(params.in_game(COUNTDOWN)) == {"game": "countdown", "large": "4"}
    asked = "game=countdown&large_tiles=12,37,62,87&large=4&seed=5"
    for row in json.loads(answer("/deal.json", f"{asked}&count=2").body):
        assert row["hand"][:4] == [87, 62, 37, 12]
    assert "large=12+37+62+87" in answer("/play", asked).body.decode()
