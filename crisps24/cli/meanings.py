"""The call that a person meant: for a call that is refused, the right one with the person's words.

`meanings.toml` has what words of six languages mean, as commands and as options. The words of a
call are sorted once, into options and *holes*: numbers, target, formula, file, game, others. These
fill the template of the command that is meant: `generate 5 easy -f csv` is
`crisps24 deal --count 5 --level easy --format csv`. Only a call that its command reads is named,
and only if it has most of the person's words: a wrong lead is worse than none.
"""

import re
import shlex
import tomllib
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import chain, combinations, product, takewhile
from pathlib import Path
from pkgutil import get_data
from typing import Any

import click

from crisps24.cli.options import STANDARD
from crisps24.cli.screen import WRITTEN_FORMATS
from crisps24.errors import CrispsError
from crisps24.notation.checking import check_against_target
from crisps24.paper.quiz_files import QUIZ_FORMATS
from crisps24.rules.characters import normalise
from crisps24.rules.deals import deal_problem, parse_hand
from crisps24.rules.exact import Exact
from crisps24.rules.games import (
    GAMES,
    HAND_GAMES,
    Game,
    Hand,
    find_game,
    less_restricted_games,
)
from crisps24.rules.ids import is_id
from crisps24.rules.words import parse_value

_TABLE = tomllib.loads((get_data(__package__, "meanings.toml") or b"").decode())
_CALLS: dict[str, dict[str, str]] = _TABLE["calls"]
_STARTS = {word: start for start, words in _TABLE["commands"].items() for word in words.split()}
_WORDS = {kind: {*words.split()} for kind, words in _TABLE["words"].items()}
# A part of a formula, the gap between two formulas or numbers, a number or card, and two of them.
_PART = re.compile(r"[\d.()\[\]+*/xX×÷:^=−–·>-]+|[AJQKT]")
_GAP = re.compile(r"(?<=[\dAJQKT)\]]) (?=[\dAJQKT(\[])")
_FILE = re.compile(r"[^-].*\.(?:txt|csv|tsv|jsonl?|xlsx|ods|parquet|gz)|(?:[^-].*/)?results\.-?\d+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?|[AJQKT]")
_IN_FORMULA = re.compile(r"\d[-+*/x:)][\d(]")
_CARDS = re.compile(r"(?:(?:[ajqkt]|\d+) ){2,7}")
# The output of a model.
_OUTPUT = re.compile(r"<\w+>|\\boxed")
# Steps such as 3 x 8 = 24, in one word.
_STEPS = re.compile(r"[\d.()+*/xX×÷:^=−·,; -]+")
_HAND = re.compile(rf"(?<!\S)(?:(?:{_NUMBER.pattern})(?:[\s,]+|$)){{2}}")


def meant_start(word: str, commands: Collection[str] = ()) -> str:
    """Return the start of the call that a word means, such as `play --daily`, or ""."""
    return word if word in commands else _STARTS.get(word.casefold().lstrip("-/"), "")


