"""The page for phones: a file that plays puzzles offline, to try and to save."""

import re
from collections.abc import Iterator
from typing import Any

from crisps24.pages.addresses import Field, Parameters, flags, number
from crisps24.pages.puzzles import (
    PUZZLE_FIELDS,
    PUZZLE_NAMES,
    command_line,
    deal_puzzles,
    require_seed,
    with_seed,
)
from crisps24.pages.replies import PageReply, download
from crisps24.player.files import check_file, file_key, file_record, puzzle_records, render_file
from crisps24.puzzles.dealing import Deal

FIELDS = (
    *PUZZLE_FIELDS,
    Field("title", str),
    number("limit", 0, 3_600),
    *flags("faces", "no_solutions"),
)
NAMES = (*PUZZLE_NAMES, "title", "limit", "faces", "no_solutions")
_POLICY = re.compile(rb'http-equiv="Content-Security-Policy" content="([^"]+)"')


def page(params: Parameters) -> dict[str, Any] | PageReply:
    if redirect := with_seed(params, "/phones"):
        return redirect
    puzzles = _checked(params)
    first = puzzles[0]
    return {
        "tried": params.address("/phones.html"),
        "first": first,
        "dealt": len(puzzles),
        "command": command_line("page", puzzles, _options(params)),
    }


def tried(params: Parameters) -> PageReply:
    """Return the file as a page, whose policy allows its own script."""
    body = _file_of(params)
    policy = _POLICY.search(body)
    assert policy
    # The page that offers the file shows it in a frame.
    headers = ("content-security-policy", policy[1].decode()), ("x-frame-options", "SAMEORIGIN")
    return PageReply(200, body, headers=headers)


def file(params: Parameters) -> PageReply:
    return download(_file_of(params), "puzzles.html", "text/html; charset=utf-8")


def _checked(params: Parameters) -> Deal:
    puzzles = deal_puzzles(params)
    title, style = params.get("title", ""), params.get("style", "")
    faces = params.value("faces", False)
    check_file(puzzles.game, len(puzzles), title, style, faces=faces)
    return puzzles


def _file_of(params: Parameters) -> bytes:
    require_seed(params)
    puzzles = _checked(params)
    has_solutions = not params.value("no_solutions", False)
    record = file_record(
        puzzles.game,
        puzzle_records(puzzles, solutions=has_solutions),
        key=file_key(puzzles.version, puzzles.command, (puzzle.id for puzzle in puzzles)),
        title=params.get("title", ""),
        language=params.get("language", ""),
        style=params.get("style", ""),
        limit=params.value("limit", 0),
        faces=params.value("faces", False),
    )
    return render_file(record)


def _options(params: Parameters) -> Iterator[str]:
    for name, option in (("title", "--title"), ("limit", "--seconds")):
        if name in params:
            yield from (option, params[name])
    for name in ("faces", "no_solutions"):
        if params.value(name, False):
            yield f"--{name.replace('_', '-')}"
    yield from ("--out", "puzzles.html")
