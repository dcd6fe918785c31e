"""Hostile requests for a server: 200 in the default run, 8,000 with `CRISPS24_EVERY=1`."""

import asyncio
from random import Random
from urllib.parse import quote, quote_plus

from crisps24 import GAMES
from crisps24.pages.addresses import CHOOSING_NAMES, RULE_NAMES
from crisps24.pages.answering import PAGES
from tests.hostile.readers import Report, random_input
from tests.web.wire import RawConnection, RawResponse

# Connections at once.
CONNECTIONS = 8
# Bytes. The server disconnects a client that sends more, whose response can be lost.
MAX_HEAD_BYTES = 1 << 16
METHODS = (*("GET",) * 20, *("HEAD",) * 3, "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "X")
FILES = ("/health", "/static/style.css", "/static/../play", "/static/%2e%2e/play.py", "/static/")
BAD_PATHS = ("//", "/play/", "/%00", "/..%2f..%2fetc/passwd", "/nothing", "/sheet.pdf/", "*", "/é")
NAMES = sorted({name for page in PAGES.values() for name in page.names} | {"x", "", "game[]"})
VALUES = (
    *(*GAMES, "24", "3 3 8 8", "1 2 3 4 5 6", "7", "yes", "no", "1..5", "2..4", "1..999999", "0"),
    *("-1", "100", "4 + 3 x 8 - 4 = 24", "cards:3.3.8.8=24", "?", "!", "u", "a4", "12", "1" * 30),
    *("1+2", "2:1", "-1", "1-", "0x", "r", "1.2", "1.2,3.2", "9.9,1", "1795356000.5", "2026-11-22"),
    *("2026-01-01", "9999-12-31", "2025-02-29", "de", "zh-Hans", "polish", "latex", "unicode"),
    *("8 - 8 = 0, 3 / 3 = 1", "3 - 8 = -5, -5 / 3 = -5/3", "12 + 3 = 15", "-4 = -4", "4 = 4"),
    *("100 50 25 75 9 8", "4 + 6 = 10", "4 + 6 = 10, 10 + 8 = 18", "+-", "1..13", "999999", "1e9"),
)
HEADERS = (
    *("Host: evil.example", "Host: localhost", "Content-Length: 5", "Content-Length: 99999999999"),
    *("Content-Length: -1", "Transfer-Encoding: chunked", "Range: bytes=0-99999"),
    *("Transfer-Encoding: chunked\r\nContent-Length: 0", "If-None-Match: *"),
    *("Accept-Encoding: " + "gzip," * 50, "Cookie: " + "a=b; " * 500, "X: " + "y" * 5_000),
    *("Expect: 100-continue", "Upgrade: websocket\r\nConnection: upgrade", "\x01\x02: \xff"),
    *("Accept: application/json", "Accept-Language: nl;q=1, \xff;q=2,,*"),
    "Accept: ;q=,*/*;q=nan,application/json;q=1e9," + "," * 2_000,
    *("X-Forwarded-Prefix: /crisps", "X-Forwarded-Prefix: //evil.example/\xe9"),
    "X-Forwarded-Prefix: " + "/a" * 5_000,
)


def target(random: Random) -> str:
    """Return a path with parameters, some of which are valid."""
    kind = random.random()
    if kind < 0.1:
        return random.choice(FILES)
    if kind < 0.2:
        made = quote(random_input(random)[:200], errors="replace")
        return random.choice((*BAD_PATHS, f"/{made}"))
    path = random.choice(list(PAGES))
    names = PAGES[path].names if random.random() < 0.9 else NAMES
    chosen = [random.choice(names) for _ in range(random.randint(0, 5)) if names]
    if random.random() < 0.8:
        # Few rules and conditions, so that some requests are valid.
        optional = set(RULE_NAMES) | set(CHOOSING_NAMES)
        chosen = [name for name in chosen if name not in optional or random.random() < 0.3]
    parameters = {name: value(random) for name in chosen}
    if path in ("/daily", "/play", "/sheet", "/sheet.pdf") and random.random() < 0.8:
        date = f"2026-01-{random.randint(1, 40):02}"
        chosen_by = ("date", date) if path == "/daily" else ("seed", str(random.randint(1, 9)))
        parameters |= dict([("game", random.choice(list(GAMES))), chosen_by])
    return path + "?" + "&".join(f"{quote_plus(name)}={text}" for name, text in parameters.items())


def value(random: Random) -> str:
    kind = random.random()
    if kind < 0.7:
        return quote_plus(random.choice(VALUES))
    if kind < 0.95:
        return quote_plus(random_input(random)[:3_000], errors="replace")
    return random.choice(("%ff%fe", "%", "%zz", "%00", "a" * 20_000, "%ED%A0%80", "=&=&"))


def request(random: Random, host: str) -> bytes:
    method = random.choice(METHODS)
    sent_host = random.choice((*(host,) * 30, "evil.example", "localhost:", "\x80", None))
    headers = [] if sent_host is None else [f"Host: {sent_host}"]
    headers += random.choices(HEADERS, k=random.choice((0, 0, 0, 0, 1, 2)))
    origin = random.choice((*("",) * 20, f"http://{host}", "HTTP://evil.example", "http://"))
    lines = [f"{method} {origin}{target(random)} HTTP/1.1", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1", "replace")


def can_be_lost(request: bytes) -> bool:
    """Return whether a request promises a body that it lacks, or has too long a head."""
    return b"Content-Length" in request or b"chunked" in request or len(request) > MAX_HEAD_BYTES


def judge(request: bytes, response: RawResponse, report: Report) -> None:
    """Add a response to the report, with the problem if it has one."""
    report.kinds[str(response.status)] += 1
    is_wrong = response.status >= 500 or b"Traceback" in response.body
    is_missing = response.status == 0 and not can_be_lost(request)
    # uvicorn refuses invalid HTTP with 400, before this package handles the request.
    is_unguarded = response.status not in (0, 400) and "nosniff" not in response.head
    if is_wrong or is_missing or is_unguarded:
        report.wrong.append(f"{response.status}: {request[:300]!r}: {response.body[-300:]!r}")


async def campaign(address: str, count: int, seed: int) -> Report:
    random, report, host = Random(seed), Report(), address.removeprefix("http://")
    numbers = iter(range(count))

    async def send_requests() -> None:
        for _ in numbers:
            connection, sent = RawConnection(address), request(random, host)
            timeout = 2 if b"Content-Length" in sent else 30
            judge(sent, await connection.send(sent, timeout=timeout), report)
            connection.close()

    await asyncio.gather(*(send_requests() for _ in range(CONNECTIONS)))
    connection = RawConnection(address)
    if (await connection.get("/health")).status != 200:
        report.wrong.append("the server no longer responds")
    connection.close()
    return report
