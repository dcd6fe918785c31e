"""Help: every page fits 60 lines of 80 columns, and every example runs."""

import gzip
import re
import shlex
from itertools import pairwise
from pathlib import Path

import click
import pytest

from crisps24 import write_results
from crisps24.cli.program import _COMMANDS, cli
from tests.cli.calls import write_files
from tests.commands import Run, command_of
from tests.extras import skip_without_extra
from tests.sampling import EVERY

LINES, COLUMNS = 60, 80
NAMES = [name for some in _COMMANDS.values() for name in some]


def examples_of(text: str) -> list[str]:
    block = text.partition("Examples:\n")[2].partition("\n\n")[0]
    return [re.split(r"  +", line.strip())[0] for line in block.splitlines()]


EXAMPLES = [example for name in NAMES for example in examples_of(command_of(name).help or "")]
EXAMPLES += [each for each in examples_of(cli.help or "") if each not in EXAMPLES]
# Files that an example writes without naming them.
UNNAMED = {
    "crisps24 results 143": ["results/results.143"],
    "crisps24 143": ["results/results.143"],
    "crisps24 results 0..100 --dir out": ["out/results.0", "out/results.100"],
    "crisps24 results all --workers 4": ["results/results.1", "results/results.6561"],
    "crisps24 results 24 --length 3": ["results/length=3/results.24"],
}
# Files that examples read, beside or instead of those of `write_files`.
READ = {
    "cards.txt": "3 3 8 8 -> 24\n",
    "formulas.jsonl": '{"formula": "4 + 3 x 8 - 4", "card": [4, 3, 8, 4], "target": 24}\n',
    "train.jsonl": '{"nums": [3, 8], "target": 24, "answer": "8 + 3"}\n',
    "test.jsonl": '{"starting": [6, 4], "goal": 24}\n',
    "puzzles.csv": "nums,target,answer\n3 3 8 8,24,8 / (3 - 8 / 3)\n1 2 3,6,1 + 2 + 3\n",
}


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    write_files(tmp_path)
    for name, text in READ.items():
        Path(name).write_text(text)


ORDER = ["Examples", "Puzzle", "Input", "Display", "Output", "Paper", "Behind a proxy"]
ORDER += ["Rules of the game", "Limits", "More", "Help", "Notes"]


def test_help_fits_a_page_with_its_parts_in_order(run: Run) -> None:
    for name in ("", *NAMES):
        out = run(f"{name} --help").out
        assert out.count("\n") <= LINES, name
        assert max(map(len, out.splitlines())) <= COLUMNS, name
        if name:
            assert out.startswith(f"Usage: crisps24 {name} ")
            assert f"Examples:\n  crisps24 {name}" in out
            headings = re.findall(r"^([A-Z][\w ]+):$", out, re.M)
            assert headings == [heading for heading in ORDER if heading in headings]
            assert {"Examples", "Help"} <= set(headings)
        options = command_of(name).params if name else ()
        assert all(option.help for option in options if isinstance(option, click.Option))


def test_what_few_need_is_named_by_help_and_explained_behind_a_word(run: Run) -> None:
    for name in NAMES:
        command = command_of(name)
        short = " ".join(run(f"{name} --help").out.split())
        for word in ("rules", "more"):
            hidden = [each for each in command.params if getattr(each, "word", "") == word]
            status, explained, _ = run(f"{name} --help-{word}")
            assert status == (0 if hidden else 2), name
            for option in hidden:
                spelling = re.compile(rf"--(\[no-\])?{option.opts[0].removeprefix('--')}\b")
                assert all(map(spelling.search, (explained, short))), option
            assert (f"see crisps24 {name} --help-{word}" in short) == bool(hidden)
        # Notes are either on the page or behind the word.
        has_notes = "Examples:" not in (command.help or "").split("\n\n")[-1]
        assert ("Notes:" in short + explained) == has_notes, name


# Parts of examples that take seconds, and what the default run has instead.
SHORTER = {
    "countdown --length 5 --distances": "countdown --length 3 --distances",
    "countdown --count 100": "countdown --count 5",
    "results all": "results 140..143",
    "results 0..100": "results 20..24",
    "--workers 4": "--workers 1",
}

# A server does not end, and documents have the same examples of pages and sites that take seconds.
NOT_RUN = ("crisps24 serve", *(() if EVERY else ("crisps24 page cards --daily", "crisps24 site")))


@pytest.mark.parametrize("line", [each for each in EXAMPLES if not each.startswith(NOT_RUN)])
def test_example_of_help_runs(line: str, run: Run) -> None:
    skip_without_extra(line)
    typed = b""
    if "verify" in line:
        data = write_results(143, "results").read_bytes()
        Path("theirs.txt").write_bytes(data)
        Path("results.143.gz").write_bytes(gzip.compress(data))
    if line.startswith("zcat "):
        name, _, line = line.removeprefix("zcat ").partition(" | ")
        typed = gzip.decompress(Path(name).read_bytes())
    for long, short in () if EVERY else SHORTER.items():
        line = line.replace(long, short)
    words = [word.replace("results/*", "results/results.143") for word in shlex.split(line)]
    assert words[0] == "crisps24"
    ran = run("", *words[1:], typed=typed)
    assert (ran.status, bool(ran.out)) == (0, True), ran.err
    options = ("--out", "--log", "--plot", "--class", "--answers", "--fix")
    named = [value for option, value in pairwise(words) if option in options]
    for path_name in [*(each for each in named if "." in each), *UNNAMED.get(line, [])]:
        assert Path(path_name).stat().st_size > 0


@pytest.mark.parametrize("line", [each for each in EXAMPLES if "crisps24 serve" in each])
def test_example_of_serve_is_a_valid_call(line: str) -> None:
    command_of("serve").make_context("serve", shlex.split(line)[2:])
