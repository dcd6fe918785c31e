"""The pages in a browser: accessibility, focus, sizes, colours and what is said."""

import re
from pathlib import Path

import pytest

from crisps24.messages.languages import LANGUAGES
from crisps24.paper.papers import Version, render_versions
from crisps24.paper.sheets import Sheet
from crisps24.puzzles.dealing import deal
from tests.browser import AXE_SCRIPT, Browser, Page, ViewportSize, expect, needs_chromium
from tests.sampling import EVERY, in_one_test, some
from tests.tables import cells_of

pytestmark = needs_chromium

EXTRA_CHECKS = (Path(__file__).parent / "extra_checks.js").read_text()

# All rules of axe, except the contrast of level AAA, which most people do not need.
RULE_SETTINGS = {"target-size": {"enabled": True}, "color-contrast-enhanced": {"enabled": False}}
TAGS = "wcag2a wcag2aa wcag21a wcag21aa wcag22aa wcag2aaa best-practice experimental"
ALL_RULES = {"runOnly": TAGS.split()}
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
    axe_options = {"resultTypes": ["violations"], "rules": RULE_SETTINGS, "selectors": False}
    axe_options |= {"preload": False} | ALL_RULES | options
    return [*page.evaluate(RUN_AXE, axe_options), *page.evaluate(EXTRA_CHECKS)]


TOO_WIDE = """() => [document.documentElement].filter((e) => e.scrollWidth > e.clientWidth)
    .map((e) => `${e.scrollWidth} pixels wide`)"""
PAGES = dict(cells_of("pages/judged.txt"))
# Pages with elements that keep their own colours if the system forces colours: marks, held tiles,
# the first of several buttons or links.
FORCED_COLOUR_PAGES = ("play", "play-form", "check-judged")


@pytest.mark.parametrize("name", PAGES)
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
    *("/", "/play?game=digits&join=yes&seed=7&key=?", "/play?game=countdown&seed=7"),
    *("/daily?game=krypto&date=2026-01-02", "/solve?hand=3+3+8+8&game=cards", "/sheet?seed=7"),
)


@pytest.mark.parametrize("language", some([name for name in LANGUAGES if name != "en"], 2))
def test_translated_pages_are_accessible(browser: Browser, address: str, language: str) -> None:
    narrow: ViewportSize = {"width": 320, "height": 640}
    context = browser.new_context(locale=language, viewport=narrow, reduced_motion="reduce")
    page = context.new_page()
    problems = {}
    # Each page gets all checks in two languages, or with `CRISPS24_EVERY` in all; else its width.
    offset = list(LANGUAGES).index(language)
    for index, path in enumerate(TRANSLATED_PAGES):
        page.goto(address + path)
        open_details(page)
        if (index + offset) % 5 < 2 or EVERY:
            page.evaluate(AXE_SCRIPT)
            problems[path] = problems_on(page, **TEXT_RULES)
        else:
            problems[path] = page.evaluate(TOO_WIDE)
        assert page.evaluate("document.documentElement.lang") == language
    context.close()
    assert {path: texts for path, texts in problems.items() if texts} == {}


@in_one_test("language", *some(LANGUAGES, 2))
def test_html_sheets_are_accessible(page: Page, tmp_path: Path, language: str) -> None:
    sheet = Sheet(title="Class 5b", name_line=True, language=language)
    path = tmp_path / f"{language}.html"
    version = Version(deal("cards", 4, seed=7), sheet, lambda: ["1"] * 4)
    path.write_bytes(b"".join(render_versions("html", [version])))
    page.goto(path.as_uri())
    page.evaluate(AXE_SCRIPT)
    assert problems_on(page, **(ALL_RULES if language == "en" else TEXT_RULES)) == []


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
    parts = (
        *("html-has-lang: <html", "label: <input>", "color-contrast: <p class="),
        *("an SVG image without a title", "the border of <textarea > is too faint"),
        *("the placeholder of <textarea > is too faint: 2.", "pixels wide"),
    )
    assert [part for part in parts if part not in problems] == [], problems


