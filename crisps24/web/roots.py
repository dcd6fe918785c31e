"""Roots: the path under which a proxy serves the pages.

The pages use addresses that start at `/`. The root is added to each response, so that a cached
response fits every root.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crisps24.errors import RefusedError
from crisps24.web.guards import guarded

Network = IPv4Network | IPv6Network

# A header by which a proxy tells what it has taken away of a path.
_PREFIX = "x-forwarded-prefix"
_LONGEST_ROOT = 200
_ROOT = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[0-9A-Za-z._~-]+)+")
# Attributes that are addresses. What a person wrote has no quotes of its own in a page.
_ADDRESS = re.compile(rb'(\s(?:href|src|action|formaction|data-copy)=")/(?!/)')


def parse_root(text: str) -> str:
    """Return a root without a slash at its end; `` for `/`.

    >>> parse_root("/crisps/"), parse_root("/")
    ('/crisps', '')

    Raises ValueError, in one sentence, for what is none.
    """
    root = text.removesuffix("/")
    if len(root) > _LONGEST_ROOT or not (root == "" or _ROOT.fullmatch(root)):
        raise RefusedError(f"{text[:40]!r} is no path to hang pages under: /crisps is one")
    return root


def parse_networks(texts: Sequence[str]) -> tuple[Network, ...]:
    """Return the networks of some texts, each of which may be a single address.

    Raises ValueError, in one sentence, for what is none.
    """
    found = []
    for text in texts:
        try:
            found.append(ip_network(text, strict=False))
        except ValueError:
            told = "is no address and no network; 172.17.0.1 and 172.17.0.0/16 are"
            raise RefusedError(f"{text[:60]!r} {told}") from None
    return tuple(found)


def is_of(address: str, networks: Sequence[Network]) -> bool:
    """Return whether an address is one of some networks.

    >>> is_of("::ffff:10.0.0.7", parse_networks(["10.0.0.0/8"])), is_of("unix:", ())
    (True, False)
    """
    try:
        found = ip_address(address)
    except ValueError:
        return False
    found = getattr(found, "ipv4_mapped", None) or found
    return any(found in each for each in networks)


@dataclass
class Rooted:
    """Middleware that adds a root to an application without one."""

    app: ASGIApp
    root: str
    proxies: Sequence[Network]
    """The networks of proxies that can send another root."""
    refused: Callable[[int, Scope], Response]
    """Makes the page of a status."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Remove the root from a request, and add it to the response."""
        try:
            root = self._root_of(scope) if scope["type"] == "http" else ""
        except RefusedError:
            await self.refused(400, scope)(scope, receive, guarded(send))
            return
        if root:
            scope, send = _without(root, scope), _moved(root, send)
        await self.app(scope, receive, send)

    def _root_of(self, scope: Scope) -> str:
        """Return the root of a request; raise ValueError if a proxy sends an invalid one."""
        told = Headers(scope=scope).getlist(_PREFIX)
        client = scope.get("client")
        if told and client and is_of(client[0], self.proxies):
            return parse_root(", ".join(told))
        return self.root


def _without(root: str, scope: Scope) -> Scope:
    """Return a request without the root, which some proxies remove themselves."""
    path, raw = scope["path"], scope.get("raw_path") or b""
    if path != root and not path.startswith(f"{root}/"):
        return scope
    # A root has nothing that is written otherwise in an address.
    return {**scope, "path": path[len(root) :] or "/", "raw_path": raw[len(root) :] or b"/"}


def _moved(root: str, send: Send) -> Send:
    """Return a function that sends an answer with its addresses under a root."""
    begun: list[Message] = []
    parts: list[bytes] = []

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if headers.get("location", "").startswith("/"):
                headers["location"] = root + headers["location"]
            if headers.get("content-type", "").startswith("text/html"):
                begun.append(message)
                return
        elif begun:
            parts.append(message.get("body", b""))
            if message.get("more_body"):
                return
            # The length is known once the addresses are as long as they will be.
            body = _ADDRESS.sub(rb"\g<1>" + root.encode() + b"/", b"".join(parts))
            MutableHeaders(scope=begun[0])["content-length"] = str(len(body))
            await send(begun.pop())
            message = {"type": "http.response.body", "body": body}
        await send(message)

    return sent
