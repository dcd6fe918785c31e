"""Arguments are parsed once: the number of times that a command looks up its game."""

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from crisps24.cli.program import main
from crisps24.rules.games import find_game


@pytest.mark.parametrize(
    ("words", "times"),
    [
        ("results 143", 1),
        ("count 24", 1),
        ("formulas 24 --limit 3", 1),
        ("reach 2 3 --ways --in-order", 1),
        # A puzzle also looks up the name of its game.
        ("solve 4 3 8 4 --steps", 2),
        ("check 3*8 --card 3,8 --steps", 1),
    ],
)
def test_command_looks_up_its_game_once(
    words: str, times: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    games: list[Any] = []

    def record_call(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is find_game.__code__:
            games.append(frame.f_locals["game"])

    monkeypatch.chdir(tmp_path)
    sys.setprofile(record_call)
    try:
        assert main(words.split()) == 0
    finally:
        sys.setprofile(None)
    assert len(games) == times
    assert [game for game in games if isinstance(game, str)] == ["crisps"]
