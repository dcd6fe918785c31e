"""The house as it is meant to be: wings side by side, imports that go down, one public list."""

import ast
import re
import tomllib
from collections.abc import Callable, Iterator
from doctest import DocTestFinder, DocTestRunner
from fractions import Fraction
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import crisps24
from crisps24.cli.program import cli
from crisps24.rules.operators import OPERATORS

HOUSE = Path(crisps24.__file__).parent
# Every file by its place: `rules/games`, `cli/__init__`, `about`.
ROOMS = {path.relative_to(HOUSE).with_suffix("").as_posix(): path for path in HOUSE.rglob("*.py")}

# Which wing may know which, from the ground up, as the plan of the house has it. A wing always
# knows itself, and all may know `about` and `errors`.
KNOWS: dict[str, set[str]] = {
    "languages": set(),
    "rules": {"languages"},
    "notation": {"rules"},
    "outside": {"languages"},
    "rows": {"rules", "notation", "outside"},
    "hands": {"rules", "notation"},
    "solving": {"rules", "notation", "outside", "hands"},
    "surveys": {"rules", "notation", "outside", "hands", "solving"},
    "puzzles": {"languages", "rules", "notation", "outside", "rows", "solving"},
    "training": {"rules", "notation", "outside", "solving"},
    "pages": {"languages", "rules", "notation", "outside", "solving", "puzzles"},
    "web": {"languages", "outside", "pages"},
    "cli": {
        *("languages", "rules", "notation", "outside", "rows"),
        *("solving", "surveys", "puzzles", "training", "pages", "web"),
    },
}

EACH_ROOM = pytest.mark.parametrize("room", sorted(ROOMS))
EACH_WING = pytest.mark.parametrize("wing", KNOWS)


@cache
def tree_of(room: str) -> ast.Module:
    return ast.parse(ROOMS[room].read_text())


def wing_of(room: str) -> str:
    """Return the wing of a room, `` for one at the door."""
    return room.rpartition("/")[0]


def rooms_of(wing: str) -> list[str]:
    """Return the rooms of a wing by their own names."""
    names = [room.removeprefix(f"{wing}/") for room in ROOMS if wing_of(room) == wing]
    return sorted(set(names) - {"__init__"})


@cache
def imports_of(room: str) -> set[str]:
    """Return the rooms that a room imports, at the top or where something is used."""
    found = set()
    for node in ast.walk(tree_of(room)):
        if isinstance(node, ast.Import):
            assert not any(alias.name.startswith("crisps24") for alias in node.names), room
        if not isinstance(node, ast.ImportFrom):
            continue
        assert not node.level, f"{room} imports relatively"
        place, *inside = (node.module or "").split(".")
        if place == "crisps24":
            for alias in node.names:
                within, own = "/".join(inside), "/".join([*inside, alias.name])
                file = own if own in ROOMS else within if within in ROOMS else ""
                found.add(file or f"{within}/__init__".lstrip("/"))
    return found


def test_every_folder_is_a_wing_of_two_rooms_and_more() -> None:
    folders = {wing_of(room) for room in ROOMS} - {""}
    assert folders == set(KNOWS)
    for wing in KNOWS:
        assert len(rooms_of(wing)) > 1


@EACH_ROOM
def test_a_room_is_at_most_600_lines(room: str) -> None:
    assert len(ROOMS[room].read_text().splitlines()) <= 600


@EACH_ROOM
def test_a_room_imports_only_what_its_wing_may_know(room: str) -> None:
    wing = wing_of(room)
    if wing:
        others = {wing_of(other) or other for other in imports_of(room)}
        assert others <= KNOWS[wing] | {wing, "about", "errors"}


def test_the_wings_know_one_another_one_way_and_rows_and_hands_never() -> None:
    assert set(TopologicalSorter(KNOWS).static_order()) == set(KNOWS)
    assert not KNOWS["rows"] & {"hands", "solving"}
    assert not any("rows" in KNOWS[wing] for wing in ("hands", "solving"))
    assert not any("cli" in known for known in KNOWS.values())


def test_no_room_imports_a_room_above_it() -> None:
    graph = {room: imports_of(room) for room in ROOMS}
    order = list(TopologicalSorter(graph).static_order())
    assert set(order) == set(ROOMS)


