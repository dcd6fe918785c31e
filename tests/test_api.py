"""The public API: any argument gives a result or an error quickly; all values can be copied."""

import copy
import inspect
import pickle
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from itertools import count, islice, repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crisps24 as api
from crisps24.notation.trees import Number
from crisps24.rules import words
from tests.extras import modules
from tests.sampling import in_one_test

TWO = api.Game("two", (1, 2), 2, target=3)
SUM = api.puzzle_of("cards:1.2=3")


class WithoutRepr:
    def __repr__(self) -> str:
        raise RuntimeError("not today")


# Values, and functions that make a value that can be read only once.
_ITEMS: list[object] = [
    *(None, 5, -1, 1.5, float("nan"), float("inf"), True, 1j, 10**5000, Fraction(1, 2)),
    *(Fraction(1, 10**5000), Decimal(24), np.int64(24), np.float64(24), "x", "24", "", "\0"),
    *("\ud800", "1" * 10**6, b"1 + 2", object(), WithoutRepr(), WithoutRepr, ValueError("x"), []),
    *([[[1]], [2]], [1, 2], ["1", "2"], [None] * 3, [float("nan")] * 2, [10**5000] * 2),
    *({1: 2, 10**5000: 3}, (True, False), {1, 2}, np.array([1, 2]), np.ones((2, 2)), np.array(3)),
    *(range(0), range(10**9), range(10**30), range(10**12, 10**13, 7), TWO),
]
ODD: dict[str, Callable[[], object]] = {
    f"{place}: {type(item).__name__}": partial(lambda item: item, item)
    for place, item in enumerate(_ITEMS)
}
ODD |= {
    **{"function": lambda: len, "counter": count, "repeated": lambda: repeat(1)},
    "endless pairs": lambda: repeat(((1, 2, 3, 4), 3)),
    "generator": lambda: (each for each in (1, 2)),
    "puzzle": lambda: api.puzzle_of("cards:1.2=3"),
}


@cache
def surveyed() -> api.Survey:
    return api.survey(TWO, 3)


def measured(**arguments: Any) -> api.Distances:
    return api.survey(TWO, range(6)).distances(**arguments)


@cache
def graded() -> api.Difficulties:
    return api.survey_difficulty("crisps", 24)


def reported(**arguments: Any) -> None:
    sampler = api.Sampler(TWO, seed=1, pool=9)
    sampler.report(**{"puzzle": next(sampler)} | arguments)


odd_game = partial(api.Game, name="odd", numbers=(1, 2), length=2, target=3)


def only_game(**fields: Any) -> object:
    game = odd_game(**fields)
    refused(lambda: api.check("1 + 2", game=game).verdict)
    refused(lambda: api.check("1 + 2", hand=(1, 2), game=game, strict=True).verdict)
    refused(lambda: [str(each) for each in api.solve((1, 2), game=game)])
    refused(lambda: api.counts(game))
    refused(lambda: api.deal(game, seed=1)[0].id)
    refused(lambda: api.survey(game, 3).by_large())
    refused(lambda: api.difficulty((1, 2), 3, game))
    return repr(game), hash(game)


