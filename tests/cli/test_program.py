"""The program itself: how it ends when it is stopped, when a disk is full or a call is wrong."""

import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crisps24.cli.program import main

PROGRAM = f"{shlex.quote(sys.executable)} -m crisps24"


def shell(line: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_signal_leaves_no_half_of_a_file(tmp_path: Path, number: signal.Signals) -> None:
    # Whoever runs the tests with nohup has SIGHUP switched off for them.
    code = (
        f"import signal, sys; signal.signal({int(number)}, signal.SIG_DFL); "
        "from crisps24.cli.program import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "24", "--length", "7", "--dir", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        give_up = time.monotonic() + 60
        while not list(tmp_path.iterdir()):
            assert time.monotonic() < give_up
            time.sleep(0.02)
        running.send_signal(number)
        _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (
        128 + number,
        "crisps24: stopped; no file is half-written\n",
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_help_into_a_full_disk_is_told_in_one_line() -> None:
    done = shell(f"{PROGRAM} --help > /dev/full")
    assert done.returncode == 2
    assert done.stderr == "crisps24: No space left on device\n"


def test_a_number_below_zero_in_place_of_an_option_is_explained(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["results", "-5"]) == 2
    told = "crisps24: No such option '-5'. (put -- before a number below zero)\n"
    assert capsys.readouterr().err == told


def test_stdin_that_is_closed_holds_no_formula() -> None:
    done = shell(f"{PROGRAM} check --file - <&-")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_a_pipe_is_verified_as_a_file_is(tmp_path: Path) -> None:
    path = tmp_path / "results.143"
    assert main(["143", "--dir", str(tmp_path)]) == 0
    done = shell(f"{PROGRAM} verify <(cat {path}) --target 143 --format json")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"verdict": "right"' in done.stdout
