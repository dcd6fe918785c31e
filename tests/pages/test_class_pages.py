"""Pages for a class: quizzes, files for phones, marks and results files."""

import csv
import json
import re
from html import unescape
from io import BytesIO
from pathlib import Path
from urllib.parse import urlencode
from zipfile import ZipFile

import pytest

from crisps24.messages.languages import LANGUAGES
from crisps24.pages.requests import MAX_BODY_BYTES, Request, reply_to
from crisps24.puzzle import puzzle_of
from tests.commands import Run
from tests.pages.forms import post
from tests.phones import line_of_page, page_file

RESULTS = Path(__file__).parents[2] / "results" / "results.143"
TABLE = "Name;3 3 8 8;1 5 5 5\nEmil;8/(3-8/3);ich (5-1/5)*5 glaube 3\nAnna;3+3+8+8;?\n"


def text_of(body: bytes) -> str:
    page = re.sub(r"<(script|style|svg)[\s\S]*?</\1>", "", body.decode())
    return " ".join(unescape(re.sub("<[^>]+>", " ", page)).split())


def get(path: str, query: str, language: str = "en") -> str:
    reply = reply_to(Request(path, query, languages=language))
    assert reply.status == 200, text_of(reply.body)
    return text_of(reply.body)


def shown_marks(language: str = "en", **fields: str | tuple[str, bytes]) -> str:
    return text_of(post("/mark", language, **fields).body)


def answers_in(body: bytes) -> str:
    [answers] = {*re.findall(r'name="answers" value="([^"]*)"', body.decode())}
    return unescape(answers)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_class_is_marked_and_a_person_decides(language: str) -> None:
    table = ("klasse.csv", TABLE.encode("cp1252"))
    marked, words = post("/mark", language, game="cards", table=table), LANGUAGES[language]
    counts = [words.text("marks.of", right=right, count=2) for right in range(3)]
    for text in (words.text("page.mark_look", count=1), f"Anna 22 – {counts[0]}"):
        assert text in text_of(marked.body)
    assert f"Emil ✓ ? {counts[1]}" in text_of(marked.body)
    answers = answers_in(marked.body)
    assert json.loads(answers)[1] == ["Emil", "cards:1.5.5.5=24", "ich (5-1/5)*5 glaube 3", ""]
    # The last decision counts.
    for decision, row in (("1 ok", f"Emil ✓ ✓ {counts[2]}"), ("1 0", f"Emil ✓ ✗ {counts[1]}")):
        decided = post("/mark", language, game="cards", answers=answers, decide=decision)
        assert row in text_of(decided.body)
        answers = answers_in(decided.body)


def test_a_spreadsheet_of_libreoffice_is_marked() -> None:
    data = (Path(__file__).parents[1] / "data" / "class.ods").read_bytes()
    assert "Jürgen ✓ ✓ – 2 of 3" in shown_marks(game="cards", table=("class.ods", data))


def test_headers_with_hands_need_a_game_and_ids_do_not() -> None:
    without = post("/mark", pasted=TABLE)
    assert (without.status, "choose the game" in text_of(without.body)) == (422, True)
    assert "Emil ✓ 1 of 1" in shown_marks(pasted="Name;cards:3.3.8.8=24\nEmil;8/(3-8/3)\n")
    table = "Nr;Name;3 3 8 8\n1;Emil;24\n;Summe;0\n"
    said = "Namen: Name; 1 Rätsel; nicht verwendet: Nr; ausgelassen: Summe"
    assert said in shown_marks("de", game="cards", pasted=table)


def test_a_decision_is_listed_and_taken_back() -> None:
    answers = answers_in(post("/mark", game="cards", pasted=TABLE).body)
    decided = post("/mark", game="cards", answers=answers, decide="1 ok").body
    assert "Emil , 2 (1 5 5 5): ich (5-1/5)*5 glaube 3 decided by a person" in text_of(decided)
    assert "Decided by you (1)" in text_of(decided)
    back = post("/mark", game="cards", answers=answers_in(decided), decide="1 ?").body
    assert json.loads(answers_in(back)) == json.loads(answers)
    assert "Decided by you" not in text_of(back)


