"""Conditions for dealt puzzles as arguments, and the command that deals the same puzzles again.

`parameters` has them as users write them.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import message
from crisps24.notation.shapes import parse_shape
from crisps24.puzzle import Puzzle
from crisps24.puzzles.parameters import (
    LEVELS,
    PARAMETERS,
    check_lengths,
    check_percent,
    parse_levels,
)
from crisps24.rules.deals import MAX_HAND_SIZE
from crisps24.rules.exact import Exact, has_fractions
from crisps24.rules.games import FREE_GAME, GAMES, Game, change_rules, changed_fields
from crisps24.rules.ids import changed_rules, has_exact_rules
from crisps24.rules.rules import RULES
from crisps24.rules.words import format_range
from crisps24.solving.effort import Difficulty, has_known_costs, level_cutoffs

# Fields of a game that the options of a command can change.
_BY_OPTIONS = {*(rule.field for rule in RULES.values() if rule.help), "target", "targets", "dice"}

# Conditions with a range, and the fields of a puzzle with the values of all solutions.
_RANGES = ("steps", "used", "depth", "some_depth")
_FIELDS_OF_SOME = {"some_shape": "shapes", "some_depth": "depths"}


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions that dealt puzzles satisfy; by default, a puzzle only needs a solution.

    Raises KindError for `levels`, `solutions` or `lengths` that are not a range, and RefusedError
    for an empty range, `lengths` that are not within 1 to 99 with step 1, and `large` above 98.
    """

    levels: range = LEVELS
    """Allowed levels; all for a game without levels."""
    solutions: range | None = None
    """Allowed number of distinct solutions; None: any number."""
    essential: bool = False
    """Whether `solutions` counts canonical solutions, without neutral steps such as `x 1`."""
    plain: bool = False
    """Whether a puzzle must have a solution without parentheses."""
    large: int | None = None
    """How many large numbers each hand has; None: any number."""
    closest: bool = False
    """Whether to allow targets that can only be approached, not reached."""
    repeat: bool = False
    """Whether to allow a hand again: after all others, or at any time if the game deals tiles or
    dice. A puzzle only comes again after all others."""
    trivial: bool = False
    """Whether to allow puzzles that need no step, such as `make 2 from 7 5 2`: a target that is one
    of the numbers, if the game allows unused numbers or the hand has one number."""
    whole: bool = False
    """Whether to allow hands without a fraction, in a game whose numbers have fractions."""
    lengths: range | None = None
    """Allowed lengths of a hand, each equally likely; None: the length of the game."""
    unsolvable: int | None = None
    """Percentage of puzzles without a solution, which look like the others; None: 0."""
    mixture: bool = False
    """Whether puzzles without a solution are any, and need not look like the others."""
    steps: range | None = None
    """Allowed number of steps of the shortest solution; None: any number. See `Puzzle.steps`."""
    used: range | None = None
    """Allowed number of numbers that the shortest solution uses; None: any number."""
    shape: str | None = None
    """Shape of the likeliest solution: `balanced`, `left`, `right` or `mixed`; None: any."""
    depth: range | None = None
    """Allowed depth of the likeliest solution; None: any. See `Puzzle.depth`."""
    some_shape: str | None = None
    """A shape that at least one solution has; None: any."""
    some_depth: range | None = None
    """A range of depths, of which at least one solution has one; None: any."""
    needs_fractions: bool | None = None
    """Whether all solutions, or not all, have a fraction on the way; None: either."""
    needs_negatives: bool | None = None
    """The same for a result below zero."""

    def __post_init__(self) -> None:
        for name in ("levels", "solutions", "lengths", *_RANGES):
            allowed = getattr(self, name)
            # Only `levels` is always a range.
            if not isinstance(allowed, range) and (allowed is not None or name == "levels"):
                value = quoted(allowed)
                raise KindError(f"invalid {name} {value} (expected a range: range(2, 4))")
            if allowed is not None and not allowed:
                raise RefusedError(f"the range of {name} is empty")
        for name in ("needs_fractions", "needs_negatives"):
            if not isinstance(value := getattr(self, name), bool | None):
                raise KindError(f"invalid {name} {quoted(value)} (expected True, False or None)")
        for shape in (self.shape, self.some_shape):
            if shape is not None:
                parse_shape(shape)
        if self.lengths is not None:
            check_lengths(self.lengths, quoted(self.lengths))
        if not isinstance(self.large, int | None) or (self.large or 0) not in range(MAX_HAND_SIZE):
            limits = {"least": 0, "most": MAX_HAND_SIZE - 1}
            raise RefusedError(message("refused.number", text=quoted(self.large), **limits))
        check_percent(self.unsolvable)
        if self.mixture and not self.unsolvable:
            raise RefusedError(message("deal.needs", one="mixture", other="unsolvable"))

    def games(self, game: Game) -> list[Game]:
        """Return a game with each allowed length of a hand, ascending."""
        if self.lengths is None:
            return [game]
        return [change_rules(game, {"length": length}) for length in self.lengths]

    def check_game(self, game: Game) -> None:
        """Raise RefusedError for a choice of levels in a game without levels."""
        if self.levels == LEVELS or level_cutoffs(game) is not None:
            return
        is_known = has_known_costs(game.numbers, game)
        key = "deal.levels" if is_known else "deal.levels_numbers"
        raise RefusedError(message(key, game=game.name), "advice.level")

    def needs_fraction(self, game: Game) -> bool:
        """Return whether each hand of a game needs a fraction."""
        return not self.whole and has_fractions(game.numbers)

    def allows_difficulty(self, difficulty: Difficulty) -> bool:
        """Return whether a difficulty has an allowed level; True for any if all are allowed."""
        return self.levels == LEVELS or difficulty.level in self.levels

    def allows_solutions(self, puzzle: Puzzle) -> bool:
        """Return whether the solutions of a puzzle satisfy the conditions.

        If a condition is about solutions, such as `steps`, all solutions of the puzzle are found,
        which can take seconds.
        """
        for name in ("needs_fractions", "needs_negatives", *_RANGES, "shape", "some_shape"):
            if (allowed := getattr(self, name)) is None:
                continue
            value = getattr(puzzle, _FIELDS_OF_SOME.get(name, name))
            values = value if name in _FIELDS_OF_SOME else (value,)
            allowed = allowed if isinstance(allowed, range) else (allowed,)
            if not any(each in allowed for each in values):
                return False
        if self.solutions is None and not self.plain:
            return True
        solutions = puzzle.solutions(nearest=True)
        counted = puzzle.solutions(nearest=True, canonical=self.essential)
        if self.solutions is not None and len(counted) not in self.solutions:
            return False
        return not (self.plain and all("(" in str(one.expression) for one in solutions))


