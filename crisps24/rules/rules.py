"""The rules of games as records: one each, with all that is known of it.

A rule is a field of `Game` in which games differ. Options, ids, addresses, forms, titles and tables
are made of these records, in their order: a new rule needs a field of `Game` and a record here.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import ENGLISH, Language, Message, as_message, english, message
from crisps24.rules.exact import Exact
from crisps24.rules.operators import (
    MAX_BITS,
    NOT_BELOW_ZERO,
    NOT_ZERO,
    AnyRule,
    ResultRule,
    StepRule,
    max_bits_rule,
    vectorize_rule,
)
from crisps24.rules.words import (
    format_numbers,
    format_operators,
    parse_limit,
    parse_numbers,
    parse_operators,
)

# A `games.Game`, whose module imports this one.
AnyGame = Any


class Kind(NamedTuple):
    """What the values of a rule are, and how they are read and written as text."""

    name: str
    """What is asked for on the command line: `--numbers SPEC`; `flag` for yes and no."""
    read: Callable[[str], Any]
    write: Callable[[Any], str]
    bounds: tuple[int, int] | None = None
    """The least and the largest, of whole numbers."""


def _read_flag(text: str) -> bool:
    if text not in ("yes", "no"):
        raise RefusedError(message("refused.flag", text=quoted(text)))
    return text == "yes"


def _up_to(most: int, key: str = "refused.number") -> Callable[[str], int]:
    """Return the reader of a whole number from 1 to a maximum of at most 99."""
    limits = {"most": most} if key == "refused.number_or_none" else {"least": 1, "most": most}

    def read(text: str) -> int:
        if not re.fullmatch("[1-9][0-9]?", text) or int(text) > most:
            raise RefusedError(message(key, text=quoted(text), **limits))
        return int(text)

    return read


_read_bits = _up_to(MAX_BITS, "refused.number_or_none")
_read_nesting = _up_to(4)
_read_length = _up_to(99)
FLAG = Kind("flag", _read_flag, lambda value: "yes" if value else "no")
LENGTH = Kind("integer", _read_length, str, (1, 99))
NUMBERS = Kind("spec", parse_numbers, format_numbers)
NESTING = Kind("depth", _read_nesting, str, (1, 4))
SIGNS = Kind("signs", parse_operators, "".join)
BITS = Kind(
    "bits",
    lambda text: None if text == "none" else _read_bits(text),
    lambda bits: "none" if bits is None else str(bits),
)
LIMIT = Kind("limit", parse_limit, lambda limit: "none" if limit is None else str(limit))


@dataclass(frozen=True, slots=True)
class Rule:
    """All that is known of one rule.

    >>> RULES["all_numbers"].word, RULES["all_numbers"].option_for(False)
    ('all', '--any-subset')
    """

    field: str
    """The field of `Game`."""
    kind: Kind
    title: Callable[[Any], str]
    """A value to what a title says of it, where it is not as usual: `no fractions`."""
    word: str = ""
    """Its name in ids and addresses; the field's where nothing is said."""
    column: str = ""
    """Its name in the table of games; the field's where nothing is said."""
    label: Message | str = ""
    """Its name in a form; without one it is in none."""
    placeholder: str = ""
    """What may be typed there, if it is no flag."""
    help: str = ""
    """What is said of its option; without, no option changes it."""
    option: str = ""
    """Its option; made of the field where nothing is said."""
    queries: tuple[str, ...] = ("rows", "hands")
    """Queries that it can change: `rows` (all formulas of a game), `hands` (solutions), `values`
    (which values a hand makes, and whether one formula is legal)."""
    deals: bool = False
    """Whether it says what is dealt, and not how it is played."""
    line: Callable[[AnyGame], Message | str] = lambda _: ""
    """A game to the words for this rule in its line of rules; empty where nothing is said."""
    sentence: Callable[[AnyGame], Message | str] = lambda _: ""
    """A game to the sentence for its players; empty where nothing is said."""
    restriction: Callable[[AnyGame], AnyRule | None] = lambda _: None
    """A game to the rule that the result of each step obeys, if any; see `of_steps`."""
    reads_operands: bool = False
    """Whether that rule also reads the operands of a step: it is a `StepRule` then, and must say
    the same of a + b and b + a."""
    keeps_reordering: Callable[[AnyGame], bool] = lambda _: False
    """Whether the terms of a chain may still change places in a game where it forbids something:
    whether, where a - (b - c) or a : (b : c) is legal, a + c - b or a x c : b is legal too, and
    so is any other order of terms. No, where nothing is said."""
    target_problem: Callable[[Exact, AnyGame], Message | str] = lambda _target, _game: ""
    """A target and a game to the message about why it cannot have the target; empty if it can."""
    freedom: Callable[[Any], float] | None = None
    """A value to how much it allows, where games are compared by that."""

    def __post_init__(self) -> None:
        dashed = self.field.replace("_", "-")
        usual = f"--{dashed}/--no-{dashed}" if self.kind is FLAG else f"--{dashed}"
        for name, otherwise in (("word", self.field), ("column", self.field), ("option", usual)):
            object.__setattr__(self, name, getattr(self, name) or otherwise)

    def value_in(self, game: AnyGame) -> Any:
        """Return what a game has."""
        return getattr(game, self.field)

    def step_rule(self, game: AnyGame) -> AnyRule | None:
        """Return the rule that the steps of a game obey, if any, ready for columns of values.

        Raises RefusedError for a rule that reads operands if the record does not say so.
        """
        rule = self.restriction(game)
        if rule is None:
            return None
        if isinstance(rule, StepRule) != self.reads_operands:
            kind = "StepRule" if self.reads_operands else "ResultRule"
            told = "reads operands" if self.reads_operands else "does not say reads_operands"
            raise RefusedError(f"the rule {self.field} {told}: it needs a {kind}")
        if self.reads_operands and any(each.arity == 1 for each in game.row_operators):
            raise RefusedError(
                f"the rule {self.field} reads two operands: {game.name} cannot have it with "
                "operators of one number"
            )
        if self.reads_operands and game.signed:
            raise RefusedError(
                f"the rule {self.field} reads two operands: {game.name} cannot have it with a "
                "minus before anything"
            )
        return vectorize_rule(rule)

    def option_for(self, value: Any) -> str:
        """Return the option that makes it so, in one word."""
        if self.kind is FLAG:
            return self.option.split("/")[not value]
        return f"{self.option}={self.kind.write(value)}"


