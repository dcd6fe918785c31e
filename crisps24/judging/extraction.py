r"""Find the answer in any text: by tags, boxes, fences, labels, or the form of a line.

It sees only the text, no hand and no target, so it cannot pick the right one of several answers.
The grammar still has to read what looks like a formula here. Every pattern is at most linear in
the length of the text.

`Let me see. \boxed{(4 + 4) \times 3 = 24}.` is the formula `(4 + 4) \times 3`, said to be 24.
"""

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from crisps24.judging.claims import CLAIM, claim_of
from crisps24.notation.grammar import (
    DEEPEST_NESTING,
    FRACTION,
    LONGEST_REMEMBERED,
    SIMPLE,
    TextSpan,
    line_of,
)
from crisps24.notation.spellings import spellings_of
from crisps24.notation.statements import MOST_REMEMBERED
from crisps24.rules.characters import digits_alike, plain
from crisps24.rules.exact import Exact
from crisps24.rules.operators import BELOW_ZERO, OPERATORS, Operator

LONGEST_TEXT = 1_000_000
LONGEST_ANSWER = 10_000
# A space of LaTeX, which is no end of a line and a space.
_A_SPACE, _SPACES = re.compile(r"(?<!\\)\\ "), re.compile(r"(?<!\\)\\[,;:! ]")
# An answer is looked for inside of what is marked as one so many times.
_DEEPEST = 4
# So many pairs of marks are taken off around an answer, and lines that look like one are looked for
# so far from the end, so many of them.
_MOST_MARKS = 100
_LONGEST_LINES = 100_000
_MOST_LINES = 1_000

