"""The files among the words of a call: which command reads or writes them, and what they say.

The first lines of a file tell its command (`[files]` in `meanings.toml`) and the game that its
formulas or hands need; a file that does not exist is one to write, or has a letter wrong.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from crisps24.cli.screen import WRITTEN_FORMATS
from crisps24.cli.spelling import TABLE, WORDS, similar
from crisps24.cli.typed_words import CALLS, DEFAULT_GAME, FILE, TypedWords
from crisps24.notation.checking import check_against_target
from crisps24.rules.games import GAMES, HAND_GAMES, less_restricted_games

FORMS = {**WRITTEN_FORMATS, "page": ("html",)}
# A hand as the heading of a column.
_HAND = re.compile(r"(?m)(?:^|[,;\t])\d+(?: \d+){3}(?:[,;\t]|$)")


def existing(word: str) -> str:
    """Return a word, or the name of a file that differs from it only in capital letters."""
    path = Path(word)
    # A name can be too long for a file, or in a folder that cannot be read.
    with suppress(OSError):
        if FILE.fullmatch(word) and not path.exists():
            name = path.name.casefold()
            return next((str(f) for f in path.parent.iterdir() if f.name.casefold() == name), word)
    return word


def with_files(name: str, words: Sequence[str], files: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the command and the words with files that exist, or that the command can write."""
    can_write = name in FORMS
    for word in words if can_write else ():
        name = TABLE["written"].get(Path(word).suffix, name)
    for file in [file for file in files if not Path(file).exists() and "--file" not in words]:
        if can_write:
            return name, [*(word for word in words if word != file), "--out", file]
        if {"file", "--file"}.isdisjoint(CALLS[name]):
            continue
        path = Path(file)
        stems = {other.stem: str(other) for other in path.parent.glob(f"*{path.suffix}")}
        meant = stems.get(similar(path.stem, stems), file)
        words = [meant if word == file else word for word in words]
    return name, words


def complete(name: str, typed: TypedWords, command: Any) -> None:
    """Find the target in the name of a file, and the game that its lines or the numbers need.

    `verify` finds the target of `results.24`, but not that of `crisps-24.csv`.
    """
    holes, file = typed.holes, "".join(typed.holes["file"][:1])
    if name == "verify" and not holes["target"]:
        numbers = re.findall("[0-9]+", Path(file).stem)
        holes["target"] = numbers if len(numbers) == 1 else []
    start = _start_of(file) if file else ""
    lines = _start_of(file, 50).splitlines()[:-1] if file else []
    needs_game = bool(name == "mark" and not holes["target"] and _HAND.search(start))
    for line in lines if name in ("solve", "check", *FORMS) else ():
        of_line = TypedWords([line, *holes["target"]], command)
        needs_game |= of_line.choose_game() and of_line.holes["game"] != []
    if name == "deal":
        _complete_split(typed)
    # A large set needs a game with many hands, or hands that are dealt again.
    counts = [int(count) for count in holes["count"] if count.isdigit()] if not lines else []
    needs_game |= name in FORMS and any(count > 100 for count in counts)
    if ["--operators", "+-"] in typed.options:
        # Puzzles without products have no levels that words mean.
        typed.left_out += holes.pop("level", [])
    needs_tiles = any(option[0] == "--large" for option in typed.options)
    if name == "deal" and any(count > (100 if holes["level"] else 1_000) for count in counts):
        needs_tiles |= any(count > 1_000 for count in counts)
        typed.options += [["--repeat"]] * (not needs_tiles or holes["game"] != [])
    if name not in ("count", "formulas", "results"):
        ranges = [option[1] for option in typed.options if option[0] == "--numbers"]
        needs_game |= any(re.fullmatch(r"\d+\.\.\d\d+", numbers) for numbers in ranges)
    if needs_tiles and not holes["game"]:
        with_large = [name for name in HAND_GAMES if GAMES[name].large]
        holes["game"] = [max(with_large, key=lambda name: len(GAMES[name].numbers))]
    if needs_game and not holes["game"]:
        known = less_restricted_games(DEFAULT_GAME)
        holes["game"] = [next(game.name for game in known if game.parentheses)]
    if name == "judge" and holes["numbers"] and not (holes["target"] or holes["game"]):
        # The game of `judge` has no target; an answer can state it.
        stated = re.findall(r"= *(\d+)", " ".join(holes["formula"]))
        holes["target"] = stated[-1:] or [str(typed.game.target)]
    if name == "check" and not holes["target"] and len(holes["numbers"]) not in (1, 2):
        # A right answer is about the target of the game.
        game = typed.game
        answers = [*lines, *holes["formula"]]
        is_right = any(check_against_target(line, None, game.target, game) for line in answers)
        holes["target"] = [str(game.target)] * (is_right and game.target is not None)


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
        shares = [Fraction(share) for share in re.findall(r"[\d.]+", option[1])]
        if sum(shares) <= 1:
            percent = [100 * share for share in shares]
            rest = 100 - sum(percent)
            option[1] = ",".join(str(int(share)) for share in [*percent, *[rest] * (rest > 0)])
        typed.options += [["--out", "puzzles.jsonl"]] * ("--out" not in names)


def command_for(file: str) -> str:
    """Return the command that reads a file, by its first lines and its suffix, or ""."""
    if not (text := _start_of(file)):
        return ""
    found = (name for name, sign in TABLE["files"].items() if re.search(sign, text))
    return next(found, "")


def _start_of(file: str, count: int = 2) -> str:
    """Return the first lines of a file and its suffix, or "" if it cannot be read."""
    with suppress(OSError), Path(file).open(encoding="utf-8", errors="replace") as stream:
        return "".join(stream.readline(10_000) for _ in range(count)) + Path(file).suffix
    return ""
