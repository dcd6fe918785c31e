"""Formats of all commands: with --no-header, and b-files of counts."""

from dataclasses import replace

from crisps24 import GAMES, count, counts
from tests.commands import Run


def test_no_header_leaves_out_the_column_names(run: Run) -> None:
    for line in [
        *("count 24 143", "games", "check 1+1=2", "solve 3 3 8 8 --game cards"),
        *("reach 2 3 --targets 0..9", "survey --target 24", "formulas 6561", "deal cards --seed 1"),
    ]:
        for form in ("csv", "tsv"):
            call = f"{line} --format {form}"
            status, out, err = run(call)
            assert run(f"{call} --no-header") == (status, out.split("\n", 1)[1], err)


def test_table_without_a_header_keeps_its_rows(run: Run) -> None:
    cells, line = "24 2374 2376 143 48 50", "--- ---- ----"
    assert run("count 24 143 --no-header").out.split() == f"{line} {cells} {line}".split()
    for form in ("json", "jsonl"):
        assert run(f"count 24 --format {form}") == run(f"count 24 --format {form} --no-header")


def test_b_file_accepts_whole_targets_under_any_rules(run: Run) -> None:
    # https://oeis.org/A357272
    words = "count 0..5 --numbers 0..9 --fractions --negatives --format bfile"
    values = (29235, 12654, 12450, 12425, 12427, 11915)
    expected = "".join(f"{target} {value}\n" for target, value in enumerate(values))
    assert run(words) == (0, expected, "")
    ran = run("count all --fractions --length 2 --format bfile")
    assert (ran.status, "whole targets in order: it takes no 1/9" in ran.err) == (2, True)
    # Without division all targets are whole.
    game = replace(GAMES["crisps"], fractions=True, operators=("-", "+"), length=2)
    expected = "".join(f"{target} {ways}\n" for target, ways in counts(game).items())
    words = "count all --fractions --operators +- --length 2 --format bfile"
    assert run(words) == (0, expected, "")
    assert run("count --negatives --format bfile -- -2..-1")[0] == 0
    for words, use in (("5 3", "3..5"), ("all --numbers 1,1000000 --length 3", "0..999999")):
        err = run(f"count {words} --format bfile").err
        assert err.startswith(f"crisps24: a b-file has no gaps and no other order: use {use}")
    # All targets are there, also those that no formula makes.
    lines = [line.split() for line in run("count all --format bfile").out.splitlines()]
    assert [int(target) for target, _ in lines] == list(range(6562))
    assert lines[303] == ["303", "6"]
    assert {int(target): int(ways) for target, ways in lines if ways != "0"} == counts()


def test_a_range_of_lengths_has_a_row_for_each(run: Run) -> None:
    values = [count(24, replace(GAMES["crisps"], length=length)) for length in range(1, 7)]
    expected = "".join(f"{length} {value}\n" for length, value in enumerate(values, 1))
    assert run("count 24 --length 1..6 --format bfile") == (0, expected, "")
    rows = [f"{length},{value},{value + 2}" for length, value in enumerate(values, 1)]
    table = run("count --length 1..6 --format csv").out
    assert table.splitlines() == ["length,combinations,lines", *rows]
    ran = run("count 1/2 --fractions --length 1..3 --format json")
    assert (ran.status, [row["length"] for row in ran.rows]) == (0, [1, 2, 3])
