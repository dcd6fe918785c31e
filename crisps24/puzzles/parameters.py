"""What a caller can ask of dealt puzzles, as records in `PARAMETERS`.

From a record come the option of commands, the field of forms and addresses, the words of the
printed command, and the conflicts. A new condition needs a field of `Conditions` and a record.
This module imports no search, so that options and help load fast.
"""

import re
from collections.abc import Callable, Collection
from types import NoneType
from typing import Any, NamedTuple

from crisps24.errors import ConflictRule, RefusedError, quoted, refuse_conflicts
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import Message, message
from crisps24.notation.shapes import parse_shape
from crisps24.rules.deals import MAX_HAND_SIZE
from crisps24.rules.exact import has_fractions
from crisps24.rules.games import Game
from crisps24.rules.rules import FLAG, Kind
from crisps24.rules.words import format_range, parse_range, parse_value, suggest_range

LEVELS = range(1, 6)
# How a prompt can ask for an answer.
ANSWER_FORMS: dict[str, tuple[Message, ...]] = {
    "tags": (message("prompt.tags", first="<answer>", last="</answer>"),),
    "boxed": (message("prompt.boxed", box="\\boxed{}"),),
    "line": (message("prompt.line"),),
    "none": (),
}


def parse_levels(text: str) -> range:
    """Return the range of levels that a user typed."""
    level_by_word = {
        word: str(level)
        for language in LANGUAGES.values()
        for word, level in language.levels.items()
    }
    ends = (level_by_word.get(end.strip().casefold(), end) for end in text.split(".."))
    levels = range(0)
    try:
        levels = parse_range("..".join(ends))
    except RefusedError:
        # The error for a text such as 2-4 suggests 2..4; other texts get the error below.
        if suggest_range(text):
            raise
    if not levels or levels[0] not in LEVELS or levels[-1] not in LEVELS:
        raise RefusedError(message("refused.level", text=quoted(text)))
    return levels


def _parse_lengths(text: str) -> range:
    lengths = parse_range(text)
    check_lengths(lengths, quoted(text))
    return lengths


def check_lengths(lengths: range, text: str) -> None:
    if lengths.step != 1 or lengths[0] < 1 or lengths[-1] > MAX_HAND_SIZE:
        raise RefusedError(message("refused.length", text=text, most=MAX_HAND_SIZE))


def parse_percent(text: str) -> int:
    """Return the percentage in a text such as `20%`."""
    digits = text.strip().removesuffix("%").rstrip()
    return check_percent(int(digits) if re.fullmatch("[0-9]{1,3}", digits) else text) or 0


def check_percent(value: Any) -> int | None:
    if type(value) not in (int, NoneType) or not 0 <= (value or 0) <= 100:
        raise RefusedError(message("refused.number", text=quoted(value), least=0, most=100))
    percent: int | None = value
    return percent


# A flag that also has a third value, None: either.
EITHER = FLAG._replace(name="either")


class Parameter(NamedTuple):
    """A condition as users write it."""

    name: str
    """Its name in addresses; its option is `--name`, with a dash for each underscore."""
    kind: Kind
    help: str
    as_argument: str = ""
    """Its name in `deal` or `Conditions`; by default `name`."""
    in_pages: bool = True
    """Whether forms and addresses have it."""
    rare: bool = False
    """Whether help only names it."""
    for_data: bool = False
    """Whether only the command `deal` has it, for data sets."""
    problem: Callable[[Game], Message | str] = lambda _: ""
    """Returns why a game cannot have it, with labels as in `ConflictRule`, or ""."""

    @property
    def field(self) -> str:
        return self.as_argument or self.name

    @property
    def is_flag(self) -> bool:
        return self.kind in (FLAG, EITHER)

    @property
    def option(self) -> str:
        dashed = self.name.replace("_", "-")
        return f"--{dashed}/--no-{dashed}" if self.kind is EITHER else f"--{dashed}"

    def words(self, value: Any) -> list[str]:
        if self.is_flag:
            return [self.option.split("/")[not value]]
        return [self.option, self.kind.write(value)]


