"""How much a hand may be: work, which is estimated before anything is begun."""

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
from crisps24 import (
    GAMES,
    Puzzle,
    closest,
    count_solutions,
    count_written,
    deal,
    difficulty,
    evaluate,
    formulas,
    reachable,
    solutions,
    solve,
    solve_many,
    survey,
    survey_difficulty,
    written_forms,
)
from crisps24.cli.judging import Task, rows_of_lines
from crisps24.cli.program import main
from crisps24.errors import RefusedError
from crisps24.hands.goals import Goal, GoalSet
from crisps24.judging.records import Attempt
from crisps24.notation.trees import numbers_of
from crisps24.rules.games import Game, Hand
from crisps24.rules.queries import HandQuery
from crisps24.rules.work import Budget
from crisps24.solving import solver
from crisps24.solving.forms import Solution
from crisps24.solving.solver import make_chart
from crisps24.solving.work import (
    COUNT_SOLUTIONS,
    LIST_FORMS,
    LIST_VALUES,
    REACH,
    SOLVE,
    CostEstimate,
    SearchTask,
    budget_for,
    is_small,
    typical_hand,
)
from tests.hand_oracle import Rules, read

DIGITS, CARDS, KRYPTO = GAMES["digits"], GAMES["cards"], GAMES["krypto"]
# Without parentheses, whole numbers, every one used.
ROWS = replace(DIGITS, parentheses=False, fractions=False, negatives=True, all_numbers=True)

# What is changed of such a game, whether the numbers keep their order, and how many are never too
# much work.
MOST: list[tuple[dict[str, Any], bool, int]] = [
    ({}, False, 6),
    ({}, True, 12),
    ({"fractions": True}, True, 12),
    ({"all_numbers": False}, True, 12),
    ({"fractions": True, "all_numbers": False}, True, 10),
    ({"parentheses": True}, True, 6),
    ({"parentheses": True}, False, 6),
    ({"join": True}, False, 5),
    ({"join": True}, True, 10),
    ({"join": True, "fractions": True}, True, 10),
    ({"join": True, "all_numbers": False}, True, 10),
    ({"join": True, "fractions": True, "all_numbers": False}, True, 9),
    ({"join": True, "parentheses": True}, True, 6),
    ({"join": True, "parentheses": True}, False, 5),
]


@pytest.mark.parametrize(("changes", "in_order", "most"), MOST)
def test_as_many_numbers_as_are_never_too_much_are_played_whatever_work_is_allowed(
    changes: dict[str, Any], in_order: bool, most: int
) -> None:
    game = replace(ROWS, **changes)
    assert is_small(most, game, in_order)
    assert not is_small(most + 1, game, in_order)
    assert solve((1,) * most, 24, game, in_order=in_order, work=1) is not None
    assert reachable((1,) * most, game, in_order, work=1)


