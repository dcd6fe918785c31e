"""Ids: the text of a puzzle, as `cards:3.3.8.8=24`.

An id is the name of the game, the hand and the target, followed by the rules that differ from that
game: `cards:3.3.8.8=24,operators=+-,zero=no`. `parse_id(format_id(...))` returns an equal puzzle.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import message
from crisps24.rules.deals import parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand, changed_fields, find_game
from crisps24.rules.rules import RULES, Rule
from crisps24.rules.words import parse_value

MAX_ID_CHARACTERS = 2_000


def is_id(text: str) -> bool:
    """Return whether a text starts like an id: a name and a colon. Hands and formulas do not.

    >>> is_id("cards:3.3.8.8=24"), is_id("8 : (3 - 8 : 3)")
    (True, False)
    """
    return re.match(r"\s*[A-Za-z][A-Za-z0-9]*:", text) is not None


def parse_id(text: str) -> tuple[Game, Hand, Exact]:
    """Return the game, the hand in the order of the text, and the target of an id.

    The game need not have the numbers: `deals.deal_problem` checks that.

    >>> parse_id("cards:3.3.8.8=24")[1:]
    ((3, 3, 8, 8), 24)

    Raises:
        KindError: the id is not a `str`.
        RefusedError: the id has another form, more than 2,000 characters, an unknown game or rule,
            a rule twice, or an invalid hand, target or rule.
    """
    if not isinstance(text, str):
        raise KindError(message("refused.id", text=quoted(text)))
    pattern = r"([^:]+):([^=]+)=([^,\s]+)((?:,[a-z]+=[^,\s]+)*)\s*"
    match = re.fullmatch(pattern, text[:MAX_ID_CHARACTERS])
    if match is None or len(text) > MAX_ID_CHARACTERS:
        raise RefusedError(message("refused.id", text=quoted(text)))
    rules = [rule.split("=", 1) for rule in match[4].split(",")[1:]]
    changes = dict(rules)
    if len(changes) < len(rules):
        repeated = next(word for word in changes if [word for word, _ in rules].count(word) > 1)
        raise RefusedError(message("refused.twice", text=quoted(repeated)))
    game = with_rules(find_game(match[1]), changes)
    return game, parse_hand(match[2].split("."), game), parse_value(match[3])


def with_rules(game: Game, changes: Mapping[str, str]) -> Game:
    """Return a game with rules changed as in an id: the word of each rule to its text.

    >>> from crisps24 import GAMES
    >>> with_rules(GAMES["cards"], {"operators": "+-", "zero": "no"}).zero
    False

    Raises RefusedError for an unknown word, an invalid text, or rules that the game cannot have.
    """
    rules_by_word = {rule.word: rule for rule in RULES.values()}
    fields: dict[str, Any] = {}
    for word, text in changes.items():
        if word not in rules_by_word:
            known = ", ".join(rules_by_word)
            raise RefusedError(message("refused.rule", text=quoted(word), known=known))
        rule = rules_by_word[word]
        try:
            fields[rule.field] = rule.kind.read(text)
        except RefusedError as error:
            reason = message("list.label", label=word, text=error.message)
            raise RefusedError(reason) from None
    return replace(game, **fields)


def format_id(game: Game, hand: Sequence[int], target: Exact) -> str:
    """Return the id of a puzzle; `parse_id` reads it if the game has the name of a known game.

    >>> from crisps24 import GAMES
    >>> format_id(replace(GAMES["cards"], numbers=(1, 2, 9)), (1, 2, 9, 9), 21)
    'cards:1.2.9.9=21,numbers=1+2+9'
    """
    rules = "".join(f",{word}={text}" for word, text in changed_rule_texts(game).items())
    return f"{game.name}:{'.'.join(map(str, hand))}={target}{rules}"


def changed_rule_texts(game: Game) -> dict[str, str]:
    """Return the rules in which a game differs from the known game of its name: word to text.

    >>> from crisps24 import GAMES
    >>> changed_rule_texts(replace(GAMES["cards"], operators=("-", "+"), zero=False))
    {'operators': '-+', 'zero': 'no'}
    """
    # A comma separates the rules of an id, so the values of one rule are separated by a plus.
    return {
        rule.word: rule.kind.write(value).replace(",", "+") for rule, value in changed_rules(game)
    }


def changed_rules(game: Game) -> list[tuple[Rule, Any]]:
    """Return (rule, value in this game) if it differs from the known game of the same name.

    The list is empty if no known game has that name.
    """
    changes = changed_fields(game) or {}
    return [(rule, changes[name]) for name, rule in RULES.items() if name in changes]
