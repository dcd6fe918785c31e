"""The code in the README of the tests finds the published Friedman numbers."""

import re
import subprocess
import sys
from pathlib import Path

from tests.sampling import only_in_long_run

HERE = Path(__file__).parent
[CODE] = re.findall(r"^```python\n(.*?)^```$", (HERE / "README.md").read_text(), re.M | re.S)


def _published(name: str) -> list[int]:
    """Return the numbers in a file of `tests/data`."""
    return [*map(int, (HERE / "data" / name).read_text().partition("\n")[2].split())]


KNOWN, PRIMES = _published("friedman-numbers.txt"), _published("friedman-primes.txt")


@only_in_long_run
def test_code_of_the_readme_finds_oeis_a036057_and_a112419() -> None:
    # All 2,001 hands of five digits take minutes; 16387 is the only number that needs a minus
    # before the first number.
    code = f"{CODE}\nprint(*friedman(range(1000, 100000)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = [*map(int, done.stdout.split())]
    assert [number for number in found if number < 10000] == [each for each in KNOWN if each > 999]
    assert 16387 in found
    large = [number for number in found if number > 9999]
    assert len(large) == 844 - len(KNOWN)
    primes = [number for number in large if _is_prime(number)]
    assert primes == [each for each in PRIMES if 10000 < each < 100000]


def test_example_of_the_readme_starts_with_the_published_numbers() -> None:
    listed = re.findall(r"== \[(.*?)\]", CODE)[0].split(", ")
    assert KNOWN[: len(listed)] == [*map(int, listed)]


def _is_prime(number: int) -> bool:
    return all(number % divisor for divisor in range(2, int(number**0.5) + 1))
