"""Deal puzzles from a seed: the same seed and conditions always deal the same solvable puzzles.

This is rejection sampling. The dealer draws the index of a hand (the list of hands is not built),
then one of the targets that people can make from it, and draws again if the puzzle does not satisfy
the conditions. A game of at most `_MAX_LISTED_HANDS` hands is graded completely and shuffled
instead, so that the dealer knows when no more puzzles exist. In larger games, `_LookAhead` copies
the draws, predicts the next hands, and grades them in one batch, which is faster and changes no
puzzle. Many puzzles, and hands that can come again, are dealt in blocks: all hands are drawn first,
and each is graded once. Raise `draws.VERSION` to change any choice.

In a deal with unsolvable puzzles, each draw is a pair of similar puzzles, one with and one without
a solution. One of them is dealt, so that neither hands nor targets tell which puzzles have one.
"""

import secrets
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache, partial
from itertools import islice, repeat
from numbers import Integral
from typing import TYPE_CHECKING, Any, overload

from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import Count, Message, message
from crisps24.notation.styles import style_by_name
from crisps24.output.executors import check_executor
from crisps24.output.tables import Row
from crisps24.puzzle import PUZZLE_FIELDS, Puzzle, solve_puzzles
from crisps24.puzzles.conditions import (
    Conditions,
    check_mix,
    deal_command,
    parse_seed,
    to_conditions,
)
from crisps24.puzzles.draws import VERSION, VERSION_IN_BLOCKS, VERSION_WITH_FRACTIONS, Draws
from crisps24.puzzles.parameters import LEVELS, refuse_conflicting_conditions
from crisps24.puzzles.rows import DEFAULT_TEMPLATE, deal_rows
from crisps24.rules.deals import HandIndex, deal_problem, largest_numbers, list_hands, max_copies
from crisps24.rules.exact import Exact, has_fractions, to_exact
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
)
from crisps24.solving.values import find_closest, find_reachable
from crisps24.solving.work import check_hands

if TYPE_CHECKING:
    from concurrent.futures import Executor

# The most puzzles in one deal. Above `MAX_IN_MEMORY`, they are dealt in blocks of hands.
MAX_PUZZLES, MAX_IN_MEMORY = 1_000_000, 100_000
# The most hands of a game that are all graded before dealing.
_MAX_LISTED_HANDS = 5_000
# After this many rejected draws in a row, a deal is refused.
_MAX_REJECTED_DRAWS = 2_000
# In a deal by blocks, draws of a target for each puzzle that a hand is to have, at most.
_TRIES_PER_PUZZLE = 8
# Random seeds are below this number.
_SEED_COUNT = 1_000_000
# Only the first puzzles of a deal keep their solutions in memory: each can have hundreds.
_PUZZLES_WITH_SOLUTIONS = 1_000
# How far apart the targets of similar puzzles are, at most.
_MAX_STEP = 3
# Games whose difficulties are cached.
_CACHED_GAMES = 4
# The most hands that are graded in advance, and the hands in a task for another process.
_MAX_HANDS_AHEAD = 1_000
_HANDS_PER_TASK = 250
# Hands graded to find a suitable one, at least: an assumption of the cost estimate.
_MIN_GRADED_HANDS = 1_000

# The targets that people can make from a hand, each with its difficulty.
TargetDifficulties = dict[Exact, Difficulty]
# The same as a column of targets and an array of difficulties in bits.
_TargetBits = tuple[Column, Floats]


@dataclass(frozen=True, slots=True)
class Deal(Sequence[Puzzle]):
    """A sequence of dealt puzzles, with the seed and the command that deal them again."""

    puzzles: Sequence[Puzzle]
    game: Game
    seed: int
    command: str
    """The command that deals these puzzles again, or the Python call if no command can; empty for
    puzzles that a user brought."""
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
        """Return an iterator of one row per puzzle, in order: a dict of the requested fields.

        The `fields` are names such as `id`, `answer` or `prompt`, which is the `template` with its
        placeholders filled: `{numbers}`; next to `reward_model` it is a list of messages. An
        `executor` solves the puzzles in other processes. The first row, not the call, raises
        RefusedError for unknown names, and for a puzzle that needs too much work.
        """
        return deal_rows(
            self.puzzles, fields, template=template, plain=self.plain, executor=executor
        )

    def answers(self, executor: "Executor | None" = None) -> list[str]:
        """Return one solution for each puzzle, in order, as text; see `Puzzle.answer`."""
        return [row["answer"] for row in self.rows(executor, fields=["answer"])]

    def with_style(self, style: str) -> "Deal":
        """Return the same deal, with formulas in another style: `unicode` has the signs × and ÷.

        >>> deal("cards", seed=7).with_style("unicode").answers()
        ['12 + 6 + 6 × 1']
        """
        if not style:
            return self
        name = style_by_name(style).name
        return replace(self, puzzles=tuple(puzzle.with_style(name) for puzzle in self))

    @overload
    def __getitem__(self, index: int) -> Puzzle: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Puzzle, ...]: ...

    def __getitem__(self, index: Any) -> Any:
        return self.puzzles[index]


