"""Read an answer as a set of statements that prove a formula, in any order.

`24 = 6 x 4, and the 6 is 9 - 3` has two facts: 6 x 4 is 24, and 9 - 3 is 6. The sides of each
clause (see `clauses`) are trees; they are equal, or each goes on with the last result (`8 - 4 = 4
x 3 = 12`). A fact with the value of the target is a *goal*. A *derivation* puts, for each number of
the goal that is not of the hand, the tree of another fact with that value. The text is right if the
formula that comes out is right, each fact is true, each other goal is right or repeats operations
of the answer, and no number is left over. The readings of a text are tried until one is right.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import islice, pairwise
from typing import Literal, NamedTuple

from crisps24.judging.clauses import Clause, Side, UnreadError, clauses_of, with_asides
from crisps24.judging.patterns import COMMAND, PROSE
from crisps24.judging.tokens import Token, has_number_words, readings, tokens_of
from crisps24.messages.message import Message, message
from crisps24.notation.errors import FormulaError
from crisps24.notation.statements import parse_statement
from crisps24.notation.trees import Expression, NoOperand, Number, Operation, numbers_of, text_of
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, Game
from crisps24.rules.operators import OPERATORS

MAX_LENGTH = 20_000
# Facts of one reading, tries for its derivations, and levels of definitions.
_MAX_FACTS, _MAX_TRIES, _MAX_DEPTH = 24, 1_000, 8
# The codes of a formula that breaks a rule of its game.
ILLEGAL_CODES = (
    *("remainder", "below-zero", "zero", "division-by-zero", "sign", "operator"),
    *("number", "too-large", "rule"),
)
# Parts of a text that are tried by themselves, and tokens of one.
_MAX_PARTS, _MAX_PART = 60, 200
# Tokens of a side: more are no answer to a hand. Lines at the end that are read by themselves.
_MAX_SIDE, _MAX_LINES = 200, 12
_DIVISION = OPERATORS[":"]
_Pair = tuple[Exact, Exact]
# The code and reason of what is wrong with an answer.
_Problem = tuple[str, Message | None]


class Exercise(NamedTuple):
    """What is compared with the answer."""

    hand: tuple[Exact, ...]
    goals: Sequence[Exact]
    """The values of right answers."""
    game: Game
    check: Callable[[Expression], _Problem | None]
    """Returns the code and reason of what is wrong with a tree, None if it is right."""
    check_steps: Callable[[str], tuple[Expression | None, _Problem | None]]
    """Returns the formula that steps in order make, if it is right, or what is wrong with it."""
    strict_equals: bool = False
    """Whether `8 - 4 = 4 x 3 = 12` is false."""
    is_marked: bool = False
    """Whether the text is marked as the answer: then it has no attempts that are given up."""


class Reading(NamedTuple):
    """What a text says: `none` has no mathematics."""

    verdict: Literal["right", "wrong", "unread", "none"]
    tree: Expression | None = None
    """The formula of a right answer."""
    problem: _Problem | None = None
    """The code and reason of a wrong answer, or of an unread one if it is known."""
    is_clear: bool = False
    """Whether that reason is certain."""
    runs_on: bool = False
    """Whether an equals sign means `then`."""


class _Fact(NamedTuple):
    tree: Expression
    value: Exact
    is_stated: bool
    """Whether the value is written."""


class _False(Exception):  # noqa: N818
    """A statement is false, with the code and the reason."""

    def __init__(self, code: str, reason: Message) -> None:
        self.problem = code, reason


def read(text: str, exercise: Exercise) -> Reading:
    """Return the first reading of a text that is right, or what the others have in common.

    Without marks, the last lines count: those above them can be attempts that are given up.
    """
    if len(text) > MAX_LENGTH or not has_numbers(text):
        return Reading("unread" if has_numbers(text) or has_number_words(text) else "none")
    reading = _read_all(text, exercise)
    if reading.verdict == "unread" and not exercise.is_marked:
        for lines in _last_lines(text):
            last = _read_all(lines, exercise._replace(is_marked=True))
            if last.verdict == "right":
                return last
    return reading


def _last_lines(text: str) -> Iterator[str]:
    """Yield the last lines with numbers and without words, the last line, and the last sentence."""
    lines = [line for line in text.splitlines() if has_numbers(line)]
    words = (i for i, line in enumerate(reversed(lines)) if PROSE.search(COMMAND.sub(" ", line)))
    count = min(next(words, len(lines)), _MAX_LINES)
    for start in range(len(lines) - count, len(lines)) if len(lines) > 1 else ():
        yield "\n".join(lines[start:])
    *_, sentence = re.split(r"(?<=[^.][.!])\s+(?=[^\W\d_])", text)
    yield from dict.fromkeys(part for part in (lines[-1], sentence) if part != text)


def _read_all(text: str, exercise: Exercise) -> Reading:
    outcomes: list[Reading] = []
    for clean, choice in readings(text):
        tokens = tokens_of(clean, choice, dict(exercise.game.letters))
        tokens = _without_hand(tokens, exercise.hand)
        try:
            clauses = clauses_of(tokens, choice)
            outcome = _judge(clauses, exercise, any(token.kind == "|" for token in tokens))
        except UnreadError as error:
            problem = ("unread", error.reason) if error.reason else None
            outcome = Reading("unread", problem=problem)
        if outcome.verdict == "right":
            return outcome
        outcomes.append(outcome)
    # With words around, all readings have to be whole and wrong.
    wrong = [outcome for outcome in outcomes if outcome.verdict == "wrong"]
    is_sure = len(wrong) == len(outcomes) or not PROSE.search(COMMAND.sub(" ", text))
    return (
        wrong[0]
        if is_sure and wrong and all(each.is_clear for each in wrong)
        else next((each for each in outcomes if each.verdict == "unread"), Reading("unread"))
    )


def find_right_part(text: str, exercise: Exercise) -> Expression | None:
    """Return the last part of a text that is right by itself, or None."""
    if len(text) > MAX_LENGTH or not has_numbers(text):
        return None
    letters = dict(exercise.game.letters)
    parts = (
        (part, choice)
        for clean, choice in readings(text)
        for part in _parts(tokens_of(clean, choice, letters))
    )
    for part, choice in islice(parts, _MAX_PARTS):
        with suppress(UnreadError):
            outcome = _judge(clauses_of(part, choice), exercise, False)
            if outcome.verdict == "right":
                return outcome.tree
    return None


def _parts(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield the operations between breaks or words, each alone and with those before it."""
    with suppress(UnreadError):
        tokens = with_asides(tokens)
    kinds = "".join([token.kind for token in tokens])
    # A bracket behind a number is a remark: `6 x 4 = 24 (as 6 + 18)`.
    cuts = [match.start() for match in re.finditer(r"[xur|;.w]|(?<=n)\(", kinds)]
    segments = [
        (before + 1, end)
        for before, end in pairwise((-1, *cuts, len(kinds)))
        if "n" in kinds[before + 1 : end]
    ]
    for last, (_, end) in reversed([*enumerate(segments)]):
        for first in range(last, -1, -1):
            start = segments[first][0]
            if end - start > _MAX_PART:
                break
            if "o" in kinds[start:end]:
                yield tokens[start:end]


