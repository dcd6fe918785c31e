r"""Find the answer in any text: by tags, boxes, fences, labels, or the form of a line.

It sees only the text, no hand and no target, so it cannot pick the right one of several answers.
The grammar still has to read what looks like a formula here. Every pattern is at most linear in
the length of the text.

`Let me see. \boxed{(4 + 4) \times 3 = 24}.` is the formula `(4 + 4) \times 3`, said to be 24.
"""

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from crisps24.judging.claims import CLAIM, claim_of
from crisps24.notation.grammar import (
    FRACTION_MARK,
    LATEX_FRACTION,
    MAX_CACHED_LENGTH,
    MAX_NESTING,
    TextSpan,
    normalise_formula,
)
from crisps24.notation.spellings import spellings_of
from crisps24.notation.statements import MAX_CACHED_SHAPES
from crisps24.rules.characters import mask_digits, normalise
from crisps24.rules.exact import Exact
from crisps24.rules.operators import MINUS_PATTERN, OPERATORS, Operator

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
# What names an answer that has to be a formula, a working or a claim: else it is only prose.
_FINAL = r"final[ \t]++(?:expression|equation|formula)"
# What says so in other languages.
_ELSEWHERE = (
    "antwort|lösung|réponse|solution finale|respuesta|solución|antwoord|oplossing|risposta"
    "|soluzione|resposta|solução|ответ|решение|答案|解答|答え|答|정답|답"
)
_LABEL = re.compile(
    rf"^(?:{_LIST})?+[ \t]*+(\*\*|__|\*|_)?+"
    rf"(?:(?:(?:the[ \t]++)?+{_ANSWER}|(?u:{_ELSEWHERE})|(?-i:A)(?=[:：][ \t]))"
    r"(\*\*|__|\*|_)?+[ \t]?[:：]"
    rf"|the[ \t]++{_ANSWER}[ \t]++is\b[ \t]?[:：]?"
    rf"|((?:the[ \t]++)?+{_FINAL}(?:[ \t]++is\b)?+"
    "|(?:最终|最終|最后|最後)答案(?=[:：])|(?:最终|最終|最后|最後)?+答案[是为為])"
    r"(\*\*|__|\*|_)?+[ \t]?[:：]?)([^\n]*)",
    _ANY_CASE | re.MULTILINE,
)
_SAID = re.compile(f"[:：]|{_ANSWER}|{_FINAL}|答案", _ANY_CASE)
# An object of JSON without objects in it, on lines of its own; its strings, each with the colon
# behind a name; and what stands in them for another character, in place.
_OBJECT = re.compile(
    r"^[^\S\n]*+(\{(?:[^{}\"]++|\"(?:[^\"\\\n]|\\.)*+\")*+\})[^\S\n]*+$", re.MULTILINE
)
_STRING = re.compile(r"\"((?:[^\"\\\n]|\\.)*+)\"(\s*+:)?+")
_ESCAPE = re.compile(r"\\(?:([\\\"/])|u([0-9A-Fa-f]{4})|n(?![a-z]))")
# The names of answers in structured output, the most telling first.
_NAMED_ANSWERS = ("expression", "equation", "formula", "final_answer", "answer", "solution")
# What Python prints, with a comment behind it, where nothing else is done.
_PRINT = re.compile(
    r"(?:[^\S\n]*+(?:#[^\n]*+)?\n)*+[^\S\n]*+print\(([^#\n]*)\)[^\S\n]*+(?:#[^\n]*+)?\s*+"
)
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
_BARE = re.compile(rf"\s*+(?:{MINUS_PATTERN}\s*+)?+(?:[0-9]++(?:\.[0-9]++)?+|\.[0-9]++)\s*+")
_STATED = re.compile(
    rf"\s*+(?:{MINUS_PATTERN}\s*+)?+(?:[0-9]*+\.[0-9]++|[0-9]++(?:\s*+[/∕⁄]\s*+[0-9]++)?+)\s*+"
)
_BRACKET = re.compile(r"[()\[\]{}]")
_BRACE = re.compile("[{}]")
_CLOSING = {")": "(", "]": "[", "}": "{"}
_NUMERAL = re.compile(r"(?<![0-9.])0[xX][0-9A-Fa-f]")
_COMMAND = re.compile(r"\\[A-Za-z]++")
# Commands of LaTeX for how the text in their braces looks, with what stands before these braces.
_LOOKS = re.compile(r"\\(?:text|textbf|mathbf|(?:text)?color\s*+\{[A-Za-z]++\})\s*+\{")
# The numbers of a formula without spaces, and its fractions, of which one may begin in another.
_NUMBERS = re.compile(r"[0-9.]+")
_FRACTIONS = re.compile(r"(?<![0-9.])(?=([0-9.]+/[0-9.]+))")
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
    """The steps of a working alone, with one = a step; or another answer without JSON's escapes."""

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
    read, start, end, marked = _within(text, start, end, like, 0, MAX_CACHED_LENGTH)
    found = None
    if end - start <= MAX_CACHED_LENGTH:
        part = read[start:end]
        if known := _known(mask_digits(part), like, marked):
            found = known.of(part, start)
    found = found or _answer_of(read, start, end, like, marked)
    if not found.text:
        return Candidate(code="no-answer")
    as_written = text[found.start : found.end]
    if as_written == found.text:
        return found
    return replace(found, text=as_written, working="" if found.sides else found.formula)