def deal(
    game: Game | str = "crisps",
    count: int = 1,
    *,
    seed: int | None = None,
    target: Exact | None = None,
    targets: range | None = None,
    level: int | str | range | None = None,
    conditions: Conditions | None = None,
    mix: Sequence[int] | None = None,
    rising: bool = False,
    executor: "Executor | None" = None,
    work: int | None = DEFAULT_WORK,
    progress: Callable[[int], object] | None = None,
) -> Deal:
    """Deal puzzles of a game, each with a solution; the same seed deals the same puzzles.

    All distinct hands are equally likely, and so are all targets that can be made from a hand. In
    games with tiles, such as countdown, the number of large tiles is drawn first, then the tiles
    without replacement; in games with dice, such as mathador, the dice are thrown.

    Args:
        count: number of puzzles, 1 to 1,000,000. With `repeat` in the conditions, a puzzle only
            comes again after all others.
        seed: seed of the draws, 0 to 10**30 - 1; None: a random seed below 1,000,000.
        target: one target for all puzzles; None: see `targets`.
        targets: a range of targets to choose from, without `target`; None: those of the game.
        level: a level, 1 to 5, or several, such as "2..3"; replaces the levels of `conditions`.
        conditions: the conditions for each puzzle; None: the defaults of `Conditions`.
        mix: how many puzzles of each level, such as (3, 3, 3, 2, 1), instead of `count` and levels.
        rising: whether to sort from easy to hard.
        executor: grades many hands in other processes.
        work: limits the search for the difficulties of the hands, as in `solve`.
        progress: called with 1 after each puzzle.

    >>> [puzzle.id for puzzle in deal("cards", 2, seed=7)]
    ['cards:1.6.6.12=24', 'cards:2.4.4.8=24']

    Raises KindError for a target that is not exact or another type of `conditions`, and
    RefusedError if an argument is out of range, too few puzzles satisfy the conditions, the game
    has no levels, all targets are below zero, or the deal needs too much work.
    """
    game, conditions = find_game(game), to_conditions(conditions, level)
    given = {
        "target": target is not None,
        "targets": targets is not None,
        "mix": mix is not None,
        "level": conditions.levels != LEVELS,
        "closest": conditions.closest,
        "unsolvable": conditions.unsolvable,
    }
    refuse_conflicting_conditions([name for name, value in given.items() if value], game)
    parts = [(conditions, count)] if mix is None else _parts_of_mix(check_mix(mix), conditions)
    if mix is not None:
        count = sum(mix)
    games = conditions.games(game)
    if not games[1:]:
        [game], conditions = games, replace(conditions, lengths=None)
    _check_work(games, count, work)
    seed = to_seed(seed)
    target = None if target is None else to_exact(target)
    targets = None if targets is None else to_range(targets, "a deal")
    candidates = candidate_targets(game, target, targets)
    if not candidates or max(candidates[0], candidates[-1]) < 0:
        raise RefusedError(message("deal.below_zero" if candidates else "deal.no_targets"))
    check_executor(executor)
    used_hands: set[Hand] = set()
    unsolvable_count = round(Fraction(count * (conditions.unsolvable or 0), 100))
    flags = [True] * unsolvable_count + [False] * (count - unsolvable_count)
    is_unsolvable = Draws(seed, "unsolvable").shuffled(flags) if conditions.unsolvable else None
    in_blocks = count > MAX_IN_MEMORY or conditions.repeat

    def new_dealer(game: Game, conditions: Conditions, stream: str) -> _Dealer:
        draws = Draws(seed, stream)
        shared = executor, progress, used_hands, is_unsolvable, mix is not None, in_blocks
        return _Dealer(game, candidates, conditions, draws, *shared)

    puzzles: Sequence[Puzzle] = ()
    for part, part_count in parts:
        part.check_game(game)
        part = replace(part, lengths=conditions.lengths)
        stream = "" if mix is None else f"level {part.levels[0]} "
        draws = Draws(seed, f"{stream}lengths")
        dealt = _deal_lengths(games, part, part_count, draws, stream, new_dealer)
        puzzles = (*puzzles, *dealt) if puzzles or isinstance(dealt, list) else dealt
    if mix is not None:
        puzzles = tuple(Draws(seed, "mix").shuffled(puzzles))
    if rising:
        puzzles = tuple(sorted(puzzles, key=_bits_of))
    if work != DEFAULT_WORK:
        puzzles = tuple(puzzle.with_work(work) for puzzle in puzzles)
    command = deal_command(
        game, count, seed, conditions, target=target, targets=targets, mix=mix, rising=rising
    )
    version = VERSION_WITH_FRACTIONS if conditions.needs_fraction(game) else VERSION
    version = VERSION_IN_BLOCKS if in_blocks else version
    return Deal(puzzles, game, seed, command, version, plain=conditions.plain)


