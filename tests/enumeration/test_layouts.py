"""Files of other layouts: their rows are read, and what is wrong is named, in each of them."""

import random
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from crisps24 import Formula, verify_results, write_results
from crisps24.enumeration.format import Format
from crisps24.errors import RefusedError
from tests.sampling import EVERY

# With 44 forms: 1,188 files.
TARGETS = (24, 78, 143, *range(200, 224))
Rows = list[str]
Damage = Callable[[Rows], str | bytes]


def lines(rows: Rows, end: str = "\n", change: Callable[[str], str] = str) -> str:
    return "".join(change(row) + end for row in (*Format(4).header, *rows))


def signs(rows: Rows, old: str, new: str) -> str:
    return lines([row.translate(str.maketrans(old, new)) for row in rows])


def words(line: str, separator: str, form: str = "{}") -> str:
    return separator.join(form.format(word) for word in line.split())


def html_table(rows: Rows, end: str) -> str:
    table = lines(rows, "</tr>" + end, lambda row: f"<tr>{end}{words(row, end, '<td>{}</td>')}")
    head = f"<html>{end}<title>Results</title>{end}<table>"
    return f"{head}{end}{table.replace('x', '&times;')}</table>\n"


def pages(rows: Rows) -> str:
    starts = range(0, len(rows), 5)
    return "\f".join(f"{lines(rows[at : at + 5])}\n     - {at // 5 + 1} -\n" for at in starts)


def by_row(change: Callable[[str], str]) -> Damage:
    return lambda rows: lines(rows, change=change)


CRLF, CR, UTF_16 = "the line ends are CRLF", "the line ends are CR ", "the file is in UTF-16"
HEADER_MOVED = "the header is laid out otherwise"
CSV, NO_BREAK = "{n:,} rows with quotes or commas", "{n:,} rows with no-break or other blanks"
# Forms of a file, and one of the differences that each has; {n:,} is the number of rows.
FORMS: list[tuple[str, Damage]] = [
    (CRLF, lambda rows: lines(rows, "\r\n")),
    (CR, lambda rows: lines(rows, "\r")),
    ("{n:,} rows with tabs", by_row(lambda row: re.sub(" +", "\t", row))),
    ("{n:,} rows without the blanks at the start", by_row(str.lstrip)),
    ("1 row without the blanks at the start", lambda rows: lines([rows[0].lstrip(), *rows[1:]])),
    ("{n:,} rows with single blanks", by_row(lambda row: words(row, " "))),
    ("{n:,} rows with blanks at the end", lambda rows: lines(rows, "  \n")),
    ("{n:,} rows in other columns", by_row(lambda row: f" {row}")),
    ("1 line with 0x1a", lambda rows: lines(rows) + "\x1a"),
    (CRLF, lambda rows: lines(rows, "\r\n") + "\x1a"),
    ("the last line is cut off", lambda rows: lines(rows)[:-1]),
    ("the file begins with a byte order mark", lambda rows: "\ufeff" + lines(rows)),
    (UTF_16, lambda rows: lines(rows).encode("utf-16")),
    (UTF_16, lambda rows: lines(rows).encode("utf-16-le")),
    (CRLF, lambda rows: lines(rows, "\r\n").encode("utf-16-be")),
    (CR, lambda rows: lines(rows, "\r").encode("utf-16")),
    ("{m:,} lines blank", lambda rows: lines(rows, "\n\n")),
    ("with a form feed", pages),
    ("of a header again", pages),
    ("1 line of other text", lambda rows: f"Results, 12.03.1998 14:33\n\n{lines(rows)}"),
    ("1 line of other text", lambda rows: f"12.03.1998\n{lines(rows)}"),
    ("the header is missing", lambda rows: "\n".join(rows) + "\n"),
    (HEADER_MOVED, lambda rows: lines(rows).partition("\n")[2]),
    (CSV, by_row(lambda row: words(row, ";"))),
    (CSV, by_row(lambda row: words(row, ",", '"{}"'))),
    (CSV, lambda rows: "sep=;\n" + lines(rows, "\r\n", lambda row: words(row, ";"))),
    ("{n:,} rows wrapped", lambda rows: html_table(rows, "\n")),
    ("the file is HTML", lambda rows: html_table(rows, "")),
    ("the file is HTML", lambda rows: f"<p>{lines(rows, '<br>')}".replace(" ", "&nbsp;")),
    (HEADER_MOVED, lambda rows: f"<pre>\n{lines(rows)}</pre>\n"),
    (NO_BREAK, lambda rows: lines(rows).replace(" ", "\xa0")),
    (NO_BREAK, lambda rows: lines(rows).replace(" ", "\xa0").encode("cp437")),
    (NO_BREAK, lambda rows: lines(rows).replace(" ", "\xa0").encode("latin-1")),
    (HEADER_MOVED, lambda rows: f"Ergebnisse für 143\n{signs(rows, ':', '÷')}".encode("cp437")),
    ("in the encoding windows-1252", lambda rows: signs(rows, "x:", "×÷").encode("latin-1")),
    ("with another sign for x", lambda rows: signs(rows, "x:", "*/")),
    ("with another sign for x", lambda rows: signs(rows, "x:-", "×÷−")),
    ("with another sign for x", lambda rows: signs(rows, "x", "X")),
    ("{n:,} rows wrapped", by_row(lambda row: f"{row[:22]}\n{row[22:]}")),
    ("{n:,} rows wrapped", by_row(lambda row: f"{row[:16]}\n{row[16:]}")),
    ("out of order", lambda rows: lines(random.Random(1).sample(rows, len(rows)))),
    ("{l:,} rows out of order", lambda rows: lines(rows[::-1])),
    ("{n:,} rows with lines of a table", by_row(lambda row: f"| {words(row, ' | ')} |")),
    ("with a number or bullet", lambda rows: f"To: J\n\n{lines(rows, change='> {}'.format)}--\nJ"),
]


