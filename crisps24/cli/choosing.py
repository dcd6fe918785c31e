"""What the commands share that deal puzzles: the options that choose them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli.options import (
    OF_FORMULAS,
    RANGE,
    VALUE,
    Reading,
    as_wrong_call,
    changed,
    executor_of,
    read_id,
    refuse_given,
    rule_options,
    work_option,
)
from crisps24.rules.equations import EQUATION, OF_STEPS, Equation
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE, PLAYED, Game, Hand, find_game
from crisps24.rules.ids import is_id

if TYPE_CHECKING:
    from crisps24.puzzles.dealing import Deal
    from crisps24.puzzles.guessing import EquationDeal

# The rules that an option changes: hands may have one length or several.
_RULES = tuple(name for name in OF_FORMULAS if name != "length")
# More work than to grade so many hands of six is shared by all cores, so many hands a time.
_SHARED, _SHARE = 500 * 6**6, 250
_Command = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Choice:
    """What a call asks of the puzzles that are dealt."""

    game: Game
    seed: int | None
    rising: bool
    target: Exact | None
    targets: range | None
    conditions: dict[str, Any]
    work: int | None
    hand: Hand | None = None
    """The numbers, where a call names its one puzzle."""
    equation: Equation | None = None
    """The record, where equations are to be found."""

    def deal(self, count: int) -> "Deal":
        """Deal so many puzzles, or the one that is named."""
        if self.hand is not None:
            return self._named(self.hand)
        from crisps24.puzzles.conditions import Conditions
        from crisps24.puzzles.dealing import check_count, deal

        # Nothing begins for what is refused.
        check_count(count)
        conditions = Conditions(**self.conditions)
        longest = self.game.length if conditions.lengths is None else conditions.lengths[-1]
        size = count * longest**longest
        with executor_of(None, count // _SHARE, worth_it=size > _SHARED) as executor:
            return deal(
                self.game,
                count,
                seed=self.seed,
                target=self.target,
                targets=self.targets,
                conditions=conditions,
                rising=self.rising,
                executor=executor,
                work=self.work,
            )

    def deal_equations(self, count: int) -> "EquationDeal":
        """Draw so many equations."""
        from crisps24.puzzles.guessing import deal_equations

        assert self.equation is not None
        return deal_equations(self.equation, count, seed=self.seed)

    def _named(self, hand: Hand) -> "Deal":
        from crisps24.puzzles.dealing import Deal
        from crisps24.solving.puzzle import Puzzle

        assert self.target is not None
        puzzle = Puzzle(hand, self.target, self.game, work=self.work)
        # Of what nothing can be made is refused here, before anything is played.
        _ = puzzle.best
        return Deal((puzzle,), self.game, 0, f"crisps24 play {puzzle.id}")


def _levels(text: str) -> range:
    from crisps24.puzzles.conditions import parse_levels

    return parse_levels(text)


def _lengths(text: str) -> range:
    from crisps24.puzzles.conditions import parse_lengths

    return parse_lengths(text)


def _seed(text: str) -> int:
    from crisps24.puzzles.conditions import parse_seed

    return parse_seed(text)


_CONDITIONS = {
    "levels": ("--level", {"type": Reading("level", _levels), "help": "1 to 5, or 2..4."}),
    "solutions": (
        "--solutions",
        {"type": RANGE, "help": "How many distinct solutions: 1, or 1..3."},
    ),
    "essential": ("--essential", {"is_flag": True, "help": "Solutions by 1 and 0 count as one."}),
    "plain": ("--plain", {"is_flag": True, "help": "With a solution without parentheses."}),
    "large": ("--large", {"type": click.IntRange(0), "help": "How many large tiles."}),
    "closest": (
        "--closest",
        {"is_flag": True, "help": "Targets that can only be approached will do."},
    ),
    "repeat": (
        "--repeat",
        {
            "is_flag": True,
            "help": "A hand may come again: where there are at most 5,000, in turn, when all have.",
        },
    ),
    "trivial": ("--trivial", {"is_flag": True, "help": "Targets that are dealt will do."}),
    "lengths": (
        "--length",
        {"type": Reading("length", _lengths), "help": "Numbers in a hand: 4, or 3..4."},
    ),
}
_OTHERS = {
    "seed": (
        "--seed",
        {"type": Reading("number", _seed), "help": "The same seed, the same puzzles."},
    ),
    "rising": ("--rising", {"is_flag": True, "help": "From easy to hard."}),
    "target": (
        "--target",
        {"type": VALUE, "help": "What to make; the game's own where it has one."},
    ),
    "targets": ("--targets", {"type": RANGE, "help": "Targets of a range, each hand one."}),
}

# Every option by which puzzles are chosen.
THAT_CHOOSE = (*_RULES, *_CONDITIONS, *_OTHERS)


def choosing_options(command: _Command, *, ids: bool = False) -> _Command:
    """Add GAME and the options that choose puzzles of it; the command is given `choice`.

    With `ids`, the id of a puzzle will do as GAME, and chooses this one, and so will `equation`.
    """

    def game_or_id(text: str) -> Game | str:
        named = is_id(text) or text.casefold() == EQUATION
        return text if ids and named else find_game(text, PLAYED)

    @wraps(command)
    def with_choice(**words: Any) -> Any:
        game = words.pop("game")
        rules, conditions, others = (
            {name: words.pop(name) for name in names}
            for names in (_RULES, _CONDITIONS, (*_OTHERS, "work"))
        )
        hand = None
        if isinstance(game, str) and not is_id(game):
            return command(choice=_of_equations(rules, conditions, others), **words)
        if isinstance(game, str):
            game, hand, others["target"] = read_id(game, ("count", *THAT_CHOOSE))
        if conditions["lengths"] is not None and len(conditions["lengths"]) == 1:
            rules["length"] = conditions.pop("lengths")[0]
        choice = Choice(changed(game, rules), conditions=conditions, hand=hand, **others)
        _refuse_ignored(choice)
        if conditions["levels"] is None:
            del conditions["levels"]
        return command(choice=choice, **words)

    decorated: _Command = rule_options(_RULES)(work_option(with_choice))
    metavar, kind = "[GAME]", Reading("game", game_or_id)
    decorated = click.argument("game", metavar=metavar, type=kind, default="crisps")(decorated)
    options: dict[str, tuple[str, dict[str, Any]]] = _OTHERS | _CONDITIONS
    for name, (option, more) in reversed(options.items()):
        decorated = click.option(option, name, **more)(decorated)
    return decorated


def _of_equations(
    rules: dict[str, Any], conditions: dict[str, Any], others: dict[str, Any]
) -> Choice:
    """Return the choice of equations that are to be found; refuse what is asked of hands."""
    every = {*rules, *conditions, *others} - {*OF_STEPS, "lengths", "seed"}
    refuse_given(sorted(every), "an equation is to be found, and not made of a hand: no {}")
    lengths = conditions["lengths"] or range(Equation().length, Equation().length + 1)
    if len(lengths) > 1:
        raise click.UsageError("equations to be found are of one --length")
    game = changed(FREE, {name: rules[name] for name in OF_STEPS})
    with as_wrong_call():
        equation = Equation(lengths[0], game=game)
    return Choice(game, others["seed"], False, None, None, {}, others["work"], equation=equation)


def _refuse_ignored(choice: Choice) -> None:
    """Refuse options of which one would be ignored."""
    from crisps24.puzzles.conditions import check_choice

    asked = choice.conditions | {"target": choice.target, "targets": choice.targets}
    given = [name for name, value in asked.items() if value is not None and value is not False]
    with as_wrong_call():
        check_choice(given, choice.game, "--{}".format)
