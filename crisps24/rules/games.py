"""Games as records: the numbers, the rules and the targets of each.

`GAMES["cards"]`, for example, deals 4 of the numbers 1 to 13 and allows parentheses, fractions and
negative numbers on the way to 24. A new game is a new record in `GAMES`, or a changed copy:
`replace(GAMES["cards"], fractions=False)`. No other module names a game.

What is known of a game, such as the limits of its levels, belongs to its *original*: itself, or the
game that it is a changed copy of, whatever its name. Its name only says how to write it short, as
code, as an id, as options: as changes of the *known game*, which `GAMES` has under this name.
"""

import re
from collections import ChainMap
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from fractions import Fraction
from functools import lru_cache, partial
from itertools import islice, pairwise
from numbers import Integral, Rational
from operator import ge
from typing import Any, get_origin

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import Message, message
from crisps24.rules.characters import escape_unprintable, normalise
from crisps24.rules.exact import VALUE_LIMIT, Exact, has_fractions, is_row, to_exact
from crisps24.rules.operators import (
    JOIN,
    MAX_BITS,
    OPERATORS,
    OPTIONAL_OPERATORS,
    Operator,
    StepRule,
    all_operators,
    group_by_precedence,
)
from crisps24.rules.points import DISTANCE_POINTS, MATHADOR_POINTS, Points
from crisps24.rules.rules import RULES

Hand = tuple[Exact, ...]

# How operators without parentheses group: by precedence, or as in game24. See `notation`.
GROUPINGS = ("standard", "tail")
_MAX_ENTRIES = 10_000
# The default limit of results, in bits, of games with an operator that needs a limit.
_DEFAULT_BITS = 31
# Characters of an unknown name that are compared with the known names.
_MAX_COMPARED_CHARACTERS = 40


class _DerivedRules:
    """Attributes of a game that are derived from its fields once and do not count for equality."""

    __slots__ = ("_ordered", "extra_operators", "max_bits", "step_rules")
    _ordered: "Game"
    step_rules: tuple[StepRule, ...]
    """The rules of each step, for all operators; those that read operands come first."""
    extra_operators: tuple[Operator, ...]
    """Its operators that not all games have: chosen ones such as `^`, and those for decimals."""
    max_bits: int | None
    """The largest length of a numerator or a denominator of a result, in bits; None: no limit."""


