r"""The answer in any text: which part of what somebody wrote it is, and where it stands.

Owns how answers are marked (tags, boxes, fences, labels), what is taken off around them, and what
a claim that there is no solution looks like. It is given the text and nothing else, no hand and no
target: of several answers it cannot pick the right one. What looks like a formula here the grammar
still has to agree to. No pattern is worse than linear in the length of the text.

`Let me see. \boxed{(4 + 4) \times 3 = 24}.` is the formula `(4 + 4) \times 3`, said to be 24.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from crisps24.notation.grammar import FRACTION, Span, line_of, spellings_of
from crisps24.rules.characters import plain
from crisps24.rules.exact import Exact
from crisps24.rules.operators import BELOW_ZERO, OPERATORS, Operator
from crisps24.rules.words import parse_value

LONGEST_TEXT = 1_000_000
LONGEST_ANSWER = 10_000
# An answer is looked for inside of an answer so many times.
_DEEPEST = 4
# So many pairs of marks are taken off around an answer, and so many lines that look like one are
# looked at.
_MOST_MARKS = 20
_MOST_LINES = 1_000

_ANY_CASE = re.ASCII | re.IGNORECASE
_THINK = re.compile(r"<(/?)think>", _ANY_CASE)
_TAG = re.compile(r"<(/?)answer>", _ANY_CASE)
_BOX = re.compile(r"(\\boxed\s*+\{)|\\.|[{}]", re.DOTALL)
_FENCE = re.compile(r"^ {0,3}```+([^`\n]*)$", re.MULTILINE)
_LABEL = re.compile(
    r"^[ \t>#]*+([*_]*+)(?:the[ \t]++)?(?:final[ \t]++)?answer"
    r"(?:([*_]*+)[ \t]*+:([*_]*+)|[ \t]++is\b(?:[ \t]*+:([*_]*+))?)",
    _ANY_CASE | re.MULTILINE,
)
_DIGIT = re.compile(r"[0-9]")
# Two words, one after the other.
_PROSE = re.compile(r"[^\W\d_]{2}[^\w(\s]*+\s++[^\w(]*+[^\W\d_]{2}|[^\x00-\u2fff]{4}")
_BLANK_LINE = re.compile(r"\n[ \t\r]*+\n")
# What may stand around the whole of an answer; the longer before the shorter.
_MARKS = (
    *(("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("```", "```"), ("``", "``"), ("`", "`")),
    *(("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"), (r"\text{", "}")),
)
_OPENING = {opening[0] for opening, _ in _MARKS}
_STOPS = ".。"
_TICKS = "✓✔✅☑\ufe0f"
# What comes between the steps of a working, or between answers.
_BETWEEN = re.compile(r"(?<!\\)[,;]|[、→⇒\n\r]|[-=]>|\b(?:or|and)\b|或", re.IGNORECASE)
_EQUALS = re.compile("[=＝]{1,2}")
_BARE = re.compile(
    rf"\s*+(?:{BELOW_ZERO}\s*+)?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++|[AJQKTajqkt])\s*+"
)

# A target that a claim may name, and what may have been tried.
_NAMED = rf"{BELOW_ZERO}?[0-9]{{1,20}}(?:/[1-9][0-9]{{0,19}})?"
_MAKE, _MADE = "(?:make|reach|form|get|obtain)", "(?:made|reached|formed|obtained|solved|done)"
_WHO = "(?:i |we |you |one |these numbers |this hand |it |this )?"
_WITH = "(?: (?:with|from|using) (?:these|those|the|the given|all)(?: four)? (?:numbers|cards))?"
# Claims that there is no solution, in small letters.
_CLAIMS = (
    "(?:there is |there's |there are )?no (?:valid |possible )?(?:solutions?|way|answers?)"
    f"(?: exists?| is possible)?(?: for (?:it|this|{_NAMED})| to {_MAKE} (?:it|{_NAMED}))?{_WITH}",
    "(?:(?:it|this|that|the puzzle|this puzzle|this hand) is |it's |that's )?"
    "(?:impossible|not possible|unsolvable|not solvable)"
    f"(?: to (?:solve|{_MAKE} (?:it|{_NAMED})))?{_WITH}",
    f"{_WHO}(?:cannot|can't|can not) {_MAKE} (?:it|{_NAMED}){_WITH}",
    f"(?:{_WHO}|{_NAMED} )(?:cannot|can't|can not) be {_MADE}{_WITH}",
    f"{_NAMED} is (?:impossible|not possible|unreachable)",
    f"无解|無解|没有解|沒有解|无法得到 ?{_NAMED}|不可能|解なし|해가 없다",
    "keine lösung|nicht lösbar|unlösbar|unmöglich|geen oplossing|onmogelijk",
    "(?:pas de|aucune) solution|sin solución|no hay solución|imposible",
    "nessuna soluzione|impossibile|sem solução|impossível|нет решения|решения нет|невозможно",
)
_CLAIM = re.compile(f"(?:{'|'.join(_CLAIMS)})!?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """The part of a text that is its answer, as it stands there: `text[start:end]`.

    `kind` says what it looks like: `formula`, `working` (steps, one after the other), `claim` (that
    there is no solution), `other` (marked as an answer, and none of these) or `none`. `code` is
    empty where it can be judged; else `no-answer` or `too-long` (of kind `none`: the text), or
    `too-long` (the answer) or `two-answers` (of kind `other`).
    """

    text: str = ""
    start: int = 0
    end: int = 0
    kind: str = "none"
    sides: tuple[str, ...] = ()
    """What stands on the sides of the = signs of a formula, from left to right."""
    target: Exact | None = None
    """The target that a claim names, if it names one."""
    code: str = ""

    @property
    def formula(self) -> str:
        """What is to be judged by the hand: of the sides the first that is no bare number.

        A working is given whole, with one = a step, and what is no formula as it stands.
        """
        if self.kind == "working":
            return _EQUALS.sub("=", plain(self.text))
        found = (side for side in self.sides if not _BARE.fullmatch(line_of(side)))
        return next(found, self.sides[0] if self.sides else self.text)

    @property
    def stated(self) -> tuple[str, ...]:
        """What the formula is said to be equal to: its other sides."""
        others = list(self.sides)
        if others:
            others.remove(self.formula)
        return tuple(others)


def extract(text: str) -> Candidate:
    r"""Return the part of a text that is its answer.

    After the last `</think>` it is the last whole `<answer>`, else the last `\boxed{}`, else what
    is fenced, or labelled as in `Answer:`, last, else the last line that is wholly a formula, a
    working or a claim; the same again is looked for inside of it. It never raises.

    >>> extract("So 4 + 4 = 8. <answer>**(4 + 4) x 3 = 24**.</answer>").sides
    ('(4 + 4) x 3', '24')
    >>> extract("I would say 3 x 8.").code
    'no-answer'
    """
    if len(text) > LONGEST_TEXT:
        return Candidate(code="too-long")
    line, span, marked = plain(text), (0, len(text)), False
    found = Candidate(code="no-answer")
    for _ in range(_DEEPEST + 1):
        start, end = _bared(line, *_after_thoughts(line, *span))
        looked_at = _candidate(line, start, end, marked=marked)
        done = looked_at.kind != "other" or looked_at.code == "two-answers"
        if marked or done or _is_an_attempt(line[start:end]):
            found = looked_at
        if start == end or done:
            break
        rest = line[start:end]
        inner = _marked(rest) or (_last_line(rest) if "\n" in rest else None)
        if inner is None:
            break
        span, marked = (start + inner[0], start + inner[1]), True
    if found.start == found.end:
        return Candidate(code="no-answer")
    answer = text[found.start : found.end]
    sides = tuple(side.strip() for side in _EQUALS.split(answer)) if found.sides else ()
    return replace(found, text=answer, sides=sides)


def _after_thoughts(text: str, start: int, end: int) -> Span:
    """Return what comes after the last thought: nothing where that is not at its end."""
    last = None
    for tag in _THINK.finditer(text, start, end) if "<" in text else ():
        last, start = tag, tag.end()
    return (start, end) if last is None or last[1] else (end, end)


def _is_an_attempt(text: str) -> bool:
    """Return whether a text that nothing marks as an answer is a line that is no prose."""
    return "\n" not in text and _DIGIT.search(text) is not None and _PROSE.search(text) is None


def _marked(text: str) -> Span | None:
    """Return the last part of a text that is marked as an answer, if there is one."""
    if span := _tagged(text) or _boxed(text):
        return span
    fenced, labelled = _fenced(text), _labelled(text)
    return max(fenced, labelled) if fenced and labelled else fenced or labelled


def _tagged(text: str) -> Span | None:
    opened, last = -1, None
    for tag in _TAG.finditer(text) if "</" in text else ():
        if not tag[1]:
            opened = tag.end()
        elif opened >= 0:
            opened, last = -1, (opened, tag.start())
    return last


def _boxed(text: str) -> Span | None:
    """Return what is in the last box to begin of those whose braces are balanced."""
    last: Span = (-1, -1)
    opened: list[int] = []
    first = text.find("\\boxed")
    for brace in _BOX.finditer(text, first) if first >= 0 else ():
        if brace[1] or brace[0] == "{":
            # Where a box begins; other braces begin nowhere.
            opened.append(brace.end() if brace[1] else -1)
        elif brace[0] == "}" and opened:
            last = max(last, (opened.pop(), brace.start()))
    return last if last[0] >= 0 else None


def _fenced(text: str) -> Span | None:
    opened, last = -1, None
    for fence in _FENCE.finditer(text) if "```" in text else ():
        if opened < 0:
            opened = fence.end()
        elif not fence[1].strip():
            opened, last = -1, (opened, fence.start())
    return last


def _labelled(text: str) -> Span | None:
    """Return what is behind the last label: the rest of its line, or else the next paragraph."""
    labels = deque(_LABEL.finditer(text), maxlen=1)
    if not labels:
        return None
    label = labels[0]
    begin, stop = label.end(), (text + "\n").index("\n", label.end())
    if not text[begin:stop].strip():
        begin = len(text) - len(text[begin:].lstrip())
        blank = _BLANK_LINE.search(text, begin)
        stop = blank.start() if blank else len(text)
    mark = label[1]
    if mark and not any(label.group(2, 3, 4)):
        # It opened before the label, and closes behind the answer.
        answer = text[begin:stop].rstrip(f" \t\r{_STOPS}")
        stop = begin + len(answer) - len(mark) if answer.endswith(mark) else stop
    return begin, stop


def _last_line(text: str) -> Span | None:
    """Return the last line that is wholly a formula, a working or a claim, if there is one."""
    lines = _patterns(tuple(OPERATORS.values())).line.finditer(line_of(text))
    for line in reversed(deque(lines, maxlen=_MOST_LINES)):
        begin, stop = _bared(text, *line.span())
        found = _candidate(text, begin, stop, marked=True)
        bare = found.kind == "formula" and not _is_formula(found.text)
        if not bare and (found.kind != "other" or found.code == "two-answers"):
            return begin, stop
    return None


def _bared(text: str, start: int, end: int) -> Span:
    """Return a part of a text without the marks around the whole of it, a full stop and a tick."""
    stopped = False
    for _ in range(_MOST_MARKS):
        before = start, end
        part = text[start:end]
        end = start + len(part.rstrip())
        start = end - len(part.strip())
        while start < end and text[start] in _TICKS:
            start += 1
        while start < end and text[end - 1] in _TICKS:
            end -= 1
        if not stopped and start < end and text[end - 1] in _STOPS:
            stopped, end = True, end - 1
        start, end = _unmarked(text, start, end)
        if (start, end) == before:
            break
    return start, end


def _unmarked(text: str, start: int, end: int) -> Span:
    """Return a part of a text without one pair of marks around the whole of it."""
    for opening, closing in _MARKS if text[start : start + 1] in _OPENING else ():
        first, last = start + len(opening), end - len(closing)
        if first > last or not text.startswith(opening, start) or text[last:end] != closing:
            continue
        if text.find(closing, first, last) < 0 or (
            opening == "*" and _is_formula(text[first:last])
        ):
            return first, last
    return start, end


def _candidate(text: str, start: int, end: int, *, marked: bool) -> Candidate:
    """Return what a part of a text is as an answer, once it is bare."""
    if end - start > LONGEST_ANSWER:
        return Candidate(text[start:end], start, end, "other", code="too-long")
    answer = text[start:end]
    other = Candidate(answer, start, end, "other")
    if "<" in answer:
        return other
    if _CLAIM.fullmatch(words := " ".join(answer.replace("’", "'").split())):
        named = re.search(_NAMED, words)
        return replace(other, kind="claim", target=parse_value(named[0]) if named else None)
    parts = _parts(text, start, end)
    if not parts or not all(_is_formula(text[first:last]) for first, last in parts):
        bare = len(parts) == 1 and all(map(_BARE.fullmatch, _EQUALS.split(answer)))
        return _formula(text, start, end) if bare else other
    found = [_formula(text, first, last) for first, last in parts]
    if len(found) == 1:
        return found[0]
    if _are_steps(found):
        return replace(other, kind="working")
    if len({"".join(each.formula.split()) for each in found}) == 1:
        return found[-1]
    results = [each.stated for each in found]
    tried = "\n" in answer and (not marked or (len(set(results)) > 1 and all(results)))
    return other if tried else replace(other, code="two-answers")


def _parts(text: str, start: int, end: int) -> list[Span]:
    """Return the parts of an answer that may be answers, or steps, of their own."""
    if not _BETWEEN.search(text, start, end):
        return [(start, end)] if start < end else []
    cuts = [(start, start), *(each.span() for each in _BETWEEN.finditer(text, start, end))]
    ends = [*(first for first, _ in cuts[1:]), end]
    parts = [_bared(text, last, stop) for (_, last), stop in zip(cuts, ends, strict=True)]
    return [(first, last) for first, last in parts if first < last]


def _formula(text: str, start: int, end: int) -> Candidate:
    formula = text[start:end]
    sides = tuple(side.strip() for side in _EQUALS.split(formula))
    return Candidate(formula, start, end, "formula", sides)


def _are_steps(found: Sequence[Candidate]) -> bool:
    """Return whether some formulas are the steps of a working: a later one uses a result."""
    later = ""
    for step in reversed(found):
        result = step.stated[-1:]
        if later and result:
            number = "".join(result[0].split()).strip("-−()")
            if re.search(rf"(?<![0-9./]){re.escape(number)}(?![0-9./])", later):
                return True
        later = f"{later} {''.join(step.formula.split())}"
    return False


class _Patterns(NamedTuple):
    """What formulas look like, with the operators that there are."""

    formula: re.Pattern[str]
    line: re.Pattern[str]
    """A line of one, or of some, or of a claim, in its marks."""


@lru_cache(maxsize=4)
def _patterns(operators: Sequence[Operator]) -> _Patterns:
    sign = spellings_of((), operators, joins=True).sign
    before = rf"(?:[^\S\n]|[(\[]|{FRACTION}\s*+\{{|{BELOW_ZERO})*+"
    number = r"(?:[0-9]++(?:\.[0-9]++)?|(?<![A-Za-z\\])[AJQKTajqkt](?![A-Za-z]))"
    after = r"(?:[^\S\n]|[)\]}])*+"
    operand = f"{before}{number}{after}"
    formula = rf"{operand}(?:(?:{sign}|={{1,2}}|\{{){operand})*+"
    marks = rf"(?:[ \t\r*_`${_TICKS}]|\\[(\[]|\\text\{{)*+"
    ends = rf"(?:[ \t\r*_`${_TICKS}{_STOPS}]|\\[)\]]|\}})*+"
    between = r"(?:[,;、→⇒]|[-=]>|\bor\b|\band\b|或)"
    several = f"{marks}{formula}{ends}(?:{between}{marks}{formula}{ends})*+"
    line = f"^(?:{several}|{marks}(?:{'|'.join(_CLAIMS)})[!]?{ends})$"
    return _Patterns(re.compile(formula), re.compile(line, re.MULTILINE | re.IGNORECASE))


def _is_formula(text: str) -> bool:
    """Return whether a text looks like a formula: of numbers and signs, and no bare number."""
    line, pattern = line_of(text), _patterns(tuple(OPERATORS.values())).formula
    return pattern.fullmatch(line) is not None and not all(
        _BARE.fullmatch(side) for side in _EQUALS.split(line)
    )
