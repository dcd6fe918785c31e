"""The command equations: list equations, those left after guesses, and the best guess."""

from itertools import chain
from typing import Any

import click

from crisps24.cli import options as opt
from crisps24.cli.progress import progress_bar
from crisps24.cli.screen import exit_with, print_rows, print_to_stderr, show
from crisps24.equation_puzzles import records as of
from crisps24.equation_puzzles.records import MAX_GUESS_PAIRS, Equation
from crisps24.notation.styles import INLINE_STYLES
from crisps24.output.tables import DEFAULT_FORMAT, Row
from crisps24.rules.games import FREE_GAME, HAND_GAMES, Game
from crisps24.rules.words import format_limit

with opt.lazy_imports(globals()):
    from crisps24.equation_puzzles import guesses, reading, search

# Pairs of guess and equation from which on --best takes seconds and shows a progress bar.
_MIN_PAIRS_FOR_PROGRESS = 10_000_000
_EQUATIONS_PER_BATCH = 1 << 16
_SIDE = click.Choice([*of.SIDE_KINDS])
_RECORD = {
    "length": opt.puzzle(
        f"Number of characters, {of.MIN_CHARACTERS} to {of.MAX_CHARACTERS}.",
        int,
        default=Equation().length,
    ),
    "left": opt.puzzle("Left of =: {}.", _SIDE, default=Equation().left),
    "right": opt.puzzle("Right of =: {}.", _SIDE, default=Equation().right),
    "lone_zeros": opt.puzzle("Allow 0 as a number of a formula."),
    "leading_zeros": opt.puzzle("Allow numbers that start with 0."),
}

_CLUES = {
    "guesses": opt.reading("A guess you made; repeat for each.", str, "--guess", multiple=True),
    "seen": opt.reading(
        "How it was marked: g green, y yellow, b black.", str, multiple=True, metavar="MARKS"
    ),
    "known": opt.reading(
        "Characters in their places, _ for any: __*8____.", str, default="", metavar="TEXT"
    ),
    "having": opt.reading("Characters that must occur.", str, "--with", default=""),
    "lacking": opt.reading("Characters that must not occur.", str, "--without", default=""),
}
_EQUATION_OPTIONS: Any = opt.OptionGroup(_RECORD, lambda **fields: fields)
_CLUE_OPTIONS: Any = opt.OptionGroup(_CLUES, lambda **clues: clues)


@opt.command(
    opt.excludes("best", "only_count limit", "--best shows one guess"),
    opt.requires("work", "best", "{} limits --best: add --best"),
    opt.excludes("only_count", "limit style", "--count shows a number"),
)
def equations(
    record: dict[str, Any] = _EQUATION_OPTIONS,
    clues: dict[str, Any] = _CLUE_OPTIONS,
    best: bool = opt.display("Show the best next guess: it leaves the fewest equations."),
    only_count: bool = opt.display("Show only how many there are.", None, "--count"),
    limit: int | None = opt.ROW_LIMIT,
    style: str = opt.display("Operator signs: {}.", click.Choice(INLINE_STYLES), default="ascii"),
    form: str = opt.format_options(text="one equation per line"),
    game: Game = opt.game_options(of.STEP_RULE_FIELDS, FREE_GAME, HAND_GAMES),
    work: int | None = opt.limit(
        "Largest search of --best, in pairs of guess and equation; none for no limit.",
        opt.WORK,
        default=format_limit(MAX_GUESS_PAIRS),
    ),
) -> None:
    """List equations of the daily puzzle, or find the best guess.

    The default is the daily puzzle: eight characters, operators on the left, a number on the right.
    Intermediate results can be fractions or negative, and no number starts with 0. Exit status: 1
    if no equation is left.

    Examples:
      crisps24 equations --guess 9*8-7=65 --seen gyybbgyb --best
      crisps24 equations --known "__*8____" --without 35
      crisps24 equations --length 6 --count
      crisps24 equations --game crisps --limit 10

    Marks: g for a character in its place, y for a character of another place, b for a character
    that does not occur again. The best guess leaves the fewest equations on average, then in the
    worst case; it is one of the equations left.
    """
    guessed, seen = clues.pop("guesses"), clues.pop("seen")
    if len(guessed) != len(seen):
        raise click.UsageError("add a --seen for each --guess, in the same order")
    with opt.usage_errors():
        equation = Equation(**record, game=game)
        marked = list(zip(guessed, seen, strict=True))
        candidates = guesses.remaining_equations(equation, marked, **clues)
    table = DEFAULT_FORMAT if form == "text" else form
    if only_count:
        show([{"length": equation.length, "equations": len(candidates)}], table)
    elif not len(candidates):
        print_to_stderr("no equation is left" if guessed else "no equation found")
        exit_with(False)
    elif best:
        show([_best_guess_row(candidates, style, work)], table)
    else:
        columns = ("equation", "left", "right")
        codes = candidates.codes[:limit]
        batches = (
            codes[i : i + _EQUATIONS_PER_BATCH] for i in range(0, len(codes), _EQUATIONS_PER_BATCH)
        )
        texts = (search.format_equations(each, candidates.equation, style) for each in batches)
        parts = ((text, *text.split(of.EQUALS)) for text in chain.from_iterable(texts))
        rows = (dict(zip(columns, part, strict=True)) for part in parts)
        print_rows(rows, form, columns, text="equation")


def _best_guess_row(candidates: "guesses.Candidates", style: str, work: int | None) -> Row:
    pair_count = len(candidates) ** 2
    is_allowed = work is None or pair_count <= work
    has_bar = pair_count >= _MIN_PAIRS_FOR_PROGRESS and is_allowed
    with progress_bar("pairs", pair_count, shown=has_bar) as progress:
        guess, expected, worst = guesses.best_guess(candidates, work=work, progress=progress)
    # Replace the ASCII operator signs of the guess by those of the style.
    ascii_signs, style_signs = (
        reading.symbol_signs(candidates.equation, name) for name in ("ascii", style)
    )
    return {
        "guess": guess.translate(str.maketrans(ascii_signs, style_signs)),
        "left": len(candidates),
        "expected": round(float(expected), 2),
        "worst": worst,
    }
