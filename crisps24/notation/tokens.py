"""Text to tokens: the pyparsing grammar of a formula without parentheses.

Owns how it is made from the precedences and spellings of operators; `grammar` hands it a text in
pieces, and makes a tree of what it gathers.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import pyparsing as pp

from crisps24.rules.operators import BELOW_ZERO, Operator, levels_of

# What is gathered from longer texts is not remembered.
LONGEST_REMEMBERED = 64

# Stand for a formula in parentheses that is parsed already: its first column, and the others.
# No text may hold them.
PARSED, FILLER = "\0", "\1"


def tokens_of(grammar: pp.ParserElement, text: str) -> list[Any] | int:
    """Return what the grammar gathers from a text, or the column where it cannot go on."""
    try:
        return grammar.parse_string(text).as_list()
    except pp.ParseBaseException as error:
        return error.loc


known_tokens_of = lru_cache(maxsize=1 << 12)(tokens_of)


@lru_cache(maxsize=8)
def by_spelling(operators: Sequence[Operator]) -> dict[str, Operator]:
    """Return operators by all their spellings."""
    return {spelling: operator for operator in operators for spelling in operator.spellings}


@lru_cache(maxsize=16)
def spellings_of(operators: Sequence[Operator]) -> list[str]:
    """Return all the spellings of operators, the longest first."""
    spellings = [spelling for operator in operators for spelling in operator.spellings]
    return sorted(spellings, key=len, reverse=True)


@lru_cache(maxsize=64)
def spelled(operators: Sequence[Operator], others: Sequence[Operator] = ()) -> str:
    """Return a pattern of all the spellings of operators, but where one of others is longer."""
    signs, longer = spellings_of(operators), spellings_of(others)
    if all(len(sign) == 1 for sign in (*signs, *longer)):
        return f"[{re.escape(''.join(signs))}]"
    return "|".join(
        re.escape(sign)
        + "".join(
            f"(?!{re.escape(other.removeprefix(sign))})"
            for other in longer
            if other.startswith(sign) and other not in signs
        )
        for sign in signs
    )


@lru_cache(maxsize=8)
def formula_of(letters: str, operators: Sequence[Operator]) -> pp.ParserElement:
    """Build the grammar of a formula without parentheses, from the tightest operators down."""
    names = f"|[{letters}{letters.lower()}]" if letters else ""
    number = f"(?:{BELOW_ZERO} *)?[0-9]+|{PARSED}{FILLER}+{names}"
    operand: pp.ParserElement = pp.Regex(number, as_match=True).set_name("number")
    for level in levels_of(operators):
        sign = pp.Regex(spelled(level, operators)).set_name("operator")
        chain = operand + pp.ZeroOrMore(sign - operand)
        operand = chain.set_parse_action(lambda tokens: [list(tokens)] if len(tokens) > 1 else None)
    return operand


@lru_cache(maxsize=8)
def group_of(formula: pp.ParserElement) -> pp.ParserElement:
    """Build the grammar of what is between two parentheses."""
    return formula + pp.StringEnd()


@lru_cache(maxsize=8)
def statement_of(formula: pp.ParserElement) -> pp.ParserElement:
    """Build the grammar of a formula and the target that it may state."""
    target = pp.Regex(f"(?:{BELOW_ZERO} *)?[0-9./∕⁄]+", as_match=True).set_name("target")
    return formula + pp.Optional(pp.Suppress("=") - target) + pp.StringEnd()
