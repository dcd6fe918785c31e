"""Atomic files: complete or unchanged, locks, abandoned temporary files, appended lines."""

import errno
import os
import re
import signal
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO
from unittest.mock import Mock

import pytest

from crisps24 import write_results
from crisps24.output import atomic_files


def write_whole(path: Path) -> None:
    with atomic_files.replace_file(path) as file:
        file.write(b"whole")


def test_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = write_results(143, tmp_path)
    path.chmod(0o640)
    write_results(143, tmp_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"before")
    with suppress(KeyboardInterrupt), atomic_files.replace_file(path) as file:
        file.write(b"half")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"before"
    with atomic_files.replace_file(path) as file:
        file.write(b"after")
        file.flush()
        assert path.read_bytes() == b"before"
    assert path.read_bytes() == b"after"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="this system lacks named pipes")
def test_place_is_checked_before_any_work_and_no_file_is_left(tmp_path: Path) -> None:
    path = tmp_path / "file"
    atomic_files.check_place(path)
    assert not list(tmp_path.iterdir())
    path.write_bytes(b"before")
    atomic_files.check_place(path)
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(FileNotFoundError, match="no such folder"):
        atomic_files.check_place(tmp_path / "nowhere" / "file")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "pipe", tmp_path / "folder"):
        for refused in (atomic_files.check_place, atomic_files.append_lines):
            with pytest.raises(OSError, match="not a regular file") as caught:
                refused(path)
            assert caught.value.filename == str(path)


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOSPC])
def test_error_of_unwritable_path_names_the_requested_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    path = tmp_path / "file"
    (tmp_path / "link").symlink_to(path)

    def refuse(beside: Path, *_: object) -> None:
        raise OSError(number, os.strerror(number), str(beside))

    monkeypatch.setattr(Path, "open", refuse)
    for refused in (write_whole, atomic_files.check_place):
        with pytest.raises(OSError, match=re.escape(os.strerror(number))) as caught:
            refused(tmp_path / "link")
        assert (caught.value.errno, caught.value.filename) == (number, str(tmp_path / "link"))


def test_error_of_renaming_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(beside: Path, there: Path) -> None:
        raise OSError(errno.EPERM, "Operation not permitted", str(beside), None, str(there))

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(OSError, match="not permitted") as caught:
        write_whole(tmp_path / "file")
    assert str(caught.value) == f"[Errno 1] Operation not permitted: '{tmp_path / 'file'}'"
    assert not list(tmp_path.iterdir())


def test_unreadable_folder_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / LEFT).write_bytes(b"half")
    monkeypatch.setattr(os, "scandir", Mock(side_effect=PermissionError))
    atomic_files.remove_abandoned([tmp_path / "results.24"])
    assert (tmp_path / LEFT).exists()


def test_same_place_knows_names_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("again").symlink_to("folder")
    Path("link").symlink_to("folder/file")
    names = ["folder/file", "folder/../folder/file", "again/file", "link", f"{tmp_path}/link"]
    for there in (False, True):
        if there:
            Path("folder/file").touch()
            os.link("folder/file", "hard")
            names.append("hard")
        for one in map(Path, names):
            assert all(atomic_files.same_place(one, Path(other)) for other in names)
            for other in ("folder/other", "file", "nowhere/file"):
                assert not atomic_files.same_place(one, Path(other))
                assert not atomic_files.same_place(Path(other), one)


LEFT = ".results.24.0a1b2c3d"
OTHERS = (".results.25.0a1b2c3d", ".results.24.0a1b2c3", "results.24.0a1b2c3d", ".x.24.0a1b2c3d")


def test_only_abandoned_files_are_removed(tmp_path: Path) -> None:
    for name in (LEFT, *OTHERS):
        (tmp_path / name).write_bytes(b"half")
    (tmp_path / ".results.24.ffffffff").mkdir()
    (tmp_path / ".results.24.eeeeeeee").symlink_to(tmp_path / OTHERS[0])
    write_results(24, tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"results.24", *OTHERS, ".results.24.ffffffff", ".results.24.eeeeeeee"}


def test_abandoned_file_next_to_the_target_of_a_link_is_removed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "results.24")
    (tmp_path / "there" / LEFT).write_bytes(b"half")
    atomic_files.remove_abandoned([tmp_path / "link", tmp_path / "nowhere" / "results.24"])
    assert list((tmp_path / "there").iterdir()) == []


def test_file_that_is_being_written_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "results.24"
    with atomic_files.replace_file(path) as file:
        file.write(b"whole")
        atomic_files.remove_abandoned([path])
        [beside] = tmp_path.iterdir()
        assert str(beside) == file.name
        # Another process, at the same time.
        write_results(24, tmp_path)
        assert beside.exists()
    assert path.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [path]


def test_file_that_was_removed_before_it_was_locked_is_created_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, asked = tmp_path / "results.24", []
    lock = atomic_files._try_lock

    def late(file: BinaryIO) -> None:
        asked.append(file.name)
        if len(asked) == 1:
            Path(file.name).unlink()
        elif len(asked) == 2:
            raise BlockingIOError
        lock(file)

    monkeypatch.setattr(atomic_files, "_try_lock", late)
    write_whole(path)
    assert len(set(asked)) == 3
    assert path.read_bytes() == b"whole"


def test_files_are_written_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_locks = Mock(side_effect=OSError(errno.ENOLCK, "No locks available"))
    monkeypatch.setattr(atomic_files, "_try_lock", no_locks)
    (tmp_path / LEFT).write_bytes(b"half")
    write_results(24, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"results.24", LEFT}


def test_lines_are_appended_after_existing_lines(tmp_path: Path) -> None:
    path = tmp_path / "log"
    atomic_files.append_lines(path)
    assert path.read_bytes() == b""
    atomic_files.append_lines(path, "one\n")
    atomic_files.append_lines(path, "two\nthree\n")
    atomic_files.append_lines(path)
    assert path.read_text() == "one\ntwo\nthree\n"
    path.write_text("torn")
    (tmp_path / "link").symlink_to(path)
    atomic_files.append_lines(tmp_path / "link", "four\n")
    assert path.read_text() == "torn\nfour\n"


def test_line_that_does_not_fit_on_the_disk_is_removed_completely(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="this system cannot limit file sizes")
    path = tmp_path / "log"
    path.write_text("one\n")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (8, before[1]))
    try:
        with pytest.raises(OSError, match="No space"):
            atomic_files.append_lines(path, "two, three\n")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert path.read_text() == "one\n"
