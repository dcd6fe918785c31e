"""Verifying: everything that can be wrong with a results file is found and named."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Formula, Game, verify_results, write_results
from crisps24.enumeration import verification
from crisps24.enumeration.enumeration import DisagreementError
from crisps24.enumeration.format import Format
from crisps24.enumeration.verification import Verification
from crisps24.rules.exact import Exact

PUBLISHED = (Path(__file__).parent.parent / "data" / "published-results.143").read_text()
HEADER, ROWS = PUBLISHED.splitlines()[:2], PUBLISHED.splitlines()[2:]
CRISPS = GAMES["crisps"]

Edit = Callable[[list[str]], str]


def verified(
    content: str | bytes, game: Game | str = "crisps", name: str = "results.143"
) -> Verification:
    """Verify a file of that content."""
    with TemporaryDirectory() as directory:
        path = Path(directory) / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return verify_results(path, game)


def problems(content: str | bytes, game: Game | str = "crisps") -> list[str]:
    """Return the problems of such a file as lines."""
    return [str(problem) for problem in verified(content, game).problems]


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def edited(*rows: tuple[int, str | None]) -> str:
    """Return the published file with some rows, counted from 0, replaced or left out."""
    changes = dict(rows)
    kept = [changes.get(number, row) for number, row in enumerate(ROWS)]
    return text(*HEADER, *(row for row in kept if row is not None))


def test_the_published_file_is_right() -> None:
    found = verified(PUBLISHED)
    assert (found.verdict, found.target, found.combinations) == ("right", 143, 48)
    assert found.problems == ()


OLD = text("   i   j   k   l  op1  op2  op3", "  --- --- --- ---  -    -    -", *ROWS)
NOT_TEXT = PUBLISHED.encode()[:500] + b"\xfe\xff" + PUBLISHED.encode()[502:]

WRONG: list[tuple[str, str | bytes, list[str]]] = [
    ("a missing row", edited((0, None)), ["missing: 2 x 8 x 9 - 1"]),
    ("the last row missing", edited((47, None)), ["missing: "]),
    (
        "a doubled row",
        text(*HEADER, ROWS[0], *ROWS),
        ["line 4: 2 x 8 x 9 - 1 is in line 3 already"],
    ),
    (
        "a changed operator",
        edited((0, "   2   8   9   1    x    x    +")),
        ["line 3: 2 x 8 x 9 + 1: it makes 145, not 143", "missing: 2 x 8 x 9 - 1"],
    ),
    (
        "an illegal row",
        edited((0, "   2   8   9   1    -    x    x")),
        ["line 3: 2 - 8 x 9 x 1: illegal: 2 - 72 is less than zero", "missing: 2 x 8 x 9 - 1"],
    ),
    (
        "a division with a remainder",
        edited((0, "   9   8   9   1    :    x    x")),
        [
            "line 3: 9 : 8 x 9 x 1: illegal: 9 : 8 leaves a remainder of 1",
            "missing: 2 x 8 x 9 - 1",
        ],
    ),
    (
        "a number that the game does not have",
        edited((0, "   0   8   9   1    x    x    -")),
        ["line 3: 0 x 8 x 9 - 1: 0 is not in this game (only 1..9)", "missing: 2 x 8 x 9 - 1"],
    ),
    (
        "rows out of order",
        edited((0, ROWS[1]), (1, ROWS[0])),
        ["line 4: out of order: 2 x 8 x 9 - 1 belongs further up"],
    ),
    (
        "a last line cut off before its end",
        PUBLISHED[:-1],
        [r"line 50: the last line is cut off: it does not end with \n"],
    ),
    (
        "a last line cut off in the middle",
        PUBLISHED[:-6],
        [
            f"line 50: {ROWS[-1][:-5]!r} is not a row of 4 numbers and 3 operators",
            r"line 50: the last line is cut off: it does not end with \n",
            "missing: ",
        ],
    ),
    (
        "CRLF line ends",
        PUBLISHED.replace("\n", "\r\n"),
        [r"line 1: the line ends are CRLF (\r\n), not \n alone"],
    ),
    (
        "one CRLF line end",
        PUBLISHED.replace("\n", "\r\n", 3).replace("\r\n", "\n", 2),
        [r"line 3: the line ends are CRLF (\r\n), not \n alone"],
    ),
    (
        "a wrong header",
        PUBLISHED.replace("op2", "op4", 1),
        [f"line 1: wrong header: it should be {HEADER[0]!r}"],
    ),
    (
        "a wrong second line",
        PUBLISHED.replace("---", "===", 1),
        [f"line 2: wrong header: it should be {HEADER[1]!r}"],
    ),
    (
        "one line of each header",
        text(OLD.splitlines()[0], *PUBLISHED.splitlines()[1:]),
        [f"line 1: wrong header: it should be {HEADER[0]!r}"],
    ),
    ("a file that is not text", NOT_TEXT, ["line 16: not a text file: byte 0xfe in it"]),
    ("a zero byte", PUBLISHED.replace("2", "\0", 1), ["line 1: not a text file: byte 0x00 in it"]),
    (
        "a line that never ends",
        PUBLISHED + "1" * 20_000,
        ["line 51: not a results file: over 10,000 bytes long"],
    ),
    (
        "a blank line at the end",
        PUBLISHED + "\n",
        ["line 51: '' is not a row of 4 numbers and 3 operators"],
    ),
    (
        "a blank line in the middle",
        text(*HEADER, "", *ROWS),
        ["line 3: '' is not a row of 4 numbers and 3 operators"],
    ),
    (
        "spaces at the end of a row",
        edited((0, ROWS[0] + " ")),
        [f"line 3: the columns are off, it should be {ROWS[0]!r}"],
    ),
    (
        "columns that are off",
        edited((0, ROWS[0].replace("   2", "  2", 1))),
        [f"line 3: the columns are off, it should be {ROWS[0]!r}"],
    ),
    (
        "a letter in a row",
        edited((0, ROWS[0].replace("2", "z"))),
        [
            f"line 3: {ROWS[0].replace('2', 'z')!r} is not a row of 4 numbers and 3 operators",
            "missing: 2 x 8 x 9 - 1",
        ],
    ),
]


@pytest.mark.parametrize(
    ("content", "expected"), [row[1:] for row in WRONG], ids=[row[0] for row in WRONG]
)
def test_what_is_wrong_is_found_and_named_by_its_line(
    content: str | bytes, expected: list[str]
) -> None:
    found = problems(content)
    assert len(found) == len(expected)
    for problem, wanted in zip(found, expected, strict=True):
        assert problem == wanted or (wanted == "missing: " and problem.startswith(wanted))


def test_an_empty_file_has_no_header_and_misses_every_row() -> None:
    found = problems("")
    assert found[0] == "the two header lines are missing"
    assert found[1] == "missing: 2 x 8 x 9 - 1"
    assert len(found) == 1 + 48


def test_a_header_alone_misses_every_row() -> None:
    found = problems(text(*HEADER))
    assert len(found) == 48
    assert all(problem.startswith("missing: ") for problem in found)


def test_a_header_alone_is_right_where_nothing_reaches_the_target() -> None:
    assert verified(text(*HEADER), name="results.6562").verdict == "right"


def test_the_header_of_the_original_source_is_right_too() -> None:
    assert verified(OLD).verdict == "right"
    assert problems(OLD.replace(f"{ROWS[0]}\n", "")) == ["missing: 2 x 8 x 9 - 1"]


@pytest.mark.parametrize("target", [0, 1, 10, 17])
def test_a_file_of_the_original_is_wrong_but_recognised(target: int, tmp_path: Path) -> None:
    path = write_results(target, tmp_path, "game24")
    found = verify_results(path)
    assert found.verdict == "wrong"
    first = "wrong by crisps, but exactly what the game game24 gives"
    assert str(found.problems[0]) == first
    assert verify_results(path, "game24").verdict == "right"
    back = verify_results(write_results(target, tmp_path), "game24")
    assert str(back.problems[0]) == "wrong by game24, but exactly what the game crisps gives"


def test_a_file_of_the_original_that_is_the_same_is_right(tmp_path: Path) -> None:
    assert verify_results(write_results(24, tmp_path, "game24")).verdict == "right"


def test_a_file_wrong_by_both_games_is_not_taken_for_the_original(tmp_path: Path) -> None:
    path = write_results(10, tmp_path, "game24")
    path.write_text(path.read_text()[:-1])
    assert not any("exactly" in str(problem) for problem in verify_results(path).problems)


OTHERS: list[tuple[Game, Exact]] = [
    (replace(CRISPS, length=1), 7),
    (replace(CRISPS, length=2), 12),
    (replace(CRISPS, length=5), 2000),
    (replace(CRISPS, numbers=(3, 25, 1000)), 1025),
    (replace(CRISPS, numbers=(2, 3, 1000, 123456789012, 123456789013), length=3), 1000),
    (replace(CRISPS, numbers=(-3, 25), negatives=True), -5),
    (replace(CRISPS, fractions=True), Fraction(3, 4)),
]


@pytest.mark.parametrize(("game", "target"), OTHERS, ids=lambda value: str(value)[-40:])
def test_a_file_of_other_numbers_and_lengths_is_right(
    game: Game, target: Exact, tmp_path: Path
) -> None:
    path = write_results(target, tmp_path, game)
    assert verify_results(path, game).verdict == "right"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    assert [problem.line for problem in verify_results(path, game).problems] == [None]


def test_for_a_right_file_nothing_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_results(24, tmp_path)
    monkeypatch.setattr(verification, "unconfirmed_keys", lambda *_, **__: iter(()))
    assert verify_results(path).verdict == "right"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(DisagreementError, match="the grammar agrees to a row that is not found"):
        verify_results(path)


def test_the_length_is_the_one_that_the_header_tells(tmp_path: Path) -> None:
    path = write_results(24, tmp_path, replace(CRISPS, length=3))
    assert verify_results(path).verdict == "right"
    found = verify_results(path, length=4)
    assert str(found.problems[0]) == "line 1: wrong header: it is for 3 numbers, not 4"


def test_the_target_is_the_one_in_the_name_unless_it_is_given(tmp_path: Path) -> None:
    path = write_results(143, tmp_path).rename(tmp_path / "mine.txt")
    assert verify_results(path, target=143).verdict == "right"
    with pytest.raises(ValueError, match=r"the name 'mine\.txt' has none: results\.24 has"):
        verify_results(path)
    wrong = verify_results(path, target=144)
    assert str(wrong.problems[0]) == "line 3: 2 x 8 x 9 - 1: it makes 143, not 144"


def test_a_missing_file_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        verify_results(tmp_path / "results.143")


@given(st.binary(max_size=500))
def test_arbitrary_bytes_are_wrong_and_never_raise(content: bytes) -> None:
    assert verified(content).verdict == "wrong"


LINES = st.lists(st.sampled_from([*HEADER, *ROWS[:9], "", "   1", "\r", " - ", "---"]), max_size=9)


@given(LINES, st.binary(max_size=50))
def test_lines_of_results_files_in_any_order_never_raise(lines: list[str], more: bytes) -> None:
    assert verified(text(*lines).encode() + more).verdict == "wrong"


@given(st.data())
def test_any_single_edit_of_a_right_file_is_found(data: st.DataObject) -> None:
    content = PUBLISHED.encode()
    at = data.draw(st.integers(0, len(content)))
    new = data.draw(st.binary(max_size=2) | st.sampled_from([b" ", b"\n", b"\r", b"x", b"9"]))
    old = data.draw(st.integers(0 if new else 1, 3))
    edit = content[:at] + new + content[at + old :]
    found = verified(edit)
    assert (found.verdict == "right") == (edit == content)
    assert (found.problems == ()) == (edit == content)


@given(st.permutations(range(6)), st.sets(st.integers(0, 5)))
def test_rows_moved_and_left_out_are_found(order: list[int], left_out: set[int]) -> None:
    kept = [ROWS[number] for number in order if number not in left_out]
    found = verified(text(*HEADER, *kept, *ROWS[6:]))
    moved = kept != sorted(kept, key=ROWS.index)
    assert (found.verdict == "wrong") == bool(moved or left_out)
    missing = [problem for problem in found.problems if problem.problem.startswith("missing: ")]
    assert len(missing) == len(left_out)


def test_a_header_for_very_long_formulas_does_not_hang(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("results.143", "results.144")]
    for path, length in zip(paths, (16, 300), strict=True):
        path.write_text(text(*Format(length).header))
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (5, 5))\n"
        "from crisps24 import verify_results\n"
        "print(*(verify_results(path).verdict for path in sys.argv[1:]))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, *map(str, paths)], capture_output=True, text=True, check=False
    )
    assert found.stdout == "wrong wrong\n"


def test_a_file_for_a_target_that_the_game_cannot_have_says_so(tmp_path: Path) -> None:
    game = replace(CRISPS, fractions=True)
    path = write_results(Fraction(3, 4), tmp_path, game)
    [problem] = verify_results(path).problems
    assert problem.problem == "3/4: crisps has only whole targets: allow fractions"
    assert verify_results(path, game).verdict == "right"


def test_a_byte_order_mark_is_named(tmp_path: Path) -> None:
    path = write_results(143, tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    [problem] = verify_results(path).problems
    assert str(problem) == "line 1: the file begins with a byte order mark"


def test_one_of_two_header_lines_is_missing(tmp_path: Path) -> None:
    path = write_results(10**6, tmp_path)
    path.write_text(path.read_text().splitlines(keepends=True)[0])
    assert [str(one) for one in verify_results(path).problems] == [
        "the second header line is missing"
    ]


@pytest.mark.parametrize("length", [3, 5, 10])
def test_a_file_of_more_or_fewer_numbers_than_a_game_has_is_told_by_its_header(length: int) -> None:
    # game24 is defined for four numbers, and no header changes that.
    found = verified(text(*Format(length).header), "game24")
    assert found.verdict == "wrong"
    told = f"line 1: wrong header: it is for {length} numbers, not 4"
    assert [str(problem) for problem in found.errors] == [told]
    row = Format(length).format_row(Formula((1,) * length, ("+",) * (length - 1)))
    found = verified(text(*Format(length).header, row), "game24")
    assert told in map(str, found.errors)
    assert any(
        str(each).endswith("not a row of 4 numbers and 3 operators") for each in found.errors
    )


def test_a_header_of_ten_numbers_is_believed_and_one_of_eleven_has_to_be_asked_for() -> None:
    ones = replace(CRISPS, numbers=(1,), operators=("+",))
    for length in (10, 11):
        row = Format(length).format_row(Formula((1,) * length, ("+",) * (length - 1)))
        content = text(*Format(length).header, row)
        with TemporaryDirectory() as directory:
            path = Path(directory) / f"results.{length}"
            path.write_text(content)
            assert verify_results(path, ones, length=length).verdict == "right"
            found = [str(problem) for problem in verify_results(path, ones).problems]
        asked = f"the header is for {length} numbers: a length of {length} has to be asked for"
        assert found == ([] if length == 10 else [f"line 1: {asked}"])


def test_what_was_found_is_told_apart_and_stays_as_it_was_found() -> None:
    found = verified(text(*HEADER, ROWS[1], ROWS[1]))
    assert len(set(found.problems)) == len(found.problems) > 2
    with pytest.raises(FrozenInstanceError):
        found.problems[0].line = 7  # type: ignore[misc]  # it is frozen
