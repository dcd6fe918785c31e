"""Random formulas as people type them: right, wrong, damaged and unusual ones."""

import json
import random
import re
from collections.abc import Callable
from fractions import Fraction

from crisps24.notation.spellings import all_spellings
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.operators import OPERATORS
from tests.tables import DATA

# Signs that are typed most often come first in the records.
SPELLINGS = {
    name: [spelling for spelling in all_spellings(operator) if len(spelling) == 1]
    for name, operator in OPERATORS.items()
    if not operator.joins
}
_ALPHABET = (
    "()[]（）+-x*/:=1379 0.,?^²!_eE{}|~%√KQaAjxX＋２０＝／．⁄∕−–➖·⋅÷٣é😀"
    "\u200b\u00a0\t\u3000\x00\x01\x1f\x85\ufeff¾½"
)
_SPACES = (" ", "  ", "\u00a0", "\t", "\u3000", "\n")
_FULL_WIDTH = {chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)}
_CHARACTERS = {Fraction(1, 2): "½", Fraction(3, 4): "¾", Fraction(5, 3): "1⅔", Fraction(3, 2): "1½"}
# What stands after =, and texts at and beyond each limit, with one or more for each reason: for any
# game, and with the fractions of the hand 3 3/4 3 6.
_TARGETS, EDGES, FRACTION_EDGES = json.loads(
    (DATA / "player/formulas.json").read_text("utf-8")
).values()
EDGES += [f"4{' ' * spaces}+ 3" for spaces in (5_996, 5_997, 5_998)]


def random_hand(game: Game, draw: random.Random) -> Hand:
    """Return a hand of a game; now and then another one."""
    if draw.random() < 0.02 and not game.negatives:
        return tuple(draw.choice((0, 1, 14, 60, 123)) for _ in range(game.length))
    if game.repeats:
        return tuple(draw.choice(game.numbers) for _ in range(game.length))
    return tuple(draw.sample(game.numbers, game.length))


def random_formula(hand: Hand, game: Game, draw: random.Random) -> str:
    numbers = _numbers(hand, game, draw)
    text = _tree(numbers, game, draw, brackets=0.5 if game.parentheses else 0.03)
    if draw.random() < 0.06:
        text = draw.choice(("-", "- ", "−", "－", "+", "--")) + text
    if draw.random() < 0.15:
        text += draw.choice((" = ", "=", "＝", " =", "=\n")) + draw.choice(_TARGETS)
    if draw.random() < 0.05:
        text = "".join(draw.choice((each, _FULL_WIDTH.get(each, each))) for each in text)
    if draw.random() < 0.25:
        for _ in range(draw.choice((1, 1, 1, 2, 3))):
            text = _damaged(text, draw)
    if draw.random() < 0.02:
        text = draw.choice((f"  {text}  ", f"({text})", f"[({text})]", f"\t{text}\n"))
    return text


def other_numbers(text: str, hand: Hand, game: Game, draw: random.Random) -> str:
    """Return a formula of the same shape with other numbers, mostly those of a hand."""
    numbers = list(hand)
    draw.shuffle(numbers)
    if any(isinstance(number, Fraction) for number in hand):
        # Other shapes, since a fraction is written in several ways.
        return random_formula(hand, game, draw)

    def replacement(number: re.Match[str]) -> str:
        if len(number[0]) > 20 or draw.random() < 0.03:
            return number[0]
        return str(abs(numbers.pop() if numbers else draw.choice(hand)))

    formula, sign, target = text.partition("=")
    return re.sub("[0-9]+", replacement, formula) + sign + target


def _numbers(hand: Hand, game: Game, draw: random.Random) -> list[Exact]:
    numbers = list(hand)
    draw.shuffle(numbers)
    if draw.random() < 0.08:
        numbers[0] = draw.choice((0, 1, 7, 12, 25, 99, 1000, -3, -numbers[0]))
    if draw.random() < 0.08:
        numbers.append(draw.choice(numbers))
    if draw.random() < (0.15 if game.all_numbers else 0.8):
        numbers = numbers[: draw.randint(1, len(numbers))]
    return numbers


