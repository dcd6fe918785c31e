"""Draws are uniform: a digest that would bias a draw is replaced by the next one."""

from hashlib import sha256

import pytest

from crisps24.puzzles import draws
from crisps24.puzzles.draws import Draws

DIGESTS = 1 << 256


class Digest:
    def __init__(self, number: int) -> None:
        self.number = number

    def digest(self) -> bytes:
        return self.number.to_bytes(32)


@pytest.mark.parametrize("end", [3, 6, 7, 100, 2**255 + 1])
def test_biased_draw_is_repeated(end: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Digests from `limit` on would make small numbers likelier.
    limit = DIGESTS - DIGESTS % end
    counters: list[int] = []
    for digests in ([limit - 1], [limit, 5], [DIGESTS - 1, 5]):
        remaining = [*digests, 5]

        def next_digest(text: bytes, remaining: list[int] = remaining) -> Digest:
            counters.append(int(text.split()[-1]))
            return Digest(remaining.pop(0))

        monkeypatch.setattr(draws, "sha256", next_digest)
        counters.clear()
        assert Draws(1).below(end) == digests[-1] % end
        assert counters == list(range(len(digests)))


def test_largest_end_is_the_number_of_digests() -> None:
    first = int.from_bytes(sha256(f"crisps24 {draws.VERSION} 3 0".encode()).digest())
    assert Draws(3).below(DIGESTS) == first
    assert Draws(3).below(1) == 0


@pytest.mark.parametrize("stream", ["", "lengths", "length 3"])
def test_named_stream_has_its_own_digests(stream: str) -> None:
    draws_of_stream = Draws(7, stream)
    for count in range(3):
        text = f"crisps24 5 7 {stream} {count}" if stream else f"crisps24 5 7 {count}"
        assert draws_of_stream.below(1000) == int.from_bytes(sha256(text.encode()).digest()) % 1000
