"""Evaluate and check formulas and workings: value, steps, verdict.

`check` compares the value of a formula with its targets and its numbers with a card. The verdict of
`4 + 3 x 8 - 4 = 24` on the card 4 3 8 4 is `right`; that of `9 : 7` is `illegal`, because 9 : 7
leaves a remainder. Parsing and evaluation take time linear in the length of the text.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from crisps24.errors import RefusedError, WithReason, parse_language
from crisps24.messages.message import ENGLISH, Language, Message, message, reason_row
from crisps24.notation.errors import FormulaError
from crisps24.notation.evaluation import describe_step, evaluation_steps, leaf_evaluator
from crisps24.notation.statements import Statement, parse_polish, parse_statement, statement_of
from crisps24.notation.styles import STYLES, style_by_name
from crisps24.notation.trees import (
    Expression,
    Formula,
    Number,
    Operation,
    formula_text,
    parts_of,
)
from crisps24.notation.workings import is_working, parse_working
from crisps24.rules.deals import HandLike, deal_problem, to_hand, usage_problem
from crisps24.rules.exact import Exact, has_fractions, to_json
from crisps24.rules.games import Game, Hand, find_game, game_for_numbers
from crisps24.rules.points import Points
from crisps24.rules.words import with_decimal_points


@dataclass(frozen=True, slots=True)
class Check(WithReason):
    """The result of checking a formula; `bool()` is True if it is right or legal.

    `verdict` is `right`, `legal` (right, but checked without a target), `wrong`, `illegal` or
    `malformed`; `formula` is the text, or the formula of a working; `value` is None if the
    formula is illegal or malformed; `message` is the reason as a key and values, None if the
    formula is right or legal; `error` holds the marked part of a formula that cannot be evaluated;
    `points` is what it earns in a game that gives points for operators, else None.

    >>> from crisps24 import check
    >>> bool(check("4 + 3")), check("4 + 3").right
    (True, False)
    """

    formula: str
    value: Exact | None
    verdict: Literal["right", "legal", "wrong", "illegal", "malformed"]
    message: Message | None = None
    error: FormulaError | None = field(default=None, compare=False)
    points: int | None = None

    @property
    def right(self) -> bool:
        """Whether the formula is right; False if it was checked without a target."""
        return self.verdict == "right"

    def row(self, language: str = "en") -> dict[str, Any]:
        """Return the check as a dictionary, with the reason in a language such as `en` or `nl`.

        Fractions are texts, as in JSON. `values` has the numbers that the reason mentions.
        `position` is the 0-based column of the error; it is None if the formula can be evaluated.
        Raises RefusedError for an unknown language.

        >>> from crisps24 import check
        >>> row = check("4 + 3 = 8").row()
        >>> row["verdict"], row["reason"], row["values"]
        ('wrong', 'it makes 7, not 8', {'value': 7, 'target': 8})
        """
        return {
            "formula": self.formula,
            "value": to_json(self.value),
            "verdict": self.verdict,
            **reason_row(self.message, parse_language(language)),
            "position": self.error.position if self.error else None,
            **({} if self.points is None else {"points": self.points}),
        }

    def __bool__(self) -> bool:
        return self.verdict in ("right", "legal")


def parse(text: str, game: Game | str = "crisps", card: HandLike | None = None) -> Expression:
    """Parse a formula into a tree, by the operator precedence of the game.

    Spaces are optional, all spellings of operators are accepted, and a target after `=` is ignored.
    Whether numbers and steps are legal is checked by `evaluate`. A text has at most 6,000
    characters, 100 levels of parentheses and 100 digits per number. The `card` is only needed if it
    has fractions: then 3/4 can be a number instead of a division.

    >>> parse("2+8×9")
    parse('2 + 8 x 9', 'digits')

    Raises MalformedFormulaError if the text is not a formula; IllegalFormulaError for parentheses
    in a game without parentheses, for joined operands that are not digits, and in game24 for other
    than 4 numbers; and RefusedError for an unknown game, and for a card that it cannot have.
    """
    game = find_game(game)
    hand = None if card is None else to_hand(card, game)
    return parse_for_card(formula_text(text), game, hand).expression_in(game.style)


def parse_for_card(text: str, game: Game, card: Sequence[Exact] | None) -> Statement:
    """Parse a formula; where the card has fractions, decimals and quotients can be its numbers."""
    # Without `fractions`, no card of the game has fractions.
    if not game.fractions or game.join or not has_fractions(game.numbers if card is None else card):
        return parse_statement(text, game)
    # Few cards have fractions: most programs never need this module.
    from crisps24.notation.fraction_cards import parse_with_fractions

    return parse_with_fractions(text, game, card)


def evaluate(formula: str | Formula | Expression, game: Game | str | None = None) -> Exact:
    """Return the exact value of a formula or a working: an int if it is whole, else a Fraction.

    A formula is a text as for `parse`, a `Formula` or a tree; the default game is that of a
    solution, else crisps.

    >>> evaluate("4 x 3 : 3 x 6"), evaluate("8 / (3 - 8 / 3)", "digits")
    (24, 24)

    Raises the errors of `parse`; IllegalFormulaError also for a number or an operator that the game
    does not have, and for the first step that breaks a rule; and FormulaError for a working with a
    wrong or unused result.
    """
    game = _game_of(formula, game)
    return _parse_any(formula, game).value_in(game)


def working(
    formula: str | Formula | Expression,
    game: Game | str | None = None,
    card: HandLike | None = None,
    style: str | None = None,
) -> list[str]:
    """Return the steps that compute a formula as lines of text, in the order of work.

    A step is one operation with its result. If a step breaks a rule of the game, the last line is
    the reason. A single number has no steps. Formula and game are those of `evaluate`, the `card`
    that of `parse`; a tree is printed in any style. Numbers and operators are not checked.

    >>> working("4 + 3 x 8 - 4")
    ['3 x 8 = 24', '4 + 24 = 28', '28 - 4 = 24']
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
    """Return the lines of `working`, with the reason of an illegal step in a language."""
    statement = _parse_any(formula, game, card, style)
    is_tree = isinstance(formula, Number | Operation)
    line_style = style if is_tree else _line_style(style)
    lines = []
    game = game_for_numbers(statement.numbers, game)
    value_of_leaf = leaf_evaluator(game, statement.number_of)
    for step in evaluation_steps(statement.tree, game, value_of_leaf):
        # Joined digits (12) and a minus sign (-3) only write a number: they need no line.
        if not (step.legal and step.operation.is_notation):
            lines.append(describe_step(step, game, statement.number_of, line_style, language))
        if not step.legal:
            break
    return lines


