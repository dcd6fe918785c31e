"""Formulas: complete, in file order, and confirmed by the grammar."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Formula, Game, count, counts, evaluate, formulas, write_results
from crisps24.enumeration import enumeration as enumeration_module
from crisps24.enumeration import finding as finding_module
from crisps24.enumeration.enumeration import RowQuery, blocks_for_targets
from crisps24.enumeration.keys import Block
from crisps24.rules.exact import Exact
from tests.drawing_helpers import short_fractions
from tests.oracle import Row, all_solutions, small_games, solutions
from tests.sampling import some

CRISPS = GAMES["crisps"]


def rows_of(target: Exact, game: Game | str = "crisps") -> list[Row]:
    return list(map(row_of, formulas(target, game)))


def row_of(formula: Formula) -> Row:
    return formula.numbers, formula.operators


@pytest.mark.parametrize("name", some(["crisps", "game24"], 1))
def test_rows_of_all_targets_are_in_file_order(name: str) -> None:
    expected = all_solutions(name)
    rows: dict[Exact, list[Row]] = {}
    for target, block in blocks_for_targets(counts(name), RowQuery.of(name)):
        found = enumeration_module.formulas_of(block, GAMES[name])
        rows.setdefault(target, []).extend(map(row_of, found))
    assert rows == expected
    assert counts(name) == {target: len(rows) for target, rows in expected.items()}


@given(small_games(), st.randoms(use_true_random=False))
def test_formulas_of_a_small_game_match_brute_force(game: Game, random: Random) -> None:
    expected = solutions(game)
    for target in expected and random.sample(sorted(expected), min(4, len(expected))):
        assert rows_of(target, game) == expected[target]
        assert count(target, game) == len(expected[target])


@given(small_games(), short_fractions(-30, 60, 12) | st.integers(-30, 200))
def test_formulas_of_any_target_match_brute_force(game: Game, target: Exact) -> None:
    assert rows_of(target, game) == solutions(game).get(Fraction(target), [])


SPLIT = [
    (CRISPS, 24),
    (CRISPS, 143),
    (replace(CRISPS, numbers=tuple(range(10)), fractions=True, negatives=True), Fraction(1, 2)),
    (replace(CRISPS, numbers=(-2, 0, 1, 3), negatives=True), -2),
    (replace(CRISPS, numbers=(0, 2, 5), length=5), 0),
    (replace(CRISPS, length=2), 6),
    (replace(CRISPS, length=1), 6),
]


@pytest.mark.parametrize("rows", [1, 7, 200])
@pytest.mark.parametrize(("game", "target"), SPLIT, ids=lambda value: str(value)[-60:])
def test_small_blocks_have_the_same_rows(
    game: Game, target: Exact, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if count(target, game) > 100 * rows:
        pytest.skip("more than 100 blocks are slow")
    expected = rows_of(target, game)
    monkeypatch.setattr(finding_module, "BLOCK_ROWS", rows)
    finding_module._row_finder_of.cache_clear()
    assert rows_of(target, game) == expected
    assert len(expected) == count(target, game)


def test_target_without_formulas_has_an_empty_block() -> None:
    blocks = blocks_for_targets([10**9, 143, -1], RowQuery.of("crisps"))
    sizes = [(target, len(block)) for target, block in blocks]
    assert dict(sizes) == {10**9: 0, 143: 48, -1: 0}
    assert sizes[0] == (10**9, 0)


def test_rows_with_keys_over_64_bits_are_found() -> None:
    for length in (22, 33):
        game = Game("long", (1, 2), length)
        assert rows_of(2**length, game) == [((2,) * length, ("x",) * (length - 1))]
        expected = count(2 ** (length - 1), game)
        # One of the numbers is a 1, with x or : before it.
        rows = rows_of(2 ** (length - 1), game)
        assert len(rows) == len(set(rows)) == expected == 2 * length - 1
        assert rows == sorted(rows, key=lambda row: (row[0], ["-+x:".index(o) for o in row[1]]))


def test_99_numbers_are_found_and_100_are_refused() -> None:
    assert len(rows_of(2**99, Game("long", (2,), 99))) == 1
    with pytest.raises(ValueError, match="rows have at most 99 numbers, not 100"):
        rows_of(2**100, Game("long", (2,), 100))


def test_rows_with_numbers_over_64_bits_are_found() -> None:
    for numbers in ((3, 7, 10**9), (2, 10**30), (1, 2**62)):
        for fractions in (False, True):
            game = Game("large", numbers, 3, fractions=fractions)
            expected = solutions(game)
            assert {target: rows_of(target, game) for target in expected} == expected


def test_first_formulas_come_without_finding_all() -> None:
    first = list(islice(formulas(24, replace(CRISPS, length=9)), 10))
    assert first[0].numbers == (1,) * 5 + first[0].numbers[5:]
    assert len(set(first)) == 10


# In a game with few numbers, millions of rows have the same first numbers.
_FEW_NUMBERS = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
from itertools import islice
from crisps24 import Game, formulas
print(*islice(formulas(4, Game("few", (1, 2), 15)), 3), sep="\\n")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory limits need Linux")
def test_rows_of_a_game_with_few_numbers_need_less_than_1_gb() -> None:
    process = subprocess.run([sys.executable, "-c", _FEW_NUMBERS], capture_output=True, text=True)
    assert process.stderr.splitlines()[-1:] == []
    assert len(process.stdout.splitlines()) == 3


def corrupt_rows(monkeypatch: pytest.MonkeyPatch, row: int, change: Callable[[int], int]) -> None:
    """Change the key of one row, of all blocks together, before the grammar confirms it."""
    find, before = enumeration_module._find_blocks, 0

    def wrong_blocks(target: Exact, rows: Any) -> Iterator[Block]:
        nonlocal before
        for block in find(target, rows):
            keys, place = block.keys.copy(), row - before
            if 0 <= place < len(keys):
                keys[place] = change(keys[place])
            before += len(keys)
            yield replace(block, keys=keys)

    monkeypatch.setattr(enumeration_module, "_find_blocks", wrong_blocks)


@pytest.mark.parametrize("game", ["crisps", "game24"])
@pytest.mark.parametrize(
    ("changed_bits", "row"),
    [
        (0b01, "2 x 8 x 9 + 1"),  # another value
        (0b11, "2 x 8 x 9 : 1"),  # another operator
        (0b10_00_10, "2 - 8 x 9 x 1"),  # is less than zero
    ],
)
def test_wrong_row_is_named_and_no_file_is_written(
    game: str, changed_bits: int, row: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    message = f"the grammar does not agree that {row} makes 143".replace("+", r"\+")
    for work in (lambda: list(formulas(143, game)), lambda: write_results(143, tmp_path, game)):
        with monkeypatch.context() as patch:
            corrupt_rows(patch, 0, lambda key: key ^ changed_bits)
            with pytest.raises(enumeration_module.DisagreementError, match=message):
                work()
    assert list(tmp_path.iterdir()) == []


def test_rows_of_a_game_of_one_number_need_several_blocks() -> None:
    game = Game("ones", (1,), 13)
    assert count(3, game) > 2**20
    first = list(islice(formulas(3, game), 200))
    assert [formula.numbers for formula in first] == [(1,) * 13] * 200
    assert [evaluate(str(formula), game) for formula in first] == [3] * 200
    codes = [["-+x:".index(operator) for operator in formula.operators] for formula in first]
    assert codes == sorted(codes)
    assert len(set(first)) == 200
    short = replace(game, length=6)
    assert rows_of(3, short) == solutions(short)[Fraction(3)]


def test_wrong_row_of_a_block_with_a_prefix_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    game, target = Game("long", (1, 2), 22), 2**21
    right = list(formulas(target, game))[20]
    monkeypatch.setattr(finding_module, "BLOCK_ROWS", 5)
    finding_module._row_finder_of.cache_clear()
    # Change the last operator: x to -, and : to +.
    corrupt_rows(monkeypatch, 20, lambda key: key ^ 0b10)
    sign = {"x": "-", ":": "+"}[right.operators[-1]]
    wrong = Formula(right.numbers, (*right.operators[:-1], sign))
    named = f"internal error: the grammar does not agree that {wrong} makes {target}"
    with pytest.raises(enumeration_module.DisagreementError, match=f"^{re.escape(named)}$"):
        list(formulas(target, game))
