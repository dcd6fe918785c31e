"""Costs of counts: estimates, limits, refusals and progress."""

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from crisps24 import GAMES, Game, count, counts, formulas
from crisps24.enumeration import counting
from crisps24.enumeration.counting import Tables
from crisps24.enumeration.enumeration import RowQuery, estimate_pairs
from crisps24.enumeration.places import places_of
from crisps24.enumeration.work import CountEstimate
from crisps24.enumeration.work import _growth as growth
from crisps24.rules.work import Budget
from tests.commands import Run
from tests.sampling import in_one_test

CRISPS = GAMES["crisps"]


def computed_pairs(tables: Tables, work: Callable[[], object]) -> int:
    pairs: list[int] = []
    with tables.using_budget(Budget(progress=pairs.append)):
        work()
    return sum(pairs)


@pytest.mark.parametrize("length", [8, 10, 14 if "CRISPS24_EVERY" in os.environ else 12])
def test_estimate_is_within_a_factor_of_3(length: int) -> None:
    game = replace(CRISPS, length=length)
    tables = Tables(game, places_of(game, None))
    real = computed_pairs(tables, counting.SuffixTables(tables, 143).count)
    estimate = CountEstimate(Tables(game, places_of(game, None))).first_target(length)
    assert real / 3 < estimate < 3 * real


@in_one_test(
    "changes",
    {"length": 99},
    {"length": 16, "fractions": True},
    {"numbers": tuple(range(1, 1001)), "length": 6},
    {"length": 12, "join": True, "fractions": True, "negatives": True},
)
def test_endless_count_is_refused_at_once(changes: dict[str, Any]) -> None:
    game = replace(CRISPS, name=f"endless {changes}"[:40], **changes)
    for call in (lambda: count(24, game), lambda: counts(game), lambda: next(formulas(24, game))):
        with pytest.raises(ValueError, match=r"\(limit .*\): .* would fit, or add --work none"):
            call()


def test_refusal_names_a_length_that_fits() -> None:
    with pytest.raises(ValueError, match=r"\(limit .*\): 19 numbers would fit"):
        count(24, replace(CRISPS, length=50))
    with pytest.raises(ValueError, match=r"\(limit 1,000,000\): 10 numbers would fit"):
        count(24, replace(CRISPS, length=12), work=1_000_000)
    assert count(143, replace(CRISPS, length=10), work=1_000_000) == 99_562_577_090


def test_long_rows_of_low_cost_are_counted() -> None:
    assert count(99, Game("ones", (1,), 99, operators=("+",))) == 1
    assert count(0, replace(CRISPS, numbers=(0, 1), length=40)) > 10**20


def test_command_has_a_limit_option(run: Run) -> None:
    counted = run("count 143 --length 12 --work none --format csv")
    assert (counted.status, "143,99324917812252," in counted.out) == (0, True)
    assert "5,000,000,000" in run("count --help-more").out


CARD = (1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3)
MANY_RULES = replace(CRISPS, join=True, fractions=True, negatives=True)


def test_cards_with_an_endless_count_are_refused() -> None:
    with pytest.raises(ValueError, match=r"counting 12 numbers .* 11 numbers would fit"):
        counts(MANY_RULES, card=CARD, in_order=True)
    assert count(100, MANY_RULES, card=CARD[:9], in_order=True) > 100
    assert count(100, replace(CRISPS, join=True), card=CARD, in_order=True) == 3616


@pytest.mark.parametrize("in_order", [True, False])
def test_estimate_of_a_card_is_between_a_third_and_10_times(in_order: bool) -> None:
    card = CARD if in_order else CARD[:7]
    game = replace(CRISPS, numbers=tuple(range(10)), length=len(card), repeats=True, join=True)
    tables = Tables(game, places_of(replace(game, in_order=in_order), card))
    real = computed_pairs(tables, lambda: counting.count_by_target(tables))
    assert real / 3 < CountEstimate(tables).all_targets(len(card)) < 10 * real


def test_progress_adds_up_to_the_estimated_pairs() -> None:
    game, pairs = replace(CRISPS, length=12, name="progress"), list[int]()
    expected = estimate_pairs(1, RowQuery(game))
    assert count(143, game, progress=pairs.append) == count(143, replace(CRISPS, length=12))
    assert expected / 3 < sum(pairs) < 3 * expected
    # A repeated count computes nothing.
    pairs.clear()
    count(143, game, progress=pairs.append)
    assert pairs == []
    every = replace(game, length=8, name="progress of all")
    counts(every, progress=pairs.append)
    again = RowQuery(replace(every, name="again"))
    assert estimate_pairs(None, again) == estimate_pairs(10**6, RowQuery(every))
    assert sum(pairs) / 3 < estimate_pairs(None, RowQuery(every)) < 3 * sum(pairs)
    cheap = [(None, RowQuery(CRISPS)), (0, RowQuery(game)), (1, RowQuery.of("game24"))]
    assert [estimate_pairs(*query) for query in cheap] == [0, 0, 0]


@pytest.mark.parametrize("length", [8, 13, 20])
@pytest.mark.parametrize("power", [1, 2, 3, 5])
def test_growth_of_powers_exponentials_and_constants(power: int, length: int) -> None:
    powers = [float(size**power) for size in range(1, length + 1)]
    assert growth(powers) == pytest.approx(((length + 1) / length) ** power, rel=0.05)
    assert growth([2.0**size for size in range(length)]) == pytest.approx(2)
    assert growth([7.0] * length) == 1
