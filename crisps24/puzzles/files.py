"""Puzzles that users bring, in the lines of a file.

A line is a hand, a hand and its target (`3 3 8 8 -> 24`), the id of a puzzle, JSON with these
fields, or a row of a table with a column of hands. Blank lines and comments (`#`) are left out.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache, reduce
from itertools import islice
from typing import NamedTuple

from crisps24.errors import CrispsError, RefusedError, quoted
from crisps24.judging.columns import CARD_FIELDS, PUZZLE_COLUMNS, column_kinds, is_known_column
from crisps24.judging.records import Attempt, apply_record, parse_filled
from crisps24.judging.table_rows import ByteStream, read_records
from crisps24.messages.message import Count, Message, Spaced, message
from crisps24.output.tables import Row
from crisps24.puzzle import Puzzle, solve_puzzles
from crisps24.puzzles.hand_lines import LINE_LABEL, is_without_hand, reduce_line, without_comment
from crisps24.rules.characters import split_words
from crisps24.rules.deals import check_numbers, parse_hand
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
    tell: Callable[[Message], object] = lambda _: None
    """Is called with what was taken as what, at the end of a file that is no plain list."""

    def read(
        self, source: ByteStream, waiting: Callable[[], object] = lambda: None
    ) -> Iterator[tuple[int, Row, Puzzle | CrispsError]]:
        """Yield the number of each line, its fields if it has any, and its puzzle or its error.

        `waiting` is called before each read, since a read of a pipe can block.
        """
        length, kinds, is_empty = self.game.length, dict[str, str](), True
        others: dict[int, CrispsError] = {}
        lines = read_records(source, PUZZLE_COLUMNS, waiting, plain=True, hand_length=length)
        for number, line in lines:
            record: Row = {}
            found: Puzzle | CrispsError | None
            try:
                if not isinstance(line, str) or line.startswith("{"):
                    record = parse_filled(line) or {}
                    names = line if isinstance(line, dict) else record
                    kinds = column_kinds(tuple(names), length)
                found = self._puzzle(line if isinstance(line, str) else "", record, kinds)
            except CrispsError as error:
                found = error
                # A title, also in the only cell of a row.
                cells = record if isinstance(line, dict) else {"": line}
                text = " ".join(map(str, cells.values()))
                if line is not error and len(cells) == 1 and is_without_hand(text):
                    others[number], found = error, None
            if found is not None:
                is_empty = False
                yield number, record, found
        if is_empty:
            yield from ((number, {}, error) for number, error in others.items())
        elif notes := _notes(kinds, others):
            self.tell(reduce(lambda a, b: message("list.then", first=a, then=b), notes))

    @property
    def _usual_target(self) -> Exact | None:
        return self.game.target if self.target is None else self.target

    def _puzzle(self, line: str, record: Row, kinds: dict[str, str]) -> Puzzle | None:
        """Parse a line, or its fields if it has any; return None for a blank line or a comment."""
        text = without_comment(line)
        if not (text or re.search(r"\w", "".join(map(str, record.values())))):
            return None
        if record:
            game, hand, target = self._parse_record(record, kinds)
        else:
            game, hand, target = parse_id(text) if is_id(text) else self._parse_text(text)
        puzzle = Puzzle(hand, target, game, in_order=self.in_order, work=self.work)
        # Raises RefusedError for a hand that the game cannot have.
        _ = puzzle.query
        # Solve a large hand now, so that an error names its line.
        return puzzle if puzzle.is_small else _solve_large(puzzle)

    def _parse_record(self, record: Row, kinds: dict[str, str]) -> tuple[Game, Hand, Exact]:
        has_id = any(isinstance(cell, str) and is_id(cell) for cell in record.values())
        record = record if has_id else _standard_record(record, kinds)
        default = Attempt("", None, self.target, self.game)
        _, hand, target, game = apply_record(record, default, parse_id)
        target = game.target if target is None else target
        if hand is None or target is None:
            missing = "hand" if hand is None else "target"
            raise RefusedError(f"missing {missing} (expected nums and target, or id)")
        # In data sets for language models, games that deal targets have any numbers.
        is_list = any("[" in str(record.get(name)) for name in CARD_FIELDS)
        if not (has_id or (is_list and game.target is None)):
            check_numbers(hand, game)
        return game, hand, target

    def _parse_text(self, text: str) -> tuple[Game, Hand, Exact]:
        """Parse a line as it is, which takes the least time, or else reduced."""
        try:
            # With its target behind an arrow, a hand can be smaller than those of the game.
            return self._parse_hand_and_target(text, complete="->" not in text)
        except RefusedError:
            reduced = reduce_line(text)
            if reduced == text:
                raise
        game, hand, target = self._parse_hand_and_target(reduced)
        label = LINE_LABEL.match(text)
        if label and str(target) == label[1] and self._usual_target not in (None, target):
            raise RefusedError(message("lines.target", target=target, line=reduced))
        return game, hand, target

    def _parse_hand_and_target(
        self, text: str, *, complete: bool = True
    ) -> tuple[Game, Hand, Exact]:
        """Return the game, the numbers and the target of a line such as `3 3 8 8 = 24`."""
        hand_text, *target_texts = (part.strip() for part in re.split("->|=", text))
        if len(target_texts) > 1:
            raise RefusedError("more than one target (expected a hand, then = or -> and a target)")
        hand = parse_hand(split_words(hand_text), self.game)
        target = parse_value(target_texts[0]) if target_texts else self._usual_target
        check_numbers(hand, self.game, complete=complete or target == self._usual_target)
        if target is None:
            problem = f"{self.game.name} has no fixed target"
            raise RefusedError(f"{problem}: add one after =, or --target")
        return self.game, hand, target


def _notes(kinds: dict[str, str], others: Collection[int]) -> list[Message]:
    """Return what unusual columns were taken as, and how many lines have no hand."""
    notes, taken = [], {"hands": ("hand", "number"), "targets": ("target",), "unused": ("",)}
    if not all(is_known_column(name, ()) and kinds[name] != "number" for name in kinds if name):
        for key, own_kinds in taken.items():
            names = ", ".join(name for name in kinds if name and kinds[name] in own_kinds)
            notes += [message(f"lines.{key}", names=names)] if names else []
    if others:
        numbers = ", ".join(map(str, islice(others, 5)))
        notes.append(message("lines.without", count=len(others), numbers=numbers))
    return notes


def _standard_record(record: Row, kinds: dict[str, str]) -> Row:
    """Return a record with standard names, and one text, for its hand and target."""
    standard = {name: cell for name, cell in record.items() if not kinds[name]}
    hands = {name: cell for name, cell in record.items() if kinds[name] == "hand"}
    if numbers := [str(cell) for name, cell in record.items() if kinds[name] == "number"]:
        hands[""] = " ".join(numbers).replace(",", ".")
    # One number next to a hand is that of the row.
    several = {name: hand for name, hand in hands.items() if re.search(r"\w\W+\w", str(hand))}
    found = [("target", record[name]) for name in record if kinds[name] == "target"]
    for name, cell in (several or hands).items():
        hand, arrow, target = cell, "", ""
        if isinstance(cell, str) and not cell.startswith("["):
            hand, arrow, target = reduce_line(cell).partition(" -> ")
        found.append((name if name in CARD_FIELDS else CARD_FIELDS[0], hand))
        found += [("target", target)] if arrow else []
    for name, cell in found:
        cell = cell.strip("=? ") if isinstance(cell, str) else cell
        if str(standard.setdefault(name, cell)) != str(cell):
            raise RefusedError(f"{quoted(str(cell))} differs from {quoted(str(standard[name]))}")
    return standard


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
    """Return the puzzles of a file; complain of each unreadable line, and then return none."""
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
