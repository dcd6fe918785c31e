"""The README cannot go stale: its commands are run, and its tables are worked out again.

With CRISPS24_UPDATE_README=1 in the environment the outputs are written into it instead.
"""

import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from crisps24 import GAMES, count, solve
from crisps24.cli.program import cli, main
from tests import hand_oracle
from tests.benchmarks.goals import GOALS
from tests.hands.dealing import ROWS

TOP = Path(__file__).parent.parent
README = TOP / "README.md"
RESULTS = TOP / "results" / "README.md"
FIGURES = TOP / "tests" / "benchmarks" / "README.md"
UPDATE = "CRISPS24_UPDATE_README" in os.environ


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder in which the commands of the README are run, one after the other."""
    return tmp_path_factory.mktemp("readme")


def blocks(kind: str, document: Path = README) -> Iterator[str]:
    for found in re.finditer(rf"^```{kind}\n(.*?)^```$", document.read_text(), re.M | re.S):
        yield found[1]


def run(command: str, folder: Path) -> str:
    """Return what a command prints, results and complaints, as on a terminal of 80 columns."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "80")
        if "|" in command:
            return run_by_shell(command)
        both = io.TextIOWrapper(io.BytesIO(), "utf-8")
        patch.setattr(sys, "stdout", both)
        patch.setattr(sys, "stderr", both)
        [program, *words] = shlex.split(command)
        assert program == "crisps24"
        main(words)
        both.flush()
    return "\n".join(map(str.rstrip, both.buffer.getvalue().decode().splitlines()))


