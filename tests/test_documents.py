"""Every example in a document runs and prints the output that the document shows.

With CRISPS24_UPDATE_README=1 in the environment the output is written into the documents instead.

| block | how it is tested |
|---|---|
| `console` | each command after `$ ` prints exactly the lines below it |
| `pycon` | each document is one session of doctest |
| `python` in CONTRIBUTING | each recipe runs as a script |
| `sh`, and `crisps24 ...` in sentences and tables | each command ends as `EXPECTED` says |
"""

import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

import click
import pytest

import crisps24
from crisps24 import count, solve
from crisps24.cli.program import cli, main
from crisps24.judging.judge import CODES
from crisps24.rules.rules import RULES
from tests import hand_oracle
from tests.benchmarks.goals import GOALS
from tests.commands import Run, command_of
from tests.documents import CONTRIBUTING, EXAMPLES, GUIDES, README, RESULTS, TOP, blocks
from tests.extras import skip_without_extra
from tests.hands.dealing import ROWS
from tests.python_reference import TOPICS, reference
from tests.test_architecture import LAYERS

UPDATE = "CRISPS24_UPDATE_README" in os.environ
FIGURES = TOP / "tests" / "benchmarks" / "README.md"
ARCHITECTURE = TOP / "crisps24" / "README.md"
EVERY = [*EXAMPLES, CONTRIBUTING, FIGURES, ARCHITECTURE, TOP / "tests" / "README.md"]

# The files that the examples read. In closest.csv, 506 is 8 x 7 x 3 x 3 + 10 / 5.
FILES = TOP / "tests" / "data" / "documents"


class Expected(NamedTuple):
    """A pattern of the output of a command, its exit status, and the text typed into it."""

    shown: str
    status: int = 0
    typed: str = ""


