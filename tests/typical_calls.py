"""Typical calls, which a type checker reads: right ones, and wrong ones that it has to refuse.

An ignored error that is none is an error in the strict mode of mypy.
"""

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Literal

import crisps24


def right_calls() -> None:
    puzzle = crisps24.Puzzle([3, 3, 8, 8], 24, "cards")
    odd_hand = (3.0, Fraction(3), Decimal(8), "8")
    puzzle = crisps24.Puzzle(odd_hand, 24, crisps24.GAMES["cards"], in_order=True)
    puzzle = crisps24.puzzle_of((6, "3/4", 3, 3), 24, "cards")
    puzzle = crisps24.puzzle_of("cards:3.3.8.8=24")
    hand: tuple[int | Fraction, ...] = puzzle.hand
    game: crisps24.Game = puzzle.game
    level: int | None = puzzle.level
    difficulty: crisps24.Difficulty | None = crisps24.difficulty(hand, 24, game)
    found: list[crisps24.Solution] = puzzle.solutions()
    nearest: dict[int | Fraction, crisps24.Expression] = crisps24.closest((1, 1, 1, 1), 24)
    solved: crisps24.Solutions = crisps24.solve([4, 3, 8, 4], 24)
    solved = crisps24.solve("4 3 8 4", 24, "crisps", work=None)
    trees: list[crisps24.Expression] = [*solved, solved[0]]
    check: crisps24.Check = puzzle.check("8 / (3 - 8 / 3)", style="latex")
    check = crisps24.check("4 + 3", target=7, hand=(4, 3))
    verdict: Literal["right", "legal", "wrong", "illegal", "malformed"] = check.verdict
    reason: crisps24.Message | None = check.message
    judgement: crisps24.Judgement = crisps24.judge(b"3 x 8", (3, 8), 24, partial=0.5)
    if judgement.code == "value" and judgement.verdict == "wrong":
        judgement = puzzle.judge([{"role": "assistant", "content": "3 x 8"}])
    episode = crisps24.Episode(puzzle, process=0.5)
    reward: float = episode.step("8 / 3").reward + episode.step((8, ":", Fraction(1, 3))).reward
    left: tuple[int | Fraction, ...] = episode.undo().left
    dealt: crisps24.Deal = crisps24.deal("cards", 2, level="2..3", seed=7)
    dealt = crisps24.deal(level=range(2, 4), conditions=crisps24.Conditions(lengths=range(2, 4)))
    first: crisps24.Puzzle = dealt[0]
    several: tuple[crisps24.Puzzle, ...] = dealt[:1]
    answers: list[str] = dealt.answers()
    count: int = crisps24.count(24, card=(4, 3, 8, 4)) + len(crisps24.reachable("3 8", "cards"))
    rows: Iterator[crisps24.Formula] = crisps24.formulas(143)
    tree: crisps24.Expression = crisps24.parse("4 + 3")
    value: int | Fraction = crisps24.evaluate(tree) + crisps24.evaluate(next(rows))
    survey: crisps24.Survey = crisps24.survey("digits", range(101))
    path: Path = crisps24.write_results(143, "results")
    verification: crisps24.Verification = crisps24.verify_results(path)
    error: crisps24.FormulaError | None = check.error
    print(level, difficulty, found, nearest, trees, verdict, reason, first, several, answers)
    print(count, value, survey, verification, error, reward, left)


def wrong_calls(puzzle: crisps24.Puzzle, check: crisps24.Check, judged: crisps24.Judgement) -> None:
    crisps24.Puzzle()  # type: ignore[call-arg]
    crisps24.Puzzle(24, (3, 8))  # type: ignore[arg-type]
    crisps24.Puzzle((3, 8), "24")  # type: ignore[arg-type]
    crisps24.Puzzle((3, 8), 24, 5)  # type: ignore[arg-type]
    crisps24.Puzzle((3, 8), 24, "cards", True)  # type: ignore[call-arg]
    puzzle.hand = (3, 8)  # type: ignore[misc]
    puzzle.solution()  # type: ignore[attr-defined]
    crisps24.Episode("cards:3.8=24")
    crisps24.Episode(puzzle, 50)  # type: ignore[call-arg]
    puzzle.check(24)  # type: ignore[arg-type]
    crisps24.deal("cards", "2")  # type: ignore[arg-type]
    crisps24.deal(levels=2)  # type: ignore[call-arg]
    if check.verdict == "correct":  # type: ignore[comparison-overlap]
        print(check.value + 1)  # type: ignore[unreachable, unused-ignore]
    if judged.code == "values":  # type: ignore[comparison-overlap]
        print(judged)  # type: ignore[unreachable, unused-ignore]
