"""Each option of each command works in some call: none is always refused."""

import io
import shlex
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from shutil import copytree

import pytest

from crisps24 import GAMES, survey, write_results
from crisps24.cli import serving
from crisps24.cli.program import main
from tests.cli.calls import BASES, NAMES, OWN, OptionCall, option_calls, write_files
from tests.extras import skip_without_extra
from tests.sampling import some


def spelling_of(call: OptionCall) -> str:
    return call.name.split()[1]


CALLS = list(option_calls())
# In the long run all of them; else each spelling in one command.
TRIED = [
    call
    for _, calls in groupby(sorted(CALLS, key=spelling_of), key=spelling_of)
    for call in some(calls, 1)
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    write_files(folder)
    write_results(24, folder / "results")
    small = replace(GAMES["crisps"], numbers=(1, 2, 3), length=3)
    survey(small, range(1, 25)).save(folder / "found.sqlite")
    return folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Path) -> Path:
    """Change to a copy of the files; stdin is empty and no server starts."""
    copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))

    def listen(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(serving, "_open_listener", listen)
    return tmp_path


def test_tables_list_only_existing_options() -> None:
    assert set(BASES) == set(NAMES)
    assert set(OWN) <= {call.line for call in CALLS}


@pytest.mark.parametrize("call", TRIED, ids=[call.name for call in TRIED])
@pytest.mark.usefixtures("folder")
def test_every_option_works_in_a_call(call: OptionCall, capsys: pytest.CaptureFixture[str]) -> None:
    skip_without_extra(call.line)
    words = shlex.split(call.line)
    command, spelling = call.name.split()
    assert words[0] == command
    assert spelling in words
    status = main(words)
    # 130: the server was about to listen.
    expected = (130,) if command == "serve" else (0, 1)
    assert status in expected, capsys.readouterr().err
