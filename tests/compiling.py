"""Compile programs in C, which stand beside the tests that compare with them."""

import shutil
import subprocess
from pathlib import Path

import pytest


def compiled(source: Path, folder: Path, *options: str) -> str:
    """Return the program in a folder that gcc makes of a source; skip the test without gcc."""
    if (gcc := shutil.which("gcc")) is None:
        pytest.skip("gcc is missing")
    program = str(folder / source.stem)
    subprocess.run([gcc, "-O2", *options, "-o", program, source], check=True)
    return program
