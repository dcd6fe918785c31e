"""Parse and format numbers, ranges, limits and operators as people type them.

Each `parse_` function accepts what its `format_` function returns, and other spellings: full-width
characters, all minus signs, and decimals. The time of each is proportional to the length of the
text, which is limited, or to the number of values.
"""

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

# Values of a range. Longer ranges are typing errors.
MAX_RANGE_LENGTH = 1_000_000
_MAX_VALUE_CHARACTERS = 100
_MAX_GAME_NUMBERS = 1_000
# Values with longer numerators or denominators are described by their number of digits.
_MAX_SHOWN_BITS = 256

_VALUE = re.compile(rf"({MINUS_PATTERN}?)\s*((?:[0-9]+(?:[/∕⁄]0*[1-9][0-9]*)?|[0-9]*\.[0-9]+))")
_RANGE = re.compile(rf"({MINUS_PATTERN}?)([0-9]{{1,30}})(?:\.\.({MINUS_PATTERN}?)([0-9]{{1,30}}))?")
_RANGE_TYPO = re.compile(r"([0-9]{1,9})\s*([-–—,])\s*([0-9]{1,9})")


def parse_value(text: str) -> Exact:
    """Return the exact value of a text: an integer, a fraction `3/4` or a decimal `-0.475`.

    >>> parse_value("143"), parse_value("6/8"), parse_value("-0.475")
    (143, Fraction(3, 4), Fraction(-19, 40))

    Raises RefusedError for any other text, and for more than 100 characters.
    """
    if text.isascii() and text.isdecimal() and len(text) <= _MAX_VALUE_CHARACTERS:
        return int(text)
    match = _VALUE.fullmatch(normalise(text)) if len(text) <= _MAX_VALUE_CHARACTERS else None
    if match is None:
        raise RefusedError(message("formula.target_no_number", word=quoted(text)))
    sign, magnitude = match.groups()
    value = int_if_whole(Fraction(re.sub("[∕⁄]", "/", magnitude)))
    return -value if sign else value


def to_bounds(within: Sequence[Exact] | None) -> tuple[Exact, Exact] | None:
    """Return the two bounds of a caller as exact values; None for None.

    >>> to_bounds((0, Fraction(2, 4)))
    (0, Fraction(1, 2))

    Raises:
        KindError: a value is not exact, such as a float.
        RefusedError: the argument is not a tuple or list of two values, or the first is larger.
    """
    if within is None:
        return None
    if not isinstance(within, tuple | list) or len(within) != 2:
        raise RefusedError(
            f"invalid bounds {quoted(within)} (expected two values, such as (0, 100))"
        )
    first, last = map(to_exact, within)
    if last < first:
        bounds = f"{format_value(first)} to {format_value(last)}"
        raise RefusedError(f"the values from {bounds} run downwards")
    return first, last


def to_range(targets: range | Sequence[int] | int, whose: str) -> range:
    """Return the targets of a caller, converted to a range with step 1.

    The targets are a range, consecutive ascending ints, or one int. An empty sequence or range
    becomes `range(0)`.

    >>> to_range(24, "a survey"), to_range([1, 2, 3], "a survey")
    (range(24, 25), range(1, 4))

    Args:
        targets: The targets.
        whose: The owner of the targets, for messages.

    Raises:
        KindError: the argument is not an int and not iterable.
        RefusedError: a target is not whole, targets are not consecutive and ascending, or there
            are more than a million.
    """
    if not isinstance(targets, range):
        values = [targets] if isinstance(targets, Integral | int) else targets
        if not isinstance(values, Iterable):
            raise KindError(
                f"invalid targets {quoted(targets)} (expected a range, such as range(1, 101))"
            )
        first, count = 0, 0
        for count, target in enumerate(islice(values, MAX_RANGE_LENGTH + 1), 1):
            if not isinstance(target, int | Integral):
                raise RefusedError(f"{quoted(target)} is not a whole number")
            first = int(to_exact(target)) if count == 1 else first
            if target != first + count - 1:
                raise RefusedError(f"the targets of {whose} are a range without gaps")
        targets = range(first, first + count)
    if not targets:
        return range(0)
    first, last = sorted((int(to_exact(targets[0])), int(to_exact(targets[-1]))))
    # A long range with gaps is refused for its length: the numbers in the gaps count too.
    if (count := last + 1 - first) > MAX_RANGE_LENGTH:
        raise RefusedError(f"{whose} has at most {MAX_RANGE_LENGTH:,} targets, not {count:,}")
    if targets != range(first, last + 1):
        raise RefusedError(f"the targets of {whose} are a range without gaps")
    return range(first, last + 1)


