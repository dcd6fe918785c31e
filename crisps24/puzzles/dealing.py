"""Deal puzzles by a seed: each satisfies the conditions and has a solution, always the same.

A hand is drawn by its place in the list of hands, which is not built, then a target that people can
make of it; a puzzle that does not satisfy the conditions is drawn again. If there are few hands,
all are graded first, so that it is known how many satisfy them; else the hands that are likely to
be drawn are graded together, which changes no puzzle. Raise `draws.VERSION` to change any of this.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial
from itertools import islice
from numbers import Integral
from typing import TYPE_CHECKING, overload

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import Count, Message, message
from crisps24.notation.styles import style_by_name
from crisps24.output.executors import check_executor
from crisps24.output.tables import Row
from crisps24.puzzle import PUZZLE_FIELDS, Puzzle
from crisps24.puzzles.conditions import LEVELS, Conditions, deal_command, parse_seed
from crisps24.puzzles.draws import VERSION, Draws
from crisps24.puzzles.rows import DEFAULT_TEMPLATE, deal_rows
from crisps24.rules.deals import HandIndex, largest_numbers, list_hands, max_copies
from crisps24.rules.exact import Exact, to_exact
from crisps24.rules.games import GAMES, Game, Hand, find_game
from crisps24.rules.queries import HandQuery
from crisps24.rules.ratios import Column, Floats, exact_values
from crisps24.rules.words import to_range
from crisps24.rules.work import DEFAULT_WORK
from crisps24.solving.effort import (
    Difficulty,
    DifficultyModel,
    difficulties_from_bits,
    difficulty_of_nearest,
    level_cutoffs,
)
from crisps24.solving.solver import find_closest
from crisps24.solving.work import REACH, budget_for, typical_hand

if TYPE_CHECKING:
    from concurrent.futures import Executor

# As many puzzles are dealt at once.
MAX_PUZZLES = 100_000
# Of so many hands all are looked at; of more, so many draws in a row may be in vain.
_FEW_HANDS = 5_000
_IN_VAIN = 2_000
_SEEDS = 1_000_000
# So many puzzles of a deal keep the solutions that were looked at: they may be hundreds each.
_KEPT_SOLVED = 1_000
# Games of which all hands are kept, once one is dealt.
_DEALT_TOGETHER = 4
# So many hands that are likely to be drawn are graded ahead; a process is given so many at once.
_MOST_AHEAD = 1_000
_SHARE = 250

Graded = dict[Exact, Difficulty]
_Bits = tuple[Column, Floats]
# As many hands may be graded to find one that fulfils what is asked.
_GRADED = 1_000


@dataclass(frozen=True, slots=True)
class Deal(Sequence[Puzzle]):
    """A sequence of dealt puzzles, with the seed and the command that deal them again."""

    puzzles: tuple[Puzzle, ...]
    game: Game
    seed: int
    command: str
    """The command that deals these puzzles again.

    For a game of one's own, that no command has, it is the call.
    """
    version: int = VERSION
    plain: bool = False
    """Whether the answers are solutions without parentheses."""

    def __len__(self) -> int:
        return len(self.puzzles)

    def rows(
        self,
        executor: "Executor | None" = None,
        *,
        fields: Sequence[str] = PUZZLE_FIELDS,
        template: str = DEFAULT_TEMPLATE,
    ) -> Iterator[Row]:
        """Yield a row of fields for each puzzle, in order."""
        return deal_rows(
            self.puzzles, fields, template=template, plain=self.plain, executor=executor
        )

    def answers(self, executor: "Executor | None" = None) -> list[str]:
        """Return the answer of each puzzle; see `Puzzle.answer`."""
        return [row["answer"] for row in self.rows(executor, fields=["answer"])]

    def with_style(self, style: str) -> "Deal":
        """Return the same puzzles with formulas in a style; None keeps them unchanged.

        >>> deal("cards", seed=7).with_style("unicode").answers()
        ['12 + 6 + 6 × 1']
        """
        if not style:
            return self
        known = style_by_name(style).name
        return replace(self, puzzles=tuple(puzzle.with_style(known) for puzzle in self))

    @overload
    def __getitem__(self, place: int) -> Puzzle: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Puzzle, ...]: ...

    def __getitem__(self, place: int | slice) -> Puzzle | tuple[Puzzle, ...]:
        return self.puzzles[place]


def deal(
    game: Game | str = "crisps",
    count: int = 1,
    *,
    seed: int | None = None,
    target: Exact | None = None,
    targets: range | None = None,
    level: int | None = None,
    conditions: Conditions | None = None,
    rising: bool = False,
    executor: "Executor | None" = None,
    work: int | None = DEFAULT_WORK,
    progress: Callable[[int], object] | None = None,
) -> Deal:
    """Deal puzzles of a game, each with a solution; the same seed deals the same puzzles.

    Where a game came with large tiles, it is drawn how many of these there are, each as likely,
    then the tiles, none put back. In other games, and where the numbers of a game are changed,
    each distinct hand is as likely, among those with as many large numbers as are asked for. Of
    the targets each that can be made is as likely, but one that is dealt where that solves it:
    see `Conditions.trivial`. `target` asks for one, `targets` for a range. `level` is
    short for conditions of that level alone. `rising` sorts from
    easy to hard. Where hands are many an `executor` grades them. `work` is how many pairs of
    values may be looked at to grade as many hands, None for any; `progress` is called with the
    number of puzzles just dealt.

    >>> [puzzle.id for puzzle in deal("cards", 2, seed=7)]
    ['cards:1.6.6.12=24', 'cards:2.4.4.8=24']

    Raises ValueError where no puzzle fulfils the conditions, or too few, for levels of a game that
    has none, for more than 100,000, for what is no seed, for an empty range, for targets that are
    all below zero, where people do not go, and for a game of which hands cannot be solved;
    TypeError for a target that is not exact.
    """
    game = find_game(game)
    conditions = Conditions() if conditions is None else conditions
    if not isinstance(conditions, Conditions):
        raise KindError(
            f"{quoted(conditions)} are no conditions: Conditions(levels=range(2, 4)) are"
        )
    if level is not None:
        if type(level) is not int or not 1 <= level <= 5:
            raise RefusedError(message("refused.level", text=quoted(level)))
        conditions = replace(conditions, levels=range(level, level + 1))
    if conditions.lengths is not None and len(conditions.lengths) == 1:
        game = replace(game, length=conditions.lengths[0])
        conditions = replace(conditions, lengths=None)
    lengths = conditions.lengths
    games = [replace(game, length=length) for length in lengths] if lengths else [game]
    for each in games:
        # A game whose hands cannot be solved deals nothing.
        HandQuery(tuple(largest_numbers(each)), each, work=work)
    check_count(count)
    for each in games:
        budget_for(HandQuery(typical_hand(each), each, work=work), REACH, times=max(count, _GRADED))
    seed = to_seed(seed)
    target = None if target is None else to_exact(target)
    targets = None if targets is None else to_range(targets, "a deal")
    wanted = candidate_targets(game, target, targets)
    if not wanted or max(wanted[0], wanted[-1]) < 0:
        raise RefusedError(message("deal.below_zero" if wanted else "deal.no_targets"))
    if conditions.levels != LEVELS and level_cutoffs(game) is None:
        key = "deal.levels_changed" if game.name in GAMES else "deal.levels"
        raise RefusedError(message(key, game=game.name), "advice.level")
    check_executor(executor)

    def dealt(one: Game, many: int, what: str = "") -> list[Puzzle]:
        return _Dealer(one, wanted, conditions, Draws(seed, what), executor, progress).deal(many)

    puzzles = _mixed(games, count, seed, dealt) if games[1:] else dealt(game, count)
    if rising:
        puzzles.sort(key=lambda puzzle: puzzle.difficulty.bits if puzzle.difficulty else 0)
    if work != DEFAULT_WORK:
        puzzles = [puzzle.with_work(work) for puzzle in puzzles]
    asked = deal_command(
        game, count, seed, conditions, target=target, targets=targets, rising=rising
    )
    return Deal(tuple(puzzles), game, seed, asked, plain=conditions.plain)


def _mixed(
    games: Sequence[Game], count: int, seed: int, dealt: Callable[[Game, int, str], list[Puzzle]]
) -> list[Puzzle]:
    """Deal of games that differ in the length of a hand, each as likely."""
    lengths = Draws(seed, "lengths")
    order = [lengths.below(len(games)) for _ in range(count)]
    found = {
        at: iter(dealt(games[at], many, f"length {games[at].length}"))
        for at, many in sorted(Counter(order).items())
    }
    return [next(found[at]) for at in order]


def check_count(count: object) -> None:
    """Raise ValueError, in one sentence, for so many puzzles as cannot be dealt at once."""
    if type(count) is not int or not 1 <= count <= MAX_PUZZLES:
        many = Count(count) if type(count) is int and abs(count) < 10**30 else quoted(count)
        raise RefusedError(message("deal.count", text=many, most=Count(MAX_PUZZLES)))


def to_seed(seed: object = None) -> int:
    """Return a seed that a caller gives, which may be text; one that is drawn where there is none.

    Raises ValueError for what is no seed.
    """
    if seed is None:
        return secrets.randbelow(_SEEDS)
    if isinstance(seed, Integral) and not isinstance(seed, bool):
        seed = int(seed)
    return parse_seed(seed if isinstance(seed, str) else quoted(seed))


def candidate_targets(game: Game, target: Exact | None, targets: range | None) -> Sequence[Exact]:
    """Return the targets to choose from: those that are asked for, or the game's own."""
    if target is not None:
        return (target,)
    if targets is not None:
        return targets
    if game.target is not None:
        return (game.target,)
    return to_range(range(game.targets[0], game.targets[1] + 1), "a deal")


