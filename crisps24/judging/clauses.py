"""Tokens to clauses: statements such as `8 - 4 = 4`, each a list of the sides of its equals signs.

A break, or a word, ends a clause if a number follows; an operator goes on with the last result: `8
- 4 = 4, x 3 = 12` are two clauses, of which the second starts with a total. Brackets around words
or statements are asides. Mathematics that fits nowhere, and a word that no list has beside numbers,
make a reading unread.
"""

import re
from collections.abc import Sequence
from fractions import Fraction

from crisps24.judging.tokens import Choice, Token
from crisps24.messages.message import Message, message
from crisps24.notation.parser import MAX_NESTING

MAX_CLAUSES = 60

Side = list[Token]
Clause = list[Side]


class UnreadError(Exception):
    """A reading leaves something over; a message says why, if that is known."""

    def __init__(self, reason: Message | None = None) -> None:
        self.reason = reason


def with_asides(tokens: Sequence[Token]) -> list[Token]:
    """Make breaks of the brackets around asides: those without numbers, or with = or breaks."""
    opened, result = [], list(tokens)
    for i, token in enumerate(tokens):
        if token.kind == "(":
            opened.append(i)
            if len(opened) > MAX_NESTING:
                raise UnreadError
        elif token.kind == ")":
            if not opened or tokens[opened[-1]].text + token.text not in ("()", "[]", "{}"):
                raise UnreadError
            start = opened.pop()
            kinds = {other.kind for other in tokens[start + 1 : i]}
            if kinds & {"=", ";", "."} or "n" not in kinds:
                result[start] = result[i] = Token(";")
    if opened:
        raise UnreadError
    return result


def clauses_of(tokens: Sequence[Token], choice: Choice) -> list[Clause]:
    """Return the clauses of a reading; raise UnreadError for what fits in none."""
    tokens = with_asides(_after_restart(tokens))
    _refuse_unknown_words(tokens)
    parser = _ClauseParser(choice)
    for i, token in enumerate(tokens):
        parser.take(token, "".join([other.kind for other in tokens[i + 1 : i + 2]]))
    parser.end()
    return parser.clauses


def _after_restart(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return the tokens after the last word such as `no`, which gives up what is before it.

    Before all numbers, or after them, it denies the others.
    """
    kinds = "".join([token.kind for token in tokens])
    last = kinds.rfind("r")
    if last >= 0 and not ("n" in kinds[: kinds.index("r")] and "n" in kinds[last:]):
        raise UnreadError
    # `no wait, that is 29. 6 x 4`
    value = re.match("[w=;]*=[w;]*n[w]*[.;]", kinds[last + 1 :]) if last >= 0 else None
    return tokens[last + 1 + (value.end() if value else 0) :]


def _refuse_unknown_words(tokens: Sequence[Token]) -> None:
    """Raise UnreadError for an unknown word in a sentence with numbers."""
    has_unknown = has_number = False
    for token in tokens:
        has_unknown, has_number = has_unknown or token.kind == "u", has_number or token.kind == "n"
        if has_unknown and has_number:
            raise UnreadError
        # An introduction without numbers can go on in the next line.
        if token.kind == "." and (token.text != "\n" or has_number):
            has_unknown = has_number = False


class _ClauseParser:
    """The clauses so far, and the sides of the clause that is not finished."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.clauses: list[Clause] = []
        self.sides: list[Side] = []
        self.side: Side = []
        self.depth, self.is_broken = 0, False

    @property
    def last(self) -> str:
        return self.side[-1].kind if self.side else ""

    def close(self) -> None:
        if written := [side for side in (*self.sides, self.side) if side]:
            self.clauses.append(written)
        if len(self.clauses) > MAX_CLAUSES:
            raise UnreadError
        self.sides, self.side, self.is_broken = [], [], False

    def end(self) -> None:
        if self.depth or self.last == "o":
            raise UnreadError
        self.close()

    def take(self, token: Token, next_kind: str) -> None:
        kind = token.kind
        if kind == "x" or (kind in ";.|=)" and self.last == "o"):
            raise UnreadError
        if kind in ";.|=" and self.depth:
            raise UnreadError
        if kind in ";.wu|":
            self.is_broken = self.is_broken or not self.depth
        elif kind == "=":
            if self.side:
                self.sides, self.side, self.is_broken = [*self.sides, self.side], [], False
        elif kind in "n(":
            self.take_operand(token, next_kind)
        elif kind == ")":
            self.depth -= 1
            self.side.append(token)
        else:
            self.take_operator(token)

    def take_operand(self, token: Token, next_kind: str) -> None:
        is_formula = "(" in token.kind or next_kind == "o"
        if self.is_broken and not self.side and self.sides and is_formula:
            self.close()  # `is my answer. 8*3`: only a number can be a result after other words.
        if self.last in ("n", ")"):
            is_result = bool(self.sides) and len(self.side) == 1
            is_beside = token.glued and (token.kind == "(" or self.last == ")")
            is_beside = is_beside or (self.choice.beside and self.last + token.kind == "n(")
            if is_beside and not self.is_broken and not is_result:
                written = [other.text for other in self.side]
                if self.last == "n" and written[-2:-1] == ["/"] and token.text == "(":
                    first, last = " ".join(written[:-1]), written[-1]
                    raise UnreadError(message("answer.two_ways", first=first, last=last))
                if "/" in written[-2 if self.last == "n" else 0 :]:
                    raise UnreadError
                self.side.append(Token("o", "*", 1))
            elif self.depth:
                raise UnreadError
            else:
                self.close()
        self.side.append(token)
        self.is_broken = False
        self.depth += token.kind == "("
        if self.choice.quotient and token.value and token.glued:
            self.join_quotient()

    def join_quotient(self) -> None:
        side = self.side
        if [each.kind for each in side[-3:]] != ["n", "o", "n"]:
            return
        top, slash, bottom = side[-3:]
        quotient = Fraction(top.value) / Fraction(bottom.value)
        # 8 / 1/3, but not 8/1/3.
        is_chain = [each[1:] for each in side[-4:-3]] == [("/", 0, True)]
        is_fraction = slash[1:] == ("/", 0, True) and quotient.denominator > 1
        if is_fraction and not is_chain:
            side[-3:] = [Token("n", f"{top.value}/{bottom.value}", quotient)]

    def take_operator(self, token: Token) -> None:
        last = self.last
        if last in ("n", ")"):
            if self.is_broken and not self.depth:
                self.close()
                self.side = [Token("t")]
            self.side.append(token)
        elif token.text == "-" and (
            last != "o" or len(self.side) == 1 or self.side[-2].kind in "n)"
        ):
            self.side.append(Token("o", "~"))
        elif last or token.text != "+":
            raise UnreadError
