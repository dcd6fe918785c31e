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
from crisps24.judging.extraction import MAX_TEXT_LENGTH
from crisps24.messages.message import ENGLISH, Clauses, Message, as_message, message
from crisps24.rules.deals import list_hands
from crisps24.rules.work import Budget
from crisps24.solving import solver

pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from crisps24.pages.addresses import DISPLAY_NAMES, read_address
from crisps24.pages.answering import PAGES
from tests.messages.cases import REQUESTS
from tests.messages.surfaces import query_of_address

CARDS, CRISPS, COUNTDOWN, DIGITS = (
    GAMES[name] for name in ("cards", "crisps", "countdown", "digits")
)
CHOSEN = replace(CARDS, operators=(*CARDS.operators, "^", "√", "!"), nesting=2)
SIGNED = replace(CARDS, signed=True)
JOINED = replace(GAMES["make10"], join=True)
DECIMAL = replace(GAMES["make10"], decimals=True, repeating=True)
HUGE = 10**60
DEEP = f"{'(' * 50}1{')' * 50}"
LONG = " + ".join("1" * 60)
_Fault = Callable[[], Message]


def _checked(formula: Any, game: Game = CRISPS, **settings: Any) -> _Fault:
    return lambda: as_message(check(formula, game=game, **settings).message or "")


def _judged(answer: Any, puzzle: str = "cards:3.3.8.8=24") -> _Fault:
    return lambda: as_message(puzzle_of(puzzle).judge(answer).message or "")


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
    """Return the fault of a request to a page."""
    path, query = query_of_address(address)
    page = PAGES[path]

    def show() -> None:
        names = (*page.names, *DISPLAY_NAMES)
        parameters = read_address(query, names, page.fields, ENGLISH)
        _ = [parameters.value(name) for name in DISPLAY_NAMES]
        page.show(parameters)

    return _refused(show)


def _nearest(formula: str) -> _Fault:
    return lambda: as_message(puzzle_of("countdown:1.1.2.2.3.3=999").check(formula).message or "")


def _gaps(text: str) -> _Fault:
    return _refused(lambda: read_gaps(text, CRISPS))


