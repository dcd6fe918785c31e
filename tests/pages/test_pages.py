"""Replies of all pages, with the test client of Starlette."""

import json
import re
from html import unescape
from html.parser import HTMLParser
from time import process_time
from typing import Any
from urllib.parse import parse_qs, quote_plus, urlsplit

import pytest
from starlette.testclient import TestClient

from crisps24 import deal
from crisps24.pages.answering import PAGES, answer
from crisps24.pages.play import MAX_PUZZLES
from crisps24.pages.requests import REPLY_TIMEOUT
from crisps24.rules.games import HAND_GAMES, plain_name
from tests.commands import Run
from tests.pages.test_refusals import query_of
from tests.sampling import in_one_test, only_in_long_run
from tests.tables import cells_of


def text_of(page: str) -> str:
    page = re.sub(r'<span class="unseen pause">.*?</span>', "", page)
    bare = re.sub(r"<(svg|script).*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(bare).split())


class Outline(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def get_page(client: TestClient, path: str, /, **parameters: object) -> str:
    response = client.get(path, params={name: str(value) for name, value in parameters.items()})
    assert response.status_code == 200, text_of(response.text)
    return response.text


def data_of(page: str) -> Any:
    """Return the data of the player in a page or file; None if it has none."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return found and json.loads(found[1])


def hidden_fields(page: str) -> dict[str, str]:
    fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page)
    return {name: unescape(value) for name, value in fields}


def elements(page: str, tag: str) -> list[dict[str, str | None]]:
    return [attributes for name, attributes in Outline(page).elements if name == tag]


def field(page: str, name: str) -> dict[str, str | None]:
    typed = [each for each in elements(page, "input") if each.get("type") is None]
    return next(each for each in typed if each.get("name") == name)


def link(page: str, text: str) -> tuple[str, dict[str, str]]:
    anchor = re.search(rf'<a[^>]*href="([^"]+)"[^>]*>{text}</a>', page)
    assert anchor, text_of(page)
    address = urlsplit(unescape(anchor[1]))
    return address.path, {name: values[0] for name, values in parse_qs(address.query).items()}


def test_start_page_has_a_card_that_can_be_played(client: TestClient) -> None:
    page = get_page(client, "/")
    # The title of the card names its puzzle, and only one link is named "Play this card".
    [name] = re.findall(r"<a [^>]*><svg.*?<title>(.*?)</title>.*?</svg></a>", page, re.DOTALL)
    assert name == "make 24 from 8, 4, 4 and 3; level 1 of 5"
    assert page.count("Play this card") == 1
    path, parameters = link(page, "Play this card")
    assert (path, parameters) == ("/play", {"game": "crisps", "puzzle": "crisps:8.4.4.3=24"})
    assert "make 24 from 8 4 4 3" in text_of(get_page(client, path, **parameters))


def test_play_keeps_state_over_a_wrong_answer_a_hint_and_a_solution(client: TestClient) -> None:
    parameters = {"game": "cards", "seed": "7"}
    [puzzle] = deal("cards", 1, seed=7)
    answer = str(puzzle.solutions()[0].expression)
    typed = f"{puzzle.hand[0]} + 12 + 12"
    page = get_page(client, "/play", **parameters, typed=typed)
    assert "12 is not in the hand" in text_of(page)
    assert f'name="typed" value="{typed}"' in page
    page = get_page(client, "/play", **hidden_fields(page), key="?")
    state = hidden_fields(page)
    assert (state["hints"], state["wrong"]) == ("1", "1")
    [step] = re.findall(r"> try ([^<]+)<", page)
    page = get_page(client, "/play", **state, typed=unescape(step))
    state = hidden_fields(page)
    assert state["steps"] == unescape(step)
    assert "Steps so far" in page
    assert 'name="typed" value=""' in page
    page = get_page(client, "/play", **state, typed=answer)
    assert f"correct: {answer} = 24" in text_of(page)
    assert "1 solved" in page
    assert link(page, "Next puzzle") == ("/play", {**parameters, "n": "2", "score": "1"})
    assert link(page, "Play it again") == ("/play", parameters)


@in_one_test(("address", "texts"), *cells_of("pages/shown.txt"))
def test_page_shows_texts(address: str, texts: str) -> None:
    path, _, words = address.partition(" ")
    page = text_of(answer(path, query_of(words)).body.decode())
    shown = {text: text.removeprefix("!") in page for text in texts.split(" | ")}
    assert shown == {text: text[0] != "!" for text in shown}


def test_page_of_an_impossible_puzzle_does_not_reveal_it(client: TestClient) -> None:
    page = get_page(client, "/play", puzzle="cards:1.1.1.1=24")
    assert "<title>make 24 from 1, 1, 1 and 1</title>" in page
    assert "no level" in text_of(page)


def test_play_and_the_command_games_show_the_same_rules(client: TestClient, run: Run) -> None:
    lines = run("games").out.splitlines()
    for game in HAND_GAMES:
        page = text_of(get_page(client, "/play", game=game, seed=0))
        [rules] = re.findall(rf"{re.escape(str(plain_name(game)))}: ([a-z, ]+?) New round", page)
        assert next(line for line in lines if line.split()[:1] == [game]).endswith(rules)


@in_one_test(("address", "said"), *cells_of("pages/errors.txt"))
def test_refused_request_gets_a_page_with_the_reason(
    client: TestClient, address: str, said: str
) -> None:
    # test_refusals.py has more.
    response = client.get(address.replace("LONG", "1+" * 9_000))
    status, _, reason = said.partition(" ")
    assert (response.status_code, reason in text_of(response.text)) == (int(status), True)
    assert '<html lang="en">' in response.text


@in_one_test("value", "<script>alert(1)</script>", '" onfocus="alert(1)', "{{ 7 * 7 }}")
@in_one_test("address", "/solve?hand", "/check?formula", "/play?seed=7&typed", "/sheet?title")
def test_values_are_escaped_on_all_pages(client: TestClient, address: str, value: str) -> None:
    page = client.get(f"{address}={quote_plus(value)}").text
    assert "<script>" not in page
    assert not any("onfocus" in attributes for _, attributes in Outline(page).elements)
    assert value in unescape(page)


@in_one_test("path", "/", "/check")
def test_page_has_no_inline_code_and_no_external_addresses(client: TestClient, path: str) -> None:
    for tag, attributes in Outline(client.get(path).text).elements:
        names = (tag, *attributes)
        assert [name for name in names if name == "style" or name.startswith("on")] == []
        links = [attributes.get(name) or "/" for name in ("src", "href", "action")]
        assert all(link.startswith(("/", "#")) for link in links)


@only_in_long_run
@pytest.mark.parametrize("name", ["countdown", "numble"])
def test_last_puzzle_of_a_seed_takes_at_most_half_the_timeout(name: str) -> None:
    # These games take longest. CPU time, because other processes may delay the test.
    start = process_time()
    reply = answer("/play", f"game={name}&seed=3&n={MAX_PUZZLES}")
    cpu_seconds = process_time() - start
    assert reply.status == 200
    assert cpu_seconds < PAGES["/play"].timeout_factor * REPLY_TIMEOUT / 2
