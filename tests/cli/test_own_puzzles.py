"""Own puzzles: --file, ids and numbers in all commands that deal; levels of a mix; own cards."""

import json
from pathlib import Path

import pytest

from crisps24 import puzzle_of
from crisps24.puzzles.conditions import Conditions
from crisps24.puzzles.dealing import deal
from crisps24.puzzles.draws import VERSION
from tests.commands import Run
from tests.sampling import in_one_test

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


def test_results_of_two_pages_with_own_puzzles_do_not_mix(run: Run) -> None:
    keys = []
    for id_ in IDS[:2]:
        run(f"page {id_} --out a.html")
        keys.append(Path("a.html").read_text().partition('"key": "')[2].partition('"')[0])
    assert len({*keys}) == 2


def test_play_takes_a_file(run: Run) -> None:
    Path("cards.txt").write_text(f"{IDS[0]}\n4 3 8 4\n")
    ran = run("play --file cards.txt", typed=b"8/(3-8/3)\n4+3x8-4\n")
    assert (ran.status, ran.out.count("correct: ")) == (0, 2)
    assert "2 of 2 correct" in ran.out
    assert run("play 1 1 1 1", typed=b"q\n").status == 0
    assert run("play --file -", typed=b"1 1 1 1\n").status == 1


def test_every_wrong_line_is_named_and_nothing_is_written(run: Run) -> None:
    wrong = b"1 1 1 1\n3 3 8 x\n3 3 8 8 = 1 = 2\n" + b'{"nums": [3]\n'
    cases = {
        wrong: (2, [2, 3, 4]),
        b"4 3 8 4\n1 1 1 1\n\n1 1 1 2\n": (1, [2, 4]),
        b"x\n" * 30: (2, [*range(1, 21)]),
        b"": (2, []),
        b"# none\n": (2, []),
        b"%PDF-1.4\n": (2, []),
        b"4 3 8 4\n" * 100_001: (2, []),
    }
    for typed, (status, lines) in cases.items():
        ran = run("sheet --file - --out a.html", typed=typed)
        found = [int(line.split()[2][:-1]) for line in ran.err.splitlines() if " line " in line]
        assert (ran.status, ran.out, found) == (status, "", lines), ran.err[:500]
        assert "Traceback" not in ran.err
    assert not Path("a.html").exists()


MIXES = ["cards --mix 3,0,2,0,1", "countdown --mix 1,1,0,1,0"]
MIXES += ["cards --length 3..4 --mix 2,0,2,0,0"]


@pytest.mark.parametrize("call", MIXES)
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
    few = run(call)
    assert all("1/2" in map(str, row["hand"]) for row in few.rows)


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
    text = "\n".join(CARD_LINES)
    rows = run("check --file - --format json", typed=text.encode()).rows
    found = [(row["verdict"], row["formula"]) for row in rows]
    assert dict(zip(CARD_LINES, found, strict=True)) == CARD_LINES
    table = 'card;formula\n4 3 8 4;4 + 3 x 8 - 4\n"4 3 8 5";4 + 3\n;9 : 3\n'
    rows = run("check --file - --format json", typed=table.encode()).rows
    verdicts = {row["line"]: row["verdict"] for row in rows}
    assert verdicts == {2: "right", 3: "wrong", 4: "legal"}


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
