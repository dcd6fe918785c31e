r"""Marks around an answer: tags, boxes, code fences, labels, fields of JSON.

`<answer>3 x 8</answer>`, `\boxed{3 x 8}`, `Answer: 3 x 8` and `{"answer": "3 x 8"}` mark `3 x 8`.
Only the last mark of a text counts; two tags or boxes with `or` between them are alternatives. The
`find_*` functions return the columns of the text inside the last mark, or None.
"""

import re

from crisps24.judging.candidates import (
    ANY_CASE,
    BARE_NUMBER,
    BULLET,
    EQUALS_SIGNS,
    MAX_ANSWER_LENGTH,
    OR_BETWEEN_MARKS,
    STOPS,
    Patterns,
    has_several_answers,
    is_answer,
)
from crisps24.judging.steps import end_of_steps
from crisps24.notation.grammar import TextSpan, normalise_formula

# Levels of marks: an answer in a box in a tag has two.
_MAX_MARK_DEPTH = 4
_TAG = re.compile(r"<(/?)answer>", ANY_CASE)
_BOX = re.compile(r"(\\boxed\s*+\{)|\\.|[{}]", re.DOTALL)
_FENCE = re.compile(r"^[^\S\n]*+```([^`\n]*)$", re.MULTILINE)
_ANSWER = r"(?:final[ \t]++)?+(?:answer|solution)"
# A label that is also used in prose: its answer has to be a formula, a working or a claim.
_WEAK_LABEL = r"final[ \t]++(?:expression|equation|formula)"
# Labels in other languages.
_FOREIGN_ANSWER = (
    "antwort|lösung|réponse|solution finale|respuesta|solución|antwoord|oplossing|risposta"
    "|soluzione|resposta|solução|ответ|решение|答案|解答|答え|答|정답|답"
)
_LABEL = re.compile(
    rf"^(?:{BULLET})?+[ \t]*+(\*\*|__|\*|_)?+"
    rf"(?:(?:(?:the[ \t]++)?+{_ANSWER}|(?u:{_FOREIGN_ANSWER})|(?-i:A)(?=[:：][ \t]))"
    r"(\*\*|__|\*|_)?+[ \t]?[:：]"
    rf"|the[ \t]++{_ANSWER}[ \t]++is\b[ \t]?[:：]?"
    rf"|((?:the[ \t]++)?+{_WEAK_LABEL}(?:[ \t]++is\b)?+"
    "|(?:最终|最終|最后|最後)答案(?=[:：])|(?:最终|最終|最后|最後)?+答案[是为為])"
    r"(\*\*|__|\*|_)?+[ \t]?[:：]?)([^\n]*)",
    ANY_CASE | re.MULTILINE,
)
_LABEL_HINT = re.compile(f"[:：]|{_ANSWER}|{_WEAK_LABEL}|答案", ANY_CASE)
# An object of JSON without inner objects, on lines of its own; its strings, a name together with
# the string after the colon; and escapes in strings, which are replaced in place.
_OBJECT = re.compile(
    r"^[^\S\n]*+(\{(?:[^{}\"]++|\"(?:[^\"\\\n]|\\.)*+\")*+\})[^\S\n]*+$", re.MULTILINE
)
_STRING_TEXT = r"\"((?:[^\"\\\n]|\\.)*+)\""
_STRING = re.compile(rf"{_STRING_TEXT}(?:\s*+:\s*+{_STRING_TEXT}(?!\s*+:))?")
ESCAPE = re.compile(r"\\(?:([\\\"/])|u([0-9A-Fa-f]{4})|n(?![a-z]))")
# The names of answers in JSON, the most specific first.
_ANSWER_NAMES = ("expression", "equation", "formula", "final_answer", "answer", "solution")
# A Python program that only prints: group 1 is the argument.
_PRINT = re.compile(
    r"(?:[^\S\n]*+(?:#[^\n]*+)?\n)*+[^\S\n]*+print\(([^#\n]*)\)[^\S\n]*+(?:#[^\n]*+)?\s*+"
)
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
    """Return the text in the last closed `<answer>` tag."""
    # The column after the last opening tag, or -1 if no tag is open.
    start = -1
    previous_span = last_span = None
    for tag in _TAG.finditer(text) if "</" in text else ():
        is_closing = tag[1] == "/"
        if not is_closing:
            start = tag.end()
        elif start >= 0:
            previous_span, last_span = last_span, (start, tag.start())
            start = -1
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
    for brace in _BOX.finditer(text, start) if start >= 0 else ():
        if brace[1] or brace[0] == "{":
            opened.append(brace.end() if brace[1] else -1)
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
    for fence in _FENCE.finditer(text) if "```" in text else ():
        # A line such as ```python opens a block; it never closes one.
        has_language = fence[1].strip() != ""
        if start < 0:
            start = fence.end()
        elif not has_language:
            last_span = start, fence.start()
            start = -1
    if last_span and (printed := _PRINT.fullmatch(text, *last_span)):
        return printed.span(1) if is_answer(text, *printed.span(1), patterns) else last_span
    return last_span


def _find_json_answer(text: str) -> TextSpan | None:
    """Return the answer in the last JSON object that has one."""
    if '"' not in text:
        return None
    last = None
    for match in _OBJECT.finditer(text):
        fields = _STRING.finditer(text, *match.span(1))
        spans_by_name = {field[1].casefold(): field.span(2) for field in fields if field[2]}
        # An object can have several such fields; the most specific name comes first.
        answers = (spans_by_name[name] for name in _ANSWER_NAMES if name in spans_by_name)
        last = next(answers, last)
    return last


def _unescape_in_place(escape: re.Match[str]) -> str:
    character = escape[1] or (chr(int(escape[2], 16)) if escape[2] else "\n")
    return character.rjust(len(escape[0]))


def _find_label(text: str, patterns: Patterns) -> TextSpan | None:
    """Return the text after the last label, and the steps below it.

    After a label that is also used in prose, such as `Final formula:`, it must be an answer.
    """
    last, is_complete_line = None, True
    # Most texts have no label; the search for a hint is faster.
    for label in _LABEL.finditer(text) if _LABEL_HINT.search(text) else ():
        # Signs such as ** before the label and at its end, and a label that is used in prose.
        sign, end_sign, prose_label, prose_end_sign, _ = label.groups()
        start, end = label.span(5)
        content = text[start:end].strip()
        if sign and sign not in (end_sign, prose_end_sign):
            # Decoration that opens before the label closes after it, or after the answer.
            if content.startswith(sign):
                start = text.index(sign, start) + len(sign)
            elif content.rstrip(STOPS).endswith(sign):
                end = text.rindex(sign, start, end)
        if text[start:end].strip() and (not prose_label or is_answer(text, start, end, patterns)):
            last = start, end
            is_complete_line = not text[end : label.end()].strip()
    # Decoration after the answer shows that it ends on its line.
    if last is None or not is_complete_line:
        return last
    start, end = last
    return start, end_of_steps(text, start, end, patterns)
