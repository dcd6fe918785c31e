"""Files of hands, a line each: solved together, told as they come.

Owns how such a line is read.
"""

import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import click

from crisps24.cli.options import complain, exit_with, read_id, show, streamed
from crisps24.errors import RefusedError
from crisps24.outside.tables import STREAMS, Row
from crisps24.rules.characters import words_of
from crisps24.rules.deals import format_hand, parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.ids import is_id
from crisps24.rules.words import parse_value

if TYPE_CHECKING:
    from crisps24.notation.lines import ByteStream
    from crisps24.solving.puzzle import Puzzle

# Formats in which a row is told as it is found.
_ROW_BY_ROW = ("csv", "tsv", "jsonl")
# Hands that wait to be solved together, at most.
_TOGETHER = 2_000


class Showing(NamedTuple):
    """Which solutions are shown, and how: as `Puzzle.rows` has it."""

    every: bool
    ideas: bool
    steps: bool
    style: str | None


@dataclass
class HandFile:
    """A file of hands that is being solved, for what its lines say, else for a game and a target.

    `form` is the format in which it is told, and `work` as in `Puzzle`.
    """

    game: Game
    target: Exact | None
    in_order: bool
    showing: Showing
    form: str
    work: int | None
    # What waits to be solved, what is solved and not yet told, and what went wrong.
    waiting: "list[Puzzle]" = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    read: int = 0
    begun: bool = False
    unread: bool = False
    unsolved: bool = False

    def solve(self, source: "ByteStream") -> None:
        """Read the lines, tell what they make, and end with the status of all."""
        from crisps24.notation.lines import lines_of

        # Who writes the lines may want to know of one before the next.
        for number, line in lines_of(source, waiting=self.go_on):
            self.add(number, line)
        self.end()

    def add(self, number: int, line: str | None) -> None:
        """Take a line; what is no hand is told on stderr."""
        from crisps24.solving.puzzle import solved

        try:
            puzzle = self._puzzle_of(line)
            if puzzle is not None and not puzzle.is_usual:
                # What is too much is told of this line; the others go on.
                [puzzle] = solved([puzzle])
        except ValueError as error:
            self.unread = True
            complain(f"crisps24: line {number}: {error}")
            return
        if puzzle is not None:
            self.read += 1
            self.waiting.append(puzzle)
            if len(self.waiting) >= _TOGETHER:
                self.go_on()

    def go_on(self) -> None:
        """Solve what waits, and tell it where rows are told as they come."""
        from crisps24.solving.puzzle import solved

        for puzzle in solved(self.waiting):
            self.unsolved |= not puzzle.solvable
            self.rows += puzzle.rows(**self.showing._asdict())
        self.waiting = []
        if self.rows and self.form in _ROW_BY_ROW:
            self._tell_rows()
            sys.stdout.flush()

    def _tell_rows(self) -> None:
        from crisps24.solving.puzzle import SOLUTION_KEYS

        for line in streamed(self.rows, self.form, SOLUTION_KEYS, begun=self.begun):
            click.echo(line)
        self.begun = True
        self.rows = []

    def end(self) -> None:
        """Solve the rest, show what is not yet told, and end with the status of all."""
        if not (self.read or self.unread):
            raise click.UsageError("the --file has no hand; 3 3 8 8 in a line of its own is one")
        self.go_on()
        if self.form not in _ROW_BY_ROW and (self.rows or not self.unread):
            people = self.form not in STREAMS
            show(list(map(self._for_people, self.rows)) if people else self.rows, self.form)
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
        share = {"share": row["share"]} if self.showing.every else {}
        return told | share | {"solutions": row["solutions"], "level": row["level"]}

    def _puzzle_of(self, line: str | None) -> "Puzzle | None":
        """Return the puzzle in a line, None for a blank one or a # comment."""
        from crisps24.notation.lines import LONGEST_LINE
        from crisps24.solving.puzzle import Puzzle
        from crisps24.solving.solver import check_hand

        if line is None:
            raise RefusedError(f"it is longer than {LONGEST_LINE:,} bytes")
        text = line.partition("#")[0].strip()
        if not text:
            return None
        game, hand, target = read_id(text, ()) if is_id(text) else self._hand_and_target(text)
        check_hand(hand, game)
        return Puzzle(hand, target, game, in_order=self.in_order, work=self.work)

    def _hand_and_target(self, text: str) -> tuple[Game, Hand, Exact]:
        hand, *targets = (part.strip() for part in re.split("->|=", text))
        if len(targets) > 1:
            raise RefusedError("a line has a hand, and at most one target after = or ->")
        numbers = parse_hand(words_of(hand), self.game)
        target = parse_value(targets[0]) if targets else self.target
        target = self.game.target if target is None else target
        if target is None:
            told = "give one after = or ->, or with --target"
            raise RefusedError(f"{self.game.name} deals its targets: {told}")
        return self.game, numbers, target