class _Dealer:
    """Deals the puzzles of one call that have hands of one length."""

    def __init__(
        self,
        game: Game,
        targets: Sequence[Exact],
        conditions: Conditions,
        draws: Draws,
        executor: "Executor | None",
        progress: Callable[[int], object] | None,
    ) -> None:
        self.game = game
        self.targets = targets
        self.conditions = conditions
        self.draws = draws
        self.progress = progress
        self.ahead = _Ahead(game, targets, executor)
        self.hands = HandIndex.of_game(game)
        self.tiles = _has_tiles(game)
        # The large numbers and the others, each with how often a hand may have it, and the hands
        # of so many of them.
        times = max_copies(game)
        self.large = tuple(each for each in times if each[0] in game.large)
        self.small = tuple(each for each in times if each[0] not in game.large)
        self.some = cache(HandIndex)
        self.used: set[Hand] = set()
        # Whether a puzzle was left out that takes no step.
        self.left_out = False
        # How many hands more had a target to be drawn than had none.
        self.with_target = 0

    def deal(self, count: int) -> list[Puzzle]:
        if self.tiles or self.conditions.large is not None:
            return self._by_trying(count, self._with_large)
        if self.hands.count <= _FEW_HANDS:
            return self._of_all_hands(count)
        return self._by_trying(
            count, lambda draws: self.hands.hand_at(draws.below(self.hands.count))
        )

    def _of_all_hands(self, count: int) -> list[Puzzle]:
        """Deal from all hands that there are, each as likely, in an order of chance."""
        every = _graded(self.game, self.targets)
        open_ones = {
            hand: found
            for hand, found in every.items()
            if any(self._allowed(hand, target, found) for target in found)
        }
        found: list[Puzzle] = []
        while len(found) < count:
            before = len(found)
            for hand in self.draws.shuffled(list(open_ones)):
                puzzle = self._of_hand(hand, open_ones[hand])
                if puzzle is not None:
                    self._add(puzzle, found)
                    if len(found) == count:
                        break
            if len(found) == before or not self.conditions.repeat:
                break
        if len(found) < count:
            raise self._too_few(len(found), count)
        return found

    def _allowed(self, hand: Hand, target: Exact, found: Graded) -> bool:
        return self.conditions.allows_difficulty(found[target]) and self._has_work(hand, target)

    def _has_work(self, hand: Hand, best: Exact) -> bool:
        """Return whether a puzzle takes a step, where one that takes none is not asked for."""
        if best not in hand or self.conditions.trivial:
            return True
        if self.game.all_numbers and len(hand) > 1:
            return True
        self.left_out = True
        return False

    def _of_hand(self, hand: Hand, found: Graded) -> Puzzle | None:
        """Draw a target for a hand of which some will do, as long as it takes."""
        open_ones = [target for target in self.targets if target in found]
        allowed = [one for one in open_ones if self._allowed(hand, one, found)]
        for target in self.draws.shuffled(allowed):
            puzzle = self._puzzle(hand, target, target, found[target])
            if self.conditions.allows_solutions(puzzle):
                return puzzle
        return None

    def _by_trying(self, count: int, draw_hand: Callable[[Draws], Hand]) -> list[Puzzle]:
        """Deal hand after hand, and keep what will do."""
        found: list[Puzzle] = []
        in_vain = 0
        while len(found) < count:
            if in_vain == _IN_VAIN:
                advice, command = self._to_loosen(len(found))
                counts = {"draws": Count(_IN_VAIN), "found": Count(len(found))}
                counts["wanted"] = Count(count)
                reason = message("deal.in_vain", **counts, advice=message(advice))
                raise self._refused(reason, command)
            hand, puzzle = draw_hand(self.draws), None
            if self.conditions.repeat or tuple(sorted(hand)) not in self.used:
                coming = partial(self._likely_next, draw_hand)
                puzzle = self._tried(hand, self.ahead.made(hand, coming, count - len(found)))
            in_vain += 1
            if puzzle is not None:
                self._add(puzzle, found)
                self.used.add(tuple(sorted(puzzle.hand)))
                in_vain = 0
        return found

    def _add(self, puzzle: Puzzle, found: list[Puzzle]) -> None:
        found.append(_kept(puzzle, len(found)))
        if self.progress is not None:
            self.progress(1)

    def _likely_next(self, draw_hand: Callable[[Draws], Hand], count: int) -> Iterable[Hand]:
        """Return the hands of so many draws more, if each is as good for a target as most were."""
        draws, soon, new = copy(self.draws), dict[Hand, None](), True
        for _ in range(count):
            if new and self.with_target >= 0:
                draws.below(1)
            hand = tuple(sorted(draw_hand(draws)))
            new = self.conditions.repeat or not (hand in soon or hand in self.used)
            if new:
                soon[hand] = None
        return soon

    def _tried(self, hand: Hand, bits: dict[Exact, float]) -> Puzzle | None:
        if self.conditions.closest:
            target = self.draws.choose(self.targets)
            best = target if target in bits else _nearest(hand, target, self.game)
        else:
            can_be_made = [
                target
                for target in self.targets
                if target in bits and (target not in hand or self._has_work(hand, target))
            ]
            self.with_target += 1 if can_be_made else -1
            if not can_be_made:
                return None
            best = target = self.draws.choose(can_be_made)
        if best is None or best not in bits:
            return None
        found = difficulties_from_bits([(best, bits[best])], hand, self.game)[best]
        found = found if best == target else difficulty_of_nearest(found)
        if not (self.conditions.allows_difficulty(found) and self._has_work(hand, best)):
            return None
        puzzle = self._puzzle(hand, target, best, found)
        return puzzle if self.conditions.allows_solutions(puzzle) else None

    def _puzzle(self, hand: Hand, target: Exact, best: Exact, found: Difficulty) -> Puzzle:
        return Puzzle(hand, target, self.game).with_cached(best=best, difficulty=found)

    def _with_large(self, draws: Draws) -> Hand:
        """Draw so many large numbers, then the others; how many is drawn where it is not asked."""
        large, small, length = self.large, self.small, self.game.length
        most = min(length, sum(many for _, many in large))
        least = max(0, length - sum(many for _, many in small))
        if self.conditions.large is None:
            many = least + draws.below(most - least + 1)
        else:
            many = self.conditions.large
        if not least <= many <= most:
            name = self.game.name
            if not most:
                raise RefusedError(message("deal.no_large", game=name))
            limits = {"least": least, "most": most}
            raise RefusedError(message("deal.large", game=name, given=many, **limits))
        drawn = self._some_of(large, many, draws), self._some_of(small, length - many, draws)
        return tuple(number for some in drawn for number in sorted(some, reverse=True))

    def _some_of(
        self, times: tuple[tuple[int, int], ...], count: int, draws: Draws
    ) -> Sequence[int]:
        """Draw tiles as they are dealt, none put back, or else any hand of so many numbers."""
        if self.tiles:
            every = [number for number, many in times for _ in range(many)]
            return list(islice(draws.shuffled(every), count))
        hands = self.some(times, count)
        return hands.hand_at(draws.below(hands.count))

    def _too_few(self, found: int, count: int) -> RefusedError:
        advice, option = self._to_loosen(found)
        if not found:
            return self._refused(message("deal.none", advice=message(advice)), option)
        values = {"count": found, "wanted": Count(count), "advice": message(advice)}
        return self._refused(message("deal.few", **values), option)

    def _refused(self, reason: Message, option: str) -> RefusedError:
        """Return the error with a reason, which names the length if there are several."""
        if self.conditions.lengths:
            length = message("rules.count", count=self.game.length)
            reason = message("list.label", label=length, text=reason)
        return RefusedError(reason, "advice.option", option=option)

    def _to_loosen(self, found: int) -> tuple[str, str]:
        """Return the key of advice about a condition, and its option."""
        conditions = self.conditions
        if conditions.solutions is not None:
            return "deal.more_solutions", "--solutions"
        if conditions.plain:
            return "deal.more_brackets", "--plain"
        if self.left_out and not found:
            return "deal.more_trivial", "--trivial"
        if conditions.levels != LEVELS:
            return "deal.more_levels", "--level"
        if found and not conditions.repeat:
            return "deal.more_repeats", "--repeat"
        return "deal.more_targets", "--targets"


