"""The architecture: layers of packages, imports that go downwards, one list of public names."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

import crisps24
from crisps24.rules.operators import OPERATORS
from tests.sampling import in_one_test

ROOT = Path(crisps24.__file__).parent
# Every module by its path: `rules/games`, `cli/__init__`, `about`.
MODULES = {path.relative_to(ROOT).with_suffix("").as_posix(): path for path in ROOT.rglob("*.py")}

# The packages and single modules, lowest first. Each imports only from the rows above its own, and
# from itself: those in one row do not import each other.
LAYERS = (
    ("messages",),
    ("errors", "about"),
    ("output",),
    ("drawing",),
    ("rules",),
    ("notation",),
    ("enumeration", "hands"),
    ("solving",),
    ("judging",),
    ("puzzle",),
    ("puzzles", "surveys", "training"),
    ("paper", "equation_puzzles", "player"),
    ("pages",),
    ("web", "site"),
    ("cli",),
    ("__init__", "__main__"),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# Features: to remove one, remove the commands and pages that show it.
FEATURES = {"equation_puzzles", "paper", "surveys", "training"}
SHOW_FEATURES = {"pages", "cli", "__init__"}
PACKAGES = sorted({module.split("/")[0] for module in MODULES if "/" in module})

EACH_MODULE = in_one_test("module", *sorted(MODULES))
EACH_PACKAGE = in_one_test("package", *PACKAGES)


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text())


def part_of(module: str) -> str:
    """Return the package of a module, or the module itself if it is in no package."""
    return module.split("/")[0]


def modules_of(package: str) -> list[str]:
    names = [module.split("/")[1] for module in MODULES if module.startswith(f"{package}/")]
    return sorted(set(names) - {"__init__"})


@cache
def imports_of(module: str) -> set[str]:
    imported = set()
    for node in ast.walk(tree_of(module)):
        if isinstance(node, ast.Import):
            assert not any(alias.name.startswith("crisps24") for alias in node.names), module
        if not isinstance(node, ast.ImportFrom):
            continue
        assert not node.level, f"{module} has a relative import"
        top, *inside = (node.module or "").split(".")
        if top == "crisps24":
            for alias in node.names:
                parent, own = "/".join(inside), "/".join([*inside, alias.name])
                file = own if own in MODULES else parent if parent in MODULES else ""
                imported.add(file or f"{parent}/__init__".lstrip("/"))
    return imported


def test_each_package_is_in_one_layer() -> None:
    listed = [name for names in LAYERS for name in names]
    assert sorted(listed) == sorted({part_of(module) for module in MODULES})


@EACH_PACKAGE
def test_a_package_has_tests_and_names_its_modules_and_no_public_name(package: str) -> None:
    assert len(modules_of(package)) > 1
    assert package not in crisps24.__all__
    assert list((Path(__file__).parent / package).glob("test_*.py"))
    tree = tree_of(f"{package}/__init__")
    assert [type(node) for node in tree.body] == [ast.Expr]
    docstring = ast.get_docstring(tree) or ""
    assert re.match(r"[A-Z].*[a-z].*\n\nRead ", docstring + "\n", re.DOTALL), docstring
    assert set(re.findall("`([a-z_]+)`", docstring)) >= set(modules_of(package))


@EACH_MODULE
def test_imports_go_downwards_and_only_interfaces_import_features(module: str) -> None:
    own = part_of(module)
    others = {part_of(other) for other in imports_of(module)} - {own}
    if own == "__main__":
        assert others <= {"cli"}
    elif own == "__init__":
        assert "cli" not in others
    else:
        assert not {other for other in others if LEVEL[other] >= LEVEL[own]}
    assert not others & FEATURES or own in SHOW_FEATURES


def test_modules_have_no_import_cycle() -> None:
    graph = {module: imports_of(module) for module in MODULES}
    assert set(TopologicalSorter(graph).static_order()) == set(MODULES)


@EACH_MODULE
def test_what_is_imported_lazily_is_a_module_that_exists(module: str) -> None:
    for block in tree_of(module).body:
        if isinstance(block, ast.With) and "lazy_imports" in ast.unparse(block.items[0]):
            for node in block.body:
                assert isinstance(node, ast.ImportFrom)
                for alias in node.names:
                    assert find_spec(f"{node.module}.{alias.name}"), ast.unparse(node)


@EACH_MODULE
def test_only_commands_print_or_exit(module: str) -> None:
    calls = (node.func for node in ast.walk(tree_of(module)) if isinstance(node, ast.Call))
    found = {*map(ast.unparse, calls)} & {"print", "sys.exit", "exit", "click.echo"}
    assert not found or part_of(module) in ("cli", "__main__")


def names_bound_by(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        yield node.name
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from (name.id for name in ast.walk(target) if isinstance(name, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id


def test_a_name_is_defined_in_one_module() -> None:
    imported = {
        alias.name
        for module in MODULES
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("crisps24")
        for alias in node.names
    }
    modules_of_name: dict[str, list[str]] = {}
    for module in sorted(MODULES):
        # A command is named after the function that it calls, and each page has the same names.
        if part_of(module) in ("cli", "pages", "__main__"):
            continue
        for node in tree_of(module).body:
            for name in names_bound_by(node):
                if name in imported or not name.startswith("_"):
                    modules_of_name.setdefault(name, []).append(module)
    assert {name: each for name, each in modules_of_name.items() if len(each) > 1} == {}


# The modules that name a single operator, with the reason. All others read the records.
NAME_OPERATORS = {
    "rules/operators": "the records themselves",
    "rules/games": "the default operators of a game",
    "rules/points": "the points of each operator",
    "notation/styles": "signs by style, and how a fraction is written",
    "cli/options": "- is standard input, as in other commands",
    "cli/meanings": "- before an option",
    "cli/spelling": "- before an option",
    "cli/starts": "- before an option",
    "cli/needs": "- before an option",
    "cli/typed_words": "- before an option",
    "judging/tokens": "signs as people write them, which also separate steps and end labels",
    "judging/clauses": "a sign before a number, and products without a sign",
    "judging/readings": "fractions as quotients, and operations that are the same in any order",
}
SIGNS = set(OPERATORS)
# Methods of text whose arguments can happen to be signs.
TEXT_METHODS = ("startswith", "endswith", "removeprefix", "replace", "join", "split", "partition")


def signs_named(tree: ast.Module) -> Iterator[str]:
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and consists_of_signs(node.value):
            parent = parents[node]
            around = parent.func if isinstance(parent, ast.Call) else parent
            as_text = isinstance(around, ast.Attribute) and around.attr in TEXT_METHODS
            if not (as_text or isinstance(parent, ast.BinOp | ast.JoinedStr)):
                yield f"line {node.lineno}: {ast.unparse(parent)}"


def consists_of_signs(value: object) -> bool:
    """Return whether a text has only signs, each once; `--` is a dashed line or an option."""
    return isinstance(value, str) and value != "" and sorted(set(value) & SIGNS) == sorted(value)


@EACH_MODULE
def test_only_the_records_name_a_single_operator(module: str) -> None:
    named = list(signs_named(tree_of(module)))
    assert bool(named) == (module in NAME_OPERATORS), named


@in_one_test("package", "enumeration", "hands", "solving", "surveys")
def test_engines_import_no_single_operator(package: str) -> None:
    for name in modules_of(package):
        for node in ast.walk(tree_of(f"{package}/{name}")):
            if isinstance(node, ast.ImportFrom) and node.module == "crisps24.rules.operators":
                single = {alias.name for alias in node.names if alias.name.isupper()}
                assert single <= {"OPERATORS"}, f"{package}/{name}"


# The position of the type among the arguments of numpy's functions. Without a type, integers have
# the width of the machine's addresses, which is 32 bits in a browser. `asarray` only passes arrays
# on, and `sum` is used for flags, which are fewer than 2^31, and for columns that have a type.
TYPE_POSITIONS = {"arange": 3, "array": 1, "cumprod": 2, "cumsum": 2, "fromiter": 1, "full": 2}
TYPE_POSITIONS |= {"indices": 1, "prod": 2}
# The counts that these take have that width too: `rules/widths` converts them, for all modules.
COUNTING, OWNER = ("bincount", "repeat"), "rules/widths"
MACHINE_TYPES = {"int", "np.int_", "np.intp", "np.long", "np.uint", "np.uintp", "np.ulong"}


def widths_left_to_the_machine(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        name, of_numpy = node.func.attr, ast.unparse(node.func.value) == "np"
        arguments = [*node.args, *(each.value for each in node.keywords)]
        has_type = any(each.arg == "dtype" for each in node.keywords)
        if of_numpy and name in TYPE_POSITIONS:
            has_type = has_type or len(node.args) > TYPE_POSITIONS[name]
        is_typed = has_type or name not in (TYPE_POSITIONS if of_numpy else ("cumprod", "cumsum"))
        takes_types = of_numpy or name == "astype" or has_type
        types = {ast.unparse(each) for each in arguments} & MACHINE_TYPES if takes_types else set()
        if name in COUNTING or not is_typed or types:
            yield f"line {node.lineno}: {ast.unparse(node)}"


@EACH_MODULE
def test_the_width_of_integers_is_stated(module: str) -> None:
    assert bool([*widths_left_to_the_machine(tree_of(module))]) == (module == OWNER)


@in_one_test(
    "code",
    *("np.arange(3)", "np.array([1, 2])", "np.full(3, -1)", "np.zeros(3, int)", "a.repeat(b)"),
    *("a.astype(np.intp)", "a.cumsum()", "np.cumsum(a)", "np.ones(3, dtype=int)"),
)
def test_a_width_that_is_not_stated_is_found(code: str) -> None:
    assert [*widths_left_to_the_machine(ast.parse(code))] == [f"line 1: {code}"]


def test_type_checkers_and_editors_find_every_public_name() -> None:
    stub = ast.parse((ROOT / "__init__.pyi").read_text())
    imported = [alias for node in stub.body for alias in getattr(node, "names", [])]
    # `import check as check` is public.
    assert [each.name for each in imported if each.asname != each.name] == []
    assert {each.name for each in imported} == {"__version__", *crisps24.__all__}
    for name in crisps24.__all__:
        value = getattr(crisps24, name)
        assert value.__doc__ or name == "GAMES"
        assert not isinstance(value, ModuleType)


def test_help_starts_with_ten_lines_that_solve_check_deal_and_count() -> None:
    first, empty, *example = (crisps24.__doc__ or "").splitlines()
    assert (first[-1], empty, len(example)) == (".", "", 10)
    for name in ("solve", "check", "deal", "count"):
        assert any(re.search(rf">>> .*\b{name}\(", line) for line in example)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'crumbs'"):
        _ = crisps24.crumbs  # type: ignore[attr-defined]


REPOSITORY = Path(__file__).parent.parent
LOWEST = REPOSITORY / ".ci" / "lowest.txt"
SETTINGS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())


def declared_dependencies() -> Iterator[str]:
    """Yield the dependencies to run and to test, without the tools of checks and of the site."""
    project, groups = SETTINGS["project"], SETTINGS["dependency-groups"]
    extras = project["optional-dependencies"].values()
    for needs in (project["dependencies"], *extras, groups["hosts"], groups["browser"]):
        yield from (need for need in needs if not need.startswith(f"{project['name']}["))


@pytest.mark.skipif(not LOWEST.exists(), reason="only the repository has this file")
def test_lowest_declared_versions_are_the_tested_ones() -> None:
    def name_and_version(line: str, sign: str) -> tuple[str, str]:
        match = re.fullmatch(rf"([a-z0-9-]+){sign}([0-9]+(?:\.[0-9]+)*)", line)
        assert match, line
        return match[1], re.sub(r"(\.0)+$", "", match[2])

    lines = [line for line in LOWEST.read_text().splitlines() if not line.startswith("#")]
    tested = sorted(name_and_version(line, "==") for line in lines)
    assert tested == sorted(name_and_version(need, ">=") for need in declared_dependencies())


def test_every_module_has_a_docstring() -> None:
    assert [module for module in MODULES if not ast.get_docstring(tree_of(module))] == []


def test_distribution_has_test_files_and_readme_without_relative_links() -> None:
    included = SETTINGS["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    assert {"README.md", ".github", ".ci", "tests", "results"} <= set(included)
    text = (REPOSITORY / "README.md").read_text()
    assert "](crisps24/docs/teachers.md)" in text
    hook = SETTINGS["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    for substitution in hook["substitutions"]:
        text = re.sub(substitution["pattern"], substitution["replacement"], text)
    assert not re.search(r"\]\((?!https?:)|src=\"(?!https?:)", text)
    assert "- Teachers: deal puzzles, " in text
    versions = [f"Programming Language :: Python :: 3.{minor}" for minor in range(11, 15)]
    assert set(versions) <= set(SETTINGS["project"]["classifiers"])
