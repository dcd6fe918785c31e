"""The grammar of formulas without parentheses, in pyparsing: it defines what they mean.

    formula = term { ("+" | "-") term }
    term    = operand { ("x" | ":") operand }

There is a level for each precedence of operators, the tightest first; if an operator binds tighter
than a product, a minus stands in front of all of it: `operand = [ "-" ] power`. The tree of each
row of a results file, and of each formula of a game without parentheses, is that of the grammar;
`parser` builds it from tokens. A token is the match of an operand or a sign, or a `Chain`: `4 + 3 x
8` is a chain of 4, + and the chain of 3, x and 8. This module imports pyparsing, so it is itself
imported when the first such formula is read.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import pyparsing as pp

from crisps24.notation.spellings import Syntax
from crisps24.rules.operators import (
    MINUS_PATTERN,
    SIGN_PRECEDENCE,
    Operator,
    group_by_precedence,
)


class Chain(NamedTuple):
    """Operands with operators of one precedence, or with a minus sign."""

    kind: str
    """`left` or `right`: between operands, computed from that side; `before` or `after` the only
    operand; or `minus`."""
    tokens: list[Any]
    """In the order of the text. Group 1 of a sign is the operator, and group 2 a minus sign that
    follows it, or that is alone."""


def token_of(text: str, syntax: Syntax) -> Any:
    """Return the token of a formula: a `Chain` or the match of an operand; None if it is none."""
    try:
        [token] = _grammar(syntax).parse_string(text)
    except pp.ParseBaseException:
        return None
    return token


@lru_cache(maxsize=16)
def _grammar(syntax: Syntax) -> pp.ParserElement:
    # A minus is part of a number, or a level of its own between the tight operators and x.
    has_level = syntax.has_tight_operators
    sign = "()" if has_level else f"(?:({MINUS_PATTERN}) *)?"
    formula: pp.ParserElement = pp.Regex(f"{sign}({syntax.operand_pattern})", as_match=True)
    for level in group_by_precedence(syntax.sign_operators):
        if has_level and level[0].precedence <= SIGN_PRECEDENCE:
            formula, has_level = _add_minus(formula), False
        formula = _add_level(syntax, formula, level)
    formula = _add_minus(formula) if has_level else formula
    # Streamlined here: the first use would change a grammar, which other threads can use too.
    return (formula + pp.StringEnd()).streamline()


def _add_minus(operand: pp.ParserElement) -> pp.ParserElement:
    minus = pp.Optional(pp.Regex(f"()({MINUS_PATTERN})", as_match=True))
    return _chain("minus", minus + operand)


def _add_level(
    syntax: Syntax, operand: pp.ParserElement, level: Sequence[Operator]
) -> pp.ParserElement:
    """Return the grammar of operands with the operators of one precedence."""
    first = level[0]
    minus = f"(?: *({MINUS_PATTERN}))?" if first.is_tight and first.arity == 2 else "()"
    sign = pp.Regex(f"({syntax.pattern_of(level)}){minus}", as_match=True)
    if first.arity == 2:
        kind = "right" if first.right_associative else "left"
        return _chain(kind, operand + pp.ZeroOrMore(sign - operand))
    if first.postfix:
        return _chain("after", operand + pp.Optional(sign))
    return _chain("before", pp.ZeroOrMore(sign) + operand)


def _chain(kind: str, grammar: pp.ParserElement) -> pp.ParserElement:
    # With fewer parameters, pyparsing would find their number in the first call: a race of threads.
    def make_chain(_text: str, _column: int, tokens: pp.ParseResults) -> list[Chain] | None:
        return [Chain(kind, list(tokens))] if len(tokens) > 1 else None

    return grammar.set_parse_action(make_chain)
