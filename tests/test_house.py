"""The house as it is meant to be: small rooms, imports that go down, one list of what is public."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import crisps24

HOUSE = Path(crisps24.__file__).parent
ROOMS = {path.relative_to(HOUSE).with_suffix(""): path for path in HOUSE.rglob("*.py")}


def imports_of(path: Path) -> set[str]:
    """Return the rooms that a room imports, at the top or where something is used."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("crisps24"):
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
            found |= {name.removeprefix("crisps24").lstrip(".").replace(".", "/") for name in names}
    return found


@pytest.mark.parametrize("path", ROOMS.values(), ids=map(str, ROOMS))
def test_a_room_is_at_most_400_lines(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400


def test_no_room_imports_a_room_above_it() -> None:
    names = {str(room) for room in ROOMS}
    graph = {str(room): imports_of(path) & names for room, path in ROOMS.items()}
    order = list(TopologicalSorter(graph).static_order())
    assert set(order) == names


def test_the_command_line_is_imported_by_nobody_else() -> None:
    for room, path in ROOMS.items():
        if room.parts[0] not in ("cli", "__main__"):
            assert not any(name.startswith("cli") for name in imports_of(path)), room


@pytest.mark.parametrize("path", ROOMS.values(), ids=map(str, ROOMS))
def test_only_the_command_line_prints_or_exits(path: Path) -> None:
    if "cli" in path.parts or path.stem == "__main__":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            assert ast.unparse(node.func) not in ("print", "sys.exit", "exit", "click.echo")


def test_what_is_typed_is_what_is_offered() -> None:
    tree = ast.parse((HOUSE / "__init__.py").read_text())
    [typed] = [node for node in tree.body if isinstance(node, ast.If)]
    names = {alias.name for node in typed.body for alias in getattr(node, "names", [])}
    assert names == set(crisps24.__all__)
    for name in crisps24.__all__:
        assert getattr(crisps24, name).__doc__ or name == "GAMES"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'crumbs'"):
        _ = crisps24.crumbs
