"""The pages in a browser: keyboard, phone, accessibility, colours, and use without scripts."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="the pages need the extra `web`")
pytest.importorskip("playwright", reason="a browser is driven by the extra `browser`")
pytest.importorskip("axe_playwright_python", reason="pages are judged by the extra `browser`")

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    FrameLocator,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)

from crisps24.messages.languages import LANGUAGES
from crisps24.paper.papers import render_sheet
from crisps24.paper.sheets import Sheet
from crisps24.puzzles.daily import FIRST_DAY, daily
from crisps24.puzzles.dealing import deal
from crisps24.rules.games import GAMES, HAND_GAMES
from crisps24.solving.likeliest import hints
from tests.pages.pictures import PAGES
from tests.pages.tapping import taps_of
from tests.web.served import CHROMIUM, run_other_site, run_server

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"{CHROMIUM} is missing")

RUN_ALL_CASES = "CRISPS24_EVERY" in os.environ
EXTRA_CHECKS = (Path(__file__).parent / "extra_checks.js").read_text()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with run_server("--workers", "1", "--embed") as (server_address, _):
        yield server_address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        # The scripts are so short that optimizing them takes longer than it saves.
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=["--js-flags=--no-opt"])
        yield chromium
        chromium.close()


@contextmanager
def fail_on_errors(page: Page) -> Iterator[Page]:
    """Yield a page, then assert that it raised and logged no errors."""
    errors: list[str] = []

    def record_exception(error: object) -> None:
        errors.append(str(error))

    def record_log(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(message.text)

    page.on("pageerror", record_exception)
    page.on("console", record_log)
    yield page
    page.remove_listener("pageerror", record_exception)
    page.remove_listener("console", record_log)
    assert errors == []


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Page:
    """Return the tab of all tests: opening another takes ten times as long as a new address."""
    return browser.new_page(reduced_motion="reduce")


@pytest.fixture
def page(tab: Page, address: str) -> Iterator[Page]:
    # An address of another site, or a blank page, would start another process.
    tab.goto(f"{address}/health")
    tab.set_viewport_size({"width": 1280, "height": 720})
    tab.emulate_media(media="screen", color_scheme="light", forced_colors="none")
    with fail_on_errors(tab):
        yield tab


@pytest.fixture(scope="module")
def phone(browser: Browser) -> Page:
    return browser.new_page(has_touch=True, is_mobile=True, reduced_motion="reduce")


def test_keyboard_plays_a_wrong_answer_a_hint_and_a_solution(page: Page, address: str) -> None:
    [puzzle] = deal("cards", 1, seed=7)
    first, *others = hints(puzzle.solutions()[0].expression, GAMES["cards"])
    page.goto(f"{address}/play?game=cards&seed=7")
    page.evaluate("window.stays = true")
    keyboard, field, announcement = page.keyboard, page.locator("#typed"), page.locator("#said")
    expect(field).to_be_focused()
    keyboard.type("9 + 4 + 6")
    keyboard.press("Enter")
    expect(page.locator(".verdict.bad")).to_contain_text("9")
    expect(announcement).to_contain_text("9")
    expect(field).to_be_focused()
    keyboard.press("ControlOrMeta+a")
    keyboard.type("?")
    keyboard.press("Enter")
    expect(page.locator(".verdict")).to_contain_text(f"try {first}")
    expect(announcement).to_contain_text(f"try {first}")
    keyboard.type(first)
    keyboard.press("Enter")
    expect(page.locator(".standing")).to_contain_text(first)
    expect(field).to_be_focused()
    keyboard.type(", ".join(others))
    keyboard.press("Enter")
    expect(page.locator(".verdict.good")).to_contain_text("= 24")
    expect(page.get_by_role("link", name="Next puzzle")).to_be_focused()
    keyboard.press("Enter")
    expect(page.locator(".facts")).to_contain_text("Puzzle 2")
    expect(page.locator(".facts")).to_contain_text("1 solved")
    expect(field).to_be_focused()
    # No step reloads the page, and the browser can go back to the address of each.
    assert page.evaluate("window.stays")
    assert "n=2" in page.url
    page.go_back()
    expect(page.locator(".verdict.good")).to_be_visible()
    page.reload()
    expect(page.locator(".verdict.good")).to_be_visible()


def test_buttons_and_keypad_do_the_same_as_keys(page: Page, address: str) -> None:
    page.goto(f"{address}/play?game=cards&puzzle=cards:3.3.8.8=24")
    for name in ("8", "/", "(", "3", "-", "8", "+"):
        page.locator(".pad").get_by_role("button", name=name, exact=True).first.click()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("#typed")).to_have_value("8/(3-8")
    page.keyboard.type("/3)")
    page.get_by_role("button", name="Try").click()
    expect(page.locator(".verdict.good")).to_be_visible()
    page.get_by_role("link", name="Play it again").click()
    page.get_by_role("button", name="Solution").click()
    expect(page.locator(".verdict")).to_contain_text("the only solution")


@pytest.fixture
def page_with_clock(browser: Browser) -> Iterator[Page]:
    """Yield a page whose time the test controls."""
    page = browser.new_page(reduced_motion="reduce")
    page.clock.install()
    with fail_on_errors(page):
        yield page
    page.close()


def test_countdown_ends_after_30_seconds(page_with_clock: Page, address: str) -> None:
    page = page_with_clock
    page.goto(f"{address}/play?game=countdown&seed=7&large=4")
    clock = page.locator(".clock b")
    # Before Start, the clock does not run and the puzzle is hidden.
    page.clock.run_for(60_000)
    expect(page.locator("h1")).to_have_text("Ready?")
    expect(page.get_by_role("button", name="Start")).to_be_focused()
    page.keyboard.press("Enter")
    expect(clock).to_have_text("0:30")
    assert re.search(r"began=\d+\.\d$", page.url)
    # A reload keeps the start time.
    page.clock.run_for(5_000)
    page.reload()
    expect(clock).to_have_text(re.compile("0:2[345]"))
    page.locator("#typed").fill("75 + 50 + 25")
    page.clock.run_for(7_000)
    expect(clock).to_have_text(re.compile("0:1[678]"))
    page.keyboard.press("Enter")
    expect(page.locator(".verdict")).to_contain_text("away")
    expect(clock).to_have_text(re.compile("0:1[678]"))
    page.keyboard.type("75 x (")
    page.clock.run_for(19_000)
    verdict = page.locator("#verdict")
    expect(verdict).to_contain_text("Time is over", ignore_case=True)
    expect(verdict).to_contain_text("Not a formula")
    expect(page.locator(".clock")).to_be_hidden()
    # A late Enter, meant for the field, does nothing.
    expect(verdict).to_be_focused()
    page.keyboard.press("Enter")
    expect(verdict).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Next puzzle")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".facts")).to_contain_text("Puzzle 2")


def test_running_clock_can_be_stopped(page: Page, address: str) -> None:
    page.goto(f"{address}/play?game=countdown&seed=5")
    page.get_by_role("link", name="Play without a clock").click()
    expect(page.locator(".clock")).to_contain_text("Time 0:0")
    assert "limit=0" in page.url


def test_first_and_later_puzzles_are_announced(page: Page, address: str) -> None:
    field, announcement = page.locator("#typed"), page.locator("#said")

    def announced_task() -> str:
        """Return the task in the heading, field description, title and, if any, announcement."""
        task = page.locator("h1").text_content() or ""
        expect(field).to_be_focused()
        expect(field).to_have_accessible_description(re.compile(rf"{task} level [1-5] of 5"))
        level = page.locator("#level").inner_text().strip().removesuffix(" of 5")
        expect(page).to_have_title(f"{task}, {level} · crisps24")
        if page.evaluate("window.stays"):
            expect(announcement).to_have_text(f"{task}, {level} · crisps24")
        return task

    page.goto(f"{address}/play?game=countdown&seed=5&limit=0")
    tasks = [announced_task()]
    page.evaluate("window.stays = true")
    page.get_by_role("link", name="Skip", exact=True).click()
    expect(page.locator(".facts")).to_contain_text("Puzzle 2")
    tasks.append(announced_task())
    page.get_by_role("button", name="Solution").click()
    page.get_by_role("link", name="Next puzzle").click()
    expect(page.locator(".facts")).to_contain_text("Puzzle 3")
    tasks.append(announced_task())
    # The unchanged form deals other puzzles.
    page.get_by_text("Choose puzzles").click()
    expect(page.locator("#seed-help")).to_contain_text("puzzle 3 of seed 5")
    page.get_by_role("button", name="Deal").click()
    expect(page.locator(".facts")).to_contain_text("Puzzle 1")
    tasks.append(announced_task())
    assert not re.search(r"seed=5\b", page.url)
    assert len(set(tasks)) == 4


def test_puzzle_can_be_chosen_by_its_id(page: Page, address: str) -> None:
    page.goto(f"{address}/play?game=countdown&seed=5")
    page.get_by_text("Choose puzzles").click()
    page.get_by_label("Puzzle", exact=True).fill("cards:3.3.8.8=25")
    page.get_by_role("button", name="Deal").click()
    expect(page.locator("h1")).to_have_text("make 25 from 3 3 8 8")
    page.get_by_role("link", name="Skip", exact=True).click()
    expect(page.locator("h1")).to_contain_text("make 25 from")
    expect(page.locator("h1")).not_to_contain_text("3 3 8 8")


def tap(page: Page | FrameLocator, text: str) -> None:
    """Tap the first tile or sign with this text that is not held."""
    buttons = page.locator('.tiles [name=tap]:not([aria-pressed="true"])')
    buttons.filter(has_text=re.compile(rf"^{re.escape(text)}$")).first.click()
    expect(page.locator("main")).not_to_have_attribute("aria-busy", "true")


@pytest.mark.parametrize("script", [True, False])
def test_a_round_is_won_by_taps_alone_in_each_game_on_a_phone(
    browser: Browser, address: str, script: bool
) -> None:
    page = browser.new_context(
        viewport={"width": 360, "height": 640},
        has_touch=True,
        is_mobile=True,
        reduced_motion="reduce",
        java_script_enabled=script,
    ).new_page()
    # All games with `CRISPS24_EVERY`; all are won so without a browser in `test_tiles`.
    games = HAND_GAMES if RUN_ALL_CASES else ("countdown",)
    for game in games if script else ("cards",):
        [puzzle] = daily(game, FIRST_DAY)
        page.goto(f"{address}/daily?game={game}&date={FIRST_DAY}&limit=0")
        for index, text in enumerate(text for step in taps_of(puzzle) for text in step):
            tap(page, text)
            if script and index < 3:
                page.wait_for_timeout(50)
                selectors = [".card svg", ".board", ".signs", "#restart", "#typed"]
                assert page.evaluate(OUT_OF_VIEW, selectors) == [], (game, index)
                assert page.evaluate("document.activeElement.closest('.tiles') !== null")
        expect(page.locator(".verdict.good")).to_contain_text(f"= {puzzle.target}")
        expect(page.locator("#result")).to_have_text(re.compile("no hints [●○]{5}$"))
    page.context.close()


def test_a_round_is_won_by_taps_within_a_page_of_another_site(
    browser: Browser, address: str
) -> None:
    page = browser.new_page(viewport={"width": 400, "height": 700}, reduced_motion="reduce")
    [puzzle] = daily("cards", FIRST_DAY)
    for path in (f"/daily?game=cards&date={FIRST_DAY}", f"/play?puzzle={puzzle.id}"):
        high = "<div style='height: 2000px'></div>"
        shown = f"<iframe src='{address}{path}' width=360 height=640></iframe>"
        with run_other_site(f"<!doctype html>{high}{shown}{high}") as site:
            page.goto(site)
        frame = page.frame_locator("iframe")
        expect(frame.locator(".board")).to_be_visible()
        # The other page is not moved by what it shows.
        assert page.evaluate("scrollY") == 0
        # A tap by script, and the answer: all of a round is tapped elsewhere.
        tap(frame, taps_of(puzzle)[0][0])
        frame.locator("#typed").fill(puzzle.answer())
        frame.get_by_role("button", name="Try").click()
        expect(frame.locator(".verdict.good")).to_contain_text(f"= {puzzle.target}")
        expect(frame.locator(".verdict.good")).to_be_in_viewport()
        frame.get_by_role("link", name="Solve", exact=True).click()
        expect(frame.locator("h1")).to_have_text("Solve a puzzle")
    page.close()


def test_tiles_are_tapped_by_keys_and_what_was_made_is_said(page: Page, address: str) -> None:
    page.goto(f"{address}/play?puzzle=crisps:9.7.2.3%3D24")
    page.evaluate("window.stays = true")
    announcement = page.locator("#said")

    def press(button: str, key: str) -> None:
        for _ in range(40):
            if page.evaluate("document.activeElement.id") == button:
                break
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        expect(page.locator("main")).not_to_have_attribute("aria-busy", "true")

    press("tile-1", "Shift+Tab")
    expect(announcement).to_have_text("9 … Tap a sign.")
    expect(page.locator("#tile-1")).to_be_focused()
    expect(page.get_by_role("button", name="9", exact=True).first).to_have_attribute(
        "aria-pressed", "true"
    )
    press("sign-:", "Tab")
    expect(page.get_by_role("button", name="divided by")).to_be_focused()
    press("tile-2", "Shift+Tab")
    expect(announcement).to_contain_text("Not allowed: 9 : 7 leaves a remainder of 2.")
    expect(page.locator("#tile-2")).to_be_focused()
    press("tile-1", "Shift+Tab")
    press("sign-+", "Tab")
    press("tile-2", "Shift+Tab")
    expect(announcement).to_have_text("9 + 7 = 16. A step: left: 2 3 16.")
    expect(page.locator("#tile-2")).to_be_focused()
    expect(page.locator("#tile-2")).to_have_text("16")
    press("undo", "Tab")
    expect(announcement).to_have_text("left: 9 7 2 3.")
    assert page.evaluate("document.activeElement.closest('.tiles') !== null")
    assert page.evaluate("window.stays")


def test_taps_that_come_faster_than_answers_are_all_taken(page: Page, address: str) -> None:
    page.goto(f"{address}/play?puzzle=cards:4.6.8.10%3D24")
    page.evaluate(
        "for (const id of ['tile-4', 'sign--', 'tile-2']) document.getElementById(id).click()"
    )
    expect(page.locator("#tile-2")).to_have_text("4")
    expect(page.locator("#verdict")).to_contain_text("10 - 6 = 4")
    assert len(page.locator(".gone").all()) == 1


def test_buttons_copy_the_link_and_the_result(browser: Browser, address: str) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{address}/daily?game=cards&date={FIRST_DAY}&hints=2")
    tap(page, "1")
    expect(page.locator("#tile-1")).to_have_attribute("aria-pressed", "true")
    fresh = f"/daily?game=cards&date={FIRST_DAY}"
    assert page.locator("link[rel=canonical]").get_attribute("href") == fresh
    page.get_by_role("button", name="Copy the link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == address + fresh
    page.locator("#typed").fill(daily("cards", FIRST_DAY)[0].answer())
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Copy", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_have_text("Copied")
    result = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch("crisps24 · 1 Jan 2026 · cards, level . · 0:0., 2 hints [●○]{5}", result)
    context.close()


def test_all_pages_work_without_scripts(browser: Browser, address: str) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{address}/")
    page.get_by_role("link", name="Play", exact=True).first.click()
    page.get_by_text("Choose puzzles").click()
    page.locator("select[name=game]").select_option("cards")
    page.get_by_label("Seed").fill("7")
    page.get_by_role("button", name="Deal").click()
    assert re.search(r"seed=7", page.url)
    page.get_by_role("button", name="Hint").click()
    [puzzle] = deal("cards", 1, seed=7)
    answer = puzzle.solutions()[0].expression
    first = hints(answer, GAMES["cards"])[0]
    expect(page.locator(".verdict")).to_contain_text(f"try {first}")
    page.get_by_label("A formula").fill(first)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Undo a step").click()
    expect(page.locator(".standing")).to_have_count(0)
    page.get_by_label("A formula").fill(str(answer))
    page.keyboard.press("Enter")
    expect(page.locator(".verdict.good")).to_be_visible()
    expect(page.locator(".clock")).to_be_hidden()
    page.get_by_role("link", name="Next puzzle").click()
    expect(page.locator(".facts")).to_contain_text("1 solved")
    page.get_by_role("link", name="Solve").click()
    page.get_by_label("Numbers", exact=True).fill("4 3 8 4")
    page.keyboard.press("Enter")
    expect(page.locator(".solutions tbody tr")).to_have_count(2)
    page.get_by_role("link", name="Check").click()
    page.get_by_label("Formulas").fill("9 : 7 + 2\n4 + 3 x 8 - 4 = 24")
    page.get_by_role("button", name="Check").click()
    expect(page.locator("mark")).to_contain_text("9 : 7")
    expect(page.locator(".judged > li")).to_have_count(2)
    page.get_by_role("link", name="Sheet").click()
    expect(page.locator(".paper svg")).to_be_visible()
    page.context.close()


@pytest.mark.parametrize("script", [True, False])
def test_downloaded_sheet_has_the_values_of_the_form(
    browser: Browser, address: str, script: bool
) -> None:
    pytest.importorskip("reportlab", reason="sheets need the extra `sheets`")
    pypdf = pytest.importorskip("pypdf", reason="the PDF is read back by pypdf")
    page = browser.new_context(java_script_enabled=script).new_page()
    page.goto(f"{address}/sheet?game=cards&seed=5")
    page.get_by_label("Number of puzzles").fill("6")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".paper code")).to_contain_text("--count 6 --seed 5")
    # The preview does not show these two values yet.
    page.get_by_label("Title").fill("Class 5b")
    page.get_by_label("From easy to hard").check()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the PDF").click()
    assert download.value.suggested_filename == "crisps24-cards-5.pdf"
    text = pypdf.PdfReader(download.value.path()).pages[0].extract_text()
    assert "Class 5b" in text
    assert "--count 6 --seed 5 --rising" in text
    # Enter updates the preview.
    page.get_by_label("Title").press("Enter")
    expect(page.locator(".paper code")).to_contain_text("--rising --out sheet.pdf --title")
    page.context.close()


# All rules of axe, except the contrast of level AAA, which most people do not need.
RULE_SETTINGS = {"target-size": {"enabled": True}, "color-contrast-enhanced": {"enabled": False}}
ALL_RULES = {"runOnly": [*("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "wcag2aaa")]}
ALL_RULES["runOnly"] += ["best-practice", "experimental"]
CONTRAST_RULE = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
# The rules whose results depend on texts.
TEXT_RULES = ALL_RULES | {"rules": RULE_SETTINGS | {"color-contrast": {"enabled": False}}}
RUN_AXE = """(options) => axe.run(options).then((results) => results.violations.map((rule) =>
    `${rule.id}: ${rule.nodes.map((node) => node.html.slice(0, 200)).join(" | ")}`))"""


def open_details(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")


def problems_on(page: Page, **options: object) -> list[str]:
    """Return the accessibility problems that axe and `extra_checks.js` find on a page.

    With `preload`, axe also reads style sheets. All pages have the same one: check it on one page.
    """
    axe_options = {
        "resultTypes": ["violations"],
        "rules": RULE_SETTINGS,
        "selectors": False,
        "preload": False,
    }
    axe_options |= ALL_RULES | options
    return [*page.evaluate(RUN_AXE, axe_options), *page.evaluate(EXTRA_CHECKS)]


TOO_WIDE = """() => [document.documentElement].filter((e) => e.scrollWidth > e.clientWidth)
    .map((e) => `${e.scrollWidth} pixels wide`)"""
# Pages with elements that keep their own colours if the system forces colours: marks, held tiles,
# the first of several buttons or links.
FORCED_COLOUR_PAGES = ("play-hint", "play-wrong", "play-tapped", "play-over", "check-judged")
# Pages whose elements and classes all occur on other pages too.
REDUNDANT_PAGES = () if RUN_ALL_CASES else ("play", "play-id", "daily", "solve", "check")


@pytest.mark.parametrize("name", [name for name in PAGES if name not in REDUNDANT_PAGES])
def test_page_has_no_accessibility_problems(tab: Page, address: str, name: str) -> None:
    page = tab
    page.set_viewport_size({"width": 320, "height": 800})
    page.emulate_media(color_scheme="light", forced_colors="none")
    page.goto(address + PAGES[name])
    page.evaluate(AXE_SCRIPT)
    problems = {"folded": page.evaluate(TOO_WIDE)}
    open_details(page)
    problems["light"] = problems_on(page, preload=name == "start")
    page.emulate_media(color_scheme="dark", forced_colors="none")
    problems["dark"] = problems_on(page, **CONTRAST_RULE)
    if name in FORCED_COLOUR_PAGES:
        page.emulate_media(color_scheme="dark", forced_colors="active")
        problems["forced"] = problems_on(page, **CONTRAST_RULE)
    page.set_viewport_size({"width": 1440, "height": 800})
    problems["wide"] = page.evaluate(EXTRA_CHECKS)
    assert {mode: texts for mode, texts in problems.items() if texts} == {}


# One page of each kind, to check at the smallest width in all languages.
TRANSLATED_PAGES = (
    "/",
    "/play?game=countdown&seed=7&key=?",
    "/play?game=countdown&seed=7",
    "/daily?game=krypto&date=2026-01-02&tap=1",
    "/solve?hand=3+3+8+8&game=cards",
    "/sheet?seed=7",
)


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_translated_pages_have_no_accessibility_problems(
    browser: Browser, address: str, language: str
) -> None:
    narrow: ViewportSize = {"width": 320, "height": 640}
    context = browser.new_context(locale=language, viewport=narrow, reduced_motion="reduce")
    page = context.new_page()
    problems = {}
    # Each page gets all checks in two languages, or with `CRISPS24_EVERY` in all; else its width.
    offset = list(LANGUAGES).index(language)
    for index, path in enumerate(TRANSLATED_PAGES):
        page.goto(address + path)
        open_details(page)
        if (index + offset) % 5 < 2 or RUN_ALL_CASES:
            page.evaluate(AXE_SCRIPT)
            problems[path] = problems_on(page, **TEXT_RULES)
        else:
            problems[path] = page.evaluate(TOO_WIDE)
        assert page.evaluate("document.documentElement.lang") == language
    context.close()
    assert {path: texts for path, texts in problems.items() if texts} == {}


def test_html_sheets_have_no_accessibility_problems(page: Page, tmp_path: Path) -> None:
    for language in LANGUAGES:
        sheet = Sheet(title="Class 5b", name_line=True, language=language)
        path = tmp_path / f"{language}.html"
        path.write_bytes(b"".join(render_sheet("html", deal("cards", 4, seed=7), sheet, ["1"] * 4)))
        page.goto(path.as_uri())
        page.evaluate(AXE_SCRIPT)
        assert problems_on(page, **(ALL_RULES if language == "en" else TEXT_RULES)) == [], language


def test_language_link_keeps_the_state_of_the_round(page: Page, address: str) -> None:
    page.goto(f"{address}/play?game=cards&seed=7")
    page.locator("#typed").fill("6 x 6 = 36")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict")).to_contain_text("left: 1 12 36")
    page.get_by_role("link", name="Nederlands").click()
    expect(page.locator(".verdict")).to_contain_text("over: 1 12 36")
    expect(page.locator("html")).to_have_attribute("lang", "nl")
    page.keyboard.press("?")
    page.keyboard.press("Enter")
    expect(page.locator(".verdict")).to_contain_text("probeer")
    expect(page.locator(".verdict")).to_contain_text("×")


def test_accessibility_checks_find_inserted_problems(page: Page, address: str) -> None:
    page.goto(f"{address}/solve")
    page.evaluate(AXE_SCRIPT)
    page.evaluate(
        """() => {
        document.documentElement.lang = "";
        document.getElementById("main").insertAdjacentHTML("beforeend",
            "<input><p class='pale'>pale</p><svg></svg><textarea placeholder='faint'></textarea>");
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(`.pale { color: #bbb } .lead { width: 3000px; max-width: none }
            textarea { border: 1px solid #ddd } textarea::placeholder { color: #aaa }`);
        document.adoptedStyleSheets = [sheet];
        }"""
    )
    problems = "\n".join(problems_on(page))
    for part in (
        "html-has-lang: <html",
        "label: <input>",
        "color-contrast: <p class=",
        "an SVG image without a title",
        "the border of <textarea > is too faint",
        "the placeholder of <textarea > is too faint: 2.",
        "pixels wide",
    ):
        assert part in problems, problems


def test_all_elements_show_that_they_have_the_focus(page: Page, address: str) -> None:
    page.goto(f"{address}/play?puzzle=cards:4.6.8.10%3D24&steps=10+-+6+%3D+4")
    page.evaluate("document.activeElement.blur()")
    without_outline = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        without_outline.add(
            page.evaluate(
                """() => {
            const element = document.activeElement, style = getComputedStyle(element);
            const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
            return element === document.body || outlined ? "" : element.outerHTML.slice(0, 100);
            }"""
            )
        )
    assert without_outline == {""}


def test_skip_link_moves_the_focus_to_the_content(page: Page, address: str) -> None:
    page.goto(f"{address}/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.getElementById('main').contains(document.activeElement)")


def test_printed_page_has_solutions_but_no_navigation_or_form(page: Page, address: str) -> None:
    page.goto(f"{address}/solve?game=cards&hand=1+4+7+13")
    page.emulate_media(media="print")
    expect(page.locator("nav")).to_be_hidden()
    expect(page.locator("main form")).to_be_hidden()
    expect(page.locator(".solutions")).to_be_visible()


# Returns the selectors whose elements are not entirely in view.
OUT_OF_VIEW = """(selectors) => selectors.filter((selector) => {
    const element = document.querySelector(selector), box = element.getBoundingClientRect();
    const within = box.left >= 0 && box.top >= 0 && box.right <= innerWidth;
    const middle = document.elementFromPoint((box.left + box.right) / 2, box.top + 3);
    const onTop = middle && element.contains(middle);
    return !within || box.bottom > innerHeight || !box.height || !onTop;
})"""


# A game, and the width and height of the screen in pixels: the narrowest and the lowest screen
# with both games, others with one.
SIZES = [
    ("cards", 360, 640),
    ("cards", 320, 568),
    ("cards", 568, 320),
    ("countdown", 320, 568),
    ("countdown", 412, 915),
    ("countdown", 640, 360),
    ("countdown", 568, 320),
]


@pytest.mark.parametrize(("game", "width", "height"), SIZES)
def test_phone_shows_card_field_and_keypad_together(
    phone: Page, address: str, game: str, width: int, height: int
) -> None:
    page = phone
    page.set_viewport_size({"width": width, "height": height})

    def out_of_view(*selectors: str) -> list[str]:
        """Return the selectors of elements that are not entirely in view after scrolling."""
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))")
        return list(page.evaluate(OUT_OF_VIEW, list(selectors)))

    page.goto(f"{address}/play?game={game}&seed=7&limit=0")
    assert out_of_view(".card svg", "#typed", ".pad") == []
    first = page.locator(".pad .digit").all_inner_texts()[:2]
    for typed, verdict in (
        (f"{first[0]} +", "Not a formula"),
        ("?", "Hint"),
        (f"{first[0]} + {first[1]} = {int(first[0]) + int(first[1])}", "A step"),
    ):
        page.locator("#typed").fill(typed)
        page.get_by_role("button", name="Try").tap()
        expect(page.locator("#verdict")).to_contain_text(verdict)
        visible = ["#verdict"] if (width, height) in ((360, 640), (412, 915)) else []
        assert out_of_view(".card svg", "#typed", ".pad", *visible) == [], typed
    expect(page.locator(".facts")).to_contain_text("1 hint")
    page.get_by_role("button", name="Solution").tap()
    expect(page.get_by_role("link", name="Next puzzle")).to_be_focused()
    assert out_of_view("#verdict strong", ".actions .first") == []


@pytest.mark.parametrize(("width", "height"), [(360, 640), (320, 568), (412, 915)])
@pytest.mark.parametrize(
    "query", ["game=cards&n=4", "game=crisps&typed=9+:+7", "game=countdown&limit=0"]
)
def test_page_without_scripts_shows_no_script_keys_and_an_uncovered_board(
    browser: Browser, address: str, width: int, height: int, query: str
) -> None:
    page = browser.new_context(
        viewport={"width": width, "height": height}, is_mobile=True, java_script_enabled=False
    ).new_page()
    page.goto(f"{address}/play?seed=7&{query}")
    assert not page.locator(".pad, [data-copy], .clock").filter(visible=True).count()
    if (width, height) == (360, 640):
        selectors = [".board", "#typed"] if "typed" in query else [".card svg", ".board", "#typed"]
        assert page.evaluate(OUT_OF_VIEW, selectors) == []
    card = page.locator(".card")
    for _ in range(3):
        card_box, tiles = card.bounding_box(), page.locator(".board").bounding_box()
        assert card_box is not None
        assert tiles is not None
        assert card_box["y"] + card_box["height"] <= tiles["y"]
        page.mouse.wheel(0, 90)
        page.wait_for_timeout(50)
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dots_and_meters_stay_visible_in_forced_colours(
    browser: Browser, address: str, scheme: str
) -> None:
    page = browser.new_page(
        color_scheme="dark" if scheme == "dark" else "light", forced_colors="active"
    )
    # At level 4, four dots are filled.
    page.goto(f"{address}/play?puzzle=cards:4.6.7.12=24")
    background = "(element) => getComputedStyle(element).backgroundColor"
    dots = [dot.evaluate(background) for dot in page.locator(".dots i").all()]
    assert dots[0] == dots[3] != dots[4]
    paper = page.locator("body").evaluate(background)
    assert dots[0] != paper
    page.goto(f"{address}/solve?game=cards&hand=1+4+7+13")
    adjustment = "(element) => getComputedStyle(element).forcedColorAdjust"
    assert page.locator("meter").first.evaluate(adjustment) == "none"
    page.close()


def test_announcements_have_punctuation_between_their_parts(page: Page, address: str) -> None:
    field, announcement = page.locator("#typed"), page.locator("#said")
    page.goto(f"{address}/play?puzzle=crisps:3.8.9.9=24")
    for typed, text in (
        ("8x", "8x, the mistake is at the end. Not a formula: a number is missing after x."),
        (
            "3 + 9 : 7 + 2",
            "3 +, the mistake is here: 9 : 7, + 2. Not allowed: 9 : 7 leaves a remainder of 2.",
        ),
        ("9 + 9 + 8 + 8", "Incorrect: 8 is used twice, 3 is not used."),
        ("?", re.compile("^Hint: try .*[.]$")),
    ):
        field.fill(typed)
        page.keyboard.press("Enter")
        expect(announcement).to_have_text(text)
    # Screen readers also read the last verdict when the field gets the focus.
    expect(field).to_have_accessible_description(
        re.compile("level [1-5] of 5 . Hint : try .* . You can")
    )
    page.evaluate("go('/solve?game=cards&hand=1+4+7+13')")
    expect(announcement).to_have_text(
        re.compile("solutions: make 24 from 1 4 7 13, level 1 of 5[.]$")
    )
