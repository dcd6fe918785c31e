"""The call that a person meant: for a call that is refused, the right one with the person's words.

`meanings.toml` has what words of six languages mean, as commands and as options. The words of a
call are sorted once, into options and *holes*: numbers, target, formula, file, game, others. These
fill the template of the command that is meant: `generate 5 easy -f csv` is
`crisps24 deal --count 5 --level easy --format csv`. Only a call that its command reads is named.
"""

import re
import shlex
import tomllib
from collections import defaultdict
from collections.abc import Collection, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import product, takewhile
from pathlib import Path
from pkgutil import get_data

import click

from crisps24.cli.options import STANDARD
from crisps24.errors import CrispsError
from crisps24.notation.checking import check_against_target
from crisps24.rules.characters import normalise
from crisps24.rules.deals import deal_problem, parse_hand
from crisps24.rules.games import GAMES, HAND_GAMES, find_game, less_restricted_games
from crisps24.rules.ids import is_id

_TABLE = tomllib.loads((get_data(__package__, "meanings.toml") or b"").decode())
_CALLS: dict[str, dict[str, str]] = _TABLE["calls"]
_FILES: dict[str, str] = _TABLE["files"]
_STARTS: dict[str, str] = {
    word: start for start, words in _TABLE["commands"].items() for word in words.split()
}
_MOST_WORDS_OF_GAME = 6
# A part of a formula, the gap between two formulas or numbers, and a number or a card.
_PART = re.compile(r"[\d.()\[\]+*/xX×÷:^=−–·>-]+|[AJQKT]")
_GAP = re.compile(r"(?<=[\dAJQKT)\]]) (?=[\dAJQKT(\[])")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?|[AJQKT]")


def meant_start(word: str, commands: Collection[str] = ()) -> str:
    """Return the start of the call that a word means, such as `play --daily`, or ""."""
    typed = word.casefold().lstrip("-/")
    found = (_STARTS[part] for part in (typed, *typed.split("-")) if part in _STARTS)
    return word if word in commands else next(found, "")


def meant_call(words: Sequence[str], group: click.Group) -> tuple[str, str]:
    """Return how to write the call that some words mean, or "", and its command, or ""."""
    # `[3,3,8,8]` is a hand.
    words = [re.sub(r"^\[([-\d\s,]+)\]$", r"\1", normalise(word)) for word in words]
    if {word.casefold() for word in words} & {*_TABLE["words"]["refused"].split()}:
        return "crisps24 has only number games: use crisps24 games", ""
    start, rest = _find_start(words, group.commands)
    name, *extra = start.split() or [""]
    is_named = len(rest) < len(words)
    if name not in group.commands:
        return f"use crisps24 {name}" if name else "", ""
    with click.Context(group) as ctx, suppress(click.ClickException, CrispsError, OSError):
        typed = _Typed(rest, group.get_command(ctx, name))
        if typed.holes["formula"] and "formula" not in typed.template:
            name = "check"
        if typed.holes["file"] not in ([], [STANDARD]) and name in ("check", "verify"):
            meant = _command_for(typed.holes["file"][0])
            name = meant if "check" in (name, meant) else name
        call = [name, *typed.fill(_CALLS[name]), *extra, *typed.options]
        if len(call) == 1 and words[0] != name and not typed.left_out:
            call += shlex.split(_TABLE["examples"].get(name, ""))
        is_same = sorted(call) == sorted(re.split(r"[\s,;=]+", " ".join(words)))
        if not is_same and (command := group.get_command(ctx, name)):
            # --help-rules would print.
            if "--help" not in " ".join(call):
                command.make_context(name, call[1:], parent=ctx).close()
            without = f" (without {' '.join(typed.left_out)})" if typed.left_out else ""
            return f"use {shlex.join(['crisps24', *call])}{without}", name
    return "", name if is_named else ""


def _find_start(words: Sequence[str], commands: Collection[str]) -> tuple[str, Sequence[str]]:
    """Return the start of the call that some words mean, or "", and the other words."""
    first = [*takewhile(lambda word: not word.startswith("-"), words)] or words
    candidates = words[:1] if words[0] in commands else first
    starts = {word: start for word in candidates if (start := meant_start(word, commands))}
    if starts:
        # Of `create worksheet`, the word that is later in the table says more.
        start = max(starts.values(), key=[*_TABLE["commands"]].index)
        return start, [word for word in words if word not in starts]
    holes = _Typed(words).holes
    if words[0] in holes["others"] and (near := _similar(words[0], commands)):
        return near, words[1:]
    if holes["file"]:
        return _command_for(holes["file"][0]), words
    kinds = {"formula": "check", "numbers": "solve", "game": "play"}
    found = next((hole for hole in kinds if holes[hole]), "")
    is_clear = found != "numbers" or len(holes["numbers"]) > 2 or not holes["others"]
    return kinds[found] if found and is_clear else "", words


def _command_for(file: str) -> str:
    """Return the command that reads a file, by its first line and its suffix."""
    with Path(file).open(encoding="utf-8", errors="replace") as stream:
        line = stream.readline(10_000) + Path(file).suffix
    return next(name for name, sign in _FILES.items() if re.search(sign, line))


def _similar(typed: str, names: Collection[str]) -> str:
    """Return the name that differs by a letter or two, or by the order of letters, or ""."""
    plain = {name.removeprefix("--").removeprefix("-"): name for name in names}
    typed = typed.removeprefix("--").removeprefix("-")[:40]
    swapped = [name for name in plain if sorted(name) == sorted(typed)]
    return plain[near[0]] if (near := swapped or get_close_matches(typed, plain, 1, 0.8)) else ""


