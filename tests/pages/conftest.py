"""One application with one worker process, one server, and a tab of a browser for each file."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.extras import skip_without_extra
from tests.web.served import run_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from starlette.testclient import TestClient


def pytest_pycollect_makemodule() -> None:
    """Skip the folder without the extra."""
    skip_without_extra("serve")


@pytest.fixture(scope="package")
def client() -> "Iterator[TestClient]":
    from starlette.testclient import TestClient

    from crisps24.web.application import make_application

    with TestClient(make_application(workers=1), base_url="http://localhost") as test_client:
        yield test_client


@pytest.fixture(scope="package")
def address() -> Iterator[str]:
    with run_server("--workers", "1", "--embed") as (server_address, _):
        yield server_address


@pytest.fixture(scope="module")
def tab(browser: "Browser") -> "Page":
    """Return the tab of all tests: opening another takes ten times as long as a new address."""
    return browser.new_page(reduced_motion="reduce")


@pytest.fixture
def page(tab: "Page", address: str) -> "Iterator[Page]":
    from tests.browser import fail_on_errors

    # An address of another site, or a blank page, would start another process.
    tab.goto(f"{address}/health")
    tab.set_viewport_size({"width": 1280, "height": 720})
    tab.emulate_media(media="screen", color_scheme="light", forced_colors="none")
    with fail_on_errors(tab):
        yield tab


@pytest.fixture(scope="module")
def phone(browser: "Browser") -> "Page":
    return browser.new_page(has_touch=True, is_mobile=True, reduced_motion="reduce")
