"""Optional operators and decimals, compared with an independent parser."""

import os
import re
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from crisps24 import GAMES, FormulaError, Game, check, evaluate, judge, parse, puzzle_of
from crisps24.notation.checking import working
from crisps24.notation.statements import parse_polish
from crisps24.notation.styles import STYLES
from crisps24.notation.trees import text_of
from tests.sampling import in_one_test
from tests.shortest_oracle import Rules, evaluate_step

# Random texts per run; set CRISPS24_TEXTS=20000 for a long run.
TEXTS = int(os.environ.get("CRISPS24_TEXTS", "400"))
GAME = replace(
    GAMES["digits"],
    numbers=tuple(range(10)),
    operators=("-", "+", "x", ":", "^", "√", "!"),
    join=True,
    decimals=True,
    repeating=True,
)


@in_one_test(
    ("text", "value", "printed", "latex"),
    [
        ("2 ^ 3 ^ 2", 512, "2 ^ 3 ^ 2", "2^{3^{2}}"),
        ("(2 ^ 3) ^ 2", 64, "(2 ^ 3) ^ 2", r"\left(2^{3}\right)^{2}"),
        ("(2 + 1) ^ 3", 27, "(2 + 1) ^ 3", r"\left(2 + 1\right)^{3}"),
        ("-2 ^ 2", -4, "-2 ^ 2", "-2^{2}"),
        ("(-2) ** 2", 4, "(-2) ^ 2", r"\left(-2\right)^{2}"),
        ("2^-1", Fraction(1, 2), "2 ^ (-1)", "2^{-1}"),
        ("(1/2)^3", Fraction(1, 8), "(1 / 2) ^ 3", r"\left(\frac{1}{2}\right)^{3}"),
        ("1 ^ .4… ^ 9", 1, "1 ^ .4… ^ 9", "1^{.4…^{9}}"),
        ("8 ^ (1 / 3)", 2, "8 ^ (1 / 3)", r"8^{\frac{1}{3}}"),
        ("sqrt(4 + 5)", 3, "√(4 + 5)", r"\sqrt{4 + 5}"),
        (r"\sqrt{4}^{2^{3}}", 256, "√4 ^ 2 ^ 3", r"\sqrt{4}^{2^{3}}"),
        ("√√81", 3, "√√81", r"\sqrt{\sqrt{81}}"),
        ("(3!)!", 720, "(3!)!", r"\left(3!\right)!"),
        ("2 x -√4", -4, "2 x (-√4)", r"2 \times \left(-\sqrt{4}\right)"),
        (".5 + .3…", Fraction(5, 6), ".5 + .3…", ".5 + .3…"),
        ("√.4… - 44^0", Fraction(-1, 3), "√.4… - 44 ^ 0", r"\sqrt{.4…} - 44^{0}"),
        ("√.49 + .100", Fraction(4, 5), "√.49 + .100", r"\sqrt{.49} + .100"),
    ],
)
def test_optional_operators_are_parsed_evaluated_and_printed(
    text: str, value: Fraction, printed: str, latex: str
) -> None:
    tree = parse(text, GAME)
    assert evaluate(text, GAME) == value
    assert (text_of(tree), text_of(tree, "latex")) == (printed, latex)
    for style in STYLES.values():
        if style.readable:
            assert parse(text_of(tree, style.name), GAME) == tree
    again = parse_polish(text_of(tree, "polish"), GAME)
    assert again.value_in(GAME) == value


@in_one_test(
    ("text", "reason"),
    [
        ("9^9^9", "9 ^ 387420489 is too large to compute"),
        ("99!", "99! takes a whole number from 0 to 20"),
        ("13!", "13! has more than 31 bits"),
        ("√8", "√8 is not an exact number"),
        ("(-8)^(1/3)", "(-8) ^ (1/3) is not an exact number"),
        ("0^0", "0 ^ 0 is not an exact number"),
        ("√√√1", "at most 2 operators with one number in a row in this game"),
        ("4!!", "a number is missing between ! and !"),
        ("!4", "a number is missing before !"),
        ("2 ^", "a number is missing after ^"),
        ("√" * 200 + "4", "operators are nested more than 100 deep"),
        ("2^" * 200 + "1", "operators are nested more than 100 deep"),
        (".0", ".0 is not a decimal"),
        (".44…", ".44… is not a decimal of one digit"),
        (".04", "04 starts with 0"),
    ],
)
def test_an_error_has_its_reason(text: str, reason: str) -> None:
    with pytest.raises(FormulaError) as caught:
        evaluate(text, GAME)
    assert caught.value.reason == reason


