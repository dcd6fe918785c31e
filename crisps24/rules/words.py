"""Parse and format numbers, ranges, limits and operators as people type them.

Each `parse_` function accepts what its `format_` function returns, and other spellings: full-width
characters, all minus signs, and decimals. It raises RefusedError for any other text. The time of
each is proportional to the length of the text, which is limited, or to the number of values.

Each `to_` function checks values that a caller of the library gives: KindError is raised for a
wrong type, and RefusedError for values that are too many or do not fit together.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import groupby, islice
from numbers import Integral

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import Count, message
from crisps24.rules.characters import normalise
from crisps24.rules.exact import Exact, int_if_whole, is_row, to_exact
from crisps24.rules.operators import MINUS_PATTERN, all_operators, operator_by_name

# Values of a range. Longer ranges are typing errors.
MAX_RANGE_LENGTH = 1_000_000
_MAX_VALUE_CHARACTERS = 100
_MAX_GAME_NUMBERS = 1_000
# Values with longer numerators or denominators are described by their number of digits.
_MAX_SHOWN_BITS = 256

# Characters such as ¾, which stand for one fraction.
VULGAR_FRACTIONS = "\u00bc-\u00be\u2150-\u215e"
# Many languages write 0,75 for 0.75. 1,000 can also be a thousand: it is refused.
_QUOTIENT, _DECIMAL = "[0-9]+(?:[/∕⁄]0*[1-9][0-9]*)?", r"[0-9]*[.,][0-9]+"
_THOUSANDS = rf"{MINUS_PATTERN}?[1-9][0-9]{{0,2}},[0-9]{{3}}"
_POINT_COMMA = r"(?<![0-9])[1-9][0-9]{0,2}[,，][0-9]{3}(?![0-9])|(?<=[0-9])[,，](?=[0-9])"
# A number of a hand: 8, -2, 3/4, .75 or ¾.
NUMBER_WORD = rf"{MINUS_PATTERN}?(?:{_QUOTIENT}|[0-9]*(?:\.[0-9]+|[{VULGAR_FRACTIONS}]))"
# Only this pattern is compiled at the start: the others are rare, and stay text.
_VALUE = re.compile(
    rf"({MINUS_PATTERN}?)\s*(?:({_QUOTIENT}|{_DECIMAL})|([0-9]*)([{VULGAR_FRACTIONS}]))"
)
_RANGE = rf"({MINUS_PATTERN}?)([0-9]{{1,30}})(?:\.\.({MINUS_PATTERN}?)([0-9]{{1,30}}))?"
_FRACTION_PART = rf"{MINUS_PATTERN}?[0-9]*(?:[/∕⁄][0-9]+|\.[0-9]+|[{VULGAR_FRACTIONS}])"
_RANGE_TYPO = r"([0-9]{1,9})\s*([-–—,])\s*([0-9]{1,9})"


def parse_value(text: str) -> Exact:
    """Return the exact value of a text: an integer, a fraction `3/4` or `1½`, or `-0.475`."""
    is_short = len(text) <= _MAX_VALUE_CHARACTERS
    if is_short and text.isascii() and text.isdecimal():
        return int(text)
    match = _VALUE.fullmatch(normalise(text)) if is_short else None
    if match is None:
        raise RefusedError(message("formula.target_no_number", word=quoted(text)))
    sign, magnitude, whole, character = match.groups()
    if character:
        # The compatibility form of ¾ is 3⁄4.
        magnitude = unicodedata.normalize("NFKC", character)
    value = Fraction(re.sub("[∕⁄]", "/", magnitude).replace(",", ".")) + int(whole or 0)
    value = -value if sign else value
    if "," in match[0] and re.fullmatch(_THOUSANDS, match[0]):
        # The decimal as a fraction: many languages write 1.234 for a thousand.
        values = {"word": text, "decimal": str(value), "whole": match[0].replace(",", "")}
        raise RefusedError(message("refused.two_readings", **values))
    return int_if_whole(value)


def with_decimal_points(text: str) -> str:
    """Return a text with points for decimal commas, such as that of 0,75, but not of 1,000."""
    if "," not in text and "，" not in text:
        return text
    return re.sub(_POINT_COMMA, lambda comma: comma[0] if comma[0][1:] else ".", text)


def to_bounds(bounds: Sequence[Exact] | None) -> tuple[Exact, Exact] | None:
    """Return a smallest and a largest value as exact values; None for None."""
    if bounds is None:
        return None
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise RefusedError(
            f"invalid bounds {quoted(bounds)} (expected two values, such as (0, 100))"
        )
    smallest, largest = map(to_exact, bounds)
    if largest < smallest:
        text = f"{format_value(smallest)} to {format_value(largest)}"
        raise RefusedError(f"the values from {text} run downwards")
    return smallest, largest


def to_range(targets: range | Sequence[int] | int, owner: str) -> range:
    """Return the targets of an `owner`, such as `a survey`, as a range with step 1."""
    if isinstance(targets, Integral | int):
        targets = [int(to_exact(targets))]
    if not isinstance(targets, range):
        if not is_row(targets):
            raise KindError(
                f"invalid targets {quoted(targets)} (expected a range, such as range(1, 101))"
            )
        numbers = []
        # An iterator can be endless: read only one target too many.
        for target in islice(targets, MAX_RANGE_LENGTH + 1):
            if not isinstance(target, int | Integral):
                raise RefusedError(f"{quoted(target)} is not a whole number")
            numbers.append(int(to_exact(target)))
            if numbers[-1] != numbers[0] + len(numbers) - 1:
                raise RefusedError(f"the targets of {owner} are a range without gaps")
        targets = range(numbers[0], numbers[-1] + 1) if numbers else range(0)
    if not targets:
        return range(0)
    # A range can have another step, such as -1 or 2.
    smallest, largest = sorted((int(to_exact(targets[0])), int(to_exact(targets[-1]))))
    filled_range = range(smallest, largest + 1)
    # A long range with gaps is refused for its length: the numbers in the gaps count too.
    count = largest + 1 - smallest
    if count > MAX_RANGE_LENGTH:
        raise RefusedError(f"{owner} has at most {MAX_RANGE_LENGTH:,} targets, not {count:,}")
    if targets != filled_range:
        raise RefusedError(f"the targets of {owner} are a range without gaps")
    return filled_range


def to_values(values: Iterable[Exact]) -> set[Exact]:
    """Return values of any numeric types as a set of ints and Fractions."""
    if not is_row(values):
        raise KindError(f"invalid values {quoted(values)} (expected numbers, such as [23, 24])")
    # An iterator can be endless: read only one value too many.
    numbers = list(map(to_exact, islice(values, MAX_RANGE_LENGTH + 1)))
    if len(numbers) > MAX_RANGE_LENGTH:
        raise RefusedError(f"at most {MAX_RANGE_LENGTH:,} values can be named, and these are more")
    return set(numbers)


def format_value(value: Exact) -> str:
    """Return a value as text, such as `3/4`; for a long value only the number of its digits."""
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits < _MAX_SHOWN_BITS:
        return str(int_if_whole(value))
    return f"a number of about {bits * 30103 // 100000 + 1} digits"


def format_time(seconds: float) -> str:
    """Return a time, rounded to whole seconds, as minutes and seconds: 60:05."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


