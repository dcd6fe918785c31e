"""Test the file of a survey: its contents, continuing after an interruption, and refusals."""

import errno
import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crisps24 import GAMES, Game, Survey, __version__, survey
from crisps24.cli.program import main
from crisps24.surveys.chunks import CHUNK_HANDS
from tests.commands import Run
from tests.sampling import in_one_test
from tests.tables import cells_of
from tests.waiting import wait_until

NUMBLE = replace(GAMES["numble"], length=5)
AS_WORDS = ["survey", "numble", "--length", "5"]
HANDS = 2002
# Ctrl-C stops the program even if the tests run with SIGINT ignored. It is slowed down, so that
# a test can interrupt it.
PROGRAM = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from crisps24.cli.program import main
from crisps24.surveys.store import Store

def slow_down(method):
    def slow_method(*arguments):
        method(*arguments)
        time.sleep(0.05)
    return slow_method

Store.add, Store.add_grades = slow_down(Store.add), slow_down(Store.add_grades)
sys.exit(main(sys.argv[1:]))
"""
# The same with a limit of 200,000 bytes per file, as on a full disk.
_LIMIT = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "survey.sqlite"
    survey(NUMBLE, store=path)
    return path


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.sqlite"
    survey("crisps", range(20, 30), store=path)
    return path


def rows_in(path: Path, table: str = "hands") -> int:
    """Return the number of rows of a table; 0 without the file or the table."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            [(count,)] = connection.execute(f"SELECT count(*) FROM {table}")
            return int(count)
    except sqlite3.OperationalError:
        return 0


def on_a_full_disk(path: Path, *words: str) -> None:
    """Run a survey that fails because the disk is full, and complete it."""
    pytest.importorskip("resource")
    words = (*words, "--out", str(path), "--workers", "1")
    call = [sys.executable, "-c", _LIMIT + PROGRAM, *words]
    ran = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (2, "", 1)
    assert ran.stderr.startswith(f"crisps24: {path}: ")
    assert ran.stderr.endswith("what was stored before is kept\n")
    assert rows_in(path) > 0
    assert main([*words]) == 0


