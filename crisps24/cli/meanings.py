"""The call that a person meant: for a call that is refused, the right one with the person's words.

`meanings.toml` has what words of six languages mean, as commands and as options. The words of a
call are sorted once: options, and *holes* (numbers, target, formula, file, game, others). Then they
fill the template of the command that is meant: `generate 5 easy -f csv` is
`crisps24 deal --count 5 --level easy --format csv`. Only a call that its command reads is named.
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

from crisps24.errors import CrispsError
from crisps24.notation.checking import check_against_target
from crisps24.rules.deals import deal_problem, parse_hand
from crisps24.rules.games import GAMES, HAND_GAMES, find_game, less_restricted_games
from crisps24.rules.ids import is_id

Holes = defaultdict[str, list[str]]

_TABLE: dict[str, dict[str, str]] = tomllib.loads((get_data(__package__, "meanings.toml") or b"").decode())
_COMMANDS, _OPTIONS, _WORDS = (
    {meaning: words.split() for meaning, words in _TABLE[name].items()}
    for name in ("commands", "options", "words")
)
_HOLE = re.compile(r"(--\S+ )?\{(\w+)(?:\|([^}]*))?\}")
_BLANK = re.compile(r"[\s,;、]+")
# A part of a formula, the gap between two formulas or numbers, and a number or a card.
_PART = re.compile(r"[\d.()\[\]+*/xX×÷:^=−–·>-]+|[AJQKT]")
_GAP = re.compile(r"(?<=[\dAJQKT)\]]) (?=[\dAJQKT(\[])")
_MOST_WORDS_OF_GAME = 6
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?|[AJQKT]")


def meant_start(word: str) -> str:
    """Return the start of the call that a word means, such as `play --daily`, or ""."""
    typed = word.casefold().lstrip("-/")
    return next((start for start, words in _COMMANDS.items() if typed in words), "")


def meant_call(words: Sequence[str], group: click.Group) -> tuple[str, str]:
    """Return how to write the call that some words mean, or "", and its command, or ""."""
    with click.Context(group) as ctx:
        if any(word.casefold() in _WORDS["refused"] for word in words):
            return "crisps24 has only number games: use crisps24 games", ""
        start, rest = _find_start(words, group.commands)
        name, *extra = start.split() or [""]
        command = group.get_command(ctx, name)
        if command is None:
            return f"use crisps24 {name}" if name else "", ""
        holes, options = _sort(rest, command)
        if holes["formula"] and "{formula}" not in _TABLE["calls"][name]:
            name = "check"
        if name == "verify" and holes["file"]:
            name = _command_for(holes["file"][0])
        call = [name, *_fill(_TABLE["calls"][name], holes), *extra, *options]
        if len(call) == 1 and words[0] != name:
            call += shlex.split(_TABLE["examples"].get(name, ""))
        is_same = sorted(call) == sorted(re.split(r"[\s,;=]+", " ".join(words)))
        with suppress(click.ClickException):
            command = group.get_command(ctx, name)
            # --help would print.
            if command and not (holes["others"] or is_same or "--help" in call):
                command.make_context(name, call[1:], parent=ctx).close()
                return f"use {shlex.join(['crisps24', *call])}", name
        return "", name


def _find_start(words: Sequence[str], commands: Collection[str]) -> tuple[str, Sequence[str]]:
    """Return the start of the call that some words mean, or "", and the other words."""
    if words[0] in commands:
        return words[0], words[1:]
    starts = {word: word if word in commands else meant_start(word) for word in words}
    spoken = [word for word in words if starts[word] and word[0] != "-"]
    if spoken := spoken or [word for word in words if starts[word]]:
        # Of `create worksheet`, the word that is later in the table says more.
        start = max((starts[word] for word in spoken), key=[*_COMMANDS].index)
        return start, [word for word in words if word not in spoken]
    holes, _ = _sort(words)
    if words[0] in holes["others"] and (near := _similar(words[0], commands)):
        return near, words[1:]
    kinds = {"formula": "check", "numbers": "solve", "game": "play", "target": "play"}
    start = next((kinds[hole] for hole in kinds if holes[hole]), "")
    return _command_for(holes["file"][0]) if holes["file"] else start, words


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
        pieces = [*filter(None, _BLANK.split(re.sub("(?<=[a-z])=", " ", word)))]
        if [*words] == ["-"] or Path(word[:250]).is_file():
            holes["file"].append(word)
        elif is_id(word):
            holes["numbers"].append(word)
        elif len(pieces) > 1:
            waiting[:0] = pieces
        elif game := _game_at([word, *waiting]):
            holes["game"] = game[:1]
            del waiting[: len(game) - 1]
        elif _PART.fullmatch(word):
            parts.append(word)
        elif meaning := _meaning_of(word, flags, waiting[:1]):
            name, *values = meaning.split()
            if "{}" in meaning:
                values = [values[0].replace("{}", waiting.pop(0))]
            if f"{name} {{" in template:
                holes[name[2:]] = values
            else:
                options += [name, *values]
        elif word.casefold().lstrip("-") not in _WORDS["ignored"]:
            holes["others"].append(word)
    _sort_parts(" ".join(parts), holes)
    return holes, options


def _meaning_of(word: str, flags: Mapping[str, bool], after: Sequence[str]) -> str:
    """Return the option that a word means for a command, with {} for a value that follows."""
    meanings = [
        meaning for meaning, words in _OPTIONS.items() if word.casefold().lstrip("-") in words
    ]
    is_option = word[0] == "-"
    near = word if word in flags else _similar(word, flags) if is_option and not meanings else ""
    if near:
        meanings.insert(0, near if flags[near] else f"{near} {{}}")
    # Without dashes, only a number is the value of a word: `target 24`.
    has_value = after if is_option else [word for word in after if word[0].isdigit()]
    for meaning in meanings if is_option or len(word) > 1 else ():
        if (has_value or "{}" not in meaning) and meaning.split()[0] in flags:
            return meaning
    return ""


def _game_at(words: Sequence[str]) -> list[str]:
    """Return the game that words at the start of a list name, with these words; or nothing."""
    for size in range(min(_MOST_WORDS_OF_GAME, len(words)), 0, -1):
        with suppress(CrispsError):
            if not (name := " ".join(words[:size])).isdigit():
                return [find_game(name).name, *words[1:size]]
    return []


def _sort_parts(text: str, holes: Holes) -> None:
    """Sort the formulas and numbers of a text, such as `4 7 8 8 = 24`."""
    if match := re.fullmatch(r"([^=>]*?) ?(?:[-=]>|=) ?(-?\d+)", text):
        if _GAP.search(match[1]) or _NUMBER.fullmatch(match[1]):
            text, holes["target"] = match[1], [match[2]]
    for part in filter(None, _GAP.split(text)):
        kind = "targets" if ".." in part else "numbers" if _NUMBER.fullmatch(part) else "formula"
        holes[kind].append(part)


def _fill(template: str, holes: Holes) -> list[str]:
    """Return the words of a template with what fills its holes."""
    numbers = holes["numbers"]
    # A number is the target of a formula, a target, or how many puzzles.
    only = "target" if holes["formula"] else "count"
    if template.startswith("{targets}"):
        holes |= {"targets": [*holes["targets"], *numbers, *holes["target"]], "numbers": []}
    elif len(numbers) == 1 and f"{{{only}}}" in template and not is_id(numbers[0]):
        holes |= {only: numbers, "numbers": []}
    elif len(numbers) == 1 and numbers[0].isdigit():
        holes["numbers"] = [*numbers[0]]
    _choose_game(holes)
    holes["targets"] = holes["targets"] or [f"{each}..{each}" for each in holes["target"]]

    def fill(match: re.Match[str]) -> str:
        option, hole, default = match.groups()
        values = holes[hole] or ([default] if default else [])
        return option + shlex.quote(" ".join(values)) if option and values else shlex.join(values)

    return shlex.split(_HOLE.sub(fill, template))


def _choose_game(holes: Holes) -> None:
    """Choose the first game that deals the numbers, or in which the formulas are right or legal."""
    formulas, words, goals = holes["formula"], holes["numbers"], holes["target"]
    games = [find_game(name) for name in holes["game"]]
    if not games:
        default, *others = [GAMES[name] for name in HAND_GAMES]
        others.sort(key=lambda game: (game.target is None, -len(game.numbers)))
        games = [default, *less_restricted_games(default), *others]
    # The last number can be the target; and a formula that is right in no game is legal in one.
    dealt = [(words, goals), *([] if goals or formulas else [(words[:-1], words[-1:])])]
    verdicts = ("right", "legal"), ("wrong",)
    for verdict, game, (numbers, goal) in product(verdicts, games, dealt):
        with suppress(CrispsError, ValueError):
            hand = parse_hand(numbers, game)
            target = int(goal[0]) if goal else game.target if hand else None
            checks = [check_against_target(each, target, hand or None, game) for each in formulas]
            is_dealt = target is not None and not deal_problem(hand, game)
            if (is_dealt if hand else formulas) and all(c.verdict in verdict for c in checks):
                name = [] if game is games[0] and not holes["game"] else [game.name]
                holes |= {"numbers": [*numbers], "target": [*goal], "game": name}
                return
