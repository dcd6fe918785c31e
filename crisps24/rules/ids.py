"""Ids: the text of a puzzle, as `cards:3.3.8.8=24`.

An id is the name of the game, the hand in order, and the target, followed by the rules that differ
from the known game of that name: `cards:3.3.8.8=24,operators=+-,zero=no`. Rules have their names in
ids, `Rule.word`. `parse_id(format_id(...))` returns an equal puzzle.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import message
from crisps24.rules.deals import parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand, change_rules, changed_fields, find_game, without_target
from crisps24.rules.rules import RULES, Rule
from crisps24.rules.words import parse_value

MAX_ID_CHARACTERS = 2_000


def is_id(text: str) -> bool:
    """Return whether a text starts like an id: a name and a colon. Hands and formulas do not."""
    return re.match(r"\s*[A-Za-z][A-Za-z0-9]*:", text) is not None


def parse_id(text: str) -> tuple[Game, Hand, Exact]:
    """Return the game, the hand and the target of an id; the game need not deal the hand."""
    if not isinstance(text, str):
        raise KindError(message("refused.id", text=quoted(text)))
    # The game, the hand, the target, and the rules, each with a comma before it.
    pattern = r"([^:]+):([^=]+)=([^,\s]+)((?:,[a-z]+=[^,\s]+)*)\s*"
    match = re.fullmatch(pattern, text[:MAX_ID_CHARACTERS])
    if match is None or len(text) > MAX_ID_CHARACTERS:
        raise RefusedError(message("refused.id", text=quoted(text)))
    game_name, hand_text, target_text, rules_text = match.groups()
    rules = [rule_text.split("=", 1) for rule_text in rules_text.split(",")[1:]]
    rule_names = [name for name, _ in rules]
    if repeated_names := [name for name in rule_names if rule_names.count(name) > 1]:
        raise RefusedError(message("refused.twice", text=quoted(repeated_names[0])))
    game = with_rules(find_game(game_name), dict(rules))
    return game, parse_hand(hand_text.split("."), game), parse_value(target_text)


def with_rules(game: Game, changes: Mapping[str, str]) -> Game:
    """Return a copy of a game with other values, as text, of some rules by their names in ids."""
    return _with_rules(game, tuple(changes.items()))


# The rows of a file mostly change the same rules, and a new game takes longer than its puzzle.
@lru_cache(256)
def _with_rules(game: Game, changes: tuple[tuple[str, str], ...]) -> Game:
    rule_by_name = {rule.word: rule for rule in RULES.values()}
    values_by_field: dict[str, Any] = {}
    for name, text in changes:
        if name not in rule_by_name:
            known_names = ", ".join(rule_by_name)
            raise RefusedError(message("refused.rule", text=quoted(name), known=known_names))
        rule = rule_by_name[name]
        try:
            values_by_field[rule.field] = rule.kind.read(text)
        except RefusedError as error:
            reason = message("list.label", label=name, text=error.message)
            raise RefusedError(reason) from None
    return change_rules(game, values_by_field)


def format_id(game: Game, hand: Sequence[Exact], target: Exact) -> str:
    """Return the id of a puzzle; `parse_id` reads it if the game has the name of a known game."""
    numbers = ".".join(map(str, hand))
    rules = "".join(f",{name}={text}" for name, text in changed_rule_texts(game).items())
    return f"{game.name}:{numbers}={target}{rules}"


def changed_rule_texts(game: Game) -> dict[str, str]:
    """Return the changed rules of a game by their names in ids, as text: {'zero': 'no'}."""
    # A comma separates the rules of an id, so the values of one rule are separated by a plus.
    return {
        rule.word: rule.kind.write(value).replace(",", "+") for rule, value in changed_rules(game)
    }


def changed_rules(game: Game) -> list[tuple[Rule, Any]]:
    """Return (rule, value) for the rules that differ from the known game; empty if there is none.

    Fields that change with another rule are left out: other large tiles also change the numbers.
    """
    changes = changed_fields(game) or {}
    values = {name: changes[name] for name in RULES if name in changes}
    if "large" in values:
        values = _with_large(game, values)
    return [(rule, values[name]) for name, rule in RULES.items() if name in values]


def _with_large(game: Game, values: dict[str, Any]) -> dict[str, Any]:
    """Return the changed rules such that `change_rules` is exact, without numbers that follow."""
    others = {name: value for name, value in values.items() if name != "numbers"}
    if game.large and set(game.large).isdisjoint(game.numbers):
        return {name: value for name, value in values.items() if name != "large"}
    try:
        if change_rules(find_game(game.name), others).numbers == game.numbers:
            return others
    except RefusedError:
        # A large tile is also a small one, or the named game has no large tiles.
        pass
    return values | {"numbers": game.numbers}


def has_exact_id(game: Game) -> bool:
    """Return whether ids can express a game: the known one with their rules plays like it."""
    return changed_fields(game) is not None and without_target(_remade(game)) == without_target(
        game
    )


def has_exact_rules(game: Game) -> bool:
    """Return whether `changed_rules` make the numbers, tiles and dice of the game."""
    made = _remade(game)
    return (made.numbers, made.large, made.dice) == (game.numbers, game.large, game.dice)


def _remade(game: Game) -> Game:
    values = {rule.field: value for rule, value in changed_rules(game)}
    return change_rules(find_game(game.name), values)
