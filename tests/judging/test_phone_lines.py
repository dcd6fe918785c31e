"""Result lines of phones: what is found in a text, and which damage of a code is noticed."""

import json
from datetime import date
from itertools import starmap
from random import Random

import pytest

from crisps24 import GAMES, RefusedError, deal
from crisps24.judging.phone_lines import (
    CODE_DIGITS,
    PhonePage,
    PhoneResults,
    Played,
    has_phone_results,
    page_tag,
    read_code,
    read_phone_page,
    read_phone_results,
)
from crisps24.player.files import file_record, puzzle_records, render_file
from tests.phones import code_of, line_of
from tests.player.browser import record_of
from tests.sampling import in_one_test

RANDOM = Random(5)
# Digits of ends: 2 not played, 3 shown, 4 solved, 5 solved in 15 seconds, N with hints.


def shown(results: PhoneResults) -> list[str]:
    return [each.text() for each in (*results.damaged, *results.notes)]


def names(results: PhoneResults) -> dict[str, int]:
    return {pupil.name: pupil.solved for pupil in results.pupils}


def codes() -> list[str]:
    return [code_of("".join(RANDOM.choices(CODE_DIGITS, k=count))) for count in (0, 1, 10, 23, 40)]


def test_each_wrong_digit_and_each_swap_of_neighbours_is_noticed() -> None:
    for code in codes():
        for place, digit in enumerate(code):
            for other in "0O1ILUZ?é" + CODE_DIGITS.replace(digit, ""):
                assert read_code(code[:place] + other + code[place + 1 :]) is None
        for place in range(len(code) - 1):
            one, other = code[place], code[place + 1]
            if one != other:
                assert read_code(code[:place] + other + one + code[place + 2 :]) is None


def test_two_wrong_digits_and_most_other_damage_are_noticed() -> None:
    for code in codes()[:4]:
        for _ in range(2_000):
            places = RANDOM.sample(range(len(code)), 2)
            digits = list(code)
            for place in places:
                digits[place] = RANDOM.choice(CODE_DIGITS.replace(code[place], ""))
            assert read_code("".join(digits)) is None
    code = codes()[2]
    tries = [*(code[:end] for end in range(len(code))), *(code[at:] for at in range(1, len(code)))]
    tries += [code[:at] + digit + code[at:] for at in range(len(code) + 1) for digit in CODE_DIGITS]
    tries += ["".join(RANDOM.choices(CODE_DIGITS, k=len(code))) for _ in range(20_000)]
    passed = sum(read_code(each) is not None for each in tries if each != code)
    assert passed / len(tries) < 2 / 841


WRAPPED = line_of("Ann", "3" * 10).replace(" · ", " ·\r\n> ")
CHAT = f"""
[29.11.26, 10:07:13] Ms Berg: Send me your line, please!
\u200e[29.11.26, 10:09:01] Emil: {line_of("Emil", "45N3")}
29/11/2026, 10:10 - Ann: here it is
{WRAPPED} thanks
12:01 Bo: {line_of("Bo", "5" * 10)[:-9]}
{line_of("Bo", "5" * 10)[-9:]}
Cy: {line_of("Cy", "4").lower().replace(" · ", " • ")}
"""


def test_lines_are_found_in_a_chat() -> None:
    results = read_phone_results(CHAT)
    assert names(results) == {"Emil": 3, "Ann": 0, "Bo": 10, "cy": 1}
    ends = (Played("right"), Played("right", 1), Played("hinted", 8), Played("shown"))
    assert results.pupils[0].played == ends
    assert results.puzzles == tuple(map(str, range(1, 11)))
    assert (shown(results), has_phone_results(CHAT)) == ([], True)


def test_best_attempts_of_a_name_count() -> None:
    played = (("Emil", "N535"), (" emil", "5N23"), ("", "5"), ("", "5"))
    results = read_phone_results("\n".join(starmap(line_of, played)))
    assert [(pupil.name, pupil.solved) for pupil in results.pupils] == [("emil", 3), ("", 1)]
    ends = (Played("right", 1), Played("right", 1), Played("shown"), Played("right", 1))
    assert results.pupils[0].played == ends
    # Nobody played the other puzzles.
    assert results.hardest()[:3] == [2, 0, 1]


def test_a_name_with_different_results_is_named() -> None:
    played = (("Emil", "45"), ("Emil", "455"), ("Ann", "4"), ("ann", "3"))
    results = read_phone_results("\n".join(starmap(line_of, played)))
    assert shown(results) == ["lines of one name differ, and the best attempts count: ann"]
    assert names(results) == {"Emil": 3, "ann": 1}
    many = [line_of(f"p{i}", digit) for i in range(25) for digit in "43"]
    [note] = shown(read_phone_results("\n".join(many)))
    assert note.endswith("p18, p19, …")


