"""Conditions of dealt puzzles, and the command that deals them again."""

import re
import shlex
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from crisps24.errors import ConflictRule, KindError, RefusedError, quoted, refuse_conflicts
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import Message, message
from crisps24.puzzle import Puzzle
from crisps24.rules.deals import MAX_HAND_SIZE
from crisps24.rules.exact import Exact
from crisps24.rules.games import GAMES, Game, changed_fields
from crisps24.rules.ids import changed_rules
from crisps24.rules.rules import RULES
from crisps24.rules.words import format_range, parse_range, suggest_range
from crisps24.solving.effort import Difficulty

LEVELS = range(1, 6)
# Conditions that exclude each other.
CONFLICTS = (
    ConflictRule(("target", "targets"), message("deal.one_of", one="target", other="targets")),
    ConflictRule(("large", "none large"), message("deal.no_large", game="game")),
    ConflictRule(
        ("essential",), message("deal.needs", one="essential", other="solutions"), ("solutions",)
    ),
)
# Fields of a game that the options of a command can change.
_BY_OPTIONS = {*(rule.field for rule in RULES.values() if rule.help), "target", "targets"}


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions that dealt puzzles satisfy; by default they only have a solution."""

    levels: range = LEVELS
    """Allowed levels; all for a game without levels."""
    solutions: range | None = None
    """Allowed number of distinct solutions; with `essential`, of ideas."""
    essential: bool = False
    plain: bool = False
    """Whether the puzzle must have a solution without parentheses."""
    large: int | None = None
    """How many large numbers a hand has; None: any number."""
    closest: bool = False
    """Whether to allow targets that can only be approached."""
    repeat: bool = False
    """Whether to allow a hand again: after all others, or, for tiles and games of more than 5,000
    hands, at any time."""
    trivial: bool = False
    """Whether to allow targets that are among the numbers, if the game allows unused numbers, and
    hands of one number: `make 2 from 7 5 2`."""
    lengths: range | None = None
    """Allowed lengths of a hand, each equally likely; None: the length of the game."""

    def __post_init__(self) -> None:
        for name in ("levels", "solutions", "lengths"):
            numbers = getattr(self, name)
            if numbers is None and name != "levels":
                continue
            if not isinstance(numbers, range):
                raise KindError(f"{quoted(numbers)} is no range of {name}: range(2, 4) is")
            if not numbers:
                raise RefusedError(f"the range of {name} is empty")
        if self.lengths is not None:
            _check_lengths(self.lengths, quoted(self.lengths))
        if not isinstance(self.large, int | None) or (self.large or 0) not in range(MAX_HAND_SIZE):
            limits = {"least": 0, "most": MAX_HAND_SIZE - 1}
            raise RefusedError(message("refused.number", text=quoted(self.large), **limits))

    def allows_difficulty(self, graded: Difficulty) -> bool:
        """Return whether a difficulty satisfies the conditions."""
        return self.levels == LEVELS or graded.level in self.levels

    def allows_solutions(self, puzzle: Puzzle) -> bool:
        """Return whether the solutions of a puzzle satisfy the conditions."""
        if self.solutions is None and not self.plain:
            return True
        found = puzzle.solutions()
        counted = puzzle.canonical_solutions() if self.essential else found
        as_many = self.solutions is None or len(counted) in self.solutions
        return as_many and not (self.plain and all("(" in str(each.expression) for each in found))


def refuse_conflicting_conditions(
    given: Collection[str], game: Game, written: Callable[[str], Message | str] = str
) -> None:
    """Raise RefusedError if a name excludes another one; `written` returns the label of a name.

    >>> refuse_conflicting_conditions({"large", "plain"}, GAMES["cards"])
    Traceback (most recent call last):
    crisps24.errors.RefusedError: cards has no large tiles
    """
    given = {*given} if game.large else {*given, "none large"}
    refuse_conflicts(CONFLICTS, given, lambda name: game.name if name == "game" else written(name))


def parse_levels(text: str) -> range:
    """Return the levels of a text: one from 1, easy, to 5, or a range; words of any language count.

    >>> parse_levels("2..4"), parse_levels("makkelijk"), parse_levels("Easy..medium")
    (range(2, 5), range(1, 2), range(1, 4))

    Raises ValueError, in one sentence, for what is no level.
    """
    words = {word: str(level) for each in LANGUAGES.values() for word, level in each.levels.items()}
    ends = (words.get(end.strip().casefold(), end) for end in text.split(".."))
    levels = range(0)
    try:
        levels = parse_range("..".join(ends))
    except RefusedError:
        if suggest_range(text):
            raise
    if not levels or levels[0] not in LEVELS or levels[-1] not in LEVELS:
        raise RefusedError(message("refused.level", text=quoted(text)))
    return levels


def parse_lengths(text: str) -> range:
    """Return the lengths of a text: one, or a range.

    >>> parse_lengths("3..4")
    range(3, 5)

    Raises ValueError, in one sentence, for what is no length.
    """
    lengths = parse_range(text)
    _check_lengths(lengths, quoted(text))
    return lengths


def _check_lengths(lengths: range, told: str) -> None:
    if lengths.step != 1 or lengths[0] < 1 or lengths[-1] > MAX_HAND_SIZE:
        raise RefusedError(message("refused.length", text=told, most=MAX_HAND_SIZE))


def parse_seed(text: str) -> int:
    """Return the seed of a text: a whole number of at most 30 digits.

    Raises ValueError, in one sentence, for what is none.
    """
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
    rising: bool = False,
) -> str:
    """Return the command that deals such puzzles again, or the call for a game no command has.

    >>> deal_command(GAMES["cards"], 20, 7, Conditions(levels=range(2, 5)))
    'crisps24 deal cards --count 20 --seed 7 --level 2..4'
    """
    if target is None and targets is None:
        target, targets = _own_targets(game)
    changes = changed_fields(game)
    if changes is None or not changes.keys() <= _BY_OPTIONS:
        some = None if conditions == Conditions() else conditions
        asked = {"target": target, "targets": targets, "conditions": some, "rising": rising or None}
        words = [f", {name}={word!r}" for name, word in asked.items() if word is not None]
        return f"deal({game!r}, {count}, seed={seed}{''.join(words)})"
    words = ["crisps24", "deal", game.name, "--count", str(count), "--seed", str(seed)]
    words += ["--rising"] if rising else []
    values = {
        "target": target,
        "targets": targets,
        "level": None if conditions.levels == LEVELS else conditions.levels,
        "solutions": conditions.solutions,
        "large": conditions.large,
    }
    for name, value in values.items():
        if value is not None:
            words += [f"--{name}", format_range(value) if isinstance(value, range) else str(value)]
    flags = ("essential", "plain", "closest", "repeat", "trivial")
    words += [f"--{name}" for name in flags if getattr(conditions, name)]
    if conditions.lengths is not None:
        game = replace(game, length=GAMES[game.name].length)
        words += ["--length", format_range(conditions.lengths)]
    words += rule_options(game)
    return shlex.join(words)


def _own_targets(game: Game) -> tuple[Exact | None, range | None]:
    """Return the target or the targets of a game if they are not those of the named game."""
    named = GAMES.get(game.name, game)
    if (game.target, game.targets) == (named.target, named.targets):
        return None, None
    if game.target is not None:
        return game.target, None
    return None, range(game.targets[0], game.targets[1] + 1)


def rule_options(game: Game) -> Iterator[str]:
    """Return the options that make a game of the one of its name.

    >>> from dataclasses import replace
    >>> list(rule_options(replace(GAMES["crisps"], negatives=True, operators=("-", "+"))))
    ['--operators=-+', '--negatives']
    """
    return (rule.option_for(value) for rule, value in changed_rules(game))
