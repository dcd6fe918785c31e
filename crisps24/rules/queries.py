"""The query of a hand: validated once, when it is made."""

from dataclasses import dataclass, field
from typing import Self

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import message
from crisps24.rules.deals import HandLike, check_fraction, check_hand_size, to_hand
from crisps24.rules.exact import Exact, to_exact
from crisps24.rules.games import Game, Hand, find_game, game_for_numbers
from crisps24.rules.ids import is_id
from crisps24.rules.machines import HANDS
from crisps24.rules.work import DEFAULT_WORK, check_work_limit


@dataclass(frozen=True, slots=True)
class HandQuery:
    """A hand, the game to play it by, and the largest search.

    The game need not be able to deal the hand: `deals.deal_problem` checks that.

    Raises KindError for a search limit that is not a number, and RefusedError for a hand without
    numbers or with too many, for a game without hands, and for a number that is negative, not whole
    or of several digits in a game that does not allow that.
    """

    hand: Hand
    """The numbers, in the order in which they are dealt."""
    game: Game
    work: int | None = DEFAULT_WORK
    """Largest search to attempt, in pairs of values (None: no limit). Small hands, of up to 6
    numbers in most games, are solved with any limit: see `solving.work.is_small`."""
    numbers: Hand = field(init=False, compare=False)
    """The numbers, sorted unless their order matters."""
    effective_game: Game = field(init=False, compare=False)
    """The game with these numbers; see `games.game_for_numbers`."""

    def __post_init__(self) -> None:
        HANDS.check(self.game)
        check_hand_size(self.hand)
        for number in self.hand:
            if self.game.join and not (isinstance(number, int) and 0 <= number <= 9):
                raise RefusedError(message("rules.join", number=number))
            check_fraction(number, self.game)
            if number < 0 and not self.game.negatives:
                reason = message("rules.negative", number=number)
                raise RefusedError(reason, "advice.option", option="--negatives")
        check_work_limit(self.work)
        numbers = self.hand if self.game.in_order else tuple(sorted(self.hand))
        object.__setattr__(self, "numbers", numbers)
        object.__setattr__(self, "effective_game", game_for_numbers(self.hand, self.game))

    @classmethod
    def from_arguments(
        cls,
        numbers: HandLike,
        game: Game | str,
        *,
        in_order: bool = False,
        work: int | None = DEFAULT_WORK,
    ) -> Self:
        """Return a query from arguments that users write: a hand as text, or a game by its name."""
        if isinstance(numbers, str) and is_id(numbers):
            given = quoted(numbers)
            raise KindError(f"{given} is the id of a puzzle: puzzle_of({given}) has its solutions")
        game = find_game(game, in_order=in_order)
        return cls(to_hand(numbers, game), game, work)


def target_for(game: Game, target: Exact | None) -> Exact:
    """Return a target as an exact value, or the default target of the game if it is None."""
    if target is not None:
        return to_exact(target)
    if game.target is None:
        raise RefusedError(message("rules.target", game=game.name))
    return game.target
