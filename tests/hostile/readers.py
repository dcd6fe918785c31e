"""Random inputs that try to break the functions that read text, and those functions."""

import ast
import io
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from operator import add, mul, sub, truediv
from random import Random

from crisps24 import GAMES, CrispsError, FormulaError, check, deal, evaluate, judge, parse
from crisps24.drawing.drawings import svg_of
from crisps24.enumeration.format import LineReader
from crisps24.enumeration.verification import verify_results
from crisps24.judging.records import Attempt, parse_attempt, parse_record
from crisps24.judging.table_rows import read_text_lines
from crisps24.notation.checking import working
from crisps24.paper.sheets import Sheet, sheet_pages
from crisps24.puzzle import puzzle_of
from crisps24.puzzles.rounds import Round
from crisps24.rules import words
from crisps24.rules.characters import escape_unprintable, split_words
from crisps24.rules.deals import parse_hand
from crisps24.rules.games import find_game
from crisps24.rules.ids import parse_id

DEALT = deal("cards", 2, seed=7)
HEADER = "   i   j   k   l   op1  op2  op3\n  --- --- --- ---   -    -    -\n"
# Pieces of inputs.
PIECES = [
    *"0123456789+-*/x:×÷·−–()[]=.,;#{}\"'|&^ \t\n\r\0\x1b\u202e\ufeff½²٣Ａ４＋",
    *("**", "->", "..", "1e9", "NaN", "null", "cards", "24", "999999999999", "0x1F", "١٢"),
    *("4 + 3 x 8 - 4", "8 / (3 - 8 / 3)", "75 + 50 = 125, 125 x 6 = 750", "A 10 J Q"),
    *("8 / (3 - 8 / 3)", "8 / 3 = 8/3\n", "3 - 8/3 = 1/3\n", "8 / (1/3) = 24", "Answer: ", "\n\n"),
    *("<answer>", "</answer>", "\\boxed{", "\\frac{8}{3}", "}", "$$", "**", "Wait, ", "```"),
    *('{"formula": "4 x 6", "card": [4, 6], "target": 24}', "cards:3.3.8.8=24,zero=no", "1..9"),
    *("   2   8   9   1    x    x    -\n", HEADER, "((((((((", "9" * 200, "+ " * 50, "[" * 400),
]


def random_input(random: Random) -> str:
    """Return up to 8 random pieces, sometimes repeated or with one character replaced."""
    text = "".join(random.choice(PIECES) for _ in range(random.randint(0, 8)))
    if random.random() < 0.05:
        text *= random.choice((10, 100, 1000))
    if text and random.random() < 0.3:
        index = random.randrange(len(text))
        text = text[:index] + chr(random.choice((0, 27, 255, 0x2066, 0x10FFFF))) + text[index + 1 :]
    return text[:20_000]


def _file(text: str) -> io.BytesIO:
    return io.BytesIO(text.encode())


def _check_lines(text: str) -> object:
    attempt = Attempt("", None, 24, GAMES["crisps"])
    records = [parse_record(line) for _, line in read_text_lines(_file(text))]
    attempts = [parse_attempt(record, attempt, parse_id) for record in records if record]
    return [check(each.formula, each.card, each.target, each.game) for each in attempts]


def _play_round(text: str) -> object:
    after_text, _ = Round(DEALT[0]).play(text)
    return [after_text.play(line)[1].text for line in ("?", text, "!")]


def _evaluate_formula(text: str) -> object:
    """Return the value of a random formula seeded by a text; assert that Python agrees."""
    random = Random(text)
    formula = _random_formula(random, 4)
    try:
        expected = value_of(ast.parse(formula, mode="eval").body)
    except ZeroDivisionError:
        expected = None
    value: object
    try:
        value = evaluate(formula, "digits")
    except FormulaError as error:
        value = None if error.code == "division-by-zero" else error
    assert value == expected, f"{formula} is {expected}, not {value}"
    return value


def _random_formula(random: Random, depth: int) -> str:
    """Return a random formula with at most `depth` levels of parentheses."""
    if not depth or random.random() < 0.2:
        return str(random.randint(1, 9))
    formula, *terms = (_random_formula(random, depth - 1) for _ in range(random.randint(1, 3)))
    for term in terms:
        space = random.choice(("", " "))
        formula += f"{space}{random.choice('+-*/')}{space}{term}"
    return f"({formula})" if random.random() < 0.7 else formula


def value_of(node: ast.expr) -> Fraction:
    """Return the exact value of a syntax tree of Python; ValueError or KeyError if it has none."""
    match node:
        case ast.Constant(value=int(number)):
            return Fraction(number)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -value_of(operand)
        case ast.BinOp(left=left, op=sign, right=right):
            works = {ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: truediv}
            return Fraction(works[type(sign)](value_of(left), value_of(right)))
    raise ValueError(f"unexpected node {ast.dump(node)}")


def _judge(text: str) -> object:
    """Judge a text; assert that Python finds the numbers and the target in a right answer."""
    judgement = judge(text, "cards:3.3.8.8=24")
    formula = judgement.formula
    if judgement and re.fullmatch("[0-9+*/() -]+", formula):
        assert sorted(re.findall("[0-9]+", formula)) == [*"3388"], formula
        assert value_of(ast.parse(formula.strip(), mode="eval").body) == 24, formula
    return judgement


READERS: dict[str, Callable[[str], object]] = {
    "parse": parse,
    "check": lambda text: check(text, (4, 3, 8, 4), 24, "digits"),
    "working": lambda text: working(text, "digits"),
    "polish": lambda text: check(text, target=24, game="digits", style="polish"),
    "hand": lambda text: parse_hand(split_words(text), GAMES["cards"]),
    "value": words.parse_value,
    "range": words.parse_range,
    "numbers": words.parse_numbers,
    "operators": words.parse_operators,
    "limit": words.parse_limit,
    "game": find_game,
    "puzzle": puzzle_of,
    "round": _play_round,
    "title": lambda text: [*map(svg_of, sheet_pages(DEALT, Sheet(title=text, key=False)))],
    "file of formulas": _check_lines,
    "results file": lambda text: verify_results(_file(HEADER + text), "crisps", target=143),
    "judge": _judge,
    "formula": _evaluate_formula,
    "lines of a file": lambda text: list(LineReader(_file(text)).blocks()),
    "shown": escape_unprintable,
}


@dataclass
class Report:
    """The results of a run: counts of each kind, and forbidden results."""

    kinds: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def campaign(inputs: int, seed: int, max_seconds: float = 2) -> Report:
    """Return a report of all readers, which get random inputs in turn; deterministic by seed."""
    random, report = Random(seed), Report()
    names = list(READERS)
    for index in range(inputs):
        name, text = names[index % len(names)], random_input(random)
        start = time.perf_counter()
        try:
            READERS[name](text)
            kind = "answered"
        except CrispsError as error:
            kind = type(error).__name__
            if not str(error) or "\n" in str(error):
                report.wrong.append(f"{name} {text[:200]!r}: not one line: {str(error)[:200]!r}")
        except Exception as error:
            kind = type(error).__name__
            report.wrong.append(f"{name} {text[:200]!r}: {kind}: {str(error)[:200]}")
        seconds = time.perf_counter() - start
        report.kinds[f"{name}: {kind}"] += 1
        if seconds > max_seconds:
            report.wrong.append(f"{name} {text[:200]!r}: {seconds:.1f} s")
    return report
