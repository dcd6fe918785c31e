"""Verifying results files.

A file is right when every row is legal and makes the target, none is there twice, none is
missing, they are in order, and all is laid out as the format has it. This room owns what is asked
of a file: its target, its length, and whether it is what another game gives; `inspection` reads it.
"""

import io
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from crisps24.errors import KindError, RefusedError, quoted
from crisps24.outside.whole_files import path_of
from crisps24.rows.enumeration import blocks, count
from crisps24.rows.inspection import Inspection, Opening, Problem, Verification
from crisps24.rows.lines import Lines
from crisps24.rows.places import LONGEST_ROW
from crisps24.rows.reading import LineReader
from crisps24.rows.results import target_of_name
from crisps24.rules.exact import Exact, exact
from crisps24.rules.games import GAMES, Game, find_game, why_no_rows
from crisps24.rules.rules import why_no_target

# A header that tells of more numbers is not believed without `length`: a few bytes would ask
# for hours of counting.
LONGEST_HEADER = 10


def verify_results(
    path: str | os.PathLike[str] | BinaryIO,
    game: Game | str = "crisps",
    *,
    target: Exact | None = None,
    length: int | None = None,
    progress: Callable[[int], object] | None = None,
) -> Verification:
    """Verify a results file by the rules of a game.

    The file is a path, or is open for reading bytes; it is read once, so that a pipe can be
    verified too. The target is the one in its name, where none is given; the length is the one
    that the header tells, up to 10. `progress` is called with the number of bytes just read.

    Raises OSError where the file cannot be read, ValueError where the name has no target and
    none is given, and for a game that has no results files.
    """
    game = find_game(game)
    if length is not None and (type(length) is not int or not 1 <= length <= LONGEST_ROW):
        raise RefusedError(f"{quoted(length)} is no length: from 1 to {LONGEST_ROW} is")
    if isinstance(path, str | os.PathLike):
        named = path_of(path)
        opened: AbstractContextManager[BinaryIO] = named.open("rb")
    elif not hasattr(path, "read") or isinstance(path, io.TextIOBase):
        raise KindError(f"{quoted(path)} is no path, and no file that is open for reading bytes")
    else:
        named, opened = Path(str(getattr(path, "name", "stream"))), nullcontext(path)
    with opened as file:
        wanted = target_of_name(named) if target is None else exact(target)
        if wanted is None:
            name = f"the name {named.name!r} has none: results.24 has"
            raise RefusedError(f"no target is given, and {name}")
        found = _verify(LineReader(file), wanted, game, length, progress)
    return replace(found, file=named)


def _verify(
    reader: LineReader,
    target: Exact,
    game: Game,
    length: int | None,
    progress: Callable[[int], object] | None,
) -> Verification:
    nowhere = Verification(Path(), target, 0)
    if why := why_no_target(target, game):
        return replace(nowhere, found=(Problem(None, f"{target}: {why}"),))
    opening = Opening(reader)
    told = opening.format.length if opening.format else None
    if length is None and told is not None and told > LONGEST_HEADER:
        problem = f"the header is for {told} numbers: a length of {told} has to be asked for"
        return replace(nowhere, found=(Problem(1, problem),))
    game = _with_length(game, length or told or game.length)
    found = Inspection(reader, opening, target, game, progress).verification()
    if found.found or found.missing:
        for other in GAMES.values():
            alike = other.length == game.length and other.name != game.name
            if alike and not why_no_rows(other) and _is_exactly(reader.content, target, other):
                rule = f"wrong by {game.name}, but exactly what the game {other.name} gives"
                found = replace(found, found=(Problem(None, rule), *found.found), layout_only=False)
    return found


def _with_length(game: Game, length: int) -> Game:
    try:
        return replace(game, length=length)
    except ValueError:
        return game


def _is_exactly(content: bytes | None, target: Exact, game: Game) -> bool:
    """Return whether a small file is, byte by byte, what a game gives."""
    if content is None:
        return False
    lines = Lines(game)
    for header in (lines.format.header, lines.format.old_header):
        opening = "".join(f"{line}\n" for line in header).encode()
        size = len(opening) + lines.format.row_bytes * count(target, game)
        if len(content) == size and content.startswith(opening):
            rows = (text for block in blocks(target, game) for text in lines.of(block))
            return content[len(opening) :] == b"".join(rows)
    return False
