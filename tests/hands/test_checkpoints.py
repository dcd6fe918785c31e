"""A search that is stopped goes on from its checkpoint, with equal values and less work."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from crisps24 import GAMES, Game, RefusedError, reachable
from crisps24.hands import checkpoints
from crisps24.hands.by_value import ValueChart
from crisps24.rules.games import Hand
from crisps24.rules.work import Budget

_CARDS = replace(GAMES["cards"], all_numbers=False)


@pytest.fixture(autouse=True)
def _written_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "_SECONDS_BETWEEN", 0)


@pytest.fixture
def budgets(monkeypatch: pytest.MonkeyPatch) -> list[Budget]:
    made = list[Budget]()
    # Forecasts have budgets too, of no search.
    keep = lambda budget: made.extend([budget] * (budget.search != "this search"))  # noqa: E731
    monkeypatch.setattr(Budget, "on_create", keep)
    return made


def _stopped_after(steps: int) -> Callable[..., None]:
    store, count = ValueChart._store, itertools.count()

    def stop(chart: ValueChart, *results: object) -> None:
        if next(count) == steps:
            raise KeyboardInterrupt
        store(chart, *results)  # type: ignore[arg-type]

    return stop


@pytest.mark.parametrize(
    ("hand", "game"),
    [
        ((1, 2, 3, 4, 5, 6, 7), GAMES["countdown"]),
        ((2, 3, 5, 7, 11), _CARDS),
        ((10**9, 10**9 + 7, 10**9 + 9, 3, 5, 7), GAMES["countdown"]),
    ],
)
def test_stopped_search_goes_on(
    hand: Hand, game: Game, budgets: list[Budget], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = reachable(hand, game, work=None)
    file = tmp_path / "chart.npz"
    with monkeypatch.context() as patch:
        patch.setattr(ValueChart, "_store", _stopped_after(4))
        with pytest.raises(KeyboardInterrupt):
            reachable(hand, game, work=None, checkpoint=file)
    assert reachable(hand, game, work=None, checkpoint=file) == expected
    whole, stopped, rest = [budget.pairs for budget in budgets]
    assert stopped <= whole
    # What was computed for the part that was not stored is lost.
    assert whole - stopped < rest < whole
    # Now all parts are stored: only the last step is left.
    assert reachable(hand, game, work=None, checkpoint=file) == expected
    assert budgets[-1].pairs <= rest


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "chart.npz"
    reachable((1, 2, 3, 4), "cards", checkpoint=file)
    before = file.read_bytes()
    for hand, game in (((1, 2, 3, 5), "cards"), ((1, 2, 3, 4), "countdown")):
        with pytest.raises(RefusedError, match="is of 1 2 3 4 in GAMES"):
            reachable(hand, game, checkpoint=file)
    assert file.read_bytes() == before
    powers = replace(_CARDS, operators=("+", "^"))
    with pytest.raises(RefusedError):
        reachable((1, 2, 3), powers, checkpoint=tmp_path / "none.npz")
    for content in (b"", b"1,2,3", before[: len(before) // 2]):
        file.write_bytes(content)
        with pytest.raises(RefusedError, match="is no checkpoint"):
            reachable((1, 2, 3, 4), "cards", checkpoint=file)
    with pytest.raises(IsADirectoryError):
        reachable((1, 2, 3, 4), "cards", checkpoint=tmp_path)
