"""Replies of all pages, with the test client of Starlette."""

import re
from html import unescape
from html.parser import HTMLParser
from time import process_time
from urllib.parse import parse_qs, quote_plus, urlsplit

import pytest
from starlette.testclient import TestClient

from crisps24 import GAMES, deal
from crisps24.cli.program import main
from crisps24.pages.answering import PAGES, answer
from crisps24.pages.play import MAX_PUZZLES
from crisps24.pages.requests import REPLY_TIMEOUT
from crisps24.puzzle import puzzle_of
from crisps24.puzzles.rounds import Round
from crisps24.rules.games import HAND_GAMES, plain_name
from tests.pages.test_refusals import query_of
from tests.puzzles.test_rounds import ILLEGAL
from tests.sampling import in_one_test, only_in_long_run


def text_of(page: str) -> str:
    page = re.sub(r'<span class="unseen pause">.*?</span>', "", page)
    bare = re.sub(r"<(svg|script).*?</\1>|<[^>]+>", " ", page, flags=re.DOTALL)
    return " ".join(unescape(bare).split())


class Outline(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def get_page(client: TestClient, path: str, /, **parameters: object) -> str:
    response = client.get(path, params={name: str(value) for name, value in parameters.items()})
    assert response.status_code == 200, text_of(response.text)
    return response.text


def shown(client: TestClient, path: str, /, **parameters: object) -> str:
    return text_of(get_page(client, path, **parameters))


def hidden_fields(page: str) -> dict[str, str]:
    fields = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page)
    return {name: unescape(value) for name, value in fields}


def elements(page: str, tag: str) -> list[dict[str, str | None]]:
    return [attributes for name, attributes in Outline(page).elements if name == tag]


def field(page: str, name: str) -> dict[str, str | None]:
    [attributes] = [
        attributes
        for attributes in elements(page, "input")
        if (attributes.get("name"), attributes.get("type")) == (name, None)
    ]
    return attributes


def selected_game(page: str) -> str:
    [name] = re.findall(r'<option value="([a-z0-9]+)" selected>', page)
    return str(name)


def link(page: str, text: str) -> tuple[str, dict[str, str]]:
    anchor = re.search(rf'<a[^>]*href="([^"]+)"[^>]*>{text}</a>', page)
    assert anchor, text_of(page)
    address = urlsplit(unescape(anchor[1]))
    return address.path, {name: values[0] for name, values in parse_qs(address.query).items()}


def test_start_page_has_a_card_that_can_be_played(client: TestClient) -> None:
    page = get_page(client, "/")
    # The title of the card names its puzzle, and only one link is named "Play this card".
    [name] = re.findall(r"<a [^>]*><svg.*?<title>(.*?)</title>.*?</svg></a>", page, re.DOTALL)
    assert name == "make 24 from 8, 4, 4 and 3; level 1 of 5"
    assert page.count("Play this card") == 1
    path, parameters = link(page, "Play this card")
    assert (path, parameters) == ("/play", {"game": "crisps", "puzzle": "crisps:8.4.4.3=24"})
    assert "make 24 from 8 4 4 3" in shown(client, path, **parameters)


def test_play_without_a_seed_redirects_to_an_address_with_one(client: TestClient) -> None:
    response = client.get("/play?game=cards&level=3", follow_redirects=False)
    assert response.status_code == 303
    address = response.headers["location"]
    assert re.fullmatch(r"/play\?game=cards&level=3&seed=[0-9]+", address)


@in_one_test(
    ("game", "number", "targets"),
    [
        *((game, number, None) for game in HAND_GAMES for number in (1, 11)),
        ("countdown", 1, range(300, 311)),
    ],
)
def test_play_has_the_puzzles_of_deal(
    client: TestClient, game: str, number: int, targets: range | None
) -> None:
    words = {"targets": f"{targets[0]}..{targets[-1]}"} if targets else {}
    page = get_page(client, "/play", game=game, seed=7, n=number, limit=0, **words)
    puzzle = deal(game, number, seed=7, targets=targets)[-1]
    assert f"make {puzzle.target} from {' '.join(map(str, puzzle.hand))}" in text_of(page)
    assert page.count('role="img"') == 1


