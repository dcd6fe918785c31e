"""The pages in a browser: keyboard, phone, clock, storage, and use without scripts."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest

from crisps24.player.files import daily_key
from crisps24.player.records import game_record, puzzle_record
from crisps24.puzzle import Puzzle
from crisps24.puzzles.daily import FIRST_DAY, daily
from crisps24.puzzles.dealing import deal
from crisps24.rules.games import GAMES, HAND_GAMES
from tests.browser import Browser, FrameLocator, Page, expect, fail_on_errors, needs_chromium
from tests.player.browser import Taps, show_solution, type_formula, unfold_and_type, win
from tests.sampling import EVERY
from tests.web.served import serve_folder

pytestmark = needs_chromium


def test_form_plays_without_reloading_the_page(page: Page, address: str) -> None:
    # The player cannot join digits.
    page.goto(f"{address}/play?game=crisps&seed=7&join=yes")
    page.evaluate("window.stays = true")
    keyboard, field, announcement = page.keyboard, page.locator("#typed"), page.locator("#said")
    field.fill("9 + 4 + 7")
    keyboard.press("Enter")
    expect(page.locator(".verdict.bad")).to_contain_text("4 and 7 are not in the hand")
    expect(announcement).to_contain_text("4 and 7 are not in the hand")
    expect(field).to_be_focused()
    keyboard.press("ControlOrMeta+a")
    keyboard.type("?")
    keyboard.press("Enter")
    expect(announcement).to_contain_text("try ")
    page.get_by_role("button", name="Solution").click()
    expect(page.locator(".verdict")).to_contain_text("= 24")
    page.get_by_role("link", name="Next puzzle").click()
    expect(page.locator(".facts")).to_contain_text("Puzzle 2")
    # No step reloads the page, and the browser can go back to the address of each.
    assert page.evaluate("window.stays")
    assert "n=2" in page.url
    page.go_back()
    expect(page.locator(".verdict")).to_contain_text("= 24")
    page.reload()
    expect(page.locator(".verdict")).to_contain_text("= 24")
    # The script does not put a page with a player into a page without one.
    page.get_by_role("link", name="24 game", exact=True).click()
    expect(page.locator("#player .round")).to_be_visible()


def test_files_for_a_class_have_the_fields_as_they_stand(page: Page, address: str) -> None:
    page.goto(f"{address}/sheet?game=cards&seed=7&count=4")
    page.locator("#sheet [name=count]").fill("2")
    page.locator("#sheet [name=versions]").select_option("2")
    page.locator("[name=names]").fill("Emil\nAnna")
    with page.expect_download() as saved:
        page.get_by_role("button", name=".csv").click()
    text = saved.value.path().read_text("utf-8-sig")
    rows = [row.split(",") for row in text.splitlines()]
    assert (len(rows[0]), [row[:2] for row in rows[1:]]) == (4, [["Emil", "A"], ["Anna", "B"]])
    # What is new comes into view.
    page.locator("#sheet [name=title]").fill("Class 5b")
    page.locator("#sheet [name=title]").press("Enter")
    expect(page.locator(".paper")).to_contain_text("Class 5b")
    expect(page.locator(".paper")).to_be_in_viewport()


def win_on(page: Page | FrameLocator, puzzle: Puzzle) -> None:
    record = {"game": game_record(puzzle.game)}
    win(Taps(page), page, record, puzzle_record(puzzle))
    expect(page.locator("#player .verdict.good")).to_contain_text(f"{puzzle.best}")


def test_player_goes_from_puzzle_to_puzzle_with_a_score(page: Page, address: str) -> None:
    page.goto(f"{address}/play?game=cards&seed=7")
    page.evaluate("window.stays = true")
    puzzles = deal("cards", 2, seed=7)
    win_on(page, puzzles[0])
    page.locator("#next").click()
    expect(page.locator("#player h1")).to_contain_text("Puzzle 2")
    expect(page.locator("#player .bar").first).to_contain_text("1 solved")
    assert page.evaluate("window.stays")
    assert re.search("n=2&score=1$|score=1&n=2$", page.url)
    # What is outside the player is that of the second puzzle.
    hand = " ".join(map(str, puzzles[1].hand))
    expect(page).to_have_title(re.compile(f"^Make 24 from {hand}, level"))
    expect(page.locator("#seed-help")).to_contain_text("puzzle 2 of seed 7")
    canonical = str(page.locator("link[rel=canonical]").get_attribute("href"))
    assert puzzles[1].id.partition("=")[0].partition(":")[2] in canonical
    win_on(page, puzzles[1])
    page.reload()
    expect(page.locator("#player .bar").first).to_contain_text("1 solved")
    page.go_back()
    expect(page.locator("#player h1")).to_contain_text("Puzzle 1")
    expect(page.locator("#player .bar").first).to_contain_text("0 solved")


@pytest.mark.parametrize("game", HAND_GAMES if EVERY else ("countdown", "crisps"))
def test_round_of_a_day_is_won_by_taps_on_a_phone(phone: Page, address: str, game: str) -> None:
    phone.set_viewport_size({"width": 360, "height": 640})
    [puzzle] = daily(game, FIRST_DAY)
    phone.goto(f"{address}/daily?game={game}&date={FIRST_DAY}&limit=0")
    win_on(phone, puzzle)
    phone.locator("#result").click()
    for text in ("crisps24 · 1 Jan 2026", f"{address}/daily?game={game}&date={FIRST_DAY}"):
        expect(phone.locator(".result")).to_contain_text(text)


def test_skipping_keeps_points_and_hints_need_no_connection(browser: Browser, address: str) -> None:
    page = browser.new_page(reduced_motion="reduce")
    page.goto(f"{address}/play?game=countdown&seed=7")
    page.locator("#unclocked").click()
    unfold_and_type(page, "25 x 7 + 75 - 3")
    expect(page.locator("#solution")).to_have_text("Stop with 7 points")
    page.locator("#following").click()
    expect(page.locator("#player .bar").first).to_contain_text("Score 7")
    assert {"n=2", "score=7", "limit=0"} <= set(page.url.partition("?")[2].split("&"))
    page.context.set_offline(True)
    page.locator("#hint").click()
    expect(page.locator("#player .verdict")).to_contain_text("try")
    page.context.close()


def test_countdown_ends_after_30_seconds(browser: Browser, address: str) -> None:
    with browser.new_page(reduced_motion="reduce") as page, fail_on_errors(page):
        page.clock.install()
        page.goto(f"{address}/play?game=countdown&seed=7&large=4")
        # Before Start, the clock does not run and the puzzle is hidden.
        page.clock.run_for(60_000)
        expect(page.locator(".tile")).to_have_count(0)
        expect(page).to_have_title(re.compile("^Countdown"))
        page.get_by_role("button", name="Start").click()
        expect(page.locator(".tile")).to_have_count(6)
        assert re.search(r"began=\d+(\.\d)?$", page.url)
        # A reload keeps the start time.
        page.clock.run_for(5_000)
        page.reload()
        expect(page.locator("#player .clock")).to_contain_text(re.compile("0:2[345]"))
        page.clock.run_for(27_000)
        expect(page.locator("#player .verdict")).to_contain_text("Time is over", ignore_case=True)
        page.locator("#next").click()
        expect(page.locator("#player h1")).to_contain_text("Puzzle 2")
        expect(page.get_by_role("button", name="Start")).to_be_visible()


def test_player_works_within_another_site(browser: Browser, address: str, tmp_path: Path) -> None:
    page = browser.new_page(viewport={"width": 400, "height": 700}, reduced_motion="reduce")
    [puzzle] = daily("cards", FIRST_DAY)
    high = "<div style='height: 2000px'></div>"
    shown = f"<iframe src='{address}/play?puzzle={puzzle.id}' width=360 height=640></iframe>"
    (tmp_path / "index.html").write_text(f"<!doctype html>{high}{shown}{high}")
    with serve_folder(tmp_path) as site:
        page.goto(site.replace("127.0.0.1", "localhost"))
    frame = page.frame_locator("iframe")
    expect(frame.locator("#player .round")).to_be_visible()
    # The other page is not scrolled by the page within it.
    assert page.evaluate("scrollY") == 0
    win_on(frame, puzzle)
    frame.get_by_role("link", name="Solve", exact=True).click()
    expect(frame.locator("h1")).to_have_text("Solve a puzzle")
    page.close()


def test_all_pages_work_without_scripts(browser: Browser, address: str) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{address}/")
    page.get_by_role("link", name="Play", exact=True).first.click()
    page.get_by_text("Choose puzzles").click()
    page.locator("select[name=game]").select_option("cards")
    page.get_by_label("Seed").fill("7")
    page.get_by_role("button", name="Deal").click()
    assert "seed=7" in page.url
    page.get_by_role("button", name="Hint").click()
    [puzzle] = deal("cards", 1, seed=7)
    first = puzzle.hints()[0]
    expect(page.locator(".verdict")).to_contain_text(f"try {first.translate({120: 215, 45: 8722})}")
    type_formula(page, first)
    type_formula(page, "u")
    expect(page.locator(".standing")).to_have_count(0)
    type_formula(page, puzzle.answer())
    expect(page.locator(".verdict.good")).to_be_visible()
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
def test_downloaded_sheet_has_values_of_form(browser: Browser, address: str, script: bool) -> None:
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


def test_day_is_remembered_by_the_browser(page: Page, address: str) -> None:
    days = [FIRST_DAY, FIRST_DAY + timedelta(days=1)]
    for day in days:
        page.goto(f"{address}/daily?game=cards&date={day}")
        expect(page.locator("#result")).to_have_count(0)
        win_on(page, daily("cards", day)[0])
    page.reload()
    expect(page.locator("#player .bar").first).to_contain_text("correct")
    show_solution(page)
    page.locator("#result").click()
    expect(page.locator(".result")).to_contain_text("no hints ")
    expect(page.locator(".result")).to_contain_text("2 days in a row")
    stored = page.evaluate("key => JSON.parse(localStorage[key])", daily_key(GAMES["cards"]))
    right = {"result": "right", "hints": 0, "points": 0}
    # How long it took is a whole number of seconds.
    times = [stored["results"][str(day)].pop("taken") for day in days]
    assert {*map(type, times)} == {int}
    assert stored["results"] == {str(day): right for day in days}
    page.goto(f"{address}/daily?game=digits&date={FIRST_DAY}")
    expect(page.locator("#player .bar").first).not_to_contain_text("correct")
    # Results that a file has stored are read, whatever else is there.
    older = {"results": {str(FIRST_DAY): right | {"hints": 1}, "x": 3}, "number": 7, "more": []}
    key = daily_key(GAMES["digits"])
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [key, json.dumps(older)])
    page.reload()
    expect(page.locator("#player .bar").first).to_contain_text("correct")