def _without_hand(tokens: list[Token], hand: Sequence[Exact]) -> list[Token]:
    """Return tokens with breaks in place of lists of all numbers of the hand."""
    places = [i for i, token in enumerate(tokens) if token.kind == "n"]
    result = list(tokens)
    for first in range(len(places) - len(hand) + 1):
        numbers = places[first : first + len(hand)]
        start, end = numbers[0], numbers[-1] + 1
        kinds = {token.kind for token in tokens[start:end]}
        around = {tokens[i].kind for i in (start - 1, end) if 0 <= i < len(tokens)}
        values = [tokens[i].value for i in numbers]
        if kinds <= {"n", ";", "w"} and not around & {"o"} and sorted(values) == sorted(hand):
            if end < len(tokens) and tokens[end].kind == "=":
                continue
            result[start:end] = [Token(";")] * (end - start)
    return result


def has_numbers(text: str) -> bool:
    return re.search(r"[\d¼-¾⅐-⅞]", text) is not None


@lru_cache(maxsize=16)
def unrestricted_game(game: Game) -> Game:
    """Return a game with the letters and operators of `game`, without its other rules."""
    unrestricted = replace(FREE_GAME, letters=game.letters, signed=True)
    if not game.extra_operators:
        return unrestricted
    # Numbers such as .4 have rules of their own below, not operators.
    extra_names = (operator.name for operator in game.extra_operators if not operator.joins)
    return replace(
        unrestricted,
        # Decimals are only allowed in a game without numbers above 9.
        numbers=game.numbers if game.decimals or game.repeating else unrestricted.numbers,
        operators=(*unrestricted.operators, *extra_names),
        decimals=game.decimals,
        repeating=game.repeating,
        nesting=game.nesting,
        bits=game.bits,
    )


