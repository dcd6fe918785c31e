"""Results files: equal to the published file, and never left incomplete."""

import errno
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Game, ResultsError, count, formulas, read_results, write_results
from crisps24.enumeration import results
from crisps24.enumeration.enumeration import RowQuery
from crisps24.enumeration.format import Format, LineWriter
from crisps24.errors import RefusedError
from crisps24.rules.exact import Exact
from crisps24.rules.games import change_rules
from tests.commands import Run
from tests.oracle import rows, small_games, value_of
from tests.sampling import in_one_test

PUBLISHED = Path(__file__).parent.parent / "data" / "published-results.143"
CRISPS = GAMES["crisps"]


@pytest.mark.parametrize("target", [24, 78, 143])
def test_written_file_equals_the_committed_sample(target: int, tmp_path: Path) -> None:
    told: list[int] = []
    path = write_results(target, tmp_path, progress=told.append)
    assert path == tmp_path / f"results.{target}"
    assert path.read_bytes() == (Path(__file__).parents[2] / "results" / path.name).read_bytes()
    assert sum(told) == count(target)


def test_all_files_of_both_games_match_brute_force(tmp_path: Path) -> None:
    for game in (replace(CRISPS, numbers=(1, 2, 3, 7)), GAMES["game24"]):
        game = replace(game, numbers=(1, 2, 3, 7))
        header = "   i   j   k   l   op1  op2  op3\n  --- --- --- ---   -    -    -\n"
        expected: dict[Exact, list[str]] = {}
        for numbers, operators in rows(game):
            value = value_of(numbers, operators, game)
            if value is not None:
                line = "".join(f"{number:4}" for number in numbers)
                line += "".join(f"    {operator}" for operator in operators)
                expected.setdefault(value, [header]).append(f"{line}\n")
        folder, query = tmp_path / game.name, RowQuery(game)
        written = list(results.write_results_files(sorted(expected), folder, query))
        texts = {file.target: file.path.read_text() for file in written}
        assert texts == {target: "".join(lines) for target, lines in expected.items()}
        assert [file.lines - 2 for file in written] == [file.row_count for file in written]


TWO, WIDE = "   i   j   op1\n  --- ---   -\n", "    i    j   op1\n  ---- ----   -\n"


# Changes of a game of rows of two numbers, a target, the name and the text of its file.
@in_one_test(
    ("changes", "target", "name", "text"),
    ({"numbers": (3, 25, 100)}, 2500, "2500", f"{TWO}  25 100    x\n 100  25    x\n"),
    ({"numbers": (1, 1000)}, 1001, "1001", f"{WIDE}    1 1000    +\n 1000    1    +\n"),
    ({"numbers": (-100, 5), "negatives": True}, -20, "-20", f"{WIDE} -100    5    :\n"),
    ({"numbers": (3, 4), "fractions": True}, Fraction(3, 4), "3_4", f"{TWO}   3   4    :\n"),
    (
        *({"numbers": (3, -4), "fractions": True, "negatives": True}, Fraction(-3, 4), "-3_4"),
        f"{TWO}   3  -4    :\n",
    ),
    ({"length": 1}, 7, "7", "   i\n  ---\n   7\n"),
)
def test_file_of_other_numbers_and_lengths(
    changes: dict[str, Any], target: Exact, name: str, text: str, tmp_path: Path
) -> None:
    game = replace(CRISPS, **({"length": 2} | changes))
    path = write_results(target, tmp_path / "a" / "b", game)
    assert path.name == f"results.{name}"
    assert path.read_text() == text
    assert list(read_results(path)) == list(formulas(target, game))


@given(st.fractions(max_denominator=99))
def test_file_name_contains_the_target(target: Fraction) -> None:
    assert results.target_of_name(Path(results.file_name_of(target))) == target


@in_one_test(
    ("name", "target"),
    *((name, 24) for name in ("RESULTS.24", "results.24.txt", "Results.24.TXT", "a.b.24")),
    *(("old.24", 24), ("OLD.-3_4.txt", Fraction(-3, 4)), (".24", None), ("24", None)),
    *((name, None) for name in ("results", "results.", "results.x", "results.1_0", "a.24.gz")),
)
def test_a_target_comes_from_the_names_of_results_only(name: str, target: Exact | None) -> None:
    assert results.target_of_name(Path(name)) == target


@given(small_games())
def test_file_bytes_is_the_size_of_the_file(game: Game) -> None:
    layout = Format.of_game(game)
    rows = map(layout.format_row, formulas(2, game))
    text = "".join(f"{line}\n" for line in (*layout.header, *rows))
    assert layout.file_bytes(count(2, game)) == len(text)


