"""The call that a refused one means: it has the person's words, and runs as it is printed."""

import re
import shlex
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import crisps24
from crisps24.cli.program import cli
from tests.cli.conftest import Run

TABLE = tomllib.loads(Path(crisps24.__path__[0], "cli", "meanings.toml").read_text())
# What people type, and after => the call that they mean.
MEANT = """\
generate 10 => deal --count 10
generate 5 easy -f csv => deal --count 5 --level easy --format csv
create dataset cards --num 3 => deal cards --count 3
print 20 puzzles => sheet --count 20 --out sheet.pdf
worksheet countdown 12 --pdf => sheet countdown --count 12 --out sheet.pdf
Arbeitsblatt => sheet --out sheet.pdf
résoudre 3 3 8 8 => solve 3 3 8 8 --game cards
lösen => solve 3 3 8 8 --game cards
--solve 3 3 8 8 => solve 3 3 8 8 --game cards
how to solve 3 3 8 8 => solve 3 3 8 8 --game cards
hint 4 7 8 8 => solve 4 7 8 8 --hint
daily => play --daily
nerdle => play equation
version => --version
grade class.csv => mark class.csv --out marks.csv
make 24 => play cards
make 24 from 4 7 8 8 => solve 4 7 8 8 --game cards
24 from 4 7 8 8 => solve 4 7 8 8 --target 24
countdown => play countdown
countdown 25 50 75 100 3 6 952 => solve 25 50 75 100 3 6 --target 952 --game countdown
le compte est bon => play countdown
krypto 1 2 3 4 5 6 => solve 1 2 3 4 5 --target 6 --game krypto
slove 3 3 8 8 => solve 3 3 8 8 --game cards
chek 4+3 => check 4+3
4 7 8 8 = 24 => solve 4 7 8 8 --target 24
4,7,8,8 => solve 4 7 8 8
4788 => solve 4 7 8 8
4+3*8-4 => check '4+3*8-4'
8/(3-8/3)=24 => check '8/(3-8/3)=24' --game cards
results 4+3*8-4 => check '4+3*8-4'
solve 1 2 3 4 = 10 => solve 1 2 3 4 --target 10
solve A K Q 2 => solve A K Q 2 --game cards
solve 4 7 8 8 -t 36 => solve 4 7 8 8 --target 36
solve --targt 24 3 3 8 8 => solve 3 3 8 8 --target 24 --game cards
solve --nums 4 7 8 8 --target 24 => solve 4 7 8 8 --target 24
solve 3 3 8 8 --json => solve 3 3 8 8 --game cards --format json
solve 3 3 8 8 --brackets => solve 3 3 8 8 --parentheses
deal --max 13 --game cards => deal cards --numbers 1..13
solve 3 3 8 8 --rules => solve 3 3 8 8 --game cards --help-rules
deal cards 100 => deal cards --count 100
reach 1 2 3 4 --max 100 => reach 1 2 3 4 --targets 0..100
deal easy 5 => deal --count 5 --level easy
SOLVE 5, 5, 5, 1 => solve 5 5 5 1 --game cards
[2] [4] [6] [8] => solve 2 4 6 8
range {1,2,3,4} --max 100 => reach 1 2 3 4 --targets 0..100
smallest-unreachable 2 3 5 7 => reach 2 3 5 7 (without smallest)
how do I make 24 from 2 4 6 8 => solve 2 4 6 8 --game cards
solve -f hands.txt -j 2 => solve --file hands.txt --workers 2
solve {1,2,7,7} t=24 ops=+,-,x,/ => solve 1 2 7 7 --target 24 --game cards --operators +-x/
-target 36 -cards 4 4 5 9 => solve 4 4 5 9 --target 36 --game cards
4 4 5 9 target=1,000 => solve 4 4 5 9 --target 1000
tiles 50 25 8 8 4 2 : 701 => solve 50 25 8 8 4 2 --target 701 --game countdown
countdown 2 large 4 small => play countdown --large 2 (without 4 small)
grade --input class.csv --output marks.csv => mark class.csv --out marks.csv
enumerate --n 4 --ops +-x => formulas --length 4 --operators +-x
how do i play the game with 24? => play cards
countdown random 2 big 4 small => deal countdown --large 2 (without 4 small)
numbers-round --timer 30 => play countdown --seconds 30
who got it wrong class.csv => mark class.csv --out marks.csv (without who got wrong)
pass@k outputs.jsonl -k 5 => judge --file outputs.jsonl (without -k 5)
mark lines.txt => check --file lines.txt
deal new.txt 15 => deal --count 15 --out new.csv
printout hands.txt A4 => sheet --file hands.txt --out sheet.pdf (without A4)
new puzzle for a 10 year old => deal (without 10 year old)
value of card 3478 => solve 3 4 7 8 --game cards (without value)
help me => --help
paly => play
card 0379 => solve 0 3 7 9
generate 12 hands --no-ones => deal --count 12 (without --no-ones)
plai => play
play --age 9 => play (without --age 9)
"how do I play?" => play
check (5-1/5)*5 24 --rules 24game => check '(5-1/5)*5' --target 24 --game cards
targets 1 2 3 4 --range 1..100 => reach 1 2 3 4 --targets 1..100
write --target 10 new-10.csv => results 10 (without new-10.csv)
contdown 50 10 9 5 3 2 --target 601 => solve 50 10 9 5 3 2 --target 601 --game countdown
impossible cards => survey --target 24 --unsolvable
judge output.jsonl => judge --file outputs.jsonl
"How do you make 24 from 2 3 5 12?" => solve 2 3 5 12 --game cards
deal --count 9 --no-brackets new.txt => deal --count 9 --no-parentheses --out new.csv
count 4 --target 24 => count 24 --length 4
solve [2 4 6 8] = 24 => solve 2 4 6 8 --target 24
deal 5 puzzles => deal --count 5
make10 1 1 9 9 => solve 1 1 9 9 --game make10
todays puzzle => play --daily
print 10 puzzles for my son age 8 => sheet --count 10 --out sheet.pdf (without son age 8)
worksheet --easy --pages 2 --answers => sheet --level easy --out sheet.pdf (without --pages 2)
check 6 6 2 1 '6 x 6 : 2 + 6' => check '6 x 6 : 2 + 6' --card '6 6 2 1'
check crisps '8 : 4 x 9 + 6' => check '8 : 4 x 9 + 6' --game crisps
how many smiths cards are there => count --game crisps (without are there)
test -n 8 --groups A,B --out a.pdf => sheet --count 8 --out a.pdf (without --groups A,B)
test --versions 4 --count 12 => sheet --count 12 --out sheet.pdf --versions 4
open hands.txt => solve --file hands.txt
-play numbel => play numble
verify --expr='8/(3-8/3)' --numbers=3,3,8,8 => check '8/(3-8/3)' --card '3 3 8 8' --game cards
play todays puzzle => play --daily
--card 5538 --target 24 --no-parentheses => solve 5 5 3 8 --target 24 --no-parentheses
check '3x8=24 9-8=1 24x1=24' 3 8 8 9 => check '3x8=24 9-8=1 24x1=24' --card '3 8 8 9' --game cards
save 12 puzzles to Desktop/cards => deal --count 12 (without Desktop/cards)
q k j a => solve Q K J A --game cards
crisps --digits 0,4,4,9 --all => solve 0 4 4 9 --game crisps --all
solve 1/2 3/4 2 5 --target 9/2 => solve 1/2 3/4 2 5 --target 9/2 --game fractions24
reachable 2,3,7,11 --from=1 --to 9 => reach 2 3 7 11 --game cards (without --from 1 --to 9)
deal -n 5 --dedupe-against train.jsonl => deal --count 5 (without --dedupe-against train.jsonl)
score "<b>3*8</b>" -t 24 --nums "[3,8]" => judge '<b>3*8</b>' --card '3 8' --target 24
quiz 10 => quiz --count 10 --out quiz.gift
play 30 => play --count 30
letters => games
lines.txt => check --file lines.txt
class.csv => mark class.csv --out marks.csv
hands.txt => solve --file hands.txt
verify lines.txt => check --file lines.txt
check lines.txt => check --file lines.txt
check - => check --file -
judge answers.jsonl => judge --file answers.jsonl
check '(7-8/8)*4=24' => check '(7-8/8)*4=24' --game cards
check 4 7 8 8 '(7-8/8)*4' => check '(7-8/8)*4' --card '4 7 8 8' --game cards
generate --game countdown --num 20 --traces dfs => deal countdown --count 20 (without --traces dfs)
generate 5 frobs => deal (without 5 frobs)
generate --num 5 --size 3 => deal --count 5 --length 3
deal --level 99 --answers => deal --answers (without --level 99)
worksheet -n 2 -o week.txt --answers => sheet --count 2 --out week.pdf
worksheet --numbers 1-9 --seed 7 => sheet --out sheet.pdf --numbers 1..9 --seed 7
results --target 143 => results 143
count --target 24 --max 13 => count 24 --numbers 1..13
make 12 easy puzzles => deal --count 12 --level easy
24 --foo => results 24 (without --foo)
solve -n 3 3 8 8 => solve 3 3 8 8 --game cards
solve '[3,3,8,8]' --foo => solve 3 3 8 8 --game cards (without --foo)
frobnicate 3 3 8 8 => solve 3 3 8 8 --game cards (without frobnicate)
is-possible 3 3 8 8 => solve 3 3 8 8 --game cards
enumerate 24 => formulas 24
rules cards => games (without cards)
sort-by-difficulty hands.txt => solve --file hands.txt
check-countdown '25*4+3' => check '25*4+3' --game countdown
numbers 100 8 6 4 2 1 target 667 => solve 100 8 6 4 2 1 --target 667 --game countdown
eval answers.jsonl => judge --file answers.jsonl
evaluate '3 x 8' => check '3 x 8'
evaluate '3 x 8' --card '3 8' => check '3 x 8' --card '3 8'
check --foo => check '4 + 3 x 8 - 4 = 24' (without --foo)
make --count 30 --difficulty medium --answers => deal --count 30 --level medium --answers
make => deal
mak 24 => play cards
solve hands.txt --out solved.csv => solve --file hands.txt --format csv > solved.csv
solve hands.txt -o solved.xlsx => solve --file hands.txt --format csv > solved.csv
check --input outputs.jsonl --output s.csv => judge --file outputs.jsonl --format csv > s.csv
check --file lines.txt --output excel => check --file lines.txt (without --output excel)
bench results/results.24 => verify results/results.24
validate train.jsonl => audit train.jsonl
verify train.jsonl => audit train.jsonl
--lang fr => play --language fr
--lang=fr => play --language fr
--sprache de => play --language de
unlösbar make24 => survey cards --target 24 --unsolvable
--language fr play => play --language fr
mark class.csv -o m.csv --puzzles hands.txt => mark class.csv --out m.csv --file hands.txt
audit train.jsonl -o clean.jsonl => audit train.jsonl --fix clean.jsonl
--lang=fr play cards => play cards --language fr
--lang fr solve 3 3 8 8 => solve 3 3 8 8 --game cards --language fr
list --unsolvable => survey --target 24 --unsolvable
list unsolvable --target 36 => survey --target 36 --unsolvable
statistics --numbers 4 --max 13 --target 24 => survey --target 24 --length 4 --numbers 1..13
kahoot 10 => quiz --count 10 --out quiz.xlsx --for kahoot
quiz --format kahoot => quiz --out quiz.xlsx --for kahoot
quiz blooket 5 --out a.xlsx => quiz --count 5 --out a.csv --for blooket
canvas cards 5 => quiz cards --count 5 --out quiz.zip --for canvas
quiz --format frobs => quiz --out quiz.gift (without --format frobs)
deal --out x.xlsx => deal --out x.csv
check '(7-8/8)*4' 24 => check '(7-8/8)*4' --target 24 --game cards
"""
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
"""
# The packages that write files.
EXTRAS = {".pdf": "reportlab", ".xlsx": "xlsxwriter"}
HELP = "help|Hilfe"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    texts = {
        "answers.jsonl": '{"id": "cards:3.8=24", "text": "3 x 8"}\n',
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
    for line in MEANT.splitlines():
        typed, _, meant = line.partition(" => ")
        ran = run(typed)
        suggested = re.findall("use crisps24 (.*)", ran.err)[-1:]
        assert (ran.status, ran.err.count("Traceback"), suggested) == (
            1 if ran.out else 2,
            0,
            [meant] if "results 4" not in ran.err else [suggested[0]],
        ), ran
        assert meant in suggested[0], ran.err
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
