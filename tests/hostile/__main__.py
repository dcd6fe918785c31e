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
    report = campaign(words.inputs, words.seed)
    kinds, wrong = report.kinds, report.wrong
    if words.commands:
        with tempfile.TemporaryDirectory() as folder:
            ended, more = calls(words.commands, words.seed, Path(folder))
        kinds, wrong = kinds + ended, wrong + more
    for kind, count in sorted(kinds.items()):
        print(f"{count:10,}  {kind}")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"seed {words.seed}: {words.inputs:,} inputs, {words.commands:,} calls, {memory} MB")
    print(f"slowest {report.slowest:.2f} s: {report.slowest_input}")
    for line in wrong[:50]:
        print(f"WRONG {line}")
    print(f"{len(wrong)} wrong")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
