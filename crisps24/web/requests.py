"""Handle requests with an absolute address or with two lengths, by the rules of RFC 9112.

uvicorn passes both kinds of request on unchanged.
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from crisps24.web.guards import with_headers

# An address with its scheme and host, as clients send it to a proxy.
_ABSOLUTE = re.compile(rb"https?://([^/]*)(/.*)?", re.I | re.S)
_CLOSE = (("connection", "close"),)


@dataclass
class Requests:
    """Middleware that follows sections 3.2.2 and 6.1 of RFC 9112."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, with an address that is a path.

        If the request states its length in two ways, close the connection after the response.
        """
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            if "content-length" in headers and "transfer-encoding" in headers:
                # A proxy can have used the other length, so that later bytes belong to the body.
                send = with_headers(send, _CLOSE)
            scope = in_origin_form(scope)
        await self.app(scope, receive, send)


def in_origin_form(scope: Scope) -> Scope:
    """Return a request in which an address such as `http://host/path` is replaced by its path.

    The host of the address becomes the header `Host`. A request with any other address, such as a
    path or `*`, is returned unchanged.

    >>> scope = {"raw_path": b"http://me:8024/play", "headers": [(b"host", b"you")]}
    >>> in_origin_form(scope)["path"], in_origin_form(scope)["headers"]
    ('/play', [(b'host', b'me:8024')])
    """
    match = _ABSOLUTE.fullmatch(scope.get("raw_path") or b"")
    if match is None:
        return scope
    host, path = match[1], match[2] or b"/"
    other_headers = [(name, value) for name, value in scope["headers"] if name != b"host"]
    return {
        **scope,
        "path": unquote(path.decode("ascii")),
        "raw_path": path,
        "headers": [(b"host", host), *other_headers],
    }
