"""The first rows of puzzles, compared with a dict; and their hashes."""

from fractions import Fraction
from itertools import count, product

from hypothesis import given
from hypothesis import strategies as st

from crisps24 import GAMES
from crisps24.training.first_rows import FirstRows, puzzle_hash
from tests.hands.dealing import HALF

# Few different hashes, in few parts.
HASHES = st.sampled_from([0, 1, 2, 2**56, 2**56 + 1, 2**63, 2**64 - 1, 5 << 56])


@HALF
@given(st.lists(st.lists(HASHES, max_size=9), max_size=5), st.lists(HASHES))
def test_the_first_rows_are_those_of_a_dict(pieces: list[list[int]], asked: list[int]) -> None:
    rows, expected, numbers = FirstRows(), dict[int, int](), count(7)
    for piece in pieces:
        added = [next(numbers) for _ in piece]
        found = rows.add(piece, added)
        assert found == [expected.setdefault(*pair) for pair in zip(piece, added, strict=True)]
    assert len(rows) == len(expected)
    assert rows.find(asked) == [expected.get(number, 0) for number in asked]


def test_different_puzzles_have_different_hashes() -> None:
    games = (None, GAMES["cards"], GAMES["countdown"])
    hands = [(1, 2), (12,), (2, 1), (1, 2, 3), (Fraction(1, 2),), (-1, 2)]
    hashes = {puzzle_hash(*puzzle) for puzzle in product(hands, (3, 24), games)}
    assert len(hashes) == len(hands) * 2 * len(games)
    assert all(0 <= number < 2**64 for number in hashes)
