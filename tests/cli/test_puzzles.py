"""Commands that deal: the puzzles that options choose, own ones, data sets, and pages."""

import json
import re
from collections.abc import Callable
from datetime import date, timedelta
from itertools import chain, permutations
from pathlib import Path
from typing import Any

import pytest

from crisps24.cli.puzzles import _PARTS
from crisps24.player.files import daily_key
from crisps24.puzzle import puzzle_of
from crisps24.puzzles.conditions import Conditions
from crisps24.puzzles.daily import daily
from crisps24.puzzles.dealing import deal
from crisps24.puzzles.draws import VERSION
from crisps24.rules.games import GAMES
from tests.commands import Run
from tests.sampling import in_one_test

CALLS: dict[str, dict[str, Any]] = {
    "cards": {},
    "cards --rising": {"rising": True},
    "cards --level 2..4 --rising": {"conditions": Conditions(levels=range(2, 5)), "rising": True},
    "cards --target 20": {"target": 20},
    "countdown --targets 300..400": {"targets": range(300, 401)},
    "cards --plain --essential --solutions 1..2": {
        "conditions": Conditions(plain=True, essential=True, solutions=range(1, 3))
    },
    "cards --length 3..5": {"conditions": Conditions(lengths=range(3, 6))},
    "cards --length 3": {"conditions": Conditions(lengths=range(3, 4))},
    "countdown --length 3..4 --large 1 --target 50": {
        "target": 50,
        "conditions": Conditions(lengths=range(3, 5), large=1),
    },
}


def test_command_deals_the_same_puzzles_as_the_library(run: Run) -> None:
    for words, arguments in CALLS.items():
        rows = run(f"deal {words} --count 6 --seed 5 --format json").rows
        expected = list(deal(words.split()[0], 6, seed=5, **arguments))
        assert [row["id"] for row in rows] == [puzzle.id for puzzle in expected], words
        bits = [row["bits"] for row in rows]
        assert (bits == sorted(bits)) == arguments.get("rising", False)


PRINTED = (
    *("--target 24", "--targets 20..30", "--level 2..3", "--length 3..4", "--solutions 1..3"),
    *("--solutions 1..3 --essential", "--plain", "--closest", "--repeat", "--trivial", "--steps 3"),
    *("--used 4", "--unsolvable 50%", "--needs-fractions", "--no-needs-fractions"),
    "--no-needs-negatives",
)


def test_printed_command_has_each_condition(run: Run) -> None:
    for options in (*PRINTED, "--large 0", "--whole"):
        game = {"--large 0": "countdown", "--whole": "fractions24"}.get(options, "digits")
        line = f"crisps24 deal {game} --count 1 --seed 7 {options}"
        ran = run(line.removeprefix("crisps24 "))
        assert ran.out.endswith(f": {line}\n"), (line, ran.out, ran.err)


def test_sheet_of_several_lengths_has_no_number_of_cards(run: Run) -> None:
    assert run("sheet cards --length 3..4 --count 6 --seed 1 --out a.html").status == 0
    assert "Use all numbers once each, with" in Path("a.html").read_text()


def test_needs_options_choose_what_is_printed_and_played(run: Run) -> None:
    line = "cards --count 3 --seed 1 --needs-fractions --no-zero"
    dealt = run(f"deal {line} --format json").rows
    for words in ("sheet {} --out a.html", "page {} --out b.html", "quiz {} --out c.gift"):
        assert run(words.format(line)).status == 0, words
    # The rules are those of the puzzles, not of the game.
    assert "but not zero" in Path("a.html").read_text()
    played = Path("b.html").read_text()
    for row in dealt:
        puzzle = puzzle_of(row["id"])
        assert puzzle.needs_fractions
        assert str([*map(str, puzzle.hand)]).replace("'", '"') in played


IDS = ["cards:3.3.8.8=24", "cards:1.5.5.5=24", "crisps:4.3.8.4=24", "cards:1.6.6.12=25"]
FORMS = {
    "ids": "# ids\n\n" + "\n".join(IDS),
    "hands": "\n".join(["3 3 8 8", "1,5,5,5 # a comment", IDS[2], "1 6 6 12 -> 25"]),
    "jsonl": "\n".join(json.dumps({"id": id_}) for id_ in IDS),
    "csv": "hand,target,game\n3 3 8 8,,cards\n1 5 5 5,24,\n4 3 8 4,24,crisps\n1 6 6 12,25,cards\n",
    "tsv": "hand\ttarget\tid\n3 3 8 8\t\t\n1 5 5 5\t24\t\n\t\tcrisps:4.3.8.4=24\n1 6 6 12\t25\t\n",
}


