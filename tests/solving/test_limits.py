"""Limits of searches: forecasts, budgets, and the first of many solutions."""

import shlex
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import crisps24
from crisps24 import GAMES, Puzzle, closest, count_solutions, reachable, solutions, solve
from crisps24.errors import RefusedError
from crisps24.hands.goals import Goal, GoalSet
from crisps24.judging.records import Attempt
from crisps24.judging.rows import Task, judge_batch
from crisps24.notation.trees import numbers_of
from crisps24.rules.games import Game, Hand
from crisps24.rules.queries import HandQuery
from crisps24.rules.work import Budget
from crisps24.solving import solver
from crisps24.solving import work as limits
from crisps24.solving.ranking import Solution
from crisps24.solving.solver import make_chart
from tests.commands import Run
from tests.hand_oracle import Rules, read
from tests.sampling import in_one_test, some

DIGITS, CARDS, KRYPTO = GAMES["digits"], GAMES["cards"], GAMES["krypto"]
# Without parentheses, whole numbers, every one used.
ROWS = replace(DIGITS, parentheses=False, fractions=False, negatives=True, all_numbers=True)
ALL_FLAGS = {"join": True, "fractions": True, "all_numbers": False}


# Changes of that game, whether the numbers keep their order, and the size of the largest hand that
# is small.
@in_one_test(
    ("changes", "in_order", "most"),
    ({}, False, 6),
    *((changes, True, 12) for changes in ({}, {"fractions": True}, {"all_numbers": False})),
    ({"fractions": True, "all_numbers": False}, True, 10),
    *(({"parentheses": True}, in_order, 6) for in_order in (True, False)),
    ({"join": True}, False, 5),
    *(({"join": True, name: value}, True, 10) for name, value in ALL_FLAGS.items()),
    (ALL_FLAGS, True, 9),
    ({"join": True, "parentheses": True}, True, 6),
    ({"join": True, "parentheses": True}, False, 5),
)
def test_small_hands_ignore_the_limit(changes: dict[str, Any], in_order: bool, most: int) -> None:
    game = replace(ROWS, **changes, in_order=in_order)
    assert limits.is_small(most, game)
    assert not limits.is_small(most + 1, game)
    assert solve((1,) * most, 24, game, work=1) is not None
    assert reachable((1,) * most, game, work=1)


@contextmanager
def traced() -> Iterator[list[int]]:
    """Give a list that gets the most bytes that the block allocates at a time."""
    peaks: list[int] = []
    tracemalloc.start()
    try:
        yield peaks
        peaks.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()


FAR, LONG_KRYPTO = tuple(range(1, 41)), replace(KRYPTO, numbers=(1, 2, 25), length=40)


@in_one_test(
    "search",
    lambda work: solve(FAR, 24, CARDS, work=work),
    lambda work: solutions(FAR, 24, CARDS, in_order=True, work=work),
    lambda work: next(crisps24.solve_many([(FAR, 24)], CARDS, work=work)),
    lambda work: reachable(FAR, CARDS, work=work),
    lambda work: reachable(FAR, CARDS, only=[24], work=work),
    lambda work: count_solutions(FAR, CARDS, work=work),
    lambda work: count_solutions(FAR[:9], replace(DIGITS, join=True), work=work),
    lambda work: closest(FAR, 24, CARDS, work=work),
    lambda work: crisps24.difficulty(FAR, 24, CARDS, work=work),
    lambda work: crisps24.count_written(FAR, [24], CARDS, work=work),
    lambda work: crisps24.written_forms(FAR, 24, CARDS, work=work),
    lambda work: Puzzle(FAR, 24, CARDS, work=work).solutions(),
    lambda work: crisps24.deal(replace(CARDS, length=20), work=work),
    lambda work: crisps24.survey(LONG_KRYPTO, 24, work=work),
    lambda work: crisps24.survey_difficulty(LONG_KRYPTO, 24, work=work),
)
def test_large_search_is_refused_before_it_starts(search: Callable[[int | None], object]) -> None:
    # The first call samples the hand and imports modules.
    with pytest.raises(ValueError, match="would fit"):
        search(5_000_000_000)
    with traced() as peaks, pytest.raises(ValueError, match="would fit") as error:
        search(5_000_000_000)
    assert peaks[0] < 50_000_000
    assert "\n" not in str(error.value)
    assert "--work none" in str(error.value)


