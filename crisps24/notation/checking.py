"""Evaluate and check formulas and workings: value, steps, verdict.

`check` compares the value of a formula with its targets and its numbers with a card. The verdict of
`4 + 3 x 8 - 4 = 24` on the card 4 3 8 4 is `right`; that of `9 : 7` is `illegal`, because 9 : 7
leaves a remainder. Parsing and evaluation take time linear in the length of the text.
"""

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
    """The result of checking a formula; `bool()` is True if it is right or legal.

    `verdict` is `right`, `legal` (right, but checked without a target), `wrong`, `illegal` or
    `malformed`; `formula` is the text, or the formula of a working; `value` is None if the
    formula is illegal or malformed; `message` is the reason as a key and values, None if the
    formula is right or legal; `error` holds the marked part of a formula that cannot be evaluated.

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
        """Return the check as a row for programs; `position` counts from 0, None without an error.

        The reason is in a language; `values` are those of the message. Raises RefusedError for an
        unknown language.
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
    """Return the exact value of a formula or a working: an int if it is whole, else a Fraction.

    >>> evaluate("4 x 3 : 3 x 6"), evaluate("8 / (3 - 8 / 3)", "digits")
    (24, 24)

    Args:
        formula: text of at most 10,000 characters, a row or a tree. A target after `=` is ignored.
        game: a game or its name; by default the game of a solution, else crisps.

    Raises:
        MalformedFormulaError: if the text is not a formula.
        IllegalFormulaError: for a number, an operator or parentheses that the game does not have,
            and for the first step that breaks a rule.
        FormulaError: for a working with a wrong or unused result.
        RefusedError: for an unknown game.
    """
    game = _game_of(formula, game)
    return _parse_any(formula, game).value_in(game)


def working(
    formula: str | Formula | Expression,
    game: Game | str | None = None,
    card: HandLike | None = None,
    style: str | None = None,
) -> list[str]:
    """Return the steps of a formula as lines, one per operation, in the order of work.

    The last line is the reason if a step is illegal. A single number has no steps.

    >>> working("4 + 3 x 8 - 4")
    ['3 x 8 = 24', '4 + 24 = 28', '28 - 4 = 24']

    Args:
        formula: text, a row or a tree, as in `evaluate`.
        game: as in `evaluate`.
        card: the numbers that steps of a working can use.
        style: the style of the text and of the lines; a tree is printed in any style.

    Raises the errors of parsing a formula; see `evaluate`. Also RefusedError for an unknown style
    and for a card that the game cannot have. Numbers and operators are not checked.
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
    """Return the lines of `working`, the reason of an illegal step in a language.

    The errors are those of `working`.
    """
    lines, statement = [], _parse_any(formula, game, card, style)
    line_style = style if isinstance(formula, Number | Operation) else _line_style(style)
    game = game_for_numbers(statement.numbers, game)
    leaf = leaf_evaluator(game, statement.number_of)
    for step in evaluation_steps(statement.tree, game, leaf):
        if not (step.legal and step.operation.is_notation):
            lines.append(describe_step(step, game, statement.number_of, line_style, language))
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
    """Return the `Check` of a formula whose value has to be the target.

    Errors of the formula are not raised: the check has them. Of several problems, the check has
    one: of the deal if `strict`, then of the card, then of the target.

    Args:
        text: the formula or working; a target after `=` has to be its value too.
        target: by default that of the game if a card is given, else none.
        card: the numbers that the formula has to use.
        game: its numbers and rules are allowed.
        strict: whether the numbers have to be a deal of the game.
        style: the style of the text and of messages; by default that of the game.

    Raises:
        RefusedError: for an unknown style, and for one that cannot be parsed.
    """
    try:
        text = formula_text(text)
        statement = _parse_text(text, game, card, style)
        value = statement.value_in(game, card or (), _line_style(style))
    except FormulaError as error:
        return Check(error.text, None, error.kind, error.message, error)
    formula = statement.formula or text
    targets = [goal for goal in (statement.target, target) if goal is not None]
    if card is not None and not targets and game.target is not None:
        targets = [game.target]
    problem: Message | None = None
    if strict:
        numbers = statement.card_numbers(game) if card is None else card
        problem = deal_problem(numbers, game, complete=card is not None or game.all_numbers)
    if card is not None:
        numbers = statement.card_numbers(game, card)
        problem = problem or usage_problem(numbers, card, all_numbers=game.all_numbers)
    for goal in targets:
        if goal != value:
            problem = problem or message("answer.makes", value=value, target=goal)
    if problem:
        return Check(formula, value, "wrong", problem)
    return Check(formula, value, "right" if targets else "legal")


def _line_style(style: str | None) -> str | None:
    """Return the style of steps; None (the style of the game) for a prefix style."""
    return None if style is None or STYLES[style].prefix else style


def _game_of(formula: object, game: Game | str | None) -> Game:
    own = formula.game if isinstance(formula, Number | Operation) else None
    return find_game((own or "crisps") if game is None else game)


def _parse_any(
    formula: str | Formula | Expression,
    game: Game,
    card: Sequence[int] | None = None,
    style: str | None = None,
) -> Statement:
    """Return the statement of a tree, or of a parsed text or row; errors as `_parse_text`."""
    if isinstance(formula, Number | Operation):
        return statement_of(str(formula), formula)
    return _parse_text(formula_text(formula), game, card, style)


def _parse_text(
    text: str, game: Game, card: Sequence[int] | None = None, style: str | None = None
) -> Statement:
    """Parse a formula in a style, or a working, which can have steps that break a rule.

    Raise RefusedError for an unknown style or one that cannot be parsed, and FormulaError if the
    text is not a formula.
    """
    if style is not None:
        known = style_by_name(style)
        if known.prefix:
            return parse_polish(text, game)
        if not known.readable:
            raise RefusedError(f"invalid style '{style}' (formulas are only printed in it)")
    if is_working(text):
        return parse_working(text, game, card, style)
    return parse_statement(text, game)
