"""What the commands share that deal puzzles: the options that choose them."""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli import options as ask
from crisps24.cli.options import Composed, Reading
from crisps24.cli.screen import executor_of
from crisps24.equation_puzzles.records import EQUATION, OF_STEPS, Equation
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE, PLAYED, Game, Hand, find_game
from crisps24.rules.ids import is_id

if TYPE_CHECKING:
    from crisps24.equation_puzzles.rounds import EquationDeal
    from crisps24.puzzles.dealing import Deal

# The rules that an option changes: hands may have one length or several.
_RULES = tuple(name for name in ask.OF_FORMULAS if name != "length")
# More work than to grade so many hands of six is shared by all cores, so many hands a time.
_SHARED, _SHARE = 500 * 6**6, 250


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
    """The numbers, where a call names its one puzzle."""
    equation: Equation | None = None
    """The record, where equations are to be found."""

    def deal(self) -> "Deal":
        """Deal the puzzles, or the one that the call names by its id."""
        from crisps24.puzzles.conditions import Conditions
        from crisps24.puzzles.dealing import Deal, check_count, deal

        if self.hand is not None and self.target is not None:
            from crisps24.puzzle import Puzzle

            puzzle = Puzzle(self.hand, self.target, self.game, work=self.work)
            # Of what nothing can be made is refused here, before anything is played.
            _ = puzzle.best
            return Deal((puzzle,), self.game, 0, f"crisps24 play {puzzle.id}")
        # Refused before worker processes start.
        check_count(self.count)
        conditions = Conditions(**self.conditions)
        longest = self.game.length if conditions.lengths is None else conditions.lengths[-1]
        size = self.count * longest**longest
        with executor_of(None, self.count // _SHARE, worth_it=size > _SHARED) as executor:
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
            )

    def deal_equations(self) -> "EquationDeal":
        """Draw equations to find."""
        from crisps24.equation_puzzles.rounds import deal_equations

        assert self.equation is not None
        return deal_equations(self.equation, self.count, seed=self.seed)


def _late(name: str, kind: str) -> Reading:
    """Return the type that a function of conditions reads, which is imported once it is asked."""
    room = "crisps24.puzzles.conditions"
    return Reading(kind, lambda text: getattr(import_module(room), name)(text))


_CONDITIONS = {
    "levels": ask.puzzle(
        "Difficulty, 1 (easy) to 5, or a range: 2..4.",
        _late("parse_levels", "level"),
        "--level",
    ),
    "lengths": ask.puzzle(
        "Numbers in a hand: 4, or 3..4.", _late("parse_lengths", "length"), "--length"
    ),
    "solutions": ask.puzzle("Number of distinct solutions: 1, or 1..3.", ask.RANGE),
    "essential": ask.puzzle(
        "With --solutions: leave out variants that only add 0 or multiply by 1."
    ),
    "plain": ask.puzzle("Only puzzles with a solution without parentheses."),
    "large": ask.puzzle("Number of large tiles, as in Countdown.", click.IntRange(0)),
    "closest": ask.puzzle("Allow targets that can only be approached."),
    "trivial": ask.puzzle("Allow targets that are among the numbers dealt."),
    "repeat": ask.puzzle("Allow a hand to come again, once all have come."),
}
_OTHERS = {
    "seed": ask.puzzle(
        "The same seed deals the same puzzles.",
        _late("parse_seed", "number"),
        metavar="N",
    ),
    "rising": ask.puzzle("Sort from easy to hard."),
    "target": ask.TARGET,
    "targets": ask.puzzle("Draw each target from a range: 100..999.", ask.RANGE),
}
# Every option that chooses puzzles.
THAT_CHOOSE = ("count", *_RULES, *_CONDITIONS, *_OTHERS)


def choice_part(*, count: int = 1, ids: bool = False) -> Any:
    """Return GAME and the options that choose its puzzles; `count` is their default number.

    With `ids`, GAME can also be the id of a puzzle, which chooses that puzzle, or `equation`.
    """

    def game_or_id(text: str) -> Game | str:
        named = is_id(text) or text.casefold() == EQUATION
        return text if ids and named else find_game(text, PLAYED)

    game = ask.argument("[GAME]", type=Reading("game", game_or_id), default="crisps")
    many = {"count": ask.puzzle("How many puzzles.", int, default=count)}
    shared: Any = many | _OTHERS | _CONDITIONS | {"work": ask.MOST_PAIRS} | ask.rule_options(_RULES)
    return Composed({"game": game} | shared, _choice)


def _choice(game: Game | str, count: int, work: int | None, **words: Any) -> Choice:
    """Return what a call asks for, and refuse what would be ignored."""
    rules = {name: words[name] for name in _RULES}
    conditions = {name: words[name] for name in _CONDITIONS}
    others = {name: words[name] for name in _OTHERS}
    others |= {"count": count, "work": work}
    hand = None
    if isinstance(game, str) and not is_id(game):
        return _of_equations(rules, conditions["lengths"], others)
    if isinstance(game, str):
        game, hand, others["target"] = ask.read_id(game, THAT_CHOOSE)
    if conditions["lengths"] is not None and len(conditions["lengths"]) == 1:
        rules["length"] = conditions.pop("lengths")[0]
    choice = Choice(ask.changed(game, rules), conditions=conditions, hand=hand, **others)
    from crisps24.puzzles.conditions import check_choice

    asked = conditions | {"target": choice.target, "targets": choice.targets}
    given = [name for name, value in asked.items() if value is not None and value is not False]
    with ask.as_wrong_call():
        check_choice(given, choice.game, "--{}".format)
    if conditions["levels"] is None:
        del conditions["levels"]
    return choice


def _of_equations(rules: dict[str, Any], lengths: range | None, others: dict[str, Any]) -> Choice:
    """Return the choice of equations that are to be found; refuse what is asked of hands."""
    every = {*THAT_CHOOSE, "work"} - {*OF_STEPS, "count", "lengths", "seed"}
    told = "an equation is to be found, and not made of a hand: no {}"
    ask.refuse_given(sorted(every), told)
    usual = Equation().length
    if lengths is not None and len(lengths) > 1:
        raise click.UsageError("equations to be found are of one --length")
    game = ask.changed(FREE, {name: rules[name] for name in OF_STEPS})
    with ask.as_wrong_call():
        equation = Equation(lengths[0] if lengths else usual, game=game)
    chosen = {name: others[name] for name in ("count", "seed", "work")}
    return Choice(
        game, rising=False, target=None, targets=None, conditions={}, equation=equation, **chosen
    )