def to_values(values: Iterable[Exact]) -> set[Exact]:
    """Return the values of a caller as a set of exact values.

    >>> sorted(to_values([3, 2, 3]))
    [2, 3]

    Raises:
        KindError: the argument is not iterable, or a value is not exact.
        RefusedError: the argument has more than a million values, repeated ones included.
    """
    if not isinstance(values, Iterable):
        raise KindError(f"invalid values {quoted(values)} (expected numbers, such as [23, 24])")
    # An iterator can be endless, so read at most one value too many; a range has a known length.
    long_range = isinstance(values, range) and values[MAX_RANGE_LENGTH:]
    exact = (
        [] if long_range else [to_exact(value) for value in islice(values, MAX_RANGE_LENGTH + 1)]
    )
    if long_range or len(exact) > MAX_RANGE_LENGTH:
        raise RefusedError(f"at most {MAX_RANGE_LENGTH:,} values can be named, and these are more")
    return set(exact)


def format_value(value: Exact) -> str:
    """Return a value as text: `3/4`, or from 256 bits on the number of its digits.

    >>> format_value(Fraction(3, 4)), format_value(10**5000)
    ('3/4', 'a number of about 5001 digits')
    """
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits < _MAX_SHOWN_BITS:
        return str(int_if_whole(value))
    return f"a number of about {bits * 30103 // 100000 + 1} digits"


def format_time(seconds: float) -> str:
    """Return a time in seconds as minutes and seconds, without hours.

    >>> format_time(41.2), format_time(125)
    ('0:41', '2:05')
    """
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


def parse_range(text: str) -> range:
    """Return the range of a text: `7`, or `0..100` with both ends included.

    >>> parse_range("0..100")
    range(0, 101)

    Raises RefusedError for any other text, a range that runs downwards, and more than a million
    values. The error suggests a range for `9..1` and, as `suggest_range` does, for `24-30`.
    """
    typed = normalise(text).strip()
    match = _RANGE.fullmatch(typed)
    if match is None:
        if suggestion := suggest_range(typed):
            raise RefusedError(message("refused.range_meant", text=quoted(text), meant=suggestion))
        raise RefusedError(message("refused.range", text=quoted(text)))
    first_sign, first_digits, last_sign, last_digits = match.groups()
    first = -int(first_digits) if first_sign else int(first_digits)
    last = first if last_digits is None else -int(last_digits) if last_sign else int(last_digits)
    if last < first:
        raise RefusedError(message("refused.range_down", range=typed, meant=f"{last}..{first}"))
    if last - first >= MAX_RANGE_LENGTH:
        raise RefusedError(message("refused.range_long", range=typed, most=Count(MAX_RANGE_LENGTH)))
    return range(first, last + 1)


def suggest_range(text: str) -> str:
    """Return the range that a text such as `24-30` or `24,25` can mean, or "" for any other text.

    The text is two numbers of at most 9 digits, the first smaller, with a dash or a comma between
    them. A comma means a range only if no number is between the two.

    >>> suggest_range("24-30"), suggest_range("24,25"), suggest_range("24,30")
    ('24..30', '24..25', '')
    """
    match = _RANGE_TYPO.fullmatch(normalise(text).strip())
    if match is None:
        return ""
    first, separator, last = int(match[1]), match[2], int(match[3])
    is_range = last == first + 1 if separator == "," else last > first
    return f"{first}..{last}" if is_range else ""


