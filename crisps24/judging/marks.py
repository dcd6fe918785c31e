r"""Marks around an answer: tags, boxes, code fences, labels, fields of JSON.

`<answer>3 x 8</answer>`, `\boxed{3 x 8}`, `Answer: 3 x 8` and `{"answer": "3 x 8"}` mark `3 x 8`.
Only the last mark of a text counts; two tags or boxes with `or` between them are alternatives. The
`find_*` functions return the columns of the text inside the last mark, or None.
"""

import re

from crisps24.judging.candidates import MAX_ANSWER_LENGTH, has_several_answers, is_answer
from crisps24.judging.patterns import (
    BARE_NUMBER,
    BOX,
    EQUALS_SIGNS,
    ESCAPE,
    FENCE,
    LABEL,
    LABEL_HINT,
    OBJECT,
    OR_BETWEEN_MARKS,
    PRINT,
    SENTENCE,
    STOPS,
    STRING,
    TAG,
    Patterns,
)
from crisps24.judging.steps import end_of_steps
from crisps24.notation.grammar import TextSpan, normalise_formula

# Levels of marks: an answer in a box in a tag has two.
_MAX_MARK_DEPTH = 4
# The names of answers in JSON, the most specific first.
_ANSWER_NAMES = ("expression", "equation", "formula", "final_answer", "answer", "solution")
# Characters of the text between two alternatives.
_MAX_OR_LENGTH = 100
# The signs of alternatives, which can be the same formula.
_SAME_SIGNS = str.maketrans("*×·⋅:÷−", "xxxx//-")


def enter_marks(
    text: str, start: int, end: int, patterns: Patterns, depth: int, max_length: int = 0
) -> tuple[str, int, int, int]:
    """Return the part inside the last marks of `text[start:end]`: (text, start, end, depth).

    The search ends at a part of at most `max_length` characters. In the returned text, escapes
    inside a field of JSON are replaced.
    """
    while end - start > max_length and depth < _MAX_MARK_DEPTH:
        part = text[start:end]
        span, json_span = _find_tag(part, patterns) or _find_box(part, patterns), None
        if not span:
            json_span = _find_json_answer(part)
            spans = (_find_fence(part, patterns), _find_label(part, patterns), json_span)
            span = max(filter(None, spans), default=None)
        if not span:
            break
        start, end = start + span[0], start + span[1]
        if span == json_span:
            unescaped = ESCAPE.sub(_unescape_in_place, text[start:end])
            text = text[:start] + unescaped + text[end:]
        depth += 1
    return text, start, end, depth


def _find_tag(text: str, patterns: Patterns) -> TextSpan | None:
    """Return the text in the last closed `<answer>` tag, or an answer in one without its end."""
    # The column after the last opening tag, or -1 if no tag is open.
    start = -1
    previous_span = last_span = None
    for tag in TAG.finditer(text) if "<" in text else ():
        is_closing = tag["closing"] == "/"
        if not is_closing:
            start = tag.end()
        elif start >= 0:
            previous_span, last_span = last_span, (start, tag.start())
            start = -1
    if start >= 0 and "</" not in text and is_answer(text, start, len(text), patterns):
        return start, len(text)
    return _with_alternative(text, previous_span, last_span, patterns)


def _with_alternative(
    text: str, previous: TextSpan | None, last: TextSpan | None, patterns: Patterns
) -> TextSpan | None:
    """Return the last answer, with the previous one if `or` is between different formulas."""
    if previous is None or last is None or last[0] - previous[1] > _MAX_OR_LENGTH:
        return last
    if not OR_BETWEEN_MARKS.fullmatch(text, previous[1], last[0]):
        return last
    first_text, last_text = text[slice(*previous)], text[slice(*last)]
    if any(map(BARE_NUMBER.fullmatch, (first_text, last_text))):
        return last
    if _plain_formula(first_text) == _plain_formula(last_text):
        return last
    both = previous[0], last[1]
    if both[1] - both[0] > MAX_ANSWER_LENGTH:
        return last
    return both if has_several_answers(text[slice(*both)], patterns) else last


