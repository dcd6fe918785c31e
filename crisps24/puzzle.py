"""The puzzle object: a hand, a target and a game, as a board is the object of a chess library.

`Puzzle` is an immutable value. Its properties, such as `solvable`, `best` and `difficulty`, are
computed at first use and cached: `Puzzle((3, 3, 8, 8), 24, "cards").level` grades the
hand once. `solve_puzzles` computes many puzzles together, which is faster, since their hands share
tables of sub-hands. `Puzzle.row` and `Puzzle.rows` return the rows that commands, files and pages
show.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from copy import copy
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.messages.message import message
from crisps24.notation.checking import Check, check_against_target, working_lines
from crisps24.notation.shapes import shape_of
from crisps24.notation.styles import style_by_name
from crisps24.notation.trees import Expression, Formula, numbers_of, parts_of, text_of
from crisps24.output.tables import Row
from crisps24.rules.deals import HandLike, to_hand
from crisps24.rules.exact import Exact, check_number, has_fractions, int_if_whole, to_exact, to_json
from crisps24.rules.games import FREE_GAME, GAMES, Game, Hand, find_game, without_target
from crisps24.rules.ids import changed_rule_texts, format_id, has_exact_id, is_id, parse_id
from crisps24.rules.machines import SOLUTIONS
from crisps24.rules.operators import MINUS
from crisps24.rules.queries import HandQuery, target_for
from crisps24.rules.work import DEFAULT_WORK, QUICK_WORK, check_work_limit
from crisps24.solving.effort import Difficulty, difficulty_of_nearest, grade, grade_many
from crisps24.solving.likeliest import hints
from crisps24.solving.ranking import LIKELIEST, Solution, canonical_solutions
from crisps24.solving.solver import find_first, find_many, find_solutions
from crisps24.solving.values import find_closest, find_plainest, find_reachable
from crisps24.solving.work import is_small

if TYPE_CHECKING:
    from crisps24.judging.judge import Judgement

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
    **dict.fromkeys(("hand", "nums", "numbers"), lambda puzzle: [*map(to_json, puzzle.hand)]),
    "target": lambda puzzle: to_json(puzzle.target),
    "best": lambda puzzle: to_json(puzzle.best),
    "bits": lambda puzzle: getattr(puzzle.has_answer and puzzle.difficulty, "bits", None),
    "level": lambda puzzle: puzzle.level,
    "solutions": lambda puzzle: puzzle.count,
    "answer": lambda puzzle: puzzle.answer(),
    "points": lambda puzzle: puzzle.most_points,
    **{
        name: attrgetter(name)
        for name in (
            *("solvable", "steps", "used", "needs_fractions", "needs_negatives"),
            *("shape", "tree", "depth", "shapes", "depths"),
        )
    },
}
# The answer to a puzzle without a solution.
NO_SOLUTION = "no solution"


@dataclass(frozen=True, repr=False, eq=False)
class Puzzle:
    """A hand, a target and a game; properties compute their values at first use.

    The arguments are those of `solve`; the game need not be able to deal the hand. Puzzles are
    equal if hand, target and the rules of the game are equal, not its default target;
    they can be pickled, with their computed results. Lists and dicts are cached, so do not change
    them.

    Raises RefusedError and KindError as `solve` does; what needs a search raises RefusedError only
    when it is used. With operators that are not rational functions, such as powers, only `solvable`
    can be computed, and `best` and the hints if the target can be made.

    >>> puzzle = Puzzle((3, 3, 8, 8), 24, GAMES["cards"])
    >>> puzzle.id, puzzle.level, puzzle.hint()
    ('cards:3.3.8.8=24', 5, '8 / 3 = 8/3')
    >>> puzzle.check("8 / (3 - 8 / 3)").verdict
    'right'
    """

    hand: Hand
    """The numbers in the order dealt."""
    target: Exact = None  # type: ignore[assignment]
    """By default that of the game."""
    game: Game = GAMES["crisps"]
    in_order: bool = field(default=False, kw_only=True)
    """Whether a formula must keep the order of the numbers."""
    work: int | None = field(default=DEFAULT_WORK, kw_only=True, compare=False)
    """Largest search to attempt, in pairs of values (None: no limit)."""
    style: str = field(default="", kw_only=True, compare=False)
    """The style in which expressions are printed, by default that of the game."""

    if TYPE_CHECKING:
        # What a caller can give is more than what the fields have.
        def __init__(
            self,
            hand: HandLike,
            target: Decimal | Exact | None = ...,
            game: Game | str = ...,
            *,
            in_order: bool = ...,
            work: int | None = ...,
            style: str = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        game, style = find_game(self.game, in_order=self.in_order), self.style
        if isinstance(self.hand, str) and is_id(self.hand):
            raise KindError(f"{quoted(self.hand)} is an id: write puzzle_of({quoted(self.hand)})")
        hand, target = to_hand(self.hand, game), target_for(game, self.target)
        check_work_limit(self.work)
        is_default = isinstance(style, str) and not style
        style = game.style if is_default else style_by_name(style).name
        vars(self).update(game=game, hand=hand, target=target, style=style, in_order=game.in_order)

    def _key(self) -> tuple[Any, ...]:
        return self.hand, self.target, without_target(self.game)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Puzzle) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        """Return Python code of the puzzle, shortened to its id if it has one."""
        if has_exact_id(self.game):
            return f"puzzle_of({self.id!r})"
        # An id cannot express this puzzle: write the arguments that differ from their defaults.
        shown = vars(self) | {"game": replace(self.game, in_order=False)}
        values = (
            (attribute.name, shown[attribute.name], attribute.default)
            for attribute in fields(self)
            if attribute.compare
        )
        arguments = (f"{name}={value!r}" for name, value, default in values if value != default)
        return f"Puzzle({', '.join(arguments)})"

    @cached_property
    def query(self) -> HandQuery:
        """The numbers, rules and work limit of the puzzle, in the form that the solver takes."""
        return HandQuery(self.hand, self.game, self.work)

    @property
    def is_small(self) -> bool:
        """Whether the hand has so few numbers that no search can exceed the work limit."""
        return is_small(len(self.hand), self.game)

    @property
    def id(self) -> str:
        """A short text with game, hand and target, from which `puzzle_of` makes the puzzle again.

        The text also has each rule that differs from the game of that name, which `GAMES` must
        have. Raises RefusedError for a puzzle with `in_order`.
        """
        if self.in_order:
            raise RefusedError("a puzzle that keeps the order of its numbers has no id")
        return format_id(self.game, self.hand, self.target)

    @cached_property
    def solvable(self) -> bool:
        """Whether a legal formula of the numbers makes the target."""
        # The cheapest tests come first.
        if self.target in self._found:
            return bool(self._found[self.target])
        if "best" in vars(self):
            return self.best == self.target
        if not SOLUTIONS.can_do(self.game):
            return self._plainest_form is not None
        # A target with a difficulty can be made, and this search is cheaper. Without one, a
        # solution can still exist: people avoid negative results, so these have no difficulty.
        return self._target_difficulty is not None or self.target in self.closest

    @cached_property
    def _plainest_form(self) -> Expression | None:
        """The simplest formula for the target, or None; with ^ solutions cannot be listed."""
        return find_plainest(self.query, None, [self.target]).get(self.target)

    @cached_property
    def best(self) -> Exact:
        """The target if it can be made, else the value nearest to it that can.

        Of two values at the same distance, it is the smaller one. Raises RefusedError if the hand
        makes no value.
        """
        if not (self.solvable or self.closest):
            raise RefusedError(message("rules.makes_nothing"))
        return self.target if self.solvable else min(self.closest)

    @property
    def accepted_values(self) -> tuple[Exact, ...]:
        """The values that solve the puzzle: only the target, in most games.

        If the target cannot be made and the game accepts the closest value, they are `best` and
        the value at the same distance on the other side of the target.

        >>> Puzzle((1, 1, 1, 1), 101, "countdown").accepted_values
        (4, 198)
        """
        if not self.game.accepts_closest:
            return (self.target,)
        opposite = int_if_whole(2 * self.target - self.best)
        return (self.target,) if self.best == self.target else (self.best, opposite)

    @cached_property
    def closest(self) -> dict[Exact, Expression]:
        """The one or two values nearest to the target, each with its likeliest formula.

        If the target can be made, it is the only value. The smaller value is first. The dict is
        empty if the hand makes no value.
        """
        return find_closest(self.query, self.target)

    @cached_property
    def difficulty(self) -> Difficulty | None:
        """How hard the target is for people: `difficulty.bits`, and `difficulty.level` from 1 to 5.

        If the target cannot be made, this is the difficulty of `best`, without a level. It is None
        if every solution has a negative result.
        """
        if self.solvable:
            return self._target_difficulty
        nearest = grade(self.query, self.best)
        return nearest and difficulty_of_nearest(nearest)

    @property
    def level(self) -> int | None:
        """How hard the puzzle is for people, from 1 (easy) to 5 (hard), or None.

        It is None if the target cannot be made, if every solution has a negative result, or if the
        game has no levels.
        """
        return None if self.difficulty is None else self.difficulty.level

    @cached_property
    def _target_difficulty(self) -> Difficulty | None:
        """The difficulty of the target; None if all formulas for it have a negative result."""
        return grade(self.query, self.target)

    @cached_property
    def _found(self) -> dict[Exact, list[Solution]]:
        """The solutions that have been computed, by their value: the target or `best`."""
        # Threads that come here at once get one dict.
        found: dict[Exact, list[Solution]] = vars(self).setdefault("_found", {})
        return found

    @property
    def _quick_work(self) -> int | None:
        """The work limit of a search that has to end within seconds."""
        return None if self.work is None else min(self.work, QUICK_WORK)

    @cached_property
    def _solvable_by_quick_search(self) -> bool:
        """Whether the target can be made; raises RefusedError for a search of many seconds."""
        if self.is_solved or (self.is_small and SOLUTIONS.can_do(self.game)):
            return bool(self.solutions())
        from crisps24.judging.judge import can_make

        return can_make(replace(self.query, work=self._quick_work), self.target)

    @cached_property
    def _right_values(self) -> tuple[Exact, ...]:
        """The values that solve the puzzle; raises RefusedError for a search of many seconds."""
        if self.is_solved or self.is_small:
            return self.accepted_values
        from crisps24.judging.judge import right_values

        return right_values(replace(self.query, work=self._quick_work), self.target)

    def solutions(self, *, nearest: bool = False, canonical: bool = False) -> list[Solution]:
        """Return all distinct solutions of the target, likeliest first; empty if there are none.

        With `nearest`, they are those of `best` if the target cannot be made. With `canonical`,
        only the first of each class of nearly equal ones, which differ only in multiplying or
        dividing by 1 and in adding or subtracting 0, with the sum of the shares of its class.

        >>> [str(solution.expression) for solution in Puzzle((4, 3, 8, 4), 24).solutions()]
        ['8 x 3 + 4 - 4', '4 x 3 + 8 + 4']
        >>> Puzzle((1, 1, 1, 1), 24).solutions()
        []
        >>> puzzle = Puzzle((1, 2, 3, 4), 24)
        >>> puzzle.count, [str(solution) for solution in puzzle.solutions(canonical=True)]
        (2, ['4 x 3 x 2 x 1'])
        """
        is_impossible = vars(self).get("solvable") is False or _known_best(self) != self.target
        value = self.best if nearest and not self.solvable else self.target
        if value not in self._found and not (is_impossible and value == self.target):
            self._found[value] = find_solutions(self.query, value)
        found = [] if is_impossible and value == self.target else self._found[value]
        if not canonical:
            return list(found)
        share_of_class: dict[int, float] = defaultdict(float)
        for solution in found:
            share_of_class[solution.equivalence_class] += solution.share
        return [
            replace(solution, share=share_of_class[solution.equivalence_class])
            for solution in canonical_solutions(found)
        ]

    def first_solutions(self, count: int) -> Self:
        """Return a copy of the puzzle that has only the first `count` solutions of the target.

        If a hand has thousands of solutions, this takes less time and memory. The property `count`
        of the copy is still the number of all solutions of the target, also if that is 0. Its
        property `order` names the order by which they were chosen.

        >>> puzzle = Puzzle((4, 3, 8, 4), 24).first_solutions(1)
        >>> len(puzzle.solutions()), puzzle.count
        (1, 2)
        """
        first = find_first(self.query, self.target, count)
        found = {self.target: list(first.details)}
        return self.with_cached(_found=found, count=first.total, order=first.order)

    @cached_property
    def count(self) -> int:
        """The number of distinct solutions of the target, or of the closest value if it counts."""
        return len(self.solutions(nearest=True)) if self.has_answer else 0

    @cached_property
    def has_answer(self) -> bool:
        """Whether a formula solves the puzzle, also one of the closest value if that counts.

        False if it was dealt for the answer that it has no solution.
        """
        return self.solvable or self.game.accepts_closest

    @cached_property
    def steps(self) -> int | None:
        """The number of steps of the shortest solution of the target; None without a solution."""
        operations = (parts_of(form).operations for form in self._plain_forms)
        counts = (sum(not step.operator.joins for step in steps) for steps in operations)
        return min(counts, default=None)

    @cached_property
    def used(self) -> int | None:
        """The fewest numbers that a solution of the target uses; None without a solution."""
        return min((len(numbers_of(form)) for form in self._plain_forms), default=None)

    @cached_property
    def _plain_forms(self) -> list[Expression]:
        """The solutions of the target, each by its plainest form instead of that of most points."""
        if not self.game.operator_points:
            return [solution.expression for solution in self.solutions()]
        query = replace(self.query, game=replace(self.game, points=None))
        return [solution.expression for solution in find_solutions(query, self.target)]

    @property
    def shape(self) -> str | None:
        """How the steps of `answer` branch: `balanced`, `left`, `right` or `mixed`.

        In `left`, the right operand of each step is a number, and in `right` the left one; in
        `balanced`, both have equally many numbers or differ by one. None without a solution.

        >>> puzzle = Puzzle((3, 9, 11, 13), 24, "cards")
        >>> puzzle.answer(), puzzle.shape, puzzle.tree, puzzle.depth
        ('(9 + 3) x (13 - 11)', 'balanced', '((..)(..))', 2)
        """
        return self._shapes[0]

    @property
    def tree(self) -> str | None:
        """The tree of the likeliest solution: a dot for each number, brackets for each step."""
        return self._shapes[1]

    @property
    def depth(self) -> int | None:
        """The most steps of the likeliest solution of which each needs the one before."""
        return self._shapes[2]

    @property
    def shapes(self) -> list[str]:
        """The shapes of all solutions, each as it is written, in alphabetical order."""
        return self._shapes[3]

    @property
    def depths(self) -> list[int]:
        """The depths of all solutions, ascending."""
        return self._shapes[4]

    @cached_property
    def _shapes(self) -> tuple[str | None, str | None, int | None, list[str], list[int]]:
        solutions = self.solutions(nearest=True) if self.has_answer else []
        shapes = [shape_of(solution.expression) for solution in solutions]
        names, depths = {each.name for each in shapes}, {each.depth for each in shapes}
        return *(shapes[0] if shapes else (None,) * 3), sorted(names), sorted(depths)

    @cached_property
    def needs_fractions(self) -> bool | None:
        """Whether all formulas for the target have a number or result that is not whole.

        None without a solution.
        """
        return self._needs("fractions", has_fractions(self.hand))

    @cached_property
    def needs_negatives(self) -> bool | None:
        """Whether all formulas for the target have a number or result below zero.

        None without a solution.
        """
        return self._needs("negatives", min(*self.hand, self.target) < 0)

    def _needs(self, rule: str, is_evident: bool) -> bool | None:
        if not self.solvable:
            return None
        if is_evident or not getattr(self.game, rule):
            return is_evident
        # The game can have numbers that the rule forbids.
        numbers = tuple(sorted({*self.hand}))
        changes: dict[str, Any] = {rule: False, "numbers": numbers, "large": (), "dice": ()}
        game = replace(self.game, **changes)
        return not find_reachable(replace(self.query, game=game), [self.target])

    @cached_property
    def order(self) -> str:
        """The order of the solutions, in English words: "likeliest first" in most cases.

        After `first_solutions` of a large hand it can be "by share alone", or "in plain order" if
        computing the shares takes too much work.
        """
        return LIKELIEST

    @cached_property
    def most_points(self) -> int | None:
        """The most points of an answer; None if the game has none, or the hand makes no answer.

        >>> Puzzle((2, 5, 7, 9, 13), 24, "mathador").most_points
        13
        """
        points = self.game.scoring
        if points is None or not self.has_answer:
            return None
        if not points.by_operator:
            return points.of(abs(Fraction(self.best) - self.target))
        return self.solutions(nearest=True)[0].points

    @property
    def is_solved(self) -> bool:
        """Whether solutions have been computed, of the target or of the nearest value."""
        return bool(self._found)

    def hints(self, style: str | None = None) -> list[str]:
        """Return the steps of the likeliest solution, in the order that is easiest for people.

        In games with operators such as ^ they are the steps of the simplest solution. If the target
        cannot be made, they lead to `best`. If the solution is a number of the hand, the only text
        is that number.

        >>> Puzzle((3, 3, 8, 8), 24, "cards").hints()
        ['8 / 3 = 8/3', '3 - (8/3) = 1/3', '8 / (1/3) = 24']
        """
        style = style or self.style
        plainest = None if SOLUTIONS.can_do(self.game) else self._plainest_form
        if plainest is not None:
            return working_lines(plainest, self.game, style=style) or [text_of(plainest, style)]
        likeliest = self.solutions(nearest=True)[0].expression
        return hints(likeliest, self.game, style=style)

    def hint(self) -> str:
        """Return the first step of the likeliest solution: the first text of `hints`."""
        return self.hints()[0]

    def check(
        self, text: str | Formula | Expression, *, strict: bool = False, style: str | None = None
    ) -> Check:
        """Check a formula for the puzzle, and return the verdict with its reason.

        A formula is "right" if it is legal and makes the target, or, in games that accept it, the
        closest value of a target that cannot be made. That value is only searched within the work
        limit of the puzzle. The text can also have words, as for `judge`, if it is right then. The
        arguments are those of the function `check`.

        >>> Puzzle((1, 1, 1, 1), 101, GAMES["countdown"]).check("(1 + 1) x (1 + 1)").reason
        'as near to 101 as possible'
        """

        def check_for(target: Exact) -> Check:
            return check_against_target(
                text, self.hand, target, self.game, strict=strict, style=style
            )

        result = check_for(self.target)
        if result.verdict == "malformed" and isinstance(text, str) and style is None:
            # A formula among words, or steps in another order.
            judged = self.judge(text)
            if judged and judged.formula:
                text, remark = judged.formula, judged.message
                result = check_for(self.target)
                result = replace(result, message=remark) if result.right else result
        if result.verdict != "wrong" or result.value is None or not self.game.accepts_closest:
            return result
        # A formula with another value can still be right, if this value is the closest one.
        try:
            accepted_values = self.accepted_values
        except RefusedError:
            # A formula for more numbers than can be solved can still be checked.
            return result
        if result.value not in accepted_values:
            return result
        nearest = check_for(result.value)
        is_nearest = message("answer.nearest", target=self.target)
        return replace(nearest, message=is_nearest) if nearest.right else nearest

    def judge(
        self, text: object, *, partial: float = 0.0, strict_equals: bool = False
    ) -> "Judgement":
        r"""Judge an answer in free text, as people and language models write it.

        An answer is extracted from the text without knowledge of the puzzle, or the text is read as
        statements that prove a formula; no text raises an error. If only a part can be read, the
        verdict is "unread", with the part that is right by itself as `formula`. A formula is right
        if it makes the target. If the target cannot be made, the statement that it is impossible is
        right, and in games that accept the closest value, a formula for that value. What cannot be
        proven within seconds, or without limit if the `work` of the puzzle is None, is "wrong": the
        statement with the code "undecided", the formula with the code "value".

        Args:
            text: A str, UTF-8 bytes, or the messages of a chat, of which the last one of the
                assistant is judged. Other objects have the verdict "none" and the code "not-text".
            partial: The highest score of a legal formula with the right numbers and a wrong value,
                from 0 to 1, which falls with the distance to the target.
            strict_equals: Whether `8 - 4 = 4 x 3 = 12`, where = means "then", is wrong.

        >>> judgement = puzzle_of("cards:3.3.8.8=24").judge(r"\boxed{\frac{8}{3 - \frac{8}{3}}}")
        >>> judgement.verdict, judgement.code, judgement.score, judgement.answer
        ('right', 'ok', 1.0, '\\frac{8}{3 - \\frac{8}{3}}')
        """
        from crisps24.judging.judge import JudgingContext, judge_text

        check_number(partial, least=0)
        context = JudgingContext(
            hand=self.hand,
            target=self.target,
            game=self.game,
            # Searches, which start only if the answer needs them.
            solvable=lambda: self._solvable_by_quick_search,
            right_values=lambda: self._right_values,
            most_points=lambda: self.most_points or 0,
            strict_equals=strict_equals,
        )
        return judge_text(text, context, partial)

    def answer(self, *, plain: bool = False) -> str:
        """Return the likeliest solution as text, in the style of the puzzle.

        If the target cannot be made, it is a solution of `best` in a game that accepts the closest
        value, else "no solution". With `plain`, the likeliest solution without parentheses is
        preferred.

        >>> puzzle_of("cards:3.3.8.8=24").answer()
        '8 / (3 - 8 / 3)'
        """
        if not self.has_answer:
            return NO_SOLUTION
        solutions = self.solutions(nearest=True)
        likeliest = text_of(solutions[0].expression, self.style)
        if not plain:
            return likeliest
        texts = (text_of(solution.expression, self.style) for solution in solutions)
        return next((text for text in texts if "(" not in text), likeliest)

    def row(self, fields: Sequence[str] = PUZZLE_FIELDS, *, plain: bool = False) -> Row:
        """Return a dict with values of the puzzle, such as its id, level and answer.

        The dict can be written as JSON: fractions are texts. The `fields` are names from
        `FIELD_GETTERS`, or KeyError is raised. `plain` is that of `answer`.
        """
        row = {name: FIELD_GETTERS[name](self) for name in fields}
        if plain and "answer" in row:
            row["answer"] = self.answer(plain=True)
        return row

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

        The keys of a dict are the `SOLUTION_FIELDS`, and `points` if operators give some. If the
        target cannot be made, the only dict has None for the solution, its value, share and
        difficulty, and 0 for the number of solutions.

        Args:
            all_solutions: Whether to return a row for every solution, likeliest first.
            canonical: Whether nearly equal solutions count as one; see `solutions`.
            closest: Whether to return a row for each of the closest values if the target cannot be
                made. The list is then empty if the hand makes no value.
            steps: Whether rows with a solution also have its `steps`, a list of texts.
            style: The style of expressions (default: that of the puzzle).
        """
        style, solutions = style or self.style, self.solutions(canonical=canonical)
        # The property `count` also counts the solutions that `first_solutions` does not store.
        total = self.count if solutions and not canonical else len(solutions)
        # The expression, the value, the share and the points of each row.
        results: list[tuple[Expression | None, Exact | None, float | None, int | None]] = [
            (solution.expression, solution.value, round(solution.share, 6), solution.points)
            for solution in (solutions if all_solutions else solutions[:1])
        ]
        if not solutions:
            nearest = [*self.closest.items()] if closest else [(None, None)]
            results = [(expression, value, None, None) for value, expression in nearest]
        # The difficulty of another value than the target is left out.
        difficulty = self.difficulty if solutions else None
        rows = []
        for expression, value, share, points in results:
            row: Row = {
                "numbers": [*map(to_json, self.hand)],
                "target": to_json(self.target),
                "expression": None if expression is None else text_of(expression, style),
                "value": to_json(value),
                "exact": value == self.target,
                "share": share,
                **({"points": points} if self.game.operator_points else {}),
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

        The names are those of properties, or TypeError is raised: `query`, `solvable`, `best`,
        `closest`, `difficulty`, `count` and `order`.
        """
        for name in results:
            if not isinstance(getattr(Puzzle, name, None), cached_property):
                raise TypeError(f"a puzzle has no results {name}")
        return self._with(**results)

    def with_style(self, style: str) -> Self:
        """Return a copy of the puzzle that prints its formulas in another style, such as "dot".

        Like `with_work`, it does not check its argument, and keeps computed results.
        """
        return self._with(style=style)

    def with_work(self, work: int | None) -> Self:
        """Return a copy of the puzzle with another limit on its searches."""
        return self._with({"query"}, work=work)

    def without_solutions(self) -> Self:
        """Return a copy of the puzzle without its computed solutions, which saves memory."""
        return self._with({"closest", "count", "order"}, _found={})

    def _with(self, forgotten: Set[str] = frozenset(), **attributes: Any) -> Self:
        """Return a copy with other values of attributes, unchecked, and without some results."""
        puzzle = copy(self)
        for name in forgotten:
            vars(puzzle).pop(name, None)
        vars(puzzle).update({"_found": self._found.copy()} | attributes)
        return puzzle

    def _repr_svg_(self) -> str:
        """Return the SVG picture of the puzzle, which Jupyter notebooks show."""
        from crisps24.drawing.cards import card_of
        from crisps24.drawing.drawings import svg_of

        return svg_of(card_of(self.hand, self.target, self.level))


def check(
    text: str | Formula | Expression,
    hand: "Puzzle | str | HandLike | None" = None,
    target: Exact | None = None,
    game: Game | str | None = None,
    *,
    strict: bool = False,
    style: str | None = None,
    work: int | None = DEFAULT_WORK,
) -> Check:
    """Check a formula, or a working of several steps, and return the verdict with its reason.

    A formula is "right" if it is legal and makes `target`, or the target that it states itself, as
    in "4 + 3 = 7". Without any target a legal formula is "legal". Every `text` has a verdict. Other
    arguments, and the errors for them, are those of `solve`.

    Args:
        text: A formula such as "4 + 3 x 8 - 4 = 24", or a working such as "2 x 3 = 6, 6 x 4 = 24".
        hand: The numbers to use, each once if the game uses all numbers (default: any numbers of
            the game). Numbers that the game does not deal are allowed. Also a puzzle or its id,
            without target and game.
        target: Default with a hand: the target of the formula, or of the game.
        game: Default: crisps.
        strict: Whether the game has to be able to deal the hand, or the numbers of the formula.
        style: The style of the text and of the reason (default: that of the game).
        work: The limit of the search for the closest value; see `Puzzle.check`. A puzzle has its
            own.

    >>> check("4 + 3 x 8 - 4", (4, 3, 8, 4)).verdict
    'right'
    >>> check("4 + 3 + 8 + 4", (4, 3, 8, 4)).reason
    'it makes 19, not 24'
    >>> check("8 / (3 - 8 / 3)", "cards:3.3.8.8=24").verdict
    'right'
    """
    if isinstance(hand, Puzzle) or (isinstance(hand, str) and is_id(hand)):
        puzzle = puzzle_of(hand, target, game)
        puzzle = puzzle if puzzle is hand else puzzle.with_work(work)
        return puzzle.check(text, strict=strict, style=style)
    if isinstance(hand, Exact) and target is None:
        raise KindError(f"invalid hand {quoted(hand)} (for a target, write target=24)")
    game = find_game("crisps" if game is None else game)
    numbers = None if hand is None else to_hand(hand, game)
    target = None if target is None else to_exact(target)
    if numbers is None or target is None:
        result = check_against_target(text, numbers, target, game, strict=strict, style=style)
        if numbers is None or game.target is None or result.verdict != "malformed":
            return result
        target = game.target
    return Puzzle(numbers, target, game, work=work).check(text, strict=strict, style=style)


def puzzle_of(
    puzzle: Puzzle | str | HandLike, target: Exact | None = None, game: Game | str | None = None
) -> Puzzle:
    """Return the puzzle of an id, or of a hand and a target; a puzzle is returned unchanged.

    The id is a text such as "cards:3.3.8.8=24", which has the target and the game. A hand, target
    and game are those of `solve`; a text is a hand if it starts with a number, such as 3, -2, .75
    or ½. Raises RefusedError for an id or a puzzle with a target or a game.

    >>> puzzle_of("cards:3.3.8.8=24") == puzzle_of((3, 3, 8, 8), game="cards")
    True
    """
    if isinstance(puzzle, Puzzle):
        known = puzzle
    elif isinstance(puzzle, str) and (is_id(puzzle) or not _starts_with_number(puzzle)):
        id_game, hand, id_target = parse_id(puzzle)
        query = HandQuery(hand, id_game)
        known = Puzzle(hand, id_target, id_game).with_cached(query=query)
    else:
        query = HandQuery.from_arguments(puzzle, "crisps" if game is None else game)
        given = target_for(query.game, target)
        return Puzzle(query.hand, given, query.game).with_cached(query=query)
    if target is not None or game is not None:
        raise RefusedError(message("refused.id_complete", text=quoted(puzzle)))
    return known


def _starts_with_number(text: str) -> bool:
    return text[:1].isnumeric() or (text[:1] != "" and text[0] in (*MINUS.spellings, "."))


def judge(
    text: object,
    puzzle: Puzzle | str | HandLike,
    target: Exact | None = None,
    game: Game | str | None = None,
    *,
    partial: float = 0.0,
    strict_equals: bool = False,
) -> "Judgement":
    """Judge an answer in free text to a puzzle, such as the reply of a language model.

    The formula or the number is found in the text, checked, and scored. No text raises an error.
    `Puzzle.judge` describes when an answer is right, and the arguments. The puzzle can also be
    an id, or a hand with a target and maybe a game (default with a target: any numbers and results
    are allowed). A text without target that is not an id is a hand of crisps.

    Raises RefusedError for an invalid puzzle or a puzzle with another target, and KindError for a
    list or tuple without a target, or for another type.

    >>> judge("<answer>8 x 3 = 24</answer>", "cards:3.3.8.8=24").code
    'numbers-missing'
    >>> judge("8 / (3 - 8 / 3)", (3, 3, 8, 8), 24).verdict
    'right'
    """
    if not isinstance(puzzle, Puzzle | str) and target is None and game is None:
        example = "a Puzzle, an id such as 'cards:3.3.8.8=24', or a hand with a target"
        raise KindError(f"invalid puzzle {quoted(puzzle)} (expected {example})")
    is_free = target is not None and game is None and not isinstance(puzzle, Puzzle)
    puzzle = puzzle_of(puzzle, target, FREE_GAME if is_free else game)
    return puzzle.judge(text, partial=partial, strict_equals=strict_equals)


def solve_puzzles(puzzles: Sequence[Puzzle]) -> Iterator[Puzzle]:
    """Yield a copy of each puzzle with its solutions and difficulty computed, in the given order.

    Consecutive puzzles with the same rules and work limit share their searches, and can all be
    solved before the first is yielded. Puzzles that are solved already are yielded unchanged. For a
    target that cannot be made, only an empty list of solutions is computed; but if `best` has been
    computed already, the solutions and the difficulty of that value are.
    """
    for _, group in groupby(puzzles, lambda puzzle: (puzzle.game, puzzle.work)):
        same_rules = list(group)
        unsolved = [puzzle for puzzle in same_rules if not puzzle.is_solved]
        queries = [(puzzle.query, _known_best(puzzle)) for puzzle in unsolved]
        # The results of unsolved puzzles, in order; difficulties only of those with a solution.
        found, difficulties = find_many(queries), iter(list[Difficulty | None]())
        is_graded = any("difficulty" not in vars(puzzle) for puzzle in unsolved)
        if is_graded:
            # Only puzzles with a solution are graded, so all are solved first.
            pairs = [*zip(queries, found, strict=True)]
            found = (solutions for _, solutions in pairs)
            difficulties = iter(grade_many([query for query, solutions in pairs if solutions]))
        for puzzle in same_rules:
            if puzzle.is_solved:
                yield puzzle
                continue
            best, solutions = _known_best(puzzle), next(found)
            results: dict[str, Any] = {"_found": {best: solutions}}
            if is_graded and solutions:
                difficulty = next(difficulties)
                if difficulty is not None and best != puzzle.target:
                    difficulty = difficulty_of_nearest(difficulty)
                results["difficulty"] = difficulty
            yield puzzle.with_cached(**results)


def _known_best(puzzle: Puzzle) -> Exact:
    best: Exact = vars(puzzle).get("best", puzzle.target)
    return best
