r"""How the second judge reads an answer: as a formula, a chain, the steps of a working, or a claim.

Whoever reads knows neither the hand nor the target.

- A formula: numbers of up to 100 ASCII or full-width digits, any spelling of `+ - x :`, ( ) and
  [ ], and `\frac{a}{b}`, which is (a : b). One minus may stand before any operand, so that 3 - -2
  is 5; a plus may not. `0x` before a digit is no product. White space of any kind parts numbers.
- A chain: sides between `=` or `==`. A side that is one number may have a point: `= 24.0`.
- A working: pieces between commas, semicolons, lines and arrows, of which all but the last say what
  they make. A list that says the same piece again and again is that piece.
- A claim: one of a list of sentences, whole, or one that names its target.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

Judgement = tuple[str, str]

MOST_TEXT, MOST_ANSWER, MOST_DIGITS, MOST_DEPTH, MOST_STEPS = 1_000_000, 10_000, 100, 100, 100
# So many marks around an answer are looked into.
MOST_WRAPPINGS = 4
# Claims are looked into for so many numbers; the package says how many it can.
MOST_PROVED = 6


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


class NotRightError(Exception):
    """An answer is not right: which verdicts and codes say so, the first of them best."""

    def __init__(self, *judgements: Judgement) -> None:
        super().__init__(judgements)
        self.judgements = judgements


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


def _faults_of(answer: str, rules: Rules) -> list[Judgement]:
    """Return the codes that fit a text that cannot be read, from the most telling one down."""
    line = without_spaces(plain(answer))
    bare = _without_fractions(line)
    bare = re.sub(r"\\q?quad(?![A-Za-z])", " ", bare)
    bare = re.sub(r"\\(?:times|cdot|ast|div)(?![A-Za-z])", " x ", bare)
    bare = re.sub(r"\\left\s*(?=[(\[])|\\right\s*(?=[)\]])", " ", bare)
    signs = re.escape("".join(_SIGNS))
    told = {
        "too-long": len(line) > MOST_ANSWER,
        "latex": "\\" in bare,
        "power": re.search(r"\*\s*\*|\^|[²³¹⁰⁴-⁹]", line),
        "decimal": re.search(r"\.\s*[0-9]|[0-9]\s*\.", line),
        "number": re.search(r"[0-9]_|_[0-9]|[0-9][eE]|0[xXbBoO]|[0-9]{101}", line),
        "character": any(_is_strange(each, rules) for each in bare),
        "two-answers": _BETWEEN.search(line),
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
    line = with_braces(line)
    for _ in range(MOST_DEPTH):
        line, count = re.subn(r"\\[cdt]?frac\s*\{([^{}]+)\}\s*\{([^{}]+)\}", r"(\1):(\2)", line)
        if not count:
            break
    return line


def _is_strange(character: str, rules: Rules) -> bool:
    if rules.letters and character.upper() in _LETTERS:
        return False
    return not (character.isspace() or character in "0123456789()[]=" or character in _SIGNS)


def with_braces(line: str) -> str:
    r"""Return a line in which the digits of fractions have braces: `\frac83` is `\frac{8}{3}`."""
    command = r"(\\[cdt]?frac)(?![A-Za-z])"
    blank = r"(?:\s|\\[,;:! ]|\\q?quad(?![A-Za-z]))*"
    line = re.sub(rf"{command}{blank}(\d){blank}(\d)", r"\1{\2}{\3}", line)
    line = re.sub(rf"{command}{blank}(\d)(?={blank}\{{)", r"\1{\2}", line)
    return re.sub(rf"{command}{blank}\{{{blank}(\d+){blank}\}}{blank}(\d)", r"\1{\2}{\3}", line)


def _depth(line: str) -> int:
    depth = deepest = 0
    for each in line:
        depth += (each in "([{") - (each in ")]}")
        deepest = max(deepest, depth)
    return deepest


def tokens_of(line: str, rules: Rules) -> list[Token]:
    """Return the pieces of a line; raise `NotRightError` for what is none."""
    if re.search(r"(?<![0-9.])0[xX][0-9A-Fa-f]|[0-9]_|_[0-9]|\*\*|//", line):
        raise NotRightError()
    found: list[Token] = []
    side = ""
    for piece in _TOKEN.finditer(with_braces(line)):
        kind, text = piece.lastgroup, piece[0]
        if kind == "space":
            continue
        if side and text not in side:
            raise NotRightError()
        side = ""
        if kind == "number" and len(text) > MOST_DIGITS:
            raise NotRightError()
        if kind in ("number", "decimal"):
            found.append(Token(kind, Fraction(text) if len(text) <= MOST_DIGITS else None))
        elif kind == "word" and piece["word"] in ("left", "right"):
            side = "([" if piece["word"] == "left" else ")]"
        elif kind == "word":
            word = piece["word"]
            if word not in _LATEX_SIGNS and word not in ("frac", "dfrac", "tfrac", "cfrac"):
                raise NotRightError()
            found.append(Token(_LATEX_SIGNS.get(word, "frac"), None, "\\" + word))
        elif text in _SIGNS:
            found.append(Token(_SIGNS[text], None, text))
        elif text in "()[]{}=":
            found.append(Token(text))
        elif rules.letters and text.upper() in _LETTERS:
            found.append(Token("number", Fraction(_LETTERS[text.upper()]), text))
        else:
            raise NotRightError()
    if side:
        raise NotRightError()
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
                raise NotRightError()
        tree = self.chain("+-")
        if self.at < len(self.tokens):
            raise NotRightError()
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
                raise NotRightError()
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
        raise NotRightError()

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
            raise NotRightError()
        self.at += 1
        tree = self.chain("+-")
        if self.kind() != {"(": ")", "[": "]", "{": "}"}[opening]:
            raise NotRightError()
        self.at += 1
        return tree


class Side(NamedTuple):
    """One side of a chain."""

    tree: Tree | None
    """None for a bare number that no hand has: one with a point."""
    stated: Fraction | None
    """What it is as a bare number."""


def side_of(tokens: Sequence[Token], results: frozenset[Fraction] = frozenset()) -> Side:
    """Read a side; raise `NotRightError` for what is none."""
    bare = tokens[1:] if tokens and tokens[0].kind == "-" else tokens
    if len(bare) == 1 and bare[0].kind in ("number", "decimal") and not bare[0].spelled:
        value = bare[0].value
        if value is None:
            raise NotRightError()
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
        raise NotRightError()
    return sides


# Steps.

# Not the spaces of LaTeX, such as `\,`.
_BETWEEN = re.compile(r"(?<!\\)(?:[,;、→⇒\n\r]|[-=]>)")


# A bullet, a number, a heading, a quotation, before a line.
LIST_MARK = r"[ \t]*(?:#{1,6}|[-−–*•>]|[0-9]{1,2}[.)]|step[ \t]*[0-9]{1,2}[ \t]*[:.)])[ \t]+(?=\S)"
_LIST_MARKS = re.compile(f"^{LIST_MARK}", re.IGNORECASE | re.ASCII | re.MULTILINE)


def unlisted(answer: str) -> str:
    """Return a text that begins as a list does without the marks of its lines."""
    return _LIST_MARKS.sub("", answer) if _LIST_MARKS.match(answer) else answer


def without_spaces(line: str) -> str:
    r"""Return a line in which the spaces of LaTeX, such as `\,`, are plain ones."""
    return re.sub(r"(?<!\\)\\[,;:! ]", " ", line)


def pieces_of(answer: str) -> list[str]:
    """Return what stands between commas, semicolons, lines and arrows."""
    return _pieces_of(unlisted(answer))


def _pieces_of(answer: str) -> list[str]:
    pieces = _BETWEEN.split(without_spaces(plain(answer)))
    return [piece for each in pieces if (piece := each.strip())]


def steps_of(
    pieces: Sequence[str], rules: Rules, *, apart: bool, marked: bool
) -> list[tuple[Side, Fraction | None]]:
    """Read the steps of a working, each with what it says that it makes.

    On lines of their own, `apart`, they are steps where one is used by another.
    """
    if not 1 < len(pieces) <= MOST_STEPS:
        raise NotRightError()
    steps: list[tuple[Side, Fraction | None]] = []
    results: set[Fraction] = set()
    for place, piece in enumerate(pieces):
        formula, equals, says = piece.replace("==", "=").partition("=")
        stated = stated_of(says, rules) if equals else None
        if stated is None and (equals or place < len(pieces) - 1):
            raise NotRightError()
        uncommon = frozenset(each for each in results if each.denominator > 1)
        side = side_of(tokens_of(formula, rules), uncommon)
        if side.tree is None:
            side = Side(Parser(tokens_of(formula, rules), uncommon).whole(), None)
        steps.append((side, stated))
        if stated is not None:
            results.add(stated)
    if apart and not _go_on(pieces, marked):
        raise NotRightError()
    return steps


def _in_a_word(piece: str) -> str:
    fraction = r"\\[cdt]?frac\s*\{\s*(\d+)\s*\}\s*\{\s*(\d+)\s*\}"
    return re.sub(r"\s", "", re.sub(fraction, r"\1/\2", with_braces(piece)))


def left_after(pieces: Sequence[str]) -> list[str]:
    """Return what steps make and no later one of them uses, as it is written."""
    left: list[str] = []
    for piece in pieces:
        for number in numbers_in(piece):
            if number in left:
                left.remove(number)
        made = _in_a_word(piece).translate(_TO_SLASH).rpartition("=")
        left += [made[2].lstrip("-−–")] if made[1] and made[2] else []
    return left


def numbers_in(piece: str) -> list[str]:
    """Return the numbers of a step before its `=`, and the fractions, as they are written."""
    word = _in_a_word(piece).translate(_TO_SLASH)
    formula = word.rpartition("=")[0] if "=" in word else word
    numbers = re.findall(r"[0-9.]+", formula)
    return numbers + re.findall(r"(?<![0-9.])(?=([0-9.]+/[0-9.]+))", formula)


_TO_SLASH = dict.fromkeys(map(ord, "∕⁄"), "/")


def stated_steps(line: str, rules: Rules) -> list[str]:
    """Return the steps of a line if each says what it makes, but perhaps the last; or none."""
    pieces = pieces_of(line)
    for place, piece in enumerate(pieces, 1):
        formula, equals, says = piece.replace("==", "=").partition("=")
        try:
            # A number with a point is none of a hand, and may be meant as one.
            sides_of(
                re.sub(r"(?<=[^0-9.])[0-9]*\.[0-9]+|^[0-9]*\.[0-9]+(?=.)", "1", formula), rules
            )
            stated = stated_of(says, rules) if equals else None
        except (NotRightError, IndexError):
            return []
        if "=" in says or (stated is None and (equals or place < len(pieces))):
            return []
    return pieces if len(pieces) <= MOST_STEPS else []


def _go_on(pieces: Sequence[str], marked: bool) -> bool:
    """Return whether the last step goes on with what is made and not used before it.

    Of what is marked as one answer any step may go on.
    """
    bare = [_in_a_word(each) for each in pieces]
    for place, piece in enumerate(bare[:-1]):
        made = re.escape(piece.split("=")[-1].lstrip("-−–"))
        using = [
            number
            for number in range(place + 1, len(bare))
            if re.search(rf"(?<![0-9.]){made}(?![0-9.])", bare[number].split("=")[0])
        ]
        # Whoever uses it first is the last step.
        if using[:1] == [len(bare) - 1] or (marked and using):
            return True
    return False


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


def reads(answer: str, rules: Rules, marked: bool = False) -> bool:
    """Return whether a text is wholly a formula, a working or a claim."""
    if claim_in(unlisted(answer)) is not None:
        return True
    return parts_of_answer(answer, rules, marked) is not None


@lru_cache(maxsize=1 << 12)
def parts_of_answer(answer: str, rules: Rules, marked: bool = False) -> tuple[str, Any] | None:
    """Read an answer as sides or as steps; None where it is neither."""
    answer = unlisted(answer)
    line = plain(answer)
    pieces = _pieces_of(answer)
    if len(pieces) > 1 and len({"".join(piece.split()) for piece in pieces}) == 1:
        # The same text twice is one.
        line = pieces[0]
    try:
        return "sides", sides_of(line, rules)
    except NotRightError:
        pass
    try:
        # What closes a list is nothing more than that.
        return (
            ("sides", sides_of(pieces[0], rules))
            if len(pieces) == 1
            else (
                "steps",
                steps_of(pieces, rules, apart="\n" in plain(answer).strip(), marked=marked),
            )
        )
    except (NotRightError, IndexError):
        return None


def faults_in_order(answer: str, rules: Rules) -> list[Judgement]:
    """Return what is wrong with an answer: of several that are right alone, that there are two."""
    faults, pieces = _faults_of(answer, rules), pieces_of(answer)
    if len(pieces) > 1 and all(parts_of_answer(piece, rules) is not None for piece in pieces):
        faults.sort(key=lambda each: each[1] != "two-answers")
    return faults


# Trees, and what they are without their parentheses.


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


def has_parentheses(tree: Tree) -> bool:
    """Return whether parentheses stand in a tree, those of a fraction left out."""
    return tree[0] == "group" or any(map(has_parentheses, parts_of(tree)))


def in_a_row(tree: Tree) -> bool:
    """Return whether a tree is that of its numbers and signs in a row, or reckons the same way.

    8 + (3 - 1) is 8 + 3 - 1; 8 - (3 - 1) is no row.
    """
    return flat(Parser(list(_row(tree)), frozenset()).whole()) == flat(tree)


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


def flat(tree: Tree) -> Tree:
    """Return a tree as its longest chains: (a + b) - c and a + (b - c) are one."""
    if tree[0] in ("group", "frac"):
        return flat(tree[1])
    if tree[0] != "chain":
        return changed(tree, flat)
    level = "+-" if tree[2][0] in "+-" else "x:"
    links: list[tuple[str, Tree]] = []
    for sign, part in tree[1:]:
        inner = flat(part)
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


# Claims that there is no solution.

_NONE = """
no solution|no solutions|no solution exists|no solution exist|no solutions exist
there is no solution
there are no solutions|there's no solution|no valid solution|no valid solution exists
there is no valid solution|it has no solution|this has no solution|impossible|it is impossible
it's impossible|this is impossible|not possible|it is not possible|unsolvable|not solvable
it cannot be solved|cannot be solved|it can't be solved|it cannot be done|cannot be done
it can't be done|it cannot be made|cannot be made|it can't be made
this puzzle has no solution|no solution possible|there isn't any solution|geht nicht|niet mogelijk
no valid expression exists|there is no way
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


_OF_NUMBERS = re.compile(
    r" (?:with|from|using|for|of)(?: the)?(?: numbers| cards)?(?:,? (?:and |& )?[0-9]{1,20}){2,}$"
)


def claim_in(answer: str) -> str | None:
    r"""Return the target that a claim names, `` for none; None for what is no claim."""
    if len(answer) > 200:
        return None
    if answer.startswith(r"\text{") and answer.endswith("}"):
        answer = answer[6:-1].removesuffix(".")
    words = " ".join(plain(answer).replace("’", "'").split()).casefold()
    words = re.sub(r"^(?:so|thus|therefore|hence|actually|unfortunately|sorry),? ", "", words)
    words = re.sub(r"^(?:my|the)(?: final)? answer is (?:that )?", "", words)
    words = _OF_NUMBERS.sub("", words)
    if words in _CLAIMS:
        return ""
    named = _NAMED.fullmatch(words)
    return next((each for each in named.groups() if each), "") if named else None
