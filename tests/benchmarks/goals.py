"""The figures of the benchmarks and their limits, one line each.

A figure is one of three kinds. A time in seconds has the limit `at_most`. A ratio to `reference`,
another benchmark of the same run, also has the limit `at_most`. A rate per second of `hands` or
`formulas` has the limit `at_least`. A figure without a limit is only printed.
"""

from typing import NamedTuple


class Goal(NamedTuple):
    """One figure, with its limit."""

    label: str
    """The text of the row in the README."""
    benchmark: str
    """The name of the benchmark that measures it."""
    at_most: float | None
    """In seconds, or a ratio to `reference`."""
    reference: str = ""
    """The name of the benchmark to divide by, or empty."""
    hands: int = 0
    formulas: int = 0
    at_least: int | None = None
    """Hands or formulas per second."""


IMPORTS = "bare imports"
RIGHT = "verify, right"
# Formulas per benchmark of checking and judging.
FORMULAS = 4_000
# How often these formulas are repeated in the file for `crisps24 check`.
CHECK_FILE_REPEATS = 8
# The same for `crisps24 judge`, which uses two processes.
JUDGE_FILE_REPEATS = 25
# Puzzles of three and four numbers that one benchmark deals.
UNIFORM_PUZZLES = 2_000

GOALS = (
    Goal("`list(formulas(143))`, 4 digits, cold, against C", "formulas 4", 2, "C 4"),
    Goal("rows for 143, 5 digits, cold, against C", "rows 5", 1 / 5, "C 5"),
    Goal("rows for 143, 6 digits, cold, against C", "rows 6", 1 / 40, "C 6"),
    Goal("rows for 143, 7 digits, cold, against C", "rows 7", None, "C 7"),
    Goal("`list(formulas(143))`, 4 digits, against Python", "formulas 4", None, "Python 4"),
    Goal("`crisps24 results 143` against bare imports", "results 143", 1.6, IMPORTS),
    Goal("`crisps24 results all`, 671 files", "results all", 2),
    Goal("`crisps24 results 24 --length 5`, 65,556 rows", "results 24, 5 digits", 0.4),
    Goal("`crisps24 results 24 --length 6`, 1,787,211 rows", "results 24, 6 digits", 2),
    *(
        Goal(
            f"`verify`, 6 digits, {damage}, against the right file",
            f"verify, {damage}",
            at_most,
            RIGHT,
        )
        for damage, at_most in (
            ("one row missing", 2),
            ("one row changed", 2),
            ("one row twice", 2),
            ("two rows swapped", 2),
            ("every tenth row missing", 2),
            ("all rows shuffled", 4),
        )
    ),
    Goal("`count(143)`, 8 digits", "count 8", None),
    Goal("`count(143)`, 10 digits", "count 10", 0.3),
    Goal("`count(143)`, 12 digits", "count 12", 3),
    Goal("`count(143)`, 14 digits", "count 14", 30),
    Goal("`count(143)`, 16 digits", "count 16", None),
    Goal("`count(143)`, 18 digits", "count 18", None),
    Goal("`count(143)`, 12 digits against 10", "count 12", None, "count 10"),
    Goal("`count(143)`, 16 digits against 14", "count 16", 2.5**2, "count 14"),
    Goal("`count(143)`, 18 digits against 16", "count 18", 2.5**2, "count 16"),
    Goal("`counts()`, 7 digits", "counts 7", 0.15),
    Goal("`counts()`, 9 digits", "counts 9", 5),
    Goal("`counts()`, 4 of 0 to 9, fractions, negatives", "counts A357272", 1),
    Goal("`count(100)`, 12 digits in order, any operator, joined", "count 12 in order", 10),
    Goal("`count(100)`, 7 digits in any order, any operator, joined", "count 7 in any order", 10),
    Goal("first 10 of `formulas(24)`, 9 digits", "first 10 of 9", 1),
    Goal("all equations of 8 characters, 17,723", "equations 8", 0.05),
    Goal("all equations of 9 characters, 287,288", "equations 9", 0.3),
    Goal("all equations of 10 characters, 1,404,041", "equations 10", 4),
    Goal("a guess against all equations of 8 characters", "guess", 0.015),
    Goal("`crisps24 equations --guess ... --best` against bare imports", "best guess", 2, IMPORTS),
    Goal("signs between 13 numbers, `=` among them, counted", "signs", None),
    Goal("four numbers, all solutions", "solve 4 numbers", 0.010),
    Goal("`countdown`, all values reached", "reachable 6 numbers", 0.030),
    Goal("`countdown`, plainest solution", "plainest of 6 numbers", 0.050),
    Goal("`countdown`, all solutions of a target", "solve 6 numbers", 0.200),
    Goal("`countdown`, `ways` for 101 to 999", "ways 6 numbers", 0.500),
    Goal("10 9 ... 1 = 2026 in order, 30,885 written forms", "written 10 numbers", None),
    Goal("10 9 ... 1 = 2026 in order, written and distinct", "written, distinct 10 numbers", 5),
    Goal("1 2 ... 9 = 100 in order, with parentheses, distinct", "ways 9 in order", None),
    Goal("`countdown`, seven tiles, all solutions of a target", "solve 7 tiles", None),
    Goal("seven numbers by Krypto's rules, all solutions", "solve 7 krypto", None),
    Goal("eight numbers by Krypto's rules, first 20 solutions", "solve 8 krypto", 10),
    Goal("eight numbers with fractions, first 20 solutions", "solve 8 cards", 10),
    Goal("six numbers with fractions, all solutions", "solve 6 numbers, fractions", 20),
    Goal("all 1,820 card hands, all solutions for 24, in separate calls", "solve all cards", 5),
    Goal("all 1,820 card hands, solutions, shares and levels", "grade all cards", 0.6),
    Goal("four fours, a form of each of 0 to 100", "forms of four fours", 0.5),
    Goal("five fives, a form of each of 0 to 171", "forms of five fives", 2),
    Goal("1 2 ... 9 in order, a form of each of 0 to 11,111", "forms of 9 in order", 300),
    Goal("`countdown`, difficulty of all targets of a hand", "difficulty 6 numbers", 0.015),
    Goal(
        "`crisps24 solve 3 3 8 8 --game cards` against bare imports", "solve 3 3 8 8", 1.9, IMPORTS
    ),
    Goal("survey of `crisps`, 0 to 100", "survey crisps", 0.5),
    Goal("survey of `digits`, 0 to 3,024", "survey digits", 1),
    Goal("survey of `cards`, 0 to 100", "survey cards", 2),
    Goal("survey of `countdown`, 2 processes", "survey countdown", 5),
    Goal("survey of `krypto`, 118,755 hands, 2 processes", "survey krypto", None),
    Goal("hands of six numbers, surveyed together", "hands shared", None, hands=210),
    Goal("hands of six numbers, surveyed separately", "hands alone", None, hands=210),
    Goal("210 hands of six numbers, together against alone", "hands shared", None, "hands alone"),
    Goal("`check`, right", "check, right", None, formulas=FORMULAS, at_least=25_000),
    Goal("`check`, malformed", "check, malformed", None, formulas=FORMULAS, at_least=10_000),
    Goal(
        "`crisps24 check --file`, jsonl",
        "check, file",
        None,
        formulas=CHECK_FILE_REPEATS * FORMULAS,
        at_least=20_000,
    ),
    Goal("`judge`, right, tagged", "judge, right", None, formulas=FORMULAS, at_least=15_000),
    Goal("`judge`, malformed", "judge, malformed", None, formulas=FORMULAS, at_least=10_000),
    Goal(
        "`crisps24 judge --file`, 100,000 lines, 2 processes",
        "judge, file",
        None,
        formulas=JUDGE_FILE_REPEATS * FORMULAS,
        at_least=20_000,
    ),
    Goal("`judge`, a chat of 100,000 characters", "judge, chat", 0.02),
    Goal("`crisps24 audit`, 100,000 puzzles, 2 processes", "audit", 60),
    Goal("survey of 5 numbers against 4 (numble)", "survey 5 numbers", None, "survey 4 numbers"),
    Goal("survey of 6 numbers against 5 (numble)", "survey 6 numbers", None, "survey 5 numbers"),
    Goal("`crisps24 deal cards --count 20`", "deal 20 cards", 1),
    Goal("`crisps24 deal countdown --count 20 --level 3`", "deal 20 countdown", 3),
    Goal("`crisps24 deal countdown --count 1000`, levels", "deal 1000 countdown, levels", 8),
    Goal(
        "`deal` of 3 to 4 numbers of 1 to 99, graded",
        "deal uniform",
        None,
        hands=UNIFORM_PUZZLES,
        at_least=2_000,
    ),
    Goal("`crisps24 deal cards --count 1362`, answers and levels as jsonl", "deal all cards", 3),
    Goal("`crisps24 deal countdown --count 1000`, the same", "deal 1000 countdown", 60),
    Goal("sheet of 200 cards with key, as a PDF", "sheet of 200", 3),
)
