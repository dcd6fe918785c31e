"""Run tests in Pyodide, the Python of browsers: `python -m tests.tab.core [PATH...]`.

`CRISPS24_PYODIDE` names its folder. By default the tests of all packages that compute answers run,
a folder in each process. `known.toml` has the tests that cannot pass there, with the reasons; the
exit status is 1 if others fail, or if one of these passes.
"""

import json
import subprocess
import sys
import tomllib
from collections import Counter
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from zipfile import ZipFile

from tests.player.node import NODE
from tests.tab.distribution import PYODIDE, REASON

HERE, ROOT = Path(__file__).parent, Path(__file__).parents[2]
FOLDERS = (
    *("rules", "notation", "hands", "solving", "enumeration", "judging", "puzzles"),
    "equation_puzzles",
)
# What the package and its tests import.
DISTRIBUTIONS = (
    *("pyparsing", "tabulate", "click", "pytest", "iniconfig", "packaging", "pluggy", "pygments"),
    "sortedcontainers",
)
# The last version without compiled modules, which Pyodide cannot load.
HYPOTHESIS = "hypothesis==6.155.7"
KNOWN: dict[str, str] = tomllib.loads((HERE / "known.toml").read_text("utf-8"))


def pack(archive: Path) -> None:
    """Write the project, and what its tests import, into an archive."""
    packages = archive.with_suffix("")
    pip = [sys.executable, "-m", "pip"] if find_spec("pip") else ["pip"]
    command = [*pip, "install", "-q", "--no-deps", "--no-compile", "--target", str(packages)]
    subprocess.run([*command, HYPOTHESIS], check=True, capture_output=True, timeout=120)
    with ZipFile(archive, "w") as files:
        for path in packages.rglob("*"):
            files.write(path, path.relative_to(packages))
        for name in DISTRIBUTIONS:
            for file in distribution(name).files or ():
                if file.parts[0] != ".." and file.suffix != ".pyc":
                    files.write(str(file.locate()), str(file))
        for top in ("pyproject.toml", "README.md", "crisps24", "tests", "results"):
            for path in [ROOT / top, *(ROOT / top).rglob("*")]:
                if path.is_file() and path.suffix != ".pyc":
                    files.write(path, path.relative_to(ROOT))


def run(archive: Path, *paths: str) -> tuple[Counter[str], list[str], list[str]]:
    """Run the tests of a packed project in some files or folders.

    Return the number of tests by outcome, those that fail as `KNOWN` says, and the other problems.
    """
    report = archive.with_suffix(".json")
    report.unlink(missing_ok=True)
    words = [str(word) for word in (NODE, HERE / "core.mjs", PYODIDE, archive, report)]
    ended = subprocess.run([*words, *paths], capture_output=True, encoding="utf-8")
    if not report.exists():
        return Counter(), [], [f"Pyodide ended early: {(ended.stdout + ended.stderr)[-2000:]}"]
    results = json.loads(report.read_text("utf-8"))
    known, problems = [], []
    for test, (outcome, line) in results.items():
        needs = [need for start, need in KNOWN.items() if test.startswith(start)]
        if outcome == "failed" and needs:
            known.append(f"{test} needs {needs[0]}")
        elif outcome == "failed" or needs:
            problems.append(f"{test} {outcome} {line}")
    return Counter(outcome for outcome, _ in results.values()), known, problems


def main() -> int:
    if PYODIDE is None or NODE is None:
        sys.exit(REASON or "node runs Pyodide")
    has_problems = False
    with TemporaryDirectory() as folder:
        archive = Path(folder, "project.zip")
        pack(archive)
        for path in sys.argv[1:] or [f"tests/{name}" for name in FOLDERS]:
            start = perf_counter()
            counts, known, problems = run(archive, path)
            texts = [f"{count} {outcome}" for outcome, count in sorted(counts.items())]
            print(path, *texts, f"{perf_counter() - start:.0f} s", sep=", ")
            print(*known, *(f"! {problem}" for problem in problems), sep="\n", flush=True)
            has_problems |= bool(problems)
    return int(has_problems)


if __name__ == "__main__":
    sys.exit(main())
