"""Test damaged and malicious files of surveys: each is refused in one sentence."""

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from crisps24 import GAMES, Survey, survey
from crisps24.surveys.records import connect, load_survey
from tests.commands import Run
from tests.sampling import EVERY, in_one_test
from tests.tables import cells_of

# Two hands of three numbers, and three targets: a small file that can be damaged in all ways.
GAME = replace(GAMES["crisps"], length=3, numbers=(1, 2), repeats=True)
TARGETS = range(1, 12)
CALL = "survey crisps --length 3 --numbers 1,2 --targets 1..11"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.sqlite"
    survey(GAME, TARGETS, store=path)
    return path


def edit(path: Path, *statements: str) -> None:
    """Run SQL statements on a file, also on its definitions."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA writable_schema = ON")
        for statement in statements:
            connection.execute(statement)


def refusal(path: Path, run: Run, *more: str) -> str:
    """Return the error of showing a file, which with more options is that of continuing it."""
    told = []
    for call in (f"survey --from {path}", f"{CALL} --out {path}"):
        status, out, err = run(call, *more)
        assert (status, out) == (2, "")
        assert err.startswith(f"crisps24: {path}")
        assert len(err.splitlines()) == 1
        told.append(err.removeprefix(f"crisps24: {path}").strip())
    assert told[0] == told[1] or not more
    return told[0]


def test_the_undamaged_file_is_a_survey(small: Path) -> None:
    assert len(Survey.load(small).hands) == 4
    assert survey(GAME, TARGETS, store=small).targets == TARGETS
    edit(small, "UPDATE survey SET game = json_remove(game, '$.zero', '$.large')")
    assert survey(GAME, TARGETS, store=small).game == Survey.load(small).game == GAME


HUGE = "[" * 30_000 + "]" * 30_000


@pytest.mark.parametrize(("changes", "start", "told"), cells_of("damaged-surveys.txt"))
def test_a_damaged_file_is_refused_with_the_reason(
    small: Path, run: Run, changes: str, start: str, told: str
) -> None:
    edit(small, *changes.replace("HUGE", HUGE).split(" ;; "))
    said = refusal(small, run)
    assert (said.startswith(start), told in said) == (True, True), said


@in_one_test("size", -100, 8192, 50)
def test_a_truncated_file_is_not_a_survey(small: Path, run: Run, size: int) -> None:
    small.write_bytes(small.read_bytes()[:size])
    refusal(small, run)


@in_one_test("make", os.mkfifo, os.mkdir)
@in_one_test("read", Survey.load, lambda path: survey("crisps", 24, store=path))
def test_pipes_and_folders_are_refused_without_waiting(
    tmp_path: Path, make: Callable[[Path], None], read: Callable[[Path], object]
) -> None:
    path = tmp_path / make.__name__
    if not path.exists():
        make(path)
    with pytest.raises(OSError, match=r"not a regular file|it is a folder") as caught:
        read(path)
    assert caught.value.filename == str(path)


CELLS = [
    ("survey", ["game", "version", "first_target", "last_target"]),
    ("hands", ["hand", "numbers", "reached", "targets"]),
]
VALUES = [
    *("0", "-1", "1", "9223372036854775807", "1e300", "''", "'x'", "x''", "zeroblob(5000)"),
    *("'{}'", "'[]'", "'1 1 1'", "x'0000'", "zeroblob(2)", "CAST(x'ff' AS TEXT)", "'null'"),
]


def damaged(contents: bytes, dice: Random, path: Path, cells: Sequence[Any]) -> None:
    kind = dice.randrange(4)
    changed = bytearray(contents)
    if kind == 0:
        for _ in range(dice.choice((1, 1, 2, 8, 100))):
            changed[dice.randrange(len(changed))] = dice.randrange(256)
    elif kind == 1:
        # Mostly in the headers of the file and of its pages.
        page = dice.randrange(len(changed) // 4096) * 4096
        at = page + dice.randrange(100 if page else 300)
        changed[at] = dice.choice((0, 1, 2, 127, 128, 255, changed[at] ^ (1 << dice.randrange(8))))
    elif kind == 2:
        begin, end = sorted(dice.randrange(len(changed)) for _ in range(2))
        changed[begin:end] = dice.choice((b"", b"\xff" * (end - begin), changed[: end - begin]))
    path.write_bytes(changed)
    if kind == 3:
        table, columns = dice.choice(cells)
        value = dice.choice(VALUES)
        with closing(sqlite3.connect(path)) as connection, connection:
            at = dice.randrange(1, 6)
            query = f"UPDATE OR IGNORE {table} SET {dice.choice(columns)} = {value}"
            try:
                connection.execute(f"{query} WHERE rowid = {at}")
            except sqlite3.Error:
                connection.rollback()


def refused(path: Path, read: Callable[[Path], object]) -> str:
    """Return the class of the error of reading a file; its message is one line with the name."""
    try:
        read(path)
    except (ValueError, OSError) as error:
        kind, sentence = type(error).__name__, str(error)
    else:
        return "read"
    assert str(path) in sentence
    assert sentence.isprintable()
    return kind


def read_damaged(contents: bytes, folder: Path, readers: Sequence[Any], *more: Any) -> None:
    dice, path, made = Random(11), folder / "damaged.sqlite", set()
    for _ in range(300 if EVERY else 120):
        damaged(contents, dice, path, [*CELLS, *more])
        made.add(" ".join(refused(path, read) for read in readers))
        for left in folder.glob("damaged*"):
            left.unlink()
    assert {"read read", "RefusedError RefusedError"} <= made


def test_reading_creates_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "gone.sqlite"
    with pytest.raises(FileNotFoundError):
        connect(path, create=False)
    assert not path.exists()
    connect(path, create=True).close()
    connect_sqlite = sqlite3.connect

    def connect_after_deletion(*arguments: Any, **options: Any) -> Any:
        path.unlink()
        return connect_sqlite(*arguments, **options)

    monkeypatch.setattr(sqlite3, "connect", connect_after_deletion)
    with pytest.raises(OSError, match=r"gone\.sqlite"):
        load_survey(path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_with_any_change_is_read_or_refused(small: Path, tmp_path: Path) -> None:
    readers = [Survey.load, lambda path: survey(GAME, TARGETS, store=path)]
    read_damaged(small.read_bytes(), tmp_path, readers)


@in_one_test(
    ("game", "targets", "told"),
    (replace(GAME, name="a" * 2_000), TARGETS, "a file cannot keep"),
    (GAME, range(1 << 63, (1 << 63) + 1), "a file keeps targets up to 9,223,372,036,854,775,807"),
)
def test_unreadable_games_are_refused(tmp_path: Path, game: Any, targets: range, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        survey(game, targets, store=tmp_path / "a.sqlite")
    assert not list(tmp_path.iterdir())
