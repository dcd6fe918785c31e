"""Keys that are corrected keep their notation, and are right."""

from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES, Puzzle, parse, puzzle_of
from crisps24.rules.queries import HandQuery
from crisps24.solving.values import find_reachable
from crisps24.training.audits import Auditor
from crisps24.training.key_notation import KeyNotation, notation_of, replace_answer
from crisps24.training.row_claims import ClaimReader
from tests.hands.dealing import HALF
from tests.sampling import in_one_test
from tests.tables import cells_of

CORRECTED = cells_of("corrected-keys.txt")


@in_one_test(("key", "corrected"), *CORRECTED)
def test_a_corrected_key_has_the_notation_of_the_wrong_one(key: str, corrected: str) -> None:
    auditor = Auditor(ClaimReader(), correct=True)
    [flaw] = auditor.check([(1, {"nums": [3, 8], "target": 24, "answer": key})])
    assert (flaw.kind, flaw.right, flaw.column) == ("key", corrected, "answer")


def test_other_keys_show_the_notation_of_a_key_without_signs() -> None:
    rows = [
        {"nums": [2, 9], "target": 18, "answer": "2×9"},
        {"nums": [4, 7], "target": 28, "answer": "4×7"},
        {"nums": [3, 8], "target": 24, "answer": "24"},
        {"nums": [6, 48], "target": 8, "answer": ["48/6", "6/48"]},
        {"nums": [5, 5], "target": 25, "answer": ["5+5"]},
    ]
    flaws = Auditor(ClaimReader(), correct=True).check(enumerate(rows, 1))
    assert [flaw.right for flaw in flaws if flaw.kind == "key"] == ["8×3", ["48/6"], ["5×5"]]


def test_signs_are_counted_only_between_numbers() -> None:
    assert notation_of(["Answer: 3x8", "ex-wife 8:30"]).signs == notation_of(["3x8:1"]).signs
    assert notation_of([]) == KeyNotation()
    assert notation_of(["well", "8"], KeyNotation(is_spaced=False)).is_spaced is False


HANDS = st.lists(st.integers(1, 13), min_size=2, max_size=4)


@HALF
@given(HANDS, st.sampled_from([key for key, _ in CORRECTED]), st.integers(0, 10**6))
def test_every_notation_can_be_judged(hand: list[int], key: str, choice: int) -> None:
    values = sorted(find_reachable(HandQuery(tuple(hand), GAMES["cards"]), None))
    puzzle = Puzzle(tuple(hand), values[choice % len(values)], GAMES["cards"])
    text = notation_of([key]).write(puzzle.solutions()[0].expression)
    assert puzzle.judge(text), text


def test_what_stands_around_the_answer_is_kept() -> None:
    key = "First 3+8. <answer>3+8</answer> Done."
    judgement = puzzle_of("cards:3.8=24").judge(key)
    text = replace_answer(key, judgement, parse("3 x 8", "cards"), 24, KeyNotation())
    assert text == "First 3+8. <answer>3*8</answer> Done."
