"""Test the grades in the file of a survey: their contents, continuing, and refusals."""

import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from crisps24 import GAMES, Difficulties, Survey, __version__, survey, survey_difficulty
from crisps24.hands.costs import COSTS_VERSION
from crisps24.surveys.chunks import CHUNK_HANDS
from crisps24.surveys.difficulties import grade_chunk
from crisps24.surveys.grades import pack_bits, unpack_bits
from tests.commands import Run
from tests.sampling import EVERY
from tests.surveys.test_records import CALL, GAME, TARGETS, edit, read_damaged, refusal
from tests.surveys.test_store import on_a_full_disk, rows_in, running
from tests.tables import cells_of

# Enough hands for several chunks.
CRISPS = GAMES["crisps"]
SOME = range(20, 24)


@pytest.fixture(scope="module")
def contents(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("graded") / "small.sqlite"
    survey_difficulty(GAME, TARGETS, store=path)
    return path.read_bytes()


@pytest.fixture
def small(contents: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "small.sqlite"
    path.write_bytes(contents)
    return path


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "survey.sqlite"
    survey_difficulty(CRISPS, SOME, store=path)
    return path


BITS = some.integers(-1_100_000, 1_100_000).map(lambda each: each / 1000)


@given(some.lists(BITS | some.just(float("nan")), min_size=1))
def test_packed_bits_are_unpacked_to_the_same_bits(bits: list[float]) -> None:
    row = np.array(bits)
    found = pack_bits(row)
    assert np.array_equal(unpack_bits(found, len(bits)), row, equal_nan=True)
    known = [each for each in bits if each == each]
    small = not known or max(known) - min(known) < 65.535
    assert len(found.above) == (2 if small else 4) * len(bits)


@pytest.mark.parametrize(("spread", "each"), [(65.534, 2), (65.535, 4)])
def test_bits_far_apart_take_four_bytes_each(spread: float, each: int) -> None:
    found = pack_bits(np.array([0, spread]))
    assert (found.least, len(found.above)) == (0, 2 * each)
    assert unpack_bits(found, 2).tolist() == [0, spread]


def test_stored_grades_and_the_survey_are_loaded(whole: Path) -> None:
    loaded, found = Difficulties.load(whole), survey_difficulty(CRISPS, SOME)
    assert (loaded.game, loaded.targets, loaded.hands) == (found.game, SOME, found.hands)
    assert np.array_equal(loaded.bits, found.bits, equal_nan=True)
    assert np.array_equal(Survey.load(whole).solvable, survey(CRISPS, SOME).solvable)


def test_a_game_with_negative_results_is_stored(tmp_path: Path) -> None:
    game, path = replace(GAMES["digits"], length=3, negatives=True), tmp_path / "a.sqlite"
    found = survey_difficulty(game, range(-9, 9), store=path)
    assert np.isnan(found.bits).sum() > (~survey(game, range(-9, 9)).solvable).sum()
    assert np.array_equal(Difficulties.load(path).bits, found.bits, equal_nan=True)


def test_worker_processes_make_the_same_file(whole: Path, tmp_path: Path) -> None:
    path, told = tmp_path / "shared.sqlite", list[int]()
    with ThreadPoolExecutor(2) as executor:
        survey_difficulty(CRISPS, SOME, executor=executor, store=path, progress=told.append)
    assert path.read_bytes() == whole.read_bytes()
    assert sum(told) == 495


CUT = [
    ["DELETE FROM difficulties WHERE hand > 260"],
    ["DELETE FROM difficulties"],
    ["DROP TABLE difficulties"],
    ["DROP TABLE difficulties", "DELETE FROM hands WHERE hand > 130"],
]


@pytest.mark.parametrize("changes", CUT, ids=lambda changes: changes[-1])
def test_only_missing_hands_are_graded(
    whole: Path, tmp_path: Path, changes: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cut.sqlite"
    path.write_bytes(whole.read_bytes())
    edit(path, *changes)
    done, told, graded = rows_in(path, "difficulties"), list[int](), Mock(wraps=grade_chunk)
    monkeypatch.setattr("crisps24.surveys.difficulties.grade_chunk", graded)
    found = survey_difficulty(CRISPS, SOME, store=path, progress=told.append)
    assert np.array_equal(found.bits, Difficulties.load(whole).bits, equal_nan=True)
    assert (sum(len(call.args[-1]) for call in graded.mock_calls), sum(told)) == (495 - done, 495)
    with closing(sqlite3.connect(path)) as one, closing(sqlite3.connect(whole)) as other:
        assert [*one.iterdump()] == [*other.iterdump()]


def test_continuing_a_survey_keeps_its_grades(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "copy.sqlite"
    path.write_bytes(whole.read_bytes())
    survey(CRISPS, SOME, store=path)
    assert path.read_bytes() == whole.read_bytes()


CARDS = "survey cards --targets 23..24 --difficulty"


# With one worker the survey itself is stopped.
@pytest.mark.parametrize("workers", ["1", "2"] if EVERY else ["2"])
def test_after_ctrl_c_grades_are_kept_and_completed(run: Run, workers: str) -> None:
    path = Path.cwd() / "stopped.sqlite"
    with running(path, *f"{CARDS} --workers {workers}".split(), table="difficulties") as started:
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=60)
    assert (started.returncode, out) == (130, "")
    # A line of progress can be first.
    assert err.endswith(f"crisps24: stopped; the same command continues {path}\n")
    done = rows_in(path, "difficulties")
    assert 0 < done < 1820
    assert done % CHUNK_HANDS == 0
    said = f"interrupted: {done:,} of 1,820 hands are graded; the same command goes on\n"
    told = f"crisps24: {path} is a survey that was {said}"
    assert run(f"survey --from {path} --difficulty") == (2, "", told)
    # All hands are stored, so that the survey itself is shown.
    assert run(f"survey --from {path} --target 24").status == 0
    for name in (path.name, "unstopped.sqlite"):
        assert run(f"{CARDS} --workers 1 --out {name}").status == 0
    assert path.read_bytes() == Path("unstopped.sqlite").read_bytes()


def test_a_full_disk_is_an_error_in_one_line_and_grades_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "full.sqlite"
    on_a_full_disk(path, "survey", "crisps", "--targets", "0..200", "--difficulty")
    assert rows_in(path, "difficulties") == 495


@pytest.mark.parametrize(("changes", "told"), cells_of("damaged-grades.txt"))
def test_damaged_and_other_files_than_surveys_of_difficulty_are_refused(
    small: Path, run: Run, changes: str, told: str
) -> None:
    edit(small, *changes.split(" ;; "))
    assert refusal(small, run, "--difficulty") == told


def test_pairs_over_the_limit_are_not_read(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisps24.surveys.deals.MAX_GRADED_PAIRS", 4 * 10)
    with pytest.raises(ValueError, match=r"more than a survey of difficulty holds"):
        Difficulties.load(small)
    assert len(Survey.load(small).hands) == 4


def test_a_survey_without_difficulties_is_refused_until_it_is_graded(run: Run) -> None:
    survey(GAME, TARGETS, store="a")
    told = "crisps24: a is a survey without difficulties: no hand is graded in it\n"
    assert run("survey --from a --difficulty") == (2, "", told)
    worked_out = run(f"{CALL} --out a --difficulty")
    assert worked_out.status == 0
    assert run("survey --from a --difficulty").out == worked_out.out


@pytest.mark.parametrize("before", [0, 1])
def test_bits_by_other_costs_are_refused(small: Path, run: Run, before: int) -> None:
    # Files of 2.0.0 have no version of the costs.
    edit(small, f"PRAGMA user_version = {before}")
    contents = small.read_bytes()
    said = f"its bits are not those of crisps24 {__version__}, whose steps have other costs"
    assert refusal(small, run, "--difficulty") == f": {said}; survey it again in a new file"
    assert small.read_bytes() == contents
    # The survey itself can still be read.
    assert run(f"survey --from {small} --target {TARGETS[0]}").status == 0


def test_a_file_has_the_version_of_its_costs(tmp_path: Path) -> None:
    path, versions = tmp_path / "a.sqlite", []
    for made in (survey, survey_difficulty):
        made(GAME, TARGETS, store=path)
        with closing(sqlite3.connect(path)) as connection:
            versions += connection.execute("PRAGMA user_version").fetchall()
    assert versions == [(0,), (COSTS_VERSION,)]
    edit(path, f"PRAGMA user_version = {COSTS_VERSION + 1}")
    for load in (Survey.load, Difficulties.load):
        with pytest.raises(ValueError, match="it is another SQLite file"):
            load(path)


def test_a_file_with_any_change_is_read_or_refused(contents: bytes, tmp_path: Path) -> None:
    cells = ("difficulties", ["hand", "least", "above"])
    readers = [Difficulties.load, lambda path: survey_difficulty(GAME, TARGETS, store=path)]
    read_damaged(contents, tmp_path, readers, cells, cells)
