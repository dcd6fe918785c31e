"""Candidates for the answer: parts of a text that are a formula, a working or a claim.

A *chain* is a formula with `=` and values or other formulas: `3 x 8 = 24`. A *working* is several
steps, each a formula with one `=` and a result: `4 + 4 = 8, 8 x 3 = 24`. A *claim* says that the
target cannot be made. `line` is a text whose signs have one spelling, with the columns of the text.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from crisps24.judging.claims import CLAIM_PATTERN, parse_claim
from crisps24.notation.grammar import (
    FRACTION_MARK,
    LATEX_FRACTION,
    MAX_NESTING,
    TextSpan,
    normalise_formula,
)
from crisps24.notation.spellings import syntax_for
from crisps24.rules.characters import normalise
from crisps24.rules.exact import Exact
from crisps24.rules.operators import MINUS_PATTERN, Operator
from crisps24.rules.words import VULGAR_FRACTIONS

MAX_ANSWER_LENGTH = 10_000
# A backslash and a space: a space of LaTeX, which must not be split at the space.
LATEX_SPACE = re.compile(r"(?<!\\)\\ ")
_LATEX_SPACES = re.compile(r"(?<!\\)\\[,;:! ]")
# Pairs of decoration that are removed around an answer.
_MAX_DECORATIONS = 100
# Characters and lines at the end of a text that are searched for lines with an answer.
MAX_LINES_LENGTH = 100_000
MAX_LINES = 1_000
ANY_CASE = re.ASCII | re.IGNORECASE
# The start of a line of a list, a quotation, a heading or a numbered step.
BULLET = r"[ \t]*+(?:#{1,6}|[-−–*•>]|[0-9]{1,2}[.)]|step[ \t]*+[0-9]{1,2}[ \t]*+[:.)])[ \t]++(?=\S)"
BULLET_LINES = re.compile(rf"^{BULLET}", ANY_CASE | re.MULTILINE)
# Decoration around an answer; longer signs before shorter ones.
_PAIRS = (
    *(("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("`", "`")),
    *(("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]")),
)
STOPS = ".。．"
_TICKS = ("✓", "✔\ufe0f", "☑\ufe0f", "✔", "✅", "☑", r"\checkmark")
# Words between two alternatives, words that can follow these, and words before the first one.
_OR_WORDS = "or|and|oder|und|ou|et|o|y|of|en|ofwel"
_OR_ADVERBS = "else|maybe|perhaps|alternatively|auch|bien"
_EITHER_WORDS = "either|entweder|soit"
_OR = rf"(?:\b(?:{_OR_WORDS})\b(?:\s++(?:{_OR_ADVERBS})\b)?+|或者?+|和|[还還]是)"
# White space and signs around such words.
_OR_SPACE = r"(?:[\s.,;:，*_$]|\\[()\[\]])*+"
OR_BETWEEN_MARKS = re.compile(
    rf"(?:</answer>{_OR_SPACE}{_OR}{_OR_SPACE}<answer>"
    rf"|\}}{_OR_SPACE}{_OR}{_OR_SPACE}\\boxed\s*+\{{)",
    re.IGNORECASE,
)
_OR_BETWEEN = re.compile(
    rf"{OR_BETWEEN_MARKS.pattern}|(?:[,，]\s*+)?{_OR}|\b(?:{_EITHER_WORDS})\b",
    re.IGNORECASE,
)
# A word that is not one of these, a command of LaTeX or the name of a tag.
_OTHER_WORD = re.compile(
    rf"(?<![\\</\w])(?!(?:{_OR_WORDS}|{_OR_ADVERBS}|{_EITHER_WORDS}|或者|[还還]是)\b)[^\W\d_]{{2}}",
    re.IGNORECASE,
)
# Between the steps of a working, or between answers.
SEPARATOR = re.compile(r"[,;、→⇒\n\r]|[-=]>")
EQUALS_SIGNS = re.compile("[=＝]{1,2}")
BARE_NUMBER = re.compile(rf"\s*+(?:{MINUS_PATTERN}\s*+)?+(?:[0-9]++(?:\.[0-9]++)?+|\.[0-9]++)\s*+")
_RESULT = re.compile(
    rf"\s*+(?:{MINUS_PATTERN}\s*+)?+(?:[0-9]*+(?:\.[0-9]++|[{VULGAR_FRACTIONS}])"
    r"|[0-9]++(?:\s*+[/∕⁄]\s*+[0-9]++)?+)\s*+"
)
_BRACKET = re.compile(r"[()\[\]{}]")
_BRACE = re.compile("[{}]")
_OPENING_BRACKETS = {")": "(", "]": "[", "}": "{"}
HEX_NUMBER = re.compile(r"(?<![0-9.])0[xX][0-9A-Fa-f]")
# LaTeX commands for the look of the text in their braces, up to the opening brace.
_LATEX_STYLE = re.compile(r"\\(?:text|textbf|mathbf|(?:text)?color\s*+\{[A-Za-z]++\})\s*+\{")
PAIR_STARTS = {opening[0] for opening, _ in _PAIRS}
# The numbers and the fractions of a formula without spaces; fractions can overlap: 1/2/3.
_NUMBERS = re.compile(rf"[0-9]*[{VULGAR_FRACTIONS}]|[0-9.]+")
_FRACTIONS = re.compile(r"(?<![0-9.])(?=([0-9.]+/[0-9.]+))")
# Steps of a working.
MAX_STEPS = 100


@dataclass(frozen=True, slots=True)
class Candidate:
    """The answer in a text: the part from column `start` to `end`.

    `kind` is `formula`, `working` (several steps), `claim` (that the target cannot be made),
    `other` (another marked text) or `none`. `code` is empty if the answer can be judged.
    Otherwise it is `no-answer` or `too-long` (the text, of kind `none`), or `too-long` (the
    answer), `two-answers` or `number` (such as 0x18), of kind `other`.
    """

    text: str = ""
    start: int = 0
    end: int = 0
    kind: str = "none"
    sides: tuple[str, ...] = ()
    """The sides of the = signs of a formula, from left to right."""
    formula_index: int = 0
    """Index of the side that the judge compares with the hand: the first that is not a number."""
    target: Exact | None = None
    """The target in a claim, None without one."""
    code: str = ""
    working: str = ""
    """The steps of a working, each with one =; or another answer without the escapes of JSON."""

    @property
    def formula(self) -> str:
        """The text that the judge compares with the hand: one side, or all steps of a working."""
        return self.sides[self.formula_index] if self.sides else self.working or self.text

    @property
    def stated(self) -> tuple[str, ...]:
        """The other sides: the values that the formula is stated to have."""
        return self.sides[: self.formula_index] + self.sides[self.formula_index + 1 :]


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """The patterns of formulas with a set of operators. Each object is equal only to itself."""

    formula: re.Pattern[str]
    line: re.Pattern[str]
    """A line of one or several formulas, or of a claim, with decoration."""
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

    def formula(blank: str) -> str:
        # Operands with signs between them; `blank` is the pattern of white space.
        minus = rf"(?:{MINUS_PATTERN}{blank}*+)?+"
        before = rf"(?:{minus}(?:[(\[]|{FRACTION_MARK}{blank}*+\{{{prefixes}){blank}*+)*+{minus}"
        number = rf"(?:[0-9]*+[{VULGAR_FRACTIONS}]|[0-9]++(?:\.[0-9]++)?+|\.[0-9]++{letter})"
        operand = rf"{blank}*+{before}{number}(?:{blank}|[)\]}}]{suffixes})*+"
        return rf"{operand}(?:(?:{sign}|\{{){operand})*+"

    # A line: decoration, formulas with separators or a claim, and decoration again.
    blank = r"[^\S\n]"
    starts = r"(?:[ \t\r*_`$✓✔✅☑\ufe0f]|\\[(\[]|\\checkmark)*+"
    ends = rf"(?:[ \t\r*_`$✓✔✅☑\ufe0f{STOPS}]|\\[)\]]|\\checkmark)*+"
    chain = rf"{formula(blank)}(?:={{1,2}}{formula(blank)})*+"
    chains = rf"(?:[,;、→⇒\r]|[-=]>|{blank}|{chain})++"
    words = CLAIM_PATTERN.replace(" ", f"(?:{blank}++)")
    claim = rf"(?:\\text\{{)?+{words}[.}}]*+"
    line = rf"^(?:{BULLET})?+{starts}(?:{chains}|{claim}){ends}$"
    full_formula = re.compile(formula(r"\s"))
    line_pattern = re.compile(line, re.MULTILINE | re.IGNORECASE)
    return Patterns(full_formula, line_pattern, extra_operators)


def strip_decoration(text: str, start: int, end: int) -> TextSpan:
    """Return start and end of a part without white space and decoration around it.

    Decoration is pairs of signs, commands such as LaTeX bold, one full stop at the end, and one
    tick.
    """
    may_have_stop = may_have_tick = True
    # Decoration can be inside other decoration, as in `**$3 x 8$.**`.
    # Each round removes one layer; stop if nothing was removed.
    for _ in range(_MAX_DECORATIONS):
        before = start, end
        part = text[start:end]
        end = start + len(part.rstrip())
        start = end - len(part.strip())
        if may_have_tick and text.endswith(_TICKS, start, end):
            tick = next(sign for sign in _TICKS if text.endswith(sign, start, end))
            end, may_have_tick = end - len(tick), False
        if may_have_tick and text.startswith(_TICKS, start, end):
            tick = next(sign for sign in _TICKS if text.startswith(sign, start, end))
            start, may_have_tick = start + len(tick), False
        if may_have_stop and start < end and text[end - 1] in STOPS:
            end, may_have_stop = end - 1, False
        style = _LATEX_STYLE.match(text, start, end)
        if style and _closes_at_end(text, style.end(), end):
            start, end = style.end(), end - 1
        for opening, closing in _PAIRS if text[start : start + 1] in PAIR_STARTS else ():
            first, last = start + len(opening), end - len(closing)
            if first <= last and text.startswith(opening, start) and text[last:end] == closing:
                # Decoration that closes on the first of several lines is not around all lines.
                line = text[first:last].partition("\n")
                if closing not in "*_" and line[1] and closing in line[0]:
                    break
                start, end = first, last
                break
        if (start, end) == before:
            break
    return start, end


def _closes_at_end(text: str, start: int, end: int) -> bool:
    """Return whether a brace that opens just before `start` closes as the last character."""
    if end - start > MAX_ANSWER_LENGTH or text[end - 1 : end] != "}":
        return False
    braces = _BRACE.findall(text, start, end)
    depths = list(accumulate(1 if brace == "{" else -1 for brace in braces))
    return depths[-1] == -1 and -1 not in depths[:-1]


def parse_candidate(
    text: str, start: int, end: int, patterns: "Patterns", *, is_marked: bool = False
) -> Candidate | None:
    """Return `text[start:end]` as an answer, or None if it is not completely one.

    On several lines, steps are one working only if the last uses an earlier result; in a marked
    part, if any does.
    """
    # The sign < belongs to tags, not to answers.
    if not 0 < end - start <= MAX_ANSWER_LENGTH or text.find("<", start, end) >= 0:
        return None
    # Spaces replace bullets such as `1.` before the lines. The answer starts after the first one.
    answer = normalise(blank_bullets(text[start:end]))
    bullet_start, start, answer = start, end - len(answer.lstrip()), answer.lstrip()
    # In `line`, the signs of a formula have one spelling, and all signs keep their columns.
    line = normalise_formula(answer, patterns.extra_operators)
    # A formula with or without `=` and values is the answer, if it is on one line: line ends are
    # not printable.
    is_formula = _is_chain(line, patterns)
    if is_formula and answer.isprintable():
        return _formula_candidate(text, start, end)
    # On several lines, first test for a formula that is repeated.
    spans = split_parts(answer, line)
    parts = [line[first:last] for first, last in spans]
    texts_without_spaces = {
        "".join(_LATEX_SPACES.sub(" ", answer[first:last] + " ").split()) for first, last in spans
    }
    if len(texts_without_spaces) == 1 and _is_chain(parts[0], patterns):
        # A repeated formula is one answer: the shortest, without spaces of LaTeX at its end.
        first, last = min(spans, key=lambda span: span[1] - span[0])
        return _formula_candidate(text, start + first, start + last)
    if is_formula:
        return _formula_candidate(text, start, end)
    # Test for steps. Lines are separate answers if the last step (inside marks: each step) uses no
    # earlier result.
    is_separate = "\n" in answer and not _are_linked(parts, any_step=is_marked)
    if 1 < len(spans) <= MAX_STEPS and are_steps(parts, patterns) and not is_separate:
        steps = EQUALS_SIGNS.sub("=", answer)
        # All lines of steps keep their bullets, also the first.
        return Candidate(text[bullet_start:end], bullet_start, end, "working", working=steps)
    claim = parse_claim(answer)
    if claim is None:
        return None
    return Candidate(text[start:end], start, end, "claim", target=claim.target)


def blank_bullets(text: str) -> str:
    """Return a text with spaces in place of the bullets of its lines, if the first has one."""
    if not BULLET_LINES.match(text):
        return text
    return BULLET_LINES.sub(lambda bullet: " " * len(bullet[0]), text)


def _formula_candidate(text: str, start: int, end: int) -> Candidate:
    """Return `text[start:end]` as a formula, split at each `=` into its sides."""
    # Replace "\ " first, so that strip() does not leave its backslash.
    sides = tuple(map(str.strip, EQUALS_SIGNS.split(LATEX_SPACE.sub(" ", text[start:end]))))
    # The formula is the first side that is not a number: in 24 = 3 x 8 the second side.
    formula_indices = (
        index
        for index, side in enumerate(sides)
        if not BARE_NUMBER.fullmatch(normalise_formula(side))
    )
    return Candidate(text[start:end], start, end, "formula", sides, next(formula_indices, 0))


def split_parts(text: str, line: str) -> list[TextSpan]:
    """Return the places of the parts of a text between separators, which are searched in `line`."""
    separators = (separator.span() for separator in SEPARATOR.finditer(line))
    boundaries = [(0, 0), *separators, (len(line), len(line))]
    spans = []
    # A part is between the end of one separator and the start of the next.
    for (_, start), (end, _) in pairwise(boundaries):
        if part := text[start:end].strip():
            start = text.index(part, start)
            spans.append((start, start + len(part)))
    return spans


def has_several_answers(text: str, patterns: "Patterns") -> bool:
    """Return whether a text is several formulas, with separators or a word such as `or` between."""
    # Prose needs no search for words such as `or`.
    if not _OTHER_WORD.search(text):
        text = _OR_BETWEEN.sub(lambda words: ",".ljust(len(words[0])), text)
    line = normalise_formula(text, patterns.extra_operators)
    spans = split_parts(text, line)
    return len(spans) > 1 and all(_is_chain(line[first:last], patterns) for first, last in spans)


def _is_chain(line: str, patterns: "Patterns") -> bool:
    """Return whether a line has formulas or numbers with = between them, and not only decimals."""
    sides = EQUALS_SIGNS.split(line)
    if not all(_is_side(side, patterns) for side in sides):
        return False
    return not all("." in side and BARE_NUMBER.fullmatch(side) for side in sides)


def _is_side(side: str, patterns: "Patterns") -> bool:
    """Return whether a text is a number, or numbers, operators and balanced brackets."""
    if BARE_NUMBER.fullmatch(side):
        return True
    if not patterns.formula.fullmatch(side) or HEX_NUMBER.search(side):
        return False
    # Each LaTeX fraction has two pairs of braces; other braces belong to extra operators.
    if side.count("{") != 2 * side.count(FRACTION_MARK) and not patterns.extra_operators:
        return False
    opened: list[str] = []
    for bracket in _BRACKET.findall(side):
        if bracket not in _OPENING_BRACKETS:
            opened.append(bracket)
            if len(opened) > MAX_NESTING:
                return False
        elif not opened or opened.pop() != _OPENING_BRACKETS[bracket]:
            return False
    return not opened


def are_steps(parts: Sequence[str], patterns: "Patterns") -> bool:
    """Return whether each part is a formula with a result; the last part needs no result."""
    last_index = len(parts) - 1
    for index, part in enumerate(parts):
        formula, *results = EQUALS_SIGNS.split(part)
        if len(results) > 1 or not _is_chain(formula, patterns):
            return False
        if not results and index < last_index:
            return False
        if results and not _RESULT.fullmatch(results[0]):
            return False
    return True


class StepNumbers(NamedTuple):
    """The numbers of a step (a fraction is also one number) and its stated result, as text."""

    numbers: list[str]
    result: str


def read_step(step: str) -> StepNumbers:
    """Return the numbers of a step and its result, without a minus sign."""
    compact = re.sub("[∕⁄]", "/", "".join(LATEX_FRACTION.sub(r"\1/\2", step).split()))
    formula, _, result = compact.rpartition("=") if "=" in compact else (compact, "", "")
    numbers = _NUMBERS.findall(formula) + _FRACTIONS.findall(formula)
    return StepNumbers(numbers, result.lstrip("-−–"))


def _are_linked(parts: Sequence[str], *, any_step: bool) -> bool:
    """Return whether the last (or any) step uses an earlier result that no step between uses."""
    *steps, last_step = map(read_step, parts)
    used_between: set[str] = set()
    for step in reversed(steps):
        is_used_between = step.result in used_between
        if step.result in last_step.numbers and (any_step or not is_used_between):
            return True
        if any_step and is_used_between:
            return True
        used_between.update(step.numbers)
    return False


def find_lines(text: str, patterns: "Patterns") -> Sequence[TextSpan]:
    """Return the last lines of a text that look like an answer, with or without decoration."""
    start = 0
    if len(text) > MAX_LINES_LENGTH:
        # Start at the first complete line.
        start = text.find("\n", -MAX_LINES_LENGTH) + 1 or len(text)
    line = normalise_formula(text[start:], patterns.extra_operators)
    line = line.replace("\r", "\n").replace("’", "'")
    matches = deque(patterns.line.finditer(line), maxlen=MAX_LINES)
    return [(start + match.start(), start + match.end()) for match in matches]


def is_answer(text: str, start: int, end: int, patterns: "Patterns") -> bool:
    """Return whether a part is an answer other than a number."""
    candidate = parse_candidate(text, *strip_decoration(text, start, end), patterns)
    return candidate is not None and not BARE_NUMBER.fullmatch(normalise_formula(candidate.text))