def meant_call(typed_words: Sequence[str], group: click.Group) -> tuple[str, str]:
    """Return how to write the call that some words mean, or "", and its command, or ""."""
    # `[3,3,8,8]` and `{3,3,8,8}` are hands.
    words = [re.sub(r"^[\[{(]([-\d\s,]+)[\]})]$", r"\1", normalise(word)) for word in typed_words]
    words = [word for word in words if word != "--"] or words
    if _CARDS.fullmatch(" ".join([*words, ""])):
        words = [word.upper() for word in words]
    is_refused = not _WORDS["refused"].isdisjoint(map(str.casefold, words))
    if is_refused and not _HAND.search(" ".join(words)):
        return "crisps24 has only number games: use crisps24 games", ""
    if not words[0].startswith("-") and words[0].casefold() in group.commands:
        words[0] = words[0].casefold()
    words[0] = words[0] if words[0] in GAMES else _similar(words[0], ["make"]) or words[0]
    both, parts = re.sub("-+", "-", "-".join(words[:2])), words[0].split("-")
    if words[0] not in group.commands and meant_start(both):
        words[:2] = [both]
    elif parts[0] and any(meant_start(part, group.commands) for part in parts):
        words[:1] = parts
    start, rest = _find_start(words, group.commands)
    # `play equation`, or `solve --hint`.
    [name, *first], *extra = [part.split(" ") for part in re.split(" (?=-)", start)]
    if name not in group.commands:
        return f"use crisps24 {name}" if name else "", ""
    with click.Context(group) as ctx, suppress(click.ClickException, CrispsError, OSError):
        holes = (typed := _Typed(rest, group.get_command(ctx, name))).holes
        for word in [word for word in holes["others"] if meant_start(word).startswith(f"{name} -")]:
            holes["others"].remove(word)
            extra.append(meant_start(word).split()[1:])
        if name in ("deal", "formulas") and len(holes["numbers"]) > 2:
            name = "solve"
        # `evaluate 4+3` has no puzzle, as `judge` needs.
        has_none = name == "judge" != words[0] and not holes["target"]
        if holes["formula"] and (has_none or "formula" not in typed.template):
            name = "check"
        if holes["file"] not in ([], [STANDARD]) and name in ("check", "verify", "mark"):
            meant = _command_for(holes["file"][0]) or name
            name = meant if name == "check" or meant != "solve" else name
        call = [[name, *first], *typed.fill(_CALLS[name])]
        named = {part[0]: part for part in [*extra, *call, *typed.options]}
        call += [named[part[0]] for part in extra if named[part[0]] is part] + typed.options
        has_most = words == [name] or holes["file"] or holes["formula"] or holes["numbers"]
        has_example = not has_most and name in _TABLE["examples"]
        if has_example:
            call.insert(1, shlex.split(_TABLE["examples"][name]))
        program = QUIZ_FORMATS.get(named.get("--for", [""])[-1])
        forms = program.suffixes if program else WRITTEN_FORMATS.get(name, ())
        out = named.get("--out", ["", "/"])
        if forms and not out[1].lower().endswith((*forms, "/")):
            out[1] = re.sub(r"(\.\w+)?$", f".{forms[0]}", out[1], count=1)
        missing = {file: STANDARD for file in holes["file"] if not Path(file).exists()}
        kept = _readable(call, group.get_command(ctx, name), missing)
        said, dropped = [*chain(*kept)], chain(*(part for part in call if part not in kept))
        left_out = [*typed.left_out, *(typed.spellings.get(word, word) for word in dropped)]
        # An example is no lead for words of another kind, nor a command alone for lost options.
        are_options = [word.startswith("-") for word in left_out]
        is_other = has_example and not all(are_options)
        is_other |= any(are_options) and len(kept) == 1 and name != words[0]
        is_list = words[0] != name and len(holes["targets"]) > 1
        if is_other or is_list or _has_lost_most(name, words, left_out, holes):
            return "", name
        plain = [sorted(re.split(r"[\s=]+", " ".join(each))) for each in (said, typed_words)]
        if plain[0] != plain[1] or typed_words[0].startswith("-"):
            without = f" (without {' '.join(left_out)})" if left_out else ""
            return f"use {shlex.join(['crisps24', *said])}{typed.redirection}{without}", name
    return "", name if len(rest) < len(words) else ""


def _has_lost_most(
    name: str, words: Sequence[str], left_out: Sequence[str], holes: dict[str, list[str]]
) -> bool:
    """Return whether a call leaves out more than it says, a formula, or numbers beside a few."""
    # An option and its value are one thing.
    count_left = max(Counter(word.startswith("-") for word in left_out).values(), default=0)
    word_count = len(re.split(r"[\s,=]+", " ".join(words)))
    is_short = name == "solve" and 0 < len(holes["numbers"]) < 3 and bool(left_out)
    is_formula_left = name in ("solve", "play") and any(map(_IN_FORMULA.search, left_out))
    return count_left > word_count - len(left_out) or is_short or is_formula_left


