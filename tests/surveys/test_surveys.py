"""Test surveys against published tables and against single hands."""

from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from crisps24 import GAMES, Game, RefusedError, Survey, VersionError, __version__, reachable, survey
from crisps24.output.executors import processes
from crisps24.rules.deals import list_hands
from crisps24.rules.games import Hand
from crisps24.rules.operators import OPERATORS, Operator
from crisps24.surveys.chunks import CHUNK_HANDS
from crisps24.surveys.deals import check_survey
from crisps24.surveys.records import unpack_rows
from crisps24.surveys.surveys import survey_chunk
from tests.enumeration.test_sharing import InThisThread
from tests.sampling import EVERY, in_one_test, only_in_long_run
from tests.tables import rows_of

DIGITS = GAMES["digits"]
DISTINCT = replace(DIGITS, repeats=False)


@pytest.fixture(scope="module")
def digits() -> Survey:
    return survey(DIGITS, range(7000))


@pytest.fixture(scope="module")
def distinct() -> Survey:
    return survey(DISTINCT, range(4000))


def test_counts_of_hands_are_those_of_the_study_in_apl(digits: Survey, distinct: Survey) -> None:
    assert (len(distinct.hands), len(digits.hands)) == (126, 495)
    tables = (found.by_target() for found in (distinct, digits))
    of_126, of_495 = ({row["target"]: row["solvable"] for row in rows} for rows in tables)
    listed = [tuple(map(int, row.values())) for row in rows_of("solvable-targets.csv")]
    # The study lists all targets that as many hands make as 24.
    least = [(target, hands) for target, hands in of_495.items() if hands >= of_495[24]]
    assert listed == [(target, of_126[target], hands) for target, hands in least]


def test_extreme_targets_and_hands_are_those_of_the_study(digits: Survey, distinct: Survey) -> None:
    made = [np.flatnonzero(found.solvable.any(axis=0)) for found in (distinct, digits)]
    assert [targets[-1] for targets in made] == [3024, 6561]
    assert {*distinct.hands} - {*distinct.unsolvable(3024)} == {(6, 7, 8, 9)}
    assert {*digits.hands} - {*digits.unsolvable(6561)} == {(9, 9, 9, 9)}
    assert digits.unsolvable(2) == [(1, 1, 1, 7), (1, 1, 1, 8), (1, 1, 1, 9)]
    assert {target: distinct.unsolvable(target) for target in (2, 3, 4, 6, 10, 12, 24)} == {
        **{target: [] for target in (2, 3, 4, 10)},
        6: [(6, 7, 8, 9)],
        12: [(1, 5, 7, 8)],
        24: [(1, 6, 7, 8), (3, 4, 6, 7)],
    }


@only_in_long_run
def test_countdown_has_the_published_numbers_of_hands_and_solvable_pairs() -> None:
    countdown = survey("countdown")
    assert len(countdown.hands) == 13243
    assert countdown.targets == range(101, 1000)
    assert countdown.solvable.sum() == 10858746
    assert countdown.solvable.all(axis=1).sum() == 1226


@only_in_long_run
def test_numble_has_127_rounds_without_a_target_that_scores() -> None:
    found = survey("numble", range(90, 1010))
    rounds = [found.solvable[:, at : at + 21].any(axis=1) for at in range(900)]
    assert np.size(rounds) == 2_702_700
    assert np.size(rounds) - np.count_nonzero(rounds) == 127


NATURAL: Any = {"fractions": False, "negatives": False, "zero": False}


