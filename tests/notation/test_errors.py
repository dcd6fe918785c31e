"""The errors of formulas, and the line of carets that marks the place."""

import unicodedata
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from crisps24 import MalformedFormulaError, check
from crisps24.messages.message import as_message
from crisps24.notation.errors import _printable
from tests.sampling import in_one_test


def test_carets_mark_the_illegal_part() -> None:
    error = check("9 : 7 + 2 x 3").error
    assert error is not None
    shown = f"{error.marked()}\n{error}"
    assert shown == "9 : 7 + 2 x 3\n^^^^^\nillegal: 9 : 7 leaves a remainder of 2"


@in_one_test(
    ("text", "place", "shown"),
    ("１２ ＋ あ", (5, 1), ("１２ ＋ あ", 8, 2)),
    ("あ２ + ?", (5, 1), ("あ２ + ?", 7, 1)),
    ("8 × ９９ - 1", (4, 2), ("8 × ９９ - 1", 4, 4)),
    ("1　+　あ", (4, 1), ("1 + あ", 4, 2)),
    ("1 + e\u0301", (4, 2), ("1 + e\\u0301", 4, 7)),
    ("\x1b[31m1", (0, 1), ("\\x1b[31m1", 0, 4)),
    ("1\u202e2", (1, 1), ("1\\u202e2", 1, 6)),
    ("", (0, 0), ("", 0, 1)),
)
def test_carets_are_as_wide_as_the_marked_characters(text: str, place: Any, shown: Any) -> None:
    error = MalformedFormulaError(as_message("not valid"), text, *place)
    line, column, carets = shown
    assert error.marked() == f"{line}\n{' ' * column}{'^' * carets}"
    assert error.length == max(place[1], 1)


def test_a_formula_is_cut_only_if_it_is_wider_than_the_line() -> None:
    error = MalformedFormulaError(as_message("not valid"), "1 + " * 20, 76)
    assert error.marked(80).split("\n") == ["1 + " * 20, f"{'':76}^"]
    assert error.marked(79).split("\n") == [("1 + " * 20)[50:], f"{'':26}^"]
    wide = MalformedFormulaError(as_message("not valid"), "１" * 40, 30)
    assert wide.marked(80).split("\n") == ["１" * 40, f"{'':60}^^"]
    assert wide.marked(78).split("\n") == ["１" * 23, f"{'':26}^^"]
    first = MalformedFormulaError(as_message("not valid"), "1+" * 40, 0)
    assert first.marked(78).split("\n") == ["1+" * 39, "^"]


def columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


@given(
    st.text(st.sampled_from("1 +x８あ\t\n\x1b\u202e\u0301é\U0010ffff"), min_size=20, max_size=200),
    st.integers(0, 199),
    st.integers(1, 9),
    st.integers(16, 90),
)
def test_any_text_fits_the_width(text: str, position: int, length: int, width: int) -> None:
    position = min(position, len(text) - 1)
    error = MalformedFormulaError(as_message("not valid"), text, position, length)
    line, carets = error.marked(width).split("\n")
    assert (columns(line) <= width, line.isprintable()) == (True, True)
    assert carets.strip() == "^" * carets.count("^") != ""
    assert len(carets) <= columns(line)
    before = "".join(map(_printable, text[:position]))
    complete = before + "".join(map(_printable, text[position:]))
    left = len(carets) - len(carets.lstrip(" "))
    if len(text) <= width and columns(complete) <= width:
        assert (line, left) == (complete, columns(before))
        return
    assert left <= width // 3
    # The text is cut before the first character that does not fit.
    shown = next(end for end in range(len(line) + 1) if columns(line[:end]) == left)
    assert before.endswith(line[:shown])
    widest = max(map(columns, map(_printable, text)))
    assert left > width // 3 - widest or line[:shown] == before
