"""Tiles, Start and the puzzle of a day, by Starlette's client: links and forms, and no script."""

import re
from datetime import UTC, datetime, timedelta
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest

from crisps24.puzzle import Puzzle
from crisps24.puzzles.daily import FIRST_DAY, daily
from crisps24.rules.games import HAND_GAMES

pytest.importorskip("starlette", reason="the pages need the extra `web`")
pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from starlette.testclient import TestClient

from crisps24.pages.answering import answer
from tests.pages.tapping import taps_of
from tests.pages.test_pages import elements, field, get_page, hidden_fields, link, text_of

CARDS = "cards:4.6.8.10=24"
TODAY = datetime.now(UTC).date()


def button(page: str, text: str) -> dict[str, str | None]:
    """Return a button to tap that looks so, or is called so.

    Of several it is the first that is not held.
    """
    found = []
    for each, shown in re.findall(r'<button ([^>]*name="tap"[^>]*)>(.*?)</button>', page, re.S):
        [attributes] = elements(f"<button {each}>", "button")
        if text in (unescape(shown), attributes.get("aria-label")):
            found.append(attributes)
    assert found, f"no {text} to tap: {text_of(page)}"
    return min(found, key=lambda each: each.get("aria-pressed") == "true")


def focus(page: str) -> str | None:
    """Return the id of what has the focus at first."""
    tags = ("button", "input", "a", "div")
    [found] = [each for tag in tags for each in elements(page, tag) if "autofocus" in each]
    return found.get("id")


def path_of(page: str) -> str:
    [path] = {each["action"] for each in elements(page, "form") if "tiles" in str(each["class"])}
    return str(path)


def tap(client: TestClient, page: str, *texts: str) -> str:
    """Tap one after the other, as who has no script does."""
    for text in texts:
        page = get_page(
            client, path_of(page), **hidden_fields(page), tap=button(page, text)["value"]
        )
    return page


def tiles(page: str) -> list[str]:
    """Return what lies in each place; nothing where it was used."""
    found = re.findall(r'<(?:button|span) class="tile ([^"]*)"[^>]*>(.*?)<', page)
    return ["" if kind == "gone" else text for kind, text in found]


def won(client: TestClient, page: str, puzzle: Puzzle) -> str:
    """Tap the likeliest solution."""
    for step in taps_of(puzzle):
        page = tap(client, page, *step)
    return page


@pytest.mark.parametrize("game", HAND_GAMES)
def test_a_round_is_won_by_taps_alone(client: TestClient, game: str) -> None:
    [puzzle] = daily(game, FIRST_DAY)
    page = won(client, get_page(client, "/play", puzzle=puzzle.id, limit=0), puzzle)
    assert re.search(rf"correct: \S.* = {puzzle.target}( |:)", text_of(page))
    assert focus(page) is None
    assert "Next puzzle" in page


def test_in_countdown_numbers_may_be_left(client: TestClient) -> None:
    page = get_page(client, "/play", puzzle="countdown:75.50.25.10.2.1=751", limit=0)
    page = tap(client, page, "75", "x", "10", "750", "+", "1")
    assert "correct: 75 x 10 + 1 = 751: 10 points" in text_of(page)


def test_a_step_leaves_its_result_in_the_place_of_the_second_number(client: TestClient) -> None:
    page = get_page(client, "/play", puzzle=CARDS)
    assert "Tap a number, then a sign, then a number." in text_of(page)
    assert tiles(page) == ["4", "6", "8", "10"]
    page = tap(client, page, "10")
    assert "10 … Tap a sign." in text_of(page)
    assert button(page, "10")["aria-pressed"] == "true"
    page = tap(client, page, "minus")
    assert "10 - … Tap a number." in text_of(page)
    assert focus(page) == "sign--"
    page = tap(client, page, "4")
    assert "10 - 4 = 6 A step left: 6 8 6" in text_of(page)
    assert tiles(page) == ["6", "6", "8", ""]
    # What was made is in focus; nothing is typed for who taps.
    assert focus(page) == "tile-1"
    assert field(page, "typed")["value"] == ""


