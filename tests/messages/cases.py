"""Inputs of users: for each key of a reason, inputs and the surfaces that show the reason.

`test_surfaces.py` runs each input on its surfaces in all languages. A surface that is not listed
cannot show the key; the comments say why.
"""

from pathlib import Path

from tests.messages.surfaces import Input
from tests.pages.test_refusals import REFUSALS

ALL = "check judge mark page play round"
# Rules that cannot be played (unary operators, decimals, game24): solutions are not all known.
NOT_PLAYED = "check judge mark page"
# The judge extracts the formula from a text, so that faults of a text become faults of an answer.
NOT_JUDGED = "check page play round"
ANSWERS = "judge mark"

CARDS, CRISPS = "cards:3.3.8.8=24", "crisps:4.3.8.4=24"
SMALL, TILES = "cards:1.2.3.4=24", "countdown:2.3.25.75=600"
CHOSEN = "cards:1.2.4.9=24,operators=+-x:^√!,nesting=2"
DECIMAL = "make10:1.4.4.4=10,decimals=yes,repeating=yes"
_GAME24, _WHOLE = "game24:3.4.8.4=24", "cards:1.2.2.4=24,operators=+-x:^,fractions=no"
_BIG = str(10**16)
_LONG = f"{'(' * 20}1{')' * 20}"

