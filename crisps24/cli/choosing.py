"""GAME and the options that choose puzzles: shared by deal, sheet, page, quiz and play."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli import options as opt
from crisps24.cli.options import OptionGroup, ParsedType
from crisps24.cli.progress import progress_bar
from crisps24.cli.screen import open_executor
from crisps24.equation_puzzles.records import EQUATION, STEP_RULE_FIELDS, Equation
from crisps24.errors import RefusedError
from crisps24.messages.message import message
from crisps24.rules.characters import normalise, split_words
from crisps24.rules.deals import parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, HAND_GAMES, Game, Hand, find_game
from crisps24.rules.ids import is_id
from crisps24.rules.rules import RULES

if TYPE_CHECKING:
    from crisps24.equation_puzzles.rounds import EquationDeal
    from crisps24.puzzles.dealing import Deal

# Rules with an option; --length is a condition instead, since it can be a range.
_RULES = tuple(name for name in opt.ROW_AND_HAND_RULES if name != "length")
# Those that the script of the player has too.
SCRIPT_RULES = tuple(name for name in _RULES if name not in ("join", "bits"))
# Rules of how to play a hand, which do not change what is dealt.
_RULES_OF_PLAY = tuple(name for name in _RULES if not RULES[name].deals)
_DEFAULT = "crisps"
# Estimated work above which the command uses all cores: 500 hands of six numbers.
_MIN_WORK_FOR_ALL_CORES = 500 * 6**6
_HANDS_PER_TASK = 250
# Number of puzzles from which on a command shows a progress bar.
MANY_PUZZLES = 100


@dataclass(frozen=True, slots=True)
class Choice:
    """The puzzles to deal: their game, their number and their conditions."""

    game: Game
    count: int
    seed: int | None
    rising: bool
    target: Exact | None
    targets: range | None
    conditions: dict[str, Any]
    work: int | None
    hand: Hand | None = None
    """The numbers, if GAME is the id of one puzzle."""
    equation: Equation | None = None
    """The kind of equation, if GAME is `equation`."""

    def deal(self) -> "Deal":
        """Deal the puzzles, or return the puzzle of an id; raise errors as `dealing.deal` does."""
        from crisps24.puzzles.conditions import Conditions
        from crisps24.puzzles.dealing import Deal, check_count, deal

        if self.hand is not None and self.target is not None:
            from crisps24.puzzle import Puzzle

            puzzle = Puzzle(self.hand, self.target, self.game, work=self.work)
            # Solve now: a hand without any value is refused before the game starts.
            _ = puzzle.best
            return Deal((puzzle,), self.game, 0, f"crisps24 play {puzzle.id}")
        # Refuse a wrong count before worker processes start.
        check_count(self.count)
        conditions = Conditions(**self.conditions)
        max_length = self.game.length if conditions.lengths is None else conditions.lengths[-1]
        work = self.count * max_length**max_length
        chunk_count, is_long = self.count // _HANDS_PER_TASK, work > _MIN_WORK_FOR_ALL_CORES
        with (
            open_executor(None, chunk_count, worth_it=is_long) as executor,
            progress_bar(
                message("progress.dealt"), self.count, shown=self.count >= MANY_PUZZLES
            ) as progress,
        ):
            return deal(
                self.game,
                self.count,
                seed=self.seed,
                target=self.target,
                targets=self.targets,
                conditions=conditions,
                rising=self.rising,
                executor=executor,
                work=self.work,
                progress=progress,
            )

    def deal_equations(self) -> "EquationDeal":
        """Draw the equations to guess."""
        from crisps24.equation_puzzles.rounds import deal_equations

        assert self.equation is not None
        return deal_equations(self.equation, self.count, seed=self.seed)


def _lazy_type(name: str, kind: str) -> ParsedType:
    """Return a type that parses with the function `name` of `puzzles.conditions`.

    The function is imported when a value is parsed.
    """
    module = "crisps24.puzzles.conditions"
    return ParsedType(kind, lambda text: getattr(import_module(module), name)(text))


_CONDITIONS = {
    "levels": opt.puzzle(
        "Difficulty, 1 (easy) to 5 (hard), a range such as 2..4, or a word: easy.",
        _lazy_type("parse_levels", "level"),
        "--level",
    ),
    "lengths": opt.puzzle(
        "Numbers in a hand: 4, or 3..4.", _lazy_type("parse_lengths", "length"), "--length"
    ),
    "solutions": opt.puzzle("Number of distinct solutions: 1, or 1..3.", opt.RANGE),
    "essential": opt.puzzle("With --solutions: skip variants that add 0 or multiply by 1."),
    "plain": opt.puzzle("Only puzzles with a solution without parentheses."),
    "large": opt.puzzle("Number of large tiles, as in Countdown.", click.IntRange(0)),
    "closest": opt.puzzle("Allow targets that can only be approached."),
    "trivial": opt.puzzle("Allow targets that are among the numbers dealt."),
    "repeat": opt.puzzle("Allow a hand to come again, once all have come."),
}
_OTHERS = {
    "seed": opt.puzzle(
        "The same seed deals the same puzzles.", _lazy_type("parse_seed", "number"), metavar="N"
    ),
    "rising": opt.puzzle("Sort from easy to hard."),
    "target": opt.TARGET,
    "targets": opt.puzzle("Draw each target from a range: 100..999.", opt.RANGE),
}
# Every option that chooses puzzles.
CHOICE_OPTIONS = ("count", *_RULES, *_CONDITIONS, *_OTHERS)


def choice_options(*, count: int = 1, ids: bool = False, rules: Sequence[str] = _RULES) -> Any:
    """Return a group of the argument GAME and the options that choose puzzles; it makes a `Choice`.

    Args:
        count: The default of --count.
        ids: Whether GAME can also be the id of a puzzle, `equation`, or the numbers of a card, with
            or without a game before them.
        rules: The rules that options can change.
    """
    choices = (*HAND_GAMES, EQUATION)
    game = (
        opt.argument("[GAME]...", type=ParsedType("game", str, lambda: choices))
        if ids
        else opt.argument(
            "[GAME]", type=ParsedType("game", _parse_game, lambda: HAND_GAMES), default=_DEFAULT
        )
    )
    count_option = {"count": opt.puzzle("How many puzzles.", int, default=count)}
    shared: Any = (
        count_option | _OTHERS | _CONDITIONS | {"work": opt.WORK_LIMIT} | opt.rule_options(rules)
    )
    return OptionGroup({"game": game} | shared, _choice)


def _parse_game(word: str) -> Game:
    """Return the game of a name; for an id or `equation`, the error shows the call of play."""
    if is_id(word) or word.casefold() == EQUATION:
        raise RefusedError(f"{word} is not a game: use crisps24 play {word}")
    return find_game(word, HAND_GAMES)


def _parse_game_and_numbers(words: Sequence[str]) -> tuple[Game | str, Hand]:
    """Return what the words of GAME mean: (game, id or `equation`; numbers of a card).

    `4 3 8 4` gives the default game and the four numbers, `cards 3 3 8 8` another game and numbers,
    and `cards` a game without numbers. Raises UsageError for other words.
    """
    first, *rest = words or [_DEFAULT]
    if is_id(first) or first.casefold() == EQUATION:
        if rest:
            raise click.UsageError(f"{first} takes no numbers: leave out {' '.join(rest)}")
        return first, ()
    if normalise(first)[:1].isdigit():
        first, rest = _DEFAULT, list(words)
    with opt.usage_errors():
        game = find_game(first, HAND_GAMES)
        return game, parse_hand(split_words(" ".join(rest)), game) if rest else ()


def _choice(game: Game | tuple[str, ...], count: int, work: int | None, **values: Any) -> Choice:
    """Return the choice of a call; refuse options that it would ignore."""
    game_or_id, numbers = (game, ()) if isinstance(game, Game) else _parse_game_and_numbers(game)
    rules = {name: values[name] for name in _RULES if name in values}
    conditions = {name: values[name] for name in _CONDITIONS}
    other_values = {name: values[name] for name in _OTHERS}
    other_values |= {"count": count, "work": work}
    hand = None
    if isinstance(game_or_id, str) and not is_id(game_or_id):
        return _equation_choice(rules, conditions["lengths"], other_values)
    if isinstance(game_or_id, str):
        game_or_id, hand, other_values["target"] = opt.read_id(game_or_id, CHOICE_OPTIONS)
    if numbers:
        hand = numbers
        deal_options = [
            name for name in CHOICE_OPTIONS if name != "target" and name not in _RULES_OF_PLAY
        ]
        opt.refuse_given(
            deal_options, "{} chooses what is dealt: leave it out with your own numbers"
        )
        other_values["target"] = opt.target_of(other_values["target"], game_or_id)
    if conditions["lengths"] is not None and len(conditions["lengths"]) == 1:
        rules["length"] = conditions.pop("lengths")[0]
    choice = Choice(
        opt.changed_game(game_or_id, rules), conditions=conditions, hand=hand, **other_values
    )
    from crisps24.puzzles.conditions import refuse_conflicting_conditions

    restrictions = conditions | {"target": choice.target, "targets": choice.targets}
    given_names = [
        name for name, value in restrictions.items() if value is not None and value is not False
    ]
    with opt.usage_errors():
        refuse_conflicting_conditions(given_names, choice.game, "--{}".format)
    if conditions["levels"] is None:
        del conditions["levels"]
    return choice


def _equation_choice(
    rules: dict[str, Any], lengths: range | None, others: dict[str, Any]
) -> Choice:
    """Return the choice of `equation`; refuse options for hands."""
    hand_options = {*CHOICE_OPTIONS, "work"} - {*STEP_RULE_FIELDS, "count", "lengths", "seed"}
    opt.refuse_given(sorted(hand_options), "{} is for hands: leave it out with equation")
    default_length = Equation().length
    if lengths is not None and len(lengths) > 1:
        raise click.UsageError("equation takes one --length, not a range")
    game = opt.changed_game(FREE_GAME, {name: rules[name] for name in STEP_RULE_FIELDS})
    with opt.usage_errors():
        equation = Equation(lengths[0] if lengths else default_length, game=game)
    counts = {name: others[name] for name in ("count", "seed", "work")}
    return Choice(
        game, rising=False, target=None, targets=None, conditions={}, equation=equation, **counts
    )
