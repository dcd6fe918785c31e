r"""Find the answer in any text: by tags, boxes, fences, labels, or the form of a line.

`Let me see. \boxed{(4 + 4) \times 3 = 24}.` has the answer `(4 + 4) \times 3`, stated to be 24.

1. Only the last turn of the assistant counts, and only the text after its last thought.
2. While the text has marks for an answer (`marks`), continue inside the last one, at most
   `_MAX_MARK_DEPTH` times.
3. If the text is a formula, a *working* (several *steps*, such as `4 + 4 = 8, 8 x 3 = 24`) or a
   *claim* (that the target cannot be made), without outer decoration such as `**` and `$`, it is
   the answer (`answers`).
4. Otherwise the answer is the last such line, with the steps of a working above it.

The extraction knows only the text, not the hand or the target, so it cannot pick the right one of
several answers. A text that looks like a formula here can still be refused by the grammar. Each
pattern takes time at most linear in the length of the text. The result for a short text is cached
for all texts that differ only in their digits. Places of parts are columns of the whole text; to
keep them, a part that is replaced gets spaces up to its old length.
"""

from collections.abc import Sequence
from functools import lru_cache

from crisps24.judging.candidates import (
    MAX_ANSWER_LENGTH,
    MAX_LINES,
    MAX_LINES_LENGTH,
    Candidate,
    has_several_answers,
    parse_candidate,
    strip_decoration,
)
from crisps24.judging.marks import MarkedPart, enter_marks
from crisps24.judging.patterns import (
    COMMAND,
    DIGIT,
    ESCAPE,
    HEX_NUMBER,
    LATEX_SPACE,
    LINE_END,
    SEPARATOR,
    THINK,
    TURN,
    TURN_END,
    TURN_HINTS,
    WORD,
    Patterns,
    patterns_for,
)
from crisps24.judging.steps import answer_lines, last_working
from crisps24.notation.grammar import MAX_CACHED_LENGTH, TextSpan
from crisps24.notation.statements import MAX_CACHED_SHAPES
from crisps24.rules.characters import mask_digits, normalise
from crisps24.rules.operators import OPERATORS, Operator

# Characters of a text and of an answer.
MAX_TEXT_LENGTH = 1_000_000


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
    operators = (*OPERATORS.values(), *extra_operators)
    patterns = patterns_for(operators, letters, tuple(extra_operators))
    lower = text.lower()
    start, end = _after_thoughts(text, lower, *_last_turn(text, lower))
    marked = enter_marks(MarkedPart(text, start, end), patterns, MAX_CACHED_LENGTH)
    unescaped, start, end, depth, code = marked
    candidate = None
    # A short part is searched only once for all parts that differ only in their digits.
    if end - start <= MAX_CACHED_LENGTH and not code:
        part = unescaped[start:end]
        if shape := _find_answer_cached(mask_digits(part), patterns, depth):
            found, side_spans = shape
            candidate = Candidate(
                part[found.start : found.end],
                *(start + found.start, start + found.end, found.kind),
                tuple([part[first:last] for first, last in side_spans]),
                found.formula_index,
                code=found.code,
            )
    if candidate is None:
        is_short = end - start <= MAX_CACHED_LENGTH
        candidate = _find_answer(enter_marks(marked, patterns) if is_short else marked, patterns)
    if not candidate.text:
        return Candidate(code="no-answer")
    # Escapes in an answer from JSON were replaced: return the answer as the caller wrote it.
    original = text[candidate.start : candidate.end]
    if original == candidate.text:
        return candidate
    return candidate._replace(text=original, working="" if candidate.sides else candidate.formula)


def _find_answer(part: MarkedPart, patterns: Patterns) -> Candidate:
    """Return the answer in a part without marks inside it, or `no-answer`."""
    text, depth = part.text, part.depth
    start, end = strip_decoration(text, part.start, part.end)
    if part.code == "two-answers":
        return Candidate(text[start:end], start, end, "other", code=part.code)
    candidate = parse_candidate(text, start, end, patterns, is_marked=depth > 0)
    if candidate and candidate.working and not depth:
        # The first lines can be earlier attempts: the answer is then only the last steps.
        lines = answer_lines(text, start, end, patterns)
        last = last_working(text, lines, patterns, is_marked=False)
        if last and last.working and last.end == candidate.end:
            candidate = last
    return candidate or _last_line_answer(text, start, end, patterns, is_marked=depth > 0)


