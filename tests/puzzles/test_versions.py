"""Versions of a test: the same levels at each place, and no puzzle in two of them."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

from crisps24.errors import RefusedError
from crisps24.puzzles.dealing import Deal, deal
from crisps24.puzzles.versions import deal_versions


def versions_of(game: str, count: int, version_count: int, **arguments: Any) -> list[Deal]:
    first = deal(game, count, **arguments)

    def deal_all(total: int, mix: Sequence[int] | None) -> Deal:
        return deal(game, total, seed=first.seed, mix=mix and tuple(mix))

    return deal_versions(first, deal_all, version_count)


@pytest.mark.parametrize("rising", [False, True])
def test_each_place_has_one_level_and_each_puzzle_is_in_one_version(rising: bool) -> None:
    first = deal("cards", 9, seed=3, rising=rising)
    dealt = versions_of("cards", 9, 3, seed=3, rising=rising)
    assert dealt == versions_of("cards", 9, 3, seed=3, rising=rising)
    for version in dealt:
        assert [puzzle.level for puzzle in version] == [puzzle.level for puzzle in first]
        assert version.command == first.command.replace(" deal ", " sheet ") + " --versions 3"
    assert len({puzzle.id for version in dealt for puzzle in version}) == 27
    # No version is easier at each place.
    for one in dealt:
        least = [min(bits(each, place) for each in dealt) for place in range(9)]
        assert [bits(one, place) for place in range(9)] != least


def test_a_later_version_has_no_puzzle_of_the_earlier_ones() -> None:
    assert versions_of("cards", 9, 2, seed=3) == [
        replace(version, command=version.command.replace("versions 4", "versions 2"))
        for version in versions_of("cards", 9, 4, seed=3)[:2]
    ]
    # Two versions need fewer puzzles than four: crisps has 60 of these.
    assert len(versions_of("cards", 300, 2, seed=3)) == 2


def bits(version: Deal, place: int) -> float:
    difficulty: Any = version[place].difficulty
    return float(difficulty.bits)


def test_puzzles_without_levels_have_neighbours_by_bits() -> None:
    dealt = versions_of("fractions24", 5, 2, seed=3)
    in_order = [*chain(*[sorted(bits(version, place) for version in dealt) for place in range(5)])]
    assert in_order == sorted(in_order)


def test_versions_with_a_puzzle_twice_are_refused() -> None:
    puzzles = deal("cards", 2, seed=1)
    twice = Deal([*puzzles, *puzzles], puzzles.game, 1, "")
    with pytest.raises(RefusedError, match="versions of a test need different puzzles"):
        deal_versions(puzzles, lambda *_: twice, 2)
