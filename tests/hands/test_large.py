"""Large hands against brute force in C, and what goes back from a target against what does not.

`CRISPS24_HANDS=50` in the environment asks as many hands of each game: an hour of the processor.
"""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from crisps24 import (
    GAMES,
    Game,
    count_solutions,
    count_written,
    difficulty,
    reachable,
    solutions,
    solve,
    written_forms,
)
from crisps24.hands.backward import BackwardSearch, has_inverses
from crisps24.rules.exact import Exact
from crisps24.rules.games import Hand
from crisps24.solving import work
from crisps24.solving.solver import closest

CARDS, COUNTDOWN, KRYPTO = (GAMES[name] for name in ("cards", "countdown", "krypto"))
SHOWN = int(os.environ.get("CRISPS24_HANDS", "0"))
WORD = 1 << 64


class Told(NamedTuple):
    """What brute force says of a hand and a target."""

    written: int
    distinct: int
    values: int
    sum: int
    near: int
    """How many values are wholes or halves, from 0 to below 500."""
    near_sum: int
    greatest: int
    """The greatest whole value."""


@pytest.fixture(scope="session")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Told]:
    """Compile brute force: (hand, target, game, in_order) to what it finds."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc is missing")
    program = tmp_path_factory.mktemp("oracle") / "large_oracle"
    source = Path(__file__).with_name("large_oracle.c")
    subprocess.run([gcc, "-O2", "-o", str(program), str(source)], check=True)

    def ask(hand: Hand, target: int, game: Game, *, in_order: bool = False) -> Told:
        rules = (game.fractions, game.negatives, game.zero, game.all_numbers, in_order)
        line = " ".join(map(str, (*map(int, rules), target, *hand)))
        found = subprocess.run([program], input=line, capture_output=True, text=True, check=True)
        return Told(*map(int, found.stdout.split()))

    return ask


def told(values: set[Exact]) -> tuple[int, int]:
    """Return how many values there are, and the sum of them that brute force has."""
    parts = (value.as_integer_ratio() for value in values)
    sums = (
        (over * 0x9E3779B97F4A7C15 % WORD) ^ (under * 0xBF58476D1CE4E5B9 % WORD)
        for over, under in parts
    )
    return len(values), sum(sums) % WORD


SEVEN: list[tuple[Hand, int, Game]] = [
    ((1, 1, 2, 2, 5, 25, 25), 431, COUNTDOWN),
    ((1, 1, 7, 11, 11, 20, 20), 24, KRYPTO),
]


def dealt(game: Game, count: int, length: int) -> list[tuple[Hand, int, Game]]:
    """Return random hands, each with a target."""
    random, some = Random(f"{game.name} {length}"), []
    for _ in range(count):
        pick = random.choices if game.repeats else random.sample
        hand = tuple(pick(game.numbers, k=length))
        some.append((hand, random.randint(*game.targets), game))
    return some


# Those whose numbers all differ take many times as long.
MORE: list[tuple[Hand, int, Game]] = [
    ((2, 5, 8, 9, 10, 25, 75), 431, COUNTDOWN),
    ((1, 3, 7, 11, 16, 20, 23), 24, KRYPTO),
]
MORE = MORE[: 2 * bool(SHOWN)]
MORE += [each for game in (COUNTDOWN, KRYPTO, GAMES["numble"]) for each in dealt(game, SHOWN, 7)]


@pytest.mark.parametrize(("hand", "target", "game"), [*SEVEN, *MORE], ids=str)
def test_seven_numbers_make_what_brute_force_makes(
    oracle: Callable[..., Told], hand: Hand, target: int, game: Game
) -> None:
    expected = oracle(hand, target, game)
    assert len(solutions(hand, target, game)) == expected.distinct
    assert count_solutions(hand, game, only=[target]).get(target, 0) == expected.distinct
    assert told(reachable(hand, game)) == (expected.values, expected.sum)
    assert reachable(hand, game, only=[target, 2]) >= ({target} if expected.distinct else set())


WITH_FRACTIONS: list[tuple[Hand, int, Game]] = [
    ((1, 1, 5, 5, 5, 5, 5), 24, CARDS),
    *[((1, 1, 5, 5, 5, 9, 9), 24, CARDS)] * bool(SHOWN),
]
WITH_FRACTIONS += [
    each for name in ("cards", "digits", "make10") for each in dealt(GAMES[name], SHOWN, 7)
]
NEAR = [Fraction(over, 2) for over in range(1000)]


@pytest.mark.parametrize(("hand", "target", "game"), WITH_FRACTIONS, ids=str)
def test_seven_numbers_with_fractions_make_what_brute_force_makes(
    oracle: Callable[..., Told], hand: Hand, target: int, game: Game
) -> None:
    # All that these make is up to two million values, so of most of them the near ones are asked.
    expected = oracle(hand, target, game)
    assert len(solutions(hand, target, game)) == expected.distinct
    assert count_solutions(hand, game, only=[target]).get(target, 0) == expected.distinct
    assert told(reachable(hand, game, only=NEAR)) == (expected.near, expected.near_sum)
    if expected.values < 100_000:
        assert told(reachable(hand, game)) == (expected.values, expected.sum)
    assert [*closest(hand, 10**9, game)] == [expected.greatest]


ORDERED: list[tuple[Hand, int, Game]] = [
    ((10, 9, 8, 7, 6, 5, 4), 101, CARDS),
    ((7, 1, 6, 2, 5, 3, 4, 8), 24, COUNTDOWN),
]
ALIKE = [
    (hand, target, game)
    for name in ("cards", "krypto", "countdown")
    for length in (7, 8)
    for hand, target, game in dealt(GAMES[name], SHOWN, length)
    # What is written of equal numbers in other places is written in the same way.
    if game.all_numbers or len(set(hand)) == length
]


@pytest.mark.parametrize(("hand", "target", "game"), [*ORDERED, *ALIKE], ids=str)
def test_numbers_in_order_have_the_written_forms_that_brute_force_writes(
    oracle: Callable[..., Told], hand: Hand, target: int, game: Game
) -> None:
    expected = oracle(hand, target, game, in_order=True)
    assert count_written(hand, [target], game) == {target: expected.written}
    assert len(solutions(hand, target, game, in_order=True)) == expected.distinct
    assert told(reachable(hand, game, in_order=True)) == (expected.values, expected.sum)


def test_ten_to_one_are_written_as_often_as_was_published() -> None:
    # P. Norvig, Countdown to 2016: 44,499 for 2016; and those of other years, found so.
    hand = tuple(range(10, 0, -1))
    found = count_written(hand, [2016, 2017, 2026], CARDS)
    assert found == {2016: 44_499, 2017: 13_834, 2026: 30_885}
    first = solve(hand, 2017, CARDS, in_order=True, first=5)
    assert (len(first), first.total, first.order) == (5, 652, "likeliest first")


def test_one_to_nine_make_100_in_1641_ways_with_parentheses() -> None:
    assert count_solutions(range(1, 10), CARDS, in_order=True, only=[100]) == {100: 1641}


def test_every_written_form_is_another_and_makes_the_target() -> None:
    texts = [str(form) for form in written_forms((8, 7, 6, 5, 4, 3, 2), 24, CARDS)]
    assert count_written((8, 7, 6, 5, 4, 3, 2), [24], CARDS) == {24: len(texts)}
    assert len(set(texts)) == len(texts) > 500
    # Signs of arithmetic are Python's own here.
    fractions = (text.replace("x", "*") for text in texts)
    for text in fractions:
        exact = "".join(f"Fraction({each})" if each.isdigit() else each for each in text)
        assert eval(exact, {"Fraction": Fraction}) == 24


# What goes back from a target tells the same of small hands as what does not.

RULES: list[tuple[Game, dict[str, Any]]] = [
    (CARDS, {}),
    (COUNTDOWN, {}),
    (KRYPTO, {}),
    (GAMES["make10"], {"negatives": False}),
    (CARDS, {"fractions": False, "all_numbers": False}),
    (CARDS, {"most": 30}),
    (CARDS, {"zero": False}),
    (CARDS, {"operators": ("-", "+", "x")}),
]


@pytest.fixture
def back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no hand be usual, so that all go back from their targets."""
    monkeypatch.setattr(work, "is_small", lambda *_: False)


