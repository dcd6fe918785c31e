"""The pages in a real browser: by keys alone, without scripts, narrow, in light and dark."""

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

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}")

EVERY = "CRISPS24_EVERY" in os.environ
FINDINGS = (Path(__file__).parent / "findings.js").read_text()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with run_server("--workers", "1", "--embed") as (told, _):
        yield told


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        # No script here runs long enough to be worth the time of making it quick.
        made = driver.chromium.launch(executable_path=CHROMIUM, args=["--js-flags=--no-opt"])
        yield made
        made.close()


@contextmanager
def watched(page: Page) -> Iterator[Page]:
    """Give a page, and hold that nothing goes wrong on it."""
    wrong: list[str] = []

    def thrown(error: object) -> None:
        wrong.append(str(error))

    def said(message: ConsoleMessage) -> None:
        if message.type == "error":
            wrong.append(message.text)

    page.on("pageerror", thrown)
    page.on("console", said)
    yield page
    page.remove_listener("pageerror", thrown)
    page.remove_listener("console", said)
    assert wrong == []


@pytest.fixture(scope="module")
def tab(browser: Browser) -> Page:
    """Give a page that others have used: a new one takes ten times as long as another address."""
    return browser.new_page(reduced_motion="reduce")


@pytest.fixture
def page(tab: Page, address: str) -> Iterator[Page]:
    # Another site, or none, would take a process of its own.
    tab.goto(f"{address}/health")
    tab.set_viewport_size({"width": 1280, "height": 720})
    tab.emulate_media(media="screen", color_scheme="light", forced_colors="none")
    with watched(tab):
        yield tab


@pytest.fixture(scope="module")
def phone(browser: Browser) -> Page:
    return browser.new_page(has_touch=True, is_mobile=True, reduced_motion="reduce")


def test_a_card_is_played_wrong_then_with_a_hint_then_right_by_keys(
    page: Page, address: str
) -> None:
    [puzzle] = deal("cards", 1, seed=7)
    first, *others = hints(puzzle.solutions()[0].expression, GAMES["cards"])
    page.goto(f"{address}/play?game=cards&seed=7")
    page.evaluate("window.stays = true")
    keys, field, said = page.keyboard, page.locator("#typed"), page.locator("#said")
    expect(field).to_be_focused()
    keys.type("9 + 4 + 6")
    keys.press("Enter")
    expect(page.locator(".verdict.bad")).to_contain_text("9")
    expect(said).to_contain_text("9")
    expect(field).to_be_focused()
    keys.press("ControlOrMeta+a")
    keys.type("?")
    keys.press("Enter")
    expect(page.locator(".verdict")).to_contain_text(f"try {first}")
    expect(said).to_contain_text(f"try {first}")
    keys.type(first)
    keys.press("Enter")
    expect(page.locator(".standing")).to_contain_text(first)
    expect(field).to_be_focused()
    keys.type(", ".join(others))
    keys.press("Enter")
    expect(page.locator(".verdict.good")).to_contain_text("= 24")
    expect(page.get_by_role("link", name="Next puzzle")).to_be_focused()
    keys.press("Enter")
    expect(page.locator(".facts")).to_contain_text("Puzzle 2")
    expect(page.locator(".facts")).to_contain_text("1 solved")
    expect(field).to_be_focused()
    # All of it without a reload; and the way back leads through the same addresses.
    assert page.evaluate("window.stays")
    assert "n=2" in page.url
    page.go_back()
    expect(page.locator(".verdict.good")).to_be_visible()
    page.reload()
    expect(page.locator(".verdict.good")).to_be_visible()


def test_buttons_and_the_pad_do_what_keys_do(page: Page, address: str) -> None:
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
def timed(browser: Browser) -> Iterator[Page]:
    """Give a page of which the clock is in the test's hands."""
    made = browser.new_page(reduced_motion="reduce")
    made.clock.install()
    with watched(made):
        yield made
    made.close()


