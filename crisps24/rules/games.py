"""Games as data: what numbers, how many, what rules, which targets.

Owns `Game` and the table of named games; imports no other room. A new variant is a new
entry of `GAMES`: no other room knows a game by its name.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Rational

Exact = int | Fraction
Hand = tuple[int, ...]

# How a row of operators groups into a tree; the grammar knows how each is done.
GROUPINGS = ("standard", "tail")

# A span of numbers or targets beyond this is a slip of the pen, not a wish.
LARGEST_RANGE = 1_000_000


@dataclass(frozen=True, slots=True)
class Game:
    """The rules of one game.

    Two games are equal when all their fields are; `dataclasses.replace` makes a changed copy.

    >>> from dataclasses import replace
    >>> replace(GAMES["crisps"], length=5, numbers=(0, 1, 2)).numbers
    (0, 1, 2)

    Raises ValueError, in one sentence, for fields that do not make a game.
    """

    name: str
    """How the game is called on the command line."""
    numbers: tuple[int, ...]
    """The numbers there are, ascending; each card of its own where `repeats` is false."""
    length: int
    """How many numbers a formula or a hand has, 1 and up."""
    repeats: bool = True
    """Whether a number can come any number of times, or as often as `numbers` has it."""
    parentheses: bool = False
    """Whether parentheses may be used; without them precedence alone decides."""
    fractions: bool = False
    """Whether a division may leave a remainder; values are then exact fractions."""
    negatives: bool = False
    """Whether an intermediate result may be below zero."""
    all_numbers: bool = True
    """Whether every number of a hand has to be used."""
    target: int | None = 24
    """The target where the players name none; None where the game deals one."""
    targets: tuple[int, int] = (0, 100)
    """The targets that are asked about together, first and last."""
    signs: str = "cards"
    """The name of the style in which expressions are printed."""
    grouping: str = "standard"
    """How a row of operators groups: `standard` precedence, or `tail`, the original's slip."""
    letters: tuple[tuple[str, int], ...] = ()
    """Names that stand for numbers, such as Q for 12."""
    large: tuple[int, ...] = ()
    """The numbers that players call large, by which hands are told apart."""

    def __post_init__(self) -> None:
        if not all(isinstance(number, int) for number in (*self.numbers, self.length)):
            raise ValueError(f"the numbers and the length of {self.name} have to be whole")
        if self.grouping not in GROUPINGS:
            known = ", ".join(GROUPINGS)
            raise ValueError(f"there is no grouping {self.grouping!r}; there are {known}")
        distinct = set(self.numbers) if self.repeats else self.numbers
        object.__setattr__(self, "numbers", tuple(sorted(distinct)))
        if not self.numbers:
            raise ValueError(f"{self.name} needs at least one number")
        if self.length < 1:
            raise ValueError(f"the length is {self.length}: a formula has at least one number")
        if self.numbers[0] < 0 and not self.negatives:
            raise ValueError(f"the number {self.numbers[0]} needs a game with negatives")
        if not self.repeats and self.length > len(self.numbers):
            raise ValueError(f"a hand of {self.length} needs more numbers than {self.name} has")
        if self.grouping == "tail" and (self.length != 4 or self.parentheses):
            raise ValueError(f"{self.name} is defined for four numbers only, without parentheses")


_CARDS = (("A", 1), ("J", 11), ("Q", 12), ("K", 13))
_LARGE = (25, 50, 75, 100)

# The bag of crisps: facts and files of the original are for this game.
_CRISPS = Game("crisps", tuple(range(1, 10)), 4, signs="crisps")
# The study of the 24 game with digits: any order, parentheses, exact fractions.
_DIGITS = Game("digits", tuple(range(1, 10)), 4, parentheses=True, fractions=True, negatives=True)
# Cifras y Letras: natural numbers all the way, not all of them need be used.
_NUMBLE = Game(
    "numble",
    (*range(1, 11), *_LARGE),
    6,
    repeats=False,
    parentheses=True,
    all_numbers=False,
    target=None,
    targets=(101, 999),
    large=_LARGE,
)

GAMES: dict[str, Game] = {
    game.name: game
    for game in (
        _CRISPS,
        # The original program's evaluator, slip and all, so that its files can be checked.
        replace(_CRISPS, name="game24", grouping="tail"),
        _DIGITS,
        replace(_DIGITS, name="cards", numbers=tuple(range(1, 14)), letters=_CARDS),
        _NUMBLE,
        replace(_NUMBLE, name="countdown", numbers=(*range(1, 11), *range(1, 11), *_LARGE)),
    )
}


def find_game(game: Game | str) -> Game:
    """Return the game itself, or the named game.

    >>> find_game("crisps").length
    4

    Raises ValueError for a name that is not in `GAMES`, listing those that are.
    """
    if isinstance(game, Game):
        return game
    if game in GAMES:
        return GAMES[game]
    raise ValueError(f"there is no game {game!r}; the games are {', '.join(GAMES)}")


