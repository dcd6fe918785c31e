"""Damaged answers: the texts of the table with random changes.

A mutant is a text of the table with characters removed, repeated, swapped or inserted, cut off,
with other marks, or next to another text of the table. Some are judged with the puzzle of another
row. The same seed gives the same mutants.
"""

from collections.abc import Callable, Iterator
from random import Random

from tests.judging.table import Row, rows

# Characters of a text that is changed, and of its mutants.
_MAX_LENGTH = 600
_PIECES: list[str] = [
    *"0123456789+-*/x:×÷·−–()[]{}=.,;#\"'|^!_`$\\ \n\t%<>eE²⁄∕٣\u200b\u2009\u00a0。✓、→",
    *("**", "//", "--", "==", " = ", "24", "12", "1e0", "0x", "1.0", "->", "\n\n", "```", "$$"),
    *("<answer>", "</answer>", "<think>", "</think>", "\\boxed{", "\\frac{", "}{", "\\times "),
    *("\\cdot ", "\\div ", "\\left(", "\\right)", "\\,", "\\ ", "Answer: ", "\nFinal answer: "),
    *("The answer is ", "no solution", "无解", "impossible", " and ", "(1)", "-(", " + 0", " * 1"),
    *(" - -", " = 24", "24 = ", "A", "Q", "\\sqrt{4}"),
]
_MARKS = [
    ("<answer>", "</answer>"), ("\\boxed{", "}"), ("**", "**"), ("`", "`"), ("$", "$"), ("(", ")"),
    ("```\n", "\n```"), ("Answer: ", ""), ("<think>", "</think>"), ("-", ""), ("\\(", "\\)"),
    ("I think so.\n", ""), ("", "\nThat is it."), ("", "."), ("", " ✓"), ("", "</think>"),
]  # fmt: skip
# Rows that depend on words: two judges understand different damaged sentences.
_SENTENCES = (
    *("a sentence after the answer, which does not take it back", "taken back after the answer"),
    "taken back, to hide a guess",
)
_SAME = [("*", "×"), ("×", "*"), ("-", "−"), ("/", "÷"), ("*", "\\times "), (" ", ""), ("(", "[")]


def mutants(count: int, seed: int) -> Iterator[tuple[Row, str]]:
    random = Random(seed)
    known = [
        row
        for row in rows()
        if isinstance(row.text, str)
        and len(row.text) <= _MAX_LENGTH
        and row.shape not in _SENTENCES
    ]
    for _ in range(count):
        row, other = random.choice(known), random.choice(known)
        text = row.text
        for _ in range(random.choice((1, 1, 1, 2, 2, 3))):
            text = random.choice(_CHANGES)(text, other.text, random)[:_MAX_LENGTH]
        yield random.choice((row, row, row, row, other)), text


def _lost(text: str, _: str, random: Random) -> str:
    place = random.randrange(len(text) + 1)
    return text[:place] + text[place + 1 :]


def _put_in(text: str, _: str, random: Random) -> str:
    place = random.randrange(len(text) + 1)
    return text[:place] + random.choice(_PIECES) + text[place:]


def _replaced(text: str, _: str, random: Random) -> str:
    place = random.randrange(len(text) + 1)
    return text[:place] + random.choice(_PIECES) + text[place + 1 :]


def _swapped(text: str, _: str, random: Random) -> str:
    first, last = sorted(random.randrange(len(text) + 1) for _ in range(2))
    return text[:first] + text[last : last + 1] + text[first + 1 : last] + text[first : first + 1]


def _doubled(text: str, _: str, random: Random) -> str:
    first, last = sorted(random.randrange(len(text) + 1) for _ in range(2))
    return text[:last] + text[first:last] + text[last:]


def _cut(text: str, _: str, random: Random) -> str:
    place = random.randrange(len(text) + 1)
    return text[:place] if random.random() < 0.5 else text[place:]


def _marked(text: str, _: str, random: Random) -> str:
    before, after = random.choice(_MARKS)
    return before + text + after


def _counted(text: str, _: str, random: Random) -> str:
    digits = [place for place, character in enumerate(text) if character in "0123456789"] or [0]
    place = random.choice(digits)
    return text[:place] + random.choice("0123456789") + text[place + 1 :]


def _spelled(text: str, _: str, random: Random) -> str:
    sign, other = random.choice(_SAME)
    return text.replace(sign, other, random.choice((1, -1)))


def _beside(text: str, other: str, random: Random) -> str:
    between = random.choice(("\n", " ", ", ", "; ", " = ", "\n\n", " or "))
    return between.join(random.choice(((text, other), (other, text), (text, text))))


def _in_capitals(text: str, _: str, random: Random) -> str:
    return random.choice((text.upper(), text.lower(), text.title(), text.swapcase()))


_CHANGES: list[Callable[[str, str, Random], str]] = [
    _lost, _put_in, _put_in, _replaced, _swapped, _doubled, _cut, _marked, _marked, _counted,
    _spelled, _spelled, _beside, _in_capitals,
]  # fmt: skip
