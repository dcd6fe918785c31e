"""Make multiple-choice questions about puzzles, for programs that cannot judge a formula.

A kind of question is a function that takes a puzzle and returns a question, or None if the puzzle
suits no such question. The solver or the evaluator proves that exactly one answer is right, and
another search or evaluation agrees. A question with the task of a game also has a short text: the
task takes 149 to 223 characters, and some programs allow 120.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import islice

from crisps24.drawing.gift import Question
from crisps24.enumeration.enumeration import DisagreementError
from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import ENGLISH, Language, as_message, join_clauses, message
from crisps24.notation.checking import parse_for_card
from crisps24.notation.errors import FormulaError
from crisps24.notation.statements import parse_statement
from crisps24.notation.styles import STYLES, list_signs
from crisps24.notation.trees import text_of
from crisps24.puzzle import Puzzle
from crisps24.puzzles.dealing import Deal
from crisps24.puzzles.draws import Draws
from crisps24.puzzles.hints import can_reach, first_steps
from crisps24.puzzles.rows import replace_no_break_spaces, task_text
from crisps24.rules.deals import HandIndex, format_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import FREE_GAME, Game, Hand
from crisps24.rules.operators import OPERATORS
from crisps24.rules.rules import RULES
from crisps24.rules.words import format_value
from crisps24.solving.solver import find_solutions

MAX_QUESTIONS = 10_000
# Answers per question, except for questions about signs, which list all signs of the game.
_ANSWER_COUNT = 4
# Random hands or signs to try for one question.
_MAX_TRIES = 100
# Questions about a first step try all orders of steps, which are too many for longer hands.
_MAX_STEP_HAND = 5
# Larger values are too hard to compute in the head.
_MAX_VALUE = 1_000
_GAP = "?"
# Rules that the first clause of a short text has.
_IN_FIRST_CLAUSE = ("parentheses", "all_numbers")

QuestionMaker = Callable[[Puzzle, Draws, Language], Question | None]


def questions(
    deal: Deal,
    kinds: Sequence[str] = (),
    language: Language = ENGLISH,
    *,
    max_text: int | None = None,
    max_answer: int | None = None,
) -> Iterator[Question]:
    """Yield one question per puzzle of a deal, in order.

    `max_text` and `max_answer` limit the characters: questions then have their short texts.

    >>> from crisps24.puzzles.dealing import deal
    >>> [question] = questions(deal("cards", seed=7), ["sign"])
    >>> question.text, question.answers, question.key
    ('Which sign is missing? (13 ? 4 - 1) x 3 = 24', ('x', '/', '-', '+'), '-')
    """
    kinds = check_kinds(kinds)
    if len(deal) > MAX_QUESTIONS:
        raise RefusedError(f"{len(deal):,} questions: a quiz has at most {MAX_QUESTIONS:,}")
    draws = Draws(deal.seed, "quiz")
    for index, puzzle in enumerate(deal):
        # Try the kind whose turn it is, then the others.
        turn = index % len(kinds)
        makers = (QUESTION_KINDS[name] for name in (*kinds[turn:], *kinds[:turn]))
        made = (make(puzzle, draws, language) for make in makers)
        if max_text is not None:
            # Programs that limit answers also limit texts.
            made = (each and _shortened(each, max_text, max_answer) for each in made)
        question = next(filter(None, made), None)
        if question is None:
            limit = "" if max_text is None else f" of at most {max_text} characters"
            problem = f"{puzzle.id} has no question{limit} of kind {' or '.join(kinds)}"
            raise RefusedError(f"{problem}: choose other puzzles or other kinds")
        yield question


def _shortened(question: Question, max_text: int, max_answer: int | None) -> Question | None:
    """Return a question with its short text; None if that or an answer is too long."""
    text = question.short_text or question.text
    longest_answer = max(map(len, question.answers))
    fits = len(text) <= max_text and longest_answer <= (max_answer or longest_answer)
    return replace(question, text=text) if fits else None


def check_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds of question, each once; all kinds if none is given."""
    for name in kinds:
        if name not in QUESTION_KINDS:
            known = ", ".join(QUESTION_KINDS)
            raise RefusedError(f"unknown question {quoted(name)} (expected {known})")
    return tuple(dict.fromkeys(kinds)) or tuple(QUESTION_KINDS)


