"""Claims that a puzzle has no solution, in the words of people and models, in many languages.

A claim is recognised by one regular expression, whose parts are built here: "So 24 cannot be made
with these numbers" is a claim about the target 24.
"""

import re
import tomllib
from pkgutil import get_data
from typing import NamedTuple

from crisps24.rules.exact import Exact
from crisps24.rules.operators import MINUS_PATTERN
from crisps24.rules.words import parse_value

# Characters of a claim.
_MAX_LENGTH = 200

WORDS = tomllib.loads((get_data(__package__, "words.toml") or b"").decode())
# The target in a claim.
_TARGET = rf"{MINUS_PATTERN}?[0-9]{{1,20}}(?:/[1-9][0-9]{{0,19}})?"


def _with_words(text: str) -> str:
    for name, words in (*WORDS["claims"].items(), ("target", _TARGET)):
        text = text.replace(f"<{name}>", words) if isinstance(words, str) else text
    return text


_CLAIMS = f"<introduction>(?:{'|'.join(WORDS['claims']['claims'])})"
_CLAIM = re.compile(_with_words(_CLAIMS), re.IGNORECASE)
_HAND_AT_END = re.compile(_with_words("(?:<with>)$"), re.IGNORECASE)


class Claim(NamedTuple):
    """A claim that a puzzle has no solution."""

    target: Exact | None
    """The target in the claim, None without one."""


def parse_claim(text: str) -> Claim | None:
    """Parse a whole text that says that a puzzle cannot be solved; return None for any other text.

    >>> parse_claim("So 24 cannot be made"), parse_claim("There is no solution")
    (Claim(target=24), Claim(target=None))
    >>> parse_claim("24 can be made") is None
    True
    """
    if len(text) > _MAX_LENGTH:
        return None
    words = " ".join(text.replace("’", "'").split())
    if words.startswith("\\text{") and words.endswith("}"):
        words = words.removeprefix("\\text{").removesuffix("}").strip().removesuffix(".")
    if not _CLAIM.fullmatch(words):
        return None
    # The numbers of the hand at the end, as in "24 cannot be made from 1 1 1 1", are not a target.
    target = re.search(_TARGET, _HAND_AT_END.sub("", words))
    return Claim(parse_value(target[0]) if target else None)