def _plain_formula(answer: str) -> str:
    """Return an answer without its value, spaces and outer brackets, with the same signs."""
    formula = EQUALS_SIGNS.split(normalise_formula(answer))[0]
    plain = "".join(formula.split()).translate(_SAME_SIGNS)
    is_in_brackets = plain.startswith("(") and plain.find(")") == len(plain) - 1
    return plain[1:-1] if is_in_brackets else plain


def _find_box(text: str, patterns: Patterns) -> TextSpan | None:
    r"""Return the text in the closed `\boxed{}` that starts last."""
    spans: list[TextSpan] = []
    # For each open brace, the start of the content of its box, or -1 if it is not a box.
    opened: list[int] = []
    # Braces before the first box are skipped. In \\boxed, the first \ escapes the second.
    start = text.find("\\boxed")
    while start > 0 and text[start - 1] == "\\":
        start -= 1
    for brace in BOX.finditer(text, start) if start >= 0 else ():
        if brace["box"] or brace[0] == "{":
            opened.append(brace.end() if brace["box"] else -1)
        elif brace[0] == "}" and opened and (content_start := opened.pop()) >= 0:
            spans.append((content_start, brace.start()))
    if not spans:
        return None
    last = max(spans)
    # Boxes around the last one end after it.
    previous = max((span for span in spans if span[1] < last[0]), default=None)
    return _with_alternative(text, previous, last, patterns)


def _find_fence(text: str, patterns: Patterns) -> TextSpan | None:
    """Return the last code block, or what it prints if it is `print(3 * 8)`."""
    # The column after the line of ``` that opens a block, or -1 if no block is open.
    start = -1
    last_span = None
    for fence in FENCE.finditer(text) if "```" in text else ():
        # A line such as ```python opens a block; it never closes one.
        has_language = fence["language"].strip() != ""
        if start < 0:
            start = fence.end()
        elif not has_language:
            last_span = start, fence.start()
            start = -1
    if last_span and (printed := PRINT.fullmatch(text, *last_span)):
        argument = printed.span("argument")
        return argument if is_answer(text, *argument, patterns) else last_span
    return last_span


def _find_json_answer(text: str) -> TextSpan | None:
    """Return the answer in the last JSON object that has one."""
    if '"' not in text:
        return None
    last = None
    for match in OBJECT.finditer(text):
        fields = STRING.finditer(text, *match.span("object"))
        spans_by_name = {
            field["name"].casefold(): field.span("value") for field in fields if field["value"]
        }
        # An object can have several such fields; the most specific name comes first.
        answers = (spans_by_name[name] for name in _ANSWER_NAMES if name in spans_by_name)
        last = next(answers, last)
    return last


def _unescape_in_place(escape: re.Match[str]) -> str:
    character = escape["character"] or (chr(int(escape["code"], 16)) if escape["code"] else "\n")
    return character.rjust(len(escape[0]))


def _find_label(text: str, patterns: Patterns) -> TextSpan | None:
    """Return the text after the last label, and the steps below it.

    After a label that is also used in prose, such as `Final formula:`, it must be an answer.
    """
    last, is_complete_line = None, True
    # Most texts have no label; the search for a hint is faster.
    for label in LABEL.finditer(text) if LABEL_HINT.search(text) else ():
        start, end = label.span("content")
        sign = label["sign"]
        content = text[start:end].strip()
        if sign and sign not in (label["end_sign"], label["prose_end_sign"]):
            # Decoration that opens before the label closes after it, or after the answer.
            if content.startswith(sign):
                start = text.index(sign, start) + len(sign)
            elif content.rstrip(STOPS).endswith(sign):
                end = text.rindex(sign, start, end)
        # In `3 x 8 = 24. I used both.`, the answer is the only sentence with a formula.
        stop = SENTENCE.match(text, start, end)
        if stop and is_answer(text, start, stop.end("answer"), patterns):
            end = stop.end("answer")
        is_enough = not label["prose_label"] or is_answer(text, start, end, patterns)
        if is_enough and text[start:end].strip():
            last = start, end
            is_complete_line = not text[end : label.end()].strip()
    # Decoration after the answer shows that it ends on its line.
    if last is None or not is_complete_line:
        return last
    start, end = last
    return start, end_of_steps(text, start, end, patterns)
