"""Files of the player in headless Chromium: where they are made, and how a round is won."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crisps24 import GAMES, deal
from crisps24.equation_puzzles.deals import deal_gaps
from crisps24.player.files import file_record, puzzle_records, render_file, row_record

HAND_GAMES = ("crisps", "cards", "digits", "make10", "numble", "countdown", "krypto", "fractions24")
ROWS = ("signs", "signs and =")
# Opens the file of a record, and returns its address.
Open = Callable[..., str]
if TYPE_CHECKING:
    # Other tests make files without a browser.
    from playwright.sync_api import FrameLocator, Page

    Frame = Page | FrameLocator


@cache
def record_of(name: str, count: int = 3, *, solutions: bool = True) -> Any:
    """Return the data of a file: of a game, of one of `ROWS`, or `clock`: with a time limit."""
    if name in ROWS:
        game = replace(GAMES["crisps"], parentheses=False, all_numbers=True)
        dealt = deal_gaps(game, count, seed=7, equals=name != "signs").puzzles
        answers = [" = ".join(map(str, puzzle.sides)) if solutions else "" for puzzle in dealt]
        gaps = [(puzzle.gaps.numbers, puzzle.gaps.signs) for puzzle in dealt]
        rows = [row_record(*gap, answer) for gap, answer in zip(gaps, answers, strict=True)]
        return file_record(game, rows, key=name)
    puzzles = deal("countdown" if name == "clock" else name, count, seed=7)
    records = puzzle_records(puzzles, solutions=solutions)
    limit = 600 if name == "clock" else 0
    return file_record(puzzles.game, records, key=name, language="en", limit=limit)


def write_page(record: Any, folder: Path, name: str = "puzzles") -> str:
    path = folder / f"{name}.html"
    path.write_bytes(render_file(record))
    return path.as_uri()


def type_formula(page: Page, text: str) -> None:
    page.locator("#typed").fill(text)
    page.keyboard.press("Enter")


def unfold_and_type(page: Page, text: str) -> None:
    page.locator("#player summary, main summary").first.click()
    type_formula(page, text)


def show_solution(page: Page) -> None:
    """Tap the button Solution, which asks once."""
    for _ in range(2):
        page.locator("#solution").click()


def is_stepwise(record: Any) -> bool:
    return bool(record["game"]["parentheses"])


class Taps:
    def __init__(self, frame: Frame) -> None:
        self.frame = frame

    def number(self, text: str) -> None:
        free = ".tile:not(.gone):not(.used):not([aria-pressed=true])"
        shown = re.compile(f"^{re.escape(text.replace('-', '−'))}$")
        self.frame.locator(free, has_text=shown).first.click()

    def sign(self, name: str) -> None:
        self.frame.locator(f'[id="sign-{name}"]').click()


class Keys:
    def __init__(self, page: Page) -> None:
        self.page = page

    def number(self, text: str) -> None:
        """Type a number of the hand; Enter ends it if a longer number starts with it."""
        before = self.page.locator("main").inner_html()
        self.page.keyboard.type(text)
        if self.page.locator("main").inner_html() == before:
            self.page.keyboard.press("Enter")

    def sign(self, name: str) -> None:
        self.page.keyboard.type({"x": "*", ":": "/"}.get(name, name))


def win(player: Taps | Keys, frame: Frame, record: Any, puzzle: Any) -> None:
    """Solve the puzzle on the page, by its solution in the record."""
    if "row" in puzzle:
        for name, given in zip(puzzle["answer"].split(" "), puzzle["row"], strict=True):
            if given is None:
                player.sign(name)
    elif is_stepwise(record):
        for left, operator, right in puzzle["route"]:
            selected = frame.locator(".tile[aria-pressed=true]")
            if selected.count() == 0 or selected.text_content() != left.replace("-", "−"):
                player.number(left)
            player.sign(operator)
            player.number(right)
    else:
        for word in puzzle["answer"].split(" "):
            (player.number if word.isdigit() else player.sign)(word)
