"""Result lines of the offline player, found in any text: a chat, mails, several files in a row.

A line is `crisps24 Class 5b · Emil · 7 of 10 solved · 3K7…`, in any language of the player, and
without its code in files of earlier versions. The code has digits of base 29, whose signs are hard
to confuse: three that name the page, one for each puzzle up to the last that was played, and two
check digits. The digit of a puzzle is 0: not played, 1: solution shown, or 2 + 9 x kind + time, by
`END_KINDS` and `SECONDS`.

Two sums start at 1, and end at 1 modulo 29: one adds each digit, the other doubles before it adds.
29 is prime, so one wrong digit changes the first sum, and two swapped neighbours the second. Two
wrong digits of a code with at most 28 change one of them. `results.js` writes the codes.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice, pairwise, zip_longest
from operator import attrgetter
from typing import Any, NamedTuple

from crisps24.errors import RefusedError
from crisps24.messages.languages import LANGUAGES
from crisps24.messages.message import Message, message
from crisps24.rules.characters import compose_accents
from crisps24.rules.ids import is_id, parse_id

CODE_DIGITS = "23456789ABCDEFGHJKMNPQRSTVWXY"
END_KINDS = ("right", "hinted", "closest")
SECONDS = ("", "15", "30", "60", "120", "180", "300", "600", ">600")
"""The times of a code: unknown, at most so many seconds, or more."""
_TAG_LENGTH, _CHECK_LENGTH = 3, 2
# Characters of a line up to its code, and parts of a code on several lines.
_MAX_LINE_LENGTH, _MAX_PARTS = 800, 40
_MAX_SHOWN = 80
# Lines or names of one sentence, and puzzles of a page.
_MAX_NAMED, _MAX_PUZZLES = 20, 1_000
_DATA = re.compile(rb'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
_START = re.compile("crisps24", re.IGNORECASE)
_DOT = r"\s{0,9}[·•∙⋅・]\s{0,9}"
# Clauses behind the number of solved puzzles, then the code.
_BEFORE_CODE = re.compile(rf"[^·•∙⋅・]{{0,100}}?{_DOT}(?=[0-9A-Za-z])")
_CODE_PART = re.compile(r"[\s-]*([0-9A-Za-z]+)")
# The marks around names in scripts that run from right to left, and the signs of a quoted mail.
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]|(?<=\n)[> \t]+")


class Played(NamedTuple):
    """How a puzzle ended: one of `END_KINDS` or `shown`; `time` is an index of `SECONDS`."""

    kind: str
    time: int = 0

    @property
    def is_solved(self) -> bool:
        return self.kind in END_KINDS

    @property
    def rank(self) -> tuple[int, int]:
        """The better of two attempts has the lower rank."""
        return (*END_KINDS, "shown").index(self.kind), self.time or len(SECONDS)


class PhonePage(NamedTuple):
    """What the file of `page` says of its puzzles: their ids, or their rows with missing signs."""

    tag: str
    title: str
    puzzles: tuple[str, ...]


class Pupil(NamedTuple):
    name: str
    played: tuple[Played | None, ...]
    """Each puzzle up to the last that was played."""
    solved: int
    """The number of solved puzzles, which a line without a code also has."""


class PhoneResults(NamedTuple):
    """The results of a class; the puzzles are those of the page, or else 1, 2, 3."""

    puzzles: tuple[str, ...]
    pupils: tuple[Pupil, ...]
    damaged: tuple[Message, ...]
    """A sentence for each line that was not counted since it is damaged, or no result."""
    notes: tuple[Message, ...]
    """Which lines are of other pages, and which have no code."""

    def hardest(self) -> list[int]:
        """Return the indexes of the puzzles, first the one that fewest solved without hints."""

        def ease(index: int) -> tuple[float, float, float]:
            played = self.played(index)
            solved = [each for each in played if each.is_solved]
            unaided = sum(each.kind != "hinted" for each in solved)
            count = len(played) or 0.5
            times = sum(each.time for each in solved) / (len(solved) or 1)
            return unaided / count, len(solved) / count, -times

        return sorted(range(len(self.puzzles)), key=lambda i: (not self.played(i), ease(i)))

    def played(self, index: int) -> list[Played]:
        """Return how a puzzle ended for each pupil who played it."""
        ends = (pupil.played[index : index + 1] for pupil in self.pupils)
        return [end[0] for end in ends if end and end[0]]


class _Line(NamedTuple):
    number: int
    name: str
    solved: int
    puzzles: int
    tag: str = ""
    played: tuple[Played | None, ...] = ()


def page_tag(game: str, puzzles: Sequence[Mapping[str, Any]]) -> str:
    """Return the digits that name a page by its puzzles, which are records of the player."""
    text = json.dumps([game, *(each["id"] or each["row"] for each in puzzles)])
    number = int(sha256(text.encode()).hexdigest(), 16)
    return "".join(CODE_DIGITS[number // 29**place % 29] for place in range(_TAG_LENGTH))


def read_phone_page(data: bytes) -> PhonePage:
    """Return the page that a file of `page` plays; raise RefusedError for another file."""
    try:
        found = _DATA.search(data)
        record = json.loads(found[1] if found else b"")
        records, game, title = record["puzzles"], record["game"]["name"], record["title"]
        rows = [" ".join(sign or "_" for sign in each.get("row", ())) for each in records]
        names = [each["id"] or row for each, row in zip(records, rows, strict=True)]
        for name in filter(is_id, names):
            parse_id(name)
        page = PhonePage(page_tag(game, records), title, tuple(names))
        is_of_days = bool(record["first"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise RefusedError(message("phones.no_page")) from None
    if is_of_days:
        raise RefusedError(message("phones.days"))
    return page


def read_code(code: str) -> tuple[str, tuple[Played | None, ...]] | None:
    """Return the tag of a code and how each puzzle ended, or None for a damaged code."""
    digits = [CODE_DIGITS.find(sign) for sign in code.upper()]
    last = first = 1
    for digit in digits:
        last, first = (2 * last + digit) % 29, (first + digit) % 29
    if (last, first) != (1, 1) or len(digits) < _TAG_LENGTH + _CHECK_LENGTH or -1 in digits:
        return None
    ends = map(_end_of, digits[_TAG_LENGTH:-_CHECK_LENGTH])
    return code.upper()[:_TAG_LENGTH], tuple(ends)


def _end_of(digit: int) -> Played | None:
    if digit < 2:
        return Played("shown") if digit else None
    kind, time = divmod(digit - 2, len(SECONDS))
    return Played(END_KINDS[kind], time)


def has_phone_results(text: str) -> bool:
    """Return whether a text has a result line of a page of puzzles, or one that is damaged."""
    patterns = _count_patterns() if _START.search(text) else []
    return any(_count_in(written, patterns) for _, written in _segments(text))


def read_phone_results(text: str, page: PhonePage | None = None) -> PhoneResults:
    """Return the results of the lines in a text; without a page, of the one with most lines.

    A name has the best of its attempts at each puzzle. Raise RefusedError without any line.
    """
    lines, damaged = list[_Line](), list[Message]()
    for line in _lines_in(text):
        if isinstance(line, _Line):
            lines.append(line)
        else:
            damaged.append(line)
    if not lines and not damaged:
        raise RefusedError(message("phones.nothing"))
    tags = Counter(line.tag for line in lines if line.tag)
    tag = page.tag if page else max(tags, key=lambda each: tags[each], default="")
    counts = {len(page.puzzles)} if page else {line.puzzles for line in lines if line.tag == tag}
    own, others = list[_Line](), list[int]()
    for line in lines:
        if line.tag in ("", tag) and line.puzzles in counts:
            own.append(line)
        else:
            others.append(line.number)
    uncoded = [line.number for line in own if not line.tag]
    notes = [
        message(key, count=len(numbers), lines=_shortened(map(str, numbers)))
        for key, numbers in (("phones.other", others), ("phones.no_code", uncoded))
        if numbers
    ]
    pupils, differing = dict[object, Pupil](), dict[str, None]()
    for place, line in enumerate(own):
        # Two people without a name can have the same number of solved puzzles, but hardly one code.
        person = (line.name.casefold() or line.played) if line.tag else place
        old = pupils[person].played if person in pupils else ()
        pairs = [{end for end in pair if end} for pair in zip_longest(old, line.played)]
        if any(len(pair) > 1 for pair in pairs):
            differing[line.name] = None
        played = tuple(min(pair, key=attrgetter("rank"), default=None) for pair in pairs)
        solved = _count_solved(played) if line.tag else line.solved
        pupils[person] = Pupil(line.name, played, solved)
    if differing:
        notes.append(message("phones.several", names=_shortened(differing)))
    puzzles = page.puzzles if page else tuple(map(str, range(1, max(counts, default=0) + 1)))
    return PhoneResults(puzzles, tuple(pupils.values()), tuple(damaged), tuple(notes))


def _shortened(names: Iterable[str]) -> str:
    *some, last = islice(names, _MAX_NAMED + 1)
    return ", ".join([*some, last if len(some) < _MAX_NAMED else "…"])


def _count_solved(ends: Sequence[Played | None]) -> int:
    return sum(end is not None and end.is_solved for end in ends)


def _lines_in(text: str) -> Iterator[_Line | Message]:
    patterns = _count_patterns()
    for number, written in _segments(text):
        match = _count_in(written, patterns)
        line = match and _line_of(written, number, match)
        if match or re.match(rf"[^\n]{{0,{_MAX_SHOWN}}}{_DOT}", written):
            shown = written[:_MAX_SHOWN].partition("\n")[0].strip()
            yield line or message("phones.damaged", number=number, text=shown)


def _segments(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number of each line that has the name of the program, and the text behind it."""
    text = _INVISIBLE.sub("", compose_accents(text.replace("\r\n", "\n").replace("\r", "\n")))
    places = [*(match.span() for match in _START.finditer(text)), (len(text), 0)]
    number, counted = 1, 0
    for (start, head_end), (end, _) in pairwise(places):
        number += text.count("\n", counted, start)
        counted = start
        yield number, text[head_end:end]