# Inputs by key: the surfaces that show the key, the puzzle, and texts.
TYPED: dict[str, tuple[str, str, *tuple[str, ...]]] = {
    # A page and a round have no empty line, and the judge finds no answer in one.
    "formula.none": ("check", CARDS, ""),
    # The judge and the page refuse a text of this length before they parse it.
    "formula.too_long": ("check play", CRISPS, "1 + " * 3000 + "1"),
    "formula.not_part": (ALL, CARDS, "4 + y", "4 + ?", "8 % 3"),
    "formula.no_parentheses": (ALL, CRISPS, "(4 + 3) x 2"),
    "formula.needs_parentheses": (ALL, CRISPS, "4 + 3 = 7, 8 - 4 = 4, 7 x 4 = 28"),
    "formula.needs_parentheses_long": (
        *(ALL, f"crisps:2.{_BIG}.{_BIG}.{_BIG}.{_BIG}=24,numbers=2+{_BIG}"),
        f"{_BIG} + {_BIG} + {_BIG} + {_BIG} = {4 * int(_BIG)}, "
        f"{4 * int(_BIG)} x 2 = {8 * int(_BIG)}",
    ),
    "formula.other_order": (NOT_PLAYED, _GAME24, "3 x 8 = 24, 4 + 24 = 28, 28 - 4 = 24"),
    "formula.other_order_long": (
        *(NOT_PLAYED, f"game24:3.{_BIG}.{_BIG}.{_BIG}=24,numbers=3+{_BIG}"),
        f"3 x {_BIG} = {3 * int(_BIG)}, {_BIG} + {3 * int(_BIG)} = {4 * int(_BIG)}, "
        f"{4 * int(_BIG)} - {_BIG} = {3 * int(_BIG)}",
    ),
    "formula.too_deep": (ALL, SMALL, "(" * 101 + "1" + ")" * 101),
    "formula.operators_too_deep": (NOT_PLAYED, CHOSEN, "√" * 200 + "4"),
    "formula.not_opened": (ALL, SMALL, "4 + 3)"),
    "formula.not_matched": (ALL, SMALL, "(4 + 3]"),
    "formula.not_closed": (ALL, SMALL, "(4 + 3", "4 + [3"),
    "formula.number_too_long": (ALL, SMALL, "9" * 150),
    "formula.joins_no_digit": (ALL, "make10:1.1.2.4=10,join=yes", "1 | (1 + 2)"),
    "formula.number_missing_between": (ALL, SMALL, "1 + + 2", "4 x : 2"),
    "formula.number_missing_after": (ALL, SMALL, "1 +", "8 x 3 -"),
    "formula.number_missing_before": (ALL, SMALL, "+ 2", "x 2"),
    "formula.operator_missing": (ALL, SMALL, "1 2 + 3", "(1 + 2) (3)"),
    "formula.power": (ALL, SMALL, "2 ** 3", "2 ^ 3"),
    # In a round, a step can end with =, and the judge reads only one = .
    "formula.target_missing": (NOT_JUDGED, CRISPS, "4 + 3 =", "4 + 3 =, 8 - 4 = 4"),
    "formula.target_once": (NOT_JUDGED, CRISPS, "1 + 2 = = 3"),
    "formula.target_only": (ALL, SMALL, "1 + 2 = 3 + 4", "1 + 2 = x"),
    "formula.target_no_number": (ALL, SMALL, "1 + 2 = 1.2.3", "1 + 2 = 3/0"),
    "formula.no_number": (ALL, CRISPS, "12 + 3", "-4 + 3"),
    "formula.no_negatives": (ALL, "countdown:1.2.3=600", "-(1 + 2)"),
    "formula.only_subtracts": (ALL, "cards:3.8=-24", "-3 x 8"),
    "formula.no_operator": (ALL, "crisps:1.2.4.8=9,operators=-+", "8 : 4"),
    "formula.operator_twice": (ALL, "cards:1.2.3.4=24,once=yes", "(1 + 2) x (3 + 4)"),
    "formula.trivial": (ALL, "make10:1.2=12,join=yes,nontrivial=yes", "12"),
    "formula.nested_operators": (NOT_PLAYED, CHOSEN, "√√√1"),
    "formula.needs_length": (NOT_PLAYED, _GAME24, "3 + 4"),
    "step.remainder": (ALL, "crisps:7.9.2.3=24", "9 : 7", "9 : 7 + 2 x 3"),
    "step.below_zero": (ALL, CRISPS, "3 - 4", "3 - 8 + 4"),
    "step.zero": (ALL, "countdown:3.3.5=600", "3 - 3"),
    "step.division_by_zero": (ALL, "cards:2.2.3.4=24", "3 : (2 - 2)"),
    "step.leading_zero": (ALL, "make10:0.1.2.4=10,join=yes", "01 + 2"),
    "step.too_many_bits": (ALL, "cards:9.9.9.1=24,bits=8", "9 x 9 x 9"),
    "step.not_whole": (NOT_PLAYED, _WHOLE, "2 ^ (1 - 2)"),
    "step.not_exact": (NOT_PLAYED, "cards:1.2.2.8=24,operators=+-x:^√", "√8", "2 ^ (1/2)"),
    "step.power_too_large": (NOT_PLAYED, "cards:9.9.9.1=24,operators=+-x:^", "9 ^ 9 ^ 9"),
    "step.factorial_range": (NOT_PLAYED, "cards:1.2.2.8=24,operators=+-x:!", "(1/2)!"),
    "step.no_decimal": (NOT_PLAYED, "make10:0.4.4.4=10,decimals=yes", ".0 + 4"),
    "step.no_decimal_digit": (NOT_PLAYED, f"{DECIMAL},join=yes", ".44… + 1"),
    "step.above": (ALL, "crisps:9.9.1.1=24,most=50", "9 x 9"),
    # The judge reads steps without a result as several answers.
    "working.states_none": (NOT_JUDGED, CRISPS, "4 + 3 = 7, 7 + 4, 11 + 8 = 19"),
    # The judge reads at most as many steps as a hand has numbers.
    "working.too_many_steps": (NOT_JUDGED, CRISPS, ",".join(["1+1=2"] * 110)),
    "working.too_deep": (
        *("play round", "cards:1.2.3=6"),
        f"{'(' * 70}1 + 2{')' * 70} = 3, {'(' * 70}3{')' * 70} + 3 = 6",
    ),
    "working.stated": (ALL, SMALL, "1 + 2 = 4, 4 x 3 = 12"),
    "working.stated_long": (ALL, SMALL, f"{_LONG} + 2 = 4, 4 x 3 = 12"),
    "working.rounded": (ALL, SMALL, "1 : 3 = 0.33, 0.33 x 2 = 1"),
    "working.rounded_long": (ALL, SMALL, f"{_LONG} : 3 = 0.33, 0.33 x 2 = 1"),
    # A round goes on with the numbers that are left.
    "working.result_not_used": (NOT_PLAYED, "cards:1.2.4.4=24", "1 + 2 = 3, 4 + 4 = 8"),
    "working.not_left": (ALL, SMALL, "1 + 2 = 3, 9 + 4 = 13"),
    "working.none_left": (ALL, "cards:1.2=24", "1 + 2 = 3, 3 + 3 = 6"),
    "answer.makes": (ALL, "cards:4.6.8.10=24", "4 + 6 + 8 + 10"),
    "answer.not_used": (ALL, "cards:1.5.5.5=24", "5 + 9"),
    "answer.not_in_hand": (ALL, "countdown:3.8.1=600", "3 + 8 + 9 + 1"),
    "answer.unbracketed": (ALL, "cards:3.3/4.3.6=24", "6 / 3/4 + 3 + 3"),
    "answer.used_times": (ALL, "countdown:1.3.8=600", "3 + 8 + (1 + 1)"),
    "answer.used_not": (ALL, CARDS, "3 x 3 x 3 + 8 + 8"),
    "answer.numbers": (ALL, CARDS, "3 x 9 + 8 + 8"),
    # A formula says its own target with =; a round reads this as a step.
    "answer.stated": (ANSWERS, "cards:3.8=24", "8 x 3 = 25"),
    "answer.rounded": (ANSWERS, "cards:3.8=8/3", "8 / 3 = 2.67"),
    # Marks have no reason for a right answer.
    "answer.no_solution": ("judge", "cards:1.1.1.1=24", "no solution"),
    "answer.solvable": (ANSWERS, CARDS, "no solution"),
    "answer.undecided": (ANSWERS, "cards:1.2.3.4.5.6.7.8.9.10.11.12.13.1=99999", "no solution"),
    "answer.retracted": (ANSWERS, CARDS, "<answer>3 x 8</answer> Wait, that is wrong."),
    "answer.two_answers": (ANSWERS, CARDS, "<answer>3 x 8</answer> \\boxed{8 + 8}"),
    "answer.too_long": (ANSWERS, CARDS, "8" * 10_001),
    "answer.number_digits": (ANSWERS, CARDS, "0x1F"),
    "answer.no_formula": (ANSWERS, CARDS, "24 Punkt."),
    "answer.two_ways": (ANSWERS, CARDS, "8 : 2(1 + 3)"),
    "answer.unread": (ANSWERS, CARDS, "I bought 8 apples + 3"),
    "answer.found": (ANSWERS, CARDS, "gegen 8 / (3 - 8 / 3)"),
    # Marks have no reason for a right answer, and the judge asks no person.
    "answer.runs_on": ("judge check page", "cards:2.3.4.8=24", "8 - 4 = 4 x 3 = 12 x 2 = 24"),
    "answer.decided": ("mark", CARDS, "0> 8 / (3 - 8 / 3)"),
    "answer.none": (ANSWERS, CARDS, "I give up.", "x ("),
    "answer.text_too_long": (ANSWERS, "cards:3.8=24", "8 " * 500_001),
    # The judge does not say why an answer is right, and a round says `round.nearest`.
    "answer.nearest": ("check page", "countdown:1.1.2=999", "(1 + 1) x 2"),
    "times.once": (ALL, CARDS, "3 x 8 x 8 x 8"),
    "times.twice": (ALL, "cards:1.2.3.3=24", "1 + 1 + 2 + 3 + 3"),
    "times.many": (ALL, CARDS, "3 x 3 x 3 x 3 x 8 x 8"),
}  # fmt: skip
# Keys that only one command, or one option of it, can show, and the call.
_CALLS = (Path(__file__).parents[1] / "data" / "messages" / "calls.txt").read_text("utf-8")
CALLS = dict(line.split(": ", 1) for line in _CALLS.splitlines())
CALLS["formula.number_too_long"] = f"solve '1 _ {'1' * 150}'"

