"""The command that solves hands: one, or a file of many."""

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from crisps24.cli.options import (
    OF_HANDS,
    PLAYED,
    SOURCE,
    VALUE,
    complain,
    exit_with,
    format_option,
    game_options,
    show,
    streamed,
)
from crisps24.errors import RefusedError
from crisps24.notation.styles import STYLES
from crisps24.outside.tables import DEFAULT_FORMAT, STREAMS, Row
from crisps24.rules.characters import words_of
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand, freer_games
from crisps24.rules.words import format_hand, parse_hand, parse_value, why_not_dealt

if TYPE_CHECKING:
    from crisps24.hands.effort import Difficulty
    from crisps24.hands.ranking import Solution
    from crisps24.notation.claims import Source

# A word such as -3 is a number where options do not know it.
NEGATIVE_NUMBERS = {"ignore_unknown_options": True}
# Formats in which a row is told as it is found.
_ROW_BY_ROW = ("csv", "tsv", "jsonl")
# Hands that wait to be solved together, at most.
_TOGETHER = 2_000
_KEYS = (
    "numbers",
    "target",
    "expression",
    "value",
    "exact",
    "share",
    "solutions",
    "bits",
    "level",
)


class _Puzzle(NamedTuple):
    """What is asked: a hand as it was given, and a target."""

    hand: Hand
    target: Exact


class _Answer(NamedTuple):
    """What is known of a puzzle."""

    puzzle: _Puzzle
    solutions: "list[Solution]"
    difficulty: "Difficulty | None"


class _Wishes(NamedTuple):
    """How hands are to be solved, and their solutions shown."""

    game: Game
    target: Exact | None
    every: bool
    essential: bool
    in_order: bool
    steps: bool
    style: str
    form: str

    def shown(self, solutions: "Sequence[Solution]") -> "Sequence[Solution]":
        """Return those solutions that are to be shown."""
        return solutions if self.every else solutions[:1]


@click.command(context_settings=NEGATIVE_NUMBERS)
@click.argument("words", metavar="[NUMBERS]...", nargs=-1)
@click.option("--target", type=VALUE, help="What to make; the game's own where it has one.")
@click.option("--all", "every", is_flag=True, help="Show every solution, not the likeliest alone.")
@click.option("--essential", is_flag=True, help="One solution an idea: not x 1 and + 0 again.")
@click.option("--hint", "hint", is_flag=True, help="Show only the first step.")
@click.option("--hints", type=click.IntRange(1), help="Show only so many first steps.")
@click.option("--file", "source", type=SOURCE, help="A hand a line; - is stdin.")
@click.option("--in-order", is_flag=True, help="Keep the numbers in the order given.")
@click.option("--steps", is_flag=True, help="Show the working.")
@click.option("--style", type=click.Choice(list(STYLES)), help="The signs; the game's own.")
@game_options(OF_HANDS, offered=PLAYED)
@format_option
def solve(
    words: Sequence[str],
    target: Exact | None,
    every: bool,
    essential: bool,
    hint: bool,
    hints: int | None,
    source: "Source | None",
    in_order: bool,
    steps: bool,
    style: str | None,
    game: Game,
    form: str,
) -> None:
    """Solve a hand: ways to make the target, those first that people find first.

    Fewer numbers come first where not all have to be used; then the likeliest idea, going by a
    model that was fitted to people's times; of one idea first what divides less, then what has
    fewer parentheses. Where there is no way, the closest values are shown, and the status is 1.

    Example: crisps24 solve 3 3 8 8 --game cards

    A line of the --file is a hand, and if it likes a target: 3 3 8 8 -> 24. What is no hand is
    told on stderr with its line, and the others go on. The status is 0 where all have a solution,
    1 where one has none, 2 where a line could not be read.
    """
    wishes = _Wishes(game, target, every, essential, in_order, steps, style or game.signs, form)
    if source is not None:
        if words or hint or hints or steps:
            other = "NUMBERS" if words else "--steps" if steps else "--hint"
            raise click.UsageError(f"--file has the hands, a line each: it takes no {other}")
        _solve_file(source, wishes)
        return
    if not words:
        raise click.UsageError("give the NUMBERS of a hand, such as 3 3 8 8, or a --file of hands")
    puzzle = _Puzzle(hand_of(words, game), _target_of(target, game))
    _refuse_one_word(puzzle.hand, words, target)
    if hint or hints:
        if every or steps or essential:
            raise click.UsageError("--hint shows first steps alone: no --all, --steps, --essential")
        _hint(puzzle, wishes, hints or 1)
    else:
        _solve_one(puzzle, wishes)


