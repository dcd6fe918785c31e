"""Arithmetic card puzzles, exactly: formulas that make a target, counted, checked and solved."""

from crisps24.expressions import (
    Formula,
    FormulaError,
    IllegalFormulaError,
    MalformedFormulaError,
)
from crisps24.games import GAMES, Game
from crisps24.grammar import evaluate, parse

__all__ = [
    "GAMES",
    "Formula",
    "FormulaError",
    "Game",
    "IllegalFormulaError",
    "MalformedFormulaError",
    "evaluate",
    "parse",
]
