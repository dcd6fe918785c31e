"""Pages in every language: which is chosen, what stays English, and the signs of formulas."""

import re
from html import unescape

import pytest

from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Language

pytest.importorskip("starlette", reason="the pages need the extra `web`")
pytest.importorskip("jinja2", reason="the pages need the extra `web`")


from starlette.testclient import TestClient

from crisps24.pages.answering import PAGES, answer
from tests.pages.test_pages import elements, hidden, link, text_of

EACH = pytest.mark.parametrize("language", LANGUAGES.values(), ids=list(LANGUAGES))
SOLVED = "/solve", "hand=3+3+8+8&game=cards"
# What is asked of a page for it to show what it is for.
ASKED_OF = {
    "/play": "game=cards&seed=7",
    "/daily": "game=cards&date=2026-01-02",
    "/sheet": "seed=7",
    "/solve": SOLVED[1],
}


def page_of(path: str, query: str = "", reader: str = "en") -> str:
    return answer(path, query, reader).body.decode()


def language_of(page: str) -> str:
    [root] = elements(page, "html")
    return str(root["lang"])


# What the browser says and the address, and the language of the page.
ASKED = [
    (None, "", "en"),
    ("", "", "en"),
    ("nl-BE,nl;q=0.9,en;q=0.8", "", "nl"),
    ("it;q=0.9, fr;q=0.8", "", "fr"),
    ("zh-CN", "", "zh-Hans"),
    ("de", "?language=es", "es"),
    ("de", "?language=en", "en"),
    (None, "?language=zh", "zh-Hans"),
    ("de", "?language=", "de"),
    ("nonsense;;q", "", "en"),
]


# Those that show something, to people.
OF_PEOPLE = [path for path in PAGES if "." not in path and path != "/deal"]


@pytest.mark.parametrize(("accepted", "query", "name"), ASKED)
def test_an_address_counts_for_more_than_the_browser(
    client: TestClient, accepted: str | None, query: str, name: str
) -> None:
    headers = {} if accepted is None else {"accept-language": accepted}
    for path in ("/", "/solve", "/check"):
        found = client.get(f"{path}{query}", headers=headers)
        assert (found.status_code, language_of(found.text)) == (200, name)
        assert found.headers["vary"] == "accept, accept-language"


@EACH
@pytest.mark.parametrize(("address", "status"), [("/nothing", 404), ("/solve?x=1", 400)])
def test_what_is_refused_is_so_in_the_language_of_who_asks(
    client: TestClient, language: Language, address: str, status: int
) -> None:
    found = client.get(address, headers={"accept-language": language.name})
    assert (found.status_code, language_of(found.text)) == (status, language.name)
    assert language.text("page.back") in text_of(found.text)
    if status == 404:
        assert language.text("page.status_404") in text_of(found.text)
    assert client.request("POST", "/", headers={"accept-language": "de"}).text.count('lang="de"')


@EACH
@pytest.mark.parametrize("path", OF_PEOPLE)
def test_a_page_is_in_one_language_and_links_to_itself_in_all(
    language: Language, path: str
) -> None:
    query = ASKED_OF.get(path, "")
    page = page_of(path, query, language.name)
    assert language_of(page) == language.name
    for name in ("play", "solve", "check", "sheet", "footer"):
        assert " ".join(language.text(f"page.{name}").split()) in text_of(page)
    offered = [each for each in elements(page, "a") if each.get("hreflang")]
    assert [each["hreflang"] for each in offered] == list(LANGUAGES)
    assert [each["hreflang"] for each in offered if each.get("aria-current")] == [language.name]
    for each in offered:
        there, _, words = str(each["href"]).partition("?")
        assert there == path
        assert language_of(page_of(there, words, language.name)) == each["hreflang"]
    # Where the browser alone says it, an address does not.
    inner = page.split("<footer")[0]
    assert "language=" not in unescape(inner) or path == "/sheet"


@pytest.mark.parametrize("path", OF_PEOPLE)
def test_what_an_address_says_of_language_and_signs_goes_wherever_one_goes(path: str) -> None:
    page = page_of(path, f"{ASKED_OF.get(path, '')}&language=nl&style=dot".removeprefix("&"))
    for each in elements(page.split("<footer")[0], "a"):
        if not str(each["href"]).startswith("#"):
            assert "language=nl&style=dot" in str(each["href"]).replace("&amp;", "&") or (
                "language=nl" in str(each["href"]) and "style=dot" in str(each["href"])
            ), each
    for form in re.findall(r"<form.*?</form>", page, re.DOTALL):
        assert hidden(form).items() >= {"language": "nl", "style": "dot"}.items()