def test_the_half_minute_of_countdown_ends_by_itself(timed: Page, address: str) -> None:
    page = timed
    page.goto(f"{address}/play?game=countdown&seed=7&large=4")
    clock = page.locator(".clock b")
    # Nothing runs, and nothing is shown, before somebody starts.
    page.clock.run_for(60_000)
    expect(page.locator("h1")).to_have_text("Ready?")
    expect(page.get_by_role("button", name="Start")).to_be_focused()
    page.keyboard.press("Enter")
    expect(clock).to_have_text("0:30")
    assert re.search(r"began=\d+\.\d$", page.url)
    # Whatever is reloaded, it began when it began.
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
    # An Enter that was meant for the field comes too late, and does nothing.
    expect(verdict).to_be_focused()
    page.keyboard.press("Enter")
    expect(verdict).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Next puzzle")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".facts")).to_contain_text("Puzzle 2")


def test_a_clock_that_runs_can_be_stopped(page: Page, address: str) -> None:
    page.goto(f"{address}/play?game=countdown&seed=5")
    page.get_by_role("link", name="Play without a clock").click()
    expect(page.locator(".clock")).to_contain_text("Time 0:0")
    assert "limit=0" in page.url


def test_a_puzzle_is_announced_at_first_and_whenever_there_is_another(
    page: Page, address: str
) -> None:
    field, said = page.locator("#typed"), page.locator("#said")

    def announced() -> str:
        """Return the puzzle that is told of the field, of the page, and of a change."""
        task = page.locator("h1").text_content() or ""
        expect(field).to_be_focused()
        expect(field).to_have_accessible_description(re.compile(rf"{task} level [1-5] of 5"))
        level = page.locator("#level").inner_text().strip().removesuffix(" of 5")
        expect(page).to_have_title(f"{task}, {level} · crisps24")
        if page.evaluate("window.stays"):
            expect(said).to_have_text(f"{task}, {level} · crisps24")
        return task

    page.goto(f"{address}/play?game=countdown&seed=5&limit=0")
    tasks = [announced()]
    page.evaluate("window.stays = true")
    page.get_by_role("link", name="Skip", exact=True).click()
    expect(page.locator(".facts")).to_contain_text("Puzzle 2")
    tasks.append(announced())
    page.get_by_role("button", name="Solution").click()
    page.get_by_role("link", name="Next puzzle").click()
    expect(page.locator(".facts")).to_contain_text("Puzzle 3")
    tasks.append(announced())
    # Nothing is changed, and others are dealt.
    page.get_by_text("Choose puzzles").click()
    expect(page.locator("#seed-help")).to_contain_text("puzzle 3 of seed 5")
    page.get_by_role("button", name="Deal").click()
    expect(page.locator(".facts")).to_contain_text("Puzzle 1")
    tasks.append(announced())
    assert not re.search(r"seed=5\b", page.url)
    assert len(set(tasks)) == 4


def test_a_puzzle_is_played_by_its_id(page: Page, address: str) -> None:
    page.goto(f"{address}/play?game=countdown&seed=5")
    page.get_by_text("Choose puzzles").click()
    page.get_by_label("Puzzle", exact=True).fill("cards:3.3.8.8=25")
    page.get_by_role("button", name="Deal").click()
    expect(page.locator("h1")).to_have_text("make 25 from 3 3 8 8")
    page.get_by_role("link", name="Skip", exact=True).click()
    expect(page.locator("h1")).to_contain_text("make 25 from")
    expect(page.locator("h1")).not_to_contain_text("3 3 8 8")


def tap(page: Page | FrameLocator, text: str) -> None:
    """Tap what looks so, or is called so, and is not held."""
    found = page.locator('.tiles [name=tap]:not([aria-pressed="true"])')
    found.filter(has_text=re.compile(rf"^{re.escape(text)}$")).first.click()
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
    some = HAND_GAMES if EVERY else ("countdown",)
    for game in some if script else ("cards",):
        [puzzle] = daily(game, FIRST_DAY)
        page.goto(f"{address}/daily?game={game}&date={FIRST_DAY}&limit=0")
        for at, text in enumerate(text for step in taps_of(puzzle) for text in step):
            tap(page, text)
            if script and at < 3:
                page.wait_for_timeout(50)
                seen = (".card svg", ".board", ".signs", "#restart", "#typed")
                assert page.evaluate(IN_VIEW, list(seen)) == [], (game, at)
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
    said = page.locator("#said")

    def press(where: str, key: str) -> None:
        for _ in range(40):
            if page.evaluate("document.activeElement.id") == where:
                break
            page.keyboard.press(key)
        page.keyboard.press("Enter")
        expect(page.locator("main")).not_to_have_attribute("aria-busy", "true")

    press("tile-1", "Shift+Tab")
    expect(said).to_have_text("9 … Tap a sign.")
    expect(page.locator("#tile-1")).to_be_focused()
    expect(page.get_by_role("button", name="9", exact=True).first).to_have_attribute(
        "aria-pressed", "true"
    )
    press("sign-:", "Tab")
    expect(page.get_by_role("button", name="divided by")).to_be_focused()
    press("tile-2", "Shift+Tab")
    expect(said).to_contain_text("Not allowed: 9 : 7 leaves a remainder of 2.")
    expect(page.locator("#tile-2")).to_be_focused()
    press("tile-1", "Shift+Tab")
    press("sign-+", "Tab")
    press("tile-2", "Shift+Tab")
    expect(said).to_have_text("9 + 7 = 16. A step: left: 2 3 16.")
    expect(page.locator("#tile-2")).to_be_focused()
    expect(page.locator("#tile-2")).to_have_text("16")
    press("undo", "Tab")
    expect(said).to_have_text("left: 9 7 2 3.")
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