@in_one_test(
    ("game", "targets"),
    (GAMES["crisps"], range(101)),
    (DIGITS, range(-30, 300)),
    (GAMES["cards"], range(101)),
    (GAMES["numble"], range(101, 1000)),
    (GAMES["krypto"], range(1, 26)),
    (GAMES["mathador"], range(100)),
    (replace(GAMES["countdown"], length=4), range(60)),
    (replace(GAMES["countdown"], length=3, numbers=(0, 1, 1, 2, 5, 10)), range(30)),
    (replace(GAMES["numble"], length=4, negatives=True), range(-20, 101)),
    (replace(GAMES["numble"], length=4, fractions=True), range(101)),
    (replace(GAMES["crisps"], all_numbers=False, numbers=tuple(range(7))), range(50)),
    (replace(GAMES["crisps"], length=2, negatives=True, numbers=(-3, 0, 2, 5)), range(-20, 20)),
    (replace(DIGITS, length=1), range(12)),
    (replace(GAMES["numble"], length=4, operators=("-", ":")), range(1, 60)),
    (replace(GAMES["numble"], length=4, operators=("+", "-")), range(101, 200)),
    (replace(DIGITS, numbers=(1, 2, 9), length=5, operators=("-",), **NATURAL), range(1, 9)),
    (replace(GAMES["countdown"], length=4, parentheses=False, operators=("-", "x")), range(60)),
    (replace(DIGITS, zero=False, operators=("+", "-", "x")), range(-20, 60)),
    (replace(GAMES["make10"], join=True), range(101)),
    (replace(GAMES["crisps"], join=True, length=3, all_numbers=False), range(90, 400)),
    (replace(DIGITS, length=2, numbers=(3 * 10**9, 7 * 10**9)), range(10)),
)
def test_the_row_of_a_hand_agrees_with_reachable(game: Game, targets: range) -> None:
    whole = list_hands(game)
    count = 25 if EVERY else 11
    first = Random(len(whole)).randrange(max(1, len(whole) - count))
    check_rows(game, targets, whole[first : first + count])


def check_rows(game: Game, targets: range, hands: list[Hand]) -> None:
    packed = survey_chunk(__version__, game, targets, hands)
    rows = np.unpackbits(packed, axis=1, count=len(targets)).astype(bool)
    for hand, row in zip(hands, rows, strict=True):
        made = reachable(hand, game)
        assert row.tolist() == [target in made for target in targets], hand


@pytest.mark.parametrize("parentheses", [True, False])
def test_large_growth_loses_no_target(monkeypatch: pytest.MonkeyPatch, parentheses: bool) -> None:
    bounds = lambda left, right: (left[0] + 2 * right[0], left[1] + 2 * right[1])  # noqa: E731
    raised = Operator("^", ("^",), 1, lambda a, b: a + 2 * b, bounds, max_growth=2)
    monkeypatch.setitem(OPERATORS, "^", raised)
    game = replace(GAMES["numble"], length=3, operators=("-", "^"), parentheses=parentheses)
    check_rows(game, range(8, 60), list_hands(game)[:40])


def test_clearing_the_cache_of_sub_hands_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    game = replace(GAMES["numble"], length=5, numbers=(1, 2, 3, 4, 25, 50, 75))
    kept = survey(game, range(101, 400))
    monkeypatch.setattr("crisps24.hands.by_value.MAX_CACHED_VALUES", 100)
    forgotten = survey(replace(game, name="again"), range(101, 400))
    assert np.array_equal(kept.solvable, forgotten.solvable)


@pytest.mark.parametrize("max_values", [6_000_000, 100])
def test_processes_make_the_same_table(monkeypatch: pytest.MonkeyPatch, max_values: int) -> None:
    monkeypatch.setattr("crisps24.surveys.chunks.CHUNK_HANDS", 9)
    monkeypatch.setattr("crisps24.surveys.surveys._MAX_SHARED_VALUES", max_values)
    game = replace(GAMES["numble"], numbers=(1, 2, 3, 5, 7, 10, 25, 50))
    with processes(2) as executor:
        shared = survey(game, range(101, 400), executor=executor)
    assert np.array_equal(shared.solvable, survey(game, range(101, 400)).solvable)


def test_targets_above_64_bits_are_not_made() -> None:
    assert not survey("crisps", range(3 * 10**9, 3 * 10**9 + 2)).solvable.any()
    assert not survey("digits", range(10**20, 10**20 + 2)).solvable.any()


