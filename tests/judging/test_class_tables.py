"""Tables of classes as programs save them: pupils, puzzles and answers are found, or refused."""

import io
import re
from collections.abc import Sequence
from typing import Any

import pytest

from crisps24.errors import RefusedError
from crisps24.judging.class_tables import ClassPuzzles, read_class, read_names
from crisps24.messages.message import Message
from crisps24.rules.games import GAMES
from tests.sampling import in_one_test

CARDS = ClassPuzzles(GAMES["cards"], 24)
COUNTDOWN = ClassPuzzles(GAMES["countdown"], None)
FIRST, SECOND = "cards:3.3.8.8=24", "cards:1.5.5.5=24"


def read(text: str | bytes, known: ClassPuzzles = CARDS) -> tuple[list[Any], str]:
    """Return the answers in a table, and what is said about it."""
    notes: list[Message | str] = []
    records = read_class(text.encode() if isinstance(text, str) else text, known, notes.append)
    read = [tuple(each.values()) if isinstance(each, dict) else str(each) for _, each in records]
    return read, "; ".join(map(str, notes))


@in_one_test(
    ("header", "known", "id_"),
    *((header, CARDS, FIRST) for header in ("3 3 8 8", "3-3-8-8", "3, 3, 8, 8", "8 8 3 3")),
    *((header, CARDS, FIRST) for header in ("Karte 1: 3 3 8 8", "24 aus 3 3 8 8")),
    *((header, CARDS, FIRST) for header in ("Q1 (3, 3, 8, 8)", "1. 3/3/8/8", "3 3 8 8 24")),
    ("Make 24 using 3, 3, 8 and 8 (use every number once)", CARDS, FIRST),
    ("2、用3，3，8，8算24点", CARDS, FIRST),
    ("3 3 8 8 = 24", CARDS, FIRST),
    ("3 3 8 8 -> 36", CARDS, "cards:3.3.8.8=36"),
    ("A J Q K", CARDS, "cards:1.11.12.13=24"),
    ("1 cards:3.3.8.8=24", CARDS, FIRST),
    ("25 50 75 100 3 6 -> 952", COUNTDOWN, "countdown:3.6.25.50.75.100=952"),
    *((header, CARDS, None) for header in ("3 3 8", "3 3 8 88", "3 3 8 8 9", "Name", "")),
    *((header, CARDS, None) for header in ("Points - 3 3 8 8", "Zeit 3 3 8 8", "12.3.2024 8 8")),
    ("3 3 8 8 oder 1 5 5 5", CARDS, None),
    ("25 50 75 100 3 6", COUNTDOWN, None),
)
def test_any_header_can_name_a_puzzle(header: str, known: ClassPuzzles, id_: str | None) -> None:
    assert known.id_in(header) == id_


ANN, BO = [("Ann", FIRST, "8/(3-8/3)"), ("Ann", SECOND, "5*5-1")], [("Bo", FIRST, "24")]
ROWS = [*ANN, *BO, ("Bo", SECOND, "")]


@in_one_test(
    ("text", "rows", "said"),
    # Titles above, columns beside, rows below.
    (
        "Class 5b;;;;\n;;;;\nNr;Name;3 3 8 8;1-5-5-5;Punkte\n"
        "1;Ann;8/(3-8/3);5*5-1;1\n;;;;\n2;Bo;24;;0\n;Durchschnitt;;;0,5\n",
        ROWS,
        "names: Name; 2 puzzles; not used: Nr, Punkte; left out: Durchschnitt",
    ),
    # Rows of groups, and names in two columns.
    (
        "Nachname,Vorname,3 3 8 8,1 5 5 5,,\nGruppe A,,,\nX,Ann,8/(3-8/3),5*5-1\n\nY,Bo,24\n",
        [(f"{name} {'X' if name == 'Ann' else 'Y'}", *rest) for name, *rest in ROWS],
        "names: Vorname Nachname; 2 puzzles; left out: Gruppe A",
    ),
    # Points and remarks on each puzzle, as forms have them.
    (
        'sep=,\nWho,"3, 3, 8, 8","Points - 3, 3, 8, 8","Card 3, 3, 8, 8: ok?","1 5 5 5"\n'
        "Ann,8/(3-8/3),1,yes,5*5-1\nBo,24,0,no,\n",
        ROWS,
        "names: Who; 2 puzzles; not used: Points - 3, 3, 8, 8, Card 3, 3, 8, 8: ok?",
    ),
    # The puzzle in cells: beside its answer, and a row for each answer.
    (
        "Name\tQuestion 1\tResponse 1\tQuestion 2\tResponse 2\n"
        "Ann\tMake 24 of 3 3 8 8\t8/(3-8/3)\tMake 24 of 1 5 5 5\t5*5-1\n"
        "Bo\tMake 24 of 3 3 8 8\t24\tMake 24 of 1 5 5 5\t\n",
        ROWS,
        "names: Name; 2 puzzles",
    ),
    (
        "user,task,solution,seconds\nAnn,3 3 8 8,8/(3-8/3),9\nAnn,1 5 5 5,5*5-1,8\n"
        "Bo,3 3 8 8,24,7\nBo,1 5 5 5,,6\n",
        ROWS,
        "names: user; 1 puzzle; not used: seconds",
    ),
    # Puzzles down, pupils across.
    (
        '"Karten","Ann","Bo"\n"3 3 8 8","8/(3-8/3)","24"\n"1 5 5 5","5*5-1",""\n"Punkte","1","0"\n',
        ROWS,
        "names: Karten; 2 puzzles; not used: Punkte",
    ),
    # The table of `sheet --class`, which German Excel opened as one column.
    (f"\ufeffname,1 {FIRST},2 {SECOND};;\nAnn;8/(3-8/3);5*5-1\nBo;24;\n", ROWS, ""),
    # An answer of numbers with dashes is no header.
    ("Name;3-3-8-8\nAnn;8-3-8-3\n", [("Ann", FIRST, "8-3-8-3")], "names: Name; 1 puzzle"),
    # One bad row.
    (
        "Name,3 3 8 8,1 5 5 5\nAnn,8/(3-8/3),5*5-1\nBo,8-4=4,4*6,1,2\n",
        [*ANN, "it has 5 cells, and the header names 3"],
        "names: Name; 2 puzzles",
    ),
)
def test_a_table_is_read_and_its_reading_is_said(text: str, rows: Sequence[Any], said: str) -> None:
    read_rows, note = read(text)
    assert (sorted(map(str, read_rows)), note) == (sorted(map(str, rows)), said)


