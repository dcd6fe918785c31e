"""Test by brute force that each quiz question has exactly one right answer: its key.

`CRISPS24_QUESTIONS=10000 pytest tests/paper/test_quizzes.py` tests more questions.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import pytest

from crisps24 import GAMES, Conditions, RefusedError, deal, puzzle_of
from crisps24.drawing.gift import Question
from crisps24.enumeration.enumeration import DisagreementError
from crisps24.messages.message import ENGLISH, Language
from crisps24.paper.quizzes import QUESTION_KINDS, questions
from crisps24.puzzles.dealing import Deal
from crisps24.puzzles.draws import Draws
from crisps24.rules.exact import whole_numbers
from tests import hand_oracle, oracle
from tests.hands.dealing import FREE, rules_of
from tests.languages import IN_SOME_LANGUAGES
from tests.sampling import EVERY, in_one_test, some
from tests.test_minus import RULED, can_make

QUESTION_COUNT = int(os.environ.get("CRISPS24_QUESTIONS", "30"))
Exact = int | Fraction


def sign_of(word: str) -> str:
    return ":" if word in ":/÷" else "x" if word in "x*×" else "-" if word in "-−" else "+"


def value_of(formula: str) -> Exact | None:
    """Return the value of a formula by the free rules; None for a division by zero."""
    try:
        return hand_oracle.read(formula, FREE).value
    except ValueError:
        return None


def values_after(a: int, sign: str, b: int, hand: tuple[int, ...], name: str) -> set[Exact]:
    """Return all values of formulas of a hand that contain a step of two of its numbers."""
    game, rest = GAMES[name], [*(Counter(hand) - Counter((a, b))).elements()]
    result = oracle.step(sign, a, b, game, {})
    assert result is not None
    if game.parentheses:
        return hand_oracle.values((*rest, result), rules_of(game))
    values: set[Exact] = set()

    def visit(left: list[tuple[Exact, int]]) -> None:
        """Try every order of steps in which sums are never factors."""
        if len(left) == 1:
            values.add(left[0][0])
        for first, second in permutations(range(len(left)), 2):
            others = [pair for index, pair in enumerate(left) if index not in (first, second)]
            (a, a_binds), (b, b_binds) = left[first], left[second]
            for sign in "+-x:":
                own, result = 1 if sign in "+-" else 2, oracle.step(sign, a, b, game, {})
                if result is not None and a_binds >= own < b_binds:
                    visit([*others, (result, own)])

    visit([*((number, 3) for number in rest), (result, 1 if sign in "+-" else 2)])
    return values


def has_one_right_answer(question: Question, kind: str) -> bool:
    """Return whether the key is the only right answer, by brute force."""
    right = [is_right(answer, question, kind) for answer in question.answers]
    return right == [answer == question.key for answer in question.answers] and sum(right) == 1


def is_right(answer: str, question: Question, kind: str) -> bool:
    puzzle = puzzle_of(question.title)
    game, target = puzzle.game, puzzle.target
    if kind == "hand":
        hand = tuple(map(int, answer.split()))
        result = hand_oracle.values(hand, rules_of(game))
        return target not in result and not (game.negatives and -target in result)
    if kind == "sign":
        formula = question.text.removeprefix("Which sign is missing? ").rpartition(" = ")[0]
        return value_of(formula.replace("?", answer)) == target
    if kind == "step":
        a, sign, b, equals, step_value = answer.split()
        hand = tuple(sorted(whole_numbers(puzzle.hand)))
        assert equals == "="
        made = oracle.OPERATIONS[sign_of(sign)](int(a), int(b))
        assert made == Fraction(step_value.strip("()").replace("−", "-"))
        after = values_after(int(a), sign_of(sign), int(b), hand, game.name)
        return target in after or (game.negatives and -target in after)
    assert kind == "value"
    return value_of(question.text.removeprefix("Which number does this make? ")) == Fraction(answer)


def kind_of(question: Question) -> str:
    kinds = {"hand": "hand", "sign": "sign", "step": "step", "first": "step", "number": "value"}
    return kinds[question.text.split()[1]]


def random_deals(count: int) -> Iterator[Deal]:
    """Yield deals of games of four numbers, and also of five numbers (slow) if `count` is large."""
    conditions = Conditions(repeat=True)
    for name in ("cards", "crisps", "digits"):
        yield deal(name, -(-count // 3), seed=count, conditions=conditions)
    if count >= 100 * len(QUESTION_KINDS):
        yield deal("krypto", count // 100, seed=count, conditions=conditions)


def test_every_key_is_right_and_every_other_answer_is_wrong() -> None:
    kinds: Counter[str] = Counter()
    for quiz_deal in random_deals(QUESTION_COUNT):
        for question in questions(quiz_deal):
            kind = kind_of(question)
            assert has_one_right_answer(question, kind), question
            assert 1 < len(set(question.answers)) == len(question.answers) <= 4
            assert kind != "hand" or len(question.answers) == 4
            kinds[kind] += 1
    assert kinds.total() >= QUESTION_COUNT
    assert min(kinds[kind] for kind in QUESTION_KINDS) > QUESTION_COUNT // 8


@in_one_test("name", *some(["once", "most 24", "cards", "most 30, once"], 2))
def test_one_of_four_hands_cannot_make_the_target(name: str) -> None:
    count = QUESTION_COUNT if EVERY else 5
    for question in questions(deal(RULED[name], count, seed=3), ["hand"]):
        for answer in question.answers:
            is_right = not can_make(tuple(map(int, answer.split())), name)
            assert is_right == (answer == question.key), question


def test_a_question_is_refused_if_two_methods_disagree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crisps24.paper.quizzes.find_solutions", lambda *_: [])
    with pytest.raises(DisagreementError, match="two methods disagree about cards:"):
        list(questions(deal(replace(GAMES["cards"], most=99), 1, seed=1), ["hand"]))


def test_a_question_uses_the_signs_of_its_game() -> None:
    game = replace(GAMES["cards"], style="unicode")
    asked = questions(deal(game, 8, seed=3))
    texts = " ".join(question.text + " ".join(question.answers) for question in asked)
    assert {"×", "÷", "−"} <= set(texts)
    assert not re.search(r" [-x*/:] ", texts)


def test_unsuitable_puzzles_and_too_many_are_refused() -> None:
    # A game with joined digits has no questions about steps.
    joined = replace(GAMES["cards"], numbers=tuple(range(1, 10)), join=True)
    with pytest.raises(RefusedError, match="no question of kind step"):
        list(questions(deal(joined, seed=1), ["step"]))
    with pytest.raises(RefusedError, match="10,001 questions: a quiz has at most 10,000"):
        list(questions(deal("cards", 10_001, seed=1, conditions=Conditions(repeat=True))))


@IN_SOME_LANGUAGES
def test_a_quiz_is_equal_in_every_language(language: Language) -> None:
    quiz_deal = deal("cards", 8, seed=3).with_style("dot")
    translated, english = list(questions(quiz_deal, (), language)), list(questions(quiz_deal))
    for name, question, original in zip(list(QUESTION_KINDS) * 2, translated, english, strict=True):
        assert (question.answers, question.key) == (original.answers, original.key)
        assert question.text.startswith(language.text(f"quiz.{name}").partition("{")[0])
        used, given = (sorted(re.findall("[0-9]+", each.text)) for each in (question, original))
        assert used == given
        first_word = ENGLISH.text(f"quiz.{name}").partition(" ")[0]
        assert (first_word in question.text) == (language is ENGLISH)


# Games with the longest rules, hands and targets; and kinds of question with rules in their texts.
@in_one_test("name", "cards", "countdown", "fractions24", "mathador")
@IN_SOME_LANGUAGES
def test_a_short_text_has_at_most_120_characters(name: str, language: Language) -> None:
    kinds = ["hand"] if name == "countdown" else ["hand", "step"]
    quiz_deal = deal(name, 4, seed=5).with_style(language.style)
    short = list(questions(quiz_deal, kinds, language, max_text=120))
    for question, long in zip(short, questions(quiz_deal, kinds, language), strict=True):
        assert len(question.text) <= min(120, len(long.text))
        assert (question.answers, question.key) == (long.answers, long.key)
        assert set(re.findall("[0-9]+", question.text)) <= set(re.findall("[0-9]+", long.text))


def test_a_short_text_says_the_rules() -> None:
    game = replace(GAMES["cards"], most=99, once=True, parentheses=False)
    [question] = questions(deal(game, seed=1), ["hand"], max_text=200)
    assert question.text == (
        "Which hand cannot make 24? All numbers, + - x /, fractions and negative numbers allowed, "
        "no result above 99, each operator at most once"
    )


def test_questions_that_do_not_fit_are_left_out() -> None:
    quiz_deal = deal("cards", 4, seed=7)
    kinds = {kind_of(question) for question in questions(quiz_deal, max_text=60)}
    assert kinds == {"sign", "value"}
    assert len(next(questions(quiz_deal, ["step"], max_text=120, max_answer=20)).text) > 60
    for max_text, max_answer in ((60, None), (120, 5)):
        with pytest.raises(RefusedError, match=f"no question of at most {max_text} characters"):
            next(questions(quiz_deal, ["step"], max_text=max_text, max_answer=max_answer))


def test_no_question_about_a_step_with_operators_that_are_not_tried() -> None:
    for sign in "!√^":
        puzzle = puzzle_of(f"cards:4.3.1=24,operators=+-x{sign}")
        assert QUESTION_KINDS["step"](puzzle, Draws(7), ENGLISH) is None


def test_a_fraction_of_the_hand_stays_one_number() -> None:
    for question in questions(deal("fractions24", 8, seed=2), ["value"]):
        assert not re.search(r"\(\d / \d\)", question.text), question.text


def test_a_question_has_one_sign_for_minus() -> None:
    asked = questions(deal("cards", 6, seed=2).with_style("dot"), ["step"])
    answers = " | ".join(answer for question in asked for answer in question.answers)
    assert ("= −" in answers, "-" in answers) == (True, False), answers