_DEFAULTS = {field.name: field.default for field in fields(Conditions)}


def to_conditions(
    conditions: Conditions | None, level: int | str | range | None = None
) -> Conditions:
    """Return conditions of a caller, or the defaults, with other levels if they are given."""
    conditions = Conditions() if conditions is None else conditions
    if not isinstance(conditions, Conditions):
        raise KindError(
            f"invalid conditions {quoted(conditions)} (expected Conditions(levels=range(2, 4)))"
        )
    if level is None:
        return conditions
    if isinstance(level, str):
        level = parse_levels(level)
    if isinstance(level, range):
        return replace(conditions, levels=level)
    if type(level) is not int or level not in LEVELS:
        raise RefusedError(message("refused.level", text=quoted(level)))
    return replace(conditions, levels=range(level, level + 1))


def parse_mix(text: str) -> tuple[int, ...]:
    """Return how many puzzles of each level to deal, from easy to hard."""
    if not re.fullmatch(" *[0-9]{1,6}( *, *[0-9]{1,6}){4} *", text):
        raise RefusedError(message("deal.mix", text=quoted(text)))
    return check_mix(tuple(map(int, text.split(","))))


def parse_split(text: str) -> tuple[Fraction, ...]:
    """Return the sizes of training, validation and test, in percent or puzzles, from `90,5,5`.

    Two sizes are those of training and test.
    """
    texts = text.split(",")
    is_list = all(re.fullmatch(r"[0-9]{1,7}(?:\.[0-9]{1,3})?", each) for each in texts)
    sizes = tuple(map(Fraction, texts)) if is_list and len(texts) in (2, 3) else (Fraction(0),)
    is_whole = all(size.denominator == 1 for size in sizes)
    if not (sizes[0] and sizes[-1] and (is_whole or sum(sizes) == 100)):
        raise RefusedError(message("deal.split", text=quoted(text)))
    return sizes if sizes[2:] else (sizes[0], Fraction(0), sizes[1])


