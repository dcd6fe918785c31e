"""Results files that many workers write together: the same bytes, or none."""

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisps24 import GAMES, counts, write_results
from crisps24.enumeration import results
from crisps24.enumeration.enumeration import (
    DisagreementError,
    RowQuery,
    blocks_for_parts,
    parts_for,
)
from crisps24.enumeration.finding import Part
from crisps24.enumeration.format import LineWriter
from crisps24.enumeration.results import file_name_of, write_results_files
from crisps24.output.executors import processes
from tests.oracle import small_games

CRISPS = GAMES["crisps"]
QUERY = RowQuery(CRISPS)


class Here(Executor):
    """Does all work at once, in this thread; the futures it gave are kept."""

    def __init__(self) -> None:
        self.given: list[Future[Any]] = []

    def submit(self, function: Callable[..., Any], /, *words: Any, **more: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(function(*words, **more))
        except BaseException as error:
            future.set_exception(error)
        self.given.append(future)
        return future


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@given(small_games(), st.integers(8, 300), st.data())
@settings(max_examples=60)
def test_shares_are_all_the_rows_once_in_order(game: Any, most: int, data: st.DataObject) -> None:
    reached = counts(game)
    if not reached:
        return
    target = data.draw(st.sampled_from(sorted(reached)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results, "SECTION_ROWS", most)
        shares = list(results.file_sections(target, RowQuery(game)))
    every = [part for share in shares for part in share.parts]
    assert every == list(parts_for(target, RowQuery(game), most // 4))
    assert sum(share.row_count for share in shares) == reached[target]
    befores = [sum(each.row_count for each in shares[:at]) for at in range(len(shares))]
    assert [share.rows_before for share in shares] == befores
    assert all(sum(part.row_count for part in share.parts) == share.row_count for share in shares)


@pytest.mark.parametrize(
    ("workers", "share_rows"), [("here", 500), ("here", 10**6), ("threads", 1000)]
)
def test_files_of_many_workers_are_those_of_one(
    workers: str, share_rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    targets = [24, 6561, 6562, 0, 143, 24]
    alone = list(write_results_files(targets, tmp_path / "one", QUERY))
    monkeypatch.setattr(results, "SECTION_ROWS", share_rows)
    told: list[int] = []
    with Here() if workers == "here" else ThreadPoolExecutor(2) as executor:
        found = list(
            write_results_files(
                targets, tmp_path / "many", QUERY, executor=executor, progress=told.append
            )
        )
    assert files_in(tmp_path / "many") == files_in(tmp_path / "one")
    assert [(each.target, each.combinations) for each in found] == [
        (each.target, each.combinations) for each in alone
    ]
    assert sum(told) == sum(each.combinations for each in found)


def test_processes_write_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "SECTION_ROWS", 1000)
    with processes(2) as executor:
        for name in ("game24", "crisps"):
            one, many = tmp_path / f"one {name}", tmp_path / f"many {name}"
            list(write_results_files([24, 12], one, RowQuery.of(name)))
            list(write_results_files([24, 12], many, RowQuery.of(name), executor=executor))
            assert files_in(many) == files_in(one)


def test_rows_of_numbers_beyond_64_bits_are_shared_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = replace(CRISPS, length=13, operators=("x",))
    expected = write_results(9**12, tmp_path / "one", game).read_bytes()
    monkeypatch.setattr(results, "SECTION_ROWS", 24)
    monkeypatch.setattr("crisps24.enumeration.finding.BLOCK_ROWS", 5)
    path = write_results(9**12, tmp_path / "many", game, executor=Here())
    assert path.read_bytes() == expected
    assert len(expected.splitlines()) == 91 + 2


def test_a_share_of_other_rows_than_were_counted_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "SECTION_ROWS", 1000)
    found = blocks_for_parts
    monkeypatch.setattr(
        results,
        "blocks_for_parts",
        lambda *words: (block[1:] for block in found(*words)),
    )
    with pytest.raises(DisagreementError, match=r"rows found of \S+ counted"):
        write_results(24, tmp_path, executor=Here())
    assert files_in(tmp_path) == {}


def test_the_first_error_of_a_worker_ends_the_work_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / file_name_of(24)).write_bytes(b"before")
    monkeypatch.setattr(results, "SECTION_ROWS", 500)
    laid_out = LineWriter.lines

    def full_disk(lines: LineWriter, block: Any) -> Any:
        yield from laid_out(lines, block)
        raise OSError(28, "No space left on device", f".{file_name_of(24)}.0")

    monkeypatch.setattr(LineWriter, "lines", full_disk)
    with ThreadPoolExecutor(2) as executor, pytest.raises(OSError, match=r"results\.24") as caught:
        write_results(24, tmp_path, executor=executor)
    assert caught.value.filename == str(tmp_path / file_name_of(24))
    assert files_in(tmp_path) == {file_name_of(24): b"before"}


def test_parts_are_for_games_with_tables_alone() -> None:
    assert all(isinstance(part, Part) for part in parts_for(24, QUERY, 100))
    with pytest.raises(ValueError, match="game24 looks at every row"):
        parts_for(24, RowQuery.of("game24"), 100)
