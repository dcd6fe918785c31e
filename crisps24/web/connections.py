"""Connections: how many there may be at once, and who is hung up on.

Owns what an application is never told of: who connects and asks nothing, who asks or reads too
slowly, and who comes when there are too many.
"""

import asyncio
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

# At once: fewer than the files that any system gives a process; a browser opens some six.
MOST_CONNECTIONS = 200
# Seconds to ask in, and as many for the answer to be read; working it out has its own.
PATIENCE = 30.0


class Connection(H11Protocol):
    """A connection as uvicorn has it, that ends where the other side takes too long."""

    _watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn says it
        """Take a connection, or hang up where there are too many."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        super().connection_lost(exc)
        if self._watch is not None:
            self._watch.cancel()

    def on_response_complete(self) -> None:
        """Begin to wait for the next question, and for the answer to be read."""
        super().on_response_complete()
        self._wait()

    def _wait(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
        self._watch = self.loop.call_later(PATIENCE, self._hang_up)

    def _hang_up(self) -> None:
        """End what has taken too long, unless it is this side that is at work."""
        if self.cycle is not None and not self.cycle.response_started:
            self._wait()
        else:
            self.transport.abort()


def config_of(application: Any, grace: int) -> uvicorn.Config:
    """Return how an application is served; `grace` are the seconds that it has to end in."""
    return uvicorn.Config(
        application,
        http=Connection,
        log_level="error",
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=grace,
    )
