"""Reduce lines that people write to a hand and its target: `1) 3-3-8-8 = 24?` to `3 3 8 8 -> 24`.

The steps of `judging/lists.toml` remove or replace parts of a line, in order. They can be generous,
since the parser of hands accepts or refuses the result.
"""

import re

from crisps24.judging.columns import list_names, lists
from crisps24.rules.characters import normalise

_NAMES = {kind: f"(?:{'|'.join(map(re.escape, list_names(kind)))})" for kind in lists()["names"]}
_NAMES["number"] = r"([-−]?\d+(?:[./]\d+)?)"
_STEPS = [
    (re.compile(re.sub(r"\{([a-z]+)\}", lambda name: _NAMES[name[1]], pattern), re.I), new)
    for pattern, new in lists()["lines"]["steps"]
]
# Numbers with the same sign between them.
_SEPARATED = re.compile(r"\s*\w+\s*([-–—/+&.])\s*\w+(?:\s*\1\s*\w+)*\s*(?= ->|$)")
# A number before a hand, which can be its target or that of the line.
LINE_LABEL = re.compile(r"\W*(\d{1,6})\s*[:：]")
_COMMENT = re.compile(r"#(?!\d{1,4}[:.)]).*|//.*")
_WORD = re.compile(r"[^\W\d_]{2}")


def without_comment(line: str) -> str:
    return _COMMENT.sub("", line).strip() if "#" in line or "//" in line else line.strip()


def reduce_line(line: str) -> str:
    """Return the hand and target of a line as `3 3 8 8 -> 24`."""
    text = normalise(line)
    for pattern, new in _STEPS:
        text = pattern.sub(new, text)
    if match := _SEPARATED.match(text):
        text = match[0].replace(match[1], " ") + text[match.end() :]
    return text


def is_without_hand(line: str) -> bool:
    """Return whether a line that cannot be read is a title or the number of a page."""
    if re.search("[={]|->", line):
        return False
    words = [word for word in line.split() if _WORD.search(word)]
    numbers = [word for word in line.split() if word not in words and re.search(r"\d", word)]
    if not words:
        return re.fullmatch(r"\W*\d{0,3}\W*", line) is not None
    # One small word is a slip.
    is_title = len(words) > 1 or not line[:1].islower()
    return is_title and len(numbers) <= max(2, len(words))
