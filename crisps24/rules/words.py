"""Numbers, hands, ranges and operators as people write them: a reader and a writer of each."""

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby, islice
from numbers import Integral

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import Count, message
from crisps24.rules.characters import plain
from crisps24.rules.exact import Exact, exact, simplest
from crisps24.rules.operators import BELOW_ZERO, every_operator, operator_named

# A span of numbers or targets beyond this is a slip of the pen, not a wish.
LARGEST_RANGE = 1_000_000

_VALUE = re.compile(rf"({BELOW_ZERO}?)\s*((?:[0-9]+(?:[/∕⁄]0*[1-9][0-9]*)?|[0-9]*\.[0-9]+))")
_RANGE = re.compile(rf"({BELOW_ZERO}?)([0-9]{{1,30}})(?:\.\.({BELOW_ZERO}?)([0-9]{{1,30}}))?")
_LIKE_A_RANGE = re.compile(r"([0-9]{1,9})\s*([-–—,])\s*([0-9]{1,9})")


def parse_value(text: str) -> Exact:
    """Read an exact value: an integer, a fraction `3/4` or a decimal `-0.475`.

    >>> parse_value("143"), parse_value("6/8"), parse_value("-0.475")
    (143, Fraction(3, 4), Fraction(-19, 40))

    Raises ValueError for anything else, and for more than 100 characters.
    """
    if text.isascii() and text.isdecimal() and len(text) <= 100:
        return int(text)
    found = _VALUE.fullmatch(plain(text)) if len(text) <= 100 else None
    if found is None:
        raise RefusedError(message("formula.target_no_number", word=quoted(text)))
    sign, size = found.groups()
    value = simplest(Fraction(re.sub("[∕⁄]", "/", size)))
    return -value if sign else value


def ends_of(within: Sequence[Exact] | None) -> tuple[Exact, Exact] | None:
    """Return the first value and the last of those that are asked for, None for all.

    >>> ends_of((0, Fraction(2, 4)))
    (0, Fraction(1, 2))

    Raises ValueError where they are not two, or run downwards, TypeError for what is not exact.
    """
    if within is None:
        return None
    if not isinstance(within, tuple | list) or len(within) != 2:
        raise RefusedError(f"{quoted(within)} is no first and last value: (0, 100) is")
    first, last = map(exact, within)
    if last < first:
        told = f"{format_value(first)} to {format_value(last)}"
        raise RefusedError(f"the values from {told} run downwards")
    return first, last


def range_from(targets: range | Sequence[int] | int, whose: str) -> range:
    """Return targets that a caller gives as a range, which may be empty.

    >>> range_from(24, "a survey"), range_from([1, 2, 3], "a survey")
    (range(24, 25), range(1, 4))

    Raises ValueError, in one sentence, where they are too many, others than whole ones, or have
    gaps; TypeError for what has none.
    """
    if not isinstance(targets, range):
        some = [targets] if isinstance(targets, Integral | int) else targets
        if not isinstance(some, Iterable):
            raise KindError(f"{quoted(targets)} is no range of targets: range(1, 101) is")
        first, count = 0, 0
        for count, target in enumerate(islice(some, LARGEST_RANGE + 1), 1):
            if not isinstance(target, int | Integral):
                raise RefusedError(f"{quoted(target)} is not a whole number")
            first = int(exact(target)) if count == 1 else first
            if target != first + count - 1:
                raise RefusedError(f"the targets of {whose} are a range without gaps")
        targets = range(first, first + count)
    if not targets:
        return range(0)
    first, last = sorted((int(exact(targets[0])), int(exact(targets[-1]))))
    # Of a range with gaps all between its ends are counted: it is refused either way.
    if (count := last + 1 - first) > LARGEST_RANGE:
        raise RefusedError(f"{whose} has at most {LARGEST_RANGE:,} targets, not {count:,}")
    if targets != range(first, last + 1):
        raise RefusedError(f"the targets of {whose} are a range without gaps")
    return range(first, last + 1)


def values_from(values: Iterable[Exact]) -> set[Exact]:
    """Return the values that a caller names, each once.

    >>> sorted(values_from([3, 2, 3]))
    [2, 3]

    Raises ValueError for too many; TypeError for what has none, and for what is not exact.
    """
    if not isinstance(values, Iterable):
        raise KindError(f"{quoted(values)} has no values: [23, 24] has")
    # What is given may have no end; of a range it is known before anything is looked at.
    ranged = isinstance(values, range) and values[LARGEST_RANGE:]
    some = [] if ranged else [exact(value) for value in islice(values, LARGEST_RANGE + 1)]
    if ranged or len(some) > LARGEST_RANGE:
        raise RefusedError(f"at most {LARGEST_RANGE:,} values can be named, and these are more")
    return set(some)


def format_value(value: Exact) -> str:
    """Write a value for a sentence; one too long to read is named by its size.

    >>> format_value(Fraction(3, 4)), format_value(10**5000)
    ('3/4', 'a number of about 5001 digits')
    """
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits < 256:
        return str(simplest(value))
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
    told = plain(text).strip()
    ends = _RANGE.fullmatch(told)
    if ends is None:
        if meant := meant_range(told):
            raise RefusedError(message("refused.range_meant", text=quoted(text), meant=meant))
        raise RefusedError(message("refused.range", text=quoted(text)))
    below, least, beneath, most = ends.groups()
    first = -int(least) if below else int(least)
    last = first if most is None else -int(most) if beneath else int(most)
    if last < first:
        raise RefusedError(message("refused.range_down", range=told, meant=f"{last}..{first}"))
    if last - first >= LARGEST_RANGE:
        raise RefusedError(message("refused.range_long", range=told, most=Count(LARGEST_RANGE)))
    return range(first, last + 1)


def meant_range(text: str) -> str:
    """Return the range that a text with - or a comma can mean, "" if there is none.

    >>> meant_range("24-30"), meant_range("24,25"), meant_range("24,30")
    ('24..30', '24..25', '')
    """
    found = _LIKE_A_RANGE.fullmatch(plain(text).strip())
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
    ranges = [parse_range(part) for part in re.split("[,、+]", plain(text))]
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
    text = plain(text)
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
        for name, operator in every_operator().items()
        for spelling in operator.spellings
        if not operator.joins
    }
    sign = "|".join(map(re.escape, sorted(spelled, key=len, reverse=True)))
    known = format_operators(every_operator())
    rest, found = re.sub("[,、]", " ", plain(text)).strip(), []
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
    return " ".join(name for name in names if not operator_named(name).joins)
