"""Quizzes: every right answer is right and every other one wrong, by brute force.

`CRISPS24_QUESTIONS=10000 pytest tests/puzzles/test_quizzes.py` asks more of them.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations

import pytest

from crisps24 import GAMES, Conditions, RefusedError, deal, puzzle_of
from crisps24.drawing.gift import Question, gift_of
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import ENGLISH, Language
from crisps24.paper.quizzes import QUESTION_KINDS, questions
from crisps24.puzzles.dealing import Deal
from crisps24.rules.games import Game
from tests import hand_oracle
from tests.drawing.test_gift import read_gift

MANY = int(os.environ.get("CRISPS24_QUESTIONS", "36"))
Exact = int | Fraction


def sign_of(word: str) -> str:
    return ":" if word in ":/÷" else "x" if word in "x*×" else "-" if word in "-−" else "+"


def rules_of(game: Game) -> hand_oracle.Rules:
    return hand_oracle.Rules(
        game.parentheses, game.fractions, game.negatives, game.all_numbers, zero=game.zero
    )


def operated(sign: str, left: Exact, right: Exact) -> Exact | None:
    """Return what a step makes; None for a division by zero."""
    if sign == ":":
        return None if right == 0 else Fraction(left) / right
    return left + right if sign == "+" else left - right if sign == "-" else left * right


def value_of(formula: str) -> Exact | None:
    """Work a formula out as at school, with a stack, by no game's rules; None by zero."""
    words = re.findall(r"[0-9]+|[-+x*/:÷×−()]", formula)
    binds = {"+": 1, "-": 1, "x": 2, ":": 2}
    values: list[Exact] = []
    waiting: list[str] = []

    def work() -> None:
        right, left = values.pop(), values.pop()
        made = operated(waiting.pop(), left, right)
        if made is None:
            raise ZeroDivisionError
        values.append(made)

    try:
        for word in words:
            if word.isdigit():
                values.append(int(word))
            elif word == "(":
                waiting.append(word)
            else:
                least = 0 if word == ")" else binds[sign_of(word)]
                while waiting and waiting[-1] != "(" and binds[waiting[-1]] >= least:
                    work()
                if word == ")":
                    waiting.pop()
                else:
                    waiting.append(sign_of(word))
        while waiting:
            work()
    except ZeroDivisionError:
        return None
    [value] = values
    return value


def stepped(sign: str, a: Exact, b: Exact, game: Game) -> Exact | None:
    """Return what a step makes, None where the game forbids it."""
    made = operated(sign, a, b)
    if made is None or (made < 0 and not game.negatives) or (made == 0 and not game.zero):
        return None
    return None if Fraction(made).denominator > 1 and not game.fractions else made


@cache
def values_of(hand: tuple[Exact, ...], name: str) -> set[Exact]:
    """Return all that numbers make, each used, with parentheses wherever they are needed."""
    if len(hand) == 1:
        return set(hand)
    found: set[Exact] = set()
    places = range(len(hand))
    for many in range(1, len(hand)):
        for left in combinations(places, many):
            right = tuple(hand[at] for at in places if at not in left)
            for a in values_of(tuple(hand[at] for at in left), name):
                for b in values_of(right, name):
                    made = (stepped(sign, a, b, GAMES[name]) for sign in "+-x:")
                    found.update(each for each in made if each is not None)
    return found


def values_after(a: int, sign: str, b: int, hand: tuple[int, ...], name: str) -> set[Exact]:
    """Return all that can be made by formulas that have such a step between numbers of a hand."""
    game, rest = GAMES[name], list(hand)
    rest.remove(a)
    rest.remove(b)
    made = stepped(sign, a, b, game)
    assert made is not None
    if game.parentheses:
        return values_of(tuple(sorted([*rest, made])), name)
    found: set[Exact] = set()

    def go(left: list[tuple[Exact, int]]) -> None:
        """Take every order of work in which no sum is a factor."""
        if len(left) == 1:
            found.add(left[0][0])
        for one, other in permutations(range(len(left)), 2):
            others = [each for at, each in enumerate(left) if at not in (one, other)]
            (a, a_binds), (b, b_binds) = left[one], left[other]
            for sign in "+-x:":
                own, made = 1 if sign in "+-" else 2, stepped(sign, a, b, game)
                if made is not None and a_binds >= own < b_binds:
                    go([*others, (made, own)])

    go([*((number, 3) for number in rest), (made, 1 if sign in "+-" else 2)])
    return found


def holds(question: Question, kind: str) -> bool:
    """Tell whether the key alone is right, by brute force."""
    puzzle = puzzle_of(question.title)
    right = [
        is_right(answer, question, kind, puzzle.game, puzzle.target) for answer in question.answers
    ]
    return right == [answer == question.key for answer in question.answers] and sum(right) == 1