def test_the_link_and_the_result_are_copied(browser: Browser, address: str) -> None:
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
    told = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch("crisps24 · 1 Jan 2026 · cards, level . · 0:0., 2 hints [●○]{5}", told)
    context.close()


def test_it_works_without_scripts(browser: Browser, address: str) -> None:
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
def test_a_sheet_is_downloaded_as_the_form_says(
    browser: Browser, address: str, script: bool
) -> None:
    pytest.importorskip("reportlab", reason="sheets need the extra `sheets`")
    pypdf = pytest.importorskip("pypdf", reason="the PDF is read back by pypdf")
    page = browser.new_context(java_script_enabled=script).new_page()
    page.goto(f"{address}/sheet?game=cards&seed=5")
    page.get_by_label("Number of puzzles").fill("6")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".paper code")).to_contain_text("--count 6 --seed 5")
    # What is typed now is not shown yet.
    page.get_by_label("Title").fill("Class 5b")
    page.get_by_label("From easy to hard").check()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download the PDF").click()
    assert download.value.suggested_filename == "crisps24-cards-5.pdf"
    text = pypdf.PdfReader(download.value.path()).pages[0].extract_text()
    assert "Class 5b" in text
    assert "--count 6 --seed 5 --rising" in text
    # Enter shows it.
    page.get_by_label("Title").press("Enter")
    expect(page.locator(".paper code")).to_contain_text("--rising --out sheet.pdf --title")
    page.context.close()


