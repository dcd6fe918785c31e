"""Missing signs: all ways to fill them in, compared with brute force."""

import os
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from crisps24 import GAMES, CrispsError, Equation, FormulaError, Game
from crisps24.equation_puzzles.gaps import Gaps, read_gaps
from crisps24.equation_puzzles.missing import count_fillings, fill_gaps
from crisps24.rules.games import FREE_GAME
from tests.equation_puzzles.equations_oracle import signs_for
from tests.sampling import in_one_test
from tests.tables import cells_of

CRISPS = GAMES["crisps"]
TYPED = str.maketrans("x:", "*/")
TESTED_GAMES = (
    CRISPS,
    replace(FREE_GAME, parentheses=False),
    replace(CRISPS, operators=("-", "+")),
    replace(CRISPS, zero=False, fractions=True),
    replace(CRISPS, most=50),
)
PUZZLES = int(os.environ.get("CRISPS24_SIGNS", "200"))


def texts(gaps: Gaps, game: Game) -> list[str]:
    return [f"{left} = {right}" for left, right in fill_gaps(gaps, game)]


def random_puzzles() -> Iterator[tuple[str, Game]]:
    random = Random(24)
    for _ in range(PUZZLES):
        game = random.choice(TESTED_GAMES)
        numbers = [random.choice([*range(10), 12]) for _ in range(random.randint(3, 6))]
        signs = [random.choice("______-+") for _ in numbers[1:]]
        if random.random() < 0.7:
            signs[random.randrange(len(signs))] = "="
        if "_" not in signs:
            signs[0] = "_"
        pairs = zip(numbers, [*signs, ""], strict=True)
        yield "".join(f"{number}{sign}" for number, sign in pairs), game


def test_fillings_match_brute_force() -> None:
    ways = 0
    for text, game in random_puzzles():
        equation = Equation(8, "either", "either", lone_zeros=True, game=game)
        fillings = texts(read_gaps(text, game), game)
        typed = [filling.translate(TYPED).replace(" ", "") for filling in fillings]
        assert sorted(typed) == sorted(signs_for(text, equation, equals="=" not in text)), text
        assert count_fillings(read_gaps(text, game), game) == len(fillings)
        ways += len(fillings)
    assert ways > PUZZLES // 2


@in_one_test(("text", "reason", "position"), *cells_of("unread-gaps.txt"))
def test_invalid_row_is_refused_with_its_position(text: str, reason: str, position: str) -> None:
    with pytest.raises(FormulaError) as caught:
        read_gaps(text, replace(CRISPS, name="sums", operators=("-", "+")))
    assert (caught.value.reason, caught.value.position) == (reason, int(position))


def test_rows_that_cannot_be_counted_or_listed_are_refused() -> None:
    with pytest.raises(CrispsError, match="at most 12 numbers, not 13"):
        count_fillings(read_gaps("_".join("1" * 13) + "=1", CRISPS), CRISPS)
    with pytest.raises(CrispsError, match="game24 does not group by precedence"):
        count_fillings(read_gaps("1_1=1", CRISPS), GAMES["game24"])
    many = read_gaps("_".join("1" * 12) + "=" + "_".join("1" * 12), CRISPS)
    with pytest.raises(CrispsError, match="ways: more than 1,000,000 are not listed"):
        fill_gaps(many, CRISPS)
