"""Commands by their names, and what the fixture `run` gives: the status and the output."""

import csv
import io
import json
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import click
import pytest


class Ran(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def rows(self) -> list[Any]:
        if self.out.startswith("["):
            return list(json.loads(self.out))
        if self.out.startswith("{"):
            return [json.loads(line) for line in self.out.splitlines()]
        return list(csv.DictReader(io.StringIO(self.out)))


Run = Callable[..., Ran]


def run_here(*words: str, typed: bytes = b"") -> tuple[int, bytes, bytes]:
    """Run a command in this process, where no fixture is: its status, stdout and stderr."""
    from crisps24.cli.program import main

    streams = [io.TextIOWrapper(io.BytesIO(data), "utf-8") for data in (typed, b"", b"")]
    with pytest.MonkeyPatch.context() as patch:
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        status = main(words)
        for stream in streams[1:]:
            stream.flush()
    return status, streams[1].buffer.getvalue(), streams[2].buffer.getvalue()


def command_of(name: str) -> click.Command:
    from crisps24.cli.program import cli

    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return command
