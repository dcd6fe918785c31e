"""The sentences of the pages, in the language of the reader.

What is wrong with an answer or a hand is a message of the library, in English.
"""

from collections.abc import Mapping
from types import MappingProxyType

from crisps24.messages.english import ENGLISH
from crisps24.messages.records import Language, Words
from crisps24.rules.rules import RULES

# Rules of games in forms, as their records call them.
_LABELS = {f"field_{rule.word}": rule.label for rule in RULES.values() if rule.label}
# What may be typed, the same in every language.
_LIKE = {
    "like_hand": "4 3 8 4",
    "like_target": "24",
    "like_targets": "20..30",
    "like_level": "2..4",
    "like_solutions": "1..3",
    "like_large": "2",
    "like_seed": "7",
    "like_count": "12",
    "like_card": "4 3 8 4",
    "like_puzzle": "cards:3.3.8.8=24",
    **{f"like_{rule.word}": rule.like for rule in RULES.values() if rule.like},
}
# The names of all that is said.
SENTENCES: Mapping[str, Words] = MappingProxyType({**ENGLISH.pages, **_LABELS, **_LIKE})


def say(
    name: str, count: int | None = None, /, language: Language = ENGLISH, **words: object
) -> str:
    """Return a sentence with words put in, of one thing or of several.

    >>> say("solve_count", 1), say("solve_count", 1234)
    ('1 solution', '1,234 solutions')
    """
    if name in _LABELS:
        return language.phrase(_LABELS[name])
    if name in _LIKE:
        return _LIKE[name]
    return language.tell(language.pages[name], count, **words)