def test_marks_are_saved_as_csv_and_pdf() -> None:
    answers = answers_in(post("/mark", game="cards", pasted=TABLE).body)
    reply = post("/mark.csv", game="cards", answers=answers, decide="1 ok")
    rows = [*csv.reader(reply.body.decode("utf-8-sig").splitlines())]
    assert rows[1][:4] == ["Emil", "2", "2", "0"]
    assert dict(reply.headers)["content-disposition"] == 'attachment; filename="marks.csv"'
    pytest.importorskip("reportlab", reason="a PDF needs the extra `sheets`")
    assert post("/mark.pdf", game="cards", answers=answers).body.startswith(b"%PDF")


def test_marks_are_saved_as_a_workbook() -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="the test reads it")
    pytest.importorskip("xlsxwriter", reason="a workbook needs the extra `excel`")
    answers = answers_in(post("/mark", game="cards", pasted=TABLE).body)
    reply = post("/mark.xlsx", game="cards", answers=answers)
    row = openpyxl.load_workbook(BytesIO(reply.body)).active[2]
    assert [cell.value for cell in row[:3]] == ["Emil", 1, "?"]


def test_results_of_phones_become_marks() -> None:
    page, chat = page_file(), f"10:09 Emil: {line_of_page('Emil', '5N')}\n10:10 hello\n"
    shown = shown_marks(pasted=chat, player=("puzzles.html", page))
    assert "crisps24 mark chat.txt --page puzzles.html --out marks.pdf" in shown
    saved = post("/mark.csv", pasted=chat, player=page.decode())
    assert saved.body.decode("utf-8-sig").splitlines()[1].startswith("Emil,2,")
    # As Windows saves it, and without the file of the puzzles.
    windows = shown_marks(table=("chat.txt", chat.encode("utf-16")))
    assert all("Emil ✓" in each for each in (shown, windows, shown_marks(pasted=chat)))


def test_headers_that_are_numbers_are_the_puzzles_of_the_page() -> None:
    table = "Name,1,2\nEmil,8/(3-8/3),(7-8/8)*4\n"
    assert "Emil ✓ ✓ 2 of 2" in shown_marks(game="cards", pasted=table, own="3 3 8 8\n4 7 8 8")
    sheet = post("/mark", game="cards", pasted=table, seed="7", count="2")
    name, id_, *_ = json.loads(answers_in(sheet.body))[0]
    assert (name, id_[:6]) == ("Emil", "cards:")
    assert post("/mark", game="cards", pasted=table).status == 422


def test_wrong_files_are_refused_in_a_sentence_and_nothing_is_lost() -> None:
    for table in (b"\x89PNG\r\n\x1a\n" + bytes(99), b"PK\3\4" + bytes(99), b"a,b\n1,2\n", b"\n"):
        reply = post("/mark", game="cards", table=("class.csv", table))
        assert (reply.status, b"verdict bad" in reply.body) == (422, True)
    many = "Name;3 3 8 8\n" + "".join(f"N{number};1\n" for number in range(10_001))
    assert post("/mark", game="cards", pasted=many).status == 422
    assert post("/mark", game="cards", answers="[[1]]").status == 422
    empty = post("/mark", game="cards")
    assert (empty.status, b"<table" in empty.body) == (422, False)
    assert b"verdict bad" not in reply_to(Request("/mark")).body


def test_forms_are_taken_by_these_pages_only_and_have_a_limit() -> None:
    assert [post(path, game="cards").status for path in ("/play", "/quiz")] == [405, 405]
    assert post("/mark", pasted="x" * MAX_BODY_BYTES).status == 413
    reply = reply_to(Request("/mark", "", "POST", b"x=1", "application/x-www-form-urlencoded"))
    assert (reply.status, "was not sent as a form with files" in text_of(reply.body)) == (400, True)
    kind = "multipart/form-data; boundary=x"
    broken = b'--x\r\ncontent-disposition: form-data; name="pasted"\r\n\r\n\xff\r\n--x--\r\n'
    assert reply_to(Request("/mark", "", "POST", broken, kind)).status == 400


def test_results_are_counted_saved_and_verified() -> None:
    shown = get("/results", "target=143")
    assert "143 48 50" in shown
    assert "crisps24 results 143" in shown
    saved = reply_to(Request("/results.download", "target=143"))
    assert saved.body == RESULTS.read_bytes()
    assert dict(saved.headers)["content-disposition"].endswith('"results.143"')
    assert "20 2799 2801 21 2625 2627" in get("/results", "targets=20..21")
    assert "crisps24 results 24 --length=3" in get("/results", "target=24&length=3")
    right = post("/results", file=("results.143", saved.body))
    assert "48 combinations make 143" in text_of(right.body)
    damaged = saved.body.replace(b"2   8   9   1", b"2   8   9   2")
    wrong = text_of(post("/results", file=("my file.txt", damaged), target="143").body)
    assert ("not right" in wrong, "missing: 2 x 8 x 9 - 1" in wrong) == (True, True)
    assert post("/results", file=("theirs.txt", saved.body)).status == 422


