"""The player in a browser: rounds won in each way, faults, results and storage."""

import re
from datetime import UTC, date, datetime, timedelta
from html import escape
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from crisps24 import puzzle_of
from crisps24.judging.phone_lines import Played, read_phone_page, read_phone_results
from crisps24.messages.languages import LANGUAGES
from crisps24.player.files import file_record, puzzle_records, render_file
from crisps24.puzzles.daily import daily, format_day, format_result
from crisps24.puzzles.rounds import Round
from tests.browser import Page, expect, needs_chromium
from tests.player.browser import (
    HAND_GAMES,
    ROWS,
    Keys,
    Open,
    Taps,
    is_stepwise,
    record_of,
    show_solution,
    type_formula,
    unfold_and_type,
    win,
    write_page,
)
from tests.sampling import in_one_test, some

pytestmark = needs_chromium


def is_won(page: Any) -> None:
    expect(page.locator(".verdict.good")).to_have_count(1)


@pytest.mark.parametrize("name", some([*ROWS, *HAND_GAMES], 5))
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
            unfold_and_type(page, puzzle["answer"])
        is_won(page)
        if index < 2:
            expect(page.locator("#next")).to_be_focused()
            page.keyboard.press("Enter")
    page.locator("#result").click()
    expect(page.locator(".result")).to_contain_text("3 of 3 solved")


def test_cards_are_letters_until_they_become_results(page: Page, open_file: Open) -> None:
    puzzle = puzzle_of("cards:1.3.12.13=24")
    open_file(file_record(puzzle.game, puzzle_records([puzzle]), key="test", faces=True))
    tiles = page.locator(".tile")
    assert tiles.all_inner_texts() == ["A", "3", "Q", "K"]
    expect(page.get_by_role("button", name="Q, 12")).to_have_count(1)
    expect(page.locator("main")).to_contain_text("A = 1 · J = 11 · Q = 12 · K = 13")
    for name in ("Q, 12", "plus", "A, 1"):
        page.get_by_role("button", name=name, exact=True).click()
    # 13 is made, and no card.
    assert [*filter(None, tiles.all_inner_texts())] == ["13", "3", "K"]


# A page with a file in a frame that has no storage and no address.
FRAME = """<!doctype html><title>x</title><iframe sandbox="allow-scripts" srcdoc="{}"></iframe>
<style>iframe {{ width: 320px; height: 568px; border: 0 }}</style>"""


def test_round_is_won_in_a_sandboxed_frame_without_storage(page: Page, tmp_path: Path) -> None:
    for name in ("cards", "crisps"):
        record, outer = record_of(name), tmp_path / "outer.html"
        inner = escape(render_file(record).decode())
        outer.write_text(FRAME.format(inner), encoding="utf-8")
        page.goto(outer.as_uri())
        frame = page.frame_locator("iframe")
        expect(frame.locator(".foot")).to_contain_text("lost when you close this page")
        win(Taps(frame), frame, record, record["puzzles"][0])
        is_won(frame)
        frame.locator("#list").click()
        expect(frame.locator(".result")).to_contain_text("1 of 3 solved")


def test_policy_refuses_requests_and_other_scripts(tab: Page, tmp_path: Path) -> None:
    tab.goto(write_page(record_of("cards"), tmp_path))
    tab.evaluate(
        """() => {
        const script = document.createElement("script");
        script.textContent = "document.title = 'run'";
        document.body.append(script);
        const image = document.createElement("img");
        image.src = "http://127.0.0.1:9/x.png";
        document.body.append(image);
        document.body.setAttribute("style", "color: red");
        }"""
    )
    assert tab.title() != "run"
    assert tab.evaluate("getComputedStyle(document.body).color") != "rgb(255, 0, 0)"
    refused = "fetch('http://127.0.0.1:9').then(() => false, () => true)"
    assert tab.evaluate(refused)


TOP_OF_SIGNS = "document.querySelector('.signs').getBoundingClientRect().top + scrollY"


def choose(page: Page, language: str) -> None:
    page.locator("#language").select_option(language)
    assert page.evaluate("document.documentElement.lang") == language


