"""Formats of all commands: without a header where that is asked, and b-files of counts."""

import pytest

from crisps24 import count
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


def test_a_b_file_has_a_pair_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    expected = "".join(f"{target} {count(target)}\n" for target in range(5))
    assert run(capsys, "count 0..4 --format bfile") == (0, expected, "")
    for words in ("--fractions", "--top 3"):
        status, out, err = run(capsys, f"count 24 --format bfile {words}")
        assert (status, out) == (2, "")
        assert f"no {words.split()[0]}" in err
    assert run(capsys, "games --format bfile")[0] == 2