@in_one_test(
    ("content", "line", "problem"),
    (b"", 1, "this is not the header of a results file"),
    (b"hello\nworld\n", 1, "this is not the header of a results file"),
    (b"   i\n  ---\n   7\n\n", 4, "this is not a row of 1 number and 0 operators"),
    (b"   i   j   op1\n  --- ---   -\n   7   7    ?\n", 3, "not a row of 2 numbers and 1 operator"),
    (b"   i\n  ---\n   7\n\xff\n", 4, "not a text file: byte 0xff in it"),
    (b"   i\n  ---\n" + b" " * 10_001, 3, "not a results file: over 10,000 bytes long"),
)
def test_unreadable_line_is_named(content: bytes, line: int, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "results.7"
    path.write_bytes(content)
    with pytest.raises(ResultsError) as caught:
        list(read_results(path))
    assert caught.value.line == line
    assert problem in caught.value.problem
    with pytest.raises(FileNotFoundError):
        list(read_results(tmp_path / "results.8"))


def fail_after(monkeypatch: pytest.MonkeyPatch, error: BaseException, blocks: int = 0) -> None:
    write_lines = LineWriter.lines

    def failing(*arguments: Any) -> Iterator[memoryview]:
        nonlocal blocks
        blocks -= 1
        if blocks < 0:
            raise error
        return write_lines(*arguments)

    monkeypatch.setattr(LineWriter, "lines", failing)


FAILURES = [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt(), MemoryError()]


@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("blocks", [0, 1])
def test_failure_leaves_only_the_old_file(
    error: BaseException, blocks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "results.24").write_text("unchanged")
    fail_after(monkeypatch, error, blocks)
    with pytest.raises(type(error)):
        write_results(24, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["results.24"]
    assert (tmp_path / "results.24").read_text() == "unchanged"


def test_files_before_a_failure_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_after(monkeypatch, KeyboardInterrupt(), 2)
    with pytest.raises(KeyboardInterrupt):
        list(results.write_results_files([143, 24], tmp_path, RowQuery.of("crisps")))
    assert [path.name for path in tmp_path.iterdir()] == ["results.143"]
    assert (tmp_path / "results.143").read_bytes() == PUBLISHED.read_bytes()


def test_file_that_does_not_fit_on_the_disk_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    size = PUBLISHED.stat().st_size
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=size))
    write_results(143, tmp_path / "fits")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=size - 1))
    reason = "it would be 1,601 bytes, and 1,600 are free"
    with pytest.raises(OSError, match=reason) as caught:
        write_results(143, tmp_path)
    assert caught.value.errno == errno.ENOSPC
    assert run("143 --dir .") == (2, "", f"crisps24: results.143: {reason} on the disk\n")
    assert [path.name for path in tmp_path.iterdir()] == ["fits"]


@pytest.mark.skipif(os.getuid() == 0, reason="root can write to read-only folders")
def test_read_only_folder_is_reported(tmp_path: Path, run: Run) -> None:
    tmp_path.chmod(0o500)
    ran = run("143 --dir .")
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert list(tmp_path.iterdir()) == []


@in_one_test("length", *range(1, 40))
def test_header_names_each_number_and_operator_once(length: int) -> None:
    names, line = Format(length).header
    numbers = names.split()[:length]
    assert numbers[:18] == list("ijklmnopqrstuvwxyz"[:length])
    assert numbers[18:] == [f"n{place}" for place in range(19, length + 1)]
    assert names.split()[length:] == [f"op{place}" for place in range(1, length)]
    assert len(line.split()) == 2 * length - 1
    assert Format.of_header(names, line) == Format(length)


def test_a_folder_has_the_rules_of_its_results() -> None:
    for changes, name in (
        ({}, ""),
        ({"length": 3, "zero": False}, "length=3,zero=no"),
        ({"operators": "+-:"}, "operators=-+÷"),
        ({"numbers": (1, 2, 75)}, "numbers=1+2+75"),
    ):
        game = change_rules(GAMES["crisps"], changes)
        assert results.folder_name_of(game) == name
        assert results.game_of_folder(name, GAMES["crisps"]) == game
    for name in ("results", "length=x", "a=b", "length=3,length", "C:", "=", "zero=no,"):
        assert results.game_of_folder(name, GAMES["crisps"]) == GAMES["crisps"]
    long = results.folder_name_of(replace(GAMES["crisps"], numbers=tuple(range(1, 200, 2))))
    assert len(long.encode()) < 120
    assert results.game_of_folder(long, GAMES["crisps"]) == GAMES["crisps"]


def test_only_a_results_file_is_replaced(tmp_path: Path) -> None:
    path = write_results(3, tmp_path, replace(GAMES["crisps"], length=2))
    right = path.read_bytes()
    for data in (right, right.replace(b"\n", b"\r\n"), b"".join(right.splitlines(True)[:2])):
        path.write_bytes(data)
        results.check_replaceable([path, tmp_path, tmp_path / "none"])
    for data in (b"", b"my notes\n", right[:20], b"\0" * 10**6, b"\xff\xfe", b"x\n" + right):
        path.write_bytes(data)
        with pytest.raises(RefusedError, match="is no results file: move it"):
            results.check_replaceable([path])