def format_range(values: range) -> str:
    """Return a non-empty range with step 1 as text for `parse_range`.

    >>> format_range(range(0, 101)), format_range(range(7, 8))
    ('0..100', '7')
    """
    return f"{values[0]}..{values[-1]}" if len(values) > 1 else f"{values[0]}"


def parse_numbers(text: str) -> tuple[int, ...]:
    """Return the numbers of a game from text: `1..9`, `1,2,5,10` or `1..10+25+50`.

    >>> parse_numbers("1..4,25,50")
    (1, 2, 3, 4, 25, 50)

    Raises RefusedError for a part that `parse_range` refuses, and for more than 1,000 numbers.
    """
    ranges = [parse_range(part) for part in re.split("[,、+]", normalise(text))]
    if sum(map(len, ranges)) > _MAX_GAME_NUMBERS:
        typed = quoted(" ".join(text.split()))
        most = Count(_MAX_GAME_NUMBERS)
        raise RefusedError(message("refused.numbers_many", text=typed, most=most))
    return tuple(number for part in ranges for number in part)


def parse_limit(text: str) -> int | None:
    """Return the limit of a text: a whole number from 1, or None for `none` (no limit).

    >>> parse_limit("2,000"), parse_limit("none")
    (2000, None)

    Raises RefusedError for any other text, and for more than 30 digits.
    """
    text = normalise(text)
    if text.lower() == "none":
        return None
    if not re.fullmatch(r"0*[1-9][0-9,_]{0,29}", text):
        raise RefusedError(message("refused.limit", text=quoted(text)))
    return int(text.replace(",", ""))


def format_limit(limit: int | None) -> str:
    """Return a limit as text for `parse_limit`.

    >>> format_limit(2000), format_limit(None)
    ('2,000', 'none')
    """
    return "none" if limit is None else f"{limit:,}"


def format_numbers(numbers: Sequence[int]) -> str:
    """Return ascending numbers as text for `parse_numbers`; 3 or more in a row are a range.

    >>> format_numbers((1, 2, 3, 4, 25, 50))
    '1..4,25,50'
    """
    # In a run of consecutive numbers, number - index is constant.
    groups = groupby(enumerate(numbers), lambda pair: pair[1] - pair[0])
    runs = [[number for _, number in group] for _, group in groups]
    return ",".join(
        f"{run[0]}..{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs
    )


def parse_operators(text: str) -> tuple[str, ...]:
    """Return the names of operators from text, in order, each once.

    Operators can be in any spelling, with or without spaces or commas between them.

    >>> parse_operators("+-"), parse_operators("× ÷")
    (('+', '-'), ('x', ':'))

    Raises RefusedError for any other text, and for a text without operators.
    """
    names = {
        spelling: name
        for name, operator in all_operators().items()
        for spelling in operator.spellings
        if not operator.joins
    }
    pattern = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    known = format_operators(all_operators())
    operators = []
    rest = re.sub("[,、]", " ", normalise(text)).strip()
    while rest:
        match = re.match(pattern, rest)
        if match is None:
            raise RefusedError(message("refused.operator", text=quoted(rest[:20]), known=known))
        operators.append(names[match[0]])
        rest = rest[match.end() :].lstrip()
    if not operators:
        raise RefusedError(message("refused.operator_none", known=known))
    return tuple(dict.fromkeys(operators))


def format_operators(names: Iterable[str]) -> str:
    """Return the names of operators as text for `parse_operators`, without operators that join.

    >>> format_operators(("-", "+"))
    '- +'
    """
    return " ".join(name for name in names if not operator_by_name(name).joins)