class _Typed:
    """The words of a call without its command: what fills the holes, and other options."""

    def __init__(self, words: Sequence[str], command: click.Command | None = None) -> None:
        params = command.params if command else []
        options = [param for param in params if isinstance(param, click.Option)]
        self.flags = {each: o.is_flag for o in options for each in (*o.opts, *o.secondary_opts)}
        self.template = _CALLS[str(command.name)] if command else {}
        self.holes = defaultdict[str, list[str]](list)
        self.options, self.waiting = list[str](), [*words]
        self.left_out = list[str]()
        parts = list[str]()
        while self.waiting:
            word = self.waiting.pop(0)
            pieces = [*filter(None, re.split(r"[\s,;、]+|(?<=[a-z])=", word))]
            is_last = not self.waiting or self.waiting[0].startswith("--")
            is_standard = word == STANDARD and not parts and is_last
            has_letter = re.search(r"[^\W\d_]", word) is not None
            if (has_letter and Path(word[:250]).is_file()) or is_standard:
                self.holes["file"].append(word)
            elif is_id(word):
                self.holes["numbers"].append(word)
            elif len(pieces) > 1:
                self.waiting[:0] = pieces
            elif self._take_game(word):
                continue
            elif _PART.fullmatch(word):
                parts.append(word)
            elif not self._take_option(word):
                if len(parts) == 1 and word in _TABLE["words"]["after_target"].split():
                    self.holes["target"] = [parts.pop()]
                elif word.casefold().lstrip("-/") not in _TABLE["words"]["ignored"].split():
                    self.holes["others"].append(word)
                    # An unknown option can have one value.
                    after = [each.startswith("-") for each in (*self.waiting[:2], "-")]
                    if word.startswith("-") and after[:2] == [False, True]:
                        value = self.waiting.pop(0)
                        is_known = Path(value[:250]).is_file() or self._take_game(value)
                        self.holes["others"] += [] if is_known else [value]
                        self.holes["file"] += [value] if Path(value[:250]).is_file() else []
        text = " ".join(parts)
        match = re.fullmatch(r"([^=>]*?) ?(?:[-=]>|=) ?(-?\d+)", text)
        if match and (_GAP.search(match[1]) or _NUMBER.fullmatch(match[1])):
            text, self.holes["target"] = match[1], [match[2]]
        for part in filter(None, _GAP.split(text)):
            kind = "numbers" if _NUMBER.fullmatch(part) else "formula"
            self.holes["targets" if ".." in part else kind].append(part)

    def _take_game(self, word: str) -> bool:
        """Take the name of a game, which can have several words; a number alone is none."""
        for size in range(_MOST_WORDS_OF_GAME - 1, -1, -1):
            name = " ".join([word, *self.waiting[:size]])
            with suppress(CrispsError):
                self.holes["game"] = [find_game(name if re.search(r"[^\W\d_]", name) else "").name]
                del self.waiting[:size]
                return True
        return False

    def _take_option(self, word: str) -> bool:
        """Take what a word means as an option, with its value, the number after a bare word."""
        typed, is_option = word.casefold().lstrip("-/"), word.startswith("-")
        meanings = [each for each, words in _TABLE["options"].items() if typed in words.split()]
        meanings.sort(key=lambda meaning: meaning.split()[0] not in self.template)
        known = meanings or typed in _TABLE["words"]["ignored"].split() or not is_option
        if near := word if word in self.flags else "" if known else _similar(word, self.flags):
            meanings.insert(0, near if self.flags[near] else f"{near} {{}}")
        if word in _TABLE["words"]["of_hands"].split() and len(self.waiting) > 2:
            # `-n 3 3 8 8` is a hand.
            return all(map(_NUMBER.fullmatch, self.waiting[:3]))
        value = self.waiting[:1] if is_option else [*filter(_NUMBER.fullmatch, self.waiting[:1])]
        for meaning in meanings if is_option or len(word) > 1 else ():
            name, *values = meaning.format(*value or ["{}"]).split(" ", 1)
            if name in self.flags and values != ["{}"]:
                del self.waiting[: "{}" in meaning]
                if name in self.template:
                    self.holes[name[2:]] = values
                else:
                    self.options += [name, *values]
                return True
        return False

    def fill(self, template: dict[str, str]) -> list[str]:
        """Return the words of a template with what fills its holes; refuse what has no hole."""
        kinds = {hole.lstrip("-/"): hole for hole in template}
        holes = self.holes
        numbers = holes["numbers"] = holes["numbers"] + " ".join(holes.pop("card", [])).split()
        one = "target" if holes["formula"] else "port" if "port" in kinds else "count"
        if len(numbers) == 1 and one in kinds:
            holes |= {one: numbers, "numbers": []}
        elif len(numbers) == 1 and "numbers" in kinds and numbers[0].isdigit():
            holes["numbers"] = [*numbers[0]]
        _choose_game(holes)
        many = next((hole for hole in ("numbers", "card", "targets") if hole in kinds), "others")
        holes[many] = [*holes.pop("numbers"), *holes[many]]
        if "targets" in kinds:
            ends = "{0}" if many == "targets" else "{0}..{0}"
            holes["targets"] += map(ends.format, holes.pop("target", []))
        for hole in [hole for hole in ("others", "count", "level") if hole not in kinds]:
            self.left_out += holes.pop(hole, [])
        if any(values and hole not in kinds for hole, values in holes.items()):
            raise click.UsageError("a word has no meaning")
        call = list[str]()
        for kind, hole in kinds.items():
            if values := holes[kind] or template[hole].split():
                call += values if kind == hole else [hole, " ".join(values)]
        return call


def _choose_game(holes: dict[str, list[str]]) -> None:
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