TINY = replace(GAMES["countdown"], name="tiny", numbers=(1, 2, 3, 25), length=2, large=(25,))


@pytest.fixture
def tiny() -> Survey:
    return survey(TINY, range(1, 6))


def test_a_small_survey_agrees_with_a_manual_count(tiny: Survey) -> None:
    assert tiny.game == TINY
    assert tiny.targets == range(1, 6)
    assert tiny.solvable.dtype == bool
    assert dict(zip(tiny.hands, tiny.solvable.astype(int).tolist(), strict=True)) == {
        (1, 2): [1, 1, 1, 0, 0],
        (1, 3): [1, 1, 1, 1, 0],
        (1, 25): [1, 0, 0, 0, 0],
        (2, 3): [1, 1, 1, 0, 1],
        (2, 25): [0, 1, 0, 0, 0],
        (3, 25): [0, 0, 1, 0, 0],
    }


@in_one_test(
    ("name", "keys", "rows"),
    ("by_target", "target solvable share fail", [
        *([target, 4, 0.666667, 2] for target in (1, 2, 3)),
        *([target, 1, 0.166667, 5] for target in (4, 5)),
    ]),
    ("by_hand", "numbers reached share run", [
        *(["1 2", 3, 0.6, 3], ["1 3", 4, 0.8, 4], ["1 25", 1, 0.2, 1]),
        *(["2 3", 4, 0.8, 3], ["2 25", 1, 0.2, 0], ["3 25", 1, 0.2, 0]),
    ]),
    ("by_large", "large hands share every_target hardest hardest_share", [
        ["0", 3, 0.733333, 0, 4, 0.333333],
        ["1", 3, 0.2, 0, 4, 0.0],
        ["all", 6, 0.466667, 0, 4, 0.166667],
    ]),
)  # fmt: skip
def test_tables_agree_with_a_manual_count(tiny: Survey, name: str, keys: str, rows: Any) -> None:
    assert getattr(tiny, name)() == [dict(zip(keys.split(), row, strict=True)) for row in rows]


@pytest.mark.parametrize("workers", [0, 2])
def test_progress_adds_up_to_the_hands_chunk_by_chunk(workers: int) -> None:
    told: list[int] = []
    with ThreadPoolExecutor(workers or 1) as executor:
        survey("crisps", range(5), executor=executor if workers else None, progress=told.append)
    assert told == [CHUNK_HANDS, CHUNK_HANDS, CHUNK_HANDS, 495 - 3 * CHUNK_HANDS]


def test_chunks_contain_each_hand_once_and_the_version() -> None:
    executor = InThisThread()
    survey("crisps", range(5), executor=executor)
    assert [hand for args in executor.submitted for hand in args[-1]] == list_hands(GAMES["crisps"])
    assert {args[0] for args in executor.submitted} == {__version__}


def test_a_worker_of_another_version_is_refused_with_its_host() -> None:
    with pytest.raises(VersionError, match=r"has crisps24 .*, and this is 0\.1: install the same"):
        survey_chunk("0.1", GAMES["crisps"], range(5), [(1, 2, 3, 4)])


class Failing(Executor):
    """An executor of which the first task fails, and no other one ends."""

    def __init__(self, error: BaseException) -> None:
        self.error, self.futures = error, list[Future[Any]]()

    def submit(self, *_: Any, **__: Any) -> Future[Any]:
        self.futures.append(Future())
        if len(self.futures) == 1:
            self.futures[0].set_exception(self.error)
        return self.futures[-1]


def test_a_worker_without_the_package_is_refused() -> None:
    missing = ModuleNotFoundError("No module named 'crisps24'")
    with pytest.raises(VersionError, match=r"a worker has no crisps24 .*No module named"):
        survey("crisps", range(5), executor=Failing(missing))


