"""Shapes of expressions, against trees as nested tuples."""

import pytest

from crisps24 import parse
from crisps24.errors import RefusedError
from crisps24.notation.shapes import SHAPES, parse_shape, shape_of

# A number is (), a step (left, right).
_Tree = tuple[object, ...]


def _trees(size: int) -> list[_Tree]:
    if size == 1:
        return [()]
    return [(a, b) for k in range(1, size) for a in _trees(k) for b in _trees(size - k)]


def _word(tree: _Tree) -> str:
    return f"({''.join(map(_word, tree))})" if tree else "."  # type: ignore[arg-type]


def _depth(word: str) -> int:
    return max(word[:end].count("(") - word[:end].count(")") for end in range(len(word) + 1))


def _name(tree: _Tree) -> str:
    steps, waiting = [], [tree]
    while waiting:
        if step := waiting.pop():
            steps.append(step)
            waiting += step  # type: ignore[arg-type]
    sizes = [[_word(part).count(".") for part in step] for step in steps]  # type: ignore[arg-type]
    if len(steps) > 1:
        for name, index in (("left", 1), ("right", 0)):
            if all(size[index] == 1 for size in sizes):
                return name
    return "balanced" if all(abs(left - right) < 2 for left, right in sizes) else "mixed"


@pytest.mark.parametrize("size", range(1, 8))
def test_shapes_equal_those_of_nested_tuples(size: int) -> None:
    names = set()
    for tree in _trees(size):
        word = _word(tree)
        text = word.replace("..", ". - .").replace(")(", ") : (").replace(").", ") : .")
        text = text.replace(".(", ". : (").replace(".", "7")
        shape = shape_of(parse(text, "digits"))
        assert (shape.tree, shape.depth, shape.name) == (word, _depth(word), _name(tree))
        names.add(shape.name)
    assert names == {*SHAPES} if size > 3 else len(names) == (2 if size == 3 else 1)


def test_signs_and_joined_digits_are_no_steps() -> None:
    assert shape_of(parse("-(1 + 2) x 12", "free")).tree == "((..).)"
    assert shape_of(parse(" + ".join(["1"] * 1000), "free")).depth == 999
    with pytest.raises(RefusedError, match=r"unknown shape 'deep' .expected balanced, left, right"):
        parse_shape("deep")