# The faults of each key. A fault also has the keys of the messages in its message.
FAULTS: dict[str, list[_Fault]] = {
    "formula.none": [_checked(""), _checked(" ")],
    "formula.too_long": [_checked("1 + " * 3000 + "1")],
    "formula.no_text": [_checked(24), _checked(None)],
    "formula.not_part": [_checked("4 + y"), _checked("4 + ?"), _checked("% 4")],
    "formula.no_parentheses": [_checked("(4 + 3) x 2")],
    "formula.needs_parentheses": [_checked("4 + 3 = 7, 8 - 4 = 4, 7 x 4 = 28")],
    "formula.needs_parentheses_long": [
        _checked(
            "1 + 2 = 3, 3 x 3 = 9, " + ", ".join(f"{n} + 1 = {n + 1}" for n in range(9, 40))
            + ", 4 + 5 = 9, 40 x 9 = 360"
        )
    ],
    "formula.other_order": [_checked("3 x 8 = 24, 4 + 24 = 28, 28 - 4 = 24", GAMES["game24"])],
    "formula.other_order_long": [
        _checked(
            f"3 x 8 = 24, {HUGE} + 24 = {HUGE + 24}, {HUGE + 24} - 4 = {HUGE + 20}",
            replace(GAMES["game24"], numbers=(3, 4, 8, HUGE)),
        )
    ],
    "formula.too_deep": [_checked("(" * 101 + "1" + ")" * 101, CARDS)],
    "formula.operators_too_deep": [_checked("√" * 200 + "4", CHOSEN)],
    "formula.not_opened": [_checked("4 + 3)", CARDS)],
    "formula.not_matched": [_checked("(4 + 3]", CARDS)],
    "formula.not_closed": [_checked("(4 + 3", CARDS), _checked("4 + [3", CARDS)],
    "formula.number_too_long": [_checked("9" * 150)],
    "formula.joins_no_digit": [_checked("1 | (1 + 2)", JOINED)],
    "formula.number_missing_between": [_checked("1 + + 2"), _checked("4!!", CHOSEN)],
    "formula.number_missing_after": [_checked("1 +"), _checked("8 x 3 -")],
    "formula.number_missing_before": [_checked("+ 2"), _checked("x 2")],
    "formula.operator_missing": [_checked("1 2 + 3"), _checked("(1 + 2) (3)", CARDS)],
    "formula.power": [_checked("2 ** 3"), _checked("2 ^ 3"), _checked("2³")],
    "formula.target_missing": [_checked("1 + 2 =")],
    "formula.target_once": [_checked("1 + 2 = = 3"), _checked("1 = 2 = 3")],
    "formula.target_only": [_checked("1 + 2 = 3 + 4"), _checked("1 + 2 = x")],
    "formula.target_no_number": [_checked("1 + 2 = 1.2.3"), _checked("1 + 2 = 3/0")],
    "formula.complete_before": [_checked("+ 1 2 3", style="polish")],
    "formula.no_number": [_checked("12 + 3"), _checked("-4 + 3"), _checked("3 : 0", CARDS)],
    "formula.no_negatives": [_checked("-0"), _checked("-(1 + 2)", COUNTDOWN)],
    "formula.no_operator": [_checked("8 : 4", replace(CRISPS, operators=("-", "+")))],
    "formula.nested_operators": [_checked("√√√1", CHOSEN)],
    "formula.needs_length": [_checked("1 + 2", GAMES["game24"])],
    "step.remainder": [_checked("9 : 7"), _checked("9 : 7 + 2 x 3")],
    "step.below_zero": [_checked("3 - 4"), _checked("1 - 2 + 3")],
    "step.zero": [_checked("3 - 3", COUNTDOWN)],
    "step.division_by_zero": [_checked("3 : (2 - 2)", CARDS)],
    "step.leading_zero": [_checked("01 + 2", JOINED), _equation("01+2=3")],
    "step.too_many_bits": [_checked("9 x 9 x 9", replace(CARDS, bits=8))],
    "step.not_whole": [_checked("2 ^ (1 - 2)", replace(CHOSEN, fractions=False))],
    "step.not_exact": [_checked("√8", CHOSEN), _checked("2 ^ (1/2)", CHOSEN)],
    "step.power_too_large": [_checked("9 ^ 9 ^ 9", CHOSEN)],
    "step.factorial_range": [_checked("(1/2)!", CHOSEN)],
    "step.no_decimal": [_checked(".0", DECIMAL)],
    "step.no_decimal_digit": [_checked(".44…", replace(DECIMAL, join=True))],
    "step.above": [_checked("9 x 9", replace(CRISPS, most=50))],
    "working.states_none": [_checked("1 + 2 = 3, 3 + 4, 7 + 1 = 8")],
    "working.too_many_steps": [_checked(", ".join(["1 + 1 = 2"] * 200))],
    "working.too_deep": [_checked(
        ", ".join(f"{n} + {DEEP if n == 41 else 1} = {n + 1}" for n in range(1, 90)),
        replace(CARDS, numbers=tuple(range(100))),
    )],
    "working.stated": [_checked("1 + 2 = 4, 4 + 4 = 8")],
    "working.stated_long": [_checked(f"{LONG} = 3, 3 + 3 = 6")],
    "working.rounded": [_checked("1 : 3 = 0.33, 0.33 x 3 = 1", CARDS)],
    "working.rounded_long": [_checked(f"1 : 3 + {LONG} = 60.33, 60.33 x 3 = 1", CARDS)],
    "working.result_not_used": [_checked("1 + 2 = 3, 4 + 4 = 8")],
    "working.not_left": [_checked("1 + 2 = 3, 9 + 4 = 13", card=(1, 2, 4, 3))],
    "working.none_left": [_checked("1 + 2 = 3, 3 + 3 = 6", card=(1, 2))],
    "working.used_already": [_checked("75 + 50 = 125, 125 x 6 = 750, 750 - 125 = 625", COUNTDOWN)],
    "answer.makes": [_checked("1 + 2 + 3", target=24), _judged("8 + 8 + 3 + 3")],
    "answer.not_used": [_checked("1 + 2", card=(1, 2, 3, 4))],
    "answer.unbracketed": [_judged("6 / 3/4 + 3 + 3", "cards:3.3/4.3.6=24")],
    "answer.not_in_hand": [_judged("720", "countdown:1.2.3.4.5.6=999")],
    "answer.used_times": [_checked("1 + 1 + 2 + 3 + 4", card=(1, 2, 3, 4))],
    "answer.used_not": [_checked("3 x 3 x 8", card=(3, 3, 8, 8))],
    "answer.numbers": [_checked("1 + 9", card=(1, 2, 3, 4)), _judged("3 x 9")],
    "answer.dealt_not": [_checked("1 + 1", COUNTDOWN, card=(1, 1, 1, 1, 1, 25), strict=True)],
    "answer.deals": [_checked("1 + 1", card=(1, 2, 3, 4, 5), strict=True)],
    "answer.stated": [_judged("8 / (3 - 8/3) = 25")],
    "answer.rounded": [_judged("8 / 3 = 2.67", "cards:3.8=8/3")],
    "answer.no_solution": [_judged("no solution", "cards:1.1.1.1=24")],
    "answer.solvable": [_judged("no solution")],
    "answer.undecided": [_judged("no solution", "countdown:1.2.3.4.5.6.7.8.9.10=999999")],
    "answer.retracted": [_judged("<answer>3 x 8</answer> Wait, that is wrong.")],
    "answer.two_answers": [_judged("3 x 8; 8 + 8")],
    "answer.too_long": [_judged("8" * 10001)],
    "answer.number_digits": [_judged("0x8")],
    "answer.none": [_judged(""), _judged("I give up.")],
    "answer.not_text": [_judged(24), _judged(None)],
    "answer.text_too_long": [_judged("8" * (MAX_TEXT_LENGTH + 1))],
    "times.once": [_checked("3 x 3 x 8", card=(3, 3, 8, 8))],
    "times.twice": [_checked("1 + 1 + 2 + 3 + 4", card=(1, 2, 3, 4))],
    "times.many": [_checked("3 x 3 x 3 x 3 x 8 x 8", card=(3, 3, 8, 8))],
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
    "answer.nearest": [_nearest("(1 + 2) x (1 + 2) x 3 x 3")],
    "equation.lone_zero": [_equation("0+2=2")],
}  # fmt: skip


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
    """Return the keys of a message and of the messages in it."""
    keys = {message.key}
    for value in message.values.values():
        for part in value if isinstance(value, Clauses) else (value,):
            keys |= keys_of(part) if isinstance(part, Message) else set()
    return keys