# Guesses: the length of the equation, and the typed text.
GUESSES = {
    **{"equation.several_equals": (7, "1+1=1=1"), "equation.no_equals": (6, "1+2+34")},
    **{"equation.right_operator": (7, "1+2=1+2"), "equation.left_number": (6, "12=3+9")},
    **{"equation.unequal": (5, "1+2=4"), "equation.own_sign": (6, "-1+2=1")},
    **{"equation.lone_zero": (5, "0+2=2"), "equation.character": (5, "foo=1")},
    **{"equation.length": (6, "1+2=3"), "step.leading_zero": (6, "01+2=3")},
}

# Addresses, and the key of a reason on their page.
REQUESTS = REFUSALS | {
    "/solve?hand=3 8&target=1,000": "refused.two_readings",
    "/solve?hand=%ff": "address.encoding",
    "/solve hand=,": "hand.empty",
    "/solve hand=cards:1.2.3.4.5.6.7.8.9.10.11.12.13=24": "work.solve",
    "/play puzzle=crisps:3.4=5,operators=:": "rules.makes_nothing",
    "/play puzzle=cards:1.2.3.4.5.6.7.8=999": "work.targets",
    "/play puzzle=cards:1.2.3.4.5.6.7.8=998": "rules.count",
    "/play seed=1&game=cards&numbers=1..1000&length=12": "work.reach",
    "/play seed=1&game=cards&numbers=1..3&solutions=999": "deal.more_solutions",
    "/play seed=1&game=cards&numbers=1..2&plain=yes": "deal.more_brackets",
    "/play seed=1&game=countdown&numbers=100..101&target=100&length=1": "deal.more_trivial",
    "/play seed=1&game=cards&numbers=1..3&level=5&target=24": "deal.more_levels",
    "/play seed=1&n=200&game=crisps&numbers=3..4": "deal.more_repeats",
    "/play seed=1&game=cards&numbers=1..2&target=99": "deal.more_targets",
}

# Pages that show a reason and refuse nothing.
_USED = "75 + 50 = 125, 125 x 6 = 750, 750 - 125 = 625"
CHECKED = {f"/check game=countdown&formula={_USED}": "working.used_already"}

# Lines of files: the command that reads them, and a line.
LINES = {
    "answer.not_text": ("judge", '{"id": "cards:3.8=24", "text": 24}'),
    "formula.target_no_number": ("check", '{"id": "cards:3.8=x", "formula": "3 x 8"}'),
    "hand.number": ("solve", "3 8 x"),
    "refused.game": ("solve", '{"nums": [3, 8], "game": "nope"}'),
    "refused.id": ("judge", '{"id": "cards:3.8", "text": "3 x 8"}'),
    "refused.flag": ("solve", '{"nums": [3, 8], "zero": "x"}'),
}


def inputs_of(surface: str) -> list[Input]:
    inputs = (
        Input(puzzle, text)
        for surfaces, puzzle, *texts in TYPED.values()
        # A page of a round takes longest, and has only the last text of each key.
        for text in (texts[-1:] if surface == "round" else texts)
        if surface in surfaces.split()
    )
    return list(dict.fromkeys(inputs))
