r"""A second judge, written apart from the first: what the verdict on an answer has to be.

It is the specification in another hand: no line of it comes from the package, nothing is run that
a text says, and it asks five things in turn. Which part of the text is the answer? Is it read? Is
each step legal? Are its numbers those of the hand? Does it make what was asked, and what it says?
The first that fails gives the verdict: none, malformed, illegal, wrong, wrong. Where several faults
of one kind meet, `judged` names one of them and `judgements` all, and any will do.

What the plan of the judge leaves open is decided so:

- Tags are ASCII letters of any size, without spaces. Of nested tags and boxes the last one that
  opens counts. An empty one is no answer: nothing before it counts instead.
- A label says something on its own line; one that does not is passed over. What stands before it
  may be a heading's, a quotation's or a list's mark, or that of bold or italic.
- What is marked is read as a whole. If it cannot be, the last line of it that can be is the answer
  where other lines are words; where all lines can be read, and differ, they are two answers.
- What is not marked is read as a whole, and then by lines. One line of digits and signs without
  any word is an answer that cannot be read; other texts that cannot be are none.
- A chain: its first side that is no bare number is judged by the rules and the hand, the others
  by exact arithmetic alone. In a working what a step makes is used before what was dealt, and each
  step but the last is held to what it states.
- What is wrong in several ways is wrong in its numbers, then in its value, then in what it states.
- Parentheses where a game has none are an `operator` that it does not have, and so is a fraction
  or a working that would need them.
- With a minus before a parenthesis a hand that makes 24 makes -24: no claim denies it.
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
    MOST_ANSWER,
    MOST_PROVED,
    MOST_TEXT,
    MOST_WRAPPINGS,
    Judgement,
    NotRightError,
    Parser,
    Rules,
    Side,
    Token,
    Tree,
    changed,
    claim_in,
    faults_in_order,
    flat,
    has_parentheses,
    in_a_row,
    leaves_of,
    left_after,
    numbers_in,
    parts_of_answer,
    pieces_of,
    plain,
    reads,
    stated_steps,
    unlisted,
)


def judged(text: Any, hand: Sequence[int], target: Fraction | int, rules: Rules) -> Judgement:
    """Return the verdict on a text, and its code."""
    return judgements(text, hand, target, rules)[0]


def judgements(
    text: Any, hand: Sequence[int], target: Fraction | int, rules: Rules
) -> list[Judgement]:
    """Return all that can be said of a text, the best first: of what is right, one thing alone."""
    try:
        answer, marked = answer_in(text_of(text), rules)
        return [_judged(answer, Counter(hand), Fraction(target), rules, marked)]
    except NotRightError as refused:
        return list(dict.fromkeys(refused.judgements))


# What is a text, and which part of it is the answer.


def text_of(given: Any) -> str:
    """Return what is judged: a text, bytes, or the last that an assistant says in a chat."""
    if isinstance(given, bytes):
        given = given.decode(errors="replace")
    if isinstance(given, list) and given and all(isinstance(each, dict) for each in given):
        said = [each.get("content") for each in given if each.get("role") == "assistant"]
        given = said[-1] if said else None
    if not isinstance(given, str):
        raise NotRightError(("none", "not-text"), ("none", "no-answer"))
    if len(given) > MOST_TEXT:
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
    r"(?:<\|[a-z_]{1,40}\|>|</s>|<end_of_turn>|<eos>)\s*", re.IGNORECASE | re.ASCII
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

    Neither hand nor target decides.
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
    while marked < MOST_WRAPPINGS and (inner := _marked(text, rules)) is not None:
        text, marked = inner, marked + 1
    answer = unwrapped(text)
    if not answer:
        raise NotRightError(("none", "no-answer"), ("malformed", "not-a-formula"))
    if len(answer) > MOST_ANSWER and (marked or _looks_like_one(answer)):
        raise NotRightError(("malformed", "too-long"))
    if len(answer) <= MOST_ANSWER and meant(answer, rules, marked > 0):
        found = None if marked else parts_of_answer(answer, rules)
        run = _run_of(answer, rules) if found and found[0] == "steps" else None
        steps = run and (parts_of_answer(run, rules) or ("",))[0] == "steps"
        return (run or "") if steps else answer, marked > 0
    lines = [answer]
    if not marked or len(_lines(answer)) > 1:
        lines = [line for each in _lines(answer) if (line := bared(each)).strip("`$ ")]
    whole = [line for line in lines if len(line) <= MOST_ANSWER and meant(line, rules)]
    run = _run_of(answer, rules, marked > 0) if whole else None
    if run and len(_lines(run)) == len(lines):
        return run, marked > 0
    if marked:
        # All of it, to be refused, or what stands among words.
        several = len(whole) == len(lines) and len({"".join(line.split()) for line in lines}) > 1
        pieces = pieces_of(answer)
        several = several or (
            len({"".join(piece.split()) for piece in pieces}) > 1
            and all(meant(piece, rules) and piece == unlisted(piece) for piece in pieces)
        )
        if several or not whole:
            return answer, True
    if whole:
        return run or whole[-1], marked > 0
    if _looks_like_one(answer):
        return answer, False
    raise NotRightError(("none", "no-answer"))


def _run_of(answer: str, rules: Rules, marked: bool = False) -> str | None:
    """Return the working on lines next to each other of which the last line is a step, if any.

    What is not marked has only the last of several: it uses nothing made above it, and all of its
    own.
    """
    run: list[str] = []
    for each in reversed(_lines(answer)):
        line = bared(each)
        if not line.strip("`$* _"):
            continue
        if not (len(line) <= MOST_ANSWER and meant(line, rules)):
            if run:
                break
            continue
        if run:
            steps = stated_steps(line, rules)
            if not (steps and "=" in steps[-1]):
                break
        run.insert(0, unlisted(line).strip())
    steps_of_lines = [stated_steps(line, rules) for line in run]
    if not marked and all(steps_of_lines):
        run = run[_first_of_working(steps_of_lines) :]
    text = "\n".join(run)
    found = parts_of_answer(text, rules) if len(run) > 1 and len(text) <= MOST_ANSWER else None
    if found and found[0] == "steps":
        return text
    return run[-1] if run and len(run) < len(steps_of_lines) else None


def meant(line: str, rules: Rules, marked: bool = False) -> bool:
    """Return whether a line is a formula, a working or a claim, or would be one of other numbers.

    A number with a point is none, and `|` joins in some games alone.
    """
    written = re.sub(r"(?<![0-9.])[0-9]*\.[0-9]+", "1", line.replace("|", "+"))
    alone = re.fullmatch(r"\s*-?\s*1\s*", written)
    return reads(line, rules, marked) or (
        written != line and not alone and parts_of_answer(written, rules, marked) is not None
    )


def _looks_like_one(line: str) -> bool:
    """Return whether one line that is no formula was meant as one: digits, and no words."""
    if "\n" in line or "\r" in line:
        return False
    line = re.sub(r"\\[A-Za-z]+", " ", line)
    return bool(re.search(r"\d", line)) and not re.search(r"[^\W\d_][^\W\d_]", line)


def _marked(text: str, rules: Rules) -> str | None:
    """Return what stands in the mark that says where the answer is, if there is one."""
    opened, tagged = -1, None
    for tag in _TAG.finditer(text):
        if not tag[1]:
            opened = tag.end()
        elif opened >= 0:
            tagged, opened = text[opened : tag.start()], -1
    if tagged is not None:
        return tagged
    if (boxed := _boxed(text)) is not None:
        return boxed
    fence: int | None = None
    lines, labels, fences = _lines(text), dict[int, str](), _objects(text)
    for number, line in enumerate(lines):
        if (said := _labelled(line, rules)) is not None:
            labels[number] = said
        bare = line.strip()
        if fence is None and bare.startswith("```") and "`" not in bare[3:]:
            fence = number
        elif fence is not None and bare == "```":
            fences[fence], fence = _printed("\n".join(lines[fence + 1 : number]), rules), None
    number = max(labels, default=-1)
    if labels and lines[number].rstrip().endswith(labels[number]):
        labels[number] = _with_steps_below(labels[number], lines[number + 1 :], rules)
    marks = fences | labels
    return marks[max(marks)] if marks else None


def _boxed(text: str) -> str | None:
    r"""Return what stands in the last `\boxed{}` whose braces are balanced."""
    opened: list[int] = []
    found, last = None, -1
    for mark in re.finditer(r"\\boxed\s*\{|\\.|[{}]", text, re.DOTALL):
        if mark[0] == "}":
            start = opened.pop() if opened else -1
            if start > last:
                found, last = text[start : mark.start()], start
        elif mark[0] == "{":
            opened.append(-1)
        elif mark[0].startswith(r"\boxed"):
            opened.append(mark.end())
    return found


def _closes(text: str) -> bool:
    """Return whether the last brace of a text, at its end, is the first to close one too many."""
    depth = 0
    for place, each in enumerate(text):
        depth += (each == "{") - (each == "}")
        if depth < 0:
            return place == len(text) - 1
    return False


def bared(line: str) -> str:
    """Return a line without its marks, nor what a list has before them."""
    behind = re.sub(f"^{LIST_MARK}(?=[*_`$\\\\])", "", line, flags=re.IGNORECASE | re.ASCII)
    return unwrapped(behind)


def _first_of_working(lines: list[list[str]]) -> int:
    """Return the first line from which steps use nothing above it, and all that they make."""
    for first in range(len(lines)):
        above = [step for line in lines[:first] for step in line]
        *steps, last = [step for line in lines[first:] for step in line]
        begins = not set(left_after(above)) & set(numbers_in(lines[first][0]))
        if begins and not left_after([*steps, last.rpartition("=")[0] or last]):
            return first
    return 0


def _with_steps_below(said: str, lines: list[str], rules: Rules) -> str:
    """Return what is behind a label, and the steps below it if it is one that they go on with."""
    steps = stated_steps(unwrapped(said), rules)
    if not steps or "=" not in steps[-1]:
        return said
    run, used, made, length = [said], False, left_after(steps), 1
    of_lines = [[*steps]]
    for raw in lines:
        line = bared(raw)
        if not line.strip("`$* _"):
            run.append("")
            continue
        below = stated_steps(line, rules)
        if not below or (unlisted(raw) != raw and unlisted(said) == said):
            break
        run.append(line)
        numbers = {number for step in below for number in numbers_in(step)}
        used = used or bool(numbers & set(made))
        if numbers & set(left_after(steps)):
            length = len(run)
        steps += below
        of_lines.append(below)
        if "=" not in below[-1]:
            break
    return "\n".join(run[:length]) if used and _first_of_working(of_lines) != 1 else said


def _objects(text: str) -> dict[int, str]:
    """Return the answers in objects of JSON, each by the number of the line where it begins."""
    found: dict[int, str] = {}
    number = -1
    at = 0
    for number, line in enumerate(text.split("\n")):
        begin = at + len(line) - len(line.lstrip())
        values = _object_at(text, begin) if text[begin : begin + 1] == "{" else {}
        for name in ("solution", "answer", "final_answer", "formula", "equation", "expression"):
            if values.get(name):
                found[number] = values[name]
        at += len(line) + 1
    return found


def _object_at(text: str, at: int) -> dict[str, str]:
    """Return the strings in an object of JSON without others in it, by their names."""
    strings: list[tuple[str, int, int]] = []
    place, end = at + 1, -1
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
    found: dict[str, str] = {}
    for (name, _, end), (value, begin, behind) in pairwise(strings):
        if text[end:begin].strip() == ":" and not text[behind:].lstrip().startswith(":"):
            found[name.casefold()] = re.sub(
                r'\\(?:([\\"/])|u([0-9A-Fa-f]{4})|n(?![a-z]))', _meant, value
            )
    return found


def _meant(escape: re.Match[str]) -> str:
    return escape[1] or (chr(int(escape[2], 16)) if escape[2] else "\n")


def _printed(code: str, rules: Rules) -> str:
    """Return what a program prints that does nothing else; else the program."""
    *before, last = [line for line in code.split("\n") if line.strip()] or [""]
    found = re.fullmatch(r"\s*print\(([^#]*)\)\s*(?:#.*)?", last)
    if found and all(line.lstrip().startswith("#") for line in before):
        return found[1] if _says(found[1], rules) else code
    return code


def _says(said: str, rules: Rules) -> bool:
    """Return whether a text is more than a number: a formula, steps or a claim."""
    answer = unwrapped(said)
    bare = re.fullmatch(r"\s*-?\s*(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*", plain(answer))
    return bool(answer) and len(answer) <= MOST_ANSWER and meant(answer, rules) and not bare


def _labelled(line: str, rules: Rules) -> str | None:
    """Return what stands behind `Answer:` and its like, if the line begins so and goes on."""
    found = _LABEL.match(line)
    if found is None:
        return None
    mark, said = found[1], line[found.end() :].strip()
    if mark and mark not in (found[2], found[4]):
        if said.startswith(mark):
            said = said[len(mark) :]
        elif said.rstrip(".。．").endswith(mark):
            said = said.rstrip(".。．")[: -len(mark)]
    if found[3] and not _says(said, rules):
        return None
    return said.strip() or None


def _lines(text: str) -> list[str]:
    return re.split(r"\r\n|\r|\n", text)


def unwrapped(text: str) -> str:
    """Return a text without the marks around the whole, one full stop and a tick."""
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
        if look and end - look.end() <= MOST_ANSWER and _closes(text[look.end() : end]):
            start, end = look.end(), end - 1
        for left, right in _WRAPS:
            fits = end - start >= len(left) + len(right)
            if fits and text.startswith(left, start) and text.endswith(right, start, end):
                first, *others = _lines(text[start:end])
                if others and right not in ("*", "_") and right in first[len(left) :]:
                    # Lines with marks of their own have none around them all.
                    break
                start, end = start + len(left), end - len(right)
                break
        if (start, end) == before:
            return text[start:end]


# What it is worth.


def worth(tree: Tree, rules: Rules | None, told: list[Judgement]) -> Fraction:
    """Return the value of a tree; add to `told` what is illegal, in the order of the work."""
    match tree:
        case ("number" | "made", value):
            return Fraction(value)
        case ("group" | "frac", inner):
            return worth(inner, rules, told)
        case ("minus", inner):
            if rules is not None and not rules.negatives:
                told.append(("illegal", "sign"))
            return -worth(inner, rules, told)
    (_, first), *links = tree[1:]
    value = worth(first, rules, told)
    for sign, part in links:
        value = _step(value, sign, worth(part, rules, told), rules, told)
    return value


def _step(
    left: Fraction, sign: str, right: Fraction, rules: Rules | None, told: list[Judgement]
) -> Fraction:
    if sign == ":" and not right:
        raise NotRightError(*told, ("illegal", "division-by-zero"))
    if sign in "+-":
        value = left + right if sign == "+" else left - right
    else:
        value = left * right if sign == "x" else left / right
    if rules is not None:
        if sign == ":" and value.denominator > 1 and not rules.fractions:
            told.append(("illegal", "remainder"))
        if value < 0 and not rules.negatives:
            told.append(("illegal", "below-zero"))
        if value == 0 and not rules.zero:
            told.append(("illegal", "zero"))
    return value


def legal_worth(tree: Tree, rules: Rules) -> Fraction:
    """Return the value of a tree whose every step is legal."""
    told: list[Judgement] = []
    if not rules.parentheses and (has_parentheses(tree) or not in_a_row(tree)):
        told.append(("illegal", "operator"))
    if not told and not rules.parentheses:
        # A row is worked out as it stands.
        tree = flat(tree)
    value = worth(tree, rules, told)
    if told:
        # A sign is seen before anything is worked out.
        raise NotRightError(*sorted(told, key=lambda each: each[1] not in ("operator", "sign")))
    return value


def hold_to_hand(tree: Tree, hand: Counter[int], rules: Rules) -> None:
    """Refuse a tree whose numbers are not those of the hand."""
    used = list(leaves_of(tree))
    dealt: Counter[Fraction] = Counter()
    for number, count in hand.items():
        dealt[Fraction(number)] += count
    plus = Counter(value for value, minus in used if not minus)
    either = Counter(value for value, _ in used)
    strange = missing = False
    for size in {abs(number) for number in (*dealt, *either)}:
        # A minus before a number takes one that is below zero, if there is one.
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


def _judged(
    answer: str, hand: Counter[int], target: Fraction, rules: Rules, marked: bool
) -> Judgement:
    named = claim_in(unlisted(answer))
    if named is not None:
        return judged_claim(named, hand, target, rules)
    if len(answer) > MOST_ANSWER:
        raise NotRightError(("malformed", "too-long"))
    found = parts_of_answer(answer, rules, marked)
    if found is None:
        faults = faults_in_order(answer, rules)
        if not rules.parentheses and re.search(r"[(\[]", plain(answer)):
            faults.append(("illegal", "operator"))
        raise NotRightError(*faults)
    kind, parts = found
    return (
        judged_sides(parts, hand, target, rules)
        if kind == "sides"
        else judged_steps(parts, hand, target, rules)
    )


def judged_sides(
    sides: list[Side], hand: Counter[int], target: Fraction, rules: Rules
) -> Judgement:
    """Judge a formula, or a chain of sides of which the first that is no number counts."""
    if sides[0].tree is None and all(side.stated is not None for side in sides):
        raise NotRightError(("malformed", "decimal"))
    formulas = [side.tree for side in sides if side.tree is not None]
    tree = next((side.tree for side in sides if side.tree and side.stated is None), formulas[0])
    value = legal_worth(tree, rules)
    told: list[Judgement] = []
    try:
        hold_to_hand(tree, hand, rules)
    except NotRightError as refused:
        told += refused.judgements
    if value != target:
        told.append(("wrong", "value"))
    others = [
        worth(side.tree, None, []) if side.stated is None and side.tree else side.stated
        for side in sides
    ]
    for other in others:
        told += _misstated(value, other)
    if told:
        raise NotRightError(*told)
    return "right", "ok"


def _misstated(value: Fraction, stated: Fraction | None) -> list[Judgement]:
    """Return what is wrong with what a step states: it may be rounded, or else it is another."""
    if stated is None or stated == value:
        return []
    places = next((n for n in range(1, 99) if (stated * 10**n).denominator == 1), 99)
    close = stated.denominator > 1 and abs(value - stated) < Fraction(1, 10**places)
    return [("wrong", "rounded"), ("wrong", "stated")][not close :]


def judged_steps(
    steps: list[tuple[Side, Fraction | None]],
    hand: Counter[int],
    target: Fraction,
    rules: Rules,
) -> Judgement:
    """Judge a working, step by step."""
    try:
        return _worked(steps, hand, target, rules, made_first=True)
    except NotRightError as refused:
        if rules.parentheses or ("illegal", "operator") not in refused.judgements:
            raise
    return _worked(steps, hand, target, rules, made_first=False)


def _worked(
    steps: list[tuple[Side, Fraction | None]],
    hand: Counter[int],
    target: Fraction,
    rules: Rules,
    *,
    made_first: bool,
) -> Judgement:
    left = Counter({Fraction(number): count for number, count in hand.items()})
    made: list[tuple[Fraction, Tree]] = []

    def filled(tree: Tree) -> Tree:
        if tree[0] in ("number", "made") or (tree[0] == "minus" and tree[1][0] == "number"):
            value = tree[1] if tree[0] != "minus" else -tree[1][1]
            dealt = tree[0] != "made" and left[value] > 0
            if made_first or not dealt:
                for place, (result, how) in enumerate(made):
                    if result == value:
                        made.pop(place)
                        return how
            if tree[0] == "minus" and not dealt:
                return ("minus", filled(tree[1]))
            if not dealt:
                raise NotRightError(("wrong", "numbers"), ("wrong", "numbers-missing"))
            left[value] -= 1
            return ("number", value)
        return changed(tree, filled)

    for place, (side, stated) in enumerate(steps):
        assert side.tree is not None
        tree, last = side.tree, place == len(steps) - 1
        value = legal_worth(_results_are_numbers(tree, [each for each, _ in made]), rules)
        used = filled(tree)
        if stated is not None and stated != value and not last:
            raise NotRightError(*_misstated(value, stated))
        # A tree is asked for where there are no parentheses alone.
        made.append((value, ("made", value) if rules.parentheses else used))
    value, tree = made.pop()
    told: list[Judgement] = []
    if rules.all_numbers and (made or any(left.values())):
        told += [("wrong", "numbers-missing"), ("wrong", "numbers")]
    if not rules.parentheses and not in_a_row(tree):
        raise NotRightError(("illegal", "operator"))
    if value != target:
        told.append(("wrong", "value"))
    told += _misstated(value, stated)
    if told:
        raise NotRightError(*told)
    return "right", "ok"


def _results_are_numbers(tree: Tree, made: list[Fraction]) -> Tree:
    """Return a step in which a result below zero is a number like any other."""
    if tree[0] == "minus" and tree[1][0] == "number" and -tree[1][1] in made:
        return ("number", -tree[1][1])
    return changed(tree, lambda part: _results_are_numbers(part, made))


# Claims that there is no solution.


def judged_claim(named: str, hand: Counter[int], target: Fraction, rules: Rules) -> Judgement:
    """Judge a claim that the target cannot be made."""
    if named and int(named) != target:
        raise NotRightError(
            ("wrong", "stated"), ("malformed", "not-a-formula"), ("wrong", "solvable")
        )
    if hand.total() > MOST_PROVED:
        raise NotRightError(("wrong", "undecided"))
    if solvable(tuple(sorted(hand.elements())), target, rules):
        raise NotRightError(("wrong", "solvable"))
    return "right", "no-solution"


@lru_cache(maxsize=1 << 12)
def solvable(hand: tuple[int, ...], target: Fraction, rules: Rules) -> bool:
    """Return whether a hand makes a target, by trying everything."""
    if not rules.parentheses:
        return any(_legal(row, rules) == target for row in _rows(hand))
    least = len(hand) if rules.all_numbers else 1
    return any(
        target in _made_of(some, rules._replace(letters=False))
        for size in range(least, len(hand) + 1)
        for some in set(combinations(hand, size))
    )


@cache
def _made_of(hand: tuple[int, ...], rules: Rules) -> frozenset[Fraction]:
    """Return what all numbers of a hand make, each used once."""
    if len(hand) == 1:
        # One minus before it is a number as well where there are any below zero.
        return frozenset({Fraction(hand[0])} | ({Fraction(-hand[0])} if rules.negatives else set()))
    found: set[Fraction] = set()
    splits = {
        (tuple(hand[at] for at in left), tuple(hand[at] for at in places if at not in left))
        for places in [range(len(hand))]
        for size in range(1, len(hand))
        for left in combinations(places, size)
    }
    for left, right in splits:
        for a, b in product(_made_of(left, rules), _made_of(right, rules)):
            found |= {a + b, a - b, a * b} | ({a / b} if b else set())
    return frozenset(value for value in found if _allowed(value, rules))


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
            yield Parser(row, frozenset()).whole()


def _legal(tree: Tree, rules: Rules) -> Fraction | None:
    try:
        return legal_worth(tree, rules)
    except NotRightError:
        return None