@in_one_test(
    "line",
    "solve 1 1 1 1 1 2 7 --game krypto --target 24",
    "solve 1 1 1 1 1 2 7 --game krypto --target 24 --first 3",
    "reach 1 1 1 1 1 1 7 --game krypto",
    "count 24 --card '1 2 3 4 5 6 7' --in-order --game cards",
    "formulas 24 --card '1 2 3 4 5 6 7' --in-order --game cards --limit 3",
    "check '1 + 2 + 3 + 4 + 5 + 6 + 7' --card krypto:1.2.3.4.5.6.7=28",
)
def test_option_work_limits_the_search(line: str, run: Run) -> None:
    result = run(f"{line} --work none")
    assert result.status == 0
    assert run(line)[:2] == result[:2]
    # `check` needs no search.
    assert run(f"{line} --work 1000").status == (0 if line.startswith("check") else 2)


def test_size_that_would_fit_fits() -> None:
    hand = tuple(range(1, 14))
    with pytest.raises(ValueError, match=" numbers would fit") as error:
        solve(hand, 24, KRYPTO)
    fits = int(str(error.value).partition(" numbers would fit")[0].split()[-1])
    assert solve(hand[:fits], 24, KRYPTO) is not None
    with pytest.raises(ValueError, match="solving"):
        solve(hand[: fits + 1], 24, KRYPTO)


NINE_CARDS, EIGHT_CARDS = tuple(range(1, 10)), tuple(range(1, 9))
NINE = (1, 3, 7, 11, 12, 16, 20, 23, 25)
COUNTDOWN = GAMES["countdown"]
POINTS = replace(DIGITS, negatives=True, decimals=True)


# Whether searches were measured to fit into some minutes and 2 GB.
@in_one_test(
    ("hand", "game", "task", "in_order", "fits"),
    (EIGHT_CARDS, CARDS, limits.SOLVE, False, True),
    (NINE_CARDS, CARDS, limits.SOLVE, False, False),
    (NINE, KRYPTO, limits.REACH, False, True),
    (NINE, KRYPTO, limits.COUNT_SOLUTIONS, False, False),
    ((2, 3, 5, 8, 9, 10, 25, 50, 75), COUNTDOWN, limits.REACH, False, True),
    (EIGHT_CARDS, CARDS, limits.REACH, False, True),
    (EIGHT_CARDS, CARDS, limits.LIST_VALUES, False, False),
    ((1, 3, 4, 6, 9, 11, 13), CARDS, limits.COUNT_SOLUTIONS, False, False),
    (NINE_CARDS, CARDS, limits.LIST_VALUES, True, True),
    (NINE_CARDS, CARDS, limits.COUNT_SOLUTIONS, True, False),
    ((2, 3, 5, 7, 8), replace(POINTS, join=True, repeating=True), limits.LIST_FORMS, False, True),
    ((2, 3, 5, 7, 8, 9), POINTS, limits.LIST_FORMS, True, True),
    # It takes a minute and 6 GB.
    ((2, 3, 5, 7, 8), replace(POINTS, operators=(*"-+x:^√!",)), limits.LIST_FORMS, False, False),
)
def test_forecast_accepts_searches_that_fit_and_refuses_others(
    hand: Hand, game: Game, task: limits.SearchTask, in_order: bool, fits: bool
) -> None:
    with nullcontext() if fits else pytest.raises(ValueError, match="would fit"):
        limits.budget_for(HandQuery(hand, replace(game, in_order=in_order)), task)


@pytest.mark.parametrize(
    ("search", "hand", "game", "task", "in_order"),
    some(
        [
            (count_solutions, (1, 3, 7, 11, 16, 20), KRYPTO, limits.COUNT_SOLUTIONS, False),
            (count_solutions, (2, 5, 8, 10, 25, 75), COUNTDOWN, limits.COUNT_SOLUTIONS, False),
            (count_solutions, NINE_CARDS, KRYPTO, limits.COUNT_SOLUTIONS, True),
            (reachable, (2, 5, 8, 9, 10, 25, 75), COUNTDOWN, limits.LIST_VALUES, False),
        ],
        2,
    ),
)
def test_estimated_bytes_are_within_a_factor_of_two(
    search: Callable[..., object], hand: Hand, game: Game, task: limits.SearchTask, in_order: bool
) -> None:
    game = replace(game, in_order=in_order)
    said = limits.Forecast(HandQuery(hand, game), task).cost(len(hand)).size
    search(hand[:3], game)
    with traced() as peaks:
        search(hand, game)
    assert peaks[0] / 2 < said < 2 * peaks[0]


def test_typical_hand_is_spread_over_the_numbers_of_the_game() -> None:
    assert limits.typical_hand(replace(GAMES["digits"], length=4)) == (1, 3, 5, 7)
    assert limits.typical_hand(replace(GAMES["digits"], numbers=(1, 2), length=3)) == (1, 1, 2)


