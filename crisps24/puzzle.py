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
from crisps24.rules.games import FREE_GAME, GAMES, Game, Hand, changed_fields, find_game
from crisps24.rules.ids import changed_rule_texts, format_id, is_id, parse_id
from crisps24.rules.queries import HandQuery, target_for
from crisps24.rules.rules import RULES
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
        """Return a copy without solutions and their derived values."""
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
        changes = changed_fields(self.game)
        if changes is not None and changes.keys() <= RULES.keys() and not self.in_order:
            return f"puzzle_of({self.id!r})"
        values = (
            (attribute.name, getattr(self, attribute.name), attribute.default)
            for attribute in fields(self)
            if attribute.compare
        )
        arguments = (f"{name}={value!r}" for name, value, default in values if value != default)
        return f"Puzzle({', '.join(arguments)})"

    @property
    def query(self) -> HandQuery:
        """The hand with the rules and limits of its search.

        Raises RefusedError if the game cannot have the hand; see `HandQuery`.
        """
        if self._cache.query is None:
            self._cache.query = HandQuery(self.hand, self.game, self.in_order, self.work)
        return self._cache.query

    @property
    def is_small(self) -> bool:
        """Whether the hand is small enough never to exceed the limit on work."""
        return is_small(len(self.hand), self.game, self.in_order)

    @property
    def id(self) -> str:
        """The text from which `puzzle_of` makes the puzzle again, with the rules that are changed.

        If `GAMES` has no game of that name, `puzzle_of` refuses the text. Raises RefusedError if
        the numbers keep their order.
        """
        if self.in_order:
            raise RefusedError("a puzzle that keeps the order of its numbers has no id")
        return format_id(self.game, self.hand, self.target)

    @property
    def solvable(self) -> bool:
        """Whether the target can be made."""
        if self._cache.solvable is None:
            self._cache.solvable = self._is_solvable()
        return self._cache.solvable

    def _is_solvable(self) -> bool:
        """Return `solvable` from cached results, or by the cheapest search; errors as `Puzzle`."""
        if self._cache.exact_solutions is not None:
            return bool(self._cache.exact_solutions)
        if self._cache.best is not None:
            return self._cache.best == self.target
        if not is_rational(self.game):
            return self._plainest_form is not None
        return self._target_difficulty is not None or self.target in self.closest

    @cached_property
    def _plainest_form(self) -> Expression | None:
        """The plainest form of the target, for games whose operators are not all rational."""
        return find_plainest(self.query, None, [self.target]).get(self.target)

    @property
    def best(self) -> Exact:
        """The target, or the reachable value nearest to it; the smaller of two.

        Raises RefusedError if the hand makes no value.
        """
        if self._cache.best is None:
            if not (self.solvable or self.closest):
                raise RefusedError(message("rules.makes_nothing"))
            self._cache.best = self.target if self.solvable else min(self.closest)
        return self._cache.best

    @property
    def accepted_values(self) -> tuple[Exact, ...]:
        """The values that solve the puzzle: only the target, in most games.

        If the target cannot be made and the game accepts the closest value, they are `best` and the
        value as far on the other side of the target, which the hand perhaps cannot make.
        """
        if not self.game.accepts_closest:
            return (self.target,)
        return tuple(dict.fromkeys((self.best, int_if_whole(2 * self.target - self.best))))

    @property
    def closest(self) -> dict[Exact, Expression]:
        """The one or two values nearest to the target, each with its likeliest solution.

        Only the target if it can be made; the smaller of two first; empty if the hand makes no
        value.
        """
        if self._cache.closest is None:
            self._cache.closest = find_closest(self.query, self.target)
        return self._cache.closest

    @property
    def difficulty(self) -> Difficulty | None:
        """How hard `best` is to make; it has no level if it is not the target.

        None if every solution has a negative result.
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
        """From 1 (easy) to 5; None for no level.

        That is if the target cannot be made, if every solution has a negative result, or if the
        game has no levels.
        """
        return None if self.difficulty is None else self.difficulty.level

    @cached_property
    def _target_difficulty(self) -> Difficulty | None:
        return grade(self.query, self.target)

    @property
    def exact_solutions(self) -> list[Solution]:
        """The solutions of the target itself, likeliest first; empty if it cannot be made.

        The list is cached: do not change it. See `Puzzle` for the errors of the search.
        """
        cache = self._cache
        if cache.exact_solutions is None:
            unsolvable = cache.solvable is False or cache.best not in (None, self.target)
            cache.exact_solutions = [] if unsolvable else find_solutions(self.query, self.target)
        return cache.exact_solutions

    @property
    def _nearest_solutions(self) -> list[Solution]:
        if self._cache.nearest_solutions is None:
            self._cache.nearest_solutions = find_solutions(self.query, self.best)
        return self._cache.nearest_solutions

    @property
    def _quick_work(self) -> int | None:
        """The limit on a search that has to end within seconds."""
        return None if self.work is None else min(self.work, QUICK_WORK)

    @cached_property
    def _is_made_quickly(self) -> bool:
        """Whether the target can be made; RefusedError if the search takes too long."""
        if self.is_solved or self.is_small:
            return bool(self.exact_solutions)
        return can_make(replace(self.query, work=self._quick_work), self.target)

    @cached_property
    def _right_values(self) -> tuple[Exact, ...]:
        """The values of right answers; RefusedError if the search takes too long."""
        if self.is_solved or self.is_small:
            return self.accepted_values
        return right_values(replace(self.query, work=self._quick_work), self.target)

    def solutions(self) -> list[Solution]:
        """Return all distinct solutions, likeliest first; without any, those of `best`.

        The list is new and not empty. Raises RefusedError if the hand makes no value, and as
        `Puzzle` describes.
        """
        return list(self.exact_solutions if self.solvable else self._nearest_solutions)

    def first_solutions(self, count: int) -> Self:
        """Return a puzzle with only the first solutions of the target, for hands with thousands.

        The property `count` of the new puzzle is still the number of all solutions of the target,
        also if that is 0; `order` has the criterion by which the first ones were chosen. Raises
        RefusedError as `solver.solve`.

        Args:
            count: How many solutions, at least 1; RefusedError if less.
        """
        first = find_first(self.query, self.target, count)
        return self.with_cached(
            exact_solutions=list(first.details), count=first.total, order=first.order
        )

    @property
    def count(self) -> int:
        """The number of all solutions; if the target cannot be made, of `best`."""
        if self._cache.count is None:
            self._cache.count = len(self.solutions())
        return self._cache.count

    @property
    def order(self) -> str:
        """The order of the solutions, in words; see `forms.Solutions`."""
        return self._cache.order

    @property
    def is_solved(self) -> bool:
        """Whether the solutions have been computed."""
        cache = self._cache
        return cache.exact_solutions is not None or cache.nearest_solutions is not None

    def canonical_solutions(self) -> list[Solution]:
        """Return the first solution of each equivalence class, with the share of its class.

        They keep the order of `solutions`, and its errors. If the target cannot be made, they are
        solutions of `best`. Solutions of one class differ only in multiplying or dividing by 1 and
        adding or subtracting 0; see `Solution`.
        """
        solutions, shares = self.solutions(), dict[int, float]()
        for solution in solutions:
            share = shares.get(solution.equivalence_class, 0)
            shares[solution.equivalence_class] = share + solution.share
        return [
            replace(solution, share=shares[solution.equivalence_class])
            for solution in canonical_solutions(solutions)
        ]

    def hints(self, style: str | None = None) -> list[str]:
        """Return the steps of the likeliest solution, such as `13 - 7 = 6`, in a style.

        The steps are the operations of its formula, in the order that is easiest for people. In
        games with operators that are not rational, such as ^, they are those of the plainest form.
        If the target cannot be made, they lead to `best`. If the solution is a number of the hand,
        the only text is that number. Raises RefusedError for an unknown style, and as `Puzzle`.

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
        """Return the first step of the likeliest solution; errors as `hints`."""
        return self.hints()[0]

    def check(
        self, text: str | Formula | Expression, *, strict: bool = False, style: str | None = None
    ) -> Check:
        """Check a formula against the puzzle; see `check`.

        If the target cannot be made, no formula is right. In games that accept the closest value,
        a formula for that value is right, with a reason; it is "wrong" if the search for the
        closest value exceeds the limits. A malformed formula has a verdict too: only an unknown
        style raises RefusedError.

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
        try:
            accepted = self.accepted_values
        except RefusedError:
            # A formula for more numbers than can be solved can still be checked.
            return result
        for value in accepted:
            nearest_result = check_for(value)
            if nearest_result.verdict == "right":
                return replace(
                    nearest_result, message=message("answer.nearest", target=self.target)
                )
        return result

    def judge(self, text: object, *, partial: float = 0.0) -> Judgement:
        r"""Judge an answer in free text, as people and models write it; never raise for a text.

        The answer is extracted from the text without knowledge of the puzzle. If the target cannot
        be made, a statement of that is right; in games that accept the closest value, a formula for
        that value is right too. To prove that a target cannot be made can take too long with more
        than six numbers, unless the `work` of the puzzle is None. A statement without a proof has
        the verdict "wrong" and the code "undecided", a formula for the closest value the verdict
        "wrong" and the code "value".

        Args:
            text: A str, UTF-8 bytes, or the messages of a chat; the last message of the
                assistant is judged. Other objects have the verdict "none" and the code "not-text".
            partial: The highest score of a legal formula with the right numbers and a wrong value,
                from 0 to 1, which is not checked; the score falls with the distance to the target.
                It invites models to aim for near values.

        >>> judgement = puzzle_of("cards:3.3.8.8=24").judge(r"\boxed{\frac{8}{3 - \frac{8}{3}}}")
        >>> judgement.verdict, judgement.code, judgement.score, judgement.answer
        ('right', 'ok', 1.0, '\\frac{8}{3 - \\frac{8}{3}}')
        """
        context = JudgingContext(
            *(self.hand, self.target, self.game, lambda: self._is_made_quickly, self._quick_work),
            right_values=lambda: self._right_values,
        )
        return judge_text(text, context, partial)

    def answer(self, *, plain: bool = False) -> str:
        """Return the likeliest solution as text; of `best` if the target cannot be made.

        With `plain`, return the first one without parentheses, if any.

        >>> puzzle_of("cards:3.3.8.8=24").answer()
        '8 / (3 - 8 / 3)'
        """
        solutions = self.solutions()
        texts = (text_of(solution.expression, self.style) for solution in solutions)
        likeliest = text_of(solutions[0].expression, self.style)
        return next((text for text in texts if "(" not in text), likeliest) if plain else likeliest

    def row(self, fields: Sequence[str] = PUZZLE_FIELDS, *, plain: bool = False) -> Row:
        """Return a dict of fields of the puzzle, in the order of `fields`.

        The names of fields are the keys of `FIELD_GETTERS`; another name raises KeyError. `plain`
        is as in `answer`. Raises RefusedError if a search for a field does; see `Puzzle`.
        """
        return {
            name: self.answer(plain=True)
            if plain and name == "answer"
            else FIELD_GETTERS[name](self)
            for name in fields
        }

    def rows(
        self,
        *,
        all_solutions: bool = False,
        canonical: bool = False,
        closest: bool = False,
        steps: bool = False,
        style: str | None = None,
    ) -> list[Row]:
        """Return a row for the likeliest solution, or for every solution, likeliest first.

        A row is a dict of the `SOLUTION_FIELDS`. If the target cannot be made, the only row has
        None for the solution, its value, share and difficulty, and 0 solutions.

        Args:
            all_solutions: Whether to return a row for every solution.
            canonical: Whether solutions of one equivalence class count as one. Alone it changes the
                number of solutions and the share; with `all_solutions` also the rows.
            closest: If the target cannot be made, return a row for each of the closest values; none
                if the hand makes no value.
            steps: Whether rows with a solution have its `steps` too, a list of texts.
            style: The style of expressions (default: that of the puzzle).

        Raises:
            RefusedError: As `Puzzle` describes, and for an unknown style.

        >>> [row["expression"] for row in Puzzle((4, 3, 8, 4), 24).rows(all_solutions=True)]
        ['8 x 3 + 4 - 4', '4 x 3 + 8 + 4']
        """
        style = style or self.style
        solutions = self.exact_solutions
        if solutions and canonical:
            solutions = self.canonical_solutions()
        total = self.count if solutions and not canonical else len(solutions)
        shown: Sequence[tuple[Expression | None, Exact | None, float | None]]
        if solutions:
            shown = [
                (solution.expression, solution.value, round(solution.share, 6))
                for solution in (solutions if all_solutions else solutions[:1])
            ]
        elif closest:
            shown = [(expression, value, None) for value, expression in self.closest.items()]
        else:
            shown = [(None, None, None)]
        difficulty = self.difficulty if solutions else None
        return [
            {
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
            | (
                {"steps": working_lines(expression, self.game, style=style)}
                if steps and expression is not None
                else {}
            )
            for expression, value, share in shown
        ]

    def with_cached(self, **results: Any) -> Self:
        """Return the puzzle with results computed elsewhere, such as `best` and `difficulty`.

        The names are `query`, `solvable`, `best`, `closest`, `difficulty`, `exact_solutions`,
        `nearest_solutions`, `count` and `order`; another name raises TypeError. The results are
        not checked.
        """
        return self._with(_cache=replace(self._cache, **results))

    def with_style(self, style: str) -> Self:
        """Return the puzzle with another style of expressions, which is not checked here.

        It keeps computed results.
        """
        return self._with(style=style)

    def with_work(self, work: int | None) -> Self:
        """Return the puzzle with another limit on searches, which is not checked here.

        It keeps computed results.
        """
        # The query contains the limit.
        return self._with(work=work, _cache=replace(self._cache, query=None))

    def without_solutions(self) -> Self:
        """Return the puzzle without its computed solutions, to save memory."""
        return self._with(_cache=self._cache.without_solutions())

    def _with(self, **attributes: Any) -> Self:
        """Return a copy with other attributes, which are not validated."""
        puzzle = copy(self)
        vars(puzzle).update(attributes)
        return puzzle

    def _repr_svg_(self) -> str:
        """Return the picture that a notebook shows."""
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

    A formula is "right" if it is legal and makes `target`, or the target that it states itself.
    Without any target a legal formula is "legal". If the target cannot be made from a card, no
    formula is right. But in games that accept the closest value, if both `target` and `card` are
    given, a formula for that value is right. Every `text` has a verdict, never an error.

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
            is a hand if it starts with a digit and is not an id.
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
    if isinstance(puzzle, str) and (is_id(puzzle) or not puzzle[:1].isdigit()):
        id_game, hand, known_target = parse_id(puzzle)
        if target is not None or game is not None:
            raise RefusedError(message("refused.id_complete", text=quoted(puzzle)))
        query = HandQuery(hand, id_game)
    else:
        query = HandQuery.from_arguments(puzzle, "crisps" if game is None else game)
        known_target = target_for(query.game, target)
    return Puzzle(query.hand, known_target, query.game).with_cached(query=query)


def judge(
    text: object,
    puzzle: Puzzle | str | HandLike,
    target: Exact | None = None,
    game: Game | str = FREE_GAME,
    *,
    partial: float = 0.0,
) -> Judgement:
    """Judge an answer in free text to a puzzle; never raise for a text. See `Puzzle.judge`.

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
    """Yield copies of puzzles with solutions and difficulty computed, in the given order.

    Consecutive puzzles with the same rules share their work, and can all be solved before the first
    is yielded. Puzzles that are solved already are yielded unchanged. For a target that
    cannot be made, only an empty list of solutions is computed; but if `best` is known already, the
    solutions and the difficulty of that value are.

    Raises:
        RefusedError: As `solver.solve_many`, while iterating; it can be raised before the first of
            the consecutive puzzles with the same rules is yielded.

    >>> [each.level for each in solve_puzzles([Puzzle((1, 2, 3, 4), 24), Puzzle((4, 3, 8, 4), 24)])]
    [1, 1]
    """
    groups = groupby(puzzles, lambda puzzle: (puzzle.game, puzzle.in_order, puzzle.work))
    for _, group in groups:
        yield from _solve_group(list(group))