def check_against_target(
    text: str | Formula | Expression,
    card: Hand | None,
    target: Exact | None,
    game: Game,
    *,
    strict: bool = False,
    style: str | None = None,
) -> Check:
    """Check whether the value of a formula is the target, and whether it uses the dealt numbers.

    Of several problems the first is returned: numbers that the game cannot deal (only if `strict`),
    then numbers that are not those of the card, then the value, then a minus that is no subtraction
    and, in a game in order, the order of the card. Many languages write 0,75 for 0.75: a comma
    between digits is a point, unless the text is right or legal without that, or is no formula with
    it; not in 1,000, which can be a thousand.
    """
    result = _check(text, card, target, game, strict=strict, style=style)
    if not result and isinstance(text, str) and (pointed := with_decimal_points(text)) != text:
        other = _check(pointed, card, target, game, strict=strict, style=style)
        if other.verdict != "malformed":
            result = replace(other, formula=text) if other.formula == pointed else other
            if result.error is not None:
                result.error.text = text
    return replace(result, points=0) if game.operator_points and not result else result


def _check(
    text: str | Formula | Expression,
    card: Hand | None,
    target: Exact | None,
    game: Game,
    *,
    strict: bool,
    style: str | None,
) -> Check:
    try:
        text = formula_text(text)
        statement = _parse_text(text, game, card, style)
        dealt: Sequence[Exact] = card or ()
        if statement.unbracketed:
            # The reason is the missing brackets, not that the game has no 3 or no 4.
            dealt = (*dealt, *statement.numbers)
        value = statement.value_in(game, dealt, _line_style(style))
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
        if statement.unbracketed:
            problem = problem or message("answer.unbracketed", quotient=statement.unbracketed)
        problem = problem or usage_problem(numbers, card, all_numbers=game.all_numbers)
    for goal in targets:
        if goal != value:
            problem = problem or message("answer.makes", value=value, target=goal)
    if problem:
        return Check(formula, value, "wrong", problem)
    try:
        statement = statement.as_judged(game, dealt, _line_style(style) or "")
    except FormulaError as error:
        return Check(error.text, None, error.kind, error.message, error)
    count = game.length if card is None else len(card)
    scoring = game.operator_points
    points = formula_points(statement.tree, scoring, count) if scoring else None
    return Check(formula, value, "right" if targets else "legal", points=points)


def formula_points(tree: Expression, points: Points, count: int) -> int:
    """Return the points of an exact answer to a hand of `count` numbers."""
    numbers, operations = parts_of(tree)
    names = [operation.operator.name for operation in operations]
    return points.of(0, names, uses_all=len(numbers) == count)


def _line_style(style: str | None) -> str | None:
    """Return the style of the steps of a text: not Polish notation, but that of the game."""
    is_polish = style is not None and STYLES[style].prefix
    return None if is_polish else style


def _game_of(formula: object, game: Game | str | None) -> Game:
    """Return the given game; for None the game that a solution was found in, or else crisps."""
    game_of_solution = formula.game if isinstance(formula, Number | Operation) else None
    return find_game((game_of_solution or "crisps") if game is None else game)


def _parse_any(
    formula: str | Formula | Expression,
    game: Game,
    card: Sequence[Exact] | None = None,
    style: str | None = None,
) -> Statement:
    if isinstance(formula, Number | Operation):
        return statement_of(str(formula), formula)
    text = formula_text(formula)
    try:
        return _parse_text(text, game, card, style)
    except FormulaError:
        with suppress(FormulaError):
            return _parse_text(with_decimal_points(text), game, card, style)
        raise


def _parse_text(
    text: str, game: Game, card: Sequence[Exact] | None = None, style: str | None = None
) -> Statement:
    """Parse a formula, with or without `= target`, or a solution in several steps."""
    if style is not None:
        style_of_text = style_by_name(style)
        if style_of_text.prefix:
            if not has_fractions(game.numbers if card is None else card):
                return parse_polish(text, game)
            from crisps24.notation.fraction_cards import parse_polish_with_fractions

            return parse_polish_with_fractions(text, game)
        if not style_of_text.readable:
            raise RefusedError(f"invalid style '{style}' (formulas are only printed in it)")
    if is_working(text):
        return parse_working(text, game, card, style)
    return parse_for_card(text, game, card)