def test_play_keeps_state_over_a_wrong_answer_a_hint_and_a_solution(client: TestClient) -> None:
    parameters = {"game": "cards", "seed": "7"}
    [puzzle] = deal("cards", 1, seed=7)
    answer = str(puzzle.solutions()[0].expression)
    typed = f"{puzzle.hand[0]} + 12 + 12"
    page = get_page(client, "/play", **parameters, typed=typed)
    assert "12 is not in the hand" in text_of(page)
    state = hidden_fields(page)
    assert state["wrong"] == "1"
    assert f'name="typed" value="{typed}"' in page
    page = get_page(client, "/play", **state, key="?")
    state = hidden_fields(page)
    assert (state["hints"], state["wrong"]) == ("1", "1")
    [step] = re.findall(r"> try ([^<]+)<", page)
    page = get_page(client, "/play", **state, typed=unescape(step))
    state = hidden_fields(page)
    assert state["steps"] == unescape(step)
    assert "Steps so far" in page
    assert 'name="typed" value=""' in page
    page = get_page(client, "/play", **state, typed=answer)
    assert f"correct: {answer} = 24" in text_of(page)
    assert "1 solved" in page
    assert link(page, "Next puzzle") == ("/play", {**parameters, "n": "2", "score": "1"})
    assert link(page, "Play it again") == ("/play", parameters)


@in_one_test(("puzzle", "lines", "code"), ILLEGAL)
def test_illegal_step_is_marked_at_the_position_of_its_error(
    client: TestClient, puzzle: str, lines: list[str], code: str
) -> None:
    state = Round(puzzle_of(puzzle).with_style("unicode"))
    for line in lines[:-1]:
        state, _ = state.play(line)
    _, reply = state.play(lines[-1])
    assert reply.error is not None
    assert reply.error.code == code
    steps = ", ".join(state.steps)
    page = get_page(client, "/play", puzzle=puzzle, steps=steps, typed=lines[-1], limit=0)
    assert reply.error.reason in text_of(page)
    start, length = reply.error.position, reply.error.length
    part = re.escape(lines[-1][start : start + length])
    assert re.search(f"<mark><span[^>]*>the mistake is here: </span>{part}<", page)
    assert field(page, "typed")["value"] == lines[-1]


def test_next_puzzle_keeps_changed_rules(client: TestClient) -> None:
    rules = "numbers=1+2+4..9,operators=+-,zero=no"
    puzzle_id = f"cards:4.5.7.8=24,{rules}"
    page = get_page(client, "/play", game="crisps", join="yes", puzzle=puzzle_id, key="!")
    path, parameters = link(page, "Next puzzle")
    next_parameters = {"game": "cards", "numbers": "1,2,4..9", "operators": "-+", "zero": "no"}
    assert (path, parameters) == ("/play", next_parameters)
    page = get_page(client, path, **parameters)
    assert next_parameters.items() <= hidden_fields(page).items()
    assert "make 24 from" in text_of(page)


def test_countdown_gives_points(client: TestClient) -> None:
    parameters = {"game": "countdown", "puzzle": "countdown:2.5.8.10.25.75=431", "score": 7}
    page = get_page(client, "/play", **parameters, typed="(75 + 10) x 5")
    state = hidden_fields(page)
    assert state["declared"] == "(75 + 10) x 5"
    assert "425 is 6 away" in page
    page = get_page(client, "/play", **state, key="!")
    assert "your 425 is 6 away: 5 points" in text_of(page)
    assert "Score 12" in page


def test_skip_adds_the_points_of_the_closest_answer(client: TestClient) -> None:
    parameters = {"game": "countdown", "seed": "5", "large": "4", "targets": "104..104"}
    page = get_page(client, "/play", **parameters, typed="75 + 50 - 25")
    assert "100 is 4 away" in text_of(page)
    assert "Your closest answer 75 + 50 - 25 = 100" in text_of(page)
    assert "Score 0" in text_of(page)
    assert link(page, "Skip") == ("/play", {**parameters, "score": "7", "n": "2"})
    # Skip adds nothing without an answer, or in a game without points.
    assert link(get_page(client, "/play", **parameters), "Skip") == (
        "/play",
        {**parameters, "n": "2"},
    )
    cards = {"game": "cards", "seed": "7", "score": "2"}
    page = get_page(client, "/play", **cards, typed="10 + 8")
    assert link(page, "Skip") == ("/play", {**cards, "n": "2"})


