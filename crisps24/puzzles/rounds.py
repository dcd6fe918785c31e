"""Rounds: the player's input goes in, a new round and a reply come out.

A `Round` is a value that never changes: `played, reply = played.typed("8 x 3 = 24", seconds=4.2)`.
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
from crisps24.puzzles.onward import way_on
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
OUTCOMES = {
    "right": "play.right",
    "closest": "play.closest",
    "over": "round.over",
    "shown": "play.shown",
    "skipped": "round.skipped",
    "left": "round.left",
}
# Points by how far a formula may be from the target, as on television.
POINTS = {0: 10, 5: 7, 10: 5}

Judged = tuple["Round", "Reply"]


def key_of(text: str) -> str | None:
    """Return what a key of `ROUND_KEYS` asks for; None for what is no key.

    >>> key_of("?"), key_of(" Q "), key_of("4 + 3")
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
    spoken: Language | None = None
    """The language of the text, if it is that of the round or English."""
    error: FormulaError | None = None
    """What is wrong, where a part can be marked: `text`, `position`, `length`, `marked()`."""


class Played(ABC):
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
        return self._said("clock", seconds=round(max(0, self.limit - self.seconds)))

    @abstractmethod
    def row(self) -> dict[str, Any]:
        """Return what a log keeps of a round; when it was played the caller adds."""

    def is_over(self, seconds: float) -> bool:
        """Return whether there is no time left after so many seconds."""
        return self.limit is not None and seconds > self.limit

    def typed(self, text: str, seconds: float = 0.0) -> "tuple[Self, Reply]":
        """Return the round after something was typed, so many seconds after it began, and a reply.

        Whatever is typed is answered; a round that has ended stays as it is.
        """
        if self.result:
            return self, Reply("ended", self._said("ended"), self.left)
        now: Self = replace(cast("Any", self), seconds=seconds)
        if self.is_over(seconds):
            return now._ended("over")
        key = key_of(text)
        if key is None:
            return now._tried(text)
        if key == "help":
            return now, Reply(key, now._said(key), now.left)
        if key == "hint":
            return now._hinted()
        if key in ("undo", "restart"):
            return now._back(key)
        return now._ended(key)

    @abstractmethod
    def _tried(self, text: str) -> "tuple[Self, Reply]":
        """Judge what is no key."""

    @abstractmethod
    def _hinted(self) -> "tuple[Self, Reply]":
        """Give a hint."""

    @abstractmethod
    def _back(self, key: str) -> "tuple[Self, Reply]":
        """Take back a step, or all of them."""

    @abstractmethod
    def _ended(self, key: str) -> "tuple[Self, Reply]":
        """End without what was asked for."""

    def _check_result(self) -> None:
        """Raise ValueError, in one sentence, for a result that there is not."""
        if self.result and self.result not in RESULTS:
            raise RefusedError(f"{self.result[:20]!r} is no result: they are {', '.join(RESULTS)}")

    def _logged(self, named: str, bits: float | None, level: int | None) -> dict[str, Any]:
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

    def _said(self, name: str, count: int | None = None, /, **words: object) -> str:
        """Return the text of a message of rounds in the language of this one."""
        counted = {} if count is None else {"count": count}
        return self.language.text(f"round.{name}", **counted, **words)

    def _sentence(self, *clauses: str) -> str:
        """Return one sentence of clauses, without empty ones."""
        text = self.language.text
        return reduce(
            lambda first, then: text("list.then", first=first, then=then), filter(None, clauses)
        )

    def _said_of(self, message: Message | None, kind: str) -> Reply:
        """Return a reply with a message of the library in the language of the round."""
        text, spoken = as_message(message or "").spoken(self.language)
        return Reply(kind, text, self.left, spoken=spoken)


