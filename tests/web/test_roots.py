"""Where the pages hang, and what they answer: address by Accept by Accept-Language by root path."""

import json
import os
import re
from collections.abc import Iterator

import pytest

pytest.importorskip("starlette", reason="the pages need the extra `web`")
pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from starlette.testclient import TestClient

from crisps24 import Puzzle, check, deal, puzzle_of
from crisps24.errors import RefusedError
from crisps24.output.tables import render
from crisps24.puzzles.daily import FIRST_DAY, daily
from crisps24.web.application import make_application
from crisps24.web.roots import parse_networks, parse_root

PROXY = "10.0.0.1"


def client_of(address: str, *, embed: bool) -> TestClient:
    networks = parse_networks(["10.0.0.0/24"])
    application = make_application(workers=1, root="/crisps", proxies=networks, embed=embed)
    return TestClient(application, "http://localhost", client=(address, 7), follow_redirects=False)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    """Give one that hangs under /crisps, asked by its proxy, and may be framed."""
    with client_of(PROXY, embed=True) as made:
        yield made


@pytest.fixture(scope="module")
def stranger() -> Iterator[TestClient]:
    """Give one that is asked by somebody else, and may not be framed."""
    with client_of("203.0.113.7", embed=False) as made:
        yield made


HTML, JSON, ANY = "text/html,application/xhtml+xml,*/*;q=0.8", "application/json", "*/*"
CARD = "/solve?game=cards&hand=3+3+8+8"
DAY = f"/daily?game=cards&date={FIRST_DAY}"
FORMULA = "/check?formula=3+x+8"
# An address, and the status of its page and of its rows.
ADDRESSES: list[tuple[str, int, int]] = [
    ("/", 200, 200),
    ("/play", 303, 303),
    (CARD, 200, 200),
    ("/solve?game=cards&hand=x", 422, 422),
    ("/solve?nobody=1", 400, 400),
    ("/solve", 200, 422),
    (FORMULA, 200, 200),
    ("/check", 200, 422),
    ("/deal?game=cards&seed=7", 303, 200),
    ("/deal?game=cards", 303, 303),
    ("/deal?count=101", 303, 303),
    ("/deal?count=101&seed=1", 303, 422),
    (DAY, 200, 200),
    ("/daily", 303, 303),
    ("/daily?date=2025-12-31", 422, 422),
    ("/sheet?seed=7", 200, 200),
    ("/nothing", 404, 404),
]
# Those that have rows.
OF_ROWS = ("/solve", "/check", "/deal", "/daily")
LANGUAGES = {"": "en", "nl,en;q=0.5": "nl", "zh-CN": "zh-Hans", "xx": "en"}
# Of each root two: with what is accepted all four, and with every address.
OF_ROOT = {"/crisps": ["", "zh-CN"], "": ["nl,en;q=0.5", "xx"], "/other": ["zh-CN", "xx"]}


@pytest.mark.parametrize("prefix", ["/crisps", "", "/other"])
@pytest.mark.parametrize("accept", [HTML, JSON, ANY, "application/json;q=0.5, text/html;q=0.4"])
@pytest.mark.parametrize(("address", "page", "rows"), ADDRESSES)
def test_replies_match_the_accept_headers_under_every_root(
    client: TestClient, address: str, page: int, rows: int, accept: str, prefix: str
) -> None:
    as_json = "application/json" in accept
    for asked in LANGUAGES if "CRISPS24_EVERY" in os.environ else OF_ROOT[prefix]:
        language = LANGUAGES[asked]
        headers = {"accept": accept, "accept-language": asked}
        if prefix == "/other":
            headers["x-forwarded-prefix"] = "/other/"
        found = client.get(prefix + address, headers=headers)
        root = prefix or "/crisps"
        assert found.status_code == (rows if as_json else page), (address, asked)
        assert found.headers["x-content-type-options"] == "nosniff"
        assert {"accept", "accept-language"} <= set(found.headers["vary"].split(", "))
        if found.status_code == 303:
            assert found.headers["location"].startswith(f"{root}/")
            assert found.content == b""
            return
        of_rows = address.partition("?")[0] in OF_ROWS or found.status_code == 404
        if as_json and of_rows:
            assert found.headers["content-type"] == "application/json"
            told = found.json()
            assert isinstance(told, list) if rows == 200 else [*told] == ["error"]
        else:
            assert found.headers["content-type"].startswith("text/html")
            assert f'<html lang="{language}' in found.text
            links = re.findall(r'\s(?:href|src|action|formaction)="([^"]*)"', found.text)
            assert len(links) > 3
            assert all(each.startswith((f"{root}/", "#", "?")) for each in links), links
        if accept == ANY:
            assert int(found.headers["content-length"]) == len(found.content)