def _parts_of_mix(mix: Sequence[int], conditions: Conditions) -> list[tuple[Conditions, int]]:
    """Return the conditions of the puzzles of each level, and how many there are."""
    return [
        (replace(conditions, levels=range(level, level + 1)), count)
        for level, count in zip(LEVELS, mix, strict=True)
        if count
    ]


def own_deal(
    puzzles: Sequence[Puzzle],
    *,
    rising: bool = False,
    progress: Callable[[int], object] | None = None,
) -> Deal:
    """Return puzzles that a user brings as a deal: each solved, from easy to hard if `rising`."""
    check_count(len(puzzles))
    solved: list[Puzzle] = []
    for start in range(0, len(puzzles), _PUZZLES_WITH_SOLUTIONS):
        batch = puzzles[start : start + _PUZZLES_WITH_SOLUTIONS]
        for puzzle in solve_puzzles(batch):
            if puzzle.solvable:
                puzzle = puzzle.with_cached(best=puzzle.target)
            solved.append(puzzle.without_solutions() if start and puzzle.solvable else puzzle)
        if progress is not None:
            progress(len(batch))
    if rising:
        solved.sort(key=_bits_of)
    return Deal(tuple(solved), puzzles[0].game, 0, "")


def _bits_of(puzzle: Puzzle) -> float:
    return puzzle.difficulty.bits if puzzle.difficulty else 0


def _check_work(games: Sequence[Game], count: int, work: int | None) -> None:
    """Refuse games whose hands cannot be solved, or only with too much work."""
    for game in games:
        HandQuery(tuple(largest_numbers(game)), game, work=work)
    check_count(count)
    for game in games:
        check_hands(game, max(count, _MIN_GRADED_HANDS), work)


def _deal_lengths(
    games: Sequence[Game],
    conditions: Conditions,
    count: int,
    draws: Draws,
    stream: str,
    new_dealer: "Callable[[Game, Conditions, str], _Dealer]",
) -> Sequence[Puzzle]:
    """Return `count` puzzles of games that differ in the length of a hand, all equally likely."""
    if not games[1:]:
        return new_dealer(games[0], conditions, stream).deal(count)
    game_indices = [draws.below(len(games)) for _ in range(count)]
    puzzles_by_game = {
        index: iter(
            new_dealer(games[index], conditions, f"{stream}length {games[index].length}").deal(
                times
            )
        )
        for index, times in sorted(Counter(game_indices).items())
    }
    return [next(puzzles_by_game[index]) for index in game_indices]


def check_count(count: object) -> None:
    if type(count) is not int or not 1 <= count <= MAX_PUZZLES:
        text = Count(count) if type(count) is int and abs(count) < 10**30 else quoted(count)
        raise RefusedError(message("deal.count", text=text, most=Count(MAX_PUZZLES)))


def to_seed(seed: object = None) -> int:
    """Return a seed from an integer or text; None returns a random seed below 1,000,000."""
    if seed is None:
        return secrets.randbelow(_SEED_COUNT)
    if isinstance(seed, Integral) and not isinstance(seed, bool):
        seed = int(seed)
    return parse_seed(seed if isinstance(seed, str) else quoted(seed))


def candidate_targets(game: Game, target: Exact | None, targets: range | None) -> Sequence[Exact]:
    """Return the targets that dealt puzzles can have: those of the call, or of the game."""
    if target is not None:
        return (target,)
    if targets is not None:
        return targets
    if game.target is not None:
        return (game.target,)
    return to_range(range(game.targets[0], game.targets[1] + 1), "a deal")


