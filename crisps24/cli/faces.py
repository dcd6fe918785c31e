"""Faces: a puzzle drawn in characters, for a terminal.

As on paper, four numbers are a round card with the target in the middle, any other number of them
tiles below it. Plain data in, lines out.
"""

from collections.abc import Sequence

from crisps24.rules.exact import Exact

# A round card, of numbers of at most so many characters: four places, and the middle.
_CARD = """\
     ╭───────────╮
  ╭──╯{0:^11}╰──╮
 ╭╯                 ╰╮
 │      ╭─────╮      │
 │ {3:^4} │{4:^5}│ {1:^4} │
 │      ╰─────╯      │
 ╰╮                 ╭╯
  ╰──╮{2:^11}╭──╯
     ╰───────────╯"""
_ROUND, _WIDEST = 4, 4


def face_of(hand: Sequence[int], target: Exact, width: int) -> list[str]:
    r"""Return the lines of a puzzle's drawing, none where it is wider than so many columns.

    >>> print("\n".join(face_of((75, 6, 3), 225, 60)))
        ╭─────╮
        │ 225 │
        ╰─────╯
    ╭────┬────┬────╮
    │ 75 │  6 │  3 │
    ╰────┴────┴────╯
    """
    numbers, middle = list(map(str, hand)), str(target)
    if len(numbers) == _ROUND and max(map(len, (*numbers, middle))) <= _WIDEST:
        lines = _CARD.format(*numbers, middle).split("\n")
    else:
        cells = max(map(len, numbers))
        tiles = _tiles([f"{number:>{cells}}" for number in numbers])
        above = _tiles([middle])
        whole = max(len(above[0]), len(tiles[0]))
        lines = [line.center(whole).rstrip() for line in (*above, *tiles)]
    return lines if max(map(len, lines)) <= width else []


def _tiles(texts: Sequence[str]) -> list[str]:
    """Return tiles side by side."""
    edges = ["─" * (len(text) + 2) for text in texts]
    return [
        f"╭{'┬'.join(edges)}╮",
        f"│{'│'.join(f' {text} ' for text in texts)}│",
        f"╰{'┴'.join(edges)}╯",
    ]
