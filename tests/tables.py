"""Tables of calls, addresses and texts in `data/`: a case on each line, and what is expected."""

from pathlib import Path

DATA = Path(__file__).parent / "data"


def rows_of(name: str) -> list[tuple[str, str]]:
    r"""Return what stands before and after => on each line but comments; \n is a line feed."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    rows = (line.replace(r"\n", "\n").partition(" => ") for line in lines if line[:2] != "# ")
    return [(case, expected) for case, _, expected in rows]
