"""Sites in a browser, and their replies."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from crisps24.pages.addresses import SITE
from tests.waiting import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Frame, Page

SETTINGS = json.dumps({"title": SITE.title, "language": "", "games": SITE.games})


def wait_for(page: "Page", condition: Callable[[], object]) -> None:
    """Wait for a condition; the driver hears of the browser only while it is asked."""

    def hear() -> object:
        page.wait_for_timeout(20)
        return condition()

    wait_until(hear, lambda: (page.url, [frame.url for frame in page.frames]))


def frame_of(page: "Page") -> "Frame":
    """Return the frame with the page, when it is loaded."""
    wait_for(page, lambda: len(page.frames) > 1 and page.frames[1].url.startswith("http"))
    page.frames[1].locator("main").first.wait_for(timeout=60_000)
    return page.frames[1]


def wait_for_python(page: "Page") -> None:
    # The policy of the site forbids the function of the browser's driver that waits.
    wait_for(page, lambda: page.evaluate("isReady"))


def fetch(frame: "Frame", address: str) -> tuple[int, str, bytes]:
    """Return status, media type and body of an address that a page of the site asks for."""
    script = """async (address) => {
        const reply = await fetch(address, {headers: {accept: "text/html"}, redirect: "manual"});
        const body = new Uint8Array(await reply.arrayBuffer());
        return [reply.status, reply.headers.get("content-type") ?? "", Array.from(body)];
    }"""
    status, kind, body = frame.evaluate(script, address)
    return status, kind, bytes(body)


def native(tab: Any, address: str) -> tuple[int, str, bytes]:
    """Return the same as `fetch`, computed here."""
    path, _, query = address.partition("?")
    asked = {"path": f"/{path}", "query": query, "accept": "text/html", "languages": "en-US"}
    status, headers, body = tab.reply(json.dumps(asked))
    return status, headers["content-type"], body
