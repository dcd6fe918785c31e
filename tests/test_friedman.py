"""Friedman numbers, found by the code in the README of the tests, are those that are published."""

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
[CODE] = re.findall(r"^```python\n(.*?)^```$", (HERE / "README.md").read_text(), re.M | re.S)
KNOWN = (HERE / "data" / "friedman-numbers.txt").read_text().partition("\n")[2].split()
# A number in eight, all that have the same digits or none of them; all in a quarter of a minute.
SOME = 1 if os.environ.get("CRISPS24_EVERY") == "1" else 8


def test_those_that_the_readme_finds_are_those_of_oeis_a036057() -> None:
    asked = [number for number in range(1000, 10000) if _digits_of(number) % SOME == 0]
    code = f"{CODE}\nprint(*friedman({asked}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.stderr == ""
    known = sorted(set(map(int, KNOWN)) & set(asked))
    assert [*map(int, done.stdout.split())] == known
    assert len(known) >= 5


def test_the_example_of_the_readme_begins_as_they_do() -> None:
    listed = re.findall(r"== \[(.*?)\]", CODE)[0].split(", ")
    assert KNOWN[: len(listed)] == listed


def _digits_of(number: int) -> int:
    """Return the same of all numbers that have the same digits."""
    return sum(int(digit) ** 3 for digit in str(number))