_ANY_CASE = re.ASCII | re.IGNORECASE
# Where the assistant's turn begins, and what ends it, in the signs of chats.
_TURN = re.compile(
    r"<\|im_start\|>assistant\b|<start_of_turn>model\b|<\|channel\|>final<\|message\|>"
    r"|<\|start_header_id\|>assistant<\|end_header_id\|>|<\|assistant\|>|\[/INST\]"
    r"|^(?:assistant|model):(?=\s)",
    _ANY_CASE | re.MULTILINE,
)
_ENDED = re.compile(r"<\|[a-z_]{1,40}\|>|</s>|<end_of_turn>|<eos>", _ANY_CASE)
# One of these is in each of them, in small letters: most texts need not be looked at for any.
_OF_TURNS = ("<|", "of_turn>", "</s>", "<eos>", "[/inst]", "assistant:", "model:")
_THINK = re.compile(r"[<\[◁](/?)think(?:ing)?[>\]▷]", _ANY_CASE)
_TAG = re.compile(r"<(/?)answer>", _ANY_CASE)
_BOX = re.compile(r"(\\boxed\s*+\{)|\\.|[{}]", re.DOTALL)
_FENCE = re.compile(r"^[^\S\n]*+```([^`\n]*)$", re.MULTILINE)
# What stands before the lines of a list, of a quotation, of steps, or a heading.
_LIST = r"[ \t]*+(?:#{1,6}|[-−–*•>]|[0-9]{1,2}[.)]|step[ \t]*+[0-9]{1,2}[ \t]*+[:.)])[ \t]++(?=\S)"
_BEFORE = re.compile(_LIST, _ANY_CASE)
_LISTED = re.compile(rf"^{_LIST}", _ANY_CASE | re.MULTILINE)
_INSIDE = re.compile(r"[^\n\r]")
# What stands around lines, or between them, and is no prose.
_AROUND = re.compile(r"(?:\\[()\[\]]|[\s*_`$✓✔✅☑\ufe0f.。．])*+")
_ANSWER = r"(?:final[ \t]++)?+(?:answer|solution)"
# What says so in other languages.
_ELSEWHERE = (
    "antwort|lösung|réponse|solution finale|respuesta|solución|antwoord|oplossing|risposta"
    "|soluzione|resposta|solução|Ответ|ответ|Решение|решение|答案|解答|答え|答|정답|답"
)
_LABEL = re.compile(
    rf"^(?:{_LIST})?+[ \t]*+(\*\*|__|\*|_)?+"
    rf"(?:(?:(?:the[ \t]++)?+{_ANSWER}|{_ELSEWHERE}|(?-i:A)(?=[:：][ \t]))"
    r"(\*\*|__|\*|_)?+[ \t]?[:：]"
    rf"|the[ \t]++{_ANSWER}[ \t]++is\b[ \t]?[:：]?)([^\n]*)",
    _ANY_CASE | re.MULTILINE,
)
_SAID = re.compile(f"[:：]|{_ANSWER}", _ANY_CASE)
# What may stand around the whole of an answer; the longer before the shorter.
_MARKS = (
    *(("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("`", "`")),
    *(("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]")),
)
_STOPS = ".。．"
_TICKS = ("✓", "✔\ufe0f", "☑\ufe0f", "✔", "✅", "☑", r"\checkmark")
# What comes between the steps of a working, or between answers.
_BETWEEN = re.compile(r"[,;、→⇒\n\r]|[-=]>")
_EQUALS = re.compile("[=＝]{1,2}")
_BARE = re.compile(rf"\s*+(?:{BELOW_ZERO}\s*+)?+(?:[0-9]++(?:\.[0-9]++)?+|\.[0-9]++)\s*+")
_STATED = re.compile(
    rf"\s*+(?:{BELOW_ZERO}\s*+)?+(?:[0-9]*+\.[0-9]++|[0-9]++(?:\s*+[/∕⁄]\s*+[0-9]++)?+)\s*+"
)
_BRACKET = re.compile(r"[()\[\]{}]")
_CLOSING = {")": "(", "]": "[", "}": "{"}
_NUMERAL = re.compile(r"(?<![0-9.])0[xX][0-9A-Fa-f]")
_COMMAND = re.compile(r"\\[A-Za-z]++")
_DIGIT, _WORD = re.compile(r"\d"), re.compile(r"[^\W\d_]{2}")
_OPENING = {opening[0] for opening, _ in _MARKS}
_MOST_STEPS = 100


@dataclass(frozen=True, slots=True)
class Candidate:
    """The part of a text that is its answer, as it stands there: `text[start:end]`.

    `kind` says what it looks like: `formula`, `working` (steps, one after the other), `claim` (that
    there is no solution), `other` (marked as an answer, and none of these) or `none`. `code` is
    empty where it can be judged; else `no-answer` or `too-long` (of kind `none`: the text), or
    `too-long` (the answer), `two-answers` or `number` (0x18), of kind `other`.
    """

    text: str = ""
    start: int = 0
    end: int = 0
    kind: str = "none"
    sides: tuple[str, ...] = ()
    """What stands on the sides of the = signs of a formula, from left to right."""
    place: int = 0
    """Which of them is to be judged by the hand: the first that is no bare number."""
    target: Exact | None = None
    """The target that a claim names, if it names one."""
    code: str = ""
    working: str = ""
    """The steps of a working alone, with one = a step."""

    @property
    def formula(self) -> str:
        """What is to be judged by the hand: one of the sides, or all steps of a working.

        What is no formula is given as it stands.
        """
        return self.sides[self.place] if self.sides else self.working or self.text

    @property
    def stated(self) -> tuple[str, ...]:
        """What the formula is said to be equal to: its other sides."""
        return self.sides[: self.place] + self.sides[self.place + 1 :]


def extract(text: str, letters: str = "", chosen: Sequence[Operator] = ()) -> Candidate:
    r"""Return the part of a text that is its answer.

    After the last `</think>` it is the last whole `<answer>`, else the last `\boxed{}`, else what
    is fenced, or labelled as in `Answer:`, last, else the last line that is wholly a formula, a
    working or a claim; the same again is looked for inside of it. `letters` are those that stand
    for numbers, and operators are `chosen` that not all games know. It never raises.

    >>> extract("So 4 + 4 = 8. <answer>**(4 + 4) x 3 = 24**.</answer>").sides
    ('(4 + 4) x 3', '24')
    >>> extract("I would say 3 x 8.").code
    'no-answer'
    """
    if len(text) > LONGEST_TEXT:
        return Candidate(code="too-long")
    like = _patterns((*OPERATORS.values(), *chosen), letters, tuple(chosen))
    small = text.lower()
    start, end = _after_thoughts(text, small, *_turn(text, small))
    start, end, marked = _within(text, start, end, 0, LONGEST_REMEMBERED)
    found = None
    if end - start <= LONGEST_REMEMBERED:
        part = text[start:end]
        if known := _known(digits_alike(part), like, marked):
            found = known.of(part, start)
    found = found or _answer_of(text, start, end, like, marked)
    return found if found.text else Candidate(code="no-answer")


def _answer_of(text: str, start: int, end: int, like: "_Patterns", marked: int) -> Candidate:
    """Return the answer of a part that stands in so many marks."""
    start, end, marked = _within(text, start, end, marked)
    start, end = _bared(text, start, end)
    found = _candidate(text, start, end, like, marked=marked > 0)
    return found or _last_of(text, start, end, like, marked=marked > 0)


def _within(text: str, start: int, end: int, marked: int, longest: int = 0) -> tuple[int, int, int]:
    """Return the part inside marks, until it is at most so long, and the number of marks."""
    while end - start > longest and marked < _DEEPEST and (inner := _marked(text[start:end])):
        start, end = start + inner[0], start + inner[1]
        marked += 1
    return start, end, marked


class _Known(NamedTuple):
    """The answer of a part, as it stands in all that have other digits in the same places."""

    answer: Candidate
    sides: Sequence[TextSpan]

    def of(self, part: str, start: int) -> Candidate:
        """Return the answer of one of them, which begins at a column of a text."""
        known, sides = self.answer, tuple([part[first:last] for first, last in self.sides])
        first, last = known.start, known.end
        span = start + first, start + last
        return Candidate(part[first:last], *span, known.kind, sides, known.place, code=known.code)


@lru_cache(maxsize=MOST_REMEMBERED)
def _known(part: str, like: "_Patterns", marked: int) -> _Known | None:
    """Return the answer of all parts that differ from this one only in their digits 1 to 9."""
    # No pattern here distinguishes digits, except 0 (0x), so all have the answer in the same place.
    # Several answers, steps and claims depend on the digits: they can repeat or name a number.
    if _BETWEEN.search(plain(part)) or _A_SPACE.search(part):
        return None
    answer = _answer_of(part, 0, len(part), like, marked)
    if answer.kind == "claim":
        return None
    sides, at = [], answer.start
    for side in answer.sides:
        at = part.index(side, at)
        sides.append((at, at + len(side)))
        at += len(side)
    return _Known(answer, sides)


def _turn(text: str, small: str) -> TextSpan:
    """Return where what the assistant says last stands, in a chat that was written down."""
    start, end = 0, len(text)
    if not any(sign in small for sign in _OF_TURNS):
        return start, end
    for turn in _TURN.finditer(text):
        start = turn.end()
    ended = _ENDED.search(text, start)
    return start, ended.start() if ended and not text[ended.end() :].strip() else end


def _after_thoughts(text: str, small: str, start: int, end: int) -> TextSpan:
    """Return what comes after the last thought: nothing where that is not at its end."""
    last = None
    for tag in _THINK.finditer(text, start, end) if "think" in small else ():
        last, start = tag, tag.end()
    return (start, end) if last is None or last[1] else (start, start)


def _last_of(text: str, start: int, end: int, like: "_Patterns", *, marked: bool) -> Candidate:
    """Return what is the answer of a part that is not wholly one."""
    answer = Candidate(text[start:end], start, end, "other")
    if end - start > LONGEST_ANSWER:
        answer = replace(answer, code="too-long")
    elif _NUMERAL.search(plain(answer.text)):
        answer = replace(answer, code="number")
    elif _are_several(answer.text, like):
        answer = replace(answer, code="two-answers")
    if marked and (answer.code == "two-answers" or "\n" not in answer.text):
        return answer
    lines = [
        _bared(text, _behind_list(text, start + first), start + last)
        for first, last in _lines(text[start:end], like)
    ]
    last = _last_run(text, lines, like)
    if last and (last.working or not (marked and _differ(answer.text, lines, text, like))):
        return last
    meant = _DIGIT.search(answer.text) and not _WORD.search(_COMMAND.sub(" ", answer.text))
    if marked or (meant and not re.search(r"[\n\r]", answer.text)):
        return answer
    return Candidate(code="no-answer")


def _behind_list(text: str, start: int) -> int:
    """Return where a line begins, of what stands before one of a list where a mark is next."""
    listed = _BEFORE.match(text, start)
    return listed.end() if listed and text[listed.end()] in _OPENING else start


def _last_run(text: str, lines: Sequence[TextSpan], like: "_Patterns") -> Candidate | None:
    """Return the last line that is an answer, or the working of which it is the last step."""
    at = len(lines) - 1
    while at >= 0 and not (last := _candidate(text, *lines[at], like)):
        at -= 1
    if at < 0:
        return None
    first = at
    while first > 0 and at - first < _MOST_STEPS:
        between = text[lines[first - 1][1] : lines[first][0]]
        # The mark of a list before the next line is no prose.
        apart = not _AROUND.fullmatch(_LISTED.sub("", f"{between}0")[:-1])
        if apart or not _candidate(text, *lines[first - 1], like):
            break
        first -= 1
    start, end = lines[first][0], lines[at][1]
    if first == at or end - start > LONGEST_ANSWER:
        return last
    # Of what stands around the lines the ends are left.
    steps, stood = [], start
    for begin, behind in lines[first : at + 1]:
        steps += [_INSIDE.sub(" ", text[stood:begin]), text[begin:behind]]
        stood = behind
    run = _candidate("".join(steps), 0, end - start, like)
    if run is None or not run.working:
        return last
    return replace(run, text=text[start:end], start=start, end=end)


def _differ(answer: str, lines: Sequence[TextSpan], text: str, like: "_Patterns") -> bool:
    """Return whether all lines of an answer are answers, and not the same."""
    told = sum(1 for line in answer[-_LONGEST_LINES:].splitlines() if line.strip(" \t`$"))
    found = [_candidate(text, *span, like) for span in lines]
    same = len({"".join(each.text.split()) for each in found if each}) == 1
    return min(told, _MOST_LINES) == len(lines) and all(found) and not same


def _marked(text: str) -> TextSpan | None:
    """Return the last part of a text that is marked as an answer, if there is one."""
    if span := _tagged(text) or _boxed(text):
        return span
    fenced, labelled = _fenced(text), _labelled(text)
    return max(fenced, labelled) if fenced and labelled else fenced or labelled


def _tagged(text: str) -> TextSpan | None:
    opened, last = -1, None
    for tag in _TAG.finditer(text) if "</" in text else ():
        if not tag[1]:
            opened = tag.end()
        elif opened >= 0:
            opened, last = -1, (opened, tag.start())
    return last


def _boxed(text: str) -> TextSpan | None:
    """Return what is in the last box to begin of those whose braces are balanced."""
    last: TextSpan = (-1, -1)
    opened: list[int] = []
    # Braces before the first box close none; but of \\boxed the first \ takes the second.
    begin = text.find("\\boxed")
    while begin > 0 and text[begin - 1] == "\\":
        begin -= 1
    for brace in _BOX.finditer(text, begin) if begin >= 0 else ():
        if brace[1] or brace[0] == "{":
            # Where a box begins; other braces begin nowhere.
            opened.append(brace.end() if brace[1] else -1)
        elif brace[0] == "}" and opened:
            last = max(last, (opened.pop(), brace.start()))
    return last if last[0] >= 0 else None


def _fenced(text: str) -> TextSpan | None:
    opened, last = -1, None
    for fence in _FENCE.finditer(text) if "```" in text else ():
        if opened < 0:
            opened = fence.end()
        elif not fence[1].strip():
            opened, last = -1, (opened, fence.start())
    return last


def _labelled(text: str) -> TextSpan | None:
    """Return what is behind the last label that says something on its line."""
    last = None
    for label in _LABEL.finditer(text) if _SAID.search(text) else ():
        start, end = label.span(3)
        said, mark = text[start:end].strip(), label[1]
        if mark and label[2] != mark:
            # What opened before the label closes behind it, or behind the answer.
            if said.startswith(mark):
                start = text.index(mark, start) + len(mark)
            elif said.rstrip(_STOPS).endswith(mark):
                end = text.rindex(mark, start, end)
        if text[start:end].strip():
            last = start, end
    return last


def _lines(text: str, like: "_Patterns") -> Sequence[TextSpan]:
    """Return where the last lines stand that look like a formula, a working or a claim."""
    # A line that begins before is no line here.
    begin = 0
    if len(text) > _LONGEST_LINES:
        begin = text.find("\n", -_LONGEST_LINES) + 1 or len(text)
    line = line_of(text[begin:], like.chosen).replace("\r", "\n").replace("’", "'")
    found = deque(like.line.finditer(line), maxlen=_MOST_LINES)
    return [(begin + each.start(), begin + each.end()) for each in found]


def _bared(text: str, start: int, end: int) -> TextSpan:
    """Return a part of a text without the marks around the whole of it, a full stop and a tick."""
    stop = tick = True
    for _ in range(_MOST_MARKS):
        before = start, end
        part = text[start:end]
        end = start + len(part.rstrip())
        start = end - len(part.strip())
        if tick and text.endswith(_TICKS, start, end):
            ticked = next(each for each in _TICKS if text.endswith(each, start, end))
            end, tick = end - len(ticked), False
        if tick and text.startswith(_TICKS, start, end):
            ticked = next(each for each in _TICKS if text.startswith(each, start, end))
            start, tick = start + len(ticked), False
        if stop and start < end and text[end - 1] in _STOPS:
            end, stop = end - 1, False
        for opening, closing in _MARKS if text[start : start + 1] in _OPENING else ():
            first, last = start + len(opening), end - len(closing)
            if first <= last and text.startswith(opening, start) and text[last:end] == closing:
                # What the first of several lines has around it, the whole has not.
                line = text[first:last].partition("\n")
                if closing not in "*_" and line[1] and closing in line[0]:
                    break
                start, end = first, last
                break
        if (start, end) == before:
            break
    return start, end


def _candidate(
    text: str, start: int, end: int, like: "_Patterns", *, marked: bool = False
) -> Candidate | None:
    """Return a part of a text if all of it is a formula, a working or a claim."""
    if not 0 < end - start <= LONGEST_ANSWER or text.find("<", start, end) >= 0:
        return None
    answer = plain(_unlisted(text[start:end]))
    listed, start, answer = start, end - len(answer.lstrip()), answer.lstrip()
    line = line_of(answer, like.chosen)
    chain = _is_chain(line, like)
    if chain and answer.isprintable():
        return _formula(text, start, end)
    parts = _parts(answer, line)
    written = [line[first:last] for first, last in parts]
    same = len({"".join(_SPACES.sub(" ", answer[a:b] + " ").split()) for a, b in parts}) == 1
    if same and _is_chain(written[0], like):
        # The same twice is one, the one with nothing at its end; and what closes a list is nothing
        # more than that.
        first, last = min(parts, key=lambda part: part[1] - part[0])
        return _formula(text, start + first, start + last)
    if chain:
        return _formula(text, start, end)
    found = Candidate(text[start:end], start, end, "other")
    # In a marked answer any step may use an earlier result; otherwise the last step has to.
    apart = "\n" in answer and not _are_linked(written, any_step=marked)
    if 1 < len(parts) <= _MOST_STEPS and _are_steps(written, like) and not apart:
        steps = _EQUALS.sub("=", answer)
        return replace(found, text=text[listed:end], start=listed, kind="working", working=steps)
    claim = claim_of(answer)
    return None if claim is None else replace(found, kind="claim", target=claim.target)


def _unlisted(text: str) -> str:
    """Return a text that begins as lines of a list do without what stands before them."""
    if not _LISTED.match(text):
        return text
    return _LISTED.sub(lambda listed: " " * len(listed[0]), text)


def _formula(text: str, start: int, end: int) -> Candidate:
    # A space of LaTeX is not cut in two.
    sides = tuple(map(str.strip, _EQUALS.split(_A_SPACE.sub(" ", text[start:end]))))
    formulas = (at for at, side in enumerate(sides) if not _BARE.fullmatch(line_of(side)))
    return Candidate(text[start:end], start, end, "formula", sides, next(formulas, 0))


def _parts(text: str, line: str) -> list[TextSpan]:
    """Return the spans of answers or steps in an answer, and in its `line_of`."""
    cuts = [(0, 0), *(each.span() for each in _BETWEEN.finditer(line)), (len(line), len(line))]
    parts = []
    for (_, first), (last, _) in pairwise(cuts):
        if part := text[first:last].strip():
            first = text.index(part, first)
            parts.append((first, first + len(part)))
    return parts


def _are_several(text: str, like: "_Patterns") -> bool:
    line = line_of(text, like.chosen)
    parts = _parts(text, line)
    return len(parts) > 1 and all(_is_chain(line[a:b], like) for a, b in parts)


def _is_chain(line: str, like: "_Patterns") -> bool:
    """Return whether a line is of sides that look like formulas, or are numbers."""
    sides = _EQUALS.split(line)
    if not all(_is_side(side, like) for side in sides):
        return False
    return not all("." in side and _BARE.fullmatch(side) for side in sides)


def _is_side(side: str, like: "_Patterns") -> bool:
    if _BARE.fullmatch(side):
        return True
    if not like.formula.fullmatch(side) or _NUMERAL.search(side):
        return False
    if side.count("{") != 2 * side.count(FRACTION) and not like.chosen:
        return False
    opened: list[str] = []
    for bracket in _BRACKET.findall(side):
        if bracket not in _CLOSING:
            opened.append(bracket)
            if len(opened) > DEEPEST_NESTING:
                return False
        elif not opened or opened.pop() != _CLOSING[bracket]:
            return False
    return not opened


def _are_steps(parts: Sequence[str], like: "_Patterns") -> bool:
    """Return whether all parts but the last, which may, say what they make."""
    for place, part in enumerate(parts, 1):
        formula, *stated = _EQUALS.split(part)
        if len(stated) > 1 or not _is_chain(formula, like):
            return False
        if not (_STATED.fullmatch(stated[0]) if stated else place == len(parts)):
            return False
    return True


def _are_linked(parts: Sequence[str], *, any_step: bool) -> bool:
    """Return whether the last step uses an unused result of an earlier one, or any step does."""
    *steps, last = ["".join(SIMPLE.sub(r"\1/\2", part).split()) for part in parts]
    last = last.partition("=")[0]
    between = ""
    for step in reversed(steps):
        formula, _, made = step.rpartition("=")
        used = re.compile(rf"(?<![0-9.]){re.escape(made.lstrip('-−–'))}(?![0-9.])")
        if any_step and used.search(last + between):
            return True
        if used.search(last) and not used.search(between):
            return True
        between += f"|{formula}"
    return False


@dataclass(frozen=True, slots=True, eq=False)
class _Patterns:
    """What formulas look like, with the operators that there are; one is equal to itself alone."""

    formula: re.Pattern[str]
    line: re.Pattern[str]
    """A line of one, or of several, or of a claim, in its marks."""
    chosen: Sequence[Operator]
    """Those of the operators that not all games know."""


@lru_cache(maxsize=16)
def _patterns(operators: Sequence[Operator], letters: str, chosen: Sequence[Operator]) -> _Patterns:
    spellings = spellings_of((), operators, joins=True)
    sign = spellings.sign
    # What may stand before a number, or behind it, besides a minus and parentheses.
    beside = {
        after: "".join(
            f"|{re.escape(sign)}"
            for sign, each in sorted(spellings.operators.items(), reverse=True)
            if each.arity == 1 and each.after is after
        )
        for after in (False, True)
    }
    ends_of_numbers = (each.around[1] for each in spellings.written if each.around[1])
    first = beside[False] + (r"|\{" if spellings.braced else "")
    last = beside[True] + "".join(f"|{re.escape(end)}" for end in ends_of_numbers)
    named = f"|[{re.escape(letters + letters.lower())}]" if letters else ""

    def formula(blank: str) -> str:
        minus = rf"(?:{BELOW_ZERO}{blank}*+)?+"
        before = rf"(?:{minus}(?:[(\[]|{FRACTION}{blank}*+\{{{first}){blank}*+)*+{minus}"
        number = rf"(?:[0-9]++(?:\.[0-9]++)?+|\.[0-9]++{named})"
        operand = rf"{blank}*+{before}{number}(?:{blank}|[)\]}}]{last})*+"
        return rf"{operand}(?:(?:{sign}|\{{){operand})*+"

    blank = r"[^\S\n]"
    marks = r"(?:[ \t\r*_`$✓✔✅☑\ufe0f]|\\[(\[]|\\checkmark)*+"
    ends = rf"(?:[ \t\r*_`$✓✔✅☑\ufe0f{_STOPS}]|\\[)\]]|\\checkmark)*+"
    chain = rf"{formula(blank)}(?:={{1,2}}{formula(blank)})*+"
    several = rf"(?:[,;、→⇒\r]|[-=]>|{blank}|{chain})++"
    words = CLAIM.replace(" ", f"(?:{blank}++)")
    claim = rf"(?:\\text\{{)?+{words}[.}}]*+"
    line = rf"^(?:{_LIST})?+{marks}(?:{several}|{claim}){ends}$"
    whole = re.compile(formula(r"\s"))
    return _Patterns(whole, re.compile(line, re.MULTILINE | re.IGNORECASE), chosen)
