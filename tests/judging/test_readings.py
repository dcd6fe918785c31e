"""Answers as people write them: right ones are read, and no wrong one is right.

`pupils-answers.jsonl` has 264 answers in six languages, `reader-attacks.jsonl` 289 texts that are
not right. What cannot be read is `unread`, with the part that is right by itself if it has one.
"""

import json
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

from crisps24 import check, deal, puzzle_of
from crisps24.judging.judge import JudgingContext, judge_text
from tests.sampling import EVERY, in_one_test

FORMULA = "(8 - 4) x 3 x 2"
DATA = Path(__file__).parents[1] / "data"
A, B, C = "cards:2.3.4.8=24", "cards:1.5.5.5=24", "cards:3.3.8.8=24"
D = "countdown:100.75.50.25.6.3=952"


def rows(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def test_right_answers_are_read_and_wrong_ones_are_not() -> None:
    verdicts: Counter[tuple[bool, str]] = Counter()
    for row in rows("pupils-answers.jsonl"):
        judgement = puzzle_of(row["puzzle"]).judge(row["answer"])
        verdicts[bool(row["right"]), judgement.verdict] += 1
        assert row["right"] or not judgement, row
    assert verdicts[True, "right"] >= 170
    assert not verdicts[True, "wrong"] + verdicts[True, "illegal"]


def test_no_attack_is_right() -> None:
    attacks = rows("reader-attacks.jsonl")
    accepted = [row for row in attacks if puzzle_of(row["puzzle"]).judge(row["text"])]
    # A formula can be stated to equal anything that is 24.
    assert [row["text"] for row in accepted] == ["(8-4)*3*2=24 · 1", "(8-4)*3*2=24 / 1 = 24"]


@in_one_test(
    ("puzzle", "text"),

        # Decimal commas, mixed numbers, fractions.
        (B, "1:5=0,2; 5-0,2=4,8; 4,8*5=24"),
        ("cards:3/4.1/2.6.1=24", "3/4-1/2=0,25; 6:0,25=24; 24*1=24"),
        (C, "8:3=2 2/3; 3-2 2/3=1/3; 8:1/3=24"),
        # Operations in words, running totals.
        (A, "8 minus 4 ist 4, mal 3 ist 12, mal 2 ist 24"),
        (A, "8 take away 4 is 4, times 3 is 12, times 2 is 24"),
        (A, "8减4等于4，4乘3等于12，12乘2等于24"),
        (A, "Subtract 4 from 8 to get 4. Multiply by 3 to get 12. Multiply by 2 to get 24."),
        # Between steps.
        *((A, f"8-4=4{between}4*3=12{between}12*2=24") for between in (" ", " / ", " | ", " → ")),
        *((A, f"8-4=4 {word} 4*3=12 {word} 12*2=24") for word in ("then", "dann", "puis", "luego")),
        (A, "a) 8-4=4 b) 4*3=12 c) 12*2=24"),
        ("cards:2.6.6.10=24", "6*6=36 36-10=26 26-2=24"),
        # Words and marks around.
        *((A, text) for text in ("ich glaube (8-4)*3*2", "'=(8-4)*3*2", "(8-4)*3*2 (richtig?)")),
        *((A, text) for text in ("(8-4)*3*2=24!", "(8-4)*3*2 :)", "{8-4}*3*2", "(8-4)\\*3\\*2")),
        (A, "„(8-4)•3•2“ 👍"),
        *((A, text) for text in ("3(8-4)2", "3 (8 - 4) · 2", "Frage 3: (8-4)*3*2 um 10:30 Uhr")),
        # Numbers of thousands.
        (D, "100+6=106\n106x3=318\n318x75=23,850\n23,850-50=23,800\n23,800/25=952"),
        # Corrections: the last that stands.
        (A, "3*8=24 nein, (8-4)*3*2"),
        (A, "~~8*3~~ (8-4)*3*2"),
        # In any order.
        ("countdown:60.4.16.2.1.3=224", "240 - 16 = 224, where 240 is 60 × 4"),
        ("cards:3.4.9=24", "6 × 4, the 6 is 9 - 3"),
        # Outputs of models.
        (C, "So we have $8/(3-8/3)=24$."),
        (C, "This gives \\bigl(8\\bigr) / (3 - 8/3)."),
        (A, "| Step | Result |\n|---|---|\n| 8 − 4 | 4 |\n| 4 × 3 | 12 |\n| 12 × 2 | 24 |"),
        (A, "Therefore, one solution is (8-4)&times;3&times;2."),
        (A, "<solution>(8-4)*3*2</solution>"),
        (C, "$8/(3-8/3)=\\boxed{24}$"),
        ("cards:1.1.1.2=24", "Es gibt keine Lösung für 1, 1, 1, 2."),
        ("cards:1.1.1.2=24", "C'est impossible avec 1 1 1 2"),
        *(("cards:1.1.1.2=24", text) for text in ("no se puede", "dat kan niet", "geht nicht"))
    ,
)  # fmt: skip
def test_ways_of_writing_are_read(puzzle: str, text: str) -> None:
    judgement = puzzle_of(puzzle).judge(text)
    assert judgement, judgement.reason


@in_one_test(
    ("text", "code", "formula"),
    *((text, "found", FORMULA) for text in ("(8-4)*3*2 or 8*3", "bin gegen (8-4)*3*2")),
    ("<answer>(8-4)*3*2, 8*3</answer>", "found", FORMULA),
    ("<answer>either (8-4)*3*2 oder 4*6</answer>", "found", FORMULA),
    ("8-4=4，4×... 4×3=12，12×2=24", "found", FORMULA),
    ("8-4=4, 8 x … 4*3=12, 12*2=24", "found", FORMULA),
    ("8-4=4，4×...", "unread", ""),
    ("eight minus four times three times two", "unread", ""),
    ("((8-4)*3*2", "not-a-formula", ""),
    ("24", "no-formula", ""),
    ("= 24 Punkt", "no-formula", ""),
    ("8-4=4, 4*3=12, 12+2=24", "value", ""),
    ("8-4=4*3=12*2=23", "stated", ""),
    ("(8-4)*3*2. Wait, that is wrong.", "retracted", ""),
    ("", "no-answer", ""),
    ("keine Ahnung", "no-answer", ""),
    ("8 : 2(1 + 3)", "unread", ""),
)
def test_what_is_not_right_has_its_code(text: str, code: str, formula: str) -> None:
    found = puzzle_of(A).judge(text)
    assert (found.code, found.formula, found.score) == (code, formula, 0), found


def test_an_equals_sign_that_means_then_has_a_remark_or_is_refused() -> None:
    puzzle = puzzle_of(A)
    judgement = puzzle.judge("8-4=4*3=12*2=24")
    found = (judgement.verdict, judgement.code, judgement.reason)
    assert found == ("right", "ok", "= does not mean “then”")
    context = JudgingContext(puzzle.hand, puzzle.target, puzzle.game, lambda: True)
    strict = judge_text("8-4=4*3=12*2=24", context._replace(strict_equals=True))
    assert (strict.code, strict.reason) == ("stated", "8 - 4 makes 4, not 12")


def test_check_reads_what_the_judge_reads_if_it_is_right() -> None:
    for text in ("ich glaube (8-4)*3*2", "8 minus 4 ist 4, mal 3 ist 12, mal 2 ist 24"):
        for target in (None, 24):
            result = check(text, (2, 3, 4, 8), target, "cards")
            assert (result.verdict, result.formula, result.value) == ("right", FORMULA, 24)
    assert check("8-4=4*3=12*2=24", hand=(2, 3, 4, 8), game="cards")
    # The other rules of `check` hold: no crisps card has a 10.
    words = "ich glaube 10 - 4 + 3 x 2"
    assert check(words, (10, 4, 3, 2), 12, "crisps")
    assert not check(words, (10, 4, 3, 2), 12, "crisps", strict=True)
    assert check("bin gegen (8-4)*3*2", hand=(2, 3, 4, 8), game="cards").verdict == "malformed"
    assert check("ich glaube (8-4)*3*2", game="cards").verdict == "malformed"


_Step = tuple[Fraction, str, Fraction, Fraction]
WORDS = {
    "en": dict(zip("+-*/=", ["plus", "minus", "times", "divided by", "is"], strict=True)),
    "de": dict(zip("+-*/=", ["plus", "minus", "mal", "geteilt durch", "ist"], strict=True)),
    "fr": dict(zip("+-*/=", ["plus", "moins", "fois", "divisé par", "font"], strict=True)),
    "es": dict(zip("+-*/=", ["más", "menos", "por", "dividido entre", "es"], strict=True)),
    "nl": dict(zip("+-*/=", ["plus", "min", "keer", "gedeeld door", "is"], strict=True)),
    "signs": dict(zip("+-*/=", "+−×÷=", strict=True)),
}
BETWEEN = [", ", "; ", "\n", " → ", ". "]


def _operate(left: Fraction, sign: str, right: Fraction) -> Fraction | None:
    if sign == "/":
        return left / right if right else None
    return {"+": left + right, "-": left - right, "*": left * right}[sign]


def _random_steps(numbers: list[int], target: int, random: Random) -> list[_Step] | None:
    for _ in range(3_000):
        left, steps = list(map(Fraction, numbers)), []
        while len(left) > 1:
            one, other = random.sample(range(len(left)), 2)
            sign = random.choice("+-*/")
            result = _operate(left[one], sign, left[other])
            if result is None or result < 0:
                break
            steps.append((left[one], sign, left[other], result))
            left = [n for place, n in enumerate(left) if place not in (one, other)] + [result]
        if left == [target]:
            return steps
    return None


def _written(steps: list[_Step], language: str, between: str) -> str:
    words = WORDS[language]
    return between.join(
        f"{left} {words[sign]} {right} {words['=']} {result}" for left, sign, right, result in steps
    )


def _proves(steps: list[_Step], hand: list[int], target: int) -> bool:
    """Whether each step is true and uses numbers that are there; the target is all that is left."""
    there = Counter(map(Fraction, hand))
    for left, sign, right, result in steps:
        if _operate(left, sign, right) != result:
            return False
        for number in (left, right):
            there[number] -= 1
            if there[number] < 0:
                return False
        there[result] += 1
    return +there == Counter({Fraction(target): 1})


def test_generated_workings_are_right_if_they_are_true() -> None:
    """Each true working is read; of its corruptions none is right that does not prove it."""
    random = Random(68)
    puzzles = list(deal("cards", count=40, seed=9))
    for language, between in [*product(WORDS, BETWEEN)] * (8 if EVERY else 2):
        puzzle = random.choice(puzzles)
        hand, target = [int(number) for number in puzzle.hand], int(puzzle.target)
        steps = _random_steps(hand, target, random)
        if steps is None:
            continue
        text = _written(steps, language, between)
        assert puzzle.judge(text), text
        place, change = random.randrange(len(steps)), random.choice([-1, 1])
        left, sign, right, result = steps[place]
        other = random.choice([s for s in "+-*/" if s != sign])
        for step in ((left + change, sign, right, result), (left, other, right, result),
                     (left, sign, right, result + change)):  # fmt: skip
            corrupted = [*steps[:place], step, *steps[place + 1 :]]
            text = _written(corrupted, language, between)
            assert _proves(corrupted, hand, target) or not puzzle.judge(text), text
