"""Puzzles: a hand, a target, a game; the value that people hold, as a board is in a chess library.

What is known of a puzzle is worked out once, when it is first asked for; of many puzzles together
by `solved` and `told`, which share their work. Owns the rows that programs get of a puzzle and of
its solutions, from commands, files and pages alike.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Self

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.judging.judge import Judgement, Posed, is_made, judgement_of, right_values
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

# What a row of a puzzle has, and a row of a solution, in this order.
PUZZLE_FIELDS = (
    "id",
    "game",
    "rules",
    "hand",
    "target",
    "best",
    "bits",
    "level",
    "solutions",
    "answer",
)
SOLUTION_FIELDS = (
    *("numbers", "target", "expression", "value", "exact", "share"),
    *("solutions", "bits", "level"),
)
# How what is known of a puzzle is told, by its name; of these some take its solutions.
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
_BY_SOLUTIONS = {"solutions", "answer"}
# So many puzzles are handed to a process at once.
_SHARE = 20


@dataclass(frozen=True, repr=False)
class Puzzle:
    """A hand, a target and a game; properties compute their values at first use.

    >>> puzzle = Puzzle((3, 3, 8, 8), 24, GAMES["cards"])
    >>> puzzle.id, puzzle.level, puzzle.hint()
    ('cards:3.3.8.8=24', 5, '8 / 3 = 8/3')
    >>> puzzle.check("8 / (3 - 8 / 3)").verdict
    'right'

    Raises ValueError, in one sentence, for what is no hand, for an unknown game, and for what is no
    target; what asks for solutions raises it for a hand that cannot be solved by the game, see
    `HandQuery`, and for one of which nothing can be made.
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

    def __post_init__(self) -> None:
        game, style = find_game(self.game), self.style
        hand, target = to_hand(self.hand, game), to_exact(self.target)
        check_work_limit(self.work)
        own = isinstance(style, str) and not style
        style = game.style if own else style_by_name(style).name
        vars(self).update(game=game, hand=hand, target=target, style=style)

    def __repr__(self) -> str:
        changes = changed_fields(self.game)
        if changes is not None and changes.keys() <= RULES.keys() and not self.in_order:
            return f"puzzle_of({self.id!r})"
        told = (
            (each.name, getattr(self, each.name), each.default)
            for each in fields(self)
            if each.compare
        )
        some = (f"{name}={value!r}" for name, value, usual in told if value != usual)
        return f"Puzzle({', '.join(some)})"

    @cached_property
    def query(self) -> HandQuery:
        """The hand and how it is played, as solvers take it.

        Raises ValueError for a hand that the game cannot be solved with, see `HandQuery`.
        """
        return HandQuery(self.hand, self.game, self.in_order, self.work)

    @property
    def is_small(self) -> bool:
        """Whether the hand is small enough never to exceed the limit on work."""
        return is_small(len(self.hand), self.game, self.in_order)

    @property
    def id(self) -> str:
        """The text from which `puzzle_of` makes the puzzle again, for games in `GAMES`."""
        if self.in_order:
            raise RefusedError("no id says that the numbers stay in the order given")
        return format_id(self.game, self.hand, self.target)

    @cached_property
    def solvable(self) -> bool:
        """Whether the target can be made."""
        if "exact_solutions" in vars(self):
            return bool(self.exact_solutions)
        if "best" in vars(self):
            return self.best == self.target
        if not is_rational(self.game):
            return self._plainest is not None
        return self._graded is not None or self.target in self.closest

    @cached_property
    def _plainest(self) -> Expression | None:
        """The plainest form of the target, for games whose solutions cannot be told apart."""
        return find_plainest(self.query, None, [self.target]).get(self.target)

    @cached_property
    def best(self) -> Exact:
        """The target, or the reachable value nearest to it; of two, the smaller."""
        if self.solvable:
            return self.target
        if not self.closest:
            raise RefusedError(message("rules.makes_nothing"))
        return min(self.closest)

    @property
    def accepted_values(self) -> tuple[Exact, ...]:
        """The values that solve the puzzle: the target.

        If it cannot be made and the game counts the closest value, the one or two nearest to it.
        """
        if not self.game.accepts_closest:
            return (self.target,)
        return tuple(dict.fromkeys((self.best, int_if_whole(2 * self.target - self.best))))

    @cached_property
    def closest(self) -> dict[Exact, Expression]:
        """The one or two reachable values nearest to the target, with their likeliest solutions."""
        return find_closest(self.query, self.target)

    @cached_property
    def difficulty(self) -> Difficulty | None:
        """How hard `best` is to make; it has no level if it is not the target.

        None where people cannot.
        """
        if self.solvable:
            return self._graded
        found = grade(self.query, self.best)
        return found and difficulty_of_nearest(found)

    @property
    def level(self) -> int | None:
        """From 1 (easy) to 5; None if the target cannot be made or the game has no levels."""
        return None if self.difficulty is None else self.difficulty.level

    @cached_property
    def _graded(self) -> Difficulty | None:
        return grade(self.query, self.target)

    @cached_property
    def exact_solutions(self) -> list[Solution]:
        """The solutions of the target itself; empty if it cannot be made."""
        known = vars(self)
        if known.get("solvable") is False or known.get("best", self.target) != self.target:
            return []
        return find_solutions(self.query, self.target)

    @property
    def _quick(self) -> int | None:
        return None if self.work is None else min(self.work, QUICK_WORK)

    @cached_property
    def _is_made(self) -> bool:
        """Whether the target can be made, where that is told at once."""
        if self.is_solved or self.is_small:
            return bool(self.exact_solutions)
        return is_made(replace(self.query, work=self._quick), self.target)

    @cached_property
    def _right_values(self) -> tuple[Exact, ...]:
        """The values of right answers, if that is known at once."""
        if self.is_solved or self.is_small:
            return self.accepted_values
        return right_values(replace(self.query, work=self._quick), self.target)

    @cached_property
    def _nearly(self) -> list[Solution]:
        return find_solutions(self.query, self.best)

    def solutions(self) -> list[Solution]:
        """Return all distinct solutions, likeliest first; if there are none, those of `best`."""
        return list(self.exact_solutions if self.solvable else self._nearly)

    def first_solutions(self, count: int) -> Self:
        """Return the puzzle with only its first solutions, for hands with thousands."""
        found = find_first(self.query, self.target, count)
        return self.with_cached(
            exact_solutions=list(found.details), count=found.total, order=found.order
        )

    @cached_property
    def count(self) -> int:
        """The number of all solutions."""
        return len(self.solutions())

    @cached_property
    def order(self) -> str:
        """The order of the solutions, in words; see `forms.Solutions`."""
        return LIKELIEST

    @property
    def is_solved(self) -> bool:
        """Whether the solutions have been computed."""
        return not vars(self).keys().isdisjoint(("exact_solutions", "_nearly"))

    def canonical_solutions(self) -> list[Solution]:
        """Return the first solution of each idea, with the total share of that idea."""
        every, shares = self.solutions(), dict[int, float]()
        for each in every:
            shares[each.equivalence_class] = shares.get(each.equivalence_class, 0) + each.share
        return [
            replace(each, share=shares[each.equivalence_class])
            for each in canonical_solutions(every)
        ]

    def hints(self, style: str | None = None) -> list[str]:
        """Return the steps of the likeliest solution, such as `13 - 7 = 6`, in a style.

        They are the operations of its formula, in the order that is easiest for people.
        Where solutions cannot be told apart, as with ^, they are those of the plainest.

        >>> Puzzle((2, 3, 4), 79, replace(GAMES["digits"], operators=("-", "^"))).hints()
        ['3 ^ 4 = 81', '81 - 2 = 79']
        """
        style, plainest = (
            style or self.style,
            self._plainest if not is_rational(self.game) else None,
        )
        if plainest is not None:
            return working_lines(plainest, self.game, style=style) or [text_of(plainest, style)]
        likeliest = self.solutions()[0].expression
        return hints(likeliest, self.game, in_order=self.in_order, style=style)

    def hint(self) -> str:
        """Return the first step of the likeliest solution."""
        return self.hints()[0]

    def check(
        self, text: str | Formula | Expression, *, strict: bool = False, style: str | None = None
    ) -> Check:
        """Check a formula against the puzzle; see `check`.

        If the target cannot be made, no formula is right, but in games that count the closest
        value the closest is, with a reason.

        >>> Puzzle((1, 1, 1, 1), 24, GAMES["cards"]).check("1 + 1 + 1 + 1").reason
        'it makes 4, not 24'
        >>> Puzzle((1, 1, 1, 1), 101, GAMES["countdown"]).check("(1 + 1) x (1 + 1)").reason
        'as near to 101 as possible'
        """

        def checked(target: Exact) -> Check:
            return check_against_target(
                text, target, self.hand, self.game, strict=strict, style=style
            )

        found = checked(self.target)
        if found.verdict != "wrong" or found.value is None or not self.game.accepts_closest:
            return found
        try:
            nearest = self.accepted_values
        except RefusedError:
            # More numbers than can be solved can be checked all the same.
            return found
        for value in nearest:
            nearly = checked(value)
            if nearly.verdict == "right":
                nearest_of = message("answer.nearest", target=self.target)
                return replace(nearly, message=nearest_of)
        return found

    def judge(self, text: object, *, partial: float = 0.0) -> Judgement:
        r"""Judge an answer in free text, as people and models write it.

        The text is a str, bytes in UTF-8, or the messages of a chat, of which the last that is the
        assistant's is judged; which part of it is the answer is decided without looking at the
        puzzle. `partial` is what a legal formula of the right numbers scores at most where it makes
        something else, the less the farther it is: an invitation to make that. Unlike `check`,
        where the target cannot be made, only who says so is right; of more than six
        numbers that may be too much to prove at once, unless `work` is None. Nothing is raised.

        >>> found = puzzle_of("cards:3.3.8.8=24").judge(r"So \boxed{\frac{8}{3 - \frac{8}{3}}}.")
        >>> found.verdict, found.code, found.score, found.answer
        ('right', 'ok', 1.0, '\\frac{8}{3 - \\frac{8}{3}}')
        """
        asked = Posed(
            *(self.hand, self.target, self.game, lambda: self._is_made, self._quick),
            nearest=lambda: self._right_values,
        )
        return judgement_of(text, asked, partial)

    def answer(self, *, plain: bool = False) -> str:
        """Return the likeliest solution as text; with `plain`, one without parentheses if any.

        >>> puzzle_of("cards:3.3.8.8=24").answer()
        '8 / (3 - 8 / 3)'
        """
        every = self.solutions()
        texts = (text_of(each.expression, self.style) for each in every)
        first = text_of(every[0].expression, self.style)
        return next((text for text in texts if "(" not in text), first) if plain else first

    def row(self, fields: Sequence[str] = PUZZLE_FIELDS, *, plain: bool = False) -> Row:
        """Return the fields of the puzzle by name; `plain` is as in `answer`."""
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
        """Return a row for the likeliest solution, or for every solution.

        `canonical` tells one solution an idea, `steps` the working as well; `style` is that of the
        expressions, by default that of the puzzle. Where the target cannot be made there is
        one row in which nothing is found, or where `closest` is asked, one for each of the closest
        values.

        >>> [row["expression"] for row in Puzzle((4, 3, 8, 4), 24).rows(all_solutions=True)]
        ['8 x 3 + 4 - 4', '4 x 3 + 8 + 4']
        """
        style = style or self.style
        found = self.exact_solutions
        if found and canonical:
            found = self.canonical_solutions()
        total = self.count if found and not canonical else len(found)
        told: Sequence[tuple[Expression | None, Exact | None, float | None]]
        if found:
            shown = found if all_solutions else found[:1]
            told = [(each.expression, each.value, round(each.share, 6)) for each in shown]
        elif closest:
            told = [(expression, value, None) for value, expression in self.closest.items()]
        else:
            told = [(None, None, None)]
        graded = self.difficulty if found else None
        return [
            {
                "numbers": list(self.hand),
                "target": self.target,
                "expression": None if expression is None else text_of(expression, style),
                "value": value,
                "exact": value == self.target,
                "share": share,
                "solutions": total,
                "bits": graded and graded.bits,
                "level": graded and graded.level,
            }
            | (
                {"steps": working_lines(expression, self.game, style=style)}
                if steps and expression is not None
                else {}
            )
            for expression, value, share in told
        ]

    def with_cached(self, **facts: Any) -> Self:
        """Return the puzzle with facts computed elsewhere, such as `best` and `difficulty`."""
        puzzle = copy(self)
        vars(puzzle).update(facts)
        return puzzle

    def with_style(self, style: str) -> Self:
        """Return the puzzle with another style of expressions; it keeps what is computed."""
        return self.with_cached(style=style)

    def with_work(self, work: int | None) -> Self:
        """Return the puzzle with another limit on searches; it keeps what is computed."""
        puzzle = self.with_cached(work=work)
        # The query has the limit of the old puzzle.
        vars(puzzle).pop("query", None)
        return puzzle

    def without_solutions(self) -> Self:
        """Return the puzzle without its computed solutions, to save memory."""
        puzzle = copy(self)
        for name in ("exact_solutions", "_nearly", "closest", "count", "order"):
            vars(puzzle).pop(name, None)
        return puzzle

    def _repr_svg_(self) -> str:
        """Return the picture of it that a notebook shows."""
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

    It is right when it is legal and makes the target that it states, and `target`. A `card` is a
    puzzle: its numbers are used as the game has it, each once where all have to be used, be they
    numbers of the game or not, and where no target is stated the game's own is asked. What is
    asked no target at all is `legal` when nothing is wrong. `strict` asks besides whether the game
    can deal the card, or these numbers. `style` is that which the text is written in, and in which
    reasons are told: by default that of the game; of `polish` only the text is. What is neither
    text nor a formula is `malformed`. If the target cannot be made of a card, no formula is right,
    but in games that count the closest value the closest is; see `Game.counts_closest`. `work`
    limits the search for it, in pairs of values; None is no limit.

    >>> check("4 + 3 x 8 - 4", card=(4, 3, 8, 4)).verdict
    'right'
    >>> check("4 + 3 + 8 + 4", card=(4, 3, 8, 4)).reason
    'it makes 19, not 24'
    >>> check("4 + 3").verdict
    'legal'
    >>> check("2 x 3 = 6, 6 x 4 = 24").formula
    '2 x 3 x 4 = 24'

    Raises ValueError for an unknown game or style, and for a card that is no numbers; TypeError
    for a target that is not exact.
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
    """Return the puzzle of an id, or of a hand and a target (default: the game's own).

    >>> puzzle_of("cards:3.3.8.8=24") == puzzle_of((3, 3, 8, 8), game="cards")
    True

    Raises ValueError, in one sentence, for what is neither, for a hand that cannot be solved by the
    game, and without a target for a game that deals its targets.
    """
    if isinstance(puzzle, str) and (is_id(puzzle) or not puzzle[:1].isdigit()):
        rules, hand, wanted = parse_id(puzzle)
        if target is not None or game is not None:
            raise RefusedError(message("refused.id_complete", text=quoted(puzzle)))
        query = HandQuery(hand, rules)
    else:
        query = HandQuery.of(puzzle, "crisps" if game is None else game)
        wanted = target_for(query.game, target)
    return Puzzle(query.hand, wanted, query.game).with_cached(query=query)