def test_a_game_without_optional_operators_refuses_them() -> None:
    for text, reason in (
        ("2 ^ 3", "no powers in this game (^)"),
        ("4! + 4", "'!' cannot be part of a formula"),
        ("√4", "'√' cannot be part of a formula"),
        (".4 + 4", "'.' cannot be part of a formula"),
    ):
        assert check(text, game="digits").reason == reason


def test_workings_and_the_judge_accept_optional_operators() -> None:
    assert working("2 ^ 3 ^ 2 - 4!", GAME) == [
        "3 ^ 2 = 9",
        "2 ^ 9 = 512",
        "4! = 24",
        "512 - 24 = 488",
    ]
    assert working("4 / .4 + 44 / .44", GAME)[:2] == ["4 / .4 = 10", "44 / .44 = 100"]
    puzzle = puzzle_of((4, 4, 4, 4), 24, GAME)
    for answer in (
        "Answer: 4! x 4 ^ (4 - 4)",
        r"\boxed{4! \cdot 4^{4-4}}",
        "4! = 24, 4 - 4 = 0, 24 + 0 x 4 = 24",
        "4!+4-√4×√4 = 4!",
    ):
        assert judge(answer, puzzle).verdict == "right", answer
    assert judge("4! + 4 - 4 + √4", puzzle).code == "value"
    assert judge("no solution", puzzle).code == "solvable"
    hundred = replace(puzzle, target=100)
    assert judge("Answer: 44/.44.", hundred).verdict == "right"
    assert judge("4 / .4 + .44", hundred).code == "value"
    assert judge("44 / .444", hundred).code == "numbers"


def test_invalid_games_are_refused_with_a_reason() -> None:
    for changes, sentence in (
        ({"decimals": True, "numbers": (1, 12)}, "a decimal point needs single digits, not 12"),
        ({"bits": 63}, r"invalid bits 63 \(expected 1 to 62, or None\)"),
        ({"nesting": 0}, r"invalid nesting 0 \(expected 1 to 4\)"),
    ):
        with pytest.raises(ValueError, match=sentence):
            replace(GAMES["digits"], **changes)


# An independent parser: it computes the value of a text, or whether it is malformed or illegal.


class _MalformedError(Exception):
    pass


class _IllegalError(Exception):
    pass


