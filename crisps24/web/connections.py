"""Limit the number and duration of connections, and shut the server down.

A client is disconnected if it sends no request, sends or reads slowly, or connects when there are
too many connections. uvicorn's own limits reply 503 and wait forever for slow clients.
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

# Connections at once: below every system's limit of open files per process (256 or more). A
# browser opens about six.
MAX_CONNECTIONS = 200
# Connections at once from one address.
MAX_CONNECTIONS_PER_CLIENT = 100
# Seconds to send a request, and seconds to read the response. Computing has its own limit.
REQUEST_TIMEOUT = 30.0


class Connection(H11Protocol):
    """A uvicorn connection with a timeout and a limit per client."""

    proxies: Collection[Network] = ()
    """The networks of proxies, which can open any number of connections."""
    client_key: object = None
    """The key that all connections of a client share; None for a client without a limit."""
    _timeout: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn says it
        """Accept a new connection, or disconnect it.

        It is disconnected if its client has more than 100 connections, or if all clients together
        have more than 200.
        """
        super().connection_made(transport)
        key = self.client_key = _client_key(self.client, self.proxies)
        # The connections of all clients include this one.
        client_keys = [getattr(connection, "client_key", None) for connection in self.connections]
        has_too_many = key is not None and client_keys.count(key) > MAX_CONNECTIONS_PER_CLIENT
        if has_too_many or len(client_keys) > MAX_CONNECTIONS:
            transport.abort()
        else:
            self._start_timeout()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeout of a connection that has ended."""
        super().connection_lost(exc)
        if self._timeout is not None:
            self._timeout.cancel()

    def on_response_complete(self) -> None:
        """Start the timeout for reading the response and sending the next request."""
        super().on_response_complete()
        self._start_timeout()

    def _start_timeout(self) -> None:
        """Disconnect the client in 30 seconds, unless this is called again before."""
        if self._timeout is not None:
            self._timeout.cancel()
        self._timeout = self.loop.call_later(REQUEST_TIMEOUT, self._disconnect)

    def _disconnect(self) -> None:
        """Disconnect the client, or start the timeout again while the response is computed.

        `cycle` is the request that uvicorn handles now, or None before the first.
        """
        if self.cycle is not None and not self.cycle.response_started:
            self._start_timeout()
        else:
            self.transport.abort()


def _client_key(client: tuple[str, int] | None, proxies: Collection[Network]) -> object:
    """Return a key that all connections of a client share, by which they are counted.

    The key is the address of the client, or the first half of an IPv6 address. It is None, which
    means that connections are not limited, for this machine, a proxy and an unknown client.

    Args:
        client: The IP address and the port of the client, or None if they are unknown.
        proxies: The networks of the proxies.

    >>> _client_key(("2001:db8::7", 5000), ()) == _client_key(("2001:db8::8", 5001), ())
    True
    """
    if client is None:
        return None
    address = ip_address(client[0])
    address = getattr(address, "ipv4_mapped", None) or address
    if address.is_loopback or any(address in network for network in proxies):
        return None
    # A client with an IPv6 address usually owns all addresses with the same first 64 bits.
    return address if address.version == 4 else int(address) >> 64


class Server(uvicorn.Server):
    """A server that also stops when its terminal is closed, and that stops without errors."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop the server when its terminal is closed, in the same way as at Ctrl-C.

        The signal of a closed terminal is SIGHUP. It stays ignored if it was before, as after the
        command nohup. Windows does not have this signal.
        """
        hangup_signal = getattr(signal, "SIGHUP", signal.SIGTERM)
        with super().capture_signals():
            old_handler = signal.getsignal(hangup_signal)
            # Only the main thread can set handlers. A handler that is not callable ignores.
            is_main_thread = threading.current_thread() is threading.main_thread()
            if not is_main_thread or not callable(old_handler):
                yield
                return
            signal.signal(hangup_signal, self.handle_exit)
            try:
                yield
            finally:
                # uvicorn raises the signal again at its end, for this handler.
                signal.signal(hangup_signal, old_handler)

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """Stop the server, without logging errors about clients that are disconnected."""
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        await super().shutdown(sockets)


def make_config(application: Any, grace: int, proxies: Collection[Network] = ()) -> uvicorn.Config:
    """Return the configuration of a uvicorn server with the limits of `Connection`.

    Args:
        application: the ASGI application.
        grace: the maximum number of seconds for open requests when the server stops.
        proxies: the networks of proxies, which can open any number of connections.
    """
    return uvicorn.Config(
        application,
        # uvicorn makes a connection from a class only: a subclass has the proxies.
        http=type("Proxied", (Connection,), {"proxies": proxies}),
        log_level="error",
        access_log=False,
        # Never replace the address of a client by a header: only `proxies` are trusted.
        proxy_headers=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=grace,
    )
