"""Rounds: a player's input goes in, a new round and a reply come out.

A `Round` is immutable: `played, reply = played.play("8 x 3 = 24", seconds=4.2)`. Its fields are its
complete state, so a page can write them into an address and restore the round. The caller passes
the seconds on the clock; this module does no input or output.

Input is a formula or a working (of the numbers that are left, or of the whole hand); one or more
steps, `75 + 50 = 125`, `75 + 50 =` or `75 + 50`; or a key of `ROUND_KEYS`. A formula that is not an
answer and leaves numbers is a step. In games that allow unused numbers, a step has two numbers.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any, Self, cast

from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import ENGLISH, Language, Message, as_message, message
from crisps24.notation.checking import Check, check_against_target, formula_points
from crisps24.notation.errors import FormulaError, MalformedFormulaError
from crisps24.notation.styles import STYLES
from crisps24.notation.trees import text_of
from crisps24.notation.workings import PartialWorking, ends_with_result, parse_partial_working
from crisps24.puzzle import Puzzle
from crisps24.puzzles.hints import next_steps
from crisps24.rules.characters import normalise
from crisps24.rules.deals import format_hand
from crisps24.rules.exact import Exact, int_if_whole
from crisps24.rules.ids import changed_rule_texts
from crisps24.rules.words import format_value

# Keys that can be typed instead of a formula, and their actions. The text `round.help` lists them.
ROUND_KEYS = {
    **{"?": "hint", "!": "shown", "u": "undo", "r": "restart", "": "skipped", "q": "left"},
    "help": "help",
}

# The message keys of the results of rounds that have ended.
RESULT_MESSAGES = {
    "right": "play.right",
    "closest": "play.closest",
    "over": "round.over",
    "shown": "play.shown",
    "skipped": "round.skipped",
    "left": "round.left",
}
RESULTS = tuple(RESULT_MESSAGES)

_QUOTIENT = re.compile(r"^(\s*[0-9]+)([/∕⁄])([0-9]+\s*(?:=|$))")

# The next round, and the reply to the input.
Turn = tuple["Round", "Reply"]


def parse_key(text: str) -> str | None:
    """Return the action of a key of `ROUND_KEYS`, ignoring case and spaces; None for other text."""
    return ROUND_KEYS.get(normalise(text).strip().lower())


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to one input."""

    kind: str
    """The kind of reply.

    - End of the round: `right`, `over`, `shown`, `skipped`, `left`.
    - Verdicts of the judge: `wrong`, `illegal`, `malformed`.
    - Steps: `step`, `unused` (target made, but numbers are left), `stuck` (one wrong number left),
      `undo`, `restart`.
    - Games that accept the closest value: `closer`, `farther`.
    - Hints: `hint`, or `lost` if the target is out of reach.
    - `ended` for input after the end, and `help`, which lists the keys.
    """
    text: str
    """The reply as a sentence."""
    left: tuple[Exact, ...] = ()
    """The numbers left after the input."""
    formula: str = ""
    """The judged formula, the solution shown, or the step of a hint."""
    language: Language | None = None
    """The language of the text: that of the round, or English; None: that of the round."""
    error: FormulaError | None = None
    """The error, if a part of the input can be marked: `text`, `position`, `length`, `marked()`."""


