"""Apply each mutant of `mutants.toml` to a copy of the project and run the tests that find it."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Left out of the copy: virtual environments, history, caches and compiled files.
NOT_COPIED = shutil.ignore_patterns(".venv*", ".git", "__pycache__", ".*_cache", ".hypothesis")
# Exit statuses of pytest: all tests passed, and some failed.
PASSED, FAILED = 0, 1
TIMEOUT_SECONDS = 600


@dataclass(frozen=True)
class Mutant:
    """A fault: in `file` of the package, `old` becomes `new`."""

    id: str
    file: str
    old: str
    new: str
    fault: str
    tests: list[str]
    killed: bool

    def mutated(self, source: str) -> str:
        """Return a source text with the fault; raise ValueError unless `old` occurs once."""
        if (count := source.count(self.old)) != 1:
            raise ValueError(f"{self.id}: {self.old!r} occurs {count} times in {self.file}")
        return source.replace(self.old, self.new)


def read_mutants() -> list[Mutant]:
    """Return the mutants of `mutants.toml`, in order."""
    text = Path(__file__).with_name("mutants.toml").read_text(encoding="utf-8")
    return [Mutant(**each) for each in tomllib.loads(text)["mutant"]]


def is_killed(mutant: Mutant, copy: Path) -> bool:
    """Return whether a test fails in a copy of the project with the fault; restore the file."""
    path = copy / "crisps24" / mutant.file
    source = path.read_text(encoding="utf-8")
    path.write_text(mutant.mutated(source), encoding="utf-8")
    # Tests also start processes, which must import the copy.
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *mutant.tests]
    try:
        ended = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, timeout=TIMEOUT_SECONDS
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(source, encoding="utf-8")
    if ended.returncode not in (PASSED, FAILED):
        raise RuntimeError(f"{mutant.id}: {ended.stdout.decode()}{ended.stderr.decode()}")
    return ended.returncode == FAILED


def main() -> int:
    """Run the mutants; return 1 unless each is killed, or survives, as recorded."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--only", metavar="ID", help="run only this mutant")
    only = parser.parse_args().only
    mutants = [mutant for mutant in read_mutants() if only in (None, mutant.id)]
    if not mutants:
        parser.error(f"unknown mutant {only!r}")
    killed = unexpected = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "project"
        shutil.copytree(ROOT, copy, ignore=NOT_COPIED)
        for mutant in mutants:
            try:
                found = is_killed(mutant, copy)
            except (ValueError, RuntimeError) as error:
                print(error, flush=True)
                unexpected += 1
                continue
            killed += found
            unexpected += found != mutant.killed
            note = "" if found == mutant.killed else " (not as recorded)"
            print(f"{'killed' if found else 'survived'}{note}: {mutant.id}", flush=True)
    print(f"{killed} of {len(mutants)} killed, {unexpected} not as recorded")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
