"""Which cases run: a spread sample in the default run, all of them with `CRISPS24_EVERY=1`."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import wraps
from inspect import Signature, signature
from typing import Any, TypeVar

import pytest
from hypothesis import settings

T = TypeVar("T")

# Whether this is the long run.
EVERY = bool(os.environ.get("CRISPS24_EVERY"))

# A test whose answer hardly changes, or that another test gives at a tenth of the cost.
only_in_long_run = pytest.mark.skipif(not EVERY, reason="part of the long run: CRISPS24_EVERY=1")


def examples(count: int) -> settings:
    """Return settings of hypothesis for `count` examples, or in the default run a third of them."""
    return settings(max_examples=count if EVERY else max(count // 3, 4))


def some(cases: Iterable[T], count: int) -> list[T]:
    """Return `count` of the cases: the first, the last, and others evenly between them."""
    every = list(cases)
    if EVERY or count >= len(every):
        return every
    if count == 1:
        return every[:1]
    return [every[round(index * (len(every) - 1) / (count - 1))] for index in range(count)]


def one_of_each_value(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return tests of one function in which each value of each parameter occurs.

    A function with one list of cases keeps all of them. A product of 17, 4 and 3 values keeps 17 of
    204 tests: each is chosen because it has the most values that no chosen one has.
    """
    values = [set(_values_of(item)) for item in items]
    missing, chosen = set[tuple[str, ...]]().union(*values), set[int]()
    while missing:
        best = max(range(len(items)), key=lambda place: len(values[place] & missing))
        missing -= values[best]
        chosen.add(best)
    return [item for place, item in enumerate(items) if place in chosen]


def _values_of(item: pytest.Item) -> Iterator[tuple[str, ...]]:
    """Yield the names and the value of each list of cases that a test is made from."""
    params: dict[str, object] = dict(item.callspec.params)  # type: ignore[attr-defined]
    for mark in item.iter_markers("parametrize"):
        names = mark.args[0].split(",") if isinstance(mark.args[0], str) else mark.args[0]
        yield tuple(f"{name} {id(params.pop(name.strip(), None))}" for name in names)
    for name, value in params.items():
        yield (f"{name} {id(value)}",)


def in_one_test(
    names: str | Sequence[str], *cases: Any
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make one test of many short cases, and report each case that fails.

    It is for `pytest.mark.parametrize`, which makes one test for each case: each costs 4 ms of CPU
    time beside its own, 2 of them for pytest-xdist. All cases share the fixtures.
    """
    listed = [name.strip() for name in (names.split(",") if isinstance(names, str) else names)]
    every = [_values_of_case(case, len(listed)) for case in cases]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        parameters = signature(test).parameters

        @wraps(test)
        def test_all_cases(subtests: pytest.Subtests, **fixtures: object) -> None:
            # Of two lists of cases, the inner one has subtests too.
            fixtures |= {"subtests": subtests} if "subtests" in parameters else {}
            for values in every:
                try:
                    test(**dict(zip(listed, values, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
                    # The report of a subtest that passes takes milliseconds.
                    with subtests.test(repr(values)):
                        raise error

        fixtures = [parameters[name] for name in parameters if name not in (*listed, "subtests")]
        subtests = signature(test_all_cases, follow_wrapped=False).parameters["subtests"]
        test_all_cases.__signature__ = Signature([subtests, *fixtures])  # type: ignore[attr-defined]
        return test_all_cases

    return decorate


def _values_of_case(case: Any, count: int) -> Sequence[Any]:
    if isinstance(case, type(pytest.param())):
        return list(case.values)
    return case if count > 1 else (case,)
