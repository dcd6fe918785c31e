"""The types of the public names, as type checkers and editors find them."""

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import pytest

from crisps24.judging.judge import CODES, Code, Verdict
from tests.sampling import only_in_long_run

CALLS = Path(__file__).with_name("typical_calls.py")


# The check of all types also has these calls.
@only_in_long_run
@pytest.mark.skipif(find_spec("mypy") is None, reason="the extra check has mypy")
def test_mypy_accepts_right_calls_and_refuses_wrong_ones() -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "", str(CALLS)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=CALLS.parents[1])
    assert ran.returncode == 0, ran.stdout


@pytest.mark.skipif(shutil.which("pyright") is None, reason="no extra has pyright")
def test_pyright_accepts_right_calls() -> None:
    ran = subprocess.run(["pyright", CALLS], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


def test_verdicts_and_codes_are_those_of_the_judge() -> None:
    assert {*get_args(Verdict)} == {*CODES}
    assert {*get_args(Code)} == {code for codes in CODES.values() for code in codes}