def _answer_of(text: str, start: int, end: int, like: "_Patterns", marked: int) -> Candidate:
    """Return the answer of a part that stands in so many marks."""
    text, start, end, marked = _within(text, start, end, like, marked)
    start, end = _bared(text, start, end)
    found = _candidate(text, start, end, like, marked=marked > 0)
    if found and found.working and not marked:
        # Above it there may be other attempts.
        run = _last_run(text, _lines_in(text, start, end, like), like, marked=False)
        found = run if run and run.working and run.end == found.end else found
    return found or _last_of(text, start, end, like, marked=marked > 0)


def _within(
    text: str, start: int, end: int, like: "_Patterns", marked: int, longest: int = 0
) -> tuple[str, int, int, int]:
    """Return the part inside marks, until it is at most so long, and the number of marks.

    It stands in the text as it is meant: escapes of JSON are replaced in place.
    """
    while end - start > longest and marked < _DEEPEST and (inner := _marked(text[start:end], like)):
        start, end = start + inner.start, start + inner.end
        if inner.escapes:
            meant = _ESCAPE.sub(_in_place, text[start:end])
            text = text[:start] + meant + text[end:]
        marked += 1
    return text, start, end, marked


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


@lru_cache(maxsize=MAX_CACHED_SHAPES)
def _known(part: str, like: "_Patterns", marked: int) -> _Known | None:
    """Return the answer of all parts that differ from this one only in their digits 1 to 9."""
    # No pattern here distinguishes digits, except 0 (0x), so all have the answer in the same place.
    # Several answers, steps and claims depend on the digits: they can repeat or name a number.
    # Where escapes of JSON are replaced the sides do not stand in the part.
    escapes = '"' in part and _ESCAPE.search(part)
    if _BETWEEN.search(normalise(part)) or _A_SPACE.search(part) or escapes:
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
    elif _NUMERAL.search(normalise(answer.text)):
        answer = replace(answer, code="number")
    elif _are_several(answer.text, like):
        answer = replace(answer, code="two-answers")
    if marked and (answer.code == "two-answers" or "\n" not in answer.text):
        return answer
    lines = _lines_in(text, start, end, like)
    last = _last_run(text, lines, like, marked=marked)
    if last and (last.working or not (marked and _differ(answer.text, lines, text, like))):
        return last
    meant = _DIGIT.search(answer.text) and not _WORD.search(_COMMAND.sub(" ", answer.text))
    if marked or (meant and not re.search(r"[\n\r]", answer.text)):
        return answer
    return Candidate(code="no-answer")


def _lines_in(text: str, start: int, end: int, like: "_Patterns") -> list[TextSpan]:
    """Return the last lines of a part that look like an answer, without their marks."""
    return [
        _bared(text, _behind_list(text, start + first), start + last)
        for first, last in _lines(text[start:end], like)
    ]


