"""Refused calls of all commands: status 2, one line on stderr, no file and no work."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.commands import Run
from tests.tables import lines_of

# Options of survey, those that exclude them, and the beginning of the rule.
APART = [
    (
        "--from a.sqlite",
        "crisps|--targets 1..2|--distinct-digits|--out b.sqlite|--answers b.tsv|--workers 1|"
        "--scheduler tcp://a:1|--length 3|--numbers 1..4|--parentheses|--no-fractions|--negatives|"
        "--any-subset|--no-zero|--join|--operators -",
        "--from shows a finished survey",
    ),
    ("digits --difficulty", "--best|--answers b.tsv", "--difficulty shows difficulties"),
    ("digits --difficulty --target 9", "--unsolvable", "--difficulty shows difficulties"),
    ("numble --difficulty", "--by large", "--difficulty shows difficulties"),
    ("numble --distances", "--difficulty|--best|--by target|--by hand", "--distances shows pairs"),
    ("numble --distances --target 500", "--unsolvable", "--distances shows pairs"),
    ("--target 24 --unsolvable", "--best|--by hand", "--unsolvable lists hands"),
]


@pytest.mark.usefixtures("idle")
def test_wrong_call_is_refused_in_one_line(run: Run) -> None:
    Path("a-file").touch()
    for name in ("class.csv", "a.txt", "notes", "3"):
        Path(name).write_text("name,1 cards:3.8=24\nAnn,3 x 8\n")
    Path("empty.csv").write_text("name,1 cards:3.8=24\n,\n , \n")
    Path("answers").write_text('{"nums": [3, 8], "target": 24, "text": "3*8", "answer": "3*8"}\n')
    Path("blank").write_text("\n\n")
    Path("prose").write_text("I think that it is 3 x 8.\nOr 8 x 3.\n")
    for name in ("link", "link.png"):
        Path(name).symlink_to("answers")
    Path("folder.png").mkdir()
    os.mkfifo("pipe.png")
    files = sorted(Path().iterdir())
    # Calls, with ;; between them, and after => a part of what each is told.
    cases = [
        (call, [part])
        for row in lines_of("cli/refused.txt")
        for calls, part in [row.split("=> ")]
        for call in calls.split(" ;; ")
    ]
    cases += [
        ("sheet --out a.html --title '\x1b[2J'", [r"the character \x1b cannot be printed"]),
        (f"sheet --out a.html --title {'x' * 300}", ["Title: the text is too long"]),
    ]
    if not find_spec("matplotlib"):
        cases = [case for case in cases if ".png" not in case[0] and "--plot" not in case[0]]
    cases += [
        (f"survey {base} {other}", [rule, f": it takes no {other.split()[0]}"])
        for base, others, rule in APART
        for other in others.replace("crisps|", "GAME|").split("|")
    ]
    failed = []
    for call, parts in cases:
        ran = run(call.replace("GAME", "crisps"))
        if (
            (ran.status, ran.out, ran.err.count("\n")) != (2, "", 1)
            or not ran.err.startswith("crisps24: ")
            or not all(part in ran.err for part in parts)
            or sorted(Path().iterdir()) != files
        ):
            failed.append((call, parts, *ran))
    assert not failed


@pytest.mark.usefixtures("idle")
def test_missing_matplotlib_is_told_before_work(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = 'crisps24: figures need matplotlib, which is missing: pip install "crisps24[plot]"\n'
    for command in ("count all", "survey"):
        assert run(f"{command} --plot figure.png") == (2, "", said)
    assert not list(Path().iterdir())
