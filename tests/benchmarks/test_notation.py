"""How long checking takes: formulas that are right, and texts that are none."""

import json
from itertools import combinations_with_replacement, cycle, islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from crisps24 import GAMES, Puzzle, check, formulas, solve
from crisps24.judging.records import RecordLine
from crisps24.output.executors import processes
from crisps24.training.audits import audit
from tests.benchmarks.goals import CHECKED, FILED, SHARED
from tests.benchmarks.test_rows import measure, run

AUDITED = 100_000


class Asked(NamedTuple):
    text: str
    card: tuple[int, ...]
    game: str


@pytest.fixture(scope="module")
def right(pytestconfig: pytest.Config) -> list[Asked]:
    """Give as many right formulas of `crisps` as of `cards`, with their cards and targets.

    Where nothing is measured a few show that it would be.
    """
    half = (CHECKED if pytestconfig.getoption("benchmark_enable") else 100) // 2
    rows = [Asked(f"{row} = 24", row.numbers, "crisps") for row in islice(formulas(24), half)]
    hands = combinations_with_replacement(range(1, 14), 4)
    solved = (
        Asked(f"{solution} = 24", hand, "cards")
        for hand in hands
        for solution in islice(solve(hand, 24, "cards"), 4)
    )
    return [*rows, *islice(solved, half)]


@pytest.fixture(scope="module")
def malformed(right: list[Asked]) -> list[Asked]:
    """Give the same with something left out, put in or doubled, so that they are no formulas."""
    random = Random(24)
    found: list[Asked] = []
    while len(found) < len(right):
        asked = random.choice(right)
        text = asked.text
        at, kind = random.randrange(len(text)), random.randrange(3)
        middle = [text[at + 1 :], random.choice("+-x:/()=?a.") + text[at:], text[at:]][kind]
        text = text[: at + 3 * (kind == 2)] + middle
        if check(text, game="cards").verdict == "malformed":
            found.append(asked._replace(text=text))
    return found


@pytest.mark.parametrize("verdict", ["right", "malformed"])
def test_check(benchmark: Any, cold: Any, verdict: str, request: pytest.FixtureRequest) -> None:
    asked: list[Asked] = request.getfixturevalue(verdict)

    def check_all() -> set[str]:
        return {check(text, 24, card, game).verdict for text, card, game in asked}

    assert measure(benchmark, f"check, {verdict}", check_all, setup=cold) == {verdict}


@pytest.mark.parametrize("verdict", ["right", "malformed"])
def test_judge(benchmark: Any, verdict: str, request: pytest.FixtureRequest) -> None:
    asked: list[Asked] = request.getfixturevalue(verdict)
    tagged = (
        (
            f"<think>Of {card} I make 24.</think><answer>{text}</answer>",
            Puzzle(card, 24, GAMES[game]),
        )
        for text, card, game in asked
    )
    # What is no formula by itself may be a part of an answer that is wrong.
    posed = [each for each in tagged if each[1].judge(each[0]).verdict == verdict]
    posed = list(islice(cycle(posed), CHECKED))

    def judge_all() -> set[str]:
        return {puzzle.judge(text).verdict for text, puzzle in posed}

    assert measure(benchmark, f"judge, {verdict}", judge_all) == {verdict}


def test_judge_of_a_file(benchmark: Any, right: list[Asked], tmp_path: Path) -> None:
    path = tmp_path / "answers"
    lines = [
        json.dumps({"text": f"<answer>{text}</answer>", "nums": card, "target": 24, "game": game})
        for text, card, game in right
    ]
    many, workers = (1, "1") if benchmark.disabled else (SHARED, "2")
    path.write_text("".join(f"{line}\n" for line in lines) * many)
    command = ["-m", "crisps24", "judge", "--file", str(path), "--workers", workers]
    measure(benchmark, "judge, file", lambda: run(*command, "--format", "jsonl"), rounds=3)


def test_judge_of_a_chat(benchmark: Any) -> None:
    chat = "Let me see: 8 / 3 = 8/3, and 3 - 8/3 is 1/3 (good).\n" * 2_000
    puzzle = Puzzle((3, 3, 8, 8), 24, GAMES["cards"])
    found = measure(benchmark, "judge, chat", lambda: puzzle.judge(chat + "\\boxed{8/(3-8/3)}"))
    assert found.verdict == "right"


def test_audit(benchmark: Any) -> None:
    if benchmark.disabled:
        pytest.skip("it takes seconds: with --benchmark-enable")
    random = Random(24)
    hands = ([random.randint(1, 99) for _ in range(random.choice((3, 4)))] for _ in range(AUDITED))
    lines: list[RecordLine] = [
        (line, {"nums": hand, "target": random.randint(10, 100)})
        for line, hand in enumerate(hands, 1)
    ]

    def on_two_processes() -> int:
        with processes(2) as executor:
            return audit(lines, executor=executor).rows

    assert measure(benchmark, "audit", on_two_processes, long=True, rounds=1) == AUDITED


def test_check_of_a_file(benchmark: Any, right: list[Asked], tmp_path: Path) -> None:
    path = tmp_path / "answers"
    lines = [
        json.dumps({"formula": text, "card": card, "game": game}) if at % 2 else text
        for at, (text, card, game) in enumerate(right)
    ]
    path.write_text("".join(f"{line}\n" for line in lines) * FILED)
    command = ["-m", "crisps24", "check", "--file", str(path), "--format", "jsonl"]
    measure(benchmark, "check, file", lambda: run(*command, "--game", "cards"), rounds=3)
