"""Refuse bad requests, and add security headers to every response.

Requests are refused by host name, method, length and body, before any page reads them. Starlette's
TrustedHostMiddleware is not used: it cannot allow all IP addresses and refuse unknown names.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

METHODS = ("GET", "HEAD")
# The maximum length of an encoded path with its query, in bytes; enough for 20 formulas.
MAX_ADDRESS_LENGTH = 16_000
# Names of the local machine.
OWN_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
# An entry of `hosts` that allows every IP address. Names must still be listed, which prevents DNS
# rebinding: there the browser sends the name of the attacker.
ANY_ADDRESS = "any address"

_HOST = re.compile(r"(?:\[([0-9a-f:.%]{2,60})\]|([0-9a-z._-]{1,253}))(?::[0-9]{1,5})?", re.I)

# Which sites can frame the pages.
_NO_FRAMES = "frame-ancestors 'none'"
_ALL_FRAMES = "frame-ancestors *"
# Pages have no inline scripts or styles, and load only from this server.
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        _NO_FRAMES,
        "base-uri 'none'",
    )
)
SECURITY_HEADERS = (
    # Browsers must check that a cached response is still valid.
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
# Headers that differ for pages which other sites can frame.
_FRAME_HEADERS = {"content-security-policy", "x-frame-options", "cross-origin-resource-policy"}
EMBED_HEADERS = (
    *(pair for pair in SECURITY_HEADERS if pair[0] not in _FRAME_HEADERS),
    ("content-security-policy", _POLICY.replace(_NO_FRAMES, _ALL_FRAMES)),
    ("cross-origin-resource-policy", "cross-origin"),
)


@dataclass
class Guards:
    """Middleware that refuses requests and adds security headers."""

    app: ASGIApp
    hosts: Collection[str]
    """The allowed host names and IP addresses, and `ANY_ADDRESS` for all IP addresses."""
    refuse: Callable[[int, Scope], Response]
    """Returns the error page for an HTTP status."""
    embed: bool = False
    """Whether other sites can frame the pages."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on to the pages; add security headers to the response."""
        status = None
        if scope["type"] == "http":
            send = with_headers(send, EMBED_HEADERS if self.embed else SECURITY_HEADERS)
            status = self._refusal_status(scope)
        # A response is an ASGI application, too.
        app = self.app if status is None else self.refuse(status, scope)
        await app(scope, receive, send)

    def _refusal_status(self, scope: Scope) -> int | None:
        """Return the HTTP status with which a request is refused, or None if it is allowed.

        These are refused: hosts that are not in `hosts` (421), methods other than GET and HEAD
        (405), addresses of more than 16,000 bytes (414), and requests with a body (413).
        """
        headers = Headers(scope=scope)
        if not self._allows_host(host_of(scope)):
            return 421
        if scope["method"] not in METHODS:
            return 405
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MAX_ADDRESS_LENGTH:
            return 414
        # A length of zeros, such as "0", means no body.
        lengths = headers.getlist("content-length")
        has_length = any(length.strip("0 ") for length in lengths)
        return 413 if has_length or "transfer-encoding" in headers else None

    def _allows_host(self, host: str) -> bool:
        """Return whether requests for a host, a name or an IP address in lower case, are allowed.

        An empty text, for a request without a valid host, is not allowed.
        """
        if host == "":
            return False
        allowed_hosts = {allowed_host.casefold() for allowed_host in self.hosts}
        return host in allowed_hosts or (ANY_ADDRESS in allowed_hosts and _is_address(host))


def host_of(scope: Scope) -> str:
    """Return the name or IP address of the server that a request is for, from its header `Host`.

    It is in lower case, without its port and without a dot at the end. It is "" if the request has
    no such header, an invalid one, or several of them.

    >>> host_of({"type": "http", "headers": [(b"host", b"Maths.example.:8024")]})
    'maths.example'
    """
    hosts = Headers(scope=scope).getlist("host")
    match = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
    return (match[1] or match[2]).casefold().removesuffix(".") if match else ""


def _is_address(name: str) -> bool:
    """Return whether the name of a host is an IP address.

    >>> _is_address("192.0.2.7"), _is_address("maths.example")
    (True, False)
    """
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def with_headers(send: Send, added: Sequence[tuple[str, str]] = SECURITY_HEADERS) -> Send:
    """Return a function that works like `send`, but first adds headers to the response.

    Args:
        send: The ASGI function that sends a message of a response.
        added: The names and values of the headers. A header that the response has stays as it is.
    """

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in added:
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers
