"""What is said of a file of puzzles, held to a brute force that knows nothing of ours."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace
from fractions import Fraction
from io import BytesIO
from random import Random
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Puzzle, deal
from crisps24.judging.records import read_records
from crisps24.output.executors import processes
from crisps24.puzzle import puzzle_of
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME
from crisps24.training import audits
from crisps24.training.audits import Audit, Flaw, audit, sums_suffice
from tests import hand_oracle
from tests.hand_oracle import Rules
from tests.hands.dealing import FREE, HALF, ROWS, Dealt, dealt, game_of

# The games of the drawn files, as the brute force knows them.
PLAYED: dict[str, Rules] = {
    "free": FREE,
    "cards": FREE,
    "crisps": ROWS._replace(fractions=False, negatives=False),
    "countdown": Rules(True, False, False, False, zero=False),
    "numble": Rules(True, False, False, False),
}
Row = dict[str, Any]


def drawn(seed: int, size: int) -> list[Row]:
    """Draw the rows of a file: puzzles, some twice in another order, with keys right and wrong."""
    dice = Random(seed)
    rows: list[Row] = []
    while len(rows) < size:
        hand = [dice.randint(1, 9) for _ in range(dice.choice([1, 2, 3, 3, 4]))]
        row: Row = {"nums": hand, "target": dice.randint(1, 24), "game": dice.choice([*PLAYED])}
        if rows and dice.random() < 0.3:
            row = dict(dice.choice(rows))
            row["nums"] = dice.sample(row["nums"], len(row["nums"]))
        puzzle = Puzzle(tuple(row["nums"]), row["target"], GAMES.get(row["game"], FREE_GAME))
        row.pop("answer", None)
        if dice.random() < 0.5:
            sums = " + ".join(map(str, row["nums"]))
            right = puzzle.answer() if puzzle.solvable else "no solution"
            row["answer"] = dice.choice([right, right, sums, "24", "I give up"])
        rows.append(row)
    return rows


def made_of(row: Row, operators: str = "-+x:") -> dict[Exact, int]:
    """Return what the numbers of a row make, with how many distinct solutions each."""
    rules = PLAYED[row["game"]]._replace(operators=operators)
    return hand_oracle.ways(tuple(row["nums"]), rules)


def is_right(row: Row) -> bool:
    """Return whether the key of a row is right."""
    if row["answer"] == "no solution":
        return row["target"] not in made_of(row)
    try:
        signed = row["answer"].replace("*", "x").replace("/", ":")
        made = hand_oracle.read(signed, PLAYED[row["game"]])
    except (ValueError, IndexError):
        return False
    numbers = sorted(map(int, re.findall(r"\d+", signed)))
    hand = sorted(row["nums"])
    any_of_them = not PLAYED[row["game"]].all_numbers and Counter(numbers) <= Counter(hand)
    used = numbers == hand or any_of_them
    return used and made.value in right_values(row)


def right_values(row: Row) -> set[Exact]:
    """Return the target; where it cannot be made and the closest value counts, the closest."""
    target, values = row["target"], made_of(row).keys()
    if target in values or PLAYED[row["game"]].all_numbers:
        return {target}
    gap = min(abs(Fraction(value) - target) for value in values)
    return {value for value in values if abs(value - target) == gap}


def told_of(rows: list[Row]) -> Iterator[tuple[int, str]]:
    """Yield what a brute force says of rows: the line, and the kind of flaw."""
    seen = set()
    for line, row in enumerate(rows, 1):
        puzzle = row["game"], tuple(sorted(row["nums"])), row["target"]
        hand, target = row["nums"], row["target"]
        if puzzle in seen:
            yield line, "duplicate"
        elif target not in made_of(row):
            yield line, "unsolvable"
        elif target in hand and (len(hand) == 1 or not PLAYED[row["game"]].all_numbers):
            yield line, "dealt"
        elif target in made_of(row, "+-"):
            yield line, "sums"
        seen.add(puzzle)
        if "answer" in row and not is_right(row):
            yield line, "key"


@pytest.mark.parametrize("solutions", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_audit_equals_brute_force(seed: int, solutions: bool) -> None:
    rows = drawn(seed, 40)
    found = audit(list(enumerate(rows, 1)), solutions=solutions)
    assert sorted((flaw.line, flaw.kind) for flaw in found.flaws) == sorted(told_of(rows))
    puzzles = {(row["game"], tuple(sorted(row["nums"])), row["target"]): row for row in rows}
    assert (found.rows, found.puzzles) == (len(rows), len(puzzles))
    assert found.keys == sum("answer" in row for row in rows)
    counts = [made_of(row).get(row["target"], 0) for row in puzzles.values()]
    parts = [sum(least <= count <= most for count in counts) for least, most in PARTS]
    names = ("1 solution", "2 to 5 solutions", "6 to 20 solutions", "more solutions")
    assert [found.solutions[name] for name in names] == (parts if solutions else [0] * 4)


PARTS = [(1, 1), (2, 5), (6, 20), (21, 10**9)]


def test_levels_and_bits_equal_those_of_the_puzzles() -> None:
    rows = [row | {"line": line} for line, row in enumerate(drawn(7, 100), 1)]
    found = audit([(row["line"], row) for row in rows])
    puzzles = {
        Puzzle(tuple(sorted(row["nums"])), row["target"], GAMES.get(row["game"], FREE_GAME))
        for row in rows
    }
    graded = [puzzle.difficulty for puzzle in puzzles if puzzle.solvable]
    wanted: dict[int | None, list[float]] = {}
    for each in graded:
        if each is not None:
            wanted.setdefault(each.level, []).append(each.bits)
    assert {level: sorted(bits) for level, bits in found.bits.items()} == {
        level: pytest.approx(sorted(bits)) for level, bits in wanted.items()
    }


def test_audit_with_processes_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audits, "PUZZLES_PER_CHUNK", 10)
    rows = list(enumerate(drawn(9, 60), 1))
    done: list[int] = []
    with processes(2) as executor:
        shared = audit(rows, solutions=True, executor=executor, progress=done.append)
    assert shared == audit(rows, solutions=True)
    assert sum(done) == len(rows)


def test_large_hands_are_audited_one_at_a_time_in_this_process() -> None:
    class Elsewhere(Executor):
        """Computes here, and notes the hands that other processes would have got."""

        hands: ClassVar[list[int]] = []

        def map(self, work: Any, *columns: Any, **_: Any) -> Any:  # type: ignore[override]
            self.hands.extend(len(each.puzzle.hand) for some in columns[0] for each in some)
            return map(work, *columns)

    rows = [(1, {"nums": [1, 1, 1, 1, 1, 1, 7], "target": 14}), (2, {"nums": [3, 8], "target": 24})]
    found = audit(rows, "cards", executor=Elsewhere())
    assert (found.puzzles, Elsewhere.hands) == (2, [2])
    assert found == audit(rows, "cards")


@HALF
@given(dealt(st.just("-+x:")), st.integers(-30, 60))
def test_sums_suffice_equals_brute_force(drawn: Dealt, target: int) -> None:
    hand, rules = drawn
    rules = rules._replace(in_order=False)
    wanted = target in hand_oracle.values(hand, rules._replace(operators="-+"))
    assert sums_suffice(hand, target, game_of(hand, rules)) == wanted


@pytest.mark.parametrize(
    ("hand", "target", "changes", "suffice"),
    [
        ((10, 9, 2, 3), 18, {}, True),
        ((10, 9, 2, 3), 18, {"most": None}, True),
        ((10, 9, 2, 3), 18, {"most": 19}, True),
        ((10, 9, 2, 3), 18, {"most": 18}, True),
        ((10, 9, 2, 3), 18, {"most": 17}, False),
        ((10, 9, 2, 3), 4, {"most": 10}, True),
        # 9 - 5 = 4, 5 - 4 = 1.
        ((5, 5, 9), 1, {}, True),
        ((5, 5, 9), 1, {"most": 4, "negatives": False}, True),
        ((5, 5, 9), 1, {"most": 3, "negatives": False}, False),
        ((10, 9, 2, 3), 4, {"bits": 4}, True),
        ((10, 9, 2, 3), 24, {"bits": 4}, False),
        ((4, 4, 4, 4), 88, {"join": True}, True),
        ((4, 4, 4, 4), 88, {}, False),
        ((4, 4), Fraction(22, 5), {"decimals": True}, True),
        ((3, 4), -7, {"signed": True}, True),
        ((3, 4), -7, {}, False),
        ((2, 3), 8, {"operators": ("+", "^")}, False),
        ((2, 3), 5, {"operators": ("+", "^")}, True),
        ((2, 3), 6, {"operators": ("x", "^")}, False),
    ],
)
def test_sums_suffice_obeys_all_rules(
    hand: tuple[int, ...], target: int | Fraction, changes: dict[str, Any], suffice: bool
) -> None:
    numbers = tuple(range(11 - bool({"join", "decimals"} & changes.keys())))
    game = replace(GAMES["digits"], numbers=numbers, **changes)
    assert sums_suffice(hand, target, game) == suffice


LINES: list[tuple[str, int, str, str]] = [
    ("{}", 1, "unreadable", "the row has no numbers: it has nothing"),
    ("3 3 8 8", 1, "unreadable", "the row has no numbers: it has nothing"),
    ('{"nums": [3, 8]', 1, "unreadable", "it is no JSON: Expecting ',' delimiter (column 16)"),
    ('{"nums": [3, 8], "target": NaN}', 1, "unreadable", "NaN is no number"),
    ('{"nums": [3, 8], "target": 2.5}', 1, "unsolvable", "there is no solution"),
    ('{"nums": [3, 8], "target": 24.0, "answer": 5}', 1, "key", "the key is not-text: the answer"),
    ('{"nums": [3, 8], "target": 24, "answer": null}', 0, "", ""),
    ('{"nums": [3, 8], "target": 24, "answer": ""}', 0, "", ""),
    ('{"id": "cards:3.8=24", "answer": "(3) x 8 = 24."}', 0, "", ""),
    ('{"id": "q1", "hand": "3 8", "target": "24", "answer": "8+3"}', 1, "key", "the key is value:"),
    ('{"nums": [1,2,3,4,5,6,7,8,9,10,11,12], "target": 78}', 1, "undecided", "whether it can be"),
    ('{"nums": [3, 8], "target": 24, "game": "game24"}', 1, "undecided", "whether it can be sol"),
    ('{"nums": [-3, 8], "target": -24}', 1, "undecided", "whether it can be solved cannot be told"),
    ('{"nums": [3, 8], "target": 24, "game": "chess"}', 1, "unreadable", "unknown game"),
    ('{"answer": "3*8", "metadata": {"numbers": [3, 8], "target": 24}}', 0, "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("line", "flaws", "kind", "told"), LINES)
def test_flaws_of_a_line(line: str, flaws: int, kind: str, told: str) -> None:
    found = audit([(1, "# a comment"), (2, ""), (3, line)])
    assert (found.rows, len(found.flaws)) == (1, flaws)
    for flaw in found.flaws:
        assert (flaw.line, flaw.kind) == (3, kind)
        assert flaw.message.startswith(told)
    assert found.has_errors == (kind in ("unsolvable", "key"))


def test_key_of_an_undecided_puzzle_is_judged() -> None:
    hand = {"nums": list(range(1, 13)), "target": 78}
    sums = "+".join(map(str, range(1, 12)))
    keys = [f"{sums}+12", f"{sums}-12", "no solution"]
    found = audit([(line, hand | {"answer": key}) for line, key in enumerate(keys, 1)])
    assert [(flaw.line, flaw.kind, flaw.code) for flaw in found.flaws] == [
        *((1, "undecided", ""), (2, "duplicate", ""), (2, "key", "value")),
        *((3, "duplicate", ""), (3, "key", "undecided")),
    ]


def test_same_hand_in_two_games_is_two_puzzles() -> None:
    lines = ['{"id": "cards:3.8=24"}', '{"id": "digits:8.3=24"}', '{"id": "cards:8.3=24,zero=no"}']
    found = audit(list(enumerate(lines, 1)))
    assert (found.puzzles, found.flaws) == (3, [])


def test_dealt_puzzles_have_right_keys_and_no_flaws() -> None:
    for game in ("cards", "countdown", "make10"):
        told = "\n".join(json.dumps(row) for row in deal(game, 5, seed=7).rows())
        found = audit(read_records(BytesIO(told.encode()), ["id"]), solutions=True)
        assert (found.rows, found.puzzles, found.keys, found.has_errors) == (5, 5, 5, False)
        assert not {flaw.kind for flaw in found.flaws} - {"sums"}


def test_empty_file_has_no_flaws() -> None:
    assert audit([]) == Audit()
    told = Audit().summary()
    assert {row["count"] for row in told} == {0}
    assert not Audit(flaws=[Flaw(1, "sums", "+ and - suffice")]).has_errors


def test_the_summary_counts_all() -> None:
    found = audit(list(enumerate(drawn(3, 60), 1)), solutions=True)
    told = {row["what"]: row["count"] for row in found.summary()}
    assert told["rows"] == 60
    for kind in audits.KINDS:
        assert told[kind] == sum(flaw.kind == kind for flaw in found.flaws)
    fifths = [float(word) for word in told["bits"].split()]
    assert fifths == sorted(fifths)
    assert len(fifths) == 6
    assert "level None" not in told


def test_puzzle_that_needs_negative_results_is_solvable() -> None:
    # It is made by results below zero alone.
    [puzzle] = [puzzle_of("cards:1.1.1=-1")]
    found = audit([(1, {"id": puzzle.id})], solutions=True)
    assert (puzzle.difficulty, puzzle.solvable) == (None, True)
    assert [flaw.kind for flaw in found.flaws] == ["sums"]
    assert found.bits == {}
