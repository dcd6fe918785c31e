"""Tiles: what is tapped is what is typed, and numbers lie where they were tapped."""

import re
from collections import Counter
from random import Random

import pytest

from crisps24 import deal
from crisps24.puzzle import puzzle_of
from crisps24.puzzles.rounds import Round
from crisps24.puzzles.tiles import Tap, TilePlaces, board_of, format_places, parse_places, parse_tap
from crisps24.rules.games import HAND_GAMES

# A tap, and what it is, or what is said of it.
TAPS = [
    ("3", Tap(3)),
    ("12", Tap(12)),
    ("3x", Tap(3, "x")),
    ("3:1", Tap(3, ":", 1)),
    ("1-2", Tap(1, "-", 2)),
    ("-3", Tap(freed=3)),
    ("0x", Tap(0, "x")),
    ("u", Tap(key="u")),
    ("r", Tap(key="r")),
    *(
        (text, "(expected, for example, 1+2)")
        for text in ("", "x", "0", "0+1", "-0", "--1", "-3x", "-3x1")
    ),
    *(
        (text, "is not a tap")
        for text in ("123", "1+2+3", "q", "?", "1.2", "1,2", "1+123", "１", " 1")
    ),
]


@pytest.mark.parametrize(("text", "found"), TAPS)
def test_a_tap_is_read_or_refused(text: str, found: Tap | str) -> None:
    if isinstance(found, Tap):
        assert parse_tap(text) == found
        return
    with pytest.raises(ValueError, match=found.replace("+", r"\+")):
        parse_tap(text)


@pytest.mark.parametrize("text", ["", "1.", ".1", "1,,2", "1.2;3", "100", "1." * 300 + "1", "a"])
def test_what_are_no_places_is_refused(text: str) -> None:
    with pytest.raises(
        ValueError, match=r"not places of tiles \(expected, for example, 1\.3,2\.3\)"
    ):
        parse_places(text)


@pytest.mark.parametrize("name", HAND_GAMES)
def test_whatever_is_tapped_a_step_is_taken_or_refused_and_no_number_is_lost(name: str) -> None:
    random, kinds = Random(7), Counter[str]()
    for puzzle in deal(name, 6, seed=3):
        played = Round(puzzle)
        places: tuple[TilePlaces, ...] = ()
        while not played.result and len(played.left) > 1 and played.wrong < 9:
            board = board_of(played, places)
            one, other = random.sample(
                [at for at, tile in enumerate(board.tiles, 1) if tile is not None], 2
            )
            operator = random.choice(puzzle.game.operators)
            tap = parse_tap(f"{one}{operator}{other}")
            board.check(tap, puzzle.game)
            before = played
            played, reply = played.play(f"{board.written(tap, puzzle.style)} =")
            kinds[reply.kind] += 1
            assert reply.kind in ("step", "unused", "stuck", "right", "illegal")
            if reply.kind == "illegal":
                assert (played.steps, played.left) == (before.steps, before.left)
            elif not played.result:
                places = (*board.places, (one, other))
                after = board_of(played, parse_places(format_places(places)))
                assert after.places == places
                assert after.tiles[one - 1] is None
                assert Counter(filter(lambda tile: tile is not None, after.tiles)) == Counter(
                    played.left
                )
                kept = [at for at in range(len(board.tiles)) if at + 1 not in (one, other)]
                assert [after.tiles[at] for at in kept] == [board.tiles[at] for at in kept]
    assert kinds["step"] > 5


def test_equal_numbers_lie_where_they_were_tapped() -> None:
    played = Round(puzzle_of("cards:3.3.8.8=24"), steps=("8 / 3 = 8/3", "3 - 8/3 = 1/3"))
    assert [str(tile) for tile in board_of(played, ((3, 1), (2, 1))).tiles] == [
        "1/3",
        "None",
        "None",
        "8",
    ]
    assert [str(tile) for tile in board_of(played).tiles] == ["None", "None", "1/3", "8"]
    # Places that do not fit are not asked.
    for places in (((1, 2),), ((9, 9),), ((1, 1),), ((1, 3, 4),), ((0, 1),)):
        assert board_of(played, places) == board_of(played)


def test_steps_that_were_typed_have_places_as_well() -> None:
    played, _ = Round(puzzle_of("countdown:75.50.25.10.2.1=751")).play(
        "75 + 50 + 25 = 150, 10 - 2 ="
    )
    assert board_of(played).tiles == (None, None, 150, None, 8, 1)
    joined, _ = Round(puzzle_of("crisps:1.2.3.4=24,join=yes")).play("12 + 3 =")
    assert board_of(joined).tiles == (None, None, 15, 4)


def test_what_is_not_there_cannot_be_tapped() -> None:
    puzzle = puzzle_of("cards:4.6.8.10=24,operators=+-")
    board = board_of(Round(puzzle, steps=("10 - 6 = 4",)))
    for text, told in (
        ("5", "place 5 is empty"),
        ("2", "place 2 is empty"),
        ("1+2", "place 2 is empty"),
        ("1x", "'x' is not in this game (only - +)"),
        ("1é", "'é' is not in this game"),
        ("1+1", "a step needs two different tiles"),
    ):
        with pytest.raises(ValueError, match=re.escape(told)):
            board.check(parse_tap(text), puzzle.game)
    assert board.written(Tap(4)) == "4"
    assert board.written(Tap(4, "-")) == "4 -"
    # What is tapped is written so that it can be read again.
    for style, sign in (("unicode", "−"), ("polish", "-"), ("latex", "-")):
        assert board.written(Tap(4, "-", 1), style) == f"4 {sign} 4"
