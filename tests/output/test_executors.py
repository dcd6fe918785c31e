"""Surveys on a Dask cluster on loopback: equal results, lost workers, other versions, refusals."""

import json
import multiprocessing
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import closing
from dataclasses import replace
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from crisps24 import GAMES, VersionError, __version__, survey
from crisps24.output import executors
from tests.commands import Run
from tests.waiting import wait_until

distributed = pytest.importorskip("distributed", reason="the extra crisps24[cluster] is missing")

# These tests read the messages of the package, not the warnings of Dask and its dependencies.
pytestmark = pytest.mark.filterwarnings("ignore")

SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
WORKER = "from distributed.cli.dask_worker import main; main()"
OLD_WORKER = f"from crisps24 import about; about.__version__ = '0.1'; {WORKER}"
BARE_WORKER = f"import sys; sys.modules['crisps24'] = None; {WORKER}"
PATIENCE = 60
FIVE = replace(GAMES["numble"], length=5)

# The fork server imports Dask once; schedulers and workers are its forks.
FORKS = multiprocessing.get_context("forkserver")
BEGIN = """
import os, sys
sys.argv[1:] = {words}
os.chdir({folder!r})
log = os.open("log", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
os.dup2(log, 1)
os.dup2(log, 2)
{script}
"""


def process(script: str, folder: Path, *words: str) -> ForkServerProcess:
    FORKS.set_forkserver_preload(["distributed.cli.dask_scheduler", "distributed.cli.dask_worker"])
    code = BEGIN.format(words=[*words, "--no-dashboard"], folder=str(folder), script=script)
    started = FORKS.Process(target=exec, args=(code, {}), daemon=True)
    started.start()
    return started


