"""Settings of all the tests.

The suite draws the same examples each time; `--hypothesis-profile=explore` looks further, and so do
tests of many hands where `CRISPS24_EVERY=1` is in the environment.
"""

import gc
import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow]
settings.register_profile(
    "suite", deadline=None, max_examples=50, derandomize=True, suppress_health_check=_SLOW
)
settings.register_profile(
    "explore", deadline=None, max_examples=2000, suppress_health_check=_SLOW, print_blob=True
)
settings.load_profile("suite")

# As the program has it: threads to multiply matrices take a quarter of what a process begins with.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A program that a test starts keeps what it prints until it is flushed, as it does for a user, and
# is not compiled anew each time.
for name in ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"):
    os.environ.pop(name, None)

# So are the tests themselves, where nobody needs to keep them apart.
sys.dont_write_bytecode = False

# What is collected stays to the end: it need not be searched for garbage again and again.
gc.set_threshold(50_000, 20, 100)

# Who runs the suite in the background has Ctrl-C switched off, and so would all that it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Those files begin first that take longest, so that no worker is alone with one at the end.
LONGEST = (
    "pages/test_browser.py",
    "web/test_serving.py",
    "output/test_executors.py",
    "enumeration/test_enumeration.py",
    "cli/test_playing.py",
    "surveys/test_surveys.py",
    "output/test_plots.py",
    "difficulty/test_fit.py",
    "pages/test_pages.py",
    "web/test_connections.py",
)


def pytest_configure(config: pytest.Config) -> None:
    """Have files begin in the order in which they are collected, not those of many tests first."""
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put what takes longest first; tests of a file stay together and in order."""
    folder = Path(__file__).parent
    places = {folder / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Take one worker more than there are cores: tests wait for clocks, sockets and processes."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def _without_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """Print no line of progress, however slow the machine is at the moment."""
    monkeypatch.setattr("crisps24.cli.progress.PRINTED_AFTER", 1_000.0)
