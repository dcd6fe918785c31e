"""Send requests as raw bytes, without an HTTP library that would correct them."""

import asyncio
import re
from pathlib import Path
from typing import NamedTuple


class Response(NamedTuple):
    """A response."""

    status: int
    """The HTTP status; 0 without a response."""
    head: str
    body: bytes


class RawConnection:
    """A connection that opens again if the server has closed it."""

    def __init__(self, address: str) -> None:
        host, port = address.removeprefix("http://").rsplit(":", 1)
        self._host, self._port = host, int(port)
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: bytes, *, patience: float = 30) -> Response:
        """Send a request, and return the response."""
        try:
            async with asyncio.timeout(patience):
                return await self._asked(request)
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            self.close()
            return Response(0, "", b"")

    async def get(self, target: str) -> Response:
        """Send a GET request for a target."""
        asked = f"GET {target} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n\r\n"
        return await self.ask(asked.encode())

    async def _asked(self, request: bytes) -> Response:
        if self._streams is None or self._streams[0].at_eof():
            self.close()
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        writer.write(request)
        await writer.drain()
        head = "HTTP/1.1 100"
        while head.startswith("HTTP/1.1 100"):
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        found = re.search(r"content-length: ([0-9]+)", head, re.I)
        no_body = request.startswith(b"HEAD ")
        body = b"" if no_body or not found else await reader.readexactly(int(found[1]))
        if found is None and not no_body:
            body = await self._rest(reader, head)
        if "connection: close" in head.lower():
            self.close()
        return Response(int(head.split(" ", 2)[1]), head, body)

    async def _rest(self, reader: asyncio.StreamReader, head: str) -> bytes:
        """Return a body whose length is not in the headers."""
        if "transfer-encoding: chunked" not in head.lower():
            return await reader.read()
        body = b""
        while size := int(await reader.readline(), 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
        return body

    def close(self) -> None:
        """Close the connection."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


def memory_of(process: int) -> int:
    """Return the memory of a process and its descendants, in MB."""
    return sum(map(_megabytes, (process, *descendants_of(process))))


def descendants_of(process: int) -> list[int]:
    """Return the descendants of a process."""
    every = (int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit())
    return [each for each in every if process in _line_of(each)[1:]]


def _line_of(process: int) -> list[int]:
    """Return a process and its ancestors."""
    line = []
    while process > 1:
        line.append(process)
        try:
            told = Path(f"/proc/{process}/stat").read_text()
        except OSError:
            break
        process = int(told.rpartition(")")[2].split()[1])
    return line


def _megabytes(process: int) -> int:
    try:
        found = re.search(r"VmRSS:\s+([0-9]+)", Path(f"/proc/{process}/status").read_text())
    except OSError:
        return 0
    return int(found[1]) // 1024 if found else 0
