"""The player in a browser: each state is accessible, in each language and size."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

pytest.importorskip("playwright", reason="a browser is driven by the extra `browser`")
pytest.importorskip("axe_playwright_python", reason="files are judged by the extra `browser`")

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from crisps24.messages.languages import LANGUAGES
from tests.player.browser import Taps, record_of, unfold_and_type, win
from tests.sampling import EVERY, some
from tests.web.served import CHROMIUM

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"there is no {CHROMIUM}")

SIZES = ((320, 568), (360, 640), (390, 844), (568, 320), (768, 1024), (1280, 800))
Open = Callable[..., str]


def tap_all(page: Page, *names: str) -> None:
    for name in names:
        page.locator(f'[id="{name}"]').click()


# The states of the player: a file, and the ids of the buttons that lead to the state.
STATES: dict[str, tuple[str, tuple[str, ...]]] = {
    "start": ("cards", ()),
    "selected": ("cards", ("tile-0", "sign-x")),
    "step": ("cards", ("tile-0", "sign-:", "tile-3")),
    "fractions": ("fractions24", ("tile-0", "sign--", "tile-3", "hint")),
    "hint": ("cards", ("hint",)),
    "lost": ("cards", ("tile-0", "sign--", "tile-3", "hint")),
    "shown": ("cards", ("solution", "solution")),
    "sure": ("cards", ("solution",)),
    "formula": ("crisps", ("tile-0", "sign-x")),
    "fault": ("crisps", ("tile-0", "sign-:", "tile-1", "sign-x", "tile-2", "sign-x", "tile-3")),
    "not allowed": ("countdown", ("tile-5", "sign--", "tile-0")),
    "row": ("signs", ("sign-x",)),
    "row wrong": ("signs", ("sign-x", "sign-+", "sign-x")),
    "equals": ("signs and =", ("sign-=",)),
    "won": ("win cards", ()),
    "row won": ("win signs", ()),
    "list": ("win cards", ("list", "clear")),
    "typed": ("type cards", ()),
    "waiting": ("clock", ()),
    "clock": ("clock", ("start",)),
}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def show(page: Page, name: str, open_file: Open) -> None:
    game, names = STATES[name]
    record = record_of(game.split(" ", 1)[1] if game.startswith(("win", "type")) else game)
    open_file(record)
    if game.startswith("win"):
        win(Taps(page), page, record, record["puzzles"][0])
    if game.startswith("type"):
        unfold_and_type(page, "12 x (6 + 6")
    tap_all(page, *names)


def faults(page: Page, size: tuple[int, int] = (320, 568)) -> list[str]:
    """Return the findings of axe, and what is too wide or too small to tap."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    run = "(values) => axe.run(document, { runOnly: { type: 'tag', values } })"
    result = page.evaluate(run, RULES)
    texts = [f"{one['id']}: {one['nodes'][0]['html']}" for one in result["violations"]]
    small = page.evaluate(
        """() => [...document.querySelectorAll("button, select, input, summary")]
        .filter((one) => one.checkVisibility() && !one.closest("[inert]"))
        .map((one) => [one.id || one.textContent, one.getBoundingClientRect()])
        .filter(([, box]) => box.width && (box.width < 44 || box.height < 44))
        .map(([name, box]) => `${name}: ${box.width} x ${box.height}`)"""
    )
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        texts.append("too wide")
    return [*texts, *small]


@pytest.mark.parametrize("name", some(STATES, 5))
def test_nothing_keeps_anybody_out(name: str, page: Page, open_file: Open) -> None:
    show(page, name, open_file)
    page.evaluate(AXE_SCRIPT)
    findings = {"light": faults(page)}
    page.emulate_media(color_scheme="dark")
    findings["dark"] = faults(page, (1280, 800))
    page.emulate_media(forced_colors="active")
    findings["forced"] = faults(page, (1280, 800))
    assert {scheme: texts for scheme, texts in findings.items() if texts} == {}


def open_in(open_file: Open, language: str, record: Any) -> str:
    return open_file(record | {"language": language})


@pytest.mark.parametrize("name", STATES if EVERY else ["fault", "won"])
def test_nothing_keeps_anybody_out_in_any_language(name: str, page: Page, open_file: Open) -> None:
    # Each state in half of the languages, or with `CRISPS24_EVERY` in all.
    found = {}
    for language in some(list(LANGUAGES)[name == "won" :: 2], 2):
        show(page, name, partial(open_in, open_file, language))
        page.evaluate(AXE_SCRIPT)
        found[language] = page.evaluate("document.documentElement.lang"), faults(page)
    assert found == {language: (language, []) for language in found}


@pytest.mark.parametrize(
    "name", some(["countdown", "cards", "crisps", "krypto", "fractions24", "signs"], 2)
)
def test_controls_are_in_view_at_all_sizes(name: str, page: Page, open_file: Open) -> None:
    open_file(record_of(name))
    outside = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for ids in ((), ("hint",), ("again",) if page.locator("#again").count() else ()):
            tap_all(page, *ids)
            box = page.evaluate(
                """() => {
                const boxes = [".card-side", ".reply", ".signs", ".actions"].map((name) =>
                  document.querySelector(name).getBoundingClientRect());
                return { bottom: Math.max(...boxes.map((one) => one.bottom)),
                  right: Math.max(...boxes.map((one) => one.right)),
                  top: Math.min(...boxes.map((one) => one.top)), y: scrollY };
                }"""
            )
            is_inside = box["top"] >= 0 and box["bottom"] <= height and box["right"] <= width
            if box["y"] or not is_inside:
                outside.append((width, height, ids, box))
    assert outside == []