def _behind_list(text: str, start: int) -> int:
    """Return where a line begins, of what stands before one of a list where a mark is next."""
    listed = _BEFORE.match(text, start)
    return listed.end() if listed and text[listed.end()] in _OPENING else start


def _last_run(
    text: str, lines: Sequence[TextSpan], like: "_Patterns", *, marked: bool
) -> Candidate | None:
    """Return the last line that is an answer, or the working of which it is the last step.

    What is not marked as one answer may have earlier attempts above the working.
    """
    at = len(lines) - 1
    while at >= 0 and not (last := _candidate(text, *lines[at], like)):
        at -= 1
    if at < 0:
        return None
    first, steps = at, [_steps_in(text, *lines[at], like)]
    while first > 0 and at - first < _MOST_STEPS:
        between = text[lines[first - 1][1] : lines[first][0]]
        above = _steps_in(text, *lines[first - 1], like)
        if not (above and "=" in above[-1] and _are_adjacent(between)):
            break
        if lines[at][1] - lines[first - 1][0] > LONGEST_ANSWER:
            return last
        first -= 1
        steps.insert(0, above)
    first += 0 if marked else _start_of_working(steps)
    start, end = lines[first][0], lines[at][1]
    if first == at:
        return last
    # Of what stands around the lines the ends are left.
    parts, stood = [], start
    for begin, behind in lines[first : at + 1]:
        parts += [_INSIDE.sub(" ", text[stood:begin]), text[begin:behind]]
        stood = behind
    run = _candidate("".join(parts), 0, end - start, like)
    if run is None or not run.working:
        return last
    return replace(run, text=text[start:end], start=start, end=end)


def _are_adjacent(between: str) -> bool:
    """Return whether nothing but marks stands between two lines; that of a list is no prose."""
    return _AROUND.fullmatch(_LISTED.sub("", f"{between}0")[:-1]) is not None


def _steps_in(text: str, start: int, end: int, like: "_Patterns") -> list[str]:
    """Return the steps of a line, each with what it makes, but the last may be without; or none."""
    if not 0 < end - start <= LONGEST_ANSWER:
        return []
    answer = normalise(_unlisted(text[start:end]))
    line = normalise_formula(answer, like.chosen)
    steps = [line[first:last] for first, last in _parts(answer, line)]
    return steps if len(steps) <= _MOST_STEPS and _are_steps(steps, like) else []


def _start_of_working(lines: Sequence[Sequence[str]]) -> int:
    """Return the line on which the last working begins, if those above it are other attempts.

    It begins with a step that uses nothing made above it, if all that is made from there on is
    used. Otherwise all lines are one working.
    """
    read = [[_read_step(step) for step in steps] for steps in lines]
    left: Counter[str] = Counter()
    for at, steps in enumerate(read):
        if at == 0 or not any(left[number] for number in steps[0].numbers):
            later = [step for each in read[at:] for step in each]
            if not _use(later[:-1], Counter(), later[-1:]).total():
                return at
        _use(steps, left)
    return 0


class _StepRead(NamedTuple):
    """The numbers of a step, with fractions as one number too, and what it says that it makes."""

    numbers: list[str]
    made: str


def _read_step(step: str) -> _StepRead:
    bare = re.sub("[∕⁄]", "/", "".join(LATEX_FRACTION.sub(r"\1/\2", step).split()))
    formula, _, made = bare.rpartition("=") if "=" in bare else (bare, "", "")
    return _StepRead(_NUMBERS.findall(formula) + _FRACTIONS.findall(formula), made.lstrip("-−–"))


def _use(
    steps: Sequence[_StepRead], left: Counter[str], last: Sequence[_StepRead] = ()
) -> Counter[str]:
    """Do steps: take what they use from the results that are left, and add what they make.

    What a `last` step makes need not be used.
    """
    for place, step in enumerate((*steps, *last)):
        for number in step.numbers:
            left[number] -= left[number] > 0
        if step.made and place < len(steps):
            left[step.made] += 1
    return left


def _differ(answer: str, lines: Sequence[TextSpan], text: str, like: "_Patterns") -> bool:
    """Return whether all lines of an answer are answers, and not the same."""
    told = sum(1 for line in answer[-_LONGEST_LINES:].splitlines() if line.strip(" \t`$"))
    found = [_candidate(text, *span, like) for span in lines]
    same = len({"".join(each.text.split()) for each in found if each}) == 1
    return min(told, _MOST_LINES) == len(lines) and all(found) and not same


