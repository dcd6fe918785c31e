"""The shipped costs agree with people's times, and the fit agrees with the README."""

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
from tests.difficulty.candidates import HAND_CANDIDATES, STEP_CANDIDATES
from tests.difficulty.timed import TimedPuzzles, ranks, read_log, read_timed_puzzles, spearman
from tests.sampling import only_in_long_run

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def puzzles() -> TimedPuzzles:
    return read_timed_puzzles()


@pytest.fixture(scope="module")
def routes(puzzles: TimedPuzzles) -> fit.Routes:
    return fit.find_routes(tuple(puzzles.hands))


def test_data_are_1000_hands_that_people_solved(puzzles: TimedPuzzles) -> None:
    assert len(set(puzzles.hands)) == len(puzzles.hands) == 1000
    assert all(len(hand) == 4 and hand == tuple(sorted(hand)) for hand in puzzles.hands)
    assert puzzles.seconds.min() > 0
    assert ((puzzles.solved > 0) & (puzzles.solved <= 100)).all()


def test_shipped_costs_rank_hands_as_people_do(puzzles: TimedPuzzles) -> None:
    assert spearman(fit.shipped_bits(puzzles.hands), puzzles.seconds) >= 0.893


@only_in_long_run
def test_features_are_chosen_without_the_hands_outside_the_fold(
    puzzles: TimedPuzzles, routes: fit.Routes
) -> None:
    scores = fit.normal_scores(puzzles.seconds)
    half = np.arange(0, 1000, 2)
    columns = fit.choose_columns(routes, scores, half)
    assert columns[: len(fit.COST_COLUMNS)] == fit.COST_COLUMNS
    assert len(columns) <= len(fit.COST_COLUMNS) + fit.MAX_ADDED
    # Scores of the other half do not change the choice.
    changed = scores.copy()
    changed[1::2] = changed[1::2][::-1]
    assert fit.choose_columns(routes, changed, half) == columns
    # No feature is chosen for shuffled times.
    noise = fit.normal_scores(np.random.default_rng(1).permutation(puzzles.seconds))
    assert fit.choose_columns(routes, noise, np.arange(1000)) == fit.COST_COLUMNS


def test_candidates_match_their_names() -> None:
    def features(sign: str, left: int, right: int) -> set[str]:
        columns = [Ratios(np.array([number]), np.array([1])) for number in (left, right)]
        operator = OPERATORS[sign]
        return {name for name, (has, _) in STEP_CANDIDATES.items() if has(operator, *columns).all()}

    assert features("+", 5, 5) == {"double", "carry at the end"}
    assert features("x", 2, 9) == features(":", 8, 2) == {"double"}
    assert features(":", 2, 1) == features("-", 5, 5) == features("+", 0, 17) == set()
    assert features("+", 13, 4) == {"14 to 19"}
    lure = HAND_CANDIDATES["lure"]
    assert lure(np.array([[3, 3, 7, 8], [1, 2, 12, 13]])).tolist() == [2, 2]


def test_bits_of_the_fit_equal_bits_of_the_package(
    puzzles: TimedPuzzles, routes: fit.Routes
) -> None:
    bits, _ = fit.difficulty_bits(with_shipped_features(routes), fit.SHIPPED_COSTS)
    assert bits + np.log2(24) == pytest.approx(fit.shipped_bits(puzzles.hands), abs=0.00051)


def test_shipped_costs_are_rounded_fitted_costs(puzzles: TimedPuzzles, routes: fit.Routes) -> None:
    hands = np.arange(len(puzzles.hands))
    scores = fit.normal_scores(puzzles.seconds)
    fitted = fit.fit_costs(with_shipped_features(routes), scores, hands, fit.SHIPPED_COSTS)
    assert pytest.approx(fitted, abs=0.25) == fit.SHIPPED_COSTS


def with_shipped_features(routes: fit.Routes) -> fit.Routes:
    return fit.select_features(routes, fit.COST_COLUMNS)


def test_each_of_the_seven_costs_has_a_reason() -> None:
    assert list(COSTS) == ["neutral", "one", "equal", "division", "carry", "fraction", "size"]
    assert all(cost.bits % 0.5 == 0 for cost in COSTS.values())
    assert all(cost.bits and cost.reason for cost in COSTS.values())


def test_estimated_seconds_agree_with_people(puzzles: TimedPuzzles) -> None:
    bits = fit.shipped_bits(puzzles.hands)
    least, factor, rate = fit.fit_time_curve(bits, puzzles.seconds)
    shipped = [estimate_seconds(hand_bits) for hand_bits in bits.tolist()]
    assert np.array(shipped) == pytest.approx(
        least + factor * 2 ** (rate * bits), rel=0.03, abs=0.1
    )
    assert np.median(np.abs(np.log2(puzzles.seconds / shipped))) < 0.25


def test_equal_values_have_the_same_rank() -> None:
    assert ranks(np.array([5.0, 1.0, 5.0, 9.0])).tolist() == [1.5, 0, 1.5, 3]