# Results of commands that documents name without output; others print the file that they write.
EXPECTED = {
    "solve 3 3 8 8 --game cards": Expected(r"8 / .3 - 8 / 3. +24\n\n1 solution, level 5 of 5"),
    'solve "4 _ 3 _ 8 _ 4 = 24"': Expected(r"4 x 3 \+ 8 \+ 4 = 24(.|\n)*3 ways"),
    "solve 1 1 2 2 25 75 --game countdown --target 284": Expected(
        r" 283\nno solution for 284; the closest values are:$", status=1
    ),
    "check --file formulas.txt": Expected(r"right(.|\n)*wrong", status=1),
    "deal cards --count 20 --level 2..4": Expected(r"\n +20 .*\ndrawing .: .* --level 2\.\.4$"),
    'sheet crisps --count 12 --seed 7 --rising --title "Make 24" --cut-lines --out cards.pdf': (
        Expected(r"^cards\.pdf\n")
    ),
    "sheet cards --file cards.txt --out own.pdf": Expected(r"^own\.pdf$"),
    "page cards --count 30 --out puzzles.html": Expected(r"^puzzles\.html\n"),
    "quiz cards --count 20 --out quiz.gift": Expected(r"^quiz\.gift\n"),
    "play cards": Expected(
        r"1 of 5 . cards:\S+ . level . of 5\nmake 24 from (.|\n)*try ", 0, "?\nq\n"
    ),
    "play cards --daily": Expected(r"cards:\S+ . level . of 5\nmake 24 from ", 0, "!\nq\n"),
    "games": Expected(r"\nkrypto +1\.\.25 "),
    "reach 1 2 3 4": Expected(r"reached +19 of 101: 0\.\.15,23\.\.25"),
    "survey digits --targets 0..100": Expected(r"\n +24 +404 +81\.62% +91\n"),
    "results 0..100": Expected(r"\n +24 +2374 +2376 +results/results\.24\n"),
    "verify results/results.143": Expected(r"results/results\.143 +143 +48 +right"),
    "count 24": Expected(r"\n +24 +2374 +2376$"),
    'formulas 24 --card "4 3 8 4"': Expected(r"^(\d( [-+x:] \d){3}\n?){36}$"),
    "equations --guess 9*8-7=65 --seen gyybbgyb --best": Expected(r"9/2\*8=36 +3 +1\.0 +1"),
    "judge --file answers.jsonl": Expected(
        r"right +ok(.|\n)*wrong +value(.|\n)*no-answer", status=1
    ),
    "mark class.csv --out marks.html": Expected(r"^marks\.html(.|\n)*Ann +2 +2 +0\n", status=1),
    "audit puzzles.jsonl": Expected(
        r"2 +unsolvable(.|\n)*different puzzles +2 +in any order", status=1
    ),
    "deal cards --numbers 1/2,1/3,1/4,1..9 --count 10": Expected(
        r"\n +10 +(\S+ ){4}.*=24,numbers=1/4\+1/3\+1/2\+1\.\.9\n"
    ),
    "deal cards --count 10 --level 1..2": Expected(r"(\n +\d+ +(\d+ +){4}24 +[12] .*){10}\n"),
    "deal cards --count 10 --length 3": Expected(r"\n +10 +(\d+ +){3}24 .*,length=3\n"),
    'deal digits --count 10 --target 10 --operators "+-"': Expected(r"=10,operators=-\+\n"),
    "deal digits --count 10 --target 10 --most 20": Expected(r"\n +10 +.*=10,most=20\n"),
    "deal cards --count 10 --no-fractions --no-negatives": Expected(
        r"\n +10 +.*=24,fractions=no,negatives=no\n"
    ),
    "deal cards --count 10 --solutions 1": Expected(r"\n +10 (.|\n)* --solutions 1$"),
    "deal cards --count 10 --plain": Expected(r"\n +10 (.|\n)* --plain$"),
    "deal crisps --count 10 --signs": Expected(r"\n +10 +(\d _ ){3}\d = 24\n"),
}
# Commands that do not end, or take long: only their options are read.
ENDLESS = ("serve", "survey countdown --length 7 ", "survey countdown --distances ")
# External commands: they install the package, or call a server or a shell.
EXTERNAL_COMMANDS = ("python3 -m venv ", "pip install ", "podman ", "curl ", "eval ", "source ")


def write_files(folder: Path) -> Path:
    shutil.copytree(FILES, folder, dirs_exist_ok=True)
    shutil.copytree(TOP / "results", folder / "results")
    return folder


