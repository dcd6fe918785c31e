"""Games as records: the numbers, the rules and the targets of each.

`GAMES["cards"]`, for example, deals 4 of the numbers 1 to 13 and allows parentheses, fractions and
negative numbers on the way to 24. A new game is a new record in `GAMES`, or a changed copy:
`replace(GAMES["cards"], fractions=False)`. No other module names a game.
"""

from collections import ChainMap
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from fractions import Fraction
from functools import partial
from itertools import islice, pairwise
from numbers import Integral, Rational
from operator import ge
from typing import Any

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import Message, message
from crisps24.rules.characters import normalise
from crisps24.rules.exact import VALUE_LIMIT, Exact, has_fractions, to_exact
from crisps24.rules.operators import (
    JOIN,
    MAX_BITS,
    OPERATORS,
    OPTIONAL_OPERATORS,
    Operator,
    ResultRule,
    StepRule,
    all_operators,
    group_by_precedence,
)
from crisps24.rules.rules import RULES

Hand = tuple[Exact, ...]

# How operators without parentheses group: by precedence, or as in game24. See `notation`.
GROUPINGS = ("standard", "tail")
# Entries of a field of a game, such as its numbers.
_MAX_ENTRIES = 10_000
# The default limit of results, in bits, of games with an operator that needs a limit.
_DEFAULT_BITS = 31
# Characters of an unknown name that are compared with the known names.
_MAX_COMPARED_CHARACTERS = 40


class _DerivedRules:
    """Attributes of a game that are derived from its fields once and do not count for equality."""

    __slots__ = ("extra_operators", "max_bits", "operand_rules", "result_rules")
    result_rules: tuple[ResultRule, ...]
    """The rules of the result of each step, for all operators."""
    operand_rules: tuple[StepRule, ...]
    """The rules that also read the operands of each step."""
    extra_operators: tuple[Operator, ...]
    """Its operators that not all games have: chosen ones such as `^`, and those for decimals."""
    max_bits: int | None
    """The largest length of a numerator or a denominator of a result, in bits; None: no limit."""