# Inputs of crisps 1 8 2 8 and of countdown that break a rule, and the key of the reason.
TYPED = [
    ("crisps", "1 : 2 x 8 + 8", "step.remainder", ["1 : 2"]),
    ("crisps", "8 + 8 - (1 + 2)", "formula.no_parentheses", ["("]),
    ("crisps", "6 + 9 + 1 + 8", "answer.numbers", ["8"]),
    ("crisps", "8 + 8 + 2 +", "formula.number_missing_after", ["\u00a0\u00a0"]),
    ("crisps", "9 + 6 + 2 + 1", "answer.makes", []),
    ("cards", "12 x (6 + 6", "formula.not_closed", ["("]),
    ("cards", "6 : (6 - 6)", "step.division_by_zero", ["6 : (6 - 6)"]),
    ("countdown", "2 - 75", "step.below_zero", ["2 - 75"]),
]


@pytest.mark.parametrize("name", ["crisps", "cards", "countdown"])
def test_fault_shows_its_reason_and_moves_nothing(name: str, page: Page, open_file: Open) -> None:
    open_file(record_of(name))
    top = page.evaluate(TOP_OF_SIGNS)
    page.locator("summary").click()
    cases = [case[1:] for case in TYPED if case[0] == name]
    for language, (text, key, marked) in product(LANGUAGES.values(), cases):
        choose(page, language.name)
        type_formula(page, text)
        forms = language.texts[key]
        form = forms if isinstance(forms, str) else forms["other"]
        words = max(re.split(r"{\w+}", form), key=len).strip()
        expect(page.locator(".verdict.bad")).to_contain_text(words)
        expect(page.locator("[role=status]")).to_contain_text(words)
        marks = page.locator("mark").evaluate_all(
            "(all) => all.map((e) => e.lastChild.textContent)"
        )
        assert [mark.replace("−", "-") for mark in marks] == marked
        assert page.evaluate(TOP_OF_SIGNS) == top, (language.name, text)


@in_one_test("name", "cards", "crisps", "countdown", *ROWS)
def test_hints_lead_to_a_solution_that_no_file_has(page: Page, open_file: Open, name: str) -> None:
    record = record_of(name, solutions=False)
    open_file(record)
    assert page.locator("#solution").count() == 0
    for _ in range(12):
        if not page.locator(".verdict.good").count():
            page.locator("#hint").click()
            follow_hint(page, record)
    page.locator("#list").click()
    expect(page.locator(".result")).to_contain_text("1 of 3 solved, 1 with hints")


SELECTED = ".tile[aria-pressed=true]"


def follow_hint(page: Page, record: Any) -> None:
    text = page.locator(".verdict p").inner_text().partition("try ")[2]
    names = {"+": "+", "−": "-", "×": "x", "÷": ":", "=": "="}
    words = [word for word in text.split(" ") if word != "…"]
    taps = Taps(page)
    if "row" in record["puzzles"][0]:
        filled = page.locator(".box:not(:empty)").count()
        gaps = [place for place, word in enumerate(record["puzzles"][0]["row"]) if word is None]
        taps.sign(names[words[gaps[filled]]])
        return
    if not is_stepwise(record):
        line = page.locator("#line").inner_text().replace("…", "")
        words = words[len(line.split()) :]
    for index, word in enumerate(words):
        if word in names:
            taps.sign(names[word])
        elif index or page.locator(SELECTED).all_inner_texts() != [word.strip("()")]:
            taps.number(word.strip("()"))


def test_results_are_stored_listed_copied_and_cleared(page: Page, open_file: Open) -> None:
    record = record_of("cards") | {"title": "Class 5b"}
    address = open_file(record)
    win(Taps(page), page, record, record["puzzles"][0])
    page.locator("#following").click()
    show_solution(page)
    page.goto(address)
    expect(page.locator("h1")).to_contain_text("Puzzle 2 of 3")
    page.locator("#list").click()
    items = page.locator(".list button")
    labels = [item.get_attribute("aria-label") for item in items.all()]
    assert labels == ["Puzzle 1 of 3, correct", "Puzzle 2 of 3, solution shown", "Puzzle 3 of 3"]
    line = re.compile("crisps24 Class 5b · 1 of 3 solved · [2-9A-Y]{7}")
    expect(page.locator(".result")).to_have_text(line)
    page.locator("#copy").click()
    expect(page.locator("#copy")).to_have_text("Copied")
    items.nth(2).click()
    expect(page.locator("h1")).to_contain_text("Puzzle 3 of 3")
    page.locator("#list").click()
    page.keyboard.press("Escape")
    expect(page.locator("#list")).to_be_focused()
    page.keyboard.press("Enter")
    page.locator("#clear").click()
    expect(page.locator("#clear")).to_have_text("Tap again to clear all results")
    page.locator("#clear").click()
    expect(page.locator(".result")).to_contain_text("0 of 3 solved")