def test_the_command_line_is_imported_by_nobody_else() -> None:
    for room in ROOMS:
        if wing_of(room) != "cli" and room != "__main__":
            assert not any(wing_of(other) == "cli" for other in imports_of(room)), room


@EACH_WING
def test_a_wing_begins_with_one_docstring_that_names_its_rooms(wing: str) -> None:
    tree = tree_of(f"{wing}/__init__")
    assert [type(node) for node in tree.body] == [ast.Expr]
    told = ast.get_docstring(tree) or ""
    assert re.match(r"[A-Z].*[a-z].*\n\nRead ", told + "\n", re.DOTALL), told
    assert set(re.findall("`([a-z_]+)`", told)) == set(rooms_of(wing))


@EACH_WING
def test_no_wing_bears_a_public_name(wing: str) -> None:
    assert wing not in crisps24.__all__


@EACH_WING
def test_the_tests_of_a_wing_are_in_a_folder_of_its_name(wing: str) -> None:
    assert list((Path(__file__).parent / wing).glob("test_*.py"))


@EACH_ROOM
def test_only_the_command_line_prints_or_exits(room: str) -> None:
    if wing_of(room) == "cli" or room == "__main__":
        return
    for node in ast.walk(tree_of(room)):
        if isinstance(node, ast.Call):
            assert ast.unparse(node.func) not in ("print", "sys.exit", "exit", "click.echo")


def defined() -> dict[str, list[str]]:
    """Return the public classes and functions of the house, each with the rooms that define it."""
    found: dict[str, list[str]] = {}
    for room in sorted(ROOMS):
        for node in tree_of(room).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(room)
    return found


# Commands, pages and the program are named for what they call.
FACES = {*cli.commands, "page", "main"}


def test_a_word_has_one_meaning() -> None:
    twice = {name: rooms for name, rooms in defined().items() if len(rooms) > 1}
    assert twice.keys() <= FACES
    for name, rooms in twice.items():
        below = [room for room in rooms if wing_of(room) not in ("", "cli", "pages", "web")]
        assert len(below) <= 1, name


# Who may name a single operator, and why. Everybody else reads the records.
NAME_OPERATORS = {
    "rules/operators": "the records themselves",
    "rules/games": "which operators a game has where nothing is said",
    "notation/styles": "signs by style, and how a fraction is written",
    "cli/rows": "- is stdin, as commands have it",
}
SIGNS = set(OPERATORS)
# What may be done with a text that happens to be a sign.
TEXT_METHODS = ("startswith", "endswith", "removeprefix", "replace", "join", "split", "partition")


def signs_named(tree: ast.Module) -> Iterator[str]:
    """Yield the places where signs of operators are compared with, looked up or listed."""
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and is_of_signs(node.value):
            parent = parents[node]
            around = parent.func if isinstance(parent, ast.Call) else parent
            as_text = isinstance(around, ast.Attribute) and around.attr in TEXT_METHODS
            if not (as_text or isinstance(parent, ast.BinOp | ast.JoinedStr)):
                yield f"line {node.lineno}: {ast.unparse(parent)}"


def is_of_signs(value: object) -> bool:
    """Return whether a constant is of signs, each once; `--` is a dashed line, or an option."""
    return isinstance(value, str) and value != "" and sorted(set(value) & SIGNS) == sorted(value)


@EACH_ROOM
def test_nobody_but_the_records_names_a_single_operator(room: str) -> None:
    if room not in NAME_OPERATORS:
        assert list(signs_named(tree_of(room))) == []


@pytest.mark.parametrize(
    "code",
    [
        "OPERATORS[':']",
        "name == '-'",
        "name in ('x', ':')",
        "name in 'x:'",
        "{'+': 1}",
        "signs.get('x')",
        "def f(sign='|'): ...",
        "match name:\n    case '-': ...",
    ],
)
def test_naming_an_operator_is_noticed(code: str) -> None:
    assert list(signs_named(ast.parse(code)))


@pytest.mark.parametrize("code", ["'-' * 5", "word.startswith('-')", "f'{file}:'", "'|'.join(a)"])
def test_a_text_that_is_a_sign_by_chance_is_none(code: str) -> None:
    assert not list(signs_named(ast.parse(code)))


