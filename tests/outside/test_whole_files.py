"""Files that are whole or not there, in the place of what was there before."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

import pytest

from crisps24 import write_results
from crisps24.cli.program import main
from crisps24.outside import whole_files
from crisps24.outside.whole_files import check_place, remove_left, replacing


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


def test_a_file_is_renamed_to_its_place_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    with replacing(path) as file:
        file.write(b"after")
        file.flush()
        assert path.read_bytes() == b"before"
    assert path.read_bytes() == b"after"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_raised_on_the_way_leaves_the_place_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")

    def stopped() -> None:
        with replacing(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_in_no_folder_is_told_before_any_work(tmp_path: Path) -> None:
    check_place(tmp_path / "file")
    with pytest.raises(FileNotFoundError, match="there is no such folder"):
        check_place(tmp_path / "nowhere" / "file")


LEFT = ".results.24.0a1b2c3d"
OTHERS = (".results.25.0a1b2c3d", ".results.24.0a1b2c3", "results.24.0a1b2c3d", ".x.24.0a1b2c3d")


def test_what_a_killed_run_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    for name in (LEFT, *OTHERS):
        (tmp_path / name).write_bytes(b"half")
    (tmp_path / ".results.24.ffffffff").mkdir()
    (tmp_path / ".results.24.eeeeeeee").symlink_to(tmp_path / OTHERS[0])
    write_results(24, tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"results.24", *OTHERS, ".results.24.ffffffff", ".results.24.eeeeeeee"}


def test_what_is_left_beside_the_file_that_a_link_names_is_removed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "results.24")
    (tmp_path / "there" / LEFT).write_bytes(b"half")
    remove_left([tmp_path / "link", tmp_path / "nowhere" / "results.24"])
    assert list((tmp_path / "there").iterdir()) == []


def test_what_is_being_written_is_not_taken_for_left(tmp_path: Path) -> None:
    path = tmp_path / "results.24"
    with replacing(path) as file:
        file.write(b"whole")
        remove_left([path])
        [beside] = tmp_path.iterdir()
        assert str(beside) == file.name
        # Another run, at the same time.
        write_results(24, tmp_path)
        assert beside.exists()
    assert path.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_was_taken_for_left_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, asked = tmp_path / "results.24", []
    lock = whole_files._ask_for_lock

    def late(file: BinaryIO) -> None:
        asked.append(file.name)
        if len(asked) == 1:
            Path(file.name).unlink()
        elif len(asked) == 2:
            raise BlockingIOError
        lock(file)

    monkeypatch.setattr(whole_files, "_ask_for_lock", late)
    with replacing(path) as file:
        file.write(b"whole")
    assert len(set(asked)) == 3
    assert path.read_bytes() == b"whole"


def test_where_there_are_no_locks_files_are_written_and_none_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(_: BinaryIO) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(whole_files, "_ask_for_lock", none)
    (tmp_path / LEFT).write_bytes(b"half")
    write_results(24, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"results.24", LEFT}
