"""Hostile texts: the judge raises, runs, opens and writes nothing, and takes linear time.

The texts whose time is measured are long: 2 seconds.
"""

import os
import subprocess
import sys
import time
from itertools import count
from random import Random

from crisps24 import GAMES, Puzzle
from crisps24.judging.judge import CODES
from tests.hostile.readers import random_input
from tests.judging.mutants import mutants
from tests.sampling import in_one_test

PUZZLE = Puzzle((3, 3, 8, 8), 24, GAMES["cards"])
# Random texts per run, half of them damaged answers; set JUDGED=200000 for a long run.
TEXTS = int(os.environ.get("JUDGED", "700"))


def hostile_texts(how_many: int, seed: int) -> list[str]:
    random = Random(seed)
    half = how_many // 2
    return [*mutants(half, seed), *(random_input(random) for _ in range(how_many - half))]


def test_every_text_has_a_verdict_and_a_code() -> None:
    for text in hostile_texts(TEXTS, seed=23):
        result = PUZZLE.judge(text)
        assert result.code in CODES[result.verdict], text
        assert result.score == float(result.verdict == "right")
        assert text[result.start : result.end] == result.answer
        assert result.reason or result.code == "ok", text


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


# Repeated pieces that a quadratic search would scan again and again, and what closes each.
PIECES = """<answer>;</answer>;<think>;</think>;<think>8</think>;\\boxed{;\\boxed{}};answer:
;answer:;the answer is ;**answer:;**Answer:** \n;Answer: 8\n;**;$\n;\\(;\\frac{;\\frac{8}{;\\left(
;\\left\\times;\\text{;\\,;= ;8=;8+;8+\n;8 + 8\n;8 + 8 a\n;*8+8\n;8,;8+8,;8+8=16,;8 or ;- ;-->
;no ;no solution ;no solution\n;ab ;J ;> ;```\n;```\n8\n;ab    ;it is impossible to make ;.✓; \n"""
REPEATED = [*PIECES.split(";"), *"{}*_`$\\=(- \naé１✓.J<#\r\t或无𝟙"]
REPEATED += ["8-4=4, ", "then plus minus ", "1,5 ", "=4", "8/3=2 2/3 - 1:5 , "]
GROWING = [*((piece, "") for piece in REPEATED), ("<answer>", "</answer>"), ("\\boxed{", "}")]
GROWING += [("(", ")"), ("{", "}")]


@in_one_test(("piece", "close"), *GROWING)
def test_judging_takes_linear_time(piece: str, close: str) -> None:
    # A text of 8 times the size takes 8 times as long, with quadratic time 64 times.
    small, large = (piece * size + "8" + close * size for size in (400, 3_200))
    for tries in count(1):
        if _seconds(large) <= 24 * _seconds(small) + 0.01:
            break
        assert tries < 12, piece


def _seconds(text: str) -> float:
    start = time.process_time()
    PUZZLE.judge(text)
    return time.process_time() - start
