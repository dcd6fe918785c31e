"""Lists of hands as people and programs write them: what is read, and what is refused."""

from io import BytesIO

import pytest

from crisps24.errors import CrispsError
from crisps24.puzzles.files import LineParser
from crisps24.rules.games import find_game
from tests.sampling import in_one_test

TWO = ["3 3 8 8 = 24", "1 6 6 12 = 25"]
FILES = {
    "Zahlen;Ziel\n3 3 8 8;24\n1 6 6 12;25\n": TWO,
    "No,A,B,C,D,Target\n1,3,3,8,8,24\n2,1,6,6,12,25\n": TWO,
    "Cards of 6b\n\nid\tn1\tn2\tn3\tn4\tcible\n1\t3\t3\t8\t8\t24\n2\t1\t6\t6\t12\t25\n": TWO,
    "Rank,Puzzles,AMT (s)\n1,3 3 8 8,4.4\n": TWO[:1],
    'Puzzle,Numbers,Target\n1,3 3 8 8,24\n2,"1, 6, 6, 12",25\n': TWO,
    "| Nr | Hand | Ziel |\n|---|:-:|--:|\n| 1 | 3 3 8 8 | 24 |\n| 2 | **1 6 6 12** | 25 |\n": TWO,
    '[{"cards": [3, 3, 8, 8]},\n {"numbers": "1 6 6 12", "Target": 25}]': TWO,
    "[\n  [3, 3,\n 8, 8]\n]": TWO[:1],
    "[3, 3, 8, 8]\n[3, 3, 8, 8]\n": [TWO[0]] * 2,
    "1) 3-3-8-8\n2. 1/6/6/12 \u2192 25\n": TWO,
    "- 3+3+8+8=24?\n* 25: 1 6 6 12\n": [TWO[0], "2 is 25 the target? write 1 6 6 12 -> 25"],
    "24: 3 3 8 8\n// none\n1 6 6 12 => 25 // hard\n": TWO,
    "Make 24!\n\n#1: 3\u2660 3\u2665 8\u2666 8\u2663 ____\n\n- page 1 -\n2) Q 6 A 6 (25)": [
        TWO[0],
        "12 6 1 6 = 25",
    ],
    '"3 3 8 8","24"\n1 6 6 12;25\n': TWO,
    "\ufeffZahlen\n3 3 8 8\n": TWO[:1],
    "3 3 8 8\n3 3 8 eight\n3 3 8\n": [
        TWO[0],
        "2 'eight' is not a number or one of A, T, J, Q, K",
        "3 cards deals 4 numbers, not 3 (--length 3)",
    ],
    "3 3 8 8 24\n3 3 8 88\n2 3 7 -> 42\n": [
        "1 cards deals 4 numbers, not 5; is 24 the target? write 3 3 8 8 -> 24 (--length 5)",
        "2 88 is not in this game (only 1..13) (--numbers 1..13,88)",
        "2 3 7 = 42",
    ],
}


def read(text: str, game: str = "cards", tell: list[str] | None = None) -> list[str]:
    notes = [] if tell is None else tell
    parser = LineParser(find_game(game), tell=lambda note: notes.append(note.text()))
    return [
        f"{number} {puzzle.sentence()}"
        if isinstance(puzzle, CrispsError)
        else f"{' '.join(map(str, puzzle.hand))} = {puzzle.target}"
        for number, _, puzzle in parser.read(BytesIO(text.encode()))
    ]


@in_one_test("text", *FILES)
def test_lists_are_read_as_a_person_reads_them(text: str) -> None:
    assert read(text) == FILES[text]


def test_what_was_taken_as_what_is_said() -> None:
    notes: list[str] = []
    read("List\nNo,Zahlen,Ziel\n1,3 3 8 8,24\n", tell=notes)
    assert notes == ["hands: Zahlen; targets: Ziel; not used: No; 1 line without a hand (1)"]
    read("hand,target\n3 3 8 8,24\n", tell=notes)
    assert len(notes) == 1


def test_rows_of_an_unknown_header_are_refused() -> None:
    with pytest.raises(CrispsError, match="line 1 names no column of hands"):
        read("foo;bar\n3 3 8 8;24\n")


def test_data_sets_of_a_game_that_deals_targets_have_any_numbers() -> None:
    assert read('{"nums": [44, 19, 35], "target": 98}', "countdown") == ["44 19 35 = 98"]
    assert read("25 50 75 100 3 6 952", "countdown")[0].startswith("1 countdown deals 6 numbers")
