"""Text to tokens: the grammar of formulas without parentheses, in pyparsing.

The grammar has one level per precedence of operators, the tightest first. A token is the match of
an operand or a sign, or a `Chain`: `4 + 3 x 8` is a chain of 4, + and the chain of 3, x and 8. This
module imports pyparsing, so it is itself imported when the first formula is parsed.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import pyparsing as pp

from crisps24.notation.spellings import Syntax
from crisps24.rules.operators import MINUS_PATTERN, SIGN_PRECEDENCE, group_by_precedence
from crisps24.rules.words import VULGAR_FRACTIONS

_TARGET = rf"(?:{MINUS_PATTERN} *)?[0-9./∕⁄{VULGAR_FRACTIONS}]+"


class Chain(NamedTuple):
    """Operands with operators of one precedence, or with a minus sign."""

    kind: str
    """`left` or `right`: between operands, computed from that side; `before` or `after` the only
    operand; or `minus`."""
    tokens: list[Any]
    """In the order of the text. Group 1 of a sign is the operator, and group 2 a minus sign that
    follows it, or that is alone."""


def run_grammar(syntax: Syntax, text: str, *, has_target: bool) -> list[Any] | int:
    """Return the tokens of a formula and of its target, or the column where it is no formula."""
    formula, statement = _grammars(syntax)
    try:
        return (statement if has_target else formula).parse_string(text).as_list()
    except pp.ParseBaseException as error:
        return error.loc


# New formulas often contain parts that are not new.
run_grammar_cached = lru_cache(maxsize=1 << 12)(run_grammar)


@lru_cache(maxsize=16)
def _grammars(syntax: Syntax) -> tuple[pp.ParserElement, pp.ParserElement]:
    """Return the grammars of a whole text: a formula, and one with or without its target."""
    formula: pp.ParserElement = pp.Regex(syntax.operand_pattern, as_match=True)
    minus = pp.Optional(pp.Regex(f"()({MINUS_PATTERN})", as_match=True))
    minus_pending = syntax.has_tight_operators
    for level in group_by_precedence(syntax.sign_operators):
        first = level[0]
        is_tight = first.precedence > SIGN_PRECEDENCE
        if minus_pending and not is_tight:
            formula, minus_pending = _chain("minus", minus + formula), False
        followed = is_tight and not first.joins and first.arity == 2
        inner_minus = f"(?: *({MINUS_PATTERN}))?" if followed else "()"
        sign = pp.Regex(f"({syntax.pattern_of(level)}){inner_minus}", as_match=True)
        if first.arity == 2:
            kind = "right" if first.right_associative else "left"
            formula = _chain(kind, formula + pp.ZeroOrMore(sign - formula))
        elif first.postfix:
            formula = _chain("after", formula + pp.Optional(sign))
        else:
            formula = _chain("before", pp.ZeroOrMore(sign) + formula)
    formula = _chain("minus", minus + formula) if minus_pending else formula
    target = pp.Optional(pp.Suppress("=") - pp.Regex(_TARGET, as_match=True))
    # Streamlined here: the first use would change a grammar, which other threads can use too.
    return (formula + pp.StringEnd()).streamline(), (formula + target + pp.StringEnd()).streamline()


def _chain(kind: str, grammar: pp.ParserElement) -> pp.ParserElement:
    # With fewer parameters, pyparsing would find their number in the first call: a race of threads.
    def make_chain(_text: str, _column: int, tokens: pp.ParseResults) -> list[Chain] | None:
        return [Chain(kind, list(tokens))] if len(tokens) > 1 else None

    return grammar.set_parse_action(make_chain)
