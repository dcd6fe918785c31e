"""The files among the words of a call: which command reads or writes them.

The first lines of a file tell its command (`[files]` in `meanings.toml`); a file that does not
exist is one to write, or has a letter wrong.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from crisps24.cli.screen import WRITTEN_FORMATS
from crisps24.cli.spelling import TABLE, similar
from crisps24.cli.typed_words import CALLS, FILE

FORMS = {**WRITTEN_FORMATS, "page": ("html",)}


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


def command_for(file: str) -> str:
    """Return the command that reads a file, by its first lines and its suffix, or ""."""
    if not (text := start_of(file)):
        return ""
    found = (name for name, sign in TABLE["files"].items() if re.search(sign, text))
    return next(found, "")


def start_of(file: str, count: int = 2) -> str:
    """Return the first lines of a file and its suffix, or "" if it cannot be read."""
    with suppress(OSError), Path(file).open(encoding="utf-8", errors="replace") as stream:
        return "".join(stream.readline(10_000) for _ in range(count)) + Path(file).suffix
    return ""
