"""Formats of all commands: with --no-header, and b-files of counts."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from crisps24 import GAMES, count, counts
from tests.cli.conftest import Ran, Run


def test_no_header_leaves_out_the_column_names(run: Run) -> None:
    for line in [
        *("count 24 143", "games", "check 1+1=2", "solve 3 3 8 8 --game cards"),
        *("reach 2 3 --targets 0..9", "survey --target 24", "formulas 6561", "deal cards --seed 1"),
    ]:
        for form in ("csv", "tsv"):
            status, out, err = run(f"{line} --format {form}")
            without = Ran(status, out.split("\n", 1)[1], err)
            assert run(f"{line} --format {form} --no-header") == without


# Adds a format by one record, as a maintainer does, and runs commands with it.
ONE_RECORD = """
import io, shlex, sys
from crisps24.output.tables import TABLE_FORMATS, TableFormat

def lines(rows, keys):
    yield " & ".join(keys)
    for row in rows:
        yield " & ".join(str(row[key]) for key in keys)

TABLE_FORMATS["tex"] = TableFormat(lines, headed=True)
from crisps24.cli.program import main

for line in sys.argv[1:]:
    print(f"$ {line}", flush=True)
    words = shlex.split(line)
    sys.stdin = io.TextIOWrapper(io.BytesIO(b"3 3 8 8\\n"))
    main(words)
"""


def test_format_is_added_by_one_record(tmp_path: Path) -> None:
    offered = {"games": "tex, or any", "count": "tex, bfile, or any", "formulas": "jsonl, tex."}
    written = {"deal": ".jsonl, .tex", "mark": ".jsonl, .tex", "survey": ".jsonl, .tex"}
    helps = offered | written
    outputs = {
        "count 143 --format tex": "target & combinations & lines\n143 & 48 & 50\n",
        "count 143 --format tex --no-header": "143 & 48 & 50\n",
        "formulas 6561 --format tex --no-header": "9 x 9 x 9 x 9 & ",
        "solve --file - --game cards --format tex": "line & id & ",
        "check 1+1 --format tex": "formula & value",
        "deal cards --seed 1 --out cards.tex": "cards.tex\n",
        "survey cards --numbers 1..3 --length 3 --target 6 --answers a.tex": "",
    }
    calls = [*(f"{name} --help" for name in helps), *outputs, "formulas 24 --format xls"]
    words = [sys.executable, "-c", ONE_RECORD, *calls]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=True)
    ran = dict(part.split("\n", 1) for part in done.stdout.split("$ ")[1:])
    for name, text in helps.items():
        assert text in " ".join(ran[f"{name} --help"].split()), name
    for line, text in outputs.items():
        assert ran[line].startswith(text), ran[line]
    assert (tmp_path / "cards.tex").read_text().startswith("id & ")
    assert (tmp_path / "a.tex").read_text().startswith("Num1 & Num2 & Num3 & Answer\n")
    assert "no format 'xls' here (expected text, csv, tsv, json, jsonl, tex)" in done.stderr


def test_table_without_a_header_keeps_its_rows(run: Run) -> None:
    assert run("count 24 143 --no-header")[1].split() == [
        *("---", "----", "----"),
        *("24", "2374", "2376", "143", "48", "50"),
        *("---", "----", "----"),
    ]
    for form in ("json", "jsonl"):
        line = f"count 24 --format {form}"
        assert run(line) == run(f"{line} --no-header")


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
    for words, expected in (
        ("5 3", "crisps24: a b-file has no gaps and no other order: use 3..5"),
        (
            "all --numbers 1,1000000 --length 3",
            "crisps24: a b-file has no gaps and no other order: use 0..999999",
        ),
    ):
        assert run(f"count {words} --format bfile").err.startswith(expected)
    # All targets are there, also those that no formula makes.
    lines = [line.split() for line in run("count all --format bfile").out.splitlines()]
    assert [int(target) for target, _ in lines] == list(range(6562))
    assert lines[303] == ["303", "6"]
    assert {target: int(made) for target, made in lines if made != "0"} == {
        str(target): made for target, made in counts().items()
    }


def test_a_range_of_lengths_has_a_row_for_each(run: Run) -> None:
    values = [count(24, replace(GAMES["crisps"], length=length)) for length in range(1, 7)]
    expected = "".join(f"{length} {value}\n" for length, value in enumerate(values, 1))
    assert run("count 24 --length 1..6 --format bfile") == (0, expected, "")
    rows = [f"{length},{value},{value + 2}" for length, value in enumerate(values, 1)]
    table = run("count --length 1..6 --format csv").out
    assert table.splitlines() == ["length,combinations,lines", *rows]
    ran = run("count 1/2 --fractions --length 1..3 --format json")
    assert (ran.status, [row["length"] for row in ran.rows]) == (0, [1, 2, 3])