@dataclass(frozen=True, slots=True, repr=False)
class Game(_DerivedRules):
    """The rules of one game.

    Two games are equal if all their fields are, except the last seven, from `points` on.
    `dataclasses.replace` returns a changed copy. All fields are validated once, here.

    >>> from dataclasses import replace
    >>> GAMES["crisps"], replace(GAMES["crisps"], length=5, numbers=(2, 0, 1))
    (GAMES['crisps'], replace(GAMES['crisps'], numbers=(0, 1, 2), length=5))

    Raises:
        KindError: a field has a value of the wrong type. KindError is a TypeError.
        RefusedError: a field has an invalid value, or fields contradict each other.
    """

    name: str
    """The name of the game on the command line."""
    numbers: tuple[Exact, ...]
    """The numbers that can be dealt, ascending; without `repeats`, each entry is one card.

    Numbers that are not whole need `fractions`, and numbers below zero need `negatives`."""
    length: int
    """How many numbers a formula or a hand has, at least 1."""
    repeats: bool = True
    """Whether a number can occur any number of times; if not, as often as in `numbers`."""
    parentheses: bool = False
    """Whether parentheses are allowed; without them, precedence decides."""
    fractions: bool = False
    """Whether results can be fractions; values are then exact."""
    negatives: bool = False
    """Whether an intermediate result can be below zero."""
    all_numbers: bool = True
    """Whether a formula must use every number of the hand."""
    operators: tuple[str, ...] = ("-", "+", "x", ":")
    """The allowed operators, in the order of results files."""
    zero: bool = True
    """Whether a result can be zero, the last one included; numbers dealt always can."""
    join: bool = False
    """Whether neighbouring digits can be joined to a number: 1 and 2 to 12."""
    target: int | None = 24
    """The default target; None if the game draws its targets."""
    targets: tuple[int, int] = (0, 100)
    """The first and the last target of the game's range."""
    grouping: str = "standard"
    """How operators without parentheses group: by `standard` precedence, or `tail` as in game24."""
    letters: tuple[tuple[str, int], ...] = ()
    """Names that stand for numbers, such as Q for 12."""
    large: tuple[int, ...] = ()
    """The numbers that players call large, as in Countdown, ascending. They have no effect if they
    are not among `numbers`; `change_rules` replaces them in both fields."""
    most: int | None = None
    """The largest result, the last one included; numbers dealt can be larger. None: no limit."""
    decimals: bool = False
    """Whether a decimal point can precede a digit or joined digits: .4 is 4/10, .44 is 44/100."""
    repeating: bool = False
    """Whether a decimal of one digit can repeat: .4… is 4/9."""
    signed: bool = False
    """Whether a minus sign can precede anything: -(4 + 4). If not, it has to be a subtraction: a
    formula such as -4 + 28 or -(3 - 27) must also be legal as 28 - 4 or 27 - 3."""
    nesting: int = 2
    """How many unary operators can follow one another, 1 to 4."""
    bits: int | None = None
    """The largest numerator or denominator of a result, in bits; None: no limit, or 31 bits if an
    operator needs a limit."""
    dice: tuple[int, ...] = ()
    """The faces of each die, if hands are throws of dice: 6 for a die with the numbers 1 to 6.
    The numbers of the game are then all faces, and its length is the number of dice."""
    closest: bool | None = None
    """Whether the closest value answers a puzzle whose target cannot be reached. None: it does if
    the game draws its targets and allows any subset of the numbers, such as Countdown."""
    once: bool = False
    """Whether a formula can use each operator at most once; joining digits does not count."""
    nontrivial: bool = False
    """Whether a formula needs an operator; joined digits and a minus sign do not count as one."""
    in_order: bool = False
    """Whether a formula must keep the order of the hand."""
    points: Points | None = field(default=None, compare=False)
    """The points of an answer. None: those of Countdown if the closest value answers a puzzle."""
    style: str = field(default="cards", compare=False)
    """The default style of printed expressions."""
    aliases: tuple[str, ...] = field(default=(), compare=False)
    """Other names of the game on the command line."""
    about: Message | str = field(default="", compare=False)
    """A description of the game in one or two sentences."""
    cutoffs: tuple[float, ...] = field(default=(), compare=False)
    """The least bits of levels 2 to 5, for its rules of play and numbers: see `solving.effort`."""
    timed: bool = field(default=False, compare=False)
    """Whether the seconds of `solving.effort` were measured for it."""
    original: str = field(default="", compare=False)
    """The name of the game that this one is a copy of, as `replace` makes; "": its own name."""

    def __post_init__(self) -> None:
        self._check_types()
        self._set(original=self.original or self.name)
        if self.grouping not in GROUPINGS:
            known = ", ".join(GROUPINGS)
            raise RefusedError(f"unknown grouping {quoted(self.grouping)} (expected {known})")
        distinct = set(self.numbers) if self.repeats else self.numbers
        self._set(numbers=tuple(sorted(distinct)), large=tuple(sorted(self.large)))
        self._set(dice=tuple(sorted(self.dice)))
        if not self.numbers:
            raise RefusedError(f"{self.name} needs at least one number")
        if self.length < 1:
            raise RefusedError(f"invalid length {self.length} (expected 1 or more)")
        if self.numbers[0] < 0 and not self.negatives:
            raise RefusedError(message("rules.negative", number=self.numbers[0]))
        if not self.fractions and has_fractions(self.numbers):
            fraction = next(number for number in self.numbers if not isinstance(number, int))
            raise RefusedError(message("rules.fraction", number=fraction))
        if not self.repeats and self.length > len(self.numbers):
            raise RefusedError(message("rules.few_numbers", count=self.length))
        if self.dice and not self._fits_dice():
            raise RefusedError(f"the dice of {self.name} do not fit its numbers: use dice=()")
        self._set_operators()
        self._set_extra_operators()
        if self.once and (self.signed or any(op.arity == 1 for op in self.row_operators)):
            raise RefusedError(
                f"{self.name} cannot have each operator once with operators of one number"
            )
        self._check_nontrivial()
        step_rules = filter(None, [rule.step_rule(self) for rule in RULES.values()])
        self._set(step_rules=tuple(sorted(step_rules, key=lambda rule: not rule.reads_operands)))
        # Only formulas of four numbers have this grouping.
        if self.grouping == "tail" and (self.length != 4 or self.parentheses or self.join):
            raise RefusedError(message("rules.four_numbers", game=self.name))

    def _check_nontrivial(self) -> None:
        if not self.nontrivial:
            return
        has_unary = any(each.arity == 1 and not each.joins for each in self.row_operators)
        if self.length == 1 and not has_unary:
            raise RefusedError(f"{self.name} with one number has no operators")
        # Elsewhere -12 and √12 can be parts of a formula, and so hide another one of their value.
        if self.signed and (has_unary or not self.all_numbers):
            problem = "an operator with a minus before anything and"
            other = "operators of one number" if has_unary else "unused numbers"
            raise RefusedError(f"{self.name} cannot require {problem} {other}")

    def _fits_dice(self) -> bool:
        faces = len(self.numbers)
        has_faces = self.dice[0] > 0 and self.dice[-1] == faces
        has_numbers = self.numbers == tuple(range(1, faces + 1))
        return has_faces and has_numbers and len(self.dice) == self.length

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def _check_types(self) -> None:
        """Check the types and sizes of all fields; sequences become tuples, whole numbers ints."""
        for field_ in fields(self):
            name, value, kind = field_.name, getattr(self, field_.name), field_.type
            if get_origin(kind) is tuple:
                self._set(**{name: self._checked_tuple(name, value)})
            elif kind is str and (not isinstance(value, str) or value != escape_unprintable(value)):
                raise KindError(f"invalid {name} of a game {quoted(value)} (expected text)")
            elif name == "points" and not isinstance(value, Points | None):
                raise KindError(f"invalid points of a game {quoted(value)} (expected Points)")
            elif (kind is bool and not isinstance(value, int)) or (
                kind == bool | None and not isinstance(value, bool | None)
            ):
                raise KindError(
                    f"invalid {name} of a game {quoted(value)} (expected True or False)"
                )
        [length] = self._checked_tuple("length", [self.length])
        target = self.target if self.target is None else to_exact(self.target)
        most = self.most if self.most is None else self._checked_tuple("most", [self.most])[0]
        self._set(length=length, target=target, most=most)
        if not (
            all(isinstance(each, int | float) for each in self.cutoffs)
            and len(self.cutoffs) in (0, 4)
        ):
            cutoffs = quoted(self.cutoffs)
            raise RefusedError(f"invalid cutoffs {cutoffs} (expected four numbers of bits)")
        if len(self.targets) != 2:
            targets = quoted(self.targets)
            raise RefusedError(f"invalid targets {targets} (expected two, such as (1, 100))")
        for letter in self.letters:
            if not (isinstance(letter, tuple) and [*map(type, letter)] == [str, int]):
                raise RefusedError(f"invalid letter {quoted(letter)} (expected such as ('Q', 12))")

    def _checked_tuple(self, name: str, values: object) -> tuple[Any, ...]:
        """Return the values of a field as a tuple, after checks of their number and size."""
        if not is_row(values):
            raise KindError(f"invalid {name} of a game {quoted(values)} (expected a tuple)")
        # An iterator can be endless: read only one entry too many.
        entries = tuple(islice(values, _MAX_ENTRIES + 1))
        if len(entries) > _MAX_ENTRIES:
            raise RefusedError(f"{self.name} has more than {_MAX_ENTRIES:,} {name}")
        if name not in ("numbers", "length", "large", "targets", "most", "dice"):
            return entries
        if name == "numbers" and all(isinstance(number, Rational) for number in entries):
            return tuple(map(to_exact, entries))
        if not all(isinstance(number, Integral) for number in entries):
            subjects = {"most": "the most", "large": "the large tiles", "dice": "the dice"}
            subject = subjects.get(name, "the numbers and the length")
            raise RefusedError(f"{subject} of {self.name} have to be whole")
        if any(abs(int(number)) >= VALUE_LIMIT for number in entries):
            raise RefusedError(f"{self.name} has {name} of more than 4,000 digits")
        return tuple(map(to_exact, entries))

    def _set_operators(self) -> None:
        """Check the chosen operators, and sort them in the order of `all_operators`."""
        # The operator that joins digits cannot be chosen by its name.
        known_names = [name for name, operator in all_operators().items() if not operator.joins]
        for name in self.operators:
            if isinstance(name, str) and name == JOIN.name:
                raise RefusedError(
                    f"{name} is not an operator to choose: use join=True to join digits"
                )
            if not isinstance(name, str) or name not in known_names:
                raise RefusedError(
                    message("refused.operator", text=quoted(name), known=" ".join(known_names))
                )
        if not self.operators:
            raise RefusedError(message("refused.operator_none", known=" ".join(known_names)))
        self._set(operators=tuple(name for name in known_names if name in self.operators))
        if self.join and not self.has_only_digits:
            number = self._first_long_number()
            if similar_game := self._name_of_digit_game():
                raise RefusedError(message("rules.join_meant", number=number, game=similar_game))
            raise RefusedError(message("rules.join", number=number))

    def _set_extra_operators(self) -> None:
        """Check `bits` and `nesting`, and set `extra_operators` and `max_bits`."""
        if (self.decimals or self.repeating) and not self.has_only_digits:
            raise RefusedError(message("rules.decimals", number=self._first_long_number()))
        chosen = [
            operator
            for name, operator in OPTIONAL_OPERATORS.items()
            if name in self.operators and name not in OPERATORS
        ]
        allowed = [
            operator
            for operator in OPTIONAL_OPERATORS.values()
            if operator.game_rule and getattr(self, operator.game_rule)
        ]
        self._set(extra_operators=(*chosen, *allowed))
        # Without a limit of bits, powers would have results of any length.
        if self.bits is not None and not (type(self.bits) is int and 1 <= self.bits <= MAX_BITS):
            raise RefusedError(
                f"invalid bits {quoted(self.bits)} (expected 1 to {MAX_BITS}, or None)"
            )
        if not (type(self.nesting) is int and 1 <= self.nesting <= 4):
            raise RefusedError(f"invalid nesting {quoted(self.nesting)} (expected 1 to 4)")
        needs_limit = any(
            not (operator.takes_columns or operator.joins) for operator in self.row_operators
        )
        self._set(max_bits=_DEFAULT_BITS if self.bits is None and needs_limit else self.bits)
        # Operators of equal precedence must group alike: all from the left, or all from the right.
        for group in group_by_precedence((*OPERATORS.values(), *self.extra_operators)):
            for first, second in pairwise(group):
                if first.grouping != second.grouping:
                    raise RefusedError(
                        f"{first.name} and {second.name} have the same precedence and group "
                        f"differently: {self.name} cannot have both"
                    )

    @property
    def has_only_digits(self) -> bool:
        """Whether all numbers are whole and from 0 to 9."""
        is_in_range = 0 <= self.numbers[0] <= self.numbers[-1] <= 9
        return is_in_range and all(isinstance(number, int) for number in self.numbers)

    def _first_long_number(self) -> Exact:
        return next(
            number for number in self.numbers if not (isinstance(number, int) and 0 <= number <= 9)
        )

    def _name_of_digit_game(self) -> str:
        """Return the game with the rules of the known one, but single digits, or ""."""
        original = self.original_game
        rules = original.target, playing_rules(original)
        similar = (
            game.name
            for game in GAMES.values()
            if game.has_only_digits and (game.target, playing_rules(game)) == rules
        )
        return next(similar, "")

    def __repr__(self) -> str:
        """Return a call that creates the game: the known game, with changed fields."""
        if (changes := changed_fields(self)) is not None:
            known_game = f"GAMES[{self.name!r}]"
            if self.name not in GAMES:
                known_game = f"find_game({self.name!r})"
            arguments = ", ".join(f"{name}={value!r}" for name, value in changes.items())
            return f"replace({known_game}, {arguments})" if arguments else known_game
        # No known game has this name: show all fields that do not have their default.
        values = [(field_, getattr(self, field_.name)) for field_ in fields(self) if field_.compare]
        arguments = ", ".join(
            f"{field_.name}={value!r}" for field_, value in values if value != field_.default
        )
        return f"Game({arguments})"

    def __reduce__(self) -> tuple[Any, ...]:
        values = {field_.name: getattr(self, field_.name) for field_ in fields(self) if field_.init}
        return partial(type(self), **values), ()

    @property
    def original_game(self) -> "Game":
        """The game that this one is a copy of; itself if it has cutoffs of its own."""
        known_game = _known_game(self.original) or self
        return known_game if known_game.cutoffs == self.cutoffs else self

    @property
    def reorders_chains(self) -> bool:
        """Whether each order of the terms of a chain is legal if one order is legal.

        A chain has only + and -, or only x and :, such as a - b + c. If this is True, searches
        compute one order only. Each rule that restricts the game must have `keeps_reordering`.
        """
        # a - (b + c) is a - b - c, which has two minus signs.
        return not (self.once or self.in_order) and all(
            rule.keeps_reordering(self) for rule in RULES.values() if rule.restriction(self)
        )

    @property
    def positive(self) -> bool:
        """Whether every number and every intermediate result is above zero."""
        return not (self.zero or self.negatives) and self.numbers[0] > 0

    @property
    def accepts_closest(self) -> bool:
        """Whether the closest value answers a puzzle whose target cannot be reached.

        In games without `closest`, it does if they draw their targets and allow any subset of the
        numbers, such as Countdown. In all other games only the target is right.
        """
        if self.closest is not None:
            return self.closest
        return self.target is None and not self.all_numbers

    @property
    def scoring(self) -> Points | None:
        """The points of the game, or None if it has none."""
        return self.points or (DISTANCE_POINTS if self.accepts_closest else None)

    @property
    def operator_points(self) -> Points | None:
        """The points of the game if operators give some, else None."""
        return self.points if self.points and self.points.by_operator else None

    @property
    def row_operators(self) -> tuple[Operator, ...]:
        """All operators of the game, in the order of results files.

        These are the chosen operators, `|` if the game joins digits to numbers, then operators
        of few games, such as `^`.
        """
        operators = (
            operator
            for name, operator in OPERATORS.items()
            if name in self.operators or (operator.joins and self.join)
        )
        return (*operators, *self.extra_operators)

    @property
    def operator_levels(self) -> tuple[tuple[Operator, ...], ...]:
        """All operators of the game in groups of equal precedence, highest first."""
        return group_by_precedence(self.row_operators)


