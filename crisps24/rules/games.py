"""Games as data: what numbers, how many, what rules, which targets.

A new variant is a new entry of `GAMES`: no other module knows a game by its name.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from functools import partial
from itertools import islice, pairwise
from numbers import Integral
from operator import ge
from typing import Any

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import Message, message
from crisps24.rules.characters import normalise
from crisps24.rules.exact import VALUE_LIMIT, Exact, to_exact
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

Hand = tuple[int, ...]

# How a row of operators groups into a tree; the grammar knows how each is done.
GROUPINGS = ("standard", "tail")
# Nobody deals of more numbers.
_MOST_NUMBERS = 10_000
# So many bits a numerator or a denominator has at most where an operator needs a limit.
_BITS = 31
# So much of a name is looked at.
_LONGEST_NAME = 40


class _Ruled:
    """What is made of the rules of a game once, and is no field of it."""

    __slots__ = ("extra_operators", "max_bits", "operand_rules", "result_rules")
    result_rules: tuple[ResultRule, ...]
    """The rules that the result of each step obeys, whatever the operator."""
    operand_rules: tuple[StepRule, ...]
    """The rules that also read the operands of each step."""
    extra_operators: tuple[Operator, ...]
    """The operators that it knows besides those that all games know."""
    max_bits: int | None
    """How many bits a numerator or a denominator on the way has at most; None for any."""


@dataclass(frozen=True, slots=True, repr=False)
class Game(_Ruled):
    """The rules of one game.

    Two games are equal when all their fields are; `dataclasses.replace` makes a changed copy.

    >>> from dataclasses import replace
    >>> GAMES["crisps"], replace(GAMES["crisps"], length=5, numbers=(2, 0, 1))
    (GAMES['crisps'], replace(GAMES['crisps'], numbers=(0, 1, 2), length=5))

    Raises ValueError, in one sentence, for fields that do not make a game.
    """

    name: str
    """The name of the game on the command line."""
    numbers: tuple[int, ...]
    """The numbers that can be dealt, ascending; without `repeats`, each entry is one card."""
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
    """How a row of operators groups: `standard` precedence, or `tail`, the original's slip."""
    letters: tuple[tuple[str, int], ...] = ()
    """Names that stand for numbers, such as Q for 12."""
    large: tuple[int, ...] = ()
    """The numbers that players call large, as in Countdown."""
    most: int | None = None
    """The largest result, the last one included; numbers dealt can be larger. None: no limit."""
    decimals: bool = False
    """Whether a decimal point can precede a digit or joined digits: .4 is 4/10, .44 is 44/100."""
    repeating: bool = False
    """Whether a decimal of one digit can repeat: .4… is 4/9."""
    signed: bool = False
    """Whether a minus sign can precede anything: -(4 + 4)."""
    nesting: int = 2
    """How many operators of one number can follow one another, 1 to 4."""
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
        self._check_kinds()
        if self.grouping not in GROUPINGS:
            known = ", ".join(GROUPINGS)
            raise RefusedError(f"there is no grouping {quoted(self.grouping)}; there are {known}")
        distinct = set(self.numbers) if self.repeats else self.numbers
        object.__setattr__(self, "numbers", tuple(sorted(distinct)))
        if not self.numbers:
            raise RefusedError(f"{self.name} needs at least one number")
        if self.length < 1:
            raise RefusedError(f"the length is {self.length}: a formula has at least one number")
        if self.numbers[0] < 0 and not self.negatives:
            raise RefusedError(message("rules.negative", number=self.numbers[0]))
        if not self.repeats and self.length > len(self.numbers):
            raise RefusedError(message("rules.few_numbers", count=self.length))
        self._check_operators()
        self._check_chosen()
        rules = [rule.step_rule(self) for rule in RULES.values()]
        of_results = tuple(each for each in rules if isinstance(each, ResultRule))
        object.__setattr__(self, "result_rules", of_results)
        of_operands = tuple(each for each in rules if isinstance(each, StepRule))
        object.__setattr__(self, "operand_rules", of_operands)
        if self.grouping == "tail" and (self.length != 4 or self.parentheses or self.join):
            raise RefusedError(message("rules.four_numbers", game=self.name))

    def _check_kinds(self) -> None:
        """Refuse fields of another kind than theirs, and more numbers than any game has."""
        for each in fields(self):
            value = getattr(self, each.name)
            if str(each.type).startswith("tuple"):
                object.__setattr__(self, each.name, self._several(each.name, value))
            elif each.type is str and not isinstance(value, str):
                raise KindError(f"{quoted(value)} is no {each.name} of a game: text is")
            elif each.type is bool and not isinstance(value, int):
                raise KindError(f"{quoted(value)} is no {each.name} of a game: True or False is")
        object.__setattr__(self, "length", *self._several("length", [self.length]))
        if self.target is not None:
            object.__setattr__(self, "target", to_exact(self.target))
        if self.most is not None:
            object.__setattr__(self, "most", *self._several("most", [self.most]))
        if len(self.targets) != 2:
            raise RefusedError(f"{quoted(self.targets)} are no first and last target: (1, 100) are")
        for letter in self.letters:
            if not (isinstance(letter, tuple) and [*map(type, letter)] == [str, int]):
                raise RefusedError(f"{quoted(letter)} is no letter of a number: ('Q', 12) is")

    def _several(self, name: str, values: object) -> tuple[Any, ...]:
        """Return the values of a field as a tuple, whole numbers as ints."""
        if not isinstance(values, Iterable):
            raise KindError(f"{quoted(values)} is no {name} of a game: a tuple is")
        # What is given may have no end.
        several = tuple(islice(values, _MOST_NUMBERS + 1))
        if len(several) > _MOST_NUMBERS:
            raise RefusedError(f"{self.name} has more than {_MOST_NUMBERS:,} {name}")
        if name not in ("numbers", "length", "large", "targets", "most"):
            return several
        if not all(isinstance(number, Integral) for number in several):
            what = f"the {name}" if name == "most" else "the numbers and the length"
            raise RefusedError(f"{what} of {self.name} have to be whole")
        if any(abs(int(number)) >= VALUE_LIMIT for number in several):
            raise RefusedError(f"{self.name} has {name} of more than 4,000 digits")
        return tuple(map(int, several))

    def _check_operators(self) -> None:
        known = [name for name, operator in all_operators().items() if not operator.joins]
        for name in self.operators:
            if isinstance(name, str) and name == JOIN.name:
                raise RefusedError(
                    f"{name} is no operator to choose: join says whether digits join"
                )
            if not isinstance(name, str) or name not in known:
                raise RefusedError(
                    message("refused.operator", text=quoted(name), known=" ".join(known))
                )
        if not self.operators:
            raise RefusedError(message("refused.operator_none", known=" ".join(known)))
        ordered = tuple(name for name in known if name in self.operators)
        object.__setattr__(self, "operators", ordered)
        if self.join and not 0 <= self.numbers[0] <= self.numbers[-1] <= 9:
            number = self._no_digit()
            if meant := self._with_digits():
                raise RefusedError(message("rules.join_meant", number=number, game=meant))
            raise RefusedError(message("rules.join", number=number))

    def _check_chosen(self) -> None:
        """Say which operators it knows besides those that all games know, and what limits them."""
        chosen = tuple(
            operator
            for name, operator in OPTIONAL_OPERATORS.items()
            if name in self.operators and name not in OPERATORS
        )
        if self.decimals or self.repeating:
            if not 0 <= self.numbers[0] <= self.numbers[-1] <= 9:
                raise RefusedError(message("rules.decimals", number=self._no_digit()))
            writing = (each for each in OPTIONAL_OPERATORS.values() if each.game_rule)
            chosen += tuple(each for each in writing if getattr(self, each.game_rule))
        object.__setattr__(self, "extra_operators", chosen)
        if self.bits is not None and not (type(self.bits) is int and 1 <= self.bits <= MAX_BITS):
            raise RefusedError(f"{quoted(self.bits)} are no bits: 1 to {MAX_BITS} are, or None")
        if not (type(self.nesting) is int and 1 <= self.nesting <= 4):
            raise RefusedError(f"{quoted(self.nesting)} is no depth of operators: 1 to 4 is")
        own = self.row_operators
        limited = self.bits is None and any(each.scalar_only and not each.joins for each in own)
        object.__setattr__(self, "max_bits", _BITS if limited else self.bits)
        for level in group_by_precedence((*OPERATORS.values(), *chosen)):
            for one, other in pairwise(level):
                if one.grouping != other.grouping:
                    raise RefusedError(
                        f"{one.name} and {other.name} bind as tightly, and group differently: "
                        f"{self.name} cannot have them"
                    )

    def _no_digit(self) -> int:
        """Return the first number that is not a single digit."""
        return next(number for number in self.numbers if not 0 <= number <= 9)

    def _with_digits(self) -> str:
        """Return the name of a game of the same rules with single digits only, or ""."""
        named = GAMES.get(self.name, self)
        for game in GAMES.values():
            single = game.name != self.name and 0 <= game.numbers[0] <= game.numbers[-1] <= 9
            if single and (game.target, playing_rules(game)) == (
                named.target,
                playing_rules(named),
            ):
                return game.name
        return ""

    def __repr__(self) -> str:
        """Return what makes it: its name, and what is changed of the game of that name."""
        if (changes := changed_fields(self)) is not None:
            table = "GAMES[{!r}]" if self.name in GAMES else "find_game({!r})"
            named = table.format(self.name)
            told = ", ".join(f"{name}={value!r}" for name, value in changes.items())
            return f"replace({named}, {told})" if told else named
        own = [(each, getattr(self, each.name)) for each in fields(self) if each.compare]
        told = ", ".join(f"{each.name}={value!r}" for each, value in own if value != each.default)
        return f"Game({told})"

    def __reduce__(self) -> tuple[Any, ...]:
        # What is made of the rules is made of them again.
        values = {each.name: getattr(self, each.name) for each in fields(self) if each.init}
        return partial(type(self), **values), ()

    @property
    def reorders_chains(self) -> bool:
        """Whether the rules let the terms of a chain change places."""
        return all(rule.keeps_reordering(self) for rule in RULES.values() if rule.restriction(self))

    @property
    def positive(self) -> bool:
        """Whether every intermediate value is above zero."""
        return not (self.zero or self.negatives) and self.numbers[0] > 0

    @property
    def accepts_closest(self) -> bool:
        """Whether the closest value answers a puzzle whose target cannot be made.

        Targets are dealt then, and any of the numbers may be used, as in Countdown. In all other
        games only the target is right.
        """
        return self.target is None and not self.all_numbers

    @property
    def row_operators(self) -> tuple[Operator, ...]:
        """The operators of a row in file order, with the operator that joins digits."""
        own = (
            operator
            for name, operator in OPERATORS.items()
            if name in self.operators or (operator.joins and self.join)
        )
        return (*own, *self.extra_operators)

    @property
    def operator_levels(self) -> tuple[tuple[Operator, ...], ...]:
        """The operators by precedence, highest first."""
        return group_by_precedence(self.row_operators)


