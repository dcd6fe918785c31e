"""Quizzes: multiple-choice questions, for programs that cannot judge a formula.

A kind of question is a function from a puzzle to a question, or None. The solver or the evaluator
proves that one answer is right and the others are wrong.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice

from crisps24.drawing.gift import Question
from crisps24.errors import RefusedError, quoted
from crisps24.messages.message import ENGLISH, Language
from crisps24.notation.errors import FormulaError
from crisps24.notation.statements import parse_statement
from crisps24.notation.styles import STYLES
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
from crisps24.rules.words import format_value

MOST_QUESTIONS = 10_000
# Answers of a question, where it may have any number of them.
_ANSWERS = 4
# Hands that are drawn for one question, and signs that are put into a formula.
_IN_VAIN = 100
# Of longer hands all orders of work are too many to be tried.
_LONGEST_TRIED = 5
# What is asked for is not easily worked out where it is larger.
_LARGEST = 1_000
_GAP = "?"

QuestionMaker = Callable[[Puzzle, Draws, Language], Question | None]


def questions(
    deal: Deal, kinds: Sequence[str] = (), language: Language = ENGLISH
) -> Iterator[Question]:
    """Yield a question about each puzzle of a deal, of the given kinds in turn, or of all.

    It is asked in a language, with formulas in the style of the deal. The same deal has the same
    quiz.

    >>> from crisps24.puzzles.dealing import deal
    >>> [question] = questions(deal("cards", seed=7), ["sign"])
    >>> question.text, question.answers, question.key
    ('Which sign is missing? 12 + 6 ? 6 x 1 = 24', ('+', 'x', '/', '-'), '+')

    Raises ValueError, in one sentence, for what is no kind, for more than 10,000 questions, and
    for a puzzle of which nothing can be asked.
    """
    kinds = check_kinds(kinds)
    if len(deal) > MOST_QUESTIONS:
        raise RefusedError(f"{len(deal):,} questions: a quiz has at most {MOST_QUESTIONS:,}")
    draws = Draws(deal.seed, "quiz")
    for number, puzzle in enumerate(deal):
        turn = number % len(kinds)
        # The next kind is asked if a puzzle has no question of the kind whose turn it is.
        makers = (QUESTION_KINDS[name] for name in (*kinds[turn:], *kinds[:turn]))
        question = next(filter(None, (make(puzzle, draws, language) for make in makers)), None)
        if question is None:
            told = f"of {puzzle.id} no question of {' or '.join(kinds)} can be asked"
            raise RefusedError(f"{told}: ask for other puzzles, or other kinds")
        yield question


def check_kinds(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds of question that are asked for, all where none is.

    Raises ValueError for what is none.
    """
    for name in kinds:
        if name not in QUESTION_KINDS:
            known = ", ".join(QUESTION_KINDS)
            raise RefusedError(f"there is no question {quoted(name)}; there are {known}")
    return tuple(dict.fromkeys(kinds)) or tuple(QUESTION_KINDS)


def _question(
    puzzle: Puzzle, text: str, right: str, wrong: Sequence[str], draws: Draws
) -> Question | None:
    """Return a question with its answers shuffled; None if there is no wrong one."""
    if not wrong:
        return None
    answers = tuple(draws.shuffled([right, *wrong]))
    return Question(puzzle.id, text, answers, answers.index(right))


def _of_hands(puzzle: Puzzle, draws: Draws, language: Language) -> Question | None:
    """Ask which hand cannot make the target: of this one and others one alone cannot."""
    game, target = puzzle.game, puzzle.target
    can, cannot = [tuple(sorted(puzzle.hand))], None
    if not _makes(can[0], target, game):
        return None
    hands = HandIndex.of_game(game)
    for _ in range(_IN_VAIN):
        hand = hands.hand_at(draws.below(hands.count))
        if hand in can or (len(can) == _ANSWERS - 1 and cannot):
            continue
        if not _makes(hand, target, game):
            cannot = cannot or hand
        elif len(can) < _ANSWERS - 1:
            can.append(hand)
    if cannot is None:
        return None
    task = replace_no_break_spaces(task_text(game, target, language=language, style=puzzle.style))
    text = language.text("quiz.hand", target=format_value(target), task=task)
    wrong = [format_hand(hand) for hand in can]
    return _question(puzzle, text, format_hand(cannot), wrong, draws)


@lru_cache(10_000)
def _makes(hand: Hand, target: Exact, game: Game) -> bool:
    """Return whether a hand makes a target, also with a minus before the whole formula."""
    return not Puzzle(hand, target, game).judge("no solution")


