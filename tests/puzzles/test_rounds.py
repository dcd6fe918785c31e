"""Rounds: replies to inputs, hints that lead to the target, and steps as formulas."""

from dataclasses import asdict, replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, check
from crisps24.messages.message import ENGLISH
from crisps24.puzzle import Puzzle, puzzle_of
from crisps24.puzzles.daily import format_result
from crisps24.puzzles.dealing import deal
from crisps24.puzzles.hints import next_steps
from crisps24.puzzles.rounds import RESULTS, ROUND_KEYS, Reply, Round
from tests.sampling import examples, in_one_test
from tests.tables import rows_of

GAME_NAMES = [name for name in GAMES if name != "game24"]
# The texts of rounds by the kind of reply.
TEXTS = {key[6:]: str(text) for key, text in ENGLISH.texts.items() if key.startswith("round.")}
CARDS = "cards:4.6.8.10=24"
COUNTDOWN = "countdown:75.50.25.6.3.1=725"
REPLIES = [
    (row["puzzle"], row["lines"].split("|"), row["kind"], row["text"], row["marked"])
    for row in rows_of("replies.csv")
]


def play_lines(puzzle: Puzzle | str, *lines: str, seconds: float = 1.0) -> tuple[Round, Reply]:
    current, reply = Round(puzzle_of(puzzle) if isinstance(puzzle, str) else puzzle), Reply("", "")
    for line in lines:
        current, reply = current.play(line, seconds)
    return current, reply


@pytest.mark.parametrize(("puzzle", "lines", "kind", "text", "marked"), REPLIES)
def test_input_gets_reply(puzzle: str, lines: list[str], kind: str, text: str, marked: str) -> None:
    before, _ = play_lines(puzzle, *lines[:-1])
    current, reply = before.play(lines[-1], 1)
    assert reply.kind == kind
    assert reply.text.startswith(text)
    assert reply.left == current.left
    if reply.error is None:
        assert marked == ""
    else:
        start, length = reply.error.position, reply.error.length
        assert reply.error.text == lines[-1]
        assert lines[-1][start : start + length].strip() == marked.strip()
    assert current.wrong == before.wrong + (kind in ("wrong", "illegal", "stuck"))
    assert current.hints == before.hints + (kind in ("hint", "lost"))
    ends_round = kind in ("right", "shown", "skipped", "left")
    assert (current.result != "") == (ends_round or kind == "ended")


def test_reply_has_the_minus_sign_of_the_style() -> None:
    for text in ("5 - 9", "!"):
        _, reply = Round(puzzle_of("cards:1.2.5.9=-3").with_style("dot")).play(text)
        assert "−" in reply.text, text
        assert "-" not in reply.text, text


def test_every_message_of_rounds_is_used() -> None:
    parts = {"task", "clock", "points", "only", "likeliest", "closest", "earned", "most"}
    kinds = {row[2] for row in REPLIES} | parts
    assert set(TEXTS) - kinds == {"none", "nearest", "over", "there"}
    assert set(ROUND_KEYS.values()) <= kinds
    assert set(RESULTS) - kinds == {"over"}


def test_round_is_restored_from_its_fields() -> None:
    current, _ = play_lines(COUNTDOWN, "75 + 50 = 125", "125 x 6", "75 - 80", "?", "(75 + 50) x 6")
    assert replace(current) == current
    assert current.steps == ("75 + 50 = 125", "125 x 6 = 750")
    assert (current.wrong, current.hints, current.best_formula) == (1, 1, "(75 + 50) x 6")
    assert set(asdict(current)) >= {"puzzle", "limit", "hints_since_step", "seconds"}


@in_one_test(
    "changes",
    {"steps": ("10 - 6 = 5",)},
    {"steps": ("10 - 6",)},
    {"wrong": -1},
    {"hints": -1},
    {"seconds": float("nan")},
    {"result": "won"},
    {"best_formula": "4 + 5"},
    {"best_formula": "4 +"},
)
def test_invalid_round_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"[a-z]"):
        Round(puzzle_of(CARDS), **changes)  # type: ignore[arg-type]


