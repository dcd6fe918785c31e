"""Surveys on a Dask cluster: a scheduler and workers on loopback, one of them killed on the way."""

import json
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crisps24 import GAMES, VersionError, __version__, survey
from crisps24.cli.program import main
from crisps24.outside import executors

distributed = pytest.importorskip("distributed", reason="the extra crisps24[cluster] is missing")

# Only what is told to the user matters here, not what Dask or its own needs warn of.
pytestmark = pytest.mark.filterwarnings("ignore")

SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
WORKER = "from distributed.cli.dask_worker import main; main()"
OLD_WORKER = f"from crisps24 import about; about.__version__ = '0.1'; {WORKER}"
BARE_WORKER = f"import sys; sys.modules['crisps24'] = None; {WORKER}"
PATIENCE = 60


@contextmanager
def process(script: str, folder: Path, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a script in a folder until the end of the block, whatever happens there."""
    with (folder / "log").open("ab") as log:
        started = subprocess.Popen(
            [sys.executable, "-c", script, *words, "--no-dashboard"],
            cwd=folder,
            stdout=log,
            stderr=log,
        )
        try:
            yield started
        finally:
            started.kill()
            started.wait(PATIENCE)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Give the address of a scheduler."""
    folder = tmp_path_factory.mktemp("scheduler")
    told = folder / "scheduler.json"
    words = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(told)]
    with process(SCHEDULER, folder, *words) as started:
        give_up = time.monotonic() + PATIENCE
        while time.monotonic() < give_up:
            assert started.poll() is None, (folder / "log").read_text()
            if told.exists() and told.read_text().endswith("}"):
                break
            time.sleep(0.02)
        yield json.loads(told.read_text())["address"]


Workers = Callable[..., list["subprocess.Popen[bytes]"]]


@pytest.fixture
def workers(address: str, tmp_path: Path) -> Iterator[Workers]:
    """Give a function that starts workers and waits until they are there."""
    with ExitStack() as stack:

        def start(*scripts: str) -> list["subprocess.Popen[bytes]"]:
            options = ["--no-nanny", "--nthreads", "1", "--local-directory", str(tmp_path)]
            started = [
                stack.enter_context(process(script, tmp_path, address, *options))
                for script in scripts
            ]
            with distributed.Client(address, timeout=PATIENCE) as client:
                client.wait_for_workers(len(scripts), timeout=PATIENCE)
            return started

        yield start
    # The next test begins without workers.
    with distributed.Client(address, timeout=PATIENCE) as client:
        give_up = time.monotonic() + PATIENCE
        while client.scheduler_info()["workers"] and time.monotonic() < give_up:
            time.sleep(0.02)


def test_a_survey_is_right_though_a_worker_is_killed_on_the_way(
    address: str, workers: Workers
) -> None:
    first, _ = workers(WORKER, WORKER)
    game = replace(GAMES["numble"], length=5)
    told: list[int] = []

    def progress(hands: int) -> None:
        told.append(hands)
        if len(told) == 3:
            first.kill()

    with executors.cluster(address) as executor:
        found = survey(game, executor=executor, progress=progress)
    assert first.wait(PATIENCE) != 0
    assert sum(told) == len(found.hands) == 2002
    assert (found.solvable == survey(game).solvable).all()


def test_the_command_line_finds_the_same_on_a_cluster(
    address: str, workers: Workers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workers(WORKER, WORKER)
    words = ["survey", "digits", "--targets", "20..30"]
    assert main(words) == 0
    told = capsys.readouterr().out
    assert main([*words, "--scheduler", address]) == 0
    assert capsys.readouterr() == (told, "")
    # Answers too, and difficulties, which are kept as well.
    here, there = tmp_path / "here", tmp_path / "there"
    assert main(["survey", "--target", "24", "--answers", str(here)]) == 0
    assert main(["survey", "--target", "24", "--answers", str(there), "--scheduler", address]) == 0
    assert there.read_bytes() == here.read_bytes()
    capsys.readouterr()
    here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
    words = ["survey", "crisps", "--targets", "20..30", "--difficulty"]
    assert main([*words, "--out", str(here)]) == 0
    graded = capsys.readouterr()
    assert main([*words, "--out", str(there), "--scheduler", address]) == 0
    assert capsys.readouterr() == graded
    assert there.read_bytes() == here.read_bytes()
    assert main([*words, "--scheduler", address]) == 0
    assert capsys.readouterr() == graded


def test_a_worker_of_another_version_is_refused_by_name_at_first_and_later(
    address: str, workers: Workers, capsys: pytest.CaptureFixture[str]
) -> None:
    workers(OLD_WORKER)
    sentence = f"has crisps24 0.1, and this is {__version__}: install the same version on both"
    assert main(["survey", "--scheduler", address]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("crisps24: the worker at tcp://127.0.0.1:")
    assert err.endswith(f" {sentence}\n")
    # One that comes once the survey has begun finds it out itself.
    sentence = f"the worker on {socket.gethostname()} has crisps24 0.1, and this is {__version__}"
    with distributed.Client(address, timeout=PATIENCE) as client:
        executor = client.get_executor()
        with pytest.raises(VersionError, match=sentence):
            survey("crisps", range(5), executor=executor)


def alone(*words: str, patience: int = executors.PATIENCE) -> "subprocess.CompletedProcess[str]":
    """Run the command line as a process of its own, which may not take for ever."""
    script = (
        "import sys; from crisps24.outside import executors\n"
        "from crisps24.cli.program import main\n"
        f"executors.PATIENCE = {patience}; sys.exit(main(sys.argv[1:]))"
    )
    return subprocess.run(
        [sys.executable, "-c", script, *words],
        capture_output=True,
        text=True,
        timeout=15,
        check=False,
    )


def test_a_worker_without_the_package_is_refused_by_name(address: str, workers: Workers) -> None:
    workers(BARE_WORKER)
    ran = alone("survey", "--scheduler", address)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("crisps24: the worker at tcp://127.0.0.1:")
    assert f"has no crisps24, and this is {__version__}" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "PATIENCE", 1)


@pytest.mark.usefixtures("impatient")
def test_a_scheduler_that_is_not_there_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    assert main(["survey", "--scheduler", nobody]) == 2
    told = f"crisps24: no scheduler answers at {nobody} within 1 seconds\n"
    assert capsys.readouterr() == ("", told)


def test_a_scheduler_that_says_nothing_is_told_in_one_line() -> None:
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        mute.listen()
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        ran = alone("survey", "--scheduler", address, patience=1)
    told = f"crisps24: no scheduler answers at {address} within 1 seconds\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", told)