def _tree(side: Side, total: Exact, game: Game) -> tuple[Expression, Exact]:
    """Return the tree of a side by the usual precedence, and its value."""
    line, values = "", {}
    if len(side) > _MAX_SIDE:
        raise UnreadError
    for token in side:
        if token.kind in ("n", "t"):
            value = total if token.kind == "t" else token.value
            is_digits = isinstance(value, int) and value >= 0
            line += str(value) if is_digits else "1"
            if not is_digits:
                values[len(line)] = value
        else:
            line += "-" if token.text == "~" else token.kind if token.kind in "()" else token.text
    line = line.replace("{", "(").replace("}", ")")
    try:
        statement = parse_statement(line, game, line, values)
        numbers = [*statement.numbers, *(-number for number in statement.numbers if number < 0)]
        return statement.expression, statement.value_in(game, numbers)
    except FormulaError as error:
        if error.code == "division-by-zero":
            raise _False(error.code, error.message) from None
        raise UnreadError from error


def _quotient(token: Token) -> _Pair | None:
    """Return the two numbers of a token such as 5/4."""
    if token.kind != "n" or not re.fullmatch(r"\d+/\d+", token.text):
        return None
    top, bottom = token.text.split("/")
    return int(top), int(bottom)


def _is_number(side: Side) -> bool:
    kinds = [token.kind for token in side if token.text != "~" and token.kind not in "()"]
    return len(kinds) == 1


def _facts_of(
    clause: Clause, total: Exact, exercise: Exercise
) -> tuple[list[_Fact], Exact | None, Exact, bool]:
    """Return the facts of a clause, its number if it is only that, its value, and if it runs on."""
    game = unrestricted_game(exercise.game)
    bare = [token for token in clause[0] if token.kind not in "()"]
    if len(clause) > 1 and len(bare) == 1 and (quotient := _quotient(bare[0])):
        # 5/4 in `5/4 = 1.25` is a step, not a number.
        top, bottom = (Token("n", str(part), part) for part in quotient)
        clause = [[top, Token("o", "/"), bottom], *clause[1:]]
    parsed = [_tree(side, total, game) for side in clause]
    trees, values = [tree for tree, _ in parsed], [value for _, value in parsed]
    runs_on, last = False, len(clause) - 1
    for i, value in enumerate(values[1:], 1):
        before = values[i - 1]
        if value == before:
            continue
        goes_on = isinstance(trees[i], Operation) and numbers_of(trees[i])[0].value == before
        if not goes_on or exercise.strict_equals:
            steps = [tree for tree in trees[:i] if isinstance(tree, Operation)] or trees[i - 1 : i]
            step = text_of(steps[-1], exercise.game.style)
            raise _False("stated", message("working.stated", step=step, value=before, stated=value))
        runs_on = True
    places = [i for i, side in enumerate(clause) if not _is_number(side)]
    if not places:
        return [], values[0], values[0], False
    facts = []
    for i in places:
        is_stated = len(clause) > 1 and (i < last or values[i] in values[:last])
        facts.append(_Fact(trees[i], values[i], is_stated))
    return facts, None, values[-1], runs_on


def _operations(tree: Expression) -> set[tuple[Exact, str, Exact]]:
    """Return the operations of a tree with their values, those that commute in one order."""
    found: set[tuple[Exact, str, Exact]] = set()

    def value_of(part: Expression) -> Exact:
        if isinstance(part, Number):
            return part.value
        left, right = Fraction(value_of(part.left)), Fraction(value_of(part.right))
        name = part.operator.name
        if not isinstance(part.left, NoOperand):
            pair = sorted((left, right)) if name in "+x" else (left, right)
            found.add((pair[0], name, pair[1]))
        return Fraction(part.operator.operate(left, right, FREE_GAME)[0])

    value_of(tree)
    return found