def test_quizzes_show_three_questions_and_are_saved() -> None:
    shown = get("/quiz", "game=cards&seed=7&count=5&for=gimkit&ask=value&language=nl")
    assert shown.count("✓") == 3
    assert "crisps24 quiz cards --count 5 --seed 7 --ask value --language nl --for gimkit" in shown
    saved = reply_to(Request("/quiz.download", "game=cards&seed=7&count=5&for=gimkit"))
    rows = [*csv.reader(saved.body.decode("utf-8-sig").splitlines())]
    assert (rows[0][0], len(rows)) == ("Gimkit Spreadsheet Import Template", 7)
    canvas = reply_to(Request("/quiz.download", "game=cards&seed=7&count=2&for=canvas"))
    assert "imsmanifest.xml" in ZipFile(BytesIO(canvas.body)).namelist()
    assert reply_to(Request("/quiz", "game=cards&seed=7&for=paper")).status == 422


def test_files_for_phones_can_be_tried_and_saved() -> None:
    query = "game=cards&seed=7&count=4&title=5b&no_solutions=yes"
    shown = get("/phones", query)
    assert "crisps24 page cards --count 4 --seed 7 --title 5b --no-solutions" in shown
    tried = reply_to(Request("/phones.html", query))
    headers = dict(tried.headers)
    assert "sha256-" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "SAMEORIGIN"
    assert reply_to(Request("/phones.download", query)).body == tried.body
    assert b'"answer"' not in tried.body
    assert reply_to(Request("/phones.html", "game=cards")).status == 422


SHEET = {"game": "cards", "seed": "7", "count": "2", "versions": "2"}
CLASS = "Name;Gruppe\nJürgen;B\nAnna;A\nEmil;\n"


@pytest.mark.usefixtures("_reportlab")
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("form", ["pdf", "csv", "xlsx"])
def test_names_give_the_files_of_the_command(form: str, language: str, run: Run) -> None:
    pytest.importorskip("xlsxwriter", reason="a workbook needs the extra `excel`")
    command = get("/sheet", urlencode(SHEET), language).rpartition("crisps24 sheet ")[2]
    table = "class.csv" if form == "csv" else "class.xlsx"
    Path("names.csv").write_text(CLASS, encoding="utf-8")
    assert run(f"sheet {command.partition(' class.xlsx')[0]}", table).status == 0
    fields: dict[str, str | tuple[str, bytes]] = {**SHEET, "names": CLASS}
    if language == "de":
        fields = {**SHEET, "names_file": ("klasse.csv", CLASS.encode("cp1252"))}
    written = Path("sheet.pdf" if form == "pdf" else table).read_bytes()
    assert post(f"/sheet.{form}", language, **fields).body == written


def test_names_are_never_in_an_address_and_given_once() -> None:
    page = reply_to(Request("/sheet", urlencode(SHEET))).body.decode()
    [form] = re.findall(r'<form action="/sheet.pdf"[\s\S]*?</form>', page)
    assert 'method="post"' in form
    assert page.count('name="names"') == form.count('name="names"') == 1
    assert reply_to(Request("/sheet", urlencode({**SHEET, "names": "Emil"}))).status == 400
    both = post("/sheet.csv", **SHEET, names="Emil", names_file=("a.csv", b"Anna"))
    assert "give only one" in text_of(both.body)


def test_a_table_of_the_page_is_marked_on_the_page() -> None:
    table = post("/sheet.csv", "de", **SHEET, names=CLASS).body.decode("utf-8-sig")
    head, *rows = (line.split(";") for line in table.splitlines())
    columns = [dict(re.findall(r"([AB]) (\S+=24)", cell)) for cell in head[2:]]
    for row in rows:
        row[2:] = [puzzle_of(column[row[1]]).answer() for column in columns]
    shown = shown_marks(game="cards", pasted="\n".join(map(";".join, [head, *rows])))
    for name in ("Jürgen", "Anna", "Emil"):
        assert re.search(rf"{name} (?:– )*✓ (?:– )*✓ (?:– )*2 of 2", shown)
