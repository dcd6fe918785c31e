"""Deal puzzles from a seed: the same seed and conditions always deal the same solvable puzzles.

Hands and targets have random streams of their own: one stream has the hands, and each hand has one
of its targets. So hands can be drawn first, in batches; the hands of a batch are graded together,
maybe in other processes, and then looked at in the order of their draws. Neither the size of a
batch nor the processes change a puzzle. Raise `draws.VERSION` to change any choice.

Hands come in *turns*. A turn has each hand of the game once, in random order: it draws indices of
hands, so that no list is built. Hands of tiles or dice are not equally likely: they are drawn from
a single turn without an end. A *visit* to a hand offers its next puzzle: the next of its targets,
in random order, that satisfies the conditions. Without `repeat`, each hand is visited once. With
it, all puzzles come again after the last new one.

In a deal with unsolvable puzzles, a visit offers a pair of similar puzzles, one with and one
without a solution. One of them is dealt, so that neither hands nor targets tell which puzzles have
a solution. In a plain mixture, a visit offers one of each kind, if the hand has it.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import count as count_from
from itertools import islice
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from crisps24.errors import RefusedError, parse_language, quoted
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
from crisps24.puzzles.draws import VERSION, Draws
from crisps24.puzzles.parameters import ANSWER_FORMS, LEVELS, refuse_conflicting_conditions
from crisps24.puzzles.rows import Prompt, bits_of, deal_rows
from crisps24.rules.deals import HandIndex, deal_problem, largest_numbers
from crisps24.rules.exact import Exact, has_fractions, to_exact
from crisps24.rules.games import Game, Hand, find_game
from crisps24.rules.queries import HandQuery
from crisps24.rules.ratios import exact_values
from crisps24.rules.words import to_range
from crisps24.rules.work import DEFAULT_WORK
from crisps24.solving.effort import DifficultyModel, difficulties_from_bits, difficulty_of_nearest
from crisps24.solving.values import find_closest, find_reachable
from crisps24.solving.work import check_hands

if TYPE_CHECKING:
    from concurrent.futures import Executor

# The most puzzles in one deal. Above `MAX_IN_MEMORY`, each is made when it is used.
MAX_PUZZLES, MAX_IN_MEMORY = 1_000_000, 100_000
# A game of more hands is not searched to its end: after this many tries in a row without a puzzle,
# a deal is refused.
_MAX_SEARCHED_HANDS, _MAX_REJECTED_TRIES = 5_000, 2_000
# Targets that one visit tries in such a game, at most.
_MAX_TRIES = 100
# Random seeds are below this number.
_SEED_COUNT = 1_000_000
# Only the first puzzles of a deal keep their solutions in memory: each can have hundreds.
_PUZZLES_WITH_SOLUTIONS = 1_000
# Conditions that few puzzles may meet, so that others of them are the advice.
_KINDS = (
    *("shape", "depth", "some_shape", "some_depth", "steps", "used"),
    *("needs_fractions", "needs_negatives"),
)
# How far apart the targets of similar puzzles are, at most.
_MAX_STEP = 3
# Hands that are drawn together although fewer puzzles are missing, at most, and hands that are
# graded together.
_MAX_HANDS_AHEAD, _HANDS_PER_TASK = 1_000, 250
# Hands graded to find a suitable one, at least: an assumption of the cost estimate.
_MIN_GRADED_HANDS = 1_000

# The targets that people can make from a hand, with bits.
_Bits = dict[Exact, float]


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
    has_unsolvable: bool = False
    """Whether puzzles can have no solution; prompts then say how to answer this."""

    def __len__(self) -> int:
        return len(self.puzzles)

    def rows(
        self,
        executor: "Executor | None" = None,
        *,
        fields: Sequence[str] = PUZZLE_FIELDS,
        template: str | None = None,
        language: str = "en",
        answer: str = "tags",
    ) -> Iterator[Row]:
        """Return an iterator of one row per puzzle, in order: a dict of the requested fields.

        The `fields` are names such as `id`, `answer` or `prompt`, which is the `template` with its
        placeholders filled: `{numbers}`; next to `reward_model` it is a list of messages. Without
        a template, prompts have the numbers, the rules and how to answer, in a `language`: in
        `<answer>` tags, or as `answer` says: "boxed", "line" (the last one) or "none". An
        `executor` solves the puzzles in other processes. The first row, not the call, raises
        RefusedError for unknown names, and for a puzzle that needs too much work.
        """
        if answer not in ANSWER_FORMS:
            known = ", ".join(ANSWER_FORMS)
            raise RefusedError(f"unknown answer {quoted(answer)} (expected {known})")
        prompt = Prompt(template, parse_language(language), answer, self.has_unsolvable)
        return deal_rows(self.puzzles, fields, prompt=prompt, plain=self.plain, executor=executor)

    def answers(self, executor: "Executor | None" = None) -> list[str]:
        """Return one solution for each puzzle, in order, as text; see `Puzzle.answer`."""
        return [row["answer"] for row in self.rows(executor, fields=["answer"])]

    def with_style(self, style: str) -> "Deal":
        """Return the same deal, with formulas in another style: `unicode` has the signs × and ÷.

        >>> deal("cards", seed=7).with_style("unicode").answers()
        ['(13 − 4 − 1) × 3']
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
    ['cards:1.3.4.13=24', 'cards:3.3.8.10=24']

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
    counts = {"": (conditions, count)}
    if mix is not None:
        counts = _conditions_of_mix(check_mix(mix), conditions)
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
    unsolvable_count = round(Fraction(count * (conditions.unsolvable or 0), 100))
    flags = [True] * unsolvable_count + [False] * (count - unsolvable_count)
    is_unsolvable = Draws(seed, "unsolvable").shuffled(flags) if conditions.unsolvable else None
    packs = count > MAX_IN_MEMORY
    shared = _Shared(set(), is_unsolvable, mix is not None, executor, progress)
    puzzles: list[Any] = []
    for stream, (part_conditions, part_count) in counts.items():
        part_conditions.check_game(game)
        part_conditions = replace(part_conditions, lengths=conditions.lengths)
        part = _Part(games[0], candidates, part_conditions, seed, stream, packs)
        puzzles += _deal_lengths(part, games, part_count, shared)
    if mix is not None:
        puzzles = list(Draws(seed, "mix").shuffled(puzzles))
    dealt: Sequence[Puzzle] = _PackedPuzzles(puzzles) if packs else tuple(puzzles)
    if rising:
        dealt = tuple(sorted(dealt, key=bits_of))
    if work != DEFAULT_WORK:
        dealt = tuple(puzzle.with_work(work) for puzzle in dealt)
    command = deal_command(
        game, count, seed, conditions, target=target, targets=targets, mix=mix, rising=rising
    )
    unsolvable = bool(conditions.unsolvable)
    return Deal(dealt, game, seed, command, plain=conditions.plain, has_unsolvable=unsolvable)


