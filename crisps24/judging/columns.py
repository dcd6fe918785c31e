"""The common names of columns in files of puzzles, and of fields in their records.

Data sets have different names for the same columns: the hand can be `nums`, `numbers` or
`starting`. To add a name, add a word to `COLUMN_NAMES`.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from itertools import chain, groupby
from pkgutil import get_data
from typing import Any

from crisps24.errors import RefusedError, quoted
from crisps24.rules.rules import RULES, Rule

# The names of each kind of column; the first one in a record counts.
COLUMN_NAMES = {
    "hand": ("card", "hand", "numbers", "nums", "starting", "cards", "digits"),
    "target": ("target", "goal"),
    "key": ("answer", "solution", "expression", "gold", "ground_truth"),
    "closest": ("closest", "best"),
    "distance": ("delta", "distance"),
    "solvable": ("solvable",),
}
# A name of one of several columns with a number each, `n1` or `c`; and what people add to a name.
_NUMBERED = re.compile(
    r"(n|num|number|card|digit|zahl|karte|nombre|carte|getal|kaart|número|numero|carta|数字?|牌|[xc])"
    r"[ _]?([0-9]{1,2})|[a-y]"
)
_CHINESE_DIGITS = str.maketrans("一二三四五六", "123456")
_ADDED = re.compile(r"\([^()]*\)|[\"*:`#]")
CARD_FIELDS = COLUMN_NAMES["hand"]
# The places of objects with fields of the puzzle in a row; verl has one inside another.
PUZZLE_OBJECTS = (
    *(("metadata",), ("ground_truth",), ("reward_model", "ground_truth")),
    *(("doc",), ("gts",)),
)
# Fields with a text that can have the puzzle.
PROMPT_COLUMNS = (
    *("prompt", "question", "messages", "conversations", "input", "instruction", "problem"),
    *("query", "prompts"),
)
# A file of puzzles has at least one such column.
PUZZLE_COLUMNS = ("id", *CARD_FIELDS)
# Fields for an answer that can be any text; the first one in a record counts.
TEXT_FIELDS = (
    *("completion", "response", "generation", "prediction", "predict", "pred", "model_output"),
    *("model_answer", "full_model_response", "generated_text", "text", "output"),
    *("completions", "responses", "generations", "predictions", "outputs"),
)
# Fields for an answer in JSON, where "answer" is the solution of a puzzle, and in a csv table.
ANSWER_FIELDS = (*TEXT_FIELDS, "formula")
ANSWER_COLUMNS = (*TEXT_FIELDS, "answer", "formula")
# The column with the version of a test that a pupil had, in a table that `sheet` writes.
VERSION_COLUMN = "version"
# The field of a record with the version and the number of its puzzle on paper, such as B3.
PLACE_FIELD = "place"
LIST_SEPARATORS = ",;\t|"
# The name of the column of a puzzle: its id, with or without a number in front.
_PUZZLE_COLUMN = re.compile(
    r"\s*(?:[0-9]{1,6}[.:]?\s+)?([A-Za-z][A-Za-z0-9]*:[-0-9./]+=[^\s;]+)\s*"
)


def find_column(kind: str, names: Iterable[str]) -> str | None:
    """Return the first known name for a kind of column among some names; None without one."""
    present = set(names)
    return next((name for name in COLUMN_NAMES[kind] if name in present), None)


def with_standard_target(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a record whose target is in the field `target`, whatever its name was."""
    renamed = dict(record)
    standard, *synonyms = COLUMN_NAMES["target"]
    for name in filter(record.__contains__, synonyms):
        value = renamed.pop(name)
        if str(renamed.setdefault(standard, value)) != str(value):
            raise RefusedError(f"{quoted(standard)} and {quoted(name)} differ")
    return renamed


def check_columns(names: Iterable[str]) -> None:
    """Raise RefusedError if none of some columns can hold the numbers of a puzzle."""
    known = (*PUZZLE_COLUMNS, *(path[0] for path in PUZZLE_OBJECTS))
    if set(known).isdisjoint(names):
        expected = ", ".join(known)
        raise RefusedError(f"no column has the numbers of a puzzle (expected {expected})")


