"""The spellings of operators and numbers."""

import re
from collections.abc import Sequence
from functools import lru_cache

from crisps24.notation.styles import STYLES
from crisps24.rules.operators import MINUS_PATTERN, Operator

# The name of the operator that LaTeX writes as a fraction.
DIVISION = next(name for style in STYLES.values() for name in style.frames)
# The names of the operators whose operand LaTeX writes in braces after the sign.
_BRACED_OPERATORS = {name for style in STYLES.values() for name in style.frames} - {DIVISION}


def all_spellings(operator: Operator) -> tuple[str, ...]:
    return (*operator.spellings, *operator.signs.values())


class Syntax:
    """The syntax of formulas: the spellings of operators and numbers."""

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
        self.sign_pattern = self.pattern_of(operators)
        """Pattern of one spelling of any operator."""
        around = "".join(mark for operator in self.literal_operators for mark in operator.affixes)
        known = re.escape("".join((*self.signs, names, around)))
        self._strange = re.compile(rf"[^\s0-9()\[\]={known}]")
        self._two_signs = re.compile(rf"(?:{self.sign_pattern})\s*(?:{self.sign_pattern})")
        self.sign_operators = operators
        """The operators that are signs of their own."""
        self.has_tight_operators = any(operator.is_tight for operator in operators)
        """Whether a minus sign is not part of the number behind it: -2 ^ 2 is -(2 ^ 2)."""
        operands = ("[0-9]+", self.letter_pattern, *self.number_patterns)
        self.operand_pattern = "|".join(filter(None, operands))
        """Pattern of a number or a letter."""
        self.operand = re.compile(f" *({self.operand_pattern})")
        self.sign = re.compile(f" *({self.sign_pattern})")
        # In other games, a minus is part of its number or group.
        follows = "" if self.has_tight_operators else rf"(?! *(?:{self.sign_pattern}|[)\]}}=]|$))"
        self.minus = re.compile(f" *({MINUS_PATTERN}){follows}")

    def error_code(self, line: str) -> str:
        """Return the error code of a line that is not a formula."""
        if self._strange.search(line):
            return "character"
        return "two-signs" if self._two_signs.search(line) else "not-a-formula"

    def pattern_of(self, operators: Sequence[Operator]) -> str:
        r"""Return a pattern of one sign of the operators, but not of the start of a longer sign.

        If the game also has the power **, the pattern of x contains `\*(?!\*)`. It can be `a|b`,
        without a group.
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


@lru_cache(maxsize=16)
def syntax_for(
    letters: Sequence[tuple[str, int]], operators: Sequence[Operator], *, joins_digits: bool
) -> Syntax:
    """Return the syntax of formulas; without `joins_digits`, `1 | 2` is none."""
    if joins_digits:
        return Syntax(letters, operators)
    not_joining = [operator for operator in operators if not operator.joins or operator.arity == 1]
    return Syntax(letters, not_joining)