def test_step_taken_back_is_not_scored() -> None:
    near = "countdown:75.50.25.10.2.1=751"
    for undo in ("u", "r"):
        for step in ("75 x 10", "75 x 10 =", "75 x 10 = 750"):
            after, reply = play_lines(near, step)
            assert (reply.kind, after.best_attempt) == ("step", (750, "75 x 10"))
            assert after.play("q", 1)[0].points == 7
            current, _ = after.play(undo, 1)
            current, reply = current.play("q", 1)
            assert (current.result, current.points, reply.text) == ("left", 0, "not finished")
    # The best attempt before the undone step counts again.
    lines = ("75 x 10 - 25 + 2 x 10", "75 x 10 - 25 + 2 + 1", "75 x 10", "u", "q")
    current, reply = play_lines(near, *lines)
    assert (reply.text, current.points) == ("your 728 is 23 away: 0 points", 0)
    current, _ = play_lines(near, "75 + 50", "125 x 10", "u", "q")
    assert (current.best_formula, current.result, current.points) == ("75 + 50", "left", 0)
    # If all numbers must be used, only the target counts.
    after, reply = play_lines("cards:1.1.1.1=24", "1 + 1", "2 + 1", "3 - 1 =")
    assert (reply.kind, after.best_attempt) == ("stuck", None)


def test_time_is_over_after_the_limit_and_the_closest_counts() -> None:
    current = replace(play_lines(COUNTDOWN)[0], limit=30)
    assert current.clock == "30 s left"
    current, reply = current.play("(75 + 50) x 6 - 25 - 3", 12)
    assert (reply.kind, current.clock) == ("closer", "18 s left")
    in_time, reply = current.play("(75 + 50) x 6 - 25", 30)
    assert (in_time.result, in_time.points) == ("right", 10)
    too_late, reply = current.play("(75 + 50) x 6 - 25", 30.1)
    assert (reply.kind, too_late.result, too_late.points) == ("over", "closest", 7)
    assert reply.text.startswith("time is over; your 722 is 3 away: 7 points; 75 x ")
    unsolved, reply = replace(play_lines(CARDS)[0], limit=30).play("4 + 6", 31)
    assert (unsolved.result, unsolved.points) == ("over", 0)
    assert reply.text == "time is over; (10 - 6) x 4 + 8 = 24, the likeliest of 2 solutions"


@in_one_test(
    ("formula", "line", "seconds", "ending"),
    ("75 x 10 + 2", "", 31, ("over", "over", 0, "time is over")),
    ("75 x 10 + 2", "q", 9, ("left", "left", 0, "not finished")),
    ("75 x 10 + 2", "!", 9, ("shown", "shown", 0, "solution shown")),
    ("75 x 10 + 25 + 1", "", 31, ("over", "closest", 5, "closest: 5 points")),
)
def test_answer_without_points_is_not_the_closest(
    formula: str, line: str, seconds: float, ending: tuple[str, str, int, str]
) -> None:
    current = replace(play_lines("countdown:75.50.25.10.2.1=770")[0], limit=30)
    current, _ = current.play(formula, 5)
    current, reply = current.play(line, seconds)
    assert (reply.kind, current.result, current.points, current.outcome) == ending
    # The reply shows the distance even without points.
    value, gap = (752, 18) if ending[2] == 0 else (776, 6)
    assert f"your {value} is {gap} away: {ending[2]} points" in reply.text
    assert ("not solved" in format_result(current, date(2026, 11, 22))) == (ending[2] == 0)


@in_one_test("game", *GAME_NAMES)
def test_games_that_give_points(game: str) -> None:
    assert Round(deal(game, seed=1)[0]).scored == (game in ("countdown", "numble", "mathador"))


def test_points_of_operators() -> None:
    throw = "mathador:3.3.6.6.8=36"
    current, reply = play_lines(throw, "8 - 6 = 2", "3 x 2")
    assert (reply.kind, reply.text) == ("step", "3 points so far; left: 3 6 6")
    current, reply = current.play("6 x 6")
    most = "the most is 13 points: 6 x 6 + (3 - 3) / 8"
    told = f"3 x (8 - 6) x 6 = 36: 4 points; {most}"
    assert (current.points, reply.text.partition(": ")[2]) == (4, told)
    assert current.outcome == "correct: 4 points"
    _, reply = play_lines(throw, "!")
    assert reply.text == most
    current, reply = play_lines(throw, "6 x 6 + (3 - 3) / 8")
    assert (current.points, reply.text) == (13, "correct: 6 x 6 + (3 - 3) / 8 = 36: 13 points")


@pytest.mark.parametrize(("more", "points"), [("3", 7), ("6", 5), ("3 + 6", 5), ("3 x 6", 0)])
def test_points_by_distance(more: str, points: int) -> None:
    current, _ = play_lines(COUNTDOWN, f"75 x 9 + 50 + {more}")
    assert current.points == 0
    # 75 x (10 - 1) + 50 is 725.
    current, _ = play_lines("countdown:75.50.10.1.3.6=725", f"75 x (10 - 1) + 50 + {more}", "q")
    assert (current.result, current.points) == ("closest" if points else "left", points)


