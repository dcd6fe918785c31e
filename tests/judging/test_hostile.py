"""Hostile texts: the judge raises, runs, opens and writes nothing, and takes linear time."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count
from random import Random

import pytest

from crisps24 import GAMES, Puzzle
from crisps24.judging.candidates import MAX_ANSWER_LENGTH
from crisps24.judging.extraction import MAX_TEXT_LENGTH
from crisps24.judging.judge import CODES
from tests.hostile.readers import random_input
from tests.judging.mutants import mutants
from tests.sampling import in_one_test

PUZZLE = Puzzle((3, 3, 8, 8), 24, GAMES["cards"])
# Random texts per run, half of them damaged answers; set JUDGED=200000 for a long run.
TEXTS = int(os.environ.get("JUDGED", "700"))


def hostile_texts(how_many: int, seed: int) -> list[str]:
    random = Random(seed)
    damaged = (text for _, text in mutants(how_many // 2, seed))
    return [*damaged, *(random_input(random) for _ in range(how_many - how_many // 2))]


def test_every_text_has_a_verdict_and_a_code() -> None:
    for text in hostile_texts(TEXTS, seed=23):
        result = PUZZLE.judge(text)
        assert result.code in CODES[result.verdict], text
        assert result.score == float(result.verdict == "right")
        assert text[result.start : result.end] == result.answer
        assert (result.reason == "") == (result.code == "ok"), text


WATCHED = """
import sys
from tests.judging.test_hostile import PUZZLE, hostile_texts

texts = hostile_texts(int(sys.argv[1]), seed=29)
for text in texts[:100]:
    PUZZLE.judge(text)
PUZZLE.judge("no solution")
# Escaping an invisible character makes Python import a codec.
PUZZLE.judge("2\\u20634")
seen = []
# Audit events that ordinary code raises; running, reading or writing raises others.
QUIET = ("object.__getattr__", "sys._getframe", "code.__new__", "builtins.id", "array.__new__")

def watch(event, arguments):
    if watching and event not in QUIET:
        seen.append((event, str(arguments)[:80]))

watching = False
sys.addaudithook(watch)
watching = True
for text in texts:
    PUZZLE.judge(text)
watching = False
print(sorted(set(seen)))
"""


def test_judging_opens_runs_and_writes_nothing() -> None:
    command = [sys.executable, "-c", WATCHED, str(TEXTS // 2)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "[]\n", "")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("8" * (MAX_TEXT_LENGTH + 1), "too-long"),
        ("\\boxed{" + "8+" * MAX_ANSWER_LENGTH + "}", "too-long"),
    ],
)
def test_texts_and_answers_over_the_maximum_length_are_refused(text: str, code: str) -> None:
    assert PUZZLE.judge(text).code == code
    assert PUZZLE.judge(text.encode()).code == code


# Texts of growing size that a quadratic search would scan again and again.
GROWING: dict[str, Callable[[int], str]] = {
    "tags that open": lambda size: "<answer>" * size,
    "tags that close": lambda size: "</answer>" * size,
    "tags in tags": lambda size: "<answer>" * size + "8" + "</answer>" * size,
    "thoughts": lambda size: "<think>8</think>" * size,
    "boxes that open": lambda size: "\\boxed{" * size,
    "boxes in boxes": lambda size: "\\boxed{" * size + "8" + "}" * size,
    "braces": lambda size: "{" * size + "}" * size,
    "fences": lambda size: "```\n8\n" * size,
    "labels": lambda size: "Answer: 8\n" * size,
    "labels without an answer": lambda size: "**Answer:** \n" * size,
    "stars": lambda size: "*" * size,
    "dollars": lambda size: "$" * size,
    "digits": lambda size: "8" * size,
    "spaces": lambda size: " " * size + "8",
    "lines": lambda size: "\n" * size,
    "lines of formulas": lambda size: "8 + 8\n" * size,
    "lines that are nearly formulas": lambda size: "8 + 8 a\n" * size,
    "equals": lambda size: "8=" * size,
    "equals in a line": lambda size: "=" * size,
    "commas": lambda size: "8," * size,
    "steps": lambda size: "8+8=16," * size,
    "minus": lambda size: "-" * size,
    "parentheses": lambda size: "(" * size + "8" + ")" * size,
    "fractions": lambda size: "\\frac{8}{" * size,
    "commands": lambda size: "\\left\\times" * size,
    "stops": lambda size: "." * size + "✓" * size,
    "claims": lambda size: "no solution " * size,
    "words": lambda size: "the answer is " * size,
}


@in_one_test("name", GROWING)
def test_judging_takes_linear_time(name: str) -> None:
    # A text of 8 times the size takes 8 times as long, with quadratic time 64 times.
    small, large = (GROWING[name](size) for size in (1_000, 8_000))
    for tries in count(1):
        if _seconds(large) <= 24 * _seconds(small) + 0.01:
            break
        assert tries < 5, name


def _seconds(text: str) -> float:
    best = 1e9
    for _ in range(3):
        start = time.process_time()
        PUZZLE.judge(text)
        best = min(best, time.process_time() - start)
    return best