@contextmanager
def running(path: Path, *words: str, table: str = "hands") -> Iterator["subprocess.Popen[str]"]:
    """Give a process that has stored some of the rows of a table, not all."""
    call, pipe = [sys.executable, "-c", PROGRAM, *words, "--out", str(path)], subprocess.PIPE
    started = subprocess.Popen(call, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    try:
        wait_until(lambda: rows_in(path, table) or started.poll() is not None)
        yield started
    finally:
        # And the processes that it started.
        with suppress(ProcessLookupError):
            os.killpg(started.pid, signal.SIGKILL)
        started.communicate(timeout=60)


@in_one_test("game", *(game for game in GAMES.values() if game.grouping == "standard"))
def test_each_game_can_be_stored_and_read(tmp_path: Path, game: Game) -> None:
    game, path = replace(game, length=1, dice=game.dice[-1:]), tmp_path / f"{game}.sqlite"
    survey(game, range(-7, 9), store=path)
    made, loaded = survey(game, range(-7, 9)), Survey.load(path)
    assert (loaded.game, loaded.targets, loaded.hands) == (game, made.targets, made.hands)
    assert (loaded.solvable == made.solvable).all()


def test_saving_again_and_storing_in_chunks_make_the_same_file(small: Path, tmp_path: Path) -> None:
    survey("crisps", range(20, 30)).save(tmp_path / "saved.sqlite")
    before = small.read_bytes()
    assert (tmp_path / "saved.sqlite").read_bytes() == before
    Survey.load(small).save(small)
    assert small.read_bytes() == before


DATA = Path(__file__).parent.parent / "data"
SEVEN = (1, 1, 2, 3, 5, 25, 50)


@in_one_test(
    ("name", "game", "targets"),
    ("crisps", GAMES["crisps"], range(20, 27)),
    ("countdown", replace(GAMES["countdown"], length=3, numbers=SEVEN, zero=True), range(30)),
)
def test_survey_1_0_0_is_read_with_defaults(name: str, game: Game, targets: range) -> None:
    loaded = Survey.load(DATA / f"survey-1.0.0-{name}.sqlite")
    made = survey(game, targets)
    assert (loaded.game, loaded.targets, loaded.hands) == (game, targets, made.hands)
    assert np.array_equal(loaded.solvable, made.solvable)


def test_survey_1_0_0_is_only_shown(run: Run) -> None:
    Path("a").write_bytes((DATA / "survey-1.0.0-crisps.sqlite").read_bytes())
    call = "survey crisps --targets 20..26"
    shown = run("survey --from a")
    assert (shown.status, shown.out) == (0, run(call).out)
    said = f"a was started by crisps24 1.0.0; crisps24 {__version__} does not continue it"
    assert run(f"{call} --out a") == (2, "", f"crisps24: {said}\n")


def test_after_kill_9_the_same_command_completes_the_same_file(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "killed.sqlite"
    with running(path, *AS_WORDS, "--workers", "1") as started:
        started.kill()
        assert started.wait(60) == -signal.SIGKILL
    assert 0 < rows_in(path) < HANDS
    assert main([*AS_WORDS, "--out", str(path), "--workers", "1"]) == 0
    assert path.read_bytes() == whole.read_bytes()
    assert (Survey.load(path).solvable == Survey.load(whole).solvable).all()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_after_ctrl_c_one_line_is_printed(whole: Path, run: Run, workers: str) -> None:
    path = Path.cwd() / "stopped.sqlite"
    with running(path, *AS_WORDS, "--workers", workers) as started:
        started.send_signal(signal.SIGINT)
        out, err = started.communicate(timeout=60)
    assert (started.returncode, out) == (130, "")
    assert err.strip().startswith("crisps24: stopped")
    assert len(err.strip().splitlines()) == 1
    done = rows_in(path)
    assert 0 < done < HANDS
    assert done % CHUNK_HANDS == 0
    said = f"interrupted: {done:,} of 2,002 hands are done; the same command goes on\n"
    assert run(f"survey --from {path}") == (2, "", f"crisps24: {path} is a survey that was {said}")
    assert main([*AS_WORDS, "--out", str(path), "--workers", "1"]) == 0
    assert path.read_bytes() == whole.read_bytes()


def test_a_full_disk_is_an_error_and_stored_hands_are_kept(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "full.sqlite"
    on_a_full_disk(path, *AS_WORDS)
    assert path.read_bytes() == whole.read_bytes()


def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    # The output ends when all processes that could print have ended.
    with running(tmp_path / "killed.sqlite", *AS_WORDS, "--workers", "2") as started:
        started.kill()
        out, _ = started.communicate(timeout=10)
    assert out == ""


def test_two_surveys_at_once_do_not_store_a_hand_twice(tmp_path: Path) -> None:
    path = tmp_path / "shared.sqlite"
    words = (*AS_WORDS, "--workers", "1")
    with running(path, *words) as first, running(path, *words) as second:
        for each in (first, second):
            each.communicate(timeout=60)
        statuses = sorted(each.returncode for each in (first, second))
    assert 0 in statuses or rows_in(path) < HANDS
    assert set(statuses) <= {0, 1, 2}
    with closing(sqlite3.connect(path)) as connection:
        [(rows, hands)] = connection.execute("SELECT count(*), count(DISTINCT numbers) FROM hands")
    assert rows == hands


@pytest.mark.usefixtures("small")
def test_other_files_are_refused_and_not_changed(run: Run) -> None:
    Path("notes.txt").write_text("bread, milk, crisps\n" * 100)
    Path("empty").touch()
    with closing(sqlite3.connect("other.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE hands (finger TEXT)")
    before = {path: path.read_bytes() for path in Path().iterdir()}
    for call, told in cells_of("refused-surveys.txt"):
        status, out, err = run(call)
        assert (status, out, err.count("\n"), told in err) == (2, "", 1, True), (call, err)
    assert {path: path.read_bytes() for path in Path().iterdir()} == before


CALL = "survey crisps --targets 20..29"


def make_read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open files as on a read-only disk; fail if anything is created, and compute nothing."""
    connect, open_file = sqlite3.connect, Path.open

    def only(place: str, *, uri: bool) -> sqlite3.Connection:
        return connect(re.sub(r"mode=\w+", "mode=ro", place), uri=uri)

    def refuse(path: Path, mode: str = "r") -> Any:
        if "x" in mode:
            raise OSError(errno.EROFS, "Read-only file system", str(path))
        return open_file(path, mode)

    monkeypatch.setattr(sqlite3, "connect", only)
    monkeypatch.setattr(Path, "open", refuse)
    monkeypatch.setattr("crisps24.surveys.surveys.survey_chunk", None)


def test_a_complete_survey_is_shown_from_a_read_only_disk_without_any_work(
    small: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked_out = run(CALL).out
    make_read_only(monkeypatch)
    for call in (f"{CALL} --out {small}", f"survey --from {small}"):
        assert run(call)[:2] == (0, worked_out)


def test_an_unwritable_place_is_refused_before_any_work(
    small: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    with closing(sqlite3.connect(small)) as connection, connection:
        connection.execute("DELETE FROM hands WHERE hand > 130")
    before = small.read_bytes()
    make_read_only(monkeypatch)
    told = f"crisps24: {small}: attempt to write a readonly database\n"
    assert run(f"{CALL} --out {small}") == (2, "", told)
    assert small.read_bytes() == before
    other = small.with_name("other.sqlite")
    told = f"crisps24: {other}: Read-only file system\n"
    assert run(f"{CALL} --out {other}") == (2, "", told)
    assert not other.exists()


def test_a_full_disk_leaves_no_empty_file(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="Windows has no limit of file sizes")

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    path = tmp_path / "a.sqlite"
    words = [sys.executable, "-m", "crisps24", "survey", "crisps", "--out", str(path)]
    call = subprocess.run(words, preexec_fn=limit, capture_output=True, text=True, check=False)
    assert (call.returncode, call.stderr.count("\n"), list(tmp_path.iterdir())) == (2, 1, [])
