"""Connections that are idle, slow or too many are closed, and others get responses."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn
from uvicorn.protocols.http import h11_impl

from crisps24.web import connections
from crisps24.web.application import make_server
from crisps24.web.guards import parse_networks

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
# Seconds to send a request, instead of 30.
TIMEOUT = 0.7
MAX_CONNECTIONS = 6
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def application(scope: dict[str, Any], _: object, send: Callable[..., Any]) -> None:
    """Reply to `/1.5` after 1.5 seconds, and to `/large` with 30 MB, more than buffers hold."""
    if scope["type"] != "http":
        return
    path = scope["path"][1:]
    body = b"y" * 30_000_000 if path == "large" else b"well"
    await asyncio.sleep(float(path) if path not in ("", "large") else 0)
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@dataclass
class Connect:
    """Connect to a server: `await connect()`."""

    server: uvicorn.Server
    opened: list[Streams] = field(default_factory=list)

    async def __call__(self, client: str = "127.0.0.1") -> Streams:
        port = self.server.servers[0].sockets[0].getsockname()[1]
        streams = await asyncio.open_connection("127.0.0.1", port, local_addr=(client, 0))
        self.opened.append(streams)
        return streams

    async def until_open(self, count: int) -> None:
        while len(self.server.server_state.connections) > count:
            await asyncio.sleep(0.01)


def run_talk(talk: Callable[[Connect], Awaitable[None]], proxies: Sequence[str] = ()) -> None:
    """Run a server, and a conversation with it; fail if an exception is not handled."""
    # Exceptions of tasks that no code waits for.
    exceptions: list[dict[str, Any]] = []

    async def run() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: exceptions.append(context))
        server = make_server(application, 1, parse_networks(proxies))
        server.config.port = 0
        running = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        connect = Connect(server)
        try:
            async with asyncio.timeout(30):
                await talk(connect)
        finally:
            for _, writer in connect.opened:
                writer.transport.abort()
            server.should_exit = True
            await running

    asyncio.run(run())
    assert exceptions == []


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_TIMEOUT", TIMEOUT)
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", MAX_CONNECTIONS)


async def gets_response(client: Streams, path: bytes = b"/") -> bool:
    client[1].write(REQUEST.replace(b"/ ", path + b" ", 1))
    try:
        return (await client[0].readuntil(b"well")).startswith(b"HTTP/1.1 200")
    except (asyncio.IncompleteReadError, ConnectionError):
        return False


async def is_disconnected(client: Streams) -> bool:
    try:
        return await client[0].read() == b""
    except ConnectionError:
        return True


def in_talk(talk: Callable[[Connect], Awaitable[None]]) -> Callable[[], None]:
    """Make a test of a conversation with a server."""
    return lambda: run_talk(talk)


@in_talk
async def test_client_with_an_incomplete_request_is_disconnected(connect: Connect) -> None:
    clients = [await connect() for _ in range(3)]
    starts = (b"", b"GET / HTTP/1.1\r\nHost: loc", REQUEST[:-2])
    for client, data in zip(clients, starts, strict=True):
        client[1].write(data)
    assert await gets_response(await connect())
    assert all(await asyncio.gather(*map(is_disconnected, clients)))


@in_talk
async def test_client_that_sends_one_letter_at_a_time_is_disconnected(connect: Connect) -> None:
    client = await connect()
    assert await gets_response(client)
    ended = asyncio.create_task(is_disconnected(client))
    while not ended.done():
        client[1].write(b"a")
        await asyncio.sleep(0.02)
    assert await ended


@in_talk
async def test_client_that_waits_for_a_slow_response_is_not_disconnected(connect: Connect) -> None:
    client = await connect()
    assert await gets_response(client, b"/%g" % (3 * TIMEOUT))
    assert await gets_response(client)
    # Another does not read the response.
    reader, writer = await connect()
    writer.write(REQUEST.replace(b"/ ", b"/large ", 1))
    await connect.until_open(0)
    with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
        await reader.readexactly(30_000_000)


@in_talk
async def test_connection_above_limit_is_closed_until_others_end(connect: Connect) -> None:
    clients = [await connect() for _ in range(MAX_CONNECTIONS)]
    assert await is_disconnected(await connect())
    assert all([await gets_response(client) for client in clients])
    for client in clients:
        client[1].close()
        await client[1].wait_closed()
    await connect.until_open(0)
    assert await gets_response(await connect())


# The addresses that the server sees, by the address from which a test connects.
REMOTE_ADDRESSES = {
    **{"127.0.0.2": "192.0.2.2", "127.0.0.3": "::ffff:192.0.2.2", "127.0.0.4": "192.0.2.4"},
    **{"127.0.0.5": "2001:db8:1:2::5", "127.0.0.6": "2001:db8:1:2:ffff::6%eth0"},
    **{"127.0.0.7": "2001:db8:1:3::7", "127.0.0.8": "::ffff:127.0.0.1"},
}


@pytest.fixture
def remote_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    def remote_address(transport: asyncio.Transport) -> tuple[str, int] | None:
        client, port = transport.get_extra_info("peername")
        return None if client == "127.0.0.9" else (REMOTE_ADDRESSES.get(client, client), port)

    monkeypatch.setattr(h11_impl, "get_remote_addr", remote_address)
    monkeypatch.setattr(connections, "MAX_CONNECTIONS_PER_CLIENT", 2)


@pytest.mark.usefixtures("remote_clients")
@pytest.mark.parametrize(
    ("first", "second"),
    [("127.0.0.2", "127.0.0.3"), ("127.0.0.4", "127.0.0.4"), ("127.0.0.5", "127.0.0.6")],
)
def test_connection_above_the_limit_of_a_client_is_closed(first: str, second: str) -> None:
    async def talk(connect: Connect) -> None:
        clients = [await connect(first) for _ in range(2)]
        assert await is_disconnected(await connect(second))
        assert all([await gets_response(client) for client in clients])
        # Another client can connect, and so can this client when one of its connections has ended.
        assert await gets_response(await connect("127.0.0.7"))
        clients[0][1].close()
        await clients[0][1].wait_closed()
        await connect.until_open(2)
        assert await gets_response(await connect(second))

    run_talk(talk)


@pytest.mark.usefixtures("remote_clients")
@pytest.mark.parametrize(
    "client", ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.7", "127.0.0.8", "127.0.0.9"]
)
def test_local_clients_and_trusted_proxies_have_no_limit(client: str) -> None:
    async def talk(connect: Connect) -> None:
        clients = [await connect(client) for _ in range(5)]
        assert all([await gets_response(client) for client in clients])

    run_talk(talk, ["192.0.2.2", "2001:db8:1:2::1/48"])
