"""Responses for combinations of address, Accept, Accept-Language and root path."""

import json
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from crisps24 import Conditions, Puzzle, check, deal, puzzle_of
from crisps24.errors import RefusedError
from crisps24.output.tables import render
from crisps24.puzzles.daily import FIRST_DAY, daily
from crisps24.web.application import make_application
from crisps24.web.guards import parse_networks, parse_root
from tests.sampling import in_one_test
from tests.tables import cells_of


def client_of(address: str, *, embed: bool) -> TestClient:
    networks = parse_networks(["10.0.0.0/24"])
    application = make_application(workers=1, root="/crisps", proxies=networks, embed=embed)
    return TestClient(application, "http://localhost", client=(address, 7), follow_redirects=False)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """Yield a client at the address of the trusted proxy; other sites can frame the pages."""
    with client_of("10.0.0.1", embed=True) as proxy_client:
        yield proxy_client


@pytest.fixture(scope="module")
def untrusted_client() -> Iterator[TestClient]:
    """Yield a client at another address; other sites cannot frame the pages."""
    with client_of("203.0.113.7", embed=False) as other_client:
        yield other_client


HTML, JSON, ANY = "text/html,application/xhtml+xml,*/*;q=0.8", "application/json", "*/*"
CARD, DAY = "/solve?game=cards&hand=3+3+8+8", f"/daily?game=cards&date={FIRST_DAY}"
LANGUAGES = {"": "en", "nl,en;q=0.5": "nl", "zh-CN": "zh-Hans", "xx": "en"}


@pytest.mark.parametrize("prefix", ["/crisps", "", "/other"])
@pytest.mark.parametrize("accept", [HTML, JSON, ANY, "application/json;q=0.5, text/html;q=0.4"])
@pytest.mark.parametrize(("address", "statuses"), cells_of("web/statuses.txt"))
@pytest.mark.parametrize("header", LANGUAGES)
def test_response_by_address_accept_header_language_and_root(
    client: TestClient, address: str, statuses: str, accept: str, prefix: str, header: str
) -> None:
    as_json = "application/json" in accept
    page, rows = map(int, statuses.split())
    headers = {"accept": accept, "accept-language": header}
    if prefix == "/other":
        headers["x-forwarded-prefix"] = "/other/"
    response = client.get(prefix + address, headers=headers)
    root = prefix or "/crisps"
    assert response.status_code == (rows if as_json else page)
    assert response.headers["x-content-type-options"] == "nosniff"
    assert {"accept", "accept-language"} <= set(response.headers["vary"].split(", "))
    if response.status_code == 303:
        assert response.headers["location"].startswith(f"{root}/")
        assert response.content == b""
        return
    if as_json and re.match(r"/(solve|check|deal|daily|nothing)\b", address):
        assert response.headers["content-type"] == "application/json"
        data = response.json()
        assert isinstance(data, list) if rows == 200 else [*data] == ["error"]
    else:
        assert response.headers["content-type"].startswith("text/html")
        assert f'<html lang="{LANGUAGES[header]}' in response.text
        links = re.findall(r'\s(?:href|src|action|formaction)="([^"]*)"', response.text)
        assert len(links) > 3
        assert [link for link in links if not link.startswith((f"{root}/", "#", "?"))] == []
    if accept == ANY:
        assert int(response.headers["content-length"]) == len(response.content)


@pytest.mark.parametrize("prefix", [None, "/", "/a/b.c/~d"])
def test_all_links_of_pages_exist_under_the_root(
    client: TestClient, untrusted_client: TestClient, prefix: str | None
) -> None:
    root = "/crisps" if prefix is None else prefix.rstrip("/")
    headers = {} if prefix is None else {"x-forwarded-prefix": prefix}
    statuses: dict[str, int] = {}
    waiting = [f"{root}/"]
    while waiting and len(statuses) < 25:
        address = waiting.pop(0)
        response = (untrusted_client if prefix is None else client).get(address, headers=headers)
        statuses[address] = response.status_code
        if response.is_redirect:
            waiting.insert(0, response.headers["location"])
        if response.headers.get("content-type", "").startswith("text/html"):
            links = re.findall(r'\s(?:href|src|action)="(/[^"#]*)"', response.text)
            waiting += [link.replace("&amp;", "&") for link in dict.fromkeys(links)]
        waiting = [link for link in dict.fromkeys(waiting) if link not in statuses]
    assert set(statuses.values()) <= {200, 303}
    assert all(link.startswith(f"{root}/") for link in statuses)
    assert f"{root}/static/style.css" in statuses


def test_root_has_a_page_and_is_not_added_to_longer_names_or_texts(client: TestClient) -> None:
    statuses = {"/crisps": 200, "/crisps/": 200, "/crispsx": 404}
    assert {path: client.get(path).status_code for path in statuses} == statuses
    response = client.get("/crisps/check", params={"formula": ' href="/play" src="/x"'})
    assert "href=&#34;/play&#34;" in response.text