def format_split(sizes: Sequence[Exact]) -> str:
    return ",".join(str(size if size.denominator == 1 else float(size)) for size in sizes)


def check_split(sizes: Sequence[Exact], count: int) -> bool:
    """Return whether the sizes of parts are numbers of puzzles, and not percentages."""
    if sum(sizes) not in (100, count):
        raise RefusedError(message("deal.split", text=format_split(sizes)))
    return sum(sizes) == count


def check_mix(mix: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of puzzles of each level as a tuple; raise RefusedError for others."""
    is_mix = isinstance(mix, tuple | list) and len(mix) == len(LEVELS)
    if not (is_mix and all(type(count) is int and count >= 0 for count in mix) and any(mix)):
        raise RefusedError(f"invalid mix {quoted(mix)} (expected a count per level, not all 0)")
    return tuple(mix)


def parse_seed(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,30}", text):
        raise RefusedError(message("refused.seed", text=quoted(text)))
    return int(text)


def deal_command(
    game: Game,
    count: int,
    seed: int,
    conditions: Conditions,
    *,
    target: Exact | None = None,
    targets: range | None = None,
    mix: Sequence[int] | None = None,
    rising: bool = False,
) -> str:
    """Return the command that deals the same puzzles, or the Python call if no command can."""
    if target is None and targets is None:
        target, targets = _own_targets(game)
    # Options cannot change all fields: write a Python call for a game with other changes.
    changes = changed_fields(game)
    if changes is None or not changes.keys() <= _BY_OPTIONS or not has_exact_rules(game):
        arguments = {
            "target": target,
            "targets": targets,
            "conditions": None if conditions == Conditions() else conditions,
            "mix": mix,
            "rising": rising or None,
        }
        texts = [f", {name}={value!r}" for name, value in arguments.items() if value is not None]
        return f"deal({game!r}, {count}, seed={seed}{''.join(texts)})"
    counted = ["--count", str(count)] if mix is None else ["--mix", ",".join(map(str, mix))]
    words = ["crisps24", "deal", game.name, *counted, "--seed", str(seed)]
    words += ["--rising"] if rising else []
    values = _DEFAULTS | {name: getattr(conditions, name) for name in _DEFAULTS}
    values |= {"target": target, "targets": targets, "unsolvable": conditions.unsolvable or None}
    values["whole"] = conditions.whole and has_fractions(game.numbers)
    # Options with a value come first, and --length at the end, among the rules.
    for parameter in sorted(PARAMETERS, key=lambda parameter: parameter.is_flag):
        value = values[parameter.field]
        if parameter.field != "lengths" and value != _DEFAULTS.get(parameter.field):
            words += parameter.words(value)
    # At last the rules; the option --length is a rule, so the lengths replace it.
    if conditions.lengths is not None:
        game = replace(game, length=GAMES.get(game.name, FREE_GAME).length)
        words += ["--length", format_range(conditions.lengths)]
    words += rule_options(game)
    return shlex.join(words)


def _own_targets(game: Game) -> tuple[Exact | None, range | None]:
    """Return the target or range of a game if it differs from that of the game of its name."""
    known_game = GAMES.get(game.name, game)
    if (game.target, game.targets) == (known_game.target, known_game.targets):
        return None, None
    if game.target is not None:
        return game.target, None
    return None, range(game.targets[0], game.targets[1] + 1)


def rule_options(game: Game) -> Iterator[str]:
    """Return the options that change the known game of this name into this game, if any."""
    return (rule.option_for(value) for rule, value in changed_rules(game))
