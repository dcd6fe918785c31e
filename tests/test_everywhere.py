"""An added operator works everywhere or is refused with a message."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import prod
from pathlib import Path

import pytest

import crisps24 as api
from crisps24.notation.parser import parse_pattern
from crisps24.notation.statements import parse_polish
from crisps24.notation.styles import STYLES
from crisps24.notation.trees import text_of
from crisps24.rules.exact import Exact
from crisps24.rules.operators import OPERATORS, OPTIONAL_OPERATORS, Operator
from crisps24.solving.effort import difficulty
from tests.graded import difficulties


def _last_digit(left: Exact, right: Exact) -> Exact | None:
    are_integers = left.denominator == right.denominator == 1 and right >= 0
    return pow(int(left), int(right), 10) if are_integers else None


def _double_factorial(value: Exact) -> Exact | None:
    """Return n x (n - 2) x (n - 4) x ... for an integer n."""
    is_valid = value.denominator == 1 and 0 <= value <= 30
    return prod(range(int(value), 0, -2)) if is_valid else None


# An operator, a formula with it, and its value.
Added = tuple[Operator, str, Exact]
# Operators, each with a formula and its value: the mean, the minimum, the last digit of a power,
# the double factorial, and the optional operators.
ADDED = [
    (Operator("~", ("~", "mean"), 2, lambda a, b: Fraction(a + b) / 2),
     "2 + 3 ~ 6", Fraction(13, 2)),
    (Operator("m", ("min", "m"), 0, min, commutes=True), "2 + 3 min 4", 4),
    (Operator("P", ("P",), 3, _last_digit, right_associative=True),
     "3 P 2 P 3", 1),
    (Operator("‼", ("!!", "‼"), 5, _double_factorial, arity=1, postfix=True), "(1 + 4)!! x 2", 30),
    *((OPTIONAL_OPERATORS[name], text, value) for name, text, value in (
        ("^", "2 ^ 3 - 1", 7), ("√", "√(1 + 3) x 2", 4), ("!", "3! x (2 + 2)", 24),
    )),
]  # fmt: skip


@pytest.fixture(params=ADDED, ids=[operator.name for operator, *_ in ADDED])
def added(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Added]:
    operator, *_ = request.param
    if operator.name not in OPTIONAL_OPERATORS:
        monkeypatch.setitem(OPERATORS, operator.name, operator)
    yield request.param
    parse_pattern.cache_clear()


def games(operator: Operator) -> list[api.Game]:
    """Return a game with parentheses and fractions and one without; both have the operator."""
    name, signs = f"with {operator.name}", (*"-+x:", operator.name)
    return [
        replace(api.GAMES["digits"], name=name, operators=signs),
        replace(api.GAMES["crisps"], name=f"{name} alone", operators=signs, length=3),
    ]


def test_added_operator_is_parsed_evaluated_and_printed(added: Added) -> None:
    operator, text, value = added
    game, _ = games(operator)
    assert api.evaluate(text, game) == value
    assert api.check(f"{text} = {value}", game=game).right
    tree = api.parse(text, game)
    for style in STYLES.values():
        if style.readable:
            assert api.parse(text_of(tree, style.name), game) == tree
    assert parse_polish(text_of(tree, "polish"), game).value_in(game) == value


def test_operators_of_one_precedence_have_to_group_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    # It has the precedence of + and -.
    square = Operator("#", ("#",), 1, lambda a: a * a, arity=1)
    monkeypatch.setitem(OPERATORS, "#", square)
    with pytest.raises(ValueError, match="have the same precedence and group differently"):
        games(square)


def test_added_operator_works_or_is_refused_everywhere(added: Added, tmp_path: Path) -> None:
    operator, *_ = added
    hand, target = (2, 3, 4), 10
    for game in games(operator):
        forms = api.plainest(hand, game)
        assert set(forms) == api.reachable(hand, game)
        for value, form in forms.items():
            assert api.evaluate(str(form), game) == value
        puzzle = api.puzzle_of(hand, target, game)
        code = "solvable" if target in forms else "no-solution"
        assert (api.judge("no solution", puzzle).code, puzzle.solvable) == (code, target in forms)
        if puzzle.solvable:
            assert puzzle.hints()[-1].endswith(f"= {target}")
        rows = replace(game, parentheses=False, length=3)
        calls: list[Callable[[], object]] = [
            lambda game=game: list(api.solve(hand, target, game)),  # type: ignore[misc]
            lambda game=game: api.count_solutions(hand, game),  # type: ignore[misc]
            lambda game=game: api.closest(hand, target, game),  # type: ignore[misc]
            lambda game=game: difficulty(hand, target, game),  # type: ignore[misc]
            lambda game=game: difficulties(hand, game),  # type: ignore[misc]
            lambda game=game: api.deal(game, 1, seed=1),  # type: ignore[misc]
            lambda game=game: api.survey(replace(game, numbers=(1, 2, 3), length=3)),  # type: ignore[misc]
            lambda rows=rows: api.write_results(24, tmp_path / rows.name, rows),  # type: ignore[misc]
            lambda puzzle=puzzle: puzzle.level,  # type: ignore[misc]
            lambda puzzle=puzzle: puzzle.solutions(),  # type: ignore[misc]
            lambda puzzle=puzzle: puzzle.accepted_values,  # type: ignore[misc]
        ]
        for call in calls:
            try:
                call()
            except ValueError as error:
                message = str(error)
                assert (operator.name in message, "\n" in message) == (True, False), message
        if operator.arity == 2:
            small = replace(game, numbers=(1, 2, 3), length=3)
            surveyed = api.survey(small, range(20))
            for small_hand in combinations_with_replacement((1, 2, 3), 3):
                values = api.reachable(small_hand, small)
                for number in range(20):
                    assert (small_hand in surveyed.unsolvable(number)) == (number not in values)
        if operator.arity == 1:
            with pytest.raises(ValueError, match="has an operator of one number"):
                api.count(target, rows)
        else:
            count_of_value = api.counts(rows)
            for value in sorted(count_of_value)[:: max(1, len(count_of_value) // 5)]:
                listed = list(api.formulas(value, rows))
                assert len(listed) == count_of_value[value]
                assert {api.evaluate(str(formula), rows) for formula in listed} == {value}
