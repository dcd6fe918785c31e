"""Connections that ask nothing, or too slowly, or are too many: hung up on, others answered."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the pages need the extra `web`")

from uvicorn.protocols.http import h11_impl

from crisps24.web import connections
from crisps24.web.connections import Server, make_config
from crisps24.web.roots import parse_networks

ASKED = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
SLOW = 0.7
Lines = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Opened = Callable[..., Awaitable[Lines]]


async def application(scope: dict[str, Any], _: object, send: Callable[..., Any]) -> None:
    """Answer an address of seconds after that time; `/large` with more than anybody keeps."""
    if scope["type"] != "http":
        return
    path = scope["path"][1:]
    body = b"y" * 30_000_000 if path == "large" else b"well"
    await asyncio.sleep(float(path) if path not in ("", "large") else 0)
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def with_server(talk: Callable[[Opened], Awaitable[None]], proxies: Sequence[str] = ()) -> None:
    """Have something said to a server that runs as long."""
    # What went wrong where nobody waits for it.
    wrong: list[dict[str, Any]] = []

    async def here() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, told: wrong.append(told))
        config = make_config(application, 1, parse_networks(proxies))
        config.port = 0
        server = Server(config)
        running = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        lines: list[Lines] = []

        async def opened(place: str = "127.0.0.1") -> Lines:
            lines.append(await asyncio.open_connection("127.0.0.1", port, local_addr=(place, 0)))
            return lines[-1]

        try:
            async with asyncio.timeout(30):
                await talk(opened)
        finally:
            for _, writer in lines:
                writer.transport.abort()
            server.should_exit = True
            await running

    asyncio.run(here())
    assert wrong == []


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "REQUEST_TIMEOUT", SLOW)


async def is_answered(line: Lines, path: bytes = b"/") -> bool:
    line[1].write(ASKED.replace(b"/ ", path + b" ", 1))
    try:
        return (await line[0].readuntil(b"well")).startswith(b"HTTP/1.1 200")
    except (asyncio.IncompleteReadError, ConnectionError):
        return False


async def hung_up(line: Lines) -> bool:
    try:
        return await line[0].read() == b""
    except ConnectionError:
        return True


def test_an_incomplete_request_is_disconnected() -> None:
    async def talk(opened: Opened) -> None:
        lines = [await opened() for _ in range(3)]
        for line, said in zip(
            lines, (b"", b"GET / HTTP/1.1\r\nHost: loc", ASKED[:-2]), strict=True
        ):
            line[1].write(said)
        assert await is_answered(await opened())
        assert all(await asyncio.gather(*map(hung_up, lines)))

    with_server(talk)


def test_a_slow_request_is_disconnected() -> None:
    async def talk(opened: Opened) -> None:
        line = await opened()
        assert await is_answered(line)
        ended = asyncio.create_task(hung_up(line))
        while not ended.done():
            line[1].write(b"a")
            await asyncio.sleep(0.02)
        assert await ended

    with_server(talk)


def test_a_client_that_waits_for_a_slow_reply_stays_connected() -> None:
    async def talk(opened: Opened) -> None:
        line = await opened()
        assert await is_answered(line, b"/%g" % (3 * SLOW))
        assert await is_answered(line)

    with_server(talk)


def test_a_client_that_does_not_read_is_disconnected() -> None:
    async def talk(opened: Opened) -> None:
        reader, writer = await opened()
        writer.write(ASKED.replace(b"/ ", b"/large ", 1))
        await asyncio.sleep(4 * SLOW)
        with pytest.raises((asyncio.IncompleteReadError, ConnectionError)):
            await reader.readexactly(30_000_000)

    with_server(talk)


def test_connections_above_the_limit_are_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 3)

    async def talk(opened: Opened) -> None:
        lines = [await opened() for _ in range(3)]
        assert await hung_up(await opened())
        assert all([await is_answered(line) for line in lines])
        for line in lines:
            line[1].close()
            await line[1].wait_closed()
        await asyncio.sleep(0.05)
        assert await is_answered(await opened())

    with_server(talk)


# Addresses of this machine that are taken for others.
FAR = {
    "127.0.0.2": "192.0.2.2",
    "127.0.0.3": "::ffff:192.0.2.2",
    "127.0.0.4": "192.0.2.4",
    "127.0.0.5": "2001:db8:1:2::5",
    "127.0.0.6": "2001:db8:1:2:ffff::6%eth0",
    "127.0.0.7": "2001:db8:1:3::7",
    "127.0.0.8": "::ffff:127.0.0.1",
}


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have some come from elsewhere, and let one side have two connections."""

    def placed(transport: asyncio.Transport) -> tuple[str, int] | None:
        place, port = transport.get_extra_info("peername")
        return None if place == "127.0.0.9" else (FAR.get(place, place), port)

    monkeypatch.setattr(h11_impl, "get_remote_addr", placed)
    monkeypatch.setattr(connections, "MAX_CONNECTIONS_PER_CLIENT", 2)


@pytest.mark.usefixtures("far")
@pytest.mark.parametrize(
    ("first", "more"),
    [("127.0.0.2", "127.0.0.3"), ("127.0.0.4", "127.0.0.4"), ("127.0.0.5", "127.0.0.6")],
)
def test_one_address_has_a_limit_of_connections(first: str, more: str) -> None:
    async def talk(opened: Opened) -> None:
        lines = [await opened(first) for _ in range(2)]
        assert await hung_up(await opened(more))
        assert all([await is_answered(line) for line in lines])
        # Others are let in, and so is the same one once one of its own is over.
        assert await is_answered(await opened("127.0.0.7"))
        lines[0][1].close()
        await lines[0][1].wait_closed()
        await asyncio.sleep(0.05)
        assert await is_answered(await opened(more))

    with_server(talk)


@pytest.mark.usefixtures("far")
@pytest.mark.parametrize(
    "place", ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.7", "127.0.0.8", "127.0.0.9"]
)
def test_local_clients_and_trusted_proxies_have_no_limit(place: str) -> None:
    async def talk(opened: Opened) -> None:
        lines = [await opened(place) for _ in range(5)]
        assert all([await is_answered(line) for line in lines])

    with_server(talk, ["192.0.2.2", "2001:db8:1:2::1/48"])
