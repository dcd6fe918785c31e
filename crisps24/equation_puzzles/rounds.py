"""Rounds of guessing: find an equation by the marks of guesses.

An `EquationRound` has the commands and the clock of a round of a puzzle, but no undo.
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
from crisps24.puzzles.dealing import check_count, to_seed
from crisps24.puzzles.draws import VERSION, Draws
from crisps24.puzzles.rounds import RESULT_MESSAGES, BaseRound, Reply
from crisps24.rules.ids import changed_rules
from crisps24.rules.rules import FLAG, Rule

# Guesses of a round, as in the daily puzzle.
MAX_GUESSES = 6


@dataclass(frozen=True, slots=True)
class EquationRound(BaseRound):
    """The state of a round: an equation, and the guesses so far."""

    secret: str
    equation: Equation
    limit: float | None = None
    """Seconds; None for no limit."""
    guesses: tuple[str, ...] = ()
    """The guesses, which are right equations, as players type them."""
    wrong: int = 0
    """The number of guesses that were not the secret."""
    hints: int = 0
    result: str = ""
    """The end of the round, one of `rounds.RESULTS`; empty while it is open."""
    seconds: float = 0.0
    """The time from the start to the last input."""
    language: Language = ENGLISH

    def __post_init__(self) -> None:
        read_equation(self.secret, self.equation)
        self._check_result()

    @property
    def title(self) -> str:
        """The name of the game, "equation", and the rules that differ from the default."""
        changed = changed_rules(self.equation.game)
        rules = [
            self.language.text(
                "list.label", label=as_message(rule.label), text=_value_text(rule, value)
            )
            for rule, value in changed
            if rule.field in STEP_RULE_FIELDS
        ]
        return self.language.text("list.clauses").join([EQUATION, *rules])

    @property
    def task(self) -> str:
        """The task, and the meaning of the marks."""
        return self._guess_text("task", length=self.equation.length, guesses=MAX_GUESSES)

    @property
    def name(self) -> str:
        return self.secret

    @property
    def outcome(self) -> str:
        """The result, with the number of guesses."""
        result = message(RESULT_MESSAGES[self.result])
        return self._guess_text("outcome", result=result, count=len(self.guesses))

    def row(self) -> dict[str, Any]:
        row = self._log_row(f"{EQUATION}:{self.secret}", None, None)
        return row | {"guesses": list(self.guesses)}

    def marks(self, guess: str) -> str:
        """Return the marks of a guess, such as `gyybb`."""
        codes = [read_equation(text, self.equation) for text in (guess, self.secret)]
        return marks_for(codes[0], codes[1], self.equation)

    def _judge_input(self, text: str) -> tuple[Self, Reply]:
        try:
            codes = read_equation(text, self.equation)
        except FormulaError as error:
            return self, replace(self._message_reply(error.message, error.kind), error=error)
        except RefusedError as error:
            return self, self._message_reply(error.message, "malformed")
        [guess] = format_equations(np.array([codes], np.uint8), self.equation)
        next_round = replace(self, guesses=(*self.guesses, guess))
        marks = self.marks(guess)
        values = {"guess": guess, "marks": marks, "secret": self.secret}
        if guess == self.secret:
            reply = Reply("right", self._guess_text("right", **values))
            return replace(next_round, result="right"), reply
        next_round = replace(next_round, wrong=self.wrong + 1)
        if len(next_round.guesses) == MAX_GUESSES:
            reply = Reply("over", self._guess_text("spent", **values))
            return replace(next_round, result="over"), reply
        # The marks are shown below the input; the guess is repeated if the input has spaces.
        shown = marks if len(text) == len(guess) else f"{guess} {marks}"
        return next_round, Reply("wrong", shown, formula=guess)

    def _give_hint(self) -> tuple[Self, Reply]:
        next_round = replace(self, hints=self.hints + 1)
        guesses_and_marks = [(guess, self.marks(guess)) for guess in self.guesses]
        remaining = remaining_equations(self.equation, guesses_and_marks)
        try:
            guess = best_guess(remaining).text
        except RefusedError:
            return next_round, Reply("hint", self._guess_text("many"))
        hint = self._guess_text("hint", guess=guess, left=Count(len(remaining)))
        return next_round, Reply("hint", hint, formula=guess)

    def _guess_text(self, name: str, **values: object) -> str:
        return self.language.text(f"guess.{name}", **values)

    def _take_back(self, key: str) -> tuple[Self, Reply]:
        """Reply that guesses cannot be taken back; the round is unchanged."""
        return self, Reply(key, self._guess_text("stays"))

    def _end(self, key: str) -> tuple[Self, Reply]:
        secret_text = self._guess_text("shown", secret=self.secret)
        text = secret_text if key == "shown" else self._round_text(key)
        if key == "over":
            text = self._join_clauses(text, secret_text)
        return replace(self, result=key), Reply(key, text, formula=self.secret)


def _value_text(rule: Rule, value: Any) -> Message | str:
    return (
        message("page.yes" if value else "page.no") if rule.kind is FLAG else rule.kind.write(value)
    )


@dataclass(frozen=True, slots=True)
class EquationDeal:
    """Drawn equations, and the command that draws them again."""

    secrets: tuple[str, ...]
    equation: Equation
    command: str
    version: int = VERSION


def deal_equations(equation: Equation, count: int = 1, *, seed: int | None = None) -> EquationDeal:
    """Draw `count` different equations; the same seed draws the same ones."""
    check_count(count)
    keys = equation_keys(equation)
    if count > len(keys):
        raise RefusedError(f"only {len(keys):,} equations have this form, fewer than {count:,}")
    seed = to_seed(seed)
    draws, rows = Draws(seed, EQUATION), dict[int, None]()
    while len(rows) < count:
        rows[draws.below(len(keys))] = None
    secrets = format_equations(symbol_codes(keys[list(rows)], equation), equation)
    words = ["crisps24", "play", EQUATION, "--count", str(count), "--seed", str(seed)]
    words += ["--length", str(equation.length)] if equation.length != Equation().length else []
    changed = changed_rules(equation.game)
    words += [rule.option_for(value) for rule, value in changed if rule.field in STEP_RULE_FIELDS]
    return EquationDeal(tuple(secrets), equation, shlex.join(words))
