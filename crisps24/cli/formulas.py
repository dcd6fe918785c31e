"""The commands about all formulas that there are: count, formulas."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli.options import (
    OF_ROWS,
    format_option_with,
    game_options,
    header_option,
    overwriting,
    progress_bar,
    read_card,
    refuse_given,
    show,
    streamed,
    targets_of,
    work_option,
)
from crisps24.notation.styles import STYLES
from crisps24.outside.tables import STREAMS, Row
from crisps24.rules.deals import format_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand

if TYPE_CHECKING:
    from crisps24.notation.trees import Formula

# The format of the tables of the On-Line Encyclopedia of Integer Sequences: n a(n), a pair a line.
_B_FILE = "bfile"
# Pairs of values that take long enough for a progress bar: some seconds.
_LONG = 100_000_000


def _card_options(command: Any) -> Any:
    """Add the options that say which numbers formulas have; see `_card_of`."""
    order = click.option("--in-order", is_flag=True, help="Keep the order of the card.")
    card = click.option("--card", help='Only with these numbers, each once: "4 3 8 4".')
    return card(order(command))


def _card_of(card: str | None, in_order: bool, game: Game) -> Hand | None:
    """Read a card, and refuse what does not go with it."""
    if card is None:
        if in_order:
            raise click.UsageError("--in-order keeps the order of a --card: give one")
        return None
    refuse_given(("length", "numbers"), "the --card says which numbers there are: no {}")
    return read_card(card, game)


def _has_forms(game: Game, card: str | None, in_order: bool) -> bool:
    """Return whether formulas have parentheses, as those of a card in its order may."""
    if game.parentheses and not (in_order and card is not None):
        told = "{}: rows of numbers have none; solve 4 3 8 4 --parentheses takes them"
        refuse_given(["parentheses"], f"{told}, and so does a --card --in-order here")
    return game.parentheses and in_order


@click.command()
@click.argument("targets", metavar="TARGET...", nargs=-1)
@click.option("--top", type=click.IntRange(1), help="Only the targets with the most combinations.")
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw combinations by target (.png, .svg, .pdf).",
)
@work_option
@_card_options
@game_options((*OF_ROWS, "parentheses"))
@format_option_with(_B_FILE)
def count(
    targets: Sequence[str],
    top: int | None,
    plot: Path | None,
    work: int | None,
    card: str | None,
    in_order: bool,
    game: Game,
    form: str,
) -> None:
    """Count the combinations of each TARGET.

    Example: crisps24 count 24 --length 10

    With --parentheses those of a --card --in-order are counted twice: the written forms, every way
    to write it, of which (1 + 2) + 3 and 1 + (2 + 3) are two, and the distinct solutions, which
    `solve` shows, of which they are one.
    """
    forms = _has_forms(game, card, in_order)
    if not targets and top is None and plot is None:
        raise click.UsageError("give a TARGET: a number, a range such as 0..100, or all")
    if plot:
        from crisps24.outside.plots import check_plot, plot_counts

        check_plot(plot)
    which: Any = {"card": _card_of(card, in_order, game), "in_order": in_order}
    if forms:
        _count_forms(targets, which["card"], game, top, form, work)
        return
    from crisps24.rows.enumeration import counts, counts_by_target, pairs_for
    from crisps24.rows.format import line_count

    words = targets or ["all"]
    if form == _B_FILE:
        refuse_given(["top"], "a b-file has whole targets one after the other: no {}")
    # What there is in `all` is counted to be known.
    wanted = None if "all" in words else targets_of(words, game)
    _refuse_fractions(wanted or (), form)
    pairs = pairs_for(None if wanted is None else len(wanted), game, **which)
    shown = pairs >= _LONG and (work is None or pairs <= work)
    with progress_bar("pairs of values", pairs, shown=shown) as progress:
        which |= {"work": work, "progress": progress}
        if wanted is None:
            wanted = targets_of(words, game, lambda: counts(game, **which))
            _refuse_fractions(wanted, form)
        counted = counts_by_target(wanted, game, **which)
    found = list(counted.items())
    if top is not None:
        found = sorted(found, key=lambda pair: -pair[1])[:top]
    if form == _B_FILE:
        for target, ways in found:
            click.echo(f"{target} {ways}")
    else:
        keys = ("target", "combinations", "lines")
        show([dict(zip(keys, (*pair, line_count(pair[1])), strict=True)) for pair in found], form)
    if plot:
        hand = which["card"]
        from crisps24.surveys.titles import name_of

        numbers = f"{game.length} numbers" if hand is None else f"the card {format_hand(hand)}"
        title = f"{name_of(game)}: combinations of {numbers}"
        with overwriting(plot):
            plot_counts(counted, plot, title, mark=game.target)


def _count_forms(
    words: Sequence[str], hand: Hand, game: Game, top: int | None, form: str, work: int | None
) -> None:
    """Count the written forms of each target, and the distinct solutions."""
    from crisps24.solving.solver import ways
    from crisps24.solving.written import count_written

    if form == _B_FILE:
        raise click.UsageError(
            "a b-file has one count a target, and with parentheses there are two"
        )
    refuse_given(["plot"], "formulas with parentheses are counted in a table alone: no {}")
    if not words or "all" in words:
        raise click.UsageError("with parentheses give a TARGET: a number or a range such as 0..100")
    wanted = targets_of(words, game)
    written = count_written(hand, wanted, game, work=work)
    distinct = ways(hand, game, in_order=True, only=wanted, work=work)
    rows = [
        {"target": each, "written": written[each], "distinct": distinct.get(each, 0)}
        for each in wanted
    ]
    if top is not None:
        rows = sorted(rows, key=lambda row: -row["written"])[:top]
    show(rows, form)


def _refuse_fractions(targets: Iterable[Exact], form: str) -> None:
    """Refuse a b-file of targets that are not whole."""
    broken = next((target for target in targets if not isinstance(target, int)), None)
    if form == _B_FILE and broken is not None:
        raise click.UsageError(f"a b-file has whole targets one after the other: no {broken}")


@click.command()
@click.argument("target", metavar="TARGET")
@click.option("--limit", type=click.IntRange(1), help="So many at most.")
@click.option("--style", type=click.Choice(list(STYLES)), help="The signs; the game's own.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", *STREAMS]),
    default="text",
    help="A formula a line, or for programs.",
    show_default=True,
)
@click.option(
    "--distinct", is_flag=True, help="With parentheses: each distinct solution, not each form."
)
@work_option
@header_option
@_card_options
@game_options((*OF_ROWS, "parentheses"))
def formulas(
    target: str,
    limit: int | None,
    distinct: bool,
    work: int | None,
    style: str | None,
    form: str,
    card: str | None,
    in_order: bool,
    game: Game,
) -> None:
    """Print every formula that makes TARGET, one a line, as they are found.

    Example: crisps24 formulas 100 --card "1 2 3 4 5 6 7 8 9" --in-order --join

    With --parentheses those of a --card --in-order are its written forms: every way to write it. Of
    those that are one solution, such as (1 + 2) + 3 and 1 + (2 + 3), --distinct has the plainest.
    """
    forms = _has_forms(game, card, in_order)
    hand = _card_of(card, in_order, game)
    [wanted] = targets_of([target], game) if ".." not in target and target != "all" else [None]
    if wanted is None:
        raise click.UsageError(f"{target}: formulas are printed for one TARGET, a number")
    if forms or distinct:
        _print_forms(wanted, hand, game, limit, style or game.signs, form, work, distinct=distinct)
        return
    from crisps24.rows.enumeration import formulas as formulas_of

    found = islice(formulas_of(wanted, game, card=hand, in_order=in_order), limit)
    told = ((formula, text_in(style or game.signs, formula, game)) for formula in found)
    if form == "text":
        lines: Iterable[str] = (text for _, text in told)
    else:
        lines = streamed(_formula_rows(told), form, ["formula", "numbers", "operators"])
    for line in lines:
        sys.stdout.write(f"{line}\n")


def _print_forms(
    target: Exact,
    hand: Hand | None,
    game: Game,
    limit: int | None,
    style: str,
    form: str,
    work: int | None,
    *,
    distinct: bool,
) -> None:
    """Print written forms of a card in its order, or distinct solutions."""
    from crisps24.notation.trees import text_of
    from crisps24.solving.solver import solve
    from crisps24.solving.written import written_forms

    if hand is None or not game.parentheses:
        raise click.UsageError(
            "--distinct is of formulas with --parentheses, of a --card --in-order"
        )
    found: Iterable[Any]
    if distinct:
        found = solve(hand, target, game, in_order=True, first=limit, work=work)
    else:
        found = islice(written_forms(hand, target, game, work=work), limit)
    texts = (text_of(each, style) for each in found)
    rows = ({"formula": text} for text in texts)
    for line in texts if form == "text" else streamed(rows, form, ["formula"]):
        sys.stdout.write(f"{line}\n")


def _formula_rows(told: "Iterable[tuple[Formula, str]]") -> Iterator[Row]:
    for formula, text in told:
        yield {"formula": text, "numbers": formula.numbers, "operators": formula.operators}


def text_in(style: str, formula: "Formula", game: Game) -> str:
    """Return a formula in a style."""
    if style == "crisps":
        return str(formula)
    from crisps24.notation.grammar import parse_pattern
    from crisps24.notation.trees import text_of

    tree = parse_pattern(formula.operators, game)
    return text_of(tree, style, lambda place: str(formula.numbers[place.value]))