_LETTERS = (("A", 1), ("T", 10), ("J", 11), ("Q", 12), ("K", 13))
_LARGE = (25, 50, 75, 100)

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
# The rules by which numbers and a target are judged of which nothing else is known. They name no
# game that is dealt or surveyed: what is called so can be named, and is not offered.
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
_NAMED = {**GAMES, FREE_GAME.name: FREE_GAME}
# Those that are played with hands: not those whose operators group in a way of their own.
HAND_GAMES = tuple(name for name, game in GAMES.items() if game.grouping == GROUPINGS[0])


def playing_rules(game: Game) -> tuple[Any, ...]:
    """Return what tells games apart by how they are played, whatever is dealt and to be made.

    >>> playing_rules(GAMES["cards"]) == playing_rules(GAMES["digits"])
    True
    """
    rules = [rule.value_in(game) for rule in RULES.values() if not rule.deals]
    return (*rules, game.grouping)


def find_game(game: Game | str, offered: Iterable[str] = ()) -> Game:
    """Return the game itself, or the game of a name or an alias, in letters of any size.

    >>> find_game("crisps").length, find_game("Chiffres").name
    (4, 'countdown')

    Raises ValueError for another name, with the one that it is like, if any, and those that are
    `offered`: all where nothing is said.
    """
    if isinstance(game, Game):
        return game
    if not isinstance(game, str):
        raise KindError(f"{quoted(game)} is no game: its name is, such as cards, or a Game")
    if game in _NAMED:
        return _NAMED[game]
    names = {known: each for each in GAMES.values() for known in (each.name, *each.aliases)}
    typed = normalise(game).casefold().strip()
    if typed in names:
        return names[typed]
    close = [
        names[known].name for known in get_close_matches(typed[:_LONGEST_NAME], names, cutoff=0.7)
    ]
    known = [name for name in GAMES if name in offered] or GAMES
    values = {"text": quoted(game), "known": ", ".join(known)}
    if meant := next((name for name in close if name in known), ""):
        raise RefusedError(message("refused.game_meant", **values, meant=meant))
    raise RefusedError(message("refused.game", **values))


