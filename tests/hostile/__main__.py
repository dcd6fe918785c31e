"""`python -m tests.hostile --inputs 100000 --commands 500 --seed 1`: what came of what."""

import argparse
import resource
import secrets
import sys
import tempfile
from pathlib import Path

from tests.hostile.commands import calls
from tests.hostile.readers import campaign


def main() -> int:
    """Run the campaign; 1 where something answered as nothing may."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--inputs", type=int, default=10_000, help="for the readers, in one process")
    asked.add_argument("--commands", type=int, default=0, help="calls of the program")
    asked.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    words = asked.parse_args()
    reports = {"inputs": campaign(words.inputs, words.seed)}
    if words.commands:
        with tempfile.TemporaryDirectory() as folder:
            reports["calls"] = calls(words.commands, words.seed, Path(folder))
    wrong = [line for report in reports.values() for line in report.wrong]
    memories = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    for (what, report), whose in zip(reports.items(), memories, strict=False):
        for kind, count in sorted(report.kinds.items()):
            print(f"{count:10,}  {kind}")
        memory = report.memory or resource.getrusage(whose).ru_maxrss // 1024
        told = f"seed {words.seed}: {report.kinds.total():,} {what}, {memory} MB"
        print(f"{told}, slowest {report.slowest:.2f} s: {report.slowest_input}")
    for line in wrong[:50]:
        print(f"WRONG {line}")
    print(f"{len(wrong)} wrong")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