@in_one_test("form", *FORMS)
def test_every_form_of_file_has_the_same_puzzles(form: str, run: Run) -> None:
    Path("cards").write_text(FORMS[form])
    rows = run("deal cards --file cards --format jsonl").rows
    assert [row["id"] for row in rows] == IDS
    assert [row["level"] for row in rows] == [puzzle_of(id_).level for id_ in IDS]
    assert run("deal cards --file - --format jsonl", typed=FORMS[form].encode()).rows == rows
    rising = run("deal cards --file cards --rising --format jsonl").rows
    assert [row["id"] for row in rising] == [IDS[index] for index in (2, 3, 1, 0)]
    solved = run("solve --file cards --game cards --format jsonl").rows
    assert [row["numbers"] for row in solved] == [row["hand"] for row in rows]


PRODUCTS = {
    "sheet": (".html", ("8 ÷ (3 − 8 ÷ 3)", "5 × (5 − 1 ÷ 5)")),
    "page": (".html", ('"hand": ["3", "3", "8", "8"]', '"hand": ["1", "5", "5", "5"]')),
    "quiz": (".gift", ("3.3.8.8", "1.5.5.5")),
}


@pytest.mark.parametrize("command", PRODUCTS)
def test_products_take_ids_numbers_and_files(command: str, run: Run) -> None:
    suffix, parts = PRODUCTS[command]
    Path("cards.txt").write_text("\n".join(IDS[:2]))
    for words, count in ((" ".join(IDS[:2]), 2), ("--file cards.txt", 2), ("cards 3 3 8 8", 1)):
        ran = run(f"{command} {words} --out a{suffix}")
        assert (ran.status, ran.out) == (0, f"a{suffix}\n"), ran.err
        text = Path(f"a{suffix}").read_text()
        assert "drawing" not in text
        assert [part in text for part in parts] == [True, count == 2]
    assert run(f"{command} cards 1 1 1 1 --out b{suffix}").status == 1
    assert not Path(f"b{suffix}").exists()
    # Questions are about solutions.
    expected = 2 if command == "quiz" else 0
    assert run(f"{command} cards 1 1 1 1 --unsolvable-too --out b{suffix}").status == expected
    if command != "quiz":
        assert "one game" in run(f"{command} {IDS[0]} {IDS[2]} --out c{suffix}").err


def test_play_takes_a_file(run: Run) -> None:
    Path("cards.txt").write_text(f"{IDS[0]}\n4 3 8 4\n")
    ran = run("play --file cards.txt", typed=b"8/(3-8/3)\n4+3x8-4\n")
    assert (ran.status, ran.out.count("correct: ")) == (0, 2)
    assert "2 of 2 correct" in ran.out
    assert run("play 1 1 1 1", typed=b"q\n").status == 0
    assert run("play --file -", typed=b"1 1 1 1\n").status == 1


def test_every_wrong_line_is_named_and_nothing_is_written(run: Run) -> None:
    wrong = b"1 1 1 1\n3 3 8 x\n3 3 8 8 = 1 = 2\n" + b'{"nums": [3]\n'
    cases = {wrong: (2, [2, 3, 4]), b"4 3 8 4\n1 1 1 1\n\n1 1 1 2\n": (1, [2, 4])}
    cases |= {b"x\n" * 30: (2, [*range(1, 21)])}
    cases |= dict.fromkeys((b"", b"# none\n", b"%PDF-1.4\n", b"4 3 8 4\n" * 100_001), (2, []))
    for typed, (status, lines) in cases.items():
        ran = run("sheet --file - --out a.html", typed=typed)
        found = [int(line.split()[2][:-1]) for line in ran.err.splitlines() if " line " in line]
        assert (ran.status, ran.out, found) == (status, "", lines), ran.err[:500]
        assert "Traceback" not in ran.err
    assert not Path("a.html").exists()


@pytest.mark.parametrize(
    "call",
    ["cards --mix 3,0,2,0,1", "countdown --mix 1,1,0,1,0", "cards --length 3..4 --mix 2,0,2,0,0"],
)
def test_a_mix_has_so_many_puzzles_of_each_level(call: str, run: Run) -> None:
    mix = [int(count) for count in call.rpartition(" ")[2].split(",")]
    expected = [level for level, count in enumerate(mix, 1) for _ in range(count)]
    rows = run(f"deal {call} --seed 3 --format json").rows
    assert sorted(row["level"] for row in rows) == expected
    assert len({tuple(row["hand"]) for row in rows}) == len(rows)
    rising = run(f"deal {call} --seed 3 --rising --format json").rows
    assert [row["level"] for row in rising] == expected
    assert sorted(row["id"] for row in rising) == sorted(row["id"] for row in rows)