def _conditions_of_mix(
    mix: Sequence[int], conditions: Conditions
) -> dict[str, tuple[Conditions, int]]:
    """Return by stream the conditions of the puzzles of each level, and how many there are."""
    return {
        f"level {level} ": (replace(conditions, levels=range(level, level + 1)), count)
        for level, count in zip(LEVELS, mix, strict=True)
        if count
    }


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
        solved.sort(key=bits_of)
    has_unsolvable = not all(puzzle.solvable for puzzle in solved)
    return Deal(tuple(solved), puzzles[0].game, 0, "", has_unsolvable=has_unsolvable)


def _check_work(games: Sequence[Game], count: int, work: int | None) -> None:
    """Refuse games whose hands cannot be solved, or only with too much work."""
    for game in games:
        HandQuery(tuple(largest_numbers(game)), game, work=work)
    check_count(count)
    for game in games:
        check_hands(game, max(count, _MIN_GRADED_HANDS), work)


def _deal_lengths(
    part: "_Part", games: Sequence[Game], count: int, shared: "_Shared"
) -> Sequence[Any]:
    """Return `count` puzzles of games that differ in the length of a hand, all equally likely."""
    if not games[1:]:
        return _Dealer(part, shared).deal(count)
    draws = part.draws("lengths")
    indices = [draws.below(len(games)) for _ in range(count)]
    dealt: dict[int, Iterator[Any]] = {}
    for index, times in sorted(Counter(indices).items()):
        stream = f"{part.stream}length {games[index].length} "
        dealer = _Dealer(replace(part, game=games[index], stream=stream), shared)
        dealt[index] = iter(dealer.deal(times))
    return [next(dealt[index]) for index in indices]


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


