"""The rules of games as records.

A rule is a field of `Game` in which games differ, such as `fractions`. Its record in `RULES` has
all texts and functions for it: options, ids, addresses, forms, titles and tables are derived from
the records, in their order. A new rule needs a field of `Game` and a record. `RULES["zero"]`, for
example, has the word `zero` of ids, the option `--zero/--no-zero`, and the `StepRule` that
forbids results of zero.

Texts are messages, or English texts that are shown in all languages. A game without a text of a
rule has "".
"""

import re
from collections.abc import Callable, Iterable, Mapping
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
    AnyGame,
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


class Kind(NamedTuple):
    """A type of values of rules, and its text form; `read` raises RefusedError."""

    name: str
    """The placeholder of the value in the help of commands (`--numbers SPEC`), or `flag`."""
    read: Callable[[str], Any]
    write: Callable[[Any], str]
    bounds: tuple[int, int] | None = None
    """The least and the largest value, for whole numbers."""


def _read_flag(text: str) -> bool:
    if text not in ("yes", "no"):
        raise RefusedError(message("refused.flag", text=quoted(text)))
    return text == "yes"


def _up_to(most: int, or_none: bool = False) -> Callable[[str], int | None]:
    """Return a function that reads a whole number from 1 to `most`, which is at most 99."""

    def read(text: str) -> int | None:
        if or_none and text == "none":
            return None
        if not re.fullmatch("[1-9][0-9]?", text) or int(text) > most:
            if or_none:
                raise RefusedError(message("refused.number_or_none", text=quoted(text), most=most))
            raise RefusedError(message("refused.number", text=quoted(text), least=1, most=most))
        return int(text)

    return read


def _write_or_none(value: int | None) -> str:
    return "none" if value is None else str(value)


FLAG = Kind("flag", _read_flag, lambda value: "yes" if value else "no")
LENGTH = Kind("integer", _up_to(99), str, (1, 99))
NUMBERS = Kind("spec", parse_numbers, format_numbers)
TILES = Kind(
    "spec",
    lambda text: () if text.strip().lower() == "none" else parse_numbers(text),
    lambda numbers: format_numbers(numbers) or "none",
)
NESTING = Kind("depth", _up_to(4), str, (1, 4))
SIGNS = Kind("signs", parse_operators, "".join)
BITS = Kind("bits", _up_to(MAX_BITS, or_none=True), _write_or_none)
LIMIT = Kind("limit", parse_limit, _write_or_none)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: its text forms, and how it restricts the steps and the targets of a game."""

    field: str
    """The field of `Game`."""
    kind: Kind
    title: Callable[[Any], str]
    """Its name in titles of changed games, by its value: `no fractions`."""
    word: str = ""
    """Its name in ids and addresses; by default `field`."""
    column: str = ""
    """Its name in the table of games; by default `field`."""
    label: Message | str = ""
    """Its name in forms; without a label, forms do not have it."""
    placeholder: str = ""
    """An example of its value in forms."""
    help: str = ""
    """The help of its option; without help, no option changes it."""
    option: str = ""
    """Its option; by default `--field`, with `/--no-field` for flags."""
    queries: tuple[str, ...] = ("rows", "hands")
    """The queries whose answers it can change: `rows` (all formulas of a game), `hands` (solutions)
    and `values` (the values that a hand can make, and whether one formula is legal)."""
    deals: bool = False
    """Whether it changes what is dealt, not how it is played."""
    linked_fields: Callable[[AnyGame, Mapping[str, Any]], dict[str, Any]] = lambda _, _values: {}
    """The values of other fields that change with this rule, by a game and new values of its rules.
    """
    line: Callable[[AnyGame], Message | str] = lambda _: ""
    """Its words in the line of the rules of a game."""
    sentence: Callable[[AnyGame], Message | str] = lambda _: ""
    """Its sentence in the task for players."""
    restriction: Callable[[AnyGame], StepRule | None] = lambda _: None
    """The rule that each step of a game must obey, or None."""
    keeps_reordering: Callable[[AnyGame], bool] = lambda _: False
    """Whether terms of a chain can change places in a game that it restricts: if a - (b - c) or
    a : (b : c) is legal, then also a + c - b or a x c : b, and each other order of terms. Searches
    then compute one order only. False is always safe."""
    target_problem: Callable[[Exact, AnyGame], Message | str] = lambda _target, _game: ""
    """Why a game cannot have a target, or ""."""
    freedom: Callable[[Any], float] | None = None
    """How much a value allows, to compare games; None if unknown."""

    def __post_init__(self) -> None:
        dashed = self.field.replace("_", "-")
        option = f"--{dashed}/--no-{dashed}" if self.kind is FLAG else f"--{dashed}"
        for name, default in (("word", self.field), ("column", self.field), ("option", option)):
            object.__setattr__(self, name, getattr(self, name) or default)
        if not re.fullmatch("[a-z]+", self.word):
            # Ids would be written that nobody reads.
            raise RefusedError(f"invalid word {quoted(self.word)} of a rule (expected letters a-z)")

    def value_in(self, game: AnyGame) -> Any:
        return getattr(game, self.field)

    def step_rule(self, game: AnyGame) -> StepRule | None:
        """Return the check that this rule adds to each step of a game, also of columns."""
        rule = self.restriction(game)
        if rule is None:
            return None
        has_unary_operators = any(operator.arity == 1 for operator in game.row_operators)
        if rule.reads_operands and (has_unary_operators or game.signed):
            unary = "unary operators" if has_unary_operators else "a unary minus"
            raise RefusedError(
                f"the rule {self.field} reads two operands: {game.name} cannot have it with {unary}"
            )
        return vectorize_rule(rule)

    def option_for(self, value: Any) -> str:
        """Return the option of a command that sets a value, as one word: `--most=100`."""
        if self.kind is FLAG:
            return self.option.split("/")[not value]
        return f"{self.option}={self.kind.write(value)}"


def _message_if(field: str, key: str) -> Callable[[AnyGame], Message | str]:
    """Return a function of a game: a message with a field, or "" if that is False or None."""

    def text(game: AnyGame) -> Message | str:
        value = getattr(game, field)
        return message(key, value=value) if value not in (False, None) else ""

    return text


def _bits_message(key: str) -> Callable[[AnyGame], Message | str]:
    return lambda game: "" if game.max_bits is None else message(key, most=2**game.max_bits - 1)


def _with_or_without(name: str) -> Callable[[bool], str]:
    return lambda allowed: name if allowed else f"no {name}"


def _numbers_with_large(game: AnyGame, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of a game with other large tiles, as `Rule.linked_fields`."""
    large = tuple(values["large"])
    numbers = values.get("numbers")
    if numbers is not None and set(large) <= set(numbers):
        return {}
    if set(game.large).isdisjoint(game.numbers):
        raise RefusedError(message("deal.no_large", game=game.name))
    if numbers is None:
        small = [number for number in game.numbers if number not in game.large]
    else:
        small = [*numbers]
    for number in large:
        if number in small:
            raise RefusedError(message("rules.small_tile", game=game.name, number=number))
    return {"numbers": (*small, *large)}


