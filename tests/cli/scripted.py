"""A round that is played in this process, without a terminal."""

from typing import NamedTuple

from tests.commands import run_here


class Played(NamedTuple):
    stdout: bytes
    stderr: bytes


def scripted(typed: str | bytes, *words: str, status: int = 0) -> Played:
    """Play in this process with typed lines from a pipe."""
    typed = typed.encode() if isinstance(typed, str) else typed
    ended, *output = run_here("play", *words, typed=typed)
    assert ended == status, output
    return Played(*output)