# All that axe knows, but for what asks more contrast than most people need.
RULES = {"target-size": {"enabled": True}, "color-contrast-enhanced": {"enabled": False}}
ALL = {"runOnly": [*("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "wcag2aaa")]}
ALL["runOnly"] += ["best-practice", "experimental"]
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
# What words have nothing to do with.
WORDS_ALONE = ALL | {"rules": RULES | {"color-contrast": {"enabled": False}}}
JUDGED = """(options) => axe.run(options).then((found) => found.violations.map((each) =>
    `${each.id}: ${each.nodes.map((node) => node.html.slice(0, 200)).join(" | ")}`))"""


def unfold(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true; })")


def faults(page: Page, **options: object) -> list[str]:
    """Return what axe finds on a page, and what it does not look for.

    Style sheets are read with `preload`, which one page is enough for: all have the same one.
    """
    asked = {"resultTypes": ["violations"], "rules": RULES, "selectors": False, "preload": False}
    asked |= ALL | options
    return [*page.evaluate(JUDGED, asked), *page.evaluate(FINDINGS)]


TOO_WIDE = """() => [document.documentElement].filter((e) => e.scrollWidth > e.clientWidth)
    .map((e) => `${e.scrollWidth} pixels wide`)"""
# Pages with what keeps colours of its own where the system has few: marks, tiles that are held,
# the first of buttons and links. All else has the system's.
FORCED = ("play-hint", "play-wrong", "play-tapped", "play-over", "check-judged")
# Pages of which every element, with its class, is on others too.
WITHIN = () if EVERY else ("play", "play-id", "daily", "solve", "check")


@pytest.mark.parametrize("name", [name for name in PAGES if name not in WITHIN])
def test_nothing_is_found_that_would_keep_somebody_out(tab: Page, address: str, name: str) -> None:
    page = tab
    page.set_viewport_size({"width": 320, "height": 800})
    page.emulate_media(color_scheme="light", forced_colors="none")
    page.goto(address + PAGES[name])
    page.evaluate(AXE_SCRIPT)
    found = {"folded": page.evaluate(TOO_WIDE)}
    unfold(page)
    found["light"] = faults(page, preload=name == "start")
    page.emulate_media(color_scheme="dark", forced_colors="none")
    found["dark"] = faults(page, **COLOURS)
    if name in FORCED:
        page.emulate_media(color_scheme="dark", forced_colors="active")
        found["forced"] = faults(page, **COLOURS)
    page.set_viewport_size({"width": 1440, "height": 800})
    found["wide"] = page.evaluate(FINDINGS)
    assert {how: each for how, each in found.items() if each} == {}


# Of each kind one, as narrow as may be: it is words that differ.
IN_LANGUAGES = (
    "/",
    "/play?game=countdown&seed=7&key=?",
    "/play?game=countdown&seed=7",
    "/daily?game=krypto&date=2026-01-02&tap=1",
    "/solve?hand=3+3+8+8&game=cards",
    "/sheet?seed=7",
)


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "en"])
def test_nothing_is_found_in_any_language(browser: Browser, address: str, language: str) -> None:
    narrow: ViewportSize = {"width": 320, "height": 640}
    context = browser.new_context(locale=language, viewport=narrow, reduced_motion="reduce")
    page = context.new_page()
    found = {}
    # Each page is looked at whole in two languages; with `CRISPS24_EVERY` in all.
    turn = list(LANGUAGES).index(language)
    for at, path in enumerate(IN_LANGUAGES):
        page.goto(address + path)
        unfold(page)
        if (at + turn) % 5 < 2 or EVERY:
            page.evaluate(AXE_SCRIPT)
            found[path] = faults(page, **WORDS_ALONE)
        else:
            found[path] = page.evaluate(TOO_WIDE)
        assert page.evaluate("document.documentElement.lang") == language
    context.close()
    assert {path: each for path, each in found.items() if each} == {}


def test_nothing_is_found_on_a_sheet_of_html(page: Page, tmp_path: Path) -> None:
    for language in LANGUAGES:
        sheet = Sheet(title="Class 5b", name_line=True, language=language)
        place = tmp_path / f"{language}.html"
        place.write_bytes(
            b"".join(render_sheet("html", deal("cards", 4, seed=7), sheet, ["1"] * 4))
        )
        page.goto(place.as_uri())
        page.evaluate(AXE_SCRIPT)
        assert faults(page, **(ALL if language == "en" else WORDS_ALONE)) == [], language


def test_another_language_is_the_same_page_at_another_address(page: Page, address: str) -> None:
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


def test_what_would_keep_somebody_out_is_found(page: Page, address: str) -> None:
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
    told = "\n".join(faults(page))
    for part in (
        "html-has-lang: <html",
        "label: <input>",
        "color-contrast: <p class=",
        "a drawing has no name",
        "the edge of <textarea > is not seen",
        "what is said in <textarea >: 2.",
        "pixels wide",
    ):
        assert part in told, told


def test_focus_is_seen_wherever_it_goes(page: Page, address: str) -> None:
    page.goto(f"{address}/play?puzzle=cards:4.6.8.10%3D24&steps=10+-+6+%3D+4")
    page.evaluate("document.activeElement.blur()")
    seen = set()
    for _ in range(40):
        page.keyboard.press("Tab")
        seen.add(
            page.evaluate(
                """() => {
            const each = document.activeElement, style = getComputedStyle(each);
            const seen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
            return each === document.body || seen ? "" : each.outerHTML.slice(0, 100);
            }"""
            )
        )
    assert seen == {""}


def test_the_skip_link_leads_to_the_content(page: Page, address: str) -> None:
    page.goto(f"{address}/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.getElementById('main').contains(document.activeElement)")


def test_paper_gets_what_is_to_be_read(page: Page, address: str) -> None:
    page.goto(f"{address}/solve?game=cards&hand=1+4+7+13")
    page.emulate_media(media="print")
    expect(page.locator("nav")).to_be_hidden()
    expect(page.locator("main form")).to_be_hidden()
    expect(page.locator(".solutions")).to_be_visible()


