"""Results of the player: the lines to share are those of Python."""

from datetime import date, timedelta
from random import Random
from typing import Any

from crisps24.judging import phone_lines
from crisps24.judging.phone_lines import END_KINDS, SECONDS, Played, read_code, read_phone_results
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Language
from crisps24.player.files import language_record
from crisps24.puzzle import puzzle_of
from crisps24.puzzles.daily import count_streak, format_day, format_result
from crisps24.puzzles.rounds import Round
from crisps24.rules.games import GAMES, plain_name
from tests.languages import IN_SOME_LANGUAGES
from tests.player.node import needs_node, run_script
from tests.sampling import in_one_test

pytestmark = needs_node
DAYS = [date(2026, 1, 1), date(2026, 12, 31), date(2027, 2, 10)]
SCRIPTS = ("texts.js", "results.js")
SAY = "const say = (key, values) => formatMessage({ key, values }, input.language);"


def run(code: str, language: Language = ENGLISH, **data: Any) -> Any:
    record = language_record(language, ENGLISH.texts)
    return run_script(SCRIPTS, SAY + code, data | {"language": record})


@IN_SOME_LANGUAGES
def test_days_are_those_of_python(language: Language) -> None:
    code = "return input.days.map((day) => formatDay(day, say));"
    shown = run(code, language, days=[day.isoformat() for day in DAYS])
    assert shown == [format_day(day, language) for day in DAYS]


INPUTS = {
    "cards:4.6.8.10=24": (["(10 - 6) x 4 + 8"], ["?", "(10 - 6) x 4 + 8"], ["!"], ["?", "?", "!"]),
    "countdown:75.50.25.3.3.2=357": (["75 x 3 + 50 x 2 + 25 + 3", "!"], ["!"]),
    "krypto:1.2.3.4.5=15": (["1 + 2 + 3 + 4 + 5"],),
}


@IN_SOME_LANGUAGES
def test_line_of_a_day_is_that_of_python(language: Language) -> None:
    expected, cases = [], []
    for name, lines in INPUTS.items():
        puzzle = puzzle_of(name)
        for texts in lines:
            played = Round(puzzle, language=language)
            for text in texts:
                played, _ = played.play(text)
            result = {"result": played.result, "hints": played.hints, "points": played.points}
            cases.append([result, plain_name(puzzle.game.name).text(language), puzzle.level])
            expected.append(format_result(played, DAYS[1]))
    code = "return input.cases.map(([result, ...shown]) => "
    code += "formatDaily(result, input.day, ...shown, say));"
    assert run(code, language, cases=cases, day=DAYS[1].isoformat()) == expected


@in_one_test("solved", [], [0], [0, 1, 2], [1, 2], [0, 1, 3])
def test_days_in_a_row_are_counted_as_in_python(solved: list[int]) -> None:
    day, code = date(2027, 1, 2), "return countStreak(input.results, input.day);"
    ends = dict.fromkeys(solved, "right") | {4: "shown"}
    ended = {str(day - timedelta(days=days)): end for days, end in ends.items()}
    results = {name: {"result": end, "hints": 0, "points": 0} for name, end in ended.items()}
    rows = [{"id": "cards:1=1", "daily": name, "result": end} for name, end in ended.items()]
    count = run(code, results=results, day=str(day))
    assert count == count_streak(rows, GAMES["cards"], day)


def test_line_of_all_puzzles() -> None:
    endings = (
        ("right", 0, 10),
        ("right", 2, 10),
        ("closest", 0, 7),
        ("shown", 1, 0),
        ("over", 0, 0),
    )
    results = {
        str(n): {"result": result, "hints": hints, "points": points}
        for n, (result, hints, points) in enumerate(endings, 1)
    }
    code = "return formatResults(input.results, 30, input.options, say);"
    plain = {"title": "", "name": "", "tag": "ABC", "isScored": False}
    every = [plain, plain | {"title": "Class · 5b", "name": " E\nmil ", "isScored": True}]
    lines = [run(code, results=results, options=options) for options in every]
    heads, codes = zip(*(line.rsplit(" · ", 1) for line in lines), strict=True)
    solved = "3 of 30 solved, 1 with hints"
    assert heads == (f"crisps24 · {solved}", f"crisps24 Class 5b · E mil · {solved}, 27 points")
    ends = (Played("right"), Played("hinted"), Played("closest"), Played("shown"), Played("shown"))
    assert [read_code(code) for code in codes] == [("ABC", ends)] * 2