def _solve_group(puzzles: list[Puzzle]) -> Iterator[Puzzle]:
    """Yield puzzles of one game with their solutions, of `best` if that is known, else the target.

    All can be solved before the first is yielded; RefusedError if one of them is refused.
    """
    unsolved = [puzzle for puzzle in puzzles if not puzzle.is_solved]
    queries = [(puzzle.query, _known_best(puzzle)) for puzzle in unsolved]
    solved: Iterable[list[Solution]] = find_many(queries)
    graded: list[Difficulty | None] = []
    if any(puzzle._cache.difficulty is _NOT_COMPUTED for puzzle in unsolved):
        # Only puzzles with a solution are graded, so all are solved first.
        solved = list(solved)
        graded = grade_many(
            [query for query, solutions in zip(queries, solved, strict=True) if solutions]
        )
    next_solutions, next_difficulty = iter(solved), iter(graded)
    for puzzle in puzzles:
        if puzzle.is_solved:
            yield puzzle
            continue
        exact = _known_best(puzzle) == puzzle.target
        solutions = next(next_solutions)
        results: dict[str, Any] = {"exact_solutions" if exact else "nearest_solutions": solutions}
        if graded and solutions:
            difficulty = next(next_difficulty)
            results["difficulty"] = (
                difficulty if exact or difficulty is None else difficulty_of_nearest(difficulty)
            )
        yield puzzle.with_cached(**results)