ONES, SUMS = "1 + 1 + 1 + 1", "+".join("1" * 24)
LINES = f"{ONES}\n1 + 1 + 1 x 1\n1 + 1 = 2, 2 + 1 = 3, 3 + 1 = 4"
NEAREST = ["2 of 3 correct", "Correct makes 4, as near to 124 as possible", "makes 3, not 124"]
CRISPS_RULES = "no brackets, fractions allowed, no result of zero, all numbers must be used"
# Addresses whose queries are not quoted yet, and texts of their pages; "!": a text that they lack.
SHOWN = {
    "/play puzzle=cards:3.3.8.8=24&key=!": ["= 24, the only solution", "0 solved"],
    "/play game=crisps&operators=+-&seed=1": ["level 3 of 5", "!no level"],
    "/play game=countdown&seed=5&limit=0": [
        "you have 30 seconds for a puzzle of Numble or Countdown",
        "Use 0 to play without a clock",
    ],
    "/play game=countdown&seed=5&closest=yes": ["!level 1", "!level 2", "!level 3", "!level 4"],
    "/play game=crisps&seed=1&join=yes&zero=no&operators=+-&target=12&fractions=yes": [
        f"Crisps: {CRISPS_RULES}, digits can be joined, operators − + New round"
    ],
    "/play puzzle=crisps:5.6.8=8,all=no&typed=?": ["you have 8 already: type it"],
    "/play puzzle=cards:4.6.8.10=24&steps=10 - 6 = 4": ["10 - 6 = 4"],
    "/daily game=cards&date=2026-01-01": ["make 24 from 3 6 6 11"],
    "/daily game=CHIFFRES&date=2026-01-01&limit=0": ["make 600 from 9 8 7 6 4 2"],
    "/daily date=2026-01-01": ["make 24 from 1 8 8 8"],
    "/play puzzle=crisps:3.4.4.8=24&typed=8 x 4 =": ["left: 3 4 32"],
    "/play puzzle=crisps:3.4.4.8=24&typed=8x4": ["left: 3 4 32"],
    "/play puzzle=crisps:3.4.4.8=24&typed=8 x 4 = 32": ["left: 3 4 32"],
    "/solve game=cards&hand=1 4 7 13": [
        "20 solutions make 24 from 1 4 7 13, level 1 of 5",
        "Then the likeliest ideas",
        "13 + 7 + 4 × 1 8.3% Steps 13 + 7 + 4 × 1 4 × 1 = 4",
        "All shares add up to 100%",
    ],
    "/solve game=numble&hand=2 5 8 10 25 75&target=125": ["Show all 301"],
    "/solve game=numble&hand=2 5 8 10 25 75&target=125&every=yes": ["!Show all"],
    "/solve game=crisps&hand=4 3 8 4": [
        "How most people solve it 8 × 3 = 24 24 + 4 = 28 28 − 4 = 24"
    ],
    "/solve game=crisps&operators=+-&hand=3 4 8 9": ["1 solution"],
    "/solve game=countdown&hand=1 1 2 2 25 75&target=284": [
        "284 cannot be made from 1 1 2 2 25 75. This comes closest: (75 + 2) × (2 + 1 + 1) − 25"
    ],
    "/solve game=cards&hand=8 3": ["make 24 from 8 3", "!solving it anyway"],
    "/solve game=cards&hand=1 2 3 4 5": ["cards deals 4 numbers, not 5; solving it anyway"],
    "/solve game=cards&hand=14 10": ["14 is not in this game (only 1..13); solving it anyway"],
    f"/check card=numble:1.1.1.1=124&formula={LINES}": NEAREST,
    f"/check game=numble&card=1 1 1 1&target=124&formula={LINES}": NEAREST,
    # Other games require the target. Hands too large to solve can be checked.
    f"/check card=cards:1.1.1.1=24&formula={ONES}": ["Incorrect it makes 4, not 24"],
    f"/check game=cards&card=1 1 1 1&formula={ONES}": ["Incorrect it makes 4, not 24"],
    f"/check card=cards:{SUMS.replace('+', '.')}=24&formula={SUMS}": ["Correct makes 24"],
    "/check game=cards&formula=4 + 3 x 8 - 4 = 24\n9 : 7 + 2\n4 + (\n2 x 3 = 6, 6 x 4 = 24": [
        *("3 of 4 correct", "Correct makes 24", "this ( is never closed")
    ],
    "/check game=countdown&formula=75 + 50 = 125\n125 x 6 = 750": [
        "1 of 1 correct 75 + 50 = 125, 125 x 6 = 750 Correct m"
    ],
    "/check game=countdown&formula=10 x 10 = 100\n100 x 5 = 500": ["2 of 2 correct"],
}