def asked(hand: Hand, target: Exact, game: Game, in_order: bool) -> list[object]:
    """Return what is known of a hand and a target."""
    found = solutions(hand, target, game, in_order=in_order)
    hard = difficulty(hand, target, game, in_order=in_order)
    wanted = [target, 1, 7]
    return [
        [(str(each.expression), round(each.share, 9), each.equivalence_class) for each in found],
        hard and round(hard.bits, 6),
        count_solutions(hand, game, in_order=in_order, only=wanted),
        reachable(hand, game, in_order, only=wanted),
        reachable(hand, game, in_order),
        {value: str(way) for value, way in closest(hand, target, game, in_order=in_order).items()},
        count_written(hand, wanted, game) if in_order else None,
    ]


# Every second one in order, where not all are asked for.
BOTH = [(*rules, kept) for rules in RULES for kept in (False, True)]
SOME = BOTH if SHOWN else [*BOTH[::4], *BOTH[3::4]]


@pytest.mark.parametrize(("game", "changes", "in_order"), SOME)
def test_to_go_back_from_a_target_tells_the_same(
    request: pytest.FixtureRequest, game: Game, changes: dict[str, Any], in_order: bool
) -> None:
    rules = replace(game, **changes)
    random = Random(f"{rules!r} {in_order}")
    some: list[tuple[Hand, Exact, Game, bool]] = []
    for length in (1, 3, 4, *[2, 3, 4, 5] * bool(SHOWN)):
        pick = random.choices if rules.repeats else random.sample
        hand = tuple(pick(rules.numbers, k=length))
        made = sorted(reachable(hand, rules, in_order), key=lambda value: (abs(value - 24), value))
        beside = [Fraction(1, 2), 10**7] if rules.fractions else [10**7]
        targets = [0, *made[:1], *beside * (length > 3)]
        some += [(hand, target, rules, in_order) for target in targets]
    before = [asked(*each) for each in some]
    request.getfixturevalue("back")
    for each, expected in zip(some, before, strict=True):
        assert asked(*each) == expected, each


def test_what_is_of_use_leads_to_a_target_and_nothing_else_is() -> None:
    hand = (1, 2, 3, 7)
    useful = BackwardSearch({hand: [24]}, CARDS)
    for part in useful.hands[:-1]:
        rest = list(hand)
        for number in part:
            rest.remove(number)
        for value in useful.values_of(part):
            assert value in reachable(part, CARDS)
            # A sub-hand that makes a whole number may be dealt as that number.
            if isinstance(value, int) and value >= 0:
                free = replace(CARDS, numbers=tuple(range(1000)))
                assert 24 in reachable((value, *rest), free)
    assert useful.values_of(hand) == [24]


def test_steps_without_inverse_are_not_taken_back() -> None:
    assert not has_inverses(GAMES["crisps"])
    assert not has_inverses(replace(GAMES["digits"], join=True))
