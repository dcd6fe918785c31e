"""Faulty formulas, workings, answers and guesses: one or more for each message about a fault."""

import sys
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from crisps24 import (
    GAMES,
    Conditions,
    CrispsError,
    Equation,
    Game,
    check,
    count_solutions,
    deal,
    plainest,
    puzzle_of,
    solutions,
    survey,
)
from crisps24.drawing.pdfs import check_pdf
from crisps24.equation_puzzles.gaps import read_gaps
from crisps24.equation_puzzles.reading import read_equation
from crisps24.hands import shortest
from crisps24.messages.message import ENGLISH, Clauses, Message, as_message, message
from crisps24.rules.deals import list_hands
from crisps24.rules.work import Budget
from crisps24.solving import solver
from tests.messages.cases import TYPED

pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from crisps24.pages.addresses import DISPLAY_NAMES, read_address
from crisps24.pages.answering import PAGES
from tests.messages.cases import REQUESTS
from tests.messages.surfaces import query_of_address

CARDS, CRISPS, COUNTDOWN, DIGITS = (
    GAMES[name] for name in ("cards", "crisps", "countdown", "digits")
)

_Fault = Callable[[], Message]


def _refused(call: Callable[[], object]) -> _Fault:
    def fault() -> Message:
        try:
            call()
        except CrispsError as error:
            return error.message
        raise AssertionError("nothing is refused")

    return fault


def _equation(text: str, **rules: Any) -> _Fault:
    return _refused(lambda: read_equation(text, Equation(len(text), **rules)))


def _page_request(address: str) -> _Fault:
    path, query = query_of_address(address)
    page = PAGES[path]

    def show() -> None:
        names = (*page.names, *DISPLAY_NAMES)
        parameters = read_address(query, names, page.fields, ENGLISH)
        _ = [parameters.value(name) for name in DISPLAY_NAMES]
        page.show(parameters)

    return _refused(show)


def _gaps(text: str) -> _Fault:
    return _refused(lambda: read_gaps(text, CRISPS))


def _answered(puzzle: str, text: str, *, judged: bool) -> _Fault:
    def fault() -> Message:
        answered = puzzle_of(puzzle)
        return as_message((answered.judge if judged else answered.check)(text).message or "")

    return fault


def _checked(formula: Any, game: Game = CRISPS, **settings: Any) -> _Fault:
    return lambda: as_message(check(formula, game=game, **settings).message or "")


# The faults of each key. A fault also has the keys of the messages in its message.
FAULTS: dict[str, list[_Fault]] = {
    key: [_answered(puzzle, text, judged="check" not in surfaces) for text in texts]
    for key, (surfaces, puzzle, *texts) in TYPED.items()
    if not puzzle.startswith("game24")
}
_ORIGINAL, _HUGE = GAMES["game24"], 10**60
FAULTS |= {
    "formula.no_text": [_checked(24), _checked(None)],
    "formula.target_missing": [_checked("1 + 2 =")],
    "formula.complete_before": [_checked("+ 1 2 3", style="polish")],
    "formula.needs_length": [_checked("1 + 2", _ORIGINAL)],
    "formula.other_order": [_checked("3 x 8 = 24, 4 + 24 = 28, 28 - 4 = 24", _ORIGINAL)],
    "formula.other_order_long": [
        _checked(
            f"3 x 8 = 24, {_HUGE} + 24 = {_HUGE + 24}, {_HUGE + 24} - 4 = {_HUGE + 20}",
            replace(_ORIGINAL, numbers=(3, 4, 8, _HUGE)),
        )
    ],
    "working.used_already": [_checked("75 + 50 = 125, 125 x 6 = 750, 750 - 125 = 625", COUNTDOWN)],
    "answer.dealt_not": [_checked("1 + 1", COUNTDOWN, card=(1, 1, 1, 1, 1, 25), strict=True)],
    "answer.deals": [_checked("1 + 1", card=(1, 2, 3, 4, 5), strict=True)],
    "answer.no_die": [_checked("1 + 1", GAMES["mathador"], card=(7, 8, 9, 10, 11), strict=True)],
    "answer.not_text": [lambda: as_message(puzzle_of("cards:3.8=24").judge(24).message or "")],
    "equation.several_equals": [_equation("1=1=1"), _gaps("1_2=3=4")],
    "equation.no_equals": [_equation("1+2+3")],
    "equation.no_gap": [_gaps("1 + 2 = 3")],
    "equation.sign_missing": [_gaps("1 2 _ 3")],
    "equation.number_missing_at_end": [_gaps("1 _")],
    "equation.left_number": [_equation("3=1+2", left="formula")],
    "equation.left_operator": [_equation("1+2=3", left="number", right="formula")],
    "equation.right_number": [_equation("1+2=3", right="formula")],
    "equation.right_operator": [_equation("1+2=1+2")],
    "equation.no_operator": [_equation("11=11", left="either", right="either")],
    "equation.character": [_equation("foo=1")],
    "equation.length": [_refused(lambda: read_equation("1+2=3", Equation(8)))],
    "equation.unequal": [_equation("1+2=4")],
    "equation.own_sign": [_equation("-1+2=1")],
    "equation.lone_zero": [_equation("0+2=2")],
}


