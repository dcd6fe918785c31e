"""Every reason is in the language of the reader on every surface that can show it.

`cases.py` has inputs for each key. They are shown in a language in which each text names its key
and its values.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest

pytest.importorskip("jinja2", reason="the pages need the extra `web`")

from crisps24.messages.message import ENGLISH
from tests.messages import surfaces
from tests.messages.cases import CALLS, CHECKED, GUESSES, LINES, REQUESTS, TYPED, inputs_of
from tests.messages.test_faults import FAULTS
from tests.sampling import in_one_test

# Sections of reasons.
OF_TEXTS = {"formula", "step", "working", "answer", "times", "equation"}
OF_REQUESTS = {"refused", "address", "hand", "rules", "work", "deal", "day", "paper"}
# Inputs by surface; the keys that they have to show.
SURFACES: dict[str, tuple[Callable[[Sequence[Any], str], list[str]], list[Any]]] = {
    **{name: (show, inputs_of(name)) for name, show in surfaces.INPUT_SURFACES.items()},
    "guess": (surfaces.guess, list(GUESSES.values())),
    "call": (surfaces.call, list(CALLS.values())),
    "line": (surfaces.line, list(LINES.values())),
    "request": (surfaces.request, [*REQUESTS, *CHECKED]),
}
KEYS = {
    name: {key for key, case in TYPED.items() if name in case[0].split()}
    for name in surfaces.INPUT_SURFACES
}
KEYS |= {"guess": {*GUESSES}, "call": {*CALLS}, "line": {*LINES}}
KEYS["request"] = {*REQUESTS.values(), *CHECKED.values()}


def section_of(key: str) -> str:
    return key.partition(".")[0]


def keys_without_input() -> set[str]:
    reasons = {key for key in ENGLISH.texts if section_of(key) in OF_TEXTS | OF_REQUESTS}
    return reasons.difference(FAULTS, *KEYS.values())


def nodes_in(outputs: Sequence[str]) -> list[surfaces.Node]:
    nodes = (node for text in outputs for node in surfaces.parsed(surfaces.bare(text)))
    return [node for node in nodes if isinstance(node, surfaces.Node)]


@cache
def shown_on(surface: str) -> list[surfaces.Node]:
    show, inputs = SURFACES[surface]
    with surfaces.with_marked():
        return nodes_in(show(inputs, surfaces.MARKED))


def test_every_key_has_an_input(monkeypatch: pytest.MonkeyPatch) -> None:
    assert keys_without_input() == set()
    monkeypatch.setitem(ENGLISH.texts, "step.new", "{step} is new")
    assert keys_without_input() == {"step.new"}


@in_one_test("surface", *SURFACES)
def test_surface_shows_the_keys_of_its_inputs(surface: str) -> None:
    shown = set().union(*(node.all_keys() for node in shown_on(surface)))
    assert KEYS[surface] - shown == set()


@pytest.mark.parametrize("surface", surfaces.INPUT_SURFACES)
def test_every_surface_that_shows_a_key_is_listed(surface: str) -> None:
    every = {surfaces.Input(puzzle, text) for _, puzzle, *texts in TYPED.values() for text in texts}
    others = sorted(every.difference(inputs_of(surface)))
    with surfaces.with_marked():
        marked = surfaces.INPUT_SURFACES[surface](others, surfaces.MARKED)
        nodes = [*shown_on(surface), *nodes_in(marked)]
    shown = set().union(*(node.all_keys() for node in nodes)) - KEYS[surface]
    assert {key for key in shown if section_of(key) in OF_TEXTS} == set()
