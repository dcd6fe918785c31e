"""The check page: formulas and workings, one per line, checked like by the command `check`."""

from collections.abc import Callable
from typing import Any, NamedTuple

from crisps24.errors import RefusedError
from crisps24.messages.message import Count, message
from crisps24.notation.checking import Check, working_lines
from crisps24.notation.errors import FormulaError
from crisps24.notation.workings import is_working
from crisps24.pages.addresses import RULE_NAMES, Parameters
from crisps24.puzzle import check as check_formula
from crisps24.rules.characters import escape_unprintable, split_words
from crisps24.rules.deals import format_hand, parse_hand
from crisps24.rules.games import GAMES, Game, Hand
from crisps24.rules.words import format_value
from crisps24.rules.work import QUICK_WORK

NAMES = ("game", "formula", "card", "target", *RULE_NAMES)
MAX_LINES = 20
_MAX_LINE_LENGTH = 1_000

_CheckFunction = Callable[[str], Check]


class MarkedText(NamedTuple):
    """A formula in three parts: before the error, the error, and after it."""

    before: str
    part: str
    after: str


def mark_error(error: FormulaError) -> MarkedText:
    text, start = error.text, min(error.position, len(error.text))
    end = start + error.length
    parts = (text[:start], text[start:end] or " ", text[end:])
    return MarkedText(*map(escape_unprintable, parts))


def page(params: Parameters) -> dict[str, Any]:
    lines, game, card, params = check_lines(params)
    if "formula" not in params:
        return {"params": params}
    line_values = [_line_values(line, result, game, card, params.style) for line, result in lines]
    right_count = sum(values["well"] for values in line_values)
    return {"params": params, "judged": line_values, "well": right_count}


class CheckedLines(NamedTuple):
    """The results of lines, and the game and card that they were checked against."""

    lines: list[tuple[str, Check]]
    """Each line with its result, or all lines as one working; empty without a formula."""
    game: Game
    card: Hand | None
    params: Parameters
    """The parameters, in which the game, hand and target of a puzzle replace its id."""


def check_lines(params: Parameters) -> CheckedLines:
    game: Game
    card: Hand | None
    if puzzle_id := params.puzzle_id("card"):
        game, card, target = puzzle_id
        params = params.in_game(game, card=format_hand(card), target=str(target))
    else:
        game = params.game(tuple(GAMES))
        card = parse_hand(split_words(params["card"]), game) if "card" in params else None
        target = params.value("target")
    style = params.style or None
    settings: Any = {"hand": card, "target": target, "game": game, "work": QUICK_WORK}

    def check(text: str) -> Check:
        result = check_formula(text, **settings, style=style)
        if result.verdict == "malformed" and card is not None and style:
            # Words around a formula are read in any style.
            return check_formula(text, **settings) or result
        return result

    return CheckedLines(_check_text(params.get("formula", ""), check), game, card, params)


def _check_text(text: str, check: _CheckFunction) -> list[tuple[str, Check]]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > MAX_LINES:
        raise RefusedError(message("refused.lines", count=len(lines), most=MAX_LINES))
    for line in lines:
        if len(line) > _MAX_LINE_LENGTH:
            lengths = {"size": Count(len(line)), "most": Count(_MAX_LINE_LENGTH)}
            raise RefusedError(message("formula.too_long", **lengths))
    results = [(line, check(line)) for line in lines]
    if len(lines) > 1 and not all(result for _, result in results) and is_working(text):
        whole_result = check(text)
        if whole_result:
            return [(", ".join(lines), whole_result)]
    return results


def _line_values(
    line: str, result: Check, game: Game, card: Hand | None, style: str
) -> dict[str, Any]:
    return {
        "text": escape_unprintable(line),
        "formula": escape_unprintable(result.formula),
        "well": bool(result),
        "verdict": result.verdict,
        "reason": result.message,
        "value": None if result.value is None else format_value(result.value),
        "marked": result.error and mark_error(result.error),
        "steps": [] if result.error else _steps(line, result, game, card, style or None),
    }


def _steps(line: str, result: Check, game: Game, card: Hand | None, style: str | None) -> list[str]:
    try:
        return working_lines(line, game, card, style)
    except FormulaError:
        # The line has words, and the result the formula among them.
        return working_lines(result.formula, game, card, style)
