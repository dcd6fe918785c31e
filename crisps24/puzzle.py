"""The puzzle object: a hand, a target and a game, as a board is the object of a chess library.

`Puzzle` is an immutable value. Its properties, such as `solvable`, `best` and `difficulty`, are
computed at first use and cached (`_Cache`): `Puzzle((3, 3, 8, 8), 24, "cards").level` grades the
hand once. `solve_puzzles` and `puzzle_rows` compute many puzzles together, which is faster, since
their hands share tables of sub-hands.

`Puzzle.row` and `Puzzle.rows` return the rows that commands, files and pages show.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import cached_property, partial
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING, Any, Literal, Self

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.judging.judge import Judgement, JudgingContext, can_make, judge_text, right_values
from crisps24.messages.message import message
from crisps24.notation.checking import Check, check_against_target, working_lines
from crisps24.notation.styles import style_by_name
from crisps24.notation.trees import Expression, Formula, text_of
from crisps24.output.tables import Row
from crisps24.rules.deals import HandLike, to_hand
from crisps24.rules.exact import Exact, int_if_whole, to_exact
from crisps24.rules.games import FREE_GAME, GAMES, Game, Hand, find_game
from crisps24.rules.ids import changed_rule_texts, format_id, has_exact_id, is_id, parse_id
from crisps24.rules.operators import MINUS
from crisps24.rules.queries import HandQuery, target_for
from crisps24.rules.work import DEFAULT_WORK, QUICK_WORK, check_work_limit
from crisps24.solving.effort import Difficulty, difficulty_of_nearest, grade, grade_many
from crisps24.solving.forms import LIKELIEST, Solution, canonical_solutions
from crisps24.solving.likeliest import hints
from crisps24.solving.solver import (
    find_closest,
    find_first,
    find_many,
    find_plainest,
    find_solutions,
)
from crisps24.solving.work import is_rational, is_small

if TYPE_CHECKING:
    from concurrent.futures import Executor

# The default fields of a row of a puzzle, in order.
PUZZLE_FIELDS = (
    *("id", "game", "rules", "hand", "target"),
    *("best", "bits", "level", "solutions", "answer"),
)
# The fields of a row of a solution, in order.
SOLUTION_FIELDS = (
    *("numbers", "target", "expression", "value", "exact", "share"),
    *("solutions", "bits", "level"),
)
# How to get each field of a puzzle.
FIELD_GETTERS: dict[str, Callable[["Puzzle"], Any]] = {
    "id": lambda puzzle: puzzle.id,
    "game": lambda puzzle: puzzle.game.name,
    "rules": lambda puzzle: changed_rule_texts(puzzle.game),
    **dict.fromkeys(("hand", "nums", "numbers"), lambda puzzle: list(puzzle.hand)),
    "target": lambda puzzle: puzzle.target,
    "best": lambda puzzle: puzzle.best,
    "bits": lambda puzzle: puzzle.difficulty and puzzle.difficulty.bits,
    "level": lambda puzzle: puzzle.level,
    "solutions": lambda puzzle: puzzle.count,
    "answer": lambda puzzle: puzzle.answer(),
}
# The fields that need the solutions of the puzzle.
_SOLUTION_DEPENDENT_FIELDS = {"solutions", "answer"}
# Puzzles that a process gets at a time.
_PUZZLES_PER_CHUNK = 20


class _State(Enum):
    """The state of a value of the cache for which None is a result."""

    NOT_COMPUTED = "not computed"


_NOT_COMPUTED: Literal[_State.NOT_COMPUTED] = _State.NOT_COMPUTED


@dataclass(slots=True)
class _Cache:
    """The known results of a puzzle; None if not computed (see `_State` for difficulty).

    A puzzle is solved if `exact_solutions` or `nearest_solutions` is known.
    """

    query: HandQuery | None = None
    solvable: bool | None = None
    best: Exact | None = None
    closest: dict[Exact, Expression] | None = None
    difficulty: Difficulty | Literal[_State.NOT_COMPUTED] | None = _NOT_COMPUTED
    exact_solutions: list[Solution] | None = None
    """The solutions of the target; empty if it cannot be made."""
    nearest_solutions: list[Solution] | None = None
    """The solutions of `best`, if the target cannot be made."""
    count: int | None = None
    order: str = LIKELIEST

    def without_solutions(self) -> "_Cache":
        """Return a copy that forgets the solutions and the values computed from them.

        The memory of thousands of solutions is freed; `solvable`, `best` and `difficulty` stay.
        """
        return replace(
            self,
            closest=None,
            exact_solutions=None,
            nearest_solutions=None,
            count=None,
            order=LIKELIEST,
        )


@dataclass(frozen=True, repr=False)
class Puzzle:
    """A hand, a target and a game; properties compute their values at first use.

    The game can be given by its name, the hand as a list or a text; the game need not be able to
    deal the hand. Puzzles are equal if hand, target, game and `in_order` are equal; they can be
    pickled, with their computed results.

    Raises:
        RefusedError: For an invalid hand or target, or an unknown game or style. Properties and
            methods that search raise it for a hand that `HandQuery` refuses, such as negative
            numbers in a game without them, or if a search exceeds the limits. If they need `best`,
            they raise it if the hand makes no value. With operators that are not rational
            functions, such as powers, they raise it too, except `solvable`, and `best` and the
            hints if the target can be made.
        KindError: If an argument has the wrong type.

    >>> puzzle = Puzzle((3, 3, 8, 8), 24, GAMES["cards"])
    >>> puzzle.id, puzzle.level, puzzle.hint()
    ('cards:3.3.8.8=24', 5, '8 / 3 = 8/3')
    >>> puzzle.check("8 / (3 - 8 / 3)").verdict
    'right'
    """

    hand: Hand
    """The numbers in the order dealt."""
    target: Exact
    game: Game = GAMES["crisps"]
    in_order: bool = field(default=False, kw_only=True)
    """Whether a formula must keep the order of the numbers."""
    work: int | None = field(default=DEFAULT_WORK, kw_only=True, compare=False)
    """Largest search to attempt, in pairs of values (None: no limit)."""
    style: str = field(default="", kw_only=True, compare=False)
    """The style in which expressions are printed, by default that of the game."""
    _cache: _Cache = field(default_factory=_Cache, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        game, style = find_game(self.game), self.style
        hand, target = to_hand(self.hand, game), to_exact(self.target)
        check_work_limit(self.work)
        is_default = isinstance(style, str) and not style
        style = game.style if is_default else style_by_name(style).name
        vars(self).update(game=game, hand=hand, target=target, style=style)

    def __repr__(self) -> str:
        """Return Python code of the puzzle, shortened to its id if it has one.

        >>> Puzzle((3, 3, 8, 8), 24, "cards")
        puzzle_of('cards:3.3.8.8=24')
        """
        if has_exact_id(self.game) and not self.in_order:
            return f"puzzle_of({self.id!r})"
        # An id cannot express this puzzle: write the arguments that differ from their defaults.
        values = (
            (attribute.name, getattr(self, attribute.name), attribute.default)
            for attribute in fields(self)
            if attribute.compare
        )
        arguments = (f"{name}={value!r}" for name, value, default in values if value != default)
        return f"Puzzle({', '.join(arguments)})"

    @property
    def query(self) -> HandQuery:
        """The numbers, rules and work limit of the puzzle, in the form that the solver takes.

        Raises RefusedError if no puzzle of the game can have these numbers, for example negative
        numbers in a game without them.
        """
        if self._cache.query is None:
            self._cache.query = HandQuery(self.hand, self.game, self.in_order, self.work)
        return self._cache.query

    @property
    def is_small(self) -> bool:
        """Whether the hand has so few numbers that no search can exceed the work limit."""
        return is_small(len(self.hand), self.game, self.in_order)

    @property
    def id(self) -> str:
        """A short text with game, hand and target, from which `puzzle_of` makes the puzzle again.

        The text also has each rule that differs from the game of that name, except the fixed target
        of the game, since the puzzle has its own. `puzzle_of` refuses the text if `GAMES` has no
        game of that name. Raises RefusedError for a puzzle with `in_order`.

        >>> Puzzle((3, 3, 8, 8), 24, "cards").id
        'cards:3.3.8.8=24'
        """
        if self.in_order:
            raise RefusedError("a puzzle that keeps the order of its numbers has no id")
        return format_id(self.game, self.hand, self.target)

    @property
    def solvable(self) -> bool:
        """Whether a legal formula of the numbers makes the target.

        At first use this can search all formulas of the hand. Raises RefusedError if that search
        exceeds the work limit of the puzzle.

        >>> Puzzle((4, 3, 8, 4), 24).solvable, Puzzle((1, 1, 1, 1), 24).solvable
        (True, False)
        """
        if self._cache.solvable is None:
            self._cache.solvable = self._is_solvable()
        return self._cache.solvable

    def _is_solvable(self) -> bool:
        """Return whether the target can be made, from cached results or else by a search.

        Raises RefusedError if the search exceeds the work limit of the puzzle.
        """
        # The cheapest tests come first.
        if self._cache.exact_solutions is not None:
            return bool(self._cache.exact_solutions)
        if self._cache.best is not None:
            return self._cache.best == self.target
        if not is_rational(self.game):
            return self._plainest_form is not None
        # A target with a difficulty can be made, and this search is cheaper. Without one, a
        # solution can still exist: people avoid negative results, so these have no difficulty.
        return self._target_difficulty is not None or self.target in self.closest

    @cached_property
    def _plainest_form(self) -> Expression | None:
        """The simplest formula for the target, or None if the target cannot be made.

        Games with an operator such as ^, which is not a rational function, use it in place of the
        solutions, which cannot be listed there.
        """
        return find_plainest(self.query, None, [self.target]).get(self.target)

    @property
    def best(self) -> Exact:
        """The target if it can be made, else the value nearest to it that can.

        Of two values at the same distance, it is the smaller one. Raises RefusedError if the hand
        makes no value at all, if the search exceeds the work limit of the puzzle, and in games with
        operators such as ^ if the target cannot be made.

        >>> Puzzle((4, 3, 8, 4), 24).best, Puzzle((1, 1, 1, 1), 24).best
        (24, 4)
        """
        if self._cache.best is None:
            if not (self.solvable or self.closest):
                raise RefusedError(message("rules.makes_nothing"))
            self._cache.best = self.target if self.solvable else min(self.closest)
        return self._cache.best

    @property
    def accepted_values(self) -> tuple[Exact, ...]:
        """The values that solve the puzzle: only the target, in most games.

        If the target cannot be made and the game accepts the closest value, they are `best`, the
        nearest value that the hand makes, and the value at the same distance on the other side of
        the target, which the hand perhaps cannot make. Raises RefusedError in such games if the
        search for `best` does.

        >>> Puzzle((1, 1, 1, 1), 101, "countdown").accepted_values
        (4, 198)
        """
        if not self.game.accepts_closest:
            return (self.target,)
        opposite = int_if_whole(2 * self.target - self.best)
        return (self.target,) if self.best == self.target else (self.best, opposite)

    @property
    def closest(self) -> dict[Exact, Expression]:
        """The one or two values nearest to the target, each with its likeliest formula.

        If the target can be made, it is the only value. Of two values, the smaller one is first.
        The dict is empty if the hand makes no value; it is cached, so do not change it. Raises
        RefusedError if the search exceeds the work limit of the puzzle, and in games with operators
        such as ^.

        >>> [*Puzzle((1, 1, 1, 1), 24).closest]
        [4]
        """
        if self._cache.closest is None:
            self._cache.closest = find_closest(self.query, self.target)
        return self._cache.closest

    @property
    def difficulty(self) -> Difficulty | None:
        """How hard the target is for people: `difficulty.bits`, and `difficulty.level` from 1 to 5.

        With one more bit, a sensible attempt is half as likely to succeed. If the target cannot be
        made, this is the difficulty of `best`, without a level. It is None if every solution has a
        negative result. Raises RefusedError if the hand makes no value, if the search exceeds the
        work limit of the puzzle, and in games with operators such as ^.

        >>> difficulty = Puzzle((3, 3, 8, 8), 24, "cards").difficulty
        >>> difficulty and difficulty.level
        5
        """
        if self._cache.difficulty is _NOT_COMPUTED:
            if self.solvable:
                self._cache.difficulty = self._target_difficulty
            else:
                nearest = grade(self.query, self.best)
                self._cache.difficulty = nearest and difficulty_of_nearest(nearest)
        return self._cache.difficulty

    @property
    def level(self) -> int | None:
        """How hard the puzzle is for people, from 1 (easy) to 5 (hard), or None.

        It is None if the target cannot be made, if every solution has a negative result, or if the
        game has no levels: see `level_cutoffs`. It raises the errors of `difficulty`, also in games
        with operators such as ^.
        """
        return None if self.difficulty is None else self.difficulty.level

    @cached_property
    def _target_difficulty(self) -> Difficulty | None:
        """The difficulty of the target; None if all formulas for it have a negative result."""
        return grade(self.query, self.target)

    @property
    def exact_solutions(self) -> list[Solution]:
        """All distinct solutions of the target, likeliest first; empty if it cannot be made.

        The list is cached, so do not change it. Raises RefusedError if the search exceeds the work
        limit of the puzzle, and in games with operators such as ^.
        """
        cache = self._cache
        if cache.exact_solutions is None:
            has_other_best = cache.best is not None and cache.best != self.target
            is_unsolvable = cache.solvable is False or has_other_best
            cache.exact_solutions = [] if is_unsolvable else find_solutions(self.query, self.target)
        return cache.exact_solutions

    @property
    def _nearest_solutions(self) -> list[Solution]:
        """All distinct solutions of `best`, likeliest first; used if the target cannot be made."""
        if self._cache.nearest_solutions is None:
            self._cache.nearest_solutions = find_solutions(self.query, self.best)
        return self._cache.nearest_solutions

    @property
    def _quick_work(self) -> int | None:
        """The work limit, in pairs of values, of a search that has to end within seconds.

        It is None, which means no limit, for a puzzle without a limit.
        """
        return None if self.work is None else min(self.work, QUICK_WORK)

    @cached_property
    def _solvable_by_quick_search(self) -> bool:
        """Whether the target can be made; raises RefusedError for a search of many seconds."""
        if self.is_solved or self.is_small:
            return bool(self.exact_solutions)
        return can_make(replace(self.query, work=self._quick_work), self.target)

    @cached_property
    def _right_values(self) -> tuple[Exact, ...]:
        """The values that solve the puzzle; raises RefusedError for a search of many seconds."""
        if self.is_solved or self.is_small:
            return self.accepted_values
        return right_values(replace(self.query, work=self._quick_work), self.target)

    def solutions(self) -> list[Solution]:
        """Return all distinct solutions of the target, likeliest first.

        If the target cannot be made, they are the solutions of `best`, the nearest value. The list
        is new, so it can be changed, and it is not empty. A hand of seven or more numbers can have
        thousands of solutions: see `first_solutions`.

        Raises:
            RefusedError: If the hand makes no value, if the search exceeds the work limit of the
                puzzle, and in games with operators such as ^.

        >>> [str(solution.expression) for solution in Puzzle((4, 3, 8, 4), 24).solutions()]
        ['8 x 3 + 4 - 4', '4 x 3 + 8 + 4']
        """
        return list(self.exact_solutions if self.solvable else self._nearest_solutions)

    def first_solutions(self, count: int) -> Self:
        """Return a copy of the puzzle that has only the first `count` solutions of the target.

        If a hand has thousands of solutions, this takes less time and memory than finding all. The
        property `count` of the copy is still the number of all solutions of the target, also if
        that is 0. Its property `order` names the order by which the solutions were chosen.

        Args:
            count: The number of solutions to store, at least 1.

        Raises:
            RefusedError: For a `count` below 1, if the search exceeds the work limit of the puzzle,
                and in games with operators such as ^.

        >>> puzzle = Puzzle((4, 3, 8, 4), 24).first_solutions(1)
        >>> len(puzzle.solutions()), puzzle.count
        (1, 2)
        """
        first = find_first(self.query, self.target, count)
        return self.with_cached(
            exact_solutions=list(first.details), count=first.total, order=first.order
        )

    @property
    def count(self) -> int:
        """The number of distinct solutions of the target, or of `best` if it cannot be made.

        The method `rows` only counts solutions of the target, so there the number is 0 in the
        second case. This finds all solutions at first use, and raises the errors of `solutions`.
        """
        if self._cache.count is None:
            self._cache.count = len(self.solutions())
        return self._cache.count

    @property
    def order(self) -> str:
        """The order of the solutions, in English words: "likeliest first" in most cases.

        Only after `first_solutions` of a large hand it is "by share alone", or "in plain order" if
        computing the shares takes too much work. The share of a solution estimates how many of the
        people who solve the puzzle find it.
        """
        return self._cache.order

    @property
    def is_solved(self) -> bool:
        """Whether solutions have been computed, of the target or of the nearest value."""
        cache = self._cache
        return cache.exact_solutions is not None or cache.nearest_solutions is not None

    def canonical_solutions(self) -> list[Solution]:
        """Return the solutions of the target, with only one of each class of nearly equal ones.

        Solutions of a class differ only in multiplying or dividing by 1 and in adding or
        subtracting 0. Of each class, the first solution is returned, with the sum of all shares of
        the class. If the target cannot be made, these are solutions of `best`. The order and the
        errors are those of `solutions`.

        >>> puzzle = Puzzle((1, 2, 3, 4), 24)
        >>> puzzle.count, [str(solution.expression) for solution in puzzle.canonical_solutions()]
        (2, ['4 x 3 x 2 x 1'])
        """
        solutions = self.solutions()
        share_of_class: dict[int, float] = {}
        for solution in solutions:
            previous_share = share_of_class.get(solution.equivalence_class, 0)
            share_of_class[solution.equivalence_class] = previous_share + solution.share
        return [
            replace(solution, share=share_of_class[solution.equivalence_class])
            for solution in canonical_solutions(solutions)
        ]

    def hints(self, style: str | None = None) -> list[str]:
        """Return the steps of the likeliest solution, in the order that is easiest for people.

        In games with operators such as ^ they are the steps of the simplest solution. If the target
        cannot be made, they lead to `best`. If the solution is a number of the hand, the only text
        is that number.

        Args:
            style: The name of a style of formulas, such as "unicode" (default: that of the puzzle).

        Raises:
            RefusedError: For an unknown style, and as `solutions`; in games with operators such as
                ^ only if the target cannot be made or the search exceeds the work limit.

        >>> Puzzle((3, 3, 8, 8), 24, "cards").hints()
        ['8 / 3 = 8/3', '3 - (8/3) = 1/3', '8 / (1/3) = 24']
        >>> Puzzle((2, 3, 4), 79, replace(GAMES["digits"], operators=("-", "^"))).hints()
        ['3 ^ 4 = 81', '81 - 2 = 79']
        """
        style = style or self.style
        plainest = None if is_rational(self.game) else self._plainest_form
        if plainest is not None:
            return working_lines(plainest, self.game, style=style) or [text_of(plainest, style)]
        likeliest = self.solutions()[0].expression
        return hints(likeliest, self.game, in_order=self.in_order, style=style)

    def hint(self) -> str:
        """Return the first step of the likeliest solution: the first text of `hints`.

        It raises the errors of `hints`.

        >>> Puzzle((3, 3, 8, 8), 24, "cards").hint()
        '8 / 3 = 8/3'
        """
        return self.hints()[0]

    def check(
        self, text: str | Formula | Expression, *, strict: bool = False, style: str | None = None
    ) -> Check:
        """Check a formula for the puzzle, and return the verdict with its reason.

        A formula is "right" if it is legal and makes the target. If the target cannot be made, no
        formula is right, except in games that accept the closest value: there a formula for that
        value is right, with a reason. It is "wrong" if the search for the closest value exceeds the
        work limit of the puzzle.

        Args:
            text: A formula such as "8 / (3 - 8 / 3)", or a working such as "2 x 3 = 6, 6 x 4 = 24".
                A text that is not a formula has the verdict "malformed".
            strict: Whether the game has to be able to deal the numbers.
            style: The style of the text and of the reason (default: that of the game).

        Raises:
            RefusedError: Only for an unknown style.

        >>> Puzzle((1, 1, 1, 1), 24, GAMES["cards"]).check("1 + 1 + 1 + 1").reason
        'it makes 4, not 24'
        >>> Puzzle((1, 1, 1, 1), 101, GAMES["countdown"]).check("(1 + 1) x (1 + 1)").reason
        'as near to 101 as possible'
        """

        def check_for(target: Exact) -> Check:
            return check_against_target(
                text, target, self.hand, self.game, strict=strict, style=style
            )

        result = check_for(self.target)
        if result.verdict != "wrong" or result.value is None or not self.game.accepts_closest:
            return result
        # A formula with another value can still be right, if this value is the closest one.
        try:
            accepted_values = self.accepted_values
        except RefusedError:
            # A formula for more numbers than can be solved can still be checked.
            return result
        for value in accepted_values:
            nearest_result = check_for(value)
            if nearest_result.verdict == "right":
                return replace(
                    nearest_result, message=message("answer.nearest", target=self.target)
                )
        return result

    def judge(self, text: object, *, partial: float = 0.0) -> Judgement:
        r"""Judge an answer in free text, as people and language models write it.

        No text and no hand raises an error. The answer is extracted from the text without knowledge
        of the puzzle. A formula is right if it makes the target. If the target cannot be made, the
        statement that it is impossible is right; in games that accept the closest value, a formula
        for that value is right too.

        With more than six numbers, in some games more than four, the proof that a target cannot be
        made can take too long, unless the `work` of the puzzle is None. It fails for a hand that
        `HandQuery` refuses. Without the proof, the statement has the verdict "wrong" and the code
        "undecided", and a formula for the closest value has the verdict "wrong" and the code
        "value". In games with operators such as ^, a formula for the closest value is never right.

        Args:
            text: A str, UTF-8 bytes, or the messages of a chat; the last message of the
                assistant is judged. Other objects have the verdict "none" and the code "not-text".
            partial: The highest score of a legal formula with the right numbers and a wrong value,
                from 0 to 1, which is not checked. The score falls with the distance to the target.
                A value above 0 invites models to aim for near values.

        >>> judgement = puzzle_of("cards:3.3.8.8=24").judge(r"\boxed{\frac{8}{3 - \frac{8}{3}}}")
        >>> judgement.verdict, judgement.code, judgement.score, judgement.answer
        ('right', 'ok', 1.0, '\\frac{8}{3 - \\frac{8}{3}}')
        """
        context = JudgingContext(
            hand=self.hand,
            target=self.target,
            game=self.game,
            # Searches, which start only if the answer needs them.
            solvable=lambda: self._solvable_by_quick_search,
            right_values=lambda: self._right_values,
            work=self._quick_work,
        )
        return judge_text(text, context, partial)

    def answer(self, *, plain: bool = False) -> str:
        """Return the likeliest solution as text, in the style of the puzzle.

        The likeliest solution is the one that most people would find. If the target cannot be made,
        the text makes the closest possible value, `best`, instead.

        Args:
            plain: Whether to return the likeliest solution without parentheses; if every solution
                has parentheses, the likeliest of all is returned.

        Raises:
            RefusedError: As in `solutions`, for example if the search takes too much work.

        >>> puzzle_of("cards:3.3.8.8=24").answer()
        '8 / (3 - 8 / 3)'
        """
        solutions = self.solutions()
        likeliest = text_of(solutions[0].expression, self.style)
        if not plain:
            return likeliest
        texts = (text_of(solution.expression, self.style) for solution in solutions)
        return next((text for text in texts if "(" not in text), likeliest)

    def row(self, fields: Sequence[str] = PUZZLE_FIELDS, *, plain: bool = False) -> Row:
        """Return a dict with values of the puzzle, such as its id, level and answer.

        Args:
            fields: The keys of the dict, in order: names from `FIELD_GETTERS`.
            plain: Whether the field "answer" prefers a solution without parentheses.

        Raises:
            KeyError: For a name that is not in `FIELD_GETTERS`.
            RefusedError: If the search for a field exceeds the work limit of the puzzle, if the
                hand makes no value, and in games with operators such as ^.

        >>> puzzle_of("cards:3.3.8.8=24").row(["hand", "target", "level"])
        {'hand': [3, 3, 8, 8], 'target': 24, 'level': 5}
        """

        def value_of(name: str) -> Any:
            # The functions of `FIELD_GETTERS` have no argument `plain`.
            if plain and name == "answer":
                return self.answer(plain=True)
            return FIELD_GETTERS[name](self)

        return {name: value_of(name) for name in fields}

    def rows(
        self,
        *,
        all_solutions: bool = False,
        canonical: bool = False,
        closest: bool = False,
        steps: bool = False,
        style: str | None = None,
    ) -> list[Row]:
        """Return a list with a dict for the likeliest solution, or for every solution.

        The keys of a dict are the `SOLUTION_FIELDS`; the likeliest solution is first. If the target
        cannot be made, the only dict has None for the solution, its value, share and difficulty,
        and 0 for the number of solutions.

        Args:
            all_solutions: Whether to return a row for every solution.
            canonical: Whether nearly equal solutions count as one; see `canonical_solutions`. This
                changes the number of solutions and the shares; with `all_solutions` also the rows.
            closest: Whether to return a row for each of the closest values if the target cannot be
                made. The list is then empty if the hand makes no value.
            steps: Whether rows with a solution also have its `steps`, a list of texts.
            style: The style of expressions (default: that of the puzzle).

        Raises:
            RefusedError: If the search exceeds the work limit of the puzzle, in games with
                operators such as ^, and for an unknown style.

        >>> [row["expression"] for row in Puzzle((4, 3, 8, 4), 24).rows(all_solutions=True)]
        ['8 x 3 + 4 - 4', '4 x 3 + 8 + 4']
        """
        # The solutions of the target, and how many they are.
        style = style or self.style
        solutions = self.exact_solutions
        if solutions and canonical:
            solutions = self.canonical_solutions()
        # The property `count` also counts the solutions that `first_solutions` does not store.
        total = self.count if solutions and not canonical else len(solutions)
        # The expression, the value and the share of each row.
        results: Sequence[tuple[Expression | None, Exact | None, float | None]]
        if solutions:
            results = [
                (solution.expression, solution.value, round(solution.share, 6))
                for solution in (solutions if all_solutions else solutions[:1])
            ]
        elif closest:
            results = [(expression, value, None) for value, expression in self.closest.items()]
        else:
            results = [(None, None, None)]
        # A row for each result; the difficulty of another value than the target is left out.
        difficulty = self.difficulty if solutions else None
        rows = []
        for expression, value, share in results:
            row: Row = {
                "numbers": list(self.hand),
                "target": self.target,
                "expression": None if expression is None else text_of(expression, style),
                "value": value,
                "exact": value == self.target,
                "share": share,
                "solutions": total,
                "bits": difficulty and difficulty.bits,
                "level": difficulty and difficulty.level,
            }
            if steps and expression is not None:
                row["steps"] = working_lines(expression, self.game, style=style)
            rows.append(row)
        return rows

    def with_cached(self, **results: Any) -> Self:
        """Return a copy of the puzzle that has results computed elsewhere, which are not checked.

        The names are `query`, `solvable`, `best`, `closest`, `difficulty`, `exact_solutions`,
        `nearest_solutions`, `count` and `order`; another name raises TypeError.

        >>> Puzzle((3, 3, 8, 8), 24).with_cached(solvable=True, count=1).count
        1
        """
        return self._with(_cache=replace(self._cache, **results))

    def with_style(self, style: str) -> Self:
        """Return a copy of the puzzle that prints its formulas in another style, such as "dot".

        The name of the style is not checked here. The copy keeps computed results.
        """
        return self._with(style=style)

    def with_work(self, work: int | None) -> Self:
        """Return a copy of the puzzle with another limit on its searches.

        The copy keeps computed results.

        Args:
            work: The largest search to attempt, in pairs of values, or None for no limit. The
                number is not checked here.
        """
        # The query contains the limit.
        return self._with(work=work, _cache=replace(self._cache, query=None))

    def without_solutions(self) -> Self:
        """Return a copy of the puzzle without its computed solutions, which saves memory.

        Other results stay, such as `best` and `difficulty`; solutions are computed again if needed.
        """
        return self._with(_cache=self._cache.without_solutions())

    def _with(self, **attributes: Any) -> Self:
        """Return a copy of the puzzle with other values of its attributes.

        They are not checked, since that would take longer than making the copy.
        """
        puzzle = copy(self)
        vars(puzzle).update(attributes)
        return puzzle

    def _repr_svg_(self) -> str:
        """Return the SVG picture of the puzzle, which Jupyter notebooks show."""
        from crisps24.drawing.cards import card_of
        from crisps24.drawing.drawings import svg_of

        return svg_of(card_of(self.hand, self.target, self.level))


def check(
    text: str | Formula | Expression,
    target: Exact | None = None,
    card: HandLike | None = None,
    game: Game | str = "crisps",
    *,
    strict: bool = False,
    style: str | None = None,
    work: int | None = DEFAULT_WORK,
) -> Check:
    """Check a formula, or a working of several steps, and return the verdict with its reason.

    A formula is "right" if it is legal and makes `target`, or the target that it states itself, as
    in "4 + 3 = 7". Without any target a legal formula is "legal". If the target cannot be made from
    a card, no formula is right. But in games that accept the closest value, if both `target` and
    `card` are given, a formula for that value is right. Every `text` has a verdict, never an error.

    Args:
        text: A formula such as "4 + 3 x 8 - 4 = 24", or a working such as "2 x 3 = 6, 6 x 4 = 24".
            Other types are "malformed".
        target: The target, an int or a Fraction (default with a card: the target of the formula,
            or of the game).
        card: The numbers to use, each once if the game uses all numbers. Numbers that the game does
            not deal are allowed. Without a card any numbers of the game are.
        game: A game, or its name.
        strict: Whether the game has to be able to deal the card, or the numbers of the formula.
        style: The style of the text and of the reason (default: that of the game).
        work: Largest search for the closest value, in pairs of values (None: no limit). If it is
            too small, a formula for that value is "wrong".

    Raises:
        RefusedError: For an unknown game or style, or an invalid card.
        KindError: For an argument of a wrong type, such as a float as target, except `text`.

    >>> check("4 + 3 x 8 - 4", card=(4, 3, 8, 4)).verdict
    'right'
    >>> check("4 + 3 + 8 + 4", card=(4, 3, 8, 4)).reason
    'it makes 19, not 24'
    >>> check("4 + 3").verdict
    'legal'
    >>> check("2 x 3 = 6, 6 x 4 = 24").formula
    '2 x 3 x 4 = 24'
    """
    game = find_game(game)
    card = None if card is None else to_hand(card, game)
    target = None if target is None else to_exact(target)
    if card is None or target is None:
        return check_against_target(text, target, card, game, strict=strict, style=style)
    return Puzzle(card, target, game, work=work).check(text, strict=strict, style=style)


def puzzle_of(
    puzzle: str | HandLike, target: Exact | None = None, game: Game | str | None = None
) -> Puzzle:
    """Return the puzzle of an id, or of a hand and a target.

    Args:
        puzzle: An id such as "cards:3.3.8.8=24", or a hand, which the game need not deal. A text
            is a hand if it starts with a number, such as 3, -2, .75 or ½.
        target: Only with a hand: the target (default: that of the game).
        game: Only with a hand: a game, or its name (default: crisps).

    Raises:
        RefusedError: For an invalid id or hand, for an unknown game, for a hand that `HandQuery`
            refuses (negative numbers in a game without them, for example), for an id with a target
            or a game, and without a target if the game has no fixed one.
        KindError: If an argument has the wrong type.

    >>> puzzle_of("cards:3.3.8.8=24") == puzzle_of((3, 3, 8, 8), game="cards")
    True
    """
    if isinstance(puzzle, str) and (is_id(puzzle) or not _starts_with_number(puzzle)):
        id_game, hand, puzzle_target = parse_id(puzzle)
        if target is not None or game is not None:
            raise RefusedError(message("refused.id_complete", text=quoted(puzzle)))
        query = HandQuery(hand, id_game)
    else:
        query = HandQuery.from_arguments(puzzle, "crisps" if game is None else game)
        puzzle_target = target_for(query.game, target)
    return Puzzle(query.hand, puzzle_target, query.game).with_cached(query=query)


def _starts_with_number(text: str) -> bool:
    """Return whether a text starts with a digit, a minus, a point or a character such as ½."""
    return text[:1].isnumeric() or (text[:1] != "" and text[0] in (*MINUS.spellings, "."))


def judge(
    text: object,
    puzzle: Puzzle | str | HandLike,
    target: Exact | None = None,
    game: Game | str = FREE_GAME,
    *,
    partial: float = 0.0,
) -> Judgement:
    """Judge an answer in free text to a puzzle, such as the reply of a language model.

    The formula or the number is found in the text, checked, and scored. No text raises an error.
    `Puzzle.judge` describes when an answer is right.

    Args:
        text: The answer: a str, UTF-8 bytes, or the messages of a chat.
        puzzle: A puzzle, an id, or a hand with `target`. A text without target that is not an id
            is a hand of crisps.
        target: Only with a hand: the target.
        game: Only with a hand: a game, or its name (default: any numbers and results are allowed).
        partial: The highest score of a legal formula with the right numbers and a wrong value, from
            0 to 1.

    Raises:
        RefusedError: For an invalid puzzle, or a puzzle with another target.
        KindError: If the puzzle is a list or tuple without a target, or has another type.

    >>> judge("<answer>8 x 3 = 24</answer>", "cards:3.3.8.8=24").code
    'numbers-missing'
    >>> judge("8 / (3 - 8 / 3)", (3, 3, 8, 8), 24).verdict
    'right'
    """
    if target is not None:
        if isinstance(puzzle, Puzzle) or (isinstance(puzzle, str) and is_id(puzzle)):
            raise RefusedError("the puzzle has a target: leave out the other one")
        puzzle = Puzzle(to_hand(puzzle, find_game(game)), target, find_game(game))
    if isinstance(puzzle, str):
        puzzle = puzzle_of(puzzle)
    if not isinstance(puzzle, Puzzle):
        example = "a Puzzle, an id such as 'cards:3.3.8.8=24', or a hand with a target"
        raise KindError(f"invalid puzzle {quoted(puzzle)} (expected {example})")
    return puzzle.judge(text, partial=partial)


def solve_puzzles(puzzles: Sequence[Puzzle]) -> Iterator[Puzzle]:
    """Yield a copy of each puzzle with its solutions and difficulty computed, in the given order.

    This is faster than solving each puzzle separately: consecutive puzzles with the same rules and
    work limit share their searches, and can all be solved before the first is yielded. Puzzles
    that are solved already are yielded unchanged. For a target that cannot be made, only an empty
    list of solutions is computed; but if `best` has been computed already, the solutions and the
    difficulty of that value are computed.

    Raises:
        RefusedError: While iterating, if a search exceeds the work limit of a puzzle, or in games
            with operators such as ^. It can be raised before the first of the consecutive puzzles
            with the same rules is yielded.

    >>> puzzles = [Puzzle((1, 2, 3, 4), 24), Puzzle((4, 3, 8, 4), 24)]
    >>> [puzzle.level for puzzle in solve_puzzles(puzzles)]
    [1, 1]
    """
    groups = groupby(puzzles, lambda puzzle: (puzzle.game, puzzle.in_order, puzzle.work))
    for _, group in groups:
        yield from _solve_group(list(group))


def _solve_group(puzzles: list[Puzzle]) -> Iterator[Puzzle]:
    """Yield a copy of each puzzle with its solutions and difficulty computed, in the given order.

    The puzzles have the same rules and work limit. The solutions are those of `best`, the value
    nearest to the target, if it has been computed already, and otherwise of the target. Puzzles
    that are solved already are yielded unchanged. All can be solved before the first is yielded.
    Raises RefusedError if the search for one of them exceeds its work limit.
    """
    unsolved = [puzzle for puzzle in puzzles if not puzzle.is_solved]
    queries = [(puzzle.query, _known_best(puzzle)) for puzzle in unsolved]
    solution_lists: Iterable[list[Solution]] = find_many(queries)
    difficulties: list[Difficulty | None] = []
    if any(puzzle._cache.difficulty is _NOT_COMPUTED for puzzle in unsolved):
        # Only puzzles with a solution are graded, so all are solved first.
        solution_lists = list(solution_lists)
        difficulties = grade_many(
            [query for query, solutions in zip(queries, solution_lists, strict=True) if solutions]
        )
    # The results of the unsolved puzzles, in order; difficulties only of those with a solution.
    next_solutions, next_difficulty = iter(solution_lists), iter(difficulties)
    for puzzle in puzzles:
        if puzzle.is_solved:
            yield puzzle
            continue
        is_exact = _known_best(puzzle) == puzzle.target
        solutions = next(next_solutions)
        name = "exact_solutions" if is_exact else "nearest_solutions"
        results: dict[str, Any] = {name: solutions}
        if difficulties and solutions:
            difficulty = next(next_difficulty)
            if difficulty is not None and not is_exact:
                difficulty = difficulty_of_nearest(difficulty)
            results["difficulty"] = difficulty
        yield puzzle.with_cached(**results)


def _known_best(puzzle: Puzzle) -> Exact:
    """Return the value nearest to the target that can be made, or the target.

    The target is returned if the nearest value has not been computed yet; no search starts here.
    """
    best = puzzle._cache.best
    return puzzle.target if best is None else best


def puzzle_rows(
    puzzles: Sequence[Puzzle],
    fields: Sequence[str] = PUZZLE_FIELDS,
    *,
    plain: bool = False,
    executor: "Executor | None" = None,
) -> Iterator[Row]:
    """Yield a dict for each puzzle, with values such as its id, level and answer, in order.

    The puzzles are solved together if a field needs solutions, which is faster than calling
    `Puzzle.row` for each of them. The errors of `solve_puzzles` and `Puzzle.row` are raised while
    iterating.

    Args:
        puzzles: The puzzles.
        fields: The keys of the dicts, in order: names from `FIELD_GETTERS`.
        plain: Whether the field "answer" prefers a solution without parentheses.
        executor: Solves chunks of 20 puzzles in parallel (default: no parallel work).

    >>> next(puzzle_rows([puzzle_of("cards:3.3.8.8=24")]))["answer"]
    '8 / (3 - 8 / 3)'
    """
    must_solve = needs_solutions(fields)
    if executor is None or not must_solve:
        for puzzle in solve_puzzles(puzzles) if must_solve else puzzles:
            yield puzzle.row(fields, plain=plain)
        return
    chunk_starts = range(0, len(puzzles), _PUZZLES_PER_CHUNK)
    chunks = [puzzles[start : start + _PUZZLES_PER_CHUNK] for start in chunk_starts]
    rows_of_chunk = partial(_rows_of_chunk, fields=fields, plain=plain)
    for rows in executor.map(rows_of_chunk, chunks):
        yield from rows


def _rows_of_chunk(puzzles: Sequence[Puzzle], fields: Sequence[str], plain: bool) -> list[Row]:
    """Return the rows of some puzzles, which `puzzle_rows` yields, as a list.

    A worker process calls this, since a list can be sent between processes and a generator cannot.
    """
    return list(puzzle_rows(puzzles, fields, plain=plain))


def needs_solutions(fields: Iterable[str]) -> bool:
    """Return whether any of the fields of a puzzle can only be computed from all its solutions.

    >>> needs_solutions(["id", "answer"]), needs_solutions(["id", "level"])
    (True, False)
    """
    return not _SOLUTION_DEPENDENT_FIELDS.isdisjoint(fields)


def estimate_work(puzzles: Sequence[Puzzle]) -> int:
    """Return a rough estimate of the time to solve puzzles, in an arbitrary unit.

    A hand of n numbers counts n^n; a puzzle that is solved already counts 0. Callers use the sum to
    decide whether starting worker processes saves time.

    >>> estimate_work([Puzzle((3, 3, 8, 8), 24), Puzzle((1, 2, 3), 7)])
    283
    """
    return sum(len(puzzle.hand) ** len(puzzle.hand) for puzzle in puzzles if not puzzle.is_solved)


def count_puzzle_chunks(puzzles: Sequence[Puzzle]) -> int:
    """Return the number of chunks in which `puzzle_rows` gives puzzles to an executor.

    A chunk has at most 20 puzzles: 41 puzzles are 3 chunks.
    """
    return ceil(len(puzzles) / _PUZZLES_PER_CHUNK)