def judge(
    text: object,
    puzzle: Puzzle | str | HandLike,
    target: Exact | None = None,
    game: Game | str = FREE_GAME,
    *,
    partial: float = 0.0,
) -> Judgement:
    """Judge an answer in free text to a puzzle, the puzzle of an id, or a hand and a target.

    `target` and `game` are only for a hand; the default game allows any numbers and results. See
    `Puzzle.judge`.

    >>> judge("<answer>8 x 3 = 24</answer>", "cards:3.3.8.8=24").code
    'numbers-missing'
    >>> judge("8 / (3 - 8 / 3)", (3, 3, 8, 8), 24).verdict
    'right'

    Raises ValueError, or TypeError, for what is no puzzle; nothing for what is no answer.
    """
    if target is not None:
        if isinstance(puzzle, Puzzle) or (isinstance(puzzle, str) and is_id(puzzle)):
            raise RefusedError("the puzzle has a target: leave out the other one")
        puzzle = Puzzle(to_hand(puzzle, find_game(game)), target, find_game(game))
    if isinstance(puzzle, str):
        puzzle = puzzle_of(puzzle)
    if not isinstance(puzzle, Puzzle):
        raise KindError(
            f"{quoted(puzzle)} is no puzzle: puzzle_of('cards:3.3.8.8=24') is, and so are a hand "
            "and a target"
        )
    return puzzle.judge(text, partial=partial)