def parse_range(text: str) -> range:
    """Return the range of a text: one whole number, or the first and the last around `..`."""
    typed = normalise(text).strip()
    match = re.fullmatch(_RANGE, typed)
    if match is None:
        if suggestion := suggest_range(typed):
            raise RefusedError(message("refused.range_meant", text=quoted(text), meant=suggestion))
        raise RefusedError(message("refused.range", text=quoted(text)))
    first_sign, first_digits, last_sign, last_digits = match.groups()
    first = -int(first_digits) if first_sign else int(first_digits)
    last = first
    if last_digits is not None:
        last = -int(last_digits) if last_sign else int(last_digits)
    if last < first:
        raise RefusedError(message("refused.range_down", range=typed, meant=f"{last}..{first}"))
    if last - first >= MAX_RANGE_LENGTH:
        raise RefusedError(message("refused.range_long", range=typed, most=Count(MAX_RANGE_LENGTH)))
    return range(first, last + 1)


def suggest_range(text: str) -> str:
    """Return the range that a text such as `24-30` or `24,25` can mean, or "" for any other text.

    >>> suggest_range("24-30"), suggest_range("24,25"), suggest_range("24,30")
    ('24..30', '24..25', '')
    """
    match = re.fullmatch(_RANGE_TYPO, normalise(text).strip())
    if match is None:
        return ""
    first, separator, last = int(match[1]), match[2], int(match[3])
    is_range = last == first + 1 if separator == "," else last > first
    return f"{first}..{last}" if is_range else ""


