"""Sub-hands and splits, against every way to mark the numbers of a hand."""

from collections import Counter
from itertools import product
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from crisps24.rules.games import Hand
from crisps24.rules.partitions import partitions, sub_hands

HANDS: st.SearchStrategy[Hand] = st.lists(st.integers(-2, 5), min_size=1, max_size=7).map(tuple)
SORTED = HANDS.map(lambda hand: tuple(sorted(hand)))


def marked(hand: Hand, marks: tuple[bool, ...], mark: bool) -> Hand:
    return tuple(number for number, own in zip(hand, marks, strict=True) if own is mark)


def halves(hand: Hand) -> set[tuple[Hand, Hand]]:
    """Return (left, right) for every choice of what goes left, nothing and all among them."""
    choices = product((True, False), repeat=len(hand))
    return {(marked(hand, marks, True), marked(hand, marks, False)) for marks in choices}


@given(SORTED)
def test_a_hand_is_split_in_every_way_and_each_way_once(hand: Hand) -> None:
    found = partitions(hand)
    assert len(set(found)) == len(found)
    assert set(found) == {pair for pair in halves(hand) if all(pair)}
    assert len(found) == prod(times + 1 for times in Counter(hand).values()) - 2


@given(SORTED)
def test_for_each_split_there_is_the_one_with_its_sides_changed(hand: Hand) -> None:
    assert {(right, left) for left, right in partitions(hand)} == set(partitions(hand))


@given(HANDS)
def test_a_hand_in_order_is_cut_between_neighbours(hand: Hand) -> None:
    found = partitions(hand, in_order=True)
    assert [left + right for left, right in found] == [hand] * (len(hand) - 1)
    assert [len(left) for left, _ in found] == list(range(1, len(hand)))


@given(HANDS)
def test_sub_hands_are_sorted_each_once_and_smaller_ones_first(hand: Hand) -> None:
    found = sub_hands(hand)
    expected = {left for left, _ in halves(tuple(sorted(hand))) if left}
    assert found == sorted(expected, key=lambda part: (len(part), part))


@given(HANDS)
def test_sub_hands_in_order_keep_the_order_of_the_hand(hand: Hand) -> None:
    found = sub_hands(hand, in_order=True)
    expected = {left for left, _ in halves(hand) if left}
    assert found == sorted(expected, key=lambda part: (len(part), part))


def test_one_number_is_no_two_hands() -> None:
    assert partitions((5,)) == partitions((5,), in_order=True) == []
    assert sub_hands((5,)) == [(5,)]
