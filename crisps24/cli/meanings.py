"""The call that a person meant: for a call that is refused, the right one with the person's words.

`meanings.toml` has what words of six languages mean, as commands and as options. The words of a
call are sorted once: options, and *holes* (numbers, target, formula, file, game, others). Then they
fill the template of the command that is meant: `generate 5 easy -f csv` is
`crisps24 deal --count 5 --level easy --format csv`. Only a call that its command reads is named.
Spelling counts only for a word without a meaning.
"""

import re
import shlex
import tomllib
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from pkgutil import get_data

import click

from crisps24.cli.options import STANDARD
from crisps24.errors import CrispsError
from crisps24.notation.checking import check_against_target
from crisps24.rules.deals import deal_problem, parse_hand
from crisps24.rules.games import GAMES, HAND_GAMES, find_game, less_restricted_games
from crisps24.rules.ids import is_id

# What fills a template, by the name of the hole; `others` are words without a meaning.
Holes = defaultdict[str, list[str]]

_TABLE: dict[str, dict[str, str]] = tomllib.loads(
    (get_data(__package__, "meanings.toml") or b"").decode()
)
_OPTIONS, _WORDS = (
    {meaning: words.split() for meaning, words in _TABLE[name].items()}
    for name in ("options", "words")
)
_STARTS = {word: start for start, words in _TABLE["commands"].items() for word in words.split()}
_MOST_WORDS_OF_GAME = 6
_HOLE = re.compile(r"(--[a-z]+)? ?\{([a-z]+)\|?([a-z.]*)\}")
_BLANKS = re.compile(r"[\s,;、]+|(?<=[a-z])=")
# A part of a formula, the gap between two formulas or numbers, and a number or a card.
_PART = re.compile(r"[\d.()\[\]+*/xX×÷:^=−–·>-]+|[AJQKT]")
_GAP = re.compile(r"(?<=[\dAJQKT)\]]) (?=[\dAJQKT(\[])")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?|[AJQKT]")


def meant_start(word: str, commands: Collection[str] = ()) -> str:
    """Return the start of the call that a word means, such as `play --daily`, or ""."""
    typed = word.casefold().lstrip("-/")
    return word if word in commands else _STARTS.get(typed, "")


def meant_call(words: Sequence[str], group: click.Group) -> tuple[str, str]:
    """Return how to write the call that some words mean, or "", and its command, or ""."""
    if any(word.casefold() in _WORDS["refused"] for word in words):
        return "crisps24 has only number games: use crisps24 games", ""
    start, rest = _find_start(words, group.commands)
    name, *extra = start.split() or [""]
    if name not in group.commands:
        return f"use crisps24 {name}" if name else "", ""
    with click.Context(group) as ctx, suppress(click.ClickException, CrispsError, OSError):
        holes, options = _sort(rest, group.get_command(ctx, name))
        if holes["formula"] and "{formula}" not in _TABLE["calls"][name]:
            name = "check"
        if holes["file"] and name == "verify":
            name = _command_for(holes["file"][0])
        call = [name, *_fill(_TABLE["calls"][name], holes), *extra, *options]
        if len(call) == 1 and words[0] != name:
            call += shlex.split(_TABLE["examples"].get(name, ""))
        is_same = sorted(call) == sorted(re.split(r"[\s,;=]+", " ".join(words)))
        # --help would print.
        if not is_same and "--help" not in call and (command := group.get_command(ctx, name)):
            command.make_context(name, call[1:], parent=ctx).close()
            return f"use {shlex.join(['crisps24', *call])}", name
    return "", name


def _find_start(words: Sequence[str], commands: Collection[str]) -> tuple[str, Sequence[str]]:
    """Return the start of the call that some words mean, or "", and the other words."""
    candidates = words[:1] if words[0] in commands else words
    starts = {word: start for word in candidates if (start := meant_start(word, commands))}
    if starts:
        # Of `create worksheet`, the word that is later in the table says more.
        start = max(starts.values(), key=[*_TABLE["commands"]].index)
        return start, [word for word in words if word not in starts]
    holes, _ = _sort(words)
    if words[0] in holes["others"] and (near := _similar(words[0], commands)):
        return near, words[1:]
    if holes["file"]:
        return _command_for(holes["file"][0]), words
    kinds = {"formula": "check", "numbers": "solve", "game": "play"}
    return next((kinds[hole] for hole in kinds if holes[hole]), ""), words


def _command_for(file: str) -> str:
    """Return the command that reads a file, by its first line and its suffix."""
    with Path(file).open(encoding="utf-8", errors="replace") as stream:
        line = stream.readline(10_000) + Path(file).suffix
    return next(name for name, sign in _TABLE["files"].items() if re.search(sign, line))


def _similar(typed: str, names: Collection[str]) -> str:
    """Return the name that differs by a letter or two, or by the order of letters, or ""."""
    swapped = [name for name in names if sorted(name) == sorted(typed)]
    return next(iter(swapped or get_close_matches(typed[:40], names, 1, 0.8)), "")


