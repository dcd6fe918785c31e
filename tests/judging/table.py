"""The tables of answers in `answers.txt` and `damaged.txt`, and their format."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

_ROW = re.compile(r"(\w+) ([\w-]+) +([a-z0-9]+):([-0-9.]+)=(\S+)(?: +(.*))?")


class Row(NamedTuple):
    part: str
    shape: str
    verdict: str
    code: str
    game: str
    hand: tuple[int, ...]
    target: Fraction
    text: Any


def rows(name: str = "answers.txt") -> list[Row]:
    table, part, shape = [], "", ""
    for line in Path(__file__).with_name(name).read_text(encoding="utf-8").split("\n"):
        if line.startswith("== "):
            part = line.strip("= ")
        elif line.startswith("# "):
            shape = line[2:]
        elif part and line:
            row = _ROW.fullmatch(line)
            assert row is not None, line
            verdict, code, game, hand, target, text = row.groups("")
            numbers = tuple(map(int, hand.split(".")))
            puzzle = (game, numbers, Fraction(target), written_out(text))
            table.append(Row(part, shape, verdict, code, *puzzle))
    return table


def written_out(text: str) -> Any:
    r"""Return a text of the table without its escapes.

    >>> written_out("1⏎2⟨200B⟩⟨3×+4⟩")
    '1\n2\u200b+4+4+4'
    """
    if text.startswith("⟨json⟩"):
        return json.loads(text.removeprefix("⟨json⟩"))
    text = re.sub("⟨([0-9]+)×([^⟩]*)⟩", lambda match: int(match[1]) * match[2], text)
    text = re.sub("⟨([0-9A-F]+)⟩", lambda match: chr(int(match[1], 16)), text)
    return text.replace("⏎", "\n")
