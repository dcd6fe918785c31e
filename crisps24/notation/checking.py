"""What becomes of a formula that somebody wrote: its value, its working, and a verdict.

Owns what is said of formulas that are not right; the grammar reads them, the evaluator works
them out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from crisps24.notation.errors import FormulaError, IllegalFormulaError
from crisps24.notation.evaluation import (
    Objection,
    exact_leaf,
    game_with,
    sentence_of,
    steps,
    work_out,
)
from crisps24.notation.shapes import Reading, read, reading_of
from crisps24.notation.trees import Expression, Formula, Number, Operation
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, find_game
from crisps24.rules.words import format_hand, format_numbers, format_value


@dataclass(frozen=True, slots=True)
class Check:
    """What came of checking a formula.

    `verdict` is `right`, `wrong`, `illegal` or `malformed`; `value` is None where there is
    none; `reason` is empty where all is right; `error` holds the marked part, if there is one.
    """

    formula: str
    value: Exact | None
    verdict: str
    reason: str = ""
    error: FormulaError | None = None


def evaluate(formula: str | Formula | Expression, game: Game | str = "crisps") -> Exact:
    """Return the value of a formula: an int, or a Fraction where it is not whole.

    >>> evaluate("4 x 3 : 3 x 6"), evaluate("8 / (3 - 8 / 3)", "digits")
    (24, 24)

    Raises what `parse` raises, and `IllegalFormulaError` for a number or an operator that the
    game does not have and for the first step that breaks a rule.
    """
    game = find_game(game)
    return _value_of(_reading_of(formula, game), game)


def working(formula: str | Formula | Expression, game: Game | str = "crisps") -> list[str]:
    """Return the working of a formula, an operation a line, up to the first illegal one.

    >>> working("4 + 3 x 8 - 4")
    ['3 x 8 = 24', '4 + 24 = 28', '28 - 4 = 24']

    Raises what `parse` raises.
    """
    game = find_game(game)
    lines, reading = [], _reading_of(formula, game)
    game = game_with(reading.numbers, game)
    leaf = exact_leaf(game, reading.number_of)
    for step in steps(reading.expression, game, leaf):
        if not (step.legal and step.operation.operator.joins):
            lines.append(sentence_of(step, game))
        if not step.legal:
            break
    return lines


def check(
    text: str,
    target: Exact | None = None,
    card: Sequence[int] | None = None,
    game: Game | str = "crisps",
) -> Check:
    """Say whether a formula is right, and if it is not, why.

    It is right when it is legal, makes the target that it states and `target`, and uses each
    number of `card` once and no other, be they numbers of the game or not; what is not given is
    not asked.

    >>> check("4 + 3 x 8 - 4 = 24", card=(4, 3, 8, 4)).verdict
    'right'
    >>> check("2 x 3 = 7").reason
    'it makes 6, not 7'
    """
    game = find_game(game)
    try:
        reading = read(text, game)
        value = _value_of(reading, game, card or ())
    except FormulaError as error:
        return Check(text, None, error.kind, error.reason, error)
    if card is not None:
        used = reading.numbers
        if sorted(used) != sorted(card):
            reason = f"it uses {format_hand(used)}, and the card is {format_hand(card)}"
            return Check(text, value, "wrong", reason)
    for wanted in (reading.target, target):
        if wanted is not None and wanted != value:
            made, not_made = format_value(value), format_value(wanted)
            return Check(text, value, "wrong", f"it makes {made}, not {not_made}")
    return Check(text, value, "right")


def _reading_of(formula: str | Formula | Expression, game: Game) -> Reading:
    if isinstance(formula, Number | Operation):
        return reading_of(str(formula), formula)
    return read(str(formula), game)


def _value_of(reading: Reading, game: Game, dealt: Sequence[int] = ()) -> Exact:
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
