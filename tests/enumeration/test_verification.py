"""Verification: each kind of problem of a results file is reported."""

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Formula, Game, evaluate, formulas, verify_results, write_results
from crisps24.enumeration import comparison, verification
from crisps24.enumeration import format as file_format
from crisps24.enumeration.enumeration import DisagreementError
from crisps24.enumeration.format import Format
from crisps24.enumeration.verification import Verification
from tests.sampling import examples, in_one_test

PUBLISHED = (Path(__file__).parent.parent / "data" / "published-results.143").read_text()
HEADER, ROWS = PUBLISHED.splitlines()[:2], PUBLISHED.splitlines()[2:]
CRISPS = GAMES["crisps"]


def verify(content: str | bytes, game: Any = "crisps", name: str = "results.143") -> Verification:
    with TemporaryDirectory() as directory:
        path = Path(directory) / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return verify_results(path, game)


def problems(content: str | bytes, game: Game | str = "crisps") -> list[str]:
    return [str(problem) for problem in verify(content, game).problems]


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


def with_first(row: str) -> str:
    """Return the published file with another first row."""
    return text(*HEADER, row, *ROWS[1:])


def test_published_file_is_right() -> None:
    result = verify(PUBLISHED)
    assert (result.verdict, result.target, result.combinations) == ("right", 143, 48)
    assert result.problems == ()


OLD = text("   i   j   k   l  op1  op2  op3", "  --- --- --- ---  -    -    -", *ROWS)
NOT_TEXT = PUBLISHED.encode()[:500] + b"\xfe\xff" + PUBLISHED.encode()[502:]
NO_JOIN = "illegal: | is not in this game (only - + x :)"
CUT_OFF = r"the last line is cut off: it does not end with \n"
A_ROW = "a row of 4 numbers and 3 operators"
NOT_A_ROW = f"line 16: '   4   4   9   1   ■\\xa0    x    -' is not {A_ROW}"
FIRST_MISSING, CR = "missing: 2 x 8 x 9 - 1", r"the line ends are CR (\r), not \n"
IT_MAKES_137 = "line 1: 8 x 6 x 3 - 7: it makes 137, not 143"


@in_one_test(
    ("content", "expected"),
    (
        with_first("   2   8   9   1    -    x    x"),
        ["line 3: 2 - 8 x 9 x 1: illegal: 2 - 72 is less than zero", FIRST_MISSING],
    ),
    (
        with_first("   0   8   9   1    x    x    -"),
        ["line 3: 0 x 8 x 9 - 1: 0 is not in this game (only 1..9)", FIRST_MISSING],
    ),
    (PUBLISHED[:-1], [CUT_OFF]),
    (PUBLISHED[:-6], [CUT_OFF, f"line 50: {ROWS[-1][:-5]!r} is not {A_ROW}", "missing: "]),
    (NOT_TEXT, [NOT_A_ROW, "missing: 4 x 4 x 9 - 1"]),
    (NOT_TEXT.replace(b"\xfe\xff", b"\xe0"), ["line 16: not a text file: byte 0xe0 in it"]),
    (PUBLISHED.replace("2", "\0", 1), ["line 1: not a text file: byte 0x00 in it"]),
    (PUBLISHED + "1" * 20_000, [CUT_OFF, "line 51: not a results file: over 10,000 bytes long"]),
    (
        text("\ufeff" + HEADER[0], HEADER[1], *ROWS[1:], "").replace("\n", "\r")[:-1],
        [CR, "the file begins with a byte order mark", FIRST_MISSING],
    ),
    (with_first(ROWS[0].replace("-", "|")), [f"line 3: 2 x 8 x 91: {NO_JOIN}", FIRST_MISSING]),
    (with_first(f"{ROWS[0]} ?"), [f"line 3: '{ROWS[0]} ?' is not {A_ROW}", FIRST_MISSING]),
    (
        "8 x 6 x 3 - 7 = 143\n",
        ["1 row in other columns", "the header is missing", IT_MAKES_137, *["missing: "] * 48],
    ),
    (HEADER[0] + "\n", ["the header is laid out otherwise", *["missing: "] * 48]),
    ("", ["the header is missing", *["missing: "] * 48]),
    (text(*HEADER), ["missing: "] * 48),
)
def test_problems_are_reported_with_their_lines(content: str | bytes, expected: list[str]) -> None:
    reported = problems(content)
    assert len(reported) == len(expected)
    for problem, text in zip(reported, expected, strict=True):
        assert problem == text or (text == "missing: " and problem.startswith(text))


