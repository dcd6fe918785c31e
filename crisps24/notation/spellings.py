"""Spellings of operators and numbers, and the grammar of formulas without parentheses."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import pyparsing as pp

from crisps24.notation.styles import STYLES
from crisps24.rules.operators import MINUS_PATTERN, SIGN_PRECEDENCE, Operator, group_by_precedence

# Stand for a formula in parentheses that is parsed already: its first column, and the others.
# No text may hold them.
GROUP_START, GROUP_FILL = "\0", "\1"
# The operator of a fraction, by its name.
DIVISION = next(name for style in STYLES.values() for name in style.frames)
# Those behind whose signs LaTeX has braces that hold an operand, by their names.
_HOLDING = {name for style in STYLES.values() for name in style.frames} - {DIVISION}


def all_spellings(operator: Operator) -> tuple[str, ...]:
    """Return all the spellings of an operator: what a style writes is read as well."""
    return (*operator.spellings, *operator.signs.values())


class TaggedTokens(NamedTuple):
    """What the grammar gathered that is no chain to be read from the left."""

    kind: str
    """`minus` before something, an operator `before` or `after` its one operand, or a chain to the
    `left` or to the `right` in which a minus may stand behind a sign."""
    tokens: list[Any]


class Spellings:
    """How the operators and the numbers of a game may be spelled, and the grammar of that."""

    def __init__(self, letters: Sequence[tuple[str, int]], operators: Sequence[Operator]) -> None:
        names = "".join(name + name.lower() for name, _ in letters)
        self.letters = dict(letters)
        self.letter_pattern = f"[{names}]" if names else ""
        """A pattern of the letters; none where there are none."""
        self.literal_operators = [each for each in operators if each.joins and each.arity == 1]
        """What stands around the digits of a number, which are no signs."""
        escaped = (map(re.escape, each.around) for each in reversed(self.literal_operators))
        self.number_patterns = [f"{before}[0-9]+{after}" for before, after in escaped]
        """Patterns of numbers with something around their digits, the longest first."""
        operators = [each for each in operators if each not in self.literal_operators]
        self.operators = {
            each: one for one in operators for each in all_spellings(one) if each[0] != "\\"
        }
        self.braced_signs = tuple(
            sign for sign, operator in self.operators.items() if operator.name in _HOLDING
        )
        """The signs behind which braces may hold an operand."""
        self.signs = sorted(self.operators, key=len, reverse=True)
        """The spellings of operators, the longest first."""
        self.sign_pattern = self._signs(operators)
        """A pattern of them."""
        around = "".join(part for each in self.literal_operators for part in each.around)
        known = re.escape("".join((*self.signs, names, around)))
        self._strange = re.compile(rf"[^\s0-9()\[\]={known}]")
        self._two_signs = re.compile(rf"(?:{self.sign_pattern})\s*(?:{self.sign_pattern})")
        self.group_grammar, self.statement_grammar = self._grammar(operators)
        """What is between two parentheses, and a formula with the target that it may state."""

    def fault(self, line: str) -> str:
        """Return what is told of characters and signs in a line that is no formula."""
        if self._strange.search(line):
            return "character"
        return "two-signs" if self._two_signs.search(line) else "not-a-formula"

    def _signs(self, operators: Sequence[Operator]) -> str:
        """Return a pattern of the spellings of operators, but where that of another is longer."""
        own = [sign for sign in self.signs if self.operators[sign] in operators]
        if all(len(sign) == 1 for sign in self.signs):
            return f"[{re.escape(''.join(own))}]"
        others = [sign for sign in self.signs if sign not in own]
        return "|".join(
            re.escape(sign)
            + "".join(
                f"(?!{re.escape(other.removeprefix(sign))})"
                for other in others
                if other.startswith(sign)
            )
            for sign in own
        )

    def _grammar(self, operators: Sequence[Operator]) -> tuple[pp.ParserElement, pp.ParserElement]:
        """Build the grammar without parentheses, from the tightest operators down."""
        known = (
            "[0-9]+",
            f"{GROUP_START}{GROUP_FILL}+",
            self.letter_pattern,
            *self.number_patterns,
        )
        kinds = "|".join(filter(None, known))
        # Whether the minus is yet to come that stands before what binds more tightly.
        later = any(each.precedence > SIGN_PRECEDENCE and not each.joins for each in operators)
        number = f"(?:{kinds})" if later else f"(?:{MINUS_PATTERN} *)?(?:{kinds})"
        formula: pp.ParserElement = pp.Regex(number, as_match=True).set_name("number")
        for level in group_by_precedence(operators):
            if later and level[0].precedence <= SIGN_PRECEDENCE:
                formula, later = self._signed(formula), False
            formula = self._chain(level, formula)
        formula = self._signed(formula) if later else formula
        target = pp.Regex(f"(?:{MINUS_PATTERN} *)?[0-9./∕⁄]+", as_match=True).set_name("target")
        stated = pp.Optional(pp.Suppress("=") - target)
        return formula + pp.StringEnd(), formula + stated + pp.StringEnd()

    def _signed(self, formula: pp.ParserElement) -> pp.ParserElement:
        minus = pp.Regex(MINUS_PATTERN, as_match=True).set_name("operator")
        return _turned("minus", pp.Optional(minus) + formula)

    def _chain(self, level: Sequence[Operator], formula: pp.ParserElement) -> pp.ParserElement:
        """Return what operators of one level make of what binds more tightly."""
        one, signs = level[0], self._signs(level)
        if one.arity == 1:
            sign = pp.Regex(signs, as_match=True).set_name("operator")
            if one.after:
                return _turned("after", formula + pp.Optional(sign))
            return _turned("before", pp.ZeroOrMore(sign) + formula)
        tight = one.precedence > SIGN_PRECEDENCE and not one.joins
        if tight or one.to_right:
            below = f"(?: *({MINUS_PATTERN}))?" if tight else "()"
            sign = pp.Regex(f"({signs}){below}", as_match=True).set_name("operator")
            kind = "right" if one.to_right else "left"
            return _turned(kind, formula + pp.ZeroOrMore(sign - formula))
        sign = pp.Regex(signs).set_name("operator")
        chain = formula + pp.ZeroOrMore(sign - formula)
        return chain.set_parse_action(lambda tokens: [list(tokens)] if len(tokens) > 1 else None)


def _turned(kind: str, chain: pp.ParserElement) -> pp.ParserElement:
    return chain.set_parse_action(
        lambda tokens: [TaggedTokens(kind, list(tokens))] if len(tokens) > 1 else None
    )


@lru_cache(maxsize=16)
def spellings_of(
    letters: Sequence[tuple[str, int]], operators: Sequence[Operator], *, joins: bool
) -> Spellings:
    """Return how formulas of such letters and operators are spelled, joined digits or not."""
    some = [each for each in operators if joins or not each.joins or each.arity == 1]
    return Spellings(letters, some)