# Valid arguments for each function; the tests replace one argument at a time by an odd value.
FITTING: dict[str, tuple[Callable[..., object], dict[str, Any]]] = {
    "Conditions": (lambda **asked: api.deal(TWO, seed=1, conditions=api.Conditions(**asked)), {}),
    "Equation": (lambda **fields: api.equations(api.Equation(**fields)), {"length": 5}),
    "Episode": (lambda **named: api.Episode(**named).step("1 - 2").reward, {"puzzle": SUM}),
    "Sampler": (lambda **asked: next(api.Sampler(**asked)).id, {"game": TWO, "seed": 1, "pool": 9}),
    "Sampler.report": (reported, {"success": True}),
    "Episode.tool": (api.Episode("cards:1.2=3").tool, {"host": "mcp"}),
    "Episode.call": (api.Episode("cards:1.2=3").call, {"arguments": {"step": "1 + 2"}}),
    "Episode.step": (api.Episode(SUM).step, {"action": "1 + 2"}),
    "Formula": (lambda **row: api.check(api.Formula(**row)), {"numbers": (1, 2), "operators": "+"}),
    "Game": (only_game, {}),
    "Puzzle": (
        lambda **fields: (each := api.Puzzle(**fields)).solutions() and (each.id, repr(each)),
        {"hand": (1, 2), "target": 3, "game": TWO},
    ),
    "Puzzle.check": (SUM.check, {"text": "1 + 2"}),
    "Puzzle.judge": (SUM.judge, {"text": "1 + 2"}),
    "Survey.load": (api.Survey.load, {"path": "none"}),
    "Survey.save": (lambda **asked: surveyed().save(**asked), {"path": "none"}),
    "Survey.only": (lambda **asked: surveyed().only(**asked), {"target": 3}),
    "Survey.unsolvable": (lambda **asked: surveyed().unsolvable(**asked), {"target": 3}),
    "Survey.distances": (lambda **asked: measured(**asked), {"most": 1, "targets": 3}),
    "Survey.hardest": (lambda **asked: surveyed().hardest(**asked), {"count": 1}),
    "Difficulties.load": (api.Difficulties.load, {"path": "none"}),
    "Difficulties.only": (lambda **asked: graded().only(**asked), {"target": 24}),
    "Difficulties.quantiles": (lambda **asked: graded().quantiles(**asked), {"percents": [50]}),
    "check": (api.check, {"text": "1 + 2"}),
    "closest": (api.closest, {"numbers": (1, 2), "target": 3, "game": TWO}),
    "count": (api.count, {"target": 3}),
    "count_written": (api.count_written, {"numbers": (1, 2), "targets": [3], "game": TWO}),
    "counts": (api.counts, {}),
    "deal": (api.deal, {"game": TWO, "seed": 1}),
    "difficulty": (api.difficulty, {"numbers": (1, 2), "target": 3, "game": TWO}),
    "equations": (api.equations, {"equation": api.Equation(length=5)}),
    "evaluate": (api.evaluate, {"formula": "1 + 2"}),
    "formulas": (api.formulas, {"target": 3, "game": TWO}),
    "judge": (api.judge, {"text": "1 + 2", "puzzle": "cards:1.2=3"}),
    "parse": (api.parse, {"text": "1 + 2"}),
    "plainest": (api.plainest, {"numbers": (1, 2), "game": TWO}),
    "puzzle_of": (api.puzzle_of, {"puzzle": "cards:1.2=3"}),
    "reachable": (api.reachable, {"numbers": (1, 2), "game": TWO}),
    "read_results": (api.read_results, {"path": "none"}),
    "solutions": (api.solutions, {"numbers": (1, 2), "target": 3, "game": TWO}),
    "solve": (api.solve, {"numbers": (1, 2), "target": 3, "game": TWO}),
    "solve_many": (api.solve_many, {"puzzles": [((1, 2), 3)], "game": TWO}),
    "survey": (api.survey, {"game": TWO, "targets": 3}),
    "survey_difficulty": (api.survey_difficulty, {"game": TWO, "targets": 3}),
    "verify_results": (api.verify_results, {"path": "none", "game": TWO, "target": 3}),
    "count_solutions": (api.count_solutions, {"numbers": (1, 2), "game": TWO}),
    "written_forms": (api.written_forms, {"numbers": (1, 2), "target": 3, "game": TWO}),
    "write_results": (api.write_results, {"target": 3, "directory": "none", "game": TWO}),
}
# Plain result values, which do not check their arguments; the functions above return them.
RESULT_CLASSES = (
    *("Check", "Deal", "Difficulty", "Distances", "Judgement", "Problem", "Solution"),
    *("Expression", "Message", "Solutions", "Verification"),
)
# Parameters for which the operating system may raise OSError.
PATHS = ("path", "directory", "store", "checkpoint")