RANDOM = Random(73)
STORED_KINDS = ("right", "hinted", "closest", "shown", None)


def random_end(kind: str | None) -> tuple[Played | None, dict[str, Any] | None]:
    """Return an end of a puzzle as Python reads it, and as the browser stores it."""
    if kind is None:
        return None, None
    time = RANDOM.randrange(len(SECONDS)) if kind in END_KINDS else 0
    limit = int(SECONDS[time].strip(">") or 0)
    taken = {"taken": limit + SECONDS[time].startswith(">")} if time else {}
    stored = {"result": "right" if kind == "hinted" else kind, "hints": int(kind == "hinted")}
    return Played(kind, time), stored | {"points": 0} | taken


def test_codes_of_the_script_are_read_in_python() -> None:
    cases, expected = [], []
    for count in (*range(13), 30, 200):
        tag = "".join(RANDOM.choices(phone_lines.CODE_DIGITS, k=3))
        pairs = [random_end(kind) for kind in RANDOM.choices(STORED_KINDS, k=count)]
        cases.append([[stored for _, stored in pairs], tag])
        while pairs and pairs[-1][0] is None:
            pairs.pop()
        expected.append((tag, tuple(end for end, _ in pairs)))
    codes = run("return input.cases.map(([list, tag]) => codeOf(list, tag));", cases=cases)
    assert [read_code(code) for code in codes] == expected
    assert [read_code(code.lower()) for code in codes] == expected
    # Three digits for the page, two to check, and one for each puzzle.
    for code, (_, played) in zip(codes, expected, strict=True):
        assert len(code) == len(played) + 5


def test_line_of_the_script_is_read_in_python_in_each_language() -> None:
    drawn = {str(place + 1): random_end(STORED_KINDS[place % 5])[1] for place in range(10)}
    results = {place: result for place, result in drawn.items() if result}
    code = "return formatResults(input.results, 10, input.options, say);"
    options = {"title": "5b", "name": "Zoë 小明", "tag": "7KQ", "isScored": True}
    for language in LANGUAGES.values():
        for kept in (results, {"4": results["4"]}, {"1": results["1"]}):
            line = run(code, language, results=kept, options=options)
            solved = sum(result["result"] in END_KINDS for result in kept.values())
            [pupil] = read_phone_results(f"\u200e[29.11.26, 10:07] Mia: {line}\nok").pupils
            assert (pupil.name, pupil.solved) == ("Zoë 小明", solved)
            assert len(pupil.played) == max(map(int, kept))


def test_first_result_stays() -> None:
    def record(text: str) -> dict[str, Any]:
        name, hints = text.split()
        return {"result": name, "hints": int(hints), "points": 0}

    code = 'recordResult(input.results, "1", input.ending, input.seen); return input.results["1"];'
    for old, new, expected, seen in (
        *(("", "right 0", "right 0", False), ("right 0", "right 3", "right 0", False)),
        *(("right 0", "shown 0", "right 0", False), ("shown 0", "right 0", "shown 0", False)),
        *(("shown 2", "right 0", "shown 2", False), ("over 0", "right 0", "right 1", False)),
        # The end of the time has shown the solution of a puzzle that has one.
        *(("closest 0", "right 0", "closest 0", False), ("over 0", "right 0", "over 0", True)),
    ):
        results = {"1": record(old)} if old else {}
        assert run(code, results=results, ending=record(new), seen=seen) == record(expected)
