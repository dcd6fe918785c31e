"""Refused calls of all commands: status 2, one line on stderr, no file and no work."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.conftest import Run

# Calls, with ;; between them, and after => a part of what each is told.
REFUSED = r"""
nope => No such command 'nope'.
--nope ;; results 24 --nope => No such option '--nope'
--nothing => (crisps24 --help shows how)
24-30 ;; count 24-30 ;; deal countdown --targets 24-30 => did you mean 24..30?
count 24,25 => did you mean 24..25?
count 24 --parentheses ;; formulas 24 --parentheses => --parentheses needs the order of a card: use
count 24 --card '1 2' --length 2 => --card sets the numbers: it takes no --length
count 24 --card '1 2' --numbers 1..3 => sets the numbers: it takes no --numbers
count 24 --card '' => --card is empty (expected numbers
count 24 --card 'A B' => 'A' is not a whole number
count 24 --card '1 2 3 4 5 6 7 8' => a card has at most 7 numbers (12 in order), not 8
count 24 --card '12 3' --join => only single digits can be joined, not 12
count 24 --game crips => unknown game 'crips' (did you mean crisps? expected
count --game numble --no-parentheses => numble has no fixed target: give a TARGET
count --top 0 ;; results 24 --length 0 ;; play cards --seconds 0 => 0 is not in the range
count 24 --top 3 --format bfile => whole targets in order: it takes no --top
count 1/2 24 --fractions --format bfile => whole targets in order: it takes no 1/2
games --format bfile => bfile
count 0..3 --length 1..3 ;; count all --length 1..3 => takes one TARGET
count 24 --length 1..3 --top 2 => takes no --top
count 24 --length 0..3 => not in the range
count 24 --length 3..1 => did you mean 1..3
count 24 --once ;; formulas 24 --once => No such option '--once'
solve "4 _ 3 _ 8 _ 4 = 24" --once => can have each operator any number of times
solve 4 4 --game cards --once --operators '+-x:!' => cannot have each operator once with
deal crisps --signs --count 1 --once => each operator at most once
formulas 24 --game cards => cards has parentheses: counts and results files are for
formulas all => all: formulas takes one TARGET, a number
formulas 0..3 => 0..3: formulas takes one TARGET, a number
formulas twelve => invalid target 'twelve' (expected a number
formulas 24 --limit 0 => Invalid value for '--limit'
formulas 24 --format github => Invalid value for '--format'
formulas 24 --in-order => --in-order keeps the order of a card: add --card
results abc => invalid target 'abc' (expected a number, a range such as 0..100, or all)
results 100..0 => the range 100..0 runs downwards (did you mean 0..100?)
results 0..100000000 => has more than 1,000,000 numbers
results -- -5 => -5: targets of crisps cannot be less than zero
results 3/4 => 3/4: crisps has only whole targets
results 24 --length x => 'x' is not a valid integer
results 24 --numbers 1..x => '1..x' is not a number or a range such as 0..100
results 24 --numbers=-3..3 => -3 is less than zero, and the results
results 24 --game chess ;; check 3 --game chess ;; solve 1 2 --game chess => unknown game 'chess'
results 24 --game game24 --length 5 => game24 always has four numbers and no brackets
results 24 --game game24 --join => game24 always has four numbers and no brackets
results 24 --game numble => numble has parentheses
results 24 --format nope ;; solve 1 2 --format nope => unknown format 'nope' (expected table, csv,
results 24 --dir a-file => Directory 'a-file' is a file
results 24 --dir a-file/b => Not a directory
results -5 => No such option '-5'. (put -- before a negative number)
play cards --language xx ;; check 4+3 --language xx => nl (Nederlands),
judge x --card 4 --language xx ;; solve 4 3 8 4 --language xx => nl (Nederlands),
verify => Missing argument 'FILE...'.
verify missing => 'missing' does not exist.
verify . => . has no results files
verify a-file => the name a-file is not results.TARGET: add --target
check '1 + 2' --any-subset => --any-subset is about the numbers of a card
check '1 + 2' --all-numbers => --all-numbers is about the numbers of a card
check '1 + 2' --length 2 => --length limits formulas only with --strict
check '1 + 2' --style roman => 'roman' is not one of 'crisps', 'cards', 'ascii', 'unicode'
check 4 + 3 x 8 => put the formula in quotes: use crisps24 check "4 + 3 x 8"
check 4 - 3 => put the formula in quotes: use crisps24 check "4 - 3"
check 4 -3 => put a formula in quotes: "4 - 3"
check 4 +3 => put the formula in quotes: use crisps24 check "4 +3"
check 4+ 3 = 7 => put the formula in quotes: use crisps24 check "4+ 3 = 7"
check 1 ＋ 2 => put the formula in quotes: use crisps24 check "1 ＋ 2"
check 4 a.txt notes 3 ;; check a.txt '3 + 4' => put the formula in quotes, such as "4 * 3"
check => give a FORMULA
check 1+1 --target x ;; solve 1 --target x => 'x' is not a number (write 24, -5, 3/4 or 0.75)
check --file missing => 'missing': No such file or directory
check --file . => Is a directory
check --file blank => --file has no formula
solve --file - ;; solve --file blank --format csv => --file is empty (expected a hand
check '-4 + 28' => put -- before a formula that starts with a sign
check --style polish '- + 4 x 3 8 4' => check -- "-4 + 28"
check 3+3 --card cards:3.8=24 --target 24 => sets game, rules and target
check 3+3 --card cards:3.8=24 --game cards => sets game, rules and target
check 3+3 --card cards:3.8=24 --any-subset => sets game, rules and target
solve 3388 --game cards ;; solve 3388 --game cards --target 3388 => did you mean 3 3 8 8?
solve 3388 --game countdown ;; solve 3388 --numbers 1..10 => 3388 is one number (did you mean 3 3 8
solve cards:3388=24 ;; play cards:3388=24 => 3388 is one number (did you mean 3 3 8 8?)
reach 3388 --game cards => 3388 is one number (did you mean 3 3 8 8?)
check 3+3 --game cards --card 3388 ;; check 3+3 --card cards:3388=24 => did you mean 3 3 8 8?
check 3+3 --numbers 1..10 --card 3388 => 3388 is one number (did you mean 3 3 8 8?)
deal cards --join ;; solve 4 4 4 4 --game cards --join => joined, not 10 (choose digits: it has the
solve 4 4 4 4 --game krypto --join => only single digits can be joined, not 10
solve => give NUMBERS, such as 3 3 8 8
solve , => the hand is empty: add at least one number
solve 1 Q => 'Q' is not a whole number
solve 1 X --game cards => 'X' is not a number or one of A, T, J, Q, K
solve 3 0,75 3 6 --game cards => 0,75 can be a decimal or two numbers (write 0.75 or 0 75)
solve 1.5 2 => 1.5 is a fraction, and the results of this game are whole numbers
solve -1 5 5 5 ;; reach -- -1 1 => -1 is less than zero, and the results of this game cannot be
solve 1 2 3 4 5 6 7 8 9 10 11 12 --game cards => solving 12 numbers needs about
solve 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7 8 --in-order => solving 17 numbers needs about
solve 1 2 --game numble => numble has no fixed target: add --target
solve 3 3 8 8 --file - => it takes no NUMBERS
solve --file - --hint => use crisps24 solve 4 3 8 4 --hint
solve --file - --steps => use crisps24 solve 4 3 8 4 --steps
solve --file - --hints 2 => it takes no --hints
solve 3 3 8 8 --hints 0 => --hints
solve 3 3 8 8 --hint --essential => only first steps: it takes no --essential
solve 3 3 8 8 --hints 2 --all => only first steps: it takes no --all
solve '4 _ 3 = 8' --all => no --all
solve '4 _ 3 = 8' --parentheses => no --parentheses
solve '4 _ = 8' => malformed: a number is missing before =
solve cards:3.3.8.8=24 --target 10 => rules and target: it takes no --target
solve cards:3.3.8.8=24 --no-zero => and target: it takes no --no-zero
solve cards:3.3.8.8=24 4 => 'cards:3.3.8.8=24 4' is not the id of a puzzle
solve cards:3.3.8= => is not the id of a puzzle (expected an id such as cards:3.3.8.8=24)
solve chess:3.3.8.8=24 ;; quiz chess --out q.gift ;; survey chess => unknown game 'chess'
solve cards:3.3.8.8=24,king=yes => unknown rule 'king'
reach => give NUMBERS, such as 3 3 8 8, or --own-digits
reach 1 2 --own-digits 10..20 ;; reach --own-digits 10..20 --targets 1..2 => --own-digits sets hands
reach --own-digits=-3..4 => -3 has a sign
reach 1 2 --game digits --operators '+√' --signed --nontrivial => before anything and operators
reach 1 2 --targets 9..1 ;; survey --targets 9..1 => the range 9..1 runs downwards (did you mean
deal --out x.csv --answers => --answers is for the screen: the name of --out sets
deal cards --seed => Option '--seed' requires an argument
deal --nothing => use crisps24 deal (without --nothing)
deal --out x.pdf => crisps24 sheet writes .pdf
deal --out x.html => crisps24 sheet writes .html
deal --out x.xlsx => .parquet; Excel opens .csv): use crisps24 deal --out x.csv
sheet --out x.xlsx => (expected .pdf, .svg, .png, .html): use crisps24 sheet --out x.pdf
deal --out x.gift => crisps24 quiz writes .gift
deal cards --level 2-4 => did you mean 2..4?
deal cards --count 1000001 => cannot deal 1,000,001 puzzles (expected 1 to 1,000,000)
sheet --out x.CSV => crisps24 deal writes .csv
sheet --out x.txt => crisps24 quiz writes .txt
sheet --per-page 2 ;; sheet --language nl => Missing option '--out'
sheet --out a.pdf --format csv => No such option '--format'
sheet --out a.doc ;; sheet --out pdf => .pdf, .svg, .png, .html
sheet --out a.svg --class a.json => --class a.json:
sheet --out a.html --class a.html => --class a.html: the suffix sets the format
sheet --out a.svg --class nowhere/a.csv ;; sheet --out nowhere/a.svg => nowhere: no such folder
sheet cards --out a.html --class a.csv --count 101 => mark takes at most 100 puzzles, not 101
sheet --out a.svg --count 13 => 13 puzzles take 2 pages, and an .svg has one: put
sheet --out a.svg --count 21 => 21 puzzles take 2 pages, and an .svg has one: ask
sheet --out a.png --count 13 => 13 puzzles take 2 pages, and a .png has one: put
sheet --out a.png --count 20 => a .png has one: put up to 20 on a page, or write .pdf
sheet --out a.png --language zh => the font of a .png has no letter
sheet --out a.png --title 数 => the font of a .png has no letter '数' (U+6570)
sheet --out a.html --per-page 0 => cannot put 0 puzzles on a page
sheet --out a.html --large-print --per-page 4 => large print has 2 puzzles on a page, not 4
sheet --out a.html --paper a6 => unknown paper 'a6' (expected a4, a5, letter, a3, poster, card)
sheet --out a.svg --paper card --title a => a single card is not a page: leave this out: Title
sheet --out a.svg --paper card --count 2 => a single card is one puzzle, not 2
sheet --out a.svg --language xx => unknown language 'xx' (expected en (English), nl
sheet --out a.svg --style latex => unknown style 'latex' (expected crisps
page game24 --out a.html => its own order of operations
page cards --operators +-x:^ --out a.html => it has the operator ^
page cards --count 1001 --out a.html => too many for one file
page cards --daily --seed 7 --out a.html => takes no --seed
page cards --daily --signs --out a.html => --signs
page cards --date 2026-11-01 --out a.html => add --daily
page cards --daily --date 2025-12-31 --out a.html => too early
page cards --signs --level 2 --out a.html => takes no --level
page cards --equals --out a.html => add --signs
page cards --style latex --out a.html => unknown style 'latex'
page cards --out a.pdf => expected .html
deal cards:3.3.8.8=24 --count 2 ;; sheet cards:3.8=24 --level 2 --out a.svg => sets game, rules
deal equation => equation is not a game: use crisps24 play equation
deal cards --unsolvable-too => add --file
deal cards --file 3 --count 2 => --file has the puzzles: leave out --count
deal 3 3 8 8 --file 3 => --file has the puzzles: leave out 3 3 8 8
deal cards --split 90,5,5 => --split writes files: add --out
deal cards --split 90,5.5,5 --out a.csv => expected percentages that add up to 100
deal cards --count 9 --split 8,2 --out a.csv => numbers of puzzles that add up to their count
deal cards --count 2 --split 90,5,5 --out a.csv => 2 puzzles are too few
deal cards --chat --answers => leave it out with --chat
deal cards --unsolvable 120% => expected a whole number from 0 to 100
deal cards --unsolvable 20% --mix 1,1,1,1,1 => give only one: --mix or --unsolvable
deal cards --mix 1,1 ;; deal cards --mix 0,0,0,0,0 => invalid mix
deal cards --mix 1,1,1,1,1 --count 5 ;; deal cards --mix 1,1,1,1,1 --level 2 => give only one
deal fractions24 --mix 1,1,1,1,1 => levels
sheet cards --out a.html --class a.ods => .csv, .tsv, .xlsx
deal cards:3.8=24 --signs => leave out your own puzzles
page cards:3.8=24 --daily --out a.html => --daily has its own puzzles
sheet cards:3.8=24 crisps:4.3.8.4=24 --out a.svg => a sheet has one game
page cards --join --out a.html => --join
quiz cards ;; mark class.csv => Missing option '--out'
quiz cards --out q.docx ;; quiz cards --out q.gift.gz ;; quiz cards --out q => .gift, .txt
quiz cards --out q.csv => add --for (expected blooket or gimkit)
quiz cards --out q.xlsx => add --for (expected kahoot or wayground)
quiz cards --out q.csv --for kahoot => kahoot reads another file (expected .xlsx)
quiz cards --out q.gift --for chess => unknown program 'chess' (expected moodle, canvas, blackboard,
quiz cards --out q.gift --seconds 9 => --seconds: moodle has no time limits (expected kahoot,
quiz --out q.csv --for blooket --seconds 301 => no time limit of 301 seconds (expected 1 to 300)
quiz cards --out q.gift --ask colour => unknown question 'colour' (expected hand, sign
quiz cards --out nowhere/q.gift ;; mark class.csv --out nowhere/marks.csv => nowhere
quiz countdown --seed 1 --out q.gift --ask step => step
quiz --out x.svg => crisps24 sheet writes .svg
play game24 => game24
play cards --large 2 => cards has no large tiles
play cards:1.2.3.4.5.6.7.8.9.10.11.12=24 => 12 numbers needs about
play cards:3.8=24 --level 3 => no --level
play cards:3.8=24 --no-parentheses => no --no-parentheses
play cards:3.8=24 --count 3 => no --count
play cards:3.8=24 --target 3 => no --target
play cards --log nowhere/times.jsonl => nowhere/times.jsonl: No such file
play cards --log / => --log /: invalid suffix (expected .jsonl)
play cards --log times.csv => --log times.csv: invalid suffix (expected .jsonl)
play cards --daily --seed 7 => --daily has one puzzle for everyone: it takes no --seed
play cards --daily --level 3 => --daily has one puzzle for everyone: it takes no --level
play cards --daily --zero => --daily has one puzzle for everyone: it takes no --zero
play cards:3.8=24 --daily ;; play 4 3 8 4 --daily => --daily needs the name of a game, such as cards
play 4 3 8 4 --count 2 => --count chooses what is dealt: leave it out with your own numbers
play countdown 75 50 2 ;; survey numble --answers b.tsv => has no fixed target: add --target
play cards A 5 Z 7 => 'Z' is not a number or one of
play cards:3.8=24 5 => cards:3.8=24 takes no numbers: leave out 5
play equation 4 3 => equation takes no numbers: leave out 4 3
play cards --date 2026-11-20 => --date sets the day of --daily: add --daily
play cards --daily --date 2026-11 => invalid date '2026-11'
play cards --daily --date 9999-12-31 => the puzzle for 9999-12-31 comes later
survey --workers 0 => 0 is not in the range x>=1
survey --workers 2 --scheduler tcp://a:1 => --workers and --scheduler exclude each other
survey --unsolvable => --unsolvable lists the hands that fail: add --target
survey --targets 0..9 --target 0 => --target sets one target: it takes no --targets (
survey numble --targets 0..9 --target 24 --answers b.tsv => --target sets one target: it takes no
survey digits --difficulty --target 9 --targets 0..9 => --target sets one target: it takes no
survey --best --target 24 => --best sorts targets, and 24 is the only one
survey --best --targets 7 => --best sorts targets, and 7 is the only one
survey numble --best --by large => --best sorts targets or hands: it takes no --by large
survey crisps --by large ;; survey crisps --distances --by large => --by large: crisps has no large
survey crisps --by share => --by share needs difficulties: add --difficulty
survey numble --numbers 1..9 --by large => --by large: numble (numbers 1..9) has no large numbers
survey crisps digits --by hand => --by takes one GAME
survey crisps digits --answers b.tsv => --answers takes one GAME
survey crisps digits --out b.sqlite => --out takes one GAME
survey crisps digits --target 5 --unsolvable => --unsolvable takes one GAME
survey crisps digits --difficulty => --difficulty takes one GAME
survey countdown numble --distances => --distances takes one GAME
survey crisps --targets 0..9 --answers b.tsv => --target 24 is not among the targets 0..9
survey crisps numble => the games have different ranges of targets: add --targets
survey cards --distances => distances need a game with whole values: cards has fractions
survey countdown --distances 0 => invalid distance 0 (expected 1 to 100)
survey countdown --distances 101 => invalid distance 101 (expected 1 to 100)
survey countdown --distances -1 => No such option '-1'
survey --distances countdown => 'countdown' is not a whole number: name the game before --distances
survey countdown --targets 1..999999 --difficulty => a survey of difficulty holds; 2,533 targets
survey countdown --targets 1..81077 --distances 5 => 13,243 hands of countdown and 81,082 targets
survey numble --targets 0..999999 => 1,000,000 targets are more than a survey holds; 357,556 targets
survey crisps numble --targets 0..999999 => 3,003 hands of numble and 1,000,000 targets are more
survey crisps --numbers 1..99 --join => only single digits can be joined
survey crisps --length 40 => crisps has more than 12,000,000 hands
survey --target 24 --answers a.txt => --answers a.txt: the suffix sets the format
survey --target 24 --answers nowhere/answers.tsv => : no such folder
count all --plot figure.gif ;; survey --plot figure => a figure's name ends in .png, .svg or .pdf
survey --plot png ;; count all --plot figure.svg.txt => a figure's name ends in .png, .svg or .pdf
count all --plot folder.png ;; survey --plot folder.png => 'folder.png' is a directory
count all --plot pipe.png ;; survey --plot pipe.png => pipe.png: not a regular file
count all --plot nowhere/figure.png ;; survey --plot nowhere/figure.png => nowhere
survey --out a.png --plot a.png-journal => --out and --plot are the same file
survey --target 24 --out s.png --answers ./s.png => --out and --answers are the same file: give each
survey --target 24 --answers s.png --plot ./s.png => --answers and --plot are the same file
survey --target 24 --plot link.png --out answers => --out and --plot are the same file
equations --length 11 => 5 to 10 characters, not 11: there are too many longer ones
equations --length 4 => 5 to 10 characters, not 4
equations --guess 9*8-7=65 => add a --seen for each --guess
equations --guess 9*8 --seen gyb => '9*8' has 3 characters, not 8
equations --known 1^______ => '^' is not in these equations (only digits and - + * / =)
equations --best --count => --best shows one guess: it takes no --count
equations --work 5 => --work limits --best
equations --count --limit 5 => --count shows a number: it takes no --limit
equations --best --length 9 --without 0 => or add --work none
equations --game game24 => does not group by precedence
equations --left number => an equation needs an operator
mark --out marks.csv => Missing argument 'FILE'
mark - --out marks.csv => crisps24
mark nothing.csv --out marks.csv => 'nothing.csv': No such file or directory
mark class.csv --out marks.json --title x => --title is for paper: leave it out f
mark class.csv --out marks.svg => .pdf, .html, .xlsx, .csv, .tsv, .json, .jsonl
mark class.csv --out marks.html --paper a9 => unknown paper 'a9'
mark empty.csv --out marks.html => there is nobody to mark
judge ;; judge '3 x 8' --file answers => give TEXT, such as
judge '3 x 8' ;; judge '3 x 8' --target 24 => missing hand: add --card, or a column hand or id
judge '3 x 8' --card '3 8' => missing target: add --target, or a column target or id
judge '3 x 8' --card '' => --card is empty
judge '3 x 8' --card 'x y' --target 24 => 'x' is not a number
judge '3 x 8' --card cards:3.8=24 --target 24 => --target
judge '3 x 8' --card cards:3.8=24 --game cards => --game
judge 3x8 --card chess:3.8=24 ;; judge 3x8 --card 38 --game chess => unknown game 'chess'
judge 3x8 --card '3 8' --target 24 --workers 2 => --workers share the lines of a file: add --file
judge --file nowhere ;; audit nowhere => 'nowhere': No such file or directory
judge --file blank ;; audit blank => the file has no line
judge --workers 0 --file answers ;; audit --workers 0 answers => '--workers'
judge --format nope --file answers ;; audit --format nope answers => unknown format 'nope'
judge --file prose => line 1 is not JSON, and names no column of completion, response, generat
audit => Missing argument 'FILE...'
audit prose => line 1 is not JSON, and names no column of id, card, hand, numbers, nums
audit --game chess answers => unknown game 'chess'
audit answers --fix answers ;; audit answers --fix ./answers => this file is read and written: name
audit answers --fix link => this file is read and written: name another one
audit answers --fix a.csv => --fix a.csv: the format stays the same
audit answers answers --fix b => --fix corrects one FILE, and the call names 2
audit answers --fix nowhere/b => nowhere
audit answers --fix b --against answers => --against compares files: it takes no --fix
audit answers --solutions --against answers => it takes no --solutions
"""
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
    cases = [
        (call, [part])
        for row in REFUSED.strip().splitlines()
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
def test_without_matplotlib_the_error_says_how_to_install_it_before_any_work(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = 'crisps24: figures need matplotlib, which is missing: pip install "crisps24[plot]"\n'
    for command in ("count all", "survey"):
        assert run(f"{command} --plot figure.png") == (2, "", said)
    assert not list(Path().iterdir())
