"""Reports of long commands on stderr: one line after some seconds."""

import subprocess
import sys

# A search of a second, with the line due earlier than usual.
CALL = """
from crisps24.cli import progress
from crisps24.cli.program import main
progress.SECONDS_UNTIL_PRINTED = 0.1
main("reach 1 2 3 4 5 6 7 8 --game countdown --numbers 1..10".split())
"""


def test_long_search_prints_one_line() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", CALL], capture_output=True, text=True, timeout=60, check=False
    )
    assert ": at work for 0 s\n" in ran.stderr