_FIXED_TARGET_CUTOFFS = (1.7, 3.9, 5.6, 7.1)
_LETTERS = (("A", 1), ("T", 10), ("J", 11), ("Q", 12), ("K", 13))
_LARGE = (25, 50, 75, 100)
# The halves, thirds, quarters, fifths, sixths and eighths below 1, each once: 1/2 is also 2/4.
_FRACTIONS = tuple(
    sorted(
        {
            Fraction(numerator, denominator)
            for denominator in (2, 3, 4, 5, 6, 8)
            for numerator in range(1, denominator)
        }
    )
)

_CRISPS = Game(
    "crisps",
    tuple(range(1, 10)),
    4,
    style="crisps",
    cutoffs=_FIXED_TARGET_CUTOFFS,
    aliases=("smiths", "smithscrisps"),
    about=message("game.crisps"),
)
_DIGITS = Game(
    "digits",
    tuple(range(1, 10)),
    4,
    parentheses=True,
    fractions=True,
    negatives=True,
    cutoffs=_FIXED_TARGET_CUTOFFS,
    timed=True,
    about=message("game.digits"),
)
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
    cutoffs=(11.0, 13.8, 16.2, 19.0),
    aliases=("cifras", "cifrasyletras"),
    about=message("game.numble"),
)

