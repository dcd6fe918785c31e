"""The commands sheet --class, mark and quiz: from an empty table to the marks of a class."""

import csv
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock
from xml.etree import ElementTree

import pytest

from crisps24 import deal, puzzle_of
from crisps24.drawing import pdfs
from crisps24.judging.columns import versions_of_column
from crisps24.messages.languages import LANGUAGES
from crisps24.paper.quizzes import questions
from tests.commands import Run
from tests.drawing.test_gift import read_gift
from tests.extras import skip_without_extra
from tests.phones import line_of, line_of_page, page_file

EXAMPLE = "crisps24 sheet cards --count 12 --seed 7"
LOOK = "{count} answer{are} for you to look at: write ok> or 0> before {it}"


def table(name: str, sign: str = ",") -> list[list[str]]:
    return list(csv.reader(Path(name).read_text("utf-8-sig").splitlines(), delimiter=sign))


def test_empty_table_becomes_marks(run: Run) -> None:
    assert run("sheet cards --count 3 --seed 7 --out cards.html --class answers.csv")[0] == 0
    assert Path("answers.csv").read_bytes().startswith(b"\xef\xbb\xbfname,")
    [heads] = table("answers.csv")
    dealt = list(deal("cards", 3, seed=7))
    assert heads == ["name", *(f"{number} {puzzle.id}" for number, puzzle in enumerate(dealt, 1))]
    rows = [
        ["Ann", *(puzzle.answer() for puzzle in dealt)],
        ["Бо", "13 + 4", "", "13 + 10 + 5 - 4 = 24"],
        ["=1+1", "<answer>(13 - 4 - 1) x 3</answer>", "nothing", "-1"],
    ]
    with Path("answers.csv").open("a", newline="") as file:
        csv.writer(file).writerows([*rows, [""] * 4, []])
    status, out, err = run("mark answers.csv --out marks.csv")
    assert (status, err) == (1, "")
    assert out.startswith("marks.csv\n\nverdict")
    assert "right      ok                       5" in out
    marks = table("marks.csv")
    assert [row[:3] for row in marks] == [
        *(["name", "right", "answers"], ["Ann", "3", "3"], ["Бо", "1", "2"], ["'=1+1", "1", "3"]),
        ["likeliest answer", "", ""],
    ]
    assert marks[2][4:] == ["13 + 4: 1 and 3 are not used", "no answer", "right"]
    assert marks[4][4:] == [puzzle.answer() for puzzle in dealt]


def test_a_class_in_german_excel_has_the_points_of_the_english_one(run: Run) -> None:
    dealt = list(deal("cards", 3, seed=7))
    answers = [[puzzle.answer(), "13 - 4 - 1", ""][k % 3 :] for k, puzzle in enumerate(dealt)]
    points = []
    for language, sign in (("en", ","), ("de", ";")):
        call = f"sheet cards --count 3 --seed 7 --out a.html --language {language}"
        assert run(f"{call} --class {language}.csv").status == 0
        [heads] = table(f"{language}.csv", sign)
        assert heads == ["name", *(f"{i} {puzzle.id}" for i, puzzle in enumerate(dealt, 1))]
        # Excel keeps the columns, and adds empty ones.
        rows = [[f"Jürgen {k}", *(row[k % len(row)] for row in answers), ""] for k in range(24)]
        lines = [sign.join(row) for row in ([*heads, ""], *rows)]
        Path(f"{language}.csv").write_text("\ufeff" + "\r\n".join(lines) + "\r\n")
        marks = f"mark {language}.csv --out {language}-marks.csv --language {language}"
        assert run(marks).status == 1
        points.append([row[:4] for row in table(f"{language}-marks.csv", sign)])
    assert points[0] == points[1]
    assert "wird nicht benutzt" in Path("de-marks.csv").read_text(encoding="utf-8-sig")
    # As Excel saves a table with commas that it opened as one column.
    english = Path("en.csv").read_text(encoding="utf-8-sig").splitlines()
    mixed = [f"{english[0].rstrip(',')};;;", *(line.replace(",", ";") for line in english[1:])]
    Path("mixed.csv").write_text("\n".join(mixed))
    assert run("mark mixed.csv --out mixed-marks.csv").status == 1
    assert [row[:4] for row in table("mixed-marks.csv")] == points[0]


