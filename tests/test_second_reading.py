"""What a second reading of the program found, each with its test."""

import copy
import os
import pickle
import shlex
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crisps24 import (
    GAMES,
    Formula,
    FormulaError,
    IllegalFormulaError,
    counts,
    evaluate,
    parse,
    verify_results,
    write_results,
)
from crisps24.cli import main
from crisps24.rows import results as results_room

CRISPS = GAMES["crisps"]
PROGRAM = f"{shlex.quote(sys.executable)} -m crisps24"


def shell(line: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, timeout=60, check=False
    )


def test_the_whole_table_of_nine_digits_is_counted_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def one_by_one(*_: Any) -> int:
        raise AssertionError("158,258 targets one by one")

    monkeypatch.setattr(results_room, "count", one_by_one)
    assert main(["count", "--top", "1", "--length", "9", "--format", "csv"]) == 0
    best = max(counts(replace(CRISPS, length=9)).values())
    assert f",{best}," in capsys.readouterr().out


def test_a_pipe_is_verified_as_a_file_is(tmp_path: Path) -> None:
    path = write_results(143, tmp_path)
    done = shell(f"{PROGRAM} verify <(cat {path}) --target 143 --format json")
    assert (done.returncode, done.stderr) == (0, "")
    assert '"verdict": "right"' in done.stdout


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = write_results(143, tmp_path)
    path.chmod(0o640)
    write_results(143, tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_what_is_no_regular_file_is_not_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "results.143")
    assert main(["143", "--dir", str(tmp_path)]) == 2
    told = f"crisps24: {tmp_path / 'results.143'}: it is there, and no regular file\n"
    assert capsys.readouterr().err == told
    assert stat.S_ISFIFO((tmp_path / "results.143").stat().st_mode)
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_signal_leaves_no_half_of_a_file(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "crisps24", "24", "--length", "7", "--dir", str(tmp_path)]
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


def test_problems_that_are_not_listed_are_counted_and_what_is_missing_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_results(143, tmp_path)
    assert main(["verify", str(path), "--target", "24"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-22] == "… and 28 more"
    assert lines[-21] == "missing: 1 - 1 + 3 x 8"
    assert lines[-1] == "… and 2,354 more"


def test_a_file_for_a_target_that_the_game_cannot_have_says_so(tmp_path: Path) -> None:
    game = replace(CRISPS, fractions=True)
    path = write_results(evaluate("3 : 4", game), tmp_path, game)
    [problem] = verify_results(path).problems
    assert problem.problem == "3/4: crisps has whole targets only (--fractions)"
    assert verify_results(path, game).verdict == "right"


def test_a_byte_order_mark_is_named(tmp_path: Path) -> None:
    path = write_results(143, tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    [problem] = verify_results(path).problems
    assert str(problem) == "line 1: the file begins with a byte order mark"


def test_one_of_two_header_lines_is_missing(tmp_path: Path) -> None:
    path = write_results(10**6, tmp_path)
    path.write_text(path.read_text().splitlines(keepends=True)[0])
    assert [str(one) for one in verify_results(path).problems] == [
        "the second header line is missing"
    ]


@pytest.mark.parametrize(
    "fields", [{"numbers": (1.5, 2)}, {"length": 2.0}, {"grouping": "left"}], ids=str
)
def test_what_is_no_game_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"have to be whole|there is no grouping 'left'"):
        replace(CRISPS, **fields)


def test_trees_and_errors_are_copied_and_pickled() -> None:
    tree = parse("8 / (3 - 8 / 3)", "digits")
    assert copy.deepcopy(tree) == tree
    assert evaluate(pickle.loads(pickle.dumps(tree)), "digits") == 24
    with pytest.raises(FormulaError) as caught:
        evaluate("9 : 7")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is IllegalFormulaError
    assert (again.text, again.position, again.reason) == (
        "9 : 7",
        0,
        "9 : 7 leaves a remainder of 2",
    )


def test_a_formula_has_an_operator_between_each_two_numbers() -> None:
    with pytest.raises(ValueError, match="2 numbers and 2 operators are no formula"):
        Formula((1, 2), ("+", "+"))


def test_a_number_that_is_not_dealt_has_no_working(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "1 + 12", "8 - 9 : 7", "--steps", "--format", "csv"]) == 1
    first, second = capsys.readouterr().out.splitlines()[1:]
    assert first == "1 + 12,,illegal,12 is not a number of crisps (1..9),4,"
    assert second.endswith(",4,9 : 7 leaves a remainder of 2")
