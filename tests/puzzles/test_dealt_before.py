"""Deals equal the recorded deals byte for byte, however the grading is batched.

The record has the command and all fields of each puzzle that need no solution, or the error of a
refused deal. It was made when each hand was graded separately, after its draw. Another drawing
version needs another file: set CRISPS24_UPDATE_DRAWING to write it.
"""

import json
import os
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from crisps24 import GAMES
from crisps24.output.executors import processes
from crisps24.puzzles import dealing
from crisps24.puzzles.conditions import Conditions
from crisps24.puzzles.dealing import deal
from crisps24.puzzles.draws import VERSION
from crisps24.rules.games import Game
from tests.sampling import some

FILE = Path(__file__).parent.parent / "data" / f"dealt-{VERSION}.json"

SMALL = {"numbers": (1, 2, 3, 7, 25, 50), "length": 4}
WIDE = {"numbers": tuple(range(1, 100))}
ALL = WIDE | {"all_numbers": True}
TO_100 = {"targets": range(10, 101)}
HALF = {"numbers": tuple(range(1, 50))}
# The games that the first deals are of.
FIRST_GAMES = [name for name in GAMES if name not in ("game24", "mathador")]
Fields = dict[str, Any]
# A game, its changed rules, the arguments of `deal`, and the conditions.
DEALS: list[tuple[str, Fields, Fields, Fields]] = [
    *((name, {}, {"count": 12, "seed": 70}, {"whole": True}) for name in FIRST_GAMES),
    ("crisps", {}, {"count": 495, "seed": 1, "targets": range(101)}, {}),
    ("crisps", {}, {"count": 496, "seed": 1, "targets": range(101)}, {}),
    ("crisps", {}, {"count": 1000, "seed": 2, "target": 24}, {"repeat": True}),
    ("crisps", {"all_numbers": False}, {"count": 30, "seed": 3, "target": 9}, {"trivial": True}),
    ("crisps", WIDE, {"count": 10, "seed": 4, "target": 10}, {}),
    ("cards", {}, {"count": 100, "seed": 5, "rising": True}, {"levels": range(2, 5)}),
    ("cards", {}, {"count": 20, "seed": 6}, {"solutions": range(1, 2), "essential": True}),
    ("cards", {}, {"count": 20, "seed": 7}, {"plain": True}),
    ("crisps", {}, {"count": 1, "seed": 8, "target": 10**6}, {}),
    ("cards", WIDE, {"count": 20, "seed": 9}, {}),
    ("cards", WIDE, {"count": 15, "seed": 10}, {"levels": range(4, 6)}),
    ("cards", WIDE, {"count": 5, "seed": 11}, {"solutions": range(1, 3)}),
    ("cards", WIDE | {"length": 3}, {"count": 15, "seed": 12}, {}),
    (
        "cards",
        HALF | {"length": 2},
        {"count": 40, "seed": 13},
        {"repeat": True},
    ),
    ("cards", WIDE | {"length": 1}, {"count": 2, "seed": 14}, {"trivial": True}),
    ("cards", {"length": 5}, {"count": 10, "seed": 15, "rising": True}, {"levels": range(3, 6)}),
    ("digits", {"operators": ("-", "+")}, {"count": 9, "seed": 16, "rising": True}, {}),
    ("digits", {"operators": ("-", "+")}, {"count": 9, "seed": 16}, {"levels": range(1, 3)}),
    ("digits", {"join": True, "length": 4}, {"count": 8, "seed": 17}, {}),
    ("make10", {"length": 6}, {"count": 12, "seed": 18}, {}),
    ("krypto", {}, {"count": 150, "seed": 19}, {}),
    ("krypto", {}, {"count": 40, "seed": 20, "target": 25}, {"levels": range(5, 6)}),
    ("krypto", {"fractions": True}, {"count": 12, "seed": 21}, {"closest": True}),
    ("krypto", {"most": 30}, {"count": 40, "seed": 22}, {}),
    ("numble", {}, {"count": 8, "seed": 23}, {"large": 2}),
    ("numble", SMALL, {"count": 40, "seed": 24, "targets": range(1, 60)}, {}),
    ("numble", SMALL, {"count": 9, "seed": 25, "targets": range(1, 60)}, {}),
    ("numble", SMALL, {"count": 9, "seed": 25}, {"closest": True, "repeat": True, "large": 1}),
    ("countdown", {}, {"count": 25, "seed": 26}, {}),
    ("countdown", {}, {"count": 6, "seed": 27}, {"levels": range(5, 6)}),
    ("countdown", {}, {"count": 12, "seed": 28, "targets": range(900, 1000)}, {"closest": True}),
    ("countdown", {}, {"count": 8, "seed": 29, "target": 100}, {"trivial": True}),
    ("countdown", {}, {"count": 8, "seed": 29, "target": 100}, {"repeat": True}),
    ("countdown", {"length": 5}, {"count": 11, "seed": 30}, {"large": 4}),
    ("countdown", {}, {"count": 2, "seed": 31}, {"solutions": range(1, 4)}),
    ("countdown", WIDE, {"count": 6, "seed": 32}, {}),
    ("countdown", ALL | {"length": 3}, {"count": 200, "seed": 33} | TO_100, {}),
    ("countdown", ALL | {"length": 4}, {"count": 200, "seed": 34, "rising": True} | TO_100, {}),
    ("countdown", WIDE | {"length": 3}, {"count": 8, "seed": 35, "target": 77}, {"plain": True}),
    ("countdown", {"length": 2}, {"count": 99, "seed": 36, "target": 1500}, {}),
    ("countdown", {"length": 2}, {"count": 60, "seed": 37, "target": 11}, {"repeat": True}),
    ("mathador", {}, {"count": 150, "seed": 38}, {}),
    ("mathador", {}, {"count": 12, "seed": 39, "target": 99}, {"levels": range(4, 6)}),
    ("mathador", {"length": 4, "dice": ()}, {"count": 12, "seed": 40}, {}),
]