class _Dealer:
    """Deals puzzles whose hands have one length, for one call of `deal`."""

    def __init__(
        self,
        game: Game,
        targets: Sequence[Exact],
        conditions: Conditions,
        draws: Draws,
        executor: "Executor | None",
        progress: Callable[[int], object] | None,
        used_hands: set[Hand],
        is_unsolvable: Iterator[bool] | None = None,
        is_of_mix: bool = False,
        in_blocks: bool = False,
    ) -> None:
        self.game = game
        self.targets = targets
        self.conditions = conditions
        self.needs_fraction = conditions.needs_fraction(game)
        self.draws = draws
        self.progress = progress
        self.look_ahead = _LookAhead(game, targets, executor)
        self.hands = HandIndex.of_game(game)
        self.has_tiles = _has_tiles(game)
        # Pairs (number, how often a hand can have it) of large and of small numbers.
        copies = max_copies(game)
        self.large = tuple(pair for pair in copies if pair[0] in game.large)
        self.small = tuple(pair for pair in copies if pair[0] not in game.large)
        # The hands that only have large or only small numbers, by their copies and length.
        self.index_of_hands = cache(HandIndex)
        # The hands of the puzzles so far, sorted.
        self.used_hands = used_hands
        # For each puzzle to come, whether it has no solution; None if all have one.
        self.is_unsolvable = is_unsolvable
        self.is_of_mix, self.in_blocks = is_of_mix, in_blocks
        self.wants_unsolvable = next(is_unsolvable) if is_unsolvable else False
        # Whether a puzzle was rejected because it needs no step.
        self.rejected_trivial = False
        # How often a number, or a target in a tuple, was in a puzzle with a solution minus without.
        self.balance = Counter[Any]()
        # Hands with a suitable target minus hands without.
        self.target_balance = 0

    def deal(self, count: int) -> Sequence[Puzzle]:
        """Return `count` puzzles; raise RefusedError if too few satisfy the conditions."""
        draws_tiles = self.has_tiles or self.conditions.large is not None
        throws_dice = self.game.dice and self.game.repeats and not self.conditions.large
        is_listed = self.hands.count <= _MAX_LISTED_HANDS
        if is_listed and not (draws_tiles or throws_dice or self.is_unsolvable):
            return self._deal_from_all_hands(count)
        if count > self.hands.count and not self.conditions.repeat:
            values = {"count": self.hands.count, "wanted": Count(count)}
            advice = message("deal.more_repeats")
            raise self._error(message("deal.few", **values, advice=advice), "--repeat")
        deal = self._deal_in_blocks if self.in_blocks else self._deal_by_rejection
        if throws_dice:
            return deal(count, lambda draws: tuple(sorted(draws.throw(self.game.dice))))
        if draws_tiles:
            return deal(count, self._draw_tiles)
        return deal(count, lambda draws: self.hands.hand_at(draws.below(self.hands.count)))

    def _deal_in_blocks(self, count: int, draw_hand: Callable[[Draws], Hand]) -> Sequence[Puzzle]:
        """Return puzzles, each once: draw all hands, then the targets of each in its block.

        Blocks have their own draws, so that processes that share them change nothing. As many
        hands are drawn again as puzzles are missing. If hands can come again, all puzzles come
        again after the last new one.
        """
        dealt: list[_Packed] = []
        found: dict[_Packed, None] = {}
        # The targets of each hand in `found`, and the hands that have no other puzzle.
        used: defaultdict[Hand, set[Exact]] = defaultdict(set)
        spent: set[Hand] = set()
        rejected_count = 0
        can_repeat = self.conditions.repeat
        unsolvable_count = sum(islice(self.is_unsolvable or (), count - 1)) + self.wants_unsolvable
        run = self.look_ahead.executor.map if self.look_ahead.executor else map
        for wants_unsolvable, end in ((False, count - unsolvable_count), (True, count)):
            while (missing := end - len(dealt) - len(found)) > 0:
                before = len(found)
                hands = [
                    (hand, times if can_repeat else 1, frozenset(used[hand]))
                    for hand, times in sorted(
                        Counter(map(draw_hand, [self.draws] * missing)).items()
                    )
                    if hand not in spent
                ]
                starts = range(0, len(hands), _HANDS_PER_TASK)
                name = f"{self.draws.stream}block {len(dealt)} {before} {rejected_count}"
                streams = [f"{name} {start} " for start in starts]
                blocks = [hands[start : start + _HANDS_PER_TASK] for start in starts]
                shared = self.game, self.targets, self.conditions, self.draws.seed, wants_unsolvable
                results = run(partial(_deal_block, *shared), streams, blocks)
                for block, puzzles in zip(blocks, results, strict=True):
                    found_count = len(found)
                    for puzzle in puzzles:
                        hand, target, *_ = puzzle
                        if hand not in spent:
                            found[puzzle] = None
                            used[hand].add(target)
                        if not can_repeat:
                            spent.add(hand)
                    if not self.is_unsolvable:
                        counts = Counter(hand for hand, *_ in puzzles)
                        spent.update(hand for hand, times, _ in block if counts[hand] < times)
                    if self.progress is not None:
                        self.progress(len(found) - found_count)
                rejected_count = rejected_count + missing if len(found) == before else 0
                if rejected_count >= _MAX_REJECTED_DRAWS:
                    if not found or self.is_unsolvable or not can_repeat:
                        raise self._in_vain_error(len(dealt) + before, count)
                    dealt += self.draws.shuffled([*found])
                    rejected_count = 0
                    for of_turn in (found, used, spent):
                        of_turn.clear()
        packed = _PackedPuzzles(self.game, (*dealt, *self.draws.shuffled([*found])))
        return packed if count > MAX_IN_MEMORY else list(packed)

    def _deal_from_all_hands(self, count: int) -> list[Puzzle]:
        """Return `count` puzzles of a game with few hands, which are all graded and shuffled."""
        difficulties_by_hand = {
            hand: difficulties
            for hand, difficulties in _graded_hands(self.game, self.targets).items()
            if hand not in self.used_hands
            and self._has_allowed_numbers(hand)
            and any(self._is_allowed(hand, target, difficulties) for target in difficulties)
        }
        puzzles: list[Puzzle] = []
        # The targets of each hand that are left in this turn; None before its first puzzle.
        left: dict[Hand, list[Exact] | None] = dict.fromkeys(difficulties_by_hand)
        while left and len(puzzles) < count:
            count_before = len(puzzles)
            for hand in self.draws.shuffled(list(left)):
                puzzle = self._puzzle_of_hand(hand, difficulties_by_hand[hand], left)
                if puzzle is not None:
                    self._add(puzzle, puzzles)
                    if len(puzzles) == count:
                        break
            if not self.conditions.repeat:
                break
            if not left and len(puzzles) > count_before:
                left = dict.fromkeys(difficulties_by_hand)
        if len(puzzles) < count:
            raise self._too_few_error(len(puzzles), count)
        return puzzles

    def _has_allowed_numbers(self, hand: Hand) -> bool:
        return not self.needs_fraction or has_fractions(hand)

    def _is_allowed(self, hand: Hand, target: Exact, difficulties: TargetDifficulties) -> bool:
        """Return whether the conditions allow the level of a puzzle and the steps it needs."""
        has_allowed_level = self.conditions.allows_difficulty(difficulties[target])
        return has_allowed_level and self._needs_steps(hand, target)

    def _needs_steps(self, hand: Hand, best: Exact) -> bool:
        """Return False if a puzzle needs no step and the conditions forbid that."""
        if best not in hand or self.conditions.trivial:
            return True
        if self.game.all_numbers and len(hand) > 1:
            return True
        # The error of a deal with too few puzzles names this reason.
        self.rejected_trivial = True
        return False

    def _puzzle_of_hand(
        self, hand: Hand, difficulties: TargetDifficulties, left: dict[Hand, list[Exact] | None]
    ) -> Puzzle | None:
        """Draw targets for a hand until one makes a puzzle that satisfies the conditions.

        Remove this target from `left`, and the hand if it has no other.
        """
        targets = left.pop(hand)
        if targets is None:
            targets = [
                target
                for target in self.targets
                if target in difficulties and self._is_allowed(hand, target, difficulties)
            ]
        for target in self.draws.shuffled(targets):
            puzzle = self._make_puzzle(hand, target, target, difficulties[target])
            if self.conditions.allows_solutions(puzzle):
                targets.remove(target)
                if targets:
                    left[hand] = targets
                return puzzle
        return None

    def _deal_by_rejection(self, count: int, draw_hand: Callable[[Draws], Hand]) -> list[Puzzle]:
        """Return `count` puzzles: draw hands, and reject those that do not fit."""
        puzzles: list[Puzzle] = []
        rejected_count = 0
        predict_hands = partial(self._predict_hands, draw_hand)
        while len(puzzles) < count:
            if rejected_count == _MAX_REJECTED_DRAWS:
                raise self._in_vain_error(len(puzzles), count)
            hand, puzzle = draw_hand(self.draws), None
            if tuple(sorted(hand)) not in self.used_hands:
                missing_count = count - len(puzzles)
                bits_by_target = self.look_ahead.targets_of(hand, predict_hands, missing_count)
                puzzle = self.try_hand(hand, bits_by_target)
            if puzzle is None:
                rejected_count += 1
            else:
                self._add(puzzle, puzzles)
                rejected_count = 0
        return puzzles

    def _add(self, puzzle: Puzzle, puzzles: list[Puzzle]) -> None:
        """Append a puzzle to the list and report it; only the first 1,000 keep their solutions."""
        keeps_solutions = len(puzzles) < _PUZZLES_WITH_SOLUTIONS
        if self.is_unsolvable:
            self.wants_unsolvable = next(self.is_unsolvable, False)
        puzzles.append(puzzle if keeps_solutions else puzzle.without_solutions())
        self.used_hands.add(tuple(sorted(puzzle.hand)))
        if self.progress is not None:
            self.progress(1)

    def _predict_hands(self, draw_hand: Callable[[Draws], Hand], count: int) -> Iterable[Hand]:
        """Return the hands that the next `count` draws will probably give, each once."""
        draws = copy(self.draws)
        hands: dict[Hand, None] = {}
        # A target is drawn after each hand that has one: assume that all have one if most had one.
        has_target = self.target_balance >= 0
        was_tried = True
        for _ in range(count):
            if was_tried and has_target:
                # Skip the target of the hand before.
                draws.below(1)
            hand = tuple(sorted(draw_hand(draws)))
            # A hand that was dealt before is rejected without a draw of its target.
            was_tried = not (hand in hands or hand in self.used_hands)
            if was_tried:
                hands[hand] = None
        return hands

    def try_hand(self, hand: Hand, bits_by_target: dict[Exact, float]) -> Puzzle | None:
        """Draw a target for a hand; return the puzzle, or None if the conditions reject it."""
        if not self._has_allowed_numbers(hand):
            return None
        if self.is_unsolvable:
            return self._try_pair(hand, bits_by_target)
        candidates = self._candidates(hand, bits_by_target)
        self.target_balance += 1 if candidates else -1
        if not candidates:
            return None
        return self._puzzle_of_target(hand, self.draws.choose(candidates), bits_by_target)

    def try_targets(
        self, hand: Hand, bits_by_target: dict[Exact, float], used: Collection[Exact]
    ) -> Iterator[Puzzle | None]:
        """Yield the puzzles of a hand with targets that are not used, in random order."""
        if self._has_allowed_numbers(hand):
            candidates = self._candidates(hand, bits_by_target)
            for target in self.draws.shuffled([each for each in candidates if each not in used]):
                yield self._puzzle_of_target(hand, target, bits_by_target)

    def _candidates(self, hand: Hand, bits_by_target: dict[Exact, float]) -> Sequence[Exact]:
        """Return the targets that can be drawn for a hand."""
        if self.conditions.closest:
            return self.targets
        return [
            target
            for target in self.targets
            if target in bits_by_target and (target not in hand or self._needs_steps(hand, target))
        ]

    def _puzzle_of_target(
        self, hand: Hand, target: Exact, bits_by_target: dict[Exact, float]
    ) -> Puzzle | None:
        """Return a puzzle, or None if the conditions reject it."""
        can_make = target in bits_by_target
        best = target if can_make else _closest_value(hand, target, self.game)
        return self._make_graded(hand, target, best, bits_by_target)

    def _try_pair(self, hand: Hand, bits_by_target: dict[Exact, float]) -> Puzzle | None:
        """Draw two puzzles that differ by a step, of which one has a solution; return the wanted.

        Each pair is as likely whichever of the two is wanted. They differ in the target, if the
        deal has several, or else in one or two numbers. `balance` keeps each number and target as
        often in a puzzle with a solution as in one without.
        """
        step = 1 + self.draws.below(_MAX_STEP)
        other_hand, other_bits = hand, bits_by_target
        pairs = [*zip(self.targets, self.targets[step:], strict=False)]
        if len(self.targets) == 1:
            other_hand = self._similar_hand(hand)
            is_used = tuple(sorted(other_hand)) in self.used_hands
            if is_used or not self._has_allowed_numbers(other_hand):
                return None
            other_bits, pairs = self.look_ahead.bits_of(other_hand), [(self.targets[0],) * 2]
        pairs = [pair for pair in pairs if (pair[0] in bits_by_target) != (pair[1] in other_bits)]
        if not pairs:
            return None
        target, other_target = self.draws.choose(pairs)
        if target not in bits_by_target:
            hand, target, other_hand, other_target = other_hand, other_target, hand, target
            bits_by_target = other_bits
        change = Counter[Any]([*hand, (target,)])
        change.subtract([*other_hand, (other_target,)])
        if sum(self.balance[feature] * times for feature, times in change.items()) > 0:
            return None
        other = self._make_unsolvable(other_hand, other_target)
        puzzle = other and self._make_graded(hand, target, target, bits_by_target)
        if puzzle:
            self.balance.update(change)
        return other if puzzle and self.wants_unsolvable else puzzle

    def _similar_hand(self, hand: Hand) -> Hand:
        """Return a hand with one number a step up or down, or two of them, in both directions."""
        numbers, changed = sorted(self.game.numbers), list(hand)
        step = 1 - 2 * self.draws.below(2)
        for place in islice(self.draws.shuffled(range(len(hand))), 1 + self.draws.below(2)):
            index = numbers.index(changed[place]) + step
            if not 0 <= index < len(numbers):
                return hand
            changed[place], step = numbers[index], -step
        # Large numbers stay large.
        is_large = [[number in self.game.large for number in each] for each in (hand, changed)]
        is_dealt = is_large[0] == is_large[1] and not deal_problem(changed, self.game)
        return tuple(sorted(changed)) if is_dealt else hand

    def _make_unsolvable(self, hand: Hand, target: Exact) -> Puzzle | None:
        """Return a puzzle whose target people cannot make; None if a formula can make it."""
        # People avoid results below zero.
        if self.game.negatives and find_reachable(HandQuery(hand, self.game), [target]):
            return None
        return _unsolvable_puzzle(hand, target, self.game)

    def _make_graded(
        self, hand: Hand, target: Exact, best: Exact | None, bits_by_target: dict[Exact, float]
    ) -> Puzzle | None:
        """Return a puzzle, or None if the conditions reject it."""
        # People cannot make the closest value of some hands, only a search can.
        if best is None or best not in bits_by_target:
            return None
        target_bits = [(best, bits_by_target[best])]
        difficulty = difficulties_from_bits(target_bits, hand, self.game)[best]
        if best != target:
            difficulty = difficulty_of_nearest(difficulty)
        if not (self.conditions.allows_difficulty(difficulty) and self._needs_steps(hand, best)):
            return None
        puzzle = self._make_puzzle(hand, target, best, difficulty)
        return puzzle if self.conditions.allows_solutions(puzzle) else None

    def _make_puzzle(
        self, hand: Hand, target: Exact, best: Exact, difficulty: Difficulty
    ) -> Puzzle:
        return Puzzle(hand, target, self.game).with_cached(best=best, difficulty=difficulty)

    def _draw_tiles(self, draws: Draws) -> Hand:
        """Draw a hand with large and small numbers, such as 75 50 6 3 2 1 with two large ones."""
        length = self.game.length
        max_large = min(length, sum(copies for _, copies in self.large))
        max_small = sum(copies for _, copies in self.small)
        min_large = max(0, length - max_small)
        if self.conditions.large is None:
            large_count = min_large + draws.below(max_large - min_large + 1)
        else:
            large_count = self.conditions.large
        if not min_large <= large_count <= max_large:
            name = self.game.name
            if not max_large:
                raise RefusedError(message("deal.no_large", game=name))
            limits = {"least": min_large, "most": max_large}
            raise RefusedError(message("deal.large", game=name, given=large_count, **limits))
        large_numbers = self._draw_numbers(self.large, large_count, draws)
        small_numbers = self._draw_numbers(self.small, length - large_count, draws)
        return (*sorted(large_numbers, reverse=True), *sorted(small_numbers, reverse=True))

    def _draw_numbers(
        self, copies: tuple[tuple[Exact, int], ...], count: int, draws: Draws
    ) -> Sequence[Exact]:
        if self.has_tiles:
            tiles = [number for number, times in copies for _ in range(times)]
            return list(islice(draws.shuffled(tiles), count))
        hands = self.index_of_hands(copies, count)
        return hands.hand_at(draws.below(hands.count))

    def _too_few_error(self, dealt: int, count: int) -> RefusedError:
        advice, option = self._advice(dealt)
        if not dealt:
            return self._error(message("deal.none", advice=advice), option)
        values = {"count": dealt, "wanted": Count(count), "advice": advice}
        return self._error(message("deal.few", **values), option)

    def _in_vain_error(self, dealt: int, count: int) -> RefusedError:
        """Return the error for too many rejected hands in a row."""
        advice, option = self._advice(dealt)
        counts = {
            "draws": Count(_MAX_REJECTED_DRAWS),
            "found": Count(dealt),
            "wanted": Count(count),
        }
        return self._error(message("deal.in_vain", **counts, advice=advice), option)

    def _error(self, reason: Message, option: str) -> RefusedError:
        """Return the error of a refused deal; the reason names the length if there are several."""
        if self.conditions.lengths:
            length = message("rules.count", count=self.game.length)
            reason = message("list.label", label=length, text=reason)
        return RefusedError(reason, "advice.option", option=option)

    def _advice(self, dealt: int) -> tuple[Message, str]:
        """Return the advice for too few puzzles, and an option."""
        conditions = self.conditions
        if conditions.solutions is not None:
            return message("deal.more_solutions"), "--solutions"
        if conditions.plain:
            return message("deal.more_brackets"), "--plain"
        if self.rejected_trivial and not dealt:
            return message("deal.more_trivial"), "--trivial"
        if self.is_of_mix:
            return message("deal.fewer_of_level", level=conditions.levels[0]), "--mix"
        if conditions.levels != LEVELS:
            return message("deal.more_levels"), "--level"
        if dealt and not conditions.repeat:
            return message("deal.more_repeats"), "--repeat"
        return message("deal.more_targets"), "--targets"


