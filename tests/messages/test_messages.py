"""Messages in the code: every key has a text, every text has a use, and no sentence is in the code.

`test_languages.py` compares the files of the languages with the English one.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from string import Formatter
from typing import NamedTuple

import pytest

import crisps24
from crisps24.judging.judge import CODES
from crisps24.messages.message import ENGLISH, as_message
from crisps24.rules.games import GAMES
from crisps24.rules.operators import OPERATORS
from tests.sampling import in_one_test

pytest.importorskip("jinja2", reason="the pages need the extra `web`")

import jinja2

from crisps24.pages.addresses import _FIELDS
from crisps24.pages.answering import PAGES
from crisps24.paper.quizzes import QUESTION_KINDS
from crisps24.paper.sheets import BACKS

PACKAGE = Path(crisps24.__file__).parent
SOURCES = sorted(PACKAGE.rglob("*.py"))
TEMPLATES = sorted((PACKAGE / "pages" / "templates").glob("*.html"))
SCRIPTS = sorted((PACKAGE / "player").glob("*.js"))


def joined(*parts: tuple[str, ...]) -> set[str]:
    """Return all names of one part of each group."""
    return {"".join(parts_of_name) for parts_of_name in product(*parts)}


# The keys that the code makes of parts, by their beginnings.
COLUMNS = "line id name formula value points verdict code reason steps answers right unread most"
COLUMNS += " puzzle solved hints played seconds"
VERDICTS = ("wrong", "illegal", "malformed")
NAMES = {page.name for page in PAGES.values()}
FIELDS = {*_FIELDS, *(field.name for page in PAGES.values() for field in page.fields)}
RESULTS = joined(("fractions", "negatives", "fractions_negatives", "whole"), ("", "_zero"))
BUILT = {
    "page.": {*NAMES, "yes", "no"},
    "page.field_": FIELDS,
    "page.quiz_": {*QUESTION_KINDS},
    "page.backs_": {*BACKS},
    "page.like_": {"limit", "title"},
    "page.about_": NAMES,
    "name.": {*GAMES},
    "page.verdict_": {"right", "legal", "hint", "shown", "step", *VERDICTS},
    "page.operator_": {name for name, operator in OPERATORS.items() if not operator.joins},
    "page.status_": {"400", "404", "405", "413", "414", "421", "429", "500", "503"},
    "fraction.part_": {*map(str, (*range(2, 11), 12))},
    "list.": {"clauses", "colon", "sentences", "stop"},
    "task.": joined(("all_", "any_"), ("numbers", "others"), ("", "_some")),
    "line.": {"parentheses", "no_parentheses", "all_numbers", "any_numbers", *RESULTS},
    "player.": {*RESULTS},
    "lines.": {"hands", "targets", "unused"},
    "player.decimals": {"", "_join"},
    "sheet.": {"name", "date"},
    "column.": {*COLUMNS.split()},
    "verdict.": {"right", "legal", "unread", "none", "unreadable", *VERDICTS},
    "working.": joined(("stated", "rounded"), ("", "_long")),
    "formula.needs_parentheses_": {"long"},
    "formula.other_order_": {"long"},
    "equation.": joined(("left_", "right_"), ("number", "operator")),
}  # fmt: skip
# Functions that take the name of a text of one section, and the files that call them.
NAMED = {
    "tab": ("site/files.py",),
    "page": ("pages/*.py", "pages/templates/*.html", "web/application.py"),
    "round": ("puzzles/rounds.py", "equation_puzzles/rounds.py"),
    "guess": ("equation_puzzles/rounds.py",),
}


def places_of(key: str) -> set[str]:
    text = ENGLISH.texts[key]
    forms = {"other": text} if isinstance(text, str) else text
    parsed = [Formatter().parse(form) for form in forms.values()]
    named = {place for form in parsed for _, place, _, _ in form if place is not None}
    return named if isinstance(text, str) else named | {"count"}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def constants_of(path: Path) -> frozenset[str]:
    """Return the strings in a file of Python, or in the expressions of a template."""
    if path.suffix == ".html":
        nodes = jinja2.Environment().parse(path.read_text()).find_all(jinja2.nodes.Const)
        return frozenset(node.value for node in nodes if isinstance(node.value, str))
    every = (node.value for node in ast.walk(tree_of(path)) if isinstance(node, ast.Constant))
    return frozenset(value for value in every if isinstance(value, str))


def test_every_key_is_used() -> None:
    used = {key for path in (*SOURCES, *TEMPLATES) for key in constants_of(path)}
    used |= {f"{begin}{name}" for begin, names in BUILT.items() for name in names}
    used |= {key for codes in CODES.values() for key in codes.values()}
    used |= {key for path in SCRIPTS for key in re.findall(r'"([a-z]+\.\S+?)"', path.read_text())}
    for section, patterns in NAMED.items():
        files = [path for pattern in patterns for path in PACKAGE.glob(pattern)]
        used |= {f"{section}.{name}" for path in files for name in constants_of(path)}
    assert ENGLISH.texts.keys() - used == set()


def test_templates_and_scripts_have_no_marks_between_texts() -> None:
    # Such as `say("daily_games") }}: ` and `say("page.play_waits_told")} ${say(`.
    between = re.compile(r"\) ?}}?[,:;.]? (?:\$\{say|\{\{ ?(?:say|language))|\) }}[,:;] ")
    for path in (*TEMPLATES, *SCRIPTS):
        assert between.findall(path.read_text()) == [], path.name


def test_english_columns_and_verdicts_are_those_of_the_data() -> None:
    # Commands show the keys of rows without the texts of English.
    for key, text in ENGLISH.texts.items():
        section, _, name = key.partition(".")
        assert section not in ("column", "verdict") or text == name


def test_every_prefix_of_a_built_key_has_texts() -> None:
    for begin, names in BUILT.items():
        assert any(f"{begin}{name}" in ENGLISH.texts for name in names), begin


class Use(NamedTuple):
    where: str
    key: str
    places: set[str]


# Functions that take a key or a name of a text, and the section of the name.
SECTIONS = {"message": "", "text": "", "say": "page.", "_round_text": "round.", "_guess": "guess."}


def uses_in(path: Path) -> Iterator[Use]:
    """Yield the calls with a key or a name of a text, unless they have `**values`."""
    for node in ast.walk(tree_of(path)):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        literal = getattr(node.args[0], "value", None)
        if name not in SECTIONS or not isinstance(literal, str):
            continue
        places = {word.arg or "**" for word in node.keywords} - {"language"}
        places |= {"count"} if len(node.args) > 1 else set()
        if "**" not in places:
            yield Use(f"{path.name}:{node.lineno}", f"{SECTIONS[name]}{literal}", places)


def uses_in_template(path: Path) -> Iterator[Use]:
    for node in jinja2.Environment().parse(path.read_text()).find_all(jinja2.nodes.Call):
        named = isinstance(node.node, jinja2.nodes.Name) and node.node.name == "say"
        if named and isinstance(node.args[0], jinja2.nodes.Const):
            places = {word.key for word in node.kwargs} | ({"count"} if node.args[1:] else set())
            yield Use(f"{path.name}:{node.lineno}", f"page.{node.args[0].value}", places)


# Texts that are not in the files: names of rules and examples of what can be typed.
LABELS = re.compile(r"page\.(field|like)_")


def test_every_call_has_a_text_with_its_placeholders() -> None:
    uses = [use for path in SOURCES for use in uses_in(path)]
    uses += [use for path in TEMPLATES for use in uses_in_template(path)]
    assert len(uses) > 250
    for where, key, places in uses:
        if LABELS.match(key) and key not in ENGLISH.texts:
            continue
        assert key in ENGLISH.texts, where
        # The evaluator adds the step to a message of a rule.
        places |= places_of(key) & {"step"} if key.startswith("step.") else set()
        assert places == places_of(key), (where, key)


# The modules whose sentences are messages.
MODULES = [
    *(path for name in ("notation", "judging", "pages") for path in (PACKAGE / name).glob("*.py")),
    *(PACKAGE / name for name in (
        "rules/operators.py", "rules/deals.py", "puzzles/rounds.py", "paper/marks.py",
        "equation_puzzles/reading.py", "equation_puzzles/gaps.py", "equation_puzzles/rounds.py",
        "cli/playing.py",
    )),
]  # fmt: skip
# The sentences of unreadable files, which only commands and Python show.
_READERS = "records table_rows class_tables forms prompts json_arrays parquet_rows"
for _name in _READERS.split():
    MODULES.remove(PACKAGE / "judging" / f"{_name}.py")
# Errors of commands and Python, and options with their help.
ENGLISH_ONLY = {"RefusedError", "KindError", "UsageError", "complain", "requires", "refuse_given"}
ENGLISH_ONLY |= {"command", "puzzle", "output", "Option", "english", "_pattern", "note"}
# Cells of tables of commands, which are in English.
CELLS = {"no answer", "no solution", "likeliest answer"}
WORDS = re.compile(r"[^\W\d_]{2,},? [^\W\d_]{2,}|[^\W\d_]{2,},? \{\}|\{\},? [^\W\d_]{2,}")
PATTERN = re.compile(r"\(\?|\|")


def sentences_in(source: str) -> list[tuple[int, str]]:
    """Return the line and the text of each string of two or more words or places.

    Docstrings, regular expressions, types, markup and the sentences of commands are not among them.
    """
    sentences = []

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in ENGLISH_ONLY or ast.unparse(node.func) == "re.compile":
                return
        if isinstance(node, ast.Constant | ast.JoinedStr):
            parts: list[ast.expr] = node.values if isinstance(node, ast.JoinedStr) else [node]
            values = (part.value if isinstance(part, ast.Constant) else "{}" for part in parts)
            text = "".join(map(str, values))
            is_named = PATTERN.search(text) or text.startswith("<") or text in CELLS
            if WORDS.search(text) and not is_named:
                sentences.append((node.lineno, text))
            for part in parts:
                if isinstance(part, ast.FormattedValue):
                    visit(part.value)
            return
        for child in ast.iter_child_nodes(node):
            if child not in (getattr(node, "annotation", None), getattr(node, "returns", None)):
                visit(child)

    visit(ast.parse(source))
    return sentences


@in_one_test("path", *MODULES)
def test_code_has_no_sentences(path: Path) -> None:
    assert sentences_in(path.read_text()) == []


def test_sentence_in_code_is_found_and_other_strings_are_not_sentences() -> None:
    assert sentences_in('x = 1\nraise FormulaError(f"{step} leaves {rest}")\n')[0][0] == 2
    assert sentences_in("x = f\"{f'it makes {value}'}\"") != []
    source = '''"""A docstring of words."""
def checked(value: "list[int] | None or more") -> str:
    """Another docstring of words."""
    if value:
        raise RefusedError(f"invalid value {value}")
    return re.compile("no (?:valid )?solution").sub("", message("formula.none", value=value))
'''
    assert sentences_in(source) == []


def test_formula_error_has_a_message() -> None:
    # Without an error for mypy to ignore, mypy reports the comment.
    error = crisps24.FormulaError("no message", "1 + 1", 0)  # type: ignore[arg-type]
    assert error.message == as_message("no message")
