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
ASKED = [
    ("game = '{}'", "its game has no name"),
    ("game = 'x'", "its game is not JSON"),
    ("game = '[1]'", "its game has no fields"),
    ("game = x'7b7d'", "its game is not a text"),
    ("game = CAST(x'ff7b7d' AS TEXT)", "its game is not JSON"),
    (f"game = '{HUGE}'", "its game is not JSON"),
    ("game = printf('%.70000c', ' ')", "its game has more than 65,536 characters"),
    ("game = json_remove(game, '$.length')", "its game has no length"),
    ("game = json_set(game, '$.colour', 'red')", 'no game has "colour"'),
    ("game = json_set(game, '$.large', 5)", "large of its game cannot be 5"),
    ("game = json_set(game, '$.length', 1.5)", "length of its game cannot be 1.5"),
    ("game = json_set(game, '$.length', json('true'))", "length of its game cannot be true"),
    ("game = json_set(game, '$.zero', 1)", "zero of its game cannot be 1"),
    ("game = json_set(game, '$.name', char(27))", 'name of its game cannot be "\\u001b"'),
    ("game = json_set(game, '$.target', 'x')", 'target of its game cannot be "x"'),
    ("game = json_set(game, '$.targets', json('[1]'))", "targets of its game cannot be [1]"),
    ("game = json_set(game, '$.targets', json('[2, 1]'))", "targets of its game cannot be [2, 1]"),
    ("game = json_set(game, '$.signs', 'morse')", 'signs of its game cannot be "morse"'),
    ("game = json_set(game, '$.letters', json('[[\"A\"]]'))", "letters of its game cannot be [["),
    ("game = json_set(game, '$.numbers', json('[]'))", "crisps needs at least one number"),
    ("game = json_set(game, '$.operators', json_array('%'))", "unknown operator '%'"),
    ("game = json_set(game, '$.grouping', 'tail')", "always has four numbers"),
    ("game = json_set(game, '$.grouping', 'tail', '$.length', 4)", "crisps has no hands"),
    ("game = json_set(game, '$.length', 1000000000)", "a hand has at most 99 numbers"),
    ("game = json_set(game, '$.length', 99, '$.numbers', json('[1,2,3,4,5,6]'))", "has more than"),
    ("version = x'00'", "its version is not a text"),
    ("version = char(27)", "its version is not a version"),
    ("version = printf('%.101c', '1')", "its version is not a version"),
    ("first_target = 12", "its targets 12..11 run downwards"),
    ("last_target = 'z'", "its first and last target are not whole numbers"),
    ("first_target = 0.5", "its first and last target are not whole numbers"),
    ("last_target = 1000001", "its targets 1..1000001 are more than 1,000,000"),
]

ROWS = [
    ("DELETE FROM hands WHERE hand = 3", "its hand 3 is missing"),
    ("UPDATE hands SET hand = -7 WHERE hand = 4", "its hand 1 is missing"),
    ("UPDATE hands SET numbers = '1 1 2' WHERE hand = 3", "its hand 3 is not 1 2 2"),
    ("UPDATE hands SET numbers = x'00' WHERE hand = 3", "its hand 3 is not 1 2 2"),
    ("INSERT INTO hands VALUES (5, '1', 0, x'0000')", "it has more hands than crisps"),
    ("UPDATE hands SET targets = x'00' WHERE hand = 3", "of its hand 3 are not 11 bits"),
    ("UPDATE hands SET targets = '00' WHERE hand = 3", "of its hand 3 are not 11 bits"),
    ("UPDATE hands SET targets = zeroblob(3) WHERE hand = 3", "of its hand 3 are not 11 bits"),
    ("UPDATE hands SET targets = x'0010' WHERE hand = 3", "of its hand 3 are more than 11 bits"),
    ("UPDATE hands SET reached = reached + 1 WHERE hand = 3", "its hand 3 does not make as many"),
    ("UPDATE hands SET reached = 'x' WHERE hand = 3", "its hand 3 does not make as many"),
    ("UPDATE hands SET targets = zeroblob(2) WHERE hand = 3", "its hand 3 does not make as many"),
    ("UPDATE hands SET targets = zeroblob(5000000) WHERE hand = 2", "too big"),
]

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
OTHER_TABLES = [
    (
        [
            "ALTER TABLE hands RENAME TO others",
            f"CREATE VIEW hands AS {ENDLESS} SELECT i AS hand, '1' AS numbers, 0 AS reached, "
            "x'0000' AS targets FROM n",
        ],
        "its hands is not a table",
    ),
    (["CREATE TRIGGER t INSERT ON hands BEGIN DELETE FROM survey; END"], "it has an extra trigger"),
    (["CREATE VIEW v AS SELECT 1"], "it has an extra view"),
    (["ALTER TABLE hands ADD COLUMN colour TEXT"], "its table hands has other columns"),
    (["DROP TABLE survey"], "it is another SQLite file"),
    (["PRAGMA application_id = 7"], "it is another SQLite file"),
    (["PRAGMA user_version = 7"], "it is another SQLite file"),
]

# SQL, and the start and a part of the refusal of the file that it changes.
DAMAGE: list[tuple[list[str], str, str]] = [
    *(([f"UPDATE survey SET {change}"], "is not a survey that", told) for change, told in ASKED),
    (["DELETE FROM survey"], "", "it does not have exactly one game"),
    (["INSERT INTO survey SELECT * FROM survey"], "", "it does not have exactly one game"),
    *(([change], "" if told == "too big" else "is damaged: ", told) for change, told in ROWS),
    *((changes, "is not a survey: ", told) for changes, told in OTHER_TABLES),
]


@pytest.mark.parametrize(("changes", "start", "told"), DAMAGE)
def test_a_damaged_file_is_refused_with_the_reason(
    small: Path, run: Run, changes: list[str], start: str, told: str
) -> None:
    edit(small, *changes)
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
        sentence = str(error)
        kind = type(error).__name__
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
def test_a_game_that_cannot_be_read_back_is_not_stored(
    tmp_path: Path, game: Any, targets: range, told: str
) -> None:
    with pytest.raises(ValueError, match=told):
        survey(game, targets, store=tmp_path / "a.sqlite")
    assert not list(tmp_path.iterdir())