@pytest.fixture(scope="module", params=EXAMPLES, ids=lambda path: str(path.relative_to(TOP)))
def document(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


@pytest.fixture(scope="module")
def folder(document: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp(document.stem))


def output(command: str, folder: Path) -> str:
    """Return the output of a command, stdout and stderr, as on a terminal of 80 columns."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("COLUMNS", "80")
        if not re.fullmatch(r"crisps24 [^|<>]*", re.sub(r"'[^']*'|\"[^\"]*\"", "", command)):
            return run_by_shell(command)
        both = io.TextIOWrapper(io.BytesIO(), "utf-8")
        patch.setattr(sys, "stdout", both)
        patch.setattr(sys, "stderr", both)
        main(shlex.split(command)[1:])
        both.flush()
    return "\n".join(map(str.rstrip, both.buffer.getvalue().decode().splitlines()))


def run_by_shell(command: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    call = ["sh", "-c", f"exec 2>&1; {command}"]
    out = subprocess.run(call, env=os.environ | {"PATH": path}, stdout=subprocess.PIPE).stdout
    return "\n".join(line.rstrip() for line in out.decode().splitlines())


def test_commands_print_the_output_shown(document: Path, folder: Path) -> None:
    text = document.read_text()
    for block in blocks(document, "console"):
        before, *parts = re.split(r"^\$ (.*)\n", block, flags=re.M)
        assert before == ""
        pairs = zip(parts[::2], parts[1::2], strict=True)
        printed = [(call, output(call, folder).strip("\n"), out.strip("\n")) for call, out in pairs]
        if UPDATE:
            new = "".join(f"$ {command}\n{out}\n" for command, out, _ in printed)
            text = text.replace(block, re.sub(r"\n\n(?=\$ |\Z)", "\n", new))
        else:
            for command, out, shown in printed:
                assert out == shown, command
    if UPDATE:
        document.write_text(text)


def test_sessions_print_the_output_shown(document: Path, folder: Path) -> None:
    text, name = "\n".join(blocks(document, "pycon")), document.name
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    assert bool(test.examples) == bool(text)
    with chdir(folder):
        assert doctest.DocTestRunner(None, None, doctest.NORMALIZE_WHITESPACE).run(test).failed == 0


# Sections of CONTRIBUTING have one script or more.
RECIPES = [
    (section.partition("\n")[0], code)
    for section in re.split("^## ", CONTRIBUTING.read_text(), flags=re.M)
    for code in re.findall(r"^```python\n(.*?)^```$", section, re.M | re.S)
]


def test_each_kind_of_record_has_a_recipe() -> None:
    kinds = "game, rule, n operator, style, message, language, command, table format"
    kinds += ", file format of sheets, quiz format, paper, card shape"
    recipes = [f"Add a {kind}".replace("a n ", "an ") for kind in kinds.split(", ")]
    assert list(dict(RECIPES)) == recipes


@pytest.mark.parametrize(("name", "code"), RECIPES, ids=[name for name, _ in RECIPES])
def test_a_recipe_runs(name: str, code: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b""), name


# The kinds of block that only show something; tests/web/test_documents.py uses the first five.
SHOWN = {"json", "nginx", "caddy", "dockerfile", "ini", "html", "text"}


def test_every_script_is_run() -> None:
    assert [path for path in EVERY if blocks(path, "python")] == [CONTRIBUTING]
    assert len(RECIPES) == len(blocks(CONTRIBUTING, "python")) == len({code for _, code in RECIPES})


def test_blocks_have_a_kind_that_is_tested() -> None:
    for path in EVERY:
        kinds = {*re.findall(r"^```(.*)\n(?s:.*?)^```$", path.read_text(), re.M)}
        assert kinds <= {"console", "pycon", "python", "sh"} | SHOWN, path


def named_commands() -> list[str]:
    commands = []
    for path in EXAMPLES:
        for block in blocks(path, "sh"):
            commands += block.replace("\\\n", " ").splitlines()
        prose = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.M | re.S)
        commands += re.findall(r"`(crisps24 [a-z0-9][^`]*)`", prose)
    return list(dict.fromkeys(" ".join(line.split()) for line in commands if line.strip()))


def test_every_named_command_is_tested_or_external() -> None:
    commands = named_commands()
    assert EXPECTED.keys() <= {each.removeprefix("crisps24 ") for each in commands}
    assert all(each.startswith(("crisps24 ", *EXTERNAL_COMMANDS)) for each in commands)


NAMED = [
    each.removeprefix("crisps24 ")
    for each in named_commands()
    if not each.startswith(EXTERNAL_COMMANDS)
]


@pytest.mark.parametrize("command", NAMED)
def test_named_command_has_the_expected_result(command: str, run: Run) -> None:
    command, _, _ = command.partition(" > ")
    name, *words = shlex.split(command)
    if command.startswith(ENDLESS):
        command_of(name).make_context(name, words)
        return
    skip_without_extra(command)
    # A command that has no pattern and writes no file is an error.
    written = re.escape(words[words.index("--out") + 1]) if command not in EXPECTED else ""
    expected = EXPECTED.get(command, Expected(f"(^|\n){written}\n"))
    write_files(Path())
    status, *said = run(command, typed=expected.typed.encode())
    out = "".join(said).strip("\n")
    assert status == expected.status, out
    assert re.search(expected.shown, out), out


def test_python_reference_equals_the_docstrings_and_has_every_public_name() -> None:
    assert sorted(" ".join(TOPICS.values()).split()) == crisps24.__all__
    path = GUIDES / "python.md"
    before, mark, after = path.read_text().partition("## Reference\n\n")
    assert mark
    if UPDATE:
        path.write_text(before + mark + reference())
    else:
        assert after == reference()


def anchor_of(title: str) -> str:
    return re.sub("[^a-z0-9 -]", "", title.lower()).replace(" ", "-")


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    for path in EVERY:
        text = re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.M | re.S)
        for link in re.findall(r"\]\(([^)]+)\)|src=\"([^\"]+)\"", text):
            place, _, anchor = "".join(link).partition("#")
            if place.startswith("http"):
                continue
            target = path.parent / place if place else path
            assert target.exists(), (path, place)
            if anchor:
                titles = re.findall("^#+ (.+)$", target.read_text(), re.M)
                assert anchor in map(anchor_of, titles), (path, place, anchor)


def test_the_readme_shows_every_command_and_guide_and_is_short() -> None:
    text = README.read_text()
    names = cli.list_commands(click.Context(cli))
    assert len(names) >= 15
    assert [each for each in names if not re.search(rf"`crisps24 {each}[ `]", text)] == []
    for path in GUIDES.iterdir():
        assert f"(crisps24/docs/{path.name})" in text
    assert len(text.splitlines()) <= 150


def test_the_guide_of_mathematics_has_every_rule() -> None:
    text = (GUIDES / "mathematics.md").read_text()
    for rule in RULES.values():
        if rule.help:
            option = re.sub(r"^--([a-z-]+)/--no-\1$", r"--[no-]\1", rule.option).partition("/")[0]
            assert f"`{option}" in text


def test_the_guide_of_training_has_every_code() -> None:
    text = (GUIDES / "training.md").read_text()
    rows = dict(re.findall(r"^\| `([a-z]+)` \| [^|]+ \| (.*) \|$", text, re.M))
    found = {verdict: tuple(re.findall(r"`([a-z-]+)`", codes)) for verdict, codes in rows.items()}
    assert found == {verdict: tuple(codes) for verdict, codes in CODES.items()}


def test_table_of_packages_equals_the_layers() -> None:
    table = ARCHITECTURE.read_text().partition("| package |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`[^|]*) \|", table, re.M)
    layers = [tuple(re.findall(r"`(\w+)`", row)) for row in rows]
    assert layers == [each for each in LAYERS if each[0] != "__init__"]


def test_readme_and_help_define_distinct_solutions(run: Run) -> None:
    same = "4 + 3 x 8 - 4", "4 : 4 x 3 x 8"
    assert len({hand_oracle.read(formula, ROWS).function for formula in same}) == 1
    assert (count(24, card=(4, 3, 8, 4)), len(solve((4, 3, 8, 4), 24))) == (36, 2)
    for text in (README.read_text(), run("solve --help-more").out):
        said, paragraphs = " and ".join(same), text.replace("`", "").split("\n\n")
        [paragraph] = [each for each in paragraphs if said in " ".join(each.split())]
        assert "distinct" in paragraph
        assert "36 formulas" in " ".join(paragraph.split())


def test_table_of_the_wrong_counts_of_the_original() -> None:
    rows = re.findall(r"^\| ([0-9]+) \| ([0-9,]+) \| ([0-9,]+) \|$", RESULTS.read_text(), re.M)
    found = [tuple(int(cell.replace(",", "")) for cell in row) for row in rows]
    assert found == [(target, count(target), count(target, "game24")) for target in range(18)]


def test_changes_are_short() -> None:
    lines = (TOP / "crisps24" / "CHANGES.md").read_text().splitlines()
    assert len(lines) <= 80
    assert max(len(line) for line in lines if not line.startswith("|")) <= 100


def test_readme_of_benchmarks_has_every_figure() -> None:
    text = FIGURES.read_text()
    assert [goal.label for goal in GOALS if f"| {goal.label} |" not in text] == []
