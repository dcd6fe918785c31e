"""A file of puzzles with planted faults of every kind; a brute force knows what is wrong.

It shares no code with the package, except that levels and hands of four come from `deal`.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from random import Random
from typing import Any, NamedTuple

from crisps24 import deal

Fields = dict[str, Any]
# All columns of the file, in order; cells can be empty.
COLUMNS = (
    *("note", "id", "game", "nums", "target", "answer", "closest", "delta", "solvable", "level"),
)
# The signs of keys for times and division, and the space around signs.
NOTATIONS = (("*", "/", " "), ("×", "÷", " "), ("x", ":", ""), ("*", "/", ""), ("·", ":", " "))


class Planted(NamedTuple):
    """A row, and what an audit has to find in it."""

    row: Fields
    kinds: tuple[str, ...] = ()
    is_left_out: bool = False
    """Whether a corrected file lacks the row."""


def formulas(
    numbers: Sequence[tuple[Fraction, str]], is_legal: Callable[[Fraction], bool], operators: str
) -> Iterator[tuple[Fraction, str]]:
    """Yield the value and the text of every formula that uses all numbers."""
    if len(numbers) == 1:
        yield numbers[0]
        return
    for (left, left_text), (right, right_text), *rest in permutations(numbers):
        results = {"+": left + right, "-": left - right, "*": left * right}
        if right:
            results["/"] = left / right
        for sign in operators:
            if sign in results and is_legal(results[sign]):
                step = (results[sign], f"({left_text}{sign}{right_text})")
                yield from formulas([step, *rest], is_legal, operators)


def texts_by_value(hand: Sequence[Any], game: str, operators: str = "+-*/") -> dict[Fraction, str]:
    """Return a formula for each value that a hand makes by the rules of a game."""
    numbers = [(Fraction(number), str(number)) for number in hand]
    if game != "countdown":
        return dict(formulas(numbers, lambda _: True, operators))
    found: dict[Fraction, str] = {}
    for size in range(1, len(numbers) + 1):
        for chosen in permutations(numbers, size):
            is_legal = lambda value: value > 0 and value.denominator == 1  # noqa: E731
            found |= dict(formulas(chosen, is_legal, operators))
    return found


class Maker:
    """Makes rows whose puzzles are all different."""

    def __init__(self, seed: int) -> None:
        self.rng = Random(seed)
        self.seen: set[tuple[Any, ...]] = set()
        self.number = 0

    def row(self, game: str, *, solvable: bool) -> tuple[Fields, dict[Fraction, str], list[str]]:
        """Return a row with a new puzzle, a formula for each value, and the notes about it."""
        while True:
            hand = [self.rng.randint(1, 25) for _ in range(self.rng.choice((2, 3, 3, 3)))]
            texts = texts_by_value(hand, game)
            targets = sorted(value for value in texts if value.denominator == 1 and value > 0)
            target = int(self.rng.choice(targets)) if solvable else self.rng.randint(1, 150)
            puzzle = (game, tuple(sorted(hand)), target)
            if (target in texts) == solvable and puzzle not in self.seen:
                break
        self.seen.add(puzzle)
        notes = []
        if solvable and game == "countdown" and target in hand:
            notes = ["dealt"]
        elif target in texts_by_value(hand, game, "+-"):
            notes = ["sums"]
        self.number += 1
        row = {"note": f'row {self.number}, "{game}"', "nums": hand, "target": target}
        # Without a game, the rules are those of the free game.
        return row | ({"game": game} if game == "countdown" else {}), texts, notes

    def key(self, text: str) -> str:
        """Return a formula in one of the notations of keys, at times in a sentence."""
        times, divide, space = self.rng.choice(NOTATIONS)
        signs = {"*": times, "/": divide, "+": "+", "-": "-"}
        stripped = text[1:-1] if text.startswith("(") else text
        formula = "".join(
            f"{space}{signs[sign]}{space}" if sign in signs else sign for sign in stripped
        )
        return self.rng.choice(
            (formula, formula, f"So \\boxed{{{formula}}}.", f"Answer: {formula}")
        )


def right_free(make: Maker) -> Planted:
    row, texts, notes = make.row("free", solvable=True)
    says = make.rng.choice(({}, {"solvable": True}))
    return Planted(row | {"answer": make.key(texts[row["target"]])} | says, tuple(notes))


def right_unsolvable(make: Maker) -> Planted:
    row, _, _ = make.row("free", solvable=False)
    says = make.rng.choice(({"answer": "no solution"}, {"solvable": False}))
    return Planted(row | says)


def unsolvable(make: Maker) -> Planted:
    row, texts, _ = make.row("free", solvable=False)
    kinds = ["unsolvable"]
    if make.rng.random() < 0.5:
        row["answer"] = make.key(make.rng.choice([*texts.values()]))
        kinds.append("key")
    if make.rng.random() < 0.3:
        row["solvable"] = True
        kinds.append("solvable")
    return Planted(row, tuple(kinds), is_left_out=True)


def wrongly_unsolvable(make: Maker) -> Planted:
    row, texts, notes = make.row("free", solvable=True)
    row |= {"answer": make.key(texts[row["target"]]), "solvable": False}
    return Planted(row, ("solvable", *notes))


def wrong_key(make: Maker) -> Planted:
    game = make.rng.choice(("free", "countdown"))
    row, texts, notes = make.row(game, solvable=True)
    others = [text for value, text in texts.items() if value != row["target"]]
    wrong = make.key(make.rng.choice(others or ["1/0"]))
    row["answer"] = make.rng.choice((wrong, wrong, "no solution", "I give up", "3 + + 4", "7*91"))
    return Planted(row, ("key", *notes))


def nearest(make: Maker) -> tuple[Fields, dict[Fraction, str], list[int]]:
    """Return a Countdown row whose target cannot be made, its formulas and its closest values."""
    row, texts, _ = make.row("countdown", solvable=False)
    distance = min(abs(value - row["target"]) for value in texts)
    values = [int(value) for value in texts if abs(value - row["target"]) == distance]
    return row, texts, sorted(values)


def right_closest(make: Maker) -> Planted:
    row, texts, values = nearest(make)
    best = make.rng.choice(values)
    row |= {"closest": best, "delta": abs(best - row["target"])}
    return Planted(row | {"answer": make.key(texts[Fraction(best)])})


def wrong_closest(make: Maker) -> Planted:
    row, texts, values = nearest(make)
    kinds = ["closest"]
    others = [value for value in texts if value not in values and value.denominator == 1]
    closest = make.rng.choice([*map(int, others), values[0] + 1000])
    row |= {"closest": closest, "answer": make.key(texts[Fraction(values[0])])}
    right_distance = abs(values[0] - row["target"])
    row["delta"] = make.rng.choice((right_distance, abs(closest - row["target"])))
    if row["delta"] != right_distance:
        kinds.append("distance")
    if make.rng.random() < 0.5:
        row["answer"] = make.key(texts[Fraction(closest)]) if closest in texts else "1+"
        kinds.append("key")
    if closest == row["target"]:
        kinds.append("unsolvable")
    return Planted(row, tuple(kinds))


def wrong_distance(make: Maker) -> Planted:
    row, texts, notes = make.row("countdown", solvable=True)
    row |= {"closest": row["target"], "delta": make.rng.randint(1, 9)}
    return Planted(row | {"answer": make.key(texts[row["target"]])}, ("distance", *notes))


def unreadable(make: Maker) -> Planted:
    make.number += 1
    row: Fields = {"note": f"row {make.number}", "target": 24, "answer": "3 * 8"}
    return Planted(
        make.rng.choice((row, row | {"nums": [3, 8], "game": "chess"})),
        ("unreadable",),
        is_left_out=True,
    )


def undecided(make: Maker) -> Planted:
    make.number += 1
    row: Fields = {"note": f"row {make.number}", "nums": list(range(1, 13)), "target": 78}
    return Planted(row, ("undecided",))


# How many rows of each sort a file of 1,000 has, beside repeated ones and those with ids.
SORTS: dict[Callable[[Maker], Planted], int] = {
    right_free: 290,
    right_unsolvable: 60,
    right_closest: 60,
    unsolvable: 90,
    wrongly_unsolvable: 40,
    wrong_key: 140,
    wrong_closest: 70,
    wrong_distance: 49,
    unreadable: 40,
    undecided: 1,
}


def planted_rows(seed: int, share: int = 1) -> list[Planted]:
    """Return 1,000 rows in random order, or one of `share`; repeated puzzles come later."""
    make = Maker(seed)
    rows = [sort(make) for sort, count in SORTS.items() for _ in range(-(-count // share))]
    for index, puzzle in enumerate(deal("cards", 100 // share, seed=seed)):
        level = puzzle.level or 0
        is_wrong = index % 2 == 0
        row: Fields = {"note": "dealt", "id": puzzle.id, "answer": puzzle.answer()}
        row["level"] = level % 5 + 1 if is_wrong else level
        sums = {"sums"} if puzzle.target in texts_by_value(puzzle.hand, "cards", "+-") else set()
        rows.append(Planted(row, (*(["level"] if is_wrong else []), *sums)))
    make.rng.shuffle(rows)
    for _ in range(60 // share):
        index = make.rng.randrange(len(rows))
        row = dict(rows[index].row)
        if "nums" in row and rows[index].kinds[:1] not in (("unreadable",), ("undecided",)):
            row["nums"] = make.rng.sample(row["nums"], len(row["nums"]))
            claims = {"key", "closest", "distance", "solvable"}
            kinds = ("duplicate", *(kind for kind in rows[index].kinds if kind in claims))
            rows.insert(make.rng.randint(index + 1, len(rows)), Planted(row, kinds, True))
        else:
            rows.append(right_free(make))
    return [
        planted._replace(row={name: planted.row.get(name) for name in COLUMNS}) for planted in rows
    ]