def parse_value(text: str) -> Exact:
    """Read an exact value: an integer, a fraction `3/4` or a decimal `-0.475`.

    >>> parse_value("143"), parse_value("6/8"), parse_value("-0.475")
    (143, Fraction(3, 4), Fraction(-19, 40))

    Raises ValueError for anything else, and for more than 100 characters.
    """
    if len(text) > 100 or not re.fullmatch(
        r"[-−]?(?:[0-9]+(?:/0*[1-9][0-9]*)?|[0-9]*\.[0-9]+)", text
    ):
        shown = text if len(text) <= 40 else text[:40] + "…"
        raise ValueError(f"{shown!r} is not a number: 24, -5, 3/4 or 0.75 would be")
    return simplest(Fraction(text.replace("−", "-")))


def exact(value: Rational | Exact) -> Exact:
    """Return a target as an int, or a Fraction where it is not whole.

    >>> exact(24), exact(Fraction(6, 8))
    (24, Fraction(3, 4))

    Raises TypeError for a float: what it stands for is not exact.
    """
    if not isinstance(value, Rational):
        raise TypeError(f"{value!r} is not exact: a target is an int or a Fraction")
    return simplest(Fraction(int(value.numerator), int(value.denominator)))


def simplest(value: Exact) -> Exact:
    """Return a whole fraction as an int, any other value as it is.

    >>> simplest(Fraction(8, 2)), simplest(Fraction(1, 2))
    (4, Fraction(1, 2))
    """
    return value if isinstance(value, int) or value.denominator != 1 else value.numerator


def why_no_target(target: Exact, game: Game) -> str:
    """Say why a game can have no such target, whatever its numbers; nothing where it can.

    >>> why_no_target(Fraction(3, 4), GAMES["crisps"])
    'crisps has whole targets only (--fractions)'
    """
    if target < 0 and not game.negatives:
        return f"{game.name} has no targets below zero (--negatives)"
    if not isinstance(target, int) and not game.fractions:
        return f"{game.name} has whole targets only (--fractions)"
    return ""


def parse_hand(words: Sequence[str], game: Game) -> tuple[int, ...]:
    """Read the numbers of a hand, letters of the game's cards among them.

    >>> parse_hand(["A", "10", "q", "7"], GAMES["cards"])
    (1, 10, 12, 7)

    Raises ValueError for a word that is no whole number of at most 30 digits.
    """
    letters = dict(game.letters)
    for word in words:
        if word.upper() not in letters and not re.fullmatch(r"[-−]?[0-9]+", word):
            also = f" or one of {', '.join(letters)}" if letters else ""
            raise ValueError(f"{word[:40]!r} is not a whole number{also}")
        if len(word) > 31:
            raise ValueError(f"{word[:10]}… has more than 30 digits")
    return tuple(letters.get(word.upper()) or int(word.replace("−", "-")) for word in words)


def parse_range(text: str) -> range:
    """Read `7` or the inclusive range `0..100`.

    >>> parse_range("0..100")
    range(0, 101)

    Raises ValueError for anything else, a range that runs downwards, and one of more than
    a million values.
    """
    ends = re.fullmatch(r"([-−]?[0-9]{1,30})(?:\.\.([-−]?[0-9]{1,30}))?", text.strip())
    if ends is None:
        raise ValueError(f"{text!r} is not a number or a range such as 0..100")
    first, last = (int((end or ends[1]).replace("−", "-")) for end in ends.groups())
    if last < first:
        raise ValueError(f"the range {text} runs downwards; {last}..{first} would run upwards")
    if last - first >= LARGEST_RANGE:
        raise ValueError(f"the range {text} is of more than {LARGEST_RANGE:,} numbers")
    return range(first, last + 1)


def parse_numbers(text: str) -> tuple[int, ...]:
    """Read the numbers of a game: `1..9`, `1,2,5,10` or `1..10,25,50`.

    >>> parse_numbers("1..4,25,50")
    (1, 2, 3, 4, 25, 50)

    Raises ValueError where a part is no number and no range, or there are over 1,000 numbers.
    """
    ranges = [parse_range(part) for part in text.split(",")]
    if sum(map(len, ranges)) > 1000:
        raise ValueError(f"{text} is more than 1,000 numbers")
    return tuple(number for part in ranges for number in part)


def format_numbers(numbers: Sequence[int]) -> str:
    """Write numbers as `parse_numbers` reads them, runs of three and more as ranges.

    >>> format_numbers((1, 2, 3, 4, 25, 50))
    '1..4,25,50'
    """
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ",".join(
        f"{part[0]}..{part[-1]}" if len(part) > 2 else ",".join(map(str, part)) for part in parts
    )