def test_levels_of_the_card_game_start_at_its_percentiles() -> None:
    bits = {row["share"]: row["bits"] for row in survey_difficulty("cards").by_share()}
    cutoffs = [bits[share] for share in (0.2, 0.5, 0.75, 0.9)]
    assert pytest.approx(cutoffs, abs=0.05) == effort.FIXED_TARGET_CUTOFFS


def test_module_of_effort_names_the_commands_that_compute_its_constants() -> None:
    text = Path(effort.__file__).read_text()
    assert "`crisps24 survey cards --difficulty --by share`" in text
    assert f"`python -m {fit.__name__}`" in text
    assert set(effort.DEALT_TARGET_CUTOFFS) == {
        name for name, game in GAMES.items() if game.target is None
    }


NUMBER = re.compile(r"[+-]?\d+\.\d+")


@only_in_long_run
def test_readme_contains_the_output_of_the_fit(capsys: pytest.CaptureFixture[str]) -> None:
    fit.main([])
    printed = [line for line in capsys.readouterr().out.splitlines() if line]
    assert any(line.startswith("| nested: ") for line in printed)
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
    cutoffs = {"cards": effort.FIXED_TARGET_CUTOFFS} | effort.DEALT_TARGET_CUTOFFS
    for name, levels in cutoffs.items():
        assert tuple(round(float(number), 1) for number in rows[name]) == levels
    guide = (HERE.parents[1] / "crisps24" / "docs" / "teachers.md").read_text()
    for document in (text, " ".join(guide.split())):
        assert "about 0.89" in document
        assert "362" in document
    assert "were in view" in text


def log_lines(puzzles: TimedPuzzles, pace: float) -> list[str]:
    """Return the log of a player who needs `pace` times the mean time for each hand."""
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
        for hand, seconds in zip(puzzles.hands, puzzles.seconds.tolist(), strict=True)
    ]


def log_line(
    result: str = "right", seconds: float = 4, hints: int = 0, puzzle_id: str = "cards:3.8.3.8=24"
) -> str:
    return json.dumps({"id": puzzle_id, "seconds": seconds, "hints": hints, "result": result})


def test_time_of_a_hand_is_the_median_of_rounds_solved_without_a_hint() -> None:
    lines = [
        log_line(seconds=4),
        log_line(seconds=30),
        log_line(seconds=8),
        log_line(hints=1),
        log_line("skipped"),
    ]
    ignored = [log_line("left"), log_line("left"), log_line(seconds=0)]
    puzzles = read_log([*lines, *ignored])
    assert puzzles.hands == [(3, 3, 8, 8)]
    assert puzzles.seconds.tolist() == [8]
    assert puzzles.solved.tolist() == [60]


@pytest.mark.parametrize(
    "line",
    [
        log_line(puzzle_id="crisps:4.3.8.4=24"),
        log_line(puzzle_id="cards:3.3.8.8=25"),
        log_line(puzzle_id="cards:3.8.1=24"),
        log_line(puzzle_id="cards:3.3.8.8=24,fractions=no"),
        log_line("skipped"),
        log_line("left"),
        log_line(hints=2),
    ],
)
def test_lines_without_a_time_for_the_timed_game_are_skipped(line: str) -> None:
    assert read_log([line]).hands == []


@pytest.mark.parametrize(
    "line", ["", "{", "[]", "3", '{"id": "cards:3.3.8.8=24"}', log_line(puzzle_id="?")]
)
def test_invalid_line_is_refused_with_its_number(line: str) -> None:
    with pytest.raises(ValueError, match=r"^line 2 is not a row of a log"):
        read_log([log_line(), line])


@only_in_long_run
def test_times_of_a_player_are_scaled_to_the_average_pace(
    puzzles: TimedPuzzles, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "times.jsonl"
    tenth = TimedPuzzles(puzzles.hands[::10], puzzles.seconds[::10], puzzles.solved[::10])
    log.write_text("".join(f"{line}\n" for line in log_lines(tenth, pace=3)))
    combined = fit.read_puzzles(log)
    assert combined.hands == [*puzzles.hands, *tenth.hands]
    # Scaled times equal the mean times, up to the error of the estimate.
    assert np.median(combined.seconds[1000:] / tenth.seconds) == pytest.approx(1, rel=0.1)
    assert capsys.readouterr().out.startswith("100 hands of times.jsonl\nSpearman")
    assert fit.find_routes(tuple(combined.hands[900:])).hands.max() == 199
    log.write_text("")
    assert fit.read_puzzles(log).hands == puzzles.hands


def test_unreadable_log_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for log, reason in (
        (tmp_path / "nowhere", "No such file"),
        (tmp_path / "torn", "line 1 is not"),
    ):
        (tmp_path / "torn").write_text("{")
        with pytest.raises(SystemExit):
            fit.main(["--log", str(log)])
        assert reason in capsys.readouterr().err.splitlines()[-1]