# A hand, a target, the best value, and bits; None for the last without a solution.
_Packed = tuple[Hand, Exact, Exact, float | None]


@dataclass(frozen=True)
class _PackedPuzzles(Sequence[Puzzle]):
    """Puzzles of a deal of many, each made when it is used: this saves memory."""

    game: Game
    packed: Sequence[_Packed]

    def __len__(self) -> int:
        return len(self.packed)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(map(self._make, self.packed[index]))
        return self._make(self.packed[index])

    def _make(self, packed: _Packed) -> Puzzle:
        hand, target, best, bits = packed
        if bits is None:
            return _unsolvable_puzzle(hand, target, self.game)
        difficulty = difficulties_from_bits([(best, bits)], hand, self.game)[best]
        difficulty = difficulty if best == target else difficulty_of_nearest(difficulty)
        return Puzzle(hand, target, self.game).with_cached(best=best, difficulty=difficulty)


def _unsolvable_puzzle(hand: Hand, target: Exact, game: Game) -> Puzzle:
    return Puzzle(hand, target, game).with_cached(solvable=False, has_answer=False, difficulty=None)


def _deal_block(
    game: Game,
    targets: Sequence[Exact],
    conditions: Conditions,
    seed: int,
    wants_unsolvable: bool,
    stream: str,
    hands: Sequence[tuple[Hand, int, frozenset[Exact]]],
) -> list[_Packed]:
    """Deal puzzles of some hands, maybe in another process.

    Each hand comes with the number of its puzzles, and the targets that it had before. It gets
    fewer puzzles only if no others satisfy the conditions, or if it is one of a pair.
    """
    wanted = repeat(wants_unsolvable) if conditions.unsolvable else None
    dealer = _Dealer(game, targets, conditions, Draws(seed, stream), None, None, set(), wanted)
    dealer.look_ahead.grade([tuple(sorted(hand)) for hand, *_ in hands])
    packed: list[_Packed] = []
    for hand, times, used in hands:
        bits_by_target = dealer.look_ahead.bits_of(hand)
        tries: Iterator[Puzzle | None]
        if wanted:
            tries = (
                dealer.try_hand(hand, bits_by_target) for _ in range(_TRIES_PER_PUZZLE * times)
            )
        else:
            tries = dealer.try_targets(hand, bits_by_target, used)
        puzzles: dict[Puzzle, None] = {}
        for puzzle in filter(None, tries):
            puzzles[puzzle] = None
            if len(puzzles) == times:
                break
        for puzzle in puzzles:
            grade = puzzle.difficulty
            values = (puzzle.best, grade.bits) if grade else (puzzle.target, None)
            packed.append((puzzle.hand, puzzle.target, *values))
    return packed