LIKELIEST = (2, 5, 8, 9, 10, 25, 75)


@pytest.fixture(scope="module")
def every() -> list[Solution]:
    return solutions(LIKELIEST, 431, "countdown")


def test_first_solutions_are_the_first_of_all(every: list[Solution]) -> None:
    result = solve(LIKELIEST, 431, "countdown", first=10)
    assert (result.details, result.total) == (every[:10], len(every))
    assert result.order == "likeliest first"


@pytest.mark.parametrize(("weighed", "order"), [(10**9, "by share alone"), (0, "in plain order")])
def test_first_of_very_many_solutions_are_chosen_by_share_or_plainly(
    monkeypatch: pytest.MonkeyPatch, every: list[Solution], weighed: int, order: str
) -> None:
    monkeypatch.setattr(solver, "_MAX_RANKED", 10)
    monkeypatch.setattr(solver, "_MAX_WEIGHTED_STEPS", weighed)
    result = solve(LIKELIEST, 431, "countdown", first=10)
    assert (len(result), result.total, result.order) == (10, len(every), order)
    some, all_ = ({each.expression for each in found} for found in (result.details, every))
    assert some <= all_
    if weighed:
        likely = sorted((round(solution.share, 9) for solution in every), reverse=True)
        shares = [round(solution.share, 9) for solution in result.details]
        assert sorted(shares, reverse=True) == likely[:10]
    else:
        assert {solution.share for solution in result.details} == {0}


@pytest.mark.parametrize(
    ("hand", "target", "game", "in_order"),
    [
        (tuple(range(1, 9)), 24, CARDS, True),
        (LIKELIEST, 431, COUNTDOWN, False),
        ((1, 1, 1, 2, 2, 2, 3), 12, KRYPTO, False),
    ],
)
def test_count_of_known_solutions_grows_with_the_parts_up_to_all(
    hand: Hand, target: int, game: Game, in_order: bool
) -> None:
    query = HandQuery(hand, game := replace(game, in_order=in_order))
    every = {solution.expression for solution in solutions(hand, target, game)}
    total = sum(len(numbers_of(solution)) == len(hand) for solution in every)
    chart = make_chart([hand], [target], query, Budget())
    goals = GoalSet([Goal(query.numbers, target)], chart.game)
    counts = [chart.count_known_solutions(size, goals, 1) for size in range(1, len(hand))]
    assert counts == sorted(counts)
    assert 0 < counts[len(hand) // 2] < counts[-1] == total
    assert chart.count_known_solutions(len(hand) - 1, goals, 10**9) == 0


def test_many_solutions_are_refused_before_all_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "_MAX_LISTED", 20)
    monkeypatch.setattr(solver, "results_of_goals", None)
    with pytest.raises(RefusedError, match="the number of solutions is more than 20"):
        solutions(LIKELIEST, 431, COUNTDOWN)