def test_what_is_wrong_is_told_in_the_language_or_marked_as_english() -> None:
    page = page_of("/solve", "hand=0+0+0+x&game=cards", "nl")
    assert re.search(r"Dit lukt niet</strong>.*is geen geheel getal", page)
    page = page_of("/play", "game=cards&puzzle=cards:1.6.6.12=24&typed=1%2B", "de")
    assert "nach + fehlt eine Zahl" in page
    page = page_of("/check", "formula=9+:+2", "fr")
    assert "9 ÷ 2 ne tombe pas juste\u00a0: le reste est 1" in page
    assert 'lang="en">' not in page.split("<footer")[0].split("<main")[1]


# The signs of a language, and of a style whatever the language.
SIGNS = [
    ("en", "", "8 / (3 - 8 / 3)"),
    ("nl", "", "8 : (3 − 8 : 3)"),
    ("es", "", "8 : (3 − 8 : 3)"),
    ("de", "", "8 : (3 − 8 : 3)"),
    ("fr", "", "8 ÷ (3 − 8 ÷ 3)"),
    ("zh-Hans", "", "8 ÷ (3 − 8 ÷ 3)"),
    ("de", "&style=unicode", "8 ÷ (3 − 8 ÷ 3)"),
    ("fr", "&style=cards", "8 / (3 - 8 / 3)"),
    ("en", "&style=dot", "8 : (3 − 8 : 3)"),
]


@pytest.mark.parametrize(("reader", "style", "formula"), SIGNS)
def test_formulas_and_hints_are_in_the_signs_that_are_asked_for(
    reader: str, style: str, formula: str
) -> None:
    assert formula in text_of(page_of(SOLVED[0], SOLVED[1] + style, reader))
    sign = formula[2]
    query = f"game=cards&puzzle=cards:3.3.8.8=24&key=%3F{style}"
    assert f"8 {sign} 3 = 8/3" in text_of(page_of("/play", query, reader))
    shown = page_of("/play", query.replace("%3F", "!"), reader)
    assert f"{formula} = 24" in text_of(shown)
    checked = page_of("/check", f"formula=8+:+2+x+3&card=&game=cards{style}", reader)
    assert f"8 {sign} 2 = 4" in text_of(checked)


def test_what_was_typed_in_other_signs_is_a_step_all_the_same() -> None:
    query = "game=cards&puzzle=cards:3.3.8.8=24&style=dot&typed=8+%C3%B7+3"
    page = page_of("/play", query, "nl")
    state = hidden(page)
    assert state["steps"].replace("÷", ":").startswith("8 : 3 =")
    page = page_of("/play", "&".join(f"{k}={v}".replace(" ", "+") for k, v in state.items()))
    assert "Gezette stappen" not in page
    assert "Steps so far" in page


@EACH
def test_a_round_is_spoken_in_the_language(language: Language) -> None:
    query = "game=countdown&puzzle=countdown:2.5.8.10.25.75=431&limit=0"
    page = text_of(page_of("/play", query, language.name))
    told = {"target": 431, "hand": "2 5 8 10 25 75"}
    assert language.text("task.card", **told) in page
    assert language.text("page.level", level=5) in page
    page = text_of(page_of("/play", f"{query}&typed=(75%2B10)x5&key=q", language.name))
    assert language.text("round.left") in page
    if language is not ENGLISH:
        assert not re.search(r"\b(make|level|puzzle|left|the)\b", page.split("crisps24")[1])


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("language=xx", "Taal: onbekende taal ‘xx’"),
        ("style=xx", "Tekens: onbekende schrijfwijze ‘xx’"),
        ("style=latex", "Tekens: onbekende schrijfwijze ‘latex’ (kies uit crisps"),
    ],
)
def test_another_language_or_style_is_refused(query: str, told: str) -> None:
    for path in ("/", "/check", "/sheet"):
        found = answer(path, query, "nl")
        assert (found.status, language_of(found.body.decode())) == (422, "nl")
        assert told in text_of(found.body.decode())


def test_a_sheet_is_in_the_language_of_its_page_and_its_command_says_so() -> None:
    page = page_of("/sheet", "seed=7&level=2..4&game=cards&name_line=yes&upright=yes", "de")
    command = text_of(page).split("crisps24 sheet", 1)[1]
    assert "--level 2..4 --out sheet.pdf --name-line --upright --language de" in command
    drawn = page[page.index('<figure class="paper">') :]
    for each in ("Datum", "Seite 1 von 2", "Bilde 24 aus allen 4 Zahlen"):
        assert each in drawn
    path, words = link(page, "Spielen")
    assert (path, words) == ("/play", {})