class _Offer(NamedTuple):
    """What a visit to a hand offers: a puzzle, or a pair of similar ones."""

    puzzle: "Puzzle | _Packed | None" = None
    unsolvable: "Puzzle | _Packed | None" = None
    tries: int = 1


# A hand, the number of visits before, and the number of visits now.
_Visits = tuple[Hand, int, int]


@dataclass(frozen=True)
class _Part:
    """The rules for puzzles of a deal that have one length and, in a mix, one level."""

    game: Game
    targets: Sequence[Exact]
    conditions: Conditions
    seed: int
    stream: str
    packs: bool
    is_searched: bool = False
    """Whether all hands and targets are tried before the deal is refused."""

    def draws(self, name: str) -> Draws:
        return Draws(self.seed, f"{self.stream}{name}")

    @property
    def throws_dice(self) -> bool:
        return bool(self.game.dice and self.game.repeats and not self.conditions.large)

    @property
    def draws_tiles(self) -> bool:
        has_tiles = not (self.game.repeats or set(self.game.large).isdisjoint(self.game.numbers))
        return has_tiles or self.conditions.large is not None

    def hands(self, index: HandIndex) -> Iterator[tuple[int, Hand]]:
        """Yield each hand of a turn with the number of the turn, turn by turn."""
        if self.throws_dice:
            draws = self.draws("hands")
            while True:
                yield 0, tuple(sorted(draws.throw(self.game.dice)))
        if self.draws_tiles:
            yield from ((0, hand) for hand in self._tiles(self.draws("hands")))
        for turn in count_from():
            for place in self.draws(f"turn {turn}").permutation(index.count):
                yield turn, index.hand_at(place)

    def _tiles(self, draws: Draws) -> Iterator[Hand]:
        """Yield hands with large and small numbers, such as 75 50 6 3 2 1 with two large ones."""
        game, length = self.game, self.game.length
        large = [number for number in game.numbers if number in game.large]
        small = [number for number in game.numbers if number not in game.large]
        most_large, most_small = (
            length if game.repeats and numbers else min(length, len(numbers))
            for numbers in (large, small)
        )
        allowed = range(length - most_small, most_large + 1)
        if self.conditions.large is not None:
            if not large:
                raise RefusedError(message("deal.no_large", game=game.name))
            if self.conditions.large not in allowed:
                limits = {"least": allowed[0], "most": allowed[-1]}
                given = self.conditions.large
                raise RefusedError(message("deal.large", game=game.name, given=given, **limits))
            allowed = range(self.conditions.large, self.conditions.large + 1)

        def draw(numbers: Sequence[Exact], count: int) -> Iterable[Exact]:
            if game.repeats:
                return [draws.choose(numbers) for _ in range(count)]
            return islice(draws.shuffled(numbers), count)

        while True:
            large_count = draws.choose(allowed)
            drawn = *draw(large, large_count), *draw(small, length - large_count)
            yield self._in_order(drawn)

    def _in_order(self, numbers: Iterable[Exact]) -> Hand:
        """Return a hand as it is dealt: ascending, or large tiles first, descending."""
        if not self.draws_tiles:
            return tuple(sorted(numbers))
        return tuple(sorted(numbers, key=lambda number: (number not in self.game.large, -number)))

    def offers(self, block: Sequence[_Visits], model: DifficultyModel) -> Iterator[list[_Offer]]:
        """Yield for each hand what its visits offer: less than that if it has no other puzzle."""
        hands = [hand for hand, *_ in block]
        if self.conditions.unsolvable and not self.targets[1:]:
            hands += [self._similar_hand(hand, visit) for hand, visit, _ in block]
        bits_by_hand = _known_bits(self.game, self.targets) if self.is_searched else {}

        def bits_of(*hands: Hand) -> _Bits:
            sorted_hands = {tuple(sorted(hand)) for hand in hands}
            missing = sorted(sorted_hands.difference(bits_by_hand))
            if missing:
                for hand, (targets, bits) in zip(missing, model.surprisals(missing), strict=True):
                    pairs = zip(exact_values(targets), bits.tolist(), strict=True)
                    bits_by_hand[hand] = dict(pairs)
            return bits_by_hand[tuple(sorted(hands[0]))]

        bits_of(*hands)
        for hand, visit, times in block:
            offers: Iterator[_Offer] = iter(())
            if self.conditions.unsolvable:
                draw = self._any if self.conditions.mixture else self._pair
                offers = (draw(hand, each, bits_of) for each in range(visit, visit + times))
            elif self._has_allowed_numbers(hand):
                offers = islice(self._offers_of(hand, bits_of(hand)), visit, visit + times)
            yield list(map(_pack, offers) if self.packs else offers)

    def _has_allowed_numbers(self, hand: Hand) -> bool:
        return not self.conditions.needs_fraction(self.game) or has_fractions(hand)

    def _offers_of(self, hand: Hand, bits_by_target: _Bits) -> Iterator[_Offer]:
        """Yield the puzzles of a hand in random order, and no puzzle after many tries."""
        candidates: Sequence[Exact] = self.targets
        if not (self.conditions.closest and self.conditions.levels == LEVELS):
            trivial = hand if self.forbids_trivial else ()
            candidates = [
                target
                for target in self.targets
                if target in bits_by_target and target not in trivial
            ]
        if self.conditions.levels != LEVELS:
            pairs = [(target, bits_by_target[target]) for target in candidates]
            graded = difficulties_from_bits(pairs, hand, self.game)
            candidates = [
                each for each in candidates if self.conditions.allows_difficulty(graded[each])
            ]
        tries = 0
        for target in self.draws(f"targets {_words(hand)}").shuffled(candidates):
            tries += 1
            puzzle = self._puzzle(hand, target, bits_by_target)
            if puzzle or (tries >= _MAX_TRIES and not self.is_searched):
                yield _Offer(puzzle, tries=tries)
                tries = 0

    @property
    def forbids_trivial(self) -> bool:
        """Whether puzzles exist that need no step, and the conditions forbid them."""
        if self.game.all_numbers and self.game.length > 1:
            return False
        return not self.conditions.trivial

    def _puzzle(self, hand: Hand, target: Exact, bits_by_target: _Bits) -> Puzzle | None:
        """Return a puzzle, or None if the conditions reject it."""
        best: Exact | None = target
        if target not in bits_by_target:
            values = find_closest(HandQuery(hand, self.game), target)
            best = min(values) if values else None
        # People cannot make the closest value of some hands, only a search can.
        if best is None or best not in bits_by_target or (best in hand and self.forbids_trivial):
            return None
        puzzle = _graded_puzzle(hand, target, best, bits_by_target[best], self.game)
        grade = puzzle.difficulty
        is_allowed = grade and self.conditions.allows_difficulty(grade)
        return puzzle if is_allowed and self.conditions.allows_solutions(puzzle) else None

    def _pair(self, hand: Hand, visit: int, bits_of: Callable[[Hand], _Bits]) -> _Offer:
        """Draw two puzzles that differ by a step, of which one has a solution.

        Each pair is as likely whichever of the two is wanted. They differ in the target, if the
        deal has several, or else in one or two numbers.
        """
        draws = self.draws(f"pair {visit} {_words(hand)}")
        other, targets = self._similar_hand(hand, visit), [(self.targets[0],) * 2]
        if self.targets[1:]:
            step = 1 + draws.below(_MAX_STEP)
            other, targets = hand, [*zip(self.targets, self.targets[step:], strict=False)]
        if not (self._has_allowed_numbers(hand) and self._has_allowed_numbers(other)):
            return _Offer()
        made, other_made = bits_of(hand), bits_of(other)
        targets = [pair for pair in targets if (pair[0] in made) != (pair[1] in other_made)]
        if not targets:
            return _Offer()
        target, other_target = draws.choose(targets)
        if target not in made:
            hand, target, other, other_target = other, other_target, hand, target
            made = other_made
        if self._is_made_below_zero(other, other_target):
            return _Offer()
        puzzle = self._puzzle(hand, target, made)
        return _Offer(puzzle, puzzle and _unsolvable_puzzle(other, other_target, self.game))

    def _any(self, hand: Hand, visit: int, bits_of: Callable[[Hand], _Bits]) -> _Offer:
        """Draw a puzzle of a hand with a solution, and one without."""
        if not self._has_allowed_numbers(hand):
            return _Offer()
        draws, made = self.draws(f"any {visit} {_words(hand)}"), bits_of(hand)
        puzzle = unsolvable = None
        if solvable := [target for target in self.targets if target in made]:
            puzzle = self._puzzle(hand, draws.choose(solvable), made)
        if others := [target for target in self.targets if target not in made]:
            target = draws.choose(others)
            if not self._is_made_below_zero(hand, target):
                unsolvable = _unsolvable_puzzle(hand, target, self.game)
        return _Offer(puzzle, unsolvable)

    def _is_made_below_zero(self, hand: Hand, target: Exact) -> bool:
        """Whether a target that people do not make has a solution with results below zero."""
        return self.game.negatives and bool(find_reachable(HandQuery(hand, self.game), [target]))

    def count_solvable(self, index: HandIndex) -> int:
        """Return how many hands make the only target."""
        hands = [index.hand_at(place) for place in range(index.count)]
        model, [target] = _difficulty_model(self.game, self.targets), self.targets
        made = (target in exact_values(targets) for targets, _ in model.surprisals(hands))
        found = zip(hands, made, strict=True)
        return sum(is_made or self._is_made_below_zero(hand, target) for hand, is_made in found)

    def _similar_hand(self, hand: Hand, visit: int) -> Hand:
        """Return a hand with one number a step up or down, or two of them, in both directions."""
        draws = self.draws(f"similar {visit} {_words(hand)}")
        numbers, changed = sorted(self.game.numbers), list(hand)
        step = 1 - 2 * draws.below(2)
        for place in islice(draws.shuffled(range(len(hand))), 1 + draws.below(2)):
            index = numbers.index(changed[place]) + step
            if not 0 <= index < len(numbers):
                return hand
            changed[place], step = numbers[index], -step
        # Large numbers stay large.
        is_large = [[number in self.game.large for number in each] for each in (hand, changed)]
        is_dealt = is_large[0] == is_large[1] and not deal_problem(changed, self.game)
        return self._in_order(changed) if is_dealt else hand


