r"""Marks around an answer: tags, boxes, code fences, labels, fields of JSON, lines in bold.

`<answer>3 x 8</answer>`, `\boxed{3 x 8}`, `Answer: 3 x 8`, `So the answer is 3 x 8.` and
`{"answer": "3 x 8"}` mark `3 x 8`. A label can also stand above the answer, as a heading does.

The last mark that states an answer counts, of whatever kind: beside another kind, `\boxed{24}`
states none. Two marks are alternatives if `or` is between them; and two kinds of marks if they are
in one line without a word between them, or one in the other. Alternatives that differ are two
answers.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from crisps24.judging import patterns as pat
from crisps24.judging.candidates import is_answer
from crisps24.judging.patterns import Patterns
from crisps24.notation.parser import TextSpan, normalise_formula

# Levels of marks: an answer in a box in a tag has two.
_MAX_MARK_DEPTH = 4
# The names of answers in JSON, the most specific first.
_ANSWER_NAMES = ("expression", "equation", "formula", "final_answer", "answer", "solution")
# Characters of a clause before its label, and signs in and behind a mark around a bare number.
_MAX_CLAUSE_LENGTH, _MARK_ENDS = 100, " .=$*`\n\r"
# The kinds of marks without an end.
_OPEN_KINDS = ("label", "sentence", "below")
# The signs of alternatives, which can be the same formula.
_SAME_SIGNS = str.maketrans("*×·⋅:÷−", "xxxx//-")


class MarkedPart(NamedTuple):
    """The part of a text where the answer is, without escapes of JSON, inside `depth` marks."""

    text: str
    start: int
    end: int
    depth: int = 0
    is_two: bool = False
    """Whether it is two alternatives that differ."""
    is_closed: bool = False
    """Whether a mark with an end is around it, such as a tag."""


class _Mark(NamedTuple):
    """The columns of an answer, and those of its mark, which can start before it."""

    start: int
    end: int
    first: int
    last: int
    kind: str


def enter_marks(part: MarkedPart, patterns: Patterns) -> MarkedPart:
    """Return the part inside the last marks."""
    text, start, end, depth, is_two, is_closed = part
    while start < end and depth < _MAX_MARK_DEPTH and not is_two:
        inner = text[start:end]
        marks = _find_marks(inner, patterns)
        if not marks or (mark := _last_mark(inner, marks, patterns)) is None:
            break
        first, last = mark.start, mark.end
        if beside := _find_beside(inner, mark, marks, patterns, is_marked=depth > 0):
            is_two = _plain_formula(inner[slice(*beside)]) != _plain_formula(inner[first:last])
            if is_two:
                first, last = min(first, beside[0]), max(last, beside[1])
        elif mark.kind == "json":
            unescaped = pat.ESCAPE.sub(_unescape_in_place, inner[first:last])
            text = text[: start + first] + unescaped + text[start + last :]
        start, end = start + first, start + last
        depth += mark.kind != "below"
        is_closed = is_closed or mark.kind not in _OPEN_KINDS
    return MarkedPart(text, start, end, depth, is_two, is_closed)


def _find_marks(text: str, patterns: Patterns) -> list[_Mark]:
    """Return the marks of each kind in their order, without labels before the last tag or box."""
    tags = _find_tags(text, patterns) if "<" in text else []
    since, boxes = 0, _find_boxes(text)
    for mark in (*tags[-1:], *boxes[-1:]):
        if mark.last > since and _states_answer(text, mark, patterns):
            # A label in the line of the mark can have another answer before it.
            line = text.rfind("\n", 0, mark.first) + 1
            since = line if pat.DIGIT.search(text, line, mark.first) else mark.last
    marks = [*tags, *boxes]
    if "```" in text:
        marks += _find_fence(text, patterns)
    if '"' in text:
        marks += _find_json_answer(text, since)
    lower = text[since:].lower()
    if pat.LABEL_HINT.search(lower):
        labels = list(_find_labels(text, since, patterns))
        marks += [*labels, *_find_sentences(text, lower, since, labels, patterns)]
    return marks


def _last_mark(text: str, marks: Sequence[_Mark], patterns: Patterns) -> _Mark | None:
    """Return the last mark that states an answer, or the mark around it."""
    mark, lasts = marks[-1], {each.kind: each for each in marks}
    if len(lasts) > 1:
        stated = [each for each in lasts.values() if _states_answer(text, each, patterns)]
        mark = last = max(stated or lasts.values())
        for other in lasts.values():
            if other.kind not in _OPEN_KINDS and other.start <= last.first < other.end:
                mark = min(mark, other)
    elif mark.kind == "below":
        # The text below a label alone is searched as any text is.
        return None
    # Decoration after the answer shows that it ends on its line.
    rest = text[mark.end :]
    for bold in pat.BOLD_LINE.finditer(text, mark.end) if "**" in rest or "__" in rest else ():
        if is_answer(text, *bold.span("content"), patterns):
            return _Mark(bold.start(), len(text), *bold.span(), "below")
    if mark.kind == "below":
        # The marks below a label that are left state no answer.
        others = (each.first for each in marks if each.kind != "below" and each.first > mark.start)
        return mark._replace(end=min(others, default=mark.end))
    return mark


def _states_answer(text: str, mark: _Mark, patterns: Patterns) -> bool:
    """Return whether a mark counts where there is another kind of mark."""
    content = text[mark.start : mark.end].strip(_MARK_ENDS)
    if mark.kind in ("tag", "box"):
        return content != "" and not pat.BARE_NUMBER.fullmatch(content)
    if mark.kind == "below" or is_answer(text, mark.start, mark.end, patterns):
        return True
    # Not a formula, but meant as one.
    is_meant = pat.OPERATION.search(content) and not pat.PROSE.search(content)
    return mark.kind != "fence" and bool(is_meant)


def _find_beside(
    text: str, mark: _Mark, marks: Sequence[_Mark], patterns: Patterns, *, is_marked: bool
) -> TextSpan | None:
    """Return an answer that is the alternative of a mark, or None."""
    spans: list[TextSpan] = []
    previous = max((each for each in marks if each.last <= mark.first), default=mark)
    between = pat.BETWEEN_MARKS.fullmatch(text, previous.last, mark.first)
    is_one_line = previous.kind != mark.kind and "\n" not in text[previous.last : mark.first]
    if between and (between["or"] or is_one_line):
        spans.append(previous[:2])
    # The rest of a line that another mark is around.
    around = [each for each in marks if each.start < mark.first and mark.last <= each.end]
    if is_marked or {each.kind for each in around} - {mark.kind}:
        start = max([text.rfind("\n", 0, mark.first) + 1, *(each.start for each in around)])
        or_before = pat.OR_AT_END.search(text, start, mark.first)
        spans.append((start, or_before.start() if or_before else mark.first))
        spans.append((mark.last, (text + "\n").index("\n", mark.last)))
    spans = [span for span in spans if pat.DIGIT.search(text, *span)]
    if not spans or not is_answer(text, mark.start, mark.end, patterns):
        return None
    return next((span for span in spans if is_answer(text, *span, patterns)), None)


def _plain_formula(answer: str) -> str:
    """Return an answer without its value, spaces and outer brackets, with the same signs."""
    formula = pat.EQUALS_SIGNS.split(normalise_formula(answer))[0]
    plain = "".join(formula.split()).translate(_SAME_SIGNS)
    is_in_brackets = plain.startswith("(") and plain.find(")") == len(plain) - 1
    return plain[1:-1] if is_in_brackets else plain


def _find_tags(text: str, patterns: Patterns) -> list[_Mark]:
    """Return the closed `<answer>` tags, or the last one without its end if it has an answer."""
    marks, opened = [], None
    for tag in pat.TAG.finditer(text):
        if tag["closing"] != "/":
            opened = tag
        elif opened:
            marks.append(_Mark(opened.end(), tag.start(), opened.start(), tag.end(), "tag"))
            opened = None
    if opened and "</" not in text and is_answer(text, opened.end(), len(text), patterns):
        marks.append(_Mark(opened.end(), len(text), opened.start(), len(text), "tag"))
    return marks


def _find_boxes(text: str) -> list[_Mark]:
    r"""Return the closed `\boxed{}` of a text."""
    marks: list[_Mark] = []
    # Braces before the first box are skipped. In \\boxed, the first \ escapes the second.
    before, box, _ = text.partition("\\boxed")
    start = len(before.rstrip("\\"))
    # For each open brace, the start of the content of its box, or -1 if it is not a box.
    opened: list[int] = []
    for brace in pat.BOX.finditer(text, start) if box else ():
        if brace["box"] or brace[0] == "{":
            opened.append(brace.end() if brace["box"] else -1)
        elif brace[0] == "}" and opened and (content := opened.pop()) >= 0:
            first = text.rfind("\\", 0, content)
            marks.append(_Mark(content, brace.start(), first, brace.end(), "box"))
    return sorted(marks)


def _find_fence(text: str, patterns: Patterns) -> Iterator[_Mark]:
    """Yield the last code block, or what it prints if it is `print(3 * 8)`."""
    opened = last = None
    for fence in pat.FENCE.finditer(text):
        # A line such as ```python opens a block; it never closes one.
        if opened is None:
            opened = fence
        elif not fence["language"].strip():
            last = _Mark(opened.end(), fence.start(), opened.start(), fence.end(), "fence")
            opened = None
    if last is None:
        return
    printed = pat.PRINT.fullmatch(text, last.start, last.end)
    if printed and is_answer(text, *printed.span("argument"), patterns):
        last = last._replace(start=printed.start("argument"), end=printed.end("argument"))
    yield last


def _find_json_answer(text: str, since: int) -> Iterator[_Mark]:
    for match in pat.OBJECT.finditer(text, since):
        fields = pat.STRING.finditer(text, *match.span("object"))
        spans_by_name = {
            field["name"].casefold(): field.span("value") for field in fields if field["value"]
        }
        # An object can have several such fields; the most specific name comes first.
        answers = (spans_by_name[name] for name in _ANSWER_NAMES if name in spans_by_name)
        if span := next(answers, None):
            yield _Mark(*span, *match.span(), "json")


def _unescape_in_place(escape: re.Match[str]) -> str:
    character = escape["character"] or (chr(int(escape["code"], 16)) if escape["code"] else "\n")
    return character.rjust(len(escape[0]))


def _find_labels(text: str, since: int, patterns: Patterns) -> Iterator[_Mark]:
    """Yield the labels with an answer behind or below them."""
    for label in pat.LABEL.finditer(text, since):
        start, end = label.span("content")
        sign = label["sign"]
        content = text[start:end].strip()
        if sign and sign not in (label["end_sign"], label["prose_end_sign"]):
            # Decoration that opens before the label closes after it, or after the answer.
            if content.startswith(sign):
                start = text.index(sign, start) + len(sign)
            elif content.rstrip(pat.STOPS).endswith(sign):
                end = text.rindex(sign, start, end)
        # After a label that is also used in prose, such as `Final formula:`, it must be an answer.
        is_enough = not label["prose_label"] or is_answer(text, start, end, patterns)
        if is_enough and text[start:end].strip():
            yield _Mark(start, end, *label.span(), "label")
        yield from _find_below(text, label, patterns)


def _find_below(text: str, label: re.Match[str], patterns: Patterns) -> Iterator[_Mark]:
    """Yield the text from the answer on below a label."""
    below = pat.LINE_BELOW.match(text, label.start("content"))
    if below and is_answer(text, *below.span("line"), patterns):
        yield _Mark(below.start("line"), len(text), label.start(), below.end(), "below")


def _find_sentences(
    text: str, lower: str, since: int, labels: Sequence[_Mark], patterns: Patterns
) -> Iterator[_Mark]:
    """Yield the labels in sentences that an answer follows, also on the lines below."""
    known, last = {label.start: label.end for label in labels}, since
    for hint in pat.LABEL_HINT.finditer(lower):
        first = since + hint.start()
        label = pat.SENTENCE_LABEL.match(text, first) if first >= last else None
        if label is None:
            continue
        last, (start, end) = label.end(), label.span("content")
        # A label that is known can have an answer before sentences without a formula.
        known_end = known.get(start)
        if known_end and (known_end <= end or pat.OPERATION.search(text, end, known_end)):
            continue
        before = pat.CLAUSE_END.split(text[max(0, first - _MAX_CLAUSE_LENGTH) : first])[-1]
        if pat.DOUBT.search(before):
            continue
        yield from _find_below(text, label, patterns)
        tail = pat.TAIL.search(text, start, end)
        if tail and not pat.OPERATION.search(tail[0]):
            end = tail.start()
        if is_answer(text, start, end, patterns):
            yield _Mark(start, end, first, last, "sentence")