@lru_cache(maxsize=MAX_CACHED_SHAPES)
def _find_answer_cached(
    part: str, patterns: Patterns, depth: int
) -> tuple[Candidate, list[TextSpan]] | None:
    """Return the answer and its sides in all texts that have other digits in place of each 1.

    The result is None if the place can depend on the digits: for several steps, several answers,
    claims and JSON escapes.
    """
    # The patterns do not distinguish digits, except 0 (in 0x), so the answer is in the same place.
    has_escapes = '"' in part and ESCAPE.search(part)
    if SEPARATOR.search(normalise(part)) or LATEX_SPACE.search(part) or has_escapes:
        return None
    marked = enter_marks(MarkedPart(part, 0, len(part), depth), patterns)
    answer = _find_answer(marked, patterns)
    if answer.kind == "claim" or marked.code:
        return None
    side_spans, column = [], answer.start
    # An answer does not store the columns of its sides: search each side after the previous one.
    for side in answer.sides:
        column = part.index(side, column)
        side_spans.append((column, column + len(side)))
        column += len(side)
    return answer, side_spans


def _last_turn(text: str, lower: str) -> TextSpan:
    """Return start and end of the last turn of the assistant; `lower` is the text in lower case."""
    start, end = 0, len(text)
    # Most texts have no tokens; this test is faster than the patterns. The first hints have a <.
    hints = TURN_HINTS if "<" in lower else TURN_HINTS[-3:]
    if not any(hint in lower for hint in hints):
        return start, end
    for turn in TURN.finditer(text):
        start = turn.end()
    end_token = TURN_END.search(text, start)
    if end_token and not TURN_END.sub("", text[end_token.end() :]).strip():
        end = end_token.start()
    return start, end


def _after_thoughts(text: str, lower: str, start: int, end: int) -> TextSpan:
    """Return the part after the last `</think>`; it is empty if the last thought is not closed."""
    last_tag = None
    for tag in THINK.finditer(text, start, end) if "think" in lower else ():
        last_tag, start = tag, tag.end()
    is_closed = last_tag is None or last_tag["closing"]
    return (start, end) if is_closed else (start, start)


def _last_line_answer(
    text: str, start: int, end: int, patterns: Patterns, *, is_marked: bool
) -> Candidate:
    """Return the last line of a part that is an answer; without one, maybe the whole part.

    That is for one line of digits and signs, and for a marked part.
    """
    # The whole part as an answer, with the reason that it cannot be judged.
    answer = Candidate(text[start:end], start, end, "other")
    if end - start > MAX_ANSWER_LENGTH:
        answer = answer._replace(code="too-long")
    elif HEX_NUMBER.search(normalise(answer.text)):
        answer = answer._replace(code="number")
    elif has_several_answers(answer.text, patterns):
        answer = answer._replace(code="two-answers")
    # The writer marked all this text as the answer: do not choose a line.
    if is_marked and (answer.code == "two-answers" or "\n" not in answer.text):
        return answer
    lines = answer_lines(text, start, end, patterns)
    last = last_working(text, lines, patterns, is_marked=is_marked)
    if last and last.working:
        return last
    # Different answers on the lines of one mark are no answer: the writer has not chosen.
    if last and not (is_marked and _lines_disagree(answer.text, lines, text, patterns)):
        return last
    # A text with digits and without words is meant as an answer, though it is not a formula. Two
    # answers can have a word such as `or`.
    has_words = WORD.search(COMMAND.sub(" ", answer.text))
    is_intended = (DIGIT.search(answer.text) and not has_words) or answer.code == "two-answers"
    is_one_line = not LINE_END.search(answer.text)
    if is_marked or (is_intended and is_one_line):
        return answer
    return Candidate(code="no-answer")


def _lines_disagree(answer: str, lines: Sequence[TextSpan], text: str, patterns: Patterns) -> bool:
    """Return whether each line of an answer is an answer by itself, and the lines differ."""
    last_lines = answer[-MAX_LINES_LENGTH:].splitlines()
    line_count = sum(1 for line in last_lines if line.strip(" \t`$"))
    candidates = [parse_candidate(text, *span, patterns) for span in lines]
    distinct_texts = {"".join(candidate.text.split()) for candidate in candidates if candidate}
    is_every_line = min(line_count, MAX_LINES) == len(lines) and all(candidates)
    return is_every_line and len(distinct_texts) != 1