@cache
def rule_fields() -> dict[str, Rule]:
    """Return the rules of the game that fields of a record change, by the names of the fields.

    Most rules have two names: `all_numbers`, as in `Game`, and `all`, as in ids. A record has its
    hand, so rules of the deal are left out; so is `bits`, which `deal` writes.
    """
    rules = [rule for rule in RULES.values() if not rule.deals and rule.field != "bits"]
    return {name: rule for rule in rules for name in (rule.word, rule.field)}


def table_separator(header: str, columns: Collection[str], given: str | None = None) -> str | None:
    """Return the character between the columns of a table; None if it has no known column."""
    known = columns or _field_names()

    def is_known(name: str) -> bool:
        return column_name(name, columns) in known or id_of_column(name) is not None

    return next((sign for sign in given or ",;\t" if any(map(is_known, header.split(sign)))), None)


@cache
def lists() -> dict[str, Any]:
    """Return the names of columns and the steps of lines in lists of hands."""
    found: dict[str, Any] = tomllib.loads((get_data(__package__, "lists.toml") or b"").decode())
    return found


@cache
def list_names(kind: str) -> tuple[str, ...]:
    """Return the names of the `hand` or the `target` in a list of hands."""
    return (*COLUMN_NAMES[kind], *" ".join(lists()["names"][kind].split()).split(", "))


def list_separator(header: str, length: int, given: str | None = None) -> str | None:
    """Return the character between the columns of a list of hands; None if it names no hand."""
    for separator in given or LIST_SEPARATORS:
        kinds = column_kinds(tuple(header.split(separator)), length).values()
        if "hand" in kinds or "number" in kinds:
            return separator
    return None


@lru_cache(256)
def column_kinds(names: tuple[str, ...], length: int) -> dict[str, str]:
    """Return what each column of a list of hands has: `hand`, `number` of it, `target`, or ""."""
    plain = [" ".join(_ADDED.sub(" ", name).casefold().split()) for name in names]
    plain = [name.translate(_CHINESE_DIGITS) for name in plain]
    kinds = [next((k for k in lists()["names"] if name in list_names(k)), "") for name in plain]
    # Neighbours such as n1 and n2, or a and b, have the same stem, and numbers that grow by 1.
    matches = map(_NUMBERED.fullmatch, plain)
    stems = [m and (m[1], int(m[2] or ord(m[0])) - index) for index, m in enumerate(matches)]
    for stem, run in groupby(range(len(names)), stems.__getitem__):
        indexes = [*run]
        if stem and len(indexes) == length > 1:
            kinds[indexes[0] : indexes[-1] + 1] = ["number"] * length
    return dict(zip(names, kinds, strict=True))


def is_known_column(name: str, columns: Collection[str]) -> bool:
    """Return whether a column is one of `columns` or has the name of a field of a record."""
    return name in columns or name in _field_names()


def column_name(name: str, columns: Collection[str]) -> str:
    """Return the name of a column, without quotation marks, in lower case if that name is known."""
    name = name.strip().strip('"')
    lower = name.casefold()
    return lower if is_known_column(lower, columns) else name


@cache
def _field_names() -> frozenset[str]:
    """Return the names of all columns that are known, whatever the table is for."""
    objects = (path[0] for path in PUZZLE_OBJECTS)
    others = ("name", "game", "id", "rules", "level", *objects, *PROMPT_COLUMNS)
    return frozenset(chain(*COLUMN_NAMES.values(), others, rule_fields()))


def puzzle_column(number: int | str, puzzle: str | Mapping[str, str]) -> str:
    """Return the name of the column for a puzzle: its number on paper and its id.

    In a test with versions it has the id of each, after the letter of the version.
    """
    ids = {"": puzzle} if isinstance(puzzle, str) else puzzle
    return " ".join([str(number), *(f"{letter} {id_}".strip() for letter, id_ in ids.items())])


def versions_of_column(name: str) -> dict[str, str]:
    """Return the ids of the puzzles of a column by version; none if the puzzle has no versions."""
    number, *parts = re.split(r"(?<!\S)([A-Z])\s+(?=[A-Za-z])", name)
    found = [id_ for part in parts[1::2] if (id_ := id_of_column(part))]
    is_versioned = number.strip().isdigit() and len(found) == len(parts) // 2 > 1
    return dict(zip(parts[::2], found, strict=True)) if is_versioned else {}


def id_of_column(name: str) -> str | None:
    """Return the id of the puzzle in the name of a column; None for another name."""
    match = _PUZZLE_COLUMN.fullmatch(name)
    return match and match[1]