class SecondParser:
    """A recursive-descent parser of one text; each value has its depth of nested operators."""

    def __init__(self, text: str, game: Game) -> None:
        self.tokens: list[str] = re.findall(r"\.[0-9]+…?|[0-9]+|\S", text)
        self.game = game
        self.illegal = False
        self.rules = Rules("", negatives=game.negatives, fractions=game.fractions)

    def value(self) -> Fraction:
        value, _ = self.chain("+-")
        if self.tokens:
            raise _MalformedError
        if self.illegal:
            raise _IllegalError
        return value

    def next_is(self, signs: str) -> str:
        if self.tokens and self.tokens[0] in signs:
            return self.tokens.pop(0)
        return ""

    def work(self, sign: str, *values: Fraction) -> Fraction:
        result = None if self.illegal else evaluate_step(sign, values, self.rules)
        self.illegal = self.illegal or result is None
        return Fraction(result or 0)

    def chain(self, signs: str) -> tuple[Fraction, int]:
        value, depth = self.chain("x:") if signs == "+-" else self.signed()
        while sign := self.next_is(signs):
            right, _ = self.chain("x:") if signs == "+-" else self.signed()
            value, depth = self.work(sign, value, right), 0
        return value, depth

    def signed(self) -> tuple[Fraction, int]:
        if not self.next_is("-"):
            return self.power()
        value, depth = self.power()
        self.illegal = self.illegal or not self.game.negatives
        return -value, depth

    def power(self) -> tuple[Fraction, int]:
        value, depth = self.root()
        if not self.next_is("^"):
            return value, depth
        exponent, _ = self.signed()
        return self.work("^", value, exponent), 0

    def root(self) -> tuple[Fraction, int]:
        if self.next_is("√"):
            value, depth = self.root()
            return self.nested("√", value, depth)
        value, depth = self.operand()
        return self.nested("!", value, depth) if self.next_is("!") else (value, depth)

    def nested(self, sign: str, value: Fraction, depth: int) -> tuple[Fraction, int]:
        self.illegal = self.illegal or depth == self.game.nesting
        return self.work(sign, value), depth + 1

    def operand(self) -> tuple[Fraction, int]:
        token = self.tokens.pop(0) if self.tokens else ""
        if token == "(":
            value, depth = self.chain("+-")
            if not self.next_is(")"):
                raise _MalformedError
            return value, depth
        digits = token.strip(".…")
        if not re.fullmatch("[0-9]+", digits):
            raise _MalformedError
        self.illegal = self.illegal or (len(digits) > 1 and digits[0] == "0")
        if not token.startswith("."):
            return Fraction(int(digits)), 0
        repeats = token.endswith("…")
        self.illegal = self.illegal or digits == "0" or (repeats and len(digits) > 1)
        return Fraction(int(digits), 9 if repeats else 10 ** len(digits)), 0


PIECES = (*"0123456789", *"0123445", *"+-x:^√!()" * 2, "^", "44", ".4", ".45", ".5…", "(", ")")


def random_text(random: Random) -> str:
    """Return a random text, often a valid formula."""
    if random.random() < 0.3:
        return " ".join(random.choice(PIECES) for _ in range(random.randint(1, 8)))

    def formula(size: int) -> str:
        if size == 0 or random.random() < 0.2:
            return random.choice(("0", "1", "2", "3", "4", "4", "9", "16", ".5", ".25", ".4…"))
        kind = random.randrange(7)
        if kind == 0:
            return f"√{formula(size - 1)}"
        if kind == 1:
            return f"{formula(size - 1)}!"
        if kind == 2:
            return f"-{formula(size - 1)}"
        if kind == 3:
            return f"({formula(size - 1)})"
        sign = random.choice(("+", "-", "x", ":", "^", "^"))
        return f"{formula(size // 2)} {sign} {formula(size // 2)}"

    return formula(random.randint(1, 6))


@in_one_test("tens", range(1, 10))
def test_decimals_of_a_step_are_shown_as_written(tens: int) -> None:
    for ones in range(1, 10):
        first, second = f".{tens}{ones}", f".{ones}…"
        product = Fraction(25 * (10 * tens + ones), 100)
        lines = working(f"25 x {first} / {second}", GAME)
        shown = product if product.denominator == 1 else f"({product})"
        quotient = product / Fraction(ones, 9)
        assert lines == [f"25 x {first} = {product}", f"{shown} / {second} = {quotient}"]
        zero = f"1 / ({first} - {first})"
        assert working(zero, GAME) == [f"{first} - {first} = 0", "1 / 0 divides by zero"]


@pytest.mark.parametrize("negatives", [True, False])
def test_verdicts_equal_those_of_an_independent_parser(negatives: bool) -> None:
    random = Random(f"texts {negatives}")
    game = replace(GAME, negatives=negatives)
    seen = {"legal": 0, "illegal": 0, "malformed": 0}
    for _ in range(TEXTS // 2):
        text = random_text(random)
        try:
            expected: tuple[str, Fraction | None] = ("legal", SecondParser(text, game).value())
        except _MalformedError:
            expected = ("malformed", None)
        except _IllegalError:
            expected = ("illegal", None)
        outcome = check(text, game=game)
        assert (outcome.verdict, outcome.value) == expected, (text, outcome.reason)
        seen[outcome.verdict] += 1
    assert min(seen.values()) > TEXTS // 40
