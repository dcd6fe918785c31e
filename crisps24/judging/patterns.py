r"""The patterns of answers in text: `patterns.toml` has each with a text that it matches.

`patterns_for` builds the pattern of formulas from the operators.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pkgutil import get_data
from typing import NamedTuple

from crisps24.judging.claims import WORDS
from crisps24.notation.parser import FRACTION_MARK
from crisps24.notation.spellings import syntax_for
from crisps24.rules.operators import MINUS_PATTERN, OPERATORS, Operator
from crisps24.rules.words import VULGAR_FRACTIONS

# Decoration around an answer; longer signs before shorter ones.
PAIRS = (
    *(("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("`", "`")),
    *(("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]")),
)
PAIR_STARTS = {opening[0] for opening, _ in PAIRS}
STOPS = ".。．"
TICKS = ("✓", "✔\ufe0f", "☑\ufe0f", "✔", "✅", "☑", r"\checkmark")
# Turns of a chat, and thoughts. Every token of a turn contains a hint in lower case.
TURN_HINTS = ("<|", "of_turn>", "</s>", "<eos>", "[/inst]", "assistant:", "model:")


class Example(NamedTuple):
    """A pattern with a text that it matches and one that it does not."""

    pattern: re.Pattern[str]
    match: str
    other: str
    whole: bool
    """Whether the pattern is compared with whole texts; otherwise it is searched."""


_DATA = tomllib.loads((get_data(__package__, "patterns.toml") or b"").decode())
_PARTS = WORDS["labels"] | _DATA.pop("parts") | {"stops": STOPS, "minus": MINUS_PATTERN}
# The patterns by name; one test compares each with its two texts.
EXAMPLES: dict[str, Example] = {}


def _with_parts(text: str | Sequence[str]) -> str:
    def part(name: re.Match[str]) -> str:
        return _with_parts(_PARTS[name[1]])

    return re.sub(r"\{\{([a-z ]+)\}\}", part, "".join(text))


def _pattern(name: str) -> re.Pattern[str]:
    row = _DATA[name]
    pattern = re.compile(_with_parts(row["text"]))
    EXAMPLES[name] = Example(pattern, row["match"], row["other"], row.get("whole", False))
    return pattern


TURN = _pattern("turn")
TURN_END = _pattern("turn_end")
THINK = _pattern("think")
TAG = _pattern("tag")
BOX = _pattern("box")
FENCE = _pattern("fence")
LABEL_HINT = _pattern("label_hint")
LABEL = _pattern("label")
SENTENCE_LABEL = _pattern("sentence_label")
LINE_BELOW = _pattern("line_below")
BOLD_LINE = _pattern("bold_line")
CLAUSE_END = _pattern("clause_end")
DOUBT = _pattern("doubt")
TAIL = _pattern("tail")
PROSE = _pattern("prose")
OPERATION = _pattern("operation")
OBJECT = _pattern("object")
STRING = _pattern("string")
ESCAPE = _pattern("escape")
PRINT = _pattern("print")
BETWEEN_MARKS = _pattern("between_marks")
OR_AT_END = _pattern("or_at_end")
BULLET = _pattern("bullet")
BULLETS = _pattern("bullets")
SEPARATOR = _pattern("separator")
UNFINISHED_STEP = _pattern("unfinished_step")
EQUALS_SIGNS = _pattern("equals_signs")
BARE_NUMBER = _pattern("bare_number")
HEX_NUMBER = _pattern("hex_number")
BRACKET = _pattern("bracket")
BRACE = _pattern("brace")
LATEX_SPACE = _pattern("latex_space")
LATEX_SPACES = _pattern("latex_spaces")
LATEX_STYLE = _pattern("latex_style")
COMMAND = _pattern("command")
DIGIT = _pattern("digit")
WORD = _pattern("word")
LINE_END = _pattern("line_end")


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The pattern of formulas with a set of operators. Each object is equal only to itself."""

    formula: re.Pattern[str]
    extra_operators: Sequence[Operator]


@lru_cache(maxsize=16)
def patterns_for(letters: str, extra_operators: Sequence[Operator]) -> Patterns:
    """Compile the patterns of formulas with the operators of all games and some extra ones."""
    syntax = syntax_for((), (*OPERATORS.values(), *extra_operators), joins_digits=True)
    sign = syntax.sign_pattern
    # The signs of operators with one operand, in front of it (False) or behind it (True), as
    # alternatives for a regular expression.
    unary_signs = {
        postfix: "".join(
            f"|{re.escape(spelling)}"
            for spelling, operator in sorted(syntax.operators.items(), reverse=True)
            if operator.arity == 1 and operator.postfix is postfix
        )
        for postfix in (False, True)
    }
    # Signs behind the digits of a number, such as … in the repeating decimal .4….
    marks = (operator.affixes[1] for operator in syntax.literal_operators)
    prefixes = unary_signs[False] + (r"|\{" if syntax.braced_signs else "")
    suffixes = unary_signs[True] + "".join(f"|{re.escape(mark)}" for mark in marks if mark)
    letter = f"|[{re.escape(letters + letters.lower())}]" if letters else ""

    # Operands with signs between them.
    minus = rf"(?:{MINUS_PATTERN}\s*+)?+"
    before = rf"(?:{minus}(?:[(\[]|{FRACTION_MARK}\s*+\{{{prefixes})\s*+)*+{minus}"
    number = rf"(?:[0-9]*+[{VULGAR_FRACTIONS}]|[0-9]++(?:\.[0-9]++)?+|\.[0-9]++{letter})"
    operand = rf"\s*+{before}{number}(?:\s|[)\]}}]{suffixes})*+"
    operands = rf"{operand}(?:(?:{sign}|\{{){operand})*+"
    return Patterns(re.compile(operands), extra_operators)
