"""The file that plays puzzles: its policy, its data, and what it refuses."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from typing import Any

import pytest

from crisps24 import GAMES, Puzzle, RefusedError, deal
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH
from crisps24.player import files
from crisps24.puzzle import puzzle_of
from tests.player.node import PLAYER
from tests.sampling import in_one_test

OUTSIDE = re.compile(r"https?://(?!www\.w3\.org/2000/svg\b)|\bsrc=|\bhref=|url\(|@import|import\(")


def record_of(game: str, count: int = 2, *, solutions: bool = True, **settings: Any) -> Any:
    dealt = deal(game, count, seed=7)
    puzzles = files.puzzle_records(dealt, solutions=solutions)
    return files.file_record(dealt.game, puzzles, key="test", **settings)


def page_of(game: str, **settings: Any) -> str:
    return files.render_file(record_of(game, **settings)).decode()


def data_of(page: str) -> Any:
    [data] = re.findall(r'id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(data)


def rules_of(page: str, language: str = "en") -> str:
    return str(data_of(page)["languages"][language]["rules"])


@in_one_test("game", "crisps", "countdown")
def test_file_allows_only_its_own_script_and_style(game: str) -> None:
    page = page_of(game)
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        [text] = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
        assert not OUTSIDE.search(text)
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|\beval\b|new Function", text)
    without_scripts = re.sub(r"(?s)<script.*?</script>", "", page)
    assert not re.search(r"<[^>]* on[a-z]+=|<[^>]* style=", without_scripts)


@in_one_test("title", "</script><b>x", "<!--", "a & b \"c\" 'd'", "\u2028")
def test_title_is_escaped(title: str) -> None:
    page = page_of("cards", title=title)
    [head] = re.findall("<title>(.*?)</title>", page, re.DOTALL)
    assert data_of(page)["title"] == unescape(head) == title
    assert [page.count(text) for text in ("<b>x", "<!--", "</script>")] == [0, 0, 2]


def test_file_has_all_languages_with_the_signs_of_their_schools() -> None:
    languages = data_of(page_of("cards", language="nl"))["languages"]
    assert list(languages) == list(LANGUAGES)
    signs = {name: "".join(record["signs"].values()) for name, record in languages.items()}
    schools = {"en": "−+×÷", "nl": "−+×:", "es": "−+×:", "de": "−+·:", "fr": "−+×÷"}
    assert signs == schools | {"zh-Hans": "−+×÷"}
    assert "zu bilden" not in languages["en"]["rules"]
    assert languages["de"]["rules"].startswith("Bilde 24 mit +")
    german = data_of(page_of("cards", style="cards"))["languages"]["de"]
    assert "".join(german["signs"].values()) == "-+x/"


def test_texts_are_those_that_the_scripts_name() -> None:
    page = files.page_record(puzzle_of("cards:3.3.8.8=24"), ENGLISH, page={})
    texts = page["languages"]["en"]["texts"]
    scripts = "".join(path.read_text("utf-8") for path in PLAYER.glob("*.js"))
    assert len(files.PAGE_SCRIPTS) == len([*PLAYER.glob("*.js")])
    assert set(re.findall(r'say\("([a-z]+\.[a-z_]+)"', scripts)) <= {*texts}
    assert "page.start_told" not in texts
    assert {"step.remainder", "answer.makes", "times.twice", "file.share"} <= texts.keys()


def test_solutions_can_be_left_out() -> None:
    [first, _] = record_of("cards")["puzzles"]
    assert (first["answer"], first["ways"]) == ("(13 - 4 - 1) x 3", 2)
    for puzzle in data_of(page_of("cards", solutions=False))["puzzles"]:
        assert puzzle.keys() == {"id", "hand", "target", "level"}


def test_level_does_not_show_which_target_cannot_be_made() -> None:
    puzzles = [Puzzle((1, 1, 2, 2, 25, 75), target, GAMES["countdown"]) for target in (284, 100)]
    assert {record["level"] for record in files.puzzle_records(puzzles)} == {None}
    assert files.puzzle_records(puzzles[1:])[0]["level"] is not None


def test_rules_name_the_target_only_if_all_puzzles_have_it() -> None:
    texts = [rules_of(page_of(game)) for game in ("crisps", "countdown")]
    assert ["to make 24" in text for text in texts] == [True, False]


def test_rules_name_closest_values_if_a_target_may_be_out_of_reach() -> None:
    for target, solutions, is_near in ((999, True, True), (999, False, True), (12, True, False)):
        puzzle = puzzle_of(f"countdown:1.1.2.2.3.3={target}")
        records = files.puzzle_records([puzzle], solutions=solutions)
        page = files.render_file(files.file_record(puzzle.game, records, key="k")).decode()
        assert (ENGLISH.text("task.near") in rules_of(page)) == is_near


def test_row_has_its_missing_signs() -> None:
    record = files.row_record((6, 5, 24), (None, "="), "6 x 5 = 24")
    page = files.render_file(files.file_record(GAMES["crisps"], [record], key="test")).decode()
    assert "<li>6 _ 5 = 24</li>" in page
    assert rules_of(page, "nl").startswith("Zet in elk vakje een teken")


def test_file_without_scripts_lists_the_puzzles() -> None:
    page = page_of("cards", language="fr")
    [listed] = re.findall('<div class="still">(.*?)</div>', page, re.DOTALL)
    assert "active JavaScript" in listed
    assert "<li>1 3 4 13 → 24</li>" in listed


@in_one_test(
    ("game", "settings", "reason"),
    ("game24", {}, "its own order of operations"),
    ("cards", {"count": files.MAX_FILE_PUZZLES + 1}, "too many for one file"),
    ("cards", {"title": "x" * 201}, "at most 200 characters"),
    ("cards", {"style": "latex"}, "unknown style 'latex'"),
    ("crisps", {"faces": True}, "the numbers of crisps have no letters"),
)
def test_file_is_refused(game: str, settings: dict[str, Any], reason: str) -> None:
    with pytest.raises(RefusedError, match=reason):
        files.check_file(GAMES[game], **{"count": 1} | settings)
