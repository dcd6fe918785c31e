"""Formats of all commands: with --no-header, and b-files of counts."""

from dataclasses import replace

import pytest

from crisps24 import GAMES, count, counts
from crisps24.cli.program import main

HEADED = [
    "count 24 143",
    "games",
    "check 1+1=2",
    "solve 3 3 8 8 --game cards",
    "reach 2 3 --targets 0..9",
    "survey --target 24",
    "formulas 6561",
    "deal cards --seed 1",
]


def run(capsys: pytest.CaptureFixture[str], line: str) -> tuple[int, str, str]:
    return main(line.split()), *capsys.readouterr()


@pytest.mark.parametrize("form", ["csv", "tsv"])
@pytest.mark.parametrize("line", HEADED)
def test_the_names_of_the_columns_can_be_left_out(
    line: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, f"{line} --format {form}")
    assert run(capsys, f"{line} --format {form} --no-header") == (
        status,
        out.split("\n", 1)[1],
        err,
    )


def test_a_table_without_a_header_has_its_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "count 24 143 --no-header")[1].split() == [
        *("---", "----", "----"),
        *("24", "2374", "2376", "143", "48", "50"),
        *("---", "----", "----"),
    ]
    for form in ("json", "jsonl"):
        line = f"count 24 --format {form}"
        assert run(capsys, line) == run(capsys, f"{line} --no-header")


def test_a_b_file_has_the_whole_targets_that_are_asked_whatever_the_rules(
    capsys: pytest.CaptureFixture[str],
) -> None:
    # https://oeis.org/A357272
    words = "count 0..5 --numbers 0..9 --fractions --negatives --format bfile"
    values = (29235, 12654, 12450, 12425, 12427, 11915)
    expected = "".join(f"{target} {value}\n" for target, value in enumerate(values))
    assert run(capsys, words) == (0, expected, "")
    # Without division all targets are whole.
    game = replace(GAMES["crisps"], fractions=True, operators=("-", "+"), length=2)
    expected = "".join(f"{target} {ways}\n" for target, ways in counts(game).items())
    words = "count all --fractions --operators +- --length 2 --format bfile"
    assert run(capsys, words) == (0, expected, "")
    assert run(capsys, "count --negatives --format bfile -- -2..-1")[0] == 0


def test_a_b_file_has_a_pair_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    expected = "".join(f"{target} {count(target)}\n" for target in range(5))
    assert run(capsys, "count 0..4 --format bfile") == (0, expected, "")
    for words, what in (
        ("24 --top 3", "--top"),
        ("1/2 24 --fractions", "1/2"),
        ("all --fractions --length 2", "1/9"),
    ):
        status, out, err = run(capsys, f"count {words} --format bfile")
        assert (status, out) == (2, "")
        assert f"whole targets in order: it takes no {what}" in err
    assert run(capsys, "games --format bfile")[0] == 2
