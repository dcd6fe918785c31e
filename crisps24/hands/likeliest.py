"""The likeliest route to a solution: the order of work that costs a person least.

A solution has many routes, and the plainest form shows one of them. 13 + 8 + 6 - 3 is found as
13 + 8 = 21, 6 - 3 = 3, 21 + 3 = 24. Owns which one that is, on the best of the `forest`, and the
order of its steps, for hints.
"""

from dataclasses import replace
from math import inf

from crisps24.hands.asks import Ask, Asks
from crisps24.hands.by_function import ByFunction, Derivation
from crisps24.hands.costs import step_bits
from crisps24.hands.fingerprints import Residue, stand_in
from crisps24.hands.forest import Forest
from crisps24.hands.forms import is_idle
from crisps24.notation.evaluation import Step as Worked
from crisps24.notation.evaluation import exact_leaf, exact_value, sentence_of, steps
from crisps24.notation.trees import Expression, Number, Operation, numbers_of, text_of
from crisps24.rules.exact import Exact, simplest
from crisps24.rules.games import Game, find_game
from crisps24.rules.ratios import column_of, exact_values


def hints(expression: Expression, game: Game | str, *, in_order: bool = False) -> list[str]:
    """Return the steps of the likeliest route to a solution, a sentence each.

    Where nothing has to be done, since the number is there, the only one is that number.

    >>> from crisps24 import parse
    >>> hints(parse("13 + 8 + 6 - 3", "cards"), "cards")
    ['6 - 3 = 3', '8 + 3 = 11', '13 + 11 = 24']
    >>> hints(parse("75", "countdown"), "countdown")
    ['75']
    """
    game = find_game(game)
    told = [sentence_of(step, game) for step in route_of(expression, game, in_order=in_order)]
    return told or [text_of(expression, game.signs)]


def route_of(expression: Expression, game: Game | str, *, in_order: bool = False) -> list[Worked]:
    """Return the steps of the likeliest route to a solution, in an order in which they can be done.

    Of those that can be done next the easiest comes first, and what leaves a number as it is last.
    Where all routes have results below zero they are those of the expression itself.
    """
    game = find_game(game)
    likeliest = _tree_of(expression, game, in_order) or expression
    every = list(steps(likeliest, game, exact_leaf(game)))
    # Digits are joined before anything is worked out.
    done = {id(step.operation) for step in every if step.operation.operator.joins}
    left = [step for step in every if id(step.operation) not in done]
    ordered: list[Worked] = []
    while left:
        free = [step for step in left if _is_free(step.operation, done)]
        easiest = min(free, key=lambda step: _effort(step, game, step.operation is likeliest))
        done.add(id(easiest.operation))
        left.remove(easiest)
        ordered.append(easiest)
    return ordered


def _is_free(operation: Operation, done: set[int]) -> bool:
    """Return whether all that an operation joins is dealt or done."""
    operands = (operation.left, operation.right)
    return all(isinstance(each, Number) or id(each) in done for each in operands)


def _effort(step: Worked, game: Game, last: bool) -> tuple[bool, float]:
    """Return what a step costs, and first whether it is one in which nothing is worked out."""
    operator = step.operation.operator
    idle = is_idle(operator, step.left, step.right)
    if step.result < 0:
        # Nobody does that before anything else.
        return idle, inf
    left, right, result = (
        column_of([value], game.fractions, object) for value in (step.left, step.right, step.result)
    )
    return idle, float(step_bits(operator, left, right, result, last)[0])


def _tree_of(expression: Expression, game: Game, in_order: bool) -> Expression | None:
    """Return the likeliest of all routes to the function that an expression is; None for none."""
    numbers = tuple(number.value for number in numbers_of(expression))
    hand = numbers if in_order else tuple(sorted(numbers))
    if len(hand) == 1 or not isinstance(expression, Operation):
        return None
    whole = replace(game, all_numbers=True)
    value, found = _function_of(expression, game)
    asks = Asks([Ask(hand, simplest(value))], whole, in_order)
    chart = ByFunction([hand], whole, in_order)
    forest = Forest(
        chart, list(chart.kept(lambda hands: asks.among(hands).matches, asks)), asks, True
    )
    last = forest.likeliest(found.number)
    return last and _joined(last, chart, forest)


def _joined(last: Derivation, chart: ByFunction, forest: Forest) -> Expression:
    """Return the tree of the likeliest route that ends in a step."""
    operator, *places = last
    values = exact_values(chart.values[places])
    if operator.commutes and values[0] < values[1] and not chart.in_order:
        places, values = places[::-1], values[::-1]
    parts: list[Expression] = []
    for place, value in zip(places, values, strict=True):
        step = forest.likeliest_at(place)
        parts.append(_joined(step, chart, forest) if step else Number(int(value)))
    left, right = parts
    return Operation(operator, left, right, signs=chart.game.signs)


def _function_of(expression: Expression, game: Game) -> tuple[Exact, Residue]:
    """Return the value and the fingerprint of an expression."""
    if isinstance(expression, Number):
        return exact_value(expression.value, game), Residue(stand_in(expression.value))
    operator = expression.operator
    left, right = (_function_of(each, game) for each in (expression.left, expression.right))
    value = operator.arithmetic(left[0], right[0])
    if operator.joins:
        return value, Residue(stand_in(int(value)))
    return value, operator.arithmetic(left[1], right[1])
