r"""A second judge: an independent specification of the verdict on an answer.

It shares no code with the package and does not execute texts. It answers five questions in order:
Which part of the text is the answer? Can it be parsed? Is each step legal? Are its numbers those of
the hand? Does it have the value of the target, and the values that it states? The first "no" gives
the verdict: none, malformed, illegal, wrong, wrong. If an answer has several faults of one kind,
`judgements` returns all faults and `judge` only the first; each fault is a correct verdict.

Decisions that the plan of the judge leaves open:

- Tags are ASCII letters in upper or lower case, without spaces. Among nested tags and boxes, the
  one that opens last counts. If it is empty, the text has no answer: earlier ones do not count
  instead.
- A label needs text on its own line; other labels are ignored. A heading, a quotation, a bullet,
  bold or italics can precede it.
- A marked answer is parsed as one text. If that fails and its other lines are words, the last line
  that can be parsed is the answer; if all lines can be parsed and differ, it is two answers.
- An unmarked text is parsed as one text, and then line by line. One line of digits and signs
  without words is malformed; any other text that cannot be parsed has no answer.
- In a chain, the first side that is not a bare number is judged by the rules and the hand, the
  other sides by exact arithmetic only. In a working, results are used before numbers of the hand,
  and each step but the last has to have the result that it states.
- Wrong numbers are reported before a wrong value, and a wrong value before a wrong stated value.
- Parentheses in a game without them are an `operator` that the game does not have; so are a
  fraction and a working that would need them.
- With a minus in front of parentheses, a hand for 24 also makes -24: a claim that -24 cannot be
  made is wrong.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, pairwise, permutations, product
from typing import Any

from tests.judging.second_reading import (
    LIST_MARK,
    MAX_ANSWER,
    MAX_PROVED,
    MAX_TEXT,
    MAX_WRAPPINGS,
    Judgement,
    NotRightError,
    Parser,
    Rules,
    Side,
    Token,
    Tree,
    claim_in,
    faults_in_order,
    flat,
    has_parentheses,
    is_readable,
    is_row,
    leaves_of,
    left_after,
    map_parts,
    normalise,
    numbers_in,
    parts_of_answer,
    pieces_of,
    stated_steps,
    strip_bullets,
)
from tests.judging.second_retraction import takes_back


def judge(text: Any, hand: Sequence[int], target: Fraction | int, rules: Rules) -> Judgement:
    """Return the verdict on a text, and its code."""
    return judgements(text, hand, target, rules)[0]


def judgements(
    text: Any, hand: Sequence[int], target: Fraction | int, rules: Rules
) -> list[Judgement]:
    """Return all correct verdicts on a text, the best first; only one for a right answer."""
    try:
        read = text_of(text)
        answer, marked = answer_in(read, rules)
        if takes_back(_text_after(read, answer), is_claim=claim_in(answer) is not None):
            return [("none", "retracted")]
        return [_judge_answer(answer, Counter(hand), Fraction(target), rules, marked)]
    except NotRightError as refused:
        return list(dict.fromkeys(refused.judgements))


def _text_after(text: str, answer: str) -> str:
    """Return the text after the last line of an answer."""
    last_line = answer.strip().splitlines()[-1].strip() if answer.strip() else ""
    return text.rpartition(last_line)[2] if last_line and last_line in text else ""


# Find the answer.


def text_of(given: Any) -> str:
    """Return the text of a string, of bytes, or of the last message of the assistant in a chat."""
    if isinstance(given, bytes):
        given = given.decode(errors="replace")
    if isinstance(given, list) and given and all(isinstance(entry, dict) for entry in given):
        contents = [entry.get("content") for entry in given if entry.get("role") == "assistant"]
        given = contents[-1] if contents else None
    if not isinstance(given, str):
        raise NotRightError(("none", "not-text"), ("none", "no-answer"))
    if len(given) > MAX_TEXT:
        raise NotRightError(("none", "too-long"))
    return given


_THINK = re.compile(r"[<\[◁](/?)think(?:ing)?[>\]▷]", re.IGNORECASE | re.ASCII)
_TURNS = re.compile(
    r"<\|im_start\|>assistant\b|<start_of_turn>model\b|<\|channel\|>final<\|message\|>"
    r"|<\|start_header_id\|>assistant<\|end_header_id\|>|<\|assistant\|>|\[/INST\]"
    r"|(?:(?<=\n)|(?<![\s\S]))(?:assistant|model):(?=\s)",
    re.IGNORECASE | re.ASCII,
)
_TURN_ENDS = re.compile(
    r"(?:(?:<\|[a-z_]{1,40}\|>|</s>|<end_of_turn>|<eos>)\s*)+", re.IGNORECASE | re.ASCII
)
_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE | re.ASCII)
_LABEL_WORDS = [
    *("antwort", "lösung", "réponse", "solution finale", "respuesta", "solución", "antwoord"),
    *("oplossing", "risposta", "soluzione", "resposta", "solução", "ответ", "решение"),
    *("答案", "解答", "答え", "答", "정답", "답"),
]
_NOUN = r"(?:final[ \t]+)?(?:answer|solution)"
_LABEL = re.compile(
    rf"(?:{LIST_MARK})?[ \t]*(\*\*|__|\*|_)?"
    rf"(?:(?:(?:the[ \t]+)?{_NOUN}|{'|'.join(_LABEL_WORDS)}|(?-i:A)(?=[:：][ \t]))"
    r"(\*\*|__|\*|_)?[ \t]?[:：]"
    rf"|the[ \t]+{_NOUN}[ \t]+is\b[ \t]?[:：]?"
    r"|((?:the[ \t]+)?final[ \t]+(?:expression|equation|formula)(?:[ \t]+is\b)?"
    r"|(?:最终|最終|最后|最後)答案(?=[:：])|(?:最终|最終|最后|最後)?答案[是为為])"
    r"(\*\*|__|\*|_)?[ \t]?[:：]?)",
    re.IGNORECASE,
)
_WRAPS = [
    ("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("`", "`"),
    ("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"),
]  # fmt: skip
_TICKS = ("✓", "✔", "✅", "☑", "✔\ufe0f", "☑\ufe0f", r"\checkmark")


def answer_in(text: str, rules: Rules) -> tuple[str, bool]:
    """Return the part of a text that is the answer, and whether it is marked as one.

    The hand and the target are not known here.
    """
    for turn in list(_TURNS.finditer(text))[-1:]:
        text = text[turn.end() :]
    first_end = _TURN_ENDS.search(text)
    if first_end and not text[first_end.end() :]:
        text = text[: first_end.start()]
    after = 0
    for tag in _THINK.finditer(text):
        after = tag.end() if tag[1] else after
    text = text[after:]
    if _THINK.search(text):
        raise NotRightError(("none", "no-answer"))
    marked = 0
    _refuse_alternatives(text, rules)
    while marked < MAX_WRAPPINGS and (inner := _find_marked(text, rules)) is not None:
        text, marked = inner, marked + 1
    answer = unwrap(text)
    is_one = marked > 0 or "\n" not in answer
    if is_one and _CHOICE.search(answer) and _has_alternatives(answer, rules):
        raise NotRightError(("malformed", "two-answers"), ("malformed", "character"))
    if not answer:
        raise NotRightError(("none", "no-answer"), ("malformed", "not-a-formula"))
    if len(answer) > MAX_ANSWER and (marked or _looks_like_formula(answer)):
        raise NotRightError(("malformed", "too-long"))
    if len(answer) <= MAX_ANSWER and is_answer(answer, rules, marked > 0):
        parts = None if marked else parts_of_answer(answer, rules)
        run = _last_run(answer, rules) if parts and parts[0] == "steps" else None
        steps = run and (parts_of_answer(run, rules) or ("",))[0] == "steps"
        return (run or "") if steps else answer, marked > 0
    lines = [answer]
    if not marked or len(_lines(answer)) > 1:
        lines = [bare for line in _lines(answer) if (bare := strip_marks(line)).strip("`$ ")]
    readable = [line for line in lines if len(line) <= MAX_ANSWER and is_answer(line, rules)]
    run = _last_run(answer, rules, marked > 0) if readable else None
    if run and len(_lines(run)) == len(lines):
        return run, marked > 0
    if marked:
        # The complete answer, to be refused, or the line between words.
        several = len(readable) == len(lines) and len({"".join(line.split()) for line in lines}) > 1
        pieces = pieces_of(answer)
        several = several or (
            len({"".join(piece.split()) for piece in pieces}) > 1
            and all(is_answer(piece, rules) and piece == strip_bullets(piece) for piece in pieces)
        )
        if several or not readable:
            return answer, True
    if readable:
        return run or readable[-1], marked > 0
    if _looks_like_formula(answer):
        return answer, False
    raise NotRightError(("none", "no-answer"))


_OR = {
    "or",
    "and",
    "oder",
    "und",
    "ou",
    "et",
    "o",
    "y",
    "of",
    "en",
    "ofwel",
    "或",
    "或者",
    "和",
    "还是",
}
_OR_MORE = {"maybe", "else", "perhaps", "alternatively", "auch", "bien"}
_EITHER = {*_OR, "either", "entweder", "soit", "ofwel"}
_CHOICE = re.compile(
    rf"(?i)(?<![\w\\])(?:{'|'.join(sorted(_EITHER))})(?:\s+(?:{'|'.join(sorted(_OR_MORE))}))?(?=\s)"
    "|或者?|和|还是"
)
_BREAK = re.compile(r"[,;、\n]")


def _refuse_alternatives(text: str, rules: Rules) -> None:
    r"""Refuse two formulas in marks of the same kind with a word such as `or` between them."""
    tags = [
        match.span(1) for match in re.finditer(r"(?is)<answer>((?:(?!<answer>).)*?)</answer>", text)
    ]
    boxes = [match.span(1) for match in re.finditer(r"\\boxed\{([^{}]*)\}", text)]
    spans = tags or boxes
    if len(spans) < 2:
        return
    (first, first_end), (second, second_end) = spans[-2:]
    between = re.sub(r"(?i)</?answer>|\\boxed|\\[()\[\]]|[{}$,.;:*_]", " ", text[first_end:second])
    words = re.sub("(或者|还是|或(?!者)|和)", r" \1 ", between).lower().split()
    texts = ["".join(part.split()) for part in (text[first:first_end], text[second:second_end])]
    is_formula = [re.search(r"[^\d.]", part.lstrip("-−–")) for part in texts]
    # The same formula can have other signs, and its value.
    signs = str.maketrans("×*·÷:−", "xxx//-")
    texts = [part.partition("=")[0].translate(signs) for part in texts]
    is_joined = (
        bool(words) and words[0] in _OR and _OR_MORE.issuperset(words[1:]) and all(is_formula)
    )
    if (
        is_joined
        and texts[0] != texts[1]
        and all(is_answer(part, rules) and claim_in(part) is None for part in texts)
    ):
        raise NotRightError(("malformed", "two-answers"))


def _has_alternatives(answer: str, rules: Rules) -> bool:
    """Return whether an answer is formulas with words such as `or` between them."""
    pieces = _CHOICE.split(answer)
    pieces = [bare for piece in pieces for part in _BREAK.split(piece) if (bare := part.strip())]
    return len(pieces) > 1 and all(
        is_answer(piece, rules) and claim_in(piece) is None for piece in pieces
    )


def _last_run(answer: str, rules: Rules, marked: bool = False) -> str | None:
    """Return the working on adjacent lines that ends with the last step, None without one.

    If it is not marked, only the last of several workings: it uses no result of the lines above,
    and all its own results.
    """
    run: list[str] = []
    for raw in reversed(_lines(answer)):
        line = strip_marks(raw)
        if not line.strip("`$* _"):
            continue
        if not (len(line) <= MAX_ANSWER and is_answer(line, rules)):
            if run:
                break
            continue
        if run:
            steps = stated_steps(line, rules)
            if not (steps and "=" in steps[-1]):
                break
        run.insert(0, strip_bullets(line).strip())
    steps_of_lines = [stated_steps(line, rules) for line in run]
    if not marked and all(steps_of_lines):
        run = run[_first_of_working(steps_of_lines) :]
    text = "\n".join(run)
    parts = parts_of_answer(text, rules) if len(run) > 1 and len(text) <= MAX_ANSWER else None
    if parts and parts[0] == "steps":
        return text
    return run[-1] if run and len(run) < len(steps_of_lines) else None


def is_answer(line: str, rules: Rules, marked: bool = False) -> bool:
    """Return whether a line is a formula, a working or a claim, also with decimals and `|`.

    Decimals are not numbers of a hand, and `|` joins digits in some games only.
    """
    written = re.sub(r"(?<![0-9.])[0-9]*\.[0-9]+", "1", line.replace("|", "+"))
    alone = re.fullmatch(r"\s*-?\s*1\s*", written)
    return is_readable(line, rules, marked) or (
        written != line and not alone and parts_of_answer(written, rules, marked) is not None
    )


def _looks_like_formula(line: str) -> bool:
    """Return whether a text is one line with digits and without words."""
    if "\n" in line or "\r" in line:
        return False
    line = re.sub(r"\\[A-Za-z]+", " ", line)
    return bool(re.search(r"\d", line)) and not re.search(r"[^\W\d_][^\W\d_]", line)


def _find_marked(text: str, rules: Rules) -> str | None:
    """Return the text inside the last mark of an answer, None without one."""
    opened, tagged = -1, None
    for tag in _TAG.finditer(text):
        if not tag[1]:
            opened = tag.end()
        elif opened >= 0:
            tagged, opened = text[opened : tag.start()], -1
    if tagged is None and "</" not in text and opened >= 0:
        rest = re.sub(r"\d{50,}", "1", unwrap(text[opened:]))
        if is_answer(rest, rules) and re.search(r"[^\s\d.−–-]", rest):
            tagged = text[opened:]
    if tagged is not None:
        return tagged
    if (boxed := _find_boxed(text)) is not None:
        return boxed
    fence: int | None = None
    lines, labels, fences = _lines(text), dict[int, str](), _json_answers(text)
    for number, line in enumerate(lines):
        if (label := _find_label(line, rules)) is not None:
            labels[number] = label
        bare = line.strip()
        if fence is None and bare.startswith("```") and "`" not in bare[3:]:
            fence = number
        elif fence is not None and bare == "```":
            fences[fence], fence = (
                _print_argument("\n".join(lines[fence + 1 : number]), rules),
                None,
            )
    number = max(labels, default=-1)
    if labels and lines[number].rstrip().endswith(labels[number]):
        labels[number] = _with_steps_below(labels[number], lines[number + 1 :], rules)
    marks = fences | labels
    return marks[max(marks)] if marks else None


def _find_boxed(text: str) -> str | None:
    r"""Return the content of the last `\boxed{}` with balanced braces."""
    opened: list[int] = []
    content, last = None, -1
    for mark in re.finditer(r"\\boxed\s*\{|\\.|[{}]", text, re.DOTALL):
        if mark[0] == "}":
            start = opened.pop() if opened else -1
            if start > last:
                content, last = text[start : mark.start()], start
        elif mark[0] == "{":
            opened.append(-1)
        elif mark[0].startswith(r"\boxed"):
            opened.append(mark.end())
    return content


def _closes(text: str) -> bool:
    """Return whether a text ends with its first unmatched closing brace."""
    depth = 0
    for place, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return place == len(text) - 1
    return False


def strip_marks(line: str) -> str:
    """Return a line without its marks and the bullet in front of them."""
    behind = re.sub(f"^{LIST_MARK}(?=[*_`$\\\\])", "", line, flags=re.IGNORECASE | re.ASCII)
    return unwrap(behind)


def _first_of_working(lines: list[list[str]]) -> int:
    """Return the index of the first line that starts a working without unused results."""
    for first in range(len(lines)):
        above = [step for line in lines[:first] for step in line]
        *steps, last = [step for line in lines[first:] for step in line]
        is_start = not set(left_after(above)) & set(numbers_in(lines[first][0]))
        if is_start and not left_after([*steps, last.rpartition("=")[0] or last]):
            return first
    return 0


def _with_steps_below(text: str, lines: list[str], rules: Rules) -> str:
    """Return the text after a label, with the steps below that use its results."""
    steps = stated_steps(unwrap(text), rules)
    if not steps or "=" not in steps[-1]:
        return text
    run, used, unused, length = [text], False, left_after(steps), 1
    of_lines = [[*steps]]
    for raw in lines:
        line = strip_marks(raw)
        if not line.strip("`$* _"):
            run.append("")
            continue
        below = stated_steps(line, rules)
        if not below or (strip_bullets(raw) != raw and strip_bullets(text) == text):
            break
        run.append(line)
        numbers = {number for step in below for number in numbers_in(step)}
        used = used or bool(numbers & set(unused))
        if numbers & set(left_after(steps)):
            length = len(run)
        steps += below
        of_lines.append(below)
        if "=" not in below[-1]:
            break
    return "\n".join(run[:length]) if used and _first_of_working(of_lines) != 1 else text


def _json_answers(text: str) -> dict[int, str]:
    """Return the answers in objects of JSON by the number of their first line."""
    answers: dict[int, str] = {}
    number = -1
    offset = 0
    for number, line in enumerate(text.split("\n")):
        begin = offset + len(line) - len(line.lstrip())
        values = _json_strings(text, begin) if text[begin : begin + 1] == "{" else {}
        for name in ("solution", "answer", "final_answer", "formula", "equation", "expression"):
            if values.get(name):
                answers[number] = values[name]
        offset += len(line) + 1
    return answers


def _json_strings(text: str, start: int) -> dict[str, str]:
    """Return the strings in an object of JSON without inner objects, by their names."""
    strings: list[tuple[str, int, int]] = []
    place, end = start + 1, -1
    while place < len(text) and text[place] not in "{}":
        if text[place] != '"':
            place += 1
            continue
        string = re.compile(r'"((?:[^"\\\n]|\\.)*)"').match(text, place)
        if string is None:
            return {}
        strings.append((string[1], place, string.end()))
        place = string.end()
    if text[place : place + 1] != "}" or text[place + 1 :].partition("\n")[0].strip():
        return {}
    values: dict[str, str] = {}
    for (name, _, end), (value, begin, behind) in pairwise(strings):
        if text[end:begin].strip() == ":" and not text[behind:].lstrip().startswith(":"):
            values[name.casefold()] = re.sub(
                r'\\(?:([\\"/])|u([0-9A-Fa-f]{4})|n(?![a-z]))', _unescape, value
            )
    return values


def _unescape(escape: re.Match[str]) -> str:
    return escape[1] or (chr(int(escape[2], 16)) if escape[2] else "\n")


def _print_argument(code: str, rules: Rules) -> str:
    """Return the argument of a program that only prints; else the program."""
    *before, last = [line for line in code.split("\n") if line.strip()] or [""]
    call = re.fullmatch(r"\s*print\(([^#]*)\)\s*(?:#.*)?", last)
    if call and all(line.lstrip().startswith("#") for line in before):
        return call[1] if _is_formula(call[1], rules) else code
    return code


def _is_formula(text: str, rules: Rules) -> bool:
    """Return whether a text is more than a number: a formula, steps or a claim."""
    answer = unwrap(text)
    bare = re.fullmatch(r"\s*-?\s*(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*", normalise(answer))
    return bool(answer) and len(answer) <= MAX_ANSWER and is_answer(answer, rules) and not bare


def _find_label(line: str, rules: Rules) -> str | None:
    """Return the text after a label such as `Answer:`, None without a label or text."""
    label = _LABEL.match(line)
    if label is None:
        return None
    mark, text = label[1], line[label.end() :].strip()
    if mark and mark not in (label[2], label[4]):
        if text.startswith(mark):
            text = text[len(mark) :]
        elif text.rstrip(".。．").endswith(mark):
            text = text.rstrip(".。．")[: -len(mark)]
    [(first, stop, rest)] = re.findall(r"^((?:\.\d|[^.。．])*)([.。．]?)(.*)", text)
    formula = re.search(r"[=\\]|[0-9)\]]\s*[-+*/×÷:x·−]\s*[0-9(\[]", rest)
    if re.match(r"[ \t]+[^\W\d_]", rest) and not formula and is_answer(unwrap(first), rules):
        text = first + stop
    if label[3] and not _is_formula(text, rules):
        return None
    return text.strip() or None


def _lines(text: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", text)


def unwrap(text: str) -> str:
    """Return a text without marks around it, one full stop and one tick."""
    stop = tick = True
    start, end = 0, len(text)
    while True:
        before = start, end
        while start < end and text[start].isspace():
            start += 1
        while start < end and text[end - 1].isspace():
            end -= 1
        for mark in _TICKS:
            if tick and text.endswith(mark, start, end):
                end, tick = end - len(mark), False
            elif tick and text.startswith(mark, start, end):
                start, tick = start + len(mark), False
        if stop and end > start and text[end - 1] in ".。．":
            end, stop = end - 1, False
        look = re.compile(r"\\(?:text|textbf|mathbf|(?:text)?color\s*\{[A-Za-z]+\})\s*\{").match(
            text, start, end
        )
        if look and end - look.end() <= MAX_ANSWER and _closes(text[look.end() : end]):
            start, end = look.end(), end - 1
        for left, right in _WRAPS:
            fits = end - start >= len(left) + len(right)
            if fits and text.startswith(left, start) and text.endswith(right, start, end):
                first, *others = _lines(text[start:end])
                if others and right not in ("*", "_") and right in first[len(left) :]:
                    # Marks of the first line are not marks around all lines.
                    break
                start, end = start + len(left), end - len(right)
                break
        if (start, end) == before:
            return text[start:end]


# Evaluate the answer.


def evaluate(tree: Tree, rules: Rules | None, faults: list[Judgement]) -> Fraction:
    """Return the value of a tree; add illegal steps to `faults`, in the order of work."""
    match tree:
        case ("number" | "made", value):
            return Fraction(value)
        case ("group" | "frac", inner):
            return evaluate(inner, rules, faults)
        case ("minus", inner):
            if rules is not None and not rules.negatives:
                faults.append(("illegal", "sign"))
            return -evaluate(inner, rules, faults)
    (_, first), *links = tree[1:]
    value = evaluate(first, rules, faults)
    for sign, part in links:
        value = _step(value, sign, evaluate(part, rules, faults), rules, faults)
    return value


def _step(
    left: Fraction, sign: str, right: Fraction, rules: Rules | None, faults: list[Judgement]
) -> Fraction:
    if sign == ":" and not right:
        raise NotRightError(*faults, ("illegal", "division-by-zero"))
    if sign in "+-":
        value = left + right if sign == "+" else left - right
    else:
        value = left * right if sign == "x" else left / right
    if rules is not None:
        if sign == ":" and value.denominator > 1 and not rules.fractions:
            faults.append(("illegal", "remainder"))
        if value < 0 and not rules.negatives:
            faults.append(("illegal", "below-zero"))
        if value == 0 and not rules.zero:
            faults.append(("illegal", "zero"))
    return value


def evaluate_legal(tree: Tree, rules: Rules) -> Fraction:
    """Return the value of a tree whose every step is legal."""
    faults: list[Judgement] = []
    if not rules.parentheses and (has_parentheses(tree) or not is_row(tree)):
        faults.append(("illegal", "operator"))
    if not faults and not rules.parentheses:
        # Without parentheses, evaluate by precedence.
        tree = flat(tree)
    value = evaluate(tree, rules, faults)
    if faults:
        # Operators and signs are checked before steps.
        raise NotRightError(*sorted(faults, key=lambda fault: fault[1] not in ("operator", "sign")))
    return value


def check_numbers(tree: Tree, hand: Counter[int], rules: Rules) -> None:
    """Raise `NotRightError` if the numbers of a tree are not those of the hand."""
    used = list(leaves_of(tree))
    dealt: Counter[Fraction] = Counter()
    for number, count in hand.items():
        dealt[Fraction(number)] += count
    plus = Counter(value for value, minus in used if not minus)
    either = Counter(value for value, _ in used)
    strange = missing = False
    for size in {abs(number) for number in (*dealt, *either)}:
        # A number with a minus uses a negative number of the hand first.
        below = dealt[-size] if size else 0
        there = dealt[size] + below
        strange = strange or plus[size] > dealt[size] or either[size] > there
        strange = strange or (rules.all_numbers and either[size] - plus[size] < below)
        missing = missing or either[size] < there
    missing = missing and rules.all_numbers
    if strange:
        raise NotRightError(
            ("wrong", "numbers"), *([("wrong", "numbers-missing")] if missing else [])
        )
    if missing:
        raise NotRightError(("wrong", "numbers-missing"))


def _judge_answer(
    answer: str, hand: Counter[int], target: Fraction, rules: Rules, marked: bool
) -> Judgement:
    named = claim_in(strip_bullets(answer))
    if named is not None:
        return judge_claim(named, hand, target, rules)
    if len(answer) > MAX_ANSWER:
        raise NotRightError(("malformed", "too-long"))
    kind_and_parts = parts_of_answer(answer, rules, marked)
    if kind_and_parts is None:
        faults = faults_in_order(answer, rules)
        if not rules.parentheses and re.search(r"[(\[]", normalise(answer)):
            faults.append(("illegal", "operator"))
        raise NotRightError(*faults)
    kind, parts = kind_and_parts
    return (
        judge_sides(parts, hand, target, rules)
        if kind == "sides"
        else judge_steps(parts, hand, target, rules)
    )


def judge_sides(sides: list[Side], hand: Counter[int], target: Fraction, rules: Rules) -> Judgement:
    """Judge a formula, or a chain: its first side that is not a number is the formula."""
    if sides[0].tree is None and all(side.stated is not None for side in sides):
        raise NotRightError(("malformed", "decimal"))
    formulas = [side.tree for side in sides if side.tree is not None]
    tree = next((side.tree for side in sides if side.tree and side.stated is None), formulas[0])
    value = evaluate_legal(tree, rules)
    faults: list[Judgement] = []
    try:
        check_numbers(tree, hand, rules)
    except NotRightError as refused:
        faults += refused.judgements
    if value != target:
        faults.append(("wrong", "value"))
    others = [
        evaluate(side.tree, None, []) if side.stated is None and side.tree else side.stated
        for side in sides
    ]
    for other in others:
        faults += _stated_faults(value, other)
    if faults:
        raise NotRightError(*faults)
    return "right", "ok"


def _stated_faults(value: Fraction, stated: Fraction | None) -> list[Judgement]:
    """Return the faults of a stated value: `rounded` if it is close, and `stated`."""
    if stated is None or stated == value:
        return []
    places = next((n for n in range(1, 99) if (stated * 10**n).denominator == 1), 99)
    close = stated.denominator > 1 and abs(value - stated) < Fraction(1, 10**places)
    return [("wrong", "rounded"), ("wrong", "stated")][not close :]


def judge_steps(
    steps: list[tuple[Side, Fraction | None]],
    hand: Counter[int],
    target: Fraction,
    rules: Rules,
) -> Judgement:
    """Judge a working, step by step."""
    try:
        return _evaluate_steps(steps, hand, target, rules, made_first=True)
    except NotRightError as refused:
        if rules.parentheses or ("illegal", "operator") not in refused.judgements:
            raise
    return _evaluate_steps(steps, hand, target, rules, made_first=False)


def _evaluate_steps(
    steps: list[tuple[Side, Fraction | None]],
    hand: Counter[int],
    target: Fraction,
    rules: Rules,
    *,
    made_first: bool,
) -> Judgement:
    left = Counter({Fraction(number): count for number, count in hand.items()})
    results: list[tuple[Fraction, Tree]] = []

    def substitute(tree: Tree) -> Tree:
        if tree[0] in ("number", "made") or (tree[0] == "minus" and tree[1][0] == "number"):
            value = tree[1] if tree[0] != "minus" else -tree[1][1]
            dealt = tree[0] != "made" and left[value] > 0
            if made_first or not dealt:
                for place, (result, how) in enumerate(results):
                    if result == value:
                        results.pop(place)
                        return how
            if tree[0] == "minus" and not dealt:
                return ("minus", substitute(tree[1]))
            if not dealt:
                raise NotRightError(("wrong", "numbers"), ("wrong", "numbers-missing"))
            left[value] -= 1
            return ("number", value)
        return map_parts(tree, substitute)

    for place, (side, stated) in enumerate(steps):
        assert side.tree is not None
        tree, last = side.tree, place == len(steps) - 1
        value = evaluate_legal(_results_are_numbers(tree, [result for result, _ in results]), rules)
        used = substitute(tree)
        if stated is not None and stated != value and not last:
            raise NotRightError(*_stated_faults(value, stated))
        # The tree is only needed in a game without parentheses.
        results.append((value, ("made", value) if rules.parentheses else used))
    value, tree = results.pop()
    faults: list[Judgement] = []
    if rules.all_numbers and (results or any(left.values())):
        faults += [("wrong", "numbers-missing"), ("wrong", "numbers")]
    if not rules.parentheses and not is_row(tree):
        raise NotRightError(("illegal", "operator"))
    if value != target:
        faults.append(("wrong", "value"))
    faults += _stated_faults(value, stated)
    if faults:
        raise NotRightError(*faults)
    return "right", "ok"


def _results_are_numbers(tree: Tree, results: list[Fraction]) -> Tree:
    """Return a step in which negative results are numbers, not operations."""
    if tree[0] == "minus" and tree[1][0] == "number" and -tree[1][1] in results:
        return ("number", -tree[1][1])
    return map_parts(tree, lambda part: _results_are_numbers(part, results))


# Claims of no solution.


def judge_claim(named: str, hand: Counter[int], target: Fraction, rules: Rules) -> Judgement:
    """Judge a claim that the target cannot be made."""
    if named and int(named) != target:
        raise NotRightError(
            ("wrong", "stated"), ("malformed", "not-a-formula"), ("wrong", "solvable")
        )
    if hand.total() > MAX_PROVED:
        raise NotRightError(("wrong", "undecided"))
    if solvable(tuple(sorted(hand.elements())), target, rules):
        raise NotRightError(("wrong", "solvable"))
    return "right", "no-solution"


@lru_cache(maxsize=1 << 12)
def solvable(hand: tuple[int, ...], target: Fraction, rules: Rules) -> bool:
    """Return whether a hand makes a target, by brute force."""
    if not rules.parentheses:
        return any(_legal(row, rules) == target for row in _rows(hand))
    least = len(hand) if rules.all_numbers else 1
    return any(
        target in _values_of(part, rules._replace(letters=False))
        for size in range(least, len(hand) + 1)
        for part in set(combinations(hand, size))
    )


@cache
def _values_of(hand: tuple[int, ...], rules: Rules) -> frozenset[Fraction]:
    """Return the values of a hand with each number used once."""
    if len(hand) == 1:
        # In a game with negative numbers, a minus can precede it.
        return frozenset({Fraction(hand[0])} | ({Fraction(-hand[0])} if rules.negatives else set()))
    values: set[Fraction] = set()
    splits = {
        (tuple(hand[index] for index in left), tuple(hand[i] for i in places if i not in left))
        for places in [range(len(hand))]
        for size in range(1, len(hand))
        for left in combinations(places, size)
    }
    for left, right in splits:
        for a, b in product(_values_of(left, rules), _values_of(right, rules)):
            values |= {a + b, a - b, a * b} | ({a / b} if b else set())
    return frozenset(value for value in values if _allowed(value, rules))


def _allowed(value: Fraction, rules: Rules) -> bool:
    return (
        (rules.fractions or value.denominator == 1)
        and (rules.negatives or value >= 0)
        and (rules.zero or value != 0)
    )


def _rows(hand: tuple[int, ...]) -> Iterator[Tree]:
    for numbers in set(permutations(hand)):
        for signs in product("+-x:", repeat=len(hand) - 1):
            row = [Token("number", Fraction(numbers[0]))]
            for sign, number in zip(signs, numbers[1:], strict=True):
                row += [Token(sign), Token("number", Fraction(number))]
            yield Parser(row, frozenset()).parse()


def _legal(tree: Tree, rules: Rules) -> Fraction | None:
    try:
        return evaluate_legal(tree, rules)
    except NotRightError:
        return None