def _readable(call: list[list[str]], command: Any, missing: dict[str, str]) -> list[list[str]]:
    """Return a call without the fewest options that its command cannot read, but for files."""
    options = [part for part in reversed(call) if re.match("-(?!-file)", part[0])]
    for dropped in chain.from_iterable(combinations(options, size) for size in range(3)):
        kept = [part for part in call if part not in dropped]
        # --help-rules would print.
        words = [missing.get(word, word) for word in chain(*kept[1:]) if word[:7] != "--help-"]
        with suppress(click.ClickException):
            command.make_context("", words, click.get_current_context())
            return kept
    raise click.UsageError("no call can be read")


def _find_start(words: Sequence[str], commands: Collection[str]) -> tuple[str, Sequence[str]]:
    """Return the start of the call that some words mean, or "", and the other words."""
    otherwise = _TABLE["otherwise"].get(words[0].lstrip("-").partition("=")[0], "")
    if words[0].startswith("-") and otherwise == "solve":
        return otherwise, words
    said = [word for word in words if meant_start(word) != "--help" and word not in _WORDS["empty"]]
    if len(said) < len(words) and {"numbers", "formula", "file"} & {*_Typed(said).holes}:
        # `how do I make 24 from 4 7 8 8` asks for no help; `open answers.txt` says only the file.
        words = said
    first = [*takewhile(lambda word: not word.startswith("-"), words)] or words
    candidates = words[:1] if words[0] in commands else first
    if starts := {word: start for word in candidates if (start := meant_start(word, commands))}:
        # Of `create worksheet`, the word that is later in the table says more.
        start = max(starts.values(), key=[*_TABLE["commands"]].index)
        # The name of a program for quizzes is also an option.
        rest = [word for word in words if word not in starts or word in QUIZ_FORMATS]
        return start, rest[words[0] == "make" :]
    holes = _Typed(words).holes
    if words[0] in holes["others"] and (near := _similar(words[0], commands)):
        return near, words[1:]
    numbers, is_clear = holes["numbers"], words[0] not in holes["others"]
    if len(numbers) == 1 and len(words) > 1 and is_clear and not holes["game"]:
        return "results" if numbers[0] == words[0] else "deal", words[words[0] == "make" :]
    if holes["file"]:
        return _command_for(holes["file"][0]) if is_clear else "", words
    is_clear = is_clear or _choose_game(holes)
    kinds = {"formula": "check", "numbers": "solve" if is_clear else "", "game": "play"}
    return next((kinds[hole] for hole in kinds if holes[hole]), otherwise), words


def _command_for(file: str) -> str:
    """Return the command that reads a file, by its first line and its suffix, or ""."""
    with suppress(OSError), Path(file).open(encoding="utf-8", errors="replace") as stream:
        line = stream.readline(10_000) + Path(file).suffix
        return str(next(name for name, sign in _TABLE["files"].items() if re.search(sign, line)))
    return ""


def _similar(typed: str, names: Collection[str]) -> str:
    """Return the name that differs by a letter or two, or ""."""
    plain = {name.lstrip("-"): name for name in names}
    return next((plain[n] for n in get_close_matches(typed.lstrip("-")[:40], plain, 1, 0.8)), "")


