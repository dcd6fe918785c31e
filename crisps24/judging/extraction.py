r"""Find the answer in any text: by tags, boxes, fences, labels, or the form of a line.

`Let me see. \boxed{(4 + 4) \times 3 = 24}.` has the answer `(4 + 4) \times 3`, stated to be 24.

1. Only the last turn of the assistant counts, and only the text after its last thought.
2. While the text has marks for an answer (`marks`), continue inside the last one.
3. If the text is a formula or a *claim* (that the target cannot be made), without outer decoration
   such as `**` and `$`, it is the answer (`candidates`).
4. Otherwise the answer is the last such line; `readings` reads steps, and formulas among words.

The extraction knows only the text, not the hand or the target. The grammar can still refuse what it
finds. Each pattern takes time at most linear in the length of the text. Places are columns of the
whole text; to keep them, a part that is replaced gets spaces up to its old length.
"""

from collections.abc import Iterator, Sequence

from crisps24.judging import patterns as pat
from crisps24.judging.candidates import (
    MAX_ANSWER_LENGTH,
    Candidate,
    parse_candidate,
    strip_decoration,
)
from crisps24.judging.marks import MarkedPart, enter_marks
from crisps24.judging.patterns import Patterns, patterns_for
from crisps24.notation.parser import TextSpan
from crisps24.rules.characters import normalise
from crisps24.rules.operators import Operator

# Characters of a text, and lines at its end that are searched for an answer.
MAX_TEXT_LENGTH, _MAX_LINES = 1_000_000, 1_000


def extract(text: str, letters: str = "", extra_operators: Sequence[Operator] = ()) -> Candidate:
    """Return the part of a text that is its answer. Never raises.

    `letters` stand for numbers, such as `JQK`; `extra_operators` are those that not all games have.

    >>> extract("So 4 + 4 = 8. <answer>**(4 + 4) x 3 = 24**.</answer>").sides
    ('(4 + 4) x 3', '24')
    >>> extract("I would say 3 x 8.").code
    'no-answer'
    """
    if len(text) > MAX_TEXT_LENGTH:
        return Candidate(code="too-long")
    patterns = patterns_for(letters, tuple(extra_operators))
    start, end = _spoken_part(text)
    part = enter_marks(MarkedPart(text, start, end), patterns)
    candidate = _find_answer(part, patterns)
    if not candidate.text:
        return Candidate(code="no-answer")
    # Escapes in an answer from JSON were replaced: return the answer as the caller wrote it.
    return candidate._replace(text=text[candidate.start : candidate.end])


def answer_part(text: str, letters: str, extra_operators: Sequence[Operator]) -> MarkedPart:
    """Return what `readings` reads: the part in a mark, or else all that is spoken."""
    spoken = MarkedPart(text, *_spoken_part(text))
    marked = enter_marks(spoken, patterns_for(letters, tuple(extra_operators)))
    before, box, since = text[: marked.start].rpartition("\\boxed{")
    if box and not since and pat.BARE_NUMBER.fullmatch(text, marked.start, marked.end):
        # `3 x 8 = \boxed{24}` is a formula with its value.
        return spoken if before.rstrip(" $").endswith("=") else marked
    if marked.depth and not marked.is_closed:
        # A label has no end: what follows it is part of the answer.
        marked = marked._replace(end=spoken.end)
        if not pat.OPERATION.search(text, marked.start, marked.end):
            return spoken
    return marked if marked.depth else spoken


def _find_answer(part: MarkedPart, patterns: Patterns) -> Candidate:
    """Return the answer in a part: all of it, or the last line that is an answer."""
    text = part.text
    start, end = strip_decoration(text, part.start, part.end)
    whole = Candidate(text[start:end], start, end, "other")
    if part.is_two:
        return whole._replace(code="two-answers")
    if candidate := parse_candidate(text, start, end, patterns):
        return candidate
    if end - start > MAX_ANSWER_LENGTH:
        whole = whole._replace(code="too-long")
    elif pat.HEX_NUMBER.search(normalise(whole.text)):
        whole = whole._replace(code="number")
    # The writer marked all this text as the answer: do not choose a line.
    if part.depth:
        return whole
    lines = (parse_candidate(text, *line, patterns) for line in _last_lines(text, start, end))
    if last := next(filter(None, lines), None):
        return last
    # A text with digits and without words is meant as an answer, though it is not a formula.
    has_words = pat.WORD.search(pat.COMMAND.sub(" ", whole.text))
    is_intended = pat.DIGIT.search(whole.text) and not has_words
    is_one_line = not pat.LINE_END.search(whole.text)
    return whole if is_intended and is_one_line else Candidate(code="no-answer")


def _spoken_part(text: str) -> TextSpan:
    """Return start and end of the last turn of the assistant, after its thoughts."""
    lower, start, end = text.lower(), 0, len(text)
    # Most texts have no tokens; this test is faster than the patterns. The first hints have a <.
    hints = pat.TURN_HINTS if "<" in lower else pat.TURN_HINTS[-3:]
    if any(hint in lower for hint in hints):
        for turn in pat.TURN.finditer(text):
            start = turn.end()
        end_token = pat.TURN_END.search(text, start)
        if end_token and not pat.TURN_END.sub("", text[end_token.end() :]).strip():
            end = end_token.start()
    is_closed: str | None = "/"
    for tag in pat.THINK.finditer(text, start, end) if "think" in lower else ():
        is_closed, start = tag["closing"], tag.end()
    # Nothing is said if the last thought is not closed.
    return (start, end) if is_closed else (start, start)


def _last_lines(text: str, start: int, end: int) -> Iterator[TextSpan]:
    """Yield the last lines of a part upwards, without bullets and decoration."""
    for _ in range(_MAX_LINES):
        first = max(text.rfind("\n", start, end), text.rfind("\r", start, end)) + 1 or start
        bullet = pat.BULLET.match(text, first)
        yield strip_decoration(text, bullet.end() if bullet else first, end)
        if first == start:
            break
        end = first - 1