ODD_GAMES: list[dict[str, Any]] = [
    *({"length": 10**9}, {"length": 10**60}, {"numbers": (10**99, 1)}, {"numbers": (10**3999, 1)}),
    *({"numbers": (123456789012, 987654321098)}, {"target": 10**99}, {"target": -5}),
    *({"target": None, "targets": (0, 10**50)}, {"target": None, "targets": (5, 1)}),
    *({"large": (7,)}, {"letters": (("+", 3), ("AB", 2), ("", 1))}, {"name": ""}),
]


@pytest.mark.parametrize("fields", ODD_GAMES, ids=str)
def test_extreme_game_works_or_is_refused_quickly(
    fields: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    api.write_results(6561, tmp_path).rename("results.3")
    start = time.perf_counter()
    only_game(**fields)
    refused(lambda: api.verify_results("results.3", odd_game(**fields)))
    refused(lambda: api.write_results(3, tmp_path, odd_game(**fields)))
    assert time.perf_counter() - start < 20


def parameters() -> Iterator[tuple[str, str]]:
    for name in FITTING:
        owner, _, method = name.partition(".")
        function = getattr(api, owner)
        function = getattr(function, method) if method else function
        for parameter in inspect.signature(function).parameters.values():
            if parameter.annotation not in (bool, inspect.Parameter.empty):
                yield name, parameter.name


def refused(call: Callable[[], object]) -> str:
    """Return the message of the error of a call, or an empty text if it returns a value."""
    try:
        result = call()
        if isinstance(result, Iterator):
            list(islice(result, 3))
        elif hasattr(result, "__len__"):
            len(result)
    except api.CrispsError as error:
        return str(error)
    except TypeError:
        # Python itself refuses the type.
        return "wrong type"
    return ""


def test_every_public_function_and_class_is_tested() -> None:
    classes = {name for name in api.__all__ if isinstance(getattr(api, name), type)}
    errors = {error.__name__ for error in every_error()}
    called = {name.partition(".")[0] for name in FITTING}
    assert called | set(RESULT_CLASSES) | (classes & errors) | {"GAMES"} == set(api.__all__)
    assert classes <= VALUES.keys() | errors


@pytest.mark.parametrize(("name", "parameter"), list(parameters()))
def test_any_argument_gives_a_result_or_a_short_message_quickly(
    name: str, parameter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if name != "reachable":
        # Otherwise each endless value is read up to a million values.
        monkeypatch.setattr(words, "MAX_RANGE_LENGTH", 1000)
    call, fitting = FITTING[name]
    for label, odd in ODD.items():
        start = time.perf_counter()
        try:
            message = refused(lambda odd=odd: call(**fitting | {parameter: odd()}))  # type: ignore[misc]
        except OSError:
            assert parameter in PATHS or fitting.get("path") or fitting.get("directory"), label
        else:
            assert "\n" not in message
            assert len(message) < 400, label
        assert time.perf_counter() - start < 20, label


def test_valid_arguments_are_not_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    surveyed().save("survey")
    api.survey_difficulty(TWO, 3, store="graded")
    places = {"Survey.load": "survey", "Difficulties.load": "graded"}
    places |= dict.fromkeys(("read_results", "verify_results"), str(api.write_results(3, tmp_path)))
    for name, (call, fitting) in FITTING.items():
        own = {"path": places[name]} if name in places else {}
        if name != "Survey.save":
            assert refused(partial(call, **fitting | own)) == "", name


@in_one_test("odd", *ODD)
def test_odd_text_gets_a_verdict_without_an_exception(odd: str) -> None:
    puzzle = api.puzzle_of("crisps:4.3.8.4=24")
    text: Any = ODD[odd]()
    for result in (api.check(text), api.check(text, (4, 3, 8, 4), 24), puzzle.check(text)):
        assert result.verdict in ("malformed", "illegal", "legal", "wrong")
        assert bool(result) is (result.verdict == "legal")
        assert not result.right
        assert result.verdict == "legal" or result.reason
        if not isinstance(text, str):
            assert result.verdict == "malformed"
            assert result.reason.endswith("is not a formula (write a text such as 4 + 3 x 8 - 4)")
            assert result.error is not None
            assert result.error.marked()
    judgement = puzzle.judge(ODD[odd]())
    assert judgement.verdict in ("none", "malformed", "wrong")
    assert (bool(judgement), judgement.score, judgement.reason != "") == (False, 0.0, True)
    assert api.judge(ODD[odd](), puzzle.id) == judgement


def test_check_is_true_if_right_or_legal() -> None:
    texts = ["4 + 3 x 8 - 4", "4 + 3 x 8 - 4 = 23", "4 + 3 + 8 + 4", "4 + 3 x 8", "4 +"]
    for text in (*texts, "4 - 8 + 3 x 4"):
        result = api.check(text, hand=(4, 3, 8, 4))
        assert bool(result) == result.right == (text == texts[0]), text
    assert api.check("4 + 3")
    assert not api.check("4 + 3").right


def test_check_accepts_solutions_formulas_and_trees() -> None:
    for hand, game in (((3, 3, 8, 8), "cards"), ((4, 3, 8, 4), "crisps"), ((5, 6), "countdown")):
        for solution in api.solve(hand, 24 if len(hand) > 2 else 30, game):
            assert api.check(solution, hand, 24 if len(hand) > 2 else 30, game).right
    assert api.check(api.Formula((4, 3), ("x",)), target=12).right
    assert api.check(api.parse("(4 + 3) x 2", "digits")).reason == "no brackets in this game"


@pytest.mark.parametrize("target", ["24", 24.0, b"24", [24], Decimal("nan")], ids=repr)
def test_inexact_target_is_refused_everywhere(target: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: api.check("4 x 6", target=target),
        lambda: api.check("4 x", target=target),
        lambda: api.solve((4, 6), target),
        lambda: api.solutions((4, 6), target),
        lambda: list(api.solve_many([((4, 6), target)])),
        lambda: api.closest((4, 6), target),
        lambda: api.difficulty((4, 6), target),
        lambda: api.count_solutions((4, 6), within=(0, target)),
        lambda: api.count_written((4, 6), [target]),
        lambda: api.written_forms((4, 6), target),
        lambda: api.count(target),
        lambda: next(api.formulas(target)),
        lambda: api.deal("cards", seed=1, target=target),
        lambda: api.write_results(target, "."),
        lambda: api.verify_results(__file__, target=target),
        lambda: api.Puzzle((1, 2), target, TWO),
        lambda: api.Game("odd", (1, 2), 2, target=target),
        lambda: surveyed().only(target),
    ]
    for call in calls:
        with pytest.raises(TypeError, match="is not exact") as e:
            call()
        assert isinstance(e.value, api.CrispsError)


@in_one_test(
    ("call", "message"),
    (lambda: api.check("1 + 2", game=5), r"invalid game 5 \(expected a name, such as cards, "),  # type: ignore[arg-type]
    (lambda: api.solve((1, 2), 3, None), "invalid game None "),  # type: ignore[arg-type]
    (lambda: api.deal(["cards"]), r"invalid game \['cards'\] "),  # type: ignore[arg-type]
    (
        lambda: api.count_solutions((1, 2), within=[]),  # type: ignore[arg-type]
        r"invalid bounds \[\] \(expected two values, such as \(0, 100\)\)",
    ),
    (lambda: api.count_solutions((1, 2), within=(5, 1)), "the values from 5 to 1 run downwards"),
    (lambda: next(api.read_results("\0")), r"invalid file name '\\x00'"),
    (lambda: api.Survey.load("\ud800"), r"invalid file name '\\ud800'"),
    (lambda: api.solve(range(10**9), 24), "a hand has at most 99 numbers"),
    (lambda: api.reachable(count()), "a hand has at most 99 numbers"),  # type: ignore[arg-type]
    (lambda: api.check("1", hand=repeat(1)), "a hand has at most 99 numbers"),  # type: ignore[arg-type]
    (lambda: api.solve(5, 24), r"invalid hand 5 \(expected numbers, such as \(4, 3, 8, 4\)\)"),  # type: ignore[arg-type]
    (lambda: api.solve((10**4000, 1), 24), "a number has more than 4,000 digits"),
    (lambda: api.count(10**4000), "a number has more than 4,000 digits"),
    (lambda: api.Game("odd", range(10**9), 2), "odd has more than 10,000 numbers"),  # type: ignore[arg-type]
    (lambda: api.Game("odd", count(), 2), "odd has more than 10,000 numbers"),  # type: ignore[arg-type]
    (lambda: api.Game("odd", (1,), 1, style=None), r"style of a game None \(expected text"),  # type: ignore[arg-type]
    (lambda: next(api.solve_many(count())), "invalid puzzle 0 "),  # type: ignore[arg-type]
    (lambda: api.deal(seed=1, targets=range(0, 9, 2)), "a deal are a range without gaps"),
    (lambda: api.Conditions(levels=3), r"invalid levels 3 \(expected a range: range\(2, 4\)\)"),  # type: ignore[arg-type]
    (lambda: api.survey(TWO, 3, executor=5), "invalid executor 5 "),  # type: ignore[arg-type]
    (lambda: api.verify_results(__file__, target=3, length=10**9), "invalid length 1000000000"),
    (lambda: api.verify_results(5, target=3), "5 is not a path or a file that is open for "),  # type: ignore[arg-type]
    (lambda: api.count(3, work="many"), "invalid work limit 'many' "),  # type: ignore[arg-type]
    (lambda: graded().quantiles([0]), r"invalid percentages \[0\] \(expected integers from"),
    (lambda: surveyed().hardest(-1), r"invalid number of targets -1 \(expected 0 or more\)"),
)
def test_invalid_argument_is_refused_with_message(call: Callable[[], object], message: str) -> None:
    with pytest.raises(api.CrispsError, match=message):
        call()


# Some values of every public class.
VALUES: dict[str, Callable[[], list[Any]]] = {
    "Check": lambda: [api.check(text) for text in ("1 + 2 = 3", "1 +", "1 - 2", None)],  # type: ignore[arg-type]
    "Conditions": lambda: [api.Conditions(), api.Conditions(levels=range(2, 4), large=2)],
    "Deal": lambda: [api.deal("cards", 2, seed=7)],
    "Difficulties": lambda: [graded()],
    "Distances": lambda: [measured(most=1)],
    "Difficulty": lambda: [api.difficulty((3, 3, 8, 8), 24, "cards")],
    "Formula": lambda: list(islice(api.formulas(24), 2)),
    "Game": lambda: [*api.GAMES.values(), TWO],
    "Judgement": lambda: [SUM.judge(text) for text in ("1 + 2", "1 - 2", "3(", None)],
    "Problem": lambda: [api.Problem(1, "it is wrong")],
    "Equation": lambda: [api.Equation(), api.Equation(5, "either", game=TWO)],
    "Puzzle": lambda: [api.puzzle_of("cards:3.3.8.8=24"), api.deal(TWO, seed=1)[0]],
    "Message": lambda: [api.check("1 + 2", target=4).message],
    "Solution": lambda: api.solutions((2, 3, 4), 10),
    "Survey": lambda: [surveyed()],
    "Verification": lambda: [api.Verification(Path("results.3"), 3, 2)],
    "Episode": lambda: [api.Episode(api.puzzle_of("cards:1.2=3"), limit=5)],
    # Classes without a public name, whose values functions return.
    "Sampler": lambda: [api.Sampler("crisps", 0.3, seed=1, pool=9)],
    "Observation": lambda: [api.Episode(api.puzzle_of("cards:1.2=3")).step("1 - 2")],
    "Solutions": lambda: [api.solve(hand, 10) for hand in ((2, 3, 4), (1, 1))],
    "Operation": lambda: [api.parse("8 / 3", "cards"), *api.solve((3, 8, 3, 8), 24, "cards")],
    "Number": lambda: [Number(3)],
}
COPIES: dict[str, Callable[[Any], Any]] = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "old pickle": lambda value: pickle.loads(pickle.dumps(value, 2)),
    **{"copy": copy.copy, "deepcopy": copy.deepcopy},
}
# The arguments of errors that take more than a message.
ERROR_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("FormulaError", "IllegalFormulaError"), ("wrong", "1 +", 2, 1)),
    **{"MalformedFormulaError": ("wrong", "1 +", 2, 1), "ResultsError": (7, "this is not a row")},
}