def test_file_with_only_a_header_is_right_if_the_target_has_no_rows() -> None:
    assert verify(text(*HEADER), name="results.6562").verdict == "right"


def test_old_header_is_right() -> None:
    assert verify(OLD).verdict == "right"
    assert problems(OLD.replace(f"{ROWS[0]}\n", "")) == [FIRST_MISSING]


@pytest.mark.parametrize("target", [0, 17])
def test_file_of_another_game_is_wrong_and_the_game_is_named(target: int, tmp_path: Path) -> None:
    path = write_results(target, tmp_path, "game24")
    result = verify_results(path)
    assert result.verdict == "wrong"
    assert str(result.problems[0]) == "wrong by crisps, but exactly what the game game24 gives"
    assert verify_results(path, "game24").verdict == "right"
    other = verify_results(write_results(target, tmp_path), "game24")
    assert str(other.problems[0]) == "wrong by game24, but exactly what the game crisps gives"
    # Some files are equal in both games.
    assert verify_results(write_results(24, tmp_path, "game24")).verdict == "right"


def test_file_that_is_wrong_in_both_games_names_no_game(tmp_path: Path) -> None:
    path = write_results(10, tmp_path, "game24")
    path.write_text(path.read_text()[:-1])
    assert not any("exactly" in str(problem) for problem in verify_results(path).problems)


def test_right_file_needs_no_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_results(24, tmp_path)
    monkeypatch.setattr(verification, "unconfirmed_keys", lambda *_, **__: iter(()))
    assert verify_results(path).verdict == "right"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(DisagreementError, match="the grammar agrees to a row that is not found"):
        verify_results(path)


def test_target_comes_from_the_name_by_default(tmp_path: Path) -> None:
    path = write_results(143, tmp_path).rename(tmp_path / "mine.txt")
    assert verify_results(path, target=143).verdict == "right"
    with pytest.raises(ValueError, match=r"the name 'mine\.txt' does not contain the target"):
        verify_results(path)
    with pytest.raises(FileNotFoundError):
        verify_results(tmp_path / "results.143")
    wrong = verify_results(path, target=144)
    assert str(wrong.problems[0]) == "line 3: 2 x 8 x 9 - 1: it makes 143, not 144"


@given(st.data())
def test_any_single_edit_makes_a_file_wrong(data: st.DataObject) -> None:
    content = PUBLISHED.encode()
    start = data.draw(st.integers(0, len(content)))
    new = data.draw(st.binary(max_size=2) | st.sampled_from([b" ", b"\n", b"\r", b"x", b"9"]))
    old = data.draw(st.integers(0 if new else 1, 3))
    edit = content[:start] + new + content[start + old :]
    result = verify(edit)
    assert (result.verdict == "right") == (edit == content)
    assert (result.problems == ()) == (edit == content)


WRONG_ROW = ROWS[1].replace("x", "+", 1)
# Lines with damage of each kind; those of rows by their words.
DAMAGED = [*ROWS[3:6], ROWS[0] + "\r", ROWS[3] + "\r", ROWS[2][1:], WRONG_ROW, "  ", "z"]
format_row = Format(4).format_row
KNOWN = {tuple(row.split()): row for row in (*ROWS, WRONG_ROW)}


def slow_verification(lines: list[str]) -> tuple[set[str], list[str], int, str]:
    """Return differences of layout, problems, the number of rows and the verdict of a file."""
    names, found, rows, seen = list[str](), list[str](), 0, dict[str, int]()
    missing, differences = list[str](), set[str]()
    for number, line in enumerate(lines, 3):
        if "\0" in line:
            found.append(f"line {number}: not a text file: byte 0x00 in it")
            break
        bare = line.removesuffix("\r")
        if bare != line:
            differences.add(r"the line ends are CRLF (\r\n), not \n alone")
        words = tuple(bare.split())
        if not words:
            names.append("line blank")
            continue
        if words not in KNOWN:
            found.append(f"line {number}: {bare!r} is not {A_ROW}")
            continue
        rows += 1
        right, formula = KNOWN[words], Formula(tuple(map(int, words[:4])), words[4:])
        if bare != right:
            names.append("row in other columns")
        if right == WRONG_ROW:
            found.append(f"line {number}: {formula}: it makes {evaluate(formula)}, not 143")
        elif right in seen:
            found.append(f"line {number}: {formula} is in line {seen[right]} already")
        else:
            if seen and right < next(reversed(seen)):
                names.append("row out of order")
            seen[right] = number
    else:
        missing = [f"missing: {row}" for row in formulas(143) if format_row(row) not in seen]
    for name, count in Counter(names).items():
        unit, rest = name.split(" ", 1)
        differences.add(f"{count} {unit}{'s' * (count > 1)} {rest}")
    laid_out = "right, but laid out otherwise" if differences else "right"
    return differences, found + missing, rows, "wrong" if found or missing else laid_out