@pytest.mark.parametrize("told", [None, "/", "/a/b.c/~d"])
def test_every_link_of_a_page_works_under_its_root(
    client: TestClient, stranger: TestClient, told: str | None
) -> None:
    """The root is that of the application, or what its proxy tells."""
    root = "/crisps" if told is None else told.rstrip("/")
    headers = {} if told is None else {"x-forwarded-prefix": told}
    seen: dict[str, int] = {}
    waiting = [f"{root}/"]
    while waiting and len(seen) < 25:
        place = waiting.pop(0)
        found = (stranger if told is None else client).get(place, headers=headers)
        seen[place] = found.status_code
        if found.is_redirect:
            waiting.insert(0, found.headers["location"])
        if found.headers.get("content-type", "").startswith("text/html"):
            links = re.findall(r'\s(?:href|src|action)="(/[^"#]*)"', found.text)
            waiting += [each.replace("&amp;", "&") for each in dict.fromkeys(links)]
        waiting = [each for each in dict.fromkeys(waiting) if each not in seen]
    assert set(seen.values()) <= {200, 303}
    assert all(each.startswith(f"{root}/") for each in seen)
    assert f"{root}/static/style.css" in seen


def test_typed_text_is_not_changed_by_the_root(client: TestClient) -> None:
    found = client.get("/crisps/check", params={"formula": ' href="/play" src="/x"'})
    assert "href=&#34;/play&#34;" in found.text


@pytest.mark.parametrize(
    ("told", "status", "root"),
    [
        (["/maths"], 200, "/maths"),
        (["/maths/24/"], 200, "/maths/24"),
        (["/"], 200, ""),
        ([""], 200, ""),
        (["//evil.example"], 400, ""),
        (["/../etc"], 400, ""),
        (['/a"><script>'], 400, ""),
        (["/a", "/b"], 400, ""),
        (["/" + "a" * 300], 400, ""),
        (["https://evil.example/"], 400, ""),
    ],
)
def test_only_a_trusted_proxy_can_send_a_root(
    client: TestClient, stranger: TestClient, told: list[str], status: int, root: str
) -> None:
    headers = [("x-forwarded-prefix", each) for each in told]
    found = client.get("/solve", headers=headers)
    assert found.status_code == status
    assert found.headers["x-content-type-options"] == "nosniff"
    assert status == 400 or f'href="{root}/play"' in found.text
    assert "evil" not in found.text
    # Nobody else is.
    found = stranger.get("/solve", headers=headers)
    assert found.status_code == 200
    assert 'href="/crisps/play"' in found.text


def test_an_invalid_root_is_refused() -> None:
    assert [parse_root(text) for text in ("", "/", "/a", "/a/b/", "/a.b")] == [
        *("", "", "/a", "/a/b", "/a.b")
    ]
    for text in (
        "a",
        "//",
        "/a//b",
        "/.",
        "/a/..",
        "/a b",
        "/a?b",
        "/é",
        "/a%2fb",
        "/" + "a" * 200,
    ):
        with pytest.raises(RefusedError, match=r"invalid root .* such as /crisps"):
            parse_root(text)


