"""The code in the README of the tests finds the published Friedman numbers."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.sampling import only_in_long_run

HERE = Path(__file__).parent
[CODE] = re.findall(r"^```python\n(.*?)^```$", (HERE / "README.md").read_text(), re.M | re.S)
EVERY = os.environ.get("CRISPS24_EVERY") == "1"


def _published(name: str) -> list[int]:
    """Return the numbers in a file of `tests/data`."""
    return [*map(int, (HERE / "data" / name).read_text().partition("\n")[2].split())]


KNOWN, PRIMES = _published("friedman-numbers.txt"), _published("friedman-primes.txt")


@only_in_long_run
def test_code_of_the_readme_finds_oeis_a036057_and_a112419() -> None:
    # All 2,001 hands of five digits take minutes. The sample contains 16387, the only number that
    # needs a minus before the first number.
    four_digits = _sample(range(1000, 10000), 18, 24)
    five_digits = _sample(range(10000, 100000), _digit_key(16387), 256)
    friedman_numbers = _friedman_numbers([*four_digits, *five_digits])
    known = sorted({*KNOWN} & {*four_digits})
    assert [number for number in friedman_numbers if number < 10000] == known
    assert len(known) >= 8
    large = friedman_numbers[len(known) :]
    assert 16387 in large
    primes = sorted({*PRIMES} & {*five_digits})
    assert [number for number in large if _is_prime(number)] == primes
    assert len(primes) >= 2
    if EVERY:
        assert len(large) == 844 - len(KNOWN)


def test_example_of_the_readme_starts_with_the_published_numbers() -> None:
    listed = re.findall(r"== \[(.*?)\]", CODE)[0].split(", ")
    assert KNOWN[: len(listed)] == [*map(int, listed)]


def _friedman_numbers(numbers: list[int]) -> list[int]:
    """Return the numbers that the code of the README finds."""
    code = f"import sys\n{CODE}\nprint(*friedman(map(int, sys.stdin.read().split())))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=" ".join(map(str, numbers)),
        capture_output=True,
        text=True,
        check=False,
        timeout=3600,
    )
    assert done.stderr == ""
    return [*map(int, done.stdout.split())]


def _sample(numbers: range, key: int, divisor: int) -> list[int]:
    """Return about one of `divisor` numbers; all numbers with the same digits are in or out."""
    return [number for number in numbers if EVERY or (_digit_key(number) - key) % divisor == 0]


def _digit_key(number: int) -> int:
    """Return a key that is equal for numbers with the same digits."""
    return sum(int(digit) ** 3 for digit in str(number))


def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, int(number**0.5) + 1))
