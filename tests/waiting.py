"""Wait for a condition, never for a fixed time."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], object], told: Callable[[], object] = str) -> None:
    """Wait at most a minute; `told` says what is known when that is over."""
    give_up = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < give_up, told()
        time.sleep(0.005)
