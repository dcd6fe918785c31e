"""Dealt puzzles are solvable, satisfy the conditions, and are the same for the same seed."""

import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, check, difficulty
from crisps24.errors import RefusedError
from crisps24.puzzle import Puzzle, puzzle_of
from crisps24.puzzles import dealing
from crisps24.puzzles.conditions import Conditions
from crisps24.puzzles.dealing import deal
from crisps24.puzzles.draws import VERSION
from crisps24.puzzles.parameters import LEVELS
from crisps24.puzzles.rounds import Round
from crisps24.rules import deals
from crisps24.rules.deals import list_hands
from crisps24.rules.games import Game
from crisps24.solving.effort import level_of
from crisps24.solving.ranking import canonical_solutions
from tests.sampling import examples, in_one_test
from tests.tables import cells_of

GAME_NAMES = [name for name in GAMES if name != "game24"]


def test_style_of_a_deal_changes_without_making_games(monkeypatch: pytest.MonkeyPatch) -> None:
    dealt = deal("cards", 50, seed=7)
    new_games: list[Game] = []
    monkeypatch.setattr(Game, "__post_init__", new_games.append)
    styled = dealt.with_style("unicode")
    assert not new_games
    monkeypatch.undo()
    assert [puzzle.style for puzzle in styled] == ["unicode"] * 50
    assert all(puzzle.game is first.game for puzzle, first in zip(styled, dealt, strict=True))
    assert tuple(styled) == tuple(dealt)
    assert styled[0].answer() == dealt[0].answer().replace("x", "×").replace("-", "−")
    with pytest.raises(RefusedError, match=r"unknown style 'roman' \(expected crisps"):
        dealt.with_style("roman")


CONDITIONS = st.builds(
    Conditions,
    levels=st.sampled_from([range(1, 6), range(1, 3), range(2, 5), range(4, 6)]),
    solutions=st.sampled_from([None, None, range(1, 4), range(2, 30)]),
    essential=st.booleans(),
    plain=st.booleans(),
    repeat=st.booleans(),
)


@given(
    st.sampled_from(GAME_NAMES), CONDITIONS, st.integers(0, 99), st.sampled_from([(), ("+", "-")])
)
@examples(15)
def test_every_puzzle_satisfies_the_conditions(
    name: str, conditions: Conditions, seed: int, operators: tuple[str, ...]
) -> None:
    game = replace(GAMES[name], operators=operators or GAMES[name].operators)
    dealt: Sequence[Puzzle] = ()
    with suppress(ValueError):
        # Fewer than 3 puzzles can satisfy the conditions.
        dealt = deal(game, 3, seed=seed, conditions=conditions)
    for puzzle in dealt:
        assert puzzle.best == puzzle.target
        solutions = puzzle.solutions(nearest=True)
        assert puzzle.difficulty == difficulty(puzzle.hand, puzzle.target, game)
        assert puzzle.level in conditions.levels
        counted = canonical_solutions(solutions) if conditions.essential else solutions
        assert conditions.solutions is None or len(counted) in conditions.solutions
        answers = [str(solution.expression) for solution in solutions]
        assert not conditions.plain or any("(" not in answer for answer in answers)
        assert puzzle.check(answers[0]).verdict == "right"
        assert check(answers[0], puzzle.hand, puzzle.target, game).verdict == "right"
        restored = puzzle_of(puzzle.id)
        assert (restored, restored.difficulty) == (puzzle, puzzle.difficulty)
    hands = [tuple(sorted(puzzle.hand)) for puzzle in dealt]
    assert conditions.repeat or len(set(hands)) == len(hands)


def test_equal_seeds_deal_equal_puzzles_and_others_differ() -> None:
    first = deal("cards", 5, seed=1)
    assert list(first) == list(deal("cards", 5, seed=1))
    assert list(first) != list(deal("cards", 5, seed=2))
    assert list(first)[:3] == list(deal("cards", 3, seed=1))
    seedless = deal("cards", 2)
    assert list(seedless) == list(deal("cards", 2, seed=seedless.seed))
    assert (len(first), first[:2], first.version) == (5, (first[0], first[1]), VERSION)


