"""What a meant call needs beside its words: a target, a game, the shares of a data set.

The first lines of a file and the numbers of a hand show the game that they need; a large data set
needs a game with many hands, or hands that are dealt again.
"""

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from crisps24.cli.spelling import WORDS
from crisps24.cli.typed_files import FORMS, start_of
from crisps24.cli.typed_words import DEFAULT_GAME, TILE_GAME, TypedWords
from crisps24.notation.checking import check_against_target
from crisps24.rules.games import less_restricted_games

# A hand as the heading of a column.
_HAND = re.compile(r"(?m)(?:^|[,;\t])\d+(?: \d+){3}(?:[,;\t]|$)")
# Puzzles of a level, or of any level, that are more than most games have.
_MANY_OF_LEVEL, _MANY = 100, 1_000


def complete(typed: TypedWords, command: Any) -> None:
    """Find the game, the target and the shares that a call needs and that nobody typed."""
    file = "".join(typed.holes["file"][:1])
    lines = start_of(file, 50).splitlines()[:-1] if file else []
    if typed.command == "deal":
        _complete_split(typed)
    _complete_game(typed, lines, command)
    _complete_target(typed, lines, Path(file).stem)


def _complete_split(typed: TypedWords) -> None:
    """Say `--train 900 --test 100` and `--split 0.9` as shares of one file."""
    others = typed.holes["others"]
    parts = [pair for pair in pairwise(others) if pair[0].lstrip("-") in WORDS["parts"]]
    if len(parts) > 1 and all(size.isdigit() for _, size in parts):
        typed.holes["others"] = [word for word in others if word not in chain(*parts)]
        typed.holes["count"] = [str(sum(int(size) for _, size in parts))]
        typed.options.append(["--split", ",".join(size for _, size in parts)])
    names = [option[0] for option in typed.options]
    for option in [option for option in typed.options if option[0] == "--split"]:
        shares = [Fraction(share) for share in re.findall(r"\d+(?:\.\d+)?", option[1])]
        if sum(shares) <= 1:
            percent = [100 * share for share in shares]
            rest = 100 - sum(percent)
            option[1] = ",".join(str(int(share)) for share in [*percent, *[rest] * (rest > 0)])
        typed.options += [["--out", "puzzles.jsonl"]] * ("--out" not in names)


def _complete_game(typed: TypedWords, lines: Sequence[str], command: Any) -> None:
    name, holes = typed.command, typed.holes
    is_class = name == "mark" and not holes["target"] and _HAND.search("\n".join(lines[:2]))
    needs_brackets = bool(is_class)
    for line in lines if name in ("solve", "check", *FORMS) else ():
        of_line = TypedWords([line, *holes["target"]], command)
        needs_brackets |= of_line.choose_game() and of_line.holes["game"] != []
    if name not in ("count", "formulas", "results"):
        ranges = [option[1] for option in typed.options if option[0] == "--numbers"]
        needs_brackets |= any(re.fullmatch(r"\d+\.\.\d\d+", numbers) for numbers in ranges)
    if ["--operators", "+-"] in typed.options:
        # Puzzles without products have no levels that words mean.
        typed.left_out += holes.pop("level", [])
    needs_tiles = any(option[0] == "--large" for option in typed.options)
    for count in [int(count) for count in holes["count"] if count.isdigit() and not lines]:
        needs_brackets |= name in FORMS and count > _MANY_OF_LEVEL
        if name == "deal" and count > (_MANY_OF_LEVEL if holes["level"] else _MANY):
            needs_tiles |= count > _MANY
            typed.options += [["--repeat"]] * (not needs_tiles or holes["game"] != [])
    if needs_tiles and not holes["game"]:
        holes["game"] = [TILE_GAME.name]
    if needs_brackets and not holes["game"]:
        known = less_restricted_games(DEFAULT_GAME)
        holes["game"] = [next(game.name for game in known if game.parentheses)]


def _complete_target(typed: TypedWords, lines: Sequence[str], stem: str) -> None:
    name, holes, game = typed.command, typed.holes, typed.game
    if holes["target"]:
        return
    if name == "verify":
        # `verify` finds the target of `results.24`, but not that of `crisps-24.csv`.
        numbers = re.findall("[0-9]+", stem)
        holes["target"] = numbers if len(numbers) == 1 else []
    if name == "judge" and holes["numbers"] and not holes["game"]:
        # The game of `judge` has no target; an answer can state it.
        stated = re.findall(r"= *(\d+)", " ".join(holes["formula"]))
        holes["target"] = stated[-1:] or [str(game.target)]
    if name == "check" and len(holes["numbers"]) not in (1, 2):
        # A right answer is about the target of the game.
        answers = [*lines, *holes["formula"]]
        is_right = any(check_against_target(line, None, game.target, game) for line in answers)
        holes["target"] = [str(game.target)] * (is_right and game.target is not None)
