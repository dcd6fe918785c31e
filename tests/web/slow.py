"""Slow and failing answers for the tests' worker processes, in a module that imports quickly."""

import os
import time
from pathlib import Path

from crisps24.pages.replies import PageReply


def slowly(path: str, query: str) -> PageReply:
    """Answer as the query says: after so many seconds, or never."""
    if query == "die":
        os._exit(1)
    if query == "fail":
        raise ZeroDivisionError("secret")
    time.sleep(float(query or 0))
    return PageReply(200, f"{path} {os.getpid()}".encode(), cacheable=path == "/lasting")


def fatal(path: str, _: str) -> PageReply:
    """Note that it was asked, and die of it."""
    with Path(path).open("a") as file:
        file.write("asked\n")
    os._exit(1)


_COUNT: list[int] = []


def counted(*_: str) -> PageReply:
    """Tell how often this process was asked."""
    _COUNT.append(1)
    return PageReply(200, str(len(_COUNT)).encode(), cacheable=False)