def test_name_and_code_of_the_line_are_read_in_python(page: Page, open_file: Open) -> None:
    record = record_of("cards")
    address = open_file(record)
    win(Taps(page), page, record, record["puzzles"][0])
    page.locator("#following").click()
    page.locator("#hint").click()
    page.wait_for_timeout(500)
    win(Taps(page), page, record, record["puzzles"][1])
    page.locator("#list").click()
    field = page.get_by_label("Your name")
    field.fill(" Zoë · B.")
    expect(field).to_be_focused()
    shown_page = read_phone_page(render_file(record))
    [pupil] = read_phone_results(page.locator(".result").inner_text(), shown_page).pupils
    assert pupil == ("Zoë B.", (Played("right", 1), Played("hinted", 1)), 2)
    # The name stays on the phone, also if the results are cleared.
    page.goto(address)
    for name in ("list", "clear", "clear"):
        page.locator(f"#{name}").click()
    expect(field).to_have_value(" Zoë · B.")
    expect(page.locator(".result")).to_contain_text("crisps24 · Zoë B. · 0 of 3 solved · ")
    field.fill("")
    expect(page.locator(".result")).to_contain_text("crisps24 · 0 of 3 solved · ")
    page.reload()
    page.locator("#list").click()
    expect(field).to_have_value("")


def test_solution_is_shown_at_the_second_tap(page: Page, open_file: Open) -> None:
    open_file(record_of("cards"))
    button = page.locator("#solution")
    for other in ("tile-0", "following", "hint"):
        button.click()
        expect(button).to_have_text("Really show it?")
        expect(button).to_be_focused()
        page.locator(f"#{other}").click()
        expect(button).to_have_text("Solution")
    show_solution(page)
    expect(page.locator(".verdict")).to_contain_text("Solution: ")


@in_one_test(
    ("name", "goal"),
    *(("cards", "Use all four: make 24"), ("krypto", "Use all five: make ")),
    *(("countdown", "Use any numbers: make 250"), ("signs", "Make both sides equal")),
)
def test_first_line_says_the_goal(page: Page, open_file: Open, name: str, goal: str) -> None:
    open_file(record_of(name))
    choose(page, "en")
    expect(page.locator("#line")).to_contain_text(goal)


def test_field_for_a_formula_is_in_view_with_the_focus(page: Page, open_file: Open) -> None:
    open_file(record_of("cards"))
    for opens in (True, False, True):
        page.locator("summary").press("Enter")
        assert page.locator("details").evaluate("(one) => one.open") == opens
        if opens:
            expect(page.locator("#typed")).to_be_focused()
            expect(page.locator("#typed")).to_be_in_viewport(ratio=1)


def test_enter_after_a_typed_number_does_not_tap_it_again(page: Page, open_file: Open) -> None:
    open_file(record_of("countdown"))
    for key in ("7", "5", "Enter", "*", "3", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".steps li")).to_have_text("75 × 3 = 225")
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.locator(SELECTED)).to_have_count(0)


def test_hint_on_a_full_formula_does_not_say_that_it_goes_on(page: Page, open_file: Open) -> None:
    record = record_of("crisps")
    open_file(record)
    taps = Taps(page)
    first, *others = record["puzzles"][0]["hand"]
    taps.number(first)
    for number in others:
        taps.sign("-")
        taps.number(number)
    expect(page.locator(".verdict.bad")).to_have_count(1)
    page.locator("#hint").click()
    expect(page.locator("#line")).not_to_contain_text("…")
    page.locator("#undo").click()
    expect(page.locator("#line")).to_contain_text("…")


