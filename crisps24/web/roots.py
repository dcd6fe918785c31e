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
_ADDRESS = re.compile(rb'(\s(?:href|src|action|formaction)=")/(?!/)')


def parse_root(text: str) -> str:
    """Return the root that a text states: the path under which a proxy has the pages.

    A slash at its end is removed, so the root `/` and an empty text give an empty text.

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
    """Return the IP networks that texts state.

    A text is a network such as `172.17.0.0/16`, or a single address such as `172.17.0.1`. Raises
    RefusedError for any other text.

    >>> [network.num_addresses for network in parse_networks(["172.17.0.0/16", "172.17.0.1"])]
    [65536, 1]
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
    """Return whether an IP address is in any of the networks.

    A text that is not an IP address is in no network. An IPv4 address in the form of IPv6 counts as
    IPv4.

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
        """Remove the root from the path of a request, and add it to the addresses in the response.

        A request with an invalid root from a proxy gets status 400.
        """
        try:
            root = self._root_of(scope) if scope["type"] == "http" else ""
        except RefusedError:
            await self.refuse(400, scope)(scope, receive, with_headers(send))
            return
        if root:
            scope, send = _remove_root(root, scope), _add_root(root, send)
        await self.app(scope, receive, send)

    def _root_of(self, scope: Scope) -> str:
        """Return the root of a request: the one that its proxy sends, or else that of the server.

        Only the proxies that the server trusts can send a root, in a header. Raises RefusedError if
        such a root is invalid.
        """
        prefixes = Headers(scope=scope).getlist(_PREFIX_HEADER)
        client = scope.get("client")
        if prefixes and client and is_in_networks(client[0], self.proxies):
            # Several headers mean a list with commas, by RFC 9110: it is not a root.
            return parse_root(", ".join(prefixes))
        return self.root


def _remove_root(root: str, scope: Scope) -> Scope:
    """Return a request without the root at the start of its path.

    A path that does not start with the root stays, since some proxies have already removed it.

    >>> _remove_root("/crisps", {"path": "/crisps/play", "raw_path": b"/crisps/play"})
    {'path': '/play', 'raw_path': b'/play'}
    """
    path, encoded_path = scope["path"], scope.get("raw_path") or b""
    if path != root and not path.startswith(f"{root}/"):
        return scope
    # Both paths start with the root, since none of its characters is encoded.
    return {
        **scope,
        "path": path[len(root) :] or "/",
        "raw_path": encoded_path[len(root) :] or b"/",
    }


def _add_root(root: str, send: Send) -> Send:
    """Return a function that works like `send`, but adds a root to the addresses of the response.

    The addresses are in the header Location and in attributes of HTML, such as `href="/play"`,
    which becomes `href="/crisps/play"`. A response with HTML is sent when all of it is known, since
    its length changes.
    """
    # The first message of a response with HTML, with its headers, until its body is complete.
    held_start: list[Message] = []
    # The parts of its body.
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