def hand_of(words: Sequence[str], game: Game) -> Hand:
    """Read the numbers of a hand, apart or in one word with spaces or commas."""
    numbers = words_of(" ".join(words))
    for word in numbers:
        if word.startswith("-") and not word[1:].isdecimal():
            raise click.NoSuchOption(word)
    try:
        return parse_hand(numbers, game)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _refuse_one_word(hand: Hand, words: Sequence[str], target: Exact | None) -> None:
    """Ask whether the digits of one number are meant, where no target is given beside it."""
    if target is None and len(hand) == 1 and hand[0] > 99:
        [word] = words
        raise click.UsageError(f"{word} is one number: did you mean {' '.join(word)}?")


def tell_if_not_dealt(hand: Hand, game: Game) -> None:
    """Say in a line on stderr that the game has no such hand, which is played all the same."""
    if why := why_not_dealt(hand, game, whole=False):
        complain(f"{why}; played all the same")


def _target_of(target: Exact | None, game: Game) -> Exact:
    wanted = game.target if target is None else target
    if wanted is None:
        raise click.UsageError(f"{game.name} deals its targets: give one with --target")
    return wanted


def _solve_one(puzzle: _Puzzle, wishes: _Wishes) -> None:
    [answer] = _answers([puzzle], wishes)
    tell_if_not_dealt(puzzle.hand, wishes.game)
    rows = _rows_of(answer, wishes)
    if not answer.solutions:
        from crisps24.hands.solver import closest

        near = closest(puzzle.hand, puzzle.target, wishes.game, in_order=wishes.in_order)
        told = "the closest that can be made:" if near else "nothing can be made by these rules"
        _tell_of_freer_games(puzzle, wishes.game)
        complain(f"no solution for {puzzle.target}; {told}")
        rows = [
            _row(answer, wishes, expression, value, share=None)
            for value, expression in near.items()
        ]
    shares = ["share"] if wishes.every and answer.solutions else []
    show(rows, wishes.form, ["expression", "value", *shares, "steps"])
    if answer.solutions:
        click.echo(f"\n{_summary(answer, wishes)}", err=wishes.form != DEFAULT_FORMAT)
    exit_with(bool(answer.solutions))


def _tell_of_freer_games(puzzle: _Puzzle, game: Game) -> None:
    """Say that a game which allows more has a solution, to one who may have meant it."""
    from crisps24.hands.reach import reachable

    for freer in freer_games(game) if not game.parentheses else ():
        if not why_not_dealt(puzzle.hand, freer) and puzzle.target in reachable(puzzle.hand, freer):
            told = f"with --game {freer.name} there is a solution"
            complain(f"{game.name} has no parentheses; {told}")
            return


def _summary(answer: _Answer, wishes: _Wishes) -> str:
    """Say how many solutions there are, and how hard it is to find one."""
    count = len(answer.solutions)
    kind = "essential solution" if wishes.essential else "solution"
    told = f"{count} {kind}{'' if count == 1 else 's'}"
    if answer.difficulty is None:
        return f"{told}, no level: people do not go below zero"
    level = answer.difficulty.level
    return told if level is None else f"{told}, level {level} of 5"


def _hint(puzzle: _Puzzle, wishes: _Wishes, count: int) -> None:
    from crisps24.hands.likeliest import hints
    from crisps24.hands.solver import solve as solutions_of

    way = next(
        solutions_of(puzzle.hand, puzzle.target, wishes.game, in_order=wishes.in_order), None
    )
    if way is None:
        complain(f"no solution for {puzzle.target}")
        exit_with(False)
        return
    lines = hints(way, replace(wishes.game, signs=wishes.style), in_order=wishes.in_order)
    rows = [{"step": line} for line in lines[:count]]
    if wishes.form == DEFAULT_FORMAT:
        for row in rows:
            click.echo(row["step"])
    else:
        show(rows, wishes.form)


def _answers(puzzles: Sequence[_Puzzle], wishes: _Wishes) -> Iterator[_Answer]:
    """Yield what is known of puzzles that are solved together."""
    from crisps24.hands.effort import difficulty_of_each
    from crisps24.hands.solver import solve_many

    game, in_order = wishes.game, wishes.in_order
    found = list(solve_many(puzzles, game, in_order=in_order))
    hands = [
        (hand if in_order else tuple(sorted(hand)), target)
        for (hand, target), solutions in zip(puzzles, found, strict=True)
        if solutions
    ]
    levels = iter(difficulty_of_each(hands, game, in_order=in_order))
    for puzzle, solutions in zip(puzzles, found, strict=True):
        shown = _ideas(solutions) if wishes.essential else solutions
        yield _Answer(puzzle, shown, next(levels) if solutions else None)


