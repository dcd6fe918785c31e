"""What a browser lacks: locks are not needed there, and the rest is refused in one sentence."""

import sys
from pathlib import Path

import pytest

from crisps24 import RefusedError
from crisps24.output.atomic_files import append_lines, remove_abandoned, replace_file
from crisps24.output.executors import processes
from crisps24.surveys.records import connect


def test_files_are_written_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    path = tmp_path / "results"
    with replace_file(path) as file:
        file.write(b"first")
    append_lines(path, "second\n")
    (tmp_path / ".results.0a1b2c3d").touch()
    remove_abandoned([path])
    assert path.read_bytes() == b"first\nsecond\n"
    assert len([*tmp_path.iterdir()]) == 2


def test_processes_and_surveys_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "concurrent.futures.process", None)
    monkeypatch.setitem(sys.modules, "sqlite3", None)
    with pytest.raises(RefusedError, match="worker processes cannot be started in a browser"):
        processes().__enter__()
    with pytest.raises(RefusedError, match="files of surveys need SQLite, which a browser lacks"):
        connect(tmp_path / "survey", create=True)
