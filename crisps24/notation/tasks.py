"""The task and the rules of a game as text for players."""

from crisps24.messages.message import ENGLISH, Language
from crisps24.notation.styles import STYLES
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from crisps24.rules.rules import format_task


def task_text(
    game: Game,
    target: Exact | None = None,
    *,
    counted: bool = True,
    language: Language = ENGLISH,
    style: str | None = None,
) -> str:
    """Return the task and the rules of a game as text for players."""
    return format_task(game, list_signs(game, style), target, counted=counted, language=language)


def replace_no_break_spaces(text: str) -> str:
    """Return a text with its no-break spaces, which only matter on paper, as spaces."""
    return text.replace("\u00a0", " ")


def list_signs(game: Game, style: str | None) -> list[str]:
    """Return the signs of the operators in a style: + and - before x and :, as people list them."""
    operators = sorted(
        (operator for operator in game.row_operators if not operator.joins),
        key=lambda operator: (operator.precedence, not operator.commutes),
    )
    return [STYLES[style or game.style].sign(operator) for operator in operators]