def _words(hand: Hand) -> str:
    return ".".join(map(str, hand))


@lru_cache(4)
def _known_bits(_game: Game, _targets: Sequence[Exact]) -> dict[Hand, _Bits]:
    """Return a dict of bits by sorted hand, empty at first, which all deals of a game fill and use.

    A mix of 60 puzzles then takes 0.04 s, and 0.14 s without.
    """
    return {}


def _offers_of_task(part: _Part, block: Sequence[_Visits]) -> list[list[_Offer]]:
    """Return what the hands of a block offer, in another process."""
    return list(part.offers(block, _difficulty_model(part.game, part.targets)))


@dataclass
class _Shared:
    """What the dealers of one call of `deal` share."""

    used_hands: set[Hand]
    """The hands of the puzzles so far."""
    is_unsolvable: Iterator[bool] | None
    """For each puzzle to come, whether it has no solution; None if all have one."""
    is_of_mix: bool
    executor: "Executor | None"
    progress: Callable[[int], object] | None


class _Dealer:
    """Deals the puzzles of one part of a deal."""

    def __init__(self, part: _Part, shared: _Shared) -> None:
        self.index, self.shared = HandIndex.of_game(part.game), shared
        has_pairs = part.conditions.unsolvable and not part.conditions.mixture
        is_random = part.throws_dice or part.draws_tiles or has_pairs
        is_searched = not is_random and self.index.count <= _MAX_SEARCHED_HANDS
        self.part = replace(part, is_searched=is_searched)
        self.puzzles: list[Any] = []
        # The hands that need no other visit, and how often the others were visited.
        self.spent: set[Hand] = set()
        self.visits = Counter[Hand]()
        self.rejected_tries = 0
        # The turn, and the number of puzzles when it began.
        self.turn, self.count_before_turn = 0, 0
        # How often a number, or a target in a tuple, was in a puzzle with a solution minus without.
        self.balance = Counter[Any]()
        self.wants_unsolvable: bool | None = None
        self.pairs_dealt = set[tuple[Hand, Exact]]()
        self.visits_once = not (part.conditions.repeat or part.conditions.unsolvable)
        self.model = _difficulty_model(part.game, part.targets)

    def deal(self, count: int) -> Sequence[Any]:
        """Return `count` puzzles, maybe packed; raise RefusedError if too few exist."""
        conditions = self.part.conditions
        if not (self.part.is_searched or conditions.repeat) and count > self.index.count:
            values = {"count": self.index.count, "wanted": Count(count)}
            advice = message("deal.more_repeats")
            raise self._error(message("deal.few", **values, advice=advice), "--repeat")
        drawn, size = self.part.hands(self.index), count
        while (missing := count - len(self.puzzles)) and self._take(
            list(islice(drawn, size)), count
        ):
            gained = missing - (missing := count - len(self.puzzles))
            # As many as will probably be needed.
            expected = missing * size // max(gained, 1) + 1
            size = max(missing, min(expected, 2 * size, _MAX_HANDS_AHEAD))
        every = self.puzzles[:]
        if len(every) < count and (not every or not conditions.repeat or conditions.unsolvable):
            raise self._too_few_error(len(every), count)
        for turn in count_from():
            if len(self.puzzles) == count:
                break
            again = self.part.draws(f"again {turn}").shuffled(every)
            for puzzle in islice(again, count - len(self.puzzles)):
                self._add(puzzle)
        return self.puzzles

    def _take(self, batch: Sequence[tuple[int, Hand]], count: int) -> bool:
        """Look at some hands; return False if no other hand has to be looked at."""
        drawn = Counter(hand for _, hand in batch if self._is_open(hand))
        offers = self._offers(
            [
                (hand, self.visits[hand], 1 if self.visits_once else times)
                for hand, times in drawn.items()
            ]
        )
        offers_by_hand: dict[Hand, Iterator[_Offer]] = {}
        for turn, hand in batch:
            if turn > self.turn:
                has_ended = self.part.is_searched and len(self.puzzles) == self.count_before_turn
                if has_ended or self.visits_once:
                    return False
                self.turn, self.count_before_turn = turn, len(self.puzzles)
            if hand in drawn and hand not in offers_by_hand:
                offers_by_hand[hand] = iter(next(offers))
            offer: _Offer | None = _Offer()
            if self._is_open(hand):
                offer = next(offers_by_hand[hand], None)
                self.visits[hand] += 1
                if self.visits_once or offer is None:
                    self.spent.add(hand)
            if offer and (puzzle := self._chosen(offer)):
                self._add(puzzle)
                self.rejected_tries = 0
                if len(self.puzzles) == count:
                    break
                continue
            self.rejected_tries += offer.tries if offer else 1
            if not self.part.is_searched and self.rejected_tries >= _MAX_REJECTED_TRIES:
                return False
        return bool(batch)

    def _is_open(self, hand: Hand) -> bool:
        """Whether a hand can be dealt, as far as is known."""
        is_used = not self.part.conditions.repeat and hand in self.shared.used_hands
        return not is_used and hand not in self.spent

    def _offers(self, visits: Sequence[_Visits]) -> Iterator[list[_Offer]]:
        starts = range(0, len(visits), _HANDS_PER_TASK)
        blocks = [visits[start : start + _HANDS_PER_TASK] for start in starts]
        if self.shared.executor is None or not blocks[1:]:
            for block in blocks:
                yield from self.part.offers(block, self.model)
        else:
            task = partial(_offers_of_task, self.part)
            for offers in self.shared.executor.map(task, blocks):
                yield from offers

    def _chosen(self, offer: _Offer) -> "Puzzle | _Packed | None":
        """Return the puzzle to deal: each number is as often in puzzles without solution."""
        puzzle, unsolvable, change = offer.puzzle, offer.unsolvable, Counter[Any]()
        if self.shared.is_unsolvable is None:
            return puzzle
        if not self.part.conditions.mixture:
            if puzzle is None or unsolvable is None:
                return puzzle
            change.update([*puzzle.hand, (puzzle.target,)])
            change.subtract([*unsolvable.hand, (unsolvable.target,)])
        if sum(self.balance[feature] * times for feature, times in change.items()) > 0:
            return None
        if self.wants_unsolvable is None:
            self.wants_unsolvable = next(self.shared.is_unsolvable)
        chosen = unsolvable if self.wants_unsolvable else puzzle
        if chosen is None or not self._is_open(chosen.hand):
            return None
        if (chosen.hand, chosen.target) in self.pairs_dealt:
            return None
        self.pairs_dealt.add((chosen.hand, chosen.target))
        self.balance.update(change)
        self.wants_unsolvable = None
        return chosen

    def _add(self, puzzle: "Puzzle | _Packed") -> None:
        """Append a puzzle and report it; only the first 1,000 keep their solutions."""
        if isinstance(puzzle, Puzzle) and len(self.puzzles) >= _PUZZLES_WITH_SOLUTIONS:
            puzzle = puzzle.without_solutions()
        self.puzzles.append(puzzle)
        self.shared.used_hands.add(puzzle.hand)
        if self.shared.progress is not None:
            self.shared.progress(1)

    def _too_few_error(self, dealt: int, count: int) -> RefusedError:
        advice, option = self._advice(dealt)
        wanted = Count(count)
        if self.rejected_tries >= _MAX_REJECTED_TRIES and not self.part.is_searched:
            values = {"draws": Count(_MAX_REJECTED_TRIES), "found": Count(dealt)}
            return self._error(
                message("deal.in_vain", **values, wanted=wanted, advice=advice), option
            )
        if not dealt:
            return self._error(message("deal.none", advice=advice), option)
        return self._error(message("deal.few", count=dealt, wanted=wanted, advice=advice), option)

    def _error(self, reason: Message, option: str) -> RefusedError:
        """Return the error of a refused deal; the reason names the length if there are several."""
        if self.part.conditions.lengths:
            length = message("rules.count", count=self.part.game.length)
            reason = message("list.label", label=length, text=reason)
        return RefusedError(reason, "advice.option", option=option)

    def _advice(self, dealt: int) -> tuple[Message, str]:
        """Return the advice for too few puzzles, and an option."""
        part, asked = self.part, self.part.conditions
        kinds = [name.replace("_", "-") for name in _KINDS if getattr(asked, name) is not None]
        has_trivial = asked.closest or any(each in part.targets for each in part.game.numbers)
        pairs = message("deal.fewer" if asked.mixture else "deal.more_pairs")
        share = f"--unsolvable {asked.unsolvable}%" + " --mixture" * (not asked.mixture)
        fewer_of_level = message("deal.fewer_of_level", level=asked.levels[0])
        may_be_trivial = not dealt and part.forbids_trivial and has_trivial
        # Whether an advice applies, the advice, and its option: the first that applies is given.
        advices: tuple[tuple[object, Message, str], ...] = (
            (asked.solutions is not None, message("deal.more_solutions"), "--solutions"),
            (asked.plain, message("deal.more_brackets"), "--plain"),
            (kinds, message("deal.more_kinds"), f"--{''.join(kinds[:1])}"),
            (may_be_trivial, message("deal.more_trivial"), "--trivial"),
            (self.shared.is_of_mix, fewer_of_level, "--mix"),
            (asked.levels != LEVELS, message("deal.more_levels"), "--level"),
            (dealt and asked.unsolvable, pairs, share),
            (dealt and not asked.repeat, message("deal.more_repeats"), "--repeat"),
            (True, message("deal.more_targets"), "--targets"),
        )
        advice, option = next((each, name) for applies, each, name in advices if applies)
        count = self.index.count
        if option == share and not part.targets[1:] and count <= _MAX_SEARCHED_HANDS:
            some = part.count_solvable(self.index)
            found = message("deal.kinds", solvable=Count(some), unsolvable=Count(count - some))
            advice = message("list.then", first=found, then=advice)
        return advice, option