def test_the_library_deals_a_mix() -> None:
    dealt = deal("cards", mix=(1, 0, 0, 0, 2), seed=3)
    assert sorted(puzzle.level or 0 for puzzle in dealt) == [1, 5, 5]
    assert dealt.command == "crisps24 deal cards --mix 1,0,0,0,2 --seed 3"
    for mix in ((1, 2), (0, 0, 0, 0, 0), (1, 1, 1, 1, -1), "11111", (1, 1, 1, 1, True)):
        with pytest.raises(ValueError, match="mix"):
            deal("cards", mix=mix)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="only one"):
        deal("cards", mix=(1, 1, 1, 1, 1), conditions=Conditions(levels=range(1, 3)))


def test_hands_of_a_game_with_fractions_have_one_unless_asked(run: Run) -> None:
    call = "deal fractions24 --count 40 --seed 2 --format json"
    for words in ("", "--whole"):
        ran = run(f"{call} {words}")
        is_fraction = [any("/" in str(number) for number in row["hand"]) for row in ran.rows]
        assert all(is_fraction) == (not words)
        assert f"drawing {VERSION}: " in ran.err
    call = "deal cards --numbers 1/2,1..3 --length 2 --target 3 --count 9 --repeat --format json"
    assert all("1/2" in map(str, row["hand"]) for row in run(call).rows)


# A line of check --file, its verdict and its formula.
CARD_LINES = {
    "4 3 8 4: 4 + 3 x 8 - 4": ("right", "4 + 3 x 8 - 4"),
    "4 3 8 4 ; 4 + 3 x 8 - 4 = 24": ("right", "4 + 3 x 8 - 4 = 24"),
    "4\t3 8 4:4 + 3 x 8 - 4": ("right", "4 + 3 x 8 - 4"),
    "4 3 8 5: 4 + 3 x 8 - 4": ("wrong", "4 + 3 x 8 - 4"),
    "9 : 3": ("legal", "9 : 3"),
    "9 : 3 : 3": ("legal", "9 : 3 : 3"),
    "8 : 4 ; 2": ("malformed", "8 : 4 ; 2"),
    "4 3:": ("malformed", "4 3:"),
    "4 3 8 4: 4 3": ("malformed", "4 3"),
}


def test_check_reads_a_card_before_its_formula(run: Run) -> None:
    rows = run("check --file - --format json", typed="\n".join(CARD_LINES).encode()).rows
    found = [(row["verdict"], row["formula"]) for row in rows]
    assert dict(zip(CARD_LINES, found, strict=True)) == CARD_LINES
    table = 'card;formula\n4 3 8 4;4 + 3 x 8 - 4\n"4 3 8 5";4 + 3\n;9 : 3\n'
    rows = run("check --file - --format json", typed=table.encode()).rows
    assert {row["line"]: row["verdict"] for row in rows} == {2: "right", 3: "wrong", 4: "legal"}


def test_the_sheet_page_has_a_box_for_own_cards() -> None:
    pytest.importorskip("jinja2", reason="the pages need the extra `web`")
    from urllib.parse import urlencode

    from crisps24.pages.answering import answer

    cases = {
        "3 3 8 8\n1 5 5 5": (200, "crisps24 sheet cards:3.3.8.8=24 cards:1.5.5.5=24"),
        "3 3 8 8\n1 1 1 1": (422, "line 2: 24 cannot be made from 1 1 1 1"),
        "3 3 8 8\n" * 101: (422, "101 lines (at most 100)"),
    }
    for own, (status, part) in cases.items():
        reply = answer("/sheet", urlencode({"game": "cards", "own": own, "count": "12"}))
        assert (reply.status, part in reply.body.decode()) == (status, True), own[:50]
    pdf = answer("/sheet.pdf", urlencode({"own": IDS[0]}))
    assert pdf.body.startswith(b"%PDF") or pdf.status == 422


FIELDS = "hand,target,answer,rules,metadata,solvable,used"
DEAL = "deal crisps --seed 4 --count 120 --targets 1..40 --repeat --unsolvable 20%"


def test_parts_do_not_overlap(run: Run) -> None:
    dealt = run(f"{DEAL} --format jsonl").rows
    assert run(f"{DEAL} --split 60,25,15 --out a.b.jsonl").out.startswith("a.b-train.jsonl\n")
    names = [f"a.b-{part}.jsonl" for part in _PARTS]
    parts = [[json.loads(line) for line in Path(name).read_text().splitlines()] for name in names]
    assert sorted(map(str, chain(*parts))) == sorted(map(str, dealt))
    assert all(abs(len(part) - share) < 9 for part, share in zip(parts, (72, 30, 18), strict=True))
    for name, other in permutations(names, 2):
        assert run(f"audit {name} --against {other}").status == 0
    card = Path("a.b-README.md").read_text()
    assert f"crisps24 {DEAL.split(' --seed')[0]} --count 120 --seed 4" in card
    assert "| test       |" in card