def solve_puzzles(puzzles: Sequence[Puzzle]) -> Iterator[Puzzle]:
    """Yield puzzles with their solutions and how hard they are; those in a row share their work.

    >>> [each.level for each in solve_puzzles([Puzzle((1, 2, 3, 4), 24), Puzzle((4, 3, 8, 4), 24)])]
    [1, 1]

    Raises what `solver.solve_many` raises.
    """
    alike = groupby(puzzles, lambda each: (each.game, each.in_order, each.work))
    for _, together in alike:
        yield from _solved(list(together))


def _solved(puzzles: list[Puzzle]) -> Iterator[Puzzle]:
    """Yield puzzles of one game, solved together."""
    open_ones = [each for each in puzzles if not each.is_solved]
    asked = [(each.query, vars(each).get("best", each.target)) for each in open_ones]
    found: Iterable[list[Solution]] = find_many(asked)
    graded: list[Difficulty | None] = []
    if not all("difficulty" in vars(each) for each in open_ones):
        # What has no solution is not graded, so that all are found first.
        found = list(found)
        graded = grade_many([each for each, ways in zip(asked, found, strict=True) if ways])
    ways_of, difficulty_of = iter(found), iter(graded)
    for puzzle in puzzles:
        if puzzle.is_solved:
            yield puzzle
            continue
        exactly = vars(puzzle).get("best", puzzle.target) == puzzle.target
        ways = next(ways_of)
        facts: dict[str, Any] = {"exact_solutions" if exactly else "_nearly": ways}
        if graded and ways:
            facts["difficulty"] = next(difficulty_of)
        yield puzzle.with_cached(**facts)


