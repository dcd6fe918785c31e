"""GAME and the options that choose puzzles: shared by deal, sheet, page, quiz and play."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import partial
from typing import Any

import click

from crisps24.cli import options as opt
from crisps24.cli.options import OptionGroup, ParsedType
from crisps24.cli.progress import current_language, progress_bar
from crisps24.cli.screen import complain, exit_with, open_executor, print_to_stderr
from crisps24.equation_puzzles.records import EQUATION, STEP_RULE_FIELDS, Equation
from crisps24.errors import ConflictRule
from crisps24.messages.message import message
from crisps24.puzzles.parameters import EITHER, PARAMETERS, refuse_conflicting_conditions
from crisps24.rules.characters import split_words
from crisps24.rules.deals import parse_hand
from crisps24.rules.games import FREE_GAME, HAND_GAMES, Game, find_game
from crisps24.rules.ids import is_id
from crisps24.rules.rules import RULES

with opt.lazy_imports(globals()):
    from crisps24 import puzzle
    from crisps24.equation_puzzles import deals
    from crisps24.puzzles import conditions, daily, dealing, files, versions

# Rules with an option; --length is a condition instead, since it can be a range. Puzzles to deal
# rarely are a number alone.
_RULES = tuple(name for name in opt.ROW_AND_HAND_RULES if name not in ("length", "nontrivial"))
# Those that the script of the player has too.
SCRIPT_RULES = tuple(name for name in _RULES if name not in ("join", "bits"))
# Rules of how to play a hand, which do not change what is dealt.
_RULES_OF_PLAY = tuple(name for name in _RULES if not RULES[name].deals)
_DEFAULT = "crisps"
_MIN_WORK_FOR_ALL_CORES = 500 * 6**6
_HANDS_PER_TASK = 250
# A number that is not a hand such as 4384, and words that are not the name of a game.
_COUNT = re.compile("[0-9]{1,2}|[1-9][0-9]0|[0-9]+00")
_NUMBERS = re.compile(r"\d[\W\d_]*$")
DAY_NEEDS_DAILY = (ConflictRule(("day",), message("play.day", option="day"), ("daily",)),)
MANY_PUZZLES = 100


@dataclass(frozen=True, slots=True)
class Choice:
    """The puzzles to deal: their game, their number and their conditions."""

    game: Game
    count: int
    arguments: dict[str, Any]
    """Of `deal`: seed, target, targets, mix, rising, work."""
    conditions: dict[str, Any] = field(default_factory=dict)
    """The arguments of `Conditions`, such as `levels`."""
    own: tuple["files.OwnPuzzle", ...] = ()
    """The puzzles of the call, by ids, numbers or --file, instead of dealt ones."""
    unsolvable_too: bool = False
    """Whether own puzzles need no solution."""
    equation: Equation | None = None
    """Instead of hands, secret equations of this kind that the player must guess."""

    def deal(self) -> "dealing.Deal":
        """Draw random puzzles that meet the conditions, or return the puzzles of the call."""
        if self.own:
            return self._deal_own()
        # Refuse a wrong count before worker processes start.
        dealing.check_count(self.count)
        wanted = conditions.Conditions(**self.conditions)
        # The work of solving a hand of n numbers grows about as n to the power n.
        max_length = self.game.length if wanted.lengths is None else wanted.lengths[-1]
        is_long = self.count * max_length**max_length > _MIN_WORK_FOR_ALL_CORES
        has_bar = self.count >= MANY_PUZZLES
        with (
            open_executor(None, self.count // _HANDS_PER_TASK, worth_it=is_long) as executor,
            progress_bar(message("progress.dealt"), self.count, shown=has_bar) as progress,
        ):
            tools: dict[str, Any] = {"executor": executor, "progress": progress}
            return dealing.deal(self.game, self.count, conditions=wanted, **self.arguments, **tools)

    def deal_versions(self, count: int) -> "list[dealing.Deal]":
        """Draw the versions of a test: different puzzles with the same level at each place."""
        first = self.deal()
        if count == 1:
            return [first]
        if self.own:
            raise click.UsageError("--versions deals all puzzles, and takes none of yours")

        def deal_all(total: int, mix: Sequence[int] | None) -> "dealing.Deal":
            drawn = self.arguments | {"seed": first.seed, "mix": mix and tuple(mix)}
            conditions = {name: each for name, each in self.conditions.items() if name != "levels"}
            conditions = self.conditions if mix is None else conditions
            return replace(self, count=total, arguments=drawn, conditions=conditions).deal()

        with opt.usage_errors("--versions"):
            return versions.deal_versions(first, deal_all, count)

    def _deal_own(self) -> "dealing.Deal":
        """Solve the puzzles of the call; end it with status 1 if one has no solution."""
        puzzles = [puzzle for puzzle, _ in self.own]
        has_bar = len(puzzles) >= MANY_PUZZLES
        with progress_bar("hands", len(puzzles), shown=has_bar) as progress:
            dealt = dealing.own_deal(puzzles, progress=progress, **self.arguments)
        if not self.unsolvable_too and not all(puzzle.solvable for puzzle in dealt):
            advice = partial(print_to_stderr, "crisps24: --unsolvable-too takes such puzzles too")
            # The end says this last, after the number of the puzzles that are not shown.
            click.get_current_context().call_on_close(advice)
            files.complain_of_unsolvable(self.own, dealt, complain)
            exit_with(False)
        return dealt

    def deal_gaps(self, *, equals: bool) -> "deals.GapDeal":
        if self.own:
            raise click.UsageError("--signs deals rows: leave out your own puzzles")
        if self.conditions.get("lengths"):
            raise click.UsageError("--signs takes one --length, not a range")
        with progress_bar(message("progress.dealt"), self.count, shown=self.count > 1) as progress:
            drawn = {name: self.arguments[name] for name in ("seed", "target", "targets")}
            return deals.deal_gaps(self.game, self.count, equals=equals, progress=progress, **drawn)


_FILE = opt.text_file(
    opt.puzzle("Your own puzzles, as solve reads them; - is standard input.", opt.SOURCE, "--file")
)
_OWN = {
    "unsolvable_too": opt.puzzle("With --file: also puzzles without a solution.", word="more"),
    "mix": opt.puzzle(
        "How many of each level: 3,3,3,2,1.",
        ParsedType("counts", lambda text: conditions.parse_mix(text)),
    ),
}
_OTHERS = {
    "seed": opt.puzzle(
        "The same seed deals the same puzzles.",
        ParsedType("number", lambda text: conditions.parse_seed(text)),
        metavar="N",
    ),
    "rising": opt.puzzle("Sort from easy to hard."),
}
# The options of conditions have other names than those of rules.
_CONDITIONS = {f"dealt_{each.name}": each for each in PARAMETERS}
CHOICE_OPTIONS = ("count", "source", *_RULES, *_CONDITIONS, *_OTHERS, *_OWN)
# Those that say how puzzles of the call are played, not which ones.
_OPTIONS_OF_OWN = {
    *("dealt_target", "rising", "source", "unsolvable_too", "numbers", "dealt_length"),
    *_RULES_OF_PLAY,
}


def choice_options(
    *, count: int = 1, plays: bool = False, data: bool = False, rules: Sequence[str] = _RULES
) -> Any:
    """Return the options of a command that deals puzzles, or `plays` them, or makes `data`."""
    kind = ParsedType("game", str, lambda: (*HAND_GAMES, *([EQUATION] if plays else [])))
    game_argument = opt.argument("[GAME]...", type=kind)
    options = {"words": game_argument, "count": opt.puzzle("How many puzzles.", int, default=count)}
    offered = {name: each for name, each in _CONDITIONS.items() if data or not each.for_data}
    options |= _OTHERS | {name: opt.CONDITIONS[each.name] for name, each in offered.items()}
    options |= _OWN | _FILE.members
    options |= {"work": opt.WORK_LIMIT} | opt.rule_options(rules)
    return OptionGroup(options, partial(_make_choice, plays=plays))


def _make_choice(words: tuple[str, ...], *, plays: bool, **values: Any) -> Choice:
    values["source"] = _FILE.combine(**{name: values.pop(name) for name in _FILE.members})
    first_word, *numbers = words or [_DEFAULT]
    if first_word.casefold() == EQUATION:
        if plays:
            return _make_equation_choice(numbers, values)
        raise click.UsageError(f"{EQUATION} is not a game: use crisps24 play {EQUATION}")
    rules = {name: values[name] for name in _RULES if name in values}
    if is_id(first_word):
        if others := [word for word in words if not is_id(word)]:
            raise click.UsageError(f"{first_word} takes no numbers: leave out {' '.join(others)}")
        refused = set(CHOICE_OPTIONS) - {"rising", "unsolvable_too"}
        ids = [opt.read_id(word, refused) for word in words]
        work = values["work"]
        found = [puzzle.Puzzle(hand, target, game, work=work) for game, hand, target in ids]
        return _make_own_choice(list(map(files.OwnPuzzle, found)), values, plays=plays)
    is_alone = len(words) == 1 or (len(words) == 2 and not first_word[:1].isdigit())
    is_count = is_alone and _COUNT.fullmatch(words[-1])
    if is_count and not (plays and len(words) == 1):
        raise click.UsageError(f"{words[-1]} is not a hand")
    # Numbers without a game, such as `4 3 8 4`, are for the default one; `24` is a game to play.
    if _NUMBERS.match(first_word) and not is_count:
        first_word, numbers = _DEFAULT, list(words)
    with opt.usage_errors():
        game = find_game(first_word, HAND_GAMES)
    if numbers or values["source"]:
        lengths = values["dealt_length"]
        rules |= {"length": lengths[0]} if lengths and len(lengths) == 1 else {}
        puzzles = _own_puzzles(numbers, opt.changed_game(game, rules), values)
        return _make_own_choice(puzzles, values, plays=plays)
    return _make_dealt_choice(game, rules, values)


def _own_puzzles(
    numbers: Sequence[str], game: Game, values: Mapping[str, Any]
) -> "list[files.OwnPuzzle]":
    """Return the puzzles of --file, or the one whose numbers are words of the call."""
    refusal = "{} chooses what is dealt: leave it out with your own numbers"
    if values["source"]:
        refusal = "--file has the puzzles: leave out {}"
    opt.refuse_given([name for name in CHOICE_OPTIONS if name not in _OPTIONS_OF_OWN], refusal)
    if not values["source"]:
        with opt.usage_errors():
            hand = parse_hand(split_words(" ".join(numbers)), game)
        opt.check_numbers_typed(hand, game)
        target = opt.target_of(values["dealt_target"], game)
        return [files.OwnPuzzle(puzzle.Puzzle(hand, target, game, work=values["work"]))]
    if numbers:
        raise click.UsageError(refusal.replace("{}", " ".join(numbers)))
    parser = files.LineParser(
        game, values["dealt_target"], work=values["work"], tell=print_to_stderr
    )
    with opt.usage_errors("--file"):
        own = files.read_own(values["source"], parser, dealing.MAX_IN_MEMORY, complain)
    exit_with(True, unreadable=not own)
    return own


def _make_own_choice(own: "list[files.OwnPuzzle]", values: dict[str, Any], plays: bool) -> Choice:
    # A player can try any numbers.
    any_numbers = values["unsolvable_too"] or (plays and not values["source"])
    arguments, game = {"rising": values["rising"]}, own[0].puzzle.game
    return Choice(game, len(own), arguments, own=tuple(own), unsolvable_too=any_numbers)


def _make_dealt_choice(game: Game, rules: dict[str, Any], values: Mapping[str, Any]) -> Choice:
    opt.refuse_given(["unsolvable_too"], "{} is about your own puzzles: add --file")
    given = {
        each: value
        for name, each in _CONDITIONS.items()
        if (value := values.get(name)) is not None and (value is not False or each.kind is EITHER)
    }
    names = [each.name for each in given]
    names += [name for name in ("mix", "count") if opt.was_given(name)]
    wanted = {each.field: value for each, value in given.items()}
    if len(wanted.get("lengths", ())) == 1:
        # A single length changes the game; only a range of lengths is a condition.
        rules["length"] = wanted.pop("lengths")[0]
    game = opt.changed_game(game, rules)
    with opt.usage_errors():
        refuse_conflicting_conditions(names, game, "--{}".format)
    arguments = {name: values[name] for name in ("seed", "mix", "rising", "work")}
    arguments |= {name: wanted.pop(name, None) for name in ("target", "targets")}
    count = values["count"] if values["mix"] is None else sum(values["mix"])
    return Choice(game, count, arguments, wanted)


def _make_equation_choice(numbers: Sequence[str], values: Mapping[str, Any]) -> Choice:
    if numbers:
        raise click.UsageError(f"{EQUATION} takes no numbers: leave out {' '.join(numbers)}")
    hand_options = {*CHOICE_OPTIONS, "work"} - {*STEP_RULE_FIELDS, "count", "dealt_length", "seed"}
    opt.refuse_given(sorted(hand_options), "{} is for hands: leave it out with equation")
    lengths = values["dealt_length"]
    if lengths is not None and len(lengths) > 1:
        raise click.UsageError("equation takes one --length, not a range")
    length = lengths[0] if lengths else Equation().length
    game = opt.changed_game(FREE_GAME, {name: values[name] for name in STEP_RULE_FIELDS})
    with opt.usage_errors():
        equation = Equation(length, game=game)
    return Choice(game, values["count"], {"seed": values["seed"]}, equation=equation)


def read_day(day: str | None) -> date:
    """Return the day of --date, or today (UTC); refuse options that choose other puzzles."""
    opt.refuse_given(CHOICE_OPTIONS, current_language().text("play.daily_one", option="{}"))
    today = datetime.now(UTC).date()
    with opt.usage_errors():
        return today if day is None else daily.parse_day(day, today)
