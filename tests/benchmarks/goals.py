"""The figures of the benchmarks: what is measured, what it returns, and its limit."""

import ctypes
import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, partial
from itertools import combinations_with_replacement, cycle, islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import crisps24
from crisps24 import GAMES, check, count, counts, formulas, plainest, reachable, solve
from crisps24.enumeration.enumeration import RowQuery, blocks_for_targets
from crisps24.equation_puzzles.gaps import read_gaps
from crisps24.equation_puzzles.guesses import Candidates, remaining_equations
from crisps24.equation_puzzles.missing import count_fillings
from crisps24.equation_puzzles.search import equation_keys
from crisps24.output.executors import processes
from crisps24.puzzles.conditions import Conditions
from crisps24.puzzles.dealing import deal
from crisps24.rules.deals import list_hands
from crisps24.rules.queries import HandQuery
from crisps24.solving.effort import grade_many
from crisps24.training.audits import audit
from tests.compiling import compiled
from tests.graded import difficulties
from tests.hands.test_shortest import FOURS

Work = Callable[[], Any]


class Goal(NamedTuple):
    """A row of the README, what `work` returns, and its limit.

    The limit is at most so many seconds or times the reference, or at least so many items a second.
    """

    label: str
    limit: float
    work: Work
    expected: object
    reference: Work | None = None
    items: int = 0
    rounds: int = 3


CRISPS, CARDS, COUNTDOWN = GAMES["crisps"], GAMES["cards"], GAMES["countdown"]
JOINED = replace(CRISPS, join=True)
ANY_RESULT = replace(JOINED, fractions=True, negatives=True)
HAND = (2, 5, 8, 10, 25, 75)
SEVEN_NUMBERS = (1, 3, 7, 11, 16, 20, 23)
TEN_TO_ONE = tuple(range(10, 0, -1))
CARD_HANDS = list(combinations_with_replacement(range(1, 14), 4))
# The operators of four fours and powers, without decimals, for 1 to 9 in order.
WITH_POWERS = replace(FOURS, operators=("-", "+", "x", ":", "^"), decimals=False)
# A game with only 210 hands.
FEW_TILES = replace(COUNTDOWN, numbers=(1, 2, 3, 4, 5, 6, 7, 25, 50, 100))
UNIFORM = replace(COUNTDOWN, numbers=tuple(range(1, 100)), all_numbers=True)
# Formulas that one benchmark checks or judges; puzzles of an audit, and puzzles dealt.
FORMULAS, AUDITED, DEALT, EPISODES = 4_000, 100_000, 2_000, 1_000
TEMPORARY = TemporaryDirectory()
FOLDER = Path(TEMPORARY.name)


def run(*arguments: str | Path) -> int:
    return subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL).returncode


def command(words: str, *more: str | Path) -> Work:
    return partial(run, "-m", "crisps24", *words.split(), *more)


@cache
def brute_force() -> Callable[[int], int]:
    """Compile brute force in C with gcc -O2: from a length to the number of rows for 143."""
    source = Path(__file__).with_name("brute_force.c")
    function = ctypes.CDLL(compiled(source, FOLDER, "-shared", "-fPIC")).brute_force
    function.restype = ctypes.c_long
    buffer = ctypes.create_string_buffer(1 << 26)
    return lambda length: int(function(length, ctypes.c_long(143), buffer))


def rows(length: int) -> int:
    blocks = blocks_for_targets([143], RowQuery(replace(CRISPS, length=length)))
    return sum(len(block) for _, block in blocks)


# Kinds of damage to a results file of six digits: functions from rows to rows.
Rows = list[bytes]
DAMAGE: dict[str, Callable[[Rows], Rows]] = {
    "right": lambda rows: rows,
    "one row missing": lambda rows: [*rows[:900_000], *rows[900_001:]],
    "one row changed": lambda rows: [
        *rows[:900_000], rows[900_000].replace(b"-", b"+", 1), *rows[900_001:]
    ],
    "one row twice": lambda rows: [*rows[:900_000], rows[600_000], *rows[900_000:]],
    "two rows swapped": lambda rows: [rows[0], rows[-2], *rows[2:-2], rows[1], rows[-1]],
    "every tenth row missing": lambda rows: [row for index, row in enumerate(rows) if index % 10],
    "all rows shuffled": lambda rows: Random(24).sample(rows, len(rows)),
}  # fmt: skip


