"""GAME and the options that choose puzzles: shared by deal, sheet, page, quiz and play."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli import options as opt
from crisps24.cli.options import OptionGroup, ParsedType
from crisps24.cli.progress import current_language, progress_bar
from crisps24.cli.screen import open_executor
from crisps24.equation_puzzles.records import EQUATION, STEP_RULE_FIELDS, Equation
from crisps24.errors import ConflictRule, RefusedError
from crisps24.messages.message import message
from crisps24.rules.characters import normalise, split_words
from crisps24.rules.deals import parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, HAND_GAMES, Game, Hand, find_game
from crisps24.rules.ids import is_id
from crisps24.rules.rules import RULES

if TYPE_CHECKING:
    from crisps24.equation_puzzles.deals import GapDeal
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
DAY_NEEDS_DAILY = (ConflictRule(("day",), message("play.day", option="day"), ("daily",)),)
# Number of puzzles from which on a command shows a progress bar.
MANY_PUZZLES = 100


@dataclass(frozen=True, slots=True)
class Choice:
    """The puzzles to deal: their game, their number and their conditions."""

    game: Game
    count: int
    seed: int | None
    """Sets which puzzles are drawn; None draws a seed too."""
    work: int | None
    """The largest search for one puzzle, in pairs of values; None for no limit."""
    rising: bool = False
    """Whether to sort the puzzles from easy to hard."""
    target: Exact | None = None
    targets: range | None = None
    """A range from which each target is drawn; None for the target."""
    conditions: dict[str, Any] = field(default_factory=dict)
    """The arguments of `Conditions`, such as `levels`."""
    hand: Hand | None = None
    """The numbers, if GAME is the id of one puzzle."""
    equation: Equation | None = None
    """The kind of equation, if GAME is `equation`."""

    def deal(self) -> "Deal":
        """Draw random puzzles that meet the conditions, or return the one puzzle that is chosen.

        If the call names one puzzle, by its id or its numbers, that puzzle is the only one. Else
        `count` puzzles are drawn: with a progress bar if they are many, and in several processes
        if drawing takes long.

        Raises:
            RefusedError: The count or a condition is invalid, too few puzzles meet the conditions,
                or no value at all can be made of the numbers of the call.
        """
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
        # The work of solving a hand of n numbers grows about as n to the power n.
        max_length = self.game.length if conditions.lengths is None else conditions.lengths[-1]
        estimated_work = self.count * max_length**max_length
        needs_all_cores = estimated_work > _MIN_WORK_FOR_ALL_CORES
        task_count = self.count // _HANDS_PER_TASK
        has_bar = self.count >= MANY_PUZZLES
        with (
            open_executor(None, task_count, worth_it=needs_all_cores) as executor,
            progress_bar(message("progress.dealt"), self.count, shown=has_bar) as progress,
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

    def deal_gaps(self, *, equals: bool) -> "GapDeal":
        """Draw random puzzles whose operators are missing, such as `4 _ 3 _ 8 _ 4 = 24`."""
        from crisps24.equation_puzzles.deals import deal_gaps

        if self.conditions.get("lengths"):
            raise click.UsageError("--signs takes one --length, not a range")
        with progress_bar(message("progress.dealt"), self.count, shown=self.count > 1) as progress:
            return deal_gaps(
                self.game,
                self.count,
                seed=self.seed,
                target=self.target,
                targets=self.targets,
                equals=equals,
                progress=progress,
            )

    def deal_equations(self) -> "EquationDeal":
        """Draw the secret equations that the player must guess; GAME must be `equation`."""
        from crisps24.equation_puzzles.rounds import deal_equations

        assert self.equation is not None
        return deal_equations(self.equation, self.count, seed=self.seed)


_CONDITIONS = {
    "levels": opt.puzzle(
        "Difficulty, 1 (easy) to 5 (hard), a range such as 2..4, or a word: easy.",
        ParsedType("level", "puzzles.conditions:parse_levels"),
        "--level",
    ),
    "lengths": opt.puzzle(
        "Numbers in a hand: 4, or 3..4.",
        ParsedType("length", "puzzles.conditions:parse_lengths"),
        "--length",
    ),
    "solutions": opt.puzzle("Number of distinct solutions: 1, or 1..3.", opt.RANGE),
    "essential": opt.puzzle("With --solutions: skip variants that add 0 or multiply by 1."),
    "plain": opt.puzzle("Only puzzles with a solution without parentheses."),
    "large_count": opt.puzzle(
        "Number of large tiles, as in Countdown.", click.IntRange(0), "--large"
    ),
    "closest": opt.puzzle("Allow targets that can only be approached."),
    "trivial": opt.puzzle("Allow targets that are among the numbers dealt."),
    "repeat": opt.puzzle("Allow a hand to come again, once all have come."),
}
_OTHERS = {
    "seed": opt.puzzle(
        "The same seed deals the same puzzles.",
        ParsedType("number", "puzzles.conditions:parse_seed"),
        metavar="N",
    ),
    "rising": opt.puzzle("Sort from easy to hard."),
    "target": opt.TARGET,
    "targets": opt.puzzle("Draw each target from a range: 100..999.", opt.RANGE),
}
# Every option that chooses puzzles.
CHOICE_OPTIONS = ("count", *_RULES, *_CONDITIONS, *_OTHERS)


def choice_options(*, count: int = 1, ids: bool = False, rules: Sequence[str] = _RULES) -> Any:
    if ids:
        kind = ParsedType("game", str, lambda: (*HAND_GAMES, EQUATION))
        game_argument = opt.argument("[GAME]...", type=kind)
    else:
        kind = ParsedType("game", _parse_game, lambda: HAND_GAMES)
        game_argument = opt.argument("[GAME]", type=kind, default=_DEFAULT)
    options = {"game": game_argument, "count": opt.puzzle("How many puzzles.", int, default=count)}
    options |= _OTHERS | _CONDITIONS | {"work": opt.WORK_LIMIT} | opt.rule_options(rules)
    return OptionGroup(options, _make_choice)


def _parse_game(word: str) -> Game:
    if is_id(word) or word.casefold() == EQUATION:
        raise RefusedError(f"{word} is not a game: use crisps24 play {word}")
    return find_game(word, HAND_GAMES)


def _parse_game_and_numbers(words: Sequence[str]) -> tuple[Game | str, Hand]:
    """Parse the words of the argument GAME; return a game, an id or `equation`, and the numbers."""
    first_word, *other_words = words or [_DEFAULT]
    if is_id(first_word) or first_word.casefold() == EQUATION:
        if other_words:
            numbers = " ".join(other_words)
            raise click.UsageError(f"{first_word} takes no numbers: leave out {numbers}")
        return first_word, ()
    # Numbers without a game, such as `4 3 8 4`, are for the default one.
    has_game = not normalise(first_word)[:1].isdigit()
    game_name, number_words = (first_word, other_words) if has_game else (_DEFAULT, words)
    with opt.usage_errors():
        game = find_game(game_name, HAND_GAMES)
        if not number_words:
            return game, ()
        return game, parse_hand(split_words(" ".join(number_words)), game)


def _make_choice(
    game: Game | tuple[str, ...], count: int, work: int | None, **values: Any
) -> Choice:
    """Make a `Choice` of the values of the options; refuse options that it would ignore."""
    # Sort the values by their kind: rules of the game, conditions of puzzles, and others.
    game_or_id, numbers = (game, ()) if isinstance(game, Game) else _parse_game_and_numbers(game)
    changed_rules = {name: values[name] for name in _RULES if name in values}
    conditions = {name: values[name] for name in _CONDITIONS}
    # The parameter `large` is the rule of --large-tiles.
    conditions["large"] = conditions.pop("large_count")
    other_values = {name: values[name] for name in _OTHERS} | {"count": count, "work": work}
    hand = None
    if isinstance(game_or_id, str) and not is_id(game_or_id):
        # The only other text is the word `equation`.
        return _make_equation_choice(changed_rules, conditions["lengths"], other_values)
    # An id, or numbers of the call, are one puzzle: refuse options that choose others.
    if isinstance(game_or_id, str):
        game_or_id, hand, other_values["target"] = opt.read_id(game_or_id, CHOICE_OPTIONS)
    if numbers:
        hand = numbers
        play_options = {"target", *_RULES_OF_PLAY}
        drawing_options = [name for name in CHOICE_OPTIONS if name not in play_options]
        refusal = "{} chooses what is dealt: leave it out with your own numbers"
        opt.refuse_given(drawing_options, refusal)
        other_values["target"] = opt.target_of(other_values["target"], game_or_id)
    if conditions["lengths"] is not None and len(conditions["lengths"]) == 1:
        # A single length changes the game; only a range of lengths is a condition.
        changed_rules["length"] = conditions.pop("lengths")[0]
    changed_game = opt.changed_game(game_or_id, changed_rules)
    choice = Choice(changed_game, conditions=conditions, hand=hand, **other_values)
    from crisps24.puzzles.conditions import refuse_conflicting_conditions

    # Refuse conditions that exclude each other, such as --target and --targets.
    restrictions = conditions | {"target": choice.target, "targets": choice.targets}
    restricted_names = [
        name for name, value in restrictions.items() if value is not None and value is not False
    ]
    with opt.usage_errors():
        refuse_conflicting_conditions(restricted_names, choice.game, "--{}".format)
    # Without levels, `Conditions` has its own default for them.
    if conditions["levels"] is None:
        del conditions["levels"]
    return choice


def _make_equation_choice(
    changed_rules: dict[str, Any], lengths: range | None, other_values: dict[str, Any]
) -> Choice:
    """Make the `Choice` of a call such as `play equation --count 3`: equations to guess."""
    hand_options = {*CHOICE_OPTIONS, "work"} - {*STEP_RULE_FIELDS, "count", "lengths", "seed"}
    opt.refuse_given(sorted(hand_options), "{} is for hands: leave it out with equation")
    if lengths is not None and len(lengths) > 1:
        raise click.UsageError("equation takes one --length, not a range")
    length = lengths[0] if lengths else Equation().length
    game = opt.changed_game(FREE_GAME, {name: changed_rules[name] for name in STEP_RULE_FIELDS})
    with opt.usage_errors():
        equation = Equation(length, game=game)
    used_values = {name: other_values[name] for name in ("count", "seed", "work")}
    return Choice(game, equation=equation, **used_values)


def read_day(day: str | None) -> date:
    """Return the day of --date, or today (UTC); refuse options that choose other puzzles."""
    from crisps24.puzzles.daily import parse_day

    opt.refuse_given(CHOICE_OPTIONS, current_language().text("play.daily_one", option="{}"))
    today = datetime.now(UTC).date()
    with opt.usage_errors():
        return today if day is None else parse_day(day, today)