def puzzle_rows(
    puzzles: Sequence[Puzzle],
    fields: Sequence[str] = PUZZLE_FIELDS,
    *,
    plain: bool = False,
    executor: "Executor | None" = None,
) -> Iterator[Row]:
    """Yield the row of each of some puzzles, as the executor has it, in order.

    They are solved where one of the fields is of solutions.

    >>> next(puzzle_rows([puzzle_of("cards:3.3.8.8=24")]))["answer"]
    '8 / (3 - 8 / 3)'
    """
    solving = needs_solutions(fields)
    if executor is None or not solving:
        for puzzle in solve_puzzles(puzzles) if solving else puzzles:
            yield puzzle.row(fields, plain=plain)
        return
    shares = [puzzles[at : at + _SHARE] for at in range(0, len(puzzles), _SHARE)]
    rows_of = partial(_rows_of, fields=fields, plain=plain)
    for rows in executor.map(rows_of, shares):
        yield from rows


def _rows_of(puzzles: Sequence[Puzzle], fields: Sequence[str], plain: bool) -> list[Row]:
    """Return the rows of a share, in another process perhaps."""
    return list(puzzle_rows(puzzles, fields, plain=plain))


def needs_solutions(fields: Iterable[str]) -> bool:
    """Return whether one of some fields takes the solutions of a puzzle."""
    return not _BY_SOLUTIONS.isdisjoint(fields)


def estimate_work(puzzles: Sequence[Puzzle]) -> int:
    """Return how much work is left to solve puzzles: of hands of six far more than of four."""
    return sum(len(each.hand) ** len(each.hand) for each in puzzles if not each.is_solved)


def count_puzzle_chunks(puzzles: Sequence[Puzzle]) -> int:
    """Return in how many shares puzzles are told by an executor."""
    return -(-len(puzzles) // _SHARE)