@in_one_test(("address", "texts"), SHOWN.items())
def test_page_shows_texts(address: str, texts: list[str]) -> None:
    path, _, words = address.partition(" ")
    page = text_of(answer(path, query_of(words)).body.decode())
    assert [text for text in texts if (text.removeprefix("!") in page) == (text[0] == "!")] == []


def test_title_and_field_description_name_the_puzzle(client: TestClient) -> None:
    page = get_page(client, "/play", puzzle="countdown:100.75.50.25.2.2=297", limit=0)
    assert "<title>Make 297 from 100 75 50 25 2 2, level 2 · crisps24</title>" in page
    assert str(field(page, "typed")["aria-describedby"]).startswith("task level ")
    assert '<h1 id="task">make 297 from 100 75 50 25 2 2</h1>' in page
    page = get_page(client, "/play", puzzle="countdown:100.75.50.25.2.2=297", typed="1 +")
    assert "task level pause verdict" in str(field(page, "typed")["aria-describedby"])
    # The title of a puzzle without a level names only the puzzle.
    page = get_page(client, "/play", puzzle="cards:1.1.1.1=-3")
    assert re.search(r"<title>[^<,]* -3 [^<,]* 1 1 1 1 · crisps24</title>", page)
    assert "<title>Play · crisps24</title>" in client.get("/play?puzzle=nothing").text


def test_page_of_an_impossible_puzzle_does_not_reveal_it(client: TestClient) -> None:
    page = get_page(client, "/play", puzzle="cards:1.1.1.1=24")
    assert "<title>make 24 from 1, 1, 1 and 1</title>" in page
    assert "no level" in text_of(page)


def test_play_and_the_command_games_show_the_same_rules(
    client: TestClient, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["games"]) == 0
    lines = capsys.readouterr().out.splitlines()
    said = {game: next(line for line in lines if line.split()[:1] == [game]) for game in HAND_GAMES}
    pages = {game: shown(client, "/play", game=game, seed=0) for game in HAND_GAMES}
    rules = {
        game: re.findall(rf"{re.escape(str(plain_name(game)))}: ([a-z, ]+?) New round", page)[0]
        for game, page in pages.items()
    }
    assert rules == {game: said[game][-len(rules[game]) :] for game in rules}


def test_form_leaves_out_seed_and_puzzle_to_deal_others(client: TestClient) -> None:
    page = get_page(client, "/play", game="cards", seed=7, n=3)
    assert field(page, "seed")["value"] == ""
    assert "This is puzzle 3 of seed 7" in text_of(page)
    page = get_page(client, "/play", puzzle="cards:3.3.8.8=24", game="crisps", level=3)
    assert selected_game(page[page.index("choose") :]) == "cards"
    assert field(page, "puzzle")["value"] == ""
    assert "This is cards:3.3.8.8=24." in text_of(page)
    # Invalid values stay in the form.
    page = client.get("/play?seed=x&puzzle=y").text
    assert (field(page, "seed")["value"], field(page, "puzzle")["value"]) == ("x", "y")