class _Prover:
    """Finds the formulas of the hand that facts make of a goal."""

    def __init__(
        self, facts: Sequence[_Fact], quotients: Mapping[Exact, _Pair], exercise: Exercise
    ):
        self.facts, self.quotients, self.exercise = facts, quotients, exercise
        self.tries = _MAX_TRIES
        self.problem: _Problem | None = None
        """What is wrong with a formula of all numbers that facts make."""

    def prove(self, goal: _Fact) -> Expression | None:
        """Return a right formula that is the goal with definitions for its numbers, or None."""
        others = [fact for fact in self.facts if fact.tree != goal.tree]
        needs_all = self.exercise.game.all_numbers
        for tree, left in self.derive(goal.tree, self.exercise.hand, others, 0):
            if left and needs_all:
                continue
            problem = self.exercise.check(tree)
            if problem is None:
                return tree
            self.problem = self.problem or problem
        return None

    def derive(
        self, tree: Expression, hand: tuple[Exact, ...], facts: Sequence[_Fact], depth: int
    ) -> Iterator[tuple[Expression, tuple[Exact, ...]]]:
        """Yield each tree over the hand that definitions make, with the numbers left."""
        self.tries -= 1
        if self.tries < 0 or depth > _MAX_DEPTH:
            return
        if isinstance(tree, NoOperand):
            yield tree, hand
        elif isinstance(tree, Number):
            value = tree.value
            if value in hand:
                at = hand.index(value)
                yield Number(value), hand[:at] + hand[at + 1 :]
            if value in self.quotients:
                top, bottom = self.quotients[value]
                quotient = Operation(_DIVISION, Number(top), Number(bottom))
                yield from self.derive(quotient, hand, facts, depth + 1)
            definitions = {fact.tree: None for fact in facts if fact.value == value}
            for definition in definitions:
                others = [fact for fact in facts if fact.tree != definition]
                yield from self.derive(definition, hand, others, depth + 1)
        else:
            for left, rest in self.derive(tree.left, hand, facts, depth):
                for right, end in self.derive(tree.right, rest, facts, depth):
                    yield Operation(tree.operator, left, right), end


def _steps(clauses: Sequence[Clause]) -> str:
    """Return clauses as steps, as the grammar reads them; empty if they are none."""
    lines = []
    for clause in clauses:
        kinds = ["".join([token.kind for token in side]) for side in clause]
        if len(clause) > 2 or "t" in kinds[0] or (kinds[1:] and kinds[1] not in ("n", "on", "non")):
            return ""
        sides = ["".join([token.text for token in side]) for side in clause]
        lines.append(" = ".join(sides).replace("~", "-"))
    return ", ".join(lines)


class _Account(NamedTuple):
    """What the clauses of a reading say."""

    groups: list[list[_Fact]]
    """The facts of each clause."""
    left_over: bool
    """Whether a number has no part in a fact."""
    fault: _Problem | None
    """The first false statement."""
    runs_on: bool
    quotients: Mapping[Exact, _Pair]

    @property
    def facts(self) -> list[_Fact]:
        return [fact for group in self.groups for fact in group]


def _judge(clauses: Sequence[Clause], exercise: Exercise, has_alternatives: bool) -> Reading:
    account = _account_of(clauses, exercise)
    facts = account.facts
    sides = [side for clause in clauses for side in clause if not _is_number(side)]
    has_brackets = any(token.kind == "(" for side in sides for token in side)
    is_foreign = facts and has_brackets and not exercise.game.parentheses
    if len(facts) > _MAX_FACTS or is_foreign:
        return Reading("unread")
    goals = [fact for fact in facts if fact.value in exercise.goals]
    prover = _Prover(facts, account.quotients, exercise)
    for goal in [*reversed(goals)] or facts[-1:]:
        if (proved := prover.prove(goal)) is None:
            continue
        if account.fault or account.left_over:
            return Reading("unread")
        others = _judge_others(account, goal, proved, prover, has_alternatives)
        return others or Reading("right", proved, runs_on=account.runs_on)
    return _judge_unproved(clauses, account, prover)


