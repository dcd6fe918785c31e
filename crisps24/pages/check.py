"""Check: formulas and workings, one per line, judged as the command `check` does."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from crisps24.errors import RefusedError
from crisps24.messages.message import Count, message
from crisps24.notation.checking import Check, working_lines
from crisps24.notation.errors import FormulaError
from crisps24.notation.workings import is_working
from crisps24.pages.asking import RULE_NAMES, Asked
from crisps24.puzzle import check as check_formula
from crisps24.rules.characters import escape_unprintable, split_words
from crisps24.rules.deals import format_hand, parse_hand
from crisps24.rules.games import GAMES, Game, Hand
from crisps24.rules.words import format_value
from crisps24.rules.work import QUICK_WORK

NAMES = ("game", "formula", "card", "target", *RULE_NAMES)
MOST_LINES = 20
_LONGEST_LINE = 1_000

_Judge = Callable[[str], Check]


class Marked(NamedTuple):
    """A text of which a part is at fault."""

    before: str
    part: str
    after: str


def marked(error: FormulaError) -> Marked:
    """Return a formula with the part that is at fault, which is a space where it is the end.

    >>> from crisps24.messages.message import message
    >>> marked(FormulaError(message("step.zero", step="4 - 4"), "4 - 4 + 2", 0, 5))
    Marked(before='', part='4 - 4', after=' + 2')
    """
    text, start = error.text, min(error.position, len(error.text))
    end = start + error.length
    return Marked(
        *(escape_unprintable(each) for each in (text[:start], text[start:end] or " ", text[end:]))
    )


def page(asked: Asked) -> dict[str, Any]:
    """Return what the page shows: nothing but a form where no formula is given."""
    lines, game, card, asked = checked(asked)
    if "formula" not in asked:
        return {"asked": asked}
    judged = [_told(line, found, game, card, asked.style) for line, found in lines]
    well = sum(each["well"] for each in judged)
    return {"asked": asked, "judged": judged, "well": well}


class Checked(NamedTuple):
    """What came of each line, none where there is none, and what it was held to."""

    lines: list[tuple[str, Check]]
    game: Game
    card: Hand | None
    asked: Asked
    """The words, with those of a puzzle where it was asked by its id."""


def checked(asked: Asked) -> Checked:
    """Return what came of the lines that are asked about.

    Raises ValueError, in one sentence, for what is no card and for too much.
    """
    game: Game
    card: Hand | None
    if named := asked.named("card"):
        game, card, target = named
        asked = asked.in_game(game, card=format_hand(card), target=str(target))
    else:
        game = asked.game(tuple(GAMES))
        card = parse_hand(split_words(asked["card"]), game) if "card" in asked else None
        target = asked.value("target")
    style = asked.style or None
    settings: Any = {"target": target, "card": card, "game": game, "style": style}
    judge: _Judge = partial(check_formula, **settings, work=QUICK_WORK)
    return Checked(_judged(asked.get("formula", ""), judge), game, card, asked)


def _judged(text: str, judge: _Judge) -> list[tuple[str, Check]]:
    """Judge each line, or all together where they are the steps of one working that is right."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) > MOST_LINES:
        raise RefusedError(message("refused.lines", count=len(lines), most=MOST_LINES))
    for line in lines:
        if len(line) > _LONGEST_LINE:
            most = Count(_LONGEST_LINE)
            raise RefusedError(message("formula.too_long", size=Count(len(line)), most=most))
    found = [(line, judge(line)) for line in lines]
    if len(lines) > 1 and not _all_well(found) and is_working(text):
        together = [(", ".join(lines), judge(text))]
        if _all_well(together):
            return together
    return found


def _all_well(found: Sequence[tuple[str, Check]]) -> bool:
    return all(each for _, each in found)


def _told(line: str, found: Check, game: Game, card: Hand | None, style: str) -> dict[str, Any]:
    return {
        "text": escape_unprintable(line),
        "formula": escape_unprintable(found.formula),
        "well": bool(found),
        "verdict": found.verdict,
        "reason": found.message,
        "value": None if found.value is None else format_value(found.value),
        "marked": found.error and marked(found.error),
        "steps": [] if found.error else working_lines(line, game, card, style or None),
    }
