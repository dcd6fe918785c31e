"""Many clients at once, with pauses, for most pages."""

import asyncio
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from urllib.parse import urlencode

from tests.web.wire import RawConnection

# Seconds between two requests of a client.
PAUSE = 0.5
GAMES = ("crisps", "cards", "digits", "make10")
FORMULAS = ("4 + 3 x 8 - 4 = 24", "9 : 7 + 2", "2 x 3 = 6, 6 x 4 = 24", "8 / (3 - 8 / 3)", "4 +")


@dataclass
class Report:
    """The number of replies of each status and each page."""

    statuses: Counter[int] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)


def target(random: Random) -> tuple[str, dict[str, object]]:
    """Return a page and its parameters, in most cases new ones, which no cache has."""
    kind = random.choice(("play", "play", "solve", "check"))
    game = random.choice(GAMES)
    if kind == "solve":
        largest = 13 if game == "cards" else 9
        hand = " ".join(str(random.randint(1, largest)) for _ in range(4))
        return kind, {"game": game, "hand": hand}
    if kind == "check":
        return kind, {"game": "cards", "formula": f"{random.choice(FORMULAS)}, {random.random()}"}
    parameters: dict[str, object] = {
        "game": game,
        "seed": random.randint(1, 200),
        "n": random.randint(1, 20),
    }
    turn = random.choice(({}, {"typed": "4 + 3 x 8"}, {"key": "?"}, {"key": "!"}))
    return kind, parameters | turn


async def client(address: str, until: float, random: Random, report: Report) -> None:
    """Send requests, with pauses, until a time of the monotonic clock."""
    connection = RawConnection(address)
    await asyncio.sleep(random.random() * PAUSE)
    while time.monotonic() < until:
        kind, parameters = target(random)
        response = await connection.get(f"/{kind}?{urlencode(parameters)}")
        report.kinds[kind] += 1
        report.statuses[response.status] += 1
        await asyncio.sleep(PAUSE)
    connection.close()


async def run(address: str, clients: int, seconds: float, seed: int) -> Report:
    """Run clients at once for a number of seconds, and return the report."""
    report = Report()
    until = time.monotonic() + seconds
    await asyncio.gather(
        *(client(address, until, Random(f"{seed} {number}"), report) for number in range(clients))
    )
    return report
