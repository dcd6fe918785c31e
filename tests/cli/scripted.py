"""A round that is played in this process, without a terminal."""

import io
import sys
from typing import NamedTuple

import pytest

from crisps24.cli.program import main


class Played(NamedTuple):
    stdout: bytes
    stderr: bytes


def scripted(typed: str | bytes, *words: str, status: int = 0) -> Played:
    """Play in this process with typed lines from a pipe."""
    typed = typed.encode() if isinstance(typed, str) else typed
    streams = [io.TextIOWrapper(io.BytesIO(data), "utf-8") for data in (typed, b"", b"")]
    with pytest.MonkeyPatch.context() as patch:
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        ended = main(["play", *words])
        for stream in streams[1:]:
            stream.flush()
    output = Played(*(stream.buffer.getvalue() for stream in streams[1:]))
    assert ended == status, output.stderr
    return output
