"""Damaged results files: all problems are reported exactly like the slow reader does."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Game, formulas, verify_results
from crisps24.enumeration import comparison, verification
from crisps24.enumeration import format as format_module
from crisps24.enumeration.format import Format
from tests.enumeration.slow_reader import SlowReader
from tests.sampling import examples

CRISPS = GAMES["crisps"]
SMALL = [
    (replace(CRISPS, name="small", numbers=(1, 2, 3, 4, 6)), 24),
    (replace(CRISPS, name="wide", numbers=(2, 3, 10, 25, 100), length=3), 50),
    (replace(CRISPS, name="signed", numbers=(-3, 1, 2), negatives=True, length=3), -1),
    (replace(CRISPS, name="few", numbers=(1, 2), operators=("-", "+"), zero=False), 1),
    (replace(CRISPS, name="one", numbers=(7,), length=3), 7),
    (replace(CRISPS, name="none", numbers=(1, 2)), 1000),
    (replace(CRISPS, name="joined", numbers=(0, 1, 2), length=3, join=True), 12),
]


@cache
def file_lines(index: int) -> tuple[bytes, ...]:
    game, target = SMALL[index]
    layout = Format.of_game(game)
    rows = [layout.format_row(formula) for formula in formulas(target, game)]
    return tuple(f"{line}\n".encode() for line in (*layout.header, *rows))


COMMON_DAMAGE = ["dropped", "repeated", "swapped", "another sign", "spaced", "CRLF", "a zero byte"]
Change = Callable[[bytes], bytes]


def edit(lines: list[bytes], at: int, change: Change) -> None:
    lines[at] = change(lines[at])


def edited(change: Change, lines: list[bytes], at: int, _: int) -> None:
    edit(lines, at, change)


CHANGES: dict[str, Change] = {
    "CRLF": lambda line: line.replace(b"\n", b"\r\n"),
    "a return": lambda line: b"\r" + line,
    "spaced": lambda line: line.replace(b"   ", b"  ", 1),
    "spaced behind": lambda line: line.replace(b"\n", b" \n"),
    "tabbed": lambda line: line.replace(b"    ", b"\t"),
    "blank before": lambda line: b"\n" + line,
    "blank": lambda _: b"   \n",
    "a mark": lambda line: b"\xef\xbb\xbf" + line,
    "another sign": lambda line: line.replace(b"x", b"+", 1),
    "another number": lambda line: line.replace(b"2", b"3", 1),
    "no such number": lambda line: line.replace(b"1", b"8", 1),
    "a leading zero": lambda line: line.replace(b" 2", b"02", 1),
    "joined": lambda line: line.replace(b"+", b"|", 1),
    "a letter": lambda line: line.replace(b"2", b"z", 1),
    "no text": lambda line: line.replace(b"2", b"\xff", 1),
    "a zero byte": lambda line: line.replace(b"3", b"\0", 1),
    "long": lambda line: b"1" * 10_001 + line,
    "all in one": lambda line: line.replace(b"\n", b""),
}


def assert_same_as_slow_reader(content: bytes, game: Game, target: int) -> None:
    result = verify_results(BytesIO(content), game, target=target, length=game.length)
    slow = SlowReader(content, target, game)
    assert [str(problem) for problem in result.problems] == slow.problems
    assert result.verdict == slow.verdict
    assert result.combinations == slow.combinations


def swap(lines: list[bytes], at: int, to: int) -> None:
    lines[at], lines[to] = lines[to], lines[at]


DAMAGE: dict[str, Callable[[list[bytes], int, int], object]] = {
    "dropped": lambda lines, at, _: lines.pop(at),
    "repeated": lambda lines, at, to: lines.insert(to, lines[at]),
    "swapped": swap,
    "moved": lambda lines, at, to: lines.insert(to, lines.pop(at)),
    "cut": lambda lines, at, to: edit(lines, at, lambda line: line[: to % (len(line) + 1)]),
    **{name: partial(edited, change) for name, change in CHANGES.items()},
}


def draw_damage(data: st.DataObject, lines: list[bytes], least: int, most: int) -> None:
    for _ in range(data.draw(st.integers(least, most))):
        place = st.integers(0, max(0, len(lines) - 1))
        if lines:
            name = data.draw(st.sampled_from(sorted(DAMAGE)))
            DAMAGE[name](lines, data.draw(place), data.draw(place))


@pytest.mark.parametrize("index", range(len(SMALL)), ids=[game.name for game, _ in SMALL])
@pytest.mark.parametrize("name", DAMAGE)
def test_each_damage_is_reported_like_the_slow_reader(name: str, index: int) -> None:
    lines = file_lines(index)
    # A set, because most kinds of damage do not depend on the second line number.
    files = {b"".join(lines)}
    for place in {0, 1, len(lines) // 2, len(lines) - 1}:
        for to in {0, min(2, len(lines) - 1), len(lines) - 1}:
            damaged = list(lines)
            DAMAGE[name](damaged, place, to)
            files.add(b"".join(damaged))
    for content in files:
        assert_same_as_slow_reader(content, *SMALL[index])


@examples(150)
@given(st.data())
def test_mixed_damage_is_reported_like_the_slow_reader(data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(SMALL) - 1))
    lines = list(file_lines(index))
    draw_damage(data, lines, 1, 12)
    assert_same_as_slow_reader(b"".join(lines), *SMALL[index])


@given(st.data())
def test_shuffled_rows_are_reported_like_the_slow_reader(data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(SMALL) - 1))
    header, rows = file_lines(index)[:2], file_lines(index)[2:][:30]
    more = data.draw(st.lists(st.sampled_from([*rows, b"\n"]), max_size=8))
    shuffled = data.draw(st.permutations([*rows, *more]))
    assert_same_as_slow_reader(b"".join([*header, *shuffled]), *SMALL[index])


@given(st.binary(max_size=300), st.integers(0, 3))
def test_random_bytes_are_reported_like_the_slow_reader(content: bytes, line_count: int) -> None:
    assert_same_as_slow_reader(b"".join(file_lines(0)[:line_count]) + content, *SMALL[0])


@examples(30)
@given(st.data())
def test_files_read_in_many_blocks_are_reported_like_the_slow_reader(data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(SMALL) - 1))
    lines = list(file_lines(index))
    draw_damage(data, lines, 0, 4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(format_module, "_BLOCK_BYTES", data.draw(st.sampled_from([1, 40, 333])))
        patch.setattr(comparison, "BATCH_ROWS", data.draw(st.sampled_from([1, 5, 60])))
        assert_same_as_slow_reader(b"".join(lines), *SMALL[index])


@examples(30)
@given(st.data())
def test_problems_over_the_limits_are_counted_but_not_listed(data: st.DataObject) -> None:
    lines = list(file_lines(0))
    for _ in range(data.draw(st.integers(0, 9))):
        name = data.draw(st.sampled_from(COMMON_DAMAGE))
        place = st.integers(2, len(lines) - 1)
        DAMAGE[name](lines, data.draw(place), data.draw(place))
    content, (game, target) = b"".join(lines), SMALL[0]
    slow = SlowReader(content, target, game)
    missing = [problem for problem in slow.problems if problem.startswith("missing")]
    unread = [problem for problem in slow.problems if "not a text file" in problem]
    other = [problem for problem in slow.problems if problem not in missing + unread]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "MAX_LISTED_PROBLEMS", 3)
        patch.setattr(verification, "MAX_LISTED_MISSING", 2)
        patch.setattr(
            format_module, "_BLOCK_BYTES", data.draw(st.sampled_from([100, 1000, 10_000]))
        )
        patch.setattr(comparison, "BATCH_ROWS", data.draw(st.sampled_from([1, 30, 1000])))
        result = verify_results(BytesIO(content), game, target=target)
    assert [str(problem) for problem in result.errors] == other[:3] + unread
    assert [str(problem) for problem in result.missing] == missing[:2]
    assert result.unlisted_errors == max(0, len(other) - 3)
    assert result.unlisted_missing == max(0, len(missing) - 2)
    assert result.verdict == slow.verdict


def test_listed_problems_are_the_first_by_line() -> None:
    lines = list(file_lines(0))
    for place in (2, 3, 4):
        DAMAGE["another sign"](lines, place, place)
    DAMAGE["CRLF"](lines, 5, 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "MAX_LISTED_PROBLEMS", 3)
        result = verify_results(BytesIO(b"".join(lines)), SMALL[0][0], target=24)
    assert [problem.line for problem in result.errors] == [3, 4, 5]