def _question(
    puzzle: Puzzle, text: str, right: str, wrong: Sequence[str], draws: Draws, short_text: str = ""
) -> Question | None:
    """Return a question about a puzzle, or None if it has no wrong answers."""
    if not wrong:
        return None
    answers = tuple(draws.shuffled([right, *wrong]))
    return Question(puzzle.id, text, answers, answers.index(right), short_text)


def _short_rules(puzzle: Puzzle, language: Language) -> str:
    """Return the rules of a puzzle as clauses, of which the first has all its signs."""
    game = puzzle.game
    signs = [*list_signs(game, puzzle.style), *["( )"] * game.parentheses]
    key = "quiz.all_short" if game.all_numbers else "quiz.any_short"
    first = message(key, signs=" ".join(signs))
    others = (rule.line(game) for name, rule in RULES.items() if name not in _IN_FIRST_CLAUSE)
    return join_clauses([first, *(as_message(line) for line in others if line)], language)


def _hand_question(puzzle: Puzzle, draws: Draws, language: Language) -> Question | None:
    """Return a question that asks which of at most four hands cannot make the target, or None."""
    game, target = puzzle.game, puzzle.target
    # The hands of the wrong answers, and the hand of the right answer.
    solvable, unsolvable = [tuple(sorted(puzzle.hand))], None
    if not _can_make(solvable[0], target, game):
        return None
    hands = HandIndex.of_game(game)
    for _ in range(_MAX_TRIES):
        hand = hands.hand_at(draws.below(hands.count))
        is_complete = len(solvable) == _ANSWER_COUNT - 1 and unsolvable is not None
        if hand in solvable or is_complete:
            continue
        # Keep the first hand that cannot make the target, and two more that can.
        if not _can_make(hand, target, game):
            unsolvable = unsolvable or hand
        elif len(solvable) < _ANSWER_COUNT - 1:
            solvable.append(hand)
    if unsolvable is None:
        return None
    task = replace_no_break_spaces(task_text(game, target, language=language, style=puzzle.style))
    text = language.text("quiz.hand", target=format_value(target), task=task)
    rules = _short_rules(puzzle, language)
    short_text = language.text("quiz.hand_short", target=format_value(target), rules=rules)
    wrong = [format_hand(hand) for hand in solvable]
    return _question(puzzle, text, format_hand(unsolvable), wrong, draws, short_text)


@lru_cache(10_000)
def _can_make(hand: Hand, target: Exact, game: Game) -> bool:
    puzzle = Puzzle(hand, target, game)
    # The values of the hand are searched first, then its functions.
    _confirm(puzzle.solvable == bool(find_solutions(puzzle.query, target)), puzzle)
    return puzzle.solvable


def _confirm(agrees: bool, puzzle: Puzzle) -> None:
    if not agrees:
        raise DisagreementError(f"internal error: two methods disagree about {puzzle.id}")


def _sign_question(puzzle: Puzzle, draws: Draws, language: Language) -> Question | None:
    names = [name for name in puzzle.game.operators if not OPERATORS[name].joins]
    formula = _formula_of(puzzle)
    if formula is None or not set(names) <= set(FREE_GAME.operators):
        return None
    style = STYLES[puzzle.style]
    signs = [style.sign(OPERATORS[name]) for name in names]
    words = formula.split(" ")
    positions = [position for position, word in enumerate(words) if word in signs]
    for position in draws.shuffled(positions):
        right = words[position]
        # The formula with another sign at this position.
        with_sign = partial(_replace_word, words, position)
        values = {sign: _value_of(with_sign(sign), FREE_GAME) for sign in signs}
        if [sign for sign in signs if values[sign] == puzzle.target] == [right]:
            equation = f"{with_sign(_GAP)} = {style.format_value(puzzle.target)}"
            text = language.text("quiz.sign", formula=equation)
            wrong = [sign for sign in signs if sign != right]
            return _question(puzzle, text, right, wrong, draws)
    return None


def _replace_word(words: Sequence[str], position: int, word: str) -> str:
    return " ".join([*words[:position], word, *words[position + 1 :]])


def _value_of(formula: str, game: Game) -> Exact | None:
    try:
        return parse_statement(formula, game).value_in(game)
    except FormulaError:
        return None


def _formula_of(puzzle: Puzzle) -> str | None:
    formula = puzzle.answer() if puzzle.solvable else ""
    is_infix = " " in formula and "\\" not in formula and not STYLES[puzzle.style].prefix
    return formula if is_infix else None


