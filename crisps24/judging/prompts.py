"""Puzzles inside prompts, as public data sets and `deal` write them.

"Using the numbers [44, 19, 35], create an equation that equals 98." has the numbers 44, 19 and 35,
and the target 98. A text with two puzzles, or with rules that are not read, is refused. The rules
in prompts of this package, in six languages, are those of a game, or of one with changed rules.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache
from itertools import product
from typing import Any

from crisps24.errors import RefusedError
from crisps24.messages.languages import LANGUAGES
from crisps24.notation.styles import list_signs
from crisps24.rules.deals import deal_problem
from crisps24.rules.games import FREE_GAME, GAMES, Game, change_rules
from crisps24.rules.ids import format_id
from crisps24.rules.operators import OPERATORS
from crisps24.rules.rules import format_task

_MAX_PROMPT = 100_000
_HAND = (
    r"[\[({]?\s?(?P<hand>(?<![\d./-])-?\d{1,9}"
    r"(?:(?:\s?[,;]\s?(?:and\s)?|\sand\s|\s&\s|\s)-?\d{1,9}){1,19})(?![\d/]|\.\d)"
)
# No unit follows a target: "in up to 3 steps".
_TARGET = (
    r"(?P<target>(?<![\d.])-?\d{1,9})(?![\d/]|[.,]\d)"
    r"(?=\s?(?:[^\w\s]|\n|\Z|using|with|from|out|by|and|as|if|in|exactly|given)|\n)"
)
_MAKE = (
    r"\b(?:equals?(?: to)?|mak(?:e|es|ing)|get(?:s|ting)?|reach(?:es|ing)?|obtain(?:s|ing)?|form"
    r"|totals?|results? in|calculate|to|is|target(?: number| value)?(?: is| of)?)[\s:=*]{1,4}"
)
_WORD = r"\b(?:numbers?|digits|cards|integers|values|input|using|use|from|with|combine|of)\b"
# What prompts say between their parts has no digits.
_PATTERNS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_WORD}[^\d\[({{-]{{0,60}}{_HAND}\D{{0,250}}?(?:{_MAKE}|=\s?){_TARGET}",
        rf"{_MAKE}{_TARGET}\D{{1,120}}?{_WORD}[^\d\[({{-]{{0,60}}{_HAND}",
        rf"{_MAKE}{_TARGET}\.\D{{1,400}}?\bInput:\s{_HAND}",
        rf"{_WORD}\D{{0,60}}{_HAND}\.\sUse \D{{1,20}}\d{{1,2}} \D{{1,200}}?{_MAKE}{_TARGET}",
        rf"\bCurrent State: {_TARGET}:{_HAND}",
    )
]
_INPUT = re.compile(rf"\bInput:\s{_HAND}", re.IGNORECASE)
_LIST = re.compile(_HAND.replace("{1,19}", "{2,19}"))
_INTEGER = re.compile(r"-?\d+")
_SOME = re.compile(
    r"\b(?:some or all|any of|a subset|not all|any subset|do(?:n.t| not) (?:have|need) to use)\b",
    re.IGNORECASE,
)
# Rules that the free game does not have, and signs after the word for operators.
_OTHER_RULES = re.compile(
    r"\b(?:negative|fractions?|integers?|whole|decimals?|concatenat\w*|factorials?|exponent\w*"
    r"|powers?|square roots?|positive|without|except|avoid|in (?:the )?(?:given )?order"
    r"|(?:each|every) operat\w*|only (?:use )?(?:addition|plus|sums?|subtraction|multiplication)"
    r"|not? (?:use )?(?:any )?(?:addition|subtraction|multiplication|division))\b"
    r"|\^|[,\s(]\*\*[,)\s]",
    re.IGNORECASE,
)
_OPERATORS = re.compile(
    r"\boperat(?:or|ion)s?(?: only| like| such as)?:?((?:[^\w.]|x\b){1,60})", re.I
)
# Rules that are changed in the prompts that are read.
_CHANGED_RULES = ("parentheses", "fractions", "negatives", "zero", "all_numbers")
_SIGNS = {sign: each.name for each in OPERATORS.values() for sign in each.spellings}


def _games() -> Iterator[Game]:
    """Yield games, and those with changed rules that a prompt says."""
    yield from GAMES.values()
    every = product((False, True), repeat=len(_CHANGED_RULES))
    for game, values in product(GAMES.values(), every):
        with suppress(RefusedError):
            yield change_rules(game, dict(zip(_CHANGED_RULES, values, strict=True)))


@cache
def _tasks() -> tuple[dict[str, dict[str, list[Game]]], set[int]]:
    """Return the rules of games as our prompts have them, with # for each number; their lengths.

    Games with the same rules have one pattern, which finds the target.
    """
    # No rule has the numbers that stand for a target and for the length of a hand.
    tasks, any_target, any_length = dict[str, dict[str, list[Game]]](), "7654321", 97
    for game, language in product(_games(), LANGUAGES.values()):
        long = game
        with suppress(RefusedError):
            long = replace(game, length=any_length)
        task = format_task(long, list_signs(game, None), int(any_target), language=language)
        task = task.replace("\u00a0", " ")
        parts = re.split(f"({any_target}|{any_length})", task)
        numbers = {any_target: r"(-?\d{1,9})", str(any_length): r"\d{1,2}"}
        # The rules end a line, so that no other rule follows.
        pattern = "".join(numbers.get(part) or re.escape(part) for part in parts) + r"(?=\n|\Z)"
        tasks.setdefault(_INTEGER.sub("#", task), {}).setdefault(pattern, []).append(game)
    return tasks, {*map(len, tasks)}


def _own_puzzle(text: str, lists: set[tuple[int, ...]]) -> dict[str, Any]:
    """Return the fields of the puzzle in a prompt of this package; empty in another one."""
    if len(lists) != 1:
        return {}
    match = next(_LIST.finditer(text))
    numbers = [*map(int, _INTEGER.findall(match["hand"]))]
    tasks, lengths = _tasks()
    lines = [_INTEGER.sub("#", line) for line in text.split("\n")]
    ends = {line[-length:] for line in lines for length in lengths} & tasks.keys()
    # The end of longer rules can be the rules of another game.
    found = dict[int, list[Game]]()
    for pattern, same in tasks[max(ends, key=len)].items() if ends else ():
        for stated in re.finditer(pattern, text):
            found.setdefault(int(stated[1]), []).extend(same)
    if len(found) != 1:
        return {}
    [(target, games)] = found.items()
    # Of games with the same rules, one that deals the numbers.
    game = next((each for each in games if not deal_problem(numbers, each)), games[0])
    if game in GAMES.values():
        return {"nums": numbers, "target": target, "game": game.name}
    return {"id": format_id(game, tuple(numbers), target)}


@lru_cache(10_000)
def _puzzle_in(text: str, has_rules: bool) -> tuple[tuple[tuple[str, Any], ...], str]:
    if (inputs := [*_INPUT.finditer(text)])[1:]:
        # The first ones are examples.
        text = text[: inputs[0].start()] + text[inputs[-1].start() :]
    found = {
        (tuple(sorted(map(int, _INTEGER.findall(match["hand"])))), int(match["target"])): match
        for pattern in _PATTERNS
        for match in pattern.finditer(text)
    }
    lists = {tuple(sorted(map(int, _INTEGER.findall(each[0])))) for each in _LIST.finditer(text)}
    if own := _own_puzzle(text, lists):
        return tuple(own.items()), ""
    # A list of other numbers can be the puzzle, and what is found an example.
    if len(found) != 1 or lists - {hand for hand, _ in found}:
        return (), "it has several puzzles" if found else ""
    [((_, target), match)] = found.items()
    numbers = [*map(int, _INTEGER.findall(match["hand"]))]
    fields: dict[str, Any] = {"nums": numbers, "target": target}
    signs = {_SIGNS[sign] for sign in "".join(_OPERATORS.findall(text)) if sign in _SIGNS}
    words = [match[0] for match in [_OTHER_RULES.search(text)] if match]
    if not has_rules and (words or signs not in (set(), {*FREE_GAME.operators})):
        return (
            (),
            f"it has rules of its own ({', '.join(words or sorted(signs))}): name them by --game",
        )
    if _SOME.search(text):
        fields["all_numbers"] = False
    return tuple(fields.items()), ""


def read_prompt(text: str, *, has_rules: bool = False) -> dict[str, Any]:
    """Return the fields of the puzzle in a prompt; empty without one. `has_rules`: of the call.

    >>> read_prompt("Use the numbers 3, 3, 8 and 8 to make 24.")
    {'nums': [3, 3, 8, 8], 'target': 24}
    """
    fields, problem = _puzzle_in(text[:_MAX_PROMPT], has_rules)
    if problem:
        raise RefusedError(f"the prompt is not read: {problem}")
    return dict(fields)
