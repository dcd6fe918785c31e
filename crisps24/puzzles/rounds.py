"""Rounds: the player's input goes in, a new round and a reply come out.

A `Round` is a value that never changes: `played, reply = played.play("8 x 3 = 24", seconds=4.2)`.
Its fields are its whole state, so that a page can write them into an address and restore it. The
caller passes the clock; nothing is read or printed here.

Input is a formula or a working (of the numbers that are left, or of the whole card); a step or
several, `75 + 50 = 125`, `75 + 50 =` or `75 + 50`; or a key of `ROUND_KEYS`. Input that is not an
answer and leaves numbers is a step. In games that need not use all numbers, a step has two.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import Any, Self, cast

from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import ENGLISH, Language, Message, as_message, message
from crisps24.notation.checking import Check, check_against_target
from crisps24.notation.errors import FormulaError, MalformedFormulaError
from crisps24.notation.trees import text_of
from crisps24.notation.workings import PartialWorking, ends_with_result, parse_partial_working
from crisps24.puzzle import Puzzle
from crisps24.puzzles.hints import next_steps
from crisps24.rules.characters import normalise
from crisps24.rules.deals import format_hand
from crisps24.rules.exact import Exact, int_if_whole
from crisps24.rules.games import Game
from crisps24.rules.ids import changed_rule_texts
from crisps24.rules.words import format_value

# What is typed instead of a formula, and what it asks for; the text `round.help` lists them.
ROUND_KEYS = {
    **{"?": "hint", "!": "shown", "u": "undo", "r": "restart", "": "skipped", "q": "left"},
    "help": "help",
}

# How a round ended; one that has not ended has no result.
RESULTS = ("right", "closest", "over", "shown", "skipped", "left")
# The keys of the messages for results.
RESULT_MESSAGES = {
    "right": "play.right",
    "closest": "play.closest",
    "over": "round.over",
    "shown": "play.shown",
    "skipped": "round.skipped",
    "left": "round.left",
}
# Points by how far a formula may be from the target, as on television.
POINTS_BY_DISTANCE = {0: 10, 5: 7, 10: 5}

Turn = tuple["Round", "Reply"]


def parse_key(text: str) -> str | None:
    """Return what a key of `ROUND_KEYS` asks for; None for what is no key.

    >>> parse_key("?"), parse_key(" Q "), parse_key("4 + 3")
    ('hint', 'left', None)
    """
    return ROUND_KEYS.get(normalise(text).strip().lower())


def is_scored(game: Game) -> bool:
    """Return whether a game gives points: the closest value counts."""
    return game.accepts_closest


@dataclass(frozen=True, slots=True)
class Reply:
    """What is said of something that was typed."""

    kind: str
    """`right`, `over`, `shown`, `skipped` and `left` end a round; `wrong`, `illegal` and
    `malformed` are the judge's; `step`, `unused` (the target is made, and numbers are left),
    `stuck` (there is nothing to go on with), `undo` and `restart` move; `closer` and `farther` are
    other values where the closest counts; `hint`, and `lost` where no way leads on; `ended` is
    said of what is typed after the end; `help` names the keys."""
    text: str
    """What is said, in a sentence."""
    left: tuple[Exact, ...] = ()
    """The numbers that are left after it."""
    formula: str = ""
    """What was made or is shown, or the step that is hinted at."""
    language: Language | None = None
    """The language of the text, if it is that of the round or English."""
    error: FormulaError | None = None
    """What is wrong, where a part can be marked: `text`, `position`, `length`, `marked()`."""


class BaseRound(ABC):
    """What every round is, whatever is played: a value with a clock, keys and an end."""

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
        """What is played, and by which rules."""

    @property
    def heading(self) -> str:
        """What is told of it while it is played."""
        return self.title

    @property
    @abstractmethod
    def task(self) -> str:
        """What is asked."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What was played, once it has ended."""

    @property
    @abstractmethod
    def outcome(self) -> str:
        """How it ended, for a table."""

    @property
    def level(self) -> int | None:
        """How hard it is, where that is known."""
        return None

    @property
    def left(self) -> tuple[Exact, ...]:
        """The numbers that are not used yet, where numbers are used."""
        return ()

    @property
    def scored(self) -> bool:
        """Whether points are given."""
        return False

    @property
    def points(self) -> int:
        """The points of a round that has ended."""
        return 0

    @property
    def clock(self) -> str:
        """What is said of the time that is left; nothing where there is no limit."""
        if self.limit is None:
            return ""
        return self._round_text("clock", seconds=round(max(0, self.limit - self.seconds)))

    @abstractmethod
    def row(self) -> dict[str, Any]:
        """Return what a log keeps of a round; when it was played the caller adds."""

    def is_time_up(self, seconds: float) -> bool:
        """Return whether there is no time left after so many seconds."""
        return self.limit is not None and seconds > self.limit

    def play(self, text: str, seconds: float = 0.0) -> "tuple[Self, Reply]":
        """Return the round after something was typed, so many seconds after it began, and a reply.

        Whatever is typed is answered; a round that has ended stays as it is.
        """
        if self.result:
            return self, Reply("ended", self._round_text("ended"), self.left)
        now: Self = replace(cast("Any", self), seconds=seconds)
        if self.is_time_up(seconds):
            return now._end("over")
        key = parse_key(text)
        if key is None:
            return now._judge_input(text)
        if key == "help":
            return now, Reply(key, now._round_text(key), now.left)
        if key == "hint":
            return now._give_hint()
        if key in ("undo", "restart"):
            return now._take_back(key)
        return now._end(key)

    @abstractmethod
    def _judge_input(self, text: str) -> "tuple[Self, Reply]":
        """Judge what is no key."""

    @abstractmethod
    def _give_hint(self) -> "tuple[Self, Reply]":
        """Give a hint."""

    @abstractmethod
    def _take_back(self, key: str) -> "tuple[Self, Reply]":
        """Take back a step, or all of them."""

    @abstractmethod
    def _end(self, key: str) -> "tuple[Self, Reply]":
        """End without what was asked for."""

    def _check_result(self) -> None:
        """Raise ValueError, in one sentence, for a result that there is not."""
        if self.result and self.result not in RESULTS:
            raise RefusedError(f"{self.result[:20]!r} is no result: they are {', '.join(RESULTS)}")

    def _log_row(self, named: str, bits: float | None, level: int | None) -> dict[str, Any]:
        """Return the row of a log, of what was played by its id."""
        return {
            "id": named,
            "bits": bits,
            "level": level,
            "seconds": round(self.seconds, 1),
            "hints": self.hints,
            "wrong": self.wrong,
            "result": self.result,
        }

    def _round_text(self, name: str, count: int | None = None, /, **words: object) -> str:
        """Return the text of a message of rounds in the language of this one."""
        counted = {} if count is None else {"count": count}
        return self.language.text(f"round.{name}", **counted, **words)

    def _join_clauses(self, *clauses: str) -> str:
        """Return one sentence of clauses, without empty ones."""
        text = self.language.text
        return reduce(
            lambda first, then: text("list.then", first=first, then=then), filter(None, clauses)
        )

    def _message_reply(self, message: Message | None, kind: str) -> Reply:
        """Return a reply with a message of the library in the language of the round."""
        text, language = as_message(message or "").spoken(self.language)
        return Reply(kind, text, self.left, language=language)


