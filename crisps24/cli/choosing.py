"""GAME and the options that choose puzzles: shared by deal, sheet, quiz and play."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli import options as opt
from crisps24.cli.options import OptionGroup, ParsedType
from crisps24.cli.progress import progress_bar
from crisps24.cli.screen import executor_of
from crisps24.equation_puzzles.records import EQUATION, STEP_RULE_FIELDS, Equation
from crisps24.errors import RefusedError
from crisps24.rules.characters import normalise, split_words
from crisps24.rules.deals import parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, HAND_GAMES, Game, Hand, find_game
from crisps24.rules.ids import is_id
from crisps24.rules.rules import RULES

if TYPE_CHECKING:
    from crisps24.equation_puzzles.rounds import EquationDeal
    from crisps24.puzzles.dealing import Deal

# Rules with an option of their own; --length is here a condition, since it can be a range.
_RULES = tuple(name for name in opt.OF_FORMULAS if name != "length")
# Those that say how numbers are played, not what is dealt.
_PLAYED_BY = tuple(name for name in _RULES if not RULES[name].deals)
_DEFAULT = "crisps"
# Work above which hands are graded on all cores (500 hands of six numbers), and hands per task.
_WORK_FOR_ALL_CORES, _HANDS_PER_TASK = 500 * 6**6, 250
# Puzzles from which on a progress bar is shown.
MANY_PUZZLES = 100


@dataclass(frozen=True, slots=True)
class Choice:
    """Which puzzles to deal: the game, how many, and the conditions they meet."""

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
        """Deal the puzzles, or return the puzzle of an id."""
        from crisps24.puzzles.conditions import Conditions
        from crisps24.puzzles.dealing import Deal, check_count, deal

        if self.hand is not None and self.target is not None:
            from crisps24.puzzle import Puzzle

            puzzle = Puzzle(self.hand, self.target, self.game, work=self.work)
            # Refuses a hand that makes nothing before the game starts.
            _ = puzzle.best
            return Deal((puzzle,), self.game, 0, f"crisps24 play {puzzle.id}")
        # Refused before worker processes start.
        check_count(self.count)
        conditions = Conditions(**self.conditions)
        longest = self.game.length if conditions.lengths is None else conditions.lengths[-1]
        size = self.count * longest**longest
        pieces, many = self.count // _HANDS_PER_TASK, size > _WORK_FOR_ALL_CORES
        with (
            executor_of(None, pieces, worth_it=many) as executor,
            progress_bar("puzzles dealt", self.count, shown=self.count >= MANY_PUZZLES) as progress,
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
        """Draw equations to find."""
        from crisps24.equation_puzzles.rounds import deal_equations

        assert self.equation is not None
        return deal_equations(self.equation, self.count, seed=self.seed)


def _lazy_type(name: str, kind: str) -> ParsedType:
    """Return a type whose parse function is imported from `conditions` when it is called."""
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


def choice_options(*, count: int = 1, ids: bool = False) -> Any:
    """Return GAME and the options that choose its puzzles; `count` is their default number.

    With `ids`, GAME can also be the id of a puzzle, which chooses that puzzle, `equation`, or the
    numbers of a card, with or without a game.
    """
    played = (*HAND_GAMES, EQUATION)
    game = (
        opt.argument("[GAME]...", type=ParsedType("game", str, lambda: played))
        if ids
        else opt.argument(
            "[GAME]", type=ParsedType("game", _game_of, lambda: HAND_GAMES), default=_DEFAULT
        )
    )
    many = {"count": opt.puzzle("How many puzzles.", int, default=count)}
    shared: Any = many | _OTHERS | _CONDITIONS | {"work": opt.MOST_PAIRS} | opt.rule_options(_RULES)
    return OptionGroup({"game": game} | shared, _choice)


def _game_of(word: str) -> Game:
    """Return the game of a word; name the line that plays an id or `equation`."""
    if is_id(word) or word.casefold() == EQUATION:
        raise RefusedError(f"{word} is not a game: use crisps24 play {word}")
    return find_game(word, HAND_GAMES)


def _game_and_numbers(words: Sequence[str]) -> tuple[Game | str, Hand]:
    """Return the game, the id or `equation` that words name, and the numbers of a card in them."""
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


def _choice(game: Game | tuple[str, ...], count: int, work: int | None, **words: Any) -> Choice:
    """Return the choice of a call; refuse options that would be ignored."""
    named, numbers = (game, ()) if isinstance(game, Game) else _game_and_numbers(game)
    rules = {name: words[name] for name in _RULES}
    conditions = {name: words[name] for name in _CONDITIONS}
    others = {name: words[name] for name in _OTHERS}
    others |= {"count": count, "work": work}
    hand = None
    if isinstance(named, str) and not is_id(named):
        return _of_equations(rules, conditions["lengths"], others)
    if isinstance(named, str):
        named, hand, others["target"] = opt.read_id(named, CHOICE_OPTIONS)
    if numbers:
        hand = numbers
        of_deals = [name for name in CHOICE_OPTIONS if name != "target" and name not in _PLAYED_BY]
        opt.refuse_given(of_deals, "{} chooses what is dealt: leave it out with your own numbers")
        others["target"] = opt.target_of(others["target"], named)
    if conditions["lengths"] is not None and len(conditions["lengths"]) == 1:
        rules["length"] = conditions.pop("lengths")[0]
    choice = Choice(opt.changed_game(named, rules), conditions=conditions, hand=hand, **others)
    from crisps24.puzzles.conditions import refuse_conflicting_conditions

    wishes = conditions | {"target": choice.target, "targets": choice.targets}
    given = [name for name, value in wishes.items() if value is not None and value is not False]
    with opt.usage_errors():
        refuse_conflicting_conditions(given, choice.game, "--{}".format)
    if conditions["levels"] is None:
        del conditions["levels"]
    return choice


def _of_equations(rules: dict[str, Any], lengths: range | None, others: dict[str, Any]) -> Choice:
    """Return the choice of equations to find; refuse options for hands."""
    of_hands = {*CHOICE_OPTIONS, "work"} - {*STEP_RULE_FIELDS, "count", "lengths", "seed"}
    opt.refuse_given(sorted(of_hands), "{} is for hands: leave it out with equation")
    usual = Equation().length
    if lengths is not None and len(lengths) > 1:
        raise click.UsageError("equation takes one --length, not a range")
    game = opt.changed_game(FREE_GAME, {name: rules[name] for name in STEP_RULE_FIELDS})
    with opt.usage_errors():
        equation = Equation(lengths[0] if lengths else usual, game=game)
    chosen = {name: others[name] for name in ("count", "seed", "work")}
    return Choice(
        game, rising=False, target=None, targets=None, conditions={}, equation=equation, **chosen
    )