# Each is an original, although some are written as copies.
GAMES: dict[str, Game] = {
    game.name: replace(game, original="")
    for game in (
        _CRISPS,
        replace(_CRISPS, name="game24", grouping="tail", aliases=(), about=message("game.game24")),
        _DIGITS,
        replace(
            _DIGITS,
            name="cards",
            numbers=tuple(range(1, 14)),
            letters=_LETTERS,
            aliases=("24", "24game", "make24", "24card", "24spiel", "24points", "24点", "算24点"),
            about=message("game.cards"),
        ),
        _NUMBLE,
        replace(
            _NUMBLE,
            name="countdown",
            numbers=(*range(1, 11), *range(1, 11), *_LARGE),
            zero=False,
            cutoffs=(10.9, 13.8, 16.4, 19.3),
            aliases=("chiffres", "leschiffres", "lecompteestbon", "compteestbon", "numbersround"),
            about=message("game.countdown"),
        ),
        replace(
            _DIGITS,
            name="make10",
            numbers=tuple(range(10)),
            target=10,
            timed=False,
            aliases=("10", "10game", "maketen"),
            about=message("game.make10"),
        ),
        replace(
            _DIGITS,
            name="fractions24",
            numbers=(*range(1, 10), *_FRACTIONS),
            timed=False,
            aliases=("fractions",),
            about=message("game.fractions24"),
        ),
        Game(
            "krypto",
            tuple(range(1, 26)),
            5,
            parentheses=True,
            target=None,
            targets=(1, 25),
            cutoffs=(1.9, 4.0, 6.0, 8.6),
            about=message("game.krypto"),
        ),
        Game(
            "mathador",
            tuple(range(1, 21)),
            5,
            parentheses=True,
            all_numbers=False,
            target=None,
            targets=(0, 99),
            dice=(4, 6, 8, 12, 20),
            closest=False,
            points=MATHADOR_POINTS,
            cutoffs=(0.8, 4.3, 6.6, 8.9),
            about=message("game.mathador"),
        ),
    )
}
# The rules for judging numbers and a target without a game. It can be named like a game, but it is
# not in the lists of games, since nothing is dealt or surveyed by it.
FREE_GAME = Game(
    "free",
    tuple(range(1, 100)),
    4,
    parentheses=True,
    fractions=True,
    negatives=True,
    target=None,
    targets=(10, 100),
    about=message("game.free"),
)
# The names of the games that are played with hands; other groupings only have formulas.
HAND_GAMES = tuple(name for name, game in GAMES.items() if game.grouping == GROUPINGS[0])


