r"""Find the answer in any text: by tags, boxes, fences, labels, or the form of a line.

`Let me see. \boxed{(4 + 4) \times 3 = 24}.` has the answer `(4 + 4) \times 3`, stated to be 24.

1. Only the last turn of the assistant counts, and only the text after its last thought.
2. While the text has marks for an answer (`<answer>`, `\boxed{}`, a fence, a label, a field of
   JSON), continue inside the last one, at most `_MAX_MARK_DEPTH` times.
3. If the text is a formula, a working or a claim, without outer decoration such as `**` and `$`,
   it is the answer.
4. Otherwise the answer is the last such line, with the steps of a working above it.

The extraction knows only the text, not the hand or the target, so it cannot pick the right one of
several answers. A text that looks like a formula here can still be refused by the grammar. Each
pattern takes time at most linear in the length of the text. The result for a short text is cached
for all texts that differ only in their digits.
"""

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import NamedTuple

from crisps24.judging.claims import CLAIM_PATTERN, parse_claim
from crisps24.notation.grammar import (
    FRACTION_MARK,
    LATEX_FRACTION,
    MAX_CACHED_LENGTH,
    MAX_NESTING,
    TextSpan,
    normalise_formula,
)
from crisps24.notation.spellings import syntax_for
from crisps24.notation.statements import MAX_CACHED_SHAPES
from crisps24.rules.characters import mask_digits, normalise
from crisps24.rules.exact import Exact
from crisps24.rules.operators import MINUS_PATTERN, OPERATORS, Operator
from crisps24.rules.words import VULGAR_FRACTIONS

# Characters of a text and of an answer.
MAX_TEXT_LENGTH = 1_000_000
MAX_ANSWER_LENGTH = 10_000
# A backslash and a space: a space of LaTeX, which must not be split at the space.
_LATEX_SPACE = re.compile(r"(?<!\\)\\ ")
_LATEX_SPACES = re.compile(r"(?<!\\)\\[,;:! ]")
# Levels of marks: an answer in a box in a tag has two.
_MAX_MARK_DEPTH = 4
# Pairs of decoration that are removed around an answer.
_MAX_DECORATIONS = 100
# Characters and lines at the end of a text that are searched for lines with an answer.
_MAX_LINES_LENGTH = 100_000
_MAX_LINES = 1_000

