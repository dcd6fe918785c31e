"""Numbers, hands, ranges and operators as people write them: a reader and a writer of each."""

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby, islice
from numbers import Integral

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import Count, message
from crisps24.rules.characters import normalise
from crisps24.rules.exact import Exact, int_if_whole, to_exact
from crisps24.rules.operators import MINUS_PATTERN, all_operators, operator_by_name

# A span of numbers or targets beyond this is a slip of the pen, not a wish.
MAX_RANGE_LENGTH = 1_000_000

_VALUE = re.compile(rf"({MINUS_PATTERN}?)\s*((?:[0-9]+(?:[/∕⁄]0*[1-9][0-9]*)?|[0-9]*\.[0-9]+))")
_RANGE = re.compile(rf"({MINUS_PATTERN}?)([0-9]{{1,30}})(?:\.\.({MINUS_PATTERN}?)([0-9]{{1,30}}))?")
_LIKE_A_RANGE = re.compile(r"([0-9]{1,9})\s*([-–—,])\s*([0-9]{1,9})")


def parse_value(text: str) -> Exact:
    """Read an exact value: an integer, a fraction `3/4` or a decimal `-0.475`.

    >>> parse_value("143"), parse_value("6/8"), parse_value("-0.475")
    (143, Fraction(3, 4), Fraction(-19, 40))

    Raises ValueError for anything else, and for more than 100 characters.
    """
    if text.isascii() and text.isdecimal() and len(text) <= 100:
        return int(text)
    found = _VALUE.fullmatch(normalise(text)) if len(text) <= 100 else None
    if found is None:
        raise RefusedError(message("formula.target_no_number", word=quoted(text)))
    sign, size = found.groups()
    value = int_if_whole(Fraction(re.sub("[∕⁄]", "/", size)))
    return -value if sign else value


def to_bounds(within: Sequence[Exact] | None) -> tuple[Exact, Exact] | None:
    """Return the first value and the last of those that are asked for, None for all.

    >>> to_bounds((0, Fraction(2, 4)))
    (0, Fraction(1, 2))

    Raises ValueError where they are not two, or run downwards, TypeError for what is not exact.
    """
    if within is None:
        return None
    if not isinstance(within, tuple | list) or len(within) != 2:
        raise RefusedError(f"{quoted(within)} is no first and last value: (0, 100) is")
    first, last = map(to_exact, within)
    if last < first:
        told = f"{format_value(first)} to {format_value(last)}"
        raise RefusedError(f"the values from {told} run downwards")
    return first, last


def to_range(targets: range | Sequence[int] | int, whose: str) -> range:
    """Return targets that a caller gives as a range, which may be empty.

    >>> to_range(24, "a survey"), to_range([1, 2, 3], "a survey")
    (range(24, 25), range(1, 4))

    Raises ValueError, in one sentence, where they are too many, others than whole ones, or have
    gaps; TypeError for what has none.
    """
    if not isinstance(targets, range):
        some = [targets] if isinstance(targets, Integral | int) else targets
        if not isinstance(some, Iterable):
            raise KindError(f"{quoted(targets)} is no range of targets: range(1, 101) is")
        first, count = 0, 0
        for count, target in enumerate(islice(some, MAX_RANGE_LENGTH + 1), 1):
            if not isinstance(target, int | Integral):
                raise RefusedError(f"{quoted(target)} is not a whole number")
            first = int(to_exact(target)) if count == 1 else first
            if target != first + count - 1:
                raise RefusedError(f"the targets of {whose} are a range without gaps")
        targets = range(first, first + count)
    if not targets:
        return range(0)
    first, last = sorted((int(to_exact(targets[0])), int(to_exact(targets[-1]))))
    # Of a range with gaps all between its ends are counted: it is refused either way.
    if (count := last + 1 - first) > MAX_RANGE_LENGTH:
        raise RefusedError(f"{whose} has at most {MAX_RANGE_LENGTH:,} targets, not {count:,}")
    if targets != range(first, last + 1):
        raise RefusedError(f"the targets of {whose} are a range without gaps")
    return range(first, last + 1)


def to_values(values: Iterable[Exact]) -> set[Exact]:
    """Return the values that a caller names, each once.

    >>> sorted(to_values([3, 2, 3]))
    [2, 3]

    Raises ValueError for too many; TypeError for what has none, and for what is not exact.
    """
    if not isinstance(values, Iterable):
        raise KindError(f"{quoted(values)} has no values: [23, 24] has")
    # What is given may have no end; of a range it is known before anything is looked at.
    ranged = isinstance(values, range) and values[MAX_RANGE_LENGTH:]
    some = [] if ranged else [to_exact(value) for value in islice(values, MAX_RANGE_LENGTH + 1)]
    if ranged or len(some) > MAX_RANGE_LENGTH:
        raise RefusedError(f"at most {MAX_RANGE_LENGTH:,} values can be named, and these are more")
    return set(some)


def format_value(value: Exact) -> str:
    """Write a value for a sentence; one too long to read is named by its size.

    >>> format_value(Fraction(3, 4)), format_value(10**5000)
    ('3/4', 'a number of about 5001 digits')
    """
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits < 256:
        return str(int_if_whole(value))
    return f"a number of about {bits * 30103 // 100000 + 1} digits"