def test_all_hands_can_be_dealt_once() -> None:
    assert len({puzzle.hand for puzzle in deal("cards", 1362, seed=4)}) == 1362
    with pytest.raises(ValueError, match=r"only 1,362 hands satisfy .*, and 1,363 are needed"):
        deal("cards", 1363, seed=4)
    repeating = deal("cards", 1400, seed=4, conditions=Conditions(repeat=True))
    assert len(repeating) == 1400
    assert len({puzzle.hand for puzzle in repeating[:1362]}) == 1362


@in_one_test(
    ("name", "targets", "levels"),
    # Hands of crisps are listed; tiles are drawn in blocks.
    ("crisps", range(1, 12), range(1, 6)),
    ("crisps", range(1, 12), range(1, 3)),
    ("countdown", range(101, 105), range(1, 6)),
    ("countdown", range(12, 24), range(1, 2)),
)
def test_puzzles_repeat_only_after_all_others(name: str, targets: range, levels: range) -> None:
    game = replace(GAMES[name], length=2)
    every = (Puzzle(hand, target, game) for hand in list_hands(game) for target in targets)
    expected = {(*sorted(each.hand), each.target) for each in every if each.level in levels}
    conditions = Conditions(levels=levels, repeat=True)
    count = len(expected)
    dealt = deal(game, 3 * count, seed=3, targets=targets, conditions=conditions)
    assert "--repeat" in dealt.command
    for start in range(0, 3 * count, count):
        turn = [(*sorted(each.hand), each.target) for each in dealt[start : start + count]]
        assert sorted(turn) == sorted(expected)


def test_5_000_hands_are_listed_and_more_allow_2_000_rejected_draws() -> None:
    listed = replace(GAMES["cards"], numbers=tuple(range(1, 5001)), length=1)
    conditions = Conditions(trivial=True)
    assert deal(listed, 1, seed=1, target=7, conditions=conditions)[0].hand == (7,)
    drawn = replace(listed, numbers=(*listed.numbers, 5001))
    with pytest.raises(ValueError, match=r"2,000 draws in a row found no puzzle .*, after 0 of 1"):
        deal(drawn, 1, seed=2, target=7, conditions=conditions)


def test_target_among_the_numbers_needs_the_trivial_condition() -> None:
    conditions = Conditions(trivial=True, repeat=True)
    subset = replace(GAMES["crisps"], all_numbers=False)
    for game, targets in ((GAMES["numble"], range(1, 11)), (subset, range(9, 10))):
        dealt = deal(game, 30, seed=7, targets=targets)
        assert not any(puzzle.target in puzzle.hand for puzzle in dealt)
        dealt = deal(game, 30, seed=7, targets=targets, conditions=conditions)
        assert any(puzzle.target in puzzle.hand for puzzle in dealt)
        assert "--trivial" in dealt.command
    with pytest.raises(ValueError, match=r"no hand .*: allow targets .* \(--trivial\)"):
        deal(replace(GAMES["cards"], length=1), seed=7, target=5)


def test_closest_puzzle_also_needs_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealing, "_MAX_REJECTED_TRIES", 20)
    game = replace(GAMES["numble"], numbers=(1, 2, 100), length=3, operators=("-",))
    conditions = Conditions(closest=True, large=1)
    with pytest.raises(ValueError, match=r"draws .* found no puzzle .* \(--trivial\)"):
        deal(game, seed=7, targets=range(100, 501), conditions=conditions)
    conditions = replace(conditions, trivial=True)
    [puzzle] = deal(game, seed=7, targets=range(100, 501), conditions=conditions)
    assert puzzle.best == 100 < puzzle.target


def test_hands_are_drawn_without_listing_all_hands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deals, "iter_hands", None)
    for game in (
        replace(GAMES["cards"], numbers=tuple(range(1, 100))),
        replace(GAMES["countdown"], numbers=tuple(range(1, 1001))),
        GAMES["krypto"],
    ):
        for puzzle in deal(game, 3, seed=7):
            assert puzzle.check(str(puzzle.solutions()[0].expression)).verdict == "right"


def test_rising_sorts_by_bits() -> None:
    game = replace(GAMES["cards"], operators=("-", "+"))
    for puzzles in (deal(game, 9, seed=3, rising=True), deal("cards", 9, seed=3, rising=True)):
        bits = [puzzle.difficulty.bits for puzzle in puzzles if puzzle.difficulty]
        assert bits == sorted(bits)
        assert len(set(bits)) > 5