_ANY_CASE = re.ASCII | re.IGNORECASE
# The start of a turn of the assistant, and its end, in the tokens of chat formats.
_TURN = re.compile(
    r"<\|im_start\|>assistant\b|<start_of_turn>model\b|<\|channel\|>final<\|message\|>"
    r"|<\|start_header_id\|>assistant<\|end_header_id\|>|<\|assistant\|>|\[/INST\]"
    r"|^(?:assistant|model):(?=\s)",
    _ANY_CASE | re.MULTILINE,
)
_ENDED = re.compile(r"<\|[a-z_]{1,40}\|>|</s>|<end_of_turn>|<eos>", _ANY_CASE)
# Every such token contains a hint in lower case; most answers contain none.
_TURN_HINTS = ("<|", "of_turn>", "</s>", "<eos>", "[/inst]", "assistant:", "model:")
_THINK = re.compile(r"[<\[◁](/?)think(?:ing)?[>\]▷]", _ANY_CASE)
_TAG = re.compile(r"<(/?)answer>", _ANY_CASE)
_BOX = re.compile(r"(\\boxed\s*+\{)|\\.|[{}]", re.DOTALL)
_FENCE = re.compile(r"^[^\S\n]*+```([^`\n]*)$", re.MULTILINE)
# The start of a line of a list, a quotation, a heading or a numbered step.
_BULLET = (
    r"[ \t]*+(?:#{1,6}|[-−–*•>]|[0-9]{1,2}[.)]|step[ \t]*+[0-9]{1,2}[ \t]*+[:.)])[ \t]++(?=\S)"
)
_BULLET_PATTERN = re.compile(_BULLET, _ANY_CASE)
_BULLET_LINES = re.compile(rf"^{_BULLET}", _ANY_CASE | re.MULTILINE)
_NOT_LINE_END = re.compile(r"[^\n\r]")
# Text between two lines that belong together: decoration and white space only.
_DECORATION = re.compile(r"(?:\\[()\[\]]|[\s*_`$✓✔✅☑\ufe0f.。．])*+")
_ANSWER = r"(?:final[ \t]++)?+(?:answer|solution)"
# A label that is also used in prose: its answer has to be a formula, a working or a claim.
_WEAK_LABEL = r"final[ \t]++(?:expression|equation|formula)"
# Labels in other languages.
_FOREIGN_ANSWER = (
    "antwort|lösung|réponse|solution finale|respuesta|solución|antwoord|oplossing|risposta"
    "|soluzione|resposta|solução|ответ|решение|答案|解答|答え|答|정답|답"
)
_LABEL = re.compile(
    rf"^(?:{_BULLET})?+[ \t]*+(\*\*|__|\*|_)?+"
    rf"(?:(?:(?:the[ \t]++)?+{_ANSWER}|(?u:{_FOREIGN_ANSWER})|(?-i:A)(?=[:：][ \t]))"
    r"(\*\*|__|\*|_)?+[ \t]?[:：]"
    rf"|the[ \t]++{_ANSWER}[ \t]++is\b[ \t]?[:：]?"
    rf"|((?:the[ \t]++)?+{_WEAK_LABEL}(?:[ \t]++is\b)?+"
    "|(?:最终|最終|最后|最後)答案(?=[:：])|(?:最终|最終|最后|最後)?+答案[是为為])"
    r"(\*\*|__|\*|_)?+[ \t]?[:：]?)([^\n]*)",
    _ANY_CASE | re.MULTILINE,
)
_LABEL_HINT = re.compile(f"[:：]|{_ANSWER}|{_WEAK_LABEL}|答案", _ANY_CASE)
# An object of JSON without inner objects, on lines of its own; its strings, each with the colon
# after a name; and escapes in strings, which are replaced in place.
_OBJECT = re.compile(
    r"^[^\S\n]*+(\{(?:[^{}\"]++|\"(?:[^\"\\\n]|\\.)*+\")*+\})[^\S\n]*+$", re.MULTILINE
)
_STRING = re.compile(r"\"((?:[^\"\\\n]|\\.)*+)\"(\s*+:)?+")
_ESCAPE = re.compile(r"\\(?:([\\\"/])|u([0-9A-Fa-f]{4})|n(?![a-z]))")
# The names of answers in JSON, the most specific first.
_ANSWER_NAMES = ("expression", "equation", "formula", "final_answer", "answer", "solution")
# A Python program that only prints: group 1 is the argument.
_PRINT = re.compile(
    r"(?:[^\S\n]*+(?:#[^\n]*+)?\n)*+[^\S\n]*+print\(([^#\n]*)\)[^\S\n]*+(?:#[^\n]*+)?\s*+"
)
# Decoration around an answer; longer signs before shorter ones.
_PAIRS = (
    *(("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("`", "`")),
    *(("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]")),
)
_STOPS = ".。．"
_TICKS = ("✓", "✔\ufe0f", "☑\ufe0f", "✔", "✅", "☑", r"\checkmark")
# Words between two alternatives, words that can follow these, and words before the first one.
_OR_WORDS = "or|and|oder|und|ou|et|o|y|of|en|ofwel"
_OR_ADVERBS = "else|maybe|perhaps|alternatively|auch|bien"
_EITHER_WORDS = "either|entweder|soit"
_OR = rf"(?:\b(?:{_OR_WORDS})\b(?:\s++(?:{_OR_ADVERBS})\b)?+|或者?+|和|[还還]是)"
# White space and signs around such words.
_OR_SPACE = r"(?:[\s.,;:，*_$]|\\[()\[\]])*+"
_OR_BETWEEN_MARKS = re.compile(
    rf"(?:</answer>{_OR_SPACE}{_OR}{_OR_SPACE}<answer>"
    rf"|\}}{_OR_SPACE}{_OR}{_OR_SPACE}\\boxed\s*+\{{)",
    re.IGNORECASE,
)
_OR_BETWEEN = re.compile(
    rf"{_OR_BETWEEN_MARKS.pattern}|(?:[,，]\s*+)?{_OR}|\b(?:{_EITHER_WORDS})\b",
    re.IGNORECASE,
)
# Characters of the text between two alternatives.
_MAX_OR_LENGTH = 100
# A word that is not one of these, a command of LaTeX or the name of a tag.
_OTHER_WORD = re.compile(
    rf"(?<![\\</\w])(?!(?:{_OR_WORDS}|{_OR_ADVERBS}|{_EITHER_WORDS}|或者|[还還]是)\b)[^\W\d_]{{2}}",
    re.IGNORECASE,
)
# The signs of alternatives, which can be the same formula.
_SAME_SIGNS = str.maketrans("*×·⋅:÷−", "xxxx//-")
# Between the steps of a working, or between answers.
_SEPARATOR = re.compile(r"[,;、→⇒\n\r]|[-=]>")
_EQUALS = re.compile("[=＝]{1,2}")
_BARE_NUMBER = re.compile(rf"\s*+(?:{MINUS_PATTERN}\s*+)?+(?:[0-9]++(?:\.[0-9]++)?+|\.[0-9]++)\s*+")
_RESULT = re.compile(
    rf"\s*+(?:{MINUS_PATTERN}\s*+)?+(?:[0-9]*+(?:\.[0-9]++|[{VULGAR_FRACTIONS}])"
    r"|[0-9]++(?:\s*+[/∕⁄]\s*+[0-9]++)?+)\s*+"
)
_BRACKET = re.compile(r"[()\[\]{}]")
_BRACE = re.compile("[{}]")
_OPENING_BRACKETS = {")": "(", "]": "[", "}": "{"}
_HEX_NUMBER = re.compile(r"(?<![0-9.])0[xX][0-9A-Fa-f]")
_COMMAND = re.compile(r"\\[A-Za-z]++")
# LaTeX commands for the look of the text in their braces, up to the opening brace.
_LATEX_STYLE = re.compile(r"\\(?:text|textbf|mathbf|(?:text)?color\s*+\{[A-Za-z]++\})\s*+\{")
# The numbers and the fractions of a formula without spaces; fractions can overlap: 1/2/3.
_NUMBERS = re.compile(r"[0-9.]+")
_FRACTIONS = re.compile(r"(?<![0-9.])(?=([0-9.]+/[0-9.]+))")
_DIGIT, _WORD = re.compile(r"\d"), re.compile(r"[^\W\d_]{2}")
_PAIR_STARTS = {opening[0] for opening, _ in _PAIRS}
# Steps of a working.
_MAX_STEPS = 100


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
        """The text that the judge compares with the hand: one side, or all steps of a working.

        For the kind `other`, the text of the answer.
        """
        return self.sides[self.formula_index] if self.sides else self.working or self.text

    @property
    def stated(self) -> tuple[str, ...]:
        """The other sides: the values that the formula is stated to have."""
        return self.sides[: self.formula_index] + self.sides[self.formula_index + 1 :]


def extract(text: str, letters: str = "", extra_operators: Sequence[Operator] = ()) -> Candidate:
    r"""Return the part of a text that is its answer. Never raises.

    After the last `</think>`, the answer is in the last complete `<answer>`, else in the last
    `\boxed{}`, else in the last code block, label (`Answer:`) or field of JSON, else it is the last
    line that is completely a formula, a working (several steps) or a claim such as `24 cannot be
    made`. The search is repeated inside the marks. The cost is linear in the length of the text.

    >>> extract("So 4 + 4 = 8. <answer>**(4 + 4) x 3 = 24**.</answer>").sides
    ('(4 + 4) x 3', '24')
    >>> extract("I would say 3 x 8.").code
    'no-answer'

    Args:
        text: any text; one of more than 1,000,000 characters has the code `too-long`.
        letters: letters that stand for numbers, such as `JQK`.
        extra_operators: operators besides the usual ones of all games.
    """
    if len(text) > MAX_TEXT_LENGTH:
        return Candidate(code="too-long")
    operators = (*OPERATORS.values(), *extra_operators)
    patterns = _patterns(operators, letters, tuple(extra_operators))
    lower = text.lower()
    start, end = _after_thoughts(text, lower, *_last_turn(text, lower))
    unescaped, start, end, depth = _enter_marks(text, start, end, patterns, 0, MAX_CACHED_LENGTH)
    candidate = None
    # A short part is searched only once for all parts that differ only in their digits.
    if end - start <= MAX_CACHED_LENGTH:
        part = unescaped[start:end]
        if shape := _find_answer_cached(mask_digits(part), patterns, depth):
            candidate = shape.candidate_in(part, start)
    candidate = candidate or _find_answer(unescaped, start, end, patterns, depth)
    if not candidate.text:
        return Candidate(code="no-answer")
    # Escapes in an answer from JSON were replaced: return the answer as the caller wrote it.
    original = text[candidate.start : candidate.end]
    if original == candidate.text:
        return candidate
    return replace(candidate, text=original, working="" if candidate.sides else candidate.formula)


def _find_answer(text: str, start: int, end: int, patterns: "_Patterns", depth: int) -> Candidate:
    r"""Return the answer in `text[start:end]`; without one, the result has the code `no-answer`.

    If this part has marks such as `<answer>` or `\boxed{}`, only the text inside the last mark is
    searched. If this text is a formula, several steps, or a claim such as `24 cannot be made`, it
    is the answer; otherwise its last line that is one of the three. `patterns` are those of
    formulas with the operators of a game, and `depth` is the number of marks around the part.
    """
    text, start, end, depth = _enter_marks(text, start, end, patterns, depth)
    start, end = _strip_decoration(text, start, end)
    candidate = _parse_candidate(text, start, end, patterns, is_marked=depth > 0)
    if candidate and candidate.working and not depth:
        # The first lines can be earlier attempts: the answer is then only the last steps.
        lines = _answer_lines(text, start, end, patterns)
        last_steps = _last_steps(text, lines, patterns, is_marked=False)
        if last_steps and last_steps.working and last_steps.end == candidate.end:
            candidate = last_steps
    return candidate or _last_line_answer(text, start, end, patterns, is_marked=depth > 0)


def _enter_marks(
    text: str, start: int, end: int, patterns: "_Patterns", depth: int, max_length: int = 0
) -> tuple[str, int, int, int]:
    r"""Find the part of `text[start:end]` inside its last mark; return (text, start, end, depth).

    In `Answer: \boxed{3 x 8}.` the mark is `\boxed{}`, and the part is `3 x 8`. The search is
    repeated inside the part, until it has no mark or at most `max_length` characters. `start` and
    `end` of the result are the place of the last part. `depth` is the number of marks around it, at
    most 4; the given one is that of `text[start:end]`. If a mark is a field of JSON, escapes inside
    it are replaced in the text by their characters, with spaces that keep the length the same.
    """
    while end - start > max_length and depth < _MAX_MARK_DEPTH:
        mark = _find_mark(text[start:end], patterns)
        if not mark:
            break
        start, end = start + mark.start, start + mark.end
        if mark.has_escapes:
            unescaped = _ESCAPE.sub(_unescape_in_place, text[start:end])
            text = text[:start] + unescaped + text[end:]
        depth += 1
    return text, start, end, depth


class _AnswerShape(NamedTuple):
    """The answer in a text, as a template for texts with other digits in the same places."""

    answer: Candidate
    side_spans: Sequence[TextSpan]

    def candidate_in(self, part: str, start: int) -> Candidate:
        """Return the answer in a part with other digits, which starts at `start` in the text."""
        answer = self.answer
        sides = tuple([part[first:last] for first, last in self.side_spans])
        return Candidate(
            part[answer.start : answer.end],
            *(start + answer.start, start + answer.end, answer.kind, sides, answer.formula_index),
            code=answer.code,
        )


@lru_cache(maxsize=MAX_CACHED_SHAPES)
def _find_answer_cached(part: str, patterns: "_Patterns", depth: int) -> _AnswerShape | None:
    """Return where the answer is in all texts that differ only in their digits 1 to 9.

    `part` is such a text with a 1 in place of each digit from 1 to 9: `1 x 1 = 11` stands for
    `3 x 8 = 24` and `4 x 6 = 24`, so that `lru_cache` searches them only once. `depth` is the
    number of marks, such as <answer>, around the part. The result is None if the place of the
    answer can depend on the digits: for several steps, several answers, claims such as `24 cannot
    be made`, and JSON escapes.
    """
    # The patterns do not distinguish digits, except 0 (in 0x), so the answer is in the same place.
    has_escapes = '"' in part and _ESCAPE.search(part)
    if _SEPARATOR.search(normalise(part)) or _LATEX_SPACE.search(part) or has_escapes:
        return None
    if ("boxed" in part or "<" in part) and _OR_BETWEEN_MARKS.search(part):
        return None
    answer = _find_answer(part, 0, len(part), patterns, depth)
    if answer.kind == "claim":
        return None
    side_spans, column = [], answer.start
    # An answer does not store the columns of its sides: search each side after the previous one.
    for side in answer.sides:
        column = part.index(side, column)
        side_spans.append((column, column + len(side)))
        column += len(side)
    return _AnswerShape(answer, side_spans)


def _last_turn(text: str, lower: str) -> TextSpan:
    """Return the start and the end of the last answer of the assistant in a chat.

    The answer starts after the last token such as `<|im_start|>assistant`, or at the start of the
    text. It ends before the first token after this, such as `<|im_end|>`, if no other text than
    tokens follows; otherwise at the end of the text. `lower` is the text in lower case.

    >>> text = "<|im_start|>assistant 3 x 8<|im_end|>"
    >>> text[slice(*_last_turn(text, text))]
    ' 3 x 8'
    """
    start, end = 0, len(text)
    # Most texts have no tokens; this test is faster than the patterns.
    if not any(hint in lower for hint in _TURN_HINTS):
        return start, end
    for turn in _TURN.finditer(text):
        start = turn.end()
    end_token = _ENDED.search(text, start)
    if end_token and not _ENDED.sub("", text[end_token.end() :]).strip():
        end = end_token.start()
    return start, end


def _after_thoughts(text: str, lower: str, start: int, end: int) -> TextSpan:
    """Return start and end of the part of `text[start:end]` after its last `</think>`.

    Without such a tag, that is the whole part. The result is empty if the last `<think>` is not
    closed. `lower` is the text in lower case.
    """
    last_tag = None
    for tag in _THINK.finditer(text, start, end) if "think" in lower else ():
        last_tag, start = tag, tag.end()
    is_closed = last_tag is None or last_tag[1]
    return (start, end) if is_closed else (start, start)


def _last_line_answer(
    text: str, start: int, end: int, patterns: "_Patterns", *, is_marked: bool
) -> Candidate:
    r"""Return the answer in `text[start:end]`, if this part is not completely an answer itself.

    The answer is its last line that is a formula, a solution in steps, or a claim such as `24
    cannot be made`. Without such a line, the whole part is the answer, with the kind `other`, if it
    is one line of digits and signs or if `is_marked`: the part is inside marks such as `\boxed{}`.
    That is also the result for different formulas inside one mark. The code is then `two-answers`,
    `too-long`, `number` (such as 0x18), or empty: the parser reports the error later. Any other
    part has no answer: the code is `no-answer`.
    """
    # The whole part as an answer, with the reason that it cannot be judged.
    answer = Candidate(text[start:end], start, end, "other")
    if end - start > MAX_ANSWER_LENGTH:
        answer = replace(answer, code="too-long")
    elif _HEX_NUMBER.search(normalise(answer.text)):
        answer = replace(answer, code="number")
    elif _has_several_answers(answer.text, patterns):
        answer = replace(answer, code="two-answers")
    # The writer marked all this text as the answer: do not choose a line.
    if is_marked and (answer.code == "two-answers" or "\n" not in answer.text):
        return answer
    lines = _answer_lines(text, start, end, patterns)
    last = _last_steps(text, lines, patterns, is_marked=is_marked)
    if last and last.working:
        return last
    # Different answers on the lines of one mark are no answer: the writer has not chosen.
    if last and not (is_marked and _lines_disagree(answer.text, lines, text, patterns)):
        return last
    # A text with digits and without words is meant as an answer, though it is not a formula. Two
    # answers can have a word such as `or`.
    has_words = _WORD.search(_COMMAND.sub(" ", answer.text))
    is_intended = (_DIGIT.search(answer.text) and not has_words) or answer.code == "two-answers"
    is_one_line = not re.search(r"[\n\r]", answer.text)
    if is_marked or (is_intended and is_one_line):
        return answer
    return Candidate(code="no-answer")


def _answer_lines(text: str, start: int, end: int, patterns: "_Patterns") -> list[TextSpan]:
    """Return the lines in `text[start:end]` that look like an answer, as their columns in `text`.

    Bullets and decoration such as ** around a line are left out. As in `_find_lines`, these are at
    most the last 1,000 such lines.
    """
    return [
        _strip_decoration(text, _skip_bullet(text, start + first), start + last)
        for first, last in _find_lines(text[start:end], patterns)
    ]


def _skip_bullet(text: str, start: int) -> int:
    """Return the column after the bullet of a line if decoration follows it, else `start`."""
    bullet = _BULLET_PATTERN.match(text, start)
    return bullet.end() if bullet and text[bullet.end()] in _PAIR_STARTS else start


def _last_steps(
    text: str, lines: Sequence[TextSpan], patterns: "_Patterns", *, is_marked: bool
) -> Candidate | None:
    """Return the last line that is an answer, with the steps of the same solution above that line.

    The lines `4 + 4 = 8` and `8 x 3 = 24` are one answer in two steps. `lines` has the columns of
    the lines that can be answers. Returns None if no line is an answer. With `is_marked`, the text
    is inside marks such as <answer>: then all steps belong to the answer. Otherwise the first steps
    can be an earlier attempt, and are left out.
    """
    # Find the last line that is an answer.
    last_index = len(lines) - 1
    while last_index >= 0 and not (last := _parse_candidate(text, *lines[last_index], patterns)):
        last_index -= 1
    if last_index < 0:
        return None
    # Go up, as long as the line above has steps with results.
    first_index, steps = last_index, [_steps_in(text, *lines[last_index], patterns)]
    while first_index > 0 and last_index - first_index < _MAX_STEPS:
        between = text[lines[first_index - 1][1] : lines[first_index][0]]
        steps_above = _steps_in(text, *lines[first_index - 1], patterns)
        if not (steps_above and "=" in steps_above[-1] and _is_decoration(between)):
            break
        if lines[last_index][1] - lines[first_index - 1][0] > MAX_ANSWER_LENGTH:
            return last
        first_index -= 1
        steps.insert(0, steps_above)
    # Leave out the lines above that belong to another attempt.
    if not is_marked:
        first_index += _start_of_working(steps)
    start, end = lines[first_index][0], lines[last_index][1]
    if first_index == last_index:
        return last
    # Blank the decoration around the lines, but keep the line ends.
    parts, previous_end = [], start
    for line_start, line_end in lines[first_index : last_index + 1]:
        parts += [_NOT_LINE_END.sub(" ", text[previous_end:line_start]), text[line_start:line_end]]
        previous_end = line_end
    all_steps = _parse_candidate("".join(parts), 0, end - start, patterns)
    if all_steps is None or not all_steps.working:
        return last
    return replace(all_steps, text=text[start:end], start=start, end=end)


def _is_decoration(between: str) -> bool:
    """Return whether the text between two lines is only decoration such as **, or list marks."""
    # A list mark must have text after it: the 0 stands for the text of the next line.
    return _DECORATION.fullmatch(_BULLET_LINES.sub("", f"{between}0")[:-1]) is not None


def _steps_in(text: str, start: int, end: int, patterns: "_Patterns") -> list[str]:
    """Return the steps of a line: `4 + 4 = 8, 8 x 3` has two, of which the last needs no result.

    The list is empty for a line that is not only steps. The line is `text[start:end]`.
    """
    if not 0 < end - start <= MAX_ANSWER_LENGTH:
        return []
    answer = normalise(_blank_bullets(text[start:end]))
    line = normalise_formula(answer, patterns.extra_operators)
    steps = [line[first:last] for first, last in _split_parts(answer, line)]
    return steps if len(steps) <= _MAX_STEPS and _are_steps(steps, patterns) else []


def _start_of_working(lines: Sequence[Sequence[str]]) -> int:
    """Return the index of the line where the last solution in steps starts.

    The lines before it are another attempt. Here the first line is one: both 4 + 4 and 5 + 3 are 8,
    but the last step uses only one 8, so the solution starts at index 1.

    >>> _start_of_working([["4 + 4 = 8"], ["5 + 3 = 8"], ["8 x 3 = 24"]])
    1

    `lines` has a list of steps for each line. A line is the start if its first step uses no earlier
    result, and if from this line on the steps use all results, except that of the last step. The
    first such line counts; without one, the index is 0.
    """
    steps_of_lines = [[_read_step(step) for step in steps] for steps in lines]
    unused_results: Counter[str] = Counter()
    for index, steps in enumerate(steps_of_lines):
        if index == 0 or not any(unused_results[number] for number in steps[0].numbers):
            later_steps = [step for line_steps in steps_of_lines[index:] for step in line_steps]
            # The result of the last step is the answer; no other step uses it.
            unused_at_end = _update_results(later_steps, Counter(), add_last_result=False)
            if not unused_at_end.total():
                return index
        _update_results(steps, unused_results)
    return 0


class _StepNumbers(NamedTuple):
    """The numbers of a step (a fraction is also one number) and its stated result, as text."""

    numbers: list[str]
    result: str


def _read_step(step: str) -> _StepNumbers:
    """Return the numbers of a step and its result, without a minus sign, as text.

    >>> _read_step("1/3 x 72 = 24")
    _StepNumbers(numbers=['1', '3', '72', '1/3'], result='24')
    """
    compact = re.sub("[∕⁄]", "/", "".join(LATEX_FRACTION.sub(r"\1/\2", step).split()))
    formula, _, result = compact.rpartition("=") if "=" in compact else (compact, "", "")
    numbers = _NUMBERS.findall(formula) + _FRACTIONS.findall(formula)
    return _StepNumbers(numbers, result.lstrip("-−–"))


def _update_results(
    steps: Sequence[_StepNumbers], unused_results: Counter[str], *, add_last_result: bool = True
) -> Counter[str]:
    """Update the counts of unused results: each step uses up some results, and adds its own.

    `unused_results` has the count of each result, by its text; it is changed and returned. The
    steps `4 + 4 = 8` and `8 x 3 = 24` change empty counts to one 24: the 8 is used up. Without
    `add_last_result`, the result of the last step is not added.
    """
    last_index = len(steps) - 1
    for index, step in enumerate(steps):
        for number in step.numbers:
            if unused_results[number] > 0:
                unused_results[number] -= 1
        if step.result and (add_last_result or index < last_index):
            unused_results[step.result] += 1
    return unused_results


def _lines_disagree(
    answer: str, lines: Sequence[TextSpan], text: str, patterns: "_Patterns"
) -> bool:
    """Return whether each line of an answer is an answer by itself, and the lines differ.

    `3 x 8` and `4 x 6` on two lines disagree; `3 x 8` and `3x8` do not. `answer` is the text of all
    lines. `text` is the whole text, and `lines` has the columns in it of those lines of the answer
    that look like answers themselves.
    """
    last_lines = answer[-_MAX_LINES_LENGTH:].splitlines()
    line_count = sum(1 for line in last_lines if line.strip(" \t`$"))
    candidates = [_parse_candidate(text, *span, patterns) for span in lines]
    distinct_texts = {"".join(candidate.text.split()) for candidate in candidates if candidate}
    is_every_line = min(line_count, _MAX_LINES) == len(lines) and all(candidates)
    return is_every_line and len(distinct_texts) != 1


class _Mark(NamedTuple):
    """The span inside the marks of an answer, and whether it is a JSON string with escapes."""

    start: int
    end: int
    has_escapes: bool = False


def _find_mark(text: str, patterns: "_Patterns") -> _Mark | None:
    r"""Return the place of the last marked answer in a text, as in `Answer: 3 x 8`, or None.

    An answer inside `<answer>` tags counts first, then one inside `\boxed{}`. Without these, it is
    the answer that starts last of three: inside a code block, after a label such as `Answer:`, and
    in a field of JSON.
    """
    if span := _find_tag(text, patterns) or _find_box(text, patterns):
        return _Mark(*span)
    spans = (_find_fence(text, patterns), _find_label(text, patterns))
    marks = [_Mark(*span) for span in spans if span]
    if json_span := _find_json_answer(text):
        marks.append(_Mark(*json_span, True))
    return max(marks, default=None)


def _find_tag(text: str, patterns: "_Patterns") -> TextSpan | None:
    """Return start and end of the text in the last closed `<answer>` tag, None without one.

    If the text has another answer in a tag and `or` before it, the span has both.
    """
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
    text: str, previous: TextSpan | None, last: TextSpan | None, patterns: "_Patterns"
) -> TextSpan | None:
    """Return the span of the last answer, with the previous one if both are alternatives.

    They are if the text between them is only marks and a word such as `or`, and if they are
    different formulas: `24` before `or` is only the value.
    """
    if previous is None or last is None or last[0] - previous[1] > _MAX_OR_LENGTH:
        return last
    if not _OR_BETWEEN_MARKS.fullmatch(text, previous[1], last[0]):
        return last
    first_text, last_text = text[slice(*previous)], text[slice(*last)]
    if any(map(_BARE_NUMBER.fullmatch, (first_text, last_text))):
        return last
    if _plain_formula(first_text) == _plain_formula(last_text):
        return last
    both = previous[0], last[1]
    if both[1] - both[0] > MAX_ANSWER_LENGTH:
        return last
    return both if _has_several_answers(text[slice(*both)], patterns) else last


def _plain_formula(answer: str) -> str:
    r"""Return an answer without its value, spaces and outer brackets, with the same signs.

    >>> _plain_formula(r"(3 \times 8) = 24") == _plain_formula("3*8")
    True
    """
    formula = _EQUALS.split(normalise_formula(answer))[0]
    plain = "".join(formula.split()).translate(_SAME_SIGNS)
    is_in_brackets = plain.startswith("(") and plain.find(")") == len(plain) - 1
    return plain[1:-1] if is_in_brackets else plain


def _find_box(text: str, patterns: "_Patterns") -> TextSpan | None:
    r"""Return start and end of the text in the closed `\boxed{}` that starts last, or None.

    If another box and `or` come before it, the span has both.
    """
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


def _find_fence(text: str, patterns: "_Patterns") -> TextSpan | None:
    """Return start and end of the text in the last code block (between lines of ```), or None.

    If the block is a Python program that only prints an answer, such as `print(3 * 8)`, they are
    the start and the end of the answer `3 * 8`.
    """
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
        return printed.span(1) if _is_answer(text, *printed.span(1), patterns) else last_span
    return last_span


def _is_answer(text: str, start: int, end: int, patterns: "_Patterns") -> bool:
    """Return whether `text[start:end]` is an answer: a formula, several steps, or a claim.

    A number without an operator is not an answer.
    """
    candidate = _parse_candidate(text, *_strip_decoration(text, start, end), patterns)
    return candidate is not None and not _BARE_NUMBER.fullmatch(normalise_formula(candidate.text))


def _find_json_answer(text: str) -> TextSpan | None:
    """Return start and end of the answer in the last JSON object that has one, or None.

    The answer is a string in a field such as `answer` or `expression`: {"answer": "3 x 8"}.
    """
    if '"' not in text:
        return None
    last = None
    for match in _OBJECT.finditer(text):
        strings = _json_strings(text, *match.span(1))
        spans_by_name = {name: span for name, span in strings if span[0] < span[1]}
        # An object can have several such fields; the most specific name comes first.
        answers = (spans_by_name[name] for name in _ANSWER_NAMES if name in spans_by_name)
        last = next(answers, last)
    return last


def _json_strings(text: str, start: int, end: int) -> Iterator[tuple[str, TextSpan]]:
    """Yield the name of each field whose value is a string, with start and end of the value.

    The JSON object is `text[start:end]`; {"answer": "3 x 8"} yields ("answer", (12, 17)).
    """
    for name, value in pairwise(_STRING.finditer(text, start, end)):
        between = text[name.end() : value.start()]
        # Group 2 is the colon after a string: a name has one, a value has none.
        if name[2] and not value[2] and not between.strip():
            yield name[1].casefold(), value.span(1)


def _unescape_in_place(escape: re.Match[str]) -> str:
    r"""Return the character of a JSON escape such as `\n` or `\u00d7`, with spaces before it.

    The spaces give the result the length of the escape, so that columns do not move.
    """
    character = escape[1] or (chr(int(escape[2], 16)) if escape[2] else "\n")
    return character.rjust(len(escape[0]))


def _find_label(text: str, patterns: "_Patterns") -> TextSpan | None:
    """Return start and end of the text after the last label such as `Answer:`, or None.

    For `Answer: 3 x 8` that is the place of ` 3 x 8`. Labels without text on their line are
    skipped. If the text is a step such as `4 + 4 = 8`, the lines below that continue it are
    included. A label that is also used in prose, such as `Final formula:`, only counts if the text
    after it is an answer.
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
            elif content.rstrip(_STOPS).endswith(sign):
                end = text.rindex(sign, start, end)
        if text[start:end].strip() and (not prose_label or _is_answer(text, start, end, patterns)):
            last = start, end
            is_complete_line = not text[end : label.end()].strip()
    # Decoration after the answer shows that it ends on its line.
    if last is None or not is_complete_line:
        return last
    start, end = last
    return start, _end_of_steps(text, start, end, patterns)


def _end_of_steps(text: str, start: int, end: int, patterns: "_Patterns") -> int:
    """Return the column where the steps of an answer end, which can be some lines below it.

    The answer is `text[start:end]`. If it is `4 + 4 = 8`, the next line `8 x 3 = 24` continues it,
    because it uses the result 8. The column is then the end of that line. It is `end` if no line
    below uses a result of the answer, since such lines only check it, and if the answer and the
    lines have more than 10,000 characters.
    """
    steps = _steps_in(text, *_strip_decoration(text, start, end), patterns)
    if not steps or "=" not in steps[-1]:
        return end
    lines = [steps]
    unused_results = _update_results([_read_step(step) for step in steps], Counter())
    results_of_answer, is_used = set(+unused_results), False
    has_bullet = _BULLET_LINES.match(text[start:end])
    # The end of the last line that uses a result, and the end of the line above the current one.
    end_of_steps = previous_end = end
    for first, last in _find_lines(text[end : end + MAX_ANSWER_LENGTH], patterns):
        line = text[end + first : end + last]
        line_start = _skip_bullet(text, end + first)
        line_start, line_end = _strip_decoration(text, line_start, end + last)
        steps = _steps_in(text, line_start, line_end, patterns)
        # In a list that starts below the label, - is the sign of a negative number.
        starts_list = _BULLET_LINES.match(line) and not has_bullet
        if not _is_decoration(text[previous_end:line_start]) or starts_list or not steps:
            break
        new_steps, previous_end = [_read_step(step) for step in steps], line_end
        numbers = {number for step in new_steps for number in step.numbers}
        is_used = is_used or not numbers.isdisjoint(results_of_answer)
        if any(unused_results[number] for number in numbers):
            end_of_steps = end + last
        _update_results(new_steps, unused_results)
        lines.append(steps)
        # A step without a result is the last one.
        if "=" not in steps[-1]:
            break
    # The lines below can be a solution of their own, which does not need the answer.
    is_used = is_used and _start_of_working(lines) != 1
    return end_of_steps if is_used and end_of_steps - start <= MAX_ANSWER_LENGTH else end


def _find_lines(text: str, patterns: "_Patterns") -> Sequence[TextSpan]:
    """Return the start and the end of each line of a text that looks like an answer, in order.

    Such a line is a formula, several steps, or a claim such as `24 cannot be made`, with or without
    decoration such as **. In a long text, only the last 100,000 characters are searched; at most
    the last 1,000 lines are returned.
    """
    start = 0
    if len(text) > _MAX_LINES_LENGTH:
        # Start at the first complete line.
        start = text.find("\n", -_MAX_LINES_LENGTH) + 1 or len(text)
    line = normalise_formula(text[start:], patterns.extra_operators)
    line = line.replace("\r", "\n").replace("’", "'")
    matches = deque(patterns.line.finditer(line), maxlen=_MAX_LINES)
    return [(start + match.start(), start + match.end()) for match in matches]


def _strip_decoration(text: str, start: int, end: int) -> TextSpan:
    """Return start and end of `text[start:end]` without the decoration around it.

    Decoration is white space, pairs of signs such as ** and $, commands such as LaTeX bold, one
    full stop at the end, and one tick (a check mark).

    >>> _strip_decoration("**$3 x 8$**.", 0, 12)
    (3, 8)
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
        if may_have_stop and start < end and text[end - 1] in _STOPS:
            end, may_have_stop = end - 1, False
        style = _LATEX_STYLE.match(text, start, end)
        if style and _closes_at_end(text, style.end(), end):
            start, end = style.end(), end - 1
        for opening, closing in _PAIRS if text[start : start + 1] in _PAIR_STARTS else ():
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
    """Return whether a brace that opens just before `start` closes as the last character.

    That is the last character of `text[start:end]`. False for more than 10,000 characters, since
    no answer is longer.
    """
    if end - start > MAX_ANSWER_LENGTH or text[end - 1 : end] != "}":
        return False
    braces = _BRACE.findall(text, start, end)
    depths = list(accumulate(1 if brace == "{" else -1 for brace in braces))
    return depths[-1] == -1 and -1 not in depths[:-1]


def _parse_candidate(
    text: str, start: int, end: int, patterns: "_Patterns", *, is_marked: bool = False
) -> Candidate | None:
    """Return `text[start:end]` as an answer, or None if it is not completely one.

    An answer has one of four forms:

    - a formula, with or without `=` and values: `3 x 8 = 24`;
    - the same formula several times, with line ends or commas between;
    - several steps: `4 + 4 = 8, 8 x 3 = 24`. On several lines, they are one answer only if the last
      step uses an earlier result. With `is_marked`, the text is inside marks such as <answer>: then
      it is enough if any step uses an earlier result.
    - a claim that the target cannot be made: `24 cannot be made`.
    """
    # The sign < belongs to tags, not to answers.
    if not 0 < end - start <= MAX_ANSWER_LENGTH or text.find("<", start, end) >= 0:
        return None
    # Spaces replace bullets such as `1.` before the lines. The answer starts after the first one.
    answer = normalise(_blank_bullets(text[start:end]))
    bullet_start, start, answer = start, end - len(answer.lstrip()), answer.lstrip()
    # In `line`, the signs of a formula have one spelling, and all signs keep their columns.
    line = normalise_formula(answer, patterns.extra_operators)
    # A formula with or without `=` and values is the answer, if it is on one line: line ends are
    # not printable.
    is_formula = _is_chain(line, patterns)
    if is_formula and answer.isprintable():
        return _formula_candidate(text, start, end)
    # On several lines, first test for a formula that is repeated.
    spans = _split_parts(answer, line)
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
    if 1 < len(spans) <= _MAX_STEPS and _are_steps(parts, patterns) and not is_separate:
        steps = _EQUALS.sub("=", answer)
        # All lines of steps keep their bullets, also the first.
        return Candidate(text[bullet_start:end], bullet_start, end, "working", working=steps)
    claim = parse_claim(answer)
    if claim is None:
        return None
    return Candidate(text[start:end], start, end, "claim", target=claim.target)


def _blank_bullets(text: str) -> str:
    """Return a text with spaces in place of the bullets of its lines, if the first has one."""
    if not _BULLET_LINES.match(text):
        return text
    return _BULLET_LINES.sub(lambda bullet: " " * len(bullet[0]), text)


def _formula_candidate(text: str, start: int, end: int) -> Candidate:
    """Return `text[start:end]` as an answer of kind `formula`, split at each `=` into its sides."""
    # Replace "\ " first, so that strip() does not leave its backslash.
    sides = tuple(map(str.strip, _EQUALS.split(_LATEX_SPACE.sub(" ", text[start:end]))))
    # The formula is the first side that is not a number: in 24 = 3 x 8 the second side.
    formula_indices = (
        index
        for index, side in enumerate(sides)
        if not _BARE_NUMBER.fullmatch(normalise_formula(side))
    )
    return Candidate(text[start:end], start, end, "formula", sides, next(formula_indices, 0))


def _split_parts(text: str, line: str) -> list[TextSpan]:
    """Split a text at commas, semicolons, arrows and line ends; return the places of the parts.

    Each is a pair (start, end). Blank parts, and white space around a part, are left out. `line` is
    `text` with signs such as / and x in place of LaTeX commands, and has the same length.

    >>> _split_parts("4 + 4 = 8, 8 x 3", "4 + 4 = 8, 8 x 3")
    [(0, 9), (11, 16)]
    """
    separators = (separator.span() for separator in _SEPARATOR.finditer(line))
    boundaries = [(0, 0), *separators, (len(line), len(line))]
    spans = []
    # A part is between the end of one separator and the start of the next.
    for (_, start), (end, _) in pairwise(boundaries):
        if part := text[start:end].strip():
            start = text.index(part, start)
            spans.append((start, start + len(part)))
    return spans


def _has_several_answers(text: str, patterns: "_Patterns") -> bool:
    """Return whether a text is several formulas, with commas, arrows, line ends or `or` between.

    Each can have `=` and values: `3 x 8 = 24, 4 x 6 = 24` are two.
    """
    # Prose needs no search for words such as `or`.
    if not _OTHER_WORD.search(text):
        text = _OR_BETWEEN.sub(_comma_in_place, text)
    line = normalise_formula(text, patterns.extra_operators)
    spans = _split_parts(text, line)
    return len(spans) > 1 and all(_is_chain(line[first:last], patterns) for first, last in spans)


def _comma_in_place(words: re.Match[str]) -> str:
    """Return a comma and spaces that are as long as words between two answers."""
    return ",".ljust(len(words[0]))


def _is_chain(line: str, patterns: "_Patterns") -> bool:
    """Return whether a line is a formula, or several formulas or numbers with = between them.

    Whole numbers without a formula count too, but only decimal numbers, such as 0.5, do not.
    """
    sides = _EQUALS.split(line)
    if not all(_is_side(side, patterns) for side in sides):
        return False
    return not all("." in side and _BARE_NUMBER.fullmatch(side) for side in sides)


def _is_side(side: str, patterns: "_Patterns") -> bool:
    """Return whether a text between `=` signs is a number or looks like a formula.

    A formula has only numbers, operators and balanced brackets; other errors in it are found later.
    """
    if _BARE_NUMBER.fullmatch(side):
        return True
    if not patterns.formula.fullmatch(side) or _HEX_NUMBER.search(side):
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


def _are_steps(parts: Sequence[str], patterns: "_Patterns") -> bool:
    """Return whether each part is a step: a formula, one `=` and a result, such as `4 + 4 = 8`.

    The last part needs no result.
    """
    last_index = len(parts) - 1
    for index, part in enumerate(parts):
        formula, *results = _EQUALS.split(part)
        if len(results) > 1 or not _is_chain(formula, patterns):
            return False
        if not results and index < last_index:
            return False
        if results and not _RESULT.fullmatch(results[0]):
            return False
    return True


def _are_linked(parts: Sequence[str], *, any_step: bool) -> bool:
    """Return whether the last step uses an earlier result that no step in between has used.

    With `any_step`, return whether any step uses the result of an earlier step.

    >>> _are_linked(["4 + 4 = 8", "8 x 3 = 24"], any_step=False)
    True
    >>> _are_linked(["4 + 4 = 8", "6 x 4 = 24"], any_step=False)
    False
    """
    *steps, last_step = ["".join(LATEX_FRACTION.sub(r"\1/\2", part).split()) for part in parts]
    last_formula = last_step.partition("=")[0]
    formulas_between = ""
    for step in reversed(steps):
        formula, _, result = step.rpartition("=")
        # The result as a whole number of another step: 8, but not the 8 of 18.
        use = re.compile(rf"(?<![0-9.]){re.escape(result.lstrip('-−–'))}(?![0-9.])")
        if any_step and use.search(last_formula + formulas_between):
            return True
        if use.search(last_formula) and not use.search(formulas_between):
            return True
        formulas_between += f"|{formula}"
    return False


@dataclass(frozen=True, slots=True, eq=False)
class _Patterns:
    """The patterns of formulas with a set of operators. Each object is equal only to itself."""

    formula: re.Pattern[str]
    line: re.Pattern[str]
    """A line of one or several formulas, or of a claim, with decoration."""
    extra_operators: Sequence[Operator]


@lru_cache(maxsize=16)
def _patterns(
    operators: Sequence[Operator], letters: str, extra_operators: Sequence[Operator]
) -> _Patterns:
    """Return the regular expressions that find formulas in a text: in a sentence, and as a line.

    Compiling them takes some milliseconds, so `lru_cache` keeps the last 16 results. The
    arguments must be hashable (tuples).

    Args:
        operators: All operators that a formula can have, also the extra ones.
        letters: The letters that stand for numbers, such as JQK.
        extra_operators: The operators that not all games have, such as `^`.
    """
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
    ends = rf"(?:[ \t\r*_`$✓✔✅☑\ufe0f{_STOPS}]|\\[)\]]|\\checkmark)*+"
    chain = rf"{formula(blank)}(?:={{1,2}}{formula(blank)})*+"
    chains = rf"(?:[,;、→⇒\r]|[-=]>|{blank}|{chain})++"
    words = CLAIM_PATTERN.replace(" ", f"(?:{blank}++)")
    claim = rf"(?:\\text\{{)?+{words}[.}}]*+"
    line = rf"^(?:{_BULLET})?+{starts}(?:{chains}|{claim}){ends}$"
    full_formula = re.compile(formula(r"\s"))
    line_pattern = re.compile(line, re.MULTILINE | re.IGNORECASE)
    return _Patterns(full_formula, line_pattern, extra_operators)