class _Mark(NamedTuple):
    """Where a marked answer stands, and whether JSON writes characters of it as escapes."""

    start: int
    end: int
    escapes: bool = False


def _marked(text: str, like: "_Patterns") -> _Mark | None:
    """Return the last part of a text that is marked as an answer, if there is one."""
    if span := _tagged(text) or _boxed(text):
        return _Mark(*span)
    structured = _structured(text)
    marks = [_Mark(*span) for span in (_fenced(text, like), _labelled(text, like)) if span]
    return max([*marks, *([_Mark(*structured, True)] if structured else [])], default=None)


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


def _fenced(text: str, like: "_Patterns") -> TextSpan | None:
    opened, last = -1, None
    for fence in _FENCE.finditer(text) if "```" in text else ():
        if opened < 0:
            opened = fence.end()
        elif not fence[1].strip():
            opened, last = -1, (opened, fence.start())
    if last and (printed := _PRINT.fullmatch(text, *last)):
        return printed.span(1) if _is_formula(text, *printed.span(1), like) else last
    return last


def _is_formula(text: str, start: int, end: int, like: "_Patterns") -> bool:
    """Return whether a part is more than a number: a formula, a working or a claim, in marks."""
    found = _candidate(text, *_bared(text, start, end), like)
    return found is not None and not _BARE.fullmatch(normalise_formula(found.text))


def _structured(text: str) -> TextSpan | None:
    """Return the answer in the last object of JSON that has one, by its name."""
    if '"' not in text:
        return None
    last = None
    for found in _OBJECT.finditer(text):
        named = {name: span for name, span in _values_in(text, *found.span(1)) if span[0] < span[1]}
        last = next((named[name] for name in _NAMED_ANSWERS if name in named), last)
    return last


def _values_in(text: str, start: int, end: int) -> Iterator[tuple[str, TextSpan]]:
    """Yield the names in an object of JSON whose values are strings, and where these stand."""
    for name, value in pairwise(_STRING.finditer(text, start, end)):
        between = text[name.end() : value.start()]
        if name[2] and not value[2] and not between.strip():
            yield name[1].casefold(), value.span(1)


def _in_place(escape: re.Match[str]) -> str:
    character = escape[1] or (chr(int(escape[2], 16)) if escape[2] else "\n")
    return character.rjust(len(escape[0]))


def _labelled(text: str, like: "_Patterns") -> TextSpan | None:
    """Return what is behind the last label that says something on its line."""
    last, whole = None, True
    for label in _LABEL.finditer(text) if _SAID.search(text) else ():
        start, end = label.span(5)
        said, mark = text[start:end].strip(), label[1]
        if mark and mark not in (label[2], label[4]):
            # What opened before the label closes behind it, or behind the answer.
            if said.startswith(mark):
                start = text.index(mark, start) + len(mark)
            elif said.rstrip(_STOPS).endswith(mark):
                end = text.rindex(mark, start, end)
        if text[start:end].strip() and (not label[3] or _is_formula(text, start, end, like)):
            last = start, end
            whole = not text[end : label.end()].strip()
    return last and (last[0], _end_of_steps(text, *last, like) if whole else last[1])


def _end_of_steps(text: str, start: int, end: int, like: "_Patterns") -> int:
    """Return where the steps end of which a labelled line is one; else the end of that line.

    Later steps use what it makes: other steps below an answer are the check of it, and so are steps
    of which the last happens to use a number that it makes too.
    """
    steps = _steps_in(text, *_bared(text, start, end), like)
    if not steps or "=" not in steps[-1]:
        return end
    run = [steps]
    left = _use([_read_step(step) for step in steps], Counter())
    made, used = set(+left), False
    listed, stop, stood = _LISTED.match(text[start:end]), end, end
    for first, last in _lines(text[end : end + LONGEST_ANSWER], like):
        line = text[end + first : end + last]
        begin, behind = _bared(text, _behind_list(text, end + first), end + last)
        below = _steps_in(text, begin, behind, like)
        # A list that begins below the label is read with its minus signs.
        apart = not _are_adjacent(text[stood:begin]) or (_LISTED.match(line) and not listed)
        if apart or not below:
            break
        read, stood = [_read_step(step) for step in below], behind
        numbers = {number for step in read for number in step.numbers}
        used = used or not numbers.isdisjoint(made)
        # The last of them goes on with something that was made.
        stop = end + last if any(left[number] for number in numbers) else stop
        _use(read, left)
        run.append(below)
        if "=" not in below[-1]:
            break
    used = used and _start_of_working(run) != 1
    return stop if used and stop - start <= LONGEST_ANSWER else end