def playing_rules(game: Game) -> tuple[Any, ...]:
    """Return the rules by which a game is played, without target and numbers dealt."""
    rules = [rule.value_in(game) for rule in RULES.values() if not rule.deals]
    return (*rules, game.grouping)


@lru_cache(64)
def without_target(game: Game) -> Game:
    """Return a game as a puzzle plays it: the default target is not one of its rules."""
    return replace(game, target=None, targets=(1, 1), closest=game.accepts_closest)


def _known_game(name: str) -> Game | None:
    return FREE_GAME if name == FREE_GAME.name else GAMES.get(name)


def plain_name(name: str) -> Message:
    """Return what a game is called, such as `24 game`; its name if it has no title."""
    return Message(f"name.{name}", {}, name)


def faces_of(game: Game) -> dict[Exact, str]:
    """Return the letters of playing cards by their numbers; raise RefusedError if there are none.

    A card with the number 10 has no letter, although people write T.
    """
    faces: dict[Exact, str] = {number: letter for letter, number in game.letters if number != 10}
    if not faces:
        raise RefusedError(message("paper.no_letters", game=game.name))
    return faces


def faces_text(game: Game, shown: Collection[Exact]) -> str:
    """Return what the letters of the numbers that are shown stand for."""
    pairs = ((letter, number) for number, letter in faces_of(game).items() if number in shown)
    return " · ".join(f"{letter} = {number}" for letter, number in pairs)