IN_VIEW = """(names) => names.filter((name) => {
    const box = document.querySelector(name).getBoundingClientRect();
    const within = box.left >= 0 && box.top >= 0 && box.right <= innerWidth;
    const middle = document.elementFromPoint((box.left + box.right) / 2, box.top + 3);
    const on_top = middle && document.querySelector(name).contains(middle);
    return !within || box.bottom > innerHeight || !box.height || !on_top;
})"""


# The narrowest and the lowest of both games, and each of the others once.
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
def test_on_a_phone_the_card_the_field_and_the_keys_are_in_view_together(
    phone: Page, address: str, game: str, width: int, height: int
) -> None:
    page = phone
    page.set_viewport_size({"width": width, "height": height})
    tried = page.locator(".facts")

    def hidden(*names: str) -> list[str]:
        """Return what cannot be seen once the page has come to rest."""
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)))")
        return list(page.evaluate(IN_VIEW, list(names)))

    page.goto(f"{address}/play?game={game}&seed=7&limit=0")
    assert hidden(".card svg", "#typed", ".pad") == []
    first = page.locator(".pad .digit").all_inner_texts()[:2]
    for typed, told in (
        (f"{first[0]} +", "Not a formula"),
        ("?", "Hint"),
        (f"{first[0]} + {first[1]} = {int(first[0]) + int(first[1])}", "A step"),
    ):
        page.locator("#typed").fill(typed)
        page.get_by_role("button", name="Try").tap()
        expect(page.locator("#verdict")).to_contain_text(told)
        said = ["#verdict"] if (width, height) in ((360, 640), (412, 915)) else []
        assert hidden(".card svg", "#typed", ".pad", *said) == [], typed
    expect(tried).to_contain_text("1 hint")
    page.get_by_role("button", name="Solution").tap()
    expect(page.get_by_role("link", name="Next puzzle")).to_be_focused()
    assert hidden("#verdict strong", ".actions .first") == []


@pytest.mark.parametrize(("width", "height"), [(360, 640), (320, 568), (412, 915)])
@pytest.mark.parametrize(
    "query", ["game=cards&n=4", "game=crisps&typed=9+:+7", "game=countdown&limit=0"]
)
def test_without_scripts_the_card_never_covers_the_tiles_and_no_idle_key_is_shown(
    browser: Browser, address: str, width: int, height: int, query: str
) -> None:
    page = browser.new_context(
        viewport={"width": width, "height": height}, is_mobile=True, java_script_enabled=False
    ).new_page()
    page.goto(f"{address}/play?seed=7&{query}")
    assert not page.locator(".pad, [data-copy], .clock").filter(visible=True).count()
    if (width, height) == (360, 640):
        seen = (".board", "#typed") if "typed" in query else (".card svg", ".board", "#typed")
        assert page.evaluate(IN_VIEW, list(seen)) == []
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
def test_dots_and_shares_are_told_apart_in_forced_colours(
    browser: Browser, address: str, scheme: str
) -> None:
    page = browser.new_page(
        color_scheme="dark" if scheme == "dark" else "light", forced_colors="active"
    )
    # Of level 4: four dots are filled.
    page.goto(f"{address}/play?puzzle=cards:4.6.7.12=24")
    ground = "(each) => getComputedStyle(each).backgroundColor"
    filled = [dot.evaluate(ground) for dot in page.locator(".dots i").all()]
    assert filled[0] == filled[3] != filled[4]
    paper = page.locator("body").evaluate(ground)
    assert filled[0] != paper
    page.goto(f"{address}/solve?game=cards&hand=1+4+7+13")
    adjusted = "(each) => getComputedStyle(each).forcedColorAdjust"
    assert page.locator("meter").first.evaluate(adjusted) == "none"
    page.close()


def test_what_is_announced_has_pauses_where_the_eye_sees_them(page: Page, address: str) -> None:
    field, said = page.locator("#typed"), page.locator("#said")
    page.goto(f"{address}/play?puzzle=crisps:3.8.9.9=24")
    for typed, told in (
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
        expect(said).to_have_text(told)
    # It is told of the field as well, whenever it is in focus.
    expect(field).to_have_accessible_description(
        re.compile("level [1-5] of 5 . Hint : try .* . You can")
    )
    page.evaluate("go('/solve?game=cards&hand=1+4+7+13')")
    expect(said).to_have_text(re.compile("solutions: make 24 from 1 4 7 13, level 1 of 5[.]$"))
