"""The player in a browser: rounds won in each way, faults, results, sizes and accessibility."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="a browser is driven by the extra `browser`")
pytest.importorskip("axe_playwright_python", reason="files are judged by the extra `browser`")

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect, sync_playwright

from tests.player.browser import (
    HAND_GAMES,
    ROWS,
    Keys,
    Taps,
    record_of,
    win,
    write_page,
)
from tests.web.served import CHROMIUM

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}")

EVERY = "CRISPS24_EVERY" in os.environ
FINDINGS = (Path(__file__).parents[1] / "pages" / "findings.js").read_text()
SIZES = ((320, 568), (360, 640), (390, 844), (568, 320), (768, 1024), (1280, 800))
Open = Callable[..., str]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, args=["--js-flags=--no-opt"])
        yield made
        made.close()


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Page:
    context = browser.new_context(reduced_motion="reduce", permissions=["clipboard-write"])
    return context.new_page()


@contextmanager
def watched(page: Page) -> Iterator[Page]:
    """Give a page, and fail if it has an error or makes a request."""
    wrong: list[str] = []

    def add_error(error: object) -> None:
        wrong.append(str(error))

    def add_entry(entry: ConsoleMessage) -> None:
        if entry.type == "error":
            wrong.append(entry.text)

    def add_request(request: Request) -> None:
        if not request.url.startswith(("file:", "about:srcdoc", "http://test/")):
            wrong.append(request.url)

    page.on("pageerror", add_error)
    page.on("console", add_entry)
    page.on("request", add_request)
    yield page
    page.remove_listener("pageerror", add_error)
    page.remove_listener("console", add_entry)
    page.remove_listener("request", add_request)
    assert wrong == []


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    tab.set_viewport_size({"width": 320, "height": 568})
    tab.emulate_media(color_scheme="light", forced_colors="none")
    with watched(tab):
        yield tab


@pytest.fixture
def open_file(page: Page, tmp_path: Path) -> Open:
    """Return a function that writes a file and opens it without stored results."""

    def opened(record: Any, name: str = "puzzles") -> str:
        address = write_page(record, tmp_path, name)
        page.goto(address)
        page.evaluate("localStorage.clear()")
        page.reload()
        return address

    return opened


def is_won(page: Any) -> None:
    expect(page.locator(".verdict.good")).to_have_count(1)


@pytest.mark.parametrize("name", [*HAND_GAMES, *ROWS])
def test_round_is_won_by_taps_by_keys_and_by_typing(name: str, page: Page, open_file: Open) -> None:
    record = record_of(name)
    open_file(record)
    for index, puzzle in enumerate(record["puzzles"]):
        expect(page.locator("h1")).to_contain_text(f"Puzzle {index + 1} of 3")
        player = (Taps, Keys, Keys)[index](page)
        if index < 2 or "row" in puzzle:
            page.locator("main").focus()
            win(player, page, record, puzzle)
        else:
            page.locator("summary").click()
            page.locator("#typed").fill(puzzle["answer"])
            page.keyboard.press("Enter")
        is_won(page)
        if index < 2:
            expect(page.locator("#next")).to_be_focused()
            page.keyboard.press("Enter")
    page.locator("#result").click()
    expect(page.locator(".result")).to_contain_text("3 of 3 solved")
