"""Rounds: the data that the player reads, own cards, new rounds, and the puzzle of a day."""

import re
from datetime import UTC, date, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

from starlette.testclient import TestClient

from crisps24.pages.answering import answer
from crisps24.puzzles.daily import FIRST_DAY
from tests.pages.test_pages import data_of, elements, field, get_page, link, text_of
from tests.sampling import in_one_test

TODAY = datetime.now(UTC).date()


def redirect_of(client: TestClient, address: str, **words: str) -> tuple[str, dict[str, list[str]]]:
    """Return the path and the parameters of the address that an address leads to."""
    response = client.get(address, params=words or None, follow_redirects=False)
    assert response.status_code == 303, text_of(response.text)
    place = urlsplit(response.headers["location"])
    return place.path, parse_qs(place.query)


def test_data_have_the_solution_only_at_their_own_address(client: TestClient) -> None:
    page = get_page(client, "/play", puzzle="cards:3.3.8.8=24", wrong=2)
    [puzzle] = data_of(page)["puzzles"]
    assert "8 / (3" not in page
    address = puzzle["page"]["solution"]
    assert address == "?puzzle=cards%3A3.3.8.8%3D24&key=%21"
    [puzzle] = data_of(client.get(f"/play{address}").text)["puzzles"]
    assert (puzzle["answer"], puzzle["ways"]) == ("8 / (3 - 8 / 3)", 1)


def test_data_do_not_show_whether_a_target_can_be_made(client: TestClient) -> None:
    parameters = {"game": "countdown", "seed": "1", "large": "0", "targets": "900..999"}
    shown = set()
    for n in range(1, 9):
        data = data_of(get_page(client, "/play", **parameters, closest="yes", n=n))
        rules = re.sub("[0-9]+", "", data["languages"]["en"]["rules"])
        shown.add((data["puzzles"][0]["level"], rules))
    assert [level for level, _ in shown] == [None]
    assert data_of(get_page(client, "/play", **parameters))["puzzles"][0]["level"]


def test_page_of_rules_that_the_script_lacks_has_only_the_form(client: TestClient) -> None:
    page = get_page(client, "/play", game="crisps", seed=1, join="yes")
    assert data_of(page) is None
    assert "player.js" not in page
    assert field(page, "typed")
    assert "autofocus" not in page + get_page(client, "/play", game="cards", seed=7)


# The numbers of a player, other parameters, and the id of their puzzle or the reason of a refusal.
@in_one_test(
    ("card", "parameters", "result"),
    ("3 3 8 8", {"game": "cards"}, "cards:3.3.8.8=24"),
    ("14 2 3 4", {"game": "cards", "target": "23"}, "cards:14.2.3.4=23"),
    ("1 1 1 1", {"game": "cards"}, "24 cannot be made from 1 1 1 1"),
    ("1 2 3 4 5 6", {"game": "countdown"}, "countdown has no fixed target"),
)
def test_own_card_leads_to_its_puzzle_or_is_refused(
    client: TestClient, card: str, parameters: dict[str, str], result: str
) -> None:
    if ":" in result:
        _, words = redirect_of(client, "/play", card=card, **parameters)
        assert (words["puzzle"], {"language", "limit"} & words.keys()) == ([result], set())
    else:
        response = client.get("/play", params={"card": card, **parameters})
        assert (response.status_code, result in text_of(response.text)) == (422, True)
        assert field(response.text, "card")["value"] == card


def canonical_of(page: str) -> str | None:
    [link] = [each for each in elements(page, "link") if each["rel"] == "canonical"]
    return link["href"]


def test_canonical_address_is_the_puzzle_without_the_state(client: TestClient) -> None:
    page = get_page(client, "/play", game="cards", seed=7, wrong=3, steps="13 - 4 = 9")
    assert canonical_of(page) == "/play?game=cards&puzzle=cards%3A1.3.4.13%3D24"
    assert f"/play{data_of(page)['puzzles'][0]['page']['link']}" == canonical_of(page)
    page = get_page(client, "/daily", game="cards", date="2026-01-01", hints=2)
    assert canonical_of(page) == "/daily?game=cards&date=2026-01-01"


def test_today_has_a_puzzle_and_links_to_the_days_around_it(client: TestClient) -> None:
    place, words = redirect_of(client, "/daily?game=krypto")
    day = date.fromisoformat(words["date"][0])
    assert (place, words["game"]) == ("/daily", ["krypto"])
    assert day in (TODAY, TODAY + timedelta(days=1))
    page = get_page(client, "/daily", game="krypto", date=day)
    facts = data_of(page)["puzzles"][0]["page"]
    assert (facts["day"], facts.get("next")) == (str(day), None)
    assert "The day after" not in text_of(page)
    path, before = link(page, "← The day before")
    assert before == {"game": "krypto", "date": str(day - timedelta(days=1))}
    assert facts["previous"] == f"?game=krypto&date={before['date']}"
    page = get_page(client, path, **before)
    assert link(page, "The day after →")[1]["date"] == str(day)
    assert data_of(page)["puzzles"][0]["page"]["next"] == f"?game=krypto&date={day}"
    first = get_page(client, "/daily", game="krypto", date=FIRST_DAY)
    assert "← The day before" not in text_of(first)
    assert link(first, "Numble")[1] == {"game": "numble", "date": str(FIRST_DAY)}
    [chosen] = [each for each in elements(first, "input") if each.get("type") == "date"]
    assert (chosen["min"], chosen["value"]) == (str(FIRST_DAY), str(FIRST_DAY))
    assert client.get("/daily", params={"date": str(TODAY + timedelta(days=2))}).status_code == 422


def test_page_of_a_day_is_never_cached() -> None:
    # Tomorrow it has a day after it.
    for query in ("game=cards&date=2026-01-01", "game=cards", "date=9999-12-31"):
        assert not answer("/daily", query).cacheable
    assert not answer("/play", "game=cards").cacheable
    assert answer("/play", "game=cards&seed=7&key=?").cacheable
