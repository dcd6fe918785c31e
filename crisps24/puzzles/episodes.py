"""Episodes: puzzles played step by step by programs, with rewards.

The state is the position of `positions`; `reach` decides whether it can still be won. A step earns

    reward = outcome + process x (discount x P(state after it) - P(state before it))

- outcome: 1 for a right answer or claim, at the end; `partial` / (1 + distance to the target) for
  another answer that is there at the end; else 0. It is only given once.
- P: the potential of a state, 1 if it can still be won and 0 if not. The end has the potential 0.

The second term is potential-based shaping (Ng, Harada and Russell, 1999). Its discounted sum over
an episode is -process x P(first state), whatever the steps are: each P that a step adds, the next
one subtracts. So loops, steps taken back and delay earn nothing, and the best play stays the best.
"""

from functools import lru_cache
from typing import NamedTuple

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.judging.claims import parse_claim
from crisps24.judging.judge import partial_credit
from crisps24.messages.message import Message, message
from crisps24.notation.errors import FormulaError, IllegalFormulaError, MalformedFormulaError
from crisps24.notation.spellings import all_spellings
from crisps24.notation.statements import parse_statement
from crisps24.notation.styles import style_by_name
from crisps24.notation.trees import Number, Operation, text_of
from crisps24.puzzle import Puzzle, puzzle_of
from crisps24.puzzles.positions import Move, Position
from crisps24.puzzles.reach import Reach
from crisps24.rules.exact import Exact, has_fractions, to_exact
from crisps24.rules.games import Game, Hand
from crisps24.rules.words import parse_value

# Hands whose searches are kept for later episodes.
_MAX_CACHED_HANDS = 128
# The actions of texts that are not steps.
_ACTIONS = {"u": "undo", "undo": "undo", "r": "restart", "restart": "restart", "q": "left"}


class Observation(NamedTuple):
    """The state of an episode after a step."""

    position: Position
    kind: str
    """`start`; `step`; `unused` (the target, but numbers are left); `stuck` (one wrong number
    left); `near` (a legal answer that is not the closest); `undo`, `restart`; at the end `right`,
    or `left` if the player gives up; `wrong`, `illegal`, `malformed`; `ended` after the end."""
    code: str
    """`ok`, or the reason why the step is not legal, in one word: see `judge`."""
    can_still_win: bool
    """Whether legal steps of two numbers still make an answer, without taking steps back."""
    done: bool
    reward: float
    message: Message | None = None
    """The reason as a key and values, None if the step is legal."""

    @property
    def reason(self) -> str:
        """Why the step is not legal, in one English sentence; empty if it is."""
        return self.message.text() if self.message else ""

    @property
    def left(self) -> tuple[Exact, ...]:
        """The numbers that remain: numbers of the hand, then results of steps."""
        return self.position.left

    @property
    def formulas(self) -> tuple[str, ...]:
        """What remains as formulas of the hand, such as `1 + 2` for a result 3."""
        working, style = self.position.working, self.position.puzzle.style
        made = (text_of(result.tree, style) for result in working.unused)
        return (*map(str, working.numbers_left), *made)

    @property
    def legal(self) -> bool:
        """Whether the step was taken."""
        return self.kind not in ("wrong", "illegal", "malformed", "ended")