def format_time(seconds: float) -> str:
    """Write seconds as people read a clock.

    >>> format_time(41.2), format_time(125)
    ('0:41', '2:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


def parse_range(text: str) -> range:
    """Read `7` or the inclusive range `0..100`.

    >>> parse_range("0..100")
    range(0, 101)

    Raises ValueError for anything else, a range that runs downwards, and one of more than
    a million values.
    """
    told = normalise(text).strip()
    ends = _RANGE.fullmatch(told)
    if ends is None:
        if meant := suggest_range(told):
            raise RefusedError(message("refused.range_meant", text=quoted(text), meant=meant))
        raise RefusedError(message("refused.range", text=quoted(text)))
    below, least, beneath, most = ends.groups()
    first = -int(least) if below else int(least)
    last = first if most is None else -int(most) if beneath else int(most)
    if last < first:
        raise RefusedError(message("refused.range_down", range=told, meant=f"{last}..{first}"))
    if last - first >= MAX_RANGE_LENGTH:
        raise RefusedError(message("refused.range_long", range=told, most=Count(MAX_RANGE_LENGTH)))
    return range(first, last + 1)


def suggest_range(text: str) -> str:
    """Return the range that a text with - or a comma can mean, "" if there is none.

    >>> suggest_range("24-30"), suggest_range("24,25"), suggest_range("24,30")
    ('24..30', '24..25', '')
    """
    found = _LIKE_A_RANGE.fullmatch(normalise(text).strip())
    if found is None:
        return ""
    first, sign, last = int(found[1]), found[2], int(found[3])
    meant = last == first + 1 if sign == "," else last > first
    return f"{first}..{last}" if meant else ""


def format_range(span: range) -> str:
    """Write a range as `parse_range` reads it.

    >>> format_range(range(0, 101)), format_range(range(7, 8))
    ('0..100', '7')
    """
    return f"{span[0]}..{span[-1]}" if len(span) > 1 else f"{span[0]}"


def parse_numbers(text: str) -> tuple[int, ...]:
    """Read the numbers of a game: `1..9`, `1,2,5,10` or `1..10+25+50`.

    >>> parse_numbers("1..4,25,50")
    (1, 2, 3, 4, 25, 50)

    Raises ValueError where a part is no number and no range, or there are over 1,000 numbers.
    """
    ranges = [parse_range(part) for part in re.split("[,、+]", normalise(text))]
    if sum(map(len, ranges)) > 1000:
        shown = quoted(" ".join(text.split()))
        raise RefusedError(message("refused.numbers_many", text=shown, most=Count(1000)))
    return tuple(number for part in ranges for number in part)


def parse_limit(text: str) -> int | None:
    """Read a limit: a whole number from 1, or `none` for no limit.

    >>> parse_limit("2,000"), parse_limit("none")
    (2000, None)

    Raises ValueError for anything else.
    """
    text = normalise(text)
    if text.lower() == "none":
        return None
    if not re.fullmatch(r"0*[1-9][0-9,_]{0,29}", text):
        raise RefusedError(message("refused.limit", text=quoted(text)))
    return int(text.replace(",", ""))


def format_limit(limit: int | None) -> str:
    """Write a limit as `parse_limit` reads it.

    >>> format_limit(2000), format_limit(None)
    ('2,000', 'none')
    """
    return "none" if limit is None else f"{limit:,}"


def format_numbers(numbers: Sequence[int]) -> str:
    """Write numbers as `parse_numbers` reads them, runs of three and more as ranges.

    >>> format_numbers((1, 2, 3, 4, 25, 50))
    '1..4,25,50'
    """
    # In a run the difference of number and position is constant.
    runs = groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    parts = [[number for _, number in run] for _, run in runs]
    return ",".join(
        f"{part[0]}..{part[-1]}" if len(part) > 2 else ",".join(map(str, part)) for part in parts
    )


def parse_operators(text: str) -> tuple[str, ...]:
    """Read which operators a game has, in any spelling, apart or together.

    >>> parse_operators("+-"), parse_operators("× ÷")
    (('+', '-'), ('x', ':'))

    Raises ValueError where something else is among them, or nothing is there.
    """
    spelled = {
        spelling: name
        for name, operator in all_operators().items()
        for spelling in operator.spellings
        if not operator.joins
    }
    sign = "|".join(map(re.escape, sorted(spelled, key=len, reverse=True)))
    known = format_operators(all_operators())
    rest, found = re.sub("[,、]", " ", normalise(text)).strip(), []
    while rest:
        next_one = re.match(sign, rest)
        if next_one is None:
            raise RefusedError(message("refused.operator", text=quoted(rest[:20]), known=known))
        found.append(spelled[next_one[0]])
        rest = rest[next_one.end() :].lstrip()
    if not found:
        raise RefusedError(message("refused.operator_none", known=known))
    return tuple(dict.fromkeys(found))


def format_operators(names: Iterable[str]) -> str:
    """Write operators as `parse_operators` reads them; that which joins digits is none of them.

    >>> format_operators(("-", "+"))
    '- +'
    """
    return " ".join(name for name in names if not operator_by_name(name).joins)
