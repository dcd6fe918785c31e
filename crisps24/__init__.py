"""Arithmetic card puzzles, exactly: formulas that make a target, counted, checked and solved.

>>> from crisps24 import check, count, deal, solve
>>> print(*solve((4, 3, 8, 4), 24), sep=", ")
8 x 3 + 4 - 4, 4 x 3 + 8 + 4
>>> check("9 : 7 + 2 x 3", 24, card=(4, 3, 8, 4)).reason
'9 : 7 leaves a remainder of 2'
>>> [puzzle] = deal("cards", seed=7)
>>> puzzle.check(str(puzzle.solutions()[0].expression)).verdict
'right'
>>> count(24, card=(4, 3, 8, 4)), count(24)
(36, 2374)
"""

from importlib import import_module
from typing import TYPE_CHECKING

from crisps24.about import __version__ as __version__

if TYPE_CHECKING:
    from typing import Any

    from crisps24.enumeration.enumeration import count as count
    from crisps24.enumeration.enumeration import counts as counts
    from crisps24.enumeration.enumeration import formulas as formulas
    from crisps24.enumeration.format import ResultsError as ResultsError
    from crisps24.enumeration.results import read_results as read_results
    from crisps24.enumeration.results import write_results as write_results
    from crisps24.enumeration.verification import Problem as Problem
    from crisps24.enumeration.verification import Verification as Verification
    from crisps24.enumeration.verification import verify_results as verify_results
    from crisps24.equation_puzzles.records import Equation as Equation
    from crisps24.equation_puzzles.search import equations as equations
    from crisps24.errors import CrispsError as CrispsError
    from crisps24.errors import RefusedError as RefusedError
    from crisps24.judging.judge import Judgement as Judgement
    from crisps24.messages.message import Message as Message
    from crisps24.notation.checking import Check as Check
    from crisps24.notation.checking import evaluate as evaluate
    from crisps24.notation.checking import parse as parse
    from crisps24.notation.errors import FormulaError as FormulaError
    from crisps24.notation.errors import IllegalFormulaError as IllegalFormulaError
    from crisps24.notation.errors import MalformedFormulaError as MalformedFormulaError
    from crisps24.notation.trees import Expression as Expression
    from crisps24.notation.trees import Formula as Formula
    from crisps24.output.executors import VersionError as VersionError
    from crisps24.puzzle import Puzzle as Puzzle
    from crisps24.puzzle import check as check
    from crisps24.puzzle import judge as judge
    from crisps24.puzzle import puzzle_of as puzzle_of
    from crisps24.puzzles.conditions import Conditions as Conditions
    from crisps24.puzzles.dealing import Deal as Deal
    from crisps24.puzzles.dealing import deal as deal
    from crisps24.puzzles.episodes import Episode as Episode
    from crisps24.rules.games import GAMES as GAMES
    from crisps24.rules.games import Game as Game
    from crisps24.solving.effort import Difficulty as Difficulty
    from crisps24.solving.effort import difficulty as difficulty
    from crisps24.solving.ranking import Solution as Solution
    from crisps24.solving.ranking import Solutions as Solutions
    from crisps24.solving.solver import solutions as solutions
    from crisps24.solving.solver import solve as solve
    from crisps24.solving.solver import solve_many as solve_many
    from crisps24.solving.values import closest as closest
    from crisps24.solving.values import count_solutions as count_solutions
    from crisps24.solving.values import plainest as plainest
    from crisps24.solving.values import reachable as reachable
    from crisps24.solving.written import count_written as count_written
    from crisps24.solving.written import written_forms as written_forms
    from crisps24.surveys.difficulties import Difficulties as Difficulties
    from crisps24.surveys.difficulties import survey_difficulty as survey_difficulty
    from crisps24.surveys.distances import Distances as Distances
    from crisps24.surveys.surveys import Survey as Survey
    from crisps24.surveys.surveys import survey as survey

# The public names of each module. A module is imported when one of its names is first used: this
# keeps `crisps24 --help` fast, since it needs no numpy.
_MODULES = {
    "enumeration.enumeration": ("count", "counts", "formulas"),
    "output.executors": ("VersionError",),
    "notation.errors": ("FormulaError", "IllegalFormulaError", "MalformedFormulaError"),
    "notation.trees": ("Expression", "Formula"),
    "equation_puzzles.records": ("Equation",),
    "equation_puzzles.search": ("equations",),
    "rules.games": ("GAMES", "Game"),
    "notation.checking": ("Check", "evaluate", "parse"),
    "errors": ("CrispsError", "RefusedError"),
    "solving.effort": ("Difficulty", "difficulty"),
    "solving.ranking": ("Solution", "Solutions"),
    "enumeration.format": ("ResultsError",),
    "enumeration.results": ("read_results", "write_results"),
    "solving.solver": ("solutions", "solve", "solve_many"),
    "solving.values": ("closest", "count_solutions", "plainest", "reachable"),
    "solving.written": ("count_written", "written_forms"),
    "puzzles.conditions": ("Conditions",),
    "puzzles.dealing": ("Deal", "deal"),
    "puzzles.episodes": ("Episode",),
    "judging.judge": ("Judgement",),
    "messages.message": ("Message",),
    "puzzle": ("Puzzle", "check", "judge", "puzzle_of"),
    "surveys.difficulties": ("Difficulties", "survey_difficulty"),
    "surveys.distances": ("Distances",),
    "surveys.surveys": ("Survey", "survey"),
    "enumeration.verification": ("Problem", "Verification", "verify_results"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> "Any":
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return ["__version__", *__all__]
