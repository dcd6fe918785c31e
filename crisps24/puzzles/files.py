"""Puzzles that users bring, in the lines of a file.

A line is a hand, a hand and its target (`3 3 8 8 -> 24`), the id of a puzzle, JSON with these
fields, or a row of a table with a column of hands. Blank lines and comments (`#`) are left out.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from crisps24.errors import CrispsError, RefusedError
from crisps24.judging.columns import PUZZLE_COLUMNS
from crisps24.judging.records import Attempt, apply_record, parse_filled
from crisps24.judging.table_rows import ByteStream, read_records
from crisps24.messages.message import Count, Message, Spaced, message
from crisps24.output.tables import Row
from crisps24.puzzle import Puzzle, solve_puzzles
from crisps24.rules.characters import split_words
from crisps24.rules.deals import parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.ids import is_id, parse_id
from crisps24.rules.words import parse_value
from crisps24.rules.work import DEFAULT_WORK


class LineParser(NamedTuple):
    """A parser of lines with puzzles; its `game` and `target` are for lines without them."""

    game: Game
    target: Exact | None = None
    in_order: bool = False
    work: int | None = DEFAULT_WORK
    """The largest search for a puzzle, in pairs of values; None for no limit."""

    def read(
        self, source: ByteStream, waiting: Callable[[], object] = lambda: None
    ) -> Iterator[tuple[int, Row, Puzzle | CrispsError]]:
        """Yield the number of each line, its fields if it has any, and its puzzle or its error.

        `waiting` is called before each read, since a read of a pipe can block.
        """
        for number, line in read_records(source, PUZZLE_COLUMNS, waiting, plain=True):
            record: Row = {}
            try:
                if not isinstance(line, str) or line.startswith("{"):
                    record = parse_filled(line) or {}
                puzzle = self._puzzle(line if isinstance(line, str) else "", record)
            except CrispsError as error:
                yield number, record, error
            else:
                if puzzle is not None:
                    yield number, record, puzzle

    def _puzzle(self, line: str, record: Row) -> Puzzle | None:
        """Parse a line, or its fields if it has any; return None for a blank line or a comment."""
        text = line.partition("#")[0].strip()
        if not (record or text):
            return None
        if record:
            game, hand, target = self._parse_record(record)
        elif is_id(text):
            game, hand, target = parse_id(text)
        else:
            game, hand, target = self._parse_hand_and_target(text)
        puzzle = Puzzle(hand, target, game, in_order=self.in_order, work=self.work)
        # Raises RefusedError for a hand that the game cannot have.
        _ = puzzle.query
        # Solve a large hand now, so that an error names its line.
        return puzzle if puzzle.is_small else _solve_large(puzzle)

    def _parse_record(self, record: Row) -> tuple[Game, Hand, Exact]:
        default = Attempt("", self.target, None, self.game)
        _, target, hand, game = apply_record(record, default, parse_id)
        target = game.target if target is None else target
        if hand is None or target is None:
            missing = "hand" if hand is None else "target"
            raise RefusedError(f"missing {missing} (expected nums and target, or id)")
        return game, hand, target

    def _parse_hand_and_target(self, text: str) -> tuple[Game, Hand, Exact]:
        """Return the game, the numbers and the target of a line such as `3 3 8 8 = 24`."""
        hand_text, *target_texts = (part.strip() for part in re.split("->|=", text))
        if len(target_texts) > 1:
            raise RefusedError("more than one target (expected a hand, then = or -> and a target)")
        hand = parse_hand(split_words(hand_text), self.game)
        target = parse_value(target_texts[0]) if target_texts else self.target
        target = self.game.target if target is None else target
        if target is None:
            problem = f"{self.game.name} has no fixed target"
            raise RefusedError(f"{problem}: add one after =, or --target")
        return self.game, hand, target


@lru_cache(8)
def _solve_large(puzzle: Puzzle) -> Puzzle:
    return next(solve_puzzles([puzzle]))


class OwnPuzzle(NamedTuple):
    """A puzzle that a user brings, and the number of its line; 0 if it is in no file."""

    puzzle: Puzzle
    line: int = 0


def read_own(
    source: ByteStream, parser: LineParser, most: int, complain: Callable[[Message], object]
) -> list[OwnPuzzle]:
    """Return the puzzles of a file; complain of each unreadable line, and then return none.

    Raises RefusedError if the file has no line, or more than `most` puzzles.
    """
    own, is_readable = list[OwnPuzzle](), True
    for number, _, puzzle in parser.read(source):
        if isinstance(puzzle, CrispsError):
            is_readable = False
            complain(_at_line(number, puzzle.message))
        else:
            own.append(OwnPuzzle(puzzle, number))
        if len(own) > most:
            raise RefusedError(message("refused.lines", count=len(own), most=Count(most)))
    if not own and is_readable:
        raise RefusedError("the file is empty (expected a hand on each line, such as 3 3 8 8)")
    return own if is_readable else []


def complain_of_unsolvable(
    own: Iterable[OwnPuzzle], dealt: Iterable[Puzzle], complain: Callable[[Message], object]
) -> None:
    """Complain of each puzzle without a solution; `dealt` are the puzzles, solved."""
    ids = {puzzle.id for puzzle in dealt if not puzzle.solvable}
    for puzzle, line in own if ids else ():
        if puzzle.id in ids:
            none = message("round.none", target=puzzle.target, hand=Spaced(puzzle.hand))
            complain(_at_line(line, none))


def check_one_game(own: Iterable[OwnPuzzle]) -> None:
    """Raise RefusedError for puzzles of several games, for a product that states the rules once."""
    if len({puzzle.game for puzzle, _ in own}) > 1:
        raise RefusedError(message("refused.one_game"))


def _at_line(line: int, reason: Message) -> Message:
    return message("refused.line", number=line, reason=reason) if line else reason