def _account_of(clauses: Sequence[Clause], exercise: Exercise) -> _Account:
    groups: list[list[_Fact]] = []
    fault: _Problem | None = None
    total: Exact = 0
    # A number that no fact has explained yet: `the 2 is from 8 - 6`.
    waiting: Exact | None = None
    runs_on = left_over = False
    quotients: dict[Exact, _Pair] = {}
    for clause in clauses:
        for token in (token for side in clause for token in side):
            if quotient := _quotient(token):
                quotients[token.value] = quotient
        try:
            found, bare, total, goes_on = _facts_of(clause, total, exercise)
        except _False as error:
            fault = fault or error.problem
            continue
        runs_on = runs_on or goes_on
        is_explained = clause[0][0].kind == "t" or waiting in [fact.value for fact in found[:1]]
        left_over = left_over or (waiting is not None and not is_explained)
        if found:
            groups.append(found)
        waiting = None if bare in exercise.goals else bare
        if bare is not None and groups and groups[-1][-1].value == bare:
            # The value of the last fact, behind a break.
            groups[-1] = [*groups[-1][:-1], groups[-1][-1]._replace(is_stated=True)]
            waiting = None
    return _Account(groups, left_over or waiting is not None, fault, runs_on, quotients)


def _judge_unproved(clauses: Sequence[Clause], account: _Account, prover: _Prover) -> Reading:
    """Judge a reading whose facts prove no goal."""
    exercise, fault, facts = prover.exercise, account.fault, account.facts
    if facts or fault:
        steps, why = exercise.check_steps(_steps(clauses))
        if steps is not None:
            return Reading("right", steps)
        why = why or fault or prover.problem
    else:
        why = "no-formula", message("answer.no_formula")
    if account.left_over and (facts or len(clauses) > 1):
        return Reading("unread")
    is_clear = len(clauses) == 1 or (why is not None and bool(facts or fault))
    if why is None:
        goals = [fact for fact in facts if fact.value in exercise.goals]
        why = exercise.check((goals or facts)[-1].tree)
    # A decimal can be a quotient of the hand: 0,2 for 1 : 5.
    tokens = [token for clause in clauses for side in clause for token in side]
    is_decimal = any(t.value not in exercise.hand and t.value % 1 for t in tokens)
    is_clear = is_clear and not (is_decimal and why and why[0] == "numbers")
    return (
        Reading("wrong", problem=why, is_clear=is_clear) if is_clear or facts else Reading("unread")
    )


def _judge_others(
    account: _Account, goal: _Fact, proved: Expression, prover: _Prover, has_alternatives: bool
) -> Reading | None:
    """Return why the facts beside a proved goal do not fit it, or None."""
    exercise, known, is_after = prover.exercise, _operations(proved), False
    groups = [group for group in account.groups for _ in group]
    for group, fact in zip(groups, account.facts, strict=True):
        is_known = _operations(fact.tree) <= known
        leaves = [leaf.value for leaf in numbers_of(fact.tree)]
        if fact.value in exercise.goals:
            # Another way, the same in other words, or what the answer equals: `= 20 + 4`.
            is_chain = all(each.value == fact.value for each in group) and fact.value not in leaves
            first = group[0] if is_chain else fact
            is_same = first is goal or (is_known and fact.is_stated and not has_alternatives)
            if not is_same and prover.prove(first) is None:
                return Reading("unread")
            is_after = is_after or fact is goal
        elif not is_known:
            broken = exercise.check(fact.tree)
            if broken and broken[0] in ILLEGAL_CODES:
                return Reading("wrong", problem=broken, is_clear=True)
            uses_goal = any(g in leaves and g not in exercise.hand for g in exercise.goals)
            # `2 x 2 = 4, 22 + 4 = 26` means that 4, though the hand has one too.
            is_meant = any(fact.value == leaf.value for leaf in numbers_of(goal.tree))
            if not fact.is_stated or is_after or uses_goal or is_meant or exercise.is_marked:
                return Reading("unread")
    return None
