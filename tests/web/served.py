"""The program serving, for tests that ask it as others do."""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

CHROMIUM = Path("/usr/bin/chromium")


@contextmanager
def served(
    *options: str, program: Sequence[str] = ("-m", "crisps24")
) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Give the address of a server of its own, and its process."""
    command = [sys.executable, *program, "serve", "--port", "0", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            assert running.stdout is not None
            told = running.stdout.readline()
            found = re.match(r"(http://\S+)/ ", told)
            assert found, told or running.communicate()[1]
            yield found[1], running
        finally:
            running.terminate()
            running.communicate(timeout=30)