def test_clock_starts_counts_and_ends_the_round(page: Page, open_file: Open) -> None:
    record = record_of("clock") | {"limit": 1}
    open_file(record)
    assert page.locator(".tile").count() == 0
    page.locator("#start").click()
    expect(page.locator("#tile-0")).to_be_focused()
    expect(page.locator("#clock")).to_have_text("0:01")
    page.locator("summary").click()
    page.locator("#typed").fill(record["puzzles"][0]["answer"])
    # The typed text counts without Enter.
    is_won(page)
    expect(page.locator("#clock")).to_have_count(0)
    page.locator("#next").click()
    page.locator("#start").click()
    expect(page.locator(".verdict.bad")).to_contain_text("time is over")
    # A key that comes too late neither taps nor goes on.
    expect(page.locator("#player")).to_be_focused()
    page.keyboard.type("2 ")
    expect(page.locator("#player")).to_be_focused()
    page.locator("#next").click()
    page.locator("#unclocked").click()
    expect(page.locator("#tile-0")).to_be_focused()
    page.locator("#previous").click()
    page.locator("#again").click()
    assert page.locator("#clock").count() == page.locator("#start").count() == 0


def test_typed_number_is_any_equal_number(page: Page, open_file: Open) -> None:
    puzzle = puzzle_of("cards:1.2.3.4=24,once=yes")
    open_file(file_record(puzzle.game, puzzle_records([puzzle]), key="once", language="en"))
    page.keyboard.type("1+2")
    # The result 3 has used +; it is chosen, and stays so if it is typed.
    page.keyboard.type("3+4")
    expect(page.locator(".steps li")).to_have_text(["1 + 2 = 3", "3 + 4 = 7"])
    page.keyboard.press("Backspace")
    page.keyboard.type("3*4")
    expect(page.locator(".steps li").last).to_have_text("3 × 4 = 12")


@pytest.mark.parametrize("days", [-3, 0, 1, 364, 500])
def test_daily_file_has_the_puzzle_of_the_date(days: int, page: Page, tmp_path: Path) -> None:
    first, place = date(2026, 11, 22), max(0, min(days, 364))
    shown = first + timedelta(days=place)
    puzzle = daily("cards", shown)[0]
    puzzles = puzzle_records([daily("cards", first)[0]]) * 365
    puzzles[place] = puzzle_records([puzzle])[0]
    record = file_record(puzzle.game, puzzles, key="daily", language="en", first=first)
    address = write_page(record, tmp_path)
    page.goto(address)
    page.evaluate("localStorage.clear()")
    now = datetime(2026, 11, 22, 23, tzinfo=UTC) + timedelta(days=days)
    page.add_init_script(f"Date.now = () => {now.timestamp() * 1000:.0f};")
    page.goto(address)
    expect(page.locator("h1")).to_contain_text(format_day(shown))
    win(Taps(page), page, record, puzzles[place])
    page.locator("#result").click()
    played, _ = Round(puzzle).play(puzzle.answer())
    expect(page.locator(".result")).to_have_text(format_result(played, shown))
    assert page.locator(".list button").count() == place + 1


@in_one_test(
    "stored",
    *some(
        [
            *("", "null", "1.5", "[3]", "{", '{"number":1e9,"language":5}', '{"number":"x"}'),
            *('{"results":null}', '{"results":[1]}', '{"results":{"cards:3.3.8.8=24":7}}'),
            '{"results":{"cards:3.3.8.8=24":{"result":"right","hints":"x","points":null}}}',
        ],
        5,
    ),
)
def test_any_stored_text_can_be_replaced(page: Page, open_file: Open, stored: str) -> None:
    puzzle = puzzle_of("cards:3.3.8.8=24")
    record = file_record(puzzle.game, puzzle_records([puzzle]), key="stored", language="en")
    open_file(record)
    page.evaluate("([key, text]) => localStorage.setItem(key, text)", [record["key"], stored])
    page.reload()
    win(Taps(page), page, record, record["puzzles"][0])
    assert page.evaluate("key => JSON.parse(localStorage.getItem(key)).results", record["key"])
    page.reload()
    expect(page.locator(".round, .flat")).to_have_count(1)