@pytest.mark.parametrize("wing", ["rows", "hands", "solving", "surveys"])
def test_the_wings_above_import_no_single_operator(wing: str) -> None:
    for name in rooms_of(wing):
        for node in ast.walk(tree_of(f"{wing}/{name}")):
            if isinstance(node, ast.ImportFrom) and node.module == "crisps24.rules.operators":
                single = {alias.name for alias in node.names if alias.name.isupper()}
                assert single <= {"OPERATORS"}, f"{wing}/{name}"


def test_what_is_typed_is_what_is_offered() -> None:
    tree = tree_of("__init__")
    [typed] = [node for node in tree.body if isinstance(node, ast.If)]
    names = {alias.name for node in typed.body for alias in getattr(node, "names", [])}
    assert names - {"Any"} == set(crisps24.__all__)
    for name in crisps24.__all__:
        assert getattr(crisps24, name).__doc__ or name == "GAMES"


def test_help_begins_with_ten_lines_that_solve_check_deal_and_count() -> None:
    first, empty, *shown = (crisps24.__doc__ or "").splitlines()
    assert (first[-1], empty, len(shown)) == (".", "", 10)
    for name in ("solve", "check", "deal", "count"):
        assert any(re.search(rf">>> .*\b{name}\(", line) for line in shown)
    found = DocTestFinder(recurse=False).find(crisps24, "crisps24")
    assert [DocTestRunner().run(each).failed for each in found] == [0]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'crumbs'"):
        _ = crisps24.crumbs


ROOT = Path(__file__).parent.parent
LOWEST = ROOT / ".ci" / "lowest.txt"


