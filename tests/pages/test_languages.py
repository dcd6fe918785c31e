"""Pages in all languages: choice of the language, translated texts, and signs of formulas."""

import re
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Language
from crisps24.pages.answering import PAGES, answer
from crisps24.puzzles.daily import FIRST_DAY, daily, format_result
from crisps24.puzzles.rounds import Round
from crisps24.rules.games import HAND_GAMES, plain_name
from tests.cli.scripted import scripted
from tests.commands import Run
from tests.languages import IN_SOME_LANGUAGES
from tests.pages.test_pages import data_of, elements, hidden_fields, link, text_of
from tests.sampling import in_one_test

SOLVE_PAGE = "/solve", "hand=3+3+8+8&game=cards"
# Queries with which a page shows a puzzle, solutions or a sheet.
QUERIES = dict.fromkeys(("/sheet", "/quiz", "/phones"), "seed=7") | {"/solve": SOLVE_PAGE[1]}
QUERIES |= {"/play": "game=cards&seed=7", "/daily": "game=cards&date=2026-01-02"}


def page_of(path: str, query: str = "", language: str = "en") -> str:
    return answer(path, query, language).body.decode()


def language_of(page: str) -> str:
    [root] = elements(page, "html")
    return str(root["lang"])


# Pages for people, which have texts to translate.
TEXT_PAGES = [path for path in PAGES if "." not in path and path != "/deal"]


# The header Accept-Language, the query, and the language of the page; test_negotiation.py has more.
@in_one_test(
    ("accepted", "query", "name"),
    *((None, "", "en"), ("", "", "en"), ("nl-BE,nl;q=0.9,en;q=0.8", "", "nl")),
    *(("zh-CN", "", "zh-Hans"), ("de", "?language=es", "es"), (None, "?language=zh", "zh-Hans")),
    *(("de", "?language=", "de"), ("nonsense;;q", "", "en")),
)
@in_one_test("path", "/", "/solve", "/check")
def test_language_of_the_address_takes_precedence_over_the_header(
    client: TestClient, path: str, accepted: str | None, query: str, name: str
) -> None:
    headers = {} if accepted is None else {"accept-language": accepted}
    response = client.get(f"{path}{query}", headers=headers)
    assert (response.status_code, language_of(response.text)) == (200, name)
    assert response.headers["vary"] == "accept, accept-language"


@IN_SOME_LANGUAGES
@pytest.mark.parametrize(("address", "status"), [("/nothing", 404), ("/solve?x=1", 400)])
def test_refusal_is_in_the_language_of_the_header(
    client: TestClient, language: Language, address: str, status: int
) -> None:
    response = client.get(address, headers={"accept-language": language.name})
    assert (response.status_code, language_of(response.text)) == (status, language.name)
    for key in ("page.back", *["page.status_404"] * (status == 404)):
        assert language.text(key) in text_of(response.text)
    assert client.request("POST", "/", headers={"accept-language": "de"}).text.count('lang="de"')


@IN_SOME_LANGUAGES
@pytest.mark.parametrize("path", TEXT_PAGES)
def test_page_links_to_itself_in_all_languages(language: Language, path: str) -> None:
    query = QUERIES.get(path, "")
    page = page_of(path, query, language.name)
    assert language_of(page) == language.name
    for name in ("play", "solve", "check", "sheet", "footer"):
        assert " ".join(language.text(f"page.{name}").split()) in text_of(page), name
    anchors = {each["hreflang"]: each for each in elements(page, "a") if each.get("hreflang")}
    assert [*anchors] == [*LANGUAGES]
    assert [name for name, each in anchors.items() if each.get("aria-current")] == [language.name]
    for each, anchor in anchors.items():
        target, _, target_query = str(anchor["href"]).partition("?")
        assert target == path
        assert language_of(page_of(path, target_query, language.name)) == each
    # If only the header names a language, other addresses leave it out.
    content = page.split("<footer")[0]
    assert "language=" not in unescape(content) or path in ("/sheet", "/quiz")


@IN_SOME_LANGUAGES
def test_game_has_one_name(language: Language) -> None:
    names = {name: plain_name(name).text(language) for name in HAND_GAMES}
    assert len(set(names.values())) == len(names)
    for path in ("/play", "/daily", "/solve", "/sheet", "/check"):
        page = page_of(path, QUERIES.get(path, ""), language.name)
        shown = re.findall(r'<option value="(\w+)"[^>]*>([^<]+)</option>', page)
        assert {*shown} >= names.items()
    assert f">{names['cards']}</a></dt>" in page_of("/", "", language.name)
    played, _ = Round(daily("cards", FIRST_DAY)[0], language=language).play("q")
    assert f" · {names['cards']}" in format_result(played, FIRST_DAY)


@in_one_test("path", *TEXT_PAGES)
def test_links_and_forms_keep_the_language_and_style_of_the_address(path: str) -> None:
    page = page_of(path, f"{QUERIES.get(path, '')}&language=nl&style=dot".removeprefix("&"))
    for anchor in elements(page.split("<footer")[0], "a"):
        target = str(anchor["href"])
        assert target[0] == "#" or ("language=nl" in target and "style=dot" in target)
    for form in re.findall(r"<form.*?</form>", page, re.DOTALL):
        assert hidden_fields(form).items() >= {"language": "nl", "style": "dot"}.items()