class _Ahead:
    """Grades the hands of one length, together with those that are likely to be drawn next."""

    def __init__(
        self, game: Game, targets: Sequence[Exact], executor: "Executor | None" = None
    ) -> None:
        self.game, self.targets, self.executor = game, targets, executor
        self.efforts = _efforts(game, targets)
        self.known: dict[Hand, _Bits] = {}
        # How many were graded the last time, and how many were asked for since; who has others
        # to do it begins with many.
        self.width = self.asked = 1 if executor is None else _MOST_AHEAD

    def made(
        self, hand: Hand, coming: Callable[[int], Iterable[Hand]], most: int
    ) -> dict[Exact, float]:
        """Return the targets that people can make of a hand, with the bits of each.

        `coming` gives so many that are likely next, of which `most` are of use.
        """
        hand = tuple(sorted(hand))
        if hand not in self.known:
            # More where the last ones were drawn, fewer where they were not.
            guessed_well = self.asked >= self.width
            width = min(_MOST_AHEAD, most, 2 * self.width if guessed_well else self.asked)
            if len(self.known) > 2 * _MOST_AHEAD:
                self.known.clear()
            soon = {hand, *coming(width - 1)}
            self._grade(sorted(soon - self.known.keys()))
            self.width, self.asked = len(soon), 0
        self.asked += 1
        targets, bits = self.known[hand]
        return dict(zip(exact_values(targets), bits.tolist(), strict=True))

    def _grade(self, hands: list[Hand]) -> None:
        shares = [hands[at : at + _SHARE] for at in range(0, len(hands), _SHARE)]
        if self.executor is None or not shares[1:]:
            self.known.update(zip(hands, self.efforts.surprisals(hands), strict=True))
            return
        bits_of = partial(_bits_of, self.game, self.targets)
        for share, found in zip(shares, self.executor.map(bits_of, shares), strict=True):
            self.known.update(zip(share, found, strict=True))


