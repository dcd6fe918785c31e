"""Guards at the door: what is not let in, and what every answer says to the browser.

Owns which requests are refused before anybody reads them: by method, length, name of the host and
what is sent with them. Knows no page: it is given what makes one of a sentence.
"""

import re
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from ipaddress import ip_address
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

METHODS = ("GET", "HEAD")
# In bytes, as they come: twenty formulas fit.
LONGEST_ADDRESS = 16_000
# Names by which a machine calls itself.
OWN_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
# Which names are let in where every address is: a browser that was lied to about a name sends it.
ANY_ADDRESS = "any address"

_HOST = re.compile(r"(?:\[([0-9a-f:.%]{2,60})\]|([0-9a-z._-]{1,253}))(?::[0-9]{1,5})?", re.I)

# Nothing inline and nothing from elsewhere; a page asks this server alone.
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    )
)
HEADERS = (
    # A browser asks again whether what it keeps is still so.
    ("cache-control", "no-cache"),
    ("content-security-policy", _POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
)


class Guards:
    """An application that refuses what no page is for, in front of another."""

    def __init__(
        self, app: App, hosts: Collection[str], refused: Callable[[int], tuple[str, bytes]]
    ) -> None:
        """Let in what names one of some hosts; `refused` gives the page of a status."""
        self._app = app
        self._hosts = {host.casefold() for host in hosts}
        self._refused = refused

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        send = _guarded(send, head=scope["method"] == "HEAD")
        status = self._why_not(scope)
        if status is None:
            await self._app(scope, receive, send)
            return
        kind, body = self._refused(status)
        headers = [(b"content-type", kind.encode()), (b"content-length", b"%d" % len(body))]
        if status == 405:
            headers.append((b"allow", ", ".join(METHODS).encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    def _why_not(self, scope: MutableMapping[str, Any]) -> int | None:
        """Return the status by which a request is refused, None where it is not."""
        headers: list[tuple[bytes, bytes]] = scope["headers"]
        hosts = [value for name, value in headers if name == b"host"]
        if len(hosts) != 1 or not self._knows(hosts[0].decode("latin-1")):
            return 421
        if scope["method"] not in METHODS:
            return 405
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_ADDRESS:
            return 414
        if any(_sends(name, value) for name, value in headers):
            return 413
        return None

    def _knows(self, host: str) -> bool:
        found = _HOST.fullmatch(host)
        if found is None:
            return False
        name = (found[1] or found[2]).casefold().removesuffix(".")
        return name in self._hosts or (ANY_ADDRESS in self._hosts and _is_address(name))


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _sends(name: bytes, value: bytes) -> bool:
    """Return whether a header says that something is sent with the request."""
    return name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0 ") != b"")


def _guarded(send: Send, *, head: bool) -> Send:
    """Return what sends an answer with the headers that all have, and no body where none is due."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS]
            added = [(name, value) for name, value in more if name not in own]
            message["headers"] = [*message["headers"], *added]
        elif head:
            message["body"] = b""
        await send(message)

    return sent
