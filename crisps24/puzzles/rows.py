"""Rows of dealt puzzles: fields by their names, and prompts from a template.

A template is text, and nothing in it is run.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import ENGLISH, Language
from crisps24.notation.styles import STYLES
from crisps24.output.tables import Row
from crisps24.puzzle import FIELD_GETTERS, PUZZLE_FIELDS, Puzzle, puzzle_rows
from crisps24.rules.deals import format_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from crisps24.rules.rules import format_task
from crisps24.solving.effort import level_cutoffs

if TYPE_CHECKING:
    from concurrent.futures import Executor

# What a prompt is where no template is given.
DEFAULT_TEMPLATE = "The numbers are {numbers}. {rules}"
# The places of a template, and what stands there.
PLACEHOLDERS: dict[str, Callable[[Puzzle], str]] = {
    "numbers": lambda puzzle: ", ".join(map(str, puzzle.hand)),
    "nums": lambda puzzle: str(list(puzzle.hand)),
    "hand": lambda puzzle: format_hand(puzzle.hand),
    "target": lambda puzzle: str(puzzle.target),
    "rules": lambda puzzle: replace_no_break_spaces(
        task_text(puzzle.game, puzzle.target, style=puzzle.style)
    ),
    "operators": lambda puzzle: " ".join(_signs(puzzle.game, puzzle.style)),
    "game": lambda puzzle: puzzle.game.name,
    "id": lambda puzzle: puzzle.id,
}
# In two pairs of braces a name is text, and in three a place that stands in one.
_NAME = r"([A-Za-z_]+)"
_PLACE = re.compile(rf"\{{\{{\{{{_NAME}\}}\}}\}}|\{{\{{{_NAME}\}}\}}|\{{{_NAME}\}}")
# Of a puzzle, the fifth of its file that it is in, and the template of prompts.
_OF_FILES: dict[str, Callable[[Puzzle, int, str], Any]] = {
    "fifth": lambda _puzzle, fifth, _: fifth,
    **dict.fromkeys(("question", "prompt"), lambda puzzle, _, text: format_prompt(puzzle, text)),
    "metadata": lambda puzzle, fifth, _: _metadata(puzzle, fifth),
}
# Those that a template makes.
PROMPT_FIELDS = ("question", "prompt")


def deal_rows(
    puzzles: Sequence[Puzzle],
    fields: Sequence[str] = PUZZLE_FIELDS,
    *,
    template: str = DEFAULT_TEMPLATE,
    plain: bool = False,
    executor: "Executor | None" = None,
) -> Iterator[Row]:
    """Yield a row of fields for each of some puzzles, in order; nothing else is worked out.

    `template` is that of prompts, `plain` is as in `Puzzle.answer`; an executor solves them where
    that is asked for. A fifth is one of the file: from 1, the easiest of these puzzles, to 5.

    >>> from crisps24.puzzle import puzzle_of
    >>> list(deal_rows([puzzle_of("cards:3.3.8.8=24")], ["nums", "target", "level"]))
    [{'nums': [3, 3, 8, 8], 'target': 24, 'level': 5}]

    Raises ValueError, in one sentence, for what is no field, and for a place that no template has.
    """
    check_fields(fields)
    check_template(template)
    rows = puzzle_rows(
        puzzles, [each for each in fields if each in FIELD_GETTERS], plain=plain, executor=executor
    )
    bits = [puzzle.difficulty.bits if puzzle.difficulty else 0 for puzzle in puzzles]
    ordered = sorted(bits)
    for puzzle, own, row in zip(puzzles, bits, rows, strict=True):
        fifth = 1 + 5 * bisect_left(ordered, own) // len(ordered)
        yield {
            name: row[name] if name in FIELD_GETTERS else _OF_FILES[name](puzzle, fifth, template)
            for name in fields
        }


def check_fields(fields: Sequence[str]) -> None:
    """Raise ValueError for what is no field, or is asked for twice."""
    for place, name in enumerate(fields):
        if name not in FIELD_GETTERS and name not in _OF_FILES:
            known = ", ".join((*FIELD_GETTERS, *_OF_FILES))
            raise RefusedError(f"there is no field {quoted(name)}; the fields are {known}")
        if name in fields[:place]:
            raise RefusedError(f"the field {name} is asked for twice")


def parse_fields(text: str) -> tuple[str, ...]:
    """Return the fields of a text, which commas part.

    >>> parse_fields("nums, target")
    ('nums', 'target')

    Raises ValueError as `check_fields` does.
    """
    fields = tuple(name.strip() for name in text.split(","))
    check_fields(fields)
    return fields


def check_template(template: str) -> None:
    """Raise ValueError for a place that no template has.

    >>> check_template("Make {target}, and write {{answer}}, or anything in {} {1}")
    """
    for found in _PLACE.finditer(template):
        place = found[1] or found[3]
        if place and place not in PLACEHOLDERS:
            known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
            name = place[:40]
            told = f"the prompt has {{{name}}}; there are {known}"
            raise RefusedError(f"{told}, and {{{{{name}}}}} is written as {{{name}}}")


def format_prompt(puzzle: Puzzle, template: str = DEFAULT_TEMPLATE) -> str:
    """Return the prompt of a puzzle: a template with what stands in its places.

    Braces that hold no name are text. In two pairs a name is text, in three it is a place in one.

    >>> from crisps24.puzzle import puzzle_of
    >>> format_prompt(puzzle_of("cards:3.3.8.8=24"), "{nums} to {{target}} {target} {} {{{hand}}}")
    '[3, 3, 8, 8] to {target} 24 {} {3 3 8 8}'
    """

    def filled(found: re.Match[str]) -> str:
        if found[2]:
            return f"{{{found[2]}}}"
        stands = PLACEHOLDERS[found[1] or found[3]](puzzle)
        return f"{{{stands}}}" if found[1] else stands

    return _PLACE.sub(filled, template)


def task_text(
    game: Game,
    target: Exact | None = None,
    *,
    counted: bool = True,
    language: Language = ENGLISH,
    style: str | None = None,
) -> str:
    r"""Return the task of a game and its rules for players: see `format_task`.

    The default style of its signs is that of the game.

    >>> from crisps24 import GAMES
    >>> print(task_text(GAMES["cards"], 24).replace("\xa0", " ").split(". ")[0])
    Use all 4 numbers once each, with + - x / and brackets, to make 24
    """
    return format_task(game, _signs(game, style), target, counted=counted, language=language)


def replace_no_break_spaces(text: str) -> str:
    """Return a text for programs: its no-break spaces, which only matter on paper, are spaces."""
    return text.replace("\u00a0", " ")


def _signs(game: Game, style: str | None) -> list[str]:
    """Return the signs of a game, what is added before what is taken away, as people say them."""
    operators = sorted(
        (each for each in game.row_operators if not each.joins),
        key=lambda operator: (operator.precedence, not operator.commutes),
    )
    return [STYLES[style or game.style].sign(each) for each in operators]


def _metadata(puzzle: Puzzle, fifth: int) -> Row:
    """Return what a puzzle is, and how hard: by its level, or its fifth where there are none."""
    known = ("id", "game", "rules", "numbers", "target", "bits")
    row = {name: FIELD_GETTERS[name](puzzle) for name in known}
    has_levels = level_cutoffs(puzzle.game) is not None
    return row | ({"level": puzzle.level} if has_levels else {"fifth": fifth})