class _Typed:
    """The words of a call without its command: what fills the holes, and other options."""

    def __init__(self, words: Sequence[str], command: click.Command | None = None) -> None:
        options = [o for o in getattr(command, "params", []) if isinstance(o, click.Option)]
        self.flags = {each: o.is_flag for o in options for each in (*o.opts, *o.secondary_opts)}
        self.template = _CALLS[str(command.name)] if command else {}
        self.holes = defaultdict[str, list[str]](list)
        self.options, self.waiting, parts = list[list[str]](), [*words], list[str]()
        self.left_out, self.spellings, self.redirection = list[str](), dict[str, str](), ""
        while self.waiting:
            word = self.waiting.pop(0)
            pieces = [*filter(None, re.split(r"[\s,;、]+|(?<=[a-z])=", word))]
            is_last = not self.waiting or self.waiting[0].startswith("--")
            is_whole = _OUTPUT.search(word) or ({*" ="} < {*word} and _STEPS.fullmatch(word))
            is_output = bool("formula" in self.template and is_whole)
            is_file = _FILE.fullmatch(word) or (word == STANDARD and is_last and not parts)
            if is_file or is_id(word):
                self.holes["file" if is_file else "numbers"].append(word)
            elif is_output:
                self.holes["formula"].append(word)
            elif pieces and pieces != [word]:
                self.waiting[:0] = pieces
            elif self._take_game(word):
                continue
            elif _PART.fullmatch(word):
                parts.append(word)
            elif not self._take_option(word):
                if len(parts) == 1 and word in _WORDS["after_target"]:
                    self.holes["target"] = [parts.pop()]
                    continue
                value = "".join(self.waiting[:1])
                # An unknown option can have one value, but not the numbers of a hand. Where a file
                # has the puzzles instead of dealt ones, only a known option means that.
                is_ignored = word.casefold().lstrip("-/") in _WORDS["ignored"]
                may_be_value = value.isdigit() if is_ignored else _PART.fullmatch(value)
                is_number = may_be_value and not _HAND.match(" ".join(self.waiting))
                takes_file = "--count" not in self.template and not self.holes["file"]
                is_other_file = not takes_file and _FILE.fullmatch(value)
                has_value = word.startswith("-") and (is_number or is_other_file)
                near = _similar(word, HAND_GAMES)
                if near and "game" in self.template and not is_ignored and not self.holes["game"]:
                    self.holes["game"] = [near]
                elif has_value or not is_ignored:
                    self.holes["others"].append(word)
                if has_value:
                    self.holes["others"].append(self.waiting.pop(0))
        text = " ".join(parts)
        match = re.fullmatch(r"([^=>]*?) ?(?:[-=]>|=) ?(-?\d+)", text)
        if match and (_GAP.search(match[1]) or _NUMBER.fullmatch(match[1])):
            text, self.holes["target"] = match[1], [match[2]]
        found = [*filter(None, _GAP.split(text))]
        # In a hand, 1/2 and -5 are numbers.
        is_hand = len(parts) > 2 and "formula" not in self.template
        in_hand = re.compile(rf"{_NUMBER.pattern}|\d+/\d+").fullmatch
        if is_hand and all(map(in_hand, parts)):
            self.holes["numbers"] += parts
            return
        for part in found:
            ends = [int(end) for end in part.split("-") if end.isdigit()]
            if "formula" not in self.template and len(ends) == 2 and ends[0] < ends[1]:
                raise click.UsageError("a range can be of targets or of hands")
            kind = "numbers" if _NUMBER.fullmatch(part) else "formula"
            self.holes["targets" if ".." in part else kind].append(part)

    def _take_game(self, word: str) -> bool:
        """Take the name of a game, which can have several words; a number alone is none."""
        # `--digits 0,4,4,9` is no game, and the cards of crisps are no other one.
        is_option, value = word.startswith("-"), "".join(self.waiting[:1])
        if self.holes["game"] or (is_option and value[:1].isdigit()):
            return False
        for size in range(5, -1, -1):
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
        meanings += [f"--for {typed}"] if typed in QUIZ_FORMATS else []
        known = meanings or typed in _WORDS["ignored"] or not is_option
        named = [flag for flag in self.flags if not flag.startswith("--help-")]
        near = word if word in self.flags else "" if known else _similar(word, named)
        is_length = near == "--numbers" and "".join(self.waiting[:1]).isdigit()
        if near := "--length" if is_length else near:
            meanings.insert(0, near if self.flags.get(near) else f"{near} {{}}")
        is_one = word in ("--card", "--hand") and "".join(self.waiting[:1]).isdigit()
        if is_one or (word in _WORDS["of_hands"] and _HAND.match(" ".join(self.waiting))):
            return True
        is_value = re.compile("(?!--?[a-z]).*" if is_option else _NUMBER).fullmatch
        value = [re.sub(r"^(\d+)-(\d+)$", r"\1..\2", v) for v in self.waiting[:1] if is_value(v)]
        for meaning in meanings if is_option or len(word) > 1 else ():
            name, *values = meaning.format(*value or ["{}"]).split(" ", 1)
            if name == ">" and "--format" in self.flags and _FILE.fullmatch(*values):
                file = re.sub(r"\.(txt|xlsx|\d+)$", ".csv", *values)
                self.redirection = f" > {shlex.quote(file)}"
                name, values = "--format", [file.rpartition(".")[2]]
            is_hole = name in self.template or (name == "--target" and "targets" in self.template)
            is_free = not (is_hole and self.holes[name[2:]])
            fits = re.search(_TABLE["values"].get(name, ""), "".join(values))
            if (is_hole or name in self.flags) and is_free and fits and values != ["{}"]:
                del self.waiting[: "{}" in meaning]
                if is_hole:
                    self.holes[name[2:]] = values
                else:
                    self.options.append([name, *values])
                    self.spellings[name] = word
                return True
        return False

    def fill(self, template: dict[str, str]) -> list[list[str]]:
        """Return the parts of a template with what fills its holes; leave out what has no hole."""
        kinds, holes = {hole.lstrip("-"): hole for hole in template}, self.holes
        card = " ".join(holes.pop("card", [])).split()
        numbers = holes["numbers"] = holes["numbers"] + card
        one = "target" if holes["formula"] else "port" if "port" in kinds else "count"
        if len(numbers) == 1 and one in kinds and not card:
            is_free = numbers[0].isdigit() and not holes[one]
            holes |= {one: numbers if is_free else holes[one], "numbers": []}
            self.left_out += [] if is_free else numbers
        elif len(numbers) == 2 and "count" in kinds and not card:
            # `10 puzzles for age 8`.
            holes |= {"count": numbers[:1], "numbers": []}
            self.left_out.append(numbers[1])
        elif len(numbers) == 1 and "numbers" in kinds and numbers[0].isdigit():
            holes["numbers"] = [*numbers[0]]
        if not _choose_game(holes) and any(number.startswith("-") for number in numbers):
            raise click.UsageError("no game deals a number below zero")
        many = next((hole for hole in ("numbers", "card", "targets") if hole in kinds), "others")
        targets = holes.pop("target", []) if "targets" in kinds else []
        holes[many] = [*holes.pop("numbers"), *holes[many], *targets]
        for hole in [hole for hole in holes if hole not in kinds]:
            if holes[hole] and hole in ("file", "formula"):
                raise click.UsageError("the command has no hole for what is most of the call")
            self.left_out += holes.pop(hole)
        filled = {hole: holes[kind] or template[hole].split() for kind, hole in kinds.items()}
        return [[hole, " ".join(v)] if hole[0] == "-" else v for hole, v in filled.items() if v]


