"""Claims that there is no solution, in the words of people and models, in several languages."""

import re
from typing import NamedTuple

from crisps24.rules.exact import Exact
from crisps24.rules.operators import MINUS_PATTERN
from crisps24.rules.words import parse_value

_LONGEST = 200

# A target that a claim may name, and what may have been tried.
_NAMED = rf"{MINUS_PATTERN}?[0-9]{{1,20}}(?:/[1-9][0-9]{{0,19}})?"
_MAKE, _MADE = "(?:make|reach|form|get|obtain)", "(?:made|reached|formed|obtained|solved|done)"
_WHO = "(?:i |we |you |one |these numbers |this hand |it |this )?"
# The numbers that it may say so of, of which there are several.
_OF = r"(?:,? (?:and |& )?[0-9]{1,20}){2,}+"
_WITH = (
    "(?: (?:with|from|using|for|of)"
    "(?: (?:these|those|the|the given|all)(?: four)? (?:numbers|cards)"
    f"|(?: the)?(?: numbers| cards)?{_OF}))?"
)
_ONE = "(?:it|this|that|the puzzle|this puzzle|the hand|this hand)"
_THEN = (
    "(?:(?:so|thus|therefore|hence|actually|unfortunately|sorry),? )?"
    "(?:(?:my|the)(?: final)? answer is (?:that )?)?"
)
# Claims that there is no solution, in small letters.
_CLAIMS = (
    f"(?:(?:there (?:is |are )|there's |{_ONE} has )?no"
    "|there (?:isn't|is not|aren't|are not) (?:any|a)) (?:valid |possible )?"
    "(?:solutions?|way|answers?|expressions?)(?: exists?| (?:is )?possible)?"
    f"(?: for (?:it|this|{_NAMED})| to {_MAKE} (?:it|{_NAMED}))?{_WITH}",
    f"(?:{_ONE} is |it's |that's )?"
    "(?:impossible|not possible|unsolvable|not solvable)"
    f"(?: to (?:solve|{_MAKE} (?:it|{_NAMED})))?{_WITH}",
    f"{_WHO}(?:cannot|can't|can not) {_MAKE} (?:it|{_NAMED}){_WITH}",
    f"(?:{_WHO}|{_NAMED} )(?:cannot|can't|can not) be {_MADE}{_WITH}",
    f"{_NAMED} is (?:impossible|not possible|unreachable)",
    f"无解|無解|没有解|沒有解|没有答案|无法得到 ?{_NAMED}|不可能|解なし|해가 없다|해가 없음|불가능",
    "(?:es gibt )?keine lösung|nicht lösbar|unlösbar|unmöglich|nicht möglich|geht nicht",
    "(?:er is )?geen oplossing|onmogelijk|niet mogelijk|(?:il n'y a )?(?:pas de|aucune) solution",
    "(?:sin|no hay|no tiene) solución|imposible|nessuna soluzione|non c'è soluzione|impossibile",
    "(?:sem|não há|não tem) solução|impossível|нет решени[яй]|решени[яй] нет|невозможно",
)
# The pattern of any of them.
CLAIM = f"{_THEN}(?:{'|'.join(_CLAIMS)})"
_CLAIM = re.compile(CLAIM, re.IGNORECASE)
_HAND = re.compile(f"{_WITH[:-1]}$", re.IGNORECASE)


class Claim(NamedTuple):
    """A claim that there is no solution."""

    target: Exact | None
    """The target that it names, if it names one."""


def claim_of(text: str) -> Claim | None:
    """Return the claim that a text is, if all of it is one.

    >>> claim_of("So 24 cannot be made."), claim_of("So 24 cannot be made")
    (None, Claim(target=24))
    """
    if len(text) > _LONGEST:
        return None
    words = " ".join(text.replace("’", "'").split())
    if words.startswith("\\text{") and words.endswith("}"):
        words = words[6:-1].strip().removesuffix(".")
    if not _CLAIM.fullmatch(words):
        return None
    named = re.search(_NAMED, _HAND.sub("", words))
    return Claim(parse_value(named[0]) if named else None)
