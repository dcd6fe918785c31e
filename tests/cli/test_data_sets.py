"""Data sets that `deal` writes: rows for chat, Parquet, and parts without overlaps."""

import json
from itertools import chain, permutations
from pathlib import Path

import pytest

from crisps24.cli.puzzles import _PARTS
from tests.commands import Run

FIELDS = "hand,target,answer,rules,metadata,solvable,used"
DEAL = "deal crisps --seed 4 --count 120 --targets 1..40 --repeat --unsolvable 20%"


def test_parts_do_not_overlap(run: Run) -> None:
    dealt = run(f"{DEAL} --format jsonl").rows
    assert run(f"{DEAL} --split 60,25,15 --out a.b.jsonl").out.startswith("a.b-train.jsonl\n")
    names = [f"a.b-{part}.jsonl" for part in _PARTS]
    parts = [[json.loads(line) for line in Path(name).read_text().splitlines()] for name in names]
    assert sorted(map(str, chain(*parts))) == sorted(map(str, dealt))
    assert all(abs(len(part) - share) < 9 for part, share in zip(parts, (72, 30, 18), strict=True))
    for name, other in permutations(names, 2):
        ran = run(f"audit {name} --against {other}")
        assert ran.status == 0, ran.out
    card = Path("a.b-README.md").read_text()
    assert f"crisps24 {DEAL.split(' --seed')[0]} --count 120 --seed 4" in card
    assert "| test       |" in card


def test_parts_have_no_puzzle_twice(run: Run) -> None:
    ran = run("deal cards --length 2 --count 20 --repeat --split 60,30,10 --out a.jsonl")
    assert ran.status == 2
    assert "only 5 different puzzles satisfy the conditions, and parts have no puzzle" in ran.err
    assert not list(Path.cwd().glob("a*"))


@pytest.mark.parametrize("options", ["", " --chat", f" --fields {FIELDS}"])
def test_parquet_has_the_rows(options: str, run: Run) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    for game in ("fractions24",) if options else ("cards", "fractions24"):
        call = f"deal {game} --count 12 --seed 3 --unsolvable 25%{options}"
        rows = run(f"{call} --format jsonl").rows
        run(f"{call} --out a.parquet")
        table = pq.read_table("a.parquet").to_pylist()
        assert [list(row) for row in table] == [list(row) for row in rows]
        assert "cannot" not in (report := run("audit a.parquet --format jsonl")).out
        assert '"unsolvable"' not in report.out
        assert report.status == 0
        if game == "cards" and "rules" not in rows[0]:
            assert table == rows


def test_parts_can_have_numbers_of_puzzles_or_be_left_out(run: Run) -> None:
    call = "deal crisps --count 60 --seed 4 --targets 1..40 --repeat --chat"
    for split, sizes in (
        ("50,10", [50, 0, 10]),
        ("57,1,2", [57, 1, 2]),
        ("97.5,0,2.5", [59, 0, 1]),
    ):
        ran = run(f"{call} --split {split} --out a.jsonl")
        names = [f"a-{part}.jsonl" for part in _PARTS]
        counts = [Path(n).read_text().count("\n") if Path(n).exists() else 0 for n in names]
        assert counts == sizes, ran.err
        [line] = [line for line in ran.out.splitlines() if line.startswith("drawing")]
        assert " --chat --split " in line
        again = run(line.partition("crisps24 ")[2].replace("a.jsonl", "b.jsonl"))
        assert again.status == 0
        assert Path("a-test.jsonl").read_bytes() == Path("b-test.jsonl").read_bytes()
        for name in Path.cwd().glob("[ab]-*"):
            name.unlink()
