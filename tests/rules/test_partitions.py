"""Sub-hands and partitions, compared with all choices of the numbers of a hand."""

from collections import Counter
from itertools import product
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from crisps24.rules.games import Hand
from crisps24.rules.partitions import partitions

HANDS: st.SearchStrategy[Hand] = st.lists(st.integers(-2, 5), min_size=1, max_size=7).map(tuple)
SORTED = HANDS.map(lambda hand: tuple(sorted(hand)))


def select(hand: Hand, marks: tuple[bool, ...], mark: bool) -> Hand:
    return tuple(number for number, own in zip(hand, marks, strict=True) if own is mark)


def all_choices(hand: Hand) -> set[tuple[Hand, Hand]]:
    """Return (left, right) for every choice of the left numbers, also none and all."""
    choices = product((True, False), repeat=len(hand))
    return {(select(hand, marks, True), select(hand, marks, False)) for marks in choices}


@given(SORTED)
def test_a_hand_has_each_partition_once(hand: Hand) -> None:
    pairs = partitions(hand)
    assert len(set(pairs)) == len(pairs)
    assert set(pairs) == {pair for pair in all_choices(hand) if all(pair)}
    assert len(pairs) == prod(copies + 1 for copies in Counter(hand).values()) - 2


@given(HANDS)
def test_a_hand_in_order_is_cut_between_neighbours(hand: Hand) -> None:
    pairs = partitions(hand, in_order=True)
    assert [left + right for left, right in pairs] == [hand] * (len(hand) - 1)
    assert [len(left) for left, _ in pairs] == list(range(1, len(hand)))
