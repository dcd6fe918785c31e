"""The rows of a csv table, each with the lines that it takes; one wrong row stops no other.

The csv reader of Python reads on after a quotation mark that is not closed, up to the next one:
other rows would vanish without an error. So a row of several lines is checked with the strict rules
of csv. If it breaks them, only its first line is unreadable, and the next row starts after it.
"""

import csv
from collections import deque
from collections.abc import Iterable, Iterator

from crisps24.errors import RefusedError

# The number of a line and its text, or why the line cannot be read.
TableLine = tuple[int, str | RefusedError]
# The number of the last line of a row and its cells, or why the row cannot be read.
TableRow = tuple[int, list[str] | RefusedError]


class _Lines(Iterator[str]):
    """The lines of a table as the csv reader needs them; a row can be read again."""

    def __init__(self, lines: Iterable[TableLine]) -> None:
        self._lines = iter(lines)
        # Lines of an unreadable row that are read again.
        self._again: deque[TableLine] = deque()
        # The lines of the current row.
        self.row: list[TableLine] = []

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else next(self._lines)
        self.row.append(line)
        text = line[1]
        # For the reader, a line that cannot be read is empty.
        return text + "\n" if isinstance(text, str) else "\n"

    def keep_first(self) -> None:
        """Make the first line of the current row all of it; the other lines are read again."""
        self._again.extendleft(reversed(self.row[1:]))
        del self.row[1:]


def table_rows(lines: Iterable[TableLine], separator: str) -> Iterator[TableRow]:
    r"""Yield the rows of a csv table, with the number of the last line of each.

    A blank line is a row without cells. An error in place of an unreadable line makes its row
    unreadable. The cost is linear, since a row ends at the second next quotation mark, or after the
    limit of `csv.field_size_limit()` characters.

    >>> for row in table_rows([(1, 'a,"b'), (2, 'c"'), (3, '"d'), (4, "e")], ","):
    ...     print(*row)
    2 ['a', 'b\nc']
    3 a quotation mark is not closed
    4 ['e']
    """
    source = _Lines(lines)
    reader = csv.reader(source, delimiter=separator)
    while True:
        source.row = []
        cells: list[str] | RefusedError
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            cells = RefusedError(f"csv cannot read it: {error}")
        if len(source.row) > 1 and not _is_strict(source.row, separator):
            source.keep_first()
            cells = RefusedError("a quotation mark is not closed")
        for _, line in source.row:
            if not isinstance(line, str):
                cells = line
        yield source.row[-1][0], cells


def _is_strict(row: Iterable[TableLine], separator: str) -> bool:
    """Return whether the lines of a row are one row by the strict rules of csv."""
    texts = (f"{line if isinstance(line, str) else ''}\n" for _, line in row)
    try:
        return len(list(csv.reader(texts, delimiter=separator, strict=True))) == 1
    except csv.Error:
        return False
