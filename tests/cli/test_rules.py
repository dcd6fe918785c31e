"""The rule --most in every command: the largest intermediate result."""

from pathlib import Path

from tests.commands import Run

# A call, its status, and a part of its output.
CALLS = [
    ("count 18 --most 20 --length 3", 0, "18             116      118"),
    ("count 18 --most 18 --card 923", 0, "18"),
    ("formulas 18 --most 18 --length 2", 0, "2 x 9"),
    ("results 18 --most 20 --length 3", 0, "results.18"),
    ('check "9 x 8 : 3" --most 30', 1, "illegal: 9 x 8 is 72, more than 30"),
    ("solve 4 3 8 4 --most 24 --all", 0, "--most=24"),
    ("solve 4 3 8 4 --most 23", 1, "no solution for 24; the closest values are:"),
    ("solve cards:3.3.8.8=24,most=24", 0, "8 / (3 - 8 / 3)"),
    ("reach 1 2 3 4 --most 20 --targets 0..24", 0, "missed   9 of 25: 16..24"),
    ("reach 1 2 3 4 --most 20 --targets 0..24 --ways", 0, "reached  16 of 25"),
    ("survey crisps --most 24 --target 24", 0, "139   28.08%"),
    ("survey crisps --most 24 --target 24 --difficulty", 0, "nobody"),
    ("deal cards --most 30 --count 2 --seed 1", 0, "--seed 1 --most=30"),
    ("deal cards --most 30 --count 2 --seed 1 --level 2", 0, "--level 2 --most=30"),
    ("play cards:1.2.3.4=24,most=30", 0, "1 of 1 · cards:1.2.3.4=24,most=30 · level 1 of 5"),
    ("count 18 --most soon", 2, "invalid limit 'soon' (expected a whole number from 1, or none)"),
]


def test_no_result_is_above_the_limit(run: Run) -> None:
    for line, status, message in CALLS:
        ran = run(line)
        assert (ran.status, message in ran.out + ran.err) == (status, True), line


def test_file_with_a_limit_is_right_only_with_it(run: Run) -> None:
    assert run("results 18 --most 20").status == 0
    # The folder is named after the limit.
    for path, status in (("results/most=20/results.18", 0), ("results", 0), ("results.18", 1)):
        if status:
            Path("results/most=20/results.18").rename(path)
        assert run(f"verify {path}").status == status
        assert status == 0 or run(f"verify {path} --most 20").status == 0