@cache
def damaged(name: str) -> Path:
    folder = FOLDER / name
    folder.mkdir()
    path = crisps24.write_results(24, folder, replace(CRISPS, length=6))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], *DAMAGE[name](lines[2:])]))
    return path


def verify(name: str) -> Work:
    return lambda: command("verify", damaged(name))()


def written_and_distinct() -> tuple[int, int]:
    [written] = crisps24.count_written(TEN_TO_ONE, [2026], "cards").values()
    return written, solve(TEN_TO_ONE, 2026, "cards", in_order=True, first=1).total


def grade_cards() -> int:
    solutions = crisps24.solve_many([(hand, 24) for hand in CARD_HANDS], "cards")
    grades = grade_many([(HandQuery(hand, CARDS), 24) for hand in CARD_HANDS])
    pairs = zip(solutions, grades, strict=True)
    return sum(bool(grade.level and listed[0].share) for listed, grade in pairs if grade)


def on_two_processes(survey_or_audit: Callable[..., Any], *arguments: Any) -> Any:
    with processes(2) as executor:
        return survey_or_audit(*arguments, executor=executor)


@cache
def puzzles_to_audit() -> list[tuple[int, dict[str, Any]]]:
    random = Random(24)
    hands = ([random.randint(1, 99) for _ in range(random.choice((3, 4)))] for _ in range(AUDITED))
    puzzles = ({"nums": hand, "target": random.randint(10, 100)} for hand in hands)
    return [*enumerate(puzzles, 1)]


# Formulas with their cards and games; the target is 24.
Exercise = tuple[str, tuple[int, ...], str]