# Requests to pages.
for _address, _key in REQUESTS.items():
    FAULTS.setdefault(_key, []).append(_page_request(_address))

_ROW = replace(
    GAMES["digits"], operators=("-", "+", "x", ":", "^"), join=True, signed=True, length=9
)
_LEVELS = Conditions(levels=range(1, 3))


def _limited(module: ModuleType, limit: str, call: Callable[[], object]) -> _Fault:
    """Return the fault of a call that is cheap because a limit is lower than usual."""

    def limited() -> object:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, limit, 10)
            return call()

    return _refused(limited)


def _without_reportlab() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "reportlab", None)
        patch.setitem(sys.modules, "reportlab.pdfbase", None)
        check_pdf()


# Refusals that only Python can cause, or commands without --language.
PYTHON: dict[str, list[_Fault]] = {
    "refused.length": [_refused(lambda: Conditions(lengths=range(100, 101)))],
    "refused.id_complete": [_refused(lambda: puzzle_of("cards:3.3.8.8=24", 24))],
    "hand.too_many": [_refused(lambda: list_hands(replace(CARDS, numbers=tuple(range(1, 999)))))],
    "rules.no_results": [_refused(lambda: survey(replace(CARDS, operators=("+", "!")), 24))],
    "work.memory": [
        _refused(lambda: plainest(range(1, 10), _ROW, in_order=True, work=10**12))
    ],
    "work.fewer": [_refused(lambda: Budget(message("work.reach", count=9), work=1).add_pairs(2))],
    "work.ways": [_refused(lambda: count_solutions(tuple(range(1, 13)), CARDS, work=10))],
    "work.forms": [_refused(lambda: plainest(range(1, 10), _ROW, in_order=True))],
    "work.solutions": [
        _limited(solver, "_MAX_LISTED", lambda: solutions((1, 2, 3, 4, 5, 6, 7), 24, CARDS))
    ],
    "work.values": [
        _limited(shortest, "MAX_FORMS", lambda: plainest((1, 2, 3, 4), _ROW, in_order=True))
    ],
    "deal.count": [_refused(lambda: deal("cards", 0))],
    "deal.levels": [
        _refused(lambda: deal(replace(CARDS, name="mine", operators=("+", "-")), 1,
                              conditions=_LEVELS))
    ],
    "deal.no_targets": [_refused(lambda: deal("cards", targets=range(0)))],
    "paper.no_pdf": [_refused(_without_reportlab)],
}  # fmt: skip
FAULTS |= PYTHON


def keys_of(message: Message) -> set[str]:
    keys = {message.key}
    for value in message.values.values():
        for part in value if isinstance(value, Clauses) else (value,):
            keys |= keys_of(part) if isinstance(part, Message) else set()
    return keys
