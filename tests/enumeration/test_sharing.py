"""Results files that several workers write: the same bytes as one process, or no file."""

from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, counts, write_results
from crisps24.enumeration import enumeration, results
from crisps24.enumeration.finding import Part
from crisps24.enumeration.format import LineWriter
from crisps24.enumeration.results import file_name_of, write_results_files
from crisps24.output.executors import processes
from tests.oracle import small_games
from tests.sampling import examples, some

CRISPS = GAMES["crisps"]
QUERY = enumeration.RowQuery(CRISPS)


class InThisThread(Executor):
    """An executor that runs each task when it is submitted, and keeps the arguments."""

    def __init__(self) -> None:
        self.submitted: list[tuple[Any, ...]] = []

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        self.submitted.append(arguments)
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments, **options))
        except BaseException as error:
            future.set_exception(error)
        return future


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@given(small_games(), st.integers(8, 300), st.data())
@examples(60)
def test_sections_have_all_rows_once_in_order(game: Any, rows: int, data: st.DataObject) -> None:
    by_target = counts(game)
    if not by_target:
        return
    target = data.draw(st.sampled_from(sorted(by_target)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results, "SECTION_ROWS", rows)
        sections = list(results.file_sections(target, enumeration.RowQuery(game)))
    all_parts = [part for section in sections for part in section.parts]
    assert all_parts == list(enumeration.parts_for(target, enumeration.RowQuery(game), rows // 4))
    rows_before = 0
    for section in sections:
        assert section.rows_before == rows_before
        assert sum(part.row_count for part in section.parts) == section.row_count
        rows_before += section.row_count
    assert rows_before == by_target[target]


@pytest.mark.parametrize(
    ("workers", "section_rows"), some([("here", 500), ("here", 10**6), ("threads", 1000)], 2)
)
def test_files_of_many_workers_equal_those_of_one(
    workers: str, section_rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    targets = [24, 6561, 6562, 0, 143, 24]
    expected = list(write_results_files(targets, tmp_path / "one", QUERY))
    monkeypatch.setattr(results, "SECTION_ROWS", section_rows)
    written_rows: list[int] = []
    with InThisThread() if workers == "here" else ThreadPoolExecutor(2) as executor:
        options: Any = {"executor": executor, "progress": written_rows.append}
        files = list(write_results_files(targets, tmp_path / "many", QUERY, **options))
    assert files_in(tmp_path / "many") == files_in(tmp_path / "one")
    made, others = ([(each.target, each.row_count) for each in some] for some in (files, expected))
    assert made == others
    assert sum(written_rows) == sum(file.row_count for file in files)


def test_processes_write_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "SECTION_ROWS", 1000)
    with processes(2) as executor:
        for name in ("game24", "crisps"):
            query, one, many = enumeration.RowQuery.of(name), tmp_path / name, tmp_path / f"{name}s"
            list(write_results_files([24, 12], one, query))
            list(write_results_files([24, 12], many, query, executor=executor))
            assert files_in(many) == files_in(one)


def test_keys_over_64_bits_are_in_sections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = replace(CRISPS, length=13, operators=("x",))
    expected = write_results(9**12, tmp_path / "one", game).read_bytes()
    monkeypatch.setattr(results, "SECTION_ROWS", 24)
    monkeypatch.setattr("crisps24.enumeration.finding.BLOCK_ROWS", 5)
    path = write_results(9**12, tmp_path / "many", game, executor=InThisThread())
    assert path.read_bytes() == expected
    assert len(expected.splitlines()) == 91 + 2


def test_section_with_missing_rows_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "SECTION_ROWS", 1000)
    find = enumeration.blocks_for_parts
    cut = lambda *arguments: (block[1:] for block in find(*arguments))  # noqa: E731
    monkeypatch.setattr(results, "blocks_for_parts", cut)
    with pytest.raises(enumeration.DisagreementError, match=r"rows found of \S+ counted"):
        write_results(24, tmp_path, executor=InThisThread())
    assert files_in(tmp_path) == {}


def test_error_of_a_worker_leaves_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / file_name_of(24)).write_bytes(b"before")
    monkeypatch.setattr(results, "SECTION_ROWS", 500)
    write_lines = LineWriter.lines

    def full_disk(lines: LineWriter, block: Any) -> Any:
        yield from write_lines(lines, block)
        raise OSError(28, "No space left on device", f".{file_name_of(24)}.0")

    monkeypatch.setattr(LineWriter, "lines", full_disk)
    with ThreadPoolExecutor(2) as executor, pytest.raises(OSError, match=r"results\.24") as caught:
        write_results(24, tmp_path, executor=executor)
    assert caught.value.filename == str(tmp_path / file_name_of(24))
    assert files_in(tmp_path) == {file_name_of(24): b"before"}


def test_parts_need_a_game_that_groups_by_precedence() -> None:
    assert all(isinstance(part, Part) for part in enumeration.parts_for(24, QUERY, 100))
    with pytest.raises(ValueError, match="game24 does not group by precedence"):
        enumeration.parts_for(24, enumeration.RowQuery.of("game24"), 100)