def _of_signs(puzzle: Puzzle, draws: Draws, language: Language) -> Question | None:
    """Ask which sign is missing: one alone makes it true, were fractions and all else allowed."""
    names = [name for name in puzzle.game.operators if not OPERATORS[name].joins]
    formula = _formula_of(puzzle)
    if formula is None or not set(names) <= set(FREE_GAME.operators):
        return None
    style = STYLES[puzzle.style]
    signs = [style.sign(OPERATORS[name]) for name in names]
    words = formula.split(" ")
    places = [place for place, word in enumerate(words) if word in signs]
    for place in draws.shuffled(places):
        filled = partial(_filled, words, place)
        if [sign for sign in signs if _value_of(filled(sign), FREE_GAME) == puzzle.target] == [
            words[place]
        ]:
            asked = f"{filled(_GAP)} = {format_value(puzzle.target)}"
            text = language.text("quiz.sign", formula=asked)
            others = [sign for sign in signs if sign != words[place]]
            return _question(puzzle, text, words[place], others, draws)
    return None


def _filled(words: Sequence[str], place: int, word: str) -> str:
    return " ".join([*words[:place], word, *words[place + 1 :]])


def _value_of(formula: str, game: Game) -> Exact | None:
    """Return the value of a formula; None if the game does not allow it."""
    try:
        return parse_statement(formula, game).value_in(game)
    except FormulaError:
        return None


def _formula_of(puzzle: Puzzle) -> str | None:
    """Return the likeliest solution, if it has a step and is one line of infix notation."""
    formula = puzzle.answer() if puzzle.solvable else ""
    is_plain = " " in formula and "\\" not in formula and not STYLES[puzzle.style].prefix
    return formula if is_plain else None


def _of_steps(puzzle: Puzzle, draws: Draws, language: Language) -> Question | None:
    """Ask for the first step: one begins the likeliest route, after the others there is no way."""
    game, target = puzzle.game, puzzle.target
    if not puzzle.solvable or game.join or not 2 < len(puzzle.hand) <= _LONGEST_TRIED:
        return None
    right = puzzle.hint()
    targets = {target, -target} if game.negatives else {target}
    # The larger number first, as in the hint.
    every = list(first_steps(sorted(puzzle.hand, reverse=True), game, puzzle.style))
    if right not in (told for told, _ in every):
        return None
    wrong = (
        told
        for told, left in draws.shuffled(every)
        if told != right and not any(can_reach(left, each, game) for each in targets)
    )
    task = replace_no_break_spaces(task_text(game, target, language=language, style=puzzle.style))
    text = language.text("quiz.step", hand=format_hand(puzzle.hand), task=task)
    return _question(puzzle, text, right, list(islice(wrong, _ANSWERS - 1)), draws)


def _of_values(puzzle: Puzzle, draws: Draws, language: Language) -> Question | None:
    """Ask what a formula of the hand makes: the solution with a sign changed, if that can be."""
    formula = _formula_of(puzzle)
    if formula is None:
        return None
    style = STYLES[puzzle.style]
    known = {style.sign(each): each for each in puzzle.game.row_operators if not each.joins}
    words, signs = formula.split(" "), list(known)
    places = [place for place, word in enumerate(words) if word in signs]
    for _ in range(_IN_VAIN):
        formula = _filled(words, draws.choose(places), draws.choose(signs))
        value = _small_value(formula, puzzle.game)
        if value is not None and value != puzzle.target:
            break
    else:
        formula, value = " ".join(words), puzzle.target
    # With another sign other parentheses are needed.
    formula = text_of(parse_statement(formula, puzzle.game).expression, puzzle.style)
    near = [*_slips(formula, signs, puzzle.game), *(value + by for by in (1, -1, 10, -10, 2, -2))]
    wrong = dict.fromkeys(each for each in near if 0 <= each != value)
    told = [format_value(each) for each in islice(wrong, _ANSWERS - 1)]
    text = language.text("quiz.value", formula=formula)
    return _question(puzzle, text, format_value(value), told, draws)


def _small_value(formula: str, game: Game) -> Exact | None:
    """Return the value of a formula that is legal, a whole number and not large."""
    value = _value_of(formula, game)
    return value if isinstance(value, int) and 0 <= value <= _LARGEST else None


def _slips(formula: str, signs: Sequence[str], game: Game) -> Iterator[Exact]:
    """Yield the values of a formula read from left to right, or with one sign mistaken."""
    words = formula.replace("(", "").replace(")", "").split(" ")
    opened = "(" * (len(words) // 2)
    in_row = [word + ")" * (at > 0 and at % 2 == 0) for at, word in enumerate(words)]
    slips = [opened + " ".join(in_row)]
    words = formula.split(" ")
    for place in (place for place, word in enumerate(words) if word in signs):
        slips += [_filled(words, place, sign) for sign in signs if sign != words[place]]
    values = (_small_value(slip, game) for slip in slips)
    yield from (value for value in values if value is not None)


QUESTION_KINDS: dict[str, QuestionMaker] = {
    "hand": _of_hands,
    "sign": _of_signs,
    "step": _of_steps,
    "value": _of_values,
}