def _is_right(text: str, hand: Hand, target: Exact | None, game: Game) -> bool:
    """Return whether a formula is right, or the steps of a solution, which need a hand."""
    if hand and target is not None and text.count("=") > 1:
        from crisps24.puzzle import Puzzle

        return bool(Puzzle(hand, target, game).judge(text))
    return bool(check_against_target(text, hand or None, target, game))


def _choose_game(holes: dict[str, list[str]]) -> bool:
    """Choose the first game that deals the numbers, or in which the formulas are right, if any."""
    formulas, words, goals = holes["formula"], holes["numbers"], holes["target"]
    default, *others = [GAMES[name] for name in HAND_GAMES]
    others.sort(key=lambda game: (game.target is None, -len(game.numbers)))
    games = [*map(find_game, holes["game"])] or [default, *less_restricted_games(default), *others]
    # The last number can be the target.
    dealt = [(words, goals), *([] if goals or formulas else [(words[:-1], words[-1:])])]
    for game, (numbers, goal) in product(games, dealt):
        with suppress(CrispsError, ValueError):
            hand = parse_hand(numbers, game)
            target = parse_value(goal[0]) if goal else game.target if hand else None
            is_dealt = not hand or (target is not None and not deal_problem(hand, game))
            right = [_is_right(each, hand, target, game) for each in formulas]
            if (hand or formulas) and is_dealt and all(right):
                name = holes["game"] or [game.name] * (game is not default)
                holes |= {"numbers": [*numbers], "target": [*goal], "game": name}
                return True
    return False