def _lines(text: str, like: "_Patterns") -> Sequence[TextSpan]:
    """Return where the last lines stand that look like a formula, a working or a claim."""
    # A line that begins before is no line here.
    begin = 0
    if len(text) > _LONGEST_LINES:
        begin = text.find("\n", -_LONGEST_LINES) + 1 or len(text)
    line = normalise_formula(text[begin:], like.chosen).replace("\r", "\n").replace("’", "'")
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
        if (look := _LOOKS.match(text, start, end)) and _is_whole(text, look.end(), end):
            start, end = look.end(), end - 1
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


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return whether the brace before a part is closed at its end, and not before."""
    if end - start > LONGEST_ANSWER or text[end - 1 : end] != "}":
        return False
    depths = list(accumulate(1 if each == "{" else -1 for each in _BRACE.findall(text, start, end)))
    return depths[-1] == -1 and -1 not in depths[:-1]


def _candidate(
    text: str, start: int, end: int, like: "_Patterns", *, marked: bool = False
) -> Candidate | None:
    """Return a part of a text if all of it is a formula, a working or a claim."""
    if not 0 < end - start <= LONGEST_ANSWER or text.find("<", start, end) >= 0:
        return None
    answer = normalise(_unlisted(text[start:end]))
    listed, start, answer = start, end - len(answer.lstrip()), answer.lstrip()
    line = normalise_formula(answer, like.chosen)
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
    formulas = (at for at, side in enumerate(sides) if not _BARE.fullmatch(normalise_formula(side)))
    return Candidate(text[start:end], start, end, "formula", sides, next(formulas, 0))


def _parts(text: str, line: str) -> list[TextSpan]:
    """Return the spans of answers or steps in an answer, and in its `normalise_formula`."""
    cuts = [(0, 0), *(each.span() for each in _BETWEEN.finditer(line)), (len(line), len(line))]
    parts = []
    for (_, first), (last, _) in pairwise(cuts):
        if part := text[first:last].strip():
            first = text.index(part, first)
            parts.append((first, first + len(part)))
    return parts


def _are_several(text: str, like: "_Patterns") -> bool:
    line = normalise_formula(text, like.chosen)
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
    if side.count("{") != 2 * side.count(FRACTION_MARK) and not like.chosen:
        return False
    opened: list[str] = []
    for bracket in _BRACKET.findall(side):
        if bracket not in _CLOSING:
            opened.append(bracket)
            if len(opened) > MAX_NESTING:
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
    *steps, last = ["".join(LATEX_FRACTION.sub(r"\1/\2", part).split()) for part in parts]
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
    sign = spellings.sign_pattern
    # What may stand before a number, or behind it, besides a minus and parentheses.
    beside = {
        after: "".join(
            f"|{re.escape(sign)}"
            for sign, each in sorted(spellings.operators.items(), reverse=True)
            if each.arity == 1 and each.postfix is after
        )
        for after in (False, True)
    }
    ends_of_numbers = (each.affixes[1] for each in spellings.literal_operators if each.affixes[1])
    first = beside[False] + (r"|\{" if spellings.braced_signs else "")
    last = beside[True] + "".join(f"|{re.escape(end)}" for end in ends_of_numbers)
    named = f"|[{re.escape(letters + letters.lower())}]" if letters else ""

    def formula(blank: str) -> str:
        minus = rf"(?:{MINUS_PATTERN}{blank}*+)?+"
        before = rf"(?:{minus}(?:[(\[]|{FRACTION_MARK}{blank}*+\{{{first}){blank}*+)*+{minus}"
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
