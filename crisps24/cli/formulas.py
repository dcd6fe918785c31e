"""The commands about formulas: count, formulas, check."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from crisps24.cli.options import (
    OF_FORMULAS,
    OF_ROWS,
    VALUE,
    WORK,
    complain,
    exit_with,
    format_option,
    game_options,
    show,
    targets_of,
    was_given,
)
from crisps24.notation.styles import STYLES
from crisps24.outside.tables import STREAMS, Row
from crisps24.rows.places import MOST_WORK
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.words import format_limit, parse_hand

if TYPE_CHECKING:
    from crisps24.notation.trees import Formula


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
    for parameter in ("length", "numbers"):
        if was_given(parameter):
            raise click.UsageError(f"the --card says which numbers there are: no --{parameter}")
    return _read_card(card, game)


def _read_card(card: str, game: Game) -> Hand:
    hand = parse_hand(card.replace(",", " ").split(), game)
    if not hand:
        raise click.UsageError('the card is empty: give its numbers, such as --card "4 3 8 4"')
    return hand


def _refuse_parentheses(game: Game) -> None:
    if game.parentheses and was_given("parentheses"):
        raise click.UsageError(
            "--parentheses: rows of numbers have none; solve 4 3 8 4 --parentheses takes them"
        )


@click.command()
@click.argument("targets", metavar="TARGET...", nargs=-1)
@click.option("--top", type=click.IntRange(1), help="Only the targets with the most combinations.")
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw combinations by target (.png, .svg, .pdf).",
)
@click.option(
    "--work",
    type=WORK,
    default=format_limit(MOST_WORK),
    help="How many pairs of values may be looked at, or none for any.",
    show_default=True,
)
@_card_options
@game_options((*OF_ROWS, "parentheses"))
@format_option
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
    """
    _refuse_parentheses(game)
    if not targets and top is None and plot is None:
        raise click.UsageError("give a TARGET: a number, a range such as 0..100, or all")
    if plot:
        from crisps24.outside.plots import check_plot, plot_counts

        check_plot(plot)
    which: Any = {"card": _card_of(card, in_order, game), "in_order": in_order}
    from crisps24.rows.enumeration import counts, counts_by_target
    from crisps24.rows.format import lines_of

    wanted = targets_of(targets or ["all"], game, lambda: counts(game, work=work, **which))
    counted = counts_by_target(wanted, game, work=work, **which)
    found = list(counted.items())
    if top is not None:
        found = sorted(found, key=lambda pair: -pair[1])[:top]
    show(
        [
            {"target": target, "combinations": ways, "lines": lines_of(ways)}
            for target, ways in found
        ],
        form,
    )
    if plot:
        hand = which["card"]
        numbers = f"{game.length} numbers" if hand is None else f"the card {card}"
        plot_counts(counted, plot, f"{game.name}: combinations of {numbers}")


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
@_card_options
@game_options((*OF_ROWS, "parentheses"))
def formulas(
    target: str,
    limit: int | None,
    style: str | None,
    form: str,
    card: str | None,
    in_order: bool,
    game: Game,
) -> None:
    """Print every formula that makes TARGET, one a line, as they are found.

    Example: crisps24 formulas 100 --card "1 2 3 4 5 6 7 8 9" --in-order --join
    """
    _refuse_parentheses(game)
    hand = _card_of(card, in_order, game)
    [wanted] = targets_of([target], game) if ".." not in target and target != "all" else [None]
    if wanted is None:
        raise click.UsageError(f"{target}: formulas are printed for one TARGET, a number")
    from crisps24.rows.enumeration import formulas as formulas_of

    found = islice(formulas_of(wanted, game, card=hand, in_order=in_order), limit)
    told = ((formula, _text(formula, game, style or game.signs)) for formula in found)
    if form == "text":
        lines: Iterable[str] = (text for _, text in told)
    else:
        lines = STREAMS[form](_formula_rows(told), ["formula", "numbers", "operators"])
    for line in lines:
        sys.stdout.write(f"{line}\n")


def _formula_rows(told: "Iterable[tuple[Formula, str]]") -> Iterator[Row]:
    for formula, text in told:
        yield {"formula": text, "numbers": formula.numbers, "operators": formula.operators}


def _text(formula: "Formula", game: Game, style: str) -> str:
    """Return a formula in a style."""
    if style == "crisps":
        return str(formula)
    from crisps24.notation.grammar import parse_pattern
    from crisps24.notation.trees import text_of

    tree = parse_pattern(formula.operators, game)
    return text_of(tree, style, lambda place: str(formula.numbers[place.value]))


@click.command()
@click.argument("formulas", metavar="FORMULA...", nargs=-1)
@click.option("--target", type=VALUE, help="What each formula has to make.")
@click.option("--card", help='The numbers that each has to use, such as "4 3 8 4".')
@click.option("--file", "source", type=click.File("rb"), help="A formula a line; - is stdin.")
@click.option("--steps", is_flag=True, help="Show the working.")
@game_options(OF_FORMULAS)
@format_option
def check(
    formulas: Sequence[str],
    target: Exact | None,
    card: str | None,
    source: Iterable[bytes] | None,
    steps: bool,
    game: Game,
    form: str,
) -> None:
    """Check formulas, and the target they state.

    A formula is right when it is legal, makes its target and uses the card's numbers.

    Example: crisps24 check "4 + 3 x 8 - 4 = 24" --card "4 3 8 4"
    """
    from crisps24.notation import checking

    hand = None if card is None else _read_card(card, game)
    texts = [*formulas, *_lines(source or ())]
    if not texts:
        raise click.UsageError('give a FORMULA such as "4 + 3 x 8 - 4", or a --file with some')
    rows = []
    for text in texts:
        found = checking.check(text, target, hand, game)
        if found.error and form == "table":
            complain(f"{found.error.marked()}\n{found.error}\n")
        row: dict[str, Any] = {
            "formula": found.formula,
            "value": found.value,
            "verdict": found.verdict,
            "reason": found.reason,
            "position": found.error.position if found.error else None,
        }
        if steps:
            row["steps"] = _steps(text, found.reason if found.error else None, game)
        rows.append(row)
    show(rows, form, ["formula", "value", "verdict", "reason", "steps"])
    exit_with(all(row["verdict"] == "right" for row in rows))


def _steps(text: str, objection: str | None, game: Game) -> list[str]:
    """Return the working of a formula, nothing where it is refused before its first step."""
    from crisps24.notation import checking
    from crisps24.notation.errors import FormulaError

    try:
        lines = checking.working(text, game)
    except FormulaError:
        return []
    return lines if objection is None or objection in lines else []


def _lines(source: Iterable[bytes]) -> list[str]:
    """Return the formulas in a file: a line each, without blank lines and # comments."""
    lines = (line.decode(errors="replace").strip() for line in source)
    return [line for line in lines if line and not line.startswith("#")]