class _LookAhead:
    """Computes difficulties in batches: of the drawn hand and of the hands predicted next."""

    def __init__(
        self, game: Game, targets: Sequence[Exact], executor: "Executor | None" = None
    ) -> None:
        self.game, self.targets, self.executor = game, targets, executor
        self.difficulty_model = _difficulty_model(game, targets)
        self.bits_by_hand: dict[Hand, _TargetBits] = {}
        # Hands in the last batch, and hands requested since. With an executor, start large.
        self.batch_size = self.used_count = 1 if executor is None else _MAX_HANDS_AHEAD

    def targets_of(
        self, hand: Hand, predict: Callable[[int], Iterable[Hand]], limit: int
    ) -> dict[Exact, float]:
        """Return the difficulty in bits of each target that people can make from a hand."""
        hand = tuple(sorted(hand))
        if hand not in self.bits_by_hand:
            # Double the batch after good predictions; shrink it to the used part after bad ones.
            predicted_well = self.used_count >= self.batch_size
            batch_size = 2 * self.batch_size if predicted_well else self.used_count
            batch_size = min(_MAX_HANDS_AHEAD, limit, batch_size)
            # Forget old hands, which are rarely drawn again.
            if len(self.bits_by_hand) > 2 * _MAX_HANDS_AHEAD:
                self.bits_by_hand.clear()
            batch = {hand, *predict(batch_size - 1)}
            self.grade(sorted(batch - self.bits_by_hand.keys()))
            self.batch_size, self.used_count = len(batch), 0
        self.used_count += 1
        return self.bits_of(hand)

    def bits_of(self, hand: Hand) -> dict[Exact, float]:
        """Return the same for a hand that was not predicted."""
        hand = tuple(sorted(hand))
        if hand not in self.bits_by_hand:
            self.grade([hand])
        targets, bits = self.bits_by_hand[hand]
        return dict(zip(exact_values(targets), bits.tolist(), strict=True))

    def grade(self, hands: list[Hand]) -> None:
        starts = range(0, len(hands), _HANDS_PER_TASK)
        tasks = [hands[start : start + _HANDS_PER_TASK] for start in starts]
        if self.executor is None or not tasks[1:]:
            bits_of_hands = self.difficulty_model.surprisals(hands)
            self.bits_by_hand.update(zip(hands, bits_of_hands, strict=True))
            return
        grade_task = partial(_grade_task, self.game, self.targets)
        for task, bits_of_hands in zip(tasks, self.executor.map(grade_task, tasks), strict=True):
            self.bits_by_hand.update(zip(task, bits_of_hands, strict=True))


