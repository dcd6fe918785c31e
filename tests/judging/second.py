r"""A second judge, written apart from the first: what the verdict on an answer has to be.

It is the specification in another hand: no line of it comes from the package, nothing is run that
a text says, and every pattern takes time in proportion to the text. It asks five things in turn.

1. Which part of the text is the answer (`answer_in`), whatever the hand and the target are.
2. Is it read: as one formula, as sides of a chain, as steps of a working, as a claim?
3. Is each step legal in the game?
4. Are its numbers those of the hand?
5. Does it make what was asked, and what it says?

The first that fails gives the verdict: none, malformed, illegal, wrong, wrong. Where several faults
of one kind meet, `judged` names one of them and `judgements` all.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, permutations, product
from typing import Any, NamedTuple

Judgement = tuple[str, str]

MOST_TEXT, MOST_ANSWER, MOST_DIGITS, MOST_DEPTH, MOST_STEPS = 1_000_000, 10_000, 100, 100, 100
# So many marks around an answer are looked into.
MOST_WRAPPINGS = 4
# Claims are looked into for so many numbers; the package says how many it can.
MOST_PROVED = 5


class Rules(NamedTuple):
    """What a game allows."""

    parentheses: bool = True
    fractions: bool = True
    negatives: bool = True
    zero: bool = True
    all_numbers: bool = True
    letters: bool = False


RULES = {
    "free": Rules(),
    "cards": Rules(letters=True),
    "countdown": Rules(fractions=False, negatives=False, zero=False, all_numbers=False),
    "crisps": Rules(parentheses=False, fractions=False, negatives=False),
}
_LETTERS = {"A": 1, "T": 10, "J": 11, "Q": 12, "K": 13}


class Refused(Exception):  # noqa: N818
    """An answer is not right: which verdicts and codes say so, the first of them best."""

    def __init__(self, *judgements: Judgement) -> None:
        super().__init__(judgements)
        self.judgements = judgements


def judged(text: Any, hand: Sequence[int], target: Fraction | int, rules: Rules) -> Judgement:
    """Return the verdict on a text, and its code."""
    return judgements(text, hand, target, rules)[0]


def judgements(
    text: Any, hand: Sequence[int], target: Fraction | int, rules: Rules
) -> list[Judgement]:
    """Return all that can be said of a text, the best first: of what is right, one thing alone."""
    try:
        answer = answer_in(text_of(text), rules)
        return [_judged(answer, Counter(hand), Fraction(target), rules)]
    except Refused as refused:
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
        raise Refused(("none", "not-text"), ("none", "no-answer"))
    if len(given) > MOST_TEXT:
        raise Refused(("none", "too-long"))
    return given


_THINK = re.compile(r"<(/?)think>", re.IGNORECASE | re.ASCII)
_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE | re.ASCII)
_LABEL = re.compile(
    r"[ \t]*(?:#{1,6}[ \t]+|[>-][ \t]+)?(\*\*|__|\*|_)?"
    r"(?:(?:final[ \t]+)?answer(\*\*|__|\*|_)?[ \t]?[:：]"
    r"|the[ \t]+(?:final[ \t]+)?answer[ \t]+is\b[ \t]?[:：]?)",
    re.IGNORECASE | re.ASCII,
)
_WRAPS = [
    ("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("`", "`"),
    ("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"),
]  # fmt: skip
_TICKS = ("✓", "✔", "✅", "☑", "✔\ufe0f", "☑\ufe0f")


def answer_in(text: str, rules: Rules) -> str:
    """Return the part of a text that is the answer, which neither hand nor target decides."""
    after = 0
    for tag in _THINK.finditer(text):
        after = tag.end() if tag[1] else after
    text = text[after:]
    if _THINK.search(text):
        raise Refused(("none", "no-answer"))
    marked = 0
    while marked < MOST_WRAPPINGS and (inner := _marked(text)) is not None:
        text, marked = inner, marked + 1
    answer = unwrapped(text)
    if not answer:
        raise Refused(("none", "no-answer"), ("malformed", "not-a-formula"))
    if len(answer) > MOST_ANSWER and (marked or _looks_like_one(answer)):
        raise Refused(("malformed", "too-long"))
    if len(answer) <= MOST_ANSWER and reads(answer, rules):
        return answer
    lines = [line for each in _lines(answer) if (line := unwrapped(each))]
    whole = [line for line in lines if len(line) <= MOST_ANSWER and reads(line, rules)]
    if marked:
        # All of it, to be refused, or what stands among words.
        return answer if len(whole) in (0, len(lines)) else whole[-1]
    if whole:
        return whole[-1]
    if _looks_like_one(answer):
        return answer
    raise Refused(("none", "no-answer"))


def _looks_like_one(line: str) -> bool:
    """Return whether one line that is no formula was meant as one: digits, and no words."""
    if "\n" in line or "\r" in line:
        return False
    line = re.sub(r"\\[A-Za-z]+", " ", line)
    return bool(re.search(r"\d", line)) and not re.search(r"[^\W\d_][^\W\d_]", line)


def _marked(text: str) -> str | None:
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
    lines, labels, fences = _lines(text), dict[int, str](), dict[int, str]()
    for number, line in enumerate(lines):
        if (said := _labelled(line)) is not None:
            labels[number] = said
        bare = line.strip()
        if fence is None and bare.startswith("```") and "`" not in bare[3:]:
            fence = number
        elif fence is not None and bare == "```":
            fences[fence], fence = "\n".join(lines[fence + 1 : number]), None
    marks = fences | labels
    return marks[max(marks)] if marks else None


def _boxed(text: str) -> str | None:
    r"""Return what stands in the last `\boxed{}` whose braces are balanced."""
    opened: list[int] = []
    found, last = None, -1
    for mark in re.finditer(r"\\boxed\{|\\.|[{}]", text, re.DOTALL):
        if mark[0] == "}":
            start = opened.pop() if opened else -1
            if start > last:
                found, last = text[start : mark.start()], start
        elif mark[0] == "{":
            opened.append(-1)
        elif mark[0] == r"\boxed{":
            opened.append(mark.end())
    return found


def _labelled(line: str) -> str | None:
    """Return what stands behind `Answer:` and its like, if the line begins so and goes on."""
    found = _LABEL.match(line)
    if found is None:
        return None
    mark, said = found[1], line[found.end() :].strip()
    if mark and found[2] != mark:
        if said.startswith(mark):
            said = said[len(mark) :]
        elif said.endswith(mark):
            said = said[: -len(mark)]
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
        if stop and end > start and text[end - 1] in ".。．":
            end, stop = end - 1, False
        for left, right in _WRAPS:
            room = end - start >= len(left) + len(right)
            if room and text.startswith(left, start) and text.endswith(right, start, end):
                start, end = start + len(left), end - len(right)
                break
        if (start, end) == before:
            return text[start:end]


# Characters and words.

_WIDE = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_SPACES = dict.fromkeys([0xA0, 0x1680, 0x202F, 0x205F, 0x3000, *range(0x2000, 0x200B)], " ")
_SIGNS = {
    **dict.fromkeys("-−–‐‑‒➖", "-"),
    **dict.fromkeys("+➕", "+"),
    **dict.fromkeys("xX*×·⋅∙∗✕✖х", "x"),
    **dict.fromkeys(":/÷∕⁄∶➗", ":"),
}
_LATEX_SIGNS = {"times": "x", "cdot": "x", "ast": "x", "div": ":"}
_TOKEN = re.compile(
    r"(?P<space>\s+|\\[,;:! ]|\\q?quad(?![A-Za-z]))|(?P<decimal>[0-9]*\.[0-9]+)|(?P<number>[0-9]+)"
    r"|\\(?P<word>[A-Za-z]+)|(?P<other>.)",
    re.DOTALL,
)
_SLASHES = "/∕⁄"


class Token(NamedTuple):
    """A piece of a formula."""

    kind: str
    """`number`, `decimal`, `frac`, a sign of `+-x:`, a parenthesis, a brace, or `=`."""
    value: Any = None
    spelled: str = ""


def plain(text: str) -> str:
    """Return a text as other keyboards write it."""
    return text.translate(_WIDE | _SPACES)


def faults_of(answer: str, rules: Rules) -> list[Judgement]:
    """Return the codes that fit a text that cannot be read, from the most telling one down."""
    line = _without_spaces(plain(answer))
    bare = _without_fractions(line)
    bare = re.sub(r"\\(?:times|cdot|ast|div|q?quad)(?![A-Za-z])", " ", bare)
    bare = re.sub(r"\\left\s*(?=[(\[])|\\right\s*(?=[)\]])", " ", bare)
    signs = re.escape("".join(_SIGNS))
    told = {
        "too-long": len(line) > MOST_ANSWER,
        "latex": "\\" in bare,
        "power": re.search(r"\*\s*\*|\^|[²³¹⁰⁴-⁹]", line),
        "decimal": re.search(r"\.\s*[0-9]|[0-9]\s*\.", line),
        "number": re.search(r"[0-9]_|_[0-9]|[0-9][eE]|0[xXbBoO]|[0-9]{101}", line),
        "character": any(_is_strange(each, rules) for each in bare),
        "two-answers": re.search(r"[,;、→⇒\n\r]|[-=]>", line),
        "too-deep": _depth(line) > MOST_DEPTH,
        "two-signs": re.search(rf"[{signs}]\s*[{signs}]", bare),
        "not-a-formula": True,
    }
    also = {
        "character": re.search(r"//|/\*|\*/", line),
        "number": any(each.isnumeric() and not each.isascii() for each in line),
    }
    codes = [code for faults in (told, also) for code, true in faults.items() if true]
    return [("malformed", code) for code in codes]


def _without_fractions(line: str) -> str:
    """Return a line in which the fractions of LaTeX, inner ones first, are divisions."""
    for _ in range(MOST_DEPTH):
        line, count = re.subn(r"\\[dt]?frac\s*\{([^{}]+)\}\s*\{([^{}]+)\}", r"(\1):(\2)", line)
        if not count:
            break
    return line


def _is_strange(character: str, rules: Rules) -> bool:
    if rules.letters and character.upper() in _LETTERS:
        return False
    return not (character.isspace() or character in "0123456789()[]=" or character in _SIGNS)


def _depth(line: str) -> int:
    depth = deepest = 0
    for each in line:
        depth += (each in "([{") - (each in ")]}")
        deepest = max(deepest, depth)
    return deepest


def tokens_of(line: str, rules: Rules) -> list[Token]:
    """Return the pieces of a line; raise `Refused` for what is none."""
    if re.search(r"(?<![0-9.])0[xX][0-9A-Fa-f]|[0-9]_|_[0-9]|\*\*|//", line):
        raise Refused()
    found: list[Token] = []
    side = ""
    for piece in _TOKEN.finditer(line):
        kind, text = piece.lastgroup, piece[0]
        if kind == "space":
            continue
        if side and text not in side:
            raise Refused()
        side = ""
        if kind == "number" and len(text) > MOST_DIGITS:
            raise Refused()
        if kind in ("number", "decimal"):
            found.append(Token(kind, Fraction(text) if len(text) <= MOST_DIGITS else None))
        elif kind == "word" and piece["word"] in ("left", "right"):
            side = "([" if piece["word"] == "left" else ")]"
        elif kind == "word":
            word = piece["word"]
            if word not in _LATEX_SIGNS and word not in ("frac", "dfrac", "tfrac"):
                raise Refused()
            found.append(Token(_LATEX_SIGNS.get(word, "frac"), None, "\\" + word))
        elif text in _SIGNS:
            found.append(Token(_SIGNS[text], None, text))
        elif text in "()[]{}=":
            found.append(Token(text))
        elif rules.letters and text.upper() in _LETTERS:
            found.append(Token("number", Fraction(_LETTERS[text.upper()]), text))
        else:
            raise Refused()
    if side:
        raise Refused()
    return found


# Trees: ("number", value), ("made", value), ("minus", tree), ("group", tree) for what stands in
# parentheses, ("frac", tree), and ("chain", ("", tree), (sign, tree), …) of signs of one
# precedence, worked out from the left.
Tree = tuple[Any, ...]


class Parser:
    """Pieces on their way to a tree, from the left, by precedence."""

    def __init__(self, tokens: Sequence[Token], results: frozenset[Fraction]) -> None:
        self.tokens = tokens
        self.results = results
        """What earlier steps made that is not whole: written out, it is one number."""
        self.at = 0

    def whole(self) -> Tree:
        """Return the tree of all pieces."""
        depth = 0
        for token in self.tokens:
            depth += (token.kind in "([{") - (token.kind in ")]}")
            if depth > MOST_DEPTH:
                raise Refused()
        tree = self.chain("+-")
        if self.at < len(self.tokens):
            raise Refused()
        return tree

    def kind(self, ahead: int = 0) -> str:
        """Return the kind of a piece ahead, `end` behind the last."""
        place = self.at + ahead
        return self.tokens[place].kind if place < len(self.tokens) else "end"

    def chain(self, signs: str) -> Tree:
        """Return operands with signs of one precedence between them."""
        links = [("", self.chain("x:") if signs == "+-" else self.operand())]
        while self.kind() in signs:
            sign = self.kind()
            self.at += 1
            links.append((sign, self.chain("x:") if signs == "+-" else self.operand()))
        return ("chain", *links) if len(links) > 1 else links[0][1]

    def operand(self) -> Tree:
        """Return a number, what stands in parentheses, or a fraction, after a minus or none."""
        if self.kind() == "-":
            self.at += 1
            if (made := self.written_out(-1)) is not None:
                return made
            if self.kind() == "-":
                raise Refused()
            return ("minus", self.operand())
        if (made := self.written_out(1)) is not None:
            return made
        kind = self.kind()
        if kind == "number":
            self.at += 1
            return ("number", self.tokens[self.at - 1].value)
        if kind in ("(", "["):
            return ("group", self.inside(kind))
        if kind == "frac":
            self.at += 1
            above, below = self.inside("{"), self.inside("{")
            if above[0] == below[0] == "number" and below[1]:
                value = above[1] / below[1]
                if value in self.results:
                    return ("made", value)
            return ("frac", ("chain", ("", above), (":", below)))
        raise Refused()

    def written_out(self, sign: int) -> Tree | None:
        """Return a result that is not whole, written as a fraction or with a point."""
        if not self.results:
            return None
        if self.kind() == "decimal":
            length, value = 1, self.tokens[self.at].value
        elif self.kind() == self.kind(2) == "number" and self.kind(1) == ":":
            above, slash, below = self.tokens[self.at : self.at + 3]
            before = self.tokens[self.at - 1].spelled if self.at else ""
            after = self.tokens[self.at + 3].spelled if self.kind(3) != "end" else ""
            if slash.spelled not in _SLASHES or not below.value:
                return None
            if before in (*_SLASHES,) or after in (*_SLASHES,):
                return None
            length, value = 3, above.value / below.value
        else:
            return None
        if value is None or sign * value not in self.results:
            return None
        self.at += length
        return ("made", sign * value)

    def inside(self, opening: str) -> Tree:
        """Return what stands between an opening and its closing."""
        if self.kind() != opening:
            raise Refused()
        self.at += 1
        tree = self.chain("+-")
        if self.kind() != {"(": ")", "[": "]", "{": "}"}[opening]:
            raise Refused()
        self.at += 1
        return tree


class Side(NamedTuple):
    """One side of a chain."""

    tree: Tree | None
    """None for a bare number that no hand has: one with a point."""
    stated: Fraction | None
    """What it is as a bare number."""


def side_of(tokens: Sequence[Token], results: frozenset[Fraction] = frozenset()) -> Side:
    """Read a side; raise `Refused` for what is none."""
    bare = tokens[1:] if tokens and tokens[0].kind == "-" else tokens
    if len(bare) == 1 and bare[0].kind in ("number", "decimal") and not bare[0].spelled:
        value = bare[0].value
        if value is None:
            raise Refused()
        stated = -value if len(bare) < len(tokens) else value
        if bare[0].kind == "decimal":
            return Side(None, stated)
        return Side(Parser(tokens, results).whole(), stated)
    return Side(Parser(tokens, results).whole(), None)


def sides_of(line: str, rules: Rules, results: frozenset[Fraction] = frozenset()) -> list[Side]:
    """Read the sides of a chain, `f = g = 24`; a formula has one."""
    tokens = tokens_of(line.replace("==", "="), rules)
    cuts = [place for place, token in enumerate(tokens) if token.kind == "="]
    starts, ends = [0, *(cut + 1 for cut in cuts)], [*cuts, len(tokens)]
    sides = [side_of(tokens[a:b], results) for a, b in zip(starts, ends, strict=True)]
    if all(side.tree is None for side in sides):
        raise Refused()
    return sides


# Steps.

_BETWEEN = re.compile(r"[,;、→⇒\n\r]|[-=]>")


def _without_spaces(line: str) -> str:
    r"""Return a line in which the spaces of LaTeX, such as `\,`, are plain ones."""
    return re.sub(r"\\[,;:! ]", " ", line)


def pieces_of(answer: str) -> list[str]:
    """Return what stands between commas, semicolons, lines and arrows."""
    return [
        piece for each in _BETWEEN.split(_without_spaces(plain(answer))) if (piece := each.strip())
    ]


def steps_of(pieces: Sequence[str], rules: Rules) -> list[tuple[Side, Fraction | None]]:
    """Read the steps of a working, each with what it says that it makes."""
    if not 1 < len(pieces) <= MOST_STEPS:
        raise Refused()
    steps: list[tuple[Side, Fraction | None]] = []
    results: set[Fraction] = set()
    for place, piece in enumerate(pieces):
        formula, equals, says = piece.replace("==", "=").partition("=")
        stated = stated_of(says, rules) if equals else None
        if stated is None and (equals or place < len(pieces) - 1):
            raise Refused()
        uncommon = frozenset(each for each in results if each.denominator > 1)
        side = side_of(tokens_of(formula, rules), uncommon)
        if side.tree is None:
            side = Side(Parser(tokens_of(formula, rules), uncommon).whole(), None)
        steps.append((side, stated))
        if stated is not None:
            results.add(stated)
    return steps


def stated_of(text: str, rules: Rules) -> Fraction | None:
    """Return the number behind `=`: whole, a fraction, or with a point; None for none."""
    tokens = tokens_of(text, rules._replace(letters=False))
    sign = 1
    if tokens and tokens[0].kind == "-":
        sign, tokens = -1, tokens[1:]
    match [token.kind for token in tokens]:
        case ["number" | "decimal"]:
            value = tokens[0].value
        case ["number", ":", "number"] if tokens[1].spelled in _SLASHES and tokens[2].value:
            value = tokens[0].value / tokens[2].value
        case ["frac", "{", "number", "}", "{", "number", "}"] if tokens[5].value:
            value = tokens[2].value / tokens[5].value
        case _:
            return None
    return None if value is None else sign * value


def reads(answer: str, rules: Rules) -> bool:
    """Return whether a text is wholly a formula, a working or a claim."""
    return claim_in(answer) is not None or _read(answer, rules) is not None


@lru_cache(maxsize=1 << 12)
def _read(answer: str, rules: Rules) -> tuple[str, Any] | None:
    """Read an answer as sides or as steps; None where it is neither."""
    line = plain(answer)
    pieces = pieces_of(answer)
    if len(pieces) > 1 and len({"".join(piece.split()) for piece in pieces}) == 1:
        # The same text twice is one.
        line = pieces[0]
    try:
        return "sides", sides_of(line, rules)
    except Refused:
        pass
    try:
        # What closes a list is nothing more than that.
        return (
            ("sides", sides_of(pieces[0], rules))
            if len(pieces) == 1
            else ("steps", steps_of(pieces, rules))
        )
    except (Refused, IndexError):
        return None


# What it is worth.


def worth(tree: Tree, rules: Rules | None, told: list[Judgement]) -> Fraction:
    """Return the value of a tree; add to `told` what is illegal, in the order of the work."""
    match tree:
        case ("number" | "made", value):
            return Fraction(value)
        case ("group" | "frac", inner):
            return worth(inner, rules, told)
        case ("minus", inner):
            value = worth(inner, rules, told)
            if rules is not None and not rules.negatives:
                told.append(("illegal", "sign"))
            return -value
    (_, first), *links = tree[1:]
    value = worth(first, rules, told)
    for sign, part in links:
        value = _step(value, sign, worth(part, rules, told), rules, told)
    return value


def _step(
    left: Fraction, sign: str, right: Fraction, rules: Rules | None, told: list[Judgement]
) -> Fraction:
    if sign == ":" and not right:
        raise Refused(*told, ("illegal", "division-by-zero"))
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
    if not rules.parentheses and (_has_parentheses(tree) or not in_a_row(tree)):
        told.append(("illegal", "operator"))
    value = worth(tree, rules, told)
    if told:
        # A sign is seen before anything is worked out.
        raise Refused(*sorted(told, key=lambda each: each[1] not in ("operator", "sign")))
    return value


def parts_of(tree: Tree) -> list[Tree]:
    """Return the trees that a tree is made of."""
    if tree[0] in ("number", "made"):
        return []
    return [tree[1]] if tree[0] != "chain" else [part for _, part in tree[1:]]


def changed(tree: Tree, change: Callable[[Tree], Tree]) -> Tree:
    """Return a tree with each of its parts changed."""
    if tree[0] in ("number", "made"):
        return tree
    if tree[0] != "chain":
        return (tree[0], change(tree[1]))
    return ("chain", *((sign, change(part)) for sign, part in tree[1:]))


def _has_parentheses(tree: Tree) -> bool:
    return tree[0] == "group" or any(map(_has_parentheses, parts_of(tree)))


def in_a_row(tree: Tree) -> bool:
    """Return whether a tree is that of its numbers and signs in a row, or reckons the same way.

    8 + (3 - 1) is 8 + 3 - 1; 8 - (3 - 1) is no row.
    """
    return _flat(Parser(list(_row(tree)), frozenset()).whole()) == _flat(tree)


def _row(tree: Tree) -> Iterator[Token]:
    if tree[0] in ("number", "made"):
        yield Token("number", tree[1])
    elif tree[0] == "chain":
        for sign, part in tree[1:]:
            yield from [Token(sign)] if sign else []
            yield from _row(part)
    else:
        yield from [Token("-")] if tree[0] == "minus" else []
        yield from _row(tree[1])


def _flat(tree: Tree) -> Tree:
    """Return a tree as its longest chains: (a + b) - c and a + (b - c) are one."""
    if tree[0] in ("group", "frac"):
        return _flat(tree[1])
    if tree[0] != "chain":
        return changed(tree, _flat)
    level = "+-" if tree[2][0] in "+-" else "x:"
    links: list[tuple[str, Tree]] = []
    for sign, part in tree[1:]:
        inner = _flat(part)
        if sign in ("", "+", "x") and _level(inner) == level:
            links += [(sign, inner[1][1]), *inner[2:]]
        else:
            links.append((sign, inner))
    return ("chain", *links)


def _level(tree: Tree) -> str:
    if tree[0] != "chain":
        return ""
    return "+-" if tree[2][0] in "+-" else "x:"


def leaves_of(tree: Tree) -> Iterator[tuple[Fraction, bool]]:
    """Yield the numbers of a tree, and whether a minus stands before each."""
    if tree[0] in ("number", "made"):
        yield tree[1], False
    elif tree[0] == "minus" and tree[1][0] == "number":
        yield tree[1][1], True
    else:
        for part in parts_of(tree):
            yield from leaves_of(part)


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
        raise Refused(("wrong", "numbers"), *([("wrong", "numbers-missing")] if missing else []))
    if missing:
        raise Refused(("wrong", "numbers-missing"))


def _judged(answer: str, hand: Counter[int], target: Fraction, rules: Rules) -> Judgement:
    named = claim_in(answer)
    if named is not None:
        return judged_claim(named, hand, target, rules)
    if len(answer) > MOST_ANSWER:
        raise Refused(("malformed", "too-long"))
    read = _read(answer, rules)
    if read is None:
        faults = _faults_in_order(answer, rules)
        if not rules.parentheses and re.search(r"[(\[]", answer):
            faults.append(("illegal", "operator"))
        raise Refused(*faults)
    kind, parts = read
    return (
        judged_sides(parts, hand, target, rules)
        if kind == "sides"
        else judged_steps(parts, hand, target, rules)
    )


def _faults_in_order(answer: str, rules: Rules) -> list[Judgement]:
    """Return what is wrong with an answer: of several that are right alone, that there are two."""
    faults, pieces = faults_of(answer, rules), pieces_of(answer)
    if len(pieces) > 1 and all(_read(piece, rules) is not None for piece in pieces):
        faults.sort(key=lambda each: each[1] != "two-answers")
    return faults


def judged_sides(
    sides: list[Side], hand: Counter[int], target: Fraction, rules: Rules
) -> Judgement:
    """Judge a formula, or a chain of sides of which the first that is no number counts."""
    formulas = [side.tree for side in sides if side.tree is not None]
    tree = next((side.tree for side in sides if side.tree and side.stated is None), formulas[0])
    value = legal_worth(tree, rules)
    told: list[Judgement] = []
    try:
        hold_to_hand(tree, hand, rules)
    except Refused as refused:
        told += refused.judgements
    if value != target:
        told.append(("wrong", "value"))
    others = [
        worth(side.tree, None, []) if side.stated is None and side.tree else side.stated
        for side in sides
    ]
    if any(other != value for other in others):
        told.append(("wrong", "stated"))
    if told:
        raise Refused(*told)
    return "right", "ok"


def judged_steps(
    steps: list[tuple[Side, Fraction | None]],
    hand: Counter[int],
    target: Fraction,
    rules: Rules,
) -> Judgement:
    """Judge a working, step by step."""
    try:
        return _worked(steps, hand, target, rules, made_first=True)
    except Refused as refused:
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
                raise Refused(("wrong", "numbers"), ("wrong", "numbers-missing"))
            left[value] -= 1
            return ("number", value)
        return changed(tree, filled)

    for place, (side, stated) in enumerate(steps):
        assert side.tree is not None
        tree, last = side.tree, place == len(steps) - 1
        value = legal_worth(_results_are_numbers(tree, [each for each, _ in made]), rules)
        used = filled(tree)
        if stated is not None and stated != value and not last:
            raise Refused(("wrong", "stated"))
        # A tree is asked for where there are no parentheses alone.
        made.append((value, ("made", value) if rules.parentheses else used))
    value, tree = made.pop()
    told: list[Judgement] = []
    if rules.all_numbers and (made or any(left.values())):
        told += [("wrong", "numbers-missing"), ("wrong", "numbers")]
    if not rules.parentheses and not in_a_row(tree):
        raise Refused(("illegal", "operator"))
    if value != target:
        told.append(("wrong", "value"))
    if stated is not None and stated != value:
        told.append(("wrong", "stated"))
    if told:
        raise Refused(*told)
    return "right", "ok"


def _results_are_numbers(tree: Tree, made: list[Fraction]) -> Tree:
    """Return a step in which a result below zero is a number like any other."""
    if tree[0] == "minus" and tree[1][0] == "number" and -tree[1][1] in made:
        return ("number", -tree[1][1])
    return changed(tree, lambda part: _results_are_numbers(part, made))


# Claims that there is no solution.

_NONE = """
no solution|no solutions|no solution exists|no solutions exist|there is no solution
there are no solutions|there's no solution|no valid solution|no valid solution exists
there is no valid solution|it has no solution|this has no solution|impossible|it is impossible
it's impossible|this is impossible|not possible|it is not possible|unsolvable|not solvable
it cannot be solved|cannot be solved|it can't be solved|it cannot be done|cannot be done
it can't be done|it cannot be made|cannot be made|it can't be made
keine lösung|es gibt keine lösung|unmöglich|nicht möglich|nicht lösbar|unlösbar
pas de solution|aucune solution|il n'y a pas de solution|il n'y a aucune solution
sin solución|no hay solución|no tiene solución|imposible
nessuna soluzione|non c'è soluzione|impossibile
sem solução|não há solução|não tem solução|impossível
geen oplossing|er is geen oplossing|onmogelijk
нет решения|нет решений|решения нет|решений нет|невозможно
无解|無解|没有解|没有答案|不可能|解なし|해가 없음|불가능
"""
_CLAIMS = {claim.strip() for line in _NONE.split("\n") for claim in line.split("|")} - {""}
_NAMED = re.compile(
    r"(?:it is |it's )?(?:impossible|not possible) to (?:make|reach|get) (-?[0-9]{1,100})"
    r"|(?:i |we |you )?(?:cannot|can't|can not) (?:make|reach|get) (-?[0-9]{1,100})"
    r"|(-?[0-9]{1,100}) (?:cannot|can't|can not) be (?:made|reached)"
    r"|(?:there is )?no (?:solution|way) (?:for|to make) (-?[0-9]{1,100})"
)


def claim_in(answer: str) -> str | None:
    r"""Return the target that a claim names, `` for none; None for what is no claim."""
    if len(answer) > 200:
        return None
    if answer.startswith(r"\text{") and answer.endswith("}"):
        answer = answer[6:-1]
    words = " ".join(plain(answer).replace("’", "'").split()).casefold().removesuffix(".")
    if words in _CLAIMS:
        return ""
    named = _NAMED.fullmatch(words)
    return next((each for each in named.groups() if each), "") if named else None


def judged_claim(named: str, hand: Counter[int], target: Fraction, rules: Rules) -> Judgement:
    """Judge a claim that the target cannot be made."""
    if named and int(named) != target:
        raise Refused(("wrong", "stated"), ("malformed", "not-a-formula"), ("wrong", "solvable"))
    if hand.total() > MOST_PROVED:
        raise Refused(("wrong", "undecided"))
    if solvable(tuple(sorted(hand.elements())), target, rules):
        raise Refused(("wrong", "solvable"))
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
    except Refused:
        return None