def _bits_of(game: Game, targets: Sequence[Exact], hands: Sequence[Hand]) -> list[_Bits]:
    """Return what hands make, in another process perhaps."""
    return _efforts(game, targets).surprisals(hands)


def _kept(puzzle: Puzzle, place: int) -> Puzzle:
    """Return the puzzle at a place of a deal as it is kept: only the first with their solutions."""
    return puzzle if place < _KEPT_SOLVED else puzzle.without_solutions()


def _has_tiles(game: Game) -> bool:
    """Return whether a game draws its large tiles first: those that its numbers came with."""
    came_with = GAMES.get(game.name, game)
    own = (game.numbers, game.repeats) == (came_with.numbers, came_with.repeats)
    return bool(game.large) and not game.repeats and (own or game.large != came_with.large)


def _efforts(game: Game, targets: Sequence[Exact]) -> DifficultyModel:
    return DifficultyModel(game, largest_numbers(game), within=(targets[0], targets[-1]))


@lru_cache(_DEALT_TOGETHER)
def _graded(game: Game, targets: Sequence[Exact]) -> dict[Hand, Graded]:
    """Return how hard all hands of a game are, which is known to who deals of it again."""
    hands = list_hands(game)
    return dict(zip(hands, _efforts(game, targets).difficulties(hands), strict=True))


def _nearest(hand: Hand, target: Exact, game: Game) -> Exact | None:
    near = find_closest(HandQuery(hand, game), target)
    return min(near) if near else None