def test_closest_possible_value_is_right_for_an_unreachable_target() -> None:
    reachable = deal("countdown", 1, seed=1)
    unreachable = puzzle_of("countdown:1.1.2.2.3.3=999")
    assert unreachable.best != unreachable.target
    current, reply = play_lines(unreachable, ", ".join(next_steps(unreachable)))
    assert (reply.kind, current.result) == ("right", "right")
    assert reply.text.startswith("as near to 999 as possible: ")
    assert current.points == 0
    assert reachable[0].best == reachable[0].target
    assert Round(unreachable).task == "make 999 from 1 1 2 2 3 3"
    ones = puzzle_of("cards:1.1.1.1=24")
    assert Round(ones).task == "make 24 from 1 1 1 1"
    current, reply = play_lines(ones, "1 + 1 + 1 + 1")
    assert (reply.kind, current.result, current.wrong) == ("wrong", "", 1)
    for key in ("?", "!"):
        assert "24 cannot be made from 1 1 1 1" in play_lines(ones, key)[1].text


TOKENS = [*"+-x:()=, ?·\0９", "75", "50", "25", "6", "3", "1", "125", "750", "8/3", "\x1b[2J"]
LINES = st.one_of(
    st.lists(st.sampled_from(TOKENS), max_size=12).map("".join),
    st.text(max_size=30),
    st.sampled_from([*"?!ur", "", "75 + 50 = 125", "125 x 6 = 750", "6 = 6", "3 x 1 = 3"]),
)


@given(st.sampled_from(["cards", "crisps", "countdown", "join"]), st.lists(LINES, max_size=8))
@examples(25)
def test_any_input_gets_a_reply(name: str, lines: list[str]) -> None:
    game = replace(GAMES["make10"], join=True) if name == "join" else GAMES[name]
    current = Round(deal(game, 1, seed=5)[0], limit=100)
    for seconds, line in enumerate(lines):
        before = current
        current, reply = current.play(line, seconds)
        assert reply.text
        assert current.wrong >= before.wrong
        assert current.hints >= before.hints
        assert (current.result == "right") == (reply.kind == "right") or before.result
        if current.result == "right":
            checked = check(current.best_formula, current.puzzle.hand, None, current.puzzle.game)
            assert checked.value == current.puzzle.target
        assert replace(current) == current


@pytest.mark.parametrize("sign", ["!", "√", "^"])
@pytest.mark.parametrize("name", ["crisps", "cards", "countdown"])
def test_each_input_gets_a_reply_if_solutions_are_unknown(name: str, sign: str) -> None:
    operators = "".join(GAMES[name].operators)
    puzzle = f"{name}:4.3.1=12,operators={operators}{sign}"
    reason = f"with {sign}, not all solutions can be found: only one formula for each result"
    for steps in ([], ["4 - 3 = 1"], ["4 - 3 = 1", "1 + 1 = 2"]):
        for key in ROUND_KEYS:
            before, _ = play_lines(puzzle, *steps)
            after, reply = before.play(key)
            assert reply.text
            assert after.hints == before.hints + (key == "?" and reply.text != reason)
    played, reply = play_lines(puzzle, "4 - 3 = 1", "?")
    assert (reply.kind, reply.text, played.hints) == ("hint", reason, 0)
    played, reply = play_lines(puzzle, "!")
    assert reply.text.endswith(reason)
    assert (reply.kind, reply.formula, played.result) == ("shown", "", "shown")
    over, reply = Round(puzzle_of(puzzle), limit=5).play("4 +", seconds=6)
    assert reply.text == f"time is over; {reason}"
    assert (reply.kind, over.result) == ("over", "over")


@in_one_test(
    ("puzzle", "lines"),
    (CARDS, ["(10 - 6) x 4 + 8"]),
    (CARDS, ["10 - 6", "4 x 4 + 8"]),
    (COUNTDOWN, ["(75 + 50) x 6 - 25"]),
    (COUNTDOWN, ["(75 + 50) x 6 - 25 + 3", "!"]),
)
def test_round_after_its_solution_was_shown_counts_as_shown(puzzle: str, lines: list[str]) -> None:
    played = Round(puzzle_of(puzzle), seen=True)
    for line in lines:
        played, reply = played.play(line)
    assert (played.result, played.points, reply.kind == "right") == ("shown", 0, "!" not in lines)
    assert "not solved" in format_result(played, date(2026, 11, 22))


def test_row_has_the_fields_of_a_log() -> None:
    current, _ = play_lines(CARDS, "4 + 9", "?", "(10 - 6) x 4 + 8", seconds=9.26)
    bits = puzzle_of(CARDS).difficulty.bits  # type: ignore[union-attr]
    names = "id bits level seconds hints wrong result"
    values = (CARDS, bits, 4, 9.3, 1, 1, "right")
    assert current.row() == dict(zip(names.split(), values, strict=True))