def test_rows_in_any_form_are_right_and_repaired(tmp_path: Path) -> None:
    cases = [*product(FORMS, TARGETS)]
    assert len(cases) == 1188
    for (difference, form), target in cases if EVERY else random.Random(1).sample(cases, 60):
        right = write_results(target, tmp_path).read_bytes()
        rows = right.decode().splitlines()[2:]
        content = form(rows)
        old, new = tmp_path / f"old.{target}", tmp_path / "new"
        old.write_bytes(content.encode() if isinstance(content, str) else content)
        result = verify_results(old)
        assert result.verdict == "right, but laid out otherwise", (difference, result.problems)
        assert result.combinations == len(rows)
        counted = difference.format(n=len(rows), m=len(rows) + 2, l=len(rows) - 1)
        assert counted in "\n".join(map(str, result.problems))
        result.write_corrected(new)
        assert new.read_bytes() == right


@pytest.mark.parametrize(("_", "form"), FORMS)
def test_wrong_rows_are_named_in_any_form(_: str, form: Damage, tmp_path: Path) -> None:
    right = write_results(143, tmp_path)
    rows = right.read_text().splitlines()[2:]
    changed = rows.index(Format(4).format_row(Formula((8, 6, 3, 1), ("x", "x", "-"))))
    wrong = rows[changed].replace("1", "7")
    content = form([*rows[1:changed], wrong, *rows[changed + 1 :], rows[-1]])
    old = tmp_path / "old.143"
    old.write_bytes(content.encode() if isinstance(content, str) else content)
    result = verify_results(old)
    named = [problem.problem for problem in result.problems if not problem.layout]
    assert sorted(re.sub("[0-9]+ already", "N already", text) for text in named) == [
        "8 x 6 x 3 - 7: it makes 137, not 143",
        "9 x 8 x 2 - 1 is in line N already",
        "missing: 2 x 8 x 9 - 1",
        "missing: 8 x 6 x 3 - 1",
    ]
    assert (result.verdict, result.combinations) == ("wrong", len(rows))
    result.write_corrected(tmp_path / "new")
    assert (tmp_path / "new").read_bytes() == right.read_bytes()


@pytest.mark.parametrize("text", ["", "\x89PNG\r\n\x1a\n", "<a <tr>\n", "a\n" * 99, "2 " * 9999])
def test_file_without_a_right_row_is_wrong_and_not_repaired(text: str, tmp_path: Path) -> None:
    path = tmp_path / "results.143"
    path.write_bytes(text.encode("latin-1"))
    result = verify_results(path)
    assert (result.verdict, result.combinations) == ("wrong", 0)
    with pytest.raises(RefusedError, match="has no row of 143"):
        result.write_corrected(tmp_path / "new")
    assert not (tmp_path / "new").exists()
    # A target without rows needs the header of a results file.
    assert verify_results(path, target=6562).verdict == "wrong"


def test_repaired_file_keeps_the_old_header(tmp_path: Path) -> None:
    right = write_results(143, tmp_path).read_text()
    old = "".join(f"{line}\n" for line in (*Format(4).old_header, *right.splitlines()[2:]))
    (tmp_path / "old.143").write_bytes(old.replace("\n", "\r\n").encode())
    verify_results(tmp_path / "old.143").write_corrected(tmp_path / "new")
    assert (tmp_path / "new").read_text() == old


def test_rows_need_not_end_where_lines_do(tmp_path: Path) -> None:
    path = write_results(143, tmp_path)
    rows = [" ".join(line.split()) for line in path.read_text().splitlines()[2:]]
    halves = [f"{left} | {right}" for left, right in zip(rows[:24], rows[24:], strict=True)]
    filled = [" ".join(part) for part in zip(*[iter(" ".join(rows).split())] * 14, strict=True)]
    for wrapped in (halves, filled):
        path.write_text("\n".join(wrapped))
        report = verify_results(path)
        assert (report.verdict, report.combinations) == ("right, but laid out otherwise", 48)