@in_one_test(
    ("prefixes", "status", "root"),
    *((["/maths"], 200, "/maths"), (["/maths/24/"], 200, "/maths/24"), (["/"], 200, "")),
    *(([""], 200, ""), (["//evil.example"], 400, ""), (["/../etc"], 400, "")),
    *((['/a"><script>'], 400, ""), (["/a", "/b"], 400, ""), (["/" + "a" * 300], 400, "")),
    (["https://evil.example/"], 400, ""),
)
def test_prefix_header_is_used_only_from_a_trusted_proxy(
    client: TestClient, untrusted_client: TestClient, prefixes: list[str], status: int, root: str
) -> None:
    headers = [("x-forwarded-prefix", prefix) for prefix in prefixes]
    response = client.get("/solve", headers=headers)
    assert response.status_code == status
    assert response.headers["x-content-type-options"] == "nosniff"
    assert status == 400 or f'href="{root}/play"' in response.text
    assert "evil" not in response.text
    # The header of any other client is ignored.
    response = untrusted_client.get("/solve", headers=headers)
    assert (response.status_code, 'href="/crisps/play"' in response.text) == (200, True)


def test_root_has_no_slash_at_its_end() -> None:
    roots = {"": "", "/": "", "/a": "/a", "/a/b/": "/a/b", "/a.b": "/a.b"}
    assert {text: parse_root(text) for text in roots} == roots


@in_one_test(
    "text", "a", "//", "/a//b", "/.", "/a/..", "/a b", "/a?b", "/é", "/a%2fb", "/" + "a" * 200
)
def test_invalid_root_is_refused(text: str) -> None:
    with pytest.raises(RefusedError, match=r"invalid root .* such as /crisps"):
        parse_root(text)


@in_one_test("path", "/play?seed=7", DAY, "/daily", "/solve", "/nothing")
def test_other_sites_can_frame_all_pages_only_with_embed(
    client: TestClient, untrusted_client: TestClient, path: str
) -> None:
    framed, other = client.get(path).headers, untrusted_client.get(path).headers
    assert [each.get("x-frame-options") for each in (framed, other)] == [None, "DENY"]
    for headers, ancestors in ((framed, "*"), (other, "'none'")):
        policy = headers["content-security-policy"].split("; ")
        assert {"default-src 'none'", f"frame-ancestors {ancestors}"} <= {*policy}


def rows_at(client: TestClient, address: str) -> str:
    response = client.get(f"/crisps{address}")
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    return response.text


def test_rows_equal_the_output_of_the_commands(client: TestClient) -> None:
    puzzle = puzzle_of("cards:4.6.8.10=24")
    rows = rows_at(client, "/solve.json?hand=cards:4.6.8.10%3D24&every=yes")
    assert rows == render(puzzle.rows(all_solutions=True), "json") + "\n"
    [closest] = json.loads(rows_at(client, "/solve.json?game=cards&hand=1+1+1+1&target=5&all=yes"))
    assert closest == Puzzle((1, 1, 1, 1), 5, puzzle.game).rows(closest=True)[0]
    dealt = deal("cards", 3, seed=7, conditions=Conditions(levels=range(2, 5)))
    address = "/deal.json?game=cards&seed=7&count=3&level=2..4"
    assert rows_at(client, address) == render(list(dealt.rows()), "json") + "\n"
    [row] = json.loads(rows_at(client, f"/daily.json?game=cards&date={FIRST_DAY}"))
    assert row["id"] == daily("cards", FIRST_DAY)[0].id
    checks = json.loads(rows_at(client, "/check.json?formula=3+x+8%0A3+x%0A9+%3A+7&target=24"))
    assert [(row["verdict"], row["position"]) for row in checks] == [
        ("right", None),
        ("malformed", check("3 x", target=24).error.position),  # type: ignore[union-attr]
        ("illegal", 0),
    ]


@in_one_test(("address", "said"), *cells_of("web/errors.txt"))
def test_errors_of_rows_are_json_in_english(client: TestClient, address: str, said: str) -> None:
    response = client.get(address, headers={"accept-language": "nl"})
    assert f"{response.status_code} {response.json()['error']}".startswith(said)
    assert [*response.json()] == ["error"]


def test_style_of_rows_depends_on_the_address_and_not_the_language(client: TestClient) -> None:
    for style, expression in (("", "8 / (3 - 8 / 3)"), ("&style=unicode", "8 ÷ (3 − 8 ÷ 3)")):
        address = f"{CARD}{style}".replace("?", ".json?")
        [row] = client.get(address, headers={"accept-language": "nl"}).json()
        assert row["expression"] == expression
