"""A command that takes long says so on stderr: in a line that is drawn on a terminal, or once."""

import os
import pty
import subprocess
import sys

# A search of some seconds, with the first line due earlier than usual.
CALL = """
from crisps24.cli import progress
from crisps24.cli.program import main
progress.DRAWN_AFTER = progress.PRINTED_AFTER = 0.5
main("reach 1 2 3 4 5 6 7 8 9 --game countdown --numbers 1..10".split())
"""


def test_a_long_search_says_once_without_a_terminal_that_it_is_at_work() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", CALL], capture_output=True, text=True, timeout=60, check=False
    )
    said = [line for line in ran.stderr.splitlines() if "at work for" in line]
    assert len(said) == 1
    assert said[0].startswith("crisps24: reach: at work for ")


def test_a_long_search_draws_a_line_on_a_terminal() -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", CALL], stdout=subprocess.DEVNULL, stderr=theirs
    ) as search:
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 1000):
                said += part
        except OSError:
            # The end of a terminal.
            pass
    os.close(ours)
    assert search.returncode == 0
    assert b"\rreach: at work for" in said
    # It is removed at the end.
    assert b"at work" not in said.split(b"\r  ")[-1]
