"""Reasons that only Python can cause, or commands without --language: they are messages too."""

import sys
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from crisps24 import CrispsError, check, count_solutions, count_written, deal, plainest, solutions
from crisps24.drawing.pdfs import check_pdf
from crisps24.equation_puzzles.gaps import read_gaps
from crisps24.equation_puzzles.reading import read_equation
from crisps24.equation_puzzles.records import Equation
from crisps24.hands import shortest
from crisps24.messages.message import message
from crisps24.pages.addresses import Parameters
from crisps24.pages.mark import MAX_ANSWERS, _Answer, _marked
from crisps24.pages.uploads import read_form
from crisps24.puzzle import Puzzle, puzzle_of
from crisps24.puzzles.conditions import Conditions, parse_split
from crisps24.rules.deals import list_hands
from crisps24.rules.games import GAMES
from crisps24.rules.work import Budget
from crisps24.solving import solver
from crisps24.training.overlaps import split_puzzles
from tests.sampling import in_one_test

pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from tests.messages import surfaces

CARDS = GAMES["cards"]
_SIGNS = ("-", "+", "x", ":", "^")
_ROW = replace(GAMES["digits"], operators=_SIGNS, join=True, signed=True, length=9)
_SUMS = replace(CARDS, name="mine", operators=("+", "-"), cutoffs=())
_TWO, _THREE = replace(CARDS, length=2), replace(CARDS, length=3)
_FEW = replace(_THREE, numbers=tuple(range(1, 8)))
_MIXED = Conditions(unsolvable=50, mixture=True)
_HAND = (1, 2, 3, 4, 5, 6, 7)


def _equation(text: str, **rules: Any) -> Callable[[], object]:
    return lambda: read_equation(text, Equation(len(text), **rules))


def _limited(module: ModuleType, limit: str, call: Callable[[], object]) -> Callable[[], object]:
    """Return a call that is cheap because a limit is lower than usual."""

    def limited() -> object:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, limit, 10)
            return call()

    return limited


def _without_reportlab() -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("reportlab", "reportlab.pdfbase"):
            patch.setitem(sys.modules, name, None)
        check_pdf()


# A call for each key: it is refused, or returns a check with a reason.
MANY = [_Answer("", "", "")] * (MAX_ANSWERS + 1)
FAULTS: dict[str, Callable[[], Any]] = {
    "formula.no_text": lambda: check(24),  # type: ignore[arg-type]
    "formula.order": lambda: Puzzle((3, 8), 24, CARDS, in_order=True).check("8 x 3"),
    # A round has the rules of a daily puzzle: a formula on the left, a number on the right.
    "equation.left_operator": _equation("1+2=3", left="number", right="formula"),
    "equation.right_number": _equation("1+2=3", right="formula"),
    "equation.no_operator": _equation("11=11", left="either", right="either"),
    # These come with a form, which has no address.
    "address.form": lambda: read_form("text/plain", b"x"),
    "refused.many_answers": lambda: _marked(Parameters({}), MANY),
    # A row without a missing sign is not read as such a row.
    "equation.no_gap": lambda: read_gaps("1 + 2 = 3", GAMES["crisps"]),
    "refused.length": lambda: Conditions(lengths=range(100, 101)),
    "refused.id_complete": lambda: puzzle_of("cards:3.3.8.8=24", 24),
    "hand.too_many": lambda: list_hands(replace(CARDS, numbers=tuple(range(1, 999)))),
    "rules.no_results": lambda: count_written((1, 2), [3], replace(CARDS, operators=("+", "!"))),
    "work.memory": lambda: plainest(range(1, 10), _ROW, in_order=True, work=10**12),
    "work.fewer": lambda: Budget(message("work.reach", count=9), work=1).add_pairs(2),
    "work.ways": lambda: count_solutions(tuple(range(1, 13)), CARDS, work=10),
    "work.forms": lambda: plainest(range(1, 10), _ROW, in_order=True),
    "work.solutions": _limited(solver, "_MAX_LISTED", lambda: solutions(_HAND, 24, CARDS)),
    "work.values": _limited(shortest, "MAX_FORMS", lambda: plainest(_HAND, _ROW, in_order=True)),
    "deal.count": lambda: deal("cards", 0),
    "deal.levels": lambda: deal(_SUMS, conditions=Conditions(levels=range(1, 3))),
    "deal.no_targets": lambda: deal("cards", targets=range(0)),
    "deal.fewer_of_level": lambda: deal("cards", mix=(0, 0, 0, 0, 200), seed=1),
    "deal.more_pairs": lambda: deal(_FEW, 60, seed=1, conditions=Conditions(unsolvable=50)),
    **dict.fromkeys(
        ("deal.fewer", "deal.kinds"), lambda: deal(_TWO, 92, seed=1, conditions=_MIXED)
    ),
    "deal.more_kinds": lambda: deal(_THREE, conditions=Conditions(depth=range(3, 4))),
    "deal.split": lambda: parse_split("90,5.5,6"),
    "deal.split_few": lambda: split_puzzles(deal("cards", 2, seed=1), (90, 5, 5)),
    "paper.no_pdf": _without_reportlab,
}


@in_one_test(("key", "call"), *FAULTS.items())
def test_the_reason_is_a_message_with_the_key(key: str, call: Callable[[], Any]) -> None:
    try:
        reason = call().message
    except CrispsError as error:
        reason = error.message
    with surfaces.with_marked() as language:
        [node] = surfaces.parsed(reason.text(language))
    assert isinstance(node, surfaces.Node)
    assert key in node.all_keys()
