"""The start of the call that words mean: its command, and what the command needs to mean it.

`worksheet` means `sheet`, and `hint` means `solve --hint`. Of several such words, the later in the
table `commands` counts; without any, the kinds of the words decide: a formula is checked, numbers
are solved, a game is played, and a file goes to the command that reads it.
"""

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path

from crisps24.cli.spelling import OPTIONS, STARTS, TABLE, WORDS, has_any, similar, spell
from crisps24.cli.typed_files import command_for
from crisps24.cli.typed_words import FILE, HAND_START, TypedWords
from crisps24.errors import CrispsError
from crisps24.paper.quiz_files import QUIZ_FORMATS
from crisps24.rules.games import GAMES, find_game

_CARDS = re.compile(r"(?:(?:[ajqkt]|\d+) ){2,7}")


def meant_start(word: str, commands: Collection[str] = ()) -> str:
    """Return the start of the call that a word means, such as `play --daily`, or ""."""
    return word if word in commands else STARTS.get(word.casefold().lstrip("-/"), "")


def find_start(words: Sequence[str], commands: Collection[str]) -> tuple[str, Sequence[str]]:
    """Return the start of the call that some words mean, or "", and the other words."""
    otherwise = TABLE["otherwise"].get(words[0].lstrip("-").partition("=")[0], "")
    said = [word for word in words if meant_start(word) != "--help" and word not in WORDS["empty"]]
    if len(said) < len(words):
        # `how do I make 24 from 4 7 8 8` asks for no help; `open answers.txt` says only the file.
        holes = TypedWords(said).holes
        words = said if holes["numbers"] or holes["formula"] or holes["file"] else words
    has_hand = bool(HAND_START.search(" ".join(words)))
    if starts := _starts_of(words, commands):
        # Of `create worksheet`, the word that is later in the table says more.
        start = max(starts.values(), key=[*TABLE["commands"]].index)
        if has_hand and "reach" in starts.values():
            # `smallest number not reachable from 2 3 5 7` counts nothing.
            start = "reach"
        # The name of a program for quizzes is also an option, and `20 problems` are no others.
        rest = [
            "puzzles" if word in starts and before.isdigit() else word
            for before, word in zip(["", *words], words, strict=False)
            if word not in starts or word in QUIZ_FORMATS or before.isdigit()
        ]
        return start, rest[words[0] == "make" :]
    if has_any(words, "after_number") and not has_hand:
        # `2 large 4 small`
        return "play", words
    return _start_by_kinds(words, otherwise, commands)


def _starts_of(words: Sequence[str], commands: Collection[str]) -> dict[str, str]:
    """Return the words that mean starts of calls, with these: words before options, or options."""
    bare = [word for word in words if not word.startswith("-")]
    first = [*takewhile(lambda word: not word.startswith("-"), words)] or [words[0], *bare]
    if len(words) > 1:
        first = [word for word in first if word not in WORDS["alone"]] or first[:1]
    candidates = words[:1] if words[0] in commands else first
    if not any(meant_start(word, commands) for word in candidates):
        # `birthday cards --print`
        candidates = [
            word
            for word, value in zip(words, [*words[1:], ""], strict=True)
            if meant_start(word) in ("sheet", "page") and not FILE.fullmatch(value)
        ]
    return {word: start for word in candidates if (start := meant_start(word, commands))}


def _start_by_kinds(
    words: Sequence[str], otherwise: str, commands: Collection[str]
) -> tuple[str, Sequence[str]]:
    """Return the start of a call by the kinds of its words, `otherwise` if none is clear."""
    with_numbers, _, without_numbers = otherwise.partition(" else ")
    typed, rest = TypedWords(words), words[words[0] == "make" :]
    holes, numbers = typed.holes, typed.holes["numbers"]
    is_clear = words[0] not in holes["others"]
    is_unknown = not is_clear and not otherwise
    if is_unknown and (near := similar(words[0], commands, 0.75) or _near_start(words[0])):
        return meant_start(near, commands), words[1:]
    has_one = len(numbers) == 1 and not (holes["formula"] or holes["game"] or holes["file"])
    if has_one and len(words) > 1 and is_clear:
        if with_numbers == "solve":
            return with_numbers if len(numbers[0]) > 2 else "", words
        return ("results", rest) if numbers[0] == words[0] else ("deal", rest)
    if holes["file"]:
        file = holes["file"][0]
        is_new = not Path(file).exists() and TABLE["written"].get(Path(file).suffix)
        return is_new or command_for(file) or with_numbers, rest
    is_game = is_clear and words[0] not in WORDS["alone"]
    choices = {"formula": "check", "game": "play" if is_game else ""}
    choices["numbers"] = "solve" if typed.choose_game() or is_clear else ""
    order = ("formula", "numbers", "game")
    levels = set[str]().union(*(OPTIONS[m] for m in OPTIONS if m.startswith("--level ")))
    fallback = without_numbers or with_numbers or ("" if levels.isdisjoint(words) else "deal")
    return next((choices[hole] for hole in order if holes[hole]), fallback), words


def _near_start(word: str) -> str:
    """Return the long word with a meaning that differs by a letter or two: `genrate`, or ""."""
    is_word = len(word) > 5 and word[0] != "-"
    return similar(word.casefold(), STARTS, 0.87) if is_word else ""


def split_command(words: list[str], commands: Collection[str]) -> list[str]:
    """Return words with those of the command apart, in small letters: `solve-all` is two."""
    if _CARDS.fullmatch(" ".join([*words, ""])):
        return [word.upper() for word in words]
    first, *rest = words
    # `le compte est bon`
    for size in range(4, 0, -1):
        if _is_game(name := "".join([first, *rest[:size]])) and not name.isdigit():
            return [name, *rest[size:]]
    if re.search(r"[a-z]{2}.* ", first):
        # A sentence in quotes.
        return split_command(spell([*first.split(), *rest]), commands)
    if first.casefold().lstrip("-") in commands:
        return [first.casefold().lstrip("-"), *rest]
    if first.startswith("-") and first not in WORDS["of_hands"] and _is_game(first.lstrip("-")):
        return [first.lstrip("-"), *rest]
    if first not in GAMES:
        first = similar(first, ["make"]) or first
    both, parts = re.sub("-+", "-", "-".join([first, *rest[:1]])), first.split("-")
    if meant_start(both):
        return [both, *rest[1:]]
    is_whole = meant_start(first) or _is_game(first)
    if parts[0] and not is_whole and any(meant_start(part, commands) for part in parts):
        return [*parts, *rest]
    return [first, *rest]


def _is_game(word: str) -> bool:
    with suppress(CrispsError):
        return bool(find_game(word))
    return False
