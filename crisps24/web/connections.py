"""Connections: limits on their number and time, and the end of the server.

A client that sends no request, that sends or reads slowly, or that comes when there are too many,
is disconnected. uvicorn's own limits answer 503 and wait forever for slow clients.
"""

import asyncio
import logging
import signal
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from socket import socket
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from crisps24.web.roots import Network

# At once: fewer than the files that any system gives a process; a browser opens some six.
MOST_CONNECTIONS = 200
# Of these, from one address.
MOST_OF_ONE = 100
# Seconds to ask in, and as many for the answer to be read; working it out has its own.
REQUEST_TIMEOUT = 30.0


class Connection(H11Protocol):
    """A connection of uvicorn that ends if the client takes too long."""

    proxies: Collection[Network] = ()
    """The networks of proxies, which have no limit of connections."""
    counted: object = None
    """The key that the connections of one client share, if they are limited."""
    _watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn says it
        """Take a connection, or hang up where there are too many."""
        super().connection_made(transport)
        self.counted = _counted(self.client, self.proxies)
        alike = [getattr(each, "counted", None) == self.counted for each in self.connections]
        too_many = self.counted is not None and sum(alike) > MOST_OF_ONE
        if too_many or len(alike) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeout."""
        super().connection_lost(exc)
        if self._watch is not None:
            self._watch.cancel()

    def on_response_complete(self) -> None:
        """Start the timeout of the next request, and of reading the response."""
        super().on_response_complete()
        self._wait()

    def _wait(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        self._watch = self.loop.call_later(REQUEST_TIMEOUT, self._hang_up)

    def _hang_up(self) -> None:
        """Disconnect the client, unless the server is still working on the response."""
        if self.cycle is not None and not self.cycle.response_started:
            self._wait()
        else:
            self.transport.abort()


def _counted(client: tuple[str, int] | None, proxies: Collection[Network]) -> object:
    """Return the key by which connections are counted; None for clients without a limit."""
    if client is None:
        return None
    address = ip_address(client[0])
    address = getattr(address, "ipv4_mapped", None) or address
    if address.is_loopback or any(address in each for each in proxies):
        return None
    # Who has an address of version 6 has all those of which the first half is the same.
    return address if address.version == 4 else int(address) >> 64


class Server(uvicorn.Server):
    """A server that also ends when its terminal is closed, and that ends without complaint."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle SIGHUP like Ctrl-C, unless it is ignored, as after nohup."""
        number = getattr(signal, "SIGHUP", signal.SIGTERM)
        with super().capture_signals():
            before = signal.getsignal(number)
            if threading.current_thread() is not threading.main_thread() or not callable(before):
                yield
                return
            signal.signal(number, self.handle_exit)
            try:
                yield
            finally:
                # What came is raised anew once uvicorn has ended.
                signal.signal(number, before)

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """End, without errors about the clients that are disconnected."""
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)


def config_of(application: Any, grace: int, proxies: Collection[Network] = ()) -> uvicorn.Config:
    """Return the configuration of a server that ends within `grace` seconds."""
    return uvicorn.Config(
        application,
        http=type("Proxied", (Connection,), {"proxies": proxies}),
        log_level="error",
        access_log=False,
        # Whose word is taken is said by `proxies` alone: an address stays what it is.
        proxy_headers=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=grace,
    )