def test_headers_count_listed_puzzles() -> None:
    known = CARDS._replace(listed=(FIRST, SECOND))
    for heads in ("1;2", "Aufgabe 1;Aufgabe 2"):
        rows = f"Name;{heads};Alter\nAnn;8/(3-8/3);5*5-1;3\nBo;24;;3\n"
        assert read(rows, known)[0] == ROWS


@in_one_test(
    ("text", "said"),
    ("Name;Aufgabe 1\nAnn;4*6\n", "no column names a puzzle (expected headers such as 3 3 8 8"),
    ("Dear parents,\nwe play 24 with cards: 3, 3, 8 and 8.\n", "no column names a puzzle"),
    ("1;3 3 8 8\n17;8-3\n18;8-3\n", "no column has names (expected a header such as Name"),
    ("Name;3 3 8 8\nAnn;8-3\nName;1 5 5 5\nBo;5-1\n", "lines 1 and 3 both name puzzles"),
    ("Name;3 3 8 8;8 8 3 3\nAnn;8-3-1;8-4-3\n", "two columns name the same puzzle"),
    ("", "the file has no line"),
    ("\x1cA\nName;3 3 8 8\nAnn;8\n\x1cB\nName;1 5 5 5\nBo;5\n", "the sheets A and B have"),
)
def test_what_cannot_be_told_is_refused(text: str, said: str) -> None:
    with pytest.raises(RefusedError, match=f"^{re.escape(said)}"):
        read(text)


def test_one_sheet_of_a_workbook_has_the_class() -> None:
    sheets = "\x1cPlan\nDoor,,Window\n\x1cClass\nName,3 3 8 8,1 5 5 5\nAnn,8/(3-8/3),5*5-1\n"
    assert read(sheets) == (ANN, "the sheet Class is read, not Plan; names: Name; 2 puzzles")


TABLE_OF_VERSIONS = "name,version,1 A cards:3.8=24 B cards:4.6=24\nAnn,b,\nBo,,\n"


@in_one_test(
    ("text", "names"),
    ("Ann\nBo\n", [("Ann", ""), ("Bo", "")]),
    ("Nr;Vorname;Nachname\n1;Ann;Ax\n2;Bo;Ba\n;Durchschnitt;\n", [("Ann Ax", ""), ("Bo Ba", "")]),
    ("name,1 cards:3.8=24\nAnn,\n,\nBo,3 x 8\n", [("Ann", ""), ("Bo", "")]),
    ("1,Ann\n2,Bo\n", [("Ann", ""), ("Bo", "")]),
    (TABLE_OF_VERSIONS, [("Ann", "B"), ("Bo", "")]),
)
def test_names_are_read_from_tables_and_lists(text: str, names: list[tuple[str, str]]) -> None:
    assert read_names(io.BytesIO(text.encode())) == names


def test_puzzles_of_a_table_can_have_versions_or_none() -> None:
    header = "name,Gruppe,2 A cards:3.8=24 B cards:4.6=24,1 cards:2.12=24"
    read_lines, _ = read(f"{header}\nAnn,b,4 x 6,2 x 12\nBo,x,,1")
    assert read_lines == [
        ("Ann", "B2", "cards:4.6=24", "4 x 6"),
        ("Ann", "B", "cards:2.12=24", "2 x 12"),
        "no version 'X' (expected A or B)",
    ]


def test_tables_without_names_or_with_too_many_are_refused() -> None:
    for text in ("", "1,2\n3,4\n", "name\n", "\n".join(f"Ann {'x' * i}" for i in range(1001))):
        with pytest.raises(RefusedError, match="names"):
            read_names(io.BytesIO(text.encode()))