def _count_in(written: str, patterns: Sequence["re.Pattern[str]"]) -> "re.Match[str] | None":
    """Return the first place that counts the solved puzzles."""
    head = written[:_MAX_LINE_LENGTH]
    found = [match for pattern in patterns if (match := pattern.search(head))]
    return min(found, key=re.Match.start, default=None)


def _line_of(written: str, number: int, match: "re.Match[str]") -> _Line | None:
    """Return a line by the place that counts the solved puzzles; None if it is damaged."""
    title, *names = re.split(_DOT, written[: match.start()])
    if not names or names.pop():
        return None
    name = " ".join(" ".join(names).split())
    solved, puzzles = (int(re.sub(r"\D", "", match[each])) for each in ("count", "puzzles"))
    if puzzles > _MAX_PUZZLES:
        return None
    before = _BEFORE_CODE.match(written, match.end())
    if not before:
        # An earlier version had the title where the name is now.
        return _Line(number, name if title.strip() else "", solved, puzzles)
    code, at = "", before.end()
    for _ in range(_MAX_PARTS):
        if not (part := _CODE_PART.match(written, at)):
            break
        code, at = code + part[1], part.end()
        if (
            (read := read_code(code))
            and len(read[1]) <= puzzles
            and _count_solved(read[1]) == solved
        ):
            return _Line(number, name, solved, puzzles, *read)
    return None


def _count_patterns() -> list["re.Pattern[str]"]:
    """Return how the player counts the solved puzzles, in each language."""
    forms = [language.texts["file.solved"] for language in LANGUAGES.values()]
    texts = {
        text for form in forms for text in ([form] if isinstance(form, str) else form.values())
    }
    written = (r"\s+".join(map(re.escape, text.split())) for text in sorted(texts))
    number = r"(?P<\1>[0-9]{1,4}(?:[.,’\\s][0-9]{3})?)"
    return [re.compile(re.sub(r"\\{(\w+)\\}", number, text)) for text in written]