def every_error(kind: type[api.CrispsError] = api.CrispsError) -> Iterator[type[api.CrispsError]]:
    yield kind
    for other in kind.__subclasses__():
        yield from every_error(other)


def comparable_parts(value: Any) -> object:
    if isinstance(value, api.Survey | api.Difficulties):
        return type(value), value.game, value.targets, value.by_target(), value.by_hand()
    if isinstance(value, api.Distances):
        return type(value), value.game, value.targets, value.by_large()
    if isinstance(value, api.Sampler):
        return value.seed, value.success_rate, value.bits, str(next(copy.deepcopy(value)))
    if isinstance(value, api.Check):
        return value, str(value.error), vars(value.error) if value.error else None
    if hasattr(value, "every"):
        return list(value), value.details, repr(value), value.game
    return value, repr(value)


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("name", VALUES)
def test_copies_of_public_values_are_equal(name: str, how: str) -> None:
    values = VALUES[name]()
    assert values
    for value in values:
        assert type(value).__name__ == name
        assert comparable_parts(COPIES[how](value)) == comparable_parts(value)


@pytest.mark.parametrize("how", COPIES)
def test_copies_of_errors_are_equal(how: str) -> None:
    # Errors are defined in any module.
    list(modules())
    for kind in every_error():
        error = kind(*ERROR_ARGUMENTS.get(kind.__name__, ("a sentence",)))
        again = COPIES[how](error)
        assert type(again) is kind
        assert (str(again), vars(again)) == (str(error), vars(error))