@cache
def right() -> list[Exercise]:
    """Return right formulas, one half of `crisps` and one half of `cards`."""
    made = [(f"{row} = 24", row.numbers, "crisps") for row in islice(formulas(24), FORMULAS // 2)]
    found = ((hand, each) for hand in CARD_HANDS for each in islice(solve(hand, 24, "cards"), 4))
    solved = ((f"{each} = 24", hand, "cards") for hand, each in found)
    return [*made, *islice(solved, FORMULAS // 2)]


@cache
def malformed() -> list[Exercise]:
    random = Random(24)
    exercises: list[Exercise] = []
    while len(exercises) < FORMULAS:
        text, card, game = random.choice(right())
        position, kind = random.randrange(len(text)), random.randrange(3)
        rest = text[position:]
        new_rest = [rest[1:], random.choice("+-x:/()=?a.") + rest, rest][kind]
        text = text[: position + 3 * (kind == 2)] + new_rest
        if check(text, game="cards").verdict == "malformed":
            exercises.append((text, card, game))
    return exercises


def check_all(exercises: Callable[[], list[Exercise]]) -> set[str]:
    return {check(text, card, 24, game).verdict for text, card, game in exercises()}


@cache
def answers(
    exercises: Callable[[], list[Exercise]], verdict: str
) -> list[tuple[str, crisps24.Puzzle]]:
    chosen = []
    for text, card, game in exercises():
        answer = f"<think>Of {card} I make 24.</think><answer>{text}</answer>"
        puzzle = crisps24.Puzzle(card, 24, GAMES[game])
        # A malformed formula can contain a formula, so that the answer is wrong, not malformed.
        if puzzle.judge(answer).verdict == verdict:
            chosen.append((answer, puzzle))
    return list(islice(cycle(chosen), FORMULAS))


def judge_all(exercises: Callable[[], list[Exercise]], verdict: str) -> set[str]:
    return {puzzle.judge(text).verdict for text, puzzle in answers(exercises, verdict)}


@cache
def file_of(name: str, repeats: int) -> Path:
    path = FOLDER / name
    lines: Iterable[str] = (
        json.dumps({"text": f"<answer>{text}</answer>", "nums": card, "target": 24, "game": game})
        if name == "judge"
        else json.dumps({"formula": text, "card": card, "game": game})
        if index % 2
        else text
        for index, (text, card, game) in enumerate(right())
    )
    path.write_text("".join(f"{line}\n" for line in lines) * repeats)
    return path


def judge_chat() -> str:
    chat = "Let me see: 8 / 3 = 8/3, and 3 - 8/3 is 1/3 (good).\n" * 2_000
    return crisps24.Puzzle((3, 3, 8, 8), 24, CARDS).judge(chat + "\\boxed{8/(3-8/3)}").verdict


@cache
def plays() -> list[tuple[crisps24.Episode, list[Any], list[str]]]:
    """Return episodes of four numbers, each with the steps to its answer and their texts."""
    chosen = []
    for puzzle in deal(CARDS, 100, seed=7):
        texts = puzzle.hints()
        # Only steps of whole numbers above zero, which are three words.
        if "(" not in "".join(texts) and "/" not in "".join(texts).replace(" / ", ""):
            steps = [text.split(" ")[:3] for text in texts]
            triples = [(int(one), sign, int(other)) for one, sign, other in steps]
            chosen.append((crisps24.Episode(puzzle, process=0.5), triples, texts))
    return chosen


def play(*, by_text: bool) -> set[float]:
    """Play `EPISODES` episodes; return the rewards of their last steps."""
    rewards = set()
    for episode, triples, texts in islice(cycle(plays()), EPISODES):
        seen = episode.reset()
        for step in texts if by_text else triples:
            seen = episode.step(step)
        rewards.add(seen.reward)
    return rewards


def check_each() -> set[bool]:
    """Check as many texts of steps as `play` takes."""
    played = islice(cycle(plays()), EPISODES)
    return {check(text, game=CARDS).verdict == "right" for _, _, texts in played for text in texts}


def deal_uniform() -> int:
    conditions = Conditions(lengths=range(3, 5))
    return len(deal(UNIFORM, DEALT, seed=7, targets=range(10, 101), conditions=conditions))


def count_equations(length: int) -> Work:
    return lambda: len(equation_keys(crisps24.Equation(length)))


@cache
def all_equations() -> Candidates:
    return remaining_equations(crisps24.Equation())


def survey_numbers(length: int) -> Work:
    game = replace(GAMES["numble"], length=length)
    return lambda: len(crisps24.survey(game).hands) == len(list_hands(game))


def survey_to(name: str, last: int) -> Work:
    return lambda: bool(crisps24.survey(name, range(last + 1)).solvable.any())


def size(length: int, find: Callable[..., Any], *arguments: Any, **options: Any) -> Work:
    return lambda: find(*arguments, replace(CRISPS, length=length), **options)


# The places of the characters of 9x8-7=65 among the symbols of an equation.
GUESS = [*map(crisps24.Equation().symbols.index, "9x8-7=65")]
IMPORTS = partial(run, "-c", "import click, numpy, pyparsing, tabulate")
GOALS = (
    Goal("`list(formulas(143))`, 4 digits, cold, against C", 2,
         lambda: len(list(formulas(143))), 48, lambda: brute_force()(4), rounds=20),
    Goal("rows for 143, 5 digits, cold, against C", 1 / 5,
         lambda: rows(5), 2153, lambda: brute_force()(5)),
    Goal("rows for 143, 6 digits, cold, against C", 1 / 40,
         lambda: rows(6), 80_686, lambda: brute_force()(6)),
    Goal("`crisps24 results 143` against bare imports", 1.6,
         command("results 143 --dir", FOLDER), 0, IMPORTS, rounds=5),
    Goal("`crisps24 results all`, 671 files", 2, command("results all --dir", FOLDER), 0),
    Goal("`crisps24 results 24 --length 5`, 65,556 rows", 0.4,
         command("results 24 --length 5 --dir", FOLDER), 0),
    Goal("`crisps24 results 24 --length 6`, 1,787,211 rows", 2,
         command("results 24 --length 6 --dir", FOLDER), 0),
    *(
        Goal(f"`verify`, 6 digits, {damage}, against the right file",
             4 if damage == "all rows shuffled" else 2,
             verify(damage), 1, verify("right"))
        for damage in list(DAMAGE)[1:]
    ),
    *(
        Goal(f"`count(143)`, {length} digits", limit, size(length, count, 143), expected)
        for length, limit, expected in (
            (10, 0.3, 99_562_577_090), (12, 3, 99_324_917_812_252), (14, 30, 95_492_550_018_473_121)
        )
    ),
    *(
        Goal(f"`count(143)`, {length} digits against {length - 2}", 2.5**2,
             size(length, count, 143), expected, size(length - 2, count, 143), rounds=1)
        for length, expected in (
            (16, 89_371_384_356_649_804_654), (18, 81_925_812_791_415_994_876_933)
        )
    ),
    Goal("`counts()`, 7 digits", 0.15, lambda: len(size(7, counts)()), 23_290),
    Goal("`counts()`, 9 digits", 5, lambda: len(size(9, counts)()), 158_258),
    Goal("`counts()`, 4 of 0 to 9, fractions, negatives", 1,
         lambda: counts(replace(ANY_RESULT, join=False, numbers=tuple(range(10))))[0], 29_235),
    Goal("`count(100)`, 12 digits in order, any operator, joined", 10,
         lambda: count(100, ANY_RESULT, card=(*range(1, 10), 1, 2, 3),
                       in_order=True), 6921),
    Goal("`count(100)`, 7 digits in any order, any operator, joined", 10,
         lambda: count(100, ANY_RESULT, card=(9, 8, 7, 6, 5, 4, 2)), 40_359),
    Goal("first 10 of `formulas(24)`, 9 digits", 1,
         lambda: len(list(islice(size(9, formulas, 24)(), 10))), 10),
    *(
        Goal(f"all equations of {length} characters, {found:,}", limit,
             count_equations(length), found)
        for length, limit, found in ((8, 0.05, 17_723), (9, 0.3, 287_288), (10, 4, 1_404_041))
    ),
    Goal("a guess against all equations of 8 characters", 0.015,
         lambda: len(all_equations().marks(GUESS)), 17_723, rounds=50),
    Goal("`crisps24 equations --guess ... --best` against bare imports", 2,
         command("equations --guess 9*8-7=65 --seen gyybbgyb --best"), 0, IMPORTS),
    Goal("signs between 13 numbers, `=` among them, counted", 1,
         lambda: count_fillings(read_gaps("1_2_3_4_5_6_7_8_9_1_2_3_4", JOINED), JOINED), 36_562),
    Goal("four numbers, all solutions", 0.010,
         lambda: len(list(solve((2, 4, 8, 10), 24, "cards"))), 11),
    Goal("`countdown`, all values reached", 0.030, lambda: len(reachable(HAND, COUNTDOWN)), 11_206),
    Goal("`countdown`, plainest solution", 0.050,
         lambda: bool(next(solve(HAND, 431, COUNTDOWN))), True),
    Goal("`countdown`, all solutions of a target", 0.200,
         lambda: len(list(solve(HAND, 431, COUNTDOWN))), 6),
    Goal("`countdown`, `ways` for 101 to 999", 0.500,
         lambda: len(crisps24.count_solutions(HAND, COUNTDOWN, within=(101, 999))), 899),
    Goal("10 9 ... 1 = 2026 in order, written and distinct", 5, written_and_distinct,
         (30_885, 1334), rounds=1),
    Goal("1 2 ... 9 = 100 in order, with parentheses, distinct", 1,
         lambda: crisps24.count_solutions(range(1, 10), "cards", in_order=True, only=[100]),
         {100: 1641}),
    Goal("`countdown`, seven tiles, all solutions of a target", 1,
         lambda: len(solve((*HAND, 9), 431, COUNTDOWN)), 278),
    Goal("seven numbers by Krypto's rules, all solutions", 2,
         lambda: len(solve(SEVEN_NUMBERS, 24, "krypto")), 2811),
    Goal("eight numbers by Krypto's rules, first 20 solutions", 10,
         lambda: solve((*SEVEN_NUMBERS, 25), 24, "krypto", first=20).total, 52_531, rounds=1),
    Goal("eight numbers with fractions, first 20 solutions", 10,
         lambda: solve(range(1, 9), 24, "cards", first=20).total, 898_569, rounds=1),
    Goal("six numbers with fractions, all solutions", 20,
         lambda: len(list(solve(range(1, 7), 24, "digits"))), 1778),
    Goal("all 1,820 card hands, all solutions for 24, in separate calls", 5,
         lambda: sum(any(list(solve(hand, 24, "cards"))) for hand in CARD_HANDS), 1362, rounds=1),
    Goal("all 1,820 card hands, solutions, shares and levels", 0.6, grade_cards, 1362),
    Goal("four fours, a form of each of 0 to 100", 0.5,
         lambda: len(plainest([4] * 4, FOURS, only=range(101))), 96),
    Goal("five fives, a form of each of 0 to 171", 2,
         lambda: len(plainest([5] * 5, FOURS, only=range(172))), 172),
    Goal("1 2 ... 9 in order, a form of each of 0 to 11,111", 300,
         lambda: len(plainest(range(1, 10), WITH_POWERS, in_order=True, only=range(11_112))),
         11_111, rounds=1),
    Goal("`countdown`, difficulty of all targets of a hand", 0.015,
         lambda: len(difficulties(HAND, COUNTDOWN, within=(101, 999))), 899),
    Goal("`crisps24 solve 3 3 8 8 --game cards` against bare imports", 1.4,
         command("solve 3 3 8 8 --game cards"), 0, IMPORTS, rounds=5),
    Goal("`crisps24 solve`, a throw of `mathador` against five numbers of `countdown`", 2,
         command("solve 2 5 7 9 13 --target 24 --game mathador"), 0,
         command("solve 2 5 7 9 25 --target 324 --game countdown"), rounds=5),
    Goal("survey of `crisps`, 0 to 100", 0.5, survey_to("crisps", 100), True),
    Goal("survey of `digits`, 0 to 3,024", 1, survey_to("digits", 3024), True),
    Goal("survey of `cards`, 0 to 100", 2, survey_to("cards", 100), True),
    Goal("survey of `countdown`, 2 processes", 5,
         lambda: int(on_two_processes(crisps24.survey, COUNTDOWN).solvable.sum()), 10_858_746,
         rounds=1),
    Goal("survey of `krypto`, 118,755 hands, 2 processes", 30,
         lambda: len(on_two_processes(crisps24.survey, "krypto").hands), 118_755, rounds=1),
    Goal("210 hands of six numbers, together against alone", 1 / 2,
         lambda: len(crisps24.survey(FEW_TILES).hands), 210,
         lambda: [reachable(hand, FEW_TILES) for hand in list_hands(FEW_TILES)]),
    *(
        Goal(f"survey of {length} numbers against {length - 1} (numble)", limit,
             survey_numbers(length), True, survey_numbers(length - 1), rounds=1)
        for length, limit in ((5, 10), (6, 25))
    ),
    Goal("`check`, right", 25_000, lambda: check_all(right), {"right"}, items=FORMULAS),
    Goal("`check`, malformed", 10_000, lambda: check_all(malformed), {"malformed"}, items=FORMULAS),
    Goal("`crisps24 check --file`, jsonl", 20_000,
         lambda: command("check --format jsonl --game cards --file", file_of("check", 8))(), 0,
         items=8 * FORMULAS),
    Goal("`judge`, right, tagged", 15_000, lambda: judge_all(right, "right"), {"right"},
         items=FORMULAS),
    Goal("`judge`, malformed", 10_000, lambda: judge_all(malformed, "malformed"), {"malformed"},
         items=FORMULAS),
    Goal("`crisps24 judge --file`, 100,000 lines, 2 processes", 20_000,
         lambda: command("judge --workers 2 --format jsonl --file", file_of("judge", 25))(), 0,
         items=25 * FORMULAS),
    Goal("`judge`, a chat of 100,000 characters", 0.02, judge_chat, "right"),
    Goal("episodes of four numbers, steps as triples", 20_000,
         lambda: play(by_text=False), {0.5}, items=3 * EPISODES),
    Goal("episodes of four numbers, steps as texts against `check`", 2,
         lambda: play(by_text=True), {0.5}, check_each),
    Goal("`crisps24 audit`, 100,000 puzzles, 2 processes", 60,
         lambda: on_two_processes(audit, puzzles_to_audit()).rows, AUDITED, rounds=1),
    Goal("`crisps24 deal cards --count 20`", 1, command("deal cards --count 20 --seed 7"), 0),
    Goal("`crisps24 deal countdown --count 20 --level 3`", 3,
         command("deal countdown --count 20 --level 3 --seed 7"), 0),
    Goal("`crisps24 deal countdown --count 1000`, levels", 8,
         command("deal countdown --count 1000 --seed 7"), 0, rounds=1),
    Goal("`deal` of 3 to 4 numbers of 1 to 99, graded", 2_000, deal_uniform, DEALT, items=DEALT),
    Goal("`crisps24 deal cards --count 1362`, answers and levels as jsonl", 3,
         command("deal cards --count 1362 --seed 7 --format jsonl"), 0),
    Goal("`crisps24 deal countdown --count 1000`, the same", 60,
         command("deal countdown --count 1000 --seed 7 --format jsonl"), 0, rounds=1),
    Goal("sheet of 200 cards with key, as a PDF", 3,
         command("sheet cards --count 200 --seed 7 --out", FOLDER / "sheet.pdf"), 0),
)  # fmt: skip
