"""Ids: the text from which a puzzle is made again, both ways.

An id is the game, the hand and the target, `cards:3.3.8.8=24`, and after commas the rules that are
changed of the game: `cards:3.3.8.8=24,operators=+-,zero=no`.
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

# More characters than these are no id.
MAX_ID_CHARACTERS = 2_000


def is_id(text: str) -> bool:
    """Return whether a text is meant as the id of a puzzle, as no hand and no formula is.

    >>> is_id("cards:3.3.8.8=24"), is_id("8 : (3 - 8 : 3)")
    (True, False)
    """
    return re.match(r"\s*[A-Za-z][A-Za-z0-9]*:", text) is not None


def parse_id(text: str) -> tuple[Game, Hand, Exact]:
    """Return what an id says: the game, the hand and the target.

    >>> parse_id("cards:3.3.8.8=24")[1:]
    ((3, 3, 8, 8), 24)

    Raises ValueError, in one sentence, for what is no id; TypeError for what is no text.
    """
    if not isinstance(text, str):
        raise KindError(message("refused.id", text=quoted(text)))
    found = re.fullmatch(
        r"([^:]+):([^=]+)=([^,\s]+)((?:,[a-z]+=[^,\s]+)*)\s*", text[:MAX_ID_CHARACTERS]
    )
    if found is None or len(text) > MAX_ID_CHARACTERS:
        raise RefusedError(message("refused.id", text=quoted(text)))
    rules = [rule.split("=", 1) for rule in found[4].split(",")[1:]]
    changes = dict(rules)
    if len(changes) < len(rules):
        twice = next(word for word in changes if [word for word, _ in rules].count(word) > 1)
        raise RefusedError(message("refused.twice", text=quoted(twice)))
    game = with_rules(find_game(found[1]), changes)
    return game, parse_hand(found[2].split("."), game), parse_value(found[3])


def with_rules(game: Game, changes: Mapping[str, str]) -> Game:
    """Return a game with rules changed as an id writes them: a text for the word of each rule.

    >>> from crisps24 import GAMES
    >>> with_rules(GAMES["cards"], {"operators": "+-", "zero": "no"}).zero
    False

    Raises RefusedError for an unknown word or an invalid text.
    """
    by_word = {rule.word: rule for rule in RULES.values()}
    fields: dict[str, Any] = {}
    for word, text in changes.items():
        if word not in by_word:
            known = ", ".join(by_word)
            raise RefusedError(message("refused.rule", text=quoted(word), known=known))
        try:
            fields[by_word[word].field] = by_word[word].kind.read(text)
        except RefusedError as error:
            reason = message("list.label", label=word, text=error.message)
            raise RefusedError(reason) from None
    return replace(game, **fields)


def format_id(game: Game, hand: Sequence[int], target: Exact) -> str:
    """Write an id as `parse_id` reads it, in one of the games there are.

    >>> from crisps24 import GAMES
    >>> format_id(replace(GAMES["cards"], numbers=(1, 2, 9)), (1, 2, 9, 9), 21)
    'cards:1.2.9.9=21,numbers=1+2+9'
    """
    rules = "".join(f",{word}={text}" for word, text in changed_rule_texts(game).items())
    return f"{game.name}:{'.'.join(map(str, hand))}={target}{rules}"


def changed_rule_texts(game: Game) -> dict[str, str]:
    """Return the rules in which a game differs from the one of its name, as text by their words.

    >>> from crisps24 import GAMES
    >>> changed_rule_texts(replace(GAMES["cards"], operators=("-", "+"), zero=False))
    {'operators': '-+', 'zero': 'no'}
    """
    # A comma parts the rules of an id.
    return {
        rule.word: rule.kind.write(value).replace(",", "+") for rule, value in changed_rules(game)
    }


def changed_rules(game: Game) -> list[tuple[Rule, Any]]:
    """Return the rules in which a game differs from the one of its name, with what it has."""
    changes = changed_fields(game) or {}
    return [(rule, changes[name]) for name, rule in RULES.items() if name in changes]