# A language, a style that replaces its signs, and the solution in the signs of the page.
@in_one_test(
    ("language", "style", "formula"),
    *(("en", "", "8 ÷ (3 − 8 ÷ 3)"), ("nl", "", "8 : (3 − 8 : 3)"), ("es", "", "8 : (3 − 8 : 3)")),
    *(("de", "", "8 : (3 − 8 : 3)"), ("fr", "", "8 ÷ (3 − 8 ÷ 3)")),
    *(("zh-Hans", "", "8 ÷ (3 − 8 ÷ 3)"), ("de", "&style=unicode", "8 ÷ (3 − 8 ÷ 3)")),
    *(("fr", "&style=cards", "8 / (3 - 8 / 3)"), ("en", "&style=dot", "8 : (3 − 8 : 3)")),
)
def test_formulas_and_hints_have_the_signs_of_the_language_or_style(
    language: str, style: str, formula: str
) -> None:
    assert formula in text_of(page_of(SOLVE_PAGE[0], SOLVE_PAGE[1] + style, language))
    sign = formula[2]
    query = f"game=cards&puzzle=cards:3.3.8.8=24&key=%3F{style}"
    assert f"8 {sign} 3 = 8/3" in text_of(page_of("/play", query, language))
    ended = page_of("/play", query.replace("%3F", "!"), language)
    assert f"{formula} = 24" in text_of(ended)
    checked = page_of("/check", f"formula=8+:+2+x+3&card=&game=cards{style}", language)
    assert f"8 {sign} 2 = 4" in text_of(checked)


# Minus, times and divided by on paper, in quizzes, on pages and in files to play.
@in_one_test(
    ("name", "signs"),
    *(
        ("en", "−×÷"),
        ("nl", "−×:"),
        ("es", "−×:"),
        ("de", "−·:"),
        ("fr", "−×÷"),
        ("zh-Hans", "−×÷"),
    ),
)
def test_signs_are_of_the_language_but_typed_in_a_terminal(name: str, signs: str, run: Run) -> None:
    minus, times, divide = [*signs]
    formula = f"(13 {times} 8 {minus} 8) {divide} 4"
    for words in ("sheet --out a.html", "quiz --ask sign --out a.gift", "page --out b.html"):
        assert run(f"{words} cards:4.8.8.13=24 --language {name}").status == 0
    assert formula in unescape(Path("a.html").read_text("utf-8"))
    choices = re.findall(r"^[~=]\\?(.)$", Path("a.gift").read_text("utf-8"), re.MULTILINE)
    assert sorted(choices) == sorted(f"+{signs}")
    shown = data_of(Path("b.html").read_text("utf-8"))["languages"][name]["signs"]
    assert [shown[sign] for sign in "-x:"] == [*signs]
    assert formula in unescape(page_of("/solve", "game=cards&hand=4+8+8+13", name))
    # A shell has the signs that a keyboard has.
    said = scripted("!\n", "cards:4.8.8.13=24", "--language", name).stdout.decode()
    assert "(13 x 8 - 8) / 4 = 24" in said


@IN_SOME_LANGUAGES
def test_texts_of_a_round_are_in_the_language_of_the_page(language: Language) -> None:
    query = "game=countdown&puzzle=countdown:2.5.8.10.25.75=431&limit=0"
    page = text_of(page_of("/play", query, language.name))
    assert language.text("task.card", target=431, hand="2 5 8 10 25 75") in page
    assert language.text("page.level", level=5) in page
    page = text_of(page_of("/play", f"{query}&typed=(75%2B10)x5&key=q", language.name))
    assert language.text("round.left") in page
    if language is not ENGLISH:
        assert not re.search(r"\b(make|level|puzzle|left|the)\b", page.split("crisps24")[1])


@in_one_test("path", "/", "/check", "/sheet")
@in_one_test(
    ("query", "reason"),
    ("language=xx", "Taal: onbekende taal ‘xx’"),
    ("style=xx", "Tekens: onbekende schrijfwijze ‘xx’"),
    ("style=latex", "Tekens: onbekende schrijfwijze ‘latex’ (kies uit crisps"),
)
def test_unknown_language_or_style_is_refused(query: str, reason: str, path: str) -> None:
    reply = answer(path, query, "nl")
    page = reply.body.decode()
    assert (reply.status, language_of(page), reason in text_of(page)) == (422, "nl", True)


def test_sheet_and_its_command_have_the_language_of_the_page() -> None:
    page = page_of("/sheet", "seed=7&level=2..4&game=cards&name_line=yes&upright=yes", "de")
    command = text_of(page).split("crisps24 sheet", 1)[1]
    assert "--level 2..4 --out sheet.pdf --name-line --upright --language de" in command
    paper = page[page.index('<figure class="paper">') :]
    for text in ("Datum", "Seite 1 von 2", "Benutze alle 4 Zahlen"):
        assert text in paper
    assert link(page, "Spielen") == ("/play", {})
