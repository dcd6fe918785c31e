"""`python -m tests.web.hostile --requests 20000 --seed 7`: send random and malicious requests."""

import argparse
import asyncio
import secrets
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from urllib.parse import quote, quote_plus

from crisps24 import GAMES
from crisps24.pages.addresses import CHOOSING_NAMES, RULE_NAMES
from crisps24.pages.answering import PAGES
from tests.hostile.readers import random_input
from tests.web.served import served
from tests.web.wire import RawConnection, Response, memory_of

CLIENTS = 8
# The server disconnects after a longer head, and the client can lose the response.
MAX_HEAD_BYTES = 1 << 16
METHODS = (*("GET",) * 20, *("HEAD",) * 3, "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "X")
OTHERS = ("/health", "/static/style.css", "/static/../play", "/static/%2e%2e/play.py", "/static/")
PLACES = (
    "//",
    "/play/",
    "/%00",
    "/..%2f..%2fetc/passwd",
    "/nothing",
    "/sheet.pdf/",
    "*",
    "/\u00e9",
)
NAMES = sorted({name for page in PAGES.values() for name in page.names} | {"x", "", "game[]"})
WORDS = (
    *(*GAMES, "24", "3 3 8 8", "1 2 3 4 5 6", "7", "yes", "no", "1..5", "2..4", "1..999999", "0"),
    *("-1", "100", "4 + 3 x 8 - 4 = 24", "cards:3.3.8.8=24", "?", "!", "u", "a4", "12", "1" * 30),
    *("1+2", "2:1", "-1", "1-", "0x", "r", "1.2", "1.2,3.2", "9.9,1", "1795356000.5", "2026-11-22"),
    *("2026-01-01", "9999-12-31", "2025-02-29", "de", "zh-Hans", "polish", "latex", "unicode"),
    *("8 - 8 = 0, 3 / 3 = 1", "3 - 8 = -5, -5 / 3 = -5/3", "12 + 3 = 15", "-4 = -4", "4 = 4"),
    *("100 50 25 75 9 8", "4 + 6 = 10", "4 + 6 = 10, 10 + 8 = 18", "+-", "1..13", "999999", "1e9"),
)
HEADERS = (
    "Host: evil.example",
    "Host: localhost",
    "Content-Length: 5",
    "Content-Length: 99999999999",
    "Content-Length: -1",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nContent-Length: 0",
    "Range: bytes=0-99999",
    "If-None-Match: *",
    "Accept-Encoding: " + "gzip," * 50,
    "Cookie: " + "a=b; " * 500,
    "X: " + "y" * 5_000,
    "Expect: 100-continue",
    "Upgrade: websocket\r\nConnection: upgrade",
    "\x01\x02: \xff",
    "Accept: application/json",
    "Accept: ;q=,*/*;q=nan,application/json;q=1e9," + "," * 2_000,
    "Accept-Language: nl;q=1, \xff;q=2,,*",
    "X-Forwarded-Prefix: /crisps",
    "X-Forwarded-Prefix: //evil.example/\xe9",
    "X-Forwarded-Prefix: " + "/a" * 5_000,
)


def target(random: Random) -> str:
    """Return a random path with parameters, some of them valid."""
    kind = random.random()
    if kind < 0.1:
        return random.choice(OTHERS)
    if kind < 0.2:
        return random.choice((*PLACES, "/" + quote(random_input(random)[:200], errors="replace")))
    path = random.choice(list(PAGES))
    names = PAGES[path].names if random.random() < 0.9 else NAMES
    few = [random.choice(names) for _ in range(random.randint(0, 5)) if names]
    if random.random() < 0.8:
        # Few rules and conditions, so that some requests succeed.
        some = set(RULE_NAMES) | set(CHOOSING_NAMES)
        few = [name for name in few if name not in some or random.random() < 0.3]
    words = [(name, word(random)) for name in dict.fromkeys(few)]
    if path == "/daily" and random.random() < 0.8:
        words += [
            ("game", random.choice(list(GAMES))),
            ("date", f"2026-01-{random.randint(1, 40):02}"),
        ]
        words = list(dict(words).items())
    if path in ("/play", "/sheet", "/sheet.pdf") and random.random() < 0.8:
        words += [("game", random.choice(list(GAMES))), ("seed", str(random.randint(1, 9)))]
        words = list(dict(words).items())
    return path + "?" + "&".join(f"{quote_plus(name)}={each}" for name, each in words)


def word(random: Random) -> str:
    """Return a random value of a parameter, encoded."""
    kind = random.random()
    if kind < 0.7:
        return quote_plus(random.choice(WORDS))
    if kind < 0.95:
        return quote_plus(random_input(random)[:3_000], errors="replace")
    return random.choice(("%ff%fe", "%", "%zz", "%00", "a" * 20_000, "%ED%A0%80", "=&=&"))


def request(random: Random, host: str) -> bytes:
    """Return a complete random request."""
    method = random.choice(METHODS)
    named = random.choice((*(host,) * 30, "evil.example", "localhost:", "\x80", None))
    headers = [] if named is None else [f"Host: {named}"]
    headers += random.choices(HEADERS, k=random.choice((0, 0, 0, 0, 1, 2)))
    origin = random.choice((*("",) * 20, f"http://{host}", "HTTP://evil.example", "http://"))
    lines = [f"{method} {origin}{target(random)} HTTP/1.1", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1", "replace")


@dataclass
class Report:
    """The results of a campaign."""

    kinds: Counter[int] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    slowest: float = 0.0
    memory: list[int] = field(default_factory=list)


def can_be_lost(asked: bytes) -> bool:
    """Return whether a request announces a longer body, or has a head that is too long."""
    return b"Content-Length" in asked or b"chunked" in asked or len(asked) > MAX_HEAD_BYTES


def judge(asked: bytes, heard: Response, report: Report) -> None:
    """Record a response that the server must never send."""
    report.kinds[heard.status] += 1
    if heard.status >= 500 or b"Traceback" in heard.body:
        report.wrong.append(f"{heard.status}: {asked[:300]!r}: {heard.body[-300:]!r}")
    elif heard.status == 0 and not can_be_lost(asked):
        report.wrong.append(f"no answer: {asked[:300]!r}")
    elif heard.status not in (0, 400) and "nosniff" not in heard.head:
        # uvicorn refuses invalid HTTP with 400 before this package sees the request.
        report.wrong.append(f"unguarded {heard.status}: {asked[:300]!r}")


async def campaign(address: str, running: "subprocess.Popen[str]", count: int, seed: int) -> Report:
    """Send `count` requests, 8 at once, and record the memory of the server five times."""
    random, report, host = Random(seed), Report(), address.removeprefix("http://")
    left = iter(range(count))

    async def some() -> None:
        for at in left:
            if at % max(1, count // 4) == 0:
                report.memory.append(memory_of(running.pid))
            line, asked = RawConnection(address), request(random, host)
            began = time.monotonic()
            heard = await line.ask(asked, patience=2 if b"Content-Length" in asked else 30)
            report.slowest = max(report.slowest, time.monotonic() - began)
            judge(asked, heard, report)
            line.close()

    await asyncio.gather(*(some() for _ in range(CLIENTS)))
    report.memory.append(memory_of(running.pid))
    line = RawConnection(address)
    if (await line.get("/health")).status != 200:
        report.wrong.append("it does not answer any more")
    line.close()
    return report


def main() -> int:
    """Run the campaign, and return 1 if a response was wrong."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--requests", type=int, default=20_000)
    asked.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    words = asked.parse_args()
    with served("--proxy", "127.0.0.1", "--embed") as (address, running):
        report = asyncio.run(campaign(address, running, words.requests, words.seed))
        running.terminate()
        assert running.stderr is not None
        errors = running.stderr.read()
    for status, count in sorted(report.kinds.items()):
        print(f"{count:10,}  {status or 'no answer'}")
    print(f"seed {words.seed}: {words.requests:,} requests, slowest {report.slowest:.2f} s")
    print(f"memory on the way, MB: {' '.join(map(str, report.memory))}")
    print(f"said by the server: {errors.strip() or 'nothing'}")
    for line in report.wrong[:30]:
        print(f"WRONG {line}")
    print(f"{len(report.wrong)} wrong")
    return int(bool(report.wrong) or "Traceback" in errors)


if __name__ == "__main__":
    sys.exit(main())
