"""The results of a class from its phones, as marks: the same table, with times and hints.

In the table for spreadsheets a cell is 1 or 0, with a word if hints helped or the value is only the
closest, and the seconds have columns of their own. The list of solutions starts with the puzzle
that was hardest for the class.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median_low
from typing import ClassVar

from crisps24.errors import RefusedError
from crisps24.judging.columns import puzzle_column
from crisps24.judging.phone_lines import SECONDS, PhoneResults, Played
from crisps24.messages.message import ENGLISH, Language, message
from crisps24.output.tables import Row
from crisps24.paper.marks import (
    MAX_MARKED_PUZZLES,
    MAX_NAMES,
    MarkedAnswer,
    Marks,
    clean_name,
    likeliest_answer,
)
from crisps24.rules.ids import is_id

_SIGNS = {"right": "", "hinted": "? ", "closest": "≈ "}
_CELLS: Mapping[str, str | int] = {
    **{"right": 1, "hinted": "1 with hints", "closest": "1 closest", "shown": 0}
}
# The key of an answer that stands for a line without a code: its points are the solved puzzles.
_COUNT = ""


@dataclass(frozen=True, slots=True)
class PhoneMarks(Marks):
    """The results of a class; a puzzle without an id has no solution in the list."""

    results: PhoneResults = field(kw_only=True)

    legend: ClassVar = "marks.phones_legend"
    heading: ClassVar = "marks.hardest"
    has_reasons: ClassVar = False

    def total(self, answers: Mapping[str, MarkedAnswer]) -> tuple[int, int]:
        """Return how many puzzles a person solved, and their number."""
        if _COUNT in answers:
            return answers[_COUNT].points, len(self.puzzles)
        return Marks.total(self, answers)

    def listed(self) -> list[int]:
        return self.results.hardest()

    def count_asked(self, puzzle: str) -> int:
        return sum(puzzle in answers for _, answers in self.names)

    def rows(self) -> Iterator[Row]:
        """Yield a row for each person, then how many solved each puzzle, and 1 for the hardest."""
        heads = self._heads()
        seconds = [f"{number} seconds" for number in range(1, len(heads) + 1)]
        blank: Row = {}
        for row, pupil in zip(self.pupil_rows(), self.results.pupils, strict=True):
            ends = [*pupil.played, *[None] * (len(heads) - len(pupil.played))]
            row |= zip(heads, (end and _CELLS[end.kind] for end in ends), strict=True)
            row |= zip(seconds, (end and SECONDS[end.time] for end in ends), strict=True)
            blank = dict.fromkeys(row)
            yield row
        counts = map(self.count_right, self.puzzles)
        yield blank | {"name": "solved by"} | dict(zip(heads, counts, strict=True))
        places = {heads[index]: place for place, index in enumerate(self.listed(), 1)}
        yield blank | {"name": "place, hardest first"} | places

    def _heads(self) -> list[str]:
        """Return the names of the puzzles: a number, and an id or a row that is known."""
        numbered = enumerate(self.puzzles, 1)
        return [str(n) if each == str(n) else puzzle_column(n, each) for n, each in numbered]

    def pupil_rows(self) -> list[Row]:
        """Return a row for each person, without the puzzles."""
        rows = []
        for (name, answers), pupil in zip(self.names, self.results.pupils, strict=True):
            hints = sum(end is not None and end.kind == "hinted" for end in pupil.played)
            played: Row = {"hints": hints, "played": len(answers)}
            row = {"name": name, "solved": pupil.solved}
            rows.append(row | (dict.fromkeys(played) if _COUNT in answers else played))
        return rows

    def puzzle_rows(self) -> list[Row]:
        """Return a row for each puzzle that somebody played, the hardest first."""
        heads, rows = self._heads(), list[Row]()
        for index in self.listed():
            ends = self.results.played(index)
            solved = [end for end in ends if end.is_solved]
            times = [end.time for end in solved if end.time]
            row: Row = {"puzzle": heads[index]}
            row |= {"solved": len(solved), "hints": sum(end.kind == "hinted" for end in solved)}
            row |= {"played": len(ends), "seconds": SECONDS[median_low(times)] if times else ""}
            rows += [row] if ends else []
        return rows


def phone_marks(
    results: PhoneResults, style: str = "", language: Language = ENGLISH, *, solutions: bool = True
) -> PhoneMarks:
    """Return the results of phones as marks; raise RefusedError if nobody has a result.

    `solutions` solves puzzles that somebody played, at most 100, for pages on paper.
    """
    if not results.pupils:
        raise RefusedError(message("phones.nothing"))
    if len(results.pupils) > MAX_NAMES:
        raise RefusedError(f"marks have at most {MAX_NAMES:,} names: give the file in parts")
    # A puzzle that the page has twice has its number as its second name.
    puzzles = tuple(
        str(index + 1) if puzzle in results.puzzles[:index] else puzzle
        for index, puzzle in enumerate(results.puzzles)
    )
    names = []
    for pupil in results.pupils:
        ends = zip(puzzles, pupil.played, strict=False)
        answers = {puzzle: _answer(end, language) for puzzle, end in ends if end}
        is_count = pupil.solved and not answers
        name = clean_name(pupil.name)
        count = {_COUNT: MarkedAnswer("right", "", _COUNT, pupil.solved)}
        names.append((name, count if is_count else answers))
    solved = {
        puzzle: likeliest_answer(puzzle, style, language)[0]
        for index in (results.hardest()[:MAX_MARKED_PUZZLES] if solutions else ())
        if is_id(puzzle := puzzles[index]) and results.played(index)
    }
    texts = dict.fromkeys(puzzles, "–") | solved
    return PhoneMarks(puzzles, tuple(names), texts, results=results)


def _answer(end: Played, language: Language) -> MarkedAnswer:
    if not end.is_solved:
        return MarkedAnswer("wrong", "", language.text("page.verdict_shown"))
    return MarkedAnswer(
        "right", "", end.kind, below=f"{_SIGNS[end.kind]}{SECONDS[end.time]}".strip()
    )