def test_play_with_an_id_overrides_other_parameters(client: TestClient) -> None:
    parameters = {"game": "crisps", "seed": 7, "n": 9, "large": 2, "level": 1}
    page = get_page(
        client, "/play", puzzle="countdown:2.5.8.10.25.75=431,length=20", **parameters, limit=0
    )
    assert "make 431 from 2 5 8 10 25 75" in text_of(page)
    assert "Level: " in client.get("/play?puzzle=cards:3.3.8.8%3D24&level=6").text
    refused = client.get("/play?puzzle=cards:3.3.8.8%3D24&large=2")
    assert "cards has no large tiles" in text_of(refused.text)


# An id, other parameters, and the parameters of the next puzzle besides its game.
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


@in_one_test(("puzzle", "parameters", "next_parameters"), NEXT_TARGETS)
def test_next_puzzle_keeps_an_unusual_target(
    client: TestClient, puzzle: str, parameters: dict[str, str], next_parameters: dict[str, str]
) -> None:
    page = get_page(client, "/play", puzzle=puzzle, **parameters)
    path, skipped = link(page, "Skip")
    assert (path, skipped) == ("/play", {"game": puzzle.partition(":")[0], **next_parameters})
    if "level" not in parameters:
        [task] = re.findall(r"make (\S+) from", shown(client, path, **skipped, limit=0))[:1]
        assert next_parameters.get("target", task) == task


@in_one_test(("path", "name"), [("/solve", "hand"), ("/check?formula=4%2B3x8-4", "card")])
def test_hand_in_one_word_is_its_digits_or_is_refused(
    client: TestClient, path: str, name: str
) -> None:
    path, _, query = path.partition("?")
    words = {each: values[0] for each, values in parse_qs(query).items()}
    pages = [
        shown(client, path, game="crisps", **words, **{name: hand})
        for hand in ("4384", "4 3 8 4", "4\u00a03 8 4")
    ]
    assert pages[0] == pages[1] == pages[2]
    response = client.get(path, params={"game": "cards", name: "3388", **words})
    assert response.status_code == 422
    assert "3388 is one number (did you mean 3 3 8 8?)" in text_of(response.text)


def test_step_may_omit_its_result_and_scores_only_until_undone(client: TestClient) -> None:
    parameters = {"puzzle": "countdown:75.50.25.10.2.1=751", "limit": 0}
    page = get_page(client, "/play", **parameters, typed="75 x 10")
    assert "75 x 10 = 750" in text_of(page)
    state = hidden_fields(page)
    assert state["steps"] == "75 x 10 = 750"
    assert "declared" not in state
    page = shown(client, "/play", **state, key="!")
    assert "your 750 is 1 away: 7 points" in page
    page = get_page(client, "/play", **state, key="u")
    state = hidden_fields(page)
    assert "points" not in shown(client, "/play", **state, key="!")


def test_solved_hand_can_be_played(client: TestClient) -> None:
    page = get_page(client, "/solve", game="cards", hand="3 3 8 8")
    path, parameters = link(page, "Play this puzzle")
    assert parameters["puzzle"] == "cards:3.3.8.8=24"
    assert "make 24 from 3 3 8 8" in shown(client, path, **parameters)


@pytest.mark.parametrize("game", HAND_GAMES)
def test_placeholder_of_the_form_can_be_solved(client: TestClient, game: str) -> None:
    page = get_page(client, "/solve")
    hand = str(field(page, "hand")["placeholder"])
    target = "" if GAMES[game].target else str(field(page, "target")["placeholder"])
    assert "cannot be made" not in text_of(
        get_page(client, "/solve", game=game, hand=hand, target=target)
    )


def test_solve_with_an_id_overrides_other_parameters(client: TestClient) -> None:
    parameters = {"game": "crisps", "target": "7", "zero": "no"}
    page = get_page(client, "/solve", hand="cards:3.3.8.8=24,length=5", **parameters)
    text = text_of(page)
    assert "make 24 from 3 3 8 8" in text
    assert "8 ÷ (3 − 8 ÷ 3)" in text
    # The form shows the hand and the target of the id.
    assert (field(page, "hand")["value"], field(page, "target")["value"]) == ("3 3 8 8", "24")
    page_of_hand = get_page(client, "/solve", game="cards", hand="3 3 8 8", target="24", length=5)
    # Without a target, the form leaves it to the game.
    page_without_target = get_page(client, "/solve", game="cards", hand="3 3 8 8")
    assert field(page_without_target, "target")["value"] == ""
    assert page_of_hand == page


