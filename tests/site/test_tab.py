"""A tab replies as the server does, but for the footer and the root of the addresses."""

import json
from collections.abc import Iterator

import pytest

pytest.importorskip("starlette", reason="the server needs the extra `web`")

from starlette.testclient import TestClient

from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH
from crisps24.site.tab import Tab
from crisps24.web.application import make_application
from tests.site.sites import SETTINGS


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    application = make_application(workers=1)
    with TestClient(application, "http://localhost", follow_redirects=False) as server:
        yield server


ADDRESSES = (
    *("/", "/nothing", "/solve?x=1", "/solve?game=cards&hand=3+3+8+8", "/check?formula=3+x+8"),
    *("/play?game=cards&seed=7", "/daily?game=cards&date=2026-11-01", "/sheet?seed=7"),
    *("/deal?seed=7", "/solve?hand=x", "/sheet.pdf?game=cards&seed=7", "/deal.json?seed=7"),
    *("/solve.json?hand=x", f"/check?formula={'1' * 16_000}"),
)


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_reply_is_that_of_the_server(client: TestClient, address: str) -> None:
    path, _, query = address.partition("?")
    asked = {"path": path, "query": query, "languages": "de", "accept": "text/html"}
    status, headers, body = Tab(SETTINGS).reply(json.dumps(asked))
    answer = client.get(address, headers={"accept": "text/html", "accept-language": "de"})
    assert status == answer.status_code
    names = ("content-type", "content-disposition", "cache-control")
    assert [headers.get(name) for name in names] == [answer.headers.get(name) for name in names]
    assert headers.get("location", "") == answer.headers.get("location", "").replace("/", "./", 1)
    if status == 303 or not headers["content-type"].startswith("text/html"):
        assert body == answer.content
        return
    shown = body.decode().replace('="./', '="/')
    assert LANGUAGES["de"].text("page.footer_tab") in shown
    for language in (ENGLISH, LANGUAGES["de"]):
        shown = shown.replace(language.text("page.footer_tab"), language.text("page.footer"))
    assert shown == answer.text


def test_other_methods_and_bodies_are_refused() -> None:
    tab = Tab(SETTINGS)
    assert tab.reply('{"path": "/", "method": "PUT"}')[0] == 405
    assert tab.reply('{"path": "/"}', b"x")[0] == 413
    # What a tab refuses itself has the messages of the pages.
    status, _, body = tab.refuse('{"path": "/solve"}', 422, "status_422_long", 5)
    assert (status, b"takes longer than 5 seconds" in body) == (422, True)
    _, _, body = tab.refuse('{"path": "/solve.json"}', 422, "status_422_memory", 0)
    assert json.loads(body)["error"] == ENGLISH.text("page.status_422_memory")


def test_an_error_of_the_program_is_reported_as_by_the_server(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("crisps24.site.tab.reply_to", lambda *_: 1 / 0)
    status, _, body = Tab(SETTINGS).reply(json.dumps({"path": "/"}))
    assert (status, b"not your fault" in body) == (500, True)
    assert "ZeroDivisionError" in capsys.readouterr().err
