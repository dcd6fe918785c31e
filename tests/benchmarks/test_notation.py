"""Times to check, judge and audit formulas, right and malformed."""

import json
from itertools import combinations_with_replacement, cycle, islice
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from crisps24 import GAMES, Puzzle, check, formulas, solve
from crisps24.judging.table_rows import RecordLine
from crisps24.output.executors import processes
from crisps24.training.audits import audit
from tests.benchmarks.goals import CHECK_FILE_REPEATS, FORMULAS, JUDGE_FILE_REPEATS
from tests.benchmarks.test_rows import measure, run

# Puzzles per audit.
AUDITED = 100_000


class Exercise(NamedTuple):
    """A formula with a card and the name of a game; the target is 24."""

    text: str
    card: tuple[int, ...]
    game: str


@pytest.fixture(scope="module")
def right(pytestconfig: pytest.Config) -> list[Exercise]:
    """Return right formulas, one half of `crisps` and one half of `cards`.

    Without --benchmark-enable these are only 100, to show that the benchmarks work.
    """
    half = (FORMULAS if pytestconfig.getoption("benchmark_enable") else 100) // 2
    rows = [Exercise(f"{row} = 24", row.numbers, "crisps") for row in islice(formulas(24), half)]
    hands = combinations_with_replacement(range(1, 14), 4)
    solved = (
        Exercise(f"{solution} = 24", hand, "cards")
        for hand in hands
        for solution in islice(solve(hand, 24, "cards"), 4)
    )
    return [*rows, *islice(solved, half)]


@pytest.fixture(scope="module")
def malformed(right: list[Exercise]) -> list[Exercise]:
    """Return the formulas with a part removed, inserted or doubled, so that they are malformed."""
    random = Random(24)
    exercises: list[Exercise] = []
    while len(exercises) < len(right):
        exercise = random.choice(right)
        text = exercise.text
        position, kind = random.randrange(len(text)), random.randrange(3)
        rest = text[position:]
        new_rest = [rest[1:], random.choice("+-x:/()=?a.") + rest, rest][kind]
        text = text[: position + 3 * (kind == 2)] + new_rest
        if check(text, game="cards").verdict == "malformed":
            exercises.append(exercise._replace(text=text))
    return exercises


@pytest.mark.parametrize("verdict", ["right", "malformed"])
def test_check(benchmark: Any, cold: Any, verdict: str, request: pytest.FixtureRequest) -> None:
    exercises: list[Exercise] = request.getfixturevalue(verdict)

    def check_all() -> set[str]:
        return {check(text, 24, card, game).verdict for text, card, game in exercises}

    assert measure(benchmark, f"check, {verdict}", check_all, setup=cold) == {verdict}


@pytest.mark.parametrize("verdict", ["right", "malformed"])
def test_judge(benchmark: Any, verdict: str, request: pytest.FixtureRequest) -> None:
    exercises: list[Exercise] = request.getfixturevalue(verdict)
    tagged = (
        (
            f"<think>Of {card} I make 24.</think><answer>{text}</answer>",
            Puzzle(card, 24, GAMES[game]),
        )
        for text, card, game in exercises
    )
    # A malformed formula can contain a formula, so that the answer is wrong, not malformed.
    answers = [(text, puzzle) for text, puzzle in tagged if puzzle.judge(text).verdict == verdict]
    answers = list(islice(cycle(answers), FORMULAS))

    def judge_all() -> set[str]:
        return {puzzle.judge(text).verdict for text, puzzle in answers}

    assert measure(benchmark, f"judge, {verdict}", judge_all) == {verdict}


def test_judge_of_a_file(benchmark: Any, right: list[Exercise], tmp_path: Path) -> None:
    path = tmp_path / "answers"
    lines = [
        json.dumps({"text": f"<answer>{text}</answer>", "nums": card, "target": 24, "game": game})
        for text, card, game in right
    ]
    repeats, workers = (1, "1") if benchmark.disabled else (JUDGE_FILE_REPEATS, "2")
    path.write_text("".join(f"{line}\n" for line in lines) * repeats)
    command = ["-m", "crisps24", "judge", "--file", str(path), "--workers", workers]
    measure(benchmark, "judge, file", lambda: run(*command, "--format", "jsonl"), rounds=3)


def test_judge_of_a_chat(benchmark: Any) -> None:
    chat = "Let me see: 8 / 3 = 8/3, and 3 - 8/3 is 1/3 (good).\n" * 2_000
    puzzle = Puzzle((3, 3, 8, 8), 24, GAMES["cards"])
    answer = chat + "\\boxed{8/(3-8/3)}"
    judgement = measure(benchmark, "judge, chat", lambda: puzzle.judge(answer))
    assert judgement.verdict == "right"


def test_audit(benchmark: Any) -> None:
    if benchmark.disabled:
        pytest.skip("it takes seconds: add --benchmark-enable")
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


def test_check_of_a_file(benchmark: Any, right: list[Exercise], tmp_path: Path) -> None:
    path = tmp_path / "answers"
    lines = [
        json.dumps({"formula": text, "card": card, "game": game}) if index % 2 else text
        for index, (text, card, game) in enumerate(right)
    ]
    path.write_text("".join(f"{line}\n" for line in lines) * CHECK_FILE_REPEATS)
    command = ["-m", "crisps24", "check", "--file", str(path), "--format", "jsonl"]
    measure(benchmark, "check, file", lambda: run(*command, "--game", "cards"), rounds=3)
