"""Each option of each command works in some call: none is always refused."""

import shlex
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from shutil import copytree
from unittest.mock import Mock

import pytest

from crisps24 import GAMES, survey, write_results
from crisps24.cli import serving
from tests.cli.calls import BASES, NAMES, OWN, OptionCall, option_calls, write_files
from tests.commands import Run
from tests.extras import skip_without_extra
from tests.sampling import some


def spelling_of(call: OptionCall) -> str:
    return call.name.split()[1]


CALLS = list(option_calls())
# In the long run all of them; else each spelling in one command.
BY_SPELLING = groupby(sorted(CALLS, key=spelling_of), key=spelling_of)
TRIED = [call for _, calls in BY_SPELLING for call in some(calls, 1)]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    write_files(folder)
    write_results(24, folder / "results")
    small = replace(GAMES["crisps"], numbers=(1, 2, 3), length=3)
    survey(small, range(1, 25)).save(folder / "found.sqlite")
    return folder


@pytest.fixture
def _copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: Path) -> None:
    """Copy the files; no server starts."""
    copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(serving, "_open_listener", Mock(side_effect=KeyboardInterrupt))


def test_tables_list_only_existing_options() -> None:
    assert set(BASES) == set(NAMES)
    assert set(OWN) <= {call.line for call in CALLS}


@pytest.mark.parametrize("call", TRIED, ids=[call.name for call in TRIED])
@pytest.mark.usefixtures("_copied")
def test_every_option_works_in_a_call(call: OptionCall, run: Run) -> None:
    skip_without_extra(call.line)
    words = shlex.split(call.line)
    command, spelling = call.name.split()
    assert words[0] == command
    assert spelling in words
    ran = run(call.line)
    # 130: the server was about to listen.
    assert ran.status in ((130,) if command == "serve" else (0, 1)), ran.err
