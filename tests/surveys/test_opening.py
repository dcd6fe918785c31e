"""Test that opening the file of a survey for reading never creates a file."""

import sqlite3
from pathlib import Path

import pytest

from crisps24.surveys.records import connect, load_survey


@pytest.mark.parametrize("create", [True, False])
def test_a_missing_file_is_created_only_on_request(create: bool, tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    if create:
        connect(path, create=True).close()
    else:
        with pytest.raises(FileNotFoundError):
            connect(path, create=False)
    assert path.exists() == create


def test_a_survey_that_is_deleted_before_it_is_opened_is_not_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "gone.sqlite"
    path.write_bytes(b"a survey")
    connect_sqlite = sqlite3.connect

    def connect_after_deletion(*arguments: object, **options: object) -> sqlite3.Connection:
        path.unlink()
        return connect_sqlite(*arguments, **options)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr(sqlite3, "connect", connect_after_deletion)
    with pytest.raises(OSError, match=r"gone\.sqlite"):
        load_survey(path)
    assert list(tmp_path.iterdir()) == []