def format_range(values: range) -> str:
    """Return a range with step 1, which is not empty, as text."""
    return f"{values[0]}..{values[-1]}" if len(values) > 1 else f"{values[0]}"


def parse_numbers(text: str) -> tuple[Exact, ...]:
    """Return the numbers of a game from numbers and ranges, separated by commas or plus signs."""
    ranges = [
        [parse_value(part)] if re.fullmatch(_FRACTION_PART, part.strip()) else parse_range(part)
        for part in re.split("[,、+]", normalise(text))
    ]
    if sum(map(len, ranges)) > _MAX_GAME_NUMBERS:
        values = {"text": quoted(" ".join(text.split())), "most": Count(_MAX_GAME_NUMBERS)}
        raise RefusedError(message("refused.numbers_many", **values))
    return tuple(number for numbers in ranges for number in numbers)


def parse_limit(text: str) -> int | None:
    """Return a limit from text: a whole number of at least 1, or None for `none` (no limit)."""
    text = normalise(text)
    if text.lower() == "none":
        return None
    digits = re.sub("(?<=[0-9])[,_](?=[0-9])", "", text)
    if not re.fullmatch("0*[1-9][0-9]{0,29}", digits):
        raise RefusedError(message("refused.limit", text=quoted(text)))
    return int(digits)


def format_limit(limit: int | None) -> str:
    return "none" if limit is None else f"{limit:,}"


def format_numbers(numbers: Sequence[Exact]) -> str:
    """Return ascending numbers as text, with ranges of 3 or more consecutive whole numbers."""
    # In a run of consecutive whole numbers, number - index is constant. A fraction is its own run.
    groups = groupby(
        enumerate(numbers),
        lambda pair: pair[1] - pair[0] if pair[1].denominator == 1 else (pair[1], pair[0]),
    )
    runs = [[number for _, number in group] for _, group in groups]
    # Two numbers are shorter than a range: 25,26.
    return ",".join(
        f"{run[0]}..{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs
    )


def parse_operators(text: str) -> tuple[str, ...]:
    """Return the names of the operators in a text, in order, each once."""
    name_by_spelling = {
        spelling: name
        for name, operator in all_operators().items()
        for spelling in operator.spellings
        if not operator.joins
    }
    # Try long spellings first: ** is a power, not two times the operator *.
    longest_first = sorted(name_by_spelling, key=len, reverse=True)
    pattern = "|".join(map(re.escape, longest_first))
    known_operators = format_operators(all_operators())
    names = []
    rest = re.sub("[,、]", " ", normalise(text)).strip()
    while rest:
        match = re.match(pattern, rest)
        if match is None:
            values = {"text": quoted(rest[:20]), "known": known_operators}
            raise RefusedError(message("refused.operator", **values))
        names.append(name_by_spelling[match[0]])
        rest = rest[match.end() :].lstrip()
    if not names:
        raise RefusedError(message("refused.operator_none", known=known_operators))
    return tuple(dict.fromkeys(names))


def format_operators(names: Iterable[str]) -> str:
    """Return the names of operators as text, without one that joins digits, which nobody writes."""
    return " ".join(name for name in names if not operator_by_name(name).joins)
