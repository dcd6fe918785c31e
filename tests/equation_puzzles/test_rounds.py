"""Rounds of guessing: inputs, replies and results, also through a pipe."""

import json
import re
import shlex
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import CrispsError, Equation, equations
from crisps24.equation_puzzles.guesses import remaining_equations
from crisps24.equation_puzzles.rounds import MAX_GUESSES, EquationRound, deal_equations
from crisps24.puzzles.rounds import RESULTS, Reply
from tests.cli.scripted import scripted
from tests.equation_puzzles.equations_oracle import marks
from tests.sampling import examples, in_one_test
from tests.tables import rows_of

SECRET, EQUATION = "12+37=49", Equation()


def play_round(*lines: str, limit: float | None = None) -> tuple[EquationRound, Reply]:
    played, reply = EquationRound(SECRET, EQUATION, limit), Reply("", "")
    for second, line in enumerate(lines, 1):
        played, reply = played.play(line, second)
    return played, reply


@in_one_test("row", *rows_of("equation-replies.csv"))
def test_inputs_get_replies(row: dict[str, str]) -> None:
    played, reply = play_round(*row["lines"].split("|"))
    assert [reply.kind, reply.text, played.result] == [row["kind"], row["text"], row["result"]]


def test_input_that_is_not_an_equation_is_not_a_guess() -> None:
    played, _ = play_round("9*8-7=66", "foo", "9*8=72", "48-32=16")
    assert (played.guesses, played.wrong) == (("48-32=16",), 1)


def test_round_ends_when_time_is_over() -> None:
    played, reply = play_round("48-32=16", "48-32=16", limit=1.5)
    assert (reply.text, played.result) == ("time is over; it was 12+37=49", "over")
    assert played.clock == "0 s left"


def test_row_for_the_log() -> None:
    played, _ = play_round("48-32=16", "?", SECRET)
    assert played.row() == {
        **{"id": "equation:12+37=49", "bits": None, "level": None, "seconds": 3, "hints": 1},
        **{"wrong": 1, "result": "right", "guesses": ["48-32=16", "12+37=49"]},
    }
    assert (played.name, played.outcome) == (SECRET, "correct, 2 guesses")


@examples(40)
@given(st.lists(st.sampled_from(["?", "u", "1+1=2", *equations(Equation(5))]), max_size=8))
def test_hints_are_remaining_equations_in_random_rounds(lines: list[str]) -> None:
    equation = Equation(5)
    played = EquationRound("9-4=5", equation)
    for line in lines:
        before = played
        played, reply = played.play(line)
        if line in equations(equation) and not before.result and reply.kind == "wrong":
            assert reply.text == marks(line, "9-4=5")
        if reply.kind == "hint":
            seen = [(guess, marks(guess, "9-4=5")) for guess in played.guesses]
            assert reply.formula in remaining_equations(equation, seen).texts
    assert played.result in ("", *RESULTS)
    assert len(played.guesses) <= MAX_GUESSES
    assert (played.result == "right") == ("9-4=5" in played.guesses)


@in_one_test(("secret", "result"), ("1+1=3", ""), ("12=12", ""), ("1+1=2", "won"))
def test_invalid_round_is_refused(secret: str, result: str) -> None:
    with pytest.raises(CrispsError):
        EquationRound(secret, Equation(5), result=result)


def test_drawn_equations_differ() -> None:
    secrets = deal_equations(Equation(5), 127, seed=1).secrets
    assert sorted(secrets) == sorted(equations(Equation(5)))
    with pytest.raises(CrispsError, match="only 127 equations have this form, fewer than 128"):
        deal_equations(Equation(5), 128)


def test_printed_command_plays_the_same_round(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    words = ["equation", "--count", "2", "--seed", "7", "--log", str(log)]
    output = scripted("48-32=16\n61-32=29\n\n", *words).stdout.decode()
    lines = output.splitlines()
    assert lines[1:5] == [
        "1 of 2 · equation",
        "find the equation of 8 characters in 6 guesses: g is in its place, y elsewhere, b nowhere",
        "bbggggyy · guess 1 of 6",
        "gggggggg, correct: 61-32=29 (0:00)",
    ]
    assert lines[-1] == "drawing 5: crisps24 play equation --count 2 --seed 7"
    results = [json.loads(line)["result"] for line in log.read_text().splitlines()]
    assert results == ["right", "skipped"]
    words = ["equation", "--no-fractions", "--length", "6", "--most", "99"]
    output = scripted("q\n", *words).stdout.decode()
    command = re.search(r"crisps24 play (equation .*)$", output.strip())
    assert command
    assert scripted("q\n", *shlex.split(command[1])).stdout.decode() == output
    assert "equation, Fractions on the way: no, Largest result allowed: 99\n" in output


@in_one_test(
    ("options", "message"),
    ("--level 2", "--level is for hands"),
    ("--target 24", "--target is for hands"),
    ("--parentheses", "--parentheses is for hands"),
    ("--length 5..6", "equation takes one --length, not a range"),
    ("--length 5 --count 128", "fewer than 128"),
)
def test_options_that_equations_do_not_have_are_refused(options: str, message: str) -> None:
    assert message in scripted("", "equation", *shlex.split(options), status=2).stderr.decode()