def _if(field: str, key: str) -> Callable[[AnyGame], Message | str]:
    """Return the function from a game to a message with its value, where it has a rule."""

    def said(game: AnyGame) -> Message | str:
        value = getattr(game, field)
        return message(key, value=value) if value not in (False, None) else ""

    return said


def _with(what: str) -> Callable[[bool], str]:
    return lambda there: what if there else f"no {what}"


@cache
def _not_above(most: int | None) -> ResultRule | None:
    if most is None:
        return None
    return ResultRule(
        lambda result: result <= most,
        lambda _left, _right, result: message("step.above", value=result, most=most),
        code="too-large",
        takes_columns=True,
    )


def _results(section: str) -> Callable[[AnyGame], Message]:
    """Return the function from a game to the message of a section for what its results may be."""

    def said(game: AnyGame) -> Message:
        names = ["fractions"] * game.fractions + ["negatives"] * game.negatives or ["whole"]
        names += ["zero"] * (game.zero and section == "player")
        return message(f"{section}.{'_'.join(names)}")

    return said


# A maintainer, or a test, may add to it.
RULES: dict[str, Rule] = {
    rule.field: rule
    for rule in (
        Rule(
            "numbers",
            NUMBERS,
            lambda numbers: f"numbers {format_numbers(numbers)}",
            label=message("rule.numbers"),
            placeholder="1..9",
            help="Numbers that can be dealt, such as 1..10,25,50.",
            deals=True,
        ),
        Rule(
            "length",
            LENGTH,
            lambda length: "1 number" if length == 1 else f"{length} numbers",
            column="hand",
            label=message("rule.length"),
            placeholder="4",
            help="How many numbers a formula has.",
            queries=("rows",),
            deals=True,
        ),
        Rule(
            "operators",
            SIGNS,
            lambda operators: f"operators {format_operators(operators)}",
            label=message("rule.operators"),
            placeholder="+ - x :",
            help='Operators allowed, such as "+-x:".',
        ),
        Rule(
            "repeats",
            FLAG,
            lambda repeats: f"numbers {'more than' if repeats else 'at most'} once",
            deals=True,
        ),
        Rule(
            "parentheses",
            FLAG,
            _with("parentheses"),
            label=message("rule.parentheses"),
            help="Allow parentheses.",
            queries=("hands",),
            line=lambda game: message(f"line.{'' if game.parentheses else 'no_'}parentheses"),
            freedom=int,
        ),
        Rule(
            "fractions",
            FLAG,
            _with("fractions"),
            label=message("rule.fractions"),
            help="Allow fractions as intermediate results.",
            # One sentence says which results may be fractions, below zero and zero.
            line=_results("line"),
            sentence=_results("player"),
            target_problem=lambda target, game: (
                ""
                if game.fractions or isinstance(target, int)
                else english("{game} has only whole targets: allow fractions", game=game.name)
            ),
            freedom=int,
        ),
        Rule(
            "negatives",
            FLAG,
            _with("negatives"),
            label=message("rule.negatives"),
            help="Allow intermediate results below zero.",
            restriction=lambda game: None if game.negatives else NOT_BELOW_ZERO,
            # What is added can come first, and nothing is lost.
            keeps_reordering=lambda _: True,
            target_problem=lambda target, game: (
                ""
                if game.negatives or target >= 0
                else english(
                    "targets of {game} cannot be less than zero: allow negative numbers",
                    game=game.name,
                )
            ),
            freedom=int,
        ),
        Rule(
            "zero",
            FLAG,
            _with("zero"),
            label=message("rule.zero"),
            help="Allow intermediate results of zero.",
            line=lambda game: "" if game.zero else message("line.no_zero"),
            restriction=lambda game: None if game.zero else NOT_ZERO,
            # Below zero a chain in another order might pass through it: 1 - (1 + 1) is legal
            # then, and 1 - 1 - 1 is not.
            keeps_reordering=lambda game: not game.negatives,
            freedom=int,
        ),
        Rule(
            "most",
            LIMIT,
            lambda most: "results of any size" if most is None else f"results up to {most}",
            label=message("rule.most"),
            placeholder="100",
            help="Largest intermediate result allowed; none for no limit.",
            line=_if("most", "line.most"),
            sentence=_if("most", "player.most"),
            restriction=lambda game: _not_above(game.most),
            freedom=lambda most: float("inf") if most is None else most,
        ),
        Rule(
            "all_numbers",
            FLAG,
            lambda every: "every number used" if every else "any subset",
            word="all",
            column="all numbers used",
            label=message("rule.all_numbers"),
            help="Require all numbers, or allow any subset.",
            option="--all-numbers/--any-subset",
            queries=("hands",),
            line=lambda game: message(f"line.{'all' if game.all_numbers else 'any'}_numbers"),
        ),
        Rule(
            "join",
            FLAG,
            _with("joined digits"),
            label=message("rule.join"),
            help="Allow digits to be joined: 1 and 2 make 12.",
            line=_if("join", "line.join"),
            sentence=_if("join", "player.join"),
        ),
        Rule(
            "decimals",
            FLAG,
            _with("decimals"),
            help="Allow a decimal point: .4 is 4/10; with --join, .44 is 44/100.",
            line=_if("decimals", "line.decimals"),
            sentence=lambda game: (
                message(f"player.decimals{'_join' * game.join}") if game.decimals else ""
            ),
            queries=("values",),
        ),
        Rule(
            "repeating",
            FLAG,
            _with("repeating decimals"),
            help="Allow repeating decimals: .4… is 4/9.",
            line=_if("repeating", "line.repeating"),
            sentence=_if("repeating", "player.repeating"),
            queries=("values",),
        ),
        Rule(
            "signed",
            FLAG,
            _with("minus before a number"),
            help="Allow a minus sign before anything: -(4 + 4).",
            line=_if("signed", "line.signed"),
            sentence=_if("signed", "player.signed"),
            queries=("values",),
        ),
        Rule(
            "nesting",
            NESTING,
            lambda times: f"operators of one number {times} deep",
            help="How many unary operators can be stacked: 2 allows √√16.",
            queries=("values",),
        ),
        Rule(
            "bits",
            BITS,
            lambda bits: "numbers of any length" if bits is None else f"numbers of {bits} bits",
            help="Largest numerator or denominator, in bits; none for no limit (31 where operators "
            "need one).",
            line=lambda game: (
                "" if game.max_bits is None else message("line.bits", most=2**game.max_bits - 1)
            ),
            sentence=lambda game: (
                "" if game.max_bits is None else message("player.bits", most=2**game.max_bits - 1)
            ),
            restriction=lambda game: (
                None if game.max_bits is None else max_bits_rule(game.max_bits)
            ),
        ),
    )
}


