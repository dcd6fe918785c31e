"""Refuse bad requests, remove roots from paths, and add security headers to every response."""

import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crisps24.errors import RefusedError
from crisps24.pages.requests import refusal_status, security_headers

Network = IPv4Network | IPv6Network

OWN_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
# An entry of `hosts` that allows every IP address. Names must still be listed, which prevents DNS
# rebinding: there the browser sends the name of the attacker.
ANY_ADDRESS = "any address"
# Key of a request that `Guards` passes on: the path prefix of the addresses in its response.
ROOT_KEY = "crisps24.root"
_ROOT = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[0-9A-Za-z._~-]+)+")
_MAX_ROOT_LENGTH = 200
_UNKNOWN_SIZE = 10**16
_HOST = re.compile(r"(?:\[([0-9a-f:.%]{2,60})\]|([0-9a-z._-]{1,253}))(?::[0-9]{1,5})?", re.I)
SECURITY_HEADERS, EMBED_HEADERS = security_headers(), security_headers("*")


@dataclass
class Guards:
    """Middleware that refuses requests, removes the root of their paths, and adds headers."""

    app: ASGIApp
    hosts: Collection[str]
    """The allowed host names and IP addresses, and `ANY_ADDRESS` for all IP addresses."""
    refuse: Callable[[int, Scope], Response]
    root: str = ""
    """The path prefix of the pages, such as /crisps; a proxy can have removed it already."""
    proxies: Collection[Network] = ()
    """The networks of proxies, which can send another root in the header X-Forwarded-Prefix."""
    embed: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in (EMBED_HEADERS if self.embed else SECURITY_HEADERS).items():
                    headers.setdefault(name, value)
                if {"content-length", "transfer-encoding"} <= set(Headers(scope=scope)):
                    # A proxy can have used the other length: what follows can be the body.
                    headers["connection"] = "close"
            await send(message)

        try:
            scope, status = self._without_root(scope), None
        except RefusedError:
            scope, status = {**scope, ROOT_KEY: ""}, 400
        status = status or self._refusal_status(scope)
        # A response is an ASGI application, too.
        app = self.app if status is None else self.refuse(status, scope)
        await app(scope, receive, send_with_headers)

    def _without_root(self, scope: Scope) -> Scope:
        root, client = self.root, scope.get("client")
        prefixes = Headers(scope=scope).getlist("x-forwarded-prefix")
        if prefixes and client and is_in_networks(client[0], self.proxies):
            # Several headers mean a list with commas, by RFC 9110: it is not a root.
            root = parse_root(", ".join(prefixes))
        path = scope["path"]
        if path == root or path.startswith(f"{root}/"):
            path = path.removeprefix(root) or "/"
        return {**scope, ROOT_KEY: root, "path": path}

    def _refusal_status(self, scope: Scope) -> int | None:
        headers = Headers(scope=scope)
        if not self._allows_host(host_of(scope)):
            return 421
        length = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        stated = headers.get("content-length", "0")
        # A body without a length is not read.
        size = int(stated) if stated.isdecimal() and len(stated) < 16 else _UNKNOWN_SIZE
        if "transfer-encoding" in headers:
            size = _UNKNOWN_SIZE
        return refusal_status(scope["path"], scope["method"], length, size)

    def _allows_host(self, host: str) -> bool:
        if host in {name.casefold() for name in self.hosts}:
            return True
        with suppress(ValueError):
            return ANY_ADDRESS in self.hosts and bool(ip_address(host))
        return False


def host_of(scope: Scope) -> str:
    """Return the host of a request in lower case, without its port; empty if it is not clear."""
    hosts = Headers(scope=scope).getlist("host")
    match = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
    return (match[1] or match[2]).casefold().removesuffix(".") if match else ""


def parse_root(text: str) -> str:
    """Return the path under which a proxy has the pages, without a slash at its end."""
    root = text.removesuffix("/")
    if len(root) > _MAX_ROOT_LENGTH or (root and not _ROOT.fullmatch(root)):
        raise RefusedError(f"invalid root {text[:40]!r} (expected a path such as /crisps)")
    return root


def parse_networks(texts: Sequence[str]) -> list[Network]:
    networks = []
    for text in texts:
        try:
            networks.append(ip_network(text, strict=False))
        except ValueError:
            expected = "expected an address or a network, such as 172.17.0.1 or 172.17.0.0/16"
            raise RefusedError(f"invalid network {text[:60]!r} ({expected})") from None
    return networks


def is_in_networks(address: str, networks: Collection[Network]) -> bool:
    """Return whether an IP address is in any of the networks, also as IPv4 in the form of IPv6.

    >>> is_in_networks("::ffff:10.0.0.7", parse_networks(["10.0.0.0/8"]))
    True
    """
    with suppress(ValueError):
        parsed = ip_address(address)
        parsed = getattr(parsed, "ipv4_mapped", None) or parsed
        return any(parsed in network for network in networks)
    return False
