"""Serve the pages under a path prefix, the root, such as /crisps behind a proxy.

The pages use addresses that start at `/`. The root is added to each response when it is sent, so
that a cached response fits every root.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crisps24.errors import RefusedError
from crisps24.web.guards import with_headers

Network = IPv4Network | IPv6Network

# The header with the prefix that a proxy removed from the path.
_PREFIX_HEADER = "x-forwarded-prefix"
_MAX_ROOT_LENGTH = 200
_ROOT = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[0-9A-Za-z._~-]+)+")
# HTML attributes with an address. Text of users cannot match, since its quotes are escaped.
_ADDRESS = re.compile(rb'(\s(?:href|src|action|formaction|data-copy)=")/(?!/)')


def parse_root(text: str) -> str:
    """Return a root without the slash at its end; `/` and an empty text give the empty string.

    >>> parse_root("/crisps/"), parse_root("/")
    ('/crisps', '')

    Raises RefusedError if any other text does not start with `/`, has more than 200 characters, or
    has a segment that is empty, `.`, `..`, or not of letters, digits, `.`, `_`, `~` and `-`.
    """
    root = text.removesuffix("/")
    if len(root) > _MAX_ROOT_LENGTH or not (root == "" or _ROOT.fullmatch(root)):
        raise RefusedError(f"invalid root {text[:40]!r} (expected a path such as /crisps)")
    return root


def parse_networks(texts: Sequence[str]) -> tuple[Network, ...]:
    """Return the networks of texts such as `172.17.0.0/16` or, for one address, `172.17.0.1`.

    Raises RefusedError for any other text.
    """
    networks = []
    for text in texts:
        try:
            networks.append(ip_network(text, strict=False))
        except ValueError:
            expected = "expected an address or a network, such as 172.17.0.1 or 172.17.0.0/16"
            raise RefusedError(f"invalid network {text[:60]!r} ({expected})") from None
    return tuple(networks)


def is_in_networks(address: str, networks: Sequence[Network]) -> bool:
    """Return whether an IP address is in a network; False for a text that is not an IP address.

    An IPv4 address in the form of IPv6 counts as IPv4.

    >>> is_in_networks("::ffff:10.0.0.7", parse_networks(["10.0.0.0/8"]))
    True
    >>> is_in_networks("unix:", ())
    False
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    parsed = getattr(parsed, "ipv4_mapped", None) or parsed
    return any(parsed in network for network in networks)


@dataclass
class PrefixMiddleware:
    """Middleware that removes a root from requests and adds it to responses."""

    app: ASGIApp
    root: str
    proxies: Sequence[Network]
    """The networks of proxies, which can send another root in a header."""
    refuse: Callable[[int, Scope], Response]
    """Returns the error page for an HTTP status."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Remove the root from a request, and add it to the response."""
        try:
            root = self._root_of(scope) if scope["type"] == "http" else ""
        except RefusedError:
            await self.refuse(400, scope)(scope, receive, with_headers(send))
            return
        if root:
            scope, send = _remove_root(root, scope), _add_root(root, send)
        await self.app(scope, receive, send)

    def _root_of(self, scope: Scope) -> str:
        """Return the root of a request; raise RefusedError if a proxy sends an invalid one."""
        prefixes = Headers(scope=scope).getlist(_PREFIX_HEADER)
        client = scope.get("client")
        if prefixes and client and is_in_networks(client[0], self.proxies):
            return parse_root(", ".join(prefixes))
        return self.root


def _remove_root(root: str, scope: Scope) -> Scope:
    """Return a request without the root, which some proxies have already removed."""
    path, raw = scope["path"], scope.get("raw_path") or b""
    if path != root and not path.startswith(f"{root}/"):
        return scope
    # The encoded path has the same prefix, since a root has no characters that are encoded.
    return {**scope, "path": path[len(root) :] or "/", "raw_path": raw[len(root) :] or b"/"}


def _add_root(root: str, send: Send) -> Send:
    """Return a function that sends a response with a root added to its addresses.

    These are the header Location and attributes of HTML, which is sent when it is complete.
    """
    held_start: list[Message] = []
    chunks: list[bytes] = []

    async def send_with_root(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            if headers.get("location", "").startswith("/"):
                headers["location"] = root + headers["location"]
            if headers.get("content-type", "").startswith("text/html"):
                # The header with the length is sent after the addresses have changed.
                held_start.append(message)
                return
        elif held_start:
            chunks.append(message.get("body", b""))
            if message.get("more_body"):
                return
            body = _ADDRESS.sub(rb"\g<1>" + root.encode() + b"/", b"".join(chunks))
            MutableHeaders(scope=held_start[0])["content-length"] = str(len(body))
            await send(held_start.pop())
            message = {"type": "http.response.body", "body": body}
        await send(message)

    return send_with_root