def test_equal_numbers_stay_where_they_were_not_tapped(client: TestClient) -> None:
    page = get_page(client, "/play", puzzle="cards:3.3.8.8=24")
    state = hidden_fields(page)
    page = get_page(client, "/play", **state, tap="4:2")
    assert tiles(page) == ["3", "8/3", "8", ""]
    page = tap(client, page, "3", "-", "8/3")
    assert tiles(page) == ["", "1/3", "8", ""]
    page = tap(client, page, "Undo a step")
    assert tiles(page) == ["3", "8/3", "8", ""]
    # Where they lie as anybody would think, the address does not say it.
    assert "places" not in hidden_fields(get_page(client, "/play", **state, tap="1:3"))


def test_what_is_held_is_let_go_of_or_exchanged(client: TestClient) -> None:
    page = tap(client, get_page(client, "/play", puzzle=CARDS), "10", "8")
    assert button(page, "8")["aria-pressed"] == "true"
    assert button(page, "10")["aria-pressed"] == "false"
    for again in ("8", "Undo a step"):
        assert "Tap a number, then a sign" in text_of(tap(client, page, again))
    page = tap(client, page, "+", "x")
    assert "8 x … Tap a number." in text_of(page)
    assert "8 … Tap a sign." in text_of(tap(client, page, "x"))
    assert "Tap a number, then a sign" in text_of(tap(client, page, "8"))


def test_steps_are_taken_back_one_by_one_or_all(client: TestClient) -> None:
    page = tap(client, get_page(client, "/play", puzzle=CARDS), "10", "-", "6", "4", "x", "4")
    assert tiles(page) == ["", "16", "8", ""]
    assert "10 - 6 = 4 4 x 4 = 16" in text_of(page)
    back = tap(client, page, "Undo a step")
    assert tiles(back) == ["4", "4", "8", ""]
    assert focus(back) == "undo"
    back = tap(client, back, "Undo a step")
    assert tiles(back) == ["4", "6", "8", "10"]
    again = tap(client, page, "Start again")
    assert (tiles(again), focus(again)) == (["4", "6", "8", "10"], "restart")
    # What does nothing is told to be so, and does nothing.
    for each in (back, again):
        for name in ("Undo a step", "Start again", "times"):
            assert button(each, name)["aria-disabled"] == "true"
            assert tiles(tap(client, each, name)) == ["4", "6", "8", "10"]
    assert "aria-disabled" not in button(tap(client, again, "10"), "Undo a step")
    assert focus(tap(client, again, "times")) == "sign-x"


# A puzzle, what is tapped, and why it cannot be.
CANNOT = [
    ("crisps:9.7.2.3=24", ("9", ":", "7"), "9 : 7 Not allowed 9 : 7 leaves a remainder of 2"),
    ("crisps:9.7.2.3=24", ("2", "-", "9"), "2 - 9 Not allowed 2 - 9 is less than zero"),
]


@pytest.mark.parametrize(("puzzle", "taps", "told"), CANNOT)
def test_what_cannot_be_says_why_and_nothing_is_lost(
    client: TestClient, puzzle: str, taps: tuple[str, ...], told: str
) -> None:
    page = get_page(client, "/play", puzzle=puzzle, limit=0)
    before = tiles(page)
    page = tap(client, page, *taps)
    assert told in text_of(page).replace(" the mistake is here:", "")
    assert " =" not in text_of(page).partition(told)[2][:20]
    assert tiles(page) == before
    assert hidden_fields(page)["wrong"] == "1"
    assert "1 wrong answer" in text_of(page)


def test_where_nothing_is_left_to_go_on_with_it_says_so(client: TestClient) -> None:
    page = tap(client, get_page(client, "/play", puzzle="cards:3.8=24"), "3", "+", "8")
    assert "11 is left, not 24: undo a step (u) or start again (r)" in text_of(page)
    page = tap(client, tap(client, page, "Undo a step"), "3", "x", "8")
    assert "correct: 3 x 8 = 24" in text_of(page)


def test_a_tap_when_time_is_over_is_judged_as_it_came(client: TestClient) -> None:
    words = {"puzzle": "countdown:75.50.25.10.2.1=751", "steps": "75 x 10 = 750"}
    page = get_page(client, "/play", **words, seconds="30.2", tap="4+6")
    assert "correct: 75 x 10 + 1 = 751: 10 points" in text_of(page)
    assert focus(page) == "verdict"
    page = get_page(client, "/play", **words, seconds="30.2", tap="4+")
    assert "time is over; your 750 is 1 away: 7 points" in text_of(page)


