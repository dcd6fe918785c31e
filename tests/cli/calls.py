"""A call for each option of each command, in a folder with the files that they read."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from crisps24.cli.program import cli
from tests.commands import command_of
from tests.phones import line_of_page, page_file
from tests.tables import lines_of
from tests.workbooks import workbook

NAMES = tuple(cli.list_commands(click.Context(cli)))
# A call of each command that the other options can be added to.
BASES = {
    "solve": "solve 3 3 8 8 --game cards",
    "check": "check '4 + 3 x 8 - 4'",
    "deal": "deal cards --seed 1",
    "sheet": "sheet cards --count 2 --seed 1 --out a.svg",
    "page": "page cards --count 2 --seed 1 --out a.html",
    "quiz": "quiz cards --count 2 --seed 1 --out a.gift",
    "play": "play cards --seed 1",
    "serve": "serve",
    "site": "site --out a",
    "games": "games",
    "reach": "reach 1 2 3 --game digits --targets 0..9",
    "survey": "survey crisps --length 3 --numbers 1..5 --targets 1..24",
    "results": "results 24 --length 3",
    "verify": "verify results/results.24",
    "count": "count 24 --length 3",
    "formulas": "formulas 24 --length 3",
    "equations": "equations --length 5",
    "judge": "judge '4 + 3 x 8 - 4' --card '4 3 8 4' --target 24",
    "mark": "mark class.csv --out marks.csv",
    "audit": "audit puzzles.jsonl",
}
# The value of each option that has one, and the options that an option needs.
VALUES = {
    "--found": "give",
    **{"--against": "test.jsonl", "--allow-host": "example.org", "--answers": "answers.csv"},
    "--answer": "boxed --chat",
    **{"--ask": "sign", "--bits": "8", "--by": "target", "--card": "'4 3 8 4'"},
    **{"--class": "table.csv", "--closest-column": "best --game digits", "--count": "2"},
    **{"--dir": "out", "--distance-column": "delta", "--distances": "3", "--encoding": "gbk"},
    **{"--equals": "--signs", "--essential": "--solutions 1..9", "--fields": "id,hand,answer"},
    **{"--exactly": "1", "--fail-on": "duplicate", "--sort": "fail"},
    **{"--file": "lines.txt", "--first": "2", "--fix": "corrected.jsonl", "--format": "json"},
    **{"--for": "moodle", "--from": "found.sqlite", "--game": "cards", "--guess": "9*8-7=65"},
    **{"--games": "cards,krypto", "--pyodide": "https://example.org/pyodide"},
    **{"--hand-column": "nums", "--hints": "1", "--host": "127.0.0.1", "--key-column": "note"},
    **{"--known": "9....", "--language": "nl", "--large-tiles": "12..13 --numbers 1..13"},
    **{"--layout": "any", "--left": "formula", "--length": "3", "--level": "2", "--limit": "2"},
    **{"--log": "log.jsonl", "--most": "40", "--nesting": "1", "--numbers": "1..6"},
    **{"--operators": "+-x", "--out": "a.csv", "--paper": "letter", "--per-page": "4"},
    **{"--plot": "a.svg", "--port": "8024", "--prompt": "prompt.txt", "--proxy": "127.0.0.1"},
    **{"--right": "number", "--root-path": "/cards", "--seconds": "9", "--seed": "7"},
    "--sheet": "'crisps24 sheet cards --seed 7'",
    **{"--seen": "gyybbgyb", "--solutions": "1..9", "--style": "colon", "--target": "24"},
    **{"--versions": "2 --out a.html", "--names": "class.csv --out a.html"},
    **{"--steps": "3", "--used": "4", "--unsolvable": "50%"},
    **{"--shape": "left", "--depth": "3", "--some-shape": "mixed", "--some-depth": "2..3"},
    **{"--target-column": "target", "--targets": "20..30", "--title": "Friday", "--top": "2"},
    "--checkpoint": "chart.npz",
    **{"--with": "9", "--without": "8", "--work": "1000000000", "--workers": "2"},
}
# What the commands that deal write, and calls of options that choose what they deal.
_OUTPUTS = {"deal": "", "sheet": "--out a.svg", "page": "--out a.html", "quiz": "--out a.gift"}
_OUTPUTS |= {"play": ""}
_CHOOSING = """
cards --mix 1,1,0,0,0
cards --file hands.txt --encoding gbk
cards --file hands.xlsx --sheet-name A
cards --file hands.txt --unsolvable-too
cards --whole --numbers 1/2,1..6
countdown --large 2
digits --join
"""
OWN = [
    *(
        f"{name} {words} {output}".rstrip()
        for name, output in _OUTPUTS.items()
        for words in _CHOOSING.strip().splitlines()
        if name != "page" or words != "digits --join"
    ),
    # Calls of options that the base call cannot have, or that need another option.
    *lines_of("cli/options.txt"),
]
# Options that other tests call: tests/output/test_executors.py has a scheduler.
ELSEWHERE = ("survey --scheduler",)
# Two puzzles, with all columns that options of `audit` can name.
PUZZLES = """\
{"nums": [3, 8], "target": 24, "note": "3 * 8", "best": 24, "delta": 0}
{"nums": [4, 6, 1], "target": 24, "note": "4 * 6", "best": 24, "delta": 0}
"""


class OptionCall(NamedTuple):
    name: str
    """The command and the spelling of the option: `solve --file`."""
    line: str


def option_calls() -> Iterator[OptionCall]:
    """Yield a call for each spelling of each option of each command."""
    for name in NAMES:
        for option in command_of(name).params:
            if not isinstance(option, click.Option):
                continue
            for spelling in (*option.opts, *option.secondary_opts):
                called = f"{name} {spelling}"
                own = [line for line in OWN if {name, spelling} <= {*re.split("[ =]", line)}]
                if own:
                    yield OptionCall(called, own[0])
                elif called not in ELSEWHERE:
                    value = VALUES.get(spelling, "") if option.is_flag else VALUES[spelling]
                    yield OptionCall(called, f"{BASES[name]} {spelling} {value}".rstrip())


def write_files(folder: Path) -> None:
    files = {
        "hands.txt": "4 3 8 4 -> 24\ncards:3.3.8.8=24\n",
        "lines.txt": "4 + 3 x 8 - 4\n",
        "answers.jsonl": '{"id": "cards:3.8=24", "text": "3 x 8"}\n' * 2,
        "class.csv": "name,1 cards:3.8=24\nAnn,3 x 8\n",
        "chat.txt": line_of_page("Emil", "45N"),
        "puzzles.html": page_file().decode(),
        "prompt.txt": "Make {target} of {numbers}.",
        "puzzles.jsonl": PUZZLES,
        "test.jsonl": '{"nums": [8, 3], "target": 24}\n',
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    rows: list[list[object]] = [["name", "hand", "target", "answer"], ["Ann", "3 8", 24, "3 x 8"]]
    books: dict[str, list[list[object]]] = {
        "book": rows,
        "hands": [["4 3 8 4"]],
        "lines": [["4 + 3"]],
    }
    for book, cells in books.items():
        (folder / f"{book}.xlsx").write_bytes(workbook({"A": cells}))