def test_changed_rules_have_the_levels_of_the_game_by_bits() -> None:
    game = replace(GAMES["cards"], fractions=False, negatives=False)
    dealt = deal(game, mix=(2, 2, 2, 1, 1), seed=1)
    assert sorted(puzzle.level or 0 for puzzle in dealt) == [1, 1, 2, 2, 3, 3, 4, 5]
    for puzzle in dealt:
        assert puzzle.difficulty
        assert puzzle.level == level_of(puzzle.difficulty.bits, GAMES["cards"])
        assert puzzle.difficulty.seconds is None
    assert {puzzle.level for puzzle in deal(replace(game, name="mine"), 3, level=1, seed=1)} == {1}


def test_unreachable_target_has_no_level() -> None:
    impossible = puzzle_of("cards:1.1.1.1=24")
    assert impossible.best == 4
    assert impossible.difficulty is not None
    assert (impossible.level, impossible.difficulty.level) == (None, None)
    assert impossible.difficulty.seconds is None
    assert impossible.difficulty.bits == puzzle_of("cards:1.1.1.1=4").difficulty.bits  # type: ignore[union-attr]
    assert "<title>make 24 from 1, 1, 1 and 1</title>" in impossible._repr_svg_()
    row = impossible.row()
    assert (row["best"], row["level"]) == (4, None)
    assert Round(impossible).row()["level"] is None
    arguments: dict[str, Any] = {"targets": range(900, 1000), "seed": 1}
    conditions = Conditions(large=0, closest=True)
    dealt = deal("countdown", 20, **arguments, conditions=conditions)
    far = [puzzle for puzzle in dealt if puzzle.level is None]
    assert far
    assert all(puzzle.best != puzzle.target for puzzle in far)
    # A condition on levels excludes it.
    dealt = deal("countdown", 9, **arguments, conditions=replace(conditions, levels=range(3, 6)))
    assert all(puzzle.level in range(3, 6) for puzzle in dealt)


def test_tiles_belong_to_the_game_with_the_given_number_of_large_ones() -> None:
    for large in range(5):
        for puzzle in deal("countdown", 2, seed=large, conditions=Conditions(large=large)):
            assert sum(number in (25, 50, 75, 100) for number in puzzle.hand) == large
    with pytest.raises(ValueError, match="countdown has from 0 to 4 large tiles, not 5"):
        deal("countdown", 1, seed=1, conditions=Conditions(large=5))


@in_one_test(
    ("text", "message"),
    *cells_of("refused-ids.txt"),
    ("cards:" + "1." * 5000 + "1=3", "is not the id of a puzzle"),
)
def test_invalid_id_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        puzzle_of(text)


CHANGED_GAMES = [
    replace(GAMES["cards"], repeats=False),
    # These large tiles are never dealt.
    replace(GAMES["countdown"], numbers=(1, 2, 3, 4, 5, 6, 25, 50), large=(12,)),
    replace(GAMES["cards"], name="mine", numbers=(1, 2, 3, 4, 5)),
]