@examples(150)
@given(
    st.lists(st.sampled_from(DAMAGED), min_size=9, max_size=30),
    st.sampled_from([0, 5, len(ROWS)]),
    st.sampled_from(["", "\0", "z"]),
    st.sampled_from([1, 40, 333, 10_000]),
    st.sampled_from([1, 5, 60, 1000]),
)
def test_any_blocks_and_limits_give_the_problems_of_a_slow_verification(
    lines: list[str], start: int, end: str, block_bytes: int, batch_rows: int
) -> None:
    lines = [*ROWS[:4], *lines, *([end] if end else []), *ROWS[start:]]
    content = text(*HEADER, *lines)
    differences, found, rows, verdict = slow_verification(lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_format, "_BLOCK_BYTES", block_bytes)
        patch.setattr(comparison, "BATCH_ROWS", batch_rows)
        whole = verify(content)
        patch.setattr(verification, "MAX_LISTED_PROBLEMS", 3)
        patch.setattr(verification, "MAX_LISTED_MISSING", 2)
        short = verify(content)
    layout = [problem for problem in whole.errors if problem.layout]
    assert {*map(str, layout)} == differences
    assert [str(problem) for problem in whole.problems if not problem.layout] == found
    assert (short.verdict, short.combinations) == (whole.verdict, rows) == (verdict, rows)
    errors = whole.errors[len(layout) :]
    unread = [problem for problem in errors if "not a text" in problem.problem]
    other = [problem for problem in errors if problem not in unread]
    assert short.errors == (*layout, *other[:3], *unread)
    assert short.missing == whole.missing[:2]
    assert short.unlisted_errors == max(0, len(other) - 3)
    assert short.unlisted_missing == max(0, len(whole.missing) - 2)


def test_header_for_very_long_formulas_takes_under_5_seconds(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("results.143", "results.144")]
    for path, length in zip(paths, (16, 300), strict=True):
        path.write_text(text(*Format(length).header))
    limit = "import resource, sys\nresource.setrlimit(resource.RLIMIT_CPU, (5, 5))\n"
    work = "print(*(crisps24.verify_results(path).verdict for path in sys.argv[1:]))"
    call = [sys.executable, "-c", f"{limit}import crisps24\n{work}", *map(str, paths)]
    process = subprocess.run(call, capture_output=True, text=True, check=False)
    assert process.stdout == "wrong wrong\n"


def test_fraction_target_of_a_game_of_whole_numbers_is_reported(tmp_path: Path) -> None:
    game = replace(CRISPS, fractions=True)
    path = write_results(Fraction(3, 4), tmp_path, game)
    [problem] = verify_results(path).problems
    assert problem.problem == "3/4: crisps has only whole targets: allow fractions"
    assert verify_results(path, game).verdict == "right"


@pytest.mark.parametrize("length", [3, 5, 10])
def test_header_with_another_length_is_reported_for_game24(length: int) -> None:
    # game24 always has four numbers.
    result = verify(text(*Format(length).header), "game24")
    assert result.verdict == "wrong"
    error = f"line 1: wrong header: it is for {length} numbers, not 4"
    assert [str(problem) for problem in result.errors] == [error]
    row = Format(length).format_row(Formula((1,) * length, ("+",) * (length - 1)))
    result = verify(text(*Format(length).header, row), "game24")
    assert error in map(str, result.errors)
    assert any("not a row of 4 numbers and 3 operators" in str(each) for each in result.errors)


def test_header_for_more_than_10_numbers_needs_a_length(tmp_path: Path) -> None:
    ones = replace(CRISPS, numbers=(1,), operators=("+",))
    for length in (10, 11):
        row = Format(length).format_row(Formula((1,) * length, ("+",) * (length - 1)))
        path = tmp_path / f"results.{length}"
        path.write_text(text(*Format(length).header, row))
        assert verify_results(path, ones, length=length).verdict == "right"
        reported = [str(problem) for problem in verify_results(path, ones).problems]
        error = f"the header is for {length} numbers: a length of {length} has to be asked for"
        assert reported == ([] if length == 10 else [f"line 1: {error}"])
