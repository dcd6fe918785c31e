"""The shipped costs agree with people's times, and the fit agrees with the README."""

import re
from pathlib import Path

import numpy as np
import pytest

from crisps24 import GAMES
from crisps24.hands.costs import COSTS
from crisps24.solving.effort import estimate_seconds
from crisps24.surveys.difficulties import survey_difficulty
from tests.difficulty import fit
from tests.sampling import only_in_long_run

HERE = Path(__file__).parent
HANDS, SECONDS, SOLVED = PUZZLES = fit.read_timed_puzzles()


def test_shipped_costs_rank_hands_as_people_do() -> None:
    assert fit.spearman(fit.shipped_bits(HANDS), SECONDS) >= 0.893


def test_bits_of_the_fit_equal_bits_of_the_package() -> None:
    bits, _ = fit.difficulty_bits(fit.find_routes(tuple(HANDS)), fit.SHIPPED_COSTS)
    assert bits + np.log2(24) == pytest.approx(fit.shipped_bits(HANDS), abs=0.00051)


def test_shipped_costs_are_rounded_fitted_costs() -> None:
    routes, scores = fit.find_routes(tuple(HANDS)), fit.normal_scores(SECONDS)
    fitted = fit.fit_costs(routes, scores, np.arange(1000), fit.SHIPPED_COSTS)
    assert pytest.approx(fitted, abs=0.25) == fit.SHIPPED_COSTS


def test_each_of_the_seven_costs_has_a_reason() -> None:
    assert list(COSTS) == ["neutral", "one", "equal", "division", "carry", "fraction", "size"]
    assert all(cost.bits % 0.5 == 0 for cost in COSTS.values())
    assert all(cost.bits and cost.reason for cost in COSTS.values())


def test_estimated_seconds_agree_with_people() -> None:
    bits = fit.shipped_bits(HANDS)
    least, factor, rate = fit.fit_time_curve(bits, SECONDS)
    shipped = [estimate_seconds(hand_bits) for hand_bits in bits.tolist()]
    expected = least + factor * 2 ** (rate * bits)
    assert np.array(shipped) == pytest.approx(expected, rel=0.03, abs=0.1)
    assert np.median(np.abs(np.log2(SECONDS / shipped))) < 0.25


def test_levels_of_the_card_game_start_at_its_percentiles() -> None:
    bits = {row["share"]: row["bits"] for row in survey_difficulty("cards").by_share()}
    cutoffs = [bits[share] for share in (0.2, 0.5, 0.75, 0.9)]
    assert pytest.approx(cutoffs, abs=0.05) == GAMES["cards"].cutoffs


NUMBER = re.compile(r"[+-]?\d+\.\d+")


@only_in_long_run
def test_readme_contains_the_output_of_the_fit(capsys: pytest.CaptureFixture[str]) -> None:
    fit.print_costs(PUZZLES)
    fit.print_levels(PUZZLES)
    printed = [line for line in capsys.readouterr().out.splitlines() if line]
    lines = [line.strip() for line in (HERE / "README.md").read_text().splitlines()]
    patterns = [NUMBER.sub("#", line) for line in lines]
    start = 0
    for line in printed:
        assert NUMBER.sub("#", line) in patterns[start:]
        start = patterns.index(NUMBER.sub("#", line), start) + 1
        expected = [float(number) for number in NUMBER.findall(lines[start - 1])]
        numbers = [float(number) for number in NUMBER.findall(line)]
        assert expected == pytest.approx(numbers, abs=0.002)


def test_documents_have_the_cutoffs_and_the_correlation_outside_the_fit() -> None:
    text = (HERE / "README.md").read_text()
    rows = {row.split()[1]: NUMBER.findall(row) for row in text.splitlines() if row[:2] == "| "}
    dealt = ("numble", "countdown", "krypto", "mathador")
    for name, levels in ((name, GAMES[name].cutoffs) for name in ("cards", *dealt)):
        assert tuple(round(float(number), 1) for number in rows[name]) == levels
    guide = (HERE.parents[1] / "crisps24" / "docs" / "teachers.md").read_text()
    for document in (text, " ".join(guide.split())):
        assert "about 0.89" in document
        assert "362" in document
    assert "were in view" in text
