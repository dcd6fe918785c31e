"""Measure response times under load: `python -m tests.web.load --clients 50 --seconds 30`."""

import argparse
import asyncio
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from statistics import quantiles
from urllib.parse import urlencode

from tests.web.served import run_server
from tests.web.wire import RawConnection

# Seconds between two requests of a client.
PAUSE = 0.5
# Seconds to wait after the start of the server.
START_SECONDS = 3
GAMES = ("crisps", "cards", "digits", "make10")
FORMULAS = ("4 + 3 x 8 - 4 = 24", "9 : 7 + 2", "2 x 3 = 6, 6 x 4 = 24", "8 / (3 - 8 / 3)", "4 +")


@dataclass
class Report:
    """The times in seconds, the statuses, and the times by page."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    kinds: dict[str, list[float]] = field(default_factory=dict)

    def summary(self) -> str:
        """Return the figures in one line."""
        percentiles = quantiles(self.seconds, n=100)
        statuses = ", ".join(f"{count:,} of {status}" for status, count in self.statuses.items())
        figures = " ".join(f"{percentiles[percent - 1] * 1000:.1f}" for percent in (50, 95, 99))
        return (
            f"{len(self.seconds):,} requests ({statuses}); ms at the 50th, 95th and 99th "
            f"percentile: {figures}; most {max(self.seconds) * 1000:.1f}"
        )


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
        start = time.monotonic()
        response = await connection.get(f"/{kind}?{urlencode(parameters)}")
        elapsed = time.monotonic() - start
        report.seconds.append(elapsed)
        report.kinds.setdefault(kind, []).append(elapsed)
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


def main() -> int:
    """Print the report; return 0 if all statuses are 200, else 1."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--address", help="address of a running server (default: start one)")
    options = parser.parse_args()
    if options.address:
        report = asyncio.run(run(options.address, options.clients, options.seconds, options.seed))
    else:
        with run_server() as (address, _):
            time.sleep(START_SECONDS)
            report = asyncio.run(run(address, options.clients, options.seconds, options.seed))
    print(report.summary())
    for kind, seconds in report.kinds.items():
        print(f"  {kind}: 95th percentile {quantiles(seconds, n=20)[-1] * 1000:.1f} ms")
    return int(set(report.statuses) != {200})


if __name__ == "__main__":
    sys.exit(main())
