"""Inputs made to break what reads them, and the readers that they are given to."""

import ast
import io
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random

from crisps24 import GAMES, CrispsError, FormulaError, check, deal, evaluate, judge, parse
from crisps24.drawing.drawings import svg_of
from crisps24.enumeration.format import LineReader
from crisps24.enumeration.verification import verify_results
from crisps24.judging.records import Attempt, parse_attempt, parse_record, read_text_lines
from crisps24.notation.checking import working
from crisps24.paper.sheets import Sheet, sheet_pages
from crisps24.puzzle import puzzle_of
from crisps24.puzzles.rounds import Round
from crisps24.rules.characters import escape_unprintable, split_words
from crisps24.rules.deals import parse_hand
from crisps24.rules.games import find_game
from crisps24.rules.ids import parse_id
from crisps24.rules.words import (
    parse_limit,
    parse_numbers,
    parse_operators,
    parse_range,
    parse_value,
)

CRISPS = GAMES["crisps"]
DEALT = deal("cards", 2, seed=7)
HEADER = "   i   j   k   l   op1  op2  op3\n  --- --- --- ---   -    -    -\n"
# What inputs are made of.
PIECES = [
    *"0123456789+-*/x:×÷·−–()[]=.,;#{}\"'|&^ \t\n\r\0\x1b\u202e\ufeff½²٣Ａ４＋",
    *("**", "->", "..", "1e9", "NaN", "null", "cards", "24", "999999999999", "0x1F", "١٢"),
    *("4 + 3 x 8 - 4", "8 / (3 - 8 / 3)", "75 + 50 = 125, 125 x 6 = 750", "A 10 J Q"),
    *("8 / (3 - 8 / 3)", "8 / 3 = 8/3\n", "3 - 8/3 = 1/3\n", "8 / (1/3) = 24", "Answer: ", "\n\n"),
    *("<answer>", "</answer>", "\\boxed{", "\\frac{8}{3}", "}", "$$", "**", "Wait, ", "```"),
    *('{"formula": "4 x 6", "card": [4, 6], "target": 24}', "cards:3.3.8.8=24,zero=no", "1..9"),
    *("   2   8   9   1    x    x    -\n", HEADER, "((((((((", "9" * 200, "+ " * 50, "[" * 400),
]


def made(random: Random) -> str:
    """Return an input: a few pieces, of which some come very often and some are damaged."""
    text = "".join(random.choice(PIECES) for _ in range(random.randint(0, 8)))
    if random.random() < 0.05:
        text *= random.choice((10, 100, 1000))
    if text and random.random() < 0.3:
        place = random.randrange(len(text))
        text = text[:place] + chr(random.choice((0, 27, 255, 0x2066, 0x10FFFF))) + text[place + 1 :]
    return text[:20_000]


def _verified(text: str) -> object:
    return verify_results(io.BytesIO((HEADER + text).encode()), "crisps", target=143)


def _lines(text: str) -> object:
    attempt = Attempt("", 24, None, CRISPS)
    lines = [parse_record(line) for _, line in read_text_lines(io.BytesIO(text.encode()))]
    return [check(*parse_attempt(told, attempt, parse_id)[:4]) for told in lines if told]


def _typed(text: str) -> object:
    played, _ = Round(DEALT[0]).play(text)
    return [played.play(each)[1].text for each in ("?", text, "!")]


def _titled(text: str) -> object:
    return [svg_of(page) for page in sheet_pages(DEALT, Sheet(title=text, key=False))]


def _formula(text: str) -> object:
    """Return the value of a formula that depends on a text, compared with that of Python."""
    random = Random(text)
    formula = _grown(random, 4)
    try:
        expected = _value_of(ast.parse(formula, mode="eval").body)
    except ZeroDivisionError:
        expected = None
    value: object
    try:
        value = evaluate(formula, "digits")
    except FormulaError as error:
        value = None if error.code == "division-by-zero" else error
    assert value == expected, f"{formula} is {expected}, not {value}"
    return value