def _step_question(puzzle: Puzzle, draws: Draws, language: Language) -> Question | None:
    game, target = puzzle.game, puzzle.target
    can_try_steps = not game.join and set(game.operators) <= set(OPERATORS)
    if not can_try_steps or not 2 < len(puzzle.hand) <= _MAX_STEP_HAND or not puzzle.solvable:
        return None
    right = puzzle.hint()
    # A step to -24 can look right: it makes 24 with a minus before the complete formula.
    targets = {target, -target} if game.negatives else {target}
    # Steps have the larger number first, like hints.
    steps = list(first_steps(sorted(puzzle.hand, reverse=True), game, puzzle.style))
    left_after = dict(steps)
    if right not in left_after:
        return None
    _confirm(can_reach(left_after[right], target, game), puzzle)
    wrong_steps = (
        step
        for step, numbers_left in draws.shuffled(steps)
        if step != right and not any(can_reach(numbers_left, value, game) for value in targets)
    )
    task = replace_no_break_spaces(task_text(game, target, language=language, style=puzzle.style))
    hand = format_hand(puzzle.hand)
    text = language.text("quiz.step", hand=hand, task=task)
    rules = _short_rules(puzzle, language)
    values = {"hand": hand, "target": format_value(target), "rules": rules}
    short_text = language.text("quiz.step_short", **values)
    wrong = list(islice(wrong_steps, _ANSWER_COUNT - 1))
    return _question(puzzle, text, right, wrong, draws, short_text)


def _value_question(puzzle: Puzzle, draws: Draws, language: Language) -> Question | None:
    formula = _formula_of(puzzle)
    if formula is None:
        return None
    style = STYLES[puzzle.style]
    operators = [operator for operator in puzzle.game.row_operators if not operator.joins]
    words, signs = formula.split(" "), list(dict.fromkeys(map(style.sign, operators)))
    positions = [position for position, word in enumerate(words) if word in signs]
    # Change a sign until the value is small and not the target, which pupils would guess.
    for _ in range(_MAX_TRIES):
        formula = _replace_word(words, draws.choose(positions), draws.choose(signs))
        value = _small_value(formula, puzzle.game)
        if value is not None and value != puzzle.target:
            break
    else:
        formula, value = " ".join(words), puzzle.target
    # The changed sign can need other parentheses.
    statement = parse_for_card(formula, puzzle.game, puzzle.hand)
    formula = text_of(statement.expression, puzzle.style)
    _confirm(_value_of(formula, puzzle.game) == value, puzzle)
    neighbours = (value + distance for distance in (1, -1, 10, -10, 2, -2))
    candidates = [*_mistaken_values(formula, signs, puzzle.game), *neighbours]
    # Wrong values, each once: those of typical mistakes first, and none below zero.
    wrong_values = dict.fromkeys(
        candidate for candidate in candidates if candidate >= 0 and candidate != value
    )
    wrong_texts = [format_value(wrong) for wrong in islice(wrong_values, _ANSWER_COUNT - 1)]
    text = language.text("quiz.value", formula=formula)
    return _question(puzzle, text, format_value(value), wrong_texts, draws)


def _small_value(formula: str, game: Game) -> Exact | None:
    value = _value_of(formula, game)
    return value if isinstance(value, int) and 0 <= value <= _MAX_VALUE else None


def _mistaken_values(formula: str, signs: Sequence[str], game: Game) -> Iterator[Exact]:
    """Yield the values that pupils get for a formula by typical mistakes."""
    words = formula.replace("(", "").replace(")", "").split(" ")
    # 1 + 2 x 3 read from left to right is ((1 + 2) x 3): each number but the first closes a bracket
    # that opens at the start. Words with an even index are numbers.
    closed = [word + ")" * (index > 0 and index % 2 == 0) for index, word in enumerate(words)]
    opening = "(" * (len(words) // 2)
    mistakes = [opening + " ".join(closed)]
    words = formula.split(" ")
    for position, word in enumerate(words):
        if word in signs:
            mistakes += [_replace_word(words, position, sign) for sign in signs if sign != word]
    values = (_small_value(mistake, game) for mistake in mistakes)
    yield from (value for value in values if value is not None)


QUESTION_KINDS: dict[str, QuestionMaker] = {
    "hand": _hand_question,
    "sign": _sign_question,
    "step": _step_question,
    "value": _value_question,
}