def find_game(game: Game | str, offered: Iterable[str] = (), *, in_order: bool = False) -> Game:
    """Return the game with a name or an alias, in any case; a `Game` is returned unchanged.

    The error for an unknown name lists the names `offered`, or all. With `in_order`, the result
    keeps the order of a hand.
    """
    if in_order:
        game = find_game(game)
        if not hasattr(game, "_ordered"):
            # A new game takes longer than its puzzle.
            game._set(_ordered=replace(game, in_order=True))
        return game._ordered
    if isinstance(game, Game):
        return game
    if not isinstance(game, str):
        raise KindError(f"invalid game {quoted(game)} (expected a name, such as cards, or a Game)")
    if known_game := _known_game(game):
        return known_game
    game_by_name = {
        name: known_game
        for known_game in GAMES.values()
        for name in (known_game.name, *known_game.aliases)
    }
    typed = re.sub(r"[\W_]", "", normalise(game).casefold())
    if known_game := game_by_name.get(typed) or _known_game(typed):
        return known_game
    known_names = [name for name in GAMES if name in offered] or list(GAMES)
    values = {"text": quoted(game), "known": ", ".join(known_names)}
    # Compare only the start of a long text, since a comparison takes quadratic time.
    similar_names = get_close_matches(typed[:_MAX_COMPARED_CHARACTERS], game_by_name, cutoff=0.7)
    similar_games = (game_by_name[name].name for name in similar_names)
    if suggestion := next((name for name in similar_games if name in known_names), ""):
        raise RefusedError(message("refused.game_meant", **values, meant=suggestion))
    raise RefusedError(message("refused.game", **values))