# An address, its status, and a part of what is said.
ADDRESSES = [
    ("/play?puzzle=cards:4.6.8.10%3D24&tap=5", 422, "place 5 is empty"),
    ("/play?puzzle=cards:4.6.8.10%3D24&tap=1é2", 422, "'é' is not in this game"),
    ("/play?puzzle=cards:4.6.8.10%3D24&tap=1%7C2", 422, "'|' is not in this game"),
    ("/play?puzzle=cards:4.6.8.10%3D24&tap=<b>", 422, "tap: '<b>' is not a tap"),
    ("/play?puzzle=cards:4.6.8.10%3D24&places=x", 422, "places: 'x' are not places of tiles"),
    ("/play?puzzle=cards:4.6.8.10%3D24&places=1.1,7.9", 200, "make 24"),
    ("/play?puzzle=cards:4.6.8.10%3D24&steps=10+-+6+%3D+4&places=9.9", 200, "10 - 6 = 4"),
    ("/play?puzzle=cards:4.6.8.10%3D24&began=soon", 422, "began: invalid time 'soon'"),
    ("/play?game=countdown&seed=7&start=now", 200, "make"),
    ("/daily?game=cards&date=2026-01-01", 200, "make 24 from 1 5 9 12"),
    ("/daily?game=CHIFFRES&date=2026-01-01&limit=0", 200, "make 220 from 10 9 7 5 2 1"),
    ("/daily?game=cards&date=2025-12-31", 422, "the first puzzle is for 2026-01-01"),
    ("/daily?game=cards&date=9999-12-31", 422, "comes later (today is"),
    ("/daily?game=cards&date=22.11.2026", 422, "invalid date '22.11.2026'"),
    ("/daily?game=chess", 422, "unknown game"),
    ("/daily?game=game24", 422, "game24"),
    ("/daily?game=cards&seed=7", 400, "unknown word 'seed'"),
    ("/daily?date=2026-01-01", 200, "make 24 from 3 4 5 8"),
]


@pytest.mark.parametrize(("address", "status", "told"), ADDRESSES)
def test_an_address_is_answered_or_refused(
    client: TestClient, address: str, status: int, told: str
) -> None:
    answer = client.get(address)
    assert (answer.status_code, told in text_of(answer.text)) == (status, True), answer.text


def moved(client: TestClient, address: str, **words: str) -> tuple[str, dict[str, list[str]]]:
    answer = client.get(address, params=words or None, follow_redirects=False)
    assert answer.status_code == 303
    place = urlsplit(answer.headers["location"])
    return place.path, parse_qs(place.query)


@pytest.mark.parametrize(
    "path", ["/play?game=countdown&seed=5", "/daily?game=countdown&date=2026-01-01"]
)
def test_countdown_waits_for_a_start_and_the_address_says_when_it_was(
    client: TestClient, path: str
) -> None:
    page = client.get(path).text
    assert '<h1 id="task">Ready?</h1>' in page
    assert "You have 30 seconds. Press Start to see the numbers." in text_of(page)
    # Nothing of the puzzle is seen, or heard, and its title is none of it.
    assert not re.search("make [0-9]", page)
    assert 'role="img"' not in page
    assert "data-limit" not in page
    place, words = moved(client, urlsplit(path).path, **hidden_fields(page), start="yes")
    began = float(words["began"][0])
    assert abs(datetime.now(UTC).timestamp() - began) < 60
    page = get_page(client, place, **{name: each[0] for name, each in words.items()})
    assert f'data-began="{words["began"][0]}" data-limit="30"' in page
    assert hidden_fields(page)["began"] == words["began"][0]
    again = tap(client, page, tiles(page)[0])
    assert hidden_fields(again)["began"] == words["began"][0]
    # Who plays again, or another, has to start again; who has no clock need not.
    ended = get_page(client, place, **hidden_fields(page), key="!")
    assert "began" not in link(ended, "Play it again")[1]
    place, unclocked = link(client.get(path).text, "Play without a clock")
    assert "make" in text_of(get_page(client, place, **unclocked))


def test_other_games_do_not_wait_unless_they_are_timed(client: TestClient) -> None:
    assert "make 24 from" in text_of(get_page(client, "/play", game="cards", seed=7))
    assert "Ready?" in text_of(get_page(client, "/play", game="cards", seed=7, limit=60))


