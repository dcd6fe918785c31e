"""Limit the number and duration of connections: uvicorn waits forever for slow clients."""

import asyncio
from collections.abc import Collection
from ipaddress import ip_address

from uvicorn.protocols.http.h11_impl import H11Protocol

from crisps24.web.guards import Network, is_in_networks, parse_networks

# Connections at once: below every system's limit of open files per process (256 or more).
MAX_CONNECTIONS = 200
# Connections at once from one address of another machine. A browser opens about six.
MAX_CONNECTIONS_PER_CLIENT = 100
# Seconds to send a request, and seconds to read the response. Computing has its own limit.
REQUEST_TIMEOUT = 30.0
_OWN_NETWORKS = parse_networks(["127.0.0.0/8", "::1"])


class Connection(H11Protocol):
    """A uvicorn connection with a timeout and limits: above them it is disconnected."""

    proxies: Collection[Network] = ()
    client_key: object = None
    _timeout: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn says it
        super().connection_made(transport)
        key = self.client_key = _client_key(self.client, self.proxies)
        keys = [getattr(connection, "client_key", None) for connection in self.connections]
        has_too_many = key is not None and keys.count(key) > MAX_CONNECTIONS_PER_CLIENT
        if has_too_many or len(keys) > MAX_CONNECTIONS:
            transport.abort()
        else:
            self._start_timeout()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._timeout is not None:
            self._timeout.cancel()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._start_timeout()

    def _start_timeout(self) -> None:
        if self._timeout is not None:
            self._timeout.cancel()
        self._timeout = self.loop.call_later(REQUEST_TIMEOUT, self._disconnect)

    def _disconnect(self) -> None:
        """Disconnect the client, or wait on while the response is computed."""
        if self.cycle is not None and not self.cycle.response_started:
            self._start_timeout()
        else:
            self.transport.abort()


def _client_key(client: tuple[str, int] | None, proxies: Collection[Network]) -> object:
    """Return what all connections of a client share, or None for this machine and for proxies."""
    if client is None or is_in_networks(client[0], [*_OWN_NETWORKS, *proxies]):
        return None
    address = ip_address(client[0])
    address = getattr(address, "ipv4_mapped", None) or address
    # A client with an IPv6 address usually owns all addresses with the same first 64 bits.
    return address if address.version == 4 else int(address) >> 64