def test_copied_solutions_continue_at_the_same_solution() -> None:
    solutions = api.solve((2, 3, 4), 10)
    first = next(solutions)
    again = pickle.loads(pickle.dumps(solutions))
    assert (first, next(again), list(again)) == (solutions[0], solutions[1], list(solutions))


def _read(path: str) -> list[api.Formula]:
    return list(api.read_results(path))


def test_processes_return_results_and_errors(tmp_path: Path) -> None:
    wrong = tmp_path / "results.3"
    wrong.write_text("nothing\nof the kind\n")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        invalid = pool.submit(_read, str(wrong))
        solved = pool.submit(api.solve, (2, 3, 4), 10)
        read = pool.submit(api.parse, "4 x")
        with pytest.raises(api.ResultsError, match="line 1: this is not the header") as error:
            invalid.result(60)
        assert (error.value.line, error.value.problem[:7]) == (1, "this is")
        assert list(map(str, solved.result(60))) == list(map(str, api.solve((2, 3, 4), 10)))
        with pytest.raises(api.MalformedFormulaError) as malformed:
            read.result(60)
        assert malformed.value.position == 3


PUZZLE = api.puzzle_of("cards:4.6.8.10=24")
UNORDERED: list[Any] = [b"12", bytearray((1, 2)), {1: 2}]
HANDS: list[Any] = [*UNORDERED, {3, 8}, frozenset((3, 8)), (True, 8)]
NOT_REAL: list[Any] = ["x", float("nan"), True]
NOT_NUMBERS: list[Any] = [*NOT_REAL, float("inf"), -1, None, []]
SIGNS: list[Any] = [[], {}, 3, None]
REFUSED: dict[str, list[Callable[[], object]]] = {
    "invalid hand|True is not exact": [partial(api.Puzzle, hand, 24, "cards") for hand in HANDS],
    "invalid number": [
        *(partial(PUZZLE.judge, "4 x 6", partial=value) for value in NOT_NUMBERS),
        *(partial(api.Episode, PUZZLE, partial=value) for value in NOT_NUMBERS),
        *(partial(api.Episode, PUZZLE, limit=value) for value in NOT_NUMBERS),
        *(partial(api.Episode, PUZZLE, discount=value) for value in NOT_REAL),
    ],
    "invalid work": [partial(api.reachable, (3, 8), work=value) for value in [*NOT_REAL, -1]],
    "invalid step": [partial(api.Episode(PUZZLE).step, (4, sign, 6)) for sign in SIGNS],
    "invalid values": [partial(api.reachable, (3, 8), only=each) for each in UNORDERED],
    "invalid targets": [partial(api.survey, TWO, each) for each in UNORDERED],
    "invalid numbers of a game": [partial(api.Game, "a", each, 2) for each in UNORDERED],
    "True is not exact": [
        *(partial(api.Puzzle, (3, 8), True, "cards"), partial(api.count, True)),
        *(partial(api.Game, "a", (1, True), 2), partial(api.Game, "a", (1, 2), True)),
        *(partial(api.reachable, (3, 8), only=[True]), partial(api.check, "3 + 8", target=True)),
    ],
    r"invalid name of a game '\\x1b\[31m'": [partial(api.Game, "\x1b[31m", (1, 2), 2)],
}