def test_parts_have_no_puzzle_twice(run: Run) -> None:
    ran = run("deal cards --length 2 --count 20 --repeat --split 60,30,10 --out a.jsonl")
    assert ran.status == 2
    assert "only 5 different puzzles satisfy the conditions, and parts have no puzzle" in ran.err
    assert not list(Path.cwd().glob("a*"))


@pytest.mark.parametrize("options", ["", " --chat", f" --fields {FIELDS}"])
def test_parquet_has_the_rows(options: str, run: Run) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    for game in ("fractions24",) if options else ("cards", "fractions24"):
        call = f"deal {game} --count 12 --seed 3 --unsolvable 25%{options}"
        rows = run(f"{call} --format jsonl").rows
        run(f"{call} --out a.parquet")
        table = pq.read_table("a.parquet").to_pylist()
        assert [list(row) for row in table] == [list(row) for row in rows]
        report = run("audit a.parquet --format jsonl")
        assert (report.status, re.findall('cannot|"unsolvable"', report.out)) == (0, [])
        if game == "cards" and "rules" not in rows[0]:
            assert table == rows


def test_parts_can_have_numbers_of_puzzles_or_be_left_out(run: Run) -> None:
    call = "deal crisps --count 60 --seed 4 --targets 1..40 --repeat --chat"
    for split, sizes in (
        ("50,10", [50, 0, 10]),
        ("57,1,2", [57, 1, 2]),
        ("97.5,0,2.5", [59, 0, 1]),
    ):
        ran = run(f"{call} --split {split} --out a.jsonl")
        names = [f"a-{part}.jsonl" for part in _PARTS]
        counts = [Path(n).read_text().count("\n") if Path(n).exists() else 0 for n in names]
        assert counts == sizes, ran.err
        [line] = [line for line in ran.out.splitlines() if line.startswith("drawing")]
        assert " --chat --split " in line
        assert run(line.partition("crisps24 ")[2].replace("a.jsonl", "b.jsonl")).status == 0
        assert Path("a-test.jsonl").read_bytes() == Path("b-test.jsonl").read_bytes()
        for name in Path.cwd().glob("[ab]-*"):
            name.unlink()


Page = Callable[[str], Any]


@pytest.fixture
def page(run: Run) -> Page:
    """Return a function that calls page and returns the data of its file, a.html."""

    def page(words: str) -> Any:
        assert run(f"page {words} --out a.html").status == 0
        match = re.search(r'id="data">(.*?)</script>', Path("a.html").read_text("utf-8"), re.DOTALL)
        assert match
        return json.loads(match[1])

    return page


def test_results_of_two_pages_with_own_puzzles_do_not_mix(page: Page) -> None:
    assert len({page(id_)["key"] for id_ in IDS[:2]}) == 2


def test_file_has_the_puzzles_of_deal(run: Run, page: Page) -> None:
    line = "cards --count 3 --seed 7 --level 2..4"
    data = page(f"{line} --title Friday")
    dealt = run(f"deal {line}").out
    assert len(data["puzzles"]) == 3
    assert all(puzzle["id"] in dealt for puzzle in data["puzzles"])
    assert (data["title"], data["key"]) == ("Friday", f"crisps24 5 crisps24 deal {line}")
    assert run(f"page {line} --out b.html").out == f"b.html\ndrawing 5: crisps24 deal {line}\n"


def test_language_and_limit_are_in_the_file(page: Page) -> None:
    assert [page(f"--count 1 {each}")["language"] for each in ("", "--language en")] == ["", "en"]
    page("--count 1 --language nl")
    assert '<html lang="nl">' in Path("a.html").read_text("utf-8")
    limits = [page(f"countdown --count 1 {each}")["limit"] for each in ("", "--seconds 30")]
    assert limits == [0, 30]


def test_missing_signs_are_those_of_deal(run: Run, page: Page) -> None:
    for words in ("--count 2 --seed 7 --signs", "cards --count 2 --seed 7 --signs --equals"):
        data = page(words)
        dealt = run(f"deal {words} --format json").rows
        rows = [" ".join(word or "_" for word in puzzle["row"]) for puzzle in data["puzzles"]]
        assert rows == [row["puzzle"] for row in dealt]
        assert not data["game"]["parentheses"]
        assert not any("answer" in each for each in page(f"{words} --no-solutions")["puzzles"])


def test_daily_file_has_the_puzzles_of_play(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisps24.cli.puzzles._DAYS", 40)
    data = page("crisps --daily --date 2026-01-20")
    assert data["first"] == "2026-01-20"
    days = (date(2026, 1, 20) + timedelta(days=index) for index in range(40))
    assert [each["id"] for each in data["puzzles"]] == [daily("crisps", day)[0].id for day in days]
    # The pages of the days have the same key.
    other = page("crisps --daily --date 2026-01-21")
    assert data["key"] == other["key"] == daily_key(GAMES["crisps"])