def test_a_scheduler_that_is_lost_on_the_way_is_told_in_one_line(tmp_path: Path) -> None:
    told = tmp_path / "scheduler.json"
    words = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(told)]
    store = tmp_path / "survey.sqlite"
    with process(SCHEDULER, tmp_path, *words) as scheduler:
        give_up = time.monotonic() + PATIENCE
        while not (told.exists() and told.read_text().endswith("}")):
            assert time.monotonic() < give_up
            time.sleep(0.02)
        address = json.loads(told.read_text())["address"]
        with process(WORKER, tmp_path, address, "--no-nanny", "--nthreads", "1"):
            line = "import sys; from crisps24.cli.program import main; sys.exit(main(sys.argv[1:]))"
            command = ["survey", "countdown", "--scheduler", address, "--out", str(store)]
            with subprocess.Popen(
                [sys.executable, "-c", line, *command],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            ) as asking:
                while not store.exists() or store.stat().st_size < 20_000:
                    assert time.monotonic() < give_up
                    time.sleep(0.02)
                scheduler.kill()
                out, err = told_by(asking)
    lost = f"crisps24: the cluster at {address} was lost; what is stored is kept\n"
    assert (asking.returncode, out, err) == (2, "", lost)


def test_the_last_worker_that_is_lost_on_the_way_is_told_in_ten_seconds(
    address: str, workers: Workers, tmp_path: Path
) -> None:
    [last] = workers(WORKER)
    path = tmp_path / "survey.sqlite"
    # Long enough to be going on when the worker is gone.
    rules = ["--targets", "101..999", "--out", str(path)]
    asking = start("survey", "countdown", *rules, "--scheduler", address)
    with asking:
        give_up = time.monotonic() + PATIENCE
        while asking.poll() is None and time.monotonic() < give_up:
            if path.exists() and path.stat().st_size > 20_000:
                break
            time.sleep(0.02)
        last.kill()
        killed = time.monotonic()
        out, err = told_by(asking)
    assert time.monotonic() - killed < 10
    told = f"crisps24: the cluster at {address} has no workers any more; what is stored is kept\n"
    assert (asking.returncode, out, err) == (2, "", told)
    with closing(sqlite3.connect(path)) as connection:
        [(kept,)] = connection.execute("SELECT count(*) FROM hands")
    assert 0 < kept < 13243


def told_by(asking: "subprocess.Popen[str]") -> tuple[str, str]:
    """Wait until a process ends, and return what it printed; one that does not end is killed."""
    try:
        return asking.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        asking.kill()
        raise


def start(*words: str) -> "subprocess.Popen[str]":
    """Run the command line as a process of its own, to be waited for."""
    line = "import sys; from crisps24.cli.program import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.Popen(
        [sys.executable, "-c", line, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_worker_that_comes_back_in_time_goes_on(address: str, workers: Workers) -> None:
    [first] = workers(WORKER)
    game = replace(GAMES["numble"], length=5)
    told: list[int] = []

    def progress(hands: int) -> None:
        told.append(hands)
        if len(told) == 2:
            first.kill()
            first.wait(PATIENCE)
            workers(WORKER)

    with executors.cluster(address) as executor:
        found = survey(game, range(101, 999), executor=executor, progress=progress)
    assert (found.solvable == survey(game, range(101, 999)).solvable).all()


NO_ADDRESSES = ["nonsense", "", "tcp://", "tcp://host", "http://127.0.0.1:8786", "tcp://host:port"]


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("address", NO_ADDRESSES)
def test_what_is_no_address_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], address: str
) -> None:
    assert main(["survey", "--scheduler", address]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("crisps24: ")
    assert len(err.splitlines()) == 1


def test_without_dask_it_says_how_to_install_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    missing: Any = None
    monkeypatch.setitem(sys.modules, "distributed", missing)
    assert main(["survey", "--scheduler", "tcp://127.0.0.1:8786"]) == 2
    told = 'crisps24: a cluster needs Dask, which is missing: pip install "crisps24[cluster]"\n'
    assert capsys.readouterr() == ("", told)
