"""The common names of columns in files of puzzles, and of fields in their records.

Data sets have different names for the same columns: the hand can be `nums`, `numbers` or
`starting`. To add a name, add a word to `COLUMN_NAMES`.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from itertools import chain
from typing import Any, NamedTuple

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
# Names of these columns in lists of hands, where they cannot have another meaning.
_LIST_WORDS = {
    "hand": "puzzle, puzzles, problem, problems, hands, zahlen, karte, karten, ziffern, nombres, "
    "carte, cartes, chiffres, tirage, énigme, énigmes, kaart, kaarten, getallen, cijfers, números, "
    "numeros, carta, cartas, cifras, dígitos, 数字, 数, 四个数, 四张牌, 牌, 牌面, 题目, 4 numbers, "
    "four numbers, 4 zahlen, vier zahlen, 4 nombres, 4 cards",
    "target": "ziel, zielzahl, zielwert, ergebnis, cible, but, résultat, doel, doelgetal, "
    "uitkomst, objetivo, meta, resultado, result, make, 目标, 目标数, 结果, target number, "
    "target value, nombre cible, número objetivo",
}
LIST_NAMES = {
    kind: (*COLUMN_NAMES[kind], *words.split(", ")) for kind, words in _LIST_WORDS.items()
}
# A name without what people add to it, such as `(s)` or `**`.
_ADDED = re.compile(r"\([^()]*\)|[\"*:`#]")
# The name of one of several columns with a number each: `n1`, `Zahl 2`, `c`.
_NUMBERED = re.compile(r"(\D*)([0-9]{1,2})|([a-z])")
# Names of fields for the numbers of a puzzle.
CARD_FIELDS = COLUMN_NAMES["hand"]
# The places of objects with fields of the puzzle in a row; verl has one inside another.
PUZZLE_OBJECTS = (("metadata",), ("ground_truth",), ("reward_model", "ground_truth"))
# A file of puzzles has at least one such column.
PUZZLE_COLUMNS = ("id", *CARD_FIELDS)
# Fields for an answer that can be any text; the first one in a record counts.
TEXT_FIELDS = ("completion", "response", "text")
# Fields for an answer in a record of JSON.
ANSWER_FIELDS = (*TEXT_FIELDS, "formula")
# Columns for an answer in a csv table. In JSON, "answer" is the solution of a puzzle.
ANSWER_COLUMNS = (*TEXT_FIELDS, "answer", "formula")
# Separators of the columns of a table.
_SEPARATORS = ",;\t"
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
    for name in synonyms:
        if name in renamed:
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


class HandColumns(NamedTuple):
    """The columns of a list of hands, by their names in its header."""

    hands: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    """The columns that have one number each."""
    targets: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()

    @property
    def are_known(self) -> bool:
        """Whether all columns have their standard names."""
        known = _field_names()
        return not self.numbers and all(name in known for names in self for name in names)


@lru_cache(256)
def find_hand_columns(names: tuple[str, ...], length: int) -> HandColumns:
    """Find the hands of `length` numbers and the targets among the columns of a list of hands."""
    found: dict[str, list[str]] = {"hand": [], "target": []}
    runs: list[list[str]] = []
    last: tuple[str, int] | None = None
    for name in names:
        plain = _plain_name(name)
        for kind, columns in found.items():
            if plain in LIST_NAMES[kind]:
                columns.append(name)
        match = _NUMBERED.fullmatch(plain)
        key = match and (match[1] or "", int(match[2]) if match[2] else ord(match[3]))
        if key and key == (last and (last[0], last[1] + 1)):
            runs[-1].append(name)
        elif key:
            runs.append([name])
        last = key or None
    long_runs = [run for run in runs if len(run) == length > 1] or [run for run in runs if run[1:]]
    numbers = long_runs[0] if len(long_runs) == 1 else []
    used = {*found["hand"], *found["target"], *numbers}
    unused = [name for name in names if name not in used and name]
    return HandColumns(tuple(found["hand"]), tuple(numbers), tuple(found["target"]), tuple(unused))


def numbered_names(names: list[str], length: int) -> list[str]:
    """Return names with numbers for the columns of a hand that have equal names, or only one."""
    for index, name in enumerate(names):
        of_hand = names[index : index + length]
        is_one = _plain_name(name) in LIST_NAMES["hand"] and not any(of_hand[1:])
        if name and len(of_hand) == length > 1 and (is_one or {*of_hand} == {name}):
            numbered = [f"{name} {number}" for number in range(1, length + 1)]
            return [*names[:index], *numbered, *names[index + length :]]
    return names


def list_separator(header: str, length: int, given: str | None = None) -> str | None:
    """Return the character between the columns of a list of hands; None if it names no hand."""
    for separator in given or LIST_SEPARATORS:
        names = tuple(numbered_names(header.split(separator), length))
        columns = find_hand_columns(names, length)
        is_hand = len(columns.numbers) == length or (columns.numbers and columns.targets)
        if (columns.hands or is_hand) and not any(name.strip().isdecimal() for name in names):
            return separator
    return None


def _plain_name(name: str) -> str:
    return " ".join(_ADDED.sub(" ", name).casefold().split())


@cache
def rule_fields() -> dict[str, Rule]:
    """Return the rules of the game that fields of a record change, by the names of the fields.

    Most rules have two names: `all_numbers`, as in `Game`, and `all`, as in ids. A record has its
    hand, so rules that only change how hands are dealt are left out; so is `bits`, which `deal`
    writes.
    """
    return {
        name: rule
        for rule in RULES.values()
        if not rule.deals and rule.field != "bits"
        for name in (rule.word, rule.field)
    }


def table_separator(header: str, columns: Collection[str], given: str | None = None) -> str | None:
    """Return the character between the columns of a table; None if it has no known column."""
    known = columns or _field_names()
    for separator in given or _SEPARATORS:
        names = [column_name(name, columns) for name in header.split(separator)]
        if any(name in known or id_of_column(name) for name in names):
            return separator
    return None


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
    puzzle_columns = chain.from_iterable(COLUMN_NAMES.values())
    others = ("name", "game", "id", "rules", "level", *(path[0] for path in PUZZLE_OBJECTS))
    return frozenset((*puzzle_columns, *others, *rule_fields()))


def puzzle_column(number: int, puzzle: str) -> str:
    """Return the name of the column for a puzzle: its number on paper and its id."""
    return f"{number} {puzzle}"


def id_of_column(name: str) -> str | None:
    """Return the id of the puzzle in the name of a column; None for another name."""
    match = _PUZZLE_COLUMN.fullmatch(name)
    return match[1] if match else None