def _grown(random: Random, depth: int) -> str:
    """Return a formula, or a part of one in parentheses."""
    if not depth or random.random() < 0.2:
        return str(random.randint(1, 9))
    terms = [_grown(random, depth - 1) for _ in range(random.randint(1, 3))]
    formula = terms[0]
    for term in terms[1:]:
        space = random.choice(("", " "))
        formula += f"{space}{random.choice('+-*/')}{space}{term}"
    return f"({formula})" if random.random() < 0.7 else formula


def _value_of(node: ast.expr) -> Fraction:
    """Return the exact value of a formula in Python's syntax."""
    match node:
        case ast.Constant(value=int(number)):
            return Fraction(number)
        case ast.BinOp(left=left, op=operator, right=right):
            one, other = _value_of(left), _value_of(right)
            match operator:
                case ast.Add():
                    return one + other
                case ast.Sub():
                    return one - other
                case ast.Mult():
                    return one * other
                case ast.Div():
                    return one / other
    raise AssertionError(f"{ast.dump(node)} has a value")


def _right(text: str) -> object:
    """Judge a text; what is right has the card's numbers and the target in Python too."""
    judged = judge(text, "cards:3.3.8.8=24")
    if judged and re.fullmatch("[0-9+*/() -]+", judged.formula):
        assert sorted(re.findall("[0-9]+", judged.formula)) == [*"3388"], judged.formula
        assert _value_of(ast.parse(judged.formula.strip(), mode="eval").body) == 24, judged.formula
    return judged


READERS: dict[str, Callable[[str], object]] = {
    "parse": parse,
    "check": lambda text: check(text, 24, (4, 3, 8, 4), "digits"),
    "working": lambda text: working(text, "digits"),
    "polish": lambda text: check(text, 24, game="digits", style="polish"),
    "hand": lambda text: parse_hand(split_words(text), GAMES["cards"]),
    "value": parse_value,
    "range": parse_range,
    "numbers": parse_numbers,
    "operators": parse_operators,
    "limit": parse_limit,
    "game": find_game,
    "puzzle": puzzle_of,
    "round": _typed,
    "title": _titled,
    "file of formulas": _lines,
    "results file": _verified,
    "judge": _right,
    "formula": _formula,
    "lines of a file": lambda text: list(LineReader(io.BytesIO(text.encode())).blocks()),
    "shown": escape_unprintable,
}


@dataclass
class Report:
    """What came of inputs: how many of each kind of answer, and what no reader may say."""

    kinds: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    slowest: float = 0
    slowest_input: str = ""
    memory: int = 0
    """The largest process, in megabytes."""

    def timed(self, seconds: float, what: str) -> None:
        """Take how long something took."""
        if seconds > self.slowest:
            self.slowest, self.slowest_input = seconds, what


def campaign(inputs: int, seed: int, most_seconds: float = 2) -> Report:
    """Give every reader its share of so many inputs; the same seed gives the same ones."""
    random, report = Random(seed), Report()
    names = list(READERS)
    for place in range(inputs):
        name, text = names[place % len(names)], made(random)
        began = time.perf_counter()
        try:
            READERS[name](text)
            kind = "answered"
        except CrispsError as error:
            kind = type(error).__name__
            if not str(error) or "\n" in str(error):
                report.wrong.append(f"{name} {text[:200]!r}: no sentence: {str(error)[:200]!r}")
        except Exception as error:
            kind = type(error).__name__
            report.wrong.append(f"{name} {text[:200]!r}: {kind}: {str(error)[:200]}")
        took = time.perf_counter() - began
        report.kinds[f"{name}: {kind}"] += 1
        report.timed(took, f"{name} {text[:100]!r}")
        if took > most_seconds:
            report.wrong.append(f"{name} {text[:200]!r}: {took:.1f} s")
    return report