@dataclass(frozen=True, slots=True)
class Round(BaseRound):
    """A puzzle and how far a person has come with it.

    >>> from crisps24.puzzle import puzzle_of
    >>> played = Round(puzzle_of("cards:4.6.8.10=24"))
    >>> played, reply = played.play("10 + 8 = 18", seconds=3)
    >>> reply.kind, reply.text
    ('step', 'left: 4 6 18')
    >>> played, reply = played.play("18 + 6", seconds=5)
    >>> reply.text
    'that is 24, but all numbers must be used; left: 4 24'
    >>> played, reply = played.play("?", seconds=8)
    >>> reply.kind, played.hints, played.wrong, played.result
    ('lost', 1, 0, '')

    Raises ValueError, in one sentence, for fields that no round can have.
    """

    puzzle: Puzzle
    limit: float | None = None
    """Seconds after which time is over; None for as long as it takes."""
    steps: tuple[str, ...] = ()
    """The steps that were taken, as they were typed."""
    wrong: int = 0
    """How often something was tried that was not right."""
    hints: int = 0
    """How many hints were given."""
    hints_since_step: int = 0
    """How many of these since the last step."""
    best_formula: str = ""
    """The formula that came closest, where the closest counts; at the end, what the steps made."""
    result: str = ""
    """One of `RESULTS` when it has ended."""
    seconds: float = 0.0
    """How long it has taken, up to what was typed last."""
    language: Language = ENGLISH
    """In which it is spoken."""

    def __post_init__(self) -> None:
        if not all(
            each >= 0 for each in (self.wrong, self.hints, self.hints_since_step, self.seconds)
        ):
            raise RefusedError("tries, hints and seconds are counted from 0")
        self._check_result()
        if self.steps and self._parse_steps().steps != self.steps:
            raise RefusedError(message("working.states_none"))
        if self.best_formula:
            self._best_value()

    @property
    def title(self) -> str:
        """The game, and the rules in which it is another than that of its name."""
        game = self.puzzle.game
        return "".join(
            [game.name, *(f", {name} {text}" for name, text in changed_rule_texts(game).items())]
        )

    @property
    def heading(self) -> str:
        """The id of the puzzle."""
        return self.puzzle.id

    @property
    def task(self) -> str:
        """What is asked: `make 24 from 4 6 8 10`."""
        hand = format_hand(self.puzzle.hand)
        return self.language.text("task.card", target=self.puzzle.target, hand=hand)

    @property
    def name(self) -> str:
        """What was played: `24 of 4 6 8 10`."""
        hand, target = format_hand(self.puzzle.hand), format_value(self.puzzle.target)
        return self.language.text("marks.puzzle", target=target, hand=hand)

    @property
    def outcome(self) -> str:
        """How it ended, with the points that were given."""
        ended = self.language.text(RESULT_MESSAGES[self.result])
        return self._with_points(ended) if self.points else ended

    @property
    def level(self) -> int | None:
        """The level of the puzzle."""
        return self.puzzle.level

    @property
    def left(self) -> tuple[Exact, ...]:
        """The numbers that are not used yet: those dealt, then those made."""
        return self._parse_steps().left if self.steps else self.puzzle.hand

    @property
    def scored(self) -> bool:
        """Whether points are given."""
        return is_scored(self.puzzle.game)

    @property
    def points(self) -> int:
        """The points of a round that has ended by what was made, 0 else."""
        if not (self.scored and self.best_formula and self.result in ("right", "closest")):
            return 0
        gap = self._distance(self._best_value())
        return next((points for most, points in POINTS_BY_DISTANCE.items() if gap <= most), 0)

    @property
    def best_attempt(self) -> tuple[Exact, str] | None:
        """What comes closest, where that counts, and its formula; a step taken back does not."""
        found = [(self._best_value(), self.best_formula)] if self.best_formula else []
        if self._accepts_closest and self.steps:
            found += self._answer_results(self._parse_steps())
        return min(found, key=lambda each: self._distance(each[0]), default=None)

    def row(self) -> dict[str, Any]:
        """Return what a log keeps of a round; when it was played the caller adds."""
        graded = self.puzzle.difficulty
        bits, level = (graded.bits, graded.level) if graded else (None, None)
        return self._log_row(self.puzzle.id, bits, level)

    def _judge_input(self, text: str) -> Turn:
        """Take the steps of a text, or judge the formula that it is."""
        return self._judge_steps(text) if ends_with_result(text) else self._judge_formula(text)

    def _judge_steps(self, text: str) -> Turn:
        """Take the steps of a text, or say what is wrong with them."""
        try:
            return self._take_steps(self._parse_steps(text))
        except FormulaError as error:
            return self._judge_full_working(text) or self._reject(error, text)

    def _judge_full_working(self, text: str) -> Turn | None:
        """Take steps as if none had been taken yet, if these come to the target."""
        fresh = replace(self, steps=())
        try:
            found = fresh._take_steps(fresh._parse_steps(text))
        except FormulaError:
            return None
        return found if found[0].result else None

    def _take_steps(self, there: PartialWorking) -> Turn:
        """Go on to where some steps lead."""
        game, last = self.puzzle.game, len(there.left) == 1
        fresh = there.results[len(self.steps) :]
        now = replace(self, steps=there.steps, hints_since_step=0)
        for value, formula in self._answer_results(there, len(self.steps)):
            if self._is_best(value):
                return now._solve(value, formula)
        if last:
            now = replace(now, wrong=now.wrong + (not self._accepts_closest))
            return now, now._reply("stuck")
        unused = game.all_numbers and self.puzzle.target in (value for value, _ in fresh)
        return now, now._reply("unused" if unused else "step")

    def _answer_results(self, there: PartialWorking, first: int = 0) -> Iterator[tuple[Exact, str]]:
        """Yield the results of steps that are answers, with the formulas that make them."""
        style, results = self.puzzle.style, there.results[first:]
        # Where every number has to be used, what is made before the end is no answer.
        if self.puzzle.game.all_numbers:
            results = results[-1:] if len(there.left) == 1 else ()
        return ((value, text_of(tree, style)) for value, tree in results)

    def _judge_formula(self, text: str) -> Turn:
        """Judge a formula of the numbers that are left, or of the whole card, or take the step."""
        found = self._check_formula(", ".join([*self.steps, text]))
        if self.steps and found.verdict != "legal":
            whole = self._check_formula(text)
            found = whole if whole.verdict == "legal" else found
        value = found.value if found.verdict == "legal" else None
        if (value is None or not self._is_best(value)) and (step := self._unfinished_step(text)):
            return self._take_steps(step)
        if found.error is not None:
            return self._reject(found.error, text)
        if value is None:
            now = replace(self, wrong=self.wrong + 1)
            return now, self._message_reply(found.message, found.verdict)
        formula = " ".join(found.formula.split())
        if self._is_best(value):
            return self._solve(value, formula)
        if not self._accepts_closest:
            now = replace(self, wrong=self.wrong + 1)
            wrong = message("answer.makes", value=value, target=self.puzzle.target)
            return now, now._message_reply(wrong, "wrong")
        worse = self.best_formula and self._distance(value) >= self._distance(self._best_value())
        now = self if worse else replace(self, best_formula=formula)
        best, nearest = now.best_attempt or (value, formula)
        kind = "closer" if nearest == formula else "farther"
        return now, now._reply(kind, value, formula, best=format_value(best))

    def _unfinished_step(self, text: str) -> PartialWorking | None:
        """Return where a text leads that is a step without what it makes; None for another."""
        try:
            there = self._parse_steps(text)
        except FormulaError:
            return None
        fewer = len(self.left) - len(there.left)
        is_step = fewer == 1 or (fewer > 1 and self.puzzle.game.all_numbers)
        return there if is_step and len(there.left) > 1 else None

    def _give_hint(self) -> Turn:
        """Tell the next step, of those that lead on from here."""
        way = next_steps(self.puzzle, self.steps)
        now = replace(self, hints=self.hints + 1, hints_since_step=self.hints_since_step + 1)
        if not way:
            told = now._reply("none" if self._is_unsolvable else "lost")
            return now, replace(told, kind="lost")
        step = way[min(self.hints_since_step, len(way) - 1)]
        reply = now._reply("hint" if "=" in step else "there", formula=step)
        return now, replace(reply, kind="hint")

    def _take_back(self, key: str) -> Turn:
        """Take back a step, or all of them."""
        now = replace(self, steps=self.steps[:-1] if key == "undo" else (), hints_since_step=0)
        return now, replace(now._reply("step"), kind=key)

    def _solve(self, value: Exact, formula: str) -> Turn:
        """End with what was asked for, or what is as near to it as can be."""
        now = replace(self, best_formula=formula, result="right")
        kind = "right" if value == self.puzzle.target else "nearest"
        reply = now._reply(kind, value, formula)
        return now, replace(reply, kind="right", text=now._with_points(reply.text))

    def _end(self, key: str) -> Turn:
        """End without what was asked for; the closest counts, if there is one near enough."""
        now = replace(self, result=key)
        said = "" if key == "shown" else self._round_text(key)
        if self.best_attempt:
            value, formula = self.best_attempt
            now = replace(self, best_formula=formula, result="closest")
            if now.scored and not now.points:
                # What is too far off for points does not count as an approach.
                now = replace(now, result=key)
            told = now._reply("closest", value).text
            told = now._with_points(told)
            said = self._join_clauses(said, told) if key == "over" else told
        formula = ""
        if key in ("over", "shown"):
            formula, solution = self._solution()
            said = self._join_clauses(said, solution)
        return now, Reply(key, said, self.left, formula)

    def _reject(self, error: FormulaError, text: str) -> Turn:
        """Say what is wrong, and where in what was typed: what came before it was right."""
        start = error.position - (len(error.text) - len(text))
        span = (start, error.length) if start >= 0 else (0, len(text))
        found = type(error)(error.message, text, *span, error.code)
        tries = self.wrong + (not isinstance(error, MalformedFormulaError))
        now = replace(self, wrong=tries)
        return now, replace(self._message_reply(error.message, error.kind), error=found)

    def _solution(self) -> tuple[str, str]:
        """Return the likeliest solution, and what is said of it."""
        puzzle = self.puzzle
        if self._is_unsolvable:
            return "", self._reply("none").text
        ways = puzzle.solutions()
        formula = text_of(ways[0].expression, puzzle.style)
        kind = "only" if len(ways) == 1 else "likeliest"
        told = {"formula": formula, "value": format_value(puzzle.best)}
        return formula, self._round_text(kind, len(ways), **told)

    def _parse_steps(self, text: str = "") -> PartialWorking:
        """Return where the steps lead, those of a text after those that were taken."""
        every = [*self.steps, text] if text else self.steps
        puzzle = self.puzzle
        return parse_partial_working(", ".join(every), puzzle.game, puzzle.hand, puzzle.style)

    def _check_formula(self, text: str) -> Check:
        """Ask the judge of a formula, whatever it makes: it is legal, or not."""
        game = replace(self.puzzle.game, target=None)
        return check_against_target(text, None, self.puzzle.hand, game, style=self.puzzle.style)

    @property
    def _accepts_closest(self) -> bool:
        """Whether another value than the target counts."""
        return self.scored

    @property
    def _is_unsolvable(self) -> bool:
        """Whether the target cannot be made, and nothing else counts."""
        return not (self.scored or self.puzzle.solvable)

    def _is_best(self, value: Exact) -> bool:
        return value in self.puzzle.accepted_values

    def _distance(self, value: Exact) -> Exact:
        """Return how far a value is from the target."""
        return int_if_whole(abs(Fraction(value) - self.puzzle.target))

    def _best_value(self) -> Exact:
        """Return the value of the formula that was declared."""
        found = self._check_formula(self.best_formula)
        if found.verdict != "legal" or found.value is None:
            reason = as_message(found.message or "")
            raise RefusedError(message("list.label", label=quoted(self.best_formula), text=reason))
        return found.value

    def _with_points(self, text: str) -> str:
        if not self.scored:
            return text
        points = message("result.points", count=self.points)
        return self.language.text("list.label", label=text, text=points)

    def _reply(
        self, kind: str, value: Exact | None = None, formula: str = "", **more: str
    ) -> Reply:
        told = more | {
            "hand": format_hand(self.puzzle.hand),
            "target": format_value(self.puzzle.target),
            "left": " ".join(map(format_value, self.left)),
            "formula": formula,
        }
        if value is not None:
            told |= {"value": format_value(value), "gap": format_value(self._distance(value))}
        return Reply(kind, self._round_text(kind, **told), self.left, formula)
