"""Audits of files of puzzles, compared with a brute force that is independent of crisps24."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace
from fractions import Fraction
from io import BytesIO
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Puzzle, deal
from crisps24.judging.table_rows import read_records
from crisps24.output.executors import processes
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME
from crisps24.training import audits
from crisps24.training.audits import Audit, audit
from crisps24.training.row_checks import KINDS, sums_suffice
from tests import hand_oracle
from tests.hand_oracle import Rules
from tests.hands.dealing import FREE, HALF, ROWS, Dealt, dealt, game_of
from tests.sampling import in_one_test

# The games of the random files, with their rules for the brute force.
RULES: dict[str, Rules] = {
    "free": FREE,
    "cards": FREE,
    "crisps": ROWS._replace(fractions=False, negatives=False),
    "countdown": Rules(True, False, False, False, zero=False),
    "numble": Rules(True, False, False, False),
}
Row = dict[str, Any]


def random_rows(seed: int, size: int) -> list[Row]:
    """Return random puzzles, some twice in another order, with right and wrong answer keys."""
    rng = Random(seed)
    rows: list[Row] = []
    while len(rows) < size:
        hand = [rng.randint(1, 9) for _ in range(rng.choice([1, 2, 3, 3, 4]))]
        row: Row = {"nums": hand, "target": rng.randint(1, 24), "game": rng.choice([*RULES])}
        if rows and rng.random() < 0.3:
            row = dict(rng.choice(rows))
            row["nums"] = rng.sample(row["nums"], len(row["nums"]))
        puzzle = Puzzle(tuple(row["nums"]), row["target"], GAMES.get(row["game"], FREE_GAME))
        row.pop("answer", None)
        if rng.random() < 0.5:
            sums = " + ".join(map(str, row["nums"]))
            right = puzzle.answer() if puzzle.solvable else "no solution"
            row["answer"] = rng.choice([right, right, sums, "24", "I give up"])
        rows.append(row)
    return rows


def count_solutions(row: Row, operators: str = "-+x:") -> dict[Exact, int]:
    return hand_oracle.ways(tuple(row["nums"]), RULES[row["game"]]._replace(operators=operators))


def is_right(row: Row) -> bool:
    if row["answer"] == "no solution":
        return row["target"] not in count_solutions(row)
    try:
        answer = row["answer"].replace("*", "x").replace("/", ":")
        result = hand_oracle.read(answer, RULES[row["game"]])
    except (ValueError, IndexError):
        return False
    numbers, hand = Counter(map(int, re.findall(r"\d+", answer))), Counter[int](row["nums"])
    is_subset = not RULES[row["game"]].all_numbers and numbers <= hand
    return (numbers == hand or is_subset) and result.value in right_values(row)


def right_values(row: Row) -> set[Exact]:
    """Return the target, or the closest values if it is unreachable and they count."""
    target, values = row["target"], count_solutions(row).keys()
    if target in values or RULES[row["game"]].all_numbers:
        return {target}
    gap = min(abs(Fraction(value) - target) for value in values)
    return {value for value in values if abs(value - target) == gap}


def flaws_by_brute_force(rows: list[Row]) -> Iterator[tuple[int, str]]:
    seen = set()
    for line, row in enumerate(rows, 1):
        puzzle = row["game"], tuple(sorted(row["nums"])), row["target"]
        hand, target = row["nums"], row["target"]
        if puzzle in seen:
            yield line, "duplicate"
        elif target not in count_solutions(row):
            # A row whose key says so is right.
            if row.get("answer") != "no solution":
                yield line, "unsolvable"
        elif target in hand and (len(hand) == 1 or not RULES[row["game"]].all_numbers):
            yield line, "dealt"
        elif target in count_solutions(row, "+-"):
            yield line, "sums"
        seen.add(puzzle)
        if "answer" in row and not is_right(row):
            yield line, "key"


@pytest.mark.parametrize("solutions", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_audit_equals_brute_force(seed: int, solutions: bool) -> None:
    rows = random_rows(seed, 40)
    report = audit(list(enumerate(rows, 1)), solutions=solutions)
    found = sorted((flaw.line, flaw.kind) for flaw in report.flaws)
    assert found == sorted(flaws_by_brute_force(rows))
    puzzles = {(row["game"], tuple(sorted(row["nums"])), row["target"]): row for row in rows}
    assert (report.rows, report.puzzles) == (len(rows), len(puzzles))
    assert report.keys == sum("answer" in row for row in rows)
    counts = [count_solutions(row).get(row["target"], 0) for row in puzzles.values()]
    # The smallest and the largest number of solutions of each range.
    ranges = {"1 solution": (1, 1), "2 to 5 solutions": (2, 5), "6 to 20 solutions": (6, 20)}
    for name, (low, high) in (ranges | {"more solutions": (21, 10**9)}).items():
        expected = sum(low <= count <= high for count in counts)
        assert report.solutions[name] == (expected if solutions else 0)
    shown = {row["what"]: row["count"] for row in report.summary()}
    assert shown["rows"] == len(rows)
    for kind in KINDS:
        assert shown.get(kind, 0) == sum(flaw.kind == kind for flaw in report.flaws)
    quantiles = [float(word) for word in shown["bits"].split()]
    assert (quantiles, len(quantiles)) == (sorted(quantiles), 6)
    assert "level None" not in shown


def test_levels_and_bits_equal_those_of_the_puzzles() -> None:
    rows = random_rows(7, 100)
    report = audit(list(enumerate(rows, 1)))
    keys = {(row["game"], tuple(sorted(row["nums"])), row["target"]) for row in rows}
    expected: dict[int | None, list[float]] = {}
    for game, hand, target in keys:
        puzzle = Puzzle(hand, target, GAMES.get(game, FREE_GAME))
        if puzzle.solvable and (difficulty := puzzle.difficulty) is not None:
            expected.setdefault(difficulty.level, []).append(difficulty.bits)
    found = {level: sorted(bits.tolist()) for level, bits in report.bits.items()}
    assert found == {level: pytest.approx(sorted(bits)) for level, bits in expected.items()}


def test_audit_with_processes_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audits, "PUZZLES_PER_CHUNK", 10)
    rows = list(enumerate(random_rows(9, 60), 1))
    counts: list[int] = []
    with processes(2) as executor:
        report = audit(rows, solutions=True, executor=executor, progress=counts.append)
    assert report == audit(rows, solutions=True)
    assert sum(counts) == len(rows)


def test_large_hands_are_audited_one_at_a_time_in_this_process() -> None:
    lengths: list[int] = []

    class RecordingExecutor(Executor):
        def map(self, work: Any, *columns: Any, **_: Any) -> Any:  # type: ignore[override]
            lengths.extend(len(task.puzzle.hand) for chunk in columns[0] for task in chunk)
            return map(work, *columns)

    rows = [(1, {"nums": [1, 1, 1, 1, 1, 1, 7], "target": 14}), (2, {"nums": [3, 8], "target": 24})]
    report = audit(rows, "cards", executor=RecordingExecutor())
    assert (report.puzzles, lengths) == (2, [2])
    assert report == audit(rows, "cards")


@HALF
@given(dealt(st.just("-+x:")), st.integers(-30, 60))
def test_sums_suffice_equals_brute_force(dealt_hand: Dealt, target: int) -> None:
    hand, rules = dealt_hand
    rules = rules._replace(in_order=False)
    expected = target in hand_oracle.values(hand, rules._replace(operators="-+"))
    assert sums_suffice(hand, target, game_of(hand, rules)) == expected


@in_one_test(
    ("hand", "target", "changes", "suffice"),
    ((10, 9, 2, 3), 18, {"most": 18}, True),
    ((10, 9, 2, 3), 18, {"most": 17}, False),
    ((10, 9, 2, 3), 4, {"most": 10}, True),
    # 9 - 5 = 4, 5 - 4 = 1.
    ((5, 5, 9), 1, {"most": 4, "negatives": False}, True),
    ((5, 5, 9), 1, {"most": 3, "negatives": False}, False),
    ((10, 9, 2, 3), 4, {"bits": 4}, True),
    ((10, 9, 2, 3), 24, {"bits": 4}, False),
    ((4, 4, 4, 4), 88, {"join": True}, True),
    ((4, 4), Fraction(22, 5), {"decimals": True}, True),
    ((3, 4), -7, {"signed": True}, True),
    ((10, 9, 2, 3), 24, {"once": True}, False),
    ((9, 3, 2), 10, {"once": True}, True),
    ((2, 3), 8, {"operators": ("+", "^")}, False),
    ((2, 3), 5, {"operators": ("+", "^")}, True),
    ((2, 3), 6, {"operators": ("x", "^")}, False),
)
def test_sums_suffice_obeys_all_rules(
    hand: tuple[int, ...], target: int | Fraction, changes: dict[str, Any], suffice: bool
) -> None:
    numbers = tuple(range(11 - bool({"join", "decimals"} & changes.keys())))
    game = replace(GAMES["digits"], numbers=numbers, **changes)
    assert sums_suffice(hand, target, game) == suffice


@in_one_test(
    ("line", "kind", "message"),
    ("{}", "unreadable", "the row has no numbers: it has nothing"),
    ('{"nums": [3, 8]', "unreadable", "it is not JSON: Expecting ',' delimiter (column 16)"),
    ('{"nums": [3, 8], "target": NaN}', "unreadable", "the row has no target: it has nums"),
    ('{"nums": [3, 8], "target": 2.5}', "unsolvable", "there is no solution"),
    ('{"nums": [3, 8], "target": 24.0, "answer": 5}', "key", "the key is wrong: the formula"),
    ('{"id": "cards:3.8=24", "answer": "(3) x 8 = 24."}', "", ""),
    ('{"id": "q1", "hand": "3 8", "target": "24", "answer": "8+3"}', "key", "the key is wrong:"),
    ('{"nums": [1,2,3,4,5,6,7,8,9,10,11,12], "target": 78}', "undecided", "whether it can be"),
    ('{"nums": [3, 8], "target": 24, "game": "game24"}', "undecided", "whether it can be sol"),
    ('{"nums": [3, "3/4", 3, 6], "target": 24, "answer": "6/(3/3-0.75)"}', "", ""),
    ('{"nums": [2, 5], "target": 32, "operators": "+-x:^", "answer": "2^5"}', "", ""),
    ('{"nums": [3, 8], "target": 24, "operators": "+-x:!"}', "", ""),
)
def test_flaws_of_a_line(line: str, kind: str, message: str) -> None:
    report = audit([(1, "# a comment"), (2, ""), (3, line)])
    assert audit([(3, line)], solutions=True).flaws == report.flaws
    assert report.rows == 1
    assert [(flaw.line, flaw.kind) for flaw in report.flaws] == [(3, kind)] * bool(kind)
    assert all(flaw.message.startswith(message) for flaw in report.flaws)
    assert report.has_errors == (kind in ("unsolvable", "key"))


def test_puzzle_with_too_many_solutions_does_not_stop_the_audit() -> None:
    rows = [{"nums": [1] * 16, "target": 20}, {"nums": [3, 8], "target": 24}]
    report = audit(enumerate(rows, 1), GAMES["cards"], solutions=True)
    assert (report.puzzles, report.flaws) == (2, [])
    assert sum(report.solutions.values()) == sum(map(len, report.bits.values())) == 1


def test_key_of_an_undecided_puzzle_is_judged() -> None:
    hand = {"nums": list(range(1, 13)), "target": 78}
    sums = "+".join(map(str, range(1, 12)))
    keys = [f"{sums}+12", f"{sums}-12", "no solution"]
    report = audit([(line, hand | {"answer": key}) for line, key in enumerate(keys, 1)])
    assert [(flaw.line, flaw.kind, flaw.code) for flaw in report.flaws] == [
        *((1, "undecided", ""), (2, "duplicate", ""), (2, "key", "value")),
        *((3, "duplicate", ""), (3, "key", "undecided")),
    ]


def test_dealt_puzzles_have_right_keys_and_no_flaws() -> None:
    # The same hand in two games is two puzzles.
    lines = ['{"id": "cards:3.8=24"}', '{"id": "digits:8.3=24"}', '{"id": "cards:8.3=24,zero=no"}']
    report = audit(list(enumerate(lines, 1)))
    assert (report.puzzles, report.flaws) == (3, [])
    for game in ("cards", "countdown", "make10"):
        text = "\n".join(json.dumps(row) for row in deal(game, 5, seed=7).rows())
        report = audit(read_records(BytesIO(text.encode()), ["id"]), solutions=True)
        assert (report.rows, report.puzzles, report.keys, report.has_errors) == (5, 5, 5, False)
        assert not {flaw.kind for flaw in report.flaws} - {"sums"}


def test_empty_file_has_no_flaws() -> None:
    assert audit([]) == Audit()
    summary = Audit().summary()
    assert {row["count"] for row in summary} == {0}
    assert all(row["meaning"] for row in summary)
    assert not Audit(kinds=Counter(["sums", "duplicate"])).has_errors
    assert Audit(kinds=Counter(["level"])).has_errors
