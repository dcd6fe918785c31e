"""The command that solves hands: one, or a file of many."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from crisps24.cli.hand_files import HandFile, Showing
from crisps24.cli.options import (
    OF_HANDS,
    SOURCE,
    VALUE,
    as_wrong_call,
    complain,
    exit_with,
    format_option,
    game_options,
    read_id,
    refuse_given,
    show,
    work_option,
)
from crisps24.cli.signs import solve_signs
from crisps24.errors import RefusedError
from crisps24.notation.styles import STYLES
from crisps24.outside.tables import DEFAULT_FORMAT
from crisps24.rules.characters import words_of
from crisps24.rules.deals import format_hand, parse_hand, why_not_dealt
from crisps24.rules.equations import GAP
from crisps24.rules.exact import Exact
from crisps24.rules.games import GAMES, PLAYED, Game, Hand, freer_games
from crisps24.rules.ids import is_id

if TYPE_CHECKING:
    from crisps24.notation.lines import ByteStream
    from crisps24.solving.puzzle import Puzzle

# What is asked of hands, and not of missing signs.
_OF_HANDS_ALONE = (
    *("target", "every", "essential", "hint", "hints", "in_order", "steps", "first", "work"),
    *("parentheses", "all_numbers"),
)
# A word such as -3 is a number where options do not know it.
NEGATIVE_NUMBERS = {"ignore_unknown_options": True}


@click.command(context_settings=NEGATIVE_NUMBERS)
@click.argument("words", metavar="[NUMBERS]...", nargs=-1)
@click.option("--target", type=VALUE, help="What to make; the game's own where it has one.")
@click.option("--all", "every", is_flag=True, help="Show every solution, not the likeliest alone.")
@click.option("--first", type=click.IntRange(1), help="Show the likeliest of many, so many.")
@click.option("--essential", is_flag=True, help="One solution an idea: not x 1 and + 0 again.")
@click.option("--hint", "hint", is_flag=True, help="Show only the first step.")
@click.option("--hints", type=click.IntRange(1), help="Show only so many first steps.")
@click.option("--file", "source", type=SOURCE, help="A hand a line; - is stdin.")
@click.option("--in-order", is_flag=True, help="Keep the numbers in the order given.")
@click.option("--steps", is_flag=True, help="Show the working.")
@click.option("--style", type=click.Choice(list(STYLES)), help="The signs; the game's own.")
@work_option
@game_options(OF_HANDS, offered=PLAYED)
@format_option
def solve(
    words: Sequence[str],
    target: Exact | None,
    every: bool,
    first: int | None,
    essential: bool,
    hint: bool,
    hints: int | None,
    source: "ByteStream | None",
    in_order: bool,
    steps: bool,
    style: str | None,
    work: int | None,
    game: Game,
    form: str,
) -> None:
    """Solve a hand: ways to make the target, those first that people find first.

    Fewer numbers come first where not all have to be used; then the likeliest idea, going by a
    model that was fitted to people's times; of one idea first what divides less, then what has
    fewer parentheses. Where there is no way, the closest values are shown, and the status is 1.

    Solutions are distinct where they would differ for other numbers: 4 + 3 x 8 - 4 and
    4 : 4 x 3 x 8 are 3 x 8 whatever the 4 is, one solution, and so the 36 formulas of 4 3 8 4 are
    two.

    Example: crisps24 solve 3 3 8 8 --game cards

    With ^ and other operators that are no rational functions solutions are not told apart: --hint
    shows the first step of the plainest form that crisps24 reach --forms finds, and no more.

    Of thousands of solutions --first 10 finds the likeliest, and says how many there are: in that
    order up to 20,000, beyond by the share alone, and in plain order where to weigh their routes
    would be too much work.

    With _ for each sign that is missing, all ways to put them are shown: solve "4 _ 3 _ 8 _ 4 =
    24". Precedence alone decides there, and where no = is given it is one of those missing.

    A puzzle that was dealt is solved by its id: solve cards:3.3.8.8=24. A line of the --file is
    such an id, or a hand, and if it likes a target: 3 3 8 8 -> 24. What is neither is told on
    stderr with its line, and the others go on. The status is 0 where all have a solution,
    1 where one has none, 2 where a line could not be read.
    """
    showing = Showing(every or first is not None, essential, steps, style)
    if source is not None:
        told = "--file has the hands, a line each: it takes no {}"
        if words:
            raise click.UsageError(told.replace("{}", "NUMBERS"))
        refuse_given(("steps", "hint", "hints", "first"), told)
        HandFile(game, target, in_order, showing, form, work).solve(source)
        return
    if not words:
        raise click.UsageError("give the NUMBERS of a hand, such as 3 3 8 8, or a --file of hands")
    if any(GAP in word for word in words):
        refuse_given(_OF_HANDS_ALONE, "where signs are missing numbers stay where they are: no {}")
        solve_signs(" ".join(words), game, style, form)
        return
    puzzle = _puzzle_of(words, game, target, in_order).knowing(work=work)
    if first:
        refuse_given(("every", "essential", "hint", "hints"), "--first shows the likeliest: no {}")
        puzzle = puzzle.beginning(first)
    if hint or hints:
        refuse_given(("every", "steps", "essential"), "--hint shows first steps alone: no {}")
        _hint(puzzle, hints or 1, style, form)
    else:
        _solve_one(puzzle, showing, form)


def _puzzle_of(words: Sequence[str], game: Game, target: Exact | None, in_order: bool) -> "Puzzle":
    """Return what is asked: by the id of a puzzle, or by a hand and what the options say."""
    from crisps24.solving.puzzle import Puzzle

    if is_id(words[0]):
        game, hand, wanted = read_id(" ".join(words), ("game", "target", *OF_HANDS))
        return Puzzle(hand, wanted, game, in_order=in_order)
    return Puzzle(hand_of(words, game), _target_of(target, game), game, in_order=in_order)


def hand_of(words: Sequence[str], game: Game) -> Hand:
    """Read the numbers of a hand, apart or in one word with spaces or commas."""
    numbers = words_of(" ".join(words))
    for word in numbers:
        if word.startswith("-") and not word[1:].isdecimal():
            raise click.NoSuchOption(word)
    with as_wrong_call():
        return parse_hand(numbers, game)


def tell_if_not_dealt(hand: Hand, game: Game) -> None:
    """Say in a line on stderr that the game has no such hand, which is played all the same."""
    if why := why_not_dealt(hand, game, whole=False):
        complain(f"{why}; played all the same")


def _target_of(target: Exact | None, game: Game) -> Exact:
    wanted = game.target if target is None else target
    if wanted is None:
        raise click.UsageError(f"{game.name} deals its targets: give one with --target")
    return wanted


def _solve_one(puzzle: "Puzzle", showing: Showing, form: str) -> None:
    from crisps24.solving.puzzle import solved

    [puzzle] = solved([puzzle])
    tell_if_not_dealt(puzzle.hand, puzzle.game)
    rows = puzzle.rows(nearest=True, **showing._asdict())
    if not puzzle.solvable:
        told = "the closest that can be made:" if rows else "nothing can be made by these rules"
        _tell_of_freer_games(puzzle)
        complain(f"no solution for {puzzle.target}; {told}")
    shares = ["share"] if showing.every and puzzle.solvable else []
    show(rows, form, ["expression", "value", *shares, "steps"])
    if puzzle.solvable:
        click.echo(f"\n{_summary(puzzle, showing)}", err=form != DEFAULT_FORMAT)
    exit_with(puzzle.solvable)


def _tell_of_freer_games(puzzle: "Puzzle") -> None:
    """Say that a game which allows more has a solution, to one who may have meant it."""
    game = puzzle.game
    # Who took the parentheses away did not take one game for another.
    never = not (game.parentheses or GAMES[game.name].parentheses)
    for freer in freer_games(game) if never else ():
        if not why_not_dealt(puzzle.hand, freer) and _reaches(puzzle, freer):
            told = f"with --game {freer.name} there is a solution"
            complain(f"{game.name} has no parentheses; {told}")
            return


def _reaches(puzzle: "Puzzle", game: Game) -> bool:
    from crisps24.solving.solver import reachable

    try:
        return bool(reachable(puzzle.hand, game, only=[puzzle.target], work=puzzle.work))
    except RefusedError:
        return False


def _summary(puzzle: "Puzzle", showing: Showing) -> str:
    """Say how many solutions there are, and how hard it is to find one."""
    count = len(puzzle.ideas()) if showing.ideas else puzzle.count
    kind = "essential solution" if showing.ideas else "solution"
    formulas = _formulas(puzzle) if showing.every else ""
    told = f"{count} {kind}{'' if count == 1 else 's'}{formulas}"
    if count > len(puzzle.solutions()):
        told += f", the first {len(puzzle.solutions())} {puzzle.order}"
    if puzzle.difficulty is None:
        return f"{told}, no level: people do not go below zero"
    return told if puzzle.level is None else f"{told}, level {puzzle.level} of 5"


def _formulas(puzzle: "Puzzle") -> str:
    """Say how many formulas all solutions are, and what prints them; nothing where nothing does."""
    named, in_order = GAMES[puzzle.game.name], puzzle.in_order
    if puzzle.game.all_numbers != named.all_numbers:
        return ""
    from crisps24.puzzles.conditions import words_of_rules
    from crisps24.rows.enumeration import count

    try:
        # The card says which numbers there are.
        game = replace(
            puzzle.game, numbers=named.numbers, length=named.length, repeats=named.repeats
        )
        number = count(puzzle.target, game, card=puzzle.hand, in_order=in_order)
    except RefusedError:
        return ""
    target = str(puzzle.target)
    options = [] if game.name == "crisps" else ["--game", game.name]
    options += ["--in-order"] * in_order + [shlex.quote(word) for word in words_of_rules(game)]
    words = [f'--card "{format_hand(puzzle.hand)}"', *options]
    # What is below zero would be an option.
    words = [*words, "--", target] if target.startswith("-") else [target, *words]
    return f" ({number} formula{'' if number == 1 else 's'}: crisps24 formulas {' '.join(words)})"


def _hint(puzzle: "Puzzle", count: int, style: str | None, form: str) -> None:
    if not puzzle.solvable:
        complain(f"no solution for {puzzle.target}")
        exit_with(False)
        return
    rows = [{"step": line} for line in puzzle.hints(style)[:count]]
    if form == DEFAULT_FORMAT:
        for row in rows:
            click.echo(row["step"])
    else:
        show(rows, form)
