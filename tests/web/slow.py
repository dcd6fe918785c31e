"""Slow and failing reply functions for worker processes, in a module that imports quickly."""

import os
import time
from pathlib import Path

from crisps24.pages.replies import PageReply


def slowly(path: str, query: str) -> PageReply:
    """Reply after the seconds in the query, or end or fail as the query says."""
    if query == "die":
        os._exit(1)
    if query == "fail":
        raise ZeroDivisionError("secret")
    time.sleep(float(query or 0))
    return PageReply(200, f"{path} {os.getpid()}".encode(), cacheable=path == "/lasting")


def fatal(path: str, _: str) -> PageReply:
    """Write a line to the file `path`, and end the process."""
    with Path(path).open("a") as file:
        file.write("asked\n")
    os._exit(1)


_COUNT: list[int] = []


def counted(*_: str) -> PageReply:
    """Reply with the number of calls in this process."""
    _COUNT.append(1)
    return PageReply(200, str(len(_COUNT)).encode(), cacheable=False)