def run_by_shell(command: str) -> str:
    """Return what a command prints that has pipes in it."""
    scripts = Path(sys.executable).parent
    done = subprocess.run(
        command,
        shell=True,
        env={**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    return "\n".join(lines)


@pytest.mark.parametrize("document", [README, RESULTS], ids=lambda path: path.parent.name)
def test_commands_print_what_is_shown(document: Path, folder: Path) -> None:
    text = document.read_text()
    for block in blocks("console", document):
        parts = re.split(r"^\$ (.*)\n", block, flags=re.M)
        assert parts[0] == ""
        printed = [
            (command, run(command, folder), shown)
            for command, shown in zip(parts[1::2], parts[2::2], strict=True)
        ]
        if UPDATE:
            new = "".join(f"$ {command}\n{out}\n" for command, out, _ in printed)
            text = text.replace(block, re.sub(r"\n\n(?=\$ |\Z)", "\n", new))
        else:
            for command, out, shown in printed:
                assert out.rstrip() == shown.rstrip(), command
    if UPDATE:
        document.write_text(text)


class Asked(NamedTuple):
    """What a command of the table must show, how it ends, and what is typed."""

    shown: str
    lines: int = 0
    """How many lines it prints; 0 for any."""
    status: int = 0
    typed: str = ""


# Of the table of what somebody wants to do, every command but that which serves; `.` is any sign.
WANTED = {
    "solve 4 3 8 4 --all": Asked(r"2 solutions .36 formulas: crisps24 formulas 24 --card .4 3 8 4"),
    "solve 3 3 8 8 --game cards": Asked(r"8 / .3 - 8 / 3. +24\n\n1 solution, level 5 of 5"),
    "solve 3 3 8 8 --game cards --hint": Asked("^8 / 3 = 8/3$", 1),
    "solve 2 5 8 10 25 75 --game countdown --target 431": Asked(r".75 . 10. x 5 . 8 - 2 +431"),
    "reach 1 2 3 4": Asked(r"reached +19 of 101: 0\.\.15,23\.\.25"),
    "games": Asked(r"\nkrypto +1\.\.25 "),
    'check "4 + 3 x 8 - 4 = 24"': Asked(r" 24 +right"),
    'solve "4 _ 3 _ 8 _ 4 = 24"': Asked(r"4 x 3 \+ 8 \+ 4 = 24(.|\n)*3 ways"),
    "solve --file hands.txt --game cards": Asked(r"8 / .3 - 8 / 3.(.|\n)*12 \+ 4 x .7 - 4."),
    "check --file answers.txt": Asked(r"right(.|\n)*wrong", status=1),
    "judge --file said.csv": Asked(r"ann +8.*right +ok(.|\n)*bob(.|\n)*ann +1 +1\n", status=1),
    "mark class.csv --out marks.html": Asked(r"^marks\.html(.|\n)*ann +2 +1$", status=1),
    "audit puzzles.jsonl": Asked(r"2 +unsolvable(.|\n)*different puzzles +2\n", status=1),
    "survey cards --difficulty": Asked(r"nobody +458 +25\.16%"),
    "results 143": Asked(r" 143 +48 +50 +results/results.143"),
    "verify results/results.143": Asked(r"results/results.143 +143 +48 +right"),
    "count 24 --length 10": Asked(r" 24 +866042513397 "),
    'formulas 100 --card "1 2 3 4 5 6 7 8 9" --in-order --join': Asked(
        r"^1 \+ 2 \+ 3 - 4 \+ 5 \+ 6 \+ 78 \+ 9\n",
        count(100, replace(GAMES["crisps"], join=True), card=range(1, 10), in_order=True),
    ),
    "solve 1 3 7 11 16 20 23 --game krypto --target 24 --first 5": Asked(
        r"\n2811 solutions, the first 5 likeliest first, level 2 of 5"
    ),
    "equations --guess 9*8-7=65 --seen gyybbgyb --best": Asked(r"9/2\*8=36 +3 +1\.0 +1"),
    "survey digits --targets 0..100": Asked(r"\n +24 +404 +81\.62% +91\n"),
    "deal cards --count 20 --level 2..4": Asked(
        r"\n +20 .*\ndrawing .: crisps24 deal cards --count 20 --seed \d+ --level 2\.\.4$", 23
    ),
    (
        'sheet crisps --count 12 --seed 7 --rising --title "Make 24" --cut-lines --out cards.pdf'
    ): Asked(r"^cards\.pdf\ndrawing .: crisps24 deal crisps --count 12 --seed 7 --rising$"),
    "sheet cards --count 12 --language nl --out blad.svg": Asked(
        r"^blad\.svg\ndrawing .: crisps24 deal cards --count 12 --seed \d+$"
    ),
    "quiz cards --count 20 --out quiz.gift": Asked(r"^quiz\.gift\ndrawing .: .* --seed \d+$"),
    "play cards": Asked(r"1 of 5 . cards:\S+ . level .\nmake 24 of (.|\n)*try ", typed="?\nq\n"),
    "play cards --daily --log days.jsonl": Asked(
        r"cards:\S+ . level .\nmake 24 of (.|\n)*crisps24 . \d+ \w+ 20\d\d . cards, level \d",
        typed="!\nq\n",
    ),
}


def test_every_command_of_the_table_is_run() -> None:
    commands = re.findall(r"^\| [^|]+ \| `crisps24 (.*)` \|$", README.read_text(), re.M)
    assert commands == [*WANTED, "serve"]


@pytest.mark.parametrize("command", WANTED)
def test_a_command_of_the_table_shows_what_is_wanted(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if "--out cards.pdf" in command:
        pytest.importorskip("reportlab", reason="sheets need the extra `sheets`")
    (tmp_path / "hands.txt").write_text("3 3 8 8\n4 4 7 12\n")
    (tmp_path / "answers.txt").write_text("4 + 3 x 8 - 4 = 24\n1 + 1 = 3\n")
    said = "name,hand,target,answer\nann,3 3 8 8,24,8/(3-8/3)\nbob,3 3 8 8,24,I do not know.\n"
    (tmp_path / "said.csv").write_text(said)
    marked = "name,cards:3.3.8.8=24,cards:4.4.7.12=24\nann,8/(3-8/3),1+1\n"
    (tmp_path / "class.csv").write_text(marked)
    puzzles = '{"nums": [3, 8], "target": 24}\n{"nums": [3, 8], "target": 23}\n'
    (tmp_path / "puzzles.jsonl").write_text(puzzles)
    if command.startswith("verify"):
        shutil.copytree(TOP / "results", tmp_path / "results")
    wanted = WANTED[command]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(wanted.typed.encode())))
    assert main(shlex.split(command)) == wanted.status
    told = "".join(capsys.readouterr()).strip("\n")
    assert re.search(wanted.shown, told), told
    assert wanted.lines in (0, len(told.splitlines()))


def test_what_distinct_means_is_so_and_the_help_says_the_same(
    capsys: pytest.CaptureFixture[str],
) -> None:
    same = "4 + 3 x 8 - 4", "4 : 4 x 3 x 8"
    assert len({hand_oracle.read(formula, ROWS).function for formula in same}) == 1
    assert (count(24, card=(4, 3, 8, 4)), len(solve((4, 3, 8, 4), 24))) == (36, 2)
    assert main(["solve", "--help"]) == 0
    for text in (README.read_text(), capsys.readouterr().out):
        told = " ".join(text.replace("`", "").split())
        sentence = next(
            each for each in re.split(r"(?<=\w)\. ", told) if " and ".join(same) in each
        )
        assert "distinct" in sentence
        assert "36 formulas" in sentence


def test_the_api_in_ten_lines(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    parser = doctest.DocTestParser()
    for block in blocks("pycon"):
        test = parser.get_doctest(block, {}, "README.md", "README.md", 0)
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        assert test.examples
        assert runner.run(test).failed == 0


def test_the_table_of_values_that_are_off() -> None:
    rows = re.findall(r"^\| ([0-9]+) \| ([0-9,]+) \| ([0-9,]+) \|$", RESULTS.read_text(), re.M)
    found = [tuple(int(cell.replace(",", "")) for cell in row) for row in rows]
    assert found == [(target, count(target), count(target, "game24")) for target in range(18)]


def test_every_command_is_shown() -> None:
    text = README.read_text()
    for name in cli.commands:
        assert f"`crisps24 {name}" in text
    assert len(text.splitlines()) <= 250


def test_every_figure_of_the_benchmark_is_there() -> None:
    text = FIGURES.read_text()
    for goal in GOALS:
        assert f"| {goal.what} |" in text
