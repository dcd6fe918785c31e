"""The words of a call that is refused, sorted once into options and holes.

A *hole* is a kind of words that templates of calls ask for: numbers, target, formula, file, game;
others are words without a meaning. What words mean is in `meanings.toml`; the options are those of
the command that is meant.
"""

import re
import shlex
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path

import click

from crisps24.cli.options import STANDARD
from crisps24.cli.spelling import OPTIONS, TABLE, WORDS, has_any, similar
from crisps24.errors import CrispsError
from crisps24.notation.checking import check_against_target
from crisps24.paper.quiz_files import QUIZ_FORMATS
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

DEFAULT_GAME = GAMES[next(iter(HAND_GAMES))]
# The game with large tiles that has the most tiles.
TILE_GAME = max((GAMES[name] for name in HAND_GAMES), key=lambda g: (g.large != (), len(g.numbers)))
CALLS: dict[str, dict[str, str]] = TABLE["calls"]
# A part of a formula, the gap between two formulas or numbers, a number or card, and two of them.
_PART = re.compile(r"[\d.()\[\]+*/xX×÷:^=−–·>-]+|[AJQKT]")
_GAP = re.compile(r"(?<=[\dAJQKT)\]]) (?=[\dAJQKT(\[])")
FILE = re.compile(
    r"[^-].*\.(?:txt|csv|tsv|jsonl?|xlsx|ods|parquet|gz|pdf|html|docx?|xml|gift|zip)|(?:[^-].*/)?results\.-?\d+"
)
# A file that can have what a command prints.
_PRINTED = re.compile(r"\.(?:csv|tsv|jsonl?|txt|xlsx|\d+)$")
# What an unknown option can have: also a list of up to three, or a text.
_LIST = re.compile(r"^[\w.]{1,20}(?:,[\w.]{1,20}){1,2}")
_VALUE = re.compile(r"[\d.]+|(?!no-)[a-z]+|(?!\d+[, ]).* .*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?|[AJQKT]")
# The output of a model: a tag, or words and a formula.
_OUTPUT = re.compile(r"<\w+>|\\boxed")
_TALK, _TERM = re.compile("[a-z]{2} "), re.compile(r"\d ?[-+*/x:] ?\d")
# Steps such as 3 x 8 = 24, in one word.
_STEPS = re.compile(r"[\d.()+*/xX×÷:^=−·,; -]+")
HAND_START = re.compile(rf"(?<!\S)(?:(?:{_NUMBER.pattern})(?:[\s,]+|$)){{2}}")