class _Packed(NamedTuple):
    """A puzzle of a deal of many: this saves memory."""

    game: Game
    hand: Hand
    target: Exact
    best: Exact
    bits: float | None
    """None without a solution."""

    def puzzle(self) -> Puzzle:
        hand, target, game = self.hand, self.target, self.game
        if self.bits is None:
            return _unsolvable_puzzle(hand, target, game)
        return _graded_puzzle(hand, target, self.best, self.bits, game)


@dataclass(frozen=True)
class _PackedPuzzles(Sequence[Puzzle]):
    """Puzzles that are each made when they are used."""

    packed: Sequence[_Packed]

    def __len__(self) -> int:
        return len(self.packed)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return tuple(each.puzzle() for each in self.packed[index])
        return self.packed[index].puzzle()


def _pack(offer: _Offer) -> _Offer:
    def packed(puzzle: Any) -> _Packed | None:
        if puzzle is None:
            return None
        grade = puzzle.difficulty
        best, bits = (puzzle.best, grade.bits) if grade else (puzzle.target, None)
        return _Packed(puzzle.game, puzzle.hand, puzzle.target, best, bits)

    return _Offer(packed(offer.puzzle), packed(offer.unsolvable), offer.tries)


def _unsolvable_puzzle(hand: Hand, target: Exact, game: Game) -> Puzzle:
    return Puzzle(hand, target, game).with_cached(solvable=False, has_answer=False, difficulty=None)


def _graded_puzzle(hand: Hand, target: Exact, best: Exact, bits: float, game: Game) -> Puzzle:
    difficulty = difficulties_from_bits([(best, bits)], hand, game)[best]
    if best != target:
        difficulty = difficulty_of_nearest(difficulty)
    return Puzzle(hand, target, game).with_cached(best=best, difficulty=difficulty)


def _difficulty_model(game: Game, targets: Sequence[Exact]) -> DifficultyModel:
    return DifficultyModel(game, largest_numbers(game), within=(targets[0], targets[-1]))
