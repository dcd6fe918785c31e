"""Settings of all tests.

Hypothesis draws the same examples in each run. `--hypothesis-profile=explore` draws more, and
`CRISPS24_EVERY=1` in the environment lets tests of many hands cover all hands.
"""

import gc
import io
import os
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.commands import Ran, Run
from tests.sampling import EVERY, one_of_each_value

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_SLOW = [HealthCheck.too_slow]
settings.register_profile(
    "suite",
    deadline=None,
    max_examples=40 if EVERY else 15,
    derandomize=True,
    suppress_health_check=_SLOW,
)
settings.register_profile(
    "explore", deadline=None, max_examples=2000, suppress_health_check=_SLOW, print_blob=True
)
settings.load_profile("suite")

# The program does the same: threads for matrices are a quarter of the start-up time of a process.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Processes that tests start buffer their output, as for users. They also write compiled files, so
# that modules are not compiled again each time.
for name in ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"):
    os.environ.pop(name, None)

# The tests themselves also write compiled files.
sys.dont_write_bytecode = False

# Collected tests live until the end, so frequent garbage collection only costs time.
gc.set_threshold(50_000, 20, 100)

# A shell ignores Ctrl-C for a suite in the background, and nohup a closed terminal; processes of
# tests would inherit that.
for name, action in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
    if signal.getsignal(number := getattr(signal, name, signal.SIGINT)) is signal.SIG_IGN:
        signal.signal(number, action)


def thin_out(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests of the default run, in order."""
    found: dict[object, list[pytest.Item]] = {}
    for item in items:
        has_parameters = hasattr(item, "callspec")
        found.setdefault(item.nodeid.partition("[")[0] if has_parameters else item, []).append(item)
    chosen = {
        item
        for some in found.values()
        for item in (one_of_each_value(some) if len(some) > 1 else some)
    }
    return [item for item in items if item in chosen]


BENCHMARKS = Path(__file__).parent / "benchmarks"

# The slowest files start first, so that no worker runs one while the others have finished.
SLOWEST_FILES = (
    *("pages/test_browser.py", "pages/test_accessibility.py", "web/test_serving.py"),
    *("enumeration/test_enumeration.py", "cli/test_playing.py", "surveys/test_surveys.py"),
    *("output/test_plots.py", "difficulty/test_fit.py", "pages/test_pages.py"),
    *("web/test_connections.py", "output/test_executors.py", "tab/test_core.py"),
)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the benchmarks to the long run, and to calls that name their folder."""
    named = any("benchmarks" in argument for argument in config.args)
    return True if collection_path == BENCHMARKS and not (named or EVERY) else None


def pytest_configure(config: pytest.Config) -> None:
    """Start files in the order of collection; pytest-xdist starts files with many tests first."""
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Thin out products of parameters, and move the slowest files to the front.

    The order within a file stays the same.
    """
    if not EVERY and not any("[" in argument for argument in config.args):
        kept = thin_out(items)
        left_out = set(items) - set(kept)
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = kept
    folder = Path(__file__).parent
    ranks = {folder / name: rank for rank, name in enumerate(SLOWEST_FILES)}
    items.sort(key=lambda item: ranks.get(item.path, len(ranks)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than cores: tests also wait for clocks, sockets and processes."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    from tests.browser import run_browser

    with run_browser() as chromium:
        yield chromium


@pytest.fixture
def _reportlab() -> None:
    pytest.importorskip("reportlab", reason="the extra crisps24[sheets] is missing")


@pytest.fixture(autouse=True)
def _without_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Never print progress, even if the machine is slow."""
    monkeypatch.setattr("crisps24.cli.progress.SECONDS_UNTIL_DRAWN", 1_000.0)


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that runs a line, and more words, in this process and an empty folder."""
    from crisps24.cli.program import main

    monkeypatch.chdir(tmp_path)

    def run(line: str, *words: str, typed: bytes = b"") -> Ran:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed), "utf-8"))
        capsys.readouterr()
        return Ran(main([*shlex.split(line), *words]), *capsys.readouterr())

    return run