def rules_with_options(*of: str) -> tuple[str, ...]:
    """Return the rules that options change in queries of some kinds: see `Rule.of`.

    >>> rules_with_options("rows")[:3]
    ('numbers', 'length', 'operators')
    """
    return tuple(
        name for name, rule in RULES.items() if rule.help and not {*of}.isdisjoint(rule.queries)
    )


def format_rules(game: AnyGame, language: Language = ENGLISH) -> str:
    """Say in a line what a game allows, its operators apart.

    >>> from crisps24 import GAMES
    >>> format_rules(GAMES["countdown"])
    'brackets, whole numbers only, no result of zero, numbers can be left over'
    """
    lines = [as_message(rule.line(game)).text(language) for rule in RULES.values()]
    return language.text("list.clauses").join(filter(None, lines))


def format_task(
    game: AnyGame,
    signs: Iterable[str],
    target: Exact | None = None,
    *,
    counted: bool = True,
    language: Language = ENGLISH,
) -> str:
    r"""Return the task of a game and its rules for players, with operators of such signs.

    Without a target, the target is the bold number of each card. Without `counted`, the numbers of
    hands are not counted, because they differ. No-break spaces hold the signs together.

    >>> from crisps24 import GAMES
    >>> print(format_task(GAMES["cards"], "+-x/", 24).replace("\xa0", " ").split(". ")[0])
    Use all 4 numbers once each, with + - x / and brackets, to make 24
    """
    which = "all" if game.all_numbers else "any"
    what = "others" if target is None else "numbers"
    places: dict[str, Any] = {} if target is None else {"target": target}
    if counted:
        places["count"] = game.length
    brackets = "task.brackets" if game.parentheses else "task.no_brackets"
    task = message(
        f"task.{which}_{what}{'' if counted else '_some'}",
        signs=message(brackets, signs="\u00a0".join(signs)),
        **places,
    )
    sentences = [task, *(as_message(rule.sentence(game)) for rule in RULES.values())]
    texts = [sentence.text(language) for sentence in sentences]
    return language.text("list.sentences").join(filter(None, texts))


def target_problem(target: Exact, game: AnyGame) -> Message | None:
    """Return the message about why a game can never have a target; None if it can.

    >>> from fractions import Fraction
    >>> from crisps24 import GAMES
    >>> print(target_problem(Fraction(3, 4), GAMES["crisps"]))
    crisps has only whole targets: allow fractions
    """
    reasons = (rule.target_problem(target, game) for rule in RULES.values())
    return next((as_message(reason) for reason in reasons if reason), None)
