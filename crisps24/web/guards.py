"""Guards: requests that are refused, and the security headers of every response.

Requests are refused by method, length, host name and body, before any page reads them. Starlette's
own guard of hosts answers 400, and cannot allow all IP addresses but refuse unknown names.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = ("GET", "HEAD")
# In bytes, as they come: twenty formulas fit.
LONGEST_ADDRESS = 16_000
# Names by which a machine calls itself.
OWN_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
# Which names are let in where every address is: a browser that was lied to about a name sends it.
ANY_ADDRESS = "any address"

_HOST = re.compile(r"(?:\[([0-9a-f:.%]{2,60})\]|([0-9a-z._-]{1,253}))(?::[0-9]{1,5})?", re.I)

# Who may show a page within one of theirs.
_NOBODY, _ANYBODY = "frame-ancestors 'none'", "frame-ancestors *"
# Nothing inline and nothing from elsewhere; a page asks this server alone.
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        _NOBODY,
        "base-uri 'none'",
    )
)
HEADERS = (
    # A browser asks again whether what it keeps is still so.
    ("cache-control", "no-cache"),
    ("vary", "accept, accept-language"),
    ("content-security-policy", _POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
)
# What others may show within their pages is guarded otherwise.
_OF_FRAMES = {"content-security-policy", "x-frame-options", "cross-origin-resource-policy"}
FRAMED = (
    *(pair for pair in HEADERS if pair[0] not in _OF_FRAMES),
    ("content-security-policy", _POLICY.replace(_NOBODY, _ANYBODY)),
    ("cross-origin-resource-policy", "cross-origin"),
)


@dataclass
class Guards:
    """Middleware that refuses requests and adds security headers."""

    app: ASGIApp
    hosts: Collection[str]
    """The hosts by which the server can be addressed."""
    refused: Callable[[int, Scope], Response]
    """Makes the page of a status."""
    framed: bool = False
    """Whether other sites can frame the pages."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on."""
        status = None
        if scope["type"] == "http":
            send = guarded(send, FRAMED if self.framed else HEADERS)
            status = self._why_not(scope)
        answer = self.app if status is None else self.refused(status, scope)
        await answer(scope, receive, send)

    def _why_not(self, scope: Scope) -> int | None:
        """Return the status of a refused request, None if it is allowed."""
        headers = Headers(scope=scope)
        if not self._knows(host_of(scope)):
            return 421
        if scope["method"] not in METHODS:
            return 405
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_ADDRESS:
            return 414
        lengths = headers.getlist("content-length")
        sends = "transfer-encoding" in headers or any(each.strip("0 ") for each in lengths)
        return 413 if sends else None

    def _knows(self, host: str) -> bool:
        hosts = {host.casefold() for host in self.hosts}
        return host != "" and (host in hosts or (ANY_ADDRESS in hosts and _is_address(host)))


def host_of(scope: Scope) -> str:
    """Return the host name of a request without its port, `` if it has none or an invalid one.

    >>> host_of({"type": "http", "headers": [(b"host", b"Maths.example.:8024")]})
    'maths.example'
    """
    hosts = Headers(scope=scope).getlist("host")
    found = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
    return (found[1] or found[2]).casefold().removesuffix(".") if found else ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def guarded(send: Send, added: Sequence[tuple[str, str]] = HEADERS) -> Send:
    """Return a function that sends an answer with some headers added."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in added:
                headers.setdefault(name, value)
        await send(message)

    return sent