def _fraction(number: Fraction, draw: random.Random) -> str:
    """Return a fraction as a person types it; now and then not in lowest terms, or another one."""
    if draw.random() < 0.02:
        number = draw.choice((1 / number, number + 1, -number))
    minus, size = "-" * (number < 0), abs(number)
    above, below = size.numerator, size.denominator
    factor = draw.choice((2, 3, 0)) if draw.random() < 0.04 else 1
    sign = draw.choice(("/",) * 5 + (" / ", ":", "÷", "／"))
    quotient = f"{above * factor}{sign}{below * factor}"
    texts = [quotient, quotient, f"({quotient})", f"( {quotient})", _CHARACTERS.get(size, quotient)]
    if 1000 % below == 0:
        decimal = f"{float(size):g}"
        texts += [decimal, decimal.removeprefix("0"), f"{decimal}0", decimal.replace(".", ",")]
    text = minus + draw.choice(texts)
    return f"({text})" if draw.random() < 0.3 else text


def _number(number: Exact, game: Game, draw: random.Random) -> str:
    if isinstance(number, Fraction):
        return _fraction(number, draw)
    names = [name for name, value in game.letters if value == number]
    if names and draw.random() < 0.3:
        return draw.choice((names[0], names[0].lower()))
    text = str(number)
    roll = draw.random()
    if roll < 0.02:
        return f"0{text}"
    if 0.06 < roll < 0.09:
        return f"-{text}"
    if roll < 0.05:
        return f"({text})" if game.parentheses or roll < 0.031 else text
    return text


def _tree(numbers: list[Exact], game: Game, draw: random.Random, brackets: float) -> str:
    if len(numbers) == 1:
        return _number(numbers[0], game, draw)
    cut = draw.randrange(1, len(numbers))
    parts = [_tree(half, game, draw, brackets) for half in (numbers[:cut], numbers[cut:])]
    parts = [
        _in_brackets(part, draw) if len(part) > 2 and draw.random() < brackets else part
        for part in parts
    ]
    names = game.operators if draw.random() < 0.97 else tuple(SPELLINGS)
    spellings = SPELLINGS[draw.choice(names)]
    sign = spellings[0] if draw.random() < 0.6 else draw.choice(spellings)
    space = " " if draw.random() < 0.95 else draw.choice(_SPACES)
    form = draw.choice(("{1}{0}{2}{0}{3}", "{1}{2}{3}", "{1}{2}{0}{3}"))
    return form.format(space, parts[0], sign, parts[1])


def _in_brackets(text: str, draw: random.Random) -> str:
    pair = draw.choice(("()", "()", "()", "()", "[]", "（）"))
    space = " " if draw.random() < 0.05 else ""
    text = f"{pair[0]}{space}{text}{space}{pair[1]}"
    if draw.random() < 0.15:
        return f"-{text}"
    return f"({text})" if draw.random() < 0.03 else text


def _damaged(text: str, draw: random.Random) -> str:
    """Return a text with one character inserted, left out, replaced, doubled or swapped."""
    start = draw.randrange(len(text) + 1)
    before, after = text[:start], text[start:]
    other = draw.choice(_ALPHABET)
    ways: tuple[Callable[[], str], ...] = (
        lambda: before + other + after,
        lambda: before + after[1:],
        lambda: before + other + after[1:],
        lambda: before + after[:1] + after,
        lambda: before + after[1:2] + after[:1] + after[2:],
        lambda: before + draw.choice("()[]") + after,
        lambda: before + draw.choice(("**", "^", "²", "==", "()", "0x", "1_0", ". 5")) + after,
        lambda: before,
    )
    return draw.choice(ways)()