def _sort(words: Sequence[str], command: click.Command | None = None) -> tuple[Holes, list[str]]:
    """Return what fills the holes of a template, and the words of the other options."""
    template = _TABLE["calls"][command.name or ""] if command else ""
    params = [each for each in command.params if isinstance(each, click.Option)] if command else []
    flags = {name: each.is_flag for each in params for name in (*each.opts, *each.secondary_opts)}
    holes, parts, options, waiting = Holes(list), list[str](), list[str](), [*words]
    while waiting:
        word = waiting.pop(0)
        pieces = [*filter(None, _BLANKS.split(word))]
        if Path(word[:250]).is_file() or [word] == [*words] == [STANDARD]:
            holes["file"].append(word)
        elif is_id(word):
            holes["numbers"].append(word)
        elif len(pieces) > 1:
            waiting[:0] = pieces
        elif names := _game_at([word, *waiting]):
            holes["game"] = names[:1]
            del waiting[: len(names) - 1]
        elif _PART.fullmatch(word):
            parts.append(word)
        elif word in _WORDS["after_target"] and len(parts) == 1 and waiting[0][:1].isdigit():
            holes["target"] = [parts.pop()]
        elif meaning := _meaning_of(word, flags, waiting[:1]):
            name, *values = meaning.split()
            if "{}" in meaning:
                values = [values[0].replace("{}", waiting.pop(0))]
            if f"{name} {{" in template:
                holes[name[2:]] = values
            else:
                options += [name, *values]
        elif word.casefold().lstrip("-/") not in _WORDS["ignored"]:
            holes["others"].append(word)
    text = " ".join(parts)
    match = re.fullmatch(r"([^=>]*?) ?(?:[-=]>|=) ?(-?\d+)", text)
    if match and (_GAP.search(match[1]) or _NUMBER.fullmatch(match[1])):
        text, holes["target"] = match[1], [match[2]]
    for part in filter(None, _GAP.split(text)):
        kind = "targets" if ".." in part else "numbers" if _NUMBER.fullmatch(part) else "formula"
        holes[kind].append(part)
    return holes, options


def _meaning_of(word: str, flags: Mapping[str, bool], after: Sequence[str]) -> str:
    """Return the option that a word means for a command, with {} for a value that follows."""
    typed, is_option = word.casefold().lstrip("-/"), word.startswith("-")
    meanings = [meaning for meaning, words in _OPTIONS.items() if typed in words]
    known = meanings or typed in _WORDS["ignored"] or not is_option
    if near := word if word in flags else "" if known else _similar(word, flags):
        meanings.insert(0, near if flags[near] else f"{near} {{}}")
    # Without dashes, only a number is the value of a word: `target 24`.
    has_value = after and (is_option or after[0][0].isdigit())
    for meaning in meanings if is_option or len(word) > 1 else ():
        if (has_value or "{}" not in meaning) and meaning.split()[0] in flags:
            return meaning
    return ""


def _game_at(words: Sequence[str]) -> list[str]:
    """Return the game that words at the start of a list name, with these words; or nothing."""
    for size in range(len(words[:_MOST_WORDS_OF_GAME]), 0, -1):
        with suppress(CrispsError):
            if re.search(r"[^\W\d_]", name := " ".join(words[:size])):
                return [find_game(name).name, *words[1:size]]
    return []


def _fill(template: str, holes: Holes) -> list[str]:
    """Return the words of a template with what fills its holes; refuse what it has no hole for."""
    numbers = holes["numbers"]
    # A number is the target of a formula, how many puzzles, or a hand without blanks.
    only = "target" if holes["formula"] else "count"
    if template.startswith("{targets}"):
        holes |= {"targets": [*holes["targets"], *numbers, *holes["target"]], "numbers": []}
    elif len(numbers) == 1 and numbers[0].isdigit():
        is_only = f"{{{only}}}" in template
        holes |= {only: numbers, "numbers": []} if is_only else {"numbers": [*numbers[0]]}
    _choose_game(holes)
    if "{targets}" in template:
        holes["targets"] += [f"{each}..{each}" for each in holes.pop("target", [])]
    if any(holes[hole] and f"{{{hole}" not in template for hole in [*holes]):
        raise click.UsageError("a word has no meaning")
    call = list[str]()
    for option, hole, default in _HOLE.findall(template):
        if values := holes[hole] or [*filter(None, [default])]:
            call += [option, " ".join(values)] if option else values
    return call


def _choose_game(holes: Holes) -> None:
    """Choose the first game that deals the numbers, or in which the formulas are right."""
    formulas, words, goals = holes["formula"], holes["numbers"], holes["target"]
    default, *others = [GAMES[name] for name in HAND_GAMES]
    others.sort(key=lambda game: (game.target is None, -len(game.numbers)))
    named = [find_game(name) for name in holes["game"]]
    games = named or [default, *less_restricted_games(default), *others]
    # The last number can be the target.
    dealt = [(words, goals), *([] if goals or formulas else [(words[:-1], words[-1:])])]
    for game, (numbers, goal) in product(games, dealt):
        with suppress(CrispsError, ValueError):
            hand = parse_hand(numbers, game)
            target = int(goal[0]) if goal else game.target if hand else None
            is_dealt = not hand or (target is not None and not deal_problem(hand, game))
            if (
                (hand or formulas)
                and is_dealt
                and all(check_against_target(each, target, hand or None, game) for each in formulas)
            ):
                name = [game.name] if named or game is not default else []
                holes |= {"numbers": [*numbers], "target": [*goal], "game": name}
                return