def dealt(name: str, *fields: Fields, executor: Executor | None = None) -> list[str]:
    """Return a deal as lines; more than 4 lines are the first 4 and the digest of all."""
    rules, arguments, conditions = fields
    game: Game = replace(GAMES[name], **rules)
    try:
        puzzles = deal(game, **arguments, conditions=Conditions(**conditions), executor=executor)
    except ValueError as error:
        return [repr(game), repr(arguments), str(error)]
    # Hands without a fraction were dealt before.
    lines = [puzzles.command.removesuffix(" --whole")]
    for puzzle in puzzles:
        difficulty: Any = puzzle.difficulty
        grade = difficulty.bits, difficulty.level, difficulty.seconds
        lines.append(f"{puzzle.id} {puzzle.best} {grade}")
    return [*lines[:4], sha256("\n".join(lines).encode()).hexdigest()] if len(lines) > 4 else lines


@pytest.fixture(scope="module")
def recorded() -> list[list[str]]:
    if "CRISPS24_UPDATE_DRAWING" in os.environ:
        FILE.write_text(f"{json.dumps([dealt(*arguments) for arguments in DEALS], indent=0)}\n")
    deals: list[list[str]] = json.loads(FILE.read_text())
    assert len(deals) == len(DEALS)
    return deals


@pytest.mark.parametrize("index", some(range(len(DEALS)), 16))
def test_deal_equals_the_recorded_deal(recorded: list[list[str]], index: int) -> None:
    assert dealt(*DEALS[index]) == recorded[index]


@pytest.mark.parametrize(
    ("start", "indices"),
    [(ThreadPoolExecutor, some(range(0, len(DEALS), 4), 3)), (processes, (4, 22))],
)
def test_deal_with_an_executor_is_the_same(
    recorded: Any, start: Any, indices: Sequence[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Tasks of 3 hands; two tasks run at a time.
    monkeypatch.setattr(dealing, "_HANDS_PER_TASK", 3)
    with start(2) as executor:
        for index in indices:
            assert dealt(*DEALS[index], executor=executor) == recorded[index]


@pytest.mark.parametrize(("max_hands", "indices"), [(1, (11, 24, 39)), (7, (18, 32, 43))])
def test_look_ahead_size_does_not_change_the_deal(
    recorded: Any, max_hands: int, indices: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dealing, "_MAX_HANDS_AHEAD", max_hands)
    for index in indices:
        assert dealt(*DEALS[index]) == recorded[index]