@dataclass(frozen=True, slots=True)
class Round(Played):
    """A puzzle and how far a person has come with it.

    >>> from crisps24.puzzle import puzzle_of
    >>> played = Round(puzzle_of("cards:4.6.8.10=24"))
    >>> played, reply = played.typed("10 + 8 = 18", seconds=3)
    >>> reply.kind, reply.text
    ('step', 'left: 4 6 18')
    >>> played, reply = played.typed("18 + 6", seconds=5)
    >>> reply.text
    'that is 24, but all numbers must be used; left: 4 24'
    >>> played, reply = played.typed("?", seconds=8)
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
    told: int = 0
    """How many of these since the last step."""
    declared: str = ""
    """The formula that came closest, where the closest counts; at the end, what the steps made."""
    result: str = ""
    """One of `RESULTS` when it has ended."""
    seconds: float = 0.0
    """How long it has taken, up to what was typed last."""
    language: Language = ENGLISH
    """In which it is spoken."""

    def __post_init__(self) -> None:
        if not all(each >= 0 for each in (self.wrong, self.hints, self.told, self.seconds)):
            raise RefusedError("tries, hints and seconds are counted from 0")
        self._check_result()
        if self.steps and self._standing().steps != self.steps:
            raise RefusedError(message("working.states_none"))
        if self.declared:
            self._declared_value()

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
        ended = self.language.text(OUTCOMES[self.result])
        return self._with_points(ended) if self.points else ended

    @property
    def level(self) -> int | None:
        """The level of the puzzle."""
        return self.puzzle.level

    @property
    def left(self) -> tuple[Exact, ...]:
        """The numbers that are not used yet: those dealt, then those made."""
        return self._standing().left if self.steps else self.puzzle.hand

    @property
    def scored(self) -> bool:
        """Whether points are given."""
        return is_scored(self.puzzle.game)

    @property
    def points(self) -> int:
        """The points of a round that has ended by what was made, 0 else."""
        if not (self.scored and self.declared and self.result in ("right", "closest")):
            return 0
        gap = self._gap(self._declared_value())
        return next((points for most, points in POINTS.items() if gap <= most), 0)

    @property
    def nearest(self) -> tuple[Exact, str] | None:
        """What comes closest, where that counts, and its formula; a step taken back does not."""
        found = [(self._declared_value(), self.declared)] if self.declared else []
        if self._nears and self.steps:
            found += self._answers(self._standing())
        return min(found, key=lambda each: self._gap(each[0]), default=None)

    def row(self) -> dict[str, Any]:
        """Return what a log keeps of a round; when it was played the caller adds."""
        graded = self.puzzle.difficulty
        bits, level = (graded.bits, graded.level) if graded else (None, None)
        return self._logged(self.puzzle.id, bits, level)

    def _tried(self, text: str) -> Judged:
        """Take the steps of a text, or judge the formula that it is."""
        return self._stepped(text) if ends_with_result(text) else self._made(text)

    def _stepped(self, text: str) -> Judged:
        """Take the steps of a text, or say what is wrong with them."""
        try:
            return self._moved(self._standing(text))
        except FormulaError as error:
            return self._of_whole_card(text) or self._refused(error, text)

    def _of_whole_card(self, text: str) -> Judged | None:
        """Take steps as if none had been taken yet, if these come to the target."""
        fresh = replace(self, steps=())
        try:
            found = fresh._moved(fresh._standing(text))
        except FormulaError:
            return None
        return found if found[0].result else None

    def _moved(self, there: PartialWorking) -> Judged:
        """Go on to where some steps lead."""
        game, last = self.puzzle.game, len(there.left) == 1
        fresh = there.results[len(self.steps) :]
        now = replace(self, steps=there.steps, told=0)
        for value, formula in self._answers(there, len(self.steps)):
            if self._is_best(value):
                return now._right(value, formula)
        if last:
            now = replace(now, wrong=now.wrong + (not self._nears))
            return now, now._reply("stuck")
        unused = game.all_numbers and self.puzzle.target in (value for value, _ in fresh)
        return now, now._reply("unused" if unused else "step")

    def _answers(self, there: PartialWorking, first: int = 0) -> Iterator[tuple[Exact, str]]:
        """Yield the results of steps that are answers, with the formulas that make them."""
        style, results = self.puzzle.style, there.results[first:]
        # Where every number has to be used, what is made before the end is no answer.
        if self.puzzle.game.all_numbers:
            results = results[-1:] if len(there.left) == 1 else ()
        return ((value, text_of(tree, style)) for value, tree in results)

    def _made(self, text: str) -> Judged:
        """Judge a formula of the numbers that are left, or of the whole card, or take the step."""
        found = self._judged(", ".join([*self.steps, text]))
        if self.steps and found.verdict != "legal":
            whole = self._judged(text)
            found = whole if whole.verdict == "legal" else found
        value = found.value if found.verdict == "legal" else None
        if (value is None or not self._is_best(value)) and (step := self._step(text)):
            return self._moved(step)
        if found.error is not None:
            return self._refused(found.error, text)
        if value is None:
            now = replace(self, wrong=self.wrong + 1)
            return now, self._said_of(found.message, found.verdict)
        formula = " ".join(found.formula.split())
        if self._is_best(value):
            return self._right(value, formula)
        if not self._nears:
            now = replace(self, wrong=self.wrong + 1)
            wrong = message("answer.makes", value=value, target=self.puzzle.target)
            return now, now._said_of(wrong, "wrong")
        worse = self.declared and self._gap(value) >= self._gap(self._declared_value())
        now = self if worse else replace(self, declared=formula)
        best, nearest = now.nearest or (value, formula)
        kind = "closer" if nearest == formula else "farther"
        return now, now._reply(kind, value, formula, best=format_value(best))

    def _step(self, text: str) -> PartialWorking | None:
        """Return where a text leads that is a step without what it makes; None for another."""
        try:
            there = self._standing(text)
        except FormulaError:
            return None
        fewer = len(self.left) - len(there.left)
        is_step = fewer == 1 or (fewer > 1 and self.puzzle.game.all_numbers)
        return there if is_step and len(there.left) > 1 else None

    def _hinted(self) -> Judged:
        """Tell the next step, of those that lead on from here."""
        way = way_on(self.puzzle, self.steps)
        now = replace(self, hints=self.hints + 1, told=self.told + 1)
        if not way:
            told = now._reply("none" if self._hopeless else "lost")
            return now, replace(told, kind="lost")
        step = way[min(self.told, len(way) - 1)]
        reply = now._reply("hint" if "=" in step else "there", formula=step)
        return now, replace(reply, kind="hint")

    def _back(self, key: str) -> Judged:
        """Take back a step, or all of them."""
        now = replace(self, steps=self.steps[:-1] if key == "undo" else (), told=0)
        return now, replace(now._reply("step"), kind=key)

    def _right(self, value: Exact, formula: str) -> Judged:
        """End with what was asked for, or what is as near to it as can be."""
        now = replace(self, declared=formula, result="right")
        kind = "right" if value == self.puzzle.target else "nearest"
        reply = now._reply(kind, value, formula)
        return now, replace(reply, kind="right", text=now._with_points(reply.text))

    def _ended(self, key: str) -> Judged:
        """End without what was asked for; the closest counts, if there is one near enough."""
        now = replace(self, result=key)
        said = "" if key == "shown" else self._said(key)
        if self.nearest:
            value, formula = self.nearest
            now = replace(self, declared=formula, result="closest")
            if now.scored and not now.points:
                # What is too far off for points does not count as an approach.
                now = replace(now, result=key)
            told = now._reply("closest", value).text
            told = now._with_points(told)
            said = self._sentence(said, told) if key == "over" else told
        formula = ""
        if key in ("over", "shown"):
            formula, solution = self._solution()
            said = self._sentence(said, solution)
        return now, Reply(key, said, self.left, formula)

    def _refused(self, error: FormulaError, text: str) -> Judged:
        """Say what is wrong, and where in what was typed: what came before it was right."""
        start = error.position - (len(error.text) - len(text))
        span = (start, error.length) if start >= 0 else (0, len(text))
        found = type(error)(error.message, text, *span, error.code)
        tries = self.wrong + (not isinstance(error, MalformedFormulaError))
        now = replace(self, wrong=tries)
        return now, replace(self._said_of(error.message, error.kind), error=found)

    def _solution(self) -> tuple[str, str]:
        """Return the likeliest solution, and what is said of it."""
        puzzle = self.puzzle
        if self._hopeless:
            return "", self._reply("none").text
        ways = puzzle.solutions()
        formula = text_of(ways[0].expression, puzzle.style)
        kind = "only" if len(ways) == 1 else "likeliest"
        told = {"formula": formula, "value": format_value(puzzle.best)}
        return formula, self._said(kind, len(ways), **told)

    def _standing(self, text: str = "") -> PartialWorking:
        """Return where the steps lead, those of a text after those that were taken."""
        every = [*self.steps, text] if text else self.steps
        puzzle = self.puzzle
        return parse_partial_working(", ".join(every), puzzle.game, puzzle.hand, puzzle.style)

    def _judged(self, text: str) -> Check:
        """Ask the judge of a formula, whatever it makes: it is legal, or not."""
        game = replace(self.puzzle.game, target=None)
        return check_against_target(text, None, self.puzzle.hand, game, style=self.puzzle.style)

    @property
    def _nears(self) -> bool:
        """Whether another value than the target counts."""
        return self.scored

    @property
    def _hopeless(self) -> bool:
        """Whether the target cannot be made, and nothing else counts."""
        return not (self.scored or self.puzzle.solvable)

    def _is_best(self, value: Exact) -> bool:
        return value in self.puzzle.accepted_values

    def _gap(self, value: Exact) -> Exact:
        """Return how far a value is from the target."""
        return int_if_whole(abs(Fraction(value) - self.puzzle.target))

    def _declared_value(self) -> Exact:
        """Return the value of the formula that was declared."""
        found = self._judged(self.declared)
        if found.verdict != "legal" or found.value is None:
            reason = as_message(found.message or "")
            raise RefusedError(message("list.label", label=quoted(self.declared), text=reason))
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
            told |= {"value": format_value(value), "gap": format_value(self._gap(value))}
        return Reply(kind, self._said(kind, **told), self.left, formula)
