"""The puzzles of a page that makes something of them: dealt by a seed, or the reader's own."""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from io import BytesIO
from typing import Any

from crisps24.errors import MAX_COMPLAINTS, RefusedError
from crisps24.messages.message import Message, message
from crisps24.pages.addresses import CHOOSING_NAMES, RULE_NAMES, Field, Parameters, flags, number
from crisps24.pages.replies import PageReply, redirect_to
from crisps24.puzzles.conditions import parse_mix
from crisps24.puzzles.dealing import Deal, deal, own_deal, to_seed
from crisps24.puzzles.files import LineParser, check_one_game, complain_of_unsolvable, read_own
from crisps24.puzzles.parameters import LEVELS, refuse_conflicting_conditions
from crisps24.rules.work import QUICK_WORK

MAX_PUZZLES = 100
DEFAULT_COUNT = 12
PUZZLE_FIELDS = (
    number("count", 1, MAX_PUZZLES),
    Field("mix", parse_mix),
    Field("own", str),
    *flags("rising"),
)
PUZZLE_NAMES = (
    *("game", "seed", *CHOOSING_NAMES, *RULE_NAMES),
    *(field.name for field in PUZZLE_FIELDS),
)


def with_seed(params: Parameters, path: str) -> PageReply | None:
    """Return a redirect to the address with a seed, unless it has one or puzzles of its own."""
    if params.has_any(("seed", "own")):
        return None
    # Refuse an invalid game here, before the redirect.
    params.game()
    return redirect_to(params.address(path, seed=to_seed()))


def require_seed(params: Parameters) -> None:
    """Refuse an address of a file that has neither a seed nor puzzles of its own."""
    if not params.has_any(("seed", "own")):
        raise RefusedError(message("refused.seed_missing"))


def command_line(name: str, puzzles: Deal, options: Iterable[str]) -> str:
    """Return the command that makes the same of these puzzles."""
    own = shlex.join(["crisps24", name, *(puzzle.id for puzzle in puzzles)])
    command = puzzles.command.replace("crisps24 deal", f"crisps24 {name}", 1) or own
    return f"{command} {shlex.join(options)}"


def deal_puzzles(params: Parameters, default_count: int = DEFAULT_COUNT) -> Deal:
    if "own" in params:
        return _own_puzzles(params)
    if "mix" in params:
        names = [name for name in params if name != "count"]
        refuse_conflicting_conditions(names, params.game(), params.label)
    return deal_new(params, count_of(params, default_count), params.value("mix"))


def count_of(params: Parameters, default: int = DEFAULT_COUNT) -> int:
    """Return the number of puzzles: that of a mix of levels, if there is one."""
    if "mix" in params:
        count: int = number("mix", 1, MAX_PUZZLES).read(str(sum(params.value("mix"))))
        return count
    return int(params.value("count", default))


def deal_new(params: Parameters, count: int, mix: Sequence[int] | None, **changes: Any) -> Deal:
    """Deal so many puzzles; `changes` replace the seed or the targets of the address."""
    game = params.game()
    drawn = {name: params.value(name) for name in ("seed", "target", "targets")} | changes
    settings: Any = {"rising": bool(params.value("rising")), "work": QUICK_WORK}
    conditions = params.conditions(game)
    conditions = conditions if mix is None else replace(conditions, levels=LEVELS)
    return deal(game, count, conditions=conditions, mix=mix, **drawn, **settings)


def _own_puzzles(params: Parameters) -> Deal:
    for name in (*CHOOSING_NAMES, "mix"):
        if name != "target" and name in params:
            labels = {"one": params.label("own"), "other": params.label(name)}
            raise RefusedError(message("deal.one_of", **labels))
    parser = LineParser(params.game(), params.value("target"), work=QUICK_WORK)
    problems: list[Message] = []
    own = read_own(BytesIO(params["own"].encode()), parser, MAX_PUZZLES, problems.append)
    if own:
        check_one_game(own)
        dealt = own_deal([puzzle for puzzle, _ in own], rising=bool(params.value("rising")))
        complain_of_unsolvable(own, dealt, problems.append)
    if others := len(problems[MAX_COMPLAINTS:]):
        problems[MAX_COMPLAINTS:] = [message("refused.more", count=others)]
    if problems:
        raise RefusedError(reduce(lambda a, b: message("list.then", first=a, then=b), problems))
    return dealt