class TypedWords:
    """The words of a call without its command: what fills the holes, and other options."""

    def __init__(self, words: Sequence[str], command: click.Command | None = None) -> None:
        options = [o for o in getattr(command, "params", []) if isinstance(o, click.Option)]
        self.flags = {each: o.is_flag for o in options for each in (*o.opts, *o.secondary_opts)}
        self.command = str(command.name) if command else ""
        self.template = CALLS.get(self.command, {})
        # The words and options of the start of the call: `play equation`, or `solve --hint`.
        self.first, self.extra = list[str](), list[list[str]]()
        self.holes = defaultdict[str, list[str]](list)
        self.options, self.left_out = list[list[str]](), list[str]()
        self.spellings, self.redirection, self.has_example = dict[str, str](), "", False
        self.words = words
        self._waiting, self._parts = [*words], list[str]()
        before = ""
        while self._waiting:
            word = self._waiting.pop(0)
            if not (self._split(word) or self._take_game(word) or self._take_whole(word)):
                has_hand = HAND_START.match(" ".join(self._waiting))
                if has_hand and self._parts == [before] and word in WORDS["after_target"]:
                    self.holes["target"] = [re.sub(r"(?<=\d)-(?=\d)", "..", self._parts.pop())]
                elif before in self._parts[-1:] and word.casefold() in WORDS["units"]:
                    self._take_label(f"{before} {word}", self._parts.pop())
                elif word.casefold().lstrip("-") in WORDS["labels"] and self._next.isdigit():
                    number = self._waiting.pop(0)
                    self._take_label(f"{word} {number}", number)
                elif not self._take_option(word):
                    self._take_other(word, before)
            before = word
        self._sort_parts()

    @property
    def game(self) -> Game:
        return GAMES["".join(self.holes["game"])] if self.holes["game"] else DEFAULT_GAME

    @property
    def _next(self) -> str:
        return "".join(self._waiting[:1])

    @property
    def filled(self) -> list[str]:
        """The holes that have words, but for words without a meaning."""
        return [hole for hole, words in self.holes.items() if words and hole != "others"]

    def _take_label(self, label: str, number: str) -> None:
        """Keep the label of a group, such as `age 9`; that of young children means easy puzzles."""
        self.holes["others"].append(label)
        is_young = number.isdigit() and int(number) < 12
        if is_young and "--level" in self.template and "small" not in label:
            self.holes["level"] = self.holes["level"] or ["easy"]

    def _split(self, word: str) -> bool:
        """Put the pieces of a word before the waiting ones, if it has several."""
        is_hand = "formula" not in self.template and re.fullmatch(r"\d+(-\d+){3,}", word)
        pieces = [*filter(None, re.split(r"-" if is_hand else r"[\s,;、]+|(?<=[^\W\d_])=", word))]
        is_split = pieces not in ([], [word]) and not self._is_output(word)
        if is_split and not FILE.fullmatch(word):
            self._waiting[:0] = pieces
            return True
        return False

    def _is_output(self, word: str) -> bool:
        """Return whether a word is the output of a model, or steps."""
        is_steps = {*" ="} < {*word} and _STEPS.fullmatch(word)
        is_sentence = self.command == "judge" and _TALK.search(word) and _TERM.search(word)
        is_whole = _OUTPUT.search(word) or is_steps or is_sentence
        return bool("formula" in self.template and is_whole)

    def _take_whole(self, word: str) -> bool:
        """Take a word that is a file, a puzzle, the output of a model, or a part of a formula."""
        if FILE.fullmatch(word) or (word == STANDARD and not self._parts):
            self.holes["file"].append(word)
        elif is_id(word) and word.partition(":")[0] in GAMES:
            self.holes["numbers"].append(word)
        elif self._is_output(word):
            self.holes["formula"].append(word)
        elif _PART.fullmatch(word):
            self._parts.append(word)
        else:
            return False
        return True

    def _take_game(self, word: str) -> bool:
        """Take the name of a game, which can have several words; a number alone is none."""
        # `--digits 0,4,4,9` is no game, and the cards of crisps are no other one.
        is_option, value = word.startswith("-"), self._next
        if self.holes["game"] or (is_option and value[:1].isdigit()):
            return False
        for size in range(5, -1, -1):
            name = " ".join([word, *self._waiting[:size]])
            with suppress(CrispsError):
                self.holes["game"] = [find_game(name if re.search(r"[^\W\d_]", name) else "").name]
                del self._waiting[:size]
                return True
        return False

    def _take_option(self, word: str) -> bool:
        """Take what a word means as an option, with its value, the number beside a bare word."""
        is_option, value = word.startswith("-"), self._next
        is_one = word in ("--card", "--hand") and value.isdigit()
        is_hand = word in WORDS["of_hands"] and HAND_START.match(" ".join(self._waiting))
        if is_one or is_hand or (is_option and self._is_output(value)):
            return True
        bare_value = rf"{_NUMBER.pattern}|\d+(?:-|\.\.)\d+"
        is_value = re.compile("(?!--?[a-z]).*" if is_option else bare_value).fullmatch
        after = self._waiting[:1] if self._waiting and is_value(value) else []
        is_before = len(self._parts) == 1 and self._parts[0].isdigit()
        # `2 large, 4 small`
        after = [] if is_before and word.casefold() in WORDS["after_number"] else after
        for meaning in self._meanings_of(word, value) if is_option or len(word) > 1 else ():
            if meaning == "--help-rules" and after:
                # What follows says which rules.
                return True
            values = after or (self._parts if is_before and "{}" in meaning else [])
            if not self._use(word, meaning, values):
                continue
            if "{}" in meaning:
                del (self._waiting if after else self._parts)[:1]
            return True
        return False

    def _meanings_of(self, word: str, value: str) -> list[str]:
        """Return the options that a word can mean, with those of the command first."""
        typed = word.casefold().lstrip("-/")
        meanings = [meaning for meaning, words in OPTIONS.items() if typed in words]
        holes = {*self.template, *(["--targets"] if "targets" in self.template else [])}
        meanings.sort(key=lambda meaning: meaning.split()[0] not in holes)
        meanings += [f"--for {typed}"] if typed in QUIZ_FORMATS else []
        is_known = bool(meanings) or typed in WORDS["ignored"]
        name = word if word in self.flags else "" if is_known else self._similar_option(word)
        if name == "--numbers" and value.isdigit():
            name = "--length"
        if name:
            meanings.insert(0, name if self.flags.get(name) else f"{name} {{}}")
        return meanings

    def _similar_option(self, word: str) -> str:
        """Return the option that differs by a letter or two, but is not the opposite, or ""."""
        near = similar(word, [flag for flag in self.flags if not flag.startswith("--help-")])
        return "" if any(each.startswith("--no-") for each in (near, word)) else near

    def _use(self, word: str, meaning: str, typed_values: Sequence[str]) -> bool:
        """Use a meaning of a word, if the command has this option and the value is one of it."""
        value = [re.sub(r"^(\d+)-(\d+)$", r"\1..\2", typed) for typed in typed_values[:1]]
        name, *values = meaning.format(*value or ["{}"]).split(" ", 1)
        if name == ">" and _PRINTED.search(values[0]):
            file = re.sub(r"\.(txt|xlsx|\d+)$", ".csv", values[0])
            self.redirection = f" > {shlex.quote(file)}"
            name, values = "--format", [file.rpartition(".")[2]]
        if name == "--for" and values[0] not in QUIZ_FORMATS:
            return False
        if name == "--game" and "".join(values) not in GAMES:
            return False
        if name == "--target" and ".." in values[0] and "--targets" in self.flags:
            name = "--targets"
        # The --file of `mark` has the puzzles.
        is_input = name not in self.flags or word in ("--input", "-i")
        if name == "--file" and "file" in self.template and is_input:
            self.holes["file"].append(values[0])
            return values != ["{}"]
        is_hole = name in (self.template or ["--target"]) or (
            name == "--target" and not {"targets", "--targets"}.isdisjoint(self.template)
        )
        is_free = not (is_hole and self.holes[name[2:]])
        fits = values != ["{}"] and re.search(TABLE["values"].get(name, ""), "".join(values))
        if not (fits and is_free and (is_hole or name in self.flags)):
            return False
        if is_hole:
            self.holes[name[2:]] = values
        elif [name, *values] not in self.options:
            self.options.append([name, *values])
            self.spellings[name] = word
        return True

    def _take_other(self, word: str, before: str) -> None:
        """Keep a word without a meaning, with its value; a game can have a letter or two wrong."""
        value = self._next
        # An unknown option can have one value: no hand, and no file that the command reads.
        is_ignored = word.casefold().lstrip("-/") in WORDS["ignored"]
        is_read = "--count" not in self.template or Path(value).suffix in TABLE["written"]
        is_part = "formula" in self.template and not _VALUE.fullmatch(value)
        is_hand = HAND_START.match(" ".join(self._waiting))
        is_other = (FILE.fullmatch(value) and is_read) or is_part or is_hand
        is_free = value and value[0] != "-" and (not is_other or _LIST.fullmatch(value))
        has_value = word.startswith("-") and is_free and (value.isdigit() or not is_ignored)
        is_unit = self._parts == [before] and before.isdigit() and not word.startswith("-")
        near = similar(word, HAND_GAMES)
        if near and not is_ignored and not self.holes["game"]:
            self.holes["game"] = [near]
        elif is_unit and not is_ignored:
            # `28 pupils` is no number of puzzles.
            self.holes["others"].append(f"{self._parts.pop()} {word}")
        elif has_value or not is_ignored:
            self.holes["others"].append(word)
        if has_value:
            self.holes["others"].append(self._waiting.pop(0))

    def _sort_parts(self) -> None:
        """Sort the parts of formulas into numbers, target, targets and formulas."""
        text = " ".join(self._parts)
        # `952: 25 50 75` has the target first.
        text = re.sub(r"(\d+) ?:((?: \d+){3,})", r"\2 = \1", text).strip()
        match = re.fullmatch(r"([^=>]*?) ?(?:[-=]>|=| :) ?(-?\d+)", text)
        if match and _GAP.search(match[1]):
            text, self.holes["target"] = match[1], [match[2]]
        found = [*filter(None, _GAP.split(text))]
        # In a hand, 1/2 and -5 are numbers.
        in_hand = re.compile(rf"{_NUMBER.pattern}|\d+/\d+").fullmatch
        if "formula" not in self.template and all(map(in_hand, self._parts)):
            self.holes["numbers"] += self._parts
            return
        for part in found:
            ends = [int(end) for end in part.split("-") if end.isdigit()]
            if "formula" not in self.template and len(ends) == 2 and ends[0] < ends[1]:
                raise click.UsageError("a range can be of targets or of hands")
            if part[-1] in "+*/^:=" or part[0] in "*/xX:^":
                raise click.UsageError("no formula starts or ends with an operator")
            kind = "numbers" if _NUMBER.fullmatch(part) else "formula"
            self.holes["targets" if ".." in part else kind].append(part)
        if len(formulas := self.holes["formula"]) > 1 and all("=" in each for each in formulas):
            # The steps of one answer.
            formulas[:] = [", ".join(formulas)]

    def fill(self) -> list[list[str]]:
        """Return the parts of the template with what fills its holes; leave out what has none."""
        template, holes = self.template, self.holes
        kinds = {hole.lstrip("-"): hole for hole in template}
        card = " ".join(holes.pop("card", [])).split()
        holes["numbers"] += card
        self._place_single_numbers([*kinds])
        if "--targets" in template and holes["target"]:
            holes["targets"] = [*holes["targets"], *holes.pop("target")][:1]
        if not self.choose_game():
            self._check_hand(is_card=bool(card))
        if holes["file"]:
            self._place_file([*kinds])
        many = next((hole for hole in ("numbers", "card", "targets") if hole in kinds), "others")
        targets = holes.pop("target", []) if "targets" in kinds else []
        if targets and len(holes["numbers"]) == 1:
            # `count 4 --target 24` is about formulas of four numbers.
            self.options.append(["--length", *holes.pop("numbers")])
        holes[many] = [*holes.pop("numbers", []), *holes[many], *targets]
        for hole in [hole for hole in holes if hole not in kinds]:
            exists = hole == "formula" or any(Path(file).exists() for file in holes[hole])
            if holes[hole] and hole in ("file", "formula") and exists:
                raise click.UsageError("the command has no hole for what is most of the call")
            self.left_out += holes.pop(hole)
        filled = {hole: holes[kind] or template[hole].split() for kind, hole in kinds.items()}
        return [[hole, " ".join(v)] if hole[0] == "-" else v for hole, v in filled.items() if v]

    def _place_single_numbers(self, kinds: Sequence[str]) -> None:
        """Put a number that is alone where it can be: a target, a port, a count, or digits."""
        holes, numbers = self.holes, self.holes["numbers"]
        is_target = {"numbers", "port"}.isdisjoint(kinds)
        one = "target" if is_target else "port" if "port" in kinds else "count"
        large = [int(option[1]) for option in self.options if option[0] == "--large"]
        if large and [str(TILE_GAME.length - large[0])] == numbers:
            # `one from the top and five from anywhere else`
            self.left_out += holes.pop("numbers")
        elif numbers == ["24"] and self.command == "play" and not holes["game"]:
            holes |= {"game": ["cards"], "numbers": []}
        elif len(numbers) == 1 and one in kinds:
            is_free = numbers[0].isdigit() and not holes[one]
            holes |= {one: numbers if is_free else holes[one], "numbers": []}
            self.left_out += [] if is_free else numbers
        elif len(numbers) == 2 and "count" in kinds:
            # `10 puzzles for age 8`.
            holes |= {"count": numbers[:1], "numbers": []}
            self.left_out.append(numbers[1])
        elif len(numbers) == 1 and "numbers" in kinds and re.fullmatch(r"\d{3,}", numbers[0]):
            holes["numbers"] = [*numbers[0]]

    def _check_hand(self, is_card: bool) -> None:
        """Refuse numbers that are no hand of a game, if other words make that doubtful."""
        holes, numbers = self.holes, self.holes["numbers"]
        is_doubtful = max(map(len, numbers), default=0) > 2
        is_beside_formula = holes["formula"] and numbers and not (is_card or holes["target"])
        has_sign_or_letter = any(re.match("[-A-Z]", number) for number in numbers)
        is_long = len(numbers) > self.game.length
        if (is_long and is_doubtful) or has_sign_or_letter or is_beside_formula:
            raise click.UsageError("no game deals these numbers")

    def _place_file(self, kinds: Sequence[str]) -> None:
        """Leave out what cannot be beside a file of puzzles; one number is their target."""
        holes = self.holes
        if holes["formula"]:
            raise click.UsageError("formulas are in the call or in a file")
        if "numbers" in kinds:
            if "target" in kinds and len(holes["numbers"]) == 1 and not holes["target"]:
                holes["target"] = holes.pop("numbers")
            lost = "file" if len(holes["numbers"]) > 2 else "numbers"
            self.left_out += [*holes.pop(lost, []), *holes.pop("count", [])]

    def choose_game(self) -> bool:
        """Choose the first game that deals the numbers and in which the formulas are right, if any.

        Without formulas, a small hand has to have a solution.
        """
        holes = self.holes
        formulas, words, goals = holes["formula"], holes["numbers"], holes["target"]
        if words and self.game.name not in HAND_GAMES:
            raise click.UsageError("the game has no hands")
        has_all_targets = "--targets" in self.template
        default = DEFAULT_GAME
        others = [GAMES[name] for name in HAND_GAMES]
        others.sort(key=lambda game: (game.target is None, -len(game.numbers)))
        known = [*dict.fromkeys([default, *less_restricted_games(default), *others])]
        games = [*map(find_game, holes["game"])] or known
        dealt = [(words, goals)]
        made = re.search(r"=\s*(\d+)$", "".join(formulas[:1]))
        if not goals and made and len(words) > default.length:
            # `(75 - 7) x 10 + 3 x 8 = 704` beside its tiles.
            dealt = [(words, [made[1]])]
        elif not (goals or has_all_targets):
            # The last number can be the target, or the first one.
            dealt.append((words[:-1], words[-1:]))
            dealt += [(words[1:], words[:1])] * (len("".join(words[:1])) < 4)
        # An answer that is wrong in all games is of the first that deals its numbers.
        has_parentheses = "(" in "".join(formulas)
        for needs_right, game, (numbers, goal) in product((True, False), games, dealt):
            with suppress(CrispsError, ValueError):
                hand = parse_hand(numbers, game)
                is_asked = goal or formulas or holes["game"] or has_all_targets
                if game.target != default.target and not is_asked:
                    # The same numbers with another target are another question.
                    continue
                if has_all_targets and game.targets[1] < 100:
                    continue
                target = parse_value(goal[0]) if goal else game.target if hand else None
                has_target = target is not None or has_all_targets
                is_dealt = not hand or (has_target and not deal_problem(hand, game))
                if not (hand or formulas) or not is_dealt:
                    continue
                # A hand that has no solution in one game is tried in one that allows more.
                is_tried = not formulas and self._is_small(hand, target)
                is_likely = hand and (game.parentheses or not (has_parentheses or is_tried))
                if self._is_right(hand, target, game) if needs_right else is_likely:
                    name = holes["game"] or [game.name] * (game is not default)
                    holes |= {"numbers": [*numbers], "target": [*goal], "game": name}
                    return True
        return False

    def _is_right(self, hand: Hand, target: Exact | None, game: Game) -> bool:
        """Return whether the formulas are right, also in steps, or whether a hand is solvable."""
        from crisps24.puzzle import Puzzle

        formulas = self.holes["formula"]
        if not formulas and self._is_small(hand, target):
            return Puzzle(hand, target, game).solvable
        return all(
            Puzzle(hand, target, game).judge(text)
            if hand and target is not None and text.count("=") > 1
            else check_against_target(text, hand or None, target, game)
            for text in formulas
        )

    def _is_small(self, hand: Hand, target: Exact | None) -> bool:
        """Return whether to solve a hand: not that of a card of crisps, or of a call with rules."""
        options = {option[0] for option in self.options} & {"--parentheses", "--no-parentheses"}
        is_fixed = options or has_any(self.words, "of_crisps") or "--targets" in self.template
        return 2 < len(hand) < 5 and target is not None and not is_fixed
