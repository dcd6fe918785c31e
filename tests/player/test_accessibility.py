"""The player in a browser: each state is accessible, in each language and size."""

import pytest

from crisps24.messages.languages import LANGUAGES
from tests.browser import AXE_SCRIPT, Page, needs_chromium
from tests.player.browser import Open, Taps, record_of, unfold_and_type, win
from tests.sampling import EVERY, some
from tests.tables import cells_of

pytestmark = needs_chromium

SIZES = ((320, 568), (360, 640), (390, 844), (568, 320), (768, 1024), (1280, 800))


def tap_all(page: Page, *names: str) -> None:
    for name in names:
        page.locator(f'[id="{name}"]').click()


STATES = dict(cells_of("player/states.txt"))
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def show(page: Page, name: str, open_file: Open, **more: str) -> None:
    game, *names = STATES[name].split(" | ")
    record = record_of(game.removeprefix("win ").removeprefix("type "))
    open_file(record | more)
    if game.startswith("win"):
        win(Taps(page), page, record, record["puzzles"][0])
    if game.startswith("type"):
        unfold_and_type(page, "12 x (6 + 6")
    tap_all(page, *names)
    page.evaluate(AXE_SCRIPT)


def faults(page: Page, size: tuple[int, int] = (320, 568)) -> list[str]:
    """Return the findings of axe, and what is too wide or too small to tap."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    run = "(values) => axe.run(document, { runOnly: { type: 'tag', values } })"
    found = page.evaluate(run, RULES)["violations"]
    texts = [f"{one['id']}: {one['nodes'][0]['html']}" for one in found]
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
    findings = {"light": faults(page)}
    page.emulate_media(color_scheme="dark")
    findings["dark"] = faults(page, (1280, 800))
    page.emulate_media(forced_colors="active")
    findings["forced"] = faults(page, (1280, 800))
    assert {scheme: texts for scheme, texts in findings.items() if texts} == {}


@pytest.mark.parametrize("name", STATES if EVERY else ["fault", "won"])
def test_nothing_keeps_anybody_out_in_any_language(name: str, page: Page, open_file: Open) -> None:
    # Each state in half of the languages, or with `CRISPS24_EVERY` in all.
    found = {}
    for language in some(list(LANGUAGES)[name == "won" :: 2], 2):
        show(page, name, open_file, language=language)
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
            boxes = page.evaluate(
                """() => [".card-side", ".reply", ".signs", ".actions"].map((name) =>
                  document.querySelector(name).getBoundingClientRect().toJSON())"""
            )
            is_inside = [
                box["top"] >= 0 and box["bottom"] <= height and box["right"] <= width
                for box in boxes
            ]
            if page.evaluate("scrollY") or not all(is_inside):
                outside.append((width, height, ids, boxes))
    assert outside == []