def game_for_numbers(dealt: Collection[Exact], game: Game) -> Game:
    """Return a game as it is played with numbers that it may not have itself.

    What is above zero with its own numbers need not be so with others.
    """
    if game.positive and min(dealt, default=1) <= 0:
        return replace(game, numbers=(*game.numbers, 0))
    return game


def changed_fields(game: Game) -> dict[str, Any] | None:
    """Return what differs from the game of the same name; None where there is no such game.

    >>> changed_fields(replace(GAMES["cards"], fractions=False))
    {'fractions': False}
    >>> print(changed_fields(Game("mine", (1, 2), 2)))
    None
    """
    named = GAMES.get(game.name) or _NAMED.get(game.name)
    if named is None:
        return None
    values = {each.name: getattr(game, each.name) for each in fields(game) if each.compare}
    return {name: value for name, value in values.items() if value != getattr(named, name)}


def less_restricted_games(game: Game) -> list[Game]:
    """Return named games of the same target that forbid nothing that a game allows, but more.

    Those with the most numbers come first: what a hand of `game` may be meant for.

    >>> [game.name for game in less_restricted_games(GAMES["crisps"])]
    ['cards', 'digits']
    """
    compared = [(rule.freedom, rule.field) for rule in RULES.values() if rule.freedom]

    def allowed(one: Game) -> list[float]:
        return [freedom(getattr(one, name)) for freedom, name in compared]

    found = [
        each
        for each in GAMES.values()
        if each.target == game.target
        and set(game.numbers) <= set(each.numbers)
        and allowed(each) != allowed(game)
        and all(map(ge, allowed(each), allowed(game)))
    ]
    return sorted(found, key=lambda each: -len(each.numbers))


def listing_problem(game: Game) -> str:
    """Say why not all formulas of a game are rows of numbers and operators; nothing where they are.

    They are where there are no parentheses, any number can come any number of times, and all
    numbers are used.

    >>> listing_problem(GAMES["crisps"]), listing_problem(GAMES["cards"])
    ('', 'has parentheses')
    """
    if game.parentheses:
        return "has parentheses"
    for operator in game.row_operators:
        if operator.arity == 1:
            return f"has an operator of one number, {operator.name}"
    if game.signed:
        return "has a minus before anything"
    return "" if game.repeats and game.all_numbers else "deals hands of its own"
