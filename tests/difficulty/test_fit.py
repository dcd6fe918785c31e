"""The costs that are shipped are held to people's times, and the fit is as good as is told."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from crisps24.hands.costs import COSTS
from crisps24.rules.games import GAMES
from crisps24.rules.operators import OPERATORS
from crisps24.rules.ratios import Ratios
from crisps24.solving import effort
from crisps24.solving.effort import estimate_seconds
from crisps24.surveys.difficulties import survey_difficulty
from tests.difficulty import fit
from tests.difficulty.candidates import OF_HANDS, OF_STEPS
from tests.difficulty.timed import Timed, logged, ranks, spearman, timed

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def told() -> Timed:
    return timed()


@pytest.fixture(scope="module")
def routes(told: Timed) -> fit.Routes:
    return fit.routes_of(tuple(told.hands))


def test_the_data_are_a_thousand_hands_that_people_solved(told: Timed) -> None:
    assert len(set(told.hands)) == len(told.hands) == 1000
    assert all(len(hand) == 4 and hand == tuple(sorted(hand)) for hand in told.hands)
    assert told.seconds.min() > 0
    assert ((told.solved > 0) & (told.solved <= 100)).all()


def test_the_shipped_costs_rank_the_hands_as_people_do(told: Timed) -> None:
    assert spearman(fit.shipped_bits(told.hands), told.seconds) >= 0.893


def test_features_are_chosen_in_each_fold_anew(told: Timed, routes: fit.Routes) -> None:
    one = fit.normal_scores(told.seconds)
    half = np.arange(0, 1000, 2)
    columns = fit.chosen(routes, one, half)
    assert columns[: len(fit.OWN)] == fit.OWN
    assert len(columns) <= len(fit.OWN) + fit.MOST_ADDED
    # What the hands judged are does not change what is chosen without them.
    other = one.copy()
    other[1::2] = other[1::2][::-1]
    assert fit.chosen(routes, other, half) == columns
    # Where there is nothing to be found nothing is chosen.
    noise = fit.normal_scores(np.random.default_rng(1).permutation(told.seconds))
    assert fit.chosen(routes, noise, np.arange(1000)) == fit.OWN


def test_candidates_are_what_they_are_called() -> None:
    def of(sign: str, left: int, right: int) -> set[str]:
        columns = [Ratios(np.array([each]), np.array([1])) for each in (left, right)]
        operator = OPERATORS[sign]
        return {name for name, (has, _) in OF_STEPS.items() if has(operator, *columns).all()}

    assert of("+", 5, 5) == {"double", "carry at the end"}
    assert of("x", 2, 9) == of(":", 8, 2) == {"double"}
    assert of(":", 2, 1) == of("-", 5, 5) == of("+", 0, 17) == set()
    assert of("+", 13, 4) == {"14 to 19"}
    lure = OF_HANDS["lure"]
    assert lure(np.array([[3, 3, 7, 8], [1, 2, 12, 13]])).tolist() == [2, 2]


def test_the_fit_adds_up_the_routes_that_the_package_does(told: Timed, routes: fit.Routes) -> None:
    bits, _ = fit.bits_of(own(routes), fit.SHIPPED)
    assert bits + np.log2(24) == pytest.approx(fit.shipped_bits(told.hands), abs=0.00051)


def test_the_shipped_costs_are_what_is_fitted_but_for_rounding(
    told: Timed, routes: fit.Routes
) -> None:
    every = np.arange(len(told.hands))
    found = fit.fitted(own(routes), fit.normal_scores(told.seconds), every, fit.SHIPPED)
    assert pytest.approx(found, abs=0.25) == fit.SHIPPED


def own(routes: fit.Routes) -> fit.Routes:
    """Return routes with the features of the costs that are shipped alone."""
    return fit.with_columns(routes, fit.OWN)


def test_there_are_seven_costs_and_each_has_its_reason() -> None:
    assert list(COSTS) == ["neutral", "one", "equal", "division", "carry", "fraction", "size"]
    assert all(cost.bits % 0.5 == 0 for cost in COSTS.values())
    assert all(cost.bits and cost.reason for cost in COSTS.values())


def test_seconds_are_those_that_people_took(told: Timed) -> None:
    bits = fit.shipped_bits(told.hands)
    least, factor, rate = fit.time_curve(bits, told.seconds)
    shipped = [estimate_seconds(each) for each in bits.tolist()]
    assert np.array(shipped) == pytest.approx(
        least + factor * 2 ** (rate * bits), rel=0.03, abs=0.1
    )
    assert np.median(np.abs(np.log2(told.seconds / shipped))) < 0.25


def test_equal_values_share_their_rank() -> None:
    assert ranks(np.array([5.0, 1.0, 5.0, 9.0])).tolist() == [1.5, 0, 1.5, 3]


def test_levels_of_the_card_game_begin_at_its_percentiles() -> None:
    found = {row["share"]: row["bits"] for row in survey_difficulty("cards").by_share()}
    cuts = [found[share] for share in (0.2, 0.5, 0.75, 0.9)]
    assert pytest.approx(cuts, abs=0.05) == effort.FIXED_TARGET_CUTOFFS


def test_the_commands_that_find_costs_and_levels_stand_beside_them() -> None:
    text = Path(effort.__file__).read_text()
    assert "`crisps24 survey cards --difficulty --by share`" in text
    assert f"`python -m {fit.__name__}`" in text
    assert set(effort.DEALT_TARGET_CUTOFFS) == {
        name for name, game in GAMES.items() if game.target is None
    }


NUMBER = re.compile(r"[+-]?\d+\.\d+")


def test_the_readme_has_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    fit.main([])
    printed = [line for line in capsys.readouterr().out.splitlines() if line]
    assert any(line.startswith("| nested: ") for line in printed)
    said = [line.strip() for line in (HERE / "README.md").read_text().splitlines()]
    places = [NUMBER.sub("#", line) for line in said]
    at = 0
    for line in printed:
        assert NUMBER.sub("#", line) in places[at:]
        at = places.index(NUMBER.sub("#", line), at) + 1
        numbers = [float(each) for each in NUMBER.findall(line)]
        assert [float(each) for each in NUMBER.findall(said[at - 1])] == pytest.approx(
            numbers, abs=0.002
        )


def test_the_documents_have_where_levels_begin_and_what_holds_outside_the_fit() -> None:
    text = (HERE / "README.md").read_text()
    cuts = {row.split()[1]: NUMBER.findall(row) for row in text.splitlines() if row[:2] == "| "}
    for name, levels in (
        {"cards": effort.FIXED_TARGET_CUTOFFS} | effort.DEALT_TARGET_CUTOFFS
    ).items():
        assert tuple(round(float(each), 1) for each in cuts[name]) == levels
    guide = (HERE.parents[1] / "crisps24" / "docs" / "teachers.md").read_text()
    for each in (text, " ".join(guide.split())):
        assert "about 0.89" in each
        assert "362" in each
    assert "were in view" in text


def rows_of(told: Timed, pace: float) -> list[str]:
    """Return the log of somebody who takes so many times as long as all."""
    return [
        json.dumps(
            {
                "id": f"cards:{'.'.join(map(str, hand))}=24",
                "seconds": round(pace * seconds, 1),
                "hints": 0,
                "wrong": 0,
                "result": "right",
            }
        )
        for hand, seconds in zip(told.hands, told.seconds.tolist(), strict=True)
    ]


def row(result: str = "right", seconds: float = 4, hints: int = 0, which: str = "") -> str:
    said = which or "cards:3.8.3.8=24"
    return json.dumps({"id": said, "seconds": seconds, "hints": hints, "result": result})


def test_a_log_times_a_hand_by_the_rounds_in_which_it_was_made_without_a_hint() -> None:
    lines = [row(seconds=4), row(seconds=30), row(seconds=8), row(hints=1), row("skipped")]
    found = logged([*lines, row("left"), row("left"), row(seconds=0)])
    assert found.hands == [(3, 3, 8, 8)]
    assert found.seconds.tolist() == [8]
    assert found.solved.tolist() == [60]


@pytest.mark.parametrize(
    "line",
    [
        row(which="crisps:4.3.8.4=24"),
        row(which="cards:3.3.8.8=25"),
        row(which="cards:3.8.1=24"),
        row(which="cards:3.3.8.8=24,fractions=no"),
        row("skipped"),
        row("left"),
        row(hints=2),
    ],
)
def test_what_tells_nothing_of_the_timed_game_is_left_out(line: str) -> None:
    assert logged([line]).hands == []


@pytest.mark.parametrize("line", ["", "{", "[]", "3", '{"id": "cards:3.3.8.8=24"}', row(which="?")])
def test_a_line_that_is_no_row_is_named(line: str) -> None:
    with pytest.raises(ValueError, match=r"^line 2 is no row of a log"):
        logged([row(), line])


def test_one_player_is_beside_all_at_their_pace(
    told: Timed, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "times.jsonl"
    some = Timed(told.hands[::10], told.seconds[::10], told.solved[::10])
    log.write_text("".join(f"{line}\n" for line in rows_of(some, pace=3)))
    both = fit.told_with(log)
    assert both.hands == [*told.hands, *some.hands]
    # Times thrice as long are those of all again, but for what all differ from the estimate.
    assert np.median(both.seconds[1000:] / some.seconds) == pytest.approx(1, rel=0.1)
    assert capsys.readouterr().out.startswith("100 hands of times.jsonl\nSpearman")
    assert fit.routes_of(tuple(both.hands[900:])).hands.max() == 199
    log.write_text("")
    assert fit.told_with(log).hands == told.hands


def test_a_log_that_cannot_be_read_is_told_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for log, why in ((tmp_path / "nowhere", "No such file"), (tmp_path / "torn", "line 1 is no")):
        (tmp_path / "torn").write_text("{")
        with pytest.raises(SystemExit):
            fit.main(["--log", str(log)])
        assert why in capsys.readouterr().err.splitlines()[-1]