def _known_best(puzzle: Puzzle) -> Exact:
    """Return the best value of a puzzle if it is known, else the target."""
    best = puzzle._cache.best
    return puzzle.target if best is None else best


def puzzle_rows(
    puzzles: Sequence[Puzzle],
    fields: Sequence[str] = PUZZLE_FIELDS,
    *,
    plain: bool = False,
    executor: "Executor | None" = None,
) -> Iterator[Row]:
    """Yield the row of each puzzle, in order.

    The puzzles are solved together if a field needs solutions; the errors are those of
    `solve_puzzles` and `Puzzle.row`, while iterating.

    Args:
        puzzles: The puzzles.
        fields: The names of fields; see `Puzzle.row`.
        plain: Whether answers without parentheses are preferred; see `Puzzle.answer`.
        executor: Solves chunks of 20 puzzles in parallel (default: no parallel work).

    >>> next(puzzle_rows([puzzle_of("cards:3.3.8.8=24")]))["answer"]
    '8 / (3 - 8 / 3)'
    """
    solving = needs_solutions(fields)
    if executor is None or not solving:
        for puzzle in solve_puzzles(puzzles) if solving else puzzles:
            yield puzzle.row(fields, plain=plain)
        return
    chunks = [
        puzzles[start : start + _PUZZLES_PER_CHUNK]
        for start in range(0, len(puzzles), _PUZZLES_PER_CHUNK)
    ]
    rows_of_chunk = partial(_rows_of_chunk, fields=fields, plain=plain)
    for rows in executor.map(rows_of_chunk, chunks):
        yield from rows


def _rows_of_chunk(puzzles: Sequence[Puzzle], fields: Sequence[str], plain: bool) -> list[Row]:
    """Return the rows of puzzles; can run in another process."""
    return list(puzzle_rows(puzzles, fields, plain=plain))


def needs_solutions(fields: Iterable[str]) -> bool:
    """Return whether a field of the rows needs the solutions of the puzzles."""
    return not _SOLUTION_DEPENDENT_FIELDS.isdisjoint(fields)


def estimate_work(puzzles: Sequence[Puzzle]) -> int:
    """Return the work to solve the puzzles that are not solved: n^n for a hand of n numbers.

    The unit is arbitrary; the sum shows whether parallel work pays.
    """
    return sum(len(puzzle.hand) ** len(puzzle.hand) for puzzle in puzzles if not puzzle.is_solved)


def count_puzzle_chunks(puzzles: Sequence[Puzzle]) -> int:
    """Return the number of chunks in which `puzzle_rows` gives puzzles to an executor."""
    return -(-len(puzzles) // _PUZZLES_PER_CHUNK)