def test_pages_can_be_framed_only_with_embed(client: TestClient, stranger: TestClient) -> None:
    for framed, asked in ((True, client), (False, stranger)):
        for path in ("/play?seed=7", DAY, "/daily", "/solve", "/nothing"):
            headers = asked.get(path).headers
            policy = headers["content-security-policy"]
            assert ("frame-ancestors *" in policy) == framed
            assert ("frame-ancestors 'none'" in policy) != framed
            assert headers.get("x-frame-options") == (None if framed else "DENY")
            assert "default-src 'none'" in policy


def rows_at(client: TestClient, address: str) -> str:
    found = client.get(f"/crisps{address}")
    assert found.status_code == 200, found.text
    assert found.headers["content-type"] == "application/json"
    return found.text


def test_rows_equal_those_of_the_commands(client: TestClient) -> None:
    puzzle = puzzle_of("cards:4.6.8.10=24")
    assert rows_at(client, "/solve.json?hand=cards:4.6.8.10%3D24&every=yes") == (
        render(puzzle.rows(all_solutions=True), "json") + "\n"
    )
    [near] = json.loads(rows_at(client, "/solve.json?game=cards&hand=1+1+1+1&target=5&all=yes"))
    assert near == Puzzle((1, 1, 1, 1), 5, puzzle.game).rows(closest=True)[0]
    assert rows_at(client, "/deal.json?game=cards&seed=7&count=3&level=2..4") == (
        render(list(deal_of(3)), "json") + "\n"
    )
    [row] = json.loads(rows_at(client, f"/daily.json?game=cards&date={FIRST_DAY}"))
    assert row["id"] == daily("cards", FIRST_DAY)[0].id
    told = json.loads(rows_at(client, "/check.json?formula=3+x+8%0A3+x%0A9+%3A+7&target=24"))
    assert [(each["verdict"], each["position"]) for each in told] == [
        ("right", None),
        ("malformed", check("3 x", 24).error.position),  # type: ignore[union-attr]
        ("illegal", 0),
    ]


def deal_of(count: int) -> Iterator[dict[str, object]]:
    from crisps24 import Conditions

    return deal("cards", count, seed=7, conditions=Conditions(levels=range(2, 5))).rows()


@pytest.mark.parametrize(
    ("address", "status", "sentence"),
    [
        ("/solve.json", 422, "the hand is empty: add at least one number"),
        ("/solve.json?hand=3+3&language=nl", 400, "unknown word 'language'"),
        ("/solve.json?hand=1+2+3+4+5+6&game=countdown", 422, "countdown has no fixed target"),
        (
            "/solve.json?hand=1+2+3+4+5+6&game=countdown&target=20&every=yes",
            422,
            "too many solutions: 2,180 (at most 500)",
        ),
        ("/check.json", 422, "a formula is missing"),
        ("/deal.json?seed=7&count=101", 422, "count: invalid number '101'"),
        ("/daily.json?date=tomorrow", 422, "invalid date 'tomorrow'"),
        ("/nothing.json", 404, "This page does not exist."),
    ],
)
def test_errors_are_json(client: TestClient, address: str, status: int, sentence: str) -> None:
    found = client.get(address, headers={"accept-language": "nl"})
    assert (found.status_code, [*found.json()]) == (status, ["error"])
    assert sentence in found.json()["error"]


def test_rows_have_the_style_of_the_address_only(client: TestClient) -> None:
    plain = client.get(f"{CARD}".replace("?", ".json?"), headers={"accept-language": "nl"}).json()
    assert plain[0]["expression"] == "8 / (3 - 8 / 3)"
    styled = client.get(f"{CARD}&style=unicode".replace("?", ".json?")).json()
    assert styled[0]["expression"] == "8 ÷ (3 − 8 ÷ 3)"
