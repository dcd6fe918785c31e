"""`python -m tests.web.load --clients 50 --seconds 30`: measure response times under load."""

import argparse
import asyncio
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from statistics import quantiles
from urllib.parse import urlencode

from tests.web.served import served
from tests.web.wire import RawConnection

# Seconds between the requests of a client.
PAUSE = 0.5
# Seconds to wait after starting a server.
START_PAUSE = 3
GAMES = ("crisps", "cards", "digits", "make10")
FORMULAS = ("4 + 3 x 8 - 4 = 24", "9 : 7 + 2", "2 x 3 = 6, 6 x 4 = 24", "8 / (3 - 8 / 3)", "4 +")


@dataclass
class Report:
    """The response times and statuses of all requests."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    kinds: dict[str, list[float]] = field(default_factory=dict)

    def summary(self) -> str:
        """Return a summary in one line."""
        cuts = quantiles(self.seconds, n=100)
        statuses = ", ".join(f"{count:,} of {status}" for status, count in self.statuses.items())
        figures = " ".join(f"{cuts[at - 1] * 1000:.1f}" for at in (50, 95, 99))
        return (
            f"{len(self.seconds):,} requests ({statuses}); ms at the 50th, 95th and 99th "
            f"percentile: {figures}; most {max(self.seconds) * 1000:.1f}"
        )


def target(random: Random) -> tuple[str, dict[str, object]]:
    """Return a random page and its parameters, mostly ones that are not cached yet."""
    kind = random.choice(("play", "play", "solve", "check"))
    game = random.choice(GAMES)
    if kind == "solve":
        most = 13 if game == "cards" else 9
        hand = " ".join(str(random.randint(1, most)) for _ in range(4))
        return kind, {"game": game, "hand": hand}
    if kind == "check":
        return kind, {"game": "cards", "formula": f"{random.choice(FORMULAS)}, {random.random()}"}
    words: dict[str, object] = {
        "game": game,
        "seed": random.randint(1, 200),
        "n": random.randint(1, 20),
    }
    input_values = random.choice(({}, {"typed": "4 + 3 x 8"}, {"key": "?"}, {"key": "!"}))
    return kind, words | input_values


async def client(address: str, until: float, random: Random, report: Report) -> None:
    """Send requests with pauses until a time."""
    line = RawConnection(address)
    await asyncio.sleep(random.random() * PAUSE)
    while time.monotonic() < until:
        kind, words = target(random)
        began = time.monotonic()
        heard = await line.get(f"/{kind}?{urlencode(words)}")
        taken = time.monotonic() - began
        report.seconds.append(taken)
        report.kinds.setdefault(kind, []).append(taken)
        report.statuses[heard.status] += 1
        await asyncio.sleep(PAUSE)
    line.close()


async def run(address: str, clients: int, seconds: float, seed: int) -> Report:
    """Run `clients` clients for some seconds, and return their report."""
    report = Report()
    until = time.monotonic() + seconds
    await asyncio.gather(
        *(client(address, until, Random(f"{seed} {at}"), report) for at in range(clients))
    )
    return report


def main() -> int:
    """Measure, and print the report."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--clients", type=int, default=50)
    asked.add_argument("--seconds", type=float, default=30)
    asked.add_argument("--seed", type=int, default=7)
    asked.add_argument("--address", help="a running server (default: start one)")
    words = asked.parse_args()
    if words.address:
        report = asyncio.run(run(words.address, words.clients, words.seconds, words.seed))
    else:
        with served() as (address, _):
            time.sleep(START_PAUSE)
            report = asyncio.run(run(address, words.clients, words.seconds, words.seed))
    print(report.summary())
    for kind, seconds in report.kinds.items():
        print(f"  {kind}: 95th percentile {quantiles(seconds, n=20)[-1] * 1000:.1f} ms")
    return int(set(report.statuses) != {200})


if __name__ == "__main__":
    sys.exit(main())
