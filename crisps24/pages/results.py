"""The results page: count the formulas of a target, save its results file, or verify one."""

import shlex
from collections.abc import Iterator
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import Any

from crisps24.enumeration.enumeration import RowQuery, blocks_for, count_targets
from crisps24.enumeration.format import LineWriter, line_count
from crisps24.enumeration.results import file_name_of, target_of_name
from crisps24.enumeration.verification import Verification, verify_results
from crisps24.errors import RefusedError
from crisps24.messages.message import Count, message
from crisps24.pages.addresses import RULE_NAMES, Parameters
from crisps24.pages.replies import PageReply, download
from crisps24.puzzles.conditions import rule_options
from crisps24.rules.exact import Exact
from crisps24.rules.games import Game
from crisps24.rules.work import QUICK_WORK

GAMES = ("crisps", "game24")
NAMES = ("game", "target", "targets", *RULE_NAMES)
# Rows of a file that a page can have, and targets that it counts.
MAX_ROWS, _MAX_TARGETS = 200_000, 101
# Lines at the start and at the end of a file, and problems, that are shown.
_FIRST_LINES, _LAST_LINES, _SHOWN_PROBLEMS = 6, 3, 20


def page(params: Parameters) -> dict[str, Any]:
    if upload := params.files.get("file"):
        return {"verified": _verify(params, upload.name, upload.data), "file_name": upload.name}
    if not params.has_any(("target", "targets")):
        return {}
    game = _game_of(params)
    if "targets" in params:
        targets = [*params.value("targets")]
        if len(targets) > _MAX_TARGETS:
            raise RefusedError(message("refused.many_targets", most=_MAX_TARGETS))
    else:
        targets = [params.value("target")]
    counts = count_targets(targets, RowQuery(game, work=QUICK_WORK))
    rows = [
        {
            "target": target,
            "count": count,
            "lines": line_count(count),
            "more": params.address("/results", without=("targets",), target=target),
        }
        for target, count in counts.items()
    ]
    if len(rows) > 1:
        return {"counted": rows, "command": _command(params, game)}
    [(target, count)] = counts.items()
    values = {"counted": rows, "command": _command(params, game), "name": file_name_of(target)}
    if count > MAX_ROWS:
        return values | {"too_many": Count(MAX_ROWS)}
    lines = b"".join(_pieces(target, game)).decode().splitlines()
    is_short = len(lines) <= _FIRST_LINES + _LAST_LINES + 1
    first = lines if is_short else [*lines[:_FIRST_LINES], "…", *lines[-_LAST_LINES:]]
    return values | {"first_lines": first}


def file(params: Parameters) -> PageReply:
    game, target = _game_of(params), params.value("target")
    if target is None:
        raise RefusedError(message("refused.target_missing"))
    counts = count_targets([target], RowQuery(game, work=QUICK_WORK))
    if counts[target] > MAX_ROWS:
        raise RefusedError(message("refused.many_rows", most=Count(MAX_ROWS)))
    body = b"".join(_pieces(target, game))
    return download(body, file_name_of(target), "text/plain; charset=utf-8")


def _game_of(params: Parameters) -> Game:
    if "game" not in params:
        params = params.in_game(params.game(GAMES[:1]))
    return params.game(GAMES)


def _pieces(target: Exact, game: Game) -> Iterator[bytes]:
    writer, query = LineWriter(game), RowQuery(game)
    blocks = blocks_for(target, query)
    yield from chain([writer.header], *(writer.lines(block) for block in blocks))


def _command(params: Parameters, game: Game) -> str:
    target = params.get("targets", params.get("target", ""))
    return shlex.join(["crisps24", "results", target, *rule_options(game)])


def _verify(params: Parameters, name: str, data: bytes) -> dict[str, Any]:
    target = params.value("target", target_of_name(Path(name)))
    if target is None:
        raise RefusedError(message("refused.target_missing"))
    game = _game_of(params)
    verified: Verification = verify_results(BytesIO(data), game, target=target)
    problems = [str(problem) for problem in verified.problems]
    return {
        "target": target,
        "count": verified.combinations,
        "verdict": verified.verdict,
        "is_right": verified.verdict == "right" or verified.layout_only,
        "problems": problems[:_SHOWN_PROBLEMS],
        "others": len(problems[_SHOWN_PROBLEMS:]),
    }
