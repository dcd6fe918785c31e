"""The call that a person meant: for a call that is refused, the right one with the person's words.

`meanings.toml` has what words of eight languages mean, as commands and as options. The words of a
call are sorted once, into options and *holes*: numbers, target, formula, file, game, others. These
fill the template of the command that is meant: `generate 5 easy -f csv` is
`crisps24 deal --count 5 --level easy --format csv`. Only a call that its command reads is named,
and only if it has most of the person's words: a wrong lead is worse than none.
"""

import os
import re
import shlex
import stat
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import chain, combinations
from pathlib import Path
from typing import Any

import click

from crisps24.cli.needs import complete
from crisps24.cli.options import STANDARD
from crisps24.cli.screen import WRITTEN_FORMATS
from crisps24.cli.spelling import TABLE, WORDS, has_any, spell
from crisps24.cli.starts import find_start, meant_start, split_command
from crisps24.cli.typed_files import FORMS, command_for, existing, with_files
from crisps24.cli.typed_words import CALLS, HAND_START, TypedWords
from crisps24.cli.wrong_leads import is_wrong_lead
from crisps24.errors import CrispsError
from crisps24.paper.quiz_files import QUIZ_FORMATS
from crisps24.rules.games import GAMES, find_game


def meant_call(typed_words: Sequence[str], group: click.Group) -> tuple[str, str]:
    """Return how to write the call that some words mean, or "", and its command, or ""."""
    words, name = [*map(existing, spell(typed_words))], ""
    if answer := _answer_without_call(words, group.commands):
        return answer, ""
    if _has_no_call(words, group.commands):
        return "", ""
    words = split_command(words, group.commands)
    with click.Context(group) as ctx, suppress(click.ClickException, CrispsError, OSError):
        start, rest = find_start(words, group.commands)
        name = start.partition(" ")[0]
        if name not in group.commands:
            return f"use crisps24 {name}" if name else "", ""
        typed = _sort_words(start, words, rest, group)
        name = typed.command
        asks_help = words[0] != name and meant_start(words[0]) == "--help"
        if asks_help and not (typed.filled or typed.options):
            # `how do I play`
            return f"use crisps24 {name} --help", name
        call = [[name, *typed.first], *typed.fill()]
        call = _with_options(call, typed, is_alone=words == [name])
        call = _readable(call, typed, group.get_command(ctx, name))
        is_known = len(rest) < len(words)
        if is_wrong_lead(call, words, typed, is_known):
            return "", name
        if _is_said(call, typed_words) and not typed_words[0].startswith("-"):
            return "", name if is_known else ""
        without = f" (without {' '.join(typed.left_out)})" if typed.left_out else ""
        line = shlex.join(["crisps24", *chain(*call)])
        return f"use {line}{typed.redirection}{without}", name
    return "", name


def _sort_words(
    start: str, words: Sequence[str], rest: Sequence[str], group: click.Group
) -> TypedWords:
    """Return the words beside a start, sorted for the command that they are about."""
    ctx = click.get_current_context()
    # `play equation`, or `solve --hint`.
    [name, *first], *extra = [part.split(" ") for part in re.split(" (?=-)", start)]
    typed = TypedWords(rest, group.get_command(ctx, name))
    name, rest = with_files(name, rest, typed.holes["file"])
    typed = TypedWords(rest, group.get_command(ctx, name))
    if (other := _command_of(name, typed, words)) != name:
        name, first = other, []
        typed = TypedWords(rest, group.get_command(ctx, name))
        extra = [option for option in extra if option[0] in typed.flags]
    if first and first[0] in GAMES:
        typed.holes["game"], first = typed.holes["game"] or first, []
    if "--file" in CALLS[name] and not typed.filled and _is_redirected():
        typed.holes["file"] = [STANDARD]
    complete(typed, group.get_command(ctx, name))
    if ["--unsolvable"] in extra and "cards" in rest:
        # `impossible cards` are those of the game without a name.
        typed.holes["game"] = []
    for word in [w for w in typed.holes["others"] if meant_start(w).startswith(f"{name} -")]:
        typed.holes["others"].remove(word)
        extra.append(meant_start(word).split()[1:])
    if words[0] == name or typed.holes["file"] or typed.holes["numbers"]:
        # Only a worksheet without puzzles of its own has the default number of them.
        typed.template = typed.template | dict.fromkeys({"--count"} & {*typed.template}, "")
    typed.first, typed.extra = first, extra
    return typed


def _answer_without_call(words: Sequence[str], commands: Collection[str]) -> str:
    """Return what to say to a person who asks for help or for other games, or ""."""
    if has_any(words, "refused") and not HAND_START.search(" ".join(words)):
        return "crisps24 has only number games: use crisps24 games"
    if has_any(words[:1], "completion"):
        if "fish" in words:
            return "for completion: _CRISPS24_COMPLETE=fish_source crisps24 | source"
        shell = "zsh" if "zsh" in words else "bash"
        return f'for completion: eval "$(_CRISPS24_COMPLETE={shell}_source crisps24)"'
    if any(word.startswith("-") and word.lstrip("-") in WORDS["help"] for word in words):
        starts = [meant_start(word, commands).partition(" ")[0] for word in words]
        name = next((f"{start} " for start in starts if start in commands), "")
        return f"use crisps24 {name}--help"
    return ""


def _is_said(call: Sequence[Sequence[str]], typed_words: Sequence[str]) -> bool:
    """Return whether a call has just the words that were typed, in any order."""
    said, typed = (
        sorted(re.split(r"[\s=]+", " ".join(each))) for each in (chain(*call), typed_words)
    )
    return said == typed


