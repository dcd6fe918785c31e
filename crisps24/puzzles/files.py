"""Puzzles that users bring, in the lines of a file.

A line is a hand, a hand and its target (`3 3 8 8 -> 24`), the id of a puzzle, JSON with these
fields, or a row of a table with a column of hands. Blank lines and comments (`#`) are left out.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, reduce
from itertools import islice
from typing import NamedTuple

from crisps24.errors import CrispsError, RefusedError, quoted
from crisps24.judging.columns import (
    CARD_FIELDS,
    PUZZLE_COLUMNS,
    HandColumns,
    find_hand_columns,
)
from crisps24.judging.records import Attempt, apply_record, parse_filled
from crisps24.judging.table_rows import ByteStream, read_records
from crisps24.messages.message import Count, Message, Spaced, message
from crisps24.output.tables import Row
from crisps24.puzzle import Puzzle, solve_puzzles
from crisps24.puzzles.hand_lines import NUMBERS, is_without_hand, reduce_line, without_comment
from crisps24.rules.characters import split_words
from crisps24.rules.deals import check_numbers, format_hand, parse_hand
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
    """Is called at the end with what was taken as what, if the file is no plain list."""

    def read(
        self, source: ByteStream, waiting: Callable[[], object] = lambda: None
    ) -> Iterator[tuple[int, Row, Puzzle | CrispsError]]:
        """Yield the number of each line, its fields if it has any, and its puzzle or its error.

        `waiting` is called before each read, since a read of a pipe can block.
        """
        length, taken = self.game.length, _Taken()
        lines = read_records(source, PUZZLE_COLUMNS, waiting, plain=True, hand_length=length)
        for number, line in lines:
            record: Row = {}
            try:
                if not isinstance(line, str) or line.startswith("{"):
                    record = parse_filled(line) or {}
                    names = line if isinstance(line, dict) else record
                    taken.columns = find_hand_columns(tuple(names), length)
                puzzle = self._puzzle(line if isinstance(line, str) else "", record, taken)
            except CrispsError as error:
                if line is not error and taken.is_other(line, record):
                    taken.others[number] = error
                    continue
                taken.count += 1
                yield number, record, error
            else:
                if puzzle is not None:
                    taken.count += 1
                    yield number, record, puzzle
        if taken.count == 0:
            yield from ((number, {}, error) for number, error in taken.others.items())
        elif clauses := taken.clauses():
            self.tell(reduce(_then, clauses))

    def _puzzle(self, line: str, record: Row, taken: "_Taken") -> Puzzle | None:
        """Parse a line, or its fields if it has any; return None for a blank line or a comment."""
        text = without_comment(line)
        if not re.search(r"\w", text or "".join(map(str, record.values()))):
            return None
        if record:
            game, hand, target = self._parse_record(record, taken.columns)
        elif is_id(text):
            game, hand, target = parse_id(text)
        else:
            game, hand, target = self._parse_text(text, taken)
        puzzle = Puzzle(hand, target, game, in_order=self.in_order, work=self.work)
        # Raises RefusedError for a hand that the game cannot have.
        _ = puzzle.query
        # Solve a large hand now, so that an error names its line.
        return puzzle if puzzle.is_small else _solve_large(puzzle)

    def _parse_record(self, record: Row, columns: HandColumns) -> tuple[Game, Hand, Exact]:
        default = Attempt("", self.target, None, self.game)
        is_plain = any(isinstance(cell, str) and is_id(cell) for cell in record.values())
        if not is_plain:
            record = _standard_record(record, columns)
        _, target, hand, game = apply_record(record, default, parse_id)
        target = game.target if target is None else target
        if hand is None or target is None:
            missing = "hand" if hand is None else "target"
            raise RefusedError(f"missing {missing} (expected nums and target, or id)")
        # In data sets for language models, games that deal targets have any numbers.
        is_list = any(str(record.get(name)).startswith("[") for name in CARD_FIELDS)
        if not (is_plain or (is_list and game.target is None)):
            check_numbers(hand, game)
        return game, hand, target

    def _parse_text(self, text: str, taken: "_Taken") -> tuple[Game, Hand, Exact]:
        """Parse a line with a hand, as it is or reduced; a plain line takes the least time."""
        try:
            return self._parse_hand_and_target(text)
        except RefusedError:
            reduced, label = reduce_line(text)
            if reduced == text:
                raise
        if label and " -> " not in reduced:
            # The number before a hand is the target, or that of the line if there is a target.
            default = self.game.target if self.target is None else self.target
            is_position = label == str(taken.count + 1)
            line = f"{reduced} -> {label}"
            if label == str(default) or (default is None and not is_position):
                reduced = line
            elif default is None or not is_position:
                raise RefusedError(message("lines.target", target=label, line=line))
        game, hand, target = self._parse_hand_and_target(reduced)
        taken.example = taken.example or (text, hand, target)
        return game, hand, target

    def _parse_hand_and_target(self, text: str) -> tuple[Game, Hand, Exact]:
        """Return the game, the numbers and the target of a line such as `3 3 8 8 = 24`."""
        hand_text, *target_texts = (part.strip() for part in re.split("->|=", text))
        if len(target_texts) > 1:
            raise RefusedError("more than one target (expected a hand, then = or -> and a target)")
        hand = parse_hand(split_words(hand_text), self.game)
        target = parse_value(target_texts[0]) if target_texts else self.target
        target = self.game.target if target is None else target
        check_numbers(hand, self.game)
        if target is None:
            problem = f"{self.game.name} has no fixed target"
            raise RefusedError(f"{problem}: add one after =, or --target")
        return self.game, hand, target


class _Taken:
    """What the lines of a file were taken as."""

    def __init__(self) -> None:
        self.count = 0
        self.columns = HandColumns()
        self.example: tuple[str, Hand, Exact] | None = None
        self.others: dict[int, CrispsError] = {}

    def is_other(self, line: str | Row, record: Row) -> bool:
        """Return whether an unreadable line is none of a hand: a title, the header again."""
        if isinstance(line, str):
            return not record and is_without_hand(line)
        names = self.columns.hands + self.columns.numbers
        cells = [record[name] for name in names if record.get(name, name) != name]
        return bool(names) and not any(map(str.isdigit, "".join(map(str, cells))))

    def clauses(self) -> list[Message]:
        columns, clauses = self.columns, list[Message]()
        if not columns.are_known:
            hands = columns.hands + columns.numbers
            taken = {"hands": hands, "targets": columns.targets, "unused": columns.unused}
            clauses += [
                message(f"lines.{kind}", names=", ".join(map(str.strip, names)))
                for kind, names in taken.items()
                if names
            ]
        if self.example:
            text, hand, target = self.example
            clauses.append(
                message("lines.read", text=quoted(text), hand=f"{format_hand(hand)} -> {target}")
            )
        if self.others:
            numbers = ", ".join(map(str, islice(self.others, 5)))
            clauses.append(message("lines.without", count=len(self.others), numbers=numbers))
        return clauses


def _then(first: Message, then: Message) -> Message:
    return message("list.then", first=first, then=then)


def _standard_record(record: Row, columns: HandColumns) -> Row:
    """Return a record with the standard names of its hand and target."""
    hands = {name: record[name] for name in columns.hands if name in record}
    numbers = [str(record[name]).replace(",", ".") for name in columns.numbers if name in record]
    if numbers:
        hands[""] = " ".join(numbers)
    # One number next to a hand is that of the row.
    several = {name: hand for name, hand in hands.items() if len(NUMBERS.findall(str(hand))) > 1}
    free = (name for name in CARD_FIELDS if name not in record)
    standard = {name: cell for name, cell in record.items() if name not in hands}
    targets = {name: standard.pop(name) for name in columns.targets if name in record}
    for name, hand in (several or hands).items():
        reduced, _ = reduce_line(hand) if isinstance(hand, str) else (hand, "")
        if isinstance(hand, str):
            reduced, arrow, target = reduced.partition(" -> ")
            targets |= {name: target} if arrow else {}
        standard[name if name in CARD_FIELDS else next(free)] = reduced
    if len({str(target).strip("=? ") for target in targets.values()}) > 1:
        raise RefusedError(f"{quoted(columns.targets[0])} differs from another target")
    for target in targets.values():
        standard["target"] = target.strip("=? ") if isinstance(target, str) else target
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
