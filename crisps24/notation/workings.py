"""Workings: solutions in steps, as people write them, and the formula that the steps make.

`75 + 50 = 125, 125 x 6 = 750, 750 - 25 = 725` is the formula (75 + 50) x 6 - 25. The text is split
at commas, semicolons, line ends and arrows. Each step is parsed as a formula and evaluated. In its
tree, a number that is the result of an earlier step, and is not used yet, is replaced by the tree
of that step; any other number has to be dealt. The tree of the last step is the formula. A working
has at most `MAX_WORKING_STEPS` steps; the cost is about linear in its length.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, permutations
from typing import NamedTuple, TypeVar

from crisps24.messages.message import Count, Spaced, message
from crisps24.notation.errors import FormulaError, IllegalFormulaError, MalformedFormulaError
from crisps24.notation.evaluation import exact_value
from crisps24.notation.parser import (
    CLOSING_BRACKETS,
    FRACTION_MARK,
    LATEX_FRACTION,
    MAX_FORMULA_LENGTH,
    MAX_NESTING,
    MAX_NUMBER_LENGTH,
    TextSpan,
    normalise_formula,
)
from crisps24.notation.spellings import DIVISION
from crisps24.notation.statements import (
    Statement,
    chain_of,
    fit_to_game,
    flatten_sums,
    join_chains,
    parse_statement,
    statement_of,
)
from crisps24.notation.trees import (
    Expression,
    NoOperand,
    Number,
    Operation,
    numbers_of,
    parts_of,
    split_chain,
    text_of,
)
from crisps24.rules.characters import normalise
from crisps24.rules.exact import Exact, int_if_whole
from crisps24.rules.games import Game
from crisps24.rules.operators import MINUS, MINUS_PATTERN, OPERATORS, Operator
from crisps24.rules.words import VULGAR_FRACTIONS, format_value, parse_value

_T = TypeVar("_T")

MAX_WORKING_STEPS = 100
_MINUS_OR_SPACE = "".join(MINUS.spellings) + " "
_RESULT_MISSING = message("working.states_none")
# Characters of a step that a message quotes.
_MAX_QUOTED_LENGTH = 40

# Between two steps: commas, semicolons, line ends and arrows.
_SEPARATOR = re.compile(r"(?:[,;、→⇒\n\r]|[-=]>)[\s,;、→⇒]*")
# A fraction or a decimal: the result of an earlier step, or a number of the card.
_DECIMAL = rf"[0-9]*(?:\.[0-9]+|[{VULGAR_FRACTIONS}])"
_FRACTION = rf"(?:[0-9]+[/∕⁄][0-9]+|{_DECIMAL}|{LATEX_FRACTION.pattern.replace('(', '(?:')})"


def _fraction_pattern(fraction: str, space: str) -> re.Pattern[str]:
    """Return a pattern of a fraction in parentheses (group 1) or without them (group 2)."""
    # Without parentheses only a LaTeX fraction or a decimal can follow a division: 8/\frac{1}{3},
    # 8/0.25.
    start = rf"(?:(?<![0-9./∕⁄])|(?={FRACTION_MARK})|(?<=[/∕⁄])(?={_DECIMAL}))"
    return re.compile(
        rf"[(\[]\s*({MINUS_PATTERN}?\s*{fraction})\s*[)\]]|{start}({fraction})(?!{space}[0-9./∕⁄])"
    )


_COMPACT_FRACTION = _fraction_pattern(_FRACTION, "")
# With spaces around the division sign.
_SPACED_FRACTION = _fraction_pattern(_FRACTION.replace("[/∕⁄]", r"\s*[/∕⁄]\s*", 1), r"\s*")
_SPACED_DIVISION = re.compile(r"\s[/∕⁄]|[/∕⁄]\s|(?:^|[,;\n>→⇒])[^\S\n]*+[0-9]+[/∕⁄][0-9]+\s*=")
_UNARY_MINUS = re.compile(rf"(?:^|[^\s0-9)\]}}])\s*{MINUS_PATTERN}$")
_DIVISION_SIGNS = tuple(OPERATORS[DIVISION].spellings)


class _ParsedStep(NamedTuple):
    """A step before it is evaluated."""

    statement: Statement
    """Its formula; the target is the result that the step states, None if it states none."""
    result_span: TextSpan
    """The span of the stated result, or the end of the step."""
    span: TextSpan


class PartialWorking(NamedTuple):
    """The state of a working that is not finished."""

    steps: tuple[str, ...]
    """The steps as written, each with its result."""
    results: tuple[tuple[Exact, Expression], ...]
    """The result of each step, and its formula in numbers of the card."""
    terms: "tuple[Term, ...]"
    """What is not used yet: numbers of the card, in its order but equal ones together; results."""

    @property
    def numbers_left(self) -> tuple[Exact, ...]:
        return tuple(term.value for term in self.terms if not term.depth)

    @property
    def results_left(self) -> tuple[Exact, ...]:
        return tuple(term.value for term in self.terms if term.depth)

    def answers(self, game: Game, skip_count: int = 0) -> Sequence[tuple[Exact, Expression]]:
        """Return the results that can be the answer to a puzzle, without those of first steps."""
        results = self.results[skip_count:]
        return results if not game.all_numbers else results[-1:] if len(self.terms) == 1 else ()

    @property
    def left(self) -> tuple[Exact, ...]:
        """The numbers and results that are not used yet; the numbers come first."""
        return tuple([term.value for term in self.terms])


class Term(NamedTuple):
    """What a step combines: a number of the card, or the result of a step."""

    value: Exact
    chain: str = ""
    """In games without parentheses, the operators of the last steps of its tree: `+-`. In games
    with parentheses and each operator once, all its operators."""
    numbers: tuple[Exact, ...] = ()
    """The numbers of the card that it uses, ascending."""
    tree: Expression = Number(0)
    depth: int = 0
    """Levels of parentheses in the tree; 0 for a number of the card."""
    span: TextSpan = (0, 0)
    """The span of the result in the text."""

    def join(self, operator: Operator, right: "Term", game: Game) -> "Term | str":
        """Return the result of a step, without its tree, or the code of a rule that it breaks.

        All rules about the formula that a step makes are here: `chain` has what they need to know.
        """
        sides: tuple[Exact, Exact] = self.value, right.value
        if game.fractions and not operator.stays_whole:
            sides = Fraction(self.value), Fraction(right.value)
        value, legal = operator.operate(*sides, game)
        if not legal:
            return "rule"
        chain: str | None = ""
        if not game.parentheses:
            chain = join_chains(self.chain, operator, right.chain)
        elif game.once:
            used = sorted(self.chain + operator.name + right.chain)
            chain = "".join(used) if len(set(used)) == len(used) else None
        if chain is None:
            return "operator"
        return Term(int_if_whole(value), chain, tuple(sorted(self.numbers + right.numbers)))


def is_working(text: str) -> bool:
    """Return whether a text is a solution in several steps; the first has to state its result."""
    line = normalise_formula(text)
    if len(text) > MAX_FORMULA_LENGTH or not _SEPARATOR.search(line):
        return False
    spans = _step_spans(line)
    if len(spans) < 2:
        return False
    start, end = spans[0]
    _, _, result = line[start:end].partition("=")
    return result.strip() != ""


def is_rounded(value: Exact, stated: str) -> bool:
    """Return whether a text is a decimal number, such as 2.67, that rounds a value up or down."""
    number = normalise(stated).strip().removesuffix(".")
    _, point, decimals = number.partition(".")
    stated_value = _parse_value_or_none(number)
    if not point or not decimals or stated_value in (None, value):
        return False
    unit_of_last_decimal = Fraction(1, 10 ** len(decimals))
    return abs(Fraction(value) - Fraction(stated_value or 0)) < unit_of_last_decimal


def ends_with_result(text: str) -> bool:
    """Return whether the last step of a text has an `=`, with or without a result after it."""
    line = normalise_formula(text)
    spans = _step_spans(line)
    return spans != [] and "=" in line[slice(*spans[-1])]


def parse_working(
    text: str, game: Game, card: Sequence[Exact] | None = None, style: str | None = None
) -> Statement:
    """Parse a working, and return its steps as one formula; its target is the last stated result.

    A fraction that is an earlier result is one number: after `3 - 8/3 = 1/3`, `8 / 1/3` is 8 /
    (1/3). Each step but the last has to state its result. FormulaError if a step states a wrong
    result or uses a number that is not there, or if a result is not used in a game that uses all
    numbers.
    """
    tree, target = _parse_with_fallback(_parse_all_steps, text, game, card, style)
    formula = text_of(tree, style or game.style)
    if target is not None:
        formula += f" = {target}"
    return statement_of(text, tree)._replace(target=target, formula=formula)


def parse_partial_working(
    text: str, game: Game, card: Sequence[Exact], style: str | None = None
) -> PartialWorking:
    """Parse the first steps of a solution, and return the results and the numbers that are left.

    The last step can be without a result: `75 + 50 =` and `75 + 50` are steps too.
    """
    return _parse_with_fallback(_parse_first_steps, text, game, card, style)


def terms_of(numbers: Sequence[Exact]) -> tuple[Term, ...]:
    return tuple(Term(number, "", (number,), Number(number)) for number in numbers)


def combine(
    working: PartialWorking, left: Exact, operator: Operator, right: Exact, game: Game
) -> PartialWorking | str:
    """Return the working after one more step, made without text, or the code of the broken rule.

    Like a text, it uses results before equal numbers of the card, unless that needs parentheses.
    `game` is that of `game_for_numbers`.
    """
    code, terms, sides = "numbers", working.terms, (left, right)
    for one, other in permutations(range(len(terms))[::-1], 2):
        first, second = terms[one], terms[other]
        if first.value != left or second.value != right:
            continue
        term = first.join(operator, second, game)
        if not isinstance(term, str):
            # As `describe_step` writes it in the style of cards.
            words = [side if side >= 0 and side == int(side) else f"({side})" for side in sides]
            step = f"{words[0]} {operator.name} {words[1]} = {term.value}"
            tree: Expression = Operation(operator, first.tree, second.tree)
            tree = flatten_sums(tree) if second.chain and not game.parentheses else tree
            term = term._replace(tree=tree, depth=1 + max(first.depth, second.depth))
            others = [each for place, each in enumerate(terms) if place not in (one, other)]
            results = (*working.results, (term.value, tree))
            return PartialWorking((*working.steps, step), results, (*others, term))
        code = term
    if code == "rule":
        rule = operator.broken_rule(exact_value(left, game), exact_value(right, game), game)
        code = rule.code if rule else code
    return code


def _step_spans(line: str) -> list[TextSpan]:
    """Return the columns of each step of a line that is not blank."""
    separators = [separator.span() for separator in _SEPARATOR.finditer(line)]
    starts = [0, *(end for _, end in separators)]
    ends = [*(start for start, _ in separators), len(line)]
    spans = zip(starts, ends, strict=True)
    return [(start, end) for start, end in spans if line[start:end].strip()]


class _WorkingParser:
    """The parser of one working, with the numbers and results that are not used yet.

    `wanted` has the first choices between equal numbers, and `others` those that are not tried.
    `spaced` accepts spaces in the fractions that earlier steps made.
    """

    def __init__(
        self,
        text: str,
        game: Game,
        card: Sequence[Exact] | None,
        style: str | None,
        *,
        wanted: tuple[int, ...] = (),
        spaced: bool = False,
    ) -> None:
        self.text = text
        self.style = style
        self.wanted = wanted
        self.picks: tuple[int, ...] = ()
        self.others: list[tuple[int, ...]] = []
        self.spaced = spaced
        self.line = normalise_formula(text, game.extra_operators)
        self.game = game
        # The grouping of the game is for whole formulas, not for steps.
        is_standard = game.grouping == "standard"
        self.step_game = game if is_standard else replace(game, grouping="standard")
        self.card = card
        numbers = game.numbers if card is None else card
        # Fractions of the card are found in the text, like results that are not whole.
        self.fractions = {abs(number) for number in numbers if not isinstance(number, int)}
        self.numbers_left = Counter(card or ())
        self.results_left: list[Term] = []
        self.all_results: list[Exact] = []
        self.depth = 0
        """Largest depth of the results that the current step uses."""

    def parse_steps(self, *, partial: bool = False) -> Iterator[_ParsedStep]:
        """Yield each step before it is evaluated; if `partial`, the last can end with an =."""
        spans = _step_spans(self.line)
        if len(spans) > MAX_WORKING_STEPS:
            values = {"count": len(spans), "most": Count(MAX_WORKING_STEPS)}
            reason = message("working.too_many_steps", **values)
            raise MalformedFormulaError(reason, self.text, *spans[MAX_WORKING_STEPS])
        results: set[Exact] = set()
        for index, (start, end) in enumerate(spans):
            is_last = index == len(spans) - 1
            formula = self.line[start:end].rstrip().removesuffix("=")
            is_open = partial and is_last and formula.strip()
            step = self.parse_step(start, start + len(formula) if is_open else end, results)
            target = step.statement.target
            if target is None and not is_last:
                raise MalformedFormulaError(_RESULT_MISSING, self.text, start, end - start)
            if target is not None:
                results.add(target)
            yield step

    def parse_step(self, start: int, end: int, results: set[Exact]) -> _ParsedStep:
        """Parse the step from column `start` to `end`; a fraction among `results` is one number."""
        line = self.line[start:end]
        # The value of each fraction by the column after it.
        value_by_end: dict[int, Exact] = {}
        formula_end = line.find("=") if "=" in line else len(line)
        has_literals = self.game.join or any(
            operator.game_rule for operator in self.game.extra_operators
        )
        pattern = _SPACED_FRACTION if self.spaced else _COMPACT_FRACTION
        for match in pattern.finditer(line, 0, formula_end) if not has_literals else ():
            fraction_text = LATEX_FRACTION.sub(r"\1/\2", match[1] or match[2])
            value = _parse_value_or_none("".join(fraction_text.split()))
            # A step that is only a LaTeX or spaced fraction is a division.
            looks_like_division = self.spaced or FRACTION_MARK in match[0]
            is_step = looks_like_division and match[0].strip() == line[:formula_end].strip()
            if value is None or isinstance(value, int) or is_step:
                continue
            is_decimal = re.fullmatch(_DECIMAL, fraction_text.strip()) is not None
            # A decimal can only be one number; a quotient is one if the card has its value.
            is_of_card = abs(value) in self.fractions or (is_decimal and bool(self.fractions))
            text_before = line[: match.start()].rstrip()
            is_ambiguous = match[2] and (self.spaced or (is_of_card and not is_decimal))
            if is_ambiguous and text_before.endswith(_DIVISION_SIGNS):
                continue
            # -6/5 is a result with its minus, which is not that of a difference: 4 - 6/5.
            has_minus = match[2] and _UNARY_MINUS.search(text_before)
            if value in results or (has_minus and -value in results) or is_of_card:
                first, last = match.span()
                value_by_end[start + last] = value
                # Digits, so that the grammar parses the fraction as one number.
                line = f"{line[:first]}{'1' * (last - first)}{line[last:]}"
        try:
            # Spaces in front keep the columns of the text.
            blank = " " * start
            formula = blank + normalise(self.text[start:end])
            parsed = parse_statement(formula, self.step_game, blank + line, value_by_end)
        except FormulaError as error:
            column, length = error.position, error.length
            raise type(error)(error.message, self.text, column, length, error.code) from None

        statement = statement_of(self.text, parsed.expression)._replace(
            target=parsed.target, negative_zero=parsed.negative_zero
        )
        result_start = line.find("=") + 1
        if not result_start:
            return _ParsedStep(statement, (end, end), (start, end))
        result_start += len(line[result_start:]) - len(line[result_start:].lstrip())
        result_span = (start + result_start, start + len(line.rstrip()))
        return _ParsedStep(statement, result_span, (start, end))

    def take_step(self, step: _ParsedStep) -> None:
        """Evaluate a step: use up its numbers, and add its result to the unused results."""
        statement = step.statement
        # With a card, any number is allowed here; `substitute` checks whether it is left.
        numbers = statement.numbers if self.card is not None else []
        if not self.game.negatives:
            numbers = [number for number in numbers if number >= 0]
        value = statement.value_in(self.step_game, [*numbers, *self.all_results], self.style)
        self.depth = 0
        tree = self.substitute(statement.tree, statement.number_of)
        # One level for the parentheses around a result, and the levels of the step itself.
        depth = self.depth + 1 + _nesting(self.line[slice(*step.span)])
        if depth > MAX_NESTING:
            reason = message("working.too_deep", most=MAX_NESTING)
            raise MalformedFormulaError(reason, self.text, step.span[0])
        self.results_left.append(Term(value, "", (), tree, depth, step.result_span))
        self.all_results.append(value)

    def check_stated_result(self, step: _ParsedStep) -> None:
        """Raise FormulaError if the last evaluated step states a wrong result."""
        value, stated_value = self.results_left[-1].value, step.statement.target
        if stated_value is None or stated_value == value:
            return
        formula = " ".join(self.text[step.span[0] : step.result_span[0]].rstrip(" =＝").split())
        start, end = step.result_span
        code, stated = "stated", format_value(stated_value)
        if is_rounded(value, self.text[start:end]):
            code, stated = "rounded", " ".join(self.text[start:end].split())
        if len(formula) <= _MAX_QUOTED_LENGTH:
            reason = message(f"working.{code}", step=formula, value=value, stated=stated)
        else:
            reason = message(f"working.{code}_long", value=value, stated=stated)
        raise FormulaError(reason, self.text, start, end - start, code)

    def text_with_result(self, step: _ParsedStep) -> str:
        """Return the last evaluated step with its result."""
        start, end = step.span
        if step.statement.target is not None:
            return self.text[start:end]
        result = str(self.results_left[-1].value)
        if len(result) > MAX_NUMBER_LENGTH:
            raise MalformedFormulaError(_RESULT_MISSING, self.text, start, end - start)
        return f"{self.text[start:end].strip()} = {result}"

    def final_tree(self, last: _ParsedStep) -> Expression:
        """Return the tree of the whole solution: that of the last step, with all earlier steps."""
        result = self.results_left.pop()
        if self.results_left and self.game.all_numbers:
            unused = self.results_left[0]
            start, end = unused.span
            reason = message("working.result_not_used", value=unused.value)
            raise FormulaError(reason, self.text, start, end - start, "numbers-missing")
        return fit_to_game(result.tree, self.game, self.text, *last.span)

    def substitute(self, part: Expression, number_of: Callable[[Number], Exact]) -> Expression:
        """Return a part of a step in which results of earlier steps are replaced by those steps."""
        if isinstance(part, NoOperand):
            return part
        # A letter is always a number of the card.
        part_text = self.line[slice(*part.span)].lstrip(_MINUS_OR_SPACE)
        is_letter = part_text[:1].isalpha()
        value = None if is_letter else _written_number(part, number_of)
        if value is not None and (tree := self.take_result(value, part)):
            return tree
        if isinstance(part, Number):
            # -5 can be the result 5 with a minus.
            is_negative = self.game.negatives and value is not None and value < 0
            if is_negative and value and not self.is_left(part.value):
                tree_of_result = self.take_result(-value, part)
                if tree_of_result:
                    return Operation(MINUS, NoOperand(0), tree_of_result, part.span)
            self.take_number(part)
            return part
        if part.operator.joins:
            # Digits are joined from numbers of the card, not from results.
            for digit in parts_of(part).numbers:
                self.take_number(digit)
            return part
        first_operand, chain = split_chain(part)
        tree = self.substitute(first_operand, number_of)
        for operation in chain:
            right = self.substitute(operation.right, number_of)
            tree = Operation(operation.operator, tree, right, operation.span)
        return tree

    def take_result(self, value: Exact, part: Expression) -> Expression | None:
        """Use up an unused result that has a value; return its tree, None for a number dealt."""
        is_dealt = isinstance(part, Number) and self.numbers_left[part.value] > 0
        places = [place for place, term in enumerate(self.results_left) if term.value == value]
        pick = 0
        if places and (count := len(places) + is_dealt) > 1:
            if len(self.picks) < len(self.wanted):
                pick = self.wanted[len(self.picks)]
            else:
                self.others += [(*self.picks, other) for other in range(1, count)][::-1]
            self.picks += (pick,)
        if pick == len(places):
            return None
        index = places[pick]
        self.depth = max(self.depth, self.results_left[index].depth)
        return self.results_left.pop(index).tree

    def is_left(self, number: Exact) -> bool:
        """Return whether a number is dealt and not used yet; without a card, if the game has it."""
        return number in self.game.numbers if self.card is None else self.numbers_left[number] > 0

    def take_number(self, number: Number) -> None:
        """Use up the dealt number that a number in a step stands for: also 3 for -3."""
        value = number.value
        dealt = -value if value < 0 and self.game.negatives and not self.is_left(value) else value
        if self.is_left(dealt):
            if self.card is not None:
                self.numbers_left[dealt] -= 1
            return
        results = (result.value for result in self.results_left)
        values_left = sorted([*self.numbers_left.elements(), *results])
        if self.card is None:
            reason = message("working.used_already", value=value)
        elif values_left:
            reason = message("working.not_left", value=value, left=Spaced(values_left))
        else:
            reason = message("working.none_left", value=value)
        start, end = number.span
        raise FormulaError(reason, self.text, start, end - start)


def _parse_all_steps(parser: _WorkingParser) -> tuple[Expression, Exact | None]:
    """Evaluate all steps; return the tree of the solution, and the last stated result."""
    steps = list(parser.parse_steps())
    if not steps:
        raise MalformedFormulaError(message("formula.none"), parser.text, 0)
    *earlier, last = steps
    for step in earlier:
        parser.take_step(step)
        parser.check_stated_result(step)
    # The caller compares the last result with the target.
    parser.take_step(last)
    return parser.final_tree(last), last.statement.target


def _parse_first_steps(parser: _WorkingParser) -> PartialWorking:
    texts, results = [], []
    for step in list(parser.parse_steps(partial=True)):
        parser.take_step(step)
        parser.check_stated_result(step)
        result = parser.results_left[-1]
        tree = fit_to_game(result.tree, parser.game, parser.text, *step.span)
        formula, card = statement_of(parser.text, tree), parser.card or ()
        if tree is not result.tree:
            # Its sums are in another order: 8 + (9 - 8) is 8 + 9 - 8, with a result of 17.
            formula.value_in(parser.game, card)
        tree = formula.as_judged(parser.game, card).tree
        numbers = tuple(sorted(number.value for number in numbers_of(tree)))
        term = Term(result.value, chain_of(tree, parser.game), numbers, tree, result.depth)
        parser.results_left[-1] = term
        results.append((result.value, tree))
        texts.append(parser.text_with_result(step))
    terms = (*terms_of([*parser.numbers_left.elements()]), *parser.results_left)
    return PartialWorking(tuple(texts), tuple(results), terms)


def _parse_with_fallback(
    parse: Callable[[_WorkingParser], _T],
    text: str,
    game: Game,
    card: Sequence[Exact] | None,
    style: str | None,
) -> _T:
    """Parse a solution in its first legal reading, or raise the error of the first one."""
    parser = _WorkingParser(text, game, card, style)
    try:
        return parse(parser)
    except MalformedFormulaError:
        raise
    except IllegalFormulaError:
        if (game.parentheses and not game.once) or card is None:
            raise
        # Of equal numbers, the first result is tried first, and the number of the card last.
        others, tries = parser.others, MAX_WORKING_STEPS
        while others and (tries := tries - 1):
            parser = _WorkingParser(text, game, card, style, wanted=others.pop())
            with suppress(FormulaError):
                return parse(parser)
            others += parser.others
        raise
    except FormulaError:
        if not _SPACED_DIVISION.search(normalise_formula(text, game.extra_operators)):
            raise
        with suppress(FormulaError):
            return parse(_WorkingParser(text, game, card, style, spaced=True))
        raise


def _parse_value_or_none(text: str) -> Exact | None:
    try:
        return parse_value(text)
    except ValueError:
        return None


def _written_number(part: Expression, number_of: Callable[[Number], Exact]) -> Exact | None:
    """Return the number that a part is written as, also as joined digits, or None."""
    if isinstance(part, Number):
        return number_of(part)
    if not part.operator.joins or part.operator.arity == 1:
        return None
    return int("".join(str(number.value) for number in parts_of(part).numbers))


def _nesting(line: str) -> int:
    """Return how many brackets are open at the same time, at most."""
    closing = CLOSING_BRACKETS.values()
    # 1 for an opening bracket, -1 for a closing one, 0 for any other character.
    changes = [(character in CLOSING_BRACKETS) - (character in closing) for character in line]
    return max(accumulate(changes), default=0)
