"""A site in headless Chromium: its pages are those of the server, and behave as pages do."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from crisps24.pages.addresses import SITE
from tests.tab.distribution import PYODIDE, needs_pyodide

pytestmark = needs_pyodide
pytest.importorskip("jinja2", reason="a site needs the extra `web`")
pytest.importorskip("playwright", reason="these tests need playwright")

from crisps24.site.files import find_pyodide, write_site  # noqa: E402
from crisps24.site.tab import Tab  # noqa: E402
from tests.site.sites import SETTINGS, fetch, frame_of, native, wait_for, wait_for_python  # noqa: E402
from tests.tables import lines_of  # noqa: E402
from tests.web.served import serve_folder  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

ADDRESSES = ["", f"check?formula={'1%2B' * 2400}1"]
ADDRESSES += lines_of("site/addresses.txt")
# Whether a new version waits for the end of the old one.
WAITING = "navigator.serviceWorker.getRegistration().then((found) => Boolean(found.waiting))"
PAGES = r"http://127\.0\.0\.1:\d+/~/[0-9a-f-]+/"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("site") / "site"
    write_site(path, SITE, find_pyodide(str(PYODIDE)))
    return path


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serve_folder(folder) as site_address:
        yield site_address


@pytest.fixture(scope="module")
def context(browser: "Browser") -> "Iterator[BrowserContext]":
    context = browser.new_context(accept_downloads=True, reduced_motion="reduce")
    yield context
    context.close()


@pytest.fixture(scope="module")
def tab(context: "BrowserContext", address: str) -> "Page":
    """Return a tab of the site in which Python runs, opened at an address of a page."""
    page = context.new_page()
    page.goto(f"{address}solve?game=cards&hand=3+3+8+8")
    assert "100.0%" in (frame_of(page).locator("main").text_content() or "")
    assert page.url == f"{address}solve?game=cards&hand=3+3+8+8"
    assert page.title() == "Solve · crisps24"
    return page


def test_pages_are_those_of_the_server_byte_by_byte(tab: "Page") -> None:
    here, frame = Tab(SETTINGS), frame_of(tab)
    assert len(ADDRESSES) >= 60
    replies = {each: fetch(frame, f"./{each}") for each in ADDRESSES}
    assert [each for each in ADDRESSES if replies[each] != native(here, each)] == []
    assert {status for status, _, _ in replies.values()} == {200, 400, 404, 422}


def test_links_forms_back_and_downloads_work(tab: "Page", address: str) -> None:
    frame = frame_of(tab)
    frame.locator("nav a", has_text="Check").click()
    wait_for(tab, lambda: tab.url == f"{address}check")
    frame_of(tab).locator("[name=formula]").first.fill("4 + 3 x 8 - 4")
    frame_of(tab).locator("main form button.first").first.click()
    wait_for(tab, lambda: "formula=4+%2B+3+x+8+-+4" in tab.url)
    tab.go_back()
    wait_for(tab, lambda: tab.url == f"{address}check")
    tab.go_back()
    wait_for(tab, lambda: "solve?game=cards" in tab.url)
    frame_of(tab).goto(re.sub("solve.*", "sheet?game=cards&seed=7&count=2", frame_of(tab).url))
    with tab.expect_download() as download:
        frame_of(tab).locator("[formaction$='sheet.pdf']").click()
    assert download.value.suggested_filename == "crisps24-cards-7.pdf"
    assert Path(download.value.path()).read_bytes().startswith(b"%PDF")


def test_a_class_is_marked_in_the_tab(tab: "Page", address: str, tmp_path: Path) -> None:
    tab.goto(f"{address}mark")
    frame = frame_of(tab)
    frame.locator("[name=game]").select_option("cards")
    (tmp_path / "class.csv").write_text("Name;3 3 8 8\nEmil;8/(3-8/3)\n")
    frame.locator("[name=table]").set_input_files(tmp_path / "class.csv")
    frame.locator("form.choose button.first").click()
    frame_of(tab).locator("table.marks").wait_for()
    row = frame_of(tab).locator("table.marks tr").all_text_contents()[-1]
    assert "Emil ✓ 1 of 1" in " ".join(row.split())
    with tab.expect_download() as download:
        frame_of(tab).locator("[formaction$='mark.csv']").click()
    assert b"Emil" in Path(download.value.path()).read_bytes()


def test_a_reply_that_takes_too_long_is_stopped_in_the_words_of_the_server(tab: "Page") -> None:
    frame = frame_of(tab)
    tab.evaluate("SITE.limits['/solve'] = 0.001")
    status, _, body = fetch(frame, "./solve?game=cards&hand=1+3+4+6")
    assert status == 422
    assert b"takes longer than 0.001 seconds, so it was stopped" in body
    tab.evaluate("SITE.limits['/solve'] = 5")
    assert fetch(frame, "./solve?game=cards&hand=1+3+4+6")[0] == 200


def test_python_starts_again_after_it_ended(tab: "Page") -> None:
    frame = frame_of(tab)
    script = "fetch('./solve?game=cards&hand=2+3+4+6').then(async (reply) => reply.text())"
    tab.evaluate("isReady = false")
    frame.evaluate(f"self.asked = {script}; 0")
    wait_for(tab, lambda: tab.evaluate("waiting.length"))
    # The worker has no time to answer.
    tab.evaluate("isReady = true; askNext(); worker.onmessage({ data: { lost: true } })")
    assert "more memory" in frame.evaluate("self.asked")
    assert fetch(frame, "./solve?game=cards&hand=2+3+4+6")[0] == 200


def test_two_tabs_have_pythons_of_their_own(context: "BrowserContext", tab: "Page") -> None:
    other = context.new_page()
    other.goto(tab.url)
    frame_of(other)
    names = {re.match(PAGES, page.frames[1].url)[0] for page in (tab, other)}  # type: ignore[index]
    assert len(names) == 2
    other.close()
    assert fetch(frame_of(tab), "./solve?game=cards&hand=3+3+8+8")[0] == 200


def test_all_of_it_works_without_a_network(context: "BrowserContext", tab: "Page") -> None:
    asked: list[str] = []
    context.set_offline(True)
    tab.on("request", lambda request: asked.append(request.url))
    tab.reload()
    wait_for_python(tab)
    assert fetch(frame_of(tab), "./play?game=cards&seed=1")[0] == 200
    context.set_offline(False)
    own = re.match("http://[^/]*/", tab.url)
    assert own
    assert [url for url in asked if not url.startswith((own[0], "blob:"))] == []


def test_a_new_version_comes_at_the_next_start(browser: "Browser", tmp_path: Path) -> None:
    pyodide, context = find_pyodide(str(PYODIDE)), browser.new_context()
    write_site(tmp_path / "site", replace(SITE, title="First"), pyodide)
    with serve_folder(tmp_path / "site") as address:
        page = context.new_page()
        page.goto(address)
        wait_for_python(page)
        write_site(tmp_path / "site", replace(SITE, title="Second"), pyodide)
        # Another start beside the open tab, and a reload of it, have the old version.
        page.reload()
        wait_for(page, lambda: page.evaluate(WAITING))
        assert frame_of(page).title().endswith("First")
        page.close()
        page = context.new_page()
        page.goto(address)
        wait_for(page, lambda: page.title().endswith("Second"))
        wait_for(page, lambda: page.evaluate("caches.keys().then((names) => names.length)") == 2)
    context.close()


def test_first_puzzle_is_played_before_python_is_there(browser: "Browser", address: str) -> None:
    page = browser.new_page(locale="nl-NL")
    page.goto(address)
    frame_of(page).locator("a.button.first").click()
    wait_for(page, lambda: "play?" in page.frames[1].url)
    frame_of(page).locator("#tile-0").click()
    assert not page.evaluate("isReady")
    assert frame_of(page).locator("html").get_attribute("lang") == "nl"
    page.locator("#link").click()
    frame_of(page)
    assert page.frames[1].url == f"{address}puzzles.html"
    page.close()


@pytest.mark.parametrize("is_served", [True, False])
def test_without_webassembly_or_a_server_it_says_so_and_plays(
    browser: "Browser", folder: Path, address: str, is_served: bool
) -> None:
    page = browser.new_page(locale="de-DE" if is_served else "en-US")
    if is_served:
        page.add_init_script("delete self.WebAssembly")
    page.goto(address if is_served else (folder / "index.html").as_uri())
    said = "Service Worker oder WebAssembly" if is_served else "need scripts and a web server"
    assert said in (page.locator("#text").text_content() or "")
    # The link leads to puzzles that play without Python.
    page.locator("#link").click()
    page.locator("#player .bar").wait_for()
    page.close()
