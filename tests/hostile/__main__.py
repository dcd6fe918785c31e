"""Test hostile inputs: `python -m tests.hostile --inputs 100000 --commands 500 --seed 1`."""

import argparse
import resource
import secrets
import sys
import tempfile
from pathlib import Path

from tests.hostile.commands import calls
from tests.hostile.readers import campaign


def main() -> int:
    """Run the inputs and the calls; return 1 if one has a forbidden result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--inputs", type=int, default=10_000, help="inputs of the readers, in one process"
    )
    parser.add_argument("--commands", type=int, default=0, help="calls of the program")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    options = parser.parse_args()
    reports = {"inputs": campaign(options.inputs, options.seed)}
    if options.commands:
        with tempfile.TemporaryDirectory() as folder:
            reports["calls"] = calls(options.commands, options.seed, Path(folder))
    wrong = [line for report in reports.values() for line in report.wrong]
    memories = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    for (noun, report), processes in zip(reports.items(), memories, strict=False):
        for kind, count in sorted(report.kinds.items()):
            print(f"{count:10,}  {kind}")
        memory = report.memory or resource.getrusage(processes).ru_maxrss // 1024
        summary = f"seed {options.seed}: {report.kinds.total():,} {noun}, {memory} MB"
        print(f"{summary}, slowest {report.slowest:.2f} s: {report.slowest_input}")
    for line in wrong[:50]:
        print(f"WRONG {line}")
    print(f"{len(wrong)} wrong")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
