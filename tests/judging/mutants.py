"""Damaged answers: texts of the table with random changes; the same seed gives the same ones."""

from collections.abc import Iterator
from random import Random

from tests.judging.table import rows

# Characters of a text that is changed, and of its mutants.
_MAX_LENGTH = 600
_PIECES: list[str] = [
    *"0123456789+-*/x:×÷·−–()[]{}=.,;#\"'|^!_`$\\ \n\t%<>eE²⁄∕٣\u200b\u2009\u00a0。✓、→",
    *("**", "//", "--", "==", " = ", "24", "12", "1e0", "0x", "1.0", "->", "\n\n", "```", "$$"),
    *("<answer>", "</answer>", "<think>", "</think>", "\\boxed{", "\\frac{", "}{", "\\times "),
    *("\\cdot ", "\\div ", "\\left(", "\\right)", "\\,", "\\ ", "Answer: ", "\nFinal answer: "),
    *("The answer is ", "no solution", "无解", "impossible", " and ", "(1)", "-(", " + 0", " * 1"),
    *(" - -", " = 24", "24 = ", "A", "Q", "\\sqrt{4}", "\nThat is it.", "I think so.\n", " or "),
]


def mutants(count: int, seed: int) -> Iterator[str]:
    random = Random(seed)
    known = [row.text for row in rows() if isinstance(row.text, str)]
    known = [text for text in known if len(text) <= _MAX_LENGTH]
    for _ in range(count):
        text = random.choice(known)
        for _ in range(random.choice((1, 1, 1, 2, 2, 3))):
            text = _changed(text, random.choice(known), random)[:_MAX_LENGTH]
        yield text


def _changed(text: str, other: str, random: Random) -> str:
    first, last = sorted(random.randrange(len(text) + 1) for _ in range(2))
    before, part, after = text[:first], text[first:last], text[last:]
    piece = random.choice(_PIECES)
    changes: tuple[str, ...]
    changes = (before + text[first + 1 :], before + piece + text[first:], before + piece + after)
    changes += (before + after, part, before + part + part + after, piece + text + piece)
    changes += (after + part + before, text + piece + other, other + piece + text, text.upper())
    return random.choice(changes)
