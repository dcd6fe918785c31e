"""The commands about formulas: count, formulas, check."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
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
    progress_bar,
    show,
    targets_of,
    was_given,
)
from crisps24.notation.styles import STYLES
from crisps24.outside.tables import DEFAULT_FORMAT, STREAMS, Row
from crisps24.rows.places import MOST_WORK
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.words import format_limit, parse_hand

if TYPE_CHECKING:
    from crisps24.notation.claims import Claim, Source
    from crisps24.notation.trees import Formula

# Pairs of values that take long enough for a progress bar: some seconds.
_LONG = 100_000_000
# A table of what was checked has no more rows, and no more characters in its column of formulas.
_ROWS = 1_000
_CHARACTERS = 2_000_000


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
    from crisps24.rows.enumeration import counts, counts_by_target, pairs_for
    from crisps24.rows.format import lines_of

    words = targets or ["all"]
    # What there is in `all` is counted to be known.
    wanted = None if "all" in words else targets_of(words, game)
    pairs = pairs_for(None if wanted is None else len(wanted), game, **which)
    shown = pairs >= _LONG and (work is None or pairs <= work)
    with progress_bar("pairs of values", pairs, shown=shown) as progress:
        which |= {"work": work, "progress": progress}
        if wanted is None:
            wanted = targets_of(words, game, lambda: counts(game, **which))
        counted = counts_by_target(wanted, game, **which)
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
    source: "Source | None",
    steps: bool,
    game: Game,
    form: str,
) -> None:
    """Check formulas, and the target they state.

    A formula is right when it is legal, makes its target and uses the card's numbers.

    Example: crisps24 check "4 + 3 x 8 - 4 = 24" --card "4 3 8 4"

    A line of the --file that begins with { is JSON, and its own card, target and game (by its own
    rules) come before those of the call: {"formula": "4 + 3 x 8 - 4", "card": [4, 3, 8, 4],
    "target": 24, "game": "crisps"}. A line that is no such JSON, or longer than 100,000 bytes, is
    told on stderr with its number, and the others go on.

    With --format jsonl, or csv, each verdict is told before the next line is waited for; a table
    comes 1,000 rows at a time.

    The status is 0 where all are right, 1 where one is not, 2 where a line could not be read.
    """
    from crisps24.notation.claims import Claim

    hand = None if card is None else _read_card(card, game)
    asked, judge = Claim("", target, hand, game), _Judge(form, steps)
    claims = (asked._replace(formula=formula) for formula in formulas)
    rows = judge.rows(chain(claims, judge.claims(source, asked) if source else ()))
    first = list(islice(rows, 1))
    if not (first or judge.unread):
        raise click.UsageError('give a FORMULA such as "4 + 3 x 8 - 4", or a --file with some')
    judge.tell(chain(first, rows))
    if judge.unread:
        sys.stdout.flush()
        click.get_current_context().exit(2)
    exit_with(judge.all_right)


class _Judge:
    """One call of `check`: what it has been told, and what came of it."""

    def __init__(self, form: str, steps: bool) -> None:
        self.form = form
        self.steps = steps
        self.all_right = True
        self.unread = False

    def claims(self, source: "Source", asked: "Claim") -> Iterator["Claim"]:
        """Yield what the lines of a file claim; what cannot be read is told on stderr."""
        from crisps24.notation.claims import claim_of, lines_of

        # Who writes the lines may want to know of one before the next.
        for number, line in lines_of(source, waiting=sys.stdout.flush):
            try:
                claim = claim_of(line, asked)
            except ValueError as error:
                self.unread = True
                complain(f"crisps24: line {number}: {error}")
                continue
            if claim is not None:
                yield claim

    def rows(self, claims: Iterable["Claim"]) -> Iterator[Row]:
        """Yield a row for each claim."""
        from crisps24.notation import checking

        for claim in claims:
            found = checking.check(*claim)
            self.all_right &= found.verdict == "right"
            if found.error and self.form == DEFAULT_FORMAT:
                complain(f"{found.error.marked()}\n{found.error}\n")
            row: Row = {
                "formula": found.formula,
                "value": found.value,
                "verdict": found.verdict,
                "reason": found.reason,
                "position": found.error.position if found.error else None,
            }
            if self.steps:
                objection = found.reason if found.error else None
                row["steps"] = _steps(claim.formula, objection, claim.game)
            yield row

    def tell(self, rows: Iterable[Row]) -> None:
        """Print rows: as they come, or as tables of so many."""
        if self.form in STREAMS:
            keys = ["formula", "value", "verdict", "reason", "position"]
            for line in STREAMS[self.form](rows, [*keys, "steps"] if self.steps else keys):
                sys.stdout.write(f"{line}\n")
            return
        between = ""
        for block in _blocks(rows):
            click.echo(between, nl=False)
            show(block, self.form, ["formula", "value", "verdict", "reason", "steps"])
            between = "\n"


def _blocks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield rows in blocks that are tables of a size to be held and read."""
    block: list[Row] = []
    widest = 0
    for row in rows:
        block.append(row)
        widest = max(widest, len(row["formula"]))
        if len(block) == _ROWS or len(block) * widest > _CHARACTERS:
            yield block
            block, widest = [], 0
    if block:
        yield block


def _steps(text: str, objection: str | None, game: Game) -> list[str]:
    """Return the working of a formula, nothing where it is refused before its first step."""
    from crisps24.notation import checking
    from crisps24.notation.errors import FormulaError

    try:
        lines = checking.working(text, game)
    except FormulaError:
        return []
    return lines if objection is None or objection in lines else []
