"""The call that a refused one means: it has the person's words, and runs as it is printed."""

import re
import shlex
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest

import crisps24
from crisps24.cli.program import cli
from tests.commands import Run
from tests.sampling import EVERY
from tests.tables import lines_of

TABLE = tomllib.loads(Path(crisps24.__path__[0], "cli", "meanings.toml").read_text())
# What people type, and after => the call that they mean.
MEANT = lines_of("cli/meant.txt")
# Calls without a line to copy, and what is said.
NOT_MEANT = """\
nope => No such command 'nope'. (crisps24 --help shows how)
frobnicate 3 4 => No such command 'frobnicate'. (crisps24 --help shows how)
convert class.csv => No such command 'convert'. (crisps24 --help shows how)
mark => Missing argument 'FILE'. (crisps24 mark --help shows how)
list --all --solvable => No such command 'list'. (crisps24 games --help shows how)
which cards am i missing from my set => No such command 'which'
table --targets 0-100 --digits 0-9 => No such command 'table'. (crisps24 --help shows how)
resolver 2,5 4 8 10 => No such command 'resolver'. (crisps24 --help shows how)
export answers.jsonl --to json => No such command 'export'. (crisps24 deal --help shows how)
card 17 => No such command 'card'. (crisps24 --help shows how)
whats the highest number with 8 6 2 1 on a crisps card => No such command 'whats'
how many combinations of 4 digits and 3 operators => No such command 'how'
countdown --check "(100+6)*3*75/50" 952 25 50 75 100 3 6 => No such command 'countdown'
results 0000-9999 -o smiths.csv => No such option '-o'. (crisps24 results --help shows how)
count expressions -k 5 => No such option '-k'. (crisps24 count --help shows how)
solve --json -- 3 -5 8 8 => No such option '--json'. (crisps24 solve --help shows how)
check '(100+6)*3*75/25' 952 => this is the game crisps, without brackets
who copied class.csv => No such command 'who'. (crisps24 --help shows how)
hands where every solution needs a fraction, 1 to 13 => No such command 'hands'
how many cards are in the full set => No such command 'how'. (crisps24 --help shows how)
starter --slides 5 --one-per-slide --target 36 --grade 5 => No such command 'starter'
smiths 1994 all solutions 6 2 4 8 => No such command 'smiths'. (crisps24 solve --help shows how)
dataset countdown num_operands=4 max_target=100 => No such command 'dataset'
what cant you get with 1 1 2 2 3 3 between 100 and 999 => No such command 'what'
nerdle --länge 8 --heute --tipps '12+35=47:gyxxgxxg' => No such command 'nerdle'
one from the top 5 from anywhere else please rachel => No such command 'one'
judge outputs.jsonl --pass@k 1,5,10 => No such option '--pass@k'
hardest --target 24 --need-fractions => No such command 'hardest'
enumerate --n 4 --max 13 --unsolvable => No such command 'enumerate'
count --numbers 1-13 --k 4 --target 24 --solvable => No such option '--k'
quit => No such command 'quit'. (crisps24 --help shows how)
diff lines.txt results.24 => No such command 'diff'. (crisps24 check --help shows how)
benchmark list => No such command 'benchmark'. (crisps24 judge --help shows how)
prüfe "3,5 * 4 + 10" ob 24 rauskommt => No such command 'prüfe'. (crisps24 --help shows how)
nerdle 3*8-15=9 => No such command 'nerdle'. (crisps24 play --help shows how)
fourfours 0:100 ops='+-*/^!' --concat => No such command 'fourfours'. (crisps24 --help shows how)
3+3x7 is it 42 or 24 => invalid target '3+3x7'
me vs computer best of 5 => No such command 'me'. (crisps24 deal --help shows how)
number of expressions 4 => No such command 'number'. (crisps24 formulas --help shows how)
finetune llama-3-8b --data hands.txt --epochs 3 => No such command 'finetune'
contamination --train results.24 --test hands.txt => No such command 'contamination'
list all smiths 24 --symbols 7 => No such command 'list'. (crisps24 solve --help shows how)
audit hands.txt --duplicates => No such option '--duplicates'. (crisps24 audit --help shows how)
--large 100,25 --small 9,8,3,1 --target 431 => No such option '--large'
results check results/results.24 vs hands.txt => invalid target 'check'
x:5 => No such command 'x:5'. (crisps24 --help shows how)
24 75 game24 => invalid target 'game24'
'' => No such command ''. (crisps24 --help shows how)
"""
# The packages that write files.
EXTRAS = {".pdf": "reportlab", ".xlsx": "xlsxwriter"}
HELP = "help|Hilfe"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    texts = {
        "answers.jsonl": '{"id": "cards:3.8=24", "text": "3 x 8"}\n',
        "24.csv": "name,3 3 8 8\nAnn,3 x 8\n",
        "brackets.txt": "(7 - 8 : 8) x 4\n",
        "class.csv": "name,1 cards:3.8=24\nAnn,3 x 8\n",
        "hands.txt": "4 3 8 4 -> 24\n",
        "lines.txt": "4 + 3 x 8 - 4\n",
        "outputs.jsonl": '{"nums": [3, 8], "target": 24, "output": "3 x 8"}\n',
        "train.jsonl": '{"nums": [3, 8], "target": 24, "answer": "3 x 8"}\n',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)