def change_rules(game: Game, values: Mapping[str, Any]) -> Game:
    """Return a copy of a game with other values of some rules, and of the fields linked to them."""
    if not values:
        return game
    linked = [RULES[name].linked_fields(game, values) for name in values if name in RULES]
    return replace(game, **{**values, **dict(ChainMap(*linked))})


def game_for_numbers(hand: Collection[Exact], game: Game) -> Game:
    """Return a game with which a hand can be solved, also if the game cannot deal the hand.

    Searches skip some checks if a game is `positive`. If it is and the hand has a number that is
    not above zero, the result is a copy of the game with the number 0, which is not `positive`.
    """
    if game.positive and min(hand, default=1) <= 0:
        return replace(game, numbers=(*game.numbers, 0), dice=())
    return game


def changed_fields(game: Game) -> dict[str, Any] | None:
    """Return the fields that differ from the known game, with their values; None without one."""
    known_game = _known_game(game.name)
    if known_game is None:
        return None
    values = {field_.name: getattr(game, field_.name) for field_ in fields(game) if field_.compare}
    return {name: value for name, value in values.items() if value != getattr(known_game, name)}


def less_restricted_games(game: Game) -> list[Game]:
    """Return the known games that allow everything that a game allows, and more.

    They have the same target and all numbers of the game, and fractions among their numbers only if
    the game has some. Those with the most numbers come first.
    """
    # A rule with `freedom` has a number for how much it allows: True counts more than False.
    comparable_rules = [(rule.freedom, rule.field) for rule in RULES.values() if rule.freedom]

    def freedoms(game: Game) -> list[float]:
        return [freedom(getattr(game, field_name)) for freedom, field_name in comparable_rules]

    def is_less_restricted(known_game: Game) -> bool:
        added_numbers = set(known_game.numbers).difference(game.numbers)
        return (
            known_game.target == game.target
            and set(game.numbers) <= set(known_game.numbers)
            and (has_fractions(game.numbers) or not has_fractions(added_numbers))
            # No rule allows less, and at least one rule allows more.
            and all(map(ge, freedoms(known_game), freedoms(game)))
            and freedoms(known_game) != freedoms(game)
        )

    known_games = filter(is_less_restricted, GAMES.values())
    return sorted(known_games, key=lambda known_game: -len(known_game.numbers))
