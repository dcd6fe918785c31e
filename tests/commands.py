"""What the fixture `run` gives: the status and the output of a command line."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any, NamedTuple


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