def test_refusal_names_the_call_that_is_meant_and_it_runs(run: Run) -> None:
    run("results 24")
    for line in MEANT:
        typed, _, meant = line.partition(" => ")
        ran = run(typed)
        suggested = re.findall(".*use crisps24 (.*)", ran.err)
        assert (ran.status, "Traceback" in ran.err) == (1 if ran.out else 2, False), ran
        assert suggested == [meant], ran
        if any(suffix in meant and not find_spec(extra) for suffix, extra in EXTRAS.items()):
            continue
        # The tests have no shell.
        line = re.split(r" > | \(without", meant)[0]
        assert run(line).status in ((0, 1) if "--file -" not in meant else (2,)), meant


def test_without_a_clear_meaning_no_call_is_named(run: Run) -> None:
    for line in NOT_MEANT.splitlines():
        typed, _, said = line.partition(" => ")
        err = run(typed).err.rstrip()
        assert said in err, err
        assert "use crisps24" not in err, err


def test_any_words_are_refused_without_a_traceback(run: Run) -> None:
    words = [*" ".join(v for kind in TABLE.values() for v in map(str, kind.values())).split()]
    words += [f"--{word}" for word in words] + 200 * [
        "1",
        "24",
        "952",
        "3478",
        "A",
        "3x8",
        "3",
        "1..9",
        "3:9",
        "x:5",
        "30s",
    ]
    words += 99 * ["", "(", "=", "-", "--", "+-x", "{1,2}", "hands.txt", "new.pdf", "cards", "a=3"]
    random = Random(70)
    for _ in range(5_000 if EVERY else 150):
        line = random.choices(words, k=random.randint(1, 6))
        if line[0] not in (*cli.commands, "24", "952", "3478", "1..9"):
            ran = run("", *line)
            assert (ran.status in (0, 1, 2), "Traceback" in ran.err) == (True, False), line


def test_name_that_no_file_can_have_is_refused_in_a_line(run: Run) -> None:
    ran = run(f"{'a' * 300}.csv")
    assert (ran.status, ran.err.count("\n")) == (2, 1), ran.err


def test_hands_from_standard_input_are_named(tmp_path: Path) -> None:
    (tmp_path / "hands.txt").write_text("4 3 8 4\n")
    with (tmp_path / "hands.txt").open() as stream:
        command = [sys.executable, "-m", "crisps24", "solve", "--all"]
        ran = subprocess.run(command, stdin=stream, stderr=subprocess.PIPE, text=True)
    assert ran.stderr.endswith(": use crisps24 solve --file - --all\n"), ran.stderr


def test_help_is_a_word_too(run: Run) -> None:
    assert {run(words).out for words in HELP.split("|")} == {run("--help").out}
    assert run("ayuda solve") == run("solve --help")
    assert run("help worksheets") == run("sheet --help")


def test_short_options_are_read(run: Run) -> None:
    assert run("-V") == run("--version")
    assert run("deal cards --seed 1 -n 2") == run("deal cards --seed 1 --count 2")
    assert run("deal cards -o a.csv").status == 0
    assert Path("a.csv").exists()


def test_a_name_of_a_game_is_known_as_people_write_it(run: Run) -> None:
    for words in ("24", "'24 game'", "Make-24", "24点"):
        assert run(f"play {words} --seed 1") == run("play cards --seed 1"), words


def test_each_word_of_the_table_has_one_meaning_that_exists() -> None:
    words = [word for words in TABLE["commands"].values() for word in words.split()]
    assert sorted(words) == sorted(set(words))
    assert not {*words} & {*cli.commands}
    assert {*TABLE["calls"]} == {*cli.commands}
    for start in TABLE["commands"]:
        assert shlex.split(start)[0] in (*cli.commands, "--help", "--version")
        assert all(word == word.casefold() for word in TABLE["commands"][start].split())