def test_the_link_that_is_shared_is_of_the_puzzle_and_not_of_what_was_tried(
    client: TestClient,
) -> None:
    page = get_page(client, "/play", game="cards", seed=7, wrong=3, steps="6 + 6 = 12", tap="1")
    fresh = "/play?game=cards&puzzle=cards%3A1.6.6.12%3D24"
    [canonical] = [each for each in elements(page, "link") if each["rel"] == "canonical"]
    assert canonical["href"] == fresh
    assert link(page, "cards:1.6.6.12=24") == (
        "/play",
        {"game": "cards", "puzzle": "cards:1.6.6.12=24"},
    )
    [copied] = [each for each in elements(page, "button") if "data-copy" in each]
    assert (copied["data-copy"], "hidden" in copied) == (fresh, True)
    page = client.get(fresh).text
    assert tiles(page) == ["1", "6", "6", "12"]
    # Of a day it is the day's address.
    page = get_page(client, "/daily", game="cards", date="2026-01-01", hints=2, tap="1")
    [canonical] = [each for each in elements(page, "link") if each["rel"] == "canonical"]
    assert canonical["href"] == "/daily?game=cards&date=2026-01-01"


def test_today_has_a_puzzle_and_a_page_leads_to_the_days_about_it(client: TestClient) -> None:
    place, words = moved(client, "/daily?game=krypto")
    day = datetime.fromisoformat(words["date"][0]).date()
    assert (place, words["game"]) == ("/daily", ["krypto"])
    assert day in (TODAY, TODAY + timedelta(days=1))
    page = get_page(client, "/daily", game="krypto", date=day)
    assert "The day after" not in page
    path, before = link(page, "← The day before")
    assert before == {"game": "krypto", "date": str(day - timedelta(days=1))}
    page = get_page(client, path, **before)
    assert link(page, "The day after →")[1]["date"] == str(day)
    first = get_page(client, "/daily", game="krypto", date=FIRST_DAY)
    assert "The day before" not in first
    assert link(first, "numble")[1] == {"game": "numble", "date": str(FIRST_DAY)}
    [chosen] = [each for each in elements(first, "input") if each.get("type") == "date"]
    assert (chosen["min"], chosen["value"]) == (str(FIRST_DAY), str(FIRST_DAY))
    assert client.get("/daily", params={"date": str(TODAY + timedelta(days=2))}).status_code == 422


def test_the_result_of_a_day_is_a_line_to_copy_that_spoils_nothing(client: TestClient) -> None:
    words = {"game": "cards", "date": "2026-01-01"}
    [puzzle] = daily("cards", FIRST_DAY)
    page = won(client, get_page(client, "/daily", **words), puzzle)
    line = f"crisps24 · 1 Jan 2026 · cards, level {puzzle.level} · no hints"
    [told] = re.findall('id="result">(.*?)<', page)
    assert told.startswith(line)
    assert not re.search(r"\b(5|9|12)\b", told.partition("2026")[2])
    copied = [each["data-copy"] for each in elements(page, "button") if "data-copy" in each]
    assert copied == [told, "/daily?game=cards&date=2026-01-01"]
    assert link(page, "Play it again") == ("/daily", words)
    page = get_page(client, "/daily", **words, hints=2, seconds="41.2", typed="9 x 5 - 12 - 1")
    page = get_page(client, "/daily", **words, hints=2, seconds="41.2", typed=puzzle.answer())
    assert f"level {puzzle.level} · 0:41, 2 hints ●" in page


def test_a_page_of_a_day_is_never_kept() -> None:
    """Whether there is a day after it, and a day at all, is another thing tomorrow."""
    for query in ("game=cards&date=2026-01-01", "game=cards", "date=9999-12-31"):
        assert not answer("/daily", query).cacheable
    assert answer("/play", "game=cards&seed=7&tap=1").cacheable
    assert not answer("/play", "game=countdown&seed=7&start=yes").cacheable


def test_languages_and_signs_stay_while_somebody_taps(client: TestClient) -> None:
    page = get_page(
        client, "/daily", game="cards", date="2026-01-01", style="unicode", language="en"
    )
    page = tap(client, page, "12", "÷", "1")
    assert "12 ÷ 1 = 12" in text_of(page)
    assert {"style": "unicode", "language": "en"}.items() <= hidden_fields(page).items()