def _no_dice_if_changed(field: str) -> Callable[[AnyGame, Mapping[str, Any]], dict[str, Any]]:
    return lambda game, values: {} if values[field] == getattr(game, field) else {"dice": ()}


@cache
def _most_rule(most: int | None) -> StepRule | None:
    if most is None:
        return None
    return StepRule(
        lambda result: result <= most,
        lambda _left, _right, result: message("step.above", value=result, most=most),
        code="too-large",
        takes_columns=True,
    )


def _allowed_results(section: str) -> Callable[[AnyGame], Message]:
    """Return a function of a game: its message of a section about fractions, negatives and zero."""

    def text(game: AnyGame) -> Message:
        names = ["fractions"] * game.fractions + ["negatives"] * game.negatives or ["whole"]
        # Only sentences say that zero is allowed; the rule `zero` has its own clause.
        names += ["zero"] * (game.zero and section == "player")
        # For example `player.fractions_negatives_zero`.
        return message(f"{section}.{'_'.join(names)}")

    return text


# Users can add records.
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
            linked_fields=_no_dice_if_changed("numbers"),
        ),
        Rule(
            "large",
            TILES,
            lambda large: f"large tiles {format_numbers(large)}" if large else "no large tiles",
            label=message("rule.large"),
            placeholder="25,50,75,100",
            help="Large tiles, in place of those of the game: 12,37,62,87.",
            option="--large-tiles",
            queries=("hands",),
            deals=True,
            linked_fields=_numbers_with_large,
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
            linked_fields=_no_dice_if_changed("length"),
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
            _with_or_without("parentheses"),
            label=message("rule.parentheses"),
            help="Allow parentheses.",
            queries=("hands",),
            line=lambda game: message(f"line.{'' if game.parentheses else 'no_'}parentheses"),
            freedom=int,
        ),
        Rule(
            "fractions",
            FLAG,
            _with_or_without("fractions"),
            label=message("rule.fractions"),
            help="Allow fractions as intermediate results.",
            # One sentence covers fractions, negative results and zero.
            line=_allowed_results("line"),
            sentence=_allowed_results("player"),
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
            _with_or_without("negatives"),
            label=message("rule.negatives"),
            help="Allow intermediate results below zero.",
            restriction=lambda game: None if game.negatives else NOT_BELOW_ZERO,
            # In a legal chain, all added terms can come before the subtracted ones.
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
            _with_or_without("zero"),
            label=message("rule.zero"),
            help="Allow intermediate results of zero.",
            line=lambda game: "" if game.zero else message("line.no_zero"),
            restriction=lambda game: None if game.zero else NOT_ZERO,
            # With negative results another order can pass through zero: 1 - (1 + 1) is legal,
            # 1 - 1 - 1 is not.
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
            line=_message_if("most", "line.most"),
            sentence=_message_if("most", "player.most"),
            restriction=lambda game: _most_rule(game.most),
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
            _with_or_without("joined digits"),
            label=message("rule.join"),
            help="Allow digits to be joined: 1 and 2 make 12.",
            line=_message_if("join", "line.join"),
            sentence=_message_if("join", "player.join"),
        ),
        Rule(
            "decimals",
            FLAG,
            _with_or_without("decimals"),
            help="Allow a decimal point: .4 is 4/10; with --join, .44 is 44/100.",
            line=_message_if("decimals", "line.decimals"),
            sentence=lambda game: (
                message(f"player.decimals{'_join' * game.join}") if game.decimals else ""
            ),
            queries=("values",),
        ),
        Rule(
            "repeating",
            FLAG,
            _with_or_without("repeating decimals"),
            help="Allow repeating decimals: .4… is 4/9.",
            line=_message_if("repeating", "line.repeating"),
            sentence=_message_if("repeating", "player.repeating"),
            queries=("values",),
        ),
        Rule(
            "signed",
            FLAG,
            _with_or_without("minus before a number"),
            help="Allow a minus sign before anything: -(4 + 4).",
            line=_message_if("signed", "line.signed"),
            sentence=_message_if("signed", "player.signed"),
            queries=("values",),
        ),
        Rule(
            "once",
            FLAG,
            lambda once: f"each operator {'at most once' if once else 'any number of times'}",
            label=message("rule.once"),
            help="Allow each operator at most once.",
            line=_message_if("once", "line.once"),
            sentence=_message_if("once", "player.once"),
            queries=("hands", "values"),
            freedom=lambda once: not once,
        ),
        Rule(
            "nontrivial",
            FLAG,
            lambda nontrivial: f"{'at least one' if nontrivial else 'any number of'} operators",
            help="Require an operator: a number alone, also one of joined digits, does not count.",
            line=_message_if("nontrivial", "line.nontrivial"),
            sentence=_message_if("nontrivial", "player.nontrivial"),
            queries=("rows", "hands", "values"),
            freedom=lambda nontrivial: not nontrivial,
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
            line=_bits_message("line.bits"),
            sentence=_bits_message("player.bits"),
            restriction=lambda game: (
                None if game.max_bits is None else max_bits_rule(game.max_bits)
            ),
        ),
    )
}


