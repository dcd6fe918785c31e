"""Files that are whole or not there, in the place of what was there before."""

import os
import stat
from pathlib import Path

import pytest

from crisps24 import write_results
from crisps24.cli.program import main
from crisps24.outside.whole_files import check_place, replacing


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
