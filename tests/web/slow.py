"""Slow and failing reply functions for worker processes, in a module that imports quickly."""

import os
import time
from pathlib import Path

from crisps24.pages.replies import PageReply


def reply_slowly(path: str, query: str, *_: object) -> PageReply:
    """Reply after the seconds of the query; die or fail if the query says so."""
    if query == "die":
        os._exit(1)
    if query == "fail":
        raise ZeroDivisionError("secret")
    if "FILE_OF_SLOW_REPLIES" in os.environ:
        Path(os.environ["FILE_OF_SLOW_REPLIES"]).touch()
    time.sleep(float(query or 0))
    return PageReply(200, f"{path} {os.getpid()}".encode(), cacheable=path == "/cacheable")


def reply_and_die(path: str, _: str) -> PageReply:
    """Write a line to the file of the path, and die."""
    with Path(path).open("a") as file:
        file.write("called\n")
    os._exit(1)


_CALLS: list[int] = []


def reply_with_count(*_: str) -> PageReply:
    _CALLS.append(1)
    return PageReply(200, str(len(_CALLS)).encode(), cacheable=False)
