"""Tables of texts: a line for each case, in a file of `tests/data` or at another path."""

import csv
from pathlib import Path

DATA = Path(__file__).parent / "data"


def lines_of(name: str) -> list[str]:
    """Return the lines of a text file but comments, which start with a # and a space."""
    lines = (DATA / name).read_text("utf-8").splitlines()
    return [line for line in lines if not line.startswith("# ")]


def cells_of(name: str) -> list[list[str]]:
    r"""Return the cells of each line, with => between them; \n is a line feed."""
    return [line.replace(r"\n", "\n").split(" => ") for line in lines_of(name)]


def rows_of(name: str | Path) -> list[dict[str, str]]:
    """Return the rows of a file with commas; lines that start with # name its source."""
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))
