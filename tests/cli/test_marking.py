"""A class from the command line: a table to fill in, its answers judged, its marks; and a quiz."""

import csv
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from crisps24 import deal, puzzle_of
from crisps24.cli.program import main
from crisps24.paper.quizzes import questions
from tests.drawing.test_gift import read_gift

Run = Callable[[str], tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that calls the program in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return lambda line: (main(shlex.split(line)), *capsys.readouterr())


def table(name: str, sign: str = ",") -> list[list[str]]:
    return list(csv.reader(Path(name).read_text().splitlines(), delimiter=sign))


def test_from_a_blank_table_to_marks(run: Run) -> None:
    assert run("deal cards --count 3 --seed 7 --out answers.csv --blank")[0] == 0
    [heads] = table("answers.csv")
    dealt = list(deal("cards", 3, seed=7))
    assert heads == ["name", *(f"{at} {each.id}" for at, each in enumerate(dealt, 1))]
    rows = [
        ["Ann", *(each.answer() for each in dealt)],
        ["Бо", "12 + 6", "", "9 / 9 + 12 + 11 = 24"],
        ["=1+1", "<answer>12 + 6 + 6 x 1</answer>", "nothing", "-1"],
    ]
    with Path("answers.csv").open("a", newline="") as file:
        csv.writer(file).writerows([*rows, [""] * 4, []])
    status, out, err = run("judge --file answers.csv --sheet marks.csv")
    assert (status, err) == (1, "")
    assert out.startswith("marks.csv\n\nverdict")
    assert "right      ok                       5" in out
    marks = table("marks.csv")
    assert [row[:3] for row in marks] == [
        ["name", "right", "answers"],
        ["Ann", "3", "3"],
        ["Бо", "1", "2"],
        ["'=1+1", "1", "3"],
        ["likeliest answer", "", ""],
    ]
    assert marks[2][3:] == ["12 + 6: it uses 12 6, and the hand is 1 6 6 12", "", "right"]
    assert marks[4][3:] == [each.answer() for each in dealt]


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_a_table_is_read_as_spreadsheets_write_it(sign: str, run: Run) -> None:
    rule = '"cards:3.3.8.8=24,zero=no"' if sign == "," else "cards:3.3.8.8=24,zero=no"
    lines = [f"Naam{sign}1 cards:3.8=24{sign}{rule}", f"Zoë{sign}3 x 8{sign}8 / (3 - 8 / 3)"]
    Path("class.csv").write_text("\ufeff" + "\r\n".join(lines) + "\r\n")
    assert run("judge --file class.csv --sheet marks.tsv")[0] == 0
    assert table("marks.tsv", "\t")[1] == ["Zoë", "2", "2", "right", "right"]


def test_answers_may_come_a_line_each(run: Run) -> None:
    lines = ["name,id,answer", "Ann,cards:3.8=24,3 x 8", "Ann,cards:4.6=24,4 + 6", "Bo,nothing,7"]
    Path("class.csv").write_text("\n".join(lines))
    status, _, err = run("judge --file class.csv --sheet marks.csv --workers 2")
    assert status == 2
    assert "line 4: there are no numbers to hold the answer to" in err
    assert table("marks.csv")[1:2] == [["Ann", "1", "2", "right", "4 + 6: it makes 10, not 24"]]
    # Without a sheet the rows are told as ever.
    Path("wide.csv").write_text("name,1 cards:3.8=24,cards:4.6=24\nAnn,3 x 8,\n")
    told = run("judge --file wide.csv --format csv")[1]
    assert told.splitlines()[1:] == [
        "Ann,cards:3.8=24,3 x 8,2,right,ok,1.0,24,3 x 8,",
        "Ann,cards:4.6=24,,2,none,no-answer,0.0,,,there is no answer in it",
    ]


def test_marks_on_paper(run: Run) -> None:
    Path("class.csv").write_text("name,1 cards:3.8=24\n<i>Ann</i>,3 x 8\n李,8 - 3\n")
    assert (
        run("judge --file class.csv --sheet marks.html --title 'Class <3>' --paper letter")[0] == 1
    )
    page = Path("marks.html").read_text()
    assert "Class &lt;3&gt;" in page
    assert "&lt;i&gt;Ann&lt;/i&gt;" in page
    assert "李" in page
    assert "width: 215.9mm" not in page
    assert "size: 215.9mm 279.4mm" in page


def test_marks_in_another_language(run: Run) -> None:
    Path("class.csv").write_text("name,1 cards:3.3.8.8=24\n,3 x 8\n")
    assert run("judge --file class.csv --sheet marks.html --language DE")[0] == 1
    page = Path("marks.html").read_text()
    assert '<html lang="de">' in page
    for told in ("<title>Auswertung<", ">(ohne Namen)<", ">0 von 1<", ">8 : (3 − 8 : 3)<"):
        assert told in page


def test_marks_as_a_pdf(run: Run) -> None:
    pytest.importorskip("reportlab", reason="a PDF needs the extra `sheets`")
    from pypdf import PdfReader

    Path("class.csv").write_text("name,1 cards:3.8=24\nZoë,3 x 8\nBo,8 - 3\n")
    assert run("judge --file class.csv --sheet marks.pdf")[0] == 1
    texts = [page.extract_text() for page in PdfReader("marks.pdf").pages]
    assert len(texts) == 2
    assert "Zoë" in texts[0]
    assert "8 - 3: it makes 5, not 24" in texts[1]


WRONG = [
    ("judge '3 x 8' --card 'cards:3.8=24' --sheet marks.csv", "--sheet is for the answers of a --"),
    ("judge --file class.csv --title x", "--title is for a --sheet: say where to"),
    ("judge --file class.csv --language nl", "--language is for a --sheet: say where to"),
    ("judge --file class.csv --sheet marks.csv --language nl", "--language is for paper: no .csv"),
    ("judge --file class.csv --sheet marks.json --title x", "--title is for paper: no .json has i"),
    ("judge --file class.csv --sheet marks.svg", "the end of the name tells what it is: .pdf, .ht"),
    ("judge --file class.csv --sheet nowhere/marks.csv", "nowhere"),
    ("judge --file class.csv --sheet marks.html --paper a9", "there is no paper 'a9'"),
    ("judge --file empty.csv --sheet marks.html", "there is nobody to mark"),
    ("deal cards --blank", "--blank is for sheets: say with --out where to"),
    ("deal cards --blank --out a.json", "--blank is a table: .csv or .tsv, and no .json"),
    ("deal cards --blank --out a.csv --fields id", "names and answers alone: no --fields"),
    ("deal cards --quiz q.gift --out a.csv", "a --quiz has questions alone: no --out"),
    ("deal cards --quiz q.gift --answers", "a --quiz has questions alone: no --answers"),
    ("deal cards --ask sign", "--ask says what a --quiz asks: give one"),
    ("deal cards --quiz q.gift --ask colour", "there is no question 'colour'; there are hand, si"),
    ("deal cards --quiz nowhere/q.gift", "nowhere"),
]


@pytest.mark.parametrize(("line", "sentence"), WRONG)
def test_a_wrong_call_is_refused_in_one_line(line: str, sentence: str, run: Run) -> None:
    Path("class.csv").write_text("name,1 cards:3.8=24\nAnn,3 x 8\n")
    Path("empty.csv").write_text("name,1 cards:3.8=24\n,\n , \n")
    status, out, err = run(line)
    assert (status, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert not [*Path().glob("marks*"), *Path().glob("q.*"), *Path().glob("a.*")]


def test_a_quiz_is_written_whole(run: Run) -> None:
    status, out, _ = run("deal cards --count 4 --seed 7 --quiz quiz.gift --ask sign,hand")
    assert (status, out.splitlines()[0]) == (0, "quiz.gift")
    text = Path("quiz.gift").read_text()
    assert text.startswith("// crisps24 deal cards --count 4 --seed 7 (drawing 2)\n\n::")
    asked = read_gift(text)
    assert asked == list(questions(deal("cards", 4, seed=7), ["sign", "hand"]))
    assert all(puzzle_of(each.title).solvable for each in asked)
    assert run("deal cards --count 2 --seed 7 --quiz vragen.gift --ask sign --language nl")[0] == 0
    [first, _] = read_gift(Path("vragen.gift").read_text())
    assert first.text == "Welk teken ontbreekt? 12 + 6 ? 6 × 1 = 24"
    # What cannot be asked leaves no file.
    assert run("deal countdown --seed 1 --quiz other.gift --ask step")[0] == 2
    assert not Path("other.gift").exists()
