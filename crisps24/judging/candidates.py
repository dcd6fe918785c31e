"""Candidates for the answer: parts of a text that are a formula or a claim.

A *chain* is a formula with `=` and values or other formulas: `3 x 8 = 24`. A *claim* says that the
target cannot be made. `line` is a text whose signs have one spelling, with the columns of the text.
"""

from itertools import accumulate
from typing import NamedTuple

from crisps24.judging import patterns as pat
from crisps24.judging.claims import parse_claim
from crisps24.judging.patterns import Patterns
from crisps24.notation.parser import FRACTION_MARK, MAX_NESTING, TextSpan, normalise_formula
from crisps24.rules.characters import normalise
from crisps24.rules.exact import Exact

MAX_ANSWER_LENGTH = 10_000
# Pairs of decoration that are removed around an answer.
_MAX_DECORATIONS = 100
# Most answers start and end so, without decoration.
_FORMULA_STARTS, _FORMULA_ENDS = {*"0123456789("}, {*"0123456789)"}
_OPENING_BRACKETS = {")": "(", "]": "[", "}": "{"}


class Candidate(NamedTuple):
    """The answer in a text: the part from column `start` to `end`.

    `kind` is `formula`, `claim` (that the target cannot be made), `other` (another marked text) or
    `none`. `code` is empty if the answer can be judged; else it is `no-answer` or `too-long` (the
    text or the answer), `two-answers` or `number` (such as 0x18).
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

    @property
    def formula(self) -> str:
        """The text that the judge compares with the hand."""
        return self.sides[self.formula_index] if self.sides else self.text

    @property
    def stated(self) -> tuple[str, ...]:
        """The other sides: the values that the formula is stated to have."""
        return self.sides[: self.formula_index] + self.sides[self.formula_index + 1 :]


def strip_decoration(text: str, start: int, end: int) -> TextSpan:
    """Return start and end of a part without white space, pairs of signs, one stop and one tick."""
    if text[start : start + 1] in _FORMULA_STARTS and text[end - 1 : end] in _FORMULA_ENDS:
        return start, end
    may_have_stop = may_have_tick = True
    # Each round removes one layer of decoration, as in `**$3 x 8$.**`.
    for _ in range(_MAX_DECORATIONS):
        before = start, end
        part = text[start:end]
        end = start + len(part.rstrip())
        start = end - len(part.strip())
        if may_have_tick and text.endswith(pat.TICKS, start, end):
            tick = next(sign for sign in pat.TICKS if text.endswith(sign, start, end))
            end, may_have_tick = end - len(tick), False
        elif may_have_tick and text.startswith(pat.TICKS, start, end):
            tick = next(sign for sign in pat.TICKS if text.startswith(sign, start, end))
            start, may_have_tick = start + len(tick), False
        if may_have_stop and start < end and text[end - 1] in pat.STOPS:
            end, may_have_stop = end - 1, False
        style = pat.LATEX_STYLE.match(text, start, end)
        if style and _closes_at_end(text, style.end(), end):
            start, end = style.end(), end - 1
        for opening, closing in pat.PAIRS if text[start : start + 1] in pat.PAIR_STARTS else ():
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
    braces = pat.BRACE.findall(text, start, end)
    depths = list(accumulate(1 if brace == "{" else -1 for brace in braces))
    return depths[-1] == -1 and -1 not in depths[:-1]


def parse_candidate(text: str, start: int, end: int, patterns: Patterns) -> Candidate | None:
    """Return `text[start:end]` as a formula or a claim, or None if it is not completely one."""
    # The sign < belongs to tags, not to answers.
    if not 0 < end - start <= MAX_ANSWER_LENGTH or text.find("<", start, end) >= 0:
        return None
    # Spaces replace bullets such as `1.` before the lines. The answer starts after the first one.
    answer = normalise(blank_bullets(text[start:end]))
    start, answer = end - len(answer.lstrip()), answer.lstrip()
    # In `line`, the signs of a formula have one spelling, and all signs keep their columns.
    line = normalise_formula(answer, patterns.extra_operators)
    if all(_is_side(side, patterns) for side in pat.EQUALS_SIGNS.split(line)):
        return formula_candidate(text, start, end)
    claim = parse_claim(answer)
    return claim and Candidate(text[start:end], start, end, "claim", target=claim.target)


def blank_bullets(text: str) -> str:
    """Return a text with spaces in place of the bullets of its lines, if the first has one."""
    has_bullets = pat.BULLETS.match(text)
    return pat.BULLETS.sub(lambda bullet: " " * len(bullet[0]), text) if has_bullets else text


def formula_candidate(text: str, start: int, end: int) -> Candidate:
    """Return `text[start:end]` as a formula, split at each `=` into its sides."""
    # Replace "\ " first, so that strip() does not leave its backslash.
    sides = tuple(map(str.strip, pat.EQUALS_SIGNS.split(pat.LATEX_SPACE.sub(" ", text[start:end]))))
    # The formula is the first side that is not a number: in 24 = 3 x 8 the second side.
    formulas = (index for index, side in enumerate(sides) if not _is_number(side))
    return Candidate(text[start:end], start, end, "formula", sides, next(formulas, 0))


def _is_number(text: str) -> bool:
    return pat.BARE_NUMBER.fullmatch(normalise_formula(text)) is not None


def _is_side(side: str, patterns: Patterns) -> bool:
    """Return whether a text is a number, or numbers, operators and balanced brackets."""
    if pat.BARE_NUMBER.fullmatch(side):
        return True
    if not patterns.formula.fullmatch(side) or pat.HEX_NUMBER.search(side):
        return False
    # Each LaTeX fraction has two pairs of braces; other braces belong to extra operators.
    if side.count("{") != 2 * side.count(FRACTION_MARK) and not patterns.extra_operators:
        return False
    opened: list[str] = []
    for bracket in pat.BRACKET.findall(side):
        if bracket not in _OPENING_BRACKETS:
            opened.append(bracket)
            if len(opened) > MAX_NESTING:
                return False
        elif not opened or opened.pop() != _OPENING_BRACKETS[bracket]:
            return False
    return not opened


def is_answer(text: str, start: int, end: int, patterns: Patterns) -> bool:
    """Return whether a part is an answer other than a number."""
    candidate = parse_candidate(text, *strip_decoration(text, start, end), patterns)
    return candidate is not None and not _is_number(candidate.text)
