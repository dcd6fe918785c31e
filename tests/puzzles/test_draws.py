"""Draws: each as likely, which takes one more now and then."""

from hashlib import sha256

import pytest

from crisps24.puzzles import draws
from crisps24.puzzles.draws import Draws

ALL = 1 << 256


class Digest:
    """A digest that is a number."""

    def __init__(self, number: int) -> None:
        self.number = number

    def digest(self) -> bytes:
        return self.number.to_bytes(32)


@pytest.mark.parametrize("end", [3, 6, 7, 100, 2**255 + 1])
def test_biased_draw_is_repeated(end: int, monkeypatch: pytest.MonkeyPatch) -> None:
    most = ALL - ALL % end
    asked: list[int] = []
    for first, drawn in ((most - 1, [most - 1]), (most, [most, 5]), (ALL - 1, [ALL - 1, 5])):
        left = [first, 5]

        def drawn_next(text: bytes, left: list[int] = left) -> Digest:
            asked.append(int(text.split()[-1]))
            return Digest(left.pop(0))

        monkeypatch.setattr(draws, "sha256", drawn_next)
        asked.clear()
        assert Draws(1).below(end) == drawn[-1] % end
        assert asked == list(range(len(drawn)))


def test_largest_end_is_the_number_of_digests() -> None:
    first = int.from_bytes(sha256(f"crisps24 {draws.VERSION} 3 0".encode()).digest())
    assert Draws(3).below(ALL) == first
    assert Draws(3).below(1) == 0


@pytest.mark.parametrize("what", ["", "lengths", "length 3"])
def test_named_stream_has_its_own_digests(what: str) -> None:
    found = Draws(7, what)
    for count in range(3):
        text = f"crisps24 2 7 {what} {count}" if what else f"crisps24 2 7 {count}"
        expected = int.from_bytes(sha256(text.encode()).digest())
        assert found.below(1000) == expected % 1000
