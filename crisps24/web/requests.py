"""Requests that HTTP treats specially: addresses in absolute form, and bodies with two lengths.

RFC 9112 has the rules. uvicorn passes both kinds of request on as they came.
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from crisps24.web.guards import guarded

# An address with its scheme and host, as clients send it to a proxy.
_ABSOLUTE = re.compile(rb"https?://([^/]*)(/.*)?", re.I | re.S)
_CLOSE = (("connection", "close"),)


@dataclass
class Requests:
    """Middleware that follows sections 3.2.2 and 6.1 of RFC 9112."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on in origin form; close its connection if its length is ambiguous."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            if "content-length" in headers and "transfer-encoding" in headers:
                # A proxy may have used the other length: what follows can be part of the body.
                send = guarded(send, _CLOSE)
            scope = in_origin_form(scope)
        await self.app(scope, receive, send)


def in_origin_form(scope: Scope) -> Scope:
    """Return a request whose address is a path; the host of an absolute address replaces `Host`.

    >>> scope = {"raw_path": b"http://me:8024/play", "headers": [(b"host", b"you")]}
    >>> in_origin_form(scope)["path"], in_origin_form(scope)["headers"]
    ('/play', [(b'host', b'me:8024')])
    """
    found = _ABSOLUTE.fullmatch(scope.get("raw_path") or b"")
    if found is None:
        return scope
    host, path = found[1], found[2] or b"/"
    headers = [pair for pair in scope["headers"] if pair[0] != b"host"]
    return {
        **scope,
        "path": unquote(path.decode("ascii")),
        "raw_path": path,
        "headers": [(b"host", host), *headers],
    }
