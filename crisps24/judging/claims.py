"""Claims that a puzzle has no solution, in the words of people and models, in many languages.

A claim is recognised by one regular expression, whose parts are built here: "So 24 cannot be made
with these numbers" is a claim about the target 24.
"""

import re
from typing import NamedTuple

from crisps24.rules.exact import Exact
from crisps24.rules.operators import MINUS_PATTERN
from crisps24.rules.words import parse_value

# Characters of a claim.
_MAX_LENGTH = 200

# The target in a claim.
_TARGET = rf"{MINUS_PATTERN}?[0-9]{{1,20}}(?:/[1-9][0-9]{{0,19}})?"
_MAKE = "(?:make|reach|form|get|obtain)"
_MADE = "(?:made|reached|formed|obtained|solved|done)"
_WHO = "(?:i |we |you |one |these numbers |this hand |it |this )?"
# At least two numbers of the hand.
_NUMBERS = r"(?:,? (?:and |& )?[0-9]{1,20}){2,}+"
_WITH = (
    "(?: (?:with|from|using|for|of)"
    "(?: (?:these|those|the|the given|all)(?: four)? (?:numbers|cards)"
    f"|(?: the)?(?: numbers| cards)?{_NUMBERS}))?"
)
_PUZZLE = "(?:it|this|that|the puzzle|this puzzle|the hand|this hand)"
_INTRODUCTION = (
    "(?:(?:so|thus|therefore|hence|actually|unfortunately|sorry),? )?"
    "(?:(?:my|the)(?: final)? answer is (?:that )?)?"
)
# Claims in lower case.
_CLAIMS = (
    f"(?:(?:there (?:is |are )|there's |{_PUZZLE} has )?no"
    "|there (?:isn't|is not|aren't|are not) (?:any|a)) (?:valid |possible )?"
    "(?:solutions?|way|answers?|expressions?)(?: exists?| (?:is )?possible)?"
    f"(?: for (?:it|this|{_TARGET})| to {_MAKE} (?:it|{_TARGET}))?{_WITH}",
    f"(?:{_PUZZLE} is |it's |that's )?"
    "(?:impossible|not possible|unsolvable|not solvable)"
    f"(?: to (?:solve|{_MAKE} (?:it|{_TARGET})))?{_WITH}",
    f"{_WHO}(?:cannot|can't|can not) {_MAKE} (?:it|{_TARGET}){_WITH}",
    f"(?:{_WHO}|{_TARGET} )(?:cannot|can't|can not) be {_MADE}{_WITH}",
    f"{_TARGET} is (?:impossible|not possible|unreachable)",
    f"无解|無解|没有解|沒有解|没有答案|无法得到 ?{_TARGET}|不可能",
    "解なし|해가 없다|해가 없음|불가능",
    "(?:es gibt )?keine lösung|nicht lösbar|unlösbar|unmöglich|nicht möglich|geht nicht",
    "(?:er is )?geen oplossing|onmogelijk|niet mogelijk|(?:il n'y a )?(?:pas de|aucune) solution",
    "(?:sin|no hay|no tiene) solución|imposible|nessuna soluzione|non c'è soluzione|impossibile",
    "(?:sem|não há|não tem) solução|impossível|нет решени[яй]|решени[яй] нет|невозможно",
)
# The pattern of any claim.
CLAIM_PATTERN = f"{_INTRODUCTION}(?:{'|'.join(_CLAIMS)})"
_CLAIM = re.compile(CLAIM_PATTERN, re.IGNORECASE)
_HAND_AT_END = re.compile(f"{_WITH[:-1]}$", re.IGNORECASE)


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
