"""Rounds of the player: replies are those of Python, and the clock ends a round."""

import json
from typing import Any

import pytest

from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Language
from crisps24.player.files import page_record, row_record
from crisps24.player.records import game_record
from crisps24.puzzle import puzzle_of
from crisps24.puzzles.rounds import Round
from crisps24.rules.games import GAMES
from tests.player.node import needs_node, run_script
from tests.sampling import in_one_test
from tests.tables import cells_of

pytestmark = needs_node
SCRIPTS = ("engine.js", "texts.js", "clock.js", "rounds.js")
# A round of `input`: its record, its inputs and its clock. A list taps numbers by their places.
CODE = """
const { record, inputs, limit, over } = input;
const [language] = Object.values(record.languages);
const say = (key, values) => formatMessage({ key, values }, language);
const fresh = newRound(record.puzzles[0], record.game, { language, signs: language.signs, say });
const round = withClock(fresh, limit, limit ? 0 : null);
const tap = (part) => (typeof part === "number" ? tapNumber : tapSign)(round, part);
Date.now = () => 5_000;
for (const text of inputs) {
  if (Array.isArray(text)) text.forEach(tap);
  else ({ "?": giveHint, "!": showSolution, u: undo }[text] ?? enterText)(round, text);
}
Date.now = () => limit * 1_000 + 1;
if (over !== null) endByTime(round, over);
const { mark, signs, steps } = round;
const left = round.boards.at(-1).filter((value) => value).map(textOf);
const { result = null, points = 0, seconds, hints } = round.ending ?? {};
const text = round.reply && round.reply.text;
return { text, mark, signs, steps: steps.length, left, result, points, seconds, hints };
"""


def run(record: Any, *inputs: object, limit: int = 0, over: str | None = None) -> Any:
    """Return the state of a round after some inputs, and after the time limit with a typed text."""
    data = {"record": record, "inputs": inputs, "limit": limit, "over": over}
    return run_script(SCRIPTS, CODE, data)


def record_of(name: str, language: Language = ENGLISH) -> Any:
    # The style of the formulas is that of Python's replies.
    puzzle = puzzle_of(name)
    return page_record(puzzle, language, page={}, style=puzzle.style, solution=True)


FRACTIONS = "fractions24:3.3/4.3.6=24"
COUNTDOWN = "countdown:75.50.25.3.3.2=357"
FIRST = "75 x 3 + 50 x 2 + 25 + 3"


@pytest.mark.parametrize("language", [ENGLISH, LANGUAGES["de"], LANGUAGES["zh-Hans"]])
@pytest.mark.parametrize(
    ("name", "inputs", "typed"),
    [
        *((COUNTDOWN, [FIRST], ""), (COUNTDOWN, [FIRST], "u"), (COUNTDOWN, [], FIRST)),
        *((COUNTDOWN, [], ""), (COUNTDOWN, [], "(75 + 50 - 3 x 2) x 3"), (COUNTDOWN, ["?"], "")),
        *(("cards:3.3.8.8=24", [], ""), ("cards:3.3.8.8=24", [], "8 / (3 - 8 / 3)")),
        ("cards:1.1.1.1=24", [], ""),
    ],
)
def test_end_of_the_time_is_that_of_python(
    name: str, inputs: list[str], typed: str, language: Language
) -> None:
    played = Round(puzzle_of(name), 30, language=language)
    for text in inputs:
        played, _ = played.play(text, 5)
    # A formula in the field counts as typed at the last moment.
    if typed not in ("", "u"):
        played, reply = played.play(typed, 30)
    if not played.result:
        played, reply = played.play("", 31)
    made = run(record_of(name, language), *inputs, limit=30, over=typed.replace("u", ""))
    assert made["text"] == reply.text
    assert (made["result"], made["points"]) == (played.result, played.points)
    assert (made["hints"], made["seconds"]) == (played.hints, 30)


@in_one_test(("name", "texts"), *cells_of("player/typed.txt"))
def test_replies_are_those_of_python(name: str, texts: str) -> None:
    played, inputs = Round(puzzle_of(name)), texts.split(" ;; ")
    for text in inputs:
        played, reply = played.play(text)
    made = run(record_of(name), *inputs)
    assert made["text"] == reply.text
    assert (made["result"] or "", made["points"]) == (played.result, played.points)


def test_typed_step_uses_a_fraction() -> None:
    texts = ("6 x 3/4", "6 x (3 / 4)", ".75 x 6", "¾ × 6 =", "6 * 0.750")
    left = {text: sorted(run(record_of(FRACTIONS), text)["left"]) for text in texts}
    assert left == {text: ["3", "3", "9/2"] for text in texts}
    assert run(record_of("cards:3.-3/4.-2.6=24"), "−¾ x 6")["left"] == ["3", "-2", "-9/2"]
    # A step takes the number that it can.
    made = run(record_of("cards:1.2.3.4=24,once=yes"), "1 + 2", "3 + 4")
    assert sorted(made["left"]) == ["3", "7"]