@dataclass(frozen=True, slots=True, repr=False)
class Game(_DerivedRules):
    """The rules of one game.

    Two games are equal if all their fields are, except `style`, `aliases` and `about`.
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
    """Whether a minus sign can precede anything: -(4 + 4)."""
    nesting: int = 2
    """How many unary operators can follow one another, 1 to 4."""
    bits: int | None = None
    """The largest numerator or denominator of a result, in bits; None: no limit, or 31 bits if an
    operator needs a limit."""
    style: str = field(default="cards", compare=False)
    """The default style of printed expressions."""
    aliases: tuple[str, ...] = field(default=(), compare=False)
    """Other names of the game on the command line."""
    about: Message | str = field(default="", compare=False)
    """A description of the game in one or two sentences."""

    def __post_init__(self) -> None:
        # Check each field, then the numbers and the length together.
        self._check_types()
        if self.grouping not in GROUPINGS:
            known = ", ".join(GROUPINGS)
            raise RefusedError(f"unknown grouping {quoted(self.grouping)} (expected {known})")
        distinct = set(self.numbers) if self.repeats else self.numbers
        object.__setattr__(self, "numbers", tuple(sorted(distinct)))
        object.__setattr__(self, "large", tuple(sorted(self.large)))
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
        self._set_operators()
        self._set_extra_operators()
        # Collect the checks of each step, which the records of the rules derive from the fields.
        rules = [rule.step_rule(self) for rule in RULES.values()]
        result_rules = tuple(rule for rule in rules if isinstance(rule, ResultRule))
        object.__setattr__(self, "result_rules", result_rules)
        operand_rules = tuple(rule for rule in rules if isinstance(rule, StepRule))
        object.__setattr__(self, "operand_rules", operand_rules)
        # Only formulas of four numbers have this grouping.
        if self.grouping == "tail" and (self.length != 4 or self.parentheses or self.join):
            raise RefusedError(message("rules.four_numbers", game=self.name))

    def _check_types(self) -> None:
        """Check the types and the sizes of all fields, and convert sequences to tuples.

        Whole numbers of any type, such as numpy integers, become ints. Fields whose values have
        other limits are checked elsewhere.

        Raises KindError for a value of a wrong type, and RefusedError for a value that is too long
        or too large, or that has entries of a wrong form.
        """
        for field_ in fields(self):
            name, value = field_.name, getattr(self, field_.name)
            # The types are texts here, such as "tuple[int, ...]".
            if str(field_.type).startswith("tuple"):
                object.__setattr__(self, name, self._checked_tuple(name, value))
            elif field_.type is str and not isinstance(value, str):
                raise KindError(f"invalid {name} of a game {quoted(value)} (expected text)")
            elif field_.type is bool and not isinstance(value, int):
                raise KindError(
                    f"invalid {name} of a game {quoted(value)} (expected True or False)"
                )
        object.__setattr__(self, "length", *self._checked_tuple("length", [self.length]))
        if self.target is not None:
            object.__setattr__(self, "target", to_exact(self.target))
        if self.most is not None:
            object.__setattr__(self, "most", *self._checked_tuple("most", [self.most]))
        if len(self.targets) != 2:
            targets = quoted(self.targets)
            raise RefusedError(f"invalid targets {targets} (expected two, such as (1, 100))")
        for letter in self.letters:
            if not (isinstance(letter, tuple) and [*map(type, letter)] == [str, int]):
                raise RefusedError(f"invalid letter {quoted(letter)} (expected such as ('Q', 12))")

    def _checked_tuple(self, name: str, values: object) -> tuple[Any, ...]:
        """Return the values of a field as a tuple, after checks of their number and size.

        `name` is the name of the field. If its values must be whole numbers, they become ints: the
        list [1, 2, 5] of the field `numbers` becomes (1, 2, 5).

        Raises KindError if the values are not iterable. Raises RefusedError for more than 10,000
        values, for numbers that are not whole, and for numbers of more than 4,000 digits. Fractions
        are accepted in `numbers` only.
        """
        if not isinstance(values, Iterable):
            raise KindError(f"invalid {name} of a game {quoted(values)} (expected a tuple)")
        # An iterator can be endless: read only one entry too many.
        entries = tuple(islice(values, _MAX_ENTRIES + 1))
        if len(entries) > _MAX_ENTRIES:
            raise RefusedError(f"{self.name} has more than {_MAX_ENTRIES:,} {name}")
        if name not in ("numbers", "length", "large", "targets", "most"):
            return entries
        if name == "numbers" and all(isinstance(number, Rational) for number in entries):
            return tuple(map(to_exact, entries))
        if not all(isinstance(number, Integral) for number in entries):
            subjects = {"most": "the most", "large": "the large tiles"}
            subject = subjects.get(name, "the numbers and the length")
            raise RefusedError(f"{subject} of {self.name} have to be whole")
        if any(abs(int(number)) >= VALUE_LIMIT for number in entries):
            raise RefusedError(f"{self.name} has {name} of more than 4,000 digits")
        return tuple(map(int, entries))

    def _set_operators(self) -> None:
        """Check the chosen operators, and sort them in the order of `all_operators`.

        The operators ("+", "-") become ("-", "+"). Also check that all numbers are single digits
        if the game joins digits.

        Raises RefusedError for an unknown operator, a game without operators, and numbers that
        cannot be joined.
        """
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
        ordered = tuple(name for name in known_names if name in self.operators)
        object.__setattr__(self, "operators", ordered)
        if self.join and not self.has_only_digits:
            number = self._first_long_number()
            if similar_game := self._name_of_digit_game():
                raise RefusedError(message("rules.join_meant", number=number, game=similar_game))
            raise RefusedError(message("rules.join", number=number))

    def _set_extra_operators(self) -> None:
        """Set the fields `extra_operators` and `max_bits` from the other fields, after checks.

        `extra_operators` are the chosen operators that most games do not have, such as the power ^,
        then the decimal points if a rule of the game allows them. `max_bits` is the limit for the
        length of results: the field `bits`, or 31 bits if an operator such as ^ needs a limit.

        Raises RefusedError for an invalid value of `bits` or `nesting`, for decimals of numbers
        above 9, and for two operators of equal precedence of which one is computed from the left
        and the other from the right.
        """
        # First the operators that the game chooses by name.
        extra_operators = tuple(
            operator
            for name, operator in OPTIONAL_OPERATORS.items()
            if name in self.operators and name not in OPERATORS
        )
        # Then the decimal points, which rules allow: .4 needs a number of one digit.
        if self.decimals or self.repeating:
            if not self.has_only_digits:
                raise RefusedError(message("rules.decimals", number=self._first_long_number()))
            # For example, the rule of the operator "." is the field `decimals`.
            extra_operators += tuple(
                operator
                for operator in OPTIONAL_OPERATORS.values()
                if operator.game_rule and getattr(self, operator.game_rule)
            )
        object.__setattr__(self, "extra_operators", extra_operators)
        # Check both limits. Without a limit of bits, powers would have results of any length.
        if self.bits is not None and not (type(self.bits) is int and 1 <= self.bits <= MAX_BITS):
            raise RefusedError(
                f"invalid bits {quoted(self.bits)} (expected 1 to {MAX_BITS}, or None)"
            )
        if not (type(self.nesting) is int and 1 <= self.nesting <= 4):
            raise RefusedError(f"invalid nesting {quoted(self.nesting)} (expected 1 to 4)")
        needs_limit = any(
            operator.scalar_only and not operator.joins for operator in self.row_operators
        )
        use_default = self.bits is None and needs_limit
        object.__setattr__(self, "max_bits", _DEFAULT_BITS if use_default else self.bits)
        # Operators of equal precedence must group alike: all from the left, or all from the right.
        for group in group_by_precedence((*OPERATORS.values(), *extra_operators)):
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
        """Return the first number that is not a single digit."""
        return next(
            number for number in self.numbers if not (isinstance(number, int) and 0 <= number <= 9)
        )

    def _name_of_digit_game(self) -> str:
        """Return the name of a known game with the rules of this one, but only single digits.

        An error suggests it: the numbers of `cards` go up to 13 and cannot be joined, those of
        `digits` can. If this game has the name of a known game, its changed rules are ignored: the
        known game is compared with the others. The result is "" if no game fits.

        >>> replace(GAMES["cards"], zero=False)._name_of_digit_game()
        'digits'
        """
        known_game = GAMES.get(self.name, self)
        rules = known_game.target, playing_rules(known_game)
        for game in GAMES.values():
            is_candidate = game.name != self.name and game.has_only_digits
            if is_candidate and (game.target, playing_rules(game)) == rules:
                return game.name
        return ""

    def __repr__(self) -> str:
        """Return a call that creates the game: the known game of its name, with changed fields.

        >>> replace(GAMES["cards"], zero=False)
        replace(GAMES['cards'], zero=False)
        >>> Game("mine", (1, 2), 2)
        Game(name='mine', numbers=(1, 2), length=2)
        """
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
        # A copy derives the rules from the fields again.
        values = {field_.name: getattr(self, field_.name) for field_ in fields(self) if field_.init}
        return partial(type(self), **values), ()

    @property
    def reorders_chains(self) -> bool:
        """Whether each order of the terms of a chain is legal if one order is legal.

        A chain has only + and -, or only x and :, such as a - b + c. If this is True, searches
        compute one order only. Each rule that restricts the game must have `keeps_reordering`.
        """
        return all(rule.keeps_reordering(self) for rule in RULES.values() if rule.restriction(self))

    @property
    def positive(self) -> bool:
        """Whether every number and every intermediate result is above zero."""
        return not (self.zero or self.negatives) and self.numbers[0] > 0

    @property
    def accepts_closest(self) -> bool:
        """Whether the closest value answers a puzzle whose target cannot be reached.

        This holds for games that draw their targets and allow any subset of the numbers, such as
        Countdown. In all other games only the target is right.
        """
        return self.target is None and not self.all_numbers

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
    about=message("game.crisps"),
)
_DIGITS = Game(
    "digits",
    tuple(range(1, 10)),
    4,
    parentheses=True,
    fractions=True,
    negatives=True,
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
    aliases=("cifras",),
    about=message("game.numble"),
)

GAMES: dict[str, Game] = {
    game.name: game
    for game in (
        _CRISPS,
        replace(
            _CRISPS,
            name="game24",
            grouping="tail",
            about=message("game.game24"),
        ),
        _DIGITS,
        replace(
            _DIGITS,
            name="cards",
            numbers=tuple(range(1, 14)),
            letters=_LETTERS,
            aliases=("24",),
            about=message("game.cards"),
        ),
        _NUMBLE,
        replace(
            _NUMBLE,
            name="countdown",
            numbers=(*range(1, 11), *range(1, 11), *_LARGE),
            zero=False,
            aliases=("chiffres",),
            about=message("game.countdown"),
        ),
        replace(
            _DIGITS,
            name="make10",
            numbers=tuple(range(10)),
            target=10,
            aliases=("10",),
            about=message("game.make10"),
        ),
        replace(
            _DIGITS,
            name="fractions24",
            numbers=(*range(1, 10), *_FRACTIONS),
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
            about=message("game.krypto"),
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
_GAMES_BY_NAME = {**GAMES, FREE_GAME.name: FREE_GAME}
# The names of the games that are played with hands; other groupings only have formulas.
HAND_GAMES = tuple(name for name, game in GAMES.items() if game.grouping == GROUPINGS[0])


def playing_rules(game: Game) -> tuple[Any, ...]:
    """Return the values of the rules by which a game is played, as a tuple, to compare games.

    The target and the rules about dealt numbers are left out: games with equal tuples can deal
    different numbers and lengths of hands.

    >>> playing_rules(GAMES["cards"]) == playing_rules(GAMES["digits"])
    True
    """
    rules = [rule.value_in(game) for rule in RULES.values() if not rule.deals]
    return (*rules, game.grouping)


def find_game(game: Game | str, offered: Iterable[str] = ()) -> Game:
    """Return the game with a name or an alias, in any case; a `Game` is returned unchanged.

    >>> find_game("crisps").length, find_game("Chiffres").name
    (4, 'countdown')

    Args:
        game: The name or the game.
        offered: The names that the error lists and suggests; by default all names. Games with other
            names are found too.

    Raises:
        KindError: the argument is not a `Game` or a `str`. KindError is a TypeError.
        RefusedError: no game has this name; the error lists the names and suggests a similar one.
    """
    if isinstance(game, Game):
        return game
    if not isinstance(game, str):
        raise KindError(f"invalid game {quoted(game)} (expected a name, such as cards, or a Game)")
    if game in _GAMES_BY_NAME:
        return _GAMES_BY_NAME[game]
    game_by_name = {
        name: known_game
        for known_game in GAMES.values()
        for name in (known_game.name, *known_game.aliases)
    }
    typed = normalise(game).casefold().strip()
    if typed in game_by_name:
        return game_by_name[typed]
    if typed == FREE_GAME.name:
        return FREE_GAME
    # No game has this name: list the known names, and suggest the most similar one.
    known_names = [name for name in GAMES if name in offered] or list(GAMES)
    values = {"text": quoted(game), "known": ", ".join(known_names)}
    # Compare only the start of a long text, since a comparison takes quadratic time.
    similar_names = get_close_matches(typed[:_MAX_COMPARED_CHARACTERS], game_by_name, cutoff=0.7)
    similar_games = (game_by_name[name].name for name in similar_names)
    if suggestion := next((name for name in similar_games if name in known_names), ""):
        raise RefusedError(message("refused.game_meant", **values, meant=suggestion))
    raise RefusedError(message("refused.game", **values))


def change_rules(game: Game, values: Mapping[str, Any]) -> Game:
    """Return a copy of a game with other values of some rules, by the names of their fields.

    Without values, the result is the game itself. A rule can change other fields too: other large
    tiles also replace the old ones in `numbers`.

    >>> change_rules(GAMES["numble"], {"large": (12, 37)}).numbers
    (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 37)

    Raises RefusedError for values that the game cannot have.
    """
    if not values:
        return game
    linked = [RULES[name].linked_fields(game, values) for name in values if name in RULES]
    return replace(game, **{**values, **dict(ChainMap(*linked))})


def game_for_numbers(hand: Collection[Exact], game: Game) -> Game:
    """Return a game with which a hand can be solved, also if the game cannot deal the hand.

    Searches skip some checks if a game is `positive`: all values are above zero. If such a game
    gets a hand with a number that is not above zero, a copy of the game with the number 0 is
    returned, which is not `positive`. Otherwise the game is returned unchanged.

    >>> game = GAMES["countdown"]
    >>> game.positive, game_for_numbers((0, 2), game).positive
    (True, False)
    """
    if game.positive and min(hand, default=1) <= 0:
        return replace(game, numbers=(*game.numbers, 0))
    return game


def changed_fields(game: Game) -> dict[str, Any] | None:
    """Return the fields in which a game differs from the known game of the same name.

    The result maps each name of a field to its value in `game`. It is None if no known game has
    this name.

    >>> changed_fields(replace(GAMES["cards"], fractions=False))
    {'fractions': False}
    >>> print(changed_fields(Game("mine", (1, 2), 2)))
    None
    """
    known_game = GAMES.get(game.name) or _GAMES_BY_NAME.get(game.name)
    if known_game is None:
        return None
    values = {field_.name: getattr(game, field_.name) for field_ in fields(game) if field_.compare}
    return {name: value for name, value in values.items() if value != getattr(known_game, name)}


def less_restricted_games(game: Game) -> list[Game]:
    """Return the known games that allow everything that a game allows, and more.

    The returned games have the same target and all numbers of the game, and fractions among their
    numbers only if the game has some. The games with the most numbers come first. Cards and digits
    also allow parentheses, fractions and negative numbers:

    >>> [game.name for game in less_restricted_games(GAMES["crisps"])]
    ['cards', 'digits']
    """
    # A rule with `freedom` has a number for how much it allows: True counts more than False.
    comparable_rules = [(rule.freedom, rule.field) for rule in RULES.values() if rule.freedom]

    def freedoms(game: Game) -> list[float]:
        return [freedom(getattr(game, field_name)) for freedom, field_name in comparable_rules]

    freedoms_of_game = freedoms(game)
    less_restricted = []
    for known_game in GAMES.values():
        added_numbers = set(known_game.numbers).difference(game.numbers)
        has_numbers = set(game.numbers) <= set(known_game.numbers)
        has_numbers &= has_fractions(game.numbers) or not has_fractions(added_numbers)
        if known_game.target == game.target and has_numbers:
            freedoms_of_known = freedoms(known_game)
            # No rule allows less, and at least one rule allows more.
            allows_all = all(map(ge, freedoms_of_known, freedoms_of_game))
            if allows_all and freedoms_of_known != freedoms_of_game:
                less_restricted.append(known_game)
    return sorted(less_restricted, key=lambda known_game: -len(known_game.numbers))


def listing_problem(game: Game) -> str:
    """Return an English text that says why the formulas of a game cannot be listed, or "".

    Formulas are listed as rows: numbers with operators between them, such as 4 x 3 + 8. This needs
    a game without parentheses and without operators of one number. Such a game must also allow
    each number to occur several times, and require that a formula uses all numbers of a hand.

    >>> listing_problem(GAMES["crisps"]), listing_problem(GAMES["cards"])
    ('', 'has parentheses')
    """
    if game.parentheses:
        return "has parentheses"
    if has_fractions(game.numbers):
        return "lists formulas of whole numbers only"
    for operator in game.row_operators:
        if operator.arity == 1:
            return f"has an operator of one number, {operator.name}"
    if game.signed:
        return "has a minus before anything"
    return "" if game.repeats and game.all_numbers else "deals hands of its own"
