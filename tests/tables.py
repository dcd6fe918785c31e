"""Tables of texts in `tests/data`, one case in each line, and in other folders by their paths."""

import csv
from pathlib import Path

DATA = Path(__file__).parent / "data"


def cells_of(name: str) -> list[list[str]]:
    """Return the cells of each line of a text file, with => between them; # starts a comment."""
    lines = (DATA / name).read_text("utf-8").splitlines()
    return [line.split(" => ") for line in lines if not line.startswith("#")]


def rows_of(name: str | Path) -> list[dict[str, str]]:
    """Return the rows of a file with commas; lines that start with # name its source."""
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))