def test_too_many_solutions_are_refused_unless_only_the_first_are_requested(
    monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    hand, target = (1, 1, 1, 1, 1, 1, 7), 14
    every = solutions(hand, target, KRYPTO)
    monkeypatch.setattr(solver, "_MAX_LISTED", len(every))
    assert solutions(hand, target, KRYPTO) == every
    monkeypatch.setattr(solver, "_MAX_LISTED", len(every) - 1)
    reason = f"the number of solutions is more than {len(every) - 1:,}, too many .*--first 20"
    with pytest.raises(ValueError, match=reason):
        solutions(hand, target, KRYPTO)
    ran = run("solve 1 1 1 1 1 1 7 --game krypto --target 14")
    assert (ran.status, "--first 20" in ran.err) == (2, True)
    assert solutions(hand, target, KRYPTO, work=None) == every
    assert solve(hand, target, KRYPTO, first=1).total == len(every)
    # Small hands are never refused, and to disprove a claim one solution is enough.
    assert solutions((1, 2, 3, 4), 24, CARDS)
    assert Puzzle(hand, target, KRYPTO).judge("no solution").code == "solvable"


def test_claim_is_proved_if_the_search_is_quick() -> None:
    claims = {
        Puzzle((1, 1, 1, 1, 1, 1), 99, CARDS): "no-solution",
        Puzzle((1, 1, 1, 1, 1, 1, 1), 999, KRYPTO): "no-solution",
        Puzzle((1, 2, 3, 4, 5, 6, 7), 24, KRYPTO): "solvable",
        Puzzle((1, 2, 3, 4, 5, 6, 7), 28, CARDS): "undecided",
        Puzzle((1, 2, 3, 4, 5, 6, 7, 8), 36, CARDS): "undecided",
    }
    for puzzle, code in claims.items():
        attempt = Attempt("", puzzle.hand, puzzle.target, puzzle.game)
        [row] = judge_batch([(1, {"text": "no solution"})], Task(attempt, "en"))
        assert puzzle.judge("no solution").code == row["code"] == code


def test_claim_is_always_proved_without_a_limit() -> None:
    sums = replace(CARDS, negatives=True, operators=("-", "+"))
    cases = ((999, CARDS, "no-solution"), (-8, sums, "no-solution"), (-6, sums, "solvable"))
    for target, game, code in cases:
        puzzle = Puzzle((1, 1, 1, 1, 1, 1, 2), target, game, work=1)
        assert puzzle.judge("no solution").code == "undecided"
        assert replace(puzzle, work=None).judge("no solution").code == code


def test_invalid_number_of_first_solutions_is_refused() -> None:
    for count in (0, -1, 1.5, "3"):
        with pytest.raises(ValueError, match="invalid number of solutions"):
            solve((3, 3, 8, 8), 24, CARDS, first=count)  # type: ignore[arg-type]


@pytest.mark.parametrize("digits", ["1211311214", "9876543211", "2222222222"])
def test_solutions_of_ten_numbers_in_order_are_functions_of_formulas(digits: str) -> None:
    hand = tuple(map(int, digits))
    rules = Rules(False, False, False, all_numbers=True, in_order=True)
    rows = crisps24.formulas(24, card=hand, in_order=True)
    expected = {read(str(row), rules).function for row in rows}
    result = [read(str(solution), rules).function for solution in solve(hand, 24, in_order=True)]
    assert sorted(result) == sorted(expected)
    assert expected


SIX = (1, 2, 3, 4, 5, 6)
SEARCHES: dict[str, Callable[[], object]] = {
    "solve": lambda: list(solve(SIX, game="countdown", target=100)),
    "solutions": lambda: list(solutions(SIX, game="countdown", target=100)),
    "in order": lambda: list(solve(SIX, game="cards", target=24, in_order=True)),
    "reachable": lambda: reachable(SIX, game="countdown"),
    "count_solutions": lambda: count_solutions(SIX, game="countdown"),
    "closest": lambda: closest(SIX, 100, game="countdown"),
    "count": lambda: crisps24.count(12),
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.parametrize(
    ("limit", "reason"),
    [({"work": 50, "memory": None}, "limit 50"), ({"work": None, "memory": 500}, "of memory")],
    ids=["pairs", "bytes"],
)
def test_a_small_budget_stops_every_search_while_it_runs(
    monkeypatch: pytest.MonkeyPatch, search: Callable[[], object], limit: Any, reason: str
) -> None:
    start = Budget.__init__

    def with_limit(budget: Budget, *doing: str, **others: Any) -> None:
        start(budget, *doing, **(others | limit))

    monkeypatch.setattr(Budget, "__init__", with_limit)
    with pytest.raises(RefusedError, match=reason):
        search()


# Calls, and whether they are answered. Each once took more than 2 GB, was refused only after
# seconds, or was refused without need.
LARGE = {
    "reach 1 2 3 4 5 6 7 8 9 --game countdown --numbers 1..10": True,
    "reach 1 2 3 4 5 6 7 8 9 10 11 --game cards --in-order": True,
    "reach 1 2 3 4 5 6 7 8 9 10 11 12 --game cards --in-order": False,
    "reach 94 95 96 97 98 99 100 --game countdown --numbers 1..100 --fractions --ways": False,
    "reach 3 5 7 9 25 50 75 100 --game countdown --ways": False,
    "solve 1 2 3 4 5 6 7 8 9 10 11 12 --game cards --in-order --target 24": False,
}

# Runs a call and prints its peak memory in kilobytes. The value of `wait4` would include the memory
# of the test process that it was forked from.
PEAK = """
import sys
from pathlib import Path
from crisps24.cli.program import main
status = main(sys.argv[1:])
print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0], file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="this system has no /proc")
@pytest.mark.parametrize(("call", "answered"), some(LARGE.items(), 3))
def test_large_call_is_answered_or_refused_in_one_line(call: str, answered: bool) -> None:
    command = [sys.executable, "-c", PEAK, *shlex.split(call)]
    done = subprocess.run(command, capture_output=True, text=True)
    *said, peak = done.stderr.splitlines()
    assert done.returncode == (0 if answered else 2), said
    # A line of progress can come first.
    assert answered or "--work none" in said[-1]
    # Kilobytes: a refusal comes early.
    assert int(peak) < (1_000_000 if answered else 300_000)
