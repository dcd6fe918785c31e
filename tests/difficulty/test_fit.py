"""The costs that are shipped are held to people's times, and the fit is as good as is told."""

from pathlib import Path

import numpy as np
import pytest

from crisps24.hands import effort
from crisps24.hands.costs import COSTS
from crisps24.hands.effort import estimated
from crisps24.rules.games import GAMES
from tests.difficulty import fifths, fit
from tests.difficulty.timed import Timed, ranks, spearman, timed

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def told() -> Timed:
    return timed()


@pytest.fixture(scope="module")
def routes(told: Timed) -> fit.Routes:
    return fit.routes_of(told.hands)


def test_the_data_are_a_thousand_hands_that_people_solved(told: Timed) -> None:
    assert len(set(told.hands)) == len(told.hands) == 1000
    assert all(len(hand) == 4 and hand == tuple(sorted(hand)) for hand in told.hands)
    assert told.seconds.min() > 0
    assert ((told.solved > 0) & (told.solved <= 100)).all()


def test_the_shipped_costs_rank_the_hands_as_people_do(told: Timed) -> None:
    assert spearman(fit.shipped_bits(told.hands), told.seconds) >= 0.915


def test_costs_rank_hands_that_they_were_not_fitted_to(told: Timed, routes: fit.Routes) -> None:
    assert fit.held_out(routes, told.seconds, seeds=range(2)) >= 0.91


def test_the_fit_adds_up_the_routes_that_the_package_does(told: Timed, routes: fit.Routes) -> None:
    bits, _ = fit.bits_of(routes, fit.SHIPPED)
    assert bits + np.log2(24) == pytest.approx(fit.shipped_bits(told.hands), abs=0.00051)


def test_the_shipped_costs_are_what_is_fitted_but_for_rounding(
    told: Timed, routes: fit.Routes
) -> None:
    every = np.arange(len(told.hands))
    found = fit.fitted(routes, fit.normal_scores(told.seconds), every, fit.SHIPPED)
    assert pytest.approx(found, abs=0.25) == fit.SHIPPED


def test_there_are_at_most_ten_parameters_and_each_has_its_reason() -> None:
    assert len(COSTS) <= 10
    assert all(cost.bits and cost.why for cost in COSTS.values())


def test_seconds_are_those_that_people_took(told: Timed) -> None:
    bits = fit.shipped_bits(told.hands)
    least, factor, rate = fit.time_curve(bits, told.seconds)
    shipped = [estimated(each) for each in bits.tolist()]
    assert np.array(shipped) == pytest.approx(
        least + factor * 2 ** (rate * bits), rel=0.03, abs=0.1
    )
    assert np.median(np.abs(np.log2(told.seconds / shipped))) < 0.25


def test_equal_values_share_their_rank() -> None:
    assert ranks(np.array([5.0, 1.0, 5.0, 9.0])).tolist() == [1.5, 0, 1.5, 3]


def test_levels_of_the_card_game_begin_at_its_percentiles() -> None:
    counts = fifths.counted(GAMES["cards"])
    assert counts.sum() == 1362
    found = fifths.parted(counts, fifths.PERCENTILES)
    assert pytest.approx(found, abs=0.05) == effort.OWN_TARGET


def test_the_command_that_finds_where_levels_begin_stands_beside_them() -> None:
    text = Path(effort.__file__).read_text()
    assert f"`python -m {fifths.__name__}`" in text
    assert f"`python -m {fit.__name__}`" in text
    assert set(effort.DEALT_TARGET) == {name for name, game in GAMES.items() if game.target is None}


def test_the_table_in_the_readme_is_that_of_the_costs() -> None:
    rows = (HERE / "README.md").read_text().splitlines()
    shipped = {
        name.strip(): bits
        for _, name, bits, *_ in (row.split("|") for row in rows if row[:1] == "|")
    }
    for name, cost in COSTS.items():
        assert float(shipped[name]) == cost.bits