class Episode:
    """One play of a puzzle by a program, step by step, with rewards for training.

    `step` takes a text or a triple, and returns an `Observation`: `left`, `legal`, `code`,
    `can_still_win`, `done` and `reward`. A triple (left, operator, right) combines two numbers that
    remain; a fraction can be a text, such as "8/3". A text is a step ("8 x 3" or "8 x 3 = 24"),
    several steps, or a formula of the whole hand, as in `crisps24 play`; "undo" or "restart"; "q"
    to give up; or the claim that there is no solution, which is judged and ends the episode.
    `limit` is the number of calls of `step` after which the episode ends; the last one is rewarded
    like any other.

    A right answer or claim earns 1. `partial` is the most that another answer earns at the end:
    `partial` / (1 + its distance to the target). `process` is the weight of the potential, which is
    1 while the puzzle can still be won: a step earns process x (discount x P(after) - P(before)) in
    addition, with P = 0 after the end. So the discounted sum of these is the same for every play.

    >>> from crisps24 import Episode
    >>> episode = Episode("cards:4.6.8.10=24", process=0.5)
    >>> observation = episode.step((10, "-", 6))
    >>> observation.left, observation.can_still_win, observation.reward
    ((4, 8, 4), True, 0.0)
    >>> observation = episode.step("8 - 4 = 4")
    >>> observation.left, observation.can_still_win, observation.reward
    ((4, 4), False, -0.5)
    >>> episode.undo().reward, episode.step("4 x 4").left, episode.step((8, ":", 0)).code
    (0.5, (8, 16), 'numbers')
    >>> observation = episode.step("16 + 8 = 24")
    >>> observation.kind, observation.done, observation.reward
    ('right', True, 0.5)

    Raises RefusedError if it cannot be decided which puzzles can still be won: for games with
    joined digits, decimals, operators such as ^ or a minus before anything, for games without
    parentheses that limit results, and for puzzles that keep the order of their numbers; and as
    `puzzle_of` does.
    """

    def __init__(
        self,
        puzzle: Puzzle | str,
        *,
        limit: int = 50,
        partial: float = 0.0,
        process: float = 0.0,
        discount: float = 1.0,
    ) -> None:
        if isinstance(puzzle, str):
            puzzle = puzzle_of(puzzle)
        if not isinstance(puzzle, Puzzle):
            raise KindError(f"invalid puzzle {quoted(puzzle)} (expected a Puzzle or an id)")
        if type(limit) is not int or limit < 1:
            raise RefusedError(f"invalid limit {quoted(limit)} (expected 1 or more)")
        for value in (partial, process, discount):
            if not isinstance(value, int | float):
                raise KindError(f"invalid weight {quoted(value)} (expected a number)")
        if puzzle.in_order:
            raise RefusedError("an episode does not keep the order of the numbers")
        self.puzzle, self.limit = puzzle, limit
        self.partial, self.process, self.discount = partial, process, discount
        self._reach = _reach_of(puzzle.query.hand, puzzle.game, puzzle.accepted_values)
        game, operators = puzzle.game, puzzle.game.row_operators
        self._operators = {sign: each for each in operators for sign in all_spellings(each)}
        is_plain = not (style_by_name(puzzle.style).prefix or has_fractions(puzzle.hand))
        self._game_of_text = game if is_plain else None
        start = Position.start(puzzle)
        self._start = Observation(start, "start", "ok", self._can_win(start), False, 0.0)
        self.reset()

    def reset(self) -> Observation:
        """Start again, with all numbers and no step counted; return the first observation."""
        self._path, self._attempts, self._count = [self._start.position], list[Exact](), 0
        self.observation = self._start
        return self.observation

    def _can_win(self, position: Position) -> bool:
        return self._reach.can_make(position.terms(with_numbers=self._reach.useful is not None))

    def step(self, action: str | tuple[Exact | str, str, Exact | str]) -> Observation:
        """Take a step, and return what remains and the reward.

        A step that is not legal changes nothing, but counts. After the end, each step is refused
        with the code `ended` and earns nothing. Raises KindError for other types and for numbers
        that are not exact, such as 2.5.
        """
        before = self.observation
        if before.done:
            return before._replace(kind="ended", code="ended", reward=0.0)
        if isinstance(action, str):
            move, code, is_last = self._read(action)
        else:
            move, code, is_last = self._combine(action), "", False
        self._count += 1
        if move.kind in ("undo", "restart"):
            del self._path[1 if move.kind == "restart" else max(1, len(self._path) - 1) :]
        elif move.position is not self._path[-1]:
            self._path.append(move.position)
        elif move.value is not None:
            self._attempts.append(move.value)
        position, won = self._path[-1], move.kind == "right"
        done = won or is_last or self._count >= self.limit
        can_win = won
        if not done:
            is_same = position is before.position
            can_win = before.can_still_win if is_same else self._can_win(position)
        reward = float(won)
        if done and not won and not code and self.partial:
            values = [*self._attempts, *(value for value, _ in position.answers())]
            target = self.puzzle.target
            reward = max((partial_credit(each, target, self.partial) for each in values), default=0)
        potential = self.discount * (can_win and not done) - before.can_still_win
        reward += self.process * potential
        if not code and move.reason is not None:
            code = move.error.code if move.error else "numbers" if move.value is None else "value"
        self.observation = Observation(
            position, move.kind, code or "ok", can_win, done, reward, move.reason
        )
        return self.observation

    def undo(self) -> Observation:
        """Take the last step back; this counts as a step."""
        return self.step("undo")

    def _read(self, text: str) -> tuple[Move, str, bool]:
        """Return the outcome of a text, the code of a wrong claim, and whether the play ends."""
        position = self._path[-1]
        if (move := self._read_step(text)) is not None:
            return move, "", False
        action = _ACTIONS.get(text.strip().lower())
        if action is not None:
            return Move(action, position), "", action == "left"
        if parse_claim(text.strip(" .!")) is not None:
            claim = self.puzzle.judge(text)
            kind = "right" if claim else "wrong"
            return Move(kind, position, reason=claim.message), claim.code, True
        return position.judge(text), "", False

    def _read_step(self, text: str) -> Move | None:
        """Return the outcome of the text of one step of two whole numbers; None for other texts."""
        position = self._path[-1]
        if self._game_of_text is None or has_fractions(position.left):
            return None
        try:
            statement = parse_statement(text, self._game_of_text)
        except FormulaError:
            return None
        tree = statement.tree
        if not isinstance(tree, Operation) or {type(tree.left), type(tree.right)} != {Number}:
            return None
        left, right = statement.numbers
        move = position.combine(left, tree.operator, right)
        if move.kind == "illegal":
            # Two numbers are no formula of a whole hand, which could be legal.
            return move if self.puzzle.game.all_numbers and len(self.puzzle.hand) > 2 else None
        if move.kind == "wrong" or (move.kind == "stuck" and statement.target is None):
            return None
        return move if statement.target in (None, move.position.working.results[-1][0]) else None

    def _combine(self, action: tuple[Exact | str, str, Exact | str]) -> Move:
        position = self._path[-1]
        try:
            left, sign, right = action
            operator = self._operators.get(sign)
        except (TypeError, ValueError):
            raise KindError(f"invalid step {quoted(action)} (expected text or 3 values)") from None
        if operator is None:
            reason = message("formula.not_part", sign=quoted(sign))
            error: FormulaError = IllegalFormulaError(reason, quoted(action), 0, 1, "operator")
            return Move("illegal", position, reason=reason, error=error)
        try:
            values = [
                parse_value(value) if isinstance(value, str) else to_exact(value)
                for value in (left, right)
            ]
        except RefusedError as refused:
            error = MalformedFormulaError(refused.message, quoted(action), 0, 1, "number")
            return Move("malformed", position, reason=error.message, error=error)
        return position.combine(values[0], operator, values[1])


@lru_cache(maxsize=_MAX_CACHED_HANDS)
def _reach_of(hand: Hand, game: Game, targets: tuple[Exact, ...]) -> Reach:
    return Reach(hand, game, targets)