class Cluster:
    """A scheduler and workers, started at first use and reused until they are lost."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.scheduler: ForkServerProcess | None = None
        self.workers: list[tuple[str, ForkServerProcess]] = []

    @property
    def address(self) -> str:
        scheduler_file = self.folder / "scheduler.json"
        if self.scheduler is None or not self.scheduler.is_alive():
            scheduler_file.unlink(missing_ok=True)
            words = ["--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(scheduler_file)]
            self.scheduler = process(SCHEDULER, self.folder, *words)
            log = (self.folder / "log").read_text
            wait_until(
                lambda: scheduler_file.exists() and "}" in scheduler_file.read_text()[-1:], log
            )
        return str(json.loads(scheduler_file.read_text())["address"])

    def working(self, *scripts: str) -> list[ForkServerProcess]:
        """Start a worker for each script, stop all others, and wait until they are ready."""
        address, before, self.workers = self.address, self.workers, []
        options = ["--no-nanny", "--nthreads", "1", "--local-directory", str(self.folder)]
        for script in scripts:
            kept = [each for each in before if each[0] == script and each[1].is_alive()]
            if kept:
                before.remove(kept[0])
            started = process(script, self.folder, address, *options) if not kept else kept[0][1]
            self.workers.append((script, started))
        end(*(worker for _, worker in before))
        with distributed.Client(address, timeout=PATIENCE) as client:
            log = self.folder / "log"
            wait_until(lambda: len(client.ncores()) == len(scripts), log.read_text)
        return [worker for _, worker in self.workers]


def end(*started: ForkServerProcess) -> None:
    for each in started:
        each.kill()
        each.join(PATIENCE)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    started = Cluster(tmp_path_factory.mktemp("cluster"))
    yield started
    end(*(worker for _, worker in started.workers))
    if started.scheduler is not None:
        end(started.scheduler)


def test_survey_on_a_cluster_has_the_same_results(cluster: Cluster, run: Run) -> None:
    cluster.working(WORKER, WORKER)
    there = f"--scheduler {cluster.address}"
    for call in (
        "survey digits --targets 20..30",
        "survey --target 24 --answers FILE",
        "survey crisps --targets 20..30 --difficulty --out FILE.sqlite",
    ):
        here = run(call.replace("FILE", "here"))
        assert here.status == 0
        found = run(f"{call.replace('FILE', 'there')} {there}")
        assert (found.out, found.err.replace("there", "here")) == here[1:]
    for suffix in ("", ".sqlite"):
        assert Path(f"there{suffix}").read_bytes() == Path(f"here{suffix}").read_bytes()
    line = f"survey crisps --targets 20..30 --difficulty {there}"
    assert run(line.replace("tcp://", "")) == here


def test_survey_is_right_if_a_worker_is_killed(cluster: Cluster) -> None:
    first, _ = cluster.working(WORKER, WORKER)
    progress_counts: list[int] = []

    def progress(hands: int) -> None:
        progress_counts.append(hands)
        if len(progress_counts) == 3:
            first.kill()

    with executors.cluster(cluster.address) as executor:
        found = survey(FIVE, executor=executor, progress=progress)
    first.join(PATIENCE)
    assert first.exitcode == -signal.SIGKILL
    assert sum(progress_counts) == len(found.hands) == 2002
    assert (found.solvable == survey(FIVE).solvable).all()


@pytest.mark.parametrize(
    ("lost", "told"), [("worker", "has no workers any more"), ("scheduler", "was lost")]
)
def test_loss_of_the_last_worker_or_the_scheduler_is_reported_in_time(
    cluster: Cluster, tmp_path: Path, lost: str, told: str
) -> None:
    [worker] = cluster.working(WORKER)
    address, path = cluster.address, tmp_path / "survey.sqlite"
    # The survey takes long enough to run when the process is killed.
    line = f"-m crisps24 survey countdown --targets 101..999 --scheduler {address} --out"
    command, pipe = [sys.executable, *line.split(), str(path)], subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as asking:
        wait_until(lambda: path.exists() and path.stat().st_size >= 20_000, asking.poll)
        assert cluster.scheduler is not None
        (worker if lost == "worker" else cluster.scheduler).kill()
        try:
            out, err = asking.communicate(timeout=PATIENCE)
        finally:
            asking.kill()
    message = f"crisps24: the cluster at {address} {told}; what is stored is kept\n"
    # A line of progress can be first.
    assert (asking.returncode, out, err.splitlines(keepends=True)[-1]) == (2, "", message)
    with closing(sqlite3.connect(path)) as connection:
        [(kept,)] = connection.execute("SELECT count(*) FROM hands")
    assert 0 < kept < 13243


@pytest.mark.parametrize(
    ("status", "threads"), [("running", {"return_value": {}}), ("closed", {"side_effect": OSError})]
)
def test_results_that_are_lost_with_workers_or_scheduler_are_not_awaited(
    status: str, threads: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "MAX_SECONDS_WITHOUT_WORKERS", 0)
    future: Future[int] = Future()
    ended, without_workers = threading.Event(), threading.Event()
    # Dask ignores a cancellation if it waits for a result that was lost with its worker, and can
    # wait forever for one in transit; the moment cannot be chosen with a real scheduler.
    client = Mock(status=status, futures={}, nthreads=Mock(**threads))
    arguments = client, {future}, ended, without_workers
    watch = threading.Thread(target=executors._watch_workers, args=arguments)
    watch.start()
    with pytest.raises(CancelledError):
        future.result(PATIENCE)
    ended.set()
    watch.join(PATIENCE)
    assert not watch.is_alive()
    assert without_workers.is_set() == (status == "running")


def test_worker_of_another_version_is_refused_at_start_and_later(
    cluster: Cluster, run: Run
) -> None:
    cluster.working(OLD_WORKER)
    address = cluster.address
    sentence = f"has crisps24 0.1, and this is {__version__}: install the same version on both"
    status, out, err = run(f"survey --scheduler {address}")
    assert (status, out) == (1, "")
    assert re.fullmatch(rf"crisps24: the worker at tcp://127.0.0.1:\d+ {sentence}\n", err)
    # A worker that joins after the start checks its version itself.
    sentence = f"the worker on {socket.gethostname()} has crisps24 0.1, and this is {__version__}"
    with distributed.Client(address, timeout=PATIENCE) as client:
        executor = client.get_executor()
        with pytest.raises(VersionError, match=sentence):
            survey("crisps", range(5), executor=executor)


def test_worker_without_the_package_is_refused_by_name(cluster: Cluster, run: Run) -> None:
    cluster.working(BARE_WORKER)
    status, out, err = run(f"survey --scheduler {cluster.address}")
    assert (status, out, err.count("\n")) == (1, "", 1)
    said = (
        rf"crisps24: the worker at tcp://127.0.0.1:\d+ has no crisps24, and this is {__version__}"
    )
    assert re.match(said, err)


def test_silent_or_missing_scheduler_is_reported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "SCHEDULER_TIMEOUT", 1)
    for listens in (True, False):
        with socket.socket() as mute:
            mute.bind(("127.0.0.1", 0))
            if listens:
                mute.listen()
            address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
            ran = run(f"survey --scheduler {address}")
        assert ran == (2, "", f"crisps24: no scheduler answers at {address} within 1 seconds\n")
    for address in (
        "nonsense",
        "",
        "tcp://",
        "tcp://host",
        "http://127.0.0.1:1",
        "tcp://host:port",
    ):
        status, out, err = run("survey --scheduler", address)
        assert (status, out, err[:10], err.count("\n")) == (2, "", "crisps24: ", 1), address


def test_without_dask_it_says_how_to_install_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    message = 'crisps24: a cluster needs Dask, which is missing: pip install "crisps24[cluster]"\n'
    assert run("survey --scheduler tcp://127.0.0.1:8786") == (2, "", message)