_VALUE = Kind("number", parse_value, str)
_RANGE = Kind("range", parse_range, format_range)
_LEVELS = Kind("level", parse_levels, format_range)
_LENGTHS = Kind("length", _parse_lengths, format_range)
_TILES = Kind("integer", int, str, (0, MAX_HAND_SIZE - 1))
_SHAPE = Kind("shape", parse_shape, str)
_PERCENT = Kind("percent", parse_percent, "{}%".format)
_LEVEL_HELP = "Difficulty, 1 (easy) to 5 (hard): 2..4, or a word: easy."
_NEEDS_FRACTIONS = "{whole} is for games whose numbers have fractions"
# In the order of forms and help.
PARAMETERS = (
    Parameter("target", _VALUE, "Target to make [default: the game's own]."),
    Parameter("targets", _RANGE, "Draw each target from a range: 100..999."),
    Parameter("level", _LEVELS, _LEVEL_HELP, "levels"),
    Parameter("length", _LENGTHS, "Numbers in a hand: 4, or 3..4.", "lengths", in_pages=False),
    Parameter("solutions", _RANGE, "Number of distinct solutions: 1, or 1..3."),
    Parameter("essential", FLAG, "With --solutions: skip variants with + 0 or x 1.", rare=True),
    Parameter("plain", FLAG, "Only puzzles with a solution without parentheses."),
    Parameter(
        "large",
        _TILES,
        "Number of large tiles, as in Countdown.",
        rare=True,
        problem=lambda game: "" if game.large else message("deal.no_large", game="game"),
    ),
    Parameter("closest", FLAG, "Allow targets that can only be approached."),
    Parameter("repeat", FLAG, "Allow a hand to come again, once all have come.", rare=True),
    Parameter("trivial", FLAG, "Allow targets that are among the numbers dealt.", rare=True),
    Parameter(
        "whole",
        FLAG,
        "Allow hands without a fraction, in games with fractions.",
        rare=True,
        in_pages=False,
        problem=lambda game: "" if has_fractions(game.numbers) else _NEEDS_FRACTIONS,
    ),
    *(
        Parameter(*row, rare=True, in_pages=False)
        for row in (
            ("steps", _RANGE, "Fewest steps of a solution: 3, or 2..4."),
            ("used", _RANGE, "Fewest numbers that a solution uses: 4, or 3..5."),
            ("needs_fractions", EITHER, "Each solution has a fraction on the way."),
            ("needs_negatives", EITHER, "Each has a result below zero."),
        )
    ),
    *(
        Parameter(*row, rare=True, in_pages=False, for_data=True)
        for row in (
            ("shape", _SHAPE, "Of the likeliest solution: left, right, balanced, mixed."),
            ("depth", _RANGE, "Steps of it that need each other in turn: 2, or 2..3."),
            ("some_shape", _SHAPE, "A shape of at least one solution."),
            ("some_depth", _RANGE, "A depth of at least one solution."),
            ("unsolvable", _PERCENT, "Share of puzzles without a solution: 20%."),
            ("mixture", FLAG, "With --unsolvable: any such puzzles, not similar pairs."),
        )
    ),
)
_EXCLUDED = (
    *(("target", "targets"), ("mix", "level"), ("mix", "count")),
    *(("mix", "unsolvable"), ("closest", "unsolvable")),
)
_NEEDED = (("essential", "solutions"), ("mixture", "unsolvable"))
_CONFLICTS = [
    *(ConflictRule(pair, message("deal.one_of", one=pair[0], other=pair[1])) for pair in _EXCLUDED),
    *(
        ConflictRule((one,), message("deal.needs", one=one, other=other), (other,))
        for one, other in _NEEDED
    ),
]


def refuse_conflicting_conditions(
    names: Collection[str], game: Game, label_of: Callable[[str], Message | str] = str
) -> None:
    """Raise RefusedError if parameters, named as `label_of` says, exclude or need others."""
    problems = ((each.name, each.problem(game)) for each in PARAMETERS)
    rules = _CONFLICTS + [ConflictRule((name,), reason) for name, reason in problems if reason]
    refuse_conflicts(rules, names, lambda name: game.name if name == "game" else label_of(name))
