"""What a formula that was read is worth in a game, or where it breaks a rule of it.

Owns how an objection of the evaluator is located in the text, and which trees a game without
parentheses has; what is asked of a formula besides is for `checking` to say.
"""

from collections.abc import Sequence

from crisps24.notation.errors import FormulaError, IllegalFormulaError
from crisps24.notation.evaluation import Objection, work_out
from crisps24.notation.grammar import parse
from crisps24.notation.statements import Reading
from crisps24.notation.trees import Expression, Number, Operation, chain_of, text_of
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from crisps24.rules.words import format_numbers

# What needs parentheses is shown where it is no longer.
_LONGEST_SHOWN = 60


def value_of(reading: Reading, game: Game, dealt: Sequence[Exact] = ()) -> Exact:
    """Return the value of a formula; numbers that are `dealt` may be used besides the game's.

    >>> from crisps24 import GAMES
    >>> from crisps24.notation.statements import read
    >>> value_of(read("10 + 3", GAMES["crisps"]), GAMES["crisps"], (10, 3))
    13

    Raises `IllegalFormulaError` for the first thing in it that the game objects to.
    """
    found = work_out(reading.expression, game, reading.number_of, dealt, reading.parts)
    if not isinstance(found, Objection):
        return found
    part, reason = found
    start, end = reading.span_of(part)
    if isinstance(part, Number):
        reason += f" ({format_numbers(sorted(set(game.numbers)))})"
    elif part.operator not in game.row_operators:
        start, end = _sign_of(part, reading)
    raise IllegalFormulaError(reason, reading.text, start, end - start)


def _sign_of(operation: Operation, reading: Reading) -> tuple[int, int]:
    """Return where the sign of an operation stands in the text that it was read from."""
    first, last = reading.span_of(operation.left)[1], reading.span_of(operation.right)[0]
    sign = reading.text[first:last].strip()
    if not sign:
        return reading.span_of(operation)
    start = reading.text.index(sign, first)
    return start, start + len(sign)


def fitted(tree: Expression, game: Game, text: str, start: int, end: int) -> Expression:
    """Return a tree that was not read from a row of signs as a game can have it.

    Without parentheses that is the tree of its own row, or one that needs none: 8 + (3 - 1) is
    8 + 3 - 1. `start` and `end` say where in a text it comes from.

    Raises `IllegalFormulaError` where the game has no such tree.
    """
    if game.parentheses:
        return tree
    printed = text_of(tree)
    try:
        row = parse(printed.replace("(", "").replace(")", ""), game)
    except FormulaError as error:
        raise IllegalFormulaError(error.reason, text, start, end - start) from None
    for each in (tree, _in_a_row(tree)):
        if each == row:
            return each
    needed = f": {printed}" if len(printed) <= _LONGEST_SHOWN else ""
    reason = f"{game.name} has no parentheses, and this needs them{needed}"
    if "(" not in printed:
        reason = f"{game.name} works {needed[2:] or 'this'} out in another order"
    raise IllegalFormulaError(reason, text, start, end - start)


def _in_a_row(tree: Expression) -> Expression:
    """Return a tree without the parentheses that change nothing, as those in 8 + (3 - 1)."""
    if isinstance(tree, Number):
        return tree
    first, links = chain_of(tree)
    made = _in_a_row(first)
    for link in links:
        right, operator = _in_a_row(link.right), link.operator
        inner, more = chain_of(right)
        one_chain = {operator.name, operator.inverse} if operator.inverse else set()
        if not (operator.commutes and all(each.operator.name in one_chain for each in more)):
            inner, more = right, []
        made = Operation(operator, made, inner, link.span, link.signs)
        for each in more:
            made = Operation(each.operator, made, each.right, link.span, link.signs)
    return made
