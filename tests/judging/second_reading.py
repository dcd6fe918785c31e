r"""The parser of the second judge: formulas, chains, workings and claims.

It knows neither the hand nor the target.

- A formula: numbers of up to 100 ASCII or full-width digits, any spelling of `+ - x :`, ( ) and [
  ], and `\frac{a}{b}`, which is (a : b). One minus can precede any operand, so that 3 - -2 is 5; a
  plus cannot. `0x` before a digit is not a product. Any white space separates numbers.
- A chain: sides with `=` or `==` between them. A side that is one number can be a decimal: `=
  24.0`.
- A working: pieces separated by commas, semicolons, line ends and arrows; all but the last state
  their result. A list that repeats one piece is that piece.
- A claim: one sentence of a list, or one that includes the target.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

Judgement = tuple[str, str]

MAX_TEXT = 1_000_000
MAX_ANSWER = 10_000
MAX_DIGITS = 100
MAX_DEPTH = 100
MAX_STEPS = 100
# Levels of marks around an answer.
MAX_WRAPPINGS = 4
# Numbers of a hand for which a claim is checked, as documented by the package.
MAX_PROVED = 6


class Rules(NamedTuple):
    """The rules of a game."""

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
    """An answer is not right: the correct verdicts and codes, the best first."""

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


def normalise(text: str) -> str:
    """Return a text with full-width characters and spaces replaced by ASCII."""
    return text.translate(_WIDE | _SPACES)


def _faults_of(answer: str, rules: Rules) -> list[Judgement]:
    """Return the codes of a text that cannot be parsed, the most specific first."""
    line = without_spaces(normalise(answer))
    bare = _without_fractions(line)
    bare = re.sub(r"\\q?quad(?![A-Za-z])", " ", bare)
    bare = re.sub(r"\\(?:times|cdot|ast|div)(?![A-Za-z])", " x ", bare)
    bare = re.sub(r"\\left\s*(?=[(\[])|\\right\s*(?=[)\]])", " ", bare)
    signs = re.escape("".join(_SIGNS))
    faults = {
        "too-long": len(line) > MAX_ANSWER,
        "latex": "\\" in bare,
        "power": re.search(r"\*\s*\*|\^|[²³¹⁰⁴-⁹]", line),
        "decimal": re.search(r"\.\s*[0-9]|[0-9]\s*\.", line),
        "number": re.search(r"[0-9]_|_[0-9]|[0-9][eE]|0[xXbBoO]|[0-9]{101}", line),
        "character": any(_is_strange(character, rules) for character in bare),
        "two-answers": _SEPARATOR.search(line),
        "too-deep": _depth(line) > MAX_DEPTH,
        "two-signs": re.search(rf"[{signs}]\s*[{signs}]", bare),
        "not-a-formula": True,
    }
    also = {
        "character": re.search(r"//|/\*|\*/", line),
        "number": any(digit.isnumeric() and not digit.isascii() for digit in line),
    }
    codes = [code for group in (faults, also) for code, applies in group.items() if applies]
    return [("malformed", code) for code in codes]


def _without_fractions(line: str) -> str:
    """Return a line in which the fractions of LaTeX, inner ones first, are divisions."""
    line = with_braces(line)
    for _ in range(MAX_DEPTH):
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
    for character in line:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest


def tokens_of(line: str, rules: Rules) -> list[Token]:
    """Return the tokens of a line; raise `NotRightError` if a part is not a token."""
    if re.search(r"(?<![0-9.])0[xX][0-9A-Fa-f]|[0-9]_|_[0-9]|\*\*|//", line):
        raise NotRightError()
    tokens: list[Token] = []
    side = ""
    for piece in _TOKEN.finditer(with_braces(line)):
        kind, text = piece.lastgroup, piece[0]
        if kind == "space":
            continue
        if side and text not in side:
            raise NotRightError()
        side = ""
        if kind == "number" and len(text) > MAX_DIGITS:
            raise NotRightError()
        if kind in ("number", "decimal"):
            tokens.append(Token(kind, Fraction(text) if len(text) <= MAX_DIGITS else None))
        elif kind == "word" and piece["word"] in ("left", "right"):
            side = "([" if piece["word"] == "left" else ")]"
        elif kind == "word":
            word = piece["word"]
            if word not in _LATEX_SIGNS and word not in ("frac", "dfrac", "tfrac", "cfrac"):
                raise NotRightError()
            tokens.append(Token(_LATEX_SIGNS.get(word, "frac"), None, "\\" + word))
        elif text in _SIGNS:
            tokens.append(Token(_SIGNS[text], None, text))
        elif text in "()[]{}=":
            tokens.append(Token(text))
        elif rules.letters and text.upper() in _LETTERS:
            tokens.append(Token("number", Fraction(_LETTERS[text.upper()]), text))
        else:
            raise NotRightError()
    if side:
        raise NotRightError()
    return tokens


# Trees: ("number", value), ("made", value) for a result, ("minus", tree), ("group", tree) for
# parentheses, ("frac", tree), and ("chain", ("", tree), (sign, tree), …) with signs of equal
# precedence, evaluated from the left.
Tree = tuple[Any, ...]


class Parser:
    """A recursive-descent parser from tokens to a tree."""

    def __init__(self, tokens: Sequence[Token], results: frozenset[Fraction]) -> None:
        self.tokens = tokens
        self.results = results
        """Results of earlier steps that are fractions: such a fraction is one number."""
        self.position = 0

    def parse(self) -> Tree:
        """Return the tree of all tokens."""
        depth = 0
        for token in self.tokens:
            depth += (token.kind in "([{") - (token.kind in ")]}")
            if depth > MAX_DEPTH:
                raise NotRightError()
        tree = self.chain("+-")
        if self.position < len(self.tokens):
            raise NotRightError()
        return tree

    def kind(self, ahead: int = 0) -> str:
        """Return the kind of the token `ahead` of the current one, `end` after the last."""
        place = self.position + ahead
        return self.tokens[place].kind if place < len(self.tokens) else "end"

    def chain(self, signs: str) -> Tree:
        """Parse operands with signs of equal precedence between them."""
        links = [("", self.chain("x:") if signs == "+-" else self.operand())]
        while self.kind() in signs:
            sign = self.kind()
            self.position += 1
            links.append((sign, self.chain("x:") if signs == "+-" else self.operand()))
        return ("chain", *links) if len(links) > 1 else links[0][1]

    def operand(self) -> Tree:
        """Parse a number, a group in parentheses or a fraction, with or without a minus."""
        if self.kind() == "-":
            self.position += 1
            if (made := self.written_out(-1)) is not None:
                return made
            if self.kind() == "-":
                raise NotRightError()
            return ("minus", self.operand())
        if (made := self.written_out(1)) is not None:
            return made
        kind = self.kind()
        if kind == "number":
            self.position += 1
            return ("number", self.tokens[self.position - 1].value)
        if kind in ("(", "["):
            return ("group", self.inside(kind))
        if kind == "frac":
            self.position += 1
            above, below = self.inside("{"), self.inside("{")
            if above[0] == below[0] == "number" and below[1]:
                value = above[1] / below[1]
                if value in self.results:
                    return ("made", value)
            return ("frac", ("chain", ("", above), (":", below)))
        raise NotRightError()

    def written_out(self, sign: int) -> Tree | None:
        """Return an earlier result that is written as a fraction or a decimal, else None."""
        if not self.results:
            return None
        if self.kind() == "decimal":
            length, value = 1, self.tokens[self.position].value
        elif self.kind() == self.kind(2) == "number" and self.kind(1) == ":":
            above, slash, below = self.tokens[self.position : self.position + 3]
            before = self.tokens[self.position - 1].spelled if self.position else ""
            after = self.tokens[self.position + 3].spelled if self.kind(3) != "end" else ""
            if slash.spelled not in _SLASHES or not below.value:
                return None
            if before in (*_SLASHES,) or after in (*_SLASHES,):
                return None
            length, value = 3, above.value / below.value
        else:
            return None
        if value is None or sign * value not in self.results:
            return None
        self.position += length
        return ("made", sign * value)

    def inside(self, opening: str) -> Tree:
        """Parse the text between an opening bracket and its closing one."""
        if self.kind() != opening:
            raise NotRightError()
        self.position += 1
        tree = self.chain("+-")
        if self.kind() != {"(": ")", "[": "]", "{": "}"}[opening]:
            raise NotRightError()
        self.position += 1
        return tree


class Side(NamedTuple):
    """One side of a chain."""

    tree: Tree | None
    """None for a decimal, which is not a number of a hand."""
    stated: Fraction | None
    """The value of a bare number, None for a formula."""


def side_of(tokens: Sequence[Token], results: frozenset[Fraction] = frozenset()) -> Side:
    """Parse a side; raise `NotRightError` for other text."""
    bare = tokens[1:] if tokens and tokens[0].kind == "-" else tokens
    if len(bare) == 1 and bare[0].kind in ("number", "decimal") and not bare[0].spelled:
        value = bare[0].value
        if value is None:
            raise NotRightError()
        stated = -value if len(bare) < len(tokens) else value
        if bare[0].kind == "decimal":
            return Side(None, stated)
        return Side(Parser(tokens, results).parse(), stated)
    return Side(Parser(tokens, results).parse(), None)


def sides_of(line: str, rules: Rules, results: frozenset[Fraction] = frozenset()) -> list[Side]:
    """Parse the sides of a chain, `f = g = 24`; a formula has one."""
    tokens = tokens_of(line.replace("==", "="), rules)
    cuts = [place for place, token in enumerate(tokens) if token.kind == "="]
    starts, ends = [0, *(cut + 1 for cut in cuts)], [*cuts, len(tokens)]
    sides = [side_of(tokens[a:b], results) for a, b in zip(starts, ends, strict=True)]
    if all(side.tree is None for side in sides):
        raise NotRightError()
    return sides


# Steps.

# Not the spaces of LaTeX, such as `\,`.
_SEPARATOR = re.compile(r"(?<!\\)(?:[,;、→⇒\n\r]|[-=]>)")


# The start of a line of a list, a quotation, a heading or a numbered step.
LIST_MARK = r"[ \t]*(?:#{1,6}|[-−–*•>]|[0-9]{1,2}[.)]|step[ \t]*[0-9]{1,2}[ \t]*[:.)])[ \t]+(?=\S)"
_LIST_MARKS = re.compile(f"^{LIST_MARK}", re.IGNORECASE | re.ASCII | re.MULTILINE)


def strip_bullets(answer: str) -> str:
    """Return a text without the bullets of its lines, if the first line has one."""
    return _LIST_MARKS.sub("", answer) if _LIST_MARKS.match(answer) else answer


def without_spaces(line: str) -> str:
    r"""Return a line with the spaces of LaTeX, such as `\,`, replaced by plain ones."""
    return re.sub(r"(?<!\\)\\[,;:! ]", " ", line)


def pieces_of(answer: str) -> list[str]:
    """Return the pieces between commas, semicolons, line ends and arrows."""
    return _pieces_of(strip_bullets(answer))


def _pieces_of(answer: str) -> list[str]:
    pieces = _SEPARATOR.split(without_spaces(normalise(answer)))
    return [stripped for piece in pieces if (stripped := piece.strip())]


def steps_of(
    pieces: Sequence[str], rules: Rules, *, apart: bool, marked: bool
) -> list[tuple[Side, Fraction | None]]:
    """Parse the steps of a working, each with its stated result.

    Steps on separate lines (`apart`) need to use the result of one another.
    """
    if not 1 < len(pieces) <= MAX_STEPS:
        raise NotRightError()
    steps: list[tuple[Side, Fraction | None]] = []
    results: set[Fraction] = set()
    for place, piece in enumerate(pieces):
        formula, equals, says = piece.replace("==", "=").partition("=")
        stated = stated_of(says, rules) if equals else None
        if stated is None and (equals or place < len(pieces) - 1):
            raise NotRightError()
        uncommon = frozenset(value for value in results if value.denominator > 1)
        side = side_of(tokens_of(formula, rules), uncommon)
        if side.tree is None:
            side = Side(Parser(tokens_of(formula, rules), uncommon).parse(), None)
        steps.append((side, stated))
        if stated is not None:
            results.add(stated)
    if apart and not _are_linked(pieces, marked):
        raise NotRightError()
    return steps


def _compact(piece: str) -> str:
    fraction = r"\\[cdt]?frac\s*\{\s*(\d+)\s*\}\s*\{\s*(\d+)\s*\}"
    return re.sub(r"\s", "", re.sub(fraction, r"\1/\2", with_braces(piece)))


def left_after(pieces: Sequence[str]) -> list[str]:
    """Return the unused results of steps, as written."""
    left: list[str] = []
    for piece in pieces:
        for number in numbers_in(piece):
            if number in left:
                left.remove(number)
        result = _compact(piece).translate(_TO_SLASH).rpartition("=")
        left += [result[2].lstrip("-−–")] if result[1] and result[2] else []
    return left


def numbers_in(piece: str) -> list[str]:
    """Return the numbers and fractions of a step before its `=`, as written."""
    word = _compact(piece).translate(_TO_SLASH)
    formula = word.rpartition("=")[0] if "=" in word else word
    numbers = re.findall(r"[0-9.]+", formula)
    return numbers + re.findall(r"(?<![0-9.])(?=([0-9.]+/[0-9.]+))", formula)


_TO_SLASH = dict.fromkeys(map(ord, "∕⁄"), "/")


def stated_steps(line: str, rules: Rules) -> list[str]:
    """Return the steps of a line if all but the last state a result; else none."""
    pieces = pieces_of(line)
    for place, piece in enumerate(pieces, 1):
        formula, equals, says = piece.replace("==", "=").partition("=")
        try:
            # A decimal is not a number of a hand, but the line can still be a step.
            sides_of(
                re.sub(r"(?<=[^0-9.])[0-9]*\.[0-9]+|^[0-9]*\.[0-9]+(?=.)", "1", formula), rules
            )
            stated = stated_of(says, rules) if equals else None
        except (NotRightError, IndexError):
            return []
        if "=" in says or (stated is None and (equals or place < len(pieces))):
            return []
    return pieces if len(pieces) <= MAX_STEPS else []


def _are_linked(pieces: Sequence[str], marked: bool) -> bool:
    """Return whether the last step uses a result that no earlier step uses.

    In a marked answer, it is enough that any step uses a result.
    """
    bare = [_compact(piece) for piece in pieces]
    for place, piece in enumerate(bare[:-1]):
        result = re.escape(piece.split("=")[-1].lstrip("-−–"))
        using = [
            number
            for number in range(place + 1, len(bare))
            if re.search(rf"(?<![0-9.]){result}(?![0-9.])", bare[number].split("=")[0])
        ]
        # The first step that uses it is the last step.
        if using[:1] == [len(bare) - 1] or (marked and using):
            return True
    return False


def stated_of(text: str, rules: Rules) -> Fraction | None:
    """Return the number after `=` (whole, a fraction or a decimal), else None."""
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


def is_readable(answer: str, rules: Rules, marked: bool = False) -> bool:
    """Return whether all of a text is a formula, a working or a claim."""
    if claim_in(strip_bullets(answer)) is not None:
        return True
    return parts_of_answer(answer, rules, marked) is not None


@lru_cache(maxsize=1 << 12)
def parts_of_answer(answer: str, rules: Rules, marked: bool = False) -> tuple[str, Any] | None:
    """Parse an answer as sides or as steps; None if it is neither."""
    answer = strip_bullets(answer)
    line = normalise(answer)
    pieces = _pieces_of(answer)
    if len(pieces) > 1 and len({"".join(piece.split()) for piece in pieces}) == 1:
        # A repeated text is one answer.
        line = pieces[0]
    try:
        return "sides", sides_of(line, rules)
    except NotRightError:
        pass
    try:
        # A separator at the end is ignored.
        return (
            ("sides", sides_of(pieces[0], rules))
            if len(pieces) == 1
            else (
                "steps",
                steps_of(pieces, rules, apart="\n" in normalise(answer).strip(), marked=marked),
            )
        )
    except (NotRightError, IndexError):
        return None


def faults_in_order(answer: str, rules: Rules) -> list[Judgement]:
    """Return the faults of an answer; `two-answers` first if each piece is an answer."""
    faults, pieces = _faults_of(answer, rules), pieces_of(answer)
    if len(pieces) > 1 and all(parts_of_answer(piece, rules) is not None for piece in pieces):
        faults.sort(key=lambda fault: fault[1] != "two-answers")
    return faults


# Trees, with and without their parentheses.


def parts_of(tree: Tree) -> list[Tree]:
    """Return the direct parts of a tree."""
    if tree[0] in ("number", "made"):
        return []
    return [tree[1]] if tree[0] != "chain" else [part for _, part in tree[1:]]


def map_parts(tree: Tree, change: Callable[[Tree], Tree]) -> Tree:
    """Return a tree with a function applied to each direct part."""
    if tree[0] in ("number", "made"):
        return tree
    if tree[0] != "chain":
        return (tree[0], change(tree[1]))
    return ("chain", *((sign, change(part)) for sign, part in tree[1:]))


def has_parentheses(tree: Tree) -> bool:
    """Return whether a tree has parentheses, except those of fractions."""
    return tree[0] == "group" or any(map(has_parentheses, parts_of(tree)))


def is_row(tree: Tree) -> bool:
    """Return whether a tree stays the same without its parentheses.

    8 + (3 - 1) is 8 + 3 - 1; 8 - (3 - 1) is not 8 - 3 - 1.
    """
    return flat(Parser(list(_row(tree)), frozenset()).parse()) == flat(tree)


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
    """Return a tree with the longest chains: (a + b) - c and a + (b - c) become equal."""
    if tree[0] in ("group", "frac"):
        return flat(tree[1])
    if tree[0] != "chain":
        return map_parts(tree, flat)
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
    """Yield the numbers of a tree, each with whether a minus precedes it."""
    if tree[0] in ("number", "made"):
        yield tree[1], False
    elif tree[0] == "minus" and tree[1][0] == "number":
        yield tree[1][1], True
    else:
        for part in parts_of(tree):
            yield from leaves_of(part)


# Claims of no solution.

_CLAIM_LIST = """
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
_CLAIMS = {claim.strip() for line in _CLAIM_LIST.split("\n") for claim in line.split("|")} - {""}
_TARGET_CLAIM = re.compile(
    r"(?:it is |it's )?(?:impossible|not possible) to (?:make|reach|get) (-?[0-9]{1,100})"
    r"|(?:i |we |you )?(?:cannot|can't|can not) (?:make|reach|get) (-?[0-9]{1,100})"
    r"|(-?[0-9]{1,100}) (?:cannot|can't|can not) be (?:made|reached)"
    r"|(?:there is )?no (?:solution|way) (?:for|to make) (-?[0-9]{1,100})"
)


_WITH_NUMBERS = re.compile(
    r" (?:with|from|using|for|of)(?: the)?(?: numbers| cards)?(?:,? (?:and |& )?[0-9]{1,20}){2,}$"
)


def claim_in(answer: str) -> str | None:
    """Return the target of a claim, empty without one; None if the text is not a claim."""
    if len(answer) > 200:
        return None
    if answer.startswith(r"\text{") and answer.endswith("}"):
        answer = answer[6:-1].removesuffix(".")
    words = " ".join(normalise(answer).replace("’", "'").split()).casefold()
    words = re.sub(r"^(?:so|thus|therefore|hence|actually|unfortunately|sorry),? ", "", words)
    words = re.sub(r"^(?:my|the)(?: final)? answer is (?:that )?", "", words)
    words = _WITH_NUMBERS.sub("", words)
    if words in _CLAIMS:
        return ""
    named = _TARGET_CLAIM.fullmatch(words)
    return next((target for target in named.groups() if target), "") if named else None