def _grade_task(game: Game, targets: Sequence[Exact], hands: Sequence[Hand]) -> list[_TargetBits]:
    """Grade hands in another process."""
    return _difficulty_model(game, targets).surprisals(hands)


def _has_tiles(game: Game) -> bool:
    """Return whether the numbers of a game are tiles, which are drawn without replacement."""
    known_game = GAMES.get(game.name, game)
    same_numbers = (game.numbers, game.repeats) == (known_game.numbers, known_game.repeats)
    has_own_tiles = same_numbers or game.large != known_game.large
    return bool(game.large) and not game.repeats and has_own_tiles


def _difficulty_model(game: Game, targets: Sequence[Exact]) -> DifficultyModel:
    return DifficultyModel(game, largest_numbers(game), within=(targets[0], targets[-1]))


@lru_cache(_CACHED_GAMES)
def _graded_hands(game: Game, targets: Sequence[Exact]) -> dict[Hand, TargetDifficulties]:
    """Return a dict from each hand of a game to the difficulty of each target that it makes."""
    hands = list_hands(game)
    return dict(zip(hands, _difficulty_model(game, targets).difficulties(hands), strict=True))


def _closest_value(hand: Hand, target: Exact, game: Game) -> Exact | None:
    values = find_closest(HandQuery(hand, game), target)
    return min(values) if values else None
