"""Episodes: puzzles played step by step by programs, with rewards.

The state is a `PartialWorking`, as in rounds: the steps taken, and the terms that are left. A step
adds to it, by text or by `combine`. `reach` decides whether it can still be won. A step earns

    reward = outcome + process x (discount x P(state after it) - P(state before it))

- outcome: 1 for a right answer or claim, at the end; `partial` / (1 + distance to the target) for
  another answer that is there at the end; else 0. It is only given once.
- P: the potential of a state, 1 if it can still be won and 0 if not. The end has the potential 0.

The second term is potential-based shaping (Ng, Harada and Russell, 1999). Its discounted sum over
an episode is -process x P(first state), whatever the steps are: each P that a step adds, the next
one subtracts. So loops, steps taken back and delay earn nothing, and the best play stays the best.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.judging.judge import partial_credit
from crisps24.notation.errors import FormulaError
from crisps24.notation.spellings import all_spellings
from crisps24.notation.statements import parse_statement
from crisps24.notation.trees import Number, Operation
from crisps24.notation.workings import PartialWorking, combine, parse_partial_working, terms_of
from crisps24.output.tables import Row
from crisps24.puzzle import Puzzle, puzzle_of
from crisps24.puzzles.reach import Reach
from crisps24.puzzles.rows import replace_no_break_spaces, task_text
from crisps24.rules.deals import format_hand
from crisps24.rules.exact import Exact, check_number, has_fractions, to_exact

# The searches of some hands are kept for later episodes.
_cached_reach = lru_cache(maxsize=128)(Reach)
# What a model must know of the tool.
_TOOL_USE = (
    "A step combines two of the numbers that are left, and its result replaces them: 8 x 3. "
    "Write undo, restart, or no solution if there is none. Unknown steps change nothing."
)
# By host: the name of the schema, and whether the tool is inside a function.
_TOOLS = {"openai": ("parameters", True), "anthropic": ("input_schema", False)}
_TOOLS["mcp"] = ("inputSchema", False)
# The codes of judged claims that there is no solution.
_CLAIM_CODES = ("no-solution", "solvable", "undecided")


class Observation(NamedTuple):
    """The state of an episode after a step."""

    working: PartialWorking
    """The state of play, which rounds of people have too."""
    code: str
    """`ok` if the step was taken, `no-solution` if that is right, `ended` after the end; otherwise
    why the step is not legal or not right, as in a `Judgement`."""
    can_still_win: bool
    """Whether legal steps of two numbers still make an answer, without taking steps back."""
    done: bool
    reward: float

    @property
    def legal(self) -> bool:
        return self.code in ("ok", "no-solution")

    @property
    def left(self) -> tuple[Exact, ...]:
        """The numbers that remain: numbers of the hand, then results of steps."""
        return self.working.left

    @property
    def formulas(self) -> tuple[str, ...]:
        """What remains as formulas of the hand, such as `1 + 2` for a result 3."""
        return tuple(str(term.tree) for term in self.working.terms)


@dataclass
class Episode:
    """One play of a puzzle by a program, step by step, with rewards for training.

    `step` takes a text or a triple, and returns an `Observation`: `left`, `legal`, `code`,
    `can_still_win`, `done` and `reward`. A triple (left, operator, right) combines two numbers that
    remain, ints or Fractions. A text is a step ("8 x 3" or "8 x 3 = 24"), several steps, or an
    answer that needs no step; "undo" or "restart"; or the claim that there is no solution, which is
    judged and ends the episode. `limit` is the number of calls of `step` after which the episode
    ends; the last one is rewarded like any other.

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
    >>> observation.code, observation.done, observation.reward
    ('ok', True, 0.5)

    Raises KindError for arguments of other types, and RefusedError for puzzles that keep the order
    of their numbers, for games with joined digits, decimals, operators such as ^ or a minus before
    anything, for games without parentheses that limit results, and for more than 8 numbers (6
    without parentheses).
    """

    puzzle: Puzzle
    """Also its id."""
    _: KW_ONLY
    limit: int = 50
    partial: float = 0.0
    process: float = 0.0
    discount: float = 1.0

    if TYPE_CHECKING:

        def __init__(
            self,
            puzzle: Puzzle | str,
            *,
            limit: int = ...,
            partial: float = ...,
            process: float = ...,
            discount: float = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        if not isinstance(self.puzzle, Puzzle | str):
            raise KindError(f"invalid puzzle {quoted(self.puzzle)} (expected a Puzzle or its id)")
        puzzle = self.puzzle = puzzle_of(self.puzzle)
        check_number(self.limit, least=1)
        check_number(self.partial, least=0)
        check_number(self.process)
        check_number(self.discount)
        if puzzle.in_order:
            raise RefusedError("an episode does not keep the order of the numbers")
        self._right = frozenset(puzzle.accepted_values)
        self._reach = _cached_reach(puzzle.hand, puzzle.game, puzzle.accepted_values)
        operators = puzzle.game.row_operators
        self._operators = {sign: each for each in operators for sign in all_spellings(each)}
        self.reset()

    def reset(self) -> Observation:
        """Start again, with all numbers and no step counted; return the first observation."""
        self._path, self._count = [PartialWorking((), (), terms_of(self.puzzle.hand))], 0
        can_win = self._reach.can_make(self._path[0].terms)
        self.observation = Observation(self._path[0], "ok", can_win, False, 0.0)
        return self.observation

    def tool(self, host: str = "openai") -> Row:
        """Return the description of `call` as a tool, with a JSON schema, for models that use one.

        The `host` is "openai" (function calling of chats), "anthropic" or "mcp". Raises
        RefusedError for another one.

        >>> Episode("cards:4.6.8.10=24").tool("mcp")["inputSchema"]["required"]
        ['step']
        """
        if not isinstance(host, str) or host not in _TOOLS:
            raise RefusedError(f"unknown host {quoted(host)} (expected {', '.join(_TOOLS)})")
        puzzle, (name, is_function) = self.puzzle, _TOOLS[host]
        task = task_text(puzzle.game, puzzle.target, counted=False, style=puzzle.style)
        text = f"{task} The numbers are {format_hand(puzzle.hand)}. {_TOOL_USE}"
        fields = {"step": {"type": "string", "description": "A step, undo, restart, no solution"}}
        schema: Row = {"type": "object", "properties": fields, "required": [*fields]}
        schema["additionalProperties"] = False
        tool = {"name": "step", "description": replace_no_break_spaces(text), name: schema}
        return {"type": "function", "function": tool} if is_function else tool

    def call(self, arguments: Mapping[str, Any] | str) -> str:
        """Take the step of a tool call, and return the answer to the model as a text.

        The `arguments` are an object with a text `step`, or its JSON. Other arguments count as a
        step that is not legal. `observation` has the reward. No arguments raise an error.

        >>> Episode("cards:4.6.8.10=24").call({"step": "10 - 6"})
        'ok; left: 4, 8, 4'
        """
        if isinstance(arguments, str):
            with suppress(ValueError, RecursionError):
                arguments = json.loads(arguments)
        step = arguments.get("step") if isinstance(arguments, Mapping) else None
        seen = self.step(step if isinstance(step, str) else "")
        code = seen.code if isinstance(step, str) or seen.code == "ended" else "arguments"
        if seen.done:
            return f"{code}; {'solved' if seen.can_still_win else 'not solved'}"
        left = map(str, seen.left) if self.puzzle.game.parentheses else seen.formulas
        return f"{code}; left: {', '.join(left)}"

    def undo(self) -> Observation:
        """Take the last step back; this counts as a step."""
        return self.step("undo")

    def step(self, action: str | tuple[Exact, str, Exact]) -> Observation:
        """Take a step, and return what remains and the reward.

        A step that is not legal, or makes no result, changes nothing, but counts. After the end,
        each step has the code `ended` and earns nothing. Raises KindError for other types, and for
        numbers that are not exact, such as 2.5.
        """
        before = self.observation
        if before.done:
            self.observation = before._replace(code="ended", reward=0.0)
            return self.observation
        self._count += 1
        if isinstance(action, str):
            after = self._read(action)
        elif isinstance(action, tuple | list) and len(action) == 3 and isinstance(action[1], str):
            left, sign, right = action
            after = self._combine(to_exact(left), sign, to_exact(right))
        else:
            raise KindError(f"invalid step {quoted(action)} (expected a text, or 3 values)")
        code, working = "ok", self._path[-1]
        if isinstance(after, str):
            code = after
        elif after is not working:
            working = after
            self._path.append(working)
        answers = [value for value, _ in working.answers(self.puzzle.game)]
        won = after in ("ok", "no-solution") or not self._right.isdisjoint(answers)
        done = won or code in _CLAIM_CODES or self._count >= self.limit
        score = float(won)
        if done and not won and code not in _CLAIM_CODES:
            target, most = self.puzzle.target, self.partial
            score = max((partial_credit(each, target, most) for each in answers), default=0.0)
        can_win = won if done else before.can_still_win
        if not done and working is not before.working:
            can_win = self._reach.can_make(working.terms)
        potential = self.discount * (can_win and not done) - before.can_still_win
        reward = score + self.process * potential
        self.observation = Observation(working, code, can_win, done, reward)
        return self.observation

    def _combine(self, left: Exact, sign: str, right: Exact) -> PartialWorking | str:
        operator, game = self._operators.get(sign), self.puzzle.query.effective_game
        if operator is None:
            return "operator"
        return combine(self._path[-1], left, operator, right, game)

    def _read(self, text: str) -> PartialWorking | str:
        """Return the working after a text; a code if it is not legal, or an answer by itself."""
        puzzle, working, word = self.puzzle, self._path[-1], text.strip().lower()
        if word in ("undo", "restart"):
            del self._path[1 if word == "restart" else max(1, len(self._path) - 1) :]
            return self._path[-1]
        if not has_fractions(working.left):
            # Most texts are one step of two whole numbers.
            with suppress(FormulaError):
                statement = parse_statement(text, puzzle.game)
                tree, target = statement.tree, statement.target
                if isinstance(tree, Operation) and type(tree.left) is type(tree.right) is Number:
                    left, right = statement.numbers
                    after = self._combine(left, tree.operator.name, right)
                    if not isinstance(after, str) and target in (None, after.results[-1][0]):
                        return after
        code = ""
        try:
            steps = ", ".join([*working.steps, text])
            after = parse_partial_working(steps, puzzle.game, puzzle.hand, puzzle.style)
            # A term by itself is no step, but can be an answer.
            if len(after.terms) < len(working.terms):
                return after
        except FormulaError as error:
            code = error.code
        judgement = puzzle.judge(text)
        is_answer = judgement or judgement.code in _CLAIM_CODES
        return judgement.code if is_answer or not code else code
