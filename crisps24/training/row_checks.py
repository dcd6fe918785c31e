"""The kinds of findings of an audit, and the check of the rows of one puzzle.

A kind is a record in `KINDS`. Each claim of a row is checked by itself: whether it has a solution,
its answer key, its closest value, its distance and its level.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, NamedTuple

from crisps24.errors import RefusedError, quoted
from crisps24.judging.judge import Judgement
from crisps24.output.tables import Row
from crisps24.puzzle import Puzzle
from crisps24.rules.deals import format_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import MINUS, NOT_BELOW_ZERO, NOT_ZERO, StepRule, obeys_result_rules
from crisps24.rules.queries import HandQuery
from crisps24.rules.rules import RULES
from crisps24.rules.words import format_value
from crisps24.solving.values import find_reachable
from crisps24.training.key_notation import KeyNotation, replace_answer
from crisps24.training.row_claims import RowClaims


class FlawKind(NamedTuple):
    message: str
    meaning: str
    is_error: bool = False
    drops_row: bool = False
    """Whether a corrected file leaves the row out, unless it can be corrected."""


_wrong = partial(FlawKind, is_error=True)
_dropped = partial(FlawKind, drops_row=True)
KINDS = {
    "unsolvable": _dropped(
        "there is no solution", "puzzles without a solution, unless the row says so", True
    ),
    "solvable": _wrong(
        "the row has {claimed} (expected {right})",
        "rows with a wrong claim about having a solution",
    ),
    "prompt": _dropped(
        "the prompt has {asked}, and the row {own}", "rows whose prompt has another puzzle", True
    ),
    "key": _wrong("the key is wrong: {reason}", "rows with a wrong answer key"),
    "closest": _wrong(
        "the closest value is {right}, not {claimed}", "rows with a wrong closest value"
    ),
    "distance": _wrong(
        "the distance is {right}, not {claimed}", "rows with a wrong distance from the target"
    ),
    "level": _wrong(
        "the level is {right}, not {claimed}",
        "rows with a wrong level (only with an id of crisps24)",
    ),
    "undecided": FlawKind(
        "{what} is too much work: {reason}", "puzzles that are too much work to check"
    ),
    "duplicate": _dropped(
        "the same puzzle as {first}", "rows with the numbers, target and rules of an earlier row"
    ),
    "dealt": FlawKind(
        "the target is one of the numbers", "puzzles whose target is one of the numbers"
    ),
    "sums": FlawKind("+ and - are enough", "puzzles that can be solved with only + and -"),
    "unreadable": _dropped("{reason}", "rows that cannot be read"),
}


def parse_kinds(text: str) -> tuple[str, ...]:
    names = tuple(filter(None, map(str.strip, text.split(","))))
    if unknown := [name for name in names if name not in KINDS]:
        raise RefusedError(f"unknown kind {quoted(unknown[0])} (expected {', '.join(KINDS)})")
    return names


class Flaw(NamedTuple):
    """A finding about one row of a file; tuples sort by line, then by kind."""

    line: int
    """The number of the line, from 1; of the row, in JSON arrays and Parquet."""
    kind: str
    message: str
    code: str = ""
    """For a wrong key, the code of its judgement; see `judge.CODES`."""
    right: str | list[str] = ""
    """The right value for `column`; empty if it is unknown. A list for a column of lists."""
    column: str = ""
    file: str = ""

    def row(self) -> Row:
        right = self.right if isinstance(self.right, str) else "; ".join(self.right)
        row = {"line": self.line, "kind": self.kind, "told": self.message}
        return row | {"code": self.code, "right": right}


def make_flaw(line: int, kind: str, code: str = "", **values: Any) -> Flaw:
    """Return a finding of a kind; `values` are those of its message, and fields of `Flaw`."""
    fields = {name: values[name] for name in ("right", "column") if name in values}
    return Flaw(line, kind, KINDS[kind].message.format(code=code, **values), code, **fields)


class PuzzleTask(NamedTuple):
    """A puzzle, and the rows of a file that have it."""

    puzzle: Puzzle
    rows: list[RowClaims]
    is_first: bool = True
    """Whether no earlier row has the puzzle; if so, the puzzle itself is checked too."""


def check_rows(
    task: PuzzleTask, puzzle: Puzzle | str, notation: KeyNotation | None = None
) -> Iterator[Flaw]:
    """Yield the findings about a puzzle and about the claims of its rows."""
    if isinstance(puzzle, str):
        what = "whether it can be solved"
        yield make_flaw(task.rows[0].line, "undecided", what=what, reason=puzzle)
    for index, row in enumerate(task.rows):
        checker = _RowChecker(row, puzzle, notation)
        if index == 0 and task.is_first and not isinstance(puzzle, str):
            yield from checker.check_puzzle()
        yield from checker.check_claims()


class _RowChecker:
    def __init__(self, row: RowClaims, puzzle: Puzzle | str, notation: KeyNotation | None) -> None:
        self.row = row
        self.puzzle = row.puzzle if isinstance(puzzle, str) else puzzle
        self.solvable = None if isinstance(puzzle, str) else puzzle.solvable
        self.notation = notation
        # Why the closest value was not found, if it was looked for.
        self.refusal = ""
        self.closest_values = self._closest_values()
        self.judgements = [(key, self._judge(key)) for key in row.keys]

    def check_puzzle(self) -> Iterator[Flaw]:
        puzzle, line = self.puzzle, self.row.line
        if not self.solvable:
            if not self._is_said_unsolvable():
                yield make_flaw(line, "unsolvable")
        elif puzzle.target in puzzle.hand and (
            len(puzzle.hand) == 1 or not puzzle.game.all_numbers
        ):
            yield make_flaw(line, "dealt")
        elif sums_suffice(puzzle.hand, puzzle.target, puzzle.game):
            yield make_flaw(line, "sums")

    def check_claims(self) -> Iterator[Flaw]:
        row = self.row
        if row.solvable is not None and self.solvable is not None and row.solvable != self.solvable:
            claimed = f"{row.columns['solvable']} = {str(row.solvable).lower()}"
            yield self._wrong_claim("solvable", claimed, str(self.solvable).lower())
        if row.prompt:
            own = f"{format_hand(row.hand)} -> {format_value(row.puzzle.target)}"
            yield make_flaw(row.line, "prompt", asked=row.prompt, own=own)
        yield from self._check_keys()
        yield from self._check_closest()
        if row.level is not None and self.solvable is not None:
            level = self.puzzle.level if self.solvable else None
            # Without a level, the puzzle is too much work or its game has no levels.
            if level not in (None, row.level):
                yield self._wrong_claim("level", row.level, str(level))

    def _wrong_claim(self, kind: str, claimed: object, right: str) -> Flaw:
        column = self.row.columns.get(kind, kind)
        return make_flaw(self.row.line, kind, claimed=claimed, right=right, column=column)

    def _closest_values(self) -> tuple[Exact, ...]:
        """Return the values closest to the target, if the row needs them; else an empty tuple."""
        row = self.row
        if not row.names_game or {"closest", "distance"}.isdisjoint(row.columns):
            return ()
        if self.solvable:
            return (row.puzzle.target,)
        try:
            return tuple(self.puzzle.closest)
        except RefusedError as error:
            self.refusal = str(error)
            return ()

    def _check_closest(self) -> Iterator[Flaw]:
        row = self.row
        if self.refusal:
            what = "whether its closest value is right"
            yield make_flaw(row.line, "undecided", what=what, reason=self.refusal)
        if not self.closest_values:
            return
        best = self.closest_values[0]
        if row.closest is not None and not any(
            _is_near(row.closest, value) for value in self.closest_values
        ):
            yield self._wrong_claim("closest", format_value(row.closest), format_value(best))
        distance = max(best - row.puzzle.target, row.puzzle.target - best)
        # A distance below zero is that of a value below the target.
        if row.distance is not None and not any(
            _is_near(claimed, distance) for claimed in (row.distance, -row.distance)
        ):
            yield self._wrong_claim("distance", format_value(row.distance), format_value(distance))

    def _is_said_unsolvable(self) -> bool:
        row = self.row
        return (
            row.solvable is False
            or row.closest not in (None, row.puzzle.target)
            or bool(row.distance)
            or any(judgement.code == "no-solution" for _, judgement in self.judgements)
        )

    def _expected_values(self) -> tuple[Exact, ...]:
        row = self.row
        target = row.puzzle.target
        if not row.names_game and row.closest is not None:
            return (row.closest,)
        if not row.names_game and row.distance:
            return (target - row.distance, target + row.distance)
        return self.closest_values or (target,)

    def _judge(self, key: str) -> Judgement:
        """Judge a key; in a row that gives a closest value, a formula for that value is right."""
        judgement = self.puzzle.judge(key, strict_equals=True)
        for value in self._expected_values():
            if judgement or value == self.puzzle.target:
                break
            judgement = self._puzzle_for(value).judge(key, strict_equals=True)
        return judgement

    def _puzzle_for(self, value: Exact) -> Puzzle:
        return Puzzle(self.puzzle.hand, value, self.puzzle.game)

    def _check_keys(self) -> Iterator[Flaw]:
        row = self.row
        wrong = [judgement for _, judgement in self.judgements if not judgement]
        if not wrong:
            return
        code, column = wrong[0].code, row.columns["key"]
        flaw = make_flaw(row.line, "key", code, reason=wrong[0].reason, column=column)
        yield flaw if self.notation is None else flaw._replace(right=self._right_keys())

    def _right_keys(self) -> str | list[str]:
        """Return the corrected keys of the row; empty if no solution is known."""
        kept = [key for key, judgement in self.judgements if judgement]
        if self.row.has_key_list and kept:
            return kept
        key, judgement = next(pair for pair in self.judgements if not pair[1])
        try:
            [value, *_] = self._expected_values()
            puzzle = self._puzzle_for(value).first_solutions(1)
            if not (self.notation and puzzle.solutions()):
                return ""
            expression = puzzle.solutions()[0].expression
        except RefusedError:
            return ""
        texts = (
            replace_answer(key, judgement, expression, value, self.notation),
            # The text around the answer can make the key unreadable: leave it out.
            self.notation.write(expression),
            KeyNotation().write(expression),
        )
        text = next((text for text in texts if self._judge(text)), "")
        return [text] if self.row.has_key_list and text else text


def _is_near(claimed: Exact, value: Exact) -> bool:
    return claimed == value or (value.denominator > 1 and float(claimed) == float(value))


def sums_suffice(hand: Hand, target: Exact, game: Game) -> bool:
    """Return whether a hand makes a target with only + and -, by the rules of a game."""
    sums_only = _with_sums_only(game)
    if sums_only is None:
        return False
    # Adding first keeps every partial sum at or above the target, so the order of the numbers does
    # not matter. A sum starts with an added number, so the flag says whether any was added.
    sums: set[tuple[Exact, bool]] = {(0, False)}
    for number in hand:
        longer_sums = {(total + number, True) for total, _ in sums}
        longer_sums |= {(total - number, has_added) for total, has_added in sums}
        # If numbers can be left over, sums without this number count too.
        sums = longer_sums if game.all_numbers else sums | longer_sums
    is_sum = (target, True) in sums or (game.signed and (target, False) in sums)
    # A sum can still break a rule on the way; with joined digits, others are possible.
    if _adds_first(sums_only, hand, target) or not (is_sum or len(sums_only.row_operators) > 2):
        return is_sum
    return bool(find_reachable(HandQuery(hand, sums_only), [target]))


@lru_cache(256)
def _with_sums_only(game: Game) -> Game | None:
    # To make a game takes ten times as long as to try sums.
    names = tuple(name for name in game.operators if name in (MINUS.name, MINUS.inverse))
    return replace(game, operators=names) if names else None


def _adds_first(game: Game, hand: Hand, target: Exact) -> bool:
    """Return whether it is enough to look for sums that add first and subtract afterwards."""
    rules: set[StepRule | None] = {NOT_BELOW_ZERO, NOT_ZERO}
    if game.most is not None and sum(max(number, -number) for number in hand) <= game.most:
        rules.add(RULES["most"].step_rule(game))
    if not rules.issuperset(game.step_rules):
        return False
    stays_positive = target > 0 or NOT_ZERO not in game.step_rules
    return (
        stays_positive
        and obeys_result_rules(target, game)
        and not (game.signed or game.once or game.nontrivial)
        and len(game.row_operators) == 2
    )