@in_one_test("reason, call", *((name, each) for name, calls in REFUSED.items() for each in calls))
def test_what_is_not_a_number_or_a_hand_is_refused(reason: str, call: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match=f"^({reason})") as error:
        call()
    assert isinstance(error.value, api.CrispsError)
    assert "\x1b" not in str(error.value)


PUZZLE_ID = "cards:3.3.8.8=24"
ANSWER = "8/(3-8/3)"


@in_one_test(
    ("call", "expected"),
    # As people write them: each works, or is refused with what to write.
    (lambda: api.check(ANSWER, [3, 3, 8, 8], 24, "cards").verdict, "right"),
    (lambda: api.check(ANSWER, [3, 3, 8, 8], game="cards").verdict, "right"),
    (lambda: api.check(ANSWER, "3 3 8 8", game="24 game").verdict, "right"),
    (lambda: api.check(ANSWER, PUZZLE_ID).verdict, "right"),
    (lambda: api.check(ANSWER, api.puzzle_of(PUZZLE_ID)).verdict, "right"),
    (lambda: api.check(ANSWER, PUZZLE_ID, 24), "contains a game and a target"),
    (lambda: api.check("4 x 6", 24), "for a target, write target=24"),  # type: ignore[arg-type]
    (lambda: api.judge(ANSWER, [3, 3, 8, 8], 24).verdict, "right"),
    (lambda: api.judge(ANSWER, [3, 3, 8, 8], game="cards").verdict, "right"),
    (lambda: api.judge(ANSWER, [3, 3, 8, 8]), "or a hand with a target"),
    (lambda: api.judge(ANSWER, PUZZLE_ID, 24), "contains a game and a target"),
    (lambda: api.Episode(PUZZLE_ID).puzzle.id, PUZZLE_ID),
    (lambda: api.Episode([3, 3, 8, 8]), "expected a Puzzle or its id"),  # type: ignore[arg-type]
    (lambda: str(api.solve([3, 3, 8, 8])), "no solution in crisps"),
    (lambda: api.solve(PUZZLE_ID), "has its solutions"),
    (lambda: api.solve([3, 3, 8, 8], "cards"), "is not exact"),  # type: ignore[arg-type]
    (lambda: api.Puzzle([3, 3, 8, 8], game="cards").id, PUZZLE_ID),
    (lambda: api.Puzzle(PUZZLE_ID), "write puzzle_of"),
    (lambda: api.puzzle_of(PUZZLE_ID).solutions()[0].steps[0], "8 / 3 = 8/3"),
    (lambda: api.puzzle_of(api.puzzle_of(PUZZLE_ID)).id, PUZZLE_ID),
    (lambda: api.difficulty([3, 3, 8, 8], game="cards").level, "5"),  # type: ignore[union-attr]
    (lambda: [*api.closest([1, 1, 1, 1], game="cards")], "[4]"),
    (lambda: api.deal([3, 3, 8, 8]), "invalid game"),  # type: ignore[arg-type]
)
def test_natural_call_works_or_says_the_right(call: Callable[[], object], expected: str) -> None:
    try:
        result = str(call())
    except api.CrispsError as error:
        result = str(error)
    assert expected in result
