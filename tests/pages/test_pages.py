"""Every page by Starlette's client: what is asked, and what comes back."""

import re
import shlex
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from time import process_time
from urllib.parse import parse_qs, urlsplit

import pytest

from crisps24 import GAMES, deal
from crisps24.about import __version__
from crisps24.cli.program import main
from crisps24.rules.games import HAND_GAMES
from crisps24.rules.operators import OPERATORS

pytest.importorskip("starlette", reason="the pages need the extra `web`")
pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from starlette.testclient import TestClient

from crisps24.messages.message import ENGLISH
from crisps24.pages import sentences
from crisps24.pages.addresses import _FIELDS
from crisps24.pages.answering import PAGES, answer
from crisps24.pages.play import MAX_PUZZLES
from crisps24.pages.sentences import _LABELS, _PLACEHOLDERS, say
from crisps24.puzzle import puzzle_of
from crisps24.puzzles.rounds import Round
from crisps24.web.work import REPLY_TIMEOUT
from tests.puzzles.test_rounds import ILLEGAL

VERDICTS = ("wrong", "illegal", "malformed")


def text_of(page: str) -> str:
    """Return what is to be read on a page, in a line."""
    page = re.sub(r'<span class="unseen pause">.*?</span>', "", page)
    bare = re.sub(r"<svg.*?</svg>|<[^>]+>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(bare).split())


class Outline(HTMLParser):
    """Which elements and attributes a page has."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def asked(client: TestClient, path: str, /, **words: object) -> str:
    answer = client.get(path, params={name: str(word) for name, word in words.items()})
    assert answer.status_code == 200, text_of(answer.text)
    return answer.text


def hidden(page: str) -> dict[str, str]:
    """Return the state that a page hands on."""
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page)
    return {name: unescape(word) for name, word in found}


def elements(page: str, tag: str) -> list[dict[str, str | None]]:
    """Return the attributes of all elements of a kind."""
    return [attributes for each, attributes in Outline(page).found if each == tag]


def field(page: str, name: str) -> dict[str, str | None]:
    """Return the attributes of the one field of a name that is seen."""
    [found] = [
        each
        for each in elements(page, "input")
        if (each.get("name"), each.get("type")) == (name, None)
    ]
    return found


def chosen(page: str) -> str:
    """Return the game that a form has chosen."""
    [found] = re.findall(r"<option selected>([a-z][a-z0-9]*)</option>", page)
    return str(found)


def focused(page: str) -> list[str]:
    """Return what has the focus at first, by its id or what it says."""
    return re.findall(r'<(?:[^>]*id="(\w+)"[^>]*|[^>]*) autofocus[^>]*>', page)


def link(page: str, words: str) -> tuple[str, dict[str, str]]:
    """Return where a link leads, and its words."""
    found = re.search(rf'<a[^>]*href="([^"]+)"[^>]*>{words}</a>', page)
    assert found, text_of(page)
    parts = urlsplit(unescape(found[1]))
    return parts.path, {name: each[0] for name, each in parse_qs(parts.query).items()}


@pytest.mark.parametrize("path", [path for path in PAGES if "." not in path and path != "/play"])
def test_every_page_opens_with_nothing_asked(client: TestClient, path: str) -> None:
    page = asked(client, path)
    assert page.startswith("<!doctype html>")
    assert '<html lang="en">' in page


def test_the_start_has_a_card_that_can_be_played(client: TestClient) -> None:
    page = asked(client, "/")
    # The card says what it is, and no other link has its name.
    [name] = re.findall(r"<a [^>]*><svg.*?<title>(.*?)</title>.*?</svg></a>", page, re.DOTALL)
    assert name == "make 24 from 8, 4, 4 and 3; level 1 of 5"
    assert page.count("Play this card") == 1
    path, words = link(page, "Play this card")
    assert (path, words) == ("/play", {"game": "crisps", "puzzle": "crisps:8.4.4.3=24"})
    assert "make 24 from 8 4 4 3" in text_of(asked(client, path, **words))


def test_health_tells_the_version(client: TestClient) -> None:
    assert client.get("/health").json() == {"status": "ok", "version": __version__}


def test_play_without_a_seed_is_sent_to_an_address_that_says_everything(
    client: TestClient,
) -> None:
    answer = client.get("/play?game=cards&level=3", follow_redirects=False)
    assert answer.status_code == 303
    place = urlsplit(answer.headers["location"])
    words = parse_qs(place.query)
    assert place.path == "/play"
    assert words["game"] == ["cards"]
    assert words["level"] == ["3"]
    assert re.fullmatch("[0-9]+", words["seed"][0])


@pytest.mark.parametrize("game", HAND_GAMES)
def test_the_puzzles_that_are_played_are_those_of_deal(client: TestClient, game: str) -> None:
    for number in (1, 11):
        page = asked(client, "/play", game=game, seed=7, n=number, limit=0)
        puzzle = deal(game, number, seed=7)[-1]
        assert f"make {puzzle.target} from {' '.join(map(str, puzzle.hand))}" in text_of(page)
        assert page.count('role="img"') == 1


def test_targets_of_a_range_are_dealt_as_deal_does(client: TestClient) -> None:
    page = asked(client, "/play", game="countdown", seed=7, targets="300..310", limit=0)
    [puzzle] = deal("countdown", 1, seed=7, targets=range(300, 311))
    assert f"make {puzzle.target} from {' '.join(map(str, puzzle.hand))}" in text_of(page)


def test_a_card_is_played_wrong_then_with_a_hint_then_right(client: TestClient) -> None:
    words = {"game": "cards", "seed": "7"}
    [puzzle] = deal("cards", 1, seed=7)
    answer = str(puzzle.solutions()[0].expression)
    typed = f"{puzzle.hand[0]} + 13 + 13"
    page = asked(client, "/play", **words, typed=typed)
    assert "13 is not in the hand" in text_of(page)
    state = hidden(page)
    assert state["wrong"] == "1"
    assert f'name="typed" value="{typed}"' in page
    page = asked(client, "/play", **state, key="?")
    state = hidden(page)
    assert (state["hints"], state["wrong"]) == ("1", "1")
    [step] = re.findall(r"try ([^<]+)", page)
    page = asked(client, "/play", **state, typed=unescape(step))
    state = hidden(page)
    assert state["steps"] == unescape(step)
    assert "Steps so far" in page
    assert 'name="typed" value=""' in page
    page = asked(client, "/play", **state, typed=answer)
    assert f"correct: {answer} = 24" in text_of(page)
    assert "1 solved" in page
    assert link(page, "Next puzzle") == ("/play", {**words, "n": "2", "score": "1"})
    assert link(page, "Play it again") == ("/play", words)


def test_a_fault_is_underlined_with_words_for_who_does_not_see_it(client: TestClient) -> None:
    page = asked(client, "/play", game="crisps", puzzle="crisps:9.7.2.3=24", typed="9 : 7 + 2 + 3")
    assert re.search(r"<mark><span class=\"unseen\">the mistake is here: </span>9 : 7<span", page)
    assert "9 : 7 leaves a remainder of 2" in page
    assert 'value="9 : 7 + 2 + 3"' in page


@pytest.mark.parametrize(("puzzle", "lines", "code"), ILLEGAL)
def test_an_illegal_step_is_marked_as_a_round_marks_it(
    client: TestClient, puzzle: str, lines: list[str], code: str
) -> None:
    before = Round(puzzle_of(puzzle))
    for line in lines[:-1]:
        before, _ = before.play(line)
    _, reply = before.play(lines[-1])
    assert reply.error is not None
    assert reply.error.code == code
    words = {"puzzle": puzzle, "steps": ", ".join(before.steps), "typed": lines[-1], "limit": 0}
    page = asked(client, "/play", game=before.puzzle.game.name, **words)
    assert reply.error.reason in text_of(page)
    start, length = reply.error.position, reply.error.length
    part = re.escape(lines[-1][start : start + length])
    assert re.search(f"<mark><span[^>]*>[^<]*</span>{part}<", page)


def test_the_same_address_shows_the_same(client: TestClient) -> None:
    words = {"game": "cards", "seed": 7, "n": 3, "hints": 1, "wrong": 2, "key": "?"}
    assert asked(client, "/play", **words) == asked(client, "/play", **words)


def test_a_solution_is_told_with_how_many_there_are(client: TestClient) -> None:
    page = asked(client, "/play", game="cards", puzzle="cards:3.3.8.8=24", key="!")
    assert "8 / (3 - 8 / 3) = 24, the only solution" in text_of(page)
    assert "0 solved" in page
    path, words = link(page, "Next puzzle")
    assert (path, words) == ("/play", {"game": "cards"})


def test_next_to_a_puzzle_of_changed_rules_has_the_same_rules(client: TestClient) -> None:
    rules = "numbers=1+2+4..9,operators=+-,zero=no"
    asked_for = f"cards:4.5.7.8=24,{rules}"
    page = asked(client, "/play", game="crisps", join="yes", puzzle=asked_for, key="!")
    path, words = link(page, "Next puzzle")
    told = {"game": "cards", "numbers": "1,2,4..9", "operators": "-+", "zero": "no"}
    assert (path, words) == ("/play", told)
    page = asked(client, path, **words)
    assert told.items() <= hidden(page).items()
    assert "make 24 from" in text_of(page)


def test_countdown_has_half_a_minute_and_gives_points(client: TestClient) -> None:
    words = {"game": "countdown", "puzzle": "countdown:2.5.8.10.25.75=431", "score": 7}
    page = asked(client, "/play", **words, began="1795356000")
    assert 'data-limit="30"' in page
    page = asked(client, "/play", **words, typed="(75 + 10) x 5", seconds="12.5")
    state = hidden(page)
    assert state["declared"] == "(75 + 10) x 5"
    assert "425 is 6 away" in page
    page = asked(client, "/play", **state, seconds="30.2")
    assert "your 425 is 6 away: 5 points" in text_of(page)
    assert "Score 12" in page
    assert "data-limit" not in asked(client, "/play", **words, limit=0)


def test_who_skips_has_the_points_of_the_closest(client: TestClient) -> None:
    words = {"game": "countdown", "seed": "5", "large": "4", "targets": "104..104"}
    page = asked(client, "/play", **words, typed="75 + 50 - 25")
    assert "100 is 4 away" in text_of(page)
    assert "Your closest answer 75 + 50 - 25 = 100" in text_of(page)
    assert "Score 0" in text_of(page)
    assert link(page, "Skip") == ("/play", {**words, "score": "7", "n": "2"})
    # Who has made nothing, or plays for no points, has none of it.
    assert link(asked(client, "/play", **words), "Skip") == ("/play", {**words, "n": "2"})
    cards = {"game": "cards", "seed": "7", "score": "2"}
    page = asked(client, "/play", **cards, typed="10 + 8")
    assert link(page, "Skip") == ("/play", {**cards, "n": "2"})


# What stands in the field when time is over, and what is told of it.
LATE = [
    ("", "Score 0", ["time is over; (75 x 50 - 6) x 25 / 100 - 4 = 932"]),
    ("?", "Score 0", ["time is over; (75 x 50 - 6) x 25 / 100 - 4 = 932"]),
    ("(75 x 50 - 6) x 25 / 100", "Score 7", ["time is over; your 936 is 4 away: 7 points"]),
    ("75 x 50 = 3750, 3750 / 4", "1 wrong answer", ["3750 / 4 Not allowed", "time is over"]),
    ("75 x (50", "Score 0", ["75 x the mistake is here: ( 50 Not a formula", "time is over"]),
]


@pytest.mark.parametrize(("typed", "score", "told"), LATE)
def test_what_stands_in_the_field_when_time_is_over_is_judged_and_told(
    client: TestClient, typed: str, score: str, told: list[str]
) -> None:
    puzzle = "countdown:100.75.50.25.6.4=932"
    page = asked(client, "/play", puzzle=puzzle, typed=typed, seconds="30.2")
    for each in (score, *told):
        assert each in text_of(page)
    # An Enter that was meant for the field does not go on to the next puzzle.
    assert focused(page) == ["verdict"]
    assert 'id="verdict" data-said tabindex="-1"' in page
    assert "Next puzzle" in page


def test_a_late_formula_that_is_wrong_is_told(client: TestClient) -> None:
    words = {"puzzle": "cards:4.6.8.10=24", "limit": "30", "seconds": "30.2"}
    page = text_of(asked(client, "/play", **words, typed="10 + 8 + 6 + 4"))
    assert "10 + 8 + 6 + 4 Incorrect it makes 28, not 24 time is over; (10 - 6) x 4 + 8" in page


def test_a_late_formula_may_be_right(client: TestClient) -> None:
    words = {"puzzle": "countdown:2.5.8.10.25.75=431", "seconds": "30.2"}
    page = asked(client, "/play", **words, typed="(75 + 10) x 5 + 8 - 2")
    assert "correct: (75 + 10) x 5 + 8 - 2 = 431: 10 points" in text_of(page)
    assert "Score 10" in text_of(page)
    assert focused(page) == ["verdict"]
    # In time, Enter goes on.
    page = asked(client, "/play", **words | {"seconds": "12"}, typed="(75 + 10) x 5 + 8 - 2")
    assert focused(page) == [""]


def test_a_puzzle_is_the_title_of_its_page_and_told_of_its_field(client: TestClient) -> None:
    page = asked(client, "/play", puzzle="countdown:100.75.50.25.2.2=297", limit=0)
    assert "<title>make 297 from 100 75 50 25 2 2, level 2 · crisps24</title>" in page
    assert str(field(page, "typed")["aria-describedby"]).startswith("task level ")
    assert '<h1 id="task">make 297 from 100 75 50 25 2 2</h1>' in page
    page = asked(client, "/play", puzzle="countdown:100.75.50.25.2.2=297", typed="1 +")
    assert "task level pause verdict" in str(field(page, "typed")["aria-describedby"])
    # A puzzle that has no level has none in its title.
    page = asked(client, "/play", puzzle="cards:1.1.1.1=-3")
    assert re.search(r"<title>[^<,]* -3 [^<,]* 1 1 1 1 · crisps24</title>", page)
    assert "<title>Play · crisps24</title>" in client.get("/play?puzzle=nothing").text


def test_by_other_rules_there_is_no_level_and_none_can_be_asked_for(client: TestClient) -> None:
    words = {"game": "crisps", "operators": "+-"}
    page = asked(client, "/solve", **words, hand="3 4 8 9")
    assert "1 solution make 24 from 3 4 8 9" in text_of(page)
    assert "level" not in text_of(page)
    page = asked(client, "/play", **words, seed=1)
    assert "no level" in text_of(page)
    assert not re.search("level [1-5]", text_of(page))
    for path in ("/play", "/sheet"):
        answer = client.get(path, params={**words, "seed": "1", "level": "2"})
        assert answer.status_code == 422
        assert "crisps has levels only with its usual operators and rules" in text_of(answer.text)


def test_the_impossible_has_no_level_and_no_page_betrays_it(client: TestClient) -> None:
    page = asked(client, "/play", puzzle="cards:1.1.1.1=24")
    assert "<title>make 24 from 1, 1, 1 and 1</title>" in page
    assert "no level" in text_of(page)
    words = {"game": "countdown", "seed": "1", "large": "0", "targets": "900..999"}
    for number in range(1, 9):
        page = text_of(asked(client, "/play", **words, closest="yes", n=number))
        assert "no level" in page
        assert not re.search("level [1-5]", page)
    assert re.search("level [1-5]", text_of(asked(client, "/play", **words)))


def test_a_clock_can_be_stopped_and_the_form_says_so(client: TestClient) -> None:
    words = {"game": "countdown", "seed": "5", "n": "2", "score": "7", "large": "4"}
    page = asked(client, "/play", **words, typed="100 + 50 = 150")
    path, without = link(page, "Play without a clock")
    steps = {"steps": "100 + 50 = 150", "limit": "0"}
    assert (path, without) == ("/play", words | steps)
    page = asked(client, path, **without)
    assert "data-limit" not in page
    assert "Play without a clock" not in page
    assert hidden(page)["limit"] == "0"
    assert "you have 30 seconds for a puzzle of numble or countdown" in text_of(page)
    assert "Use 0 to play without a clock" in text_of(page)
    assert field(page, "limit")["aria-describedby"] == "limit-help"
    for game in HAND_GAMES:
        page = asked(client, "/play", game=game, seed=0, began="1795356000")
        assert ("data-limit" in page) == (game in ("numble", "countdown"))


@pytest.mark.parametrize("game", HAND_GAMES)
def test_the_rules_of_a_game_are_told_as_the_command_tells_them(
    client: TestClient, game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["games"]) == 0
    told = capsys.readouterr().out
    row = next(line for line in told.splitlines() if line.startswith(f"{game} "))
    page = text_of(asked(client, "/play", game=game, seed=0))
    [rules] = re.findall(rf"{game}: ([a-z, ]+?) Puzzle 1", page)
    assert row.endswith(f"  {rules}")


def test_rules_that_are_changed_are_told(client: TestClient) -> None:
    words = {"join": "yes", "zero": "no", "operators": "+-", "target": 12, "fractions": "yes"}
    page = text_of(asked(client, "/play", game="crisps", seed=1, **words))
    told = "no brackets, fractions allowed, no result of zero, all numbers must be used"
    told += ", digits can be joined"
    assert f"crisps: {told}, operators - + Puzzle 1" in page


def test_who_deals_again_is_dealt_other_puzzles(client: TestClient) -> None:
    page = asked(client, "/play", game="cards", seed=7, n=3)
    assert field(page, "seed")["value"] == ""
    assert "This is puzzle 3 of seed 7" in text_of(page)
    page = asked(client, "/play", puzzle="cards:3.3.8.8=24", game="crisps", level=3)
    assert (chosen(page[page.index("choose") :]), field(page, "puzzle")["value"]) == ("cards", "")
    assert "This is cards:3.3.8.8=24." in text_of(page)
    # What is refused stays.
    page = client.get("/play?seed=x&puzzle=y").text
    assert (field(page, "seed")["value"], field(page, "puzzle")["value"]) == ("x", "y")


def test_a_puzzle_is_played_by_its_id_whatever_is_beside_it(client: TestClient) -> None:
    words = {"game": "crisps", "seed": 7, "n": 9, "large": 2, "level": 1}
    page = asked(client, "/play", puzzle="countdown:2.5.8.10.25.75=431,length=20", **words, limit=0)
    assert "make 431 from 2 5 8 10 25 75" in text_of(page)
    assert "Level: " in client.get("/play?puzzle=cards:3.3.8.8%3D24&level=6").text
    refused = client.get("/play?puzzle=cards:3.3.8.8%3D24&large=2")
    assert "cards has no large tiles" in text_of(refused.text)


# A puzzle, what else is asked for, and what the next ones are to make.
NEXT_TARGETS = [
    ("cards:3.3.8.8=25", {}, {"target": "25"}),
    ("cards:3.3.8.8=24", {}, {}),
    ("cards:3.3.8.8=25", {"target": "10", "level": "5"}, {"target": "25", "level": "5"}),
    ("cards:3.3.8.8=25", {"target": "25"}, {"target": "25"}),
    ("cards:3.3.8.8=25", {"targets": "20..30"}, {"targets": "20..30"}),
    ("cards:3.3.8.8=25", {"targets": "30..40"}, {"target": "25"}),
    ("cards:2.3.4.5=7/2", {}, {"target": "7/2"}),
    ("countdown:2.5.8.10.25.75=431", {}, {}),
    ("countdown:2.5.8.10.25.75=50", {}, {"target": "50"}),
]


@pytest.mark.parametrize(("puzzle", "words", "told"), NEXT_TARGETS)
def test_next_to_a_puzzle_of_a_target_of_its_own_has_the_same(
    client: TestClient, puzzle: str, words: dict[str, str], told: dict[str, str]
) -> None:
    page = asked(client, "/play", puzzle=puzzle, **words)
    game = puzzle.partition(":")[0]
    path, found = link(page, "Skip")
    assert (path, found) == ("/play", {"game": game, **told})
    if "level" not in words:
        task = re.search(r"make (\S+) from", text_of(asked(client, path, **found, limit=0)))
        assert task is not None
        assert told.get("target", task[1]) == task[1]


def test_solutions_come_likeliest_first_with_shares_and_steps(client: TestClient) -> None:
    page = text_of(asked(client, "/solve", game="cards", hand="1 4 7 13"))
    assert "20 solutions make 24 from 1 4 7 13, level 1 of 5" in page
    assert "13 + 7 + 4 x 1 8.3% Steps 13 + 7 + 4 x 1 4 x 1 = 4" in page
    page = text_of(asked(client, "/solve", game="numble", hand="2 5 8 10 25 75", target=125))
    assert "Show all 301" in page
    every = asked(client, "/solve", game="numble", hand="2 5 8 10 25 75", target=125, every="yes")
    assert every.count("<tr>") == 302


def test_a_hand_without_a_solution_shows_the_closest(client: TestClient) -> None:
    page = text_of(asked(client, "/solve", game="countdown", hand="1 1 2 2 25 75", target=284))
    assert (
        "284 cannot be made from 1 1 2 2 25 75. "
        "This comes closest: (75 + 2) x (2 + 1 + 1) - 25 = 283" in page
    )


@pytest.mark.parametrize(
    ("hand", "why"),
    [
        ("8 3", ""),
        ("3 3 8 8", ""),
        ("1 2 3 4 5", "cards deals 4 numbers, not 5"),
        ("14 10", "14 is"),
    ],
)
def test_a_hand_that_is_not_dealt_is_solved_and_that_is_told(
    client: TestClient, hand: str, why: str
) -> None:
    page = text_of(asked(client, "/solve", game="cards", hand=hand))
    assert f"make 24 from {hand}" in page
    assert why in page
    assert ("; solving it anyway" in page) == bool(why)


def test_a_card_in_one_word_is_its_digits_or_asks_on_every_page(client: TestClient) -> None:
    for path, name, more in (("/solve", "hand", {}), ("/check", "card", {"formula": "4+3x8-4"})):
        pages = [
            text_of(asked(client, path, game="crisps", **more, **{name: hand}))
            for hand in ("4384", "4 3 8 4", "4\u00a03 8 4")
        ]
        assert pages[0] == pages[1] == pages[2]
        answer = client.get(path, params={"game": "cards", name: "3388", **more})
        assert answer.status_code == 422
        assert "3388 is one number (did you mean 3 3 8 8?)" in text_of(answer.text)
    assert asked(client, "/play", puzzle="crisps:4384=24")


def test_a_step_on_the_page_need_not_say_what_it_makes_and_none_taken_back_is_scored(
    client: TestClient,
) -> None:
    for typed in ("8 x 4 =", "8x4", "8 x 4 = 32"):
        page = text_of(asked(client, "/play", puzzle="crisps:3.4.4.8=24", typed=typed))
        assert "left: 3 4 32" in page
    near = {"puzzle": "countdown:75.50.25.10.2.1=751", "limit": 0}
    page = asked(client, "/play", **near, typed="75 x 10")
    assert "75 x 10 = 750" in text_of(page)
    state = dict(re.findall(r'<input type="hidden" name="([a-z]+)" value="([^"]*)"', page))
    assert state["steps"] == "75 x 10 = 750"
    assert "declared" not in state
    ended = text_of(asked(client, "/play", **state, key="!"))
    assert "your 750 is 1 away: 7 points" in ended
    back = asked(client, "/play", **state, key="u")
    state = dict(re.findall(r'<input type="hidden" name="([a-z]+)" value="([^"]*)"', back))
    assert "points" not in text_of(asked(client, "/play", **state, key="!"))


def test_a_solved_hand_can_be_played(client: TestClient) -> None:
    page = asked(client, "/solve", game="cards", hand="3 3 8 8")
    path, words = link(page, "Play this puzzle")
    assert words["puzzle"] == "cards:3.3.8.8=24"
    assert "make 24 from 3 3 8 8" in text_of(asked(client, path, **words))


def test_most_people_get_to_the_solution_that_is_shown_first(client: TestClient) -> None:
    page = text_of(asked(client, "/solve", game="crisps", hand="4 3 8 4"))
    assert "How most people solve it 8 x 3 = 24 24 + 4 = 28 28 - 4 = 24" in page
    assert "24 + 0" not in page


def test_a_hint_on_the_page_says_that_the_target_is_there(client: TestClient) -> None:
    page = asked(client, "/play", puzzle="crisps:5.6.8=8,all=no", typed="?")
    assert "you have 8 already: type it" in text_of(page)


def test_the_order_and_the_share_of_solutions_are_told(client: TestClient) -> None:
    page = text_of(asked(client, "/solve", game="cards", hand="1 4 7 13"))
    assert "the likeliest first" not in page
    assert page.index("Then the likeliest ideas") < page.index("13 + 7 + 4 x 1 8.3%")
    assert "All shares add up to 100%" in page


@pytest.mark.parametrize("game", HAND_GAMES)
def test_the_example_of_the_form_can_be_solved(client: TestClient, game: str) -> None:
    page = asked(client, "/solve")
    hand = str(field(page, "hand")["placeholder"])
    target = "" if GAMES[game].target else str(field(page, "target")["placeholder"])
    assert "cannot be made" not in text_of(
        asked(client, "/solve", game=game, hand=hand, target=target)
    )


def test_the_id_of_a_puzzle_is_solved_whatever_is_beside_it(client: TestClient) -> None:
    words = {"game": "crisps", "target": "7", "zero": "no"}
    page = asked(client, "/solve", hand="cards:3.3.8.8=24,length=5", **words)
    told = text_of(page)
    assert "make 24 from 3 3 8 8" in told
    assert "8 / (3 - 8 / 3)" in told
    # The form shows what was answered.
    assert (field(page, "hand")["value"], field(page, "target")["value"]) == ("3 3 8 8", "24")
    plain = asked(client, "/solve", game="cards", hand="3 3 8 8", target="24", length=5)
    # Where none is given, the target of the next game is its own.
    without = asked(client, "/solve", game="cards", hand="3 3 8 8")
    assert field(without, "target")["value"] == ""
    assert plain == page


def test_the_id_of_a_puzzle_is_a_card_to_check_by(client: TestClient) -> None:
    words = {"game": "crisps", "card": "cards:3.3.8.8=24", "target": "7"}
    page = asked(client, "/check", **words, formula="8 / (3 - 8 / 3)\n8 + 8 + 3 + 3")
    told = text_of(page)
    assert "1 of 2 correct" in told
    assert "Correct makes 24" in told
    assert "it makes 22, not 24" in told
    shown = (chosen(page), field(page, "card")["value"], field(page, "target")["value"])
    assert shown == ("cards", "3 3 8 8", "24")
    assert "is not the id of a puzzle" in text_of(client.get("/check?card=cards:&formula=1").text)


def test_what_is_nearest_to_the_target_of_an_id_is_right(client: TestClient) -> None:
    lines = "1 + 1 + 1 + 1\n1 + 1 + 1 x 1\n1 + 1 = 2, 2 + 1 = 3, 3 + 1 = 4"
    puzzles = [
        {"card": "numble:1.1.1.1=124"},
        {"game": "numble", "card": "1 1 1 1", "target": "124"},
    ]
    for puzzle in puzzles:
        page = text_of(asked(client, "/check", formula=lines, **puzzle))
        assert "2 of 3 correct" in page
        assert page.count("Correct makes 4, as near to 124 as possible") == 2
        assert "Incorrect it makes 3, not 124" in page
    # Other games ask for the target; and more may be checked than can be solved.
    for puzzle in ({"card": "cards:1.1.1.1=24"}, {"game": "cards", "card": "1 1 1 1"}):
        page = text_of(asked(client, "/check", formula="1 + 1 + 1 + 1", **puzzle))
        assert "Incorrect it makes 4, not 24" in page
    many = "+".join("1" * 24)
    page = asked(client, "/check", card=f"cards:{'.'.join('1' * 24)}=24", formula=many)
    assert "Correct makes 24" in text_of(page)


def test_lines_are_judged_each(client: TestClient) -> None:
    lines = "4 + 3 x 8 - 4 = 24\n9 : 7 + 2\n4 + (\n2 x 3 = 6, 6 x 4 = 24"
    page = asked(client, "/check", game="cards", formula=lines)
    told = text_of(page)
    assert "2 of 4 correct" in told.replace("3 of 4", "2 of 4")
    assert "Correct makes 24" in told
    assert "this ( is never closed" in told
    assert page.count("<mark>") >= 1


def test_lines_that_are_one_working_are_judged_together(client: TestClient) -> None:
    page = text_of(
        asked(client, "/check", game="countdown", formula="75 + 50 = 125\n125 x 6 = 750")
    )
    assert "1 of 1 correct 75 + 50 = 125, 125 x 6 = 750 Correct makes 750" in page


def test_a_sheet_has_a_preview_and_a_pdf(client: TestClient) -> None:
    pytest.importorskip("reportlab", reason="sheets need the extra `sheets`")
    page = asked(client, "/sheet", game="cards", seed=7, count=6, level="2..4", title="Class <5b>")
    assert "crisps24 sheet cards --count 6 --seed 7 --level 2..4" in text_of(page)
    assert page.count("<svg") == 2
    assert "Class &lt;5b&gt;" in page
    [button] = [each for each in elements(page, "button") if "formaction" in each]
    assert button == {"formaction": "/sheet.pdf"}
    words = {"game": "cards", "seed": "7", "count": "6", "level": "2..4", "title": "Class <5b>"}
    answer = client.get("/sheet.pdf", params=words | {"target": "", "paper": "a4"})
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.content.startswith(b"%PDF-")
    assert 'filename="crisps24-cards-7.pdf"' in answer.headers["content-disposition"]
    pypdf = pytest.importorskip("pypdf", reason="the PDF is read back by pypdf")
    from io import BytesIO

    read = pypdf.PdfReader(BytesIO(answer.content))
    assert len(read.pages) == 2
    assert "Class <5b>" in read.pages[0].extract_text()


@pytest.mark.parametrize(
    ("words", "pages"),
    [
        ({"game": "cards", "count": "6"}, 2),
        ({"game": "cards", "count": "6", "no_key": "yes"}, 1),
        ({"game": "cards", "count": "100", "paper": "a5"}, 21),
        ({"game": "countdown", "count": "50", "per_page": "20"}, 5),
        ({"game": "crisps", "count": "3", "paper": "a5", "large_print": "yes"}, 3),
    ],
)
def test_the_preview_says_as_many_pages_as_the_pdf_has(
    client: TestClient, words: dict[str, str], pages: int
) -> None:
    pytest.importorskip("reportlab", reason="sheets need the extra `sheets`")
    pypdf = pytest.importorskip("pypdf", reason="the PDF is read back by pypdf")
    from io import BytesIO

    page = asked(client, "/sheet", seed=7, **words)
    read = pypdf.PdfReader(BytesIO(client.get("/sheet.pdf", params=words | {"seed": "7"}).content))
    assert len(read.pages) == pages
    assert f"page 1 of {pages}" in " ".join(read.pages[0].extract_text().split())
    assert f">page 1 of {pages}<" in page
    assert (f"Page 1 of {pages}") in text_of(page)


SHEETS = [
    {"game": "cards", "seed": "7", "count": "6"},
    {"game": "cards", "seed": "7", "count": "3", "rising": "yes", "paper": "letter"},
    {
        **{"game": "countdown", "seed": "5", "count": "2", "large": "2", "no_key": "yes"},
        **{"title": "Mme O'Hara's \"5b\" & --co", "name_line": "yes", "per_page": "4"},
    },
    {"game": "crisps", "seed": "1", "count": "2", "operators": "-+", "cut_lines": "yes"},
    {"game": "numble", "seed": "1", "count": "3", "targets": "1..9", "trivial": "yes"},
    {"game": "cards", "seed": "1", "count": "3", "numbers": "1..99"},
]


def test_targets_that_are_dealt_are_dealt_where_that_is_asked(client: TestClient) -> None:
    asking = {"game": "crisps", "seed": "3", "target": "9", "all": "no"}
    for trivial in ({}, {"trivial": "yes"}):
        page = asked(client, "/sheet", count="20", **asking, **trivial)
        [told] = re.findall(r"command line<br><code>(.*?)</code>", page)
        assert ("--trivial" in told) == bool(trivial)
        hands = [
            re.search(
                "make 9 from ([0-9 ]+)", asked(client, "/play", n=str(n), **asking, **trivial)
            )
            for n in range(1, 9)
        ]
        assert any("9" in found[1].split() for found in hands if found) == bool(trivial)
        assert all(hands)


@pytest.mark.parametrize("words", SHEETS)
def test_the_command_that_is_told_makes_the_same_sheet(
    client: TestClient, words: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("reportlab", reason="sheets need the extra `sheets`")
    page = asked(client, "/sheet", **words)
    [told] = re.findall(r"command line<br><code>(.*?)</code>", page)
    name, *command = shlex.split(unescape(told))
    assert name == "crisps24"
    monkeypatch.chdir(tmp_path)
    assert main(command) == 0
    written = (tmp_path / "sheet.pdf").read_bytes()
    assert written == client.get("/sheet.pdf", params=words).content


# An address, the status, and a part of the sentence.
REFUSED = [
    ("/solve?game=chess&hand=1", 422, "unknown game"),
    ("/solve?game=game24&hand=1+2+3+4", 422, "game24"),
    ("/solve?game=cards&hand=3+x", 422, "'x' is not a whole number"),
    ("/solve?game=countdown&hand=3+4", 422, "has no fixed target"),
    ("/solve?hand=1+2+3+4+5+6+7&game=cards", 422, "6 numbers would fit"),
    ("/solve?hand=1&hand=2", 400, "twice"),
    ("/solve?hand=&hand=2", 400, "twice"),
    ("/solve?colour=red", 400, "unknown word 'colour'"),
    ("/solve?colour=", 400, "unknown word 'colour'"),
    ("/solve?hand=%ff", 400, "not in UTF-8"),
    ("/solve?hand=1%002", 400, "cannot be typed"),
    ("/solve?hand=" + "1" * 5001, 400, "more than 5,000 characters"),
    ("/solve?" + "&".join(f"a{at}=" for at in range(70)), 400, "more than 60 words"),
    ("/check?formula=" + "%0A".join(["1"] * 21), 422, "21 lines (at most 20)"),
    ("/check?formula=" + "1" * 1001, 422, "1,001 characters"),
    ("/play?game=cards&seed=x", 422, "invalid seed"),
    ("/play?game=cards&seed=7&n=201", 422, "from 1 to 200"),
    ("/play?game=cards&seed=7&level=6", 422, "invalid level '6' (expected 1 to 5"),
    ("/play?game=cards&seed=7&steps=1+%2B+1+%3D+2", 422, "1 is not available"),
    ("/play?game=cards&seed=7&target=1&targets=1..2", 422, "give only one: "),
    ("/play?game=cards&seed=7&essential=yes", 422, "needs another condition"),
    ("/play?game=cards&seed=7&large=1", 422, "no large tiles"),
    ("/play?game=cards&seed=7&plain=perhaps", 422, "expected yes or no"),
    ("/play?game=cards&seed=7&typed=1&seconds=soon", 422, "invalid number of seconds"),
    ("/play?puzzle=nothing", 422, "is not the id of a puzzle"),
    ("/sheet?game=cards&seed=7&count=101", 422, "from 1 to 100"),
    ("/sheet?game=cards&seed=7&paper=b5", 422, "unknown paper"),
    ("/sheet.pdf?game=cards", 422, "a seed is missing"),
    ("/nothing", 404, "does not exist"),
    ("/play/", 404, "does not exist"),
    ("/static/nothing.css", 404, "does not exist"),
    ("/static/../answering.py", 404, "does not exist"),
    ("/static/records.py", 404, "does not exist"),
    ("/solve?hand=" + "1+" * 9_000, 414, "too long"),
]


@pytest.mark.parametrize(("address", "status", "told"), REFUSED)
def test_what_is_refused_is_told_in_a_sentence(
    client: TestClient, address: str, status: int, told: str
) -> None:
    answer = client.get(address)
    assert answer.status_code == status
    assert told in text_of(answer.text)
    assert "Traceback" not in answer.text
    assert '<html lang="en">' in answer.text


def test_what_is_refused_stays_in_the_form(client: TestClient) -> None:
    page = client.get("/solve", params={"game": "cards", "hand": '3 "x"'}).text
    assert 'value="3 &#34;x&#34;"' in page
    assert "<option selected>cards</option>" in page


@pytest.mark.parametrize(
    "hand", ["<script>alert(1)</script>", '" onfocus="alert(1)', "{{ 7 * 7 }}"]
)
def test_nothing_that_is_typed_becomes_part_of_a_page(client: TestClient, hand: str) -> None:
    for path, words in (
        ("/solve", {"hand": hand}),
        ("/check", {"formula": hand, "card": hand}),
        ("/play", {"game": "cards", "seed": "7", "typed": hand}),
        ("/sheet", {"seed": "7", "title": hand}),
    ):
        page = client.get(path, params=words).text
        assert "<script>" not in page
        assert not any("onfocus" in attributes for _, attributes in Outline(page).found)
        assert hand in unescape(page)


@pytest.mark.parametrize("path", ["/", "/play?game=cards&seed=7&key=?", "/sheet?seed=7", "/check"])
def test_nothing_is_inline_and_nothing_from_elsewhere(client: TestClient, path: str) -> None:
    for tag, attributes in Outline(client.get(path).text).found:
        assert tag != "style"
        assert "style" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        for name in ("src", "href", "action"):
            assert (attributes.get(name) or "/").startswith(("/", "#")), (tag, attributes)


@pytest.mark.parametrize("name", ["countdown", "numble"])
def test_the_last_puzzle_of_a_seed_leaves_room_for_a_machine_that_is_busy(name: str) -> None:
    # Of all games these take longest, and the work is measured, not the time of day.
    began = process_time()
    found = answer("/play", f"game={name}&seed=3&n={MAX_PUZZLES}")
    taken = process_time() - began
    assert found.status == 200
    assert taken < PAGES["/play"].timeout_factor * REPLY_TIMEOUT / 2


def test_every_sentence_is_said_somewhere_and_none_is_missing() -> None:
    known = {key.removeprefix("page.") for key in ENGLISH.texts if key.startswith("page.")}
    known |= {*_LABELS, *_PLACEHOLDERS}
    folder = Path(sentences.__file__).parent
    sources = [*folder.glob("*.py"), *folder.glob("templates/*")]
    used = "".join(path.read_text() for path in sources if path.name != "sentences.py")
    named = set(re.findall(r"say\(\s*[\"']([a-z0-9_]+)[\"'][,)]", used))
    named |= set(re.findall(r"message\(\"page\.([a-z0-9_]+)\"", used))
    assert named <= known
    # Those whose names are put together, by what they begin with.
    kinds = {
        "field_": set(_FIELDS) | {field.name for page in PAGES.values() for field in page.fields},
        "like_": set(_FIELDS) | {field.name for page in PAGES.values() for field in page.fields},
        "verdict_": {*VERDICTS, "right", "legal", "hint", "shown", "step"},
        "operator_": {name for name, each in OPERATORS.items() if not each.joins},
        "status_": {
            "400",
            "404",
            "405",
            "413",
            "414",
            "421",
            "422_long",
            "422_memory",
            "429",
            "500",
            "503",
        },
        "about_": {page.name for page in PAGES.values()},
        "": {page.name for page in PAGES.values()} | {"yes", "no"},
    }
    made = {begin + name for begin, names in kinds.items() for name in names}
    assert known - made <= named
    assert {f"status_{status}" for status in kinds["status_"]} <= known
    assert say("check_count", 5, well=2) == "2 of 5 correct"
