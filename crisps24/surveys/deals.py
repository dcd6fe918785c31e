"""The subject of a survey: all hands of a game, a range of targets, and the size limits."""

from collections.abc import Sequence

from crisps24.errors import RefusedError, quoted
from crisps24.rules.deals import MAX_HANDS, MAX_SURVEYED_HANDS, count_hands, list_hands
from crisps24.rules.exact import Exact, to_exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.machines import HANDS, VALUES
from crisps24.rules.words import format_range, format_value, to_range
from crisps24.rules.work import DEFAULT_WORK, MAX_TABLE_BYTES
from crisps24.solving.work import REACH, check_hands, pairs_per_hand

# Pairs of a hand and a target: a byte each in memory, a bit each in a file.
MAX_SURVEYED_PAIRS = 1 << 30
# Pairs with their bits of difficulty: eight bytes each in memory, two to four in a file.
MAX_GRADED_PAIRS = 1 << 25
# Bytes of a hand in a list, without its numbers.
_HAND_BYTES = 80
# The work limit allows at least this many typical hands.
_MIN_HANDS = 10
# The largest distance that is counted on its own; larger ones are counted together.
MAX_DISTANCE = 100


def to_target_range(targets: range | Sequence[int] | int | None, game: Game) -> range:
    """Return the targets of a survey as a range: one target, a range or a list of integers."""
    if targets is None:
        targets = range(game.targets[0], game.targets[1] + 1)
    target_range = to_range(targets, "a survey")
    if not target_range:
        raise RefusedError("the range of targets is empty")
    return target_range


def target_index(target: Exact, targets: range) -> int:
    value = to_exact(target)
    if value in targets:
        return targets.index(int(value))
    raise RefusedError(f"{format_value(value)} is not among the targets {format_range(targets)}")


def check_distances(game: Game, most: int) -> None:
    """Raise RefusedError if a survey of a game cannot count distances up to `most`."""
    if type(most) is not int or not 1 <= most <= MAX_DISTANCE:
        raise RefusedError(f"invalid distance {quoted(most)} (expected 1 to {MAX_DISTANCE})")
    if game.fractions or game.decimals or game.repeating:
        raise RefusedError(
            f"distances need a game with whole values: {game.name} has fractions, and a survey "
            "does not"
        )


def with_neighbours(targets: range, most: int, game: Game) -> range:
    """Return the targets that a survey needs to count distances up to `most` for some targets.

    >>> from crisps24 import GAMES
    >>> with_neighbours(range(101, 1000), 10, GAMES["countdown"])
    range(91, 1010)
    """
    first = targets[0] - most
    least = _least_value(game)
    if least is not None:
        first = max(first, min(least, targets[0]))
    return range(first, targets[-1] + most + 1)


def without_neighbours(targets: range, most: int, game: Game) -> range:
    """Return the targets of a survey for which distances up to `most` are known."""
    least = _least_value(game)
    has_all_below = least is not None and targets[0] <= least
    measurable = targets[0 if has_all_below else most : max(0, len(targets) - most)]
    if not measurable:
        raise RefusedError(
            f"the survey has only the targets {format_range(targets)}: distances up to {most} need "
            f"{most} more on both sides"
        )
    return measurable


def _least_value(game: Game) -> int | None:
    """Return the least whole value that a game allows; None if values can be negative."""
    if game.negatives or game.signed:
        return None
    return 1 if game.positive else 0


def check_size(game: Game, targets: range, *, graded: bool = False) -> int:
    """Return the number of hands of a game; raise RefusedError if a survey would be too large."""
    hands = count_hands(game, MAX_SURVEYED_HANDS)
    limit = MAX_GRADED_PAIRS if graded else MAX_SURVEYED_PAIRS
    if hands > MAX_HANDS:
        free_bytes = max(0, MAX_TABLE_BYTES - hands * (_HAND_BYTES + 8 * game.length))
        limit = min(limit, free_bytes // (8 if graded else 1))
    if hands * len(targets) > limit:
        kind = "a survey of difficulty" if graded else "a survey"
        raise RefusedError(
            f"{hands:,} hands of {game.name} and {len(targets):,} targets are more than {kind} "
            f"holds; {limit // hands:,} targets would fit"
        )
    return hands


def check_survey(
    game: Game, targets: range, *, graded: bool = False, work: int | None = DEFAULT_WORK
) -> None:
    """Raise RefusedError if a survey has too many hands and targets, or would take too long."""
    hands = check_size(game, targets, graded=graded)
    has_forms = not (graded or VALUES.can_do(game))
    check_hands(game, _MIN_HANDS, work, REACH._replace(with_forms=has_forms))
    if work is not None and hands > MAX_HANDS and hands * pairs_per_hand(game) > work:
        # This raises the error of other commands.
        count_hands(game)


def to_survey(
    game: Game,
    targets: range | Sequence[int] | int | None,
    *,
    graded: bool = False,
    work: int | None = DEFAULT_WORK,
) -> tuple[range, list[Hand]]:
    """Return the targets and the hands of a survey; RefusedError if it is too large."""
    HANDS.check(game)
    target_range = to_target_range(targets, game)
    check_survey(game, target_range, graded=graded, work=work)
    return target_range, list_hands(game, MAX_SURVEYED_HANDS)
