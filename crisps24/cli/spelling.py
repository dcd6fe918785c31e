"""One spelling of what people type, and the table of what their words mean.

`{3,3}` is `3,3`, `-target` and `target:` are `--target`, `30s` is `--seconds 30`, `no brackets` is
`no-brackets`, and a queen is Q.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from itertools import chain
from pkgutil import get_data

from crisps24.rules.characters import normalise

TABLE = tomllib.loads((get_data(__package__, "meanings.toml") or b"").decode())
WORDS = {kind: {*words.split()} for kind, words in TABLE["words"].items()}
OPTIONS = {meaning: {*words.split()} for meaning, words in TABLE["options"].items()}
STARTS = {word: start for start, words in TABLE["commands"].items() for word in words.split()}
# Meanings of several words.
_PHRASES = {word for word in chain(STARTS, *OPTIONS.values()) if "-" in word}
# How people write a hand, an option, a large number and a list of operators.
_SPELLINGS = (
    (re.compile(r"^[\[{(]([-\d\s,]+)[\]})]$"), r"\1"),
    (re.compile(r"^-(?=[a-z]{3})|^(?=[^\W\d_]+=)"), "--"),
    (re.compile(r"(?<==)(\d{1,3}),(?=000$)"), r"\1"),
    (re.compile(r"^[\[{](\d+),?$|^(\d+)[\]}],?$"), r"\1\2"),
    (re.compile(r"(?<=\w)\?+$|(?<=[a-z]{2})[:,]$"), ""),
    (re.compile(r"(?<=[-+*/x:^!]),(?=[-+*/x:^!])"), ""),
    (re.compile(r"^([a-z]+):(?=\d)"), r"--\1="),
    (re.compile(r"^(\d+)[道题題個个]$|^:(\d+)$"), r"\1\2"),
)
_CARD_NAMES = {"ace": "A", "jack": "J", "queen": "Q", "king": "K"}
_NUMBER_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_NUMBERS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS, 1)}


def spell(words: Sequence[str]) -> list[str]:
    """Return words with one spelling of hands, options and numbers: `{3,3}` is `3,3`."""
    [first, *rest] = [normalise(word) for word in words if word not in ("", "--")] or ["?"]
    for pattern, spelling in _SPELLINGS:
        rest = [pattern.sub(spelling, word) for word in rest]
    hand, plain_hand = _SPELLINGS[0]
    joined = _join([hand.sub(plain_hand, first).rstrip("?"), *rest])
    [first, *rest] = [_NUMBERS.get(word, word) for word in joined]
    spelt = [first]
    for word in rest:
        is_value = spelt[-1].startswith("-")
        if spelt[-1] in WORDS["no"] and (meant := [m for m, w in OPTIONS.items() if word in w]):
            negations = {f"--no-{meaning[2:]}" for meaning in meant}.intersection(OPTIONS)
            spelt[-1] = f"no-{word}"
            if negations:
                spelt[-1] = min(OPTIONS[min(negations)])
        elif word in ("minute", "minutes") and spelt[-1].isdigit():
            spelt[-1:] = ["--seconds", str(60 * int(spelt[-1]))]
        elif seconds := re.fullmatch(r"(\d+)s(?:ec)?", word):
            spelt += [seconds[1]] if is_value else ["--seconds", seconds[1]]
        elif (ends := re.fullmatch(r"(\d+):(\d+)", word)) and int(ends[1]) < int(ends[2]):
            spelt.append(f"{ends[1]}..{ends[2]}")
        else:
            spelt.append(_CARD_NAMES.get(word, word))
    spelt[0] = re.sub("(?<=[a-z]{2}):$", "", spelt[0])
    return spelt


def _join(words: list[str]) -> list[str]:
    """Join up to four words that have one meaning: `without division` or `puzzle of the day`."""
    joined = list[str]()
    while words:
        sizes = (size for size in range(4, 1, -1) if "-".join(words[:size]) in _PHRASES)
        size = next(sizes, 1)
        joined.append("-".join(words[:size]))
        words = words[size:]
    return joined


def has_any(words: Iterable[str], kind: str) -> bool:
    """Return whether any of some words, also as an option, is of a kind."""
    return not WORDS[kind].isdisjoint(word.casefold().lstrip("-") for word in words)


def similar(typed: str, names: Collection[str], cutoff: float = 0.8) -> str:
    """Return the name that differs by a letter or two, or ""."""
    plain, typed = {name.lstrip("-"): name for name in names}, typed.lstrip("-")[:40]
    return next((plain[name] for name in get_close_matches(typed, plain, 1, cutoff)), "")