def test_headers_1_2_3_count_the_puzzles_of_a_sheet(run: Run) -> None:
    printed = run("sheet cards --count 3 --seed 7 --level 2..4 --out a.html").out.splitlines()[-1]
    command = printed.partition(": ")[2]
    answers = [puzzle.answer() for puzzle in deal("cards", 3, seed=7, level="2..4")]
    Path("class.csv").write_text("\n".join(["Name;1;2;3", ";".join(["Ann", *answers])]))
    typed = f"{command.replace(' deal ', ' sheet ')} --title 'A (b)' --class class.csv --out a.pdf"
    values = {"command": command, "version": 5, "release": "4.9.0"}
    feet = [language.text("sheet.foot", **values) for language in LANGUAGES.values()]
    for line in (printed, command, typed, *feet):
        ran = run("mark class.csv --out marks.csv", "--sheet", line)
        assert (ran.status, table("marks.csv")[1][:4]) == (0, ["Ann", "3", "3", "0"]), line
    expected = "expected a line"
    for line, problem in (
        (printed.replace("5", "4", 1), "drawing 4 dealt other puzzles than drawing 5: give them"),
        (f"{command} (drawing 3, crisps24 2.0)", "drawing 3 dealt other puzzles than drawing 5"),
        (f"{command} --frob", "No such option '--frob'"),
        (f"{command} '", "No closing quotation"),
        (command.replace("--seed 7", ""), "the line has no --seed: copy what crisps24 sheet"),
        (command.replace("--seed 7", "--seed x"), "invalid seed 'x'"),
        (command.replace("3", "300", 1), "mark takes at most 100 puzzles"),
        ("crisps24 solve 3 3 8 8", f"{expected} such as crisps24 sheet cards --count 12"),
        ("Class 5b", f"{expected} such as {EXAMPLE} (for a sheet of a workbook: --sheet-name)"),
        (f"{command} --level 9", "invalid level '9'"),
    ):
        ran = run("mark class.csv --out marks.csv", "--sheet", line)
        assert (ran.status, ran.out, ran.err.count("\n")) == (2, "", 1), ran
        assert ran.err.startswith(f"crisps24: --sheet: {problem}"), ran
        assert "use crisps24" not in ran.err
    Path("cards.txt").write_text("3 3 8 8\n")
    both = run("mark class.csv --file cards.txt --out marks.csv", "--sheet", command)
    assert both.err.startswith("crisps24: --sheet has the puzzles: leave out --file")
    # Without either, the refusal names both; its line is one that can be copied.
    err = run("mark class.csv --out marks.csv").err
    assert "for headers 1, 2, 3 add --file cards.txt" in err
    example = err.partition('--sheet "')[2].partition('"')[0]
    assert run("mark class.csv --out marks.csv", "--sheet", example).status == 0


GUESSED = "warning: the file is not UTF-8: read as Windows-1252 (--encoding: another)\n"
KNOWN = "is not an encoding (expected utf-8, windows-1252"


def test_class_file_is_parsed_in_its_encoding_or_refused(run: Run) -> None:
    # tests/judging/test_sources.py has all encodings.
    for name, encoding, options, said in (
        *(("Zoé", "windows-1252", "", GUESSED), ("Zoé", "cp850", "--encoding cp850", "")),
        *(("李明", "gbk", "--encoding gbk", ""), ("李明", "utf-16", "", "")),
        ("李明", "gbk", "", "can be Chinese or Korean: name its encoding, such as --encoding gbk"),
        ("Zoé", "gbk", "--encoding utf-8", "the file is not in the encoding utf-8"),
        ("Zoe", "utf-8", "--encoding klingon", f"'klingon' {KNOWN}"),
        ("Zoe", "utf-8", "--encoding base64", f"'base64' {KNOWN}"),
    ):
        Path("class.csv").write_bytes(f"name,1 cards:3.8=24\n{name},3 × 8\n".encode(encoding))
        Path("marks.csv").unlink(missing_ok=True)
        status, _, err = run(f"mark class.csv --out marks.csv {options}")
        assert (said in err, err.count("\n")) == (True, bool(said)), encoding
        if status == 0:
            assert table("marks.csv")[1] == [name, "1", "1", "0", "right"]
        assert (status == 0) == (said in ("", GUESSED)) == Path("marks.csv").exists()