class BaseRound(ABC):
    """A round of any game: an immutable value with a clock, keys and a result."""

    __slots__ = ()
    limit: float | None
    wrong: int
    hints: int
    result: str
    seconds: float
    language: Language = ENGLISH

    @property
    @abstractmethod
    def title(self) -> str:
        """The name of the game and its changed rules."""

    @property
    def heading(self) -> str:
        """The heading while the round is played."""
        return self.title

    @property
    @abstractmethod
    def task(self) -> str:
        """The task for the player."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the puzzle, for use after the end."""

    @property
    @abstractmethod
    def outcome(self) -> str:
        """The result as text for a table; the round must have ended."""

    @property
    def level(self) -> int | None:
        return None

    @property
    def left(self) -> tuple[Exact, ...]:
        """The numbers that are not used yet, if the game has numbers."""
        return ()

    @property
    def scored(self) -> bool:
        return False

    @property
    def points(self) -> int:
        """The points of a round that has ended; 0 before the end."""
        return 0

    @property
    def clock(self) -> str:
        """The time left as text; empty without a time limit."""
        if self.limit is None:
            return ""
        return self._round_text("clock", seconds=round(max(0, self.limit - self.seconds)))

    @abstractmethod
    def row(self) -> dict[str, Any]:
        """Return the log row of the round; the caller adds the time and date."""

    def is_time_up(self, seconds: float) -> bool:
        return self.limit is not None and seconds > self.limit

    def play(self, text: str, seconds: float = 0.0) -> "tuple[Self, Reply]":
        """Return the next round and the reply to an input."""
        if self.result:
            return self, Reply("ended", self._round_text("ended"), self.left)
        next_round: Self = replace(cast("Any", self), seconds=seconds)
        if self.is_time_up(seconds):
            return next_round._end("over")
        action = parse_key(text)
        if action is None:
            return next_round._judge_input(text)
        if action == "help":
            return next_round, Reply(action, next_round._round_text(action), next_round.left)
        if action == "hint":
            return next_round._give_hint()
        if action in ("undo", "restart"):
            return next_round._take_back(action)
        return next_round._end(action)

    @abstractmethod
    def _judge_input(self, text: str) -> "tuple[Self, Reply]":
        """Return the next round and the reply to an input that is not a key."""

    @abstractmethod
    def _give_hint(self) -> "tuple[Self, Reply]":
        """Return the round with one more hint, and the hint as the reply."""

    @abstractmethod
    def _take_back(self, key: str) -> "tuple[Self, Reply]":
        """Return the round without the last step (`undo`) or all steps (`restart`), and a reply."""

    @abstractmethod
    def _end(self, key: str) -> "tuple[Self, Reply]":
        """End the round; `key` is the kind of the reply: `over`, `shown`, `skipped` or `left`."""

    def _check_result(self) -> None:
        if self.result and self.result not in RESULTS:
            raise RefusedError(
                f"invalid result {self.result[:20]!r} (expected {', '.join(RESULTS)})"
            )

    def _log_row(self, name: str, bits: float | None, level: int | None) -> dict[str, Any]:
        """Return the row that a log of rounds keeps: the puzzle, its difficulty, and the result."""
        return {
            "id": name,
            "bits": bits,
            "level": level,
            "seconds": round(self.seconds, 1),
            "hints": self.hints,
            "wrong": self.wrong,
            "result": self.result,
        }

    def _round_text(self, name: str, count: int | None = None, /, **words: object) -> str:
        """Return the text of the message `round.<name>` in the language of the round."""
        counted = {} if count is None else {"count": count}
        return self.language.text(f"round.{name}", **counted, **words)

    def _join_clauses(self, *clauses: str) -> str:
        """Join the clauses that are not empty into one sentence; at least one is not empty."""
        text = self.language.text
        return reduce(
            lambda first, then: text("list.then", first=first, then=then), filter(None, clauses)
        )

    def _message_reply(self, message: Message | None, kind: str) -> Reply:
        """Return a reply of a kind, whose text is a message in the language of the round."""
        text, language = as_message(message or "").translate(self.language)
        return Reply(kind, text, self.left, language=language)