def test_all_elements_show_that_they_have_the_focus(page: Page, address: str) -> None:
    page.goto(f"{address}/play?puzzle=cards:4.6.8.10%3D24&steps=10+-+6+%3D+4")
    page.evaluate("document.activeElement.blur()")
    for _ in range(40):
        page.keyboard.press("Tab")
        without_outline = page.evaluate(
            """() => {
            const element = document.activeElement, style = getComputedStyle(element);
            const face = element.querySelector(".face") ?? element;
            const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
                || getComputedStyle(face).textDecorationLine === "underline" && element !== face;
            return element === document.body || outlined ? "" : element.outerHTML.slice(0, 100);
            }"""
        )
        assert without_outline == ""


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


@in_one_test("path", "/play?game=cards&seed=7&language=fr", "/daily?game=krypto&date=2026-01-02")
@in_one_test(("width", "height"), *some([(320, 568), (568, 320), (768, 1024), (1280, 800)], 3))
def test_all_controls_are_in_view_at_first(
    phone: Page, address: str, width: int, height: int, path: str
) -> None:
    phone.set_viewport_size({"width": width, "height": height})
    phone.goto(address + path)
    expect(phone.locator("#hint")).to_be_visible()
    parts = ["#player .card-side", "#player .signs"]
    assert phone.evaluate("scrollY") == 0
    for others in (["#hint"], ["#hint", "#solution"]):
        assert phone.evaluate(OUT_OF_VIEW, [*parts, *others]) == []
        phone.locator("#solution").tap()
    expect(phone.locator("#next")).to_be_visible()
    assert phone.evaluate(OUT_OF_VIEW, [*parts, "#again", "#result", "#next"]) == []


@pytest.mark.parametrize("width", some([320, 360, 1280], 2))
def test_menu_shows_all_pages_in_all_languages(page: Page, address: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 568})
    links, missing = [f"nav li:nth-child({place}) a" for place in range(1, 6)], {}
    for language in LANGUAGES:
        for path in ("/play?game=cards&seed=7", "/daily?game=crisps&date=2026-01-02", "/solve?"):
            page.goto(f"{address}{path}&language={language}")
            missing[language, path] = page.evaluate(OUT_OF_VIEW, [".logo", *links])
    assert {place: parts for place, parts in missing.items() if parts} == {}


def test_dots_and_meters_stay_visible_in_forced_colours(browser: Browser, address: str) -> None:
    page = browser.new_page(color_scheme="dark", forced_colors="active")
    # At level 4, four dots are filled.
    page.goto(f"{address}/play?puzzle=cards:4.6.7.12=24")
    background = "(element) => getComputedStyle(element).backgroundColor"
    dots = [dot.evaluate(background) for dot in page.locator(".dots i").all()]
    assert dots[0] == dots[3] != dots[4]
    assert dots[0] != page.locator("body").evaluate(background)
    page.goto(f"{address}/solve?game=cards&hand=1+4+7+13")
    adjustment = "(element) => getComputedStyle(element).forcedColorAdjust"
    assert page.locator("meter").first.evaluate(adjustment) == "none"
    page.close()


def test_announcements_have_punctuation_between_their_parts(page: Page, address: str) -> None:
    field, announcement = page.locator("#typed"), page.locator("#said")
    page.goto(f"{address}/play?puzzle=crisps:3.8.9.9=24,join=yes")
    remainder = "Not allowed: 9 ÷ 7 leaves a remainder of 2."
    for typed, text in (
        ("8x", "8x, the mistake is at the end. Not a formula: a number is missing after x."),
        ("3 + 9 : 7 + 2", f"3 +, the mistake is here: 9 : 7, + 2. {remainder}"),
        ("9 + 9 + 8 + 8", "Incorrect: 8 is used twice, 3 is not used."),
        ("?", re.compile("^Hint: try .*[.]$")),
    ):
        field.fill(typed)
        page.keyboard.press("Enter")
        expect(announcement).to_have_text(text)
    # Screen readers also read the last verdict when the field gets the focus.
    described = re.compile("level 1 of 5 . Hint : try .* . You can")
    expect(field).to_have_accessible_description(described)
    page.goto(f"{address}/solve?game=cards")
    page.get_by_label("Numbers", exact=True).fill("1 4 7 13")
    page.keyboard.press("Enter")
    said = re.compile("solutions: make 24 from 1 4 7 13, level 1 of 5[.]$")
    expect(announcement).to_have_text(said)
