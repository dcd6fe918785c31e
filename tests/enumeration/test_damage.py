"""Damaged results files, in any mixture: described exactly as the slow, obvious reader does."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crisps24 import GAMES, Game, formulas, verify_results
from crisps24.enumeration import comparison, verification
from crisps24.enumeration import format as format_room
from crisps24.enumeration.format import Format
from tests.enumeration.slow_reader import SlowReader

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
def lines_of(at: int) -> tuple[bytes, ...]:
    game, target = SMALL[at]
    layout = Format.of_game(game)
    rows = [layout.format_row(formula) for formula in formulas(target, game)]
    return tuple(f"{line}\n".encode() for line in (*layout.header, *rows))


FEW = ["dropped", "repeated", "swapped", "another sign", "spaced", "CRLF", "a zero byte"]
Damage = Callable[[list[bytes], int, int], None]


def edited(edit: Callable[[bytes], bytes]) -> Damage:
    def damage(lines: list[bytes], at: int, _: int) -> None:
        lines[at] = edit(lines[at])

    return damage


def drop(lines: list[bytes], at: int, _: int) -> None:
    del lines[at]


def repeat(lines: list[bytes], at: int, to: int) -> None:
    lines.insert(to, lines[at])


def swap(lines: list[bytes], at: int, to: int) -> None:
    lines[at], lines[to] = lines[to], lines[at]


def move(lines: list[bytes], at: int, to: int) -> None:
    lines.insert(to, lines.pop(at))


def cut(lines: list[bytes], at: int, to: int) -> None:
    lines[at] = lines[at][: to % (len(lines[at]) + 1)]


DAMAGE: dict[str, Damage] = {
    "dropped": drop,
    "repeated": repeat,
    "swapped": swap,
    "moved": move,
    "cut": cut,
    "CRLF": edited(lambda line: line.replace(b"\n", b"\r\n")),
    "a return": edited(lambda line: b"\r" + line),
    "spaced": edited(lambda line: line.replace(b"   ", b"  ", 1)),
    "spaced behind": edited(lambda line: line.replace(b"\n", b" \n")),
    "tabbed": edited(lambda line: line.replace(b"    ", b"\t")),
    "blank before": edited(lambda line: b"\n" + line),
    "blank": edited(lambda _: b"   \n"),
    "a mark": edited(lambda line: b"\xef\xbb\xbf" + line),
    "another sign": edited(lambda line: line.replace(b"x", b"+", 1)),
    "another number": edited(lambda line: line.replace(b"2", b"3", 1)),
    "no such number": edited(lambda line: line.replace(b"1", b"8", 1)),
    "a leading zero": edited(lambda line: line.replace(b" 2", b"02", 1)),
    "joined": edited(lambda line: line.replace(b"+", b"|", 1)),
    "a letter": edited(lambda line: line.replace(b"2", b"z", 1)),
    "no text": edited(lambda line: line.replace(b"2", b"\xff", 1)),
    "a zero byte": edited(lambda line: line.replace(b"3", b"\0", 1)),
    "long": edited(lambda line: b"1" * 10_001 + line),
    "all in one": edited(lambda line: line.replace(b"\n", b"")),
}


def agree(content: bytes, game: Game, target: int) -> None:
    """Hold what is said of a file to what the slow reader says."""
    found = verify_results(BytesIO(content), game, target=target, length=game.length)
    slow = SlowReader(content, target, game)
    assert [str(problem) for problem in found.problems] == slow.problems
    assert (found.verdict, found.combinations) == (slow.verdict, slow.combinations)


@pytest.mark.parametrize("at", range(len(SMALL)), ids=[game.name for game, _ in SMALL])
@pytest.mark.parametrize("name", DAMAGE)
def test_each_damage_to_each_line_is_described_as_it_is_line_by_line(name: str, at: int) -> None:
    lines = lines_of(at)
    # Each file once: most damage does not ask to which line.
    files = {b"".join(lines)}
    for place in {0, 1, min(2, len(lines) - 1), len(lines) // 2, len(lines) - 1}:
        for to in {0, min(2, len(lines) - 1), len(lines) // 3, len(lines) - 1}:
            damaged = list(lines)
            DAMAGE[name](damaged, place, to)
            files.add(b"".join(damaged))
    for content in files:
        agree(content, *SMALL[at])


@settings(max_examples=150)
@given(st.data())
def test_any_mixture_of_damage_is_described_as_it_is_line_by_line(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(SMALL) - 1))
    lines = list(lines_of(at))
    for _ in range(data.draw(st.integers(1, 12))):
        place = st.integers(0, max(0, len(lines) - 1))
        if lines:
            name = data.draw(st.sampled_from(sorted(DAMAGE)))
            DAMAGE[name](lines, data.draw(place), data.draw(place))
    agree(b"".join(lines), *SMALL[at])


@given(st.data())
def test_rows_in_any_order_are_described_as_they_are_line_by_line(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(SMALL) - 1))
    header, rows = lines_of(at)[:2], lines_of(at)[2:][:30]
    more = data.draw(st.lists(st.sampled_from([*rows, b"\n"]), max_size=8))
    agree(b"".join([*header, *data.draw(st.permutations([*rows, *more]))]), *SMALL[at])


@given(st.binary(max_size=300), st.integers(0, 3))
def test_any_bytes_are_described_as_they_are_line_by_line(content: bytes, kept: int) -> None:
    agree(b"".join(lines_of(0)[:kept]) + content, *SMALL[0])


@settings(max_examples=30)
@given(st.data())
def test_files_of_many_blocks_are_described_as_those_of_one(data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(SMALL) - 1))
    lines = list(lines_of(at))
    for _ in range(data.draw(st.integers(0, 4))):
        place = st.integers(0, max(0, len(lines) - 1))
        if lines:
            name = data.draw(st.sampled_from(sorted(DAMAGE)))
            DAMAGE[name](lines, data.draw(place), data.draw(place))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(format_room, "_BLOCK_BYTES", data.draw(st.sampled_from([1, 40, 333])))
        patch.setattr(comparison, "BATCH_ROWS", data.draw(st.sampled_from([1, 5, 60])))
        agree(b"".join(lines), *SMALL[at])


@settings(max_examples=30)
@given(st.data())
def test_no_more_is_listed_than_is_worth_it_and_the_rest_is_counted(data: st.DataObject) -> None:
    lines = list(lines_of(0))
    for _ in range(data.draw(st.integers(0, 9))):
        name = data.draw(st.sampled_from(FEW))
        place = st.integers(2, len(lines) - 1)
        DAMAGE[name](lines, data.draw(place), data.draw(place))
    content, (game, target) = b"".join(lines), SMALL[0]
    slow = SlowReader(content, target, game)
    missing = [problem for problem in slow.problems if problem.startswith("missing")]
    unread = [problem for problem in slow.problems if "not a text file" in problem]
    other = [each for each in slow.problems if each not in missing and each not in unread]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "MAX_LISTED_PROBLEMS", 3)
        patch.setattr(verification, "MAX_LISTED_MISSING", 2)
        patch.setattr(format_room, "_BLOCK_BYTES", data.draw(st.sampled_from([100, 1000, 10_000])))
        patch.setattr(comparison, "BATCH_ROWS", data.draw(st.sampled_from([1, 30, 1000])))
        found = verify_results(BytesIO(content), game, target=target)
    assert [str(problem) for problem in found.errors] == other[:3] + unread
    assert [str(problem) for problem in found.missing] == missing[:2]
    assert found.unlisted_errors == max(0, len(other) - 3)
    assert found.unlisted_missing == max(0, len(missing) - 2)
    assert found.verdict == slow.verdict


def test_those_listed_are_the_first_of_the_file_whichever_were_found_first() -> None:
    lines = list(lines_of(0))
    for place in (2, 3, 4):
        DAMAGE["another sign"](lines, place, place)
    DAMAGE["CRLF"](lines, 5, 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verification, "MAX_LISTED_PROBLEMS", 3)
        found = verify_results(BytesIO(b"".join(lines)), SMALL[0][0], target=24)
    assert [problem.line for problem in found.errors] == [3, 4, 5]
