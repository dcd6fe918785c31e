"""The command equations, and missing operators in solve."""

from tests.commands import Run

PUZZLE = "equations --guess 9*8-7=65 --seen gyybbgyb"


def test_equations_are_listed(run: Run) -> None:
    shown = {
        "equations --length 5 --limit 3": "1-1=0\n1+1=2\n1+2=3\n",
        "equations --length 5 --limit 1 --style crisps --with x": "1x1=1\n",
        PUZZLE: "9/2*8=36\n9/3*6=18\n9/6*8=12\n",
        f"{PUZZLE} --without 3": "9/6*8=12\n",
        f"{PUZZLE} --known 9?3..___": "9/3*6=18\n",
        "equations --left formula --right formula --length 7 --limit 1": "1-1=1-1\n",
        "equations --length 5 --limit 1 --format csv --game crisps": (
            "equation,left,right\n1-1=0,1-1,0\n"
        ),
    }
    for line, out in shown.items():
        assert run(line) == (0, out, ""), line


def test_nothing_found_has_status_1_and_one_line(run: Run) -> None:
    for line, message in (
        (f"{PUZZLE} --known 1_______", "no equation is left"),
        ("equations --with ==", "no equation found"),
        ("solve '4 _ 3 = 8'", "no operators make the equation true"),
    ):
        status, out, err = run(line)
        assert (status, out, err.count("\n"), message in err) == (1, "", 1, True), line


def test_missing_operators_are_filled_in(run: Run) -> None:
    status, out, err = run('solve "4 _ 3 _ 8 _ 4 = 24"')
    found = ["4 + 3 x 8 - 4 = 24", "4 x 3 + 8 + 4 = 24", "4 x 3 x 8 : 4 = 24"]
    assert (status, out.split("\n")[2:], err) == (0, [*found, "", "3 ways", ""], "")
    ran = run("solve 6 _ 2 = 8 _ 4 --style unicode --format jsonl")
    assert [row["formula"] for row in ran.rows] == ["6 − 2 = 8 − 4", "6 × 2 = 8 + 4"]
    assert (ran.status, ran.err) == (0, "\n2 ways\n")
