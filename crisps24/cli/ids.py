"""Puzzles that a call names by their id, in place of hand, target and game."""

from collections.abc import Iterable

from crisps24.cli.options import refuse_given
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.ids import parse_id


def read_id(text: str, beside: Iterable[str]) -> tuple[Game, Hand, Exact]:
    """Return what an id says; refuse parameters beside it, which it says as well.

    Raises ValueError, in one sentence, for what is no id.
    """
    said = parse_id(text.strip())
    refuse_given(beside, f"{text} says its game, its rules and its target: no {{}}")
    return said