def test_an_error_in_a_worker_is_raised_and_other_chunks_are_cancelled() -> None:
    executor = Failing(MemoryError("no more"))
    with pytest.raises(MemoryError, match="no more"):
        survey("crisps", range(5), executor=executor)
    assert [future.cancelled() for future in executor.futures] == [False, True, True, True]


@in_one_test(
    ("game", "targets", "sentence"),
    ("game24", range(5), "game24"),
    ("chess", None, r"unknown game 'chess' \(expected crisps"),
    ("crisps", range(0), "the range of targets is empty"),
    ("crisps", range(0, 10, 2), "the targets of a survey are a range without gaps"),
    ("crisps", [1, 2, 4], "the targets of a survey are a range without gaps"),
    ("crisps", [1, 1], "the targets of a survey are a range without gaps"),
    ("crisps", [1.0, 2.0], r"1\.0 is not a whole number"),
    ("crisps", "24", "'2' is not a whole number"),
    ("crisps", range(0, 10**12), "at most 1,000,000 targets, not 1,000,000,000,000"),
    (replace(DIGITS, length=10**9), None, "a hand has at most 99 numbers"),
    (replace(DIGITS, length=8), 24, "finding all results of 8 numbers needs about"),
    (replace(DIGITS, length=8, join=True), 24, "finding all results of 8 numbers needs about"),
)
def test_invalid_games_and_targets_are_refused(game: Any, targets: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        survey(game, targets)


@in_one_test(
    ("targets", "expected"),
    ([1, 2, 3], range(1, 4)),
    (tuple(np.arange(1, 4)), range(1, 4)),
    *((target, range(int(target), int(target) + 1)) for target in (24, np.int64(24), 0, -3)),
)
def test_targets_without_gaps_are_a_range(targets: Any, expected: range) -> None:
    assert survey(TINY, targets).targets == expected
    assert survey(replace(TINY, targets=(5, 9))).targets == range(5, 10)
    assert np.array_equal(survey(TINY, targets).solvable, survey(TINY, expected).solvable)


def test_only_returns_the_survey_of_a_target(tiny: Survey) -> None:
    one = tiny.only(4)
    assert (one.targets, one.hands, one.game) == (range(4, 5), tiny.hands, TINY)
    assert np.array_equal(one.solvable, survey(TINY, 4).solvable)
    assert tiny.unsolvable(4) == [(1, 2), (1, 25), (2, 3), (2, 25), (3, 25)]
    for refuse, target in ((tiny.only, 0), (tiny.unsolvable, 6)):
        with pytest.raises(ValueError, match=rf"{target} is not among the targets 1\.\.5"):
            refuse(target)


def test_the_limit_of_pairs_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisps24.surveys.deals.MAX_SURVEYED_PAIRS", 6 * 9 + 5)
    assert len(survey(TINY, range(9)).targets) == 9
    with pytest.raises(ValueError, match=r"6 hands of tiny and 10 targets .*; 9 targets would"):
        survey(TINY, range(10))


def test_threads_at_the_same_time_give_the_same_rows() -> None:
    # A chart grows while it is read, so that each thread needs one.
    game = replace(GAMES["countdown"], length=5, numbers=(1, 2, 3, 4, 5, 6, 7, 8, 25, 50))
    hands = list_hands(game)
    ready = Barrier(3)

    def survey_all(_: int) -> Any:
        ready.wait()
        chunks = [hands[at : at + 21] for at in range(0, len(hands), 21)]
        return [survey_chunk(__version__, game, range(101, 300), chunk) for chunk in chunks]

    with ThreadPoolExecutor(3) as threads:
        together = list(threads.map(survey_all, range(3)))
    expected = survey(replace(game, name="alone"), range(101, 300)).solvable
    rows = [np.unpackbits(np.concatenate(found), axis=1)[:, :199] for found in together]
    assert [np.array_equal(each, expected) for each in rows] == [True] * 3


SEVEN_TILES = Path(__file__).parents[2] / "results" / "countdown-7.csv"
# The other three tiles of hands with all four large tiles that miss a target.
MISSING = [(1, 1, 2), (1, 1, 3), (1, 1, 4), (1, 1, 5), (1, 2, 2), (1, 5, 5)]
MISSING += [(2, 2, 4), (2, 2, 10), (5, 10, 10)]


@pytest.mark.skipif(not SEVEN_TILES.exists(), reason="only the repository has results")
def test_the_table_of_seven_tiles_agrees_with_a_survey() -> None:
    game = replace(GAMES["countdown"], length=7)
    kept = {row["large"]: row for row in rows_of(SEVEN_TILES)}
    every = list_hands(game)
    assert int(kept["all"]["hands"]) == len(every)
    hands = [hand for hand in every if set(game.large) <= set(hand)]
    targets = range(101, 1000)
    # All other hands make every target; test a sample.
    sample = Random(7).sample(range(len(hands)), len(hands) if EVERY else 21)
    some = sorted({*sample, *(hands.index((*others, *game.large)) for others in MISSING)})
    packed = survey_chunk(__version__, game, targets, [hands[at] for at in some])
    rows = np.ones((len(hands), len(targets)), bool)
    rows[some] = unpack_rows(packed, len(targets))
    found = {row["large"]: row for row in Survey(game, targets, hands, rows).by_large()}
    assert {name: str(value) for name, value in found["4"].items()} == kept["4"]


def test_runs_of_all_hands_of_digits_are_those_of_their_rows() -> None:
    found = survey(DIGITS, range(-5, 80))
    run_of = {row["numbers"]: row["run"] for row in found.by_hand()}
    solvable = dict(zip(found.hands, found.solvable[:, 6:].tolist(), strict=True))
    assert run_of == {" ".join(map(str, hand)): solvable[hand].index(False) for hand in solvable}


def test_a_run_is_counted_up_to_the_last_target() -> None:
    assert {row["run"] for row in survey(DIGITS, range(1, 2)).by_hand()} == {0, 1}
    assert max(row["run"] for row in survey(DIGITS, range(31)).by_hand()) == 30
    assert "run" not in survey(DIGITS, range(2, 9)).by_hand()[0]


def test_many_hands_are_surveyed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    expected = survey("crisps", 24).solvable
    numbers, only = tuple(range(1, 101)), range(24, 25)
    hundred, fractions = (replace(game, numbers=numbers) for game in (GAMES["crisps"], DIGITS))
    check_survey(hundred, only)
    check_survey(fractions, only, work=None)
    with pytest.raises(RefusedError, match=r"4,421,275 hands of crisps .*; 242 targets would"):
        check_survey(hundred, range(300), work=10**10)
    with pytest.raises(RefusedError, match="crisps has more than 1,000,000 hands"):
        check_survey(hundred, only, work=10**9)
    with pytest.raises(RefusedError, match="digits has more than 1,000,000 hands"):
        check_survey(fractions, only, work=5 * 10**9)
    monkeypatch.setattr("crisps24.surveys.deals.MAX_HANDS", 100)
    path = tmp_path / "crisps.sqlite"
    stored, loaded = survey("crisps", 24, store=path), Survey.load(path)
    assert stored.solvable.tolist() == loaded.solvable.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("length", "largest", "hand"),
    [
        (2, 3, "1 2"),
        (3, 10, "1 2 4"),
        (4, 51, "1 2 5 8"),
        (5, 192, "4 5 6 7 8"),
        pytest.param(6, 963, "2 5 6 7 8 9", marks=only_in_long_run),
    ],
)
def test_the_largest_runs_of_digits_are_those_of_oeis(length: int, largest: int, hand: str) -> None:
    # https://oeis.org/A048175
    rows = survey(replace(GAMES["make10"], length=length), range(1, largest + 2)).by_hand()
    runs = {row["numbers"]: row["run"] for row in rows}
    assert (max(runs.values()), runs[hand]) == (largest, largest)
