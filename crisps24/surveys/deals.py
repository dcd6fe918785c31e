"""The subject of a survey: all hands of a game, a range of targets, and the size limits."""

from collections.abc import Sequence

from crisps24.errors import RefusedError
from crisps24.rules.deals import count_hands
from crisps24.rules.exact import Exact, to_exact
from crisps24.rules.games import Game
from crisps24.rules.queries import HandQuery
from crisps24.rules.words import format_range, format_value, to_range
from crisps24.rules.work import DEFAULT_WORK
from crisps24.solving.work import REACH, budget_for, typical_hand

# Pairs of a hand and a target: a byte each in memory, a bit each in a file.
MOST_SURVEYED_PAIRS = 1 << 30
# A survey is of many hands: so many of a typical one are no more work than is allowed.
_HANDS = 10
# Such pairs with their bits: eight bytes each in memory, three in a file.
MOST_GRADED = 1 << 25


def range_of(targets: range | Sequence[int] | int | None, game: Game) -> range:
    """Return the targets of a survey as a range; without any, the game's own.

    >>> from crisps24 import GAMES
    >>> range_of(24, GAMES["crisps"]), range_of(None, GAMES["krypto"])
    (range(24, 25), range(1, 26))

    Raises ValueError where there are none, too many, others than whole ones, or gaps.
    """
    if targets is None:
        targets = range(game.targets[0], game.targets[1] + 1)
    asked = to_range(targets, "a survey")
    if not asked:
        raise RefusedError("the range of targets is empty")
    return asked


def place_of(target: Exact, targets: range) -> int:
    """Return the place of a target among those that were asked for.

    >>> place_of(24, range(20, 30))
    4

    Raises ValueError for a target that was not asked for.
    """
    wanted = to_exact(target)
    if wanted in targets:
        return targets.index(int(wanted))
    raise RefusedError(f"{format_value(wanted)} is not among the targets {format_range(targets)}")


def check_size(game: Game, targets: range, *, graded: bool = False) -> int:
    """Return how many hands a game has, where a survey can take them with so many targets.

    A survey of difficulty (`graded`) takes fewer. Raises ValueError if it cannot take them, and
    says how many targets would fit.
    """
    hands = count_hands(game)
    most = MOST_GRADED if graded else MOST_SURVEYED_PAIRS
    if hands * len(targets) > most:
        of_what = "a survey of difficulty" if graded else "a survey"
        raise RefusedError(
            f"{hands:,} hands of {game.name} and {len(targets):,} targets are more than {of_what} "
            f"holds; {most // hands:,} targets would fit"
        )
    return hands


def check_asked(
    game: Game, targets: range, *, graded: bool = False, work: int | None = DEFAULT_WORK
) -> None:
    """Raise ValueError for a survey larger than `check_size` allows, or with hands too large.

    `work` limits the pairs of values of a hand. A file of such a survey can still be read.
    """
    check_size(game, targets, graded=graded)
    budget_for(HandQuery(typical_hand(game), game, work=work), REACH, times=_HANDS)