def test_a_page_of_days_is_refused() -> None:
    dealt = deal("cards", 1, seed=7)
    record = file_record(dealt.game, puzzle_records(dealt), key="k", first=date(2026, 11, 29))
    with pytest.raises(RefusedError, match="puzzle for each day"):
        read_phone_page(render_file(record))


def test_damaged_lines_and_those_of_other_pages_are_named() -> None:
    good = line_of("Emil", "45")
    lines = [good, line_of("Ann", "44", tag="XYX"), good[:-1] + ("A" if good[-1] != "A" else "B")]
    lines += [good.replace("2 of", "3 of"), "crisps24 · 1 Jan 2026 · cards, level 4 · no hints"]
    lines += ["crisps24 5b · Emil · 7 v", "crisps24 is fun", line_of("Dee", "4", 12, tag="XYX")]
    results = read_phone_results("\n".join([*lines, good]))
    assert names(results) == {"Emil": 2}
    damaged = "line {} is damaged, or not the result of a page of puzzles, and is not counted: {}"
    *told, others = shown(results)
    rests = [(at, lines[at - 1].removeprefix("crisps24").strip()) for at in (3, 4, 5, 6)]
    assert told == [damaged.format(number, text) for number, text in rests]
    assert others == "lines 2, 8 are of other pages, and are not counted"


def test_old_lines_are_read_as_far_as_they_go() -> None:
    old = ["crisps24 · Class 5b · 7 of 10 solved", "Crisps24 · 7 of 10 solved, 2 with hints"]
    old += ["crisps24 5b · Ann · 3 of 10 solved", "crisps24 · 1 of 12 solved"]
    results = read_phone_results("\n".join([*old, line_of("Emil", "45")]))
    solved = [(pupil.name, pupil.solved) for pupil in results.pupils]
    assert solved == [("", 7), ("", 7), ("Ann", 3), ("Emil", 2)]
    assert shown(results) == [
        "line 4 is of another page, and is not counted",
        "lines 1, 2, 3 have no code: only the numbers of solved puzzles are known",
    ]
    assert read_phone_results(old[0]).pupils[0].solved == 7


def test_page_is_read_from_its_file() -> None:
    dealt = deal("cards", 3, seed=7)
    records = puzzle_records(dealt, solutions=False)
    data = render_file(file_record(dealt.game, records, key="k", title="5b </script>"))
    page = read_phone_page(data)
    assert page == PhonePage(page_tag("cards", records), "5b </script>", tuple(p.id for p in dealt))
    assert json.dumps(page.tag).encode() in data
    results = read_phone_results("\n".join([line_of("Emil", "43", 3, tag=page.tag), CHAT]), page)
    assert (names(results), results.puzzles) == ({"Emil": 1}, page.puzzles)
    assert shown(results) == ["lines 4, 6, 10, 12 are of other pages, and are not counted"]
    [first, *_] = read_phone_page(render_file(record_of("signs"))).puzzles
    assert (first.count("_"), first.split("_")[0].strip().isdigit()) == (3, True)


def test_tag_is_that_of_the_puzzles() -> None:
    one, other = (puzzle_records(deal("cards", 3, seed=seed)) for seed in (1, 2))
    tags = [page_tag("cards", one), page_tag("cards", other), page_tag("krypto", one)]
    assert len(set(tags)) == 3
    assert file_record(GAMES["cards"], one, key="a", title="x")["tag"] == tags[0]


@in_one_test("text", "", "crisps24", "·" * 99)
def test_text_without_lines_is_refused(text: str) -> None:
    assert not has_phone_results(text)
    assert has_phone_results(f"{text} crisps24 5b · Emil · 1 of 3 solved · ABCDE")
    with pytest.raises(RefusedError, match="no result of a page of puzzles"):
        read_phone_results(text)


_DATA = '{"puzzles":[{"id":5}],"game":{"name":"cards"},"title":"","first":null}'
PAGES = ["", "<html>", "[]", _DATA, _DATA.replace("5", '"cards:x"'), "[" * 100_000]


@in_one_test("text", *PAGES)
def test_other_files_are_no_page(text: str) -> None:
    data = f'<script type="application/json" id="data">{text}</script>'.encode()
    with pytest.raises(RefusedError, match="does not play puzzles"):
        read_phone_page(data)


def test_any_text_is_read() -> None:
    parts = ["crisps24", " · ", "7 of 10 solved", "ABC", "\n", "> ", "9" * 30, "é"]
    parts.append("共 1 题，解出 1 题")
    for _ in range(2_000):
        text = "".join(RANDOM.choices(parts, k=12))
        if has_phone_results(text):
            read_phone_results(text)