@in_one_test(("case", "expected"), *cells_of("player/hints.txt"))
def test_next_hint_goes_on_to_solution(case: str, expected: str) -> None:
    name, *words = case.split(" ;; ")
    inputs = [json.loads(word) if word[0] == "[" else word for word in words]
    text, _, count = expected.partition(" | ")
    assert run(record_of(name), *inputs)["text"] == text
    assert run(record_of(name), *inputs, "!")["hints"] == int(count)


@in_one_test(("inputs", "expected"), *cells_of("player/taken-back.txt"))
def test_formula_takes_back_steps_it_does_not_use(inputs: str, expected: str) -> None:
    made = run(record_of("cards:4.6.8.10=24"), *inputs.split(" ;; "))
    assert f"{made['steps']} | {made['text']}" == expected


def test_formula_takes_back_a_step_before_it_is_declared() -> None:
    made = run(record_of(COUNTDOWN), "25 + 3", FIRST)
    assert (made["steps"], len(made["left"])) == (0, 6)


def test_clock_counts_down_to_zero() -> None:
    code = """
    const round = { limit: 65, began: 1_000 };
    return input.map((ms) => formatTime(secondsLeft(round, 1_000_000 + ms)));
    """
    shown = run_script(SCRIPTS, code, [-500, 0, 400, 1_000, 64_999, 65_000, 99_000])
    assert shown == ["1:05", "1:05", "1:05", "1:04", "0:01", "0:00", "0:00"]


def test_fault_stays_marked_when_the_time_is_over() -> None:
    made = run(record_of("cards:3.3.8.8=24"), limit=30, over="8 + 8 + 9")
    assert made["result"] == "over"
    assert made["mark"] == {"text": "8 + 8 + 9", "start": 8, "end": 9}


FARTHER = "75 x 3 + 50 x 2 + 25"


@in_one_test(
    ("inputs", "points"),
    *(([FARTHER, FIRST], 7), ([FIRST, FARTHER], 7)),
    *((["(75 + 50) x 3 - 25 + 2"], 7), (["(75 + 50) x 3 - 25 - 3"], 5)),
)
def test_attempt_that_is_nearest_is_kept_and_has_points(inputs: list[str], points: int) -> None:
    made = run(record_of(COUNTDOWN), *inputs, "!")
    assert (made["result"], made["points"]) == ("closest", points)
    assert ("your 353 is 4 away" in made["text"]) == (len(inputs) == 2)


def test_step_that_is_taken_back_is_no_attempt() -> None:
    steps = ["75 x 3", "225 + 50", "25 x 3", "275 + 75"]
    made = [run(record_of(COUNTDOWN), *steps, *undone, "!") for undone in ([], ["u"])]
    assert [(each["result"], each["points"]) for each in made] == [("closest", 5), ("shown", 0)]


# Places of the hands and signs that solve them; a step that is undone leaves nothing.
TAPS: dict[str, list[Any]] = {
    "cards:2.3.8.10=24": [[2, "-", 1], "u", [3, "x", 1], [2, "-", 0], [1, "-", 0]],
    "cards:1.2.6.8=24": [[1, ":", 3], [2, ":", 3], ["x", 0]],
    "cards:3.3.8.8=24": [[2, ":", 0], [1, "-", 0], [3, ":", 0]],
    FRACTIONS: [[0, ":", 2], ["-", 1], [3, ":", 1]],
    "cards:3.3/4.-2.6=24": [[0, "+", 2], ["-", 1], [3, ":", 1]],
}


@in_one_test(("name", "taps"), *TAPS.items())
def test_formula_of_taps_has_the_brackets_that_it_needs(name: str, taps: list[Any]) -> None:
    made = run(record_of(name), *taps)
    assert made["result"] == "right"
    formula = made["text"].removeprefix("correct: ")
    played, _ = Round(puzzle_of(name)).play(formula.partition(" = ")[0])
    assert played.result == "right", formula


def test_steps_are_undone_one_by_one() -> None:
    made = [run(record_of("cards:4.6.8.10=24"), [3, "-", 1], ["x", 0], *"uu"[:n]) for n in range(3)]
    assert [each["steps"] for each in made] == [2, 1, 0]
    assert [made[0]["left"], made[2]["left"]] == [["16", "8"], ["4", "6", "8", "10"]]


def test_typed_signs_fill_the_boxes_or_have_a_reason() -> None:
    row = row_record((4, 3, 8, 4, 24), (None, None, None, "="), "4 + 3 x 8 - 4 = 24")
    record = page_record(puzzle_of("crisps:3.4.4.8=24"), ENGLISH, page={}) | {"puzzles": [row]}
    record["game"] = game_record(GAMES["crisps"]) | {"parentheses": False}
    right = (["+", "x", "-"], "right")
    expected = {
        **{"+": (["+", None, None], None), "++-": (["+", "+", "-"], None)},
        **dict.fromkeys(("+*-", " + × −", "4 + 3 x 8 - 4 = 24"), right),
    }
    made = {text: run(record, text) for text in expected}
    assert {text: (each["signs"], each["result"]) for text, each in made.items()} == expected
    wrong = [run(record, text) for text in ("+?-", "+-+-+-")]
    assert [(each["text"], each["mark"].get("start"), each["signs"]) for each in wrong] == [
        ("'?' cannot be part of a formula", 1, [None] * 3),
        ("There are only 3 boxes.", None, [None] * 3),
    ]
