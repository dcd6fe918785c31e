r"""The notation of answer keys: their signs, spaces and LaTeX commands.

A corrected key has the notation of the wrong one: `8×3-1` becomes `8×3`, and `\boxed{3 + 8}`
becomes `\boxed{3 * 8}`.
"""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from crisps24.judging.judge import Judgement
from crisps24.notation.styles import INLINE_STYLES, STYLES
from crisps24.notation.trees import Expression, text_of
from crisps24.rules.exact import Exact
from crisps24.rules.operators import OPERATORS
from crisps24.rules.words import format_value

# The signs of each operator between two numbers; the first one is that of the style `ascii`.
_SIGNS = [
    tuple(dict.fromkeys(STYLES[name].sign(operator) for name in ("ascii", *INLINE_STYLES)))
    for operator in OPERATORS.values()
    if operator.arity == 2 and not operator.joins
]
_ASCII_SIGNS = tuple(variants[0] for variants in _SIGNS)
_ALL_SIGNS = re.escape("".join(chain.from_iterable(_SIGNS)))
_SIGN = re.compile(rf"(?<=[0-9)\]}}])(\s*)([{_ALL_SIGNS}])\s*(?=[0-9(\[{{\\])")
_LATEX_COMMAND = re.compile(r"\\(?:frac|dfrac|tfrac|times|cdot|div|left)(?![a-z])")


class KeyNotation(NamedTuple):
    """How the keys of a file write formulas."""

    signs: tuple[str, ...] = _ASCII_SIGNS
    """The signs of the operators, in the order of `OPERATORS`."""
    is_spaced: bool = True
    latex_times: str = ""
    """The LaTeX command for times, such as `\\times`; empty for a notation without LaTeX."""

    def write(self, expression: Expression) -> str:
        if self.latex_times:
            text = text_of(expression, "latex").replace(r"\times", self.latex_times)
            return text.replace(r"\left(", "(").replace(r"\right)", ")")
        text = text_of(expression, "ascii")
        # Numbers such as 3/4 or -3 have no spaces around their signs, so they are not changed.
        for variants, sign in zip(_SIGNS, self.signs, strict=True):
            text = text.replace(f" {variants[0]} ", f" {sign} ")
        return text if self.is_spaced else text.replace(" ", "")


def notation_of(keys: Iterable[str], default: KeyNotation | None = None) -> KeyNotation:
    """Return the notation of most keys; signs that they do not have are those of `default`."""
    default = KeyNotation() if default is None else default
    text = "\n".join(keys)
    found = _SIGN.findall(text)
    counts = Counter(sign for _, sign in found)
    signs = [
        max(variants, key=lambda sign: counts[sign]) if any(map(counts.get, variants)) else known
        for variants, known in zip(_SIGNS, default.signs, strict=True)
    ]
    latex_times = default.latex_times
    if _LATEX_COMMAND.search(text):
        latex_times = r"\cdot" if text.count(r"\cdot") > text.count(r"\times") else r"\times"
    elif found:
        latex_times = ""
    is_spaced = default.is_spaced
    if found:
        is_spaced = 2 * sum(bool(space) for space, _ in found) >= len(found)
    return KeyNotation(tuple(signs), is_spaced, latex_times)


def replace_answer(
    key: str, judgement: Judgement, expression: Expression, value: Exact, notation: KeyNotation
) -> str:
    r"""Return a key with another formula, in the notation of the key."""
    own = notation_of([key], notation)
    answer = own.write(expression)
    if "=" in judgement.answer:
        answer += f" = {format_value(value)}" if own.is_spaced else f"={format_value(value)}"
    if not judgement.answer:
        return answer
    return key[: judgement.start] + answer + key[judgement.end :]