def _has_no_call(words: Sequence[str], commands: Collection[str]) -> bool:
    """Return whether no command does what is meant, or the numbers are not clear."""
    is_decimal = [word.count(",") for word in words if re.fullmatch(r"\d+(?:,\d+)?", word)]
    # `2,5 4 8 10` can be four numbers or five.
    is_unclear = sum(is_decimal) == 1 and len(is_decimal) > 2
    is_unclear |= any("=" not in w and re.search(r"\d,\d+ *[-+*/x:^]", w) for w in words)
    return is_unclear or (words[0] not in commands and has_any(words, "no_call"))


def _command_of(name: str, typed: TypedWords, words: Sequence[str]) -> str:
    """Return the command for what the words have: of a hand, a formula, or a kind of file."""
    holes, is_named = typed.holes, name == words[0]
    # `deal 3478` has a hand, and `generate 5000` a number of puzzles.
    is_card = [*map(len, holes["numbers"])] == [4] and "0" not in holes["numbers"][0]
    asks_prompt = "--chat" in meant_start(words[0])
    if (is_card and name in ("deal", "play") and not is_named) or (
        len(holes["numbers"]) > 2 and name in ("deal", "formulas", "count") and not asks_prompt
    ):
        name = "solve"
    is_of_range = name == "solve" and any(".." in goal for goal in holes["target"])
    if len(holes["numbers"]) > 2 and (name == "survey" or is_of_range):
        name = "reach"
    # People who write `count --target 24` count hands, not formulas.
    counts_hands = is_named and "--target" in words and not holes["numbers"]
    if name == "count" and (counts_hands or has_any(words, "of_surveys")):
        name = "survey"
    # `evaluate 4+3` has no puzzle, as `judge` needs.
    has_none = name == "judge" and not (is_named or holes["target"] or holes["numbers"])
    if holes["formula"] and name == "play":
        raise click.UsageError("no game starts with a formula")
    if holes["formula"] and (has_none or "formula" not in typed.template):
        name = "check"
    if name == "deal":
        # `generate 30 puzzles --pdf` is a sheet.
        written = [Path(option[1]).suffix for option in typed.options if option[0] == "--out"]
        name = next((TABLE["written"][form] for form in written if form in TABLE["written"]), name)
    if name in WRITTEN_FORMATS and holes["file"]:
        # Puzzles are written from files of puzzles and hands.
        other = command_for(holes["file"][0])
        if other in ("verify", "mark", "check", "judge"):
            raise click.UsageError(f"the file is for {other}")
    has_hole = not {"file", "--file"}.isdisjoint(typed.template)
    if holes["file"] and not has_hole:
        name = command_for(holes["file"][0]) or name
    elif holes["file"] not in ([], [STANDARD]) and name in ("check", "verify", "mark"):
        meant = command_for(holes["file"][0]) or name
        name = meant if name == "check" or meant != "solve" else name
    elif name == "audit" and not is_named and "check" in map(command_for, holes["file"]):
        name = "check"
    if name == "audit" and "solve" in map(command_for, holes["file"]):
        raise click.UsageError("audit reads tables with names of columns")
    if name == "verify" and len({command_for(file) for file in holes["file"]}) > 1:
        raise click.UsageError("the files are of different kinds")
    return name


def _with_options(call: list[list[str]], typed: TypedWords, is_alone: bool) -> list[list[str]]:
    """Return a call with its options, an example if it has nothing else, and a file it can write.

    Options of the start that were also typed are said once.
    """
    name, extra, holes = typed.command, typed.extra, typed.holes
    if holes["game"] and ["--target", "24"] in extra and find_game(holes["game"][0]).target != 24:
        raise click.UsageError("the start is about another game")
    named = {part[0]: part for part in [*extra, *call, *typed.options]}
    call += [named[part[0]] for part in extra if named[part[0]] is part] + typed.options
    has_most = is_alone or any(holes[hole] for hole in ("file", "formula", "numbers", "card"))
    if not has_most and name in TABLE["examples"]:
        call.insert(1, shlex.split(TABLE["examples"][name]))
        typed.has_example = True
    program = QUIZ_FORMATS.get(named.get("--for", [""])[-1])
    forms = program.suffixes if program else FORMS.get(name, ())
    out = named.get("--out")
    if forms and out and not out[1].lower().endswith(tuple(forms)):
        out[1] = re.sub(r"/?(\.\w+)?$", f".{forms[0]}", out[1], count=1)
    return call


def _is_redirected() -> bool:
    """Return whether standard input is a file: `solve --all < hands.csv`."""
    with suppress(OSError, ValueError):
        return stat.S_ISREG(os.fstat(sys.stdin.fileno()).st_mode)
    return False


def _readable(call: list[list[str]], typed: TypedWords, command: Any) -> list[list[str]]:
    """Return a call without the fewest options that its command cannot read, but for files."""
    missing = {file: STANDARD for file in typed.holes["file"] if not Path(file).exists()}
    options = [part for part in reversed(call) if re.match("-(?!-file)", part[0])]
    for dropped in chain.from_iterable(combinations(options, size) for size in range(3)):
        kept = [part for part in call if part not in dropped]
        # --help-rules would print.
        words = [missing.get(word, word) for word in chain(*kept[1:]) if word[:7] != "--help-"]
        with suppress(click.ClickException):
            command.make_context("", words, click.get_current_context())
            lost = chain(*(part for part in call if part not in kept))
            typed.left_out += (typed.spellings.get(word, word) for word in lost)
            return kept
    raise click.UsageError("no call can be read")
