"""Headless Chromium for the tests of pages and files, and the errors of a page.

A file with tests that imports this module is skipped where the packages for it are missing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

pytest.importorskip("playwright", reason="a browser is driven by the extra `browser`")
pytest.importorskip("axe_playwright_python", reason="pages are judged by the extra `browser`")

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, FrameLocator, Page, ViewportSize, expect, sync_playwright

from tests.web.served import CHROMIUM

__all__ = ["AXE_SCRIPT", "Browser", "FrameLocator", "Page", "ViewportSize", "expect"]
needs_chromium = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is missing")


@contextmanager
def run_browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        # The scripts are so short that optimizing them takes longer than it saves.
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--js-flags=--no-opt"])
        yield browser
        browser.close()


@contextmanager
def fail_on_errors(
    page: Page, is_allowed: Callable[[str], bool] = lambda _: True
) -> Iterator[Page]:
    """Yield a page; assert that it raised and logged no errors, and made only allowed requests."""
    errors: list[str] = []
    listeners: dict[str, Callable[[Any], None]] = {
        "pageerror": lambda error: errors.append(str(error)),
        "console": lambda said: errors.extend([said.text] * (said.type == "error")),
        "request": lambda asked: errors.extend([asked.url] * (not is_allowed(asked.url))),
    }
    events: Any = page
    for event, listener in listeners.items():
        events.on(event, listener)
    yield page
    for event, listener in listeners.items():
        events.remove_listener(event, listener)
    assert errors == []
