r"""The patterns of answers in text, each with a text that it matches and one that it does not.

The first part has the words and signs; `_pattern` makes the records of `EXAMPLES`. `*+`, `++` and
`?+` never give back what they matched, so that each pattern takes time linear in the text.
`patterns_for` builds the pattern of formulas from the operators.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from crisps24.judging.claims import WORDS
from crisps24.notation.parser import FRACTION_MARK
from crisps24.notation.spellings import syntax_for
from crisps24.rules.operators import MINUS_PATTERN, Operator
from crisps24.rules.words import VULGAR_FRACTIONS

# Decoration around an answer; longer signs before shorter ones.
PAIRS = (
    *(("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("`", "`")),
    *(("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]")),
)
PAIR_STARTS = {opening[0] for opening, _ in PAIRS}
STOPS = ".。．"
TICKS = ("✓", "✔\ufe0f", "☑\ufe0f", "✔", "✅", "☑", r"\checkmark")
_LABELS = WORDS["labels"]
# A word between two alternatives.
_OR = rf"(?:\b(?:{_LABELS['or']})\b(?:\s++(?:{_LABELS['adverbs']})\b)?+|或者?+|和|[还還]是)"
# White space and signs around such words.
_OR_SPACE = r"(?:[\s.,;:，*_$]|\\[()\[\]])*+"
# Labels of an answer, and one that is also used in prose.
_ANSWER = r"(?:final[ \t]++)?+(?:answer|solution)"
_EXPRESSION = "(?:expression|equation|formula)"
_PROSE_LABEL = rf"final[ \t]++{_EXPRESSION}"
_FOREIGN_ANSWER = _LABELS["foreign"]
_DECORATION = r"\*\*|__|\*|_"
_STRING_TEXT = r"(?:[^\"\\\n]|\\.)*+"
# The start of a line of a list, a quotation, a heading or a numbered step.
_BULLET = (
    r"[ \t]*+(?:#{1,6}|[-−–*•>]|[0-9]{1,2}[.)]|step[ \t]*+[0-9]{1,2}[ \t]*+[:.)])[ \t]++(?=\S)"
)
_ANY_CASE = re.ASCII | re.IGNORECASE


class Example(NamedTuple):
    """A pattern with a text that it matches and one that it does not."""

    pattern: re.Pattern[str]
    match: str
    other: str
    whole: bool
    """Whether the pattern is compared with whole texts; otherwise it is searched."""


# The patterns by name; one test compares each with its two texts.
EXAMPLES: dict[str, Example] = {}


def _pattern(
    name: str, text: str, match: str, other: str, flags: int = 0, *, whole: bool = False
) -> re.Pattern[str]:
    pattern = re.compile(text, flags)
    EXAMPLES[name] = Example(pattern, match, other, whole)
    return pattern


# Turns of a chat, and thoughts. Every token of a turn contains a hint in lower case.
TURN_HINTS = ("<|", "of_turn>", "</s>", "<eos>", "[/inst]", "assistant:", "model:")
TURN = _pattern(
    "start of a turn",
    r"<\|im_start\|>assistant\b|<start_of_turn>model\b|<\|channel\|>final<\|message\|>"
    r"|<\|start_header_id\|>assistant<\|end_header_id\|>|<\|assistant\|>|\[/INST\]"
    r"|^(?:assistant|model):(?=\s)",
    *("Hi.\nAssistant: 3 x 8", "The assistant: 3 x 8"),
    _ANY_CASE | re.MULTILINE,
)
TURN_END = _pattern(
    "end of a turn",
    r"<\|[a-z_]{1,40}\|>|</s>|<end_of_turn>|<eos>",
    *("3 x 8<|im_end|>", "3 x 8</b>"),
    _ANY_CASE,
)
THINK = _pattern(
    "thought", r"[<\[◁](?P<closing>/?)think(?:ing)?[>\]▷]", "</think>", "<thinker>", _ANY_CASE
)

# Marks around an answer.
TAG = _pattern("tag", r"<(?P<closing>/?)answer>", "</Answer>", "<answers>", _ANY_CASE)
# Escaped characters are matched too, so that \\boxed and \} are skipped.
BOX = _pattern("box", r"(?P<box>\\boxed\s*+\{)|\\.|[{}]", r"\boxed {3", "boxed(3)", re.DOTALL)
FENCE = _pattern(
    "fence", r"^[^\S\n]*+```(?P<language>[^`\n]*)$", "Code:\n ```python", "a ```", re.MULTILINE
)
LABEL_HINT = _pattern(
    "word of a label in lower case, which every label has",
    rf"(?:a(?=[:：])|answer|solution|expression|equation|formula|{_FOREIGN_ANSWER})"
    r"(?=[\s*_:：是为為]|\Z)",
    *("my answer", "3 x 8: 1"),
)
LABEL = _pattern(
    "label",
    rf"^(?:{_BULLET})?+[ \t]*+(?P<sign>{_DECORATION})?+"
    rf"(?:(?:(?:the[ \t]++)?+{_ANSWER}|(?u:{_FOREIGN_ANSWER})|(?-i:A)(?=[:：][ \t]))"
    rf"(?P<end_sign>{_DECORATION})?+[ \t]?[:：]"
    rf"|the[ \t]++{_ANSWER}[ \t]++is\b[ \t]?[:：]?"
    rf"|(?P<prose_label>(?:the[ \t]++)?+{_PROSE_LABEL}(?:[ \t]++is\b)?+"
    "|(?:最终|最終|最后|最後)答案(?=[:：])|(?:最终|最終|最后|最後)?+答案[是为為])"
    rf"(?P<prose_end_sign>{_DECORATION})?+[ \t]?[:：]?"
    rf"|(?:(?:the|my|our|correct(?:ed)?|revised|new)[ \t]++)*+(?:{_ANSWER}|(?u:{_FOREIGN_ANSWER}))"
    r"(?=[*_ \t\r]*+$))(?P<content>[^\n]*)",
    *("So\n**Final answer:** 3 x 8", "My answer: 3 x 8"),
    _ANY_CASE | re.MULTILINE,
)
SENTENCE_LABEL = _pattern(
    "label in a sentence",
    rf"(?<![A-Za-z])(?:answer|solution|(?u:{_FOREIGN_ANSWER})|(?<=final |ected |rrect |right )"
    rf"{_EXPRESSION})(?:[ \t]++(?:{_LABELS['correct']})\b)?+(?:{_DECORATION})?+"
    rf"(?:[ \t]?(?:[:：=→]|[-–—](?=[ \t]))(?:{_DECORATION})?+|[是为為]"
    rf"|[ \t]++(?:{_LABELS['is']})(?![A-Za-z])(?:[ \t]?[:：])?)(?:[ \t]++(?:{_LABELS['thus']})\b)?+"
    r"(?P<content>(?:[^\n.!?;。！？；]|[.!?](?=\S))*+)(?![?？])",
    *("So my new answer is thus 3 x 8.", "The answer is 3 x 8?"),
    _ANY_CASE,
)
LINE_BELOW = _pattern(
    "line below a label",
    r"[ \t\r*_]*+\n(?:(?:[ \t\r*_`$]|\\\[)*+\n)*+(?P<line>[^\n]++)",
    *("**\n\n$$\n3 x 8", "3 x 8"),
    whole=True,
)
BOLD_LINE = _pattern(
    "line in bold",
    rf"^[ \t]*+(?:\*\*|__)(?P<content>[^\n]*)(?:\*\*|__)[{STOPS}]?[ \t\r]*+$",
    *("So\n**3 x 8**.", "So **3 x 8**"),
    re.MULTILINE,
)
CLAUSE_END = _pattern(
    "end of a clause",
    rf"[.!?]\s|[\n,;:—。！？，；：]|\b(?:{_LABELS['clauses']})\b",
    *("I was wrong, the", "3.5 is the"),
    re.IGNORECASE,
)
DOUBT = _pattern(
    "word before a label whose answer does not count",
    rf"(?<![A-Za-z])(?:{_LABELS['doubts']})(?![A-Za-z])|n't\b|[不非如若]",
    *("I don't think that the", "I think that the"),
    _ANY_CASE,
)
TAIL = _pattern(
    "end of a sentence without a formula",
    rf"(?:[,，][ \t]++(?!{_OR})(?=[^\W\d_]{{2}})|(?<![ \t])[ \t]++(?:{_LABELS['tails']})\b)[^\n]*+",
    *("3 x 8 because it is 24", "3 x 8, 4 x 6"),
    re.IGNORECASE,
)
PROSE = _pattern("word of a sentence", r"(?<![\\\w])[^\W\d_]{2,}+(?!\()", "is 3 x 8", "sqrt(9)")
OPERATION = _pattern(
    "two numbers with a sign between them",
    r"[0-9)\]}][ \t]*+(?:[-+*/×÷:x·−]|\\[a-z]++)[ \t]*+[0-9(\[{\\]",
    *("is 3 x 8", "8 is 24"),
)
OBJECT = _pattern(
    "object of JSON without inner objects, on lines of its own, or in one other",
    r"^[^\S\n]*+(?:\{[^{}]{0,200}+(?=\{))?"
    rf"(?P<object>\{{(?:[^{{}}\"]++|\"{_STRING_TEXT}\")*+\}})[^\S\n]*+\}}?+[^\S\n]*+$",
    *('So\n{"answer": "{3 x 8}"}', '{{"answer": {"formula": "3 x 8"}}}'),
    re.MULTILINE,
)
STRING = _pattern(
    "string of JSON, or a name with its value",
    rf"\"(?P<name>{_STRING_TEXT})\"(?:\s*+:\s*+\"(?P<value>{_STRING_TEXT})\"(?!\s*+:))?",
    *('{"answer": "3 x 8"}', '{answer": 3}'),
)
ESCAPE = _pattern(
    "escape of JSON",
    r"\\(?:(?P<character>[\\\"/])|u(?P<code>[0-9A-Fa-f]{4})|n(?![a-z]))",
    *(r"3 \u00d7 8", r"3 \not 8"),
)
PRINT = _pattern(
    "Python program that only prints",
    r"(?:[^\S\n]*+(?:#[^\n]*+)?\n)*+[^\S\n]*+print\((?P<argument>[^#\n]*)\)"
    r"[^\S\n]*+(?:#[^\n]*+)?\s*+",
    *("# So:\nprint(3 * 8)  # 24\n", "x = 3\nprint(x * 8)"),
    whole=True,
)

# Alternatives.
BETWEEN_MARKS = _pattern(
    "text between two marks, without another word",
    rf"{_OR_SPACE}(?:(?P<or>{_OR}|/){_OR_SPACE})?+",
    *(". Or else, $", ". No, $"),
    re.IGNORECASE,
    whole=True,
)
OR_AT_END = _pattern(
    "word before an alternative",
    rf"(?<![\s,，])[\s,，]*+(?:{_OR}|/){_OR_SPACE}\Z",
    *("3 x 8 or else $", "3 x 8 for $"),
    re.IGNORECASE,
)
SENTENCE = _pattern(
    "answer before sentences without a formula",
    r"(?P<answer>(?:[^\n.。．]|\.(?=[0-9]))*+(?<=[0-9)\]}$*`])[.。．])[ \t]++(?=[^\W\d_])"
    r"(?![^\n]*(?:[=\\]|[0-9)\]][ \t]*+[-+*/×÷:x·−][ \t]*+[0-9(\[]))[^\n]*+",
    *("3 x 8 = 24. I used 3 and 8.", "3 x 8 = 24. Or 4 x 6."),
    whole=True,
)

# Parts of an answer.
BULLET = _pattern("bullet", _BULLET, "1. 3 x 8", "1.5 x 8", _ANY_CASE)
BULLETS = _pattern(
    "bullet of a line", f"^{_BULLET}", "So\nStep 2: 3 x 8", "8 - 3", _ANY_CASE | re.MULTILINE
)
SEPARATOR = _pattern("separator of steps or answers", r"[,;、→⇒\n\r]|[-=]>", "a -> b", "a - b > c")
EQUALS_SIGNS = _pattern("equals sign", "[=＝]{1,2}", "3 x 8 == 24", "3 x 8 > 24")
BARE_NUMBER = _pattern(
    "number",
    rf"\s*+(?:{MINUS_PATTERN}\s*+)?+(?:[0-9]++(?:\.[0-9]++)?+|\.[0-9]++)\s*+",
    *(" - 3.5", "3 / 5"),
    whole=True,
)
HEX_NUMBER = _pattern("hexadecimal number", r"(?<![0-9.])0[xX][0-9A-Fa-f]", "3+0x1F", "20x8")
BRACKET = _pattern("bracket", r"[()\[\]{}]", "3 + [8", "3 < 8")
BRACE = _pattern("brace", "[{}]", "3 + {8", "(3 + 8)")
# A space of LaTeX, which must not be split at its space.
LATEX_SPACE = _pattern("backslash and space", r"(?<!\\)\\ ", r"3\ x 8", r"3\\ 8")
LATEX_SPACES = _pattern("space of LaTeX", r"(?<!\\)\\[,;:! ]", r"3\,x 8", r"3\\, 8")
LATEX_STYLE = _pattern(
    "style of LaTeX, up to its brace",
    r"\\(?:text|textbf|mathbf|(?:text)?color\s*+\{[A-Za-z]++\})\s*+\{",
    *(r"\color{red}{3", r"\frac{3"),
)
COMMAND = _pattern("command of LaTeX", r"\\[A-Za-z]++", r"3 \times 8", r"\[3 x 8")
DIGIT = _pattern("digit", r"\d", "x 8", "x y")
WORD = _pattern("word", r"[^\W\d_]{2}", "3 is", "3 x 8")
LINE_END = _pattern("end of a line", r"[\n\r]", "3\r8", "3 8")


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The pattern of formulas with a set of operators. Each object is equal only to itself."""

    formula: re.Pattern[str]
    extra_operators: Sequence[Operator]


@lru_cache(maxsize=16)
def patterns_for(
    operators: Sequence[Operator], letters: str, extra_operators: Sequence[Operator]
) -> Patterns:
    """Compile the patterns of formulas with some operators, of which some are extra ones."""
    syntax = syntax_for((), operators, joins_digits=True)
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