def rules_with_options(*queries: str) -> tuple[str, ...]:
    """Return the rules with an option that can change the answers of some kinds of queries."""
    return tuple(
        name
        for name, rule in RULES.items()
        if rule.help and not set(queries).isdisjoint(rule.queries)
    )


def format_rules(game: AnyGame, language: Language = ENGLISH) -> str:
    """Return a line with the rules of a game, without its operators."""
    clauses = [as_message(rule.line(game)).text(language) for rule in RULES.values()]
    return language.text("list.clauses").join(filter(None, clauses))


def format_task(
    game: AnyGame,
    signs: Iterable[str],
    target: Exact | None = None,
    *,
    counted: bool = True,
    language: Language = ENGLISH,
) -> str:
    """Return a text for players: the task of a game, then its rules, in sentences.

    No-break spaces separate the signs. Without a target, the text is for cards that each have a
    target of their own, in bold; unless `counted`, hands can have any number of numbers.
    """
    # The key of the first sentence: task.all_numbers, task.any_others_some, and so on.
    choice = "all" if game.all_numbers else "any"
    goal = "others" if target is None else "numbers"
    key = f"task.{choice}_{goal}" if counted else f"task.{choice}_{goal}_some"
    values: dict[str, Any] = {} if target is None else {"target": target}
    if counted:
        values["count"] = game.length
    signs_key = "task.brackets" if game.parentheses else "task.no_brackets"
    task = message(key, signs=message(signs_key, signs="\u00a0".join(signs)), **values)
    sentences = [task, *(as_message(rule.sentence(game)) for rule in RULES.values())]
    if game.points:
        sentences.append(as_message(game.points.sentence))
    texts = filter(None, (sentence.text(language) for sentence in sentences))
    return language.text("list.sentences").join(texts)


def target_problem(target: Exact, game: AnyGame) -> Message | None:
    """Return why no formula of a game can make a target, without a search, or None."""
    reasons = (rule.target_problem(target, game) for rule in RULES.values())
    return next((as_message(reason) for reason in reasons if reason), None)
