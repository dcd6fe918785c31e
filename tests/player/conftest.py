"""A tab of a browser for each file, and a way to open files in it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def tab(browser: "Browser") -> "Page":
    context = browser.new_context(reduced_motion="reduce", permissions=["clipboard-write"])
    return context.new_page()


# The starts of the addresses of a file, which makes no other requests.
LOCAL = ("file:", "about:srcdoc", "http://test/")


@pytest.fixture
def page(tab: "Page") -> "Iterator[Page]":
    from tests.browser import fail_on_errors

    tab.set_viewport_size({"width": 320, "height": 568})
    tab.emulate_media(color_scheme="light", forced_colors="none")
    with fail_on_errors(tab, lambda address: address.startswith(LOCAL)):
        yield tab


@pytest.fixture
def open_file(page: "Page", tmp_path: Path) -> Callable[..., str]:
    from tests.player.browser import write_page

    def opened(record: Any, name: str = "puzzles") -> str:
        address = write_page(record, tmp_path, name)
        page.goto(address)
        page.evaluate("localStorage.clear()")
        page.reload()
        return address

    return opened
