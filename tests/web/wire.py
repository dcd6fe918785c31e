"""A minimal HTTP client that sends any bytes, even an invalid request."""

import asyncio
import re
from pathlib import Path
from typing import NamedTuple


class RawResponse(NamedTuple):
    status: int
    """The HTTP status; 0 if there was no response."""
    head: str
    body: bytes


class RawConnection:
    """A connection to a server, which is opened again if the server has closed it."""

    def __init__(self, address: str) -> None:
        host, port = address.removeprefix("http://").rsplit(":", 1)
        self._host, self._port = host, int(port)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, request: bytes, *, timeout: float = 30) -> RawResponse:
        """Send a request and return the response; the timeout is in seconds."""
        try:
            async with asyncio.timeout(timeout):
                return await self._receive(request)
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            self.close()
            return RawResponse(0, "", b"")

    async def get(self, target: str) -> RawResponse:
        request = f"GET {target} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n\r\n"
        return await self.send(request.encode())

    async def _receive(self, request: bytes) -> RawResponse:
        if self._streams is None or self._streams[0].at_eof():
            self.close()
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        writer.write(request)
        await writer.drain()
        head = "HTTP/1.1 100"
        while head.startswith("HTTP/1.1 100"):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = re.search(r"content-length: ([0-9]+)", head, re.I)
        body = b""
        if not request.startswith(b"HEAD "):
            whole = reader.readexactly(int(length[1])) if length else self._rest(reader, head)
            body = await whole
        if "connection: close" in head.lower():
            self.close()
        return RawResponse(int(head.split(" ", 2)[1]), head, body)

    async def _rest(self, reader: asyncio.StreamReader, head: str) -> bytes:
        if "transfer-encoding: chunked" not in head.lower():
            return await reader.read()
        body = b""
        while size := int(await reader.readline(), 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
        return body

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def descendants(process: int) -> list[int]:
    files = Path(f"/proc/{process}/task").glob("*/children")
    children = [int(child) for file in files for child in file.read_text().split()]
    return [number for child in children for number in (child, *descendants(child))]