@dataclass(frozen=True, slots=True)
class Round(BaseRound):
    """A puzzle that a person plays, with the steps and the score so far."""

    puzzle: Puzzle
    limit: float | None = None
    """Time limit in seconds; None: no limit."""
    steps: tuple[str, ...] = ()
    """The steps taken, each with its result: `10 + 8 = 18`."""
    wrong: int = 0
    hints: int = 0
    hints_since_step: int = 0
    best_formula: str = ""
    """The closest formula so far, if the game accepts the closest value; at the end, the answer."""
    result: str = ""
    """One of `RESULTS` if the round has ended, else empty."""
    seconds: float = 0.0
    """Seconds from the start of the round to the last input."""
    language: Language = ENGLISH
    seen: bool = False
    """Whether an earlier round showed the solution: then the result is `shown`, never `right`."""

    def __post_init__(self) -> None:
        counts = self.wrong, self.hints, self.hints_since_step, self.seconds
        if not all(number >= 0 for number in counts):
            raise RefusedError("wrong inputs, hints and seconds cannot be negative")
        self._check_result()
        if self.puzzle.in_order:
            raise RefusedError("a round does not keep the order of the numbers")
        if self.steps and self._parse_steps().steps != self.steps:
            raise RefusedError(message("working.states_none"))
        if self.best_formula:
            self._best_value()

    @property
    def title(self) -> str:
        changed = changed_rule_texts(self.puzzle.game).items()
        return ", ".join([self.puzzle.game.name, *(f"{name} {text}" for name, text in changed)])

    @property
    def heading(self) -> str:
        return self.puzzle.id

    @property
    def task(self) -> str:
        """The task: `make 24 from 4 6 8 10`."""
        hand = format_hand(self.puzzle.hand)
        return self.language.text("task.card", target=self.puzzle.target, hand=hand)

    @property
    def name(self) -> str:
        """The puzzle by target and hand: `24 of 4 6 8 10`."""
        hand, target = format_hand(self.puzzle.hand), format_value(self.puzzle.target)
        return self.language.text("marks.puzzle", target=target, hand=hand)

    @property
    def outcome(self) -> str:
        """The result as text, with the points if there are any; the round must have ended."""
        text = self.language.text(RESULT_MESSAGES[self.result])
        return self._with_points(text) if self.points else text

    @property
    def level(self) -> int | None:
        return self.puzzle.level

    @property
    def left(self) -> tuple[Exact, ...]:
        """The numbers that are not used yet: numbers of the hand, then results of steps."""
        return self._parse_steps().left if self.steps else self.puzzle.hand

    @property
    def scored(self) -> bool:
        return self.puzzle.game.scoring is not None

    @property
    def points(self) -> int:
        scoring = self.puzzle.game.scoring
        if not (scoring and self.best_formula and self.result in ("right", "closest")):
            return 0
        operators = self._check_formula(self.best_formula).points or 0
        return scoring.of(self._distance(self._best_value())) + operators

    @property
    def best_attempt(self) -> tuple[Exact, str] | None:
        """The closest value so far and its formula, or None; steps taken back do not count."""
        attempts = [(self._best_value(), self.best_formula)] if self.best_formula else []
        if self.puzzle.game.accepts_closest and self.steps:
            attempts += self._answer_results(self._parse_steps())
        return min(attempts, key=lambda attempt: self._distance(attempt[0]), default=None)

    def row(self) -> dict[str, Any]:
        difficulty = self.puzzle.difficulty
        bits, level = (difficulty.bits, difficulty.level) if difficulty else (None, None)
        return self._log_row(self.puzzle.id, bits, level)

    def _judge_input(self, text: str) -> Turn:
        return self._judge_steps(text) if ends_with_result(text) else self._judge_formula(text)

    def _judge_steps(self, text: str) -> Turn:
        """Return the next round and the reply to steps that end with a result."""
        try:
            return self._take_steps(self._parse_steps(text))
        except FormulaError as error:
            # The steps can start again with the whole hand.
            check = self._check_formula(text.rstrip("=＝ "))
            if check and check.value is not None and check.value in self.puzzle.accepted_values:
                formula, *_ = check.formula.split(" = ")
                return replace(self, steps=())._solve(check.value, formula)
            return self._reject(error, text)

    def _take_steps(self, position: PartialWorking) -> Turn:
        """Return the round after some more steps, and the reply to them."""
        old_count = len(self.steps)
        next_round = replace(self, steps=position.steps, hints_since_step=0)
        for value, formula in self._answer_results(position, skip_count=old_count):
            if value in self.puzzle.accepted_values and self._check_formula(formula):
                return next_round._solve(value, formula)
        if len(position.left) == 1:
            # In games that accept the closest value, a wrong number is a legal attempt.
            is_wrong = not self.puzzle.game.accepts_closest
            next_round = replace(next_round, wrong=next_round.wrong + is_wrong)
            return next_round, next_round._reply("stuck")
        new_values = [value for value, _ in position.results[old_count:]]
        if self.puzzle.game.all_numbers and self.puzzle.target in new_values:
            return next_round, next_round._reply("unused")
        points, count = self.puzzle.game.operator_points, len(self.puzzle.hand)
        if points is None or not position.steps:
            return next_round, next_round._reply("step")
        earned = sum(formula_points(term.tree, points, count) for term in position.terms)
        return next_round, replace(next_round._reply("earned", count=earned), kind="step")

    def _answer_results(
        self, position: PartialWorking, skip_count: int = 0
    ) -> Iterator[tuple[Exact, str]]:
        """Yield (value, formula) for each step whose result can be the answer to the puzzle."""
        results = position.answers(self.puzzle.game, skip_count)
        return ((value, text_of(tree, self.puzzle.style)) for value, tree in results)

    def _judge_formula(self, text: str) -> Turn:
        # Check the formula as the rest of the working so far, then as one of the whole hand.
        check = self._check_formula(", ".join([*self.steps, text]))
        if self.steps and check.verdict != "legal":
            check_of_whole_hand = self._check_formula(text)
            if check_of_whole_hand.verdict == "legal":
                check = check_of_whole_hand
        value = check.value if check.verdict == "legal" else None
        formula = " ".join(check.formula.split())
        if value is not None and value in self.puzzle.accepted_values:
            return self._solve(value, formula)
        position = self._unfinished_step(text)
        if position is not None:
            return self._take_steps(position)
        if check.error is not None:
            return self._reject(check.error, text)
        if value is not None and self.puzzle.game.accepts_closest:
            return self._keep_closest(value, formula)
        next_round = replace(self, wrong=self.wrong + 1)
        if value is None:
            return next_round, self._message_reply(check.message, check.verdict)
        reason = message("answer.makes", value=value, target=self.puzzle.target)
        return next_round, next_round._message_reply(reason, "wrong")

    def _keep_closest(self, value: Exact, formula: str) -> Turn:
        """Return the round that keeps a formula if it is the closest so far, and the reply."""
        is_closest = not self.best_formula or (
            self._distance(value) < self._distance(self._best_value())
        )
        next_round = replace(self, best_formula=formula) if is_closest else self
        # The result of a step can be closer than both formulas.
        best, best_formula = next_round.best_attempt or (value, formula)
        kind = "closer" if best_formula == formula else "farther"
        return next_round, next_round._reply(kind, value, formula, best=self._text_of(best))

    def _unfinished_step(self, text: str) -> PartialWorking | None:
        """Return the steps and numbers left after a step typed without its result: `75 + 50`."""
        try:
            position = self._parse_steps(text)
        except FormulaError:
            return None
        # Each step replaces two numbers by one.
        step_count = len(self.left) - len(position.left)
        max_steps = len(self.left) if self.puzzle.game.all_numbers else 1
        leaves_numbers = len(position.left) > 1
        return position if 1 <= step_count <= max_steps and leaves_numbers else None

    def _give_hint(self) -> Turn:
        try:
            steps_to_target = next_steps(self.puzzle, self.steps)
            is_unsolvable = not steps_to_target and self._is_unsolvable
        except RefusedError as error:
            return self, self._message_reply(error.message, "hint")
        next_round = replace(self, hints=self.hints + 1, hints_since_step=self.hints_since_step + 1)
        if not steps_to_target:
            reply = next_round._reply("none" if is_unsolvable else "lost")
            return next_round, replace(reply, kind="lost")
        step = steps_to_target[min(self.hints_since_step, len(steps_to_target) - 1)]
        is_number = "=" not in step
        reply = next_round._reply("there" if is_number else "hint", formula=step)
        return next_round, replace(reply, kind="hint")

    def _take_back(self, key: str) -> Turn:
        steps = self.steps[:-1] if key == "undo" else ()
        next_round = replace(self, steps=steps, hints_since_step=0)
        return next_round, replace(next_round._reply("step"), kind=key)

    def _solve(self, value: Exact, formula: str) -> Turn:
        """Return the round that ends with a best possible value."""
        result = "shown" if self.seen else "right"
        next_round = replace(self, best_formula=formula, result=result)
        kind = "right" if value == self.puzzle.target else "nearest"
        reply = next_round._reply(kind, value, formula)
        text = self._join_clauses(next_round._with_points(reply.text), next_round._most_text())
        return next_round, replace(reply, kind="right", text=text)

    def _end(self, key: str) -> Turn:
        next_round = replace(self, result=key)
        text = "" if key == "shown" else self._round_text(key)
        if self.best_attempt:
            value, formula = self.best_attempt
            result = "shown" if self.seen else "closest"
            next_round = replace(self, best_formula=formula, result=result)
            if next_round.scored and not next_round.points:
                # A value too far away for points does not count.
                next_round = replace(next_round, result=key)
            closest = next_round._with_points(next_round._reply("closest", value).text)
            text = self._join_clauses(text, closest) if key == "over" else closest
        formula = ""
        if key in ("over", "shown"):
            formula, solution = self._solution()
            text = self._join_clauses(text, solution)
        return next_round, Reply(key, text, self.left, formula)

    def _reject(self, error: FormulaError, text: str) -> Turn:
        """Return the next round, and the reply to a text that breaks a rule or cannot be read."""
        length_before_text = len(error.text) - len(text)
        position, length = error.position - length_before_text, error.length
        if position < 0:
            # The error is in an earlier step: mark the whole typed text.
            position, length = 0, len(text)
        error_in_text = type(error)(error.message, text, position, length, error.code)
        is_wrong_answer = not isinstance(error, MalformedFormulaError)
        next_round = replace(self, wrong=self.wrong + is_wrong_answer)
        reply = self._message_reply(error.message, error.kind)
        return next_round, replace(reply, error=error_in_text)

    def _solution(self) -> tuple[str, str]:
        """Return the likeliest solution as a formula, and a sentence for the player about it."""
        puzzle = self.puzzle
        try:
            if self._is_unsolvable:
                return "", self._reply("none").text
            solutions = puzzle.solutions(nearest=True)
        except RefusedError as error:
            return "", self._message_reply(error.message, "shown").text
        formula = text_of(solutions[0].expression, puzzle.style)
        if most := self._most_text():
            return formula, most
        text_name = "only" if len(solutions) == 1 else "likeliest"
        values = {"formula": formula, "value": self._text_of(puzzle.best)}
        return formula, self._round_text(text_name, len(solutions), **values)

    def _parse_steps(self, text: str = "") -> PartialWorking:
        """Return the steps taken and those in a text, with the numbers left after them."""
        # A quotient that is a whole step, such as 2/4, is not the number 1/2.
        steps = [*self.steps, _QUOTIENT.sub(r"\1 \2 \3", text)] if text else self.steps
        puzzle = self.puzzle
        return parse_partial_working(", ".join(steps), puzzle.game, puzzle.hand, puzzle.style)

    def _check_formula(self, text: str) -> Check:
        """Check a formula of the whole hand; it is legal whatever its value is."""
        game = replace(self.puzzle.game, target=None)
        return check_against_target(text, self.puzzle.hand, None, game, style=self.puzzle.style)

    @property
    def _is_unsolvable(self) -> bool:
        """Whether the target cannot be made, and no other value counts."""
        return not (self.puzzle.game.accepts_closest or self.puzzle.solvable)

    def _distance(self, value: Exact) -> Exact:
        return int_if_whole(abs(Fraction(value) - self.puzzle.target))

    def _best_value(self) -> Exact:
        """Return the value of the best formula; raise RefusedError if it is not legal."""
        check = self._check_formula(self.best_formula)
        if check.verdict != "legal" or check.value is None:
            reason = as_message(check.message or "")
            raise RefusedError(message("list.label", label=quoted(self.best_formula), text=reason))
        return check.value

    def _text_of(self, value: Exact) -> str:
        return STYLES[self.puzzle.style].format_value(value)

    def _with_points(self, text: str) -> str:
        if not self.scored:
            return text
        points = message("result.points", count=self.points)
        return self.language.text("list.label", label=text, text=points)

    def _most_text(self) -> str:
        """Return the most points and their formula, in a round that has ended with fewer."""
        puzzle = self.puzzle
        try:
            most = puzzle.most_points if puzzle.game.operator_points else None
        except RefusedError:
            return ""
        if most is None or most <= self.points:
            return ""
        points = message("result.points", count=most)
        return self._round_text("most", points=points, formula=puzzle.answer())

    def _reply(
        self, kind: str, value: Exact | None = None, formula: str = "", **more: object
    ) -> Reply:
        """Return a reply with the text of the message `round.<kind>`."""
        values = {
            "hand": format_hand(self.puzzle.hand),
            "target": self._text_of(self.puzzle.target),
            "left": " ".join(map(self._text_of, self.left)),
            "formula": formula,
            **more,
        }
        if value is not None:
            values |= {"value": self._text_of(value), "gap": format_value(self._distance(value))}
        return Reply(kind, self._round_text(kind, None, **values), self.left, formula)
