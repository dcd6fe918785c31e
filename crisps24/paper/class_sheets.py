"""Sheets of a class: one for each pupil, with its version of a test, and the table for answers."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import cycle

from crisps24.errors import RefusedError, quoted
from crisps24.judging.columns import VERSION_COLUMN, puzzle_column
from crisps24.messages.message import message
from crisps24.output.tables import Row
from crisps24.paper.papers import Version, sheet_style
from crisps24.paper.sheets import Sheet
from crisps24.puzzles.dealing import Deal
from crisps24.puzzles.versions import letters_of

# Names, each with its version.
Named = Sequence[tuple[str, Version]]


def check_versions(pupils: Sequence[tuple[str, str]], version_count: int) -> None:
    """Raise RefusedError if a pupil has a version that a test lacks."""
    letters = letters_of(version_count)
    for name, letter in pupils:
        if letter and letter not in letters:
            given = {"name": quoted(name), "version": quoted(letter)}
            if len(letters) == 1:
                raise RefusedError(message("paper.unversioned", **given))
            raise RefusedError(message("paper.no_version", known=", ".join(letters), **given))


def versions_of(
    deals: Sequence[Deal],
    sheet: Sheet,
    style: str,
    answers: Callable[[Deal], Sequence[str]] = Deal.answers,
) -> list[Version]:
    """Return the versions of a test, each with its letter, and its answers when they are needed."""
    styled = [dealt.with_style(sheet_style(sheet, style)) for dealt in deals]
    return [
        Version(dealt, replace(sheet, version=letter), cache(partial(answers, dealt)))
        for letter, dealt in zip(letters_of(len(deals)), styled, strict=True)
    ]


def named_sheets(pupils: Sequence[tuple[str, str]], versions: Sequence[Version]) -> Named:
    """Return the version of each pupil: another than that of a neighbour, if none is given."""
    by_letter = {version.sheet.version: version for version in versions}
    return [
        (name, by_letter[letter] if letter else version)
        for (name, letter), version in zip(pupils, cycle(versions), strict=False)
    ]


def class_table(versions: Sequence[Version], named: Named) -> tuple[list[Row], list[str]]:
    """Return the rows of the table of a class, without answers, and its columns."""
    by_letter = {version.sheet.version: version.deal for version in versions}
    columns = [
        puzzle_column(
            number, {letter: puzzle.id for letter, puzzle in zip(by_letter, puzzles, strict=True)}
        )
        for number, puzzles in enumerate(zip(*by_letter.values(), strict=True), 1)
    ]
    keys = ["name", *([VERSION_COLUMN] if len(versions) > 1 else []), *columns]
    rows = [
        {**dict.fromkeys(keys, ""), "name": name, VERSION_COLUMN: version.sheet.version}
        for name, version in named
    ]
    return rows, keys