def declared() -> Iterator[str]:
    """Yield what is needed to run and to test, but not the tools that check the text of it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    yield from project["dependencies"]
    for extra, needs in project["optional-dependencies"].items():
        if extra != "check":
            yield from (need for need in needs if not need.startswith(f"{project['name']}["))


@pytest.mark.skipif(not LOWEST.exists(), reason="it is of the repository alone")
def test_the_lowest_version_that_is_declared_is_the_one_that_is_tested() -> None:
    def pinned(line: str, sign: str) -> tuple[str, str]:
        found = re.fullmatch(rf"([a-z0-9-]+){sign}([0-9]+(?:\.[0-9]+)*)", line)
        assert found, line
        return found[1], re.sub(r"(\.0)+$", "", found[2])

    lines = [line for line in LOWEST.read_text().splitlines() if not line.startswith("#")]
    assert sorted(pinned(line, "==") for line in lines) == sorted(
        pinned(need, ">=") for need in declared()
    )


def raised(error: type[Exception], *arguments: Any) -> bool:
    """Return whether an error is one that can be made and raised."""
    try:
        raise error(*arguments)
    except error:
        return True


# A call of everything that is public, with arguments that fit, and whether what came is right.
CALLS: dict[str, Callable[[Path], object]] = {
    "Check": lambda _: crisps24.Check("1 + 2", 3, "right").verdict == "right",
    "Conditions": lambda _: crisps24.Conditions(levels=range(2, 4)).levels[0] == 2,
    "CrispsError": lambda _: raised(crisps24.CrispsError, "a sentence"),
    "Deal": lambda _: len(crisps24.Deal((), crisps24.GAMES["cards"], 7, "")) == 0,
    "Difficulties": lambda _: crisps24.survey_difficulty("crisps", 24).parted([50])[0] > 0,
    "Difficulty": lambda _: crisps24.Difficulty(1.0, 1, None).level == 1,
    "Equation": lambda _: crisps24.Equation(length=5).left == "formula",
    "Formula": lambda _: str(crisps24.Formula((1, 2), ("+",))) == "1 + 2",
    "FormulaError": lambda _: raised(crisps24.FormulaError, "wrong", "1", 0),
    "GAMES": lambda _: crisps24.GAMES["crisps"].name == "crisps",
    "Game": lambda _: crisps24.Game("two", (1, 2), 2).length == 2,
    "IllegalFormulaError": lambda _: raised(crisps24.IllegalFormulaError, "wrong", "1", 0),
    "MalformedFormulaError": lambda _: raised(crisps24.MalformedFormulaError, "wrong", "1", 0),
    "Judgement": lambda _: crisps24.Judgement("right", "ok", 1.0),
    "Problem": lambda _: str(crisps24.Problem(1, "it is wrong")) == "line 1: it is wrong",
    "Puzzle": lambda _: crisps24.puzzle_of("cards:3.3.8.8=24").check("8 : (3 - 8 : 3)").right,
    "RefusedError": lambda _: raised(crisps24.RefusedError, "a sentence"),
    "ResultsError": lambda _: issubclass(crisps24.ResultsError, crisps24.CrispsError),
    "Solution": lambda _: str(crisps24.solutions((8, 3), 24)[0].expression) == "8 x 3",
    "Survey": lambda _: crisps24.survey("crisps", 24).by_target()[0]["solvable"] == 195,
    "Verification": lambda folder: (
        crisps24.verify_results(crisps24.write_results(6561, folder)).problems == ()
    ),
    "VersionError": lambda _: raised(crisps24.VersionError, "another version"),
    "check": lambda _: crisps24.check("1 + 2 = 3").verdict == "right",
    "closest": lambda _: list(crisps24.closest((1, 1), 24)),
    "count": lambda _: crisps24.count(143) == 48,
    "count_written": lambda _: crisps24.count_written((4, 6), [24], "cards"),
    "written_forms": lambda _: list(crisps24.written_forms((4, 6), 24, "cards")),
    "counts": lambda _: crisps24.counts(crisps24.Game("two", (1, 2), 2))[3] == 2,
    "deal": lambda _: crisps24.deal("cards", seed=7)[0].target == 24,
    "difficulty": lambda _: crisps24.difficulty((3, 3, 8, 8), 24, "cards"),
    "equations": lambda _: len(crisps24.equations(crisps24.Equation(length=5))) == 127,
    "evaluate": lambda _: crisps24.evaluate("1 : 2", "digits") == Fraction(1, 2),
    "formulas": lambda _: str(next(crisps24.formulas(6561))) == "9 x 9 x 9 x 9",
    "judge": lambda _: crisps24.judge("<answer>3 x 8</answer>", "cards:3.8=24").score == 1,
    "parse": lambda _: str(crisps24.parse("1+2")) == "1 + 2",
    "plainest": lambda _: str(crisps24.plainest((1, 2))[3]) == "2 + 1",
    "puzzle_of": lambda _: crisps24.puzzle_of("cards:3.3.8.8=24").hand == (3, 3, 8, 8),
    "reachable": lambda _: 3 in crisps24.reachable((1, 2), "crisps"),
    "read_results": lambda folder: (
        len(list(crisps24.read_results(crisps24.write_results(6561, folder)))) == 1
    ),
    "solutions": lambda _: crisps24.solutions((8, 3), 24)[0].share == 1,
    "solve": lambda _: crisps24.solve((8, 3), 24, "crisps"),
    "solve_many": lambda _: len(list(crisps24.solve_many([((8, 3), 24)] * 2))) == 2,
    "survey": lambda _: crisps24.survey("crisps", range(24, 25)).unsolvable(24),
    "survey_difficulty": lambda _: (
        crisps24.survey_difficulty("crisps").by_level()[0]["hands"] == 22
    ),
    "verify_results": lambda folder: (
        crisps24.verify_results(crisps24.write_results(6561, folder)).verdict == "right"
    ),
    "ways": lambda _: crisps24.ways((8, 3), "crisps"),
    "write_results": lambda folder: crisps24.write_results(6561, folder).name == "results.6561",
}


OF_PAGES = ("starlette", "jinja2", "uvicorn")


def test_no_room_hides_a_public_name_and_every_one_of_them_works(tmp_path: Path) -> None:
    for room in ROOMS:
        dotted = f"crisps24.{room}".replace("/", ".").removesuffix(".__init__")
        try:
            assert import_module(dotted).__doc__, room
        except ModuleNotFoundError as error:
            # What only the pages need is an extra, which may be missing.
            if not room.startswith(("pages/", "web/")) or error.name not in OF_PAGES:
                raise
    assert set(CALLS) == set(crisps24.__all__)
    for name, call in CALLS.items():
        assert not isinstance(getattr(crisps24, name), ModuleType)
        assert call(tmp_path), name
