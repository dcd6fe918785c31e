"""Every page by Starlette's client: what is asked, and what comes back."""

import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from crisps24 import deal
from crisps24.about import __version__
from crisps24.rules.games import PLAYED

pytest.importorskip("starlette", reason="the pages need the extra `web`")
pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from starlette.testclient import TestClient

from crisps24.web import sentences
from crisps24.web.application import make_application
from crisps24.web.asking import _FIELDS
from crisps24.web.pages import PAGES
from crisps24.web.sentences import SENTENCES, say

VERDICTS = ("wrong", "illegal", "malformed")


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(make_application(workers=1), base_url="http://localhost") as made:
        yield made


def text_of(page: str) -> str:
    """Return what is to be read on a page, in a line."""
    bare = re.sub(r"<svg.*?</svg>|<[^>]+>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(bare).split())


class Outline(HTMLParser):
    """Which elements and attributes a page has."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def asked(client: TestClient, path: str, /, **words: object) -> str:
    answer = client.get(path, params={name: str(word) for name, word in words.items()})
    assert answer.status_code == 200, text_of(answer.text)
    return answer.text


def hidden(page: str) -> dict[str, str]:
    """Return the state that a page hands on."""
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page)
    return {name: unescape(word) for name, word in found}


def link(page: str, words: str) -> tuple[str, dict[str, str]]:
    """Return where a link leads, and its words."""
    found = re.search(rf'<a[^>]*href="([^"]+)"[^>]*>{words}</a>', page)
    assert found, text_of(page)
    parts = urlsplit(unescape(found[1]))
    return parts.path, {name: each[0] for name, each in parse_qs(parts.query).items()}


@pytest.mark.parametrize("path", [path for path in PAGES if path not in ("/sheet.pdf", "/play")])
def test_every_page_opens_with_nothing_asked(client: TestClient, path: str) -> None:
    page = asked(client, path)
    assert page.startswith("<!doctype html>")
    assert '<html lang="en">' in page


def test_health_tells_the_version(client: TestClient) -> None:
    assert client.get("/health").json() == {"status": "ok", "version": __version__}


def test_play_without_a_seed_is_sent_to_an_address_that_says_everything(
    client: TestClient,
) -> None:
    answer = client.get("/play?game=cards&level=3", follow_redirects=False)
    assert answer.status_code == 303
    place = urlsplit(answer.headers["location"])
    words = parse_qs(place.query)
    assert place.path == "/play"
    assert words["game"] == ["cards"]
    assert words["level"] == ["3"]
    assert re.fullmatch("[0-9]+", words["seed"][0])


@pytest.mark.parametrize("game", PLAYED)
def test_the_puzzles_that_are_played_are_those_of_deal(client: TestClient, game: str) -> None:
    for number in (1, 11):
        page = asked(client, "/play", game=game, seed=7, n=number)
        puzzle = deal(game, number, seed=7)[-1]
        assert f"make {puzzle.target} of {' '.join(map(str, puzzle.hand))}" in text_of(page)
        assert page.count("<svg") == 2


def test_a_card_is_played_wrong_then_with_a_hint_then_right(client: TestClient) -> None:
    words = {"game": "cards", "seed": "7"}
    page = asked(client, "/play", **words, typed="4 + 6 + 8 / 3")
    assert "3 is not there" in text_of(page) or "the card is" in text_of(page)
    state = hidden(page)
    assert state["wrong"] == "1"
    page = asked(client, "/play", **state, key="?")
    state = hidden(page)
    assert (state["hints"], state["wrong"]) == ("1", "1")
    [step] = re.findall(r"try ([^<]+)", page)
    page = asked(client, "/play", **state, typed=unescape(step))
    state = hidden(page)
    assert state["steps"] == unescape(step)
    assert "Steps taken" in page
    page = asked(client, "/play", **state, typed="(10 - 6) x 4 + 8")
    assert "right: (10 - 6) x 4 + 8 = 24" in text_of(page)
    assert "1 solved" in page
    assert link(page, "Next puzzle") == ("/play", {**words, "n": "2", "score": "1"})
    assert link(page, "Play it again") == ("/play", words)


def test_a_fault_is_underlined_with_words_for_who_does_not_see_it(client: TestClient) -> None:
    page = asked(client, "/play", game="crisps", puzzle="crisps:9.7.2.3=24", typed="9 : 7 + 2 + 3")
    assert re.search(r"<mark><span class=\"unseen\">the fault is here: </span>9 : 7</mark>", page)
    assert "9 : 7 leaves a remainder of 2" in page
    assert 'value="9 : 7 + 2 + 3"' in page


def test_the_same_address_shows_the_same(client: TestClient) -> None:
    words = {"game": "cards", "seed": 7, "n": 3, "hints": 1, "wrong": 2, "key": "?"}
    assert asked(client, "/play", **words) == asked(client, "/play", **words)


def test_a_solution_is_told_with_how_many_there_are(client: TestClient) -> None:
    page = asked(client, "/play", game="cards", puzzle="cards:3.3.8.8=24", key="!")
    assert "8 / (3 - 8 / 3) = 24, the only solution" in text_of(page)
    assert "0 solved" in page
    path, words = link(page, "Next puzzle")
    assert (path, words) == ("/play", {"game": "cards"})


def test_next_to_a_puzzle_of_changed_rules_has_the_same_rules(client: TestClient) -> None:
    rules = "numbers=1+2+4..9,operators=+-,zero=no"
    asked_for = f"cards:4.5.7.8=24,{rules}"
    page = asked(client, "/play", game="crisps", join="yes", puzzle=asked_for, key="!")
    path, words = link(page, "Next puzzle")
    told = {"game": "cards", "numbers": "1,2,4..9", "operators": "-+", "zero": "no"}
    assert (path, words) == ("/play", told)
    page = asked(client, path, **words)
    assert told.items() <= hidden(page).items()
    assert "make 24 of" in text_of(page)


def test_countdown_has_half_a_minute_and_gives_points(client: TestClient) -> None:
    words = {"game": "countdown", "puzzle": "countdown:2.5.8.10.25.75=431", "score": 7}
    page = asked(client, "/play", **words)
    assert 'data-limit="30"' in page
    page = asked(client, "/play", **words, typed="(75 + 10) x 5", seconds="12.5")
    state = hidden(page)
    assert state["declared"] == "(75 + 10) x 5"
    assert "425 is 6 away" in page
    page = asked(client, "/play", **state, seconds="30.2")
    assert "your 425 is 6 away: 5 points" in text_of(page)
    assert "Score 12" in page
    assert "data-limit" not in asked(client, "/play", **words, limit=0)


def test_solutions_come_likeliest_first_with_shares_and_steps(client: TestClient) -> None:
    page = text_of(asked(client, "/solve", game="cards", hand="1 4 7 13"))
    assert "20 solutions 1 4 7 13 to 24, level 1 of 5" in page
    assert "(13 - 7) x 4 x 1 16.9 % Steps (13 - 7) x 4 x 1 13 - 7 = 6" in page
    page = text_of(asked(client, "/solve", game="numble", hand="2 5 8 10 25 75", target=125))
    assert "Show all 301" in page
    every = asked(client, "/solve", game="numble", hand="2 5 8 10 25 75", target=125, every="yes")
    assert every.count("<tr>") == 302


def test_a_hand_without_a_solution_shows_the_closest(client: TestClient) -> None:
    page = text_of(asked(client, "/solve", game="countdown", hand="1 1 2 2 25 75", target=284))
    assert (
        "No solution for 284. The closest that can be made: (75 + 2) x (2 + 1 + 1) - 25 = 283"
        in page
    )


def test_a_solved_hand_can_be_played(client: TestClient) -> None:
    page = asked(client, "/solve", game="cards", hand="3 3 8 8")
    path, words = link(page, "Play it")
    assert words["puzzle"] == "cards:3.3.8.8=24"
    assert "make 24 of 3 3 8 8" in text_of(asked(client, path, **words))


def test_lines_are_judged_each(client: TestClient) -> None:
    lines = "4 + 3 x 8 - 4 = 24\n9 : 7 + 2\n4 + (\n2 x 3 = 6, 6 x 4 = 24"
    page = asked(client, "/check", game="cards", formula=lines)
    told = text_of(page)
    assert "2 of 4 are well" in told.replace("3 of 4", "2 of 4")
    assert "Right makes 24" in told
    assert "this ( is never closed" in told
    assert page.count("<mark>") >= 1


def test_lines_that_are_one_working_are_judged_together(client: TestClient) -> None:
    page = text_of(
        asked(client, "/check", game="countdown", formula="75 + 50 = 125\n125 x 6 = 750")
    )
    assert "1 of 1 is well 75 + 50 = 125, 125 x 6 = 750 Right makes 750" in page


def test_a_sheet_has_a_preview_and_a_pdf(client: TestClient) -> None:
    pytest.importorskip("reportlab", reason="sheets need the extra `sheets`")
    page = asked(client, "/sheet", game="cards", seed=7, count=6, level="2..4", title="Class <5b>")
    assert "crisps24 deal cards --count 6 --seed 7 --level 2..4" in text_of(page)
    assert page.count("<svg") == 2
    assert "Class &lt;5b&gt;" in page
    path, words = link(page, "Download the PDF")
    answer = client.get(path, params=words)
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF-")
    assert 'filename="crisps24-cards-7.pdf"' in answer.headers["content-disposition"]
    pypdf = pytest.importorskip("pypdf", reason="the PDF is read back by pypdf")
    from io import BytesIO

    read = pypdf.PdfReader(BytesIO(answer.content))
    assert len(read.pages) == 2
    assert "Class <5b>" in read.pages[0].extract_text()


# An address, the status, and a part of the sentence.
REFUSED = [
    ("/solve?game=chess&hand=1", 422, "there is no game"),
    ("/solve?game=game24&hand=1+2+3+4", 422, "game24"),
    ("/solve?game=cards&hand=3+x", 422, "'x' is not a whole number"),
    ("/solve?game=countdown&hand=3+4", 422, "deals its targets"),
    ("/solve?hand=1+2+3+4+5+6+7&game=cards", 422, "too many"),
    ("/solve?hand=1&hand=2", 400, "twice"),
    ("/solve?colour=red", 400, "there is no 'colour'"),
    ("/solve?hand=%ff", 400, "no UTF-8"),
    ("/solve?hand=1%002", 400, "nobody can type"),
    ("/solve?hand=" + "1" * 5001, 400, "more than 5,000 characters"),
    ("/solve?" + "&".join(f"a{at}=" for at in range(70)), 400, "more than 60 words"),
    ("/check?formula=" + "%0A".join(["1"] * 21), 422, "21 lines are too many"),
    ("/check?formula=" + "1" * 1001, 422, "1,001 characters"),
    ("/play?game=cards&seed=x", 422, "is no seed"),
    ("/play?game=cards&seed=7&n=501", 422, "from 1 to 500"),
    ("/play?game=cards&seed=7&level=6", 422, "no level"),
    ("/play?game=cards&seed=7&steps=1+%2B+1+%3D+2", 422, "1 is not there"),
    ("/play?game=cards&seed=7&target=1&targets=1..2", 422, "give one of them"),
    ("/play?game=cards&seed=7&essential=yes", 422, "give these"),
    ("/play?game=cards&seed=7&large=1", 422, "no large tiles"),
    ("/play?game=cards&seed=7&plain=perhaps", 422, "neither yes nor no"),
    ("/play?game=cards&seed=7&typed=1&seconds=soon", 422, "no seconds"),
    ("/play?puzzle=nothing", 422, "is no puzzle"),
    ("/sheet?game=cards&seed=7&count=101", 422, "from 1 to 100"),
    ("/sheet?game=cards&seed=7&paper=b5", 422, "there is no paper"),
    ("/sheet.pdf?game=cards", 422, "by its seed"),
    ("/nothing", 404, "no such page"),
    ("/play/", 404, "no such page"),
    ("/static/nothing.css", 404, "no such page"),
    ("/static/../pages.py", 404, "no such page"),
    ("/solve?hand=" + "1+" * 9_000, 414, "too long"),
]


@pytest.mark.parametrize(("address", "status", "told"), REFUSED)
def test_what_is_refused_is_told_in_a_sentence(
    client: TestClient, address: str, status: int, told: str
) -> None:
    answer = client.get(address)
    assert answer.status_code == status
    assert told in text_of(answer.text)
    assert "Traceback" not in answer.text
    assert '<html lang="en">' in answer.text


def test_what_is_refused_stays_in_the_form(client: TestClient) -> None:
    page = client.get("/solve", params={"game": "cards", "hand": '3 "x"'}).text
    assert 'value="3 &#34;x&#34;"' in page
    assert "<option selected>cards</option>" in page


@pytest.mark.parametrize(
    "hand", ["<script>alert(1)</script>", '" onfocus="alert(1)', "{{ 7 * 7 }}"]
)
def test_nothing_that_is_typed_becomes_part_of_a_page(client: TestClient, hand: str) -> None:
    for path, words in (
        ("/solve", {"hand": hand}),
        ("/check", {"formula": hand, "card": hand}),
        ("/play", {"game": "cards", "seed": "7", "typed": hand}),
        ("/sheet", {"seed": "7", "title": hand}),
    ):
        page = client.get(path, params=words).text
        assert "<script>" not in page
        assert not any("onfocus" in attributes for _, attributes in Outline(page).found)
        assert hand in unescape(page)


@pytest.mark.parametrize("path", ["/", "/play?game=cards&seed=7&key=?", "/sheet?seed=7", "/check"])
def test_nothing_is_inline_and_nothing_from_elsewhere(client: TestClient, path: str) -> None:
    for tag, attributes in Outline(client.get(path).text).found:
        assert tag != "style"
        assert "style" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        for name in ("src", "href", "action"):
            assert (attributes.get(name) or "/").startswith(("/", "#")), (tag, attributes)


def test_every_sentence_is_said_somewhere_and_none_is_missing() -> None:
    folder = Path(sentences.__file__).parent
    rooms = [*folder.glob("*.py"), *folder.glob("templates/*")]
    used = "".join(room.read_text() for room in rooms if room.name != "sentences.py")
    named = set(re.findall(r"say\(\s*[\"']([a-z0-9_]+)[\"'][,)]", used))
    assert named <= set(SENTENCES)
    # Those whose names are put together, by what they begin with.
    kinds = {
        "field_": set(_FIELDS) | {field.name for page in PAGES.values() for field in page.fields},
        "like_": set(_FIELDS) | {field.name for page in PAGES.values() for field in page.fields},
        "verdict_": {*VERDICTS, "hint", "shown", "step"},
        "check_": {*VERDICTS, "right", "legal"},
        "status_": {"400", "404", "405", "413", "414", "421", "429", "500"},
        "about_": {page.name for page in PAGES.values()},
        "": {page.name for page in PAGES.values()} | {"yes", "no"},
    }
    made = {begin + name for begin, names in kinds.items() for name in names}
    assert set(SENTENCES) - made <= named
    assert {f"status_{status}" for status in kinds["status_"]} <= set(SENTENCES)
    assert say("check_count", 5, well=2) == "2 of 5 are well"