def test_answers_can_have_one_line_each(run: Run) -> None:
    lines = ["name,id,answer", "Ann,cards:3.8=24,3 x 8", "Ann,cards:4.6=24,4 + 6", "Bo,nothing,7"]
    Path("class.csv").write_text("\n".join(lines))
    status, _, err = run("mark class.csv --out marks.csv --workers 2")
    assert (status, "line 4: missing hand: add --card, or a column hand or id" in err) == (2, True)
    assert table("marks.csv")[1] == ["Ann", "1", "2", "0", "right", "4 + 6: it makes 10, not 24"]
    # judge prints a row for each answer.
    Path("wide.csv").write_text("name,1 cards:3.8=24,cards:4.6=24\nAnn,3 x 8,\n")
    assert run("judge --file wide.csv --format csv").out.splitlines()[1:] == [
        "Ann,cards:3.8=24,3 x 8,2,right,ok,1.0,24,3 x 8,",
        "Ann,cards:4.6=24,,2,none,no-answer,0.0,,,there is no answer",
    ]


def test_missing_chinese_font_is_reported(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("reportlab", reason="the extra crisps24[sheets] is missing")
    Path("class.csv").write_text("name,1 cards:3.8=24\n李明,3 × 8\n", encoding="utf-8")
    monkeypatch.setattr(pdfs, "_FONT_FOLDERS", ())
    said = "warning: a.pdf has no font for Chinese (none found): readers use their own\n"
    for call, told in (
        ("sheet cards --count 1 --out a.pdf --language zh-Hans", True),
        ("sheet cards --count 1 --out a.pdf --title 王", True),
        ("mark class.csv --out a.pdf", True),
        ("sheet cards --count 1 --out a.pdf", False),
        ("sheet cards --count 1 --out a.html --language zh-Hans", False),
    ):
        Path("a.pdf").unlink(missing_ok=True)
        pdfs._font_of.cache_clear()
        status, _, err = run(call)
        assert (status, err) == (0, said if told else ""), call
    pdfs._font_of.cache_clear()


def test_sheet_without_a_key_is_reported(run: Run) -> None:
    has_none = "has no key (these formats have one: .pdf, .html)\n"
    for words, message in (
        ("a.svg", f"a.svg {has_none}"),
        ("b.svg --paper card", f"b.svg {has_none}"),
        ("c.html --paper card", "c.html has no key\n"),
        *(("d.svg --no-key", ""), ("e.html", "")),
    ):
        status, out, err = run(f"sheet cards --seed 7 --out {words}")
        assert (status, out.splitlines()[0], err) == (0, words.split()[0], message)


def test_quiz_is_written_completely(run: Run) -> None:
    status, out, _ = run("quiz cards --count 4 --seed 7 --out quiz.gift --ask sign,hand")
    assert (status, out.splitlines()[0]) == (0, "quiz.gift")
    text = Path("quiz.gift").read_text()
    assert text.startswith("// crisps24 deal cards --count 4 --seed 7 (drawing 5)\n\n::")
    written = read_gift(text)
    puzzles = deal("cards", 4, seed=7).with_style("unicode")
    assert written == list(questions(puzzles, ["sign", "hand"]))
    assert all(puzzle_of(question.title).solvable for question in written)
    assert run("quiz cards --count 2 --seed 7 --out vragen.gift --ask sign --language nl")[0] == 0
    [first, _] = read_gift(Path("vragen.gift").read_text())
    assert first.text == "Welk teken ontbreekt? (13 ? 4 − 1) × 3 = 24"
    # A refused question leaves no file.
    assert run("quiz countdown --seed 1 --out other.gift --ask step")[0] == 2
    assert not Path("other.gift").exists()


def test_quiz_for_a_program_has_limits_and_title(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("quiz cards --count 3 --seed 7 --out 'a & <b>\t.zip'").status == 0
    with zipfile.ZipFile("a & <b>\t.zip") as archive:
        root = ElementTree.fromstring(archive.read("quiz/quiz.xml"))
    assert root[0].attrib["title"] == r"a & <b>\t"
    assert run("quiz cards --seed 7 --for blooket --seconds 90 --out a.CSV").status == 0
    assert Path("a.CSV").read_text().splitlines()[-1].endswith(",90,1")
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    status, out, err = run("quiz cards --for kahoot --out a.xlsx")
    assert (status, out, Path("a.xlsx").exists()) == (2, "", False)
    needs = 'an .xlsx needs XlsxWriter, which is missing: pip install "crisps24[excel]"'
    assert err.startswith(f"crisps24: --out a.xlsx: {needs}")


@pytest.mark.parametrize("fails", ["a.html", "class.csv"])
def test_both_or_no_file_is_written(fails: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Iterator[bytes]:
        yield b"half"
        raise OSError(28, "No space left on device")

    patched = (
        "paper.papers.render_versions" if fails == "a.html" else "output.workbooks.spreadsheet_file"
    )
    monkeypatch.setattr(f"crisps24.{patched}", broken)
    Path("a.html").write_text("page")
    Path("class.csv").write_text("answers")
    status, out, err = run("sheet cards --out a.html --class class.csv")
    assert (status, out, err) == (2, "", f"crisps24: {fails}: No space left on device\n")
    contents = {path.name: path.read_text() for path in Path().iterdir()}
    assert contents == {"a.html": "page", "class.csv": "answers"}


def test_ctrl_c_while_writing_leaves_no_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    stop = (130, "", "crisps24: stopped; no file is half-written\n")
    for written in ("cli.screen.encode_lines", "output.workbooks.spreadsheet_file"):
        monkeypatch.setattr(f"crisps24.{written}", Mock(side_effect=KeyboardInterrupt))
    monkeypatch.setattr("crisps24.paper.quiz_files.gift_of", Mock(side_effect=KeyboardInterrupt))
    monkeypatch.setattr("crisps24.paper.marks.collect_marks", Mock(side_effect=KeyboardInterrupt))
    assert run("sheet cards --out a.html --class class.csv") == stop
    assert run("quiz cards --out quiz.gift") == stop
    assert run("deal cards --out rows.csv") == stop
    assert not list(Path().iterdir())
    Path("class.csv").write_text("name,1 cards:3.8=24\nAnn,3 x 8\n")
    assert run("mark class.csv --out marks.csv") == stop
    assert list(Path().iterdir()) == [Path("class.csv")]


def test_unread_answers_come_first_and_a_person_decides(run: Run) -> None:
    head = "name,1 cards:3.3.8.8=24,2 cards:4.4.7.12=24\n"
    chained = "7-4=3*4=12+12=24"
    rows = ["Ann,bin gegen 8/(3-8/3),24", f"Bob,8 x 3,{chained}", "Cy,?,((4"]
    Path("class.csv").write_text(head + "\n".join(rows) + "\n")
    status, out, _ = run("mark class.csv --out marks.csv")
    assert (status, out.splitlines()[-1]) == (1, LOOK.format(count=2, are="s are", it="them"))
    marks = [" ".join(row[1:4]) for row in table("marks.csv")]
    assert marks[:4] == ["right answers unread", "0 2 1", "1 2 0", "0 1 1"]
    found = "bin gegen 8/(3-8/3): not all of it could be read; right by itself: 8 / (3 - 8 / 3)"
    assert table("marks.csv")[1][4:] == [found, "24: the formula is missing"]
    for option, right, unread in (
        *(("--found give", ["1", "1", "0"], 1), ("--found none", ["0", "1", "0"], 1)),
        ("--strict-equals", ["0", "0", "0"], 2),
    ):
        out = run(f"mark class.csv --out marks.csv {option}").out
        assert [row[1] for row in table("marks.csv")[1:4]] == right, option
        assert f"{unread} answer" in out.splitlines()[-1], option
    # Their decisions are in the table that is marked again.
    rows = ["Ann,ok> bin gegen 8/(3-8/3),0> 24", f"Bob,8 x 3,{chained}", "Cy,?,0 > ((4"]
    Path("class.csv").write_text(head + "\n".join(rows) + "\n")
    assert "to look at" not in run("mark class.csv --out marks.csv").out
    assert [" ".join(row[1:4]) for row in table("marks.csv")[1:4]] == ["1 2 0", "1 2 0", "0 1 0"]
    assert table("marks.csv")[3][5] == "((4: decided by a person"


def test_results_of_phones_become_marks(run: Run) -> None:
    Path("page.html").write_bytes(page_file())
    good, other = line_of_page("Emil", "5N"), line_of("Ann", "45", 3, tag="XYX")
    Path("chat.txt").write_text(f"10:09 Emil: {good}\n10:11 Ann: {other}\n{good[:-1]}\n", "utf-16")
    status, out, err = run("mark chat.txt --page page.html --out marks.csv")
    assert status == 2
    assert err == (
        "crisps24: line 3 is damaged, or not the result of a page of puzzles, and is not counted: "
        f"{good[:-1].removeprefix('crisps24 ')}\n"
        "crisps24: line 2 is of another page, and is not counted\n"
    )
    assert out.startswith("marks.csv\n\nname      solved    hints    played\n")
    assert table("marks.csv")[1][:6] == ["Emil", "2", "1", "2", "1", "1 with hints"]
    # The page gives the pages their title, and a language.
    assert run("mark chat.txt --page page.html --out marks.html --language de").status == 2
    assert "<title>5b</title>" in Path("marks.html").read_text(encoding="utf-8")


def test_results_of_phones_are_found_without_their_page(run: Run) -> None:
    whole = line_of("Emil", "5N", 2)
    ran = run("mark - --out marks.tsv", typed=f"{whole}\n".encode())
    assert (ran.status, ran.err) == (0, "")
    assert table("marks.tsv", "\t")[0][4:] == ["1", "2", "1 seconds", "2 seconds"]
    refused = run("mark - --out marks.tsv --found give", typed=whole.encode())
    assert refused.status == 2
    assert "results from phones need only --page: leave out --found" in refused.err
    Path("page.html").write_bytes(page_file())
    nothing = run("mark - --out marks.tsv --page page.html", typed=b"name,1\nAnn,3\n")
    assert nothing.err.startswith("crisps24: no result of a page of puzzles (expected a line")


def test_workbook_of_a_class_becomes_a_workbook_of_marks(run: Run) -> None:
    skip_without_extra("mark class.xlsx --out marks.xlsx")
    openpyxl = pytest.importorskip("openpyxl")
    call = "sheet cards:3.3.8.8=24 cards:4.4.7.12=24 --out a.html --class class.xlsx"
    assert run(call).status == 0
    book = openpyxl.load_workbook("class.xlsx")
    sheet = book.active
    # What is typed below the header stays a text.
    columns = sheet.column_dimensions["A"]
    assert (columns.min, columns.max, columns.number_format) == (1, 3, "@")
    ids = ["cards:3.3.8.8=24", "cards:4.4.7.12=24"]
    assert [cell.value for cell in sheet[1]] == ["name", f"1 {ids[0]}", f"2 {ids[1]}"]
    sheet.append(["=Ann", "8/(3-8/3)", "3/4"])
    sheet["A2"].data_type = "s"
    sheet.append(["Bo", "8/(3-8/3) or 3+3", ""])
    book.save("class.xlsx")
    assert run("mark class.xlsx --out marks.xlsx --language de").status == 1
    points, mistakes, key = openpyxl.load_workbook("marks.xlsx").worksheets
    assert [[cell.value for cell in row] for row in points][1:] == [
        ["=Ann", 1, 0, "=SUM(B2:C2)", None],
        ["Bo", "?", None, "=SUM(B3:C3)", None],
        ["richtig", 1, 0, None, None],
    ]
    assert [points[place].value for place in ("D1", "E1")] == ["richtig", "Note"]
    assert points["A2"].data_type == "s"
    colours = [points[place].fill.fgColor.rgb[2:] for place in ("C2", "B3", "B2")]
    assert colours == ["F4C7C3", "FFF2B3", "000000"]
    # What is unread comes first.
    assert [row[:2] for row in mistakes.iter_rows(2, values_only=True)] == [("Bo", 1), ("=Ann", 2)]
    assert (mistakes["C3"].value[:5], key["C1"].value) == ("3/4: ", "8 / (3 - 8 / 3)")
    # The sums have their values without Excel.
    computed = openpyxl.load_workbook("marks.xlsx", data_only=True).worksheets[0]
    assert [computed["D2"].value, computed["D3"].value] == [1, 0]


def test_each_pupil_is_marked_by_the_puzzles_of_the_version(run: Run) -> None:
    Path("class.csv").write_text("Vorname;Nachname\nAnn;Ax\nBo;Ba\nCem;Ce\n")
    call = "sheet cards --count 4 --seed 7 --versions 2 --no-zero --out a.html --class b.csv"
    assert run(f"{call} --names class.csv --title Test --language de").status == 0
    heads, *rows = table("b.csv", ";")
    assert heads[:2] == ["name", "version"]
    assert [row[:2] for row in rows] == [["Ann Ax", "A"], ["Bo Ba", "B"], ["Cem Ce", "A"]]
    # The table can say the versions of a second print.
    again = Path("b.csv").read_text(encoding="utf-8-sig").replace("Ann Ax;A;", "Ann Ax;b;")
    Path("again.csv").write_text(again)
    assert run(f"{call.replace('a.html', 'c.html')} --names again.csv --language de").status == 0
    assert [row[1] for row in table("b.csv", ";")[1:]] == ["B", "B", "A"]
    refused = run("sheet cards --out d.html --names again.csv").err
    assert "'Ann Ax' has version 'B': choose 2 to 4 versions" in refused
    assert run(f"{call} --names class.csv --title Test --language de").status == 0
    by_version = [versions_of_column(head) for head in heads[2:]]
    assert [[*ids] for ids in by_version] == [["A", "B"]] * 4
    # A sheet for each pupil, then the keys.
    sheets = Path("a.html").read_text().split("<svg ")[1:]
    shown = [[word in sheet for word in ("Gruppe A", "Gruppe B", "Lösungen: ")] for sheet in sheets]
    assert shown == [
        *([True, False, False], [False, True, False], [True, False, False]),
        *([True, False, True], [False, True, True]),
    ]
    for name, page in zip(("Ann Ax", "Bo Ba", "Cem Ce"), sheets[:3], strict=True):
        assert f">{name}</text>" in page
    for row in rows:
        letter = row[1] = row[1].lower()
        answers = [puzzle_of(ids[letter.upper()]).answer() for ids in by_version]
        row[2:] = [*answers[:3], "1 + 1"] if row[0] != "Cem Ce" else ["", "", *answers[2:]]
    # The others are of version A, so that no answer is right.
    rows[1][1] = "A"
    lines = [heads, *rows, ["Dan", "C", *rows[0][2:]]]
    with Path("b.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows(lines)
    ran = run("mark b.csv --out marks.csv")
    assert (ran.status, ran.err) == (2, "crisps24: line 5: no version 'C' (expected A or B)\n")
    marks = table("marks.csv")
    points = [" ".join(row[:3]) for row in marks[1:-1]]
    assert points == ["Ann Ax 3 4", "Bo Ba 0 4", "Cem Ce 2 2"]
    assert marks[0][4:] == [f"A{i} {ids['A']}" for i, ids in enumerate(by_version, 1)]
    rows[1][1] = "B"
    with Path("b.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows([heads, *rows[::-1]])
    assert run("mark b.csv --out marks.csv").status == 1
    heads, cem, bo, ann, key = table("marks.csv")
    assert [head.split()[0] for head in heads[4:]] == [f"{v}{i}" for v in "AB" for i in range(1, 5)]
    assert (cem[1], bo[1], ann[1]) == ("2", "3", "3")
    assert bo[4:] == ["", "", "", "", "right", "right", "right", bo[-1]]
    assert key[8:] == [puzzle_of(ids["B"]).answer() for ids in by_version]
    assert run("mark b.csv --out marks.html").status == 1
    text = Path("marks.html").read_text()
    assert all(f">{shown}<" in text for shown in ("2 of 4", "3 of 4", "B4", "1 of 1"))
    # Other commands do not take the puzzles of version A for those of all pupils.
    assert run("judge --file b.csv").status == 2
    line = "crisps24 sheet cards --count 4 --seed 7 --versions 2"
    assert "with its table of --class" in run("mark b.csv --out m.csv", "--sheet", line).err
    Path("b.csv").write_text(Path("b.csv").read_text().replace(";version;", ";;"))
    assert "no column has the versions" in run("mark b.csv --out m.csv").err
