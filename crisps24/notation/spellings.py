"""The spellings of operators and numbers, and the grammar of formulas without parentheses.

The grammar is built with pyparsing from the records of operators, one level per precedence, the
tightest first. From `4 + 3 x 8` it makes the list `4`, `+`, [`3`, `x`, `8`]: one list per chain of
operators that is read from the left. A group in parentheses is parsed before the text around it.
Its characters are then replaced by one `GROUP_START` and by `GROUP_FILL`, so that the group is one
token and the grammar needs no recursion.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import pyparsing as pp

from crisps24.notation.styles import STYLES
from crisps24.rules.operators import MINUS_PATTERN, SIGN_PRECEDENCE, Operator, group_by_precedence
from crisps24.rules.words import VULGAR_FRACTIONS

# The first character of a parsed group, and its other characters. Texts that contain one of them
# are refused.
GROUP_START = "\0"
GROUP_FILL = "\1"
# The name of the operator that LaTeX writes as a fraction.
DIVISION = next(name for style in STYLES.values() for name in style.frames)
# The names of the operators whose operand LaTeX writes in braces after the sign.
_BRACED_OPERATORS = {name for style in STYLES.values() for name in style.frames} - {DIVISION}


def all_spellings(operator: Operator) -> tuple[str, ...]:
    """Return all spellings of an operator that can be parsed, with the signs of all styles."""
    return (*operator.spellings, *operator.signs.values())


class TaggedTokens(NamedTuple):
    """The tokens of a part that is not a simple chain of operators read from the left."""

    kind: str
    """`minus`: a unary minus and its operand; `before` or `after`: an operator in front of or
    behind its one operand; `left` or `right`: a chain that groups to that side, in which a unary
    minus can follow an operator."""
    tokens: list[Any]


class Syntax:
    """The syntax of formulas: the spellings of operators and numbers, and the grammar for them."""

    def __init__(self, letters: Sequence[tuple[str, int]], operators: Sequence[Operator]) -> None:
        names = "".join(name + name.lower() for name, _ in letters)
        self.letters = dict(letters)
        """Letter to the number that it stands for, such as K to 13."""
        self.letter_pattern = f"[{names}]" if names else ""
        """Pattern of one letter; empty if the game has no letters."""
        self.literal_operators = [
            operator for operator in operators if operator.joins and operator.arity == 1
        ]
        """Operators that write a number with marks around its digits, such as `.5`."""
        marks = (map(re.escape, operator.affixes) for operator in reversed(self.literal_operators))
        self.number_patterns = [f"{before}[0-9]+{after}" for before, after in marks]
        """Patterns of numbers with marks around their digits, the longest first."""
        operators = [operator for operator in operators if operator not in self.literal_operators]
        self.operators = {
            spelling: operator
            for operator in operators
            for spelling in all_spellings(operator)
            if spelling[0] != "\\"
        }
        """Spelling to operator, without the commands of LaTeX."""
        self.braced_signs = tuple(
            sign for sign, operator in self.operators.items() if operator.name in _BRACED_OPERATORS
        )
        """The signs whose operand can follow in braces."""
        self.signs = sorted(self.operators, key=len, reverse=True)
        """The spellings of operators, the longest first."""
        self.sign_pattern = self._sign_pattern(operators)
        """Pattern of one spelling of any operator."""
        around = "".join(mark for operator in self.literal_operators for mark in operator.affixes)
        known = re.escape("".join((*self.signs, names, around)))
        self._strange = re.compile(rf"[^\s0-9()\[\]={known}]")
        self._two_signs = re.compile(rf"(?:{self.sign_pattern})\s*(?:{self.sign_pattern})")
        self.group_grammar, self.statement_grammar = self._grammar(operators)
        """The grammars of a text between two parentheses, and of a formula with or without
        `= target`."""

    def error_code(self, line: str) -> str:
        """Return the error code of a line that is not a formula.

        It is `character` for an unknown character (`4 $ 3`), `two-signs` for two operators in a row
        (`4 + x 3`), or else `not-a-formula`.
        """
        if self._strange.search(line):
            return "character"
        return "two-signs" if self._two_signs.search(line) else "not-a-formula"

    def _sign_pattern(self, operators: Sequence[Operator]) -> str:
        r"""Return a regular expression that matches one sign of any of the operators.

        The pattern of x matches `x`, `*` and `×`. It does not match the start of a longer sign of
        another operator: if the game also has the power **, the pattern of x contains `\*(?!\*)`.
        The pattern can be an alternative (`a|b`) without a group around it. At least one operator
        is needed.
        """
        signs = [sign for sign in self.signs if self.operators[sign] in operators]
        if all(len(sign) == 1 for sign in self.signs):
            return f"[{re.escape(''.join(signs))}]"
        other_signs = [sign for sign in self.signs if sign not in signs]
        alternatives = []
        for sign in signs:
            longer_signs = [other for other in other_signs if other.startswith(sign)]
            # The characters that would make this sign a longer one must not follow it.
            exclusions = (f"(?!{re.escape(other.removeprefix(sign))})" for other in longer_signs)
            alternatives.append(re.escape(sign) + "".join(exclusions))
        return "|".join(alternatives)

    def _grammar(self, operators: Sequence[Operator]) -> tuple[pp.ParserElement, pp.ParserElement]:
        """Return two grammars: of a formula, and of a formula with or without `= target` after it.

        Both match only a whole text without parentheses. Their tokens for `4 + 3 x 8` are
        [4, "+", [3, "x", 8]], with a match object for each number.
        """
        operand_patterns = (
            "[0-9]+",
            f"{GROUP_START}{GROUP_FILL}+",
            self.letter_pattern,
            *self.number_patterns,
        )
        operand = "|".join(filter(None, operand_patterns))
        # If an operator binds tighter than a unary minus, the minus is not part of the number:
        # -2 ^ 2 is -(2 ^ 2).
        minus_pending = any(
            operator.precedence > SIGN_PRECEDENCE and not operator.joins for operator in operators
        )
        number = f"(?:{operand})" if minus_pending else f"(?:{MINUS_PATTERN} *)?(?:{operand})"
        formula: pp.ParserElement = pp.Regex(number, as_match=True).set_name("number")
        # Each level of precedence is a chain of formulas of the level before, the tightest first.
        for level in group_by_precedence(operators):
            if minus_pending and level[0].precedence <= SIGN_PRECEDENCE:
                formula, minus_pending = self._optional_minus(formula), False
            formula = self._chain(level, formula)
        formula = self._optional_minus(formula) if minus_pending else formula
        number_of_target = rf"(?:{MINUS_PATTERN} *)?[0-9./∕⁄{VULGAR_FRACTIONS}]+"
        target = pp.Regex(number_of_target, as_match=True).set_name("target")
        stated_target = pp.Optional(pp.Suppress("=") - target)
        return formula + pp.StringEnd(), formula + stated_target + pp.StringEnd()

    def _optional_minus(self, formula: pp.ParserElement) -> pp.ParserElement:
        minus = pp.Regex(MINUS_PATTERN, as_match=True).set_name("operator")
        return _tagged("minus", pp.Optional(minus) + formula)

    def _chain(self, level: Sequence[Operator], operand: pp.ParserElement) -> pp.ParserElement:
        """Return the grammar of a chain of operators of equal precedence, such as `8 - 3 + 4`.

        A text that is only one operand gives the token of this operand. The chain `8 - 3 + 4` gives
        the list [8, "-", 3, "+", 4]. Operators with one operand, chains that are computed from the
        right, and operators that bind tighter than a minus sign give `TaggedTokens`.

        Args:
            level: the operators of the chain, such as + and -; all have the same precedence.
            operand: the grammar of the operands between them; these can contain operators that bind
                tighter, such as x.
        """
        first, signs = level[0], self._sign_pattern(level)
        if first.arity == 1:
            sign = pp.Regex(signs, as_match=True).set_name("operator")
            if first.postfix:
                return _tagged("after", operand + pp.Optional(sign))
            return _tagged("before", pp.ZeroOrMore(sign) + operand)
        binds_tighter_than_minus = first.precedence > SIGN_PRECEDENCE and not first.joins
        if binds_tighter_than_minus or first.right_associative:
            minus = f"(?: *({MINUS_PATTERN}))?" if binds_tighter_than_minus else "()"
            sign = pp.Regex(f"({signs}){minus}", as_match=True).set_name("operator")
            kind = "right" if first.right_associative else "left"
            return _tagged(kind, operand + pp.ZeroOrMore(sign - operand))
        sign = pp.Regex(signs).set_name("operator")
        chain = operand + pp.ZeroOrMore(sign - operand)
        return chain.set_parse_action(lambda tokens: [list(tokens)] if len(tokens) > 1 else None)


def _tagged(kind: str, chain: pp.ParserElement) -> pp.ParserElement:
    return chain.set_parse_action(
        lambda tokens: [TaggedTokens(kind, list(tokens))] if len(tokens) > 1 else None
    )


@lru_cache(maxsize=16)
def syntax_for(
    letters: Sequence[tuple[str, int]], operators: Sequence[Operator], *, joins_digits: bool
) -> Syntax:
    """Return the syntax of formulas: the signs that operators can have, and the grammar.

    Creating a grammar takes some milliseconds, so `lru_cache` keeps the last 16. Therefore the
    arguments must be hashable, such as tuples.

    Args:
        letters: pairs of a letter and the number that it stands for, such as ("K", 13).
        operators: the operators that can be parsed.
        joins_digits: whether digits can be joined, as in 1 | 2, which is 12. If not, the operators
            that join two operands are left out. Those that write one number, such as the dot of .5,
            stay.
    """
    if joins_digits:
        return Syntax(letters, operators)
    not_joining = [operator for operator in operators if not operator.joins or operator.arity == 1]
    return Syntax(letters, not_joining)
