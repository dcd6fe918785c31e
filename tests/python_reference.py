"""The Python reference: every public name, its signature and the first part of its docstring.

`CRISPS24_UPDATE_README=1 pytest tests/test_documents.py` writes it into `crisps24/docs/python.md`.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

import crisps24

TOPICS = {
    "Games": "GAMES Game",
    "Formulas": "parse evaluate check Check Formula Expression Message",
    "Count and list formulas": "count counts formulas",
    "Results files": "write_results read_results verify_results Verification Problem",
    "Solve a hand": "solve solutions solve_many Solution Solutions closest plainest reachable "
    "count_solutions difficulty Difficulty count_written written_forms",
    "Puzzles": "Puzzle puzzle_of deal Deal Conditions Episode Sampler",
    "Judge answers": "judge Judgement",
    "Survey all hands": "survey Survey Distances survey_difficulty Difficulties",
    "Equations": "equations Equation",
    "Errors": "CrispsError RefusedError FormulaError IllegalFormulaError MalformedFormulaError "
    "ResultsError VersionError",
}


def reference() -> str:
    lines = [line for topic, names in TOPICS.items() for line in _lines_of(topic, names.split())]
    return "\n".join(lines) + "\n"


def _lines_of(topic: str, names: list[str]) -> Iterator[str]:
    yield f"### {topic}\n"
    for name in names:
        value = getattr(crisps24, name)
        if not callable(value):
            what = "the named games, a dictionary from name to `Game`"
            yield f"**`{name}`**: {what if name == 'GAMES' else 'a tree of `parse`'}.\n"
            continue
        text = _first_paragraph(inspect.getdoc(value) or "")
        yield f"**`{name}{_signature(value)}`**\n\n{text}\n"
        if inspect.isclass(value) and (members := [*_fields(value), *_methods(value)]):
            yield "\n".join(f"- `{member}`: {text}" for member, text in members) + "\n"


def _signature(value: Any) -> str:
    """Return the parameters without their types, and the return type of a function."""
    function = value.__init__ if inspect.isclass(value) else value
    if not (inspect.isfunction(function) or inspect.ismethod(function)):
        return ""
    signature = inspect.signature(value)
    parameters = [
        parameter.replace(annotation=parameter.empty, default=_short(parameter.default))
        for parameter in signature.parameters.values()
        if parameter.name not in ("self", "cls")
    ]
    text = str(inspect.Signature(parameters)).replace("=Ellipsis", "=...")
    text = text.replace("5000000000", "5_000_000_000")
    returned = signature.return_annotation
    if inspect.isclass(value) or returned is signature.empty:
        return text
    name = returned if isinstance(returned, str) else inspect.formatannotation(returned)
    name = re.sub(r"[a-z_0-9]+[.]", "", name)
    # Each version of numpy prints the types of its arrays in another way.
    name = re.sub(r"ndarray\[.*?, dtype\[(.*?)\]\]", r"NDArray[\1]", name)
    return f"{text} -> {name}"


def _short(default: Any) -> Any:
    return default if len(repr(default)) <= 60 else ...


def _first_paragraph(docstring: str) -> str:
    return " ".join(inspect.cleandoc(docstring).partition("\n\n")[0].split())


def _fields(kind: type) -> Iterator[tuple[str, str]]:
    [tree] = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(tree, ast.ClassDef)
    for field, below in zip(tree.body, tree.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and not field.target.id.startswith("_")
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
        ):
            yield field.target.id, _first_paragraph(str(below.value.value))


def _methods(kind: type) -> Iterator[tuple[str, str]]:
    # Bases without a section, such as `WithReason`: their methods are listed with each subclass.
    bases = [*takewhile(lambda base: base.__name__ not in crisps24.__all__, kind.__mro__[1:-1])]
    own = [vars(base) for base in bases[::-1] if base.__module__.startswith("crisps24")]
    members = {name: member for each in (*own, vars(kind)) for name, member in each.items()}
    for name, member in members.items():
        attribute = inspect.getattr_static(kind, name)
        text = _first_paragraph(inspect.getdoc(attribute) or "")
        if name.startswith("_") or not text or inspect.ismemberdescriptor(attribute):
            continue
        if isinstance(attribute, classmethod):
            yield f"{kind.__name__}.{name}{_signature(getattr(kind, name))}", text
        elif inspect.isfunction(member):
            yield f".{name}{_signature(member)}", text
        elif isinstance(attribute, property) or hasattr(attribute, "func"):
            yield f".{name}", text
