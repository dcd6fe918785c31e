"""Headless Chromium for the tests of pages and files, and the errors of a page."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

from tests.web.served import CHROMIUM


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
    """Yield a page, then assert that it raised and logged no errors.

    Args:
        page: the page.
        is_allowed: whether the page can request an address.
    """
    errors: list[str] = []

    def record_exception(error: object) -> None:
        errors.append(str(error))

    def record_log(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(message.text)

    def record_request(request: Request) -> None:
        if not is_allowed(request.url):
            errors.append(request.url)

    page.on("pageerror", record_exception)
    page.on("console", record_log)
    page.on("request", record_request)
    yield page
    page.remove_listener("pageerror", record_exception)
    page.remove_listener("console", record_log)
    page.remove_listener("request", record_request)
    assert errors == []