@pytest.mark.parametrize("game", CHANGED_GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize(
    "arguments",
    [{}, {"targets": range(20, 31), "conditions": Conditions(plain=True), "rising": True}],
)
def test_game_without_a_command_shows_a_python_call(game: Game, arguments: dict[str, Any]) -> None:
    dealt = deal(game, 3, seed=5, **arguments)
    assert dealt.command.startswith("deal(")
    names = {"deal": deal, "replace": replace, "GAMES": GAMES, "Game": Game}
    again = eval(dealt.command, names | {"Conditions": Conditions})
    assert (again.puzzles, again.command) == (dealt.puzzles, dealt.command)


@in_one_test(
    ("arguments", "message"),
    ({"seed": 1.5}, "invalid seed '1.5' (expected a whole number such as 7)"),
    ({"seed": -1}, "invalid seed '-1'"),
    ({"seed": True}, "invalid seed 'True'"),
    ({"count": 2.0}, "2.0 puzzles (expected 1 to 1,000,000)"),
    ({"count": 0}, "cannot deal 0 puzzles"),
    ({"targets": range(0)}, "the range of targets is empty"),
    ({"targets": range(-5, 0)}, "all targets are less than zero"),
    ({"target": 0.5}, "is not exact"),
    ({"target": 24, "targets": range(9)}, "only one: target or targets"),
    ({"mix": (1, 0, 0, 0, 0), "level": 2}, "only one: mix or level"),
    ({"conditions": Conditions(unsolvable=9, closest=True)}, "one: closest or unsolvable"),
)
def test_impossible_deal_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((RefusedError, TypeError), match=re.escape(message)):
        deal("cards", **({"seed": 1} | arguments))


@in_one_test("lengths", range(0), range(0, 3), range(1, 9, 2), 3, "3")
def test_invalid_lengths_are_refused(lengths: Any) -> None:
    with pytest.raises(ValueError if isinstance(lengths, range) else TypeError):
        Conditions(lengths=lengths)


def test_plain_answers_have_no_parentheses() -> None:
    plain = deal("cards", 30, seed=2, conditions=Conditions(plain=True))
    assert not any("(" in text for text in plain.answers())
    # The likeliest solution has parentheses in at least one puzzle.
    assert any("(" in str(puzzle.solutions()[0].expression) for puzzle in plain)


def test_first_puzzles_of_several_lengths_do_not_depend_on_the_count() -> None:
    conditions = Conditions(lengths=range(3, 6))
    many = deal("cards", 40, seed=3, conditions=conditions)
    assert list(deal("cards", 15, seed=3, conditions=conditions)) == list(many)[:15]
    assert list(deal("cards", 40, seed=4, conditions=conditions)) != list(many)
    rising = deal("cards", 40, seed=3, conditions=conditions, rising=True)
    assert sorted(puzzle.id for puzzle in rising) == sorted(puzzle.id for puzzle in many)
    assert rising.command == "crisps24 deal cards --count 40 --seed 3 --rising --length 3..5"


def test_more_hands_than_the_game_has_are_refused_at_once() -> None:
    start = time.process_time()
    with pytest.raises(RefusedError, match=r"only 13,?243 hands .* 100,000 .*allow a hand again"):
        deal("countdown", 100_000)
    assert time.process_time() - start < 1


def test_levels_are_given_as_for_the_command() -> None:
    for levels in ("2..3", range(2, 4), "2..medium"):
        dealt = deal("cards", 5, seed=3, level=levels)
        assert dealt.puzzles == deal("cards", 5, seed=3, conditions=Conditions(range(2, 4))).puzzles
    with pytest.raises(RefusedError, match="invalid level"):
        deal("cards", level="2..9")


@in_one_test(
    ("name", "count", "conditions"),
    ("countdown", 100, {"repeat": True}),
    ("countdown", 50, {"repeat": True, "unsolvable": 20}),
    ("countdown", 50, {"repeat": True, "closest": True}),
    ("mathador", 40, {"repeat": True, "levels": range(2, 4)}),
    ("krypto", 60, {}),
    ("fractions24", 60, {"unsolvable": 50}),
    ("countdown", 40, {"unsolvable": 50, "mixture": True, "repeat": True}),
)
def test_many_puzzles_are_dealt_in_blocks(
    name: str, count: int, conditions: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dealing, "MAX_IN_MEMORY", 20)
    dealt = deal(name, count, seed=3, conditions=Conditions(**conditions))
    with ThreadPoolExecutor(3) as executor:
        again = deal(name, count, seed=3, conditions=Conditions(**conditions), executor=executor)
    assert list(again) == list(dealt)
    assert len({puzzle.id for puzzle in dealt}) == count
    if "repeat" not in conditions:
        assert len({tuple(sorted(puzzle.hand)) for puzzle in dealt}) == count
    if "closest" not in conditions:
        share = conditions.get("unsolvable", 0)
        assert sum(not puzzle.solvable for puzzle in dealt) == count * share // 100
    for puzzle in dealt[:40]:
        fresh = Puzzle(puzzle.hand, puzzle.target, puzzle.game)
        assert (puzzle.solvable, puzzle.level) == (fresh.solvable, fresh.level)
        assert puzzle.difficulty == fresh.difficulty or not puzzle.solvable
        assert puzzle.level in conditions.get("levels", LEVELS) or not puzzle.level


def test_more_puzzles_than_there_are_are_refused_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealing, "MAX_IN_MEMORY", 50)
    game = replace(GAMES["countdown"], length=2)
    with pytest.raises(RefusedError, match="draws in a row found no puzzle"):
        deal(game, 60, seed=1, target=125)
