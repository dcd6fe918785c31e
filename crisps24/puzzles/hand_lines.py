"""Reduce a line that a person wrote, `1) 3-3-8-8 = 24?`, to its hand and target, `3 3 8 8 -> 24`.

The patterns are tried in order, and each one removes or replaces a part of the line: suits, bullets
and numbering, borders of tables, words, arrows and separators. A line that no pattern changes stays
as it is. The parser of hands then accepts or refuses the result, so a pattern can be generous.
"""

import re

from crisps24.judging.columns import LIST_NAMES
from crisps24.rules.characters import normalise

_NUMBER = r"([-−]?\d+(?:[./]\d+)?)"
_HAND_WORD, _TARGET_WORD = (
    "(?:" + "|".join(sorted(map(re.escape, LIST_NAMES[kind]), reverse=True)) + ")"
    for kind in ("hand", "target")
)
_STEPS = [
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        # Suits, quotation marks, bold type, the borders of a table.
        ('[♠♥♦♣♤♡♢♧\ufe0e\ufe0f"“”„«»`]|\\*\\*', " "),
        (r"^[\s|]+|[\s|;,]+$", ""),
        # Bullets and numbering.
        (
            r"^(?:[-*•·‣▪–—+]\s+)?(?:\(?#?\d{1,4}[.)]\s+|#\d{1,4}:\s*|[a-z]\)\s+|[①-⑳]\s*|\d{1,4}、(?=[^、]+$))?",
            "",
        ),
        # A target behind an arrow, in brackets, with a word, or in another column.
        (rf"\s*(?:-+>|=+>|[→⇒➔➜⟶=])\s*\(?{_NUMBER}\s*[?.!。)]*$", r" -> \1"),
        (rf"[\s,;|(]+{_TARGET_WORD}\s*[:=]?\s*{_NUMBER}\)?\.?$", r" -> \1"),
        (rf"\s\({_NUMBER}\)$", r" -> \1"),
        (
            rf"^{_TARGET_WORD}\s*[:=]?\s*{_NUMBER}\s*(?:[:;,]|from|aus|avec|con|met)?\s+(.+)$",
            r"\2 -> \1",
        ),
        # The name of a line: `Karte 3:`, `Ann:`.
        (rf"^{_HAND_WORD}\s*#?\d{{0,4}}\s*[:.)]\s*|^[^\W\d][^:=\d]{{0,40}}:\s*", ""),
        (r"[\[\](){}]", " "),
        (
            rf"^(?:([^,;\t|>]+\s[^,;\t|>]+)[,;\t|]|([^;\t|>]+)[;\t|])\s*{_NUMBER}$",
            r"\1\2 -> \3",
        ),
    )
]
# A number before a hand, which can be its target or the number of the line.
_LABEL = re.compile(r"(\d{1,6})\s*[:=]\s*(.+)")
_SEPARATED = re.compile(r"\s*\w+\s*([-–—/+&.])\s*\w+(?:\s*\1\s*\w+)*\s*")
NUMBERS = re.compile(r"\w+")
_COMMENT = re.compile(r"#(?!\d{1,4}[:.)]).*|//.*")
_WORD = re.compile(r"[^\W\d_]{2}")
# Most numbers in a line of words that is no hand, such as `Page 3 of 4`.
_MAX_OTHER_NUMBERS = 2


def without_comment(line: str) -> str:
    return _COMMENT.sub("", line).strip() if "#" in line or "//" in line else line.strip()


def reduce_line(line: str) -> tuple[str, str]:
    """Return the hand and target of a line as `3 3 8 8 -> 24`, and the number before it or ""."""
    text = normalise(line)
    for pattern, replacement in _STEPS:
        text = pattern.sub(replacement, text)
    label, rest = match.groups() if (match := _LABEL.fullmatch(text)) else ("", text)
    hand, arrow, target = rest.partition(" -> ")
    if match := _SEPARATED.fullmatch(hand):
        hand = hand.replace(match[1], " ")
    return f"{hand}{arrow}{target}", label


def is_without_hand(line: str) -> bool:
    """Return whether a line that is no hand is a title or a page number, not a wrong hand."""
    words = line.split()
    numbers = sum(not _WORD.search(word) and any(map(str.isdigit, word)) for word in words)
    others = sum(bool(_WORD.search(word)) for word in words)
    if not others:
        return re.fullmatch(r"\W*\d{0,3}\W*", line) is not None
    return numbers <= max(_MAX_OTHER_NUMBERS, others)
