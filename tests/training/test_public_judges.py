"""The guide `judges.md`: its answers follow its rules, and its verdicts are those of the scorers.

Scorers that are not installed are skipped, and so are other versions than the measured ones.
Each verdict is computed in a process of its own.
"""

import ast
import subprocess
import sys
from collections import Counter

import pytest

from tests import hand_oracle
from tests.hands.dealing import FREE
from tests.hostile.readers import value_of
from tests.sampling import in_one_test, some
from tests.training import public_judges

ANSWERS = public_judges.read_answers()
SCORERS = public_judges.read_scorers()
VERDICTS = public_judges.read_verdicts()
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits are set as Linux has them")

# The formula, as Python writes it, in answers that Python does not read or that are a whole text.
FORMULAS = {
    **dict.fromkeys((10, 12, 34, 41, 44, 46, 47, 50, 52, 53), "(1 + 2 + 3) * 4"),
    **dict.fromkeys((30, 31), "3 * 8 * 1 * 1"),
    **dict.fromkeys((35, 45), "8 / (3 - 8 / 3)"),
    **{9: "4 * (1 + 2 + 3)", 33: "3 * 8 + 1 * 1", 36: "(1 + 2) * 4 + (1 + 2) * 4"},
    **{42: "6 * 8 / (1 + 1)", 43: "10 * 4 - 2 * 8", 48: "1 + 2 + 3 + 4"},
}


def is_solution(formula: str, hand: list[int]) -> bool:
    # Python ignores a comment, as the rules do.
    try:
        tree = ast.parse(formula, mode="eval").body
        value = value_of(tree)
    except (SyntaxError, ValueError, KeyError, ZeroDivisionError):
        return False
    numbers = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return value == public_judges.TARGET and Counter(numbers) == Counter(hand)


@in_one_test("answer", *ANSWERS)
def test_an_answer_is_right_if_the_rules_say_so(answer: public_judges.Answer) -> None:
    if answer.kind == "claim":
        values = hand_oracle.values(tuple(answer.hand), FREE)
        assert answer.right == (public_judges.TARGET not in values)
    else:
        assert answer.right == is_solution(FORMULAS.get(answer.number, answer.text), answer.hand)


def test_answers_are_sixty_of_each_kind_that_a_scorer_excludes() -> None:
    kinds = {answer.kind for answer in ANSWERS}
    assert [answer.number for answer in ANSWERS] == list(range(1, 61))
    assert len({(*answer.hand, answer.text) for answer in ANSWERS}) == 60
    for scorer in SCORERS.values():
        assert kinds >= set(scorer.excludes)
    assert SCORERS["crisps24"].excludes == []


def test_each_scorer_has_verdicts_and_if_it_installs_a_loader() -> None:
    assert list(VERDICTS) == list(SCORERS)
    said = {verdict.split()[0] for verdicts in VERDICTS.values() for verdict in verdicts}
    assert said <= {"yes", "no", "raises", "stops"}
    installed = [name for name, scorer in SCORERS.items() if scorer.packages]
    assert list(public_judges.LOADERS) == installed


def test_the_guide_shows_the_records_and_what_crisps24_says_now() -> None:
    accepts = public_judges.LOADERS["crisps24"]()
    scorer = SCORERS["crisps24"]
    now = ["yes" if accepts(scorer.text_of(each), each.hand) else "no" for each in ANSWERS]
    advice = "run: python -m tests.training.public_judges --write"
    assert VERDICTS["crisps24"] == now, advice
    assert public_judges.GUIDE.read_text(encoding="utf-8") == public_judges.guide(VERDICTS), advice


def test_a_step_is_a_move_if_its_numbers_are_left() -> None:
    moves = {"1 + 2 = 3": "[0 2 +]", "1 - 1 = 0": "[0 1 -]"}
    moves |= {line: line for line in ("2 / 2 = 1", "1 * 1 * 2 = 2")}
    assert {line: public_judges.as_move(line, [1, 1, 2]) for line in moves} == moves


@LINUX
@pytest.mark.parametrize("name", some(public_judges.LOADERS, 3))
def test_an_installed_scorer_says_what_was_recorded(name: str) -> None:
    if reason := SCORERS[name].why_not_installed():
        pytest.skip(reason)
    assert public_judges.measure(SCORERS[name], some(ANSWERS, 20)) == some(VERDICTS[name], 20)


LIMITS_SCRIPT = """
from tests.training import public_judges as judges

def accepts(text, hand):
    if text == "exit":
        import os
        os._exit(0)
    return bool(eval(text))

judges.CPU_SECONDS = 1
texts = "1", "0", "1 / 0", "print('ran')", "9 ** 9 ** 9", "bytearray(2 ** 42)", "exit"
print(*(judges.limited_verdict(accepts, text, [1]) for text in texts), sep=", ")
"""


@LINUX
def test_a_verdict_is_computed_within_limits() -> None:
    call, top = [sys.executable, "-c", LIMITS_SCRIPT], public_judges.TOP
    done = subprocess.run(call, cwd=top, capture_output=True, text=True, check=True)
    assert done.stdout == "yes, no, raises, no code, stops, stops, stops\n"


@LINUX
def test_the_command_shows_what_a_scorer_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert public_judges.main(["crisps24", "24"]) == 0
    assert capsys.readouterr().out == "24 no '<answer>2 ** 3 * 3 * 1</answer>'\n"
    with pytest.raises(SystemExit, match="expected --check, --write, or a scorer"):
        public_judges.main(["torch"])
    with pytest.raises(SystemExit, match="does not install from the package index"):
        public_judges.main(["tinyzero"])
