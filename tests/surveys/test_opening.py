"""Opening the file of a survey to read it: nothing is made where there is none, at any moment."""

import sqlite3
from pathlib import Path

import pytest

from crisps24.surveys.records import connect, load


@pytest.mark.parametrize("make", [True, False])
def test_a_file_is_made_where_it_is_wanted_and_nowhere_else(make: bool, tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    if make:
        connect(path, make=True).close()
    else:
        with pytest.raises(FileNotFoundError):
            connect(path, make=False)
    assert path.exists() == make


def test_a_survey_that_is_gone_before_it_is_opened_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "gone.sqlite"
    path.write_bytes(b"a survey")
    open_it = sqlite3.connect

    def late(*words: object, **more: object) -> sqlite3.Connection:
        path.unlink()
        return open_it(*words, **more)  # type: ignore[call-overload, no-any-return]  # as it came

    monkeypatch.setattr(sqlite3, "connect", late)
    with pytest.raises(OSError, match=r"gone\.sqlite"):
        load(path)
    assert list(tmp_path.iterdir()) == []
