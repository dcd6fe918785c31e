"""Evaluate and check formulas and workings: value, steps, verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from crisps24.errors import RefusedError, WithReason, parse_language
from crisps24.messages.message import ENGLISH, Language, Message, message, reason_row
from crisps24.notation.errors import FormulaError
from crisps24.notation.evaluation import describe_step, evaluation_steps, leaf_evaluator
from crisps24.notation.statements import Statement, parse_polish, parse_statement, statement_of
from crisps24.notation.styles import STYLES, style_by_name
from crisps24.notation.trees import Expression, Formula, Number, Operation, formula_text
from crisps24.notation.workings import is_working, parse_working
from crisps24.rules.deals import HandLike, deal_problem, to_hand, usage_problem
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand, find_game, game_for_numbers


@dataclass(frozen=True, slots=True)
class Check(WithReason):
    """The result of checking a formula.

    `verdict` is `right`, `legal` (right, as far as no target was asked), `wrong`, `illegal` or
    `malformed`; `formula` is the text, or what a working was turned into; `value` is None where
    there is none; `message` is the reason as a key and values, None where all is right; `error`
    holds the marked part, if there is one. It is true, as `bool` has it, where it is right or
    legal.

    >>> from crisps24 import check
    >>> bool(check("4 + 3")), check("4 + 3").right
    (True, False)
    """

    formula: str
    value: Exact | None
    verdict: str
    message: Message | None = None
    error: FormulaError | None = field(default=None, compare=False)

    @property
    def right(self) -> bool:
        """Whether the formula is right; False if it was checked without a target."""
        return self.verdict == "right"

    def row(self, language: str = "en") -> dict[str, Any]:
        """Return the check as a row for programs; `position` counts from 0.

        The reason is in a language; `values` are those of the message.
        """
        return {
            "formula": self.formula,
            "value": self.value,
            "verdict": self.verdict,
            **reason_row(self.message, parse_language(language)),
            "position": self.error.position if self.error else None,
        }

    def __bool__(self) -> bool:
        return self.verdict in ("right", "legal")


def evaluate(formula: str | Formula | Expression, game: Game | str | None = None) -> Exact:
    """Return the exact value of a formula or a working: an int, or a Fraction if it is not whole.

    Without a `game`, a solution is worked out in its own, anything else in crisps.

    >>> evaluate("4 x 3 : 3 x 6"), evaluate("8 / (3 - 8 / 3)", "digits")
    (24, 24)

    Raises what `parse` raises, and `IllegalFormulaError` for a number or an operator that the
    game does not have and for the first step that breaks a rule.
    """
    game = _game_of(formula, game)
    return _read_any(formula, game).value_in(game)


def working(
    formula: str | Formula | Expression,
    game: Game | str | None = None,
    card: HandLike | None = None,
    style: str | None = None,
) -> list[str]:
    """Return the working of a formula, an operation a line, up to the first illegal one.

    `game` is that of `evaluate`, `card` and `style` are as in `check`. The steps of a tree are
    written in any style.

    >>> working("4 + 3 x 8 - 4")
    ['3 x 8 = 24', '4 + 24 = 28', '28 - 4 = 24']

    Raises what `parse` raises.
    """
    game = _game_of(formula, game)
    return working_lines(formula, game, None if card is None else to_hand(card, game), style)


def working_lines(
    formula: str | Formula | Expression,
    game: Game,
    card: Hand | None = None,
    style: str | None = None,
    language: Language = ENGLISH,
) -> list[str]:
    """Return the steps of a formula as `working` does; why one is illegal is in a language."""
    lines, statement = [], _read_any(formula, game, card, style)
    told_in = style if isinstance(formula, Number | Operation) else _told_in(style)
    game = game_for_numbers(statement.numbers, game)
    leaf = leaf_evaluator(game, statement.number_of)
    for step in evaluation_steps(statement.tree, game, leaf):
        if not (step.legal and step.operation.is_notation):
            lines.append(describe_step(step, game, statement.number_of, told_in, language))
        if not step.legal:
            break
    return lines


def check_against_target(
    text: str | Formula | Expression,
    target: Exact | None,
    card: Hand | None,
    game: Game,
    *,
    strict: bool = False,
    style: str | None = None,
) -> Check:
    """Return what `puzzle.check` returns where only the target is right."""
    try:
        text = formula_text(text)
        statement = _read(text, game, card, style)
        value = statement.value_in(game, card or (), _told_in(style))
    except FormulaError as error:
        return Check(error.text, None, error.kind, error.message, error)
    formula = statement.formula or text
    asked = [each for each in (statement.target, target) if each is not None]
    if card is not None and not asked and game.target is not None:
        asked = [game.target]
    why: Message | None = None
    if strict:
        numbers, whole = (
            (statement.card_numbers(game), game.all_numbers) if card is None else (card, True)
        )
        why = deal_problem(numbers, game, complete=whole)
    if card is not None:
        why = why or _why_not_of_card(statement, card, game)
    for wanted in asked:
        if wanted != value:
            why = why or message("answer.makes", value=value, target=wanted)
    if why:
        return Check(formula, value, "wrong", why)
    return Check(formula, value, "right" if asked else "legal")


def _why_not_of_card(statement: Statement, card: Sequence[int], game: Game) -> Message | None:
    """Return the message about why the numbers of a formula do not fit a card; None if they do."""
    return usage_problem(statement.card_numbers(game, card), card, all_numbers=game.all_numbers)


def _told_in(style: str | None) -> str | None:
    """Return the style of what is told of a text in a style; None for that of the game."""
    return None if style is None or STYLES[style].prefix else style


def _game_of(formula: object, game: Game | str | None) -> Game:
    own = formula.game if isinstance(formula, Number | Operation) else None
    return find_game((own or "crisps") if game is None else game)


def _read_any(
    formula: str | Formula | Expression,
    game: Game,
    card: Sequence[int] | None = None,
    style: str | None = None,
) -> Statement:
    if isinstance(formula, Number | Operation):
        return statement_of(str(formula), formula)
    return _read(formula_text(formula), game, card, style)


def _read(
    text: str, game: Game, card: Sequence[int] | None = None, style: str | None = None
) -> Statement:
    """Read a text as what it is: a formula in a style, or a working."""
    if style is not None:
        known = style_by_name(style)
        if known.prefix:
            return parse_polish(text, game)
        if not known.readable:
            raise RefusedError(f"formulas are printed in the style {style}, and not read")
    if is_working(text):
        return parse_working(text, game, card, style)
    return parse_statement(text, game)