def is_right(answer: str, question: Question, kind: str, game: Game, target: Exact) -> bool:
    if kind == "hand":
        hand = tuple(map(int, answer.split()))
        if game.parentheses:
            made = values_of(hand, game.name)
        else:
            made = hand_oracle.values(hand, rules_of(game))
        return target not in made and not (game.negatives and -target in made)
    if kind == "sign":
        formula = question.text.removeprefix("Which sign is missing? ").rpartition(" = ")[0]
        return value_of(formula.replace("?", answer)) == target
    if kind == "step":
        a, sign, b, equals, told = answer.split()
        hand = tuple(sorted(puzzle_of(question.title).hand))
        assert equals == "="
        assert operated(sign_of(sign), int(a), int(b)) == Fraction(told.strip("()"))
        after = values_after(int(a), sign_of(sign), int(b), hand, game.name)
        return target in after or (game.negatives and -target in after)
    assert kind == "value"
    return value_of(question.text.removeprefix("Which number does this make? ")) == Fraction(answer)


def kind_of(question: Question) -> str:
    begins = {
        "Which hand": "hand",
        "Which sign": "sign",
        "Which step": "step",
        "Which number": "value",
    }
    return next(kind for words, kind in begins.items() if question.text.startswith(words))


def dealt(many: int) -> Iterator[Deal]:
    """Deal of games of four numbers, and of many some of five, which take brute force long."""
    asked = Conditions(repeat=True)
    for name in ("cards", "crisps", "digits"):
        yield deal(name, -(-many // 3), seed=many, conditions=asked)
    if many >= 100 * len(QUESTION_KINDS):
        yield deal("krypto", many // 100, seed=many, conditions=asked)


def test_every_key_is_right_and_every_distractor_wrong() -> None:
    kinds: Counter[str] = Counter()
    for one in dealt(MANY):
        for question in questions(one):
            kind = kind_of(question)
            assert holds(question, kind), question
            assert len(set(question.answers)) == len(question.answers) > 1
            kinds[kind] += 1
    assert kinds.total() >= MANY
    assert min(kinds[kind] for kind in QUESTION_KINDS) > MANY // 8


def test_brute_force_notices_a_wrong_key() -> None:
    for kind in QUESTION_KINDS:
        [question] = questions(deal("cards", seed=5), [kind])
        assert kind_of(question) == kind
        assert holds(question, kind)
        assert not holds(replace(question, right=(question.right + 1) % 4), kind)


def test_a_quiz_is_read_back_and_is_the_same_every_time() -> None:
    one = deal("cards", 8, seed=7)
    made = list(questions(one))
    assert read_gift("\n".join(gift_of(made, one.command))) == made
    assert list(questions(one)) == made
    assert [kind_of(question) for question in made] == [*QUESTION_KINDS, *QUESTION_KINDS]
    assert len({question.right for question in made}) > 1


def test_a_question_has_the_signs_of_its_game() -> None:
    game = replace(GAMES["cards"], style="unicode")
    texts = " ".join(
        each.text + " ".join(each.answers) for each in questions(deal(game, 8, seed=3))
    )
    assert {"×", "÷", "−"} <= set(texts)
    assert not re.search(r" [-x*/:] ", texts)


def test_what_cannot_be_asked_is_told() -> None:
    with pytest.raises(RefusedError, match="there is no question 'colour'; there are hand, sign"):
        list(questions(deal("cards", seed=1), ["colour"]))
    with pytest.raises(RefusedError, match="no question of step can be asked: ask for other"):
        list(questions(deal("countdown", seed=1), ["step"]))
    # Digits that are joined make steps that are none.
    joined = replace(GAMES["cards"], numbers=tuple(range(1, 10)), join=True)
    with pytest.raises(RefusedError, match="no question of step"):
        list(questions(deal(joined, seed=1), ["step"]))
    with pytest.raises(RefusedError, match="10,001 questions: a quiz has at most 10,000"):
        list(questions(deal("cards", 10_001, seed=1, conditions=Conditions(repeat=True))))


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=list(LANGUAGES))
def test_a_quiz_asks_the_same_in_every_language(language: Language) -> None:
    one = deal("cards", 8, seed=3).with_style("dot")
    asked, english = list(questions(one, (), language)), list(questions(one))
    assert [each.answers for each in asked] == [each.answers for each in english]
    assert [each.key for each in asked] == [each.key for each in english]
    for name, own, told in zip(list(QUESTION_KINDS) * 2, asked, english, strict=True):
        said, meant = language.text(f"quiz.{name}"), ENGLISH.text(f"quiz.{name}")
        assert own.text.startswith(said.partition("{")[0])
        assert Counter(re.findall("[0-9]+", own.text)) == Counter(re.findall("[0-9]+", told.text))
        assert (meant.partition(" ")[0] in own.text) == (language is ENGLISH)
