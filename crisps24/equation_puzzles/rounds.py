"""Guessing: find an equation by the marks of guesses.

An `EquationRound` has the keys and the clock of the round of a puzzle; no guess is taken back.
"""

import shlex
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from crisps24.equation_puzzles.guesses import best_guess, marks_for, remaining_equations
from crisps24.equation_puzzles.reading import read_equation
from crisps24.equation_puzzles.records import EQUATION, STEP_RULE_FIELDS, Equation
from crisps24.equation_puzzles.search import equation_keys, format_equations, symbol_codes
from crisps24.errors import RefusedError
from crisps24.messages.message import ENGLISH, Count, Language, Message, as_message, message
from crisps24.notation.errors import FormulaError
from crisps24.puzzles.dealing import check_count, seed_from
from crisps24.puzzles.draws import VERSION, Draws
from crisps24.puzzles.rounds import OUTCOMES, Played, Reply
from crisps24.rules.ids import changed_rules
from crisps24.rules.rules import FLAG, Rule

# So many guesses, as in the daily puzzle.
MAX_GUESSES = 6


@dataclass(frozen=True, slots=True)
class EquationRound(Played):
    """An equation, and how far a person has come with finding it.

    >>> from crisps24.equation_puzzles.records import Equation
    >>> played = EquationRound("3+4=7", Equation(5))
    >>> played, reply = played.typed("4+5=9")
    >>> reply.text
    'ygbgb'
    >>> played.typed("9+4=13")[1].text
    "'9+4=13' has 6 characters, not 5"
    >>> played.typed("3+4=7")[0].outcome
    'correct, 2 guesses'

    Raises ValueError, in one sentence, for fields that no round can have.
    """

    secret: str
    equation: Equation
    limit: float | None = None
    """Seconds after which time is over; None for as long as it takes."""
    guesses: tuple[str, ...] = ()
    """What was guessed: equations as players type them."""
    wrong: int = 0
    """How many guesses were not right."""
    hints: int = 0
    """How many hints were given."""
    result: str = ""
    """How it has ended: one of `rounds.RESULTS`."""
    seconds: float = 0.0
    """How long it has taken, up to what was typed last."""
    language: Language = ENGLISH
    """The language of its replies."""

    def __post_init__(self) -> None:
        read_equation(self.secret, self.equation)
        self._check_result()

    @property
    def title(self) -> str:
        """What is played, and by which rules."""
        changed = changed_rules(self.equation.game)
        rules = [
            self.language.text("list.label", label=as_message(rule.label), text=_told(rule, value))
            for rule, value in changed
            if rule.field in STEP_RULE_FIELDS
        ]
        return self.language.text("list.clauses").join([EQUATION, *rules])

    @property
    def task(self) -> str:
        """What is asked, and how guesses are marked."""
        return self._guess("task", length=self.equation.length, guesses=MAX_GUESSES)

    @property
    def name(self) -> str:
        """The equation."""
        return self.secret

    @property
    def outcome(self) -> str:
        """How it ended, and how many guesses there were."""
        ended = message(OUTCOMES[self.result])
        return self._guess("outcome", result=ended, count=len(self.guesses))

    def row(self) -> dict[str, Any]:
        """Return what a log keeps of a round; when it was played the caller adds."""
        logged = self._logged(f"{EQUATION}:{self.secret}", None, None)
        return logged | {"guesses": list(self.guesses)}

    def marks(self, guess: str) -> str:
        """Return how a guess is marked."""
        codes = [read_equation(text, self.equation) for text in (guess, self.secret)]
        return marks_for(codes[0], codes[1], self.equation)

    def _tried(self, text: str) -> tuple[Self, Reply]:
        """Mark a guess, or say why it is none."""
        try:
            codes = read_equation(text, self.equation)
        except FormulaError as error:
            return self, replace(self._said_of(error.message, error.kind), error=error)
        except RefusedError as error:
            return self, self._said_of(error.message, "malformed")
        [guess] = format_equations(np.array([codes]), self.equation)
        now = replace(self, guesses=(*self.guesses, guess))
        told = {"guess": guess, "marks": self.marks(guess), "secret": self.secret}
        if guess == self.secret:
            return replace(now, result="right"), Reply("right", self._guess("right", **told))
        now = replace(now, wrong=self.wrong + 1)
        if len(now.guesses) == MAX_GUESSES:
            return replace(now, result="over"), Reply("over", self._guess("spent", **told))
        # Marks stand below what was typed, where that is in one piece.
        marks = told["marks"] if len(text) == len(guess) else f"{guess} {told['marks']}"
        return now, Reply("wrong", marks, formula=guess)

    def _hinted(self) -> tuple[Self, Reply]:
        """Tell the best guess of those left."""
        now = replace(self, hints=self.hints + 1)
        seen = [(guess, self.marks(guess)) for guess in self.guesses]
        left = remaining_equations(self.equation, seen)
        try:
            guess = best_guess(left).text
        except RefusedError:
            return now, Reply("hint", self._guess("many"))
        said = self._guess("hint", guess=guess, left=Count(len(left)))
        return now, Reply("hint", said, formula=guess)

    def _guess(self, name: str, **values: object) -> str:
        """Return the text of a message of guessing in the language of the round."""
        return self.language.text(f"guess.{name}", **values)

    def _back(self, key: str) -> tuple[Self, Reply]:
        """Take back nothing."""
        return self, Reply(key, self._guess("stays"))

    def _ended(self, key: str) -> tuple[Self, Reply]:
        """End without the equation."""
        shown = self._guess("shown", secret=self.secret)
        said = shown if key == "shown" else self._said(key)
        if key == "over":
            said = self._sentence(said, shown)
        return replace(self, result=key), Reply(key, said, formula=self.secret)


def _told(rule: Rule, value: Any) -> Message | str:
    """Return what a title says of the value of a rule."""
    return (
        message("page.yes" if value else "page.no") if rule.kind is FLAG else rule.kind.write(value)
    )


@dataclass(frozen=True, slots=True)
class EquationDeal:
    """Equations that were drawn, and what draws them again."""

    secrets: tuple[str, ...]
    equation: Equation
    command: str
    version: int = VERSION


def deal_equations(equation: Equation, count: int = 1, *, seed: int | None = None) -> EquationDeal:
    """Draw equations that are to be found, each once, the same for the same seed.

    >>> from crisps24.equation_puzzles.records import Equation
    >>> deal_equations(Equation(5), 2, seed=7).secrets
    ('1+8=9', '1+2=3')

    Raises ValueError for more than there are, and for more than 100,000.
    """
    check_count(count)
    keys = equation_keys(equation)
    if count > len(keys):
        raise RefusedError(f"there are {len(keys):,} such equations, fewer than {count:,}")
    seed = seed_from(seed)
    draws, places = Draws(seed, EQUATION), dict[int, None]()
    while len(places) < count:
        places[draws.below(len(keys))] = None
    secrets = format_equations(symbol_codes(keys[list(places)], equation), equation)
    words = ["crisps24", "play", EQUATION, "--count", str(count), "--seed", str(seed)]
    words += ["--length", str(equation.length)] if equation.length != Equation().length else []
    changed = changed_rules(equation.game)
    words += [rule.option_for(value) for rule, value in changed if rule.field in STEP_RULE_FIELDS]
    return EquationDeal(tuple(secrets), equation, shlex.join(words))