@contextmanager
def holding_little() -> Iterator[None]:
    """Fail where more than a few megabytes are taken."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


FAR = tuple(range(1, 41))
ASKS: list[Callable[[int | None], object]] = [
    lambda work: solve(FAR, 24, CARDS, work=work),
    lambda work: solutions(FAR, 24, CARDS, in_order=True, work=work),
    lambda work: next(solve_many([(FAR, 24)], CARDS, work=work)),
    lambda work: reachable(FAR, CARDS, work=work),
    lambda work: reachable(FAR, CARDS, only=[24], work=work),
    lambda work: count_solutions(FAR, CARDS, work=work),
    lambda work: count_solutions(FAR[:9], replace(DIGITS, join=True), work=work),
    lambda work: closest(FAR, 24, CARDS, work=work),
    lambda work: difficulty(FAR, 24, CARDS, work=work),
    lambda work: count_written(FAR, [24], CARDS, work=work),
    lambda work: written_forms(FAR, 24, CARDS, work=work),
    lambda work: Puzzle(FAR, 24, CARDS, work=work).solutions(),
    lambda work: deal(replace(CARDS, length=20), work=work),
    lambda work: survey(replace(KRYPTO, numbers=(1, 2, 3, 25), length=40), 24, work=work),
    lambda work: survey_difficulty(replace(KRYPTO, numbers=(1, 2, 25), length=40), 24, work=work),
]


@pytest.mark.parametrize("ask", ASKS)
def test_what_would_take_too_long_is_refused_in_a_sentence_before_it_is_begun(
    ask: Callable[[int | None], object],
) -> None:
    # The first call samples the hand and imports modules.
    with pytest.raises(ValueError, match="would fit"):
        ask(5_000_000_000)
    with holding_little(), pytest.raises(ValueError, match="would fit") as error:
        ask(5_000_000_000)
    assert "\n" not in str(error.value)
    assert "--work none" in str(error.value)


COMMANDS = [
    "solve 1 2 3 4 5 6 7 8 9 10 11 12 --game cards",
    "solve 1 2 3 4 5 6 7 8 9 10 11 12 --game cards --first 3",
    "reach 1 2 3 4 5 6 7 8 9 10 11 12 --game cards",
    "reach 1 2 3 4 5 6 7 8 9 10 11 12 --game cards --ways",
    "count 24 --card '20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5' --in-order --game cards",
    "formulas 24 --card '20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5' --in-order --game cards",
    "deal cards --length 9",
    "play cards --length 9",
    "play cards:1.2.3.4.5.6.7.8.9.10.11.12=24",
    "survey krypto --length 30 --numbers 1..3",
]


@pytest.mark.parametrize("line", COMMANDS)
def test_each_command_refuses_what_is_too_much_in_a_line(
    line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(shlex.split(line)) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    assert "would fit, or add --work none" in err


@pytest.mark.parametrize(
    "line",
    [
        "solve 1 1 1 1 1 2 7 --game krypto --target 24",
        "solve 1 1 1 1 1 2 7 --game krypto --target 24 --first 3",
        "reach 1 1 1 1 1 1 7 --game krypto",
        "count 24 --card '1 2 3 4 5 6 7' --in-order --game cards",
        "formulas 24 --card '1 2 3 4 5 6 7' --in-order --game cards --limit 3",
        "check '1 + 2 + 3 + 4 + 5 + 6 + 7' --card krypto:1.2.3.4.5.6.7=28",
    ],
)
def test_work_may_be_less_or_none(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(line)
    assert main([*words, "--work", "none"]) == 0
    found = capsys.readouterr().out
    assert main(words) == 0
    assert capsys.readouterr().out == found
    # What is to be checked is checked, and no more.
    assert main([*words, "--work", "1000"]) == (0 if words[0] == "check" else 2)


def test_what_would_fit_fits() -> None:
    hand = tuple(range(1, 14))
    with pytest.raises(ValueError, match=" numbers would fit") as error:
        solve(hand, 24, KRYPTO)
    fits = int(str(error.value).partition(" numbers would fit")[0].split()[-1])
    assert solve(hand[:fits], 24, KRYPTO) is not None
    with pytest.raises(ValueError, match="solving"):
        solve(hand[: fits + 1], 24, KRYPTO)


@pytest.mark.parametrize(("count", "total"), [(13, 176), (14, 301), (15, 763)])
def test_rows_of_crisps_in_order_are_not_refused_for_an_estimate_that_is_too_high(
    count: int, total: int
) -> None:
    hand = tuple(range(1, count + 1))
    game = replace(GAMES["crisps"], numbers=hand)
    found = solve(hand, game=game, in_order=True)
    assert len(found) == total
    for each in found:
        assert tuple(number.value for number in numbers_of(each)) == hand
        assert evaluate(each, game) == 24


NINE_CARDS, EIGHT_CARDS = tuple(range(1, 10)), tuple(range(1, 9))
NINE = (1, 3, 7, 11, 12, 16, 20, 23, 25)
COUNTDOWN = GAMES["countdown"]
POINTS = replace(DIGITS, negatives=True, decimals=True)
# What was measured to fit into some minutes and 2 GB, and what was not.
FITS: list[tuple[Hand, Game, SearchTask, bool, bool]] = [
    (EIGHT_CARDS, CARDS, SOLVE, False, True),
    (NINE_CARDS, CARDS, SOLVE, False, False),
    (NINE, KRYPTO, REACH, False, True),
    (NINE, KRYPTO, COUNT_SOLUTIONS, False, False),
    ((2, 3, 5, 8, 9, 10, 25, 50, 75), COUNTDOWN, REACH, False, True),
    (EIGHT_CARDS, CARDS, REACH, False, True),
    (EIGHT_CARDS, CARDS, LIST_VALUES, False, False),
    ((1, 3, 4, 6, 9, 11, 13), CARDS, COUNT_SOLUTIONS, False, False),
    (NINE_CARDS, CARDS, LIST_VALUES, True, True),
    (NINE_CARDS, CARDS, COUNT_SOLUTIONS, True, False),
    ((2, 3, 5, 7, 8), replace(POINTS, join=True, repeating=True), LIST_FORMS, False, True),
    ((2, 3, 5, 7, 8, 9), POINTS, LIST_FORMS, True, True),
    # A minute and six gigabytes.
    ((2, 3, 5, 7, 8), replace(POINTS, operators=(*"-+x:^√!",)), LIST_FORMS, False, False),
]


@pytest.mark.parametrize(("hand", "game", "task", "in_order", "fits"), FITS)
def test_what_fits_is_not_refused_and_what_does_not_fit_is(
    hand: Hand, game: Game, task: SearchTask, in_order: bool, fits: bool
) -> None:
    with nullcontext() if fits else pytest.raises(ValueError, match="would fit"):
        budget_for(HandQuery(hand, game, in_order), task)


@pytest.mark.parametrize(
    ("ask", "hand", "game", "task", "in_order"),
    [
        (count_solutions, (1, 3, 7, 11, 16, 20), KRYPTO, COUNT_SOLUTIONS, False),
        (count_solutions, (2, 5, 8, 10, 25, 75), COUNTDOWN, COUNT_SOLUTIONS, False),
        (count_solutions, NINE_CARDS, KRYPTO, COUNT_SOLUTIONS, True),
        (reachable, (2, 5, 8, 9, 10, 25, 75), COUNTDOWN, LIST_VALUES, False),
    ],
)
def test_what_a_hand_is_said_to_take_is_what_it_takes(
    ask: Callable[..., object], hand: Hand, game: Game, task: SearchTask, in_order: bool
) -> None:
    _, said = CostEstimate(hand, game, task, in_order).pairs_and_bytes(len(hand))
    ask(hand[:3], game, in_order=in_order)
    tracemalloc.start()
    try:
        ask(hand, game, in_order=in_order)
        _, taken = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken / 2 < said < 2 * taken


def test_a_typical_hand_is_one_of_the_game() -> None:
    assert typical_hand(replace(GAMES["digits"], length=4)) == (1, 3, 5, 7)
    assert typical_hand(replace(GAMES["digits"], numbers=(1, 2), length=3)) == (1, 1, 2)


# The first of thousands.

LIKELIEST = (2, 5, 8, 9, 10, 25, 75)


@pytest.fixture(scope="module")
def every() -> list[Solution]:
    return solutions(LIKELIEST, 431, "countdown")


def test_the_first_solutions_are_the_first_of_all(every: list[Solution]) -> None:
    found = solve(LIKELIEST, 431, "countdown", first=10)
    assert (found.details, found.total) == (every[:10], len(every))
    assert found.order == "likeliest first"


@pytest.mark.parametrize(("weighed", "order"), [(10**9, "by share alone"), (0, "in plain order")])
def test_of_very_many_the_first_are_chosen_by_share_or_plainly(
    monkeypatch: pytest.MonkeyPatch, every: list[Solution], weighed: int, order: str
) -> None:
    monkeypatch.setattr(solver, "_MAX_RANKED", 10)
    monkeypatch.setattr(solver, "_MAX_WEIGHTED_STEPS", weighed)
    found = solve(LIKELIEST, 431, "countdown", first=10)
    assert (len(found), found.total, found.order) == (10, len(every), order)
    assert {each.expression for each in found.details} <= {each.expression for each in every}
    if weighed:
        likely = sorted((round(each.share, 9) for each in every), reverse=True)
        assert sorted((round(each.share, 9) for each in found.details), reverse=True) == likely[:10]
    else:
        assert {each.share for each in found.details} == {0}


@pytest.mark.parametrize(
    ("hand", "target", "game", "in_order"),
    [
        (tuple(range(1, 9)), 24, CARDS, True),
        (LIKELIEST, 431, COUNTDOWN, False),
        ((1, 1, 1, 2, 2, 2, 3), 12, KRYPTO, False),
    ],
)
def test_answers_of_small_parts_are_some_of_all_and_those_of_all_parts_are_all(
    hand: Hand, target: int, game: Game, in_order: bool
) -> None:
    query = HandQuery(hand, game, in_order)
    every = {each.expression for each in solutions(hand, target, game, in_order=in_order)}
    total = sum(len(numbers_of(each)) == len(hand) for each in every)
    chart = make_chart([hand], [target], query, Budget())
    goals = GoalSet([Goal(query.numbers, target)], chart.game, in_order)
    counts = [chart.count_known_solutions(size, goals, 1) for size in range(1, len(hand))]
    assert counts == sorted(counts)
    assert 0 < counts[len(hand) // 2] < counts[-1] == total
    assert chart.count_known_solutions(len(hand) - 1, goals, 10**9) == 0


def test_too_many_solutions_are_refused_before_all_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(solver, "_MAX_LISTED", 20)
    monkeypatch.setattr(solver, "_keep_goals", None)
    with pytest.raises(RefusedError, match="the number of solutions is more than 20"):
        solutions(LIKELIEST, 431, COUNTDOWN)


def test_more_than_can_be_put_in_order_are_told_from_the_first_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hand, target = (1, 1, 1, 1, 1, 1, 7), 14
    every = solutions(hand, target, KRYPTO)
    monkeypatch.setattr(solver, "_MAX_LISTED", len(every))
    assert solutions(hand, target, KRYPTO) == every
    monkeypatch.setattr(solver, "_MAX_LISTED", len(every) - 1)
    told = f"the number of solutions is more than {len(every) - 1:,}, too many .*--first 20"
    with pytest.raises(ValueError, match=told):
        solutions(hand, target, KRYPTO)
    line = "solve 1 1 1 1 1 1 7 --game krypto --target 14"
    assert main(shlex.split(line)) == 2
    assert "--first 20" in capsys.readouterr().err
    assert solutions(hand, target, KRYPTO, work=None) == every
    assert solve(hand, target, KRYPTO, first=1).total == len(every)
    # A few numbers are never refused, and a claim needs one solution.
    assert solutions((1, 2, 3, 4), 24, CARDS)
    assert Puzzle(hand, target, KRYPTO).judge("no solution").code == "solvable"


# The judge proves a claim that there is no solution, where that is soon done.


def test_a_claim_is_proved_where_that_takes_a_second() -> None:
    claims = {
        Puzzle((1, 1, 1, 1, 1, 1), 99, CARDS): "no-solution",
        Puzzle((1, 1, 1, 1, 1, 1, 1), 999, KRYPTO): "no-solution",
        Puzzle((1, 2, 3, 4, 5, 6, 7), 24, KRYPTO): "solvable",
        Puzzle((1, 2, 3, 4, 5, 6, 7), 28, CARDS): "undecided",
        Puzzle((1, 2, 3, 4, 5, 6, 7, 8), 36, CARDS): "undecided",
    }
    for puzzle, code in claims.items():
        assert puzzle.judge("no solution").code == code
        assert judge_line(puzzle) == code


def test_a_claim_is_proved_whatever_it_takes_where_any_work_is_allowed() -> None:
    # Of what makes a value the opposite is made, with a minus in front.
    signed = replace(CARDS, negatives=True, operators=("-", "+"))
    for target, game, code in ((999, CARDS, "no-solution"), (-8, signed, "solvable")):
        puzzle = Puzzle((1, 1, 1, 1, 1, 1, 2), target, game, work=1)
        assert puzzle.judge("no solution").code == "undecided"
        assert replace(puzzle, work=None).judge("no solution").code == code


def judge_line(puzzle: Puzzle) -> str:
    """Return the code that the command tells of the claim."""
    asked = Attempt("", puzzle.target, puzzle.hand, puzzle.game)
    [row] = rows_of_lines([(1, {"text": "no solution"})], Task(asked, "en"))
    return str(row["code"])


def test_no_solutions_are_no_first_ones() -> None:
    for count in (0, -1, 1.5, "3"):
        with pytest.raises(ValueError, match="invalid number of solutions"):
            solve((3, 3, 8, 8), 24, CARDS, first=count)  # type: ignore[arg-type]


TEN = [
    (1, 2, 1, 1, 3, 1, 1, 2, 1, 4),
    (9, 8, 7, 6, 5, 4, 3, 2, 1, 1),
    (2, 2, 2, 2, 2, 2, 2, 2, 2, 2),
]


@pytest.mark.parametrize("hand", TEN)
def test_the_solutions_of_ten_numbers_in_order_are_the_functions_of_their_formulas(
    hand: tuple[int, ...],
) -> None:
    rules = Rules(
        parentheses=False, fractions=False, negatives=False, all_numbers=True, in_order=True
    )
    rows = formulas(24, card=hand, in_order=True)
    expected = {read(str(row), rules).function for row in rows}
    found = [read(str(way), rules).function for way in solve(hand, 24, in_order=True)]
    assert sorted(found) == sorted(expected)
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
    monkeypatch: pytest.MonkeyPatch,
    search: Callable[[], object],
    limit: dict[str, int | None],
    reason: str,
) -> None:
    start = Budget.__init__

    def with_limit(budget: Budget, *doing: str, **others: Any) -> None:
        start(budget, *doing, **(others | limit))

    monkeypatch.setattr(Budget, "__init__", with_limit)
    with pytest.raises(RefusedError, match=reason):
        search()


# Calls that once took more than two gigabytes, were refused only after seconds, or were refused
# needlessly; whether they are answered.
LARGE = {
    "reach 1 2 3 4 5 6 7 8 9 --game countdown --numbers 1..10": True,
    "reach 1 2 3 4 5 6 7 8 9 10 11 --game cards --in-order": True,
    "reach 1 2 3 4 5 6 7 8 9 10 11 12 --game cards --in-order": False,
    "reach 94 95 96 97 98 99 100 --game countdown --numbers 1..100 --fractions --ways": False,
    "reach 3 5 7 9 25 50 75 100 --game countdown --ways": False,
    "solve 1 2 3 4 5 6 7 8 9 10 11 12 --game cards --in-order --target 24": False,
}


# Runs a call, and then says how many kilobytes it took at most. That of `wait4` can be the memory
# of the tests themselves, from which a process starts.
PEAK = """
import sys
from pathlib import Path
from crisps24.cli.program import main
status = main(sys.argv[1:])
print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0], file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="this system has no /proc")
@pytest.mark.parametrize(("call", "answered"), LARGE.items())
def test_a_large_call_is_answered_or_refused_in_one_line(call: str, answered: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PEAK, *shlex.split(call)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    *said, peak = done.stderr.splitlines()
    assert done.returncode == (0 if answered else 2), said
    # A line of progress can come first.
    assert answered or "--work none" in said[-1]
    # Kilobytes: a refusal comes early.
    assert int(peak) < (1_000_000 if answered else 300_000)
