"""Arithmetic card puzzles, exactly: formulas that make a target, counted, checked and solved."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from crisps24.about import __version__ as __version__

if TYPE_CHECKING:
    from crisps24.enumeration import count as count
    from crisps24.enumeration import counts as counts
    from crisps24.enumeration import formulas as formulas
    from crisps24.executors import VersionError as VersionError
    from crisps24.expressions import Formula as Formula
    from crisps24.expressions import FormulaError as FormulaError
    from crisps24.expressions import IllegalFormulaError as IllegalFormulaError
    from crisps24.expressions import MalformedFormulaError as MalformedFormulaError
    from crisps24.games import GAMES as GAMES
    from crisps24.games import Game as Game
    from crisps24.grammar import Check as Check
    from crisps24.grammar import check as check
    from crisps24.grammar import evaluate as evaluate
    from crisps24.grammar import parse as parse
    from crisps24.reach import reachable as reachable
    from crisps24.results import ResultsError as ResultsError
    from crisps24.results import read_results as read_results
    from crisps24.results import write_results as write_results
    from crisps24.solver import closest as closest
    from crisps24.solver import solve as solve
    from crisps24.solver import ways as ways
    from crisps24.surveys import Survey as Survey
    from crisps24.surveys import survey as survey
    from crisps24.verification import Problem as Problem
    from crisps24.verification import Verification as Verification
    from crisps24.verification import verify_results as verify_results

# What the package offers, by the room it is in. A room is opened when something of it is first
# asked for, so that the command line's --help does not wait for numpy.
_ROOMS = {
    "enumeration": ("count", "counts", "formulas"),
    "executors": ("VersionError",),
    "expressions": ("Formula", "FormulaError", "IllegalFormulaError", "MalformedFormulaError"),
    "games": ("GAMES", "Game"),
    "grammar": ("Check", "check", "evaluate", "parse"),
    "reach": ("reachable",),
    "results": ("ResultsError", "read_results", "write_results"),
    "solver": ("closest", "solve", "ways"),
    "surveys": ("Survey", "survey"),
    "verification": ("Problem", "Verification", "verify_results"),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = sorted(_ROOM_OF)


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_ROOM_OF[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *_ROOM_OF]