def test_check_uses_the_hand_and_target_of_an_id(client: TestClient) -> None:
    parameters = {"game": "crisps", "card": "cards:3.3.8.8=24", "target": "7"}
    page = get_page(client, "/check", **parameters, formula="8 / (3 - 8 / 3)\n8 + 8 + 3 + 3")
    text = text_of(page)
    assert "1 of 2 correct" in text
    assert "Correct makes 24" in text
    assert "it makes 22, not 24" in text
    form = (selected_game(page), field(page, "card")["value"], field(page, "target")["value"])
    assert form == ("cards", "3 3 8 8", "24")
    assert "is not the id of a puzzle" in text_of(client.get("/check?card=cards:&formula=1").text)


# An address, the status of its response, and a part of the reason; test_refusals.py has more.
REFUSED = [
    ("/solve?hand=1+2+3+4+5+6+7&game=cards", 422, "6 numbers would fit"),
    ("/solve?hand=%ff", 400, "not in UTF-8"),
    ("/daily?game=game24", 422, "game24"),
    ("/daily?game=cards&seed=7", 400, "unknown word 'seed'"),
    ("/nothing", 404, "does not exist"),
    ("/play/", 404, "does not exist"),
    ("/static/nothing.css", 404, "does not exist"),
    ("/static/../answering.py", 404, "does not exist"),
    ("/static/records.py", 404, "does not exist"),
    ("/solve?hand=" + "1+" * 9_000, 414, "too long"),
]


@in_one_test(("address", "status", "reason"), REFUSED)
def test_refused_request_gets_a_page_with_the_reason(
    client: TestClient, address: str, status: int, reason: str
) -> None:
    response = client.get(address)
    assert (response.status_code, reason in text_of(response.text)) == (status, True)
    assert '<html lang="en">' in response.text


@in_one_test("value", ["<script>alert(1)</script>", '" onfocus="alert(1)', "{{ 7 * 7 }}"])
@in_one_test("address", ["/solve?hand", "/check?formula", "/play?seed=7&typed", "/sheet?title"])
def test_values_are_escaped_on_all_pages(client: TestClient, address: str, value: str) -> None:
    page = client.get(f"{address}={quote_plus(value)}").text
    assert "<script>" not in page
    assert not any("onfocus" in attributes for _, attributes in Outline(page).elements)
    assert value in unescape(page)


@in_one_test("path", ["/", "/play?game=cards&seed=7&key=?", "/sheet?seed=7", "/check"])
def test_page_has_no_inline_styles_or_scripts_and_no_external_addresses(
    client: TestClient, path: str
) -> None:
    outline = Outline(client.get(path).text).elements
    names = {tag for tag, _ in outline} | {name for _, attributes in outline for name in attributes}
    assert [name for name in names if name == "style" or name.startswith("on")] == []
    links = {each.get(name) or "/" for _, each in outline for name in ("src", "href", "action")}
    assert [link for link in links if not link.startswith(("/", "#"))] == []


@only_in_long_run
@pytest.mark.parametrize("name", ["countdown", "numble"])
def test_last_puzzle_of_a_seed_takes_at_most_half_the_timeout(name: str) -> None:
    # These games take longest. CPU time, because other processes may delay the test.
    start = process_time()
    reply = answer("/play", f"game={name}&seed=3&n={MAX_PUZZLES}")
    cpu_seconds = process_time() - start
    assert reply.status == 200
    assert cpu_seconds < PAGES["/play"].timeout_factor * REPLY_TIMEOUT / 2


@pytest.mark.parametrize("language", ["en", "de", "zh-Hans"])
def test_words_around_a_formula_are_read(client: TestClient, language: str) -> None:
    text = "8 minus 4 ist 4, mal 3 ist 12, mal 2 ist 24"
    params = {"game": "cards", "card": "2 3 4 8", "formula": text, "language": language}
    page = client.get("/check", params=params).text
    assert '<li class="good">' in page
    wrong = client.get("/check", params=params | {"formula": text.replace("24", "25")}).text
    assert '<li class="bad">' in wrong