def _ideas(solutions: "Sequence[Solution]") -> "list[Solution]":
    """Return one solution for each idea, with the share of all that are the same idea."""
    from crisps24.hands.ranking import essential

    shares: dict[int, float] = {}
    for each in solutions:
        shares[each.essential] = shares.get(each.essential, 0) + each.share
    return [replace(each, share=shares[each.essential]) for each in essential(solutions)]


def _rows_of(answer: _Answer, wishes: _Wishes) -> list[Row]:
    return [
        _row(answer, wishes, solution.expression, solution.value, round(solution.share, 6))
        for solution in wishes.shown(answer.solutions)
    ]


def _row(
    answer: _Answer, wishes: _Wishes, expression: Any, value: Exact | None, share: float | None
) -> Row:
    from crisps24.notation.checking import working
    from crisps24.notation.trees import text_of

    row: Row = {
        "numbers": list(answer.puzzle.hand),
        "target": answer.puzzle.target,
        "expression": None if expression is None else text_of(expression, wishes.style),
        "value": value,
        "exact": value == answer.puzzle.target,
        "share": share,
        "solutions": len(answer.solutions),
        "bits": answer.difficulty and answer.difficulty.bits,
        "level": answer.difficulty and answer.difficulty.level,
    }
    if wishes.steps:
        row["steps"] = working(expression, replace(wishes.game, signs=wishes.style))
    return row


def _solve_file(source: "Source", wishes: _Wishes) -> None:
    from crisps24.notation.claims import lines_of

    job = _Job(wishes)
    # Who writes the lines may want to know of one before the next.
    for number, line in lines_of(source, waiting=job.go_on):
        job.add(number, line)
    job.end()


class _Job:
    """A file of hands that is being solved: what waits, what is to be shown, what went wrong."""

    def __init__(self, wishes: _Wishes) -> None:
        self.wishes = wishes
        self.waiting: list[_Puzzle] = []
        self.rows: list[Row] = []
        self.begun = False
        self.unread = False
        self.unsolved = False

    def add(self, number: int, line: str | None) -> None:
        """Take a line; what is no hand is told on stderr."""
        try:
            puzzle = _puzzle_of(line, self.wishes)
        except ValueError as error:
            self.unread = True
            complain(f"crisps24: line {number}: {error}")
            return
        if puzzle is not None:
            self.waiting.append(puzzle)
            if len(self.waiting) >= _TOGETHER:
                self.go_on()

    def go_on(self) -> None:
        """Solve what waits, and tell it where rows are told as they come."""
        for answer in _answers(self.waiting, self.wishes) if self.waiting else ():
            rows = _rows_of(answer, self.wishes)
            self.unsolved |= not rows
            self.rows += rows or [_row(answer, self.wishes, None, None, share=None)]
        self.waiting = []
        if self.wishes.form in _ROW_BY_ROW:
            self._tell_rows()
            sys.stdout.flush()

    def _tell_rows(self) -> None:
        for line in streamed(self.rows, self.wishes.form, _KEYS, begun=self.begun):
            click.echo(line)
        self.begun = True
        self.rows = []

    def end(self) -> None:
        """Solve the rest, show what is not yet told, and end with the status of all."""
        self.go_on()
        if self.wishes.form not in _ROW_BY_ROW and (self.rows or not self.unread):
            form = self.wishes.form
            show(self.rows if form in STREAMS else list(map(self._for_people, self.rows)), form)
        if self.unread:
            sys.stdout.flush()
            click.get_current_context().exit(2)
        exit_with(not self.unsolved)

    def _for_people(self, row: Row) -> Row:
        told = {
            "hand": format_hand(row["numbers"]),
            "target": row["target"],
            "solution": row["expression"] or "none",
        }
        share = {"share": row["share"]} if self.wishes.every else {}
        return told | share | {"solutions": row["solutions"], "level": row["level"]}


def _puzzle_of(line: str | None, wishes: _Wishes) -> _Puzzle | None:
    """Return the puzzle in a line, None for a blank one or a # comment."""
    from crisps24.hands.solver import check_hand
    from crisps24.notation.claims import LONGEST_LINE

    if line is None:
        raise RefusedError(f"it is longer than {LONGEST_LINE:,} bytes")
    text = line.partition("#")[0].strip()
    if not text:
        return None
    hand, *targets = (part.strip() for part in re.split("->|=", text))
    if len(targets) > 1:
        raise RefusedError("a line has a hand, and at most one target after = or ->")
    numbers = parse_hand(words_of(hand), wishes.game)
    check_hand(numbers, wishes.game, in_order=wishes.in_order)
    target = parse_value(targets[0]) if targets else wishes.target
    target = wishes.game.target if target is None else target
    if target is None:
        name = wishes.game.name
        raise RefusedError(f"{name} deals its targets: give one after = or ->, or with --target")
    return _Puzzle(numbers, target)
