"""Friedman numbers, found by the code in the README of the tests, are those that are published."""

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
[CODE] = re.findall(r"^```python\n(.*?)^```$", (HERE / "README.md").read_text(), re.M | re.S)
EVERY = os.environ.get("CRISPS24_EVERY") == "1"


def _published(name: str) -> list[int]:
    """Return the numbers of a file of data."""
    return [*map(int, (HERE / "data" / name).read_text().partition("\n")[2].split())]


KNOWN, PRIMES = _published("friedman-numbers.txt"), _published("friedman-primes.txt")


def test_those_that_the_readme_finds_are_those_of_oeis_a036057_and_a112419() -> None:
    # All 2,001 hands of five digits are some minutes; some of them have the only number that takes
    # a minus before it.
    of_four = _some(range(1000, 10000), 18, 24)
    of_five = _some(range(10000, 100000), _digits_of(16387), 256)
    found = _found([*of_four, *of_five])
    known = sorted({*KNOWN} & {*of_four})
    assert [number for number in found if number < 10000] == known
    assert len(known) >= 8
    others = found[len(known) :]
    assert 16387 in others
    primes = sorted({*PRIMES} & {*of_five})
    assert [number for number in others if _is_prime(number)] == primes
    assert len(primes) >= 2
    if EVERY:
        assert len(others) == 844 - len(KNOWN)


def test_the_example_of_the_readme_begins_as_they_do() -> None:
    listed = re.findall(r"== \[(.*?)\]", CODE)[0].split(", ")
    assert KNOWN[: len(listed)] == [*map(int, listed)]


def _found(asked: list[int]) -> list[int]:
    """Return which of some numbers the code finds."""
    code = f"import sys\n{CODE}\nprint(*friedman(map(int, sys.stdin.read().split())))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=" ".join(map(str, asked)),
        capture_output=True,
        text=True,
        check=False,
        timeout=3600,
    )
    assert done.stderr == ""
    return [*map(int, done.stdout.split())]


def _some(numbers: range, first: int, share: int) -> list[int]:
    """Return a share of some numbers, all of them that have the same digits or none of them."""
    return [each for each in numbers if EVERY or (_digits_of(each) - first) % share == 0]


def _digits_of(number: int) -> int:
    """Return the same of all numbers that have the same digits."""
    return sum(int(digit) ** 3 for digit in str(number))


def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, int(number**0.5) + 1))
